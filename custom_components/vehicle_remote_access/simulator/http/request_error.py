"""Error responses of the service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

ASLEEP: Final = "vehicle unavailable: vehicle is offline or asleep"


@dataclass(eq=False)
class RequestError(Exception):
    """A failed request. The interface document shows the response under "Requests and answers"."""

    status: int
    error: str
    description: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
