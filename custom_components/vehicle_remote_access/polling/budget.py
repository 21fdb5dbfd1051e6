"""Plans the requests of a day: more at the times at which a car usually wakes.

With a fixed number of requests, a wake is seen soonest if the rate of requests is proportional to the square
root of the chance that a sleeping car wakes. No request is necessary while no car sleeps, so the plan counts
those of each time by the chance that a car sleeps then. No clock, no network. Times are Unix seconds.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
import math
from typing import Final, NamedTuple

from .local_time import DAY, HOUR, LocalTime, is_night
from .wake_rate import BINS, BINS_PER_HOUR

SHORTEST_INTERVAL: Final = 25.0
_HIGHEST_RATE: Final = 1 / SHORTEST_INTERVAL
# At least this share of an even rate is always kept, because habits may change.
_EVEN_SHARE_BY_DAY: Final = 0.78
_EVEN_SHARE_BY_NIGHT: Final = 0.4
# Requests that are kept for users: a share of the limit, but not more than a few commands need
_RESERVE_SHARE: Final = 0.05
_RESERVE: Final = 12
# How long a car is awake for a use
_USE: Final = 3000.0
# Least chance that a car is asleep, because a car that is usually in use may be asleep today.
_LEAST_ASLEEP: Final = 0.3
# A slower charge is read less often.
_FAST_CHARGE: Final = 50.0
_SLOWEST: Final = 3.0
_LONGEST_READ_INTERVAL: Final = 1800.0
# The beginning and the end of each further use come first.
_READS_PER_USE: Final = 3
_BIN: Final = DAY / BINS
_BINS_IN_USE: Final = round(_USE / _BIN)
# Timers may fire a moment early, and the request would count for the earlier day.
CLOCK_MARGIN: Final = 2.0
# A smaller slope is an error of rounding.
_FLAT: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBudget:
    """The requests of the rest of a day, and what their rate depends on, as of the last request."""

    last: LocalTime
    """When the last request was sent."""
    midnight: float
    """The local midnight at which the next day's requests become available."""
    left: float
    """The number of requests that are left for this day."""
    even: float
    """Requests per second if the requests of the whole day were spread evenly."""
    chances: tuple[tuple[float, ...], ...]
    """For each sleeping car the chance per hour that it wakes, for each bin of the day."""
    longest_by_day: float
    """Longest interval by day, unless this takes more requests than are left."""
    longest_by_night: float


@lru_cache(maxsize=64)
def next_request(budget: RequestBudget) -> float:
    """Return when to send the next request: when the integral of the rate since the last one reaches 1."""
    if budget.left < 1:
        return budget.midnight + CLOCK_MARGIN
    at, missing = budget.last.at, 1.0
    for seconds, rate in _rates(budget):
        if rate * seconds >= missing:
            return at + missing / rate
        at, missing = at + seconds, missing - rate * seconds
    # The next day has its own requests.
    return budget.midnight + CLOCK_MARGIN


def reserve(limit: float) -> int:
    """Return how many requests of a limit are kept for users."""
    return min(math.ceil(limit * _RESERVE_SHARE), _RESERVE)


def wakes_until_midnight(chances: Sequence[float], hour: float) -> float:
    """Return how many wakes are expected from this hour of the day until midnight."""
    return sum(chances[int(hour * BINS_PER_HOUR) :]) / BINS_PER_HOUR


def spaced_interval(available: float, further_uses: float, charger_power: float | None = None) -> float:
    """Return the interval between live reads of a car in use with which they last for this and further uses.

    Each read makes the interval longer, so a very long drive does not use up all reads. `charger_power`: kW
    """
    slower = 1.0 if charger_power is None else min(max(_FAST_CHARGE / max(charger_power, 1.0), 1.0), _SLOWEST)
    available -= _READS_PER_USE * further_uses
    return min(_USE * (1 + further_uses) / max(available, 1.0) * slower, _LONGEST_READ_INTERVAL)


class _Span(NamedTuple):
    """The time within a bin, and the plan for it."""

    seconds: float
    bin_index: int
    lowest: float
    """The lowest rate of requests per second."""
    root: float = 0.0
    """The square root of the chance that a sleeping car wakes."""
    asleep: float = 1.0
    """The chance that a car is asleep then, so that requests are necessary."""

    def rate(self, factor: float) -> float:
        return min(max(factor * self.root, self.lowest), _HIGHEST_RATE)


def _rates(budget: RequestBudget) -> list[tuple[float, float]]:
    """Return the requests per second until midnight, as pairs of seconds and rate."""
    spans = list(_spans(budget))
    needed = sum(span.seconds * span.lowest for span in spans)
    affordable = min(budget.left / needed, 1.0) if needed else 1.0
    cars = [_hazards(each) for each in budget.chances]
    planned = [
        span._replace(
            lowest=span.lowest * affordable,
            root=math.sqrt(sum(hazards[span.bin_index] for hazards in cars)),
            asleep=max(1 - math.prod(awake), _LEAST_ASLEEP),
        )
        # Without a sleeping car, the root is 0, and the chance does not count.
        for span, *awake in zip(spans, *(_awake(hazards, spans) for hazards in cars), strict=True)
    ]
    factor = _factor(planned, budget.left)
    return [(span.seconds, span.rate(factor)) for span in planned]


@lru_cache(maxsize=64)
def _hazards(chances: tuple[float, ...]) -> tuple[float, ...]:
    """Return the chance per hour that a car wakes if it is asleep, for each bin.

    A car that woke within the duration of a use is awake.
    """
    return tuple(
        chance
        / max(1 - sum(chances[index - past] for past in range(_BINS_IN_USE)) / BINS_PER_HOUR, _LEAST_ASLEEP)
        for index, chance in enumerate(chances)
    )


def _awake(hazards: Sequence[float], spans: Sequence[_Span]) -> Iterator[float]:
    """Yield the chance that a car that is asleep now is awake, for each span."""
    awake = 0.0
    woken: deque[float] = deque([0.0] * _BINS_IN_USE)
    for span in spans:
        yield awake
        woken.append((1 - awake) * -math.expm1(-hazards[span.bin_index] * span.seconds / HOUR))
        awake += woken[-1] - woken.popleft()


def _factor(spans: Sequence[_Span], left: float) -> float:
    """Return the factor of the roots with which the requests that are left usually last until midnight.

    The lowest rates are always kept, so that a car that stays asleep at its usual times does not use up the
    requests of the evening. The number of requests grows with the factor. Its slope is known between the
    factors at which the rate of a span reaches a limit.
    """
    limits = []
    spent = slope = 0.0
    for span in spans:
        spent += span.seconds * span.lowest
        if span.root:
            change = span.seconds * span.asleep * span.root
            limits += [(span.lowest / span.root, change), (_HIGHEST_RATE / span.root, -change)]
    factor = 0.0
    for limit, change in sorted(limits):
        if spent + slope * (limit - factor) >= left:
            break
        spent, slope, factor = spent + slope * (limit - factor), slope + change, limit
    return factor + (left - spent) / slope if slope > _FLAT else factor


def _spans(budget: RequestBudget) -> Iterator[_Span]:
    even = budget.even if budget.chances else 0.0
    at = budget.last.at
    hour = budget.last.hour + int(at % 60) / HOUR
    position = hour * BINS / 24
    while at < budget.midnight:
        index = math.floor(position)
        seconds = min((index + 1 - position) * _BIN, budget.midnight - at)
        if is_night(index % BINS * 24 / BINS):
            lowest = max(1 / budget.longest_by_night, _EVEN_SHARE_BY_NIGHT * even)
        else:
            lowest = max(1 / budget.longest_by_day, _EVEN_SHARE_BY_DAY * even)
        yield _Span(seconds, index % BINS, min(lowest, _HIGHEST_RATE))
        at, position = at + seconds, index + 1.0
