"""The table of commands, compared with the interface document, and the values that are sent."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api import commands
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

# The interface document doesn't have these, or their names.
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


def endpoint_id(endpoint: Endpoint) -> str:
    """Return the test id of an endpoint."""
    return f"{endpoint.method} {endpoint.path}"


def command_id(value: Any) -> str | None:
    """Return the test id of a command, None for any other value."""
    return value.name if isinstance(value, Command) else None


def documented_id(entry: Mapping[str, Any]) -> str:
    """Return the test id of an endpoint of the interface document."""
    return f"{entry['method']} {entry['path']}"


def documented_parameters(endpoint: Endpoint) -> dict[str, Any]:
    """Return the named parameters of an endpoint in the interface document."""
    entry = next(entry for entry in DOCUMENTED if documented_id(entry) == endpoint_id(endpoint))
    return {each["name"]: each for each in entry["parameters"] if each["name"] is not None}


def car(parameter: Parameter, low: float | None, high: float | None) -> Vehicle:
    """Return a car that reports these limits of a parameter."""
    assert parameter.bounds is not None
    vehicle = Vehicle.parse({})
    for field, value in zip(parameter.bounds, (low, high), strict=True):
        vehicle = vehicle.with_value(field, value)
    return vehicle


# The table


def test_every_documented_endpoint_is_in_the_table() -> None:
    """The table has every endpoint of the interface document, and the listed exceptions."""
    table = sorted(endpoint_id(endpoint) for endpoint in ENDPOINTS if endpoint not in NOT_DOCUMENTED)
    assert table == sorted(map(documented_id, DOCUMENTED))


def test_every_endpoint_of_the_module_is_in_the_table() -> None:
    """An endpoint that is defined in the module is also in the table."""
    defined = [value for value in vars(commands).values() if isinstance(value, Endpoint)]
    assert sorted(map(endpoint_id, [*defined, *DATA_REQUESTS.values()])) == sorted(
        map(endpoint_id, ENDPOINTS)
    )


def test_commands_are_the_documented_commands() -> None:
    """The commands are exactly the commands of the interface document."""
    documented_commands = {documented_id(entry) for entry in DOCUMENTED if entry["kind"] == "command"}
    assert {endpoint_id(command) for command in COMMANDS} == documented_commands


def test_command_has_the_name_of_its_path() -> None:
    """The name of a command is the last part of its path."""
    assert (DOOR_LOCK.name, WAKE_UP.name) == ("door_lock", "wake_up")


@pytest.mark.parametrize(
    "endpoint", [endpoint for endpoint in ENDPOINTS if endpoint not in NOT_DOCUMENTED], ids=endpoint_id
)
def test_documented_parameters(endpoint: Endpoint) -> None:
    """An endpoint has its documented parameters, and the listed exceptions."""
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
    """A percentage, a known PIN, the first page and a platform are optional."""
    assert {each.name for each in endpoint.parameters if not each.required} == names


def test_other_parameters_are_required() -> None:
    """All other parameters are required."""
    optional = [each for each in ENDPOINTS if any(not parameter.required for parameter in each.parameters)]
    assert set(optional) == {SUN_ROOF_CONTROL, SET_VALET_MODE, VEHICLES, GET_NOTIFICATION_PREFERENCES}


@pytest.mark.parametrize("entry", DOCUMENTED, ids=documented_id)
def test_documented_payload(entry: Mapping[str, Any]) -> None:
    """An endpoint has values in its body if and only if the interface document mentions a payload."""
    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint_id(endpoint) == documented_id(entry))
    has_body = endpoint.takes_payload or any(parameter.in_body for parameter in endpoint.parameters)
    assert has_body is (entry.get("payload", "none") != "none")


def test_payloads() -> None:
    """Account endpoints take a whole payload. The calendar command has a named value in the body."""
    assert {endpoint for endpoint in ENDPOINTS if endpoint.takes_payload} == set(TAKES_PAYLOAD)
    in_body = {endpoint for endpoint in ENDPOINTS for parameter in endpoint.parameters if parameter.in_body}
    assert in_body == {UPCOMING_CALENDAR_ENTRIES}


def test_documented_dependence() -> None:
    """A parameter that is documented as used with a value of another is required with that value."""
    used_with = {
        (entry["path"], parameter["name"]): parameter["used_with"]
        for entry in DOCUMENTED
        for parameter in entry["parameters"]
        if "used_with" in parameter
    }
    required_with = {
        (endpoint.path, parameter.name): parameter.required_with
        for endpoint in ENDPOINTS
        for parameter in endpoint.parameters
        if parameter.required_with
    }
    assert required_with == used_with


def test_aliases() -> None:
    """Only the closed sunroof has an alias. The alias itself is not an option."""
    aliases = {
        (endpoint, parameter): parameter.aliases
        for endpoint in ENDPOINTS
        for parameter in endpoint.parameters
        if parameter.aliases
    }
    state = SUN_ROOF_CONTROL.parameter("state")
    assert aliases == {(SUN_ROOF_CONTROL, state): {"closed": "close"}}
    assert "closed" in state.options
    assert "close" not in state.options


def test_parameter_by_name() -> None:
    """An endpoint returns a parameter by its name."""
    assert SET_VALET_MODE.parameter("password") is SET_VALET_MODE.parameters[1]
    with pytest.raises(KeyError):
        SET_VALET_MODE.parameter("pin")


def test_secret_parameters() -> None:
    """Passwords and PINs are secret, and no other parameters."""
    secret = {each.name for endpoint in ENDPOINTS for each in endpoint.parameters if each.secret}
    public = {each.name for endpoint in ENDPOINTS for each in endpoint.parameters if not each.secret}
    assert secret == {"password", "pin"}
    assert not public & secret


def test_secrets_are_in_the_query() -> None:
    """All secrets are in the query, because errors are redacted with the secrets of the query."""
    assert not [
        parameter
        for endpoint in ENDPOINTS
        for parameter in endpoint.parameters
        if parameter.secret and parameter.in_body
    ]


def test_commands_that_are_not_repeatable() -> None:
    """The horn, lights, trunk and remote start commands are not repeatable."""
    once = {command for command in COMMANDS if not command.repeatable}
    assert once == {HONK_HORN, FLASH_LIGHTS, ACTUATE_TRUNK, REMOTE_START_DRIVE}


def test_commands_that_toggle() -> None:
    """Only the trunk command toggles, and it is not repeatable."""
    assert [command for command in COMMANDS if command.toggles] == [ACTUATE_TRUNK]
    assert not ACTUATE_TRUNK.repeatable


# Values that are sent


@pytest.mark.parametrize(
    ("command", "values", "query"),
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
def test_query(command: Command, values: Mapping[str, Any], query: Mapping[str, str]) -> None:
    """Percentages round half up to integers, temperatures have one decimal, and a PIN keeps its zeros."""
    assert command.query(values) == query


@pytest.mark.parametrize(
    "state",
    next(entry for entry in DOCUMENTED if entry["path"] == SUN_ROOF_CONTROL.path)["parameters"][0]["values"],
)
def test_documented_roof_state(state: str) -> None:
    """Every documented state of the sunroof can be sent."""
    assert SUN_ROOF_CONTROL.query({"state": state, "percent": 40})["state"] == state


@pytest.mark.parametrize(
    "endpoint", [GET_VEHICLE_SUBSCRIPTIONS, GET_NOTIFICATION_PREFERENCES], ids=endpoint_id
)
@pytest.mark.parametrize("device", ["ios", "android"])
def test_documented_device(endpoint: Endpoint, device: str) -> None:
    """Both documented device types can be sent."""
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
    ids=lambda value: endpoint_id(value) if isinstance(value, Endpoint) else "",
)
def test_body(endpoint: Endpoint, values: Mapping[str, Any], body: Mapping[str, Any]) -> None:
    """The body is the payload, or an object with the values for the body. It has no other values."""
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
def test_invalid_value(endpoint: Endpoint, values: Mapping[str, Any], name: str) -> None:
    """The error for an invalid value contains the parameter's name and not the value."""
    for encode in (endpoint.query, endpoint.body):
        assert error_detail(encode, values, InvalidValueError) == name


@pytest.mark.parametrize(
    ("endpoint", "name"), [(SPEED_LIMIT_DEACTIVATE, "pin"), (SET_VALET_MODE, "password")], ids=command_id
)
@pytest.mark.parametrize(
    "pin",
    [f"{PIN}1", "420", "four", "", 83, 420, True, "\u0660\u0664\u0662\u0660", f"{PIN}\n", f"{PIN}\n1"],
    ids=repr,
)
def test_invalid_pin(endpoint: Endpoint, name: str, pin: Any) -> None:
    """A PIN that isn't four digits raises InvalidPinError, which doesn't contain the PIN."""
    assert error_detail(endpoint.query, {"on": True, name: pin}, InvalidPinError) == name


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
    """A missing required value raises MissingValueError with its name, unless the values are partial."""
    for encode in (endpoint.query, endpoint.body):
        assert error_detail(encode, values, MissingValueError) == name
    assert name not in endpoint.query(values, partial=True)


def error_detail(
    encode: Callable[[Mapping[str, Any]], Any],
    values: Mapping[str, Any],
    error_class: type[InvalidValueError],
) -> str:
    """Return the detail of the error for invalid values, after checking it for secrets."""
    with pytest.raises(InvalidValueError) as caught:
        encode(values)
    assert type(caught.value) is error_class
    assert not holds_secret(repr(vars(caught.value)))
    assert str(caught.value) == caught.value.detail
    return caught.value.detail


@pytest.mark.parametrize("percent", [49, 49.9, 90.1, 91])
def test_limits_of_a_parameter(percent: float) -> None:
    """A parameter can have narrower limits than its value type."""
    parameter = Parameter(name="percent", value_type=PERCENT, minimum=50, maximum=90)
    assert (parameter.normalize(50), parameter.normalize(90)) == (50, 90)
    with pytest.raises(InvalidValueError):
        parameter.normalize(percent)


# Limits of the car

LIMITED: Final = [
    (SET_CHARGE_LIMIT, "percent", 50, 100),
    (SET_TEMPS, "driver_temp", 15, 28),
    (SET_TEMPS, "passenger_temp", 15, 28),
    (SPEED_LIMIT_SET_LIMIT, "limit_mph", 50, 90),
]


def test_limited_parameters() -> None:
    """The car reports limits of temperatures, charge limit and speed limit, and of no other parameters."""
    limited = {
        (endpoint, parameter.name)
        for endpoint in ENDPOINTS
        for parameter in endpoint.parameters
        if parameter.bounds is not None
    }
    assert limited == {(command, name) for command, name, _, _ in LIMITED}


@pytest.mark.parametrize(("command", "name", "lowest", "highest"), LIMITED, ids=command_id)
@pytest.mark.parametrize(
    ("low", "high", "is_valid"),
    [(60, 80.5, True), (None, 80, False), (60, None, False), (80, 60, False), (60, 60, False)],
    ids=["valid", "no minimum", "no maximum", "swapped", "equal"],
)
def test_limits(
    command: Command,
    name: str,
    lowest: float,
    highest: float,
    low: float | None,
    high: float | None,
    *,
    is_valid: bool,
) -> None:
    """The limits are the car's, or the default limits if the car doesn't report valid ones."""
    parameter = command.parameter(name)
    expected = (low, high) if is_valid else (lowest, highest)
    assert parameter.limits(car(parameter, low, high)) == expected


def test_limits_of_the_roof() -> None:
    """The limits of the sunroof are 0 and 100 %."""
    assert SUN_ROOF_CONTROL.parameter("percent").limits(PARKED) == (0, 100)


def test_parameter_without_limits() -> None:
    """A parameter without limits accepts any number."""
    assert SET_VALET_MODE.parameter("on").limits(PARKED) == (-inf, inf)


@pytest.mark.parametrize(("command", "name", "lowest", "highest"), LIMITED, ids=command_id)
def test_check(command: Command, name: str, lowest: float, highest: float) -> None:
    """A value outside the car's limits raises InvalidValueError with its name. The limits are allowed."""
    vehicle = car(command.parameter(name), lowest + 1.5, highest - 1.5)
    for value in (lowest + 1.5, str(highest - 1.5), 22 if name.endswith("temp") else 72, None):
        command.check(vehicle, {name: value})
    for value in (lowest + 1.4, highest - 1.4, lowest, "most", True):
        with pytest.raises(InvalidValueError) as caught:
            command.check(vehicle, {name: value})
        assert caught.value.detail == name


def test_limits_need_a_car() -> None:
    """A query only has the limits of the value type. The limits of a car need a check with that car."""
    assert SET_CHARGE_LIMIT.query({"percent": 30}) == {"percent": "30"}
    with pytest.raises(InvalidValueError):
        SET_CHARGE_LIMIT.check(Vehicle.parse({}), {"percent": 30})


@pytest.mark.parametrize(
    ("command", "values"),
    [(SET_CHARGE_LIMIT, {}), (SUN_ROOF_CONTROL, {"percent": 101}), (DOOR_LOCK, {"percent": 0})],
    ids=command_id,
)
def test_check_without_limits(command: Command, values: Mapping[str, Any]) -> None:
    """A check ignores values for which the car doesn't report limits."""
    command.check(Vehicle.parse({}), values)


# Effects


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
def test_expected_values(
    command: Command, values: Mapping[str, Any], expected: Mapping[Field[Any], Any]
) -> None:
    """The expected values are fixed, normalized parameters, or values of the car's other fields."""
    assert command.expected_values(PARKED, values) == expected


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_effects_are_valid_values(command: Command) -> None:
    """The fixed effects of a command are valid values of their fields."""
    for field, value in command.effects.items():
        if isinstance(value, str) and field.value_type.options:
            assert value in field.value_type.options
        if isinstance(value, bool):
            assert field.value_type.read(value) is value


def test_unknown_effect_is_not_expected() -> None:
    """No value is expected if the car hasn't reported the field that holds it."""
    assert CHARGE_STANDARD.expected_values(Vehicle.parse({}), {}) == {}


def test_merge_keeps_other_setpoints() -> None:
    """Merged values are the newer ones, and earlier setpoints that the newer ones don't contain."""
    earlier = {"driver_temp": 20, "passenger_temp": 19}
    assert SET_TEMPS.merge(earlier, {"driver_temp": 22}) == {"driver_temp": 22, "passenger_temp": 19}


def test_merge_drops_an_earlier_pin() -> None:
    """A PIN of an earlier command is not merged into a newer one."""
    assert SET_VALET_MODE.merge({"on": True, "password": PIN}, {"on": False}) == {"on": False}


def test_percent_is_only_sent_with_move() -> None:
    """A percentage is only sent with the state move."""
    assert SUN_ROOF_CONTROL.query({"state": "vent", "percent": 40}) == {"state": "vent"}
    assert SUN_ROOF_CONTROL.query({"state": "move", "percent": 40}) == {"state": "move", "percent": "40"}
