"""What the charging plan does now: a pure function of what is known. Times are Unix seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from enum import StrEnum, auto
import math
from typing import Final, NamedTuple

from ..account.options import VehicleOptions
from ..api.records import CHARGING_STATES, ChargeState, Vehicle
from ..drive_log.estimates import ChargingSpeed
from ..util.local_time import DAY
from .cheapest import SHORTEST_BLOCK
from .planner import LOW_LEVEL, STEP, ChargingNeed, ChargingPlan, Reason, cheap_hours, make_charging_plan
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
    ready_by: time
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

    @property
    def charge_state(self) -> ChargeState:
        return self.vehicle.charge_state

    @property
    def is_charging(self) -> bool:
        """Whether the car charges. A car that sleeps does not, whatever its last answer says."""
        return bool(self.charge_state.is_charging) and not self.is_asleep


class Decision(NamedTuple):
    """The plan, and what to do for it."""

    plan: ChargingPlan
    session: ChargingSession
    wants_charge: bool | None = None
    """Whether the plan wants the car to charge now; None if it leaves that to others."""
    action: Action | None = None
    attempts: Attempts = Attempts()
    next_at: float = math.inf
    """When to decide again at the latest."""


def decide(snapshot: Snapshot) -> Decision:
    """Return what the plan does now."""
    now, last_state = snapshot.now.timestamp(), snapshot.session.state
    was_idle = last_state is not None and last_state not in CHARGING_STATES
    if was_idle and snapshot.is_charging and not snapshot.power:
        # The charge has just started, or its state is wrong: the next read shows which.
        snapshot = replace(snapshot, is_read=False)
    snapshot = replace(snapshot, session=_observed_session(snapshot, now))
    plan = _current_plan(snapshot, now)
    next_at = min(plan.changes_at(now), plan.ready_by or math.inf)
    if not plan.slots:
        return Decision(plan, snapshot.session, next_at=next_at)
    wants_charge = plan.is_charging_at(now)
    decision = Decision(plan, snapshot.session, wants_charge, attempts=snapshot.attempts, next_at=next_at)
    if wants_charge is snapshot.is_charging or snapshot.charge_state.charging_state == NO_POWER:
        return decision._replace(attempts=Attempts()) if snapshot.is_read else decision
    action = _possible_action(snapshot, wants_charge=wants_charge)
    if action is None or snapshot.is_busy:
        return decision
    due_at = max(snapshot.attempts.due_at(action, snapshot.reach), _waits_until(snapshot, now, action))
    if due_at > now:
        return decision._replace(next_at=min(next_at, due_at))
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
    began_by_itself = action is Action.STOP and not snapshot.session.asked
    if not began_by_itself or snapshot.session.speed is not None or snapshot.usual_speed is None:
        return snapshot.prices_awaited_until
    since = now if snapshot.charging_since is None else snapshot.charging_since
    return max(snapshot.prices_awaited_until, since + _MEASURED_WITHIN)


def next_time(now: datetime, moment: time) -> float:
    """Return when it is this local time next."""
    today = datetime.combine(now.date(), moment, now.tzinfo)
    # Two local times that are compared would be wrong in the hour that the clock shows twice.
    is_later = today.timestamp() > now.timestamp()
    return (today if is_later else today + timedelta(days=1)).timestamp()


def _observed_session(snapshot: Snapshot, now: float) -> ChargingSession:
    if snapshot.is_asleep:
        return replace(snapshot.session, has_slept=True)
    if snapshot.is_busy or not snapshot.is_read or snapshot.charge_state.is_plugged_in is None:
        return snapshot.session
    session = snapshot.session.observed(now, snapshot.vehicle)
    speed = _speed_now(snapshot, now)
    return session if speed is None else replace(session, speed=speed)


def _speed_now(snapshot: Snapshot, now: float) -> float | None:
    """Return the kWh per hour that reach the battery, as the car reports it now; None if unknown."""
    power, usual = snapshot.power, snapshot.usual_speed
    is_steady = snapshot.charging_since is not None and now - snapshot.charging_since >= _RAMP
    if not (snapshot.is_charging and is_steady) or usual is None:
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
        return ChargingPlan(reason=obstacle)
    charge, speed, added = snapshot.charge_state, snapshot.usual_speed, snapshot.session.speed
    level = charge.battery_level or 0.0
    per_percent = 1.0 if speed is None else speed.per_percent
    # A cold battery can be complete below its limit. If the limit is raised, the car goes on by itself.
    is_complete = charge.charging_state == "complete"
    energy = 0.0 if is_complete else _percent_left(charge) * per_percent
    if speed is not None and added is not None:
        # What the car reported since it was plugged in counts more than earlier charges.
        speed = speed._replace(added=added, used=added * speed.used / speed.added)
    ready_by = next_time(snapshot.now, snapshot.ready_by)
    charges_until, must_go_on = _charges_until(snapshot, now, ready_by)
    prices, are_ranks = _known_prices(snapshot, ready_by)
    plan = make_charging_plan(
        ChargingNeed(
            now=now,
            ready_by=ready_by,
            energy=energy,
            urgent=energy if must_go_on else min(energy, max(0.0, LOW_LEVEL - level) * per_percent),
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


def _known_prices(snapshot: Snapshot, ready_by: float) -> tuple[Sequence[Slot], bool]:
    """Return the prices, and whether they only say which hours are cheap."""
    options = snapshot.options
    if snapshot.prices:
        return snapshot.prices, False
    if options.cheap_hours is not None:
        return cheap_hours(*options.cheap_hours, snapshot.now, ready_by), True
    if options.price is not None:
        return [Slot(snapshot.now.timestamp() - STEP, ready_by, options.price)], False
    return (), False


def _was_too_late(plan: ChargingPlan, ready_by: float, energy: float) -> bool:
    """Return whether the last plan was too late for the same time, and for no less energy."""
    more = energy - (plan.energy or 0.0) - plan.missing
    return plan.reason is Reason.TOO_LATE and plan.ready_by == ready_by and more < _LEAST_ENERGY


def _charges_until(snapshot: Snapshot, now: float, ready_by: float) -> tuple[float | None, bool]:
    """Return until when the plan must not stop the current charge, and whether it must never stop it.

    The time is None, unless the plan started the charge or woke the car for it.
    """
    if not snapshot.is_charging:
        woken_until = snapshot.attempts.woken_until
        return (woken_until if now < woken_until else None), False
    since = now if snapshot.charging_since is None else snapshot.charging_since
    # The car should have been ready already.
    must_go_on = since < ready_by - DAY
    was_planned = snapshot.plan.is_charging_at(now)
    if not (snapshot.session.asked or was_planned):
        return None, must_go_on
    until = (round(since / STEP) + SHORTEST_BLOCK) * STEP
    if was_planned:
        # The plan changes with each percent of the level, but a step that has begun is finished.
        until = max(until, (now // STEP + 1) * STEP)
    return until, must_go_on or snapshot.options.charge_without_break
