"""The commands: their effect on the car, and the reasons of refusals. Charging is in test_transitions."""

import json
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError

from .conftest import PASSWORD, Act, driving, nothing, send, sends, shown
from .documented import COMMANDS, PARAMETERS


def keep_dog(car: SimulatedVehicle) -> None:
    car.climate_keeper("dog")


FAR_APART: Final = {"driver_temp": "10", "passenger_temp": "99"}
"""Temperatures out of range."""
ACTIVATE_LIMIT: Final = sends("speed_limit_activate", pin="1234")
SPEED_LIMIT: Final = "vehicle_state.speed_limit_mode.current_limit_mph"


@pytest.mark.parametrize(
    ("situation", "command", "query", "path", "value"),
    [
        (driving, "door_unlock", {}, "vehicle_state.locked", False),
        (nothing, "auto_conditioning_start", {}, "climate_state.is_preconditioning", True),
        (keep_dog, "auto_conditioning_stop", {}, "climate_state.is_climate_on", False),
        (keep_dog, "auto_conditioning_stop", {}, "climate_state.climate_keeper_mode", "off"),
        (nothing, "set_charge_limit", {"percent": "85.9"}, "charge_state.charge_limit_soc", 85),
        (nothing, "set_charge_limit", {"percent": "1"}, "charge_state.charge_limit_soc", 50),
        (nothing, "set_charge_limit", {"percent": "200"}, "charge_state.charge_limit_soc", 100),
        (nothing, "set_temps", {"driver_temp": "23.5"}, "climate_state.driver_temp_setting", 23.5),
        (nothing, "set_temps", {"driver_temp": "23.5"}, "climate_state.passenger_temp_setting", 23.5),
        (nothing, "set_temps", FAR_APART, "climate_state.driver_temp_setting", 15),
        (nothing, "set_temps", FAR_APART, "climate_state.passenger_temp_setting", 28),
        (nothing, "charge_max_range", {}, "charge_state.charge_to_max_range", True),
        (lambda car: car.open("ft"), "actuate_trunk", {"which_trunk": "front"}, "vehicle_state.ft", 0),
        (nothing, "speed_limit_set_limit", {"limit_mph": "50"}, SPEED_LIMIT, 50),
        (nothing, "speed_limit_set_limit", {"limit_mph": "90"}, SPEED_LIMIT, 90),
        (nothing, "set_valet_mode", {"on": "ON"}, "vehicle_state.valet_mode", True),
        (nothing, "set_valet_mode", {"on": "1"}, "vehicle_state.valet_mode", True),
    ],
)
def test_command_has_its_effect(
    situation: Act, command: str, query: dict[str, str], path: str, value: Any, car: SimulatedVehicle
) -> None:
    """A command changes all that belongs to it. A value out of range becomes the nearest one.

    `test_every_endpoint` has the other effects.
    """
    situation(car)
    assert not send(car, command, **query)
    assert shown(car, path) == value


@pytest.mark.parametrize(
    ("situation", "command", "query", "reason"),
    [
        (nothing, "set_charge_limit", {"percent": "80"}, "already_set"),
        (lambda car: car.charging.set_limit(90), "charge_standard", {}, "already_standard"),
        (lambda car: car.charging.set_limit(100), "charge_max_range", {}, "already_max_range"),
        (lambda car: (car.unplug(), car.set_level(19.4)), "auto_conditioning_start", {}, "low_soc"),
        (
            lambda car: (car.set_level(19), car.power_supply(on=False)),
            "auto_conditioning_start",
            {},
            "low_soc",
        ),
        (lambda car: car.set_level(19), "auto_conditioning_start", {}, ""),
        (ACTIVATE_LIMIT, "speed_limit_set_limit", {"limit_mph": "60"}, "already active"),
    ],
)
def test_car_refuses(
    situation: Act, command: str, query: dict[str, str], reason: str, car: SimulatedVehicle
) -> None:
    """A car refuses an impossible or unnecessary command with a reason. Climate control needs some power."""
    situation(car)
    assert send(car, command, **query) == reason


def test_driving_car_refuses(car: SimulatedVehicle) -> None:
    driving(car)
    reasons = {command: send(car, command, **PARAMETERS.get(command, {})) for command in COMMANDS}
    assert {command for command, reason in reasons.items() if reason == "not_parked"} == {
        "actuate_trunk",
        "charge_port_door_close",
        "charge_port_door_open",
        "charge_start",
        "remote_start_drive",
        "reset_valet_pin",
        "set_valet_mode",
    }


def test_car_without_the_equipment(fleet: Simulator) -> None:
    cars = {"sun_roof_control": 1, "charge_port_door_close": 2, "actuate_trunk": 3, "remote_start_drive": 3}
    for command, index in cars.items():
        reason = send(fleet.vehicles[index], command, **PARAMETERS.get(command, {}))
        assert reason == "not_supported", command


@pytest.mark.parametrize("start", ["open", "vent", "close"])
@pytest.mark.parametrize(
    ("query", "percent", "state"),
    [
        ({"state": "open"}, 100, "open"),
        ({"state": "comfort"}, 80, "open"),
        ({"state": "move", "percent": "16"}, 16, "open"),
        ({"state": "vent"}, 15, "vent"),
        ({"state": "move", "percent": "1"}, 1, "vent"),
        ({"state": "closed"}, 0, "closed"),
    ],
)
def test_sunroof(
    start: str, query: dict[str, str], percent: int, state: str, car: SimulatedVehicle, clock: ManualClock
) -> None:
    """From any position the sunroof moves for five seconds, and then reports its new position."""
    send(car, "sun_roof_control", state=start)
    clock.advance(3)
    send(car, "sun_roof_control", **query)
    clock.advance(4)
    assert shown(car, "vehicle_state.sun_roof_state") == "moving"
    clock.advance(1)
    body = shown(car, "vehicle_state")
    assert (body["sun_roof_percent_open"], body["sun_roof_state"]) == (percent, state)


def test_remote_start(car: SimulatedVehicle, clock: ManualClock) -> None:
    """Remote start ends after two minutes, which a second command restarts, and when the car drives away."""
    send(car, "remote_start_drive", password=PASSWORD)
    clock.advance(60)
    send(car, "remote_start_drive", password=PASSWORD)
    clock.advance(119)
    assert shown(car, "vehicle_state.remote_start") is True
    clock.advance(1)
    assert shown(car, "vehicle_state.remote_start") is False
    send(car, "remote_start_drive", password=PASSWORD)
    driving(car)
    assert shown(car, "vehicle_state.remote_start") is False


def test_valet_mode(car: SimulatedVehicle) -> None:
    """The valet PIN stays until it is replaced or deleted. A sent PIN has to be the correct one."""
    for on, pin, reason in (
        *(("off", None, "already off"), ("on", None, ""), ("on", None, "already on")),
        *(("off", "1234", "incorrect pin"), ("off", None, "")),
        *(("on", "1234", ""), ("off", "4321", "incorrect pin"), ("off", None, "")),
        *(("on", None, ""), ("off", "1234", "")),
        *(("on", "4321", ""), ("off", "1234", "incorrect pin")),
    ):
        assert send(car, "set_valet_mode", on=on, password=pin) == reason, (on, pin)
        is_on = (on == "on") is (reason != "incorrect pin")
        assert shown(car, "vehicle_state.valet_mode") is is_on
    assert send(car, "reset_valet_pin") == "valet mode active"
    assert not send(car, "set_valet_mode", on="false", password="4321")
    assert not send(car, "reset_valet_pin")
    assert not send(car, "set_valet_mode", on="true")
    assert send(car, "set_valet_mode", on="false", password="4321") == "incorrect pin"


def test_speed_limit(car: SimulatedVehicle) -> None:
    """The first PIN of the speed limit stays until it is deleted, and only it is accepted."""
    for command, pin, reason, is_active, has_pin in (
        ("clear_pin", "1234", "incorrect pin", False, False),
        ("deactivate", "1234", "already inactive", False, False),
        ("activate", "1234", "", True, True),
        ("activate", "1234", "already active", True, True),
        ("deactivate", "4321", "incorrect pin", True, True),
        ("deactivate", "1234", "", False, True),
        ("activate", "4321", "incorrect pin", False, True),
        ("activate", "1234", "", True, True),
        ("clear_pin", "4321", "incorrect pin", True, True),
        ("clear_pin", "1234", "", False, False),
        ("activate", "4321", "", True, True),
    ):
        assert send(car, f"speed_limit_{command}", pin=pin) == reason, (command, pin)
        state = shown(car, "vehicle_state.speed_limit_mode")
        assert (state["active"], state["pin_code_set"]) == (is_active, has_pin), (command, pin)


def test_calendar(car: SimulatedVehicle) -> None:
    """The calendar may be an object or its text, of at most 256 KiB."""
    calendar = {"calendars": [{"name": "Home", "events": []}]}
    for data in (calendar, json.dumps(calendar)):
        car.body.calendar = {}
        assert not send(car, "upcoming_calendar_entries", calendar_data=data)
        assert car.body.calendar == calendar
    with pytest.raises(RequestError):
        send(car, "upcoming_calendar_entries", calendar_data={"name": "x" * 256 * 1024})
