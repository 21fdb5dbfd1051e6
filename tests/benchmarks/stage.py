"""A process with so many cars, and all that can be measured in it."""

import asyncio
import logging
from multiprocessing.connection import Connection
import os
from pathlib import Path
import shutil

from homeassistant.util.logging import async_activate_log_queue_handler

from .beginning import begun, begun_bare
from .processes import obey
from .trial import Trial, trial
from .upheavals import held


def work(pipe: Connection, vehicles: int, core: int) -> None:
    """Do what is asked for through a pipe, with the service on the other core."""
    asyncio.run(_work(pipe, vehicles, core))


async def _work(pipe: Connection, vehicles: int, core: int) -> None:
    of_trial = (Trial.meet_rival, Trial.facts, Trial.refreshes, Trial.commands, Trial.profile)
    can = {each.__name__: each for each in (begun, begun_bare, held, *of_trial)}
    async with trial(vehicles, core) as cars:
        # What is logged is handed to a thread, as Home Assistant does it, which drops it here.
        logging.getLogger().addHandler(logging.NullHandler())
        async_activate_log_queue_handler(cars.hass)
        await obey(pipe, can, cars)
        _end(Path(cars.hass.config.config_dir))


def _end(folder: Path) -> None:
    """Leave at once: what a thousand cars have to write in the end would take longer than to measure them."""
    while folder.exists():
        # A thread may be writing into it.
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
