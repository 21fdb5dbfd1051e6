"""Actions: what of the interface no entity can carry, under the interface's own names.

Interface document, "Endpoints". What an action may be given stands in the table of commands.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.const import ATTR_DEVICE_ID, ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse, SupportsResponse, callback
from homeassistant.exceptions import ServiceValidationError, Unauthorized, UnknownUser
from homeassistant.helpers import config_validation as cv, device_registry as dr, entity_registry as er
from homeassistant.helpers.service import async_get_config_entry, async_register_admin_service
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .account.service import asked_by_a_person
from .api.commands import (
    CONFIRM_NOTIFICATIONS,
    DATA,
    DATA_REQUESTS,
    GET_NOTIFICATION_PREFERENCES,
    GET_VEHICLE_SUBSCRIPTIONS,
    MOBILE_ENABLED,
    REMOTE_START_DRIVE,
    SERVICE_DATA,
    SET_NOTIFICATION_PREFERENCES,
    SET_TEMPS,
    SET_VALET_MODE,
    SET_VEHICLE_SUBSCRIPTIONS,
    SPEED_LIMIT_ACTIVATE,
    SPEED_LIMIT_CLEAR_PIN,
    SPEED_LIMIT_DEACTIVATE,
    SUN_ROOF_CONTROL,
    UPCOMING_CALENDAR_ENTRIES,
    Command,
    Endpoint,
)
from .api.errors import MalformedAnswerError, ReadOnlyError
from .api.records import Vehicle, VehicleState, without_secrets
from .api.value_types import FLAG
from .const import DOMAIN
from .coordinator import VehicleConfigEntry, VehicleCoordinator

type _Answering = Callable[[ServiceCall], Coroutine[Any, Any, ServiceResponse]]
type _Sending = Callable[[ServiceCall], Coroutine[Any, Any, None]]

_RECORDS: Final[dict[str, Endpoint]] = {
    **{
        name: DATA_REQUESTS[name] for name in ("charge_state", "climate_state", "drive_state", "gui_settings")
    },
    "legacy": DATA,
}
COMMAND_ACTIONS: Final[tuple[Command, ...]] = (
    REMOTE_START_DRIVE,
    SET_TEMPS,
    SET_VALET_MODE,
    SPEED_LIMIT_ACTIVATE,
    SPEED_LIMIT_CLEAR_PIN,
    SPEED_LIMIT_DEACTIVATE,
    SUN_ROOF_CONTROL,
)
ACCOUNT_ACTIONS: Final[dict[str, Endpoint]] = {
    "get_vehicle_subscriptions": GET_VEHICLE_SUBSCRIPTIONS,
    "set_vehicle_subscriptions": SET_VEHICLE_SUBSCRIPTIONS,
    "get_notification_preferences": GET_NOTIFICATION_PREFERENCES,
    "set_notification_preferences": SET_NOTIFICATION_PREFERENCES,
    "confirm_notifications": CONFIRM_NOTIFICATIONS,
}
_LONGEST_LOOK_AHEAD: Final = 24 * 14
# Opaque blue: the service wants a colour for each calendar, and Home Assistant's calendars have none.
_COLOR: Final = "FF03A9F4"

_OF_VEHICLE: Final[dict[vol.Marker, Any]] = {vol.Required(ATTR_DEVICE_ID): cv.string}
_OF_ACCOUNT: Final[dict[vol.Marker, Any]] = {vol.Required("config_entry_id"): cv.string}
_CALENDAR: Final = vol.Schema(
    vol.All(
        {
            **_OF_VEHICLE,
            vol.Exclusive("calendar_data", "events"): cv.match_all,
            vol.Exclusive("calendar_entity_id", "events"): cv.entity_domain("calendar"),
            vol.Optional("hours", default=24): vol.All(
                vol.Coerce(float), vol.Range(min=1, max=_LONGEST_LOOK_AHEAD)
            ),
        },
        cv.has_at_least_one_key("calendar_data", "calendar_entity_id"),
    )
)
_VEHICLE_DATA: Final = vol.Schema({**_OF_VEHICLE, vol.Optional("record"): vol.In(_RECORDS)})


@callback
def register_actions(hass: HomeAssistant) -> None:
    """Register all actions."""
    register = hass.services.async_register
    for command in COMMAND_ACTIONS:
        register(DOMAIN, command.name, _sending(command), _schema(_OF_VEHICLE, command))
    register(DOMAIN, UPCOMING_CALENDAR_ENTRIES.name, _send_calendar, _CALENDAR)
    for name, read, schema in (
        ("get_vehicle_data", _vehicle_data, _VEHICLE_DATA),
        ("get_service_data", _service_data, vol.Schema(_OF_VEHICLE)),
        ("get_mobile_enabled", _mobile_enabled, vol.Schema(_OF_VEHICLE)),
    ):
        register(DOMAIN, name, read, schema, SupportsResponse.ONLY)
    for name, endpoint in ACCOUNT_ACTIONS.items():
        returns = SupportsResponse.ONLY if endpoint.method == "GET" else SupportsResponse.OPTIONAL
        takes = _schema(_OF_ACCOUNT, endpoint)
        async_register_admin_service(hass, DOMAIN, name, _asking(endpoint), takes, returns)


def _schema(of: Mapping[Any, Any], endpoint: Endpoint) -> vol.Schema:
    """Return what an action takes; what its values may be is the table's to say, in better words."""
    takes_parts = isinstance(endpoint, Command) and endpoint.takes_parts
    names = [each.name for each in endpoint.parameters]
    needed = [each.name for each in endpoint.parameters if each.required and not takes_parts]
    needed += ["payload"] if endpoint.takes_payload else []
    fields = {
        **of,
        **{vol.Required(name): cv.match_all for name in needed},
        **{vol.Optional(name): cv.match_all for name in names if name not in needed},
    }
    parts = [cv.has_at_least_one_key(*names)] if takes_parts else []
    return vol.Schema(vol.All(_spelled_out, fields, *parts))


def _spelled_out(data: dict[Any, Any]) -> dict[Any, Any]:
    """Return what an action was given. YAML takes an unquoted `on` for the value true, also as a name."""
    return {"on" if name is True else name: value for name, value in data.items()}


def _values(call: ServiceCall) -> dict[str, Any]:
    """Return what is to be sent. A template that finds nothing gives null: that is left out."""
    addressed = (ATTR_DEVICE_ID, "config_entry_id")
    return {name: value for name, value in call.data.items() if name not in addressed and value is not None}


async def _vehicle(call: ServiceCall, policy: str) -> VehicleCoordinator:
    """Return the vehicle of an action's device.

    Raises Unauthorized unless the user has the permission, `POLICY_READ` or `POLICY_CONTROL`, for all enabled
    entities of the car. A call without a user, as of an automation that starts by itself, has it.
    """
    devices = dr.async_get(call.hass)
    for entry in call.hass.config_entries.async_entries(DOMAIN):
        for subentry in entry.subentries.values():
            identifier = (DOMAIN, str(subentry.unique_id))
            device = devices.async_get_device_by_identifier(identifier, entry.entry_id)
            if device is None or device.id != call.data[ATTR_DEVICE_ID]:
                continue
            await _check_permission(call, device.id, policy)
            loaded: VehicleConfigEntry = async_get_config_entry(call.hass, DOMAIN, entry.entry_id)
            if (vehicle := loaded.runtime_data.vehicles.get(subentry.subentry_id)) is not None:
                return vehicle
    raise ServiceValidationError(translation_domain=DOMAIN, translation_key="not_a_vehicle")


async def _check_permission(call: ServiceCall, device_id: str, policy: str) -> None:
    if call.context.user_id is None:
        return
    about: dict[str, Any] = {"context": call.context, "permission": policy}
    user = await call.hass.auth.async_get_user(call.context.user_id)
    if user is None:
        raise UnknownUser(**about)
    if user.permissions.access_all_entities(policy):
        return
    registered = er.async_entries_for_device(er.async_get(call.hass), device_id)
    entities = [each.entity_id for each in registered if each.platform == DOMAIN]
    if not entities or not all(user.permissions.check_entity(each, policy) for each in entities):
        raise Unauthorized(**about)


# Commands


def _sending(command: Command) -> _Sending:
    async def send(call: ServiceCall) -> None:
        """Send the command."""
        vehicle = await _vehicle(call, POLICY_CONTROL)
        await vehicle.orders.send(command, **_values(call))

    return send


async def _send_calendar(call: ServiceCall) -> None:
    """Show appointments on the car's screen."""
    vehicle = await _vehicle(call, POLICY_CONTROL)
    gates = (Vehicle.calendar_enabled, VehicleState.calendar_supported)
    if False in [gate.of(vehicle.data) for gate in gates]:
        raise ServiceValidationError(translation_domain=DOMAIN, translation_key="calendar_off")
    calendar_data = call.data.get("calendar_data")
    if (entity_id := call.data.get("calendar_entity_id")) is not None:
        calendar_data = await _calendar(call, entity_id, vehicle.config_entry.entry_id)
    await vehicle.orders.send(UPCOMING_CALENDAR_ENTRIES, calendar_data=calendar_data)


async def _calendar(call: ServiceCall, entity_id: str, entry_id: str) -> dict[str, Any]:
    """Return the next appointments of a calendar of Home Assistant as the car takes them."""
    calendar = call.hass.states.get(entity_id)
    if calendar is None:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="no_calendar",
            translation_placeholders={"entity_id": entity_id},
        )
    now = dt_util.now()
    found: Any = await call.hass.services.async_call(
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
            {"name": calendar.name, "color": _COLOR, "events": _events(found[entity_id]["events"])}
        ],
        "phone_name": call.hass.config.location_name,
        # The same at every time, so that the car replaces what it was sent before.
        "uuid": str(uuid5(NAMESPACE_URL, f"{DOMAIN}:{entry_id}")),
    }


def _events(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
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
        for event in found
    ]


def _milliseconds(text: str) -> int:
    """Return a moment since 1970; of a day, its first where people live."""
    return round(dt_util.as_utc(datetime.fromisoformat(text)).timestamp() * 1000)


# Reads


async def _vehicle_data(call: ServiceCall) -> ServiceResponse:
    """Return all that the car says now, or one record of it, as it came."""
    vehicle = await _vehicle(call, POLICY_READ)
    record = call.data.get("record")
    if record is None:
        return _answered(await vehicle.ask_for_all())
    return _answered(await vehicle.ask(_RECORDS[record]))


async def _service_data(call: ServiceCall) -> ServiceResponse:
    """Return what the workshop says; empty if the car is not there."""
    vehicle = await _vehicle(call, POLICY_READ)
    return _answered(await vehicle.ask(SERVICE_DATA) or {})


async def _mobile_enabled(call: ServiceCall) -> ServiceResponse:
    """Return whether the car lets itself be reached. Newer services answer with a result."""
    vehicle = await _vehicle(call, POLICY_READ)
    answer = await vehicle.ask(MOBILE_ENABLED)
    is_enabled = FLAG.read(answer.get("result") if isinstance(answer, dict) else answer)
    async with vehicle.asked_by_a_person():
        if is_enabled is None:
            raise MalformedAnswerError
    return {"mobile_enabled": is_enabled}


def _answered(answer: Any) -> ServiceResponse:
    """Return an answer as a response, which has to be an object."""
    cleaned = without_secrets(answer)
    return cleaned if isinstance(cleaned, dict) else {"response": cleaned}


# The account


def _asking(endpoint: Endpoint) -> _Answering:
    async def ask(call: ServiceCall) -> ServiceResponse:
        """Ask the service, and return what it says. What that looks like, the interface leaves open."""
        entry: VehicleConfigEntry = async_get_config_entry(call.hass, DOMAIN, call.data["config_entry_id"])
        account = entry.runtime_data
        with asked_by_a_person(account, entry):
            if endpoint.method != "GET" and account.settings.is_read_only:
                raise ReadOnlyError(entry.title)
            answer = await account.connection.client.request(endpoint, **_values(call))
        return {"response": without_secrets(answer)} if call.return_response else None

    return ask
