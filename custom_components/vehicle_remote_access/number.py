"""Numbers: the charge limit, the passenger's temperature, the speed limit."""

from dataclasses import dataclass
from typing import Final, override

from homeassistant.components.number import NumberDeviceClass, NumberEntity
from homeassistant.const import PERCENTAGE, EntityCategory, Platform, UnitOfSpeed, UnitOfTemperature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import SET_CHARGE_LIMIT, SET_TEMPS, SPEED_LIMIT_SET_LIMIT, Command
from .api.fields import Field
from .api.records import ChargeState, ClimateState, SpeedLimitMode
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_simulation, add_to_each_vehicle

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A number: the field that shows it, the command and its parameter that set it."""

    shows: Field[float]
    device_class: NumberDeviceClass
    unit: str
    step: float
    category: EntityCategory | None = None
    command: Command
    parameter: str


NUMBERS: Final = (
    Setting(
        shows=ChargeState.charge_limit_soc,
        device_class=NumberDeviceClass.BATTERY,
        unit=PERCENTAGE,
        step=1,
        command=SET_CHARGE_LIMIT,
        parameter="percent",
    ),
    Setting(
        shows=ClimateState.passenger_temp_setting,
        device_class=NumberDeviceClass.TEMPERATURE,
        unit=UnitOfTemperature.CELSIUS,
        step=0.5,
        command=SET_TEMPS,
        parameter="passenger_temp",
    ),
    Setting(
        shows=SpeedLimitMode.current_limit_mph,
        device_class=NumberDeviceClass.SPEED,
        unit=UnitOfSpeed.MILES_PER_HOUR,
        step=1,
        category=EntityCategory.CONFIG,
        command=SPEED_LIMIT_SET_LIMIT,
        parameter="limit_mph",
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the numbers."""
    add_to_each_vehicle(
        entry,
        async_add_entities,
        lambda vehicle: [VehicleNumber(vehicle, setting) for setting in NUMBERS],
    )
    await add_simulation(hass, entry, async_add_entities, Platform.NUMBER)


class VehicleNumber(VehicleEntity, NumberEntity):
    """Something of a car that can be set to a number."""

    def __init__(self, coordinator: VehicleCoordinator, setting: Setting) -> None:
        """Take the line of the table."""
        parameter = setting.command.parameter(setting.parameter)
        super().__init__(coordinator, setting.shows.path, setting.shows, *(parameter.bounds or ()))
        self.setting = setting
        self.parameter = parameter
        self._attr_device_class = setting.device_class
        self._attr_native_unit_of_measurement = setting.unit
        self._attr_native_step = setting.step
        self._attr_entity_category = setting.category

    @property
    @override
    def native_value(self) -> float | None:
        """Return what is set."""
        return self.setting.shows.of(self.vehicle)

    @property
    @override
    def native_min_value(self) -> float:
        """Return the lowest number that the car takes."""
        return self.parameter.limits(self.vehicle)[0]

    @property
    @override
    def native_max_value(self) -> float:
        """Return the highest number that the car takes."""
        return self.parameter.limits(self.vehicle)[1]

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Set it."""
        await self.send(self.setting.command, **{self.setting.parameter: value})
