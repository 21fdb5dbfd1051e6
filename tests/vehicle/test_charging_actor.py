"""The charging plan charges the car in the cheapest hours, and leaves it alone otherwise."""

from datetime import UTC, time, timedelta
import time as time_module
from typing import Any, Final
from unittest.mock import patch

from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.records import ChargeState
from custom_components.vehicle_remote_access.charging_plan import decide
from custom_components.vehicle_remote_access.charging_plan.planner import make_charging_plan
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator.faults.faults import ResponseFault

from ..conftest import CHARGING, HOUR, MINUTE, STATE, Home
from ..flow import Flow
from .nights import (
    CHARGE,
    LIMIT,
    PLAN,
    PRICE,
    READY_BY,
    START,
    commands_sent,
    during,
    plan_reason,
    planned_hours,
    plug_in,
    prepare,
    set_prices,
    until_start,
)

REFUSED: Final = {"result": False, "reason": "no"}
ACCEPTED: Final = {"result": True, "reason": ""}
TARIFF: Final[dict[str, Any]] = {
    "price_entity": None,
    "price": 0.3,
    "price_cheap": 0.1,
    "cheap_from": "22:00:00",
}


async def test_night(home: Home) -> None:
    """A car that starts when it is plugged in is stopped at once. It sleeps until the cheap hours."""
    await prepare(home)
    commands_sent(home)
    await plug_in(home)
    assert commands_sent(home) == ["charge_stop"]
    assert home.shown(*CHARGING).state == "stopped"
    assert (plan_reason(home), planned_hours(home)) == ("cheapest", [(3.0, 5)])
    assert home.shown(*START).state == "2026-05-05T10:00:00+00:00"
    assert await during(home, 14.5) == []
    assert home.shown(*STATE).state == "asleep"
    assert await during(home, 4.5) == ["wake_up", "charge_start"]
    assert home.shown(*CHARGING).state == "complete"
    assert plan_reason(home) == "at_limit"


async def test_schedule_of_the_car(home: Home) -> None:
    """What the car starts by its own schedule is no person. The plan stops it, and starts it later."""
    await prepare(home)
    home.car.plug_in()
    home.car.schedule_charging(5)
    await home.poll()
    commands_sent(home)
    assert await during(home, 6) == ["charge_stop"]
    assert (home.shown(*CHARGING).state, plan_reason(home)) == ("stopped", "cheapest")
    assert await during(home, 13) == ["wake_up", "charge_start"]


async def test_schedule_of_the_car_is_shown(home: Home) -> None:
    """The owner sees it with the next read, although it does not change the plan."""
    await prepare(home)
    await plug_in(home)
    assert "car_schedule" not in home.shown(*START).attributes
    home.car.schedule_charging(5)
    await home.poll()
    start = home.shown("sensor", ChargeState.scheduled_charging_start_time.path).state
    assert home.shown(*START).attributes["car_schedule"].isoformat() == start


async def test_preview_of_a_car_that_is_not_plugged_in(home: Home) -> None:
    """It shows what the plan does once the car is plugged in, at the usual speed. Away, there is none.

    There is none while the car would charge at once: its start would move with the clock.
    """
    await prepare(home)
    assert plan_reason(home) == "unplugged"
    (preview,) = home.shown(*START).attributes["if_plugged_in"]
    assert (preview["start"].hour, home.shown(*START).state) == (3, "unknown")
    await plug_in(home)
    attributes = home.shown(*START).attributes
    assert preview["end"] == attributes["slots"][-1]["end"]
    assert "if_plugged_in" not in attributes
    home.car.unplug()
    await home.poll()
    assert "if_plugged_in" in home.shown(*START).attributes
    home.car.set_level(10)
    await home.poll()
    assert "if_plugged_in" not in home.shown(*START).attributes
    home.car.drive(20)
    await home.advance(30 * MINUTE)
    assert "if_plugged_in" not in home.shown(*START).attributes


async def test_person_wins_until_the_car_is_unplugged(home: Home) -> None:
    await prepare(home)
    await plug_in(home)
    await home.advance(5 * MINUTE)
    await home.call("switch", "turn_on", CHARGE[1])
    commands_sent(home)
    assert await during(home, 2) == []
    assert (home.shown(*CHARGING).state, plan_reason(home)) == ("complete", "manual")
    home.car.unplug()
    home.car.set_level(60)
    await home.poll()
    assert plan_reason(home) == "unplugged"
    await plug_in(home)
    assert commands_sent(home) == ["charge_stop"]


async def test_person_stops_what_the_plan_has_started(home: Home) -> None:
    await prepare(home)
    set_prices(home, 12, 13)
    await plug_in(home)
    assert (home.shown(*CHARGING).state, planned_hours(home)[0][0]) == ("charging", 12)
    home.car.charging.stop()
    await home.poll()
    assert plan_reason(home) == "manual"
    commands_sent(home)
    assert await during(home, 3) == []
    # The page turns on the plan, which is on, to give the charge back to it.
    await home.call("switch", "turn_on", PLAN[1])
    assert plan_reason(home) == "latest"


async def test_person_starts_a_complete_car(home: Home) -> None:
    """A car that has lost a percent in its sleep can charge again. The plan leaves that alone."""
    await prepare(home, level=76)
    set_prices(home, 12)
    await plug_in(home)
    await during(home, 2)
    assert (home.shown(*CHARGING).state, plan_reason(home)) == ("complete", "at_limit")
    home.car.charging.level = 79.0
    home.car.wake()
    home.car.charging.start()
    await home.poll()
    await home.advance(2 * MINUTE)
    assert (home.shown(*CHARGING).state, plan_reason(home)) == ("charging", "manual")
    commands_sent(home)
    assert await during(home, 1) == []
    assert home.shown(*CHARGING).state == "complete"


async def test_raised_limit_is_no_decision(home: Home) -> None:
    """A complete car begins again by itself. The plan stops it until the cheap hours."""
    await prepare(home, level=76)
    set_prices(home, 12)
    await plug_in(home)
    await during(home, 2)
    set_prices(home, 2, 3, 4)
    await home.run_until_complete(home.call("number", "set_value", LIMIT[1], value=90))
    commands_sent(home)
    assert await during(home, 1) == ["charge_stop"]
    assert (home.shown(*CHARGING).state, plan_reason(home)) == ("stopped", "cheapest")


@pytest.mark.parametrize("is_manual", [False, True])
async def test_restart(home: Home, *, is_manual: bool) -> None:
    """A restart changes nothing: not the plan, and not that a person decides. It wakes nobody."""
    await prepare(home)
    await home.call("time", "set_value", READY_BY[1], time=time(6, 15))
    await plug_in(home)
    await home.advance(5 * MINUTE)
    if is_manual:
        await home.call("switch", "turn_on", CHARGE[1])
        await home.advance(MINUTE)
    shown = home.shown(*START).state, plan_reason(home)
    commands_sent(home)
    await home.restart()
    await home.advance(5 * MINUTE)
    assert (home.shown(*START).state, plan_reason(home)) == shown
    assert (home.shown(*PLAN).state, home.shown(*READY_BY).state) == ("on", "06:15:00")
    assert commands_sent(home) == []


async def test_car_whose_device_is_disabled_is_left_alone(home: Home) -> None:
    await prepare(home)
    await plug_in(home)
    await home.disable_polling()
    device, devices = home.device.id, dr.async_get(home.hass)
    devices.async_update_device(device, disabled_by=dr.DeviceEntryDisabler.USER)
    commands_sent(home)
    assert await during(home, 15.75) == []
    devices.async_update_device(device, disabled_by=None)
    await home.unload()
    await home.run_until_complete(home.load())
    assert await during(home, 0.5) == ["wake_up", "charge_start"]


async def test_start_does_not_move_when_the_car_is_woken_for_it(home: Home) -> None:
    """A new level would let it charge a step later. Then it would fall asleep, and be woken twice."""
    await prepare(home)
    await plug_in(home)
    await home.let_car_sleep()
    await home.restart()
    home.car.set_level(63)
    assert await during(home, 17.5) == ["wake_up", "charge_start"]
    assert home.shown(*CHARGING).state == "complete"


async def test_prices_come_later(home: Home) -> None:
    """Until they come, the night before is the estimate. Then the plan is made again."""
    await prepare(home)
    set_prices(home, 2, 3, 4, hours=12)
    await plug_in(home)
    assert (plan_reason(home), planned_hours(home)) == ("some_unknown", [(3.0, 5)])
    assert home.shown(*START).attributes["cost"] is None
    set_prices(home, 5, 6)
    await home.idle()
    assert (plan_reason(home), planned_hours(home)) == ("cheapest", [(4.75, 5.0), (5.0, 6.75)])
    assert home.shown(*START).attributes["cost"] == pytest.approx(2.14, abs=0.05)
    # While the sensor is unavailable, what it last said counts, until it is a day old.
    home.hass.states.async_set(PRICE, "unavailable")
    await home.idle()
    assert planned_hours(home) == [(4.75, 5.0), (5.0, 6.75)]
    home.skip(49 * HOUR)
    await home.set_car_options(price_entity=PRICE, cheap_from="22:00:00", cheap_until="06:00:00")
    assert plan_reason(home) == "cheap_hours"


async def test_changed_plan_is_followed_from_the_next_quarter_of_an_hour(home: Home) -> None:
    await prepare(home)
    await plug_in(home)
    assert await during(home, 16) == ["charge_stop", "wake_up", "charge_start"]
    await home.advance(6 * MINUTE)
    set_prices(home, 5, 6)
    assert (await home.requests_during(5 * MINUTE, "charge_stop"), plan_reason(home)) == ([], "cheapest")
    assert await during(home, 0.25) == ["charge_stop"]


@pytest.mark.parametrize(
    ("answer", "times", "minutes_and_sent"),
    [
        (REFUSED, 4, ((13, 0), (2, 1), (28, 0), (2, 1), (58, 0), (2, 1), (58, 0), (2, 1), (90, 0))),
        (ACCEPTED, 2, ((13, 0), (3, 1), (26, 0), (4, 1), (60, 0))),
    ],
    ids=["refused", "without effect"],
)
async def test_failed_command_is_repeated(home: Home, answer: Any, times: int, minutes_and_sent: Any) -> None:
    """It is sent again after a quarter of an hour, half an hour, and then each hour."""
    await prepare(home, level=30)
    home.simulator.faults.answer(200, body={"response": answer}, only="/command/", times=times)
    await home.call("time", "set_value", READY_BY[1], time=time(10))
    commands_sent(home)
    await plug_in(home)
    assert commands_sent(home) == ["charge_stop"]
    failure = home.shown(*STATE).attributes["failure"]
    assert (failure and failure["command"]) == ("charge_stop" if answer is REFUSED else None)
    for minutes, sent in minutes_and_sent:
        assert len(await during(home, minutes / 60)) == sent
    assert (home.shown(*CHARGING).state, plan_reason(home)) == ("stopped", "cheapest")


async def test_car_that_falls_asleep_before_it_is_read_after_a_command(home: Home) -> None:
    """It is woken and read before it is started. Until then, nothing is planned again and again."""
    await prepare(home, level=30)
    home.car.plug_in()
    await home.run_until_complete(home.coordinator.async_refresh())
    fault = home.simulator.faults.inject(ResponseFault(503, only="/vehicle_data"), 10**6)
    assert "charge_stop" in await during(home, 2)
    home.car.fall_asleep()
    await during(home, 1)
    home.simulator.faults.withdraw(fault)
    assert home.coordinator.commands.confirmation.is_unconfirmed
    with patch.object(decide, "make_charging_plan", wraps=make_charging_plan) as planned:
        assert await during(home, 6) == []
    assert planned.call_count <= 3
    assert (await during(home, 6))[-2:] == ["wake_up", "charge_start"]


async def test_car_that_is_not_reached_after_it_was_woken_is_not_woken_again_at_once(home: Home) -> None:
    """The service says that the car is online, but the car does not answer, for example in a garage."""
    await prepare(home)
    await plug_in(home)
    await home.let_car_sleep()
    await home.unload()
    home.skip(15.5 * HOUR)
    body = {"error": "vehicle unavailable: vehicle is offline or asleep"}
    home.simulator.faults.answer(408, body=body, only="/vehicle_data", times=10**6)
    commands_sent(home)
    await home.run_until_complete(home.load())
    assert await during(home, 0.75) == ["wake_up"] * 3


async def test_other_car_under_the_same_id(home: Home) -> None:
    """Nothing is sent to it. When the car is back, it is charged."""
    await prepare(home)
    await plug_in(home)
    await home.let_car_sleep()
    await until_start(home)
    home.simulator.faults.corrupt("vin", "5YJ3E1EA9LF000042")
    commands_sent(home)
    assert await during(home, 0.2) == []
    assert home.coordinator.charging_actor.plan.reason == "other_vehicle"
    home.simulator.faults.clear()
    assert await during(home, 1) == ["wake_up", "charge_start"]


async def test_command_is_sent_soon_after_an_outage(home: Home) -> None:
    await prepare(home, level=30)
    await plug_in(home)
    await during(home, 8)
    fault = home.simulator.faults.inject(ResponseFault(503), 10**6)
    await during(home, 9)
    home.simulator.faults.withdraw(fault)
    assert home.car.state == "asleep"
    assert await during(home, 0.3) == ["wake_up", "charge_start"]


async def test_lost_answer_to_a_command_is_no_person(home: Home) -> None:
    """The car has carried out the stop, but nobody was told so."""
    await prepare(home)
    home.simulator.faults.answer(503, only="/command/", is_obeyed=True, times=3)
    home.car.plug_in()
    await home.run_until_complete(home.coordinator.async_refresh())
    await home.advance_while_pending(2 * MINUTE)
    assert (home.shown(*CHARGING).state, plan_reason(home)) == ("stopped", "cheapest")


async def test_changed_limit_and_time(home: Home) -> None:
    await prepare(home)
    await plug_in(home)
    await home.call("number", "set_value", LIMIT[1], value=70)
    assert planned_hours(home) == [(4.0, 5)]
    await home.call("time", "set_value", READY_BY[1], time=time(4, 0))
    assert planned_hours(home) == [(2.75, 3.75)]


async def test_low_battery_and_too_little_time(home: Home) -> None:
    await prepare(home, level=10)
    runs = await home.automate(
        {
            "trigger": {
                "trigger": f"{DOMAIN}.charging_plan_too_late",
                "target": {"entity_id": home.entity_id(*START)},
            },
            "action": [],
        }
    )
    await plug_in(home)
    assert (plan_reason(home), home.shown(*CHARGING).state) == ("low_level", "charging")
    assert not runs
    await home.call("time", "set_value", READY_BY[1], time=time(14, 0))
    assert (plan_reason(home), home.shown(*START).attributes["is_reachable"]) == ("too_late", False)
    assert home.shown(*START).attributes["missing"] > 0
    assert len(runs) == 1


async def test_cheap_hours_of_a_tariff(home: Home) -> None:
    """Without their own price, it is unknown what a charge in them costs."""
    await prepare(home, price_entity=None, price=0.3, cheap_from="22:00:00", cheap_until="02:00:00")
    await plug_in(home)
    assert (plan_reason(home), planned_hours(home)) == ("cheap_hours", [(0.0, 2)])
    assert home.shown(*START).attributes["cost"] is None


async def test_prices_of_a_tariff_with_cheap_hours(home: Home) -> None:
    """The plan says what the night will cost, and the log what it has cost, and would have cost by day."""
    await prepare(home, **TARIFF, cheap_until="02:00:00")
    await plug_in(home)
    assert (plan_reason(home), planned_hours(home)) == ("cheapest", [(0.0, 2)])
    plan = home.shown(*START).attributes
    assert [slot["price"] for slot in plan["prices"]] == [0.3, 0.1, 0.3]
    await during(home, 15)
    home.car.unplug()
    await home.poll()
    charge = home.coordinator.log.charges[-1]
    used = charge.energy_used or 0.0
    assert (charge.cost, charge.cost_at_once) == pytest.approx((0.1 * used, 0.3 * used), rel=0.01)
    assert plan["cost"] == pytest.approx(0.1 * used, rel=0.1)


async def test_cheap_hours_that_do_not_suffice(home: Home) -> None:
    await prepare(home, **TARIFF, cheap_until="23:00:00")
    await plug_in(home)
    assert (plan_reason(home), planned_hours(home)) == ("cheapest", [(22, 23), (23, 0)])
    assert [slot["price"] for slot in home.shown(*START).attributes["slots"]] == [0.1, 0.3]


async def test_without_a_break_the_car_does_not_begin_by_itself(home: Home) -> None:
    """What it has begun when it was plugged in is no part of the block."""
    await prepare(home, charge_without_break=True)
    set_prices(home, 12, 4)
    await plug_in(home)
    assert home.shown(*CHARGING).state == "stopped"
    assert len(planned_hours(home)) == 2
    assert planned_hours(home)[0][1] == planned_hours(home)[1][0]


@pytest.mark.parametrize(
    ("options", "reason", "has_issue"),
    [
        ({"read_only": True}, "read_only", True),
        ({"wake_for_commands": False}, "not_woken", True),
        ({"wake_for_commands": False, "keep_awake_plugged_in": True}, "cheapest", False),
    ],
)
async def test_options(home: Home, *, options: dict[str, bool], reason: str, has_issue: bool) -> None:
    """An owner whose options leave nothing to the plan is told so. The plan goes on when they change."""
    await prepare(home)
    await plug_in(home)
    await home.set_car_options(**options)
    assert plan_reason(home) == reason
    issues = [key for _, key in ir.async_get(home.hass).issues if key.endswith("charging_plan_blocked")]
    assert bool(issues) is has_issue
    await home.set_car_options(**dict.fromkeys(options, False) | {"wake_for_commands": True})
    assert plan_reason(home) == "cheapest"
    assert not [key for _, key in ir.async_get(home.hass).issues if key.endswith("charging_plan_blocked")]


async def test_elsewhere(home: Home) -> None:
    """A car that charges away from home is left alone."""
    await prepare(home)
    await home.hass.config.async_update(latitude=10.0, longitude=10.0)
    commands_sent(home)
    await plug_in(home)
    assert (plan_reason(home), commands_sent(home), home.shown(*CHARGING).state) == ("away", [], "charging")
    # The owner corrects where home is.
    home_of_car = home.car.home
    await home.hass.config.async_update(latitude=home_of_car.latitude, longitude=home_of_car.longitude)
    await home.advance(MINUTE)
    assert (plan_reason(home), commands_sent(home)) == ("cheapest", ["charge_stop"])


async def test_off(home: Home) -> None:
    """Who leaves the switch off gets no request more. The time is offered, and nothing is planned."""
    await prepare(home)
    await home.call("switch", "turn_off", PLAN[1])
    commands_sent(home)
    await plug_in(home)
    assert (plan_reason(home), commands_sent(home), home.shown(*CHARGING).state) == ("off", [], "charging")
    assert (home.shown(*START).state, home.shown(*READY_BY).state) == ("unknown", "07:00:00")


async def test_options_of_the_tariff_need_both_times_and_both_prices(home: Home) -> None:
    flow = Flow(home)
    await flow.start_vehicle_options(home.entry)
    hours, price = {"cheap_from": "22:00:00", "cheap_until": "06:00:00"}, {"price_cheap": 0.18}
    missing = dict.fromkeys(hours, "cheap_hours_incomplete")
    for options, errors in (
        ({"cheap_from": "22:00:00"}, {"cheap_until": missing["cheap_until"]}),
        ({"cheap_until": "06:00:00"}, {"cheap_from": missing["cheap_from"]}),
        (price, missing),
        ({**hours, **price}, {"price": "price_cheap_alone"}),
    ):
        await flow.submit(**options)
        assert flow.errors == errors
    await flow.submit(price=0.32, **hours, **price)
    tariff = home.coordinator.known.options.tariff(UTC)
    assert tariff == (time(22), time(6), UTC, 0.32, 0.18)


async def _charge_until_ready(home: Home) -> None:
    """Let the night pass, in which the car charges with less current than usual."""
    ready_by = home.shown(*START).attributes["ready_by"]
    await during(home, (ready_by - dt_util.utcnow()).total_seconds() / HOUR)
    assert home.car.charging.level >= home.car.charging.limit - 1


@pytest.mark.parametrize("amperes", [16, 12])
async def test_ready_although_the_current_is_low_tonight(home: Home, amperes: int) -> None:
    """The car that was plugged in shows it before it is stopped, so the plan starts earlier."""
    await prepare(home, level=40)
    home.car.charging.requested_current = amperes
    await plug_in(home)
    await _charge_until_ready(home)


async def test_ready_although_the_plan_was_turned_off_and_on(home: Home) -> None:
    """The current is still low, because the car was not moved."""
    await prepare(home, level=40, price_entity=None)
    home.car.charging.requested_current = 16
    await plug_in(home)
    before = home.shown(*START).state
    await home.call("switch", "turn_off", PLAN[1])
    await home.call("switch", "turn_on", PLAN[1])
    assert home.shown(*START).state == before


async def test_ready_although_the_current_falls_later(home: Home) -> None:
    """The first hours show how fast the car charges now. The plan still knows it when they are over."""
    await prepare(home, level=40)
    home.car.schedule_charging(24)
    set_prices(home, 12, 13, 14, hours=30)
    await plug_in(home)
    home.car.charging.requested_current = 16
    assert plan_reason(home) == "cheapest"
    await _charge_until_ready(home)


async def test_latest_without_prices(home: Home) -> None:
    """A battery should not stay full. So a car that starts by itself is stopped, and charges late."""
    await prepare(home, level=70, price_entity=None)
    await plug_in(home)
    assert (plan_reason(home), home.shown(*CHARGING).state) == ("latest", "stopped")
    assert planned_hours(home)[0][0] > 5
    await during(home, 16)
    assert home.car.charging.level < 71
    await during(home, 3)
    assert home.car.charging.level > 79


async def _wake_for_start(home: Home) -> None:
    """Let the plan wake the sleeping car to start it, and stop the time before it is started."""
    await plug_in(home)
    await home.let_car_sleep()
    assert await until_start(home, hours_before=20 / HOUR) == []
    while not home.requests("/wake_up"):
        await home.advance_while_pending(1, step=1)


async def test_person_who_stops_while_the_plan_wakes_the_car(home: Home) -> None:
    await prepare(home)
    await _wake_for_start(home)
    await home.run_until_complete(home.call("switch", "turn_off", CHARGE[1]))
    assert "charge_start" not in commands_sent(home) + await during(home, 3)
    assert plan_reason(home) == "manual"


@pytest.mark.parametrize("what", ["off", "disabled_device", "lower_limit"])
async def test_start_that_is_no_longer_wanted_when_the_car_is_awake(home: Home, what: str) -> None:
    await prepare(home)
    await _wake_for_start(home)
    if what == "off":
        await home.call("switch", "turn_off", PLAN[1])
    elif what == "disabled_device":
        devices = dr.async_get(home.hass)
        devices.async_update_device(home.device.id, disabled_by=dr.DeviceEntryDisabler.USER)
    else:
        home.car.charging.limit = 50
    assert "charge_start" not in commands_sent(home) + await during(home, 0.5)


async def test_everything_is_turned_off_at_bedtime(home: Home) -> None:
    """To turn off a charge that is off is no decision."""
    await prepare(home)
    await plug_in(home)
    await home.let_car_sleep()
    await home.call("switch", "turn_off", CHARGE[1])
    assert plan_reason(home) == "cheapest"
    assert await during(home, 18) == ["wake_up", "charge_start"]


async def test_charge_that_ended_while_the_car_was_not_seen_goes_on(home: Home) -> None:
    """A car that sleeps does not charge."""
    await prepare(home)
    await plug_in(home)
    await during(home, 15.25)
    assert home.shown(*CHARGING).state == "charging"
    await home.unload()
    home.skip(10 * MINUTE)
    home.car.catch_up()
    home.car.charging.pause()
    home.car.fall_asleep()
    home.skip(20 * MINUTE)
    commands_sent(home)
    await home.run_until_complete(home.load())
    assert await during(home, 2) == ["wake_up", "charge_start"]
    assert home.car.charging.level > 79


async def test_car_that_is_back_in_coverage_is_started_at_once(home: Home) -> None:
    await prepare(home, level=50)
    set_prices(home, 2, 3, 4)
    await plug_in(home)
    await until_start(home)
    home.car.coverage(on=False)
    assert "charge_start" not in await during(home, 1)
    home.car.coverage(on=True)
    home.car.wake()
    assert "charge_start" in await during(home, 0.1)


@pytest.mark.parametrize("hours", [3, -3])
async def test_clock_is_set(home: Home, monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    """The machine had started without a network, and then gets the right time. Timers know nothing of it."""
    await prepare(home)
    await plug_in(home)
    await during(home, 5)
    start = dt_util.parse_datetime(home.shown(*START).state, raise_on_error=True)
    elapsed = time_module.monotonic
    home.skip(hours * HOUR)
    monkeypatch.setattr(time_module, "monotonic", lambda: elapsed() - hours * HOUR)
    sent: list[str] = []
    while "charge_start" not in sent:
        sent += await during(home, 0.25)
        assert dt_util.utcnow() - start < timedelta(minutes=30)
    assert dt_util.utcnow() >= start
