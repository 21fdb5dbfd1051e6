"""When the car must be ready: at one local time each day, at others on some weekdays, or by a calendar."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Final

_WEEK: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Departures:
    """When the car must be ready."""

    usual: time
    """The local time of a day."""
    weekdays: Mapping[int, time | None] = field(default_factory=dict)
    """The times of weekdays that differ, by their numbers (Monday is 0); None if the car is not needed."""
    events: Sequence[float] | None = None
    """The departures that a calendar lists, in Unix seconds and in order. They replace the times."""

    def next_after(self, now: datetime) -> float | None:
        """Return the next departure in Unix seconds; None if there is none in the next week."""
        return self._find(now, range(_WEEK + 1))

    def last_before(self, now: datetime) -> float | None:
        """Return the last departure in Unix seconds; None if there was none in the last week."""
        return self._find(now, range(0, -_WEEK - 1, -1))

    def _find(self, now: datetime, days: range) -> float | None:
        moments: Iterable[float | None] = (self._on(now, day) for day in days)
        if self.events is not None:
            moments = self.events[:: days.step]
        # Two local times that are compared would be wrong in the hour that the clock shows twice.
        at = now.timestamp()
        return next((each for each in moments if each is not None and (each - at) * days.step > 0), None)

    def _on(self, now: datetime, days: int) -> float | None:
        day = now.date() + timedelta(days=days)
        moment = self.weekdays.get(day.weekday(), self.usual)
        return None if moment is None else datetime.combine(day, moment, now.tzinfo).timestamp()
