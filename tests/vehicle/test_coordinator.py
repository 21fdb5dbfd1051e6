"""How the car is asked, and how it is told what to do."""

import asyncio
import re
from typing import Any, Final

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.vehicle_remote_access.account.storage import forget
from custom_components.vehicle_remote_access.api.commands import CHARGE_STOP
from custom_components.vehicle_remote_access.api.records import ChargeState
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator.faults.faults import Answer

from ..conftest import Home

HOUR: Final = 3600
LOCK: Final = ("lock", "vehicle_state.locked")
BATTERY: Final = ("sensor", "charge_state.battery_level")
STATE: Final = ("sensor", "state")
TRUNK: Final = ("cover", "vehicle_state.rt")


async def _lock(home: Home) -> None:
    await home.call("lock", "lock", LOCK[1])


async def _unlock(home: Home) -> None:
    await home.call("lock", "unlock", LOCK[1])


async def _asleep(home: Home) -> None:
    """Let the car sleep and Home Assistant notice."""
    home.car.fall_asleep()
    await home.advance(65)
    assert home.shown(*STATE).state == "asleep"
    home.simulator.requests.clear()


def _sent(home: Home, command: str) -> int:
    return len(home.requests(f"/command/{command}"))


# Reading


async def test_parked_car_falls_asleep(home: Home) -> None:
    """A parked car is left in peace, so it falls asleep by itself, and what it said stays shown."""
    before = home.states()
    await home.advance(HOUR, step=20)
    assert home.car.state == "asleep"
    assert home.shown(*STATE).state == "asleep"
    after = home.states()
    changed = {entity for entity in before if before[entity] != after[entity]}
    assert not {entity for entity in changed if after[entity] in ("unknown", "unavailable")}


async def test_sleeping_car_is_never_asked(home: Home) -> None:
    """While the car sleeps, nothing reaches it: no live read and no wake-up, only the account's list."""
    await _asleep(home)
    await home.advance(2 * HOUR, step=20)
    assert set(home.requests()) == {"/api/1/vehicles"}
    assert home.car.state == "asleep"


async def test_set_up_on_a_sleeping_car(empty_home: Home) -> None:
    """A car that sleeps at set-up is not woken; what it has not said is unknown."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert empty_home.entry.state is ConfigEntryState.LOADED
    assert empty_home.shown(*STATE).state == "asleep"
    assert empty_home.shown(*LOCK).state == "unknown"
    assert empty_home.shown(*BATTERY).state == "unknown"
    assert not empty_home.requests("/vehicle_data")
    assert not empty_home.requests("/wake_up")


async def test_optional_equipment_appears_once_known(empty_home: Home) -> None:
    """A sun roof is shown as soon as the car, now awake, says that it has one."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert not [entity for entity in empty_home.states() if "sun_roof" in entity]
    empty_home.car.wake()
    await empty_home.advance(65)
    assert empty_home.shown("cover", "vehicle_state.sun_roof_percent_open").state == "closed"


async def test_wake_is_seen_within_a_minute(home: Home) -> None:
    """A car that somebody wakes is read once it is seen awake."""
    await _asleep(home)
    home.car.enter()
    await home.advance(65)
    assert home.shown(*STATE).state == "online"
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"


async def test_driving_is_read_every_minute(home: Home) -> None:
    """While it is driven, the car is read every minute."""
    home.car.unplug()
    home.car.drive(20)
    await home.advance(90)
    home.simulator.requests.clear()
    await home.advance(600)
    assert 9 <= len(home.requests("/vehicle_data")) <= 11
    assert home.shown("binary_sensor", "drive_state.shift_state").state == "on"


async def test_update_entity_reads_a_car_that_is_awake(home: Home) -> None:
    """`homeassistant.update_entity` reads the car at once, also in its quiet time."""
    await async_setup_component(home.hass, "homeassistant", {})
    await home.advance(600, step=20)
    home.car.set_level(33)
    await home.hass.services.async_call(
        "homeassistant", "update_entity", {"entity_id": home.entity_id(*BATTERY)}, blocking=True
    )
    assert home.shown(*BATTERY).state == "33"


async def test_update_entity_leaves_a_sleeping_car_asleep(home: Home) -> None:
    """`homeassistant.update_entity` looks whether the car sleeps, and leaves it so."""
    await async_setup_component(home.hass, "homeassistant", {})
    await _asleep(home)
    await home.hass.services.async_call(
        "homeassistant", "update_entity", {"entity_id": home.entity_id(*BATTERY)}, blocking=True
    )
    assert home.requests() == [f"/api/1/vehicles/{home.car.id}"]
    assert home.car.state == "asleep"


async def test_only_what_changed_is_written(home: Home) -> None:
    """A new answer with one new value writes the entity that shows it, and not those of other values."""
    written: list[str] = []

    @callback
    def note(event: Event[Any]) -> None:
        written.append(event.data["entity_id"])

    # Reported: written although nothing changed.
    home.hass.bus.async_listen("state_reported", note, event_filter=callback(lambda _data: True))
    home.hass.bus.async_listen("state_changed", note)
    home.car.body.sentry = True
    await home.poll()
    assert home.entity_id("binary_sensor", "vehicle_state.sentry_mode") in written
    assert home.entity_id(*LOCK) not in written
    assert home.entity_id(*BATTERY) not in written


# Services that lack something


async def _set_up_by_id(home: Home) -> None:
    """Add the car by its id, to a service that lists none."""
    home.simulator.switches.list = False
    form = await home.start_flow("account")
    form = await home.submit(form, base_url=home.simulator.url, access_token=home.simulator.token)
    result = await home.submit(form, id=str(home.car.id))
    assert result["type"] == "create_entry", result
    await home.idle()


async def test_without_a_list_each_car_is_asked_for(empty_home: Home) -> None:
    """Where the service lists no vehicles, the single record tells whether the car sleeps."""
    await _set_up_by_id(empty_home)
    await _asleep(empty_home)
    await empty_home.advance(240)
    empty_home.simulator.requests.clear()
    await empty_home.advance(600)
    assert set(empty_home.requests()) == {f"/api/1/vehicles/{empty_home.car.id}"}


async def test_one_404_after_a_restart_is_no_lack(hass_storage: dict[str, Any], home: Home) -> None:
    """A service that errs once right after a restart is not taken for one that lacks what it has."""
    home.simulator.faults.answer(404, only="/vehicle_data")
    home.simulator.faults.answer(404, only="/api/1/vehicles", times=2)
    await home.restart()
    home.car.enter()
    await home.advance(190)
    assert home.entry.runtime_data.connection.has_list
    assert home.requests()[-1].endswith("/vehicle_data")
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"


async def test_refused_token_where_only_the_car_answers(hass_storage: dict[str, Any], home: Home) -> None:
    """Where there is nothing but live reads, a refused token is asked for, and nobody tries on and on."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    for subentry in home.entry.subentries:
        await forget(home.hass, subentry)
    for path in ("/api/1/vehicles", f"/api/1/vehicles/{home.car.id}"):
        home.simulator.faults.serve("GET", path, {"error": "not_found"}, 404)
    home.simulator.faults.answer(401, only="_data", times=100)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()
    assert home.entry.state is ConfigEntryState.SETUP_ERROR
    flows = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    assert [flow["context"]["source"] for flow in flows] == [SOURCE_REAUTH]


@pytest.mark.parametrize("how", ["missing", "null", "a list"])
async def test_incomplete_answer_is_not_the_last(home: Home, how: str) -> None:
    """An answer that lacks what the car used to tell is asked for again before the car is left in peace."""
    await home.advance(10 * 60, step=20)
    assert home.coordinator.plan.mode == "quiet"
    if how == "missing":
        home.simulator.faults.remove("charge_state")
    else:
        home.simulator.faults.corrupt("charge_state", None if how == "null" else [])
    await home.poll()
    assert home.shown(*BATTERY).state == "unknown"
    home.simulator.faults.clear()
    await home.advance(65)
    assert home.shown(*BATTERY).state == "72"


async def test_lasting_gap_lets_the_car_sleep(home: Home) -> None:
    """A car that tells something no more, for good, is left in peace all the same."""
    home.simulator.faults.remove("gui_settings")
    await home.poll()
    await home.advance(60 * 60, step=20)
    assert home.car.state == "asleep"


def _no_record(home: Home) -> None:
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}", {"error": "not_found"}, 404)


async def test_without_any_cheap_request_the_car_still_sleeps(empty_home: Home) -> None:
    """Where only live reads are left, they are rare enough for the car to sleep, and do not wake it."""
    _no_record(empty_home)
    await _set_up_by_id(empty_home)
    await empty_home.advance(HOUR, step=20)
    assert empty_home.car.state == "asleep"
    assert empty_home.shown(*STATE).state == "asleep"
    assert not empty_home.requests("/wake_up")
    empty_home.car.enter()
    await empty_home.advance(125)
    assert empty_home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"


async def test_records_without_a_state(empty_home: Home) -> None:
    """Where nothing tells the state in words, an answer tells that the car is awake; it may sleep again."""
    _no_record(empty_home)
    empty_home.simulator.faults.remove("state")
    await _set_up_by_id(empty_home)
    assert empty_home.shown(*STATE).state == "online"
    await empty_home.advance(HOUR, step=20)
    assert empty_home.shown(*STATE).state == "asleep"
    empty_home.car.wake()
    await empty_home.advance(125)
    assert empty_home.shown(*STATE).state == "online"
    await empty_home.advance(HOUR, step=20)
    assert empty_home.car.state == "asleep"


async def test_legacy_service(empty_home: Home) -> None:
    """Where the current read is not found, the legacy one serves, and its booleans are understood."""
    empty_home.simulator.switches.profile = "legacy-2018"
    empty_home.car.heat_seat("left", 2)
    await empty_home.set_up()
    assert empty_home.shown("sensor", "climate_state.seat_heater_left").state == "on"
    assert empty_home.shown(*BATTERY).state == "72"


async def test_one_404_is_no_lack(home: Home) -> None:
    """A list that was there is asked for again after it was not found once."""
    home.simulator.faults.answer(404, body={"error": "not_found"}, only="/api/1/vehicles")
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(300)
    assert set(home.requests()) <= {"/api/1/vehicles", f"/api/1/vehicles/{home.car.id}/vehicle_data"}
    assert "/api/1/vehicles" in home.requests()


@pytest.mark.parametrize("cars", [2])
async def test_failing_record_takes_no_other_down(home: Home) -> None:
    """Without a list, a car whose record fails leaves the other one alone."""
    broken, well = home.simulator.vehicles
    home.simulator.switches.list = False
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.idle()
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{broken.id}", {"error": "internal"}, 500)
    well.enter()
    await home.advance(65)
    assert home.shown("binary_sensor", "vehicle_state.is_user_present", well.vin).state == "on"


async def test_self_check_is_not_use(home: Home) -> None:
    """A car that wakes by itself is watched for three minutes and left in peace, so it soon sleeps again."""
    await home.advance(400, step=20)
    await _asleep(home)
    home.car.wake()
    await home.advance(20 * 60, step=20)
    assert 3 <= len(home.requests("/vehicle_data")) <= 4
    assert home.car.state == "asleep"


async def test_coverage_is_not_use(home: Home) -> None:
    """A car that loses and regains coverage again and again falls asleep all the same."""
    await home.advance(400, step=20)
    for _ in range(3):
        home.car.coverage(on=False)
        await home.advance(120, step=20)
        home.car.coverage(on=True)
        await home.advance(480, step=20)
    assert home.car.state == "asleep"


async def test_unheard_of_state_is_out_of_reach(home: Home) -> None:
    """A car in a state that nobody has heard of is left in peace, whatever it was doing when last seen."""
    home.car.sentry(on=True)
    await home.poll()
    home.simulator.faults.corrupt("state", "hibernating")
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(600, step=20)
    assert not home.requests("/vehicle_data")
    assert home.shown(*STATE).state == "unknown"


async def test_car_out_of_coverage_does_not_sleep(home: Home) -> None:
    """A car that stops answering is offline at once if its service knows that; it never seems to sleep."""
    shown = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    home.car.unplug()
    home.car.drive(miles=50)
    await home.poll()
    home.car.coverage(on=False)
    await home.advance(120)
    home.car.coverage(on=True)
    await home.advance(120)
    entity_id = home.entity_id(*STATE)
    states = [event.data["new_state"].state for event in shown if event.data["entity_id"] == entity_id]
    assert states == ["offline", "online"]


async def test_own_word_counts_more(home: Home) -> None:
    """A car that answered that it sleeps is asleep, although the service goes on to list it as online."""
    home.car.sentry(on=True)
    await home.poll()
    home.car.coverage(on=False)
    home.simulator.faults.corrupt("state", "online")
    await home.advance(65)
    assert home.shown(*STATE).state == "asleep"
    await home.advance(600)
    assert home.shown(*STATE).state == "asleep"
    home.car.coverage(on=True)
    await home.advance(65)
    assert home.shown(*STATE).state == "online"


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_many_entities_one_read(home: Home) -> None:
    """Updating every entity of a car at once reads it once."""
    await async_setup_component(home.hass, "homeassistant", {})
    await home.advance(600, step=20)
    home.simulator.requests.clear()
    every = list(home.states())
    await home.hass.services.async_call("homeassistant", "update_entity", {"entity_id": every}, blocking=True)
    assert len(home.requests("/vehicle_data")) == 1


async def test_failed_read_is_tried_again_soon(home: Home) -> None:
    """A read that failed at the end of the quiet time is tried again a minute later, not half an hour."""
    home.simulator.switches.unlocked_blocks_sleep = True
    home.car.unlock()
    await home.advance(600, step=20)
    home.simulator.faults.answer(500, only="/vehicle_data")
    await home.advance(2200, step=20)
    assert home.simulator.faults.next_answer("/vehicle_data") is None
    reads = [each.status for each in home.simulator.requests if "/vehicle_data" in each.path]
    assert reads[-2:] == [500, 200]


# What goes wrong


async def test_silence_is_borne_for_a_while(home: Home) -> None:
    """With the service down, values stay for 15 minutes, then are unavailable, and come back with it."""
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(14 * 60)
    assert home.shown(*BATTERY).state == "72"
    await home.advance(3 * 60)
    assert home.shown(*BATTERY).state == "unavailable"
    home.simulator.faults.clear()
    await home.advance(6.5 * 60)
    assert home.shown(*BATTERY).state == "72"


async def test_one_failure_changes_nothing(home: Home) -> None:
    """A single failed read leaves every entity as it was."""
    before = home.states()
    home.simulator.faults.answer(500, only="/vehicle_data")
    await home.poll()
    assert home.states() == before


@pytest.mark.parametrize("cars", [2])
async def test_failing_car_takes_no_other_down(home: Home) -> None:
    """A car that cannot be read leaves the other one alone."""
    broken, well = home.simulator.vehicles
    home.simulator.faults.answer(500, times=10_000, only=f"{broken.id}/vehicle_data")
    well.enter()
    await home.advance(65)
    assert home.shown("binary_sensor", "vehicle_state.is_user_present", well.vin).state == "on"


async def test_rejected_token_asks_for_a_new_one(home: Home) -> None:
    """A token that is no longer accepted opens one dialog for a new one, and asking stops."""
    home.simulator.token = "another"
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(600)
    flows = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    assert [flow["context"]["source"] for flow in flows] == [SOURCE_REAUTH]
    assert not home.requests()


async def test_rejected_token_makes_values_old(home: Home) -> None:
    """Values that can no longer be renewed are not shown as if they could."""
    home.simulator.token = "another"
    await home.advance(65)
    assert home.shown(*BATTERY).state == "unavailable"


async def test_rate_limit_holds_for_the_account(home: Home) -> None:
    """After a 429 nothing is sent until the service wants to be asked again; a command says how long."""
    home.simulator.faults.answer(429, headers={"Retry-After": "1200"}, only="/api/1/vehicles")
    await home.advance(65)
    home.simulator.requests.clear()
    with pytest.raises(HomeAssistantError, match="asked again in 20 min"):
        await _unlock(home)
    await home.advance(1100, step=20)
    assert not home.requests()
    await home.advance(160)
    assert home.requests()


async def test_car_in_service(home: Home) -> None:
    """In the workshop the car is shown as such, keeps its values, and is back when it is back."""
    home.car.service(on=True)
    await home.poll()
    assert home.shown("binary_sensor", "in_service").state == "on"
    assert home.shown(*BATTERY).state == "72"
    home.car.service(on=False)
    await home.advance(65)
    assert home.shown("binary_sensor", "in_service").state == "off"


async def test_car_back_from_service_that_does_not_say_so(home: Home) -> None:
    """A car that answers again is back, also where the service has no word for it."""
    home.car.service(on=True)
    await home.poll()
    home.car.service(on=False)
    home.simulator.faults.remove("in_service")
    await home.poll()
    assert home.shown("binary_sensor", "in_service").state == "off"


# Commands


async def test_command_wakes_the_car_once(home: Home) -> None:
    """A command to a sleeping car wakes it, waits, and is sent once."""
    await _asleep(home)
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert len(home.requests("/wake_up")) == 1
    assert _sent(home, "door_unlock") == 1
    assert not home.car.body.locked
    assert home.shown(*LOCK).state == "unlocked"


async def test_commands_share_one_wake(home: Home) -> None:
    """Commands that wait for the same car wake it once and are sent in the order they were asked for."""
    await _asleep(home)
    ended = await home.while_time_passes(
        _unlock(home),
        home.call("climate", "turn_on", "climate_state"),
        home.call("number", "set_value", "charge_state.charge_limit_soc", value=90),
    )
    assert ended == [None, None, None]
    assert len(home.requests("/wake_up")) == 1
    assert [path.rpartition("/")[2] for path in home.requests("/command/")] == [
        "door_unlock",
        "auto_conditioning_start",
        "set_charge_limit",
    ]


async def test_car_that_does_not_wake(home: Home) -> None:
    """A car that stays out of reach ends the command with an error after a minute; it is not sent."""
    await _asleep(home)
    home.car.coverage(on=False)
    (ended,) = await home.while_time_passes(_unlock(home))
    assert "did not wake up" in str(ended)
    assert not _sent(home, "door_unlock")


async def test_commands_share_a_wake_that_fails(home: Home) -> None:
    """Commands that wait for a car that stays out of reach fail together, after one minute and one wake."""
    await _asleep(home)
    home.car.coverage(on=False)
    ended = await home.while_time_passes(_unlock(home), _lock(home), _unlock(home))
    assert ["did not wake up" in str(each) for each in ended] == [True, True, True]
    assert len(home.requests("/wake_up")) == 1
    assert not home.requests("/command/")


async def test_newest_setpoint_counts(home: Home) -> None:
    """Of several limits that wait for a sleeping car, the newest is sent, once."""
    await _asleep(home)
    limits = [
        home.call("number", "set_value", "charge_state.charge_limit_soc", value=n) for n in (60, 70, 95)
    ]
    assert await home.while_time_passes(*limits) == [None, None, None]
    sent = [each.query for each in home.simulator.requests if each.path.endswith("/set_charge_limit")]
    assert sent == [{"percent": "95"}]


async def test_who_gives_up_speaks_for_nobody_else(home: Home) -> None:
    """A limit that somebody goes on waiting for is sent although the first to ask has given up."""
    await _asleep(home)
    number = ("number", "set_value", "charge_state.charge_limit_soc")
    first = asyncio.ensure_future(home.call(*number, value=60))
    second = asyncio.ensure_future(home.call(*number, value=70))

    async def give_up() -> None:
        first.cancel()

    ended = await home.while_time_passes(second, give_up())
    assert ended == [None, None]
    assert home.shown("number", "charge_state.charge_limit_soc").state == "70"
    assert len(home.requests("/set_charge_limit")) == 1


@pytest.mark.parametrize("first", ["driver", "passenger"])
async def test_two_sides_in_one_command(home: Home, first: str) -> None:
    """The driver's and the passenger's temperature, set together, both arrive."""
    await _asleep(home)
    both = [
        home.call("climate", "set_temperature", "climate_state", temperature=23),
        home.call("number", "set_value", "climate_state.passenger_temp_setting", value=18),
    ]
    if first == "passenger":
        both.reverse()
    assert await home.while_time_passes(*both) == [None, None]
    sent = [each.query for each in home.simulator.requests if each.path.endswith("/set_temps")]
    assert sent == [{"driver_temp": "23.0", "passenger_temp": "18.0"}]


async def test_driver_is_asked_for(empty_home: Home) -> None:
    """A passenger's temperature set on a car that was never read leaves the driver's as it is."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    number = empty_home.call("number", "set_value", "climate_state.passenger_temp_setting", value=18)
    assert await empty_home.while_time_passes(number) == [None]
    sent = [each.query for each in empty_home.simulator.requests if each.path.endswith("/set_temps")]
    assert sent == [{"driver_temp": "21.0", "passenger_temp": "18.0"}]


async def test_two_sides_of_an_unknown_car(empty_home: Home) -> None:
    """Both temperatures, set together on a car that was never read, arrive as well."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    ended = await empty_home.while_time_passes(
        empty_home.call("number", "set_value", "climate_state.passenger_temp_setting", value=18),
        empty_home.call("climate", "set_temperature", "climate_state", temperature=23),
    )
    assert ended == [None, None]
    sent = [each.query for each in empty_home.simulator.requests if each.path.endswith("/set_temps")]
    assert sent == [{"driver_temp": "23.0", "passenger_temp": "18.0"}]


async def test_failed_wake_up_call_is_repeated(home: Home) -> None:
    """One failed call is no reason to give up on waking the car."""
    await _asleep(home)
    home.simulator.faults.answer(502, only="/wake_up")
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert not home.car.body.locked


@pytest.mark.parametrize(("status", "words"), [(502, "service fails"), (408, "did not wake up")])
async def test_car_that_cannot_be_called(home: Home, status: int, words: str) -> None:
    """Where it is the service that fails, nobody is told that it is the car that does not wake."""
    home.car.fall_asleep()
    await home.advance(65)
    body = {"response": None, "error": "vehicle unavailable" if status == 408 else "bad gateway"}
    home.simulator.faults.answer(status, body=body, only="/wake_up", times=1000)
    ended = await home.while_time_passes(_unlock(home), home.call("button", "press", "flash_lights"))
    assert [words in str(each) for each in ended] == [True, True]
    assert not home.requests("/command/")


async def test_command_of_a_removed_account_is_not_sent(home: Home) -> None:
    """A command that waits for the car when the account is unloaded is not sent any more."""
    await _asleep(home)

    async def unload() -> None:
        await home.hass.config_entries.async_unload(home.entry.entry_id)

    ended, _ = await home.while_time_passes(_unlock(home), unload())
    assert "was not sent" in str(ended)
    assert not _sent(home, "door_unlock")


async def test_car_that_fell_asleep_unseen(home: Home) -> None:
    """A command to a car that has just fallen asleep wakes it and is sent again, having reached nobody."""
    home.car.fall_asleep()
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert len(home.requests("/wake_up")) == 1
    assert not home.car.body.locked


async def test_refusal_says_why(home: Home) -> None:
    """A refused command is an error with the car's reason, and nothing changes."""
    home.car.unplug()
    with pytest.raises(HomeAssistantError, match="no cable is plugged in"):
        await home.call("switch", "turn_on", "charge_state.charging_state")
    assert home.shown("switch", "charge_state.charging_state").state == "off"


async def test_refusal_that_means_it_is_so_already(home: Home) -> None:
    """Stopping what does not charge is no error, and what is shown is what the car says."""
    home.car.unplug()
    await home.call("switch", "turn_off", "charge_state.charging_state")
    assert _sent(home, "charge_stop") == 1
    assert home.shown("sensor", "charge_state.charging_state").state == "disconnected"


async def test_lost_car_shows_nothing_old(home: Home) -> None:
    """A car long out of reach that answers a command shows what it says now, and not first what it said."""
    shows = ("sensor", ChargeState.charging_state.path)
    before = home.shown(*shows).state
    failing = home.simulator.faults.tell(Answer(status=500, only="/vehicle_data"), times=1000)
    home.car.unplug()
    home.car.drive(60)
    await home.advance(20 * 60, step=20)
    assert home.shown(*shows).state == "unavailable"
    home.simulator.faults.take_back(failing)
    written = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    await home.coordinator.orders.send(CHARGE_STOP)
    await home.hass.async_block_till_done()
    states = [
        each.data["new_state"].state for each in written if each.data["entity_id"] == home.entity_id(*shows)
    ]
    assert states == ["disconnected"]
    assert before != "disconnected"


async def test_settled_command_needs_no_read(home: Home) -> None:
    """A command that was settled already is no error because the read after it failed; a later read tells."""
    home.car.unplug()
    home.simulator.faults.answer(500, only="/vehicle_data")
    await home.call("switch", "turn_off", "charge_state.charging_state")
    await home.advance(5)
    assert home.shown("sensor", "charge_state.charging_state").state == "disconnected"


async def test_state_is_confirmed_by_the_car(home: Home) -> None:
    """A command that the car took and did not carry out is shown at once, and taken back by the next read."""
    path = f"/api/1/vehicles/{home.car.id}/command/door_unlock"
    home.simulator.faults.serve("POST", path, {"response": {"result": True, "reason": ""}})
    await _unlock(home)
    assert home.shown(*LOCK).state == "unlocked"
    await home.advance(5)
    assert home.shown(*LOCK).state == "locked"


async def test_confirmation_needs_no_polling(home: Home) -> None:
    """With polling switched off, a command is confirmed all the same."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.idle()
    home.simulator.requests.clear()
    await _unlock(home)
    await home.advance(300)
    assert len(home.requests("/vehicle_data")) == 2


async def test_toggle_is_sent_only_if_needed(home: Home) -> None:
    """A trunk that somebody has opened meanwhile is not closed by opening it."""
    home.car.open("rt")
    await home.call("cover", "open_cover", TRUNK[1])
    assert not _sent(home, "actuate_trunk")
    assert home.shown(*TRUNK).state == "open"


async def test_toggle_is_not_sent_blindly(home: Home) -> None:
    """A trunk that does not say whether it is open is left alone."""
    home.simulator.faults.remove("vehicle_state.rt")
    with pytest.raises(HomeAssistantError, match="does not say"):
        await home.call("cover", "open_cover", TRUNK[1])
    assert not _sent(home, "actuate_trunk")


async def test_toggle_needs_a_fresh_answer(home: Home) -> None:
    """A trunk that was opened unseen, on a car that fell asleep unseen, is not closed by opening it."""
    home.car.open("rt")
    home.car.close("rt")
    await home.poll()
    home.car.fall_asleep()
    home.car.body.openings["rt"] = True
    assert await home.while_time_passes(home.call("cover", "open_cover", TRUNK[1])) == [None]
    assert not _sent(home, "actuate_trunk")
    assert home.shown(*TRUNK).state == "open"


async def test_toggle_on_a_car_that_sleeps_unseen(home: Home) -> None:
    """A trunk that was closed unseen is opened, although the car has to be woken for it."""
    home.car.open("rt")
    await home.poll()
    home.car.close("rt")
    home.car.fall_asleep()
    assert await home.while_time_passes(home.call("cover", "open_cover", TRUNK[1])) == [None]
    assert _sent(home, "actuate_trunk") == 1
    assert home.car.body.openings["rt"]


@pytest.mark.parametrize("command", ["actuate_trunk", "honk_horn"])
async def test_unreachable_car_is_not_told_twice(home: Home, command: str) -> None:
    """Where the service cannot say whether the car heard a toggle or the horn, it is not sent again."""
    home.simulator.faults.answer(503, body={"error": "vehicle is not available"}, only=command)
    with pytest.raises(HomeAssistantError, match="nobody can tell"):
        await (
            home.call("button", "press", command)
            if command == "honk_horn"
            else home.call("cover", "open_cover", TRUNK[1])
        )
    await home.advance(30)
    assert _sent(home, command) == 1


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_toggle_is_never_sent_twice(home: Home, status: int) -> None:
    """A trunk whose command got no answer is not told again; the person hears that nobody knows."""
    home.simulator.faults.answer(status, only="actuate_trunk")
    with pytest.raises(HomeAssistantError, match="nobody can tell"):
        await home.call("cover", "open_cover", TRUNK[1])
    await home.advance(60)
    assert _sent(home, "actuate_trunk") == 1


async def test_sleeping_buses_are_tried_again(home: Home) -> None:
    """A command that the car's own network slept through is sent again some seconds later."""
    answer: dict[str, Any] = {"response": {"result": False, "reason": "could_not_wake_buses"}}
    home.simulator.faults.answer(200, body=answer, times=2, only="door_unlock")
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert _sent(home, "door_unlock") == 3
    assert not home.car.body.locked


async def test_sleeping_buses_are_not_tried_for_ever(home: Home) -> None:
    """A command that the car's network goes on to sleep through is an error in the end."""
    answer: dict[str, Any] = {"response": {"result": False, "reason": "could_not_wake_buses"}}
    home.simulator.faults.answer(200, body=answer, times=100, only="door_unlock")
    (ended,) = await home.while_time_passes(_unlock(home))
    assert "its own network is not" in str(ended)
    assert _sent(home, "door_unlock") == 4


# The account


async def test_account_is_known_by_its_user(home: Home) -> None:
    """After the first read, the account's unique id is the user's, so that it is not added twice."""
    assert re.fullmatch(r"\d+", home.entry.unique_id or "")


async def test_rename_does_not_reload(home: Home) -> None:
    """A new name for the account leaves it running."""
    account = home.entry.runtime_data
    home.hass.config_entries.async_update_entry(home.entry, title="My cars")
    await home.idle()
    assert home.entry.runtime_data is account


async def test_new_address_reloads(home: Home) -> None:
    """A new token sets the account up again."""
    account = home.entry.runtime_data
    home.simulator.token = "fresh"
    home.hass.config_entries.async_update_entry(home.entry, data={**home.entry.data, "access_token": "fresh"})
    await home.idle()
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.entry.runtime_data is not account


@pytest.mark.parametrize("cars", [2])
async def test_removed_vehicle_leaves_alone(home: Home) -> None:
    """Removing one vehicle takes its device and its entities, and no other's."""
    sold, kept = home.simulator.vehicles
    subentry = next(each for each in home.entry.subentries.values() if each.unique_id == sold.vin)
    home.hass.config_entries.async_remove_subentry(home.entry, subentry.subentry_id)
    await home.idle()
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert {device.serial_number for device in devices} == {None, kept.vin}
    assert home.shown(*LOCK, kept.vin).state in ("locked", "unlocked")


async def test_device_tells_the_car(home: Home) -> None:
    """The device has the car's name, model, VIN and software."""
    device = home.device
    assert device.name == home.car.name
    assert device.manufacturer == "Tesla"
    assert device.model == "Model S P90D 2019"
    assert device.serial_number == home.car.vin
    assert device.sw_version
    assert " " not in device.sw_version


async def test_device_is_remembered(home: Home) -> None:
    """Setting up anew while the car sleeps leaves the device's page as it was."""
    await _asleep(home)
    before = home.device
    await home.restart()
    after = home.device
    assert (after.model, after.model_id, after.sw_version) == (
        before.model,
        before.model_id,
        before.sw_version,
    )
    assert after.model == "Model S P90D 2019"


async def test_device_keeps_up_with_the_software(home: Home) -> None:
    """New software is shown on the device's page."""
    home.simulator.faults.corrupt("vehicle_state.car_version", "2030.1.2 abcdef")
    await home.poll()
    assert home.device.sw_version == "2030.1.2"


async def test_service_down_at_start(hass_storage: dict[str, Any], home: Home) -> None:
    """With the service down at start and nothing remembered, Home Assistant tries again by itself."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    hass_storage.clear()
    home.simulator.faults.answer(503)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    states = [home.entry.state]
    await home.advance(30)
    states.append(home.entry.state)
    assert states == [ConfigEntryState.SETUP_RETRY, ConfigEntryState.LOADED]


async def test_partial_read_renews_nothing(home: Home) -> None:
    """Who reads one record again and again takes nothing from what is shown."""
    await home.call("switch", "turn_on", "charge_state.charging_state")
    await home.advance(30)
    home.simulator.requests.clear()
    for _ in range(20):
        await home.act("get_vehicle_data", record="drive_state")
        await home.advance(30)
    assert len(home.requests("/vehicle_data")) >= 9


async def test_partial_read_begins_the_quiet_time_anew(home: Home) -> None:
    """A car that was kept awake by an action gets its quiet time all the same."""
    for _ in range(4):
        await home.advance(500, step=20)
        await home.act("get_vehicle_data", record="drive_state")
    home.simulator.requests.clear()
    await home.advance(900, step=20)
    assert not home.requests("/vehicle_data")
    assert home.car.state == "asleep"


async def test_unloaded_while_commands_wait_for_a_wake(home: Home) -> None:
    """After unloading, no waiting command calls the car once more."""
    await _asleep(home)
    home.simulator.faults.answer(503, times=100, only="/wake_up")

    async def unload() -> None:
        await asyncio.sleep(5)
        await home.hass.config_entries.async_unload(home.entry.entry_id)
        home.simulator.requests.clear()

    await home.while_time_passes(_lock(home), home.call("button", "press", "flash_lights"), unload())
    assert not home.requests("/wake_up")
