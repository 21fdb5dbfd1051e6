"""Selects: controls of simulated cars. Real cars have none."""

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import VehicleConfigEntry
from .entity import add_simulator_entities

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: VehicleConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    await add_simulator_entities(hass, entry, async_add_entities, Platform.SELECT)
