"""Switches: charging, and valet mode without a PIN."""

from dataclasses import dataclass, field
from typing import Any, Final, override

from homeassistant.components.switch import SwitchEntity
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import CHARGE_START, CHARGE_STOP, SET_VALET_MODE, Command
from .api.fields import Field
from .api.records import ChargeState, VehicleState
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_simulation, add_to_each_vehicle

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two commands that undo each other, and the field whose values say which was last."""

    shows: Field[Any]
    on_values: tuple[Any, ...] = (True,)
    turn_on: Command
    turn_off: Command
    on_with: dict[str, Any] = field(default_factory=dict)
    off_with: dict[str, Any] = field(default_factory=dict)


SWITCHES: Final = (
    Pair(
        shows=ChargeState.charging_state,
        on_values=("starting", "charging"),
        turn_on=CHARGE_START,
        turn_off=CHARGE_STOP,
    ),
    Pair(
        shows=VehicleState.valet_mode,
        turn_on=SET_VALET_MODE,
        turn_off=SET_VALET_MODE,
        on_with={"on": True},
        off_with={"on": False},
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the switches."""
    add_to_each_vehicle(
        entry,
        async_add_entities,
        lambda vehicle: [VehicleSwitch(vehicle, pair) for pair in SWITCHES],
    )
    await add_simulation(hass, entry, async_add_entities, Platform.SWITCH)


class VehicleSwitch(VehicleEntity, SwitchEntity):
    """Something of a car that can be turned on and off."""

    def __init__(self, coordinator: VehicleCoordinator, pair: Pair) -> None:
        """Take the line of the table."""
        super().__init__(coordinator, pair.shows.path, pair.shows)
        self.pair = pair

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether it is on, or None if the car has not said so."""
        value = self.pair.shows.of(self.vehicle)
        return None if value is None else value in self.pair.on_values

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn it on."""
        await self.send(self.pair.turn_on, **self.pair.on_with)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn it off."""
        await self.send(self.pair.turn_off, **self.pair.off_with)
