"""All that is known of one vehicle, and how answers, refusals and commands change it. Sends nothing."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
import logging
import math
import time
from typing import Any, Final

from homeassistant.config_entries import ConfigSubentry
from homeassistant.const import CONF_ID
from homeassistant.util import dt as dt_util

from ..account.issues import NOT_LISTED, IssueReporter
from ..account.options import VehicleOptions
from ..account.provider import Provider
from ..account.storage import SAVE_NORMALLY, SAVE_RARELY, SAVE_SOON, DataStore
from ..api.cooldown import Cooldown, backoff
from ..api.errors import OtherVehicleError, ServiceError, UnloadedError
from ..api.fields import Field
from ..api.records import ChargeState, DriveState, Vehicle
from ..const import CONF_VIN
from ..device_info import is_same_vin
from ..drive_log.drive_log import DriveLog
from ..drive_log.manager import DriveLogManager
from ..polling.activity import ActivityTracker
from ..polling.modes import ASLEEP, OFFLINE, ONLINE
from ..util.immutable import replace
from .availability import AvailabilityTracker
from .merged_data import (
    ListTrust,
    MergedData,
    is_current,
    merge_expected,
    merge_list_record,
    merge_live_answer,
    merge_pushed,
    merge_refusal,
    reported_state,
)
from .observe import observe

_LOGGER: Final = logging.getLogger(__package__)
_VIN: Final = Vehicle.vin.name
_IDENTITY_VALID_FOR: Final = 120.0
# Without a battery-backed clock, Home Assistant's time is wrong until a time server has answered.
_CLOCK_SET_WITHIN: Final = 1800.0
_LONGEST_BACKOFF: Final = 600.0
_LONGEST_BACKOFF_IN_USE: Final = 120.0
# After this many failures in a row (about an hour), retries leave the car time to fall asleep.
_FAILURES_BEFORE_QUIET: Final = 6
_FAILURES_BEFORE_QUIET_IN_USE: Final = 30
# Seconds. The log does not need each message, except when a drive or a charge begins or ends.
_OBSERVED_EVERY: Final = 5.0
_OBSERVED_AT_ONCE: Final[tuple[Field[Any], ...]] = (
    DriveState.shift_state,
    ChargeState.charging_state,
    ChargeState.conn_charge_cable,
)


class KnownVehicle:
    """What is known of one vehicle."""

    def __init__(
        self,
        subentry: ConfigSubentry,
        options: VehicleOptions,
        provider: Provider,
        issues: IssueReporter,
        log_manager: DriveLogManager,
        store: DataStore,
        notify: Callable[[], None],
    ) -> None:
        """`notify` is called after each change of the vehicle."""
        self.provider = provider
        self.issues = issues
        self.subentry_id = subentry.subentry_id
        self.title = subentry.title
        self.vin: str = subentry.data[CONF_VIN]
        self.path_id = provider.type.path_id(self.vin, subentry.data[CONF_ID])
        """The id of the vehicle in request paths."""
        self.options = options
        self.store = store
        self.notify = notify
        self.is_shut_down = False
        """Whether the vehicle was removed or its account unloaded."""
        self.is_other_vehicle = False
        """Whether the service answers with another vehicle under this id."""
        self.merged = MergedData()
        self._observed = self.merged.vehicle
        self._observed_at = -math.inf
        self.tracker = ActivityTracker()
        self.seen_at = -math.inf
        """When the car was last seen: `was_seen_since`."""
        self.service_availability = AvailabilityTracker()
        self.car_availability = AvailabilityTracker()
        self.list_availability = AvailabilityTracker()
        self._retry_cooldown = Cooldown()
        self._identified_at = -math.inf
        self._created_at = time.monotonic()
        self.log_manager = log_manager

    @property
    def vehicle(self) -> Vehicle:
        return self.merged.vehicle

    @property
    def log(self) -> DriveLog:
        return self.log_manager.log

    @property
    def is_state_listed(self) -> bool:
        """Whether the car's record is reliable now, so that it shows when the car wakes."""
        return self.provider.reports_states and self.merged.list_trust is ListTrust.CURRENT

    @property
    def is_expired(self) -> bool:
        """Whether the values are too old to be shown. They don't expire while the car is asleep."""
        return self.service_availability.is_expired or self.car_availability.is_expired

    @property
    def next_expiry_in(self) -> float:
        """Seconds until the service's or the car's silence is too long; infinity if neither will be."""
        now, ends = time.monotonic(), (self.service_availability.expires_at, self.car_availability.expires_at)
        return min([end - now for end in ends if end > now], default=math.inf)

    @property
    def retry_at(self) -> float:
        """Earliest time of the next live read after a failure, in Unix seconds."""
        return max(self._retry_cooldown.ends_at, self.provider.pause.ends_at)

    def check_loaded(self) -> None:
        """Raise UnloadedError if the vehicle was removed or its account unloaded."""
        if self.is_shut_down:
            raise UnloadedError

    def was_seen_since(self, moment: float) -> bool:
        """Return whether the car answered at this monotonic moment or later, by its own time if cached."""
        return self.seen_at >= moment

    # The service's list

    def update_from_record(self, record: Mapping[str, Any] | None, *, is_listed: bool = True) -> None:
        """Merge a record; None is a failure. `is_listed`: whether it is more than a streamed state."""
        if record is None:
            if self.provider.reports_states:
                self.service_availability.record_failure()
            self.notify()
            return
        try:
            self.check_identity(record)
        except OtherVehicleError:
            self.car_availability.record_failure()
            self.notify()
            return
        self.service_availability.record_success()
        if is_listed:
            self.issues.report(NOT_LISTED, None, self.subentry_id)
            self.list_availability.record_success()
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
            if state != before:
                _LOGGER.debug("%s: listed as %s, before %s", self.title, state, before)
            self.tracker.on_state(state, now)
            self._log_state(state, now, before)
        self.notify()

    def mark_missing(self) -> None:
        """Count a list without this vehicle. After a while, offer to remove the vehicle."""
        self.list_availability.record_failure()
        if self.list_availability.is_expired:
            self.issues.report_missing_vehicle(self.subentry_id)

    def on_list_failed(self, error: ServiceError) -> None:
        self.service_availability.record_failure(error.retry_after, is_final=error.is_final)
        self.notify()

    # Identity

    @property
    def is_identity_checked(self) -> bool:
        """Whether an answer has recently shown which vehicle the service means."""
        return time.monotonic() - self._identified_at < _IDENTITY_VALID_FOR

    def check_identity(self, record: Mapping[str, Any]) -> None:
        """Raise OtherVehicleError, and report it, if a record shows that the id now belongs to another car.

        A record without a VIN counts as a check, and an earlier mismatch still holds.
        """
        self._identified_at = time.monotonic()
        was_other = self.is_other_vehicle
        is_same = record.get(_VIN) == self.vin or is_same_vin(Vehicle.vin.read(record), self.vin)
        if is_same is not None:
            self.is_other_vehicle = not is_same
        if self.is_other_vehicle:
            error = OtherVehicleError()
            self.issues.update(self.subentry_id, error)
            raise error
        if was_other:
            self.issues.update(self.subentry_id)

    # Answers of the car

    @property
    def is_location_omitted(self) -> bool:
        """Whether the next read leaves out the location, because the car is parked where it is known."""
        drive = self.vehicle.drive_state
        is_parked = drive.is_driving is False and drive.position is not None
        can_omit = self.provider.type.can_omit_location and self.options.location_only_driving
        return can_omit and is_parked

    def merge_answer(
        self, answer: Mapping[str, Any], asked_at: datetime, started_at: float, *, is_requested: bool = True
    ) -> None:
        """Merge the answer to a live read. `is_requested`: whether it was ours, and not another client's."""
        log, now, received_at = self.log, dt_util.utcnow(), time.monotonic()
        self._on_read_succeeded()
        before = self.merged
        accepted = partial(log.drive_tracker.accepted_odometer, now.timestamp())
        merged = self.merged = merge_live_answer(before, answer, now, received_at, accepted)
        if not merged.is_answer_new:
            _LOGGER.debug("%s: the answer comes from a cache, and is not new", self.title)
            if is_requested:
                self.tracker.on_cached(asked_at)
            self.notify()
            return
        times = merged.record_times
        if times.age or times.rejected:
            old = self.title, times.age, ", ".join(times.rejected) or "no record"
            _LOGGER.debug("%s: the answer is %.0f s old; older than what is known: %s", *old)
        if merged.plausibility.held:
            self._log_held(before)
        self.seen_at = min(started_at, received_at - times.age)
        self._observe(before.vehicle, asked_at, started_at - self.seen_at, received_at)
        self.notify()

    def merge_pushed(self, values: Mapping[Field[Any], Any], sent_at: datetime, *, is_complete: bool) -> None:
        """Merge what the car has sent. Until all else `is_complete`, the log waits for a live read."""
        now, received_at, before = dt_util.now(), time.monotonic(), self.merged
        accepted = partial(self.log.drive_tracker.accepted_odometer, now.timestamp())
        merged = merge_pushed(before, values, sent_at, now, received_at, accepted, is_complete=is_complete)
        if merged is None:
            return
        self.merged = merged
        self._log_held(before)
        self._on_read_succeeded()
        is_turning_point = any(
            field.get(merged.vehicle) != field.get(self._observed) for field in _OBSERVED_AT_ONCE
        )
        if not (is_complete and is_current(sent_at, now)):
            self.notify()
            return
        is_due = received_at - self._observed_at >= _OBSERVED_EVERY
        age = merged.record_times.age
        self.seen_at = received_at - age
        if is_turning_point and is_due:
            # The car sent nothing in between, so until a second ago it was as before.
            moment = max(now.timestamp() - 1, self.log.drive_tracker.at)
            self.log_manager.on_read(observe(before, self.log, moment))
        if is_turning_point or is_due:
            self._observe(self._observed, now, age, received_at, is_pushed=True)
        self.notify()

    def _log_held(self, before: MergedData) -> None:
        for field in self.merged.plausibility.held:
            if field not in before.plausibility.held:
                value = "" if field.private else f": {field.get(self.vehicle.reparse(self.merged.raw))}"
                _LOGGER.debug("%s: %s is held back%s", self.title, field.path, value)

    def _observe(
        self, before: Vehicle, asked_at: datetime, age: float, received_at: float, *, is_pushed: bool = False
    ) -> None:
        """Update policy, meter and log. `age`: seconds of the newest record. `received_at`: monotonic."""
        log, merged, times = self.log, self.merged, self.merged.record_times
        self._observed, self._observed_at = merged.vehicle, received_at
        session_began = log.meter.session_began
        if ChargeState.key in times.fresh:
            log.meter = log.meter.updated(merged.vehicle, dt_util.utcnow())
        if (state := merged.vehicle.state) in (None, ONLINE):
            self.tracker.on_read(merged.vehicle, before, asked_at, age, is_pushed=is_pushed)
            # An answer that is older than the last one does not mean that the clock was set back.
            asked = asked_at.timestamp()
            read_at = max(asked - age, min(log.drive_tracker.at, asked))
            is_clock_set = received_at - self._created_at > _CLOCK_SET_WITHIN
            if is_clock_set or not times.is_ahead:
                self.log_manager.on_read(observe(merged, log, read_at))
        else:
            # Some services answer for a car that is asleep, with its last data.
            self._on_refused(state, asked_at)
        # A session that is stored too late would count twice after a power cut.
        is_same_session = log.meter.session_began == session_began
        self.store.schedule_save(SAVE_NORMALLY if is_same_session else SAVE_SOON)

    def merge_unreachable(self, record: Mapping[str, Any] | None, asked_at: datetime) -> None:
        """Merge the refusal of a live read by a car that is asleep, or offline if its record says so."""
        if record is not None:
            self.check_identity(record)
        reported = reported_state(record or {})
        state = OFFLINE if reported == OFFLINE else ASLEEP
        # A car that is listed as online may only be out of coverage for a moment.
        observed = OFFLINE if reported == ONLINE else state
        self.merge_refusal(Vehicle.state, state, observed, asked_at)

    def merge_refusal(self, refused: Field[Any], value: Any, state: str, asked_at: datetime) -> None:
        """Merge the refusal of a live read: the value of a field, and the state that it shows."""
        _LOGGER.debug("%s: refused the read, which means %s", self.title, state)
        self._on_read_succeeded()
        self._on_refused(state, asked_at)
        self.merged = merge_refusal(self.merged, refused, value)
        self.notify()

    def _on_refused(self, state: str, asked_at: datetime) -> None:
        before = self.tracker.state
        self.tracker.on_refused(state, asked_at)
        self._log_state(state, asked_at, before)

    def _log_state(self, state: str, at: datetime, before: str | None) -> None:
        self.log_manager.on_state(state, at)
        # The duration of the sleep changes all night.
        self.store.schedule_save(SAVE_RARELY if state == before else SAVE_NORMALLY)

    def _on_read_succeeded(self) -> None:
        self._retry_cooldown.cancel()
        self.service_availability.record_success()
        self.car_availability.record_success()

    def on_read_failed(self, error: ServiceError) -> None:
        self.car_availability.record_failure(error.retry_after, is_final=error.is_final)
        if not self.provider.pause.left:
            self.tracker.tried_at = time.time()
            delay = max(self._backoff_delay(), error.retry_after)
            self._retry_cooldown.start(delay)
            _LOGGER.debug("%s: the read failed (%s), not read for %.0f s", self.title, error.key, delay)
        self.notify()

    def _backoff_delay(self) -> float:
        """Return the seconds to wait after a failure. After many failures, the car can fall asleep."""
        before_quiet, longest = _FAILURES_BEFORE_QUIET, _LONGEST_BACKOFF
        if self.tracker.activity is not None:
            before_quiet, longest = _FAILURES_BEFORE_QUIET_IN_USE, _LONGEST_BACKOFF_IN_USE
        failures = self.car_availability.failures
        if failures > before_quiet:
            return max(_LONGEST_BACKOFF, self.tracker.habits.quiet_period)
        return backoff(failures, longest)

    # Commands

    def set_expected(self, values: Mapping[Field[Any], Any]) -> None:
        """Show values that the next live read should confirm."""
        self.merged = merge_expected(self.merged, values, time.monotonic())
        self.notify()

    def on_wake_requested(self) -> None:
        """Accept the listed state again, and retry what failed, because the car is being woken."""
        self._retry_cooldown.cancel()
        self.tracker.was_wake_requested = True
        self.merged = replace(self.merged, refused=None)
        self.notify()
