"""What the log shows of the car: how fast it charges at home, and when it usually leaves."""

from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.drive_log import estimates
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive

HOUR: Final = 3600.0
MONDAY: Final = datetime(2026, 5, 4, tzinfo=UTC)


def _charge(power: float, hours: float = 2.0, **values: Any) -> Charge:
    energy = power * hours
    known: dict[str, Any] = {
        "start_energy": 0.0,
        "end_energy": energy,
        "start_battery": 20.0,
        "end_battery": 20.0 + energy / 0.8,
    }
    return Charge("charge-1", 0.0, hours * HOUR, **(known | values))


def test_speed_of_charging() -> None:
    """It is the median of the last ten charges that are long enough. A fast charger does not count."""
    charges = [_charge(3)] * 20 + [_charge(7)] * 4 + [_charge(11)] * 6
    charges += [_charge(50, current="dc"), _charge(20, hours=0.1), _charge(20, start_battery=None)]
    speed = estimates.charging_speed(charges, None, 0.9)
    assert speed is not None
    assert speed.added == 11
    assert speed.used == pytest.approx(11 / 0.9)
    assert speed.per_percent == pytest.approx(0.8)
    capacity = estimates.Capacity(energy=75.0, error=0.01, range=300.0)
    assert (known := estimates.charging_speed(charges, capacity, 0.9)) is not None
    assert known.per_percent == 0.75
    assert estimates.charging_speed([], capacity, 0.9) is None


def test_usual_departure() -> None:
    """It is before three of four first drives of workdays, in quarters of an hour."""
    starts = [MONDAY + timedelta(days=day, hours=7, minutes=40 + 2 * day) for day in (0, 1, 2, 3, 4, 7, 8, 9)]
    starts += [MONDAY + timedelta(days=5, hours=5), MONDAY + timedelta(days=1, hours=18)]
    drives = [
        Drive(f"drive-{number}", start.timestamp(), start.timestamp() + HOUR)
        for number, start in enumerate(sorted(starts))
    ]
    assert estimates.usual_departure(drives, UTC) == time(7, 30)
    assert estimates.usual_departure(drives[:4], UTC) is None
