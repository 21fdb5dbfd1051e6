"""Numbers: the charge limit, the charging current, the passenger's temperature, and the speed limit."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final, override

from homeassistant.components.number import NumberDeviceClass, NumberEntityDescription
from homeassistant.const import (
    PERCENTAGE,
    EntityCategory,
    UnitOfElectricCurrent,
    UnitOfSpeed,
    UnitOfTemperature,
)

from .api.commands import (
    SET_CHARGE_LIMIT,
    SET_CHARGING_AMPS,
    SET_TEMPS,
    SPEED_LIMIT_SET_LIMIT,
    Command,
    Parameter,
)
from .api.fields import Field
from .entity import VehicleControl, VehicleEntityDescription, async_setup_vehicle_platform
from .entity_descriptions import UnitSystemNumber

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class VehicleNumberEntityDescription(VehicleEntityDescription, NumberEntityDescription):
    """A number of a car. The command's parameter defines its limits, and the effect its value."""

    value: Field[float]
    command: Command
    parameter: Parameter


def _number(command: Command, name: str, **properties: Any) -> VehicleNumberEntityDescription:
    """Return the description for a parameter of a command. `properties`: those of numbers."""
    value, parameter = command.setpoints[name], command.parameter(name)
    return VehicleNumberEntityDescription(
        key=value.path,
        fields=(value, *filter(None, parameter.bounds or ())),
        value=value,
        command=command,
        parameter=parameter,
        **properties,
    )


NUMBERS: Final = (
    _number(
        SET_CHARGE_LIMIT,
        "percent",
        device_class=NumberDeviceClass.BATTERY,
        native_unit_of_measurement=PERCENTAGE,
        native_step=1,
    ),
    _number(
        SET_CHARGING_AMPS,
        "charging_amps",
        device_class=NumberDeviceClass.CURRENT,
        native_unit_of_measurement=UnitOfElectricCurrent.AMPERE,
        native_step=1,
    ),
    _number(
        SET_TEMPS,
        "passenger_temp",
        device_class=NumberDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        native_step=0.5,
    ),
    _number(
        SPEED_LIMIT_SET_LIMIT,
        "limit_mph",
        device_class=NumberDeviceClass.SPEED,
        entity_category=EntityCategory.CONFIG,
        native_unit_of_measurement=UnitOfSpeed.MILES_PER_HOUR,
        native_step=1,
    ),
)


class VehicleNumber(VehicleControl, UnitSystemNumber):
    """A number of a car."""

    entity_description: VehicleNumberEntityDescription

    @override
    def _update_attributes(self) -> None:
        number = self.entity_description
        self._attr_native_value = number.value.get(self.vehicle)
        self._attr_native_min_value, self._attr_native_max_value = number.parameter.limits(self.vehicle)

    @override
    async def async_set_native_value(self, value: float) -> None:
        number = self.entity_description
        await self.send(number.command, **{number.parameter.name: value})


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={VehicleNumber: NUMBERS})
