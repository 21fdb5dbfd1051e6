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
from .vehicle.command_queue import CommandQueue

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class VehicleSwitchEntityDescription(VehicleEntityDescription, SwitchEntityDescription):
    """A switch of a car."""

    is_on_fn: Callable[[Vehicle], bool | None]
    turn_fn: Callable[[CommandQueue, bool], Awaitable[None]]


SWITCHES: Final = (
    VehicleSwitchEntityDescription(
        key=ChargeState.charging_state.path,
        # The blueprints find the switch by its device class.
        device_class=SwitchDeviceClass.SWITCH,
        fields=(ChargeState.charging_state,),
        is_on_fn=lambda vehicle: vehicle.charge_state.is_charging,
        turn_fn=lambda commands, is_on: commands.async_send(CHARGE_START if is_on else CHARGE_STOP),
    ),
    VehicleSwitchEntityDescription(
        key=VehicleState.valet_mode.path,
        fields=(VehicleState.valet_mode,),
        is_on_fn=lambda vehicle: vehicle.vehicle_state.valet_mode,
        turn_fn=lambda commands, is_on: commands.async_send(SET_VALET_MODE, on=is_on),
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
        await self.entity_description.turn_fn(self.coordinator.commands, True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.entity_description.turn_fn(self.coordinator.commands, False)


async_setup_entry = partial(
    async_setup_vehicle_platform, descriptions={VehicleSwitch: SWITCHES}, controls=Platform.SWITCH
)
