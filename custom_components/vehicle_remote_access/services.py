"""Actions for endpoints that don't fit an entity, with their names and values of the interface document."""

from collections.abc import Iterable, Mapping
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.const import ATTR_CONFIG_ENTRY_ID, ATTR_DEVICE_ID
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse, SupportsResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.service import async_get_config_entry, async_register_admin_service
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .account.provider import service_type_of, translate_errors
from .api import commands
from .api.commands import Command, Endpoint
from .api.errors import MalformedResponseError, ReadOnlyError
from .api.records import without_secrets
from .api.value_types import FLAG
from .const import DAYS, DOMAIN
from .coordinator import VehicleConfigEntry
from .log_actions import LOG_CHANGES, LOG_READS
from .vehicle.coordinator import VehicleCoordinator
from .vehicle.departure_calendar import calendar_events
from .vehicle_access import VehicleAction, VehicleActions, find_vehicle, vehicle_schema

_RECORDS: Final = {
    name: commands.DATA_REQUESTS[name]
    for name in ("charge_state", "climate_state", "drive_state", "gui_settings")
} | {"legacy": commands.DATA}
_SCHEDULES: Final = commands.SCHEDULE_DATA.parameter("endpoints").options
_STOP_ORDERS: Final = ("replace", "first", "last")
"""What happens to the current route. The numbers in the command start at 1."""
# Opaque blue. The service requires a color for each calendar, and Home Assistant's calendars have none.
_COLOR: Final = "FF03A9F4"


def _endpoint_schema(target: str, endpoint: Endpoint) -> vol.Schema:
    """Return the schema of an action for a device or an entry. The endpoint checks the other values."""
    values: dict[vol.Marker, Any] = {
        vol.Optional(parameter.name): cv.match_all for parameter in endpoint.parameters
    }
    return vol.Schema(vol.All(_restore_on, {vol.Required(target): cv.string, **values}))


def _restore_on(data: dict[Any, Any]) -> dict[Any, Any]:
    """Return an action's data. YAML reads an unquoted key `on` as true."""
    return {"on" if name is True else name: value for name, value in data.items()}


def _values(call: ServiceCall) -> dict[str, Any]:
    """Return the values to send. Null is the result of an empty template, and is left out."""
    target = (ATTR_DEVICE_ID, ATTR_CONFIG_ENTRY_ID)
    return {name: value for name, value in call.data.items() if name not in target and value is not None}


async def _send_command(command: Command, vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    await vehicle.commands.async_send(command, **_values(call))


async def _navigate(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    """Send a destination as text. The car looks it up."""
    config = call.hass.config
    await vehicle.commands.async_send(
        commands.NAVIGATION_REQUEST,
        type="share_ext_content_raw",
        value={"android.intent.extra.TEXT": call.data["destination"]},
        locale=f"{config.language}-{config.country}" if config.country else config.language,
        timestamp_ms=round(dt_util.utcnow().timestamp() * 1000),
    )


async def _navigate_to_position(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    order = _STOP_ORDERS.index(call.data["order"]) + 1
    await vehicle.commands.async_send(commands.NAVIGATION_GPS_REQUEST, **_position(call), order=order)


def _position(call: ServiceCall) -> dict[str, float]:
    """Return the location of an action, or home."""
    config = call.hass.config
    place = call.data.get("location", {"latitude": config.latitude, "longitude": config.longitude})
    return {"lat": place["latitude"], "lon": place["longitude"]}


async def _set_schedule(command: Command, vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    """Send a command for a schedule. The service expects times in minutes after midnight."""
    values: dict[str, Any] = {
        name: value.hour * 60 + value.minute if isinstance(value, time) else value
        for name, value in _values(call).items()
    }
    if "days_of_week" in values:
        values |= {"days_of_week": ",".join(values["days_of_week"]).title(), **_position(call)}
    if command is commands.ADD_CHARGE_SCHEDULE:
        values |= {"start_enabled": "start_time" in values, "end_enabled": "end_time" in values}
    # The service requires a time even if it has no effect.
    for time_name, flag in _FLAGS_OF_TIMES.items():
        if not values.get(flag):
            values.setdefault(time_name, 0)
    await vehicle.commands.async_send(command, **values)


async def _send_calendar(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    data = vehicle.data
    if data.calendar_enabled is False or data.vehicle_state.calendar_supported is False:
        raise ServiceValidationError(translation_domain=DOMAIN, translation_key="calendar_off")
    calendar_data = call.data.get("calendar_data")
    if (entity_id := call.data.get("calendar_entity_id")) is not None:
        calendar_data = await _calendar_data(call, entity_id, vehicle.config_entry.entry_id)
    await vehicle.commands.async_send(commands.UPCOMING_CALENDAR_ENTRIES, calendar_data=calendar_data)


async def _calendar_data(call: ServiceCall, entity_id: str, entry_id: str) -> dict[str, Any]:
    """Return the next events of a calendar entity in the format of the interface document."""
    calendar = call.hass.states.get(entity_id)
    if calendar is None:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="no_calendar",
            translation_placeholders={"entity_id": entity_id},
        )
    now = dt_util.now()
    end = now + timedelta(hours=call.data["hours"])
    events = await calendar_events(call.hass, entity_id, now, end, call.context)
    return {
        "access_disabled": False,
        "calendars": [{"name": calendar.name, "color": _COLOR, "events": _events(events)}],
        "phone_name": call.hass.config.location_name,
        # With the same id, the car replaces the events that it got before.
        "uuid": str(uuid5(NAMESPACE_URL, f"{DOMAIN}:{entry_id}")),
    }


def _events(events: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "name": event.get("summary") or "",
            "location": event.get("location") or "",
            "start": _milliseconds(event["start"]),
            "end": _milliseconds(event["end"]),
            "allday": dt_util.parse_date(event["start"]) is not None,
            "cancelled": event.get("status") == "cancelled",
            "tentative": event.get("status") == "tentative",
            "organizer": "",
            "color": _COLOR,
        }
        for event in events
    ]


def _milliseconds(text: str) -> int:
    """Return the Unix milliseconds of a date and time, or of the local midnight at which a day starts."""
    return round(dt_util.as_utc(datetime.fromisoformat(text)).timestamp() * 1000)


async def _get_vehicle_data(vehicle: VehicleCoordinator, call: ServiceCall) -> ServiceResponse:
    """Return the car's live data, or one record of it, without changes."""
    if (record := call.data.get("record")) is None:
        return _response(await vehicle.async_request_all())
    if record in _SCHEDULES:
        return _response(await vehicle.async_request(commands.SCHEDULE_DATA, endpoints=record))
    return _response(await vehicle.async_request(_RECORDS[record]))


async def _get_service_data(vehicle: VehicleCoordinator, _call: ServiceCall) -> ServiceResponse:
    """Return service-center data. It is empty if the car isn't there."""
    return _response(await vehicle.async_request(commands.SERVICE_DATA) or {})


async def _get_mobile_enabled(vehicle: VehicleCoordinator, _call: ServiceCall) -> ServiceResponse:
    """Return whether mobile access is on. Newer services wrap the boolean in an object."""
    answer = await vehicle.async_request(commands.MOBILE_ENABLED)
    is_enabled = FLAG.read(answer.get("result") if isinstance(answer, dict) else answer)
    with vehicle.translate_errors():
        if is_enabled is None:
            raise MalformedResponseError
    return {"mobile_enabled": is_enabled}


async def _get(endpoint: Endpoint, vehicle: VehicleCoordinator, call: ServiceCall) -> ServiceResponse:
    return _response(await vehicle.async_request(endpoint, **_values(call)))


def _response(answer: Any) -> ServiceResponse:
    """Return a service's answer as an action's response, which must be an object."""
    cleaned = without_secrets(answer)
    return cleaned if isinstance(cleaned, dict) else {"response": cleaned}


# The tables of actions: what each does, and what it accepts

_READS: Final[VehicleActions] = {
    "get_vehicle_data": (
        _get_vehicle_data,
        vehicle_schema({vol.Optional("record"): vol.In((*_RECORDS, *_SCHEDULES))}),
    ),
    "get_service_data": (_get_service_data, vehicle_schema()),
    "get_mobile_enabled": (_get_mobile_enabled, vehicle_schema()),
}
_FLEET_READS: Final[VehicleActions] = {
    name: (partial(_get, endpoint), _endpoint_schema(ATTR_DEVICE_ID, endpoint))
    for name, endpoint in commands.FLEET_READS.items()
}
_CALENDAR: Final[Mapping[vol.Marker, Any]] = {
    vol.Exclusive("calendar_data", "events"): cv.match_all,
    vol.Exclusive("calendar_entity_id", "events"): cv.entity_domain("calendar"),
    vol.Optional("hours", default=24): vol.All(vol.Coerce(float), vol.Range(min=1, max=14 * 24)),
}
_CHANGES: Final[VehicleActions] = {
    **{
        command.name: (partial(_send_command, command), _endpoint_schema(ATTR_DEVICE_ID, command))
        for command in (
            commands.REMOTE_START_DRIVE,
            commands.SET_TEMPS,
            commands.SET_VALET_MODE,
            commands.SPEED_LIMIT_ACTIVATE,
            commands.SPEED_LIMIT_CLEAR_PIN,
            commands.SPEED_LIMIT_DEACTIVATE,
            commands.SUN_ROOF_CONTROL,
        )
    },
    commands.UPCOMING_CALENDAR_ENTRIES.name: (
        _send_calendar,
        vehicle_schema(_CALENDAR, cv.has_at_least_one_key("calendar_data", "calendar_entity_id")),
    ),
    **LOG_CHANGES,
}
_LOCATION: Final = vol.Schema(
    {vol.Required("latitude"): cv.latitude, vol.Required("longitude"): cv.longitude}, extra=vol.REMOVE_EXTRA
)
_STOP: Final[Mapping[vol.Marker, Any]] = {
    vol.Required("location"): _LOCATION,
    vol.Optional("order", default="replace"): vol.In(_STOP_ORDERS),
}
_FLAGS_OF_TIMES: Final = {
    "time": "enable",
    "departure_time": "enable",
    "end_off_peak_time": "off_peak_charging_enabled",
}
"""By the time of a schedule, the flag without which the time has no effect."""
_SCHEDULE_FIELDS: Final = {
    vol.Required("days_of_week"): vol.All(cv.ensure_list, [vol.In(DAYS)], vol.Length(min=1)),
    vol.Optional("enabled", default=True): cv.boolean,
    vol.Optional("location"): _LOCATION,
    vol.Optional("one_time"): cv.boolean,
    vol.Optional("id"): cv.positive_int,
}
_SCHEDULE_PLACES: Final[Mapping[vol.Marker, Any]] = {
    vol.Optional(place, default=False): cv.boolean for place in ("home", "work", "other")
}
_SCHEDULE_SCHEMAS: Final[Mapping[Command, vol.Schema]] = {
    commands.SET_SCHEDULED_CHARGING: vehicle_schema(
        {vol.Optional("enable", default=True): cv.boolean, vol.Optional("time"): cv.time}
    ),
    commands.SET_SCHEDULED_DEPARTURE: vehicle_schema(
        {
            vol.Optional("enable", default=True): cv.boolean,
            vol.Optional("departure_time"): cv.time,
            vol.Optional("preconditioning_enabled", default=False): cv.boolean,
            vol.Optional("preconditioning_weekdays_only", default=False): cv.boolean,
            vol.Optional("off_peak_charging_enabled", default=False): cv.boolean,
            vol.Optional("off_peak_charging_weekdays_only", default=False): cv.boolean,
            vol.Optional("end_off_peak_time"): cv.time,
        }
    ),
    commands.ADD_CHARGE_SCHEDULE: vehicle_schema(
        {**_SCHEDULE_FIELDS, vol.Optional("start_time"): cv.time, vol.Optional("end_time"): cv.time},
        cv.has_at_least_one_key("start_time", "end_time"),
    ),
    commands.ADD_PRECONDITION_SCHEDULE: vehicle_schema(
        {**_SCHEDULE_FIELDS, vol.Required("precondition_time"): cv.time}
    ),
    commands.REMOVE_CHARGE_SCHEDULE: vehicle_schema({vol.Required("id"): cv.positive_int}),
    commands.REMOVE_PRECONDITION_SCHEDULE: vehicle_schema({vol.Required("id"): cv.positive_int}),
    commands.BATCH_REMOVE_CHARGE_SCHEDULES: vehicle_schema(_SCHEDULE_PLACES),
    commands.BATCH_REMOVE_PRECONDITION_SCHEDULES: vehicle_schema(_SCHEDULE_PLACES),
}
_FLEET_CHANGES: Final[VehicleActions] = {
    commands.NAVIGATION_REQUEST.name: (_navigate, vehicle_schema({vol.Required("destination"): cv.string})),
    commands.NAVIGATION_GPS_REQUEST.name: (_navigate_to_position, vehicle_schema(_STOP)),
    **{
        command.name: (partial(_set_schedule, command), schema)
        for command, schema in _SCHEDULE_SCHEMAS.items()
    },
    **{
        command.name: (partial(_send_command, command), _endpoint_schema(ATTR_DEVICE_ID, command))
        for command in (
            commands.CHARGE_ON_SOLAR,
            commands.NAVIGATION_WAYPOINTS_REQUEST,
            commands.SET_PIN_TO_DRIVE,
            commands.SET_VEHICLE_NAME,
        )
    },
}
"""The actions for services of the Fleet API's family."""


def register_actions(hass: HomeAssistant) -> None:
    """Register missing actions, some only if an account's service has them. None is ever removed."""
    _register(hass, LOG_READS, POLICY_READ, SupportsResponse.ONLY)
    # A request can cost money, keep the car awake, and delay a command.
    _register(hass, _READS, POLICY_CONTROL, SupportsResponse.ONLY)
    _register(hass, _CHANGES, POLICY_CONTROL)
    service_types = [service_type_of(entry.data) for entry in hass.config_entries.async_entries(DOMAIN)]
    if not service_types or any(service_type.is_fleet for service_type in service_types):
        _register(hass, _FLEET_READS, POLICY_CONTROL, SupportsResponse.ONLY)
        _register(hass, _FLEET_CHANGES, POLICY_CONTROL)
    for name, endpoint in commands.ACCOUNT_ENDPOINTS.items():
        is_offered = not service_types or any(service_type.has(endpoint) for service_type in service_types)
        if not is_offered or hass.services.has_service(DOMAIN, name):
            continue
        response = SupportsResponse.ONLY if endpoint.method == "GET" else SupportsResponse.OPTIONAL
        schema = _endpoint_schema(ATTR_CONFIG_ENTRY_ID, endpoint)
        async_register_admin_service(hass, DOMAIN, name, partial(_call_account, endpoint), schema, response)


def _register(
    hass: HomeAssistant,
    actions: VehicleActions,
    policy: str,
    response: SupportsResponse = SupportsResponse.NONE,
) -> None:
    for name, (action, schema) in actions.items():
        if hass.services.has_service(DOMAIN, name):
            continue
        hass.services.async_register(DOMAIN, name, partial(_call_vehicle, action, policy), schema, response)


async def _call_vehicle(action: VehicleAction, policy: str, call: ServiceCall) -> ServiceResponse:
    vehicle = await find_vehicle(call.hass, call.data[ATTR_DEVICE_ID], call.context, policy)
    return await action(vehicle, call)


async def _call_account(endpoint: Endpoint, call: ServiceCall) -> ServiceResponse:
    """Send an account's request. The interface document does not define the format of the answer."""
    entry: VehicleConfigEntry = async_get_config_entry(call.hass, DOMAIN, call.data[ATTR_CONFIG_ENTRY_ID])
    account = entry.runtime_data
    with translate_errors(call.hass, entry):
        if endpoint.method != "GET" and account.options.is_read_only:
            raise ReadOnlyError(entry.title)
        answer = await account.provider.request(endpoint, **_values(call))
    return {"response": without_secrets(answer)} if call.return_response else None
