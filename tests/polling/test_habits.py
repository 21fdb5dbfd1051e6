"""What is learned of a car."""

from itertools import repeat
import json
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.polling.habits import (
    FIRST_QUIET,
    LONG_STAY,
    LONGEST_QUIET,
    SHORT_STOP,
    USUAL,
    Arrival,
    Habits,
)

MINUTE: Final = 60.0
HOUR: Final = 3600.0
HOME: Final = (52.3567, 4.8815)
WORK: Final = (52.4567, 4.8815)


def after(*sleeps: float) -> Habits:
    """Return the habits of a car that fell asleep after so many minutes, time and again."""
    habits = Habits()
    for minutes in sleeps:
        habits = habits.fell_asleep(minutes * MINUTE)
    return habits


def arrival(hour: float, place: Any = HOME) -> Arrival:
    """Return an arrival at an hour of the day."""
    return Arrival(at=0.0, hour=hour, place=place)


def test_first_quiet_suits_every_car() -> None:
    """A car of which nothing is known is given time enough for any."""
    assert Habits().quiet == FIRST_QUIET > 30 * MINUTE
    assert Habits().need is None


@pytest.mark.parametrize("minutes", [10, 11, 15, 20, 25, 30])
def test_quiet_is_what_the_car_needs(minutes: float) -> None:
    """What a car needed is learned from one time, with a little more for the next look to find it asleep."""
    habits = after(minutes)
    assert habits.need == minutes * MINUTE
    assert habits.need + MINUTE < habits.quiet < habits.need * 1.05 + 2 * MINUTE


def test_longer_only_after_it_did_not_sleep() -> None:
    """A time that was too short is made longer, up to an hour, until it sleeps."""
    habits = after(12)
    found = [habits.quiet]
    for _ in range(20):
        habits = habits.stayed_awake()
        found.append(habits.quiet)
    assert found[1] == pytest.approx(found[0] * 1.5)
    assert found[-1] == LONGEST_QUIET
    assert found == sorted(found)
    assert habits.fell_asleep(40 * MINUTE).quiet < LONGEST_QUIET == after(60).quiet


def test_one_disturbed_night_is_no_habit() -> None:
    """That somebody kept it awake once does not make the time longer for long."""
    assert after(12, 12, 45).need == 12 * MINUTE
    assert after(12, 45, 13).need == 13 * MINUTE
    assert after(12, 45).need == 45 * MINUTE


def test_it_may_need_longer_than_before() -> None:
    """When it needs longer time and again, that is believed."""
    assert after(12, 12, 12, 20, 20).need == 20 * MINUTE


def test_sent_to_sleep_by_somebody_else() -> None:
    """No car falls asleep within five minutes, or needs hours; nothing is learned from one that seems to."""
    assert after(2) == after(240) == Habits()


# Self-checks


def test_self_checks_are_recognised() -> None:
    """After it woke for nothing twice in a row, it is given time to sleep again."""
    habits = Habits().slept(HOUR).checked_itself(HOUR)
    assert habits.patience == 0
    habits = habits.slept(HOUR).checked_itself(HOUR)
    assert 150 < habits.patience < 240


def test_wakes_at_odd_times_are_no_self_checks() -> None:
    """What wakes a car by itself does so after about the same time."""
    assert Habits().checked_itself(HOUR).checked_itself(2 * HOUR).patience == 0
    known = Habits().checked_itself(HOUR).checked_itself(HOUR + 60)
    assert known.checked_itself(600).patience > 0


def test_sound_sleep_forgets_self_checks() -> None:
    """A car that sleeps for hours does not check itself every hour."""
    habits = Habits().slept(HOUR).checked_itself(HOUR).slept(HOUR).checked_itself(HOUR).slept(4 * HOUR)
    assert habits.patience == 0


# Stops


def test_unknown_place_by_day() -> None:
    """Where it has never been, a short stop is likely, but not at night."""
    assert Habits().settling(arrival(12)) == SHORT_STOP > 20 * MINUTE
    assert Habits().settling(arrival(23)) == Habits().settling(arrival(5)) == USUAL


def test_known_long_stay() -> None:
    """Where it stayed long at this time of the day, it will again."""
    habits = Habits().stayed(arrival(17.5), 14 * HOUR)
    assert habits.settling(arrival(18)) == USUAL
    assert habits.stayed(arrival(17), 12 * HOUR).settling(arrival(18)) == LONG_STAY


def test_place_and_hour_are_told_apart() -> None:
    """A long stay at home in the evening says nothing of noon, nor of another place."""
    habits = Habits().stayed(arrival(18), 14 * HOUR).stayed(arrival(17), 14 * HOUR)
    assert habits.settling(arrival(12)) == SHORT_STOP
    assert habits.settling(arrival(18, WORK)) == SHORT_STOP
    assert habits.settling(arrival(18, None)) == SHORT_STOP
    assert habits.settling(arrival(18, (HOME[0] + 0.001, HOME[1] - 0.002))) == LONG_STAY


def test_hours_meet_at_midnight() -> None:
    """Half past eleven and half past midnight are an hour apart."""
    habits = Habits().stayed(arrival(23.5), 600).stayed(arrival(23.5), 600)
    assert habits.settling(arrival(0.5)) == SHORT_STOP


def test_short_stops_are_remembered() -> None:
    """Where one stay in four was short, the next may be."""
    habits = Habits().stayed(arrival(17), 8 * MINUTE)
    for _ in repeat(None, 3):
        habits = habits.stayed(arrival(17), 14 * HOUR)
    assert habits.settling(arrival(17)) == SHORT_STOP
    assert habits.stayed(arrival(17), 14 * HOUR).settling(arrival(17)) == LONG_STAY


def test_car_that_does_not_say_where_it_is() -> None:
    """Without a position, the hour alone tells."""
    habits = Habits().stayed(arrival(18, None), 14 * HOUR).stayed(arrival(18, None), 14 * HOUR)
    assert habits.settling(arrival(18, None)) == LONG_STAY


def test_only_the_last_stays_count() -> None:
    """What is kept does not grow for ever."""
    habits = Habits()
    for index in range(500):
        habits = habits.stayed(arrival(12, (50.0, index / 100)), HOUR).fell_asleep(700 + index)
    assert len(habits.stays) < 100
    assert len(habits.sleeps) < 10


# Over a restart


def test_remembered() -> None:
    """What was learned survives being written and read."""
    habits = after(12, 13).stayed(arrival(12), 600).stayed(arrival(13, None), 700).checked_itself(HOUR)
    habits = habits.stayed_awake()
    assert Habits.from_json(json.loads(json.dumps(habits.as_json()))) == habits


@pytest.mark.parametrize(
    "spoiled",
    [
        None,
        7,
        [],
        {"sleeps": 7, "stays": {"a": 1}},
        {"sleeps": ["x", None, -5, float("nan"), 1, 1e12], "sleepless": "no", "self_checks": -3},
        {"stays": [1, None, {"hour": "x", "lasted": 5}, {"hour": 5}]},
    ],
)
def test_spoiled(spoiled: Any) -> None:
    """What cannot be understood was not learned."""
    assert Habits.from_json(spoiled) == Habits()


def test_partly_spoiled() -> None:
    """What can be understood is kept."""
    kept = {"sleeps": [700, "x"], "sleepless": 10**9, "stays": [{"hour": 5, "lasted": 6, "place": [1, "x"]}]}
    habits = Habits.from_json(kept)
    assert habits.need == 700
    assert habits.quiet <= LONGEST_QUIET
    assert habits.stays[0].place is None
