"""Whole days with a car: its sleep, the requests, and how soon drives and charges are shown."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
import multiprocessing
from statistics import median
import sys
from typing import Final

from custom_components.vehicle_remote_access.simulator import OTHER, SERVICES

from ..common.driver import errands, plain, surprises
from ..common.report import Goal, publish, table
from ..common.virtual_time import DAY
from . import commuter, soon_again
from .car import Day, Figures, Scenario, measure

type Results = dict[str, dict[int, Figures]]
"""By scenario and sleep delay in minutes."""

_SLEEP_DELAYS: Final = (10, 15, 30)
_COMMUTER: Final = "commuter"
_SOON_AGAIN: Final = "soon_again"
_SCENARIOS: Final = {
    "plain": Scenario(
        plain,
        "A 30-minute drive to work, one back, then an hour of charging. The car is idle for 22 hours.",
        days=3,
    ),
    "errands": Scenario(
        errands,
        "Six drives of 100 minutes in total, three of them after stops of 5, 12 and 20 minutes, and an hour "
        "of charging that starts while the car sleeps.",
        days=3,
    ),
    "surprises": Scenario(
        surprises,
        "A plain day, then a day with stops of 8, 12, 16, 20, 25, 30 and 34 minutes at new places. The car "
        "is idle for two and a half hours before each of them.",
    ),
    "no_cheap_request": Scenario(
        plain,
        "The plain days, with a service that does not list the cars' states. Only a live read shows whether "
        "a car is awake.",
        has_vehicle_list=False,
    ),
    "self_checks": Scenario(
        plain,
        "The plain days, with a car that wakes up every hour for two and a half minutes.",
        days=8,
        wakes_hourly=True,
    ),
}

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
        times = car.delays_from(state)
        return f"{median(times):.0f}, {max(times):.0f}" if times else ""

    return delays


_COLUMNS: Final[Mapping[str, Callable[[Figures], str]]] = {
    "possible, h": _daily(lambda day: f"{day.possible:.1f}"),
    "slept, % of possible": _daily(lambda day: f"{100 - day.lost_sleep:.1f}"),
    "requests": _daily(lambda day: f"{day.requests}"),
    "live reads": _daily(lambda day: f"{day.live_reads}"),
    **{f"{state}, s": _delays(state) for state in ("asleep", "quiet", "watched")},
    "not shown, min per hour driven": _daily(lambda day: f"{60 * day.not_shown:.1f}"),
    "longest gap, s": lambda car: f"{car.longest_gap:.0f}",
}


def _lost_sleep(first_day: int) -> Callable[[Figures], float]:
    return lambda car: max(day.lost_sleep for day in car.days[first_day:])


_MEDIAN_FROM_ASLEEP: Final = (
    "median seconds until shown, from asleep",
    lambda car: median(car.delays_from("asleep")),
)
_MOST_FROM_ASLEEP: Final = (
    "seconds until shown, from asleep",
    lambda car: max(car.delays_from("asleep")),
)
_GOALS: Final[tuple[tuple[str, str, Callable[[Figures], float], float], ...]] = (
    ("plain", "% of the possible sleep lost", _lost_sleep(0), 5),
    ("plain", "% of the possible sleep lost from the second day", _lost_sleep(1), 2),
    ("plain", "% of the possible sleep lost from the third day", _lost_sleep(2), 1),
    ("errands no_cheap_request", "% of the possible sleep lost", _lost_sleep(0), 10),
    ("errands", "% of the possible sleep lost from the third day", _lost_sleep(2), 4),
    ("self_checks", "% of the possible sleep lost from the second day", _lost_sleep(1), 1),
    ("plain", "requests per day", lambda car: max(day.requests for day in car.days), 900),
    ("plain", "seconds between two live reads", lambda car: car.longest_gap, 61),
    (
        "errands",
        "% of a day's driving not shown",
        lambda car: max(100 * day.not_shown for day in car.days),
        15,
    ),
    ("plain errands no_cheap_request", *_MEDIAN_FROM_ASLEEP, 60),
    # At hours at which the car never woke before. 720 requests a day spread evenly take 60 seconds.
    ("surprises", *_MEDIAN_FROM_ASLEEP, 80),
    ("plain no_cheap_request", *_MOST_FROM_ASLEEP, 160),
    # These also start at night.
    ("errands surprises", *_MOST_FROM_ASLEEP, 300),
    (
        "self_checks",
        "median seconds until a usual drive is shown, from the third day",
        lambda car: median(car.delays_from("asleep", since=2 * DAY, is_usual=True)),
        90,
    ),
)
"""Scenarios, name, figure and maximum of each goal."""


def main() -> int:
    """Run the selected scenarios, and return 1 if a goal is not met."""
    parser = argparse.ArgumentParser(prog="scripts/bench day", description=__doc__)
    parser.add_argument(
        "--scenario", choices=[*_SCENARIOS, _COMMUTER, _SOON_AGAIN], help="run only this scenario"
    )
    parser.add_argument(
        "--sleep-delay",
        metavar="MINUTES",
        type=int,
        help="run only the car that falls asleep after this time",
    )
    parser.add_argument(
        "--service",
        choices=SERVICES,
        default=OTHER,
        help="the service that the simulator plays (default: %(default)s)",
    )
    parser.add_argument(
        "--more-days", type=int, default=0, help="number of additional days (default: %(default)s)"
    )
    parser.add_argument(
        "--seeds",
        metavar="SEED",
        type=int,
        nargs="+",
        default=commuter.SEEDS,
        help="random seeds of the weeks (default: %(default)s)",
    )
    options = parser.parse_args()
    results, pairs, weeks = _measure(options)
    problems = (
        f"{name}, {sleep_delay} min: {problem}"
        for name, cars in results.items()
        for sleep_delay, car in cars.items()
        for problem in car.problems
    )
    commuter_problems = (
        f"{limit.name}: {problem}"
        for limit, both in pairs
        for each in both
        for car in each
        for problem in car.problems
    )
    soon_problems = (
        f"{name}, {sleep_delay} min: {problem}"
        for (name, sleep_delay), cars in weeks.items()
        for car in cars
        for problem in car.problems
    )
    is_full = options == parser.parse_args([])
    sections = [
        *_sections(results),
        *([commuter.section(pairs)] if pairs else []),
        *([soon_again.section(weeks)] if weeks else []),
    ]
    goals = [*_judge(results), *commuter.goals(pairs), *soon_again.goals(weeks)]
    return publish("day", sections, goals, [*problems, *commuter_problems, *soon_problems], is_full=is_full)


def _measure(options: argparse.Namespace) -> tuple[Results, commuter.Pairs, soon_again.Weeks]:
    """Run the scenarios with one car or all cars, each run in its own process."""
    runs = [
        (name, delay)
        for name in _SCENARIOS
        if options.scenario in (None, name)
        for delay in ((options.sleep_delay,) if options.sleep_delay else _SLEEP_DELAYS)
    ]
    again = [
        (name, delay)
        for name in soon_again.TIMETABLES
        if options.scenario in (None, _SOON_AGAIN)
        for delay in ((options.sleep_delay,) if options.sleep_delay else soon_again.SLEEP_DELAYS)
    ]
    limits = commuter.LIMITS if options.scenario in (None, _COMMUTER) else ()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([measure.__module__])
    results: Results = {}
    pairs: dict[str, tuple[commuter.Limit, list[tuple[Figures, Figures]]]] = {}
    with ProcessPoolExecutor(mp_context=context, max_tasks_per_child=1) as pool:

        def start(scenario: Scenario, sleep_delay: int, more_days: int = 0) -> Future[Figures]:
            scenario = replace(scenario, service=options.service)
            return pool.submit(measure, scenario, sleep_delay, more_days)

        # The longest runs first
        weeks = [
            (
                limit,
                [start(scenario, commuter.SLEEP_DELAY) for scenario in commuter.scenarios(limit, seed)],
            )
            for limit in limits
            for seed in options.seeds
        ]
        weeks_again = {
            (name, delay): [
                start(soon_again.scenario(name, seed), delay) for seed in options.seeds[: soon_again.SEEDS]
            ]
            for name, delay in again
        }
        futures = [(name, delay, start(_SCENARIOS[name], delay, options.more_days)) for name, delay in runs]
        for name, delay, future in futures:
            results.setdefault(name, {})[delay] = future.result()
        for limit, (learned, fixed) in weeks:
            pairs.setdefault(limit.name, (limit, []))[1].append((learned.result(), fixed.result()))
        cars_again = {key: [each.result() for each in cars] for key, cars in weeks_again.items()}
    return results, list(pairs.values()), cars_again


def _sections(results: Results) -> Iterator[str]:
    yield _INTRODUCTION
    for name, cars in results.items():
        cells = {title: [figure(car) for car in cars.values()] for title, figure in _COLUMNS.items()}
        shown = {title: column for title, column in cells.items() if any(column)}
        rows = zip((f"{sleep_delay} min" for sleep_delay in cars), *shown.values(), strict=True)
        yield f"## {name}\n\n{_SCENARIOS[name].description}\n\n{table(['car', *shown], rows)}"


def _judge(results: Results) -> Iterator[Goal]:
    for scenarios, goal, figure, limit in _GOALS:
        for name in scenarios.split():
            for sleep_delay, car in results.get(name, {}).items():
                yield Goal(goal, f"{name}, {sleep_delay} min", figure(car), limit)


if __name__ == "__main__":
    sys.exit(main())
