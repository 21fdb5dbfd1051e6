"""The past of a simulated car, which takes seconds to create."""

from datetime import datetime
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.drive_log.zones import Zone, Zones
from custom_components.vehicle_remote_access.simulated_account.car_past import (
    CarPast,
    PastOptions,
    create_past,
)
from custom_components.vehicle_remote_access.simulator import Home, ManualClock, SimulatedVehicle, Simulator

ZONE: Final = ZoneInfo("Europe/Berlin")
UNTIL: Final = datetime(2026, 11, 20, 12, tzinfo=ZONE).timestamp()
BEGAN: Final = datetime(2025, 11, 20, 12, tzinfo=ZONE).timestamp()
ZONES: Final = Zones([Zone("Home", 52.0, 5.0, 100, is_home=True)])
NAMES: Final = {"work": "Work", "shop": "Supermarket"}
PRICES: Final = Prices(home=0.28, away=0.55)


def create(began: float, *, keep_positions: bool = True) -> tuple[SimulatedVehicle, CarPast, list[float]]:
    """Return a car, its past until `UNTIL`, and the progress that was reported."""
    simulator = Simulator(clock=ManualClock(began), home=Home.at(52.0, 5.0, ZONE), routine=True)
    options = PastOptions(
        zones=ZONES, names=NAMES, prices=PRICES, currency="EUR", time_zone=ZONE, keep_positions=keep_positions
    )
    progress: list[float] = []
    (past,) = create_past(simulator, options, UNTIL, progress.append).values()
    (car,) = simulator.vehicles
    return car, past, progress


@cache
def _year() -> tuple[SimulatedVehicle, CarPast, list[float]]:
    return create(BEGAN)


def car() -> SimulatedVehicle:
    return _year()[0]


def past() -> CarPast:
    return _year()[1]
