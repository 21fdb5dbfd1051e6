"""Covers: trunk, frunk, charge port, tonneau, windows, and sunroof."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, override

from homeassistant.components.cover import (
    ATTR_POSITION,
    CoverDeviceClass,
    CoverEntity,
    CoverEntityDescription,
    CoverEntityFeature,
)
from homeassistant.exceptions import HomeAssistantError

from .api import commands
from .api.commands import Command
from .api.fields import Field
from .api.records import WINDOWS, ChargeState, VehicleConfig, VehicleState
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .vehicle.derived_values import DerivedValue

PARALLEL_UPDATES = 0

_CLOSED: Final = 0
_OPEN: Final = 100
# A sunroof in an end position can move in only one direction.
_DIRECTION_FROM_END: Final[Mapping[int | None, int]] = {_CLOSED: 1, _OPEN: -1}


@dataclass(frozen=True, kw_only=True)
class LidEntityDescription(VehicleEntityDescription, CoverEntityDescription):
    """A lid, which is either open or closed."""

    is_open: Field[bool]
    open_command: Command
    close_command: Command
    values: Mapping[str, str] = field(default_factory=dict)
    """The values of both commands."""
    is_powered: Field[Any] | None = None
    """The field that reports whether the car can close the lid itself."""
    powered_lid: str = ""
    """The lid's name in the option `powered_lids`."""


LIDS: Final = (
    LidEntityDescription(
        fields=(VehicleState.rt, VehicleConfig.plg, DerivedValue.OPTIONS),
        is_open=VehicleState.rt,
        open_command=commands.ACTUATE_TRUNK,
        close_command=commands.ACTUATE_TRUNK,
        values={"which_trunk": "rear"},
        shown_if=VehicleConfig.can_actuate_trunks,
        is_powered=VehicleConfig.plg,
        powered_lid="trunk",
    ),
    # Without an aftermarket motor, the frunk can be opened remotely but only be closed by hand.
    LidEntityDescription(
        fields=(VehicleState.ft, DerivedValue.OPTIONS),
        is_open=VehicleState.ft,
        open_command=commands.ACTUATE_TRUNK,
        close_command=commands.ACTUATE_TRUNK,
        values={"which_trunk": "front"},
        shown_if=VehicleConfig.can_actuate_trunks,
        powered_lid="frunk",
    ),
    LidEntityDescription(
        fields=(ChargeState.charge_port_door_open, VehicleConfig.motorized_charge_port),
        is_open=ChargeState.charge_port_door_open,
        open_command=commands.CHARGE_PORT_DOOR_OPEN,
        close_command=commands.CHARGE_PORT_DOOR_CLOSE,
        is_powered=VehicleConfig.motorized_charge_port,
    ),
)
TONNEAU: Final = LidEntityDescription(
    fields=(VehicleState.tonneau_position,),
    is_open=VehicleState.tonneau_position,
    open_command=commands.OPEN_TONNEAU,
    close_command=commands.CLOSE_TONNEAU,
    shown_if=VehicleConfig.car_type,
)
SUNROOF: Final = VehicleEntityDescription(
    fields=(VehicleState.sun_roof_percent_open, VehicleState.sun_roof_state),
    shown_if=VehicleConfig.sun_roof_installed,
)
ALL_WINDOWS: Final = VehicleEntityDescription(key="windows", fields=WINDOWS, command=commands.WINDOW_CONTROL)


class Lid(VehicleEntity, CoverEntity):
    """A lid, which is either open or closed."""

    _attr_device_class = CoverDeviceClass.DOOR
    entity_description: LidEntityDescription

    @override
    def _update_attributes(self) -> None:
        lid = self.entity_description
        is_open, requested = lid.is_open.get(self.vehicle), self.requested(lid.is_open)
        self._attr_is_closed = None if is_open is None else not is_open
        self._attr_is_opening, self._attr_is_closing = requested is True, requested is False
        # Only a motor can close the lid. The car or the owner tells whether there is one.
        has_motor = lid.is_powered is not None and bool(lid.is_powered.get(self.vehicle))
        self._attr_supported_features = CoverEntityFeature.OPEN
        if has_motor or lid.powered_lid in self.coordinator.known.options.powered_lids:
            self._attr_supported_features |= CoverEntityFeature.CLOSE

    @override
    async def async_open_cover(self, **kwargs: Any) -> None:
        lid = self.entity_description
        await self.async_send(lid.open_command, {lid.is_open: True}, **lid.values)

    @override
    async def async_close_cover(self, **kwargs: Any) -> None:
        lid = self.entity_description
        await self.async_send(lid.close_command, {lid.is_open: False}, **lid.values)


class Tonneau(Lid):
    """The motorized tonneau over the bed of a pickup truck. No read contains its position."""

    @property
    @override
    def is_installed(self) -> bool:
        return self.vehicle.vehicle_config.car_type == "cybertruck"

    @override
    def _update_attributes(self) -> None:
        super()._update_attributes()
        self._attr_supported_features = CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE
        if self.coordinator.provider.type.has(commands.STOP_TONNEAU):
            self._attr_supported_features |= CoverEntityFeature.STOP

    @override
    async def async_stop_cover(self, **kwargs: Any) -> None:
        await self.async_send(commands.STOP_TONNEAU)


class Windows(VehicleEntity, CoverEntity):
    """All windows together. They can only be opened a little, to vent the car."""

    _attr_device_class = CoverDeviceClass.WINDOW
    _attr_supported_features = CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE

    @override
    def _update_attributes(self) -> None:
        is_open, requested = self.vehicle.is_any_window_open, {*map(self.requested, WINDOWS)}
        self._attr_is_closed = None if is_open is None else not is_open
        self._attr_is_opening, self._attr_is_closing = True in requested, False in requested

    @override
    async def async_open_cover(self, **kwargs: Any) -> None:
        await self._move("vent", is_open=True)

    @override
    async def async_close_cover(self, **kwargs: Any) -> None:
        await self._move("close", is_open=False)

    async def _move(self, command: str, *, is_open: bool) -> None:
        expected = dict.fromkeys(WINDOWS, is_open)
        place = self.coordinator.command_position
        await self.async_send(commands.WINDOW_CONTROL, expected, command=command, **place)


class Sunroof(VehicleEntity, CoverEntity):
    """The sunroof."""

    _attr_device_class = CoverDeviceClass.WINDOW
    _target: int | None = None

    @override
    def _update_attributes(self) -> None:
        self._commands = self.coordinator.provider.type.sun_roof_commands
        self._attr_supported_features = CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE
        if "move" in self._commands:
            self._attr_supported_features |= CoverEntityFeature.SET_POSITION
        if "stop" in self._commands:
            self._attr_supported_features |= CoverEntityFeature.STOP
        body = self.vehicle.vehicle_state
        percent, state = body.sun_roof_percent_open, body.sun_roof_state
        self._attr_is_closed = None
        if percent is not None:
            self._attr_is_closed = percent == 0
        elif state not in (None, "moving", "calibrating"):
            self._attr_is_closed = state == "closed"
        self._attr_current_cover_position = position = None if percent is None else round(percent)
        direction = 0
        if self.coordinator.expected_data.vehicle_state.sun_roof_state != "moving":
            self._target = None
        elif self._target is None:
            direction = _DIRECTION_FROM_END.get(position, 0)
        elif position is not None:
            direction = self._target - position
        self._attr_is_opening, self._attr_is_closing = direction > 0, direction < 0

    @override
    async def async_open_cover(self, **kwargs: Any) -> None:
        state, position = ("open", _OPEN) if "open" in self._commands else ("vent", None)
        await self._move(state, position)

    @override
    async def async_close_cover(self, **kwargs: Any) -> None:
        await self._move("closed", _CLOSED)

    @override
    async def async_set_cover_position(self, **kwargs: Any) -> None:
        percent = kwargs[ATTR_POSITION]
        await self._move("move", percent, percent=percent)

    @override
    async def async_stop_cover(self, **kwargs: Any) -> None:
        # Where it stops is unknown until the car reports it.
        await self.async_send(commands.SUN_ROOF_CONTROL, {VehicleState.sun_roof_state: None}, state="stop")

    async def _move(self, state: str, position: int | None, **values: int) -> None:
        self._target = position
        try:
            await self.async_send(commands.SUN_ROOF_CONTROL, state=state, **values)
        except HomeAssistantError:
            self._target = None
            raise


async_setup_entry = partial(
    async_setup_vehicle_platform,
    descriptions={Lid: LIDS, Tonneau: [TONNEAU], Windows: [ALL_WINDOWS], Sunroof: [SUNROOF]},
)
