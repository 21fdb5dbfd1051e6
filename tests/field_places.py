"""The places at which users find each documented field."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.util import dt as dt_util

from custom_components.vehicle_remote_access.api.records import FIELDS
from custom_components.vehicle_remote_access.api.value_types import ANYTHING, RECORD_TIMESTAMP, TIMESTAMP

from .api.raw_records import GONE, found_in
from .conftest import Home

# Record → places → fields. A place is a platform whose entities show the field, or:
# - "device": the device page shows the field
# - "identity": the field identifies the device and the entities, as all tests show
# - "gate": the field decides whether an entity exists, or what it can do
# - "redacted": the diagnostics contain only that the field exists
# - "diagnostics": only the diagnostics contain the field. They contain all other fields too.
TABLE: Final[Mapping[str, Mapping[str, str]]] = {
    "": {
        "redacted identity": "vin",
        "redacted device": "display_name",
        "redacted": "id id_s user_id vehicle_id tokens backseat_token backseat_token_updated_at",
        "sensor binary_sensor": "state",
        "binary_sensor": "in_service",
        "diagnostics": "color option_codes api_version calendar_enabled",
    },
    "gui_settings": {
        "gate": "gui_range_display",
        "diagnostics": (
            "gui_distance_units gui_temperature_units gui_charge_rate_units gui_24_hour_time timestamp"
        ),
    },
    "charge_state": {
        "sensor binary_sensor switch": "charging_state",
        "sensor binary_sensor": "conn_charge_cable charge_port_latch",
        "sensor": (
            "battery_level usable_battery_level battery_range est_battery_range ideal_battery_range "
            "charge_energy_added charge_miles_added_rated charge_miles_added_ideal charge_rate "
            "charger_voltage charger_pilot_current charger_actual_current charger_power charger_phases "
            "charge_current_request charge_current_request_max fast_charger_type fast_charger_brand "
            "max_range_charge_counter time_to_full_charge scheduled_charging_start_time timestamp"
        ),
        "binary_sensor": (
            "charge_to_max_range fast_charger_present trip_charging scheduled_charging_pending "
            "charge_enable_request user_charge_enable_request battery_heater_on not_enough_power_to_heat "
            "charge_port_cold_weather_mode"
        ),
        "diagnostics": "managed_charging_active managed_charging_user_canceled managed_charging_start_time",
        "number": "charge_limit_soc charge_limit_soc_min charge_limit_soc_max",
        "cover": "charge_port_door_open",
        "gate": "charge_limit_soc_std",
    },
    "climate_state": {
        "climate": "is_climate_on",
        "climate sensor": "inside_temp driver_temp_setting",
        "climate binary_sensor": "is_preconditioning",
        "climate number": "min_avail_temp max_avail_temp",
        "number": "passenger_temp_setting",
        "sensor": (
            "outside_temp left_temp_direction right_temp_direction fan_status climate_keeper_mode "
            "seat_heater_left seat_heater_right seat_heater_rear_left seat_heater_rear_right "
            "seat_heater_rear_center seat_heater_rear_right_back seat_heater_rear_left_back "
            "seat_heater_third_row_left seat_heater_third_row_right"
        ),
        "binary_sensor": (
            "is_front_defroster_on is_rear_defroster_on is_auto_conditioning_on smart_preconditioning "
            "battery_heater battery_heater_no_power steering_wheel_heater wiper_blade_heater "
            "side_mirror_heaters remote_heater_control_enabled"
        ),
        "diagnostics": "timestamp",
    },
    "drive_state": {
        "sensor binary_sensor": "shift_state",
        "sensor": "speed power heading gps_as_of",
        "redacted device_tracker": "latitude longitude native_latitude native_longitude",
        "device_tracker": "native_location_supported native_type",
        "diagnostics": "timestamp",
    },
    "vehicle_state": {
        "lock": "locked",
        "switch": "valet_mode",
        "cover": "ft rt sun_roof_percent_open sun_roof_state",
        "update sensor": "software_update.status",
        "update device": "car_version",
        "redacted device": "vehicle_name",
        "number": (
            "speed_limit_mode.current_limit_mph speed_limit_mode.max_limit_mph speed_limit_mode.min_limit_mph"
        ),
        "sensor": "odometer center_display_state autopark_state_v2 software_update.expected_duration_sec",
        "binary_sensor": (
            "df dr pf pr homelink_nearby is_user_present sentry_mode media_state.remote_control_enabled "
            "remote_start remote_start_supported remote_start_enabled speed_limit_mode.active "
            "speed_limit_mode.pin_code_set"
        ),
        "diagnostics": (
            "api_version autopark_state autopark_style last_autopark_error calendar_supported "
            "parsed_calendar_supported notifications_supported timestamp"
        ),
    },
    "vehicle_config": {
        "device": "car_type trim_badging",
        "sensor": "exterior_color roof_color spoiler_type wheel_type",
        "gate": (
            "can_actuate_trunks motorized_charge_port plg rear_seat_heaters sun_roof_installed "
            "third_row_seats"
        ),
        "diagnostics": (
            "can_accept_navigation_requests car_special_type charge_port_type eu_vehicle "
            "has_air_suspension has_ludicrous_mode perf_config rear_seat_type rhd seat_type timestamp"
        ),
    },
}

ROWS: Final = [
    (f"{record}.{name}".lstrip("."), frozenset(places.split()))
    for record, groups in TABLE.items()
    for places, names in groups.items()
    for name in names.split()
]

PLACES: Final = dict(ROWS)

# Platforms with one entity per field. Entities that combine several fields don't count as showing them.
ONE_FIELD_PLATFORMS: Final = {"sensor", "binary_sensor"}
NOT_IN_VIEW: Final = {"gate", "identity", "redacted", "diagnostics"}
SEATS: Final = "FuturisFoldFlat"

# Values with which all seat heaters exist
ALL_SEATS: Final[Mapping[str, Any]] = {
    "vehicle_config.rear_seat_heaters": 3,
    "vehicle_config.third_row_seats": SEATS,
}

_OTHER_COORDINATES: Final = {"drive_state.latitude": 52.0, "drive_state.longitude": 5.0}
_NOT_NATIVE: Final = {"drive_state.native_location_supported": 0}
_IS_CHARGING: Final = {"charge_state.charging_state": "Charging"}

# Field → values to set before the field changes, so that the change shows in all its places
PRECONDITIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "display_name": {"vehicle_state.vehicle_name": None},
    "charge_state.charging_state": _IS_CHARGING,
    "charge_state.conn_charge_cable": {
        "charge_state.conn_charge_cable": "<invalid>",
        "charge_state.charging_state": None,
    },
    "charge_state.time_to_full_charge": _IS_CHARGING,
    "climate_state.is_preconditioning": {"climate_state.is_climate_on": True, "climate_state.inside_temp": 5},
    "drive_state.latitude": _NOT_NATIVE,
    "drive_state.longitude": _NOT_NATIVE,
    "drive_state.native_location_supported": _OTHER_COORDINATES,
    "drive_state.native_type": _OTHER_COORDINATES,
    "vehicle_state.sun_roof_state": {"vehicle_state.sun_roof_percent_open": None},
}

VALUE_TYPES: Final = {field.path: field.value_type for field in FIELDS}


def another(path: str, current: Any) -> Any:
    """Return a value of the same type that has another meaning than the current value."""
    value_type = VALUE_TYPES.get(path, ANYTHING)
    current = None if current is GONE else current
    number = current if isinstance(current, int | float) else 0
    step = 1
    if value_type in (RECORD_TIMESTAMP, TIMESTAMP):
        # Timestamps count milliseconds, and entities show seconds.
        number, step = number or int(dt_util.utcnow().timestamp()), 1000
    text = f"another {path}"
    numbers = (number + step, number - step, 0)
    values = (text, [text], "None", True, False, *numbers, "1234567", "Recording", *value_type.options)
    meaning = value_type.null if current is None else value_type.read(current)
    return next(
        value
        for value in values
        if (current is None or type(value) is type(current)) and value_type.read(value) not in (None, meaning)
    )


def _view(home: Home) -> dict[tuple[str, str], Any]:
    """Return what a user sees: the state of each entity, by platform and path, and the device page."""
    device = home.device
    return {("device", ""): (device.name, device.model, device.sw_version)} | {
        (entry.domain, entry.unique_id.partition("-")[2]): (state.state, dict(state.attributes))
        for entry in home.entities()
        if (state := home.hass.states.get(entry.entity_id)) is not None
    }


async def report(home: Home, values: Mapping[str, Any]) -> None:
    """Let the service report values by path, and read the car until they are believed."""
    for path, value in values.items():
        home.simulator.faults.corrupt(path, value)
    await home.poll()
    for _ in range(2 if home.coordinator.known.merged.plausibility.held else 0):
        await home.poll()


async def shown_in(home: Home, path: str, preconditions: Mapping[str, Any] | None = None) -> set[str]:
    """Return the places that change if the field changes. `preconditions`: values to set before that."""
    home.simulator.faults.clear()
    await report(home, {**ALL_SEATS, **(preconditions or PRECONDITIONS.get(path, {}))})
    before = _view(home)
    await report(home, {path: another(path, found_in(dict(home.coordinator.known.merged.raw), path))})
    changed = {key for key, state in _view(home).items() if state != before.get(key)}
    return {platform for platform, shown in changed if platform not in ONE_FIELD_PLATFORMS or shown == path}
