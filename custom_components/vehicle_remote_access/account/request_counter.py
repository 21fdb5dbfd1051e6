"""The numbers of requests of an account since local midnight."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

from homeassistant.util import dt as dt_util

from ..api.client import Client
from ..api.value_types import COUNT

# The clock was wrong if it was set back by more.
_SET_BACK: Final = timedelta(days=2)


class RequestCounter:
    """Counts a client's requests of a day, including those before a restart."""

    def __init__(self, client: Client, stored: Mapping[str, Any]) -> None:
        """Continue the stored count if it is from today."""
        self._client = client
        self._day = _today()
        self.planned = 0
        """Today's requests that were sent to see whether a car woke or fell asleep."""
        self._earlier = 0
        """Today's requests before this client existed, minus this client's requests before midnight."""
        self._earlier_live_reads = 0
        day = _day(stored.get("day"))
        if day is not None and self._day <= day <= self._day + _SET_BACK:
            self._day = day
            self._earlier = COUNT.read(stored.get("requests")) or 0
            self.planned = COUNT.read(stored.get("planned")) or 0
            self._earlier_live_reads = COUNT.read(stored.get("live_reads")) or 0

    def start_day(self) -> None:
        """Reset the counts after local midnight. A clock that is set back does not start another day."""
        day = _today()
        if day > self._day or day < self._day - _SET_BACK:
            self._day, self._earlier, self.planned = day, -self._client.request_count, 0
            self._earlier_live_reads = -self._client.live_read_count

    @property
    def today(self) -> int:
        """The number of requests today."""
        return self._earlier + self._client.request_count

    @property
    def live_reads(self) -> int:
        """The number of live reads today."""
        return self._earlier_live_reads + self._client.live_read_count

    def as_json(self) -> dict[str, Any]:
        """Return the count to store."""
        return {
            "day": self._day.isoformat(),
            "requests": self.today,
            "planned": self.planned,
            "live_reads": self.live_reads,
        }


def _today() -> date:
    return dt_util.now().date()


def _day(stored: Any) -> date | None:
    try:
        return date.fromisoformat(stored)
    except TypeError, ValueError:
        return None
