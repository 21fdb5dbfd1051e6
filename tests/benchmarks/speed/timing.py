"""Durations, their medians, and ratios of pairs that were measured one after the other (A B A B).

Other processes slow a machine down for a while, but both durations of a pair alike.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, thread_time
from typing import Self


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration in microseconds."""

    wall: float
    cpu: float
    """CPU time of this thread."""

    def __sub__(self, other: Self) -> Self:
        """Return the difference."""
        return type(self)(self.wall - other.wall, self.cpu - other.cpu)

    def __truediv__(self, divisor: float) -> Self:
        """Return a fraction of it."""
        return type(self)(self.wall / divisor, self.cpu / divisor)


class Stopwatch:
    """Measures the time since its creation."""

    def __init__(self) -> None:
        """Start."""
        self._wall, self._cpu = perf_counter(), thread_time()

    @property
    def elapsed(self) -> Duration:
        """The time since the start."""
        return Duration((perf_counter() - self._wall) * 1e6, (thread_time() - self._cpu) * 1e6)


async def measure(action: Callable[[], Awaitable[object]]) -> Duration:
    """Run an action and return its duration."""
    stopwatch = Stopwatch()
    await action()
    return stopwatch.elapsed


def median_duration(durations: Iterable[Duration]) -> Duration:
    """Return the medians of wall and CPU time."""
    all_durations = list(durations)
    return Duration(median(one.wall for one in all_durations), median(one.cpu for one in all_durations))


def median_ratio(durations: Sequence[Duration], others: Sequence[Duration]) -> Duration:
    """Return the medians of the ratios of the pairs."""
    pairs = list(zip(durations, others, strict=True))
    return median_duration(Duration(one.wall / other.wall, one.cpu / other.cpu) for one, other in pairs)
