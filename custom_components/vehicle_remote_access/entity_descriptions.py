"""Maps value types to device classes, units, state classes, and precisions of Home Assistant."""

from dataclasses import dataclass
from typing import Any, Final, override

from homeassistant import const
from homeassistant.components.binary_sensor import BinarySensorDeviceClass
from homeassistant.components.number import NumberEntity
from homeassistant.components.number.const import DOMAIN as NUMBER
from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass
from homeassistant.helpers.entity_registry import EntityOptionsType

from .api import value_types
from .api.value_types import ValueType


@dataclass(frozen=True)
class SensorProperties:
    """Properties of a sensor, as in SensorEntityDescription."""

    device_class: SensorDeviceClass | None = None
    native_unit_of_measurement: str | None = None
    state_class: SensorStateClass | None = None
    suggested_display_precision: int | None = None


def _number(device_class: SensorDeviceClass | None, unit: str, digits: int = 0) -> SensorProperties:
    return SensorProperties(device_class, unit, None, digits)


def _measurement(device_class: SensorDeviceClass, unit: str, digits: int = 0) -> SensorProperties:
    """Return the properties of a sensor with long-term statistics, which take 288 rows a day."""
    return SensorProperties(device_class, unit, SensorStateClass.MEASUREMENT, digits)


_SPEED: Final = _number(SensorDeviceClass.SPEED, const.UnitOfSpeed.MILES_PER_HOUR)
SENSOR_PROPERTIES: Final[dict[ValueType[Any], SensorProperties]] = {
    value_types.CHARGE_LEVEL: _measurement(SensorDeviceClass.BATTERY, const.PERCENTAGE),
    value_types.LEVEL_AT_ARRIVAL: _number(None, const.PERCENTAGE),
    value_types.PERCENT: _number(None, const.PERCENTAGE),
    value_types.MILES: _measurement(SensorDeviceClass.DISTANCE, const.UnitOfLength.MILES),
    # The car resets its counters of added miles and energy with each charging session.
    value_types.MILES_ADDED: SensorProperties(
        SensorDeviceClass.DISTANCE, const.UnitOfLength.MILES, SensorStateClass.TOTAL, 1
    ),
    # Without a state class, because the Energy dashboard should offer only the energy charged at home.
    value_types.KILOWATT_HOURS: _number(SensorDeviceClass.ENERGY, const.UnitOfEnergy.KILO_WATT_HOUR, 1),
    value_types.STORED_ENERGY: _number(
        SensorDeviceClass.ENERGY_STORAGE, const.UnitOfEnergy.KILO_WATT_HOUR, 1
    ),
    value_types.BAR: _number(SensorDeviceClass.PRESSURE, const.UnitOfPressure.BAR, 1),
    value_types.ODOMETER: SensorProperties(
        SensorDeviceClass.DISTANCE, const.UnitOfLength.MILES, SensorStateClass.TOTAL_INCREASING, 0
    ),
    value_types.MILES_PER_HOUR: _SPEED,
    value_types.SPEED: _SPEED,
    value_types.CELSIUS: _measurement(SensorDeviceClass.TEMPERATURE, const.UnitOfTemperature.CELSIUS, 1),
    value_types.KILOWATTS: _measurement(SensorDeviceClass.POWER, const.UnitOfPower.KILO_WATT),
    value_types.VOLTS: _number(SensorDeviceClass.VOLTAGE, const.UnitOfElectricPotential.VOLT),
    value_types.AMPERES: _number(SensorDeviceClass.CURRENT, const.UnitOfElectricCurrent.AMPERE),
    value_types.MINUTES: _number(SensorDeviceClass.DURATION, const.UnitOfTime.MINUTES),
    value_types.SECONDS: _number(SensorDeviceClass.DURATION, const.UnitOfTime.SECONDS),
    value_types.DEGREES: _number(None, const.DEGREE),
    value_types.COUNT: SensorProperties(state_class=SensorStateClass.MEASUREMENT),
    value_types.COUNTER: SensorProperties(state_class=SensorStateClass.TOTAL_INCREASING),
    value_types.TIMESTAMP: SensorProperties(SensorDeviceClass.TIMESTAMP),
    value_types.RECORD_TIMESTAMP: SensorProperties(SensorDeviceClass.TIMESTAMP),
    value_types.TIME_OF_DAY: SensorProperties(),
    value_types.INTEGER: SensorProperties(),
    value_types.TEXT: SensorProperties(),
}
STATE_STEPS: Final[dict[ValueType[Any], float]] = {
    value_types.MILES: 0.1,
    value_types.ODOMETER: 0.1,
    value_types.KILOWATT_HOURS: 0.1,
    value_types.STORED_ENERGY: 0.1,
    value_types.CELSIUS: 0.5,
}
"""The steps of states that change all the time in use: each change is a row in the database."""
_ENUM: Final = SensorProperties(SensorDeviceClass.ENUM)

BINARY_SENSOR_DEVICE_CLASSES: Final[dict[ValueType[Any], BinarySensorDeviceClass | None]] = {
    value_types.FLAG: None,
    value_types.DOOR: BinarySensorDeviceClass.DOOR,
    value_types.WINDOW: BinarySensorDeviceClass.WINDOW,
    # Device class heat would mean that the temperature is high.
    value_types.HEATING: BinarySensorDeviceClass.RUNNING,
    value_types.COLD: BinarySensorDeviceClass.COLD,
    value_types.PROBLEM: BinarySensorDeviceClass.PROBLEM,
    value_types.PRESENCE: BinarySensorDeviceClass.OCCUPANCY,
    value_types.RUNNING: BinarySensorDeviceClass.RUNNING,
    value_types.RECORDING: BinarySensorDeviceClass.RUNNING,
}


def sensor_properties(value_type: ValueType[Any]) -> SensorProperties:
    return _ENUM if value_type.options else SENSOR_PROPERTIES[value_type]


def rounded_state[T: float | None](value: T, value_type: ValueType[Any]) -> T | float:
    """Return a value as the state of an entity shows it."""
    step = STATE_STEPS.get(value_type)
    return value if value is None or step is None else round(round(value / step) * step, 1)


class UnitSystemNumber(NumberEntity):
    """A number whose default unit is that of the unit system. Home Assistant itself converts only sensors."""

    @override
    def get_initial_entity_options(self) -> EntityOptionsType | None:
        units = self.hass.config.units
        unit = units.get_converted_unit(self.device_class, self.native_unit_of_measurement)
        return {NUMBER: {const.CONF_UNIT_OF_MEASUREMENT: unit}} if unit else None
