"""How a vehicle is told what to do: awake, one command at a time, in the order in which people asked."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field as dataclass_field
from datetime import datetime
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from .api.commands import WAKE_UP, Command
from .api.errors import (
    AsleepError,
    CertificateError,
    InServiceError,
    MalformedAnswerError,
    NotWokenError,
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
from .api.field import Field
from .api.records import Vehicle
from .known import Aspect, now
from .reading import VehicleReading

ACCEPTED: Final = "accepted"
NOT_NEEDED: Final = "not_needed"
_WAKE_UP_LIMIT: Final = 60.0
_WAKE_UP_PROBE: Final = 3.0
# The first shows soon whether the car obeyed; by the second, what moves has arrived.
_CONFIRM_AFTER: Final = (3.0, 15.0)
_BUSES_RETRIES: Final = 3
_BUSES_PAUSE: Final = 5.0
# A second try is for what went wrong at once: who waited long for an answer has waited enough.
_RETRY_WITHIN: Final = 15.0
_RETRY_PAUSE: Final = 2.0
# Who pressed a button longer ago than this no longer expects anything to happen.
_LONGEST_WAIT: Final = 180.0
_BARRED: Final = 86_400.0


@dataclass
class _Wish:
    """A command that waits or runs, for all who asked for it."""

    values: dict[str, Any] = dataclass_field(default_factory=dict)
    waiting: int = 0
    asked_at: float = 0.0
    """When somebody asked for it last."""
    is_done: bool = False
    error: ServiceError | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a command."""

    command: str
    result: str
    """ACCEPTED, NOT_NEEDED, or the key of the error."""
    at: datetime


class Orders:
    """The commands to one vehicle."""

    def __init__(self, vehicle: VehicleReading) -> None:
        """Begin with none."""
        self._vehicle = vehicle
        self._wishes: dict[Command, _Wish] = {}
        self._wake_failed_at = 0.0
        self._wake_failure: ServiceError = WakeUpTimeoutError()
        self._barred_until = 0.0
        self._confirmations: list[CALLBACK_TYPE] = []
        self.last: Outcome | None = None

    @callback
    def wished[T](self, field: Field[T]) -> T | None:
        """Return what a field is going to be: what a waiting command sets it to, or what it is."""
        vehicle = self._vehicle.data
        for command, wish in self._wishes.items():
            expected = command.expected(vehicle, command.completed(vehicle, wish.values))
            if field in expected:
                value: T | None = expected[field]
                return value
        return field.of(vehicle)

    async def send(
        self, command: Command, then: Mapping[Field[Any], Any] | None = None, /, **values: Any
    ) -> None:
        """Send a command, waking the car if need be and allowed, and show at once what it brings about.

        `then` adds what the table cannot know: what this use of the command brings about. One command is
        under way at a time, in the order in which they were asked for; a setpoint that waits already takes
        the newer value along. Raises HomeAssistantError, translated.
        """
        async with self._vehicle.asked_by_a_person():
            self._check_allowed(command)
            wish = self._wishes.get(command) or _Wish()
            command.demand(self._vehicle.data, values)
            wish.values = command.renewed(wish.values, values)
            wish.waiting += 1
            wish.asked_at = now()
            if command.is_setpoint:
                self._wishes[command] = wish
            try:
                async with self._vehicle.turn:
                    if not wish.is_done:
                        await self._fulfil(command, then or {}, wish)
            finally:
                wish.waiting -= 1
                if not wish.waiting:
                    self._take(command, wish)
            if wish.error is not None:
                raise wish.error

    async def wake_up(self) -> None:
        """Wake the car because a person wants it awake, whatever is believed of it."""
        async with self._vehicle.asked_by_a_person():
            self._check_allowed(WAKE_UP)
            asked_at = now()
            async with self._vehicle.turn:
                try:
                    _check_in_time(asked_at)
                    await self._rouse()
                except ServiceError as error:
                    self._came_to(WAKE_UP, error.key)
                    raise
                self._came_to(WAKE_UP, ACCEPTED)

    def _check_allowed(self, command: Command) -> None:
        """Raise the reason why nothing is sent to this car, if there is one."""
        error: ServiceError | None = None
        if self._vehicle.settings.is_read_only:
            error = ReadOnlyError(self._vehicle.title)
        elif command is not WAKE_UP and now() < self._barred_until:
            # Nobody wakes it in vain for what it is not going to take.
            error = SigningRequiredError()
        if error is not None:
            self._came_to(command, error.key)
            raise error

    @callback
    def _came_to(self, command: Command, result: str) -> None:
        """Tell what became of a command."""
        self.last = Outcome(command.name, result, dt_util.utcnow())
        self._vehicle.tell([Aspect.COMMAND])

    def _take(self, command: Command, wish: _Wish) -> None:
        """Let no more values be added to a wish."""
        if self._wishes.get(command) is wish:
            del self._wishes[command]

    async def _fulfil(self, command: Command, then: Mapping[Field[Any], Any], wish: _Wish) -> None:
        wish.is_done = True
        try:
            if self._wake_failed_at > wish.asked_at:
                # It waited for the same wake that has just failed.
                raise self._wake_failure
            _check_in_time(wish.asked_at)
            result = ACCEPTED if await self._send(command, then, wish) else NOT_NEEDED
        except asyncio.CancelledError:
            # Whoever gave up speaks for nobody else who waits for it.
            wish.is_done = False
            raise
        except ServiceError as error:
            wish.error, result = error, error.key
            self._learn_from(error)
        finally:
            self._take(command, wish)
        self._came_to(command, result)

    async def _send(self, command: Command, then: Mapping[Field[Any], Any], wish: _Wish) -> bool:
        """Send it to a car that is awake, and return whether there was any need."""
        deadline = now() + _WAKE_UP_LIMIT
        if self._vehicle.data.state != "online":
            await self._rouse_if_allowed()
        while True:
            if command.toggles and not await self._is_needed(then):
                return False
            # Until here, while the car woke, newer values could still come along.
            self._take(command, wish)
            values = await self._complete(command, wish.values)
            try:
                did_anything = await self._deliver(command, values)
                break
            except AsleepError:
                # It fell asleep since it was last heard of, so it has not heard the command either.
                if now() >= deadline:
                    raise
            self._vehicle.show(self._vehicle.data.replacing(Vehicle.state, "asleep"))
            await self._rouse_if_allowed(is_awake_elsewhere=True)
        if did_anything:
            self._vehicle.expect({**command.expected(self._vehicle.data, values), **then})
            self._vehicle.was_used()
            self._vehicle.async_update_listeners()
            self._confirm_soon()
        else:
            self._vehicle.was_used()
            await self._look_again()
        self._learn_from(None)
        return did_anything

    def _learn_from(self, error: ServiceError | None) -> None:
        """Draw from what became of a command what it means for the next ones."""
        if isinstance(error, OutcomeUnknownError) and not error.pause:
            self._confirm_soon()
        if error is None or isinstance(error, SigningRequiredError):
            vehicle = self._vehicle
            vehicle.troubles.heard(f"{vehicle.subentry_id}_commands", vehicle.title, error)
            self._barred_until = 0.0 if error is None else now() + _BARRED

    async def _look_again(self) -> None:
        """Show what the car says, after it said that it was so already, whatever was believed of it.

        The command is settled all the same if this read fails; then a later one tells.
        """
        try:
            self._vehicle.show(await self._vehicle.read())
        except ServiceError:
            self._confirm_soon()

    async def _complete(self, command: Command, values: dict[str, Any]) -> dict[str, Any]:
        """Fill in what is not to change. Where that is not known, the car is asked; else all get the same."""
        complete = command.completed(self._vehicle.data, values)
        if None in complete.values():
            self._vehicle.show(await self._vehicle.read())
            complete = command.completed(self._vehicle.data, values)
        given = next(iter(values.values()), None)
        return {name: given if value is None else value for name, value in complete.items()}

    async def _is_needed(self, then: Mapping[Field[Any], Any]) -> bool:
        """Read whether a toggle would bring things about, or undo them. Only a fresh answer tells."""
        self._vehicle.show(await self._vehicle.read())
        if self._vehicle.data.state != "online":
            await self._rouse_if_allowed(is_awake_elsewhere=True)
            self._vehicle.show(await self._vehicle.read())
        vehicle = self._vehicle.data
        if vehicle.in_service:
            raise InServiceError
        found = [(field.of(vehicle), value) for field, value in then.items()]
        if vehicle.state != "online" or any(present is None for present, _ in found):
            raise PositionUnknownError
        return any(present != value for present, value in found)

    async def _deliver(self, command: Command, values: dict[str, Any]) -> bool:
        """Send it; again only if the car's own network slept, because then nothing has heard it."""
        for _ in range(_BUSES_RETRIES):
            try:
                return await self._transmit(command, values)
            except RefusedError as error:
                if error.reason != "could_not_wake_buses":
                    raise
            await asyncio.sleep(_BUSES_PAUSE)
        return await self._transmit(command, values)

    async def _transmit(self, command: Command, values: dict[str, Any]) -> bool:
        """Send it; once more after a failure that came at once, if twice does no more than once."""
        began = now()
        try:
            return await self._transmit_once(command, values)
        except ServiceDownError as error:
            is_over = now() - began > _RETRY_WITHIN or isinstance(error, CertificateError)
            if is_over or error.pause or not command.repeatable:
                raise
            failure = error
        await asyncio.sleep(_RETRY_PAUSE)
        try:
            return await self._transmit_once(command, values)
        except ServiceError:
            # That is about the second one only: nobody knows of the first.
            if isinstance(failure, OutcomeUnknownError):
                raise failure from None
            raise

    async def _transmit_once(self, command: Command, values: dict[str, Any]) -> bool:
        self._check_still_here()
        return await self._vehicle.connection.client.send(self._vehicle.number, command, **values)

    def _check_still_here(self) -> None:
        if self._vehicle.is_over:
            raise UnloadedError

    async def _rouse_if_allowed(self, *, is_awake_elsewhere: bool = False) -> None:
        """Call the car for a command. Raises NotWokenError if its owner does not want that and it sleeps.

        `is_awake_elsewhere`: as in `_rouse`; the car itself has just shown that it sleeps.
        """
        if self._vehicle.settings.is_woken_for_commands:
            await self._rouse(is_awake_elsewhere=is_awake_elsewhere)
            return
        if is_awake_elsewhere or await self._is_known_to_sleep():
            raise NotWokenError(self._vehicle.title)

    async def _is_known_to_sleep(self) -> bool:
        """Ask the service, because what is believed may be a minute old. If it cannot say, the car will."""
        self._check_still_here()
        if not self._vehicle.connection.has_records:
            return False
        record = await self._vehicle.connection.record(self._vehicle.number)
        self._vehicle.note(record)
        return record is not None and record.get("state") not in (None, "online")

    async def _rouse(self, *, is_awake_elsewhere: bool = False) -> None:
        """Call the car and wait until it is online. After a minute raises why it is not.

        `is_awake_elsewhere`: the service believes the car to be online although the car itself does not
        answer; a look at what the service believes comes only after a while.
        """
        self._check_still_here()
        deadline = now() + _WAKE_UP_LIMIT
        self._vehicle.is_being_called()
        failure = await self._call()
        if is_awake_elsewhere:
            self._vehicle.show(self._vehicle.data.replacing(Vehicle.state, "asleep"))
        while self._vehicle.data.state != "online":
            if now() >= deadline:
                self._wake_failed_at, self._wake_failure = now(), failure or WakeUpTimeoutError()
                self._vehicle.watch.called(in_vain=True)
                raise self._wake_failure
            await asyncio.sleep(_WAKE_UP_PROBE)
            self._check_still_here()
            if failure is None and self._vehicle.connection.has_records:
                await self._vehicle.probe()
            else:
                failure = await self._call()

    async def _call(self) -> ServiceError | None:
        """Call the car, and return why the service did not take it: no reason to give up at once."""
        try:
            self._vehicle.note(await self._vehicle.connection.client.wake_up(self._vehicle.number))
        except AsleepError:
            return WakeUpTimeoutError()
        except (ServiceDownError, MalformedAnswerError) as error:
            return error
        return None

    @callback
    def _confirm_soon(self) -> None:
        """Read the car some seconds from now: what it says then is what counts."""
        self.forget_confirmations()
        if self._vehicle.is_over:
            return
        hass = self._vehicle.hass
        self._confirmations = [async_call_later(hass, delay, self._confirm) for delay in _CONFIRM_AFTER]

    async def _confirm(self, _moment: datetime) -> None:
        await self._vehicle.async_refresh()

    @callback
    def forget_confirmations(self) -> None:
        """Wait no more for what the car says after a command."""
        while self._confirmations:
            self._confirmations.pop()()


def _check_in_time(asked_at: float) -> None:
    """Raise TooLateError if nobody expects any more what was asked for then."""
    if now() - asked_at > _LONGEST_WAIT:
        raise TooLateError
