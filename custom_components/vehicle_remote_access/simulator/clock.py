"""The simulation's clock."""

from collections.abc import Callable
import math
import time as wall
from typing import Any, Final, NamedTuple

from .persistence import Json

SLOWEST, FASTEST = 1, 600
"""Limits of the speed, in simulated seconds per real second."""
_MAX_SEGMENTS: Final = 100


class _Segment(NamedTuple):
    """A period of constant speed, by its start in real and in simulated time."""

    real: float
    simulated: float
    speed: float


class Clock:
    """Simulated time, in Unix seconds: as fast as the wall clock, or a multiple of it. It never goes back."""

    def __init__(self, speed: float = 1.0, time: Callable[[], float] | None = None) -> None:
        # Looked up at every call, so that a later replacement of `time.time` takes effect.
        self._time = time or (lambda: wall.time())  # noqa: PLW0108
        self._last_read = self._time()
        self._segments = [_Segment(self._last_read, self._last_read, speed)]

    @property
    def speed(self) -> float:
        """Simulated seconds per real second."""
        return self._segments[-1].speed

    @speed.setter
    def speed(self, speed: float) -> None:
        """Continue at another speed. Raises ValueError, with a message for a person, if out of range."""
        if not SLOWEST <= speed <= FASTEST:
            message = f"speed must be between {SLOWEST} and {FASTEST}"
            raise ValueError(message)
        self._start_segment(self._time(), self.now(), speed)

    def now(self) -> float:
        real, last = self._time(), self._segments[-1]
        simulated = last.simulated + (max(real, self._last_read) - last.real) * last.speed
        if real < self._last_read:
            self._start_segment(real, simulated, last.speed)
        self._last_read = real
        return simulated

    def _start_segment(self, real: float, simulated: float, speed: float) -> None:
        self._segments = [*self._segments[-_MAX_SEGMENTS:], _Segment(real, simulated, speed)]

    def real(self, moment: float) -> float:
        """Return the real time of a simulated moment."""
        newest_first = reversed(self._segments)
        segment = next((found for found in newest_first if found.simulated <= moment), self._segments[0])
        return segment.real + (moment - segment.simulated) / segment.speed

    def as_json(self) -> Json:
        """Return the current segment, and the real time up to which it holds."""
        self.now()
        return {"laps": [list(self._segments[-1])], "until": self._last_read}

    def restore(self, stored: Any) -> None:
        """Continue at normal speed, at which the time since then passed.

        Version 1.0.0 stored earlier segments, too, and the last one can be fast.
        Raises an exception of any type if the stored state is invalid.
        """
        last, until = _Segment(*map(float, stored["laps"][-1])), float(stored["until"])
        self._last_read = self._time()
        simulated = last.simulated + (until - last.real) * last.speed + max(0.0, self._last_read - until)
        if not math.isfinite(simulated):
            raise ValueError
        self._segments = [_Segment(self._last_read, simulated, 1.0)]


class ManualClock(Clock):
    """A clock that stands still until `advance` is called."""

    def __init__(self, start: float = 1_577_880_000.0, speed: float = 1.0) -> None:
        self._moment = start
        super().__init__(speed, time=lambda: self._moment)

    def advance(self, seconds: float) -> None:
        self._moment += seconds
