"""A process with a fleet of cars, which measures on request. Between requests its event loop stands still."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import datetime, timedelta, tzinfo
import logging
import multiprocessing
import os
import time
from typing import Any, Concatenate, Final
from unittest.mock import patch

from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.entity import Entity
from homeassistant.util import dt as dt_util
from homeassistant.util.logging import async_activate_log_queue_handler
from tesla_fleet_api.tessie import Tessie as TessieClient

from ..common.home import home_assistant
from ..common.process import cores, run_service
from .fleet import Fleet
from .service import Car, Service, driving_record, start_service

_OTHER: Final = 900_000
"""The index of a car that is set up and removed before the measurements, in another account."""
_MOCK_CHECKS: Final = ("async_add_job", "async_add_executor_job", "async_create_task_internal")
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
    _fleets.append(_runner.run(_stack.enter_async_context(_run_fleet(url, cars))))


def _call(function: Callable[Concatenate[Fleet, ...], Awaitable[Any]], arguments: tuple[Any, ...]) -> Any:
    async def run() -> Any:
        return await function(_fleets[0], *arguments)

    return _runner.run(run())


@asynccontextmanager
async def _run_fleet(url: str, cars: list[Car]) -> AsyncIterator[Fleet]:
    """Run a Home Assistant in which every entity is enabled."""
    with (
        # The client of tessie reads the address from the class.
        patch.object(TessieClient, "server", url),
        patch.object(Entity, "entity_registry_enabled_default", True),
        _shifted_time() as advance,
    ):
        async with home_assistant() as hass:
            for name in _MOCK_CHECKS:
                # The test plugin checks each task for mocks, which takes time.
                delattr(hass, name)
            # A thread handles log records, as in a real Home Assistant. Here it drops them.
            logging.getLogger().addHandler(logging.NullHandler())
            async_activate_log_queue_handler(hass)
            yield Fleet(hass, advance, Service(async_get_clientsession(hass), url), cars)


@contextmanager
def _shifted_time() -> Iterator[Callable[[float], None]]:
    """Patch all clocks that Home Assistant reads, except the one of its event loop.

    Returns a function that advances them by a number of seconds: a poll that is due in a minute is due now.
    This is the cheapest way: reading a clock costs a tenth of a microsecond more.
    """
    shift, seconds = timedelta(), 0.0
    utcnow, now, unix, monotonic = dt_util.utcnow, dt_util.now, time.time, time.monotonic

    def advance(by: float) -> None:
        nonlocal shift, seconds
        seconds += by
        shift = timedelta(seconds=seconds)

    def shifted_now(time_zone: tzinfo | None = None) -> datetime:
        return now(time_zone) + shift

    with (
        patch.object(dt_util, "utcnow", lambda: utcnow() + shift),
        patch.object(dt_util, "now", shifted_now),
        patch.object(time, "time", lambda: unix() + seconds),
        patch.object(time, "monotonic", lambda: monotonic() + seconds),
        patch.object(asyncio.BaseEventLoop, "time", lambda _loop: monotonic()),
    ):
        yield advance
