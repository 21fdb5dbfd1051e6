"""The calendar of one vehicle: its next events are the times at which the car is needed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import ATTR_ENTITY_ID, Platform
from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_state_change_event, async_track_time_interval
from homeassistant.util import dt as dt_util

from ..api.value_types import NUMBER

# Home Assistant 2026.8 has no such constant in a module that is quick to import.
_GET_EVENTS: Final = "get_events"
# A calendar tells when an event begins or ends, but not when somebody adds a later one.
_INTERVAL: Final = timedelta(minutes=15)
_AHEAD: Final = timedelta(days=7)
# For so long, the last events count while the calendar can't be read.
_LAST_FOR: Final = timedelta(days=2)


class DepartureCalendar:
    """Reads the events of a calendar."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any], update: Callable[[], None]) -> None:
        """`update` is called when the departures have changed."""
        self.departures: Sequence[float] | None = None
        """In Unix seconds and in order; None without a calendar, or while it is not known."""
        self._hass = hass
        self._entry = entry
        self._update = update
        self._entity_id: str | None = None
        self._read_at = dt_util.utcnow()
        self._remove_listeners: list[CALLBACK_TYPE] = []

    def select(self, entity_id: str | None) -> None:
        """Read this calendar from now on, or none."""
        # The departures that were restored are those of the first calendar.
        if entity_id is None or self._entity_id not in (None, entity_id):
            self.departures = None
        if entity_id == self._entity_id:
            return
        self._entity_id = entity_id
        while self._remove_listeners:
            self._remove_listeners.pop()()
        if entity_id is not None:
            self._remove_listeners = [
                async_track_state_change_event(self._hass, entity_id, self._read_soon),
                async_track_time_interval(self._hass, self._read_soon, _INTERVAL),
            ]
            self._read_soon()

    def restore(self, stored: Any) -> None:
        """Restore the departures, because the calendar may be there later than the car."""
        moments = stored if isinstance(stored, list) else None
        self.departures = moments and sorted(filter(None, map(NUMBER.read, moments)))

    @callback
    def _read_soon(self, _cause: object = None) -> None:
        read = self._async_read()
        self._entry.async_create_background_task(self._hass, read, "Departures", eager_start=False)

    async def _async_read(self) -> None:
        entity_id, now = self._entity_id, dt_util.now()
        if entity_id is None:
            return
        if now - self._read_at > _LAST_FOR and self.departures is not None:
            # The usual time counts again.
            self.departures = None
            self._update()
        if self._hass.states.get(entity_id) is None:
            return
        try:
            events = await calendar_events(self._hass, entity_id, now - timedelta(days=1), now + _AHEAD)
        except HomeAssistantError:
            # The last known events count.
            return
        self._read_at = now
        departures = departures_of(events, now.timestamp())
        if entity_id == self._entity_id and departures != self.departures:
            self.departures = departures
            self._update()


async def calendar_events(
    hass: HomeAssistant, entity_id: str, start: datetime, end: datetime, context: Context | None = None
) -> Sequence[Mapping[str, Any]]:
    """Return the events of a calendar in a period. Raises HomeAssistantError."""
    answer: Any = await hass.services.async_call(
        Platform.CALENDAR,
        _GET_EVENTS,
        {ATTR_ENTITY_ID: entity_id, "start_date_time": start, "end_date_time": end},
        blocking=True,
        context=context,
        return_response=True,
    )
    events: Sequence[Mapping[str, Any]] = answer[entity_id]["events"]
    return events


def departures_of(events: Iterable[Mapping[str, Any]], now: float) -> list[float]:
    """Return when events begin: those with a location, or else all. Events of whole days do not count."""
    timed = [
        (start.timestamp(), bool(event.get("location")))
        for event in events
        if "T" in (text := str(event.get("start"))) and (start := dt_util.parse_datetime(text)) is not None
    ]
    has_locations = any(has_location for at, has_location in timed if at > now)
    return sorted(at for at, has_location in timed if has_location or not has_locations)
