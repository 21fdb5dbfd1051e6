"""Writes a log, entry by entry, and shows its totals."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Stay
from custom_components.vehicle_remote_access.drive_log.totals import battery_totals, month_totals
from custom_components.vehicle_remote_access.drive_log.units import LogUnits
from custom_components.vehicle_remote_access.drive_log.view import LogView

from .log_files import MILES

ZONE: Final = ZoneInfo("Europe/Amsterdam")
NOW: Final = datetime(2026, 11, 23, 12, tzinfo=ZONE)
HOUR: Final = 3600.0


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=ZONE).timestamp()


class Writer:
    """Writes a log. Each drive starts where the last one ended."""

    def __init__(self) -> None:
        self.log = DriveLog(energy_per_rated_mile=0.25)
        self._odometer = 1000.0
        self._energy = 100.0

    def drive(self, end: float, miles: float | None = 10.0, used: float | None = 12.0, **more: Any) -> None:
        if miles is not None:
            more |= {"start_odometer": self._odometer, "end_odometer": self._odometer + miles}
            self._odometer += miles
        drive_id = f"drive-{len(self.log.drives) + 1}"
        values = {"start": end - HOUR / 2, "end": end, "range_used": used, **more}
        self.log.drives.append(Drive(id=drive_id, **values))

    def charge(self, end: float, energy: float = 20.0, cost: float | None = None, **more: Any) -> None:
        """Add a charge of two hours from 20% to 60%."""
        charge_id = f"charge-{len(self.log.charges) + 1}"
        values: dict[str, Any] = {
            "start": end - 2 * HOUR,
            "end": end,
            "start_energy": self._energy,
            "end_energy": self._energy + energy,
            "start_battery": 20.0,
            "end_battery": 60.0,
            "range_added": 4 * energy,
            "cost": cost,
            **more,
        }
        values["currency"] = None if cost is None else more.get("currency", "EUR")
        self.log.charges.append(Charge(id=charge_id, **values))
        self._energy += energy

    def stay(self, end: float, hours: float, lost: float | None, reasons: str = "") -> None:
        stay_id, start = f"stay-{len(self.log.stays)}", end - hours * HOUR
        self.log.stays.append(Stay(stay_id, start, end, battery_lost=lost, awake_reasons=reasons))

    def view(self, units: LogUnits = MILES) -> LogView:
        return LogView(self.log, replace(units, zone=ZONE))

    def months(self, now: datetime = NOW, units: LogUnits = MILES) -> dict[str, Any]:
        return month_totals(self.view(units), now.timestamp())

    def battery(self) -> dict[str, Any]:
        return battery_totals(self.view())

    def month(self, period: str, now: datetime = NOW, units: LogUnits = MILES) -> Any:
        answer = self.months(now, units)
        return next(row for row in answer["months"] + answer["years"] if row["period"] == period)
