"""A calendar whose events the tests set."""

from datetime import datetime
from typing import override

from homeassistant.components.calendar import CalendarEntity, CalendarEvent
from homeassistant.core import HomeAssistant


class Calendar(CalendarEntity):
    """A calendar."""

    _attr_name = "Family"
    _events: tuple[CalendarEvent, ...] = ()

    def set_events(self, *events: CalendarEvent) -> None:
        """Replace all events."""
        self._events = events

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """Return no current event: the automations use only future ones."""
        return None

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        """Return the events between two times."""
        return [
            event
            for event in self._events
            if event.start_datetime_local < end_date and event.end_datetime_local > start_date
        ]
