"""Five weeks of a commuter, with the requests where they matter and with a fixed interval beside them."""

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any, Final, NamedTuple

from ..common.driver import commuter, has_evening_errand
from ..common.report import Goal, table
from ..common.virtual_time import DAY, MINUTE
from .car import Figures, Scenario

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
_JUDGED_DAYS: Final = 14
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


def scenarios(limit: Limit, seed: int) -> tuple[Scenario, Scenario]:
    """Return the scenario with this limit, and the one with a fixed interval."""
    learned = Scenario(
        partial(commuter, seed=seed),
        DESCRIPTION,
        _LEARNING_DAYS + _JUDGED_DAYS,
        has_vehicle_list=limit.has_vehicle_list,
        wakes_hourly=limit.wakes_hourly,
        options=limit.options,
    )
    # Nothing is learned of the time of day.
    fixed = Scenario(
        partial(commuter, seed=seed, first_day=_LEARNING_DAYS),
        DESCRIPTION,
        _JUDGED_DAYS,
        has_vehicle_list=limit.has_vehicle_list,
        wakes_hourly=limit.wakes_hourly,
        interval=DAY / limit.requests,
    )
    return learned, fixed


type Pairs = Sequence[tuple[Limit, Sequence[tuple[Figures, Figures]]]]
"""For each limit, the figures of each seed with this limit, and those with a fixed interval."""


def section(pairs: Pairs) -> str:
    """Return the figures as a section of the report."""
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
            _sent([learned for learned, _ in both]),
            *(_spread(_delays([learned for learned, _ in both], is_usual=usual)) for usual in (True, False)),
            _sent([fixed for _, fixed in both]),
            *(_spread(_delays([fixed for _, fixed in both], is_usual=usual)) for usual in (True, False)),
            ", ".join(f"{100 - _lost_sleep(both, has_errand=each):.1f}" for each in (False, True)),
            ", ".join(f"{(learned.need or 0) / MINUTE:.1f}" for learned, _ in both),
        ]
        for limit, both in pairs
    ]
    return f"## commuter\n\n{DESCRIPTION}\n\n{table(titles, rows)}"


def goals(pairs: Pairs) -> Iterator[Goal]:
    """Yield the goals and their figures."""
    for limit, both in pairs:
        at = f"commuter, {limit.name}"
        cars = [learned for learned, _ in both]
        yield Goal(
            "median seconds until a usual drive is shown", at, _median(cars, is_usual=True), limit.usual
        )
        if limit.every is not None:
            yield Goal(
                "median seconds until a drive is shown", at, _median(cars, is_usual=False), limit.every
            )
        planned = max(
            day.requests - (0 if limit.options else day.live_reads) for car in cars for day in car.days
        )
        yield Goal("requests in a day", at, planned, limit.requests)
        for name, has_errand, most in (("plain days", False, 1), ("days with an errand", True, 4)):
            lost = _lost_sleep(both, has_errand=has_errand)
            yield Goal(f"% of the possible sleep lost from the third day, {name}", at, lost, most)
        if limit.has_vehicle_list:
            errors = [abs((car.need or 0) / MINUTE - SLEEP_DELAY) for car in cars]
            yield Goal("minutes of error in the time to fall asleep", at, max(errors), 2)
        if not limit.options:
            yield Goal("seconds between two live reads", at, max(car.longest_gap for car in cars), 61)


def _sent(cars: Sequence[Figures]) -> str:
    days = [day for car in cars for day in car.days[-_JUDGED_DAYS:]]
    return f"{median(day.requests for day in days):.0f}, {median(day.live_reads for day in days):.0f}"


def _delays(cars: Sequence[Figures], *, is_usual: bool) -> list[float]:
    """Return the delays of usual drives or of all drives out of sleep in the last two weeks."""
    return [
        seconds
        for car in cars
        for seconds in car.delays_from(
            "asleep", since=(len(car.days) - _JUDGED_DAYS) * DAY, is_usual=is_usual
        )
    ]


def _median(cars: Sequence[Figures], *, is_usual: bool) -> float:
    return median(_delays(cars, is_usual=is_usual))


def _spread(delays: Sequence[float]) -> str:
    return f"{median(delays):.0f}, {sorted(delays)[int(0.95 * len(delays))]:.0f}"


def _lost_sleep(both: Sequence[tuple[Figures, Figures]], *, has_errand: bool) -> float:
    """Return the percentage of the possible sleep that the worst car lost on days of this kind."""
    lost = []
    for learned, _ in both:
        days = [
            day
            for index, day in enumerate(learned.days)
            if index >= _FIRST_DAY_OF_SLEEP and has_evening_errand(index) == has_errand
        ]
        lost.append(sum(day.lost_sleep * day.possible for day in days) / sum(day.possible for day in days))
    return max(lost)
