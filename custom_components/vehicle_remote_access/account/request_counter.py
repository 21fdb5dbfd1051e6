"""The numbers of requests of an account since local midnight."""

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from homeassistant.util import dt as dt_util

from ..api.client import Client
from ..api.value_types import COUNT

# A clock that was set forward or back by mistake is soon right again.
_OTHER_DAYS_KEPT: Final = 2
# Keys of format version 1
_COUNTS: Final = ("requests", "planned", "live_reads")


class RequestCounter:
    """Counts a client's requests of a day, including those before a restart."""

    def __init__(self, client: Client, stored: Mapping[str, Any]) -> None:
        self._client = client
        others = stored.get("other_days")
        self._days: dict[str, Mapping[str, Any]] = dict(others) if isinstance(others, Mapping) else {}
        if isinstance(day := stored.get("day"), str):
            self._days[day] = {name: stored.get(name) for name in _COUNTS}
        self._begin_day(dt_util.now().date().isoformat())

    def update(self) -> tuple[int, int]:
        """Start at 0 after local midnight, or continue the counts of the day to which the clock was set.

        Return the number of the day's requests, and of those that are live reads.
        """
        if (day := dt_util.now().date().isoformat()) != self._day:
            self._days[self._day] = self._counts()
            self._begin_day(day)
        client = self._client
        return self._earlier + client.request_count, self._earlier_live_reads + client.live_read_count

    def _begin_day(self, day: str) -> None:
        stored = self._days.pop(day, {})
        self._days = dict(islice(sorted(self._days.items(), reverse=True), _OTHER_DAYS_KEPT))
        self._day = day
        self.stored = 0
        """How many of the day's requests the stored count has."""
        self._earlier = _count(stored, "requests") - self._client.request_count
        """Today's requests before this client existed, minus this client's requests before midnight."""
        self._earlier_live_reads = _count(stored, "live_reads") - self._client.live_read_count
        self.planned = _count(stored, "planned")
        """Today's requests that were sent to see whether a car woke or fell asleep."""

    @property
    def today(self) -> int:
        return self._earlier + self._client.request_count

    @property
    def live_reads(self) -> int:
        return self._earlier_live_reads + self._client.live_read_count

    def as_json(self, ahead: int = 0) -> dict[str, Any]:
        """Return the counts to store.

        `ahead`: how many requests may be sent before the next save. They count after a crash.
        """
        self.stored = self.today + ahead
        counts = self._counts()
        counts |= {"requests": self.today + ahead, "live_reads": self.live_reads + ahead}
        return {"day": self._day, **counts, "other_days": dict(self._days)}

    def _counts(self) -> dict[str, int]:
        return {"requests": self.today, "planned": self.planned, "live_reads": self.live_reads}


def _count(stored: Any, name: str) -> int:
    return (COUNT.read(stored.get(name)) or 0) if isinstance(stored, Mapping) else 0
