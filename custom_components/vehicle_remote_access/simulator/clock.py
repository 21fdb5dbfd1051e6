"""Where the simulation takes its time from."""

from collections.abc import Callable
import math
import time as wall
from typing import Any, Final, NamedTuple

from .persistence import Json

SLOWEST, FASTEST = 1, 600
"""Simulated seconds in a real second."""
_MOST_LAPS: Final = 100
_LONGEST_PAUSE: Final = 3600.0


class _Lap(NamedTuple):
    """A time with one speed: when it began, by the wall clock and in the simulation."""

    real: float
    simulated: float
    speed: float


class Clock:
    """Simulated time, in Unix seconds: as fast as the wall clock's, or a multiple of it.

    It never goes back. When nobody looked at it for an hour, it ran like any other meanwhile: a machine that
    slept for a night is not to make up for half a year.
    """

    def __init__(self, speed: float = 1.0, time: Callable[[], float] | None = None) -> None:
        """Start at the present moment; `time` replaces the wall clock."""
        # Looked up at every call, so that whoever replaces `time.time` later is heard.
        self._time = time or (lambda: wall.time())  # noqa: PLW0108
        self._seen = self._time()
        self._laps = [_Lap(self._seen, self._seen, speed)]

    @property
    def speed(self) -> float:
        """How many simulated seconds pass in one real second."""
        return self._laps[-1].speed

    @speed.setter
    def speed(self, speed: float) -> None:
        """Go on from the present moment at another speed. Raises ValueError, in words, if that is none."""
        if not SLOWEST <= speed <= FASTEST:
            words = f"speed has to be between {SLOWEST} and {FASTEST}"
            raise ValueError(words)
        self._begin(self._time(), self.now(), speed)

    def now(self) -> float:
        """Return the simulated moment, in Unix seconds."""
        real, before = self._time(), self._seen
        self._seen = real
        if real < before:
            self._begin(real, self._simulated(before), self.speed)
        elif real - before > _LONGEST_PAUSE and self.speed > 1:
            self._pause(before, real)
        return self._simulated(real)

    def _begin(self, real: float, simulated: float, speed: float) -> None:
        self._laps = [*self._laps[-_MOST_LAPS:], _Lap(real, simulated, speed)]

    def _pause(self, begun: float, ended: float) -> None:
        """Let time have run like any other from one moment to another."""
        simulated, speed = self._simulated(begun), self.speed
        self._begin(begun, simulated, 1.0)
        self._begin(ended, simulated + max(0.0, ended - begun), speed)

    def real(self, moment: float) -> float:
        """Return when it was, or will be, that moment of the simulation, by the wall clock."""
        laps = reversed(self._laps)
        lap = next((lap for lap in laps if lap.simulated <= moment), self._laps[0])
        return lap.real + (moment - lap.simulated) / lap.speed

    def _simulated(self, real: float) -> float:
        lap = self._laps[-1]
        return lap.simulated + (real - lap.real) * lap.speed

    def as_json(self) -> Json:
        """Return how the time ran, and until when that is known."""
        self.now()
        return {"laps": [list(lap) for lap in self._laps], "until": self._seen}

    def take_up(self, kept: Any) -> None:
        """Go on at the same speed. While nobody was there, simulated time ran like any other.

        Raises:
            KeyError, TypeError, ValueError: when that is not how a time can have run.
        """
        laps = [_Lap(*map(float, lap)) for lap in kept["laps"]]
        until = float(kept["until"])
        if not laps or not all(math.isfinite(sum(lap)) and lap.speed > 0 for lap in laps):
            raise ValueError
        self._laps, self._seen = laps, self._time()
        self._pause(until, self._seen)


class ManualClock(Clock):
    """A clock that stands still until it is moved by hand."""

    def __init__(self, start: float = 1_577_880_000.0, speed: float = 1.0) -> None:
        """Start at noon (UTC) of the first day of 2020, or at `start`."""
        self._moment = start
        super().__init__(speed, time=lambda: self._moment)

    def advance(self, seconds: float) -> None:
        """Let real time pass."""
        self._moment += seconds
