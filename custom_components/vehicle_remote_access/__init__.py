"""Electric cars with a remote-access service, in Home Assistant."""

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant

from .coordinator import Account, VehicleConfigEntry

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


async def async_setup_entry(hass: HomeAssistant, entry: VehicleConfigEntry) -> bool:
    """Set up an account with its cars."""
    account = Account(hass, entry)
    await account.async_config_entry_first_refresh()
    entry.runtime_data = account
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    entry.async_on_unload(entry.add_update_listener(_reload_if_changed))
    return True


async def async_unload_entry(hass: HomeAssistant, entry: VehicleConfigEntry) -> bool:
    """Unload an account; nothing of it stays running."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


async def _reload_if_changed(hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
    """Set the account up again if what it runs on has changed. A new name has not."""
    if entry.runtime_data.has_changed():
        hass.config_entries.async_schedule_reload(entry.entry_id)
