"""An integration with many cars: a config entry for each account."""

from collections.abc import Iterable
import gc
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from .answering import Service


class Accounts:
    """The accounts of one integration in a Home Assistant."""

    def __init__(self, hass: HomeAssistant, service: Service, entries: Iterable[MockConfigEntry]) -> None:
        """Begin without them."""
        self.hass = hass
        self.service = service
        self.entries = list(entries)
        self.asked: list[str] = []
        """The paths that the service was asked for before the entities of the first account were there."""

    async def set_up(self) -> None:
        """Set them up one after the other, and return when the entities are there."""
        for each in self.entries:
            if self.hass.config_entries.async_get_entry(each.entry_id) is None:
                # Not before: Home Assistant sets up all that it finds of an integration that is new to it.
                each.add_to_hass(self.hass)
            await self.hass.config_entries.async_setup(each.entry_id)
            assert each.state is ConfigEntryState.LOADED
            if each is self.entries[0]:
                self.asked = self.service.asked()
            if each is not self.entries[-1]:
                # Else the garbage collector would go through all accounts again and again.
                gc.collect()
                gc.freeze()

    async def unload(self) -> None:
        """Unload them; what they remember stays."""
        for each in self._ids:
            await self.hass.config_entries.async_unload(each)

    async def remove(self) -> None:
        """Remove them with all that they remember."""
        for each in self._ids:
            await self.hass.config_entries.async_remove(each)

    def states(self) -> dict[str, str]:
        """Return the states of their entities."""
        registry = er.async_get(self.hass)
        entities = (
            each for entry in self._ids for each in er.async_entries_for_config_entry(registry, entry)
        )
        return {
            each.entity_id: state.state
            for each in entities
            if (state := self.hass.states.get(each.entity_id)) is not None
        }

    @property
    def unavailable(self) -> int:
        """How many of their entities show nothing."""
        return list(self.states().values()).count(STATE_UNAVAILABLE)

    @property
    def running(self) -> list[Any]:
        """What runs of each."""
        return [each.runtime_data for each in self.entries]

    @property
    def _ids(self) -> list[str]:
        return [each.entry_id for each in self.entries]
