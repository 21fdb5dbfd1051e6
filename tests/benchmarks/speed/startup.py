"""Measures the set-up of an integration in a new process: its duration, requests and memory."""

from collections.abc import Iterator
from contextlib import contextmanager
import ctypes
import gc
import os
from pathlib import Path
from typing import Final

from .accounts import Accounts
from .fleet import Fleet
from .integration import Integration
from .null_integration import EntitySpec, NullIntegration, entity_specs
from .results import Startup
from .stub_service import StubService, create_vehicles, run_stub_service
from .timing import measure

_STATM: Final = Path("/proc/self/statm")
_OTHER_ACCOUNT: Final = 900_000
"""The index of a car in another account."""


async def measure_startup(fleet: Fleet) -> tuple[Startup, list[EntitySpec]]:
    """Set up the integration, and return the result and the properties of its entities."""
    with _other_service(fleet) as service:
        await _warm_up(fleet, Integration(fleet.hass, service))
    startup = await _measure(fleet, fleet.integration)
    return startup, entity_specs(fleet.integration)


async def measure_null_startup(fleet: Fleet, specs: list[EntitySpec]) -> Startup:
    """Set up the null integration with the same entities, and return the result."""
    with _other_service(fleet) as service:
        await _warm_up(fleet, NullIntegration(fleet.hass, service, specs))
    return await _measure(fleet, NullIntegration(fleet.hass, fleet.service, specs))


@contextmanager
def _other_service(fleet: Fleet) -> Iterator[StubService]:
    """Run a service with another car."""
    vin = fleet.service.vehicles[0].vin
    vehicles = create_vehicles(1, vin, first=_OTHER_ACCOUNT)
    with run_stub_service(vehicles, fleet.service_core) as service:
        service.respond(fleet.response())
        yield service


async def _warm_up(fleet: Fleet, accounts: Accounts) -> None:
    """Set accounts up and remove them, so that Home Assistant has loaded all modules and translations."""
    await accounts.set_up()
    await fleet.hass.async_block_till_done(wait_background_tasks=True)
    await accounts.remove()


async def _measure(fleet: Fleet, accounts: Accounts) -> Startup:
    await fleet.hass.async_block_till_done(wait_background_tasks=True)
    fleet.respond()
    before = _private_memory()
    cold = await measure(accounts.set_up)
    cold_requests = len(accounts.setup_requests)
    await fleet.hass.async_block_till_done(wait_background_tasks=True)
    memory = _private_memory() - before
    entities = len(accounts.states())
    await accounts.unload()
    fleet.respond()
    warm = await measure(accounts.set_up)
    return Startup(
        entities=entities,
        cold=cold,
        cold_requests=cold_requests,
        warm=warm,
        warm_requests=len(accounts.setup_requests),
        memory=memory,
    )


def _private_memory() -> float:
    """Return the KiB of this process without mapped files, which vary."""
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    resident, shared = map(int, _STATM.read_text().split()[1:3])
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") / 1024
