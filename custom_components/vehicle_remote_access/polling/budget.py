"""Spends the requests of a day where they matter: more often at times at which a car usually wakes.

With a fixed number of requests, a wake is seen soonest if the rate of requests is proportional to the square
root of the chance of a wake. No clock, no network. Times are Unix seconds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
import math
from typing import Final

from .arrival_rate import BINS
from .habits import is_night

SHORTEST_INTERVAL: Final = 25.0
"""Shortest interval between two requests."""
_HOUR: Final = 3600.0
_BIN: Final = 24 * _HOUR / BINS
# Timers may fire a moment early, and the request would count for the earlier day.
_MIDNIGHT_MARGIN: Final = 2.0
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
    chances: tuple[float, ...]
    """The chance per hour that a car wakes, for each bin of the day; empty if no car is asleep."""
    longest_by_day: float
    """Longest interval by day, unless this takes too many of the requests that are left."""
    longest_by_night: float
    even_share: float = 1.0
    """The share of the requests that are left that may be spread evenly to keep to the longest intervals."""


@lru_cache(maxsize=64)
def next_request(pace: Pace) -> float:
    """Return when to send the next request: when the integral of the rate since the last one reaches 1."""
    if pace.left < 1:
        return pace.midnight + _MIDNIGHT_MARGIN
    at, missing = pace.last, 1.0
    for seconds, rate in _rates(pace):
        if rate * seconds >= missing:
            return at + missing / rate
        at, missing = at + seconds, missing - rate * seconds
    # The next day has its own requests.
    return pace.midnight + _MIDNIGHT_MARGIN


def _rates(pace: Pace) -> list[tuple[float, float]]:
    """Return the requests per second until midnight, as pairs of seconds and rate."""
    spans = list(_spans(pace))
    even = pace.left * pace.even_share / max(pace.midnight - pace.last, 1.0)
    highest = 1 / SHORTEST_INTERVAL
    parts = [
        (seconds, math.sqrt(pace.chances[index]) if pace.chances else 0.0, min(lowest, even, highest))
        for seconds, index, lowest in spans
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


def _spans(pace: Pace) -> Iterator[tuple[float, int, float]]:
    """Yield the seconds, the bin and the lowest rate of each part of the time until midnight."""
    at, position = pace.last, pace.hour * BINS / 24
    while at < pace.midnight:
        index = math.floor(position)
        seconds = min((index + 1 - position) * _BIN, pace.midnight - at)
        longest = pace.longest_by_night if is_night(index % BINS * 24 / BINS) else pace.longest_by_day
        yield seconds, index % BINS, 1 / longest
        at, position = at + seconds, index + 1.0
