"""A month in which every tenth request fails: the outcomes, leaked resources and wrong states."""

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
import json
from pathlib import Path
from random import seed
import sys
from time import perf_counter
from typing import Final
from unittest.mock import patch

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.helpers.entity import Entity

from custom_components.vehicle_remote_access.simulator import Simulator

from ..common.driver import DAY, HOUR, MINUTE, Driver, History
from ..common.home import Home, Observations, virtual_home_assistant
from ..common.timetables import TIMETABLES
from ..common.virtual_time import VirtualLoop, run_in_virtual_time
from .faults import all_faults
from .process_metrics import ProcessMetrics, collect_tracebacks, measure_process
from .report import LIFETIME_ENERGY, SoakResult, as_markdown, find_differences, find_problems
from .user import REFRESH, WAKE_UP, User

_REPORT: Final = Path(__file__).parent.with_suffix(".md")
_TIMETABLE: Final = "errands"
_MIN_DAYS: Final = 3
_ENABLE_ALL_ENTITIES: Final = patch.object(Entity, "entity_registry_enabled_default", new=True)


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    days: int = 30
    seed: int = 0
    share: float = 0.1
    """Share of all requests that get a fault."""


def main() -> int:
    """Run the soak, and return 1 if there is a problem."""
    options = _parse_options()
    size, started = Size(options.days, options.seed, options.share), perf_counter()
    result = run_in_virtual_time(lambda loop: _Soak(loop, size).run())
    sys.stderr.write(f"{size.days} days in {perf_counter() - started:.0f} s\n")
    problems = find_problems(result)
    if options.json:
        sys.stdout.write(json.dumps({**asdict(result), "problems": problems}, indent=1) + "\n")
    else:
        sys.stdout.write(as_markdown(result))
    if size == Size():
        _REPORT.write_text(as_markdown(result))
    return 1 if problems else 0


def _parse_options() -> argparse.Namespace:
    default = Size()
    parser = argparse.ArgumentParser(prog="scripts/bench soak", description=__doc__)
    parser.add_argument("--days", type=int, default=default.days, help=f"at least {_MIN_DAYS}")
    parser.add_argument(
        "--seed", type=int, default=default.seed, help="seed of the random faults and actions"
    )
    parser.add_argument("--share", type=float, default=default.share, help="share of requests with a fault")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    if options.days < _MIN_DAYS:
        parser.error(f"--days must be at least {_MIN_DAYS}")
    return options


class _Soak:
    """A car with a driver, a user who controls it from Home Assistant, and a service with faults."""

    def __init__(self, loop: VirtualLoop, size: Size) -> None:
        seed(size.seed)  # The coordinator polls at a random fraction of a second.
        self._loop = loop
        self._size = size
        self._requests = 0
        self._charged = self._hours_unavailable = 0.0
        self._simulator = Simulator(vehicles=1, seed=size.seed, on_request=self._count_request)
        (self._car,) = self._simulator.vehicles
        self._car.unplug()

    def _count_request(self, _: object) -> None:
        self._requests += 1

    async def run(self) -> SoakResult:
        """Run all days, then compare the states with those of a new Home Assistant."""
        await self._simulator.start()
        with collect_tracebacks() as tracebacks:
            async with self._home() as home:
                user = User(home, self._simulator, self._size.seed)
                start, middle, end = await self._run_days(home, user)
                await user.run(WAKE_UP)
                await asyncio.sleep(MINUTE)
                await user.run(REFRESH)
                await home.hass.async_block_till_done()
                shown = home.states()
            async with self._home() as home:
                expected = home.states()
        await self._simulator.stop()
        return SoakResult(
            days=self._size.days,
            seed=self._size.seed,
            requests=self._requests,
            injected=dict(self._simulator.faults.injected),
            outcomes=user.outcomes,
            hours_unavailable=self._hours_unavailable,
            charged=self._charged,
            counted=float(shown[LIFETIME_ENERGY].state),
            start=start,
            middle=middle,
            end=end,
            entities=len(expected),
            tracebacks=tracebacks,
            differences=find_differences(shown, expected),
        )

    @asynccontextmanager
    async def _home(self) -> AsyncIterator[Home]:
        """Run a new Home Assistant with the car and all of its entities enabled."""
        with _ENABLE_ALL_ENTITIES:
            async with virtual_home_assistant(self._loop, lambda: self._simulator.unanswered) as hass:
                home = Home(hass, self._loop, Observations())
                await home.set_up(self._simulator)
                yield home

    async def _run_days(self, home: Home, user: User) -> list[ProcessMetrics]:
        """Return the metrics after the first day, after half of the days, and after the last.

        In the second half the service sometimes rejects the token, after which the account reloads.
        """
        days = self._size.days
        driver, metrics = Driver(self._car), []
        async with asyncio.TaskGroup() as group:
            group.create_task(driver.follow(TIMETABLES[_TIMETABLE], days))
            background = [group.create_task(task) for task in (user.reauthenticate(), self._observe(home))]
            for day, reject_token in ((1, False), (1 + days // 2, False), (days, True)):
                await self._run_until(day * DAY, user, reject_token=reject_token)
                # The driver's history must not count as memory of Home Assistant.
                driver.history = History()
                metrics.append(await measure_process(home))
            for task in background:
                task.cancel()
        return metrics

    async def _run_until(self, midnight: float, user: User, *, reject_token: bool) -> None:
        """Inject faults until midnight, then run an hour without faults."""
        faults, fault_seed = self._simulator.faults, self._size.seed + int(midnight)
        faults.at_random(self._size.share, fault_seed, all_faults(fault_seed, reject_token=reject_token))
        await user.act_until(midnight)
        await asyncio.sleep(midnight - self._loop.time())
        faults.clear()
        await asyncio.sleep(HOUR)

    async def _observe(self, home: Home) -> None:
        """Add up the energy that the car charges, and the hours in which it is unavailable."""
        charging = self._car.charging
        before = charging.energy_added
        while True:
            await asyncio.sleep(MINUTE)
            self._car.catch_up()
            # The start of a session resets the energy to 0; the end may correct it a little.
            self._charged += charging.energy_added - (before if charging.energy_added > before / 2 else 0.0)
            before = charging.energy_added
            is_available = home.shown("sensor", "polling_mode").state != STATE_UNAVAILABLE
            self._hours_unavailable += 0.0 if is_available else MINUTE / HOUR


if __name__ == "__main__":
    sys.exit(main())
