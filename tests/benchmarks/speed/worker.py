"""Runs a measurement in a process with a Home Assistant and a fleet of cars."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta, tzinfo
import logging
import multiprocessing
import os
import time
from typing import Any, Final
from unittest.mock import patch

from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.entity import Entity
from homeassistant.util import dt as dt_util
from homeassistant.util.logging import async_activate_log_queue_handler
from tesla_fleet_api.tessie import Tessie as TessieClient

from ..common.home import home_assistant
from .fleet import Fleet
from .service import Car, Service, cores, driving_record, run_service

_MOCK_CHECKS: Final = ("async_add_job", "async_add_executor_job", "async_create_task_internal")


def run_with_fleet[T](
    function: Callable[..., Awaitable[T]], vehicles: int, *arguments: Any, every_entity: bool
) -> T:
    """Return the result of a function of a fleet. The service has a process on another core.

    `every_entity`: whether also those are enabled that are not by default.
    """
    vin = str(driving_record()["vin"])[:-6]
    cars = [Car(index, f"{vin}{index:06}", "own") for index in range(vehicles)]
    # It is set up and removed before a startup is measured.
    cars.append(Car(vehicles, f"{vin}{vehicles:06}", "other"))
    # The process is a fork of a server that has already imported this module.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with run_service(cars) as url, ProcessPoolExecutor(1, context) as pool:
        return pool.submit(_run, url, cars, function, arguments, every_entity=every_entity).result()


def _run[T](
    url: str,
    cars: list[Car],
    function: Callable[..., Awaitable[T]],
    arguments: Iterable[Any],
    *,
    every_entity: bool,
) -> T:
    """Run a function of a fleet in a new Home Assistant."""
    os.sched_setaffinity(0, {cores()[0]})

    async def run() -> T:
        async with home_assistant() as hass:
            for name in _MOCK_CHECKS:
                # The test plugin checks each task for mocks, which takes time.
                delattr(hass, name)
            # A thread handles log records, as in a real Home Assistant. Here it drops them.
            logging.getLogger().addHandler(logging.NullHandler())
            async_activate_log_queue_handler(hass)
            service = Service(async_get_clientsession(hass), url)
            fleet = Fleet(hass, advance, service, cars, every_entity=every_entity)
            return await function(fleet, *arguments)

    with (
        # The client of tessie reads the address from the class.
        patch.object(TessieClient, "server", url),
        patch.object(Entity, "entity_registry_enabled_default", True) if every_entity else nullcontext(),
        _shifted_time() as advance,
    ):
        return asyncio.run(run())


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
