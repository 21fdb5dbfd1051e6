"""What came back: a status, headers and a body, and what they mean.

Interface document, "Errors". Nothing here asks anybody anything.
"""

from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
import json
from math import isfinite
import re
import time
from typing import Any, Final

import orjson
from yarl import URL

from .commands import Command, Endpoint
from .errors import (
    AccountLockedError,
    AsleepError,
    AuthenticationError,
    CarFailsError,
    ClientRefusedError,
    InServiceError,
    InvalidRequestError,
    MalformedAnswerError,
    MobileAccessDisabledError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitedError,
    RedirectedError,
    RefusedError,
    ServiceDownError,
    ServiceError,
    SigningRequiredError,
    UnavailableError,
    WrongPlaceError,
)

_OK: Final = range(200, 300)
_MOVED: Final = range(300, 400)
_TOO_MANY: Final = 429
# A proxy, a captive portal or another web server answers with these too, and then with a page in HTML.
_ALSO_OF_PROXIES: Final = frozenset({401, 402, 403, 404, 405, 451})
# No service has so many steps from the outside of an answer to its inside.
_DEEPEST: Final = 64
# Takes the place of a value that is none. Null would not do: with some fields it has a meaning. Nor would
# what counts as nothing: an error that nobody can read is an error all the same.
_MEANINGLESS: Final = ("?",)
# Digits; no service counts further.
_LONGEST_NUMBER: Final = 20

_RETRY_AFTER: Final = 300.0
_RETRY_AFTER_QUOTA: Final = 900.0
_RETRY_AFTER_MOST: Final = 86_400.0

# Status codes, words that the service must have said with them, and what it means; the first that fits.
# 200 stands for an error that comes with the status of a success: then only its words tell.
_CAUSES: Final[tuple[tuple[tuple[int, ...], str, type[ServiceError]], ...]] = (
    ((200, 401, 403, 405), "mobile_access", MobileAccessDisabledError),
    ((401, 403, 405), "mobile", MobileAccessDisabledError),
    ((401,), "", AuthenticationError),
    ((200, 403), "command protocol", SigningRequiredError),
    ((200,), "missing scopes", PermissionDeniedError),
    ((402, 403), "", PermissionDeniedError),
    ((200,), "in service", InServiceError),
    ((405,), "service", InServiceError),
    ((404, 405), "", NotFoundError),
    ((200, 408), "vehicle unavailable", AsleepError),
    ((423,), "", AccountLockedError),
    ((421, 451), "", WrongPlaceError),
    ((503,), "vehicle is not available", UnavailableError),
    ((540,), "", CarFailsError),
    ((400, 406, 412, 422), "", InvalidRequestError),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from the service."""

    endpoint: Endpoint
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's JSON, or None where it is none."""
        try:
            found = orjson.loads(self.body)
        except orjson.JSONDecodeError:
            found = _salvaged(self.body)
        # Looked for only where it can be: hardly any answer has so many brackets.
        may_be_deep = self.body.count(b"{") + self.body.count(b"[") > _DEEPEST
        return _pruned(found, _DEEPEST) if may_be_deep else found

    @property
    def _is_html(self) -> bool:
        return self.body.removeprefix(BOM_UTF8).lstrip().startswith(b"<")

    @property
    def detail(self) -> str:
        """What the service says went wrong, in its own words."""
        return _said(self.json)

    def opened(self) -> Any:
        """Return what the envelope holds; None for an empty answer to a POST.

        Raises what the status and the words mean: a `ServiceError`.
        """
        if self.status not in _OK:
            raise self._failure()
        if not self.body and self.endpoint.method == "POST":
            return None
        body = self.json
        if not isinstance(body, dict) or "response" not in body:
            raise MalformedAnswerError(_said(body))
        if body.get("error"):
            raise self._failure_in_words(_said(body))
        if body["response"] is None and isinstance(self.endpoint, Command):
            raise MalformedAnswerError(_said(body))
        return body["response"]

    def _failure(self) -> ServiceError:
        """Return what a status code and the words with it mean."""
        detail = self.detail
        if self.status in _MOVED:
            return RedirectedError(_host(self.headers.get("Location", "")))
        if self.status == _TOO_MANY:
            return RateLimitedError(self.retry_after or _RETRY_AFTER, detail)
        if self.status in _ALSO_OF_PROXIES and self._is_html:
            return MalformedAnswerError()
        if self.status == 412 and self.endpoint.method == "GET":  # noqa: PLR2004 - precondition failed
            # A command has conditions, a read has none but who asks.
            return ClientRefusedError(detail)
        return _meant(self.status, detail) or ServiceDownError(detail)

    def _failure_in_words(self, detail: str) -> ServiceError:
        """Return what an error means that comes with the status of a success."""
        if (meant := _meant(200, detail)) is not None:
            return meant
        if "timeout" in detail.lower() or not isinstance(self.endpoint, Command):
            return ServiceDownError(detail)
        return RefusedError(detail)

    @property
    def retry_after(self) -> float:
        """For how many seconds the service wants to be left alone: its header or its words; 0 if neither."""
        spoken = re.search(rb'retry in (\d+) seconds|"after": *(\d+)', self.body.lower())
        named = (_seconds(self.headers.get("Retry-After", "")), *(spoken.groups("0") if spoken else ()))
        return min(max(map(float, named)), _RETRY_AFTER_MOST)


def _meant(status: int, detail: str) -> ServiceError | None:
    said = detail.lower()
    if "exceeded_limit" in said:
        return RateLimitedError(_RETRY_AFTER_QUOTA, detail)
    for statuses, words, cause in _CAUSES:
        if status in statuses and words in said:
            return cause(detail)
    return None


def _said(body: Any) -> str:
    if isinstance(body, dict):
        for key in ("error", "error_description", "reason"):
            if isinstance(text := body.get(key), str) and text:
                return text
    return ""


def _seconds(retry_after: str) -> float:
    """Return the seconds that the header names: a number, or the moment until which to wait."""
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            until = parsedate_to_datetime(retry_after)
        except ValueError:
            return 0.0
        seconds = until.replace(tzinfo=until.tzinfo or UTC).timestamp() - time.time()
    return max(0.0, seconds)


def _host(location: str) -> str:
    """Return the host of an address, empty if it has none."""
    try:
        return URL(location).host or ""
    except ValueError:
        return ""


def _salvaged(body: bytes) -> Any:
    """Return JSON that is none by the letter, without the values that break it; None if all is lost.

    NaN, numbers of hundreds of digits and broken characters cost what they stand for, and nothing beside it.
    """
    try:
        found = json.loads(
            body.decode(errors="replace"),
            parse_constant=lambda _: _MEANINGLESS,
            parse_float=_finite,
            parse_int=lambda digits: int(digits) if len(digits) <= _LONGEST_NUMBER else _MEANINGLESS,
        )
        return orjson.loads(json.dumps(found, ensure_ascii=False).encode(errors="replace"))
    except ValueError, RecursionError:
        return None


def _finite(digits: str) -> Any:
    return number if isfinite(number := float(digits)) else _MEANINGLESS


def _pruned(value: Any, left: int) -> Any:
    """Return a value without what lies deeper in it than so many steps: nothing here can write that down."""
    if not isinstance(value, dict | list):
        return value
    if not left:
        return _MEANINGLESS
    if isinstance(value, list):
        return [_pruned(each, left - 1) for each in value]
    return {name: _pruned(each, left - 1) for name, each in value.items()}
