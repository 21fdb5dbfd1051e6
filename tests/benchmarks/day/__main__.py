"""Whole days with a car: its sleep, the requests, and how soon drives and charges are shown."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
from statistics import median
import sys
from typing import Final

from ..common import timetables
from ..common.report import Goal, publish, table
from .car import Day, Figures, Scenario, measure

type Results = dict[str, dict[int, Figures]]
"""By scenario and sleep delay in minutes."""

_SLEEP_DELAYS: Final = (10, 15, 30)
_SCENARIOS: Final = (
    Scenario(
        "plain",
        timetables.plain,
        "A 30-minute drive to work, one back, then an hour of charging. The car is idle for 22 hours.",
    ),
    Scenario(
        "errands",
        timetables.errands,
        "Six drives of 100 minutes in total, three of them after stops of 5, 12 and 20 minutes, and an hour "
        "of charging that starts while the car sleeps.",
    ),
    Scenario(
        "surprises",
        timetables.surprises,
        "A plain day, then a day with stops of 8, 12, 16, 20, 25, 30 and 34 minutes at new places. The car "
        "is idle for two and a half hours before each of them.",
    ),
    Scenario(
        "no_cheap_request",
        timetables.plain,
        "The plain days, with a service that does not list the cars' states. Only a live read shows whether "
        "a car is awake.",
        has_vehicle_list=False,
    ),
    Scenario(
        "self_checks",
        timetables.plain,
        "The plain days, with a car that wakes up every hour for two and a half minutes.",
        wakes_hourly=True,
    ),
    Scenario(
        "self_checks_errands",
        timetables.errands,
        "The days with errands, with a car that wakes up every hour.",
        wakes_hourly=True,
    ),
    Scenario(
        "garage",
        timetables.garage,
        "The plain days, but without coverage at night until two minutes after the car leaves.",
    ),
)

_INTRODUCTION: Final = """# A day with a car

How long the integration lets a car sleep, how many requests it sends, and how soon it shows drives and
charges. Home Assistant reads a simulated car over HTTP, in virtual time.

Each row is a car, named by the minutes without a live read after which it falls asleep. A dot separates the
figures of consecutive days. *Possible* is the sleep of the same car without Home Assistant. The delay from
the start of a drive or a charge until Home Assistant shows it is in seconds, median and longest, by the car's
state at the start: *quiet* is awake while the integration lets it fall asleep, *watched* is awake and polled.
An activity that is never shown counts with its whole length. A gap is between two live reads.
"""


def _daily(figure: Callable[[Day], str]) -> Callable[[Figures], str]:
    return lambda car: " · ".join(figure(day) for day in car.days)


def _delays(state: str) -> Callable[[Figures], str]:
    def delays(car: Figures) -> str:
        times = car.delays.get(state)
        return f"{median(times):.0f}, {max(times):.0f}" if times else ""

    return delays


_COLUMNS: Final[Mapping[str, Callable[[Figures], str]]] = {
    "possible, h": _daily(lambda day: f"{day.possible:.1f}"),
    "slept, % of possible": _daily(lambda day: f"{day.sleep_share:.1f}"),
    "requests": _daily(lambda day: f"{day.requests}"),
    "live reads": _daily(lambda day: f"{day.live_reads}"),
    **{f"{state}, s": _delays(state) for state in ("asleep", "offline", "quiet", "watched")},
    "not shown, min per hour driven": _daily(lambda day: f"{60 * day.not_shown / day.driven:.1f}"),
    "longest gap, s": lambda car: f"{car.longest_gap:.0f}",
}


def _unreachable(car: Figures) -> list[float]:
    """Return the delays of activities that started while the car was asleep or offline."""
    return car.delays.get("asleep", []) + car.delays.get("offline", [])


def _sleep(car: Figures) -> float:
    return min(day.sleep_share for day in car.days)


def _sleep_from_day_2(car: Figures) -> float:
    return min(day.sleep_share for day in car.days[1:])


def _longest_delay(car: Figures) -> float:
    return max(_unreachable(car))


type _Row = tuple[str, str, Callable[[Figures], float], float]
"""Scenarios, name, figure and limit of a goal."""

_MINIMA: Final[tuple[_Row, ...]] = (
    ("plain", "% sleep on the first day", lambda car: car.days[0].sleep_share, 95),
    ("plain", "% sleep from the second day", _sleep_from_day_2, 98),
    ("errands", "% sleep", _sleep, 90),
    ("self_checks", "% sleep from the second day", _sleep_from_day_2, 95),
    ("no_cheap_request", "% sleep", _sleep, 90),
)
# Scenarios in which the car only wakes up for a drive or a charge
_NO_SELF_CHECKS: Final = "plain errands surprises no_cheap_request garage"
_MAXIMA: Final[tuple[_Row, ...]] = (
    ("plain", "requests per day", lambda car: max(day.requests for day in car.days), 1500),
    ("plain", "seconds between two live reads", lambda car: car.longest_gap, 61),
    (
        "errands",
        "% of a day's driving not shown",
        lambda car: max(100 * day.not_shown / day.driven for day in car.days),
        15,
    ),
    (
        _NO_SELF_CHECKS,
        "median seconds until shown, from asleep or offline",
        lambda car: median(_unreachable(car)),
        60,
    ),
    (_NO_SELF_CHECKS, "seconds until shown, from asleep or offline", _longest_delay, 90),
    ("self_checks self_checks_errands", "seconds until shown, from asleep or offline", _longest_delay, 300),
)


def main() -> int:
    """Run the selected scenarios, and return 1 if a goal is not met."""
    parser = argparse.ArgumentParser(prog="scripts/bench day", description=__doc__)
    names = [scenario.name for scenario in _SCENARIOS]
    parser.add_argument("--timetable", choices=names, help="run only this scenario")
    parser.add_argument("--peace", metavar="MINUTES", type=int, help="run only this car")
    parser.add_argument("--days", type=int, default=2, help="at least 2")
    options = parser.parse_args()
    results = _measure(options.timetable, options.peace, options.days)
    problems = (
        f"{name}, {sleep_delay} min: {problem}"
        for name, cars in results.items()
        for sleep_delay, car in cars.items()
        for problem in car.problems
    )
    is_full = options == parser.parse_args([])
    return publish("day", _sections(results), list(_judge(results)), problems, is_full=is_full)


def _measure(name: str | None, only: int | None, days: int) -> Results:
    """Run the scenarios with one car or all cars, each run in its own process."""
    runs = [
        (scenario, delay, days)
        for scenario in _SCENARIOS
        if name in (None, scenario.name)
        for delay in ((only,) if only else _SLEEP_DELAYS)
    ]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([measure.__module__])
    results: Results = {}
    with ProcessPoolExecutor(mp_context=context, max_tasks_per_child=1) as pool:
        run_all = pool.map if len(runs) > 1 else map
        for (scenario, delay, _), figures in zip(
            runs, run_all(measure, *zip(*runs, strict=True)), strict=True
        ):
            results.setdefault(scenario.name, {})[delay] = figures
    return results


def _sections(results: Results) -> Iterator[str]:
    yield _INTRODUCTION
    for scenario in _SCENARIOS:
        if cars := results.get(scenario.name):
            cells = {title: [figure(car) for car in cars.values()] for title, figure in _COLUMNS.items()}
            shown = {title: column for title, column in cells.items() if any(column)}
            rows = zip((f"{sleep_delay} min" for sleep_delay in cars), *shown.values(), strict=True)
            yield f"## {scenario.name}\n\n{scenario.description}\n\n{table(['car', *shown], rows)}"


def _judge(results: Results) -> Iterable[Goal]:
    for goals, is_minimum in ((_MINIMA, True), (_MAXIMA, False)):
        for scenarios, goal, figure, limit in goals:
            for name in scenarios.split():
                for sleep_delay, car in results.get(name, {}).items():
                    yield Goal(goal, f"{name}, {sleep_delay} min", figure(car), limit, is_minimum)


if __name__ == "__main__":
    sys.exit(main())
