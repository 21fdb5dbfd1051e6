"""The simulation's clock."""

from collections.abc import Callable
import math
import time as wall
from typing import Any

from .persistence import Json


class Clock:
    """Simulated time, in Unix seconds. It passes like real time, and never goes back."""

    speed: float = 1.0  # simulated seconds per real second

    def __init__(self, time: Callable[[], float] | None = None) -> None:
        # Looked up at every call, so that a later replacement of `time.time` takes effect.
        self._time = time or (lambda: wall.time())  # noqa: PLW0108
        self._last_read = self._time()
        self._ahead = 0.0
        """Seconds by which the simulation is ahead of real time."""

    def now(self) -> float:
        real = self._time()
        self._ahead += max(0.0, self._last_read - real)
        self._last_read = real
        return real + self._ahead

    def real(self, moment: float) -> float:
        return moment - self._ahead

    def as_json(self) -> Json:
        """Return the current simulated time, in the format of version 1.0.0, and its real time."""
        now = self.now()
        return {"laps": [[self._last_read, now, 1.0]], "until": self._last_read}

    def restore(self, stored: Any) -> None:
        """Continue at normal speed, at which the time since then passed.

        Version 1.0.0 had other speeds, and stored when the last one began.
        Raises an exception of any type if the stored state is invalid.
        """
        (began, simulated, speed), until = map(float, stored["laps"][-1]), float(stored["until"])
        ahead = simulated + (until - began) * speed - until
        if not math.isfinite(ahead):
            raise ValueError
        self._ahead, self._last_read = ahead, until


class ManualClock(Clock):
    """A clock that stands still until `advance` is called."""

    def __init__(self, start: float = 1_577_880_000.0) -> None:
        self._moment = start
        super().__init__(time=lambda: self._moment)

    def advance(self, seconds: float) -> None:
        self._moment += seconds
