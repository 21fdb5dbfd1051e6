"""How the car is asked, and how it is told what to do."""

import re
from typing import Any, Final

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.core import Event, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home

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


@pytest.mark.parametrize("cars", [3])
async def test_one_cheap_request_serves_all_cars(home: Home) -> None:
    """Three sleeping cars cost one request a minute, not three."""
    for car in home.simulator.vehicles:
        if car.charging.plugged:
            car.unplug()
        car.fall_asleep()
    await home.advance(120)
    home.simulator.requests.clear()
    await home.advance(600)
    assert set(home.requests()) == {"/api/1/vehicles"}
    assert 9 <= len(home.requests()) <= 11


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


async def test_without_a_list_each_car_is_asked_for(empty_home: Home) -> None:
    """Where the service lists no vehicles, the single record tells whether the car sleeps."""
    empty_home.simulator.switches.list = False
    form = await empty_home.start_flow("account")
    form = await empty_home.submit(
        form, base_url=empty_home.simulator.url, access_token=empty_home.simulator.token
    )
    await empty_home.submit(form, id=str(empty_home.car.id))
    await empty_home.idle()
    await _asleep(empty_home)
    await empty_home.advance(600)
    assert set(empty_home.requests()) == {f"/api/1/vehicles/{empty_home.car.id}"}


async def test_without_any_cheap_request_the_car_still_sleeps(home: Home) -> None:
    """Where only live reads are left, they are rare enough for the car to fall asleep, and do not wake it."""
    home.simulator.switches.list = False
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}", {"error": "not_found"}, 404)
    await home.advance(HOUR, step=20)
    assert home.car.state == "asleep"
    assert home.shown(*STATE).state == "asleep"
    assert not home.requests("/wake_up")


async def test_legacy_service(home: Home) -> None:
    """Where the current read is not found, the legacy one serves, and its booleans are understood."""
    home.simulator.switches.profile = "legacy-2018"
    home.car.heat_seat("left", 2)
    await home.poll()
    assert home.shown("sensor", "climate_state.seat_heater_left").state == "on"
    assert home.shown(*BATTERY).state == "72"


# What goes wrong


async def test_silence_is_borne_for_a_while(home: Home) -> None:
    """With the service down, values stay for 15 minutes, then are unavailable, and come back with it."""
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(14 * 60)
    assert home.shown(*BATTERY).state == "72"
    await home.advance(3 * 60)
    assert home.shown(*BATTERY).state == "unavailable"
    home.simulator.faults.clear()
    await home.advance(65)
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


async def test_rejected_token_at_a_command(home: Home) -> None:
    """A command with a token that is no longer accepted says so and opens the dialog for a new one."""
    home.simulator.token = "another"
    with pytest.raises(HomeAssistantError, match="does not accept the access token"):
        await _unlock(home)
    await home.idle()
    flows = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    assert [flow["context"]["source"] for flow in flows] == [SOURCE_REAUTH]


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


async def test_car_that_fell_asleep_unseen(home: Home) -> None:
    """A command to a car that has just fallen asleep wakes it and is sent again, having reached nobody."""
    home.car.fall_asleep()
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert len(home.requests("/wake_up")) == 1
    assert not home.car.body.locked


async def test_refusal_says_why(home: Home) -> None:
    """A refused command is an error with the car's reason, and nothing changes."""
    home.car.unplug()
    with pytest.raises(HomeAssistantError, match="disconnected"):
        await home.call("switch", "turn_on", "charge_state.charging_state")
    assert home.shown("switch", "charge_state.charging_state").state == "off"


async def test_refusal_that_means_it_is_so_already(home: Home) -> None:
    """Stopping what does not charge is no error."""
    await home.call("switch", "turn_off", "charge_state.charging_state")
    assert _sent(home, "charge_stop") == 1


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
    assert "could_not_wake_buses" in str(ended)
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
    assert [device.serial_number for device in devices] == [kept.vin]
    assert home.shown(*LOCK, kept.vin).state in ("locked", "unlocked")


async def test_device_tells_the_car(home: Home) -> None:
    """The device has the car's name, model, VIN and software."""
    (device,) = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert device.name == home.car.name
    assert device.model == "Model S P90D"
    assert device.serial_number == home.car.vin
    assert device.sw_version
    assert " " not in device.sw_version


async def test_device_keeps_up_with_the_software(home: Home) -> None:
    """New software is shown on the device's page."""
    home.simulator.faults.corrupt("vehicle_state.car_version", "2030.1.2 abcdef")
    await home.poll()
    (device,) = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert device.sw_version == "2030.1.2"


async def test_service_down_at_start(home: Home) -> None:
    """With the service down at start, Home Assistant tries again by itself."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    home.simulator.faults.answer(503)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    states = [home.entry.state]
    await home.advance(30)
    states.append(home.entry.state)
    assert states == [ConfigEntryState.SETUP_RETRY, ConfigEntryState.LOADED]
