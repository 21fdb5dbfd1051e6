"""Home Assistant's own `tessie` integration with the same cars, for comparison."""

import asyncio
from typing import override

from homeassistant.components.tessie.const import DOMAIN
from homeassistant.components.tessie.coordinator import TessieStateUpdateCoordinator
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockConfigEntry

from .accounts import Accounts
from .stub_service import StubService


class TessieIntegration(Accounts):
    """The accounts of `tessie` in Home Assistant."""

    def __init__(self, hass: HomeAssistant, service: StubService) -> None:
        """Initialize without setting the entries up."""
        tokens = dict.fromkeys(str(vehicle.account) for vehicle in service.vehicles)
        entries = (MockConfigEntry(domain=DOMAIN, data={CONF_ACCESS_TOKEN: token}) for token in tokens)
        super().__init__(hass, service, entries)
        self._coordinators: list[TessieStateUpdateCoordinator] = []

    @override
    async def set_up(self) -> None:
        await super().set_up()
        self._coordinators = [
            vehicle.data_coordinator for data in self.runtime_data for vehicle in data.vehicles
        ]
        for coordinator in self._coordinators:
            # Only the benchmark polls. The default interval is 10 s.
            coordinator.update_interval = None

    async def refresh(self) -> None:
        """Poll all cars, like the timer of each coordinator."""
        await asyncio.gather(*(coordinator.async_refresh() for coordinator in self._coordinators))
