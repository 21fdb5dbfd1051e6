"""What a Home Assistant holds on to: memory, tasks, listeners; and what is said of what went wrong in it."""

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

from .driver import MINUTE
from .home import Home

_LOOKS: Final = 10
_HERE: Final = Path(__file__).parent
_STATM: Final = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class Vitals:
    """What is held at a moment."""

    memory: float
    """MiB of the whole process, the simulated service among it."""
    objects: int
    """Those that the garbage collector looks after."""
    tasks: int
    """Those of Home Assistant."""
    listeners: int
    """Those of Home Assistant's bus, of the account and of the car."""


async def vitals(home: Home) -> Vitals:
    """Return the least that is held in some minutes: what is only under way for a moment does not count."""
    looks = []
    for _ in range(_LOOKS):
        looks.append((_tasks(), _listeners(home)))
        await asyncio.sleep(MINUTE)
    gc.collect()
    return Vitals(
        memory=int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20,
        objects=len(gc.get_objects()),
        tasks=min(tasks for tasks, _ in looks),
        listeners=min(listeners for _, listeners in looks),
    )


def _tasks() -> int:
    """Count all but our own and those of the service, one for each connection that is kept."""
    coroutines: list[Any] = [task.get_coro() for task in asyncio.all_tasks()]
    files = [Path(each.cr_code.co_filename) for each in coroutines]
    return sum(each.parent != _HERE and each != Path(web_protocol.__file__) for each in files)


def _listeners(home: Home) -> int:
    vehicle, account = home.vehicle, home.vehicle.config_entry.runtime_data
    bus = dict(home.hass.bus.async_listeners())
    # Whoever has something to write later listens for the end until it is written.
    bus.pop(EVENT_HOMEASSISTANT_FINAL_WRITE, None)
    return (
        sum(bus.values())
        + len(account._listeners)  # noqa: SLF001 - nothing public tells it
        + len(list(chain(*vehicle._listening.values())))  # noqa: SLF001 - likewise
    )


class _Tracebacks(logging.Handler):
    """Whatever nobody expected: what is logged with a traceback, and what asyncio has to say."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        words = record.getMessage()
        is_error = record.levelno >= logging.ERROR and (record.name == "asyncio" or "Traceback" in words)
        if record.exc_info or is_error:
            self.heard.append(f"{record.name}: {logging.Formatter().format(record)}")


@contextmanager
def tracebacks() -> Iterator[list[str]]:
    """Return the list that will hold all that is logged with a traceback meanwhile."""
    handler = _Tracebacks()
    logging.getLogger().addHandler(handler)
    try:
        yield handler.heard
    finally:
        logging.getLogger().removeHandler(handler)
