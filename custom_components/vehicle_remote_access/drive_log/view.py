"""The log as it leaves the integration: in the units of Home Assistant, with times as text, or as a file."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from itertools import chain
import math
from typing import Any, Final, override

from .columns import COLUMNS, Column, Quantity, to_csv
from .entries import KINDS, Charge, Drive, DriveSample, Stay, rounded
from .samples import Sample
from .search import LogFilter
from .sums import LogSums, shown_distance, shown_energy, shown_speed, shown_use
from .units import from_service

STARTED: Final = "started"
ENDED: Final = "ended"
"""The types of the events of drives and charges."""


class LogView(LogSums):
    """Shows the entries of a log in some units, and their sums."""

    hidden_columns = frozenset({"range_used", "range_added"})
    """Those that only an import needs."""

    def shown(self, entry: Drive | Charge | Stay) -> dict[str, Any]:
        """Return the columns of an entry. A position is left out if it was not kept.

        The distances of drives add up to the difference of the odometers, also when rounded, and the
        energies of charges to that of the lifetime counter.
        """
        kind, values = "stays", entry._asdict()
        if isinstance(entry, Drive):
            kind = "drives"
            distance, energy = shown_distance(entry, self.units), self.log.energy(entry)
            known, cost = self.cost(entry)
            values |= {
                "distance": distance,
                "energy": rounded(energy),
                "consumption": self.units.consumption(energy, distance),
                "cost": cost,
                "currency": None if cost is None else self.units.currency,
                "price_known": None if cost is None else round(100 * known),
                "average_speed": shown_speed(entry, self.units),
            }
        elif isinstance(entry, Charge):
            kind = "charges"
            values |= {"energy_added": shown_energy(entry), "energy_used": shown_use(entry)}
        shown: dict[str, Any] = {}
        for column in COLUMNS[kind]:
            value = values[column.name]
            is_left_out = column.name in self.hidden_columns or (column.is_position and value is None)
            if not is_left_out:
                shown[column.name] = None if value is None else self._value(column, value)
        return shown

    def _value(self, column: Column, value: Any) -> Any:
        match column.quantity:
            case Quantity.TIME:
                return iso(value)
            case Quantity.WORDS:
                return value.split()
            case Quantity.NUMBER:
                value = from_service(value, column.unit(self.units))
                return value if column.digits is None else round(value, column.digits or None)
        return value

    def entry(self, entry: Drive | Charge | Stay) -> dict[str, Any]:
        return {"kind": type(entry).__name__.lower(), "id": entry.id, **self.shown(entry)}

    def samples(self, samples: Iterable[Sample]) -> dict[str, Any]:
        units = self.units
        return {
            "samples": [self._sample(sample) for sample in samples],
            "units": {
                **units.names,
                "power": "kW",
                "price": f"{units.currency}/kWh",
            },
        }

    def _sample(self, sample: Sample) -> dict[str, Any]:
        shown = {"at": iso(sample.at), "power": sample.power, "battery": sample.level}
        if not isinstance(sample, DriveSample):
            return {**shown, "price": sample.price, "cost": sample.cost}
        shown["speed"] = None if sample.speed is None else round(self.units.distance(sample.speed))
        if sample.latitude is not None:
            shown |= {"latitude": sample.latitude, "longitude": sample.longitude}
        return shown

    def open_entries(self) -> list[dict[str, Any]]:
        return [self.entry(entry) for entry in self.zones.named(self.log.open_entries).all]

    def page(self, before: float | None, limit: int, wanted: LogFilter) -> dict[str, Any]:
        """Return the newest matching entries that started before a moment, and the `before` of the next page.

        A page is longer than the limit if more entries started at the same moment as its last one. The first
        page of a search has the sums of all matching entries as `found`.
        """
        found = self.entries if wanted.is_everything else wanted.of(self.entries, self.units)
        begun = found.begun(-math.inf, math.inf if before is None else before)
        # The stay after a drive without a duration starts at the same moment and is newer.
        kinds = [getattr(begun, kind) for kind in reversed(KINDS) if kind in wanted.kinds]
        older = sorted(chain.from_iterable(kinds), key=lambda entry: entry.start, reverse=True)
        end = min(limit, len(older))
        while end < len(older) and older[end].start == older[end - 1].start:
            end += 1
        return {
            "entries": [self.entry(entry) for entry in older[:end]],
            "next": older[end - 1].start if end < len(older) else None,
            "found": self.of_entries(found) if before is None and not wanted.is_everything else None,
            "units": self.units.names,
        }

    @property
    def tags(self) -> list[str]:
        """All tags of drives. The most frequent one is the first."""
        return [tag for tag, _ in Counter(drive.tag for drive in self.log.drives if drive.tag).most_common()]

    def period(self, start: float, end: float, kinds: Collection[str]) -> dict[str, Any]:
        entries = self.entries.begun(start, end)
        sums = self.of_entries(entries)
        return {
            **{
                kind: [self.shown(entry) for entry in each if kind in kinds]
                for kind, each in entries._asdict().items()
            },
            "totals": {name: sums[name] for name in ("distance", "energy_added", "cost")},
            "units": self.units.names,
        }


class LogExport(LogView):
    """Shows the entries of a log with all that is needed to import them again."""

    hidden_columns = frozenset()

    @override
    def period(self, start: float, end: float, kinds: Collection[str]) -> dict[str, Any]:
        log = super().period(start, end, kinds)
        log["units"]["temperature"] = self.units.temperature_unit
        return log

    def as_csv(self, start: float, end: float, kind: str) -> bytes:
        """Return the entries of one kind that began in a period, with local times."""
        entries = self.period(start, end, (kind,))[kind]
        columns = [
            column
            for column in COLUMNS[kind]
            # Positions are only there if they are kept.
            if not column.is_position or any(column.name in entry for entry in entries)
        ]
        return to_csv(
            [column.header(column.unit(self.units)) for column in columns],
            ([self._cell(column, entry) for column in columns] for entry in entries),
        )

    def _cell(self, column: Column, entry: dict[str, Any]) -> Any:
        value: Any = entry.get(column.name)
        match column.quantity:
            case Quantity.TIME if value is not None:
                return datetime.fromisoformat(value).astimezone(self.units.zone).isoformat()
            case Quantity.WORDS:
                return " ".join(value)
        return value


def iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()
