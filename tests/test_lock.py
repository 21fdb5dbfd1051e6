"""The doors."""

from .conftest import Home


async def test_unlock(home: Home) -> None:
    """Unlocking in Home Assistant unlocks the car."""
    assert home.shown("lock", "vehicle_state.locked").state == "locked"
    await home.call("lock", "unlock", "vehicle_state.locked")
    assert not home.car.body.locked
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"
