"""Tests the benchmark of the simulated service with a few vehicles and one round."""

import pytest

from .benchmarks.common.process import run_benchmark
from .benchmarks.common.report import read_table


@pytest.mark.exhaustive
def test_responses_and_cars_are_measured() -> None:
    """Each kind of response takes CPU time. To compute a car takes longer after a longer idle time."""
    report, _ = run_benchmark("simulator", "--vehicles", "6", "--rounds", "1")
    responses, _, cars = (read_table(report, index) for index in range(3))
    assert len(responses) == 5
    assert all(float(row["responses per second of CPU time"]) > 0 for row in responses)
    assert all(float(row["after 1 hour"]) < float(row["after 1 week"]) for row in cars)
    assert len(cars) == 4
