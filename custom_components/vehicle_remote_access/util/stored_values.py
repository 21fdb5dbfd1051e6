"""Reading of stored values. A part of a file that is not valid is left out, and the rest is used."""

from collections.abc import Callable, Mapping
from typing import Any


def read_list[Item](stored: Any, read: Callable[[Any], Item | None]) -> tuple[Item, ...]:
    items = map(read, stored) if isinstance(stored, list) else ()
    return tuple(item for item in items if item is not None)


def read_mapping(stored: Any) -> Mapping[str, Any]:
    return stored if isinstance(stored, Mapping) else {}
