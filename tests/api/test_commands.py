"""The table of commands, compared with the interface document, and the values that are sent."""

from collections.abc import Mapping
from math import inf
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api import commands, errors
from custom_components.vehicle_remote_access.api.commands import Command, Endpoint, Parameter
from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import (
    ChargeState,
    ClimateState,
    SpeedLimitMode,
    Vehicle,
    VehicleState,
)
from custom_components.vehicle_remote_access.api.value_types import PERCENT

from .conftest import PASSWORD, PIN, holds_secret

GET_SUBSCRIPTIONS: Final = commands.ACCOUNT_ENDPOINTS["get_vehicle_subscriptions"]
CONFIRM_NOTIFICATIONS: Final = commands.ACCOUNT_ENDPOINTS["confirm_notifications"]
SET_CALENDAR: Final = commands.UPCOMING_CALENDAR_ENTRIES
CALENDAR: Final = {"name": "Family", "events": [{"start": 1554379200000, "allday": False}]}
NO_PINS: Final = (f"{PIN}1", "420", "", 420, f"{PIN}\n")
# Parameters that the car limits, with their default limits
LIMITED: Final = [
    (commands.SET_CHARGE_LIMIT, "percent", 50, 100),
    (commands.SET_TEMPS, "driver_temp", 15, 28),
    (commands.SET_TEMPS, "passenger_temp", 15, 28),
    (commands.SPEED_LIMIT_SET_LIMIT, "limit_mph", 50, 90),
]
PARKED: Final = Vehicle.parse({"charge_state": {"charge_limit_soc_std": 90, "charge_limit_soc_max": 100}})


def command_id(value: Any) -> str | None:
    return value.name if isinstance(value, Command) else None


def car(parameter: Parameter, low: float | None, high: float | None) -> Vehicle:
    assert parameter.bounds is not None
    vehicle = Vehicle.parse({})
    for field, value in zip(parameter.bounds, (low, high), strict=True):
        assert field is not None
        vehicle = vehicle.with_value(field.path, value)
    return vehicle


def test_commands_that_are_not_repeatable_or_toggle() -> None:
    once = (
        "honk_horn flash_lights actuate_trunk remote_start_drive trigger_homelink remote_boombox "
        "add_charge_schedule add_precondition_schedule dashcam_save "
        "media_toggle_playback media_next_track media_prev_track"
    )
    assert {command.name for command in commands.COMMANDS if not command.repeatable} == {*once.split()}
    toggles = [command.name for command in commands.COMMANDS if command.toggles]
    assert toggles == ["actuate_trunk", "media_toggle_playback"]


@pytest.mark.parametrize(
    ("command", "values", "query"),
    [
        (commands.SET_CHARGE_LIMIT, {"percent": 72.4}, {"percent": "72"}),
        (commands.SET_CHARGE_LIMIT, {"percent": 72.5}, {"percent": "73"}),
        (commands.SET_CHARGE_LIMIT, {"percent": 73.5}, {"percent": "74"}),
        (commands.SET_CHARGE_LIMIT, {"percent": "80"}, {"percent": "80"}),
        (
            commands.SET_TEMPS,
            {"driver_temp": 21, "passenger_temp": 20.25},
            {"driver_temp": "21.0", "passenger_temp": "20.3"},
        ),
        (
            commands.SET_TEMPS,
            {"driver_temp": -1.25, "passenger_temp": -0.04},
            {"driver_temp": "-1.2", "passenger_temp": "0.0"},
        ),
        (commands.SPEED_LIMIT_SET_LIMIT, {"limit_mph": 65.5}, {"limit_mph": "66"}),
        (commands.SET_VALET_MODE, {"on": True, "password": PIN}, {"on": "true", "password": PIN}),
        (commands.SET_VALET_MODE, {"on": True, "password": 4200}, {"on": "true", "password": "4200"}),
        (commands.SET_VALET_MODE, {"on": False}, {"on": "false"}),
        (commands.SET_VALET_MODE, {"on": False, "password": None}, {"on": "false"}),
        (commands.SUN_ROOF_CONTROL, {"state": "vent", "percent": 40}, {"state": "vent"}),
        (commands.SUN_ROOF_CONTROL, {"state": "move", "percent": 40}, {"state": "move", "percent": "40"}),
        (commands.DOOR_LOCK, {"password": PASSWORD}, {}),
        (SET_CALENDAR, {"calendar_data": CALENDAR}, {}),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else repr(value)[:30],
)
def test_query(command: Command, values: Mapping[str, Any], query: Mapping[str, str]) -> None:
    """Percentages round half up to integers, temperatures have one decimal, and a PIN keeps its zeros."""
    assert command.split(command.normalize(values))[0] == query


@pytest.mark.parametrize(
    ("endpoint", "values", "name", "error_class"),
    [
        (commands.SET_CHARGE_LIMIT, {"percent": -0.5}, "percent", errors.InvalidValueError),
        (commands.SET_CHARGE_LIMIT, {"percent": 100.5}, "percent", errors.InvalidValueError),
        (commands.SET_CHARGE_LIMIT, {"percent": True}, "percent", errors.InvalidValueError),
        (commands.SET_CHARGE_LIMIT, {"percent": "most"}, "percent", errors.InvalidValueError),
        (
            commands.SET_TEMPS,
            {"driver_temp": 1000, "passenger_temp": 21},
            "driver_temp",
            errors.InvalidValueError,
        ),
        (commands.SPEED_LIMIT_SET_LIMIT, {"limit_mph": -1}, "limit_mph", errors.InvalidValueError),
        (commands.SET_VALET_MODE, {"on": "perhaps"}, "on", errors.InvalidValueError),
        (commands.SUN_ROOF_CONTROL, {"state": "ajar"}, "state", errors.InvalidValueError),
        (commands.SUN_ROOF_CONTROL, {"state": "close"}, "state", errors.InvalidValueError),
        (commands.SUN_ROOF_CONTROL, {"state": "move", "percent": 101}, "percent", errors.InvalidValueError),
        (commands.ACTUATE_TRUNK, {"which_trunk": "left"}, "which_trunk", errors.InvalidValueError),
        (commands.REMOTE_START_DRIVE, {"password": 1234}, "password", errors.InvalidValueError),
        (GET_SUBSCRIPTIONS, {"device_type": "fax"}, "device_type", errors.InvalidValueError),
        (SET_CALENDAR, {"calendar_data": [CALENDAR]}, "calendar_data", errors.InvalidValueError),
        (CONFIRM_NOTIFICATIONS, {"payload": "{}"}, "payload", errors.InvalidValueError),
        *((commands.SPEED_LIMIT_DEACTIVATE, {"pin": pin}, "pin", errors.InvalidPinError) for pin in NO_PINS),
        *(
            (commands.SET_VALET_MODE, {"on": True, "password": pin}, "password", errors.InvalidPinError)
            for pin in NO_PINS
        ),
        (commands.SET_CHARGE_LIMIT, {"percent": None}, "percent", errors.MissingValueError),
        (commands.SET_TEMPS, {"driver_temp": 21}, "passenger_temp", errors.MissingValueError),
        (commands.SUN_ROOF_CONTROL, {"state": "move"}, "percent", errors.MissingValueError),
        (SET_CALENDAR, {}, "calendar_data", errors.MissingValueError),
        (CONFIRM_NOTIFICATIONS, {}, "payload", errors.MissingValueError),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, dict) else None,
)
def test_error_names_only_the_parameter(endpoint: Endpoint, values: Any, name: str, error_class: Any) -> None:
    with pytest.raises(errors.InvalidValueError) as caught:
        endpoint.normalize(values)
    assert type(caught.value) is error_class
    assert str(caught.value) == caught.value.detail == name
    assert not holds_secret(repr(vars(caught.value)))
    if error_class is errors.MissingValueError:
        assert name not in endpoint.normalize(values, partial=True)


@pytest.mark.parametrize("percent", [49.9, 90.1])
def test_parameter_can_have_narrower_limits_than_its_value_type(percent: float) -> None:
    parameter = Parameter("percent", PERCENT, minimum=50, maximum=90)
    assert (parameter.normalize(50), parameter.normalize(90)) == (50, 90)
    with pytest.raises(errors.OutOfBoundsError) as caught:
        parameter.normalize(percent)
    assert caught.value.placeholders == {"detail": "percent", "low": "50", "high": "90"}


@pytest.mark.parametrize(("command", "name", "lowest", "highest"), LIMITED, ids=command_id)
def test_limits_are_the_cars_or_default(command: Command, name: str, lowest: float, highest: float) -> None:
    parameter = command.parameter(name)
    assert parameter.limits(car(parameter, 60, 80.5)) == (60, 80.5)
    for low, high in ((None, 80), (60, None), (80, 60), (60, 60)):
        assert parameter.limits(car(parameter, low, high)) == (lowest, highest)
    assert commands.SUN_ROOF_CONTROL.parameter("percent").limits(PARKED) == (0, 100)
    assert commands.SET_VALET_MODE.parameter("on").limits(PARKED) == (-inf, inf)


def test_value_outside_the_cars_limits_is_out_of_bounds() -> None:
    vehicle = car(commands.SET_TEMPS.parameter("driver_temp"), 16.5, 26.5)
    for value in (16.5, "26.5", 22):
        commands.SET_TEMPS.validate(vehicle, {"driver_temp": value})
    for value in (16.4, 26.6):
        with pytest.raises(errors.OutOfBoundsError) as caught:
            commands.SET_TEMPS.validate(vehicle, {"driver_temp": value})
        assert caught.value.placeholders == {"detail": "driver_temp", "low": "16.5", "high": "26.5"}
    # Without a car, only the limits of the value type apply.
    assert commands.SET_TEMPS.normalize({"driver_temp": 10, "passenger_temp": 40})


@pytest.mark.parametrize(
    ("command", "values", "expected"),
    [
        (commands.DOOR_LOCK, {}, {VehicleState.locked: True}),
        (commands.DOOR_UNLOCK, {}, {VehicleState.locked: False}),
        (commands.AUTO_CONDITIONING_START, {}, {ClimateState.is_climate_on: True}),
        (commands.AUTO_CONDITIONING_STOP, {}, {ClimateState.is_climate_on: False}),
        (commands.CHARGE_PORT_DOOR_OPEN, {}, {ChargeState.charge_port_door_open: True}),
        (commands.CHARGE_PORT_DOOR_CLOSE, {}, {ChargeState.charge_port_door_open: False}),
        (commands.SET_CHARGE_LIMIT, {"percent": 72.5}, {ChargeState.charge_limit_soc: 73}),
        (commands.CHARGE_MAX_RANGE, {}, {ChargeState.charge_limit_soc: 100}),
        (commands.CHARGE_STANDARD, {}, {ChargeState.charge_limit_soc: 90}),
        (commands.CHARGE_START, {}, {ChargeState.charging_state: "starting"}),
        (commands.CHARGE_STOP, {}, {ChargeState.charging_state: "stopped"}),
        (
            commands.SET_TEMPS,
            {"driver_temp": "21.55", "passenger_temp": 20},
            {ClimateState.driver_temp_setting: 21.6, ClimateState.passenger_temp_setting: 20.0},
        ),
        (commands.SET_VALET_MODE, {"on": "true"}, {VehicleState.valet_mode: True}),
        (commands.SPEED_LIMIT_SET_LIMIT, {"limit_mph": 65.5}, {SpeedLimitMode.current_limit_mph: 66}),
        (commands.SPEED_LIMIT_ACTIVATE, {"pin": PIN}, {SpeedLimitMode.active: True}),
        (commands.SPEED_LIMIT_DEACTIVATE, {"pin": PIN}, {SpeedLimitMode.active: False}),
        (commands.REMOTE_START_DRIVE, {"password": PASSWORD}, {VehicleState.remote_start: True}),
        (commands.ACTUATE_TRUNK, {"which_trunk": "rear"}, {}),
        (commands.HONK_HORN, {}, {}),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else "",
)
def test_expected_values(command: Command, values: dict[str, Any], expected: dict[Field[Any], Any]) -> None:
    """The expected values are fixed, normalized parameters, or values of the car's other fields."""
    assert command.expected_values(PARKED, values) == expected
    # No value is expected if the car hasn't reported the field that holds it.
    assert commands.CHARGE_STANDARD.expected_values(Vehicle.parse({}), {}) == {}


def test_merged_values_are_the_newer_ones_and_other_earlier_setpoints() -> None:
    earlier = {"driver_temp": 20, "passenger_temp": 19}
    assert commands.SET_TEMPS.merge(earlier, {"driver_temp": 22}) == {"driver_temp": 22, "passenger_temp": 19}
    assert commands.SET_VALET_MODE.merge({"on": True, "password": PIN}, {"on": False}) == {"on": False}
