"""What the service is told to do wrongly: to answer something else, or to lose its answer."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal

from ..persistence import Json

GONE: Final = object()
"""Stands for a field that is left out."""

type How = Literal["reset", "close", "silence", "cut", "endless", "huge"]
"""How an answer gets lost.

`reset`: the connection is reset instead. `close`: it is closed instead. `silence`: nothing comes until the
client gives up. `cut`: half of the body comes, then the connection is closed. `endless`: the body has no end.
`huge`: it has one, after 50 MB.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is done instead of answering rightly."""

    only: str = ""
    """Part of the paths that get it; all if empty."""
    is_obeyed: bool = False
    """Whether what was asked for is done all the same; before a Change it always is."""


@dataclass(frozen=True, slots=True)
class Answer(Fault):
    """An answer that comes instead of the right one."""

    status: int
    body: Any = None
    """JSON, a text, bytes to be sent as they are, or None for the envelope of an error."""
    headers: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    """What it is counted as; its status if empty."""

    @property
    def kind(self) -> str:
        """What it is counted as."""
        return self.name or str(self.status)


@dataclass(frozen=True, slots=True)
class Loss(Fault):
    """An answer that gets lost on its way."""

    how: How

    @property
    def kind(self) -> str:
        """What it is counted as."""
        return self.how


@dataclass(frozen=True, slots=True)
class Change(Fault):
    """The right answer, if it is a success, with something else under `response`."""

    kind: str
    """What it is counted as."""
    change: Callable[[Any], Any]
    """From what would have stood there to what does."""


type AnyFault = Answer | Loss | Change


@dataclass(eq=False, slots=True)
class Told:
    """A fault that waits for requests."""

    fault: AnyFault
    left: int
    """How many of them are still to get it."""


class Faults:
    """What is wrong on purpose, until it is used up or cleared."""

    def __init__(self) -> None:
        """Begin with none."""
        self.injected: Counter[str] = Counter()
        """How many requests got which kind of fault so far: a status, how the answer was lost, or a name."""
        self._told: list[Told] = []
        self._share = 0.0
        self._random = Random()  # noqa: S311 - nothing to be kept secret
        self._among: Sequence[AnyFault] = ()
        self._fields: dict[str, Any] = {}
        self._served: dict[tuple[str, str], Answer] = {}

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
        """Answer the next requests with this instead; `only` those whose path contains a text.

        `is_obeyed`: what was asked for is done all the same.
        """
        self.tell(Answer(status, body, headers or {}, only=only or "", is_obeyed=is_obeyed), times)

    def fail(self, how: How, *, times: int = 1, only: str | None = None, is_obeyed: bool = False) -> None:
        """Lose the answers to the next requests; otherwise as `answer`.

        Many clients, aiohttp's among them, send a GET once more by themselves if the connection ends first.
        """
        self.tell(Loss(how, only=only or "", is_obeyed=is_obeyed), times)

    def tell(self, fault: AnyFault, times: int) -> Told:
        """Give the next requests this fault, after those told of before; at least one (ValueError)."""
        if times < 1:
            words = "a fault is for one request at least"
            raise ValueError(words)
        told = Told(fault, times)
        self._told.append(told)
        return told

    def take_back(self, told: Told) -> None:
        """Give a fault to no more requests."""
        told.left = 0
        if told in self._told:
            self._told.remove(told)

    def at_random(self, share: float, seed: int, among: Sequence[AnyFault]) -> None:
        """Give a share of all requests one of these faults each, unless one was told to come before.

        Which requests and which faults is the same for the same seed and the same requests.
        """
        self._share, self._random, self._among = share, Random(seed), among  # noqa: S311

    def corrupt(self, path: str, value: Any) -> None:
        """Replace a field, as in `charge_state.battery_level`, or a whole record, in every data answer."""
        self._fields[path] = value

    def remove(self, path: str) -> None:
        """Leave a field or a whole record out of every data answer."""
        self._fields[path] = GONE

    def serve(self, method: str, path: str, body: Any, status: int = 200) -> None:
        """Answer a path with a recorded body instead, as often as it is asked for."""
        self._served[method.upper(), path] = Answer(status, body)

    def clear(self) -> None:
        """Answer rightly again."""
        for told in tuple(self._told):
            self.take_back(told)
        self._share = 0.0
        self._fields.clear()
        self._served.clear()

    def next_answer(self, path: str) -> AnyFault | None:
        """Take the fault that is due for a request, if there is one."""
        fault = self._next_told(path) or self._by_chance(path)
        if fault is not None:
            self.injected[fault.kind] += 1
        return fault

    def _next_told(self, path: str) -> AnyFault | None:
        for told in self._told:
            if told.fault.only in path:
                told.left -= 1
                if not told.left:
                    self._told.remove(told)
                return told.fault
        return None

    def _by_chance(self, path: str) -> AnyFault | None:
        if self._random.random() >= self._share:
            return None
        fitting = [fault for fault in self._among if fault.only in path]
        return self._random.choice(fitting) if fitting else None

    def served(self, method: str, path: str) -> Answer | None:
        """Return the recorded answer of a path, if there is one."""
        return self._served.get((method, path))

    def spoil(self, record: Json) -> Json:
        """Return a data answer, made for this request alone, with the fields as they were told to be."""
        return self._spoiled(record, lambda _holder, _name: True)

    def spoil_short(self, record: Json) -> Json:
        """Return the record of a list, of a single read or of wake_up so; it gains no field by it."""
        return self._spoiled(record, lambda holder, name: name in holder)

    def _spoiled(self, record: Json, applies: Callable[[Json, str], bool]) -> Json:
        for path, value in self._fields.items():
            *parents, name = path.split(".")
            holder: Any = record
            for parent in parents:
                holder = holder.get(parent) if isinstance(holder, dict) else None
            if not isinstance(holder, dict) or not applies(holder, name):
                continue
            if value is GONE:
                holder.pop(name, None)
            else:
                holder[name] = value
        return record
