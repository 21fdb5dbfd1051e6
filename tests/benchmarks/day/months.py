"""A month of a commuter who also sends commands, with different spending limits."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import mean, median
from typing import Final, NamedTuple

from custom_components.vehicle_remote_access.api.service_types import TESLA_FLEET
from custom_components.vehicle_remote_access.simulator import OTHER

from ..common.driver import commuter
from ..common.report import Goal, spread, table
from ..common.virtual_time import DAY, HOUR
from .car import Figures, Measured, Run, Scenario

NAME: Final = "month"
DESCRIPTION: Final = (
    "November of the commuter, after 27 days of learning, with the Tesla Fleet API. The car falls asleep "
    "after 15 minutes. On workdays, climate control is started before work, and the charge limit is set on "
    "every second evening. Delays are those of all drives, and gaps are those between two live reads of a "
    "drive: median and 95 %, in seconds."
)
SLEEP_DELAY: Final = 15
# From 5 October on, where the virtual time starts
_LEARNING_DAYS: Final = 27
_DAYS: Final = 30
# By what Tesla's price list says, independently of the integration
_LIVE_READ: Final = 1 / 500
_COMMAND: Final = 1 / 1000
_WAKE_UP: Final = 1 / 50
# A command is confirmed by two reads.
_READS_PER_COMMAND: Final = 2


class Limit(NamedTuple):
    name: str
    dollars: float | None
    delay: float
    """The most seconds until a drive is shown, median."""


LIMITS: Final = (
    Limit("no limit", None, 30),
    Limit("$10", 10, 30),
    Limit("$5", 5, 30),
    Limit("$0", 0, HOUR),
)


def runs(options: Namespace) -> Iterator[Run]:
    """Yield the runs with the first seed, unless another service is played."""
    if options.scenario not in (None, NAME) or options.service not in (OTHER, TESLA_FLEET.key):
        return
    for limit in LIMITS:
        scenario = Scenario(
            partial(commuter, seed=options.seeds[0], has_commands=True),
            days=_LEARNING_DAYS + _DAYS,
            options={} if limit.dollars is None else {"spending_limit": limit.dollars},
            service=TESLA_FLEET.key,
            has_commands=True,
        )
        yield Run(f"{NAME}, {limit.name}", scenario, SLEEP_DELAY)


class _Month(NamedTuple):
    """The dollars of the judged month, and what its owner gets for them."""

    users: float
    """What commands and wake-ups cost."""
    reads: float
    commands: int
    live_reads: list[int]
    delays: list[float]
    gaps: list[float]
    slept: float
    """Hours a day."""
    not_shown: float


def _month(car: Figures) -> _Month:
    days, since = car.days[_LEARNING_DAYS:], _LEARNING_DAYS * DAY
    commands = sum(day.commands for day in days)
    return _Month(
        users=_COMMAND * commands + _WAKE_UP * sum(day.wake_ups for day in days),
        reads=_LIVE_READ * sum(day.live_reads for day in days),
        commands=commands,
        live_reads=[day.live_reads for day in days],
        delays=car.delays_from("asleep", "quiet", "watched", since=since),
        gaps=[seconds for start, seconds in car.drive_gaps if start >= since],
        slept=mean(day.possible * (1 - day.lost_sleep / 100) for day in days),
        not_shown=100 * mean(day.not_shown for day in days),
    )


def _by_limit(measured: Sequence[Measured]) -> Iterator[tuple[Limit, _Month]]:
    for (_, car), limit in zip(measured, LIMITS if measured else (), strict=True):
        yield limit, _month(car)


def sections(measured: Sequence[Measured]) -> Iterator[str]:
    titles = (
        "at most a month",
        "spent",
        "for commands and wake-ups",
        "live reads a day, median and most",
        "delay",
        "gap",
        "not shown, % of the driving",
        "asleep, h a day",
    )
    rows = [
        [
            limit.name,
            f"${month.users + month.reads:.2f}",
            f"${month.users:.2f}",
            f"{median(month.live_reads):.0f}, {max(month.live_reads)}",
            spread(month.delays),
            spread(month.gaps),
            f"{month.not_shown:.0f}",
            f"{month.slept:.1f}",
        ]
        for limit, month in _by_limit(measured)
    ]
    if rows:
        yield f"## {NAME}\n\n{DESCRIPTION}\n\n{table(titles, rows)}"


def goals(measured: Sequence[Measured]) -> Iterator[Goal]:
    for limit, month in _by_limit(measured):
        at = f"{NAME}, {limit.name}"
        yield Goal("median seconds until a drive is shown", at, median(month.delays), limit.delay)
        if limit.dollars is not None:
            # People may exceed each limit.
            most = max(limit.dollars, month.users + _LIVE_READ * _READS_PER_COMMAND * month.commands)
            yield Goal("dollars spent in a month", at, month.users + month.reads, most)
