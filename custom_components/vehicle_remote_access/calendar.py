"""The log as a calendar: every drive and every charge is an event."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, override

from homeassistant.components.calendar import CalendarEntity, CalendarEvent
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.generated.languages import DEFAULT_LANGUAGE, NATIVE_ENTITY_IDS
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.translation import async_get_translations

from .const import DOMAIN
from .coordinator import VehicleConfigEntry
from .drive_log.entries import Charge, Drive
from .drive_log.manager import log_units
from .entity import ValueEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .vehicle.derived_values import DerivedValue

PARALLEL_UPDATES = 0


CALENDAR: Final = VehicleEntityDescription(
    key="log.calendar", fields=(DerivedValue.LOG,), entity_registry_enabled_default=False
)
# A calendar does not accept events without a duration.
_SHORTEST: Final = timedelta(minutes=1)


async def register_calendars(hass: HomeAssistant, entry: VehicleConfigEntry) -> bool:
    """Register the calendars, and return whether any is enabled, so that the platform is needed.

    With the platform, Home Assistant shows its calendar page to everyone, even if all calendars are disabled.
    Without it, a calendar can be enabled on the device page, which reloads the account.
    """
    language = hass.config.language
    names = await async_get_translations(hass, language, "entity", {DOMAIN})
    id_language = language if language in NATIVE_ENTITY_IDS else DEFAULT_LANGUAGE
    object_ids = await async_get_translations(hass, id_language, "entity", {DOMAIN})
    has_enabled = False
    for vehicle in entry.runtime_data.vehicles.values():
        if not vehicle.is_configured:
            continue
        calendar = LogCalendar(vehicle, CALENDAR)
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


class LogCalendar(ValueEntity, CalendarEntity):
    """The drives and charges of a car."""

    _attr_initial_color = None
    needs_recent_data = False

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """Return the last drive or charge, which is over."""
        log = self.coordinator.log
        last: list[Drive | Charge] = [*log.drives[-1:], *log.charges[-1:]]
        return max(map(self._event, last), key=lambda event: event.end, default=None)

    @property
    @override
    def shown_value(self) -> CalendarEvent | None:
        return self.event

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        log, start, end = self.coordinator.log, start_date.timestamp(), end_date.timestamp()
        entries: list[Drive | Charge] = [*log.drives, *log.charges]
        found = [entry for entry in entries if entry.start < end and entry.end >= start]
        return [self._event(entry) for entry in sorted(found, key=lambda entry: entry.start)]

    def _event(self, entry: Drive | Charge) -> CalendarEvent:
        start, end = datetime.fromtimestamp(entry.start, UTC), datetime.fromtimestamp(entry.end, UTC)
        return CalendarEvent(
            start=start,
            end=max(end, start + _SHORTEST),
            summary=self._summary(entry),
            description=entry.note,
            location=entry.place if isinstance(entry, Charge) else entry.end_place,
            uid=entry.id,
        )

    def _summary(self, entry: Drive | Charge) -> str:
        """Return a text that needs no translation."""
        if isinstance(entry, Drive):
            units = log_units(self.hass)
            places = f"{entry.start_place or '?'} → {entry.end_place or '?'}"
            return f"{places} · {units.distance(entry.distance):.1f} {units.distance_unit}"
        cost = "" if entry.cost is None else f" · {entry.cost:.2f} {entry.currency}"
        return f"⚡ {entry.energy_added:.1f} kWh{cost}"


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={LogCalendar: [CALENDAR]})
