"""Sensors: the fields, and values that are derived from several fields or from the coordinator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter
from typing import Any, Final, override

from homeassistant.components.cover import CoverEntityFeature
from homeassistant.components.sensor import SensorEntity, SensorEntityDescription
from homeassistant.components.sensor.const import SensorDeviceClass, SensorStateClass
from homeassistant.const import EntityCategory, UnitOfEnergy, UnitOfPower, UnitOfTime
from homeassistant.helpers.typing import StateType
from homeassistant.util import dt as dt_util

from .api.commands import CHARGE_STOP, COMMANDS
from .api.fields import SENSOR, Field
from .api.records import FIELDS, ChargeState, DriveState, Vehicle
from .api.service_types import ServiceType
from .api.value_types import KILOWATT_HOURS
from .charging_plan.slots import Slot
from .coordinator import AccountCoordinator
from .entity import AccountEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .entity_descriptions import rounded_state, sensor_properties
from .log_sensors import LOG_SENSORS, LogSensor, VehicleSensorEntity
from .polling.modes import Mode
from .vehicle.charging import charging_power
from .vehicle.charging_actor import local_time
from .vehicle.coordinator import VehicleCoordinator
from .vehicle.derived_values import DerivedValue, ListenerKey

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class VehicleSensorEntityDescription(VehicleEntityDescription, SensorEntityDescription):
    """A sensor that shows a field, or a value that is derived from several fields or from the coordinator."""

    value_fn: Callable[[VehicleCoordinator], StateType | datetime]
    attributes_fn: Callable[[VehicleCoordinator], dict[str, Any]] | None = None
    options_fn: Callable[[ServiceType], list[str]] | None = None
    """Returns the possible values, if they depend on the service."""


@dataclass(frozen=True, kw_only=True)
class AccountSensorEntityDescription(SensorEntityDescription):
    """A sensor of the account."""

    value_fn: Callable[[AccountCoordinator], float | None]


def _time_of(value: DerivedValue, coordinator: VehicleCoordinator) -> datetime | None:
    timestamp = coordinator.derived_values[value]
    return dt_util.utc_from_timestamp(timestamp) if timestamp else None


def _arrival(coordinator: VehicleCoordinator) -> datetime | None:
    """Return when the car arrives, to the minute."""
    drive = coordinator.data.drive_state
    if drive.active_route_minutes_to_arrival is None or drive.timestamp is None:
        return None
    arrival = drive.timestamp + timedelta(minutes=drive.active_route_minutes_to_arrival)
    return (arrival + _HALF_MINUTE).replace(second=0, microsecond=0)


def _state_attributes(coordinator: VehicleCoordinator) -> dict[str, Any]:
    """Return what would fill the activity page as sensors: age, running command and last failure."""
    updated_at = coordinator.derived_values[DerivedValue.DATA_TIME]
    current, failure = coordinator.derived_values[DerivedValue.CURRENT_COMMAND] or (None, None)
    return {
        "data_updated": updated_at and updated_at.isoformat(timespec="seconds"),
        "command": current and current.name,
        "waking": current is not None and current.is_waking,
        "failure": failure
        and {
            "command": failure.command,
            "reason": failure.error.translation_key,
            "placeholders": dict(failure.error.placeholders),
            "at": failure.at.isoformat(),
        },
        # The dashboard says so. Its conditions find out only whether there is an attribute.
        **({"read_only": True} if coordinator.known.options.is_read_only else {}),
    }


def _rows(slots: Sequence[Slot]) -> list[dict[str, Any]]:
    return [
        {"start": local_time(slot.start), "end": local_time(slot.end), "price": slot.price}
        | ({} if slot.estimate is None else {"estimate": slot.estimate})
        for slot in slots
    ]


def _plan_attributes(coordinator: VehicleCoordinator) -> dict[str, Any]:
    """Return the charging plan. Energy is in kWh, and prices are those of one kWh."""
    actor = coordinator.charging_actor
    plan = actor.plan
    return {
        "reason": plan.reason,
        "end": local_time(plan.end),
        "ready_by": local_time(plan.ready_by),
        "energy": plan.energy and round(plan.energy, 1),
        "cost": plan.cost and round(plan.cost, 2),
        "is_reachable": plan.is_reachable,
        "missing": round(plan.missing, 1),
        "slots": _rows(plan.slots),
        "prices": _rows(plan.prices),
        **_house_attributes(coordinator),
    }


def _house_attributes(coordinator: VehicleCoordinator) -> dict[str, Any]:
    """Return what only some cars have: a schedule, a preview, a charge, and sensors of the house."""
    actor, charge, attributes = coordinator.charging_actor, coordinator.data.charge_state, dict[str, Any]()
    is_scheduled = charge.scheduled_charging_pending or charge.scheduled_charging_mode not in (None, "off")
    if actor.is_on and charge.is_plugged_in and is_scheduled:
        attributes["car_schedule"] = charge.scheduled_charging_start_time or charge.scheduled_departure_time
    preview = actor.plan.if_plugged_in
    # A start that moves with the clock would add a row to the database each time.
    if preview and preview[0].start > dt_util.utcnow().timestamp():
        attributes["if_plugged_in"] = _rows(preview)
    if actor.is_on and (cost := coordinator.log.cost_so_far) is not None:
        attributes["cost_so_far"] = round(cost, 2)
    house = actor.house.options
    if house.entities and actor.is_on:
        attributes["house"] = actor.notice
        attributes["charged"] = round(actor.drawn.energy, 1)
        attributes["from_surplus"] = round(actor.drawn.from_surplus, 1)
        attributes["surplus_entity"] = house.surplus_entity
        attributes["surplus_is_imported"] = house.surplus_is_imported
    return attributes


def _last_command(coordinator: VehicleCoordinator) -> str | None:
    last = coordinator.commands.last_result
    return None if last is None else last.command


def _last_command_attributes(coordinator: VehicleCoordinator) -> dict[str, Any]:
    last = coordinator.commands.last_result
    return {} if last is None else {"result": last.result, "at": last.at.isoformat()}


_HALF_MINUTE: Final = timedelta(seconds=30)
# Two features, because both the state and the charging state are enum sensors.
_TRIGGER_FEATURES: Final = {
    Vehicle.state: CoverEntityFeature.CLOSE,
    ChargeState.battery_level: CoverEntityFeature.OPEN,
    ChargeState.charging_state: CoverEntityFeature.OPEN,
}


def _field_sensor(
    field: Field[Any], *other_fields: ListenerKey, **other_properties: Any
) -> VehicleSensorEntityDescription:
    properties = sensor_properties(field.value_type)
    is_reset, value_of = properties.state_class is SensorStateClass.TOTAL, attrgetter(f"data.{field.path}")
    return VehicleSensorEntityDescription.for_field(
        field,
        *other_fields,
        *((DerivedValue.SESSION_START,) if is_reset else ()),
        options=list(field.value_type.options) or None,
        trigger_feature=_TRIGGER_FEATURES.get(field),
        value_fn=lambda vehicle: rounded_state(value_of(vehicle), field.value_type),
        **vars(properties),
        **other_properties,
    )


def _diagnostic_sensor(value: DerivedValue, **properties: Any) -> VehicleSensorEntityDescription:
    shown = {"value_fn": lambda coordinator: coordinator.derived_values[value], **properties}
    return VehicleSensorEntityDescription(
        key=value, entity_category=EntityCategory.DIAGNOSTIC, fields=(value,), **shown
    )


FIELD_SENSORS: Final = (
    _field_sensor(
        Vehicle.state,
        DerivedValue.DATA_TIME,
        DerivedValue.CURRENT_COMMAND,
        DerivedValue.OPTIONS,
        attributes_fn=_state_attributes,
    ),
    *(_field_sensor(field) for field in FIELDS if field.shown_as is SENSOR and field is not Vehicle.state),
)
DERIVED_SENSORS: Final = (
    VehicleSensorEntityDescription(
        key=f"{ChargeState.charger_power.path}.computed",
        device_class=SensorDeviceClass.POWER,
        native_unit_of_measurement=UnitOfPower.WATT,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        entity_registry_enabled_default=False,
        fields=(
            ChargeState.charger_power,
            ChargeState.charger_voltage,
            ChargeState.charger_actual_current,
            ChargeState.charger_phases,
            ChargeState.fast_charger_present,
        ),
        value_fn=lambda coordinator: charging_power(coordinator.data.charge_state),
    ),
    VehicleSensorEntityDescription(
        key=f"{ChargeState.charge_energy_added.path}.lifetime",
        # Without a device class, because the Energy dashboard should offer only the energy charged at home.
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=1,
        fields=(ChargeState.charge_energy_added,),
        value_fn=lambda coordinator: rounded_state(coordinator.log.meter.total, KILOWATT_HOURS),
    ),
    VehicleSensorEntityDescription(
        device_class=SensorDeviceClass.TIMESTAMP,
        fields=(ChargeState.time_to_full_charge, ChargeState.charging_state, DerivedValue.CHARGE_FINISH),
        value_fn=lambda coordinator: coordinator.derived_values[DerivedValue.CHARGE_FINISH],
    ),
    VehicleSensorEntityDescription(
        device_class=SensorDeviceClass.TIMESTAMP,
        fields=(DriveState.active_route_minutes_to_arrival, DriveState.timestamp),
        value_fn=_arrival,
    ),
    _diagnostic_sensor(
        DerivedValue.POLLING_MODE, device_class=SensorDeviceClass.ENUM, options=[mode.value for mode in Mode]
    ),
    _diagnostic_sensor(
        DerivedValue.NEXT_READ,
        device_class=SensorDeviceClass.TIMESTAMP,
        entity_registry_enabled_default=False,
        value_fn=partial(_time_of, DerivedValue.NEXT_READ),
    ),
    _diagnostic_sensor(
        DerivedValue.ASLEEP_TODAY,
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        suggested_display_precision=0,
    ),
    _diagnostic_sensor(
        DerivedValue.TIME_TO_FALL_ASLEEP,
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.MINUTES,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        entity_registry_enabled_default=False,
    ),
    _diagnostic_sensor(
        DerivedValue.LAST_COMMAND,
        device_class=SensorDeviceClass.ENUM,
        options_fn=lambda service_type: [command.name for command in COMMANDS if service_type.has(command)],
        entity_registry_enabled_default=False,
        value_fn=_last_command,
        attributes_fn=_last_command_attributes,
    ),
    VehicleSensorEntityDescription(
        key="charging_plan.start",
        device_class=SensorDeviceClass.TIMESTAMP,
        fields=(
            DerivedValue.CHARGING_PLAN,
            ChargeState.charge_energy_added,
            ChargeState.scheduled_charging_mode,
            ChargeState.scheduled_charging_pending,
            ChargeState.scheduled_charging_start_time,
            ChargeState.scheduled_departure_time,
        ),
        command=CHARGE_STOP,
        trigger_feature=CoverEntityFeature.OPEN,
        value_fn=lambda coordinator: coordinator.charging_actor.start,
        attributes_fn=_plan_attributes,
    ),
)
_request_count: Final = partial(
    AccountSensorEntityDescription,
    state_class=SensorStateClass.MEASUREMENT,
    entity_registry_enabled_default=False,
)
# The counts start again at midnight. Without a limit, the rest is unknown.
ACCOUNT_SENSORS: Final = (
    _request_count(
        key="requests_today",
        state_class=SensorStateClass.TOTAL_INCREASING,
        value_fn=lambda account: account.requests.today,
    ),
    _request_count(key="requests_left", value_fn=lambda account: account.requests.left(is_live_read=False)),
    _request_count(key="live_reads_left", value_fn=lambda account: account.requests.left(is_live_read=True)),
)

SPENT_THIS_MONTH: Final = AccountSensorEntityDescription(
    key="spent_this_month",
    device_class=SensorDeviceClass.MONETARY,
    native_unit_of_measurement="USD",
    suggested_display_precision=2,
    # In cents, so that few reads change it
    value_fn=lambda account: round(account.requests.spent or 0.0, 2),
)


class VehicleSensor(VehicleSensorEntity):
    """A field, or a value that is derived from several fields or from the coordinator."""

    entity_description: VehicleSensorEntityDescription

    # These change with each read, command or plan.
    _unrecorded_attributes = frozenset(
        {"data_updated", "command", "waking", "failure", "slots", "prices", "if_plugged_in"}
        | {"charged", "cost_so_far", "from_surplus", "surplus_entity", "surplus_is_imported"}
    )

    def __init__(self, coordinator: VehicleCoordinator, description: VehicleSensorEntityDescription) -> None:
        super().__init__(coordinator, description)
        if description.options_fn is not None:
            self._attr_options = description.options_fn(coordinator.provider.type)

    @override
    def _update_attributes(self) -> None:
        description = self.entity_description
        self._attr_native_value = description.value_fn(self.coordinator)
        if description.attributes_fn is not None:
            self._attr_extra_state_attributes = description.attributes_fn(self.coordinator)
        if description.state_class is SensorStateClass.TOTAL:
            # A charging session resets the car's totals.
            self._attr_last_reset = _time_of(DerivedValue.SESSION_START, self.coordinator)
        self._shown = self.native_value, self.last_reset, self.extra_state_attributes


class AccountSensor(AccountEntity, SensorEntity):
    """A number for all cars of the account."""

    entity_description: AccountSensorEntityDescription

    @override
    def _update_attributes(self) -> None:
        self._attr_native_value = self.entity_description.value_fn(self.coordinator)
        self._shown = (self.native_value,)


class SpentThisMonth(AccountSensor):
    """What the service charges for this month's requests, in dollars."""

    _unrecorded_attributes = frozenset({"limit", "left"})
    _attr_supported_features = CoverEntityFeature.OPEN

    @classmethod
    @override
    def is_offered(cls, account: AccountCoordinator) -> bool:
        return account.requests.prices is not None

    @override
    def _update_attributes(self) -> None:
        super()._update_attributes()
        spent, limit = self._attr_native_value, self.coordinator.requests.spending_limit
        left = None if limit is None or not isinstance(spent, float) else round(max(limit - spent, 0.0), 2)
        self._attr_extra_state_attributes = {"limit": limit, "left": left}
        self._shown = self.native_value, limit


async_setup_entry = partial(
    async_setup_vehicle_platform,
    descriptions={VehicleSensor: FIELD_SENSORS + DERIVED_SENSORS, LogSensor: LOG_SENSORS},
    account_descriptions={AccountSensor: ACCOUNT_SENSORS, SpentThisMonth: (SPENT_THIS_MONTH,)},
)
