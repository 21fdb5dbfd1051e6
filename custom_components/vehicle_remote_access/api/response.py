"""A response of the service and its meaning: a value or an error.

Interface document, "Errors". This module sends no requests.
"""

from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
import json
from math import isfinite
import re
import time
from typing import Any, Final, NamedTuple

import aiohttp
import orjson
from yarl import URL

from . import errors
from .commands import Command, Endpoint

_SUCCESS: Final = range(200, 300)
_REDIRECT: Final = range(300, 400)
# Proxies, captive portals and other web servers also use these, with an HTML page.
_PROXY_STATUSES: Final = frozenset({401, 402, 403, 404, 405, 451})
_MAX_BODY_SIZE: Final = 4 * 2**20
# Deeper JSON is not from the service, and could not be stored.
_MAX_DEPTH: Final = 64
# Replaces an invalid value. Null has a meaning in some fields, and a falsy value would hide an `error`.
_INVALID_VALUE: Final = ("?",)
_MAX_DIGITS: Final = 20
# More requests are no limit, and could be too many to calculate with.
_LARGEST_QUOTA: Final = 10**9

# Seconds
_DEFAULT_RETRY_AFTER: Final = 300.0
_QUOTA_RETRY_AFTER: Final = 900.0
LONGEST_PAUSE: Final = 86_400.0
# A longer time until a quota ends is a date.
_LONGEST_QUOTA: Final = 1e9
# A later end, for example in milliseconds, would stop all requests.
_LONGEST_PERIOD: Final = 32 * 86_400.0

# Status codes, a text that the error must contain, and the error class. The first match counts.
# 200 is for errors in a successful response, where only the text is known.
_ERRORS: Final[tuple[tuple[tuple[int, ...], str, type[errors.ServiceError]], ...]] = (
    ((200, 401, 403, 405), "mobile_access", errors.MobileAccessDisabledError),
    ((401, 403, 405), "mobile", errors.MobileAccessDisabledError),
    ((401,), "", errors.AuthenticationError),
    ((200, 403), "command protocol", errors.SigningRequiredError),
    ((200,), "missing scopes", errors.PermissionDeniedError),
    ((402,), "", errors.PaymentRequiredError),
    ((403,), "", errors.PermissionDeniedError),
    ((200,), "in service", errors.InServiceError),
    ((405,), "service", errors.InServiceError),
    ((404, 405), "", errors.NotFoundError),
    # 500 is from Tesla's proxy that signs commands.
    ((200, 408, 500), "vehicle unavailable", errors.AsleepError),
    ((500,), "public key has not been paired", errors.SigningRequiredError),
    ((423,), "", errors.AccountLockedError),
    ((421, 451), "", errors.WrongRegionError),
    ((503,), "vehicle is not available", errors.UnavailableError),
    ((540,), "", errors.VehicleUpstreamError),
    ((400, 406, 412, 422), "", errors.InvalidRequestError),
)


class Quota(NamedTuple):
    """How many requests a service still accepts."""

    remaining: int
    ends_at: float
    """When the service accepts more, in Unix seconds."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response of the service."""

    endpoint: Endpoint
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON, None if it isn't JSON."""
        try:
            value = orjson.loads(self.body)
        except orjson.JSONDecodeError:
            value = _parse_lenient(self.body)
        # Responses are rarely large enough to be too deep, so most skip the costly copy.
        may_be_deep = self.body.count(b"{") + self.body.count(b"[") > _MAX_DEPTH
        return limit_depth(value) if may_be_deep else value

    def unwrap(self) -> Any:
        """Return the value of `response`, None for an empty response to a POST.

        For a command, return whether it was needed. Raises the ServiceError that the answer means.
        """
        if self.status not in _SUCCESS:
            raise self._status_error()
        if not self.body and self.endpoint.method == "POST":
            return True if self.endpoint.has_result else None
        body = self.json
        if not isinstance(body, dict) or (self.endpoint.is_wrapped and "response" not in body):
            raise errors.MalformedResponseError(_error_text(body))
        if body.get("error"):
            raise self._success_status_error(_error_text(body))
        value = body["response"] if self.endpoint.is_wrapped else body
        if self.endpoint.has_record and not isinstance(value, dict):
            raise errors.MalformedResponseError
        if isinstance(self.endpoint, Command) and self.endpoint.has_result:
            return _was_needed(self.endpoint, value)
        return value

    @property
    def refuses_token(self) -> bool:
        is_unauthorized = self.status == HTTPStatus.UNAUTHORIZED
        return is_unauthorized and isinstance(self._status_error(), errors.AuthenticationError)

    @property
    def retry_after(self) -> float:
        """The seconds after which the service accepts requests again, from header or text; 0 if neither."""
        seconds = [_retry_after_seconds(self.headers.get("Retry-After", ""))]
        if match := re.search(rb'retry in (\d+) seconds|"after": *(\d+)', self.body.lower()):
            seconds += map(float, match.groups("0"))
        return min(max(seconds), LONGEST_PAUSE)

    @property
    def quota(self) -> Quota | None:
        """The requests that the service still accepts, None if it reports none."""
        for prefix in ("RateLimit", "X-RateLimit"):
            try:
                remaining = int(self.headers[f"{prefix}-Remaining"])
                reset = float(self.headers[f"{prefix}-Reset"])
            except KeyError, ValueError:
                continue
            # Some services send a time instead of seconds.
            ends_at = reset if reset > _LONGEST_QUOTA else time.time() + reset
            is_sensible = isfinite(ends_at) and ends_at - time.time() <= _LONGEST_PERIOD
            return Quota(min(max(remaining, 0), _LARGEST_QUOTA), ends_at) if is_sensible else None
        return None

    def _status_error(self) -> errors.ServiceError:
        body = self.json
        text = _error_text(body)
        if self.status in _REDIRECT:
            return errors.RedirectedError(_host(self.headers.get("Location", "")))
        if self.status == HTTPStatus.TOO_MANY_REQUESTS:
            return errors.RateLimitedError(text, retry_after=self.retry_after or _DEFAULT_RETRY_AFTER)
        if self.status in _PROXY_STATUSES and self._is_html:
            return errors.MalformedResponseError()
        if self.status == HTTPStatus.PRECONDITION_FAILED and self.endpoint.method == "GET":
            # Commands have preconditions. For a read, the service refuses the client.
            return errors.ClientRefusedError(text)
        error = _error_for(self.status, text)
        if error is None:
            error = errors.RefusedError(text) if _is_refused(body) else errors.ServiceDownError(text)
        if isinstance(error, errors.NotFoundError):
            error.is_json = isinstance(body, dict)
        return error

    def _success_status_error(self, text: str) -> errors.ServiceError:
        if (error := _error_for(200, text)) is not None:
            return error
        if "timeout" in text.lower() or not isinstance(self.endpoint, Command):
            return errors.ServiceDownError(text)
        return errors.RefusedError(text)

    @property
    def _is_html(self) -> bool:
        return self.body.removeprefix(BOM_UTF8).lstrip().startswith(b"<")


async def read_body(response: aiohttp.ClientResponse) -> bytes:
    """Return the body of a response. Raises MalformedResponseError if it is far too long."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > _MAX_BODY_SIZE:
            response.close()
            raise errors.MalformedResponseError
    return bytes(body)


def _error_for(status: int, text: str) -> errors.ServiceError | None:
    """Return the error for a status and text, None if they have no specific meaning."""
    lowered = text.lower()
    if "exceeded_limit" in lowered:
        return errors.RateLimitedError(text, retry_after=_QUOTA_RETRY_AFTER)
    for statuses, part, error_class in _ERRORS:
        if status in statuses and part in lowered:
            return error_class(text)
    return None


def _error_text(body: Any) -> str:
    """Return the error text of a body. Services use different keys for it."""
    if isinstance(body, dict):
        for key in ("error", "error_description", "reason"):
            if isinstance(text := body.get(key), str) and text:
                return text
        return _error_text(body.get("response"))
    return ""


def _was_needed(command: Command, result: Any) -> bool:
    """Return whether a command was needed. Raises RefusedError if the car refused it."""
    if not isinstance(result, dict):
        raise errors.MalformedResponseError
    if result.get("result") is True:
        return True
    reason = result.get("reason") or str(result.get("string") or "").rpartition(":")[2]
    refusal = errors.RefusedError(str(reason).strip())
    if refusal.reason in command.noop_reasons:
        return False
    raise refusal


def _is_refused(body: Any) -> bool:
    """Return whether the body of an error says that the command was not carried out. Proxies send this."""
    result = body.get("response") if isinstance(body, dict) else None
    return isinstance(result, dict) and result.get("result") is False


def _retry_after_seconds(header: str) -> float:
    """Return the seconds from a Retry-After header, which is a number or a date."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except ValueError:
            return 0.0
        seconds = date.replace(tzinfo=date.tzinfo or UTC).timestamp() - time.time()
    return max(0.0, seconds)


def _host(location: str) -> str:
    try:
        return URL(location).host or ""
    except ValueError:
        return ""


def _parse_lenient(body: bytes) -> Any:
    """Parse JSON, also with NaN, very long numbers or invalid UTF-8. None if that is impossible."""
    try:
        value = json.loads(
            body.decode(errors="replace"),
            parse_constant=lambda _: _INVALID_VALUE,
            parse_float=lambda digits: number if isfinite(number := float(digits)) else _INVALID_VALUE,
            parse_int=lambda digits: int(digits) if len(digits) <= _MAX_DIGITS else _INVALID_VALUE,
        )
        return orjson.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    except ValueError, RecursionError:
        return None


def limit_depth(value: Any, depth: int = _MAX_DEPTH) -> Any:
    """Return a copy of a JSON value without the values below this depth."""
    if not isinstance(value, dict | list):
        return value
    if not depth:
        return _INVALID_VALUE
    if isinstance(value, list):
        return [limit_depth(item, depth - 1) for item in value]
    return {name: limit_depth(item, depth - 1) for name, item in value.items()}
