"""The time of an account's cars, by which they are read and logged. In a simulation, it can be fast."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final, override

from homeassistant.util import dt as dt_util

from ..polling.modes import TIMER_TOLERANCE

if TYPE_CHECKING:
    # Imported at run time only for simulated accounts.
    from ..simulator import Clock


class CarTime:
    """Real time in Unix seconds, which is the time of all cars outside a simulation."""

    factor = 1.0
    """How many seconds pass for the cars in a real second."""
    tolerance = TIMER_TOLERANCE
    """Requests that are due within this time of the cars are sent now, because timers are not exact."""
    # Each read of a real car calls these several times. So they cost as little as possible.
    local_now: Callable[[], datetime] = staticmethod(dt_util.now)
    """Returns the present of the cars as local time."""
    at: Callable[[float], float] = staticmethod(float)
    """Returns the time of the cars at a real moment."""
    real: Callable[[float], float] = staticmethod(float)
    """Returns the real moment of a time of the cars."""


class SimulatedTime(CarTime):
    """The time of simulated cars."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    @override
    def factor(self) -> float:  # type: ignore[override]
        return self._clock.speed

    @property
    @override
    def tolerance(self) -> float:  # type: ignore[override]
        # A tenth of a real second
        return TIMER_TOLERANCE * max(1.0, self.factor / 10)

    @override
    def local_now(self) -> datetime:
        return dt_util.as_local(dt_util.utc_from_timestamp(self._clock.now()))

    @override
    def at(self, real: float) -> float:
        # The clock slows down if nothing has read it for long.
        self._clock.now()
        return self._clock.simulated(real)

    @override
    def real(self, moment: float) -> float:
        return self._clock.real(moment)


REAL_TIME: Final = CarTime()
