"""The log for the dashboard: pages of entries, and a subscription to what changes."""

import time
from typing import Any, Final

from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.components.websocket_api import async_register_command
from homeassistant.components.websocket_api.connection import ActiveConnection
from homeassistant.components.websocket_api.decorators import async_response, websocket_command
from homeassistant.components.websocket_api.messages import event_message
from homeassistant.const import ATTR_DEVICE_ID
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.dispatcher import async_dispatcher_connect
import voluptuous as vol

from ..const import DOMAIN
from ..drive_log.drive_log import Changes, DriveLog
from ..drive_log.entries import KINDS
from ..drive_log.manager import log_signal, log_units, log_view, translate_log_errors
from ..drive_log.search import LONGEST_SEARCH, LogFilter, page
from ..drive_log.totals import battery, months
from ..drive_log.tracks import tracks
from ..drive_log.view import shown_samples
from ..vehicle.coordinator import VehicleCoordinator
from ..vehicle_access import find_vehicle, has_permission, may_use
from .download import days_with_entries, period_of

LIST: Final = f"{DOMAIN}/log/list"
SUBSCRIBE: Final = f"{DOMAIN}/log/subscribe"
MAP: Final = f"{DOMAIN}/log/map"
DETAIL: Final = f"{DOMAIN}/log/detail"
MONTHS: Final = f"{DOMAIN}/log/months"
BATTERY: Final = f"{DOMAIN}/log/battery"
SPAN: Final = f"{DOMAIN}/log/span"
_DEFAULT_LIMIT: Final = 100
_LARGEST_LIMIT: Final = 1000
_TEXT: Final = vol.All(cv.string, vol.Length(max=LONGEST_SEARCH))


@callback
def register_log_commands(hass: HomeAssistant) -> None:
    """Register the commands. A user needs the same permission as for `get_log`."""
    for command in (_list, _subscribe, _detail, _map, _months, _battery, _span):
        async_register_command(hass, command)


@websocket_command(
    {
        vol.Required("type"): LIST,
        vol.Required(ATTR_DEVICE_ID): cv.string,
        # Unix seconds: the `next` of the page before. Without it, the newest entries are returned.
        vol.Optional("before"): vol.Coerce(float),
        vol.Optional("limit", default=_DEFAULT_LIMIT): vol.All(int, vol.Range(min=1, max=_LARGEST_LIMIT)),
        vol.Optional("kind"): vol.In(KINDS),
        # A year or a month
        vol.Optional("period"): cv.string,
        vol.Optional("text", default=""): _TEXT,
        # The tag whose name is the text, in the user's language
        vol.Optional("named_tag"): _TEXT,
        vol.Optional("tag"): _TEXT,
        vol.Optional("longer_than"): vol.Coerce(float),
        vol.Optional("without_cost", default=False): bool,
    }
)
@async_response
async def _list(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    """Return a page of entries that have ended, newest first, and all tags of the log."""
    vehicle = await _vehicle(hass, connection, message)
    start, end = _limits(hass, message)
    wanted = LogFilter(
        kinds=(message["kind"],) if "kind" in message else KINDS,
        start=start,
        end=end,
        text=message["text"].strip(),
        named_tag=message.get("named_tag"),
        tag=message.get("tag"),
        longer_than=message.get("longer_than"),
        without_cost=message["without_cost"],
    )
    found = page(log_view(hass, vehicle.log), message.get("before"), message["limit"], wanted)
    context = connection.context(message)
    can_edit = await may_use(hass, message[ATTR_DEVICE_ID], context, POLICY_CONTROL)
    connection.send_result(message["id"], {**found, "can_edit": can_edit})


@websocket_command({vol.Required("type"): SUBSCRIBE, vol.Required(ATTR_DEVICE_ID): cv.string})
@async_response
async def _subscribe(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    """Send what has not ended, now and after each change of it, and after each change of the log."""
    vehicle = await _vehicle(hass, connection, message)
    last: dict[str, Any] = {}

    # After a reload of the account, the signal comes with another object of the same log.
    @callback
    def send(log: DriveLog, _changes: Changes) -> None:
        nonlocal last
        # The permission can be revoked at any time.
        if not has_permission(hass, message[ATTR_DEVICE_ID], connection.user, POLICY_READ):
            return
        view = log_view(hass, log)
        event = {"revision": log.revision, "open": list(map(view.shown_with_kind, view.open_entries.all))}
        if event != last:
            last = event
            connection.send_message(event_message(message["id"], event))

    connection.subscriptions[message["id"]] = async_dispatcher_connect(
        hass, log_signal(vehicle.subentry_id), send
    )
    connection.send_result(message["id"])
    send(vehicle.log, Changes())


@websocket_command(
    {
        vol.Required("type"): DETAIL,
        vol.Required(ATTR_DEVICE_ID): cv.string,
        vol.Required("entry_id"): cv.string,
    }
)
@async_response
async def _detail(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    """Return the samples of a drive or a charge, also if it has not ended."""
    vehicle = await _vehicle(hass, connection, message)
    with translate_log_errors():
        entry = vehicle.log.find(message["entry_id"])
    samples = await vehicle.log_manager.samples.load(entry)
    connection.send_result(message["id"], shown_samples(samples, log_units(hass)))


@websocket_command(
    {vol.Required("type"): MAP, vol.Required(ATTR_DEVICE_ID): cv.string, vol.Required("period"): cv.string}
)
@async_response
async def _map(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    """Return where the car was in a period."""
    vehicle = await _vehicle(hass, connection, message)
    drives = vehicle.log.entries.begun(*_limits(hass, message)).drives
    samples = await vehicle.log_manager.samples.load_months(drives)
    # Many points take longer than the event loop should be blocked.
    found = await hass.async_add_executor_job(lambda: tracks(drives, samples.of_drives(drives)))
    connection.send_result(message["id"], {"tracks": found})


@websocket_command({vol.Required("type"): MONTHS, vol.Required(ATTR_DEVICE_ID): cv.string})
@async_response
async def _months(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    vehicle = await _vehicle(hass, connection, message)
    view = log_view(hass, vehicle.log.snapshot())
    # A long log takes longer than the event loop should be blocked.
    connection.send_result(message["id"], await hass.async_add_executor_job(months, view, time.time()))


@websocket_command({vol.Required("type"): BATTERY, vol.Required(ATTR_DEVICE_ID): cv.string})
@async_response
async def _battery(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    vehicle = await _vehicle(hass, connection, message)
    connection.send_result(message["id"], battery(log_view(hass, vehicle.log)))


@websocket_command({vol.Required("type"): SPAN, vol.Required(ATTR_DEVICE_ID): cv.string})
@async_response
async def _span(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    """Send the first and the last month with an entry, so that the user can choose one between them."""
    vehicle = await _vehicle(hass, connection, message)
    months: list[str | None] = [day[:7] for day in days_with_entries(vehicle.log, log_units(hass))]
    first, last = months or [None, None]
    connection.send_result(message["id"], {"first": first, "last": last})


def _limits(hass: HomeAssistant, message: dict[str, Any]) -> tuple[float, float]:
    """Return the start and the end of the period, a year or a month. Raises vol.Invalid."""
    try:
        return period_of(message.get("period"), log_units(hass).zone)
    except (OverflowError, ValueError) as error:
        raise vol.Invalid(str(error), path=["period"]) from error


async def _vehicle(
    hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]
) -> VehicleCoordinator:
    return await find_vehicle(hass, message[ATTR_DEVICE_ID], connection.context(message), POLICY_READ)
