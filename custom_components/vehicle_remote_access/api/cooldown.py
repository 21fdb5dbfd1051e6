"""Waiting periods by the monotonic clock, so that setting the system clock changes no duration."""

from random import random
import time
from typing import Final

# Smaller changes of the system clock are ignored, so that the reported end is stable.
_TOLERANCE: Final = 1.0
_FIRST_BACKOFF: Final = 60.0
_MOST_DOUBLINGS: Final = 10


class Cooldown:
    """A period in which something must wait. A new cooldown is over."""

    def __init__(self) -> None:
        self._ends_at = self._clock_offset = 0.0

    def start(self, seconds: float) -> None:
        """Wait for this many seconds from now. This replaces the time left."""
        self._ends_at = time.monotonic() + seconds
        self._clock_offset = _clock_offset()

    def extend(self, seconds: float) -> None:
        """Wait for at least this many seconds from now."""
        if seconds > self.left:
            self.start(seconds)

    def cancel(self) -> None:
        """End the cooldown."""
        self._ends_at = 0.0

    @property
    def left(self) -> float:
        """The seconds left, 0 if the cooldown is over."""
        return max(0.0, self._ends_at - time.monotonic())

    @property
    def ends_at(self) -> float:
        """The end in Unix seconds, 0 if the cooldown is over. Stable unless the system clock is set."""
        if self._ends_at <= time.monotonic():
            return 0.0
        offset = _clock_offset()
        if abs(offset - self._clock_offset) <= _TOLERANCE:
            return self._ends_at + self._clock_offset
        return self._ends_at + round(offset)


def backoff(failures: int, longest: float) -> float:
    """Return the delay in seconds after this many failures in a row. It doubles each time, up to a limit.

    From the second failure on, a random part adds up to a quarter, so that clients that failed at the same
    time do not retry at the same time.
    """
    if failures <= 1:
        return _FIRST_BACKOFF
    jitter = 1 + random() / 4  # noqa: S311 - not for cryptography
    return min(_FIRST_BACKOFF * 2.0 ** min(failures - 1, _MOST_DOUBLINGS), longest) * jitter


def _clock_offset() -> float:
    """Return the difference between the system clock and the monotonic clock."""
    return time.time() - time.monotonic()
