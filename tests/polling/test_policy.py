"""The polling policy: when to read a car, and when to request the list."""

from copy import replace
from typing import Final

import pytest

from custom_components.vehicle_remote_access.polling.policy import (
    DEFAULT_READ_INTERVAL,
    IN_SERVICE_INTERVAL,
    KEEP_AWAKE_INTERVAL,
    SHORTEST_READ_INTERVAL,
    Mode,
    Plan,
    Situation,
    is_due,
    make_plan,
    next_requests,
)

NOW: Final = 1_000_000.0
QUIET: Final = 800.0
PARKED: Final = Situation(
    state="online",
    is_state_listed=True,
    last_read=NOW,
    woke_at=NOW - 7200,
    watched_until=NOW - 1,
    quiet=QUIET,
)
ASLEEP: Final = replace(PARKED, state="asleep")
DRIVING: Final = replace(PARKED, activity=Mode.DRIVING)


def test_awake_car_without_a_read_is_read_at_once() -> None:
    """An awake car that was never read is read at once."""
    assert make_plan(replace(PARKED, last_read=None)) == Plan(Mode.SETTLING, 0.0)


@pytest.mark.parametrize("activity", [Mode.DRIVING, Mode.CHARGING, Mode.IN_USE])
def test_active_car_is_read_every_minute(activity: Mode) -> None:
    """A car with an activity that keeps it awake is read every minute."""
    assert make_plan(replace(PARKED, activity=activity)) == Plan(activity, NOW + DEFAULT_READ_INTERVAL)


def test_owner_sets_the_intervals() -> None:
    """The owner's intervals replace the default intervals."""
    intervals = {"driving": 15.0, "in_use": 120.0}
    assert make_plan(replace(DRIVING, intervals=intervals)).due_at == NOW + 15
    assert (
        make_plan(replace(PARKED, activity=Mode.CHARGING, intervals=intervals)).due_at
        == NOW + DEFAULT_READ_INTERVAL
    )
    settling = replace(PARKED, watched_until=NOW + 2, intervals=intervals)
    assert make_plan(settling) == Plan(Mode.SETTLING, NOW + 120)


def test_watched_car_is_read_every_minute() -> None:
    """A car that was just used is read every minute for a while, including once at the end."""
    assert make_plan(replace(PARKED, watched_until=NOW + 10)) == Plan(
        Mode.SETTLING, NOW + DEFAULT_READ_INTERVAL
    )
    assert make_plan(replace(PARKED, watched_until=NOW)).mode is Mode.QUIET


def test_woken_car_is_read_at_once() -> None:
    """A car that woke after the last read is read at once."""
    woken_car = replace(PARKED, last_read=NOW - 3600, woke_at=NOW)
    assert make_plan(woken_car) == Plan(Mode.SETTLING, NOW)


def test_car_with_self_checks_is_read_only_if_it_stays_awake() -> None:
    """A car that is known for self-checks is read only if it stays awake."""
    woken_car = replace(PARKED, last_read=NOW - 3600, woke_at=NOW, patience=210)
    assert make_plan(woken_car) == Plan(Mode.QUIET, NOW + 210)
    assert make_plan(replace(woken_car, state="asleep")) == Plan(Mode.ASLEEP, None)


def test_car_is_kept_awake_by_reads() -> None:
    """A car that is kept awake is read just often enough for that. A sleeping car is not woken."""
    assert make_plan(replace(PARKED, is_kept_awake=True)) == Plan(Mode.KEPT_AWAKE, NOW + KEEP_AWAKE_INTERVAL)
    assert make_plan(replace(ASLEEP, is_kept_awake=True)) == Plan(Mode.ASLEEP, None)


def test_unknown_state_means_offline() -> None:
    """A car in an unknown state is not online, so it is not read."""
    assert make_plan(replace(PARKED, state="hibernating", activity=Mode.IN_USE)) == Plan(Mode.OFFLINE, None)


def test_parked_car_gets_a_quiet_period() -> None:
    """A parked car is not read for as long as it needs to fall asleep."""
    assert make_plan(PARKED) == Plan(Mode.QUIET, NOW + QUIET)


def test_other_requests_restart_the_quiet_period() -> None:
    """Another request that kept the car awake restarts the quiet period."""
    assert make_plan(replace(PARKED, last_touch=NOW + 60)) == Plan(Mode.QUIET, NOW + 60 + QUIET)
    assert make_plan(replace(PARKED, last_touch=NOW - 60)) == Plan(Mode.QUIET, NOW + QUIET)


@pytest.mark.parametrize("state", ["asleep", "offline"])
def test_unreachable_car_is_not_read(state: str) -> None:
    """A car that is asleep or offline is not read, whatever its last activity was."""
    assert make_plan(replace(DRIVING, state=state)) == Plan(Mode(state), None)


def test_sleeping_car_without_a_list_is_read_every_minute() -> None:
    """If only live reads detect a wake, a sleeping car is read every minute, which does not wake it."""
    assert make_plan(replace(ASLEEP, is_state_listed=False)) == Plan(Mode.ASLEEP, NOW + DEFAULT_READ_INTERVAL)


def test_car_in_service_is_read_every_ten_minutes() -> None:
    """A car in service is read every ten minutes."""
    in_service = replace(PARKED, in_service=True)
    assert make_plan(in_service) == Plan(Mode.IN_SERVICE, NOW + IN_SERVICE_INTERVAL)
    assert make_plan(replace(in_service, last_read=None)) == Plan(Mode.IN_SERVICE, 0.0)


def test_failure_delays_the_next_read() -> None:
    """After a failure, nothing is read before the retry is due. A later read stays as planned."""
    assert make_plan(replace(DRIVING, retry_at=NOW + 600)) == Plan(Mode.BACKING_OFF, NOW + 600)
    assert make_plan(replace(PARKED, retry_at=NOW + 600)) == Plan(Mode.QUIET, NOW + QUIET)
    assert make_plan(replace(ASLEEP, retry_at=NOW + 600)) == Plan(Mode.ASLEEP, None)


def test_reads_are_seconds_apart() -> None:
    """Two reads are at least some seconds apart."""
    assert make_plan(replace(PARKED, woke_at=NOW + 1)).due_at == NOW + SHORTEST_READ_INTERVAL


def test_read_within_a_second_is_due() -> None:
    """A read that is due within a second is due."""
    assert is_due(Plan(Mode.DRIVING, NOW + 1), NOW)
    assert not is_due(Plan(Mode.DRIVING, NOW + 1.1), NOW)
    assert not is_due(Plan(Mode.ASLEEP, None), NOW)


# Requests for the list

QUIET_CAR: Final = (NOW - 300, Plan(Mode.QUIET, NOW + 500))
SLEEPING_CAR: Final = (NOW - 9000, Plan(Mode.ASLEEP, None))
DRIVING_CAR: Final = (NOW - 60, Plan(Mode.DRIVING, NOW))


def test_list_is_requested_every_minute() -> None:
    """The list is requested once a minute for all cars."""
    assert next_requests(NOW, 60, [QUIET_CAR, SLEEPING_CAR]) == (NOW + 60, NOW + 60)
    assert next_requests(NOW, 60, []) == (NOW + 60, NOW + 60)


def test_live_reads_of_all_cars_replace_the_list() -> None:
    """The list is not requested if every car is read anyway."""
    assert next_requests(NOW - 60, 60, [DRIVING_CAR]) == (NOW + 60, NOW)


def test_live_reads_of_some_cars_do_not_replace_the_list() -> None:
    """The list is requested if another car is asleep."""
    assert next_requests(NOW - 60, 60, [DRIVING_CAR, SLEEPING_CAR]) == (NOW, NOW)
    assert next_requests(NOW - 60, 60, [DRIVING_CAR, DRIVING_CAR]) == (NOW + 60, NOW)


def test_past_read_delays_the_list() -> None:
    """A live read delays the next request for the list by the interval."""
    assert next_requests(NOW - 60, 60, [(NOW, Plan(Mode.QUIET, NOW + 800))]) == (NOW + 60, NOW + 60)


def test_overdue_read_does_not_speed_up_the_list() -> None:
    """A delayed live read does not cause more requests for the list."""
    overdue = (NOW - 900, Plan(Mode.QUIET, NOW - 500))
    assert next_requests(NOW, 60, [overdue])[0] == NOW + 60


def test_read_does_not_wait_for_the_list() -> None:
    """A live read that is due before the list does not wait for it."""
    assert next_requests(NOW - 10, 600, [DRIVING_CAR]) == (NOW + 600, NOW)
    assert next_requests(NOW - 10, 600, [DRIVING_CAR, SLEEPING_CAR]) == (NOW + 590, NOW)
