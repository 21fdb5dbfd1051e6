"""A process with a fleet of cars, which measures on request. Between requests its event loop stands still."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack, contextmanager
import multiprocessing
import os
from typing import Any, Concatenate, Final

from ..common.process import cores, run_service
from .fleet import Fleet, run_fleet
from .record import driving_record
from .service import Car, start_service

_OTHER: Final = 900_000
"""The index of a car that is set up and removed before the measurements, in another account."""
_runner: Final = asyncio.Runner()
_stack: Final = AsyncExitStack()
_fleets: Final[list[Fleet]] = []

type Call = Callable[..., Any]
"""Calls an asynchronous function with the fleet and its other arguments, and returns its result."""


@contextmanager
def start_fleet(vehicles: int) -> Iterator[Call]:
    """Run a Home Assistant and its service, each in a process on its own core."""
    vin = str(driving_record()["vin"])[:-6]
    cars = [Car(index, f"{vin}{index:06}") for index in (*range(vehicles), _OTHER)]
    # The process is a fork of a server that has already imported this module.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with (
        run_service(start_service, cars) as url,
        ProcessPoolExecutor(1, context, _start, (url, cars)) as pool,
    ):
        yield lambda function, *arguments: pool.submit(_call, function, arguments).result()


def _start(url: str, cars: list[Car]) -> None:
    os.sched_setaffinity(0, {cores()[0]})
    _fleets.append(_runner.run(_stack.enter_async_context(run_fleet(url, cars))))


def _call(function: Callable[Concatenate[Fleet, ...], Awaitable[Any]], arguments: tuple[Any, ...]) -> Any:
    async def run() -> Any:
        return await function(_fleets[0], *arguments)

    return _runner.run(run())
