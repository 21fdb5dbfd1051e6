"""For how long an event loop is held: between two looks at what has come, and by one thing."""

import asyncio
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
import gc
from time import perf_counter
from typing import Any
from unittest.mock import patch


@dataclass(slots=True)
class Turns:
    """The longest of all, in milliseconds, without those in which the garbage collector worked."""

    turn: float = 0.0
    """Between two looks at what has come: for so long, who asks for something else has to wait."""
    callback: float = 0.0
    """One thing that was done."""
    callback_of: str = ""
    """What it was."""
    callbacks: int = 0
    """How many things were done in the longest turn."""
    collecting: float = 0.0
    """One run of the garbage collector."""


class _Watch:
    """Counts the time."""

    def __init__(self, found: Turns, select: Any) -> None:
        self.found = found
        self.is_over = False
        self._select = select
        self._began: float | None = None
        self._callbacks = 0
        self._collected = 0.0
        self._collecting_since = 0.0

    def select(self, timeout: float | None = None) -> Any:
        """Look at what has come, between two turns."""
        found = self.found
        if self._began is not None:
            turn = (perf_counter() - self._began - self._collected) * 1e3
            if turn > found.turn:
                found.turn, found.callbacks = turn, self._callbacks
        ready = self._select(timeout)
        self._began, self._callbacks, self._collected = perf_counter(), 0, 0.0
        return ready

    def run(self, handle: asyncio.Handle, doing: Any) -> None:
        """Do one thing."""
        # Who it belongs to is forgotten once it is done.
        callback = handle._callback  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public tells it
        collected, began = self._collected, perf_counter()
        doing(handle)
        took = (perf_counter() - began - (self._collected - collected)) * 1e3
        self._callbacks += 1
        if self.is_over:
            # What followed was no longer to be watched.
            return
        if took > self.found.callback:
            self.found.callback, self.found.callback_of = took, _name(callback)

    def collect(self, phase: str, _: dict[str, int]) -> None:
        """Count the garbage collector's time."""
        if phase == "start":
            self._collecting_since = perf_counter()
            return
        seconds = perf_counter() - self._collecting_since
        self._collected += seconds
        self.found.collecting = max(self.found.collecting, seconds * 1e3)


@contextmanager
def watched(loop: asyncio.AbstractEventLoop, found: Turns) -> Iterator[None]:
    """Look for longer turns of a loop than were found before, from its next on."""
    selector = loop._selector  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public is between turns
    watch, run = _Watch(found, selector.select), events.Handle._run  # noqa: SLF001 - likewise

    def timed(handle: asyncio.Handle) -> None:
        watch.run(handle, run)

    gc.callbacks.append(watch.collect)
    try:
        with patch.object(selector, "select", watch.select), patch.object(events.Handle, "_run", timed):
            yield
    finally:
        watch.is_over = True
        gc.callbacks.remove(watch.collect)


def _name(callback: Any) -> str:
    owner = getattr(callback, "__self__", None)
    doing = owner.get_coro() if isinstance(owner, asyncio.Task) else callback
    return getattr(doing, "__qualname__", type(doing).__name__)
