"""Four weeks of drives that start soon after the car was parked or charged."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import mean, median
from typing import Final

from ..common.driver import leaves_again, short_stops
from ..common.report import Goal, table
from ..common.virtual_time import DAY, MINUTE
from .car import Figures, Scenario

DESCRIPTION: Final = (
    "Four weeks, of which the last two are judged. *short_stops* drives to work by way of a school, eats out "
    "at noon, and shops on the way home, each for a random time, and drives to two new places on weekend "
    "days. *leaves_again* charges until shortly before it leaves for work, and leaves again soon after every "
    "fourth return. The delays are those of drives that start within 45 minutes after the car was parked or "
    "charged: median, mean and 95 %, in seconds. *Left alone* is how many of them start while the "
    "integration lets the car fall asleep."
)
TIMETABLES: Final[Mapping[str, Callable[..., Awaitable[None]]]] = {
    "short_stops": short_stops,
    "leaves_again": leaves_again,
}
SLEEP_DELAYS: Final = (10, 15, 30)
SEEDS: Final = 1
"""How many of the random seeds are used."""
_LEARNING_DAYS: Final = 14
_JUDGED_DAYS: Final = 14
_SOON: Final = 45 * MINUTE

type Weeks = Mapping[tuple[str, int], Sequence[Figures]]
"""By timetable and minutes until the car falls asleep, the figures of each seed."""


def scenario(name: str, seed: int) -> Scenario:
    """Return the scenario."""
    return Scenario(partial(TIMETABLES[name], seed=seed), DESCRIPTION, _LEARNING_DAYS + _JUDGED_DAYS)


def section(weeks: Weeks) -> str:
    """Return the figures as a section of the report."""
    titles = ("drives, car", "drives soon again", "left alone", "delay", "slept, % of possible", "live reads")
    rows = []
    for (name, sleep_delay), cars in weeks.items():
        delays = _delays(cars)
        rows.append(
            [
                f"{name}, {sleep_delay} min",
                f"{len(delays)}",
                f"{sum(len(_delays([car], 'quiet')) for car in cars)}",
                f"{median(delays):.0f}, {mean(delays):.0f}, {sorted(delays)[int(0.95 * len(delays))]:.0f}",
                f"{100 - _lost_sleep(cars):.1f}",
                f"{median(day.live_reads for car in cars for day in car.days[_LEARNING_DAYS:]):.0f}",
            ]
        )
    return f"## soon_again\n\n{DESCRIPTION}\n\n{table(titles, rows)}"


def goals(weeks: Weeks) -> Iterator[Goal]:
    """Yield the goals and their figures."""
    for (name, sleep_delay), cars in weeks.items():
        at = f"{name}, {sleep_delay} min"
        yield Goal("% of the possible sleep lost in the last two weeks", at, _lost_sleep(cars), 4)


def _delays(cars: Sequence[Figures], state: str | None = None) -> list[float]:
    return [
        delay.seconds
        for car in cars
        for delay in car.delays
        if delay.start >= _LEARNING_DAYS * DAY
        and delay.idle <= _SOON
        and state in (None, delay.initial_state)
    ]


def _lost_sleep(cars: Sequence[Figures]) -> float:
    days = [day for car in cars for day in car.days[_LEARNING_DAYS:]]
    return sum(day.lost_sleep * day.possible for day in days) / sum(day.possible for day in days)
