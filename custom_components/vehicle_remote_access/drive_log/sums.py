"""The sums of any entries of a log, as sensors, pages, actions, assistants and statistics show them.

Distances, charged energy and costs add up what is shown of the single entries, also in rounding.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from ..polling.local_time import HOUR
from .drive_log import DriveLog
from .driving_costs import DriveCost, DrivingCosts, driving_costs
from .entries import Charge, Drive, Entries, Stay, rounded
from .estimates import LAST_STAYS, range_per_mile, standby
from .units import LogUnits, next_month
from .zones import Zones

_NO_ZONES: Final = Zones()


def shown_distance(drive: Drive, units: LogUnits) -> float | None:
    """Return the difference of the rounded odometers, None without an odometer."""
    if drive.start_odometer is None or drive.end_odometer is None:
        return None
    start, end = units.distance(drive.start_odometer), units.distance(drive.end_odometer)
    return round(round(end, 2) - round(start, 2), 2)


def shown_energy(charge: Charge) -> float | None:
    """Return the difference of the rounded counters, None without a counter."""
    if charge.start_energy is None or charge.end_energy is None:
        return None
    return round(round(charge.end_energy, 2) - round(charge.start_energy, 2), 2)


def shown_use(charge: Charge) -> float | None:
    """Return what the charger used, None if unknown. 1.0.0 stored less than what reached the battery."""
    used = rounded(charge.energy_used)
    return None if used is None else max(used, shown_energy(charge) or 0.0)


def shown_speed(drive: Drive, units: LogUnits) -> float | None:
    """Return the average speed, None if the distance or the times are not known exactly enough."""
    distance, seconds = shown_distance(drive, units), drive.end - drive.start
    is_exact = drive.start_earliest is None and drive.end_latest is None
    return round(distance / seconds * HOUR) if distance and seconds > 0 and is_exact else None


def known_sum(values: Iterable[float | None]) -> float | None:
    """Return the sum of the known values with two decimals, None if all are unknown."""
    known = [value for value in values if value is not None]
    return round(sum(known), 2) if known else None


def grouped[K, E](entries: Iterable[E], get_key: Callable[[E], K]) -> dict[K, list[E]]:
    """Return the entries by a key, in their order."""
    groups: defaultdict[K, list[E]] = defaultdict(list)
    for entry in entries:
        groups[get_key(entry)].append(entry)
    return groups


class LogSums:
    """Sums up entries of a log in some units."""

    def __init__(self, log: DriveLog, units: LogUnits, zones: Zones = _NO_ZONES) -> None:
        """Use the log as it is shown: entries without a place have the name of the zone at their position."""
        self.log = log
        self.units = units
        self.zones = zones

    @cached_property
    def entries(self) -> Entries:
        return self.log.cached("entries", self.zones, lambda: self.zones.named(self.log.entries))

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

    def of_entries(self, entries: Entries) -> dict[str, Any]:
        return {
            **self.of_drives(entries.drives),
            **self.of_charges(entries.charges),
            **self._of_stays(entries.stays),
        }

    def distance(self, drives: Sequence[Drive]) -> float | None:
        return known_sum(shown_distance(drive, self.units) for drive in drives) if drives else 0

    def of_drives(self, drives: Sequence[Drive]) -> dict[str, Any]:
        """Return the sums of drives. `driving` is in hours."""
        distances = [shown_distance(drive, self.units) for drive in drives]
        energies = [self.log.energy(drive) for drive in drives]
        measured = [
            (energy, distance)
            for energy, distance in zip(energies, distances, strict=True)
            if energy and distance
        ]
        return {
            "distance": known_sum(distances) if drives else 0,
            "drives": len(drives),
            "driving": round(sum(drive.end - drive.start for drive in drives) / HOUR, 2),
            "energy": known_sum(energies),
            "drives_without_energy": energies.count(None),
            "consumption": self.units.consumption(
                sum(energy for energy, _ in measured), sum(distance for _, distance in measured)
            ),
            **self._driving_cost(drives, energies, distances),
        }

    def _driving_cost(
        self,
        drives: Sequence[Drive],
        energies: Sequence[float | None],
        distances: Sequence[float | None],
    ) -> dict[str, Any]:
        """Return what drives cost. `price_known`: the percent of their energy whose price is known."""
        costs = [self.driving_costs.costs.get(drive.id, DriveCost()) for drive in drives]
        used = sum(energy for energy in energies if energy)
        priced = sum(cost.known * energy for cost, energy in zip(costs, energies, strict=True) if energy)
        with_cost = [
            distance for cost, distance in zip(costs, distances, strict=True) if cost.cost is not None
        ]
        total, distance = known_sum(cost.cost for cost in costs), known_sum(with_cost)
        return {
            "driving_cost": total,
            "driving_cost_per_100": round(100 * total / distance, 2)
            if total is not None and distance
            else None,
            "drives_without_cost": sum(cost.cost is None for cost in costs),
            "price_known": round(100 * priced / used) if used > 0 else None,
        }

    def by_tag(self, drives: Iterable[Drive]) -> dict[str, dict[str, Any]]:
        """Return the sums of drives by tag. The most distance is the first. Other drives are left out."""
        tags = grouped(drives, lambda drive: drive.tag)
        sums = {tag: self.of_drives(tagged) for tag, tagged in tags.items() if tag}
        return dict(sorted(sums.items(), key=lambda item: -(item[1]["distance"] or 0.0)))

    def of_charges(self, charges: Sequence[Charge]) -> dict[str, Any]:
        """Return the sums of charges. The cost is in the currency of Home Assistant."""
        used = [shown_use(charge) for charge in charges]
        costs: dict[str, float] = {}
        for charge in charges:
            if charge.cost is not None and charge.currency is not None:
                costs[charge.currency] = costs.get(charge.currency, 0.0) + round(charge.cost, 2)
        cost = costs.pop(self.units.currency, None)
        paid_energy = sum(
            charge.energy_added for charge in charges if charge.cost_in(self.units.currency) is not None
        )
        saved = [
            round(charge.cost_at_once, 2) - known
            for charge in charges
            if charge.cost_at_once is not None and (known := charge.cost_in(self.units.currency)) is not None
        ]
        return {
            "charges": len(charges),
            "energy_added": known_sum(map(shown_energy, charges)) if charges else 0,
            # Chargers that were not measured would make it too small.
            "energy_used": None if None in used else known_sum(used),
            "cost": rounded(cost),
            "saved_by_charging_later": known_sum(saved),
            "other_costs": {currency: round(other, 2) for currency, other in sorted(costs.items())},
            "charges_without_cost": sum(charge.cost is None for charge in charges),
            "cost_per_kwh": round(cost / paid_energy, 3) if cost is not None and paid_energy else None,
        }

    def by_place[K](
        self, charges: Iterable[Charge], get_key: Callable[[Charge], K]
    ) -> dict[K, dict[str, Any]]:
        """Return the sums of charges by a key, such as their place. The most energy is the first."""
        sums = {key: self.of_charges(each) for key, each in grouped(charges, get_key).items()}
        return dict(sorted(sums.items(), key=lambda item: -(item[1]["energy_added"] or 0.0)))

    def _of_stays(self, stays: Sequence[Stay]) -> dict[str, Any]:
        """Return the standby loss of the stays that show it, and how long they were."""
        loss, full = standby(stays, None), self.log.capacity
        return {
            "standby_days": 0.0 if loss is None else round(loss.days, 1),
            "standby_lost": loss and round(loss.lost, 1),
            "standby_energy": loss and full and round(loss.lost / 100 * full.energy, 1),
            "standby_per_day": loss and round(loss.per_day, 2),
        }

    def standby(self, stays: Sequence[Stay], most: int | None = LAST_STAYS) -> dict[str, Any] | None:
        """Return a standby loss: percent of the battery in a day, watts, and percent of the time asleep."""
        loss, full = standby(stays, most), self.log.capacity
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
    this_month = log.entries.begun(month.timestamp(), next_month(month).timestamp())
    charged = sums.of_charges(this_month.charges)
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
        "last_charge_cost": charge and charge.cost_in(units.currency),
        "month_distance": sums.distance(this_month.drives),
        "month_energy": charged["energy_added"],
        "month_cost": charged["cost"],
        "consumption": units.consumption(rated and log.factor and rated * log.factor, units.distance(1.0)),
        "standby_loss": loss.get("per_day"),
        "power": loss.get("power"),
        "asleep": loss.get("asleep"),
        "battery_capacity": log.capacity and round(log.capacity.energy, 1),
        "uncertainty": log.capacity and log.capacity.uncertainty,
        "battery_health": log.health,
    }
