"""The parameters of a request, from its query, form or JSON body."""

from collections.abc import Mapping
import json
import math
import re
from typing import Any, Final, NoReturn

from aiohttp import web

from .request_error import RequestError

TRUE: Final = {"true", "1", "on"}
FALSE: Final = {"false", "0", "off"}
PIN: Final = re.compile(r"[0-9]{4}")
FORMS: Final = {"application/x-www-form-urlencoded", "multipart/form-data"}


class Parameters:
    """The parameters of a request. Reading an invalid one raises the error for a 400 response."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def __contains__(self, name: object) -> bool:
        return self.values.get(str(name)) is not None

    def text(self, name: str) -> str:
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            reject(name)
        return str(value)

    def number(self, name: str) -> float:
        try:
            number = float(Parameters.text(self, name))
        except ValueError:
            reject(name)
        if not math.isfinite(number):
            reject(name)
        return number

    def flag(self, name: str) -> bool:
        """Return a required boolean, sent as true, false, 1, 0, on or off in any case."""
        word = str(self.values.get(name)).lower()
        if word not in TRUE | FALSE:
            reject(name)
        return word in TRUE

    def pin(self, name: str) -> str:
        pin = self.text(name)
        if not PIN.fullmatch(pin):
            reject(name)
        return pin

    def first(self, *names: str) -> str:
        return self.text(next((name for name in names if name in self), names[0]))


def reject(name: str) -> NoReturn:
    raise RequestError(400, "invalid_request", f"parameter {name} is missing or invalid")


async def read_parameters(request: web.Request) -> Parameters:
    """Return the parameters of a request. The query takes precedence over the body."""
    return Parameters({**await read_body(request), **request.query})


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
