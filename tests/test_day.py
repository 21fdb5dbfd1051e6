"""Whole days keep within their budgets: the benchmark, for a few of its cars."""

import json
from pathlib import Path
import subprocess
import sys
from typing import Any, Final

import pytest

_ROOT: Final = Path(__file__).parent.parent


def _measured(timetable: str, peace: int) -> dict[str, Any]:
    """Return the figures of two days, measured in a process of its own: here every clock is spoken for."""
    command = [sys.executable, "-m", "tests.benchmarks.day", "--json", "--days", "2"]
    command += ["--timetable", timetable, "--peace", str(peace)]
    ended = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.stdout, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


@pytest.mark.parametrize(
    ("timetable", "peace"), [("plain", 15), ("errands", 30), ("self_checks", 15), ("no_cheap_request", 11)]
)
def test_days_keep_within_their_budgets(timetable: str, peace: int) -> None:
    """The car sleeps as long as it may, and what it does is seen."""
    found = _measured(timetable, peace)
    assert list(found["trials"]) == [timetable]
    assert found["missed"] == []
