"""What is compared: an account of the integration, and one of Home Assistant's own `tessie`."""

import asyncio
from collections.abc import Sequence
from typing import Any, override

from homeassistant.components.tessie.const import DOMAIN as TESSIE_DOMAIN
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.vehicle_remote_access.account.discovery import DiscoveredVehicle
from custom_components.vehicle_remote_access.const import CONF_BASE_URL, DOMAIN

from .service import Car


class Account:
    """An account of the integration in Home Assistant."""

    domain = DOMAIN

    def __init__(self, hass: HomeAssistant, url: str, cars: Sequence[Car]) -> None:
        self.paths = [self.path(car) for car in cars]
        """The requests of a refresh."""
        self._hass = hass
        self.entry = MockConfigEntry(
            domain=self.domain,
            data={CONF_BASE_URL: url, CONF_ACCESS_TOKEN: cars[0].token},
            subentries_data=[
                DiscoveredVehicle(str(car.path_id), car.vin, f"Car {car.index}")
                .subentry({}, keep_positions=False)
                .as_dict()
                for car in cars
            ],
        )
        self.entry.add_to_hass(hass)

    @staticmethod
    def path(car: Car) -> str:
        return f"{car.path}/vehicle_data"

    async def set_up(self) -> None:
        """Set the account up, until all entities are added."""
        await self._hass.config_entries.async_setup(self.entry.entry_id)
        assert self.entry.state is ConfigEntryState.LOADED

    async def refresh(self) -> None:
        """Poll all cars that are due, like the timers of the coordinators."""
        await asyncio.gather(*(coordinator.async_refresh() for coordinator in self.coordinators))

    @property
    def coordinators(self) -> list[Any]:
        return [self.entry.runtime_data]

    def count_entities(self) -> int:
        """Return the number of enabled entities."""
        entities = er.async_entries_for_config_entry(er.async_get(self._hass), self.entry.entry_id)
        return sum(entity.disabled_by is None for entity in entities)


class Tessie(Account):
    domain = TESSIE_DOMAIN

    @staticmethod
    @override
    def path(car: Car) -> str:
        return f"/{car.vin}/state?use_cache=true"

    @property
    @override
    def coordinators(self) -> list[Any]:
        return [vehicle.data_coordinator for vehicle in self.entry.runtime_data.vehicles]

    @override
    async def set_up(self) -> None:
        await super().set_up()
        for coordinator in self.coordinators:
            # Only the benchmark polls. The default interval is 10 s.
            coordinator.update_interval = None
