"""The sums of any entries of a log, as sensors, pages, actions, assistants and statements show them.

Distances, charged energy and costs add up what is shown of the single entries, also in rounding.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from ..util.local_time import HOUR
from .drive_log import DriveLog
from .driving_costs import DriveCost
from .entries import Charge, Drive, Entries, Stay, rounded
from .estimates import LAST_STAYS, range_per_mile, standby
from .units import LogUnits, next_month
from .view import LogView, shown_distance, shown_energy, shown_use

type Sums = dict[str, Any]
"""Sums by name. Distances and costs are in the units of the view, energies in kWh. None is unknown."""


def entry_sums(view: LogView, entries: Entries) -> Sums:
    drives, charges, stays = entries
    return {**drive_sums(view, drives), **charge_sums(view, charges), **_stay_sums(view, stays)}


def drive_sums(view: LogView, drives: Sequence[Drive]) -> Sums:
    """Return the sums of drives. `driving`: hours. `price_known`: percent of the energy."""
    figures = [
        (shown_distance(drive, view.units), view.log.energy(drive), view.cost(drive)) for drive in drives
    ]
    energies = [energy for _, energy, _ in figures]
    measured = [(distance, energy) for distance, energy, _ in figures if distance and energy]
    return {
        "distance": distance_sum(view.units, drives),
        "drives": len(drives),
        "driving": round(sum(drive.end - drive.start for drive in drives) / HOUR, 2),
        "energy": known_sum(energies),
        "drives_without_energy": energies.count(None),
        "consumption": view.units.consumption(
            sum(energy for _, energy in measured), sum(distance for distance, _ in measured)
        ),
        **_driving_costs(figures),
    }


def distance_sum(units: LogUnits, drives: Sequence[Drive]) -> float | None:
    """Return the distance of drives, 0 without any, None if it is unknown of all."""
    return known_sum(shown_distance(drive, units) for drive in drives) if drives else 0


def _driving_costs(figures: Sequence[tuple[float | None, float | None, DriveCost]]) -> Sums:
    """Return what drives cost. `figures`: the distance, the energy and the cost of each."""
    used = sum(energy or 0.0 for _, energy, _ in figures)
    priced = sum(cost.known_share * (energy or 0.0) for _, energy, cost in figures)
    paid = [(distance, cost.cost) for distance, _, cost in figures if cost.cost is not None]
    total = known_sum(cost for _, cost in paid)
    paid_distance = known_sum(distance for distance, _ in paid)
    per_100 = 100 * total / paid_distance if total is not None and paid_distance else None
    return {
        "driving_cost": total,
        "driving_cost_per_100": rounded(per_100),
        "drives_without_cost": len(figures) - len(paid),
        "price_known": round(100 * priced / used) if used > 0 else None,
    }


def charge_sums(view: LogView, charges: Sequence[Charge]) -> Sums:
    """Return the sums of charges. The cost is in the currency of Home Assistant."""
    used = [shown_use(charge) for charge in charges]
    return {
        "charges": len(charges),
        "energy_added": known_sum(map(shown_energy, charges)) if charges else 0,
        # Chargers that were not measured would make it too small.
        "energy_used": None if None in used else known_sum(used),
        **_charging_costs(view.units.currency, charges),
    }


def _charging_costs(own: str, charges: Sequence[Charge]) -> Sums:
    paid = [(charge, cost) for charge in charges if (cost := charge.cost_in(own)) is not None]
    total = known_sum(cost for _, cost in paid)
    paid_energy = sum(charge.energy_added for charge, _ in paid)
    saved = [round(charge.cost_at_once, 2) - cost for charge, cost in paid if charge.cost_at_once is not None]
    known = {charge.currency for charge in charges if charge.cost is not None}
    others = sorted(filter(None, known - {own}))
    return {
        "cost": total,
        "saved_by_charging_later": known_sum(saved),
        "other_costs": {other: known_sum(charge.cost_in(other) for charge in charges) for other in others},
        "charges_without_cost": sum(charge.cost is None for charge in charges),
        "cost_per_kwh": round(total / paid_energy, 3) if total is not None and paid_energy else None,
    }


def _stay_sums(view: LogView, stays: Sequence[Stay]) -> Sums:
    """Return the standby loss of the stays that show it, and how long they were."""
    loss, full = standby(stays, None), view.log.capacity
    return {
        "standby_days": 0.0 if loss is None else round(loss.days, 1),
        "standby_lost": loss and round(loss.lost, 1),
        "standby_energy": loss and full and round(loss.lost / 100 * full.energy, 1),
        "standby_per_day": loss and round(loss.per_day, 2),
    }


def sums_by_tag(view: LogView, drives: Iterable[Drive]) -> dict[str, Sums]:
    """Return the sums of drives by tag. The most distance is the first. Other drives are left out."""
    tags = grouped(drives, lambda drive: drive.tag)
    sums = {tag: drive_sums(view, tagged) for tag, tagged in tags.items() if tag}
    largest_first = sorted(sums, key=lambda tag: -(sums[tag]["distance"] or 0.0))
    return {tag: sums[tag] for tag in largest_first}


def sums_by_place[K](
    view: LogView, charges: Iterable[Charge], get_place: Callable[[Charge], K]
) -> dict[K, Sums]:
    """Return the sums of charges by a key, such as their place. The most energy is the first."""
    sums = {place: charge_sums(view, charged) for place, charged in grouped(charges, get_place).items()}
    largest_first = sorted(sums, key=lambda place: -(sums[place]["energy_added"] or 0.0))
    return {place: sums[place] for place in largest_first}


def standby_loss(log: DriveLog, stays: Sequence[Stay], most: int | None = LAST_STAYS) -> Sums | None:
    """Return a standby loss: percent of the battery in a day, watts, and percent of the time asleep."""
    loss, full = standby(stays, most), log.capacity
    if loss is None:
        return None
    return {
        "per_day": round(loss.per_day, 2),
        "power": full and round(loss.per_day / 100 * full.energy / 24 * 1000),
        "asleep": loss.asleep if loss.asleep is None else round(100 * loss.asleep),
    }


def sensor_values(log: DriveLog, units: LogUnits, month: datetime) -> dict[str, Any]:
    """Return what the sensors and their attributes show of a log, and of the month that begins then."""
    this_month = log.entries.begun(month.timestamp(), next_month(month).timestamp())
    charged = charge_sums(LogView(log, units), this_month.charges)
    drive, charge = next(reversed(log.drives), None), next(reversed(log.charges), None)
    distance = None if drive is None else shown_distance(drive, units)
    energy = None if drive is None else rounded(log.energy(drive))
    rated = range_per_mile(log.drives)
    loss = standby_loss(log, log.stays) or {}
    return {
        "last_drive_distance": distance,
        "last_drive_energy": energy,
        "last_drive_consumption": units.consumption(energy, distance),
        "last_charge_energy": charge and shown_energy(charge),
        "last_charge_cost": charge and charge.cost_in(units.currency),
        "month_distance": distance_sum(units, this_month.drives),
        "month_energy": charged["energy_added"],
        "month_cost": charged["cost"],
        "consumption": units.consumption(log.energy_of(rated), units.distance(1.0)),
        "standby_loss": loss.get("per_day"),
        "power": loss.get("power"),
        "asleep": loss.get("asleep"),
        "battery_capacity": log.capacity and round(log.capacity.energy, 1),
        "uncertainty": log.capacity and log.capacity.uncertainty,
        "battery_health": None if log.health is None else round(log.health),
    }


def known_sum(values: Iterable[float | None]) -> float | None:
    """Return the sum of the known values with two decimals, None if all are unknown."""
    known = [value for value in values if value is not None]
    return round(sum(known), 2) if known else None


def grouped[K, E](entries: Iterable[E], get_key: Callable[[E], K]) -> dict[K, list[E]]:
    groups: defaultdict[K, list[E]] = defaultdict(list)
    for entry in entries:
        groups[get_key(entry)].append(entry)
    return groups
