"""The commands and controls: effects on the car, and reasons of refusals. Charging is in test_physics."""

import json
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.controls import ControlError
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError

from .conftest import PASSWORD, Act, driving, nothing, send, sends, shown
from .documented import COMMANDS, PARAMETERS


def keep_dog(car: SimulatedVehicle) -> None:
    car.climate_keeper("dog")


FAR_APART: Final = {"driver_temp": "10", "passenger_temp": "99"}
"""Temperatures out of range."""
ACTIVATE_LIMIT: Final = sends("speed_limit_activate", pin="1234")
PLAYBACK: Final = "vehicle_state.media_info.media_playback_status"
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


def test_second_remote_start_lasts_for_two_minutes_more(car: SimulatedVehicle, clock: ManualClock) -> None:
    for seconds in (60, 119):
        send(car, "remote_start_drive", password=PASSWORD)
        clock.advance(seconds)
    assert shown(car, "vehicle_state.remote_start") is True


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


def test_calendar_may_be_an_object_or_its_text_of_at_most_256_kib(car: SimulatedVehicle) -> None:
    calendar = {"calendars": [{"name": "Home", "events": []}]}
    for data in (calendar, json.dumps(calendar)):
        car.body.calendar = {}
        assert not send(car, "upcoming_calendar_entries", calendar_data=data)
        assert car.body.calendar == calendar
    with pytest.raises(RequestError):
        send(car, "upcoming_calendar_entries", calendar_data={"name": "x" * 256 * 1024})


# Controls


def keep_climate(*modes: str) -> Act:
    return lambda car: (send(car, "auto_conditioning_start"), *map(car.climate_keeper, modes))


@pytest.mark.parametrize(
    ("act", "path", "value"),
    [
        (lambda car: car.enter(), "vehicle_state.locked", False),
        (lambda car: (car.open("pr"), car.close("pr")), "vehicle_state.pr", 0),
        (lambda car: (car.sentry(on=True), car.sentry(on=False)), "vehicle_state.sentry_mode", False),
        (lambda car: car.unplug(), "charge_state.conn_charge_cable", "<invalid>"),
        (lambda car: car.climate_keeper("camp"), "climate_state.is_climate_on", True),
        (keep_climate("off"), "climate_state.is_climate_on", True),
        (keep_climate("dog", "off"), "climate_state.is_climate_on", False),
        (lambda car: car.heat_seat("right", 3), "climate_state.seat_heater_right", 3),
        (lambda car: car.set_level(33), "charge_state.battery_range", 82.5),
        (lambda _: None, "vehicle_state.autopark_state_v2", "standby"),
        (lambda car: car.unlock(), "vehicle_state.autopark_state_v2", "ready"),
        (lambda car: (car.unlock(), car.lock()), "vehicle_state.autopark_state_v2", "standby"),
        (lambda car: (car.unplug(), car.drive(5)), "vehicle_state.autopark_state_v2", "unavailable"),
        (lambda car: (car.unplug(), car.drive(5), car.stop()), "drive_state.shift_state", "P"),
        (lambda car: car.service(on=True), "vehicle_state.autopark_state_v2", "unavailable"),
        (lambda car: car.set_tire_pressure("rr", 1.9), "vehicle_state.tpms_hard_warning_rr", True),
        (lambda car: (car.open_window("rp"), car.close_window("rp")), "vehicle_state.rp_window", 0),
        (lambda car: (car.enter(), car.play_media(on=False)), PLAYBACK, "Paused"),
        (lambda car: (car.enter(), car.play_media(on=False), car.play_media(on=True)), PLAYBACK, "Playing"),
    ],
)
def test_control_shows(act: Act, path: str, value: Any, car: SimulatedVehicle) -> None:
    car.switches.profile = "fleet-2024"
    act(car)
    assert shown(car, path) == value


@pytest.mark.parametrize(
    ("words", "act"),
    [
        ("already plugged in", lambda car: car.plug_in()),
        ("not plugged in", lambda car: (car.unplug(), car.unplug())),
        ("the car is driving", lambda car: (car.unplug(), car.drive(1), car.leave())),
        ("already parked", lambda car: car.stop()),
        ("the battery is empty", lambda car: (car.unplug(), car.set_level(0), car.drive(1))),
        ("the car is in service", lambda car: (car.unplug(), car.service(on=True), car.drive(1))),
        ("miles must be", lambda car: car.drive(-1)),
        ("speed must be", lambda car: car.drive(1, speed=4)),
        ("hours must be", lambda car: car.schedule_charging(0)),
        ("name must be one of", lambda car: car.open("boot")),
        ("seat must be one of", lambda car: car.heat_seat("roof", 1)),
        ("level must be", lambda car: car.heat_seat("left", 4)),
        ("mode must be one of", lambda car: car.climate_keeper("cat")),
        ("name must be one of", lambda car: car.open_window("ft")),
        ("tire must be one of", lambda car: car.set_tire_pressure("spare", 3)),
        ("bar must be", lambda car: car.set_tire_pressure("fl", 4.1)),
        ("no one is in the car", lambda car: car.play_media(on=True)),
        ("percent must be", lambda car: car.set_level(101)),
        ("a temperature must be", lambda car: car.set_temperatures(outside=400)),
        ("already in progress", lambda car: (car.offer_update(), car.offer_update())),
        ("someone is in the car", lambda car: (car.enter(), car.fall_asleep())),
        ("in valet mode", lambda car: (send(car, "set_valet_mode", on="1"), car.mobile_access(on=False))),
    ],
)
def test_impossible_control(words: str, act: Act, car: SimulatedVehicle) -> None:
    with pytest.raises(ControlError, match=words):
        act(car)


def test_update_waits_for_the_drive_to_end(car: SimulatedVehicle, clock: ManualClock) -> None:
    car.unplug()
    car.offer_update()
    clock.advance(300 + 600 + 1000)
    car.drive(100)
    clock.advance(1000)
    assert shown(car, "vehicle_state.software_update.status") == "scheduled"
    clock.advance(5000)
    assert shown(car, "state") == "offline"
    clock.advance(1500)
    assert shown(car, "vehicle_state.software_update.status") == ""
