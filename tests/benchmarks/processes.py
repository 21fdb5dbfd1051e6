"""Processes of their own: each has one core, and does what it is asked, one thing after the other."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
import multiprocessing
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
import os
from typing import Any, Final

_SECONDS_TO_END: Final = 30

type Doing = Callable[..., Awaitable[Any]]


class Worker:
    """A process, for the one that started it."""

    def __init__(self, pipe: Connection) -> None:
        """Speak to it through a pipe."""
        self._pipe = pipe

    def ask(self, what: str, *arguments: Any) -> Any:
        """Let it do something, and return what that returns. Raises EOFError if it failed: it says why."""
        self._pipe.send((what, arguments))
        return self._pipe.recv()

    def end(self) -> None:
        """Let it end: nobody will ask it any more."""
        self._pipe.close()


@contextmanager
def working(module: str, core: int, *arguments: Any, is_new: bool = False) -> Iterator[Worker]:
    """Run `work` of a module of these in a process of its own: it takes a pipe, and these arguments.

    Unless all has to be new, the module is imported once for all its processes.
    """
    context: SpawnContext | ForkServerContext
    context = multiprocessing.get_context("spawn") if is_new else multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__package__}.{module}"])
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, module, core, arguments))
    process.start()
    there.close()  # So that its end is heard here, should it fail.
    try:
        yield Worker(here)
    finally:
        here.close()
        process.join(_SECONDS_TO_END)
        process.terminate()


def _work(pipe: Connection, module: str, core: int, arguments: tuple[Any, ...]) -> None:
    os.sched_setaffinity(0, {core})
    import_module(f"{__package__}.{module}").work(pipe, *arguments)


async def obey(pipe: Connection, can: Mapping[str, Doing], *whereby: Any) -> None:
    """Do with something what is asked for through a pipe, until nobody can ask any more."""
    loop = asyncio.get_running_loop()
    with suppress(BrokenPipeError):
        while wish := await loop.run_in_executor(None, _received, pipe):
            what, arguments = wish
            pipe.send(await can[what](*whereby, *arguments))


def _received(pipe: Connection) -> tuple[str, tuple[Any, ...]] | None:
    try:
        wish: tuple[str, tuple[Any, ...]] = pipe.recv()
    except EOFError:
        return None
    return wish
