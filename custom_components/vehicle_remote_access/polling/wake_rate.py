"""How likely a car is to wake at each time of the day, learned from earlier wakes.

Weekdays and weekends are learned separately. Wakes are forgotten in about three weeks.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
import math
from typing import Any, Final, Self

from ..api.value_types import FLAG, NUMBER
from ..util.local_time import DAY, LocalTime
from ..util.stored_values import read_list, read_mapping

BINS: Final = 144
"""A day is divided into this many bins of ten minutes."""
BINS_PER_HOUR: Final = BINS // 24
# How much earlier or later a habit may be, in bins.
_DEVIATION: Final = 1.0
_REACH: Final = 4
_HALF_LIFE: Final = 4 * DAY
_LIFE: Final = _HALF_LIFE / math.log(2)
_WAKES_KEPT: Final = 150
_WEEKDAY_SHARE: Final = 5 / 7
# The assumption for a new car counts as much as this many days of observations.
_ASSUMED_DAYS: Final = 1.25
_ASSUMED: Final = 0.05


@dataclass(frozen=True, kw_only=True)
class WakeRate:
    """When a car woke. Immutable: each wake returns a new object."""

    since: float = 0.0
    """When the first observation was made; 0 if there is none."""
    wakes: tuple[LocalTime, ...] = ()

    def observed(self, at: float) -> Self:
        return self if self.since else replace(self, since=at)

    def woke(self, time: LocalTime) -> Self:
        wake = time._replace(at=round(time.at), hour=round(time.hour, 2))
        return replace(self.observed(wake.at), wakes=(*self.wakes, wake)[-_WAKES_KEPT:])

    def by_bin(self, day: LocalTime) -> tuple[float, ...]:
        """Return the chance per hour that it wakes, for each bin of a local day."""
        return self._by_day(day.at // DAY * DAY, day.is_weekend)

    def chance(self, time: LocalTime) -> float:
        """Return the chance per hour that it wakes at this time."""
        return self.by_bin(time)[int(time.hour * BINS_PER_HOUR)]

    @cached_property
    def _by_day(self) -> Callable[[float, bool], tuple[float, ...]]:
        """The chances change only once a day, so they are cached."""
        return lru_cache(maxsize=4)(self._chances)

    def _chances(self, today: float, is_weekend: bool) -> tuple[float, ...]:  # noqa: FBT001 - cached
        age = max(today - self.since, 0.0) if self.since else 0.0
        observed = _LIFE / DAY * -math.expm1(-age / _LIFE)
        days = observed * (1 - _WEEKDAY_SHARE if is_weekend else _WEEKDAY_SHARE) + _ASSUMED_DAYS
        chances = [_ASSUMED * _ASSUMED_DAYS] * BINS
        for wake in self.wakes:
            if wake.is_weekend != is_weekend:
                continue
            weight = math.exp(-max(today - wake.at, 0.0) / _LIFE)
            # The chance per hour of a wake at a known time with this deviation
            weight *= BINS_PER_HOUR / (_DEVIATION * math.sqrt(math.tau))
            position = wake.hour * BINS_PER_HOUR
            for index in range(math.floor(position) - _REACH, math.floor(position) + _REACH + 1):
                apart = (index + 0.5 - position) / _DEVIATION
                chances[index % BINS] += weight * math.exp(-apart * apart / 2)
        return tuple(chance / days for chance in chances)

    @classmethod
    def from_json(cls, stored: Any) -> Self:
        values = read_mapping(stored)
        return cls(
            since=max(NUMBER.read(values.get("since")) or 0.0, 0.0),
            wakes=read_list(values.get("wakes"), _wake)[-_WAKES_KEPT:],
        )


def _wake(stored: Any) -> LocalTime | None:
    if not isinstance(stored, list) or len(stored) != len(LocalTime._fields):
        return None
    at, hour, is_weekend = NUMBER.read(stored[0]), NUMBER.read(stored[1]), FLAG.read(stored[2])
    if at is None or hour is None or is_weekend is None or not 0 <= hour <= 24:  # noqa: PLR2004 - hours
        return None
    return LocalTime(at, hour, is_weekend)
