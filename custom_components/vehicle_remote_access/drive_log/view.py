"""The entries of a log as they leave the integration: in the units of Home Assistant, with times as text."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

from ..util.local_time import HOUR
from .columns import COLUMNS, Column, Quantity
from .drive_log import DriveLog
from .driving_costs import DriveCost, DrivingCosts, driving_costs
from .entries import ENTRY_TYPES, Charge, Drive, DriveSample, Entries, Stay, has_exact_times, rounded
from .samples import Sample
from .units import LogUnits, from_service
from .zones import Zones

STARTED: Final = "started"
ENDED: Final = "ended"
"""The types of the events of drives and charges."""
_COLUMNS: Final = {ENTRY_TYPES[kind]: columns for kind, columns in COLUMNS.items()}


@dataclass(frozen=True)
class LogView:
    """A log in some units. Entries without a place have the name of the zone at their position."""

    log: DriveLog
    units: LogUnits
    zones: Zones = field(default_factory=Zones)

    @cached_property
    def entries(self) -> Entries:
        return self.log.cached("entries", self.zones, lambda: self.zones.named(self.log.entries))

    @property
    def open_entries(self) -> Entries:
        return self.zones.named(self.log.open_entries)

    @cached_property
    def first_start(self) -> float:
        """When the first entry began. Raises ValueError without an entry."""
        return min(entry.start for entry in self.entries.all)

    @cached_property
    def driving_costs(self) -> DrivingCosts:
        """The costs of all drives in the currency of Home Assistant."""
        log, currency = self.log, self.units.currency
        return log.cached("costs", currency, lambda: driving_costs(log.entries, log.energy, currency))

    def cost(self, drive: Drive) -> DriveCost:
        """Return what a drive cost, also one that has not ended."""
        known = self.driving_costs.costs.get(drive.id)
        if known is None and (energy := self.log.energy(drive)) is not None:
            _, known = self.driving_costs.store.used(energy)
        return known or DriveCost()

    def shown(self, entry: Drive | Charge | Stay, *, for_import: bool = False) -> dict[str, Any]:
        """Return the columns of an entry, `for_import` also those that only an import needs."""
        values, shown = entry._asdict() | self._calculated(entry), dict[str, Any]()
        for column in _COLUMNS[type(entry)]:
            value = values[column.name]
            is_left_out = (column.is_for_import and not for_import) or (value is None and column.is_position)
            if not is_left_out:
                shown[column.name] = None if value is None else self._value(column, value)
        return shown

    def _calculated(self, entry: Drive | Charge | Stay) -> dict[str, Any]:
        """Return the columns that are not stored, and those that 1.0.0 stored too small."""
        if isinstance(entry, Charge):
            return {"energy_added": shown_energy(entry), "energy_used": shown_use(entry)}
        if isinstance(entry, Stay):
            return {}
        distance, energy = shown_distance(entry, self.units), self.log.energy(entry)
        known, cost = self.cost(entry)
        seconds = entry.end - entry.start if has_exact_times(entry) else 0.0
        return {
            "distance": distance,
            "energy": rounded(energy),
            "consumption": self.units.consumption(energy, distance),
            "cost": cost,
            "currency": None if cost is None else self.units.currency,
            "price_known": None if cost is None else round(100 * known),
            "average_speed": round(distance / seconds * HOUR) if distance and seconds > 0 else None,
        }

    def _value(self, column: Column, value: Any) -> Any:
        match column.quantity:
            case Quantity.TIME:
                return iso(value)
            case Quantity.WORDS:
                return value.split()
            case Quantity.NUMBER:
                value = from_service(value, self.units.one_of(column.units))
                return value if column.digits is None else round(value, column.digits or None)
        return value

    def shown_with_kind(self, entry: Drive | Charge | Stay) -> dict[str, Any]:
        return {"kind": type(entry).__name__.lower(), "id": entry.id, **self.shown(entry)}


def shown_distance(drive: Drive, units: LogUnits) -> float | None:
    """Return the difference of the rounded odometers, so that distances add up. None without an odometer."""
    if drive.start_odometer is None or drive.end_odometer is None:
        return None
    start, end = units.distance(drive.start_odometer), units.distance(drive.end_odometer)
    return round(round(end, 2) - round(start, 2), 2)


def shown_energy(charge: Charge) -> float | None:
    """Return the difference of the rounded counters, so that energies add up. None without a counter."""
    if charge.start_energy is None or charge.end_energy is None:
        return None
    return round(round(charge.end_energy, 2) - round(charge.start_energy, 2), 2)


def shown_use(charge: Charge) -> float | None:
    """Return what the charger used, None if unknown. 1.0.0 stored less than what reached the battery."""
    used = rounded(charge.energy_used)
    return None if used is None else max(used, shown_energy(charge) or 0.0)


def shown_samples(samples: Iterable[Sample], units: LogUnits) -> dict[str, Any]:
    names = {**units.names, "power": "kW", "price": f"{units.currency}/kWh"}
    return {"samples": [_sample(sample, units) for sample in samples], "units": names}


def _sample(sample: Sample, units: LogUnits) -> dict[str, Any]:
    shown = {"at": iso(sample.at), "power": sample.power, "battery": sample.level}
    if not isinstance(sample, DriveSample):
        return {**shown, "price": sample.price, "cost": sample.cost}
    shown["speed"] = None if sample.speed is None else round(units.distance(sample.speed))
    if sample.latitude is not None:
        shown |= {"latitude": sample.latitude, "longitude": sample.longitude}
    return shown


def iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()
