"""What no integration can do without: being called, asking, reading JSON, writing states that are new."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import aiohttp
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.helpers.aiohttp_client import async_get_clientsession
import orjson

from .answering import Service

type Written = tuple[str, Mapping[str, Any]]
"""An entity, and the attributes of its state."""

_DOMAIN: Final = "floor"
_NOTHING: Final = "nothing"
_HEADERS: Final = {"Authorization": "Bearer floor"}


class Floor:
    """The least that anything costs in a Home Assistant."""

    def __init__(self, hass: HomeAssistant, service: Service) -> None:
        """Speak over the session that every integration has."""
        self._hass = hass
        self._session = async_get_clientsession(hass)
        self._url = service.url
        self._times = 0
        hass.services.async_register(_DOMAIN, _NOTHING, _do_nothing)

    async def read(self, paths: Sequence[str]) -> None:
        """Ask for each of the paths, at the same time."""
        await asyncio.gather(*map(self._read, paths))

    async def refresh(self, paths: Sequence[str], writes: Sequence[Sequence[Written]]) -> None:
        """Ask for each of the paths, at the same time, and write what belongs to it."""
        self._times += 1
        each = zip(paths, writes, strict=True)
        await asyncio.gather(*(self._read_and_write(path, news) for path, news in each))

    async def command(self, path: str, write: Written) -> None:
        """Use a service that does nothing, tell a car what to do, and write one state."""
        self._times += 1
        await self._hass.services.async_call(_DOMAIN, _NOTHING, {"entity_id": write[0]}, blocking=True)
        body = aiohttp.JsonPayload({})
        async with self._session.post(f"{self._url}{path}", data=body, headers=_HEADERS) as response:
            orjson.loads(await response.read())
        self.write([write])

    def write(self, writes: Sequence[Written]) -> None:
        """Write a new state for each of the entities."""
        state = str(self._times)
        for entity_id, attributes in writes:
            self._hass.states.async_set(entity_id, state, attributes)

    async def _read_and_write(self, path: str, writes: Sequence[Written]) -> None:
        await self._read(path)
        self.write(writes)

    async def _read(self, path: str) -> Any:
        async with self._session.get(f"{self._url}{path}", headers=_HEADERS) as response:
            return orjson.loads(await response.read())


async def _do_nothing(_: ServiceCall) -> None:
    """Be called."""
