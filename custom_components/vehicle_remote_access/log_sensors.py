"""Sensors of the log: the last drive and charge, this month, and estimates of the battery."""

from dataclasses import dataclass
from functools import partial
from typing import Final, override

from homeassistant.components.sensor import SensorEntity, SensorEntityDescription
from homeassistant.components.sensor.const import SensorDeviceClass, SensorStateClass
from homeassistant.const import PERCENTAGE, EntityCategory, UnitOfEnergy, UnitOfEnergyDistance, UnitOfLength
from homeassistant.helpers.typing import StateType
from homeassistant.util.unit_conversion import DistanceConverter

from .drive_log.manager import log_units
from .entity import VehicleEntity, VehicleEntityDescription
from .vehicle.derived_values import DerivedValue, ListenerKey


@dataclass(frozen=True, kw_only=True)
class LogSensorEntityDescription(VehicleEntityDescription, SensorEntityDescription):
    """A sensor that shows the car's log. Its key is that of the value in `sensor_values`."""

    fields: tuple[ListenerKey, ...] = (DerivedValue.LOG,)
    attributes: tuple[str, ...] | None = None


_DISTANCE: Final = partial(
    LogSensorEntityDescription,
    device_class=SensorDeviceClass.DISTANCE,
    native_unit_of_measurement=UnitOfLength.MILES,
)
_ENERGY: Final = partial(
    LogSensorEntityDescription,
    device_class=SensorDeviceClass.ENERGY,
    native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
    suggested_display_precision=1,
)
_CONSUMPTION: Final = partial(
    LogSensorEntityDescription,
    device_class=SensorDeviceClass.ENERGY_DISTANCE,
    native_unit_of_measurement=UnitOfEnergyDistance.KILO_WATT_HOUR_PER_100_KM,
    suggested_display_precision=1,
)
_COST: Final = partial(
    LogSensorEntityDescription,
    device_class=SensorDeviceClass.MONETARY,
    suggested_display_precision=2,
)
LOG_SENSORS: Final = (
    _DISTANCE(key="log.last_drive_distance", suggested_display_precision=1),
    _ENERGY(key="log.last_drive_energy"),
    _CONSUMPTION(key="log.last_drive_consumption"),
    _ENERGY(key="log.last_charge_energy"),
    _COST(key="log.last_charge_cost"),
    _ENERGY(
        key="log.energy_charged_home",
        state_class=SensorStateClass.TOTAL_INCREASING,
        fields=(DerivedValue.ENERGY_AT_HOME,),
    ),
    _DISTANCE(key="log.month_distance", suggested_display_precision=0),
    _ENERGY(key="log.month_energy"),
    _COST(key="log.month_cost"),
    _CONSUMPTION(key="log.consumption", state_class=SensorStateClass.MEASUREMENT),
    LogSensorEntityDescription(
        key="log.standby_loss",
        native_unit_of_measurement="%/d",
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=1,
        entity_category=EntityCategory.DIAGNOSTIC,
        attributes=("power", "asleep"),
    ),
    LogSensorEntityDescription(
        key="log.battery_capacity",
        # The device class battery is for levels. With a state class, the Energy dashboard would offer it.
        device_class=SensorDeviceClass.ENERGY_STORAGE,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        suggested_display_precision=1,
        entity_category=EntityCategory.DIAGNOSTIC,
        attributes=("uncertainty",),
    ),
    LogSensorEntityDescription(
        key="log.battery_health",
        native_unit_of_measurement=PERCENTAGE,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        entity_category=EntityCategory.DIAGNOSTIC,
    ),
)


class LogSensor(VehicleEntity, SensorEntity):
    """A value of the car's log, which is known while the car is unavailable."""

    entity_description: LogSensorEntityDescription
    needs_recent_data = False

    @override
    def _update_attributes(self) -> None:
        values, units = self.coordinator.log_manager.sensor_values, log_units(self.coordinator.hass)
        value: StateType = values[self.entity_description.key.removeprefix("log.")]
        if self.device_class is SensorDeviceClass.DISTANCE and value is not None:
            # Home Assistant converts it back.
            value = DistanceConverter.convert(float(value), units.distance_unit, UnitOfLength.MILES)
        self._attr_native_value = value
        if self.device_class is SensorDeviceClass.MONETARY:
            self._attr_native_unit_of_measurement = units.currency
        if self.device_class is SensorDeviceClass.ENERGY_DISTANCE:
            self._attr_native_unit_of_measurement = (
                UnitOfEnergyDistance.MILES_PER_KILO_WATT_HOUR
                if units.has_miles
                else self.entity_description.native_unit_of_measurement
            )
        if (names := self.entity_description.attributes) is not None:
            self._attr_extra_state_attributes = {name: values[name] for name in names}
        self._shown = value, self.native_unit_of_measurement, self.extra_state_attributes
