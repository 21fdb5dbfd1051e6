"""The polling policy: pure functions that decide when to read a car, and when to request the list.

A live read keeps a car awake, so the policy weighs the new data against the car's sleep. All times are Unix
seconds.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
import math
from types import MappingProxyType
from typing import Final, NamedTuple

DEFAULT_READ_INTERVAL: Final = 60
"""Default interval between live reads while the car is in use."""
SHORTEST_READ_INTERVAL: Final = 10
_FIRST_BACKOFF: Final = 60
_MOST_DOUBLINGS: Final = 10
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
TIMER_TOLERANCE: Final = 1.0
"""Requests that are due within this time are sent now, because timers may fire early."""

# States of a car. Every other word is treated like offline.
ONLINE: Final = "online"
ASLEEP: Final = "asleep"
OFFLINE: Final = "offline"


class Mode(StrEnum):
    """The reason for the current polling interval."""

    DRIVING = "driving"
    CHARGING = "charging"
    IN_USE = "in_use"
    KEPT_AWAKE = "kept_awake"
    WINDING_DOWN = "settling"
    LETTING_CAR_SLEEP = "quiet"
    ASLEEP = "asleep"
    OFFLINE = "offline"
    IN_SERVICE = "in_service"
    RETRYING_LATER = "backing_off"


class Situation(NamedTuple):
    """What the policy needs to know of a car. `ActivityTracker` describes the fields without a text."""

    state: str | None
    """The state of its record: online, or another word for unreachable; None if unknown."""
    is_state_listed: bool
    """Whether the service reports the state without asking the car."""
    in_service: bool = False
    activity: Mode | None = None
    is_kept_awake: bool = False
    """Whether the owner wants the car awake now."""
    last_read: float | None = None
    is_complete: bool = True
    """Whether the last live read had all records that the car usually reports."""
    last_touch: float = 0.0
    """Time of the last other request that keeps the car awake."""
    woke_at: float = 0.0
    wait_after_wake: float = 0.0
    watched_until: float = 0.0
    used_at: float = 0.0
    time_to_fall_asleep: float | None = None
    quiet_period: float = 0.0
    ask_at: float = 0.0
    """When to ask a car whether it woke, if the service does not report it."""
    retry_at: float = 0.0
    """Earliest time of the next request after a failure."""
    allowed_at: float = 0.0
    """Earliest time of the next live read within the limits of the account."""
    intervals: Mapping[str, float] = MappingProxyType({})
    """The intervals between live reads, by mode."""


class Plan(NamedTuple):
    """The current mode and the next live read."""

    mode: Mode
    due_at: float | None
    """When the next live read is due; None if none is due until something changes."""


def make_plan(car: Situation) -> Plan:
    wanted = _plan_without_limits(car)
    if wanted.due_at is None:
        return wanted
    if wanted.due_at < car.retry_at:
        return Plan(Mode.RETRYING_LATER, car.retry_at)
    earliest = max(car.allowed_at, _after(car.last_read, SHORTEST_READ_INTERVAL))
    return Plan(wanted.mode, max(wanted.due_at, earliest))


def is_due(plan: Plan, now: float) -> bool:
    return plan.due_at is not None and plan.due_at <= now + TIMER_TOLERANCE


def backoff(failures: int, longest: float, jitter: float) -> float:
    """Return the delay after this many failures in a row. It doubles each time, up to a limit.

    The first failure adds no delay. After that, `jitter` from 0 to 1 adds up to a quarter, so that clients
    that failed at the same time do not retry at the same time.
    """
    if failures <= 1:
        return _FIRST_BACKOFF
    return min(_FIRST_BACKOFF * 2.0 ** min(failures - 1, _MOST_DOUBLINGS), longest) * (1 + jitter / 4)


class NextRequests(NamedTuple):
    """When the next requests of an account are due."""

    list_at: float
    """The request for the list of cars."""
    any_at: float
    """The request for the list or the live read of a car, whichever is due earlier."""


def next_requests(
    list_requested_at: float, next_list: Callable[[float], float], cars: Sequence[tuple[float, Plan]]
) -> NextRequests:
    """Return when to request the list of cars, and when the next request of any kind is due.

    `next_list` returns the time of the next request after one at a time. `cars`: for each car the time of its
    last live read, or 0, and its plan. If live reads of all cars happen before that, they replace the list.
    """
    all_read_since = min((read for read, _ in cars), default=0.0)
    list_at = next_list(max(list_requested_at, all_read_since))
    reads = [math.inf if plan.due_at is None else plan.due_at for _, plan in cars]
    if reads and max(reads) <= list_at + TIMER_TOLERANCE:
        list_at = max(list_at, next_list(max(reads)))
    return NextRequests(list_at, min([list_at, *reads]))


def may_wake(plan: Plan) -> bool:
    """Return whether the list may show that the car woke."""
    return plan.mode in (Mode.ASLEEP, Mode.OFFLINE, Mode.IN_SERVICE, Mode.RETRYING_LATER)


def watch_list(car: Situation, plan: Plan, last: float) -> float:
    """Return when to request the list after a request to see how a car's state changes; infinity if never.

    The time at which a car falls asleep is learned. A car that is driven may be out of coverage for a moment.
    """
    if plan.mode is Mode.OFFLINE:
        start, end, interval = 0.0, car.used_at + _RETURNS_SOON, _WATCH_RETURN_INTERVAL
    elif plan.mode is Mode.LETTING_CAR_SLEEP and car.is_state_listed:
        contact, interval = max(car.last_read or 0.0, car.last_touch), _WATCH_SLEEP_INTERVAL
        start, end = contact + _QUICKEST_SLEEP, contact + car.quiet_period
        if car.time_to_fall_asleep is not None:
            usual = contact + car.time_to_fall_asleep
            start, end = usual - _SLEEP_EARLIER, usual + _SLEEP_LATER
    else:
        return math.inf
    at = max(start, last + interval)
    # A car that fell asleep is not read.
    check_at = math.inf if plan.due_at is None else plan.due_at - _CHECKED_BEFORE_READ
    is_checked = last + _CHECK_VALID_FOR > check_at
    return min(at if at <= end else math.inf, math.inf if is_checked else check_at)


def _plan_without_limits(car: Situation) -> Plan:
    if car.state not in (None, ONLINE):
        mode = Mode.ASLEEP if car.state == ASLEEP else Mode.OFFLINE
        # Without a list, only a live read detects that the car woke. It does not wake a sleeping car.
        return Plan(mode, None if car.is_state_listed else car.ask_at)
    if car.in_service:
        due_at = _after(car.last_read, IN_SERVICE_INTERVAL) if car.is_state_listed else car.ask_at
        return Plan(Mode.IN_SERVICE, due_at)
    return _plan_awake(car)


def _plan_awake(car: Situation) -> Plan:
    if car.last_read is None:
        return Plan(Mode.WINDING_DOWN, 0.0)
    if car.last_read < car.woke_at:
        mode = Mode.LETTING_CAR_SLEEP if car.wait_after_wake else Mode.WINDING_DOWN
        return Plan(mode, car.woke_at + car.wait_after_wake)
    if car.activity is not None:
        return Plan(car.activity, car.last_read + car.intervals.get(car.activity, DEFAULT_READ_INTERVAL))
    if car.is_kept_awake:
        return Plan(Mode.KEPT_AWAKE, car.last_read + KEEP_AWAKE_INTERVAL)
    if not car.is_complete or car.last_read + TIMER_TOLERANCE < car.watched_until:
        interval = car.intervals.get(Mode.IN_USE, DEFAULT_READ_INTERVAL)
        # With long intervals, a read long after the end would only keep the car awake.
        left = max(car.watched_until - car.last_read, DEFAULT_READ_INTERVAL)
        return Plan(Mode.WINDING_DOWN, car.last_read + (min(interval, left) if car.is_complete else interval))
    # If another request kept the car awake for the whole quiet period, a read costs no more sleep.
    quiet = 0.0 if car.last_touch >= car.last_read + car.quiet_period else car.quiet_period
    return Plan(Mode.LETTING_CAR_SLEEP, max(car.last_read, car.last_touch) + quiet)


def _after(moment: float | None, seconds: float) -> float:
    return 0.0 if moment is None else moment + seconds
