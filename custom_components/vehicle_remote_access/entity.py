"""What every entity of a car has in common: who it is, what it reads, how it tells the car what to do."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, override

from homeassistant.const import EntityCategory
from homeassistant.core import callback
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import Command
from .api.field import Field
from .api.records import Vehicle
from .coordinator import VehicleConfigEntry, VehicleCoordinator


class VehicleEntity(Entity):
    """An entity that shows a field, or a record, of a car."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    fields: tuple[Field[Any], ...] = ()
    """What it listens to besides the field that it shows."""

    def __init__(
        self,
        coordinator: VehicleCoordinator,
        path: str,
        *fields: Field[Any],
        shown_if: Field[Any] | None = None,
    ) -> None:
        """Take the entity's identity from the path of what it shows."""
        self.coordinator = coordinator
        self.fields = (*type(self).fields, *fields)
        self.shown_if = shown_if
        self._attr_unique_id = f"{coordinator.vin}-{path}"
        self._attr_translation_key = path.replace(".", "_")

    def describe(self, field: Field[Any]) -> None:
        """Take the columns of the field's line that hold for every platform."""
        self._attr_entity_category = EntityCategory.DIAGNOSTIC if field.diagnostic else None
        self._attr_entity_registry_enabled_default = field.enabled

    @property
    def vehicle(self) -> Vehicle:
        """What is known of the car."""
        return self.coordinator.data

    @property
    @override
    def device_info(self) -> DeviceInfo:
        """Return the car."""
        return self.coordinator.device

    @property
    @override
    def available(self) -> bool:
        """Return whether what is known may still be shown. A car asleep is well known."""
        return self.coordinator.is_available

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to the fields that this entity shows."""
        self.async_on_remove(self.coordinator.listen(self.fields, self.async_write_ha_state))

    async def async_update(self) -> None:
        """Read the car because a person asked for it."""
        await self.coordinator.read_now()

    def bounds(
        self, lowest: Field[float], highest: Field[float], otherwise: tuple[float, float]
    ) -> tuple[float, float]:
        """Return the limits that the car names, or the usual ones if it names none that make sense."""
        low, high = lowest.of(self.vehicle), highest.of(self.vehicle)
        return (low, high) if low is not None and high is not None and low < high else otherwise

    async def send(
        self, command: Command, then: Mapping[Field[Any], Any] | None = None, **values: Any
    ) -> None:
        """Tell the car what to do. Raises HomeAssistantError with the reason if it does not."""
        await self.coordinator.send(command, then, **values)


@callback
def add_to_each_vehicle(
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    entities_of: Callable[[VehicleCoordinator], Iterable[VehicleEntity]],
) -> None:
    """Add a platform's entities to each car, those of optional equipment once the car says that it has it."""
    for coordinator in entry.runtime_data.vehicles.values():
        _add(entry, async_add_entities, coordinator, list(entities_of(coordinator)))


@callback
def _add(
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    coordinator: VehicleCoordinator,
    waiting: list[VehicleEntity],
) -> None:
    @callback
    def add_fitted() -> None:
        fitted = [each for each in waiting if each.shown_if is None or each.shown_if.of(coordinator.data)]
        if fitted:
            waiting[:] = [each for each in waiting if each not in fitted]
            async_add_entities(fitted, config_subentry_id=coordinator.subentry_id)

    add_fitted()
    gates = {each.shown_if for each in waiting if each.shown_if is not None}
    entry.async_on_unload(coordinator.listen(gates, add_fitted))
