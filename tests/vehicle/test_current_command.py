"""What a command does is shown from its request on, until the car has done it or the command has failed."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, callback
from homeassistant.exceptions import HomeAssistantError
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.vehicle_remote_access.vehicle.command_queue import ACCEPTED

from ..conftest import CHARGING, LOCK, STATE, Home

CLIMATE: Final = ("climate", "climate_state")
CHARGE: Final = ("switch", CHARGING[1])
LIMIT: Final = ("number", "charge_state.charge_limit_soc")
TRUNK: Final = ("cover", "vehicle_state.rt")
SEAT: Final = ("select", "climate_state.seat_heater_left")
TURN_ON: Final = ("climate", "turn_on", CLIMATE[1])
UNLOCK: Final = ("lock", "unlock", LOCK[1])
NOT_MOVED: Final = {"response": {"result": False, "reason": "something else"}}

type _Shown = tuple[str | None, bool, str | None]


def _shown(home: Home, vin: str | None = None) -> _Shown:
    """Return what the state of the car says: the command, whether the car is woken, and why it failed."""
    attributes = home.shown(*STATE, vin).attributes
    failure = attributes["failure"]
    return attributes["command"], attributes["waking"], failure and failure["reason"]


def _target(home: Home, entity: tuple[str, str]) -> Any:
    return home.shown(*entity).attributes.get("target")


async def _states(home: Home, entity: tuple[str, str], *call: str) -> list[str]:
    """Return the different states of an entity during an action."""
    before, events = home.shown(*entity).state, async_capture_events(home.hass, EVENT_STATE_CHANGED)
    await home.error_of(home.call(*call))
    return [before, *home.changes(events, *entity)]


async def _start(home: Home, *calls: Coroutine[Any, Any, None]) -> list[asyncio.Task[None]]:
    """Start calls that wait until the car is awake, and let a second pass."""
    tasks = [home.hass.async_create_task(call) for call in calls]
    await home.advance_while_pending(1)
    return tasks


def _heat_seat(home: Home, option: str) -> Coroutine[Any, Any, None]:
    return home.call("select", "select_option", SEAT[1], option=option)


async def test_done(home: Home) -> None:
    """A sleeping car that is told to warm up is shown as waking, before any request. Then it is on."""
    await home.let_car_sleep()
    first: list[tuple[_Shown, int]] = []

    @callback
    def collect(event: Event[Any]) -> None:
        if event.data["entity_id"] == home.entity_id(*STATE):
            first.append((_shown(home), len(home.simulator.requests)))

    home.hass.bus.async_listen(EVENT_STATE_CHANGED, collect)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(home.call(*TURN_ON))
        await home.advance_while_pending(3)
        assert first[0] == (("auto_conditioning_start", True, None), 0)
        assert _shown(home) == ("auto_conditioning_start", True, None)
        assert (home.shown(*CLIMATE).state, _target(home, CLIMATE)) == ("off", "heat_cool")
        await home.advance_while_pending(10)
    assert _shown(home) == (None, False, None)
    assert (home.shown(*CLIMATE).state, _target(home, CLIMATE)) == ("heat_cool", None)


async def test_lock_and_lids_have_states_of_their_own_until_the_car_has_moved_them(home: Home) -> None:
    assert await _states(home, LOCK, *UNLOCK) == ["locked", "unlocking", "unlocked"]
    assert await _states(home, LOCK, "lock", "lock", LOCK[1]) == ["unlocked", "locking", "locked"]
    assert await _states(home, TRUNK, "cover", "open_cover", TRUNK[1]) == ["closed", "opening", "open"]
    assert await _states(home, TRUNK, "cover", "close_cover", TRUNK[1]) == ["open", "closing", "closed"]
    home.simulator.faults.answer(200, body=NOT_MOVED, only="/command/")
    assert await _states(home, LOCK, *UNLOCK) == ["locked", "unlocking", "locked"]


async def test_refused(home: Home) -> None:
    """A refusal is shown with what its message needs, until the next command is requested."""
    home.simulator.faults.answer(200, body=NOT_MOVED, only="/command/")
    assert "something else" in await home.error_of(home.call(*TURN_ON))
    failure = home.shown(*STATE).attributes["failure"]
    assert (failure["command"], failure["reason"]) == ("auto_conditioning_start", "refused")
    assert failure["placeholders"] == {"detail": "something else"}
    assert _shown(home) == (None, False, "refused")
    assert _target(home, CLIMATE) is None
    await home.call(*UNLOCK)
    assert _shown(home) == (None, False, None)


async def test_timed_out(home: Home) -> None:
    await home.let_car_sleep()
    home.car.coverage(on=False)
    assert await home.error_of(home.call(*TURN_ON))
    assert _shown(home) == (None, False, "wake_up_timeout")
    assert (home.shown(*CLIMATE).state, _target(home, CLIMATE)) == ("off", None)


async def test_cancelled(home: Home) -> None:
    """A command whose caller is cancelled is forgotten, and so is an earlier failure."""
    home.simulator.faults.answer(200, body=NOT_MOVED, only="/command/")
    await home.error_of(home.call(*UNLOCK))
    await home.let_car_sleep()
    calls = await _start(home, home.call(*TURN_ON), home.call(*UNLOCK))
    assert (_shown(home), home.shown(*LOCK).state) == (("auto_conditioning_start", True, None), "unlocking")
    for call, after in zip(calls, (("door_unlock", True, None), (None, False, None)), strict=True):
        call.cancel()
        await home.advance_while_pending(1)
        assert _shown(home) == after
    assert (_target(home, CLIMATE), home.shown(*LOCK).state) == (None, "locked")


async def test_setpoint_of_a_cancelled_caller_is_sent_for_the_others(home: Home) -> None:
    await home.let_car_sleep()
    limits = [home.call("number", "set_value", LIMIT[1], value=value) for value in (60, 70, 70)]
    *others, last = await _start(home, *limits)
    assert (home.shown(*LIMIT).state, _target(home, LIMIT)) == ("80", 70)
    for each in others:
        each.cancel()
    await home.advance_while_pending(1)
    assert (_shown(home), _target(home, LIMIT)) == (("set_charge_limit", True, None), 70)
    await home.run_until_complete(last)
    assert (home.shown(*LIMIT).state, _target(home, LIMIT)) == ("70", None)


async def test_running_command_comes_before_those_that_wait(home: Home) -> None:
    await home.let_car_sleep()
    events = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    await home.gather(home.call(*TURN_ON), home.call(*UNLOCK))
    shown = [each.data["new_state"] for each in events if each.data["entity_id"] == home.entity_id(*STATE)]
    commands = dict.fromkeys(state.attributes["command"] for state in shown)
    assert [*commands] == ["auto_conditioning_start", "door_unlock", None]


@pytest.mark.parametrize("cars", [2])
async def test_only_the_car_that_got_the_command_is_busy(home: Home) -> None:
    await home.let_car_sleep()
    (call,) = await _start(home, home.call(*TURN_ON))
    one, other = (_shown(home, car.vin) for car in home.simulator.vehicles)
    assert (one, other) == (("auto_conditioning_start", True, None), (None, False, None))
    await home.run_until_complete(call)


@pytest.mark.parametrize("reason", ["read-only", "invalid"])
async def test_command_that_is_not_even_tried_is_not_shown(home: Home, reason: str) -> None:
    seen: list[_Shown] = []
    if reason == "read-only":
        await home.set_car_options(read_only=True)
    home.hass.bus.async_listen(EVENT_STATE_CHANGED, callback(lambda _: seen.append(_shown(home))))
    with pytest.raises(HomeAssistantError):
        await (home.call(*TURN_ON) if reason == "read-only" else home.act("speed_limit_activate", pin="1"))
    assert {*seen, _shown(home)} == {(None, False, None)}


async def test_car_that_may_not_be_woken_is_not_shown_as_waking(home: Home) -> None:
    await home.set_car_options(wake_for_commands=False)
    await home.let_car_sleep()
    assert await home.error_of(home.call(*TURN_ON))
    assert _shown(home) == (None, False, "not_woken")


async def test_sleeping_car_is_not_woken_for_what_it_does_already(home: Home) -> None:
    await home.let_car_sleep()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(home.call("climate", "turn_off", CLIMATE[1]))
        await asyncio.sleep(0)
        assert _shown(home) == ("auto_conditioning_stop", False, None)
        assert _target(home, CLIMATE) is None


async def test_offline_car_is_woken_for_what_a_sleeping_car_does_already(home: Home) -> None:
    home.car.coverage(on=False)
    await home.advance(65)
    call = home.hass.async_create_task(home.call("climate", "turn_off", CLIMATE[1]))
    await asyncio.sleep(0)
    assert _shown(home) == ("auto_conditioning_stop", True, None)
    home.car.coverage(on=True)
    await home.run_until_complete(call)
    assert _shown(home) == (None, False, None)


@pytest.mark.parametrize("service", ["tessie"])
async def test_heater_shows_its_level_while_climate_control_is_turned_on_for_it(home: Home) -> None:
    await home.let_car_sleep()
    (call,) = await _start(home, _heat_seat(home, "high"))
    assert (home.shown(*SEAT).state, _target(home, SEAT)) == ("off", "high")
    await home.run_until_complete(call)
    assert (home.shown(*SEAT).state, _target(home, SEAT)) == ("high", None)
    assert home.coordinator.commands.last_result is not None
    assert home.coordinator.commands.last_result.result == ACCEPTED


@pytest.mark.parametrize("service", ["tessie"])
async def test_heater_that_is_turned_off_while_it_waits_for_climate_control_stays_off(home: Home) -> None:
    await home.let_car_sleep()
    (on,) = await _start(home, _heat_seat(home, "high"))
    assert await home.gather(on, _heat_seat(home, "off")) == [None, None]
    assert (home.shown(*SEAT).state, home.car.cabin.seats["left"]) == ("off", 0)
    assert home.shown(*CLIMATE).state != "off"


@pytest.mark.parametrize("service", ["tessie"])
async def test_wheel_that_is_turned_off_while_it_waits_for_climate_control_stays_cold(home: Home) -> None:
    wheel = ("switch", "climate_state.steering_wheel_heater")
    await home.let_car_sleep()
    (on,) = await _start(home, home.call(wheel[0], "turn_on", wheel[1]))
    await home.gather(on, home.call(wheel[0], "turn_off", wheel[1]))
    assert home.shown(*wheel).state == "off"


@pytest.mark.parametrize("service", ["tessie"])
async def test_heater_is_turned_on_if_the_later_request_to_turn_it_off_is_cancelled(home: Home) -> None:
    await home.let_car_sleep()
    on, off = await _start(home, _heat_seat(home, "high"), _heat_seat(home, "off"))
    off.cancel()
    await home.run_until_complete(on)
    assert (home.shown(*SEAT).state, home.car.cabin.seats["left"]) == ("high", 3)
