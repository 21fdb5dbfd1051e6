"""What the service is told to answer wrongly."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from .answers import Json

GONE: Final = object()
"""Stands for a field that is left out."""


@dataclass(slots=True)
class Answer:
    """An answer that comes instead of the right one."""

    status: int
    body: Any = None
    """JSON, a text, or None for the envelope of an error."""
    headers: dict[str, str] = field(default_factory=dict)
    only: str = ""
    """Part of the paths that get it; all if empty."""
    left: int = 1


class Faults:
    """Answers that are wrong on purpose, until they are used up or cleared."""

    def __init__(self) -> None:
        """Begin with none."""
        self._answers: list[Answer] = []
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
    ) -> None:
        """Answer the next requests with this instead; `only` those whose path contains a text."""
        self._answers.append(Answer(status, body, dict(headers or {}), only or "", times))

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
        self._answers.clear()
        self._fields.clear()
        self._served.clear()

    def next_answer(self, path: str) -> Answer | None:
        """Take the answer that is due for a request, if there is one."""
        for answer in self._answers:
            if answer.only in path:
                answer.left -= 1
                if not answer.left:
                    self._answers.remove(answer)
                return answer
        return None

    def served(self, method: str, path: str) -> Answer | None:
        """Return the recorded answer of a path, if there is one."""
        return self._served.get((method, path))

    def spoil(self, record: Json) -> Json:
        """Return a data answer with the fields as they were told to be."""
        return self._spoiled(record, lambda _holder, _name: True)

    def spoil_short(self, record: Json) -> Json:
        """Return the record of a list, of a single read or of wake_up so; it gains no field by it."""
        return self._spoiled(record, lambda holder, name: name in holder)

    def _spoiled(self, record: Json, applies: Callable[[Json, str], bool]) -> Json:
        record = deepcopy(record)
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
