"""Creates the log that the pictures of the documentation show, for `scripts/screenshots`."""
# ruff: noqa: INP001 - a script, not a module

from datetime import datetime
import math
from typing import Final

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import (
    Charge,
    ChargeSample,
    Drive,
    DriveSample,
)
from custom_components.vehicle_remote_access.drive_log.samples import Samples
from development.commuter_log import two_years

_DAYS: Final = 8
_FULL_POWER_SHARE: Final = 0.95
_MINUTE, _DAY = 60, 86_400
_SPEEDS: Final = (12, 24, 31, 18, 30, 47, 62, 68, 70, 67, 71, 69, 66, 70, 58, 41, 30, 22, 33, 28, 14)
"""Speeds of a drive, in mph: through a town, on a motorway, and through a town again."""
_PRICES: Final = (0.31, 0.28, 0.24, 0.21, 0.19, 0.2, 0.23)
"""Prices of consecutive half hours, in EUR per kWh."""


def log_with_curves() -> tuple[DriveLog, Samples]:
    """Return a log of more than two years, with samples of the last days."""
    log, samples = two_years()
    since = datetime.now().astimezone().timestamp() - _DAYS * _DAY
    for drive in log.drives:
        if drive.start > since:
            _add_drive(samples, drive)
    for index, charge in enumerate(log.charges):
        if charge.start > since and charge.current == "ac":
            log.charges[index] = charge._replace(cost=_add_charge(samples, charge))
    return log, samples


def _add_drive(samples: Samples, drive: Drive) -> None:
    duration = drive.end - drive.start
    first, last = drive.start_battery or 0.0, drive.end_battery or 0.0
    before = 0.0
    for minute in range(1, int(duration / _MINUTE)):
        share = minute * _MINUTE / duration
        speed = _SPEEDS[int(share * len(_SPEEDS))] + 2 * math.sin(minute * 1.7)
        # Faster is more against the air, and slowing down recovers energy.
        power = 1.5 + speed**3 / 16_000 + (speed - before) * 0.9
        before = speed
        at = drive.start + minute * _MINUTE
        level = round(first + (last - first) * share)
        sample = DriveSample(at, speed=round(speed, 1), power=round(power, 1), level=level)
        samples.put([sample])


def _add_charge(samples: Samples, charge: Charge) -> float:
    """Return the cost of the charge."""
    energy = charge.energy_used or 0.0
    duration = charge.end - charge.start
    first, last = charge.start_battery or 0.0, charge.end_battery or 0.0
    steps = max(int(duration / (5 * _MINUTE)), 1)
    cost = 0.0
    for step in range(steps + 1):
        share = step / steps
        price = _PRICES[int(share * duration / (30 * _MINUTE)) % len(_PRICES)]
        cost += energy / steps * price if step else 0.0
        at = charge.start + share * duration
        sample = ChargeSample(
            at,
            power=11.0 if share < _FULL_POWER_SHARE else 6.0,
            level=round(first + (last - first) * share),
            price=price,
            cost=round(cost, 3),
        )
        samples.put([sample])
    return round(cost, 2)
