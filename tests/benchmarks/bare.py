"""Entities that look like ours and do nothing: what Home Assistant itself takes for them."""

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
from .answering import Service
from .ours import Ours, entries_of

_DOMAIN: Final = "bare"
_NOT_ITS_OWN: Final = {
    ATTR_DEVICE_CLASS,
    ATTR_FRIENDLY_NAME,
    ATTR_SUPPORTED_FEATURES,
    ATTR_UNIT_OF_MEASUREMENT,
}
"""Attributes that Home Assistant itself adds to a state."""


class _Flow(ConfigFlow, domain=_DOMAIN):
    """What every entry needs, and nobody opens here."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What there is to see of an entity."""

    platform: str
    path: str
    """What follows the VIN, or the entry, in its unique id."""
    is_of_account: bool
    name: str | None
    category: EntityCategory | None
    device_class: str | None
    unit: str | None
    features: int
    capabilities: Mapping[str, Any]
    state: str
    attributes: Mapping[str, Any]


class Bare(Accounts):
    """Accounts with the same cars."""

    def __init__(self, hass: HomeAssistant, service: Service, likenesses: list[Likeness]) -> None:
        """Begin without them."""
        by_platform: dict[str, list[Likeness]] = {}
        for each in likenesses:
            by_platform.setdefault(each.platform, []).append(each)

        async def set_up(hass: HomeAssistant, entry: ConfigEntry) -> bool:
            await hass.config_entries.async_forward_entry_setups(entry, by_platform)
            return True

        async def unload(hass: HomeAssistant, entry: ConfigEntry) -> bool:
            return await hass.config_entries.async_unload_platforms(entry, by_platform)

        mock_integration(hass, MockModule(_DOMAIN, async_setup_entry=set_up, async_unload_entry=unload))
        mock_platform(hass, f"{_DOMAIN}.config_flow", MockPlatform())
        for platform, those in by_platform.items():
            module = MockPlatform(async_setup_entry=_adding(those))
            mock_platform(hass, f"{_DOMAIN}.{platform}", module)
        super().__init__(hass, service, entries_of(service, _DOMAIN))


def likenesses(ours: Ours) -> list[Likeness]:
    """Return what there is to see of the first account, and of its first car."""
    entry = ours.entries[0]
    vin = next(iter(entry.subentries.values())).unique_id
    registry = er.async_get(ours.hass)
    return [
        _likeness(each, state, is_of_account=each.unique_id.startswith(entry.entry_id))
        for each in er.async_entries_for_config_entry(registry, entry.entry_id)
        if each.unique_id.startswith((f"{entry.entry_id}-", f"{vin}-"))
        and (state := ours.hass.states.get(each.entity_id)) is not None
    ]


def _likeness(entity: er.RegistryEntry, state: State, *, is_of_account: bool) -> Likeness:
    capabilities = dict(entity.capabilities or {})
    not_its_own = _NOT_ITS_OWN | capabilities.keys()
    return Likeness(
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
        attributes={name: value for name, value in state.attributes.items() if name not in not_its_own},
    )


def _adding(likenesses: list[Likeness]) -> Callable[..., Any]:
    """Return what adds a platform's entities to each car of an entry, and those of the account."""

    async def add(
        _: HomeAssistant, entry: ConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
    ) -> None:
        async_add_entities(_entities(likenesses, entry.entry_id, entry.title, is_of_account=True))
        for subentry_id, subentry in entry.subentries.items():
            entities = _entities(likenesses, str(subentry.unique_id), subentry.title, is_of_account=False)
            async_add_entities(entities, config_subentry_id=subentry_id)

    return add


def _entities(
    likenesses: list[Likeness], owner: str, title: str, *, is_of_account: bool
) -> Iterator[BareEntity]:
    return (BareEntity(each, owner, title) for each in likenesses if each.is_of_account is is_of_account)


class BareEntity(Entity):
    """Shows what it was made with."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, likeness: Likeness, owner: str, title: str) -> None:
        """Look like another."""
        self._attr_unique_id = f"{owner}-{likeness.path}"
        self._attr_device_info = DeviceInfo(identifiers={(_DOMAIN, owner)}, name=title)
        self._attr_name = likeness.name
        self._attr_entity_category = likeness.category
        self._attr_device_class = likeness.device_class
        self._attr_unit_of_measurement = likeness.unit
        self._attr_supported_features = likeness.features or None
        self._attr_state = likeness.state
        if likeness.capabilities:
            self._attr_capability_attributes = dict(likeness.capabilities)
        if likeness.attributes:
            self._attr_extra_state_attributes = dict(likeness.attributes)
