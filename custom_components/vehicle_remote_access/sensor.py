"""Sensors: every field of the table that has its place here, and what follows from more than one."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, override

from homeassistant.components.sensor import SensorEntity
from homeassistant.components.sensor.const import SensorStateClass
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.typing import StateType

from .api.commands import COMMANDS
from .api.fields import SENSOR, Field
from .api.records import FIELDS, ChargeState, Vehicle
from .api.value_types import COUNTER, MOMENT
from .coordinator import Account, VehicleConfigEntry, VehicleCoordinator
from .entity import AccountEntity, DrawnEntity, VehicleEntity, add_to_each_vehicle
from .entity_descriptions import (
    ENUM,
    HOURS_TODAY,
    LEARNED_TIME,
    LIFETIME_ENERGY,
    SENSOR_LOOKS,
    WATTS,
    SensorLook,
    sensor_look,
)
from .polling.policy import Mode
from .vehicle.state import Aspect, Subject

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A sensor that no single field can be."""

    path: str
    listens_to: tuple[Subject, ...]
    value: Callable[[VehicleCoordinator], StateType | datetime]
    look: SensorLook
    options: tuple[str, ...] = ()
    diagnostic: bool = True
    enabled: bool = False


def _charging_power(vehicle: Vehicle) -> float | None:
    """Return the power in W, finer than the car's own whole kW.

    Some cars name the wrong number of phases: the one that fits the whole kW counts. A fast charger passes
    by the car's own, whose volts and amperes then say nothing.
    """
    charge = vehicle.charge_state
    if charge.fast_charger_present:
        return None if charge.charger_power is None else charge.charger_power * 1000
    if charge.charger_voltage is None or charge.charger_actual_current is None:
        return None
    one_phase = charge.charger_voltage * charge.charger_actual_current
    if charge.charger_power is None:
        return None if charge.charger_phases is None else one_phase * charge.charger_phases
    # The whole kW are cut off, not rounded.
    middle = charge.charger_power * 1000 + 500
    named = one_phase * (charge.charger_phases or 0)
    if abs(named - middle) <= 500:  # noqa: PLR2004 - half of a kW
        return named
    return min((one_phase * phases for phases in (1, 2, 3)), key=lambda watts: abs(watts - middle))


def _told(aspect: Aspect) -> Callable[[VehicleCoordinator], Any]:
    return lambda vehicle: vehicle.told[aspect]


def _next_read(vehicle: VehicleCoordinator) -> datetime | None:
    due = vehicle.told[Aspect.NEXT_READ]
    return datetime.fromtimestamp(due, UTC) if due else None


FIELD_SENSORS: Final = tuple(field for field in FIELDS if field.place is SENSOR)
DERIVED: Final = (
    Derived(
        path=f"{ChargeState.charger_power.path}.computed",
        listens_to=(
            ChargeState.charger_power,
            ChargeState.charger_voltage,
            ChargeState.charger_actual_current,
            ChargeState.charger_phases,
            ChargeState.fast_charger_present,
        ),
        value=lambda vehicle: _charging_power(vehicle.data),
        look=WATTS,
        diagnostic=False,
    ),
    Derived(
        path=f"{ChargeState.charge_energy_added.path}.lifetime",
        listens_to=(ChargeState.charge_energy_added,),
        value=lambda vehicle: None if vehicle.meter.added is None else vehicle.meter.lifetime,
        look=LIFETIME_ENERGY,
        diagnostic=False,
        enabled=True,
    ),
    Derived(
        path=ChargeState.time_to_full_charge.path,
        listens_to=(ChargeState.time_to_full_charge, ChargeState.charging_state, Aspect.CHARGE_FINISH),
        value=_told(Aspect.CHARGE_FINISH),
        look=SENSOR_LOOKS[MOMENT],
        diagnostic=False,
        enabled=True,
    ),
    Derived(
        path="polling_mode",
        listens_to=(Aspect.MODE,),
        value=_told(Aspect.MODE),
        look=ENUM,
        options=tuple(Mode),
        enabled=True,
    ),
    Derived(path="next_read", listens_to=(Aspect.NEXT_READ,), value=_next_read, look=SENSOR_LOOKS[MOMENT]),
    Derived(
        path="asleep_today",
        listens_to=(Aspect.ASLEEP_TODAY,),
        value=_told(Aspect.ASLEEP_TODAY),
        look=HOURS_TODAY,
        enabled=True,
    ),
    Derived(
        path="time_to_fall_asleep",
        listens_to=(Aspect.TIME_TO_FALL_ASLEEP,),
        value=_told(Aspect.TIME_TO_FALL_ASLEEP),
        look=LEARNED_TIME,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the sensors."""

    def entities_of(vehicle: VehicleCoordinator) -> list[VehicleEntity]:
        return [
            *(_field_sensor(vehicle, field) for field in FIELD_SENSORS),
            *(DerivedSensor(vehicle, line) for line in DERIVED),
            LastCommand(vehicle),
        ]

    async_add_entities([RequestsToday(entry.runtime_data)])
    add_to_each_vehicle(entry, async_add_entities, entities_of)


class VehicleSensor(VehicleEntity, SensorEntity):
    """What all sensors of a car have in common: a look."""

    def look_like(self, look: SensorLook, options: tuple[str, ...]) -> None:
        """Take the look of what is shown."""
        self._attr_device_class = look.device_class
        self._attr_native_unit_of_measurement = look.unit
        self._attr_state_class = look.state_class
        self._attr_suggested_display_precision = look.precision
        self._attr_options = list(options) or None


class FieldSensor(VehicleSensor):
    """A field of the interface document as a sensor."""

    def __init__(self, coordinator: VehicleCoordinator, field: Field[Any]) -> None:
        """Take the field's line and its kind's look."""
        super().__init__(coordinator, field.path, field, shown_if=field.shown_if)
        self.describe(field)
        self.field = field
        self.look_like(sensor_look(field.kind), field.kind.options)

    @property
    @override
    def native_value(self) -> StateType:
        """Return the field's value."""
        value: StateType = self.field.of(self.vehicle)
        return value


class SessionSensor(FieldSensor):
    """What a charging session adds, which begins with its energy."""

    fields = (Aspect.SESSION,)

    @property
    @override
    def last_reset(self) -> datetime | None:
        """Return when the session began."""
        began: datetime | None = self.coordinator.told[Aspect.SESSION]
        return began


def _field_sensor(vehicle: VehicleCoordinator, field: Field[Any]) -> FieldSensor:
    is_of_a_session = sensor_look(field.kind).state_class is SensorStateClass.TOTAL
    return SessionSensor(vehicle, field) if is_of_a_session else FieldSensor(vehicle, field)


class DerivedSensor(DrawnEntity, VehicleSensor):
    """Something that follows from more than one field, or from none."""

    def __init__(self, coordinator: VehicleCoordinator, line: Derived) -> None:
        """Take the line of the table."""
        super().__init__(coordinator, line.path, *line.listens_to)
        self.line = line
        self.look_like(line.look, line.options)
        self._attr_entity_category = EntityCategory.DIAGNOSTIC if line.diagnostic else None
        self._attr_entity_registry_enabled_default = line.enabled

    @property
    @override
    def drawn(self) -> StateType | datetime:
        """Return what follows."""
        return self.line.value(self.coordinator)

    @property
    @override
    def native_value(self) -> StateType | datetime:
        """Return what follows."""
        return self.drawn


class LastCommand(VehicleSensor):
    """The last command that was sent from here, and what became of it."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_entity_registry_enabled_default = False
    fields = (Aspect.COMMAND,)

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Know of none yet."""
        super().__init__(coordinator, "last_command")
        self.look_like(ENUM, tuple(command.name for command in COMMANDS))

    @property
    @override
    def native_value(self) -> str | None:
        """Return the command's name in the interface document."""
        return None if (last := self.coordinator.orders.last) is None else last.command

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any] | None:
        """Return what became of it, and when."""
        if (last := self.coordinator.orders.last) is None:
            return None
        return {"result": last.result, "at": last.at.isoformat()}


class RequestsToday(AccountEntity, SensorEntity):
    """How often the service was asked since midnight, for all cars of the account together."""

    _attr_entity_registry_enabled_default = False

    def __init__(self, account: Account) -> None:
        """Count from the account's own memory."""
        super().__init__(account, "requests_today")
        self._attr_state_class = SENSOR_LOOKS[COUNTER].state_class

    @property
    @override
    def native_value(self) -> int:
        """Return the number."""
        return self.coordinator.requests_today
