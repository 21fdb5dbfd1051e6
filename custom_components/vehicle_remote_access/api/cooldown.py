"""Waiting periods by the monotonic clock, so that setting the system clock changes no duration."""

from random import random
import time
from typing import Final

_FIRST_BACKOFF: Final = 60.0
_MOST_DOUBLINGS: Final = 10


class Cooldown:
    """A period in which something must wait. A new cooldown is over."""

    def __init__(self) -> None:
        self._ends_at = 0.0

    def start(self, seconds: float) -> None:
        """Wait for this many seconds from now. This replaces the time left."""
        self._ends_at = time.monotonic() + seconds

    def extend(self, seconds: float) -> None:
        """Wait for at least this many seconds from now."""
        if seconds > self.left:
            self.start(seconds)

    def cancel(self) -> None:
        self._ends_at = 0.0

    @property
    def left(self) -> float:
        return max(0.0, self._ends_at - time.monotonic())

    @property
    def ends_at(self) -> float:
        """The end in Unix seconds, rounded so that it is the same each time; 0 if the cooldown is over."""
        left = self._ends_at - time.monotonic()
        return round(time.time() + left) if left > 0 else 0


def backoff(failures: int, longest: float, first: float = _FIRST_BACKOFF) -> float:
    """Return the delay in seconds after this many failures in a row. It doubles each time, up to a limit.

    From the second failure on, a jitter of up to a quarter spreads clients that failed at the same time.
    """
    if failures <= 1:
        return first
    jitter = 1 + random() / 4  # noqa: S311 - not for cryptography
    return min(first * 2.0 ** min(failures - 1, _MOST_DOUBLINGS), longest) * jitter
