"""Reports as Markdown: tables, and goals with the figures that were measured for them."""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
import os
from pathlib import Path
import platform
from statistics import median
import subprocess
import sys
from typing import NamedTuple

type Rows = Iterable[Iterable[str]]


class Goal(NamedTuple):
    name: str
    at: str
    """The measurement of the figure."""
    figure: float
    limit: float


def spread(values: Iterable[float]) -> str:
    """Return the median and the value that 95 % do not exceed, empty without values."""
    in_order = sorted(values)
    return f"{median(in_order):.0f}, {in_order[int(0.95 * len(in_order))]:.0f}" if in_order else ""


def table(titles: Sequence[str], rows: Rows) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def read_table(report: str, number: int) -> list[dict[str, str]]:
    blocks = [block for block in report.split("\n\n") if block.startswith("| ")]
    titles, _, *rows = [line[2:-2].split(" | ") for line in blocks[number].splitlines()]
    return [dict(zip(titles, row, strict=True)) for row in rows]


def create_parser(name: str, description: str | None) -> ArgumentParser:
    return ArgumentParser(
        prog=f"scripts/bench {name}", description=description, formatter_class=ArgumentDefaultsHelpFormatter
    )


def publish(
    parser: ArgumentParser,
    sections: Iterable[str],
    goals: Sequence[Goal],
    problems: Iterable[str] = (),
    *,
    is_whole: bool | None = None,
) -> int:
    """Print a report, save it if it is whole, and return 1 if there is a problem.

    Without `is_whole`, it is whole if no option was given.
    """
    name = parser.prog.split()[-1]
    introduction, *others = sections
    libraries = (f"{library} {version(library)}" for library in ("homeassistant", "aiohttp", "orjson"))
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {', '.join(libraries)}"
    missed = [f"{at}: {value:.4g} {name}, not {limit:g}" for name, at, value, limit in goals if value > limit]
    missed += problems
    report = "\n".join(
        [
            introduction,
            f"Written by `scripts/bench {name}` at commit {_commit()}, with {machine}.\n",
            *others,
            *(_goal_section(goals, missed) if goals or missed else ()),
        ]
    )
    sys.stdout.write(report)
    if parser.parse_args() == parser.parse_args([]) if is_whole is None else is_whole:
        Path(__file__).parents[1].joinpath(f"{name}.md").write_text(report)
    return 1 if missed else 0


def _commit() -> str:
    commit, changes = (
        subprocess.run(("git", *command), capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603, S607
        for command in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain", "*.py"))
    )
    return f"{commit} with changes" if changes else commit


def _goal_section(goals: Sequence[Goal], missed: Sequence[str]) -> Iterator[str]:
    yield "## Goals\n"
    yield table(["goal", "at most", "worst", "at", "met"], _goal_rows(goals))
    yield from (f"**Missed**: {text}\n" for text in missed or ["nothing"])


def _goal_rows(goals: Sequence[Goal]) -> Iterator[Sequence[str]]:
    by_goal: dict[tuple[str, float], list[Goal]] = {}
    for goal in goals:
        by_goal.setdefault((goal.name, goal.limit), []).append(goal)
    for (name, limit), same in by_goal.items():
        worst = max(same, key=lambda goal: goal.figure)
        met = f"{sum(goal.figure <= limit for goal in same)} of {len(same)}"
        met = met if worst.figure <= limit else f"**{met}**"
        yield name, f"{limit:g}", f"{worst.figure:.4g}", worst.at, met
