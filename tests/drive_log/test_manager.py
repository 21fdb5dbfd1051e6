"""The log of a car in Home Assistant: what the reads make of it, and what survives a restart."""

from collections.abc import Iterator
from contextlib import contextmanager
import time
from typing import Any
from unittest.mock import patch

from homeassistant.core import callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import Changes, DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Observation
from custom_components.vehicle_remote_access.drive_log.manager import log_signal

from ..conftest import HOUR, MINUTE, Home
from .activities import start_charge, start_drive


@pytest.mark.parametrize("requests_per_day", [0, 120])
@pytest.mark.parametrize("driven_for", [0, 5 * MINUTE])
async def test_car_that_refuses_reads_while_it_is_listed_online_was_not_seen_asleep(
    home: Home, requests_per_day: int, driven_for: float
) -> None:
    options = {"interval": 60, "requests_per_day": requests_per_day}
    home.hass.config_entries.async_update_entry(home.entry, options=options)
    home.car.unplug()
    await home.poll()
    asleep_today = home.coordinator.known.tracker.asleep_today()
    home.car.start_trip(30)
    started_at = time.time()
    await home.advance(driven_for, step=20)
    asleep = {"response": None, "error": "vehicle unavailable"}
    home.simulator.faults.answer(408, body=asleep, times=1000, only="/vehicle_data")
    await home.poll()
    await home.advance(10 * MINUTE, step=20)
    home.simulator.faults.clear()
    await home.advance(40 * MINUTE, step=20)
    (drive,) = home.coordinator.log.drives
    assert drive.distance == pytest.approx(30, abs=0.01)
    assert drive.start == pytest.approx(started_at, abs=150)
    assert home.coordinator.known.tracker.asleep_today() == asleep_today


async def test_answer_after_a_reload_is_not_added(home: Home) -> None:
    """The new log reads the car itself. Otherwise, automations would run twice."""
    old = home.coordinator.log_manager
    await home.restart()
    started: list[type[Drive | Charge]] = []

    @callback
    def add(_log: DriveLog, changes: Changes) -> None:
        started.extend(changes.started)

    async_dispatcher_connect(home.hass, log_signal(home.coordinator.subentry_id), add)
    observation = Observation(at=dt_util.utcnow().timestamp() + 60, is_driving=True, odometer=1e4)
    old.on_read(observation)
    assert not started
    home.coordinator.log_manager.on_read(observation)
    assert started == [Drive]


async def test_open_drive_and_meter_are_stored_at_once(hass_storage: dict[str, Any], home: Home) -> None:
    await start_drive(home, 20)
    await home.advance(3 * MINUTE, step=1)
    name = f"{DOMAIN}.{home.coordinator.subentry_id}.log_latest"
    stored = hass_storage[name]["data"]
    driven = stored["drive_tracker"]["open"]["driven_odometer"]
    assert driven == pytest.approx(home.car.driving.odometer, abs=1.2)
    await home.leave()
    stored["meter"]["lifetime"] += 5
    hass_storage[name]["data"] = stored
    await home.load()
    assert home.coordinator.log_manager.log.meter.lifetime == stored["meter"]["lifetime"]


@contextmanager
def clock_behind(home: Home, seconds: float) -> Iterator[None]:
    """Let Home Assistant's clock be wrong, as without a battery. The car has the right time."""
    with patch.object(home.simulator.clock, "_time", lambda: time.time() + seconds):
        home.skip(-seconds)
        yield
    home.skip(seconds)


@pytest.mark.parametrize("seconds", [2 * HOUR, 10 * 24 * HOUR])
async def test_clock_that_is_behind_after_a_start_moves_no_entry(home: Home, seconds: float) -> None:
    await home.poll()
    await start_charge(home)
    started_at = time.time()
    await home.advance(20 * MINUTE, step=20)
    await home.unload()
    home.skip(HOUR)
    with clock_behind(home, seconds):
        await home.load()
        await home.advance(2 * MINUTE, step=10)
        drive_at = time.time() + seconds
        await start_drive(home, 30)
        await home.advance(2 * MINUTE, step=10)
    await home.advance(HOUR, step=20)
    charge, (drive,) = home.coordinator.log.charges[0], home.coordinator.log.drives
    assert charge.start == pytest.approx(started_at, abs=MINUTE)
    assert drive.start == pytest.approx(drive_at, abs=HOUR)
    assert drive.end >= drive_at + 10 * MINUTE


async def test_drive_of_a_car_whose_own_clock_is_ahead_is_recorded(home: Home) -> None:
    with clock_behind(home, 2 * HOUR):
        await home.restart()
        await home.advance(31 * MINUTE, step=30)
        started_at = time.time()
        await start_drive(home, 10)
        await home.advance(HOUR, step=20)
        (drive,) = home.coordinator.log.drives
        assert drive.start == pytest.approx(started_at, abs=MINUTE)
