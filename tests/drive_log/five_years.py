"""The log of a car that was driven for five years."""

from typing import Any

from custom_components.vehicle_remote_access.drive_log.charges import ChargeTracker
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.drives import DriveTracker
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Stay


def five_years() -> DriveLog:
    """Return a log with three drives a day and a charge on most days."""
    log, now = DriveLog(energy_per_rated_mile=0.3), 1_600_000_000.0
    for number in range(1, 5501):
        start = now + number * 28_800
        place = ("Home", "Work", None)[number % 3]
        values: dict[str, Any] = {
            "start_odometer": number * 10.123456,
            "end_odometer": (number + 1) * 10.123456,
            "start_battery": 80.0 - number % 40,
            "end_battery": 78.0 - number % 40,
            "range_used": 9.5 + number % 7 / 10,
            "start_place": place,
            "end_place": place,
            "outside_temperature": number % 300 / 10,
            "max_speed": 60.0 + number % 20,
        }
        log.drives.append(Drive(f"drive-{number}", start, start + 1500, **values))
        log.stays.append(Stay(f"stay-{number}", start + 1500, start + 28_800, place=place, battery_lost=0.3))
    for number in range(1, 1501):
        start, energy = now + number * 105_600, number * 20.0
        cost: dict[str, Any] = {"cost": 3.1 + number / 1e3, "currency": "EUR"}
        known = {"start_energy": energy, "end_energy": energy + 20, **cost}
        log.charges.append(Charge(f"charge-{number}", start, start + 9000, **known))
    log.drive_tracker = DriveTracker(next_id=5501)
    log.charge_tracker = ChargeTracker(next_id=1501)
    return log
