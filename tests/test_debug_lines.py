"""With debug logging, each decision has a line with its reason."""

import logging
import re
from typing import Final

import pytest

from .conftest import LOCK, MINUTE, Home
from .source import ROOT
from .vehicle.nights import during, plug_in, prepare

PACKAGE: Final = "custom_components.vehicle_remote_access"
TIME: Final = re.compile(r"\d\d:\d\d(:\d\d)?")
# What the page explains besides, and does not happen in this night
OTHERS: Final = (
    "refused the read",
    "the answer",
    "charge_stop is sent again",
    "a read is requested",
    "charging plan sets",
)


async def test_drive_and_a_night_with_the_charging_plan(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """The log has the lines that the page about problems explains."""
    caplog.set_level(logging.DEBUG, logger=PACKAGE)
    await prepare(home)
    start = home.car.driving.point
    await home.advance(home.car.drive(5) + 10 * MINUTE, step=20)
    home.car.driving.point = start
    await during(home, 2)
    await home.run_until_complete(home.call("lock", "unlock", LOCK[1]))
    await home.act("get_vehicle_data", record="charge_state")
    home.simulator.faults.answer(500)
    await plug_in(home)
    await during(home, 14)
    names = (PACKAGE, f"{PACKAGE}.vehicle", f"{PACKAGE}.drive_log")
    shown = {TIME.sub("", record.getMessage()) for record in caplog.records if record.name in names}
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    documented = {TIME.sub("", line) for line in re.findall(r"^\| `(Aurora: .*?)` \|", page, re.MULTILINE)}
    assert len(documented) > 10
    missing = [line for line in documented - shown if not any(other in line for other in OTHERS)]
    assert not missing, "\n".join(sorted(shown))
