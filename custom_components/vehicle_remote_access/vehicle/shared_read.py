"""Requests that a user asks for."""

import asyncio
from collections.abc import Awaitable, Callable
import math
import time
from typing import Final

from homeassistant.exceptions import HomeAssistantError

SHARED_FOR: Final = 5.0
"""Seconds within which several requests share one read."""


class SharedRead:
    """Reads a vehicle or the list for users. Requests at about the same time share one read."""

    def __init__(self, read: Callable[[], Awaitable[None]]) -> None:
        self._read = read
        self._error: HomeAssistantError | None = None
        self._lock = asyncio.Lock()
        self._started_at = self._ended_at = -math.inf

    async def run(self, *, fresh: bool = False) -> None:
        """Read, or unless `fresh` wait for a read that has just begun. Raises HomeAssistantError."""
        requested_at = time.monotonic()
        async with self._lock:
            is_shared = self._ended_at >= requested_at or 0 <= requested_at - self._started_at < SHARED_FOR
            if fresh or not is_shared:
                started_at, failure = time.monotonic(), None
                try:
                    await self._read()
                except HomeAssistantError as error:
                    failure = error
                # A cancelled read does not reach this line: it has no result to share.
                self._error, self._started_at, self._ended_at = failure, started_at, time.monotonic()
            if self._error is not None:
                # Drop the traceback, or it grows with every caller.
                raise self._error.with_traceback(None)
