"""The year before a simulated car is added: its owner uses it, and its log observes it like any other car."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from threading import Event
import time
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from .account.service import create_simulator
from .account.storage import DataStore
from .const import (
    CONF_PLACES,
    CONF_PRICE,
    CONF_PRICE_AWAY,
    CONF_SEED,
    CONF_SIMULATOR,
    CONF_SPEED,
    CONF_VIN,
    DOMAIN,
)
from .drive_log.drive_log import DriveLog
from .drive_log.energy_meter import EnergyMeter
from .drive_log.entries import Drive, Observation
from .drive_log.manager import log_zones
from .drive_log.prices import Prices
from .drive_log.samples import Samples
from .drive_log.stores import LogStore, SampleStore
from .drive_log.zones import Zones
from .immutable import replace
from .simulator import Clock, ManualClock, SimulatedVehicle, Simulator, full_record
from .vehicle.merged_data import MergedData, merge_live_answer, record_to_store
from .vehicle.observe import observe

DAYS: Final = 365
_SECONDS_PER_DAY: Final = 86_400.0
# Seconds until the next observation. Events of the car are observed, too, and what was before they wake it.
_DRIVING, _CHARGING, _AWAKE, _ASLEEP = 90.0, 145.0, 1800.0, 7200.0
_BEFORE_EVENT: Final = 30.0
_SHORTEST: Final = 10.0
_SATURDAY: Final = 5
_PROGRESS_STEP: Final = 0.02
_UNITS: Final = {
    **dict.fromkeys(("CNY", "PLN", "RON", "BRL", "MYR"), 4.0),
    **dict.fromkeys(("DKK", "SEK", "NOK", "CZK", "HKD", "MXN", "UAH", "TRY"), 10.0),
    **dict.fromkeys(("INR", "RUB", "TWD", "THB", "PHP"), 30.0),
    **dict.fromkeys(("JPY", "HUF", "ISK"), 120.0),
    "KRW": 1000.0,
    "CLP": 1000.0,
    "COP": 4000.0,
    "IDR": 10_000.0,
    "VND": 10_000.0,
}
"""About how many units of other currencies are worth a euro."""
_PASTS: HassKey[dict[int, Past]] = HassKey(f"{DOMAIN}_pasts")


@dataclass(frozen=True, kw_only=True)
class PastOptions:
    """What the logs need to know of Home Assistant and of the options of the cars."""

    zones: Zones
    names: Mapping[str, str]
    """The names of the places where owners often drive, by their names in the simulator."""
    prices: Prices
    currency: str
    time_zone: tzinfo
    keep_positions: bool


@dataclass(kw_only=True)
class CarPast:
    """The log of one car until now."""

    log: DriveLog
    meter: EnergyMeter = field(default_factory=EnergyMeter)
    samples: Samples = field(default_factory=Samples)
    """Of what has ended."""
    open_samples: Samples = field(default_factory=Samples)
    merged: MergedData = field(default_factory=MergedData)
    """What was last read of the car, which may be asleep now."""

    def journal(self) -> dict[str, Any]:
        return {**self.log.journal(), "meter": self.meter.as_json(), CONF_VIN: None}


@dataclass(frozen=True)
class Past:
    """What all cars of an account did."""

    simulator: Mapping[str, Any]
    """The simulator's state now."""
    cars: Mapping[str, CarPast]
    """By VIN."""
    options: Mapping[str, Mapping[str, Any]]
    """The options of the cars, by VIN."""

    @callback
    def hand_over(self, hass: HomeAssistant, settings: Mapping[str, Any]) -> None:
        """Keep it for the start of the account that is created now. `settings`: those of the simulator."""
        hass.data.setdefault(_PASTS, {})[settings[CONF_SEED]] = self


def create_past(
    simulator: Simulator, options: PastOptions, until: float, on_progress: Callable[[float], None]
) -> dict[str, CarPast]:
    """Let the cars of a simulator with a manual clock live until a moment, and return their logs by VIN.

    `on_progress` gets the share that is done. It can raise an error to stop.
    """
    clock = simulator.clock
    assert isinstance(clock, ManualClock)  # noqa: S101 - the callers create it
    began = clock.now()
    observers = [_Observer(car, options) for car in simulator.vehicles]
    while (observer := min(observers, key=lambda each: each.next_at)).next_at < until:
        clock.advance(max(0.0, observer.next_at - clock.now()))
        observer.observe(clock.now())
        on_progress((clock.now() - began) / (until - began))
    clock.advance(until - clock.now())
    for observer in observers:
        observer.observe(until)
        observer.tag_drives()
    return {observer.car.vin: observer.past for observer in observers}


class _Observer:
    """Observes one car, about as often as the integration does it."""

    def __init__(self, car: SimulatedVehicle, options: PastOptions) -> None:
        self.car = car
        self.past = CarPast(log=DriveLog(prices=options.prices, currency=options.currency))
        self.next_at = 0.0
        self._options = options
        self._zones = options.zones.with_places(car.named_places(options.names))

    def observe(self, now: float) -> None:
        """Add what the car does now to its log."""
        self.car.catch_up()
        if self.car.state == "asleep":
            self._add(Observation(at=now, is_asleep=True))
        elif self.car.state == "online":
            self._add(self._read(now))
        next_at = min(now + self._interval, self.car.timeline.next_due)
        if not self.car.awake and next_at > now + _BEFORE_EVENT:
            next_at -= _BEFORE_EVENT
        self.next_at = max(now + _SHORTEST, next_at)

    def _read(self, now: float) -> Observation:
        moment = datetime.fromtimestamp(now, UTC)
        merged = self.past.merged = merge_live_answer(self.past.merged, full_record(self.car), moment, now)
        self.past.meter = self.past.meter.updated(merged.vehicle, moment)
        observation = self._zones.located(observe(merged, self.past.meter, now))
        if self._options.keep_positions:
            return observation
        return replace(observation, latitude=None, longitude=None)

    @property
    def _interval(self) -> float:
        if self.car.driving.in_gear:
            return _DRIVING
        if self.car.charging.active:
            return _CHARGING
        return _AWAKE if self.car.awake else _ASLEEP

    def _add(self, observation: Observation) -> None:
        log, samples = self.past.log, self.past.open_samples
        settles_at = log.settles_at
        if settles_at is not None and settles_at <= observation.at:
            self.past.samples.put(samples.finish(log, log.settle(settles_at)))
        self.past.samples.put(samples.finish(log, log.add(observation)))
        samples.add(observation, log)

    def tag_drives(self) -> None:
        """Tag the drives to work and back, and those of weekends."""
        drives = self.past.log.drives
        drives[:] = [drive._replace(tag=self._tag(drive)) for drive in drives]
        self.past.log.is_edited = True

    def _tag(self, drive: Drive) -> str | None:
        ends = {drive.start_place, drive.end_place}
        if ends == {self._zones.home, self._options.names["work"]}:
            return "commute"
        day = datetime.fromtimestamp(drive.start, self._options.time_zone)
        return "private" if day.weekday() >= _SATURDAY else None


# In Home Assistant


async def async_create_past(
    hass: HomeAssistant,
    settings: Mapping[str, Any],
    on_progress: Callable[[float], None],
    *,
    keep_positions: bool,
) -> Past:
    """Create the past of a new simulated account, in some seconds for each car.

    `settings`: those of the simulator. `on_progress` gets the share that is done.
    """
    until = time.time()
    simulator = await create_simulator(hass, settings, began=until - DAYS * _SECONDS_PER_DAY)
    texts = await async_get_translations(hass, hass.config.language, "common", {DOMAIN})
    names = {place: texts[f"component.{DOMAIN}.common.simulated_{place}"] for place in ("work", "shop")}
    prices = typical_prices(hass.config.currency)
    options = PastOptions(
        zones=log_zones(hass),
        names=names,
        prices=prices,
        currency=hass.config.currency,
        time_zone=dt_util.get_default_time_zone(),
        keep_positions=keep_positions,
    )
    is_cancelled, shown = Event(), 0.0

    def report(share: float) -> None:
        nonlocal shown
        if is_cancelled.is_set():
            raise asyncio.CancelledError
        if share >= shown + _PROGRESS_STEP:
            shown = share
            hass.loop.call_soon_threadsafe(on_progress, share)

    try:
        cars = await hass.async_add_executor_job(create_past, simulator, options, until, report)
    finally:
        is_cancelled.set()
    state = {**simulator.as_json(), "clock": Clock(settings[CONF_SPEED]).as_json()}
    car_options = {CONF_PRICE: prices.home, CONF_PRICE_AWAY: prices.away, CONF_PLACES: names}
    return Past(state, cars, dict.fromkeys(cars, car_options))


async def async_store_past(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Store the past that was created for a new account, which then starts as after a restart."""
    pasts, seed = hass.data.get(_PASTS, {}), entry.data[CONF_SIMULATOR][CONF_SEED]
    if (past := pasts.get(seed)) is None:
        return
    await DataStore(hass, entry.entry_id, lambda: {CONF_SIMULATOR: past.simulator}).save()
    for subentry_id, subentry in entry.subentries.items():
        await _store_car(hass, subentry_id, past.cars[str(subentry.unique_id)])
    del pasts[seed]


async def _store_car(hass: HomeAssistant, subentry_id: str, car: CarPast) -> None:
    await DataStore(hass, subentry_id, lambda: {"record": record_to_store(car.merged)}).save()
    await LogStore(hass, subentry_id, lambda: car.log, car.journal).save_all()
    await SampleStore(hass, subentry_id).save_new(car.samples, car.open_samples)


def typical_prices(currency: str) -> Prices:
    """Return prices of one kWh, at home and at a fast charger, of the size that they have in a currency."""
    unit = _UNITS.get(currency, 1.0)
    return Prices(home=round(0.28 * unit, 2), away=round(0.55 * unit, 2))
