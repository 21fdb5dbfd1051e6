"""The baseline: the work that any integration must do. A service call, a request, JSON, and state writes."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import aiohttp
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.helpers.aiohttp_client import async_get_clientsession
import orjson

type StateWrite = tuple[str, Mapping[str, Any]]
"""An entity id and the attributes of its state."""

_DOMAIN: Final = "baseline"
_NO_OPERATION: Final = "no_operation"
_HEADERS: Final = {"Authorization": "Bearer baseline"}


class Baseline:
    """Runs the minimum work in Home Assistant."""

    def __init__(self, hass: HomeAssistant, url: str) -> None:
        """Use the client session that all integrations share."""
        self._hass = hass
        self._session = async_get_clientsession(hass)
        self._url = url
        self._runs = 0
        hass.services.async_register(_DOMAIN, _NO_OPERATION, _no_operation)

    async def refresh(self, writes: Mapping[str, Sequence[StateWrite]]) -> None:
        """Request all paths at the same time, and write the states for each path."""
        self._runs += 1
        await asyncio.gather(*(self._request_and_write(path, states) for path, states in writes.items()))

    async def command(self, path: str, write: StateWrite) -> None:
        """Call a service that does nothing, send a command to a car, and write one state."""
        self._runs += 1
        await self._hass.services.async_call(_DOMAIN, _NO_OPERATION, {"entity_id": write[0]}, blocking=True)
        body = aiohttp.JsonPayload({})
        async with self._session.post(f"{self._url}{path}", data=body, headers=_HEADERS) as response:
            orjson.loads(await response.read())
        self._write([write])

    async def _request_and_write(self, path: str, writes: Sequence[StateWrite]) -> None:
        async with self._session.get(f"{self._url}{path}", headers=_HEADERS) as response:
            orjson.loads(await response.read())
        self._write(writes)

    def _write(self, writes: Sequence[StateWrite]) -> None:
        state = str(self._runs)
        for entity_id, attributes in writes:
            self._hass.states.async_set(entity_id, state, attributes)


async def _no_operation(_: ServiceCall) -> None:
    """Do nothing."""
