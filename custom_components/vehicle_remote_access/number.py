"""Numbers: the charge limit, the passenger's temperature, the speed limit."""

from dataclasses import dataclass
from typing import Final, override

from homeassistant.components.number import NumberDeviceClass, NumberEntity
from homeassistant.const import PERCENTAGE, EntityCategory, UnitOfSpeed, UnitOfTemperature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import SET_CHARGE_LIMIT, SET_TEMPS, SPEED_LIMIT_SET_LIMIT, Command
from .api.field import Field
from .api.records import ChargeState, ClimateState, SpeedLimitMode
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_to_each_vehicle

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A number: the field that shows it, the fields that bound it, the command that sets it."""

    shows: Field[float]
    lowest: Field[float]
    highest: Field[float]
    otherwise: tuple[float, float]
    """The bounds of a car that names none."""
    device_class: NumberDeviceClass
    unit: str
    step: float
    category: EntityCategory | None = None
    command: Command
    parameter: str


NUMBERS: Final = (
    Setting(
        shows=ChargeState.charge_limit_soc,
        lowest=ChargeState.charge_limit_soc_min,
        highest=ChargeState.charge_limit_soc_max,
        otherwise=(50, 100),
        device_class=NumberDeviceClass.BATTERY,
        unit=PERCENTAGE,
        step=1,
        command=SET_CHARGE_LIMIT,
        parameter="percent",
    ),
    Setting(
        shows=ClimateState.passenger_temp_setting,
        lowest=ClimateState.min_avail_temp,
        highest=ClimateState.max_avail_temp,
        otherwise=(15, 28),
        device_class=NumberDeviceClass.TEMPERATURE,
        unit=UnitOfTemperature.CELSIUS,
        step=0.5,
        command=SET_TEMPS,
        parameter="passenger_temp",
    ),
    Setting(
        shows=SpeedLimitMode.current_limit_mph,
        lowest=SpeedLimitMode.min_limit_mph,
        highest=SpeedLimitMode.max_limit_mph,
        otherwise=(50, 90),
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


class VehicleNumber(VehicleEntity, NumberEntity):
    """Something of a car that can be set to a number."""

    def __init__(self, coordinator: VehicleCoordinator, setting: Setting) -> None:
        """Take the line of the table."""
        super().__init__(coordinator, setting.shows.path, setting.shows, setting.lowest, setting.highest)
        self.setting = setting
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
        return self._bounds[0]

    @property
    @override
    def native_max_value(self) -> float:
        """Return the highest number that the car takes."""
        return self._bounds[1]

    @property
    def _bounds(self) -> tuple[float, float]:
        return self.bounds(self.setting.lowest, self.setting.highest, self.setting.otherwise)

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Set it."""
        await self.send(self.setting.command, None, **{self.setting.parameter: value})
