"""The integration with many cars."""

import asyncio
from collections.abc import Iterator
from itertools import groupby

from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.vehicle_remote_access.account.discovery import DiscoveredVehicle
from custom_components.vehicle_remote_access.account.options import INTERVAL
from custom_components.vehicle_remote_access.const import CONF_BASE_URL, CONF_INTERVAL, DOMAIN
from custom_components.vehicle_remote_access.coordinator import AccountCoordinator

from .accounts import Accounts
from .stub_service import StubService, StubVehicle


class Integration(Accounts):
    """The integration's accounts in Home Assistant."""

    def __init__(self, hass: HomeAssistant, service: StubService) -> None:
        """Initialize without setting the entries up."""
        super().__init__(hass, service, create_entries(service, DOMAIN))

    async def refresh(self) -> None:
        """Poll all cars that are due, like the timer of each account."""
        coordinators: list[AccountCoordinator] = self.runtime_data
        await asyncio.gather(*(coordinator.async_refresh() for coordinator in coordinators))

    async def change_interval(self) -> None:
        """Change the polling interval of all accounts."""
        for entry in self.entries:
            interval = INTERVAL + 60 - entry.options.get(CONF_INTERVAL, INTERVAL) % 120
            self.hass.config_entries.async_update_entry(entry, options={CONF_INTERVAL: interval})
        await self.hass.async_block_till_done()

    def cancel_confirmations(self) -> None:
        """Cancel the reads that confirm a command some seconds later."""
        for coordinator in self.runtime_data:
            for vehicle in coordinator.vehicles.values():
                vehicle.commands.confirmation.cancel()

    def entity_id(self, platform: str, vin: str, path: str) -> str:
        """Return the entity for a path."""
        entity_id = er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, f"{vin}-{path}")
        assert entity_id is not None, f"no {platform} for {path}"
        return entity_id


def create_entries(service: StubService, domain: str) -> Iterator[MockConfigEntry]:
    """Yield a config entry with its cars for each account of a service."""
    for account, vehicles in groupby(service.vehicles, lambda vehicle: vehicle.account):
        yield MockConfigEntry(
            domain=domain,
            title=f"Account {account}",
            data={CONF_BASE_URL: service.url, CONF_ACCESS_TOKEN: str(account)},
            subentries_data=[_discovered(vehicle).subentry for vehicle in vehicles],
        )


def _discovered(vehicle: StubVehicle) -> DiscoveredVehicle:
    return DiscoveredVehicle(str(vehicle.path_id), vehicle.vin, vehicle.name)
