"""The log of a commuter over years, without samples."""

from datetime import datetime, time, timedelta
import math
from typing import Final
from zoneinfo import ZoneInfo

from custom_components.vehicle_remote_access.drive_log.charges import ChargeTracker
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.drives import DriveTracker
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Stay
from custom_components.vehicle_remote_access.drive_log.samples import Samples

ZONE: Final = ZoneInfo("Europe/Amsterdam")
"""The time zone of `scripts/develop`."""
SATURDAY: Final = 5
FULL_RANGE: Final = 270.0
"""The rated range of the full battery, in miles."""
KWH_PER_MILE: Final = 0.24
"""The energy of a rated mile."""
MINUTE, DAY = 60.0, timedelta(days=1)
_MILD: Final = 20.0
"""The outside temperature, in °C, below which the car uses more."""


class Owner:
    """Drives to work on weekdays and makes a trip each weekend, and charges at night."""

    def __init__(self) -> None:
        """Start with a charged battery."""
        self.log = DriveLog(revision=1_000_000)
        self._odometer, self._energy, self._range = 8_000.0, 2_000.0, 210.0
        self._place: str | None = "Home"
        self._parked_since: float | None = None

    def drive(self, start: float, miles: float, place: str | None) -> None:
        """Drive to a place, a bit less economically with each mile, and in the cold."""
        celsius = _outside_temperature(start)
        used = miles * (1.1 + miles % 7 / 40) * (1 + max(0.0, _MILD - celsius) / 100)
        end = start + 300 + miles * 75
        number = len(self.log.drives) + 1
        if self._parked_since is not None:
            lost = (start - self._parked_since) / 86_400 * 0.9
            self._range -= lost / 100 * FULL_RANGE
            self.log.stays.append(
                Stay(
                    id=f"stay-{number - 1}",
                    start=self._parked_since,
                    end=start,
                    place=self._place,
                    battery_lost=round(lost, 2),
                    asleep=round((start - self._parked_since) / 3600 * 0.9, 2),
                )
            )
        self.log.drives.append(
            Drive(
                id=f"drive-{number}",
                start=start,
                end=end,
                start_odometer=self._odometer,
                end_odometer=self._odometer + miles,
                start_battery=self._level,
                end_battery=round(100 * (self._range - used) / FULL_RANGE),
                range_used=round(used, 2),
                start_place=self._place,
                end_place=place,
                outside_temperature=celsius,
                max_speed=72.0,
            )
        )
        self._odometer, self._range, self._place, self._parked_since = (
            self._odometer + miles,
            self._range - used,
            place,
            end,
        )

    def charge(self, start: float, level: float, *, price: float | None, is_fast: bool = False) -> None:
        """Charge to a battery level. The battery ages a little with each charge."""
        added = level / 100 * FULL_RANGE - self._range
        energy = added * KWH_PER_MILE * (1 - len(self.log.charges) / 8000)
        used = energy * (1.0 if is_fast else 1.1)
        self.log.charges.append(
            Charge(
                id=f"charge-{len(self.log.charges) + 1}",
                start=start,
                end=start + energy * 3600 / (80 if is_fast else 10),
                start_energy=self._energy,
                end_energy=self._energy + energy,
                energy_used=None if is_fast else round(used, 3),
                start_battery=self._level,
                end_battery=level,
                range_added=round(added, 2),
                max_power=120.0 if is_fast else 11.0,
                current="dc" if is_fast else "ac",
                place=self._place,
                cost=None if price is None else round(used * price, 4),
                currency=None if price is None else "EUR",
            )
        )
        self._energy, self._range = self._energy + energy, level / 100 * FULL_RANGE

    def finished_log(self) -> DriveLog:
        """Return the log, to which further entries can be added."""
        self.log.drive_tracker = DriveTracker(next_id=len(self.log.drives) + 1)
        self.log.charge_tracker = ChargeTracker(next_id=len(self.log.charges) + 1)
        return self.log

    @property
    def _level(self) -> float:
        return round(100 * self._range / FULL_RANGE)


def _outside_temperature(moment: float) -> float:
    """Return a temperature of the season, with warmer and colder weeks."""
    day = datetime.fromtimestamp(moment, ZONE).date()
    season = -math.cos(2 * math.pi * (day.timetuple().tm_yday - 20) / 365)
    return round(10 + 10 * season + 4 * math.sin(day.toordinal() / 4), 1)


def two_years() -> tuple[DriveLog, Samples]:
    """Return a log from the first day of the year before last until yesterday, without samples."""
    return _years(2)


def nine_years() -> tuple[DriveLog, Samples]:
    """Return a log with more than 5,500 drives, without samples."""
    return _years(9)


def _years(count: int) -> tuple[DriveLog, Samples]:
    owner = Owner()
    today = datetime.now(ZONE).date()
    day = today.replace(year=today.year - count, month=1, day=1)
    while day < today:
        midnight = datetime.combine(day, time(), ZONE).timestamp()
        # More is driven in summer, and in each new year.
        miles = 14 + day.month % 7 + (day.year - today.year + count) * 2
        if day.weekday() < SATURDAY:
            owner.drive(midnight + 8 * 3600, miles, "Work")
            owner.drive(midnight + 17 * 3600 + day.day * MINUTE, miles + 0.4, "Home")
        elif day.weekday() == SATURDAY:
            owner.drive(midnight + 10 * 3600, 70 + day.day, None)
            owner.charge(midnight + 13 * 3600, 70, price=0.59 if day.month % 4 else None, is_fast=True)
            owner.drive(midnight + 16 * 3600, 71 + day.day, "Home")
        if day.weekday() in (1, 3, 6):
            owner.charge(midnight + 22 * 3600, 80, price=0.26)
        day += DAY
    return owner.finished_log(), Samples()
