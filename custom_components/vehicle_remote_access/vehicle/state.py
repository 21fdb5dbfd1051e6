"""What is known of one vehicle, for how long it holds, and who wants to know.

Entities listen to the fields that they show.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum, auto
from itertools import chain
import math
from random import random
import time
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_ID
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator

from ..account.options import AccountSettings, VehicleSettings
from ..account.storage import Memory
from ..api.fields import Field
from ..api.records import Vehicle, without_secrets
from ..const import CONF_VIN, DOMAIN, LOGGER
from ..device_info import SHOWN_BY_DEVICE, device_of_vehicle
from .energy_meter import Meter
from .listeners import Telling

_FAILURES_BORNE: Final = 3
_SILENCE_BORNE: Final = 900.0


class Aspect(StrEnum):
    """What an entity can listen to besides fields."""

    AVAILABILITY = auto()
    MODE = auto()
    NEXT_READ = auto()
    ASLEEP_TODAY = auto()
    TIME_TO_FALL_ASLEEP = auto()
    CHARGE_FINISH = auto()
    SESSION = auto()
    COMMAND = auto()


type Subject = Field[Any] | Aspect


class Contact:
    """Whether the car, or the service, still answers. A few failures and a short silence are tolerated."""

    failures: int
    """Failures in a row."""

    def __init__(self) -> None:
        """Start as if it had just answered."""
        self.heard()

    def heard(self) -> None:
        """Forget the failures."""
        self.failures, self._left_out, self._last = 0, 0.0, time.monotonic()
        self._is_counting = self._is_given_up = False

    def missed(self, pause: float = 0.0) -> None:
        """Count a failure, and the requests that are not sent in the pause after it."""
        self.failures += 1
        self._left_out += pause * _FAILURES_BORNE / _SILENCE_BORNE
        self._is_counting |= self.failures + self._left_out >= _FAILURES_BORNE

    def give_up(self) -> None:
        """Expect no answer until the user has done something about it."""
        self.failures, self._is_given_up = _FAILURES_BORNE, True

    @property
    def is_lost(self) -> bool:
        """Whether the values are too old to be shown."""
        return self.expires_in <= 0

    @property
    def expires_in(self) -> float:
        """Seconds until the values are too old to be shown; infinity while it answers."""
        if self._is_given_up:
            return 0.0
        if not self._is_counting:
            return math.inf
        return min(max(0.0, self._last + _SILENCE_BORNE - time.monotonic()), _SILENCE_BORNE)


class KnownVehicle(DataUpdateCoordinator[Vehicle]):
    """One vehicle as it is known."""

    config_entry: ConfigEntry[Any]

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        subentry: ConfigSubentry,
        telling: Telling,
        account_device: str,
    ) -> None:
        """Begin knowing nothing but who it is."""
        super().__init__(hass, LOGGER, config_entry=entry, name=subentry.title)
        self._telling = telling
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
        self.memory = Memory(hass, self.subentry_id, self.to_remember)
        self.with_service = Contact()
        self.with_car = Contact()

        self._is_over = False
        self._listening: dict[Subject, list[CALLBACK_TYPE]] = {}
        self._told = self.data
        self.is_shown = True
        """Whether what is known is shown: what is available, as it was last told."""
        self._compared: tuple[Vehicle, Vehicle, list[Field[Any]]] | None = None
        self.listen(SHOWN_BY_DEVICE, self._renew_device)

    @property
    def is_available(self) -> bool:
        """Whether what is known may still be shown: silence is borne for a while, sleep for ever."""
        return not (self.with_service.is_lost or self.with_car.is_lost)

    @property
    def expires_in(self) -> float:
        """Seconds until the values are too old to be shown; infinity if they never are, or are already."""
        left = (self.with_service.expires_in, self.with_car.expires_in)
        return min(filter(None, left), default=math.inf)

    @property
    def is_here(self) -> bool:
        """Whether the account still has it: it may be removed at any moment."""
        return self.subentry_id in self.config_entry.subentries

    @property
    def is_over(self) -> bool:
        """Whether the account was unloaded."""
        return self._is_over

    @override
    async def async_shutdown(self) -> None:
        """Stop everything that is scheduled, and notify no listener any more."""
        self._is_over = True
        await super().async_shutdown()

    @property
    def is_disabled(self) -> bool:
        """Whether the user has disabled the car's device."""
        devices = dr.async_get(self.hass)
        device = devices.async_get_device_by_identifier((DOMAIN, self.vin), self.config_entry.entry_id)
        return device is not None and device.disabled

    @callback
    def take_settings(self, data: Mapping[str, Any], account: AccountSettings) -> None:
        """Do from now on as the owner has set it."""
        settings = VehicleSettings.of(data, account)
        if settings != self.settings:
            self.settings = settings
            self.tell({Aspect.AVAILABILITY} | self.news())

    @property
    def device(self) -> dr.DeviceInfo:
        """The car as a device of Home Assistant."""
        device = device_of_vehicle(self.vin, self.title, self.data)
        device["via_device_id"] = self._account_device
        return device

    # Who wants to know

    @callback
    def listen(self, subjects: Iterable[Subject], update: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `update` when one of the subjects has changed, or whether anything can be shown at all."""
        groups = [self._listening.setdefault(each, []) for each in (Aspect.AVAILABILITY, *subjects)]
        for group in groups:
            group.append(update)

        def leave() -> None:
            for group in groups:
                group.remove(update)
            self._telling.spare(update)

        return leave

    @callback
    @override
    def async_update_listeners(self) -> None:
        """Tell those whose fields have changed, and nobody else; after unloading, nobody."""
        changed: list[Subject] = [*self.changes(self.data, self._told), *self.news()]
        self._told, self._compared = self.data, None
        if self.is_shown is not self.is_available:
            self.is_shown = self.is_available
            changed.append(Aspect.AVAILABILITY)
        self.tell(changed)

    def changes(self, vehicle: Vehicle, before: Vehicle) -> list[Field[Any]]:
        """Return the fields whose values differ. Who reads wants to know, and then who tells."""
        if self._compared is None or self._compared[0] is not vehicle or self._compared[1] is not before:
            self._compared = vehicle, before, vehicle.changed_since(before)
        return self._compared[2]

    @callback
    def news(self) -> set[Subject]:
        """Return what besides fields has changed since it was last told."""
        return set()

    @callback
    def tell(self, subjects: Iterable[Subject]) -> None:
        """Call those who listen to any of the subjects."""
        if not self.is_over:
            groups = filter(None, map(self._listening.get, subjects))
            self._telling.tell(self.name, chain.from_iterable(groups))

    @callback
    def review(self) -> None:
        """Tell the entities if what is known can no longer, or again, be shown."""
        if self.is_shown is not self.is_available:
            self.async_update_listeners()

    @callback
    def show(self, vehicle: Vehicle) -> None:
        """Show what is now known, or expected."""
        self.data = vehicle
        self.async_update_listeners()

    @callback
    def expect(self, values: Mapping[Field[Any], Any]) -> None:
        """Show what a command brings about, because somebody waits for it; what follows is told later."""
        before = vehicle = self.data
        for field, value in values.items():
            vehicle = vehicle.replacing(field, value)
        self.data = vehicle
        if self._told is before and self.is_shown:
            self._told = vehicle
            self.tell(field for field in values if field.of(vehicle) != field.of(before))

    @callback
    def _renew_device(self) -> None:
        """Keep the device's page right: the software changes, and what is known of the model grows."""
        if not self.is_here:
            return
        dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.config_entry.entry_id,
            config_subentry_id=self.subentry_id,
            **self.device,
        )

    # Remembering

    async def recall(self) -> bool:
        """Take up what was known before the restart; return whether there was anything."""
        self.take_up(await self.memory.recall())
        return bool(self.raw)

    @callback
    def take_up(self, kept: Mapping[str, Any]) -> None:
        """Know again what was remembered."""
        raw = kept.get("record")
        if isinstance(raw, dict):
            self.raw = raw
            self.data = self._told = Vehicle.parse(raw)
        self.meter = Meter.from_json(kept.get("meter"))

    def to_remember(self) -> dict[str, Any]:
        """Return what is to be known again after a restart."""
        record = without_secrets(self.raw)
        # Whether the car sleeps is true only while it is said.
        record.pop(Vehicle.state.name, None)
        return {"record": record, "meter": self.meter.as_json()}


def luck() -> float:
    """Return a number from 0 to 1 that nobody can foresee, so that not all come back at once."""
    return random()  # noqa: S311 # It hides nothing.


def now() -> float:
    """Return the time, in Unix seconds."""
    return time.time()
