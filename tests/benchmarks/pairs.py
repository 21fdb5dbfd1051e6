"""What is measured in turn, A B A B: medians, and ratios pair by pair.

Whatever else runs on a machine makes it slower for a while, but both of a pair alike.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, thread_time
from typing import Self


@dataclass(frozen=True, slots=True)
class Took:
    """How long something took, in microseconds."""

    wall: float
    processor: float
    """Of this thread."""

    def __sub__(self, other: Self) -> Self:
        """Return what is beyond another."""
        return type(self)(self.wall - other.wall, self.processor - other.processor)


async def taken(doing: Callable[[], Awaitable[object]]) -> Took:
    """Do something, and return how long it took."""
    wall, processor = perf_counter(), thread_time()
    await doing()
    return Took((perf_counter() - wall) * 1e6, (thread_time() - processor) * 1e6)


def usual(figures: Iterable[Took]) -> Took:
    """Return the medians."""
    each = list(figures)
    return Took(median(one.wall for one in each), median(one.processor for one in each))


def times(figures: Sequence[Took], others: Sequence[Took]) -> Took:
    """Return how many times as long as the other of its pair one usually took."""
    pairs = list(zip(figures, others, strict=True))
    return usual(Took(one.wall / other.wall, one.processor / other.processor) for one, other in pairs)
