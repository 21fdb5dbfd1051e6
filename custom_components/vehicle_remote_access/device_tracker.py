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

    @override
    def _update_attributes(self) -> None:
        if (position := self.coordinator.data.drive_state.position) is not None:
            self._attr_latitude, self._attr_longitude = position


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={Location: [LOCATION]})
