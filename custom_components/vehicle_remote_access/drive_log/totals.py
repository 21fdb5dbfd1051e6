"""Totals of months and years, and what the charges show of the battery.

As in `get_log`, an entry counts in the month in which it began.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
import math
from typing import Any, Final

from .entries import Charge, Drive, Entries, rounded
from .estimates import Capacity, capacities, range_per_mile
from .sums import shown_distance
from .view import LogView, iso

_SHOWS_CONSUMPTION: Final = 5.0
"""Kilometers or miles. Shorter drives show little more than rounding."""
_TEMPERATURE_STEP: Final = 10
"""Degrees. Drives are summed up around its multiples."""
_SHOWS_TEMPERATURE: Final = 100.0
"""Kilometers or miles. The mean of fewer would show single drives."""
_SHOWN_OF_DRIVE: Final = (
    *("id", "start", "end", "start_place", "end_place", "distance", "energy", "consumption"),
)

type Period = tuple[int, ...]
"""A year, or a year and a month."""


class LogTotals(LogView):
    """The sums of a log by month and year, and by place."""

    # Months

    def months(self, now: float) -> dict[str, Any]:
        """Return the totals of all months and years with entries, newest first.

        This month is always there, and the last one if there are entries from before this month.
        """
        today = self.units.local_time(now)
        current = (today.year, today.month)
        last = (today.year, today.month - 1) if today.month > 1 else (today.year - 1, 12)
        parts = self._parts()
        periods = sorted({*parts, current, current[:1]}, reverse=True) if parts else []
        if any(period < current[:1] or current[:1] < period < current for period in periods):
            periods = sorted({*periods, last, last[:1]}, reverse=True)
        sums = {period: self.of_entries(part) for period, part in parts.items()}
        rows = [(period, self._row(period, parts, sums, today)) for period in periods]
        return {
            "total": self._total(),
            **self._temperatures(),
            "months": [row for period, row in rows if len(period) > 1],
            "years": [row for period, row in rows if len(period) == 1],
            "today": f"{today:%Y-%m-%d}",
            "units": self.units.names,
        }

    def _parts(self) -> dict[Period, Entries]:
        parts: dict[Period, Entries] = {}
        for kind, entries in self.entries._asdict().items():
            for entry in entries:
                month = self._month(entry.start)
                for period in (month[:1], month):
                    getattr(parts.setdefault(period, Entries([], [], [])), kind).append(entry)
        return parts

    def _row(
        self,
        period: Period,
        parts: Mapping[Period, Entries],
        sums: Mapping[Period, dict[str, Any]],
        today: datetime,
    ) -> dict[str, Any]:
        drives = parts.get(period, Entries()).drives
        return {
            "period": _name(period),
            **sums.get(period, self._no_sums),
            "tags": self._tags(drives),
            "most_energy": self._top(drives, self.log.energy),
            "longest": self._top(drives, lambda drive: shown_distance(drive, self.units)),
            "before": self._year_before(period, parts, sums, today),
        }

    @cached_property
    def _no_sums(self) -> dict[str, Any]:
        return self.of_entries(Entries())

    def _total(self) -> dict[str, Any] | None:
        """Return the sums of the whole log, with the day on which it starts."""
        if not self.entries.total:
            return None
        entries, first = self.entries, self.units.local_time(self._first_start)
        return {
            "since": f"{first:%Y-%m-%d}",
            **self.of_entries(entries),
            "tags": self._tags(entries.drives),
        }

    def _tags(self, drives: Sequence[Drive]) -> list[dict[str, Any]]:
        return [{"tag": tag, **sums} for tag, sums in self.by_tag(drives).items()]

    def _temperatures(self) -> dict[str, Any]:
        """Return the temperature and consumption of longer drives, and the means at round temperatures."""
        units, found = self.units, []
        around: dict[int, list[Drive]] = {}
        for drive in self.entries.drives:
            distance = shown_distance(drive, units)
            consumption = units.consumption(self.log.energy(drive), distance)
            if (
                consumption
                and (distance or 0.0) >= _SHOWS_CONSUMPTION
                and drive.outside_temperature is not None
            ):
                temperature = units.temperature(drive.outside_temperature)
                found.append([temperature, consumption])
                around.setdefault(round(temperature / _TEMPERATURE_STEP), []).append(drive)
        sums = {step * _TEMPERATURE_STEP: self.of_drives(drives) for step, drives in sorted(around.items())}
        means = [
            [temperature, each["consumption"]]
            for temperature, each in sums.items()
            if each["distance"] >= _SHOWS_TEMPERATURE
        ]
        return {"temperatures": found, "at_temperatures": means}

    def _year_before(
        self,
        period: Period,
        parts: Mapping[Period, Entries],
        sums: Mapping[Period, dict[str, Any]],
        today: datetime,
    ) -> dict[str, Any] | None:
        """Return the sums of the same period a year before, None if the log starts later.

        The current month and year are compared with the same days of the year before, up to `until`.
        """
        year, *month = period
        start = datetime(year - 1, (month or [1])[0], 1, tzinfo=self.units.zone)
        if self._first_start > start.timestamp():
            return None
        before = (year - 1, *month)
        whole: dict[str, Any] = sums.get(before, self._no_sums)
        if before not in parts or period != (today.year, today.month)[: len(period)]:
            return whole
        is_leap_day = (today.month, today.day) == (2, 29)
        end = today.replace(year=year - 1, day=28 if is_leap_day else today.day)
        same_days = parts[before].begun(-math.inf, end.timestamp())
        return {**self.of_entries(same_days), "until": f"{end:%Y-%m-%d}"}

    @cached_property
    def _first_start(self) -> float:
        return self.log.entries.period[0]

    def _month(self, moment: float) -> Period:
        local = self.units.local_time(moment)
        return local.year, local.month

    def _top(
        self, drives: Sequence[Drive], get_value: Callable[[Drive], float | None]
    ) -> dict[str, Any] | None:
        known = [(value, drive) for drive in drives if (value := get_value(drive)) is not None]
        if not known:
            return None
        shown = self.shown(max(known, key=lambda each: each[0])[1])
        return {name: shown[name] for name in _SHOWN_OF_DRIVE}

    # Battery

    def battery(self) -> dict[str, Any]:
        """Return the capacity now and over time, the charges by place and kind, and the standby loss."""
        log = self.log
        now, per_mile = log.capacity, range_per_mile(log.drives)
        return {
            "capacity": self._capacities(),
            "now": now and _energy(now),
            "best": log.best_capacity and _energy(log.best_capacity),
            "health": log.health,
            "range": now and self._distance(now.range),
            "own_range": self._distance(now.range / per_mile) if now and per_mile else None,
            "stored": self._stored(),
            "charges": self._years(),
            "standby": self.standby(log.stays),
            "units": self.units.names,
        }

    def _stored(self) -> dict[str, Any] | None:
        """Return the energy in the battery since the log began, and its price, None if there is no energy."""
        store = self.driving_costs.store
        return (
            {
                "energy": round(store.energy, 1),
                "cost": store.cost,
                "cost_per_kwh": rounded(store.price, 3),
            }
            if store.energy > 0
            else None
        )

    def _capacities(self) -> list[dict[str, Any]]:
        """Return the capacity after the last charge of each month, and the largest one, oldest first."""
        known = [(charge.end, capacity) for charge, capacity in capacities(self.log.charges)]
        months = {self._month(end): (end, capacity) for end, capacity in known}
        best = [each for each in known if each[1] == self.log.best_capacity][:1]
        # They are not in order if a clock was wrong.
        shown = sorted(dict([*best, *months.values()]).items())
        return [{"time": iso(end), **_energy(capacity)} for end, capacity in shown]

    def _distance(self, miles: float) -> float:
        return round(self.units.distance(miles), 1)

    def _years(self) -> list[dict[str, Any]]:
        """Return the totals of the charges by place and kind: of all, and of each year, newest first."""
        parts = sorted(self._parts().items(), reverse=True)
        years = [(year, part.charges) for (year, *month), part in parts if part.charges and not month]
        return [self._year(year, charges) for year, charges in ((None, self.entries.charges), *years)]

    def _year(self, year: int | None, charges: Sequence[Charge]) -> dict[str, Any]:
        places = self.by_place(charges, lambda charge: (charge.place, charge.current))
        return {
            "year": year,
            "places": [
                {"place": place, "current": current, **sums} for (place, current), sums in places.items()
            ],
            "total": self.of_charges(charges),
        }


def _energy(capacity: Capacity) -> dict[str, float]:
    return {"energy": round(capacity.energy, 1), "uncertainty": capacity.uncertainty}


def _name(period: Period) -> str:
    """Return the name of a period, for example `2026-11`."""
    return "-".join(f"{number:02}" for number in period)
