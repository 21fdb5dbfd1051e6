"""What drives and charges that have not ended have in common."""

from dataclasses import dataclass, fields, replace
from typing import Any, Final

from .entries import Charge, Drive, Seen, Stored

# A start or an end within this time between two observations counts as watched.
WATCHED: Final = 150.0
_OPEN_MOMENTS: Final = ("start", "earliest", "driven_at", "charged_at", "stopped_at", "unpriced_since")
_MOMENTS: Final = ("at", "odometer_at", "doubted_at", "slept_at", *_OPEN_MOMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEntry(Stored):
    """A drive or a charge that has not ended, or was interrupted a short time ago.

    A value with the name of a column is the one of the entry.
    """

    start: float
    """When it was first observed."""
    earliest: float
    """The last observation before it."""
    stopped_at: float | None = None
    """The first observation after it; None while it lasts."""

    def as_entry[E: (Drive, Charge)](
        self,
        kind: type[E],
        now: float,
        last: float | None,
        *,
        before: float,
        after: float,
        total: float,
        **values: Any,
    ) -> E:
        """Return the entry if it has ended, with its times, and how much of it was watched.

        `last`: the last observation of it, None without any. `values`: what is not known here.
        `before`, `after`: the usual seconds before the first one, and after the last one. `total`: in all.
        """
        latest = now if self.stopped_at is None else self.stopped_at
        if last is None:
            # The middle between the two observations is the best guess.
            slack = max(0.0, latest - self.earliest - total) / 2
            start, end = self.earliest + slack, latest - slack
        else:
            start, end = max(self.earliest, self.start - before), min(latest, last + after)
        is_start_known = self.start - self.earliest <= WATCHED
        is_end_known = last is not None and latest - last <= WATCHED
        watched = Seen.LIVE if is_start_known and is_end_known else Seen.PARTLY
        known = {each.name: getattr(self, each.name) for each in fields(self) if each.name in kind._fields}
        known |= {
            "start": round(start),
            "end": max(round(start), round(end)),
            "start_earliest": None if is_start_known else round(self.earliest),
            "end_latest": None if is_end_known else round(latest),
            "seen": Seen.AFTERWARDS.value if last is None else watched.value,
        }
        return kind(**known | values)


def not_after[S: Stored](stored: S, now: float) -> S:
    """Return an object without a moment later than now, also in what is open: the clock can be set back."""
    earlier: dict[str, Any] = {}
    for each in fields(stored):  # type: ignore[arg-type]
        value = getattr(stored, each.name)
        if isinstance(value, Stored):
            earlier[each.name] = not_after(value, now)
        elif each.name in _MOMENTS and value is not None:
            earlier[each.name] = min(value, now)
    return replace(stored, **earlier)  # type: ignore[type-var]
