"""The account: the cheap request that serves all its vehicles, and what they have in common."""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
import math
import time
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_ID, EVENT_HOMEASSISTANT_STOP
from homeassistant.core import CALLBACK_TYPE, Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady, HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util

from .account.discovery import Car, vins_taken
from .account.issues import Troubles, forget_troubles
from .account.options import AccountSettings
from .account.service import CONFIRM_TOKEN_AFTER, Connection, open_service, translation
from .account.storage import SELDOM, SOON, Memory, forget
from .api.errors import ServiceError
from .api.records import Vehicle
from .api.value_types import COUNT, FLAG, NUMBER
from .const import CONF_BASE_URL, CONF_SIMULATOR, DOMAIN, LOGGER, SUBENTRY_VEHICLE
from .device_info import device_of_account
from .polling import policy as polling
from .vehicle.command_queue import Orders
from .vehicle.coordinator import SAME_LOOK, VehicleReading, pause_after
from .vehicle.listeners import Telling
from .vehicle.state import Aspect, luck, now

type VehicleConfigEntry = ConfigEntry[Account]

# While somebody else speaks to a car, it is not read; then this long until it is looked at again.
_BUSY: Final = 10.0
# Who has not answered by then shall not keep the other cars waiting.
_TIME_TO_ANSWER: Final = 5.0
_RETRY_MOST: Final = 300.0
_LONGEST_WAIT: Final = 86_400.0


class VehicleCoordinator(VehicleReading):
    """One vehicle: what is known of it, and the way commands take to it."""

    @cached_property
    def orders(self) -> Orders:
        """The commands to it."""
        return Orders(self)

    @cached_property
    def _looks(self) -> Debouncer[Coroutine[Any, Any, None]]:
        return Debouncer(
            self.hass, LOGGER, cooldown=SAME_LOOK, immediate=True, function=self._look, background=True
        )

    @callback
    def look_soon(self) -> None:
        """Read the car as a person would, because somebody has just done something to it."""
        self._looks.async_schedule_call()

    async def _look(self) -> None:
        # Nobody waits for this: what goes wrong is seen in the entities.
        with suppress(HomeAssistantError):
            await self.read_now(afresh=True)

    @callback
    @override
    def take_up(self, kept: Mapping[str, Any]) -> None:
        super().take_up(kept)
        if FLAG.read(kept.get("unconfirmed")):
            self.orders.resume()

    @override
    def to_remember(self) -> dict[str, Any]:
        return {**super().to_remember(), "unconfirmed": self.orders.is_unconfirmed}

    @override
    async def async_shutdown(self) -> None:
        """Cancel everything that is scheduled."""
        await super().async_shutdown()
        self._looks.async_shutdown()
        self.orders.forget_confirmations()


class Account(DataUpdateCoordinator[None]):
    """One account: its connection, its vehicles, and the request that tells which of them are awake."""

    config_entry: VehicleConfigEntry
    connection: Connection

    def __init__(self, hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
        """Prepare; `start` opens the service."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=entry.title,
            update_interval=timedelta(seconds=AccountSettings.of(entry.options).interval),
        )
        self.settings = AccountSettings.of(entry.options)
        self.vehicles: dict[str, VehicleCoordinator] = {}
        self.is_reachable: bool | None = None
        """Whether the service answered when it was last asked, be it with a no; None before that."""
        self.memory = Memory(hass, entry.entry_id, self._to_remember)
        self._asked_at = -math.inf
        """When the service was asked last, by the monotonic clock."""
        self._stop_confirming: CALLBACK_TYPE | None = None
        self._is_over = False
        self._wants_to_know = True
        self._is_at_work = False
        self._day = ""
        self._requests_before = 0
        self._loaded = _picture(entry)
        # The VINs that are no news; None before the service has listed any
        self._seen: set[str] | None = None
        self._troubles = Troubles(hass, entry)
        self._telling = Telling(hass)
        self._failures = 0
        self._pause = 0.0
        self._failure: UpdateFailed | None = None

    async def start(self) -> None:
        """Open the service and get to know the vehicles; wait for it only if nothing is remembered of one."""
        entry, kept = self.config_entry, await self.memory.recall()
        self.connection = Connection(*await open_service(self.hass, entry.data, kept.get(CONF_SIMULATOR)))
        if self.connection.simulator is not None:
            entry.async_on_unload(self.connection.simulator.stop)
        self.connection.client.on_doubt = self._confirm_token_soon
        # Accounts are not unloaded when Home Assistant stops.
        entry.async_on_unload(self.hass.bus.async_listen(EVENT_HOMEASSISTANT_STOP, self._stop))
        await self._take_up(kept)
        device = dr.async_get(self.hass).async_get_or_create(
            config_entry_id=entry.entry_id, **device_of_account(entry)
        )
        subentries = entry.get_subentries_of_type(SUBENTRY_VEHICLE)
        is_known = [await self._add(subentry, device.id) for subentry in subentries]
        if is_known and all(is_known):
            entry.async_create_background_task(self.hass, self.async_refresh(), f"{DOMAIN} first look")
            return
        try:
            await self.async_config_entry_first_refresh()
        except ConfigEntryNotReady:
            # A new car must not fail the setup of known ones.
            if not any(is_known) and not self.connection.client.is_token_in_doubt:
                raise
        if not any(is_known):
            if self.connection.client.is_token_in_doubt:
                await self._confirm_token_at_once()
            self._check_that_any_answers()

    async def _confirm_token_at_once(self) -> None:
        """Ask again after a 401 although no time has passed: until then, setup has nothing to show."""
        self.connection.client.confirm_next_refusal()
        self._wants_to_know = True
        await self.async_config_entry_first_refresh()
        for vehicle in self.vehicles.values():
            if not vehicle.last_update_success:
                await vehicle.async_refresh()

    def _check_that_any_answers(self) -> None:
        """Raise ConfigEntryNotReady if nobody has told anything of any car, and it is known why."""
        cars = self.vehicles.values()
        errors = [each.last_exception for each in cars if not each.raw and not each.last_update_success]
        if not errors or len(errors) < len(cars):
            return
        if isinstance(error := errors[0], ConfigEntryAuthFailed):
            raise error
        if isinstance(error, HomeAssistantError):
            raise ConfigEntryNotReady(
                translation_domain=error.translation_domain,
                translation_key=error.translation_key,
                translation_placeholders=error.translation_placeholders,
            )

    async def _stop(self, _event: Event) -> None:
        """End all that goes on; what is remembered is written by itself."""
        await self.async_shutdown()
        for vehicle in self.vehicles.values():
            await vehicle.async_shutdown()
        if self.connection.simulator is not None:
            await self.connection.simulator.stop()

    async def _add(self, subentry: ConfigSubentry, account_device: str) -> bool:
        """Add a vehicle, and return whether anything is remembered of it."""
        entry = self.config_entry
        vehicle = VehicleCoordinator(
            self.hass, entry, subentry, self.connection, self._troubles, self._telling, account_device
        )
        self.connection.client.conceal((vehicle.vin, vehicle.number))
        self.vehicles[subentry.subentry_id] = vehicle
        vehicle.listen((Vehicle.user_id,), self._identify)
        vehicle.listen((Aspect.NEXT_READ,), self._hasten)
        # It polls only while somebody listens.
        entry.async_on_unload(self.async_add_listener(vehicle.review))
        entry.async_on_unload(lambda: self._leave(vehicle))
        return await vehicle.recall()

    async def _leave(self, vehicle: VehicleCoordinator) -> None:
        """Remember a vehicle for the next start, unless it was removed."""
        if vehicle.is_here:
            await vehicle.memory.keep()
        else:
            forget_troubles(self.hass, vehicle.subentry_id)
            await vehicle.memory.forget()

    # When to ask what

    @override
    async def _async_update_data(self) -> None:
        """Ask the service which cars are awake, if the cars will not say so themselves; read those due."""
        self._begin_day()
        self._is_at_work, began = True, now()
        for vehicle in self.vehicles.values():
            vehicle.look_ahead()
        is_asked = self._wants_to_know or self._next[0] <= began + polling.EARLY
        try:
            if is_asked:
                self._failure = await self._ask_service()
            await self._read_those_due()
            # The other entry may be gone by now.
            self._identify()
        finally:
            self._is_at_work = False
            self._be_back()
        is_heard = any((vehicle.watch.read_at or 0.0) >= began for vehicle in self.vehicles.values())
        if is_heard and not is_asked:
            self._failure = None
        if self._failure is not None:
            # The same one again and again: it shall not collect where it has been.
            raise self._failure.with_traceback(None)
        if is_heard:
            self.is_reachable = True
        elif not self.connection.is_probed:
            self.is_reachable = self.connection.client.is_answered

    async def _read_those_due(self) -> None:
        """Read each car that is due, and wait for their answers, but not for the last of them."""
        reads = []
        for vehicle in self.vehicles.values():
            if polling.is_due(_plan_of(vehicle), now()):
                reading = self.config_entry.async_create_background_task(
                    self.hass, vehicle.async_refresh(), f"{DOMAIN} read"
                )
                reads.append(reading)
                # Whether the next one is due is seen after that: a person may have read it meanwhile.
                await self._telling.room()
        if reads:
            await asyncio.wait(reads, timeout=_TIME_TO_ANSWER)

    @callback
    def _confirm_token_soon(self) -> None:
        """Ask the service again a few seconds from now: a single 401 does not mean that the token is bad."""
        if self._stop_confirming is None and not self._is_over:
            self._stop_confirming = async_call_later(self.hass, CONFIRM_TOKEN_AFTER, self._confirm_token)

    async def _confirm_token(self, _moment: datetime) -> None:
        self._stop_confirming = None
        if self.connection.client.is_token_in_doubt:
            self._wants_to_know = True
            await self.async_refresh()

    async def look(self) -> None:
        """Ask the service now, because a person wants to know."""
        self._wants_to_know = True
        await self.async_request_refresh()

    async def _ask_service(self) -> UpdateFailed | None:
        """Ask which cars are awake, and return what went wrong: the cars may answer all the same.

        Raises ConfigEntryAuthFailed, because then nobody is to be asked any more.
        """
        self._wants_to_know, self._asked_at = False, time.monotonic()
        cars = {vehicle.vin: vehicle for vehicle in self.vehicles.values()}
        try:
            records = await self.connection.records(cars)
        except ServiceError as error:
            self._troubles.heard(self.config_entry.entry_id, "", error)
            return self._unanswered(translation(error, UpdateFailed))
        finally:
            self.is_reachable = self.connection.client.is_answered
        self._troubles.heard(self.config_entry.entry_id, "")
        for vehicle in self.vehicles.values():
            await self._telling.room()
            record = records.get(vehicle.vin) or records.get(vehicle.number)
            vehicle.note(record)
            if record is None and self.connection.is_listing:
                vehicle.not_listed()
        if self.connection.is_listing:
            self._announce(records)
        self._failures, self._pause = 0, 0.0
        return None

    @callback
    def _unanswered(self, error: HomeAssistantError) -> UpdateFailed:
        """Return what went wrong when the service was asked, unless nobody is to be asked any more."""
        for vehicle in self.vehicles.values():
            vehicle.unheard_of(error)
        if not isinstance(error, UpdateFailed):
            raise error from None
        self._failures += 1
        self._pause = max(polling.backoff(self._failures, _RETRY_MOST, luck()), pause_after(error))
        # When to come back is said here.
        error.retry_after = None
        return error

    @callback
    def _announce(self, records: Mapping[str, Mapping[str, Any]]) -> None:
        """Offer to add the cars that the account has got since it was first asked for them."""
        listed = {name: record for name, record in records.items() if name == record.get(Vehicle.vin.name)}
        if self._seen is None and not listed:
            # The car that was chosen from a list is in it: this one is not whole, and no other is new by it.
            return
        taken = vins_taken(self.hass)
        seen = (set(listed) if self._seen is None else self._seen) | (listed.keys() & taken)
        if seen != self._seen:
            self._seen = seen
            self.memory.changed(within=SOON)
        news = (Car.of(record) for vin, record in listed.items() if vin not in seen)
        self._troubles.new((car for car in news if car is not None), listed.keys() & taken)

    @property
    def _next(self) -> tuple[float, float]:
        """When to ask the service again, and when anything is due."""
        cars = [(_past(vehicle.watch.read_at), _plan_of(vehicle)) for vehicle in self.vehicles.values()]
        interval = max(self.settings.interval, self._pause)
        asked_at = _past(now() - (time.monotonic() - self._asked_at))
        return polling.next_question(asked_at, interval, cars)

    @callback
    def _be_back(self) -> None:
        """Come back when something is due, or too old to be shown."""
        expires_in = min((vehicle.expires_in for vehicle in self.vehicles.values()), default=math.inf)
        due_in = min(self._next[1] - now(), expires_in)
        self.update_interval = timedelta(seconds=max(due_in, polling.EARLY))

    @callback
    def _hasten(self) -> None:
        """Come back at another time than was thought: what happened to a car has changed its plan."""
        is_refused = isinstance(self.last_exception, ConfigEntryAuthFailed) and not self.last_update_success
        if not (self._is_at_work or self._is_over or is_refused):
            self._be_back()
            self._schedule_refresh()

    @callback
    @override
    def _async_refresh_finished(self) -> None:
        """Tell of every failure: Home Assistant's own way tells only of the first in a row."""
        if not self.last_update_success:
            self.async_update_listeners()

    # What is counted and remembered

    @property
    def is_over(self) -> bool:
        """Whether the account was unloaded."""
        return self._is_over

    @override
    async def async_shutdown(self) -> None:
        """Cancel everything that is scheduled."""
        self._is_over = True
        await super().async_shutdown()
        if self._stop_confirming is not None:
            self._stop_confirming()

    @property
    def requests_today(self) -> int:
        """How often the service has been asked since midnight, here and before a restart."""
        return self._requests_before + self.connection.client.requests

    @callback
    def _begin_day(self) -> None:
        """Count anew after midnight, as people here have it."""
        # The count of requests changes all the time and is worth little; that the service wants peace is not.
        self.memory.changed(within=SOON if self.connection.client.wait else SELDOM)
        if (day := dt_util.now().date().isoformat()) != self._day:
            self._day = day
            self._requests_before = -self.connection.client.requests

    async def _take_up(self, kept: Mapping[str, Any]) -> None:
        """Know again what was remembered."""
        self.config_entry.async_on_unload(self.memory.keep)
        self._day = dt_util.now().date().isoformat()
        if kept.get("day") == self._day:
            self._requests_before = COUNT.read(kept.get("requests")) or 0
        if kept.get(CONF_BASE_URL) == self.config_entry.data.get(CONF_BASE_URL):
            # The service's wish to be left alone is not over because we begin anew.
            wait = (NUMBER.read(kept.get("wait_until")) or 0.0) - now()
            # The clock may have been set back meanwhile.
            left_then = NUMBER.read(kept.get("wait"))
            longest = _LONGEST_WAIT if left_then is None else left_then
            self.connection.client.stay_away(min(wait, longest))
        if isinstance(seen := kept.get("seen"), list):
            self._seen = {each for each in seen if isinstance(each, str)}
        # A car may have been removed while nothing of the account was running.
        kept_of = kept.get("vehicles")
        known = [each for each in kept_of if isinstance(each, str)] if isinstance(kept_of, list) else []
        await forget(self.hass, *(each for each in known if each not in self.config_entry.subentries))

    def _to_remember(self) -> dict[str, Any]:
        return {
            "day": self._day,
            "requests": self.requests_today,
            "vehicles": list(self.vehicles),
            "seen": None if self._seen is None else sorted(self._seen),
            "wait_until": now() + self.connection.client.wait,
            "wait": self.connection.client.wait,
            CONF_BASE_URL: self.config_entry.data.get(CONF_BASE_URL),
            CONF_SIMULATOR: self.connection.simulator and self.connection.simulator.as_json(),
        }

    # Who it is

    @callback
    def _identify(self) -> None:
        """Set the account's unique id to the user's. Report a token of another user, or a duplicate entry."""
        entry = self.config_entry
        said = [vehicle.data.user_id for vehicle in self.vehicles.values()]
        user_id = next((each for each in said if each is not None), None)
        if user_id is None:
            return
        if entry.unique_id is not None:
            # A car that is shared with this account may name its owner, so one match is enough.
            is_known = entry.unique_id in said or None not in said
            if is_known and self.connection.simulator is None:
                self._troubles.other_account(is_other=entry.unique_id not in said)
            return
        other = self.hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, user_id)
        if other is None:
            self.hass.config_entries.async_update_entry(entry, unique_id=user_id)
        self._troubles.same_account(other)

    @callback
    def has_changed(self) -> bool:
        """Return whether what was loaded is out of date. A rename, or what can be set, does not count."""
        return _picture(self.config_entry) != self._loaded

    async def take_changes(self, hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
        """Set the account up again if what it runs on has changed; what can be set is taken as it runs."""
        if self.has_changed():
            hass.config_entries.async_schedule_reload(entry.entry_id)
            return
        self.settings = AccountSettings.of(entry.options)
        for vehicle in self.vehicles.values():
            vehicle.take_settings(entry.subentries[vehicle.subentry_id].data, self.settings)
        self._hasten()


def _plan_of(vehicle: VehicleReading) -> polling.Plan:
    """Return a car's plan; while somebody else speaks to it, it has to wait."""
    plan = vehicle.plan
    if plan.read_at is None or not vehicle.turn.locked():
        return plan
    return polling.Plan(plan.mode, max(plan.read_at, now() + _BUSY))


def _past(moment: float | None) -> float:
    """Return a moment; 0 if there was none, or it was only so before the clock was set back."""
    return moment if moment is not None and moment <= now() else 0.0


def _picture(entry: VehicleConfigEntry) -> tuple[Any, ...]:
    """Return what of an entry decides how it runs."""
    vehicles = {each.subentry_id: each.data[CONF_ID] for each in entry.subentries.values()}
    return dict(entry.data), vehicles
