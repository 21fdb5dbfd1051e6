"""A fleet of cars in one Home Assistant. The integration and `tessie` are measured in turn."""

from collections.abc import Awaitable, Callable, Sequence
import ctypes
from functools import partial
import gc
from itertools import cycle, islice
import os
from typing import Final
from unittest.mock import patch

from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity import Entity
from homeassistant.util import dt as dt_util

from ..common.process import private_memory
from . import results
from .service import Car, Service, changed_record, driving_record
from .subjects import Account, Tessie

_REFRESHES: Final = 200
"""Of one car, of each kind in each round. A refresh of several cars counts for each of them."""


class Fleet:
    """Cars that all drive, in one Home Assistant."""

    def __init__(
        self,
        hass: HomeAssistant,
        advance: Callable[[float], None],
        service: Service,
        cars: Sequence[Car],
        *,
        every_entity: bool,
    ) -> None:
        """Initialize without setting up any account. The last car has its own account."""
        self._hass = hass
        self._service = service
        *self._cars, self._other = cars
        self._advance = advance
        self._every_entity = every_entity
        self._record = driving_record()

    async def _respond(self, fields: int = 0) -> None:
        """Advance the time by a minute and set the service's response."""
        self._advance(60)
        await self._service.respond(changed_record(self._record, dt_util.utcnow().timestamp(), fields))

    async def _finish_tasks(self) -> None:
        await self._hass.async_block_till_done(wait_background_tasks=True)

    async def measure_startup(self, name: str) -> results.Startup:
        account_type = Tessie if name == results.TESSIE else Account
        # So that Home Assistant has loaded all modules and translations
        other = account_type(self._hass, self._service.url, [self._other])
        await self._respond()
        await other.set_up()
        await self._finish_tasks()
        await self._hass.config_entries.async_remove(other.entry.entry_id)
        await self._finish_tasks()
        account = account_type(self._hass, self._service.url, self._cars)
        await self._respond()
        before = _memory()
        cold = await results.measure(account.set_up)
        await self._finish_tasks()
        memory = _memory() - before
        await self._hass.config_entries.async_unload(account.entry.entry_id)
        await self._respond()
        warm = await results.measure(account.set_up)
        return {
            "entities": account.count_entities(),
            "cold": cold.wall / 1e3,
            "warm": warm.wall / 1e3,
            "requests": await self._service.count_requests(),
            "memory": memory / account.count_entities(),
        }

    async def measure_refreshes(self, rounds: int) -> list[results.Refresh]:
        """Measure refreshes of both integrations, next to their requests."""
        integration = Account(self._hass, self._service.url, self._cars)
        tessie = Tessie(self._hass, self._service.url, self._cars)
        await self._respond()
        await integration.set_up()
        await tessie.set_up()
        gc.collect()
        gc.freeze()
        entities = integration.count_entities() / tessie.count_entities()
        refreshes = {
            kind: results.Refresh(kind, len(self._cars), self._every_entity, entities)
            for kind in results.REFRESH_KINDS
        }
        for _ in range(rounds):
            for kind, refresh in refreshes.items():
                fields = results.REFRESH_KINDS[kind]
                refresh.rounds.append(await self._measure_round(integration, tessie, fields))
        return list(refreshes.values())

    async def _measure_round(self, integration: Account, tessie: Account, fields: int) -> results.Round:
        actions: dict[str, Callable[[], Awaitable[None]]] = {
            results.INTEGRATION: integration.refresh,
            results.REQUESTS_ONLY: partial(self._service.request, integration.paths),
            results.TESSIE: tessie.refresh,
            results.TESSIE_REQUESTS_ONLY: partial(self._service.request, tessie.paths),
        }
        durations: results.Round = {subject: [] for subject in (*actions, results.WITHOUT_STATES)}
        await self._respond()
        await integration.refresh()
        await tessie.refresh()
        await self._finish_tasks()
        for changed in islice(cycle((fields, 0)), _REFRESHES // len(self._cars)):
            await self._respond(changed)
            # The first request after a pause is slower.
            await self._service.request(integration.paths[:1])
            for subject, action in actions.items():
                durations[subject].append(await results.measure(action))
            await self._respond(fields - changed)
            with patch.object(Entity, "_async_write_ha_state", lambda _entity: None):
                durations[results.WITHOUT_STATES].append(await results.measure(integration.refresh))
            # Back to what the states show
            await self._respond(changed)
            await integration.refresh()
        return durations


def _memory() -> float:
    """Return the KiB of this process that are in use."""
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    return private_memory(os.getpid()) * 1024
