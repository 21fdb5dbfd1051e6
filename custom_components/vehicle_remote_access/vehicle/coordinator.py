"""How it is come by what is known of one vehicle: what the service says, and what the car itself says.

A vehicle is read live only when `polling` says so.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
import math
import time
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, HomeAssistantError
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util import dt as dt_util

from ..account.issues import Troubles
from ..account.service import CONFIRM_TOKEN_AFTER, Connection, asked_by_a_person, translation
from ..account.storage import SELDOM, SOON, USUALLY
from ..api.commands import DATA, DATA_REQUESTS, MOBILE_ENABLED, Endpoint
from ..api.errors import (
    AsleepError,
    AuthenticationError,
    InServiceError,
    OtherVehicleError,
    ServiceError,
)
from ..api.fields import Field
from ..api.records import Vehicle
from ..device_info import is_same_car
from ..polling import policy as polling
from ..polling.activity import Watch
from .cooldown import Pause
from .energy_meter import charge_finish
from .listeners import Telling
from .stale_records import Freshness
from .state import Aspect, Contact, KnownVehicle, Subject, luck

# Seconds within which two people who want to know get one answer
SAME_LOOK: Final = 5.0
_RETRY_MOST: Final = 600.0
_RETRY_MOST_IN_USE: Final = 120.0
_IDENTITY_LASTS: Final = 120.0
# Failures in a row, for about an hour, after which a car is to be allowed to sleep all the same
_FAILURES_TIRING: Final = 6
_FAILURES_TIRING_IN_USE: Final = 30
# So often in a row an incomplete answer is asked for again before the car is left in peace.
_GAPS_BORNE: Final = range(1, 4)
_STATE: Final = Vehicle.state.name
_RECORDS: Final = frozenset(line.name for line in Vehicle.nested)
_TOUCHES_THE_CAR: Final = frozenset({DATA, MOBILE_ENABLED, *DATA_REQUESTS.values()})


class VehicleReading(KnownVehicle):
    """One vehicle: what is known of it, and its live reads."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        subentry: ConfigSubentry,
        connection: Connection,
        troubles: Troubles,
        telling: Telling,
        account_device: str,
    ) -> None:
        """Begin without having read it."""
        super().__init__(hass, entry, subentry, telling, account_device)
        self.connection = connection
        self.troubles = troubles
        self.turn = asyncio.Lock()
        """Whoever holds it speaks to the car; nobody else does."""
        self.watch = Watch()
        self._usual: frozenset[str] = frozenset()
        """The records that the car uses to tell."""
        self._gaps = 1
        """How often in a row it has not told all of them; at first it has told nothing."""
        self._freshness = Freshness()
        self._listing = Contact()
        self.is_other_car = False
        """Whether the service answers with another car under this car's id."""
        self._identified_at = -math.inf
        self.read_began = -math.inf
        """When the last successful live read began, by the monotonic clock."""

        self._look_lock = asyncio.Lock()
        self._look_began = self._look_ended = -math.inf
        """By the monotonic clock."""
        self.look_error: BaseException | None = None
        """Why the last read that the user asked for failed."""
        self._retry = Pause()
        self._closed = Pause()
        self._own_words: dict[str, Any] = {}
        """What the car itself has answered last, and the service's record of it may not know yet."""
        self._is_told = True
        """Whether the service's record of the car says in which state it is, and the car agrees."""
        self.told: dict[Aspect, Any] = {}
        """What besides fields was told last."""
        self.plan = self.look_ahead()
        """What the car is about, and when it is to be read next."""
        self.news()

    # When to read it

    def look_ahead(self) -> polling.Plan:
        """Make the plan for the next live read, and return it."""
        watch, settings = self.watch, self.settings
        watch.check_clock(dt_util.now())
        is_plugged_in = bool(self.data.charge_state.is_plugged_in)
        plan = polling.plan(
            polling.Situation(
                state=self._state,
                in_service=bool(self.data.in_service),
                activity=watch.activity,
                is_kept_awake=settings.is_kept_awake_plugged_in and is_plugged_in,
                last_read=watch.read_at,
                is_known=self._gaps not in _GAPS_BORNE,
                last_touch=watch.touched_at,
                woke_at=watch.woke_at,
                patience=watch.patience,
                watched_until=watch.watched_until,
                quiet=watch.habits.quiet,
                retry_at=max(self._retry.ends_at, self._closed.ends_at),
                intervals=settings.intervals,
                is_probed=self._is_probed,
            )
        )
        # A live read would keep the other car awake. The service's own record tells when this one is back.
        is_pointless = self.is_other_car and self.connection.is_probed
        self.plan = plan._replace(read_at=None) if is_pointless or self.is_disabled else plan
        return self.plan

    @property
    def _is_probed(self) -> bool:
        """Whether somebody else than the car can say when it woke."""
        return self.connection.is_probed and self._is_told

    @property
    def _state(self) -> str | None:
        # A word that nobody here knows is still another word than online; before any, the last one holds.
        return self.data.state or self.raw.get("state") or self.watch.state

    @override
    def news(self) -> set[Subject]:
        plan, watch, told = self.look_ahead(), self.watch, self.told
        self.told = {
            Aspect.MODE: plan.mode,
            # In Unix seconds
            Aspect.NEXT_READ: plan.read_at,
            # Hours, to a tenth
            Aspect.ASLEEP_TODAY: _rounded(watch.asleep_today(), 3600, 1),
            # Minutes
            Aspect.TIME_TO_FALL_ASLEEP: _rounded(watch.habits.need, 60, 0),
            Aspect.CHARGE_FINISH: charge_finish(self.data.charge_state, told.get(Aspect.CHARGE_FINISH)),
            Aspect.SESSION: self.meter.session_began,
        }
        return {aspect for aspect, new in self.told.items() if new != told.get(aspect)}

    async def read_now(self, *, afresh: bool = False) -> bool:
        """Read the car because the user wants to know, and return whether that succeeded.

        A sleeping car is left asleep. A call while another one is under way, or soon after it, waits for that
        read and returns its result. With `afresh`, it starts a read of its own.
        """
        asked_at = time.monotonic()
        async with self._look_lock:
            is_shared = self._look_ended >= asked_at or 0 <= asked_at - self._look_began < SAME_LOOK
            if afresh or not is_shared:
                began = time.monotonic()
                try:
                    await self._look_now()
                except HomeAssistantError as error:
                    self.look_error = error
                    self._look_began, self._look_ended = began, time.monotonic()
                    raise
                self._look_began, self._look_ended = began, time.monotonic()
            return self.look_error is None

    async def _look_now(self) -> None:
        self.look_error = None
        async with self.asked_by_a_person():
            if self.is_other_car or self.data.state != polling.ONLINE:
                await self.probe()
            if self.is_other_car and self.connection.is_probed:
                raise OtherVehicleError
            if self.data.state in (None, polling.ONLINE) or not self._is_probed:
                await self.async_refresh()
                if not self.last_update_success:
                    self.look_error = self.last_exception

    # What the service says of it

    @callback
    def note(self, record: dict[str, Any] | None) -> None:
        """Take what the cheap request says of this car, if it names it at all."""
        if record is None:
            if self.connection.is_probed:
                self.with_service.missed()
                self.review()
            self.tell(self.news())
            return
        try:
            self._check_identity(record)
        except OtherVehicleError:
            self.with_car.missed()
            self.review()
            self.tell(self.news())
            return
        self.with_service.heard()
        if not self.connection.client.wait:
            self._closed.end()
        self._listing.heard()
        self.troubles.listed(self.subentry_id)
        # Newer services name the embedded records here too, empty or not: of those the car itself tells.
        record = _with_state_in_words(
            {name: found for name, found in record.items() if found is not None and name not in _RECORDS}
        )
        contested = self._contested(record)
        record |= contested
        self._is_told = _STATE in record and not contested
        if _STATE in record:
            self._sighted(record[_STATE])
        vehicle = self.data.updated(record)
        self.raw = {**self.raw, **record}
        if self.number not in (vehicle.id, vehicle.id_s):
            self.number = vehicle.number or self.number
        if vehicle.state not in (polling.ONLINE, None):
            self.with_car.heard()
        self.show(vehicle)

    def _check_identity(self, record: Mapping[str, Any]) -> None:
        """Raise OtherVehicleError if a record is about another car, and report it as a repair.

        Services give the id of a car that left the account to another one.
        """
        self._identified_at = time.monotonic()
        if (is_same := is_same_car(Vehicle.vin.read(record), self.vin)) is None:
            # It says nothing: what is known of the id holds.
            is_same = not self.is_other_car
        was_other_car, self.is_other_car = self.is_other_car, not is_same
        if self.is_other_car:
            error = OtherVehicleError()
            self.troubles.heard(self.subentry_id, self.title, error)
            raise error
        if was_other_car:
            self.troubles.heard(self.subentry_id, self.title)

    async def identify(self) -> None:
        """Check that the id is still this car's, unless a recent answer has shown it. Ignores failures."""
        if time.monotonic() - self._identified_at < _IDENTITY_LASTS:
            return
        with suppress(ServiceError):
            if self.connection.has_records:
                await self.probe()
            else:
                self.show(await self.read())

    @callback
    def not_listed(self) -> None:
        """Take note that the service lists the cars without this one; after a while offer to remove it."""
        self._listing.missed()
        if self._listing.is_lost:
            self.troubles.not_listed(self.subentry_id, self.title)

    def _contested(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the car itself knows better: the service is the last to hear of it."""
        own = self._own_words if record.get(_STATE, polling.ONLINE) == polling.ONLINE else {}
        contested = {name: own[name] for name in own if record.get(name) in (polling.ONLINE, False)}
        self._own_words = {name: own[name] for name in own if name in contested or name not in record}
        return contested

    @callback
    def _sighted(self, state: str, refused_at: datetime | None = None) -> None:
        before = self.watch.state
        if refused_at is None:
            self.watch.sighted(state, dt_util.now())
        else:
            self.watch.refused(state, refused_at)
        if before not in (None, polling.ONLINE, state):
            # It is within reach again, so that what failed before may succeed.
            self._retry.end()
        # How long it slept changes all night.
        self.memory.changed(within=SELDOM if state == before else USUALLY)

    @callback
    def unheard_of(self, error: Exception) -> None:
        """Count a request for the whole account that told nothing, and perhaps none will any more."""
        self.with_service.missed(pause_after(error))
        if isinstance(error, ConfigEntryAuthFailed):
            self.with_service.give_up()
        if pause := pause_after(error):
            self._closed.extend(pause)
        self.review()
        self.tell(self.news())

    async def probe(self) -> None:
        """Ask which state the car is in, without asking the car."""
        if self.connection.has_records:
            self.note(await self.connection.record(self.number))

    @callback
    def is_being_called(self) -> None:
        """Let the service's record of the car count again: the car is told to wake.

        What failed before may then succeed.
        """
        self._own_words.pop(_STATE, None)
        self._retry.end()
        self.watch.called()
        self.tell(self.news())

    # What the car itself says

    @override
    async def _async_update_data(self) -> Vehicle:
        """Read the car live. Asleep, or in the workshop, is an answer too."""
        async with self.turn:
            try:
                return await self.read()
            except ServiceError as error:
                failure = translation(error, UpdateFailed)
                is_in_doubt = isinstance(error, AuthenticationError) and not error.is_confirmed
                self._could_not_read(failure, retry_in=CONFIRM_TOKEN_AFTER if is_in_doubt else None)
                raise failure from None
            except Exception as error:
                self._could_not_read(error)
                raise

    def _could_not_read(self, error: Exception, retry_in: float | None = None) -> None:
        self.with_car.missed(pause_after(error))
        if isinstance(error, ConfigEntryAuthFailed):
            self.with_car.give_up()
        if wait := self.connection.client.wait:
            self._closed.start(wait)
        else:
            self.watch.tried(dt_util.now())
            self._retry.start(retry_in or max(self._pause, pause_after(error)))
        self.review()
        self.tell(self.news())

    @property
    def _pause(self) -> float:
        """Seconds to wait after a failure: longer each time, in the end so long that the car may sleep."""
        is_in_use = self.watch.activity is not None
        tiring, longest = (
            (_FAILURES_TIRING_IN_USE, _RETRY_MOST_IN_USE) if is_in_use else (_FAILURES_TIRING, _RETRY_MOST)
        )
        if self.with_car.failures > tiring:
            return max(_RETRY_MOST, self.watch.habits.quiet)
        return polling.backoff(self.with_car.failures, longest, luck())

    async def read(self) -> Vehicle:
        """Return the vehicle as a live read tells. Whoever calls this holds the turn."""
        asked_at, began = dt_util.now(), time.monotonic()
        try:
            vehicle = self._said(await self._live(), asked_at)
        except AsleepError:
            return self._refused(Vehicle.state, await self._out_of_reach(), asked_at)
        except InServiceError:
            return self._refused(Vehicle.in_service, True, asked_at)
        self.read_began = began
        return vehicle

    async def _out_of_reach(self) -> str:
        """Return the state of a car that does not answer: asleep, unless the service calls it offline."""
        record = None
        with suppress(ServiceError):
            if self.connection.has_records:
                record = await self.connection.record(self.number)
        if record is not None:
            self._check_identity(record)
        state = _with_state_in_words(record or {}).get(_STATE)
        return polling.Mode.OFFLINE.value if state == polling.Mode.OFFLINE else polling.Mode.ASLEEP.value

    async def _live(self) -> dict[str, Any]:
        """Return what the car itself answers. Why it does not, only a person may be able to mend."""
        try:
            record = await self.connection.read(self.number)
            self._check_identity(record)
        except ServiceError as error:
            self.troubles.heard(self.subentry_id, self.title, error)
            raise
        self.troubles.heard(self.subentry_id, self.title)
        await self._telling.room()
        return record

    def _refused(self, field: Field[Any], answer: Any, asked_at: datetime) -> Vehicle:
        """Return the vehicle as its own refusal tells, which counts more than what others say of it."""
        self._answered()
        self._own_words[field.name] = answer
        self._sighted(answer if field is Vehicle.state else self.watch.state or polling.ONLINE, asked_at)
        return self.data.replacing(field, answer)

    def _answered(self) -> None:
        self._retry.end()
        self._closed.end()
        self._own_words = {}
        self.with_service.heard()
        self.with_car.heard()

    def _said(self, record: dict[str, Any], asked_at: datetime) -> Vehicle:
        """Return the vehicle as the car itself tells. One that answers is online, and not in the workshop."""
        self._answered()
        self._look_for_gaps(record)
        back = {Vehicle.in_service.name: False} if self.data.in_service else {}
        left_out = self.raw.keys() - record.keys()
        outer = {name: self.raw[name] for name in left_out if not isinstance(self.raw[name], dict)}
        record = {**outer, _STATE: polling.ONLINE, **back, **_with_state_in_words(record)}
        vehicle = self.data.renewed(record)
        for late in self._freshness.late(vehicle, self.data, dt_util.utcnow()):
            vehicle = vehicle.keeping(self.data, late)
            record[late] = self.raw.get(late)
        self.raw = record
        if vehicle.state in (None, polling.ONLINE):
            self.watch.heard(vehicle, self.data, self.changes(vehicle, self.data), asked_at)
        else:
            # Some services answer for a car that sleeps with what it said last.
            self._sighted(vehicle.state, asked_at)
        self._count(vehicle)
        return vehicle

    def is_fresh(self, field: Field[Any]) -> bool:
        """Return whether the car itself reported a field in the last live answer."""
        return self._freshness.is_fresh(field.path.partition(".")[0])

    def _look_for_gaps(self, record: Mapping[str, Any]) -> None:
        """Count an answer that lacks what the car uses to tell; what it lacks for good it uses to lack."""
        told = _records_in(record)
        self._gaps = 0 if self._usual <= told else self._gaps + 1
        self._usual = told if self._gaps not in _GAPS_BORNE else self._usual | told

    def _count(self, vehicle: Vehicle) -> None:
        """Count what was charged, and remember all of it."""
        began = self.meter.session_began
        self.meter = self.meter.after(vehicle, dt_util.utcnow())
        # A session that is remembered too late would be counted twice.
        self.memory.changed(within=USUALLY if self.meter.session_began == began else SOON)

    @callback
    def was_used(self) -> None:
        """Watch the car for a while: it was told something, and more is likely to come."""
        self.watch.used(dt_util.now())
        self.with_car.heard()

    # What an action asks for

    @asynccontextmanager
    async def asked_by_a_person(self) -> AsyncIterator[None]:
        """Raise what the client raises in words, and ask for a new token if it was the token.

        Whoever asked goes on when all that is known is shown.
        """
        try:
            with asked_by_a_person(self, self.config_entry):
                yield
        finally:
            await self._telling.finish()

    async def ask(self, endpoint: Endpoint) -> Any:
        """Return what an endpoint of this car answers, as it came. Raises HomeAssistantError, translated.

        What keeps the car awake begins its time of quiet anew, and renews nothing that is shown. Nothing is
        woken.
        """
        async with self.asked_by_a_person(), self.turn:
            if self.is_other_car:
                raise OtherVehicleError
            if endpoint in _TOUCHES_THE_CAR:
                self.watch.touched(dt_util.now())
                self.tell(self.news())
            return await self.connection.client.request(endpoint, self.number)

    async def ask_for_all(self) -> dict[str, Any]:
        """Return all that the car says now, as it came, and show it. Raises as `ask`; asleep is an error."""
        async with self.asked_by_a_person(), self.turn:
            if self.is_other_car:
                raise OtherVehicleError
            asked_at = dt_util.now()
            record = await self._live()
            self.show(self._said(record, asked_at))
            return record

    # Remembering

    @callback
    @override
    def take_up(self, kept: Mapping[str, Any]) -> None:
        super().take_up(kept)
        self._usual = _records_in(self.raw)
        self._gaps = 0 if self._usual else 1
        self.watch = Watch.from_json(kept.get("watch"), dt_util.now())
        self.news()

    @override
    def to_remember(self) -> dict[str, Any]:
        return {**super().to_remember(), "watch": self.watch.as_json()}


def _rounded(seconds: float | None, unit: float, digits: int) -> float | None:
    """Return seconds in a unit of so many, None if they are not known."""
    return None if seconds is None else round(seconds / unit, digits or None)


def _records_in(raw: Mapping[str, Any]) -> frozenset[str]:
    """Return which records of a car an answer really has."""
    return frozenset([name for name in _RECORDS if isinstance(raw.get(name), dict)])


def pause_after(error: Exception) -> float:
    """Return the seconds that a failure asks for before anybody tries again."""
    return (error.retry_after or 0.0) if isinstance(error, UpdateFailed) else 0.0


def _with_state_in_words(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with its state in small letters, or without one if it is no word."""
    known = dict(record)
    state = known.pop(_STATE, None)
    if isinstance(state, str) and (word := state.strip().lower()):
        known[_STATE] = word
    return known
