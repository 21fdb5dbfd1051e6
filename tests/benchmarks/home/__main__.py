"""What the integration stores, records and sends in a home, compared with two others."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
import sys
from typing import Final

from ..common.report import Goal, create_parser, publish, table
from .week import INTEGRATION, LIVE, SETUPS, TESSIE, Days, measure

_INTRODUCTION: Final = """# What the integration costs a home

Home Assistant reads a simulated car over HTTP, in virtual time, with the default options and entities. The
car drives 40 minutes to work and back, and is charged for 110 minutes. The integration polls a Fleet API.
*Live data* is the integration with a service that passes on what the car sends in each second. *tessie*
(every ten seconds) and *tesla_fleet* (every ten minutes) are Home Assistant's own integrations. The
integration's car has a log of three years, whose last entries are not in the archive yet.

All figures are those of a day after the first one. The recorder has Home Assistant's default options. A
browser shows all entities all day, and loads the list of entities again if one changes. CPU is that of the
event loop, without what the simulated service takes.
"""
_MOST: Final = 15

_FIGURES: Final[Mapping[str, Callable[[Days], float]]] = {
    "KiB in the integration's stores": lambda days: days.stored / 1024,
    "writes of them": lambda days: days.writes,
    "changes of entities in the registry": lambda days: days.registry_changes,
    "rows of states": lambda days: days.states.total(),
    "of them with the same state": lambda days: days.repeated.total(),
    "short-term statistics": lambda days: days.statistics.total(),
    "MiB written to the database": lambda days: days.database / 2**20,
    "messages to a browser": lambda days: days.messages,
    "KiB to a browser": lambda days: days.message_bytes / 1024,
    "requests": lambda days: days.requests,
    "CPU, s": lambda days: days.cpu,
}
_GOALS: Final = {
    INTEGRATION: {
        "KiB in the integration's stores": 1024,
        "changes of entities in the registry": 0,
        "rows of states": 700,
        "short-term statistics": 3000,
    },
    # The position and the speed of a car that drives change each second.
    LIVE: {"changes of entities in the registry": 0, "rows of states": 10_000, "short-term statistics": 3000},
}


def main() -> int:
    parser = create_parser("home", __doc__)
    parser.add_argument("--days", type=int, default=7, help="number of days")
    parser.add_argument("--of", choices=SETUPS, nargs="+", default=[*SETUPS], help="what to measure")
    options = parser.parse_args()
    context = multiprocessing.get_context("forkserver")
    # Each process has its own count of written bytes.
    with ProcessPoolExecutor(max_workers=2, mp_context=context, max_tasks_per_child=1) as pool:
        measured = dict(
            zip(options.of, pool.map(measure, options.of, [options.days] * len(options.of)), strict=True)
        )
    goals = [
        Goal(name, subject, _FIGURES[name](days) / options.days, limit)
        for subject, days in measured.items()
        for name, limit in _GOALS.get(subject, {}).items()
    ]
    if INTEGRATION in measured and TESSIE in measured:
        share = measured[INTEGRATION].cpu / measured[TESSIE].cpu
        goals.append(Goal("of tessie's CPU", INTEGRATION, share, 0.1))
    return publish(parser, _sections(measured, options.days), goals)


def _sections(measured: Mapping[str, Days], days: int) -> Iterator[str]:
    yield _INTRODUCTION
    yield "## A day\n"
    yield table(
        ["figure", *measured],
        (
            [name, *(f"{figure(each) / days:.4g}" for each in measured.values())]
            for name, figure in _FIGURES.items()
        ),
    )
    for subject, each in measured.items():
        if subject not in _GOALS:
            continue
        yield f"## Rows by entity: {subject}\n"
        yield table(
            ["entity", "rows", "with the same state", "statistics"],
            (
                (
                    name,
                    f"{rows / days:.4g}",
                    f"{each.repeated[name] / days:.4g}",
                    f"{each.statistics[name] / days:.4g}",
                )
                for name, rows in each.states.most_common(_MOST)
            ),
        )


if __name__ == "__main__":
    sys.exit(main())
