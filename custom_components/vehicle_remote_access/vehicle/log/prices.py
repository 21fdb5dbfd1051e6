"""What energy costs at each moment."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Self

_KEPT: Final = 2 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of one kWh: at home by a sensor or fixed, and elsewhere."""

    home: float | None = None
    """The fixed price at home."""
    away: float | None = None
    changes: Sequence[tuple[float, float]] = field(default=())
    """The moments at which the sensor's price changed, and the new price. They replace the fixed price."""

    def changed(self, at: float, price: float) -> Self:
        """Return the prices after the sensor changed. Prices of more than two days ago are left out."""
        first = bisect_right(self.changes, (at - _KEPT,))
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
        index = max(0, bisect_right(self.changes, (start, float("inf"))) - 1)
        total, weight = 0.0, 0.0
        steps = [*self.changes[index:], (float("inf"), 0.0)]
        for (at, price), (until, _) in pairwise(steps):
            begins = start if at == steps[0][0] else at
            seconds = min(until, end) - begins
            if seconds > 0:
                total, weight = total + price * seconds, weight + seconds
        return total / weight if weight else steps[0][1]
