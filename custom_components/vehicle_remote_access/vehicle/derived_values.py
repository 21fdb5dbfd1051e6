"""What listeners of a vehicle can depend on."""

from enum import StrEnum, auto
from typing import Any

from ..api.fields import Field


class DerivedValue(StrEnum):
    """A value of a vehicle that is not a field of its record."""

    POLLING_MODE = auto()
    STREAM = auto()
    """Whether the stream with the car's data is connected."""
    NEXT_READ = auto()
    """Unix seconds."""
    NEEDS_LIST = auto()
    """Whether only the list shows the car's state now."""
    ASLEEP_TODAY = auto()
    """Whole hours, because each new value is a row in the database."""
    TIME_TO_FALL_ASLEEP = auto()
    """Minutes."""
    CHARGE_FINISH = auto()
    DATA_TIME = auto()
    SESSION_START = auto()
    LAST_COMMAND = auto()
    CURRENT_COMMAND = auto()
    """Also whether the car is woken for it, and why the last one failed."""
    LOG = auto()
    """Changes with each entry, and with each month."""
    ENERGY_AT_HOME = auto()
    OPTIONS = auto()
    CHARGING_PLAN = auto()
    CONTACT = auto()
    """Whether the charging plan can reach the car, and has seen what the car does now."""


type ListenerKey = Field[Any] | DerivedValue
