"""Forms of the config flows: their schemas, and how what owners enter is checked and stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from ipaddress import ip_address
from typing import Any, Final, override

from homeassistant.components.zone import ENTITY_ID_HOME
from homeassistant.components.zone.const import DOMAIN as ZONE
from homeassistant.const import (
    ATTR_UNIT_OF_MEASUREMENT,
    CONF_ACCESS_TOKEN,
    CONF_CLIENT_ID,
    CONF_ENTITY_ID,
    CONF_ID,
    CONF_ZONE,
    PERCENTAGE,
    Platform,
    UnitOfElectricCurrent,
    UnitOfEnergy,
    UnitOfTime,
)
from homeassistant.core import State
from homeassistant.data_entry_flow import section
from homeassistant.helpers import selector
import voluptuous as vol
from yarl import URL

from .. import const
from ..account.discovery import DiscoveredVehicle
from ..account.options import (
    BATTERY_FROM,
    INTERVAL,
    LEAST_AMPS,
    LONGEST_INTERVAL,
    LONGEST_READ_INTERVAL,
    READ_INTERVALS,
    SHORTEST_INTERVAL,
)
from ..account.provider import service_type_of
from ..api.commands import PAST
from ..api.service_types import SERVICE_TYPES, Prices, ServiceType
from ..device_info import VIN_LENGTH
from ..drive_log.prices import is_price_unit
from ..polling.policy import SHORTEST_READ_INTERVAL

MAX_SIMULATED_VEHICLES: Final = 10
_MAX_PER_DAY: Final = 100_000
_BOX: Final[selector.NumberSelectorConfig] = {"mode": selector.NumberSelectorMode.BOX}
# A box would accept any number, and the error would not name the limits.
_SECONDS: Final[selector.NumberSelectorConfig] = {
    "mode": selector.NumberSelectorMode.SLIDER,
    "step": 5,
    "unit_of_measurement": UnitOfTime.SECONDS,
}


def _integer(minimum: int, maximum: int, config: selector.NumberSelectorConfig = _BOX) -> vol.All[Any]:
    return vol.All(selector.NumberSelector({"min": minimum, "max": maximum, **config}), vol.Coerce(int))


def _section(fields: Mapping[vol.Marker, Any]) -> section:
    """Return a section that is closed until `with_open_sections` opens it."""
    return section(vol.Schema(dict(fields)), {"collapsed": True})


_DOLLARS: Final = selector.NumberSelector({"min": 0, "step": "any", "unit_of_measurement": "$", **_BOX})
_URLS: Final = (const.CONF_BASE_URL, const.CONF_COMMAND_URL, const.CONF_STREAM_URL)
EXAMPLE_URL: Final = "https://vehicles.example.com"
EMPTY_SCHEMA: Final = vol.Schema({})
_BOOLEAN: Final = selector.BooleanSelector()
_TEXT: Final = selector.TextSelector({"autocomplete": "off"})
_SECRET: Final = selector.TextSelector({"type": selector.TextSelectorType.PASSWORD, "autocomplete": "off"})
_TOKEN_REFRESH: Final = _section(
    {
        vol.Optional(const.CONF_REFRESH_TOKEN): _SECRET,
        vol.Optional(CONF_CLIENT_ID): _TEXT,
        vol.Optional(const.CONF_TOKEN_URL): _TEXT,
    }
)
_SERVICE: Final = selector.SelectSelector(
    {
        "options": list(SERVICE_TYPES),
        "mode": selector.SelectSelectorMode.LIST,
        "translation_key": const.CONF_SERVICE,
    }
)
POSITIONS_SCHEMA: Final = vol.Schema({vol.Required(const.CONF_KEEP_POSITIONS, default=True): _BOOLEAN})
ID_SCHEMA: Final = vol.Schema({vol.Required(CONF_ID): selector.TextSelector(), **POSITIONS_SCHEMA.schema})
_VEHICLE_COUNT: Final = {vol.Required(const.CONF_VEHICLES, default=1): _integer(1, MAX_SIMULATED_VEHICLES)}
# Scripts for 1.0.0 submit `blueprints` to this form and that of the vehicles, and `speed` to this one.
SIMULATOR_SCHEMA: Final = vol.Schema(
    {
        **_VEHICLE_COUNT,
        vol.Required(const.CONF_WITH_PAST, default=True): _BOOLEAN,
        **POSITIONS_SCHEMA.schema,
    },
    extra=vol.REMOVE_EXTRA,
)
RECONFIGURE_SIMULATOR_SCHEMA: Final = vol.Schema(
    {**_VEHICLE_COUNT, vol.Required(const.CONF_TOKEN_EXPIRES, default=False): _BOOLEAN}
)
_MEASURED: Final = ("sensor", "input_number", "number")
_HOUSE: Final = _section(
    {
        vol.Optional(const.CONF_SURPLUS_ENTITY): selector.EntitySelector({"domain": [*_MEASURED]}),
        vol.Required(const.CONF_SURPLUS_IS_IMPORTED, default=False): _BOOLEAN,
        vol.Optional(const.CONF_BATTERY_ENTITY): selector.EntitySelector({"domain": [*_MEASURED]}),
        vol.Required(const.CONF_BATTERY_FROM, default=BATTERY_FROM): _integer(
            0, 100, {**_BOX, "unit_of_measurement": PERCENTAGE}
        ),
        vol.Optional(const.CONF_LIMIT_ENTITIES): selector.EntitySelector(
            {"domain": [*_MEASURED], "multiple": True}
        ),
        vol.Optional(const.CONF_LIMIT): selector.NumberSelector({"min": 0, "step": "any", **_BOX}),
    }
)
_ADVANCED: Final = _section(
    {
        vol.Required(const.CONF_INTERVAL, default=INTERVAL): _integer(
            SHORTEST_INTERVAL, LONGEST_INTERVAL, _SECONDS
        ),
        vol.Required(const.CONF_REQUESTS_PER_DAY, default=0): _integer(0, _MAX_PER_DAY),
        vol.Required(const.CONF_LIVE_READS_PER_DAY, default=0): _integer(0, _MAX_PER_DAY),
    }
)
# A price that is empty is that of the service, which a new version may change.
_PRICES: Final = _section({vol.Optional(each.name): _DOLLARS for each in fields(Prices)})
# At a negative price, the owner is paid for charging.
_PRICE_BOX: Final[selector.NumberSelectorConfig] = {"step": "any", "mode": selector.NumberSelectorMode.BOX}
_PRICE: Final = selector.NumberSelector(_PRICE_BOX)
_PRICE_PLACES: Final = selector.ObjectSelector(
    {
        "fields": {
            CONF_ZONE: {
                "required": True,
                "selector": selector.EntitySelector({"domain": ZONE, "exclude_entities": [ENTITY_ID_HOME]}),
            },
            const.CONF_PRICE: {"required": True, "selector": _PRICE},
        },
        "multiple": True,
        "label_field": CONF_ZONE,
        "description_field": const.CONF_PRICE,
        "translation_key": const.CONF_PRICE_PLACES,
    }
)
_PRICE_ENTITY: Final = selector.EntitySelector({"domain": [*_MEASURED]})


class _TimeSelector(selector.TimeSelector):
    """Asks for no seconds, by an option that only the web interface of Home Assistant knows."""

    CONFIG_SCHEMA = vol.Schema({vol.Optional("no_second", default=True): bool})


_TIME: Final = _TimeSelector({})
_DAYS: Final = selector.SelectSelector({"options": [*const.DAYS], "multiple": True, "translation_key": "day"})
_DEPARTURES: Final = selector.ObjectSelector(
    {
        "fields": {
            const.CONF_DAYS: {"required": True, "selector": _DAYS},
            const.CONF_TIME: {"required": False, "selector": _TIME},
        },
        "multiple": True,
        "label_field": const.CONF_DAYS,
        "description_field": const.CONF_TIME,
        "translation_key": const.CONF_DEPARTURES,
    }
)
_VEHICLE_OPTIONS: Final[Mapping[str, Mapping[vol.Marker, Any]]] = {
    "price": {
        vol.Optional(const.CONF_PRICE_ENTITY): _PRICE_ENTITY,
        vol.Optional(const.CONF_PRICE): _PRICE,
        vol.Optional(const.CONF_PRICE_CHEAP): _PRICE,
        vol.Optional(const.CONF_CHEAP_FROM): _TIME,
        vol.Optional(const.CONF_CHEAP_UNTIL): _TIME,
        vol.Optional(const.CONF_PRICE_AWAY): _PRICE,
        vol.Optional(const.CONF_PRICE_PLACES): _PRICE_PLACES,
        vol.Optional(const.CONF_ENERGY_ENTITY): selector.EntitySelector(
            {"domain": "sensor", "device_class": "energy"}
        ),
    },
    "charging_plan": {
        vol.Optional(const.CONF_DEPARTURES): _DEPARTURES,
        vol.Optional(const.CONF_DEPARTURE_CALENDAR): selector.EntitySelector({"domain": Platform.CALENDAR}),
        vol.Required(const.CONF_CHARGE_WITHOUT_BREAK, default=False): _BOOLEAN,
        vol.Required(const.CONF_LEAST_AMPS, default=LEAST_AMPS): _integer(
            LEAST_AMPS, 32, {**_BOX, "unit_of_measurement": UnitOfElectricCurrent.AMPERE}
        ),
    },
    const.CONF_KEEP_POSITIONS: {vol.Required(const.CONF_KEEP_POSITIONS, default=False): _BOOLEAN},
    "commands": {
        vol.Required(const.CONF_WAKE_FOR_COMMANDS, default=True): _BOOLEAN,
        vol.Required(const.CONF_READ_ONLY, default=False): _BOOLEAN,
        vol.Optional(const.CONF_POWERED_LIDS): selector.SelectSelector(
            {"options": ["trunk", "frunk"], "multiple": True, "translation_key": const.CONF_POWERED_LIDS}
        ),
    },
    const.CONF_ADVANCED: {
        vol.Required(const.CONF_LOCATION_ONLY_DRIVING, default=False): _BOOLEAN,
        vol.Required(const.CONF_KEEP_AWAKE_PLUGGED_IN, default=False): _BOOLEAN,
        vol.Required(const.CONF_INTERVALS): section(
            vol.Schema(
                {
                    vol.Required(mode, default=seconds): _integer(
                        SHORTEST_READ_INTERVAL, LONGEST_READ_INTERVAL, _SECONDS
                    )
                    for mode, seconds in READ_INTERVALS.items()
                }
            )
        ),
    },
}
"""The options of a vehicle, by the steps with their forms."""
IMPORT_SCHEMA: Final = vol.Schema(
    {vol.Required(const.CONF_FILE): selector.FileSelector({"accept": ".csv,.json,text/csv,application/json"})}
)
HISTORY_SCHEMA: Final = vol.Schema(
    {vol.Required(CONF_ENTITY_ID): selector.EntitySelector({"domain": "sensor", "device_class": "distance"})}
)


SIGN_IN_SCHEMA: Final = vol.Schema(
    {vol.Required(const.CONF_APPLICATION_DOMAIN): _TEXT, vol.Optional(const.CONF_COMMAND_URL): _TEXT}
)


def service_field(service_type: ServiceType) -> dict[vol.Marker, Any]:
    return {vol.Required(const.CONF_SERVICE, default=service_type.key): _SERVICE}


def token_schema(service_type: ServiceType) -> vol.Schema:
    """Return the form for an access token, with its refresh unless the service's tokens last."""
    schema: dict[vol.Marker, Any] = {vol.Required(CONF_ACCESS_TOKEN): _SECRET}
    if service_type.refresh_url or not service_type.base_urls:
        schema[vol.Optional(const.CONF_TOKEN_REFRESH)] = _TOKEN_REFRESH
    return vol.Schema(schema)


def account_schema(service_type: ServiceType) -> vol.Schema:
    """Return the form for the access to a service: its address is asked for only if it is unknown."""
    token = token_schema(service_type)
    if not service_type.base_urls:
        return vol.Schema({vol.Required(const.CONF_BASE_URL): _TEXT, **token.schema})
    names = _URLS if service_type.stream is not None else (const.CONF_BASE_URL, const.CONF_COMMAND_URL)
    addresses = _section({vol.Optional(name): _TEXT for name in names})
    return token.extend({vol.Optional(const.CONF_ADDRESSES): addresses})


def account_options_schema(service_type: ServiceType) -> vol.Schema:
    """Return the form for the options of an account, with what only some services have."""
    schema: dict[vol.Marker, Any] = {}
    if service_type.prices is not None:
        schema[vol.Optional(const.CONF_SPENDING_LIMIT)] = _DOLLARS
    if service_type.stream is not None:
        schema[vol.Required(const.CONF_LIVE_DATA, default=True)] = _BOOLEAN
    schema |= {
        vol.Required(const.CONF_READ_ONLY, default=False): _BOOLEAN,
        vol.Optional(const.CONF_HOUSE): _HOUSE,
        vol.Required(const.CONF_ADVANCED): _ADVANCED,
    }
    if service_type.prices is not None:
        schema[vol.Required(const.CONF_PRICES)] = _PRICES
    return vol.Schema(schema)


def vehicles_schema(
    vehicles: Sequence[DiscoveredVehicle], service_type: ServiceType, states: Iterable[State]
) -> vol.Schema:
    """Return the form for the vehicles to add, with a limit if the service's requests cost money."""
    field = vol.Required(const.CONF_VEHICLES, default=[vehicle.path_id for vehicle in vehicles])
    schema: dict[vol.Marker, Any] = {field: vehicle_selector(vehicles, multiple=True)}
    if limit := service_type.spending_limit:
        schema[vol.Required(const.CONF_SPENDING_LIMIT, default=limit)] = _DOLLARS
    if service_type.has(PAST["drives"]):
        schema[vol.Optional(const.CONF_IMPORT_PAST)] = _BOOLEAN
    fields = {**schema, **_price_field(states), **POSITIONS_SCHEMA.schema}
    return vol.Schema(fields, extra=vol.REMOVE_EXTRA)


def vehicle_options_schema(
    step: str, service_type: ServiceType, states: Iterable[State], currency: str
) -> vol.Schema:
    """Return the form of a step for options of a vehicle. It offers price sensors among these states."""
    # In many countries, bills state prices in hundredths.
    price = selector.NumberSelector(
        {**_PRICE_BOX, "unit_of_measurement": f"{currency}/{UnitOfEnergy.KILO_WATT_HOUR}"}
    )
    schema = {key: price if value is _PRICE else value for key, value in _VEHICLE_OPTIONS[step].items()}
    if const.CONF_PRICE_ENTITY in schema:
        schema |= _price_field(states)
    if not service_type.can_omit_location:
        schema.pop(vol.Required(const.CONF_LOCATION_ONLY_DRIVING), None)
    return vol.Schema(schema)


class _PriceSelector(selector.EntitySelector):
    """Offers some entities but accepts any, so that the flow can say why one is no price sensor."""

    @override
    def __call__(self, data: Any) -> str | list[str]:
        return _PRICE_ENTITY(data)


def _price_field(states: Iterable[State]) -> dict[vol.Marker, Any]:
    measured = (state for state in states if state.domain in _MEASURED)
    units = {state.entity_id: state.attributes.get(ATTR_UNIT_OF_MEASUREMENT) for state in measured}
    offered = [entity_id for entity_id, unit in units.items() if is_price_unit(unit)]
    return {vol.Optional(const.CONF_PRICE_ENTITY): _PriceSelector({"include_entities": offered})}


def vehicle_selector(vehicles: Iterable[DiscoveredVehicle], *, multiple: bool) -> selector.SelectSelector:
    """Return a selector for vehicles. The end of the VIN distinguishes vehicles with the same name."""
    options = [
        selector.SelectOptionDict(value=vehicle.path_id, label=f"{vehicle.name} ({vehicle.vin[-6:]})")
        for vehicle in vehicles
    ]
    return selector.SelectSelector(
        {"options": options, "multiple": multiple, "mode": selector.SelectSelectorMode.LIST}
    )


def with_open_sections(schema: vol.Schema, values: Mapping[str, Any], extra: int) -> vol.Schema:
    """Return a form whose sections with values are open: they need to be checked, or completed.

    `extra`: what happens to other keys, which Home Assistant does not copy with suggested values.
    """
    shown = {
        key: section(value.schema, {"collapsed": False})
        if isinstance(value, section) and any(values.get(key, {}).values())
        else value
        for key, value in schema.schema.items()
    }
    return vol.Schema(shown, extra=extra)


# What owners enter


class InvalidInputError(ValueError):
    """A value of a form can't be used."""

    def __init__(self, **errors: str) -> None:
        super().__init__()
        self.errors = errors


def is_path_id(text: str, service_type: ServiceType) -> bool:
    """Return whether a text can identify a vehicle in paths: its id, or its VIN for some services."""
    is_vin = service_type.is_fleet and len(text) == VIN_LENGTH and text.isalnum()
    return text.isascii() and (text.isdecimal() or is_vin)


def is_this_host(url: URL) -> bool:
    if url.host == "localhost":
        return True
    try:
        return ip_address(url.host or "").is_loopback
    except ValueError:
        return False


def insecure_urls(data: Mapping[str, Any]) -> dict[str, URL]:
    """Return the addresses, by field, to which a token would be sent over a network without encryption."""
    urls = {key: URL(data[key]) for key in _URLS if key in data}
    return {key: url for key, url in urls.items() if url.scheme in ("http", "ws") and not is_this_host(url)}


def address_field(service_type: ServiceType) -> str:
    """Return the field for errors of the base URL. Sections can't show errors."""
    return "base" if service_type.base_urls else const.CONF_BASE_URL


def parse_base_url(
    text: str, key: str = "invalid_url", field: str = "base", schemes: Sequence[str] = ("https", "http")
) -> str:
    """Return the base URL of requests. The first scheme is the default. Raises InvalidInputError."""
    text = text.strip()
    try:
        url = URL(text if "://" in text else f"{schemes[0]}://{text}")
        path = url.path.rstrip("/").removesuffix("/api/1")
        base_url = URL.build(scheme=url.scheme, host=url.host or "", port=url.explicit_port, path=path)
    except ValueError:
        raise InvalidInputError(**{field: key}) from None
    # A user name or password in the URL would appear in logs.
    if url.scheme not in schemes or not url.host or url.user or url.password or url.query_string:
        raise InvalidInputError(**{field: key})
    return str(base_url).rstrip("/")


def _parse_token_url(text: str) -> str:
    """Return the URL for token refreshes. It must be encrypted, unless it is on this machine."""
    try:
        url = URL(text)
    except ValueError:
        raise InvalidInputError(base="invalid_token_url") from None
    is_safe = url.scheme == "https" or (url.scheme == "http" and is_this_host(url))
    if not is_safe or not url.host or url.user or url.password:
        raise InvalidInputError(base="invalid_token_url")
    return str(url)


def parse_tokens(
    user_input: Mapping[str, Any], service_type: ServiceType, stored: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the access token, and the token refresh if one was entered. Raises InvalidInputError.

    Without another one, the refresh token in `stored` is kept, but it is only sent to the same token URL.
    """
    tokens = {CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip()}
    fields = user_input.get(const.CONF_TOKEN_REFRESH, {})
    entered = {name: text.strip() for name, text in fields.items() if text.strip()}
    # The form suggests the service's token URL.
    if not entered or (not stored and entered == {const.CONF_TOKEN_URL: service_type.refresh_url}):
        return tokens
    if stored and entered.get(const.CONF_TOKEN_URL) == stored[const.CONF_TOKEN_URL]:
        entered = {const.CONF_REFRESH_TOKEN: stored[const.CONF_REFRESH_TOKEN], **entered}
    if not {const.CONF_TOKEN_URL, const.CONF_REFRESH_TOKEN} <= entered.keys():
        raise InvalidInputError(base="token_refresh_incomplete")
    entered[const.CONF_TOKEN_URL] = _parse_token_url(entered[const.CONF_TOKEN_URL])
    return {**tokens, const.CONF_TOKEN_REFRESH: entered}


def parse_account(
    user_input: Mapping[str, Any], service_type: ServiceType, stored: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the data of an account. Raises InvalidInputError.

    The refresh token in `stored` is kept if none is entered, and the certificate with the command address.
    """
    if service_type_of(stored) is not service_type:
        stored = {}
    tokens = parse_tokens(user_input, service_type, stored.get(const.CONF_TOKEN_REFRESH))
    application = (const.CONF_APPLICATION_DOMAIN, const.CONF_AUTH_IMPLEMENTATION)
    kept = {name: stored[name] for name in application if name in stored}
    data = {const.CONF_SERVICE: service_type.key, **kept, **tokens}
    addresses = {**user_input.get(const.CONF_ADDRESSES, {}), **user_input}
    if (url := addresses.get(const.CONF_BASE_URL)) or not service_type.base_urls:
        data[const.CONF_BASE_URL] = parse_base_url(url or "", field=address_field(service_type))
    elif len(service_type.base_urls) == 1:
        (data[const.CONF_BASE_URL],) = service_type.base_urls
    if url := addresses.get(const.CONF_COMMAND_URL):
        data[const.CONF_COMMAND_URL] = url = parse_base_url(url, "invalid_command_url")
        if url == stored.get(const.CONF_COMMAND_URL) and const.CONF_COMMAND_CERTIFICATE in stored:
            data[const.CONF_COMMAND_CERTIFICATE] = stored[const.CONF_COMMAND_CERTIFICATE]
    if (url := addresses.get(const.CONF_STREAM_URL)) and (stream := service_type.stream) is not None:
        schemes = ("wss", "ws") if stream.url.startswith("wss") else ("https", "http")
        data[const.CONF_STREAM_URL] = parse_base_url(url, schemes=schemes)
    return data


def parse_application(user_input: Mapping[str, Any]) -> dict[str, str]:
    """Return the data of an owner's own application. Raises InvalidInputError."""
    field = const.CONF_APPLICATION_DOMAIN
    data = {field: parse_base_url(user_input[field], field=field)}
    if URL(data[field]).path != "/":
        raise InvalidInputError(**{field: "invalid_url"})
    if url := user_input.get(const.CONF_COMMAND_URL):
        data[const.CONF_COMMAND_URL] = parse_base_url(url, "invalid_command_url", const.CONF_COMMAND_URL)
    return data


def check_vehicle_options(options: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if options of a vehicle contradict each other."""
    cheap_hours = {const.CONF_CHEAP_FROM, const.CONF_CHEAP_UNTIL}
    if options.keys() & {*cheap_hours, const.CONF_PRICE_CHEAP} and (missing := cheap_hours - options.keys()):
        raise InvalidInputError(**dict.fromkeys(missing, "cheap_hours_incomplete"))
    if const.CONF_PRICE_CHEAP in options and const.CONF_PRICE not in options:
        raise InvalidInputError(**{const.CONF_PRICE: "price_cheap_alone"})
    zones = [place[CONF_ZONE] for place in options.get(const.CONF_PRICE_PLACES, [])]
    if len(set(zones)) < len(zones):
        raise InvalidInputError(**{const.CONF_PRICE_PLACES: "duplicate_price_place"})


def account_form_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the form for an account's data. An address of the service itself is left out."""
    service_type = service_type_of(data)
    values = {const.CONF_SERVICE: service_type.key, **data}
    if service_type.refresh_url:
        values.setdefault(const.CONF_TOKEN_REFRESH, {const.CONF_TOKEN_URL: service_type.refresh_url})
    if service_type.base_urls:
        urls = {key: data[key] for key in _URLS if key in data}
        own = {key: url for key, url in urls.items() if url not in service_type.base_urls}
        values[const.CONF_ADDRESSES] = own
    return values


def without_tokens(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: without_tokens(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
        if name not in (CONF_ACCESS_TOKEN, const.CONF_REFRESH_TOKEN)
    }
