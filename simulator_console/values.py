"""Values from outside, held against the annotations of what they are meant for."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
import inspect
from itertools import pairwise
import json
import math
from types import NoneType, UnionType
from typing import Any, ClassVar, Final, Literal, NoReturn, Protocol, TypeAliasType, get_args, get_origin

from custom_components.vehicle_remote_access.simulator.persistence import Json

WORDS: Final = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    dict: "a JSON object",
    list: "a JSON array",
    NoneType: "null",
}
NAMES: Final = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    dict: "object",
    list: "array",
    NoneType: "null",
}
"""As JSON Schema names them."""
IN_JSON: Final[dict[Any, type]] = {Mapping: dict, Sequence: list, None: NoneType}


class ValueRefusedError(ValueError):
    """A value is not what it should be; the message says what that is, in words for a person."""


def refuse_value(words: str) -> NoReturn:
    """Say what is wrong with a value."""
    raise ValueRefusedError(words)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value may be: of one of some types, or one of some choices; anything if there are neither."""

    types: tuple[type, ...] = ()
    choices: tuple[str | int, ...] = ()

    @classmethod
    def of(cls, annotation: Any) -> Kind:
        """Return the kind that an annotation asks for."""
        if isinstance(annotation, TypeAliasType):
            return cls.of(annotation.__value__)
        if isinstance(annotation, UnionType):
            parts = [cls.of(each) for each in get_args(annotation)]
            return cls(sum((each.types for each in parts), ()), sum((each.choices for each in parts), ()))
        if get_origin(annotation) is Literal:
            return cls(choices=get_args(annotation))
        if annotation is Any:
            return cls()
        return cls((IN_JSON.get(get_origin(annotation) or annotation, annotation),))

    @property
    def words(self) -> str:
        """What a value has to be, for a person."""
        words = [WORDS[each] for each in self.types]
        if self.choices:
            words.append(f"one of {', '.join(str(each) or 'nothing' for each in self.choices)}")
        return " or ".join(words) or "anything"

    @property
    def described(self) -> Json:
        """What a value has to be, for a program: `types` as JSON Schema names them, and `choices`."""
        return {"types": [NAMES[each] for each in self.types], "choices": list(self.choices)}

    def holds(self, value: Any) -> bool:
        """Return whether a JSON value is of this kind; a whole number is a number too."""
        if not self.types and not self.choices:
            return True
        if isinstance(value, float) and not math.isfinite(value):
            return False
        if any(type(value) is type(each) and value == each for each in self.choices):
            return True
        return type(value) in self.types or (type(value) is int and float in self.types)

    def check(self, name: str, value: Any) -> None:
        """Let a JSON value through that is of this kind, or refuse it under its name."""
        if not self.holds(value):
            refuse_value(f"{name} has to be {self.words}")

    def read(self, name: str, text: str) -> Any:
        """Return the value that a text stands for, or refuse it under its name."""
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        found = value if self.holds(value) else text
        self.check(name, found)
        return found


class Settings(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def arguments_of(act: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return what a function or method takes."""
    return {name: each for name, each in inspect.signature(act).parameters.items() if name != "self"}


def check_arguments(name: str, act: Callable[..., Any], values: Json) -> None:
    """Let the values through that `act`, known as `name`, takes as its arguments.

    Raises:
        ValueRefusedError: when one is unknown, of the wrong type, or missing.
    """
    taken = arguments_of(act)
    for argument, value in values.items():
        if argument not in taken:
            refuse_value(f"{name} takes {', '.join(taken) or 'no arguments'}, not {argument}")
        Kind.of(taken[argument].annotation).check(f"{argument} of {name}", value)
    missing = [
        each for each in taken if taken[each].default is inspect.Parameter.empty and each not in values
    ]
    if missing:
        refuse_value(f"{name} needs {', '.join(missing)}")


def kind_of(settings: Settings, name: str) -> Kind:
    """Return the kind of a field of a dataclass, or refuse the name."""
    known = {each.name: each.type for each in fields(settings)}
    if name not in known:
        refuse_value(f"there is no {name}; there are {', '.join(known)}")
    return Kind.of(known[name])


def assign(settings: Settings, values: Json) -> None:
    """Set fields of a dataclass in which no number is negative: all of them, or none if one is refused.

    Raises:
        ValueRefusedError: when there is no such field, or it takes no such value.
    """
    for name, value in values.items():
        kind_of(settings, name).check(name, value)
        if isinstance(value, int | float) and value < 0:
            refuse_value(f"{name} must not be below 0")
    for name, value in values.items():
        setattr(settings, name, value)


def docstrings_under(settings: type) -> dict[str, str]:
    """Return what stands under each field of a class, which Python itself does not keep."""
    words = {}
    (written,) = ast.parse(inspect.getsource(settings)).body
    for pair in pairwise(ast.iter_child_nodes(written)):
        match pair:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                words[name] = text
    return words
