"""The number of requests of an account since local midnight."""

from collections.abc import Mapping
from typing import Any

from homeassistant.util import dt as dt_util

from ..api.client import Client
from ..api.value_types import COUNT


class RequestCounter:
    """Counts the requests of a day, including those before a restart."""

    def __init__(self) -> None:
        self._day = _today()
        self._earlier = 0
        """Today's requests before this client existed, minus this client's requests before midnight."""

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Continue the stored count if it is from today."""
        if stored.get("day") == self._day:
            self._earlier = COUNT.read(stored.get("requests")) or 0

    def start_day(self, client: Client) -> None:
        """Reset the count after local midnight."""
        if (day := _today()) != self._day:
            self._day, self._earlier = day, -client.request_count

    def count(self, client: Client) -> int:
        """Return the number of requests today."""
        return self._earlier + client.request_count

    def as_json(self, client: Client) -> dict[str, Any]:
        """Return the state to store."""
        return {"day": self._day, "requests": self.count(client)}


def _today() -> str:
    return dt_util.now().date().isoformat()
