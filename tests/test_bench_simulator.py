"""Tests the benchmark of the simulated service with a few vehicles and requests."""

from typing import Any, Final

import pytest

from .benchmarks.common.process import run_benchmark

_SMALL: Final = ("--vehicles", "6", "--requests", "20", "--rounds", "2", "--seconds", "0.1")


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """Return the figures of a small run. They depend on the load of the machine."""
    result, _ = run_benchmark("simulator", *_SMALL)
    return result


@pytest.mark.parametrize("figure", ["rates", "cpu_times"])
def test_every_kind_of_request_is_measured_in_every_round(figures: dict[str, Any], figure: str) -> None:
    """Each kind of request has a figure for each round. Few requests may take less than a clock tick."""
    assert len(figures[figure]) == 5
    assert all(len(rounds) == 2 and min(rounds) >= 0 for rounds in figures[figure].values())
    assert sum(sum(rounds) for rounds in figures[figure].values()) > 0


def test_computing_a_car_takes_longer_after_a_longer_idle_time(figures: dict[str, Any]) -> None:
    """A car is computed for the whole idle time, in each of its states."""
    assert list(figures["catch_up"]) == ["parked", "charging", "driving", "daily routine"]
    assert all(cpu_times["1 hour"] < cpu_times["1 week"] for cpu_times in figures["catch_up"].values())
