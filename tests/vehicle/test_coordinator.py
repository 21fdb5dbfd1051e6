"""Polling one car, failures of the service and the car, commands, and the account's config entry."""

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

from custom_components.vehicle_remote_access.account.storage import remove_stores
from custom_components.vehicle_remote_access.api.commands import CHARGE_STOP
from custom_components.vehicle_remote_access.api.records import ChargeState
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator.faults.faults import ResponseFault

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


async def _let_car_sleep(home: Home) -> None:
    """Put the car to sleep and wait until that is shown."""
    home.car.fall_asleep()
    await home.advance(65)
    assert home.shown(*STATE).state == "asleep"
    home.simulator.requests.clear()


def _sent(home: Home, command: str) -> int:
    return len(home.requests(f"/command/{command}"))


# Polling


async def test_parked_car_falls_asleep(home: Home) -> None:
    """A parked car is left alone until it falls asleep, and its values stay shown."""
    before = home.states()
    await home.advance(HOUR, step=20)
    assert home.car.state == "asleep"
    assert home.shown(*STATE).state == "asleep"
    after = home.states()
    changed = {entity for entity in before if before[entity] != after[entity]}
    assert not {entity for entity in changed if after[entity] in ("unknown", "unavailable")}


async def test_sleeping_car_gets_no_request(home: Home) -> None:
    """A sleeping car is neither read nor woken. Only the account's list is requested."""
    await _let_car_sleep(home)
    await home.advance(2 * HOUR, step=20)
    assert set(home.requests()) == {"/api/1/vehicles"}
    assert home.car.state == "asleep"


async def test_setup_does_not_wake_the_car(empty_home: Home) -> None:
    """A car that sleeps during setup is not woken, and values that were never read are unknown."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert empty_home.entry.state is ConfigEntryState.LOADED
    assert empty_home.shown(*STATE).state == "asleep"
    assert empty_home.shown(*LOCK).state == "unknown"
    assert empty_home.shown(*BATTERY).state == "unknown"
    assert not empty_home.requests("/vehicle_data")
    assert not empty_home.requests("/wake_up")


async def test_optional_equipment_appears_once_known(empty_home: Home) -> None:
    """The sunroof's entity is added once the car is awake and reports a sunroof."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert not [entity for entity in empty_home.states() if "sun_roof" in entity]
    empty_home.car.wake()
    await empty_home.advance(65)
    assert empty_home.shown("cover", "vehicle_state.sun_roof_percent_open").state == "closed"


async def test_wake_is_detected_within_a_minute(home: Home) -> None:
    """A car that a person wakes is read as soon as the list shows it as online."""
    await _let_car_sleep(home)
    home.car.enter()
    await home.advance(65)
    assert home.shown(*STATE).state == "online"
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"


async def test_driving_car_is_read_every_minute(home: Home) -> None:
    """A car is read every minute while it drives."""
    home.car.unplug()
    home.car.drive(20)
    await home.advance(90)
    home.simulator.requests.clear()
    await home.advance(600)
    assert 9 <= len(home.requests("/vehicle_data")) <= 11
    assert home.shown("binary_sensor", "drive_state.shift_state").state == "on"


async def test_update_entity_reads_an_awake_car(home: Home) -> None:
    """`homeassistant.update_entity` reads the car at once, even during its quiet period."""
    await async_setup_component(home.hass, "homeassistant", {})
    await home.advance(600, step=20)
    home.car.set_level(33)
    await home.hass.services.async_call(
        "homeassistant", "update_entity", {"entity_id": home.entity_id(*BATTERY)}, blocking=True
    )
    assert home.shown(*BATTERY).state == "33"


async def test_update_entity_leaves_a_sleeping_car_asleep(home: Home) -> None:
    """`homeassistant.update_entity` requests the state of a sleeping car, and does not wake it."""
    await async_setup_component(home.hass, "homeassistant", {})
    await _let_car_sleep(home)
    await home.hass.services.async_call(
        "homeassistant", "update_entity", {"entity_id": home.entity_id(*BATTERY)}, blocking=True
    )
    assert home.requests() == [f"/api/1/vehicles/{home.car.id}"]
    assert home.car.state == "asleep"


async def test_only_changed_states_are_written(home: Home) -> None:
    """If one value changes, its entity writes its state, and entities of other values don't."""
    written: list[str] = []

    @callback
    def record_write(event: Event[Any]) -> None:
        written.append(event.data["entity_id"])

    # "state_reported" means that a state was written without a change.
    home.hass.bus.async_listen("state_reported", record_write, event_filter=callback(lambda _data: True))
    home.hass.bus.async_listen("state_changed", record_write)
    home.car.body.sentry = True
    await home.poll()
    assert home.entity_id("binary_sensor", "vehicle_state.sentry_mode") in written
    assert home.entity_id(*LOCK) not in written
    assert home.entity_id(*BATTERY) not in written


# Services without some of the endpoints


async def _set_up_by_id(home: Home) -> None:
    """Add the car by its id, to a service without a list."""
    home.simulator.switches.list = False
    form = await home.start_flow("account")
    form = await home.submit(form, base_url=home.simulator.url, access_token=home.simulator.token)
    result = await home.submit(form, id=str(home.car.id))
    assert result["type"] == "create_entry", result
    await home.idle()


async def test_without_a_list_the_record_is_requested(empty_home: Home) -> None:
    """If the service has no list, the car's own record shows whether the car sleeps."""
    await _set_up_by_id(empty_home)
    await _let_car_sleep(empty_home)
    await empty_home.advance(240)
    empty_home.simulator.requests.clear()
    await empty_home.advance(600)
    assert set(empty_home.requests()) == {f"/api/1/vehicles/{empty_home.car.id}"}


async def test_404_after_a_restart_disables_no_endpoint(hass_storage: dict[str, Any], home: Home) -> None:
    """A few 404 responses right after a restart don't mark the endpoints as missing."""
    home.simulator.faults.answer(404, only="/vehicle_data")
    home.simulator.faults.answer(404, only="/api/1/vehicles", times=2)
    await home.restart()
    home.car.enter()
    await home.advance(190)
    assert home.entry.runtime_data.service.has_list
    assert home.requests()[-1].endswith("/vehicle_data")
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"


async def test_refused_token_with_live_reads_only(hass_storage: dict[str, Any], home: Home) -> None:
    """If only live reads exist, a refused token starts reauthentication, and setup is not retried."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    for subentry in home.entry.subentries:
        await remove_stores(home.hass, subentry)
    for path in ("/api/1/vehicles", f"/api/1/vehicles/{home.car.id}"):
        home.simulator.faults.serve("GET", path, {"error": "not_found"}, 404)
    home.simulator.faults.answer(401, only="_data", times=100)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()
    assert home.entry.state is ConfigEntryState.SETUP_ERROR
    flows = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    assert [flow["context"]["source"] for flow in flows] == [SOURCE_REAUTH]


@pytest.mark.parametrize("how", ["missing", "null", "a list"])
async def test_incomplete_answer_is_read_again(home: Home, how: str) -> None:
    """If an answer lacks a record that the car usually reports, the car is read again soon."""
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


async def test_permanently_missing_record_lets_the_car_sleep(home: Home) -> None:
    """A car that no longer reports one of its records still falls asleep."""
    home.simulator.faults.remove("gui_settings")
    await home.poll()
    await home.advance(60 * 60, step=20)
    assert home.car.state == "asleep"


def _serve_no_record(home: Home) -> None:
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}", {"error": "not_found"}, 404)


async def test_car_sleeps_with_live_reads_only(empty_home: Home) -> None:
    """If only live reads exist, they are rare enough for the car to sleep, and they don't wake it."""
    _serve_no_record(empty_home)
    await _set_up_by_id(empty_home)
    await empty_home.advance(HOUR, step=20)
    assert empty_home.car.state == "asleep"
    assert empty_home.shown(*STATE).state == "asleep"
    assert not empty_home.requests("/wake_up")
    empty_home.car.enter()
    await empty_home.advance(125)
    assert empty_home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"


async def test_records_without_a_state(empty_home: Home) -> None:
    """Without a reported state, an answer means that the car is awake, and the car can still fall asleep."""
    _serve_no_record(empty_home)
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
    """If the current endpoint is missing, the legacy endpoint is used, and its booleans are understood."""
    empty_home.simulator.switches.profile = "legacy-2018"
    empty_home.car.heat_seat("left", 2)
    await empty_home.set_up()
    assert empty_home.shown("sensor", "climate_state.seat_heater_left").state == "on"
    assert empty_home.shown(*BATTERY).state == "72"


async def test_one_404_does_not_disable_the_list(home: Home) -> None:
    """After a single 404, the list is still requested."""
    home.simulator.faults.answer(404, body={"error": "not_found"}, only="/api/1/vehicles")
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(300)
    assert set(home.requests()) <= {"/api/1/vehicles", f"/api/1/vehicles/{home.car.id}/vehicle_data"}
    assert "/api/1/vehicles" in home.requests()


@pytest.mark.parametrize("cars", [2])
async def test_failing_record_does_not_affect_other_car(home: Home) -> None:
    """Without a list, a failing record of one car does not affect the other car."""
    broken, working = home.simulator.vehicles
    home.simulator.switches.list = False
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.idle()
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{broken.id}", {"error": "internal"}, 500)
    working.enter()
    await home.advance(65)
    assert home.shown("binary_sensor", "vehicle_state.is_user_present", working.vin).state == "on"


async def test_self_check_does_not_count_as_use(home: Home) -> None:
    """A car that wakes by itself is watched for three minutes, then left alone, and soon sleeps again."""
    await home.advance(400, step=20)
    await _let_car_sleep(home)
    home.car.wake()
    await home.advance(20 * 60, step=20)
    assert 3 <= len(home.requests("/vehicle_data")) <= 4
    assert home.car.state == "asleep"


async def test_coverage_change_does_not_count_as_use(home: Home) -> None:
    """A car that repeatedly loses and regains coverage falls asleep."""
    await home.advance(400, step=20)
    for _ in range(3):
        home.car.coverage(on=False)
        await home.advance(120, step=20)
        home.car.coverage(on=True)
        await home.advance(480, step=20)
    assert home.car.state == "asleep"


async def test_unknown_state_means_unreachable(home: Home) -> None:
    """A car in an unknown state is not read, even if it was in use before."""
    home.car.sentry(on=True)
    await home.poll()
    home.simulator.faults.corrupt("state", "hibernating")
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(600, step=20)
    assert not home.requests("/vehicle_data")
    assert home.shown(*STATE).state == "unknown"


async def test_car_out_of_coverage_is_not_shown_as_asleep(home: Home) -> None:
    """If the service reports a lost car as offline, it is shown as offline at once, and never as asleep."""
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


async def test_answer_of_the_car_overrides_listed_state(home: Home) -> None:
    """A car that answers that it is asleep is shown as asleep, even if the list says online."""
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
async def test_update_of_all_entities_is_one_read(home: Home) -> None:
    """Updating all entities of a car at once reads the car once."""
    await async_setup_component(home.hass, "homeassistant", {})
    await home.advance(600, step=20)
    home.simulator.requests.clear()
    entity_ids = list(home.states())
    await home.hass.services.async_call(
        "homeassistant", "update_entity", {"entity_id": entity_ids}, blocking=True
    )
    assert len(home.requests("/vehicle_data")) == 1


async def test_failed_read_is_retried_after_a_minute(home: Home) -> None:
    """A read that fails at the end of the quiet period is retried after a minute."""
    home.simulator.switches.unlocked_blocks_sleep = True
    home.car.unlock()
    await home.advance(600, step=20)
    home.simulator.faults.answer(500, only="/vehicle_data")
    await home.advance(2200, step=20)
    assert home.simulator.faults.next_fault("/vehicle_data") is None
    reads = [request.status for request in home.simulator.requests if "/vehicle_data" in request.path]
    assert reads[-2:] == [500, 200]


# Failures


async def test_values_expire_after_15_minutes(home: Home) -> None:
    """If the service is down, values become unavailable after 15 minutes, and return with the service."""
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(14 * 60)
    assert home.shown(*BATTERY).state == "72"
    await home.advance(3 * 60)
    assert home.shown(*BATTERY).state == "unavailable"
    home.simulator.faults.clear()
    await home.advance(6.5 * 60)
    assert home.shown(*BATTERY).state == "72"


async def test_one_failed_read_changes_no_state(home: Home) -> None:
    """A single failed read changes no state."""
    before = home.states()
    home.simulator.faults.answer(500, only="/vehicle_data")
    await home.poll()
    assert home.states() == before


@pytest.mark.parametrize("cars", [2])
async def test_failing_car_does_not_affect_other_car(home: Home) -> None:
    """A car that can't be read does not affect the other car."""
    broken, working = home.simulator.vehicles
    home.simulator.faults.answer(500, times=10_000, only=f"{broken.id}/vehicle_data")
    working.enter()
    await home.advance(65)
    assert home.shown("binary_sensor", "vehicle_state.is_user_present", working.vin).state == "on"


async def test_rejected_token_starts_reauthentication(home: Home) -> None:
    """A rejected token starts one reauthentication flow and stops all requests."""
    home.simulator.token = "another"
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(600)
    flows = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    assert [flow["context"]["source"] for flow in flows] == [SOURCE_REAUTH]
    assert not home.requests()


async def test_rejected_token_makes_values_unavailable(home: Home) -> None:
    """Values become unavailable if the token is rejected."""
    home.simulator.token = "another"
    await home.advance(65)
    assert home.shown(*BATTERY).state == "unavailable"


async def test_rate_limit_applies_to_the_account(home: Home) -> None:
    """After a 429, nothing is sent until the requested pause ends. A command's error says how long it is."""
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
    """A car in service is shown as such and keeps its values, until it is back."""
    home.car.service(on=True)
    await home.poll()
    assert home.shown("binary_sensor", "in_service").state == "on"
    assert home.shown(*BATTERY).state == "72"
    home.car.service(on=False)
    await home.advance(65)
    assert home.shown("binary_sensor", "in_service").state == "off"


async def test_answer_ends_in_service_without_the_field(home: Home) -> None:
    """A car that answers again is no longer in service, even if its record lacks the field."""
    home.car.service(on=True)
    await home.poll()
    home.car.service(on=False)
    home.simulator.faults.remove("in_service")
    await home.poll()
    assert home.shown("binary_sensor", "in_service").state == "off"


# Commands


async def test_command_wakes_the_car_once(home: Home) -> None:
    """A command to a sleeping car wakes it, waits until it is online, and is sent once."""
    await _let_car_sleep(home)
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert len(home.requests("/wake_up")) == 1
    assert _sent(home, "door_unlock") == 1
    assert not home.car.body.locked
    assert home.shown(*LOCK).state == "unlocked"


async def test_commands_share_one_wake(home: Home) -> None:
    """Commands that wait for the same car wake it once and are sent in the order of their requests."""
    await _let_car_sleep(home)
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


async def test_command_fails_if_the_car_does_not_wake(home: Home) -> None:
    """A command to a car that stays out of coverage fails after a minute, without being sent."""
    await _let_car_sleep(home)
    home.car.coverage(on=False)
    (ended,) = await home.while_time_passes(_unlock(home))
    assert "did not wake up" in str(ended)
    assert not _sent(home, "door_unlock")


async def test_commands_share_a_failed_wake(home: Home) -> None:
    """Commands that wait for an unreachable car fail together, after one minute and one wake-up request."""
    await _let_car_sleep(home)
    home.car.coverage(on=False)
    ended = await home.while_time_passes(_unlock(home), _lock(home), _unlock(home))
    assert ["did not wake up" in str(error) for error in ended] == [True, True, True]
    assert len(home.requests("/wake_up")) == 1
    assert not home.requests("/command/")


async def test_only_newest_setpoint_is_sent(home: Home) -> None:
    """Of several charge limits that wait for a sleeping car, only the newest is sent."""
    await _let_car_sleep(home)
    limits = [
        home.call("number", "set_value", "charge_state.charge_limit_soc", value=n) for n in (60, 70, 95)
    ]
    assert await home.while_time_passes(*limits) == [None, None, None]
    sent = [
        request.query for request in home.simulator.requests if request.path.endswith("/set_charge_limit")
    ]
    assert sent == [{"percent": "95"}]


async def test_canceled_call_does_not_cancel_the_next(home: Home) -> None:
    """A charge limit is sent for the second call, even if the first call was canceled."""
    await _let_car_sleep(home)
    number = ("number", "set_value", "charge_state.charge_limit_soc")
    first = asyncio.ensure_future(home.call(*number, value=60))
    second = asyncio.ensure_future(home.call(*number, value=70))

    async def cancel_first() -> None:
        first.cancel()

    ended = await home.while_time_passes(second, cancel_first())
    assert ended == [None, None]
    assert home.shown("number", "charge_state.charge_limit_soc").state == "70"
    assert len(home.requests("/set_charge_limit")) == 1


@pytest.mark.parametrize("first", ["driver", "passenger"])
async def test_both_temperatures_in_one_command(home: Home, first: str) -> None:
    """Temperatures of driver and passenger that are set together are sent in one command."""
    await _let_car_sleep(home)
    both = [
        home.call("climate", "set_temperature", "climate_state", temperature=23),
        home.call("number", "set_value", "climate_state.passenger_temp_setting", value=18),
    ]
    if first == "passenger":
        both.reverse()
    assert await home.while_time_passes(*both) == [None, None]
    sent = [request.query for request in home.simulator.requests if request.path.endswith("/set_temps")]
    assert sent == [{"driver_temp": "23.0", "passenger_temp": "18.0"}]


async def test_unknown_driver_temperature_is_kept(empty_home: Home) -> None:
    """If only the passenger's temperature is set, an unknown driver's temperature is read and kept."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    number = empty_home.call("number", "set_value", "climate_state.passenger_temp_setting", value=18)
    assert await empty_home.while_time_passes(number) == [None]
    sent = [request.query for request in empty_home.simulator.requests if request.path.endswith("/set_temps")]
    assert sent == [{"driver_temp": "21.0", "passenger_temp": "18.0"}]


async def test_both_temperatures_of_a_car_never_read(empty_home: Home) -> None:
    """Both temperatures are sent in one command, even if the car was never read."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    ended = await empty_home.while_time_passes(
        empty_home.call("number", "set_value", "climate_state.passenger_temp_setting", value=18),
        empty_home.call("climate", "set_temperature", "climate_state", temperature=23),
    )
    assert ended == [None, None]
    sent = [request.query for request in empty_home.simulator.requests if request.path.endswith("/set_temps")]
    assert sent == [{"driver_temp": "23.0", "passenger_temp": "18.0"}]


async def test_failed_wake_up_request_is_retried(home: Home) -> None:
    """A failed wake-up request is retried."""
    await _let_car_sleep(home)
    home.simulator.faults.answer(502, only="/wake_up")
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert not home.car.body.locked


@pytest.mark.parametrize(("status", "expected"), [(502, "service fails"), (408, "did not wake up")])
async def test_failed_wake_up_requests_name_the_cause(home: Home, status: int, expected: str) -> None:
    """If all wake-up requests fail, the error says whether the service or the car is the cause."""
    home.car.fall_asleep()
    await home.advance(65)
    body = {"response": None, "error": "vehicle unavailable" if status == 408 else "bad gateway"}
    home.simulator.faults.answer(status, body=body, only="/wake_up", times=1000)
    ended = await home.while_time_passes(_unlock(home), home.call("button", "press", "flash_lights"))
    assert [expected in str(error) for error in ended] == [True, True]
    assert not home.requests("/command/")


async def test_waiting_command_is_not_sent_after_unload(home: Home) -> None:
    """A command that waits for the car to wake is not sent after the account was unloaded."""
    await _let_car_sleep(home)

    async def unload() -> None:
        await home.hass.config_entries.async_unload(home.entry.entry_id)

    ended, _ = await home.while_time_passes(_unlock(home), unload())
    assert "was not sent" in str(ended)
    assert not _sent(home, "door_unlock")


async def test_command_to_a_car_that_just_fell_asleep(home: Home) -> None:
    """A command to a car that has just fallen asleep wakes the car and is sent again."""
    home.car.fall_asleep()
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert len(home.requests("/wake_up")) == 1
    assert not home.car.body.locked


async def test_refused_command_raises_the_reason(home: Home) -> None:
    """A refused command raises an error with the car's reason, and changes no state."""
    home.car.unplug()
    with pytest.raises(HomeAssistantError, match="no cable is plugged in"):
        await home.call("switch", "turn_on", "charge_state.charging_state")
    assert home.shown("switch", "charge_state.charging_state").state == "off"


async def test_stopping_a_stopped_charge_is_no_error(home: Home) -> None:
    """Stopping a charge that does not run is no error, and the state that the car reports is shown."""
    home.car.unplug()
    await home.call("switch", "turn_off", "charge_state.charging_state")
    assert _sent(home, "charge_stop") == 1
    assert home.shown("sensor", "charge_state.charging_state").state == "disconnected"


async def test_command_never_shows_expired_values(home: Home) -> None:
    """If a lost car answers a command, its old values are not shown before the new ones."""
    charging_state = ("sensor", ChargeState.charging_state.path)
    before = home.shown(*charging_state).state
    failing = home.simulator.faults.inject(ResponseFault(status=500, only="/vehicle_data"), times=1000)
    home.car.unplug()
    home.car.drive(60)
    await home.advance(20 * 60, step=20)
    assert home.shown(*charging_state).state == "unavailable"
    home.simulator.faults.withdraw(failing)
    written = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    await home.coordinator.commands.async_send(CHARGE_STOP)
    await home.hass.async_block_till_done()
    states = [
        event.data["new_state"].state
        for event in written
        if event.data["entity_id"] == home.entity_id(*charging_state)
    ]
    assert states == ["disconnected"]
    assert before != "disconnected"


async def test_unneeded_command_succeeds_if_the_read_fails(home: Home) -> None:
    """A command that was not needed succeeds if the read after it fails. A later read shows the state."""
    home.car.unplug()
    home.simulator.faults.answer(500, only="/vehicle_data")
    await home.call("switch", "turn_off", "charge_state.charging_state")
    await home.advance(5)
    assert home.shown("sensor", "charge_state.charging_state").state == "disconnected"


async def test_expected_state_is_corrected_by_the_next_read(home: Home) -> None:
    """If the car accepts a command without effect, the expected state is shown until the next read."""
    path = f"/api/1/vehicles/{home.car.id}/command/door_unlock"
    home.simulator.faults.serve("POST", path, {"response": {"result": True, "reason": ""}})
    await _unlock(home)
    assert home.shown(*LOCK).state == "unlocked"
    await home.advance(5)
    assert home.shown(*LOCK).state == "locked"


async def test_command_is_confirmed_without_polling(home: Home) -> None:
    """With polling disabled, a command is still confirmed by reads."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.idle()
    home.simulator.requests.clear()
    await _unlock(home)
    await home.advance(300)
    assert len(home.requests("/vehicle_data")) == 2


async def test_toggle_is_sent_only_if_needed(home: Home) -> None:
    """Opening the trunk does not toggle a trunk that is open already."""
    home.car.open("rt")
    await home.call("cover", "open_cover", TRUNK[1])
    assert not _sent(home, "actuate_trunk")
    assert home.shown(*TRUNK).state == "open"


async def test_toggle_is_not_sent_if_position_is_unknown(home: Home) -> None:
    """The trunk is not toggled if the car does not report its position."""
    home.simulator.faults.remove("vehicle_state.rt")
    with pytest.raises(HomeAssistantError, match="does not say"):
        await home.call("cover", "open_cover", TRUNK[1])
    assert not _sent(home, "actuate_trunk")


async def test_trunk_opened_after_the_last_read_is_not_toggled(home: Home) -> None:
    """A trunk that was opened since the last read is not toggled, even if the car has fallen asleep."""
    home.car.open("rt")
    home.car.close("rt")
    await home.poll()
    home.car.fall_asleep()
    home.car.body.openings["rt"] = True
    assert await home.while_time_passes(home.call("cover", "open_cover", TRUNK[1])) == [None]
    assert not _sent(home, "actuate_trunk")
    assert home.shown(*TRUNK).state == "open"


async def test_trunk_closed_after_the_last_read_is_opened(home: Home) -> None:
    """A trunk that was closed since the last read is opened, even if the car has fallen asleep."""
    home.car.open("rt")
    await home.poll()
    home.car.close("rt")
    home.car.fall_asleep()
    assert await home.while_time_passes(home.call("cover", "open_cover", TRUNK[1])) == [None]
    assert _sent(home, "actuate_trunk") == 1
    assert home.car.body.openings["rt"]


@pytest.mark.parametrize("command", ["actuate_trunk", "honk_horn"])
async def test_toggle_and_horn_are_not_retried(home: Home, command: str) -> None:
    """If it is unknown whether the car got a toggle or the horn command, it is not sent again."""
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
async def test_failed_toggle_is_not_retried(home: Home, status: int) -> None:
    """A toggle without an answer is not sent again, and the error says that its outcome is unknown."""
    home.simulator.faults.answer(status, only="actuate_trunk")
    with pytest.raises(HomeAssistantError, match="nobody can tell"):
        await home.call("cover", "open_cover", TRUNK[1])
    await home.advance(60)
    assert _sent(home, "actuate_trunk") == 1


async def test_command_is_retried_while_the_buses_sleep(home: Home) -> None:
    """A command is sent again some seconds later if the car's internal network was asleep."""
    answer: dict[str, Any] = {"response": {"result": False, "reason": "could_not_wake_buses"}}
    home.simulator.faults.answer(200, body=answer, times=2, only="door_unlock")
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert _sent(home, "door_unlock") == 3
    assert not home.car.body.locked


async def test_retries_while_the_buses_sleep_are_limited(home: Home) -> None:
    """A command fails after several retries if the car's internal network stays asleep."""
    answer: dict[str, Any] = {"response": {"result": False, "reason": "could_not_wake_buses"}}
    home.simulator.faults.answer(200, body=answer, times=100, only="door_unlock")
    (ended,) = await home.while_time_passes(_unlock(home))
    assert "its own network is not" in str(ended)
    assert _sent(home, "door_unlock") == 4


# The account and the device


async def test_unique_id_of_the_account_is_the_user(home: Home) -> None:
    """After the first read, the entry's unique id is the user's id, so the account can't be added twice."""
    assert re.fullmatch(r"\d+", home.entry.unique_id or "")


async def test_rename_does_not_reload(home: Home) -> None:
    """Renaming the account does not reload it."""
    account = home.entry.runtime_data
    home.hass.config_entries.async_update_entry(home.entry, title="My cars")
    await home.idle()
    assert home.entry.runtime_data is account


async def test_new_token_reloads(home: Home) -> None:
    """A new token reloads the account."""
    account = home.entry.runtime_data
    home.simulator.token = "fresh"
    home.hass.config_entries.async_update_entry(home.entry, data={**home.entry.data, "access_token": "fresh"})
    await home.idle()
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.entry.runtime_data is not account


@pytest.mark.parametrize("cars", [2])
async def test_removed_vehicle_does_not_affect_other_vehicle(home: Home) -> None:
    """Removing a vehicle removes its device and entities, and no others."""
    removed, remaining = home.simulator.vehicles
    subentry = next(
        subentry for subentry in home.entry.subentries.values() if subentry.unique_id == removed.vin
    )
    home.hass.config_entries.async_remove_subentry(home.entry, subentry.subentry_id)
    await home.idle()
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert {device.serial_number for device in devices} == {None, remaining.vin}
    assert home.shown(*LOCK, remaining.vin).state in ("locked", "unlocked")


async def test_device_describes_the_car(home: Home) -> None:
    """The device has the car's name, model, VIN and software version."""
    device = home.device
    assert device.name == home.car.name
    assert device.manufacturer == "Tesla"
    assert device.model == "Model S P90D 2019"
    assert device.serial_number == home.car.vin
    assert device.sw_version
    assert " " not in device.sw_version


async def test_device_survives_a_restart(home: Home) -> None:
    """A restart while the car sleeps does not change the device."""
    await _let_car_sleep(home)
    before = home.device
    await home.restart()
    after = home.device
    assert (after.model, after.model_id, after.sw_version) == (
        before.model,
        before.model_id,
        before.sw_version,
    )
    assert after.model == "Model S P90D 2019"


async def test_device_shows_new_software(home: Home) -> None:
    """A new software version is shown on the device."""
    home.simulator.faults.corrupt("vehicle_state.car_version", "2030.1.2 abcdef")
    await home.poll()
    assert home.device.sw_version == "2030.1.2"


async def test_service_down_at_start(hass_storage: dict[str, Any], home: Home) -> None:
    """If the service is down at startup and nothing is stored, Home Assistant retries setup."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    hass_storage.clear()
    home.simulator.faults.answer(503)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    states = [home.entry.state]
    await home.advance(30)
    states.append(home.entry.state)
    assert states == [ConfigEntryState.SETUP_RETRY, ConfigEntryState.LOADED]


async def test_reading_one_record_does_not_delay_polling(home: Home) -> None:
    """Reading a single record again and again does not delay the regular reads."""
    await home.call("switch", "turn_on", "charge_state.charging_state")
    await home.advance(30)
    home.simulator.requests.clear()
    for _ in range(20):
        await home.act("get_vehicle_data", record="drive_state")
        await home.advance(30)
    assert len(home.requests("/vehicle_data")) >= 9


async def test_reading_one_record_restarts_the_quiet_period(home: Home) -> None:
    """Reading a single record restarts the quiet period, so the car can fall asleep after it."""
    for _ in range(4):
        await home.advance(500, step=20)
        await home.act("get_vehicle_data", record="drive_state")
    home.simulator.requests.clear()
    await home.advance(900, step=20)
    assert not home.requests("/vehicle_data")
    assert home.car.state == "asleep"


async def test_unload_stops_wake_up_requests(home: Home) -> None:
    """After unloading, waiting commands send no more wake-up requests."""
    await _let_car_sleep(home)
    home.simulator.faults.answer(503, times=100, only="/wake_up")

    async def unload() -> None:
        await asyncio.sleep(5)
        await home.hass.config_entries.async_unload(home.entry.entry_id)
        home.simulator.requests.clear()

    await home.while_time_passes(_lock(home), home.call("button", "press", "flash_lights"), unload())
    assert not home.requests("/wake_up")
