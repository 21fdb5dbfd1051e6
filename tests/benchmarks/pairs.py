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


class Stopwatch:
    """Runs."""

    def __init__(self) -> None:
        """Begin now."""
        self._wall, self._processor = perf_counter(), thread_time()

    @property
    def took(self) -> Took:
        """How long it has run."""
        return Took((perf_counter() - self._wall) * 1e6, (thread_time() - self._processor) * 1e6)


async def taken(doing: Callable[[], Awaitable[object]]) -> Took:
    """Do something, and return how long it took."""
    watch = Stopwatch()
    await doing()
    return watch.took


def usual(figures: Iterable[Took]) -> Took:
    """Return the medians."""
    each = list(figures)
    return Took(median(one.wall for one in each), median(one.processor for one in each))


def times(figures: Sequence[Took], others: Sequence[Took]) -> Took:
    """Return how many times as long as the other of its pair one usually took."""
    pairs = list(zip(figures, others, strict=True))
    return usual(Took(one.wall / other.wall, one.processor / other.processor) for one, other in pairs)
