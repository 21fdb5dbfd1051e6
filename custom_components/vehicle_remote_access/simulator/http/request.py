"""A request to the service, as it was answered."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it was answered; its query may hold secrets, so it is not shown."""

    method: str
    path: str
    query: dict[str, str] = field(repr=False)
    status: int
    """0 if nothing was answered."""
    moment: float = field(default=0.0, compare=False)
    """When it was answered, in simulated Unix seconds."""
