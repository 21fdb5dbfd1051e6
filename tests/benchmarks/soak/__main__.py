"""A month in which every tenth request fails: the outcomes, leaked resources and wrong states."""

import argparse
import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
import gc
from itertools import chain
import logging
import os
from pathlib import Path
from random import seed
import sys
from typing import Any, Final
from unittest.mock import patch

from aiohttp import web_protocol
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE, STATE_UNAVAILABLE
from homeassistant.core import State
from homeassistant.helpers.entity import Entity

from custom_components.vehicle_remote_access.simulator import Simulator

from ..common.driver import Driver
from ..common.home import Home, collect_warnings, virtual_home
from ..common.process import private_memory
from ..common.report import Goal, publish, table
from ..common.timetables import errands
from ..common.virtual_time import DAY, HOUR, MINUTE, VirtualLoop, run_in_virtual_time
from .faults import all_faults
from .user import REFRESH, WAKE_UP, User

_MIN_DAYS: Final = 3
_ENERGY_TOLERANCE: Final = 1.0  # percent
_LIFETIME_ENERGY: Final = "sensor charge_state.charge_energy_added.lifetime"
# Entities whose state depends on the past
_HISTORY: Final = (
    "button ",  # when it was last pressed
    _LIFETIME_ENERGY,  # the energy since the car was added; compared with the car's own value
    "sensor asleep_today",  # the sleep that Home Assistant observed
    "sensor time_to_fall_asleep",  # learned each time the car falls asleep
    "sensor last_command",  # the last command from this Home Assistant
    "sensor requests_today",  # the requests from this Home Assistant
)
# The start of a session, as first observed
_HISTORY_ATTRIBUTES: Final = ("last_reset",)

_LIMITS: Final = {
    "tasks": 0,
    "listeners": 0,
    # Measured: 500 after a month, 900 after two. One object leaked per fault exceeds it.
    "objects": 1500,
    # Measured: 5 after a month, 6 after two. Half a kilobyte leaked per request exceeds it.
    "MiB of memory": 12,
}
"""By how much the resources may grow after the first day."""
_SAMPLES: Final = 10
_BENCHMARKS: Final = Path(__file__).parents[1]

type _Resources = dict[str, float]

_INTRODUCTION: Final = """# A month in which every tenth request fails

Home Assistant reads a simulated car over HTTP, in virtual time. The car is driven six times a day and charged
at night. A user controls it from Home Assistant at all hours, runs several actions at once and wakes it up. A
share of all requests gets one of the faults below, alone or in a row. In the second half of the days the
service also rejects the token: the user enters it again, and the account reloads.

*At the end* is after an hour without faults. The user wakes and refreshes the car, and every entity must show
the same as in a Home Assistant that was set up at that moment. Resources are measured after one day, half of
the days and all days; growth is compared with the first day.
"""


def main() -> int:
    """Run the soak, and return 1 if there is a problem."""
    parser = argparse.ArgumentParser(prog="scripts/bench soak", description=__doc__)
    parser.add_argument("--days", type=int, default=30, help=f"at least {_MIN_DAYS}")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random faults and actions")
    parser.add_argument("--share", type=float, default=0.1, help="share of requests with a fault")
    options = parser.parse_args()
    if options.days < _MIN_DAYS:
        parser.error(f"--days must be at least {_MIN_DAYS}")

    async def run(loop: VirtualLoop) -> _Soak:
        soak = _Soak(loop, options)
        await soak.run()
        return soak

    soak = run_in_virtual_time(run)
    is_full = options == parser.parse_args([])
    return publish("soak", soak.sections(), list(soak.judge()), soak.problems, is_full=is_full)


class _Soak:
    """A car with a driver, a user who controls it from Home Assistant, and a service with faults."""

    def __init__(self, loop: VirtualLoop, options: argparse.Namespace) -> None:
        seed(options.seed)  # The coordinator polls at a random fraction of a second.
        self.problems: list[str] = []
        self._loop = loop
        self._options = options
        self._requests = 0
        self._charged = self._counted = self._hours_unavailable = 0.0
        self._outcomes: Mapping[str, int] = {}
        self._resources: list[_Resources] = []
        self._simulator = Simulator(vehicles=1, seed=options.seed, on_request=self._count_request)
        (self._car,) = self._simulator.vehicles
        self._car.unplug()

    def _count_request(self, _: object) -> None:
        self._requests += 1

    async def run(self) -> None:
        """Run all days, then compare the states with those of a new Home Assistant."""
        await self._simulator.start()
        with collect_warnings(_has_traceback) as tracebacks:
            async with self._home() as home:
                user = User(home, self._simulator, self._options.seed)
                await self._run_days(home, user)
                await user.run(WAKE_UP)
                await asyncio.sleep(MINUTE)
                await user.run(REFRESH)
                await home.hass.async_block_till_done()
                shown = home.states()
            async with self._home() as home:
                expected = home.states()
        await self._simulator.stop()
        self._counted = float(shown[_LIFETIME_ENERGY].state)
        self._outcomes = user.outcomes
        self.problems += tracebacks + user.problems
        self.problems += (
            f"at the end, {name} is {shown.get(name)} and should be {expected.get(name)}"
            for name in sorted(shown.keys() | expected.keys())
            if _comparable(name, shown.get(name)) != _comparable(name, expected.get(name))
        )

    @asynccontextmanager
    async def _home(self) -> AsyncIterator[Home]:
        """Run a new Home Assistant with the car and all of its entities enabled."""
        with patch.object(Entity, "entity_registry_enabled_default", new=True):
            async with virtual_home(self._loop, self._simulator, lambda: self._simulator.unanswered) as home:
                yield home

    async def _run_days(self, home: Home, user: User) -> None:
        """Measure the resources after the first day, after half of the days, and after the last.

        In the second half the service sometimes rejects the token, after which the account reloads.
        """
        days, driver = self._options.days, Driver(self._car)
        async with asyncio.TaskGroup() as group:
            group.create_task(driver.follow(errands, days))
            background = [group.create_task(task) for task in (user.reauthenticate(), self._observe(home))]
            for day, reject_token in ((1, False), (1 + days // 2, False), (days, True)):
                await self._run_until(day * DAY, user, reject_token=reject_token)
                # The driver's history must not count as memory of Home Assistant.
                driver.activities.clear()
                driver.sleeps.clear()
                self._resources.append(await _measure_resources(home))
            for task in background:
                task.cancel()

    async def _run_until(self, midnight: float, user: User, *, reject_token: bool) -> None:
        """Inject faults until midnight, then run an hour without faults."""
        faults, fault_seed = self._simulator.faults, self._options.seed + int(midnight)
        among = all_faults(fault_seed, reject_token=reject_token)
        faults.at_random(self._options.share, fault_seed, among)
        await user.act_until(midnight)
        await asyncio.sleep(midnight - self._loop.time())
        faults.clear()
        await asyncio.sleep(HOUR)

    async def _observe(self, home: Home) -> None:
        """Add up the energy that the car charges, and the hours in which it is unavailable."""
        charging = self._car.charging
        before = charging.energy_added
        polling_mode = home.entity_id("sensor", "polling_mode")
        while True:
            await asyncio.sleep(MINUTE)
            self._car.catch_up()
            # The start of a session resets the energy to 0; the end may correct it a little.
            self._charged += charging.energy_added - (before if charging.energy_added > before / 2 else 0.0)
            before = charging.energy_added
            if home.hass.states.is_state(polling_mode, STATE_UNAVAILABLE):
                self._hours_unavailable += MINUTE / HOUR

    def judge(self) -> Iterator[Goal]:
        """Yield the goals with their figures."""
        start, *later = self._resources
        for name, limit in _LIMITS.items():
            growth = max(resources[name] for resources in later) - start[name]
            yield Goal(f"more {name}", "after half of the days or all days", growth, limit)
        error = 100 * abs(self._counted / self._charged - 1)
        yield Goal("% error of the counted energy", "after all days", error, _ENERGY_TOLERANCE)
        yield Goal("tracebacks, untranslated errors and wrong states", "all days", len(self.problems), 0)

    def sections(self) -> Iterator[str]:
        """Yield the introduction and the tables."""
        injected = self._simulator.faults.injected
        figures = {
            "days, seed": f"{self._options.days}, {self._options.seed}",
            "requests": f"{self._requests}",
            "of those, with a fault": f"{sum(injected.values())}",
            "hours in which the car was unavailable": f"{self._hours_unavailable:.1f}",
            "charged and counted, kWh": f"{self._charged:.2f}, {self._counted:.2f}",
            **{
                name: ", ".join(f"{resources[name]:.0f}" for resources in self._resources) for name in _LIMITS
            },
        }
        yield _INTRODUCTION
        yield table(["figure", ""], figures.items())
        for title, counts in {"outcome": self._outcomes, "fault": injected}.items():
            yield table([title, "times"], ((name, f"{times}") for name, times in sorted(counts.items())))


async def _measure_resources(home: Home) -> _Resources:
    """Return what is in use over some minutes: short-lived tasks and listeners don't count."""
    samples = []
    for _ in range(_SAMPLES):
        samples.append((_count_tasks(), _count_listeners(home)))
        await asyncio.sleep(MINUTE)
    gc.collect()
    tasks, listeners = map(min, zip(*samples, strict=True))
    memory = private_memory(os.getpid())
    return dict(zip(_LIMITS, (tasks, listeners, len(gc.get_objects()), memory), strict=True))


def _count_tasks() -> int:
    """Count all tasks except those of the benchmark and of the service's connections."""
    coroutines: list[Any] = [task.get_coro() for task in asyncio.all_tasks()]
    files = [Path(coroutine.cr_code.co_filename) for coroutine in coroutines]
    return sum(_BENCHMARKS not in file.parents and file != Path(web_protocol.__file__) for file in files)


def _count_listeners(home: Home) -> int:
    """Count the listeners of Home Assistant's bus, the account and the car."""
    vehicle, account = home.vehicle, home.vehicle.config_entry.runtime_data
    bus = dict(home.hass.bus.async_listeners())
    # Stores with a delayed save listen to this event until they have saved.
    bus.pop(EVENT_HOMEASSISTANT_FINAL_WRITE, None)
    return (
        sum(bus.values())
        + len(account._listeners)  # noqa: SLF001 - there is no public attribute
        + len(list(chain(*vehicle.listeners._by_key.values())))  # noqa: SLF001 - there is no public attribute
    )


def _has_traceback(record: logging.LogRecord) -> bool:
    is_error = record.levelno >= logging.ERROR
    return bool(record.exc_info) or (
        is_error and (record.name == "asyncio" or "Traceback" in record.getMessage())
    )


def _comparable(name: str, state: State | None) -> object:
    """Return the part of a state that doesn't depend on the past; None if the entity has no state."""
    if state is None or state.state == STATE_UNAVAILABLE:
        return None
    if name.startswith(_HISTORY):
        return ...
    attributes = {key: value for key, value in state.attributes.items() if key not in _HISTORY_ATTRIBUTES}
    return state.state, attributes


if __name__ == "__main__":
    sys.exit(main())
