"""One car's own time: the moment up to which its state is computed, and what is due after it."""

from collections.abc import Callable
import math


class Timeline:
    """What will happen to a car at a known moment unless something else happens first."""

    def __init__(self, now: float) -> None:
        """Begin at `now`, with nothing due."""
        self.now = now
        self._due: dict[str, tuple[float, Callable[[], None]]] = {}

    @property
    def next_due(self) -> float:
        """The moment of the next event, infinitely far away if there is none."""
        return min((moment for moment, _ in self._due.values()), default=math.inf)

    def after(self, seconds: float, event: str, happens: Callable[[], None]) -> None:
        """Let an event happen later; one of the same name that was due is replaced."""
        self._due[event] = (self.now + seconds, happens)

    def cancel(self, event: str) -> None:
        """Forget an event, if it is due at all."""
        self._due.pop(event, None)

    def is_due(self, event: str) -> bool:
        """Return whether the event is still to come."""
        return event in self._due

    def run(self) -> None:
        """Let everything happen whose moment has come."""
        while self.next_due <= self.now:
            event = min(self._due, key=lambda name: self._due[name][0])
            _, happens = self._due.pop(event)
            happens()
