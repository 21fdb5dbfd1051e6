"""Numbers: the charge limit, the passenger's temperature, and the speed limit."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, override

from homeassistant.components.number import NumberDeviceClass, NumberEntity, NumberEntityDescription
from homeassistant.const import PERCENTAGE, EntityCategory, Platform, UnitOfSpeed, UnitOfTemperature
from homeassistant.helpers.entity_registry import EntityOptionsType

from .api.commands import SET_CHARGE_LIMIT, SET_TEMPS, SPEED_LIMIT_SET_LIMIT, Command, Parameter
from .api.records import ChargeState, ClimateState, SpeedLimitMode, Vehicle
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .entity_descriptions import number_options

PARALLEL_UPDATES = 0

_CHARGE_LIMIT: Final = SET_CHARGE_LIMIT.parameter("percent")
_PASSENGER_TEMPERATURE: Final = SET_TEMPS.parameter("passenger_temp")
_SPEED_LIMIT: Final = SPEED_LIMIT_SET_LIMIT.parameter("limit_mph")


@dataclass(frozen=True, kw_only=True)
class VehicleNumberEntityDescription(VehicleEntityDescription, NumberEntityDescription):
    """A number of a car. The command's parameter defines its limits."""

    value_fn: Callable[[Vehicle], float | None]
    command: Command
    parameter: Parameter


NUMBERS: Final = (
    VehicleNumberEntityDescription(
        key=ChargeState.charge_limit_soc.path,
        device_class=NumberDeviceClass.BATTERY,
        native_unit_of_measurement=PERCENTAGE,
        native_step=1,
        fields=(ChargeState.charge_limit_soc, *(_CHARGE_LIMIT.bounds or ())),
        value_fn=ChargeState.charge_limit_soc.get,
        command=SET_CHARGE_LIMIT,
        parameter=_CHARGE_LIMIT,
    ),
    VehicleNumberEntityDescription(
        key=ClimateState.passenger_temp_setting.path,
        device_class=NumberDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        native_step=0.5,
        fields=(ClimateState.passenger_temp_setting, *(_PASSENGER_TEMPERATURE.bounds or ())),
        value_fn=ClimateState.passenger_temp_setting.get,
        command=SET_TEMPS,
        parameter=_PASSENGER_TEMPERATURE,
    ),
    VehicleNumberEntityDescription(
        key=SpeedLimitMode.current_limit_mph.path,
        device_class=NumberDeviceClass.SPEED,
        entity_category=EntityCategory.CONFIG,
        native_unit_of_measurement=UnitOfSpeed.MILES_PER_HOUR,
        native_step=1,
        fields=(SpeedLimitMode.current_limit_mph, *(_SPEED_LIMIT.bounds or ())),
        value_fn=SpeedLimitMode.current_limit_mph.get,
        command=SPEED_LIMIT_SET_LIMIT,
        parameter=_SPEED_LIMIT,
    ),
)


class VehicleNumber(VehicleEntity, NumberEntity):
    """A number of a car."""

    entity_description: VehicleNumberEntityDescription

    @override
    def get_initial_entity_options(self) -> EntityOptionsType | None:
        return number_options(self)

    @override
    def _update_attributes(self) -> None:
        number = self.entity_description
        self._attr_native_value = number.value_fn(self.vehicle)
        self._attr_native_min_value, self._attr_native_max_value = number.parameter.limits(self.vehicle)

    @override
    async def async_set_native_value(self, value: float) -> None:
        number = self.entity_description
        await self.coordinator.commands.async_send(number.command, **{number.parameter.name: value})


async_setup_entry = partial(
    async_setup_vehicle_platform, descriptions={VehicleNumber: NUMBERS}, controls=Platform.NUMBER
)
