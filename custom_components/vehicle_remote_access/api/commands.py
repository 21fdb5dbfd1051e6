"""The table of commands and other endpoints: their parameters, limits and effects.

Interface document, "Endpoints" and "Limits".
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from math import floor, inf
from typing import Any, Final, override

from . import value_types as types
from .errors import InvalidPinError, InvalidValueError, MissingValueError, OutOfBoundsError
from .fields import Field
from .records import ChargeState, ClimateState, MediaInfo, SpeedLimitMode, Vehicle, VehicleState


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter of an endpoint: its value type and the values that the service accepts."""

    name: str
    value_type: types.ValueType[Any]
    _: KW_ONLY
    minimum: float = -inf
    maximum: float = inf
    bounds: tuple[Field[float] | None, Field[float]] | None = None
    """The fields with the car's own limits, or None for `minimum`. They apply if the car reports them."""
    decimals: int = 0
    options: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Another spelling of an option, which some services accept instead."""
    required: bool = True
    required_with: Mapping[str, str] = field(default_factory=dict)
    """Another parameter and its value. With it, this parameter is required. Otherwise, it is ignored."""
    in_body: bool = False
    sent_as: str = ""
    """Its name in the body, if that is another one."""
    secret: bool = False
    """Whether the value is secret or private, so that no error and no log shows it."""
    proxy_offset: int = 0
    """What to add to the value for Tesla's proxy, which passes it on to the car as it is."""

    def normalize(self, value: Any, vehicle: Vehicle | None = None) -> Any:
        """Return the value as it is sent. A `vehicle` has limits of its own. Raises InvalidValueError."""
        valid = self.value_type.read(value)
        if valid is None and self.value_type is types.PIN:
            raise InvalidPinError(self.name)
        if valid is None or (self.options and valid not in self.options):
            raise InvalidValueError(self.name)
        if isinstance(valid, bool) or not isinstance(valid, int | float):
            return valid
        low, high = self.limits(vehicle)
        if not low <= valid <= high:
            raise OutOfBoundsError(self.name, low=f"{low:g}", high=f"{high:g}")
        # Round half up, unlike Python: 72.5 % becomes 73, not the even 72.
        steps = floor(valid * 10**self.decimals + 0.5)
        return steps / 10**self.decimals if self.decimals else steps

    def limits(self, vehicle: Vehicle | None) -> tuple[float, float]:
        """Return the minimum and maximum for a car: its own limits if they are valid."""
        if self.bounds is None:
            return self.minimum, self.maximum
        if vehicle is None:
            return -inf, inf
        lowest, highest = self.bounds
        low = self.minimum if lowest is None else lowest.get(vehicle)
        high = highest.get(vehicle)
        if low is None or high is None or low >= high:
            return self.minimum, self.maximum
        return low, high

    def applies(self, values: Mapping[str, Any]) -> bool:
        """Return whether the parameter has a meaning with these values of the other parameters."""
        return not self.required_with or self.is_required(values)

    def is_required(self, values: Mapping[str, Any]) -> bool:
        return self.required or any(values.get(name) == value for name, value in self.required_with.items())


PAYLOAD: Final = Parameter("payload", types.OBJECT, secret=True)  # the whole body of a request


@dataclass(frozen=True, eq=False)
class Endpoint:
    """An endpoint of the service. `{id}` in the path is the vehicle's id."""

    method: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    has_record: bool = False
    """Whether the response is the record of one vehicle."""
    is_wrapped: bool = True
    """Whether the answer is the value of `response`."""
    is_live_read: bool = False
    """Whether the car itself answers with its data."""
    is_billed: bool = False
    """Whether a service that charges for live reads can charge as much for it."""
    has_result: bool = False
    """Whether the car itself answers with a command result."""
    fleet_only: bool = False
    """Whether only services of the Fleet API's family have it. The interface document does not have it."""
    fixed: dict[str, Any] = field(default_factory=dict)
    """The values that are always in the body."""

    @property
    def price_name(self) -> str:
        """The field of `Prices` for a service that charges by request; empty if the request is free."""
        return "live_read" if self.is_live_read or self.is_billed else ""

    def parameter(self, name: str) -> Parameter:
        return {parameter.name: parameter for parameter in self.parameters}[name]

    def normalize(
        self, values: Mapping[str, Any], vehicle: Vehicle | None = None, *, partial: bool = False
    ) -> dict[str, Any]:
        """Return the values in the types and precisions that are sent, by name, without unknown names.

        `vehicle`: the car whose own limits apply. Raises InvalidValueError for an invalid value, and
        MissingValueError for a required value that is missing unless `partial`.
        """
        normalized = {
            parameter.name: parameter.normalize(values[parameter.name], vehicle)
            for parameter in self.parameters
            if values.get(parameter.name) is not None and parameter.applies(values)
        }
        for parameter in self.parameters:
            if not partial and parameter.name not in normalized and parameter.is_required(normalized):
                raise MissingValueError(parameter.name)
        return normalized

    def split(
        self, values: Mapping[str, Any], *, in_body: bool = False
    ) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the query and the JSON body for normalized values. `in_body`: send all in the body."""
        if PAYLOAD in self.parameters:
            return {}, values[PAYLOAD.name]
        in_query = {each.name for each in self.parameters if not (in_body or each.in_body)}
        query = {name: _query_text(value) for name, value in values.items() if name in in_query}
        names = {each.name: each.sent_as or each.name for each in self.parameters}
        return query, self.fixed | {names[name]: values[name] for name in values if name not in in_query}

    def for_proxy(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a JSON body as Tesla's proxy for commands expects it."""
        offsets = {each.name: each.proxy_offset for each in self.parameters if each.proxy_offset}
        return {name: value + offsets[name] if name in offsets else value for name, value in body.items()}

    def with_aliases(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return normalized values with their aliases. They are the same if no value has an alias."""
        aliases = {each.name: each.aliases for each in self.parameters if each.aliases}
        return {
            name: aliases[name].get(value, value) if name in aliases else value
            for name, value in values.items()
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Command(Endpoint):
    """A command to a car. The response is a command result with `result` and `reason`."""

    has_result: bool = True
    repeatable: bool = True
    """Whether sending it twice has the same effect as sending it once."""
    toggles: Mapping[Any, frozenset[Any]] = field(default_factory=dict)
    """The states that need no command, by the wanted state, if repeating the command undoes it."""
    effects: Mapping[Field[Any], Any] = field(default_factory=dict)
    """What the car reports after the command: a value, or the parameter or field that holds the value."""
    noop_reasons: tuple[str, ...] = ()
    """Reasons of a refusal that mean that nothing had to be done."""
    is_done_asleep: bool = False
    """Whether a sleeping car already does what the command asks for."""
    needs_user: bool = False
    """Whether the car refuses the command while no one is in it."""

    @property
    @override
    def price_name(self) -> str:
        return "command" if self.has_result else "wake_up"

    @cached_property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @cached_property
    def setpoints(self) -> Mapping[str, Field[Any]]:
        """The fields of the parameters whose queued values newer ones replace, by name and in order."""
        fields = {source: field for field, source in self.effects.items() if isinstance(source, Parameter)}
        return {parameter.name: fields[parameter] for parameter in self.parameters if parameter in fields}

    def validate(self, vehicle: Vehicle, values: Mapping[str, Any]) -> None:
        """Raise InvalidValueError for values that can't be sent to this car."""
        # If the car reports all values, a subset is enough.
        is_setpoint = bool(self.parameters) and len(self.setpoints) == len(self.parameters)
        if not self.normalize(values, vehicle, partial=is_setpoint) and is_setpoint:
            raise MissingValueError(self.parameters[0].name)

    def merge(self, earlier: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        """Return newer values with the earlier setpoints. Others, such as a PIN, are only for one request."""
        return {**{name: value for name, value in earlier.items() if name in self.setpoints}, **values}

    def complete(self, vehicle: Vehicle, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values with the car's current values for missing setpoints."""
        missing = {name: field for name, field in self.setpoints.items() if name not in values}
        return {**{name: field.get(vehicle) for name, field in missing.items()}, **values}

    def expected_values(self, vehicle: Vehicle, values: Mapping[str, Any]) -> dict[Field[Any], Any]:
        """Return the values that the car is expected to report after the command, as far as known."""

        def resolve(source: Any) -> Any:
            if isinstance(source, Parameter):
                value = values.get(source.name)
                return None if value is None else source.normalize(value)
            return source.get(vehicle) if isinstance(source, Field) else source

        expected = {field: resolve(source) for field, source in self.effects.items()}
        return {field: value for field, value in expected.items() if value is not None}


def _query_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(path: str, *parameters: Parameter, **properties: Any) -> Endpoint:
    return Endpoint("GET", f"/api/1/{path}", parameters, **properties)


def _store(path: str) -> Endpoint:
    return Endpoint("POST", f"/api/1/{path}", (PAYLOAD,))


def _command(name: str, *parameters: Parameter, **properties: Any) -> Command:
    """Return a command. `properties` are the fields of `Command`."""
    return Command("POST", f"/api/1/vehicles/{{id}}/command/{name}", parameters, **properties)


def _fleet_command(name: str, *parameters: Parameter, **properties: Any) -> Command:
    return _command(name, *parameters, fleet_only=True, **properties)


def _integer(name: str, maximum: int, minimum: int = 0, **properties: Any) -> Parameter:
    return Parameter(name, types.INTEGER, minimum=minimum, maximum=maximum, **properties)


_CHARGE_LIMIT = Parameter(
    "percent",
    types.PERCENT,
    minimum=50,
    maximum=100,
    bounds=(ChargeState.charge_limit_soc_min, ChargeState.charge_limit_soc_max),
)
_DRIVER_TEMP = Parameter(
    "driver_temp",
    types.CELSIUS,
    minimum=15,
    maximum=28,
    bounds=(ClimateState.min_avail_temp, ClimateState.max_avail_temp),
    decimals=1,
)
_PASSENGER_TEMP = replace(_DRIVER_TEMP, name="passenger_temp")
_VALET_PIN = Parameter("password", types.PIN, required=False, secret=True)
_PIN = Parameter("pin", types.PIN, secret=True)
_ON = Parameter("on", types.FLAG)
_ENABLE = Parameter("enable", types.FLAG)
_MANUAL = Parameter("manual_override", types.FLAG)
_LIMIT_MPH = Parameter(
    "limit_mph",
    types.MILES_PER_HOUR,
    minimum=50,
    maximum=90,
    bounds=(SpeedLimitMode.min_limit_mph, SpeedLimitMode.max_limit_mph),
)
_DEVICE_TYPE = Parameter("device_type", types.TEXT, options=("ios", "android"))
_PLATFORM = Parameter("platform", types.TEXT, required=False)
_ROOF_STATE = Parameter(
    "state", types.TEXT, options=("open", "closed", "comfort", "vent", "move"), aliases={"closed": "close"}
)
_ROOF_PERCENT = Parameter(
    "percent", types.PERCENT, minimum=0, maximum=100, required=False, required_with={"state": "move"}
)
_CHARGING_AMPS = Parameter(
    "charging_amps",
    types.AMPERES,
    minimum=0,
    maximum=48,
    bounds=(None, ChargeState.charge_current_request_max),
)
_VOLUME = Parameter(
    "volume", types.NUMBER, minimum=0, maximum=11, bounds=(None, MediaInfo.audio_volume_max), decimals=2
)
_LATITUDE = Parameter("lat", types.LATITUDE, decimals=6, secret=True)
_LONGITUDE = Parameter("lon", types.LONGITUDE, decimals=6, secret=True)
_POSITION = (_LATITUDE, _LONGITUDE)
_ID = Parameter("id", types.COUNT)
# Both kinds of schedules. A new schedule gets its id from the car.
_SCHEDULE = (
    Parameter("days_of_week", types.TEXT),
    Parameter("enabled", types.FLAG),
    *_POSITION,
    Parameter("one_time", types.FLAG, required=False),
    replace(_ID, required=False),
)


def _minutes(name: str, *, required: bool = True) -> Parameter:
    """Return a parameter for a time of day, in minutes after midnight."""
    return _integer(name, 24 * 60 - 1, required=required)


# Reads. VEHICLES, VEHICLE, SERVICE_DATA and alerts don't ask the car. The others keep it awake.
VEHICLES: Final = _read("vehicles", Parameter("page", types.INTEGER, required=False))
VEHICLE: Final = _read("vehicles/{id}", has_record=True)
VEHICLE_DATA: Final = _read("vehicles/{id}/vehicle_data", has_record=True, is_live_read=True)
DATA: Final = _read("vehicles/{id}/data", has_record=True, is_live_read=True)
SERVICE_DATA: Final = _read("vehicles/{id}/service_data")
MOBILE_ENABLED: Final = _read("vehicles/{id}/mobile_enabled")
DATA_REQUESTS: Final = {
    record: _read(f"vehicles/{{id}}/data_request/{record}", is_live_read=True)
    # The last two are not documented, but services without the full reads also have them.
    for record in (
        "charge_state",
        "climate_state",
        "drive_state",
        "gui_settings",
        "vehicle_state",
        "vehicle_config",
    )
}
SCHEDULE_DATA: Final = _read(
    "vehicles/{id}/vehicle_data",
    Parameter("endpoints", types.TEXT, options=("charge_schedule_data", "preconditioning_schedule_data")),
    is_live_read=True,
    fleet_only=True,
)
"""The schedules for charging or preconditioning, with their ids."""
FLEET_READS: Final = {
    f"get_{name}": _read(f"vehicles/{{id}}/{name}", fleet_only=True)
    for name in ("nearby_charging_sites", "recent_alerts")
}
"""By the names of their actions."""
_PERIOD = (Parameter("from", types.COUNT), Parameter("to", types.COUNT))
PAST: Final = {
    kind: Endpoint("GET", f"/{{id}}/{name}", _PERIOD, is_wrapped=False, fleet_only=True)
    for kind, name in (("drives", "drives"), ("charges", "charges"), ("stays", "idles"))
}
"""What a service has recorded itself, as `results` in miles and °C, by the kind of entry in the log."""

# Account
ACCOUNT_ENDPOINTS: Final = {
    "get_vehicle_subscriptions": _read("vehicle_subscriptions", _DEVICE_TYPE),
    "set_vehicle_subscriptions": _store("vehicle_subscriptions"),
    "get_notification_preferences": _read("notification_preferences", _DEVICE_TYPE, _PLATFORM),
    "set_notification_preferences": _store("notification_preferences"),
    "confirm_notifications": _store("notification_confirmations"),
}
"""By the names of their actions."""

# Commands
WAKE_UP: Final = Command("POST", "/api/1/vehicles/{id}/wake_up", has_result=False)
DOOR_UNLOCK: Final = _command("door_unlock", effects={VehicleState.locked: False})
DOOR_LOCK: Final = _command("door_lock", effects={VehicleState.locked: True})
HONK_HORN: Final = _command("honk_horn", repeatable=False)
FLASH_LIGHTS: Final = _command("flash_lights", repeatable=False)
AUTO_CONDITIONING_START: Final = _command(
    "auto_conditioning_start", effects={ClimateState.is_climate_on: True}
)
AUTO_CONDITIONING_STOP: Final = _command(
    "auto_conditioning_stop", effects={ClimateState.is_climate_on: False}, is_done_asleep=True
)
SET_TEMPS: Final = _command(
    "set_temps",
    _DRIVER_TEMP,
    _PASSENGER_TEMP,
    effects={
        ClimateState.driver_temp_setting: _DRIVER_TEMP,
        ClimateState.passenger_temp_setting: _PASSENGER_TEMP,
    },
)
SET_CHARGE_LIMIT: Final = _command(
    "set_charge_limit",
    _CHARGE_LIMIT,
    effects={ChargeState.charge_limit_soc: _CHARGE_LIMIT},
    noop_reasons=("already_set",),
)
CHARGE_MAX_RANGE: Final = _command(
    "charge_max_range",
    effects={ChargeState.charge_limit_soc: ChargeState.charge_limit_soc_max},
    noop_reasons=("already_max_range",),
)
CHARGE_STANDARD: Final = _command(
    "charge_standard",
    effects={ChargeState.charge_limit_soc: ChargeState.charge_limit_soc_std},
    noop_reasons=("already_standard",),
)
SUN_ROOF_CONTROL: Final = _command(
    "sun_roof_control", _ROOF_STATE, _ROOF_PERCENT, effects={VehicleState.sun_roof_state: "moving"}
)
ACTUATE_TRUNK: Final = _command(
    "actuate_trunk",
    Parameter("which_trunk", types.TEXT, options=("rear", "front")),
    repeatable=False,
    toggles={is_open: frozenset({is_open}) for is_open in (True, False)},
)
REMOTE_START_DRIVE: Final = _command(
    "remote_start_drive",
    Parameter("password", types.SECRET, secret=True),
    repeatable=False,
    effects={VehicleState.remote_start: True},
)
CHARGE_PORT_DOOR_OPEN: Final = _command(
    "charge_port_door_open", effects={ChargeState.charge_port_door_open: True}
)
CHARGE_PORT_DOOR_CLOSE: Final = _command(
    "charge_port_door_close", effects={ChargeState.charge_port_door_open: False}
)
CHARGE_START: Final = _command(
    "charge_start",
    effects={ChargeState.charging_state: "starting"},
    noop_reasons=("charging", "is_charging", "requested"),
)
CHARGE_STOP: Final = _command(
    "charge_stop",
    effects={ChargeState.charging_state: "stopped"},
    noop_reasons=("not_charging",),
    is_done_asleep=True,
)
UPCOMING_CALENDAR_ENTRIES: Final = _command(
    "upcoming_calendar_entries", Parameter("calendar_data", types.OBJECT, in_body=True, secret=True)
)
SET_VALET_MODE: Final = _command(
    "set_valet_mode",
    _ON,
    _VALET_PIN,
    effects={VehicleState.valet_mode: _ON},
    noop_reasons=("already_on", "already_off"),
)
RESET_VALET_PIN: Final = _command("reset_valet_pin")
SPEED_LIMIT_ACTIVATE: Final = _command(
    "speed_limit_activate", _PIN, effects={SpeedLimitMode.active: True}, noop_reasons=("already_active",)
)
SPEED_LIMIT_DEACTIVATE: Final = _command(
    "speed_limit_deactivate", _PIN, effects={SpeedLimitMode.active: False}, noop_reasons=("already_inactive",)
)
SPEED_LIMIT_SET_LIMIT: Final = _command(
    "speed_limit_set_limit", _LIMIT_MPH, effects={SpeedLimitMode.current_limit_mph: _LIMIT_MPH}
)
SPEED_LIMIT_CLEAR_PIN: Final = _command("speed_limit_clear_pin", _PIN)

# Commands of the Fleet API's family. Without a field among the effects, the field depends on the values.
SET_SENTRY_MODE: Final = _fleet_command("set_sentry_mode", _ON, effects={VehicleState.sentry_mode: _ON})
WINDOW_CONTROL: Final = _fleet_command(
    "window_control", Parameter("command", types.TEXT, options=("vent", "close")), *_POSITION
)
SET_CHARGING_AMPS: Final = _fleet_command(
    "set_charging_amps", _CHARGING_AMPS, effects={ChargeState.charge_current_request: _CHARGING_AMPS}
)
REMOTE_SEAT_HEATER_REQUEST: Final = _fleet_command(
    # The services call the seat heater, and Tesla's proxy calls it seat_position.
    "remote_seat_heater_request",
    _integer("heater", 8),
    _integer("seat_position", 8),
    _integer("level", 3),
)
REMOTE_SEAT_COOLER_REQUEST: Final = _fleet_command(
    "remote_seat_cooler_request",
    _integer("seat_position", 2, 1),
    _integer("seat_cooler_level", 3, proxy_offset=1),
)
REMOTE_AUTO_SEAT_CLIMATE_REQUEST: Final = _fleet_command(
    "remote_auto_seat_climate_request",
    _integer("auto_seat_position", 2, 1),
    Parameter("auto_climate_on", types.FLAG),
)
REMOTE_STEERING_WHEEL_HEATER_REQUEST: Final = _fleet_command(
    "remote_steering_wheel_heater_request", _ON, effects={ClimateState.steering_wheel_heater: _ON}
)
REMOTE_STEERING_WHEEL_HEAT_LEVEL_REQUEST: Final = _fleet_command(
    "remote_steering_wheel_heat_level_request", _integer("level", 3)
)
REMOTE_AUTO_STEERING_WHEEL_HEAT_CLIMATE_REQUEST: Final = _fleet_command(
    "remote_auto_steering_wheel_heat_climate_request",
    _ON,
    effects={ClimateState.auto_steering_wheel_heat: _ON},
)
SET_PRECONDITIONING_MAX: Final = _fleet_command(
    "set_preconditioning_max", _ON, _MANUAL, effects={ClimateState.defrost_mode: _ON}
)
SET_CLIMATE_KEEPER_MODE: Final = _fleet_command("set_climate_keeper_mode", _integer("climate_keeper_mode", 3))
SET_CABIN_OVERHEAT_PROTECTION: Final = _fleet_command(
    "set_cabin_overheat_protection", _ON, Parameter("fan_only", types.FLAG)
)
SET_COP_TEMP: Final = _fleet_command("set_cop_temp", _integer("cop_temp", 2, proxy_offset=1))
SET_BIOWEAPON_MODE: Final = _fleet_command(
    "set_bioweapon_mode", _ON, _MANUAL, effects={ClimateState.bioweapon_mode: _ON}
)
TRIGGER_HOMELINK: Final = _fleet_command("trigger_homelink", *_POSITION, repeatable=False)
SCHEDULE_SOFTWARE_UPDATE: Final = _fleet_command("schedule_software_update", _integer("offset_sec", 604_800))
CANCEL_SOFTWARE_UPDATE: Final = _fleet_command("cancel_software_update")
SET_SCHEDULED_CHARGING: Final = _fleet_command("set_scheduled_charging", _ENABLE, _minutes("time"))
SET_SCHEDULED_DEPARTURE: Final = _fleet_command(
    "set_scheduled_departure",
    _ENABLE,
    _minutes("departure_time"),
    Parameter("preconditioning_enabled", types.FLAG),
    Parameter("preconditioning_weekdays_only", types.FLAG),
    Parameter("off_peak_charging_enabled", types.FLAG),
    Parameter("off_peak_charging_weekdays_only", types.FLAG),
    _minutes("end_off_peak_time"),
)
ADD_CHARGE_SCHEDULE: Final = _fleet_command(
    "add_charge_schedule",
    *_SCHEDULE,
    Parameter("start_enabled", types.FLAG),
    _minutes("start_time", required=False),
    Parameter("end_enabled", types.FLAG),
    _minutes("end_time", required=False),
    repeatable=False,
)
REMOVE_CHARGE_SCHEDULE: Final = _fleet_command("remove_charge_schedule", _ID)
ADD_PRECONDITION_SCHEDULE: Final = _fleet_command(
    "add_precondition_schedule", *_SCHEDULE, _minutes("precondition_time"), repeatable=False
)
REMOVE_PRECONDITION_SCHEDULE: Final = _fleet_command("remove_precondition_schedule", _ID)
_PLACES = tuple(Parameter(place, types.FLAG) for place in ("home", "work", "other"))
BATCH_REMOVE_CHARGE_SCHEDULES: Final = _fleet_command("batch_remove_charge_schedules", *_PLACES)
BATCH_REMOVE_PRECONDITION_SCHEDULES: Final = _fleet_command("batch_remove_precondition_schedules", *_PLACES)
NAVIGATION_REQUEST: Final = _fleet_command(
    "navigation_request",
    Parameter("type", types.TEXT),
    Parameter("value", types.OBJECT, secret=True),
    Parameter("locale", types.TEXT),
    Parameter("timestamp_ms", types.INTEGER),
)
NAVIGATION_GPS_REQUEST: Final = _fleet_command("navigation_gps_request", *_POSITION, _integer("order", 3))
NAVIGATION_WAYPOINTS_REQUEST: Final = _fleet_command(
    "navigation_waypoints_request", Parameter("waypoints", types.PLACE_IDS, secret=True)
)
ADJUST_VOLUME: Final = _fleet_command(
    "adjust_volume", _VOLUME, effects={MediaInfo.audio_volume: _VOLUME}, needs_user=True
)
MEDIA_TOGGLE_PLAYBACK: Final = _fleet_command(
    "media_toggle_playback",
    repeatable=False,
    needs_user=True,
    toggles={"playing": frozenset({"playing"}), "paused": frozenset({"paused", "stopped"})},
)
MEDIA_NEXT_TRACK: Final = _fleet_command("media_next_track", repeatable=False, needs_user=True)
MEDIA_PREV_TRACK: Final = _fleet_command("media_prev_track", repeatable=False, needs_user=True)
REMOTE_BOOMBOX: Final = _fleet_command("remote_boombox", _integer("sound", 2000), repeatable=False)
GUEST_MODE: Final = _fleet_command("guest_mode", _ENABLE, effects={VehicleState.guest_mode_enabled: _ENABLE})
SET_PIN_TO_DRIVE: Final = _fleet_command("set_pin_to_drive", _ON, replace(_VALET_PIN, required=True))
SET_VEHICLE_NAME: Final = _fleet_command(
    "set_vehicle_name", Parameter("vehicle_name", types.TEXT, secret=True)
)
# Each service has other paths for these.
ENABLE_ACCESSORY_POWER: Final = _fleet_command("enable_keep_accessory_power_mode")
DISABLE_ACCESSORY_POWER: Final = _fleet_command("disable_keep_accessory_power_mode")
ENABLE_LOW_POWER_MODE: Final = _fleet_command("enable_low_power_mode")
DISABLE_LOW_POWER_MODE: Final = _fleet_command("disable_low_power_mode")
OPEN_TONNEAU: Final = _fleet_command("open_tonneau", effects={VehicleState.tonneau_position: True})
CLOSE_TONNEAU: Final = _fleet_command("close_tonneau", effects={VehicleState.tonneau_position: False})
STOP_TONNEAU: Final = _fleet_command("stop_tonneau")
DASHCAM_SAVE: Final = _fleet_command("dashcam_save", repeatable=False)
AUTO_SECURE_VEHICLE: Final = _fleet_command("auto_secure_vehicle", effects={VehicleState.locked: True})
CHARGE_ON_SOLAR: Final = _fleet_command(
    "charge_on_solar",
    Parameter("enabled", types.FLAG),
    _integer("lower_charge_limit", 100, required=False, sent_as="lowerChargeLimit"),
    _integer("upper_charge_limit", 100, required=False, sent_as="upperChargeLimit"),
)

SEAT_HEATERS: Final = {
    ClimateState.seat_heater_left: 0,
    ClimateState.seat_heater_right: 1,
    ClimateState.seat_heater_rear_left: 2,
    ClimateState.seat_heater_rear_center: 4,
    ClimateState.seat_heater_rear_right: 5,
    ClimateState.seat_heater_third_row_left: 7,
    ClimateState.seat_heater_third_row_right: 8,
}
"""The numbers of the seats in REMOTE_SEAT_HEATER_REQUEST, by the fields that report their levels."""
SEAT_COOLERS: Final = {ClimateState.seat_fan_front_left: 1, ClimateState.seat_fan_front_right: 2}
"""The same for REMOTE_SEAT_COOLER_REQUEST, which counts from 1."""
AUTO_SEATS: Final = {ClimateState.auto_seat_climate_left: 1, ClimateState.auto_seat_climate_right: 2}
"""The same for REMOTE_AUTO_SEAT_CLIMATE_REQUEST, by the fields that report whether it is on."""
CONTROLS: Final[Mapping[Field[Any], Command]] = {
    **dict.fromkeys(SEAT_HEATERS, REMOTE_SEAT_HEATER_REQUEST),
    ClimateState.steering_wheel_heater: REMOTE_STEERING_WHEEL_HEATER_REQUEST,
    ChargeState.charge_current_request: SET_CHARGING_AMPS,
    VehicleState.sentry_mode: SET_SENTRY_MODE,
}
"""The commands that set a documented field. If the service has the command, its control shows the field."""

COMMANDS: Final = tuple(value for value in globals().values() if isinstance(value, Command))
