"""A quarter with a simulated car whose owner charges it at home, and the nights in it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from itertools import pairwise
import math
from random import Random, seed
from typing import Any, Final, NamedTuple

from homeassistant.const import STATE_UNAVAILABLE

from custom_components.vehicle_remote_access.const import CONF_PRICE_ENTITY
from custom_components.vehicle_remote_access.drive_log.view import iso
from custom_components.vehicle_remote_access.simulator import Home as Place, Request
from custom_components.vehicle_remote_access.simulator.car.battery import ChargingState
from custom_components.vehicle_remote_access.simulator.car.physics import (
    AWAKE,
    ENERGY_PER_PERCENT,
    HOUR,
    Supply,
)
from custom_components.vehicle_remote_access.simulator.faults.faults import ResponseFault
from custom_components.vehicle_remote_access.simulator.faults.switches import OTHER
from simulator_console.services import SimulatedService

from ..common.home import Home, collect_warnings, virtual_home
from ..common.virtual_time import MINUTE, VirtualLoop, run_in_virtual_time
from .cheapest_possible import STEP, cheapest_possible
from .prices import ZONE, Prices, midnight

READY_BY: Final = 7.0
"""The local hour."""
LIMIT: Final = 80
LOW_LEVEL: Final = 20.0
QUARTER_HOUR: Final = 900.0
_SENSOR: Final = "sensor.price"
_HOME: Final = (52.41, 9.73, 10.0)
_PUBLISHED_AT: Final = 14.0
"""The local hour at which the prices of the next day become known."""
_RESERVE: Final = 900.0
"""Charging ends so long before the car must be ready."""
_TOLERANCE: Final = 1.5
"""Percent: the car reports whole ones, and loses a part of one until it leaves."""
# The integration notices the end of an outage with its next attempt.
_AFTER_OUTAGE: Final = 900.0
_ONE_WAKE: Final = 120.0
_COMMANDS: Final = ("/command/charge_start", "/command/charge_stop")


@dataclass(frozen=True, slots=True)
class Scenario:
    prices: Prices
    days: int
    seed: int
    is_disturbed: bool
    """Whether there are restarts, outages, late prices, and the cable is plugged in again."""
    supply: Supply | None = None
    """The charger, None for the usual one."""


@dataclass(slots=True)
class Night:
    """A time in which the car is plugged in at home, until it must be ready or leaves."""

    start: float
    begins_charging: bool
    """Whether the car was just plugged in, and charges by itself."""
    is_complete: bool
    """Whether the charge is complete. Then the car does not charge again by itself."""
    level: float
    end: float = 0.0
    end_level: float = 0.0
    at_ready: bool = False
    """Whether it ended at the time at which the car must be ready."""
    energy: float = 0.0
    """kWh that the charger drew."""
    cost: float = 0.0
    levels: list[tuple[float, float]] = field(default_factory=list)
    is_manual: bool = False
    """Whether the owner started or stopped the charge since the car was plugged in."""


class Command(NamedTuple):
    moment: float
    is_start: bool
    is_of_person: bool
    is_against_person: bool
    """Whether the owner had started or stopped the charge before."""


class Judged(NamedTuple):
    """A night and what was possible in it."""

    night: Night
    at_once: float
    """The cost of charging at once."""
    cheapest: float
    """The cost if all prices had been known."""
    missing: float
    """Percent that it lacked when it had to be ready, and would have had if it had charged at once."""
    is_cut_off: bool
    """Whether an outage prevented that it was ready."""
    is_reachable: bool


class Results(NamedTuple):
    nights: list[Judged]
    """Without those in which the owner decided."""
    manual: int
    against_person: int
    starts: list[int]
    """How often the plan started the charge, for each night in which it did."""
    stops: int
    wakes: int
    idle_wakes: int
    """Wakes after which no start or stop was sent, except the first one after an outage."""
    outages: int
    restarts: int
    problems: list[str]


def run(scenario: Scenario) -> Results:
    start = datetime.fromtimestamp(scenario.prices.start, UTC)
    return run_in_virtual_time(lambda loop: Quarter(loop, scenario).run(), start)


class Quarter:
    """A quarter with one car."""

    service = OTHER
    """The service to play."""

    def __init__(self, loop: VirtualLoop, scenario: Scenario) -> None:
        self._loop = loop
        self._scenario = scenario
        self._prices = scenario.prices
        self._end = midnight(self._day(scenario.days), 12)
        self._simulator = SimulatedService(
            self.service, vehicles=1, seed=scenario.seed, home=Place(*_HOME, ZONE), on_request=self.on_request
        )
        (self._car,) = self._simulator.vehicles
        if scenario.supply is not None:
            self._car.charging.supply = scenario.supply
        self._home: Home
        self._night: Night | None = None
        self.nights: list[Night] = []
        self._drawn = 0.0
        self._is_person_acting = False
        self._commands: list[Command] = []
        self._wakes: list[float] = []
        self._outages: list[tuple[float, float]] = []
        self._restarts = 0

    async def run(self) -> Results:
        seed(self._scenario.seed)  # The coordinator polls at a random fraction of a second.
        car = self._car
        car.charging.limit = LIMIT
        car.unplug()
        await self._simulator.start()
        with collect_warnings(lambda record: record.exc_info) as problems:
            async with virtual_home(self._loop, self._simulator, self.options) as self._home:
                await self._set_up()
                tasks = [asyncio.ensure_future(part) for part in self.parts]
                await self._wait_until(self._end)
                for task in tasks:
                    if task.done():
                        await task
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        await self._simulator.stop()
        return self._results(problems)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the account."""
        return {}

    @property
    def car_options(self) -> dict[str, Any]:
        return {CONF_PRICE_ENTITY: _SENSOR}

    @property
    def parts(self) -> list[Coroutine[Any, Any, None]]:
        """What happens at the same time."""
        parts = [self._publish(), self._measure(), self._live()]
        return [*parts, self._restart_often(), self._have_outages()] if self._scenario.is_disturbed else parts

    async def _set_up(self) -> None:
        hass, vehicle = self._home.hass, self._home.vehicle
        latitude, longitude, _ = _HOME
        await hass.config.async_update(latitude=latitude, longitude=longitude, time_zone=ZONE.key)
        self._show_prices()
        entry = vehicle.config_entry
        subentry = entry.subentries[vehicle.subentry_id]
        data = {**subentry.data, **self.car_options}
        hass.config_entries.async_update_subentry(entry, subentry, data=data)
        await hass.async_block_till_done()
        await self._call("time", "set_value", "charging_plan.ready_by", time=f"{READY_BY:02.0f}:00:00")
        await self._call("switch", "turn_on", "charging_plan")

    async def _call(self, platform: str, action: str, path: str, **data: object) -> None:
        values = {"entity_id": self._home.entity_id(platform, path), **data}
        await self._home.hass.services.async_call(platform, action, values, blocking=True)

    def _day(self, index: int) -> date:
        return self._prices.first_day + timedelta(days=index)

    @property
    def _now(self) -> float:
        return self._prices.start + self._loop.time()

    async def _wait_until(self, moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - self._now))

    # The prices

    def _published_at(self, index: int) -> float:
        random = Random(f"late {self._scenario.seed} {index}")  # noqa: S311 - repeatable prices
        usual = midnight(self._day(index - 1), _PUBLISHED_AT)
        if not self._scenario.is_disturbed:
            return usual
        late = midnight(self._day(index - 1), 20), midnight(self._day(index), 0.5), math.inf
        return random.choices((usual, *late), (75, 10, 10, 5))[0]

    def _show_prices(self) -> None:
        index = (datetime.fromtimestamp(self._now, ZONE).date() - self._prices.first_day).days
        days = [self._day(each) for each in (index, index + 1) if self._published_at(each) <= self._now]
        spans = self._prices.of_days(days)
        known = [{"start": iso(span.start), "end": iso(span.end), "value": span.price} for span in spans]
        attributes = {"unit_of_measurement": "EUR/kWh", "prices": known}
        is_known = self._published_at(index) <= self._now
        state = f"{self._prices.at(self._now)}" if is_known else STATE_UNAVAILABLE
        self._home.hass.states.async_set(_SENSOR, state, attributes)

    async def _publish(self) -> None:
        while True:
            self._show_prices()
            await self._wait_until((self._now // QUARTER_HOUR + 1) * QUARTER_HOUR + 5)

    # The car and its owner

    async def _measure(self) -> None:
        while True:
            await self._wait_until((self._now // QUARTER_HOUR + 1) * QUARTER_HOUR)
            self._count()
            night, ready = self._night, midnight(datetime.fromtimestamp(self._now, ZONE).date(), READY_BY)
            if night is not None and abs(self._now - ready) < MINUTE and self.is_needed(ready):
                self._end_night(at_ready=True)
                self._begin_night(is_manual=night.is_manual, begins_charging=False)

    def is_needed(self, moment: float) -> bool:  # noqa: ARG002 - others differ by day
        """Return whether the car must be ready on the day of a moment."""
        return True

    def _count(self) -> None:
        """Count what the charger drew since the last time."""
        charging = self._car.charging
        self._car.catch_up()
        drawn, self._drawn = charging.energy_drawn - self._drawn, charging.energy_drawn
        if self._night is not None:
            self._night.energy += drawn
            self._night.cost += drawn * self._prices.at(self._now - 1)
            self._night.levels.append((self._now, charging.level))

    def _begin_night(self, *, is_manual: bool = False, begins_charging: bool = True) -> None:
        self._count()
        charging = self._car.charging
        is_complete = charging.state is ChargingState.COMPLETE
        self._night = Night(self._now, begins_charging, is_complete, charging.level, is_manual=is_manual)

    def _end_night(self, *, at_ready: bool = False) -> None:
        self._count()
        if (night := self._night) is not None:
            night.end, night.end_level, night.at_ready = self._now, self._car.charging.level, at_ready
            self.nights.append(night)
        self._night = None

    def _plug_in(self) -> None:
        self._car.plug_in()
        self._begin_night()

    def _unplug(self) -> None:
        self._end_night()
        if self._car.charging.plugged:
            self._car.unplug()

    async def _trip(self, miles: float, stop: float, *, is_plugged_in: bool = True) -> None:
        self._unplug()
        home = self._car.home.point
        for place in (home.beyond(miles, 70.0), home):
            await asyncio.sleep(self._car.drive_to(place, miles) + 1)
            self._car.catch_up()
            if place is not home:
                await asyncio.sleep(stop * HOUR)
        await asyncio.sleep(MINUTE)
        if is_plugged_in:
            self._plug_in()

    async def _live(self) -> None:
        await self._wait_until(self._prices.start + 60)
        self._plug_in()
        for index in range(self._scenario.days):
            random = Random(f"owner {self._scenario.seed} {index}")  # noqa: S311 - repeatable days
            day = self._day(index)
            if random.random() < 0.04:
                await self._wait_until(midnight(day, random.uniform(2.5, 6.5)))
                await self._trip(12, 0.2)
            forgets = random.random() < 0.08
            if day.weekday() >= 5:
                if random.random() < 0.8:
                    await self._wait_until(midnight(day, random.uniform(9, 15)))
                    await self._trip(random.uniform(15, 65), random.uniform(1, 3))
            elif random.random() < 0.8:
                await self._wait_until(midnight(day, max(READY_BY + 0.02, random.gauss(7.5, 0.2))))
                stop = midnight(day, random.gauss(16.7, 0.4)) - self._now
                await self._trip(random.uniform(33, 38), stop / HOUR - 0.7, is_plugged_in=not forgets)
            if random.random() < 0.25:
                await self._wait_until(midnight(day, random.uniform(19, 20.5)))
                is_long = random.random() < 0.15
                await self._trip(10, random.uniform(5, 8) if is_long else random.uniform(0.5, 1))
            await self._spend_evening(day, random)

    async def _spend_evening(self, day: date, random: Random) -> None:
        acts = random.random() < 0.08
        hour, in_car, plugs_again = random.uniform(19, 24), random.random() < 0.5, random.random() < 0.15
        pause, plug_hour = random.uniform(2, 40) * MINUTE, random.uniform(19, 24)
        events: list[tuple[float, Callable[[], Awaitable[None]]]] = []
        if acts:
            events.append((hour, lambda: self._decide(in_car=in_car)))
        if plugs_again and self._scenario.is_disturbed:
            events.append((plug_hour, lambda: self._plug_in_again(pause)))
        for at, happen in sorted(events, key=lambda event: event[0]):
            if midnight(day, at) >= self._now and self._night is not None:
                await self._wait_until(midnight(day, at))
                await happen()

    async def _decide(self, *, in_car: bool) -> None:
        """Start or stop the charge, in the car or in Home Assistant."""
        self._count()
        car = self._car
        if self._night is None or car.charging.full:
            return
        self._night.is_manual = True
        if in_car:
            car.wake()
            if car.charging.active:
                car.charging.stop()
            else:
                car.charging.start()
            return
        self._is_person_acting = True
        action = "turn_off" if car.charging.active else "turn_on"
        await self._call("switch", action, "charge_state.charging_state")
        self._is_person_acting = False

    async def _plug_in_again(self, pause: float) -> None:
        self._unplug()
        await asyncio.sleep(pause)
        self._plug_in()

    # Disturbances

    async def _restart_often(self) -> None:
        """Restart on every third night. The prices come back later."""
        for index in range(self._scenario.days):
            random = Random(f"restart {self._scenario.seed} {index}")  # noqa: S311 - repeatable restarts
            if random.random() < 1 / 3:
                await self._wait_until(midnight(self._day(index), random.uniform(19, 31)))
                self._home.hass.states.async_set(_SENSOR, STATE_UNAVAILABLE)
                await self._home.restart()
                self._restarts += 1
                await asyncio.sleep(random.uniform(1, 90))
                self._show_prices()

    async def _have_outages(self) -> None:
        """Let the service fail on every fifth night, from some minutes to four hours."""
        for index in range(self._scenario.days):
            random = Random(f"outage {self._scenario.seed} {index}")  # noqa: S311 - repeatable outages
            if random.random() < 1 / 5:
                await self._wait_until(midnight(self._day(index), random.uniform(18, 30)))
                start, faults = self._now, self._simulator.faults
                fault = faults.inject(ResponseFault(503), 10**9)
                await asyncio.sleep(random.choice((0.1, 0.5, 1, 2, 4)) * HOUR)
                faults.withdraw(fault)
                self._outages.append((start, self._now))

    # The figures

    def on_request(self, request: Request) -> None:
        if request.path.endswith("/wake_up") and request.status == HTTPStatus.OK:
            self._wakes.append(request.moment)
        if request.path.endswith(_COMMANDS) and request.status == HTTPStatus.OK:
            is_of_person = self._is_person_acting
            is_against = not is_of_person and self._night is not None and self._night.is_manual
            is_start = request.path.endswith(_COMMANDS[0])
            self._commands.append(Command(request.moment, is_start, is_of_person, is_against))

    def _results(self, problems: list[str]) -> Results:
        own = [command for command in self._commands if not command.is_of_person]
        starts = Counter(
            datetime.fromtimestamp(command.moment - READY_BY * HOUR, ZONE).date()
            for command in own
            if command.is_start
        )
        pairs = pairwise([-math.inf, *self._wakes])
        wakes = [wake for before, wake in pairs if wake - before > _ONE_WAKE]
        idle = sum(not self._is_used(wake) for wake in wakes)
        # The first charges show how fast the car charges.
        learned = [night for night in self.nights if night.start > self._prices.start + 72 * HOUR]
        return Results(
            nights=[self._judge(night) for night in learned if not night.is_manual],
            manual=sum(night.is_manual for night in learned),
            against_person=sum(command.is_against_person for command in own),
            starts=[*starts.values()],
            stops=sum(not command.is_start for command in own),
            wakes=len(wakes),
            idle_wakes=idle,
            outages=len(self._outages),
            restarts=self._restarts,
            problems=problems,
        )

    def _is_used(self, wake: float) -> bool:
        """Return whether a command follows, or only the wake shows how a charge ended during an outage."""
        moments = [each.moment for each in self._commands]
        last = max((each for each in (*moments, *self._wakes) if each < wake), default=-math.inf)
        is_after_outage = any(last < end <= wake for _, end in self._outages)
        return is_after_outage or any(0 <= each - wake <= _ONE_WAKE for each in moments)

    def _judge(self, night: Night) -> Judged:
        supply = self._car.charging.supply
        drawn = supply.power(self._car.charging.full_current)
        speed = (drawn * supply.efficiency - AWAKE) / ENERGY_PER_PERCENT / HOUR
        """Percent in a second."""
        seconds = 0.0 if night.is_complete else night.end - night.start
        reached = min(LIMIT, night.level + speed * seconds)
        cut_off = reached
        for start, end in self._outages:
            if start < night.end and end > night.start:
                left = max(0.0, night.end - max(end, night.start) - _AFTER_OUTAGE)
                level = max((level for at, level in night.levels if at <= end), default=night.level)
                cut_off = min(cut_off, level + speed * left)
        is_short = night.at_ready and reached - night.end_level > _TOLERANCE
        is_cut_off = is_short and cut_off - night.end_level <= _TOLERANCE
        at_once, cheapest = self._costs(night, drawn)
        return Judged(
            night,
            at_once=at_once,
            cheapest=cheapest,
            missing=reached - night.end_level if is_short and not is_cut_off else 0.0,
            is_cut_off=is_cut_off,
            is_reachable=night.is_complete or reached >= LIMIT,
        )

    def _costs(self, night: Night, power: float) -> tuple[float, float]:
        """Return the cost of the night's energy at once and at best."""
        first = math.floor(night.start / STEP)
        prices = [self._prices.at(STEP * index) for index in range(first, math.ceil(night.end / STEP))]
        steps = math.ceil(night.energy / power * HOUR / STEP)
        if not steps:
            return night.cost, night.cost
        at_once = sum(prices[:steps]) / len(prices[:steps])
        usable = len(prices) - round(_RESERVE / STEP) if night.at_ready else len(prices)
        urgent = max(0.0, LOW_LEVEL - night.level) * ENERGY_PER_PERCENT / power * HOUR
        if night.begins_charging:
            # Nobody can stop the car before the end of the outage in which it was plugged in.
            ends = (end - night.start for start, end in self._outages if start <= night.start < end)
            urgent = max([urgent, *ends])
        cheapest = cheapest_possible(
            prices[: max(usable, min(steps, len(prices)))],
            steps,
            at_once=min(steps, math.ceil(urgent / STEP)),
            is_starting=night.begins_charging,
        )
        return night.energy * at_once, night.energy * cheapest
