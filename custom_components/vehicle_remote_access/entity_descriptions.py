"""What a value means → how Home Assistant shows it: device class, unit, state class, precision."""

from dataclasses import dataclass
from typing import Any, Final

from homeassistant.components.binary_sensor import BinarySensorDeviceClass
from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass
from homeassistant.const import (
    DEGREE,
    PERCENTAGE,
    UnitOfElectricCurrent,
    UnitOfElectricPotential,
    UnitOfEnergy,
    UnitOfLength,
    UnitOfPower,
    UnitOfSpeed,
    UnitOfTemperature,
    UnitOfTime,
)

from .api import value_types as kinds
from .api.value_types import Kind


@dataclass(frozen=True, kw_only=True)
class SensorLook:
    """How a kind looks as a sensor."""

    device_class: SensorDeviceClass | None = None
    unit: str | None = None
    state_class: SensorStateClass | None = None
    precision: int | None = None


_MEASURED: Final = SensorStateClass.MEASUREMENT

SENSOR_LOOKS: Final[dict[Kind[Any], SensorLook]] = {
    kinds.CHARGE_LEVEL: SensorLook(
        device_class=SensorDeviceClass.BATTERY, unit=PERCENTAGE, state_class=_MEASURED, precision=0
    ),
    kinds.PERCENT: SensorLook(unit=PERCENTAGE, state_class=_MEASURED, precision=0),
    kinds.MILES: SensorLook(
        device_class=SensorDeviceClass.DISTANCE, unit=UnitOfLength.MILES, state_class=_MEASURED, precision=0
    ),
    kinds.MILES_ADDED: SensorLook(
        device_class=SensorDeviceClass.DISTANCE,
        unit=UnitOfLength.MILES,
        state_class=SensorStateClass.TOTAL,
        precision=1,
    ),
    kinds.ODOMETER: SensorLook(
        device_class=SensorDeviceClass.DISTANCE,
        unit=UnitOfLength.MILES,
        state_class=SensorStateClass.TOTAL_INCREASING,
        precision=0,
    ),
    kinds.MILES_PER_HOUR: SensorLook(
        device_class=SensorDeviceClass.SPEED,
        unit=UnitOfSpeed.MILES_PER_HOUR,
        state_class=_MEASURED,
        precision=0,
    ),
    kinds.CELSIUS: SensorLook(
        device_class=SensorDeviceClass.TEMPERATURE,
        unit=UnitOfTemperature.CELSIUS,
        state_class=_MEASURED,
        precision=1,
    ),
    kinds.KILOWATTS: SensorLook(
        device_class=SensorDeviceClass.POWER,
        unit=UnitOfPower.KILO_WATT,
        state_class=_MEASURED,
        precision=0,
    ),
    # The car counts anew with each session; when that was is the sensor's last reset.
    kinds.KILOWATT_HOURS: SensorLook(
        device_class=SensorDeviceClass.ENERGY,
        unit=UnitOfEnergy.KILO_WATT_HOUR,
        state_class=SensorStateClass.TOTAL,
        precision=2,
    ),
    kinds.VOLTS: SensorLook(
        device_class=SensorDeviceClass.VOLTAGE,
        unit=UnitOfElectricPotential.VOLT,
        state_class=_MEASURED,
        precision=0,
    ),
    kinds.AMPERES: SensorLook(
        device_class=SensorDeviceClass.CURRENT,
        unit=UnitOfElectricCurrent.AMPERE,
        state_class=_MEASURED,
        precision=0,
    ),
    kinds.SECONDS: SensorLook(device_class=SensorDeviceClass.DURATION, unit=UnitOfTime.SECONDS, precision=0),
    kinds.DEGREES: SensorLook(unit=DEGREE, precision=0),
    kinds.COUNT: SensorLook(state_class=_MEASURED),
    kinds.COUNTER: SensorLook(state_class=SensorStateClass.TOTAL_INCREASING),
    kinds.MOMENT: SensorLook(device_class=SensorDeviceClass.TIMESTAMP),
    kinds.WHOLE: SensorLook(),
    kinds.TEXT: SensorLook(),
}
SENSOR_LOOKS[kinds.CLOCK] = SENSOR_LOOKS[kinds.MOMENT]
SENSOR_LOOKS[kinds.SPEED] = SENSOR_LOOKS[kinds.MILES_PER_HOUR]

# Of what is no field's
ENUM: Final = SensorLook(device_class=SensorDeviceClass.ENUM)
LIFETIME_ENERGY: Final = SensorLook(
    device_class=SensorDeviceClass.ENERGY,
    unit=UnitOfEnergy.KILO_WATT_HOUR,
    state_class=SensorStateClass.TOTAL_INCREASING,
    precision=1,
)
WATTS: Final = SensorLook(
    device_class=SensorDeviceClass.POWER, unit=UnitOfPower.WATT, state_class=_MEASURED, precision=0
)
HOURS_TODAY: Final = SensorLook(
    device_class=SensorDeviceClass.DURATION,
    unit=UnitOfTime.HOURS,
    state_class=SensorStateClass.TOTAL_INCREASING,
    precision=1,
)
LEARNED_TIME: Final = SensorLook(
    device_class=SensorDeviceClass.DURATION, unit=UnitOfTime.MINUTES, state_class=_MEASURED, precision=0
)

BINARY_LOOKS: Final[dict[Kind[Any], BinarySensorDeviceClass | None]] = {
    kinds.FLAG: None,
    kinds.DOOR: BinarySensorDeviceClass.DOOR,
    # Class heat would tell that something is hot; a heater runs or does not.
    kinds.HEATING: BinarySensorDeviceClass.RUNNING,
    kinds.COLD: BinarySensorDeviceClass.COLD,
    kinds.PROBLEM: BinarySensorDeviceClass.PROBLEM,
    kinds.PRESENCE: BinarySensorDeviceClass.OCCUPANCY,
    kinds.RUNNING: BinarySensorDeviceClass.RUNNING,
}


def sensor_look(kind: Kind[Any]) -> SensorLook:
    """Return how a kind looks; one that can be counted out is a list of options."""
    return ENUM if kind.options else SENSOR_LOOKS[kind]
