"""The cheapest steps of time in which to charge."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

SHORTEST_BLOCK: Final = 2
"""Steps for which charging lasts at least, because each start wakes the car and wears its contactors."""
# Prices are rounded to a thousandth of a cent. Sums of whole numbers have no rounding error.
_PRECISION: Final = 1e-5


def cheapest_blocks(
    prices: Sequence[float], steps: int, running: int | None, start_price: float, *, can_pause: bool
) -> list[range]:
    """Return the one or two blocks of steps in which charging costs least. A third one saves nearly nothing.

    If several choices cost the same, the one with the fewest starts counts, and then the latest. `prices`: of
    each step. `steps`: how many to charge. `running`: the least number of further steps of a car that charges
    now, which needs no start; None if it does not charge. `start_price`: of each start, in the unit of the
    prices. `can_pause`: whether a charge that is not running may have two blocks.
    """
    if running is None:
        steps = max(steps, SHORTEST_BLOCK)
    if steps >= len(prices):
        return [range(len(prices))]
    count, each_start = len(prices), round(start_price / _PRECISION)
    # Of steps with equal prices, the later one costs less, by so little that all steps stay below one unit.
    unit = count**2
    costs = (round(price / _PRECISION) * unit + count - index for index, price in enumerate(prices))
    sums = [0, *accumulate(costs)]
    candidates = []
    for length in _first_lengths(steps, running, can_pause=can_pause):
        left = steps - length
        first = range(length)
        cost = sums[length]
        for start in range(length, count - left + 1):
            earlier = sums[start] - sums[start - length]
            if running is None and earlier < cost:
                first, cost = range(start - length, start), earlier
            total = cost + sums[start + left] - sums[start]
            starts = (running is None and length > 0) + (left > 0)
            key = total // unit + starts * each_start, starts, total
            candidates.append((key, first, range(start, start + left)))
    _, *blocks = min(candidates, key=lambda candidate: candidate[0])
    return [block for block in blocks if block]


def _first_lengths(steps: int, running: int | None, *, can_pause: bool) -> Iterable[int]:
    """Return how many steps the first of two blocks may have. The second one has all others."""
    if running is not None:
        return [*range(min(running, steps), steps - SHORTEST_BLOCK + 1), steps]
    return [0, *range(SHORTEST_BLOCK, steps - SHORTEST_BLOCK + 1)] if can_pause else [0]
