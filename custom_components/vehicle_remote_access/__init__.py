"""Electric cars with a remote-access service, in Home Assistant."""

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType

from .const import DOMAIN
from .coordinator import Account, VehicleConfigEntry
from .memory import forget
from .services import register_actions

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)
PLATFORMS = [
    Platform.BINARY_SENSOR,
    Platform.BUTTON,
    Platform.CLIMATE,
    Platform.COVER,
    Platform.DEVICE_TRACKER,
    Platform.LOCK,
    Platform.NUMBER,
    Platform.SENSOR,
    Platform.SWITCH,
    Platform.UPDATE,
]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register the actions, which are there whether an account is loaded or not."""
    register_actions(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: VehicleConfigEntry) -> bool:
    """Set up an account with its cars."""
    account = Account(hass, entry)
    await account.start()
    entry.runtime_data = account
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    entry.async_on_unload(entry.add_update_listener(_reload_if_changed))
    return True


async def async_unload_entry(hass: HomeAssistant, entry: VehicleConfigEntry) -> bool:
    """Unload an account; nothing of it stays running."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


async def async_remove_entry(hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
    """Forget an account and its cars."""
    await forget(hass, entry.entry_id, *entry.subentries)


async def _reload_if_changed(hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
    """Set the account up again if what it runs on has changed. A new name has not."""
    if entry.runtime_data.has_changed():
        hass.config_entries.async_schedule_reload(entry.entry_id)
