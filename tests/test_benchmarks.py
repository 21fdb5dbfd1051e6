"""The benchmarks run with a few cars, and what they count and find meets their goals."""

import pytest

from .benchmarks.common.process import run_benchmark
from .benchmarks.common.report import read_table
from .benchmarks.log.__main__ import Figures
from .benchmarks.log.year import run_year
from .benchmarks.rules.rules import RULES


def test_weeks() -> None:
    """In weeks with many outages and gaps, the log adds up, and no drive is split or invented."""
    figures = Figures(run_year(days=50))
    goals = {goal.name: goal for goal in figures.goals()}
    # Most of the year's outages in a seventh of its time
    del goals["% of the drives not found"], goals["% wrong in the cost"]
    assert not [goal for goal in goals.values() if goal.figure > goal.limit]
    assert "| 2026-01 |" in "".join(figures.sections())


def test_charging_by_the_plan_meets_its_goals() -> None:
    """In a week, also with restarts and outages, the plan is cheap, in time, and wakes only to act."""
    report, status = run_benchmark("charging", "--days", "7")
    assert status == 0, report
    assert all(int(row["mornings"]) > 2 for row in read_table(report, 0))


@pytest.mark.parametrize(
    ("scenario", "sleep_delay"),
    [
        ("plain", 15),
        pytest.param("errands", 30, marks=pytest.mark.exhaustive),
        pytest.param("self_checks", 15, marks=pytest.mark.exhaustive),
        pytest.param("soon_again", 15, marks=pytest.mark.exhaustive),
        pytest.param("no_cheap_request", 11, marks=pytest.mark.exhaustive),
    ],
)
def test_sleep_the_requests_and_the_delays_are_within_the_limits(scenario: str, sleep_delay: int) -> None:
    report, status = run_benchmark("day", "--scenario", scenario, "--sleep-delay", str(sleep_delay))
    assert f"## {scenario}" in report
    assert status == 0, report


def test_constants_and_methods_that_the_benchmark_of_the_rules_replaces_exist() -> None:
    for rule in RULES:
        with rule.taken_out():
            pass


def test_faults_leave_nothing_behind() -> None:
    """After days with faults all states are right, nothing is leaked, and all errors have a message."""
    report, status = run_benchmark("soak", "--days", "3")
    assert status == 0, report
    outcomes, faults = (read_table(report, index) for index in (1, 2))
    assert sum(int(row["times"]) for row in faults) > 100
    assert any(row["outcome"].startswith("failed with a message") for row in outcomes)
    assert sum(int(row["times"]) for row in outcomes if row["outcome"] == "accepted") > 10


@pytest.mark.exhaustive
def test_home_is_cheap() -> None:
    """The integration stores and records little, although its log is long."""
    report, status = run_benchmark("home", "--days", "1", "--of", "integration")
    assert status == 0, report


@pytest.mark.exhaustive
def test_speed_is_measured() -> None:
    """Its goals depend on the load of the machine."""
    report, _ = run_benchmark("speed", "--vehicles", "2", "--rounds", "1")
    refreshes, startups, goals = (read_table(report, index) for index in range(3))
    kinds = ["unchanged", "8 fields", "30 fields"]
    assert [row["refresh"] for row in refreshes] == kinds * 2
    expected = ["integration", "tessie", "integration, default", "tessie, default"]
    assert [row["integration"] for row in startups] == expected
    assert {goal["goal"] for goal in goals} >= {f"of tessie's net time, {kind}" for kind in kinds}
