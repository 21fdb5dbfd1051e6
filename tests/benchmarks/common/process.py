"""Services in processes on their own core, and benchmarks in processes of their own, for the tests."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
import multiprocessing
from multiprocessing.connection import Connection
import os
from pathlib import Path
import subprocess
import sys
from typing import Any, Final

LOOPBACK: Final = "127.0.0.1"
_ROOT: Final = Path(__file__).parents[3]

type Start[T] = Callable[..., Awaitable[T]]


def cores() -> tuple[int, int]:
    """Return the cores for a client and for its service. A single core is used for both."""
    client, *_, service = sorted(os.sched_getaffinity(0)) * 2
    return client, service


@contextmanager
def run_service[T](start: Start[T], *arguments: Any) -> Iterator[T]:
    """Run a service in a process on its own core, and return the result of its `start`."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(sender, start, arguments))
    process.start()
    sender.close()  # The receiver then gets an EOFError if the process fails.
    try:
        yield receiver.recv()
    finally:
        process.terminate()
        process.join()


def _run(sender: Connection, start: Start[object], arguments: tuple[Any, ...]) -> None:
    os.sched_setaffinity(0, {cores()[1]})

    async def run() -> None:
        sender.send(await start(*arguments))
        await asyncio.Event().wait()

    asyncio.run(run())


def private_memory(pid: int) -> float:
    """Return the MiB of a process without mapped files, which vary."""
    resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") / 2**20


def run_benchmark(name: str, *options: str) -> tuple[str, int]:
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", *options]
    process = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert process.stdout, process.stderr
    return process.stdout, process.returncode
