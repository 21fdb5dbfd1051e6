"""What is known of one vehicle: its data, its activity and whether it answers. Sends nothing."""

from collections.abc import Mapping
from datetime import datetime
import math
import time
from typing import Any, Final

from ..account.options import VehicleOptions
from ..account.service import jitter
from ..api.errors import UnloadedError
from ..api.fields import Field
from ..api.records import Vehicle
from ..device_info import is_same_vin
from ..polling.activity import ActivityTracker
from ..polling.modes import ONLINE
from ..polling.policy import backoff
from .availability import AvailabilityTracker
from .cooldown import Cooldown
from .merged_data import (
    MergedData,
    forget_refused_state,
    merge_list_record,
    merge_live_answer,
    merge_refusal,
    reported_state,
)

_IDENTITY_VALID_FOR: Final = 120.0
_LONGEST_BACKOFF: Final = 600.0
_LONGEST_BACKOFF_IN_USE: Final = 120.0
# After this many failures in a row (about an hour), retries leave the car time to fall asleep.
_FAILURES_BEFORE_QUIET: Final = 6
_FAILURES_BEFORE_QUIET_IN_USE: Final = 30


class VehicleStatus:
    """What is known of one vehicle. The coordinator notifies the listeners after each change."""

    def __init__(self, vin: str, path_id: str, options: VehicleOptions) -> None:
        self.vin = vin
        self.path_id = path_id
        """The id of the vehicle in request paths."""
        self.options = options
        self.is_shut_down = False
        """Whether the vehicle was removed or its account unloaded."""
        self.is_other_vehicle = False
        """Whether the service answers with another vehicle under this id."""
        self.merged = MergedData()
        self.tracker = ActivityTracker()
        self.read_started_at = -math.inf
        """When the last successful live read started, by the monotonic clock."""
        self.service_availability = AvailabilityTracker()
        self.car_availability = AvailabilityTracker()
        self.list_availability = AvailabilityTracker()
        self._retry_cooldown = Cooldown()
        self._service_cooldown = Cooldown()
        self._identified_at = -math.inf

    @property
    def vehicle(self) -> Vehicle:
        """The fields of the merged data."""
        return self.merged.vehicle

    @property
    def is_expired(self) -> bool:
        """Whether the values are too old to be shown. They don't expire while the car is asleep."""
        return self.service_availability.is_expired or self.car_availability.is_expired

    @property
    def next_expiry_in(self) -> float:
        """Seconds until the service's or the car's silence is too long; infinity if neither will be."""
        left = (self.service_availability.expires_in, self.car_availability.expires_in)
        return min((seconds for seconds in left if seconds > 0), default=math.inf)

    @property
    def retry_at(self) -> float:
        """Earliest time of the next live read after a failure, in Unix seconds."""
        return max(self._retry_cooldown.ends_at, self._service_cooldown.ends_at)

    def check_loaded(self) -> None:
        """Raise UnloadedError if the vehicle was removed or its account unloaded."""
        if self.is_shut_down:
            raise UnloadedError

    # Identity

    @property
    def is_identity_recent(self) -> bool:
        """Whether an answer was checked recently."""
        return time.monotonic() - self._identified_at < _IDENTITY_VALID_FOR

    def identify(self, record: Mapping[str, Any]) -> None:
        """Compare the VIN of a record. After a car left the account, services give its id to another one.

        A record without a VIN counts as a check, and an earlier mismatch still holds.
        """
        self._identified_at = time.monotonic()
        is_same = is_same_vin(Vehicle.vin.read(record), self.vin)
        if is_same is not None:
            self.is_other_vehicle = not is_same

    # Answers

    def apply_record(self, record: Mapping[str, Any], now: datetime, *, is_paused: bool) -> str | None:
        """Merge the vehicle's record of the list. Return the state that it newly reports, if it does.

        `is_paused`: whether the service requires a pause.
        """
        self.service_availability.record_success()
        self.list_availability.record_success()
        if not is_paused:
            self._service_cooldown.cancel()
        self.merged = merge_list_record(self.merged, record)
        if self.path_id not in (self.vehicle.id, self.vehicle.id_s, self.vin):
            # The id changed. A VIN never does.
            self.path_id = self.vehicle.path_id or self.path_id
        if self.vehicle.is_online is False:
            self.car_availability.record_success()
        state = reported_state(record)
        # A state that the car's own refusal contradicts is no observation: either of them may be old.
        if state is None or state != self.merged.raw[Vehicle.state.name]:
            return None
        self._cancel_retry_if_reachable(state)
        self.tracker.on_state(state, now)
        return state

    def apply_answer(self, answer: Mapping[str, Any], asked_at: datetime, now: datetime) -> None:
        """Merge the answer to a live read that was sent at `asked_at`."""
        self._read_succeeded()
        before = self.vehicle
        self.merged = merge_live_answer(self.merged, answer, now, time.monotonic())
        if (state := self.vehicle.state) in (None, ONLINE):
            self.tracker.on_read(self.vehicle, before, asked_at)
        else:
            # Some services answer for a car that is asleep, with its last data.
            self._cancel_retry_if_reachable(state)
            self.tracker.on_refused(state, asked_at)

    def apply_refusal(self, refused: Field[Any], value: Any, state: str, asked_at: datetime) -> None:
        """Merge the refusal of a live read: the value of a field, and the state that it shows."""
        self._read_succeeded()
        self._cancel_retry_if_reachable(state)
        self.tracker.on_refused(state, asked_at)
        self.merged = merge_refusal(self.merged, refused, value)

    def on_wake_requested(self) -> None:
        """Accept the listed state again, and retry what failed, because the car is being woken."""
        self._retry_cooldown.cancel()
        self.tracker.on_wake_requested()
        self.merged = forget_refused_state(self.merged)

    def _cancel_retry_if_reachable(self, state: str) -> None:
        """Retry what failed if the unreachable car's state changed."""
        if self.tracker.state not in (None, ONLINE, state):
            self._retry_cooldown.cancel()

    def _read_succeeded(self) -> None:
        self._retry_cooldown.cancel()
        self._service_cooldown.cancel()
        self.service_availability.record_success()
        self.car_availability.record_success()

    # Failures

    def apply_list_failure(self, pause: float, *, is_final: bool) -> None:
        """Record that the list failed.

        `pause`: the seconds that the service requires. `is_final`: whether only the user can fix it.
        """
        self.service_availability.record_failure(pause)
        if is_final:
            self.service_availability.mark_failed()
        self._service_cooldown.extend(pause)

    def apply_read_failure(
        self, now: datetime, pause: float, service_pause: float, *, is_final: bool
    ) -> None:
        """Record that a live read failed.

        `pause`: the seconds that the answer requires. `service_pause`: those that the service requires of all
        requests. `is_final`: whether only the user can fix it.
        """
        self.car_availability.record_failure(pause)
        if is_final:
            self.car_availability.mark_failed()
        if service_pause:
            self._service_cooldown.start(service_pause)
        else:
            self.tracker.on_read_failed(now)
            self._retry_cooldown.start(max(self._backoff_delay(), pause))

    def _backoff_delay(self) -> float:
        """Return the seconds to wait after a failure. After many failures, the car can fall asleep."""
        before_quiet, longest = _FAILURES_BEFORE_QUIET, _LONGEST_BACKOFF
        if self.tracker.activity is not None:
            before_quiet, longest = _FAILURES_BEFORE_QUIET_IN_USE, _LONGEST_BACKOFF_IN_USE
        failures = self.car_availability.failures
        if failures > before_quiet:
            return max(_LONGEST_BACKOFF, self.tracker.habits.quiet_period)
        return backoff(failures, longest, jitter())
