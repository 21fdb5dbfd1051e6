"""Copies of frozen dataclasses with other values."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # So that the names and types of the values are checked.
    from dataclasses import replace
else:

    def replace(instance: Any, /, **values: Any) -> Any:
        """Return a copy with other values, without calling `__init__`. The class must not have slots.

        `__init__` would take most of the time of a read. Cached properties must not use a changed value.
        """
        copy = object.__new__(type(instance))
        object.__setattr__(copy, "__dict__", vars(instance) | values)
        return copy


__all__ = ["replace"]
