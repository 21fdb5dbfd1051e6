"""What the log shows of the car itself: its battery, what it uses, and what it loses."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, tzinfo
from itertools import compress, islice
import math
from statistics import median
from typing import Final, NamedTuple

from ..util.local_time import DAY, HOUR
from .entries import Charge, Drive, Stay

# Charges for the energy of a rated mile. Short ones, and those of a full battery, are too inexact.
_SHORTEST_CHARGE: Final = 600.0
_HIGHEST_LEVEL: Final = 95.0
_LEAST_RANGE: Final = 10.0
_ENOUGH_CHARGES: Final = 3
# Charges for the capacity. A window keeps it from jumping.
_WIDE: Final = 20.0
_WINDOW: Final = 30
_LARGEST_ERROR: Final = 0.03
_LEAST_CHARGES: Final = 2
_LARGEST_DIFFERENCE: Final = 0.2
# The standard deviation of the difference of two whole percents
_LEVEL_ERROR: Final = 0.41
# Charges for the speed of charging at home
_LAST_CHARGES: Final = 10
_LEAST_ENERGY: Final = 1.0
_LEAST_LEVEL: Final = 5.0
# Drives of the last weeks for the usual departure
_LAST_DRIVES: Final = 200
_FIRST_HOUR: Final = 4
_WORKDAYS: Final = 5
_ENOUGH_DAYS: Final = 5
# Miles and days for the average consumption and the standby loss
_CONSUMPTION_MILES: Final = 300.0
_SHORTEST_STAY: Final = 6 * HOUR
LAST_STAYS: Final = 30
_KEEPS_AWAKE: Final = frozenset({"charging", "climate"})


class Capacity(NamedTuple):
    """What a full battery has, by the last charges of at least 20%."""

    energy: float
    """kWh."""
    error: float
    """How far the true energy may be away, as a share."""
    range: float
    """Rated miles."""

    @property
    def uncertainty(self) -> float:
        """How far the true energy may be away, in kWh."""
        return round(self.energy * self.error, 1)


class ChargingSpeed(NamedTuple):
    """How fast the car charges at home."""

    added: float
    """kWh per hour that reach the battery."""
    used: float
    """kWh per hour that the charger draws."""
    per_percent: float
    """kWh of a percent of the battery."""


class Standby(NamedTuple):
    """What the parked car loses."""

    days: float
    lost: float
    """Percent of the battery in these days."""
    asleep: float | None
    """The share of the time, None if it is unknown of all stays."""

    @property
    def per_day(self) -> float:
        """Percent of the battery in a day."""
        return self.lost / self.days


def energy_per_rated_mile(charges: Iterable[Charge]) -> float | None:
    """Return the most frequent energy that one mile of rated range needed, in kWh."""
    energies = [
        round(charge.energy_added / charge.range_added, 3)
        for charge in charges
        if charge.range_added is not None
        and charge.range_added >= _LEAST_RANGE
        and charge.energy_added > 0
        and charge.end - charge.start >= _SHORTEST_CHARGE
        and charge.end_battery is not None
        and charge.end_battery < _HIGHEST_LEVEL
    ]
    if len(energies) < _ENOUGH_CHARGES:
        return None
    (most_frequent, count), *_ = Counter(energies).most_common(1)
    return most_frequent if count > 1 else median(energies)


def capacities(charges: Iterable[Charge]) -> Iterator[tuple[Charge, Capacity]]:
    """Yield the charges after which the capacity is exact enough, and the capacity then."""
    wide: deque[tuple[float, float, float]] = deque(maxlen=_WINDOW)
    for charge in filter(_shows_capacity, charges):
        percent = (charge.end_battery or 0.0) - (charge.start_battery or 0.0)
        wide.append((charge.energy_added, percent, charge.range_added or 0.0))
        per_percent = [energy / percent for energy, percent, _ in wide]
        typical = median(per_percent)
        # What is far from the others has a wrong level or counter.
        is_near = [abs(energy / typical - 1) < _LARGEST_DIFFERENCE for energy in per_percent]
        near = list(compress(wide, is_near))
        if len(near) < _LEAST_CHARGES:
            continue
        energy, percent, rated = (sum(column) for column in zip(*near, strict=True))
        error = 2 * _LEVEL_ERROR * math.sqrt(len(near)) / percent
        if error < _LARGEST_ERROR:
            yield charge, Capacity(energy=100 * energy / percent, error=error, range=100 * rated / percent)


def _shows_capacity(charge: Charge) -> bool:
    # Without the range, the battery at the start is that before an earlier drive.
    low, high, has_range = charge.start_battery, charge.end_battery, charge.range_added is not None
    is_wide = low is not None and high is not None and high - low >= _WIDE
    return is_wide and has_range and charge.energy_added > 0


def latest_capacity(charges: Sequence[Charge]) -> Capacity | None:
    """Return the capacity after the last charge of at least 20%, None if it is not exact enough."""
    wide = list(islice(filter(_shows_capacity, reversed(charges)), _WINDOW))
    return next((capacity for charge, capacity in capacities(reversed(wide)) if charge is wide[0]), None)


def charging_speed(
    charges: Iterable[Charge], capacity: Capacity | None, efficiency: float
) -> ChargingSpeed | None:
    """Return the speed of the last charges at home. `efficiency`: the share that reaches the battery."""
    last: deque[tuple[float, float]] = deque(maxlen=_LAST_CHARGES)
    for charge in charges:
        low, high, seconds = charge.start_battery, charge.end_battery, charge.end - charge.start
        is_long = seconds >= _SHORTEST_CHARGE and charge.energy_added >= _LEAST_ENERGY
        if not is_long or charge.current == "dc" or low is None or high is None:
            continue
        if high - low >= _LEAST_LEVEL:
            last.append((charge.energy_added / seconds * HOUR, charge.energy_added / (high - low)))
    if not last:
        return None
    added, per_percent = map(median, zip(*last, strict=True))
    if capacity is not None:
        per_percent = capacity.energy / 100
    return ChargingSpeed(added=added, used=added / efficiency, per_percent=per_percent)


def usual_departure(drives: Sequence[Drive], zone: tzinfo) -> time | None:
    """Return the local time before which the first drive of a workday rarely starts, None if unknown."""
    first: dict[date, time] = {}
    for drive in drives[-_LAST_DRIVES:]:
        start = datetime.fromtimestamp(drive.start, zone)
        if start.hour >= _FIRST_HOUR and start.weekday() < _WORKDAYS:
            first.setdefault(start.date(), start.time())
    if len(first) < _ENOUGH_DAYS:
        return None
    usual = sorted(first.values())[len(first) // 4]
    return time(usual.hour, usual.minute // 15 * 15)


def range_per_mile(drives: Sequence[Drive]) -> float | None:
    """Return the rated miles used per mile of the last drives, or None before the first one."""
    miles = rated = 0.0
    for drive in reversed(drives):
        if drive.range_used is not None and drive.distance:
            miles += drive.distance
            rated += drive.range_used
        if miles >= _CONSUMPTION_MILES:
            break
    return rated / miles if miles else None


def standby(stays: Sequence[Stay], most: int | None = LAST_STAYS) -> Standby | None:
    """Return the loss of the last stays that show it. `most`: how many of them; None for all."""
    seconds = lost = asleep = seen = 0.0
    for stay in islice(filter(_shows_standby, reversed(stays)), most):
        seconds += stay.end - stay.start
        lost += stay.battery_lost or 0.0
        if stay.asleep is not None:
            asleep += stay.asleep * HOUR
            seen += stay.end - stay.start
    if not seconds:
        return None
    return Standby(days=seconds / DAY, lost=max(0.0, lost), asleep=asleep / seen if seen else None)


def _shows_standby(stay: Stay) -> bool:
    """Return whether a stay shows the standby loss: it is long, without charging or climate control."""
    is_long = stay.end - stay.start >= _SHORTEST_STAY
    return is_long and stay.battery_lost is not None and _KEEPS_AWAKE.isdisjoint(stay.awake_reasons.split())
