"""Error responses of the service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

ASLEEP: Final = "vehicle unavailable: vehicle is offline or asleep"


@dataclass(eq=False)
class RequestError(Exception):
    """A request that failed. Interface document, "Requests and answers", shows the response."""

    status: int
    error: str
    description: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
