"""Reads that a user asks for."""

import asyncio
from collections.abc import Awaitable, Callable
import math
import time
from typing import Final

from homeassistant.exceptions import HomeAssistantError

SHARED_FOR: Final = 5.0
"""Seconds within which several requests share one read."""


class UserRefresh:
    """Reads a vehicle for users. Requests at about the same time share one read."""

    def __init__(self, read: Callable[[], Awaitable[BaseException | None]]) -> None:
        """Read with `read`, which returns the error of the read, or raises HomeAssistantError."""
        self.error: BaseException | None = None
        """The error of the last read."""
        self._read = read
        self._lock = asyncio.Lock()
        self._started_at = self._ended_at = -math.inf

    async def run(self, *, fresh: bool = False) -> bool:
        """Read, or wait for a read that has just begun, and return whether it succeeded.

        With `fresh`, always start a read. Raises HomeAssistantError if the service can't be asked.
        """
        requested_at = time.monotonic()
        async with self._lock:
            is_shared = (
                self._ended_at >= requested_at or 0 <= requested_at - self._started_at < SHARED_FOR
            ) and not fresh
            if not is_shared:
                await self._run()
            return self.error is None

    async def _run(self) -> None:
        started_at = time.monotonic()
        failure: HomeAssistantError | None = None
        try:
            self.error = await self._read()
        except HomeAssistantError as error:
            self.error = failure = error
        # A cancelled read does not reach this line: it has no result to share.
        self._started_at, self._ended_at = started_at, time.monotonic()
        if failure is not None:
            raise failure
