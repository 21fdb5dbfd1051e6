"""A period of the log in few words: totals, and the most important entries. No positions, no notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from .entries import Charge, Drive, Entries, has_exact_times, rounded
from .sums import Sums, charge_sums, drive_sums, standby_loss, sums_by_place, sums_by_tag
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
        log, (drives, charges, stays) = self.view.log, self._entries
        starts = [entry.start for entry in log.entries._replace(stays=()).all]
        loss = standby_loss(log, stays, None)
        return {
            "log_since": self._local_time(min(starts)) if starts else None,
            "drives": self._drive_totals(drives),
            "charges": self._charge_totals(charges),
            # In long stays without charging and climate control
            "standby_loss": loss
            and {"battery_percent_per_day": loss["per_day"], "asleep_percent_of_time": loss["asleep"]},
            **(self._in_progress() if self.start <= now < self.end else {}),
        }

    def as_list(self, kind: str, *, largest_first: bool) -> dict[str, Any]:
        """Return the newest or the largest drives or charges."""
        entries = getattr(self._entries, kind)
        entries = sorted(entries, key=_size, reverse=True) if largest_first else entries[::-1]
        shown = [self._entry(entry) for entry in entries[:_LONGEST_LIST]]
        return {kind: shown, "left_out": len(entries) - len(shown)}

    def _drive_totals(self, drives: Sequence[Drive]) -> dict[str, Any]:
        tags = sums_by_tag(self.view, drives)
        return {
            **_drive_figures(drive_sums(self.view, drives)),
            "longest": self._entry(max(drives, key=_size)) if drives else None,
            "last": self._entry(drives[-1]) if drives else None,
            **({"by_tag": {tag: _drive_figures(sums) for tag, sums in tags.items()}} if tags else {}),
        }

    def _charge_totals(self, charges: Sequence[Charge]) -> dict[str, Any]:
        last = self._entry(charges[-1]) if charges else None
        totals = {**_charge_figures(charge_sums(self.view, charges)), "last": last}
        if self.shows_places:
            places = sums_by_place(self.view, charges, lambda charge: self._place(charge.place))
            totals["by_place"] = {place: _charge_figures(sums) for place, sums in places.items()}
        return totals

    def _in_progress(self) -> dict[str, Any]:
        drives, charges, _ = self.view.open_entries
        found: list[Drive | Charge] = [*drives, *charges]
        shown = {type(entry).__name__.lower(): self._entry(entry) for entry in found}
        return {"in_progress": shown} if shown else {}

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


def _drive_figures(sums: Sums) -> dict[str, Any]:
    return {
        "count": sums["drives"],
        "distance": sums["distance"],
        "energy": rounded(sums["energy"], 1) if sums["drives"] else 0.0,
        "consumption": sums["consumption"],
        "cost": sums["driving_cost"],
        **_if_estimated(sums),
        **_if_any(sums, "drives_without_energy", "drives_without_cost"),
    }


def _charge_figures(sums: Sums) -> dict[str, Any]:
    return {
        "count": sums["charges"],
        "energy_added": rounded(sums["energy_added"], 1),
        "cost": sums["cost"],
        **_if_any(sums, "charges_without_cost", "other_costs", "saved_by_charging_later"),
    }


def _if_estimated(values: dict[str, Any]) -> dict[str, Any]:
    known = values["price_known"]
    return {} if known in (None, 100) else {"price_known": known}


def _if_any(sums: Sums, *names: str) -> dict[str, Any]:
    return {name: sums[name] for name in names if sums[name]}
