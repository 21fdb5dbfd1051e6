"""Four weeks of drives that start soon after the car was parked or charged."""

from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import mean, median
from typing import Final

from ..common.driver import leaves_again, short_stops
from ..common.report import Goal, table
from ..common.virtual_time import DAY, MINUTE
from .car import Figures, Measured, Run, Scenario, lost_sleep

NAME: Final = "soon_again"
DESCRIPTION: Final = (
    "Four weeks, of which the last two are judged. *short_stops* drives to work by way of a school, eats out "
    "at noon, and shops on the way home, each for a random time, and drives to two new places on weekend "
    "days. *leaves_again* charges until shortly before it leaves for work, and leaves again soon after every "
    "fourth return. The delays are those of drives that start within 45 minutes after the car was parked or "
    "charged: median, mean and 95 %, in seconds. *Left alone* is how many of them start while the "
    "integration lets the car fall asleep."
)
_TIMETABLES: Final[Mapping[str, Callable[..., Awaitable[None]]]] = {
    "short_stops": short_stops,
    "leaves_again": leaves_again,
}
_LEARNING_DAYS: Final = 14
JUDGED_DAYS: Final = 14
SOON: Final = 45 * MINUTE


def runs(options: Namespace) -> Iterator[Run]:
    """Yield the runs with the first seed."""
    if options.scenario not in (None, NAME):
        return
    for name, timetable in _TIMETABLES.items():
        days = _LEARNING_DAYS + JUDGED_DAYS
        scenario = Scenario(partial(timetable, seed=options.seeds[0]), days=days)
        for sleep_delay in options.sleep_delay:
            yield Run(name, scenario, sleep_delay)


def sections(measured: Sequence[Measured]) -> Iterator[str]:
    titles = ("drives, car", "drives soon again", "left alone", "delay", "slept, % of possible", "live reads")
    rows = []
    for run, car in measured:
        delays = _delays(car, "asleep", "quiet", "watched")
        rows.append(
            [
                run.label,
                f"{len(delays)}",
                f"{len(_delays(car, 'quiet'))}",
                f"{median(delays):.0f}, {mean(delays):.0f}, {sorted(delays)[int(0.95 * len(delays))]:.0f}",
                f"{100 - lost_sleep(car.days[_LEARNING_DAYS:]):.1f}",
                f"{median(day.live_reads for day in car.days[_LEARNING_DAYS:]):.0f}",
            ]
        )
    if rows:
        yield f"## {NAME}\n\n{DESCRIPTION}\n\n{table(titles, rows)}"


def goals(measured: Sequence[Measured]) -> Iterator[Goal]:
    for run, car in measured:
        lost = lost_sleep(car.days[_LEARNING_DAYS:])
        yield Goal("% of the possible sleep lost in the last two weeks", run.label, lost, 4)


def _delays(car: Figures, *states: str) -> list[float]:
    return car.delays_from(*states, since=_LEARNING_DAYS * DAY, longest_idle=SOON)
