"""Random nights at home: the plan is ready where that is possible, and never acts against a person."""

from random import Random
from typing import Final

from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.simulator.car.battery import ChargingState
from custom_components.vehicle_remote_access.simulator.car.physics import AWAKE, ENERGY_PER_PERCENT
from custom_components.vehicle_remote_access.simulator.faults.faults import ResponseFault

from ..conftest import HOUR, MINUTE, Home, exhaustive
from .nights import CHARGE, PLAN, START, commands_sent, plan_reason, prepare, set_prices

STEP: Final = 5 * MINUTE
SLACK: Final = 1.0
"""Hours in which the plan notices what happened, keeps its reserve, and charges in whole steps."""


class Night:
    """A night with a person, restarts and faults."""

    def __init__(self, home: Home, seed: int) -> None:
        self.home = home
        self.random = Random(seed)  # noqa: S311 - not for cryptography
        self.is_manual = False
        self.undisturbed = (0.0, 0.0)
        """Since when the plan could send what it wanted, and the level of the battery then."""
        self.events: list[str] = []
        self.against: list[str] = []

    @property
    def now(self) -> float:
        return dt_util.utcnow().timestamp()

    async def pass_time(self, seconds: float) -> None:
        """Let time pass. What is sent then is of the plan."""
        while seconds > 0:
            commands_sent(self.home)
            await self.home.advance_while_pending(min(seconds, STEP), step=60)
            sent = [each for each in commands_sent(self.home) if each != "wake_up"]
            if sent and self.is_manual:
                self.against += sent
            seconds -= STEP

    def go_on(self) -> None:
        """From now on, the plan can send what it wants."""
        self.undisturbed = self.now, self.home.car.charging.level

    async def happen(self) -> None:
        """Let one event happen."""
        events = (self.switch, self.use_car, self.restart, self.fail, self.lose_coverage, self.replan)
        event = self.random.choice(events)
        self.events.append(f"{dt_util.now():%H:%M} {event.__name__}")
        await event()

    async def switch(self) -> None:
        """A person uses the switch in Home Assistant."""
        charging = self.home.car.charging
        turn_on = self.random.random() < 0.5
        await self.pass_time(2 * MINUTE)
        before, was_active, wants = self.is_manual, charging.active, plan_reason(self.home)
        call = self.home.call("switch", "turn_on" if turn_on else "turn_off", CHARGE[1])
        error = await self.home.error_of(call)
        self.events.append(f"  {turn_on=} {was_active=} {wants=} {error=}")
        if not error and plan_reason(self.home) == "manual":
            self.is_manual = True
        elif not error and charging.state is not ChargingState.COMPLETE:
            # What changed the car was a decision.
            assert before or charging.active is was_active or not self.is_plan_active, self.events
        await self.pass_time(2 * MINUTE)

    @property
    def is_plan_active(self) -> bool:
        return plan_reason(self.home) not in ("off", "unplugged", "unknown", "manual", "unavailable")

    async def use_car(self) -> None:
        """A person starts or stops the charge in the car, which wakes it."""
        car = self.home.car
        car.wake()
        await self.pass_time(10 * MINUTE)
        was_active = car.charging.active
        if car.charging.state is ChargingState.COMPLETE:
            return
        (car.charging.stop if was_active else car.charging.start)()
        await self.home.advance_while_pending(4 * MINUTE, step=20)
        # An idle car that is left alone to fall asleep is read much later.
        await self.home.poll()
        commands_sent(self.home)
        self.is_manual = True
        await self.pass_time(10 * MINUTE)
        assert plan_reason(self.home) in ("manual", "off", "at_limit"), self.events

    async def restart(self) -> None:
        minutes = self.random.choice((1, 5, 40))
        await self.home.unload()
        self.home.skip(minutes * MINUTE)
        self.home.car.catch_up()
        await self.home.run_until_complete(self.home.load())
        self.go_on()

    async def fail(self) -> None:
        """The service fails."""
        minutes = self.random.choice((5, 30, 90))
        fault = self.home.simulator.faults.inject(ResponseFault(503), 10**6)
        await self.pass_time(minutes * MINUTE)
        self.home.simulator.faults.withdraw(fault)
        self.go_on()

    async def lose_coverage(self) -> None:
        minutes = self.random.choice((5, 30, 90))
        self.home.car.coverage(on=False)
        await self.pass_time(minutes * MINUTE)
        self.home.car.coverage(on=True)
        self.go_on()

    async def replan(self) -> None:
        """The prices or the plan change."""
        if self.random.random() < 0.5:
            set_prices(self.home, *self.random.sample(range(24), 3))
        else:
            await self.home.call("switch", "turn_off", PLAN[1])
            await self.home.call("switch", "turn_on", PLAN[1])
            self.is_manual = False
            self.go_on()
        await self.pass_time(2 * MINUTE)


@pytest.mark.parametrize("seed", [*range(2), *exhaustive(*range(2, 12))])
async def test_random_night(home: Home, seed: int) -> None:
    """Half of the nights charge with half of the usual current."""
    night, car = Night(home, seed), home.car
    random = night.random
    level, is_slow = random.uniform(20, 75), bool(seed % 2)
    prices = random.choice(({}, {}, {"price_entity": None}, {"charge_without_break": True}))
    await prepare(home, level=level, **prices)
    set_prices(home, *random.sample(range(24), 3))
    car.charging.requested_current = 20 if is_slow else None
    home.skip(random.uniform(0, 8) * HOUR)
    await home.advance(2 * MINUTE)
    plugged_at = night.now
    home.car.plug_in()
    night.go_on()
    await home.poll()
    await night.pass_time(5 * MINUTE)
    ready_by = home.shown(*START).attributes["ready_by"].timestamp()
    count = random.choice((0, 1, 2, 4))
    for moment in sorted(random.uniform(plugged_at, ready_by - HOUR / 2) for _ in range(count)):
        await night.pass_time(moment - night.now)
        await night.happen()
    await night.pass_time(ready_by - night.now)
    story = (seed, level, is_slow, prices, night.events, plan_reason(home), car.charging.level)
    assert not night.against, story
    power = car.charging.supply.power(car.charging.full_current) * car.charging.supply.efficiency - AWAKE
    since, known_level = night.undisturbed
    hours = (car.charging.limit - known_level) * ENERGY_PER_PERCENT / power
    is_possible = hours + SLACK < (ready_by - since) / HOUR
    if is_possible and not night.is_manual:
        assert car.charging.level >= car.charging.limit - 1.5, story
