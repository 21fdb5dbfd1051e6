"""Device trackers: the car's position, and where it navigates to."""

from functools import partial
from typing import Any, Final, override

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
ROUTE: Final = VehicleEntityDescription(
    key="drive_state.active_route",
    fields=(DriveState.active_route_latitude, DriveState.active_route_longitude),
)


class Location(VehicleEntity, TrackerEntity):
    """The car's position. It is kept while the car loses GPS reception, for example in a garage."""

    @override
    def _update_attributes(self) -> None:
        if (position := self.coordinator.data.drive_state.position) is not None:
            self._attr_latitude, self._attr_longitude = position


class Route(VehicleEntity, TrackerEntity):
    """The destination of the navigation. It is unknown while the car does not navigate."""

    @property
    @override
    def capability_attributes(self) -> dict[str, Any]:
        """Return a mark by which templates tell this tracker from the car's own, also while unavailable."""
        return {**(super().capability_attributes or {}), "route": True}

    @override
    def _update_attributes(self) -> None:
        drive = self.vehicle.drive_state
        self._attr_latitude, self._attr_longitude = drive.active_route_latitude, drive.active_route_longitude


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={Location: [LOCATION], Route: [ROUTE]})
