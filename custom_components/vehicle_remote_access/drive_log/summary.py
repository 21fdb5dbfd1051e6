"""A period of the log in few words: totals, and the most important entries. No positions, no notes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import UnitSystem

from .drive_log import DriveLog
from .entries import ended
from .estimates import standby
from .view import KINDS, LogView

_LONGEST_LIST: Final = 20
_ELSEWHERE: Final = "elsewhere or unknown"
"""The log has no place for a position outside of all zones, and none for an unknown position."""


def local_time(moment: datetime) -> str:
    """Return a moment in local time, without seconds."""
    return dt_util.as_local(moment).strftime("%Y-%m-%d %H:%M")


class LogSummary:
    """A period of the log of one car."""

    def __init__(
        self,
        book: DriveLog,
        units: UnitSystem,
        currency: str,
        start: float,
        end: float,
        *,
        home: str | None,
        shows_places: bool,
    ) -> None:
        """Select the entries that ended in the period. `home`: the name of the home zone."""
        self._book = book
        self._view = LogView(book, units)
        self._start, self._end = start, end
        self._home = home
        self._shows_places = shows_places
        period = self._view.period(start, end, KINDS, currency)
        self._drives: list[dict[str, Any]] = period["drives"]
        self._charges: list[dict[str, Any]] = period["charges"]
        self._totals: dict[str, Any] = period["totals"]
        self._currency = currency

    def as_totals(self) -> dict[str, Any]:
        """Return the totals, the last drive and charge, and the longest drive."""
        book = self._book
        starts = [drive.start for drive in book.drives] + [charge.start for charge in book.charges]
        first = min(starts, default=None)
        return {
            "log_since": None if first is None else local_time(dt_util.utc_from_timestamp(first)),
            "drives": self._drive_totals(),
            "charges": self._charge_totals(),
            "standby_loss": self._standby(),
            **self._in_progress(),
        }

    def as_list(self, kind: str, *, largest_first: bool) -> dict[str, Any]:
        """Return the newest or the largest drives or charges."""
        entries = self._drives if kind == "drives" else self._charges
        show = self._drive if kind == "drives" else self._charge
        size = "distance" if kind == "drives" else "energy_added"
        if largest_first:
            entries = sorted(entries, key=lambda entry: entry[size] or 0.0, reverse=True)
        else:
            entries = entries[::-1]
        return {kind: list(map(show, entries[:_LONGEST_LIST])), "left_out": len(entries[_LONGEST_LIST:])}

    def _drive_totals(self) -> dict[str, Any]:
        drives = self._drives
        known = [drive for drive in drives if drive["energy"] is not None]
        energy = _sum(known, "energy")
        measured = [drive for drive in known if drive["distance"]]
        distance = _sum(measured, "distance")
        tags: defaultdict[str, float] = defaultdict(float)
        for drive in drives:
            if drive["tag"]:
                tags[drive["tag"]] += drive["distance"] or 0.0
        return {
            "count": len(drives),
            "distance": self._totals["distance"],
            "energy": round(energy, 1) if known or not drives else None,
            **({"drives_without_energy": len(drives) - len(known)} if len(known) < len(drives) else {}),
            "consumption": round(100 * _sum(measured, "energy") / distance, 1) if distance else None,
            "longest": self._drive(max(drives, key=lambda drive: drive["distance"] or 0.0))
            if drives
            else None,
            "last": self._drive(drives[-1]) if drives else None,
            **({"distance_by_tag": {tag: round(sum_, 1) for tag, sum_ in tags.items()}} if tags else {}),
        }

    def _charge_totals(self) -> dict[str, Any]:
        charges = self._charges
        by_place: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for charge in charges:
            by_place[self._place(charge["place"])].append(charge)
        return {
            **self._charge_sums(charges),
            "last": self._charge(charges[-1]) if charges else None,
            **(
                {"by_place": {place: self._charge_sums(each) for place, each in by_place.items()}}
                if self._shows_places
                else {}
            ),
        }

    def _charge_sums(self, charges: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the sums. Charges without a cost, or with another currency, are counted."""
        paid = [charge for charge in charges if self._cost(charge) is not None]
        return {
            "count": len(charges),
            "energy_added": round(_sum(charges, "energy_added"), 1),
            "cost": round(_sum(paid, "cost"), 2) if paid else None,
            **({"charges_without_cost": len(charges) - len(paid)} if len(paid) < len(charges) else {}),
        }

    def _standby(self) -> dict[str, Any] | None:
        """Return what the parked car lost in long stays without charging and climate control."""
        loss = standby(ended(self._book.stays, self._start, self._end), None)
        if loss is None:
            return None
        return {
            "battery_percent_per_day": round(loss.percent, 2),
            "asleep_percent_of_time": round(100 * loss.asleep),
        }

    def _in_progress(self) -> dict[str, Any]:
        """Return the drive and the charge that have not ended, if the period has not ended either."""
        if not self._start <= dt_util.utcnow().timestamp() < self._end:
            return {}
        show = {"drive": self._drive, "charge": self._charge}
        found = {
            entry["kind"]: show[entry["kind"]](entry)
            for entry in self._view.open_entries()
            if entry["kind"] in show
        }
        return {"in_progress": found} if found else {}

    def _drive(self, drive: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **_times(drive),
            "distance": drive["distance"],
            "energy": drive["energy"],
            "consumption": drive["consumption"],
            **self._places(drive, {"from": "start_place", "to": "end_place"}),
            **({"tag": drive["tag"]} if drive["tag"] else {}),
        }

    def _charge(self, charge: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **_times(charge),
            "energy_added": charge["energy_added"],
            "cost": self._cost(charge),
            "battery_percent": [charge["start_battery"], charge["end_battery"]],
            **self._places(charge, {"place": "place"}),
        }

    def _cost(self, charge: Mapping[str, Any]) -> float | None:
        cost: float | None = charge["cost"] if charge["currency"] == self._currency else None
        return cost

    def _places(self, entry: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
        if not self._shows_places:
            return {}
        return {shown: self._place(entry[name]) for shown, name in names.items()}

    def _place(self, place: str | None) -> str:
        if place is None:
            return _ELSEWHERE
        return "home" if place == self._home else place


def _times(entry: Mapping[str, Any]) -> dict[str, Any]:
    is_exact = entry["start_earliest"] is None and entry["end_latest"] is None
    return {
        "start": local_time(datetime.fromisoformat(entry["start"])),
        "end": local_time(datetime.fromisoformat(entry["end"])),
        **({} if is_exact else {"times": "approximate"}),
    }


def _sum(entries: Iterable[Mapping[str, Any]], name: str) -> float:
    """Return the sum of what is known."""
    return sum(entry[name] or 0.0 for entry in entries)
