"""Selects: what is chosen by hand at a simulated car. A real one has none."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import VehicleConfigEntry
from .simulation import Choice, add_simulation

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the selects."""
    add_simulation(entry, async_add_entities, Choice)
