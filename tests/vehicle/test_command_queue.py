"""Commands to a car: each is sent once and in order after waking the car, or fails with a clear error."""

import asyncio
from datetime import timedelta
import time
from typing import Final

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.vehicle_remote_access.api.commands import CHARGE_STOP
from custom_components.vehicle_remote_access.simulator.faults.faults import ChangedResponse, ResponseFault

from ..conftest import CHARGING, DAY, LOCK, MINUTE, READ, STATE, WAKE, Home
from ..issues import issue_keys

LIMIT: Final = ("number", "charge_state.charge_limit_soc")
TRUNK: Final = ("cover", "vehicle_state.rt")
LOCK_DOORS: Final = ("lock", "lock", LOCK[1])
UNLOCK_DOORS: Final = ("lock", "unlock", LOCK[1])
OPEN_TRUNK: Final = ("cover", "open_cover", TRUNK[1])
CLOSE_TRUNK: Final = ("cover", "close_cover", TRUNK[1])
SET_PASSENGER: Final = ("number", "set_value", "climate_state.passenger_temp_setting")
SET_TEMPERATURE: Final = ("climate", "set_temperature", "climate_state")
OUTCOME_UNKNOWN: Final = "It is unknown whether the car carried it out"
POSITION_UNKNOWN: Final = "current state is unknown"
SIGNED: Final = {"response": None, "error": "Tesla Vehicle Command Protocol required"}
STALE: Final = {"timestamp": 1_000_000_000_000}


async def _set_limit(home: Home, percent: int) -> None:
    await home.call("number", "set_value", LIMIT[1], value=percent)


def _sent(home: Home) -> list[str]:
    """Return the commands that reached the service, in order."""
    return [path.rpartition("/")[2] for path in home.requests("/command/")]


async def test_repeatable_command_whose_answer_is_lost_is_sent_again(home: Home) -> None:
    home.car.unlock()
    home.simulator.faults.fail("reset", only="/command/")
    await home.run_until_complete(home.call(*LOCK_DOORS))
    assert home.car.body.locked
    home.simulator.faults.answer(502, only="/command/", is_obeyed=True)
    await home.run_until_complete(_set_limit(home, 60))
    assert home.shown(*LIMIT).state == "60"
    assert _sent(home) == ["door_lock", "door_lock", "set_charge_limit", "set_charge_limit"]


async def test_failed_retry_does_not_hide_that_the_first_attempt_may_have_succeeded(home: Home) -> None:
    home.car.unlock()
    home.simulator.faults.fail("reset", only="/command/", is_obeyed=True)
    home.simulator.faults.answer(400, only="/command/")
    assert OUTCOME_UNKNOWN in await home.error_of(home.call(*LOCK_DOORS))
    await home.advance(5)
    assert home.shown(*LOCK).state == "locked"


@pytest.mark.parametrize(("times", "expected", "count"), [(2, "", 3), (100, "still starting up", 4)])
async def test_car_whose_network_sleeps_is_retried(home: Home, times: int, expected: str, count: int) -> None:
    body = {"response": {"result": False, "reason": "could_not_wake_buses"}}
    home.simulator.faults.answer(200, body=body, times=times, only="door_unlock")
    assert expected in await home.error_of(home.call(*UNLOCK_DOORS))
    assert _sent(home) == ["door_unlock"] * count
    assert home.car.body.locked is bool(expected)


@pytest.mark.parametrize("fails", [False, True], ids=["read", "failed read"])
async def test_unneeded_command_is_no_error(home: Home, *, fails: bool) -> None:
    """Stopping a charge that does not run is no error. The car is read, again soon if that fails."""
    home.car.unplug()
    if fails:
        home.simulator.faults.answer(500, only=READ)
    await home.call("switch", "turn_off", CHARGING[1])
    assert _sent(home) == ["charge_stop"]
    await home.advance(5 if fails else 0)
    assert home.shown(*CHARGING).state == "disconnected"


async def test_refusal_that_contradicts_the_known_state_is_followed_by_a_read(home: Home) -> None:
    plug = ("binary_sensor", "charge_state.conn_charge_cable")
    home.car.charging.stop()
    await home.poll()
    home.car.unplug()
    assert home.shown(*plug).state == "on"
    with pytest.raises(HomeAssistantError):
        await home.call("switch", "turn_on", CHARGING[1])
    await home.idle()
    assert home.shown(*plug).state == "off"


async def test_expired_values_are_not_shown_when_a_lost_car_answers_a_command(home: Home) -> None:
    failing = home.simulator.faults.inject(ResponseFault(status=500, only=READ), times=1000)
    home.start_drive(60)
    await home.advance(20 * MINUTE, step=60)
    assert home.shown(*CHARGING).state == "unavailable"
    home.simulator.faults.withdraw(failing)
    written = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    await home.coordinator.commands.async_send(CHARGE_STOP)
    await home.hass.async_block_till_done()
    assert home.changes(written, *CHARGING) == ["disconnected"]


def _set_clock_back(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Set back the clock that Home Assistant reads. Timers and the car's clock continue."""
    wall, now, utcnow = time.time, dt_util.now, dt_util.utcnow
    monkeypatch.setattr(time, "time", lambda: wall() - hours * 3600)
    monkeypatch.setattr(dt_util, "now", lambda *zone: now(*zone) - timedelta(hours=hours))
    monkeypatch.setattr(dt_util, "utcnow", lambda: utcnow() - timedelta(hours=hours))


async def test_car_is_not_woken_for_unsigned_commands(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """After one refusal, the car is not woken for commands for a day, even if the clock is set back."""
    home.simulator.faults.answer(403, body=SIGNED, only="/command/")
    assert "only signed commands" in await home.error_of(home.call(*LOCK_DOORS))
    assert issue_keys(home) == ["signing_required"]
    await home.let_car_sleep()
    assert "only signed commands" in await home.error_of(home.call(*LOCK_DOORS))
    assert _sent(home) == []
    assert home.car.state == "asleep"
    await home.run_until_complete(home.press("wake_up"))
    _set_clock_back(monkeypatch, 12)
    await home.advance(DAY, step=1800)
    await home.run_until_complete(home.call(*LOCK_DOORS))
    assert issue_keys(home) == []


async def test_newest_setpoints_and_other_commands_are_sent_in_order_after_one_wake(home: Home) -> None:
    home.car.unlock()
    await home.let_car_sleep()
    commands = [
        home.call(*LOCK_DOORS),
        *(home.call(*SET_TEMPERATURE, temperature=degrees) for degrees in (18, 19)),
        home.press("flash_lights"),
        *(_set_limit(home, percent) for percent in (60, 70)),
        home.press("honk_horn"),
        home.call(*SET_TEMPERATURE, temperature=22),
        _set_limit(home, 90),
        home.press("flash_lights"),
        home.call(*UNLOCK_DOORS),
        home.press("honk_horn"),
    ]
    started_at = home.car.clock.now()
    assert await home.gather(*commands) == [None] * 12
    assert home.car.clock.now() - started_at < 2 * MINUTE
    assert len(home.requests(WAKE)) == 1
    assert " ".join(_sent(home)) == (
        "door_lock set_temps flash_lights set_charge_limit honk_horn flash_lights door_unlock honk_horn"
    )
    assert (home.car.body.horn, home.car.body.lights) == (2, 2)
    assert home.car.charging.limit == 90
    assert home.car.cabin.driver_temp == 22
    assert home.shown(*LOCK).state == "unlocked"


@pytest.mark.parametrize(
    ("platform", "action", "path"),
    [("switch", "turn_off", CHARGING[1]), ("climate", "turn_off", "climate_state")],
    ids=["charging", "climate"],
)
async def test_car_is_not_woken_to_stop_nothing(home: Home, platform: str, action: str, path: str) -> None:
    await home.wait_until_car_sleeps()
    await home.restart()
    await home.run_until_complete(home.call(platform, action, path))
    assert home.car.state == "asleep"
    assert not home.requests(WAKE)
    assert home.coordinator.commands.last_result is not None
    assert home.coordinator.commands.last_result.result == "not_needed"


async def test_car_that_has_just_fallen_asleep_is_not_woken_to_stop(home: Home) -> None:
    home.car.unplug()
    await home.poll()
    home.car.fall_asleep()
    assert home.shown(*STATE).state == "online"
    await home.run_until_complete(home.call("switch", "turn_off", CHARGING[1]))
    assert home.car.state == "asleep"
    assert not home.requests(WAKE)
    assert home.shown(*STATE).state == "asleep"


@pytest.mark.parametrize("service", ["tessie"])
async def test_preset_ends_if_climate_is_turned_off_while_the_car_sleeps(home: Home) -> None:
    home.car.climate_keeper("dog")
    await home.poll()
    assert home.shown("climate", "climate_state").attributes["preset_mode"] == "dog"
    home.car.climate_keeper("off")
    home.car.fall_asleep()
    await home.run_until_complete(home.call("climate", "turn_off", "climate_state"))
    assert home.car.state == "asleep"
    assert home.shown("climate", "climate_state").attributes["preset_mode"] == "off"


@pytest.mark.parametrize("service", ["tessie"])
async def test_last_request_of_two_controls_of_one_heater_decides(home: Home) -> None:
    home.car.cabin.on = True
    await home.poll()
    home.car.coverage(on=False)
    await home.advance(65)
    turn_on = ("switch", "turn_on", "climate_state.steering_wheel_heater")
    level = home.call("select", "select_option", "climate_state.steering_wheel_heat_level", option="off")
    calls = home.hass.async_create_task(home.gather(home.call(*turn_on), level, home.call(*turn_on)))
    await home.advance_while_pending(1)
    home.car.coverage(on=True)
    assert await calls == [None] * 3
    assert home.fleet_car.cabin.wheel_heat_level


async def test_last_requested_limit_applies_across_commands(home: Home) -> None:
    await home.let_car_sleep()
    limits = (_set_limit(home, percent) for percent in (70, 75))
    assert await home.gather(_set_limit(home, 60), home.press("charge_max_range"), *limits) == [None] * 4
    assert home.car.charging.limit == 75
    assert _sent(home) == ["set_charge_limit", "charge_max_range", "set_charge_limit"]


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "never read"])
async def test_both_temperatures_in_one_command(empty_home: Home, *, is_known: bool) -> None:
    home = empty_home
    if not is_known:
        home.car.fall_asleep()
    await home.set_up()
    if is_known:
        await home.let_car_sleep()
    both = [home.call(*SET_PASSENGER, value=18), home.call(*SET_TEMPERATURE, temperature=23)]
    assert await home.gather(*(reversed(both) if is_known else both)) == [None, None]
    assert home.queries("set_temps") == [{"driver_temp": "23.0", "passenger_temp": "18.0"}]


async def test_unknown_driver_temperature_is_kept(empty_home: Home) -> None:
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    await empty_home.run_until_complete(empty_home.call(*SET_PASSENGER, value=18))
    assert empty_home.queries("set_temps") == [{"driver_temp": "21.0", "passenger_temp": "18.0"}]


async def test_command_to_a_car_that_falls_asleep(home: Home) -> None:
    """A command to a car that has just fallen asleep wakes the car and is sent again, for up to a minute."""
    home.car.fall_asleep()
    await home.run_until_complete(home.call(*UNLOCK_DOORS))
    assert len(home.requests(WAKE)) == 1
    assert not home.car.body.locked
    body = {"response": None, "error": "vehicle unavailable"}
    home.simulator.faults.answer(408, body=body, only="/command/", times=1000)
    started_at = home.car.clock.now()
    assert "asleep" in await home.error_of(home.call(*LOCK_DOORS))
    assert MINUTE <= home.car.clock.now() - started_at < MINUTE + 10


async def test_commands_share_a_failed_wake(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that wait for an unreachable car fail together, after one minute and one wake-up request.

    Setting the clock back does not make later commands fail.
    """
    await home.let_car_sleep()
    home.car.coverage(on=False)
    ended = await home.gather(home.call(*UNLOCK_DOORS), home.call(*LOCK_DOORS), home.call(*UNLOCK_DOORS))
    assert ["did not wake up" in str(error) for error in ended] == [True, True, True]
    assert len(home.requests(WAKE)) == 1
    assert not _sent(home)
    home.car.coverage(on=True)
    home.car.unlock()
    home.car.fall_asleep()
    _set_clock_back(monkeypatch, 2)
    await home.run_until_complete(home.call(*LOCK_DOORS))
    assert home.car.body.locked


@pytest.mark.parametrize(
    ("status", "text", "times", "expected"),
    [
        (502, "bad gateway", 1, ""),
        (502, "bad gateway", 1000, "service is failing"),
        (408, "vehicle unavailable", 1000, "did not wake up"),
        (402, "payment required", 1, "ayment"),
    ],
)
async def test_failed_wake_up_request_is_retried_and_its_error_names_the_cause(
    home: Home, status: int, text: str, times: int, expected: str
) -> None:
    await home.let_car_sleep()
    body = {"response": None, "error": text}
    home.simulator.faults.answer(status, body=body, only=WAKE, times=times)
    assert expected in await home.error_of(home.call(*UNLOCK_DOORS))
    assert _sent(home) == ([] if expected else ["door_unlock"])
    # A car that wakes after a failure wakes by itself.
    assert home.coordinator.known.tracker.was_wake_requested is not bool(expected)


@pytest.mark.parametrize("command", ["lock", "wake_up"])
async def test_read_only_stops_a_waiting_command(home: Home, command: str) -> None:
    await home.let_car_sleep()

    async def make_read_only() -> None:
        await asyncio.sleep(4)
        await home.set_car_options(read_only=True)

    home.simulator.faults.answer(503, times=100, only=WAKE)
    call = home.call(*LOCK_DOORS) if command == "lock" else home.press(command)
    ended, _ = await home.gather(call, make_read_only())
    assert "read-only" in str(ended)
    wake_ups = len(home.requests(WAKE))
    await home.advance(30)
    assert not _sent(home)
    assert len(home.requests(WAKE)) == wake_ups


async def test_commands_that_wait_for_three_minutes_fail_and_are_not_sent_late(home: Home) -> None:
    home.simulator.faults.fail("silence", only="/command/", times=1000)
    commands = [home.press("flash_lights") for _ in range(20)]
    started_at = home.car.clock.now()
    ended = await home.gather(*commands, max_seconds=400)
    assert home.car.clock.now() - started_at < 5 * MINUTE
    errors = [str(error) for error in ended]
    sent, expired = len(_sent(home)), sum("queued for three minutes" in error for error in errors)
    assert sum(OUTCOME_UNKNOWN in error for error in errors) == sent
    assert sent + expired == 20
    assert 3 < sent < 8


async def test_newer_value_restarts_the_expiry(home: Home) -> None:
    home.simulator.faults.fail("silence", only="/command/flash_lights", times=5)
    blocking = [home.press("flash_lights") for _ in range(5)]

    async def change_the_limit() -> None:
        await asyncio.sleep(170)
        await _set_limit(home, 80)

    ended = await home.gather(*blocking, _set_limit(home, 60), change_the_limit())
    assert ended[-2:] == [None, None]
    assert home.car.charging.limit == 80


async def test_temperature_of_a_canceled_call_is_not_sent_with_the_passengers(home: Home) -> None:
    await home.let_car_sleep()
    passenger = home.call(*SET_PASSENGER, value=17)
    driver = asyncio.create_task(home.call(*SET_TEMPERATURE, temperature=26))
    await home.advance_while_pending(1)

    async def cancel_driver() -> None:
        await asyncio.sleep(2)
        driver.cancel()

    assert await home.gather(passenger, cancel_driver()) == [None, None]
    assert (home.car.cabin.driver_temp, home.car.cabin.passenger_temp) == (21, 17)


async def test_two_requests_to_open_a_sleeping_cars_trunk_send_one_toggle(home: Home) -> None:
    home.simulator.switches.lid_delay = 8
    await home.let_car_sleep()
    assert await home.gather(home.call(*OPEN_TRUNK), home.call(*OPEN_TRUNK)) == [None, None]
    await home.advance(20)
    assert _sent(home) == ["actuate_trunk"]
    assert home.shown(*TRUNK).state == "open"


async def test_second_tap_does_not_close_a_trunk_whose_answer_was_lost(home: Home) -> None:
    home.simulator.switches.lid_delay = 8
    home.simulator.faults.answer(502, only="/actuate_trunk", is_obeyed=True)
    assert OUTCOME_UNKNOWN in await home.error_of(home.call(*OPEN_TRUNK))
    assert POSITION_UNKNOWN in await home.error_of(home.call(*OPEN_TRUNK))
    await home.advance(9)
    await home.call(*OPEN_TRUNK)
    assert _sent(home) == ["actuate_trunk"]
    assert home.car.body.openings["rt"]


async def test_trunk_whose_toggle_was_lost_is_toggled_once_the_car_shows_it(home: Home) -> None:
    home.simulator.faults.fail("reset", only="/actuate_trunk")
    assert OUTCOME_UNKNOWN in await home.error_of(home.call(*OPEN_TRUNK))
    assert POSITION_UNKNOWN in await home.error_of(home.call(*OPEN_TRUNK))
    assert not home.car.body.openings["rt"]
    await home.advance(16)
    await home.call(*OPEN_TRUNK)
    assert _sent(home) == ["actuate_trunk"] * 2
    assert home.car.body.openings["rt"]


@pytest.mark.parametrize("is_obeyed", [True, False], ids=["obeyed", "lost"])
async def test_trunk_of_a_canceled_call_is_read_before_a_success(home: Home, *, is_obeyed: bool) -> None:
    """The service may still wait for the car, so the trunk is not toggled again within a minute."""
    home.simulator.switches.lid_delay = 30
    home.simulator.faults.fail("silence", only="/actuate_trunk", is_obeyed=is_obeyed)
    call = asyncio.create_task(home.call(*OPEN_TRUNK))
    await home.advance_while_pending(1)
    call.cancel()
    await home.advance(17)
    assert POSITION_UNKNOWN in await home.error_of(home.call(*OPEN_TRUNK))
    await home.advance(MINUTE)
    await home.call(*OPEN_TRUNK)
    assert _sent(home) == ["actuate_trunk"] * (1 if is_obeyed else 2)
    assert home.car.body.openings["rt"]


async def test_trunk_is_not_closed_while_it_is_reported_closed_because_it_may_be_moving(home: Home) -> None:
    home.simulator.switches.lid_delay = 8
    await home.call(*OPEN_TRUNK)
    await home.advance(2)
    assert POSITION_UNKNOWN in await home.error_of(home.call(*CLOSE_TRUNK))
    await home.advance(20)
    await home.call(*CLOSE_TRUNK)
    assert _sent(home) == ["actuate_trunk"] * 2
    # After the settling time of 15 seconds, a trunk that was closed by hand is opened again.
    await home.advance(16)
    await home.call(*OPEN_TRUNK)
    home.car.close("rt")
    await home.advance(16)
    await home.call(*OPEN_TRUNK)
    assert _sent(home) == ["actuate_trunk"] * 4
    assert home.car.body.openings["rt"]


async def test_trunk_with_unknown_position_or_of_a_car_in_service_is_not_toggled(home: Home) -> None:
    home.simulator.faults.remove(TRUNK[1])
    assert POSITION_UNKNOWN in await home.error_of(home.call(*OPEN_TRUNK))
    home.simulator.faults.clear()
    home.car.service(on=True)
    assert "in service" in await home.error_of(home.call(*OPEN_TRUNK))
    assert not _sent(home)


async def test_trunk_is_not_toggled_because_of_a_record_from_a_cache(home: Home) -> None:
    old = ChangedResponse("stale", lambda raw: {**raw, "vehicle_state": {**raw["vehicle_state"], **STALE}})
    home.simulator.faults.inject(old, 1)
    await home.call(*OPEN_TRUNK)
    assert home.car.body.openings["rt"]
    home.car.close("rt")
    home.simulator.faults.corrupt("vehicle_state.timestamp", STALE["timestamp"])
    await home.advance(20)
    assert home.shown(*TRUNK).state == "open"
    assert POSITION_UNKNOWN in await home.error_of(home.call(*CLOSE_TRUNK))
    assert _sent(home) == ["actuate_trunk"]


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
async def test_trunk_is_opened_only_if_it_is_closed_now(home: Home, *, is_open: bool) -> None:
    home.car.body.openings["rt"] = not is_open
    await home.poll()
    home.car.close("rt")
    home.car.fall_asleep()
    home.car.body.openings["rt"] = is_open
    await home.run_until_complete(home.call(*OPEN_TRUNK))
    assert _sent(home) == ([] if is_open else ["actuate_trunk"])
    assert home.shown(*TRUNK).state == "open"


async def test_trunk_is_not_toggled_again_after_a_reload(home: Home) -> None:
    home.simulator.switches.lid_delay = 10
    await home.call(*OPEN_TRUNK)
    await home.restart()
    assert POSITION_UNKNOWN in await home.error_of(home.call(*OPEN_TRUNK))
    assert _sent(home) == ["actuate_trunk"]
    await home.advance(20)
    await home.call(*OPEN_TRUNK)
    assert _sent(home) == ["actuate_trunk"]
    assert home.shown(*TRUNK).state == "open"


async def _unlock_without_answer(home: Home) -> asyncio.Task[None]:
    """Let the car unlock, and drop its answer. Return the call that waits for the answer."""
    home.simulator.faults.fail("silence", only="/door_unlock", is_obeyed=True)
    call = asyncio.create_task(home.call(*UNLOCK_DOORS))
    await home.advance_while_pending(1)
    assert not home.car.body.locked
    return call


async def test_command_during_a_reload_is_confirmed(home: Home) -> None:
    await home.advance(10 * MINUTE, step=60)
    call = await _unlock_without_answer(home)
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.advance_while_pending(20)
    assert home.shown(*LOCK).state == "unlocked"
    call.cancel()


async def test_confirmation_survives_a_reload(home: Home) -> None:
    """Reads confirm an accepted command after a reload too, even with polling disabled."""
    await home.disable_polling()
    await home.call(*UNLOCK_DOORS)
    await home.restart()
    home.simulator.requests.clear()
    await home.advance(20)
    assert home.shown(*LOCK).state == "unlocked"
    assert len(home.requests(READ)) == 2
    await home.restart()
    assert not await home.requests_during(20, READ)


@pytest.mark.parametrize("fails", [1, 4])
async def test_failed_confirmation_is_retried(home: Home, fails: int) -> None:
    home.car.sleep_after = DAY
    await home.disable_polling()
    (await _unlock_without_answer(home)).cancel()
    home.simulator.faults.answer(500, only=READ, times=fails)
    await home.advance(20)
    await home.advance(30 * MINUTE, step=60)
    assert home.shown(*LOCK).state == "unlocked"


async def test_other_car_is_not_read_to_confirm(home: Home) -> None:
    await home.advance(MINUTE)
    await home.call(*UNLOCK_DOORS)
    home.simulator.faults.corrupt("vin", "5YJ3E1EA9LF000042")
    await home.entry.runtime_data.async_poll_now()
    await home.idle()
    assert home.coordinator.known.is_other_vehicle
    assert not await home.requests_during(30, READ)


async def test_confirmation_after_a_pause(home: Home) -> None:
    await home.disable_polling()
    home.simulator.faults.answer(540, only="/door_unlock", is_obeyed=True)
    assert OUTCOME_UNKNOWN in await home.error_of(home.call(*UNLOCK_DOORS))
    assert not await home.requests_during(4 * MINUTE, READ)
    await home.advance(2 * MINUTE)
    assert home.shown(*LOCK).state == "unlocked"


async def test_clock_set_back_extends_no_backoff(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(500, only=READ, times=3)
    await home.advance(5 * MINUTE)
    _set_clock_back(monkeypatch, 5)
    home.car.unlock()
    await home.advance(5 * MINUTE)
    assert home.shown(*LOCK).state == "unlocked"
