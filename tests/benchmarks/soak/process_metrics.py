"""Resources that Home Assistant holds (memory, tasks, listeners), and the tracebacks in its log."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
import gc
from itertools import chain
import logging
import os
from pathlib import Path
from typing import Any, Final, override

from aiohttp import web_protocol
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE

from ..common.driver import MINUTE
from ..common.home import Home

_SAMPLES: Final = 10
_BENCHMARKS: Final = Path(__file__).parents[1]
_STATM: Final = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class ProcessMetrics:
    """Resources that are in use at one time."""

    memory: float
    """MiB of the whole process, including the simulated service."""
    objects: int
    """Objects that the garbage collector tracks."""
    tasks: int
    """Tasks of Home Assistant."""
    listeners: int
    """Listeners of Home Assistant's bus, the account and the car."""


async def measure_process(home: Home) -> ProcessMetrics:
    """Return the minimum over some minutes: short-lived tasks and listeners don't count."""
    samples = []
    for _ in range(_SAMPLES):
        samples.append((_count_tasks(), _count_listeners(home)))
        await asyncio.sleep(MINUTE)
    gc.collect()
    return ProcessMetrics(
        memory=int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20,
        objects=len(gc.get_objects()),
        tasks=min(tasks for tasks, _ in samples),
        listeners=min(listeners for _, listeners in samples),
    )


def _count_tasks() -> int:
    """Count all tasks except those of the benchmark and of the service's connections."""
    coroutines: list[Any] = [task.get_coro() for task in asyncio.all_tasks()]
    files = [Path(coroutine.cr_code.co_filename) for coroutine in coroutines]
    return sum(_BENCHMARKS not in file.parents and file != Path(web_protocol.__file__) for file in files)


def _count_listeners(home: Home) -> int:
    vehicle, account = home.vehicle, home.vehicle.config_entry.runtime_data
    bus = dict(home.hass.bus.async_listeners())
    # Stores with a delayed save listen to this event until they have saved.
    bus.pop(EVENT_HOMEASSISTANT_FINAL_WRITE, None)
    return (
        sum(bus.values())
        + len(account._listeners)  # noqa: SLF001 - there is no public attribute
        + len(list(chain(*vehicle.listeners._by_key.values())))  # noqa: SLF001 - there is no public attribute
    )


class _TracebackHandler(logging.Handler):
    """Collects records with a traceback, and asyncio's errors."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.tracebacks: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        is_error = record.levelno >= logging.ERROR and (record.name == "asyncio" or "Traceback" in message)
        if record.exc_info or is_error:
            self.tracebacks.append(f"{record.name}: {logging.Formatter().format(record)}")


@contextmanager
def collect_tracebacks() -> Iterator[list[str]]:
    """Return a list that collects all tracebacks in the log."""
    handler = _TracebackHandler()
    logging.getLogger().addHandler(handler)
    try:
        yield handler.tracebacks
    finally:
        logging.getLogger().removeHandler(handler)
