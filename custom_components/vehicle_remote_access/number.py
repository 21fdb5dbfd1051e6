"""Numbers: the charge limit, the charging current, the passenger's temperature, and the speed limit."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final, override

from homeassistant.components.number import NumberDeviceClass, NumberEntityDescription
from homeassistant.const import EntityCategory

from .api import commands
from .api.fields import Field
from .entity import VehicleControl, VehicleEntityDescription, async_setup_vehicle_platform
from .entity_descriptions import UnitSystemNumber, sensor_properties

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class VehicleNumberEntityDescription(VehicleEntityDescription, NumberEntityDescription):
    """A number of a car. The command's parameter defines its limits, and the effect its value."""

    value: Field[float]
    command: commands.Command
    parameter: commands.Parameter


def _number(
    command: commands.Command, name: str, step: float = 1, **properties: Any
) -> VehicleNumberEntityDescription:
    """Return the description for a parameter of a command. `properties`: its other properties."""
    value, parameter = command.setpoints[name], command.parameter(name)
    sensor = sensor_properties(value.value_type)
    return VehicleNumberEntityDescription(
        fields=(value, *filter(None, parameter.bounds or ())),
        value=value,
        command=command,
        parameter=parameter,
        native_step=step,
        native_unit_of_measurement=sensor.native_unit_of_measurement,
        **{"device_class": sensor.device_class and NumberDeviceClass(sensor.device_class), **properties},
    )


NUMBERS: Final = (
    _number(commands.SET_CHARGE_LIMIT, "percent", device_class=NumberDeviceClass.BATTERY),
    _number(commands.SET_CHARGING_AMPS, "charging_amps"),
    _number(commands.SET_TEMPS, "passenger_temp", step=0.5),
    _number(commands.SPEED_LIMIT_SET_LIMIT, "limit_mph", entity_category=EntityCategory.CONFIG),
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
        await self.async_send(number.command, **{number.parameter.name: value})


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={VehicleNumber: NUMBERS})
