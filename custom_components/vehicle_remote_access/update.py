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

    @property
    @override
    def installed_version(self) -> str | None:
        return self.vehicle.vehicle_state.software_version

    @property
    @override
    def latest_version(self) -> str | None:
        """Return the installed version, or a placeholder if there is an update."""
        match self.vehicle.vehicle_state.software_update.status:
            case None:
                return None
            case "none":
                return self.installed_version
            case _:
                return _NEW_VERSION

    @property
    @override
    def in_progress(self) -> bool:
        return self.vehicle.vehicle_state.software_update.status == "installing"


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={CarSoftware: [SOFTWARE]})
