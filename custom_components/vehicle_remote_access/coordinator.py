"""The coordinator of one account: polls the service's list for all vehicles, and reads those that are due."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
import math
import time
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_ID, EVENT_HOMEASSISTANT_STOP, Platform
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady, HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util
from yarl import URL

from .account.discovery import NewVehicleDetector, configured_vins
from .account.issues import DUPLICATE_ACCOUNT, OTHER_ACCOUNT, IssueReporter
from .account.options import INTERVAL, AccountOptions
from .account.provider import Provider, open_provider, translate_error
from .account.request_budget import RequestBudget
from .account.storage import SAVE_RARELY, SAVE_SOON, DataStore, remove_stores
from .account.streams import Stream, Streams
from .account.token_store import restore_refresher
from .api.cooldown import backoff
from .api.errors import ServiceError, UnloadedError
from .api.records import Vehicle
from .api.stream import Message
from .api.value_types import NUMBER, TEXT
from .const import CONF_BASE_URL, CONF_SIMULATOR, DOMAIN, LOGGER, SUBENTRY_VEHICLE
from .device_info import account_device_info
from .drive_log.kept_logs import update_kept_logs
from .drive_log.statistics import remove_statistics
from .polling import policy
from .polling.modes import TIMER_TOLERANCE
from .util.stored_values import read_list
from .vehicle.coordinator import VehicleCoordinator
from .vehicle.derived_values import DerivedValue
from .vehicle.merged_data import ListTrust
from .vehicle.shared_read import SharedRead

type VehicleConfigEntry = ConfigEntry[AccountCoordinator]

# A vehicle that is busy with a live read or a command is read later.
_BUSY_DELAY: Final = 10.0
# A slow answer of one vehicle must not delay the others.
_READ_TIMEOUT: Final = 5.0
_LONGEST_BACKOFF: Final = 300.0
_SHORTEST_DELAY: Final = 1.0
_CLOCK_JUMP: Final = 30.0
# While no car needs the list, it only shows that one was added or removed.
_LIST_WHILE_PUSHING: Final = 3600.0


class AccountCoordinator(DataUpdateCoordinator[None]):
    """One account with its provider and its vehicles."""

    config_entry: VehicleConfigEntry
    provider: Provider
    requests: RequestBudget
    streams: Streams
    platforms: Collection[Platform]

    def __init__(self, hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
        """Create the coordinator. `async_start` opens the provider."""
        self.options, interval = AccountOptions.from_entry(entry.options), timedelta(seconds=INTERVAL)
        super().__init__(hass, LOGGER, config_entry=entry, name=entry.title, update_interval=interval)
        self.vehicles: dict[str, VehicleCoordinator] = {}
        """The vehicles by subentry id."""
        self.is_reachable: bool | None = None
        """Whether the service answered the last request, even with an error; None before the first one."""
        self.failing_since: datetime | None = None
        """When updates began to fail; None while they succeed."""
        self.store = DataStore(hass, entry.entry_id, self._data_to_store)
        self._issues = IssueReporter(hass, entry)
        self._new_vehicles = NewVehicleDetector(hass, self._issues)
        self._loaded_data = _reload_relevant_data(entry)
        self._list_requested_at = -math.inf
        """By the monotonic clock."""
        self._list_due_at = 0.0
        self._clock_offset = time.time() - time.monotonic()
        self._shared_poll = SharedRead(self._poll_for_user)
        self._failures = 0
        self._backoff = 0.0
        self._list_error: UpdateFailed | None = None
        self._is_list_wanted = False
        self._is_polling = False
        self._is_for_user = False
        """Whether the next poll requests the list for a user, even if it is not due."""
        self.is_shut_down = False

    # Setup and shutdown

    async def async_start(self) -> None:
        """Open the provider and add the vehicles. Wait for the first poll only without stored data.

        Raises ConfigEntryNotReady or ConfigEntryAuthFailed if there is nothing to show.
        """
        entry, stored = self.config_entry, await self.store.restore()
        refresher = await restore_refresher(self.hass, entry)
        simulated = stored.get(CONF_SIMULATOR)
        self.provider = await open_provider(self.hass, entry.data, simulated, refresher)
        self.streams = Streams(self.hass, entry, self._create_stream)
        if self.provider.simulator is not None:
            entry.async_on_unload(self.provider.simulator.stop)
        self.provider.check_loaded = self._check_loaded
        # Home Assistant does not unload accounts when it stops.
        entry.async_on_unload(self.hass.bus.async_listen(EVENT_HOMEASSISTANT_STOP, self._stop))
        await self._restore(stored)
        # The coordinator polls only while it has a listener.
        entry.async_on_unload(self.async_add_listener(self._update_availability))
        devices = dr.async_get(self.hass)
        device = devices.async_get_or_create(config_entry_id=entry.entry_id, **account_device_info(entry))
        subentries = entry.get_subentries_of_type(SUBENTRY_VEHICLE)
        has_data = [await self._add_vehicle(subentry, device.id) for subentry in subentries]
        if has_data and all(has_data):
            entry.async_create_background_task(self.hass, self.async_refresh(), f"{DOMAIN} first poll")
            return
        try:
            await self.async_config_entry_first_refresh()
        except ConfigEntryNotReady:
            # A new vehicle must not fail the setup of known ones.
            if not any(has_data):
                raise
        if not any(has_data):
            self._check_any_vehicle_answered()

    async def _add_vehicle(self, subentry: ConfigSubentry, account_device_id: str) -> bool:
        """Add a vehicle, and return whether it has stored data."""
        entry = self.config_entry
        vehicle = VehicleCoordinator(
            self.hass,
            entry,
            subentry,
            self.provider,
            self._issues,
            self.requests,
            account_device_id,
            self._request_list_soon,
        )
        self.provider.add_secrets((vehicle.vin, vehicle.known.path_id))
        self.vehicles[subentry.subentry_id] = vehicle
        vehicle.async_add_listener(self._update_identity, {Vehicle.user_id})
        vehicle.async_add_listener(self._on_plan_changed, {DerivedValue.NEXT_READ, DerivedValue.NEEDS_LIST})
        entry.async_on_unload(lambda: self._unload_vehicle(vehicle))
        return await vehicle.async_restore()

    async def _unload_vehicle(self, vehicle: VehicleCoordinator) -> None:
        """Store a vehicle for the next start, or remove what belonged to it."""
        if vehicle.is_configured:
            await vehicle.log_manager.close()
            await vehicle.store.close()
        else:
            await self._remove_vehicle(vehicle)

    async def _remove_vehicle(self, vehicle: VehicleCoordinator) -> None:
        """Remove what belonged to a vehicle that a user removed. Home Assistant removes its entities."""
        if self.vehicles.pop(vehicle.subentry_id, None) is None:
            # It was removed before. Its VIN may belong to a vehicle that was added since.
            return
        await vehicle.async_shutdown()
        self._open_streams()
        self._issues.remove_vehicle(vehicle.subentry_id)
        self._update_identity()
        remove_statistics(self.hass, [vehicle.vin])
        self.store.schedule_save(SAVE_SOON)
        await vehicle.log_manager.close()
        await vehicle.store.remove()
        await update_kept_logs(self.hass)

    @callback
    def _update_availability(self) -> None:
        for vehicle in self.vehicles.values():
            if vehicle.is_available is vehicle.known.is_expired:
                vehicle.async_notify()

    def _check_any_vehicle_answered(self) -> None:
        """Raise ConfigEntryNotReady with the reason if the read of every vehicle failed and none has data."""
        vehicles = list(self.vehicles.values())
        if not vehicles or any(each.known.merged.raw or each.last_update_success for each in vehicles):
            return
        if isinstance(error := vehicles[0].last_exception, ConfigEntryAuthFailed):
            raise error
        if isinstance(error, HomeAssistantError):
            raise ConfigEntryNotReady(
                translation_domain=error.translation_domain,
                translation_key=error.translation_key,
                translation_placeholders=error.translation_placeholders,
            )

    def _check_loaded(self, path_id: str | None) -> None:
        """Raise UnloadedError if the vehicle with this id in paths was removed, or the account unloaded."""
        path_ids = {None, *(vehicle.known.path_id for vehicle in self.vehicles.values())}
        if self.is_shut_down or path_id not in path_ids:
            raise UnloadedError

    async def _stop(self, _event: Event) -> None:
        """Stop everything. Home Assistant itself saves the data."""
        self.streams.open(())
        await self.async_shutdown()
        for vehicle in self.vehicles.values():
            await vehicle.async_shutdown()
        if self.provider.simulator is not None:
            await self.provider.simulator.stop()

    @override
    async def async_shutdown(self) -> None:
        self.is_shut_down = True
        await super().async_shutdown()

    # Live data

    def _create_stream(self, url: URL) -> Stream:
        return Stream(self.provider, url, self._on_message, self._on_stream_changed, self.async_poll_now)

    def _open_streams(self) -> None:
        """Open the streams that the options and the vehicles need, and close the others."""
        self.streams.open(vehicle.vin for vehicle in self.vehicles.values() if self.options.live_data)
        for vehicle in self.vehicles.values():
            vehicle.pushed.stream = self.streams.of(vehicle.vin)

    def _on_message(self, message: Message) -> None:
        for vehicle in self.vehicles.values():
            if vehicle.vin == message.vin:
                vehicle.pushed.on_message(message)

    def _on_stream_changed(self, stream: Stream) -> None:
        for vehicle in self.vehicles.values():
            if vehicle.pushed.stream is stream:
                vehicle.pushed.on_stream_changed(stream)
        self.async_update_listeners()

    def _request_list_soon(self) -> None:
        self._is_list_wanted = True
        self._on_plan_changed()

    # Polling

    @override
    async def _async_update_data(self) -> None:
        """Request the list if it is due, and read the vehicles that are due."""
        self._start_poll()
        started_at = time.time()
        is_for_user, self._is_for_user = self._is_for_user, False
        is_list_due = is_for_user or self._list_due_at <= started_at + TIMER_TOLERANCE
        try:
            if is_list_due:
                self._list_error = await self._request_list(is_planned=not is_for_user)
            await self._read_due_vehicles()
            if self.config_entry.unique_id is None:
                # The duplicate entry may have been removed.
                self._update_identity()
        finally:
            self._is_polling = False
            self._schedule_next()
        reads = [vehicle.known.tracker.read_at or 0.0 for vehicle in self.vehicles.values()]
        has_answered = max(reads, default=0.0) >= started_at
        if has_answered and not is_list_due:
            # A live answer after a failed list clears that error.
            self._list_error = None
        if self._list_error is not None:
            # Drop the traceback, or it grows with every retry.
            raise self._list_error.with_traceback(None)
        if has_answered:
            self.is_reachable = True
        elif not self.provider.reports_states:
            self.is_reachable = self.provider.is_reachable

    def _start_poll(self) -> None:
        self._is_polling = True
        requests = self.requests
        requests.begin_day_if_new()
        # A pause that the service requires is saved soon, and so is the count of requests before it exceeds
        # the stored one. Otherwise, a crash could exceed a limit.
        is_urgent = self.provider.pause.left or (requests.is_limited and requests.today > requests.stored)
        self.store.schedule_save(SAVE_SOON if is_urgent else SAVE_RARELY)
        # Timers follow the monotonic clock. What they wait for follows the other one, which can be set.
        before, self._clock_offset = self._clock_offset, time.time() - time.monotonic()
        has_clock_jumped = abs(self._clock_offset - before) > _CLOCK_JUMP
        for vehicle in self.vehicles.values():
            vehicle.async_check_clock(has_clock_jumped=has_clock_jumped)

    async def _request_list(self, *, is_planned: bool) -> UpdateFailed | None:
        """Request all records. Return a failure, as live reads may work. Raises ConfigEntryAuthFailed."""
        LOGGER.debug("%s: the list is requested %s", self.name, "as planned" if is_planned else "for a user")
        self._list_requested_at, self._is_list_wanted = time.monotonic(), False
        count_before = self.requests.today
        vehicles = {vehicle.vin: vehicle for vehicle in self.vehicles.values()}
        try:
            records = await self.provider.records({vin: each.known.path_id for vin, each in vehicles.items()})
        except ServiceError as error:
            self._issues.update(None, error)
            return self._list_failed(error)
        finally:
            self.is_reachable = self.provider.is_reachable
            self._count_list_requests(self.requests.today - count_before, is_planned=is_planned)
        self._issues.update(None)
        for vehicle in vehicles.values():
            record = records.get(vehicle.vin) or records.get(vehicle.known.path_id)
            vehicle.known.update_from_record(record)
            if record is None and self.provider.list_has_worked:
                vehicle.known.mark_missing()
        if self.provider.list_has_worked and self._new_vehicles.update(records):
            self.store.schedule_save(SAVE_SOON)
        self._failures, self._backoff = 0, 0.0
        return None

    def _count_list_requests(self, sent: int, *, is_planned: bool) -> None:
        if is_planned:
            self.requests.planned += sent
        only_live = not self.provider.reports_states
        self.requests.cost = max(len(self.vehicles) if only_live else sent, 1)
        if only_live is not self.requests.only_live:
            self.requests.only_live = only_live
            self._issues.report_small_limit(self.requests.limit)

    def _list_failed(self, error: ServiceError) -> UpdateFailed:
        """Record a failed request for the list, and return it. Raises the error if it is not temporary."""
        for vehicle in self.vehicles.values():
            vehicle.known.on_list_failed(error)
        failure = translate_error(error, UpdateFailed)
        if not isinstance(failure, UpdateFailed):
            raise failure from None
        self._failures += 1
        self._backoff = max(backoff(self._failures, _LONGEST_BACKOFF), error.retry_after)
        return failure

    async def _read_due_vehicles(self) -> None:
        """Read the vehicles that are due, and wait a few seconds for their answers."""
        now = time.time()
        due = [
            vehicle
            for vehicle in self.vehicles.values()
            if policy.is_due(vehicle.plan, now) and not vehicle.reader.lock.locked()
        ]
        cost = self.provider.requests_per_read
        # A plan keeps the limits as they were when it was made.
        while due and self.requests.opens_at(is_live_read=True, count=len(due) * cost):
            due.pop().async_notify()
        for vehicle in due:
            LOGGER.debug("%s: is read as planned: %s", vehicle.title, vehicle.plan.reason)
        if not self.provider.reports_states:
            self.requests.planned += sum(policy.is_wake_awaited(vehicle.plan) for vehicle in due)
        entry, name = self.config_entry, f"{DOMAIN} read"
        reads = [entry.async_create_background_task(self.hass, each.async_refresh(), name) for each in due]
        if reads:
            await asyncio.wait(reads, timeout=_READ_TIMEOUT)

    def _schedule_next(self) -> None:
        """Poll again when a request is due or values expire."""
        vehicles = self.vehicles.values()
        reads = [self._read_due_at(vehicle) for vehicle in vehicles]
        self._list_due_at = self._plan_list(reads)
        expires_in = min([vehicle.known.next_expiry_in for vehicle in vehicles], default=math.inf)
        due_in = min([self._list_due_at, *reads]) - time.time()
        self.update_interval = timedelta(seconds=max(min(due_in, expires_in), _SHORTEST_DELAY))

    def _plan_list(self, planned_reads: Sequence[float]) -> float:
        """Return when to request the list: hourly if no car needs it. Reads of all cars may replace it."""
        vehicles, now = self.vehicles.values(), time.time()
        if self._is_list_wanted:
            return max(now, self.requests.opens_at(is_live_read=False))
        requested_at = now - (time.monotonic() - self._list_requested_at)
        if vehicles and not [vehicle for vehicle in vehicles if vehicle.pushed.needs_list]:
            due_at = requested_at + (self._backoff or _LIST_WHILE_PUSHING)
            return max(due_at, self.requests.opens_at(is_live_read=False))
        retry_at = requested_at + self._backoff
        if ListTrust.CONTRADICTED in [vehicle.known.merged.list_trust for vehicle in vehicles]:
            return max(retry_at, self._next_list(requested_at))
        reads = [vehicle.known.tracker.read_at or 0.0 for vehicle in vehicles]
        # A read in the future was before the clock was set back.
        oldest_read = min([at if at <= now else 0.0 for at in reads], default=0.0)
        due_at = max(retry_at, self._next_list(max(requested_at, oldest_read)))
        return policy.postpone_for_reads(due_at, planned_reads)

    def _next_list(self, last: float) -> float:
        """Return when cars may have another state. `last`: when the states of all cars were known."""
        vehicles = self.vehicles.values()
        rates = [each.known.tracker.habits.use_rate for each in vehicles if policy.is_wake_awaited(each.plan)]
        state_changes = [
            policy.list_for_state_change(
                vehicle.known.tracker, vehicle.plan, last, is_state_listed=vehicle.known.is_state_listed
            )
            for vehicle in vehicles
        ]
        return self.requests.next_request(last, rates, state_changes)

    def _read_due_at(self, vehicle: VehicleCoordinator) -> float:
        """Return when to read a vehicle, later if it is busy with a live read or a command."""
        due_at = math.inf if vehicle.plan.due_at is None else vehicle.plan.due_at
        return max(due_at, time.time() + _BUSY_DELAY) if vehicle.reader.lock.locked() else due_at

    def _on_plan_changed(self) -> None:
        if not self._is_polling:
            # The read that changed the plan still holds the vehicle's lock, so that it counts as busy.
            self.hass.loop.call_soon(self._reschedule)

    def _reschedule(self) -> None:
        """Move the next poll to the time that the current plans require."""
        is_refused = not self.last_update_success and isinstance(self.last_exception, ConfigEntryAuthFailed)
        if not (self._is_polling or self.is_shut_down or is_refused):
            self._schedule_next()
            self._schedule_refresh()

    async def async_poll_now(self) -> None:
        """Request the list now, for a user or to check a token. Requests at about the same time share one."""
        await self._shared_poll.run()

    async def _poll_for_user(self) -> None:
        self._is_for_user = True
        await self.async_refresh()

    @callback
    @override
    def _async_refresh_finished(self) -> None:
        """Notify listeners of every failure. Home Assistant notifies them only of the first one in a row."""
        if self.last_update_success:
            self.failing_since = None
        else:
            self.failing_since = self.failing_since or dt_util.utcnow()
            self.async_update_listeners()

    # Identity and options

    def _update_identity(self) -> None:
        """Set the unique id to that of the service's user. Report another user's token, or another entry."""
        entry, user_ids = self.config_entry, [vehicle.data.user_id for vehicle in self.vehicles.values()]
        user_id = next(filter(None, user_ids), None)
        if user_id is None:
            return
        if entry.unique_id is not None:
            # A vehicle shared with this account may report its owner's id, so one match is enough.
            is_known = entry.unique_id in user_ids or None not in user_ids
            if is_known and CONF_SIMULATOR not in entry.data:
                self._issues.report(OTHER_ACCOUNT, None if entry.unique_id in user_ids else {})
            return
        other = self.hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, user_id)
        if other is None:
            self.hass.config_entries.async_update_entry(entry, unique_id=user_id)
        self._issues.report(DUPLICATE_ACCOUNT, None if other is None else {"other": other.title})

    async def async_entry_updated(self, hass: HomeAssistant, entry: VehicleConfigEntry) -> None:
        """Apply a change: of titles, options and removed cars without a reload, which may run automations."""
        data, vehicles = _reload_relevant_data(entry)
        loaded_data, loaded_vehicles = self._loaded_data
        if data != loaded_data or not vehicles.items() <= loaded_vehicles.items():
            hass.config_entries.async_schedule_reload(entry.entry_id)
            return
        for vehicle in list(self.vehicles.values()):
            if not vehicle.is_configured:
                entry.async_create_task(hass, self._remove_vehicle(vehicle), f"{DOMAIN} removal")
        dr.async_get(hass).async_get_or_create(config_entry_id=entry.entry_id, **account_device_info(entry))
        self.options = AccountOptions.from_entry(entry.options)
        self.requests.update_options(self.options)
        self._issues.report_small_limit(self.requests.limit)
        self._open_streams()
        for vehicle in self.vehicles.values():
            vehicle.update_options(entry.subentries[vehicle.subentry_id], self.options)
        self.async_update_listeners()
        self._reschedule()

    # Storage

    async def _restore(self, stored: Mapping[str, Any]) -> None:
        self.config_entry.async_on_unload(self.store.close)
        self.requests = RequestBudget(self.provider, self.options, stored)
        # The first poll requests the list.
        self._list_due_at = self.requests.opens_at(is_live_read=False)
        self._issues.report_small_limit(self.requests.limit)
        self._new_vehicles.restore(stored.get("seen"))
        if stored.get(CONF_BASE_URL) == self.config_entry.data.get(CONF_BASE_URL):
            # A restart does not end a pause that the service required.
            pause = (NUMBER.read(stored.get("wait_until")) or 0.0) - time.time()
            # The clock may have been set back since then.
            longest = NUMBER.read(stored.get("wait")) or 0.0
            self.provider.pause.extend(min(pause, longest))
        # A vehicle may have been removed while the account was not loaded.
        names, vins = (read_list(stored.get(key), TEXT.read) for key in ("vehicles", "vins"))
        subentries, configured = self.config_entry.subentries, configured_vins(self.hass)
        await remove_stores(self.hass, *(name for name in names if name not in subentries))
        await update_kept_logs(self.hass)
        remove_statistics(self.hass, (vin for vin in vins if vin.upper() not in configured))

    def _data_to_store(self) -> dict[str, Any]:
        provider = self.provider
        return {
            # These keys are format version 1. A new version must still read them.
            **self.requests.as_json(is_last=self.is_shut_down or self.store.is_closed),
            "vehicles": list(self.vehicles),
            "vins": [vehicle.vin for vehicle in self.vehicles.values()],
            "seen": self._new_vehicles.as_json(),
            "wait_until": time.time() + provider.pause.left,
            "wait": provider.pause.left,
            CONF_BASE_URL: self.config_entry.data.get(CONF_BASE_URL),
            CONF_SIMULATOR: provider.simulator and provider.simulator.as_json(),
        }


def _reload_relevant_data(entry: ConfigEntry[Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the parts of an entry that require a reload when they change: its data, and its vehicles."""
    vehicles = {subentry.subentry_id: subentry.data[CONF_ID] for subentry in entry.subentries.values()}
    return dict(entry.data), vehicles
