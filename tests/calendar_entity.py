"""A calendar whose events the tests set."""

from datetime import datetime
from typing import override

from homeassistant.components.calendar import CalendarEntity, CalendarEvent
from homeassistant.core import HomeAssistant


class Calendar(CalendarEntity):
    _attr_name = "Family"
    _events: tuple[CalendarEvent, ...] = ()

    def set_events(self, *events: CalendarEvent) -> None:
        self._events = events

    @property
    @override
    def event(self) -> CalendarEvent | None:
        return None

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        return [
            event
            for event in self._events
            if event.start_datetime_local < end_date and event.end_datetime_local > start_date
        ]
