"""Local time, because habits follow it: the hour of the day, and the weekend."""

from datetime import datetime
from typing import Final, NamedTuple, Self

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
_FRIDAY: Final = 5


class LocalTime(NamedTuple):
    """A moment, and where it is in the local day and week."""

    at: float
    """Unix seconds."""
    hour: float
    """Local hour of the day, to the minute. Habits are less exact."""
    is_weekend: bool

    @classmethod
    def of(cls, moment: datetime) -> Self:
        return cls(moment.timestamp(), moment.hour + moment.minute / 60, moment.isoweekday() > _FRIDAY)
