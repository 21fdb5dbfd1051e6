"""Detection of stale records: services answer from several caches, so an answer can be outdated."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
import math
from operator import attrgetter
from typing import Final, Self

from ..api.records import Vehicle

# If the known time is further ahead of Home Assistant's clock, the car's clock was wrong.
_CLOCK_ERROR: Final = timedelta(minutes=5)
# Two reads within this time may get the same record from the car.
_REPEAT_WINDOW: Final = 5.0
# After this many older records in a row, each newer than the one before, the car's clock was set back.
_STEPS: Final = 3
# After this time, the clocks are compared again, because the car's may have been set back while it slept.
_COMPARED_FOR: Final = 3600.0
# Some services round times to seconds.
_RESOLUTION: Final = 1.0
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
    is_cached: bool = False
    """Whether the last answer had records with a time, and none of them was fresh."""
    age: float = 0.0
    """How many seconds old the last answer was, as far as known; 0 if the car was read for it."""
    is_ahead: bool = False
    """Whether the last answer is of the future. Then the car's clock or Home Assistant's is wrong."""
    ahead: float = -math.inf
    """How far the car's clock is at least ahead of the monotonic clock."""
    compared_at: float = -math.inf
    """When that was found, by the monotonic clock."""

    def after(
        self, answer: Vehicle, known: Vehicle, repeated: Collection[str], now: datetime, received_at: float
    ) -> tuple[Self, frozenset[str]]:
        """Return the times after an answer, and the names of its stale records.

        A record without a time is never stale. `repeated`: the records that are the same as in the last
        answer. `now` is Home Assistant's time, `received_at` monotonic.
        """
        newest, rejected = dict(self.newest), dict[str, tuple[datetime, int]]()
        stale, fresh, times = set(), set(), _timestamps(answer)
        ahead, compared_at, age = self.ahead, self.compared_at, 0.0
        for name, reported, before in zip(_RECORDS, times, _timestamps(known), strict=True):
            newest_time, first_received_at = newest.get(name, (before, -math.inf))
            if reported is not None and before is not None and reported < before:
                last, steps = self.rejected.get(name, (reported, 0))
                steps = steps + (reported > last) if reported >= last else 0
                if before <= now + _CLOCK_ERROR and steps < _STEPS:
                    rejected[name] = reported, steps
                    stale.add(name)
                    continue
                newest_time, compared_at = None, -math.inf
            if reported is None:
                is_fresh = newest_time is None
            elif newest_time is None or reported > newest_time:
                newest[name] = reported, received_at
                is_fresh = True
            else:
                is_recent = received_at - first_received_at < _REPEAT_WINDOW
                is_fresh = reported == newest_time and (is_recent or name not in repeated)
            if is_fresh:
                fresh.add(name)
        fresh_times = [time for name, time in zip(_RECORDS, times, strict=True) if time and name in fresh]
        latest = max(fresh_times, default=None)
        is_ahead = latest is not None and latest > now + _CLOCK_ERROR
        if latest is not None and not is_ahead:
            found = latest.timestamp() - received_at
            if found >= ahead or received_at - compared_at > _COMPARED_FOR:
                ahead, compared_at = found, received_at
            age = ahead - found if ahead - found >= _REPEAT_WINDOW else 0.0
        is_cached = latest is None and any(times)
        after = type(self)(newest, rejected, frozenset(fresh), is_cached, age, is_ahead, ahead, compared_at)
        return after, frozenset(stale)

    def sent_at(self, moment: float, reported_at: datetime) -> datetime:
        """Return when a command was sent, by the car's clock. `moment`: monotonic.

        `reported_at`: the known time of the record that it changes.
        """
        return datetime.fromtimestamp(max(self.ahead + moment - _RESOLUTION, reported_at.timestamp()), UTC)
