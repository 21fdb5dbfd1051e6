"""The log entry of a request to the service."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Request:
    """A request and its status. The query may contain secrets, so it is not part of the representation."""

    method: str
    path: str
    query: dict[str, str] = field(repr=False)
    status: int
    """0 if nothing was sent."""
    moment: float = field(default=0.0, compare=False)
    """When the response was sent, in simulated Unix seconds."""
    is_proxied: bool = False
    """Whether a command proxy received it."""
