"""What the service answers instead of what was asked for."""

from collections.abc import Mapping
from typing import Final

ASLEEP: Final = "vehicle unavailable: vehicle is offline or asleep"


class ServiceError(Exception):
    """An answer with another status than 200, in the envelope of 1.6."""

    def __init__(
        self,
        status: int,
        error: str,
        description: str = "",
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Keep what the answer will say."""
        super().__init__(error)
        self.status = status
        self.error = error
        self.description = description
        self.headers = dict(headers or {})
