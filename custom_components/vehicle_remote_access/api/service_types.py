"""The table of services: how each differs from the interface document.

The sources of each line are in docs/services.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, cast

from . import commands
from .commands import (
    ACCOUNT_ENDPOINTS,
    COMMANDS,
    DATA,
    DATA_REQUESTS,
    FLEET_READS,
    PAST,
    PAYLOAD,
    REMOTE_START_DRIVE,
    SCHEDULE_DATA,
    SUN_ROOF_CONTROL,
    UPCOMING_CALENDAR_ENTRIES,
    VEHICLE_DATA,
    Command,
    Endpoint,
    Parameter,
)
from .errors import MissingEndpointError
from .fields import Field
from .records import FIELDS, ChargeState, ClimateState, VehicleState
from .value_types import INTEGER, OBJECT, OBJECT_TEXT, TEXT

LOCATION: Final = "location_data;"
REGION: Final = Endpoint("GET", "/api/1/users/region")
"""Asks a service with several regions whether it has the account."""
REFRESH: Final = Endpoint("GET", "/api/refresh/{id}")
"""Lets a service read the car whose live reads are answered from a cache."""
STREAMED_SIGNALS: Final = Endpoint("GET", "/api/config/{id}", is_wrapped=False)
"""Which signals of a car a service streams, as `fields`."""
ADD_SIGNALS: Final = Endpoint("PATCH", "/api/config/{id}", (Parameter("fields", OBJECT),), is_wrapped=False)
"""Lets a service stream more signals of a car."""
REGISTER_APPLICATION: Final = Endpoint("POST", "/api/1/partner_accounts", (Parameter("domain", TEXT),))
APPLICATION_KEY: Final = Endpoint("GET", "/api/1/partner_accounts/public_key", (Parameter("domain", TEXT),))
"""The public key of a registered application, as `public_key`. These two need a token of the application."""
FLEET_STATUS: Final = Endpoint("POST", "/api/1/vehicles/fleet_status", (PAYLOAD,))
"""Which of the `vins` accept the application's key, and which need no signed commands."""
_VIN: Final = Parameter("vin", TEXT, secret=True)
_PAGE: Final = (Parameter("pageNo", INTEGER), Parameter("pageSize", INTEGER))
_billed = partial(Endpoint, "GET", is_wrapped=False, is_billed=True)
CHARGING_HISTORY: Final = _billed("/api/1/dx/charging/history", (_VIN, Parameter("startTime", TEXT), *_PAGE))
"""The charges of a car at Superchargers, and what was billed for them."""
CHARGING_INVOICES: Final = _billed("/charging_invoices", (_VIN, Parameter("from", INTEGER)))
"""The same from invoices."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SignIn:
    """How owners sign in at a service in their browser (RFC 6749, section 4.1)."""

    authorize_url: str
    token_url: str
    register_url: str = ""
    """Where Home Assistant registers itself as a client (RFC 7591). If empty, the owner has a client."""
    scopes: str = ""
    audience: str = ""
    """The address for which tokens are issued. They are valid in all regions."""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What requests cost, in dollars."""

    live_read: float = 0.0
    command: float = 0.0
    wake_up: float = 0.0

    def cost(self, counts: Mapping[str, int], *names: str) -> float:
        """Return what a number of requests cost. `counts`: by price. `names`: only these prices."""
        prices: dict[str, float] = vars(self)
        return sum(prices[name] * counts.get(name, 0) for name in names or prices)


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamType:
    """How a service streams the changes of cars. docs/services.md has the sources."""

    url: str
    """Its usual address. `{base_url}` stands for that of the service."""
    is_per_car: bool = False
    """Whether each car has a stream of its own, whose address ends with the VIN."""
    has_snapshot: bool = False
    """Whether it begins with all that is known, so that no read is needed for it."""
    is_configurable: bool = False
    """Whether the service streams only the signals that it was asked for."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ServiceType:
    """A service, or a family of services that differ only by their address."""

    key: str
    """The name that config entries store."""
    name: str = ""
    base_urls: tuple[str, ...] = ()
    """Its addresses, one for each region. If there is none, the owner enters the address."""
    console_url: str = ""
    """Where the owner gets the access token."""
    refresh_url: str = ""
    """Where access tokens are refreshed, if they expire."""
    sign_in: SignIn | None = None
    key_url: str = ""
    """Where the owner adds the service's key to a car that requires signed commands."""
    is_fleet: bool = False
    """Whether it is one of the Fleet API's family, which have more than the interface document.

    Their paths have the VIN, and commands have their values, or the aliases of these, in the body.
    """
    has_cache: bool = False
    """Whether live reads are answered from a cache, unless REFRESH comes first."""
    stream: StreamType | None = None
    records: str = ""
    """The records that a live read must ask for, with semicolons; empty if it returns everything."""
    forms: dict[Endpoint, Endpoint] = field(default_factory=dict)
    """The endpoints that have other parameters, or another path."""
    missing: frozenset[Endpoint] = frozenset()
    """The endpoints that the service does not have."""
    charging_costs: tuple[Endpoint, ...] = ()
    """Where to ask what was billed for fast charges. The next one is asked if one is refused."""
    rare_fields: frozenset[Field[Any]] = frozenset()
    """Fields that many cars do not report. Their entities exist once the car reports them."""
    prices: Prices | None = None
    """What it charges for requests; None if they are free, or if the prices are unknown."""
    spending_limit: float = 0.0
    """The limit to offer for a new account of a service with prices."""
    issues: Mapping[str, str] = field(default_factory=dict)
    """The translation keys of issues that say what to do with this service, by the error's key."""

    def has(self, endpoint: Endpoint) -> bool:
        return endpoint not in self.missing

    def reports(self, field: Field[Any]) -> bool:
        return self.is_fleet or not field.fleet_only

    def form[E: Endpoint](self, endpoint: E) -> E:
        """Return an endpoint with the parameters that it has here. Raises MissingEndpointError."""
        if endpoint in self.missing:
            raise MissingEndpointError(self.name)
        return cast("E", self.forms.get(endpoint, endpoint))

    def path_id(self, vin: str, vehicle_id: str) -> str:
        return vin if self.is_fleet else vehicle_id

    @property
    def sun_roof_commands(self) -> tuple[str, ...]:
        """What the service can tell the sunroof to do."""
        return self.form(SUN_ROOF_CONTROL).parameter("state").options

    @cached_property
    def can_omit_location(self) -> bool:
        """Whether a live read can leave out the location, which the car shows on its screen."""
        return LOCATION in self.records


def _at(path: str, name: str, values: Mapping[Command, Any]) -> dict[Endpoint, Endpoint]:
    """Return the forms of commands that have one path in common, and that a value in the body tells apart."""
    path = f"/api/1/vehicles/{{id}}/{path}"
    return {command: replace(command, path=path, fixed={name: value}) for command, value in values.items()}


def _only[E: Endpoint](endpoint: E, name: str, **changes: Any) -> E:
    """Return an endpoint with only one of its parameters, which is changed."""
    return replace(endpoint, parameters=(replace(endpoint.parameter(name), **changes),))


_READS_AND_COMMANDS: Final = (*COMMANDS, *FLEET_READS.values(), *PAST.values(), SCHEDULE_DATA)
OTHER: Final = ServiceType(
    key="other",
    missing=frozenset(each for each in _READS_AND_COMMANDS if each.fleet_only),
)
"""A service as the interface document describes it."""

_ONLY_DOCUMENTED: Final = (*DATA_REQUESTS.values(), *ACCOUNT_ENDPOINTS.values())
_ONLY_TESLEMETRY: Final = (commands.AUTO_SECURE_VEHICLE, commands.CHARGE_ON_SOLAR, commands.DASHCAM_SAVE)
_TONNEAU: Final = {
    commands.OPEN_TONNEAU: "open",
    commands.CLOSE_TONNEAU: "close",
    commands.STOP_TONNEAU: "stop",
}
_ACCESSORY_POWER: Final = {commands.ENABLE_ACCESSORY_POWER: True, commands.DISABLE_ACCESSORY_POWER: False}
_LOW_POWER: Final = {commands.ENABLE_LOW_POWER_MODE: True, commands.DISABLE_LOW_POWER_MODE: False}
# All cars leave out a route while they do not navigate. The others are only streamed, but can be set without.
_NOT_RARE: Final = ("active_route", "guest_mode", "tonneau")
_FLEET_FAMILY: Final = ServiceType(
    key="",
    is_fleet=True,
    records=f"charge_state;climate_state;drive_state;gui_settings;{LOCATION}vehicle_config;vehicle_state",
    forms={
        VEHICLE_DATA: replace(VEHICLE_DATA, parameters=(Parameter("endpoints", TEXT, required=False),)),
        REMOTE_START_DRIVE: replace(REMOTE_START_DRIVE, parameters=()),
        SUN_ROOF_CONTROL: _only(SUN_ROOF_CONTROL, "state", options=("closed", "vent", "stop")),
        UPCOMING_CALENDAR_ENTRIES: _only(UPCOMING_CALENDAR_ENTRIES, "calendar_data", value_type=OBJECT_TEXT),
    },
    missing=frozenset((DATA, *_ONLY_DOCUMENTED, *PAST.values(), *_ONLY_TESLEMETRY)),
    charging_costs=(CHARGING_HISTORY,),
    rare_fields=frozenset(
        {
            *(field for field in FIELDS if field.fleet_only and not field.name.startswith(_NOT_RARE)),
            ChargeState.charge_to_max_range,
            ClimateState.seat_heater_rear_left_back,
            ClimateState.seat_heater_rear_right_back,
            ClimateState.seat_heater_rear_center,
            ClimateState.seat_heater_third_row_left,
            ClimateState.seat_heater_third_row_right,
            ClimateState.smart_preconditioning,
            ClimateState.steering_wheel_heater,
            VehicleState.autopark_state_v2,
            VehicleState.homelink_nearby,
            VehicleState.sentry_mode,
        }
    ),
)
TESSIE: Final = replace(
    _FLEET_FAMILY,
    key="tessie",
    name="Tessie",
    base_urls=("https://api.tessie.com",),
    console_url="https://dash.tessie.com/settings/api",
    stream=StreamType(url="wss://streaming.tessie.com", is_per_car=True),
    key_url="https://www.tesla.com/_ak/tessie.com",
    forms=_FLEET_FAMILY.forms
    | {
        command: replace(command, path=f"/{{id}}/command/{command.name}", is_wrapped=False)
        for command in (commands.OPEN_TONNEAU, commands.CLOSE_TONNEAU, *_ACCESSORY_POWER, *_LOW_POWER)
    },
    missing=_FLEET_FAMILY.missing.difference(PAST.values()) | {commands.STOP_TONNEAU},
    # Its own endpoint answers only for fleet accounts.
    charging_costs=(CHARGING_HISTORY, CHARGING_INVOICES),
    issues={"signing_required": "key_required"},
)
TESLEMETRY: Final = replace(
    _FLEET_FAMILY,
    key="teslemetry",
    name="Teslemetry",
    base_urls=("https://api.teslemetry.com",),
    console_url="https://teslemetry.com/console",
    sign_in=SignIn(
        authorize_url="https://teslemetry.com/connect",
        token_url="https://api.teslemetry.com/oauth/token",  # noqa: S106 - an address
        register_url="https://api.teslemetry.com/oauth/register",
    ),
    key_url="https://teslemetry.com/key",
    has_cache=True,
    forms=_FLEET_FAMILY.forms
    | {
        each: replace(each, path=each.path.replace("/command", "/custom_command"))
        for each in _ONLY_TESLEMETRY
    }
    | _at("custom_command/closure", "tonneau", _TONNEAU)
    | _at("custom_command/set_keep_accessory_power_mode", "on", _ACCESSORY_POWER)
    | _at("custom_command/set_low_power_mode", "on", _LOW_POWER),
    missing=_FLEET_FAMILY.missing.difference(_ONLY_TESLEMETRY),
    stream=StreamType(url="{base_url}/sse", has_snapshot=True, is_configurable=True),
    # A credit costs $0.00125. The limit is enough for 50 live reads a day.
    prices=Prices(live_read=0.0025, command=0.00125, wake_up=0.025),
    spending_limit=4.0,
    issues={"signing_required": "key_required"},
)
TESLA_FLEET: Final = replace(
    _FLEET_FAMILY,
    key="tesla_fleet",
    name="Tesla Fleet API",
    base_urls=(
        "https://fleet-api.prd.na.vn.cloud.tesla.com",
        "https://fleet-api.prd.eu.vn.cloud.tesla.com",
        "https://fleet-api.prd.cn.vn.cloud.tesla.cn",
    ),
    console_url="https://developer.tesla.com/dashboard",
    refresh_url="https://fleet-auth.prd.vn.cloud.tesla.com/oauth2/v3/token",
    sign_in=SignIn(
        authorize_url="https://auth.tesla.com/oauth2/v3/authorize",
        token_url="https://fleet-auth.prd.vn.cloud.tesla.com/oauth2/v3/token",  # noqa: S106 - an address
        scopes="openid offline_access "
        "vehicle_device_data vehicle_location vehicle_cmds vehicle_charging_cmds",
        audience="https://fleet-api.prd.na.vn.cloud.tesla.com",
    ),
    forms=_FLEET_FAMILY.forms
    | _at("command/keep_accessory_power_mode", "enable", _ACCESSORY_POWER)
    | _at("command/set_low_power_mode", "enable", _LOW_POWER),
    # The first $10 of a month are free.
    prices=Prices(live_read=0.002, command=0.001, wake_up=0.02),
    spending_limit=10.0,
    issues={
        "client_refused": "not_registered",
        "signing_required": "proxy_required",
        "wrong_place": "other_region",
    },
)
SERVICE_TYPES: Final = {each.key: each for each in (TESSIE, TESLEMETRY, TESLA_FLEET, OTHER)}
