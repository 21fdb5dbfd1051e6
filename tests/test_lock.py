"""The lock entity of the doors."""

from typing import Final

from .conftest import Home

PATH: Final = "vehicle_state.locked"


async def test_unlock_and_lock(home: Home) -> None:
    """The entity unlocks and locks the car. The state changes immediately."""
    assert home.shown("lock", PATH).state == "locked"
    await home.call("lock", "unlock", PATH)
    assert not home.car.body.locked
    assert home.shown("lock", PATH).state == "unlocked"
    await home.call("lock", "lock", PATH)
    assert home.car.body.locked
    assert home.shown("lock", PATH).state == "locked"


async def test_unknown_without_the_field(home: Home) -> None:
    """The lock is unknown if the field is missing."""
    home.simulator.faults.remove(PATH)
    await home.poll()
    assert home.shown("lock", PATH).state == "unknown"
