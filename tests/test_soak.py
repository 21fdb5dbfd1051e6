"""Tests that faults of the service leave nothing behind: runs the soak benchmark for three days."""

from .benchmarks.common.process import run_benchmark
from .benchmarks.common.report import read_table


def test_faults_leave_nothing_behind() -> None:
    """After days with faults all states are right, nothing is leaked, and all errors have a message."""
    report, status = run_benchmark("soak", "--days", "3")
    assert status == 0, report
    outcomes, faults = (read_table(report, index) for index in (1, 2))
    assert sum(int(row["times"]) for row in faults) > 100
    assert any(row["outcome"].startswith("failed with a message") for row in outcomes)
    assert sum(int(row["times"]) for row in outcomes if row["outcome"] == "accepted") > 10
