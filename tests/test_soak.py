"""Tests that faults of the service leave nothing behind: runs the soak benchmark for three days."""

from .benchmarks.common.process import run_benchmark


def test_faults_leave_nothing_behind() -> None:
    """After days with faults all states are right, nothing is leaked, and all errors have a message."""
    figures, status = run_benchmark("soak", "--days", "3")
    assert figures["problems"] == []
    assert sum(figures["injected"].values()) > 100
    assert figures["outcomes"]["accepted"] > 10
    assert figures["outcomes"]["failed"]
    assert status == 0
