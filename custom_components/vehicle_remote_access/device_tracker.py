"""Where the car is."""

from typing import override

from homeassistant.components.device_tracker.entity import TrackerEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.records import DriveState
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_to_each_vehicle

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the tracker."""
    add_to_each_vehicle(entry, async_add_entities, lambda vehicle: [Location(vehicle)])


class Location(VehicleEntity, TrackerEntity):
    """The car's position. A car in a garage may lose it for a while, and is still where it was."""

    fields = (
        DriveState.latitude,
        DriveState.longitude,
        DriveState.native_location_supported,
        DriveState.native_latitude,
        DriveState.native_longitude,
        DriveState.native_type,
    )

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Show the record of driving."""
        super().__init__(coordinator, DriveState.key)
        self._last_fix: tuple[float, float] | None = None

    @property
    @override
    def latitude(self) -> float | None:
        """Return the latitude, in degrees."""
        return None if (fix := self._fix) is None else fix[0]

    @property
    @override
    def longitude(self) -> float | None:
        """Return the longitude, in degrees."""
        return None if (fix := self._fix) is None else fix[1]

    @property
    def _fix(self) -> tuple[float, float] | None:
        """The last known position."""
        self._last_fix = self.vehicle.drive_state.position or self._last_fix
        return self._last_fix
