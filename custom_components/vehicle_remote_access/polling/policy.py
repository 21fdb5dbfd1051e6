"""The polling policy: pure functions that decide when to read a car, and when to request the list.

A live read keeps a car awake, so the policy weighs new data against sleep. Times are Unix seconds.
"""

from collections.abc import Sequence
import math
from typing import Final, NamedTuple

from .activity import ActivityTracker
from .modes import ASLEEP, ONLINE, TIMER_TOLERANCE, Mode

DEFAULT_READ_INTERVAL: Final = 60
"""Default interval between live reads while the car is in use."""
SHORTEST_READ_INTERVAL: Final = 10
KEEP_AWAKE_INTERVAL: Final = 300.0
"""Interval between live reads that keep a car awake. No car falls asleep within ten minutes of a read."""
IN_SERVICE_INTERVAL: Final = 600.0
"""Interval between live reads of a car in service, if the list reports its return too."""
# The time at which a car falls asleep or returns into coverage is seen within this time.
_WATCH_SLEEP_INTERVAL: Final = 120.0
_WATCH_RETURN_INTERVAL: Final = 60.0
_RETURNS_SOON: Final = 900.0
# A car without known habits falls asleep no earlier.
_QUICKEST_SLEEP: Final = 300.0
_SLEEP_EARLIER: Final = 150.0
_SLEEP_LATER: Final = 300.0
_CHECKED_BEFORE_READ: Final = 5.0
_CHECK_VALID_FOR: Final = 60.0
# Two reads after a command, and one more, may get the same answer from a cache at home.
_CACHED_ANSWERS: Final = 3
# An answer from a cache is asked for again after this share of its age. Newer data is then found late by at
# most this share of the time for which the cache lasts.
_SHARE_OF_AGE: Final = 0.1
# After live reads of all cars
_LIST_AFTER_READS: Final = 60.0


class Situation(NamedTuple):
    """What the policy needs to know of a car besides its activity."""

    state: str | None
    """The state of its record: online, or another word for unreachable; None if unknown."""
    is_state_listed: bool
    """Whether the service reports the state without asking the car."""
    in_service: bool = False
    is_kept_awake: bool = False
    """Whether the owner wants the car awake now."""
    is_pushing: bool = False
    """Whether the car sends its changes by itself."""
    is_stream_complete: bool = True
    """Whether the changes from before the stream began are known."""
    is_complete: bool = True
    """Whether the last live read had all records that the car usually reports."""
    ask_at: float = 0.0
    """When to ask a car whether it woke, if the service does not report it."""
    retry_at: float = 0.0
    """Earliest time of the next request after a failure."""
    allowed_at: float = 0.0
    """Earliest time of the next live read within the limits of the account."""
    read_interval: float = DEFAULT_READ_INTERVAL
    """The interval between live reads while the car is in use."""
    arrival_read_at: float = math.inf
    """When a live read shows better when the car is home; infinity if nothing waits for that."""


class Plan(NamedTuple):
    """The current mode and the next live read."""

    mode: Mode
    due_at: float | None
    """When the next live read is due; None if none is due until something changes."""
    reason: str = ""
    """Why a read is planned, or why not, for the debug log."""


def make_read_plan(tracker: ActivityTracker, car: Situation) -> Plan:
    wanted = _plan_without_limits(tracker, car)
    if wanted.due_at is None:
        return wanted
    if wanted.due_at < car.retry_at:
        return Plan(Mode.BACKING_OFF, car.retry_at, "a request failed, or the service wants a pause")
    if wanted.due_at < car.allowed_at:
        wanted = Plan(wanted.mode, car.allowed_at, f"{wanted.reason}, and a limit allows it then")
    earliest = _after(tracker.read_at, SHORTEST_READ_INTERVAL)
    return wanted._replace(due_at=max(wanted.due_at or 0.0, earliest))


def is_due(plan: Plan, now: float) -> bool:
    return plan.due_at is not None and plan.due_at <= now + TIMER_TOLERANCE


def postpone_for_reads(planned_at: float, reads: Sequence[float]) -> float:
    """Return when to request the list. `reads`: when the cars are read, which may come first."""
    if reads and max(reads) <= planned_at + TIMER_TOLERANCE:
        # Those reads replace this request, and the next one is planned after them.
        return max(planned_at, max(reads) + _LIST_AFTER_READS)
    return planned_at


def is_wake_awaited(plan: Plan) -> bool:
    """Return whether the list may show that the car woke."""
    return plan.mode in (Mode.ASLEEP, Mode.OFFLINE, Mode.IN_SERVICE, Mode.BACKING_OFF)


def list_for_state_change(
    tracker: ActivityTracker, plan: Plan, last: float, *, is_state_listed: bool
) -> float:
    """Return when to request the list to see a car fall asleep or return to coverage; infinity if never."""
    if plan.mode is Mode.OFFLINE:
        request_at, end = last + _WATCH_RETURN_INTERVAL, tracker.used_at + _RETURNS_SOON
    elif plan.mode is Mode.QUIET and is_state_listed:
        start, end = _usual_sleep(tracker)
        request_at = max(start, last + _WATCH_SLEEP_INTERVAL)
    else:
        return math.inf
    if request_at > end:
        request_at = math.inf
    # A car that fell asleep is not read: a refused read takes two requests, and some services charge for it.
    check_at = math.inf if plan.due_at is None else plan.due_at - _CHECKED_BEFORE_READ
    was_checked = last + _CHECK_VALID_FOR > check_at
    return request_at if was_checked else min(request_at, check_at)


def _usual_sleep(tracker: ActivityTracker) -> tuple[float, float]:
    """Return the earliest and the latest time at which the car usually falls asleep."""
    contact, usual = tracker.last_contact, tracker.habits.time_to_fall_asleep
    if usual is None:
        return contact + _QUICKEST_SLEEP, contact + tracker.habits.quiet_period
    return contact + usual - _SLEEP_EARLIER, contact + usual + _SLEEP_LATER


def _plan_without_limits(tracker: ActivityTracker, car: Situation) -> Plan:
    if car.state not in (None, ONLINE):
        mode = Mode.ASLEEP if car.state == ASLEEP else Mode.OFFLINE
        if car.is_state_listed:
            return Plan(mode, None, "the list shows when it is online again")
        # Only a live read detects that the car woke. It does not wake a sleeping car.
        return Plan(mode, car.ask_at, "it may be online again")
    if car.in_service:
        due_at = _after(tracker.read_at, IN_SERVICE_INTERVAL) if car.is_state_listed else car.ask_at
        return Plan(Mode.IN_SERVICE, due_at, "it may be back from service")
    if car.is_pushing:
        return _plan_pushing(tracker, car)
    plan = _plan_awake(tracker, car)
    if not tracker.cached_answers:
        return plan
    interval = max(car.read_interval, (tracker.cached_at - (tracker.read_at or 0.0)) * _SHARE_OF_AGE)
    mode = Mode.CACHED if tracker.cached_answers >= _CACHED_ANSWERS else plan.mode
    due_at = max(plan.due_at or 0.0, tracker.cached_at + interval)
    return Plan(mode, due_at, f"{plan.reason}, and the last answer came from a cache")


def _plan_pushing(tracker: ActivityTracker, car: Situation) -> Plan:
    if car.is_kept_awake:
        return Plan(Mode.KEPT_AWAKE, _after(tracker.read_at, KEEP_AWAKE_INTERVAL), "it is kept awake")
    if tracker.read_at is None or not car.is_stream_complete:
        return Plan(Mode.LIVE, 0.0, "what changed before the stream began is unknown")
    return Plan(Mode.LIVE, None, "it sends what changes")


def _plan_awake(tracker: ActivityTracker, car: Situation) -> Plan:
    last_read = tracker.read_at
    if last_read is None:
        return Plan(Mode.WATCHING, 0.0, "no read of it is known")
    if last_read < tracker.woke_at:
        wait = tracker.wait_after_wake
        reason = "it woke, probably not for use" if wait else "it woke"
        return Plan(Mode.QUIET if wait else Mode.WATCHING, tracker.woke_at + wait, reason)
    if tracker.activity is not None:
        usual = last_read + car.read_interval
        # Nothing replaces a planned read that is past if no listener is left.
        if last_read < car.arrival_read_at < usual:
            return Plan(tracker.activity, car.arrival_read_at, "it is about to be home")
        return Plan(tracker.activity, usual, "it is in use")
    if car.is_kept_awake:
        return Plan(Mode.KEPT_AWAKE, last_read + KEEP_AWAKE_INTERVAL, "it is kept awake")
    return _plan_idle(tracker, car, last_read)


def _plan_idle(tracker: ActivityTracker, car: Situation, last_read: float) -> Plan:
    if not car.is_complete:
        return Plan(Mode.WATCHING, last_read + car.read_interval, "the last answer lacked a record")
    if last_read + TIMER_TOLERANCE < tracker.watched_until:
        # With long intervals, a read long after the end would only keep the car awake.
        left = max(tracker.watched_until - last_read, DEFAULT_READ_INTERVAL)
        return Plan(Mode.WATCHING, last_read + min(car.read_interval, left), "more use is likely")
    quiet = tracker.habits.quiet_period
    if tracker.touched_at >= last_read + quiet:
        # Another request kept it awake for the whole quiet period, so a read costs no more sleep.
        return Plan(Mode.QUIET, tracker.last_contact, "another request kept it awake")
    return Plan(Mode.QUIET, tracker.last_contact + quiet, "it should be asleep by then")


def _after(moment: float | None, seconds: float) -> float:
    return 0.0 if moment is None else moment + seconds
