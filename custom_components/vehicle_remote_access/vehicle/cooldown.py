"""How long to wait, by the monotonic clock: setting the system clock changes no duration."""

import time
from typing import Final

# A change of the system clock by less is not noticed.
_TOLERANCE: Final = 1.0


class Pause:
    """A period to wait for. A new one is over already."""

    def __init__(self) -> None:
        """Start with no time left."""
        self._ends_at = self._seconds = 0.0
        self._shown = 0.0

    def start(self, seconds: float) -> None:
        """Wait for this many seconds from now on, and no longer."""
        self._ends_at, self._seconds = time.monotonic() + seconds, seconds

    def extend(self, seconds: float) -> None:
        """Wait for at least this many seconds from now on."""
        if seconds > self.left:
            self.start(seconds)

    def end(self) -> None:
        """Wait no longer."""
        self._ends_at = 0.0

    @property
    def left(self) -> float:
        """The seconds that are left, 0 if the pause is over."""
        return min(max(0.0, self._ends_at - time.monotonic()), self._seconds)

    @property
    def ends_at(self) -> float:
        """When it ends, in Unix seconds, 0 if it is over. The same at each call unless the clock was set."""
        if not self.left:
            return 0.0
        ends_at = time.time() + self.left
        if abs(ends_at - self._shown) > _TOLERANCE:
            self._shown = ends_at
        return self._shown
