"""Tests that whole days meet their goals: runs the day benchmark for a few of its cars."""

import pytest

from .benchmarks.common.process import run_benchmark


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
def test_days_meet_their_goals(scenario: str, sleep_delay: int) -> None:
    """The sleep, the requests and the delays are within the limits."""
    report, status = run_benchmark("day", "--scenario", scenario, "--sleep-delay", str(sleep_delay))
    assert f"## {scenario}" in report
    assert status == 0, report
