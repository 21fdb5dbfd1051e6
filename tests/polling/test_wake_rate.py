"""How likely a car is to wake for use, by time of day."""

from typing import Final

import pytest

from custom_components.vehicle_remote_access.polling.wake_rate import BINS, BINS_PER_HOUR, WakeRate
from custom_components.vehicle_remote_access.util.local_time import DAY, LocalTime

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
