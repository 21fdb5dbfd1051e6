"""A day's requests last until midnight, most are sent when a wake is likely, and when that is."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import pytest

from custom_components.vehicle_remote_access.polling.request_rates import (
    BIN,
    SHORTEST_SPACING,
    next_time,
    request_rates,
    spaced_interval,
)
from custom_components.vehicle_remote_access.polling.wake_rate import BINS, BINS_PER_HOUR, WakeRate
from custom_components.vehicle_remote_access.util.local_time import DAY, HOUR, LocalTime

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
