"""Detection of stale records: services answer from several caches, so an answer can be outdated."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
import math
from operator import attrgetter
from typing import Final, Self

from ..api.records import Vehicle
from ..util.immutable import replace

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
    """Seconds, at least: answers can be older than they seem."""
    compared_at: float = -math.inf
    """When that was found, by the monotonic clock."""

    def after(self, reported: datetime | None, now: datetime, received_at: float) -> tuple[Self, float, bool]:
        """Return the clock after an answer, the answer's age in seconds, and whether it is from the future.

        The age is 0 if the car was read for it. The newest answer of the last hour counts.
        """
        if reported is None or reported > now + _CLOCK_ERROR:
            return self, 0.0, reported is not None
        ahead = reported.timestamp() - received_at
        is_outdated = received_at - self.compared_at > _COMPARED_FOR
        clock = type(self)(ahead, received_at) if ahead >= self.ahead or is_outdated else self
        age = clock.ahead - ahead
        return clock, age if age >= _REPEAT_WINDOW else 0.0, False

    def sent_at(self, moment: float, reported_at: datetime) -> datetime:
        """Return when a command was sent, by the car's clock. `moment`: monotonic.

        `reported_at`: the known time of the record that it changes.
        """
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
        newest, rejected, clock = dict(self.newest), dict[str, tuple[datetime, int]](), self.clock
        fresh, times = dict[str, datetime | None](), _timestamps(answer)
        for name, reported, before in zip(_RECORDS, times, _timestamps(earlier), strict=True):
            if is_older := None not in (reported, before) and reported < before:
                step = self._step(name, reported)
                if before <= now + _CLOCK_ERROR and step < _STEPS:
                    rejected[name] = reported, step
                    continue
                # The clock was set back. The next answer shows how far.
                clock = CarClock(clock.ahead)
            newest_time, first_received_at = newest.get(name, (before, -math.inf))
            is_recent = received_at - first_received_at < _REPEAT_WINDOW
            if is_older or newest_time is None or (reported is not None and reported > newest_time):
                fresh[name] = reported
                if reported is not None:
                    newest[name] = reported, received_at
            elif reported == newest_time and (is_recent or name not in repeated):
                fresh[name] = reported
        latest = max(filter(None, fresh.values()), default=None)
        clock, age, is_ahead = clock.after(latest, now, received_at)
        after = replace(
            self,
            newest=newest,
            rejected=rejected,
            fresh=frozenset(fresh),
            is_cached=latest is None and any(times),
            age=age,
            is_ahead=is_ahead,
            clock=clock,
        )
        return after, frozenset(rejected)

    def _step(self, name: str, reported: datetime) -> int:
        """Return how many stale records in a row were newer than the one before, with this one."""
        last, steps = self.rejected.get(name, (reported, 0))
        if reported < last:
            return 0
        return steps + (reported > last)
