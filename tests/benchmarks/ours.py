"""The integration with many cars, as its own timer and its owner use it."""

import asyncio
from collections.abc import Iterator
from itertools import groupby

from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.vehicle_remote_access.account.discovery import Car
from custom_components.vehicle_remote_access.account.options import INTERVAL
from custom_components.vehicle_remote_access.const import CONF_BASE_URL, CONF_INTERVAL, DOMAIN
from custom_components.vehicle_remote_access.coordinator import Account

from .accounts import Accounts
from .answering import Numbered, Service


class Ours(Accounts):
    """Its accounts in a Home Assistant."""

    def __init__(self, hass: HomeAssistant, service: Service) -> None:
        """Begin without them."""
        super().__init__(hass, service, entries_of(service, DOMAIN))

    async def refresh(self) -> None:
        """Read all cars that are due, as each account's timer does."""
        accounts: list[Account] = self.running
        await asyncio.gather(*(account.async_refresh() for account in accounts))
        for account in accounts:
            await account._telling.finish()  # noqa: SLF001 - nobody else says when all is shown

    async def change_settings(self) -> None:
        """Set how often the service is asked, to something else than it is."""
        for entry in self.entries:
            interval = INTERVAL + 60 - entry.options.get(CONF_INTERVAL, INTERVAL) % 120
            self.hass.config_entries.async_update_entry(entry, options={CONF_INTERVAL: interval})
        await self.hass.async_block_till_done()

    def forget_confirmations(self) -> None:
        """Leave out the reads that follow a command some seconds later."""
        for account in self.running:
            for vehicle in account.vehicles.values():
                vehicle.orders.forget_confirmations()

    def entity_id(self, platform: str, vin: str, path: str) -> str:
        """Return which entity shows the path."""
        entity_id = er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, f"{vin}-{path}")
        assert entity_id is not None, f"no {platform} for {path}"
        return entity_id


def entries_of(service: Service, domain: str) -> Iterator[MockConfigEntry]:
    """Yield an entry for each account of a service, with its cars."""
    for account, cars in groupby(service.cars, lambda car: car.account):
        yield MockConfigEntry(
            domain=domain,
            title=f"Account {account}",
            data={CONF_BASE_URL: service.url, CONF_ACCESS_TOKEN: str(account)},
            subentries_data=[_car(each).subentry for each in cars],
        )


def _car(car: Numbered) -> Car:
    return Car(str(car.number), car.vin, car.name)
