"""Where the simulation takes its time from."""

from collections.abc import Callable
import time as wall
from typing import override


class Clock:
    """Simulated time, in Unix seconds: as fast as the wall clock's, or a multiple of it."""

    def __init__(self, speed: float = 1.0, time: Callable[[], float] | None = None) -> None:
        """Start at the present moment; `time` replaces the wall clock."""
        # Looked up at every call, so that whoever replaces `time.time` later is heard.
        self._time = time or (lambda: wall.time())  # noqa: PLW0108
        self._speed = speed
        self._simulated = self._real = self._time()

    @property
    def speed(self) -> float:
        """How many simulated seconds pass in one real second."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        """Go on from the present moment at another speed."""
        self._simulated, self._real = self.now(), self._time()
        self._speed = speed

    def now(self) -> float:
        """Return the simulated moment, in Unix seconds."""
        return self._simulated + (self._time() - self._real) * self._speed


class ManualClock(Clock):
    """A clock that stands still until it is moved by hand."""

    def __init__(self, start: float = 1_577_880_000.0) -> None:
        """Start at noon (UTC) of the first day of 2020, or at `start`."""
        self._moment = start
        super().__init__(time=lambda: self._moment)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._moment += seconds

    @override
    def now(self) -> float:
        """Return the moment to which the clock was moved."""
        return self._moment
