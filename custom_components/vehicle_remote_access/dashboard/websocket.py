"""The log for the dashboard: pages of entries, and a subscription to what changes."""

from collections.abc import Awaitable, Callable, Mapping
import time
from typing import Any, Final

from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.components.websocket_api import ActiveConnection, async_register_command, async_response
from homeassistant.components.websocket_api.messages import BASE_COMMAND_MESSAGE_SCHEMA, event_message
from homeassistant.const import ATTR_DEVICE_ID
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.typing import VolDictType
import voluptuous as vol

from ..const import DOMAIN
from ..drive_log.drive_log import Changes, DriveLog
from ..drive_log.manager import log_signal, log_units, log_view, translate_log_errors
from ..drive_log.search import search_page
from ..drive_log.totals import battery_totals, latest_entries, month_totals
from ..drive_log.tracks import drive_tracks, visited_places
from ..drive_log.view import shown_samples
from ..vehicle.coordinator import VehicleCoordinator
from ..vehicle_access import find_vehicle, has_permission
from .download import FILTER, days_with_entries, filter_of, limits_of

_LARGEST_LIMIT: Final = 1000

type _Message = dict[str, Any]
type _Answer = Callable[[VehicleCoordinator, ActiveConnection, _Message], Awaitable[Any]]


async def _list(vehicle: VehicleCoordinator, connection: ActiveConnection, message: _Message) -> Any:
    """Return a page of entries that have ended, newest first, and all tags of the log."""
    wanted = filter_of(vehicle.hass, message)
    found = search_page(log_view(vehicle.hass, vehicle.log), message.get("before"), message["limit"], wanted)
    can_edit = has_permission(vehicle.hass, message[ATTR_DEVICE_ID], connection.user, POLICY_CONTROL)
    return {**found, "can_edit": can_edit}


async def _subscribe(vehicle: VehicleCoordinator, connection: ActiveConnection, message: _Message) -> None:
    """Send the entries that have not ended: now, after each change of these, and after changes of the log."""
    hass = vehicle.hass
    last: dict[str, Any] = {}

    # After a reload of the account, the signal comes with another object of the same log.
    @callback
    def send(log: DriveLog, _changes: Changes) -> None:
        nonlocal last
        # The permission can be revoked at any time.
        if not has_permission(hass, message[ATTR_DEVICE_ID], connection.user, POLICY_READ):
            return
        view = log_view(hass, log)
        shown = [
            {**view.shown_with_kind(each), "goes_on": log.goes_on(each)} for each in view.open_entries.all
        ]
        event = {"revision": log.revision, "open": shown}
        if event != last:
            last = event
            connection.send_message(event_message(message["id"], event))

    signal = log_signal(vehicle.subentry_id)
    connection.subscriptions[message["id"]] = async_dispatcher_connect(hass, signal, send)
    # The result of the command comes first.
    hass.loop.call_soon(send, vehicle.log, Changes())


async def _detail(vehicle: VehicleCoordinator, _: ActiveConnection, message: _Message) -> Any:
    """Return the samples of a drive or a charge, also if it has not ended."""
    with translate_log_errors():
        entry = vehicle.log.find(message["entry_id"])
    return shown_samples(await vehicle.log_manager.samples.load(entry), log_units(vehicle.hass))


async def _map(vehicle: VehicleCoordinator, _: ActiveConnection, message: _Message) -> dict[str, Any]:
    entries = log_view(vehicle.hass, vehicle.log).entries
    drives = entries.begun(*limits_of(vehicle.hass, message.get("period"))).drives
    samples = await vehicle.log_manager.samples.load_months(drives)
    # Many points take longer than the event loop should be blocked.
    return await vehicle.hass.async_add_executor_job(
        lambda: {
            "tracks": drive_tracks(drives, samples.of_drives(drives)),
            "places": visited_places(drives),
        }
    )


async def _latest(vehicle: VehicleCoordinator, *_: object) -> Any:
    return latest_entries(log_view(vehicle.hass, vehicle.log), time.time())


async def _months(vehicle: VehicleCoordinator, *_: object) -> Any:
    view = log_view(vehicle.hass, vehicle.log.snapshot())
    # A long log takes longer than the event loop should be blocked.
    return await vehicle.hass.async_add_executor_job(month_totals, view, time.time())


async def _battery(vehicle: VehicleCoordinator, *_: object) -> Any:
    return battery_totals(log_view(vehicle.hass, vehicle.log))


async def _span(vehicle: VehicleCoordinator, *_: object) -> dict[str, str | None]:
    """Return the first and the last month with an entry, so that the user can choose one between them."""
    days = days_with_entries(vehicle.log, log_units(vehicle.hass))
    first, last = (day[:7] for day in days) if days else (None, None)
    return {"first": first, "last": last}


_SEARCH: Final[VolDictType] = {
    # Unix seconds: the `next` of the page before. Without it, the newest entries are returned.
    vol.Optional("before"): vol.Coerce(float),
    vol.Optional("limit", default=100): vol.All(int, vol.Range(min=1, max=_LARGEST_LIMIT)),
    **FILTER,
}
_COMMANDS: Final[Mapping[str, tuple[_Answer, VolDictType]]] = {
    f"{DOMAIN}/log/list": (_list, _SEARCH),
    f"{DOMAIN}/log/subscribe": (_subscribe, {}),
    f"{DOMAIN}/log/detail": (_detail, {vol.Required("entry_id"): cv.string}),
    f"{DOMAIN}/log/map": (_map, {vol.Optional("period"): cv.string}),
    f"{DOMAIN}/log/latest": (_latest, {}),
    f"{DOMAIN}/log/months": (_months, {}),
    f"{DOMAIN}/log/battery": (_battery, {}),
    f"{DOMAIN}/log/span": (_span, {}),
}
"""By command, the function that returns its result, and the values in its message besides the device."""


def register_log_commands(hass: HomeAssistant) -> None:
    for name, (_, values) in _COMMANDS.items():
        message = {vol.Required("type"): name, vol.Required(ATTR_DEVICE_ID): cv.string, **values}
        async_register_command(hass, name, _respond, BASE_COMMAND_MESSAGE_SCHEMA.extend(message))


@async_response
async def _respond(hass: HomeAssistant, connection: ActiveConnection, message: _Message) -> None:
    """Send the result of a command. A user needs the same permission as for `get_log`."""
    context = connection.context(message)
    vehicle = await find_vehicle(hass, message[ATTR_DEVICE_ID], context, POLICY_READ)
    answer, _ = _COMMANDS[message["type"]]
    connection.send_result(message["id"], await answer(vehicle, connection, message))
