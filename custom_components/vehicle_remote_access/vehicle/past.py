"""Reads and imports what the service itself has recorded of a vehicle."""

from collections.abc import Callable
import time
from typing import Any, Final

from homeassistant.components import persistent_notification
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.translation import async_get_translations

from ..account.markdown import escape_markdown
from ..account.provider import translate_error
from ..api.commands import PAST
from ..api.errors import MalformedResponseError, ServiceError
from ..const import CONF_IMPORT_PAST, DOMAIN
from ..drive_log.importer import LogFile, new_entries, read_rows, summarize
from ..drive_log.manager import log_units, log_zones
from ..drive_log.tessie import past_rows
from ..util.local_time import DAY
from .coordinator import VehicleCoordinator

_PERIOD: Final = 91 * DAY
# It is not documented whether an entry that began before a period, or ends after it, is in the answer.
_OVERLAP: Final = 7 * DAY
_MOST_EMPTY: Final = 4
"""So many periods without a new entry are before the first entry."""


async def read_past(vehicle: VehicleCoordinator, on_progress: Callable[[float], None]) -> LogFile:
    """Return what the service has recorded, without asking the car. Raises ServiceError."""
    past: dict[tuple[str, str], Any] = {}
    end, periods, empty = time.time(), 0, 0
    while empty < _MOST_EMPTY:
        before, period = len(past), {"from": end - _PERIOD - _OVERLAP, "to": end}
        for kind, endpoint in PAST.items():
            answer = await vehicle.provider.request(endpoint, vehicle.known.path_id, **period)
            if not isinstance(entries := answer.get("results"), list):
                raise MalformedResponseError
            # An entry can be in two answers.
            past |= {(kind, repr(entry)): entry for entry in entries}
        periods, end = periods + 1, end - _PERIOD
        empty = empty + 1 if len(past) == before else 0
        on_progress(periods / (periods + _MOST_EMPTY - empty))
    hass, found = vehicle.hass, [(kind, entry) for (kind, _), entry in past.items()]
    rows = past_rows(found, log_zones(hass), keep_positions=vehicle.known.options.keep_positions)
    return await hass.async_add_executor_job(read_rows, rows, log_units(hass), time.time())


async def import_past(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Import the past of a new account's vehicles, again after a restart, and notify the owner."""
    texts = await async_get_translations(hass, hass.config.language, "common", {DOMAIN})
    for vehicle in list(entry.runtime_data.vehicles.values()):
        try:
            file = await read_past(vehicle, lambda _: None)
            if vehicle.known.is_shut_down:
                # The car was removed in the meantime.
                continue
            new = new_entries(vehicle.log, file.entries)
            key, values = "past_imported", summarize(file, new, log_units(hass))
            await vehicle.log_manager.async_insert(file.entries)
        except ServiceError as error:
            reason = str(translate_error(error, HomeAssistantError))
            key, values = "past_failed", {"reason": escape_markdown(reason)}
        text = texts[f"component.{DOMAIN}.common.{key}"].format(name=escape_markdown(vehicle.title), **values)
        persistent_notification.async_create(hass, text, entry.title, f"{DOMAIN}_{vehicle.subentry_id}")
    options = {name: value for name, value in entry.options.items() if name != CONF_IMPORT_PAST}
    hass.config_entries.async_update_entry(entry, options=options)
