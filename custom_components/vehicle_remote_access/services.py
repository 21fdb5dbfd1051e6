"""Actions for endpoints that don't fit an entity, with their names and values of the interface document."""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
import math
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.const import ATTR_CONFIG_ENTRY_ID, ATTR_DEVICE_ID, ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse, SupportsResponse, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.service import async_get_config_entry, async_register_admin_service
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .account.service import service_type_of, translate_errors
from .api.commands import (
    ACCOUNT_ENDPOINTS,
    DATA,
    DATA_REQUESTS,
    MOBILE_ENABLED,
    REMOTE_START_DRIVE,
    SERVICE_DATA,
    SET_TEMPS,
    SET_VALET_MODE,
    SPEED_LIMIT_ACTIVATE,
    SPEED_LIMIT_CLEAR_PIN,
    SPEED_LIMIT_DEACTIVATE,
    SUN_ROOF_CONTROL,
    UPCOMING_CALENDAR_ENTRIES,
    Command,
    Endpoint,
)
from .api.errors import MalformedResponseError, ReadOnlyError
from .api.records import without_secrets
from .api.value_types import FLAG
from .const import DOMAIN
from .coordinator import VehicleConfigEntry
from .drive_log.columns import LARGEST_COST
from .drive_log.entries import LONGEST_NOTE, LONGEST_TAG
from .drive_log.manager import log_units, translate_log_errors
from .drive_log.view import KINDS, LogView
from .vehicle.coordinator import VehicleCoordinator
from .vehicle_access import find_vehicle

type _VehicleAction = Callable[[VehicleCoordinator, ServiceCall], Coroutine[Any, Any, ServiceResponse]]

_RECORDS: Final[dict[str, Endpoint]] = {
    **{
        name: DATA_REQUESTS[name] for name in ("charge_state", "climate_state", "drive_state", "gui_settings")
    },
    "legacy": DATA,
}
_COMMANDS: Final[tuple[Command, ...]] = (
    REMOTE_START_DRIVE,
    SET_TEMPS,
    SET_VALET_MODE,
    SPEED_LIMIT_ACTIVATE,
    SPEED_LIMIT_CLEAR_PIN,
    SPEED_LIMIT_DEACTIVATE,
    SUN_ROOF_CONTROL,
)
_LONGEST_CALENDAR_HOURS: Final = 24 * 14
# Opaque blue. The service requires a color for each calendar, and Home Assistant's calendars have none.
_COLOR: Final = "FF03A9F4"


# Schemas


def _vehicle_schema(fields: Mapping[vol.Marker, Any] | None = None, *checks: Any) -> vol.Schema:
    return vol.Schema(vol.All({vol.Required(ATTR_DEVICE_ID): cv.string, **(fields or {})}, *checks))


def _endpoint_schema(target: str, endpoint: Endpoint) -> vol.Schema:
    """Return the schema of an action for a device or an entry. The endpoint checks the other values."""
    fields: dict[vol.Marker, Any] = {
        vol.Optional(parameter.name): cv.match_all for parameter in endpoint.parameters
    }
    fields[vol.Required(target)] = cv.string
    return vol.Schema(vol.All(_restore_on, fields))


def _restore_on(data: dict[Any, Any]) -> dict[Any, Any]:
    """Return an action's data. YAML reads an unquoted key `on` as true."""
    return {"on" if name is True else name: value for name, value in data.items()}


def _values(call: ServiceCall) -> dict[str, Any]:
    """Return the values to send. A template without a result is null, and such values are left out."""
    target = (ATTR_DEVICE_ID, ATTR_CONFIG_ENTRY_ID)
    return {name: value for name, value in call.data.items() if name not in target and value is not None}


# Commands


async def _send_command(command: Command, vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    await vehicle.commands.async_send(command, **_values(call))


async def _send_calendar(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    """Show calendar events on the car's screen."""
    data = vehicle.data
    if data.calendar_enabled is False or data.vehicle_state.calendar_supported is False:
        raise ServiceValidationError(translation_domain=DOMAIN, translation_key="calendar_off")
    calendar_data = call.data.get("calendar_data")
    if (entity_id := call.data.get("calendar_entity_id")) is not None:
        calendar_data = await _calendar_data(call, entity_id, vehicle.config_entry.entry_id)
    await vehicle.commands.async_send(UPCOMING_CALENDAR_ENTRIES, calendar_data=calendar_data)


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
    response: Any = await call.hass.services.async_call(
        "calendar",
        "get_events",
        {
            ATTR_ENTITY_ID: entity_id,
            "start_date_time": now,
            "end_date_time": now + timedelta(hours=call.data["hours"]),
        },
        blocking=True,
        return_response=True,
        context=call.context,
    )
    return {
        "access_disabled": False,
        "calendars": [
            {"name": calendar.name, "color": _COLOR, "events": _events(response[entity_id]["events"])}
        ],
        "phone_name": call.hass.config.location_name,
        # With the same id, the car replaces the events that it got before.
        "uuid": str(uuid5(NAMESPACE_URL, f"{DOMAIN}:{entry_id}")),
    }


def _events(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
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
    """Return the Unix time of a date and time, or of the local midnight at which a day starts."""
    return round(dt_util.as_utc(datetime.fromisoformat(text)).timestamp() * 1000)


# Reads


async def _get_vehicle_data(vehicle: VehicleCoordinator, call: ServiceCall) -> ServiceResponse:
    """Return the car's live data, or one record of it, without changes."""
    if (record := call.data.get("record")) is None:
        return _response(await vehicle.async_request_all())
    return _response(await vehicle.async_request(_RECORDS[record]))


async def _get_service_data(vehicle: VehicleCoordinator, _call: ServiceCall) -> ServiceResponse:
    """Return service-center data. It is empty if the car isn't there."""
    return _response(await vehicle.async_request(SERVICE_DATA) or {})


async def _get_mobile_enabled(vehicle: VehicleCoordinator, _call: ServiceCall) -> ServiceResponse:
    """Return whether mobile access is on. Newer services wrap the boolean in an object."""
    answer = await vehicle.async_request(MOBILE_ENABLED)
    is_enabled = FLAG.read(answer.get("result") if isinstance(answer, dict) else answer)
    with vehicle.translate_errors():
        if is_enabled is None:
            raise MalformedResponseError
    return {"mobile_enabled": is_enabled}


def _response(answer: Any) -> ServiceResponse:
    """Return a service's answer as an action's response, which must be an object."""
    cleaned = without_secrets(answer)
    return cleaned if isinstance(cleaned, dict) else {"response": cleaned}


# The log


async def _get_log(vehicle: VehicleCoordinator, call: ServiceCall) -> ServiceResponse:
    start, end = call.data.get("start"), call.data.get("end")
    return LogView(vehicle.log, log_units(call.hass)).period(
        # A time without a time zone is local.
        dt_util.as_utc(start).timestamp() if start else -math.inf,
        dt_util.as_utc(end).timestamp() if end else math.inf,
        (call.data["kind"],) if "kind" in call.data else KINDS,
    )


async def _update_log_entry(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    """Change the tag, the note or the cost of an entry. None deletes it."""
    values = {name: call.data[name] for name in ("tag", "note", "cost") if name in call.data}
    if "cost" in values:
        values["currency"] = None if values["cost"] is None else call.hass.config.currency
    with _edit(vehicle):
        vehicle.log.update(call.data["id"], values)


async def _merge_drives(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    with _edit(vehicle):
        vehicle.log.merge_drives(call.data["ids"])


async def _delete_log_entry(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    with _edit(vehicle):
        deleted = vehicle.log.delete(call.data["id"])
    await vehicle.log_manager.samples.delete(deleted)


@contextmanager
def _edit(vehicle: VehicleCoordinator) -> Iterator[None]:
    """Store a change of the log, or raise ServiceValidationError."""
    with translate_log_errors():
        yield
    vehicle.log_manager.edited()


# The tables of actions: what each does, and what it accepts

_READS: Final[Mapping[str, tuple[_VehicleAction, vol.Schema]]] = {
    "get_vehicle_data": (_get_vehicle_data, _vehicle_schema({vol.Optional("record"): vol.In(_RECORDS)})),
    "get_service_data": (_get_service_data, _vehicle_schema()),
    "get_mobile_enabled": (_get_mobile_enabled, _vehicle_schema()),
    "get_log": (
        _get_log,
        _vehicle_schema(
            {
                vol.Optional("start"): cv.datetime,
                vol.Optional("end"): cv.datetime,
                vol.Optional("kind"): vol.In(KINDS),
            }
        ),
    ),
}
_CHANGES: Final[Mapping[str, tuple[_VehicleAction, vol.Schema]]] = {
    **{
        command.name: (partial(_send_command, command), _endpoint_schema(ATTR_DEVICE_ID, command))
        for command in _COMMANDS
    },
    UPCOMING_CALENDAR_ENTRIES.name: (
        _send_calendar,
        _vehicle_schema(
            {
                vol.Exclusive("calendar_data", "events"): cv.match_all,
                vol.Exclusive("calendar_entity_id", "events"): cv.entity_domain("calendar"),
                vol.Optional("hours", default=24): vol.All(
                    vol.Coerce(float), vol.Range(min=1, max=_LONGEST_CALENDAR_HOURS)
                ),
            },
            cv.has_at_least_one_key("calendar_data", "calendar_entity_id"),
        ),
    ),
    "update_log_entry": (
        _update_log_entry,
        _vehicle_schema(
            {
                vol.Required("id"): cv.string,
                vol.Optional("tag"): vol.Any(None, vol.All(cv.string, vol.Length(max=LONGEST_TAG))),
                vol.Optional("note"): vol.Any(None, vol.All(cv.string, vol.Length(max=LONGEST_NOTE))),
                # At a negative price, the owner is paid for charging.
                vol.Optional("cost"): vol.Any(
                    None, vol.All(vol.Coerce(float), vol.Range(min=-LARGEST_COST, max=LARGEST_COST))
                ),
            }
        ),
    ),
    "merge_drives": (
        _merge_drives,
        _vehicle_schema({vol.Required("ids"): vol.All(cv.ensure_list, [cv.string], vol.Length(min=2))}),
    ),
    "delete_log_entry": (_delete_log_entry, _vehicle_schema({vol.Required("id"): cv.string})),
}


# Registration


@callback
def register_actions(hass: HomeAssistant) -> None:
    for actions, policy, response in (
        (_READS, POLICY_READ, SupportsResponse.ONLY),
        (_CHANGES, POLICY_CONTROL, SupportsResponse.NONE),
    ):
        for name, (action, schema) in actions.items():
            hass.services.async_register(DOMAIN, name, partial(_act, action, policy), schema, response)
    register_account_actions(hass)


async def _act(action: _VehicleAction, policy: str, call: ServiceCall) -> ServiceResponse:
    device_id = call.data[ATTR_DEVICE_ID]
    vehicle = await find_vehicle(call.hass, device_id, call.context, policy)
    return await action(vehicle, call)


@callback
def register_account_actions(hass: HomeAssistant) -> None:
    """Register the account's actions that the service of an account has, unless they are registered."""
    service_types = [service_type_of(entry.data) for entry in hass.config_entries.async_entries(DOMAIN)]
    for name, endpoint in ACCOUNT_ENDPOINTS.items():
        is_offered = not service_types or any(each.has(endpoint) for each in service_types)
        if not is_offered or hass.services.has_service(DOMAIN, name):
            continue
        response = SupportsResponse.ONLY if endpoint.method == "GET" else SupportsResponse.OPTIONAL
        schema = _endpoint_schema(ATTR_CONFIG_ENTRY_ID, endpoint)
        async_register_admin_service(hass, DOMAIN, name, partial(_request, endpoint), schema, response)


async def _request(endpoint: Endpoint, call: ServiceCall) -> ServiceResponse:
    """Send a request of an account. The interface document does not define the format of the answer."""
    entry: VehicleConfigEntry = async_get_config_entry(call.hass, DOMAIN, call.data[ATTR_CONFIG_ENTRY_ID])
    account = entry.runtime_data
    with translate_errors(call.hass, entry):
        if endpoint.method != "GET" and account.options.is_read_only:
            raise ReadOnlyError(entry.title)
        answer = await account.service.client.request(endpoint, **_values(call))
    return {"response": without_secrets(answer)} if call.return_response else None
