"""Reports as Markdown: tables, and goals with the figures that were measured for them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
import os
from pathlib import Path
import platform
import sys

type Rows = Iterable[Iterable[str]]


@dataclass(frozen=True, slots=True)
class Goal:
    """A limit, and a figure that was measured for it."""

    name: str
    at: str
    """The measurement of the figure."""
    figure: float
    limit: float
    is_minimum: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the figure is within the limit."""
        return self.figure >= self.limit if self.is_minimum else self.figure <= self.limit


def table(titles: Sequence[str], rows: Rows) -> str:
    """Return a table with a row of titles."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def read_table(report: str, number: int) -> list[dict[str, str]]:
    """Return the rows of a report's table, by their titles."""
    blocks = [block for block in report.split("\n\n") if block.startswith("| ")]
    titles, _, *rows = [line[2:-2].split(" | ") for line in blocks[number].splitlines()]
    return [dict(zip(titles, row, strict=True)) for row in rows]


def publish(
    name: str, sections: Iterable[str], goals: Sequence[Goal], problems: Iterable[str] = (), *, is_full: bool
) -> int:
    """Print a report, save it if everything was measured, and return 1 if there is a problem."""
    introduction, *others = sections
    libraries = (f"{library} {version(library)}" for library in ("homeassistant", "aiohttp", "orjson"))
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {', '.join(libraries)}"
    missed = [
        *(
            f"{goal.at}: {goal.figure:.4g} {goal.name}, not {goal.limit:g}"
            for goal in goals
            if not goal.is_met
        ),
        *problems,
    ]
    report = "\n".join(
        [
            introduction,
            f"Written by `scripts/bench {name}` with {machine}.\n",
            *others,
            "## Goals\n",
            table(["goal", "limit", "worst", "at", "met"], _goal_rows(goals)),
            *(f"**Missed**: {text}\n" for text in missed or ["nothing"]),
        ]
    )
    sys.stdout.write(report)
    if is_full:
        Path(__file__).parents[1].joinpath(f"{name}.md").write_text(report)
    return 1 if missed else 0


def _goal_rows(goals: Sequence[Goal]) -> Iterator[Sequence[str]]:
    """Yield each goal with the worst figure."""
    by_goal: dict[tuple[str, float, bool], list[Goal]] = {}
    for goal in goals:
        by_goal.setdefault((goal.name, goal.limit, goal.is_minimum), []).append(goal)
    for (name, limit, is_minimum), same in by_goal.items():
        worst = (min if is_minimum else max)(same, key=lambda goal: goal.figure)
        met = f"{sum(goal.is_met for goal in same)} of {len(same)}"
        text = f"{'at least' if is_minimum else 'at most'} {limit:g}"
        yield name, text, f"{worst.figure:.4g}", worst.at, met if worst.is_met else f"**{met}**"
