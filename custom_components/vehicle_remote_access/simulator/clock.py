"""The simulation's clock."""

from collections.abc import Callable
import math
import time as wall
from typing import Any, Final, NamedTuple

from .persistence import Json

SLOWEST, FASTEST = 1, 600
"""Limits of the speed, in simulated seconds per real second."""
_MAX_SEGMENTS: Final = 100
_LONGEST_GAP: Final = 3600.0


class _Segment(NamedTuple):
    """A period of constant speed, by its start in real and in simulated time."""

    real: float
    simulated: float
    speed: float


class Clock:
    """Simulated time, in Unix seconds: as fast as the wall clock, or a multiple of it.

    Simulated time never goes back. If the clock was not read for an hour, that period counts at normal speed:
    after a night of standby, a machine must not compute half a year.
    """

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
        real, before = self._time(), self._last_read
        self._last_read = real
        if real < before:
            self._start_segment(real, self.simulated(before), self.speed)
        elif real - before > _LONGEST_GAP and self.speed > 1:
            self._pass_at_normal_speed(before, real)
        return self.simulated(real)

    def _start_segment(self, real: float, simulated: float, speed: float) -> None:
        self._segments = [*self._segments[-_MAX_SEGMENTS:], _Segment(real, simulated, speed)]

    def _pass_at_normal_speed(self, start: float, end: float) -> None:
        simulated, speed = self.simulated(start), self.speed
        self._start_segment(start, simulated, 1.0)
        self._start_segment(end, simulated + max(0.0, end - start), speed)

    def real(self, moment: float) -> float:
        """Return the real time of a simulated moment."""
        newest_first = reversed(self._segments)
        segment = next((found for found in newest_first if found.simulated <= moment), self._segments[0])
        return segment.real + (moment - segment.simulated) / segment.speed

    def simulated(self, real: float) -> float:
        """Return the simulated time of a real moment."""
        newest_first = reversed(self._segments)
        segment = next((found for found in newest_first if found.real <= real), self._segments[0])
        return segment.simulated + (real - segment.real) * segment.speed

    def as_json(self) -> Json:
        """Return the segments, and the real time up to which they hold."""
        self.now()
        return {"laps": [list(segment) for segment in self._segments], "until": self._last_read}

    def restore(self, stored: Any) -> None:
        """Continue at the stored speed. The time since then passed at normal speed.

        Raises an exception of any type if the stored state is invalid.
        """
        segments = [_Segment(*map(float, lap)) for lap in stored["laps"]]
        until = float(stored["until"])
        if not segments or not all(math.isfinite(sum(segment)) and segment.speed > 0 for segment in segments):
            raise ValueError
        self._segments, self._last_read = segments, self._time()
        self._pass_at_normal_speed(until, self._last_read)


class ManualClock(Clock):
    """A clock that stands still until `advance` is called."""

    def __init__(self, start: float = 1_577_880_000.0, speed: float = 1.0) -> None:
        self._moment = start
        super().__init__(speed, time=lambda: self._moment)

    def advance(self, seconds: float) -> None:
        self._moment += seconds
