"""The log as a calendar: every drive and every charge is an event."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, override

from homeassistant.components.calendar import CalendarEntity, CalendarEvent
from homeassistant.core import HomeAssistant

from .calendar_registration import CALENDAR
from .drive_log.entries import Charge, Drive, Entries
from .drive_log.manager import log_units, log_zones
from .drive_log.view import shown_distance, shown_energy
from .entity import VehicleEntity, async_setup_vehicle_platform

PARALLEL_UPDATES = 0

# A calendar does not accept events without a duration.
_SHORTEST: Final = timedelta(minutes=1)


class LogCalendar(VehicleEntity, CalendarEntity):
    """The drives and charges of a car."""

    needs_recent_data = False
    event = None
    """The last drive or charge, although it has ended: a log has no current or future event."""

    @override
    def _update_attributes(self) -> None:
        log = self.coordinator.log
        events = self._events(Entries(log.drives[-1:], log.charges[-1:]))
        self.event = max(events, key=lambda event: event.end, default=None)
        self._shown = (self.event,)

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        log, start, end = self.coordinator.log, start_date.timestamp(), end_date.timestamp()
        drives = [drive for drive in log.drives if drive.start < end and drive.end >= start]
        charges = [charge for charge in log.charges if charge.start < end and charge.end >= start]
        return sorted(self._events(Entries(drives, charges)), key=lambda event: event.start)

    def _events(self, entries: Entries) -> list[CalendarEvent]:
        named = log_zones(self.coordinator.hass).named(entries)
        found: list[Drive | Charge] = [*named.drives, *named.charges]
        return [self._event(entry) for entry in found]

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
        """Return the places and the distance, or the energy and the cost. The text needs no translation."""
        if isinstance(entry, Drive):
            units = log_units(self.coordinator.hass)
            distance = shown_distance(entry, units)
            places = f"{entry.start_place or '?'} → {entry.end_place or '?'}"
            return places if distance is None else f"{places} · {distance:.1f} {units.distance_unit}"
        energy = shown_energy(entry)
        texts = [
            None if energy is None else f"{energy:.1f} kWh",
            None if entry.cost is None else f"{entry.cost:.2f} {entry.currency}",
        ]
        return f"⚡ {' · '.join(filter(None, texts))}".rstrip()


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={LogCalendar: [CALENDAR]})
