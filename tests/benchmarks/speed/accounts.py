"""The accounts of an integration: one config entry for each."""

from collections.abc import Iterable
import gc
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from .stub_service import StubService


class Accounts:
    """The accounts of one integration in Home Assistant."""

    def __init__(self, hass: HomeAssistant, service: StubService, entries: Iterable[MockConfigEntry]) -> None:
        """Initialize without setting the entries up."""
        self.hass = hass
        self.service = service
        self.entries = list(entries)
        self.setup_requests: list[str] = []
        """The paths that were requested during the set-up of the first account."""

    async def set_up(self) -> None:
        """Set the accounts up one after the other, until all entities are added."""
        for entry in self.entries:
            if self.hass.config_entries.async_get_entry(entry.entry_id) is None:
                # Not earlier: with its first entry Home Assistant sets up all entries of an integration.
                entry.add_to_hass(self.hass)
            await self.hass.config_entries.async_setup(entry.entry_id)
            assert entry.state is ConfigEntryState.LOADED
            if entry is self.entries[0]:
                self.setup_requests = self.service.requested_paths()
            if entry is not self.entries[-1]:
                # Otherwise the garbage collector traverses all accounts again and again.
                gc.collect()
                gc.freeze()

    async def unload(self) -> None:
        """Unload the accounts and keep their storage."""
        for entry_id in self._ids:
            await self.hass.config_entries.async_unload(entry_id)

    async def remove(self) -> None:
        """Remove the accounts and their storage."""
        for entry_id in self._ids:
            await self.hass.config_entries.async_remove(entry_id)

    def states(self) -> list[str]:
        """Return the states of all entities."""
        registry, states = er.async_get(self.hass), self.hass.states
        entities = (
            entity for entry in self._ids for entity in er.async_entries_for_config_entry(registry, entry)
        )
        return [state.state for entity in entities if (state := states.get(entity.entity_id)) is not None]

    @property
    def unavailable(self) -> int:
        """The number of unavailable entities."""
        return self.states().count(STATE_UNAVAILABLE)

    @property
    def runtime_data(self) -> list[Any]:
        """The runtime data of all entries."""
        return [entry.runtime_data for entry in self.entries]

    @property
    def _ids(self) -> list[str]:
        return [entry.entry_id for entry in self.entries]
