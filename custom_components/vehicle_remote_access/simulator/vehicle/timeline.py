"""One car's own time: the moment up to which its state is computed, and what is due after it."""

from collections.abc import Callable
import math
from typing import Any, override

from ..persistence import Json, Kept


class Timeline(Kept):
    """What will happen to a car at a known moment unless something else happens first.

    What is due is kept by name, with details that JSON knows; `on` says what a name stands for.
    """

    KEPT = ("now",)

    def __init__(self, now: float) -> None:
        """Begin at `now`, with nothing due."""
        self.now = now
        self._due: dict[str, tuple[float, tuple[Any, ...]]] = {}
        self._happens: dict[str, Callable[..., None]] = {}

    def on(self, event: str, happens: Callable[..., None]) -> None:
        """Say what happens when an event's moment has come; it gets the event's details."""
        self._happens[event] = happens

    @property
    def next_due(self) -> float:
        """The moment of the next event, infinitely far away if there is none."""
        return min((moment for moment, _ in self._due.values()), default=math.inf)

    def after(self, seconds: float, event: str, *details: Any) -> None:
        """Let an event happen later; one of the same name that was due is replaced."""
        self.at(self.now + seconds, event, *details)

    def at(self, moment: float, event: str, *details: Any) -> None:
        """Let an event happen at a moment; one of the same name that was due is replaced."""
        self._due[event] = (moment, details)

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
            _, details = self._due.pop(event)
            self._happens[event](*details)

    @override
    def as_json(self) -> Json:
        """Return the moment and what is due, by name."""
        return {**super().as_json(), "due": {name: [at, *how] for name, (at, how) in self._due.items()}}

    @override
    def take_up(self, kept: Any) -> None:
        """Go on from there, with the same things due."""
        super().take_up(kept)
        due = kept.get("due") if isinstance(kept, dict) else None
        if isinstance(due, dict):
            self._due = {name: (at, tuple(how)) for name, (at, *how) in due.items() if name in self._happens}
