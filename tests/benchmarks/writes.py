"""Which states are written: those that are new, and those that are as they were."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED
from homeassistant.core import Event, HomeAssistant, callback


@dataclass(frozen=True, slots=True)
class Writes:
    """Entities, each as often as it was written."""

    changed: list[str] = field(default_factory=list)
    reported: list[str] = field(default_factory=list)
    """Those whose state was written as it was."""


@contextmanager
def written(hass: HomeAssistant) -> Iterator[Writes]:
    """Return what will hold all that is written meanwhile."""
    writes = Writes()

    @callback
    def changed(event: Event[Any]) -> None:
        writes.changed.append(event.data["entity_id"])

    @callback
    def reported(event: Event[Any]) -> None:
        writes.reported.append(event.data["entity_id"])

    leave = (
        hass.bus.async_listen(EVENT_STATE_CHANGED, changed),
        hass.bus.async_listen(EVENT_STATE_REPORTED, reported, event_filter=callback(lambda _: True)),
    )
    try:
        yield writes
    finally:
        for each in leave:
            each()
