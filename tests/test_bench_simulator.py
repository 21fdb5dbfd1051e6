"""Tests the benchmark of the simulated service with a few vehicles and one round."""

import pytest

from .benchmarks.common.process import run_benchmark
from .benchmarks.common.report import read_table


@pytest.mark.exhaustive
def test_responses_are_measured() -> None:
    """Each kind of response takes CPU time."""
    report, _ = run_benchmark("simulator", "--vehicles", "6", "--rounds", "1")
    responses = read_table(report, 0)
    assert len(responses) == 4
    assert all(float(row["responses per second of CPU time"]) > 0 for row in responses)
