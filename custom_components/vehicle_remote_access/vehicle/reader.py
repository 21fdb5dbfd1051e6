"""The requests that keep what is known of one vehicle up to date."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
import time
from typing import Any

from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util import dt as dt_util

from ..account.issues import NOT_LISTED, IssueReporter
from ..account.options import VehicleOptions
from ..account.provider import Provider, translate_error
from ..account.storage import SAVE_NORMALLY, SAVE_RARELY, SAVE_SOON, DataStore
from ..api.cooldown import Cooldown, backoff
from ..api.errors import AsleepError, InServiceError, OtherVehicleError, ServiceError, UnloadedError
from ..api.fields import Field
from ..api.records import ChargeState, Vehicle
from ..const import CONF_VIN
from ..device_info import is_same_vin
from ..drive_log.manager import DriveLogManager
from ..polling.activity import ActivityTracker
from ..polling.modes import ASLEEP, OFFLINE, ONLINE
from .availability import AvailabilityTracker
from .merged_data import (
    MergedData,
    forget_refused_state,
    merge_expected,
    merge_list_record,
    merge_live_answer,
    merge_refusal,
    reported_state,
    with_known_location,
)
from .observe import observe

_VIN: Final = Vehicle.vin.name
_IDENTITY_VALID_FOR: Final = 120.0
# Without a battery-backed clock, Home Assistant's time is wrong until a time server has answered.
_CLOCK_SET_WITHIN: Final = 1800.0
_LONGEST_BACKOFF: Final = 600.0
_LONGEST_BACKOFF_IN_USE: Final = 120.0
# After this many failures in a row (about an hour), retries leave the car time to fall asleep.
_FAILURES_BEFORE_QUIET: Final = 6
_FAILURES_BEFORE_QUIET_IN_USE: Final = 30


class VehicleReader:
    """Reads one vehicle."""

    def __init__(self, known: KnownVehicle) -> None:
        self._known = known
        self._provider = known.provider
        self.lock = asyncio.Lock()
        """Held by live reads and commands, because the car answers one request at a time."""

        If it was answered from a cache, when the car had reported the answer, as far as known.
        """
        self.service_availability = AvailabilityTracker()
        self.car_availability = AvailabilityTracker()
        self.list_availability = AvailabilityTracker()
        self._retry_cooldown = Cooldown()
        self._service_cooldown = Cooldown()
        self._identified_at = -math.inf
        self._created_at = time.monotonic()
        self._log_manager = log_manager

    @property
    def vehicle(self) -> Vehicle:
        """The fields of the merged data."""
        return self.merged.vehicle

    @property
    def is_state_listed(self) -> bool:
        """Whether the car's record is reliable now, so that it shows when the car wakes."""
        return self.provider.reports_states and self.merged.is_list_current

    @property
    def is_expired(self) -> bool:
        """Whether the values are too old to be shown. They don't expire while the car is asleep."""
        expires_at = min(self.service_availability.expires_at, self.car_availability.expires_at)
        return expires_at <= time.monotonic()

    @property
    def next_expiry_in(self) -> float:
        """Seconds until the service's or the car's silence is too long; infinity if neither will be."""
        now, ends = time.monotonic(), (self.service_availability.expires_at, self.car_availability.expires_at)
        return min([end - now for end in ends if end > now], default=math.inf)

    @property
    def retry_at(self) -> float:
        """Earliest time of the next live read after a failure, in Unix seconds."""
        return max(self._retry_cooldown.ends_at, self._service_cooldown.ends_at)

    def check_loaded(self) -> None:
        """Raise UnloadedError if the vehicle was removed or its account unloaded."""
        if self.is_shut_down:
            raise UnloadedError

    # The service's list

    @callback
    def update_from_record(self, record: Mapping[str, Any] | None) -> None:
        """Merge the vehicle's record. None counts as a failure of the service."""
        if record is None:
            if self.provider.reports_states:
                self.service_availability.record_failure()
            self.notify()
            return
        try:
            self._check_identity(record)
        except OtherVehicleError:
            self.car_availability.record_failure()
            self.notify()
            return
        self.issues.report(NOT_LISTED, None, self.subentry_id)
        self.service_availability.record_success()
        self.list_availability.record_success()
        if not self.provider.pause.left:
            self._service_cooldown.cancel()
        self.merged = merge_list_record(self.merged, record)
        if self.path_id not in (self.vehicle.id, self.vehicle.id_s, self.vin):
            # The id changed. A VIN never does.
            self.path_id = self.vehicle.path_id or self.path_id
            self.provider.add_secrets((self.path_id,))
        if self.vehicle.is_online is False:
            self.car_availability.record_success()
        state = reported_state(record)
        # A state that the car's own refusal contradicts is no observation: either of them may be old.
        if state is not None and state == self.merged.raw[Vehicle.state.name]:
            now, before = dt_util.now(), self.tracker.state
            if before not in (None, ONLINE, state):
                # The car may be reachable again.
                self._retry_cooldown.cancel()
            self.tracker.on_state(state, now)
            self._log_state(state, now, before)
        self.notify()

    @callback
    def mark_missing(self) -> None:
        """Count a list without this vehicle. After a while, offer to remove the vehicle."""
        self.list_availability.record_failure()
        if self.list_availability.is_expired:
            self.issues.report_missing_vehicle(self.subentry_id)

    @callback
    def on_list_failed(self, error: ServiceError) -> None:
        """Record that the request for the list failed."""
        self.service_availability.record_failure(error.retry_after, is_final=error.is_final)
        self._service_cooldown.extend(error.retry_after)
        self.notify()

    async def async_request_record(self) -> Mapping[str, Any] | None:
        """Update the vehicle from its record, without asking the car, and return the record.

        Return None if the service does not support this request, or if it failed. A failure is counted.
        Raises an error only if the service refuses the token or limits requests, or UnloadedError.
        """
        self._known.check_loaded()
        if not self._provider.has_records:
            return None
        record = await self._provider.record(self._known.path_id)
        self._known.update_from_record(record)
        return record

    async def async_refresh_identity(self) -> None:
        """Update the vehicle, unless its identity was checked recently. `is_other_vehicle` is the result.

        Reads the car live if the service has no records. Ignores errors.
        """
        if not self._known.is_identity_checked:
            with suppress(ServiceError):
                if self._provider.has_records:
                    await self.async_request_record()
                else:
                    await self.async_read()

    # Live reads

    async def async_update(self) -> Vehicle:
        """Read the vehicle live, and return what is known of it.

        Raises UpdateFailed or ConfigEntryAuthFailed after recording the failure.
        """
        async with self.lock:
            try:
                # The vehicle may have been removed while this read waited.
                if not self._known.is_shut_down:
                    await self.async_read_live()
            except AsleepError, InServiceError:
                pass
            except ServiceError as error:
                self._known.read_failed(error)
                raise translate_error(error, UpdateFailed) from None
            except Exception:
                self._known.read_failed(ServiceError())
                raise
        return self._known.vehicle

    async def async_read(self) -> None:
        """Read the vehicle live. The caller holds the lock.

        Raises ServiceError, except if the car is asleep or in service.
        """
        with suppress(AsleepError, InServiceError):
            await self.async_read_live()

    async def async_read_live(self) -> dict[str, Any]:
        """Read the vehicle live, merge and return its answer. Raises ServiceError, also if it is asleep.

        The caller holds the lock. All live reads whose answer is shown go through this method.
        """
        self._known.check_loaded()
        asked_at, started_at = dt_util.now(), time.monotonic()
        is_location_omitted = self._known.is_location_omitted
        try:
            answer = (
                await self._provider.refresh(self._known.path_id) if self._provider.type.has_cache else {}
            )
            if not answer:
                answer = await self._provider.read(self._known.path_id, with_location=not is_location_omitted)
            self._known.check_identity(answer)
            if is_location_omitted:
                answer = await self._with_location(answer)
        except ServiceError as error:
            self._known.issues.update(self._known.subentry_id, error)
            if isinstance(error, AsleepError):
                self._known.merge_unreachable(await self._record(), asked_at)
            elif isinstance(error, InServiceError):
                self._known.merge_refusal(
                    Vehicle.in_service, True, self._known.tracker.state or ONLINE, asked_at
                )
            raise
        self._known.issues.update(self._known.subentry_id)
        self._known.merge_answer(answer, asked_at, started_at)
        return answer

    async def _with_location(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer with the known location, or a new answer if the car may have moved."""
        complete = with_known_location(self._known.merged, answer)
        if complete is None:
            complete = await self._provider.read(self._known.path_id)
            self._known.check_identity(complete)
        return complete

    async def _record(self) -> Mapping[str, Any] | None:
        """Return the vehicle's record, None if that fails."""
        with suppress(ServiceError):
            return await self._provider.record(self._known.path_id)
        return None
