"""Records which entities write their states."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED
from homeassistant.core import Event, HomeAssistant, callback


@dataclass(frozen=True, slots=True)
class StateWrites:
    """Entity ids, one for each write."""

    changed: list[str] = field(default_factory=list)
    reported: list[str] = field(default_factory=list)
    """Writes of an unchanged state."""


@contextmanager
def record_state_writes(hass: HomeAssistant) -> Iterator[StateWrites]:
    """Return the record, which is updated until the context ends."""
    writes = StateWrites()

    @callback
    def changed(event: Event[Any]) -> None:
        writes.changed.append(event.data["entity_id"])

    @callback
    def reported(event: Event[Any]) -> None:
        writes.reported.append(event.data["entity_id"])

    unsubscribe = (
        hass.bus.async_listen(EVENT_STATE_CHANGED, changed),
        hass.bus.async_listen(EVENT_STATE_REPORTED, reported, event_filter=callback(lambda _: True)),
    )
    try:
        yield writes
    finally:
        for remove in unsubscribe:
            remove()
