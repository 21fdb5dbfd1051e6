"""When to ask the car."""

from copy import replace
from typing import Final

import pytest

from custom_components.vehicle_remote_access.polling.policy import (
    DENSE,
    IN_SERVICE,
    KEEPING_AWAKE,
    SHORTEST,
    Mode,
    Plan,
    Situation,
    is_due,
    next_question,
    plan,
)

NOW: Final = 1_000_000.0
QUIET: Final = 800.0
PARKED: Final = Situation(
    state="online",
    is_probed=True,
    last_read=NOW,
    woke_at=NOW - 7200,
    watched_until=NOW - 1,
    quiet=QUIET,
)
ASLEEP: Final = replace(PARKED, state="asleep")
DRIVING: Final = replace(PARKED, activity=Mode.DRIVING)


def test_never_read() -> None:
    """A car that is awake and was never read is read at once."""
    assert plan(replace(PARKED, last_read=None)) == Plan(Mode.SETTLING, 0.0)


@pytest.mark.parametrize("activity", [Mode.DRIVING, Mode.CHARGING, Mode.IN_USE])
def test_active(activity: Mode) -> None:
    """A car that is awake anyway is read every minute, however long that lasts."""
    assert plan(replace(PARKED, activity=activity)) == Plan(activity, NOW + DENSE)


def test_owners_intervals() -> None:
    """How often a car is read that is awake anyway, its owner decides."""
    intervals = {"driving": 15.0, "in_use": 120.0}
    assert plan(replace(DRIVING, intervals=intervals)).read_at == NOW + 15
    assert plan(replace(PARKED, activity=Mode.CHARGING, intervals=intervals)).read_at == NOW + DENSE
    settling = replace(PARKED, watched_until=NOW + 2, intervals=intervals)
    assert plan(settling) == Plan(Mode.SETTLING, NOW + 120)


def test_settling() -> None:
    """A car that has just been used is read every minute for a while, once more at the end of it."""
    assert plan(replace(PARKED, watched_until=NOW + 10)) == Plan(Mode.SETTLING, NOW + DENSE)
    assert plan(replace(PARKED, watched_until=NOW)).mode is Mode.QUIET


def test_just_woken() -> None:
    """A car that woke after the last read is read at once."""
    woken = replace(PARKED, last_read=NOW - 3600, woke_at=NOW)
    assert plan(woken) == Plan(Mode.SETTLING, NOW)


def test_woken_for_a_self_check() -> None:
    """A car that is known to wake by itself is read only if it stays awake."""
    woken = replace(PARKED, last_read=NOW - 3600, woke_at=NOW, patience=210)
    assert plan(woken) == Plan(Mode.QUIET, NOW + 210)
    assert plan(replace(woken, state="asleep")) == Plan(Mode.ASLEEP, None)


def test_kept_awake() -> None:
    """A car that its owner wants awake is read often enough for it, and no oftener."""
    assert plan(replace(PARKED, is_kept_awake=True)) == Plan(Mode.KEPT_AWAKE, NOW + KEEPING_AWAKE)
    assert plan(replace(ASLEEP, is_kept_awake=True)) == Plan(Mode.ASLEEP, None)


def test_unknown_state() -> None:
    """A car in a state that nobody has heard of is not online, so it is not read."""
    assert plan(replace(PARKED, state="hibernating", activity=Mode.IN_USE)) == Plan(Mode.OFFLINE, None)


def test_quiet() -> None:
    """A parked car is left in peace for as long as it needs to fall asleep."""
    assert plan(PARKED) == Plan(Mode.QUIET, NOW + QUIET)


def test_quiet_time_begins_with_the_last_touch() -> None:
    """Whatever else kept the car awake, it gets its whole time of quiet afterwards."""
    assert plan(replace(PARKED, last_touch=NOW + 60)) == Plan(Mode.QUIET, NOW + 60 + QUIET)
    assert plan(replace(PARKED, last_touch=NOW - 60)) == Plan(Mode.QUIET, NOW + QUIET)


@pytest.mark.parametrize("state", ["asleep", "offline"])
def test_out_of_reach(state: str) -> None:
    """A car that sleeps or is out of coverage is not read, whatever it was doing when last seen."""
    assert plan(replace(DRIVING, state=state)) == Plan(Mode(state), None)


def test_asleep_and_nothing_tells() -> None:
    """Where only a live read tells whether the car sleeps, it is asked every minute: that wakes no car."""
    assert plan(replace(ASLEEP, is_probed=False)) == Plan(Mode.ASLEEP, NOW + DENSE)


def test_in_service() -> None:
    """A car in the workshop is asked every ten minutes whether it is back."""
    away = replace(PARKED, in_service=True)
    assert plan(away) == Plan(Mode.IN_SERVICE, NOW + IN_SERVICE)
    assert plan(replace(away, last_read=None)) == Plan(Mode.IN_SERVICE, 0.0)


def test_backing_off() -> None:
    """After a failure nothing is read before it makes sense, and what is due later stays as it is."""
    assert plan(replace(DRIVING, retry_at=NOW + 600)) == Plan(Mode.BACKING_OFF, NOW + 600)
    assert plan(replace(PARKED, retry_at=NOW + 600)) == Plan(Mode.QUIET, NOW + QUIET)
    assert plan(replace(ASLEEP, retry_at=NOW + 600)) == Plan(Mode.ASLEEP, None)


def test_never_twice_at_once() -> None:
    """Whatever the times say, two reads lie some seconds apart."""
    assert plan(replace(PARKED, woke_at=NOW + 1)).read_at == NOW + SHORTEST


def test_due() -> None:
    """What is due within a second is due."""
    assert is_due(Plan(Mode.DRIVING, NOW + 1), NOW)
    assert not is_due(Plan(Mode.DRIVING, NOW + 1.1), NOW)
    assert not is_due(Plan(Mode.ASLEEP, None), NOW)


# What to ask of the service

QUIET_CAR: Final = (NOW - 300, Plan(Mode.QUIET, NOW + 500))
SLEEPING_CAR: Final = (NOW - 9000, Plan(Mode.ASLEEP, None))
DRIVING_CAR: Final = (NOW - 60, Plan(Mode.DRIVING, NOW))


def test_service_is_asked_every_minute() -> None:
    """Which of the cars are awake is asked once a minute, for all of them."""
    assert next_question(NOW, 60, [QUIET_CAR, SLEEPING_CAR]) == (NOW + 60, NOW + 60)
    assert next_question(NOW, 60, []) == (NOW + 60, NOW + 60)


def test_car_that_speaks_for_itself() -> None:
    """Of a single car that is read now, nothing is asked but the car."""
    assert next_question(NOW - 60, 60, [DRIVING_CAR]) == (NOW + 60, NOW)


def test_other_car_has_to_be_asked_for() -> None:
    """A car that is read says nothing of one that sleeps."""
    assert next_question(NOW - 60, 60, [DRIVING_CAR, SLEEPING_CAR]) == (NOW, NOW)
    assert next_question(NOW - 60, 60, [DRIVING_CAR, DRIVING_CAR]) == (NOW + 60, NOW)


def test_read_counts_as_an_answer() -> None:
    """What the car has just said need not be asked of the service, until a minute later."""
    assert next_question(NOW - 60, 60, [(NOW, Plan(Mode.QUIET, NOW + 800))]) == (NOW + 60, NOW + 60)


def test_read_that_is_overdue() -> None:
    """A read that somebody else holds up does not have the service asked all the time."""
    overdue = (NOW - 900, Plan(Mode.QUIET, NOW - 500))
    assert next_question(NOW, 60, [overdue])[0] == NOW + 60


def test_read_between_two_questions() -> None:
    """A read that is due sooner than the next question does not wait for it."""
    assert next_question(NOW - 10, 600, [DRIVING_CAR]) == (NOW + 600, NOW)
    assert next_question(NOW - 10, 600, [DRIVING_CAR, SLEEPING_CAR]) == (NOW + 590, NOW)
