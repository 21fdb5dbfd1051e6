"""Device tracker: the car's position."""

from functools import partial
from typing import Final, override

from homeassistant.components.device_tracker.entity import TrackerEntity

from .api.records import DriveState
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform

PARALLEL_UPDATES = 0


LOCATION: Final = VehicleEntityDescription(
    key=DriveState.key,
    fields=(
        DriveState.latitude,
        DriveState.longitude,
        DriveState.native_location_supported,
        DriveState.native_latitude,
        DriveState.native_longitude,
        DriveState.native_type,
    ),
)


class Location(VehicleEntity, TrackerEntity):
    """The car's position. It is kept while the car loses GPS reception, for example in a garage."""

    _last_position: tuple[float, float] | tuple[None, None] = (None, None)

    @property
    @override
    def latitude(self) -> float | None:
        return self._position[0]

    @property
    @override
    def longitude(self) -> float | None:
        return self._position[1]

    @property
    def _position(self) -> tuple[float, float] | tuple[None, None]:
        """The last known latitude and longitude."""
        self._last_position = self.vehicle.drive_state.position or self._last_position
        return self._last_position


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={Location: [LOCATION]})
