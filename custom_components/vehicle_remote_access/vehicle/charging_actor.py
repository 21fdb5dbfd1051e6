"""The charging plan of one vehicle: collects what is known of the car, and sends what was decided."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import datetime, time
import logging
import math
from typing import Any, Final

from homeassistant.components.zone import ENTITY_ID_HOME
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import SUN_EVENT_SUNSET
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_point_in_utc_time, async_track_state_change_event
from homeassistant.helpers.sun import get_astral_event_next, is_up
from homeassistant.util import dt as dt_util

from ..account.issues import BLOCKED_PLAN
from ..account.options import HouseOptions
from ..account.storage import SAVE_SOON
from ..api import errors
from ..api.commands import CHARGE_START, CHARGE_STOP, SET_CHARGING_AMPS, WAKE_UP
from ..api.records import ChargeState
from ..api.value_types import FLAG, TEXT
from ..charging_plan.current import CarLoad, SurplusCharge
from ..charging_plan.decide import (
    NO_PLAN,
    WITHOUT_SLOTS,
    Action,
    Attempts,
    Decision,
    Notice,
    Reach,
    Snapshot,
    decide,
    least_current,
)
from ..charging_plan.departures import Departures
from ..charging_plan.planner import STEP, Reason
from ..charging_plan.session import ChargingSession
from ..drive_log.estimates import usual_departure
from ..drive_log.manager import log_zones
from ..polling.modes import ASLEEP
from ..util.stored_values import read_mapping
from .charging import charging_power
from .command_queue import ACCEPTED, NOT_NEEDED, CommandQueue, CommandResult, Sender
from .departure_calendar import DepartureCalendar
from .derived_values import DerivedValue, ListenerKey
from .drawn_power import DrawnPower
from .house import House
from .known import KnownVehicle
from .plausibility import POSITION
from .price_sensor import PriceSensor

_LOGGER: Final = logging.getLogger(__package__)
_KEYS: Final[tuple[ListenerKey, ...]] = (
    ChargeState.battery_level,
    ChargeState.charge_limit_soc,
    ChargeState.charging_state,
    ChargeState.charge_current_request,
    ChargeState.charger_power,
    ChargeState.conn_charge_cable,
    ChargeState.scheduled_charging_pending,
    ChargeState.time_to_full_charge,
    *POSITION,
    DerivedValue.CURRENT_COMMAND,
    DerivedValue.LAST_COMMAND,
    DerivedValue.CONTACT,
    DerivedValue.LOG,
)
_USUAL_READY_BY: Final = time(7)
_AMPS_RETRY: Final = 30.0
_LONGEST_AMPS_RETRY: Final = 3600.0
_COMMANDS: Final = {Action.START: CHARGE_START, Action.STOP: CHARGE_STOP, Action.WAKE: WAKE_UP}
_STARTS: Final = {CHARGE_START.name: True, CHARGE_STOP.name: False}
# Errors after which a retry is cheap, because the car was not woken
_UNDELIVERED: Final = frozenset(
    error.key
    for error in (
        errors.ServiceDownError,
        errors.NotSentError,
        errors.RefreshFailedError,
        errors.CertificateError,
    )
)
# Only the owner can end these.
_BLOCKED: Final = frozenset({Reason.READ_ONLY, Reason.NOT_WOKEN})


class ChargingActor:
    """Charges one vehicle by a plan, if its owner has turned that on."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        known: KnownVehicle,
        commands: CommandQueue,
        add_listener: Callable[[CALLBACK_TYPE, Iterable[ListenerKey]], CALLBACK_TYPE],
        read: Callable[[], Awaitable[None]],
        is_disabled: Callable[[], bool],
        may_pay: Callable[[], bool],
    ) -> None:
        """`read` reads the vehicle live. `is_disabled`: whether a user has disabled its device.

        `may_pay`: whether the budget has requests for a change by the surplus.
        """
        self.is_on = False
        self.plan = NO_PLAN
        self.notice: Notice | None = None
        self.shown: tuple[object, ...] = (False, None, self.plan, None, HouseOptions())
        """What the entities show of the plan, as of the last notification."""
        self._ready_by: time | None = None
        self._session = ChargingSession()
        self._attempts = Attempts()
        self._hass = hass
        self._entry = entry
        self._known = known
        self._commands = commands
        self._add_listener = add_listener
        self._read = read
        self._is_disabled = is_disabled
        self._may_pay = may_pay
        self._surplus = SurplusCharge()
        self._amps_failures = 0
        self._amps_retry_at = 0.0
        self.drawn = DrawnPower(hass, known)
        self.house = House.of(hass)
        self._calendar = DepartureCalendar(hass, entry, self.update)
        self._task: asyncio.Task[None] | None = None
        self._task_charges: bool | None = None
        """What the plan wants the car to do, for which `_task` sends commands: `Decision.wants_charge`."""
        self._unreached_at = hass.loop.time()
        """When the car was last not online, or else when Home Assistant started, by the monotonic clock."""
        self._followed: list[str] = []
        """The entities to whose changes the plan listens."""
        self._remove_listeners: list[CALLBACK_TYPE] = []
        self._cancel_timer: CALLBACK_TYPE = lambda: None
        self._price_sensor = PriceSensor(hass)

    @property
    def ready_by(self) -> time:
        """The local time by which the car must be charged. At first, it is before the usual departure."""
        if self._ready_by is not None:
            return self._ready_by
        log, zone = self._known.log, dt_util.get_default_time_zone()
        usual = log.cached("usual_departure", zone, lambda: usual_departure(log.drives, zone))
        return usual or _USUAL_READY_BY

    @property
    def start(self) -> datetime | None:
        """When charging will start, or when the current charge has started."""
        start, since = self.plan.start, self._charging_since
        # The plan begins with the current step.
        has_begun = start is not None and start <= dt_util.utcnow().timestamp()
        if has_begun and since is not None and self._known.vehicle.charge_state.is_charging:
            start = since
        return local_time(start)

    @property
    def _is_active(self) -> bool:
        return self.is_on and not self._is_disabled()

    # What the owner sets

    def turn(self, *, is_on: bool) -> None:
        """Turn the plan on or off, and forget whether a person has started or stopped the charge."""
        self.is_on = is_on
        self._session = self._session.restarted()
        # The habits change, but what the owner has seen does not.
        self._ready_by = self.ready_by
        self._save()
        self.update()

    def set_ready_by(self, ready_by: time) -> None:
        self._ready_by = ready_by
        self._save()
        self.update()

    def as_json(self) -> dict[str, Any]:
        ready_by = self._ready_by and self._ready_by.isoformat()
        session = self._session.as_json()
        stored: dict[str, Any] = {"is_on": self.is_on, "ready_by": ready_by, "session": session}
        # Owners without sensors of the house store what they stored before.
        if self.house.options.entities or self._surplus != SurplusCharge():
            stored |= {"surplus": self._surplus.as_json(), "drawn": self.drawn.as_json()}
        if self._calendar.departures is not None:
            stored["departures"] = [*self._calendar.departures]
        return stored

    def restore(self, stored: Any) -> None:
        values = read_mapping(stored)
        self.is_on = bool(FLAG.read(values.get("is_on")))
        self._ready_by = dt_util.parse_time(TEXT.read(values.get("ready_by")) or "")
        self._session = ChargingSession.restored(values.get("session"))
        self._surplus = SurplusCharge.restored(values.get("surplus", {}))
        self.drawn.restore(read_mapping(values.get("drawn")))
        self._calendar.restore(values.get("departures"))

    def _save(self) -> None:
        self._known.store.schedule_save(SAVE_SOON)

    # Deciding and acting

    @callback
    def update(self, _cause: object = None) -> None:
        """Decide again with what is known now, and send what was decided."""
        self._cancel_timer()
        if self._known.is_shut_down:
            return
        self._follow()
        # A plan that is off costs nothing, once the current is again what a person has set.
        is_needed = self._is_active or (self._session.usual_amps is not None and not self._is_disabled())
        surplus = replace(self._surplus, is_on=False, differs_since=None)
        off = Decision(NO_PLAN, self._session, surplus=surplus)
        decision = decide(self._snapshot()) if is_needed else off
        if decision.action is not None or decision.plan.reason is not self.plan.reason:
            start = local_time(decision.plan.start)
            when = "not planned" if start is None else f"{start:%a %H:%M}"
            values = decision.plan.reason, when, decision.action or "nothing"
            _LOGGER.debug("%s: charging plan %s, start %s, sends %s", self._known.title, *values)
        self.plan, self._attempts, self.notice = decision.plan, decision.attempts, decision.notice
        self._set_session(decision.session)
        self._set_surplus(decision.surplus)
        if decision.next_at < math.inf:
            at = dt_util.utc_from_timestamp(decision.next_at)
            self._cancel_timer = async_track_point_in_utc_time(self._hass, self.update, at)
        self._act(decision)
        is_blocked = self.plan.reason in _BLOCKED
        self._known.issues.report(BLOCKED_PLAN, {} if is_blocked else None, self._known.subentry_id)
        before = self.shown
        self.shown = self.is_on, self._ready_by, self.plan, self.notice, self.house.options
        if self.shown != before:
            self._known.notify()

    def stop(self) -> None:
        self._cancel_timer()
        self._calendar.select(None)
        self._stop_listening()
        self.house.remove(self)

    def _follow(self) -> None:
        """Listen to the car, its home and the prices while the plan is on."""
        price_entity = self._known.options.price_entity
        self._price_sensor.select(price_entity)
        self._calendar.select(self._known.options.departure_calendar if self._is_active else None)
        self.house.add(self)
        # A plan that is off restores the current.
        is_needed = self._is_active or self._session.usual_amps is not None
        followed = [ENTITY_ID_HOME, *filter(None, [price_entity])] if is_needed else []
        if followed == self._followed:
            return
        self._stop_listening()
        self._followed = followed
        if followed:
            self._remove_listeners = [
                self._add_listener(self.update, _KEYS),
                async_track_state_change_event(self._hass, followed, self.update),
            ]

    def _stop_listening(self) -> None:
        while self._remove_listeners:
            self._remove_listeners.pop()()

    def _set_session(self, session: ChargingSession) -> None:
        before, self._session = self._session, session
        if session != before:
            self._save()

    def _set_surplus(self, surplus: SurplusCharge) -> None:
        before, self._surplus = self._surplus, surplus
        # A restart may begin the minutes of waiting again.
        if (before.is_on, before.changes) != (surplus.is_on, surplus.changes):
            self._save()

    def _act(self, decision: Decision) -> None:
        """Send the commands that were decided. Cancel those that do the opposite."""
        if self._task is not None and decision.wants_charge is not self._task_charges:
            self._task.cancel()
        if decision.action is not None or decision.amps is not None:
            self._task_charges = decision.wants_charge
            send = self._async_send(decision.amps, decision.action)
            self._task = self._entry.async_create_background_task(
                self._hass, send, "Charging plan", eager_start=False
            )
            self._task.add_done_callback(self._on_sent)

    def _on_sent(self, _task: asyncio.Task[None]) -> None:
        self._task = None
        self.update()

    async def _async_send(self, amps: float | None, action: Action | None) -> None:
        # The sensor "Car state" shows a failure.
        try:
            if amps is not None:
                await self._async_send_amps(amps)
            if action is not None:
                await self._commands.async_send(_COMMANDS[action], None, Sender.CHARGING_PLAN)
            if action is Action.WAKE:
                await self._read()
        except HomeAssistantError as error:
            retry_at = self._attempts.retry_at
            if error.translation_key in _UNDELIVERED:
                retry_at = min(retry_at, dt_util.utcnow().timestamp() + STEP)
            self._attempts = replace(self._attempts, retry_at=retry_at, reach=self._reach, has_woken=False)

    async def _async_send_amps(self, amps: float) -> None:
        """Set the current. A failure is tried again after a minute, and then later each time."""
        now = dt_util.utcnow().timestamp()
        reported = self._known.vehicle.charge_state.charge_current_request
        self._amps_failures += 1
        self._amps_retry_at = now + min(_AMPS_RETRY * 2**self._amps_failures, _LONGEST_AMPS_RETRY)
        # The car may have got it even if its answer is lost.
        self._set_session(self._session.with_amps(amps, reported or amps))
        _LOGGER.debug("%s: charging plan sets %s A (%s)", self._known.title, amps, self.notice)
        # Until the meter shows the new current, its reports say nothing about the rest of the house.
        self.drawn.on_change()
        await self._commands.async_send(SET_CHARGING_AMPS, None, Sender.CHARGING_PLAN, charging_amps=amps)
        self._amps_failures, self._amps_retry_at = 0, 0.0
        if amps == self._session.usual_amps:
            self._set_session(self._session.with_usual_amps())
        self.drawn.on_change()

    def on_result(self, result: CommandResult) -> None:
        """Remember whether a person or the plan has started or stopped the charge."""
        charge = _STARTS.get(result.command)
        is_done = result.result in (ACCEPTED, NOT_NEEDED)
        if charge is None or not self._is_active:
            return
        self.drawn.on_change()
        session = self._session
        if result.sender is Sender.CHARGING_PLAN:
            if is_done or result.result == errors.OutcomeUnknownError.key:
                session = replace(session, asked=charge)
        elif is_done:
            session = session.by_person(
                charge=charge,
                was_needed=result.result == ACCEPTED,
                is_planned=self.plan.is_charging_at(dt_util.utcnow().timestamp()),
            )
        self._set_session(session)

    # What is known

    @property
    def contact(self) -> tuple[object, ...]:
        """Whether the car was read, can be reached, is asleep, and is another one."""
        return self._is_read, self._reach, self._is_asleep, self._known.is_other_vehicle

    @property
    def _is_read(self) -> bool:
        """Whether the car has shown what it does, since it woke and since the last command."""
        is_expected = bool(self._commands.pending) or self._commands.confirmation.is_unconfirmed
        return self._known.was_seen_since(self._unreached_at) and not is_expected

    @property
    def _reach(self) -> Reach:
        known = self._known
        is_reported = known.is_state_listed or not known.provider.reports_states
        is_online = not (known.vehicle.is_online is False and is_reported)
        return Reach(service=known.provider.is_reachable is not False, car=is_online)

    @property
    def _is_asleep(self) -> bool:
        # A car that is listed as online, but does not answer, may only be out of coverage.
        is_known = self._known.vehicle.state == self._known.tracker.state == ASLEEP
        return is_known and not self._reach.car

    @property
    def _charging_since(self) -> float | None:
        charge = self._known.log.charge_tracker.open
        return None if charge is None else charge.start

    def _snapshot(self) -> Snapshot:
        vehicle, now, reach = self._known.vehicle, dt_util.now(), self._reach
        if not reach.car:
            self._unreached_at = self._hass.loop.time()
        power, awaited_for = charging_power(vehicle.charge_state), self._price_sensor.awaited_for
        house, is_at_home, is_asleep = self.house.share(self), self._is_at_home(), self._is_asleep
        is_elsewhere = not is_at_home or is_asleep or vehicle.charge_state.fast_charger_present
        self.drawn.update(house.surplus or 0.0, self._usual_amps, is_at_home=not is_elsewhere)
        return Snapshot(
            now=now,
            is_on=self.is_on,
            vehicle=vehicle,
            power=None if power is None else power / 1000,
            charging_since=self._charging_since,
            is_at_home=is_at_home,
            is_read=self._is_read,
            is_asleep=is_asleep,
            is_other_vehicle=self._known.is_other_vehicle,
            is_busy=self._task is not None or bool(self._commands.pending),
            reach=reach,
            departures=self._departures,
            options=self._known.options,
            usual_speed=self.drawn.usual_speed(self._usual_amps if house.has_surplus else None),
            prices=self._price_sensor.prices(now),
            prices_awaited_until=now.timestamp() + awaited_for if awaited_for else 0.0,
            session=self._session,
            attempts=self._attempts,
            plan=self.plan,
            house=house,
            surplus=self._surplus,
            sunset=self._sunset(now) if house.has_surplus else 0.0,
            can_set_amps=self.drawn.can_set_amps,
            may_pay=self._may_pay(),
            amps_retry_at=self._amps_retry_at,
        )

    @property
    def _departures(self) -> Departures:
        weekdays = self._known.options.departures
        return Departures(usual=self.ready_by, weekdays=weekdays, events=self._calendar.departures)

    # What the car takes from the house

    @property
    def load(self) -> CarLoad | None:
        """What the car takes from the house; None if the plan does not act on it."""
        charge, plan, now = self._known.vehicle.charge_state, self.plan, dt_util.utcnow().timestamp()
        usual = self._usual_amps
        if not (self._is_active and charge.is_plugged_in and usual and self._is_at_home()):
            return None
        if charge.fast_charger_present or plan.reason in (Reason.READ_ONLY, Reason.OTHER_VEHICLE):
            return None
        is_manual = plan.reason is Reason.MANUAL
        drawn = 0.0 if self._is_asleep else self.drawn.amps
        return CarLoad(
            drawn=drawn,
            least=least_current(self._known.options, usual, can_set=self.drawn.can_set_amps),
            most=usual,
            watts=self.drawn.watts(usual),
            wants_charge=plan.is_charging_at(now) or (is_manual and drawn > 0),
            takes_surplus=bool(plan.slots) or plan.reason in WITHOUT_SLOTS,
            priority=(not is_manual, plan.ready_by or math.inf),
        )

    @property
    def _usual_amps(self) -> float | None:
        return self._session.current_of_person(self._known.vehicle.charge_state.charge_current_request)

    def _sunset(self, now: datetime) -> float:
        if not is_up(self._hass, now):
            return 0.0
        sunset = get_astral_event_next(self._hass, SUN_EVENT_SUNSET, now)
        return sunset.timestamp()

    def _is_at_home(self) -> bool | None:
        position = self._known.vehicle.drive_state.position
        if position is None:
            return None
        zone = log_zones(self._hass).containing(*position)
        return zone is not None and zone.is_home


def local_time(moment: float | None) -> datetime | None:
    return None if moment is None else dt_util.as_local(dt_util.utc_from_timestamp(moment))
