"""Actions, as an owner uses them."""

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
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full, service_data
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

# What nobody may keep, by the interface document's names.
SECRET: Final = {"tokens", "backseat_token", "backseat_token_updated_at", "user_id"}

# Every action that takes a PIN: what the PIN is called there, and what else is needed.
WITH_PIN: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "set_valet_mode": ("password", {"on": True}),
    "speed_limit_activate": ("pin", {}),
    "speed_limit_deactivate": ("pin", {}),
    "speed_limit_clear_pin": ("pin", {}),
}

two_cars = pytest.mark.parametrize("cars", [2])


async def _tell(home: Home, action: str, **data: Any) -> None:
    """Use an action that has no response."""
    assert await home.act(action, **data) is None


async def _ask(home: Home, action: str, **data: Any) -> dict[str, Any]:
    """Use an action that has a response, and return it."""
    response = await home.act(action, **data)
    assert response is not None
    return dict(response)


async def _of_account(home: Home, action: str, **data: Any) -> Any:
    """Use an action of the account, and return its response."""
    data = {"config_entry_id": home.entry.entry_id, **data}
    return await home.hass.services.async_call(DOMAIN, action, data, blocking=True, return_response=True)


async def _error(home: Home, doing: Awaitable[Any]) -> HomeAssistantError:
    """Return how it ends, which is badly. Time passes until it does."""
    (ended,) = await home.while_time_passes(doing)
    assert isinstance(ended, HomeAssistantError), repr(ended)
    return ended


async def _refusal(home: Home, doing: Awaitable[Any]) -> str:
    """Return how it is refused, by the action's form or by what is behind it."""
    (ended,) = await home.while_time_passes(doing)
    assert isinstance(ended, HomeAssistantError | vol.Invalid), repr(ended)
    return str(ended)


async def _asleep(home: Home) -> None:
    """Let the car sleep and Home Assistant notice."""
    home.car.fall_asleep()
    await home.advance(65, step=65)
    assert home.shown(*STATE).state == "asleep"
    home.simulator.requests.clear()


def _sent(home: Home, command: str) -> list[dict[str, str]]:
    return [each.query for each in home.simulator.requests if each.path.endswith(f"/command/{command}")]


def _is_left_alone(home: Home) -> bool:
    """Whether the car was told nothing, and not woken."""
    return not home.requests("/command/") and not home.requests("/wake_up")


def _flows(home: Home) -> list[str | None]:
    """Return why dialogs are open."""
    flows = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    return [flow["context"].get("source") for flow in flows]


# What is given


@pytest.mark.parametrize("action", WITH_PIN)
@pytest.mark.parametrize(("pin", "sent"), [("0123", "0123"), ("0000", "0000"), (1234, "1234")])
async def test_pin(home: Home, action: str, pin: Any, sent: str) -> None:
    """A PIN arrives digit by digit, zeros in front included, also where YAML has made a number of it."""
    home.car.body.speed_limit.pin = sent
    home.car.body.speed_limit.active = action == "speed_limit_deactivate"
    name, others = WITH_PIN[action]
    await _tell(home, action, **others, **{name: pin})
    assert [query[name] for query in _sent(home, action)] == [sent]


@pytest.mark.parametrize(
    "pin",
    [
        pytest.param(83, id="what YAML makes of 0123"),
        pytest.param("12345", id="too long"),
        pytest.param("123", id="too short"),
        pytest.param("12a4", id="letter"),
        pytest.param("1234 ", id="blank"),
        pytest.param("١٢٣٤", id="digits of another script"),
        pytest.param(-1234, id="negative"),
        pytest.param(12.34, id="fraction"),
        pytest.param("", id="empty"),
        pytest.param(True, id="no text"),
    ],
)
async def test_no_pin(home: Home, pin: Any) -> None:
    """What is not four digits is refused in words by every action, before the car is woken."""
    await _asleep(home)
    errors = [
        await _error(home, _tell(home, action, **others, **{name: pin}))
        for action, (name, others) in WITH_PIN.items()
    ]
    assert {error.translation_key for error in errors} == {"invalid_pin"}
    assert all("has to be exactly four digits" in str(error) for error in errors)
    assert _is_left_alone(home)


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
async def test_missing(home: Home, action: str, data: Mapping[str, Any], missing: str) -> None:
    """An action without what it needs is refused, naming it, and nothing is sent."""
    with pytest.raises(vol.Invalid, match=missing):
        await _tell(home, action, **data)
    assert _is_left_alone(home)


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
async def test_null(home: Home, action: str, data: Mapping[str, Any], missing: str) -> None:
    """What is needed and is null, as templates make it, is missing: it is named before the car is woken."""
    await _asleep(home)
    assert missing in await _refusal(home, _tell(home, action, **data))
    assert _is_left_alone(home)


async def test_percent_is_missing(home: Home) -> None:
    """A roof that is to move is not moved without being told how far."""
    error = await _error(home, _tell(home, "sun_roof_control", state="move"))
    assert error.translation_key == "missing_value"
    assert str(error) == "percent is missing"
    assert _is_left_alone(home)


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
async def test_null_is_left_out(
    home: Home, action: str, data: Mapping[str, Any], sent: Mapping[str, str]
) -> None:
    """What may be left out and is null, as templates make it, is left out."""
    await _tell(home, action, **data)
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
    """A value that makes no sense is refused in words that name it, before the car is woken."""
    await _asleep(home)
    error = await _error(home, _tell(home, action, **data))
    assert isinstance(error, ServiceValidationError)
    assert error.translation_key == "invalid_value"
    assert str(error).endswith(f": {wrong}")
    assert _is_left_alone(home)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"driver_temp": 14.5}, "driver_temp"),
        ({"driver_temp": 27}, "driver_temp"),
        ({"driver_temp": 21, "passenger_temp": 26.5}, "passenger_temp"),
        ({"passenger_temp": "warm"}, "passenger_temp"),
    ],
    ids=["too cold", "too warm", "only one of two", "no number"],
)
async def test_temperature_beyond_the_car(home: Home, given: Mapping[str, Any], wrong: str) -> None:
    """A temperature that this very car does not take is refused with its bounds, before the car is woken."""
    home.simulator.faults.corrupt("climate_state.max_avail_temp", 26)
    await home.poll()
    await _asleep(home)
    error = await _error(home, _tell(home, "set_temps", **given))
    assert isinstance(error, ServiceValidationError)
    assert str(error) == f"{wrong} has to be between 15 and 26"
    assert _is_left_alone(home)


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"driver_temp": 19}, {"driver_temp": "19.0", "passenger_temp": "25.0"}),
        ({"passenger_temp": 19}, {"driver_temp": "21.0", "passenger_temp": "19.0"}),
        ({"driver_temp": 18, "passenger_temp": 19}, {"driver_temp": "18.0", "passenger_temp": "19.0"}),
    ],
    ids=["driver", "passenger", "both"],
)
async def test_sides(home: Home, given: Mapping[str, float], sent: Mapping[str, str]) -> None:
    """Each side of the cabin can be set alone; the other one stays as it was."""
    await home.call("number", "set_value", PASSENGER, value=25)
    await _tell(home, "set_temps", **given)
    assert _sent(home, "set_temps")[1:] == [sent]


# What the car does


async def test_remote_start(home: Home) -> None:
    """With the owner's password the car may be driven without a key, which is shown at once."""
    await _tell(home, "remote_start_drive", password=home.car.password)
    assert home.car.body.remote_start
    assert home.shown(*REMOTE_START).state == "on"
    await home.advance(5)
    assert home.shown(*REMOTE_START).state == "on"


async def test_remote_start_with_a_wrong_password(home: Home) -> None:
    """With another password the car refuses, and says why without repeating it."""
    error = await _error(home, _tell(home, "remote_start_drive", password=PASSWORD))
    assert str(error) == "The car refused: Authorization Required"
    assert PASSWORD not in repr(error.translation_placeholders)
    assert home.shown(*REMOTE_START).state == "off"


@pytest.mark.parametrize("status", [200, 400, 403, 500])
async def test_service_that_repeats_the_password(home: Home, status: int) -> None:
    """A service that repeats what it was sent does not make us repeat it."""
    said = f"no: {PASSWORD}, from /remote_start_drive?password=pass%20%26"
    home.simulator.faults.answer(status, body={"response": None, "error": said}, only="remote_start_drive")
    error = await _error(home, _tell(home, "remote_start_drive", password=PASSWORD))
    told = f"{error} {error!r} {error.translation_placeholders} {error.__cause__!r}"
    assert PASSWORD not in told
    assert "pass%20" not in told


async def test_speed_limit(home: Home) -> None:
    """The speed limit is activated, lifted, and its PIN forgotten."""
    await _tell(home, "speed_limit_activate", pin=PIN)
    assert (home.car.body.speed_limit.active, home.car.body.speed_limit.pin) == (True, PIN)
    await _tell(home, "speed_limit_deactivate", pin=PIN)
    assert (home.car.body.speed_limit.active, home.car.body.speed_limit.pin) == (False, PIN)
    await _tell(home, "speed_limit_clear_pin", pin=PIN)
    assert home.car.body.speed_limit.pin is None


async def test_speed_limit_is_shown_at_once(home: Home) -> None:
    """A speed limit is shown as active at once, and as lifted at once."""
    active = ("binary_sensor", "vehicle_state.speed_limit_mode.active")
    await _tell(home, "speed_limit_activate", pin=PIN)
    assert home.shown(*active).state == "on"
    await _tell(home, "speed_limit_deactivate", pin=PIN)
    assert home.shown(*active).state == "off"


@pytest.mark.parametrize("action", ["speed_limit_deactivate", "speed_limit_clear_pin"])
async def test_wrong_pin(home: Home, action: str) -> None:
    """With a wrong PIN the car refuses, and says why; the speed limit stays."""
    await _tell(home, "speed_limit_activate", pin=PIN)
    error = await _error(home, _tell(home, action, pin="1111"))
    assert str(error) == "The car refused because the PIN is not the one that was set"
    assert home.car.body.speed_limit.active


async def test_valet_mode(home: Home) -> None:
    """Valet mode is turned on with a PIN, which is shown at once, and off with the same."""
    await _tell(home, "set_valet_mode", on=True, password=PIN)
    assert (home.car.body.valet.on, home.car.body.valet.pin) == (True, PIN)
    assert home.shown(*VALET).state == "on"
    await _tell(home, "set_valet_mode", on=False, password=PIN)
    assert not home.car.body.valet.on
    assert home.shown(*VALET).state == "off"


async def test_valet_pin_is_used_again(home: Home) -> None:
    """Without a new PIN, valet mode has the one of the last time."""
    await _tell(home, "set_valet_mode", on=True, password=PIN)
    await _tell(home, "set_valet_mode", on=False)
    await _tell(home, "set_valet_mode", on=True)
    assert (home.car.body.valet.on, home.car.body.valet.pin) == (True, PIN)
    assert _sent(home, "set_valet_mode")[1:] == [{"on": "false"}, {"on": "true"}]


async def test_wrong_valet_pin(home: Home) -> None:
    """Valet mode stays on if the PIN is wrong, and the car says why."""
    await _tell(home, "set_valet_mode", on=True, password=PIN)
    error = await _error(home, _tell(home, "set_valet_mode", on=False, password="1111"))
    assert str(error) == "The car refused because the PIN is not the one that was set"
    assert home.shown(*VALET).state == "on"


async def test_sun_roof(home: Home) -> None:
    """The sun roof goes to a percentage, and is shown there once it has arrived."""
    await _tell(home, "sun_roof_control", state="move", percent=40)
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
    """A car that sleeps is woken for a command, which is then sent once."""
    await _asleep(home)
    assert await home.while_time_passes(_tell(home, action, **data)) == [None]
    assert len(home.requests("/wake_up")) == 1
    assert len(_sent(home, action)) == 1


# What the car says


async def test_vehicle_data(home: Home) -> None:
    """What the car says comes as it came from the service, but for what nobody may keep."""
    expected = {name: value for name, value in full(home.car, Variant.CURRENT).items() if name not in SECRET}
    assert await _ask(home, "get_vehicle_data") == expected


async def test_vehicle_data_with_unheard_of_words(home: Home) -> None:
    """What nobody here has heard of comes too."""
    home.simulator.faults.corrupt("charge_state.flux_capacitor", 1.21)
    assert (await _ask(home, "get_vehicle_data"))["charge_state"]["flux_capacitor"] == 1.21


@pytest.mark.parametrize("name", sorted(SECRET))
async def test_vehicle_data_holds_no_secret(home: Home, name: str) -> None:
    """What nobody may keep is left out wherever it stands."""
    home.simulator.faults.corrupt(name, "secret")
    home.simulator.faults.corrupt(f"vehicle_state.{name}", "secret")
    home.simulator.faults.corrupt("vehicle_state.drivers", [{name: ["secret"], "seat": 1}])
    whole = await _ask(home, "get_vehicle_data")
    assert "secret" not in str(whole)
    assert whole["vehicle_state"]["drivers"] == [{"seat": 1}]


@pytest.mark.parametrize("record", RECORDS)
async def test_record(home: Home, record: str) -> None:
    """One record comes alone, as it came from the service."""
    expected = RECORDS[record](home.car, Variant.CURRENT)
    assert await _ask(home, "get_vehicle_data", record=record) == expected


async def test_legacy_record(home: Home) -> None:
    """The legacy data has what only the legacy service says."""
    legacy = await _ask(home, "get_vehicle_data", record="legacy")
    assert legacy["vehicle_state"]["autopark_state"] == "unavailable"
    assert legacy["climate_state"]["seat_heater_rear_center"] is False
    assert not SECRET & set(legacy)


async def test_vehicle_data_is_shown(home: Home) -> None:
    """What the car says to an action, its entities show at once."""
    home.car.set_level(41)
    await _ask(home, "get_vehicle_data")
    assert home.shown(*BATTERY).state == "41"


async def test_vehicle_data_ends_the_silence(home: Home) -> None:
    """A car that was silent until its values were too old shows new ones once an action has read it."""
    home.car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(502, times=10_000, only="/vehicle_data")
    await home.advance(20 * 60, step=20)
    assert home.shown(*BATTERY).state == "unavailable"
    home.simulator.faults.clear()
    await _ask(home, "get_vehicle_data")
    await home.idle()
    assert home.shown(*BATTERY).state == "72"


async def test_vehicle_data_of_a_legacy_service(empty_home: Home) -> None:
    """Where the current read is not found, the legacy one is what the car says."""
    empty_home.simulator.switches.profile = "legacy-2018"
    await empty_home.set_up()
    whole = await _ask(empty_home, "get_vehicle_data")
    assert whole["vehicle_state"]["autopark_state"] == "unavailable"


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("get_vehicle_data", {}),
        ("get_vehicle_data", {"record": "charge_state"}),
        ("get_vehicle_data", {"record": "legacy"}),
        ("get_mobile_enabled", {}),
    ],
)
async def test_reading_wakes_nobody(home: Home, action: str, data: Mapping[str, Any]) -> None:
    """A car that sleeps is not woken to be read; the error says that it sleeps."""
    await _asleep(home)
    error = await _error(home, _ask(home, action, **data))
    assert str(error) == "The car is asleep or out of coverage"
    assert _is_left_alone(home)
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
async def test_service_that_lacks_it(home: Home, action: str, data: Mapping[str, Any], path: str) -> None:
    """What the service does not offer is an error in words, and leaves everything else as it was."""
    before = home.states()
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}/{path}", {"error": "not_found"}, 404)
    error = await _error(home, _ask(home, action, **data))
    assert error.translation_key == "not_found"
    assert "does not offer this" in str(error)
    assert home.states() == before
    assert home.entry.state is ConfigEntryState.LOADED
    assert not _flows(home)


async def test_unknown_record(home: Home) -> None:
    """A record that there is none of is refused, and nothing is asked."""
    home.simulator.requests.clear()
    with pytest.raises(vol.Invalid, match="record"):
        await _ask(home, "get_vehicle_data", record="vehicle_config")
    assert not home.requests()


async def test_service_data(home: Home) -> None:
    """The workshop says how it goes while the car is there, and nothing before."""
    assert await _ask(home, "get_service_data") == {}
    home.car.service(on=True)
    said = await _ask(home, "get_service_data")
    assert said == service_data(home.car)
    assert said["service_status"] == "in_service"


async def test_service_data_of_a_sleeping_car(home: Home) -> None:
    """The workshop can be asked while the car sleeps, which goes on sleeping."""
    await _asleep(home)
    assert await _ask(home, "get_service_data") == {}
    assert home.car.state == "asleep"


async def test_service_data_of_null(home: Home) -> None:
    """A workshop that answers null says nothing."""
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}/service_data", {"response": None})
    assert await _ask(home, "get_service_data") == {}


async def test_reading_in_the_workshop(home: Home) -> None:
    """A car in the workshop is not read; the error says that it is there."""
    home.car.service(on=True)
    error = await _error(home, _ask(home, "get_vehicle_data"))
    assert error.translation_key == "in_service"


@pytest.mark.parametrize("on", [True, False])
async def test_mobile_enabled(home: Home, *, on: bool) -> None:
    """The car says whether its owner lets it be reached."""
    home.car.mobile_access(on=on)
    assert await _ask(home, "get_mobile_enabled") == {"mobile_enabled": on}


@pytest.mark.parametrize("on", [True, False])
async def test_mobile_enabled_of_newer_services(home: Home, *, on: bool) -> None:
    """Newer services say it as a result."""
    path = f"/api/1/vehicles/{home.car.id}/mobile_enabled"
    home.simulator.faults.serve("GET", path, {"response": {"result": on, "reason": ""}})
    assert await _ask(home, "get_mobile_enabled") == {"mobile_enabled": on}


@pytest.mark.parametrize("answer", ["perhaps", None, 2, [], [True], {}, {"reason": "true"}, {"result": None}])
async def test_mobile_enabled_that_says_nothing(home: Home, answer: Any) -> None:
    """An answer that is neither yes nor no is an error, and not taken for either."""
    path = f"/api/1/vehicles/{home.car.id}/mobile_enabled"
    home.simulator.faults.serve("GET", path, {"response": answer})
    error = await _error(home, _ask(home, "get_mobile_enabled"))
    assert error.translation_key == "malformed_answer"


# Appointments


class Appointments(CalendarEntity):
    """A calendar of Home Assistant with two appointments, whenever it is asked."""

    _attr_name = "Work"

    def __init__(self) -> None:
        """Begin without having been asked."""
        self.asked: list[tuple[datetime, datetime]] = []

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """Return that there is none just now."""
        return None

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        """Return an hour in the morning, and the day after it."""
        self.asked.append((start_date, end_date))
        morning = datetime(2020, 3, 14, 9, tzinfo=dt_util.get_default_time_zone())
        return [
            CalendarEvent(morning, morning + timedelta(hours=1), "Dentist", location="Elm Street 7"),
            CalendarEvent(date(2020, 3, 15), date(2020, 3, 16), "Birthday"),
        ]


@pytest.fixture
async def calendar(home: Home) -> Appointments:
    """The calendar, in a home in Amsterdam: an hour ahead of UTC in March."""
    await home.hass.config.async_set_time_zone("Europe/Amsterdam")
    calendar = Appointments()
    mock_integration(home.hass, MockModule("test"))
    setup_test_component_platform(home.hass, "calendar", [calendar])
    assert await async_setup_component(home.hass, "calendar", {"calendar": {"platform": "test"}})
    await home.idle()
    home.simulator.requests.clear()
    return calendar


async def _shown_appointments(home: Home, **data: Any) -> list[dict[str, Any]]:
    """Send the calendar, and return what the car got to show."""
    await _tell(home, "upcoming_calendar_entries", calendar_entity_id="calendar.work", **data)
    sent: Any = home.car.body.calendar
    (shown,) = sent["calendars"]
    events: list[dict[str, Any]] = shown["events"]
    return events


async def test_calendar_data(home: Home) -> None:
    """Appointments of one's own arrive in the car as they are."""
    given = {"calendars": [{"name": "Famille", "events": [{"name": "Fête"}]}], "access_disabled": False}
    await _tell(home, "upcoming_calendar_entries", calendar_data=given)
    assert home.car.body.calendar == given


async def test_calendar(home: Home, calendar: Appointments) -> None:
    """A calendar of Home Assistant arrives under its name, with its appointments' names and places."""
    events = await _shown_appointments(home)
    sent: Any = home.car.body.calendar
    assert sent["access_disabled"] is False
    assert sent["phone_name"] == home.hass.config.location_name
    assert sent["calendars"][0]["name"] == "Work"
    assert [(each["name"], each["location"]) for each in events] == [
        ("Dentist", "Elm Street 7"),
        ("Birthday", ""),
    ]


async def test_moments_of_the_calendar(home: Home, calendar: Appointments) -> None:
    """An appointment is sent in milliseconds since 1970; a day begins at midnight where people live."""
    events = await _shown_appointments(home)
    assert [(each["start"], each["end"]) for each in events] == [
        (1584172800000, 1584176400000),
        (1584226800000, 1584313200000),
    ]


async def test_days_of_the_calendar(home: Home, calendar: Appointments) -> None:
    """An appointment for the whole day is sent as such, and one at an hour is not."""
    events = await _shown_appointments(home)
    assert [each["allday"] for each in events] == [False, True]


@pytest.mark.parametrize(("given", "hours"), [({}, 24), ({"hours": 1}, 1), ({"hours": 100.5}, 100.5)])
async def test_hours_of_the_calendar(
    home: Home, calendar: Appointments, given: Mapping[str, float], hours: float
) -> None:
    """The appointments of the next hours are sent, of 24 unless told otherwise."""
    await _shown_appointments(home, **given)
    assert calendar.asked == [(dt_util.now(), dt_util.now() + timedelta(hours=hours))]


@pytest.mark.parametrize("hours", [0, 337, "soon"])
async def test_too_many_hours(home: Home, calendar: Appointments, hours: Any) -> None:
    """No time, more than two weeks, or what is no number, is refused, and nothing is sent."""
    with pytest.raises(vol.Invalid, match="hours"):
        await _shown_appointments(home, hours=hours)
    assert not calendar.asked
    assert _is_left_alone(home)


async def test_calendar_replaces_itself(home: Home, calendar: Appointments) -> None:
    """A calendar that is sent again comes from the same sender, so that the car does not show it twice."""
    senders = []
    for _ in range(2):
        await _shown_appointments(home)
        senders.append(home.car.body.calendar["uuid"])
    assert senders[0]
    assert senders[0] == senders[1]


async def test_calendar_or_data(home: Home, calendar: Appointments) -> None:
    """A calendar and data of one's own together are refused, and nothing is sent."""
    with pytest.raises(vol.Invalid):
        await _shown_appointments(home, calendar_data={})
    assert not calendar.asked
    assert _is_left_alone(home)


async def test_no_calendar(home: Home) -> None:
    """A calendar that there is not is named, and the car is not woken."""
    await _asleep(home)
    error = await _error(home, _tell(home, "upcoming_calendar_entries", calendar_entity_id="calendar.gone"))
    assert str(error) == "There is no calendar calendar.gone"
    assert _is_left_alone(home)


async def test_calendar_that_is_unavailable(home: Home, calendar: Appointments) -> None:
    """A calendar that cannot be asked is an error, and nothing is sent."""
    calendar._attr_available = False  # noqa: SLF001 - as its own integration would
    calendar.async_write_ha_state()
    await _error(home, _shown_appointments(home))
    assert _is_left_alone(home)


@pytest.mark.parametrize("field", ["calendar_enabled", "vehicle_state.calendar_supported"])
async def test_calendar_that_is_switched_off(home: Home, calendar: Appointments, field: str) -> None:
    """A car that shows no appointments is sent none, and the error says why."""
    home.simulator.faults.corrupt(field, value=False)
    await home.poll()
    error = await _error(home, _shown_appointments(home))
    assert error.translation_key == "calendar_off"
    assert "does not show appointments" in str(error)
    assert not calendar.asked
    assert _is_left_alone(home)


# The account


@two_cars
async def test_subscriptions(home: Home) -> None:
    """The cars that a device is told about are set, and are returned then."""
    _, second = home.simulator.vehicles
    payload = {"device_type": "android", "vehicle_ids": [second.id]}
    expected = {"response": [second.id]}
    assert await _of_account(home, "set_vehicle_subscriptions", payload=payload) == expected
    assert await _of_account(home, "get_vehicle_subscriptions", device_type="android") == expected
    both = await _of_account(home, "get_vehicle_subscriptions", device_type="ios")
    assert both == {"response": [car.id for car in home.simulator.vehicles]}


async def test_preferences(home: Home) -> None:
    """What a device wants to be told is set, and is returned then, for its platform."""
    kind = {"device_type": "ios", "platform": "apns"}
    payload = {**kind, "quiet_hours": [22, 7]}
    expected = {"response": {"quiet_hours": [22, 7]}}
    assert await _of_account(home, "set_notification_preferences", payload=payload) == expected
    assert await _of_account(home, "get_notification_preferences", **kind) == expected
    other = await _of_account(home, "get_notification_preferences", device_type="ios")
    assert other == {"response": {}}


async def test_confirmation(home: Home) -> None:
    """Notifications are confirmed, and the service takes note of it."""
    payload = {"notification_ids": [1, 2]}
    assert await _of_account(home, "confirm_notifications", payload=payload) == {"response": True}


@pytest.mark.parametrize(
    ("action", "path"),
    [
        ("set_vehicle_subscriptions", "vehicle_subscriptions"),
        ("set_notification_preferences", "notification_preferences"),
        ("confirm_notifications", "notification_confirmations"),
    ],
)
async def test_nobody_wants_to_know(home: Home, action: str, path: str) -> None:
    """What is set without asking for a response is set all the same."""
    data = {"config_entry_id": home.entry.entry_id, "payload": {"device_type": "ios"}}
    assert await home.hass.services.async_call(DOMAIN, action, data, blocking=True) is None
    assert home.requests(path) == [f"/api/1/{path}"]


@pytest.mark.parametrize("device_type", ["windows", "", "iOS", 1])
async def test_wrong_device_type(home: Home, device_type: Any) -> None:
    """A device is of one of the two types that there are; any other is refused in words and not sent."""
    home.simulator.requests.clear()
    for action in ("get_vehicle_subscriptions", "get_notification_preferences"):
        error = await _error(home, _of_account(home, action, device_type=device_type))
        assert error.translation_key == "invalid_value"
        assert str(error).endswith(": device_type")
    assert not home.requests()


@pytest.mark.parametrize(
    "payload", ["everything", ["everything"], {"since": date(2020, 3, 14)}, {"ids": {1, 2}}], ids=str
)
async def test_wrong_payload(home: Home, payload: Any) -> None:
    """A payload that is no JSON object is refused in words and not sent."""
    home.simulator.requests.clear()
    error = await _error(home, _of_account(home, "confirm_notifications", payload=payload))
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
async def test_missing_for_the_account(home: Home, action: str, missing: str) -> None:
    """An action without what it needs is refused, naming it; null is as good as nothing."""
    home.simulator.requests.clear()
    assert missing in await _refusal(home, _of_account(home, action))
    assert missing in await _refusal(home, _of_account(home, action, **{missing: None}))
    assert not home.requests()


async def test_account_holds_no_secret(home: Home) -> None:
    """What nobody may keep is left out of what the service says of the account, too."""
    said = [{"id": 1, **dict.fromkeys(SECRET, "secret")}]
    home.simulator.faults.serve("GET", "/api/1/vehicle_subscriptions", {"response": said})
    response = await _of_account(home, "get_vehicle_subscriptions", device_type="ios")
    assert response == {"response": [{"id": 1}]}


@pytest.mark.parametrize(
    ("status", "key"), [(404, "not_found"), (500, "service_down"), (403, "permission_denied")]
)
async def test_service_that_lacks_accounts(home: Home, status: int, key: str) -> None:
    """What goes wrong with the account is an error in words, and leaves the cars as they were."""
    before = home.states()
    home.simulator.faults.answer(status, only="/vehicle_subscriptions")
    error = await _error(home, _of_account(home, "get_vehicle_subscriptions", device_type="ios"))
    assert error.translation_key == key
    assert home.states() == before
    assert not _flows(home)


# Whom it is about


def _device(home: Home, entry_id: str, identifier: tuple[str, str]) -> str:
    device = dr.async_get(home.hass).async_get_device_by_identifier(identifier, entry_id)
    assert device is not None
    return device.id


@two_cars
async def test_chosen_car(home: Home) -> None:
    """Of two cars only the chosen one is told, and only it is read."""
    first, second = home.simulator.vehicles
    chosen = _device(home, home.entry.entry_id, (DOMAIN, second.vin))
    home.simulator.requests.clear()
    await _tell(home, "set_valet_mode", device_id=chosen, on=True)
    assert (first.body.valet.on, second.body.valet.on) == (False, True)
    assert (await _ask(home, "get_vehicle_data", device_id=chosen))["vin"] == second.vin
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
    """The account's device is no car, and the error says so."""
    account = _device(home, home.entry.entry_id, (DOMAIN, home.entry.entry_id))
    error = await _error(home, home.act(action, device_id=account, **data))
    assert error.translation_key == "not_a_vehicle"
    assert "not a car" in str(error)
    assert _is_left_alone(home)


async def test_device_of_another_integration(home: Home) -> None:
    """Another integration's device is refused in words."""
    other = MockConfigEntry(domain="other")
    other.add_to_hass(home.hass)
    device = dr.async_get(home.hass).async_get_or_create(
        config_entry_id=other.entry_id, identifiers={("other", "fridge")}, name="Fridge"
    )
    error = await _error(home, _ask(home, "get_vehicle_data", device_id=device.id))
    assert error.translation_key == "not_a_vehicle"


async def test_unknown_device(home: Home) -> None:
    """A device that there is not is refused in words."""
    error = await _error(home, _ask(home, "get_vehicle_data", device_id="gone"))
    assert error.translation_key == "not_a_vehicle"
    assert "no longer exists" in str(error)


async def test_unloaded_account(home: Home) -> None:
    """An action of an account that is not loaded is refused in words, for its cars and for itself."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    home.simulator.requests.clear()
    for doing in (
        _tell(home, "set_valet_mode", on=True),
        _ask(home, "get_vehicle_data"),
        _of_account(home, "get_vehicle_subscriptions", device_type="ios"),
    ):
        error = await _error(home, doing)
        assert isinstance(error, ServiceValidationError)
        assert "is not loaded" in str(error)
    assert not home.requests()


async def test_wrong_account(home: Home) -> None:
    """An account that there is not, or that is another integration's, is refused in words."""
    other = MockConfigEntry(domain="other", title="Fridges")
    other.add_to_hass(home.hass)
    for entry_id, words in (("gone", "gone was not found"), (other.entry_id, "Fridges does not belong")):
        asked = _of_account(home, "get_vehicle_subscriptions", config_entry_id=entry_id, device_type="ios")
        error = await _error(home, asked)
        assert isinstance(error, ServiceValidationError)
        assert words in str(error)


# Secrets


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("set_valet_mode", {"on": True}),
        ("get_vehicle_data", {}),
        ("get_vehicle_data", {"record": "charge_state"}),
    ],
    ids=["command", "everything", "record"],
)
async def test_rejected_token(home: Home, action: str, data: Mapping[str, Any]) -> None:
    """An action with a refused token says so. The dialog opens once the refusal is confirmed."""
    home.simulator.token = "another"
    error = await _error(home, home.act(action, **data))
    assert str(error) == "The service does not accept the access token"
    await home.advance(6)
    assert _flows(home) == [SOURCE_REAUTH]


async def test_rejected_token_of_the_account(home: Home) -> None:
    """So does an action of the account."""
    home.simulator.token = "another"
    error = await _error(home, _of_account(home, "get_vehicle_subscriptions", device_type="ios"))
    assert str(error) == "The service does not accept the access token"
    await home.advance(6)
    assert _flows(home) == [SOURCE_REAUTH]


async def test_log_holds_no_secret(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever becomes of an action, no log of ours or of aiohttp holds what it was given, nor the token."""
    loggers = (integration.__name__, "aiohttp")
    for name in loggers:
        caplog.set_level(logging.DEBUG, logger=name)
    home.car.password = PASSWORD
    used: list[tuple[str, dict[str, Any]]] = [
        ("remote_start_drive", {"password": PASSWORD}),
        ("set_valet_mode", {"on": True, "password": PIN}),
        ("set_valet_mode", {"on": False, "password": PIN}),
        ("speed_limit_activate", {"pin": PIN}),
        ("speed_limit_deactivate", {"pin": PIN}),
        ("speed_limit_clear_pin", {"pin": PIN}),
    ]
    for action, data in used:
        await _tell(home, action, **data)
    await _of_account(home, "confirm_notifications", payload={"device_token": PHONE})
    said = {"response": None, "error": f"{PASSWORD} {PIN} {PHONE} {TOKEN}"}
    for status in (200, 400, 401, 403, 404, 500):
        for action, data in used:
            home.simulator.faults.answer(status, body=said, only=f"/command/{action}", times=2)
            await _error(home, _tell(home, action, **data))
            home.simulator.faults.clear()
        home.simulator.faults.answer(status, body=said, only="/notification_confirmations")
        await _error(home, _of_account(home, "confirm_notifications", payload={"device_token": PHONE}))
    for action, (name, others) in WITH_PIN.items():
        await _error(home, _tell(home, action, **others, **{name: f"{PASSWORD} {PIN}"}))
    await home.advance(20)
    lines = [
        logging.Formatter().format(record)
        for record in caplog.get_records("call")
        if record.name.startswith(loggers)
    ]
    assert lines
    # The PIN stands alone: the same digits in the midst of a port or a moment are not it.
    secrets = re.compile("|".join((*map(re.escape, (PASSWORD, PHONE, TOKEN)), rf"\b{PIN}\b")))
    assert not [line for line in lines if secrets.search(line)]


async def test_unquoted_name(home: Home) -> None:
    """In YAML, an unquoted `on` is the value true; an automation written so works all the same."""
    data: dict[Any, Any] = {"device_id": home.device.id, True: True}
    await home.hass.services.async_call(DOMAIN, "set_valet_mode", data, blocking=True)
    assert home.car.body.valet.on
