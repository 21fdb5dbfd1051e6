"""The budget of requests: a day's requests last until midnight, and most are sent when a wake is likely."""

from copy import replace
from typing import Final

import pytest

from custom_components.vehicle_remote_access.polling.budget import (
    BIN,
    SHORTEST_SPACING,
    RequestBudget,
    next_time,
    spaced_interval,
)
from custom_components.vehicle_remote_access.polling.local_time import HOUR, LocalTime
from custom_components.vehicle_remote_access.polling.wake_rate import BINS, BINS_PER_HOUR, WakeRate

# A car that is 25 times as likely to wake from 7 to 8 as otherwise
HABIT: Final = tuple(1.0 if index // BINS_PER_HOUR == 7 else 0.04 for index in range(BINS))
MIDNIGHT: Final = 11 * 24 * HOUR


def local(hour: float) -> LocalTime:
    return LocalTime(MIDNIGHT + hour * HOUR, hour * 60 // 1 / 60, is_weekend=False)


DAY: Final = RequestBudget(
    start=local(0),
    midnight=MIDNIGHT + 24 * HOUR,
    left=720,
    even=0.0,
    chances=(HABIT,),
    longest_by_day=300.0,
    longest_by_night=600.0,
)


def requests(budget: RequestBudget) -> list[float]:
    """Return the hours of the requests until midnight. Each bin of the day has its own plan."""
    sent: list[float] = []
    at, end, rates = budget.start.at, 0.0, [0.0]
    while True:
        if at >= end:
            since = (at - budget.start.at) // BIN * BIN
            start = budget.start._replace(
                at=budget.start.at + since, hour=(budget.start.hour + since / HOUR) % 24
            )
            rates, end = replace(budget, start=start, left=budget.left - len(sent)).rates(), start.at + BIN
        if (at := next_time(at, end - BIN, rates)) >= budget.midnight:
            return sent
        sent.append((at - MIDNIGHT) / HOUR)


def count(sent: list[float], start: float, end: float) -> int:
    return sum(start <= hour < end for hour in sent)


def test_rate_follows_the_root_of_the_chance_and_all_requests_are_sent_until_midnight() -> None:
    sent = requests(replace(DAY, chances=(tuple(chance / 20 for chance in HABIT),)))
    assert 717 <= len(sent) <= 720
    assert count(sent, 7, 8) == pytest.approx(5 * count(sent, 14, 15), rel=0.2)
    assert count(sent, 2, 3) == pytest.approx(count(sent, 22, 23), rel=0.3)


def test_requests_that_are_rarely_necessary_are_planned_more_often() -> None:
    limited = replace(DAY, left=240, even=240 / (24 * HOUR), longest_by_day=HOUR, longest_by_night=HOUR)
    sent = requests(limited)
    assert count(sent, 7.5, 8) > 1.1 * count(sent, 7, 7.5)
    # If the car does not leave, the rest of the day keeps its share.
    assert count(sent, 18, 22) >= 0.75 * 4 * 10


def test_without_a_sleeping_car_only_the_longest_interval_counts() -> None:
    sent = requests(replace(DAY, chances=()))
    assert (count(sent, 12, 13), count(sent, 3, 4)) == (12, 6)


def test_large_budget_is_not_spent_faster_than_useful() -> None:
    busy = replace(DAY, start=local(7.5), left=100_000)
    assert next_time(busy.start.at, busy.start.at, busy.rates()) == busy.start.at + SHORTEST_SPACING


@pytest.mark.parametrize("left", [0, 1, 2, 30, 144, 240])
def test_small_budget_lasts_until_midnight(left: int) -> None:
    """A small budget makes the intervals longer, is not exceeded, and is not spent before the evening."""
    sent = requests(replace(DAY, left=left, longest_by_day=HOUR, longest_by_night=HOUR))
    assert left - 2 <= len(sent) <= left
    assert count(sent, 7, 8) > left / 12 - 1
    assert count(sent, 18, 24) >= left // 8


def test_what_is_left_is_spread_over_the_rest_of_the_day_also_if_it_has_25_hours() -> None:
    late = replace(DAY, start=local(20), left=60)
    assert 59 <= len(requests(late)) <= 60
    long_day = replace(late, start=local(20)._replace(hour=19.0))
    assert 59 <= len(requests(long_day)) <= 60


def test_learned_habits_leave_three_quarters_of_the_requests_of_any_hour_for_new_ones() -> None:
    rate = WakeRate().observed(MIDNIGHT - 10 * 24 * HOUR)
    for day in range(10):
        rate = rate.woke(LocalTime(MIDNIGHT + (day - 10 + 7.5 / 24) * 24 * HOUR, 7.5, is_weekend=False))
    chances = (rate.by_bin(local(0)),)
    limited = replace(DAY, left=240, even=240 / (24 * HOUR), chances=chances, longest_by_day=HOUR)
    sent = requests(limited)
    assert count(sent, 7, 8) > 2 * 10
    assert count(sent, 12, 15) >= 0.75 * 3 * 10


def test_live_reads_last_for_this_and_further_uses_and_slow_charging_is_read_less_often() -> None:
    assert spaced_interval(60, 0) < spaced_interval(60, 2) < spaced_interval(20, 2)
    # The beginning and the end of further uses come before the track of this one.
    assert spaced_interval(6, 2) == spaced_interval(0, 2) == 1800
    assert spaced_interval(60, 0, 100) == spaced_interval(60, 0) < spaced_interval(60, 0, 25)
    assert spaced_interval(60, 0, 25) < spaced_interval(60, 0, 2) == 3 * spaced_interval(60, 0)
