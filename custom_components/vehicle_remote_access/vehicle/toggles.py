"""Toggles, which repeating undoes: they are sent only if a fresh read shows that they are needed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..api.commands import Command
from ..api.errors import InServiceError, PositionUnknownError
from ..api.fields import Field
from .confirmation import MOVES_FOR
from .cooldown import Cooldown
from .reader import VehicleReader
from .waker import Waker

# Services answer from several caches. One of two reads in a row is most likely fresh.
_FRESH_READ_ATTEMPTS: Final = 2

type Expected = Mapping[Field[Any], Any]
"""The values that the fields of a toggle have after it."""


@dataclass(frozen=True)
class _SentToggle:
    """A toggle that was sent. For some seconds, the car may still report the position before it."""

    expected: Expected
    settles: Cooldown


class SentToggles:
    """The toggles that were sent to one vehicle."""

    def __init__(self, reader: VehicleReader, waker: Waker) -> None:
        self._reader = reader
        self._waker = waker
        self._sent: dict[frozenset[Field[Any]], _SentToggle] = {}
        self._restart_settles = Cooldown()
        """After a restart, it is unknown which toggles were sent just before."""

    async def is_needed(self, command: Command, expected: Expected) -> bool:
        """Read fresh state and return whether the toggle is needed. Wakes the car if necessary and allowed.

        Repeating the last toggle is not needed, even if the car does not report its effect yet. Raises
        PositionUnknownError if the position is unknown or changing.
        """
        sent = self._sent.get(frozenset(expected))
        if sent is not None and not sent.settles.left:
            sent = None
        if sent is not None and sent.expected == expected:
            return False
        await self._read_fresh(command, expected)
        vehicle = self._reader.vehicle
        found = {field: field.get(vehicle) for field in expected}
        # The lid may be moving, and the next command would stop or reverse it.
        is_moving = self._restart_settles.left > 0 if sent is None else sent.expected != found
        if not vehicle.is_online or is_moving or None in found.values():
            raise PositionUnknownError
        return found != expected

    async def _read_fresh(self, command: Command, expected: Expected) -> None:
        """Read the car. Raises PositionUnknownError if its answers come from a cache."""
        for _ in range(_FRESH_READ_ATTEMPTS):
            await self._reader.async_read()
            if not self._reader.vehicle.is_online:
                await self._waker.async_wake_for(command, is_known_asleep=True)
                await self._reader.async_read()
            if self._reader.vehicle.in_service:
                raise InServiceError
            if all(map(self._reader.merged.is_fresh, expected)):
                return
        raise PositionUnknownError

    def remember(self, expected: Expected, seconds: float = MOVES_FOR) -> None:
        """Record that a toggle was sent. The car may move until `seconds` from now."""
        sent = self._sent[frozenset(expected)] = _SentToggle(expected, Cooldown())
        sent.settles.start(seconds)

    def on_restart(self) -> None:
        """Record that any toggle may have been sent just before."""
        self._restart_settles.start(MOVES_FOR)
