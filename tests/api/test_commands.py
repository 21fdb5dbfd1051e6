"""The table of commands, held against the interface document, and what is sent for a value."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.commands import (
    ACTUATE_TRUNK,
    CHARGE_MAX_RANGE,
    CHARGE_STANDARD,
    CHARGE_START,
    CHARGE_STOP,
    COMMANDS,
    DATA_REQUESTS,
    DOOR_LOCK,
    ENDPOINTS,
    FLASH_LIGHTS,
    GET_NOTIFICATION_PREFERENCES,
    GET_VEHICLE_SUBSCRIPTIONS,
    HONK_HORN,
    REMOTE_START_DRIVE,
    SET_CHARGE_LIMIT,
    SET_TEMPS,
    SET_VALET_MODE,
    SPEED_LIMIT_ACTIVATE,
    SPEED_LIMIT_CLEAR_PIN,
    SPEED_LIMIT_DEACTIVATE,
    SPEED_LIMIT_SET_LIMIT,
    SUN_ROOF_CONTROL,
    VEHICLE,
    VEHICLES,
    WAKE_UP,
    Command,
    Endpoint,
    Parameter,
)
from custom_components.vehicle_remote_access.api.errors import InvalidValueError
from custom_components.vehicle_remote_access.api.field import Field
from custom_components.vehicle_remote_access.api.kinds import PERCENT
from custom_components.vehicle_remote_access.api.records import (
    ChargeState,
    ClimateState,
    SpeedLimitMode,
    Vehicle,
    VehicleState,
)

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
}
PARKED: Final = Vehicle.parse({"charge_state": {"charge_limit_soc_std": 90, "charge_limit_soc_max": 100}})


def named(endpoint: Endpoint) -> str:
    """Return a name for a test about an endpoint."""
    return f"{endpoint.method} {endpoint.path}"


def documented_parameters(endpoint: Endpoint) -> dict[str, Any]:
    """Return what the interface document says of an endpoint's named parameters."""
    said = next(each for each in DOCUMENTED if named(endpoint) == f"{each['method']} {each['path']}")
    return {each["name"]: each for each in said["parameters"] if each["name"] is not None}


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


def test_secret_parameters() -> None:
    """Every password and every PIN is known to be a secret, and nothing else is."""
    secret = {each.name for endpoint in ENDPOINTS for each in endpoint.parameters if each.secret}
    public = {each.name for endpoint in ENDPOINTS for each in endpoint.parameters if not each.secret}
    assert secret == {"password", "pin"}
    assert not public & secret


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
        (SET_VALET_MODE, {"on": False}, {"on": "false"}),
        (SET_VALET_MODE, {"on": False, "password": None}, {"on": "false"}),
        (SUN_ROOF_CONTROL, {"state": "vent"}, {"state": "vent"}),
        (SUN_ROOF_CONTROL, {"state": "move", "percent": 40}, {"state": "move", "percent": "40"}),
        (ACTUATE_TRUNK, {"which_trunk": "rear"}, {"which_trunk": "rear"}),
        (ACTUATE_TRUNK, {"which_trunk": "front"}, {"which_trunk": "front"}),
        (REMOTE_START_DRIVE, {"password": PASSWORD}, {"password": PASSWORD}),
        (DOOR_LOCK, {}, {}),
        (DOOR_LOCK, {"password": PASSWORD}, {}),
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
    assert SUN_ROOF_CONTROL.query({"state": state}) == {"state": state}


@pytest.mark.parametrize("endpoint", [GET_VEHICLE_SUBSCRIPTIONS, GET_NOTIFICATION_PREFERENCES], ids=named)
@pytest.mark.parametrize("device", ["ios", "android"])
def test_documented_device(endpoint: Endpoint, device: str) -> None:
    """Both documented device types can be asked for."""
    assert endpoint.query({"device_type": device}) == {"device_type": device}


@pytest.mark.parametrize(
    ("endpoint", "values", "name"),
    [
        (SET_CHARGE_LIMIT, {"percent": -0.5}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": 100.5}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": True}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": "most"}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": float("nan")}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": 10**400}, "percent"),
        (SET_CHARGE_LIMIT, {"percent": None}, "percent"),
        (SET_CHARGE_LIMIT, {}, "percent"),
        (SET_TEMPS, {"driver_temp": 21}, "passenger_temp"),
        (SET_TEMPS, {"driver_temp": 1000, "passenger_temp": 21}, "driver_temp"),
        (SPEED_LIMIT_SET_LIMIT, {"limit_mph": -1}, "limit_mph"),
        (SPEED_LIMIT_CLEAR_PIN, {}, "pin"),
        (SPEED_LIMIT_DEACTIVATE, {"pin": f"{PIN}1"}, "pin"),
        (SET_VALET_MODE, {"on": True, "password": "420"}, "password"),
        (SET_VALET_MODE, {"on": True, "password": "four"}, "password"),
        (SET_VALET_MODE, {"on": True, "password": 4200}, "password"),
        (SET_VALET_MODE, {"on": True, "password": "\u0660\u0664\u0662\u0660"}, "password"),
        (SET_VALET_MODE, {"on": True, "password": f"{PIN}\n1"}, "password"),
        (SET_VALET_MODE, {"on": "perhaps"}, "on"),
        (SET_VALET_MODE, {"password": PIN}, "on"),
        (SUN_ROOF_CONTROL, {"state": "ajar"}, "state"),
        (SUN_ROOF_CONTROL, {"state": "move", "percent": 101}, "percent"),
        (ACTUATE_TRUNK, {"which_trunk": "left"}, "which_trunk"),
        (REMOTE_START_DRIVE, {"password": ""}, "password"),
        (REMOTE_START_DRIVE, {"password": 1234}, "password"),
        (GET_VEHICLE_SUBSCRIPTIONS, {"device_type": "fax"}, "device_type"),
    ],
    ids=lambda value: None if isinstance(value, Endpoint) else repr(value)[:40],
)
def test_value_outside_the_limits(endpoint: Endpoint, values: Mapping[str, Any], name: str) -> None:
    """A value that the service does not allow, or that is missing, is refused by name and never repeated."""
    with pytest.raises(InvalidValueError) as refused:
        endpoint.query(values)
    assert (str(refused.value), refused.value.detail) == (name, name)
    assert not holds_secret(repr(vars(refused.value)))


@pytest.mark.parametrize("percent", [49, 49.9, 90.1, 91])
def test_own_limits(percent: float) -> None:
    """A parameter may have narrower limits than its kind."""
    parameter = Parameter(name="percent", kind=PERCENT, minimum=50, maximum=90)
    assert (parameter.written(50), parameter.written(90)) == ("50", "90")
    with pytest.raises(InvalidValueError):
        parameter.written(percent)


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
