"""The clock of the stand-alone simulator, which can be faster than real time."""

from collections.abc import Callable
from typing import Final, NamedTuple, override

from custom_components.vehicle_remote_access.simulator import Clock

SLOWEST, FASTEST = 1, 600
"""Limits of the speed, in simulated seconds per real second."""
_MAX_SEGMENTS: Final = 100


class _Segment(NamedTuple):
    """A period of constant speed, by its start in real and in simulated time."""

    real: float
    simulated: float
    speed: float


class FastClock(Clock):
    """Simulated time, in Unix seconds, that passes at any speed. It never goes back."""

    def __init__(self, speed: float = 1.0, time: Callable[[], float] | None = None) -> None:
        super().__init__(time)
        self._segments = [_Segment(self._last_read, self._last_read, speed)]

    @property
    def speed(self) -> float:
        return self._segments[-1].speed

    @speed.setter
    def speed(self, speed: float) -> None:
        """Continue at another speed. Raises ValueError, with a message for a person, if out of range."""
        if not SLOWEST <= speed <= FASTEST:
            message = f"speed must be between {SLOWEST} and {FASTEST}"
            raise ValueError(message)
        self._start_segment(self._time(), self.now(), speed)

    @override
    def now(self) -> float:
        real, last = self._time(), self._segments[-1]
        simulated = last.simulated + (max(real, self._last_read) - last.real) * last.speed
        if real < self._last_read:
            self._start_segment(real, simulated, last.speed)
        self._last_read = real
        return simulated

    def _start_segment(self, real: float, simulated: float, speed: float) -> None:
        self._segments = [*self._segments[-_MAX_SEGMENTS:], _Segment(real, simulated, speed)]

    @override
    def real(self, moment: float) -> float:
        newest_first = reversed(self._segments)
        segment = next((found for found in newest_first if found.simulated <= moment), self._segments[0])
        return segment.real + (moment - segment.simulated) / segment.speed
