"""A log of two weeks with samples: drives to work and back, and charges at home."""

from datetime import datetime, timedelta
from typing import Final

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import ChargeSample, DriveSample
from custom_components.vehicle_remote_access.drive_log.samples import Samples
from development.commuter_log import Owner

MINUTE, HOUR = 60, 3600
_MILES: Final = 15.2
"""A drive of 24 minutes."""
_DAYS: Final = 14
_DAYS_PARKED: Final = range(4, 7)
"""Three days ago until six days ago, the car was parked."""
_POSITIONS: Final = {"Home": (52.37, 4.89), "Work": (52.466, 4.962)}
_PRICES: Final = (0.31, 0.28, 0.22, 0.19, 0.24, 0.3, 0.34)
"""Prices of consecutive half hours."""


def two_weeks() -> tuple[DriveLog, Samples]:
    """Return a log until yesterday, and its samples."""
    owner, samples = Owner(), Samples()
    today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    for days_ago in range(_DAYS, 0, -1):
        day = (today - timedelta(days=days_ago)).timestamp()
        if days_ago in _DAYS_PARKED:
            continue
        for hour, place in ((8, "Work"), (17, "Home")):
            owner.drive(day + hour * HOUR, _MILES, place)
            north, east = _POSITIONS[place]
            owner.log.drives[-1] = owner.log.drives[-1]._replace(end_latitude=north, end_longitude=east)
            _add_drive(samples, day + hour * HOUR, place)
        if days_ago % 3 == 0 or days_ago == 1:
            # On the first day, there is too much wind.
            sign = 1 if owner.log.charges else -1
            start = day + 18 * HOUR
            owner.charge(start, 80, price=None)
            cost = _add_charge(samples, start, sign)
            charges = owner.log.charges
            charges[-1] = charges[-1]._replace(
                end=start + 181 * MINUTE, cost=cost, cost_at_once=cost + 1.2, currency="EUR"
            )
    return owner.finished_log(), samples


def _add_drive(samples: Samples, start: float, place: str) -> None:
    for minute in range(1, 25):
        if place == "Work" and 12 < minute < 19:
            continue  # a tunnel
        at = start + minute * MINUTE
        step = minute if place == "Work" else 24 - minute
        sample = DriveSample(
            at,
            speed=float(min(68, minute * 9 % 71)),
            power=float(minute * 13 % 60 - 18),
            level=76.0 - minute // 3,
            latitude=round(52.37 + 0.004 * step, 5),
            longitude=round(4.89 + 0.003 * step + 0.01 * (step % 5 == 0), 5),
        )
        samples.put([sample])


def _add_charge(samples: Samples, start: float, sign: int) -> float:
    """Return what the charge cost."""
    cost = 0.0
    for minute in range(0, 181, 3):
        at = start + minute * MINUTE
        price = sign * _PRICES[minute // 30]
        cost += 0.55 * price if minute else 0.0
        sample = ChargeSample(
            at,
            power=11.0 if minute < 165 else 6.5,
            level=50.0 + minute // 6,
            price=price,
            cost=round(cost, 3),
        )
        samples.put([sample])
    return round(cost, 2)
