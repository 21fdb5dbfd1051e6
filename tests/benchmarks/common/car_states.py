"""States in which a simulated car can be left for a long time."""

from collections.abc import Callable, Mapping
from typing import Final

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle

_LONG_DRIVE: Final = 1000  # miles


def stay_parked(_: SimulatedVehicle) -> None:
    """Leave the car parked."""


def start_charging(car: SimulatedVehicle) -> None:
    """Start the longest possible charge."""
    if car.charging.plugged:
        car.unplug()
    car.set_level(1)
    car.plug_in()


def start_driving(car: SimulatedVehicle) -> None:
    """Start a drive that lasts until the battery is empty."""
    if car.charging.plugged:
        car.unplug()
    car.set_level(100)
    car.drive(_LONG_DRIVE)


def start_routine(car: SimulatedVehicle) -> None:
    """Start the simulator's daily routine of drives and charges."""
    car.routine(on=True)


CAR_STATES: Final[Mapping[str, Callable[[SimulatedVehicle], None]]] = {
    "parked": stay_parked,
    "charging": start_charging,
    "driving": start_driving,
    "daily routine": start_routine,
}
