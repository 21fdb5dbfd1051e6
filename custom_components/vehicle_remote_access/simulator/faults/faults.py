"""Faults that can be injected: wrong responses and dropped responses."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

type DropMode = Literal["reset", "close", "silence", "cut", "endless"]
"""How a response is dropped: `reset` and `close` end the connection, `silence` sends nothing until the client
gives up, `cut` closes the connection after half of the body, and the body of `endless` never ends.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A wrong behavior of the service: it does not send the correct response."""

    only: str = ""
    """Text that the path must contain; empty for any path."""
    is_obeyed: bool = False
    """Whether the request is carried out anyway. A ChangedResponse always carries it out."""


@dataclass(frozen=True, slots=True)
class ResponseFault(Fault):
    """A response that replaces the correct one."""

    status: int
    body: Any = None
    """JSON, a text, bytes that are sent as they are, or None for an error's usual body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    """Name in the count of injected faults; empty for the status."""

    @property
    def kind(self) -> str:
        return self.name or str(self.status)


@dataclass(frozen=True, slots=True)
class DroppedResponse(Fault):
    """A response that does not arrive completely."""

    how: DropMode

    @property
    def kind(self) -> str:
        return self.how


@dataclass(frozen=True, slots=True)
class ChangedResponse(Fault):
    """The correct response with another value under `response`. Errors stay unchanged."""

    kind: str
    """Name in the count of injected faults."""
    change: Callable[[Any], Any]
    """Returns the new value for the correct one."""


type AnyFault = ResponseFault | DroppedResponse | ChangedResponse


@dataclass(eq=False, slots=True)
class InjectedFault:
    """A fault in the queue."""

    fault: AnyFault
    remaining: int
    """The number of requests that it still affects."""


class Faults:
    """The faults of a service. Injected faults form a queue; served responses last until they are cleared."""

    def __init__(self) -> None:
        self.injected: Counter[str] = Counter()
        """The number of affected requests so far, by kind of fault: a status, a drop mode, or a name."""
        self._queue: list[InjectedFault] = []
        self._served: dict[tuple[str, str], ResponseFault] = {}

    def answer(
        self,
        status: int,
        *,
        times: int = 1,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        only: str | None = None,
        is_obeyed: bool = False,
    ) -> None:
        """Send this response to the next requests. `only` and `is_obeyed` are those of `Fault`."""
        self.inject(ResponseFault(status, body, headers or {}, only=only or "", is_obeyed=is_obeyed), times)

    def fail(
        self, how: DropMode, *, times: int = 1, only: str | None = None, is_obeyed: bool = False
    ) -> None:
        """Drop the responses to the next requests. Many clients then repeat a GET on their own."""
        self.inject(DroppedResponse(how, only=only or "", is_obeyed=is_obeyed), times)

    def inject(self, fault: AnyFault, times: int) -> InjectedFault:
        """Queue a fault for a number of requests. Raises ValueError if the number is less than 1."""
        if times < 1:
            message = "a fault must affect at least one request"
            raise ValueError(message)
        injected = InjectedFault(fault, times)
        self._queue.append(injected)
        return injected

    def withdraw(self, injected: InjectedFault) -> None:
        injected.remaining = 0
        if injected in self._queue:
            self._queue.remove(injected)

    def serve(self, method: str, path: str, body: Any, status: int = 200) -> None:
        self._served[method.upper(), path] = ResponseFault(status, body)

    def clear(self) -> None:
        for injected in tuple(self._queue):
            self.withdraw(injected)
        self._served.clear()

    def next_fault(self, path: str) -> AnyFault | None:
        """Take and count the fault for a request, if there is one."""
        fault = self._next(path)
        if fault is not None:
            self.injected[fault.kind] += 1
        return fault

    def _next(self, path: str) -> AnyFault | None:
        for injected in self._queue:
            if injected.fault.only in path:
                injected.remaining -= 1
                if not injected.remaining:
                    self._queue.remove(injected)
                return injected.fault
        return None

    def served(self, method: str, path: str) -> ResponseFault | None:
        return self._served.get((method, path))
