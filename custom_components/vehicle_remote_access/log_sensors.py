"""Sensors of the log: the last drive and charge, this month, and estimates of the battery."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, override

from homeassistant.components.sensor import SensorEntity, SensorEntityDescription
from homeassistant.components.sensor.const import SensorDeviceClass, SensorStateClass
from homeassistant.const import PERCENTAGE, EntityCategory, UnitOfEnergy, UnitOfEnergyDistance, UnitOfLength
from homeassistant.helpers.typing import StateType
from homeassistant.util import dt as dt_util

from .drive_log.entries import Charge, Drive, ended
from .drive_log.estimates import range_per_mile, standby
from .entity import ValueEntity, VehicleEntityDescription
from .vehicle.coordinator import VehicleCoordinator
from .vehicle.listeners import DerivedValue, ListenerKey

_KILOMETERS_PER_MILE: Final = 1.609344


@dataclass(frozen=True, kw_only=True)
class LogSensorEntityDescription(VehicleEntityDescription, SensorEntityDescription):
    """A sensor that shows the car's log."""

    fields: tuple[ListenerKey, ...] = (DerivedValue.LOG,)
    value_fn: Callable[[VehicleCoordinator], StateType]
    attributes_fn: Callable[[VehicleCoordinator], dict[str, Any]] | None = None


def _last_drive(coordinator: VehicleCoordinator) -> Drive | None:
    return next(reversed(coordinator.log.drives), None)


def _last_charge(coordinator: VehicleCoordinator) -> Charge | None:
    return next(reversed(coordinator.log.charges), None)


def _last_drive_energy(coordinator: VehicleCoordinator) -> float | None:
    drive = _last_drive(coordinator)
    return None if drive is None else coordinator.log.energy(drive)


def _last_drive_consumption(coordinator: VehicleCoordinator) -> float | None:
    drive, energy = _last_drive(coordinator), _last_drive_energy(coordinator)
    return None if drive is None or energy is None else _consumption(energy, drive.distance)


def _average_consumption(coordinator: VehicleCoordinator) -> float | None:
    book = coordinator.log
    used = range_per_mile(book.drives)
    return None if used is None or book.factor is None else _consumption(used * book.factor, 1.0)


def _consumption(energy: float, miles: float) -> float | None:
    """Return kWh per 100 km."""
    return 100 * energy / (miles * _KILOMETERS_PER_MILE) if miles else None


def _of_month[R: (Drive, Charge)](records: list[R]) -> list[R]:
    """Return the records that ended in this month."""
    start = dt_util.start_of_local_day().replace(day=1)
    end = (start + timedelta(days=31)).replace(day=1)
    return ended(records, start.timestamp(), end.timestamp())


def _month_cost(coordinator: VehicleCoordinator) -> float | None:
    currency = coordinator.hass.config.currency
    charges = _of_month(coordinator.log.charges)
    costs = [cost for charge in charges if (cost := charge.cost_in(currency)) is not None]
    return round(sum(costs), 2) if costs else None


def _capacity_attributes(coordinator: VehicleCoordinator) -> dict[str, Any]:
    capacity = coordinator.log.capacity
    return {"uncertainty": capacity and capacity.uncertainty}


def _standby_attributes(coordinator: VehicleCoordinator) -> dict[str, Any]:
    loss = standby(coordinator.log.stays)
    return {
        "power": coordinator.log.standby_power(loss),
        "asleep": None if loss is None else round(100 * loss.asleep),
    }


LOG_SENSORS: Final = (
    LogSensorEntityDescription(
        key="log.last_drive_distance",
        device_class=SensorDeviceClass.DISTANCE,
        native_unit_of_measurement=UnitOfLength.MILES,
        suggested_display_precision=1,
        value_fn=lambda coordinator: None if (drive := _last_drive(coordinator)) is None else drive.distance,
    ),
    LogSensorEntityDescription(
        key="log.last_drive_energy",
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        suggested_display_precision=1,
        value_fn=_last_drive_energy,
    ),
    LogSensorEntityDescription(
        key="log.last_drive_consumption",
        device_class=SensorDeviceClass.ENERGY_DISTANCE,
        native_unit_of_measurement=UnitOfEnergyDistance.KILO_WATT_HOUR_PER_100_KM,
        suggested_display_precision=1,
        value_fn=_last_drive_consumption,
    ),
    LogSensorEntityDescription(
        key="log.last_charge_energy",
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        suggested_display_precision=1,
        value_fn=lambda coordinator: (
            None if (charge := _last_charge(coordinator)) is None else charge.energy_added
        ),
    ),
    LogSensorEntityDescription(
        key="log.last_charge_cost",
        device_class=SensorDeviceClass.MONETARY,
        suggested_display_precision=2,
        value_fn=lambda coordinator: None if (charge := _last_charge(coordinator)) is None else charge.cost,
    ),
    LogSensorEntityDescription(
        key="log.energy_charged_home",
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=1,
        fields=(DerivedValue.ENERGY_AT_HOME,),
        value_fn=lambda coordinator: coordinator.log.charge_tracker.used_at_home,
    ),
    LogSensorEntityDescription(
        key="log.month_distance",
        device_class=SensorDeviceClass.DISTANCE,
        native_unit_of_measurement=UnitOfLength.MILES,
        suggested_display_precision=0,
        value_fn=lambda coordinator: sum(drive.distance for drive in _of_month(coordinator.log.drives)),
    ),
    LogSensorEntityDescription(
        key="log.month_energy",
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        suggested_display_precision=1,
        value_fn=lambda coordinator: sum(
            charge.energy_added for charge in _of_month(coordinator.log.charges)
        ),
    ),
    LogSensorEntityDescription(
        key="log.month_cost",
        device_class=SensorDeviceClass.MONETARY,
        suggested_display_precision=2,
        value_fn=_month_cost,
    ),
    LogSensorEntityDescription(
        key="log.consumption",
        device_class=SensorDeviceClass.ENERGY_DISTANCE,
        native_unit_of_measurement=UnitOfEnergyDistance.KILO_WATT_HOUR_PER_100_KM,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=1,
        value_fn=_average_consumption,
    ),
    LogSensorEntityDescription(
        key="log.standby_loss",
        native_unit_of_measurement="%/d",
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=1,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=lambda coordinator: (
            None if (loss := standby(coordinator.log.stays)) is None else loss.percent
        ),
        attributes_fn=_standby_attributes,
    ),
    LogSensorEntityDescription(
        key="log.battery_capacity",
        # The device class battery is for levels. With a state class, the Energy dashboard would offer it.
        device_class=SensorDeviceClass.ENERGY_STORAGE,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        suggested_display_precision=1,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=lambda coordinator: (
            None if (capacity := coordinator.log.capacity) is None else capacity.energy
        ),
        attributes_fn=_capacity_attributes,
    ),
    LogSensorEntityDescription(
        key="log.battery_health",
        native_unit_of_measurement=PERCENTAGE,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=lambda coordinator: coordinator.log.health,
    ),
)


class LogSensor(ValueEntity, SensorEntity):
    """A value of the car's log, which is known while the car is unavailable."""

    entity_description: LogSensorEntityDescription

    @property
    @override
    def native_value(self) -> StateType:
        return self.entity_description.value_fn(self.coordinator)

    @property
    @override
    def available(self) -> bool:
        return True

    @property
    @override
    def native_unit_of_measurement(self) -> str | None:
        if self.device_class is SensorDeviceClass.MONETARY:
            return self.coordinator.hass.config.currency
        return super().native_unit_of_measurement

    @property
    @override
    def suggested_unit_of_measurement(self) -> str | None:
        """Return the unit for consumption with miles, which Home Assistant itself does not select."""
        is_consumption = self.device_class is SensorDeviceClass.ENERGY_DISTANCE
        has_miles = self.coordinator.hass.config.units.length_unit == UnitOfLength.MILES
        return UnitOfEnergyDistance.MILES_PER_KILO_WATT_HOUR if is_consumption and has_miles else None

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any] | None:
        attributes_fn = self.entity_description.attributes_fn
        return None if attributes_fn is None else attributes_fn(self.coordinator)

    @property
    @override
    def shown_value(self) -> Any:
        return self.native_value, self.extra_state_attributes
