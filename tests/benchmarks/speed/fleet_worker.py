"""A worker process with a fleet and all of its measurements."""

import asyncio
import logging
from multiprocessing.connection import Connection
import os
from pathlib import Path
import shutil

from homeassistant.util.logging import async_activate_log_queue_handler

from .fleet import Fleet, run_fleet
from .fleet_events import measure_loop_lag
from .startup import measure_null_startup, measure_startup
from .worker import handle_calls


def work(pipe: Connection, vehicles: int, core: int) -> None:
    """Handle the calls from a pipe. The service runs on the given core."""
    asyncio.run(_work(pipe, vehicles, core))


async def _work(pipe: Connection, vehicles: int, core: int) -> None:
    fleet_methods = (Fleet.refresh_effects, Fleet.measure_refreshes, Fleet.measure_commands, Fleet.profile)
    startups = (measure_startup, measure_null_startup)
    functions = (*startups, Fleet.set_up_tessie, *fleet_methods, measure_loop_lag)
    async with run_fleet(vehicles, core) as fleet:
        # A thread handles log records, as in a real Home Assistant. Here it drops them.
        logging.getLogger().addHandler(logging.NullHandler())
        async_activate_log_queue_handler(fleet.hass)
        await handle_calls(pipe, {function.__name__: function for function in functions}, fleet)
        _exit(Path(fleet.hass.config.config_dir))


def _exit(folder: Path) -> None:
    """Exit without the final writes: with a thousand cars they take longer than the measurements."""
    while folder.exists():
        # A thread may be writing to the folder.
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
