"""State that is written down as JSON, so that a car outlives the program that it runs in."""

from enum import Enum
from typing import Any, ClassVar

type Json = dict[str, Any]


class Kept:
    """Something with state. What of it is written down stands in `KEPT`, by name."""

    __slots__ = ()

    KEPT: ClassVar[tuple[str, ...]] = ()

    def as_json(self) -> Json:
        """Return the state, as JSON knows it."""
        return {name: _written(getattr(self, name)) for name in self.KEPT}

    def take_up(self, kept: Any) -> None:
        """Be again as it was written down. What is missing, or of another kind, stays as it is."""
        if isinstance(kept, dict):
            for name in self.KEPT:
                if name in kept:
                    setattr(self, name, _read(kept[name], getattr(self, name)))


def _written(value: Any) -> Any:
    if isinstance(value, Kept):
        return value.as_json()
    return value.value if isinstance(value, Enum) else value


def _read(value: Any, before: Any) -> Any:
    """Return a value of the same kind as that before; where nothing was before, anything goes."""
    match before:
        case None:
            return value
        case Kept():
            before.take_up(value)
        case Enum() if value in {each.value for each in type(before)}:
            return type(before)(value)
        case dict() if isinstance(value, dict):
            return {name: _read(value.get(name, each), each) for name, each in before.items()}
        case float() if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        case _ if type(value) is type(before):
            return value
    return before
