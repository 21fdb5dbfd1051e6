"""Repair flows that add a new car of the account, or remove a car that is no longer in it."""

from types import MappingProxyType
from typing import Any

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_ID, CONF_NAME
from homeassistant.core import HomeAssistant, callback
import voluptuous as vol

from .account.discovery import DiscoveredVehicle, configured_vins
from .account.markdown import escape_markdown
from .const import CONF_ENTRY_ID, CONF_SUBENTRY_ID, CONF_VIN, SUBENTRY_VEHICLE


class VehicleRepairFlow(RepairsFlow):
    """Adds or removes a vehicle after a confirmation."""

    async def async_step_init(self, _user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Start with the confirmation."""
        return await self.async_step_confirm()

    async def async_step_confirm(self, user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Ask for confirmation. Then repair, unless the account was removed in the meantime."""
        data = {name: str(value) for name, value in (self.data or {}).items()}
        if user_input is None:
            return self.async_show_form(
                step_id="confirm",
                data_schema=vol.Schema({}),
                description_placeholders={"name": escape_markdown(data[CONF_NAME])},
            )
        if (entry := self.hass.config_entries.async_get_entry(data[CONF_ENTRY_ID])) is not None:
            # Only an issue about a configured vehicle has a subentry id.
            if (subentry_id := data.get(CONF_SUBENTRY_ID)) is None:
                self._add(entry, DiscoveredVehicle(data[CONF_ID], data[CONF_VIN], data[CONF_NAME]))
            elif subentry_id in entry.subentries:
                self.hass.config_entries.async_remove_subentry(entry, subentry_id)
        return self.async_create_entry(data={})

    @callback
    def _add(self, entry: ConfigEntry[Any], vehicle: DiscoveredVehicle) -> None:
        """Add the vehicle, unless it was added in the meantime."""
        if vehicle.vin not in configured_vins(self.hass):
            subentry = ConfigSubentry(
                data=MappingProxyType(vehicle.data),
                subentry_type=SUBENTRY_VEHICLE,
                title=vehicle.name,
                unique_id=vehicle.vin,
            )
            self.hass.config_entries.async_add_subentry(entry, subentry)


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    """Return the flow of an issue."""
    return VehicleRepairFlow()
