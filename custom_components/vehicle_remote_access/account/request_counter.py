"""The numbers of requests of an account since local midnight."""

from collections.abc import Mapping
from typing import Any

from homeassistant.util import dt as dt_util

from ..api.client import Client
from ..api.value_types import COUNT


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
        if stored.get("day") == self._day:
            self._earlier = COUNT.read(stored.get("requests")) or 0
            self.planned = COUNT.read(stored.get("planned")) or 0

    def start_day(self) -> None:
        """Reset the count after local midnight."""
        if (day := _today()) != self._day:
            self._day, self._earlier, self.planned = day, -self._client.request_count, 0

    @property
    def today(self) -> int:
        """The number of requests today."""
        return self._earlier + self._client.request_count

    def as_json(self) -> dict[str, Any]:
        """Return the count to store."""
        return {"day": self._day, "requests": self.today, "planned": self.planned}


def _today() -> str:
    return dt_util.now().date().isoformat()
