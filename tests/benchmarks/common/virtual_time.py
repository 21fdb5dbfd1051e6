"""Virtual time: when an event loop has nothing left to do, it jumps to its next timer.

The loop's clock, the date and Unix time all follow the virtual time.
"""

import asyncio
from asyncio import SelectorEventLoop
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from datetime import UTC, datetime
import math
import selectors
from typing import Any, Final, override
from unittest.mock import patch

import time_machine

START: Final = datetime(2026, 10, 5, tzinfo=UTC)
"""Midnight at the beginning of a Monday."""
MINUTE: Final = 60.0
HOUR: Final = 3600.0
DAY: Final = 86_400.0
# Real seconds
_STALL_TIMEOUT: Final = 60.0


class VirtualLoop(SelectorEventLoop):
    """An event loop whose time stands still while callbacks run. Its clock counts whole microseconds."""

    def __init__(self, shift_clocks: Callable[[float], None]) -> None:
        """Start at 0; `shift_clocks` advances all other clocks by a number of seconds."""
        self.has_pending_data: Callable[[], bool] = lambda: False
        """Whether data that were already sent to this process have not arrived yet."""
        self._shift_clocks = shift_clocks
        self._microseconds = 0
        self._running_jobs = 0
        super().__init__(_JumpingSelector(self))

    @override
    def time(self) -> float:
        return self._microseconds / 1e6

    def jump(self, seconds: float) -> bool:
        """Advance the virtual time, unless it waits for a thread or for data."""
        if self._running_jobs or self.has_pending_data():
            return False
        # After 50 days, a timer can be due within the rounding error of the time.
        target = max(math.ceil((self.time() + seconds) * 1e6), self._microseconds + 1)
        self._shift_clocks((target - self._microseconds) / 1e6)
        self._microseconds = target
        return True

    @override
    def run_in_executor[*Ts, T](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Run a function in a thread. Virtual time waits for it."""
        future = super().run_in_executor(executor, func, *args)
        self._running_jobs += 1
        future.add_done_callback(self._job_done)
        return future

    def _job_done(self, _: asyncio.Future[Any]) -> None:
        self._running_jobs -= 1

    @override
    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Shut the threads down. Virtual time waits for them."""
        self._running_jobs += 1
        try:
            await super().shutdown_default_executor(timeout)
        finally:
            self._running_jobs -= 1


class _JumpingSelector(selectors.EpollSelector):
    """Waits for real data and threads, and jumps over all timers."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or (timeout is not None and (timeout <= 0 or self._loop.jump(timeout))):
            return ready
        if ready := super().select(_STALL_TIMEOUT):
            return ready
        message = f"a response or a thread did not finish in {_STALL_TIMEOUT:.0f} real seconds"
        raise RuntimeError(message)


def run_in_virtual_time[T](
    main: Callable[[VirtualLoop], Coroutine[Any, Any, T]], start: datetime = START
) -> T:
    with (
        time_machine.travel(start, tick=False) as traveller,
        asyncio.Runner(debug=False, loop_factory=lambda: VirtualLoop(traveller.shift)) as runner,
    ):
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        # time-machine doesn't patch this clock.
        with patch("time.monotonic", loop.time):
            return runner.run(main(loop))
