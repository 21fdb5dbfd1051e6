"""Event-loop lag: the longest iteration of a loop and its longest callback."""

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
class LoopLag:
    """Maximum times in milliseconds. The garbage collector's time counts only as its own."""

    iteration: float = 0.0
    """From one poll of the selector to the next. New events wait this long."""
    callback: float = 0.0
    """A single callback."""
    callback_name: str = ""
    garbage_collection: float = 0.0
    """One run of the garbage collector."""


class _Tracker:
    def __init__(self, lag: LoopLag, select: Any) -> None:
        self.lag = lag
        self.is_stopped = False
        self._select = select
        self._iteration_start: float | None = None
        self._collected = 0.0
        self._collection_start = 0.0

    def select(self, timeout: float | None = None) -> Any:
        """Replace the selector's method: an iteration ends here, and the next one starts."""
        if self._iteration_start is not None:
            iteration = (perf_counter() - self._iteration_start - self._collected) * 1e3
            self.lag.iteration = max(self.lag.iteration, iteration)
        ready = self._select(timeout)
        self._iteration_start, self._collected = perf_counter(), 0.0
        return ready

    def run(self, handle: asyncio.Handle, run: Any) -> None:
        """Run a callback and measure it."""
        # The handle drops its callback when it has run.
        callback = handle._callback  # type: ignore[attr-defined]  # noqa: SLF001 - not public
        collected, start = self._collected, perf_counter()
        run(handle)
        duration = (perf_counter() - start - (self._collected - collected)) * 1e3
        # The callback that stops the tracking also runs code after it.
        if not self.is_stopped and duration > self.lag.callback:
            self.lag.callback, self.lag.callback_name = duration, _name(callback)

    def garbage_collected(self, phase: str, _: dict[str, int]) -> None:
        """Measure the garbage collector."""
        if phase == "start":
            self._collection_start = perf_counter()
            return
        seconds = perf_counter() - self._collection_start
        self._collected += seconds
        self.lag.garbage_collection = max(self.lag.garbage_collection, seconds * 1e3)


@contextmanager
def track_loop_lag(loop: asyncio.AbstractEventLoop, lag: LoopLag) -> Iterator[None]:
    """Update the maximum times of a loop, from its next iteration on."""
    selector = loop._selector  # type: ignore[attr-defined]  # noqa: SLF001 - not public
    tracker, run = _Tracker(lag, selector.select), events.Handle._run  # noqa: SLF001 - not public

    def timed_run(handle: asyncio.Handle) -> None:
        tracker.run(handle, run)

    gc.callbacks.append(tracker.garbage_collected)
    try:
        with patch.object(selector, "select", tracker.select), patch.object(events.Handle, "_run", timed_run):
            yield
    finally:
        tracker.is_stopped = True
        gc.callbacks.remove(tracker.garbage_collected)


def _name(callback: Any) -> str:
    owner = getattr(callback, "__self__", None)
    function = owner.get_coro() if isinstance(owner, asyncio.Task) else callback
    return getattr(function, "__qualname__", type(function).__name__)
