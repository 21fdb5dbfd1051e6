"""Home Assistant's own `tessie` beside ours: the same cars, the same answer, all of its entities."""

import asyncio
from typing import override

from homeassistant.components.tessie.const import DOMAIN
from homeassistant.components.tessie.coordinator import TessieStateUpdateCoordinator
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockConfigEntry

from .accounts import Accounts
from .answering import Service


class Rival(Accounts):
    """Its accounts in a Home Assistant."""

    def __init__(self, hass: HomeAssistant, service: Service) -> None:
        """Begin without them."""
        accounts = dict.fromkeys(car.account for car in service.cars)
        entries = (MockConfigEntry(domain=DOMAIN, data={CONF_ACCESS_TOKEN: str(each)}) for each in accounts)
        super().__init__(hass, service, entries)
        self._coordinators: list[TessieStateUpdateCoordinator] = []

    @override
    async def set_up(self) -> None:
        await super().set_up()
        self._coordinators = [each.data_coordinator for data in self.running for each in data.vehicles]
        for each in self._coordinators:
            # Nobody but the benchmark asks: otherwise each would every 10 s.
            each.update_interval = None

    async def refresh(self) -> None:
        """Read all cars, as each coordinator's timer does."""
        await asyncio.gather(*(each.async_refresh() for each in self._coordinators))
