"""The log of one vehicle in Home Assistant: zones, prices, units and timers."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
import logging
from typing import Any, Final

from homeassistant.components.zone import ENTITY_ID_HOME
from homeassistant.components.zone.const import ATTR_PASSIVE, ATTR_RADIUS, DOMAIN as ZONE
from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import (
    ATTR_LATITUDE,
    ATTR_LONGITUDE,
    ATTR_UNIT_OF_MEASUREMENT,
    STATE_UNAVAILABLE,
    UnitOfEnergy,
)
from homeassistant.core import CALLBACK_TYPE, Event, EventStateChangedData, HomeAssistant, State, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.event import async_track_point_in_utc_time, async_track_state_change_event
from homeassistant.helpers.start import async_at_started
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.unit_conversion import EnergyConverter

from ..account.options import VehicleOptions
from ..account.storage import remove_log
from ..api.value_types import NUMBER
from ..const import CONF_SIMULATOR, CONF_VIN, DOMAIN
from ..polling.modes import ASLEEP
from ..util.immutable import replace
from .drive_log import Changes, DriveLog, LogError
from .energy_meter import EnergyMeter
from .entries import Entries, Observation, Seen
from .history import drives_before
from .importer import new_entries
from .kept_logs import log_name
from .prices import per_kwh
from .statistics import LogStatistics, read_odometer
from .stores import LogStore, SampleStore
from .sums import sensor_values
from .units import LogUnits
from .view import LogView
from .zones import Zone, Zones

_LOGGER: Final = logging.getLogger(__package__)
_ZONES: HassKey[Zones] = HassKey(f"{DOMAIN}_zones")
_MANAGERS: HassKey[set[DriveLogManager]] = HassKey(f"{DOMAIN}_logs")
"""Those of all loaded accounts."""
_STARTUP: Final = timedelta(seconds=30)


def log_signal(subentry_id: str) -> str:
    """Return the signal that is sent after each observation and each change, with the log and the changes."""
    return f"{DOMAIN}_log_{subentry_id}"


def log_units(hass: HomeAssistant) -> LogUnits:
    return LogUnits(
        distance_unit=hass.config.units.length_unit,
        temperature_unit=hass.config.units.temperature_unit,
        currency=hass.config.currency,
        zone=dt_util.get_default_time_zone(),
    )


def log_zones(hass: HomeAssistant) -> Zones:
    """Return the zones of Home Assistant: the same object until one of them changes."""
    found = [
        Zone(
            name=state.name,
            latitude=state.attributes[ATTR_LATITUDE],
            longitude=state.attributes[ATTR_LONGITUDE],
            radius=state.attributes[ATTR_RADIUS],
            is_passive=state.attributes.get(ATTR_PASSIVE, False),
            is_home=state.entity_id == ENTITY_ID_HOME,
        )
        for state in hass.states.async_all(ZONE)
        if state.state != STATE_UNAVAILABLE
    ]
    zones = hass.data.get(_ZONES)
    if zones is None or zones.all != tuple(found):
        zones = hass.data[_ZONES] = Zones(found)
    return zones


def log_view(hass: HomeAssistant, log: DriveLog) -> LogView:
    return LogView(log, log_units(hass), log_zones(hass))


@contextmanager
def translate_log_errors() -> Iterator[None]:
    """Raise the error of a user's change or question as Home Assistant's, with its translation."""
    try:
        yield
    except LogError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key=error.key,
            translation_placeholders={"value": str(error)},
        ) from None


class DriveLogManager:
    """The log of one vehicle, and what it needs of Home Assistant."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        subentry: ConfigSubentry,
        options: VehicleOptions,
        on_change: Callable[[], None],
    ) -> None:
        """Start with an empty log. `on_change` is called if the log changed without an observation."""
        self.log = DriveLog()
        self._hass = hass
        self._entry = entry
        self._subentry_id = subentry.subentry_id
        self._title = subentry.title
        self._options = options
        self._on_change = on_change
        self._is_stopped = False
        self.places: Mapping[str, tuple[float, float]] = {}
        """The positions of places that have a name without a zone: those of the owner of a simulated car."""
        self._zones: Zones | None = None
        self._name = log_name(subentry)
        self.store = LogStore(hass, self._name, lambda: self.log)
        self.samples = SampleStore(hass, self._name)
        vin = subentry.data[CONF_VIN]
        self._vin = None if CONF_SIMULATOR in entry.data else vin
        self.statistics = LogStatistics(hass, vin, self._title, lambda: log_view(hass, self.log))
        self._managers = hass.data.setdefault(_MANAGERS, set())
        self._cancel_timer: CALLBACK_TYPE = lambda: None
        self._cancel_price: CALLBACK_TYPE | None = None

    async def async_restore(self, stored_meter: Any) -> None:
        """Restore the stored log, and the energy meter that was stored with it or with the vehicle."""
        self._managers.add(self)
        self.log = await self.store.restore()
        if self.log.vin == "" or self.log.is_edited:
            # An earlier version stored it, or a file was damaged.
            self.store.schedule_save(is_urgent=False)
        self.log.vin = self._vin
        # After a power cut, either of them may be newer.
        meters = EnergyMeter.restored(stored_meter), self.log.meter
        self.log.meter = max(meters, key=lambda meter: meter.lifetime)
        self._apply_prices()
        await self.samples.restore()
        # The entities that show the end of a drive are not set up yet.
        self.schedule_settling(not_before=dt_util.utcnow() + _STARTUP)
        self._entry.async_on_unload(async_at_started(self._hass, self.statistics.async_start))

    @property
    def sensor_values(self) -> Mapping[str, Any]:
        """What the sensors of the log show. The log is read once for each change of it and each month."""
        log, units = self.log, log_units(self._hass)
        month = dt_util.start_of_local_day(dt_util.now()).replace(day=1)
        values = log.cached("sensors", (month, units), lambda: sensor_values(log, units, month))
        # This rises without a change of the entries.
        return {**values, "energy_charged_home": log.charge_tracker.used_at_home}

    # Observations

    def on_read(self, observation: Observation) -> None:
        """Add an observation with its place, and without its position if positions are not kept."""
        zones = log_zones(self._hass)
        if zones is not self._zones:
            # The prices of places have the names of zones.
            self._zones = zones
            self._apply_prices()
        observation = zones.with_places(self.places).located(observation)
        if not self._options.keep_positions:
            observation = replace(observation, latitude=None, longitude=None)
        meter = self._options.energy_entity
        others = (manager for manager in self._managers if manager is not self)
        # It counts the energy of all cars that charge there.
        if meter and observation.is_home is not False and not any(each.draws_from(meter) for each in others):
            observation = replace(observation, wall_energy=self._wall_energy(meter))
        self._add(observation)

    def on_state(self, state: str, at: datetime) -> None:
        """Add that the car sleeps, so that a drive is known to have started later."""
        if state == ASLEEP:
            was_asleep = self.log.stay is None or self.log.stay.is_asleep
            self._add(Observation(at=at.timestamp(), is_asleep=True))
            if not was_asleep:
                # Otherwise, a restart would forget how long it has slept.
                self.store.schedule_save(is_urgent=False)

    def _add(self, observation: Observation) -> None:
        if self._is_stopped or self._subentry_id not in self._entry.subentries:
            # This answer was under way when the account was unloaded or the vehicle was removed. After a
            # reload, the new log has its own read. After a removal, the files may be deleted already.
            return
        self.log.currency = self._hass.config.currency
        self._changed(self.log.add(observation), observation)

    @callback
    def _settle(self, now: datetime) -> None:
        self.log.currency = self._hass.config.currency
        self._changed(self.log.settle(now.timestamp()))

    def _changed(self, changes: Changes, observation: Observation | None = None) -> None:
        self.samples.update(self.log, changes, observation)
        has_changes, is_read = any(changes), observation is not None and not observation.is_asleep
        self.schedule_settling()
        if has_changes or is_read:
            self.store.schedule_save(is_urgent=has_changes)
        if has_changes:
            without_car = "time" if observation is None else "sleep"
            cause = "the car" if is_read else without_car
            began = [f"a {kind.__name__.lower()} began" for kind in changes.started]
            ended = [f"{entry.id} ended" for entry in changes.ended]
            _LOGGER.debug("%s: %s, shown by %s", self._title, ", ".join([*began, *ended]), cause)
        if changes.ended:
            self.statistics.update()
        async_dispatcher_send(self._hass, log_signal(self._subentry_id), self.log, changes)
        if has_changes and not is_read:
            # After a read, the coordinator notifies anyway.
            self._on_change()

    def schedule_settling(self, not_before: datetime | None = None) -> None:
        """Set the timer for what ends without another observation."""
        self._cancel_timer()
        at = self.log.settles_at
        if at is not None and not self._is_stopped:
            moment = max(dt_util.utc_from_timestamp(at), not_before or dt_util.utcnow())
            self._cancel_timer = async_track_point_in_utc_time(self._hass, self._settle, moment)

    def draws_from(self, meter: str) -> bool:
        """Return whether the car charges at an energy sensor, as far as known."""
        tracker = self.log.charge_tracker
        is_away = tracker.open is not None and tracker.open.is_away
        return meter == self._options.energy_entity and tracker.was_charging and not is_away

    def _wall_energy(self, entity_id: str) -> float | None:
        """Return the kWh of the home charger's energy sensor, None if they are unknown."""
        state = self._hass.states.get(entity_id)
        energy = NUMBER.read(state.state) if state else None
        unit = state and state.attributes.get(ATTR_UNIT_OF_MEASUREMENT)
        if energy is None or unit not in EnergyConverter.VALID_UNITS:
            return None
        return EnergyConverter.convert(energy, unit, UnitOfEnergy.KILO_WATT_HOUR)

    # Prices

    def update_options(self, options: VehicleOptions, title: str) -> None:
        before, self._options = self._options, options
        self._title = self.statistics.name = title
        if before.price_entity != options.price_entity:
            self._stop_price()
        if before.energy_entity != options.energy_entity:
            # The difference of two meters is no energy.
            self.log.charge_tracker = replace(self.log.charge_tracker, wall_energy=None)
        if not options.keep_positions:
            # Otherwise, the next drive would start at the last position.
            self.log.drive_tracker = replace(self.log.drive_tracker, latitude=None, longitude=None)
        self._apply_prices()

    def _apply_prices(self) -> None:
        """Use the prices of the options, and follow the price entity."""
        hass, log, options, sensor = self._hass, self.log, self._options, self._options.price_entity
        zones = {entity_id: hass.states.get(entity_id) for entity_id in options.price_places}
        places = {zone.name: options.price_places[entity_id] for entity_id, zone in zones.items() if zone}
        tariff = options.tariff(dt_util.get_default_time_zone())
        log.prices = log.prices.with_options(options.price, options.price_away, sensor, places, tariff)
        if sensor and self._cancel_price is None and not self._is_stopped:
            self._add_price(hass.states.get(sensor))
            self._cancel_price = async_track_state_change_event(hass, sensor, self._price_changed)

    @callback
    def _price_changed(self, event: Event[EventStateChangedData]) -> None:
        self._add_price(event.data["new_state"])

    def _add_price(self, state: State | None) -> None:
        price, at = None, dt_util.utcnow().timestamp()
        if state:
            price = per_kwh(NUMBER.read(state.state), state.attributes.get(ATTR_UNIT_OF_MEASUREMENT))
            at = state.last_updated_timestamp
        before, self.log.prices = self.log.prices, self.log.prices.changed(at, price)
        if self.log.prices is not before and self.log.charge_tracker.open is not None:
            self.store.schedule_save(is_urgent=True)

    def _stop_price(self) -> None:
        if self._cancel_price is not None:
            self._cancel_price()
            self._cancel_price = None

    # Changes by a person, and the end

    async def async_edit[T](self, change: Callable[[DriveLog], T]) -> T:
        """Change the log, store it, and return what the change returns. Raises ServiceValidationError."""
        with translate_log_errors():
            result = change(self.log)
        self.edited()
        await self.store.save_edits()
        return result

    def edited(self) -> None:
        self.store.schedule_save(is_urgent=True)
        self.statistics.update()
        self._on_change()
        async_dispatcher_send(self._hass, log_signal(self._subentry_id), self.log, Changes())

    async def async_drives_before(self, entity_id: str) -> Entries:
        return drives_before(self.log, await read_odometer(self._hass, entity_id))

    async def async_insert(self, entries: Entries) -> None:
        await self.async_edit(lambda log: log.insert(*new_entries(log, entries)))

    async def async_forget_positions(self) -> None:
        """Delete all positions, also from the files."""
        self.log.forget_positions(log_zones(self._hass))
        self.edited()
        await self.samples.forget_positions()
        await self.store.save_all()
        await remove_log(self._hass, self._name, "*.*")

    def stop(self) -> None:
        self._is_stopped = True
        self._managers.discard(self)
        self._cancel_timer()
        self._stop_price()
        self.statistics.stop()

    async def close(self) -> None:
        """Store the log, and accept no further changes."""
        self.stop()
        await self.store.close()
        await self.samples.close()

    def as_diagnostics(self) -> dict[str, Any]:
        """Return how much the log has and how it is, without places and times."""
        log = self.log
        seen = [entry.seen for entry in log.drives] + [entry.seen for entry in log.charges]
        return {
            **{kind: len(entries) for kind, entries in log.entries._asdict().items()},
            "not_watched": sum(watched != Seen.LIVE for watched in seen),
            "has_open_drive": log.drive_tracker.open is not None,
            "has_open_charge": log.charge_tracker.open is not None,
            "factor": log.energy_per_rated_mile,
            "capacity_error": log.capacity and log.capacity.error,
        }
