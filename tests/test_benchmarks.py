"""The benchmarks run with a few cars, and what they count and find meets their goals."""

import asyncio
from itertools import combinations
import json
import math
from pathlib import Path
from random import Random

import pytest

from .benchmarks.charging.cheapest_possible import cheapest_possible
from .benchmarks.charging.prices import model, read_file
from .benchmarks.common.process import run_benchmark
from .benchmarks.common.report import read_table
from .benchmarks.common.virtual_time import DAY, VirtualLoop, run_in_virtual_time
from .benchmarks.log.__main__ import Figures
from .benchmarks.log.year import run_year
from .benchmarks.rules.rules import RULES


def test_virtual_time_goes_on_after_weeks() -> None:
    """A timer that is due within the rounding error of the loop's time is not waited for without end."""

    async def wait(loop: VirtualLoop) -> None:
        await asyncio.sleep(60 * DAY)
        for _ in range(100):
            await asyncio.sleep(0.1)
            is_due = loop.create_future()
            loop.call_at(math.nextafter(loop.time(), math.inf), is_due.set_result, None)
            await is_due

    run_in_virtual_time(wait)


def test_weeks() -> None:
    """In weeks with many outages and gaps, the log adds up, and no drive is split or invented."""
    figures = Figures(run_year(days=50))
    goals = {goal.name: goal for goal in figures.goals()}
    # Most of the year's outages in a seventh of its time
    del goals["% of the drives not found"], goals["% wrong in the cost"]
    assert not [goal for goal in goals.values() if goal.figure > goal.limit]
    assert "| 2026-01 |" in "".join(figures.sections())


def test_charging_by_the_plan_meets_its_goals() -> None:
    """In a week, also with restarts and outages, the plan is cheap, in time, and wakes only to act."""
    report, status = run_benchmark("charging", "--days", "7")
    assert status == 0, report
    assert all(int(row["mornings"]) > 2 for row in read_table(report, 0))


def test_cheapest_possible_is_the_lowest_of_all() -> None:
    """The computation with which the plan is compared finds the same as trying all ways to charge."""
    random = Random(1)  # noqa: S311 - repeatable cases
    for _ in range(30):
        prices = [random.choice((1.0, 2.0, 5.0, 9.0)) for _ in range(19)]
        steps, at_once = random.randint(6, 13), random.randint(0, 3)
        ways = [
            sum(prices[i] for i in way)
            for way in combinations(range(19), steps)
            if all(i in way for i in range(at_once)) and _is_allowed(way)
        ]
        found = cheapest_possible(prices, steps, at_once=at_once, is_starting=True)
        assert found * steps == pytest.approx(min(ways))


def _is_allowed(way: tuple[int, ...]) -> bool:
    """Return whether each block but one at the beginning lasts for half an hour."""
    starts = [i for i in way if i - 1 not in way and i > 0]
    return all(way.index(i) + 5 < len(way) and way[way.index(i) + 5] == i + 5 for i in starts)


def test_prices_of_files(tmp_path: Path) -> None:
    """The answer of the service and a CSV file give the same prices as the market."""
    (tmp_path / "a.json").write_text(json.dumps({"unix_seconds": [3600, 0], "price": [100, -50.0]}))
    (tmp_path / "a.csv").write_text(
        "start_utc,eur_per_mwh\n1970-01-01T00:00:00Z,-50\n1970-01-01T01:00:00Z,100\n"
    )
    for file in ("a.json", "a.csv"):
        prices = read_file(tmp_path / file)
        assert [span.price for span in prices.spans] == pytest.approx([0.1205, 0.299])
        assert prices.spans[1].end == 7200
    noon = [model(1).at(model(1).start + hour * 3600) for hour in (13, 20)]
    assert noon[0] < noon[1]


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


def test_every_rule_can_be_taken_out() -> None:
    """The constants and methods that the benchmark of the rules replaces exist."""
    for rule in RULES:
        with rule.taken_out():
            pass


def test_faults_leave_nothing_behind() -> None:
    """After days with faults all states are right, nothing is leaked, and all errors have a message."""
    report, status = run_benchmark("soak", "--days", "3")
    assert status == 0, report
    outcomes, faults = (read_table(report, index) for index in (1, 2))
    assert sum(int(row["times"]) for row in faults) > 100
    assert any(row["outcome"].startswith("failed with a message") for row in outcomes)
    assert sum(int(row["times"]) for row in outcomes if row["outcome"] == "accepted") > 10


@pytest.mark.exhaustive
def test_speed_is_compared_with_tessie() -> None:
    """The goals that do not depend on the load of the machine are met."""
    report, _ = run_benchmark("speed", "--vehicles", "2", "--rounds", "1")
    refreshes, startups, goals = (read_table(report, index) for index in range(3))
    assert [row["refresh"] for row in refreshes] == ["unchanged", "30 fields"]
    expected = ["integration", "tessie", "integration, default", "tessie, default"]
    assert [row["integration"] for row in startups] == expected
    counted = {"entities of tessie per entity", "requests of an account before its entities are added"}
    assert {goal["goal"] for goal in goals if "**" not in goal["met"]} >= counted
