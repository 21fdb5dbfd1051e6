"""The records of services of the Fleet API's family: the documented ones with other fields.

Their names and values are those of Home Assistant's test data for Teslemetry and Tessie, read on 2026-11-26.
"""

import math
from typing import Final

from custom_components.vehicle_remote_access.simulator.car.cabin import SEATS
from custom_components.vehicle_remote_access.simulator.car.car import Car
from custom_components.vehicle_remote_access.simulator.car.driving import CRUISE, energy_per_mile
from custom_components.vehicle_remote_access.simulator.car.physics import (
    ENERGY_PER_MILE,
    ENERGY_PER_PERCENT,
    HOUR,
)
from custom_components.vehicle_remote_access.simulator.http import car_records
from custom_components.vehicle_remote_access.simulator.persistence import Json

from . import media
from .fleet_car import RECOMMENDED_PRESSURE, WINDOWS, FleetCar, as_fleet_car

FLEET_LACKS: Final = {
    "charge_state": {"charge_to_max_range"},
    "climate_state": {"smart_preconditioning"},
    "vehicle_config": {"perf_config"},
}
"""Documented fields that no example of the Fleet API's vehicle_data has."""
NAMELESS: Final = {"display_name", "option_codes"}
"""Fields that only the vehicle list and the single record of the Fleet API have."""

MAX_DEFROST: Final = 2
PRESSURE_STEP: Final = 0.025
SOFT_WARNING, HARD_WARNING = 2.3, 2.0
"""Pressures below which the car warns."""
BATTERY_TEMPERATURE: Final = 16.5
OFF_PEAK_ENDS: Final = 360
"""Minutes after midnight, until a departure sets another time."""


def short_record(car: Car) -> Json:
    """Return the vehicle record of the list and of a single read, as the car's service reports it."""
    record = car_records.short_record(car)
    if not car.switches.is_fleet:
        return record
    return {
        **record,
        "access_type": "OWNER",
        "granular_access": {"hide_private": False},
        "api_version": car_records.api_version(car),
        "ble_autopair_enrolled": False,
    }


def woken_record(car: Car) -> Json:
    """Return the vehicle record in the response of wake_up."""
    return _nameless({**short_record(car), "user_id": car.identity.user_id})


def full_record(car: Car) -> Json:
    """Return the vehicle record with its objects, as the car's service reports it in /vehicle_data."""
    record = car_records.full_record(car)
    if not car.switches.is_fleet:
        return record
    record = _nameless({**short_record(car), **record})
    car_records.remove_fields(record, FLEET_LACKS)
    _add_fields(as_fleet_car(car), record)
    return record


def _nameless(record: Json) -> Json:
    return {name: value for name, value in record.items() if name not in NAMELESS}


def _add_fields(car: FleetCar, objects: Json) -> None:
    """Add the fields to the objects of a full record, and the objects of the schedules."""
    objects["charge_state"] |= _charge_state(car)
    objects["climate_state"] |= _climate_state(car)
    objects["drive_state"] |= _route(car)
    objects["vehicle_state"] |= _vehicle_state(car)
    objects["vehicle_state"]["autopark_state_v3"] = objects["vehicle_state"]["autopark_state_v2"]
    objects["vehicle_state"]["software_update"] |= _software_update(car)
    objects["vehicle_config"] |= {
        "driver_assist": "TeslaAP3",
        "has_seat_cooling": car.equipment.seat_cooling,
        "cop_user_set_temp_supported": car.equipment.overheat_limits,
    }
    schedules = car.schedules
    objects["charge_schedule_data"] = {"charge_schedules": list(schedules.charge.values())}
    objects["preconditioning_schedule_data"] = {
        "precondition_schedules": list(schedules.precondition.values())
    }


def _charge_state(car: FleetCar) -> Json:
    charge, departure = car.charging, car.schedules.departure
    mode = "Off" if charge.scheduled_start is None else "StartAt"
    minutes = departure.get("minutes", 0)
    leaves = car.home.next_moment(car.timeline.now, minutes / 60)
    return {
        "energy_remaining": round(charge.level * ENERGY_PER_PERCENT, 2),
        "minutes_to_full_charge": round(charge.hours_to_limit * 60 / car.clock.speed),
        "charge_amps": charge.full_current,
        "charge_current_request_max": charge.highest_current,
        "scheduled_charging_mode": "DepartBy" if departure else mode,
        "preconditioning_enabled": departure.get("preconditioning", False),
        "scheduled_departure_time": math.floor(car.clock.real(leaves)),
        "scheduled_departure_time_minutes": minutes,
        "module_temp_min": BATTERY_TEMPERATURE,
        "module_temp_max": BATTERY_TEMPERATURE + 1.5,
        "lifetime_energy_used": round(car.driving.odometer * ENERGY_PER_MILE, 3),
        "off_peak_charging_enabled": departure.get("off_peak", False),
        "off_peak_charging_times": "weekdays" if departure.get("off_peak_weekdays") else "all_week",
        "off_peak_hours_end_time": departure.get("off_peak_ends", OFF_PEAK_ENDS),
    }


def _climate_state(car: FleetCar) -> Json:
    climate = car.cabin
    fields: Json = {
        **{f"seat_heater_{seat}": climate.seats[seat] for seat in SEATS},
        **{f"auto_seat_climate_{seat}": is_on for seat, is_on in climate.auto_seats.items()},
        "auto_steering_wheel_heat": climate.auto_wheel,
        "steering_wheel_heater": climate.wheel_heat_level > 0,
        "steering_wheel_heat_level": climate.wheel_heat_level,
        "cabin_overheat_protection": climate.overheat_protection,
        "cabin_overheat_protection_actively_cooling": False,
        "cop_activation_temperature": climate.overheat_limit,
        "defrost_mode": MAX_DEFROST if climate.max_defrost else 0,
        "climate_keeper_mode": "keep" if climate.keeper == "on" else climate.keeper,
        "supports_fan_only_cabin_overheat_protection": True,
        "remote_heater_control_enabled": climate.on or car.body.user_present,
    }
    if car.equipment.seat_cooling:
        fields |= {f"seat_fan_front_{seat}": level for seat, level in climate.seat_fans.items()}
    if car.equipment.bioweapon_mode:
        fields["bioweapon_mode"] = climate.bioweapon
    return fields


def _route(car: FleetCar) -> Json:
    """Return the active route. Without one, there are no fields."""
    route, trip = car.driving.route, car.driving.trip
    if route is None:
        return {}
    miles, speed = car.driving.miles_to(route.point), trip.speed if trip else CRUISE
    used = miles * energy_per_mile(speed) / ENERGY_PER_PERCENT
    return {
        "active_route_destination": route.name,
        "active_route_latitude": round(route.point.latitude, 6),
        "active_route_longitude": round(route.point.longitude, 6),
        "active_route_miles_to_arrival": round(miles, 6),
        # In real minutes, as all durations from now on
        "active_route_minutes_to_arrival": round(miles / speed * HOUR / 60 / car.clock.speed, 6),
        "active_route_energy_at_arrival": max(0, round(car.charging.level - used)),
        "active_route_traffic_minutes_delay": 0.0,
    }


def _vehicle_state(car: FleetCar) -> Json:
    body = car.body
    fields: Json = {
        **{f"{name}_window": int(body.windows[name]) for name in WINDOWS},
        "dashcam_state": "Recording" if body.sentry or body.user_present else "Unavailable",
        "homelink_device_count": car.equipment.homelink_devices,
        "media_info": _media_info(car),
        "service_mode": False,
        "tpms_rcp_front_value": RECOMMENDED_PRESSURE,
        "tpms_rcp_rear_value": RECOMMENDED_PRESSURE,
    }
    for tire, pressure in body.tires.items():
        fields[f"tpms_pressure_{tire}"] = round(round(pressure / PRESSURE_STEP) * PRESSURE_STEP, 3)
        fields[f"tpms_last_seen_pressure_time_{tire}"] = (
            math.floor(car.clock.real(car.timeline.now) / 60) * 60
        )
        fields[f"tpms_soft_warning_{tire}"] = pressure < SOFT_WARNING
        fields[f"tpms_hard_warning_{tire}"] = pressure < HARD_WARNING
    return fields


def _media_info(car: FleetCar) -> Json:
    """Return the current track. In an empty car, the player is stopped."""
    player, track = car.media, car.media.track
    is_on = car.body.user_present
    playback = "Paused" if player.is_paused else "Playing"
    return {
        "audio_volume": round(player.volume, 4),
        "audio_volume_increment": media.VOLUME_STEP,
        "audio_volume_max": media.HIGHEST_VOLUME,
        "media_playback_status": playback if is_on else "Stopped",
        "now_playing_album": track.album if is_on else "",
        "now_playing_artist": track.artist if is_on else "",
        # In milliseconds
        "now_playing_duration": round(media.TRACK_SECONDS * 1000) if is_on else 0,
        "now_playing_elapsed": round(player.elapsed * 1000) if is_on else 0,
        "now_playing_source": "Streaming" if is_on else "",
        "now_playing_station": "",
        "now_playing_title": track.title if is_on else "",
    }


def _software_update(car: FleetCar) -> Json:
    update = car.body.update
    return {
        "download_perc": update.download_percent,
        "install_perc": update.install_percent,
        # The number without the build
        "version": update.next_version.partition(" ")[0] if update.status else " ",
    }
