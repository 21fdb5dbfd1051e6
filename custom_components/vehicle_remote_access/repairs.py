"""Repairs that Home Assistant offers to carry out: to remove a car that its account has no more."""

from typing import Any

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.core import HomeAssistant
import probatio

from .const import CONF_ENTRY_ID, CONF_SUBENTRY_ID


class _RemoveVehicle(RepairsFlow):
    """Removes a vehicle once a person has agreed."""

    async def async_step_init(self, _user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Begin to ask."""
        return await self.async_step_confirm()

    async def async_step_confirm(self, user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Ask, and remove it; one that somebody has removed meanwhile is gone already."""
        data = self.data or {}
        if user_input is None:
            return self.async_show_form(
                step_id="confirm",
                data_schema=probatio.Schema({}),
                description_placeholders={"name": str(data["name"])},
            )
        entry = self.hass.config_entries.async_get_entry(str(data[CONF_ENTRY_ID]))
        subentry_id = str(data[CONF_SUBENTRY_ID])
        if entry is not None and subentry_id in entry.subentries:
            self.hass.config_entries.async_remove_subentry(entry, subentry_id)
        return self.async_create_entry(data={})


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    """Return the dialog of the one repair that there is."""
    return _RemoveVehicle()
