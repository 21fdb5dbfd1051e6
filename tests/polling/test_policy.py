"""The polling policy: when to read a car, and when to request the list."""

from copy import replace
import math
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.polling import policy
from custom_components.vehicle_remote_access.polling.activity import ActivityTracker
from custom_components.vehicle_remote_access.polling.habits import Habits
from custom_components.vehicle_remote_access.polling.modes import Mode

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
    assert policy.make_plan(tracker, LISTED._replace(**fields))[:2] == (mode, due_at)


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
