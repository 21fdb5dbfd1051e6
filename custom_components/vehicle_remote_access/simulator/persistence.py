"""Vehicle state as JSON, so that the simulation continues after a restart."""

from enum import Enum
from typing import Any, ClassVar

type Json = dict[str, Any]


class Persistent:
    """An object whose state can be stored. `PERSISTED` names the stored attributes.

    These names are the keys of the stored JSON. If an attribute is renamed, the value that an earlier version
    stored is lost.
    """

    __slots__ = ()

    PERSISTED: ClassVar[tuple[str, ...]] = ()

    def as_json(self) -> Json:
        """Return the state as JSON."""
        return {name: _to_json(getattr(self, name)) for name in self.PERSISTED}

    def restore(self, stored: Any) -> None:
        """Set the stored attributes. A missing value, or a value of another type, changes nothing."""
        if isinstance(stored, dict):
            for name in self.PERSISTED:
                if name in stored:
                    setattr(self, name, _from_json(stored[name], getattr(self, name)))


def _to_json(value: Any) -> Any:
    if isinstance(value, Persistent):
        return value.as_json()
    return value.value if isinstance(value, Enum) else value


def _from_json(value: Any, current: Any) -> Any:
    """Return the value if it has the type of the current one. A current None accepts any value."""
    match current:
        case None:
            return value
        case Persistent():
            current.restore(value)
        case Enum() if value in {member.value for member in type(current)}:
            return type(current)(value)
        case dict() if isinstance(value, dict):
            return {name: _from_json(value.get(name, item), item) for name, item in current.items()}
        case float() if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        case _ if type(value) is type(current):
            return value
    return current
