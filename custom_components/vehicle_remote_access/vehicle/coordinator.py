"""The coordinator of one vehicle: owns its parts, plans its reads and notifies listeners of the changes."""

from collections.abc import Callable, Collection, Mapping, Set as AbstractSet
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from functools import partial
import logging
import math
import time
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
from homeassistant.util import dt as dt_util

from ..account.issues import IssueReporter
from ..account.options import AccountOptions, VehicleOptions
from ..account.provider import Provider, translate_errors
from ..account.request_budget import RequestBudget
from ..account.storage import DataStore
from ..api.commands import DATA, DATA_REQUESTS, FLEET_READS, MOBILE_ENABLED, SCHEDULE_DATA, Endpoint
from ..api.errors import OtherVehicleError, ServiceError
from ..api.fields import Field
from ..api.records import Vehicle
from ..api.signals import signals_of
from ..api.value_types import FLAG
from ..const import CONF_PLACES, CONF_VIN, DOMAIN, LOGGER
from ..device_info import DEVICE_FIELDS, vehicle_device_info
from ..drive_log.drive_log import DriveLog
from ..drive_log.manager import DriveLogManager
from ..polling import policy
from ..polling.activity import ActivityTracker
from ..polling.modes import Mode
from ..util.local_time import DAY, HOUR
from .arrival_watch import ArrivalWatch
from .charging import charge_finish
from .charging_actor import ChargingActor, local_time
from .charging_costs import ChargingCosts
from .command_queue import CommandQueue, CommandResult, CurrentCommand
from .confirmation import CommandConfirmation
from .derived_values import DerivedValue, ListenerKey
from .known import KnownVehicle
from .merged_data import record_to_store, restore_merged
from .observe import OBSERVED_FIELDS
from .pushed_data import PushedData
from .reader import VehicleReader
from .shared_read import SHARED_FOR, SharedRead

_LOGGER: Final = logging.getLogger(__package__)
# The power of a new charge rises, and some charges end at once.
_NEW_CHARGE: Final = 120.0
# Pages show the age of data only from a quarter of an hour on.
_DATA_TIME_KEPT: Final = timedelta(minutes=14)
_NEARBY: Final = FLEET_READS["get_nearby_charging_sites"]
_KEEPS_AWAKE: Final = frozenset({DATA, MOBILE_ENABLED, SCHEDULE_DATA, _NEARBY, *DATA_REQUESTS.values()})


class VehicleCoordinator(DataUpdateCoordinator[Vehicle]):
    """One vehicle. Home Assistant's coordinator reads it, logs failures and starts reauthentication.

    Only its listeners are replaced, because it would call each of hundreds after every refresh.
    """

    config_entry: ConfigEntry[Any]

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        subentry: ConfigSubentry,
        provider: Provider,
        issues: IssueReporter,
        requests: RequestBudget,
        account_device_id: str,
        request_list: Callable[[], None],
    ) -> None:
        """`request_list` requests the list of the account soon."""
        super().__init__(hass, LOGGER, config_entry=entry, name=subentry.title)
        self.subentry_id = subentry.subentry_id
        self.title = subentry.title
        self.vin: str = subentry.data[CONF_VIN]
        self.provider = provider
        self._requests = requests
        options = VehicleOptions.from_subentry(subentry.data, AccountOptions.from_entry(entry.options))
        self.store = DataStore(hass, self.subentry_id, self._data_to_store)
        self.log_manager = DriveLogManager(hass, entry, subentry, options, self.async_notify)
        self.log_manager.places = provider.named_places(self.vin, subentry.data.get(CONF_PLACES, {}))
        self.known = KnownVehicle(
            subentry, options, provider, issues, self.log_manager, self.store, self.async_notify
        )
        self.arrival = ArrivalWatch(hass, entry, self.known)
        self.reader = VehicleReader(self.known, request_list)
        self.pushed = PushedData(hass, self.known, self.reader, request_list, self._request_signals)
        self.update_method = self.reader.async_update
        self.data = self.known.vehicle
        self.expected_data = self.data
        """The data as it will be when all commands are done, as of the last notification."""
        read = self._read_in_background
        self.read_soon = Debouncer(
            hass, LOGGER, cooldown=SHARED_FOR, immediate=True, function=read, background=True
        )
        """Reads the vehicle in the background, because a user changed something on it."""
        self.commands = CommandQueue(
            self.known,
            self.reader,
            CommandConfirmation(hass, self.known, self._read_to_confirm, lambda: self.pushed.is_active),
            self.translate_errors,
            self.read_soon.async_schedule_call,
            self.async_show_expected,
        )
        self.charging_actor = ChargingActor(
            hass,
            entry,
            self.known,
            self.commands,
            self.async_add_listener,
            lambda: self.async_read_now("for the charging plan", fresh=True),
            self._is_device_disabled,
            # A change is confirmed by up to two reads.
            lambda: not requests.opens_at(is_live_read=True, count=2),
        )
        self.commands.on_result = self.charging_actor.on_result
        self.charging_costs = ChargingCosts(hass, self.known, self._costs_open_at)
        self._is_disabled = self._is_device_disabled()
        self.plan = self._make_plan()
        """The polling mode and the next live read, as of the last notification."""
        self.derived_values: Mapping[DerivedValue, Any] = dict.fromkeys(DerivedValue)
        """The derived values of the last notification."""
        self.is_available = False
        """Whether entities show values, as of the last notification."""
        self._subscriptions: dict[object, tuple[CALLBACK_TYPE, Collection[ListenerKey]]] = {}
        """The listeners, and on what each depends."""
        self._shared_read = SharedRead(self._read_for_user)
        self._account_device_id = account_device_id
        self.async_add_listener(self._update_device, DEVICE_FIELDS)
        self.async_add_listener(self.charging_costs.update, {DerivedValue.LOG})

    # Identity and options

    @property
    def is_configured(self) -> bool:
        """Whether the account still has the vehicle, which a user can remove at any time."""
        return self.subentry_id in self.config_entry.subentries

    @property
    def log(self) -> DriveLog:
        return self.known.log

    @property
    def command_position(self) -> dict[str, float]:
        """The position that some commands need, near the car: its own, or home if it is unknown."""
        config = self.hass.config
        latitude, longitude = self.data.drive_state.position or (config.latitude, config.longitude)
        return {"lat": latitude, "lon": longitude}

    @property
    def device_info(self) -> dr.DeviceInfo:
        info = vehicle_device_info(self.vin, self.title, self.data)
        return {**info, "via_device_id": self._account_device_id}

    def update_options(self, subentry: ConfigSubentry, account: AccountOptions) -> None:
        """Apply the options and the title of a changed subentry or account."""
        self.title = self.known.title = subentry.title
        self._update_device()
        self.known.options = VehicleOptions.from_subentry(subentry.data, account)
        self.log_manager.update_options(self.known.options, self.title)
        self.charging_actor.update()
        self.async_notify()

    @callback
    def async_create_device(self) -> dr.DeviceEntry:
        return dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.config_entry.entry_id,
            config_subentry_id=self.subentry_id,
            **self.device_info,
        )

    def _update_device(self) -> None:
        """Update the device: the software version changes, and more becomes known of the model."""
        if self.is_configured:
            self.async_create_device()

    # New data and its listeners

    @callback
    @override
    def async_add_listener(self, update_callback: CALLBACK_TYPE, context: Any = None) -> Callable[[], None]:
        """Call a listener when one of the fields and derived values of its context has changed."""
        key = object()
        self._subscriptions[key] = update_callback, context or ()
        # A closure would take four times as much memory for each entity.
        return partial(self._subscriptions.__delitem__, key)

    @callback
    @override
    def async_update_listeners(self) -> None:
        """Do nothing after a refresh: `async_notify` has called the listeners already."""

    @callback
    def async_notify(self) -> None:
        """Plan the next read with the new data, and call the listeners of what has changed."""
        before, values_before, was_available = self.data, self.derived_values, self.is_available
        self.data = self.known.vehicle
        self.arrival.update()
        self._update_plan()
        self.derived_values = self._derive_values()
        self.is_available = not self.known.is_expired
        changed: set[ListenerKey] = {*self.data.changed_since(before)}
        if self.commands.pending or self.expected_data is not before:
            changed |= self._update_expected()
        else:
            self.expected_data = self.data
        changed |= {key for key, value in self.derived_values.items() if value != values_before[key]}
        # A change of the availability concerns every listener.
        self._call_listeners(changed if self.is_available is was_available else None)

    @callback
    def async_show_expected(self) -> None:
        """Call the listeners of what a pending command will change. The data itself has not changed."""
        self.derived_values = {**self.derived_values, DerivedValue.CURRENT_COMMAND: self._current_command}
        self._call_listeners({*self._update_expected(), DerivedValue.CURRENT_COMMAND})

    def _update_expected(self) -> set[Field[Any]]:
        """Update the expected data, and return the fields that changed in it."""
        before, self.expected_data = self.expected_data, self.commands.expect(self.data)
        return {*self.expected_data.changed_since(before)}

    def _call_listeners(self, changed: AbstractSet[ListenerKey] | None) -> None:
        """Call the listeners of what has changed; all listeners if None."""
        if self.known.is_shut_down:
            return
        for key, (update, keys) in [*self._subscriptions.items()]:
            # An earlier listener may have removed it.
            if (changed is not None and changed.isdisjoint(keys)) or key not in self._subscriptions:
                continue
            try:
                update()
            except Exception:  # noqa: BLE001 - one failing entity must not affect the others
                LOGGER.exception("Error in a listener of %s", self.name)

    def _derive_values(self) -> dict[DerivedValue, Any]:
        tracker, log = self.known.tracker, self.log
        asleep_today, falls_asleep = tracker.asleep_today(), tracker.habits.time_to_fall_asleep
        finish_before = self.derived_values[DerivedValue.CHARGE_FINISH]
        return {
            DerivedValue.POLLING_MODE: self.plan.mode,
            DerivedValue.STREAM: self.pushed.stream is not None and self.pushed.stream.is_connected,
            DerivedValue.NEXT_READ: self.plan.due_at,
            DerivedValue.NEEDS_LIST: self.pushed.needs_list,
            DerivedValue.ASLEEP_TODAY: None if asleep_today is None else round(asleep_today / HOUR),
            DerivedValue.TIME_TO_FALL_ASLEEP: falls_asleep and round(falls_asleep / 60),
            DerivedValue.CHARGE_FINISH: charge_finish(self.data.charge_state, finish_before),
            DerivedValue.DATA_TIME: self._shown_data_time(),
            DerivedValue.SESSION_START: log.meter.session_began,
            DerivedValue.LAST_COMMAND: self.commands.last_result,
            DerivedValue.CURRENT_COMMAND: self._current_command,
            # A month begins without a new entry.
            DerivedValue.LOG: (log.revision, dt_util.now().month),
            DerivedValue.ENERGY_AT_HOME: log.charge_tracker.used_at_home,
            DerivedValue.OPTIONS: self.known.options,
            DerivedValue.CHARGING_PLAN: self.charging_actor.shown,
            DerivedValue.CONTACT: self.charging_actor.is_on and self.charging_actor.contact,
        }

    def _shown_data_time(self) -> datetime | None:
        """Return the time of the data. It changes rarely, because each change is a row in the database."""
        updated, shown = self.data.charge_state.timestamp, self.derived_values[DerivedValue.DATA_TIME]
        is_new_mode = self.plan.mode is not self.derived_values[DerivedValue.POLLING_MODE]
        if updated is None or shown is None or is_new_mode:
            return updated or shown
        return shown if timedelta(0) <= updated - shown < _DATA_TIME_KEPT else updated

    @property
    def _current_command(self) -> tuple[CurrentCommand | None, CommandResult | None]:
        return self.commands.current if self.commands.pending else None, self.commands.failure

    # Live data

    def _request_signals(self) -> None:
        self.config_entry.async_create_background_task(self.hass, self._stream_signals(), "Streamed signals")

    async def _stream_signals(self) -> None:
        """Let the service stream what the entities and the log show."""
        fields = {key for _, keys in self._subscriptions.values() for key in keys if isinstance(key, Field)}
        try:
            await self.provider.stream_signals(self.known.path_id, signals_of(fields | OBSERVED_FIELDS))
        except ServiceError as error:
            _LOGGER.debug("%s: the streamed signals are not known (%s)", self.title, error.key)
        else:
            self.pushed.is_configured = True
            self.async_notify()

    # Polling

    def _update_plan(self) -> None:
        before, self.plan = self.plan, self._make_plan()
        if self.plan != before and _LOGGER.isEnabledFor(logging.DEBUG):
            mode, due_at, reason = self.plan
            words = {None: "not planned", 0.0: "now"}
            when = words.get(due_at) or f"{local_time(due_at):%H:%M:%S}"
            _LOGGER.debug("%s: polling mode %s, next read %s: %s", self.title, mode, when, reason)

    def _make_plan(self) -> policy.Plan:
        tracker, requests, options = self.known.tracker, self._requests, self.known.options
        cost, is_listed = self.provider.requests_per_read, self.known.is_state_listed
        charge, use_rate = self.data.charge_state, tracker.habits.use_rate
        situation = policy.Situation(
            # An unknown word is not online either. After a restart, the last state counts.
            state=self.data.state or self.known.merged.raw.get(Vehicle.state.name) or tracker.state,
            is_state_listed=is_listed,
            in_service=bool(self.data.in_service),
            is_kept_awake=options.keep_awake_plugged_in and bool(charge.is_plugged_in),
            is_pushing=self.pushed.is_active,
            is_stream_complete=self.pushed.is_complete,
            is_complete=self.known.merged.is_complete,
            ask_at=0.0 if is_listed else requests.next_request(tracker.read_at or 0.0, [use_rate]),
            retry_at=self.known.retry_at,
            allowed_at=requests.opens_at(is_live_read=True, count=cost),
            read_interval=requests.read_interval(
                self._wanted_interval(),
                use_rate,
                charge.charger_power if tracker.activity is Mode.CHARGING else None,
                cost,
            ),
            arrival_read_at=self.arrival.read_at,
        )
        plan = policy.make_read_plan(tracker, situation)
        # A live read would keep the other vehicle awake. The list shows when this one is back.
        is_pointless = self.known.is_other_vehicle and self.provider.reports_states
        if is_pointless or self._is_disabled:
            reason = "its device is disabled" if self._is_disabled else "another vehicle answers"
            return policy.Plan(plan.mode, None, reason)
        return plan

    def _wanted_interval(self) -> float:
        """Return the seconds until the next live read of a car in use, or until its charge should end."""
        activity, read_at = self.known.tracker.activity or Mode.IN_USE, self.known.tracker.read_at or 0.0
        interval = self.known.options.intervals.get(activity, policy.DEFAULT_READ_INTERVAL)
        charge = self.log.charge_tracker.open
        if activity is not Mode.CHARGING:
            return interval
        is_fast = self.data.charge_state.fast_charger_present
        if is_fast or charge is None or read_at < charge.start + _NEW_CHARGE:
            return min(interval, policy.DEFAULT_READ_INTERVAL)
        finish = charge_finish(self.data.charge_state, self.derived_values[DerivedValue.CHARGE_FINISH])
        left = math.inf if finish is None else finish.timestamp() - read_at
        return min(interval, left) if left > policy.SHORTEST_READ_INTERVAL else interval

    @callback
    def async_check_clock(self, *, has_clock_jumped: bool) -> None:
        """Plan again if a retry is due, the clock was set, or a user disabled or enabled the device."""
        was_set_back = self.known.tracker.reset_if_clock_set_back(dt_util.now())
        was_disabled, self._is_disabled = self._is_disabled, self._is_device_disabled()
        is_retry_due = self.plan.mode is Mode.BACKING_OFF and self.known.retry_at <= time.time()
        are_timers_wrong = has_clock_jumped or self._is_disabled is not was_disabled
        if are_timers_wrong:
            self.log_manager.schedule_settling()
            self.charging_actor.update()
        if are_timers_wrong or was_set_back or is_retry_due:
            self.async_notify()

    def _is_device_disabled(self) -> bool:
        devices = dr.async_get(self.hass)
        device = devices.async_get_device_by_identifier((DOMAIN, self.vin), self.config_entry.entry_id)
        return device is not None and device.disabled

    def _costs_open_at(self) -> float:
        is_off = self._is_device_disabled() or self.config_entry.pref_disable_polling
        is_pointless = is_off or self.known.is_other_vehicle
        return time.time() + DAY if is_pointless else self._requests.opens_at(is_live_read=True)

    # Requests of users

    async def async_read_now(self, reason: str = "for a user", *, fresh: bool = False) -> None:
        """Read the vehicle if awake. Requests share a read unless `fresh`. Raises HomeAssistantError."""
        _LOGGER.debug("%s: a read is requested %s", self.title, reason)
        await self._shared_read.run(fresh=fresh)

    async def _read_for_user(self) -> None:
        with self.translate_errors():
            if self.known.is_other_vehicle or not self.data.is_online:
                await self.reader.async_request_record()
            if self.known.is_other_vehicle and self.provider.reports_states:
                raise OtherVehicleError
        if self.data.is_online is not False or not self.known.is_state_listed:
            _LOGGER.debug("%s: is read as requested", self.title)
            await self.async_refresh()
            with self.translate_errors():
                self.known.check_loaded()
            if not self.last_update_success and self.last_exception is not None:
                raise self.last_exception

    async def _read_to_confirm(self) -> bool:
        _LOGGER.debug("%s: is read to confirm a command", self.title)
        await self.async_refresh()
        return self.last_update_success

    async def _read_in_background(self) -> None:
        # The entities show a failure.
        with suppress(HomeAssistantError):
            await self.async_read_now("because the car may differ from what is known", fresh=True)

    async def async_request(self, endpoint: Endpoint, **values: Any) -> Any:
        """Return an endpoint's answer, without waking the car or merging it. Raises HomeAssistantError."""
        with self.translate_errors():
            async with self.reader.lock:
                self.known.check_loaded()
                if self.known.is_other_vehicle:
                    raise OtherVehicleError
                if endpoint in _KEEPS_AWAKE and self.provider.type.has(endpoint):
                    _LOGGER.debug("%s: is read for an action", self.title)
                    self.known.tracker.touched_at = time.time()
                    self.async_notify()
                    if endpoint.is_live_read and self.provider.type.has_cache and self.data.is_online:
                        await self.provider.refresh(self.known.path_id)
                return await self.provider.request(endpoint, self.known.path_id, **values)

    async def async_request_all(self) -> dict[str, Any]:
        """Return all live data and update the entities. Raises HomeAssistantError, also if it is asleep."""
        _LOGGER.debug("%s: is read for an action", self.title)
        with self.translate_errors():
            async with self.reader.lock:
                if self.known.is_other_vehicle:
                    raise OtherVehicleError
                return await self.reader.async_read_live()

    def translate_errors(self) -> AbstractContextManager[None]:
        """Raise the provider's errors as HomeAssistantError, and start reauthentication if necessary."""
        return translate_errors(self.hass, self.config_entry)

    # Storage

    async def async_restore(self) -> bool:
        """Restore the stored data. Return whether there was a record of the vehicle."""
        stored = await self.store.restore()
        self.known.merged = restore_merged(stored.get("record"))
        self.data = self.expected_data = self.known.vehicle
        await self.log_manager.async_restore(stored.get("meter"))
        self.known.tracker = ActivityTracker.from_json(stored.get("watch"), dt_util.now())
        if FLAG.read(stored.get("unconfirmed")):
            self.commands.resume()
        self.charging_actor.restore(stored.get("charging_plan"))
        self._update_plan()
        self.derived_values = self._derive_values()
        self.is_available = not self.known.is_expired
        self.charging_actor.update()
        self.charging_costs.update()
        return bool(self.known.merged.raw)

    def _data_to_store(self) -> dict[str, Any]:
        # These keys are format version 1. A new version must still read them.
        return {
            "record": record_to_store(self.known.merged),
            "meter": self.log.meter.as_json(),
            "watch": self.known.tracker.as_json(),
            "unconfirmed": self.commands.confirmation.is_unconfirmed,
            "charging_plan": self.charging_actor.as_json(),
        }

    @override
    async def async_shutdown(self) -> None:
        """Cancel everything that is scheduled, and notify no more listeners."""
        self.known.is_shut_down = True
        await super().async_shutdown()
        self.read_soon.async_shutdown()
        self.pushed.stop()
        self.arrival.stop()
        self.log_manager.stop()
        self.charging_actor.stop()
        self.charging_costs.stop()
        self.commands.confirmation.cancel()
