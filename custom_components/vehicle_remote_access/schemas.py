"""Forms of the config flows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from homeassistant.const import CONF_ACCESS_TOKEN, CONF_CLIENT_ID, CONF_ENTITY_ID, CONF_ID, UnitOfTime
from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    BooleanSelector,
    EntitySelector,
    EntitySelectorConfig,
    FileSelector,
    FileSelectorConfig,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import voluptuous as vol

from .account.discovery import DiscoveredVehicle
from .account.options import (
    INTERVAL,
    LONGEST_INTERVAL,
    LONGEST_READ_INTERVAL,
    READ_INTERVALS,
    SHORTEST_INTERVAL,
)
from .api.service_types import SERVICE_TYPES, ServiceType
from .const import (
    CONF_ADDRESSES,
    CONF_BASE_URL,
    CONF_BLUEPRINTS,
    CONF_COMMAND_URL,
    CONF_ENERGY_ENTITY,
    CONF_FILE,
    CONF_INTERVAL,
    CONF_INTERVALS,
    CONF_KEEP_AWAKE_PLUGGED_IN,
    CONF_KEEP_POSITIONS,
    CONF_LIVE_READS_PER_DAY,
    CONF_LOCATION_ONLY_DRIVING,
    CONF_LOG,
    CONF_POWERED_LIDS,
    CONF_PRICE,
    CONF_PRICE_AWAY,
    CONF_PRICE_ENTITY,
    CONF_READ_ONLY,
    CONF_REFRESH_TOKEN,
    CONF_REQUESTS_PER_DAY,
    CONF_SERVICE,
    CONF_SPEED,
    CONF_TOKEN_EXPIRES,
    CONF_TOKEN_REFRESH,
    CONF_TOKEN_URL,
    CONF_VEHICLES,
    CONF_WAKE_FOR_COMMANDS,
)
from .polling.policy import SHORTEST_READ_INTERVAL

MAX_SIMULATED_VEHICLES: Final = 10
_MAX_SPEED: Final = 600
_MAX_PER_DAY: Final = 100_000


def _number(maximum: int, minimum: int = 1) -> vol.All[Any]:
    config = NumberSelectorConfig(min=minimum, max=maximum, mode=NumberSelectorMode.BOX)
    return vol.All(NumberSelector(config), vol.Coerce(int))


def _seconds(minimum: int, maximum: int) -> vol.All[Any]:
    config = NumberSelectorConfig(
        min=minimum,
        max=maximum,
        unit_of_measurement=UnitOfTime.SECONDS,
        # A box would accept any number, and the error would not name the limits.
        mode=NumberSelectorMode.SLIDER,
        step=5,
    )
    return vol.All(NumberSelector(config), vol.Coerce(int))


EXAMPLE_URL: Final = "https://vehicles.example.com"
EMPTY_SCHEMA: Final = vol.Schema({})
_PLAIN: Final = TextSelector(TextSelectorConfig(autocomplete="off"))
_SECRET: Final = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="off"))
_TOKEN_REFRESH_SCHEMA: Final = vol.Schema(
    {
        vol.Optional(CONF_REFRESH_TOKEN): _SECRET,
        vol.Optional(CONF_CLIENT_ID): _PLAIN,
        vol.Optional(CONF_TOKEN_URL): _PLAIN,
    }
)
_ADDRESSES_SCHEMA: Final = vol.Schema(
    {vol.Optional(CONF_BASE_URL): _PLAIN, vol.Optional(CONF_COMMAND_URL): _PLAIN}
)
SERVICE_SELECTOR: Final = SelectSelector(
    SelectSelectorConfig(
        options=list(SERVICE_TYPES), mode=SelectSelectorMode.LIST, translation_key=CONF_SERVICE
    )
)
ID_SCHEMA: Final = vol.Schema({vol.Required(CONF_ID): TextSelector()})
SIMULATED_VEHICLES_SCHEMA: Final = vol.Schema(
    {vol.Required(CONF_VEHICLES, default=1): _number(MAX_SIMULATED_VEHICLES)}
)
RECONFIGURE_SIMULATOR_SCHEMA: Final = SIMULATED_VEHICLES_SCHEMA.extend(
    {vol.Required(CONF_TOKEN_EXPIRES, default=False): BooleanSelector()}
)
BLUEPRINTS_SCHEMA: Final = vol.Schema({vol.Required(CONF_BLUEPRINTS, default=True): BooleanSelector()})
SIMULATOR_SCHEMA: Final = SIMULATED_VEHICLES_SCHEMA.extend(
    {
        vol.Required(CONF_SPEED, default=1): _number(_MAX_SPEED),
        **BLUEPRINTS_SCHEMA.schema,
    }
)
ACCOUNT_OPTIONS_SCHEMA: Final = vol.Schema(
    {
        vol.Required(CONF_INTERVAL, default=INTERVAL): _seconds(SHORTEST_INTERVAL, LONGEST_INTERVAL),
        vol.Required(CONF_REQUESTS_PER_DAY, default=0): _number(_MAX_PER_DAY, minimum=0),
        vol.Required(CONF_LIVE_READS_PER_DAY, default=0): _number(_MAX_PER_DAY, minimum=0),
        vol.Required(CONF_READ_ONLY, default=False): BooleanSelector(),
        vol.Required(CONF_BLUEPRINTS, default=False): BooleanSelector(),
    }
)
_READ_INTERVALS_SCHEMA: Final = vol.Schema(
    {
        vol.Required(mode, default=seconds): _seconds(SHORTEST_READ_INTERVAL, LONGEST_READ_INTERVAL)
        for mode, seconds in READ_INTERVALS.items()
    }
)
_PRICE: Final = NumberSelector(NumberSelectorConfig(min=0, step="any", mode=NumberSelectorMode.BOX))
LOG_SCHEMA: Final = vol.Schema(
    {
        vol.Optional(CONF_PRICE_ENTITY): EntitySelector(
            EntitySelectorConfig(domain=["sensor", "input_number", "number"])
        ),
        vol.Optional(CONF_PRICE): _PRICE,
        vol.Optional(CONF_PRICE_AWAY): _PRICE,
        vol.Optional(CONF_ENERGY_ENTITY): EntitySelector(
            EntitySelectorConfig(domain="sensor", device_class="energy")
        ),
        vol.Required(CONF_KEEP_POSITIONS, default=False): BooleanSelector(),
    }
)
VEHICLE_OPTIONS_SCHEMA: Final = vol.Schema(
    {
        vol.Required(CONF_KEEP_AWAKE_PLUGGED_IN, default=False): BooleanSelector(),
        vol.Required(CONF_WAKE_FOR_COMMANDS, default=True): BooleanSelector(),
        vol.Required(CONF_READ_ONLY, default=False): BooleanSelector(),
        vol.Optional(CONF_POWERED_LIDS): SelectSelector(
            SelectSelectorConfig(options=["trunk", "frunk"], multiple=True, translation_key=CONF_POWERED_LIDS)
        ),
        vol.Required(CONF_INTERVALS): section(_READ_INTERVALS_SCHEMA, {"collapsed": True}),
        vol.Required(CONF_LOG): section(LOG_SCHEMA, {"collapsed": True}),
    }
)
IMPORT_SCHEMA: Final = vol.Schema(
    {vol.Required(CONF_FILE): FileSelector(FileSelectorConfig(accept=".csv,.json,text/csv,application/json"))}
)
HISTORY_SCHEMA: Final = vol.Schema(
    {
        vol.Required(CONF_ENTITY_ID): EntitySelector(
            EntitySelectorConfig(domain="sensor", device_class="distance")
        )
    }
)


def token_schema(service_type: ServiceType) -> vol.Schema:
    """Return the form for an access token, with its refresh unless the service's tokens last."""
    schema: dict[vol.Marker, Any] = {vol.Required(CONF_ACCESS_TOKEN): _SECRET}
    if service_type.refresh_url or not service_type.base_urls:
        schema[vol.Optional(CONF_TOKEN_REFRESH)] = section(_TOKEN_REFRESH_SCHEMA, {"collapsed": True})
    return vol.Schema(schema)


def account_schema(service_type: ServiceType) -> vol.Schema:
    """Return the form for the access to a service: its address is asked for only if it is unknown."""
    token = token_schema(service_type)
    if not service_type.base_urls:
        return vol.Schema({vol.Required(CONF_BASE_URL): _PLAIN, **token.schema})
    return token.extend({vol.Optional(CONF_ADDRESSES): section(_ADDRESSES_SCHEMA, {"collapsed": True})})


def vehicles_schema(vehicles: Sequence[DiscoveredVehicle], service_type: ServiceType) -> vol.Schema:
    """Return the form for the vehicles to add, with a limit if the service's requests cost money."""
    field = vol.Required(CONF_VEHICLES, default=[vehicle.path_id for vehicle in vehicles])
    schema: dict[vol.Marker, Any] = {field: vehicle_selector(vehicles, multiple=True)}
    if limit := service_type.live_reads_per_day:
        schema[vol.Required(CONF_LIVE_READS_PER_DAY, default=limit)] = _number(_MAX_PER_DAY, minimum=0)
    return vol.Schema({**schema, **BLUEPRINTS_SCHEMA.schema})


def vehicle_options_schema(service_type: ServiceType) -> vol.Schema:
    """Return the form for the options of a vehicle."""
    if not service_type.can_omit_location:
        return VEHICLE_OPTIONS_SCHEMA
    location = {vol.Required(CONF_LOCATION_ONLY_DRIVING, default=False): BooleanSelector()}
    return vol.Schema({**location, **VEHICLE_OPTIONS_SCHEMA.schema})


def vehicle_selector(vehicles: Iterable[DiscoveredVehicle], *, multiple: bool) -> SelectSelector:
    """Return a selector for vehicles. The end of the VIN distinguishes vehicles with the same name."""
    options = [
        SelectOptionDict(value=vehicle.path_id, label=f"{vehicle.name} ({vehicle.vin[-6:]})")
        for vehicle in vehicles
    ]
    return SelectSelector(
        SelectSelectorConfig(options=options, multiple=multiple, mode=SelectSelectorMode.LIST)
    )


def with_open_sections(schema: vol.Schema, values: Mapping[str, Any]) -> vol.Schema:
    """Return a form whose sections with values are open: they need to be checked, or completed."""
    return vol.Schema(
        {
            key: section(value.schema, {"collapsed": False})
            if isinstance(value, section) and any(values.get(key, {}).values())
            else value
            for key, value in schema.schema.items()
        }
    )
