"""The lock of the doors."""

from typing import Any, override

from homeassistant.components.lock import LockEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import DOOR_LOCK, DOOR_UNLOCK
from .api.records import VehicleState
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_to_each_vehicle

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the lock."""
    add_to_each_vehicle(entry, async_add_entities, lambda vehicle: [DoorLock(vehicle)])


class DoorLock(VehicleEntity, LockEntity):
    """The doors, locked or not."""

    fields = (VehicleState.locked,)

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Show whether the doors are locked."""
        super().__init__(coordinator, VehicleState.locked.path)

    @property
    @override
    def is_locked(self) -> bool | None:
        """Return whether the doors are locked."""
        return self.vehicle.vehicle_state.locked

    @override
    async def async_lock(self, **kwargs: Any) -> None:
        """Lock the doors."""
        await self.send(DOOR_LOCK)

    @override
    async def async_unlock(self, **kwargs: Any) -> None:
        """Unlock the doors."""
        await self.send(DOOR_UNLOCK)
