"""What is known of one vehicle: how it is come by, who wants to know, and for how long it holds.

A vehicle is read live only when `polling` says so. Entities listen to the fields that they show.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_ID
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util

from . import polling
from .api.commands import DATA, DATA_REQUESTS, MOBILE_ENABLED, Endpoint
from .api.errors import AsleepError, InServiceError
from .api.field import Field
from .api.records import DOORS, ChargeState, ClimateState, DriveState, Vehicle, VehicleState, without_secrets
from .connection import Connection, asked_by_a_person, translated
from .const import CONF_VIN, LOGGER
from .device import SHOWN_BY_DEVICE, device_of_vehicle
from .energy import Meter
from .memory import Memory
from .settings import AccountSettings, VehicleSettings

# A coordinator fires up to a second early; what is due by then is due.
_EARLY: Final = 1.0
_FAILURES_BORNE: Final = 3
_SILENCE_BORNE: Final = 900.0
# Seconds within which two people who want to know get one answer
_SAME_LOOK: Final = 5.0
# Seconds for which a car's own answer counts more than the service's record of it
_OWN_WORD_COUNTS: Final = 300.0
_RETRY_MOST: Final = 600.0

# What a person did to the car: after it, more is likely to come.
_SIGNS_OF_USE: Final[frozenset[Field[Any]]] = frozenset(
    {
        ChargeState.charging_state,
        ChargeState.charge_port_door_open,
        ChargeState.conn_charge_cable,
        ClimateState.is_climate_on,
        DriveState.shift_state,
        *DOORS,
        VehicleState.is_user_present,
        VehicleState.locked,
        VehicleState.sentry_mode,
    }
)


class Aspect(Enum):
    """What an entity can listen to besides fields."""

    AVAILABILITY = auto()
    PLAN = auto()
    COMMAND = auto()


type Subject = Field[Any] | Aspect


class _Contact:
    """How long somebody has been silent. Silence is borne for a while, sleep is no silence."""

    def __init__(self) -> None:
        """Begin as if just heard."""
        self.heard()

    def heard(self) -> None:
        """Forget all silence."""
        self.failures, self._last = 0, now()

    def missed(self) -> None:
        """Count a question that was not answered."""
        self.failures += 1

    def give_up(self) -> None:
        """Expect nothing more: nobody asks until a person has mended it."""
        self.failures, self._last = _FAILURES_BORNE, 0.0

    @property
    def is_lost(self) -> bool:
        """Whether what was heard is too old to be shown."""
        return self.failures >= _FAILURES_BORNE and now() - self._last >= _SILENCE_BORNE


class VehicleReading(DataUpdateCoordinator[Vehicle]):
    """One vehicle: what is known of it, and its live reads."""

    config_entry: ConfigEntry[Any]

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        subentry: ConfigSubentry,
        connection: Connection,
        account_device: str,
    ) -> None:
        """Begin knowing nothing but who it is."""
        super().__init__(hass, LOGGER, config_entry=entry, name=subentry.title)
        self.connection = connection
        self._account_device = account_device
        self.subentry_id = subentry.subentry_id
        self.title = subentry.title
        self.vin: str = subentry.data[CONF_VIN]
        self.number: str = subentry.data[CONF_ID]
        self.settings = VehicleSettings.of(subentry.data, AccountSettings.of(entry.options))
        self.data = Vehicle.parse({})
        self.raw: dict[str, Any] = {}
        """The service's own words, with what nobody here has heard of."""
        self.meter = Meter()
        self.memory = Memory(hass, self.subentry_id, self._to_remember)
        self.turn = asyncio.Lock()
        """Whoever holds it speaks to the car; nobody else does."""

        self._listening: dict[Subject, list[CALLBACK_TYPE]] = {}
        self._told = self.data
        self._told_available = True
        self._told_plan: polling.Plan | None = None

        self._last_read: float | None = None
        self._last_touch = 0.0
        self._last_look = 0.0
        self._look_went_well = True
        self._last_wake = 0.0
        self._last_change = now()
        self._retry_at = 0.0
        self._not_before = 0.0
        self._with_service = _Contact()
        self._with_car = _Contact()
        self.listen(SHOWN_BY_DEVICE, self._renew_device)

    # What is known, and who wants to know

    @property
    def is_available(self) -> bool:
        """Whether what is known may still be shown: silence is borne for a while, sleep for ever."""
        return not (self._with_service.is_lost or self._with_car.is_lost)

    @property
    def is_over(self) -> bool:
        """Whether the account was unloaded, so that nobody wants to know any more."""
        return self._shutdown_requested

    @property
    def device(self) -> dr.DeviceInfo:
        """The car as a device of Home Assistant."""
        device = device_of_vehicle(self.vin, self.title, self.data)
        device["via_device_id"] = self._account_device
        return device

    @callback
    def listen(self, subjects: Iterable[Subject], update: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `update` when one of the subjects has changed, or whether anything can be shown at all."""
        groups = [self._listening.setdefault(each, []) for each in (Aspect.AVAILABILITY, *subjects)]
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
        changed: set[Subject] = set(self.data.changed_since(self._told))
        self._told = self.data
        if self._told_available is not self.is_available:
            self._told_available = self.is_available
            changed.add(Aspect.AVAILABILITY)
        if self._told_plan != (plan := self.plan):
            self._told_plan = plan
            changed.add(Aspect.PLAN)
        self.tell(changed)

    @callback
    def tell(self, subjects: Iterable[Subject]) -> None:
        """Call those who listen to any of the subjects, each once."""
        if self.is_over:
            return
        for update in dict.fromkeys(each for one in subjects for each in self._listening.get(one, ())):
            try:
                update()
            except Exception:  # noqa: BLE001 # One entity's fault is nobody else's.
                LOGGER.exception("An entity of %s could not take what is new", self.name)

    @callback
    def review(self) -> None:
        """Tell the entities if what is known can no longer, or again, be shown."""
        if self._told_available is not self.is_available:
            self.async_update_listeners()

    @callback
    def show(self, vehicle: Vehicle) -> None:
        """Show what is now known, or expected."""
        self.data = vehicle
        self.async_update_listeners()

    @callback
    def _renew_device(self) -> None:
        """Keep the device's page right: the software changes, and what is known of the model grows."""
        dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.config_entry.entry_id,
            config_subentry_id=self.subentry_id,
            **self.device,
        )

    # Remembering

    async def recall(self) -> bool:
        """Take up what was known before the restart; return whether there was anything."""
        kept = await self.memory.recall()
        raw = kept.get("record")
        if isinstance(raw, dict):
            self.raw = raw
            self.data = self._told = Vehicle.parse(raw)
        self.meter = Meter.from_json(kept.get("meter"))
        return bool(self.raw)

    def _to_remember(self) -> Mapping[str, Any]:
        record = without_secrets(self.raw)
        # Whether the car sleeps is true only while it is said.
        record.pop(Vehicle.state.name, None)
        return {"record": record, "meter": self.meter.as_json()}

    # What the service says of it

    @callback
    def note(self, record: dict[str, Any] | None) -> None:
        """Take what the cheap request says of this car, if it names it at all."""
        if record is None:
            if self.connection.is_probed:
                self._with_service.missed()
                self.review()
            return
        self._with_service.heard()
        # Newer services name the embedded records in the list too, and leave them empty.
        record = {name: found for name, found in record.items() if found is not None}
        if now() < self._not_before and record.get("state") == "online":
            # The car itself has just answered that it is not: the service is the last to hear of it.
            del record["state"]
        vehicle = self.data.updated(record)
        self.raw = {**self.raw, **record}
        self.number = vehicle.number or self.number
        if vehicle.state == "online" and self.data.state == "asleep":
            self._last_wake = now()
        if vehicle.state not in ("online", None):
            self._with_car.heard()
        self.show(vehicle)

    @callback
    def unheard_of(self, *, for_good: bool) -> None:
        """Count a request for the whole account that told nothing, and perhaps none will any more."""
        self._with_service.missed()
        if for_good:
            self._with_service.give_up()
        self.review()

    async def probe(self) -> None:
        """Ask which state the car is in, without asking the car."""
        if self.connection.has_records:
            self.note(await self.connection.record(self.number))

    @callback
    def believe_the_service(self) -> None:
        """Let the service's record of the car count again, whatever the car itself has said."""
        self._not_before = 0.0

    # What the car itself says

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
                last_touch=self._last_touch,
                last_wake=self._last_wake,
                last_change=self._last_change,
                is_probed=self.connection.is_probed,
            )
        )

    @property
    def read_at(self) -> float | None:
        """When the car is to be read next: as planned, but not too soon after it could not be read."""
        planned = self.plan.read_at
        return None if planned is None else max(planned, self._retry_at)

    async def read_if_due(self) -> None:
        """Read the car live if it is time. While a command is under way, that one reads."""
        due = self.read_at
        if due is not None and due <= now() + _EARLY and not self.turn.locked():
            await self.async_refresh()

    async def read_now(self) -> bool:
        """Read the car because a person wants to know, and return whether that went well.

        One that sleeps is left asleep. Whoever asks at the same time for another entity of the car gets the
        same answer.
        """
        if now() - self._last_look < _SAME_LOOK:
            return self._look_went_well
        self._last_look, self._look_went_well = now(), True
        if self.data.state != "online":
            with self.asked_by_a_person():
                await self.probe()
        if self.data.state not in (None, "online") and self.connection.is_probed:
            return True
        await self.async_refresh()
        self._look_went_well = self.last_update_success
        return self._look_went_well

    @override
    async def _async_update_data(self) -> Vehicle:
        """Read the car live. Asleep, or in the workshop, is an answer too."""
        async with self.turn:
            try:
                with translated(UpdateFailed):
                    return await self.read()
            except (UpdateFailed, ConfigEntryAuthFailed) as error:
                self._with_car.missed()
                if isinstance(error, ConfigEntryAuthFailed):
                    self._with_car.give_up()
                self._retry_at = now() + min(polling.DENSE * 2 ** (self._with_car.failures - 1), _RETRY_MOST)
                self.review()
                self.tell([Aspect.PLAN])
                raise

    async def read(self) -> Vehicle:
        """Return the vehicle as a live read tells. Whoever calls this holds the turn."""
        asked_at = now()
        try:
            vehicle = self._said(await self.connection.read(self.number))
        except AsleepError:
            vehicle = self._away(Vehicle.state, "asleep")
        except InServiceError:
            vehicle = self._away(Vehicle.in_service, value=True)
        return self._heard(vehicle, asked_at)

    def _heard(self, vehicle: Vehicle, asked_at: float) -> Vehicle:
        """Take note that the car itself has answered, and of what somebody has done to it meanwhile."""
        self._last_read = asked_at
        self._with_car.heard()
        if not _SIGNS_OF_USE.isdisjoint(vehicle.changed_since(self.data)):
            self.was_used()
        return vehicle

    @callback
    def was_used(self) -> None:
        """Watch the car for a while: more is likely to come."""
        self._last_change = now()
        self._with_car.heard()

    def _away(self, field: Field[Any], value: Any) -> Vehicle:
        """Return the vehicle as the car's own refusal tells, which counts more than what others say of it."""
        self._not_before = now() + _OWN_WORD_COUNTS
        return self.data.replacing(field, value)

    def _said(self, record: dict[str, Any]) -> Vehicle:
        """Return the vehicle as the car itself tells. One that answers is online, and not in the workshop."""
        self._not_before = 0.0
        record = {"state": "online", **({"in_service": False} if self.data.in_service else {}), **record}
        outer = {name: found for name, found in self.raw.items() if not isinstance(found, dict)}
        self.raw = {**outer, **record}
        vehicle = self.data.updated(record, whole=True)
        if self.data.state == "asleep":
            self._last_wake = now()
        self._count(vehicle)
        return vehicle

    def _count(self, vehicle: Vehicle) -> None:
        """Count what was charged, unless the answer is older than what is known; and remember all of it."""
        latest, known = vehicle.charge_state.timestamp, self.data.charge_state.timestamp
        began = self.meter.session_began
        if latest is None or known is None or latest >= known:
            self.meter = self.meter.after(vehicle, dt_util.utcnow())
        if not self.is_over:
            # A session that is remembered too late would be counted twice.
            self.memory.changed(soon=self.meter.session_began != began)

    # What an action asks for

    @contextmanager
    def asked_by_a_person(self) -> Iterator[None]:
        """Raise what the client raises in words, and ask for a new token if it was the token."""
        with asked_by_a_person(self.hass, self.config_entry):
            yield

    async def ask(self, endpoint: Endpoint) -> Any:
        """Return what an endpoint of this car answers, as it came. Raises HomeAssistantError, translated.

        What keeps the car awake begins its time of quiet anew, and renews nothing that is shown. Nothing is
        woken.
        """
        with self.asked_by_a_person():
            async with self.turn:
                if endpoint in _TOUCHES_THE_CAR:
                    self._last_touch = now()
                return await self.connection.client.request(endpoint, self.number)

    async def ask_for_all(self) -> dict[str, Any]:
        """Return all that the car says now, as it came, and show it. Raises as `ask`; asleep is an error."""
        with self.asked_by_a_person():
            async with self.turn:
                asked_at = now()
                record = await self.connection.read(self.number)
                self.show(self._heard(self._said(record), asked_at))
                return record


_TOUCHES_THE_CAR: Final = frozenset({DATA, MOBILE_ENABLED, *DATA_REQUESTS.values()})


def now() -> float:
    """Return the time, in Unix seconds."""
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
        *(door.of(vehicle) for door in DOORS),
    )
    return polling.Mode.IN_USE if any(signs) else None
