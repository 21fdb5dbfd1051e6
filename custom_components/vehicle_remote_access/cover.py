"""Covers: trunk, frunk, charge port and sun roof."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, override

from homeassistant.components.cover import (
    ATTR_POSITION,
    CoverDeviceClass,
    CoverEntity,
    CoverEntityFeature,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import (
    ACTUATE_TRUNK,
    CHARGE_PORT_DOOR_CLOSE,
    CHARGE_PORT_DOOR_OPEN,
    SUN_ROOF_CONTROL,
    Command,
)
from .api.fields import Field
from .api.records import ChargeState, VehicleConfig, VehicleState
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_to_each_vehicle

PARALLEL_UPDATES = 0

_CLOSED: Final = 0
_OPEN: Final = 100


@dataclass(frozen=True, kw_only=True)
class LidDescription:
    """A lid: the field that says whether it is open, and the commands that move it."""

    shows: Field[bool]
    opens: Command
    closes: Command
    sent_with: Mapping[str, str] = field(default_factory=dict)
    shown_if: Field[Any] | None = None
    closes_if: Field[Any] | None = None
    """The field that says whether the car can close it without a hand."""
    powered_as: str = ""
    """The name under which an owner can say that it has a motor."""


LIDS: Final = (
    LidDescription(
        shows=VehicleState.rt,
        opens=ACTUATE_TRUNK,
        closes=ACTUATE_TRUNK,
        sent_with={"which_trunk": "rear"},
        shown_if=VehicleConfig.can_actuate_trunks,
        closes_if=VehicleConfig.plg,
        powered_as="trunk",
    ),
    # A frunk has no motor unless its owner had one put in: it opens by remote and closes by hand.
    LidDescription(
        shows=VehicleState.ft,
        opens=ACTUATE_TRUNK,
        closes=ACTUATE_TRUNK,
        sent_with={"which_trunk": "front"},
        shown_if=VehicleConfig.can_actuate_trunks,
        powered_as="frunk",
    ),
    LidDescription(
        shows=ChargeState.charge_port_door_open,
        opens=CHARGE_PORT_DOOR_OPEN,
        closes=CHARGE_PORT_DOOR_CLOSE,
        closes_if=VehicleConfig.motorized_charge_port,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the covers."""
    add_to_each_vehicle(
        entry,
        async_add_entities,
        lambda vehicle: [*(Lid(vehicle, line) for line in LIDS), SunRoof(vehicle)],
    )


class Lid(VehicleEntity, CoverEntity):
    """A lid that is open or closed and nothing between."""

    _attr_device_class = CoverDeviceClass.DOOR

    def __init__(self, coordinator: VehicleCoordinator, line: LidDescription) -> None:
        """Take the line of the table."""
        fields = (line.shows, *filter(None, (line.closes_if,)))
        super().__init__(coordinator, line.shows.path, *fields, shown_if=line.shown_if)
        self.line = line

    @property
    @override
    def supported_features(self) -> CoverEntityFeature:
        """Return what the car can do with this lid without a hand."""
        is_powered = self.line.powered_as in self.coordinator.settings.powered_lids
        closes_if = self.line.closes_if
        if is_powered or (closes_if is not None and closes_if.of(self.vehicle)):
            return CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE
        return CoverEntityFeature.OPEN

    @property
    @override
    def is_closed(self) -> bool | None:
        """Return whether the lid is closed, or None if the car has not said so."""
        is_open = self.line.shows.of(self.vehicle)
        return None if is_open is None else not is_open

    @override
    async def async_open_cover(self, **kwargs: Any) -> None:
        """Open the lid."""
        await self.send(self.line.opens, {self.line.shows: True}, **self.line.sent_with)

    @override
    async def async_close_cover(self, **kwargs: Any) -> None:
        """Close the lid."""
        await self.send(self.line.closes, {self.line.shows: False}, **self.line.sent_with)


class SunRoof(VehicleEntity, CoverEntity):
    """The sun roof, which stands anywhere between closed (0 %) and open (100 %)."""

    _attr_device_class = CoverDeviceClass.WINDOW
    _attr_supported_features = (
        CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE | CoverEntityFeature.SET_POSITION
    )
    fields = (VehicleState.sun_roof_percent_open, VehicleState.sun_roof_state)

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Show how far the roof is open, on a car that has one that opens."""
        super().__init__(
            coordinator,
            VehicleState.sun_roof_percent_open.path,
            shown_if=VehicleConfig.sun_roof_installed,
        )
        self._target: int | None = None

    @property
    @override
    def current_cover_position(self) -> int | None:
        """Return how far the roof is open, in percent."""
        percent = self.vehicle.vehicle_state.sun_roof_percent_open
        return None if percent is None else round(percent)

    @property
    @override
    def is_closed(self) -> bool | None:
        """Return whether the roof is closed, or None if the car has not said so."""
        body = self.vehicle.vehicle_state
        if body.sun_roof_percent_open is not None:
            return body.sun_roof_percent_open == 0
        if body.sun_roof_state in (None, "moving", "calibrating"):
            return None
        return body.sun_roof_state == "closed"

    @property
    @override
    def is_opening(self) -> bool | None:
        """Return whether the roof moves up to where it was told to go."""
        return self._way > 0

    @property
    @override
    def is_closing(self) -> bool | None:
        """Return whether the roof moves down to where it was told to go."""
        return self._way < 0

    @property
    def _way(self) -> int:
        """Which way the roof goes: up, down, or 0 if it stands or nobody knows."""
        position = self.current_cover_position
        if self.vehicle.vehicle_state.sun_roof_state != "moving" or position is None:
            return 0
        if self._target is not None:
            return self._target - position
        # From an end there is only one way.
        return {_CLOSED: 1, _OPEN: -1}.get(position, 0)

    @callback
    @override
    def has_changed(self) -> None:
        """Show what is new. A roof that stands goes nowhere."""
        if self.vehicle.vehicle_state.sun_roof_state != "moving":
            self._target = None
        super().has_changed()

    @override
    async def async_open_cover(self, **kwargs: Any) -> None:
        """Open the roof."""
        await self._move("open", _OPEN)

    @override
    async def async_close_cover(self, **kwargs: Any) -> None:
        """Close the roof."""
        await self._move("closed", _CLOSED)

    @override
    async def async_set_cover_position(self, **kwargs: Any) -> None:
        """Move the roof to a position."""
        percent = kwargs[ATTR_POSITION]
        await self._move("move", percent, percent=percent)

    async def _move(self, state: str, position: int, **values: int) -> None:
        self._target = position
        try:
            await self.send(SUN_ROOF_CONTROL, state=state, **values)
        except HomeAssistantError:
            self._target = None
            raise
