"""The parameters of a request, from its query, form or JSON body."""

from collections.abc import Mapping, Sequence
import json
import math
import re
from typing import Any, Final, NoReturn, Self

from aiohttp import web

from .request_error import RequestError

TRUE: Final = {"true", "1", "on"}
FALSE: Final = {"false", "0", "off"}
PIN: Final = re.compile(r"[0-9]{4}")
FORMS: Final = {"application/x-www-form-urlencoded", "multipart/form-data"}


class Parameters:
    """The parameters of a request. Reading an invalid one raises the error for a 400 response."""

    def __init__(self, values: Mapping[str, Any], *, is_typed: bool = False) -> None:
        """Wrap the values of a request. `is_typed`: whether each must have its own JSON type."""
        self.values = values
        self._is_typed = is_typed

    def __contains__(self, name: object) -> bool:
        return self.values.get(str(name)) is not None

    def text(self, name: str) -> str:
        value = self.values.get(name)
        types = str if self._is_typed else str | int | float
        if isinstance(value, bool) or not isinstance(value, types):
            reject(name)
        return str(value)

    def number(self, name: str) -> float:
        value = self.values.get(name)
        types = int | float if self._is_typed else str | int | float
        if isinstance(value, bool) or not isinstance(value, types):
            reject(name)
        try:
            number = float(value)
        except ValueError, OverflowError:
            reject(name)
        if not math.isfinite(number):
            reject(name)
        return number

    def lowered(self, name: str) -> Self:
        """Return the parameters with a required number less one."""
        return type(self)({**self.values, name: self.number(name) - 1}, is_typed=self._is_typed)

    def flag(self, name: str) -> bool:
        """Return a required boolean, sent as true, false, 1, 0, on or off in any case."""
        value = self.values.get(name)
        word = str(value).lower()
        if word not in TRUE | FALSE or (self._is_typed and not isinstance(value, bool)):
            reject(name)
        return word in TRUE

    def optional_flag(self, name: str) -> bool:
        return name in self and self.flag(name)

    def choice(self, name: str, choices: Sequence[int]) -> int:
        """Return a required number that is one of several."""
        number = self.number(name)
        if number not in choices:
            reject(name)
        return int(number)

    def pin(self, name: str) -> str:
        pin = self.text(name)
        if not PIN.fullmatch(pin):
            reject(name)
        return pin

    def first(self, *names: str) -> str:
        """Return a required text that may have any of several names."""
        return self.text(next((name for name in names if name in self), names[0]))


def reject(name: str) -> NoReturn:
    raise RequestError(400, "invalid_request", f"parameter {name} is missing or invalid")


async def read_parameters(request: web.Request) -> Parameters:
    """Return the parameters of a request. The query takes precedence over the body."""
    return Parameters({**await read_body(request), **request.query})


async def read_json_parameters(request: web.Request) -> Parameters:
    """Return the parameters in the JSON body of a request, without those in its query."""
    return Parameters(await read_body(request, allow_form=False), is_typed=True)


async def read_body(request: web.Request, *, allow_form: bool = True) -> Mapping[str, Any]:
    try:
        if allow_form and request.content_type in FORMS:
            return {name: _text(value) for name, value in (await request.post()).items()}
        text = await request.text()
        values = json.loads(text, parse_constant=_reject_constant) if text.strip() else {}
    # An unknown charset is a LookupError.
    except LookupError, ValueError, RecursionError:
        raise RequestError(400, "invalid_request", "the body is not valid JSON or form data") from None
    if not isinstance(values, dict):
        raise RequestError(400, "invalid_request", "the body is not a JSON object")
    return values


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError  # noqa: TRY004 - an uploaded file is an invalid value, not a wrong type in the code
    return value


def _reject_constant(_: str) -> None:
    """Reject NaN and Infinity, which are not JSON."""
    raise ValueError
