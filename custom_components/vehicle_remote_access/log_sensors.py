"""Sensors of the log: the last drive and charge, this month, and estimates of the battery."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, override

from homeassistant.components.sensor import SensorEntity, SensorEntityDescription
from homeassistant.components.sensor.const import ATTR_STATE_CLASS, SensorDeviceClass, SensorStateClass
from homeassistant.const import PERCENTAGE, EntityCategory, UnitOfEnergy, UnitOfEnergyDistance, UnitOfLength
from homeassistant.helpers.typing import StateType
from homeassistant.util.unit_conversion import DistanceConverter

from .drive_log.manager import log_units
from .entity import VehicleEntity, VehicleEntityDescription
from .vehicle.derived_values import DerivedValue, ListenerKey


@dataclass(frozen=True, kw_only=True)
class LogSensorEntityDescription(VehicleEntityDescription, SensorEntityDescription):
    """A sensor that shows a value of `sensor_values`."""

    fields: tuple[ListenerKey, ...] = (DerivedValue.LOG,)
    attributes: tuple[str, ...] = ()
    """The names of other values, which the sensor has as attributes."""


_DISTANCE: Final = SensorDeviceClass.DISTANCE, UnitOfLength.MILES
_ENERGY: Final = SensorDeviceClass.ENERGY, UnitOfEnergy.KILO_WATT_HOUR
_CONSUMPTION: Final = SensorDeviceClass.ENERGY_DISTANCE, UnitOfEnergyDistance.KILO_WATT_HOUR_PER_100_KM
_COST: Final = SensorDeviceClass.MONETARY, None
_CAPACITY: Final = SensorDeviceClass.ENERGY_STORAGE, UnitOfEnergy.KILO_WATT_HOUR
_MEASUREMENT: Final = SensorStateClass.MEASUREMENT
_TOTAL: Final = SensorStateClass.TOTAL_INCREASING


def _sensor(
    value: str, device_class: SensorDeviceClass | None, unit: str | None, precision: int, **properties: Any
) -> LogSensorEntityDescription:
    return LogSensorEntityDescription(
        key=f"log.{value}",
        device_class=device_class,
        native_unit_of_measurement=unit,
        suggested_display_precision=precision,
        **properties,
    )


_diagnostic: Final = partial(_sensor, entity_category=EntityCategory.DIAGNOSTIC)

LOG_SENSORS: Final = (
    _sensor("last_drive_distance", *_DISTANCE, 1),
    _sensor("last_drive_energy", *_ENERGY, 1),
    _sensor("last_drive_consumption", *_CONSUMPTION, 1),
    _sensor("last_charge_energy", *_ENERGY, 1),
    _sensor("last_charge_cost", *_COST, 2),
    _sensor("energy_charged_home", *_ENERGY, 1, state_class=_TOTAL, fields=(DerivedValue.ENERGY_AT_HOME,)),
    _sensor("month_distance", *_DISTANCE, 0),
    _sensor("month_energy", *_ENERGY, 1),
    _sensor("month_cost", *_COST, 2),
    _sensor("consumption", *_CONSUMPTION, 1, state_class=_MEASUREMENT),
    _diagnostic("standby_loss", None, "%/d", 1, attributes=("power", "asleep")),
    # The device class battery is for levels. With a state class, the Energy dashboard would offer it.
    _diagnostic("battery_capacity", *_CAPACITY, 1, attributes=("uncertainty",)),
    _diagnostic("battery_health", None, PERCENTAGE, 0, state_class=_MEASUREMENT),
)


class VehicleSensorEntity(VehicleEntity, SensorEntity):
    """A sensor of a car."""

    @cached_property
    @override
    def state_class(self) -> SensorStateClass | None:
        """A sensor that had long-term statistics keeps them. Otherwise, Home Assistant shows a repair."""
        capabilities = (self.registered and self.registered.capabilities) or {}
        kept = capabilities.get(ATTR_STATE_CLASS)
        return super().state_class or (SensorStateClass(kept) if kept else None)


class LogSensor(VehicleSensorEntity):
    """A value of the car's log, which is known while the car is unavailable."""

    entity_description: LogSensorEntityDescription
    needs_recent_data = False

    @override
    def _update_attributes(self) -> None:
        description, units = self.entity_description, log_units(self.coordinator.hass)
        values, unit = self.coordinator.log_manager.sensor_values, description.native_unit_of_measurement
        value: StateType = values[description.key.removeprefix("log.")]
        if self.device_class is SensorDeviceClass.DISTANCE and value is not None:
            # Home Assistant converts it back.
            value = DistanceConverter.convert(float(value), units.distance_unit, UnitOfLength.MILES)
        elif self.device_class is SensorDeviceClass.MONETARY:
            unit = units.currency
        elif self.device_class is SensorDeviceClass.ENERGY_DISTANCE and units.has_miles:
            unit = UnitOfEnergyDistance.MILES_PER_KILO_WATT_HOUR
        self._attr_native_value, self._attr_native_unit_of_measurement = value, unit
        self._attr_extra_state_attributes = {name: values[name] for name in description.attributes}
        self._shown = value, unit, self.extra_state_attributes
