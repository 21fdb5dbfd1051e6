"""Switches: charging, valet mode without a PIN, sentry and guest mode, defrosting and heaters."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, override

from homeassistant.components.switch import SwitchDeviceClass, SwitchEntity, SwitchEntityDescription

from .api import commands
from .api.commands import Command
from .api.fields import Field
from .api.records import ChargeState, ClimateState, Vehicle, VehicleState
from .entity import VehicleControl, VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .vehicle.command_queue import CommandQueue
from .vehicle.derived_values import DerivedValue

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class VehicleSwitchEntityDescription(VehicleEntityDescription, SwitchEntityDescription):
    """A switch of a car."""

    is_on_fn: Callable[[Vehicle], bool | None]
    turn_fn: Callable[[CommandQueue, bool], Awaitable[None]]


def _switch(
    field: Field[bool], command: Command, parameter: str = "on", *, enabled: bool = True, **values: int
) -> VehicleSwitchEntityDescription:
    """Return the switch for a field that a command sets. `values`: the other values of the command."""
    return VehicleSwitchEntityDescription(
        fields=(field,),
        command=command,
        entity_registry_enabled_default=enabled,
        is_on_fn=field.get,
        turn_fn=lambda queue, is_on: queue.async_send(
            command, None if field in command.effects else {field: is_on}, **{parameter: is_on, **values}
        ),
    )


async def _turn_wheel_heater(queue: CommandQueue, is_on: bool) -> None:  # noqa: FBT001 - as `turn_fn`
    expected: dict[Field[Any], Any] = {ClimateState.steering_wheel_heater: is_on}
    if not is_on:
        expected[ClimateState.steering_wheel_heat_level] = "off"
    await queue.async_send_to_heater(commands.REMOTE_STEERING_WHEEL_HEATER_REQUEST, expected, is_on, on=is_on)


SWITCHES: Final = (
    VehicleSwitchEntityDescription(
        # The blueprints find the switch by its device class.
        device_class=SwitchDeviceClass.SWITCH,
        fields=(ChargeState.charging_state,),
        is_on_fn=lambda vehicle: vehicle.charge_state.is_charging,
        turn_fn=lambda queue, is_on: queue.async_send(
            commands.CHARGE_START if is_on else commands.CHARGE_STOP
        ),
    ),
    _switch(VehicleState.valet_mode, commands.SET_VALET_MODE),
    VehicleSwitchEntityDescription(
        fields=(ClimateState.steering_wheel_heater,),
        command=commands.REMOTE_STEERING_WHEEL_HEATER_REQUEST,
        is_on_fn=ClimateState.steering_wheel_heater.get,
        turn_fn=_turn_wheel_heater,
    ),
    _switch(VehicleState.sentry_mode, commands.SET_SENTRY_MODE),
    _switch(ClimateState.defrost_mode, commands.SET_PRECONDITIONING_MAX, manual_override=False),
    _switch(ClimateState.bioweapon_mode, commands.SET_BIOWEAPON_MODE, enabled=False, manual_override=False),
    _switch(VehicleState.guest_mode_enabled, commands.GUEST_MODE, "enable", enabled=False),
    _switch(ClimateState.auto_steering_wheel_heat, commands.REMOTE_AUTO_STEERING_WHEEL_HEAT_CLIMATE_REQUEST),
    *(
        _switch(seat, commands.REMOTE_AUTO_SEAT_CLIMATE_REQUEST, "auto_climate_on", auto_seat_position=number)
        for seat, number in commands.AUTO_SEATS.items()
    ),
)


class VehicleSwitch(VehicleControl, SwitchEntity):
    """A switch of a car."""

    entity_description: VehicleSwitchEntityDescription

    @override
    def _update_attributes(self) -> None:
        self._attr_is_on = self.entity_description.is_on_fn(self.vehicle)
        # With an unknown state, Home Assistant then shows a button for on and one for off.
        self._attr_assumed_state = self._attr_is_on is None

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        await self.entity_description.turn_fn(self.coordinator.commands, True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.entity_description.turn_fn(self.coordinator.commands, False)


class ChargingPlanSwitch(VehicleEntity, SwitchEntity):
    """Whether the car is charged by a plan."""

    needs_recent_data = False

    @override
    def _update_attributes(self) -> None:
        self._attr_is_on = self.coordinator.charging_actor.is_on
        self._shown = (self.is_on,)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        self.coordinator.charging_actor.turn(is_on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        self.coordinator.charging_actor.turn(is_on=False)


CHARGING_PLAN: Final = VehicleEntityDescription(
    key="charging_plan", fields=(DerivedValue.CHARGING_PLAN,), command=commands.CHARGE_STOP
)
async_setup_entry = partial(
    async_setup_vehicle_platform, descriptions={VehicleSwitch: SWITCHES, ChargingPlanSwitch: (CHARGING_PLAN,)}
)
