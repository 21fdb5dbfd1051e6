"""Live reads after a command, to confirm its effect."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
import math
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant
from homeassistant.helpers.event import async_call_later

from .known import KnownVehicle

MOVES_FOR: Final = 15.0
"""Seconds after a command in which the car may still report the position of a lid before it."""
# The first read shows the effect soon. At the second, moving parts have reached their position.
_DELAYS: Final = (3.0, MOVES_FOR)
# Retries after the second read fails or comes from a cache, because polling may not read the car for hours.
_RETRY_DELAYS: Final = (60.0, 300.0, 900.0)
# A live read that starts at least this long after the command shows its effect.
_EFFECTIVE_AFTER: Final = MOVES_FOR - 1.0


class CommandConfirmation:
    """Reads a vehicle after a command."""

    def __init__(
        self,
        hass: HomeAssistant,
        known: KnownVehicle,
        read: Callable[[], Awaitable[bool]],
        is_pushing: Callable[[], bool],
    ) -> None:
        """`read` returns whether it succeeded, `is_pushing` whether the car itself sends what changes."""
        self._hass = hass
        self._known = known
        self._read = read
        self._is_pushing = is_pushing
        self._scheduled: list[CALLBACK_TYPE] = []
        self.sent_at = -math.inf
        """When the last command was sent that the car may have executed, by the monotonic clock."""

    @property
    def is_unconfirmed(self) -> bool:
        """Whether no live read, or no message of the car itself, has shown the last command's effect yet."""
        if self._is_pushing():
            return bool(self._known.merged.commanded)
        return not self._known.was_seen_since(self.sent_at + _EFFECTIVE_AFTER)

    def schedule(self, after: float = 0.0) -> None:
        """Read the vehicle soon; only once, later, if it sends its changes. `after`: the service's pause."""
        self.cancel()
        if self._known.is_shut_down:
            return
        confirm = partial(self._confirm, list(_RETRY_DELAYS))
        delays = _DELAYS[-1:] if self._is_pushing() else _DELAYS
        self._scheduled = [async_call_later(self._hass, after + delay, confirm) for delay in delays]

    async def _confirm(self, retry_delays: list[float], _now: datetime) -> None:
        self._scheduled.pop(0)
        if self._known.is_other_vehicle or not self.is_unconfirmed:
            return
        # A car that is online may have been read before the command, if the answer is from a cache.
        has_succeeded = await self._read() and not (self.is_unconfirmed and self._known.vehicle.is_online)
        is_last = not (self._scheduled or self._known.is_shut_down)
        if is_last and retry_delays and not has_succeeded:
            delay = retry_delays.pop(0)
            self._scheduled = [async_call_later(self._hass, delay, partial(self._confirm, retry_delays))]

    def cancel(self) -> None:
        while self._scheduled:
            self._scheduled.pop()()
