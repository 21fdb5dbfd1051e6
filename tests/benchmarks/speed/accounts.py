"""The accounts of the integrations that are compared: one config entry for up to fifty cars."""

import asyncio
from collections.abc import Iterable
import gc
from itertools import groupby
from typing import Any, Final, override

from homeassistant.components.tessie.const import DOMAIN as TESSIE_DOMAIN
from homeassistant.config_entries import ConfigEntry, ConfigEntryState, ConfigFlow
from homeassistant.const import CONF_ACCESS_TOKEN, Platform
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockModule,
    MockPlatform,
    mock_integration,
    mock_platform,
)

from custom_components.vehicle_remote_access.account.discovery import DiscoveredVehicle
from custom_components.vehicle_remote_access.const import CONF_BASE_URL, DOMAIN

from .service import Car, Service

_NULL_DOMAIN: Final = "null_integration"


class Accounts:
    """The accounts of one integration in Home Assistant."""

    domain: str

    def __init__(self, hass: HomeAssistant, service: Service, cars: Iterable[Car]) -> None:
        """Initialize without setting the entries up."""
        self.hass = hass
        self.setup_requests = 0
        """The number of requests until the entities of the first account were added."""
        self._service = service
        self.entries = [
            MockConfigEntry(
                domain=self.domain,
                title=f"Account {account}",
                data={CONF_BASE_URL: service.url, CONF_ACCESS_TOKEN: account},
                subentries_data=[
                    DiscoveredVehicle(str(car.path_id), car.vin, f"Car {car.index}").subentry for car in group
                ],
            )
            for account, group in groupby(cars, lambda car: car.account)
        ]

    async def set_up(self) -> None:
        """Set the accounts up one after the other, until all entities are added."""
        for entry in self.entries:
            if self.hass.config_entries.async_get_entry(entry.entry_id) is None:
                # Not earlier: with its first entry Home Assistant sets up all entries of an integration.
                entry.add_to_hass(self.hass)
            await self.hass.config_entries.async_setup(entry.entry_id)
            assert entry.state is ConfigEntryState.LOADED
            if entry is self.entries[0]:
                self.setup_requests = await self._service.count_requests()
            if entry is not self.entries[-1]:
                # Otherwise the garbage collector traverses all accounts again and again.
                gc.collect()
                gc.freeze()

    async def refresh(self) -> None:
        """Poll all cars that are due, like the timers of the coordinators."""
        await asyncio.gather(*(coordinator.async_refresh() for coordinator in self.coordinators))

    @property
    def coordinators(self) -> list[Any]:
        """The coordinators that poll."""
        return [entry.runtime_data for entry in self.entries]

    def states(self) -> list[State]:
        """Return the states of all entities."""
        registry, states = er.async_get(self.hass), self.hass.states
        return [
            state
            for entry in self.entries
            for entity in er.async_entries_for_config_entry(registry, entry.entry_id)
            if (state := states.get(entity.entity_id)) is not None
        ]


class Integration(Accounts):
    """The accounts of the integration."""

    domain = DOMAIN


class Tessie(Accounts):
    """The accounts of Home Assistant's own `tessie`."""

    domain = TESSIE_DOMAIN

    @property
    @override
    def coordinators(self) -> list[Any]:
        return [vehicle.data_coordinator for entry in self.entries for vehicle in entry.runtime_data.vehicles]

    @override
    async def set_up(self) -> None:
        await super().set_up()
        for coordinator in self.coordinators:
            # Only the benchmark polls. The default interval is 10 s.
            coordinator.update_interval = None


class NullIntegration(Accounts):
    """Home Assistant's own cost: accounts with as many entities, which do nothing."""

    domain = _NULL_DOMAIN

    def __init__(self, hass: HomeAssistant, service: Service, cars: Iterable[Car], entities: int) -> None:
        """Create a number of entities for each car."""

        async def set_up(hass: HomeAssistant, entry: ConfigEntry) -> bool:
            await hass.config_entries.async_forward_entry_setups(entry, [Platform.SENSOR])
            return True

        async def unload(hass: HomeAssistant, entry: ConfigEntry) -> bool:
            return await hass.config_entries.async_unload_platforms(entry, [Platform.SENSOR])

        async def set_up_sensors(
            _: HomeAssistant, entry: ConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
        ) -> None:
            for subentry_id, car in entry.subentries.items():
                added = [_NullEntity(str(car.unique_id), car.title, index) for index in range(entities)]
                async_add_entities(added, config_subentry_id=subentry_id)

        mock_integration(hass, MockModule(_NULL_DOMAIN, async_setup_entry=set_up, async_unload_entry=unload))
        mock_platform(hass, f"{_NULL_DOMAIN}.config_flow", MockPlatform())
        mock_platform(hass, f"{_NULL_DOMAIN}.sensor", MockPlatform(async_setup_entry=set_up_sensors))
        super().__init__(hass, service, cars)


class _Flow(ConfigFlow, domain=_NULL_DOMAIN):
    """Required for a config entry; never opened."""


class _NullEntity(Entity):
    """An entity with a constant state and the attributes of a typical sensor."""

    _attr_has_entity_name = True
    _attr_should_poll = False
    _attr_state = "1"

    def __init__(self, vin: str, title: str, index: int) -> None:
        self._attr_unique_id = f"{vin}-{index}"
        self._attr_name = f"Entity {index}"
        self._attr_device_class = "duration"
        self._attr_unit_of_measurement = "min"
        self._attr_device_info = DeviceInfo(identifiers={(_NULL_DOMAIN, vin)}, name=title)
