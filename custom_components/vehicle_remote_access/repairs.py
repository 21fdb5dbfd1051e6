"""Repair flows that add a new car of the account, or remove a car that is no longer in it."""

from typing import Any

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_ID, CONF_NAME
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from .account.discovery import DiscoveredVehicle, configured_vins
from .account.markdown import escape_markdown
from .const import CONF_ENTRY_ID, CONF_KEEP_POSITIONS, CONF_SUBENTRY_ID, CONF_VIN, DOMAIN
from .flows.schemas import POSITIONS_SCHEMA


class VehicleRepairFlow(RepairsFlow):
    """Adds or removes a vehicle, or ignores the issue."""

    async def async_step_init(self, _user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Ask what to do. Home Assistant itself can't ignore an issue that has a flow."""
        return self.async_show_menu(
            step_id="init",
            menu_options=["confirm", "ignore"],
            description_placeholders={"name": escape_markdown(self._text(CONF_NAME))},
        )

    async def async_step_confirm(self, _user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        # Only an issue about a configured vehicle has a subentry id.
        if CONF_SUBENTRY_ID not in (self.data or {}):
            return self.async_show_form(
                step_id="add",
                data_schema=POSITIONS_SCHEMA,
                description_placeholders={"name": escape_markdown(self._text(CONF_NAME))},
            )
        entry, subentry_id = self._entry, self._text(CONF_SUBENTRY_ID)
        if entry is not None and subentry_id in entry.subentries:
            self.hass.config_entries.async_remove_subentry(entry, subentry_id)
        return self.async_create_entry(data={})

    async def async_step_add(self, user_input: dict[str, Any]) -> RepairsFlowResult:
        vehicle = DiscoveredVehicle(self._text(CONF_ID), self._text(CONF_VIN), self._text(CONF_NAME))
        if (entry := self._entry) and vehicle.vin not in configured_vins(self.hass):
            subentry = vehicle.subentry(entry.data, keep_positions=user_input[CONF_KEEP_POSITIONS])
            self.hass.config_entries.async_add_subentry(entry, subentry)
        return self.async_create_entry(data={})

    async def async_step_ignore(self, _user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        ir.async_ignore_issue(self.hass, DOMAIN, self.issue_id, ignore=True)
        return self.async_abort(reason="issue_ignored")

    @property
    def _entry(self) -> ConfigEntry[Any] | None:
        return self.hass.config_entries.async_get_entry(self._text(CONF_ENTRY_ID))

    def _text(self, name: str) -> str:
        return str((self.data or {})[name])


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    return VehicleRepairFlow()
