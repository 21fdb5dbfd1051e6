"""Days that are always the same, with cars that fall asleep after different times."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from ..common.driver import errands, plain, surprises
from ..common.report import Goal, table
from ..common.virtual_time import DAY
from .car import Day, Figures, Measured, Run, Scenario

SCENARIOS: Final = {
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
    "longest gaps, s": lambda car: ", ".join(f"{gap:.0f}" for gap in car.longest_gaps.values()),
}


def _lost_sleep(first_day: int) -> Callable[[Figures], float]:
    return lambda car: max(day.lost_sleep for day in car.days[first_day:])


_MEDIAN_FROM_ASLEEP: Final = (
    "median seconds until shown, from asleep",
    lambda car: median(car.delays_from("asleep")),
)
_MOST_FROM_ASLEEP: Final = ("seconds until shown, from asleep", lambda car: max(car.delays_from("asleep")))
_GOALS: Final[tuple[tuple[str, str, Callable[[Figures], float], float], ...]] = (
    ("plain", "% of the possible sleep lost", _lost_sleep(0), 5),
    ("plain", "% of the possible sleep lost from the second day", _lost_sleep(1), 2),
    ("plain", "% of the possible sleep lost from the third day", _lost_sleep(2), 1),
    ("errands no_cheap_request", "% of the possible sleep lost", _lost_sleep(0), 10),
    ("errands", "% of the possible sleep lost from the third day", _lost_sleep(2), 4),
    # A charge that its driver ends is read every five minutes, so its end is seen up to 0.4 % of a day late.
    ("self_checks", "% of the possible sleep lost from the second day", _lost_sleep(1), 1.2),
    ("plain", "requests per day", lambda car: max(day.requests for day in car.days), 900),
    ("plain", "seconds between two live reads of a drive", lambda car: car.longest_gaps["drive"], 61),
    ("plain", "seconds between two live reads of a charge", lambda car: car.longest_gaps["charge"], 301),
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


def runs(options: Namespace) -> Iterator[Run]:
    for name, scenario in SCENARIOS.items():
        if options.scenario in (None, name):
            for sleep_delay in options.sleep_delay:
                yield Run(name, scenario, sleep_delay)


def sections(measured: Sequence[Measured]) -> Iterator[str]:
    for name, scenario in SCENARIOS.items():
        cars = [(run.sleep_delay, car) for run, car in measured if run.name == name]
        if cars:
            cells = {title: [figure(car) for _, car in cars] for title, figure in _COLUMNS.items()}
            shown = {title: column for title, column in cells.items() if any(column)}
            rows = zip((f"{sleep_delay} min" for sleep_delay, _ in cars), *shown.values(), strict=True)
            yield f"## {name}\n\n{scenario.description}\n\n{table(['car', *shown], rows)}"


def goals(measured: Sequence[Measured]) -> Iterator[Goal]:
    for scenarios, goal, figure, limit in _GOALS:
        for run, car in measured:
            if run.name in scenarios.split():
                yield Goal(goal, run.label, figure(car), limit)
