"""What all entities have in common: who they are, what they read, how they tell the car what to do."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, override

from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.importlib import async_import_module
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .api.commands import Command
from .api.fields import Field
from .api.records import Vehicle
from .const import DOMAIN
from .coordinator import Account, VehicleConfigEntry, VehicleCoordinator
from .device_info import device_of_account
from .vehicle.state import Subject


class VehicleEntity(Entity):
    """An entity that shows a field, or a record, of a car."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    fields: tuple[Subject, ...] = ()
    """What it listens to besides the field that it shows."""

    def __init__(
        self,
        coordinator: VehicleCoordinator,
        path: str,
        *fields: Subject,
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
        self._attr_entity_registry_enabled_default = field.is_enabled(self.vehicle)

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
        return self.coordinator.is_shown

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to the fields that this entity shows."""
        self.async_on_remove(self.coordinator.listen(self.fields, self.has_changed))

    has_changed = Entity.async_write_ha_state
    """Shows what is new."""

    async def async_update(self) -> None:
        """Read the car because a person asked for it."""
        await self.coordinator.read_now()

    async def send(
        self, command: Command, then: Mapping[Field[Any], Any] | None = None, /, **values: Any
    ) -> None:
        """Tell the car what to do. Raises HomeAssistantError with the reason if it does not."""
        await self.coordinator.orders.send(command, then, **values)


class DrawnEntity(VehicleEntity):
    """An entity that shows what is drawn from several fields, or from none: they may change in vain."""

    _shown: tuple[bool, Any]

    @property
    @abstractmethod
    def drawn(self) -> Any:
        """What is to be shown."""

    @property
    def _to_show(self) -> tuple[bool, Any]:
        return self.available, self.drawn

    @override
    async def async_added_to_hass(self) -> None:
        """Begin with what is shown at first."""
        self._shown = self._to_show
        await super().async_added_to_hass()

    @callback
    @override
    def has_changed(self) -> None:
        """Show what is drawn if it is something else."""
        if (to_show := self._to_show) != self._shown:
            self._shown = to_show
            super().has_changed()


class AccountEntity(CoordinatorEntity[Account]):
    """An entity that shows something of the account itself."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_has_entity_name = True

    def __init__(self, account: Account, what: str) -> None:
        """Take the entity's identity from what it shows."""
        super().__init__(account)
        entry = account.config_entry
        self._attr_unique_id = f"{entry.entry_id}-{what}"
        self._attr_translation_key = what
        self._attr_device_info = device_of_account(entry)

    @override
    async def async_update(self) -> None:
        """Ask the service because a person asked for it."""
        await self.coordinator.look()

    @property
    @override
    def available(self) -> bool:
        """Return that what is known of the account is known also while the service is down."""
        return True


@callback
def add_to_each_vehicle(
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    entities_of: Callable[[VehicleCoordinator], Iterable[VehicleEntity]],
) -> None:
    """Add a platform's entities to each car, those of optional equipment once the car says that it has it."""
    for coordinator in entry.runtime_data.vehicles.values():
        _add(entry, async_add_entities, coordinator, list(entities_of(coordinator)))


async def add_simulation(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    platform: Platform,
) -> None:
    """Add a platform's controls of simulated cars. Who has none need not even load them."""
    if entry.runtime_data.connection.simulator is not None:
        room = await async_import_module(hass, f"{__package__}.simulation")
        room.add_controls(entry, async_add_entities, platform)


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
        if fitted and coordinator.is_here:
            waiting[:] = [each for each in waiting if each not in fitted]
            async_add_entities(fitted, config_subentry_id=coordinator.subentry_id)

    add_fitted()
    gates = {each.shown_if for each in waiting if each.shown_if is not None}
    entry.async_on_unload(coordinator.listen(gates, add_fitted))


@callback
def those_showing(hass: HomeAssistant, path: str, entities: Iterable[str]) -> set[str]:
    """Return those of the entities that show the path, of whichever of our cars; nobody else's do."""
    entries = filter(None, map(er.async_get(hass).async_get, entities))
    return {
        entry.entity_id
        for entry in entries
        if entry.platform == DOMAIN and entry.unique_id.rpartition("-")[2] == path
    }


@callback
def shown_beside(hass: HomeAssistant, entity_id: str, platform: Platform, path: str) -> State | None:
    """Return what the car of an entity shows at another path, or None if its owner does not want it shown."""
    registry = er.async_get(hass)
    vin = registry.entities[entity_id].unique_id.rpartition("-")[0]
    other = registry.async_get_entity_id(platform, DOMAIN, f"{vin}-{path}")
    return None if other is None else hass.states.get(other)
