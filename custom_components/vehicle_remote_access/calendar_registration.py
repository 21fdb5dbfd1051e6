"""Registration of the calendars, without importing Home Assistant's calendar, which few people use."""

from typing import Final

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.generated.languages import DEFAULT_LANGUAGE, NATIVE_ENTITY_IDS
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.translation import async_get_translations

from .const import DOMAIN
from .coordinator import VehicleConfigEntry
from .entity import VehicleEntity, VehicleEntityDescription
from .vehicle.derived_values import DerivedValue

CALENDAR: Final = VehicleEntityDescription(
    key="log.calendar", fields=(DerivedValue.LOG,), entity_registry_enabled_default=False
)


async def register_calendars(hass: HomeAssistant, entry: VehicleConfigEntry) -> bool:
    """Register the calendars, and return whether any is enabled, so that the platform is needed.

    The platform shows its page to everyone. Enabling a calendar on the device page reloads the account.
    """
    language = hass.config.language
    names = await async_get_translations(hass, language, "entity", {DOMAIN})
    id_language = language if language in NATIVE_ENTITY_IDS else DEFAULT_LANGUAGE
    object_ids = await async_get_translations(hass, id_language, "entity", {DOMAIN})
    has_enabled = False
    for vehicle in entry.runtime_data.vehicles.values():
        if not vehicle.is_configured:
            continue
        calendar = VehicleEntity(vehicle, CALENDAR)
        name_key = f"component.{DOMAIN}.entity.{Platform.CALENDAR}.{calendar.translation_key}.name"
        is_disabled = not calendar.entity_registry_enabled_default
        registered = er.async_get(hass).async_get_or_create(
            Platform.CALENDAR,
            DOMAIN,
            str(calendar.unique_id),
            config_entry=entry,
            config_subentry_id=vehicle.subentry_id,
            device_id=vehicle.async_create_device().id,
            disabled_by=er.RegistryEntryDisabler.INTEGRATION if is_disabled else None,
            has_entity_name=calendar.has_entity_name,
            object_id_base=object_ids.get(name_key),
            original_name=names.get(name_key),
            translation_key=calendar.translation_key,
        )
        has_enabled |= not registered.disabled
    return has_enabled
