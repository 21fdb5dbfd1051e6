"""What a live read shows for the log."""

import time
from typing import Any, Final

import pytest

from ..conftest import HOUR, MINUTE, MOVING, Home
from .nights import plan_reason, plug_in, prepare

ENERGY: Final = "charge_state.charge_energy_added"
MILES: Final = "charge_state.charge_miles_added_rated"


async def _read(home: Home, **records: Any) -> None:
    """Read the car after half a minute, with these records instead of its own."""
    await home.advance(30)
    for name, record in records.items():
        home.simulator.faults.corrupt(name, record)
    await home.poll()
    home.simulator.faults.clear()


async def test_drive_does_not_end_because_only_other_records_are_new(home: Home) -> None:
    """The drive's record comes from a cache, while the others are read from the car."""
    await home.disable_polling()
    home.start_drive(4)
    await _read(home)
    old = home.coordinator.known.merged.raw["drive_state"]
    for _ in range(8):
        await _read(home, drive_state=old)
        drive = home.coordinator.log.drive_tracker.open
        assert drive is not None
        assert drive.stopped_at is None
        assert home.shown(*MOVING).state == "on"
    await home.advance(60)
    await _read(home)
    drive = home.coordinator.log.drive_tracker.open
    assert drive is not None
    assert drive.stopped_at is not None


async def test_each_drive_of_a_shared_car_whose_gear_is_unknown_is_one_drive(empty_home: Home) -> None:
    """The account of its driver may not read the record that has the gear and the position."""
    home = empty_home
    home.simulator.faults.remove("drive_state")
    await home.set_up()
    home.car.unplug()
    for miles in (10, 40, 5):
        await home.advance(20 * MINUTE, step=20)
        seconds = home.car.drive(miles)
        started_at = time.time()
        await home.advance(seconds + 20 * MINUTE, step=20)
        drive = home.coordinator.log.drives[-1]
        assert drive.distance == pytest.approx(miles)
        assert (drive.start, drive.end) == pytest.approx((started_at, started_at + seconds), abs=5 * MINUTE)
    assert len(home.coordinator.log.drives) == 3


async def test_plan_says_that_the_position_of_a_shared_car_is_unknown(empty_home: Home) -> None:
    home = empty_home
    home.simulator.faults.remove("drive_state")
    await home.set_up()
    await prepare(home)
    await plug_in(home)
    assert plan_reason(home) == "position_unknown"


@pytest.mark.parametrize("state", ["Charging", "Complete"])
async def test_charger_that_only_heats_the_car_counts_at_home(home: Home, state: str) -> None:
    await home.hass.config.async_update(latitude=home.car.home.latitude, longitude=home.car.home.longitude)
    home.car.charging.stop()
    await home.poll()
    values = {"charger_power": 5, "charger_actual_current": 22, "charger_voltage": 230, "charger_phases": 1}
    for name, value in {**values, "charging_state": state}.items():
        home.simulator.faults.corrupt(f"charge_state.{name}", value)
    home.simulator.faults.corrupt("climate_state.is_climate_on", True)
    await home.advance(HOUR, step=30)
    home.simulator.faults.clear()
    await home.advance(30 * MINUTE, step=30)
    shown = home.shown("sensor", "log.energy_charged_home").state
    assert float(shown) == pytest.approx(5.06, abs=0.1)
    assert not home.coordinator.log.charges


async def test_old_current_of_a_car_that_does_not_charge_is_no_energy(home: Home) -> None:
    await home.hass.config.async_update(latitude=home.car.home.latitude, longitude=home.car.home.longitude)
    home.car.charging.stop()
    for name, value in {"charger_power": 0, "charger_actual_current": 22, "charger_voltage": 230}.items():
        home.simulator.faults.corrupt(f"charge_state.{name}", value)
    home.simulator.faults.corrupt("climate_state.is_climate_on", True)
    await home.advance(HOUR, step=30)
    assert home.shown("sensor", "log.energy_charged_home").state == "0.0"


@pytest.mark.parametrize("is_cached", [True, False], ids=["again from a cache", "again"])
async def test_fallen_energy_counter_is_not_confirmed_by_a_repetition(home: Home, *, is_cached: bool) -> None:
    await home.disable_polling()
    home.simulator.faults.corrupt(ENERGY, 20)
    home.simulator.faults.corrupt(MILES, 60)
    await home.poll()
    before = home.coordinator.log_manager.log.meter.lifetime
    await home.advance(30)
    home.simulator.faults.corrupt(ENERGY, 1)
    home.simulator.faults.corrupt(MILES, 3)
    await home.poll()
    wrong = home.coordinator.known.merged.raw["charge_state"]
    await _read(home, **({"charge_state": wrong} if is_cached else {ENERGY: 1, MILES: 3}))
    assert home.coordinator.log_manager.log.meter.lifetime == before + (0 if is_cached else 1)
