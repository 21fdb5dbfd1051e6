"""The year before a simulated account is added: creates it, and stores it for the new account."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from itertools import groupby
from operator import attrgetter
from threading import Event
import time
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ..account.simulator import create_simulator, tariff_entity_id
from ..account.storage import DataStore
from ..const import CONF_PLACES, CONF_PRICE_AWAY, CONF_SEED, CONF_SIMULATOR, DOMAIN
from ..drive_log.entries import PriceChange
from ..drive_log.manager import log_zones
from ..drive_log.prices import Prices
from ..drive_log.stores import LogStore, SampleStore
from ..simulator.tariff import AT_FAST_CHARGER, Tariff, in_currency
from ..util.local_time import DAY
from ..vehicle.merged_data import record_to_store
from .car_past import CarPast, PastOptions, create_past

DAYS: Final = 365
_PROGRESS_STEP: Final = 0.02
_PASTS: HassKey[dict[int, Past]] = HassKey(f"{DOMAIN}_pasts")


@dataclass(frozen=True)
class Past:
    """The past of all cars of an account."""

    simulator: Mapping[str, Any]
    """The simulator's state now."""
    cars: Mapping[str, CarPast]
    """By VIN."""
    options: Mapping[str, Any]
    """The options of all cars."""

    def hand_over(self, hass: HomeAssistant, settings: Mapping[str, Any]) -> None:
        """Keep the past until the new account starts. `settings`: those of the simulator."""
        hass.data.setdefault(_PASTS, {})[settings[CONF_SEED]] = self


async def async_create_past(
    hass: HomeAssistant,
    settings: Mapping[str, Any],
    on_progress: Callable[[float], None],
    *,
    keep_positions: bool,
) -> Past:
    """Create the past of a new simulated account, in seconds for each car. `on_progress` gets the share."""
    until = time.time()
    simulator = await create_simulator(hass, settings, began=until - DAYS * DAY)
    texts = await async_get_translations(hass, hass.config.language, "common", {DOMAIN})
    names = {place: texts[f"component.{DOMAIN}.common.simulated_{place}"] for place in ("work", "shop")}
    currency, zone, began = hass.config.currency, dt_util.get_default_time_zone(), simulator.clock.now()
    prices = await hass.async_add_executor_job(_prices, settings, currency, zone, began, until)
    options = PastOptions(
        zones=log_zones(hass),
        names=names,
        prices=prices,
        currency=currency,
        time_zone=zone,
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
    return Past(simulator.as_json(), cars, {CONF_PRICE_AWAY: prices.away, CONF_PLACES: names})


def _prices(settings: Mapping[str, Any], currency: str, zone: tzinfo, start: float, end: float) -> Prices:
    """Return the prices of the past, as the log knows them from the price sensor of the account."""
    hours = Tariff(settings[CONF_SEED], currency, zone).between(start, end)
    first_hours = [next(equal) for _, equal in groupby(hours, key=attrgetter("price"))]
    return Prices(
        away=in_currency(AT_FAST_CHARGER, currency),
        source=tariff_entity_id(settings),
        changes=[PriceChange(hour.start, hour.price) for hour in first_hours],
    )


async def async_store_past(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Store the past that was created for a new account, which then starts as after a restart."""
    pasts, seed = hass.data.get(_PASTS, {}), entry.data[CONF_SIMULATOR][CONF_SEED]
    if (past := pasts.get(seed)) is None:
        return
    await DataStore(hass, entry.entry_id, lambda: {CONF_SIMULATOR: past.simulator}).save(is_last=True)
    for subentry_id, subentry in entry.subentries.items():
        await _store_car(hass, subentry_id, past.cars[str(subentry.unique_id)])
    del pasts[seed]


async def _store_car(hass: HomeAssistant, subentry_id: str, car: CarPast) -> None:
    await DataStore(hass, subentry_id, lambda: {"record": record_to_store(car.merged)}).save(is_last=True)
    car.log.vin = None
    await LogStore(hass, subentry_id, lambda: car.log).save_all(is_last=True)
    await SampleStore(hass, subentry_id).save_new(car.samples, car.open_samples)
