"""Five weeks of a commuter, with the requests where they matter and with a fixed interval beside them."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any, Final, NamedTuple

from ..common.driver import commuter, has_evening_errand
from ..common.report import Goal, spread, table
from ..common.virtual_time import DAY, MINUTE
from .car import Figures, Measured, Run, Scenario, lost_sleep
from .soon_again import JUDGED_DAYS

NAME: Final = "commuter"
DESCRIPTION: Final = (
    "Five weeks of a commuter, who leaves at 7:40 and 17:20 on workdays, with a standard deviation of 12 and "
    "20 minutes, runs an errand on every third evening, and drives once at a random hour on weekend days. "
    "The car falls asleep after 15 minutes. The figures are those of the last two weeks. Delays are those of "
    "drives out of sleep, in seconds, median and 95 %. Beside them are those of the same days with requests "
    "in a fixed interval."
)
SLEEP_DELAY: Final = 15
# No setting of the integration was chosen with these.
SEEDS: Final = (301, 302, 303, 304, 305)
_LEARNING_DAYS: Final = 21
# Two days to learn how fast the car falls asleep
_FIRST_DAY_OF_SLEEP: Final = 2


class Limit(NamedTuple):
    """A number of requests a day, and the goals for it."""

    name: str
    requests: int
    usual: float
    """The most seconds until a usual drive is shown, median."""
    every: float | None
    """The most seconds until any drive is shown, median."""
    options: dict[str, Any]
    has_vehicle_list: bool = True
    wakes_hourly: bool = False


LIMITS: Final = (
    Limit("720 (default)", 720, 20, 25, {}),
    Limit("720, hourly self-checks", 720, 90, None, {}, wakes_hourly=True),
    Limit("480", 480, 30, 35, {"requests_per_day": 480}),
    Limit("240", 240, 60, 75, {"requests_per_day": 240}),
    Limit("161, live reads only", 161, 240, None, {"live_reads_per_day": 161}, has_vehicle_list=False),
)


def runs(options: Namespace) -> Iterator[Run]:
    """Yield for each limit and seed a run with this limit, and one with a fixed interval."""
    for limit in LIMITS if options.scenario in (None, NAME) else ():
        for seed in options.seeds:
            learned = Scenario(
                partial(commuter, seed=seed),
                days=_LEARNING_DAYS + JUDGED_DAYS,
                has_vehicle_list=limit.has_vehicle_list,
                wakes_hourly=limit.wakes_hourly,
                options=limit.options,
            )
            # Nothing is learned of the time of day.
            fixed = replace(
                learned,
                timetable=partial(commuter, seed=seed, first_day=_LEARNING_DAYS),
                days=JUDGED_DAYS,
                options={},
                interval=DAY / limit.requests,
            )
            yield Run(limit.name, learned, SLEEP_DELAY)
            yield Run(limit.name, fixed, SLEEP_DELAY)


def _by_limit(measured: Sequence[Measured]) -> Iterator[tuple[Limit, list[Figures], list[Figures]]]:
    """Yield the figures of each limit, and those of the same days with a fixed interval."""
    for limit in LIMITS if measured else ():
        learned: list[Figures] = []
        fixed: list[Figures] = []
        for run, car in measured:
            if run.name == limit.name:
                (learned if run.scenario.interval is None else fixed).append(car)
        yield limit, learned, fixed


def sections(measured: Sequence[Measured]) -> Iterator[str]:
    titles = (
        "requests a day at most",
        "sent, of which live reads",
        "usual drives",
        "all drives",
        "fixed: sent",
        "fixed: usual drives",
        "fixed: all drives",
        "slept, % of possible from day 3, without and with errand",
        "time to fall asleep, min",
    )
    rows = [
        [
            limit.name,
            *_requests_and_delays(learned),
            *_requests_and_delays(fixed),
            ", ".join(f"{100 - _worst_lost_sleep(learned, has_errand=each):.1f}" for each in (False, True)),
            ", ".join(f"{(car.need or 0) / MINUTE:.1f}" for car in learned),
        ]
        for limit, learned, fixed in _by_limit(measured)
    ]
    if rows:
        yield f"## {NAME}\n\n{DESCRIPTION}\n\n{table(titles, rows)}"


def _requests_and_delays(cars: Sequence[Figures]) -> Iterator[str]:
    days = [day for car in cars for day in car.days[-JUDGED_DAYS:]]
    yield f"{median(day.requests for day in days):.0f}, {median(day.live_reads for day in days):.0f}"
    for is_usual in (True, False):
        yield spread(_delays(cars, is_usual=is_usual))


def goals(measured: Sequence[Measured]) -> Iterator[Goal]:
    for limit, cars, _ in _by_limit(measured):
        at = f"{NAME}, {limit.name}"
        usual = median(_delays(cars, is_usual=True))
        yield Goal("median seconds until a usual drive is shown", at, usual, limit.usual)
        if limit.every is not None:
            every = median(_delays(cars, is_usual=False))
            yield Goal("median seconds until a drive is shown", at, every, limit.every)
        planned = max(
            day.requests - (0 if limit.options else day.live_reads) for car in cars for day in car.days
        )
        yield Goal("requests in a day", at, planned, limit.requests)
        for name, has_errand, most in (("plain days", False, 1), ("days with an errand", True, 4)):
            lost = _worst_lost_sleep(cars, has_errand=has_errand)
            yield Goal(f"% of the possible sleep lost from the third day, {name}", at, lost, most)
        if limit.has_vehicle_list:
            errors = [abs((car.need or 0) / MINUTE - SLEEP_DELAY) for car in cars]
            yield Goal("minutes of error in the time to fall asleep", at, max(errors), 2)
        if not limit.options:
            for kind, most in (("drive", 61), ("charge", 301)):
                gap = max(car.longest_gaps[kind] for car in cars)
                yield Goal(f"seconds between two live reads of a {kind}", at, gap, most)


def _delays(cars: Sequence[Figures], *, is_usual: bool) -> list[float]:
    """Return the delays of usual drives or of all drives out of sleep in the last two weeks."""
    return [
        delay
        for car in cars
        for delay in car.delays_from("asleep", since=(len(car.days) - JUDGED_DAYS) * DAY, is_usual=is_usual)
    ]


def _worst_lost_sleep(cars: Sequence[Figures], *, has_errand: bool) -> float:
    """Return the percentage of the possible sleep that the worst car lost on days of this kind."""
    return max(
        lost_sleep(
            [
                day
                for index, day in enumerate(car.days)
                if index >= _FIRST_DAY_OF_SLEEP and has_evening_errand(index) == has_errand
            ]
        )
        for car in cars
    )
