"""What a live read shows for the log."""

from typing import Any, Final

import pytest

from ..conftest import MOVING, Home

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
    old = home.coordinator.reader.merged.raw["drive_state"]
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


@pytest.mark.parametrize("is_cached", [True, False], ids=["again from a cache", "again"])
async def test_energy_counter_that_fell_once_is_not_confirmed_by_the_same_answer(
    home: Home, *, is_cached: bool
) -> None:
    await home.disable_polling()
    home.simulator.faults.corrupt(ENERGY, 20)
    home.simulator.faults.corrupt(MILES, 60)
    await home.poll()
    before = home.coordinator.log_manager.meter.lifetime
    await home.advance(30)
    home.simulator.faults.corrupt(ENERGY, 1)
    home.simulator.faults.corrupt(MILES, 3)
    await home.poll()
    wrong = home.coordinator.reader.merged.raw["charge_state"]
    await _read(home, **({"charge_state": wrong} if is_cached else {ENERGY: 1, MILES: 3}))
    assert home.coordinator.log_manager.meter.lifetime == before + (0 if is_cached else 1)
