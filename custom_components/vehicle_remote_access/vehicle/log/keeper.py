"""Keeps the log of one vehicle: turns reads into looks, ends drives in time, and stores the records."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from homeassistant.components.zone import ENTITY_ID_HOME, async_active_zone
from homeassistant.const import ATTR_UNIT_OF_MEASUREMENT, UnitOfEnergy
from homeassistant.core import CALLBACK_TYPE, Event, EventStateChangedData, HomeAssistant, State, callback
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.event import async_track_point_in_utc_time, async_track_state_change_event
from homeassistant.helpers.start import async_at_started
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_conversion import EnergyConverter

from ...account.options import VehicleOptions
from ...api.value_types import NUMBER
from ...const import DOMAIN
from ...polling.policy import ASLEEP
from ..energy_meter import EnergyMeter
from ..merged_data import MergedData
from .export import snapshot
from .importer import Entries, new_entries
from .logbook import Changes, Logbook
from .look import fresh_position, look_at
from .records import Look
from .sample_store import SampleStore
from .statistics import LogStatistics
from .storage import LogStore

if TYPE_CHECKING:
    from ..coordinator import VehicleCoordinator

_STARTUP: Final = timedelta(seconds=30)
# Shares of the unit of a price sensor in the price of one kWh
_PER_UNIT: Final = {"mwh": 1000.0, "wh": 0.001}
_CENTS: Final = ("ct/", "c/", "cent/", "cents/", "¢/", "øre/", "öre/", "ore/", "p/", "pence/")


def log_signal(subentry_id: str) -> str:
    """Return the signal that a vehicle's coordinator sends with itself after each look and each change."""
    return f"{DOMAIN}_log_{subentry_id}"


class LogKeeper:
    """The log of one vehicle, and what it needs of Home Assistant."""

    def __init__(self, vehicle: VehicleCoordinator) -> None:
        """Start with an empty log."""
        self.book = Logbook()
        self._vehicle = vehicle
        self._hass: HomeAssistant = vehicle.hass
        self._options: VehicleOptions | None = None
        self.store = LogStore(self._hass, vehicle.subentry_id, self)
        self.samples = SampleStore(self._hass, vehicle.subentry_id)
        self._statistics = LogStatistics(self._hass, vehicle.vin, vehicle.title, lambda: self.book)
        self._listeners: list[Callable[[Changes], None]] = []
        self._cancel_timer: CALLBACK_TYPE | None = None
        self._cancel_price: CALLBACK_TYPE | None = None

    async def async_restore(self) -> EnergyMeter:
        """Restore the stored log. Return the energy meter that was stored with it."""
        self.book, meter = await self.store.load()
        self._update_options()
        await self.samples.restore()
        # The entities that show the end of a drive are not set up yet.
        self._schedule_settling(not_before=dt_util.utcnow() + _STARTUP)
        self._vehicle.config_entry.async_on_unload(async_at_started(self._hass, self._start_statistics))
        return EnergyMeter.from_json(meter)

    async def _start_statistics(self, _hass: HomeAssistant) -> None:
        await self._statistics.async_start()

    @property
    def statistic_ids(self) -> dict[str, str]:
        """Return the ids of the statistics that the recorder has, by kind."""
        return self._statistics.ids

    @callback
    def listen(self, listener: Callable[[Changes], None]) -> CALLBACK_TYPE:
        """Call the listener with each start and end of a drive or a charge. Return what removes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def archive(self) -> dict[str, Any]:
        """Return everything, to be stored."""
        return self.book.archive()

    def journal(self) -> dict[str, Any]:
        """Return what is new, to be stored, with the energy meter to which it refers."""
        return {**self.book.journal(), "meter": self._vehicle.energy.as_json()}

    # Looks

    @callback
    def on_read(self, merged: MergedData, meter: EnergyMeter, at: datetime) -> None:
        """Add what a live read shows."""
        self._update_options()
        self._add(self._look(merged, meter, at.timestamp()))

    @callback
    def on_state(self, state: str, at: datetime) -> None:
        """Add that the car sleeps, so that a drive is known to have started later."""
        if state == ASLEEP:
            was_asleep = self.book.stay is None or self.book.stay.is_asleep
            self._add(Look(at=at.timestamp(), is_asleep=True))
            if not was_asleep:
                # Otherwise, a restart would forget how long it has slept.
                self.store.schedule_save(is_urgent=False)

    def _add(self, look: Look) -> None:
        if not self._vehicle.is_configured:
            # This answer was under way when the vehicle was removed. Its files may be deleted already.
            return
        self.book.currency = self._hass.config.currency
        changes = self.book.add(look)
        self.samples.add(look, self.book, changes)
        self._changed(changes, is_look=not look.is_asleep)

    @callback
    def _settle(self, now: datetime) -> None:
        self._cancel_timer = None
        self._update_options()
        self.book.currency = self._hass.config.currency
        changes = self.book.settle(now.timestamp())
        self.samples.finish(self.book, changes)
        self._changed(changes, is_look=False)

    def _changed(self, changes: Changes, *, is_look: bool) -> None:
        has_changes = any(changes)
        self._schedule_settling()
        if has_changes or is_look:
            book = self.book
            is_open = book.drive_tracker.open is not None or book.charge_tracker.open is not None
            self.store.schedule_save(is_urgent=has_changes or is_open)
        if changes.drives_ended or changes.charges_ended:
            self._statistics.update()
        if has_changes:
            for listener in tuple(self._listeners):
                listener(changes)
            if not is_look:
                # After a look, the coordinator notifies anyway.
                self._vehicle.async_notify()
        self._send_signal()

    def _send_signal(self) -> None:
        async_dispatcher_send(self._hass, log_signal(self._vehicle.subentry_id), self._vehicle)

    def _schedule_settling(self, not_before: datetime | None = None) -> None:
        self._cancel_settling()
        at = self.book.settles_at
        if at is not None and not self._vehicle.is_shut_down:
            moment = max(dt_util.utc_from_timestamp(at), not_before or dt_util.utcnow())
            self._cancel_timer = async_track_point_in_utc_time(self._hass, self._settle, moment)

    def _cancel_settling(self) -> None:
        if self._cancel_timer is not None:
            self._cancel_timer()
            self._cancel_timer = None

    def _look(self, merged: MergedData, meter: EnergyMeter, at: float) -> Look:
        """Return what a live read shows, with what Home Assistant knows of the place and the charger."""
        options = self._vehicle.options
        position = fresh_position(merged)
        zone = position and async_active_zone(self._hass, *position)
        is_home = None if position is None else zone is not None and zone.entity_id == ENTITY_ID_HOME
        return replace(
            look_at(merged, meter, at, keeps_position=options.keep_positions),
            place=zone.name if zone is not None else None,
            is_home=is_home,
            wall_energy=None if is_home is False else self._wall_energy(options.energy_entity),
        )

    def _wall_energy(self, entity_id: str | None) -> float | None:
        """Return the kWh of the home charger's energy sensor, None without one."""
        state = self._hass.states.get(entity_id) if entity_id else None
        unit = state and state.attributes.get(ATTR_UNIT_OF_MEASUREMENT)
        energy = NUMBER.read(state.state) if state else None
        if energy is None or unit not in EnergyConverter.VALID_UNITS:
            return None
        return EnergyConverter.convert(energy, unit, UnitOfEnergy.KILO_WATT_HOUR)

    # Prices

    def _update_options(self) -> None:
        """Apply the options of the vehicle, if they have changed."""
        options = self._vehicle.options
        if options is self._options:
            return
        before, self._options = self._options, options
        if before is None or before.price_entity != options.price_entity:
            self._stop_price()
        if before is not None and before.energy_entity != options.energy_entity:
            # The difference of two meters is no energy.
            self.book.charge_tracker = replace(self.book.charge_tracker, wall_energy=None)
        self.book.prices = self.book.prices.with_options(
            options.price, options.price_away, options.price_entity
        )
        if options.price_entity and self._cancel_price is None and not self._vehicle.is_shut_down:
            self._add_price(self._hass.states.get(options.price_entity))
            self._cancel_price = async_track_state_change_event(
                self._hass, options.price_entity, self._price_changed
            )

    @callback
    def _price_changed(self, event: Event[EventStateChangedData]) -> None:
        self._add_price(event.data["new_state"])

    def _add_price(self, state: State | None) -> None:
        price = NUMBER.read(state.state) if state else None
        if state and price is not None:
            unit = str(state.attributes.get(ATTR_UNIT_OF_MEASUREMENT) or "").lower()
            price /= _PER_UNIT.get(unit.rpartition("/")[2], 1.0)
            price /= 100 if unit.startswith(_CENTS) else 1
        at = state.last_updated_timestamp if state else dt_util.utcnow().timestamp()
        before, book = self.book.prices, self.book
        book.prices = before.changed(at, price)
        if book.prices is not before and book.charge_tracker.open is not None:
            self.store.schedule_save(is_urgent=True)

    def _stop_price(self) -> None:
        if self._cancel_price is not None:
            self._cancel_price()
            self._cancel_price = None

    # Changes by a person, and the end

    @callback
    def edited(self) -> None:
        """Store and show a change that a person made."""
        self.store.schedule_save(is_urgent=True)
        self._statistics.update()
        self._vehicle.async_notify()
        self._send_signal()

    async def async_insert(self, entries: Entries) -> bool:
        """Add the entries that are not in the log yet, and return whether the vehicle was still there."""
        is_added = False
        while not is_added:
            # A long log takes longer than the event loop should be blocked.
            copy = await self._hass.async_add_executor_job(_with_new, snapshot(self.book), entries)
            if self._vehicle.is_shut_down:
                # After a reload, another object keeps the log.
                return False
            # If an entry was added or changed in the meantime, it is done again.
            is_added = self.book.take_records(copy)
        self.edited()
        await self.store.save_edits()
        return True

    @callback
    def stop(self) -> None:
        """Cancel everything that is scheduled."""
        self._cancel_settling()
        self._stop_price()
        self._statistics.stop()

    def as_diagnostics(self) -> dict[str, Any]:
        """Return how much the log has and how it is, without places and times."""
        book = self.book
        seen = [record.seen for record in book.drives] + [record.seen for record in book.charges]
        return {
            "drives": len(book.drives),
            "charges": len(book.charges),
            "stays": len(book.stays),
            "not_watched": sum(each != "live" for each in seen),
            "has_open_drive": book.drive_tracker.open is not None,
            "has_open_charge": book.charge_tracker.open is not None,
            "doubts_odometer": book.drive_tracker.doubted is not None,
            "factor": book.factor,
            "capacity_error": book.capacity and book.capacity.error,
        }


def _with_new(book: Logbook, entries: Entries) -> Logbook:
    book.insert(*new_entries(book, entries))
    return book
