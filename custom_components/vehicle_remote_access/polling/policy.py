"""When to ask the car: a pure function of what is known. No clock, no network, no Home Assistant.

A live read keeps a car awake, so the question is never only what would be new but also what it costs.
All times are Unix seconds.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
import math
from types import MappingProxyType
from typing import Final, NamedTuple

DENSE: Final = 60.0
"""Seconds between two live reads while something happens, unless the owner wants it otherwise."""
_DOUBLINGS: Final = 10
SHORTEST: Final = 10.0
"""Seconds between two live reads, whatever happens."""
KEEPING_AWAKE: Final = 300.0
"""Seconds between two live reads that are to keep a car awake: every car stays so for ten minutes."""
IN_SERVICE: Final = 600.0
"""Seconds between two questions whether the car is back from the workshop, where the service tells it too."""
EARLY: Final = 1.0
"""What is due within this many seconds is due: who calls may be early by as much."""

ONLINE: Final = "online"


class Mode(StrEnum):
    """What the car is doing, as far as reading it is concerned."""

    DRIVING = "driving"
    CHARGING = "charging"
    IN_USE = "in_use"
    KEPT_AWAKE = "kept_awake"
    SETTLING = "settling"
    QUIET = "quiet"
    ASLEEP = "asleep"
    OFFLINE = "offline"
    IN_SERVICE = "in_service"
    BACKING_OFF = "backing_off"


class Situation(NamedTuple):
    """What is known of a car."""

    state: str | None
    """The state of its record: online, or another word for out of reach; None if nobody knows."""
    is_probed: bool
    """Whether the service tells the state without asking the car."""
    in_service: bool = False
    activity: Mode | None = None
    """What the last live read saw it do that keeps it awake anyway."""
    is_kept_awake: bool = False
    """Whether its owner wants it awake now."""
    last_read: float | None = None
    """When the car was last read live."""
    is_known: bool = True
    """Whether the car has said of itself what it uses to."""
    last_touch: float = 0.0
    """When the car was last asked for something else that keeps it awake."""
    woke_at: float = 0.0
    """When the car was last seen to wake."""
    patience: float = 0.0
    """Seconds for which a car that woke is not read: it may have woken only to look after itself."""
    watched_until: float = 0.0
    """Until when more is likely to happen."""
    quiet: float = 0.0
    """Seconds without a live read in which this car falls asleep if it may."""
    retry_at: float = 0.0
    """Before when it makes no sense to ask again, because the last time went wrong."""
    intervals: Mapping[str, float] = MappingProxyType({})
    """Seconds between two live reads by mode, where the owner has set them."""


class Plan(NamedTuple):
    """What to do next."""

    mode: Mode
    read_at: float | None
    """When a live read is due; None: not until something changes."""


def plan(car: Situation) -> Plan:
    """Return what the car is about and when it is to be read."""
    wanted = _wanted(car)
    if wanted.read_at is None:
        return wanted
    if wanted.read_at < car.retry_at:
        return Plan(Mode.BACKING_OFF, car.retry_at)
    return Plan(wanted.mode, max(wanted.read_at, _after(car.last_read, SHORTEST)))


def is_due(plan: Plan, now: float) -> bool:
    """Return whether the car is to be read now."""
    return plan.read_at is not None and plan.read_at <= now + EARLY


def backoff(failures: int, longest: float, luck: float) -> float:
    """Return the seconds to wait after so many failures in a row: twice as long each time, to a limit.

    After the first nobody waits longer than usual; then `luck`, from 0 to 1, spreads those who failed at the
    same time over a quarter more.
    """
    if failures <= 1:
        return DENSE
    return min(DENSE * 2.0 ** min(failures - 1, _DOUBLINGS), longest) * (1 + luck / 4)


def next_question(
    last_question: float, interval: float, cars: Sequence[tuple[float, Plan]]
) -> tuple[float, float]:
    """Return when the service is to be asked which cars are awake, and when anything at all is due next.

    `cars`: when each was last read live, or 0, and its plan. What all of them have said themselves, or are
    about to say, need not be asked of the service.
    """
    heard = min((read for read, _ in cars), default=0.0)
    ask_at = max(last_question, heard) + interval
    reads = [math.inf if plan.read_at is None else plan.read_at for _, plan in cars]
    if reads and max(reads) <= ask_at + EARLY:
        ask_at = max(ask_at, max(reads) + interval)
    return ask_at, min([ask_at, *reads])


def _wanted(car: Situation) -> Plan:
    if car.state not in (None, ONLINE):
        mode = Mode.ASLEEP if car.state == Mode.ASLEEP else Mode.OFFLINE
        # Where nothing else tells that a car woke, a live read does: it does not wake a car that sleeps.
        return Plan(mode, None if car.is_probed else _after(car.last_read, DENSE))
    if car.in_service:
        return Plan(Mode.IN_SERVICE, _after(car.last_read, IN_SERVICE if car.is_probed else DENSE))
    return _wanted_awake(car)


def _wanted_awake(car: Situation) -> Plan:
    if car.last_read is None:
        return Plan(Mode.SETTLING, 0.0)
    if car.last_read < car.woke_at:
        return Plan(Mode.QUIET if car.patience else Mode.SETTLING, car.woke_at + car.patience)
    if car.activity is not None:
        return Plan(car.activity, car.last_read + car.intervals.get(car.activity, DENSE))
    if car.is_kept_awake:
        return Plan(Mode.KEPT_AWAKE, car.last_read + KEEPING_AWAKE)
    if not car.is_known or car.last_read + EARLY < car.watched_until:
        return Plan(Mode.SETTLING, car.last_read + car.intervals.get(Mode.IN_USE, DENSE))
    # If something else has kept it awake for all that time, a read costs nothing more.
    quiet = 0.0 if car.last_touch >= car.last_read + car.quiet else car.quiet
    return Plan(Mode.QUIET, max(car.last_read, car.last_touch) + quiet)


def _after(moment: float | None, seconds: float) -> float:
    return 0.0 if moment is None else moment + seconds
