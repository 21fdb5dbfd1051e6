"""Requests of one vehicle's data: sends them, merges the answers into its status and records failures."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
import time
from typing import Any

from homeassistant.core import callback
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util import dt as dt_util

from ..account.issues import IssueReporter
from ..account.service import Service, retry_after, translate_error
from ..account.storage import SAVE_NORMALLY, SAVE_RARELY, SAVE_SOON, DataStore
from ..api.errors import AsleepError, InServiceError, OtherVehicleError, ServiceError
from ..api.fields import Field
from ..api.records import Vehicle
from ..drive_log.manager import DriveLogManager
from ..polling.modes import ASLEEP, OFFLINE, ONLINE
from .merged_data import merge_expected, reported_state, with_known_location
from .observe import observe
from .status import VehicleStatus


class VehicleReader:
    """Keeps one vehicle's status up to date."""

    def __init__(
        self,
        status: VehicleStatus,
        service: Service,
        issues: IssueReporter,
        subentry_id: str,
        log_manager: DriveLogManager,
        store: DataStore,
        notify: Callable[[], None],
    ) -> None:
        """`notify` is called after each change of the status."""
        self.status = status
        self.service = service
        self.issues = issues
        self.subentry_id = subentry_id
        self.store = store
        self.notify = notify
        self.lock = asyncio.Lock()
        """Held by live reads and commands, because the car answers one request at a time."""
        self._log_manager = log_manager

    @property
    def is_state_listed(self) -> bool:
        """Whether the car's record is reliable now, so that it shows when the car wakes."""
        return self.service.reports_states and self.status.merged.is_list_current

    # The service's list

    @callback
    def update_from_record(self, record: Mapping[str, Any] | None) -> None:
        """Merge the vehicle's record. None counts as a failure of the service."""
        status = self.status
        if record is None:
            if self.service.reports_states:
                status.service_availability.record_failure()
            self.notify()
            return
        try:
            self._check_identity(record)
        except OtherVehicleError:
            status.car_availability.record_failure()
            self.notify()
            return
        self.issues.clear_missing_vehicle(self.subentry_id)
        now, before = dt_util.now(), status.tracker.state
        state = status.apply_record(record, now, is_paused=bool(self.service.client.pause_left))
        if state is not None:
            self._log_manager.on_state(state, now)
            self._schedule_save(state, before)
        self.notify()

    @callback
    def mark_missing(self) -> None:
        """Count a list without this vehicle. After a while, offer to remove the vehicle."""
        self.status.list_availability.record_failure()
        if self.status.list_availability.is_expired:
            self.issues.report_missing_vehicle(self.subentry_id)

    @callback
    def on_list_failed(self, error: Exception) -> None:
        """Record that the request for the list failed."""
        self.status.apply_list_failure(retry_after(error), is_final=isinstance(error, ConfigEntryAuthFailed))
        self.notify()

    async def async_request_record(self) -> Mapping[str, Any] | None:
        """Update the vehicle from its record, without asking the car, and return the record.

        Return None if the service does not support this request, or if it failed. A failure is counted.
        Raises an error only if the service refuses the token or limits requests, or UnloadedError.
        """
        self.status.check_loaded()
        if not self.service.has_records:
            return None
        record = await self.service.record(self.status.path_id)
        self.update_from_record(record)
        return record

    async def async_refresh_identity(self) -> None:
        """Update the vehicle, unless its identity was checked recently. `is_other_vehicle` is the result.

        Reads the car live if the service has no records. Ignores errors.
        """
        if not self.status.is_identity_recent:
            with suppress(ServiceError):
                if self.service.has_records:
                    await self.async_request_record()
                else:
                    await self.async_read()

    def _check_identity(self, record: Mapping[str, Any]) -> None:
        """Raise OtherVehicleError if a record has another VIN, and report it as an issue."""
        was_other = self.status.is_other_vehicle
        self.status.identify(record)
        if self.status.is_other_vehicle:
            error = OtherVehicleError()
            self.issues.update(self.subentry_id, error)
            raise error
        if was_other:
            self.issues.update(self.subentry_id)

    # Live reads. The caller holds the lock.

    async def async_update(self) -> None:
        """Read the vehicle live. Raises UpdateFailed or ConfigEntryAuthFailed after recording the failure."""
        try:
            await self.async_read()
        except ServiceError as error:
            failure = translate_error(error, UpdateFailed)
            self._read_failed(failure)
            raise failure from None
        except Exception as error:
            self._read_failed(error)
            raise

    async def async_read(self) -> None:
        """Read the vehicle live. Raises ServiceError, except if the car is asleep or in service."""
        with suppress(AsleepError, InServiceError):
            await self.async_read_live()

    async def async_read_live(self) -> dict[str, Any]:
        """Read the vehicle live, merge and return its answer. Raises ServiceError, also if it is asleep.

        All live reads go through this method.
        """
        self.status.check_loaded()
        asked_at, started_at = dt_util.now(), time.monotonic()
        try:
            answer = await self._request_live()
        except AsleepError:
            await self._merge_unreachable(asked_at)
            raise
        except InServiceError:
            self._merge_refusal(Vehicle.in_service, True, self.status.tracker.state or ONLINE, asked_at)
            raise
        self.status.read_started_at = started_at
        self._merge_answer(answer, asked_at)
        return answer

    async def _request_live(self) -> dict[str, Any]:
        """Return the car's answer, with the known location if the owner does not want it to be asked for."""
        try:
            complete = None
            if self._is_location_omitted:
                complete = with_known_location(self.status.merged, await self._request(with_location=False))
            if complete is None:
                complete = await self._request()
        except ServiceError as error:
            self.issues.update(self.subentry_id, error)
            raise
        self.issues.update(self.subentry_id)
        return complete

    async def _request(self, *, with_location: bool = True) -> dict[str, Any]:
        answer = await self.service.read(self.status.path_id, with_location=with_location)
        self._check_identity(answer)
        return answer

    @property
    def _is_location_omitted(self) -> bool:
        """Whether the next read leaves out the location, because the car is parked where it is known."""
        drive = self.status.vehicle.drive_state
        return (
            self.status.options.location_only_driving
            and self.service.type.can_omit_location
            and drive.is_driving is False
            and drive.position is not None
        )

    @callback
    def _merge_answer(self, answer: Mapping[str, Any], asked_at: datetime) -> None:
        status, log_manager, now = self.status, self._log_manager, dt_util.utcnow()
        state_before, meter_before = status.tracker.state, log_manager.meter
        status.apply_answer(answer, asked_at, now)
        meter = log_manager.meter = meter_before.updated(status.vehicle, now)
        if (state := status.vehicle.state) is None or status.vehicle.is_online:
            log_manager.on_read(observe(status.merged, meter, asked_at.timestamp()))
        else:
            log_manager.on_state(state, asked_at)
            self._schedule_save(state, state_before)
        # A session that is stored too late would count twice after a power cut.
        is_new_session = meter.session_began != meter_before.session_began
        self.store.schedule_save(SAVE_SOON if is_new_session else SAVE_NORMALLY)
        self.notify()

    async def _merge_unreachable(self, asked_at: datetime) -> None:
        """Merge that the car refused a live read because it is asleep, or offline if the record says so."""
        record = None
        with suppress(ServiceError):
            record = await self.service.record(self.status.path_id)
        if record is not None:
            self._check_identity(record)
        reported = reported_state(record or {})
        state = OFFLINE if reported == OFFLINE else ASLEEP
        # A car that is listed as online may only be out of coverage for a moment.
        observed = OFFLINE if reported == ONLINE else state
        self._log_manager.on_state(observed, asked_at)
        self._merge_refusal(Vehicle.state, state, observed, asked_at)

    @callback
    def _merge_refusal(self, refused: Field[Any], value: Any, state: str, asked_at: datetime) -> None:
        before = self.status.tracker.state
        self.status.apply_refusal(refused, value, state, asked_at)
        self._schedule_save(state, before)
        self.notify()

    def _schedule_save(self, state: str, before: str | None) -> None:
        # The duration of the sleep changes all night.
        self.store.schedule_save(SAVE_RARELY if state == before else SAVE_NORMALLY)

    def _read_failed(self, error: Exception) -> None:
        self.status.apply_read_failure(
            dt_util.now(),
            retry_after(error),
            self.service.client.pause_left,
            is_final=isinstance(error, ConfigEntryAuthFailed),
        )
        self.notify()

    # Commands

    @callback
    def set_expected(self, values: Mapping[Field[Any], Any]) -> None:
        """Show values that the next live read should confirm."""
        self.status.merged = merge_expected(self.status.merged, values)
        self.notify()

    @callback
    def on_command_accepted(self) -> None:
        """Record that the car accepted a command. More activity is likely after it."""
        self.status.tracker.on_used(dt_util.now())
        self.status.car_availability.record_success()

    @callback
    def on_wake_requested(self) -> None:
        """Accept the listed state again, because the car is being woken."""
        self.status.on_wake_requested()
        self.notify()
