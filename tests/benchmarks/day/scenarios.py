"""The scenarios and their budgets."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ..common.driver import CarState
from .metrics import Metrics
from .scenario_run import ScenarioRun

_UNREACHABLE: Final[tuple[CarState, ...]] = ("asleep", "offline")
_SLEEP_DELAYS: Final = (10, 11, 15, 20, 25, 30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Some days, run with several cars that differ in the time until they fall asleep."""

    name: str
    description: str
    timetable: str
    days: int
    sleep_delays: tuple[int, ...] = _SLEEP_DELAYS
    """Minutes without a live read after which each car falls asleep."""
    has_vehicle_list: bool = True
    wakes_hourly: bool = False

    def run(self, sleep_delay: int, days: int | None = None) -> ScenarioRun:
        """Return the run with one car."""
        return ScenarioRun(
            timetable=self.timetable,
            days=days or self.days,
            sleep_delay=sleep_delay,
            has_vehicle_list=self.has_vehicle_list,
            wakes_hourly=self.wakes_hourly,
        )


SCENARIOS: Final = (
    Scenario(
        name="plain",
        description="A 30-minute drive to work, one back, then an hour of charging. The car is idle for 22 "
        "hours.",
        timetable="plain",
        days=3,
    ),
    Scenario(
        name="errands",
        description="Six drives of 100 minutes in total, three of them after stops of 5, 12 and 20 minutes, "
        "and an hour of charging that starts while the car sleeps.",
        timetable="errands",
        days=3,
    ),
    Scenario(
        name="surprises",
        description="A plain day, then a day with stops of 8, 12, 16, 20, 25, 30 and 34 minutes at new "
        "places. The car is idle for two and a half hours before each of them.",
        timetable="surprises",
        days=2,
    ),
    Scenario(
        name="no_cheap_request",
        description="The plain days, with a service that does not list the cars' states. Only a live read "
        "shows whether a car is awake.",
        timetable="plain",
        days=2,
        has_vehicle_list=False,
    ),
    Scenario(
        name="self_checks",
        description="The plain days, with a car that wakes up every hour for two and a half minutes.",
        timetable="plain",
        days=2,
        sleep_delays=(10, 15, 30),
        wakes_hourly=True,
    ),
    Scenario(
        name="self_checks_errands",
        description="The days with errands, with a car that wakes up every hour.",
        timetable="errands",
        days=2,
        sleep_delays=(10, 15, 30),
        wakes_hourly=True,
    ),
    Scenario(
        name="garage",
        description="The plain days, but without coverage at night until two minutes after the car leaves.",
        timetable="garage",
        days=2,
        sleep_delays=(15,),
    ),
)


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit for a metric."""

    scenarios: str
    name: str
    metric: Callable[[Metrics], float | None]
    """Returns None if the car has no such value."""
    minimum: float | None = None
    maximum: float | None = None

    def is_met(self, value: float) -> bool:
        """Return whether a value is within the limit."""
        return (self.minimum is None or value >= self.minimum) and (
            self.maximum is None or value <= self.maximum
        )

    def worst(self, values: Iterable[float]) -> float:
        """Return the value that is closest to the limit, or furthest beyond it."""
        return max(values) if self.minimum is None else min(values)

    @property
    def limit(self) -> str:
        """The limit as text."""
        return f"at most {self.maximum:g}" if self.minimum is None else f"at least {self.minimum:g}"


# Scenarios in which the car only wakes up for a drive or a charge
_NO_SELF_CHECKS: Final = "plain errands surprises no_cheap_request garage"
_SELF_CHECKS: Final = "self_checks self_checks_errands"
_MEDIAN_DELAY: Final = "median seconds until shown, from asleep or offline"
_LONGEST_DELAY: Final = "most seconds until shown, from asleep or offline"


def _median_delay(car: Metrics) -> float | None:
    return car.median_delay(*_UNREACHABLE)


def _longest_delay(car: Metrics) -> float | None:
    return car.longest_delay(*_UNREACHABLE)


def _sleep_from_day_2(car: Metrics) -> float | None:
    return car.lowest_sleep_share(from_day=1)


BUDGETS: Final = (
    Budget("plain", "sleep on the first day, %", lambda car: car.days[0].sleep_share, minimum=95),
    Budget("plain", "sleep from the second day, %", _sleep_from_day_2, minimum=98),
    Budget("plain", "requests per day", lambda car: car.most_requests, maximum=1500),
    Budget("plain", "live reads missing for one per minute", lambda car: car.missing_reads, maximum=0),
    Budget("plain", "seconds between two live reads", lambda car: car.longest_gap, maximum=61),
    Budget("errands", "sleep, %", Metrics.lowest_sleep_share, minimum=90),
    Budget("errands", "daily driving not shown, %", lambda car: car.highest_not_shown_share, maximum=15),
    Budget("self_checks", "sleep from the second day, %", _sleep_from_day_2, minimum=95),
    Budget("no_cheap_request", "sleep, %", Metrics.lowest_sleep_share, minimum=90),
    Budget(_NO_SELF_CHECKS, _MEDIAN_DELAY, _median_delay, maximum=60),
    Budget(_NO_SELF_CHECKS, _LONGEST_DELAY, _longest_delay, maximum=90),
    Budget(_SELF_CHECKS, _LONGEST_DELAY, _longest_delay, maximum=300),
)
