"""The account and its vehicles: who is asked, when, and what is known of them.

One cheap request serves all cars of an account. A vehicle is read live only when `polling` says so, and told
only what a person or an automation asks for. Entities listen to the fields that they show.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field as dataclass_field
from datetime import datetime, timedelta
from typing import Any, Final, TypedDict, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_ID
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util

from . import polling
from .api.client import Client
from .api.commands import VEHICLE, VEHICLES, Command, Endpoint
from .api.errors import (
    AsleepError,
    AuthenticationError,
    InServiceError,
    InvalidValueError,
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    PositionUnknownError,
    RateLimitedError,
    RefusedError,
    ServiceDownError,
    ServiceError,
    UnloadedError,
    WakeUpTimeoutError,
)
from .api.field import Field
from .api.records import ChargeState, ClimateState, DriveState, Vehicle, VehicleConfig, VehicleState
from .const import (
    CONF_BASE_URL,
    CONF_SEED,
    CONF_SIMULATOR,
    CONF_SPEED,
    CONF_VEHICLES,
    CONF_VIN,
    DOMAIN,
    LOGGER,
    SUBENTRY_VEHICLE,
)
from .simulator import Clock, Simulator

type VehicleConfigEntry = ConfigEntry[Account]

_CHEAP_INTERVAL: Final = timedelta(seconds=60)
# A coordinator fires up to a second early; what is due by then is due.
_EARLY: Final = 1.0
_FAILURES_BORNE: Final = 3
_SILENCE_BORNE: Final = 900.0
_WAKE_UP_LIMIT: Final = 60.0
_WAKE_UP_PROBE: Final = 3.0
# The first shows soon whether the car obeyed; by the second, what moves has arrived.
_CONFIRM_AFTER: Final = (3.0, 15.0)
# Seconds within which two people who want to know get one answer
_SAME_LOOK: Final = 5.0
# Seconds for which a car's own answer counts more than the service's record of it
_OWN_WORD_COUNTS: Final = 300.0
_RETRY_MOST: Final = 600.0
_BUSES_RETRIES: Final = 3
_BUSES_PAUSE: Final = 5.0

_MODELS: Final = {
    "models": "Model S",
    "models2": "Model S",
    "lychee": "Model S",
    "modelx": "Model X",
    "tamarind": "Model X",
    "model3": "Model 3",
    "modely": "Model Y",
    "cybertruck": "Cybertruck",
}
_SHOWN_BY_DEVICE: Final = (
    Vehicle.display_name,
    VehicleState.vehicle_name,
    VehicleState.car_version,
    VehicleConfig.car_type,
    VehicleConfig.trim_badging,
)

# What a person did to the car: after it, more is likely to come.
_SIGNS_OF_USE: Final[frozenset[Field[Any]]] = frozenset(
    {
        ChargeState.charging_state,
        ChargeState.charge_port_door_open,
        ChargeState.conn_charge_cable,
        ClimateState.is_climate_on,
        DriveState.shift_state,
        VehicleState.df,
        VehicleState.dr,
        VehicleState.pf,
        VehicleState.pr,
        VehicleState.ft,
        VehicleState.rt,
        VehicleState.is_user_present,
        VehicleState.locked,
        VehicleState.sentry_mode,
    }
)


class _Words(TypedDict):
    translation_domain: str
    translation_key: str
    translation_placeholders: dict[str, str]


@contextmanager
def translated(kind: type[HomeAssistantError]) -> Iterator[None]:
    """Raise what the client raises as Home Assistant's own error, in words for a person."""
    try:
        yield
    except ServiceError as error:
        words: _Words = {
            "translation_domain": DOMAIN,
            "translation_key": error.key,
            "translation_placeholders": dict(error.placeholders),
        }
        if isinstance(error, InvalidValueError):
            raise ServiceValidationError(**words) from None
        if isinstance(error, AuthenticationError) and kind is UpdateFailed:
            raise ConfigEntryAuthFailed(**words) from None
        if isinstance(error, RateLimitedError) and kind is UpdateFailed:
            raise UpdateFailed(retry_after=error.retry_after, **words) from None
        raise kind(**words) from None


@callback
def client_for(hass: HomeAssistant, data: Mapping[str, Any]) -> Client:
    """Return the client for an address and a token."""
    return Client(async_get_clientsession(hass), data[CONF_BASE_URL], data[CONF_ACCESS_TOKEN])


async def open_service(hass: HomeAssistant, data: Mapping[str, Any]) -> tuple[Client, Simulator | None]:
    """Return the client for an account's data, and for a simulated account the service that it speaks to."""
    if (settings := data.get(CONF_SIMULATOR)) is None:
        return client_for(hass, data), None
    simulator = Simulator(
        vehicles=int(settings[CONF_VEHICLES]),
        seed=int(settings[CONF_SEED]),
        clock=Clock(speed=float(settings[CONF_SPEED])),
    )
    address = {CONF_BASE_URL: await simulator.start(), CONF_ACCESS_TOKEN: simulator.token}
    return client_for(hass, address), simulator


class _Contact:
    """How long somebody has been silent. Silence is borne for a while, sleep is no silence."""

    def __init__(self) -> None:
        """Begin as if just heard."""
        self.heard()

    def heard(self) -> None:
        """Forget all silence."""
        self.failures, self._last = 0, _now()

    def missed(self) -> None:
        """Count a question that was not answered."""
        self.failures += 1

    def give_up(self) -> None:
        """Expect nothing more: nobody asks until a person has mended it."""
        self.failures, self._last = _FAILURES_BORNE, 0.0

    @property
    def is_lost(self) -> bool:
        """Whether what was heard is too old to be shown."""
        return self.failures >= _FAILURES_BORNE and _now() - self._last >= _SILENCE_BORNE


@dataclass
class _Wish:
    """A command that waits or runs, for all who asked for it."""

    values: dict[str, Any] = dataclass_field(default_factory=dict)
    waiting: int = 0
    is_done: bool = False
    error: ServiceError | None = None


class Account(DataUpdateCoordinator[None]):
    """One account: its client, its vehicles, and the cheap request that tells which of them are awake."""

    config_entry: VehicleConfigEntry
    client: Client
    simulator: Simulator | None = None

    def __init__(self, hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
        """Prepare; the first refresh opens the service."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=entry.title,
            update_interval=_CHEAP_INTERVAL,
        )
        self.vehicles: dict[str, VehicleCoordinator] = {}
        self._reads: tuple[Callable[[str], Awaitable[dict[str, Any]]], ...] = ()
        self.has_list = True
        self.has_records = True
        # What has worked once is there; a 404 is then a failure and not a lack.
        self._worked: set[Endpoint] = set()
        self._loaded = _picture(entry)

    @override
    async def _async_setup(self) -> None:
        """Open the service and get to know the vehicles."""
        self.client, self.simulator = await open_service(self.hass, self.config_entry.data)
        self._reads = (self.client.vehicle_data, self.client.data, self.client.data_requests)
        if self.simulator is not None:
            self.config_entry.async_on_unload(self.simulator.stop)
        for subentry in self.config_entry.get_subentries_of_type(SUBENTRY_VEHICLE):
            vehicle = VehicleCoordinator(self, subentry)
            self.vehicles[subentry.subentry_id] = vehicle
            # It polls only while somebody listens.
            self.config_entry.async_on_unload(self.async_add_listener(vehicle.review))

    @override
    async def _async_update_data(self) -> None:
        """Ask the service which cars are awake, then read those that are due."""
        try:
            with translated(UpdateFailed):
                records = await self._records()
        except (UpdateFailed, ConfigEntryAuthFailed) as error:
            for vehicle in self.vehicles.values():
                vehicle.unheard_of(for_good=isinstance(error, ConfigEntryAuthFailed))
            raise
        for vehicle in self.vehicles.values():
            vehicle.note(records.get(vehicle.vin) or records.get(vehicle.number))
        await asyncio.gather(*(vehicle.read_if_due() for vehicle in self.vehicles.values()))

    async def _records(self) -> dict[str, dict[str, Any]]:
        """Return the vehicles' own records by VIN and by id: from the list, else one by one, else none."""
        if self.has_list:
            try:
                listed = await self.client.vehicles()
            except NotFoundError:
                if VEHICLES in self._worked:
                    raise
                self.has_list = False
            else:
                self._worked.add(VEHICLES)
                return {str(name): each for each in listed for name in (each.get("vin"), each.get("id"))}
        records: dict[str, dict[str, Any]] = {}
        for vehicle in self.vehicles.values() if self.has_records else ():
            if (record := await self.record(vehicle)) is not None:
                records[vehicle.vin] = record
        return records

    @property
    def is_probed(self) -> bool:
        """Whether the service tells which cars are awake without asking the cars."""
        return self.has_list or self.has_records

    async def record(self, vehicle: VehicleCoordinator) -> dict[str, Any] | None:
        """Return a vehicle's own record, which does not touch the car; None if there is none to be had.

        What is wrong with one car's record is no other car's concern; what is wrong with the account is.
        """
        try:
            record = await self.client.vehicle(vehicle.number)
        except AuthenticationError, RateLimitedError:
            raise
        except NotFoundError:
            self.has_records = VEHICLE in self._worked
            return None
        except ServiceError:
            return None
        self._worked.add(VEHICLE)
        return record

    async def read(self, number: str) -> dict[str, Any]:
        """Return all that a car says, by the best kind of read that the service has."""
        reads = self._reads
        for place, read in enumerate(reads):
            try:
                record = await read(number)
            except NotFoundError:
                continue
            # What has worked once is what this service has: nothing else is asked for again.
            self._reads = reads[place : place + 1]
            return record
        raise NotFoundError

    @callback
    def identify(self, user_id: str | None) -> None:
        """Learn whose account it is, from the first read that says so."""
        entry = self.config_entry
        if user_id is None or entry.unique_id is not None:
            return
        if self.hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, user_id) is None:
            self.hass.config_entries.async_update_entry(entry, unique_id=user_id)

    @callback
    def has_changed(self) -> bool:
        """Return whether what was loaded is out of date. A rename, or what we learned, does not count."""
        return _picture(self.config_entry) != self._loaded


def _picture(entry: VehicleConfigEntry) -> tuple[Any, ...]:
    """Return what of an entry decides how it runs."""
    vehicles = {each.subentry_id: dict(each.data) for each in entry.subentries.values()}
    return dict(entry.data), dict(entry.options), vehicles


class VehicleCoordinator(DataUpdateCoordinator[Vehicle]):
    """One vehicle: what is known of it, its live reads, and the way commands take to it."""

    config_entry: VehicleConfigEntry

    def __init__(self, account: Account, subentry: ConfigSubentry) -> None:
        """Begin knowing nothing but who it is."""
        super().__init__(
            account.hass,
            LOGGER,
            config_entry=account.config_entry,
            name=subentry.title,
        )
        self.account = account
        self.subentry_id = subentry.subentry_id
        self.title = subentry.title
        self.vin: str = subentry.data[CONF_VIN]
        self.number: str = subentry.data[CONF_ID]
        self.data = Vehicle.parse({})
        self.raw: dict[str, Any] = {}
        """The service's own words, with what nobody here has heard of."""

        self._turn = asyncio.Lock()
        self._listening: dict[Field[Any] | None, list[CALLBACK_TYPE]] = {}
        self._told = self.data
        self._told_available = True

        self._last_read: float | None = None
        self._last_look = 0.0
        self._last_wake = 0.0
        self._last_change = _now()
        self._retry_at = 0.0
        self._not_before = 0.0
        self._wake_failed_at = 0.0
        self._with_service = _Contact()
        self._with_car = _Contact()
        self._wishes: dict[Command, _Wish] = {}
        self._confirmations: list[CALLBACK_TYPE] = []
        self.listen(_SHOWN_BY_DEVICE, self._renew_device)
        account.config_entry.async_on_unload(self._forget_confirmations)

    # What is known, and who wants to know

    @property
    def is_available(self) -> bool:
        """Whether what is known may still be shown: silence is borne for a while, sleep for ever."""
        return not (self._with_service.is_lost or self._with_car.is_lost)

    @callback
    def listen(self, fields: Iterable[Field[Any]], update: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `update` when one of the fields has changed, or whether anything can be shown at all."""
        groups = [self._listening.setdefault(field, []) for field in (None, *fields)]
        for group in groups:
            group.append(update)

        def leave() -> None:
            for group in groups:
                group.remove(update)

        return leave

    @callback
    @override
    def async_update_listeners(self) -> None:
        """Tell those whose fields have changed, and nobody else; after unloading, nobody."""
        if self._shutdown_requested:
            return
        changed: set[Field[Any] | None] = set(self.data.changed_since(self._told))
        self._told = self.data
        if self._told_available is not self.is_available:
            self._told_available = self.is_available
            changed.add(None)
        for update in dict.fromkeys(each for field in changed for each in self._listening.get(field, ())):
            try:
                update()
            except Exception:  # noqa: BLE001 # One entity's fault is nobody else's.
                LOGGER.exception("An entity of %s could not take what is new", self.name)

    @callback
    def review(self) -> None:
        """Tell the entities if what is known can no longer, or again, be shown."""
        if self._told_available is not self.is_available:
            self.async_update_listeners()

    @property
    def device(self) -> dr.DeviceInfo:
        """The car as a device of Home Assistant."""
        config = self.data.vehicle_config
        trim = (config.trim_badging or "").upper()
        model = _MODELS.get((config.car_type or "").lower(), config.car_type)
        version, _, _build = (self.data.vehicle_state.car_version or "").partition(" ")
        device = dr.DeviceInfo(
            identifiers={(DOMAIN, self.vin)},
            name=self.data.name or self.title,
            serial_number=self.vin,
        )
        # What is not known now may be known to the device's page from before.
        if model:
            device["model"] = f"{model} {trim}".strip()
            device["model_id"] = config.car_type
        if version:
            device["sw_version"] = version
        return device

    @callback
    def _renew_device(self) -> None:
        """Keep the device's page right: the software changes, and what is known of the model grows."""
        dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.config_entry.entry_id,
            config_subentry_id=self.subentry_id,
            **self.device,
        )

    # Reading

    @callback
    def note(self, record: dict[str, Any] | None) -> None:
        """Take what the cheap request says of this car, if it names it at all."""
        if record is None:
            if self.account.is_probed:
                self._with_service.missed()
                self.review()
            return
        self._with_service.heard()
        # Newer services name the embedded records in the list too, and leave them empty.
        record = {name: found for name, found in record.items() if found is not None}
        if _now() < self._not_before and record.get("state") == "online":
            # The car itself has just answered that it is not: the service is the last to hear of it.
            del record["state"]
        vehicle = self.data.updated(record)
        self.raw = {**self.raw, **record}
        self.number = vehicle.number or self.number
        if vehicle.state == "online" and self.data.state == "asleep":
            self._last_wake = _now()
        if vehicle.state not in ("online", None):
            self._with_car.heard()
        self._show(vehicle)

    @callback
    def unheard_of(self, *, for_good: bool) -> None:
        """Count a request for the whole account that told nothing, and perhaps none will any more."""
        self._with_service.missed()
        if for_good:
            self._with_service.give_up()
        self.review()

    def _show(self, vehicle: Vehicle) -> None:
        self.data = vehicle
        self.async_update_listeners()

    @property
    def plan(self) -> polling.Plan:
        """What the car is about, and when it is to be read next."""
        return polling.plan(
            polling.Situation(
                # A word that nobody here knows is still another word than online.
                state=self.data.state or self.raw.get("state") or None,
                in_service=bool(self.data.in_service),
                activity=_activity(self.data),
                last_read=self._last_read,
                last_wake=self._last_wake,
                last_change=self._last_change,
                is_probed=self.account.is_probed,
            )
        )

    async def read_if_due(self) -> None:
        """Read the car live if it is time. While a command is under way, that one reads."""
        due = self.plan.read_at
        if due is None or self._turn.locked():
            return
        if max(due, self._retry_at) <= _now() + _EARLY:
            await self.async_refresh()

    async def read_now(self) -> None:
        """Read the car because a person wants to know. One that sleeps is left asleep.

        Whoever asks at the same time for another entity of the car gets the same answer.
        """
        if _now() - self._last_look < _SAME_LOOK:
            return
        self._last_look = _now()
        if self.data.state != "online":
            with translated(HomeAssistantError):
                await self._probe()
        if self.data.state in (None, "online") or not self.account.is_probed:
            await self.async_refresh()

    @override
    async def _async_update_data(self) -> Vehicle:
        """Read the car live. Asleep, or in the workshop, is an answer too."""
        async with self._turn:
            try:
                with translated(UpdateFailed):
                    return await self._read()
            except (UpdateFailed, ConfigEntryAuthFailed) as error:
                self._with_car.missed()
                if isinstance(error, ConfigEntryAuthFailed):
                    self._with_car.give_up()
                self._retry_at = _now() + min(polling.DENSE * 2 ** (self._with_car.failures - 1), _RETRY_MOST)
                self.review()
                raise

    async def _read(self) -> Vehicle:
        asked_at = _now()
        try:
            record = await self.account.read(self.number)
        except AsleepError:
            vehicle = self._away(Vehicle.state, "asleep")
        except InServiceError:
            vehicle = self._away(Vehicle.in_service, value=True)
        else:
            vehicle = self._said(record)
        self._last_read = asked_at
        self._with_car.heard()
        if not _SIGNS_OF_USE.isdisjoint(vehicle.changed_since(self.data)):
            self._last_change = _now()
        return vehicle

    def _away(self, field: Field[Any], value: Any) -> Vehicle:
        """Return the vehicle as the car's own refusal tells, which counts more than what others say of it."""
        self._not_before = _now() + _OWN_WORD_COUNTS
        return self.data.replacing(field, value)

    def _said(self, record: dict[str, Any]) -> Vehicle:
        """Return the vehicle as the car itself tells. One that answers is online, and not in the workshop."""
        self._not_before = 0.0
        record = {"state": "online", **({"in_service": False} if self.data.in_service else {}), **record}
        self.raw = {**self.raw, **record}
        vehicle = self.data.updated(record, whole=True)
        if self.data.state == "asleep":
            self._last_wake = _now()
        self.account.identify(vehicle.user_id)
        return vehicle

    async def _probe(self) -> None:
        """Ask which state the car is in, without asking the car."""
        if self.account.has_records:
            self.note(await self.account.record(self))

    # Telling the car what to do

    @callback
    def wished[T](self, field: Field[T]) -> T | None:
        """Return what a field is going to be: what a waiting command sets it to, or what it is."""
        for command, wish in self._wishes.items():
            expected = command.expected(self.data, command.completed(self.data, wish.values))
            if field in expected:
                value: T | None = expected[field]
                return value
        return field.of(self.data)

    async def send(
        self, command: Command, then: Mapping[Field[Any], Any] | None = None, **values: Any
    ) -> None:
        """Send a command, waking the car if need be, and show at once what it brings about.

        `then` adds what the table cannot know: what this use of the command brings about. One command is
        under way at a time, in the order in which they were asked for; a setpoint that waits already takes
        the newer value along. Raises HomeAssistantError, translated.
        """
        with translated(HomeAssistantError):
            asked_at = _now()
            wish = self._wishes.get(command) or _Wish()
            command.query(command.completed(self.data, {**wish.values, **values}), partly=True)
            wish.values |= values
            wish.waiting += 1
            if command.is_setpoint:
                self._wishes[command] = wish
            try:
                async with self._turn:
                    if not wish.is_done:
                        await self._fulfil(command, then or {}, wish, asked_at)
            finally:
                wish.waiting -= 1
                if not wish.waiting:
                    self._take(command, wish)
            if wish.error is not None:
                raise wish.error

    def _take(self, command: Command, wish: _Wish) -> None:
        """Let no more values be added to a wish."""
        if self._wishes.get(command) is wish:
            del self._wishes[command]

    async def _fulfil(
        self, command: Command, then: Mapping[Field[Any], Any], wish: _Wish, asked_at: float
    ) -> None:
        wish.is_done = True
        try:
            if self._wake_failed_at > asked_at:
                # It waited for the same wake that has just failed.
                raise WakeUpTimeoutError
            await self._send(command, then, wish)
        except asyncio.CancelledError:
            # Whoever gave up speaks for nobody else who waits for it.
            wish.is_done = False
            raise
        except ServiceError as error:
            wish.error = error
            if isinstance(error, AuthenticationError):
                self.config_entry.async_start_reauth(self.hass)
            if isinstance(error, OutcomeUnknownError):
                self._confirm_soon()
        finally:
            self._take(command, wish)

    async def wake_up(self) -> None:
        """Wake the car because a person wants it awake, whatever is believed of it."""
        with translated(HomeAssistantError):
            async with self._turn:
                await self._rouse()

    async def _send(self, command: Command, then: Mapping[Field[Any], Any], wish: _Wish) -> None:
        deadline = _now() + _WAKE_UP_LIMIT
        if self.data.state != "online":
            await self._rouse()
        while True:
            if command.toggles and not await self._is_needed(then):
                return
            # Until here, while the car woke, newer values could still come along.
            self._take(command, wish)
            values = await self._complete(command, wish.values)
            try:
                did_anything = await self._deliver(command, values)
                break
            except AsleepError:
                # It fell asleep since it was last heard of, so it has not heard the command either.
                if _now() >= deadline:
                    raise
            self._show(self.data.replacing(Vehicle.state, "asleep"))
            await self._rouse(is_awake_elsewhere=True)
        self._last_change = _now()
        self._with_car.heard()
        if did_anything:
            vehicle = self.data
            for field, value in {**command.expected(vehicle, values), **then}.items():
                vehicle = vehicle.replacing(field, value)
            self._show(vehicle)
            self._confirm_soon()
        else:
            await self._look_again()

    async def _look_again(self) -> None:
        """Show what the car says, after it said that it was so already, whatever was believed of it.

        The command is settled all the same if this read fails; then a later one tells.
        """
        try:
            self._show(await self._read())
        except ServiceError:
            self._confirm_soon()

    async def _complete(self, command: Command, values: dict[str, Any]) -> dict[str, Any]:
        """Fill in what is not to change. Where that is not known, the car is asked; else all get the same."""
        complete = command.completed(self.data, values)
        if None in complete.values():
            self._show(await self._read())
            complete = command.completed(self.data, values)
        given = next(iter(values.values()), None)
        return {name: given if value is None else value for name, value in complete.items()}

    async def _is_needed(self, then: Mapping[Field[Any], Any]) -> bool:
        """Read whether a toggle would bring things about, or undo them. Only a fresh answer tells."""
        self._show(await self._read())
        if self.data.state != "online":
            await self._rouse(is_awake_elsewhere=True)
            self._show(await self._read())
        if self.data.in_service:
            raise InServiceError
        found = [(field.of(self.data), value) for field, value in then.items()]
        if self.data.state != "online" or any(now is None for now, _ in found):
            raise PositionUnknownError
        return any(now != value for now, value in found)

    async def _deliver(self, command: Command, values: dict[str, Any]) -> bool:
        """Send it; again only if the car's own network slept, because then nothing has heard it."""
        for _ in range(_BUSES_RETRIES):
            self._check_still_here()
            try:
                return await self.account.client.send(self.number, command, **values)
            except RefusedError as error:
                if error.detail != "could_not_wake_buses":
                    raise
            await asyncio.sleep(_BUSES_PAUSE)
        self._check_still_here()
        return await self.account.client.send(self.number, command, **values)

    def _check_still_here(self) -> None:
        if self._shutdown_requested:
            raise UnloadedError

    async def _rouse(self, *, is_awake_elsewhere: bool = False) -> None:
        """Call the car and wait until it is online. Raises WakeUpTimeoutError after a minute.

        `is_awake_elsewhere`: the service believes the car to be online although the car itself does not
        answer; a look at what the service believes comes only after a while.
        """
        deadline = _now() + _WAKE_UP_LIMIT
        self._not_before = 0.0
        is_called = await self._call()
        if is_awake_elsewhere:
            self._show(self.data.replacing(Vehicle.state, "asleep"))
        while self.data.state != "online":
            if _now() >= deadline:
                self._wake_failed_at = _now()
                raise WakeUpTimeoutError
            await asyncio.sleep(_WAKE_UP_PROBE)
            self._check_still_here()
            if is_called and self.account.has_records:
                await self._probe()
            else:
                is_called = await self._call()

    async def _call(self) -> bool:
        """Call the car, and return whether the service took it. A failure is no reason to give up at once."""
        try:
            self.note(await self.account.client.wake_up(self.number))
        except AsleepError, ServiceDownError, MalformedAnswerError:
            return False
        return True

    @callback
    def _confirm_soon(self) -> None:
        """Read the car some seconds from now: what it says then is what counts."""
        self._forget_confirmations()
        if self._shutdown_requested:
            return
        self._confirmations = [async_call_later(self.hass, delay, self._confirm) for delay in _CONFIRM_AFTER]

    async def _confirm(self, _moment: datetime) -> None:
        await self.async_refresh()

    @callback
    def _forget_confirmations(self) -> None:
        while self._confirmations:
            self._confirmations.pop()()


def _now() -> float:
    return dt_util.utcnow().timestamp()


def _activity(vehicle: Vehicle) -> polling.Mode | None:
    """Return what keeps the car awake whether it is read or not."""
    body, climate = vehicle.vehicle_state, vehicle.climate_state
    if vehicle.drive_state.shift_state in ("d", "r", "n"):
        return polling.Mode.DRIVING
    if vehicle.charge_state.charging_state in ("starting", "charging"):
        return polling.Mode.CHARGING
    signs = (
        body.is_user_present,
        body.sentry_mode,
        body.remote_start,
        climate.is_climate_on,
        climate.climate_keeper_mode in ("on", "dog", "camp"),
        *(body.df, body.dr, body.pf, body.pr, body.ft, body.rt),
    )
    return polling.Mode.IN_USE if any(signs) else None
