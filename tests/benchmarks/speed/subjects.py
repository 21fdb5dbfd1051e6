"""What is compared: the accounts of two integrations, and the work that any integration must do."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
import gc
from itertools import groupby
from typing import Any, Final, override

import aiohttp
from homeassistant.components.tessie.const import DOMAIN as TESSIE_DOMAIN
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant, ServiceCall, State
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.aiohttp_client import async_get_clientsession
import orjson
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.vehicle_remote_access.account.discovery import DiscoveredVehicle
from custom_components.vehicle_remote_access.const import CONF_BASE_URL, DOMAIN

from .service import Car, Service

type StateWrite = tuple[str, Mapping[str, Any]]
"""An entity id and the attributes of its state."""

_BASELINE: Final = ("baseline", "no_operation")
"""The domain and the name of a service."""
_HEADERS: Final = {"Authorization": "Bearer baseline"}


class Accounts:
    """The accounts of one integration in Home Assistant: one config entry for up to fifty cars."""

    domain = DOMAIN

    def __init__(self, hass: HomeAssistant, service: Service, cars: Iterable[Car]) -> None:
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
        return [entry.runtime_data for entry in self.entries]

    def states(self) -> list[State]:
        registry, states = er.async_get(self.hass), self.hass.states
        return [
            state
            for entry in self.entries
            for entity in er.async_entries_for_config_entry(registry, entry.entry_id)
            if (state := states.get(entity.entity_id)) is not None
        ]


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


class Baseline:
    """The minimum work: a service call, a request, JSON, and state writes."""

    def __init__(self, hass: HomeAssistant, url: str) -> None:
        self._hass = hass
        self._session = async_get_clientsession(hass)
        self._url = url
        self._runs = 0

        async def no_operation(_: ServiceCall) -> None:
            """Do nothing."""

        hass.services.async_register(*_BASELINE, no_operation)

    async def refresh(self, writes: Mapping[str, Sequence[StateWrite]]) -> None:
        """Request all paths at the same time, and write the states for each path."""
        await asyncio.gather(*(self._request("GET", path, states) for path, states in writes.items()))

    async def command(self, path: str, write: StateWrite) -> None:
        """Call a service that does nothing, send a command to a car, and write one state."""
        await self._hass.services.async_call(*_BASELINE, {"entity_id": write[0]}, blocking=True)
        await self._request("POST", path, [write], aiohttp.JsonPayload({}))

    async def _request(
        self, method: str, path: str, writes: Sequence[StateWrite], body: aiohttp.Payload | None = None
    ) -> None:
        url = f"{self._url}{path}"
        async with self._session.request(method, url, data=body, headers=_HEADERS) as response:
            orjson.loads(await response.read())
        self._runs += 1
        state = str(self._runs)
        for entity_id, attributes in writes:
            self._hass.states.async_set(entity_id, state, attributes)
