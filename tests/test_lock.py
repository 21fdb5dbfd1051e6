"""The lock of the doors."""

from typing import Final

from .conftest import Home

PATH: Final = "vehicle_state.locked"


async def test_unlock(home: Home) -> None:
    """Unlocking in Home Assistant unlocks the car, and shows it at once."""
    assert home.shown("lock", PATH).state == "locked"
    await home.call("lock", "unlock", PATH)
    assert not home.car.body.locked
    assert home.shown("lock", PATH).state == "unlocked"


async def test_lock(home: Home) -> None:
    """Locking in Home Assistant locks the car, and shows it at once."""
    home.car.unlock()
    await home.poll()
    await home.call("lock", "lock", PATH)
    assert home.car.body.locked
    assert home.shown("lock", PATH).state == "locked"


async def test_unknown(home: Home) -> None:
    """Doors of which the car does not say whether they are locked are neither."""
    home.simulator.faults.remove(PATH)
    await home.poll()
    assert home.shown("lock", PATH).state == "unknown"
