"""Update: the car's software. With some services, an update that is ready can be installed."""

from functools import partial
from typing import Any, Final, override

from homeassistant.components.update import UpdateEntity
from homeassistant.components.update.const import UpdateEntityFeature
from homeassistant.const import EntityCategory

from .api.commands import SCHEDULE_SOFTWARE_UPDATE
from .api.records import SoftwareUpdate, VehicleState
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform

PARALLEL_UPDATES = 0

# Not all services report the number of the new version.
_NEW_VERSION: Final = "pending"
_READY: Final = ("available", "scheduled")

SOFTWARE: Final = VehicleEntityDescription(
    key=SoftwareUpdate.key, fields=(VehicleState.car_version, *SoftwareUpdate.fields)
)


class CarSoftware(VehicleEntity, UpdateEntity):
    """The car's software."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC

    @override
    def _update_attributes(self) -> None:
        version = self.vehicle.vehicle_state.software_version
        update = self.vehicle.vehicle_state.software_update
        status = update.status
        self._attr_installed_version = version
        # The status is None if it is unknown, and "none" without an update.
        self._attr_latest_version = {None: None, "none": version}.get(status, _NEW_VERSION)
        self._attr_in_progress = status == "installing"
        self._attr_supported_features = UpdateEntityFeature.PROGRESS
        if not self.coordinator.provider.type.has(SCHEDULE_SOFTWARE_UPDATE):
            return
        if self.latest_version == _NEW_VERSION and update.version is not None:
            self._attr_latest_version = update.version
        self._attr_update_percentage = update.install_perc if self.in_progress else None
        if status in _READY:
            self._attr_supported_features |= UpdateEntityFeature.INSTALL

    @override
    async def async_install(self, version: str | None, backup: bool, **kwargs: Any) -> None:
        await self.async_send(SCHEDULE_SOFTWARE_UPDATE, {SoftwareUpdate.status: "scheduled"}, offset_sec=0)


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={CarSoftware: [SOFTWARE]})
