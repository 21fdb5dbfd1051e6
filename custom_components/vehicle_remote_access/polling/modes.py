"""States of a car, and modes of polling it."""

from enum import StrEnum
from typing import Final

# States of a car. Every other word is treated like offline.
ONLINE: Final = "online"
ASLEEP: Final = "asleep"
OFFLINE: Final = "offline"

TIMER_TOLERANCE: Final = 1.0
"""Requests that are due within this time are sent now, because timers may fire early."""


class Mode(StrEnum):
    """The reason for the current polling interval."""

    DRIVING = "driving"
    CHARGING = "charging"
    IN_USE = "in_use"
    KEPT_AWAKE = "kept_awake"
    WINDING_DOWN = "settling"
    LETTING_CAR_SLEEP = "quiet"
    ASLEEP = "asleep"
    OFFLINE = "offline"
    IN_SERVICE = "in_service"
    RETRYING_LATER = "backing_off"
    CACHED = "cached"
