"""The requests that keep what is known of one vehicle up to date."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
import logging
import time
from typing import Any, Final

from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util import dt as dt_util

from ..account.provider import translate_error
from ..api.errors import AsleepError, InServiceError, ServiceError
from ..api.records import Vehicle
from ..polling.modes import ONLINE
from .known import KnownVehicle
from .merged_data import with_known_location

_LOGGER: Final = logging.getLogger(__package__)


class VehicleReader:
    """Reads one vehicle."""

    def __init__(self, known: KnownVehicle, request_list: Callable[[], None]) -> None:
        """`request_list` requests the list of the account soon."""
        self._known = known
        self._request_list = request_list
        self._provider = known.provider
        self.lock = asyncio.Lock()
        """Held by live reads and commands, because the car answers one request at a time."""
        self.is_reading = False
        """Whether a live read is under way, whose answer would be older than what the car sends now."""

    async def async_request_record(self) -> Mapping[str, Any] | None:
        """Update the vehicle from its record, and return it, None without one. Does not ask the car."""
        self._known.check_loaded()
        if not self._provider.has_records:
            return None
        record = await self._provider.record(self._known.path_id)
        self._known.update_from_record(record)
        return record

    async def async_refresh_identity(self) -> None:
        """Check which vehicle it is, unless that was done recently. `is_other_vehicle` is the result."""
        if not self._known.is_identity_checked:
            with suppress(ServiceError):
                if self._provider.has_records:
                    await self.async_request_record()
                else:
                    await self.async_read("to see which car it is")

    async def async_update(self) -> Vehicle:
        """Read the vehicle live. Raises UpdateFailed or ConfigEntryAuthFailed after recording the failure."""
        async with self.lock:
            try:
                # The vehicle may have been removed while this read waited.
                if not self._known.is_shut_down:
                    await self.async_read_live()
            except AsleepError, InServiceError:
                pass
            except ServiceError as error:
                self._known.on_read_failed(error)
                if error.is_final:
                    # The list fails, too, so that the account reports why.
                    self._request_list()
                raise translate_error(error, UpdateFailed) from None
            except Exception:
                self._known.on_read_failed(ServiceError())
                raise
        return self._known.vehicle

    async def async_read(self, reason: str) -> None:
        """Read live with the lock held. Raises ServiceError unless the car is asleep or in service."""
        _LOGGER.debug("%s: is read %s", self._known.title, reason)
        with suppress(AsleepError, InServiceError):
            await self.async_read_live()

    async def async_read_live(self) -> dict[str, Any]:
        """Read the vehicle live, merge and return its answer, holding the lock. Raises ServiceError."""
        self._known.check_loaded()
        asked_at, started_at = dt_util.now(), time.monotonic()
        is_location_omitted = self._known.is_location_omitted
        self.is_reading = True
        try:
            answer: dict[str, Any] = {}
            if self._provider.type.has_cache:
                answer = await self._provider.refresh(self._known.path_id)
            if not answer:
                answer = await self._provider.read(self._known.path_id, with_location=not is_location_omitted)
            self._known.check_identity(answer)
            if is_location_omitted:
                answer = await self._with_location(answer)
        except ServiceError as error:
            self._known.issues.update(self._known.subentry_id, error)
            if isinstance(error, AsleepError):
                record = None
                with suppress(ServiceError):
                    record = await self._provider.record(self._known.path_id)
                self._known.merge_unreachable(record, asked_at)
            elif isinstance(error, InServiceError):
                state = self._known.tracker.state or ONLINE
                self._known.merge_refusal(Vehicle.in_service, True, state, asked_at)
            raise
        finally:
            self.is_reading = False
        self._known.issues.update(self._known.subentry_id)
        self._known.merge_answer(answer, asked_at, started_at)
        return answer

    async def _with_location(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer with the known location, or a new answer if the car may have moved."""
        complete = with_known_location(self._known.merged, answer)
        if complete is None:
            _LOGGER.debug("%s: is read again with its location, because it may have moved", self._known.title)
            complete = await self._provider.read(self._known.path_id)
            self._known.check_identity(complete)
        return complete
