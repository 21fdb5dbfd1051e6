"""A log of two weeks with samples: drives to work and back, and charges at home."""

from datetime import datetime, timedelta
from typing import Any, Final

from custom_components.vehicle_remote_access.drive_log.charges import ChargeTracker
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.drives import DriveTracker
from custom_components.vehicle_remote_access.drive_log.entries import (
    Charge,
    ChargeSample,
    Drive,
    DriveSample,
    Stay,
)
from custom_components.vehicle_remote_access.drive_log.samples import Samples

MINUTE: Final = 60
_DAYS: Final = 14
_DAYS_PARKED: Final = range(4, 7)
"""Three days ago until six days ago, the car was parked."""


def two_weeks() -> tuple[DriveLog, Samples]:
    """Return a log until yesterday, and its samples."""
    log, samples = DriveLog(), Samples()
    today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    for days_ago in range(_DAYS, 0, -1):
        day = (today - timedelta(days=days_ago)).timestamp()
        if days_ago in _DAYS_PARKED:
            continue
        _drive(log, samples, day + 8 * 60 * MINUTE, "Home", "Work")
        _drive(log, samples, day + 17 * 60 * MINUTE, "Work", "Home")
        if days_ago % 3 == 0 or days_ago == 1:
            # On the first day, there is too much wind.
            _charge(log, samples, day + 18 * 60 * MINUTE, sign=1 if log.charges else -1)
    log.drive_tracker = DriveTracker(next_id=len(log.drives) + 1)
    log.charge_tracker = ChargeTracker(next_id=len(log.charges) + 1)
    return log, samples


def _drive(log: DriveLog, samples: Samples, start: float, origin: str, target: str) -> None:
    number = len(log.drives) + 1
    end, direction = start + 24 * MINUTE, 1 if origin == "Home" else -1
    if log.drives:
        last = log.drives[-1]
        log.stays.append(
            Stay(id=f"stay-{number - 1}", start=last.end, end=start, place=origin, battery_lost=1.2)
        )
    track = [
        (52.37 + 0.004 * minute, 4.89 + 0.003 * minute + 0.01 * (minute % 5 == 0)) for minute in range(25)
    ][::direction]
    values: dict[str, Any] = {
        "start_latitude": track[0][0],
        "start_longitude": track[0][1],
        "end_latitude": track[-1][0],
        "end_longitude": track[-1][1],
    }
    log.drives.append(
        Drive(
            id=f"drive-{number}",
            start=start,
            end=end,
            start_odometer=round(10_000 + number * 14.2, 1),
            end_odometer=round(10_014.2 + number * 14.2, 1),
            start_battery=76.0,
            end_battery=68.0,
            range_used=18.0,
            start_place=origin,
            end_place=target,
            outside_temperature=8.5,
            max_speed=68.0,
            **values,
        )
    )
    for minute in range(1, 25):
        if number % 2 and 12 < minute < 19:
            continue  # a tunnel
        at = start + minute * MINUTE
        samples.drives[at] = DriveSample(
            at,
            speed=float(min(68, minute * 9 % 71)),
            power=float(minute * 13 % 60 - 18),
            level=76.0 - minute // 3,
            latitude=round(track[minute][0], 5),
            longitude=round(track[minute][1], 5),
        )


def _charge(log: DriveLog, samples: Samples, start: float, sign: int) -> None:
    number = len(log.charges) + 1
    cost = 0.0
    for minute in range(0, 181, 3):
        at = start + minute * MINUTE
        price = sign * (0.31, 0.28, 0.22, 0.19, 0.24, 0.3, 0.34)[minute // 30]
        cost += 0.55 * price if minute else 0.0
        samples.charges[at] = ChargeSample(
            at,
            power=11.0 if minute < 165 else 6.5,
            level=50.0 + minute // 6,
            price=price,
            cost=round(cost, 3),
        )
    log.charges.append(
        Charge(
            id=f"charge-{number}",
            start=start,
            end=start + 181 * MINUTE,
            start_energy=500 + number * 30.0,
            end_energy=530 + number * 30.0,
            energy_used=32.6,
            start_battery=50.0,
            end_battery=80.0,
            range_added=97.0,
            max_power=11.0,
            current="ac",
            place="Home",
            cost=round(cost, 2),
            currency="EUR",
        )
    )
