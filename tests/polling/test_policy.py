"""The polling policy: when to read a car, and when to request the list.

A day's requests last until midnight, and most are sent when a wake is likely.
"""

from collections.abc import Sequence
from copy import replace
import math
from typing import Any, Final, NamedTuple

import pytest

from custom_components.vehicle_remote_access.polling import policy
from custom_components.vehicle_remote_access.polling.activity import ActivityTracker
from custom_components.vehicle_remote_access.polling.habits import Habits
from custom_components.vehicle_remote_access.polling.modes import Mode
from custom_components.vehicle_remote_access.polling.request_rates import (
    BIN,
    SHORTEST_SPACING,
    next_time,
    request_rates,
    spaced_interval,
)
from custom_components.vehicle_remote_access.polling.wake_rate import BINS, BINS_PER_HOUR, WakeRate
from custom_components.vehicle_remote_access.util.local_time import DAY, HOUR, LocalTime

NOW: Final = 1_000_000.0
MINUTE_LATER: Final = NOW + policy.DEFAULT_READ_INTERVAL
QUIET: Final = 790.0
# Its quiet period is QUIET.
NEED: Final = 700
PARKED: Final = ActivityTracker(
    read_at=NOW, woke_at=NOW - 7200, watched_until=NOW - 1, habits=Habits(sleeps=(NEED,))
)
LISTED: Final = policy.Situation(state="online", is_state_listed=True)
WOKEN: Final = {"read_at": NOW - 3600, "woke_at": NOW}
CHECKS: Final = {"woke_from": "asleep", "habits": Habits(self_checks=2)}
CACHED: Final = {"activity": Mode.DRIVING, "cached_at": NOW + 60}
UNLISTED: Final = {"is_state_listed": False}

# How the car differs from a parked one, and its plan: the mode and the next live read
PLANS: Final[tuple[tuple[str, dict[str, Any], Mode, float | None], ...]] = (
    ("parked: as long as it needs to fall asleep", {}, Mode.QUIET, NOW + QUIET),
    ("never read", {"read_at": None}, Mode.WATCHING, 0.0),
    ("driving", {"activity": Mode.DRIVING}, Mode.DRIVING, MINUTE_LATER),
    ("driving, other interval", {"activity": Mode.DRIVING, "read_interval": 15.0}, Mode.DRIVING, NOW + 15),
    ("about to be home", {"activity": Mode.DRIVING, "arrival_read_at": NOW + 20}, Mode.DRIVING, NOW + 20),
    (
        "read before it is home",
        {"activity": Mode.DRIVING, "arrival_read_at": NOW},
        Mode.DRIVING,
        MINUTE_LATER,
    ),
    ("used, read by actions", {"activity": Mode.IN_USE, "touched_at": NOW + 9}, Mode.IN_USE, MINUTE_LATER),
    ("watched", {"watched_until": NOW + 99, "read_interval": 120.0}, Mode.WATCHING, NOW + 99),
    ("watched, also once after the end", {"watched_until": NOW + 10}, Mode.WATCHING, MINUTE_LATER),
    ("no longer watched", {"watched_until": NOW}, Mode.QUIET, NOW + QUIET),
    ("incomplete answer", {"is_complete": False}, Mode.WATCHING, MINUTE_LATER),
    ("woken", WOKEN, Mode.WATCHING, NOW),
    ("known self-checks", {**WOKEN, **CHECKS}, Mode.QUIET, NOW + 210),
    ("woke just after a read", {"woke_at": NOW + 1}, Mode.WATCHING, NOW + policy.SHORTEST_READ_INTERVAL),
    ("kept awake", {"is_kept_awake": True}, Mode.KEPT_AWAKE, NOW + policy.KEEP_AWAKE_INTERVAL),
    ("not woken to keep it awake", {"state": "asleep", "is_kept_awake": True}, Mode.ASLEEP, None),
    ("asleep", {"state": "asleep", "activity": Mode.DRIVING}, Mode.ASLEEP, None),
    ("offline", {"state": "offline", "activity": Mode.DRIVING}, Mode.OFFLINE, None),
    ("unknown state", {"state": "hibernating", "activity": Mode.IN_USE}, Mode.OFFLINE, None),
    ("asleep, no list", {"state": "asleep", "ask_at": NOW + 99, **UNLISTED}, Mode.ASLEEP, NOW + 99),
    ("in service", {"in_service": True}, Mode.IN_SERVICE, NOW + policy.IN_SERVICE_INTERVAL),
    ("in service, no list", {"in_service": True, "ask_at": NOW + 99, **UNLISTED}, Mode.IN_SERVICE, NOW + 99),
    ("in service, never read", {"in_service": True, "read_at": None}, Mode.IN_SERVICE, 0.0),
    ("kept awake by a later request", {"touched_at": NOW + 60}, Mode.QUIET, NOW + 60 + QUIET),
    ("kept awake by an earlier request", {"touched_at": NOW - 60}, Mode.QUIET, NOW + QUIET),
    ("kept awake for the quiet period", {"touched_at": NOW + QUIET}, Mode.QUIET, NOW + QUIET),
    ("cached answer", {**CACHED, "cached_answers": 2}, Mode.DRIVING, NOW + 120),
    ("cached answers", {**CACHED, "cached_answers": 3}, Mode.CACHED, NOW + 120),
    ("cached for long", {**CACHED, "cached_answers": 9, "cached_at": NOW + 1000}, Mode.CACHED, NOW + 1100),
    ("cached, left alone", {"cached_answers": 1, "cached_at": NOW + 60}, Mode.QUIET, NOW + QUIET),
    ("cached, asleep", {**CACHED, "cached_answers": 3, "state": "asleep"}, Mode.ASLEEP, None),
    ("retry", {"activity": Mode.DRIVING, "retry_at": NOW + 600}, Mode.BACKING_OFF, NOW + 600),
    ("retry before the planned read", {"retry_at": NOW + 600}, Mode.QUIET, NOW + QUIET),
    ("retry while asleep", {"state": "asleep", "retry_at": NOW + 600}, Mode.ASLEEP, None),
)


@pytest.mark.parametrize(
    ("changes", "mode", "due_at"), [row[1:] for row in PLANS], ids=[row[0] for row in PLANS]
)
def test_mode_and_next_live_read(changes: dict[str, Any], mode: Mode, due_at: float | None) -> None:
    fields = {name: value for name, value in changes.items() if name in policy.Situation._fields}
    tracker = replace(PARKED, **{name: value for name, value in changes.items() if name not in fields})
    assert policy.make_read_plan(tracker, LISTED._replace(**fields))[:2] == (mode, due_at)


def test_read_within_a_second_is_due() -> None:
    assert policy.is_due(policy.Plan(Mode.DRIVING, NOW + 1), NOW)
    assert not policy.is_due(policy.Plan(Mode.DRIVING, NOW + 1.1), NOW)
    assert not policy.is_due(policy.Plan(Mode.ASLEEP, None), NOW)


@pytest.mark.parametrize(
    ("planned_at", "reads", "expected"),
    [
        (NOW, [], NOW),
        (NOW, [NOW, NOW], NOW + 60),
        (NOW + 590, [NOW], NOW + 590),
        (NOW, [NOW, math.inf], NOW),
        (NOW + 60, [NOW + 800], NOW + 60),
        # Overdue
        (NOW + 60, [NOW - 500], NOW + 60),
    ],
)
def test_reads_of_every_car_postpone_the_list(planned_at: float, reads: list[float], expected: float) -> None:
    assert policy.postpone_for_reads(planned_at, reads) == expected


@pytest.mark.parametrize(
    ("need", "last", "expected"),
    [
        (None, NOW, NOW + 300),
        (None, NOW + 300, NOW + 420),
        (600.0, NOW, NOW + 450),
        (600.0, NOW + 450, NOW + 570),
        (600.0, NOW + 700, NOW + 795),
        (600.0, NOW + 795, math.inf),
    ],
)
def test_list_is_requested_when_a_car_falls_asleep(need: float | None, last: float, expected: float) -> None:
    car = replace(PARKED, habits=Habits(sleeps=(need,) if need else ()))
    plan = policy.Plan(Mode.QUIET, NOW + 800)
    assert policy.list_for_state_change(car, plan, last, is_state_listed=True) == expected


def test_list_is_requested_every_minute_after_the_use_of_a_car_that_is_out_of_coverage() -> None:
    car, offline = replace(PARKED, used_at=NOW), policy.Plan(Mode.OFFLINE, None)
    assert policy.list_for_state_change(car, offline, NOW, is_state_listed=True) == NOW + 60
    assert policy.list_for_state_change(car, offline, NOW + 890, is_state_listed=True) == math.inf
    asleep = policy.Plan(Mode.ASLEEP, None)
    assert policy.list_for_state_change(PARKED, asleep, NOW, is_state_listed=True) == math.inf


# A car that is 25 times as likely to wake from 7 to 8 as otherwise
HABIT: Final = tuple(1.0 if index // BINS_PER_HOUR == 7 else 0.04 for index in range(BINS))
MIDNIGHT: Final = 11 * 24 * HOUR
NEXT_MIDNIGHT: Final = MIDNIGHT + 24 * HOUR


def local(hour: float) -> LocalTime:
    return LocalTime(MIDNIGHT + hour * HOUR, hour * 60 // 1 / 60, is_weekend=False)


class Day(NamedTuple):
    """A day without a limit of the owner."""

    start: LocalTime = local(0)
    left: float = 720
    a_day: float = 0
    longest: float = 300.0
    chances: Sequence[Sequence[float]] = (HABIT,)

    def rates(self, start: LocalTime, sent: int = 0) -> list[float]:
        return request_rates(start, NEXT_MIDNIGHT, self.left - sent, self.a_day, self.longest, self.chances)

    def requests(self) -> list[float]:
        """Return the hours of the requests until midnight. Each bin of the day has its own plan."""
        sent: list[float] = []
        at, end, rates = self.start.at, 0.0, [0.0]
        while True:
            if at >= end:
                since = (at - self.start.at) // BIN * BIN
                hour = (self.start.hour + since / HOUR) % 24
                start = self.start._replace(at=self.start.at + since, hour=hour)
                rates, end = self.rates(start, len(sent)), start.at + BIN
            if (at := next_time(at, end - BIN, rates)) >= NEXT_MIDNIGHT:
                return sent
            sent.append((at - MIDNIGHT) / HOUR)


LIMITED: Final = Day(left=240, a_day=240, longest=HOUR)


def count(sent: list[float], start: float, end: float) -> int:
    return sum(start <= hour < end for hour in sent)


def test_rate_follows_the_root_of_the_chance_and_all_requests_are_sent_until_midnight() -> None:
    sent = Day(chances=[[chance / 20 for chance in HABIT]]).requests()
    assert 717 <= len(sent) <= 720
    assert count(sent, 7, 8) == pytest.approx(5 * count(sent, 14, 15), rel=0.2)
    assert count(sent, 2, 3) == pytest.approx(count(sent, 22, 23), rel=0.3)


def test_requests_that_a_car_in_use_will_not_need_are_planned_for_its_usual_hour() -> None:
    sent = LIMITED.requests()
    assert count(sent, 7, 8) >= 44
    # If the car does not leave, the rest of the day keeps its share.
    assert count(sent, 18, 22) >= 0.58 * 4 * 10


def test_without_a_sleeping_car_only_the_longest_interval_counts() -> None:
    sent = Day(chances=()).requests()
    assert (count(sent, 12, 13), count(sent, 3, 4)) == (12, 12)


def test_large_budget_is_not_spent_faster_than_useful() -> None:
    start = local(7.5)
    assert next_time(start.at, start.at, Day(left=100_000).rates(start)) == start.at + SHORTEST_SPACING


@pytest.mark.parametrize("left", [0, 1, 2, 30, 144, 240])
def test_small_budget_lasts_until_midnight(left: int) -> None:
    """A small budget makes the intervals longer, is not exceeded, and is not spent before the evening."""
    sent = Day(left=left, longest=HOUR).requests()
    assert left - 2 <= len(sent) <= left
    assert count(sent, 7, 8) > left / 12 - 1
    assert count(sent, 18, 24) >= left // 8


def test_what_is_left_is_spread_over_the_rest_of_the_day_also_if_it_has_25_hours() -> None:
    late = Day(start=local(20), left=60)
    assert 59 <= len(late.requests()) <= 60
    long_day = late._replace(start=local(20)._replace(hour=19.0))
    assert 59 <= len(long_day.requests()) <= 60


def test_learned_habits_leave_some_of_the_requests_of_any_hour_for_new_ones() -> None:
    rate = WakeRate().observed(MIDNIGHT - 10 * 24 * HOUR)
    for day in range(10):
        rate = rate.woke(LocalTime(MIDNIGHT + (day - 10 + 7.5 / 24) * 24 * HOUR, 7.5, is_weekend=False))
    sent = LIMITED._replace(chances=[rate.by_bin(local(0))]).requests()
    assert count(sent, 7, 8) > 2 * 10
    assert count(sent, 12, 15) >= 0.58 * 3 * 10


def test_live_reads_last_for_this_and_further_uses_and_slow_charging_is_read_less_often() -> None:
    assert spaced_interval(60, 0) < spaced_interval(60, 2) < spaced_interval(20, 2)
    assert spaced_interval(1, 2) == spaced_interval(0, 2) == 1800
    assert spaced_interval(60, 0, 100) == spaced_interval(60, 0) < spaced_interval(60, 0, 25)
    assert spaced_interval(60, 0, 25) < spaced_interval(60, 0, 2) == 3 * spaced_interval(60, 0)


# 2026-05-04, a Monday
START: Final = 1_777_852_800.0


def learned(days: int, hour: float = 7.6) -> WakeRate:
    """Return the rate of a car that woke at this hour of each weekday since a Monday."""
    rate = WakeRate().observed(START)
    for day in range(days):
        if day % 7 < 5:
            rate = rate.woke(LocalTime(START + day * DAY + hour * 3600, hour, is_weekend=False))
    return rate


def chance(rate: WakeRate, hour: float, days: float, *, is_weekend: bool = False) -> float:
    """Return the chance per hour at this hour, so many days after the first observation."""
    return rate.chance(LocalTime(START + days * DAY, hour, is_weekend))


def test_new_car_may_wake_at_any_time() -> None:
    (at_any_time,) = {*WakeRate().by_bin(LocalTime(START, 0, is_weekend=True))}
    assert at_any_time > 0


def test_chance_rises_around_the_usual_hour_and_falls_at_all_others() -> None:
    before, after = WakeRate().observed(START), learned(21)
    assert chance(after, 7.6, 21) > 20 * chance(after, 12, 21)
    assert chance(after, 7.6, 21) > 3 * chance(after, 7.3, 21) > 10 * chance(after, 12, 21)
    assert chance(after, 12, 21) < chance(before, 12, 0)
    # About one wake a day
    by_bin = after.by_bin(LocalTime(START + 21 * DAY, 0, is_weekend=False))
    assert sum(by_bin) / BINS_PER_HOUR == pytest.approx(1, abs=0.6)


def test_wake_on_a_weekday_does_not_change_the_chance_of_a_weekend() -> None:
    weekday, weekend = (chance(learned(21), 7.6, 21, is_weekend=each) for each in (False, True))
    assert chance(learned(21), 12, 21, is_weekend=True) == weekend < weekday / 2


def test_wakes_of_three_weeks_ago_count_far_less() -> None:
    rate = learned(21)
    for day in range(21, 42):
        if day % 7 < 5:
            rate = rate.woke(LocalTime(START + day * DAY, 10.0, is_weekend=False))
    assert chance(rate, 10, 42) > 6 * chance(rate, 7.6, 42)
    assert chance(learned(21), 7.6, 42) < chance(learned(21), 7.6, 21) / 4


@pytest.mark.parametrize("hour", [0.0, 23.99])
def test_wake_around_midnight_counts_for_the_hours_before_and_after_it(hour: float) -> None:
    bins = learned(1, hour).by_bin(LocalTime(START + DAY, 0, is_weekend=False))
    assert min(bins[0], bins[-1]) > 2 * bins[BINS // 2]
