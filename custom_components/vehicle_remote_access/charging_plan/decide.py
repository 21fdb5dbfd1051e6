"""What the charging plan does now: a pure function of what is known. Times are Unix seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum, auto
from itertools import pairwise
import math
from typing import Final, NamedTuple

from ..account.options import VehicleOptions
from ..api.records import CHARGING_STATES, ChargeState, Vehicle
from ..drive_log.estimates import ChargingSpeed
from ..util.local_time import DAY, HOUR
from ..util.tariff import Tariff
from .cheapest import SHORTEST_BLOCK
from .current import MOST_CHANGES, WAITS_FOR, HouseShare, SurplusCharge
from .departures import Departures
from .planner import LOW_LEVEL, STEP, ChargingNeed, ChargingPlan, Reason, make_charging_plan
from .session import NO_POWER, ChargingSession
from .slots import Slot

# Each attempt can wake the car, which uses energy, and some services charge for it.
_LONGEST_RETRY: Final = 4 * STEP
# The power rises for some seconds after the start of a charge.
_RAMP: Final = 30.0
# A car that starts by itself shows its power within this time. Then the plan stops it.
_MEASURED_WITHIN: Final = 120.0
# The kW that the car itself uses while it charges, whatever the power
_OWN_USE: Final = 0.25
# Hours. The car rounds the remaining time up to quarters of an hour.
_ROUNDING: Final = 0.25
# kWh. A smaller difference is a rounding error, because a percent of the level is more.
_LEAST_ENERGY: Final = 1e-6
NO_PLAN: Final = ChargingPlan(reason=Reason.OFF)
WITHOUT_SLOTS: Final = frozenset({Reason.NOT_NEEDED, Reason.SURPLUS})
"""Why only surplus power charges the car"""
# The surplus rises and falls until sunset. Its mean is about so much of the present one.
_LASTING_SHARE: Final = 0.6


class Action(StrEnum):
    """What is sent to the car."""

    START = auto()
    STOP = auto()
    WAKE = auto()
    """Wake the car and read it. Only then is it known whether it must be started."""


class Reach(NamedTuple):
    """What can be reached now."""

    service: bool = True
    car: bool = True
    """Whether the car is online, as far as that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """What was sent in a row without an effect."""

    count: int = 0
    retry_at: float = 0.0
    reach: Reach = Reach()  # noqa: RUF009 - it is immutable
    """What could be reached when the last attempt failed."""
    has_woken: bool = False
    """Whether the last attempt woke the car. Then the command to start belongs to the same attempt."""
    woken_until: float = 0.0
    """Until when a car that was woken to charge does so, even if its new level allows a later start."""

    def after(self, action: Action, now: float) -> Attempts:
        if self._goes_on(action):
            return replace(self, has_woken=False)
        is_wake = action is Action.WAKE
        return Attempts(
            count=self.count + 1,
            retry_at=now + min(STEP * 2**self.count, _LONGEST_RETRY),
            has_woken=is_wake,
            woken_until=(now // STEP + 1) * STEP if is_wake else self.woken_until,
        )

    def due_at(self, action: Action, reach: Reach) -> float:
        """Return when to send an action: at once for the first time, or if something is reachable again."""
        is_reachable_again = any(is_now and not was for is_now, was in zip(reach, self.reach, strict=True))
        is_due = not self.count or is_reachable_again or self._goes_on(action)
        return 0.0 if is_due else self.retry_at

    def _goes_on(self, action: Action) -> bool:
        return self.has_woken and action is Action.START


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What is known of the car, its owner's wishes and the prices at one moment."""

    now: datetime
    """Local time."""
    is_on: bool = True
    """Whether the owner wants the plan."""
    vehicle: Vehicle
    power: float | None = None
    """The kW that the charger draws."""
    charging_since: float | None = None
    """When the charge that goes on was first seen."""
    is_at_home: bool | None = True
    is_read: bool = True
    """Whether the car has shown what it does, since it woke and since the last command."""
    is_asleep: bool = False
    is_other_vehicle: bool = False
    is_busy: bool = False
    """Whether a command waits or runs, or the car is read after it was woken."""
    reach: Reach = Reach()  # noqa: RUF009
    departures: Departures
    options: VehicleOptions
    usual_speed: ChargingSpeed | None = None
    """The speed of earlier charges at home."""
    prices: Sequence[Slot] = ()
    """What the price sensor lists."""
    prices_awaited_until: float = 0.0
    """Until when the price sensor may still become available."""
    session: ChargingSession
    attempts: Attempts = Attempts()
    plan: ChargingPlan = NO_PLAN
    """The last plan."""
    house: HouseShare = HouseShare()  # noqa: RUF009
    surplus: SurplusCharge = SurplusCharge()  # noqa: RUF009
    sunset: float = 0.0
    """The next one; 0 at night."""
    can_set_amps: bool = True
    may_pay: bool = True
    """Whether the budget of requests has one for a change by the surplus."""
    amps_retry_at: float = 0.0
    """When to send a current again that the car has not got."""

    @property
    def charge_state(self) -> ChargeState:
        return self.vehicle.charge_state

    @property
    def usual_amps(self) -> float | None:
        """The current that a person has set, which the plan never exceeds; None if unknown."""
        return self.session.current_of_person(self.charge_state.charge_current_request)

    @property
    def least_amps(self) -> float:
        return least_current(self.options, self.usual_amps or math.inf, can_set=self.can_set_amps)

    @property
    def is_charging(self) -> bool:
        """Whether the car charges. A car that sleeps does not, whatever its last answer says."""
        return bool(self.charge_state.is_charging) and not self.is_asleep


class Notice(StrEnum):
    """What the house changes in the charge."""

    LIMIT_SILENT = auto()
    """The sensor of the limit is silent, so the car charges with the least current."""
    WAITS_FOR_HOUSE = auto()
    LIMITED = auto()
    """The house leaves less than the usual current."""
    SURPLUS_SILENT = auto()
    SURPLUS = auto()


class Decision(NamedTuple):
    """The plan, and what to do for it."""

    plan: ChargingPlan
    session: ChargingSession
    wants_charge: bool | None = None
    """Whether the plan wants the car to charge now; None if it leaves that to others."""
    action: Action | None = None
    amps: float | None = None
    """The current to set before the action; None if it stays."""
    attempts: Attempts = Attempts()
    surplus: SurplusCharge = SurplusCharge()
    notice: Notice | None = None
    next_at: float = math.inf
    """When to decide again at the latest."""


def decide(snapshot: Snapshot) -> Decision:
    now, last_state = snapshot.now.timestamp(), snapshot.session.state
    was_idle = last_state is not None and last_state not in CHARGING_STATES
    if was_idle and snapshot.is_charging and not snapshot.power:
        # The charge has just started, or its state is wrong: the next read shows which.
        snapshot = replace(snapshot, is_read=False)
    snapshot = replace(snapshot, session=_observed_session(snapshot, now))
    plan = _current_plan(snapshot, now)
    surplus = _next_surplus(snapshot, plan, now)
    is_left_over = snapshot.session.is_for_surplus and snapshot.is_charging and not plan.is_charging_at(now)
    session = replace(snapshot.session, is_for_surplus=surplus.is_on or is_left_over)
    next_at = min(plan.changes_at(now), plan.ready_by or math.inf, surplus.due_at)
    if plan.if_plugged_in:
        next_at = (now // STEP + 1) * STEP
    decision = Decision(plan, session, attempts=snapshot.attempts, surplus=surplus, next_at=next_at)
    if plan.slots or plan.reason in WITHOUT_SLOTS:
        wants_charge = plan.is_charging_at(now) or surplus.is_on
        if wants_charge and _is_too_little(snapshot):
            decision = decision._replace(surplus=replace(surplus, waits_until=now + WAITS_FOR))
        must_wait = now < decision.surplus.waits_until
        decision = decision._replace(
            wants_charge=wants_charge and not must_wait,
            next_at=min(next_at, decision.surplus.waits_until) if must_wait else next_at,
        )
    if decision.wants_charge is not None:
        decision = _with_action(decision, snapshot, now)
    return _with_amps(_with_notice(decision, snapshot), snapshot, now)


def _next_surplus(snapshot: Snapshot, plan: ChargingPlan, now: float) -> SurplusCharge:
    """Return whether the car charges with surplus power, if the plan acts at all."""
    house = snapshot.house
    can_take = house.has_surplus and snapshot.usual_amps is not None
    if not can_take or not (plan.slots or plan.reason in WITHOUT_SLOTS):
        return replace(snapshot.surplus, is_on=False, differs_since=None)
    available = house.surplus if snapshot.may_pay or snapshot.surplus.is_on else 0.0
    return snapshot.surplus.next(now, snapshot.now.toordinal(), available, snapshot.least_amps)


def _is_too_little(snapshot: Snapshot) -> bool:
    """Return whether the limit of the house leaves less than the car needs."""
    return snapshot.house.limit is not None and snapshot.house.limit < snapshot.least_amps


def _with_notice(decision: Decision, snapshot: Snapshot) -> Decision:
    house, is_on, is_planned = snapshot.house, decision.surplus.is_on, _is_planned(decision, snapshot)
    is_waiting = snapshot.now.timestamp() < decision.surplus.waits_until
    notices = {
        Notice.LIMIT_SILENT: house.limit is None and (is_planned or is_on),
        Notice.WAITS_FOR_HOUSE: is_waiting and (is_planned or is_on),
        Notice.LIMITED: is_planned and (house.limit or 0.0) < math.floor(snapshot.usual_amps or 0.0),
        Notice.SURPLUS_SILENT: house.surplus is None and decision.wants_charge is not None,
        Notice.SURPLUS: is_on and not is_planned,
    }
    return decision._replace(notice=next((notice for notice, is_met in notices.items() if is_met), None))


def _is_planned(decision: Decision, snapshot: Snapshot) -> bool:
    """Return whether the car charges now with its usual current: by the plan, or by a person."""
    is_by_person = decision.plan.reason is Reason.MANUAL and snapshot.is_charging
    return is_by_person or decision.plan.is_charging_at(snapshot.now.timestamp())


def _with_amps(decision: Decision, snapshot: Snapshot, now: float) -> Decision:
    """Add the current to set, if the car shows another one and can get it."""
    reported, usual = snapshot.charge_state.charge_current_request, snapshot.usual_amps
    surplus = decision.surplus
    if reported is None or usual is None:
        return decision
    is_planned, limit, least = _is_planned(decision, snapshot), snapshot.house.limit, snapshot.least_amps
    amps = reported
    if is_planned or decision.wants_charge is None:
        amps = usual
    elif decision.wants_charge and surplus.is_on:
        amps = _surplus_amps(snapshot, surplus, now, reported, usual)
    if snapshot.is_charging or decision.wants_charge:
        allowed = least if limit is None else max(least, limit)
        amps = amps if amps <= allowed else math.floor(allowed)
    # The house may need the power again soon.
    is_raised = snapshot.is_charging and limit != math.inf and amps > reported
    starts = decision.action is Action.START
    is_waiting = decision.wants_charge is not None and not (snapshot.is_charging or starts)
    if amps == reported or is_waiting or (is_raised and not surplus.is_worth(now, amps - reported)):
        return decision
    can_get = _can_set_amps(snapshot)
    # A lower current protects the house, so it does not wait for a read.
    is_due = not snapshot.is_busy and now >= snapshot.amps_retry_at and (snapshot.is_read or amps < reported)
    if not (can_get and is_due):
        if can_get and snapshot.amps_retry_at > now:
            decision = decision._replace(next_at=min(decision.next_at, snapshot.amps_retry_at))
        # A car does not start with a current that is too high.
        return decision._replace(action=None, attempts=snapshot.attempts) if starts else decision
    surplus = surplus.changed(now, by_surplus=surplus.is_on and not is_planned)
    return decision._replace(amps=amps, surplus=surplus)


def _can_set_amps(snapshot: Snapshot) -> bool:
    """Return whether this is the car of the plan, at its charger at home, and commands can reach it."""
    is_other = snapshot.is_other_vehicle or snapshot.charge_state.fast_charger_present
    return (
        snapshot.reach.car and bool(snapshot.is_at_home) and not (is_other or snapshot.options.is_read_only)
    )


def least_current(options: VehicleOptions, usual: float, *, can_set: bool) -> float:
    """Return the least current of a charge: the usual one if the service can't set another one."""
    return min(options.least_amps, usual) if can_set else usual


def _surplus_amps(
    snapshot: Snapshot, surplus: SurplusCharge, now: float, reported: float, usual: float
) -> float:
    """Return the current for the surplus, which changes only a few times a day."""
    exact = min(max(snapshot.house.surplus or 0.0, snapshot.least_amps), usual)
    # The last change of the day is kept for a stop.
    has_changes = surplus.changes < MOST_CHANGES - 1 and snapshot.may_pay
    is_worth = has_changes and surplus.is_worth(now, exact - reported)
    return math.floor(exact) if is_worth or not snapshot.is_charging else min(reported, usual)


def _with_action(decision: Decision, snapshot: Snapshot, now: float) -> Decision:
    """Add what makes the car charge or stop."""
    wants_charge = bool(decision.wants_charge)
    if wants_charge is snapshot.is_charging or snapshot.charge_state.charging_state == NO_POWER:
        return decision._replace(attempts=Attempts()) if snapshot.is_read else decision
    action = _possible_action(snapshot, wants_charge=wants_charge)
    if action is None or snapshot.is_busy:
        return decision
    due_at = max(snapshot.attempts.due_at(action, snapshot.reach), _waits_until(snapshot, now, action))
    if due_at > now:
        return decision._replace(next_at=min(decision.next_at, due_at))
    return decision._replace(action=action, attempts=snapshot.attempts.after(action, now))


def _possible_action(snapshot: Snapshot, *, wants_charge: bool) -> Action | None:
    """Return the action that makes the car charge or stop; None while it is unknown what the car does."""
    if not snapshot.reach.car:
        return Action.WAKE if wants_charge and snapshot.options.wake_for_commands else None
    if not snapshot.is_read:
        return None
    return Action.START if wants_charge else Action.STOP


def _waits_until(snapshot: Snapshot, now: float, action: Action) -> float:
    """Return until when the plan waits for prices, or for the speed of a charge that began by itself."""
    began_by_itself = action is Action.STOP and not snapshot.session.asked and not _is_too_little(snapshot)
    if not began_by_itself or snapshot.session.speed is not None or snapshot.usual_speed is None:
        return snapshot.prices_awaited_until
    since = now if snapshot.charging_since is None else snapshot.charging_since
    return max(snapshot.prices_awaited_until, since + _MEASURED_WITHIN)


def _observed_session(snapshot: Snapshot, now: float) -> ChargingSession:
    if snapshot.is_asleep:
        return replace(snapshot.session, has_slept=True)
    if snapshot.is_busy or not snapshot.is_read or snapshot.charge_state.is_plugged_in is None:
        return snapshot.session
    session = snapshot.session.observed(now, snapshot.vehicle, is_at_home=bool(snapshot.is_at_home))
    speed = _speed_now(snapshot, now)
    return session if speed is None else replace(session, speed=speed)


def _speed_now(snapshot: Snapshot, now: float) -> float | None:
    """Return the kWh per hour that reach the battery, as the car reports it now; None if unknown."""
    power, usual = snapshot.power, snapshot.usual_speed
    is_steady = snapshot.charging_since is not None and now - snapshot.charging_since >= _RAMP
    if not (snapshot.is_charging and is_steady) or usual is None or snapshot.session.is_for_surplus:
        return None
    speeds = []
    if power:
        speeds.append(power * usual.added / usual.used - _OWN_USE * (1 - power / usual.used))
    hours_left = (snapshot.charge_state.time_to_full_charge or 0.0) - _ROUNDING
    if hours_left > 0:
        # A cold battery takes less than the charger draws, which only the remaining time shows.
        speeds.append(_percent_left(snapshot.charge_state) * usual.per_percent / hours_left)
    return min((speed for speed in speeds if speed > 0), default=None)


def _percent_left(charge: ChargeState) -> float:
    return max(0.0, (charge.charge_limit_soc or 0.0) - (charge.battery_level or 0.0))


def _obstacle(snapshot: Snapshot) -> Reason | None:
    charge, options = snapshot.charge_state, snapshot.options
    needed = (charge.is_plugged_in, charge.charging_state, charge.battery_level, charge.charge_limit_soc)
    obstacles = {
        Reason.OFF: not snapshot.is_on,
        Reason.READ_ONLY: options.is_read_only,
        Reason.OTHER_VEHICLE: snapshot.is_other_vehicle,
        Reason.UNPLUGGED: charge.is_plugged_in is False,
        Reason.NOT_WOKEN: not (options.wake_for_commands or options.keep_awake_plugged_in),
        Reason.UNKNOWN: None in needed,
        Reason.POSITION_UNKNOWN: snapshot.is_at_home is None,
        Reason.AWAY: not snapshot.is_at_home or charge.fast_charger_present,
        Reason.MANUAL: snapshot.session.is_manual,
    }
    return next((reason for reason, is_met in obstacles.items() if is_met), None)


def _current_plan(snapshot: Snapshot, now: float) -> ChargingPlan:
    obstacle = _obstacle(snapshot)
    if obstacle is not None:
        preview = _preview(snapshot, now) if obstacle is Reason.UNPLUGGED else ()
        return ChargingPlan(reason=obstacle, if_plugged_in=preview)
    return _plan_of_charge(snapshot, now)


def _preview(snapshot: Snapshot, now: float) -> Sequence[Slot]:
    """Return when a car that is not plugged in would charge if it were; nothing if that is unknown."""
    vehicle = snapshot.vehicle.with_value(ChargeState.charging_state.path, "stopped")
    plugged = replace(snapshot, vehicle=vehicle)
    is_unknown = snapshot.usual_speed is None or _obstacle(plugged) is not None
    return () if is_unknown else _plan_of_charge(plugged, now).slots


def _plan_of_charge(snapshot: Snapshot, now: float) -> ChargingPlan:
    charge, speed, added = snapshot.charge_state, snapshot.usual_speed, snapshot.session.speed
    level = charge.battery_level or 0.0
    per_percent = 1.0 if speed is None else speed.per_percent
    # A cold battery can be complete below its limit. If the limit is raised, the car goes on by itself.
    is_complete = charge.charging_state == "complete"
    energy = 0.0 if is_complete else _percent_left(charge) * per_percent
    if speed is not None and added is not None:
        # What the car reported since it was plugged in counts more than earlier charges.
        speed = speed._replace(added=added, used=added * speed.used / speed.added)
    urgent = min(energy, max(0.0, LOW_LEVEL - level) * per_percent)
    ready_by = snapshot.departures.next_after(snapshot.now)
    if ready_by is None:
        if energy and not urgent:
            return ChargingPlan(reason=Reason.NOT_NEEDED)
        ready_by, energy = now + DAY, urgent
    likely = _likely_surplus(snapshot, now, ready_by)
    if urgent < energy <= likely:
        return ChargingPlan(reason=Reason.SURPLUS, ready_by=ready_by, energy=energy)
    energy = max(urgent, energy - likely)
    # Until the last day before the departure, the car waits for surplus power.
    start = now if urgent or not snapshot.house.has_surplus else max(now, ready_by - DAY)
    charges_until, must_go_on = _charges_until(snapshot, now)
    prices, are_ranks = _known_prices(snapshot, ready_by)
    plan = make_charging_plan(
        ChargingNeed(
            now=start,
            ready_by=ready_by,
            energy=energy,
            urgent=energy if must_go_on else urgent,
            speed=speed,
            prices=prices,
            are_ranks=are_ranks,
            charges_until=charges_until,
            can_pause=not snapshot.options.charge_without_break,
            is_too_late=_was_too_late(snapshot.plan, ready_by, energy),
        )
    )
    if level < LOW_LEVEL and plan.reason not in (Reason.AT_LIMIT, Reason.TOO_LATE):
        return replace(plan, reason=Reason.LOW_LEVEL)
    return plan


def _likely_surplus(snapshot: Snapshot, now: float, ready_by: float) -> float:
    """Return the kWh of surplus power that are likely today, and could be charged after sunset, too."""
    speed, usual, lasting = snapshot.usual_speed, snapshot.usual_amps, snapshot.house.lasting or 0.0
    if speed is None or usual is None or lasting < snapshot.least_amps:
        return 0.0
    hours = max(0.0, snapshot.sunset - now) / HOUR * min(lasting, usual) / usual * _LASTING_SHARE
    hours_left = max(0.0, ready_by - STEP - max(now, snapshot.sunset)) / HOUR
    return speed.added * min(hours, hours_left)


def _known_prices(snapshot: Snapshot, ready_by: float) -> tuple[Sequence[Slot], bool]:
    """Return the prices, and whether they only say which hours are cheap."""
    options, zone, now = snapshot.options, snapshot.now.tzinfo, snapshot.now.timestamp()
    if snapshot.prices:
        return snapshot.prices, False
    if options.cheap_hours is not None:
        tariff = options.tariff(zone)
        changes = (tariff or Tariff(*options.cheap_hours, zone)).changes(now, ready_by)
        slots = [Slot(at, until, price) for (at, price), (until, _) in pairwise(changes) if at < until]
        return slots, tariff is None
    if options.price is not None:
        return [Slot(now - STEP, ready_by, options.price)], False
    return (), False


def _was_too_late(plan: ChargingPlan, ready_by: float, energy: float) -> bool:
    """Return whether the last plan was too late for the same time, and for no less energy."""
    more = energy - (plan.energy or 0.0) - plan.missing
    return plan.reason is Reason.TOO_LATE and plan.ready_by == ready_by and more < _LEAST_ENERGY


def _charges_until(snapshot: Snapshot, now: float) -> tuple[float | None, bool]:
    """Return until when the plan must not stop the current charge, and whether it must never stop it.

    The time is None, unless the plan started the charge or woke the car for it.
    """
    if not snapshot.is_charging:
        woken_until = snapshot.attempts.woken_until
        is_woken_for_plan = now < woken_until and not snapshot.session.is_for_surplus
        return (woken_until if is_woken_for_plan else None), False
    since = now if snapshot.charging_since is None else snapshot.charging_since
    # The car should have been ready already.
    last_departure = snapshot.departures.last_before(snapshot.now) or 0.0
    must_go_on = since < last_departure and not snapshot.session.is_for_surplus
    was_planned = snapshot.plan.is_charging_at(now)
    is_for_plan = snapshot.session.asked and not snapshot.session.is_for_surplus
    if not (is_for_plan or was_planned):
        return None, must_go_on
    until = (round(since / STEP) + SHORTEST_BLOCK) * STEP
    if was_planned:
        # The plan changes with each percent of the level, but a step that has begun is finished.
        until = max(until, (now // STEP + 1) * STEP)
    return until, must_go_on or snapshot.options.charge_without_break
