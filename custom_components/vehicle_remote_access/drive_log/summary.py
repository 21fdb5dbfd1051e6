"""A period of the log in few words: totals, and the most important entries. No positions, no notes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from .entries import Charge, Drive, Entries, has_exact_times, rounded
from .sums import charge_sums, drive_sums, standby_loss, sums_by_place, sums_by_tag
from .view import LogView, shown_energy

_LONGEST_LIST: Final = 20
_SHOWN_OF_DRIVE: Final = ("distance", "energy", "consumption", "cost")
_ELSEWHERE: Final = "elsewhere or unknown"
"""The log has no place for a position outside of all zones, and none for an unknown position."""


@dataclass(frozen=True, kw_only=True)
class LogSummary:
    """The entries of the log of one car that began in a period."""

    view: LogView
    start: float
    end: float
    shows_places: bool

    @cached_property
    def _entries(self) -> Entries:
        return self.view.entries.begun(self.start, self.end)

    def as_totals(self, now: float) -> dict[str, Any]:
        """Return the totals, the last drive and charge, the longest drive, and what has not ended."""
        entries = self.view.log.entries._replace(stays=()).all
        starts = [entry.start for entry in entries]
        return {
            "log_since": self._local_time(min(starts)) if starts else None,
            "drives": self._drive_totals(),
            "charges": self._charge_totals(),
            "standby_loss": self._standby(),
            **(self._in_progress() if self.start <= now < self.end else {}),
        }

    def as_list(self, kind: str, *, largest_first: bool) -> dict[str, Any]:
        """Return the newest or the largest drives or charges."""
        entries = getattr(self._entries, kind)
        entries = sorted(entries, key=_size, reverse=True) if largest_first else entries[::-1]
        shown = [self._entry(entry) for entry in entries[:_LONGEST_LIST]]
        return {kind: shown, "left_out": len(entries) - len(shown)}

    def _drive_totals(self) -> dict[str, Any]:
        drives = self._entries.drives
        tags = sums_by_tag(self.view, drives)
        return {
            **self._drive_sums(drive_sums(self.view, drives)),
            "longest": self._entry(max(drives, key=_size)) if drives else None,
            "last": self._entry(drives[-1]) if drives else None,
            **({"by_tag": {tag: self._drive_sums(each) for tag, each in tags.items()}} if tags else {}),
        }

    @staticmethod
    def _drive_sums(sums: dict[str, Any]) -> dict[str, Any]:
        return {
            "count": sums["drives"],
            "distance": sums["distance"],
            "energy": rounded(sums["energy"], 1) if sums["drives"] else 0.0,
            "consumption": sums["consumption"],
            "cost": sums["driving_cost"],
            **_if_estimated(sums),
            **_if_any(sums, "drives_without_energy", "drives_without_cost"),
        }

    def _charge_totals(self) -> dict[str, Any]:
        charges = self._entries.charges
        last = self._entry(charges[-1]) if charges else None
        totals = {**self._charge_sums(charge_sums(self.view, charges)), "last": last}
        if self.shows_places:
            by_place = sums_by_place(self.view, charges, lambda charge: self._place(charge.place))
            totals["by_place"] = {place: self._charge_sums(each) for place, each in by_place.items()}
        return totals

    @staticmethod
    def _charge_sums(sums: dict[str, Any]) -> dict[str, Any]:
        return {
            "count": sums["charges"],
            "energy_added": rounded(sums["energy_added"], 1),
            "cost": sums["cost"],
            **_if_any(sums, "charges_without_cost", "other_costs", "saved_by_charging_later"),
        }

    def _standby(self) -> dict[str, Any] | None:
        """Return what the parked car lost in long stays without charging and climate control."""
        loss = standby_loss(self.view.log, self._entries.stays, None)
        return loss and {
            "battery_percent_per_day": loss["per_day"],
            "asleep_percent_of_time": loss["asleep"],
        }

    def _in_progress(self) -> dict[str, Any]:
        found = {
            "drive" if isinstance(entry, Drive) else "charge": self._entry(entry)
            for entry in self.view.open_entries.all
            if isinstance(entry, Drive | Charge)
        }
        return {"in_progress": found} if found else {}

    def _entry(self, entry: Drive | Charge) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "start": self._local_time(entry.start),
            "end": self._local_time(entry.end),
            **({} if has_exact_times(entry) else {"times": "approximate"}),
        }
        if isinstance(entry, Charge):
            shown |= {
                "energy_added": shown_energy(entry),
                "cost": entry.cost_in(self.view.units.currency),
                "battery_percent": [entry.start_battery, entry.end_battery],
            }
            places = {"place": entry.place}
        else:
            drive = self.view.shown(entry)
            shown |= {name: drive[name] for name in _SHOWN_OF_DRIVE} | _if_estimated(drive)
            places = {"from": entry.start_place, "to": entry.end_place}
        if self.shows_places:
            shown |= {name: self._place(place) for name, place in places.items()}
        if isinstance(entry, Drive) and entry.tag:
            shown["tag"] = entry.tag
        return shown

    def _place(self, place: str | None) -> str:
        if place is None:
            return _ELSEWHERE
        return "home" if self.view.zones.is_home(place) else place

    def _local_time(self, moment: float) -> str:
        return f"{self.view.units.local_time(moment):%Y-%m-%d %H:%M}"


def _size(entry: Drive | Charge) -> float:
    return entry.distance if isinstance(entry, Drive) else entry.energy_added


def _if_estimated(values: dict[str, Any]) -> dict[str, Any]:
    known = values["price_known"]
    return {} if known in (None, 100) else {"price_known": known}


def _if_any(sums: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: sums[name] for name in names if sums[name]}
