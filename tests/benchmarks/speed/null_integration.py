"""A null integration, which shows Home Assistant's own cost: entities that look the same and do nothing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigFlow
from homeassistant.const import (
    ATTR_DEVICE_CLASS,
    ATTR_FRIENDLY_NAME,
    ATTR_SUPPORTED_FEATURES,
    ATTR_UNIT_OF_MEASUREMENT,
    EntityCategory,
)
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from pytest_homeassistant_custom_component.common import (
    MockModule,
    MockPlatform,
    mock_integration,
    mock_platform,
)

from .accounts import Accounts
from .integration import Integration, create_entries
from .stub_service import StubService

_DOMAIN: Final = "null_integration"
_ADDED_ATTRIBUTES: Final = {
    ATTR_DEVICE_CLASS,
    ATTR_FRIENDLY_NAME,
    ATTR_SUPPORTED_FEATURES,
    ATTR_UNIT_OF_MEASUREMENT,
}
"""State attributes that Home Assistant itself adds."""


class _Flow(ConfigFlow, domain=_DOMAIN):
    """Required for a config entry; never opened."""


@dataclass(frozen=True, slots=True)
class EntitySpec:
    """The visible properties of an entity."""

    platform: str
    path: str
    """The unique id without its VIN or entry id."""
    is_of_account: bool
    name: str | None
    category: EntityCategory | None
    device_class: str | None
    unit: str | None
    features: int
    capabilities: Mapping[str, Any]
    state: str
    attributes: Mapping[str, Any]


class NullIntegration(Accounts):
    """The null integration's accounts in Home Assistant, with the same cars."""

    def __init__(self, hass: HomeAssistant, service: StubService, specs: list[EntitySpec]) -> None:
        """Initialize without setting the entries up."""
        by_platform: dict[str, list[EntitySpec]] = {}
        for spec in specs:
            by_platform.setdefault(spec.platform, []).append(spec)

        async def set_up(hass: HomeAssistant, entry: ConfigEntry) -> bool:
            await hass.config_entries.async_forward_entry_setups(entry, by_platform)
            return True

        async def unload(hass: HomeAssistant, entry: ConfigEntry) -> bool:
            return await hass.config_entries.async_unload_platforms(entry, by_platform)

        mock_integration(hass, MockModule(_DOMAIN, async_setup_entry=set_up, async_unload_entry=unload))
        mock_platform(hass, f"{_DOMAIN}.config_flow", MockPlatform())
        for platform, platform_specs in by_platform.items():
            module = MockPlatform(async_setup_entry=_platform_setup(platform_specs))
            mock_platform(hass, f"{_DOMAIN}.{platform}", module)
        super().__init__(hass, service, create_entries(service, _DOMAIN))


def entity_specs(integration: Integration) -> list[EntitySpec]:
    """Return the properties of the entities of the first account and its first car."""
    entry = integration.entries[0]
    vin = next(iter(entry.subentries.values())).unique_id
    registry = er.async_get(integration.hass)
    return [
        _entity_spec(entity, state, is_of_account=entity.unique_id.startswith(entry.entry_id))
        for entity in er.async_entries_for_config_entry(registry, entry.entry_id)
        if entity.unique_id.startswith((f"{entry.entry_id}-", f"{vin}-"))
        and (state := integration.hass.states.get(entity.entity_id)) is not None
    ]


def _entity_spec(entity: er.RegistryEntry, state: State, *, is_of_account: bool) -> EntitySpec:
    capabilities = dict(entity.capabilities or {})
    added = _ADDED_ATTRIBUTES | capabilities.keys()
    return EntitySpec(
        platform=entity.domain,
        path=entity.unique_id.partition("-")[2],
        is_of_account=is_of_account,
        name=entity.original_name,
        category=entity.entity_category,
        device_class=entity.original_device_class,
        unit=entity.unit_of_measurement,
        features=entity.supported_features,
        capabilities=capabilities,
        state=state.state,
        attributes={name: value for name, value in state.attributes.items() if name not in added},
    )


def _platform_setup(specs: list[EntitySpec]) -> Callable[..., Any]:
    """Return a platform's `async_setup_entry`: it adds the entities of the account and of each car."""

    async def set_up(
        _: HomeAssistant, entry: ConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
    ) -> None:
        async_add_entities(_create_entities(specs, entry.entry_id, entry.title, is_of_account=True))
        for subentry_id, subentry in entry.subentries.items():
            vin = str(subentry.unique_id)
            entities = _create_entities(specs, vin, subentry.title, is_of_account=False)
            async_add_entities(entities, config_subentry_id=subentry_id)

    return set_up


def _create_entities(
    specs: list[EntitySpec], owner: str, title: str, *, is_of_account: bool
) -> Iterator[NullEntity]:
    return (NullEntity(spec, owner, title) for spec in specs if spec.is_of_account is is_of_account)


class NullEntity(Entity):
    """An entity with a constant state."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, spec: EntitySpec, owner: str, title: str) -> None:
        """Take the properties of another entity."""
        self._attr_unique_id = f"{owner}-{spec.path}"
        self._attr_device_info = DeviceInfo(identifiers={(_DOMAIN, owner)}, name=title)
        self._attr_name = spec.name
        self._attr_entity_category = spec.category
        self._attr_device_class = spec.device_class
        self._attr_unit_of_measurement = spec.unit
        self._attr_supported_features = spec.features or None
        self._attr_state = spec.state
        if spec.capabilities:
            self._attr_capability_attributes = dict(spec.capabilities)
        if spec.attributes:
            self._attr_extra_state_attributes = dict(spec.attributes)
