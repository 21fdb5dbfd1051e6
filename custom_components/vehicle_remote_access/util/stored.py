"""Dataclasses that are stored as JSON, and the check of what was stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final, Self

from .immutable import replace

# The year 2100. A later time, or any larger number, is damaged.
_LATEST: Final = 4_102_444_800.0
DAMAGED: Final = (AttributeError, KeyError, TypeError, ValueError)
"""What reading a damaged file raises."""


def is_moment(name: str) -> bool:
    """Return whether an attribute or a column is a time."""
    return name in ("at", "start", "end") or name.endswith(("_at", "_since", "_began", "earliest", "_latest"))


def is_position(name: str) -> bool:
    """Return whether an attribute or a column is a part of a position."""
    return name.endswith(("latitude", "longitude"))


class Stored:
    """A dataclass that is stored as a JSON object."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the stored object. What is not stored has its default. Raises ValueError or TypeError."""
        types = {field.name: field.type for field in fields(cls)}  # type: ignore[arg-type]
        values = {**stored}
        for name in types.keys() & stored.keys():
            nested = next((kind for kind in _types(types[name]) if issubclass(kind, Stored)), None)
            if nested is not None and isinstance(values[name], Mapping):
                values[name] = nested.from_json(values[name])
        check_columns(types, {name: (value,) for name, value in values.items()})
        return cls(**{name: values[name] for name in types.keys() & stored.keys()})

    @classmethod
    def restored(cls, stored: Any) -> Self:
        """Return the stored object, or a new one if it is damaged. Other versions store other names."""
        names = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        try:
            return cls.from_json({name: value for name, value in stored.items() if name in names})
        except DAMAGED:
            return cls()

    def mapped(self, change: Callable[[str, Any], Any]) -> Self:
        """Return a copy with what a function returns for each name and value, also of nested objects."""
        values = {
            name: value.mapped(change) if isinstance(value, Stored) else change(name, value)
            for name, value in vars(self).items()
        }
        return replace(self, **values)  # type: ignore[type-var]

    def without_positions(self) -> Self:
        return self.mapped(lambda name, value: None if is_position(name) else value)

    def not_after(self, now: float) -> Self:
        """Return a copy without times in the future, because the clock can be set back."""
        return self.mapped(lambda name, value: min(value, now) if value and is_moment(name) else value)

    def with_added(self, **amounts: float) -> Self:
        """Return the object with amounts added to those of its values that are not None."""
        before = {name: value for name, value in vars(self).items() if name in amounts and value is not None}
        return replace(self, **{name: value + amounts[name] for name, value in before.items()})  # type: ignore[type-var]


def _types(annotation: Any) -> tuple[type, ...]:
    return getattr(annotation, "__args__", (annotation,))


def check_columns(annotations: Mapping[str, Any], columns: Mapping[str, Sequence[Any]]) -> None:
    """Raise ValueError if the name of a column, or the type or the size of a value, is damaged."""
    if annotations.keys() - columns.keys() and columns.keys() - annotations.keys():
        # A version only adds names.
        raise ValueError
    for name in annotations.keys() & columns.keys():
        types, values = {*_types(annotations[name])}, columns[name]
        # JSON has whole numbers where a float is expected.
        allowed = types | {int} if float in types else types
        numbers = [*filter(None, values)] if int in allowed else []
        least = 0.0 if is_moment(name) else -_LATEST
        is_valid = set(map(type, values)) <= allowed
        if not is_valid or (numbers and not least <= min(numbers) <= max(numbers) <= _LATEST):
            raise ValueError(name)
