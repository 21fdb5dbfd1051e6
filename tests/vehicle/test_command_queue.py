"""What reaches the car when it is told to do something: each command once, in order, or a clear error."""

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
from custom_components.vehicle_remote_access.simulator import Vehicle as Car
from custom_components.vehicle_remote_access.simulator.faults.faults import Change
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full

from ..conftest import Home

PASSWORD: Final = "the-password-of-the-owner"
MINUTE: Final = 60.0
ENTITY: Final = "entity_id"

type Press = Callable[[Home], Awaitable[None]]


def _sent(home: Home) -> list[str]:
    """Return the commands that reached the service, in order."""
    return [path.rpartition("/")[2] for path in home.requests("/command/")]


async def _remote_start(home: Home) -> None:
    await home.act("remote_start_drive", password=PASSWORD)


# What cannot be taken back: how an owner does it, the command, and what an observer beside the car counts
ONCE: Final[dict[str, tuple[Press, str, Callable[[Car], int]]]] = {
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

type Losing = Callable[[Home, str, bool], None]


def _answered(status: int, body: Any = HTML) -> Losing:
    """Return what answers all that is told to the car with this, obeyed or not."""

    def lose(home: Home, only: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
        home.simulator.faults.answer(status, body=body, only=only, is_obeyed=is_obeyed, times=100)

    return lose


def _lost(how: Any) -> Losing:
    """Return what loses all answers so."""

    def lose(home: Home, only: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
        home.simulator.faults.fail(how, only=only, is_obeyed=is_obeyed, times=100)

    return lose


LOST: Final[dict[str, Losing]] = {
    **{str(status): _answered(status) for status in (200, 500, 502, 503, 504, 540)},
    "408 slow": _answered(408, {"error": "timeout"}),
    "response null": _answered(200, {"response": None}),
    **{how: _lost(how) for how in ("reset", "close", "cut", "silence", "endless")},
}


@pytest.mark.parametrize("is_obeyed", [True, False], ids=["obeyed", "not obeyed"])
@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("what", ONCE)
async def test_sent_exactly_once(home: Home, what: str, lost: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
    """What cannot be taken back is sent once, and the person is told that nobody knows what came of it."""
    press, command, count = ONCE[what]
    home.simulator.switches.remote_password = "any"
    LOST[lost](home, f"/command/{command}", is_obeyed)
    (ended,) = await home.while_time_passes(press(home))
    assert isinstance(ended, HomeAssistantError)
    assert "nobody can tell whether the car obeyed" in str(ended)
    await home.endure(MINUTE)
    assert _sent(home) == [command]
    assert count(home.car) == is_obeyed


@pytest.mark.parametrize("lost", ["reset", "close", "502", "503"])
async def test_what_can_be_repeated_is_tried_again(home: Home, lost: str) -> None:
    """A lock whose answer gets lost at once is told again, and the owner need not know."""
    home.car.unlock()
    if lost.isdecimal():
        home.simulator.faults.answer(int(lost), body=HTML, only="/command/")
    else:
        home.simulator.faults.fail(lost, only="/command/")  # type: ignore[arg-type] # one of those that it takes
    assert await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked")) == [None]
    assert _sent(home) == ["door_lock", "door_lock"]
    assert home.car.body.locked


async def test_second_try_cannot_even_be_sent(home: Home) -> None:
    """That the second try failed for sure does not mean that the first did; the car is asked."""
    home.car.unlock()
    home.simulator.faults.fail("reset", only="/command/", is_obeyed=True)
    home.simulator.faults.answer(400, only="/command/")
    (ended,) = await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked"))
    assert "nobody can tell" in str(ended)
    await home.advance(5)
    assert home.shown("lock", "vehicle_state.locked").state == "locked"


async def test_obeyed_the_first_time(home: Home) -> None:
    """What was done although its answer got lost is not an error the second time."""
    home.simulator.faults.answer(502, only="/command/", is_obeyed=True)
    limit = home.call("number", "set_value", "charge_state.charge_limit_soc", value=60)
    assert await home.while_time_passes(limit) == [None]
    assert _sent(home) == ["set_charge_limit", "set_charge_limit"]
    assert home.shown("number", "charge_state.charge_limit_soc").state == "60"


async def test_twenty_commands_to_a_sleeping_car(home: Home) -> None:
    """Of twenty at once each is sent once, in order, after one wake; of the setpoints only the newest."""
    home.car.unlock()
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.requests.clear()
    temperature = ("climate", "set_temperature", "climate_state")
    limit = ("number", "set_value", "charge_state.charge_limit_soc")
    doing = [
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
    assert len(doing) == 20
    began = home.car.clock.now()
    ended = await home.while_time_passes(*doing)
    took = home.car.clock.now() - began
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
    assert took < 2 * MINUTE


async def test_queue_has_an_end(home: Home) -> None:
    """Behind a car that does not answer nobody waits for ever, and nothing is sent far too late."""
    home.simulator.faults.fail("silence", only="/command/", times=1000)
    doing = [home.call("button", "press", "flash_lights") for _ in range(20)]
    began = home.car.clock.now()
    ended = await home.while_time_passes(*doing, patience=400)
    assert home.car.clock.now() - began < 5 * MINUTE
    said = [str(each) for each in ended]
    tried, too_late = len(_sent(home)), sum("waited three minutes" in each for each in said)
    assert sum("nobody can tell" in each for each in said) == tried
    assert tried + too_late == 20
    assert 3 < tried < 8


async def test_fresh_wish_is_not_too_late(home: Home) -> None:
    """A setpoint that somebody has just renewed is not thrown away because an older one waited."""
    limit = ("number", "set_value", "charge_state.charge_limit_soc")
    home.simulator.faults.fail("silence", only="/command/flash_lights", times=5)
    blocking = [home.call("button", "press", "flash_lights") for _ in range(5)]

    async def change_their_mind() -> None:
        await asyncio.sleep(170)
        await home.call(*limit, value=80)

    ended = await home.while_time_passes(*blocking, home.call(*limit, value=60), change_their_mind())
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


async def test_car_that_wants_signed_commands_is_not_woken_in_vain(home: Home) -> None:
    """After one refusal nothing is sent for a day, nobody wakes the car for it, and a repair says why."""
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


async def test_signed_commands_after_a_reload(home: Home) -> None:
    """Who has changed something and reloads the account need not wait a day."""
    home.simulator.faults.answer(403, body=SIGNED, only="/command/")
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    await home.restart()
    assert _repairs(home) == []
    await _lock(home)


# Reasons


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("not_parked", "it is not in park"),
        ("Not Parked", "it is not in park"),
        ("low_soc", "battery is too low"),
        ("something else", "The car refused: something else"),
        ("", "The car refused: no reason given"),
    ],
)
async def test_reason_in_words(home: Home, reason: str, words: str) -> None:
    """Why a car refuses is told in a sentence, or in its own word where nobody knows better."""
    home.simulator.faults.answer(
        200, body={"response": {"result": False, "reason": reason}}, only="/command/"
    )
    with pytest.raises(HomeAssistantError, match=words):
        await _lock(home)


# Trunk and frunk: one command opens and closes them

TRUNK: Final = "vehicle_state.rt"


async def _open_trunk(home: Home) -> None:
    await home.call("cover", "open_cover", TRUNK)


async def _close_trunk(home: Home) -> None:
    await home.call("cover", "close_cover", TRUNK)


async def test_trunk_is_opened_once_while_the_car_wakes(home: Home) -> None:
    """Two requests to open the trunk of a sleeping car open it, although the car reports the lid late."""
    home.simulator.switches.lid_delay = 8
    home.car.fall_asleep()
    await home.advance(65)
    assert await home.while_time_passes(_open_trunk(home), _open_trunk(home)) == [None, None]
    assert _sent(home) == ["actuate_trunk"]
    assert home.car.body.openings["rt"]


async def test_trunk_is_opened_once_by_two_taps(home: Home) -> None:
    """A second tap on Open a second later does not close the trunk, although the car reports the lid late."""
    home.simulator.switches.lid_delay = 8
    await _open_trunk(home)
    await home.advance(1)
    await _open_trunk(home)
    await home.advance(20)
    assert _sent(home) == ["actuate_trunk"]
    assert home.shown("cover", TRUNK).state == "open"


async def test_trunk_with_unknown_outcome_is_not_toggled_again(home: Home) -> None:
    """After a lost answer, a second tap on Open does not close a trunk that the car reports late."""
    home.simulator.switches.lid_delay = 8
    home.simulator.faults.answer(502, only="/actuate_trunk", is_obeyed=True)
    with pytest.raises(HomeAssistantError, match="nobody can tell"):
        await _open_trunk(home)
    await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    assert home.car.body.openings["rt"]


async def test_trunk_is_not_closed_before_it_is_reported_open(home: Home) -> None:
    """Close fails while the car still reports the trunk closed, because the lid may be on its way."""
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
    """A trunk that was closed by hand is opened by the next request after 15 seconds."""
    await _open_trunk(home)
    home.car.close("rt")
    await home.advance(16)
    await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk", "actuate_trunk"]
    assert home.car.body.openings["rt"]


async def test_trunk_needs_a_fresh_record(home: Home) -> None:
    """A trunk is left alone if the service answers with records older than those that are known."""
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
    """A trunk is left alone if the service repeats the record from before the last toggle."""
    cached = full(home.car, Variant.CURRENT)
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
    """A stale record is not trusted because the record was missing in the answer before."""
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
    """After a reload too, a record older than the stored one does not decide about the trunk."""
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
    """Soon after a reload, a trunk that was toggled just before is left alone."""
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
    """One stale answer does not fail the command: the next one may come from another cache."""
    old = Change("stale", lambda answer: {**answer, "vehicle_state": {**answer["vehicle_state"], **STALE}})
    home.simulator.faults.tell(old, 1)
    await _open_trunk(home)
    assert home.car.body.openings["rt"]


# Callers that give up, and reloads

QUIET: Final = 10 * MINUTE
STALE: Final = {"timestamp": 1_000_000_000_000}


async def _unlock_without_answer(home: Home) -> asyncio.Task[None]:
    """Let the car unlock, and its answer get lost. Return the call that waits for it."""
    await home.advance(QUIET, step=20)
    home.simulator.faults.fail("silence", only="/door_unlock", is_obeyed=True)
    call = asyncio.create_task(home.call("lock", "unlock", "vehicle_state.locked"))
    await home.endure(1)
    assert not home.car.body.locked
    return call


async def test_cancelled_command_is_confirmed(home: Home) -> None:
    """The state is right soon after an automation that restarts has canceled a call on its way."""
    call = await _unlock_without_answer(home)
    call.cancel()
    await home.advance(20)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"


async def test_command_during_a_reload_is_confirmed(home: Home) -> None:
    """The state is right soon after the account was reloaded while a command was on its way."""
    call = await _unlock_without_answer(home)
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.endure(20)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"
    call.cancel()


async def test_confirmation_survives_a_reload(hass_storage: dict[str, Any], home: Home) -> None:
    """An accepted command is confirmed by reads after a reload too, also with polling switched off."""
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
async def test_failed_confirmation_is_repeated(home: Home, fails: int) -> None:
    """A read that should confirm a command and fails is repeated, also with polling switched off."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    home.car.sleep_after = 24 * 60 * MINUTE
    call = await _unlock_without_answer(home)
    call.cancel()
    home.simulator.faults.answer(500, only="/vehicle_data", times=fails)
    await home.advance(30 * MINUTE, step=20)
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"


async def test_confirmation_after_a_pause(home: Home) -> None:
    """A command with an unknown outcome is confirmed after the pause that the car needs."""
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


async def test_settled_command_is_confirmed_if_its_read_is_canceled(home: Home) -> None:
    """What the car said to be so already is shown, although the caller gave up during the read after it."""
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


async def test_canceled_caller_takes_its_value_along(home: Home) -> None:
    """A temperature whose caller gave up while the car woke is not sent with the passenger's."""
    await _asleep(home)
    passenger = home.call("number", "set_value", "climate_state.passenger_temp_setting", value=17)
    driver = asyncio.create_task(home.call("climate", "set_temperature", "climate_state", temperature=26))
    await home.endure(1)

    async def give_up() -> None:
        await asyncio.sleep(2)
        driver.cancel()

    assert await home.while_time_passes(passenger, give_up()) == [None, None]
    assert (home.car.cabin.driver_temp, home.car.cabin.passenger_temp) == (21, 17)


async def test_canceled_trunk_is_not_toggled_again(home: Home) -> None:
    """A trunk that was told to open by a call that was canceled is not closed by the next one."""
    home.simulator.switches.lid_delay = 30
    home.simulator.faults.fail("silence", only="/actuate_trunk", is_obeyed=True)
    call = asyncio.create_task(_open_trunk(home))
    await home.endure(1)
    call.cancel()
    await home.advance(17)
    await _open_trunk(home)
    assert _sent(home) == ["actuate_trunk"]
    assert home.car.body.openings["rt"]


# What changes while a command waits


async def _asleep(home: Home) -> None:
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.requests.clear()


async def test_last_request_decides_across_commands(home: Home) -> None:
    """A limit, the maximum and another limit, requested while the car wakes, end at the last limit."""
    await _asleep(home)
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
    """A command that waits for the car to wake is not sent once the car is read-only."""
    await _asleep(home)
    subentry = home.entry.subentries[home.coordinator.subentry_id]

    async def protect() -> None:
        await asyncio.sleep(4)
        data = {**subentry.data, "read_only": True}
        home.hass.config_entries.async_update_subentry(home.entry, subentry, data=data)

    act = _lock(home) if command == "lock" else home.call("button", "press", "wake_up")
    home.simulator.faults.answer(503, times=100, only="/wake_up")
    ended, _ = await home.while_time_passes(act, protect())
    assert "read-only" in str(ended)
    calls = len(home.requests("/wake_up"))
    await home.advance(30)
    assert not _sent(home)
    assert len(home.requests("/wake_up")) == calls


# The system clock


def _set_clock_back(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Set the clock that Home Assistant reads back. Timers and the car's clock go on."""
    wall, now, utcnow = time.time, dt_util.now, dt_util.utcnow
    monkeypatch.setattr(time, "time", lambda: wall() - hours * 3600)
    monkeypatch.setattr(dt_util, "now", lambda *zone: now(*zone) - timedelta(hours=hours))
    monkeypatch.setattr(dt_util, "utcnow", lambda: utcnow() - timedelta(hours=hours))


async def test_command_after_the_clock_was_set_back(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wake-up that failed before the clock was set back refuses no later command."""
    await _asleep(home)
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
    """The pause after failed reads is no longer because the clock was set back."""
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
    """A car that wants signed commands is tried again after a day, whatever the clock says."""
    home.simulator.faults.answer(403, body=SIGNED, only="/command/")
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    _set_clock_back(monkeypatch, 12)
    await home.advance(24 * 3600, step=1800)
    assert await home.while_time_passes(_lock(home)) == [None]
