"""Numbers: the charge limit."""

from typing import override

from homeassistant.components.number import NumberDeviceClass, NumberEntity
from homeassistant.const import PERCENTAGE
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import SET_CHARGE_LIMIT
from .api.records import ChargeState
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_to_each_vehicle

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the number."""
    add_to_each_vehicle(entry, async_add_entities, lambda vehicle: [ChargeLimit(vehicle)])


class ChargeLimit(VehicleEntity, NumberEntity):
    """The level at which charging ends."""

    _attr_device_class = NumberDeviceClass.BATTERY
    _attr_native_unit_of_measurement = PERCENTAGE
    _attr_native_step = 1
    fields = (
        ChargeState.charge_limit_soc,
        ChargeState.charge_limit_soc_min,
        ChargeState.charge_limit_soc_max,
    )

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Show the charge limit."""
        super().__init__(coordinator, ChargeState.charge_limit_soc.path)

    @property
    @override
    def native_value(self) -> float | None:
        """Return the limit in percent."""
        return self.vehicle.charge_state.charge_limit_soc

    @property
    @override
    def native_min_value(self) -> float:
        """Return the lowest limit that the car takes; 50 % if it does not say."""
        return self._bounds[0]

    @property
    @override
    def native_max_value(self) -> float:
        """Return the highest limit that the car takes; 100 % if it does not say."""
        return self._bounds[1]

    @property
    def _bounds(self) -> tuple[float, float]:
        return self.bounds(ChargeState.charge_limit_soc_min, ChargeState.charge_limit_soc_max, (50, 100))

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Set the limit."""
        await self.send(SET_CHARGE_LIMIT, percent=value)
