"""A month in which every tenth request goes wrong: what came of it, and what is left of it in the end."""

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

from .aftermath import LIFETIME_ENERGY, Aftermath, differences, problems, written
from .driver import DAY, HOUR, MINUTE, Driver, Truth
from .home import Home, Seen, running
from .mishaps import mishaps
from .person import REFRESH, WAKE, Person
from .timetables import TIMETABLES
from .virtual import VirtualLoop, run
from .vitals import Vitals, tracebacks, vitals

_FILE: Final = Path(__file__).with_suffix(".md")
_TIMETABLE: Final = "errands"
_ALL_ENTITIES: Final = patch.object(Entity, "entity_registry_enabled_default", new=True)


@dataclass(frozen=True, slots=True)
class Soak:
    """What is lived through."""

    days: int = 30
    seed: int = 0
    share: float = 0.1
    """Of all requests, those that go wrong."""


def main() -> int:
    """Live through it, and return 1 if anything is not as it should be."""
    asked = _arguments()
    soak, began = Soak(asked.days, asked.seed, asked.share), perf_counter()
    aftermath = run(lambda loop: _Month(loop, soak).lived())
    sys.stderr.write(f"{soak.days} days in {perf_counter() - began:.0f} s\n")
    wrong = problems(aftermath)
    if asked.json:
        sys.stdout.write(json.dumps({**asdict(aftermath), "problems": wrong}, indent=1) + "\n")
    else:
        sys.stdout.write(written(aftermath))
    if soak == Soak():
        _FILE.write_text(written(aftermath))
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    usual = Soak()
    parser = argparse.ArgumentParser(prog="scripts/bench soak", description=__doc__)
    parser.add_argument("--days", type=int, default=usual.days, help="at least 3")
    parser.add_argument("--seed", type=int, default=usual.seed, help="decides what happens, and when")
    parser.add_argument("--share", type=float, default=usual.share, help="of all requests that go wrong")
    parser.add_argument("--json", action="store_true", help="print the figures and no tables")
    asked = parser.parse_args()
    if asked.days < 3:
        parser.error("--days has to be at least 3")
    return asked


class _Month:
    """A car that is driven, a person who uses it from Home Assistant, and a service that fails."""

    def __init__(self, loop: VirtualLoop, soak: Soak) -> None:
        seed(soak.seed)  # A coordinator chooses by chance in which part of a second it asks.
        self._loop = loop
        self._soak = soak
        self._requests = 0
        self._charged = self._hours_unavailable = 0.0
        self._simulator = Simulator(vehicles=1, seed=soak.seed, on_request=self._count)
        (self._car,) = self._simulator.vehicles
        self._car.unplug()

    def _count(self, _: object) -> None:
        self._requests += 1

    async def lived(self) -> Aftermath:
        """Live through it, then look at the car with a Home Assistant that knows nothing of all that."""
        await self._simulator.start()
        with tracebacks() as heard:
            async with self._home() as home:
                person = Person(home, self._simulator, self._soak.seed)
                start, middle, end = await self._lives(home, person)
                await person.does(WAKE)
                await asyncio.sleep(MINUTE)
                await person.does(REFRESH)
                await home.hass.async_block_till_done()
                shown = home.states()
            async with self._home() as home:
                fresh = home.states()
        await self._simulator.stop()
        return Aftermath(
            days=self._soak.days,
            seed=self._soak.seed,
            requests=self._requests,
            injected=dict(self._simulator.faults.injected),
            outcomes=person.outcomes,
            hours_unavailable=self._hours_unavailable,
            charged=self._charged,
            counted=float(shown[LIFETIME_ENERGY].state),
            start=start,
            middle=middle,
            end=end,
            entities=len(fresh),
            tracebacks=heard,
            differences=differences(shown, fresh),
        )

    @asynccontextmanager
    async def _home(self) -> AsyncIterator[Home]:
        """Run a Home Assistant that has just been told of the car, and shows all that there is of it."""
        with _ALL_ENTITIES:
            async with running(self._loop, lambda: self._simulator.unanswered) as hass:
                home = Home(hass, self._loop, Seen())
                await home.set_up(self._simulator)
                yield home

    async def _lives(self, home: Home, person: Person) -> list[Vitals]:
        """Return what is held after the first day, after half of them, and after the last.

        In the second half the token is refused now and then, after which the account begins anew.
        """
        days = self._soak.days
        driver, found = Driver(self._car), []
        async with asyncio.TaskGroup() as group:
            group.create_task(driver.lives(TIMETABLES[_TIMETABLE], days))
            meanwhile = [group.create_task(each) for each in (person.mends(), self._looks(home))]
            for day, is_token_refused in ((1, False), (1 + days // 2, False), (days, True)):
                await self._lives_until(day * DAY, person, is_token_refused=is_token_refused)
                # What the driver remembers is not Home Assistant's.
                driver.truth = Truth()
                found.append(await vitals(home))
            for task in meanwhile:
                task.cancel()
        return found

    async def _lives_until(self, midnight: float, person: Person, *, is_token_refused: bool) -> None:
        """Let things go wrong until then, and after it nothing for an hour."""
        faults, chance = self._simulator.faults, self._soak.seed + int(midnight)
        faults.at_random(self._soak.share, chance, mishaps(chance, is_token_refused=is_token_refused))
        await person.lives(midnight)
        await asyncio.sleep(midnight - self._loop.time())
        faults.clear()
        await asyncio.sleep(HOUR)

    async def _looks(self, home: Home) -> None:
        """Count what the car is truly charged with, and for how long nothing of it is shown."""
        charging = self._car.charging
        before = charging.energy_added
        while True:
            await asyncio.sleep(MINUTE)
            self._car.catch_up()
            # A session that begins sets it to zero; one that ends may correct it a little.
            self._charged += charging.energy_added - (before if charging.energy_added > before / 2 else 0.0)
            before = charging.energy_added
            is_shown = home.shown("sensor", "polling_mode").state != STATE_UNAVAILABLE
            self._hours_unavailable += 0.0 if is_shown else MINUTE / HOUR


if __name__ == "__main__":
    sys.exit(main())
