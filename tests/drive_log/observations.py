"""Observations of a car, and the log that they make."""

from typing import Any, Final

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Observation

NOON: Final = 1_790_000_000.0
HOUR: Final = 3600.0
BASE: Final = 1000.0
HOME: Final[dict[str, Any]] = {"is_home": True, "place": "Home"}
AWAY: Final[dict[str, Any]] = {"is_home": False, "place": "Work"}


def parked(minute: float, miles: float = 0.0, **values: Any) -> Observation:
    """Return an observation of the parked car. `miles` are those since the beginning."""
    return Observation(at=NOON + minute * 60, odometer=BASE + miles, **values)


def driving(minute: float, miles: float, **values: Any) -> Observation:
    return parked(minute, miles, is_driving=True, **values)


def asleep(minute: float) -> Observation:
    return Observation(at=NOON + minute * 60, is_asleep=True)


def charging(minute: float, energy: float, state: str = "charging", **values: Any) -> Observation:
    return parked(minute, energy=energy, charging=state, **{"power": 6.0, **values})


def log_of(*observations: Observation, **values: Any) -> DriveLog:
    log = DriveLog(currency="EUR", **values)
    for observation in observations:
        log.add(observation)
    return log
