"""The cheapest steps of time in which to charge, by dynamic programming."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
import math
from typing import Final

SHORTEST_BLOCK: Final = 2
"""Steps for which charging lasts at least, because each start wakes the car and wears its contactors."""
# Prices are rounded to a thousandth of a cent. Sums of whole numbers have no rounding error.
_PRECISION: Final = 1e-5

type _Row = list[float]
"""For each number of steps, the lowest cost of charging so many of the first i steps, less that of all i.

In these numbers, a step in which the car charges costs nothing, and one in which it does not saves its cost.
"""


def cheapest_blocks(
    prices: Sequence[float], steps: int, starts: int, running: int | None = None, start_price: float = 0.0
) -> list[range]:
    """Return the blocks of steps in which charging costs least.

    Of equal costs, the blocks are the fewest, and then the latest. `prices`: of each step. `steps`: how many
    to charge. `starts`: the most blocks, at least one. `running`: if the car charges now, for how many steps
    it must go on at least. This needs no start. `start_price`: of each start, in the unit of the prices.
    """
    if running is None:
        steps = max(steps, SHORTEST_BLOCK)
    if steps >= len(prices):
        return [range(len(prices))]
    costs = _with_lateness(prices)
    # best[k][i]: the row after i steps with k blocks
    best = [_going_on(costs, steps, running)]
    for _ in range(starts):
        best.append(_with_block(best[-1], costs, steps))
    # The lowest cost without the lateness. Of equal ones, min() returns the first.
    possible = [blocks for blocks, rows in enumerate(best) if rows[-1][steps] < math.inf]
    total, each_start = sum(costs), round(start_price / _PRECISION)
    count = min(
        possible,
        key=lambda blocks: (best[blocks][-1][steps] + total) // len(prices) ** 2 + blocks * each_start,
    )
    blocks, end = [], len(prices)
    for rows, before in pairwise(best[count::-1]):
        while len(rows[end - 1]) > steps and rows[end][steps] == rows[end - 1][steps] - costs[end - 1]:
            end -= 1
        start = end - SHORTEST_BLOCK
        while len(before[start]) <= (left := steps - end + start) or before[start][left] != rows[end][steps]:
            start -= 1
        blocks.append(range(start, end))
        end, steps = start, left
    if steps:
        blocks.append(range(steps))
    return blocks[::-1]


def _with_lateness(prices: Sequence[float]) -> list[float]:
    """Return whole numbers in the order of the prices. Of equal prices, the later one is lower."""
    count = len(prices)
    return [
        round(price / _PRECISION) * float(count * count) + count - index for index, price in enumerate(prices)
    ]


def _going_on(costs: Sequence[float], steps: int, running: int | None) -> list[_Row]:
    """Return the rows without a start. `running`: see `cheapest_blocks`."""
    sums = [0.0, *accumulate(costs)]
    least, most = (0, 0) if running is None else (min(running, steps), steps)
    possible = [cost if least <= n <= most else math.inf for n, cost in enumerate(sums[: steps + 1])]
    return [[cost - total for cost in possible[: i + 1]] for i, total in enumerate(sums)]


def _with_block(before: Sequence[_Row], costs: Sequence[float], steps: int) -> list[_Row]:
    """Return the rows with another block. `before`: those without it."""
    impossible = [math.inf] * (steps + 1)
    rows = [impossible[: i + 1] for i in range(SHORTEST_BLOCK)]
    going = row = rows[-1]
    skipped = impossible[:SHORTEST_BLOCK]
    for end, (began, cost) in enumerate(
        zip(before, costs[SHORTEST_BLOCK - 1 :], strict=False), start=SHORTEST_BLOCK
    ):
        # With fewer steps until now, all steps that are left are too few.
        least = max(0, steps - len(costs) + end)
        # How the block goes on: it has begun in an earlier step, or it began just now.
        goes_on, begins = [math.inf, *going[:steps]][least:], [*skipped, *began][least:]
        going = impossible[:least]
        going += [
            on if on < new else new  # noqa: FURB136 - min() takes twice as long
            for on, new in zip(goes_on, begins, strict=False)
        ]
        idles, row = [*row, math.inf][least:], impossible[:least]
        row += [
            on if on < (saved := idle - cost) else saved
            for on, idle in zip(going[least:], idles, strict=False)
        ]
        rows.append(row)
    return rows
