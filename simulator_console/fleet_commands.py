"""The commands that only services of the Fleet API's family have.

Written from https://developer.tesla.com/docs/fleet-api/endpoints/vehicle-commands, the library
tesla-fleet-api, https://github.com/teslamotors/vehicle-command, and the reasons that the Tesla app knows,
read on 2026-11-26. The modes, the tonneau and the commands of single services are from the library
tesla-fleet-api 1.17.3 and from vehicle-command (`724d8c8`), read on 2026-11-30.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from custom_components.vehicle_remote_access.simulator import Point
from custom_components.vehicle_remote_access.simulator.car.body import ROOF_VENT
from custom_components.vehicle_remote_access.simulator.car.cabin import KEEPER_MODES
from custom_components.vehicle_remote_access.simulator.controls import refuse_if
from custom_components.vehicle_remote_access.simulator.faults.switches import Switches
from custom_components.vehicle_remote_access.simulator.http.car_commands import (
    COMMANDS,
    LOW_BATTERY,
    NOT_SUPPORTED,
    WRONG_PIN,
    Command,
    move_sun_roof,
)
from custom_components.vehicle_remote_access.simulator.http.parameters import Parameters, reject
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .fleet_car import OVERHEAT_LIMITS, WHEEL_LEVELS, FleetCar
from .media import HIGHEST_VOLUME

NOT_IN_PARK: Final = "not_in_park"
CLIMATE_OFF: Final = "cabin comfort remote settings not enabled"
TOO_FAR: Final = "too_far_from_vehicle"

ROOF_POSITIONS: Final = {"close": 0, "vent": ROOF_VENT, "stop": None}
"""The positions in percent, None to stop."""
LEVELS: Final = range(4)
HEATED_SEATS: Final = {
    0: "left",
    1: "right",
    2: "rear_left",
    4: "rear_center",
    5: "rear_right",
    7: "third_row_left",
    8: "third_row_right",
}
FRONT_SEATS: Final = {1: "left", 2: "right"}
NEARBY: Final = 0.1
"""Miles from the car within which a person can close its windows and use HomeLink."""
CLOSES_FROM_AFAR: Final = {"model3", "modely"}
"""Models whose windows close from any distance."""
DAYS: Final = {
    "all": 127,
    "weekdays": 62,
    "sun": 1,
    "mon": 2,
    "tue": 4,
    "wed": 8,
    "thu": 16,
    "fri": 32,
    "sat": 64,
}
"""The bits of days. A day may also be written out."""
MINUTES: Final = range(24 * 60)
"""The minutes of a day."""
HIGHEST_REQUESTED_VOLUME: Final = 11
SOLAR_LIMITS: Final = ("lowerChargeLimit", "upperChargeLimit")
TONNEAU_MOVES: Final = ("open", "close", "stop")
PICKUP_TRUCK: Final = "cybertruck"
FARTHEST_PLACE: Final = 30
"""Miles from home within which all places are that have a name instead of coordinates."""


def commands_of(switches: Switches) -> Mapping[str, Command[FleetCar]]:
    """Return the commands that a service has."""
    return EVERY_COMMAND if switches.is_fleet else COMMANDS


def choice(sent: Parameters, name: str, choices: Sequence[int]) -> int:
    """Return a required number that is one of several."""
    number = sent.number(name)
    if number not in choices:
        reject(name)
    return int(number)


def optional_flag(sent: Parameters, name: str) -> bool:
    return name in sent and sent.flag(name)


def _point(sent: Parameters) -> Point:
    point = Point(sent.number("lat"), sent.number("lon"))
    for name, degrees, limit in (("lat", point.latitude, 90), ("lon", point.longitude, 180)):
        if abs(degrees) > limit:
            reject(name)
    return point


def _require_nearby(car: FleetCar, sent: Parameters) -> None:
    is_given = "lat" in sent and "lon" in sent
    refuse_if(not is_given or _point(sent).miles_to(car.driving.point) > NEARBY, TOO_FAR)


def _require_park(car: FleetCar, reason: str = NOT_IN_PARK) -> None:
    refuse_if(car.driving.in_gear, reason)


# Doors and windows


def _control_windows(car: FleetCar, sent: Parameters) -> None:
    command = sent.text("command")
    if command not in {"vent", "close"}:
        reject("command")
    _require_park(car)
    if command == "close" and car.model.car_type not in CLOSES_FROM_AFAR:
        _require_nearby(car, sent)
    car.body.windows = dict.fromkeys(car.body.windows, command == "vent")


def _control_sun_roof(car: FleetCar, sent: Parameters) -> None:
    position = sent.text("state")
    if position not in ROOF_POSITIONS:
        reject("state")
    move_sun_roof(car, ROOF_POSITIONS[position])


def _set_sentry_mode(car: FleetCar, sent: Parameters) -> None:
    on = sent.flag("on")
    if on:
        _require_park(car, "not_parked")
        refuse_if(car.body.valet.on, "valet_mode")
        refuse_if(car.cabin.keeper == "dog", "pet_mode")
        refuse_if(car.cabin.keeper == "camp", "party")
        refuse_if(car.is_battery_low, LOW_BATTERY)
    car.body.sentry = on


def _trigger_homelink(car: FleetCar, sent: Parameters) -> None:
    refuse_if(not car.equipment.homelink_devices, NOT_SUPPORTED)
    refuse_if(not car.homelink_nearby, "no_homelink_nearby")
    _require_nearby(car, sent)
    car.body.homelink += 1


def _play_boombox(car: FleetCar, _: Parameters) -> None:
    _require_park(car, "remote_boombox_failed")
    car.body.boombox += 1


def _set_guest_mode(car: FleetCar, sent: Parameters) -> None:
    car.body.guest_mode = sent.flag("enable")


def _set_pin_to_drive(car: FleetCar, sent: Parameters) -> None:
    on, pin, lock = sent.flag("on"), sent.pin("password"), car.body.pin_to_drive
    refuse_if(lock.pin is not None and not lock.accepts(pin), WRONG_PIN)
    lock.on, lock.pin = on, pin


def _set_name(car: FleetCar, sent: Parameters) -> None:
    car.body.new_name = sent.text("vehicle_name")


def _keep_accessory_power(car: FleetCar, *, on: bool) -> None:
    car.body.accessory_power = on


def _save_power(car: FleetCar, *, on: bool) -> None:
    car.body.low_power = on


def _move_tonneau(car: FleetCar, move: str) -> None:
    refuse_if(car.model.car_type != PICKUP_TRUCK, NOT_SUPPORTED)
    if move not in TONNEAU_MOVES:
        reject("tonneau")
    # It reaches its position at once, so there is nothing to stop.
    car.body.tonneau_open = {"open": True, "close": False}.get(move, car.body.tonneau_open)


def _save_clip(car: FleetCar, _: Parameters) -> None:
    car.body.dashcam_clips += 1


def _secure(car: FleetCar, _: Parameters) -> None:
    _require_park(car)
    car.body.locked = True
    car.body.windows = dict.fromkeys(car.body.windows, False)


# Climate


def _require_climate(car: FleetCar) -> None:
    refuse_if(not car.cabin.on and not car.body.user_present, CLIMATE_OFF)


def _heat_seat(car: FleetCar, sent: Parameters) -> None:
    # The service calls the seat `heater`, tesla-http-proxy `seat_position`.
    seat = HEATED_SEATS.get(int(sent.number("heater" if "heater" in sent else "seat_position")), "")
    level = choice(sent, "level", LEVELS)
    refuse_if(not seat, "invalid_seat")
    refuse_if(seat not in car.heated_seats, NOT_SUPPORTED)
    _require_climate(car)
    car.cabin.seats[seat] = level
    if seat in car.cabin.auto_seats:
        car.cabin.auto_seats[seat] = False


def _cool_seat(car: FleetCar, sent: Parameters) -> None:
    seat = FRONT_SEATS[choice(sent, "seat_position", tuple(FRONT_SEATS))]
    level = choice(sent, "seat_cooler_level", LEVELS)
    refuse_if(not car.equipment.seat_cooling, NOT_SUPPORTED)
    _require_climate(car)
    car.cabin.seat_fans[seat] = level


def _set_auto_seat(car: FleetCar, sent: Parameters) -> None:
    seat = FRONT_SEATS[choice(sent, "auto_seat_position", tuple(FRONT_SEATS))]
    on = sent.flag("auto_climate_on")
    _require_climate(car)
    car.cabin.auto_seats[seat] = on


def _heat_wheel(car: FleetCar, level: int) -> None:
    refuse_if(not car.equipment.heated_steering_wheel, NOT_SUPPORTED)
    _require_climate(car)
    car.cabin.steering_wheel_heater = level > 0
    car.cabin.wheel_level = level or car.cabin.wheel_level
    car.cabin.auto_wheel = False


def _set_auto_wheel(car: FleetCar, sent: Parameters) -> None:
    on = sent.flag("on")
    refuse_if(not car.equipment.heated_steering_wheel, NOT_SUPPORTED)
    _require_climate(car)
    car.cabin.auto_wheel = on


def _defrost(car: FleetCar, sent: Parameters) -> None:
    on = sent.flag("on")
    refuse_if(on and car.is_battery_low, LOW_BATTERY)
    refuse_if(on and car.cabin.keeper == "dog", "pet_mode")
    car.cabin.defrost(on=on)


def _set_climate_keeper(car: FleetCar, sent: Parameters) -> None:
    mode = KEEPER_MODES[choice(sent, "climate_keeper_mode", range(len(KEEPER_MODES)))]
    if mode != "off":
        _require_park(car)
        refuse_if(car.is_battery_low, LOW_BATTERY)
    car.cabin.keep(mode)


def _set_overheat_protection(car: FleetCar, sent: Parameters) -> None:
    mode = "FanOnly" if optional_flag(sent, "fan_only") else "On"
    car.cabin.overheat_protection = mode if sent.flag("on") else "Off"


def _set_overheat_limit(car: FleetCar, sent: Parameters) -> None:
    limit = OVERHEAT_LIMITS[choice(sent, "cop_temp", range(len(OVERHEAT_LIMITS)))]
    refuse_if(not car.equipment.overheat_limits, NOT_SUPPORTED)
    car.cabin.overheat_limit = limit


def _set_bioweapon_mode(car: FleetCar, sent: Parameters) -> None:
    on = sent.flag("on")
    refuse_if(not car.equipment.bioweapon_mode, NOT_SUPPORTED)
    refuse_if(on and car.cabin.keeper != "off", "climate_keeper_mode_on_pet")
    refuse_if(on and car.is_battery_low, LOW_BATTERY)
    car.cabin.bioweapon = on
    car.cabin.on |= on


# Charging and schedules


def _set_charging_amps(car: FleetCar, sent: Parameters) -> None:
    amperes = int(sent.number("charging_amps"))
    is_possible = 0 <= amperes <= car.charging.highest_current
    refuse_if(not is_possible, "charging_amps_out_of_bounds")
    car.charging.requested_current = amperes


def _unschedule(car: FleetCar) -> None:
    """Delete the scheduled start. A car that waits for it starts to charge."""
    if car.charging.pending:
        car.charging.start()
    car.charging.scheduled_start = None
    car.timeline.cancel("scheduled charging")


def _schedule_charging(car: FleetCar, sent: Parameters) -> None:
    enable, minutes = sent.flag("enable"), choice(sent, "time", MINUTES)
    car.schedules.departure = {}
    _unschedule(car)
    if enable:
        start = car.home.next_moment(car.timeline.now, minutes / 60)
        car.charging.schedule(start - car.timeline.now)


def _schedule_departure(car: FleetCar, sent: Parameters) -> None:
    enable, has_preconditioning = sent.flag("enable"), optional_flag(sent, "preconditioning_enabled")
    minutes = choice(sent, "departure_time", MINUTES) if "departure_time" in sent else 0
    _unschedule(car)
    departure: Json = {
        "minutes": minutes,
        "preconditioning": has_preconditioning,
        "off_peak": optional_flag(sent, "off_peak_charging_enabled"),
        "off_peak_weekdays": optional_flag(sent, "off_peak_charging_weekdays_only"),
        "off_peak_ends": choice(sent, "end_off_peak_time", MINUTES) if "end_off_peak_time" in sent else 0,
    }
    car.schedules.departure = departure if enable else {}


def _days(sent: Parameters) -> int:
    """Return the days as the sum of their bits. Sunday is 1."""
    total = 0
    for day in sent.text("days_of_week").split(","):
        name = day.strip().lower()
        bits = DAYS.get(name) or DAYS.get(name[:3])
        if bits is None:
            reject("days_of_week")
        total |= bits
    return total


def _add_schedule(car: FleetCar, sent: Parameters, schedules: dict[str, Json], times: Json) -> None:
    """Add a schedule, or replace the one with the same id. Without an id, it gets the current time."""
    point = _point(sent)
    schedule = {
        "id": int(sent.number("id")) if "id" in sent else int(car.timeline.now),
        "name": sent.text("name") if "name" in sent else "",
        "days_of_week": _days(sent),
        "enabled": sent.flag("enabled"),
        "one_time": optional_flag(sent, "one_time"),
        "latitude": point.latitude,
        "longitude": point.longitude,
        **times,
    }
    while "id" not in sent and str(schedule["id"]) in schedules:
        schedule["id"] += 1
    schedules[str(schedule["id"])] = schedule


def _add_charge_schedule(car: FleetCar, sent: Parameters) -> None:
    times: Json = {}
    for name in ("start", "end"):
        is_enabled = sent.flag(f"{name}_enabled")
        times[f"{name}_enabled"] = is_enabled
        times[f"{name}_time"] = choice(sent, f"{name}_time", MINUTES) if is_enabled else 0
    _add_schedule(car, sent, car.schedules.charge, times)


def _add_precondition_schedule(car: FleetCar, sent: Parameters) -> None:
    times = {"precondition_time": choice(sent, "precondition_time", MINUTES)}
    _add_schedule(car, sent, car.schedules.precondition, times)


def _remove_schedule(sent: Parameters, schedules: dict[str, Json]) -> None:
    key = str(int(sent.number("id")))
    refuse_if(key not in schedules, "schedule not found")
    del schedules[key]


def _remove_schedules(car: FleetCar, sent: Parameters, schedules: dict[str, Json]) -> None:
    """Remove the schedules of places. The car knows the home; no place is the work."""
    home, _, other = (sent.flag(place) for place in ("home", "work", "other"))
    for key, schedule in tuple(schedules.items()):
        point = Point(schedule["latitude"], schedule["longitude"])
        if home if point.miles_to(car.home.point) < NEARBY else other:
            del schedules[key]


def _charge_on_solar(car: FleetCar, sent: Parameters) -> None:
    limits = [int(sent.number(name)) for name in SOLAR_LIMITS if name in sent]
    if sorted(limits) != limits:
        reject(SOLAR_LIMITS[0])
    car.schedules.solar = {"enabled": sent.flag("enabled"), "limits": limits}


# Software


def _schedule_update(car: FleetCar, sent: Parameters) -> None:
    seconds = sent.number("offset_sec")
    if seconds < 0:
        reject("offset_sec")
    update = car.body.update
    refuse_if(update.installing, "already_installing")
    refuse_if(update.status not in {"available", "scheduled"}, "update_not_available")
    _require_park(car)
    refuse_if(car.cabin.keeper != "off", "climate_keeper")
    refuse_if(car.body.sentry, "sentry_mode")
    update.schedule(seconds)


def _cancel_update(car: FleetCar, _: Parameters) -> None:
    refuse_if(car.body.update.installing, "already_installing")
    refuse_if(car.body.update.status != "scheduled", "no_update_scheduled")
    car.body.update.cancel()


# Navigation and media


def _navigate_to_place(car: FleetCar, sent: Parameters) -> None:
    """Start the route to a place that is known by name only. The same name is always the same place."""
    value: Any = sent.values.get("value")
    text = value.get("android.intent.extra.TEXT") if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip():
        reject("value")
    random = Random(text)  # noqa: S311 - a repeatable place, not a secret
    point = car.home.point.beyond(random.uniform(1, FARTHEST_PLACE), random.uniform(0, 360))
    car.navigate_to(point, text.strip().splitlines()[0])


def _navigate_to_point(car: FleetCar, sent: Parameters) -> None:
    # The position among several destinations has no effect: there is only one.
    car.navigate_to(_point(sent))


def _navigate_by_ids(car: FleetCar, sent: Parameters) -> None:
    """Start the route to the last place. The same id is always the same place."""
    places = sent.text("waypoints").split(",")
    if not all(place.startswith("refId:") for place in places):
        reject("waypoints")
    random = Random(places[-1])  # noqa: S311 - a repeatable place, not a secret
    car.navigate_to(car.home.point.beyond(random.uniform(1, FARTHEST_PLACE), random.uniform(0, 360)))


def _require_user(car: FleetCar) -> None:
    refuse_if(not car.body.user_present, "user_not_present")


def _set_volume(car: FleetCar, sent: Parameters) -> None:
    volume = sent.number("volume")
    if not 0 <= volume <= HIGHEST_REQUESTED_VOLUME:
        reject("volume")
    _require_user(car)
    car.media.volume = min(HIGHEST_VOLUME, volume)


def _toggle_playback(car: FleetCar, _: Parameters) -> None:
    _require_user(car)
    car.media.toggle()


def _skip(car: FleetCar, tracks: int) -> None:
    _require_user(car)
    car.media.skip(tracks)


FLEET_COMMANDS: Final[Mapping[str, Command[FleetCar]]] = {
    "window_control": _control_windows,
    "sun_roof_control": _control_sun_roof,
    "set_sentry_mode": _set_sentry_mode,
    "trigger_homelink": _trigger_homelink,
    "remote_boombox": _play_boombox,
    "remote_seat_heater_request": _heat_seat,
    "remote_seat_cooler_request": _cool_seat,
    "remote_auto_seat_climate_request": _set_auto_seat,
    "remote_steering_wheel_heater_request": (
        lambda car, sent: _heat_wheel(car, WHEEL_LEVELS[-1] if sent.flag("on") else 0)
    ),
    "remote_steering_wheel_heat_level_request": (
        lambda car, sent: _heat_wheel(car, choice(sent, "level", WHEEL_LEVELS))
    ),
    "remote_auto_steering_wheel_heat_climate_request": _set_auto_wheel,
    "set_preconditioning_max": _defrost,
    "set_climate_keeper_mode": _set_climate_keeper,
    "set_cabin_overheat_protection": _set_overheat_protection,
    "set_cop_temp": _set_overheat_limit,
    "set_bioweapon_mode": _set_bioweapon_mode,
    "set_charging_amps": _set_charging_amps,
    "set_scheduled_charging": _schedule_charging,
    "set_scheduled_departure": _schedule_departure,
    "add_charge_schedule": _add_charge_schedule,
    "remove_charge_schedule": lambda car, sent: _remove_schedule(sent, car.schedules.charge),
    "add_precondition_schedule": _add_precondition_schedule,
    "remove_precondition_schedule": lambda car, sent: _remove_schedule(sent, car.schedules.precondition),
    "schedule_software_update": _schedule_update,
    "cancel_software_update": _cancel_update,
    "navigation_request": _navigate_to_place,
    "navigation_gps_request": _navigate_to_point,
    "adjust_volume": _set_volume,
    "media_toggle_playback": _toggle_playback,
    "media_next_track": lambda car, _: _skip(car, 1),
    "media_prev_track": lambda car, _: _skip(car, -1),
    "guest_mode": _set_guest_mode,
    "set_pin_to_drive": _set_pin_to_drive,
    "set_vehicle_name": _set_name,
    "batch_remove_charge_schedules": lambda car, sent: _remove_schedules(car, sent, car.schedules.charge),
    "batch_remove_precondition_schedules": (
        lambda car, sent: _remove_schedules(car, sent, car.schedules.precondition)
    ),
    "navigation_waypoints_request": _navigate_by_ids,
    "keep_accessory_power_mode": lambda car, sent: _keep_accessory_power(car, on=sent.flag("enable")),
    "set_low_power_mode": lambda car, sent: _save_power(car, on=sent.flag("enable")),
    "open_tonneau": lambda car, _: _move_tonneau(car, "open"),
    "close_tonneau": lambda car, _: _move_tonneau(car, "close"),
    "stop_tonneau": lambda car, _: _move_tonneau(car, "stop"),
}
_OTHER_NAMES: Final = (
    "lock:door_lock unlock:door_unlock start_climate:auto_conditioning_start "
    "stop_climate:auto_conditioning_stop set_temperatures:set_temps set_seat_heat:remote_seat_heater_request "
    "set_seat_cool:remote_seat_cooler_request start_charging:charge_start stop_charging:charge_stop "
    "open_charge_port:charge_port_door_open close_charge_port:charge_port_door_close flash:flash_lights "
    "honk:honk_horn remote_start:remote_start_drive share:navigation_request "
    "set_speed_limit:speed_limit_set_limit enable_speed_limit:speed_limit_activate "
    "disable_speed_limit:speed_limit_deactivate clear_speed_limit_pin:speed_limit_clear_pin"
)
_SAME_NAMES: Final = (
    "add_charge_schedule add_precondition_schedule cancel_software_update close_tonneau open_tonneau "
    "remote_boombox remove_charge_schedule remove_precondition_schedule schedule_software_update "
    "set_bioweapon_mode set_cabin_overheat_protection set_charge_limit set_charging_amps "
    "set_climate_keeper_mode set_cop_temp set_scheduled_charging set_scheduled_departure trigger_homelink"
)
TESSIE_COMMANDS: Final[Mapping[str, tuple[str, Json]]] = {
    **{name: (name, {}) for name in _SAME_NAMES.split()},
    **{own: (name, {}) for own, name in (pair.split(":") for pair in _OTHER_NAMES.split())},
    "activate_front_trunk": ("actuate_trunk", {"which_trunk": "front"}),
    "activate_rear_trunk": ("actuate_trunk", {"which_trunk": "rear"}),
    "vent_windows": ("window_control", {"command": "vent"}),
    "close_windows": ("window_control", {"command": "close"}),
    "vent_sunroof": ("sun_roof_control", {"state": "vent"}),
    "close_sunroof": ("sun_roof_control", {"state": "close"}),
    **{
        f"{verb}_{own}": (name, {value: verb in {"start", "enable"}})
        for own, name, value, verbs in (
            ("max_defrost", "set_preconditioning_max", "on", ("start", "stop")),
            ("steering_wheel_heater", "remote_steering_wheel_heater_request", "on", ("start", "stop")),
            ("sentry", "set_sentry_mode", "on", ("enable", "disable")),
            ("valet", "set_valet_mode", "on", ("enable", "disable")),
            ("guest", "guest_mode", "enable", ("enable", "disable")),
            ("keep_accessory_power_mode", "keep_accessory_power_mode", "enable", ("enable", "disable")),
            ("low_power_mode", "set_low_power_mode", "enable", ("enable", "disable")),
        )
        for verb in verbs
    },
}
"""Tessie's own commands: the Fleet API's command, and the values that the name stands for."""
TESSIE_VALUES: Final = {
    "amps": "charging_amps",
    "in_seconds": "offset_sec",
    "mode": "climate_keeper_mode",
    "mph": "limit_mph",
    "temperature": "driver_temp",
}
"""The Fleet API's name of a parameter of Tessie's own commands, if it has another."""
TESLEMETRY_COMMANDS: Final[Mapping[str, Command[FleetCar]]] = {
    "closure": lambda car, sent: _move_tonneau(car, sent.text("tonneau")),
    "set_keep_accessory_power_mode": lambda car, sent: _keep_accessory_power(car, on=sent.flag("on")),
    "set_low_power_mode": lambda car, sent: _save_power(car, on=sent.flag("on")),
    "charge_on_solar": _charge_on_solar,
    "dashcam_save": _save_clip,
    "auto_secure_vehicle": _secure,
}
"""Teslemetry's own commands, at paths with `custom_command`."""
EVERY_COMMAND: Final[Mapping[str, Command[FleetCar]]] = {**COMMANDS, **FLEET_COMMANDS}


def tessie_values(car: FleetCar, name: str, sent: Mapping[str, Any]) -> Json:
    """Return the Fleet API's values of one of Tessie's own commands. Tessie adds the place of the car."""
    point, level = car.driving.point, sent.get("level")
    values = {"lat": point.latitude, "lon": point.longitude, "password": sent.get("pin")}
    values |= {TESSIE_VALUES.get(key, key): value for key, value in sent.items()} | TESSIE_COMMANDS[name][1]
    if "seat" in sent:
        seats = {seat: number for number, seat in HEATED_SEATS.items()}
        number = seats.get(str(sent["seat"]).removeprefix("front_"), -1)
        values |= {"heater": number, "seat_position": number + 1, "seat_cooler_level": level}
    if name == "share":
        values["value"] = {"android.intent.extra.TEXT": sent.get("value")}
    return values
