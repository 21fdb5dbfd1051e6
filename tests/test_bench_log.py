"""The benchmark of the log, with some weeks instead of a year."""

from .benchmarks.log.__main__ import Figures
from .benchmarks.log.year import run_year


def test_weeks() -> None:
    """In weeks with many outages and gaps, the log adds up, and no drive is split or invented."""
    figures = Figures(run_year(days=50))
    goals = {goal.name: goal for goal in figures.goals()}
    # Most of the year's outages in a seventh of its time
    del goals["% of the drives not found"], goals["% wrong in the cost"]
    assert not [goal for goal in goals.values() if goal.figure > goal.limit]
    assert "| 2026-01 |" in "".join(figures.sections())
