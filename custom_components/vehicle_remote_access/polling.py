"""When to ask the car: a pure function of what is known. No clock, no network, no Home Assistant.

A live read keeps a car awake, so the question is never only what would be new but also what it costs.
All times are Unix seconds.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

DENSE: Final = 60.0
"""Seconds between two live reads while something happens."""
SETTLING: Final = 300.0
"""Seconds for which a car that has just been used is watched."""
QUIET: Final = 2100.0
"""Seconds without a live read in which every car falls asleep that may."""

IN_SERVICE: Final = 600.0
"""Seconds between two questions whether the car is back from the workshop."""


_ONLINE: Final = "online"


class Mode(StrEnum):
    """What the car is doing, as far as reading it is concerned."""

    STARTING = "starting"
    DRIVING = "driving"
    CHARGING = "charging"
    IN_USE = "in_use"
    SETTLING = "settling"
    QUIET = "quiet"
    ASLEEP = "asleep"
    OFFLINE = "offline"
    IN_SERVICE = "in_service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is known of a car."""

    state: str | None
    """The state of its record: online, or another word for out of reach; None if nobody knows."""
    in_service: bool
    activity: Mode | None
    """What the last live read saw it do that keeps it awake anyway."""
    last_read: float | None
    """When the car was last read live."""
    last_touch: float = 0.0
    """When the car was last asked for something else that keeps it awake."""
    last_wake: float
    """When the car was last seen to wake."""
    last_change: float
    """When the car was last used, or told something."""
    is_probed: bool
    """Whether the service tells the state without asking the car."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do next."""

    mode: Mode
    read_at: float | None
    """When a live read is due; None: not until something changes."""


def plan(car: Situation) -> Plan:
    """Return what the car is about and when it is to be read."""
    if car.in_service:
        return Plan(Mode.IN_SERVICE, _after(car.last_read, IN_SERVICE))
    if car.state not in (None, _ONLINE):
        mode = Mode.ASLEEP if car.state == Mode.ASLEEP else Mode.OFFLINE
        # Where nothing else tells that a car woke, a live read does: it does not wake a car that sleeps.
        return Plan(mode, None if car.is_probed else _after(car.last_read, DENSE))
    return _plan_awake(car)


def _plan_awake(car: Situation) -> Plan:
    if car.last_read is None:
        return Plan(Mode.STARTING, 0.0)
    if car.last_read < car.last_wake:
        return Plan(Mode.STARTING, car.last_wake)
    if car.activity is not None:
        return Plan(car.activity, car.last_read + DENSE)
    if car.last_read < car.last_change + SETTLING:
        return Plan(Mode.SETTLING, car.last_read + DENSE)
    return Plan(Mode.QUIET, max(car.last_read, car.last_touch) + QUIET)


def _after(moment: float | None, seconds: float) -> float:
    return 0.0 if moment is None else moment + seconds
