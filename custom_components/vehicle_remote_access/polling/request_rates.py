"""Plans the requests of a day: more at the times at which a car usually wakes.

With a fixed number of requests, a wake is seen soonest if the rate of requests is proportional to the square
root of the chance that a car wakes. While no car sleeps, none are sent, so the plan counts requests by the
chance that a car sleeps then. No clock, no network. Times are Unix seconds.
"""

from collections.abc import Sequence
from functools import lru_cache
import math
from typing import Final

from ..util.local_time import DAY, LocalTime
from .wake_rate import BINS, BINS_PER_HOUR

SHORTEST_SPACING: Final = 25.0
_HIGHEST_RATE: Final = 1 / SHORTEST_SPACING
# At least this share of an even rate is always kept, because habits may change.
_EVEN_SHARE: Final = 0.6
# Requests that are kept for users: a share of the limit, but not more than a few commands need
_RESERVE_SHARE: Final = 0.05
_RESERVE: Final = 12
# How long a car is awake for a use
_USE: Final = 3000.0
# A car that is usually in use may be asleep today.
_LEAST_ASLEEP: Final = 0.3
# A slower charge is read less often.
_FAST_CHARGE: Final = 50.0
_SLOWEST: Final = 3.0
_LONGEST_READ_INTERVAL: Final = 1800.0
BIN: Final = DAY / BINS
_BINS_IN_USE: Final = round(_USE / BIN)
# Timers may fire a moment early, and the request would count for the earlier day.
CLOCK_MARGIN: Final = 2.0
# Halves the factor's range often enough that less than one request a day is missing.
_HALVINGS: Final = 20


def request_rates(
    start: LocalTime,
    midnight: float,
    left: float,
    a_day: float,
    longest: float,
    chances: Sequence[Sequence[float]],
) -> list[float]:
    """Return the requests per second, for each bin of the day from the start until midnight.

    `start`: the beginning of a bin. `midnight`: when the next day's requests become available. `left`: how
    many requests are left for this day. `a_day`: how many the whole day has. `longest`: the longest interval,
    which is exceeded if too few requests are left. `chances`: for each sleeping car the chance per hour that
    it wakes, for each bin of the day.
    """
    first = round(start.hour * BINS_PER_HOUR)
    count = round((midnight - start.at) / BIN)
    bins = [index % BINS for index in range(first, first + count)]
    # No rate is lower. Otherwise, a car that stays asleep at its usual times would use up the requests of
    # the evening.
    lowest = 1 / longest
    if chances:
        lowest = max(lowest, _EVEN_SHARE * a_day / DAY)
    lowest = min(lowest, _HIGHEST_RATE, left / (count * BIN))
    if not chances:
        return [lowest] * count
    roots = [math.sqrt(sum([by_bin[index] for by_bin in chances])) for index in bins]
    asleep = [1 - math.prod([_awake(by_bin, index) for by_bin in chances]) for index in bins]

    def planned(factor: float) -> list[float]:
        return [min(max(factor * root, lowest), _HIGHEST_RATE) for root in roots]

    # The number of requests grows with the factor. The search halves its range.
    least, most = 0.0, _HIGHEST_RATE / min(roots)
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        spans = zip(planned(middle), asleep, strict=True)
        if BIN * sum([lowest + (rate - lowest) * chance for rate, chance in spans]) <= left:
            least = middle
        else:
            most = middle
    return planned(least)


def _awake(chances: Sequence[float], index: int) -> float:
    """Return the chance that a car is awake in this bin of the day, because it woke for a use."""
    # The bins before the first one are those of the evening.
    woke = sum([chances[index - past] for past in range(_BINS_IN_USE)]) / BINS_PER_HOUR
    return min(woke, 1 - _LEAST_ASLEEP)


def next_time(last: float, start: float, rates: Sequence[float]) -> float:
    """Return when the integral of the rates, which begin at `start`, reaches 1 after `last`."""
    missing, end = 1.0, start
    for rate in rates:
        begin, end = max(last, end), end + BIN
        if rate * (end - begin) >= missing:
            return begin + missing / rate
        missing -= rate * max(end - begin, 0.0)
    return math.inf


# Each live read asks several times, and limits rarely change.
@lru_cache(maxsize=8)
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
    return min(_USE * (1 + further_uses) / max(available, 1.0) * slower, _LONGEST_READ_INTERVAL)
