"""Random queues of commands: callers are canceled, answers are lost, and the car sleeps or refuses."""

import asyncio
from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any, Final
from unittest.mock import patch

from homeassistant.config_entries import ConfigEntryState
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.simulator.car.car import Car
from custom_components.vehicle_remote_access.simulator.controls import ControlError
from custom_components.vehicle_remote_access.simulator.http import endpoints
from custom_components.vehicle_remote_access.simulator.http.car_commands import ACCEPTED, carry_out
from custom_components.vehicle_remote_access.simulator.http.parameters import Parameters
from simulator_console.services import SimulatedService

from ..conftest import LOCK, READ, WAKE, Home, exhaustive

TRUNK: Final = ("cover", "vehicle_state.rt")
FRUNK: Final = ("cover", "vehicle_state.ft")
LIMIT: Final = ("number", "charge_state.charge_limit_soc")
CLIMATE: Final = ("climate", "climate_state")
# What a person asks for: the action of an entity, the command, and what the car then has, if that can be seen
REQUESTS: Final[tuple[tuple[tuple[str, str, str], str, Any], ...]] = (
    (("lock", "lock", LOCK[1]), "door_lock", lambda car: car.body.locked),
    (("lock", "unlock", LOCK[1]), "door_unlock", lambda car: not car.body.locked),
    (("cover", "open_cover", TRUNK[1]), "actuate_trunk", lambda car: car.body.openings["rt"]),
    (("cover", "close_cover", TRUNK[1]), "actuate_trunk", lambda car: not car.body.openings["rt"]),
    (("cover", "open_cover", FRUNK[1]), "actuate_trunk", lambda car: car.body.openings["ft"]),
    (("cover", "close_cover", FRUNK[1]), "actuate_trunk", lambda car: not car.body.openings["ft"]),
    (("climate", "turn_on", CLIMATE[1]), "auto_conditioning_start", lambda car: car.cabin.on),
    (("climate", "turn_off", CLIMATE[1]), "auto_conditioning_stop", lambda car: not car.cabin.on),
    (("button", "press", "flash_lights"), "flash_lights", None),
    (("button", "press", "honk_horn"), "honk_horn", None),
)
NOT_REPEATABLE: Final = ("actuate_trunk", "flash_lights", "honk_horn")
SHOWN: Final[tuple[tuple[tuple[str, str], Any], ...]] = (
    (LOCK, lambda car: "locked" if car.body.locked else "unlocked"),
    (TRUNK, lambda car: "open" if car.body.openings["rt"] else "closed"),
    (FRUNK, lambda car: "open" if car.body.openings["ft"] else "closed"),
    (CLIMATE, lambda car: "heat_cool" if car.cabin.on else "off"),
    (LIMIT, lambda car: str(car.charging.limit)),
)
REFUSED: Final = {"response": {"result": False, "reason": "something"}}


class Queue:
    """A random queue of one seed."""

    def __init__(self, home: Home, seed: int) -> None:
        assert isinstance(home.simulator, SimulatedService)
        self.home, self.service = home, home.simulator
        self.random = Random(seed)  # noqa: S311
        self.carried_out: list[str] = []
        self.requested = Counter[str]()

    def carry_out(self, car: Car, command: str, parameters: Parameters) -> str:
        reason = carry_out(car, command, parameters)
        if reason == ACCEPTED:
            self.carried_out.append(command)
        return reason

    async def _wait_until(self, at: float) -> None:
        """Wait for a time, and for the entities: Home Assistant carries out nothing without an entity."""
        await asyncio.sleep(at)
        while self.home.entry.state is not ConfigEntryState.LOADED:  # noqa: ASYNC110 - virtual time
            await asyncio.sleep(1)

    async def request(self, at: float, canceled_after: float | None) -> None:
        """Ask for something. Success means that the car has it, or that the service accepted the command."""
        await self._wait_until(at)
        (platform, action, path), command, is_reached = self.random.choice(REQUESTS)
        self.requested[command] += 1
        before = len(self.carried_out)
        try:
            async with asyncio.timeout(canceled_after):
                await self.home.call(platform, action, path)
        except HomeAssistantError, TimeoutError:
            return
        is_done = is_reached(self.home.car) if is_reached else command in self.carried_out[before:]
        assert is_done, f"{action} {path} did not happen"

    async def set_limit(self, at: float) -> None:
        await self._wait_until(at)
        before, value = len(self.carried_out), self.random.randint(50, 100)
        try:
            await self.home.call("number", "set_value", LIMIT[1], value=value)
        except HomeAssistantError:
            return
        is_done = self.home.car.charging.limit == value
        assert is_done or "set_charge_limit" in self.carried_out[before:]

    async def disturb(self, at: float) -> None:
        await asyncio.sleep(at)
        faults, is_obeyed = self.home.simulator.faults, self.random.random() < 0.5
        match self.random.randrange(10):
            case 0:
                with suppress(ControlError):
                    self.home.car.fall_asleep()
            case 1:
                await self.home.hass.config_entries.async_reload(self.home.entry.entry_id)
            case 2:
                faults.answer(200, body=REFUSED, only="/command/")
            case 3:
                faults.answer(502, only="/command/", is_obeyed=is_obeyed)
            case 4:
                faults.fail("silence", only="/command/", is_obeyed=is_obeyed)
            case 5:
                faults.answer(500, only=READ, times=self.random.randint(1, 4))
            case 6:
                faults.answer(503, only=WAKE, times=self.random.randint(1, 30))
            case 7:
                # From now on, or no longer
                self.service.cached_for = self.random.choice((0, 20, 90))
            case _:
                faults.fail("reset", only="/command/", is_obeyed=is_obeyed)

    async def run(self) -> None:
        random, car = self.random, self.home.car
        self.home.simulator.switches.lid_delay = random.choice((0, 8))
        if random.random() < 0.5:
            car.close("rt")
            car.close("ft")
            car.cabin.on = False
            await self.home.poll()
            car.fall_asleep()
        calls = [
            self.request(random.uniform(0, 60), random.choice((None, None, random.uniform(0, 20))))
            for _ in range(random.randint(3, 8))
        ]
        calls += [self.set_limit(random.uniform(0, 60)) for _ in range(random.randint(0, 3))]
        calls += [self.disturb(random.uniform(0, 60)) for _ in range(random.randint(1, 5))]
        with patch.object(endpoints, "carry_out", self.carry_out):
            results = await self.home.gather(*calls, max_seconds=1000)
            assert results == [None] * len(calls)
            await self.check()

    async def check(self) -> None:
        home = self.home
        done = Counter(self.carried_out)
        for command in NOT_REPEATABLE:
            assert done[command] <= self.requested[command], f"{command} was sent twice"
        assert not home.coordinator.commands.pending
        home.simulator.faults.clear()
        self.service.cached_for = 0
        await home.advance(70)
        if home.car.state != "online":
            await home.run_until_complete(home.press("wake_up"))
        await home.poll()
        for entity, value in SHOWN:
            assert home.shown(*entity).state == value(home.car), entity


MORE_SEEDS: Final = [range(first, first + 25) for first in range(12, 512, 25)]


@pytest.mark.parametrize("seeds", [range(12), *exhaustive(*MORE_SEEDS)], ids=str)
async def test_random_queue(seeds: range, home: Home) -> None:
    """A success is true, nothing is done twice or hangs, and the car is shown as it is."""
    await home.set_car_options(powered_lids=["trunk", "frunk"])
    for seed in seeds:
        try:
            await Queue(home, seed).run()
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise
