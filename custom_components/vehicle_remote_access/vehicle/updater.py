"""Updates of one vehicle: requests its data, merges the answers, and records failures."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
import math
import time
from typing import TYPE_CHECKING, Any, Final

from homeassistant.core import callback
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util import dt as dt_util

from ..account.issues import IssueReporter
from ..account.service import CONFIRM_TOKEN_AFTER, jitter, retry_after, translate_error
from ..account.storage import SAVE_NORMALLY, SAVE_RARELY, SAVE_SOON
from ..api.errors import AsleepError, AuthenticationError, InServiceError, OtherVehicleError, ServiceError
from ..api.fields import Field
from ..api.records import Vehicle
from ..polling.policy import ASLEEP, OFFLINE, ONLINE, backoff
from .availability import AvailabilityTracker
from .cooldown import Cooldown
from .merged_data import (
    forget_refused_state,
    merge_list_record,
    merge_live_answer,
    merge_refusal,
    reported_state,
    with_known_location,
)
from .observe import observe
from .reader import VehicleReader

if TYPE_CHECKING:
    from .coordinator import VehicleCoordinator

_LONGEST_BACKOFF: Final = 600.0
_LONGEST_BACKOFF_IN_USE: Final = 120.0
# After this many failures in a row (about an hour), retries leave the car time to fall asleep.
_FAILURES_BEFORE_QUIET: Final = 6
_FAILURES_BEFORE_QUIET_IN_USE: Final = 30


class VehicleUpdater:
    """Keeps one vehicle's state up to date."""

    def __init__(self, vehicle: VehicleCoordinator, issues: IssueReporter, path_id: str) -> None:
        """Start without an answer. `path_id`: the vehicle's id in request paths."""
        self.reader = VehicleReader(vehicle.service, issues, vehicle.subentry_id, vehicle.vin, path_id)
        self.read_started_at = -math.inf
        """When the last successful live read started, by the monotonic clock."""
        self._vehicle = vehicle
        self._issues = issues
        self._service_availability = AvailabilityTracker()
        self._car_availability = AvailabilityTracker()
        self._list_availability = AvailabilityTracker()
        self._retry_cooldown = Cooldown()
        self._service_cooldown = Cooldown()

    @property
    def is_expired(self) -> bool:
        """Whether the values are too old to be shown. They don't expire while the car is asleep."""
        return self._service_availability.is_expired or self._car_availability.is_expired

    @property
    def next_expiry_in(self) -> float:
        """Seconds until the service's or the car's silence is too long; infinity if neither will be."""
        left = (self._service_availability.expires_in, self._car_availability.expires_in)
        return min((seconds for seconds in left if seconds > 0), default=math.inf)

    @property
    def retry_at(self) -> float:
        """Earliest time of the next live read after a failure, in Unix seconds."""
        return max(self._retry_cooldown.ends_at, self._service_cooldown.ends_at)

    @property
    def is_state_listed(self) -> bool:
        """Whether the car's record is reliable now, so that it shows when the car wakes."""
        return self._vehicle.service.reports_states and self._vehicle.merged.is_list_current

    # The service's list

    @callback
    def update_from_record(self, record: Mapping[str, Any] | None) -> None:
        """Merge the vehicle's record. None counts as a failure of the service."""
        vehicle = self._vehicle
        if record is None:
            if vehicle.service.reports_states:
                self._service_availability.record_failure()
            vehicle.async_notify()
            return
        try:
            self.reader.check_identity(record)
        except OtherVehicleError:
            self._car_availability.record_failure()
            vehicle.async_notify()
            return
        self._service_availability.record_success()
        if not vehicle.service.client.pause_left:
            self._service_cooldown.cancel()
        self._list_availability.record_success()
        self._issues.clear_missing_vehicle(vehicle.subentry_id)
        merged = merge_list_record(vehicle.merged, record)
        state = reported_state(record)
        # A state that the car's own refusal contradicts is no observation: either of them may be old.
        if state is not None and state == merged.raw[Vehicle.state.name]:
            vehicle.log_manager.on_state(state, dt_util.now())
            self._track_state(state)
        self.reader.update_path_id(merged.vehicle)
        if merged.vehicle.state not in (ONLINE, None):
            self._car_availability.record_success()
        vehicle.async_set_merged(merged)

    @callback
    def mark_missing(self) -> None:
        """Count a list without this vehicle. After a while, offer to remove the vehicle."""
        self._list_availability.record_failure()
        if self._list_availability.is_expired:
            self._issues.report_missing_vehicle(self._vehicle.subentry_id)

    @callback
    def on_list_failed(self, error: Exception) -> None:
        """Record that the request for the list failed."""
        pause = retry_after(error)
        self._service_availability.record_failure(pause)
        if isinstance(error, ConfigEntryAuthFailed):
            self._service_availability.mark_failed()
        if pause:
            self._service_cooldown.extend(pause)
        self._vehicle.async_notify()

    async def async_request_record(self) -> Mapping[str, Any] | None:
        """Update the vehicle from its record, without asking the car, and return the record.

        Return None if the service does not support this request, or if it failed. A failure is counted.
        Raises an error only if the service refuses the token or limits requests, or UnloadedError.
        """
        self._vehicle.check_loaded()
        if not self._vehicle.service.has_records:
            return None
        record = await self._vehicle.service.record(self.reader.path_id)
        self.update_from_record(record)
        return record

    async def async_refresh_identity(self) -> None:
        """Update the vehicle, unless its identity was checked recently. `is_other_vehicle` is the result.

        Reads the car live if the service has no records. Ignores errors.
        """
        if not self.reader.is_identity_recent:
            with suppress(ServiceError):
                if self._vehicle.service.has_records:
                    await self.async_request_record()
                else:
                    await self.async_read()

    # Live reads. The caller holds the vehicle's lock.

    async def async_update(self) -> None:
        """Read the vehicle live. Raises UpdateFailed or ConfigEntryAuthFailed after recording the failure."""
        try:
            await self.async_read()
        except ServiceError as error:
            failure = translate_error(error, UpdateFailed)
            is_unconfirmed = isinstance(error, AuthenticationError) and not error.is_confirmed
            self._read_failed(failure, retry_in=CONFIRM_TOKEN_AFTER if is_unconfirmed else None)
            raise failure from None
        except Exception as error:
            self._read_failed(error)
            raise

    async def async_read(self) -> None:
        """Read the vehicle live and merge the answer. Raises ServiceError, except if asleep or in service."""
        asked_at = dt_util.now()
        try:
            await self.async_read_or_raise()
        except AsleepError:
            reported = await self.reader.request_state()
            state = OFFLINE if reported == OFFLINE else ASLEEP
            # A car that is listed as online may only be out of coverage for a moment.
            observed = OFFLINE if reported == ONLINE else state
            self._vehicle.log_manager.on_state(observed, asked_at)
            self._merge_refusal(Vehicle.state, state, observed, asked_at)
        except InServiceError:
            self._merge_refusal(Vehicle.in_service, True, self._vehicle.tracker.state or ONLINE, asked_at)

    async def async_read_or_raise(self) -> dict[str, Any]:
        """Read the vehicle live, merge and return the answer. Raises ServiceError, also if it is asleep."""
        self._vehicle.check_loaded()
        asked_at, started_at = dt_util.now(), time.monotonic()
        answer = await self._request_live()
        self.read_started_at = started_at
        self._merge_live_answer(answer, asked_at)
        return answer

    async def _request_live(self) -> dict[str, Any]:
        """Return the car's answer, with the known location if the owner does not want it to be asked for."""
        if not self._is_location_omitted:
            return await self.reader.request_live()
        answer = await self.reader.request_live(with_location=False)
        complete = with_known_location(self._vehicle.merged, answer)
        return await self.reader.request_live() if complete is None else complete

    @property
    def _is_location_omitted(self) -> bool:
        """Whether the next read leaves out the location, because the car is parked where it is known."""
        options, drive = self._vehicle.options, self._vehicle.data.drive_state
        return (
            options.location_only_driving
            and self._vehicle.service.type.can_omit_location
            and drive.is_driving is False
            and drive.position is not None
        )

    @callback
    def _merge_live_answer(self, answer: Mapping[str, Any], asked_at: datetime) -> None:
        vehicle = self._vehicle
        self._read_succeeded()
        now = dt_util.utcnow()
        merged = merge_live_answer(vehicle.merged, answer, now, time.monotonic())
        if merged.vehicle.state in (None, ONLINE):
            vehicle.tracker.on_read(merged.vehicle, vehicle.data, asked_at)
        else:
            # Some services answer for a car that is asleep, with its last data.
            vehicle.log_manager.on_state(merged.vehicle.state, asked_at)
            self._track_state(merged.vehicle.state, refused_at=asked_at)
        before = vehicle.log_manager.meter
        meter = vehicle.log_manager.meter = before.updated(merged.vehicle, now)
        if merged.vehicle.state in (None, ONLINE):
            vehicle.log_manager.on_read(observe(merged, meter, asked_at.timestamp()))
        # A session that is stored too late would count twice after a power cut.
        is_new_session = meter.session_began != before.session_began
        vehicle.store.schedule_save(SAVE_SOON if is_new_session else SAVE_NORMALLY)
        vehicle.async_set_merged(merged)

    @callback
    def _merge_refusal(
        self, refused: Field[Any], value: Any, observed_state: str, asked_at: datetime
    ) -> None:
        vehicle = self._vehicle
        self._read_succeeded()
        self._track_state(observed_state, refused_at=asked_at)
        vehicle.async_set_merged(merge_refusal(vehicle.merged, refused, value))

    def _track_state(self, state: str, refused_at: datetime | None = None) -> None:
        """Record the car's state. `refused_at`: when a live read was sent that the car refused."""
        tracker = self._vehicle.tracker
        before = tracker.state
        if refused_at is None:
            tracker.on_state(state, dt_util.now())
        else:
            tracker.on_refused(state, refused_at)
        if before not in (None, ONLINE, state):
            # Its unreachable state changed, so what failed before may succeed.
            self._retry_cooldown.cancel()
        # The duration of the sleep changes all night.
        self._vehicle.store.schedule_save(SAVE_RARELY if state == before else SAVE_NORMALLY)

    def _read_succeeded(self) -> None:
        self._retry_cooldown.cancel()
        self._service_cooldown.cancel()
        self._service_availability.record_success()
        self._car_availability.record_success()

    def _read_failed(self, error: Exception, retry_in: float | None = None) -> None:
        required_pause = retry_after(error)
        self._car_availability.record_failure(required_pause)
        if isinstance(error, ConfigEntryAuthFailed):
            self._car_availability.mark_failed()
        if pause := self._vehicle.service.client.pause_left:
            self._service_cooldown.start(pause)
        else:
            self._vehicle.tracker.on_read_failed(dt_util.now())
            self._retry_cooldown.start(retry_in or max(self._backoff_delay(), required_pause))
        self._vehicle.async_notify()

    def _backoff_delay(self) -> float:
        """Return the seconds to wait after a failure. After many failures, the car can fall asleep."""
        tracker, failures = self._vehicle.tracker, self._car_availability.failures
        before_quiet, longest = _FAILURES_BEFORE_QUIET, _LONGEST_BACKOFF
        if tracker.activity is not None:
            before_quiet, longest = _FAILURES_BEFORE_QUIET_IN_USE, _LONGEST_BACKOFF_IN_USE
        if failures > before_quiet:
            return max(_LONGEST_BACKOFF, tracker.habits.quiet)
        return backoff(failures, longest, jitter())

    # Commands

    @callback
    def on_command_accepted(self) -> None:
        """Record that the car accepted a command. More activity is likely after it."""
        self._vehicle.tracker.on_used(dt_util.now())
        self._car_availability.record_success()

    @callback
    def on_wake_requested(self) -> None:
        """Accept the listed state again, and retry what failed, because the car is being woken."""
        self._retry_cooldown.cancel()
        self._vehicle.tracker.on_wake_requested()
        self._vehicle.async_set_merged(forget_refused_state(self._vehicle.merged))
