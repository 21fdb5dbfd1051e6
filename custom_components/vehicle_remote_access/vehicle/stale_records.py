"""Detection of stale records: services answer from several caches, so an answer can be outdated."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final, Self

from ..api.records import Vehicle

# If the known time is further ahead of Home Assistant's clock, the car's clock was wrong.
_CLOCK_ERROR: Final = timedelta(minutes=5)
# Two reads within this time may get the same record from the car.
_REPEAT_WINDOW: Final = 5.0
# After this many older records in a row, each newer than the one before, the car's clock was set back.
_STEPS: Final = 3
_RECORDS: Final = tuple(nested.name for nested in Vehicle.nested)
_timestamps: Final = attrgetter(*(f"{name}.timestamp" for name in _RECORDS))


@dataclass(frozen=True, slots=True)
class RecordTimes:
    """The times of one car's records, by the car's own clock."""

    newest: Mapping[str, tuple[datetime, float]] = field(default_factory=dict)
    """The newest time of each record, and when it was first received, by the monotonic clock."""
    rejected: Mapping[str, tuple[datetime, int]] = field(default_factory=dict)
    """The time of the last stale record, and how many in a row were newer than the one before."""
    fresh: frozenset[str] = frozenset()
    """The records of the last answer that do not come from a cache."""

    def after(
        self, answer: Vehicle, known: Vehicle, now: datetime, received_at: float
    ) -> tuple[Self, frozenset[str]]:
        """Return the times after an answer, and the names of its stale records.

        A record without a time is never stale. `now` is Home Assistant's time, `received_at` monotonic.
        """
        newest, rejected = dict(self.newest), dict(self.rejected)
        stale, fresh = set(), set()
        for name, reported, before in zip(_RECORDS, _timestamps(answer), _timestamps(known), strict=True):
            last_rejected = rejected.pop(name, None)
            if reported is not None and before is not None and reported < before:
                steps = _steps(reported, last_rejected)
                if before <= now + _CLOCK_ERROR and steps < _STEPS:
                    rejected[name] = reported, steps
                    stale.add(name)
                    continue
                newest.pop(name, None)
            newest_time, first_received_at = newest.get(name, (None, 0.0))
            if reported is None:
                is_fresh = newest_time is None
            elif newest_time is None or reported > newest_time:
                newest[name] = reported, received_at
                is_fresh = True
            else:
                is_fresh = reported == newest_time and received_at - first_received_at < _REPEAT_WINDOW
            if is_fresh:
                fresh.add(name)
        return type(self)(newest, rejected, frozenset(fresh)), frozenset(stale)


def _steps(reported: datetime, last_rejected: tuple[datetime, int] | None) -> int:
    """Return how many stale records in a row were newer than the one before."""
    if last_rejected is None:
        return 0
    last, steps = last_rejected
    if reported == last:
        return steps
    return steps + 1 if reported > last else 0
