"""Validation of values from outside against the annotations of functions and dataclasses."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
import inspect
from itertools import chain, pairwise
import json
import math
from types import NoneType, UnionType
from typing import Any, ClassVar, Final, Literal, NoReturn, Protocol, TypeAliasType, get_args, get_origin

from custom_components.vehicle_remote_access.simulator.persistence import Json

DESCRIPTIONS: Final = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    dict: "a JSON object",
    list: "a JSON array",
    NoneType: "null",
}
JSON_SCHEMA_TYPES: Final = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    dict: "object",
    list: "array",
    NoneType: "null",
}
JSON_TYPES: Final[dict[Any, type]] = {Mapping: dict, Sequence: list, None: NoneType}
"""The type of a JSON value for an annotation."""


class ValueRefusedError(ValueError):
    """A value is invalid. The message says what is valid, for a person."""


def refuse_value(message: str) -> NoReturn:
    raise ValueRefusedError(message)


@dataclass(frozen=True, slots=True)
class AllowedValues:
    """The types and the choices that a value may have. Without both, any value is allowed."""

    types: tuple[type, ...] = ()
    choices: tuple[str | int, ...] = ()

    @classmethod
    def of(cls, annotation: Any) -> AllowedValues:
        """Return the values that an annotation allows."""
        if isinstance(annotation, TypeAliasType):
            return cls.of(annotation.__value__)
        if isinstance(annotation, UnionType):
            parts = [cls.of(part) for part in get_args(annotation)]
            return cls(sum((part.types for part in parts), ()), sum((part.choices for part in parts), ()))
        if get_origin(annotation) is Literal:
            return cls(choices=get_args(annotation))
        if annotation is Any:
            return cls()
        return cls((JSON_TYPES.get(get_origin(annotation) or annotation, annotation),))

    @property
    def description(self) -> str:
        """The allowed values, for a person."""
        parts = [DESCRIPTIONS[allowed] for allowed in self.types]
        if self.choices:
            parts.append(f"one of {', '.join(str(choice) or 'empty' for choice in self.choices)}")
        return " or ".join(parts) or "anything"

    def as_json(self) -> Json:
        """Return the allowed values for a program: `types` as in JSON Schema, and `choices`."""
        return {
            "types": [JSON_SCHEMA_TYPES[allowed] for allowed in self.types],
            "choices": list(self.choices),
        }

    def include(self, value: Any) -> bool:
        """Return whether a JSON value is allowed. An integer is also a number."""
        if not self.types and not self.choices:
            return True
        if isinstance(value, float) and not math.isfinite(value):
            return False
        if any(type(value) is type(choice) and value == choice for choice in self.choices):
            return True
        return type(value) in self.types or (type(value) is int and float in self.types)

    def check(self, name: str, value: Any) -> None:
        """Raise ValueRefusedError, with the name, if a JSON value is not allowed."""
        if not self.include(value):
            refuse_value(f"{name} must be {self.description}")

    def parse(self, name: str, text: str) -> Any:
        """Return the value of a text. Raise ValueRefusedError, with the name, if it is not allowed."""
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        parsed = value if self.include(value) else text
        self.check(name, parsed)
        return parsed


class Settings(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function or method, without `self`."""
    parameters = inspect.signature(function).parameters
    return {name: parameter for name, parameter in parameters.items() if name != "self"}


def check_arguments(name: str, function: Callable[..., Any], values: Json) -> None:
    """Check that a function can be called with these arguments. `name` is used in messages.

    Raises:
        ValueRefusedError: if an argument is unknown, invalid, or missing.
    """
    parameters = parameters_of(function)
    for argument, value in values.items():
        if argument not in parameters:
            allowed = ", ".join(parameters) or "none"
            refuse_value(f"{name} has no argument {argument}. Its arguments: {allowed}")
        AllowedValues.of(parameters[argument].annotation).check(f"{argument} of {name}", value)
    missing = [
        argument
        for argument, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty and argument not in values
    ]
    if missing:
        refuse_value(f"{name} requires {', '.join(missing)}")


def allowed_values(settings: Settings, name: str) -> AllowedValues:
    """Return the allowed values of a dataclass field. Raise ValueRefusedError if there is no such field."""
    types = {field.name: field.type for field in fields(settings)}
    if name not in types:
        refuse_value(f"{name} is unknown. Use one of {', '.join(types)}")
    return AllowedValues.of(types[name])


def assign(settings: Settings, values: Json) -> None:
    """Set fields of a dataclass. If one value is invalid, no field is set. No number may be negative.

    Raises:
        ValueRefusedError: if there is no such field, or the value is not allowed.
    """
    for name, value in values.items():
        allowed_values(settings, name).check(name, value)
        if isinstance(value, int | float) and value < 0:
            refuse_value(f"{name} must not be negative")
    for name, value in values.items():
        setattr(settings, name, value)


def field_docstrings(settings: type) -> dict[str, str]:
    """Return the text under each field of a class and its bases. It is read from the source code."""
    docstrings = {}
    classes = [ast.parse(inspect.getsource(each)).body[0] for each in settings.__mro__ if each is not object]
    for pair in chain.from_iterable(pairwise(ast.iter_child_nodes(each)) for each in classes):
        match pair:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                docstrings[name] = text
    return docstrings
