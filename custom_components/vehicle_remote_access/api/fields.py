"""A field is one line of the table; a record is a class of such lines, read field by field."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from itertools import compress, repeat
import logging
from operator import attrgetter, is_not, ne, or_
import reprlib
from typing import Any, ClassVar, Final, Self, overload

from .value_types import CLOCK, Kind

_LOGGER: Final = logging.getLogger(__name__)
_STRANGE_VALUES_KEPT: Final = 20
# Differs from all that JSON can say, null included.
_NOTHING: Final = object()


class Place(Enum):
    """Where a field is shown if nothing else shows it."""

    SENSOR = auto()
    BINARY = auto()
    NOWHERE = auto()


SENSOR: Final = Place.SENSOR
BINARY: Final = Place.BINARY
NOWHERE: Final = Place.NOWHERE


class Field[T]:
    """One field of the interface document: what it means and where it is shown.

    On a record class it is the field itself, on a record its value: the meaning, or None.
    """

    name: str
    path: str
    """Where the value stands in a vehicle's record, such as `charge_state.battery_level`."""
    of: Callable[[Record], T | None]
    """Returns the value in a vehicle's record."""

    def __init__(
        self,
        kind: Kind[T],
        place: Place = NOWHERE,
        *,
        diagnostic: bool = False,
        enabled: bool = True,
        enabled_if: tuple[Field[Any], Any] | None = None,
        private: bool = False,
        secret: bool = False,
        shown_if: Field[Any] | None = None,
    ) -> None:
        """Describe the field.

        `enabled_if`: the field, and its value, with which this one is among those that most people want;
        `enabled` holds for a car that does not say. `private`: who and where. `secret`: not even to be kept.
        `shown_if`: the field that says whether the car has the thing.
        """
        self.kind = kind
        self.place = place
        self.diagnostic = diagnostic
        self.enabled = enabled
        self.enabled_if = enabled_if
        self.private = private or secret
        self.secret = secret
        self.shown_if = shown_if
        self._strange_values: set[str] = set()

    def bind(self, record: type[Record], name: str) -> None:
        """Learn the name under which the record's class holds this field."""
        self.name = name
        self.path = f"{record.key}.{name}" if record.key else name
        self.of = attrgetter(self.path)

    @overload
    def __get__(self, record: None, owner: type[Record]) -> Self: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> T | None: ...
    @overload
    def __get__(self, record: object, owner: type) -> Self: ...
    def __get__(self, record: object, owner: type) -> Self | T | None:
        """Return the field from the class. A record finds the value in itself before it asks here."""
        return self

    def is_enabled(self, vehicle: Record) -> bool:
        """Return whether most owners of this car want to see the field."""
        if self.enabled_if is None:
            return self.enabled
        chosen, value = self.enabled_if
        choice = chosen.of(vehicle)
        return self.enabled if choice is None else bool(choice == value)

    def read(self, raw: Mapping[str, Any]) -> T | None:
        """Read the field from a record's JSON. Missing, null or nonsense costs this field alone."""
        try:
            found = raw[self.name]
        except KeyError:
            return None
        if found is None:
            return self.kind.null
        value = self.kind.read(found)
        if value is None and self.kind.options:
            self._note(found)
        return value

    def _note(self, found: Any) -> None:
        """Say once that the service knows a word that we do not."""
        strange = reprlib.repr(found)
        if found in ("", "<invalid>") or strange in self._strange_values:
            return
        if len(self._strange_values) < _STRANGE_VALUES_KEPT:
            self._strange_values.add(strange)
            _LOGGER.debug("%s has a value that is not known: %s", self.path, strange)

    def __repr__(self) -> str:
        """Return the path, so that tests and errors name the field."""
        return f"<Field {self.path}>"


class Nested[R: Record]:
    """A record within a record."""

    name: str

    def __init__(self, record: type[R]) -> None:
        """Describe the place of a record."""
        self.record = record

    @overload
    def __get__(self, outer: None, owner: type[Record]) -> Self: ...
    @overload
    def __get__(self, outer: Record, owner: type[Record]) -> R: ...
    def __get__(self, outer: Record | None, owner: type[Record]) -> Self | R:
        """Return the line from the class. A record finds the inner record in itself before it asks here."""
        return self


type _Said = tuple[tuple[Any, ...], tuple[Any, ...]]
"""JSON values, and their types: 1 is not true."""


class Record:
    """What the service says of one subject. It never changes; what is new is another record."""

    __slots__ = ("__dict__", "_said")

    key: ClassVar[str]
    """The record's own path; empty for the vehicle's."""
    fields: ClassVar[tuple[Field[Any], ...]]
    nested: ClassVar[tuple[Nested[Any], ...]]
    clocks: ClassVar[tuple[Field[Any], ...]]
    """The fields that are new in every answer, be it equal in all else."""
    _others: ClassVar[tuple[Field[Any], ...]]
    _names: ClassVar[tuple[str, ...]]
    """Those of the others."""
    _unread: ClassVar[_Said]
    """In the place of what was said, if the record was put together."""
    _empty: ClassVar[Any]
    """A record without a value."""
    _said: _Said
    """The others' JSON, by which answers are compared."""

    def __init__(self) -> None:
        """Begin without a value."""
        vars(self).update({field.name: None for field in self.fields})
        vars(self).update({inner.name: inner.record._empty for inner in self.nested})  # noqa: SLF001
        self._said = self._unread

    def __init_subclass__(cls, key: str) -> None:
        """Take stock of the class's lines."""
        cls.key = key
        for name, line in vars(cls).items():
            if isinstance(line, Field):
                line.bind(cls, name)
            elif isinstance(line, Nested):
                line.name = name
        cls.fields = tuple(line for line in vars(cls).values() if isinstance(line, Field))
        cls.nested = tuple(line for line in vars(cls).values() if isinstance(line, Nested))
        cls.clocks = tuple(field for field in cls.fields if field.kind is CLOCK)
        cls._others = tuple(field for field in cls.fields if field.kind is not CLOCK)
        cls._names = tuple(field.name for field in cls._others)
        cls._unread = ((object(),) * len(cls._others),) * 2
        cls._empty = cls()

    @classmethod
    def parse(cls, raw: Any) -> Self:
        """Read a record's JSON, whatever it is. What cannot be read is None."""
        record: Self = cls._empty.renewed(raw)
        return record

    def renewed(self, raw: Any) -> Self:
        """Return what `parse` returns. Of what repeats the last answer, only the clocks are read."""
        if not isinstance(raw, dict):
            raw = {}
        found = tuple(map(raw.get, self._names, repeat(_NOTHING), strict=False))
        said, before = (found, tuple(map(type, found))), self._said
        values = {field.name: field.read(raw) for field in self.clocks}
        if said == before:
            said = before
        else:
            others = map(ne, said[0], before[0], strict=True)
            other_types = map(is_not, said[1], before[1], strict=True)
            differ = map(or_, others, other_types, strict=True)
            values |= {field.name: field.read(raw) for field in compress(self._others, differ)}
        for inner in self.nested:
            values[inner.name] = vars(self)[inner.name].renewed(raw.get(inner.name))
        return self._with(values, said) if values else self

    def updated(self, raw: Mapping[str, Any]) -> Self:
        """Return this record with those of its own fields that `raw` has."""
        return self._with({field.name: field.read(raw) for field in self.fields if field.name in raw})

    def keeping(self, earlier: Self, name: str) -> Self:
        """Return this record with one of its inner records as it was earlier."""
        return self._with({name: vars(earlier)[name]})

    def replacing(self, field: Field[Any], value: Any) -> Self:
        """Return this record with another value at the field's path."""
        return self._replacing(field.path.removeprefix(self.key).lstrip("."), value)

    def _replacing(self, path: str, value: Any) -> Self:
        name, _, rest = path.partition(".")
        return self._with({name: getattr(self, name)._replacing(rest, value) if rest else value})  # noqa: SLF001

    def _with(self, values: Mapping[str, Any], said: _Said | None = None) -> Self:
        """Return this record with other values, and with what was said if all of it comes from there."""
        record = self.__new__(type(self))
        vars(record).update(vars(self), **values)
        record._said = said or self._unread  # noqa: SLF001 - its own class
        return record

    def changed_since(self, earlier: Self) -> list[Field[Any]]:
        """Return the fields whose values are not what they were."""
        if self is earlier:
            return []
        now, then = vars(self), vars(earlier)
        if self._said is earlier._said is not self._unread:
            changed = [field for field in self.clocks if now[field.name] != then[field.name]]
        else:
            # Every record holds its values in the order of the table.
            changed = list(compress(self.fields, map(ne, now.values(), then.values(), strict=True)))
        for inner in self.nested:
            changed += now[inner.name].changed_since(then[inner.name])
        return changed

    @classmethod
    def all_fields(cls) -> Iterator[Field[Any]]:
        """Yield every field of this record and of those within it."""
        yield from cls.fields
        for inner in cls.nested:
            yield from inner.record.all_fields()
