"""Finds the charges of the log that a service has billed. No clock, no Home Assistant."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..api.charging_sessions import ChargingSession
from ..util.local_time import DAY
from .drive_log import DriveLog
from .entries import Charge, CostSource, Entries, Seen, has_exact_times, window
from .importer import new_entries
from .prices import Prices
from .sums import grouped, known_sum
from .zones import Zones

BILLED_WITHIN: Final = 14 * DAY
# The clocks of the charger and of Home Assistant can differ by this.
_CLOCKS: Final = 300.0
# The meters of the car and of the charger differ by a share and some kWh. The charger also heats the battery.
_LEAST_BILLED: Final = (0.9, -1.0)
_MOST_BILLED: Final = (1.3, 2.0)
# A calculated cost is stored with four digits, and its energy with three.
_CALCULATED: Final = 0.001


def last_unbilled(log: DriveLog, zones: Zones, now: float) -> float | None:
    """Return when the last charge ended that the service may still bill, None if there is none."""
    waiting = (
        charge.end
        for charge in log.charges
        if window(charge)[1] > now - BILLED_WITHIN
        and (charge.current == "dc" or (charge.current is None and _is_vague(charge)))
        and charge.cost_source != CostSource.SERVICE
        and _may_replace(charge, log.prices)
        and not zones.is_charge_at_home(charge)
    )
    return max(waiting, default=None)


def _is_vague(charge: Charge) -> bool:
    """Return whether a charge can have been several, at other places."""
    return charge.seen == Seen.AFTERWARDS and not has_exact_times(charge)


def _may_replace(charge: Charge, prices: Prices) -> bool:
    """Return whether no person can have entered the cost. Version 1.0.0 did not store that.

    Its costs count as calculated if they are exactly what the prices give, and not in whole cents.
    """
    if charge.cost is None or charge.cost_source is not None:
        return charge.cost_source != CostSource.PERSON
    price = prices.at_place(charge.place) or 0.0
    costs = [price * (energy or 0.0) for energy in (charge.energy_used, charge.energy_added)]
    is_calculated = min(abs(charge.cost - cost) for cost in costs) < _CALCULATED
    return is_calculated and round(charge.cost, 2) != charge.cost


def billed_charges(log: DriveLog, sessions: Iterable[ChargingSession]) -> list[Charge]:
    """Return what sessions of the car change in its log: charges, and new ones without an id."""
    charges = {charge.id: charge for charge in log.charges if charge.current != "ac"}

    def find(session: ChargingSession) -> str:
        """Return the id of the charge with the most of the session's time. Of two, it is the shorter one."""
        found = [(0.0, 0.0, "")]
        for charge in charges.values():
            start, end = window(charge)
            seconds = min(end + _CLOCKS, session.end) - max(start - _CLOCKS, session.start)
            found.append((seconds, start - end, charge.id))
        return max(found)[-1]

    found = grouped(sorted(sessions, key=lambda session: session.start), find)
    parts = _not_kept(log, found.pop("", ()))
    for charge_id, of_charge in found.items():
        if _may_replace(charges[charge_id], log.prices) and _are_billed(of_charge):
            parts += _divided(charges[charge_id], of_charge)
    return [part for part in parts if part != charges.get(part.id)]


def _are_billed(sessions: Sequence[ChargingSession]) -> bool:
    return len({each.currency for each in sessions}) == 1 and None not in [each.cost for each in sessions]


def _not_kept(log: DriveLog, sessions: Iterable[ChargingSession]) -> list[Charge]:
    """Return entries for sessions from a time without drives and stays, in which the log was not kept.

    Otherwise, the counter has shown all charges. One that is missing was deleted, or was too small.
    """
    drives, _, stays = log.open_entries
    times = [*map(window, (*log.drives, *drives)), *map(window, (*log.stays, *stays))]
    billed = [each for each in sessions if each.energy and _are_billed([each])]
    room = [each for each in billed if all(each.end <= start or end <= each.start for start, end in times)]
    return [*new_entries(log, Entries(charges=[*map(_entry, room)])).charges]


def _divided(charge: Charge, sessions: Sequence[ChargingSession]) -> list[Charge]:
    """Return a charge with its cost, or what is left of it and the sessions that are only parts of it."""
    used, added = [session.energy or 0.0 for session in sessions], charge.energy_added
    least, most = (share * added + more for share, more in (_LEAST_BILLED, _MOST_BILLED))
    # Without a counter, or if minutes are billed, the times decide.
    is_whole = least <= sum(used) <= most if added and all(used) else has_exact_times(charge)
    if is_whole:
        return [_with_bill(charge, sessions)]
    left, (start, end) = added - sum(used), window(charge)
    is_inside = start - _CLOCKS <= sessions[0].start and sessions[-1].end <= end + _CLOCKS
    if left <= 0 or not (all(used) and is_inside and _is_vague(charge)):
        # Another part of it is not billed yet.
        return [charge]
    cost = charge.cost and round(charge.cost * left / added, 4)
    # The levels and the range are those of all.
    unknown: dict[str, Any] = dict.fromkeys(("start_battery", "end_battery", "range_added"))
    rest = charge._replace(**unknown, start_energy=0.0, end_energy=left, cost=cost)
    parts, counter = list[Charge](), charge.start_energy or 0.0
    for part in sorted([rest, *map(_entry, sessions)], key=lambda part: part.start):
        parts.append(part._replace(start_energy=counter, end_energy=counter + part.energy_added))
        counter += part.energy_added
    parts[-1] = parts[-1]._replace(end_energy=charge.end_energy)
    return parts


def _entry(session: ChargingSession) -> Charge:
    """Return the entry of a charge that only its bill has shown. Its counter begins at 0."""
    entry = Charge("", round(session.start), round(session.end), start_energy=0.0, end_energy=session.energy)
    entry = entry._replace(place=session.place, energy_used=session.energy, seen=Seen.AFTERWARDS.value)
    return _with_bill(entry, [session])


def _with_bill(charge: Charge, sessions: Sequence[ChargingSession]) -> Charge:
    fees = [session.fees for session in sessions]
    return charge._replace(
        current="dc",
        cost=known_sum(session.cost for session in sessions),
        fees=None if None in fees else known_sum(fees),
        currency=sessions[0].currency,
        cost_at_once=None,
        cost_source=CostSource.SERVICE.value,
    )
