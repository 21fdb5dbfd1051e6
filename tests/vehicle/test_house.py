"""Surplus power charges the car, and the limit of the house holds."""

from typing import Any, Final

from homeassistant.const import STATE_UNAVAILABLE
import pytest

from custom_components.vehicle_remote_access.simulator.car.car import Car

from ..conftest import CHARGING, HOUR, MINUTE, Home
from .nights import PLAN, READY_BY, START, plan_reason, prepare

GRID: Final = "sensor.grid"
SURPLUS: Final = {"surplus_entity": GRID, "surplus_is_imported": True}
AMPS: Final = ("number", "charge_state.charge_current_request")
USUAL: Final = 40
AMPERE: Final = 0.24
"""kW"""


class House:
    """A house whose meter shows what it takes from the grid, with the cars that charge there."""

    def __init__(self, home: Home, unit: str = "kW", sign: int = 1) -> None:
        self.home = home
        self.cars: list[Car] = [*home.simulator.vehicles]
        self.unit = unit
        self.sign = sign
        self.load = 0.5
        """What the house takes without cars, in kW or A; negative if it exports."""
        self.is_silent = False
        self.reports: list[float] = []

    @property
    def grid(self) -> float:
        for car in self.cars:
            car.catch_up()
        drawn = sum(car.charging.current if self.unit == "A" else car.charging.power for car in self.cars)
        return self.load + drawn

    async def live(self, minutes: float, load: float | None = None, every: float = 20.0) -> list[str]:
        """Let time pass while the meter reports, and return the commands that were sent."""
        self.load = self.load if load is None else load
        self.home.simulator.requests.clear()
        for _ in range(round(minutes * MINUTE / every)):
            self.reports.append(self.grid)
            if not self.is_silent:
                shown = self.sign * self.grid * (1000 if self.unit == "W" else 1)
                unit = {"unit_of_measurement": self.unit}
                self.home.hass.states.async_set(GRID, str(round(shown, 3)), unit)
            await self.home.advance_while_pending(every, step=10)
        return [
            path.rpartition("/")[2] for path in self.home.requests("command") + self.home.requests("wake")
        ]


def amps(home: Home) -> float:
    home.car.catch_up()
    return home.car.charging.current


def notice(home: Home) -> Any:
    return home.shown(*START).attributes["house"]


async def plugged_in(home: Home, house: House, **options: Any) -> None:
    """Plug the car in, with the plan on. It does not charge before the night."""
    await home.set_account_options(house=options or SURPLUS)
    await prepare(home)
    home.car.plug_in()
    await home.poll()
    # The car shows how much an ampere is.
    await home.advance(20)
    await home.poll()
    assert await house.live(4) == ["charge_stop"]


@pytest.fixture
def service() -> str:
    """A service that can set the current."""
    return "tessie"


async def test_car_follows_the_surplus(home: Home) -> None:
    """It starts after five minutes with a lower current, follows it, and stops after ten with too little."""
    house = House(home)
    await plugged_in(home, house)
    assert (await house.live(4, -4.0), amps(home), notice(home)) == ([], 0, None)
    assert await house.live(3) == ["set_charging_amps", "charge_start"]
    assert (amps(home), notice(home)) == (16, "surplus")
    await house.live(10, -6.0)
    assert amps(home) == 25
    # A cloud lowers the current, and does not stop the charge.
    assert (set(await house.live(5, 0.5)), amps(home)) == ({"set_charging_amps"}, 5)
    assert (set(await house.live(8, -6.0)), amps(home)) == ({"set_charging_amps"}, 25)
    assert (await house.live(13, 0.5))[-1] == "charge_stop"
    attributes = home.shown(*START).attributes
    assert attributes["charged"] > attributes["from_surplus"] > 1.0
    # By night, the car charges with the current that its owner has set.
    await home.advance_while_pending(15.5 * HOUR, step=60)
    assert home.shown(*CHARGING).state == "charging"
    assert (amps(home), plan_reason(home)) == (USUAL, "cheapest")


@pytest.mark.parametrize(("unit", "sign", "imported"), [("W", 1, True), ("W", -1, False), ("kW", -1, False)])
async def test_units_and_signs_of_meters(home: Home, unit: str, sign: int, *, imported: bool) -> None:
    house = House(home, unit, sign)
    await plugged_in(home, house, surplus_entity=GRID, surplus_is_imported=imported)
    await house.live(12, -4.0)
    assert amps(home) == 16


async def test_silent_sensor_of_the_surplus(home: Home) -> None:
    """Without reports, the car goes to its least current, and then stops; the plan says why."""
    house = House(home)
    await plugged_in(home, house)
    await house.live(12, -4.0)
    house.is_silent = True
    assert (await house.live(8), amps(home)) == (["set_charging_amps"], 5)
    assert notice(home) == "surplus_silent"
    assert await house.live(10) == ["charge_stop"]
    home.hass.states.async_set(GRID, STATE_UNAVAILABLE)
    assert (await house.live(50), notice(home)) == ([], "surplus_silent")
    house.is_silent = False
    await house.live(7)
    assert (amps(home), notice(home)) == (16, "surplus")


async def test_home_battery_comes_first(home: Home) -> None:
    house = House(home)
    home.hass.states.async_set("sensor.battery", "70")
    await plugged_in(home, house, **SURPLUS, battery_entity="sensor.battery", battery_from=80)
    assert (await house.live(10, -4.0), amps(home)) == ([], 0)
    home.hass.states.async_set("sensor.battery", "80")
    await house.live(7)
    assert amps(home) == 16


async def test_limit_of_the_house(home: Home) -> None:
    """The current falls with the next reading, and rises later. Below the least one, the car waits."""
    house = House(home, "A")
    await plugged_in(home, house, limit_entities=[GRID], limit=35)
    # A person's charge is limited, too.
    await home.call("switch", "turn_on", CHARGING[1])
    await house.live(1, 1.0)
    assert (amps(home), plan_reason(home), notice(home)) == (34, "manual", "limited")
    for load, most in ((20.0, 15), (29.0, 6), (10.0, 25)):
        house.reports.clear()
        await house.live(5, load)
        assert amps(home) == most
        assert all(shown <= 35 for shown in house.reports[1:]), house.reports
    assert home.shown(*AMPS).state == "25"


async def test_report_that_repeats_the_last_one(home: Home) -> None:
    """It counts, too. The first ones after a change may not show yet what the car takes."""
    house = House(home, "A")
    await plugged_in(home, house, limit_entities=[GRID], limit=35)
    await home.advance(14)
    await home.call("switch", "turn_on", CHARGING[1])
    house.reports.clear()
    await house.live(1, 10.0, every=6)
    assert len([shown for shown in house.reports if shown > 35]) <= 4, house.reports


async def test_phase_that_does_not_change(home: Home) -> None:
    """It says nothing new, but the other phases do."""
    house = House(home, "A")
    other = {"unit_of_measurement": "A"}
    home.hass.states.async_set("sensor.l2", "0.4", other)
    await plugged_in(home, house, limit_entities=[GRID, "sensor.l2"], limit=35)
    await home.call("switch", "turn_on", CHARGING[1])
    for load, most in ((10.0, 25), (20.0, 15), (5.0, 30)):
        await house.live(6, load)
        assert (amps(home), notice(home)) == (most, "limited")
    home.hass.states.async_set("sensor.l2", STATE_UNAVAILABLE)
    await house.live(1)
    assert (amps(home), notice(home)) == (5, "limit_silent")


async def test_plan_that_is_turned_off_before_the_current_is_confirmed(home: Home) -> None:
    house = House(home)
    await plugged_in(home, house)
    while not amps(home):
        await house.live(1 / 3, -4.0)
    await home.call("switch", "turn_off", PLAN[1])
    await house.live(3)
    assert home.shown(*AMPS).state == str(USUAL)


async def test_limit_with_less_than_a_car_needs(home: Home) -> None:
    house = House(home, "A")
    await plugged_in(home, house, limit_entities=[GRID], limit=35)
    await home.set_car_options(price=0.2, price_entity=None)
    home.car.set_level(10)
    await home.poll()
    await house.live(3, 25.0)
    assert (amps(home), notice(home)) == (10, "limited")
    assert ((await house.live(2, 33.0))[-1], amps(home)) == ("charge_stop", 0)
    assert notice(home) == "waits_for_house"
    assert (await house.live(4, 5.0), amps(home)) == ([], 0)
    await house.live(16)
    assert amps(home) == 30


async def test_silent_sensor_of_the_limit(home: Home) -> None:
    house = House(home, "A")
    await plugged_in(home, house, limit_entities=[GRID], limit=35)
    home.car.set_level(10)
    await home.poll()
    await house.live(5, 5.0)
    house.is_silent = True
    await house.live(7)
    assert (amps(home), notice(home)) == (5, "limit_silent")


async def test_current_of_a_person_is_restored(home: Home) -> None:
    house = House(home)
    await plugged_in(home, house)
    await home.call("number", "set_value", AMPS[1], value=20)
    await house.live(9, -2.4)
    assert amps(home) == 10
    # The plan never takes more.
    await house.live(6, -9.0)
    assert amps(home) == 20
    await house.live(6, -2.4)
    await home.call("switch", "turn_off", PLAN[1])
    await house.live(2)
    assert (home.shown(*AMPS).state, amps(home)) == ("20", 20)
    # A current that a person sets while the plan is on counts from then on.
    await home.call("switch", "turn_on", PLAN[1])
    await house.live(9)
    await home.call("number", "set_value", AMPS[1], value=8)
    await house.live(3)
    home.car.unplug()
    await home.poll()
    await house.live(2)
    assert home.shown(*AMPS).state == "8"


async def test_unplugging_restores_the_current(home: Home) -> None:
    house = House(home)
    await plugged_in(home, house)
    await house.live(8, -2.4)
    assert amps(home) == 10
    home.car.unplug()
    await home.poll()
    assert home.shown(*AMPS).state == str(USUAL)


async def test_refused_current(home: Home) -> None:
    """A start with too much current is not sent. The next attempts come later each time."""
    house = House(home)
    await plugged_in(home, house)
    refused = {"response": {"result": False, "reason": "no"}}
    home.simulator.faults.answer(200, body=refused, only="/command/", times=1000)
    sent = await house.live(30, -4.0)
    assert set(sent) <= {"set_charging_amps", "wake_up"}
    assert 2 <= sent.count("set_charging_amps") <= 6
    assert sent.count("wake_up") <= 2
    home.simulator.faults.clear()
    await house.live(60)
    assert amps(home) == 16


async def test_restart_while_the_sun_shines(home: Home) -> None:
    house = House(home)
    await plugged_in(home, house)
    await house.live(8, -4.0)
    before = home.shown(*START).attributes["charged"]
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    assert await house.live(5) == []
    assert (amps(home), notice(home)) == (16, "surplus")
    assert home.shown(*START).attributes["charged"] >= before
    await house.live(13, 1.0)
    await home.call("switch", "turn_off", PLAN[1])
    await house.live(1)
    assert home.shown(*AMPS).state == str(USUAL)


async def test_sensors_of_the_house_are_changed(home: Home) -> None:
    """What an owner selects counts at once."""
    await plugged_in(home, House(home), limit_entities=[GRID], limit=35)
    assert home.shown(*START).attributes["surplus_entity"] is None
    await home.set_account_options(house=SURPLUS)
    assert home.shown(*START).attributes["surplus_entity"] == GRID


async def test_off_costs_nothing(home: Home) -> None:
    """Neither without the plan nor away from home is anything sent or shown."""
    house = House(home)
    await plugged_in(home, house)
    await home.call("switch", "turn_off", PLAN[1])
    assert await house.live(15, -6.0) == []
    assert "house" not in home.shown(*START).attributes
    await home.call("switch", "turn_on", PLAN[1])
    home.car.unplug()
    home.park_at(home.car.home.point.beyond(5, 0))
    home.car.plug_in()
    await home.poll()
    assert (await house.live(15), plan_reason(home)) == ([], "away")


@pytest.mark.parametrize("cars", [2])
async def test_two_cars_on_one_fuse(home: Home, cars: int) -> None:
    """The car that must be ready first comes first. The other one gets the rest, or waits."""
    house = House(home, "A")
    first, second = home.simulator.vehicles
    await home.set_account_options(house={"limit_entities": [GRID], "limit": 45})
    await prepare(home)
    first.set_level(10)
    second.set_level(10)
    await home.hass.services.async_call(
        "switch", "turn_on", {"entity_id": home.entity_id(*PLAN, second.vin)}, blocking=True
    )
    await home.hass.services.async_call(
        "time",
        "set_value",
        {"entity_id": home.entity_id(*READY_BY, second.vin), "time": "23:00:00"},
        blocking=True,
    )
    await home.poll()
    first.plug_in()
    second.plug_in()
    await home.poll()
    await house.live(5, 3.0)
    for car in (first, second):
        car.catch_up()
    assert (second.charging.current, first.charging.current) == (16, 26)
    house.reports.clear()
    await house.live(10, 28.0)
    assert (second.charging.current, first.charging.current) == (16, 0)
    assert all(shown <= 45 for shown in house.reports[1:]), house.reports
