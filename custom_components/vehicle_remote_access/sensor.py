"""Sensors: every field of the table that has its place here."""

from typing import Any, Final, override

from homeassistant.components.sensor import SensorEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.typing import StateType

from .api.field import SENSOR, Field
from .api.records import FIELDS
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_to_each_vehicle
from .looks import sensor_look

PARALLEL_UPDATES = 0

_LONGEST_STATE: Final = 255

SENSORS: Final = tuple(field for field in FIELDS if field.place is SENSOR)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the sensors."""
    add_to_each_vehicle(
        entry,
        async_add_entities,
        lambda vehicle: [VehicleSensor(vehicle, field) for field in SENSORS],
    )


class VehicleSensor(VehicleEntity, SensorEntity):
    """A field of the interface document as a sensor."""

    def __init__(self, coordinator: VehicleCoordinator, field: Field[Any]) -> None:
        """Take the field's line and its kind's look."""
        super().__init__(coordinator, field.path, field, shown_if=field.shown_if)
        self.describe(field)
        self.field = field
        look = sensor_look(field.kind)
        self._attr_device_class = look.device_class
        self._attr_native_unit_of_measurement = look.unit
        self._attr_state_class = look.state_class
        self._attr_suggested_display_precision = look.precision
        self._attr_options = list(field.kind.options) or None

    @property
    @override
    def native_value(self) -> StateType:
        """Return the field's value. Home Assistant keeps no text beyond 255 characters."""
        value: StateType = self.field.of(self.vehicle)
        return value[:_LONGEST_STATE] if isinstance(value, str) else value
