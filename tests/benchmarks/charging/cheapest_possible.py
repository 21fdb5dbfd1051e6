"""The least that a charge can cost if all prices are known in advance.

It shares nothing with the planner: it has steps of five minutes instead of fifteen, and other recurrences.
"""

from collections.abc import Sequence
from itertools import accumulate
import math
from typing import Final

STEP: Final = 300.0
_SHORTEST: Final = 6
"""Steps in half an hour, the shortest block."""
_STARTS: Final = 3


def cheapest_possible(prices: Sequence[float], steps: int, *, at_once: int, is_starting: bool) -> float:
    """Return the lowest mean price of charging for some steps.

    Each of up to three starts lasts for half an hour at least. `at_once`: how many steps come first, whatever
    they cost. `is_starting`: whether the car charges by itself at first, which needs no start.
    """
    if steps >= len(prices):
        return sum(prices) / len(prices)
    count = len(prices)
    sums = [0.0, *accumulate(prices)]
    # lowest[i][n]: the lowest cost of n steps among the first i
    lowest = [[math.inf] * (steps + 1) for _ in range(count + 1)]
    for i, row in enumerate(lowest):
        for n in range(at_once, min(i, steps) + 1) if is_starting else [0]:
            row[n] = sums[n]
    for _ in range(_STARTS):
        before, lowest = lowest, [lowest[0]]
        running = [math.inf] * (steps + 1)
        for i in range(1, count + 1):
            price = prices[i - 1]
            running = [math.inf, *(cost + price for cost in running[:-1])]
            if i >= _SHORTEST:
                start, block = before[i - _SHORTEST], sums[i] - sums[i - _SHORTEST]
                for n in range(_SHORTEST, steps + 1):
                    running[n] = min(running[n], start[n - _SHORTEST] + block)
            lowest.append([*map(min, before[i], lowest[-1], running, strict=True)])
    if steps < _SHORTEST and math.isinf(lowest[-1][steps]):
        # A start for less than half an hour
        return min(sums[i + steps] - sums[i] for i in range(count - steps + 1)) / steps
    return lowest[-1][steps] / steps
