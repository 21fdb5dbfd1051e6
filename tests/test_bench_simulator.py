"""What the simulated service costs can be measured: the benchmark, for a few vehicles and requests."""

import json
from pathlib import Path
import subprocess
import sys
from typing import Any, Final

import pytest

_ROOT: Final = Path(__file__).parent.parent
_SMALL: Final = ("--vehicles", "6", "--requests", "20", "--rounds", "2", "--seconds", "0.1")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Return the figures of a small measurement; how good they are depends on what else the machine does."""
    command = [sys.executable, "-m", "tests.benchmarks.simulator", "--json", *_SMALL]
    ended = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.stdout, ended.stderr
    figures: dict[str, Any] = json.loads(ended.stdout)
    return figures


@pytest.mark.parametrize("figures", ["rates", "efforts"])
def test_every_kind_of_request_is_measured_in_every_round(found: dict[str, Any], figures: str) -> None:
    """Each kind of request has a figure for each round. Few requests may take less than a clock tick."""
    assert len(found[figures]) == 5
    assert all(len(rounds) == 2 and min(rounds) >= 0 for rounds in found[figures].values())
    assert sum(sum(rounds) for rounds in found[figures].values()) > 0


def test_computing_a_car_takes_longer_after_a_longer_time(found: dict[str, Any]) -> None:
    """A car is computed for the whole time in which nobody asked, whatever it did."""
    assert list(found["computing"]) == ["parked", "charging", "driving", "owned"]
    assert all(waits["1 hour"] < waits["1 week"] for waits in found["computing"].values())
