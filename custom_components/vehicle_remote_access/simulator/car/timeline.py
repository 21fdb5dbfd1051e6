"""A car's own time: the moment up to which its state is computed, and the events that are due."""

from collections.abc import Callable
import math
from typing import Any, override

from ..persistence import Json, Persistent


class Timeline(Persistent):
    """The events that happen to a car later, unless they are canceled.

    Due events are stored by name, with JSON arguments. After renaming an event, a stored one does not happen.
    """

    def __init__(self, now: float) -> None:
        self.now = now
        self._due: dict[str, tuple[float, tuple[Any, ...]]] = {}
        self._callbacks: dict[str, Callable[..., None]] = {}

    def on(self, event: str, callback: Callable[..., None]) -> None:
        self._callbacks[event] = callback

    @property
    def next_due(self) -> float:
        return min((moment for moment, _ in self._due.values()), default=math.inf)

    def after(self, seconds: float, event: str, *arguments: Any) -> None:
        """Schedule an event after some seconds. It replaces a due event of the same name."""
        self.at(self.now + seconds, event, *arguments)

    def at(self, moment: float, event: str, *arguments: Any) -> None:
        self._due[event] = (moment, arguments)

    def cancel(self, event: str) -> None:
        self._due.pop(event, None)

    def is_due(self, event: str) -> bool:
        return event in self._due

    def remaining(self, event: str) -> float:
        """Return the seconds until an event, 0 if it isn't due."""
        return self._due[event][0] - self.now if event in self._due else 0.0

    def run(self) -> None:
        while self.next_due <= self.now:
            event = min(self._due, key=lambda name: self._due[name][0])
            _, arguments = self._due.pop(event)
            self._callbacks[event](*arguments)

    @override
    def as_json(self) -> Json:
        due = {event: [moment, *arguments] for event, (moment, arguments) in self._due.items()}
        return {**super().as_json(), "due": due}

    @override
    def restore(self, stored: Any) -> None:
        super().restore(stored)
        self._due = {
            event: (moment, tuple(arguments)) for event, (moment, *arguments) in stored["due"].items()
        }
