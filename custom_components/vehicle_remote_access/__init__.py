"""Electric cars with a remote-access service, in Home Assistant."""

from datetime import datetime, timedelta

from homeassistant.const import MAJOR_VERSION, MINOR_VERSION, Platform, __version__

if (MAJOR_VERSION, MINOR_VERSION) < (2026, 8):
    # Nothing checks the version of a manual copy. The imports below fail on older versions.
    message = f"Vehicle Remote Access needs Home Assistant 2026.8 or newer. This is {__version__}."
    raise ImportError(message)

from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.device_registry import DeviceEntry
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.importlib import async_import_module
from homeassistant.helpers.typing import ConfigType

from .account.issues import delete_issues
from .account.storage import remove_stores
from .account.token_store import tokens_file
from .calendar_registration import register_calendars
from .const import CONF_IMPORT_PAST, CONF_SIMULATOR, DOMAIN, PLATFORMS
from .coordinator import AccountCoordinator, VehicleConfigEntry
from .dashboard.resources import set_up_dashboard
from .device_info import permanent_identifiers
from .drive_log.kept_logs import update_kept_logs
from .drive_log.statistics import remove_statistics
from .services import register_actions
from .vehicle.past import import_past

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Set up the actions and the dashboard, which do not depend on a loaded account."""
    register_actions(hass)
    await set_up_dashboard(hass)

    async def update(_now: datetime) -> None:
        await update_kept_logs(hass)

    async_track_time_interval(hass, update, timedelta(days=1), cancel_on_shutdown=True)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: VehicleConfigEntry) -> bool:
    if CONF_SIMULATOR in entry.data:
        # Imported only for simulated accounts
        past = await async_import_module(hass, f"{__package__}.simulated_account.past")
        await past.async_store_past(hass, entry)
    account = AccountCoordinator(hass, entry)
    await account.async_start()
    entry.runtime_data = account
    register_actions(hass)
    has_calendar = await register_calendars(hass, entry)
    is_offered = {Platform.CALENDAR: has_calendar, Platform.MEDIA_PLAYER: account.provider.type.is_fleet}
    account.platforms = [name for name in PLATFORMS if is_offered.get(name, True)]
    await hass.config_entries.async_forward_entry_setups(entry, account.platforms)
    entry.async_on_unload(entry.add_update_listener(account.async_entry_updated))
    # Changes made during setup had no listener yet. Streams begin, because the entities that listen exist.
    await account.async_entry_updated(hass, entry)
    if entry.options.get(CONF_IMPORT_PAST):
        entry.async_create_background_task(hass, import_past(hass, entry), f"{DOMAIN} past")
    return True


async def async_unload_entry(hass: HomeAssistant, entry: VehicleConfigEntry) -> bool:
    return await hass.config_entries.async_unload_platforms(entry, entry.runtime_data.platforms)


async def async_remove_entry(hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
    """Delete what an account and its vehicles stored or reported. Their logs are kept for a while."""
    delete_issues(hass, entry.entry_id, *entry.subentries)
    remove_statistics(hass, (subentry.unique_id for subentry in entry.subentries.values()))
    # 1.0.0 stored in `blueprints` which blueprints it had copied into Home Assistant's folder.
    await remove_stores(hass, entry.entry_id, tokens_file(entry.entry_id), *entry.subentries, "blueprints")
    await update_kept_logs(hass)


async def async_remove_config_entry_device(
    hass: HomeAssistant, entry: VehicleConfigEntry, device: DeviceEntry
) -> bool:
    """Remove the vehicle of a deleted device. Devices of the account and of the simulation stay."""
    for subentry in entry.subentries.values():
        if (DOMAIN, subentry.unique_id) in device.identifiers:
            return hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
    return device.identifiers.isdisjoint(permanent_identifiers(entry))
