"""The time by which the car must be charged."""

from datetime import time
from functools import partial
from typing import Final, override

from homeassistant.components.time import TimeEntity

from .api.commands import CHARGE_STOP
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .vehicle.derived_values import DerivedValue

PARALLEL_UPDATES = 0

READY_BY: Final = VehicleEntityDescription(
    key="charging_plan.ready_by", fields=(DerivedValue.CHARGING_PLAN, DerivedValue.LOG), command=CHARGE_STOP
)


class ReadyBy(VehicleEntity, TimeEntity):
    """The local time at which the charging plan has reached the charge limit."""

    needs_recent_data = False

    @override
    def _update_attributes(self) -> None:
        self._attr_native_value = self.coordinator.charging_actor.ready_by
        self._shown = (self.native_value,)

    @override
    async def async_set_value(self, value: time) -> None:
        self.coordinator.charging_actor.set_ready_by(value)


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={ReadyBy: (READY_BY,)})
