"""Totals of months and years, and what the charges show of the battery."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
import math
from typing import Any, Final

from .entries import Charge, Drive, Entries, rounded
from .estimates import Capacity, capacities, range_per_mile
from .sums import (
    Sums,
    charge_sums,
    distance_sum,
    drive_sums,
    entry_sums,
    grouped,
    standby_loss,
    sums_by_place,
    sums_by_tag,
)
from .view import LogView, iso, shown_distance

_SHOWS_CONSUMPTION: Final = 5.0
"""Kilometers or miles. Shorter drives show little more than rounding."""
_TEMPERATURE_STEP: Final = 10
"""Degrees. Drives are summed up around its multiples."""
_SHOWS_TEMPERATURE: Final = 100.0
"""Kilometers or miles. The mean of fewer would show single drives."""
_TOP_VALUES: Final = ("id", "start", "end", "start_place", "end_place", "distance", "energy", "consumption")

type Period = tuple[int, ...]
"""A year, or a year and a month."""
type Periods = Mapping[Period, tuple[Entries, Sums]]
"""The entries that began in a period, and their sums."""


def latest_entries(view: LogView, now: float) -> dict[str, Any]:
    """Return the last drive and charge, and the totals of this month."""
    month = view.units.local_time(now).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    drive, charge = (view.shown(kind[-1]) if kind else None for kind in view.entries[:2])
    drives, charges, _ = view.entries.begun(month.timestamp(), math.inf)
    totals = {"distance": distance_sum(view.units, drives), **charge_sums(view, charges)}
    of_month = {"period": f"{month:%Y-%m}", **totals}
    return {"drive": drive, "charge": charge, "month": of_month, "units": view.units.names}


def month_totals(view: LogView, now: float) -> dict[str, Any]:
    """Return the totals of all months and years with entries, newest first."""
    today = view.units.local_time(now)
    periods = _shown_periods(view, today)
    rows = {period: _totals_of(view, period, periods, today) for period in sorted(periods, reverse=True)}
    return {
        "total": _total(view) if periods else None,
        **_temperatures(view),
        "months": [row for period, row in rows.items() if len(period) > 1],
        "years": [row for period, row in rows.items() if len(period) == 1],
        "today": f"{today:%Y-%m-%d}",
        "units": view.units.names,
    }


def _shown_periods(view: LogView, today: datetime) -> Periods:
    """Return the months and years that are shown. As in `get_log`, an entry counts when it began."""
    parts: defaultdict[Period, Entries] = defaultdict(lambda: Entries([], [], []))
    for kind, entries in view.entries._asdict().items():
        for entry in entries:
            month = _month(view, entry.start)
            for period in (month[:1], month):
                getattr(parts[period], kind).append(entry)
    shown = set(parts)
    this_month = (today.year, today.month)
    last_month = (today.year, today.month - 1) if today.month > 1 else (today.year - 1, 12)
    if parts:
        shown |= {this_month, this_month[:1]}
    if any(len(period) > 1 and period < this_month for period in parts):
        shown |= {last_month, last_month[:1]}
    return {period: (parts[period], entry_sums(view, parts[period])) for period in shown}


def _month(view: LogView, moment: float) -> Period:
    local = view.units.local_time(moment)
    return local.year, local.month


def _totals_of(view: LogView, period: Period, periods: Periods, today: datetime) -> dict[str, Any]:
    (drives, *_), sums = periods[period]
    return {
        # For example `2026-11`
        "period": "-".join(f"{number:02}" for number in period),
        **sums,
        "tags": _sums_of_tags(view, drives),
        "most_energy": _largest_drive(view, drives, view.log.energy),
        "longest": _largest_drive(view, drives, lambda drive: shown_distance(drive, view.units)),
        "before": _year_before(view, period, periods, today),
    }


def _largest_drive(
    view: LogView, drives: Sequence[Drive], get_value: Callable[[Drive], float | None]
) -> dict[str, Any] | None:
    known = [drive for drive in drives if get_value(drive) is not None]
    if not known:
        return None
    shown = view.shown(max(known, key=lambda drive: get_value(drive) or 0.0))
    return {name: shown[name] for name in _TOP_VALUES}


def _sums_of_tags(view: LogView, drives: Sequence[Drive]) -> list[dict[str, Any]]:
    """Return the sums of each tag, and then those of the other drives, if there are both."""
    rows: list[dict[str, Any]] = [{"tag": tag, **sums} for tag, sums in sums_by_tag(view, drives).items()]
    untagged = [drive for drive in drives if not drive.tag]
    return [*rows, {"tag": None, **drive_sums(view, untagged)}] if rows and untagged else rows


def _year_before(view: LogView, period: Period, periods: Periods, today: datetime) -> Sums | None:
    """Return the sums of the same period a year before, None if the log starts later."""
    year, *month = period
    if view.first_start > datetime(year - 1, (month or [1])[0], 1, tzinfo=view.units.zone).timestamp():
        return None
    entries, sums = periods.get((year - 1, *month)) or (Entries(), entry_sums(view, Entries()))
    if not entries.total or period != (today.year, today.month)[: len(period)]:
        return sums
    # The current month and year are compared with the same days of the year before.
    is_leap_day = (today.month, today.day) == (2, 29)
    end = today.replace(year=year - 1, day=28 if is_leap_day else today.day)
    return {**entry_sums(view, entries.begun(-math.inf, end.timestamp())), "until": f"{end:%Y-%m-%d}"}


def _total(view: LogView) -> dict[str, Any]:
    """Return the sums of the whole log, with the day on which it starts."""
    return {
        "since": f"{view.units.local_time(view.first_start):%Y-%m-%d}",
        **entry_sums(view, view.entries),
        "tags": _sums_of_tags(view, view.entries.drives),
    }


def _temperatures(view: LogView) -> dict[str, Any]:
    """Return the temperature and consumption of longer drives, and the means at round temperatures."""
    units, found = view.units, list[tuple[float, float, Drive]]()
    for drive in view.entries.drives:
        distance = shown_distance(drive, units)
        consumption = units.consumption(view.log.energy(drive), distance)
        if consumption and (distance or 0.0) >= _SHOWS_CONSUMPTION and drive.outside_temperature is not None:
            found.append((units.temperature(drive.outside_temperature), consumption, drive))
    around = grouped(found, lambda values: round(values[0] / _TEMPERATURE_STEP))
    sums = {step: drive_sums(view, [drive for *_, drive in group]) for step, group in sorted(around.items())}
    return {
        "temperatures": [[temperature, consumption] for temperature, consumption, _ in found],
        "at_temperatures": [
            [step * _TEMPERATURE_STEP, values["consumption"]]
            for step, values in sums.items()
            if values["distance"] >= _SHOWS_TEMPERATURE
        ],
    }


def battery_totals(view: LogView) -> dict[str, Any]:
    """Return the capacity now and over time, the charges by place and kind, and the standby loss."""
    log, charges = view.log, view.entries.charges
    now, per_mile = log.capacity, range_per_mile(log.drives)
    years = grouped(charges, lambda charge: view.units.local_time(charge.start).year)
    return {
        "capacity": _capacity_by_month(view),
        "now": now and _shown_capacity(now),
        "best": log.best_capacity and _shown_capacity(log.best_capacity),
        "health": log.health,
        "range": now and round(view.units.distance(now.range), 1),
        "own_range": round(view.units.distance(now.range / per_mile), 1) if now and per_mile else None,
        "stored": _energy_in_battery(view),
        # Of all, and of each year, newest first
        "charges": [
            _charges_of_year(view, None, charges),
            *(_charges_of_year(view, year, years[year]) for year in sorted(years, reverse=True)),
        ],
        "standby": standby_loss(log, log.stays),
        "units": view.units.names,
    }


def _energy_in_battery(view: LogView) -> dict[str, Any] | None:
    """Return the energy in the battery since the log began, and its price, None if there is no energy."""
    store = view.driving_costs.store
    if store.energy <= 0:
        return None
    return {"energy": round(store.energy, 1), "cost": store.cost, "cost_per_kwh": rounded(store.price, 3)}


def _capacity_by_month(view: LogView) -> list[dict[str, Any]]:
    """Return the capacity after the last charge of each month, and the largest one, oldest first."""
    known = [(charge.end, capacity) for charge, capacity in capacities(view.log.charges)]
    of_months = {_month(view, end): (end, capacity) for end, capacity in known}
    best = [known_capacity for known_capacity in known if known_capacity[1] == view.log.best_capacity][:1]
    # They are not in order if a clock was wrong.
    shown = sorted(dict([*best, *of_months.values()]).items())
    return [{"time": iso(end), **_shown_capacity(capacity)} for end, capacity in shown]


def _charges_of_year(view: LogView, year: int | None, charges: Sequence[Charge]) -> dict[str, Any]:
    """Return the totals of the charges of a year, by place and kind."""
    places = sums_by_place(view, charges, lambda charge: (charge.place, charge.current))
    return {
        "year": year,
        "places": [{"place": place, "current": current, **sums} for (place, current), sums in places.items()],
        "total": charge_sums(view, charges),
    }


def _shown_capacity(capacity: Capacity) -> dict[str, float]:
    return {"energy": round(capacity.energy, 1), "uncertainty": capacity.uncertainty}
