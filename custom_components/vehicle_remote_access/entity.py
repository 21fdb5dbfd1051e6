"""Base classes of the entities, and functions that add entities to Home Assistant."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Self, override

from homeassistant.components.cover import CoverEntityFeature
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback, async_get_current_platform
from homeassistant.helpers.importlib import async_import_module
from homeassistant.helpers.target import TargetSelection, async_extract_referenced_entity_ids
from homeassistant.helpers.typing import StateType
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .api.commands import CONTROLS, Command
from .api.fields import Field
from .api.records import Vehicle
from .api.service_types import ServiceType
from .const import DOMAIN
from .coordinator import AccountCoordinator, VehicleConfigEntry
from .device_info import account_device_info
from .vehicle.coordinator import VehicleCoordinator
from .vehicle.derived_values import ListenerKey

_TARGET: Final = "target"


@dataclass(frozen=True, kw_only=True)
class VehicleEntityDescription(EntityDescription):
    """An entity of a car."""

    key: str = ""
    """By default the path of the first field, which the entity shows."""
    fields: tuple[ListenerKey, ...] = ()
    """The fields and derived values on which the entity depends. Without the first, it does not exist."""
    shown_if: Field[Any] | None = None
    """The field that reports whether the car has the equipment."""
    command: Command | None = None
    """The command that the entity sends, if not all services have it."""
    control: Command | None = None
    """The command of a control that shows the same. If the service has it, this entity does not exist."""
    is_retired: bool = False
    """Whether the entity exists only if an earlier version registered it."""
    offered_fn: Callable[[ServiceType], bool] | None = None
    """Returns whether the service has what the entity needs, in addition to its fields and its command."""
    enabled_fn: Callable[[Vehicle], bool] | None = None
    """Returns whether the entity is enabled by default, if that depends on the car."""
    trigger_feature: CoverEntityFeature | None = None
    """The feature by which `triggers.yaml` and `conditions.yaml` recognize the entity."""

    def __post_init__(self) -> None:
        if not self.key and self.needed_field is not None:
            object.__setattr__(self, "key", self.needed_field.path)

    @classmethod
    def for_field(cls, field: Field[Any], *other_keys: ListenerKey, **properties: Any) -> Self:
        """Return the description of an entity that shows a field and also depends on `other_keys`."""
        return cls(
            fields=(field, *other_keys),
            shown_if=field.shown_if,
            enabled_fn=field.is_enabled,
            entity_category=EntityCategory.DIAGNOSTIC if field.diagnostic else None,
            control=CONTROLS.get(field),
            is_retired=field.retired,
            **properties,
        )

    @property
    def needed_field(self) -> Field[Any] | None:
        first = next(iter(self.fields), None)
        return first if isinstance(first, Field) else None

    def is_offered(self, service_type: ServiceType) -> bool:
        return (
            (self.needed_field is None or service_type.reports(self.needed_field))
            and (self.command is None or service_type.has(self.command))
            and (self.control is None or not service_type.has(self.control))
            and (self.offered_fn is None or self.offered_fn(service_type))
        )


class UpdatedEntity[CoordinatorT: VehicleCoordinator | AccountCoordinator](CoordinatorEntity[CoordinatorT]):
    """An entity that writes its state only if its availability or a value in `_shown` has changed."""

    _attr_has_entity_name = True
    _shown: tuple[Any, ...] | None = None
    """All values in the state that can change, or None to write the state with each update."""
    _written: tuple[Any, ...]

    @override
    async def async_added_to_hass(self) -> None:
        # An entity of a car may have waited for the car to report its equipment.
        self._update_attributes()
        self._written = self.available, self._shown
        await super().async_added_to_hass()

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        self._update_attributes()
        shown = self.available, self._shown
        if self._shown is None or shown != self._written:
            self._written = shown
            self.async_write_ha_state()

    def _update_attributes(self) -> None:
        """Set the attributes of the entity from the current data."""


class VehicleEntity(UpdatedEntity[VehicleCoordinator]):
    """An entity of a car."""

    needs_recent_data = True
    """Whether the entity is unavailable while the car's data is too old. A sleeping car's data never is."""
    description: VehicleEntityDescription
    """Also the `entity_description`, if it has the properties that the platform's descriptions have."""
    registered: er.RegistryEntry | None = None
    """The entity as it was registered before. An update of the integration must not remove it."""

    def __init__(self, coordinator: VehicleCoordinator, description: VehicleEntityDescription) -> None:
        super().__init__(coordinator, description.fields)
        self.description = description
        if type(description) is VehicleEntityDescription:
            # From an `entity_description`, Home Assistant would read the platform's properties, too.
            self._attr_entity_registry_enabled_default = description.entity_registry_enabled_default
        else:
            self.entity_description = description
        self.async_send = coordinator.commands.async_send
        self._attr_unique_id = f"{coordinator.vin}-{description.key}"
        self._attr_translation_key = description.key.replace(".", "_")
        if description.trigger_feature is not None:
            self._attr_supported_features = description.trigger_feature
        if description.enabled_fn is not None:
            self._attr_entity_registry_enabled_default = description.enabled_fn(coordinator.data)
        self._update_attributes()

    @property
    def vehicle(self) -> Vehicle:
        return self.coordinator.data

    def requested[T](self, field: Field[T]) -> T | None:
        """Return the value that pending commands will give a field, or None if they do not change it."""
        value = field.get(self.coordinator.expected_data)
        return None if value == field.get(self.coordinator.data) else value

    @property
    def is_installed(self) -> bool:
        """Whether the car has the equipment, and reports the field that many cars lack."""
        equipment, rare = self.description.shown_if, self.rare_field
        has_equipment = equipment is None or bool(equipment.get(self.vehicle))
        return has_equipment and (
            rare is None or self.registered is not None or rare.is_reported(self.vehicle)
        )

    @property
    def rare_field(self) -> Field[Any] | None:
        """The field without which the entity does not exist, if many cars do not report it."""
        field = self.description.needed_field
        return field if field in self.coordinator.provider.type.rare_fields else None

    @property
    @override
    def device_info(self) -> DeviceInfo:
        return self.coordinator.device_info

    @property
    @override
    def available(self) -> bool:
        return self.coordinator.is_available or not self.needs_recent_data

    @override
    async def async_update(self) -> None:
        """Read the car for the action `homeassistant.update_entity`."""
        # Home Assistant would log a traceback. The entities or an issue show the failure.
        with suppress(HomeAssistantError):
            await self.coordinator.async_read_now()


class VehicleControl(VehicleEntity):
    """A control of a car. While a command is pending that changes its state, an attribute has the new one."""

    _unrecorded_attributes = frozenset({_TARGET})
    _assumed: Vehicle | None = None

    @property
    @override
    def vehicle(self) -> Vehicle:
        return self._assumed or super().vehicle

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        data, expected = self.coordinator.data, self.coordinator.expected_data
        self._attr_extra_state_attributes = {}
        if expected is not data:
            target = self._state_with(expected)
            if target not in (None, self._state_with(data)):
                self._attr_extra_state_attributes = {_TARGET: target}
        super()._handle_coordinator_update()

    def _state_with(self, vehicle: Vehicle) -> StateType:
        """Return the state that the entity would have with this data."""
        self._assumed = vehicle
        try:
            self._update_attributes()
            state: StateType = self.state
        finally:
            self._assumed = None
        return state


class AccountEntity(UpdatedEntity[AccountCoordinator]):
    """An entity of the account's own device."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC
    available = True
    """These entities report on the account itself, also while the service is down."""

    def __init__(self, account: AccountCoordinator, description: EntityDescription) -> None:
        super().__init__(account)
        entry = account.config_entry
        self.entity_description = description
        self._attr_unique_id = f"{entry.entry_id}-{description.key}"
        self._attr_translation_key = description.key
        self._attr_device_info = account_device_info(entry)

    @classmethod
    def is_offered(cls, account: AccountCoordinator) -> bool:  # noqa: ARG003 - for subclasses
        """Return whether the service has what the entity shows."""
        return True

    @override
    async def async_update(self) -> None:
        """Poll the service for the action `homeassistant.update_entity`."""
        await self.coordinator.async_poll_now()


async def async_setup_vehicle_platform(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    *,
    descriptions: Mapping[type[VehicleEntity], Iterable[VehicleEntityDescription]],
    account_descriptions: Mapping[type[AccountEntity], Iterable[EntityDescription]] = MappingProxyType({}),
) -> None:
    """Add a platform's entities of each class, for all cars and the account, and the simulator's controls."""
    account = entry.runtime_data
    for account_class, of_class in account_descriptions.items():
        if account_class.is_offered(account):
            async_add_entities(account_class(account, description) for description in of_class)
    for coordinator in account.vehicles.values():
        entities = [
            entity_class(coordinator, description)
            for entity_class, of_class in descriptions.items()
            for description in of_class
            if description.is_offered(coordinator.provider.type)
        ]
        _add_when_installed(entry, async_add_entities, coordinator, entities)
    if (simulator := account.provider.simulator) is not None:
        # Imported only for simulated accounts
        module = await async_import_module(hass, f"{__package__}.simulated_account.entities")
        platform = Platform(async_get_current_platform().domain)
        module.add_controls(account, simulator, async_add_entities, platform)


def _add_when_installed(
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    coordinator: VehicleCoordinator,
    pending: list[VehicleEntity],
) -> None:
    """Add the entities of the equipment that the car reports, now and as soon as it reports more."""
    registry, platform = er.async_get(coordinator.hass), async_get_current_platform().domain
    for entity in pending:
        entity_id = registry.async_get_entity_id(platform, DOMAIN, entity.unique_id or "")
        entity.registered = registry.entities[entity_id] if entity_id else None
    pending = [entity for entity in pending if entity.registered or not entity.description.is_retired]

    def add_installed() -> None:
        installed = [entity for entity in pending if entity.is_installed]
        if installed and coordinator.is_configured:
            for entity in installed:
                pending.remove(entity)
            async_add_entities(installed, config_subentry_id=coordinator.subentry_id)

    add_installed()
    awaited = {field for entity in pending for field in (entity.description.shown_if, entity.rare_field)}
    entry.async_on_unload(coordinator.async_add_listener(add_installed, awaited - {None}))


class PathFilter:
    """A base class of triggers and conditions for the entities of one path, of any car."""

    _hass: HomeAssistant
    _path: str
    _target: dict[str, Any]

    def targeted(self) -> set[str]:
        selection = TargetSelection(self._target)
        found = async_extract_referenced_entity_ids(self._hass, selection, expand_group=False)
        return self.entity_filter(found.referenced | found.indirectly_referenced)

    def entity_filter(self, entities: set[str]) -> set[str]:
        """Return the entities of this integration with the path. The target may have others, too."""
        of_platform = super().entity_filter(entities)  # type: ignore[misc]  # mypy doesn't know the other base
        entries = filter(None, map(er.async_get(self._hass).async_get, of_platform))
        return {
            entry.entity_id
            for entry in entries
            if entry.platform == DOMAIN and entry.unique_id.rpartition("-")[2] == self._path
        }


def coordinator_of(hass: HomeAssistant, entity_id: str) -> VehicleCoordinator | None:
    """Return the coordinator of the car of an entity, or None while its account is not loaded."""
    subentry_id = er.async_get(hass).entities[entity_id].config_subentry_id
    loaded: list[VehicleConfigEntry] = hass.config_entries.async_loaded_entries(DOMAIN)
    vehicles = (vehicle for entry in loaded for vehicle in entry.runtime_data.vehicles.values())
    return next((vehicle for vehicle in vehicles if vehicle.subentry_id == subentry_id), None)


def vehicle_of(hass: HomeAssistant, entity_id: str) -> Vehicle | None:
    """Return the current data of the car of an entity, or None while its account is not loaded."""
    coordinator = coordinator_of(hass, entity_id)
    return None if coordinator is None else coordinator.data
