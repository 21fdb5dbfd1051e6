"""The sums of any entries of a log, as sensors, pages, actions, assistants and statistics show them.

Distances, charged energy and costs add up what is shown of the single entries, also in rounding.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from ..polling.local_time import HOUR
from .drive_log import DriveLog
from .entries import Charge, Drive, Entries, Stay, rounded
from .estimates import LAST_STAYS, range_per_mile, standby
from .units import LogUnits, next_month
from .zones import Zones

_NO_ZONES: Final = Zones()


def shown_distance(drive: Drive, units: LogUnits) -> float | None:
    """Return the difference of the rounded odometers, None without an odometer."""
    if drive.start_odometer is None or drive.end_odometer is None:
        return None
    start, end = (round(units.distance(miles), 2) for miles in (drive.start_odometer, drive.end_odometer))
    return round(end - start, 2)


def shown_energy(charge: Charge) -> float | None:
    """Return the difference of the rounded counters, None without a counter."""
    if charge.start_energy is None or charge.end_energy is None:
        return None
    return round(round(charge.end_energy, 2) - round(charge.start_energy, 2), 2)


class LogSums:
    """Sums up entries of a log in some units."""

    def __init__(self, log: DriveLog, units: LogUnits, zones: Zones = _NO_ZONES) -> None:
        """Use the log as it is shown: entries without a place have the name of the zone at their position."""
        self._log = log
        self._units = units
        self._zones = zones

    @cached_property
    def entries(self) -> Entries:
        return self._zones.named(self._log.entries)

    def of_entries(self, entries: Entries) -> dict[str, Any]:
        drives, charges = self.of_drives(entries.drives), self.of_charges(entries.charges)
        is_all = not charges["charges_without_cost"] and not charges["other_costs"]
        distance, cost = drives["distance"], charges["cost"]
        return {
            **drives,
            **charges,
            "cost_per_100": round(100 * cost / distance, 2) if is_all and cost and distance else None,
            **self._of_stays(entries.stays),
        }

    def of_drives(self, drives: Sequence[Drive]) -> dict[str, Any]:
        """Return the sums of drives. `driving` is in hours."""
        distances = [shown_distance(drive, self._units) for drive in drives]
        energies = [self._log.energy(drive) for drive in drives]
        measured = [
            (energy, distance)
            for energy, distance in zip(energies, distances, strict=True)
            if energy and distance
        ]
        return {
            "distance": _sum(distances) if drives else 0,
            "drives": len(drives),
            "driving": round(sum(drive.end - drive.start for drive in drives) / HOUR, 2),
            "energy": _sum(energies),
            "drives_without_energy": energies.count(None),
            "consumption": self._units.consumption(
                sum(energy for energy, _ in measured), sum(distance for _, distance in measured)
            ),
        }

    def of_charges(self, charges: Sequence[Charge]) -> dict[str, Any]:
        """Return the sums of charges. The cost is in the currency of Home Assistant."""
        used = [charge.energy_used for charge in charges]
        costs: dict[str, float] = {}
        for charge in charges:
            if charge.cost is not None and charge.currency is not None:
                costs[charge.currency] = costs.get(charge.currency, 0.0) + round(charge.cost, 2)
        cost = costs.pop(self._units.currency, None)
        paid_energy = sum(
            charge.energy_added for charge in charges if charge.cost_in(self._units.currency) is not None
        )
        return {
            "charges": len(charges),
            "energy_added": _sum(map(shown_energy, charges)) if charges else 0,
            # Chargers that were not measured would make it too small.
            "energy_used": None if None in used else _sum(used),
            "cost": rounded(cost),
            "other_costs": {currency: round(other, 2) for currency, other in sorted(costs.items())},
            "charges_without_cost": sum(charge.cost is None for charge in charges),
            "cost_per_kwh": round(cost / paid_energy, 3) if cost is not None and paid_energy else None,
        }

    def _of_stays(self, stays: Sequence[Stay]) -> dict[str, Any]:
        """Return the standby loss of the stays that show it, and how long they were."""
        loss, full = standby(stays, None), self._log.capacity
        return {
            "standby_days": 0.0 if loss is None else round(loss.days, 1),
            "standby_lost": loss and round(loss.lost, 1),
            "standby_energy": loss and full and round(loss.lost / 100 * full.energy, 1),
            "standby_per_day": loss and round(loss.per_day, 2),
        }

    def standby(self, stays: Sequence[Stay], most: int | None = LAST_STAYS) -> dict[str, Any] | None:
        """Return a standby loss: percent of the battery in a day, watts, and percent of the time asleep."""
        loss, full = standby(stays, most), self._log.capacity
        if loss is None:
            return None
        return {
            "per_day": round(loss.per_day, 2),
            "power": full and round(loss.per_day / 100 * full.energy / 24 * 1000),
            "asleep": round(100 * loss.asleep),
        }


def sensor_values(log: DriveLog, units: LogUnits, month: datetime) -> dict[str, Any]:
    """Return what the sensors and their attributes show of a log, and of the month that begins then."""
    sums = LogSums(log, units)
    this_month = sums.of_entries(log.entries.ended(month.timestamp(), next_month(month).timestamp()))
    drive, charge = next(reversed(log.drives), None), next(reversed(log.charges), None)
    distance = None if drive is None else shown_distance(drive, units)
    energy = None if drive is None else rounded(log.energy(drive))
    rated = range_per_mile(log.drives)
    loss = sums.standby(log.stays) or {}
    return {
        "last_drive_distance": distance,
        "last_drive_energy": energy,
        "last_drive_consumption": units.consumption(energy, distance),
        "last_charge_energy": charge and shown_energy(charge),
        "last_charge_cost": charge and rounded(charge.cost),
        "month_distance": this_month["distance"],
        "month_energy": this_month["energy_added"],
        "month_cost": this_month["cost"],
        "consumption": units.consumption(rated and log.factor and rated * log.factor, units.distance(1.0)),
        "standby_loss": loss.get("per_day"),
        "power": loss.get("power"),
        "asleep": loss.get("asleep"),
        "battery_capacity": log.capacity and round(log.capacity.energy, 1),
        "uncertainty": log.capacity and log.capacity.uncertainty,
        "battery_health": log.health,
    }


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), 2) if known else None
