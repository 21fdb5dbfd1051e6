"""Spends the requests of a day where they matter: more often at times at which a car usually wakes.

With a fixed number of requests, a wake is seen soonest if the rate of requests is proportional to the square
root of the chance of a wake. No clock, no network. Times are Unix seconds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
import math
from typing import Final

from .arrival_rate import BINS, BINS_PER_HOUR
from .habits import is_night

SHORTEST_INTERVAL: Final = 25.0
"""Shortest interval between two requests."""
# At least this share of an even rate is always kept, because habits may change.
_EVEN_SHARE_BY_DAY: Final = 0.78
_EVEN_SHARE_BY_NIGHT: Final = 0.4
# Requests that are kept for people: a share of the limit, but not more than a few commands need
_RESERVE_SHARE: Final = 0.05
_RESERVE: Final = 12
# How long a car is used, for spacing the live reads that are left
_USE: Final = 3000.0
# A slower charge is read less often.
_FAST_CHARGE: Final = 50.0
_SLOWEST: Final = 3.0
_LONGEST_READ_INTERVAL: Final = 1800.0
# The beginning and the end of each further use come first.
_READS_PER_USE: Final = 3
_HOUR: Final = 3600.0
_BIN: Final = 24 * _HOUR / BINS
# Timers may fire a moment early, and the request would count for the earlier day.
MIDNIGHT_MARGIN: Final = 2.0
# A smaller slope is an error of rounding.
_FLAT: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What the rate of requests depends on, as of the last request."""

    last: float
    """When the last request was sent."""
    hour: float
    """The local hour of the day then."""
    midnight: float
    """The local midnight at which the next day's requests become available."""
    left: float
    """The number of requests that are left for this day."""
    even: float
    """Requests per second if the requests of the whole day were spread evenly."""
    chances: tuple[float, ...]
    """The chance per hour that a car wakes, for each bin of the day; empty if no car is asleep."""
    longest_by_day: float
    """Longest interval by day, unless this takes more requests than are left."""
    longest_by_night: float


@lru_cache(maxsize=64)
def next_request(pace: Pace) -> float:
    """Return when to send the next request: when the integral of the rate since the last one reaches 1."""
    if pace.left < 1:
        return pace.midnight + MIDNIGHT_MARGIN
    at, missing = pace.last, 1.0
    for seconds, rate in _rates(pace):
        if rate * seconds >= missing:
            return at + missing / rate
        at, missing = at + seconds, missing - rate * seconds
    # The next day has its own requests.
    return pace.midnight + MIDNIGHT_MARGIN


def reserve(limit: float) -> int:
    """Return how many requests of a limit are kept for people."""
    return min(math.ceil(limit * _RESERVE_SHARE), _RESERVE)


def wakes_until(chances: Sequence[float], hour: float) -> float:
    """Return how many wakes are expected from this hour of the day until midnight."""
    return sum(chances[int(hour * BINS_PER_HOUR) :]) / BINS_PER_HOUR


def spaced_interval(available: float, further_uses: float, charger_power: float | None = None) -> float:
    """Return the interval between live reads of a car in use with which they last for this and further uses.

    Each read makes the interval longer, so a very long drive does not use up all reads. `charger_power`: kW
    """
    slower = 1.0 if charger_power is None else min(max(_FAST_CHARGE / max(charger_power, 1.0), 1.0), _SLOWEST)
    available -= _READS_PER_USE * further_uses
    return min(_USE * (1 + further_uses) / max(available, 1.0) * slower, _LONGEST_READ_INTERVAL)


def _rates(pace: Pace) -> list[tuple[float, float]]:
    """Return the requests per second until midnight, as pairs of seconds and rate."""
    spans = _spans(pace)
    available = pace.left / max(pace.midnight - pace.last, 1.0)
    even = pace.even if pace.chances else 0.0
    highest = 1 / SHORTEST_INTERVAL
    parts = [
        (
            seconds,
            math.sqrt(pace.chances[index]) if pace.chances else 0.0,
            min(max(1 / longest, share * even), available, highest),
        )
        for seconds, index, longest, share in spans
    ]
    factor = _factor(parts, pace.left, highest)
    return [(seconds, min(max(factor * root, lowest), highest)) for seconds, root, lowest in parts]


def _factor(parts: Sequence[tuple[float, float, float]], left: float, highest: float) -> float:
    """Return the factor of the roots with which the requests that are left last until midnight.

    Each part has its seconds, the root of its chance, and its lowest rate. The number of requests grows with
    the factor. Its slope is known between the factors at which the rate of a part reaches a limit.
    """
    limits = []
    spent = slope = 0.0
    for seconds, root, lowest in parts:
        spent += seconds * lowest
        if root:
            limits += [(lowest / root, seconds * root), (highest / root, -seconds * root)]
    factor = 0.0
    for limit, change in sorted(limits):
        if spent + slope * (limit - factor) >= left:
            break
        spent, slope, factor = spent + slope * (limit - factor), slope + change, limit
    return factor + (left - spent) / slope if slope > _FLAT else factor


def _spans(pace: Pace) -> Iterator[tuple[float, int, float, float]]:
    """Yield the seconds, the bin, the longest interval and the even share of the parts until midnight."""
    at, position = pace.last, pace.hour * BINS / 24
    while at < pace.midnight:
        index = math.floor(position)
        seconds = min((index + 1 - position) * _BIN, pace.midnight - at)
        if is_night(index % BINS * 24 / BINS):
            yield seconds, index % BINS, pace.longest_by_night, _EVEN_SHARE_BY_NIGHT
        else:
            yield seconds, index % BINS, pace.longest_by_day, _EVEN_SHARE_BY_DAY
        at, position = at + seconds, index + 1.0
