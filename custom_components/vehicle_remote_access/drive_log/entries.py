"""What the log contains, and what one observation at the car shows.

Everything is in the units of the service: miles, kWh, kW, °C. Moments are Unix seconds.
"""

from annotationlib import get_annotations
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import repeat
import re
from typing import Any, Final, NamedTuple

from ..api.records import CHARGING_STATES
from ..util.stored import check_columns, is_position

LOCATION: Final = ("place", "latitude", "longitude")
LONGEST_TAG: Final = 50
LONGEST_NOTE: Final = 1000


class Seen(StrEnum):
    """How much of a drive or a charge was watched."""

    LIVE = "live"
    PARTLY = "partly"
    AFTERWARDS = "afterwards"


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What is known of the car at one moment. Each value can be missing."""

    at: float
    is_asleep: bool = False
    is_driving: bool = False
    """Whether the car is in gear. A car with an unknown gear counts as parked, until its odometer rises."""
    odometer: float | None = None
    energy: float | None = None
    """The lifetime counter of charged energy. It only rises."""
    level: float | None = None
    range: float | None = None
    """The rated range."""
    charging: str | None = None
    power: float | None = None
    """The power that the charger draws."""
    idle_power: float = 0.0
    """The power that it draws without charging the battery, for example to heat the car."""
    is_fast: bool = False
    wall_energy: float | None = None
    """The counter of the home charger's own energy sensor."""
    temperature: float | None = None
    speed: float | None = None
    drive_power: float | None = None
    """The power of the drive. It is negative while the car recovers energy."""
    place: str | None = None
    """The name of the zone."""
    is_home: bool | None = None
    latitude: float | None = None
    """Known only if positions are kept."""
    longitude: float | None = None
    reasons: frozenset[str] = frozenset()
    """What keeps the car awake."""

    @property
    def is_charging(self) -> bool:
        """Whether the car charges, or is about to."""
        return self.charging in CHARGING_STATES

    def location(self, prefix: str = "") -> dict[str, Any]:
        """Return the place and the position, or nothing if they are unknown."""
        if self.is_home is None:
            return {}
        return {prefix + name: getattr(self, name) for name in LOCATION}


def rounded(value: float | None, digits: int = 2) -> float | None:
    return None if value is None else round(value, digits)


def without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def number_in(entry_id: str) -> int:
    """Return the number in an id. Newer drives and charges have larger ones."""
    return int(entry_id.partition("-")[2])


def with_own_ids[E: (Drive, Charge, Stay)](entries: Iterable[E]) -> list[E]:
    """Return the newest version of each entry. If two entries have the same id, one id is damaged."""
    found: dict[str, E] = {}
    for each in entries:
        entry = each
        while entry.id in found and found[entry.id].start != entry.start:
            entry = entry._replace(id=entry.id.replace("-", "-0"))
        found[entry.id] = entry
    return list(found.values())


class MeasuredBy(StrEnum):
    """What measured the energy that the charger drew in a charge."""

    METER = "meter"
    """The energy sensor of the home charger counted all of it."""
    CAR = "car"
    """At least a part is calculated from the power that the car reports, or estimated."""


class CostSource(StrEnum):
    """Where the cost of a charge is from: calculated, entered by a person, or billed by the service."""

    PRICES = "prices"
    PERSON = "person"
    SERVICE = "service"


class Drive(NamedTuple):
    """A drive. The next one starts with the odometer with which it ended."""

    id: str
    start: float
    end: float
    start_earliest: float | None = None
    """When the car was last seen before the start, if that was long before."""
    end_latest: float | None = None
    """When the car was next seen after the end, if that was long after."""
    start_odometer: float | None = None
    end_odometer: float | None = None
    start_battery: float | None = None
    end_battery: float | None = None
    range_used: float | None = None
    """Rated miles. Multiplied by the car's own factor, it is the energy."""
    start_place: str | None = None
    end_place: str | None = None
    start_latitude: float | None = None
    start_longitude: float | None = None
    end_latitude: float | None = None
    end_longitude: float | None = None
    outside_temperature: float | None = None
    max_speed: float | None = None
    seen: str = Seen.LIVE.value
    tag: str | None = None
    note: str | None = None

    @property
    def distance(self) -> float:
        """Miles, 0 if the car reports no odometer."""
        if self.start_odometer is None or self.end_odometer is None:
            return 0.0
        return self.end_odometer - self.start_odometer


class Charge(NamedTuple):
    """A charge. The next one starts with the counter with which it ended."""

    id: str
    start: float
    end: float
    start_earliest: float | None = None
    end_latest: float | None = None
    start_energy: float | None = None
    end_energy: float | None = None
    energy_used: float | None = None
    """What the charger drew."""
    measured_by: str | None = None
    """See `MeasuredBy`. None if `energy_used` is unknown, and in older entries."""
    start_battery: float | None = None
    end_battery: float | None = None
    range_added: float | None = None
    """Rated miles."""
    max_power: float | None = None
    current: str | None = None
    """`ac` or `dc`."""
    place: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    cost: float | None = None
    cost_at_once: float | None = None
    """What it would have cost if it had begun when the car was plugged in. In the same currency."""
    fees: float | None = None
    """What was billed for parking and congestion, in the same currency. It is not part of the cost."""
    currency: str | None = None
    cost_source: str | None = None
    """See `CostSource`. None if the cost is unknown, was imported, or an earlier version stored it."""
    seen: str = Seen.LIVE.value
    note: str | None = None

    @property
    def energy_added(self) -> float:
        """Energy that reached the battery, 0 if the car does not report it."""
        if self.start_energy is None or self.end_energy is None:
            return 0.0
        return self.end_energy - self.start_energy

    def cost_in(self, currency: str) -> float | None:
        """Return the cost to the cent, None if it is unknown or in another currency."""
        return None if self.cost is None or self.currency != currency else round(self.cost, 2)


class Stay(NamedTuple):
    """The time from the end of a drive to the start of the next one."""

    id: str
    """With the number of the drive before it."""
    start: float
    end: float
    place: str | None = None
    battery_lost: float | None = None
    """Percent of the battery, without what was charged."""
    asleep: float | None = 0.0
    """Hours. None if the source of an import does not record it."""
    awake_reasons: str = ""
    """Words, separated by spaces."""


class DriveSample(NamedTuple):
    """What one observation showed during a drive."""

    at: float
    speed: float | None = None
    power: float | None = None
    level: float | None = None
    latitude: float | None = None
    """Known only if positions are kept."""
    longitude: float | None = None


class ChargeSample(NamedTuple):
    """What one observation showed during a charge."""

    at: float
    power: float | None = None
    level: float | None = None
    price: float | None = None
    """The price of one kWh at that moment."""
    cost: float | None = None
    """The cost since the start."""


class PriceChange(NamedTuple):
    """A change of the price of one kWh."""

    at: float
    price: float | None = None
    """None if it became unknown."""


type Row = Drive | Charge | Stay | DriveSample | ChargeSample | PriceChange
"""What is stored in tables."""


class Entries(NamedTuple):
    """Drives, charges and stays."""

    drives: Sequence[Drive] = ()
    charges: Sequence[Charge] = ()
    stays: Sequence[Stay] = ()

    @property
    def all(self) -> list[Drive | Charge | Stay]:
        return [*self.drives, *self.charges, *self.stays]

    @property
    def total(self) -> int:
        return sum(map(len, self))

    @property
    def period(self) -> tuple[float, float]:
        """The first start and the last end."""
        return min(entry.start for entry in self.all), max(entry.end for entry in self.all)

    def begun(self, start: float, end: float) -> Entries:
        """Return the entries that began in a period, oldest first. Each is in exactly one such period."""
        kinds: Iterable[Sequence[Any]] = self
        # They are not in this order in the log if a clock was wrong.
        return Entries._make(
            sorted((entry for entry in entries if start <= entry.start < end), key=lambda entry: entry.start)
            for entries in kinds
        )


KINDS: Final = Entries._fields
ENTRY_TYPES: Final[Mapping[str, Any]] = dict(zip(KINDS, (Drive, Charge, Stay), strict=True))


def window(entry: Drive | Charge | Stay) -> tuple[float, float]:
    """Return the longest time that an entry can have taken: its start and its end."""
    if isinstance(entry, Stay):
        return entry.start, entry.end
    earliest, latest = entry.start_earliest or entry.start, entry.end_latest or entry.end
    return min(earliest, entry.start), max(latest, entry.end)


def has_exact_times(entry: Drive | Charge) -> bool:
    return entry.start_earliest is None and entry.end_latest is None


def without_position[E: (Drive, Charge, DriveSample)](entry: E) -> E:
    unknown: dict[str, Any] = dict.fromkeys(filter(is_position, entry._fields))
    return entry._replace(**unknown)


def to_table[E: Row](row_type: type[E], entries: Iterable[E]) -> dict[str, Any]:
    """Return a table. It is much smaller than objects, because it has each name only once."""
    return {"names": row_type._fields, "rows": list(map(list, entries))}


def from_table[E: Row](row_type: type[E], table: Mapping[str, Any]) -> list[E]:
    """Return the entries of a stored table. Raises ValueError, TypeError or KeyError if it is damaged."""
    names, rows = table["names"], table["rows"]
    if not rows:
        return []
    columns: dict[str, Any] = dict(zip(names, zip(*rows, strict=True), strict=True))
    check_columns(get_annotations(row_type), columns)
    # A new column has its default value.
    columns = {name: repeat(value) for name, value in row_type._field_defaults.items()} | columns
    ordered = [columns[name] for name in row_type._fields]
    entries: list[Any] = list(map(row_type._make, zip(*ordered, strict=False)))
    if row_type in (Drive, Charge, Stay):
        is_id = re.compile(rf"{row_type.__name__.lower()}-\d{{1,9}}", re.ASCII).fullmatch
        ids = {entry.id for entry in entries if is_id(entry.id) and entry.start <= entry.end}
        if len(ids) < len(entries):
            raise ValueError
    return entries
