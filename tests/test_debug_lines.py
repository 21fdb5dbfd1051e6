"""With debug logging, each decision has a line with its reason."""

import logging
from typing import Final

import pytest

from .conftest import LOCK, MINUTE, Home
from .vehicle.nights import during, plug_in, prepare

PACKAGE: Final = "custom_components.vehicle_remote_access"
LINES: Final = (
    "polling mode driving, next read",
    "a drive began, shown by the car",
    "drive-2 ended, shown by time",
    "polling mode settling, next read",
    ": more use is likely",
    "polling mode quiet, next read",
    ": it should be asleep by then",
    "listed as asleep, before online",
    "polling mode asleep, next read not planned: the list shows when it is online again",
    "is woken for door_unlock",
    "is read to confirm a command",
    "is read as planned: it is in use",
    "door_unlock by person: accepted",
    "the read failed (service_down), not read for 60 s",
    "a charge began, shown by the car",
    "charging plan unplugged, start not planned, sends nothing",
    "charging plan cheapest, start Tue 03:00, sends stop",
    "charging plan cheapest, start Tue 03:00, sends start",
    "charge_stop by charging_plan: accepted",
    "charge_start by charging_plan: accepted",
)


async def test_drive_and_a_night_with_the_charging_plan(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger=PACKAGE)
    await prepare(home)
    start = home.car.driving.point
    await home.advance(home.car.drive(5) + 10 * MINUTE, step=20)
    home.car.driving.point = start
    await during(home, 2)
    await home.run_until_complete(home.call("lock", "unlock", LOCK[1]))
    home.simulator.faults.answer(500)
    await plug_in(home)
    await during(home, 14)
    names = (PACKAGE, f"{PACKAGE}.vehicle", f"{PACKAGE}.drive_log")
    shown = [record.getMessage() for record in caplog.records if record.name in names]
    missing = [line for line in LINES if not any(line in each for each in shown)]
    assert not missing, "\n".join(each for each in shown if "polling mode charging" not in each)
