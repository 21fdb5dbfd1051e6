"""Detection of stale records: services answer from several caches, so an answer can be outdated."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
import math
from operator import attrgetter
from typing import Any, Final, Self

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
class CarClock:
    """How far the car's clock is ahead of the monotonic clock."""

    ahead: float = -math.inf
    """Seconds. The real value can be larger, because an answer from a cache makes the clock look late."""
    compared_at: float = -math.inf
    """When that was found, by the monotonic clock."""

    def after(self, reported: datetime | None, now: datetime, received_at: float) -> tuple[Self, float, bool]:
        """Return the clock after an answer, the answer's age in seconds, and whether it is from the future.

        Ages are relative to the freshest answer of the last hour, the best estimate of the car's clock.
        """
        if reported is None or reported > now + _CLOCK_ERROR:
            return self, 0.0, reported is not None
        ahead = reported.timestamp() - received_at
        is_outdated = received_at - self.compared_at > _COMPARED_FOR
        clock = type(self)(ahead, received_at) if ahead >= self.ahead or is_outdated else self
        age = clock.ahead - ahead
        return clock, age if age >= _REPEAT_WINDOW else 0.0, False

    def sent_at(self, moment: float, reported_at: datetime) -> datetime:
        """Return a monotonic moment by the car's clock, not before the record's own time."""
        return datetime.fromtimestamp(max(self.ahead + moment - _RESOLUTION, reported_at.timestamp()), UTC)


@dataclass(frozen=True)
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
    """Whether the last answer is from the future. Then the car's clock or Home Assistant's is wrong."""
    clock: CarClock = CarClock()

    def after(
        self, answer: Vehicle, earlier: Vehicle, repeated: Collection[str], now: datetime, received_at: float
    ) -> tuple[Self, frozenset[str]]:
        """Return the times after an answer, and the names of its stale records.

        A record without a time is never stale. `repeated`: the records that are the same as in the last
        answer. `now` is Home Assistant's time, `received_at` monotonic.
        """
        times = dict(zip(_RECORDS, _timestamps(answer), strict=True))
        known = dict(zip(_RECORDS, _timestamps(earlier), strict=True))
        stale, set_back = self._older(times, known, now)
        # The next answer shows how far the clock was set back.
        clock = CarClock(self.clock.ahead) if set_back else self.clock
        last = {name: self.newest.get(name, (known[name], -math.inf)) for name in times.keys() - stale}
        newer = {name for name, (time, _) in last.items() if not time or (times[name] and times[name] > time)}
        same = {name for name, (time, _) in last.items() if times[name] == time}
        recent = {name for name, (_, received) in last.items() if received_at - received < _REPEAT_WINDOW}
        changed = newer | set_back
        # The same record can be the answer of the car to two reads, but can also come from a cache.
        fresh = changed | (same & recent) | same.difference(repeated)
        latest = max([times[name] for name in fresh if times[name]], default=None)
        clock, age, is_ahead = clock.after(latest, now, received_at)
        after = type(self)(
            newest={**self.newest, **{name: (times[name], received_at) for name in changed if times[name]}},
            rejected=stale,
            fresh=frozenset(fresh),
            is_cached=latest is None and any(times.values()),
            age=age,
            is_ahead=is_ahead,
            clock=clock,
        )
        return after, frozenset(stale)

    def _older(
        self, times: Mapping[str, Any], known: Mapping[str, Any], now: datetime
    ) -> tuple[dict[str, tuple[datetime, int]], set[str]]:
        """Return the stale records, as in `rejected`, and those that are older because of the car's clock."""
        older = [name for name, time in times.items() if time and known[name] and time < known[name]]
        steps = {name: (times[name], self._step(name, times[name])) for name in older}
        set_back = {
            name for name, (_, step) in steps.items() if known[name] > now + _CLOCK_ERROR or step >= _STEPS
        }
        return {name: step for name, step in steps.items() if name not in set_back}, set_back

    def _step(self, name: str, reported: datetime) -> int:
        """Return how many stale records in a row were newer than the one before, with this one."""
        last, steps = self.rejected.get(name, (reported, 0))
        if reported < last:
            return 0
        return steps + (reported > last)
