"""A car's habits: the time to fall asleep, self-checks, and stays."""

from copy import replace
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.polling.departure import LONGEST_WATCH, SHORTEST_WATCH
from custom_components.vehicle_remote_access.polling.habits import FIRST_QUIET, LONGEST_QUIET, Habits, Parking
from custom_components.vehicle_remote_access.util.local_time import DAY, HOUR, LocalTime

MINUTE: Final = 60.0
HOME: Final = (52.3567, 4.8815)
WORK: Final = (52.4567, 4.8815)


def habits_after(*sleeps: float) -> Habits:
    """Return the habits of a car that fell asleep after so many minutes, one time after the other."""
    habits = Habits()
    for minutes in sleeps:
        habits = habits.fell_asleep(minutes * MINUTE)
    return habits


def at(place: Any = HOME) -> Parking:
    return Parking(at=0.0, place=place)


def test_quiet_period_is_the_time_needed_plus_a_margin() -> None:
    # Long enough for any car
    assert Habits().quiet_period == FIRST_QUIET > 30 * MINUTE
    assert Habits().time_to_fall_asleep is None
    for minutes in (10, 30):
        needed = minutes * MINUTE
        assert needed + MINUTE < habits_after(minutes).quiet_period < needed * 1.05 + 2 * MINUTE


def test_quiet_period_that_was_too_short_grows_up_to_an_hour_until_the_car_sleeps() -> None:
    habits = habits_after(12)
    periods = [habits.quiet_period]
    for _ in range(20):
        habits = habits.stayed_awake()
        periods.append(habits.quiet_period)
    assert periods[1] == pytest.approx(periods[0] * 1.5)
    assert periods[-1] == LONGEST_QUIET
    assert periods == sorted(periods)
    assert habits.fell_asleep(40 * MINUTE).quiet_period < LONGEST_QUIET == habits_after(60).quiet_period


@pytest.mark.parametrize(
    ("sleeps", "minutes"),
    [([12, 12, 45], 12), ([12, 45, 13], 13), ([12, 45], 45), ([12, 12, 12, 20, 20], 20), ([12, 2, 240], 12)],
)
def test_time_to_fall_asleep(sleeps: list[float], minutes: float) -> None:
    """A single longer time is not learned for long, a repeated one is, and an implausible one never is."""
    assert habits_after(*sleeps).time_to_fall_asleep == minutes * MINUTE


NOON: Final = LocalTime(12 * HOUR, 12.0, is_weekend=False)


def test_car_gets_time_to_fall_asleep_after_two_self_checks_until_a_long_sleep() -> None:
    habits = Habits().slept(HOUR).checked_itself(HOUR)
    assert habits.self_check_wait == 0
    habits = habits.slept(HOUR).checked_itself(HOUR)
    assert 150 < habits.self_check_wait < 240
    assert habits.slept(9 * HOUR).self_check_wait == 0


def test_wake_at_a_usual_hour_is_a_use_unless_a_self_check_is_due() -> None:
    used = Habits().woke_for_use(NOON)
    habits = replace(used, checks=(HOUR,) * 10)
    evening = NOON._replace(hour=20.0)
    assert habits.is_use_likely(NOON, HOUR / 2)
    assert not habits.is_use_likely(NOON, HOUR)
    assert not habits.is_use_likely(evening, HOUR / 2)
    assert not used.is_use_likely(NOON, HOUR / 2)


LONG: Final = (14 * HOUR,)


def parked(*stays: float, place: Any = HOME) -> Habits:
    """Return the habits of a car that needs 15 minutes to fall asleep, after stays of so many seconds."""
    habits = habits_after(15)
    for lasted in stays:
        habits = habits.stayed(at(place), lasted)
    return habits


def test_short_stop_in_an_unknown_place_is_likely() -> None:
    assert 20 * MINUTE <= parked().watch_parked(at()) <= LONGEST_WATCH
    # A car that may need long to fall asleep would be left alone for long.
    assert Habits().watch_parked(at()) == LONGEST_WATCH


def test_long_stay_is_expected_again_near_the_place() -> None:
    unknown = parked().watch_parked(at())
    assert SHORTEST_WATCH < parked(*LONG).watch_parked(at()) < unknown / 2
    habits = parked(*LONG * 3)
    assert habits.watch_parked(at()) == SHORTEST_WATCH
    assert habits.watch_parked(at((HOME[0] + 0.001, HOME[1] - 0.002))) == SHORTEST_WATCH
    assert habits.watch_parked(at(WORK)) == habits.watch_parked(at(None)) == unknown
    # Stays without a position are compared with each other.
    assert parked(*LONG * 3, place=None).watch_parked(at(None)) == SHORTEST_WATCH


def test_repeated_short_stop_is_expected_again() -> None:
    assert 10 * MINUTE < parked(*(10 * MINUTE,) * 2, *LONG * 6).watch_parked(at()) < 20 * MINUTE
    assert parked(10 * MINUTE, *LONG * 25).watch_parked(at()) == SHORTEST_WATCH


def test_car_that_woke_or_was_charged_is_watched_if_it_is_usually_driven_soon() -> None:
    habits = habits_after(15)
    for day in range(10):
        habits = habits.woke_for_use(LocalTime(day * DAY, 7.6, is_weekend=False))
    watch = [habits.watch_idle(LocalTime(10 * DAY, hour, is_weekend=False)) for hour in (3, 7.3, 12)]
    assert watch[0] == watch[2] == SHORTEST_WATCH
    assert watch[1] > 18 * MINUTE


def test_only_the_last_stays_and_sleeps_are_kept() -> None:
    habits = Habits()
    for index in range(500):
        habits = habits.stayed(at((50.0, index / 100)), HOUR).fell_asleep(700 + index)
    assert len(habits.stays) < 150
    assert len(habits.sleeps) < 10


def test_valid_part_of_stored_data_is_restored() -> None:
    stays = [{"at": 4, "hour": 5, "lasted": 6, "place": place} for place in (None, [1, "x"])]
    habits = Habits.from_json({"sleeps": [700, "x"], "sleepless": 10**9, "stays": stays})
    assert habits.time_to_fall_asleep == 700
    assert habits.quiet_period <= LONGEST_QUIET
    assert [each.place for each in habits.stays] == [None, None]
