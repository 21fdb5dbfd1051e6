"""When to ask the car."""

from dataclasses import replace
from typing import Final

import pytest

from custom_components.vehicle_remote_access.polling import (
    DENSE,
    IN_SERVICE,
    QUIET,
    SETTLING,
    Mode,
    Plan,
    Situation,
    plan,
)

NOW: Final = 1_000_000.0
PARKED: Final = Situation(
    state="online",
    in_service=False,
    activity=None,
    last_read=NOW,
    last_wake=NOW - 7200,
    last_change=NOW - SETTLING - 1,
    is_probed=True,
)


def test_never_read() -> None:
    """A car that is awake and was never read is read at once."""
    assert plan(replace(PARKED, last_read=None)) == Plan(Mode.STARTING, 0.0)


@pytest.mark.parametrize("activity", [Mode.DRIVING, Mode.CHARGING, Mode.IN_USE])
def test_active(activity: Mode) -> None:
    """A car that is awake anyway is read every minute, however long that lasts."""
    assert plan(replace(PARKED, activity=activity)) == Plan(activity, NOW + DENSE)


def test_settling() -> None:
    """A car that has just been used is read every minute for a while."""
    assert plan(replace(PARKED, last_change=NOW - 10)) == Plan(Mode.SETTLING, NOW + DENSE)


def test_just_woken() -> None:
    """A car that woke after the last read is read at once, and if nobody uses it, left in peace again."""
    woken = replace(PARKED, last_read=NOW - 3600, last_wake=NOW)
    assert plan(woken) == Plan(Mode.STARTING, NOW)
    assert plan(replace(woken, last_read=NOW + 5)) == Plan(Mode.QUIET, NOW + 5 + QUIET)


def test_unknown_state() -> None:
    """A car in a state that nobody has heard of is not online, so it is not read."""
    assert plan(replace(PARKED, state="hibernating", activity=Mode.IN_USE)) == Plan(Mode.OFFLINE, None)


def test_quiet() -> None:
    """A parked car is left in peace long enough for any car to fall asleep."""
    assert plan(PARKED) == Plan(Mode.QUIET, NOW + QUIET)
    assert QUIET > 30 * 60


@pytest.mark.parametrize("state", ["asleep", "offline"])
def test_out_of_reach(state: str) -> None:
    """A car that sleeps or is out of coverage is not read, whatever it was doing when last seen."""
    away = replace(PARKED, state=state, activity=Mode.DRIVING)
    assert plan(away) == Plan(Mode(state), None)


def test_asleep_and_nothing_tells() -> None:
    """Where only a live read tells whether the car sleeps, it is asked every minute: that wakes no car."""
    assert plan(replace(PARKED, state="asleep", is_probed=False)) == Plan(Mode.ASLEEP, NOW + DENSE)


def test_in_service() -> None:
    """A car in the workshop is asked every ten minutes whether it is back."""
    away = replace(PARKED, in_service=True)
    assert plan(away) == Plan(Mode.IN_SERVICE, NOW + IN_SERVICE)
    assert plan(replace(away, last_read=None)) == Plan(Mode.IN_SERVICE, 0.0)


def test_quiet_time_begins_with_the_last_touch() -> None:
    """Whatever else kept the car awake, it gets its whole time of quiet afterwards."""
    assert plan(replace(PARKED, last_touch=NOW + 60)) == Plan(Mode.QUIET, NOW + 60 + QUIET)
    assert plan(replace(PARKED, last_touch=NOW - 60)) == Plan(Mode.QUIET, NOW + QUIET)
