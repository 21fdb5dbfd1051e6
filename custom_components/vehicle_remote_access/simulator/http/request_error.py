"""Error responses of the service."""

from collections.abc import Mapping
from typing import Final

ASLEEP: Final = "vehicle unavailable: vehicle is offline or asleep"


class RequestError(Exception):
    """A request that failed. Interface document, "Requests and answers", shows the response."""

    def __init__(
        self,
        status: int,
        error: str,
        description: str = "",
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(error)
        self.status = status
        self.error = error
        self.description = description
        self.headers = dict(headers or {})
