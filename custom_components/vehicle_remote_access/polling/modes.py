"""States of a car, and modes of polling it."""

from enum import StrEnum, auto
from typing import Final

# States of a car. Every other word is treated like offline.
ONLINE: Final = "online"
ASLEEP: Final = "asleep"
OFFLINE: Final = "offline"

TIMER_TOLERANCE: Final = 1.0
"""Requests that are due within this time are sent now, because timers may fire early."""


class Mode(StrEnum):
    """What the polling policy does with a car now."""

    DRIVING = auto()
    CHARGING = auto()
    IN_USE = auto()
    KEPT_AWAKE = auto()
    WATCHING = "settling"
    """Watched after use. The word that is stored and translated is older."""
    QUIET = auto()
    ASLEEP = auto()
    OFFLINE = auto()
    IN_SERVICE = auto()
    BACKING_OFF = auto()
    CACHED = auto()
    LIVE = auto()
