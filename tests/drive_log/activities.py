"""What the car of a `Home` does to add to its log."""

from custom_components.vehicle_remote_access.drive_log.entries import Charge
from tests.conftest import Home


async def start_drive(home: Home, miles: float) -> None:
    if home.car.charging.plugged:
        home.car.unplug()
    home.car.drive(miles)
    await home.poll()


async def drive(home: Home, miles: float = 5, seconds: float = 1800) -> None:
    """Start a drive, and let time pass in which it ends."""
    await start_drive(home, miles)
    await home.advance(seconds, step=60)


async def start_charge(home: Home, level: float = 30) -> None:
    home.car.charging.set_level(level)
    home.car.charging.start()
    await home.poll()


async def end_charge(home: Home) -> Charge:
    home.car.unplug()
    await home.poll()
    return home.coordinator.log.charges[-1]
