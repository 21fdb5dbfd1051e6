"""Worker processes. Each runs on one core and handles one call at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
import multiprocessing
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
import os
from typing import Any, Final

_SECONDS_TO_STOP: Final = 30

type Function = Callable[..., Awaitable[Any]]


class Worker:
    """A worker process, as its parent process sees it."""

    def __init__(self, pipe: Connection) -> None:
        """Use a pipe to the process."""
        self._pipe = pipe

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function and return its result. Raises EOFError if it failed: the worker logs the error."""
        self._pipe.send((name, arguments))
        return self._pipe.recv()

    def stop(self) -> None:
        """Let the process exit."""
        self._pipe.close()


@contextmanager
def start_worker(module: str, core: int, *arguments: Any, fresh: bool = False) -> Iterator[Worker]:
    """Run a module's `work` function in its own process. It gets a pipe and the arguments.

    Unless `fresh`, the process is a fork of a server that has already imported the module.
    """
    context: SpawnContext | ForkServerContext
    context = multiprocessing.get_context("spawn") if fresh else multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__package__}.{module}"])
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, module, core, arguments))
    process.start()
    there.close()  # The parent then gets an EOFError if the process fails.
    try:
        yield Worker(here)
    finally:
        here.close()
        process.join(_SECONDS_TO_STOP)
        process.terminate()


def _work(pipe: Connection, module: str, core: int, arguments: tuple[Any, ...]) -> None:
    os.sched_setaffinity(0, {core})
    import_module(f"{__package__}.{module}").work(pipe, *arguments)


async def handle_calls(pipe: Connection, functions: Mapping[str, Function], *context: Any) -> None:
    """Handle the calls from a pipe until its other end is closed. Functions get the context first."""
    loop = asyncio.get_running_loop()
    with suppress(BrokenPipeError):
        while call := await loop.run_in_executor(None, _receive, pipe):
            name, arguments = call
            pipe.send(await functions[name](*context, *arguments))


def _receive(pipe: Connection) -> tuple[str, tuple[Any, ...]] | None:
    try:
        call: tuple[str, tuple[Any, ...]] = pipe.recv()
    except EOFError:
        return None
    return call
