"""The table of commands, held against the interface document, and what is sent for a value."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.commands import (
    ACTUATE_TRUNK,
    CHARGE_MAX_RANGE,
    CHARGE_STANDARD,
    CHARGE_START,
    CHARGE_STOP,
    COMMANDS,
    CONFIRM_NOTIFICATIONS,
    DATA_REQUESTS,
    DOOR_LOCK,
    ENDPOINTS,
    FLASH_LIGHTS,
    GET_NOTIFICATION_PREFERENCES,
    GET_VEHICLE_SUBSCRIPTIONS,
    HONK_HORN,
    REMOTE_START_DRIVE,
    SET_CHARGE_LIMIT,
    SET_NOTIFICATION_PREFERENCES,
    SET_TEMPS,
    SET_VALET_MODE,
    SET_VEHICLE_SUBSCRIPTIONS,
    SPEED_LIMIT_ACTIVATE,
    SPEED_LIMIT_CLEAR_PIN,
    SPEED_LIMIT_DEACTIVATE,
    SPEED_LIMIT_SET_LIMIT,
    SUN_ROOF_CONTROL,
    UPCOMING_CALENDAR_ENTRIES,
    VEHICLE,
    VEHICLES,
    WAKE_UP,
    Command,
    Endpoint,
    Parameter,
)
from custom_components.vehicle_remote_access.api.errors import (
    InvalidPinError,
    InvalidValueError,
    MissingValueError,
)
from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import (
    ChargeState,
    ClimateState,
    SpeedLimitMode,
    Vehicle,
    VehicleState,
)
from custom_components.vehicle_remote_access.api.value_types import PERCENT

from .conftest import PASSWORD, PIN, documented, holds_secret

DOCUMENTED: Final = documented("endpoints")["endpoints"]

# The interface document leaves these out, or leaves out their names.
NOT_DOCUMENTED: Final = {VEHICLES, VEHICLE, DATA_REQUESTS["vehicle_state"], DATA_REQUESTS["vehicle_config"]}
NAMES_NOT_DOCUMENTED: Final[Mapping[Endpoint, set[str]]] = {
    ACTUATE_TRUNK: {"which_trunk"},
    SPEED_LIMIT_ACTIVATE: {"pin"},
    SPEED_LIMIT_DEACTIVATE: {"pin"},
    SPEED_LIMIT_SET_LIMIT: {"limit_mph"},
    SPEED_LIMIT_CLEAR_PIN: {"pin"},
    GET_VEHICLE_SUBSCRIPTIONS: {"device_type"},
    GET_NOTIFICATION_PREFERENCES: {"device_type", "platform"},
    UPCOMING_CALENDAR_ENTRIES: {"calendar_data"},
}
TAKES_PAYLOAD: Final = (SET_VEHICLE_SUBSCRIPTIONS, SET_NOTIFICATION_PREFERENCES, CONFIRM_NOTIFICATIONS)
CALENDAR: Final = {"name": "Family", "events": [{"start": 1554379200000, "allday": False}]}
PARKED: Final = Vehicle.parse({"charge_state": {"charge_limit_soc_std": 90, "charge_limit_soc_max": 100}})


def named(endpoint: Endpoint) -> str:
    """Return a name for a test about an endpoint."""
    return f"{endpoint.method} {endpoint.path}"


def called(value: Any) -> str | None:
    """Return a name for a test about a command and values, of which these name themselves."""
    return value.name if isinstance(value, Command) else None


def documented_parameters(endpoint: Endpoint) -> dict[str, Any]:
    """Return what the interface document says of an endpoint's named parameters."""
    said = next(each for each in DOCUMENTED if named(endpoint) == f"{each['method']} {each['path']}")
    return {each["name"]: each for each in said["parameters"] if each["name"] is not None}


def car(parameter: Parameter, low: float | None, high: float | None) -> Vehicle:
    """Return a car that names these limits of a parameter."""
    assert parameter.bounds is not None
    vehicle = Vehicle.parse({})
    for field, value in zip(parameter.bounds, (low, high), strict=True):
        vehicle = vehicle.replacing(field, value)
    return vehicle


# The table


def test_every_documented_endpoint_is_in_the_table() -> None:
    """The table has every endpoint of the interface document, and of others those that are accounted for."""
    table = sorted(named(endpoint) for endpoint in ENDPOINTS if endpoint not in NOT_DOCUMENTED)
    assert table == sorted(f"{each['method']} {each['path']}" for each in DOCUMENTED)


def test_every_documented_command_is_a_command() -> None:
    """What the interface document calls a command is one, and nothing else is."""
    said = {f"{each['method']} {each['path']}" for each in DOCUMENTED if each["kind"] == "command"}
    assert {named(command) for command in COMMANDS} == said


def test_command_has_the_name_of_its_path() -> None:
    """A command is named as the interface document names it."""
    assert (DOOR_LOCK.name, WAKE_UP.name) == ("door_lock", "wake_up")


@pytest.mark.parametrize("endpoint", [each for each in ENDPOINTS if each not in NOT_DOCUMENTED], ids=named)
def test_documented_parameters(endpoint: Endpoint) -> None:
    """An endpoint takes its documented parameters, and of others those that are accounted for."""
    names = {parameter.name for parameter in endpoint.parameters}
    assert names == documented_parameters(endpoint).keys() | NAMES_NOT_DOCUMENTED.get(endpoint, set())


@pytest.mark.parametrize(
    ("endpoint", "names"),
    [
        (SUN_ROOF_CONTROL, {"percent"}),
        (SET_VALET_MODE, {"password"}),
        (VEHICLES, {"page"}),
        (GET_NOTIFICATION_PREFERENCES, {"platform"}),
    ],
    ids=lambda value: value.path if isinstance(value, Endpoint) else None,
)
def test_optional_parameters(endpoint: Endpoint, names: set[str]) -> None:
    """A percentage goes with one state of the roof, a PIN if it is new, a page if it is not the first."""
    assert {each.name for each in endpoint.parameters if not each.required} == names


def test_other_parameters_are_required() -> None:
    """No other parameter may be left out."""
    optional = [each for each in ENDPOINTS if any(not parameter.required for parameter in each.parameters)]
    assert set(optional) == {SUN_ROOF_CONTROL, SET_VALET_MODE, VEHICLES, GET_NOTIFICATION_PREFERENCES}


@pytest.mark.parametrize("said", DOCUMENTED, ids=lambda said: f"{said['method']} {said['path']}")
def test_documented_payload(said: Mapping[str, Any]) -> None:
    """Where the interface document speaks of a payload something goes in the body, and nowhere else."""
    endpoint = next(each for each in ENDPOINTS if named(each) == f"{said['method']} {said['path']}")
    has_body = endpoint.takes_payload or any(each.in_body for each in endpoint.parameters)
    assert has_body is (said.get("payload", "none") != "none")


def test_payloads() -> None:
    """What the account stores is a payload as a whole; what a command takes has a name."""
    assert {each for each in ENDPOINTS if each.takes_payload} == set(TAKES_PAYLOAD)
    assert {each for each in ENDPOINTS if any(one.in_body for one in each.parameters)} == {
        UPCOMING_CALENDAR_ENTRIES
    }


def test_documented_dependence() -> None:
    """A parameter that is used with a value of another is required with it."""
    used = {
        (each["path"], parameter["name"]): parameter["used_with"]
        for each in DOCUMENTED
        for parameter in each["parameters"]
        if "used_with" in parameter
    }
    needed = {
        (each.path, parameter.name): parameter.needed_with
        for each in ENDPOINTS
        for parameter in each.parameters
        if parameter.needed_with
    }
    assert needed == used


def test_other_words() -> None:
    """Only a closed roof has another word, which nobody can ask for: it is not the documented one."""
    other = {
        (endpoint, parameter): parameter.otherwise
        for endpoint in ENDPOINTS
        for parameter in endpoint.parameters
        if parameter.otherwise
    }
    state = SUN_ROOF_CONTROL.parameter("state")
    assert other == {(SUN_ROOF_CONTROL, state): {"closed": "close"}}
    assert "closed" in state.options
    assert "close" not in state.options


def test_parameter_by_name() -> None:
    """A parameter is found by its name."""
    assert SET_VALET_MODE.parameter("password") is SET_VALET_MODE.parameters[1]
    with pytest.raises(KeyError):
        SET_VALET_MODE.parameter("pin")


def test_secret_parameters() -> None:
    """Every password and every PIN is known to be a secret, and nothing else is."""
    secret = {each.name for endpoint in ENDPOINTS for each in endpoint.parameters if each.secret}
    public = {each.name for endpoint in ENDPOINTS for each in endpoint.parameters if not each.secret}
    assert secret == {"password", "pin"}
    assert not public & secret


def test_secrets_are_in_the_query() -> None:
    """Secrets go where the interface document has them, and where they are looked for in errors."""
    assert not [one for each in ENDPOINTS for one in each.parameters if one.secret and one.in_body]


def test_commands_that_may_not_be_sent_twice() -> None:
    """A second horn, flash, trunk or start is one more than was asked for."""
    once = {command for command in COMMANDS if not command.repeatable}
    assert once == {HONK_HORN, FLASH_LIGHTS, ACTUATE_TRUNK, REMOTE_START_DRIVE}


def test_commands_that_toggle() -> None:
    """Only the trunk and the frunk are closed by what opened them, and what toggles is never repeatable."""
    assert [command for command in COMMANDS if command.toggles] == [ACTUATE_TRUNK]
    assert not ACTUATE_TRUNK.repeatable


# What is sent


@pytest.mark.parametrize(
    ("command", "sent", "query"),
    [
        (SET_CHARGE_LIMIT, {"percent": 72}, {"percent": "72"}),
        (SET_CHARGE_LIMIT, {"percent": 72.4}, {"percent": "72"}),
        (SET_CHARGE_LIMIT, {"percent": 72.5}, {"percent": "73"}),
        (SET_CHARGE_LIMIT, {"percent": 73.5}, {"percent": "74"}),
        (SET_CHARGE_LIMIT, {"percent": "80"}, {"percent": "80"}),
        (SET_CHARGE_LIMIT, {"percent": 0}, {"percent": "0"}),
        (SET_CHARGE_LIMIT, {"percent": 100.0}, {"percent": "100"}),
        (
            SET_TEMPS,
            {"driver_temp": 21, "passenger_temp": 20.25},
            {"driver_temp": "21.0", "passenger_temp": "20.3"},
        ),
        (
            SET_TEMPS,
            {"driver_temp": -1.25, "passenger_temp": -0.04},
            {"driver_temp": "-1.2", "passenger_temp": "0.0"},
        ),
        (SPEED_LIMIT_SET_LIMIT, {"limit_mph": 65.5}, {"limit_mph": "66"}),
        (SPEED_LIMIT_ACTIVATE, {"pin": PIN}, {"pin": PIN}),
        (SET_VALET_MODE, {"on": True, "password": PIN}, {"on": "true", "password": PIN}),
        (SET_VALET_MODE, {"on": True, "password": 4200}, {"on": "true", "password": "4200"}),
        (SET_VALET_MODE, {"on": False}, {"on": "false"}),
        (SET_VALET_MODE, {"on": False, "password": None}, {"on": "false"}),
        (SUN_ROOF_CONTROL, {"state": "vent"}, {"state": "vent"}),
        (SUN_ROOF_CONTROL, {"state": "move", "percent": 40}, {"state": "move", "percent": "40"}),
        (ACTUATE_TRUNK, {"which_trunk": "rear"}, {"which_trunk": "rear"}),
        (ACTUATE_TRUNK, {"which_trunk": "front"}, {"which_trunk": "front"}),
        (REMOTE_START_DRIVE, {"password": PASSWORD}, {"password": PASSWORD}),
        (DOOR_LOCK, {}, {}),
        (DOOR_LOCK, {"password": PASSWORD}, {}),
        (UPCOMING_CALENDAR_ENTRIES, {"calendar_data": CALENDAR}, {}),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else repr(value)[:30],
)
def test_query(command: Command, sent: Mapping[str, Any], query: Mapping[str, str]) -> None:
    """Percentages are whole and half goes up, temperatures have one decimal, and a PIN keeps its zeros."""
    assert command.query(sent) == query


@pytest.mark.parametrize(
    "state",
    next(each for each in DOCUMENTED if each["path"] == "/api/1/vehicles/{id}/command/sun_roof_control")[
        "parameters"
    ][0]["values"],
)
def test_documented_roof_state(state: str) -> None:
    """Every documented state of the sun roof can be asked for."""
    assert SUN_ROOF_CONTROL.query({"state": state, "percent": 40})["state"] == state


@pytest.mark.parametrize("endpoint", [GET_VEHICLE_SUBSCRIPTIONS, GET_NOTIFICATION_PREFERENCES], ids=named)
@pytest.mark.parametrize("device", ["ios", "android"])
def test_documented_device(endpoint: Endpoint, device: str) -> None:
    """Both documented device types can be asked for."""
    assert endpoint.query({"device_type": device}) == {"device_type": device}


@pytest.mark.parametrize(
    ("endpoint", "values", "body"),
    [
        (UPCOMING_CALENDAR_ENTRIES, {"calendar_data": CALENDAR}, {"calendar_data": CALENDAR}),
        (UPCOMING_CALENDAR_ENTRIES, {"calendar_data": {}}, {"calendar_data": {}}),
        *((each, {"payload": CALENDAR}, CALENDAR) for each in TAKES_PAYLOAD),
        (CONFIRM_NOTIFICATIONS, {"payload": {}}, {}),
        (SET_VALET_MODE, {"on": True, "password": PIN}, {}),
        (DOOR_LOCK, {}, {}),
        (DOOR_LOCK, {"payload": CALENDAR}, {}),
    ],
    ids=lambda value: named(value) if isinstance(value, Endpoint) else "",
)
def test_body(endpoint: Endpoint, values: Mapping[str, Any], body: Mapping[str, Any]) -> None:
    """A payload is the body as it is, a value for the body stands there under its name, and no other does."""
    assert endpoint.body(values) == body


@pytest.mark.parametrize(
    ("endpoint", "values", "name"),
    [
        (SET_CHARGE_LIMIT, {"percent": -0.5}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": 100.5}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": True}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": "most"}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": float("nan")}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": 10**400}, "percent"),
        (SET_TEMPS, {"driver_temp": 1000, "passenger_temp": 21}, "driver_temp"),
        (SPEED_LIMIT_SET_LIMIT, {"limit_mph": -1}, "limit_mph"),
        (SET_VALET_MODE, {"on": "perhaps"}, "on"),
        (SUN_ROOF_CONTROL, {"state": "ajar"}, "state"),
        (SUN_ROOF_CONTROL, {"state": "close"}, "state"),
        (SUN_ROOF_CONTROL, {"state": "move", "percent": 101}, "percent"),
        (ACTUATE_TRUNK, {"which_trunk": "left"}, "which_trunk"),
        (REMOTE_START_DRIVE, {"password": ""}, "password"),
        (REMOTE_START_DRIVE, {"password": 1234}, "password"),
        (GET_VEHICLE_SUBSCRIPTIONS, {"device_type": "fax"}, "device_type"),
        (UPCOMING_CALENDAR_ENTRIES, {"calendar_data": [CALENDAR]}, "calendar_data"),
        (UPCOMING_CALENDAR_ENTRIES, {"calendar_data": {"days": {1}}}, "calendar_data"),
        (CONFIRM_NOTIFICATIONS, {"payload": "{}"}, "payload"),
    ],
    ids=lambda value: None if isinstance(value, Endpoint) else repr(value)[:40],
)
def test_value_outside_the_limits(endpoint: Endpoint, values: Mapping[str, Any], name: str) -> None:
    """A value that the service does not allow is refused by name and never repeated, by query and body."""
    for ask in (endpoint.query, endpoint.body):
        assert refusal(ask, values, InvalidValueError) == name


@pytest.mark.parametrize(
    ("endpoint", "name"), [(SPEED_LIMIT_DEACTIVATE, "pin"), (SET_VALET_MODE, "password")], ids=called
)
@pytest.mark.parametrize(
    "pin",
    [f"{PIN}1", "420", "four", "", 83, 420, True, "\u0660\u0664\u0662\u0660", f"{PIN}\n", f"{PIN}\n1"],
    ids=repr,
)
def test_invalid_pin(endpoint: Endpoint, name: str, pin: Any) -> None:
    """A PIN that is not four digits is refused in words of its own, and never repeated."""
    assert refusal(endpoint.query, {"on": True, name: pin}, InvalidPinError) == name


@pytest.mark.parametrize(
    ("endpoint", "values", "name"),
    [
        (SET_CHARGE_LIMIT, {"percent": None}, "percent"),
        (SET_CHARGE_LIMIT, {}, "percent"),
        (SET_TEMPS, {"driver_temp": 21}, "passenger_temp"),
        (SPEED_LIMIT_CLEAR_PIN, {}, "pin"),
        (SET_VALET_MODE, {"password": PIN}, "on"),
        (REMOTE_START_DRIVE, {}, "password"),
        (SUN_ROOF_CONTROL, {"percent": 40}, "state"),
        (SUN_ROOF_CONTROL, {"state": "move"}, "percent"),
        (SUN_ROOF_CONTROL, {"state": "move", "percent": None}, "percent"),
        (UPCOMING_CALENDAR_ENTRIES, {}, "calendar_data"),
        *((each, {}, "payload") for each in TAKES_PAYLOAD),
    ],
    ids=lambda value: None if isinstance(value, Endpoint) else repr(value)[:40],
)
def test_missing_value(endpoint: Endpoint, values: Mapping[str, Any], name: str) -> None:
    """A value that is missing is asked for by name, unless it is still to come."""
    for ask in (endpoint.query, endpoint.body):
        assert refusal(ask, values, MissingValueError) == name
    assert name not in endpoint.query(values, partly=True)


def refusal(
    ask: Callable[[Mapping[str, Any]], Any],
    values: Mapping[str, Any],
    cause: type[InvalidValueError],
) -> str:
    """Return what is said of values that are refused for a cause, after a look for secrets in it."""
    with pytest.raises(InvalidValueError) as refused:
        ask(values)
    assert type(refused.value) is cause
    assert not holds_secret(repr(vars(refused.value)))
    assert str(refused.value) == refused.value.detail
    return refused.value.detail


@pytest.mark.parametrize("percent", [49, 49.9, 90.1, 91])
def test_own_limits(percent: float) -> None:
    """A parameter may have narrower limits than its kind."""
    parameter = Parameter(name="percent", kind=PERCENT, minimum=50, maximum=90)
    assert (parameter.meant(50), parameter.meant(90)) == (50, 90)
    with pytest.raises(InvalidValueError):
        parameter.meant(percent)


# What the car itself allows

LIMITED: Final = [
    (SET_CHARGE_LIMIT, "percent", 50, 100),
    (SET_TEMPS, "driver_temp", 15, 28),
    (SET_TEMPS, "passenger_temp", 15, 28),
    (SPEED_LIMIT_SET_LIMIT, "limit_mph", 50, 90),
]


def test_limited_parameters() -> None:
    """The car names the limits of what it shows as a number, and of nothing else."""
    limited = {(each, one.name) for each in ENDPOINTS for one in each.parameters if one.bounds is not None}
    assert limited == {(command, name) for command, name, _, _ in LIMITED}


@pytest.mark.parametrize(("command", "name", "lowest", "highest"), LIMITED, ids=called)
@pytest.mark.parametrize(
    ("low", "high", "is_sensible"),
    [(60, 80.5, True), (None, 80, False), (60, None, False), (80, 60, False), (60, 60, False)],
    ids=["sensible", "no lowest", "no highest", "the wrong way round", "the same"],
)
def test_limits(
    command: Command,
    name: str,
    lowest: float,
    highest: float,
    low: float | None,
    high: float | None,
    *,
    is_sensible: bool,
) -> None:
    """The limits are those that the car names, or the usual ones if it names none that make sense."""
    parameter = command.parameter(name)
    expected = (low, high) if is_sensible else (lowest, highest)
    assert parameter.limits(car(parameter, low, high)) == expected


def test_limits_of_the_roof() -> None:
    """The roof moves between 0 and 100 %, whatever the car says."""
    assert SUN_ROOF_CONTROL.parameter("percent").limits(PARKED) == (0, 100)


def test_no_limits() -> None:
    """Where nobody names a limit there is none."""
    assert SET_VALET_MODE.parameter("on").limits(PARKED) == (-inf, inf)


@pytest.mark.parametrize(("command", "name", "lowest", "highest"), LIMITED, ids=called)
def test_check(command: Command, name: str, lowest: float, highest: float) -> None:
    """A value outside the car's own limits is refused by name; on the limits it is not."""
    vehicle = car(command.parameter(name), lowest + 1.5, highest - 1.5)
    for value in (lowest + 1.5, str(highest - 1.5), 22 if name.endswith("temp") else 72, None):
        command.check(vehicle, {name: value})
    for value in (lowest + 1.4, highest - 1.4, lowest, "most", True):
        with pytest.raises(InvalidValueError) as refused:
            command.check(vehicle, {name: value})
        assert refused.value.detail == name


def test_car_decides() -> None:
    """Without a look at the car only what no car takes is refused."""
    assert SET_CHARGE_LIMIT.query({"percent": 30}) == {"percent": "30"}
    with pytest.raises(InvalidValueError):
        SET_CHARGE_LIMIT.check(Vehicle.parse({}), {"percent": 30})


@pytest.mark.parametrize(
    ("command", "values"),
    [(SET_CHARGE_LIMIT, {}), (SUN_ROOF_CONTROL, {"percent": 101}), (DOOR_LOCK, {"percent": 0})],
    ids=called,
)
def test_nothing_to_check(command: Command, values: Mapping[str, Any]) -> None:
    """What the car names no limits of is not held against the car."""
    command.check(Vehicle.parse({}), values)


# What follows


@pytest.mark.parametrize(
    ("command", "values", "expected"),
    [
        (DOOR_LOCK, {}, {VehicleState.locked: True}),
        (SET_CHARGE_LIMIT, {"percent": 72.5}, {ChargeState.charge_limit_soc: 73}),
        (CHARGE_MAX_RANGE, {}, {ChargeState.charge_limit_soc: 100}),
        (CHARGE_STANDARD, {}, {ChargeState.charge_limit_soc: 90}),
        (CHARGE_START, {}, {ChargeState.charging_state: "starting"}),
        (CHARGE_STOP, {}, {ChargeState.charging_state: "stopped"}),
        (
            SET_TEMPS,
            {"driver_temp": "21.55", "passenger_temp": 20},
            {ClimateState.driver_temp_setting: 21.6, ClimateState.passenger_temp_setting: 20.0},
        ),
        (SET_VALET_MODE, {"on": "true"}, {VehicleState.valet_mode: True}),
        (SPEED_LIMIT_SET_LIMIT, {"limit_mph": 65.5}, {SpeedLimitMode.current_limit_mph: 66}),
        (SPEED_LIMIT_ACTIVATE, {"pin": PIN}, {SpeedLimitMode.active: True}),
        (REMOTE_START_DRIVE, {"password": PASSWORD}, {VehicleState.remote_start: True}),
        (ACTUATE_TRUNK, {"which_trunk": "rear"}, {}),
        (HONK_HORN, {}, {}),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else "",
)
def test_expected(command: Command, values: Mapping[str, Any], expected: Mapping[Field[Any], Any]) -> None:
    """What the car will report is what was sent, as the car understands it, or what its own fields say."""
    assert command.expected(PARKED, values) == expected


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_expected_fits_the_field(command: Command) -> None:
    """What a command leads to is something that its field can mean."""
    for field, value in command.reports.items():
        if isinstance(value, str) and field.kind.options:
            assert value in field.kind.options
        if isinstance(value, bool):
            assert field.kind.read(value) is value


def test_what_cannot_be_known_is_not_expected() -> None:
    """Of a car that has not said its standard limit, nobody knows what it will report."""
    assert CHARGE_STANDARD.expected(Vehicle.parse({}), {}) == {}


def test_newer_values_count() -> None:
    """Of two temperatures that wait, the newer counts, and the side that it does not name stays asked for."""
    earlier = {"driver_temp": 20, "passenger_temp": 19}
    assert SET_TEMPS.renewed(earlier, {"driver_temp": 22}) == {"driver_temp": 22, "passenger_temp": 19}


def test_pin_goes_with_its_own_value() -> None:
    """A PIN that was to go with an earlier wish does not go with a later one."""
    assert SET_VALET_MODE.renewed({"on": True, "password": PIN}, {"on": False}) == {"on": False}


def test_percent_goes_with_move_alone() -> None:
    """A percentage that somebody gives with another position is not sent: it would mean nothing."""
    assert SUN_ROOF_CONTROL.query({"state": "vent", "percent": 40}) == {"state": "vent"}
    assert SUN_ROOF_CONTROL.query({"state": "move", "percent": 40}) == {"state": "move", "percent": "40"}
