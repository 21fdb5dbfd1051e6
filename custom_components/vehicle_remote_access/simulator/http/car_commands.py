"""The commands of the interface document: their effect on a car, and the reasons of refusals."""

from collections.abc import Callable, Mapping
from contextlib import suppress
import json
from typing import Final

from ..car.battery import LIMIT_MAXIMUM, LIMIT_MINIMUM, LIMIT_STANDARD
from ..car.body import ROOF_VENT, SPEED_LIMIT_MAXIMUM, SPEED_LIMIT_MINIMUM
from ..car.car import Car
from ..controls import ControlError, refuse_if
from .parameters import Parameters, reject
from .request_error import RequestError

type Command[C: Car = Car] = Callable[[C, Parameters], None]
"""Carries out a command. Raises ControlError with the reason if the car refuses it."""

ACCEPTED: Final = ""
LOW_BATTERY: Final = "low_soc"
NOT_SUPPORTED: Final = "not_supported"
NOT_PARKED: Final = "not_parked"
WRONG_PIN: Final = "incorrect pin"

TRUNKS: Final = {"rear": "rt", "front": "ft"}
ROOF_POSITIONS: Final = {"open": 100, "closed": 0, "close": 0, "comfort": 80, "vent": ROOF_VENT}
CALENDAR_BYTES: Final = 256 * 1024


def _lock(car: Car, *, locked: bool) -> None:
    car.body.locked = locked


def _honk_horn(car: Car, _: Parameters) -> None:
    car.body.horn += 1


def _flash_lights(car: Car, _: Parameters) -> None:
    car.body.lights += 1


def _start_climate(car: Car, _: Parameters) -> None:
    refuse_if(car.is_battery_low, LOW_BATTERY)
    car.cabin.on = True


def _set_temps(car: Car, parameters: Parameters) -> None:
    driver = parameters.number("driver_temp")
    passenger = parameters.number("passenger_temp") if "passenger_temp" in parameters else driver
    car.cabin.set_temperatures(driver, passenger)


def _set_charge_limit(car: Car, percent: float, already: str) -> None:
    limit = min(LIMIT_MAXIMUM, max(LIMIT_MINIMUM, int(percent)))
    refuse_if(car.charging.limit == limit, already)
    car.charging.set_limit(limit)


def _control_sun_roof(car: Car, parameters: Parameters) -> None:
    position = parameters.text("state")
    if position == "move":
        percent = parameters.number("percent")
        if not 0 <= percent <= 100:  # noqa: PLR2004 - percent
            reject("percent")
    elif position in ROOF_POSITIONS:
        percent = ROOF_POSITIONS[position]
    else:
        reject("state")
    move_sun_roof(car, percent)


def move_sun_roof(car: Car, percent: float | None) -> None:
    """Move the sunroof to a position, or stop it without one."""
    refuse_if(not car.body.roof.installed, NOT_SUPPORTED)
    if percent is None:
        car.body.roof.stop()
    else:
        car.body.roof.move(int(percent))


def _actuate_trunk(car: Car, parameters: Parameters) -> None:
    which = parameters.text("which_trunk")
    if which not in TRUNKS:
        reject("which_trunk")
    lid = TRUNKS[which]
    is_open = car.body.openings[lid]
    refuse_if(not car.model.can_actuate_trunks, NOT_SUPPORTED)
    car.body.move(lid, is_open=not is_open, delay=car.switches.lid_delay)


def _start_remotely(car: Car, parameters: Parameters) -> None:
    given = parameters.text("password") if "password" in parameters else ""
    if car.switches.remote_password == "account" and given != car.password:  # noqa: S105 - names a rule
        raise RequestError(200, "Authorization Required")
    refuse_if(not car.model.remote_start_supported, NOT_SUPPORTED)
    car.body.start_remotely()


def _close_charge_port(car: Car, _: Parameters) -> None:
    refuse_if(not car.model.motorized_charge_port, NOT_SUPPORTED)
    refuse_if(car.charging.plugged, "cable connected")
    car.charging.close_port()


def _start_charging(car: Car, _: Parameters) -> None:
    refuse_if(not car.charging.plugged, "disconnected")
    refuse_if(not car.charging.supply_on, "no_power")
    refuse_if(car.charging.active, "is_charging" if car.switches.is_fleet else "charging")
    refuse_if(car.charging.full, "complete")
    car.charging.start()


def _stop_charging(car: Car, _: Parameters) -> None:
    refuse_if(not car.charging.active, "not_charging")
    car.charging.stop()


def _show_calendar(car: Car, parameters: Parameters) -> None:
    calendar = parameters.values.get("calendar_data")
    if isinstance(calendar, str):
        with suppress(ValueError):
            calendar = json.loads(calendar)
    if not isinstance(calendar, dict) or len(json.dumps(calendar)) > CALENDAR_BYTES:
        reject("calendar_data")
    car.body.calendar = calendar


def _set_valet_mode(car: Car, parameters: Parameters) -> None:
    """Switch valet mode. Without a new PIN, the previous one stays."""
    on = parameters.flag("on")
    pin = parameters.pin("password") if "password" in parameters else None
    valet = car.body.valet
    refuse_if(valet.on == on, "already on" if on else "already off")
    refuse_if(not on and pin is not None and not valet.accepts(pin), WRONG_PIN)
    if on and pin is not None:
        valet.pin = pin
    valet.on = on


def _reset_valet_pin(car: Car, _: Parameters) -> None:
    refuse_if(car.body.valet.on, "valet mode active")
    car.body.valet.pin = None


def _set_speed_limit(car: Car, parameters: Parameters) -> None:
    limit = parameters.number("limit_mph")
    if not SPEED_LIMIT_MINIMUM <= limit <= SPEED_LIMIT_MAXIMUM:
        raise RequestError(400, "invalid_field", "limit_mph")
    refuse_if(car.body.speed_limit.active, "already active")
    car.body.speed_limit.limit = limit


def _activate_speed_limit(car: Car, parameters: Parameters) -> None:
    """Activate the speed limit. The first PIN is stored and required from then on."""
    pin, limit = parameters.pin("pin"), car.body.speed_limit
    refuse_if(limit.active, "already active")
    refuse_if(limit.pin is not None and not limit.accepts(pin), WRONG_PIN)
    limit.active, limit.pin = True, pin


def _deactivate_speed_limit(car: Car, parameters: Parameters) -> None:
    pin, limit = parameters.pin("pin"), car.body.speed_limit
    refuse_if(not limit.active, "already inactive")
    refuse_if(not limit.accepts(pin), WRONG_PIN)
    limit.active = False


def _clear_speed_limit_pin(car: Car, parameters: Parameters) -> None:
    refuse_if(not car.body.speed_limit.accepts(parameters.pin("pin")), WRONG_PIN)
    car.body.speed_limit.pin = None
    car.body.speed_limit.active = False


COMMANDS: Final[Mapping[str, Command]] = {
    "door_unlock": lambda car, _: _lock(car, locked=False),
    "door_lock": lambda car, _: _lock(car, locked=True),
    "honk_horn": _honk_horn,
    "flash_lights": _flash_lights,
    "auto_conditioning_start": _start_climate,
    "auto_conditioning_stop": lambda car, _: car.cabin.stop(),
    "set_temps": _set_temps,
    "set_charge_limit": lambda car, sent: _set_charge_limit(car, sent.number("percent"), "already_set"),
    "charge_max_range": lambda car, _: _set_charge_limit(car, LIMIT_MAXIMUM, "already_max_range"),
    "charge_standard": lambda car, _: _set_charge_limit(car, LIMIT_STANDARD, "already_standard"),
    "sun_roof_control": _control_sun_roof,
    "actuate_trunk": _actuate_trunk,
    "remote_start_drive": _start_remotely,
    "charge_port_door_open": lambda car, _: car.charging.open_port(),
    "charge_port_door_close": _close_charge_port,
    "charge_start": _start_charging,
    "charge_stop": _stop_charging,
    "upcoming_calendar_entries": _show_calendar,
    "set_valet_mode": _set_valet_mode,
    "reset_valet_pin": _reset_valet_pin,
    "speed_limit_activate": _activate_speed_limit,
    "speed_limit_deactivate": _deactivate_speed_limit,
    "speed_limit_set_limit": _set_speed_limit,
    "speed_limit_clear_pin": _clear_speed_limit_pin,
}
ONLY_PARKED: Final = {
    "actuate_trunk",
    "remote_start_drive",
    "charge_port_door_open",
    "charge_port_door_close",
    "charge_start",
    "set_valet_mode",
    "reset_valet_pin",
}
"""Commands that a car in gear refuses."""


def carry_out[C: Car](
    car: C, name: str, parameters: Parameters, commands: Mapping[str, Command[C]] = COMMANDS
) -> str:
    """Carry out a command. Return the reason of a refusal, empty if the command is accepted."""
    try:
        refuse_if(name in ONLY_PARKED and car.driving.in_gear, NOT_PARKED)
        commands[name](car, parameters)
    except ControlError as error:
        return str(error)
    return ACCEPTED
