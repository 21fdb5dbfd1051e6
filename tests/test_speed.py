"""Tests what the speed benchmark counts: requests and state writes."""

import pytest

from .benchmarks.common.process import run_benchmark
from .benchmarks.common.report import read_table

_CARS = 2
_COUNTED = {
    "requests per car",
    "unchanged states written",
    "states written that don't describe the polling",
    "entities of tessie per entity",
    "requests of an account before its entities are added",
}
"""Goals that don't depend on the load of the machine."""


@pytest.mark.exhaustive
def test_a_refresh_sends_one_request_per_car_and_writes_only_changed_states() -> None:
    """The goals that are counted are met, and each changed field is written."""
    report, _ = run_benchmark("speed", "--vehicles", str(_CARS), "--rounds", "1")
    refreshes, effects, commands, startups, _, goals = (read_table(report, index) for index in range(6))
    counted = {goal["goal"]: goal["met"] for goal in goals if goal["goal"] in _COUNTED}
    assert counted.keys() == _COUNTED
    assert not [name for name, met in counted.items() if "**" in met]

    unchanged, one, thirty = effects
    assert {row["requests"] for row in effects} == {str(_CARS)}
    assert int(one["states written"]) - int(unchanged["states written"]) == _CARS
    assert int(thirty["states written"]) - int(unchanged["states written"]) >= 30 * _CARS

    assert [row["refresh"] for row in refreshes] == ["unchanged", "1 field", "30 fields"]
    assert [row["command"] for row in commands] == ["lock", "charge limit"]
    assert [row["integration"] for row in startups] == ["integration", "tessie"]
    assert startups[0]["entities"] == unchanged["entities"]
