"""Decides how long to watch a parked car before it is left alone to fall asleep.

While a car is left alone, a drive is not seen. So it is best left alone when a drive is unlikely, but a car
that is watched for long sleeps less. No clock, no network. Durations are seconds.
"""

from collections.abc import Iterable, Sequence
import math
from typing import Final

from ..util.local_time import HOUR
from .wake_rate import BINS, BINS_PER_HOUR

SHORTEST_WATCH: Final = 180.0
"""How long a car is watched at least, because something often follows, for example plugging it in."""
LONGEST_WATCH: Final = 1860.0
"""How long it is watched at most: a stop of half an hour, which is seen a little later."""
_STEP: Final = 60.0
# A minute of sleep is worth as much as a drive that is shown three seconds sooner.
_SLEEP_VALUE: Final = 0.05
# A drive that is not seen during this time is usually over.
_LONGEST_DELAY: Final = 1200.0

# The lengths of stays are counted in bins, each a sixth longer than the one before.
_FIRST: Final = 150.0
_GROWTH: Final = 1.17
_BINS: Final = 36
# Without known stays, all bins are equally likely: five to ten minutes as likely as one to two hours. This
# assumption counts as much as this share of one known stay.
_ASSUMED: Final = 0.19
# A stay that lasted for a bin may last a little less or more next time.
_SPREAD: Final = ((-2, 0.1), (-1, 0.2), (0, 0.4), (1, 0.2), (2, 0.1))

# Departures at usual times are expected in steps of two minutes, for two hours.
_MINUTES_AHEAD: Final = range(1, 120, 2)
_LATER: Final = 8 * HOUR

type Departure = tuple[float, float]
"""Seconds from now after which the car may be driven, and how likely that is among all departures."""


def after_stays(lengths: Iterable[float]) -> list[Departure]:
    """Return when a car that was just parked may be driven. `lengths`: of the known stays at this place."""
    chances = [_ASSUMED / _BINS] * _BINS
    for lasted in lengths:
        middle = round(math.log(max(lasted, _FIRST) / _FIRST, _GROWTH))
        for offset, share in _SPREAD:
            chances[min(max(middle + offset, 0), _BINS - 1)] += share
    return [(_FIRST * _GROWTH**index, chance) for index, chance in enumerate(chances)]


def after_wakes(chances: Sequence[float], hour: float) -> list[Departure]:
    """Return when a car that is idle may be driven. `chances`: per hour, for each bin of the day."""
    departures: list[Departure] = []
    remaining = 1.0
    for minutes in _MINUTES_AHEAD:
        chance = chances[int((hour + minutes / 60) * BINS_PER_HOUR) % BINS]
        used = remaining * -math.expm1(-chance * _MINUTES_AHEAD.step / 60)
        departures.append((minutes * 60.0, used))
        remaining -= used
    return [*departures, (_LATER, remaining)]


def best_watch(departures: Sequence[Departure], asleep_after: float, quiet_period: float) -> float:
    """Return the seconds T for which to watch a car, with the lowest expected cost.

    cost(T) = Σ chance · (delay + _SLEEP_VALUE · lost sleep), over all departures, with

    - delay, in seconds: if T <= after < T + `asleep_after`, the car is left alone, and the drive is shown at
      T + `quiet_period`, unless it ends before. Earlier, the car is watched. Later, it is asleep, and the
      list shows that it wakes.
    - lost sleep, in seconds: T, but at most after - `asleep_after`, because a car that leaves sooner doesn't
      sleep.

    `asleep_after`: when the car falls asleep, in seconds. `quiet_period`: when it is read if it does not.
    """

    def cost(watch: float) -> float:
        total = 0.0
        for after, chance in departures:
            lost_sleep = min(watch, max(after - asleep_after, 0.0))
            is_missed = watch <= after < watch + asleep_after
            delay = min(watch + quiet_period - after, _LONGEST_DELAY) if is_missed else 0.0
            total += chance * (delay + _SLEEP_VALUE * lost_sleep)
        return total

    steps = round((LONGEST_WATCH - SHORTEST_WATCH) / _STEP)
    return min((SHORTEST_WATCH + _STEP * step for step in range(steps + 1)), key=cost)
