"""Actions: their data, commands, responses, targets and errors."""

from collections.abc import Awaitable, Mapping
from datetime import date, datetime, timedelta
import logging
import re
from typing import Any, Final, override

from homeassistant.components.calendar import CalendarEntity, CalendarEvent
from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockModule,
    mock_integration,
    setup_test_component_platform,
)
import voluptuous as vol

import custom_components.vehicle_remote_access as integration
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record, service_data
from custom_components.vehicle_remote_access.simulator.http.service import RECORDS

from .conftest import TOKEN, Home

PASSWORD: Final = "pass & wörd?of=the owner"
PIN: Final = "0420"
PHONE: Final = "phone-of-the-owner"

REMOTE_START: Final = ("binary_sensor", "vehicle_state.remote_start")
VALET: Final = ("switch", "vehicle_state.valet_mode")
STATE: Final = ("sensor", "state")
BATTERY: Final = ("sensor", "charge_state.battery_level")
PASSENGER: Final = "climate_state.passenger_temp_setting"

# Secret fields, by their names in the interface document
SECRET_FIELDS: Final = {"tokens", "backseat_token", "backseat_token_updated_at", "user_id"}

# Each action with a PIN: the name of the PIN, and the other required data
WITH_PIN: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "set_valet_mode": ("password", {"on": True}),
    "speed_limit_activate": ("pin", {}),
    "speed_limit_deactivate": ("pin", {}),
    "speed_limit_clear_pin": ("pin", {}),
}

two_cars = pytest.mark.parametrize("cars", [2])


async def _act(home: Home, action: str, **data: Any) -> None:
    """Use an action that has no response."""
    assert await home.act(action, **data) is None


async def _query(home: Home, action: str, **data: Any) -> dict[str, Any]:
    """Use an action that has a response, and return the response."""
    response = await home.act(action, **data)
    assert response is not None
    return dict(response)


async def _query_account(home: Home, action: str, **data: Any) -> Any:
    """Use an action of the account, and return its response."""
    data = {"config_entry_id": home.entry.entry_id, **data}
    return await home.hass.services.async_call(DOMAIN, action, data, blocking=True, return_response=True)


async def _error(home: Home, operation: Awaitable[Any]) -> HomeAssistantError:
    """Let time pass until an operation fails, and return its error."""
    (error,) = await home.while_time_passes(operation)
    assert isinstance(error, HomeAssistantError), repr(error)
    return error


async def _error_text(home: Home, operation: Awaitable[Any]) -> str:
    """Return the text of an operation's error, from the action's schema or from the integration."""
    (error,) = await home.while_time_passes(operation)
    assert isinstance(error, HomeAssistantError | vol.Invalid), repr(error)
    return str(error)


async def _fall_asleep(home: Home) -> None:
    """Let the car fall asleep and Home Assistant detect it."""
    home.car.fall_asleep()
    await home.advance(65, step=65)
    assert home.shown(*STATE).state == "asleep"
    home.simulator.requests.clear()


def _sent(home: Home, command: str) -> list[dict[str, str]]:
    return [
        request.query for request in home.simulator.requests if request.path.endswith(f"/command/{command}")
    ]


def _is_undisturbed(home: Home) -> bool:
    """Return whether the car received no command and no wake-up."""
    return not home.requests("/command/") and not home.requests("/wake_up")


def _open_flows(home: Home) -> list[str | None]:
    """Return the sources of the open flows."""
    flows = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    return [flow["context"].get("source") for flow in flows]


# Data of actions


@pytest.mark.parametrize("action", WITH_PIN)
@pytest.mark.parametrize(("pin", "sent"), [("0123", "0123"), ("0000", "0000"), (1234, "1234")])
async def test_pin(home: Home, action: str, pin: Any, sent: str) -> None:
    """A PIN is sent with all digits, including leading zeros, even if YAML made a number of it."""
    home.car.body.speed_limit.pin = sent
    home.car.body.speed_limit.active = action == "speed_limit_deactivate"
    name, other_data = WITH_PIN[action]
    await _act(home, action, **other_data, **{name: pin})
    assert [query[name] for query in _sent(home, action)] == [sent]


@pytest.mark.parametrize(
    "pin",
    [
        pytest.param(83, id="YAML octal of 0123"),
        pytest.param("12345", id="too long"),
        pytest.param("123", id="too short"),
        pytest.param("12a4", id="letter"),
        pytest.param("1234 ", id="blank"),
        pytest.param("١٢٣٤", id="digits of another script"),
        pytest.param(-1234, id="negative"),
        pytest.param(12.34, id="fraction"),
        pytest.param("", id="empty"),
        pytest.param(True, id="boolean"),
    ],
)
async def test_invalid_pin(home: Home, pin: Any) -> None:
    """A PIN that is not four digits is refused by each action, and the car is not woken."""
    await _fall_asleep(home)
    errors = [
        await _error(home, _act(home, action, **other_data, **{name: pin}))
        for action, (name, other_data) in WITH_PIN.items()
    ]
    assert {error.translation_key for error in errors} == {"invalid_pin"}
    assert all("has to be exactly four digits" in str(error) for error in errors)
    assert _is_undisturbed(home)


@pytest.mark.parametrize(
    ("action", "data", "missing"),
    [
        ("remote_start_drive", {}, "password"),
        ("set_valet_mode", {"password": PIN}, "on"),
        ("speed_limit_activate", {}, "pin"),
        ("speed_limit_deactivate", {}, "pin"),
        ("speed_limit_clear_pin", {}, "pin"),
        ("sun_roof_control", {"percent": 40}, "state"),
        ("set_temps", {}, "driver_temp"),
        ("upcoming_calendar_entries", {}, "calendar_data"),
    ],
)
async def test_missing_field(home: Home, action: str, data: Mapping[str, Any], missing: str) -> None:
    """An action without a required field is refused. The error names the field, and nothing is sent."""
    with pytest.raises(vol.Invalid, match=missing):
        await _act(home, action, **data)
    assert _is_undisturbed(home)


@pytest.mark.parametrize(
    ("action", "data", "missing"),
    [
        ("remote_start_drive", {"password": None}, "password"),
        ("set_valet_mode", {"on": None}, "on"),
        ("speed_limit_activate", {"pin": None}, "pin"),
        ("sun_roof_control", {"state": None}, "state"),
        ("sun_roof_control", {"state": "move", "percent": None}, "percent"),
        ("set_temps", {"driver_temp": None}, "driver_temp"),
        ("upcoming_calendar_entries", {"calendar_data": None}, "calendar_data"),
    ],
)
async def test_null_for_required_field(
    home: Home, action: str, data: Mapping[str, Any], missing: str
) -> None:
    """Null counts as a missing field. The error names the field, and the car is not woken."""
    await _fall_asleep(home)
    assert missing in await _error_text(home, _act(home, action, **data))
    assert _is_undisturbed(home)


async def test_missing_percentage(home: Home) -> None:
    """Moving the sunroof without a percentage is refused."""
    error = await _error(home, _act(home, "sun_roof_control", state="move"))
    assert error.translation_key == "missing_value"
    assert str(error) == "percent is missing"
    assert _is_undisturbed(home)


@pytest.mark.parametrize(
    ("action", "data", "sent"),
    [
        ("set_valet_mode", {"on": True, "password": None}, {"on": "true"}),
        ("sun_roof_control", {"state": "vent", "percent": None}, {"state": "vent"}),
        (
            "set_temps",
            {"driver_temp": None, "passenger_temp": 19},
            {"driver_temp": "21.0", "passenger_temp": "19.0"},
        ),
        (
            "set_temps",
            {"passenger_temp": 19, "driver_temp": None},
            {"driver_temp": "21.0", "passenger_temp": "19.0"},
        ),
    ],
)
async def test_null_for_optional_field(
    home: Home, action: str, data: Mapping[str, Any], sent: Mapping[str, str]
) -> None:
    """Optional fields with null are left out. Templates can return null."""
    await _act(home, action, **data)
    assert _sent(home, action) == [sent]


@pytest.mark.parametrize(
    ("action", "data", "wrong"),
    [
        ("sun_roof_control", {"state": "ajar"}, "state"),
        ("sun_roof_control", {"state": "move", "percent": 101}, "percent"),
        ("sun_roof_control", {"state": "move", "percent": "half"}, "percent"),
        ("set_valet_mode", {"on": "perhaps"}, "on"),
        ("remote_start_drive", {"password": ""}, "password"),
        ("upcoming_calendar_entries", {"calendar_data": "Dentist"}, "calendar_data"),
        ("upcoming_calendar_entries", {"calendar_data": {"start": date(2020, 3, 14)}}, "calendar_data"),
    ],
)
async def test_wrong_value(home: Home, action: str, data: Mapping[str, Any], wrong: str) -> None:
    """An invalid value is refused. The error names the field, and the car is not woken."""
    await _fall_asleep(home)
    error = await _error(home, _act(home, action, **data))
    assert isinstance(error, ServiceValidationError)
    assert error.translation_key == "invalid_value"
    assert str(error).endswith(f": {wrong}")
    assert _is_undisturbed(home)


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ({"driver_temp": 14.5}, "driver_temp"),
        ({"driver_temp": 27}, "driver_temp"),
        ({"driver_temp": 21, "passenger_temp": 26.5}, "passenger_temp"),
        ({"passenger_temp": "warm"}, "passenger_temp"),
    ],
    ids=["too cold", "too warm", "one of two", "not a number"],
)
async def test_temperature_out_of_range(home: Home, data: Mapping[str, Any], wrong: str) -> None:
    """A temperature outside the car's range is refused. The error names the range; the car is not woken."""
    home.simulator.faults.corrupt("climate_state.max_avail_temp", 26)
    await home.poll()
    await _fall_asleep(home)
    error = await _error(home, _act(home, "set_temps", **data))
    assert isinstance(error, ServiceValidationError)
    assert str(error) == f"{wrong} has to be between 15 and 26"
    assert _is_undisturbed(home)


@pytest.mark.parametrize(
    ("data", "sent"),
    [
        ({"driver_temp": 19}, {"driver_temp": "19.0", "passenger_temp": "25.0"}),
        ({"passenger_temp": 19}, {"driver_temp": "21.0", "passenger_temp": "19.0"}),
        ({"driver_temp": 18, "passenger_temp": 19}, {"driver_temp": "18.0", "passenger_temp": "19.0"}),
    ],
    ids=["driver", "passenger", "both"],
)
async def test_temperature_of_each_side(
    home: Home, data: Mapping[str, float], sent: Mapping[str, str]
) -> None:
    """The temperature of one side can be set alone. The other side keeps its temperature."""
    await home.call("number", "set_value", PASSENGER, value=25)
    await _act(home, "set_temps", **data)
    assert _sent(home, "set_temps")[1:] == [sent]


# Commands


async def test_remote_start(home: Home) -> None:
    """With the owner's password, the car can be driven without a key. The state changes immediately."""
    await _act(home, "remote_start_drive", password=home.car.password)
    assert home.car.body.remote_start
    assert home.shown(*REMOTE_START).state == "on"
    await home.advance(5)
    assert home.shown(*REMOTE_START).state == "on"


async def test_remote_start_with_a_wrong_password(home: Home) -> None:
    """With a wrong password, the car refuses. The error gives the reason without the password."""
    error = await _error(home, _act(home, "remote_start_drive", password=PASSWORD))
    assert str(error) == "The car refused: Authorization Required"
    assert PASSWORD not in repr(error.translation_placeholders)
    assert home.shown(*REMOTE_START).state == "off"


@pytest.mark.parametrize("status", [200, 400, 403, 500])
async def test_error_without_the_password(home: Home, status: int) -> None:
    """The error does not contain the password, even if the response repeats it."""
    message = f"no: {PASSWORD}, from /remote_start_drive?password=pass%20%26"
    home.simulator.faults.answer(status, body={"response": None, "error": message}, only="remote_start_drive")
    error = await _error(home, _act(home, "remote_start_drive", password=PASSWORD))
    content = f"{error} {error!r} {error.translation_placeholders} {error.__cause__!r}"
    assert PASSWORD not in content
    assert "pass%20" not in content


async def test_speed_limit(home: Home) -> None:
    """The speed limit can be activated and deactivated, and its PIN can be cleared."""
    await _act(home, "speed_limit_activate", pin=PIN)
    assert (home.car.body.speed_limit.active, home.car.body.speed_limit.pin) == (True, PIN)
    await _act(home, "speed_limit_deactivate", pin=PIN)
    assert (home.car.body.speed_limit.active, home.car.body.speed_limit.pin) == (False, PIN)
    await _act(home, "speed_limit_clear_pin", pin=PIN)
    assert home.car.body.speed_limit.pin is None


async def test_speed_limit_state_changes_immediately(home: Home) -> None:
    """The state of the speed limit changes immediately after each command."""
    active = ("binary_sensor", "vehicle_state.speed_limit_mode.active")
    await _act(home, "speed_limit_activate", pin=PIN)
    assert home.shown(*active).state == "on"
    await _act(home, "speed_limit_deactivate", pin=PIN)
    assert home.shown(*active).state == "off"


@pytest.mark.parametrize("action", ["speed_limit_deactivate", "speed_limit_clear_pin"])
async def test_wrong_pin(home: Home, action: str) -> None:
    """With a wrong PIN, the car refuses with a reason, and the speed limit stays active."""
    await _act(home, "speed_limit_activate", pin=PIN)
    error = await _error(home, _act(home, action, pin="1111"))
    assert str(error) == "The car refused because the PIN is not the one that was set"
    assert home.car.body.speed_limit.active


async def test_valet_mode(home: Home) -> None:
    """A PIN turns valet mode on and off. The state changes immediately."""
    await _act(home, "set_valet_mode", on=True, password=PIN)
    assert (home.car.body.valet.on, home.car.body.valet.pin) == (True, PIN)
    assert home.shown(*VALET).state == "on"
    await _act(home, "set_valet_mode", on=False, password=PIN)
    assert not home.car.body.valet.on
    assert home.shown(*VALET).state == "off"


async def test_valet_pin_is_reused(home: Home) -> None:
    """Without a PIN, valet mode uses the previous one."""
    await _act(home, "set_valet_mode", on=True, password=PIN)
    await _act(home, "set_valet_mode", on=False)
    await _act(home, "set_valet_mode", on=True)
    assert (home.car.body.valet.on, home.car.body.valet.pin) == (True, PIN)
    assert _sent(home, "set_valet_mode")[1:] == [{"on": "false"}, {"on": "true"}]


async def test_wrong_valet_pin(home: Home) -> None:
    """With a wrong PIN, the car refuses with a reason, and valet mode stays on."""
    await _act(home, "set_valet_mode", on=True, password=PIN)
    error = await _error(home, _act(home, "set_valet_mode", on=False, password="1111"))
    assert str(error) == "The car refused because the PIN is not the one that was set"
    assert home.shown(*VALET).state == "on"


async def test_sun_roof(home: Home) -> None:
    """The sunroof moves to a percentage, and its position is shown when it arrives."""
    await _act(home, "sun_roof_control", state="move", percent=40)
    await home.advance(20)
    assert home.shown("cover", "vehicle_state.sun_roof_percent_open").attributes["current_position"] == 40


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("set_valet_mode", {"on": True}),
        ("speed_limit_activate", {"pin": PIN}),
        ("sun_roof_control", {"state": "vent"}),
        ("upcoming_calendar_entries", {"calendar_data": {}}),
    ],
)
async def test_command_wakes_the_car(home: Home, action: str, data: Mapping[str, Any]) -> None:
    """A sleeping car is woken for a command. The command is sent once."""
    await _fall_asleep(home)
    assert await home.while_time_passes(_act(home, action, **data)) == [None]
    assert len(home.requests("/wake_up")) == 1
    assert len(_sent(home, action)) == 1


# Responses


async def test_vehicle_data(home: Home) -> None:
    """The response contains the data of the service without the secret fields."""
    expected = {
        name: value
        for name, value in full_record(home.car, Variant.CURRENT).items()
        if name not in SECRET_FIELDS
    }
    assert await _query(home, "get_vehicle_data") == expected


async def test_vehicle_data_with_undocumented_field(home: Home) -> None:
    """The response contains undocumented fields."""
    home.simulator.faults.corrupt("charge_state.flux_capacitor", 1.21)
    assert (await _query(home, "get_vehicle_data"))["charge_state"]["flux_capacitor"] == 1.21


@pytest.mark.parametrize("name", sorted(SECRET_FIELDS))
async def test_vehicle_data_contains_no_secrets(home: Home, name: str) -> None:
    """Secret fields are left out at all levels."""
    home.simulator.faults.corrupt(name, "secret")
    home.simulator.faults.corrupt(f"vehicle_state.{name}", "secret")
    home.simulator.faults.corrupt("vehicle_state.drivers", [{name: ["secret"], "seat": 1}])
    response = await _query(home, "get_vehicle_data")
    assert "secret" not in str(response)
    assert response["vehicle_state"]["drivers"] == [{"seat": 1}]


@pytest.mark.parametrize("record", RECORDS)
async def test_single_record(home: Home, record: str) -> None:
    """A single record is returned as the service sent it."""
    expected = RECORDS[record](home.car, Variant.CURRENT)
    assert await _query(home, "get_vehicle_data", record=record) == expected


async def test_legacy_record(home: Home) -> None:
    """The legacy record contains the fields that only the legacy endpoint has."""
    legacy = await _query(home, "get_vehicle_data", record="legacy")
    assert legacy["vehicle_state"]["autopark_state"] == "unavailable"
    assert legacy["climate_state"]["seat_heater_rear_center"] is False
    assert not SECRET_FIELDS & set(legacy)


async def test_vehicle_data_updates_entities(home: Home) -> None:
    """The entities show the data that an action received immediately."""
    home.car.set_level(41)
    await _query(home, "get_vehicle_data")
    assert home.shown(*BATTERY).state == "41"


async def test_vehicle_data_makes_the_car_available(home: Home) -> None:
    """A car that is unavailable after failed reads is available again once an action has read it."""
    home.car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(502, times=10_000, only="/vehicle_data")
    await home.advance(20 * 60, step=20)
    assert home.shown(*BATTERY).state == "unavailable"
    home.simulator.faults.clear()
    await _query(home, "get_vehicle_data")
    await home.idle()
    assert home.shown(*BATTERY).state == "72"


async def test_vehicle_data_from_a_legacy_service(empty_home: Home) -> None:
    """If the service lacks the current endpoint, the data comes from the legacy endpoint."""
    empty_home.simulator.switches.profile = "legacy-2018"
    await empty_home.set_up()
    response = await _query(empty_home, "get_vehicle_data")
    assert response["vehicle_state"]["autopark_state"] == "unavailable"


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("get_vehicle_data", {}),
        ("get_vehicle_data", {"record": "charge_state"}),
        ("get_vehicle_data", {"record": "legacy"}),
        ("get_mobile_enabled", {}),
    ],
)
async def test_reading_does_not_wake_the_car(home: Home, action: str, data: Mapping[str, Any]) -> None:
    """A read does not wake a sleeping car. The error says that the car is asleep."""
    await _fall_asleep(home)
    error = await _error(home, _query(home, action, **data))
    assert str(error) == "The car is asleep or out of coverage"
    assert _is_undisturbed(home)
    assert home.car.state == "asleep"


@pytest.mark.parametrize(
    ("action", "data", "path"),
    [
        ("get_vehicle_data", {}, "vehicle_data"),
        ("get_vehicle_data", {"record": "legacy"}, "data"),
        *(("get_vehicle_data", {"record": record}, f"data_request/{record}") for record in RECORDS),
        ("get_service_data", {}, "service_data"),
        ("get_mobile_enabled", {}, "mobile_enabled"),
    ],
)
async def test_missing_endpoint(home: Home, action: str, data: Mapping[str, Any], path: str) -> None:
    """An endpoint that the service lacks results in an error, and nothing else changes."""
    before = home.states()
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}/{path}", {"error": "not_found"}, 404)
    error = await _error(home, _query(home, action, **data))
    assert error.translation_key == "not_found"
    assert "does not offer this" in str(error)
    assert home.states() == before
    assert home.entry.state is ConfigEntryState.LOADED
    assert not _open_flows(home)


async def test_unknown_record(home: Home) -> None:
    """An unknown record is refused, and no request is sent."""
    home.simulator.requests.clear()
    with pytest.raises(vol.Invalid, match="record"):
        await _query(home, "get_vehicle_data", record="vehicle_config")
    assert not home.requests()


async def test_service_data(home: Home) -> None:
    """The response contains service data while the car is in service, and is empty otherwise."""
    assert await _query(home, "get_service_data") == {}
    home.car.service(on=True)
    response = await _query(home, "get_service_data")
    assert response == service_data(home.car)
    assert response["service_status"] == "in_service"


async def test_service_data_of_a_sleeping_car(home: Home) -> None:
    """Service data can be read while the car sleeps, and the car stays asleep."""
    await _fall_asleep(home)
    assert await _query(home, "get_service_data") == {}
    assert home.car.state == "asleep"


async def test_service_data_is_null(home: Home) -> None:
    """If the service returns null as service data, the response is empty."""
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}/service_data", {"response": None})
    assert await _query(home, "get_service_data") == {}


async def test_vehicle_data_while_in_service(home: Home) -> None:
    """A car that is in service is not read. The error says that the car is in service."""
    home.car.service(on=True)
    error = await _error(home, _query(home, "get_vehicle_data"))
    assert error.translation_key == "in_service"


@pytest.mark.parametrize("on", [True, False])
async def test_mobile_enabled(home: Home, *, on: bool) -> None:
    """The response says whether mobile access is allowed in the car."""
    home.car.mobile_access(on=on)
    assert await _query(home, "get_mobile_enabled") == {"mobile_enabled": on}


@pytest.mark.parametrize("on", [True, False])
async def test_mobile_enabled_of_newer_services(home: Home, *, on: bool) -> None:
    """Newer services return the value as a result with a reason."""
    path = f"/api/1/vehicles/{home.car.id}/mobile_enabled"
    home.simulator.faults.serve("GET", path, {"response": {"result": on, "reason": ""}})
    assert await _query(home, "get_mobile_enabled") == {"mobile_enabled": on}


@pytest.mark.parametrize("value", ["perhaps", None, 2, [], [True], {}, {"reason": "true"}, {"result": None}])
async def test_malformed_mobile_enabled(home: Home, value: Any) -> None:
    """A response without a boolean value is an error."""
    path = f"/api/1/vehicles/{home.car.id}/mobile_enabled"
    home.simulator.faults.serve("GET", path, {"response": value})
    error = await _error(home, _query(home, "get_mobile_enabled"))
    assert error.translation_key == "malformed_answer"


# Calendars


class WorkCalendar(CalendarEntity):
    """A calendar entity with two events, whatever period is requested."""

    _attr_name = "Work"

    def __init__(self) -> None:
        """Start without requests."""
        self.requested_periods: list[tuple[datetime, datetime]] = []

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """Return no current event."""
        return None

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        """Return an event of one hour and an all-day event on the next day."""
        self.requested_periods.append((start_date, end_date))
        morning = datetime(2020, 3, 14, 9, tzinfo=dt_util.get_default_time_zone())
        return [
            CalendarEvent(morning, morning + timedelta(hours=1), "Dentist", location="Elm Street 7"),
            CalendarEvent(date(2020, 3, 15), date(2020, 3, 16), "Birthday"),
        ]


@pytest.fixture
async def calendar(home: Home) -> WorkCalendar:
    """The calendar, in the time zone of Amsterdam: an hour ahead of UTC in March."""
    await home.hass.config.async_set_time_zone("Europe/Amsterdam")
    calendar = WorkCalendar()
    mock_integration(home.hass, MockModule("test"))
    setup_test_component_platform(home.hass, "calendar", [calendar])
    assert await async_setup_component(home.hass, "calendar", {"calendar": {"platform": "test"}})
    await home.idle()
    home.simulator.requests.clear()
    return calendar


async def _send_calendar(home: Home, **data: Any) -> list[dict[str, Any]]:
    """Send the calendar, and return the events that the car received."""
    await _act(home, "upcoming_calendar_entries", calendar_entity_id="calendar.work", **data)
    sent: Any = home.car.body.calendar
    (received,) = sent["calendars"]
    events: list[dict[str, Any]] = received["events"]
    return events


async def test_calendar_data(home: Home) -> None:
    """Calendar data of the user is sent to the car unchanged."""
    data = {"calendars": [{"name": "Famille", "events": [{"name": "Fête"}]}], "access_disabled": False}
    await _act(home, "upcoming_calendar_entries", calendar_data=data)
    assert home.car.body.calendar == data


async def test_calendar_entity(home: Home, calendar: WorkCalendar) -> None:
    """A calendar entity is sent with its name, and the names and locations of its events."""
    events = await _send_calendar(home)
    sent: Any = home.car.body.calendar
    assert sent["access_disabled"] is False
    assert sent["phone_name"] == home.hass.config.location_name
    assert sent["calendars"][0]["name"] == "Work"
    assert [(event["name"], event["location"]) for event in events] == [
        ("Dentist", "Elm Street 7"),
        ("Birthday", ""),
    ]


async def test_times_of_events(home: Home, calendar: WorkCalendar) -> None:
    """Event times are sent in milliseconds since 1970. All-day events start at local midnight."""
    events = await _send_calendar(home)
    assert [(event["start"], event["end"]) for event in events] == [
        (1584172800000, 1584176400000),
        (1584226800000, 1584313200000),
    ]


async def test_all_day_events(home: Home, calendar: WorkCalendar) -> None:
    """Only all-day events are sent as all-day events."""
    events = await _send_calendar(home)
    assert [event["allday"] for event in events] == [False, True]


@pytest.mark.parametrize(("data", "hours"), [({}, 24), ({"hours": 1}, 1), ({"hours": 100.5}, 100.5)])
async def test_period_of_the_calendar(
    home: Home, calendar: WorkCalendar, data: Mapping[str, float], hours: float
) -> None:
    """Events of the next 24 hours are sent, or of the given number of hours."""
    await _send_calendar(home, **data)
    assert calendar.requested_periods == [(dt_util.now(), dt_util.now() + timedelta(hours=hours))]


@pytest.mark.parametrize("hours", [0, 337, "soon"])
async def test_invalid_period(home: Home, calendar: WorkCalendar, hours: Any) -> None:
    """A period of zero, of more than two weeks, or of no number is refused, and nothing is sent."""
    with pytest.raises(vol.Invalid, match="hours"):
        await _send_calendar(home, hours=hours)
    assert not calendar.requested_periods
    assert _is_undisturbed(home)


async def test_calendar_has_the_same_sender_each_time(home: Home, calendar: WorkCalendar) -> None:
    """Each time a calendar is sent, it has the same sender, so that the car does not show it twice."""
    senders = []
    for _ in range(2):
        await _send_calendar(home)
        senders.append(home.car.body.calendar["uuid"])
    assert senders[0]
    assert senders[0] == senders[1]


async def test_calendar_and_data(home: Home, calendar: WorkCalendar) -> None:
    """A calendar entity together with calendar data is refused, and nothing is sent."""
    with pytest.raises(vol.Invalid):
        await _send_calendar(home, calendar_data={})
    assert not calendar.requested_periods
    assert _is_undisturbed(home)


async def test_unknown_calendar(home: Home) -> None:
    """The error names a calendar that does not exist. The car is not woken."""
    await _fall_asleep(home)
    error = await _error(home, _act(home, "upcoming_calendar_entries", calendar_entity_id="calendar.gone"))
    assert str(error) == "There is no calendar calendar.gone"
    assert _is_undisturbed(home)


async def test_unavailable_calendar(home: Home, calendar: WorkCalendar) -> None:
    """An unavailable calendar is an error, and nothing is sent."""
    calendar._attr_available = False  # noqa: SLF001 - as an integration of calendars does
    calendar.async_write_ha_state()
    await _error(home, _send_calendar(home))
    assert _is_undisturbed(home)


@pytest.mark.parametrize("field", ["calendar_enabled", "vehicle_state.calendar_supported"])
async def test_calendar_is_off_in_the_car(home: Home, calendar: WorkCalendar, field: str) -> None:
    """A car that does not show calendars receives none. The error gives the reason."""
    home.simulator.faults.corrupt(field, value=False)
    await home.poll()
    error = await _error(home, _send_calendar(home))
    assert error.translation_key == "calendar_off"
    assert "does not show appointments" in str(error)
    assert not calendar.requested_periods
    assert _is_undisturbed(home)


# The account


@two_cars
async def test_subscriptions(home: Home) -> None:
    """The cars that a device subscribes to are set, and then returned."""
    _, second = home.simulator.vehicles
    payload = {"device_type": "android", "vehicle_ids": [second.id]}
    expected = {"response": [second.id]}
    assert await _query_account(home, "set_vehicle_subscriptions", payload=payload) == expected
    assert await _query_account(home, "get_vehicle_subscriptions", device_type="android") == expected
    other = await _query_account(home, "get_vehicle_subscriptions", device_type="ios")
    assert other == {"response": [car.id for car in home.simulator.vehicles]}


async def test_preferences(home: Home) -> None:
    """The notification preferences of a device are set, and then returned for its platform."""
    device = {"device_type": "ios", "platform": "apns"}
    payload = {**device, "quiet_hours": [22, 7]}
    expected = {"response": {"quiet_hours": [22, 7]}}
    assert await _query_account(home, "set_notification_preferences", payload=payload) == expected
    assert await _query_account(home, "get_notification_preferences", **device) == expected
    other = await _query_account(home, "get_notification_preferences", device_type="ios")
    assert other == {"response": {}}


async def test_notifications_are_confirmed(home: Home) -> None:
    """The service accepts the confirmation of notifications."""
    payload = {"notification_ids": [1, 2]}
    assert await _query_account(home, "confirm_notifications", payload=payload) == {"response": True}


@pytest.mark.parametrize(
    ("action", "path"),
    [
        ("set_vehicle_subscriptions", "vehicle_subscriptions"),
        ("set_notification_preferences", "notification_preferences"),
        ("confirm_notifications", "notification_confirmations"),
    ],
)
async def test_response_is_optional(home: Home, action: str, path: str) -> None:
    """An account action sends its request even if the caller does not want a response."""
    data = {"config_entry_id": home.entry.entry_id, "payload": {"device_type": "ios"}}
    assert await home.hass.services.async_call(DOMAIN, action, data, blocking=True) is None
    assert home.requests(path) == [f"/api/1/{path}"]


@pytest.mark.parametrize("device_type", ["windows", "", "iOS", 1])
async def test_wrong_device_type(home: Home, device_type: Any) -> None:
    """A device type other than the two documented ones is refused, and nothing is sent."""
    home.simulator.requests.clear()
    for action in ("get_vehicle_subscriptions", "get_notification_preferences"):
        error = await _error(home, _query_account(home, action, device_type=device_type))
        assert error.translation_key == "invalid_value"
        assert str(error).endswith(": device_type")
    assert not home.requests()


@pytest.mark.parametrize(
    "payload", ["everything", ["everything"], {"since": date(2020, 3, 14)}, {"ids": {1, 2}}], ids=str
)
async def test_wrong_payload(home: Home, payload: Any) -> None:
    """A payload that is not a JSON object is refused, and nothing is sent."""
    home.simulator.requests.clear()
    error = await _error(home, _query_account(home, "confirm_notifications", payload=payload))
    assert error.translation_key == "invalid_value"
    assert str(error).endswith(": payload")
    assert not home.requests()


@pytest.mark.parametrize(
    ("action", "missing"),
    [
        ("get_vehicle_subscriptions", "device_type"),
        ("set_vehicle_subscriptions", "payload"),
        ("get_notification_preferences", "device_type"),
        ("set_notification_preferences", "payload"),
        ("confirm_notifications", "payload"),
    ],
)
async def test_missing_field_of_account_action(home: Home, action: str, missing: str) -> None:
    """An action whose required field is missing or null is refused. The error names the field."""
    home.simulator.requests.clear()
    assert missing in await _error_text(home, _query_account(home, action))
    assert missing in await _error_text(home, _query_account(home, action, **{missing: None}))
    assert not home.requests()


async def test_account_responses_contain_no_secrets(home: Home) -> None:
    """Secret fields are left out of the responses of account actions."""
    content = [{"id": 1, **dict.fromkeys(SECRET_FIELDS, "secret")}]
    home.simulator.faults.serve("GET", "/api/1/vehicle_subscriptions", {"response": content})
    response = await _query_account(home, "get_vehicle_subscriptions", device_type="ios")
    assert response == {"response": [{"id": 1}]}


@pytest.mark.parametrize(
    ("status", "key"), [(404, "not_found"), (500, "service_down"), (403, "permission_denied")]
)
async def test_failed_account_action(home: Home, status: int, key: str) -> None:
    """A failed account action is an error, and does not change the cars."""
    before = home.states()
    home.simulator.faults.answer(status, only="/vehicle_subscriptions")
    error = await _error(home, _query_account(home, "get_vehicle_subscriptions", device_type="ios"))
    assert error.translation_key == key
    assert home.states() == before
    assert not _open_flows(home)


# Targets


def _device(home: Home, entry_id: str, identifier: tuple[str, str]) -> str:
    device = dr.async_get(home.hass).async_get_device_by_identifier(identifier, entry_id)
    assert device is not None
    return device.id


@two_cars
async def test_selected_car(home: Home) -> None:
    """Only the selected one of two cars receives commands and requests."""
    first, second = home.simulator.vehicles
    selected = _device(home, home.entry.entry_id, (DOMAIN, second.vin))
    home.simulator.requests.clear()
    await _act(home, "set_valet_mode", device_id=selected, on=True)
    assert (first.body.valet.on, second.body.valet.on) == (False, True)
    assert (await _query(home, "get_vehicle_data", device_id=selected))["vin"] == second.vin
    assert home.requests() == home.requests(str(second.id))


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("sun_roof_control", {"state": "vent"}),
        ("upcoming_calendar_entries", {"calendar_data": {}}),
        ("get_vehicle_data", {}),
    ],
)
async def test_device_of_the_account(home: Home, action: str, data: Mapping[str, Any]) -> None:
    """The account's device is refused. The error says that it is not a car."""
    account = _device(home, home.entry.entry_id, (DOMAIN, home.entry.entry_id))
    error = await _error(home, home.act(action, device_id=account, **data))
    assert error.translation_key == "not_a_vehicle"
    assert "not a car" in str(error)
    assert _is_undisturbed(home)


async def test_device_of_another_integration(home: Home) -> None:
    """A device of another integration is refused."""
    other = MockConfigEntry(domain="other")
    other.add_to_hass(home.hass)
    device = dr.async_get(home.hass).async_get_or_create(
        config_entry_id=other.entry_id, identifiers={("other", "fridge")}, name="Fridge"
    )
    error = await _error(home, _query(home, "get_vehicle_data", device_id=device.id))
    assert error.translation_key == "not_a_vehicle"


async def test_unknown_device(home: Home) -> None:
    """A device that does not exist is refused."""
    error = await _error(home, _query(home, "get_vehicle_data", device_id="gone"))
    assert error.translation_key == "not_a_vehicle"
    assert "no longer exists" in str(error)


async def test_unloaded_account(home: Home) -> None:
    """Actions for an account that is not loaded, and for its cars, are refused."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    home.simulator.requests.clear()
    for operation in (
        _act(home, "set_valet_mode", on=True),
        _query(home, "get_vehicle_data"),
        _query_account(home, "get_vehicle_subscriptions", device_type="ios"),
    ):
        error = await _error(home, operation)
        assert isinstance(error, ServiceValidationError)
        assert "is not loaded" in str(error)
    assert not home.requests()


async def test_wrong_account(home: Home) -> None:
    """An account that does not exist or belongs to another integration is refused."""
    other = MockConfigEntry(domain="other", title="Fridges")
    other.add_to_hass(home.hass)
    for entry_id, message in (("gone", "gone was not found"), (other.entry_id, "Fridges does not belong")):
        operation = _query_account(
            home, "get_vehicle_subscriptions", config_entry_id=entry_id, device_type="ios"
        )
        error = await _error(home, operation)
        assert isinstance(error, ServiceValidationError)
        assert message in str(error)


# Secrets


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("set_valet_mode", {"on": True}),
        ("get_vehicle_data", {}),
        ("get_vehicle_data", {"record": "charge_state"}),
    ],
    ids=["command", "all data", "record"],
)
async def test_rejected_token(home: Home, action: str, data: Mapping[str, Any]) -> None:
    """An action fails if the token is rejected. Reauthentication starts once the rejection is confirmed."""
    home.simulator.token = "another"
    error = await _error(home, home.act(action, **data))
    assert str(error) == "The service does not accept the access token"
    await home.advance(6)
    assert _open_flows(home) == [SOURCE_REAUTH]


async def test_rejected_token_of_the_account(home: Home) -> None:
    """An account action fails if the token is rejected. Reauthentication starts once it is confirmed."""
    home.simulator.token = "another"
    error = await _error(home, _query_account(home, "get_vehicle_subscriptions", device_type="ios"))
    assert str(error) == "The service does not accept the access token"
    await home.advance(6)
    assert _open_flows(home) == [SOURCE_REAUTH]


async def test_log_contains_no_secrets(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """The logs of the integration and of aiohttp contain no data of actions and no token."""
    loggers = (integration.__name__, "aiohttp")
    for name in loggers:
        caplog.set_level(logging.DEBUG, logger=name)
    home.car.password = PASSWORD
    actions: list[tuple[str, dict[str, Any]]] = [
        ("remote_start_drive", {"password": PASSWORD}),
        ("set_valet_mode", {"on": True, "password": PIN}),
        ("set_valet_mode", {"on": False, "password": PIN}),
        ("speed_limit_activate", {"pin": PIN}),
        ("speed_limit_deactivate", {"pin": PIN}),
        ("speed_limit_clear_pin", {"pin": PIN}),
    ]
    for action, data in actions:
        await _act(home, action, **data)
    await _query_account(home, "confirm_notifications", payload={"device_token": PHONE})
    body = {"response": None, "error": f"{PASSWORD} {PIN} {PHONE} {TOKEN}"}
    for status in (200, 400, 401, 403, 404, 500):
        for action, data in actions:
            home.simulator.faults.answer(status, body=body, only=f"/command/{action}", times=2)
            await _error(home, _act(home, action, **data))
            home.simulator.faults.clear()
        home.simulator.faults.answer(status, body=body, only="/notification_confirmations")
        await _error(home, _query_account(home, "confirm_notifications", payload={"device_token": PHONE}))
    for action, (name, other_data) in WITH_PIN.items():
        await _error(home, _act(home, action, **other_data, **{name: f"{PASSWORD} {PIN}"}))
    await home.advance(20)
    lines = [
        logging.Formatter().format(record)
        for record in caplog.get_records("call")
        if record.name.startswith(loggers)
    ]
    assert lines
    # A port or a timestamp can contain the digits of the PIN by chance.
    secrets = re.compile("|".join((*map(re.escape, (PASSWORD, PHONE, TOKEN)), rf"\b{PIN}\b")))
    assert not [line for line in lines if secrets.search(line)]


async def test_unquoted_on(home: Home) -> None:
    """An unquoted `on` as the name of a field works, although YAML reads it as true."""
    data: dict[Any, Any] = {"device_id": home.device.id, True: True}
    await home.hass.services.async_call(DOMAIN, "set_valet_mode", data, blocking=True)
    assert home.car.body.valet.on
