"""The actions of the log: what each does, and what it accepts."""

import math
from typing import Any, Final

from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .drive_log.columns import LARGEST_COST
from .drive_log.entries import KINDS, LONGEST_NOTE, LONGEST_TAG, CostSource
from .drive_log.export import log_of
from .drive_log.manager import log_view
from .vehicle.coordinator import VehicleCoordinator
from .vehicle_access import VehicleActions, vehicle_schema


async def _get_log(vehicle: VehicleCoordinator, call: ServiceCall) -> ServiceResponse:
    start, end = call.data.get("start"), call.data.get("end")
    view = log_view(call.hass, vehicle.log)
    entries = view.entries.begun(
        # A time without a time zone is local.
        dt_util.as_utc(start).timestamp() if start else -math.inf,
        dt_util.as_utc(end).timestamp() if end else math.inf,
    )
    return log_of(view, entries, (call.data["kind"],) if "kind" in call.data else KINDS)


async def _update_log_entry(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    """Change the tag, the note or the cost of entries. The value None deletes it."""
    values = {name: call.data[name] for name in ("tag", "note", "cost") if name in call.data}
    if "cost" in values:
        currency = None if values["cost"] is None else call.hass.config.currency
        # The fees would have another currency. What was billed no longer replaces the cost.
        others = {"cost_at_once": None, "fees": None, "currency": currency}
        values |= others | {"cost_source": CostSource.PERSON.value}
    await vehicle.log_manager.async_edit(lambda log: log.update(call.data["id"], values))


async def _merge_drives(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    await vehicle.log_manager.async_edit(lambda log: log.merge_drives(call.data["ids"]))


async def _delete_log_entry(vehicle: VehicleCoordinator, call: ServiceCall) -> None:
    deleted = await vehicle.log_manager.async_edit(lambda log: log.delete(call.data["id"]))
    await vehicle.log_manager.samples.delete(deleted)


_PART_OF_LOG: Final[dict[vol.Marker, Any]] = {
    vol.Optional("start"): cv.datetime,
    vol.Optional("end"): cv.datetime,
    vol.Optional("kind"): vol.In(KINDS),
}
# At a negative price, the owner is paid for charging.
_COST: Final = vol.All(vol.Coerce(float), vol.Range(min=-LARGEST_COST, max=LARGEST_COST))
_NEW_VALUES: Final[dict[vol.Marker, Any]] = {
    vol.Required("id"): vol.All(cv.ensure_list, [cv.string], vol.Length(min=1)),
    vol.Optional("tag"): vol.Any(None, vol.All(cv.string, vol.Length(max=LONGEST_TAG))),
    vol.Optional("note"): vol.Any(None, vol.All(cv.string, vol.Length(max=LONGEST_NOTE))),
    vol.Optional("cost"): vol.Any(None, _COST),
}
_SEVERAL: Final = vol.All(cv.ensure_list, [cv.string], vol.Length(min=2))

LOG_READS: Final[VehicleActions] = {"get_log": (_get_log, vehicle_schema(_PART_OF_LOG))}
LOG_CHANGES: Final[VehicleActions] = {
    "update_log_entry": (_update_log_entry, vehicle_schema(_NEW_VALUES)),
    "merge_drives": (_merge_drives, vehicle_schema({vol.Required("ids"): _SEVERAL})),
    "delete_log_entry": (_delete_log_entry, vehicle_schema({vol.Required("id"): cv.string})),
}
