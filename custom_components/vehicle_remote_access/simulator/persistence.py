"""Vehicle state as JSON, so that the simulation continues after a restart."""

from enum import Enum
from typing import Any, ClassVar

type Json = dict[str, Any]


class Persistent:
    """An object whose state can be stored. `PERSISTED` names the stored attributes.

    These names are the keys of the stored JSON. If an attribute is renamed, its stored value is lost.
    """

    __slots__ = ()

    PERSISTED: ClassVar[tuple[str, ...]] = ()

    def as_json(self) -> Json:
        return {name: _to_json(getattr(self, name)) for name in self.PERSISTED}

    def restore(self, stored: Any) -> None:
        """Set the stored attributes. Attributes that were not stored keep their values."""
        for name in self.PERSISTED:
            if name in stored:
                setattr(self, name, _from_json(stored[name], getattr(self, name)))


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
    return value
