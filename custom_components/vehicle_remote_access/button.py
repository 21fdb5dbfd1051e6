"""Buttons: commands without values, waking the car, and reading it now."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, override

from homeassistant.components.button import ButtonEntity, ButtonEntityDescription
from homeassistant.const import EntityCategory

from .api import commands
from .api.commands import Command
from .api.records import ChargeState, VehicleConfig, VehicleState
from .api.service_types import ServiceType
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .vehicle.coordinator import VehicleCoordinator

PARALLEL_UPDATES = 0

type _Press = Callable[[VehicleCoordinator], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class VehicleButtonEntityDescription(VehicleEntityDescription, ButtonEntityDescription):
    """A button of a car."""

    press_fn: _Press


def _send(command: Command, **values: Any) -> _Press:
    return lambda coordinator: coordinator.commands.async_send(command, **values)


def _button(command: Command, press: _Press | None = None, **others: Any) -> VehicleButtonEntityDescription:
    """Return the button for a command. `others`: other properties of its description."""
    return VehicleButtonEntityDescription(
        key=command.name, command=command, press_fn=press or _send(command), **others
    )


def _accepts_roof_state(state: str) -> Callable[[ServiceType], bool]:
    return lambda service_type: state in service_type.sun_roof_commands


_SELDOM_USED: Final[Any] = {
    "entity_category": EntityCategory.CONFIG,
    "entity_registry_enabled_default": False,
}
BUTTONS: Final = (
    _button(commands.HONK_HORN),
    _button(commands.FLASH_LIGHTS),
    _button(commands.CHARGE_STANDARD, shown_if=ChargeState.charge_limit_soc_std),
    _button(commands.CHARGE_MAX_RANGE),
    *(
        VehicleButtonEntityDescription(
            key=f"{commands.SUN_ROOF_CONTROL.name}.{state}",
            press_fn=_send(commands.SUN_ROOF_CONTROL, state=state),
            shown_if=VehicleConfig.sun_roof_installed,
            offered_fn=_accepts_roof_state(state),
        )
        for state in ("vent", "comfort")
    ),
    _button(commands.RESET_VALET_PIN, **_SELDOM_USED),
    _button(commands.WAKE_UP),
    _button(
        commands.REMOTE_START_DRIVE,
        shown_if=VehicleState.remote_start_supported,
        # A button has no field for a password.
        offered_fn=lambda service_type: not service_type.form(commands.REMOTE_START_DRIVE).parameters,
    ),
    # While a cable is plugged in, the command unlocks it. Then, the cover of the charge port is open already.
    _button(commands.CHARGE_PORT_DOOR_OPEN, offered_fn=lambda service_type: service_type.is_fleet),
    _button(
        commands.TRIGGER_HOMELINK,
        shown_if=VehicleState.homelink_device_count,
        press=lambda coordinator: coordinator.commands.async_send(
            commands.TRIGGER_HOMELINK, **coordinator.command_position
        ),
    ),
    _button(commands.REMOTE_BOOMBOX, press=_send(commands.REMOTE_BOOMBOX, sound=0)),
    _button(commands.DASHCAM_SAVE),
    _button(commands.AUTO_SECURE_VEHICLE),
    # Two buttons for each mode, because no car reports it.
    _button(commands.ENABLE_ACCESSORY_POWER, **_SELDOM_USED),
    _button(commands.DISABLE_ACCESSORY_POWER, **_SELDOM_USED),
    _button(commands.ENABLE_LOW_POWER_MODE, **_SELDOM_USED),
    _button(commands.DISABLE_LOW_POWER_MODE, **_SELDOM_USED),
    _button(commands.CANCEL_SOFTWARE_UPDATE, entity_category=EntityCategory.CONFIG),
    VehicleButtonEntityDescription(
        key="refresh",
        entity_category=EntityCategory.DIAGNOSTIC,
        press_fn=lambda coordinator: coordinator.async_read_now(),
    ),
)


class VehicleButton(VehicleEntity, ButtonEntity):
    """A button of a car."""

    entity_description: VehicleButtonEntityDescription

    @override
    async def async_press(self) -> None:
        await self.entity_description.press_fn(self.coordinator)


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={VehicleButton: BUTTONS})
