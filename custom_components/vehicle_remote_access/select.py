"""Selects: the levels of heaters and seat cooling."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, override

from homeassistant.components.select import SelectEntity, SelectEntityDescription

from .api import commands
from .api.commands import Command
from .api.fields import Field
from .api.records import ClimateState
from .api.value_types import HEAT_LEVELS
from .entity import VehicleControl, VehicleEntityDescription, async_setup_vehicle_platform

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class LevelEntityDescription(VehicleEntityDescription, SelectEntityDescription):
    """The level of a heater or cooler."""

    level: Field[str]
    command: Command
    parameter: str
    """The parameter of the level's number."""
    values: Mapping[str, int]
    """The other values of the command."""


def _level(
    level: Field[str], command: Command, parameter: str = "level", **values: int
) -> LevelEntityDescription:
    return LevelEntityDescription(
        fields=(level,),
        shown_if=level.shown_if,
        entity_registry_enabled_default=level.enabled,
        options=[option for option in HEAT_LEVELS.options if option in level.value_type.options],
        level=level,
        command=command,
        parameter=parameter,
        values=values,
    )


LEVELS: Final = (
    *(
        _level(seat, commands.REMOTE_SEAT_HEATER_REQUEST, heater=number, seat_position=number)
        for seat, number in commands.SEAT_HEATERS.items()
    ),
    _level(ClimateState.steering_wheel_heat_level, commands.REMOTE_STEERING_WHEEL_HEAT_LEVEL_REQUEST),
    *(
        _level(seat, commands.REMOTE_SEAT_COOLER_REQUEST, "seat_cooler_level", seat_position=number)
        for seat, number in commands.SEAT_COOLERS.items()
    ),
)


class Level(VehicleControl, SelectEntity):
    """The level of a heater or cooler."""

    entity_description: LevelEntityDescription

    @override
    def _update_attributes(self) -> None:
        level = self.entity_description.level.get(self.vehicle)
        self._attr_current_option = level if level in self.options else None

    @override
    async def async_select_option(self, option: str) -> None:
        description = self.entity_description
        number = HEAT_LEVELS.options.index(option)
        values = {**description.values, description.parameter: number}
        is_on = option != "off"
        expected: dict[Field[Any], Any] = {description.level: option}
        if description.level is ClimateState.steering_wheel_heat_level:
            expected[ClimateState.steering_wheel_heater] = is_on
        await self.coordinator.commands.async_send_to_heater(description.command, expected, is_on, **values)


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={Level: LEVELS})
