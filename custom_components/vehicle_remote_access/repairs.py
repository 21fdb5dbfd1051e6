"""Repairs that Home Assistant offers to carry out: to add a car that its account has got, to remove one."""

from types import MappingProxyType
from typing import Any

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_ID, CONF_NAME
from homeassistant.core import HomeAssistant, callback
import voluptuous as vol

from .account.discovery import Car, vins_taken
from .account.markdown import escape_markdown
from .const import CONF_ENTRY_ID, CONF_SUBENTRY_ID, CONF_VIN, SUBENTRY_VEHICLE


class _Vehicle(RepairsFlow):
    """Does to an account's vehicle what is offered, once a person has agreed."""

    async def async_step_init(self, _user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Begin to ask."""
        return await self.async_step_confirm()

    async def async_step_confirm(self, user_input: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Ask, and do it; what somebody has done meanwhile is done already."""
        data = {name: str(value) for name, value in (self.data or {}).items()}
        if user_input is None:
            return self.async_show_form(
                step_id="confirm",
                data_schema=vol.Schema({}),
                description_placeholders={"name": escape_markdown(data[CONF_NAME])},
            )
        if (entry := self.hass.config_entries.async_get_entry(data[CONF_ENTRY_ID])) is not None:
            self.mend(entry, data)
        return self.async_create_entry(data={})

    @callback
    def mend(self, entry: ConfigEntry[Any], data: dict[str, str]) -> None:
        """Do it. `data`: which vehicle."""
        raise NotImplementedError


class _AddVehicle(_Vehicle):
    """Adds a vehicle."""

    @callback
    def mend(self, entry: ConfigEntry[Any], data: dict[str, str]) -> None:
        """Add it, unless an account has it."""
        car = Car(data[CONF_ID], data[CONF_VIN], data[CONF_NAME])
        if car.vin not in vins_taken(self.hass):
            subentry = ConfigSubentry(
                data=MappingProxyType(car.data),
                subentry_type=SUBENTRY_VEHICLE,
                title=car.name,
                unique_id=car.vin,
            )
            self.hass.config_entries.async_add_subentry(entry, subentry)


class _RemoveVehicle(_Vehicle):
    """Removes a vehicle."""

    @callback
    def mend(self, entry: ConfigEntry[Any], data: dict[str, str]) -> None:
        """Remove it, if it is still there."""
        if data[CONF_SUBENTRY_ID] in entry.subentries:
            self.hass.config_entries.async_remove_subentry(entry, data[CONF_SUBENTRY_ID])


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    """Return the dialog of a repair: one that has a vehicle removes it, one that has none yet adds it."""
    return _RemoveVehicle() if CONF_SUBENTRY_ID in (data or {}) else _AddVehicle()
