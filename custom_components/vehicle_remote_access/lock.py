"""Lock: the doors."""

from functools import partial
from typing import Any, Final, override

from homeassistant.components.lock import LockEntity

from .api.commands import DOOR_LOCK, DOOR_UNLOCK
from .api.records import VehicleState
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform

PARALLEL_UPDATES = 0

LOCK: Final = VehicleEntityDescription(fields=(VehicleState.locked,))


class DoorLock(VehicleEntity, LockEntity):
    """The lock of the doors."""

    @override
    def _update_attributes(self) -> None:
        self._attr_is_locked = self.vehicle.vehicle_state.locked
        requested = self.requested(VehicleState.locked)
        self._attr_is_locking, self._attr_is_unlocking = requested is True, requested is False

    @override
    async def async_lock(self, **kwargs: Any) -> None:
        await self.async_send(DOOR_LOCK)

    @override
    async def async_unlock(self, **kwargs: Any) -> None:
        await self.async_send(DOOR_UNLOCK)


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={DoorLock: [LOCK]})
