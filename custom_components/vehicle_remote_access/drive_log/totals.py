"""Totals of months and years, and what the charges show of the battery.

As in `get_log`, an entry counts in the month in which it ended.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
import math
from typing import Any, Final, NamedTuple

from .drive_log import DriveLog
from .entries import Charge, Drive, Stay, ended
from .estimates import Capacity, capacities, range_per_mile, shows_standby, standby
from .view import LogView, iso

_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
_SHOWN_OF_DRIVE: Final = (
    *("id", "start", "end", "start_place", "end_place", "distance", "energy", "consumption"),
)

type Period = tuple[int, ...]
"""A year, or a year and a month."""


class _Part(NamedTuple):
    """The entries of a period."""

    drives: Sequence[Drive]
    charges: Sequence[Charge]
    stays: Sequence[Stay]

    def until(self, end: float) -> _Part:
        """Return the entries that ended before a moment."""
        start = -math.inf
        return _Part(
            ended(self.drives, start, end), ended(self.charges, start, end), ended(self.stays, start, end)
        )


class LogTotals:
    """Sums up the entries of a log, in the units of a view and in a currency."""

    def __init__(self, book: DriveLog, view: LogView, zone: tzinfo, currency: str) -> None:
        """Use the months of a time zone."""
        self._book = book
        self._view = view
        self._zone = zone
        self._currency = currency

    # Months

    def months(self, now: datetime) -> dict[str, Any]:
        """Return the totals of all months and years with entries, newest first.

        This month is always there, and the last one if there are entries from before this month.
        """
        today = now.astimezone(self._zone)
        current = (today.year, today.month)
        last = (today.year, today.month - 1) if today.month > 1 else (today.year - 1, 12)
        parts = self._parts()
        periods = sorted({*parts, current, current[:1]}, reverse=True) if parts else []
        if any(period < current[:1] or current[:1] < period < current for period in periods):
            periods = sorted({*periods, last, last[:1]}, reverse=True)
        rows = [(period, self._row(period, parts, today)) for period in periods]
        return {
            "months": [row for period, row in rows if len(period) > 1],
            "years": [row for period, row in rows if len(period) == 1],
            "current": _name(current),
            "units": self._view.unit_names(self._currency),
        }

    def _parts(self) -> dict[Period, _Part]:
        """Return the entries of each month and each year that has some."""
        parts: dict[Period, tuple[list[Any], list[Any], list[Any]]] = {}
        book = self._book
        kinds: tuple[Sequence[Drive | Charge | Stay], ...] = (book.drives, book.charges, book.stays)
        for index, records in enumerate(kinds):
            for record in records:
                end = datetime.fromtimestamp(record.end, self._zone)
                for period in ((end.year,), (end.year, end.month)):
                    parts.setdefault(period, ([], [], []))[index].append(record)
        return {period: _Part(*part) for period, part in parts.items()}

    def _row(self, period: Period, parts: dict[Period, _Part], today: datetime) -> dict[str, Any]:
        part, before = parts.get(period, _NOTHING), self._year_before(period, parts, today)
        return {
            "period": _name(period),
            **self._totals(part),
            "most_energy": self._top(part.drives, self._book.energy),
            "longest": self._top(part.drives, self._distance_of),
            "before": None if before is None else self._totals(before),
        }

    def _year_before(self, period: Period, parts: dict[Period, _Part], today: datetime) -> _Part | None:
        """Return the entries of the same period a year before, None if the log starts later.

        The current month and year are compared with the same days of the year before.
        """
        year, *month = period
        start = datetime(year - 1, (month or [1])[0], 1, tzinfo=self._zone)
        if self._first_start > start.timestamp():
            return None
        part = parts.get((year - 1, *month), _NOTHING)
        if period != (today.year, today.month)[: len(period)]:
            return part
        is_leap_day = (today.month, today.day) == (2, 29)
        end = today.replace(year=year - 1, day=28 if is_leap_day else today.day)
        return part.until(end.timestamp())

    @cached_property
    def _first_start(self) -> float:
        book = self._book
        kinds: tuple[Sequence[Drive | Charge | Stay], ...] = (book.drives, book.charges, book.stays)
        return min(record.start for records in kinds for record in records)

    @cached_property
    def _distances(self) -> dict[str, float | None]:
        # Each is needed for its month, for its year, and for the year after.
        return {drive.id: self._view.rounded_distance(drive) for drive in self._book.drives}

    def _distance_of(self, drive: Drive) -> float | None:
        return self._distances[drive.id]

    def _totals(self, part: _Part) -> dict[str, Any]:
        distances = [self._distance_of(drive) for drive in part.drives]
        distance = _sum(distances) if part.drives else 0.0
        energies = [self._book.energy(drive) for drive in part.drives]
        measured = [
            (energy, each) for energy, each in zip(energies, distances, strict=True) if energy and each
        ]
        charges = self._charge_totals(part.charges)
        is_all = not charges["charges_without_cost"] and not charges["other_costs"]
        cost = charges["cost"] if is_all else None
        return {
            "distance": _rounded(distance),
            "drives": len(part.drives),
            "driving": round(sum(drive.end - drive.start for drive in part.drives) / _HOUR, 2),
            "energy": _rounded(_sum(energies)),
            "drives_without_energy": energies.count(None),
            "consumption": _per_100(sum(energy for energy, _ in measured), sum(each for _, each in measured)),
            **charges,
            "cost_per_100": None if cost is None else _per_100(cost, distance, 2),
            **self._standby_totals(part.stays),
        }

    def _charge_totals(self, charges: Sequence[Charge]) -> dict[str, Any]:
        added = [self._view.rounded_energy(charge) for charge in charges]
        used = [charge.energy_used for charge in charges]
        costs: dict[str, float] = {}
        for charge in charges:
            if charge.cost is not None and charge.currency is not None:
                costs[charge.currency] = costs.get(charge.currency, 0.0) + round(charge.cost, 2)
        paid = [charge for charge in charges if charge.cost_in(self._currency) is not None]
        paid_energy = sum(charge.energy_added for charge in paid)
        cost = costs.pop(self._currency, None)
        return {
            "charges": len(charges),
            "energy_added": _rounded(_sum(added) if charges else 0.0),
            # Chargers that were not measured would make it too small.
            "energy_used": None if None in used else _rounded(_sum(used)),
            "cost": _rounded(cost),
            "other_costs": {currency: round(other, 2) for currency, other in sorted(costs.items())},
            "charges_without_cost": sum(charge.cost is None for charge in charges),
            "cost_per_kwh": round(cost / paid_energy, 3) if cost is not None and paid_energy else None,
        }

    def _standby_totals(self, stays: Sequence[Stay]) -> dict[str, Any]:
        """Return the standby loss of the stays that show it, and how long they were."""
        shown = [stay for stay in stays if shows_standby(stay)]
        days = sum(stay.end - stay.start for stay in shown) / _DAY
        lost = max(0.0, sum(stay.battery_lost or 0.0 for stay in shown)) if shown else None
        full = self._book.capacity
        return {
            "standby_days": round(days, 1),
            "standby_lost": _rounded(lost, 1),
            "standby_energy": None if lost is None or full is None else round(lost / 100 * full.energy, 1),
            "standby_per_day": None if lost is None else round(lost / days, 2),
        }

    def _top(
        self, drives: Sequence[Drive], get_value: Callable[[Drive], float | None]
    ) -> dict[str, Any] | None:
        """Return the drive with the largest value."""
        known = [(value, drive) for drive in drives if (value := get_value(drive)) is not None]
        if not known:
            return None
        shown = self._view.drive(max(known, key=lambda each: each[0])[1])
        return {name: shown[name] for name in _SHOWN_OF_DRIVE}

    # Battery

    def battery(self) -> dict[str, Any]:
        """Return the capacity now and over time, the charges by place and kind, and the standby loss."""
        book = self._book
        loss, now = standby(book.stays), book.capacity
        rated = None if now is None else now.range
        per_mile = range_per_mile(book.drives)
        return {
            "capacity": self._capacities(),
            "now": now and _energy(now),
            "best": book.best_capacity and _energy(book.best_capacity),
            "health": book.health,
            "range": self._distance(rated),
            "own_range": self._distance(rated / per_mile if rated is not None and per_mile else None),
            "charges": self._places(),
            "total": self._charge_totals(book.charges),
            "standby": None
            if loss is None
            else {
                "per_day": round(loss.percent, 2),
                "power": book.standby_power(loss),
                "asleep": round(100 * loss.asleep),
            },
            "units": self._view.unit_names(self._currency),
        }

    def _capacities(self) -> list[dict[str, Any]]:
        """Return the capacity after the last charge of each month, and the largest one, oldest first."""
        known = [(charge.end, capacity) for charge, capacity in capacities(self._book.charges)]
        months = {self._month(end): (end, capacity) for end, capacity in known}
        best = [each for each in known if each[1] == self._book.best_capacity][:1]
        # They are not in order if a clock was wrong.
        shown = sorted(dict([*best, *months.values()]).items())
        return [{"time": iso(end), **_energy(capacity)} for end, capacity in shown]

    def _month(self, moment: float) -> Period:
        local = datetime.fromtimestamp(moment, self._zone)
        return local.year, local.month

    def _distance(self, miles: float | None) -> float | None:
        return None if miles is None else round(self._view.distance(miles), 1)

    def _places(self) -> list[dict[str, Any]]:
        """Return the totals of the charges by place and kind. The most energy is the first."""
        groups: dict[tuple[str | None, str | None], list[Charge]] = {}
        for charge in self._book.charges:
            groups.setdefault((charge.place, charge.current), []).append(charge)
        places = [
            {"place": place, "current": current, **self._charge_totals(charges)}
            for (place, current), charges in groups.items()
        ]
        return sorted(places, key=lambda place: place["energy_added"] or 0.0, reverse=True)


_NOTHING: Final = _Part((), (), ())


def _energy(capacity: Capacity) -> dict[str, float]:
    return {"energy": round(capacity.energy, 1), "uncertainty": capacity.uncertainty}


def _name(period: Period) -> str:
    """Return the name of a period, for example `2026-11`."""
    return "-".join(f"{number:02}" for number in period)


def _sum(values: Iterable[float | None]) -> float | None:
    """Return the sum of the known values, None without any."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _per_100(amount: float, distance: float | None, digits: int = 1) -> float | None:
    return round(100 * amount / distance, digits) if amount and distance else None


def _rounded(value: float | None, digits: int = 2) -> float | None:
    return None if value is None else round(value, digits)
