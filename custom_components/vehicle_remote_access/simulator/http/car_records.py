"""A car's state as the records of the interface document."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
import math
from typing import Final

from ..car import battery, cabin
from ..car.battery import INVALID
from ..car.body import LIDS, SPEED_LIMIT_MAXIMUM, SPEED_LIMIT_MINIMUM
from ..car.car import Car
from ..car.model import VehicleConfig
from ..car.physics import ENERGY_PER_MILE, MILES_PER_PERCENT
from ..persistence import Json

IDEAL: Final = 1.25  # relative to the rated range
ESTIMATED: Final = 0.85
API_VERSIONS: Final = {"current-2019": 5, "legacy-2018": 4, "fleet-2024": 71}
LEGACY_LACKS: Final = {
    "charge_state": {"charge_port_cold_weather_mode"},
    "climate_state": {"climate_keeper_mode", "remote_heater_control_enabled"},
    "vehicle_config": {"can_accept_navigation_requests", "has_air_suspension"},
    "vehicle_state": {
        "is_user_present",
        "media_state",
        "remote_start_enabled",
        "sentry_mode",
        "software_update",
        "speed_limit_mode",
    },
}
CURRENT_LACKS: Final = {"vehicle_state": {"autopark_state"}}
"""Fields that /data and /vehicle_data don't have."""
SEPARATE_RECORDS: Final = {"charge_state", "climate_state", "drive_state", "gui_settings"}
"""The objects that can be read separately."""
OFF, ON, DIMMED, DRIVING, CHARGING, SENTRY, DOG = 0, 3, 2, 4, 5, 7, 8
"""Values of center_display_state."""
OPEN_LID: Final = 255
SENSORS_AFTER: Final = 30.0  # seconds after waking until the cabin's sensors report


def short_record(car: Car) -> Json:
    """Return the vehicle record of the list and of a single read. It has no user_id."""
    return {
        "id": car.id,
        "vehicle_id": car.identity.vehicle_id,
        "vin": car.vin,
        "display_name": car.name,
        "option_codes": car.model.option_codes,
        "color": None,
        "tokens": list(car.tokens),
        "state": car.state,
        "in_service": car.in_service,
        "id_s": str(car.id),
        "calendar_enabled": True,
        "backseat_token": None,
        "backseat_token_updated_at": None,
    }


def full_record(car: Car, *, is_legacy: bool = False) -> Json:
    """Return the vehicle record with its six objects, as in /vehicle_data, or as in /data (legacy)."""
    record = {**short_record(car), "user_id": car.identity.user_id}
    objects = {
        "gui_settings": {**car.screen.as_json(), "timestamp": _timestamp(car)},
        "vehicle_state": _vehicle_state(car),
        "climate_state": {**_climate_state(car), **_seat_heaters(car, is_legacy=is_legacy)},
        "charge_state": _charge_state(car),
        "drive_state": _drive_state(car),
        "vehicle_config": _vehicle_config(car),
    }
    if not is_legacy:
        record["api_version"] = api_version(car)
    remove_fields(objects, LEGACY_LACKS if is_legacy else CURRENT_LACKS)
    return {**record, **objects}


def remove_fields(objects: Json, lacks: Mapping[str, Iterable[str]]) -> None:
    for name, missing in lacks.items():
        for field in missing:
            del objects[name][field]


def api_version(car: Car) -> int:
    return API_VERSIONS[car.switches.profile]


def _timestamp(car: Car, *, later: int = 0) -> int:
    """Return when the data was reported, in real milliseconds. The objects differ by some milliseconds."""
    return math.floor(car.clock.real(car.as_of) * 1000) + later


def _charge_state(car: Car) -> Json:
    charge = car.charging
    rated, added = charge.level * MILES_PER_PERCENT, charge.energy_added
    flowing = charge.current > 0
    start = charge.scheduled_start
    return {
        # The battery
        "battery_level": round(charge.level),
        "usable_battery_level": round(charge.usable_level),
        "battery_range": round(rated, 2),
        "ideal_battery_range": round(rated * IDEAL, 2),
        "est_battery_range": round(rated * ESTIMATED, 2),
        "charge_energy_added": round(added, 2),
        "charge_miles_added_rated": round(added / ENERGY_PER_MILE, 1),
        "charge_miles_added_ideal": round(added / ENERGY_PER_MILE * IDEAL, 1),
        "battery_heater_on": charge.is_heating_pack,
        "not_enough_power_to_heat": False,
        # The charge limit
        "charge_limit_soc": charge.limit,
        "charge_limit_soc_std": battery.LIMIT_STANDARD,
        "charge_limit_soc_min": battery.LIMIT_MINIMUM,
        "charge_limit_soc_max": battery.LIMIT_MAXIMUM,
        "charge_to_max_range": charge.limit == battery.LIMIT_MAXIMUM,
        "max_range_charge_counter": charge.max_range_charge_counter,
        # The charger
        "fast_charger_present": charge.fast,
        "fast_charger_type": "Supercharger" if charge.fast else INVALID,
        "fast_charger_brand": "Tesla" if charge.fast else INVALID,
        "charger_voltage": charge.supply.volts if flowing else 0,
        "charger_phases": charge.supply.phases if flowing else None,
        "charger_pilot_current": charge.pilot_current,
        "charger_actual_current": round(charge.current),
        "charger_power": math.floor(charge.power),
        "charge_rate": round(charge.charge_rate, 1),
        "charge_current_request": charge.full_current,
        "charge_current_request_max": charge.full_current,
        # The charge port
        "conn_charge_cable": car.model.cable if charge.plugged else INVALID,
        "charge_port_door_open": charge.port_open,
        "charge_port_latch": charge.latch,
        "charge_port_cold_weather_mode": None,
        # The progress and the schedule
        "charging_state": charge.state.value,
        # In quarters of an hour
        "time_to_full_charge": math.ceil(charge.hours_to_limit * 4) / 4 / car.clock.speed,
        "trip_charging": False,
        "scheduled_charging_pending": charge.pending,
        "scheduled_charging_start_time": None if start is None else math.floor(car.clock.real(start)),
        "charge_enable_request": not charge.stopped_by_user,
        "user_charge_enable_request": False if charge.stopped_by_user else None,
        "managed_charging_active": False,
        "managed_charging_user_canceled": False,
        "managed_charging_start_time": None,
        "timestamp": _timestamp(car, later=1),
    }


def _climate_state(car: Car) -> Json:
    climate = car.cabin
    known = car.timeline.now - car.woke_at >= SENSORS_AFTER
    return {
        "inside_temp": round(climate.inside, 1) if known else None,
        "outside_temp": round(climate.outside * 2) / 2 if known else None,
        "driver_temp_setting": climate.driver_temp,
        "passenger_temp_setting": climate.passenger_temp,
        "min_avail_temp": cabin.MINIMUM,
        "max_avail_temp": cabin.MAXIMUM,
        "left_temp_direction": climate.temp_direction,
        "right_temp_direction": climate.temp_direction,
        "fan_status": climate.fan_status,
        "is_climate_on": climate.on,
        "is_auto_conditioning_on": climate.on,
        "is_preconditioning": climate.on and not car.body.user_present,
        "smart_preconditioning": False,
        "battery_heater": car.charging.is_heating_pack,
        "battery_heater_no_power": False,
        "is_front_defroster_on": climate.is_defrosting,
        "is_rear_defroster_on": climate.is_defrosting,
        "steering_wheel_heater": climate.steering_wheel_heater,
        "wiper_blade_heater": climate.is_defrosting,
        "side_mirror_heaters": climate.is_defrosting,
        "climate_keeper_mode": climate.keeper,
        "remote_heater_control_enabled": False,
        "timestamp": _timestamp(car, later=3),
    }


def _seat_heaters(car: Car, *, is_legacy: bool) -> Json:
    seats = car.cabin.seats
    common = ("left", "right", "rear_left", "rear_right")
    if not is_legacy:
        return {f"seat_heater_{seat}": seats[seat] for seat in (*common, "third_row_left", "third_row_right")}
    return {
        **{f"seat_heater_{seat}": seats[seat] > 0 for seat in (*common, "rear_center")},
        "seat_heater_rear_right_back": seats["third_row_right"],
        "seat_heater_rear_left_back": seats["third_row_left"],
    }


def _drive_state(car: Car) -> Json:
    speed = car.driving.speed_at(car.timeline.now)
    latitude, longitude = (round(degrees, 6) for degrees in car.driving.point)
    return {
        "shift_state": car.driving.shift_state,
        "speed": None if speed is None else round(speed),
        "power": round(car.power),
        "heading": round(car.driving.heading) % 360,
        "gps_as_of": math.floor(car.clock.real(car.as_of)),
        "timestamp": _timestamp(car, later=4),
        "latitude": latitude,
        "longitude": longitude,
        "native_location_supported": 1,
        "native_latitude": latitude,
        "native_longitude": longitude,
        "native_type": "wgs",
    }


def _vehicle_state(car: Car) -> Json:
    body, roof, limit = car.body, car.body.roof, car.body.speed_limit
    return {
        "api_version": api_version(car),
        "autopark_state": "unavailable",
        "autopark_state_v2": _autopark_state(car),
        "autopark_style": "standard",
        "last_autopark_error": "no_error",
        "calendar_supported": True,
        "parsed_calendar_supported": True,
        "notifications_supported": True,
        "car_version": body.update.version,
        "center_display_state": _display_state(car),
        **{name: int(body.openings[name]) for name in ("df", "dr", "pf", "pr")},
        **{name: OPEN_LID if body.is_reported_open(name) else 0 for name in LIDS},
        "locked": body.locked,
        "sun_roof_percent_open": roof.percent if roof.installed else None,
        "sun_roof_state": roof.state,
        "homelink_nearby": car.homelink_nearby,
        "is_user_present": body.user_present,
        "media_state": {"remote_control_enabled": True},
        "odometer": round(car.driving.odometer, 6),
        "remote_start": body.remote_start,
        "remote_start_enabled": car.model.remote_start_supported,
        "remote_start_supported": car.model.remote_start_supported,
        "sentry_mode": body.sentry,
        "software_update": {"expected_duration_sec": 2700, "status": body.update.status},
        "speed_limit_mode": {
            "active": limit.active,
            "current_limit_mph": limit.limit,
            "max_limit_mph": SPEED_LIMIT_MAXIMUM,
            "min_limit_mph": SPEED_LIMIT_MINIMUM,
            "pin_code_set": limit.pin is not None,
        },
        "valet_mode": body.valet.on,
        "vehicle_name": car.name,
        "timestamp": _timestamp(car, later=5),
    }


def _autopark_state(car: Car) -> str:
    if car.driving.in_gear or car.in_service:
        return "unavailable"
    # An unlocked car has a phone or key nearby.
    return "standby" if car.body.locked else "ready"


def _display_state(car: Car) -> int:
    states = (
        (DRIVING, car.driving.in_gear),
        (DOG, car.cabin.keeper == "dog"),
        (SENTRY, car.body.sentry),
        (CHARGING, car.charging.active),
        (ON, car.body.user_present),
        (DIMMED, car.cabin.on or any(car.body.openings.values())),
    )
    return next((state for state, is_active in states if is_active), OFF)


def _vehicle_config(car: Car) -> Json:
    return {
        **{field.name: getattr(car.model, field.name) for field in fields(VehicleConfig)},
        "eu_vehicle": car.model.eu_vehicle,
        "timestamp": _timestamp(car, later=6),
    }


def service_data(car: Car) -> Json:
    if not car.in_service:
        return {}
    return {
        "service_status": "in_service",
        "service_etc": datetime.fromtimestamp(car.service_ends, UTC).isoformat(),
        "service_visit_number": f"SV{car.id % 1_000_000:06d}",
        "status_id": 8,
    }
