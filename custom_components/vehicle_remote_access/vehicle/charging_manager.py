"""The charging plan of one vehicle: it plans with what is known of the car, and starts and stops charging."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
import math
from typing import Any, Final

from homeassistant.components.zone import ENTITY_ID_HOME
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_point_in_utc_time, async_track_state_change_event
from homeassistant.util import dt as dt_util

from ..account.storage import SAVE_SOON, DataStore
from ..api.commands import CHARGE_START, CHARGE_STOP, WAKE_UP
from ..api.errors import (
    CertificateError,
    NotSentError,
    OutcomeUnknownError,
    RefreshFailedError,
    ServiceDownError,
)
from ..api.records import ChargeState, DriveState
from ..api.value_types import FLAG, TEXT
from ..charging_plan.cheapest import SHORTEST_BLOCK
from ..charging_plan.planner import (
    LOW_LEVEL,
    MOST_STARTS,
    STEP,
    ChargingNeed,
    ChargingPlan,
    Reason,
    cheap_hours,
    make_plan,
)
from ..charging_plan.session import NO_POWER, ChargingSession
from ..charging_plan.slots import Slot
from ..drive_log.estimates import ChargingSpeed, charging_speed, usual_departure
from ..drive_log.manager import DriveLogManager, log_zones
from ..polling.local_time import DAY
from ..polling.stored_values import read_mapping
from .command_queue import ACCEPTED, NOT_NEEDED, CommandQueue, CommandResult
from .derived_values import DerivedValue, ListenerKey
from .price_sensor import PriceSensor
from .reader import VehicleReader

_KEYS: Final[tuple[ListenerKey, ...]] = (
    ChargeState.battery_level,
    ChargeState.charge_limit_soc,
    ChargeState.charging_state,
    ChargeState.conn_charge_cable,
    DriveState.latitude,
    DriveState.longitude,
    DriveState.native_latitude,
    DriveState.native_longitude,
    DerivedValue.CURRENT_COMMAND,
    DerivedValue.LAST_COMMAND,
    DerivedValue.KNOWN_ACTION,
    DerivedValue.LOG,
    DerivedValue.OPTIONS,
)
_USUAL_READY_BY: Final = time(7)
# Each attempt may wake the car, which costs its battery, and money with some services.
_LONGEST_RETRY: Final = 4 * STEP
# kWh. Each percent of the level is more.
_ROUNDING: Final = 1e-6
# Results after which a retry is cheap, because the car was not woken
_UNDELIVERED: Final = frozenset(
    error.key for error in (ServiceDownError, NotSentError, RefreshFailedError, CertificateError)
)
_COMMANDS: Final = frozenset({CHARGE_START.name, CHARGE_STOP.name})
# Only the owner can change this.
_BLOCKED: Final = frozenset({Reason.READ_ONLY, Reason.NOT_WOKEN})


def _nothing() -> None:
    """Cancel nothing."""


class ChargingPlanManager:
    """Charges one vehicle by a plan, if its owner has turned that on."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        reader: VehicleReader,
        commands: CommandQueue,
        log_manager: DriveLogManager,
        store: DataStore,
        add_listener: Callable[[CALLBACK_TYPE, Iterable[ListenerKey]], CALLBACK_TYPE],
        read: Callable[[], Awaitable[None]],
        is_disabled: Callable[[], bool],
        on_change: Callable[[], None],
    ) -> None:
        """`add_listener` calls a listener when data of the vehicle has changed.

        `read` reads the vehicle live. `is_disabled`: whether a user has disabled its device. `on_change` is
        called when something changed that is shown.
        """
        self.is_on = False
        self.plan = ChargingPlan(reason=Reason.OFF)
        self.shown: tuple[bool, time | None, ChargingPlan] = (False, None, self.plan)
        self._ready_by: time | None = None
        self._session = ChargingSession()
        self._hass = hass
        self._entry = entry
        self._reader = reader
        self._commands = commands
        self._log_manager = log_manager
        self._store = store
        self._add_listener = add_listener
        self._read = read
        self._is_disabled = is_disabled
        self._on_change = on_change
        self._time = reader.service.time
        self._is_sending = False
        self._known_result: CommandResult | None = None
        """The last command's result that is known to be by the plan, or by a person."""
        self._attempts = 0
        """How many commands in a row had no effect."""
        self._retry_at = 0.0
        self._woken_until = 0.0
        """The end of the step for which the car was woken and read, because it must charge in it."""
        self._remove_listeners: list[CALLBACK_TYPE] = []
        self._cancel_timer: CALLBACK_TYPE = _nothing
        self._price_sensor = PriceSensor(hass, self._time, self.update)

    @property
    def ready_by(self) -> time:
        """The local time by which the car must be charged. At first, it is before the usual departure."""
        if self._ready_by is not None:
            return self._ready_by
        log, zone = self._log_manager.log, dt_util.get_default_time_zone()
        usual = log.cached("usual_departure", zone, lambda: usual_departure(log.drives, zone))
        return usual or _USUAL_READY_BY

    @property
    def start(self) -> datetime | None:
        """When charging starts, or when the charge that goes on has started."""
        start, charge = self.plan.start, self._log_manager.log.charge_tracker.open
        if charge is not None and self._reader.vehicle.charge_state.is_charging and start is not None:
            # The plan begins with the step of now.
            start = charge.start if start <= self._time.local_now().timestamp() else start
        return self.local_time(start)

    def local_time(self, moment: float | None) -> datetime | None:
        """Return a time of the plan as local time, which is that of the car."""
        return None if moment is None else dt_util.as_local(dt_util.utc_from_timestamp(moment))

    @property
    def _is_active(self) -> bool:
        return self.is_on and not self._is_disabled()

    # What the owner sets

    @callback
    def turn(self, *, is_on: bool) -> None:
        """Turn the plan on or off. Turning it on also ends that a person decides on the charge."""
        self.is_on = is_on
        self._session = ChargingSession()
        # The habits change, but what the owner has seen does not.
        self._ready_by = self.ready_by
        self._save()
        self.update()

    @callback
    def set_ready_by(self, ready_by: time) -> None:
        self._ready_by = ready_by
        self._save()
        self.update()

    # Storage

    def as_json(self) -> dict[str, Any]:
        ready_by = self._ready_by and self._ready_by.isoformat()
        return {"is_on": self.is_on, "ready_by": ready_by, "session": self._session.as_json()}

    @callback
    def restore(self, stored: Any) -> None:
        values = read_mapping(stored)
        self.is_on = bool(FLAG.read(values.get("is_on")))
        self._ready_by = dt_util.parse_time(TEXT.read(values.get("ready_by")) or "")
        self._session = ChargingSession.from_json(values.get("session"))

    def _save(self) -> None:
        self._store.schedule_save(SAVE_SOON)

    # Planning and acting

    @callback
    def update(self) -> None:
        """Plan again with what is known now, and start or stop charging if the plan says so."""
        self._cancel_timer()
        self._cancel_timer = _nothing
        if self._reader.is_shut_down:
            return
        self._follow()
        self.plan = ChargingPlan(reason=Reason.OFF)
        if self._is_active:
            now = self._time.local_now()
            self._observe(now.timestamp())
            self.plan = self._make_plan(now)
            self._act(now.timestamp())
        self._reader.issues.report_blocked_plan(
            self._reader.subentry_id, is_blocked=self.plan.reason in _BLOCKED
        )
        before, self.shown = self.shown, (self.is_on, self._ready_by, self.plan)
        if self.shown != before:
            self._on_change()

    def stop(self) -> None:
        self._cancel_timer()
        self._price_sensor.stop()
        self._stop_listening()

    def _stop_listening(self) -> None:
        while self._remove_listeners:
            self._remove_listeners.pop()()

    @callback
    def _home_changed(self, _event: Event[EventStateChangedData]) -> None:
        self.update()

    def _observe(self, now: float) -> None:
        """Find out whether a person has started or stopped the charge."""
        if self._is_sending:
            return
        vehicle, before = self._reader.vehicle, self._session
        charge, result = vehicle.charge_state, self._commands.last_result
        if result is not self._known_result:
            self._known_result = result
            if result is not None and result.command in _COMMANDS and result.result in (ACCEPTED, NOT_NEEDED):
                self._session = self._session.by_person()
        if self._is_read and (is_plugged_in := charge.is_plugged_in) is not None:
            self._session = self._session.observed(
                now,
                charge.charging_state,
                vehicle.vehicle_state.odometer,
                is_plugged_in=is_plugged_in,
                is_scheduled=bool(charge.scheduled_charging_pending),
            )
        if self._session != before:
            self._save()

    @property
    def known_action(self) -> tuple[bool, bool, bool]:
        """What is known of the car besides its fields: whether it was read, is asleep, and is another one."""
        return self._is_read, self._is_asleep, self._reader.is_other_vehicle

    @property
    def _is_read(self) -> bool:
        """Whether a live read has shown what the car does, also after the last command."""
        is_expected = bool(self._commands.pending) or self._commands.confirmation.is_unconfirmed
        return self._reader.read_started_at > -math.inf and not is_expected

    @property
    def _is_asleep(self) -> bool:
        """Whether the car is known not to be online, so that no live read will show what it does."""
        reader = self._reader
        is_reported = reader.is_state_listed or not reader.service.reports_states
        return reader.vehicle.is_online is False and is_reported

    def _obstacle(self) -> Reason | None:
        """Return why the plan does nothing, if there is a reason."""
        charge, options = self._reader.vehicle.charge_state, self._reader.options
        position = self._reader.vehicle.drive_state.position
        zone = log_zones(self._hass).at(*position) if position else None
        obstacles = {
            Reason.READ_ONLY: options.is_read_only,
            Reason.OTHER_VEHICLE: self._reader.is_other_vehicle,
            Reason.UNPLUGGED: charge.is_plugged_in is False,
            Reason.NOT_WOKEN: not (options.wake_for_commands or options.keep_awake_plugged_in),
            Reason.UNKNOWN: None
            in (
                charge.is_plugged_in,
                charge.charging_state,
                charge.battery_level,
                charge.charge_limit_soc,
            ),
            Reason.POSITION_UNKNOWN: position is None,
            Reason.AWAY: zone is None or not zone.is_home or charge.fast_charger_present,
            Reason.MANUAL: self._session.is_manual,
        }
        return next((reason for reason, is_met in obstacles.items() if is_met), None)

    def _make_plan(self, now: datetime) -> ChargingPlan:
        if (obstacle := self._obstacle()) is not None:
            return ChargingPlan(reason=obstacle)
        charge, session, options = self._reader.vehicle.charge_state, self._session, self._reader.options
        level, limit = charge.battery_level or 0.0, charge.charge_limit_soc or 0.0
        # A cold battery can be complete below its limit. If the limit is raised, the car goes on by itself.
        is_complete = charge.charging_state == "complete"
        speed = self._speed()
        per_percent = 1.0 if speed is None else speed.per_percent
        energy = 0.0 if is_complete else max(0.0, limit - level) * per_percent
        ready_by = _next(now, self.ready_by)
        charges_until, must_go_on = self._charges_until(now.timestamp(), ready_by)
        starts = session.starts_until(ready_by)
        prices, are_ranks = self._known_prices(now, ready_by)
        plan = make_plan(
            ChargingNeed(
                now=now.timestamp(),
                ready_by=ready_by,
                energy=energy,
                urgent=energy if must_go_on else min(energy, max(0.0, LOW_LEVEL - level) * per_percent),
                speed=speed,
                prices=prices,
                are_ranks=are_ranks,
                charges_until=charges_until,
                starts=1 if options.charge_without_break else max(1, MOST_STARTS - starts),
                is_too_late=self._was_too_late(ready_by, energy),
            )
        )
        if level < LOW_LEVEL and plan.reason not in (Reason.AT_LIMIT, Reason.TOO_LATE):
            return replace(plan, reason=Reason.LOW_LEVEL)
        return plan

    def _was_too_late(self, ready_by: float, energy: float) -> bool:
        """Return whether the last plan was too late for the same time, and for no less energy."""
        plan = self.shown[-1]
        more = energy - (plan.energy or 0.0) - plan.missing
        return plan.reason is Reason.TOO_LATE and plan.ready_by == ready_by and more < _ROUNDING

    def _charges_until(self, now: float, ready_by: float) -> tuple[float | None, bool]:
        """Return until when the charge that goes on now is not to be stopped, and whether never.

        None if the car does not charge, and was not woken to charge now. What the car has started by itself
        may be stopped at once.
        """
        if not self._reader.vehicle.charge_state.is_charging:
            return (self._woken_until if now < self._woken_until else None), False
        charge = self._log_manager.log.charge_tracker.open
        since = now if charge is None else charge.start
        was_to_be_ready = since < ready_by - DAY
        must_be_one_block = self._reader.options.charge_without_break
        may_not_start = was_to_be_ready or self._session.starts_until(ready_by) >= MOST_STARTS
        if not self._session.asked:
            return (None if must_be_one_block else now), may_not_start
        until = (round(since / STEP) + SHORTEST_BLOCK) * STEP
        if self.shown[-1].is_charging_at(now):
            # The plan changes with each percent of the level. A step that has begun is not given up.
            until = max(until, (now // STEP + 1) * STEP)
        return until, may_not_start or must_be_one_block

    def _speed(self) -> ChargingSpeed | None:
        log, zones = self._log_manager.log, log_zones(self._hass)
        efficiency = log.charge_tracker.efficiency
        return log.cached(
            "charging_speed",
            (zones, efficiency),
            lambda: charging_speed(filter(zones.is_charge_at_home, log.charges), log.capacity, efficiency),
        )

    def _known_prices(self, now: datetime, ready_by: float) -> tuple[Sequence[Slot], bool]:
        """Return the prices, and whether they only say which hours are cheap."""
        options = self._reader.options
        if prices := self._price_sensor.prices(now):
            return prices, False
        if options.cheap_hours is not None:
            return cheap_hours(*options.cheap_hours, now, ready_by), True
        if options.price is not None:
            return [Slot(now.timestamp() - STEP, ready_by, options.price)], False
        return (), False

    def _follow(self) -> None:
        """Listen to the car, its home and the prices while the plan is on."""
        if self._is_active and not self._remove_listeners:
            self._remove_listeners = [
                self._add_listener(self.update, _KEYS),
                async_track_state_change_event(self._hass, ENTITY_ID_HOME, self._home_changed),
            ]
        elif not self._is_active:
            self._stop_listening()
        self._price_sensor.follow(self._reader.options.price_entity if self._is_active else None)

    def _act(self, now: float) -> None:
        """Start or stop charging, and set the timer.

        A command without an effect is repeated. A plan that has slots has one now or later, so what is
        stopped is started again.
        """
        plan, charge = self.plan, self._reader.vehicle.charge_state
        is_wanted = plan.is_charging_at(now)
        moments = [plan.changes_at(now), plan.ready_by or math.inf]
        is_due = False
        if not plan.slots or is_wanted is charge.is_charging or charge.charging_state == NO_POWER:
            if self._is_read:
                self._attempts = 0
        elif wait := self._price_sensor.awaited_for:
            moments.append(now + wait * self._time.factor)
        elif self._can_send:
            if is_due := self._attempts == 0 or now >= self._retry_at:
                self._retry_at = now + min(STEP * 2**self._attempts, _LONGEST_RETRY)
                self._attempts += 1
            moments.append(self._retry_at)
        if (next_at := min(moments)) < math.inf:
            moment = dt_util.utc_from_timestamp(self._time.real(next_at))
            self._cancel_timer = async_track_point_in_utc_time(self._hass, self._on_time, moment)
        if is_due:
            self._entry.async_create_background_task(
                self._hass, self._async_send(charge=is_wanted), "Charging plan"
            )

    @property
    def _can_send(self) -> bool:
        """Whether no command waits or runs, and it is known what the car does, or it may be woken."""
        is_busy = self._is_sending or bool(self._commands.pending)
        may_wake = self._is_asleep and self._reader.options.wake_for_commands
        return not is_busy and (self._is_read or may_wake)

    @callback
    def _on_time(self, _now: datetime) -> None:
        self.update()

    async def _async_send(self, *, charge: bool) -> None:
        before, self._is_sending = self._session, True
        # The sensor "Car state" shows a failure.
        try:
            if not self._is_read:
                # It fell asleep before it was read after the last command. Or it was parked elsewhere while
                # Home Assistant was off. A new level may move the start by a step, for which it is not woken
                # twice.
                if charge:
                    self._woken_until = (self._time.local_now().timestamp() // STEP + 1) * STEP
                await self._commands.async_send(WAKE_UP)
                await self._read()
                if not self._is_asleep:
                    self._attempts = 0
            else:
                ready_by = _next(self._time.local_now(), self.ready_by)
                self._session = before.asking(charge=charge, ready_by=ready_by)
                await self._commands.async_send(CHARGE_START if charge else CHARGE_STOP)
        except HomeAssistantError:
            result = self._commands.last_result
            if result is None or result.result != OutcomeUnknownError.key:
                self._session = self._session.without_effect(before)
            if result is not None and result.result in _UNDELIVERED:
                self._retry_at = min(self._retry_at, self._time.local_now().timestamp() + STEP)
        finally:
            self._is_sending, self._known_result = False, self._commands.last_result
            self._save()
            self.update()


def _next(now: datetime, moment: time) -> float:
    """Return when it is this local time next, in Unix seconds."""
    today = datetime.combine(now.date(), moment, now.tzinfo)
    # Two local times that are compared would be wrong in the hour that the clock shows twice.
    is_later = today.timestamp() > now.timestamp()
    return (today if is_later else today + timedelta(days=1)).timestamp()
