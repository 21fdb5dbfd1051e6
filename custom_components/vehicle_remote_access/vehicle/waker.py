"""Wakes one car for commands."""

import asyncio
from collections.abc import Callable
import logging
import math
import time
from typing import Final

from ..api import errors
from ..api.commands import Command
from ..api.records import Vehicle
from ..polling.modes import ASLEEP, ONLINE
from .known import KnownVehicle
from .merged_data import reported_state
from .reader import VehicleReader

_LOGGER: Final = logging.getLogger(__package__)
WAKE_TIMEOUT: Final = 60.0
_WAKE_POLL_INTERVAL: Final = 3.0


class Waker:
    """Wakes the car if that is necessary and allowed. The caller holds the vehicle's lock."""

    def __init__(
        self, known: KnownVehicle, reader: VehicleReader, check_may_send: Callable[[Command], None]
    ) -> None:
        """`check_may_send` raises the reason not to send a command."""
        self._known = known
        self._reader = reader
        self._check_may_send = check_may_send
        self.failed_at = -math.inf
        """When the last wake-up failed, by the monotonic clock."""
        self.last_error: errors.ServiceError = errors.WakeUpTimeoutError()
        self.is_waking = False
        """Whether a command is waiting for the car to wake."""

    async def async_wake_for(self, command: Command, *, is_known_asleep: bool = False) -> bool:
        """Wake the car for a command. Return whether to send it: a sleeping car may already do what it asks.

        `is_known_asleep`: whether it has just refused a request as asleep. Raises why it was not woken.
        """
        self._check_may_send(command)
        if command.is_done_asleep and await self._listed_state() == ASLEEP:
            return False
        if self._known.options.wake_for_commands:
            await self.async_wake(command, is_known_asleep=is_known_asleep)
        elif is_known_asleep or await self._listed_state() not in (None, ONLINE):
            raise errors.NotWokenError(self._known.title)
        return True

    async def _listed_state(self) -> str | None:
        """Return the state that the service reports now. The known one may be a minute old."""
        record = await self._reader.async_request_record()
        return None if record is None else reported_state(record)

    async def async_wake(self, command: Command, *, is_known_asleep: bool = False) -> None:
        """Wake the car and wait until it is online. `is_known_asleep`: the list can still say online."""
        self._check_may_send(command)
        _LOGGER.debug("%s: is woken for %s", self._known.title, command.name)
        self.is_waking = True
        try:
            await self._wake(command, is_known_asleep=is_known_asleep)
        except errors.ServiceError:  # After a cancellation, the car may still wake because of the request.
            self._known.tracker.was_wake_requested = False
            raise
        finally:
            self.is_waking = False
            self._known.notify()
        self._check_may_send(command)

    async def _wake(self, command: Command, *, is_known_asleep: bool) -> None:
        deadline = time.monotonic() + WAKE_TIMEOUT
        self._known.on_wake_requested()
        error = await self._request_wake()
        if is_known_asleep:
            self._known.set_expected({Vehicle.state: ASLEEP})
        while not self._known.vehicle.is_online:
            if time.monotonic() >= deadline:
                self.failed_at = time.monotonic()
                self.last_error = error or errors.WakeUpTimeoutError()
                raise self.last_error
            await asyncio.sleep(_WAKE_POLL_INTERVAL)
            self._check_may_send(command)
            if error is None and self._known.provider.has_records:
                await self._reader.async_request_record()
            else:
                error = await self._request_wake()

    async def _request_wake(self) -> errors.ServiceError | None:
        """Send the wake-up request. Return a temporary error instead of raising it."""
        try:
            record = await self._known.provider.wake_up(self._known.path_id)
        except errors.AsleepError:
            return errors.WakeUpTimeoutError()
        except (errors.ServiceDownError, errors.MalformedResponseError) as error:
            return error
        if record:
            self._known.update_from_record(record)
        return None
