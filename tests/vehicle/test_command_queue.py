"""The queue of commands to a car: each command is sent once and in order, or fails with a clear error."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
import time
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle as Car
from custom_components.vehicle_remote_access.simulator.faults.faults import ChangedResponse
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record

from ..conftest import Home

PASSWORD: Final = "the-password-of-the-owner"
MINUTE: Final = 60.0
ENTITY: Final = "entity_id"

type Call = Callable[[Home], Awaitable[None]]


def _sent(home: Home) -> list[str]:
    """Return the commands that reached the service, in order."""
    return [path.rpartition("/")[2] for path in home.requests("/command/")]


async def _remote_start(home: Home) -> None:
    await home.act("remote_start_drive", password=PASSWORD)


# Commands that can't be undone: the call, the command, and the count of its effects on the car
IRREVERSIBLE: Final[dict[str, tuple[Call, str, Callable[[Car], int]]]] = {
    "horn": (lambda home: home.call("button", "press", "honk_horn"), "honk_horn", lambda car: car.body.horn),
    "lights": (
        lambda home: home.call("button", "press", "flash_lights"),
        "flash_lights",
        lambda car: car.body.lights,
    ),
    "trunk": (
        lambda home: home.call("cover", "open_cover", "vehicle_state.rt"),
        "actuate_trunk",
        lambda car: car.body.openings["rt"],
    ),
    "frunk": (
        lambda home: home.call("cover", "open_cover", "vehicle_state.ft"),
        "actuate_trunk",
        lambda car: car.body.openings["ft"],
    ),
    "remote start": (
        _remote_start,
        "remote_start_drive",
        lambda car: car.body.remote_start,
    ),
}
HTML: Final = "<html><body>Bad gateway</body></html>"

type LoseAnswers = Callable[[Home, str, bool], None]


def _answer_with(status: int, body: Any = HTML) -> LoseAnswers:
    """Return a function that answers all commands with this status, whether the car obeys or not."""

    def lose(home: Home, only: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
        home.simulator.faults.answer(status, body=body, only=only, is_obeyed=is_obeyed, times=100)

    return lose


def _drop_answers(how: Any) -> LoseAnswers:
    """Return a function that drops the answers of all commands in this way."""

    def lose(home: Home, only: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
        home.simulator.faults.fail(how, only=only, is_obeyed=is_obeyed, times=100)

    return lose


LOST_ANSWERS: Final[dict[str, LoseAnswers]] = {
    **{str(status): _answer_with(status) for status in (200, 500, 502, 503, 504, 540)},
    "408 slow": _answer_with(408, {"error": "timeout"}),
    "response null": _answer_with(200, {"response": None}),
    **{how: _drop_answers(how) for how in ("reset", "close", "cut", "silence", "endless")},
}


@pytest.mark.parametrize("is_obeyed", [True, False], ids=["obeyed", "not obeyed"])
@pytest.mark.parametrize("lost", LOST_ANSWERS)
@pytest.mark.parametrize("action", IRREVERSIBLE)
async def test_sent_exactly_once(home: Home, action: str, lost: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
    """A command that can't be undone is sent once, and the error says that its outcome is unknown."""
    call, command, count_effects = IRREVERSIBLE[action]
    home.simulator.switches.remote_password = "any"
    LOST_ANSWERS[lost](home, f"/command/{command}", is_obeyed)
    (ended,) = await home.while_time_passes(call(home))
    assert isinstance(ended, HomeAssistantError)
    assert "nobody can tell whether the car obeyed" in str(ended)
    await home.endure(MINUTE)
    assert _sent(home) == [command]
    assert count_effects(home.car) == is_obeyed


@pytest.mark.parametrize("lost", ["reset", "close", "502", "503"])
async def test_repeatable_command_is_retried(home: Home, lost: str) -> None:
    """A lock command whose answer is lost is sent again, without an error."""
    home.car.unlock()
    if lost.isdecimal():
        home.simulator.faults.answer(int(lost), body=HTML, only="/command/")
    else:
        home.simulator.faults.fail(lost, only="/command/")  # type: ignore[arg-type] # a valid value
    assert await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked")) == [None]
    assert _sent(home) == ["door_lock", "door_lock"]
    assert home.car.body.locked


async def test_failed_retry_does_not_hide_the_first_attempt(home: Home) -> None:
    """If a retry fails, the first attempt may have succeeded: the outcome is unknown, and the car is read."""
    home.car.unlock()
    home.simulator.faults.fail("reset", only="/command/", is_obeyed=True)
    home.simulator.faults.answer(400, only="/command/")
    (ended,) = await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked"))
    assert "nobody can tell" in str(ended)
    await home.advance(5)
    assert home.shown("lock", "vehicle_state.locked").state == "locked"


async def test_retry_of_an_executed_command_is_no_error(home: Home) -> None:
    """If the car executed a command whose answer was lost, the retry is no error."""
    home.simulator.faults.answer(502, only="/command/", is_obeyed=True)
    limit = home.call("number", "set_value", "charge_state.charge_limit_soc", value=60)
    assert await home.while_time_passes(limit) == [None]
    assert _sent(home) == ["set_charge_limit", "set_charge_limit"]
    assert home.shown("number", "charge_state.charge_limit_soc").state == "60"


async def test_twenty_commands_to_a_sleeping_car(home: Home) -> None:
    """Twenty commands are sent in order after one wake. Of each setpoint, only the newest value is sent."""
    home.car.unlock()
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.requests.clear()
    temperature = ("climate", "set_temperature", "climate_state")
    limit = ("number", "set_value", "charge_state.charge_limit_soc")
    commands = [
        home.call("lock", "lock", "vehicle_state.locked"),
        *(home.call(*temperature, temperature=degrees) for degrees in (18, 19, 20)),
        home.call("button", "press", "flash_lights"),
        *(home.call(*limit, value=percent) for percent in (60, 70, 80)),
        home.call("climate", "turn_on", "climate_state"),
        home.call("button", "press", "honk_horn"),
        *(home.call(*temperature, temperature=degrees) for degrees in (21, 22)),
        home.call("switch", "turn_on", "charge_state.charging_state"),
        *(home.call(*limit, value=percent) for percent in (55, 90)),
        home.call("button", "press", "flash_lights"),
        home.call("switch", "turn_off", "charge_state.charging_state"),
        home.call("climate", "turn_off", "climate_state"),
        home.call("lock", "unlock", "vehicle_state.locked"),
        home.call("button", "press", "honk_horn"),
    ]
    assert len(commands) == 20
    started_at = home.car.clock.now()
    ended = await home.while_time_passes(*commands)
    duration = home.car.clock.now() - started_at
    assert ended == [None] * 20
    assert len(home.requests("/wake_up")) == 1
    assert _sent(home) == [
        "door_lock",
        "set_temps",
        "flash_lights",
        "set_charge_limit",
        "auto_conditioning_start",
        "honk_horn",
        "charge_start",
        "flash_lights",
        "charge_stop",
        "auto_conditioning_stop",
        "door_unlock",
        "honk_horn",
    ]
    assert (home.car.body.horn, home.car.body.lights) == (2, 2)
    assert home.car.charging.limit == 90
    assert home.car.cabin.driver_temp == 22
    assert duration < 2 * MINUTE


async def test_waiting_commands_expire(home: Home) -> None:
    """If the car does not answer, waiting commands fail after three minutes and are not sent late."""
    home.simulator.faults.fail("silence", only="/command/", times=1000)
    commands = [home.call("button", "press", "flash_lights") for _ in range(20)]
    started_at = home.car.clock.now()
    ended = await home.while_time_passes(*commands, patience=400)
    assert home.car.clock.now() - started_at < 5 * MINUTE
    errors = [str(error) for error in ended]
    sent, expired = len(_sent(home)), sum("waited three minutes" in error for error in errors)
    assert sum("nobody can tell" in error for error in errors) == sent
    assert sent + expired == 20
    assert 3 < sent < 8


async def test_newer_value_restarts_the_expiry(home: Home) -> None:
    """A setpoint that just got a newer value does not expire because of the older one."""
    limit = ("number", "set_value", "charge_state.charge_limit_soc")
    home.simulator.faults.fail("silence", only="/command/flash_lights", times=5)
    blocking = [home.call("button", "press", "flash_lights") for _ in range(5)]

    async def change_the_limit() -> None:
        await asyncio.sleep(170)
        await home.call(*limit, value=80)

    ended = await home.while_time_passes(*blocking, home.call(*limit, value=60), change_the_limit())
    assert ended[-2:] == [None, None]
    assert home.car.charging.limit == 80


# Commands that have to be signed

SIGNED: Final = {"response": None, "error": "Tesla Vehicle Command Protocol required"}


async def _lock(home: Home) -> None:
    await home.call("lock", "lock", "vehicle_state.locked")


def _repairs(home: Home) -> list[Any]:
    return [
        issue.translation_key for issue in ir.async_get(home.hass).issues.values() if issue.domain == DOMAIN
    ]


async def test_car_is_not_woken_for_unsigned_commands(home: Home) -> None:
    """After one refusal, nothing is sent for a day, the car is not woken, and an issue names the reason."""
    home.simulator.faults.answer(403, body=SIGNED, only="/command/")
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    assert _repairs(home) == ["signing_required"]
    home.car.fall_asleep()
    await home.advance(65)
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    assert _sent(home) == ["door_lock"]
    assert home.car.state == "asleep"
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    await home.advance(24 * 3600, step=1800)
    assert await home.while_time_passes(_lock(home)) == [None]
    assert _repairs(home) == []


async def test_reload_allows_unsigned_commands_again(home: Home) -> None:
    """After a reload, commands are sent again without waiting for a day."""
    home.simulator.faults.answer(403, body=SIGNED, only="/command/")
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    await home.restart()
    assert _repairs(home) == []
    await _lock(home)


# Reasons of refusals


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("not_parked", "it is not in park"),
        ("Not Parked", "it is not in park"),
        ("low_soc", "battery is too low"),
        ("something else", "The car refused: something else"),
        ("", "The car refused: no reason given"),
    ],
)
async def test_reason_of_a_refusal(home: Home, reason: str, expected: str) -> None:
    """The error of a refused command is a sentence, or the car's own text if the reason is unknown."""
    home.simulator.faults.answer(
        200, body={"response": {"result": False, "reason": reason}}, only="/command/"
    )
    with pytest.raises(HomeAssistantError, match=expected):
        await _lock(home)


# Trunk and frunk: one command opens and closes them

TRUNK: Final = "vehicle_state.rt"


async def _open_trunk(home: Home) -> None:
    await home.call("cover", "open_cover", TRUNK)


async def _close_trunk(home: Home) -> None:
    await home.call("cover", "close_cover", TRUNK)


async def test_trunk_is_opened_once_while_the_car_wakes(home: Home) -> None:
    """Two requests to open a sleeping car's trunk send one toggle, although the car reports the lid late."""
    home.simulator.switches.lid_delay = 8
    home.car.fall_asleep()
    await home.advance(65)
    assert await home.while_time_passes(_open_trunk(home), _open_trunk(home)) == [None, None]
    assert _sent(home) == ["actuate_trunk"]
    assert home.car.body.openings["rt"]


async def test_trunk_is_opened_once_by_two_taps(home: Home) -> None:
    """A second tap on Open after a second does not close the trunk, although the car reports the lid late."""
    home.simulator.switches.lid_delay = 8
    await _open_trunk(home)
    await home.advance(1)
    await _open_trunk(home)
    await home.advance(20)
    assert _sent(home) == ["actuate_trunk"]
    assert home.shown("cover", TRUNK).state == "open"


async def test_trunk_with_unknown_outcome_is_not_toggled_again(home: Home) -> None:
    """After a lost answer, a second tap on Open does not close the trunk, although it is reported late."""
    home.simulator.switches.lid_delay = 8
    home.simulator.faults.answer(502, only="/actuate_trunk", is_obeyed=True)
    with pytest.raises(HomeAssistantError, match="nobody can tell"):
        await _open_trunk(home)
    await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    assert home.car.body.openings["rt"]


async def test_trunk_is_not_closed_before_it_is_reported_open(home: Home) -> None:
    """Close fails while the car still reports the trunk as closed, because the lid may be moving."""
    home.simulator.switches.lid_delay = 8
    await _open_trunk(home)
    await home.advance(2)
    with pytest.raises(HomeAssistantError, match="does not say"):
        await _close_trunk(home)
    await home.advance(20)
    await _close_trunk(home)
    assert _sent(home) == ["actuate_trunk", "actuate_trunk"]
    assert not home.car.body.openings["rt"]


async def test_trunk_is_opened_again_later(home: Home) -> None:
    """A trunk that was closed by hand is opened by a request after the settling time of 15 seconds."""
    await _open_trunk(home)
    home.car.close("rt")
    await home.advance(16)
    await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk", "actuate_trunk"]
    assert home.car.body.openings["rt"]


async def test_trunk_needs_a_fresh_record(home: Home) -> None:
    """The trunk is not toggled if the service answers with stale records."""
    await _open_trunk(home)
    home.car.close("rt")
    home.simulator.faults.corrupt("vehicle_state.timestamp", 1_000_000_000_000)
    await home.advance(20)
    assert home.shown("cover", TRUNK).state == "open"
    with pytest.raises(HomeAssistantError, match="does not say"):
        await _close_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    assert not home.car.body.openings["rt"]


async def test_trunk_needs_more_than_a_cached_record(home: Home) -> None:
    """The trunk is not toggled if the service repeats the record from before the last toggle."""
    cached = full_record(home.car, Variant.CURRENT)
    await home.advance(MINUTE)
    await home.poll()
    cached["vehicle_state"]["timestamp"] = home.coordinator.raw["vehicle_state"]["timestamp"]
    await home.advance(MINUTE)
    await _open_trunk(home)
    path = f"/api/1/vehicles/{home.car.id}/vehicle_data"
    home.simulator.faults.serve("GET", path, {"response": cached})
    await home.advance(20)
    with pytest.raises(HomeAssistantError, match="does not say"):
        await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    assert home.car.body.openings["rt"]


async def test_trunk_needs_a_fresh_record_after_a_missing_one(home: Home) -> None:
    """A stale record is not trusted if the record was missing in the previous answer."""
    await home.advance(MINUTE)
    await _open_trunk(home)
    await home.advance(20)
    home.simulator.faults.remove("vehicle_state")
    await home.poll()
    home.simulator.faults.clear()
    home.simulator.faults.corrupt("vehicle_state.timestamp", STALE["timestamp"])
    home.simulator.faults.corrupt("vehicle_state.rt", 0)
    with pytest.raises(HomeAssistantError, match="does not say"):
        await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk"]


async def test_trunk_needs_a_fresh_record_after_a_reload(hass_storage: dict[str, Any], home: Home) -> None:
    """After a reload, a record that is older than the stored one does not decide about the trunk."""
    await home.advance(MINUTE)
    await _open_trunk(home)
    await home.advance(20)
    home.simulator.faults.corrupt("vehicle_state.timestamp", STALE["timestamp"])
    home.car.close("rt")
    await home.restart()
    await home.advance(20)
    with pytest.raises(HomeAssistantError, match="does not say"):
        await _close_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    assert not home.car.body.openings["rt"]


async def test_trunk_is_not_toggled_again_after_a_reload(hass_storage: dict[str, Any], home: Home) -> None:
    """Right after a reload, the trunk is not toggled, because it may have been toggled just before."""
    home.simulator.switches.lid_delay = 10
    await _open_trunk(home)
    await home.restart()
    with pytest.raises(HomeAssistantError, match="does not say"):
        await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    await home.advance(20)
    await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    assert home.shown("cover", TRUNK).state == "open"


async def test_trunk_is_read_twice_for_a_fresh_record(home: Home) -> None:
    """After one stale answer, the car is read again, because the next answer may come from another cache."""
    old = ChangedResponse(
        "stale", lambda answer: {**answer, "vehicle_state": {**answer["vehicle_state"], **STALE}}
    )
    home.simulator.faults.inject(old, 1)
    await _open_trunk(home)
    assert home.car.body.openings["rt"]


# Canceled calls, and reloads

QUIET: Final = 10 * MINUTE
STALE: Final = {"timestamp": 1_000_000_000_000}


async def _unlock_without_answer(home: Home) -> asyncio.Task[None]:
    """Let the car unlock, and drop its answer. Return the call that waits for the answer."""
    await home.advance(QUIET, step=20)
    home.simulator.faults.fail("silence", only="/door_unlock", is_obeyed=True)
    call = asyncio.create_task(home.call("lock", "unlock", "vehicle_state.locked"))
    await home.endure(1)
    assert not home.car.body.locked
    return call


async def test_canceled_command_is_confirmed(home: Home) -> None:
    """A command is confirmed by reads even if its call was canceled, as by a restarted automation."""
    call = await _unlock_without_answer(home)
    call.cancel()
    await home.advance(20)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"


async def test_command_during_a_reload_is_confirmed(home: Home) -> None:
    """A command that was sent just before a reload is confirmed by reads after it."""
    call = await _unlock_without_answer(home)
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.endure(20)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"
    call.cancel()


async def test_confirmation_survives_a_reload(hass_storage: dict[str, Any], home: Home) -> None:
    """Reads confirm an accepted command after a reload too, even with polling disabled."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.advance(QUIET, step=20)
    await home.call("lock", "unlock", "vehicle_state.locked")
    await home.restart()
    home.simulator.requests.clear()
    await home.advance(20)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"
    assert len(home.requests("/vehicle_data")) == 2
    await home.restart()
    home.simulator.requests.clear()
    await home.advance(20)
    assert not home.requests("/vehicle_data")


@pytest.mark.parametrize("fails", [1, 2, 4])
async def test_failed_confirmation_is_retried(home: Home, fails: int) -> None:
    """If a read that should confirm a command fails, it is retried, even with polling disabled."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    home.car.sleep_after = 24 * 60 * MINUTE
    call = await _unlock_without_answer(home)
    call.cancel()
    home.simulator.faults.answer(500, only="/vehicle_data", times=fails)
    await home.advance(30 * MINUTE, step=20)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"


async def test_confirmation_after_a_pause(home: Home) -> None:
    """A command with an unknown outcome is confirmed after the pause that the error requires."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.advance(QUIET, step=20)
    home.simulator.faults.answer(540, only="/door_unlock", is_obeyed=True)
    with pytest.raises(HomeAssistantError, match="nobody can tell"):
        await home.call("lock", "unlock", "vehicle_state.locked")
    home.simulator.requests.clear()
    await home.advance(4 * MINUTE)
    assert not home.requests("/vehicle_data")
    await home.advance(2 * MINUTE)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"


async def test_unneeded_command_is_confirmed_if_its_read_is_canceled(home: Home) -> None:
    """After a command that was not needed, the state is shown even if the read after it was canceled."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.advance(MINUTE)
    home.car.charging.set_limit(77)
    home.simulator.faults.fail("silence", only="/vehicle_data")
    limit = home.call("number", "set_value", "charge_state.charge_limit_soc", value=77)
    call = asyncio.create_task(limit)
    await home.endure(1)
    assert _sent(home) == ["set_charge_limit"]
    call.cancel()
    await home.advance(20)
    assert home.shown("number", "charge_state.charge_limit_soc").state == "77"


async def test_canceled_call_withdraws_its_value(home: Home) -> None:
    """A temperature whose call was canceled while the car woke is not sent with the passenger's."""
    await _let_car_sleep(home)
    passenger = home.call("number", "set_value", "climate_state.passenger_temp_setting", value=17)
    driver = asyncio.create_task(home.call("climate", "set_temperature", "climate_state", temperature=26))
    await home.endure(1)

    async def cancel_driver() -> None:
        await asyncio.sleep(2)
        driver.cancel()

    assert await home.while_time_passes(passenger, cancel_driver()) == [None, None]
    assert (home.car.cabin.driver_temp, home.car.cabin.passenger_temp) == (21, 17)


async def test_canceled_trunk_is_not_toggled_again(home: Home) -> None:
    """A trunk that a canceled call has opened is not closed by the next call."""
    home.simulator.switches.lid_delay = 30
    home.simulator.faults.fail("silence", only="/actuate_trunk", is_obeyed=True)
    call = asyncio.create_task(_open_trunk(home))
    await home.endure(1)
    call.cancel()
    await home.advance(17)
    await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    assert home.car.body.openings["rt"]


# Changes while a command waits


async def _let_car_sleep(home: Home) -> None:
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.requests.clear()


async def test_last_request_decides_across_commands(home: Home) -> None:
    """If a limit, the maximum and another limit are requested while the car wakes, the last one applies."""
    await _let_car_sleep(home)
    limit = ("number", "set_value", "charge_state.charge_limit_soc")
    ended = await home.while_time_passes(
        home.call(*limit, value=60),
        home.call("button", "press", "charge_max_range"),
        home.call(*limit, value=70),
        home.call(*limit, value=75),
    )
    assert ended == [None] * 4
    assert home.car.charging.limit == 75
    assert _sent(home) == ["set_charge_limit", "charge_max_range", "set_charge_limit"]


@pytest.mark.parametrize("command", ["lock", "wake_up"])
async def test_read_only_stops_a_waiting_command(home: Home, command: str) -> None:
    """A command that waits for the car to wake is not sent if the car becomes read-only."""
    await _let_car_sleep(home)
    subentry = home.entry.subentries[home.coordinator.subentry_id]

    async def make_read_only() -> None:
        await asyncio.sleep(4)
        data = {**subentry.data, "read_only": True}
        home.hass.config_entries.async_update_subentry(home.entry, subentry, data=data)

    command_call = _lock(home) if command == "lock" else home.call("button", "press", "wake_up")
    home.simulator.faults.answer(503, times=100, only="/wake_up")
    ended, _ = await home.while_time_passes(command_call, make_read_only())
    assert "read-only" in str(ended)
    wake_ups = len(home.requests("/wake_up"))
    await home.advance(30)
    assert not _sent(home)
    assert len(home.requests("/wake_up")) == wake_ups


# The system clock


def _set_clock_back(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Set back the clock that Home Assistant reads. Timers and the car's clock continue."""
    wall, now, utcnow = time.time, dt_util.now, dt_util.utcnow
    monkeypatch.setattr(time, "time", lambda: wall() - hours * 3600)
    monkeypatch.setattr(dt_util, "now", lambda *zone: now(*zone) - timedelta(hours=hours))
    monkeypatch.setattr(dt_util, "utcnow", lambda: utcnow() - timedelta(hours=hours))


async def test_command_after_the_clock_was_set_back(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wake-up that failed before the clock was set back does not fail later commands."""
    await _let_car_sleep(home)
    home.car.coverage(on=False)
    (ended,) = await home.while_time_passes(_lock(home))
    assert "did not wake up" in str(ended)
    home.car.coverage(on=True)
    home.car.unlock()
    home.car.fall_asleep()
    _set_clock_back(monkeypatch, 2)
    assert await home.while_time_passes(_lock(home)) == [None]
    assert home.car.body.locked


async def test_pause_after_the_clock_was_set_back(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Setting the clock back does not extend the pause after failed reads."""
    home.car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(500, only="/vehicle_data", times=3)
    await home.advance(5 * MINUTE)
    _set_clock_back(monkeypatch, 5)
    home.car.unlock()
    await home.advance(5 * MINUTE)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"


async def test_signed_commands_after_the_clock_was_set_back(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A car that requires signed commands gets commands again after a day, whatever the clock says."""
    home.simulator.faults.answer(403, body=SIGNED, only="/command/")
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    _set_clock_back(monkeypatch, 12)
    await home.advance(24 * 3600, step=1800)
    assert await home.while_time_passes(_lock(home)) == [None]
