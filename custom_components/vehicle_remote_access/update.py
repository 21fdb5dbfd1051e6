"""The car's software: which it runs, and whether another is waiting. It is installed from the car."""

from typing import Final, override

from homeassistant.components.update import UpdateEntity
from homeassistant.components.update.const import UpdateEntityFeature
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.records import SoftwareUpdate, VehicleState
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_to_each_vehicle

PARALLEL_UPDATES = 0

# The service says that there is another version, and not which.
_ANOTHER: Final = "pending"


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the update."""
    add_to_each_vehicle(entry, async_add_entities, lambda vehicle: [CarSoftware(vehicle)])


class CarSoftware(VehicleEntity, UpdateEntity):
    """The software of the car."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_supported_features = UpdateEntityFeature.PROGRESS
    fields = (VehicleState.car_version, SoftwareUpdate.status)

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Show the record of the update."""
        super().__init__(coordinator, SoftwareUpdate.key)

    @property
    @override
    def installed_version(self) -> str | None:
        """Return the version, without the build that stands behind it."""
        version = self.vehicle.vehicle_state.car_version
        return version.partition(" ")[0] if version else None

    @property
    @override
    def latest_version(self) -> str | None:
        """Return the installed version, or that there is another."""
        match self.vehicle.vehicle_state.software_update.status:
            case None:
                return None
            case "none":
                return self.installed_version
            case _:
                return _ANOTHER

    @property
    @override
    def in_progress(self) -> bool:
        """Return whether the car is installing it now."""
        return self.vehicle.vehicle_state.software_update.status == "installing"
