"""The fields that services of the Fleet API's family report besides the documented ones.

Transcribed by hand from the test data of Home Assistant's own integrations (tests/components/teslemetry and
tests/components/tessie of https://github.com/home-assistant/core, read on 2026-11-26).
"""

from collections.abc import Mapping
from typing import Any, Final

# Record → places → fields, with the places of `field_places`
TABLE: Final[Mapping[str, Mapping[str, str]]] = {
    "charge_state": {
        "sensor": (
            "energy_remaining scheduled_charging_mode scheduled_departure_time module_temp_min "
            "module_temp_max lifetime_energy_used off_peak_charging_times off_peak_hours_end_time"
        ),
        "binary_sensor": "preconditioning_enabled off_peak_charging_enabled",
    },
    "climate_state": {
        "binary_sensor": "cabin_overheat_protection_actively_cooling",
        "climate": (
            "cabin_overheat_protection cop_activation_temperature supports_fan_only_cabin_overheat_protection"
        ),
        "select": "seat_fan_front_left seat_fan_front_right steering_wheel_heat_level",
        "switch": (
            "auto_seat_climate_left auto_seat_climate_right auto_steering_wheel_heat bioweapon_mode "
            "defrost_mode"
        ),
    },
    "drive_state": {
        "redacted sensor": "active_route_destination",
        "redacted device_tracker": "active_route_latitude active_route_longitude",
        "sensor": (
            "active_route_miles_to_arrival active_route_minutes_to_arrival active_route_energy_at_arrival "
            "active_route_traffic_minutes_delay"
        ),
    },
    "vehicle_state": {
        "binary_sensor": (
            "dashcam_state service_mode tpms_soft_warning_fl tpms_soft_warning_fr tpms_soft_warning_rl "
            "tpms_soft_warning_rr"
        ),
        "binary_sensor cover": "fd_window fp_window rd_window rp_window",
        "cover": "tonneau_position",
        "switch": "guest_mode_enabled",
        "low tire": ("tpms_hard_warning_fl tpms_hard_warning_fr tpms_hard_warning_rl tpms_hard_warning_rr"),
        "gate": "homelink_device_count media_info.audio_volume_increment",
        "media_player": (
            "media_info.audio_volume media_info.audio_volume_max media_info.media_playback_status "
            "media_info.now_playing_duration media_info.now_playing_elapsed media_info.now_playing_source"
        ),
        "redacted media_player": (
            "media_info.now_playing_album media_info.now_playing_artist media_info.now_playing_station "
            "media_info.now_playing_title"
        ),
        "sensor": (
            "autopark_state_v3 software_update.download_perc tpms_pressure_fl tpms_pressure_fr "
            "tpms_pressure_rl tpms_pressure_rr tpms_last_seen_pressure_time_fl "
            "tpms_last_seen_pressure_time_fr tpms_last_seen_pressure_time_rl tpms_last_seen_pressure_time_rr "
            "tpms_rcp_front_value tpms_rcp_rear_value"
        ),
        "update": "software_update.install_perc software_update.version",
    },
    "vehicle_config": {"gate": "cop_user_set_temp_supported has_seat_cooling"},
}
PLACES: Final = {
    f"{record}.{name}": frozenset(places.split(" ") if places != "low tire" else (places,))
    for record, groups in TABLE.items()
    for places, names in groups.items()
    for name in names.split()
}
# Fields that a car leaves out while it does not navigate, but that it can report later
ROUTE: Final = frozenset(path for path in PLACES if "active_route_" in path)
# Fields that no read contains
STREAMED: Final = {"vehicle_state.guest_mode_enabled", "vehicle_state.tonneau_position"}
_STOP: Final = {
    "drive_state.active_route_destination": "A stop",
    "drive_state.active_route_latitude": 52.0,
    "drive_state.active_route_longitude": 5.0,
}
UPDATE: Final = "vehicle_state.software_update.status"
# Field → values to set before the field changes, so that the change shows
PRECONDITIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    **dict.fromkeys(ROUTE, _STOP),
    "vehicle_state.tonneau_position": {"vehicle_config.car_type": "cybertruck"},
    "charge_state.scheduled_charging_mode": {"charge_state.scheduled_charging_mode": "StartAt"},
    "charge_state.scheduled_departure_time": {"charge_state.scheduled_charging_mode": "DepartBy"},
    "vehicle_state.media_info.audio_volume": {"vehicle_state.media_info.audio_volume": 2.0},
    "vehicle_state.media_info.audio_volume_max": {"vehicle_state.media_info.audio_volume": 2.0},
    "vehicle_state.media_info.now_playing_duration": {
        "vehicle_state.media_info.now_playing_duration": 90_500
    },
    "vehicle_state.media_info.now_playing_elapsed": {
        "vehicle_state.media_info.now_playing_duration": 90_000,
        "vehicle_state.media_info.now_playing_elapsed": 30_000,
    },
    "vehicle_state.software_update.install_perc": {UPDATE: "installing"},
    "vehicle_state.software_update.version": {UPDATE: "available"},
}
