"""The queue of commands to one vehicle: wakes the car and sends one command at a time, in order."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field as dataclass_field
from datetime import datetime
from enum import Enum, auto
from functools import reduce
import logging
import math
import time
from typing import Any, Final, NamedTuple

from homeassistant.util import dt as dt_util

from ..api import errors
from ..api.client import COMMAND_TIMEOUT
from ..api.commands import AUTO_CONDITIONING_START, WAKE_UP, Command
from ..api.fields import Field
from ..api.records import ClimateState, Vehicle
from ..polling.modes import ASLEEP
from .confirmation import MOVES_FOR, CommandConfirmation
from .known import KnownVehicle
from .reader import VehicleReader
from .waker import WAKE_TIMEOUT, Waker

_LOGGER: Final = logging.getLogger(__package__)
ACCEPTED: Final = "accepted"
NOT_NEEDED: Final = "not_needed"
# The car's internal network was asleep, so no part of the car got the command.
_BUSES_ASLEEP: Final = "could_not_wake_buses"
_BUSES_RETRIES: Final = 3
_BUSES_RETRY_DELAY: Final = 5.0
# A slow failure is not retried, because the caller has waited long enough.
_RETRY_WITHIN: Final = 15.0
_RETRY_DELAY: Final = 2.0
# After this time in the queue, the user no longer expects the command.
_LONGEST_WAIT: Final = 180.0
_SIGNING_COOLDOWN: Final = 86_400.0
# Services answer from several caches. One of two reads in a row is most likely fresh.
_FRESH_READ_ATTEMPTS: Final = 2

type _Expected = Mapping[Field[Any], Any]


class Sender(Enum):
    """Who requests a command."""

    PERSON = auto()
    """Also a person's automation."""
    CHARGING_PLAN = auto()


@dataclass(eq=False)
class _PendingCommand:
    """A command that waits or runs, for all callers that requested it."""

    command: Command
    sender: Sender = Sender.PERSON
    expected: _Expected = dataclass_field(default_factory=dict)
    """The expected values of this call, in addition to the command's effects."""
    requests: list[dict[str, Any]] = dataclass_field(default_factory=list)
    """The values of each caller that still waits, the newest last."""
    requested_at: float = 0.0
    """The time of the newest request, by the monotonic clock."""
    is_started: bool = False
    is_closed: bool = False
    """Whether it no longer accepts newer values, because it is being sent."""
    error: errors.ServiceError | None = None

    @property
    def values(self) -> dict[str, Any]:
        return reduce(self.command.merge, self.requests, {})


class _SentToggle(NamedTuple):
    """A toggle that was sent."""

    expected: _Expected
    settled_at: float
    """When the lid has stopped, by the monotonic clock."""
    is_accepted: bool
    """Whether the service accepted the toggle. Otherwise, it is unknown whether the car got it."""


class CurrentCommand(NamedTuple):
    """The command that the car executes now, or next."""

    name: str
    is_waking: bool
    """Whether the car is not online, and is woken for the command."""


@dataclass(frozen=True)
class CommandResult:
    """The result of a command."""

    command: str
    result: str
    """ACCEPTED, NOT_NEEDED, or the key of the error."""
    at: datetime
    sender: Sender
    error: errors.ServiceError | None


def _retry_delay(command: Command, failures: Sequence[errors.ServiceError], duration: float) -> float | None:
    """Return the seconds until a command is sent again, or None if it is not.

    `failures`: of all its attempts so far. `duration`: of the last one.
    """
    *earlier, error = failures
    if _are_buses_asleep(error):
        # The car executed nothing so far.
        return _BUSES_RETRY_DELAY if sum(map(_are_buses_asleep, earlier)) < _BUSES_RETRIES else None
    is_first = not earlier or _are_buses_asleep(earlier[-1])
    is_final = isinstance(error, errors.CertificateError)
    is_temporary = isinstance(error, errors.ServiceDownError) and not (is_final or error.retry_after)
    can_repeat = command.repeatable and is_first and is_temporary and duration <= _RETRY_WITHIN
    return _RETRY_DELAY if can_repeat else None


def _are_buses_asleep(error: errors.ServiceError) -> bool:
    return isinstance(error, errors.RefusedError) and error.reason == _BUSES_ASLEEP


class CommandQueue:
    """Sends commands to one vehicle, one at a time. Callers take turns at the vehicle's lock."""

    def __init__(
        self,
        known: KnownVehicle,
        reader: VehicleReader,
        confirmation: CommandConfirmation,
        translate_errors: Callable[[], AbstractContextManager[None]],
        read_soon: Callable[[], None],
        show_expected: Callable[[], None],
    ) -> None:
        """`read_soon` reads the car in the background. `show_expected` shows what is pending."""
        self.last_result: CommandResult | None = None
        self.failure: CommandResult | None = None
        """The result of the last command that failed, until the next command is requested."""
        self.confirmation = confirmation
        self.on_result: Callable[[CommandResult], None] = lambda _: None
        """Gets each result before the listeners are notified. The coordinator sets this."""
        self._known = known
        self._reader = reader
        self._translate_errors = translate_errors
        self._read_soon = read_soon
        self._show_expected = show_expected
        self.pending: list[_PendingCommand] = []
        """The commands that wait or run, in the order of their requests."""
        self._signing_refused_until = -math.inf
        """By the monotonic clock."""
        self.waker = Waker(known, reader, self._check_may_send)
        self._sent_toggles: dict[frozenset[Field[Any]], _SentToggle] = {}
        """The last toggle by the fields that it changes."""
        self._sent_before_restart = _SentToggle({}, -math.inf, is_accepted=False)
        """Any toggle that was sent just before a restart."""

    @property
    def current(self) -> CurrentCommand:
        """The pending command that runs, or else the oldest one."""
        command = next((pending for pending in self.pending if pending.is_started), self.pending[0]).command
        vehicle = self._known.vehicle
        can_wake = command is WAKE_UP or self._known.options.wake_for_commands
        is_done = command.is_done_asleep and vehicle.state == ASLEEP
        will_wake = vehicle.is_online is False and can_wake and not is_done
        return CurrentCommand(command.name, self.waker.is_waking or will_wake)

    def pending_value[T](self, field: Field[T]) -> T | None:
        """Return the value that pending commands will set, or else the field's current value."""
        return field.get(self.expect(self._known.vehicle))

    def expect(self, vehicle: Vehicle) -> Vehicle:
        """Return a car's data as it will be when all commands are done, as far as that is known."""
        for pending in self.pending:
            values = pending.command.complete(vehicle, pending.values)
            expected = {**pending.command.expected_values(vehicle, values), **pending.expected}
            vehicle = vehicle.with_values(expected)
        return vehicle

    async def async_send(
        self,
        command: Command,
        expected: _Expected | None = None,
        sender: Sender = Sender.PERSON,
        /,
        **values: Any,
    ) -> None:
        """Send a command after those before it, wake the car if necessary and allowed, and show the effects.

        `expected`: effects that the table can't contain. Pending setpoints accept newer values.
        """
        with self._translate_errors():
            # Raises an error, which is not recorded, if the service does not have the command.
            form = self._known.provider.type.form(command)
            try:
                self._check_may_send(command)
            except errors.ServiceError as error:
                self._record_result(_PendingCommand(command, sender), error.key)
                raise
            form.validate(self._known.vehicle, values)
            pending = self._joinable(command, expected or {})
            if pending is None:
                pending = _PendingCommand(command, sender)
                self.pending.append(pending)
            pending.expected = expected or {}
            pending.requests.append(values)
            pending.requested_at = time.monotonic()
            self.failure = None
            try:
                self._show_expected()
                async with self._reader.lock:
                    if not pending.is_started:
                        await self._run(pending)
            finally:
                # A cancelled caller withdraws its values, unless they were sent already.
                pending.requests = [request for request in pending.requests if request is not values]
                if not pending.requests and pending in self.pending:
                    self.pending.remove(pending)
                    self._show_expected()
            if pending.error is not None:
                raise pending.error.with_traceback(None)

    async def async_send_to_heater(
        self,
        command: Command,
        expected: _Expected,
        is_turned_on: bool,  # noqa: FBT001 - the name of a value of some commands is `on`
        /,
        **values: Any,
    ) -> None:
        """Send a command as `async_send`. If it turns a heater on, turn on climate control first."""
        if is_turned_on and not self.pending_value(ClimateState.is_climate_on):
            # It is shown as pending, although it is sent after another one.
            pending = _PendingCommand(command, expected=expected, requests=[values], is_closed=True)
            self.pending.append(pending)
            try:
                await self.async_send(AUTO_CONDITIONING_START)
            except BaseException:
                self.pending.remove(pending)
                self._show_expected()
                raise
            later = self.pending[self.pending.index(pending) + 1 :]
            self.pending.remove(pending)
            if any(not expected.keys().isdisjoint(other.expected) for other in later):
                # A later request for the same heater decides.
                return
        await self.async_send(command, expected, **values)

    def _joinable(self, command: Command, expected: _Expected) -> _PendingCommand | None:
        """Return the pending command that accepts newer values, unless a later one sets the same field."""
        for pending in reversed(self.pending):
            if pending.command is command:
                return pending if command.setpoints and not pending.is_closed else None
            if not {*command.effects, *expected}.isdisjoint({*pending.command.effects, *pending.expected}):
                return None
        return None

    def _check_may_send(self, command: Command) -> None:
        """Raise the reason why nothing is sent to this car, if there is one."""
        self._known.check_loaded()
        if self._known.options.is_read_only:
            raise errors.ReadOnlyError(self._known.title)
        if self._known.is_other_vehicle:
            raise errors.OtherVehicleError
        if command is not WAKE_UP and time.monotonic() < self._signing_refused_until:
            # Waking the car would be pointless.
            raise errors.SigningRequiredError
        # Whether somebody is in a car that is awake may have changed since it was read.
        if command.needs_user and self._known.vehicle.is_online is False:
            raise errors.RefusedError(errors.USER_NOT_PRESENT)

    def _check_in_time(self, pending: _PendingCommand) -> None:
        """Raise the reason why a command that has waited is no longer sent, if there is one."""
        if self.waker.failed_at > pending.requested_at and pending.command is not WAKE_UP:
            raise self.waker.last_error.with_traceback(None)
        if time.monotonic() - pending.requested_at > _LONGEST_WAIT:
            raise errors.TooLateError

    def _record_result(self, pending: _PendingCommand, result: str) -> None:
        name, sender, error = pending.command.name, pending.sender, pending.error
        _LOGGER.debug("%s: %s by %s: %s", self._known.title, name, sender.name.lower(), result)
        self.last_result = CommandResult(name, result, dt_util.utcnow(), sender, error)
        if error is not None:
            self.failure = self.last_result
        self.on_result(self.last_result)
        self._known.notify()

    async def _run(self, pending: _PendingCommand) -> None:
        """Execute a command and record its result for all callers."""
        pending.is_started = True
        try:
            self._check_in_time(pending)
            result = ACCEPTED if await self._execute(pending) else NOT_NEEDED
        except errors.ServiceError as error:
            pending.error, result = error, error.key
            self._record_problem(error)
            if isinstance(error, errors.RefusedError):
                # The refusal can contradict the known state. An automation would then repeat the command.
                self._read_soon()
        except BaseException:
            # The next caller that waits for this command sends it.
            pending.is_started = pending.is_closed = False
            raise
        self.pending.remove(pending)
        self._record_result(pending, result)

    async def _execute(self, pending: _PendingCommand) -> bool:
        """Wake the car, send a command and show its effects. Return whether the command was needed."""
        deadline = time.monotonic() + WAKE_TIMEOUT
        command = pending.command
        await self._reader.async_refresh_identity()
        if command is WAKE_UP:
            # The user may know that the car sleeps before the service does.
            await self.waker.async_wake(command)
            return True
        if not self._known.vehicle.is_online and not await self.waker.async_wake_for(command):
            return self._show_done_asleep(pending)
        while True:
            if command.toggles and not await self._is_toggle_needed(command, pending.expected):
                return False
            # While the car woke, the pending command accepted newer values. From now on, it does not.
            pending.is_closed = True
            values = await self._complete_values(command, pending.values)
            try:
                was_needed = await self._send_with_retry(pending, values)
                break
            except errors.AsleepError:
                # The car fell asleep in the meantime, so it did not get the command.
                if time.monotonic() >= deadline:
                    raise
            self._known.set_expected({Vehicle.state: ASLEEP})
            if not await self.waker.async_wake_for(command, is_known_asleep=True):
                return self._show_done_asleep(pending)
        self._known.tracker.on_used(dt_util.now())
        self._known.car_availability.record_success()
        if was_needed:
            expected = command.expected_values(self._known.vehicle, values)
            self._known.set_expected({**expected, **pending.expected})
            self.confirmation.schedule()
        else:
            # The known state may be wrong. The command has succeeded even if this read fails.
            try:
                await self._reader.async_read(f"because {command.name} was not needed")
            except errors.ServiceError:
                self.confirmation.schedule()
        self._record_problem(None)
        return was_needed

    def _show_done_asleep(self, pending: _PendingCommand) -> bool:
        """Show the effects of a command that is done because the car sleeps. The last read may be older."""
        expected = pending.command.expected_values(self._known.vehicle, pending.values)
        self._known.set_expected({**expected, **pending.expected})
        return False

    def _record_problem(self, error: errors.ServiceError | None) -> None:
        """Remember whether the car accepts unsigned commands, and report what only a person can fix."""
        issues = self._known.issues
        if error is None or isinstance(error, errors.SigningRequiredError):
            issues.update(self._known.subentry_id, error, topic="commands")
            self._signing_refused_until = time.monotonic() + (_SIGNING_COOLDOWN if error else 0.0)
        if error is None or isinstance(error, errors.CommandCertificateError):
            issues.update(None, error, topic="commands")

    async def _complete_values(self, command: Command, values: dict[str, Any]) -> dict[str, Any]:
        """Add missing values: the car's, which is read if they are unknown, or else the caller's first."""
        complete = command.complete(self._known.vehicle, values)
        if None in complete.values():
            await self._reader.async_read(f"to complete the values of {command.name}")
            complete = command.complete(self._known.vehicle, values)
        default = next(iter(values.values()), None)
        return {name: default if value is None else value for name, value in complete.items()}

    # Toggles, which repeating undoes

    async def _is_toggle_needed(self, command: Command, expected: _Expected) -> bool:
        """Read fresh state, and return whether a toggle is needed: not if it was just accepted.

        Wakes the car if allowed. Raises PositionUnknownError if the position is unknown or changing.
        """
        last = self._sent_toggles.get(frozenset(expected), self._sent_before_restart)
        is_settled = time.monotonic() >= last.settled_at
        if not is_settled and last.is_accepted and last.expected == expected:
            return False
        await self._read_fresh(command, expected)
        vehicle = self._known.vehicle
        found = {field: field.get(vehicle) for field in expected}
        # A lid may be moving, and the next command would stop or reverse it.
        is_moving = not is_settled and last.expected != found
        if not vehicle.is_online or is_moving or None in found.values():
            raise errors.PositionUnknownError
        return any(found[field] not in command.toggles[wanted] for field, wanted in expected.items())

    async def _read_fresh(self, command: Command, expected: _Expected) -> None:
        """Read the car. Raises PositionUnknownError if its answers come from a cache."""
        reason = f"to see whether {command.name} is needed"
        for _ in range(_FRESH_READ_ATTEMPTS):
            await self._reader.async_read(reason)
            if not self._known.vehicle.is_online:
                await self.waker.async_wake_for(command, is_known_asleep=True)
                await self._reader.async_read(reason)
            if self._known.vehicle.in_service:
                raise errors.InServiceError
            if all(map(self._known.merged.is_fresh, expected)):
                return
        raise errors.PositionUnknownError

    def _remember_toggle(
        self, pending: _PendingCommand, moves_for: float = MOVES_FOR, *, is_accepted: bool = False
    ) -> None:
        """Remember a command that was sent if it is a toggle. A lid may move for `moves_for` seconds."""
        if pending.command.toggles:
            sent = _SentToggle(pending.expected, time.monotonic() + moves_for, is_accepted)
            self._sent_toggles[frozenset(pending.expected)] = sent

    # Sending

    async def _send_with_retry(self, pending: _PendingCommand, values: dict[str, Any]) -> bool:
        """Send a command, again while the car's network wakes. Return whether it was needed."""
        known, failures = self._known, list[errors.ServiceError]()
        while True:
            started_at = time.monotonic()
            try:
                with self._sending(pending):
                    was_needed: bool = await known.provider.request(pending.command, known.path_id, **values)
                    return was_needed
            except errors.ServiceError as error:
                if failures and isinstance(failures[-1], errors.OutcomeUnknownError):
                    # The error concerns only the retry. The outcome of the first attempt is still unknown.
                    raise failures[-1] from None
                failures.append(error)
                delay = _retry_delay(pending.command, failures, time.monotonic() - started_at)
                if delay is None:
                    raise
                again = (known.title, pending.command.name, delay, error.key)
                _LOGGER.debug("%s: %s is sent again in %.0f s after %s", *again)
            await asyncio.sleep(delay)

    @contextmanager
    def _sending(self, pending: _PendingCommand) -> Iterator[None]:
        """Surround one request. If the car may have got it, later reads confirm it, even if cancelled."""
        self._check_may_send(pending.command)
        before, self.confirmation.sent_at = self.confirmation.sent_at, time.monotonic()
        self._known.store.schedule_save()
        try:
            yield
        except asyncio.CancelledError:
            # The service may still wait for the car.
            self._on_outcome_unknown(pending, moves_for=COMMAND_TIMEOUT + MOVES_FOR)
            self._record_result(pending, errors.OutcomeUnknownError.key)
            raise
        except errors.OutcomeUnknownError as error:
            self._on_outcome_unknown(pending, retry_after=error.retry_after)
            raise
        except errors.ServiceError:
            # The car did not execute it.
            self.confirmation.sent_at = before
            raise
        self._remember_toggle(pending, is_accepted=True)

    def _on_outcome_unknown(
        self, pending: _PendingCommand, *, moves_for: float = MOVES_FOR, retry_after: float = 0.0
    ) -> None:
        """Let later reads show the effect of a command that the car may have got."""
        self._remember_toggle(pending, moves_for)
        self._known.tracker.on_used(dt_util.now())
        self.confirmation.schedule(after=retry_after)

    def resume(self) -> None:
        self._sent_before_restart = _SentToggle({}, time.monotonic() + MOVES_FOR, is_accepted=False)
        self._known.tracker.on_used(dt_util.now())
        self.confirmation.sent_at = time.monotonic()
        self.confirmation.schedule()
