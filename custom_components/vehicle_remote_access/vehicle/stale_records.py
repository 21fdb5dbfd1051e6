"""Which part of an answer is older than what is known: services answer from more than one cache."""

from datetime import datetime, timedelta
from operator import attrgetter
import time
from typing import Final

from ..api.records import Vehicle

# A clock that runs ahead by more is not believed, so that its records do not hide those to come.
_AHEAD: Final = timedelta(minutes=5)
# Seconds in which a car may give the same record twice
_REPEATED: Final = 5.0
# Records in a row, each newer than the one before it: then the car's clock was set back.
_STEPS: Final = 3
_RECORDS: Final = tuple(line.name for line in Vehicle.nested)
_times: Final = attrgetter(*(f"{name}.timestamp" for name in _RECORDS))


class Freshness:
    """The order in which the records of one car came, by the car's own clock."""

    def __init__(self) -> None:
        """Start without any record."""
        self._put_aside: dict[str, tuple[datetime, int]] = {}
        self._newest: dict[str, tuple[datetime, float]] = {}
        """The newest time of each record, and when it was first received by the monotonic clock."""
        self._fresh: frozenset[str] = frozenset()

    def late(self, answer: Vehicle, known: Vehicle, now: datetime) -> frozenset[str]:
        """Return the names of the records in an answer that are older than the known ones.

        A record without a time cannot be late. `now` is Home Assistant's time.
        """
        late = set()
        for name, told, before in zip(_RECORDS, _times(answer), _times(known), strict=True):
            if told is None or before is None or told >= before:
                self._put_aside.pop(name, None)
            elif before > now + _AHEAD or self._is_believed_now(name, told):
                self._put_aside.pop(name, None)
                self._newest.pop(name, None)
            else:
                late.add(name)
        self._fresh = frozenset(
            name
            for name, told in zip(_RECORDS, _times(answer), strict=True)
            if name not in late and self._renew(name, told)
        )
        return frozenset(late)

    def is_fresh(self, name: str) -> bool:
        """Return whether a record of the last answer was made for it, and does not come from a cache."""
        return name in self._fresh

    def _renew(self, name: str, told: datetime | None) -> bool:
        """Return whether a record is newer than all before it. A repeated one is, for a few seconds."""
        newest, received_at = self._newest.get(name, (None, 0.0))
        if told is None:
            return newest is None
        if newest is None or told > newest:
            self._newest[name] = told, time.monotonic()
            return True
        return told == newest and time.monotonic() - received_at < _REPEATED

    def _is_believed_now(self, name: str, told: datetime) -> bool:
        """Whether the records that come late go on so steadily that the clock must have been set back."""
        last, steps = self._put_aside.get(name, (told, 0))
        steps = steps if told == last else steps + 1 if told > last else 0
        self._put_aside[name] = told, steps
        return steps >= _STEPS
