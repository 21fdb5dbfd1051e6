"""Updates of one vehicle: requests its data, merges the answers, and records failures."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
import math
from random import random
import time
from typing import TYPE_CHECKING, Any, Final

from homeassistant.core import callback
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util import dt as dt_util

from ..account.issues import IssueReporter
from ..account.service import CONFIRM_TOKEN_AFTER, translate_error
from ..account.storage import SAVE_NORMALLY, SAVE_RARELY, SAVE_SOON
from ..api.errors import AsleepError, AuthenticationError, InServiceError, OtherVehicleError, ServiceError
from ..api.fields import Field
from ..api.records import Vehicle
from ..polling.policy import ONLINE, backoff
from .availability import AvailabilityTracker
from .cooldown import Cooldown
from .reader import VehicleReader
from .state import (
    forget_refused_state,
    merge_list_record,
    merge_live_answer,
    merge_refusal,
    reported_state,
)

if TYPE_CHECKING:
    from .coordinator import VehicleCoordinator

_LONGEST_BACKOFF: Final = 600.0
_LONGEST_BACKOFF_IN_USE: Final = 120.0
# After so many failures in a row, about an hour, retries leave the car time to fall asleep.
_FAILURES_BEFORE_QUIET: Final = 6
_FAILURES_BEFORE_QUIET_IN_USE: Final = 30


class VehicleUpdater:
    """Keeps one vehicle's state up to date."""

    def __init__(self, vehicle: VehicleCoordinator, issues: IssueReporter, path_id: str) -> None:
        """Start without an answer. `path_id`: the vehicle's id in request paths."""
        self.reader = VehicleReader(
            vehicle.service, issues, vehicle.subentry_id, vehicle.title, vehicle.vin, path_id
        )
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
    def is_recent(self) -> bool:
        """Whether the values may be shown. A short silence is tolerated, and so is a sleeping car."""
        return not (self._service_availability.is_expired or self._car_availability.is_expired)

    @property
    def expires_in(self) -> float:
        """Seconds until the values are too old to be shown; infinity if they don't expire or are expired."""
        left = (self._service_availability.expires_in, self._car_availability.expires_in)
        return min(filter(None, left), default=math.inf)

    @property
    def retry_at(self) -> float:
        """Earliest time of the next live read after a failure, in Unix seconds."""
        return max(self._retry_cooldown.ends_at, self._service_cooldown.ends_at)

    @property
    def is_state_listed(self) -> bool:
        """Whether the service reports that the car woke, without asking the car."""
        return self._vehicle.service.is_state_listed and self._vehicle.state.is_list_current

    # The service's list

    @callback
    def update_from_listing(self, record: Mapping[str, Any] | None) -> None:
        """Merge the vehicle's record of the list, or record that the list did not have it."""
        vehicle = self._vehicle
        if record is None:
            if vehicle.service.is_state_listed:
                self._service_availability.record_failure()
            vehicle.async_update_listeners()
            return
        try:
            self.reader.check_identity(record)
        except OtherVehicleError:
            self._car_availability.record_failure()
            vehicle.async_update_listeners()
            return
        self._service_availability.record_success()
        if not vehicle.service.client.pause_left:
            self._service_cooldown.cancel()
        self._list_availability.record_success()
        self._issues.clear_missing_vehicle(vehicle.subentry_id)
        state = merge_list_record(vehicle.state, record)
        if reported_state(record) is not None:
            # The car's own answer may override the listed state.
            self._track_state(state.raw[Vehicle.state.name])
        self.reader.update_path_id(state.vehicle)
        if state.vehicle.state not in (ONLINE, None):
            self._car_availability.record_success()
        vehicle.async_set_state(state)

    @callback
    def mark_missing(self) -> None:
        """Record that the list does not have this vehicle. After a while, offer to remove it."""
        self._list_availability.record_failure()
        if self._list_availability.is_expired:
            self._issues.report_missing_vehicle(self._vehicle.subentry_id, self._vehicle.title)

    @callback
    def account_request_failed(self, error: Exception) -> None:
        """Record that a request for all vehicles failed."""
        retry_after = retry_after_of(error)
        self._service_availability.record_failure(retry_after)
        if isinstance(error, ConfigEntryAuthFailed):
            self._service_availability.mark_failed()
        if retry_after:
            self._service_cooldown.extend(retry_after)
        self._vehicle.async_update_listeners()

    async def async_probe(self) -> None:
        """Update the vehicle from its record, without asking the car. Raises ServiceError."""
        if self._vehicle.service.has_records:
            self.update_from_listing(await self.reader.request_listed())

    async def async_check_identity(self) -> None:
        """Check that the id is still this vehicle's, unless a recent answer showed it. Ignores failures."""
        if not self.reader.is_identity_recent:
            with suppress(ServiceError):
                await (self.async_probe() if self._vehicle.service.has_records else self.async_read())

    # Live reads. The caller holds the vehicle's lock.

    async def async_refresh(self) -> None:
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
        asked_at, started_at = dt_util.now(), time.monotonic()
        try:
            answer = await self.reader.request_live()
        except AsleepError:
            self._merge_refusal(Vehicle.state, await self.reader.request_unreachable_state(), asked_at)
        except InServiceError:
            self._merge_refusal(Vehicle.in_service, True, asked_at)
        else:
            self.read_started_at = started_at
            self._merge_live_answer(answer, asked_at)

    async def async_read_awake(self) -> dict[str, Any]:
        """Read the vehicle live, merge and return the answer. Raises ServiceError, also if it is asleep."""
        asked_at = dt_util.now()
        answer = await self.reader.request_live()
        self._merge_live_answer(answer, asked_at)
        return answer

    @callback
    def _merge_live_answer(self, answer: Mapping[str, Any], asked_at: datetime) -> None:
        vehicle = self._vehicle
        self._read_succeeded()
        now = dt_util.utcnow()
        state = merge_live_answer(vehicle.state, answer, now, time.monotonic())
        if state.vehicle.state in (None, ONLINE):
            vehicle.activity.on_read(state.vehicle, vehicle.data, asked_at)
        else:
            # Some services answer for a car that is asleep, with its last data.
            self._track_state(state.vehicle.state, refused_at=asked_at)
        session_began = vehicle.energy.session_began
        vehicle.energy = vehicle.energy.updated(state.vehicle, now)
        # A session that is stored too late would count twice after a power cut.
        is_new_session = vehicle.energy.session_began != session_began
        vehicle.store.schedule_save(SAVE_SOON if is_new_session else SAVE_NORMALLY)
        vehicle.async_set_state(state)

    @callback
    def _merge_refusal(self, refused: Field[Any], value: Any, asked_at: datetime) -> None:
        vehicle = self._vehicle
        self._read_succeeded()
        state = value if refused is Vehicle.state else vehicle.activity.state or ONLINE
        self._track_state(state, refused_at=asked_at)
        vehicle.async_set_state(merge_refusal(vehicle.state, refused, value))

    def _track_state(self, state: str, refused_at: datetime | None = None) -> None:
        """Record the car's state. `refused_at`: when a live read was sent that the car refused."""
        activity = self._vehicle.activity
        before = activity.state
        if refused_at is None:
            activity.on_state(state, dt_util.now())
        else:
            activity.on_refused(state, refused_at)
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
        retry_after = retry_after_of(error)
        self._car_availability.record_failure(retry_after)
        if isinstance(error, ConfigEntryAuthFailed):
            self._car_availability.mark_failed()
        if pause := self._vehicle.service.client.pause_left:
            self._service_cooldown.start(pause)
        else:
            self._vehicle.activity.on_read_failed(dt_util.now())
            self._retry_cooldown.start(retry_in or max(self._backoff, retry_after))
        self._vehicle.async_update_listeners()

    @property
    def _backoff(self) -> float:
        """Seconds to wait after a failure. In the end so long that the car can fall asleep."""
        activity, failures = self._vehicle.activity, self._car_availability.failures
        before_quiet, longest = _FAILURES_BEFORE_QUIET, _LONGEST_BACKOFF
        if activity.activity is not None:
            before_quiet, longest = _FAILURES_BEFORE_QUIET_IN_USE, _LONGEST_BACKOFF_IN_USE
        if failures > before_quiet:
            return max(_LONGEST_BACKOFF, activity.habits.quiet)
        return backoff(failures, longest, jitter())

    # Commands

    @callback
    def on_command_sent(self) -> None:
        """Record that the car accepted a command. More activity is likely after it."""
        self._vehicle.activity.on_used(dt_util.now())
        self._car_availability.record_success()

    @callback
    def on_wake_requested(self) -> None:
        """Accept the listed state again, and retry what failed, because the car is being woken."""
        self._retry_cooldown.cancel()
        self._vehicle.activity.on_wake_requested()
        self._vehicle.async_set_state(forget_refused_state(self._vehicle.state))

    @callback
    def report_command_issue(self, error: ServiceError | None) -> None:
        """Report an error of all commands as an issue, or delete that issue."""
        self._issues.update(f"{self._vehicle.subentry_id}_commands", self._vehicle.title, error)


def jitter() -> float:
    """Return a random number from 0 to 1, so that clients do not retry at the same time."""
    return random()  # noqa: S311 - not for cryptography


def retry_after_of(error: Exception) -> float:
    """Return the seconds that a failure requires before the next request."""
    return (error.retry_after or 0.0) if isinstance(error, UpdateFailed) else 0.0
