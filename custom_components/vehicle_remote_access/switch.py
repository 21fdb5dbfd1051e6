"""Switches: charging, and valet mode without a PIN."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, override

from homeassistant.components.switch import SwitchDeviceClass, SwitchEntity, SwitchEntityDescription
from homeassistant.const import Platform

from .api.commands import CHARGE_START, CHARGE_STOP, SET_VALET_MODE
from .api.records import ChargeState, Vehicle, VehicleState
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .vehicle.coordinator import VehicleCoordinator

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class VehicleSwitchEntityDescription(VehicleEntityDescription, SwitchEntityDescription):
    """A switch of a car."""

    is_on_fn: Callable[[Vehicle], bool | None]
    turn_on_fn: Callable[[VehicleCoordinator], Awaitable[None]]
    turn_off_fn: Callable[[VehicleCoordinator], Awaitable[None]]


SWITCHES: Final = (
    VehicleSwitchEntityDescription(
        key=ChargeState.charging_state.path,
        # The blueprints find the switch by its device class.
        device_class=SwitchDeviceClass.SWITCH,
        fields=(ChargeState.charging_state,),
        is_on_fn=lambda vehicle: vehicle.charge_state.is_charging,
        turn_on_fn=lambda coordinator: coordinator.commands.async_send(CHARGE_START),
        turn_off_fn=lambda coordinator: coordinator.commands.async_send(CHARGE_STOP),
    ),
    VehicleSwitchEntityDescription(
        key=VehicleState.valet_mode.path,
        fields=(VehicleState.valet_mode,),
        is_on_fn=lambda vehicle: vehicle.vehicle_state.valet_mode,
        turn_on_fn=lambda coordinator: coordinator.commands.async_send(SET_VALET_MODE, on=True),
        turn_off_fn=lambda coordinator: coordinator.commands.async_send(SET_VALET_MODE, on=False),
    ),
)


class VehicleSwitch(VehicleEntity, SwitchEntity):
    """A switch of a car."""

    entity_description: VehicleSwitchEntityDescription

    @override
    def _update_attributes(self) -> None:
        self._attr_is_on = self.entity_description.is_on_fn(self.vehicle)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        await self.entity_description.turn_on_fn(self.coordinator)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.entity_description.turn_off_fn(self.coordinator)


async_setup_entry = partial(
    async_setup_vehicle_platform, descriptions={VehicleSwitch: SWITCHES}, controls=Platform.SWITCH
)
