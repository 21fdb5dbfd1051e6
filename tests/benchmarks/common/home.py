"""Home Assistant with one simulated car, in virtual time."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
import logging
from tempfile import TemporaryDirectory
import time
from typing import Any, Final, override
from unittest.mock import patch

import aiohttp
from homeassistant import loader
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er, frame
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from pytest_homeassistant_custom_component.common import MockConfigEntry, async_test_home_assistant

from custom_components.vehicle_remote_access import const

# Import before an integration is loaded: the test plugin has its own `custom_components`.
from custom_components.vehicle_remote_access.account.discovery import DiscoveredVehicle
from custom_components.vehicle_remote_access.account.token_store import with_tokens
from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES
from custom_components.vehicle_remote_access.api.token_refresher import Tokens
from custom_components.vehicle_remote_access.simulator import TOKEN_PATH, Simulator
from custom_components.vehicle_remote_access.vehicle.coordinator import VehicleCoordinator
from simulator_console.services import SimulatedService

from .virtual_time import VirtualLoop

_RESOLVER: Final = "homeassistant.helpers.aiohttp_client._async_make_resolver"
# Every five seconds, Home Assistant looks for outdated device trackers of an old kind. There are none.
_OLD_TRACKERS_TIMER: Final = "homeassistant.components.device_tracker.legacy.async_track_utc_time_change"


class Home:
    def __init__(self, hass: HomeAssistant, vin: str) -> None:
        self.hass = hass
        self._vin = vin

    @property
    def vehicle(self) -> VehicleCoordinator:
        (entry,) = self.hass.config_entries.async_entries(const.DOMAIN)
        (vehicle,) = entry.runtime_data.vehicles.values()
        assert isinstance(vehicle, VehicleCoordinator)
        return vehicle

    def entity_id(self, platform: str, path: str) -> str:
        entity = er.async_get(self.hass).async_get_entity_id(platform, const.DOMAIN, f"{self._vin}-{path}")
        assert entity is not None, f"no {platform} for {path}"
        return entity

    async def restart(self) -> None:
        await self.hass.config_entries.async_reload(self.vehicle.config_entry.entry_id)
        await self.hass.async_block_till_done()

    def states(self) -> dict[str, State]:
        """Return the integration's states by platform and unique id without its VIN or entry id."""
        entry_id = self.vehicle.config_entry.entry_id
        entities = er.async_entries_for_config_entry(er.async_get(self.hass), entry_id)
        return {
            f"{entity.domain} {entity.unique_id.partition('-')[2]}": state
            for entity in entities
            if (state := self.hass.states.get(entity.entity_id)) is not None
        }


@asynccontextmanager
async def virtual_home(
    loop: VirtualLoop, simulator: Simulator, options: Mapping[str, Any] | None = None
) -> AsyncIterator[Home]:
    """Run Home Assistant with a car in virtual time, which stands still during requests that are answered."""
    async with home_assistant() as hass:
        wait_for_responses(loop, hass, simulator)
        entry = account_entry(simulator, options)
        with without_old_trackers():
            entry.add_to_hass(hass)
            await hass.config_entries.async_setup(entry.entry_id)
            await hass.async_block_till_done()
        yield Home(hass, simulator.vehicles[0].vin)


def wait_for_responses(loop: VirtualLoop, hass: HomeAssistant, simulator: Simulator) -> None:
    """Let virtual time stand still during requests that are answered."""
    connector = async_get_clientsession(hass).connector
    assert connector is not None
    # A connection is acquired until the response is read completely. There is no public attribute.
    streams = simulator.streams.connections if isinstance(simulator, SimulatedService) else ()
    loop.has_pending_data = lambda: (
        len(connector._acquired) > simulator.unanswered + len(streams)  # noqa: SLF001
    )


def account_entry(simulator: Simulator, options: Mapping[str, Any] | None = None) -> MockConfigEntry:
    """Return an account with the car of a service."""
    (car,) = simulator.vehicles
    data: dict[str, Any] = {
        const.CONF_SERVICE: simulator.service,
        const.CONF_BASE_URL: simulator.url,
        CONF_ACCESS_TOKEN: simulator.token,
    }
    if isinstance(simulator, SimulatedService) and simulator.streams.url:
        data[const.CONF_STREAM_URL] = simulator.streams.url
    if simulator.switches.token_lifetime:
        tokens = Tokens(
            access_token=simulator.token,
            refresh_token=simulator.tokens.refresh_token,
            # The age of an entered token is unknown.
            refresh_at=time.time(),
        )
        data[const.CONF_TOKEN_REFRESH] = {const.CONF_TOKEN_URL: simulator.url + TOKEN_PATH}
        data = with_tokens(data, tokens)
    path_id = SERVICE_TYPES[simulator.service].path_id(car.vin, str(car.id))
    subentry = DiscoveredVehicle(path_id, car.vin, "Car").subentry({}, keep_positions=False)
    return MockConfigEntry(
        domain=const.DOMAIN, data=data, options=dict(options or {}), subentries_data=[subentry.as_dict()]
    )


def without_old_trackers() -> AbstractContextManager[object]:
    """Set entities up without the timer of outdated device trackers."""
    return patch(_OLD_TRACKERS_TIMER, lambda *_, **__: lambda: None)


@asynccontextmanager
async def home_assistant() -> AsyncIterator[HomeAssistant]:
    """Run an empty Home Assistant in the running loop's time."""
    with TemporaryDirectory() as folder, patch(_RESOLVER, lambda _: _Resolver()):
        async with async_test_home_assistant(config_dir=folder) as hass:
            frame.async_setup(hass)
            hass.data.pop(loader.DATA_CUSTOM_COMPONENTS)
            await hass.config.async_set_time_zone("UTC")
            try:
                yield hass
            finally:
                await hass.async_stop(force=True)


class _Resolver(aiohttp.ThreadedResolver):
    """Resolves names without the multicast queries of Home Assistant's resolver."""

    async def real_close(self) -> None:
        """Close the resolver. Home Assistant calls this method."""
        await self.close()


@contextmanager
def collect_warnings(is_problem: Callable[[logging.LogRecord], object]) -> Iterator[list[str]]:
    """Return a list that collects the texts of some of the logged warnings and errors."""
    problems: list[str] = []

    class _Handler(logging.Handler):
        @override
        def emit(self, record: logging.LogRecord) -> None:
            if is_problem(record):
                problems.append(f"{record.name}: {logging.Formatter().format(record)}")

    handler = _Handler(logging.WARNING)
    logging.getLogger().addHandler(handler)
    try:
        yield problems
    finally:
        logging.getLogger().removeHandler(handler)
