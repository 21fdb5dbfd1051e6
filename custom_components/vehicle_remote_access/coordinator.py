"""The account and its vehicles: who is asked, when, and what is known of them.

One cheap request serves all cars of an account. A vehicle is read live only when `polling` says so, and told
only what a person or an automation asks for. Entities listen to the fields that they show.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
from .api.commands import Command
from .api.errors import (
    AsleepError,
    AuthenticationError,
    InServiceError,
    InvalidValueError,
    NotFoundError,
    OutcomeUnknownError,
    PositionUnknownError,
    RateLimitedError,
    RefusedError,
    ServiceDownError,
    ServiceError,
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
        except UpdateFailed:
            for vehicle in self.vehicles.values():
                vehicle.missed()
            raise
        for vehicle in self.vehicles.values():
            vehicle.note(records.get(vehicle.vin) or records.get(vehicle.number))
        await asyncio.gather(*(vehicle.read_if_due() for vehicle in self.vehicles.values()))

    async def _records(self) -> dict[str, dict[str, Any]]:
        """Return the vehicles' own records by VIN and by id: from the list, else one by one, else none."""
        if self.has_list:
            try:
                return {
                    str(name): record
                    for record in await self.client.vehicles()
                    for name in (record.get("vin"), record.get("id"))
                }
            except NotFoundError:
                self.has_list = False
        records: dict[str, dict[str, Any]] = {}
        if self.has_records:
            for vehicle in self.vehicles.values():
                with suppress(NotFoundError):
                    records[vehicle.vin] = await self.client.vehicle(vehicle.number)
            self.has_records = bool(records)
        return records

    async def read(self, number: str) -> dict[str, Any]:
        """Return all that a car says, by the best kind of read that the service has."""
        reads = self._reads
        for place, read in enumerate(reads):
            try:
                record = await read(number)
            except NotFoundError:
                continue
            # What this service lacks is not asked for again.
            self._reads = reads[place:]
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
        self._last_change = _now()
        self._last_contact = _now()
        self._failures = 0
        self._confirmations: list[CALLBACK_TYPE] = []
        self.listen(_SHOWN_BY_DEVICE, self._renew_device)
        account.config_entry.async_on_unload(self._forget_confirmations)

    # What is known, and who wants to know

    @property
    def is_available(self) -> bool:
        """Whether what is known may still be shown: silence is borne for a while, sleep for ever."""
        return self._failures < _FAILURES_BORNE or _now() - self._last_contact < _SILENCE_BORNE

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
        """Tell those whose fields have changed, and nobody else."""
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
        return dr.DeviceInfo(
            identifiers={(DOMAIN, self.vin)},
            name=self.data.name or self.title,
            model=f"{model} {trim}".strip() if model else None,
            model_id=config.car_type,
            serial_number=self.vin,
            sw_version=version or None,
        )

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
            if self.account.has_list:
                self.missed()
            return
        vehicle = self.data.updated(record)
        # Newer services name the embedded records in the list too, and leave them empty.
        self.raw |= {
            name: value for name, value in record.items() if value is not None or name not in self.raw
        }
        self.number = vehicle.number or self.number
        if vehicle.state == "online" and self.data.state != "online":
            self._last_change = _now()
        if vehicle.state != "online" or self.last_update_success:
            self._heard()
        self._show(vehicle)

    @callback
    def missed(self) -> None:
        """Count a request that should have told something of this car and did not."""
        self._failures += 1
        self.review()

    def _heard(self) -> None:
        self._failures = 0
        self._last_contact = _now()

    def _show(self, vehicle: Vehicle) -> None:
        self.data = vehicle
        self.async_update_listeners()

    @property
    def plan(self) -> polling.Plan:
        """What the car is about, and when it is to be read next."""
        return polling.plan(
            polling.Situation(
                state=self.data.state,
                in_service=bool(self.data.in_service),
                activity=_activity(self.data),
                last_read=self._last_read,
                last_change=self._last_change,
                is_probed=self.account.has_list or self.account.has_records,
            )
        )

    async def read_if_due(self) -> None:
        """Read the car live if it is time. While a command is under way, that one reads."""
        due = self.plan.read_at
        if due is not None and due <= _now() + _EARLY and not self._turn.locked():
            await self.async_refresh()

    async def read_now(self) -> None:
        """Read the car because a person wants to know. One that sleeps is left asleep."""
        if self.data.state != "online":
            with translated(HomeAssistantError):
                await self._probe()
        if self.data.state not in ("asleep", "offline"):
            await self.async_refresh()

    @override
    async def _async_update_data(self) -> Vehicle:
        """Read the car live. Asleep, or in the workshop, is an answer too."""
        async with self._turn:
            try:
                with translated(UpdateFailed):
                    return await self._read()
            except UpdateFailed:
                self.missed()
                raise

    async def _read(self) -> Vehicle:
        self._last_read = _now()
        try:
            record = await self.account.read(self.number)
        except AsleepError:
            vehicle = self.data.replacing(Vehicle.state, "asleep")
        except InServiceError:
            vehicle = self.data.replacing(Vehicle.in_service, value=True)
        else:
            vehicle = self.data.updated(record, whole=True)
            self.raw = {**self.raw, **record}
            self.account.identify(vehicle.user_id)
        self._heard()
        if not _SIGNS_OF_USE.isdisjoint(vehicle.changed_since(self.data)):
            self._last_change = _now()
        return vehicle

    async def _probe(self) -> None:
        """Ask which state the car is in, without asking the car."""
        if self.account.has_records:
            try:
                self.note(await self.account.client.vehicle(self.number))
            except NotFoundError:
                self.account.has_records = False

    # Telling the car what to do

    async def send(
        self, command: Command, then: Mapping[Field[Any], Any] | None = None, **values: Any
    ) -> None:
        """Send a command, waking the car if need be, and show at once what it brings about.

        `then` adds what the table cannot know: what this use of the command brings about. One command is
        under way at a time, in the order in which they were asked for. Raises HomeAssistantError, translated.
        """
        with translated(HomeAssistantError):
            command.query(values)
            async with self._turn:
                try:
                    await self._send(command, then or {}, values)
                except AuthenticationError:
                    self.config_entry.async_start_reauth(self.hass)
                    raise
                except OutcomeUnknownError:
                    self._confirm_soon()
                    raise

    async def wake_up(self) -> None:
        """Wake the car because a person wants it awake, whatever is believed of it."""
        with translated(HomeAssistantError):
            async with self._turn:
                await self._rouse()

    async def _send(self, command: Command, then: Mapping[Field[Any], Any], values: dict[str, Any]) -> None:
        await self._wake()
        if command.toggles and not await self._is_needed(then):
            return
        try:
            await self._deliver(command, values)
        except AsleepError:
            # It fell asleep since it was last heard of, so it has not heard the command either.
            self._show(self.data.replacing(Vehicle.state, "asleep"))
            await self._wake()
            await self._deliver(command, values)
        vehicle = self.data
        for field, value in {**command.expected(vehicle, values), **then}.items():
            vehicle = vehicle.replacing(field, value)
        self._last_change = _now()
        self._heard()
        self._show(vehicle)
        self._confirm_soon()

    async def _is_needed(self, then: Mapping[Field[Any], Any]) -> bool:
        """Read whether a toggle would bring things about, or undo them."""
        self._show(await self._read())
        found = [(field.of(self.data), value) for field, value in then.items()]
        if any(now is None for now, _ in found):
            raise PositionUnknownError
        return any(now != value for now, value in found)

    async def _deliver(self, command: Command, values: dict[str, Any]) -> None:
        """Send it; again only if the car's own network slept, because then nothing has heard it."""
        for _ in range(_BUSES_RETRIES):
            try:
                return await self.account.client.send(self.number, command, **values)
            except RefusedError as error:
                if error.detail != "could_not_wake_buses":
                    raise
            await asyncio.sleep(_BUSES_PAUSE)
        return await self.account.client.send(self.number, command, **values)

    async def _wake(self) -> None:
        """Wake the car if it is not known to be online."""
        if self.data.state != "online":
            await self._rouse()

    async def _rouse(self) -> None:
        """Call the car and wait until it is online. Raises WakeUpTimeoutError after a minute."""
        deadline = _now() + _WAKE_UP_LIMIT
        await self._call()
        while self.data.state != "online":
            if _now() >= deadline:
                raise WakeUpTimeoutError
            await asyncio.sleep(_WAKE_UP_PROBE)
            # One unanswered look is no reason to give up on a car that is waking.
            with suppress(ServiceDownError):
                await (self._probe() if self.account.has_records else self._call())

    async def _call(self) -> None:
        with suppress(AsleepError):
            self.note(await self.account.client.wake_up(self.number))

    @callback
    def _confirm_soon(self) -> None:
        """Read the car some seconds from now: what it says then is what counts."""
        self._forget_confirmations()
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
