"""The response of a car that reports a value in every field."""

from collections.abc import Mapping
from functools import reduce
from typing import Any, Final

from custom_components.vehicle_remote_access.api.records import ChargeState, DriveState, Vehicle
from custom_components.vehicle_remote_access.simulator.car.car import Car
from simulator_console.fleet_records import full_record

from .api.raw_records import WHOLE, spoiled

type Json = dict[str, Any]

# A lively car charges, heats, has all equipment, and reports a value in every field.
LIVELY: Final[Mapping[str, Any]] = {
    "display_name": "Name in the account",
    "color": "White",
    "backseat_token": "a token",
    "backseat_token_updated_at": 1_556_000_000,
    "charge_state.charge_energy_added": 5.5,
    "charge_state.charge_port_cold_weather_mode": False,
    "charge_state.charge_rate": 30.5,
    "charge_state.charger_actual_current": 16,
    "charge_state.charger_phases": 3,
    "charge_state.charger_power": 11,
    "charge_state.charger_voltage": 230,
    "charge_state.charging_state": "Charging",
    "charge_state.conn_charge_cable": "IEC",
    "charge_state.fast_charger_brand": "Brand",
    "charge_state.fast_charger_type": "Type",
    "charge_state.managed_charging_start_time": 1_777_950_000,
    "charge_state.scheduled_charging_start_time": 1_777_950_000,
    "charge_state.time_to_full_charge": 1.5,
    "charge_state.user_charge_enable_request": True,
    "climate_state.inside_temp": 12.5,
    "climate_state.is_climate_on": True,
    "drive_state.shift_state": "P",
    "drive_state.speed": 0,
    "vehicle_config.can_actuate_trunks": True,
    "vehicle_config.motorized_charge_port": True,
    "vehicle_config.plg": True,
    "vehicle_config.rear_seat_heaters": 3,
    "vehicle_config.sun_roof_installed": 2,
    "vehicle_config.third_row_seats": "FuturisFoldFlat",
    "vehicle_state.sun_roof_percent_open": 40,
    "vehicle_state.sun_roof_state": "open",
}

# The values that only services of the Fleet API's family report
FLEET_LIVELY: Final[Mapping[str, Any]] = {
    "drive_state.active_route_destination": "Work",
    "drive_state.active_route_latitude": 37.5,
    "drive_state.active_route_longitude": -122.3,
    "drive_state.active_route_miles_to_arrival": 7.5,
    "drive_state.active_route_minutes_to_arrival": 12.5,
    "drive_state.active_route_energy_at_arrival": 41,
    "drive_state.active_route_traffic_minutes_delay": 2.5,
    "vehicle_state.homelink_device_count": 1,
    "vehicle_state.media_info": {
        "audio_volume": 2.3333,
        "audio_volume_increment": 0.333333,
        "audio_volume_max": 10.333333,
        "media_playback_status": "Playing",
        "now_playing_album": "An album",
        "now_playing_artist": "An artist",
        "now_playing_duration": 60_000,
        "now_playing_elapsed": 30_000,
        "now_playing_source": "Radio",
        "now_playing_station": "A station",
        "now_playing_title": "A title",
    },
}

MODE_FIELDS: Final = {Vehicle.state, Vehicle.in_service, ChargeState.charging_state, DriveState.shift_state}
"""The fields that decide about the polling mode."""


def _merged(base: Json, update: Json) -> Json:
    """Return both records merged. Values in `update` win."""
    return base | {
        name: _merged(base.get(name, {}), value) if isinstance(value, dict) else value
        for name, value in update.items()
    }


def with_values(response: Json, changes: Mapping[str, Any]) -> Json:
    """Return a copy of a response with other values, or none, at the paths."""
    return reduce(lambda raw, change: spoiled(raw, *change), changes.items(), response)


def lively(car: Car) -> Json:
    """Return a response of a simulated car with a value in every field that its service knows."""
    own = FLEET_LIVELY if car.switches.is_fleet else {}
    return with_values(_merged(WHOLE, full_record(car)), {**LIVELY, **own})
