"""A month in which every tenth request fails: the outcomes, leaked resources and wrong states."""

from argparse import Namespace
import asyncio
from collections.abc import Iterator, Mapping
import gc
import logging
import os
from random import seed
import sys
from types import BuiltinFunctionType
from typing import Final, Self
from unittest.mock import patch
from weakref import ReferenceType

from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE, STATE_UNAVAILABLE
from homeassistant.core import State
from homeassistant.helpers.entity import Entity

from simulator_console.services import SimulatedService

from ..common.driver import Driver, errands
from ..common.home import Home, collect_warnings, virtual_home
from ..common.process import private_memory
from ..common.report import Goal, create_parser, publish, table
from ..common.virtual_time import DAY, HOUR, MINUTE, VirtualLoop, run_in_virtual_time
from .faults import all_faults
from .user import REFRESH, WAKE_UP, User

_SHARE: Final = 0.1
"""Of all requests, with a fault."""
# Entities whose state depends on the past
_HISTORY: Final = (
    "button ",
    "sensor charge_state.charge_energy_added.lifetime",
    "sensor asleep_today",
    "sensor time_to_fall_asleep",
    "sensor last_command",
    "sensor requests_today",
)

_LIMITS: Final = {
    "listeners": 0,
    # Measured: 1000 after a month, half of them entries of the log. One object leaked per fault exceeds it.
    "objects": 1500,
    # Measured: 9 after a month. Half a kilobyte leaked per request exceeds it.
    "MiB of memory": 12,
}
"""By how much the resources may grow after the first day."""
# Python's caches of `isinstance` hold them: they say nothing about the integration.
_NOT_COUNTED: Final = (ReferenceType, BuiltinFunctionType)
_SAMPLES: Final = 10

type _Resources = dict[str, float]

_INTRODUCTION: Final = """# A month in which every tenth request fails

Home Assistant reads a simulated car over HTTP, in virtual time. The car is driven six times a day and charged
at night. A user controls it from Home Assistant at all hours, wakes it up and sometimes reloads the account.
A share of all requests gets one of the faults below.

*At the end* is after an hour without faults. The user wakes and refreshes the car, and every entity must show
the same as in a Home Assistant that was set up at that moment. Resources are measured after one day, half of
the days and all days; growth is compared with the first day.
"""


def main() -> int:
    parser = create_parser("soak", __doc__)
    parser.add_argument("--days", type=int, default=30, help="number of days, at least 3")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random faults and actions")
    options = parser.parse_args()
    soak = run_in_virtual_time(lambda loop: _Soak(loop, options).run())
    return publish(parser, soak.sections(), list(soak.judge()), soak.problems)


class _Soak:
    """A car with a driver, a user who controls it from Home Assistant, and a service with faults."""

    def __init__(self, loop: VirtualLoop, options: Namespace) -> None:
        seed(options.seed)  # The coordinator polls at a random fraction of a second.
        self.problems: list[str] = []
        self._loop = loop
        self._options = options
        self._outcomes: Mapping[str, int] = {}
        self._resources: list[_Resources] = []
        self._simulator = SimulatedService(vehicles=1, seed=options.seed)
        (self._car,) = self._simulator.vehicles
        self._car.unplug()

    async def run(self) -> Self:
        """Run all days, then compare the states with those of a new Home Assistant."""
        await self._simulator.start()
        with (
            collect_warnings(_has_traceback) as tracebacks,
            patch.object(Entity, "entity_registry_enabled_default", new=True),
        ):
            async with virtual_home(self._loop, self._simulator) as home:
                user = User(home, self._simulator, self._options.seed)
                await self._run_days(home, user)
                await user.run(WAKE_UP)
                await asyncio.sleep(MINUTE)
                await user.run(REFRESH)
                await home.hass.async_block_till_done()
                shown = home.states()
            async with virtual_home(self._loop, self._simulator) as home:
                expected = home.states()
        await self._simulator.stop()
        self._outcomes = user.outcomes
        self.problems += tracebacks + user.problems
        self.problems += (
            f"at the end, {name} is {shown.get(name)} and should be {expected.get(name)}"
            for name in sorted(shown.keys() | expected.keys())
            # A new Home Assistant has an empty log, which also shows when the owner usually leaves.
            if " log." not in name
            and name != "time charging_plan.ready_by"
            and _comparable(name, shown.get(name)) != _comparable(name, expected.get(name))
        )
        return self

    async def _run_days(self, home: Home, user: User) -> None:
        """Measure the resources after the first day, after half of the days, and after the last."""
        days, driver = self._options.days, Driver(self._car)
        faults, fault_seed = self._simulator.faults, self._options.seed
        async with asyncio.TaskGroup() as group:
            group.create_task(driver.follow(errands, days))
            for midnight in (DAY, (1 + days // 2) * DAY, days * DAY):
                faults.at_random(_SHARE, fault_seed, all_faults(fault_seed))
                await user.act_until(midnight)
                await asyncio.sleep(midnight - self._loop.time())
                faults.clear()
                await asyncio.sleep(HOUR)
                # The driver's history must not count as memory of Home Assistant.
                driver.activities.clear()
                driver.sleeps.clear()
                self._resources.append(await _measure_resources(home))
                fault_seed += 1

    def judge(self) -> Iterator[Goal]:
        start, *later = self._resources
        for name, limit in _LIMITS.items():
            growth = max(resources[name] for resources in later) - start[name]
            yield Goal(f"more {name}", "after half of the days or all days", growth, limit)
        yield Goal("tracebacks, untranslated errors and wrong states", "all days", len(self.problems), 0)

    def sections(self) -> Iterator[str]:
        injected = self._simulator.faults.injected
        figures = {
            "days, seed": f"{self._options.days}, {self._options.seed}",
            "requests with a fault": f"{sum(injected.values())}",
            **{name: ", ".join(f"{used[name]:.0f}" for used in self._resources) for name in _LIMITS},
        }
        yield _INTRODUCTION
        yield table(["figure", ""], figures.items())
        for title, counts in {"outcome": self._outcomes, "fault": injected}.items():
            yield table([title, "times"], ((name, f"{times}") for name, times in sorted(counts.items())))


async def _measure_resources(home: Home) -> _Resources:
    """Return what is in use over some minutes: short-lived listeners don't count."""
    listeners = []
    for _ in range(_SAMPLES):
        listeners.append(_count_listeners(home))
        await asyncio.sleep(MINUTE)
    gc.collect()
    objects = sum(type(each) not in _NOT_COUNTED for each in gc.get_objects())
    figures = (min(listeners), objects, private_memory(os.getpid()))
    return dict(zip(_LIMITS, figures, strict=True))


def _count_listeners(home: Home) -> int:
    """Count the listeners of Home Assistant's bus, the account and the car."""
    vehicle, account = home.vehicle, home.vehicle.config_entry.runtime_data
    bus = dict(home.hass.bus.async_listeners())
    # Stores with a delayed save listen to this event until they have saved.
    bus.pop(EVENT_HOMEASSISTANT_FINAL_WRITE, None)
    return (
        sum(bus.values())
        + len(account._listeners)  # noqa: SLF001 - there is no public attribute
        + len(vehicle._subscriptions)  # noqa: SLF001 - there is no public attribute
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
    # The start of a session, as first observed, and the shown time of the data depend on the past, too.
    return state.state, {**state.attributes, "last_reset": None, "data_updated": None}


if __name__ == "__main__":
    sys.exit(main())
