"""Who is asked, and who is told what is new: a few at a time, so that nobody else in the house waits."""

import asyncio
from collections.abc import Iterable
from itertools import islice
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ..const import DOMAIN, LOGGER

# So many states are written within a millisecond, or two on a small machine.
_IN_A_TURN: Final = 32
# To ask a car, or to take in an answer about it, takes as long as writing so many.
_OF_A_READ: Final = 8


class Telling:
    """Calls those who want to know, each once. Whom one turn of the event loop has no room for waits."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Begin with nobody waiting."""
        self._hass = hass
        self._waiting: dict[CALLBACK_TYPE, str] = {}
        self._room = _IN_A_TURN
        self._is_going_on = False

    @callback
    def tell(self, of: str, updates: Iterable[CALLBACK_TYPE]) -> None:
        """Call these, now if there is room; `of` names the car that they are told of."""
        self._waiting.update(dict.fromkeys(updates, of))
        self._tell_some()
        if self._waiting and not self._is_going_on:
            self._is_going_on = True
            self._hass.async_create_task(self._tell_the_rest(), f"{DOMAIN} telling", eager_start=False)

    async def room(self) -> None:
        """Wait for room in a turn of the event loop, and take it: to ask a car, or for an answer about it."""
        while self._room < _OF_A_READ:  # noqa: ASYNC110 # The next turn is all it waits for.
            await asyncio.sleep(0)
        self._take(_OF_A_READ)

    async def finish(self) -> None:
        """Tell those who wait, and return when all have been told."""
        while self._waiting:
            await asyncio.sleep(0)
            self._tell_some()

    @callback
    def spare(self, update: CALLBACK_TYPE) -> None:
        """Do not call who does not want to know any more."""
        self._waiting.pop(update, None)

    def _take(self, room: int) -> None:
        if self._room == _IN_A_TURN:
            self._hass.loop.call_soon(self._make_room)
        self._room -= room

    @callback
    def _make_room(self) -> None:
        self._room = _IN_A_TURN

    async def _tell_the_rest(self) -> None:
        await self.finish()
        self._is_going_on = False

    def _tell_some(self) -> None:
        for update, of in list(islice(self._waiting.items(), self._room)):
            # Whoever was told before may have told more, and left no room.
            if not self._room:
                break
            # Or it has been told, or is to be spared.
            if self._waiting.pop(update, None) is None:
                continue
            self._take(1)
            try:
                update()
            except Exception:  # noqa: BLE001 # One entity's fault is nobody else's.
                LOGGER.exception("An entity of %s could not take what is new", of)
