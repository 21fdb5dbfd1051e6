"""Vehicle state as JSON, so that the simulation continues after a restart."""

from enum import Enum
from typing import Any, ClassVar

type Json = dict[str, Any]


class Persistent:
    """An object whose public attributes, except NOT_STORED, are stored by name. A renamed one is lost."""

    NOT_STORED: ClassVar[frozenset[str]] = frozenset()

    def as_json(self) -> Json:
        return {name: _to_json(getattr(self, name)) for name in self._stored_names()}

    def restore(self, stored: Any) -> None:
        """Set the stored attributes. Attributes that were not stored keep their values."""
        for name in self._stored_names():
            if name in stored:
                setattr(self, name, _from_json(stored[name], getattr(self, name)))

    def _stored_names(self) -> list[str]:
        return [name for name in vars(self) if not name.startswith("_") and name not in self.NOT_STORED]


def _to_json(value: Any) -> Any:
    if isinstance(value, Persistent):
        return value.as_json()
    return value.value if isinstance(value, Enum) else value


def _from_json(value: Any, current: Any) -> Any:
    match current:
        case Persistent():
            current.restore(value)
            return current
        case Enum():
            return type(current)(value)
        case dict():
            return {**current, **value}
        case tuple():
            return type(current)(*value)
    return value
