"""Update: the car's software. Updates are installed from the car."""

from functools import partial
from typing import Final, override

from homeassistant.components.update import UpdateEntity
from homeassistant.components.update.const import UpdateEntityFeature
from homeassistant.const import EntityCategory

from .api.records import SoftwareUpdate, VehicleState
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform

PARALLEL_UPDATES = 0

# The service does not report the number of the new version.
_NEW_VERSION: Final = "pending"


SOFTWARE: Final = VehicleEntityDescription(
    key=SoftwareUpdate.key,
    entity_category=EntityCategory.DIAGNOSTIC,
    fields=(VehicleState.car_version, SoftwareUpdate.status),
)


class CarSoftware(VehicleEntity, UpdateEntity):
    """The car's software."""

    _attr_display_precision = 0
    _attr_supported_features = UpdateEntityFeature.PROGRESS

    @override
    def _update_attributes(self) -> None:
        version = self.vehicle.vehicle_state.software_version
        status = self.vehicle.vehicle_state.software_update.status
        self._attr_installed_version = version
        self._attr_latest_version = {None: None, "none": version}.get(status, _NEW_VERSION)
        self._attr_in_progress = status == "installing"


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={CarSoftware: [SOFTWARE]})
