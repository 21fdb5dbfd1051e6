"""Which part of an answer is older than what is known: services answer from more than one memory."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final

from .api.records import Vehicle

# A clock that runs ahead by more is not believed, so that its records do not hide those to come.
_AHEAD: Final = timedelta(minutes=5)
# Records in a row, each newer than the one before it: then the car's clock was set back.
_STEPS: Final = 3
_RECORDS: Final = tuple(line.name for line in Vehicle.nested)
_times: Final = attrgetter(*(f"{name}.timestamp" for name in _RECORDS))


class Freshness:
    """The order in which the records of one car came, by the car's own clock."""

    def __init__(self) -> None:
        """Begin without a doubt."""
        self._put_aside: dict[str, tuple[datetime, int]] = {}

    def late(self, answer: Vehicle, known: Vehicle, now: datetime) -> Iterator[str]:
        """Yield the names of the records in an answer that are older than the known ones.

        One without a time cannot be late. `now` is this house's time.
        """
        for name, told, before in zip(_RECORDS, _times(answer), _times(known), strict=True):
            if told is None or before is None or told >= before or before > now + _AHEAD:
                self._put_aside.pop(name, None)
            elif self._is_believed_now(name, told):
                del self._put_aside[name]
            else:
                yield name

    def _is_believed_now(self, name: str, told: datetime) -> bool:
        """Whether the records that come late go on so steadily that the clock must have been set back."""
        last, steps = self._put_aside.get(name, (told, 0))
        steps = steps if told == last else steps + 1 if told > last else 0
        self._put_aside[name] = told, steps
        return steps >= _STEPS
