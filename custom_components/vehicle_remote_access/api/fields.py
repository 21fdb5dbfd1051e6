"""Base classes of the table of fields: a field is one line, a record is a class of such lines.

Each field is read on its own, so an invalid value never affects another field.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field as dataclass_field
from functools import reduce
from itertools import compress
import logging
from operator import attrgetter, ne
import reprlib
from typing import Any, ClassVar, Final, Literal, Self, overload

from .value_types import ValueType

_LOGGER: Final = logging.getLogger(__name__)
_MAX_UNKNOWN_VALUES: Final = 20

# Differs from every JSON value, including null.
_MISSING: Final = object()
_NOT_FROM_RAW: Final = object()

type ShownAs = Literal["sensor", "binary_sensor"]
"""The entity that shows a field, unless the field is part of another entity."""

SENSOR: Final = "sensor"
BINARY_SENSOR: Final = "binary_sensor"


class _Line[V]:
    """A line of a record class. On the class, the attribute is the line. On a record, it is the value."""

    name: str

    def __set_name__(self, owner: type[Record], name: str) -> None:
        self.name = name

    @overload
    def __get__(self, record: Record, owner: type[Record]) -> V: ...
    @overload
    def __get__(self, record: object, owner: type) -> Self: ...
    def __get__(self, record: object, owner: type) -> Self | V:
        """Return the line. Only called on a class: a record's own value has precedence."""
        return self


@dataclass(eq=False, repr=False)
class Field[T](_Line[T | None]):
    """One field of the interface document. Its value is None if it is missing or invalid."""

    value_type: ValueType[T]
    shown_as: ShownAs | None = None
    _: KW_ONLY
    diagnostic: bool = False
    enabled: bool = True
    enabled_if: tuple[Field[Any], Any] | None = None
    """A field and the value that enables the entity by default. If it has no value, `enabled` applies."""
    retired: bool = False
    """Whether hardly anyone uses the entity, so it exists only if an earlier version registered it."""
    private: bool = False
    """Whether the field identifies the car or its location."""
    secret: bool = False
    """Whether the value must not be stored."""
    shown_if: Field[Any] | None = None
    """The field that reports whether the car has the equipment."""
    fleet_only: bool = False
    """Whether only services of the Fleet API's family report it. The interface document does not have it."""
    depends_on: tuple[Field[Any], Callable[[Any, Any], Any]] | None = None
    """An earlier field of the record, and a function that returns this field's value from both values."""
    path: str = dataclass_field(init=False)
    """The path of the value in a vehicle's record, for example `charge_state.battery_level`."""
    get: Callable[[Record], T | None] = dataclass_field(init=False)
    """Returns the value from a vehicle's record."""
    _unknown_values: set[str] = dataclass_field(init=False, default_factory=set)

    def is_enabled(self, vehicle: Record) -> bool:
        if self.enabled_if is None:
            return self.enabled
        other, enabling_value = self.enabled_if
        value = other.get(vehicle)
        return self.enabled if value is None else bool(value == enabling_value)

    def read(self, raw: Mapping[str, Any], known: Mapping[str, Any] = {}) -> T | None:
        """Return the value from a record's JSON, None if it is missing or invalid. `known`: other values."""
        raw_value = raw.get(self.name, _MISSING)
        if raw_value is _MISSING:
            return None
        value = self.value_type.null if raw_value is None else self.value_type.read(raw_value)
        if value is None and self.value_type.options:
            self._log_unknown(raw_value)
        if self.depends_on is not None:
            other, combined = self.depends_on
            value = combined(value, known[other.name])
        return value

    @property
    def record_key(self) -> str:
        """The name of the record with the field, for example `charge_state`."""
        return self.path.partition(".")[0]

    def is_reported(self, vehicle: Record) -> bool:
        """Return whether the car reports a value, also one that can't be read."""
        *parents, name = self.path.split(".")
        record = reduce(getattr, parents, vehicle)
        return record._raw.get(name) not in (None, _NOT_FROM_RAW)  # noqa: SLF001 - its own module

    def _log_unknown(self, raw_value: Any) -> None:
        """Log each unknown state once: the service may have added it."""
        text = reprlib.repr(raw_value)
        if raw_value in (None, "", "<invalid>") or text in self._unknown_values:
            return
        if len(self._unknown_values) < _MAX_UNKNOWN_VALUES:
            self._unknown_values.add(text)
            _LOGGER.debug("%s has an unknown value: %s", self.path, text)

    def __repr__(self) -> str:
        return f"<Field {self.path}>"


class Nested[R: Record](_Line[R]):
    """A record within a record."""

    def __init__(self, record: type[R]) -> None:
        self.record = record


class Record:
    """Immutable values of one JSON object of the service. A change creates a new record."""

    # The values are in `__dict__`, in the order of the table: first the fields, then the nested records.
    __slots__ = ("__dict__", "_raw")

    key: ClassVar[str]
    """The record's path in a vehicle's record; empty for the vehicle's record itself."""
    fields: ClassVar[tuple[Field[Any], ...]]
    nested: ClassVar[tuple[Nested[Any], ...]]
    _fields_by_name: ClassVar[tuple[tuple[str, Field[Any]], ...]]
    _raw: Mapping[str, Any]
    """The JSON that the values were read from, to find the fields that the next response changes."""

    def __init__(self) -> None:
        vars(self).update(dict.fromkeys(field.name for field in self.fields))
        vars(self).update({nested.name: nested.record() for nested in self.nested})
        self._raw = {}

    def __init_subclass__(cls, key: str) -> None:
        cls.key = key
        cls.fields = tuple(line for line in vars(cls).values() if isinstance(line, Field))
        cls.nested = tuple(line for line in vars(cls).values() if isinstance(line, Nested))
        cls._fields_by_name = tuple((field.name, field) for field in cls.fields)
        for field in cls.fields:
            field.path = f"{key}.{field.name}" if key else field.name
            field.get = attrgetter(field.path)

    @classmethod
    def parse(cls, raw: Any) -> Self:
        """Return a record with the values of any JSON value. A value that can't be read is None."""
        return cls().reparse(raw)

    def reparse(self, raw: Any) -> Self:
        """Return the same as `parse`, but read only changed fields, because comparing is much cheaper.

        The record keeps a reference to `raw`, so its own fields must not be changed later.
        """
        if not isinstance(raw, dict):
            raw = {}
        values: dict[str, Any] = {}
        old_raw, known = self._raw, vars(self).copy()
        for name, field in self._fields_by_name:
            old, new = old_raw.get(name, _MISSING), raw.get(name, _MISSING)
            # In Python, 1 equals True and 1.0, but they have different meanings.
            is_new = new is not old and (new != old or type(new) is not type(old))
            if is_new or (field.depends_on is not None and field.depends_on[0].name in values):
                values[name] = known[name] = field.read(raw, known)
        for nested in self.nested:
            record, nested_raw = getattr(self, nested.name), raw.get(nested.name)
            # An empty record stays empty: not all services have media_info.
            is_empty = not nested_raw and not record._raw  # noqa: SLF001 - its own class
            values[nested.name] = record if is_empty else record.reparse(nested_raw)
        return self._copy(values, raw) if values else self

    def with_fields(self, raw: Mapping[str, Any]) -> Self:
        """Return a copy with the fields that `raw` contains, also those of nested records."""
        whole = {**self._raw, **raw}
        values: dict[str, Any] = {}
        for field in self.fields:
            is_dependent = field.depends_on is not None and field.depends_on[0].name in raw
            if field.name in raw or (is_dependent and whole.get(field.name) is not _NOT_FROM_RAW):
                values[field.name] = field.read(whole, vars(self) | values)
        for nested in self.nested:
            if isinstance(part := raw.get(nested.name), dict):
                values[nested.name] = record = getattr(self, nested.name).with_fields(part)
                whole[nested.name] = record._raw  # noqa: SLF001 - its own class
        return self._copy(values, whole)

    def with_record(self, name: str, record: Record) -> Self:
        return self._copy({name: record}, self._raw)

    def with_value(self, path: str, value: Any) -> Self:
        """Return a copy with another value at a path, until the next response."""
        name, _, rest = path.partition(".")
        if rest:
            return self.with_record(name, getattr(self, name).with_value(rest, value))
        return self._copy({name: value}, {**self._raw, name: _NOT_FROM_RAW})

    def with_values(self, values: Mapping[Field[Any], Any]) -> Self:
        record = self
        for field, value in values.items():
            record = record.with_value(field.path, value)
        return record

    def _copy(self, values: dict[str, Any], raw: Mapping[str, Any]) -> Self:
        record = self.__new__(type(self))
        record.__dict__ = vars(self) | values
        record._raw = raw  # noqa: SLF001 - its own class
        return record

    def changed_since(self, earlier: Self) -> list[Field[Any]]:
        """Return the fields, also of nested records, whose values differ from an earlier record's."""
        changed: list[Field[Any]] = []
        pairs: list[tuple[Record, Record]] = [(self, earlier)]
        while pairs:
            now, before = pairs.pop()
            if now is not before:
                # The values of the fields precede those of the nested records.
                changed += compress(
                    now.fields, map(ne, vars(now).values(), vars(before).values(), strict=False)
                )
                pairs += [(getattr(now, nested.name), getattr(before, nested.name)) for nested in now.nested]
        return changed

    @classmethod
    def all_fields(cls) -> Iterator[Field[Any]]:
        yield from cls.fields
        for nested in cls.nested:
            yield from nested.record.all_fields()
