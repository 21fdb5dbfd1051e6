"""The commands that only services of the Fleet API's family have, with values that each of them accepts."""

from dataclasses import replace
from typing import Any, Final

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle

from .conftest import send

PLACE: Final = {"lat": 37.4419, "lon": -122.1430}
"""Next to the first car."""
SCHEDULE: Final = {"days_of_week": "Mon, Thursday", "enabled": True, **PLACE, "id": 5}
TIMES: Final = {"start_enabled": True, "start_time": 60, "end_enabled": False}
FLEET_COMMANDS: Final[dict[str, dict[str, Any]]] = {
    "window_control": {"command": "close", **PLACE},
    "set_sentry_mode": {"on": True},
    "trigger_homelink": PLACE,
    "remote_boombox": {"sound": 0},
    "remote_seat_heater_request": {"heater": 1, "level": 2},
    "remote_seat_cooler_request": {"seat_position": 2, "seat_cooler_level": 3},
    "remote_auto_seat_climate_request": {"auto_seat_position": 1, "auto_climate_on": True},
    "remote_steering_wheel_heater_request": {"on": True},
    "remote_steering_wheel_heat_level_request": {"level": 1},
    "remote_auto_steering_wheel_heat_climate_request": {"on": True},
    "set_preconditioning_max": {"on": True, "manual_override": False},
    "set_climate_keeper_mode": {"climate_keeper_mode": 3},
    "set_cabin_overheat_protection": {"on": True, "fan_only": False},
    "set_cop_temp": {"cop_temp": 1},
    "set_bioweapon_mode": {"on": True, "manual_override": False},
    "set_charging_amps": {"charging_amps": 16},
    "set_scheduled_charging": {"enable": True, "time": 120},
    "set_scheduled_departure": {"enable": True, "preconditioning_enabled": True, "departure_time": 450},
    "add_charge_schedule": {**SCHEDULE, **TIMES},
    "remove_charge_schedule": {"id": 5},
    "add_precondition_schedule": {**SCHEDULE, "precondition_time": 420},
    "remove_precondition_schedule": {"id": 5},
    "schedule_software_update": {"offset_sec": 3600},
    "cancel_software_update": {},
    "navigation_request": {"value": {"android.intent.extra.TEXT": "Concert hall\n1 Main Street"}},
    "navigation_gps_request": {"lat": 37.5, "lon": -122.2, "order": 1},
    "adjust_volume": {"volume": 4.5},
    "media_toggle_playback": {},
    "media_next_track": {},
    "media_prev_track": {},
    "guest_mode": {"enable": True},
    "set_pin_to_drive": {"on": True, "password": "0420"},
    "set_vehicle_name": {"vehicle_name": "Borealis"},
    "batch_remove_charge_schedules": {"home": False, "work": False, "other": True},
    "batch_remove_precondition_schedules": {"home": False, "work": False, "other": True},
    "navigation_waypoints_request": {"waypoints": "refId:one,refId:two"},
    "keep_accessory_power_mode": {"enable": True},
    "set_low_power_mode": {"enable": True},
    "open_tonneau": {},
    "close_tonneau": {},
    "stop_tonneau": {},
}


def prepare(car: SimulatedVehicle, command: str) -> None:
    """Bring the car into a state in which it accepts a command."""
    car.cabin.on = True
    if command.startswith(("media", "adjust")):
        car.enter()
    if command.startswith("remove"):
        add = command.replace("remove", "add")
        assert not send(car, add, **FLEET_COMMANDS[add])
    if command.endswith("tonneau"):
        car.model = replace(car.model, car_type="cybertruck")
    if command.endswith("software_update"):
        car.offer_update()
    if command == "cancel_software_update":
        assert not send(car, "schedule_software_update", offset_sec=3600)
