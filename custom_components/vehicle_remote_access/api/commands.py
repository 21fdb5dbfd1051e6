"""THE TABLE of commands, and of the other endpoints: what is sent, within which limits, and what follows.

Interface document, "Endpoints" and "Limits".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import floor, inf
from typing import Any, Final

from .errors import InvalidPinError, InvalidValueError, MissingValueError, OutOfBoundsError
from .fields import Field
from .records import ChargeState, ClimateState, SpeedLimitMode, Vehicle, VehicleState
from .value_types import CELSIUS, FLAG, MILES_PER_HOUR, OBJECT, PERCENT, PIN, SECRET, TEXT, WHOLE, Kind


@dataclass(frozen=True, eq=False, kw_only=True)
class Parameter:
    """A value that goes along: its name, its meaning, and what the service accepts."""

    name: str
    kind: Kind[Any]
    minimum: float = -inf
    maximum: float = inf
    bounds: tuple[Field[float], Field[float]] | None = None
    """The fields in which a car names its own lowest and highest; `minimum` and `maximum` if it does not."""
    decimals: int = 0
    options: tuple[str, ...] = ()
    otherwise: Mapping[str, str] = field(default_factory=dict)
    """Options and another word for the same, which some services take instead."""
    required: bool = True
    needed_with: Mapping[str, str] = field(default_factory=dict)
    """Another parameter, and its value with which this one is required too."""
    in_body: bool = False
    secret: bool = False

    def meant(self, value: Any) -> Any:
        """Return the value as the car will understand it. Raises InvalidValueError outside the limits.

        Limits that a car names itself are `Endpoint.check`'s.
        """
        known = self.kind.read(value)
        if known is None and self.kind is PIN:
            raise InvalidPinError(self.name)
        if known is None or (self.options and known not in self.options):
            raise InvalidValueError(self.name)
        if isinstance(known, bool) or not isinstance(known, int | float):
            return known
        if self.bounds is None and not self.minimum <= known <= self.maximum:
            raise OutOfBoundsError(self.name, self.minimum, self.maximum)
        # Half goes up: 72.5 % is asked for as 73, not as the even 72.
        steps = floor(known * 10**self.decimals + 0.5)
        return steps / 10**self.decimals if self.decimals else steps

    def limits(self, vehicle: Vehicle) -> tuple[float, float]:
        """Return the lowest and the highest that a car takes: what it names, if that makes sense."""
        if self.bounds is not None:
            lowest, highest = self.bounds
            low, high = lowest.of(vehicle), highest.of(vehicle)
            if low is not None and high is not None and low < high:
                return low, high
        return self.minimum, self.maximum

    def belongs(self, others: Mapping[str, Any]) -> bool:
        """Whether it has a meaning beside these values of the other parameters."""
        return not self.needed_with or self.is_needed(others)

    def is_needed(self, others: Mapping[str, Any]) -> bool:
        """Whether it may not be left out beside these values of the other parameters."""
        return self.required or any(others.get(name) == value for name, value in self.needed_with.items())


_PAYLOAD: Final = Parameter(name="payload", kind=OBJECT, in_body=True)


@dataclass(frozen=True, eq=False)
class Endpoint:
    """One address of the service. `{id}` in the path is the vehicle's id."""

    method: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    takes_payload: bool = False
    """Whether the value named `payload` is the whole body, as it is."""

    @cached_property
    def has_body(self) -> bool:
        """Whether any of the values goes along as JSON."""
        return self.takes_payload or any(each.in_body for each in self.parameters)

    def parameter(self, name: str) -> Parameter:
        """Return the parameter with a name."""
        return {each.name: each for each in self.parameters}[name]

    def query(self, values: Mapping[str, Any], *, partly: bool = False) -> dict[str, str]:
        """Return the query for the values, after a look at those of the body too.

        Raises InvalidValueError for one not allowed, MissingValueError for one left out. `partly`: what is
        missing is still to come.
        """
        meant = self._meant(values, partly=partly)
        return {
            each.name: _written(meant[each.name])
            for each in self.parameters
            if each.name in meant and not each.in_body
        }

    def body(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON object that goes along. Raises as `query` does."""
        meant = self._meant(values)
        if self.takes_payload:
            payload: dict[str, Any] = meant[_PAYLOAD.name]
            return payload
        return {
            each.name: meant[each.name] for each in self.parameters if each.in_body and each.name in meant
        }

    def check(self, vehicle: Vehicle, values: Mapping[str, Any]) -> None:
        """Raise InvalidValueError for a value outside the limits that this very car names."""
        for each in self.parameters:
            value = values.get(each.name)
            if each.bounds is None or value is None:
                continue
            known = each.kind.read(value)
            low, high = each.limits(vehicle)
            if known is None or not low <= known <= high:
                raise OutOfBoundsError(each.name, low, high)

    def other_words(self, query: Mapping[str, str]) -> dict[str, str]:
        """Return the other words for what a query says, under the names of their parameters."""
        said = [each for each in self.parameters if each.name in query]
        words = {each.name: each.otherwise.get(query[each.name]) for each in said}
        return {name: word for name, word in words.items() if word is not None}

    def _meant(self, values: Mapping[str, Any], *, partly: bool = False) -> dict[str, Any]:
        """Return what the values mean, of the query and of the body, by name."""
        taken = (*self.parameters, _PAYLOAD) if self.takes_payload else self.parameters
        given = [each for each in taken if values.get(each.name) is not None and each.belongs(values)]
        meant = {each.name: each.meant(values[each.name]) for each in given}
        for each in taken:
            if not partly and each.name not in meant and each.is_needed(meant):
                raise MissingValueError(each.name)
        return meant


@dataclass(frozen=True, eq=False, kw_only=True)
class Command(Endpoint):
    """Something a car is told to do. The answer is a command result: `result` and `reason`."""

    repeatable: bool = True
    """Whether sending it twice does no more than sending it once."""
    toggles: bool = False
    """Whether a second one undoes the first."""
    reports: Mapping[Field[Any], Any] = field(default_factory=dict)
    """What the car will report once it has obeyed: a value, or the parameter or field that holds it."""
    settled: frozenset[str] = frozenset()
    """Reasons of refusal that mean: it is so already."""

    @cached_property
    def name(self) -> str:
        """The interface document's name of the command."""
        return self.path.rpartition("/")[2]

    @cached_property
    def is_setpoint(self) -> bool:
        """Whether it sets values, so that of several only the newest of each counts."""
        return bool(self._shown)

    @cached_property
    def takes_parts(self) -> bool:
        """Whether any of its values will do, because the car shows all of them: the rest stays as it is."""
        return bool(self.parameters) and all(each.name in self._shown for each in self.parameters)

    @cached_property
    def _shown(self) -> Mapping[str, Field[Any]]:
        """The names of the parameters that the car shows, in their order, and where it does."""
        shows = {value: field for field, value in self.reports.items() if isinstance(value, Parameter)}
        return {each.name: shows[each] for each in self.parameters if each in shows}

    def demand(self, vehicle: Vehicle, values: Mapping[str, Any]) -> None:
        """Raise InvalidValueError for what could not be sent to this car, as far as it is known already."""
        self.check(vehicle, values)
        if not self.takes_parts:
            self.query(values)
        elif all(value is None for value in values.values()):
            raise MissingValueError(self.parameters[0].name)
        else:
            self.query(self.completed(vehicle, values), partly=True)

    def renewed(self, earlier: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the newer values, and of the earlier ones what they leave as it was to be.

        What goes along with a value, such as a PIN, goes with that value alone.
        """
        return {**{name: value for name, value in earlier.items() if name in self._shown}, **values}

    def completed(self, vehicle: Vehicle, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values with what is not to change as it is: the car takes all or none."""
        missing = [name for name in self._shown if name not in values]
        return {**{name: self._shown[name].of(vehicle) for name in missing}, **values}

    def expected(self, vehicle: Vehicle, values: Mapping[str, Any]) -> dict[Field[Any], Any]:
        """Return what the vehicle will report after this command with these values."""

        def meant(value: Any) -> Any:
            if isinstance(value, Parameter):
                given = values.get(value.name)
                return None if given is None else value.meant(given)
            return value.of(vehicle) if isinstance(value, Field) else value

        report = {shown: meant(value) for shown, value in self.reports.items()}
        return {shown: value for shown, value in report.items() if value is not None}


def _written(meant: Any) -> str:
    """Return a value as the query carries it."""
    return str(meant).lower() if isinstance(meant, bool) else str(meant)


def _read(path: str, *parameters: Parameter) -> Endpoint:
    return Endpoint("GET", f"/api/1/{path}", parameters)


def _command(
    name: str,
    *parameters: Parameter,
    repeatable: bool = True,
    toggles: bool = False,
    reports: Mapping[Field[Any], Any] | None = None,
    settled: tuple[str, ...] = (),
) -> Command:
    return Command(
        "POST",
        f"/api/1/vehicles/{{id}}/command/{name}",
        parameters,
        repeatable=repeatable,
        toggles=toggles,
        reports=reports or {},
        settled=frozenset(settled),
    )


_CHARGE_LIMIT = Parameter(
    name="percent",
    kind=PERCENT,
    minimum=50,
    maximum=100,
    bounds=(ChargeState.charge_limit_soc_min, ChargeState.charge_limit_soc_max),
)
_DRIVER_TEMP = Parameter(
    name="driver_temp",
    kind=CELSIUS,
    minimum=15,
    maximum=28,
    bounds=(ClimateState.min_avail_temp, ClimateState.max_avail_temp),
    decimals=1,
)
_PASSENGER_TEMP = replace(_DRIVER_TEMP, name="passenger_temp")
_VALET_PIN = Parameter(name="password", kind=PIN, required=False, secret=True)
_PIN = Parameter(name="pin", kind=PIN, secret=True)
_LIMIT_MPH = Parameter(
    name="limit_mph",
    kind=MILES_PER_HOUR,
    minimum=50,
    maximum=90,
    bounds=(SpeedLimitMode.min_limit_mph, SpeedLimitMode.max_limit_mph),
)
_DEVICE_TYPE = Parameter(name="device_type", kind=TEXT, options=("ios", "android"))
_PLATFORM = Parameter(name="platform", kind=TEXT, required=False)
_ROOF_STATE = Parameter(
    name="state",
    kind=TEXT,
    options=("open", "closed", "comfort", "vent", "move"),
    otherwise={"closed": "close"},
)
_ROOF_PERCENT = Parameter(
    name="percent",
    kind=PERCENT,
    minimum=0,
    maximum=100,
    required=False,
    needed_with={"state": "move"},
)

# Reading. Only VEHICLES and VEHICLE leave a sleeping car alone and a waking one free to fall asleep.
VEHICLES: Final = _read("vehicles", Parameter(name="page", kind=WHOLE, required=False))
VEHICLE: Final = _read("vehicles/{id}")
VEHICLE_DATA: Final = _read("vehicles/{id}/vehicle_data")
DATA: Final = _read("vehicles/{id}/data")
SERVICE_DATA: Final = _read("vehicles/{id}/service_data")
MOBILE_ENABLED: Final = _read("vehicles/{id}/mobile_enabled")
DATA_REQUESTS: Final = {
    record: _read(f"vehicles/{{id}}/data_request/{record}")
    # The last two are not documented, but services that have nothing else have been seen to have them.
    for record in (
        "charge_state",
        "climate_state",
        "drive_state",
        "gui_settings",
        "vehicle_state",
        "vehicle_config",
    )
}

# The account's own
GET_VEHICLE_SUBSCRIPTIONS: Final = _read("vehicle_subscriptions", _DEVICE_TYPE)
SET_VEHICLE_SUBSCRIPTIONS: Final = Endpoint("POST", "/api/1/vehicle_subscriptions", takes_payload=True)
GET_NOTIFICATION_PREFERENCES: Final = _read("notification_preferences", _DEVICE_TYPE, _PLATFORM)
SET_NOTIFICATION_PREFERENCES: Final = Endpoint("POST", "/api/1/notification_preferences", takes_payload=True)
CONFIRM_NOTIFICATIONS: Final = Endpoint("POST", "/api/1/notification_confirmations", takes_payload=True)

# Commands
WAKE_UP: Final = Command("POST", "/api/1/vehicles/{id}/wake_up")
DOOR_UNLOCK: Final = _command("door_unlock", reports={VehicleState.locked: False})
DOOR_LOCK: Final = _command("door_lock", reports={VehicleState.locked: True})
HONK_HORN: Final = _command("honk_horn", repeatable=False)
FLASH_LIGHTS: Final = _command("flash_lights", repeatable=False)
AUTO_CONDITIONING_START: Final = _command(
    "auto_conditioning_start", reports={ClimateState.is_climate_on: True}
)
AUTO_CONDITIONING_STOP: Final = _command(
    "auto_conditioning_stop", reports={ClimateState.is_climate_on: False}
)
SET_TEMPS: Final = _command(
    "set_temps",
    _DRIVER_TEMP,
    _PASSENGER_TEMP,
    reports={
        ClimateState.driver_temp_setting: _DRIVER_TEMP,
        ClimateState.passenger_temp_setting: _PASSENGER_TEMP,
    },
)
SET_CHARGE_LIMIT: Final = _command(
    "set_charge_limit",
    _CHARGE_LIMIT,
    reports={ChargeState.charge_limit_soc: _CHARGE_LIMIT},
    settled=("already_set",),
)
CHARGE_MAX_RANGE: Final = _command(
    "charge_max_range",
    reports={ChargeState.charge_limit_soc: ChargeState.charge_limit_soc_max},
    settled=("already_max_range",),
)
CHARGE_STANDARD: Final = _command(
    "charge_standard",
    reports={ChargeState.charge_limit_soc: ChargeState.charge_limit_soc_std},
    settled=("already_standard",),
)
SUN_ROOF_CONTROL: Final = _command(
    "sun_roof_control", _ROOF_STATE, _ROOF_PERCENT, reports={VehicleState.sun_roof_state: "moving"}
)
ACTUATE_TRUNK: Final = _command(
    "actuate_trunk",
    Parameter(name="which_trunk", kind=TEXT, options=("rear", "front")),
    repeatable=False,
    toggles=True,
)
REMOTE_START_DRIVE: Final = _command(
    "remote_start_drive",
    Parameter(name="password", kind=SECRET, secret=True),
    repeatable=False,
    reports={VehicleState.remote_start: True},
)
CHARGE_PORT_DOOR_OPEN: Final = _command(
    "charge_port_door_open", reports={ChargeState.charge_port_door_open: True}
)
CHARGE_PORT_DOOR_CLOSE: Final = _command(
    "charge_port_door_close", reports={ChargeState.charge_port_door_open: False}
)
CHARGE_START: Final = _command(
    "charge_start",
    reports={ChargeState.charging_state: "starting"},
    settled=("charging", "is_charging", "requested"),
)
CHARGE_STOP: Final = _command(
    "charge_stop", reports={ChargeState.charging_state: "stopped"}, settled=("not_charging",)
)
UPCOMING_CALENDAR_ENTRIES: Final = _command(
    "upcoming_calendar_entries", Parameter(name="calendar_data", kind=OBJECT, in_body=True)
)
SET_VALET_MODE: Final = _command(
    "set_valet_mode",
    _ON := Parameter(name="on", kind=FLAG),
    _VALET_PIN,
    reports={VehicleState.valet_mode: _ON},
    settled=("already_on", "already_off"),
)
RESET_VALET_PIN: Final = _command("reset_valet_pin")
SPEED_LIMIT_ACTIVATE: Final = _command(
    "speed_limit_activate", _PIN, reports={SpeedLimitMode.active: True}, settled=("already_active",)
)
SPEED_LIMIT_DEACTIVATE: Final = _command(
    "speed_limit_deactivate", _PIN, reports={SpeedLimitMode.active: False}, settled=("already_inactive",)
)
SPEED_LIMIT_SET_LIMIT: Final = _command(
    "speed_limit_set_limit", _LIMIT_MPH, reports={SpeedLimitMode.current_limit_mph: _LIMIT_MPH}
)
SPEED_LIMIT_CLEAR_PIN: Final = _command("speed_limit_clear_pin", _PIN)

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *(found for found in list(globals().values()) if isinstance(found, Endpoint)),
    *DATA_REQUESTS.values(),
)
COMMANDS: Final = tuple(found for found in ENDPOINTS if isinstance(found, Command))
