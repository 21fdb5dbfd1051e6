"""Tests that whole days stay within their budgets: runs the day benchmark for a few of its cars."""

import pytest

from .benchmarks.common.process import run_benchmark


@pytest.mark.parametrize(
    ("scenario", "sleep_delay"),
    [("plain", 15), ("errands", 30), ("self_checks", 15), ("no_cheap_request", 11)],
)
def test_days_stay_within_their_budgets(scenario: str, sleep_delay: int) -> None:
    """The sleep, the requests and the delays are within the budgets."""
    options = ("--days", "2", "--timetable", scenario, "--peace", str(sleep_delay))
    figures, _ = run_benchmark("day", *options)
    assert list(figures["scenarios"]) == [scenario]
    assert figures["missed"] == []
