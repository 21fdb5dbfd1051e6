"""The queue of commands to one vehicle: it wakes the car and sends one command at a time, in order."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field as dataclass_field
from datetime import datetime
from functools import partial
import time
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ..api.client import COMMAND_TIMEOUT
from ..api.commands import WAKE_UP, Command
from ..api.errors import (
    AsleepError,
    CertificateError,
    InServiceError,
    MalformedAnswerError,
    NotWokenError,
    OtherVehicleError,
    OutcomeUnknownError,
    PositionUnknownError,
    ReadOnlyError,
    RefusedError,
    ServiceDownError,
    ServiceError,
    SigningRequiredError,
    TooLateError,
    UnloadedError,
    WakeUpTimeoutError,
)
from ..api.fields import Field
from ..api.records import Vehicle
from .cooldown import Pause
from .coordinator import VehicleReading
from .state import Aspect

ACCEPTED: Final = "accepted"
NOT_NEEDED: Final = "not_needed"
_WAKE_UP_LIMIT: Final = 60.0
_WAKE_UP_PROBE: Final = 3.0
# The first shows soon whether the car obeyed; by the second, what moves has arrived.
_CONFIRM_AFTER: Final = (3.0, 15.0)
# A read that begins so much later shows what became of a command.
_REPORTED_AFTER: Final = 14.0
# If both fail, and polling does not read the car either
_CONFIRM_RETRIES: Final = (60.0, 300.0, 900.0)
# For so long a lid may be reported where it was before it moved.
_TOGGLE_SETTLES: Final = 15.0
# Services answer from several caches: one of two reads in a row is most likely fresh.
_FRESH_ATTEMPTS: Final = 2
_BUSES_RETRIES: Final = 3
_BUSES_PAUSE: Final = 5.0
# A second try is for what went wrong at once: who waited long for an answer has waited enough.
_RETRY_WITHIN: Final = 15.0
_RETRY_PAUSE: Final = 2.0
# Who pressed a button longer ago than this no longer expects anything to happen.
_LONGEST_WAIT: Final = 180.0
_BARRED: Final = 86_400.0


@dataclass(eq=False)
class _Wish:
    """A command that waits or runs, for all callers that asked for it."""

    command: Command
    then: Mapping[Field[Any], Any] = dataclass_field(default_factory=dict)
    """What this use of the command brings about, beyond what the table of commands knows."""
    requests: list[dict[str, Any]] = dataclass_field(default_factory=list)
    """The values of each caller that waits, the newest last."""
    asked_at: float = 0.0
    """When the last of them asked, by the monotonic clock."""
    failed_wakes: int = 0
    """How many wake-ups had failed by then."""
    is_done: bool = False
    error: ServiceError | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The values to send: the newest of each."""
        values: dict[str, Any] = {}
        for each in self.requests:
            values = self.command.renewed(values, each)
        return values


@dataclass(frozen=True)
class Outcome:
    """What became of a command."""

    command: str
    result: str
    """ACCEPTED, NOT_NEEDED, or the key of the error."""
    at: datetime


@dataclass(frozen=True)
class _Toggle:
    """A toggle that was sent: for some seconds, the car may still report the state before it."""

    then: Mapping[Field[Any], Any]
    settles: Pause


class Orders:
    """The commands to one vehicle."""

    def __init__(self, vehicle: VehicleReading) -> None:
        """Start with an empty queue."""
        self._vehicle = vehicle
        self._waiting: list[_Wish] = []
        """What is not being sent yet, in the order in which it was asked for."""
        self._failed_wakes = 0
        self._wake_failure: ServiceError = WakeUpTimeoutError()
        self._barred = Pause()
        self._toggles: dict[frozenset[Field[Any]], _Toggle] = {}
        self._reload_settles = Pause()
        """After a reload, it is unknown which toggles were sent just before."""
        self._sent_at: float | None = None
        """When a command was sent that the car may have carried out, by the monotonic clock."""
        self._confirmations: list[CALLBACK_TYPE] = []
        self.last: Outcome | None = None

    @callback
    def wished[T](self, field: Field[T]) -> T | None:
        """Return the value to which a waiting command sets a field, or else the field's value now."""
        vehicle = self._vehicle.data
        for wish in reversed(self._waiting):
            expected = wish.command.expected(vehicle, wish.command.completed(vehicle, wish.values))
            if field in expected:
                value: T | None = expected[field]
                return value
        return field.of(vehicle)

    async def send(
        self, command: Command, then: Mapping[Field[Any], Any] | None = None, /, **values: Any
    ) -> None:
        """Send a command, waking the car if need be and allowed, and show at once what it brings about.

        `then` adds what the table cannot know: what this use of the command brings about. Commands run one
        at a time, in the order of the calls. A setpoint that still waits takes over the newer values. Raises
        HomeAssistantError, translated.
        """
        async with self._vehicle.asked_by_a_person():
            self._check_allowed(command)
            command.demand(self._vehicle.data, values)
            wish = self._joinable(command)
            if wish is None:
                wish = _Wish(command)
                self._waiting.append(wish)
            wish.then = then or {}
            wish.requests.append(values)
            wish.asked_at, wish.failed_wakes = time.monotonic(), self._failed_wakes
            try:
                async with self._vehicle.turn:
                    if not wish.is_done:
                        await self._fulfil(wish)
            finally:
                # A caller that gives up takes its values along, unless they are sent already.
                wish.requests = [each for each in wish.requests if each is not values]
                if not wish.requests:
                    self._take(wish)
            if wish.error is not None:
                raise wish.error

    def _joinable(self, command: Command) -> _Wish | None:
        """Return the waiting command that takes over newer values of a setpoint, if there is one.

        A command behind it that sets the same field counts as well: the last request decides.
        """
        for wish in reversed(self._waiting):
            if wish.command is command:
                return wish if command.is_setpoint else None
            if not command.reports.keys().isdisjoint(wish.command.reports):
                return None
        return None

    async def wake_up(self) -> None:
        """Wake the car because the user wants it awake, whatever state it is believed to be in."""
        async with self._vehicle.asked_by_a_person():
            self._check_allowed(WAKE_UP)
            asked_at = time.monotonic()
            async with self._vehicle.turn:
                try:
                    _check_in_time(asked_at)
                    await self._vehicle.identify()
                    await self._rouse(WAKE_UP)
                except ServiceError as error:
                    self._came_to(WAKE_UP, error.key)
                    raise
                self._came_to(WAKE_UP, ACCEPTED)

    def _check_allowed(self, command: Command) -> None:
        """Raise the reason why nothing is sent to this car, if there is one, and show it as the result."""
        if (error := self._refusal(command)) is not None:
            self._came_to(command, error.key)
            raise error

    def _refusal(self, command: Command) -> ServiceError | None:
        """Return the reason why nothing is sent to this car, or None."""
        if self._vehicle.settings.is_read_only:
            return ReadOnlyError(self._vehicle.title)
        if self._vehicle.is_other_car:
            return OtherVehicleError()
        if command is not WAKE_UP and self._barred.left:
            # The car would be woken for nothing.
            return SigningRequiredError()
        return None

    @callback
    def _came_to(self, command: Command, result: str) -> None:
        """Show what became of a command."""
        self.last = Outcome(command.name, result, dt_util.utcnow())
        self._vehicle.tell([Aspect.COMMAND])

    def _take(self, wish: _Wish) -> None:
        """Let no more values be added to a command."""
        if wish in self._waiting:
            self._waiting.remove(wish)

    async def _fulfil(self, wish: _Wish) -> None:
        wish.is_done = True
        try:
            if self._failed_wakes > wish.failed_wakes:
                # It waited for the wake-up that has just failed.
                raise self._wake_failure
            _check_in_time(wish.asked_at)
            result = ACCEPTED if await self._send(wish) else NOT_NEEDED
        except asyncio.CancelledError:
            # The next caller that waits for the same command sends it.
            wish.is_done = False
            raise
        except ServiceError as error:
            wish.error, result = error, error.key
            self._learn_from(error)
        finally:
            self._take(wish)
        self._came_to(wish.command, result)

    async def _send(self, wish: _Wish) -> bool:
        """Send a command to a car that is awake, and return whether it was needed."""
        deadline = time.monotonic() + _WAKE_UP_LIMIT
        command = wish.command
        await self._vehicle.identify()
        if self._vehicle.data.state != "online":
            await self._rouse_if_allowed(command)
        while True:
            if command.toggles and not await self._is_needed(wish):
                return False
            # Until here, while the car woke, newer values could still come along.
            self._take(wish)
            values = await self._complete(command, wish.values)
            try:
                did_anything = await self._deliver(wish, values)
                break
            except AsleepError:
                # It fell asleep since it was last heard of, so it has not heard the command either.
                if time.monotonic() >= deadline:
                    raise
            self._vehicle.show(self._vehicle.data.replacing(Vehicle.state, "asleep"))
            await self._rouse_if_allowed(command, is_awake_elsewhere=True)
        if did_anything:
            self._vehicle.expect({**command.expected(self._vehicle.data, values), **wish.then})
            self._vehicle.was_used()
            self._vehicle.async_update_listeners()
            self.confirm_soon()
        else:
            self._vehicle.was_used()
            await self._look_again()
        self._learn_from(None)
        return did_anything

    def _learn_from(self, error: ServiceError | None) -> None:
        """Remember whether the car takes unsigned commands."""
        if error is None or isinstance(error, SigningRequiredError):
            vehicle = self._vehicle
            vehicle.troubles.heard(f"{vehicle.subentry_id}_commands", vehicle.title, error)
            self._barred.start(0.0 if error is None else _BARRED)

    async def _look_again(self) -> None:
        """Read the car after it reported that a command was not needed: the known state may be wrong.

        The command has succeeded even if this read fails. A later read shows the state.
        """
        was_confirming = bool(self._confirmations)
        self.confirm_soon()
        with suppress(ServiceError):
            self._vehicle.show(await self._vehicle.read())
            if not was_confirming:
                self.forget_confirmations()

    async def _complete(self, command: Command, values: dict[str, Any]) -> dict[str, Any]:
        """Fill in what is not to change. Where that is not known, the car is asked; else all get the same."""
        complete = command.completed(self._vehicle.data, values)
        if None in complete.values():
            self._vehicle.show(await self._vehicle.read())
            complete = command.completed(self._vehicle.data, values)
        given = next(iter(values.values()), None)
        return {name: given if value is None else value for name, value in complete.items()}

    async def _is_needed(self, wish: _Wish) -> bool:
        """Return whether a toggle brings about what is wanted. Only a fresh answer of the car can tell.

        A request that repeats the last toggle is done already, even if the car does not report it yet.
        """
        toggle = self._toggles.get(frozenset(wish.then))
        if toggle is not None and not toggle.settles.left:
            toggle = None
        if toggle is not None and toggle.then == wish.then:
            return False
        await self._read_fresh(wish)
        vehicle = self._vehicle.data
        found = {field: field.of(vehicle) for field in wish.then}
        # The lid may be on its way, so that the next command would stop or turn it.
        is_moving = self._reload_settles.left > 0 if toggle is None else toggle.then != found
        if vehicle.state != "online" or is_moving or None in found.values():
            raise PositionUnknownError
        return found != wish.then

    async def _read_fresh(self, wish: _Wish) -> None:
        """Read the car. Raises PositionUnknownError if its answers come from a cache."""
        for _ in range(_FRESH_ATTEMPTS):
            self._vehicle.show(await self._vehicle.read())
            if self._vehicle.data.state != "online":
                await self._rouse_if_allowed(wish.command, is_awake_elsewhere=True)
                self._vehicle.show(await self._vehicle.read())
            if self._vehicle.data.in_service:
                raise InServiceError
            if all(map(self._vehicle.is_fresh, wish.then)):
                return
        raise PositionUnknownError

    async def _deliver(self, wish: _Wish, values: dict[str, Any]) -> bool:
        """Send it; again only if the car's own network slept, because then nothing has heard it."""
        for _ in range(_BUSES_RETRIES):
            try:
                return await self._transmit(wish, values)
            except RefusedError as error:
                if error.reason != "could_not_wake_buses":
                    raise
            await asyncio.sleep(_BUSES_PAUSE)
        return await self._transmit(wish, values)

    async def _transmit(self, wish: _Wish, values: dict[str, Any]) -> bool:
        """Send it; once more after a failure that came at once, if twice does no more than once."""
        began = time.monotonic()
        try:
            return await self._transmit_once(wish, values)
        except ServiceDownError as error:
            is_over = time.monotonic() - began > _RETRY_WITHIN or isinstance(error, CertificateError)
            if is_over or error.pause or not wish.command.repeatable:
                raise
            failure = error
        await asyncio.sleep(_RETRY_PAUSE)
        try:
            return await self._transmit_once(wish, values)
        except ServiceError:
            # That is about the second one only: the outcome of the first is still unknown.
            if isinstance(failure, OutcomeUnknownError):
                raise failure from None
            raise

    async def _transmit_once(self, wish: _Wish, values: dict[str, Any]) -> bool:
        """Send it. What may have reached the car is confirmed by reads, even if the caller has given up."""
        self._check_may_send(wish.command)
        sent_before, self._sent_at = self._sent_at, time.monotonic()
        self._vehicle.memory.changed()
        try:
            did_anything = await self._vehicle.connection.client.send(
                self._vehicle.number, wish.command, **values
            )
        except asyncio.CancelledError:
            # The service may still wait for the car.
            self._remember_toggle(wish, COMMAND_TIMEOUT + _TOGGLE_SETTLES)
            self._vehicle.watch.used(dt_util.now())
            self.confirm_soon()
            raise
        except OutcomeUnknownError as error:
            self._remember_toggle(wish)
            self._vehicle.watch.used(dt_util.now())
            self.confirm_soon(after=error.pause)
            raise
        except ServiceError:
            self._sent_at = sent_before
            raise
        self._remember_toggle(wish)
        return did_anything

    def _remember_toggle(self, wish: _Wish, seconds: float = _TOGGLE_SETTLES) -> None:
        if wish.command.toggles:
            toggle = _Toggle(wish.then, Pause())
            toggle.settles.start(seconds)
            self._toggles[frozenset(wish.then)] = toggle

    def _check_may_send(self, command: Command) -> None:
        """Raise the reason why a command that has waited is not sent any more, if there is one."""
        if self._vehicle.is_over:
            raise UnloadedError
        if (error := self._refusal(command)) is not None:
            raise error

    async def _rouse_if_allowed(self, command: Command, *, is_awake_elsewhere: bool = False) -> None:
        """Wake the car for a command. Raises NotWokenError if it sleeps and its settings forbid waking it.

        `is_awake_elsewhere`: as in `_rouse`; the car itself has just shown that it sleeps.
        """
        if self._vehicle.settings.is_woken_for_commands:
            await self._rouse(command, is_awake_elsewhere=is_awake_elsewhere)
            return
        if is_awake_elsewhere or await self._is_known_to_sleep(command):
            raise NotWokenError(self._vehicle.title)

    async def _is_known_to_sleep(self, command: Command) -> bool:
        """Ask the service, because the known state may be a minute old. If it cannot say, the car will."""
        self._check_may_send(command)
        if not self._vehicle.connection.has_records:
            return False
        record = await self._vehicle.connection.record(self._vehicle.number)
        self._vehicle.note(record)
        return record is not None and record.get("state") not in (None, "online")

    async def _rouse(self, command: Command, *, is_awake_elsewhere: bool = False) -> None:
        """Wake the car for a command and wait until it is online. After a minute raises why it is not.

        `is_awake_elsewhere`: the service believes the car to be online although the car itself does not
        answer; a look at what the service believes comes only after a while.
        """
        self._check_may_send(command)
        deadline = time.monotonic() + _WAKE_UP_LIMIT
        self._vehicle.is_being_called()
        failure = await self._call()
        if is_awake_elsewhere:
            self._vehicle.show(self._vehicle.data.replacing(Vehicle.state, "asleep"))
        while self._vehicle.data.state != "online":
            if time.monotonic() >= deadline:
                self._failed_wakes += 1
                self._wake_failure = failure or WakeUpTimeoutError()
                self._vehicle.watch.called(in_vain=True)
                raise self._wake_failure
            await asyncio.sleep(_WAKE_UP_PROBE)
            self._check_may_send(command)
            if failure is None and self._vehicle.connection.has_records:
                await self._vehicle.probe()
            else:
                failure = await self._call()
        self._check_may_send(command)

    async def _call(self) -> ServiceError | None:
        """Call the car, and return why the service did not take it: no reason to give up at once."""
        try:
            self._vehicle.note(await self._vehicle.connection.client.wake_up(self._vehicle.number))
        except AsleepError:
            return WakeUpTimeoutError()
        except (ServiceDownError, MalformedAnswerError) as error:
            return error
        return None

    @property
    def is_unconfirmed(self) -> bool:
        """Whether a command was sent and no later read has shown yet what came of it."""
        return self._sent_at is not None and self._vehicle.read_began < self._sent_at + _REPORTED_AFTER

    @callback
    def resume(self) -> None:
        """Confirm what was sent before a reload."""
        self._sent_at = time.monotonic()
        self._reload_settles.start(_TOGGLE_SETTLES)
        self._vehicle.watch.used(dt_util.now())
        self.confirm_soon()

    @callback
    def confirm_soon(self, after: float = 0.0) -> None:
        """Read the car some seconds from now: what it reports then counts. `after`: a pause to keep first."""
        self.forget_confirmations()
        if self._vehicle.is_over:
            return
        hass, confirm = self._vehicle.hass, partial(self._confirm, list(_CONFIRM_RETRIES))
        self._confirmations = [async_call_later(hass, after + delay, confirm) for delay in _CONFIRM_AFTER]

    async def _confirm(self, retries: list[float], _moment: datetime) -> None:
        self._confirmations.pop(0)
        if self._vehicle.is_other_car:
            return
        await self._vehicle.async_refresh()
        is_last = not (self._confirmations or self._vehicle.is_over)
        if is_last and retries and not self._vehicle.last_update_success:
            hass, delay = self._vehicle.hass, retries.pop(0)
            self._confirmations = [async_call_later(hass, delay, partial(self._confirm, retries))]

    @callback
    def forget_confirmations(self) -> None:
        """Cancel the reads that confirm a command."""
        while self._confirmations:
            self._confirmations.pop()()


def _check_in_time(asked_at: float) -> None:
    """Raise TooLateError if a command has waited so long that its caller no longer expects it."""
    if time.monotonic() - asked_at > _LONGEST_WAIT:
        raise TooLateError
