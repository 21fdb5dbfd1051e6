"""Virtual time: an event loop that, when nothing is left to do, jumps to the moment when something is due.

Whoever asks for the time meanwhile, be it the loop, the date or Unix time, is told the virtual one.
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

BEGINNING: Final = datetime(2026, 10, 5, tzinfo=UTC)
"""The first midnight, of a Monday."""
# Real seconds after which what needs no time has got lost
_PATIENCE: Final = 60.0


class LostError(RuntimeError):
    """Something that needs no time did not come to an end."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__(
            f"an answer or a thread was waited for, and did not come in {_PATIENCE:.0f} real seconds"
        )


class VirtualLoop(SelectorEventLoop):
    """A loop whose time stands still while anything happens, and moves in whole microseconds."""

    def __init__(self, move: Callable[[float], None]) -> None:
        """Begin at 0; `move` moves all other clocks by so many seconds."""
        self.is_expecting: Callable[[], bool] = lambda: False
        """Whether something is on its way to this process that has been sent already."""
        self._move = move
        self._microseconds = 0
        self._working = 0
        super().__init__(_JumpingSelector(self))

    @override
    def time(self) -> float:
        """Return the virtual seconds since the beginning."""
        return self._microseconds / 1e6

    @property
    def must_wait(self) -> bool:
        """Whether real time has to pass before virtual time may: a thread works, or data are under way."""
        return self._working > 0 or self.is_expecting()

    def jump(self, seconds: float) -> None:
        """Let so much time be over."""
        moment = math.ceil((self.time() + seconds) * 1e6)
        self._move((moment - self._microseconds) / 1e6)
        self._microseconds = moment

    @override
    def run_in_executor[*Ts, T](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Let a thread do it, for which virtual time waits."""
        future = super().run_in_executor(executor, func, *args)
        self._working += 1
        future.add_done_callback(self._has_worked)
        return future

    def _has_worked(self, _: asyncio.Future[Any]) -> None:
        self._working -= 1

    @override
    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Let the threads end, for which virtual time waits."""
        self._working += 1
        try:
            await super().shutdown_default_executor(timeout)
        finally:
            self._working -= 1


class _JumpingSelector(selectors.EpollSelector):
    """Waits for what is really under way, and jumps over all other waiting."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if timeout is not None and not self._loop.must_wait:
            self._loop.jump(timeout)
            return ready
        if ready := super().select(_PATIENCE):
            return ready
        raise LostError


def run[T](main: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine in virtual time and return what it returns."""
    with (
        time_machine.travel(BEGINNING, tick=False) as traveller,
        asyncio.Runner(debug=False, loop_factory=lambda: VirtualLoop(traveller.shift)) as runner,
    ):
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        # time-machine leaves this one alone.
        with patch("time.monotonic", loop.time):
            return runner.run(main(loop))
