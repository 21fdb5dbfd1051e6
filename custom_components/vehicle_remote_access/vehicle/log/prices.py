"""What energy costs at each moment."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import Final, Self

_KEPT: Final = 2 * 86_400.0
# While the sensor is unavailable, its last price counts for this time.
_LONGEST_OUTAGE: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of one kWh: at home by a sensor or fixed, and elsewhere."""

    home: float | None = None
    """The fixed price at home."""
    away: float | None = None
    changes: Sequence[tuple[float, float | None]] = field(default=())
    """The moments at which the sensor's price changed, and the new price. They replace the fixed price."""

    def changed(self, at: float, price: float | None) -> Self:
        """Return the prices after the sensor changed. Prices of more than two days ago are left out.

        `price`: None if the sensor became unavailable.
        """
        if price is None and (not self.changes or self.changes[-1][1] is None):
            return self
        first = bisect_left(self.changes, at - _KEPT, key=itemgetter(0))
        # One older price is in effect at the beginning of the two days.
        kept = [change for change in self.changes[max(0, first - 1) :] if change[0] < at]
        return type(self)(home=self.home, away=self.away, changes=(*kept, (at, price)))

    def mean(self, start: float, end: float, *, is_away: bool) -> float | None:
        """Return the mean price of a time, None if it is unknown.

        Before the first known price, that price is the best guess.
        """
        if is_away:
            return self.away
        if not self.changes:
            return self.home
        index = max(0, bisect_right(self.changes, start, key=itemgetter(0)) - 1)
        total, weight = 0.0, 0.0
        steps = [*self.changes[index:], (float("inf"), 0.0)]
        last = self.changes[max(0, index - 1)][1]
        for (at, price), (until, _) in pairwise(steps):
            begins = start if at == steps[0][0] else at
            seconds = min(until, end) - begins
            if seconds > 0 and price is None and min(until, end) - at > _LONGEST_OUTAGE:
                return None
            last = last if price is None else price
            if seconds > 0 and last is not None:
                total, weight = total + last * seconds, weight + seconds
        return total / weight if weight else steps[0][1]
