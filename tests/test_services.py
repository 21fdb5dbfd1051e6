"""Actions: their data, commands, responses, targets and errors."""

from collections.abc import Awaitable, Mapping
from datetime import date, timedelta
from typing import Any, Final

from homeassistant.components.calendar import CalendarEvent
from homeassistant.components.calendar.const import DATA_COMPONENT
from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
import voluptuous as vol

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator.http.car_records import (
    SEPARATE_RECORDS,
    full_record,
    service_data,
)

from .calendar_entity import Calendar
from .conftest import BATTERY, NOON, Home

SEND_CALENDAR: Final = "upcoming_calendar_entries"
CALENDAR: Final = "calendar.family"

# Secret fields, by their names in the interface document
SECRET_FIELDS: Final = {"tokens", "backseat_token", "backseat_token_updated_at", "user_id"}

two_cars = pytest.mark.parametrize("cars", [2])


async def _query(home: Home, action: str, **data: Any) -> dict[str, Any]:
    response = await home.act(action, **data)
    assert response is not None
    return dict(response)


async def _error(operation: Awaitable[Any]) -> HomeAssistantError:
    with pytest.raises(HomeAssistantError) as error:
        await operation
    return error.value


async def _refusal(operation: Awaitable[Any]) -> str:
    """Return the text of the error of an action that refuses its data, or whose schema does."""
    with pytest.raises((ServiceValidationError, vol.Invalid)) as error:
        await operation
    return str(error.value)


def _is_undisturbed(home: Home) -> bool:
    """Return whether the car received no command and no wake-up."""
    return not home.requests("/command/") and not home.requests("/wake_up")


# Data of actions

VALUE: Final = "The service does not accept this value: "

# The values of each parameter are tested in api/test_commands.py.
WRONG: Final[tuple[tuple[str, Mapping[str, Any], str], ...]] = (
    # Missing, or null, which counts as missing
    ("remote_start_drive", {}, "password is missing"),
    ("remote_start_drive", {"password": None}, "password is missing"),
    (SEND_CALENDAR, {}, "calendar_entity_id"),
    (SEND_CALENDAR, {"calendar_data": None}, "calendar_data is missing"),
    ("set_temps", {}, "driver_temp is missing"),
    # 83 is the YAML octal of 0123.
    ("set_valet_mode", {"on": True, "password": 83}, "password must be exactly four digits"),
    ("remote_start_drive", {"password": ""}, f"{VALUE}password"),
    # The car's own range
    ("set_temps", {"driver_temp": 14.5}, "driver_temp must be between 15 and 26"),
    ("set_temps", {"driver_temp": 21, "passenger_temp": 26.5}, "passenger_temp must be between 15 and 26"),
    (SEND_CALENDAR, {"calendar_data": {"day": date(2020, 3, 14)}}, f"{VALUE}calendar_data"),
    (SEND_CALENDAR, {"calendar_data": {}, "calendar_entity_id": CALENDAR}, "events"),
    (SEND_CALENDAR, {"calendar_entity_id": "calendar.gone"}, "The calendar calendar.gone does not exist"),
    (SEND_CALENDAR, {"calendar_entity_id": "sensor.family"}, "calendar_entity_id"),
    (SEND_CALENDAR, {"calendar_entity_id": CALENDAR, "hours": 0}, "hours"),
    (SEND_CALENDAR, {"calendar_entity_id": CALENDAR, "hours": 337}, "hours"),
)


async def test_missing_or_invalid_value_is_refused_and_the_car_is_not_woken(home: Home) -> None:
    home.simulator.faults.corrupt("climate_state.max_avail_temp", 26)
    await home.poll()
    await home.let_car_sleep()
    for action, data, text in WRONG:
        assert text in await _refusal(home.act(action, **data)), (action, data)
    assert _is_undisturbed(home)


async def test_sent_data(home: Home) -> None:
    """Null is left out, because templates can return it. YAML reads an unquoted `on` as true."""
    values: dict[Any, Any] = {"device_id": home.device.id, True: True, "password": None}
    await home.hass.services.async_call(DOMAIN, "set_valet_mode", values, blocking=True)
    assert home.queries("set_valet_mode") == [{"on": "true"}]


# Responses


async def test_response_has_all_data_but_secret_fields_and_entities_show_it_at_once(home: Home) -> None:
    home.car.set_level(41)
    expected = full_record(home.car)
    expected["charge_state"]["undocumented"] = 1.21
    expected["vehicle_state"]["drivers"] = [{"seat": 1}]
    home.simulator.faults.corrupt("charge_state.undocumented", 1.21)
    drivers = [{"seat": 1, **{name: ["secret"] for name in SECRET_FIELDS}}]
    home.simulator.faults.corrupt("vehicle_state.drivers", drivers)
    for name in SECRET_FIELDS:
        home.simulator.faults.corrupt(f"vehicle_state.{name}", "secret")
    response = await _query(home, "get_vehicle_data")
    assert response == {name: value for name, value in expected.items() if name not in SECRET_FIELDS}
    assert home.shown(*BATTERY).state == "41"


async def test_record_is_returned_as_sent_and_the_legacy_one_has_more_fields(home: Home) -> None:
    for record in SEPARATE_RECORDS:
        assert await _query(home, "get_vehicle_data", record=record) == full_record(home.car)[record]
    legacy = await _query(home, "get_vehicle_data", record="legacy")
    assert legacy["vehicle_state"]["autopark_state"] == "unavailable"
    assert legacy["climate_state"]["seat_heater_rear_center"] is False
    assert not SECRET_FIELDS & set(legacy)
    with pytest.raises(vol.Invalid, match="record"):
        await _query(home, "get_vehicle_data", record="vehicle_config")


async def test_car_that_an_action_has_read_is_available_again(home: Home) -> None:
    home.car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(502, times=10_000, only="/vehicle_data")
    await home.advance(20 * 60, step=60)
    assert home.shown(*BATTERY).state == "unavailable"
    home.simulator.faults.clear()
    await _query(home, "get_vehicle_data")
    await home.idle()
    assert home.shown(*BATTERY).state == "72"


# Action → path of its endpoint
READS: Final[tuple[tuple[str, Mapping[str, Any], str], ...]] = (
    ("get_vehicle_data", {}, "vehicle_data"),
    ("get_vehicle_data", {"record": "legacy"}, "data"),
    *(("get_vehicle_data", {"record": record}, f"data_request/{record}") for record in SEPARATE_RECORDS),
    ("get_service_data", {}, "service_data"),
    ("get_mobile_enabled", {}, "mobile_enabled"),
)


async def test_read_does_not_wake_the_car_and_says_that_it_is_asleep(home: Home) -> None:
    await home.let_car_sleep()
    for action, data, _ in READS:
        if action == "get_service_data":
            assert await _query(home, action) == {}
        else:
            error = await _error(home.act(action, **data))
            assert str(error) == "The car is asleep or has no cellular coverage"
    assert _is_undisturbed(home)
    assert home.car.state == "asleep"


async def test_endpoint_that_the_service_lacks_is_an_error_and_changes_nothing(home: Home) -> None:
    before = home.states()
    for action, data, path in READS:
        url = f"/api/1/vehicles/{home.car.id}/{path}"
        home.simulator.faults.serve("GET", url, {"error": "not_found"}, 404)
        error = await _error(home.act(action, **data))
        assert (error.translation_key, path) == ("not_found", path)
        assert "does not support this request" in str(error)
    assert home.states() == before
    assert home.entry.state is ConfigEntryState.LOADED
    assert not home.open_flows()


async def test_response_contains_service_data_only_while_the_car_is_in_service(home: Home) -> None:
    assert await _query(home, "get_service_data") == {}
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}/service_data", {"response": None})
    assert await _query(home, "get_service_data") == {}
    home.simulator.faults.clear()
    home.car.service(on=True)
    response = await _query(home, "get_service_data")
    assert response == service_data(home.car)
    assert response["service_status"] == "in_service"
    error = await _error(_query(home, "get_vehicle_data"))
    assert error.translation_key == "in_service"


async def test_response_says_whether_mobile_access_is_on_in_both_formats(home: Home) -> None:
    for on in (True, False):
        home.car.mobile_access(on=on)
        assert await _query(home, "get_mobile_enabled") == {"mobile_enabled": on}
        path = f"/api/1/vehicles/{home.car.id}/mobile_enabled"
        home.simulator.faults.serve("GET", path, {"response": {"result": on, "reason": ""}})
        assert await _query(home, "get_mobile_enabled") == {"mobile_enabled": on}
        home.simulator.faults.clear()
    for value in ("perhaps", None, 2, [], [True], {}, {"reason": "true"}, {"result": None}):
        home.simulator.faults.serve("GET", path, {"response": value})
        error = await _error(_query(home, "get_mobile_enabled"))
        assert (error.translation_key, value) == ("malformed_answer", value)


# Calendars


@pytest.fixture
async def calendar(home: Home) -> Calendar:
    calendar = Calendar()
    assert await async_setup_component(home.hass, "calendar", {})
    await home.hass.data[DATA_COMPONENT].async_add_entities([calendar])
    await home.idle()
    home.simulator.requests.clear()
    return calendar


async def _send_calendar(home: Home, **data: Any) -> Any:
    """Send the calendar, and return what the car received."""
    await home.act(SEND_CALENDAR, calendar_entity_id=CALENDAR, **data)
    return home.car.body.calendar


async def test_calendar_data_is_sent_unchanged_once_to_a_car_that_is_woken_for_it(home: Home) -> None:
    await home.let_car_sleep()
    data = {"calendars": [{"name": "Famille", "events": [{"name": "Fête"}]}], "access_disabled": False}
    await home.run_until_complete(home.act(SEND_CALENDAR, calendar_data=data))
    assert home.car.body.calendar == data
    assert len(home.requests("/wake_up")) == 1
    assert len(home.queries(SEND_CALENDAR)) == 1


async def test_calendar_entity_is_sent_with_its_next_events(home: Home, calendar: Calendar) -> None:
    hour = timedelta(hours=1)
    calendar.set_events(
        CalendarEvent(NOON + 2 * hour, NOON + 3 * hour, "Dentist", location="Elm Street 7"),
        CalendarEvent(date(2026, 5, 5), date(2026, 5, 6), "Birthday"),
        *(CalendarEvent(NOON + n * hour, NOON + (n + 1) * hour, "Other") for n in (-2, 24.25, 100.25, 101)),
    )
    sent = await _send_calendar(home)
    assert sent["access_disabled"] is False
    assert sent["phone_name"] == home.hass.config.location_name
    (received,) = sent["calendars"]
    assert received["name"] == "Family"
    keys = ("name", "location", "start", "end", "allday")
    # An all-day event starts at local midnight.
    assert [tuple(event[key] for key in keys) for event in received["events"]] == [
        ("Dentist", "Elm Street 7", 1777928400000, 1777932000000, False),
        ("Birthday", "", 1777964400000, 1778050800000, True),
    ]
    # The same sender each time, so that the car does not show the events twice
    assert sent["uuid"]
    again = await _send_calendar(home, hours=100.5)
    assert (again["uuid"], len(again["calendars"][0]["events"])) == (sent["uuid"], 4)
    home.simulator.requests.clear()
    calendar._attr_available = False  # noqa: SLF001 - as an integration of calendars does
    calendar.async_write_ha_state()
    await _error(_send_calendar(home))
    assert _is_undisturbed(home)


@pytest.mark.parametrize("field", ["calendar_enabled", "vehicle_state.calendar_supported"])
@pytest.mark.usefixtures("calendar")
async def test_car_that_does_not_show_calendars_receives_none(home: Home, field: str) -> None:
    home.simulator.faults.corrupt(field, value=False)
    await home.poll()
    error = await _error(_send_calendar(home))
    assert error.translation_key == "calendar_off"
    assert "does not support calendar events" in str(error)
    assert _is_undisturbed(home)


# The account


async def test_response_of_an_account_action_has_no_secret_fields(home: Home) -> None:
    content = [{"id": 1, **dict.fromkeys(SECRET_FIELDS, "secret")}]
    home.simulator.faults.serve("GET", "/api/1/vehicle_subscriptions", {"response": content})
    response = await _query(home, "get_vehicle_subscriptions", device_type="ios")
    assert response == {"response": [{"id": 1}]}


async def test_wrong_value_of_an_account_action_is_refused_and_nothing_is_sent(home: Home) -> None:
    home.simulator.requests.clear()
    for action, name, value in (
        ("get_vehicle_subscriptions", "device_type", "iOS"),
        ("get_notification_preferences", "device_type", "windows"),
        ("set_vehicle_subscriptions", "payload", "everything"),
        ("set_notification_preferences", "payload", ["everything"]),
        ("confirm_notifications", "payload", {"since": date(2020, 3, 14)}),
    ):
        for data in ({}, {name: None}):
            assert await _refusal(home.act(action, **data)) == f"{name} is missing"
        assert await _refusal(home.act(action, **{name: value})) == f"{VALUE}{name}"
    assert not home.requests()


# Targets


@two_cars
async def test_only_the_selected_one_of_two_cars_receives_requests(home: Home) -> None:
    first, second = home.simulator.vehicles
    home.simulator.vehicles.reverse()
    home.simulator.requests.clear()
    await home.act("set_valet_mode", on=True)
    assert (first.body.valet.on, second.body.valet.on) == (False, True)
    assert (await _query(home, "get_vehicle_data"))["vin"] == second.vin
    assert home.requests() == home.requests(str(second.id))


async def test_device_that_is_not_a_car_is_refused(home: Home) -> None:
    other = home.plug_of_another_brand()
    home.simulator.requests.clear()
    actions: dict[str, dict[str, Any]] = {
        "sun_roof_control": {"state": "vent"},
        SEND_CALENDAR: {"calendar_data": {}},
        "get_vehicle_data": {},
    }
    for device_id in (other.device_id, home.device.via_device_id, "gone"):
        for action, data in actions.items():
            error = await _refusal(home.act(action, device_id=device_id, **data))
            assert "This device is not a car or no longer exists" in error
    assert not home.requests()


async def test_actions_are_refused_for_an_account_that_is_not_loaded_known_or_ours(home: Home) -> None:
    other = MockConfigEntry(domain="other", title="Fridges")
    other.add_to_hass(home.hass)
    for entry_id, message in (("gone", "gone was not found"), (other.entry_id, "Fridges does not belong")):
        data = {"config_entry_id": entry_id, "device_type": "ios"}
        assert message in await _refusal(home.act("get_vehicle_subscriptions", **data))
    await home.unload()
    home.simulator.requests.clear()
    for operation in (
        home.act("set_valet_mode", on=True),
        home.act("get_vehicle_data"),
        home.act("get_vehicle_subscriptions", device_type="ios"),
    ):
        assert "is not loaded" in await _refusal(operation)
    assert not home.requests()


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("get_vehicle_data", {}),
        ("get_mobile_enabled", {}),
        ("set_valet_mode", {"on": True}),
        ("get_vehicle_subscriptions", {"device_type": "ios"}),
    ],
)
async def test_action_with_rejected_token_starts_reauthentication(home: Home, action: str, data: Any) -> None:
    home.simulator.token = "another"
    assert await home.error_of(home.act(action, **data)) == (
        "The service does not accept the access token. "
        "Enter a new one under Settings > Devices & services > Vehicle Remote Access"
    )
    await home.idle()
    assert home.open_flows() == [SOURCE_REAUTH]
