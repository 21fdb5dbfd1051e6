"""The commands of the interface document: their effect on a car, and the reasons of refusals."""

from collections.abc import Callable, Mapping
import json
from typing import Any, Final

from ..car.battery import LIMIT_MAXIMUM, LIMIT_MINIMUM, LIMIT_STANDARD
from ..car.body import ROOF_VENT, SPEED_LIMIT_MAXIMUM, SPEED_LIMIT_MINIMUM
from ..car.car import Car
from .parameters import Parameters, reject
from .request_error import RequestError

type Reason = str
type Command = Callable[[Car, Parameters], Reason]
"""Carries out a command. Returns the reason of a refusal, empty if the command is accepted."""

ACCEPTED: Final = ""
NOT_PARKED: Final = "not_parked"
NOT_SUPPORTED: Final = "not_supported"
WRONG_PIN: Final = "incorrect pin"

TRUNKS: Final = {"rear": "rt", "front": "ft"}
ROOF_POSITIONS: Final = {"open": 100, "closed": 0, "close": 0, "comfort": 80, "vent": ROOF_VENT}
ROOF_MOVES: Final = {"close": 0, "vent": ROOF_VENT}
CALENDAR_BYTES: Final = 256 * 1024


def door_unlock(car: Car, _: Parameters) -> Reason:
    """Unlock the doors."""
    return _lock(car, locked=False)


def door_lock(car: Car, _: Parameters) -> Reason:
    """Lock the doors."""
    return _lock(car, locked=True)


def honk_horn(car: Car, _: Parameters) -> Reason:
    """Sound the horn once."""
    car.body.horn += 1
    return ACCEPTED


def flash_lights(car: Car, _: Parameters) -> Reason:
    """Flash the lights once."""
    car.body.lights += 1
    return ACCEPTED


def auto_conditioning_start(car: Car, _: Parameters) -> Reason:
    """Start climate control."""
    if car.is_battery_low:
        return "low_soc"
    car.cabin.on = True
    return ACCEPTED


def auto_conditioning_stop(car: Car, _: Parameters) -> Reason:
    """Stop climate control and the climate keeper."""
    car.cabin.stop()
    return ACCEPTED


def set_temps(car: Car, parameters: Parameters) -> Reason:
    """Set the temperatures of driver and passenger, limited to the car's range."""
    driver = parameters.number("driver_temp")
    passenger = parameters.number("passenger_temp") if "passenger_temp" in parameters else driver
    car.cabin.set_temperatures(driver, passenger if car.switches.split else driver)
    return ACCEPTED


def set_charge_limit(car: Car, parameters: Parameters) -> Reason:
    """Set the charge limit, limited to the car's range."""
    percent = int(parameters.number("percent"))
    return _set_limit(car, min(LIMIT_MAXIMUM, max(LIMIT_MINIMUM, percent)), "already_set")


def charge_max_range(car: Car, _: Parameters) -> Reason:
    """Set the maximum charge limit."""
    return _set_limit(car, LIMIT_MAXIMUM, "already_max_range")


def charge_standard(car: Car, _: Parameters) -> Reason:
    """Set the standard charge limit."""
    return _set_limit(car, LIMIT_STANDARD, "already_standard")


def sun_roof_control(car: Car, parameters: Parameters) -> Reason:
    """Move the sunroof to a named position or to a percentage, or stop it."""
    position = parameters.text("state")
    has_positions = car.switches.roof_commands == "positions"
    positions = ROOF_POSITIONS if has_positions else ROOF_MOVES
    percent: float | None = None
    if position == "move" and has_positions:
        percent = parameters.number("percent")
        if not 0 <= percent <= 100:  # noqa: PLR2004 - percent
            reject("percent")
    elif position in positions:
        percent = positions[position]
    elif position != "stop" or has_positions:
        reject("state")
    if not car.body.roof.installed:
        return NOT_SUPPORTED
    if percent is None:
        car.body.roof.stop()
    else:
        car.body.roof.move(int(percent))
    return ACCEPTED


def actuate_trunk(car: Car, parameters: Parameters) -> Reason:
    """Open a closed trunk or frunk, or close an open one."""
    which = parameters.text("which_trunk")
    if which not in TRUNKS:
        reject("which_trunk")
    lid = TRUNKS[which]
    is_open = car.body.openings[lid]
    if not car.equipment.can_actuate_trunks:
        return NOT_SUPPORTED
    if lid == "ft" and is_open and not car.switches.frunk_close:
        return NOT_SUPPORTED
    car.body.move(lid, is_open=not is_open, delay=car.switches.lid_delay)
    return ACCEPTED


def remote_start_drive(car: Car, parameters: Parameters) -> Reason:
    """Allow driving without a key."""
    given = parameters.text("password") if "password" in parameters else ""
    if car.switches.remote_password == "account" and given != car.password:  # noqa: S105 - names a rule
        raise RequestError(200, "Authorization Required")
    if not car.equipment.remote_start_supported:
        return NOT_SUPPORTED
    car.body.start_remotely()
    return ACCEPTED


def charge_port_door_open(car: Car, _: Parameters) -> Reason:
    """Open the charge port and release the cable."""
    car.charging.open_port()
    return ACCEPTED


def charge_port_door_close(car: Car, _: Parameters) -> Reason:
    """Close the charge port."""
    if not car.equipment.motorized_charge_port:
        return NOT_SUPPORTED
    if car.charging.plugged:
        return "cable connected"
    car.charging.close_port()
    return ACCEPTED


def charge_start(car: Car, _: Parameters) -> Reason:
    """Start charging, if there is a cable with power and the limit is not reached."""
    refusals = (
        ("disconnected", not car.charging.plugged),
        ("no_power", not car.charging.supply_on),
        ("charging", car.charging.active),
        ("complete", car.charging.full),
        ("requested", car.switches.charge_requested),
    )
    for reason, is_refused in refusals:
        if is_refused:
            return reason
    car.charging.start()
    return ACCEPTED


def charge_stop(car: Car, _: Parameters) -> Reason:
    """Stop charging."""
    if not car.charging.active:
        return "not_charging"
    car.charging.stop()
    return ACCEPTED


def upcoming_calendar_entries(car: Car, parameters: Parameters) -> Reason:
    """Show the owner's appointments on the car's screen."""
    calendar = parameters.values.get("calendar_data")
    if isinstance(calendar, str):
        calendar = _parse_json(calendar)
    if not isinstance(calendar, dict) or len(json.dumps(calendar)) > CALENDAR_BYTES:
        reject("calendar_data")
    car.body.calendar = calendar
    return ACCEPTED


def set_valet_mode(car: Car, parameters: Parameters) -> Reason:
    """Switch valet mode. Without a new PIN, the previous one stays."""
    on = parameters.flag("on")
    pin = parameters.pin("password") if "password" in parameters else None
    valet = car.body.valet
    if valet.on == on:
        return "already on" if on else "already off"
    if not on and pin is not None and not valet.accepts(pin):
        return WRONG_PIN
    if on and pin is not None:
        valet.pin = pin
    valet.on = on
    return ACCEPTED


def reset_valet_pin(car: Car, _: Parameters) -> Reason:
    """Delete the valet PIN. This is not possible in valet mode."""
    if car.body.valet.on:
        return "valet mode active"
    car.body.valet.pin = None
    return ACCEPTED


def speed_limit_set_limit(car: Car, parameters: Parameters) -> Reason:
    """Set the speed limit in miles per hour."""
    limit = parameters.number("limit_mph")
    if not SPEED_LIMIT_MINIMUM <= limit <= SPEED_LIMIT_MAXIMUM:
        raise RequestError(400, "invalid_field", "limit_mph")
    if car.body.speed_limit.active:
        return "already active"
    car.body.speed_limit.limit = limit
    return ACCEPTED


def speed_limit_activate(car: Car, parameters: Parameters) -> Reason:
    """Activate the speed limit. The first PIN is stored and required from then on."""
    pin, limit = parameters.pin("pin"), car.body.speed_limit
    if limit.active:
        return "already active"
    if limit.pin is not None and not limit.accepts(pin):
        return WRONG_PIN
    limit.active, limit.pin = True, pin
    return ACCEPTED


def speed_limit_deactivate(car: Car, parameters: Parameters) -> Reason:
    """Deactivate the speed limit."""
    pin, limit = parameters.pin("pin"), car.body.speed_limit
    if not limit.active:
        return "already inactive"
    if not limit.accepts(pin):
        return WRONG_PIN
    limit.active = False
    return ACCEPTED


def speed_limit_clear_pin(car: Car, parameters: Parameters) -> Reason:
    """Delete the PIN of the speed limit, and deactivate the limit."""
    if not car.body.speed_limit.accepts(parameters.pin("pin")):
        return WRONG_PIN
    car.body.speed_limit.pin = None
    car.body.speed_limit.active = False
    return ACCEPTED


COMMANDS: Final[Mapping[str, Command]] = {
    command.__name__: command
    for command in (
        door_unlock,
        door_lock,
        honk_horn,
        flash_lights,
        auto_conditioning_start,
        auto_conditioning_stop,
        set_temps,
        set_charge_limit,
        charge_max_range,
        charge_standard,
        sun_roof_control,
        actuate_trunk,
        remote_start_drive,
        charge_port_door_open,
        charge_port_door_close,
        charge_start,
        charge_stop,
        upcoming_calendar_entries,
        set_valet_mode,
        reset_valet_pin,
        speed_limit_activate,
        speed_limit_deactivate,
        speed_limit_set_limit,
        speed_limit_clear_pin,
    )
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


def carry_out(car: Car, command: str, parameters: Parameters) -> Reason:
    """Carry out a command. Return the reason of a refusal, empty if the command is accepted."""
    if car.is_bus_busy():
        return "could_not_wake_buses"
    if car.switches.refusal:
        return car.switches.refusal
    if command in ONLY_PARKED and car.driving.in_gear:
        return NOT_PARKED
    return COMMANDS[command](car, parameters)


def _lock(car: Car, *, locked: bool) -> Reason:
    if car.switches.strict_drive and car.driving.in_gear:
        return NOT_PARKED
    car.body.locked = locked
    return ACCEPTED


def _set_limit(car: Car, percent: int, already: Reason) -> Reason:
    if car.charging.limit == percent:
        return already
    car.charging.set_limit(percent)
    return ACCEPTED


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
