"""Finds the charges of the log that a service has billed. No clock, no Home Assistant."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from ..api.charging_sessions import ChargingSession
from ..util.local_time import DAY, HOUR
from .drive_log import DriveLog
from .entries import Charge, CostSource, Drive, Seen, has_exact_times, window
from .prices import Prices
from .sums import grouped, known_sum
from .zones import Zones

BILLED_WITHIN: Final = 14 * DAY
# The clocks of the charger and of Home Assistant can differ by this.
_CLOCKS: Final = 300.0
# The meters of the car and of the charger differ by a share and some kWh. The charger also heats the battery.
_LEAST_BILLED: Final = (0.9, -1.0)
_MOST_BILLED: Final = (1.3, 2.0)
# Seconds. So much longer than a drive or a charge was the time in which nothing was seen.
_UNWATCHED: Final = HOUR
# A calculated cost is stored with four digits, and its energy with three.
_CALCULATED: Final = 0.001


def last_unbilled(log: DriveLog, zones: Zones, now: float) -> float | None:
    """Return when the last charge ended that the service may still bill, None if there is none."""
    ends = [
        charge.end
        for charge in _recent(log.charges, now)
        if charge.current != "ac"
        and charge.cost_source != CostSource.SERVICE
        and _may_replace(charge, log.prices)
        and not zones.is_charge_at_home(charge)
    ]
    # On the way, there can have been charges that the log does not have.
    ends += [drive.end for drive in _recent(log.drives, now) if _is_unwatched(drive)]
    return max(ends, default=None)


def _recent[E: (Drive, Charge)](entries: Sequence[E], now: float) -> Iterator[E]:
    """Yield the newest entries. A long log has thousands of others."""
    return takewhile(lambda entry: window(entry)[1] > now - BILLED_WITHIN, reversed(entries))


def _is_unwatched(entry: Charge | Drive) -> bool:
    """Return whether there was time for other drives and charges, which the log has not seen."""
    start, end = window(entry)
    return entry.seen == Seen.AFTERWARDS and end - start > entry.end - entry.start + _UNWATCHED


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


def billed_charges(log: DriveLog, zones: Zones, sessions: Iterable[ChargingSession]) -> list[Charge]:
    """Return what sessions of the car change in its log: charges, and new ones without an id."""
    away = [each for each in log.charges if each.current != "ac" and not zones.is_charge_at_home(each)]
    charges = {charge.id: charge for charge in away}

    def find(session: ChargingSession) -> str:
        """Return the id of the charge with the most of the session's time. Of two, it is the shorter one."""
        found = [(0.0, 0.0, "")]
        for charge in charges.values():
            start, end = window(charge)
            seconds = min(end + _CLOCKS, session.end) - max(start - _CLOCKS, session.start)
            found.append((seconds, start - end, charge.id))
        return max(found)[-1]

    found = grouped(sorted(sessions, key=lambda session: session.start), find)
    others, changed = found.pop("", []), list[Charge]()
    for charge_id, of_charge in found.items():
        charge = charges[charge_id]
        # A car whose limit is raised charges again in the same session.
        rest = [each for each in away if each.id not in found and _is_in(each, of_charge)]
        energy = sum(each.energy_added for each in (charge, *rest))
        billed = _sessions_of(charge._replace(start_energy=0.0, end_energy=energy), of_charge)
        if _are_billed(billed) and all(_may_replace(each, log.prices) for each in (charge, *rest)):
            whole = _with_bill(charge, billed)
            total = whole.cost or 0.0
            shares = [round(total * each.energy_added / energy, 2) if energy else 0.0 for each in rest]
            changed.append(whole._replace(cost=round(total - sum(shares), 4)))
            changed += [
                _with_bill(each, billed)._replace(cost=share, fees=None)
                for each, share in zip(rest, shares, strict=True)
            ]
        if _is_unwatched(charge):
            # The car counts only the energy of the last one.
            others += [session for session in of_charge if session not in billed]
    added = [_entry(session) for session in others if session.energy and _are_billed([session])]
    return [
        *(charge for charge in changed if charge != charges[charge.id]),
        *(charge for charge in added if _is_possible(log, charge)),
    ]


def _is_in(charge: Charge, sessions: Iterable[ChargingSession]) -> bool:
    return any(session.start < (charge.start + charge.end) / 2 < session.end for session in sessions)


def _sessions_of(charge: Charge, sessions: Sequence[ChargingSession]) -> Sequence[ChargingSession]:
    """Return the sessions that are this charge: all, or one of an unwatched time."""
    choices = [sessions, *([session] for session in reversed(sessions) if _is_unwatched(charge))]
    return next((choice for choice in choices if _has_energy_of(charge, choice)), [])


def _has_energy_of(charge: Charge, sessions: Sequence[ChargingSession]) -> bool:
    used, added = [session.energy or 0.0 for session in sessions], charge.energy_added
    least, most = (share * added + more for share, more in (_LEAST_BILLED, _MOST_BILLED))
    # Without a counter, or if minutes are billed, the times decide.
    return least <= sum(used) <= most if added and all(used) else has_exact_times(charge)


def _are_billed(sessions: Sequence[ChargingSession]) -> bool:
    return len({each.currency for each in sessions}) == 1 and None not in [each.cost for each in sessions]


def _is_possible(log: DriveLog, charge: Charge) -> bool:
    """Return whether the log can lack a charge: in a time that was not watched, or before the log.

    Otherwise, it was deleted, or was too small. What ended after the last observation may still be seen.
    """
    drives, _, stays = log.open_entries
    entries: list[Drive | Charge] = [*log.drives, *log.charges]
    unwatched = [window(entry) for entry in entries if _is_unwatched(entry)]
    times = [*map(window, (*log.drives, *drives)), *map(window, (*log.stays, *stays))]
    if charge.end > log.charge_tracker.at:
        return False
    return any(start <= charge.start and charge.end <= end for start, end in unwatched) or all(
        charge.end <= start or end <= charge.start for start, end in times
    )


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
