"""The connection over which a service streams the changes of cars.

Teslemetry sends server-sent events, on one connection for all cars (Python package `teslemetry-stream`).
Tessie has a web socket for each car (developer.tessie.com/reference/access-tesla-fleet-telemetry).
"""

from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import aiohttp
from aiohttp.http import HttpProcessingError
import orjson
from yarl import URL

from . import errors
from .records import ChargeState, Vehicle
from .response import limit_depth
from .value_types import TEXT

# A service sends something, or answers a ping, at least every 30 seconds.
_LONGEST_SILENCE: Final = 60.0
_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=_LONGEST_SILENCE)
_ERRORS: Final = {
    401: errors.AuthenticationError,
    402: errors.PaymentRequiredError,
    403: errors.PermissionDeniedError,
}


class Message(NamedTuple):
    """The content of a message about one car."""

    vin: str
    sent_at: datetime | None
    """By the car's clock."""
    signals: Mapping[str, Any]
    """Values by the name of the signal; None if the car does not know one now."""
    record: Mapping[str, Any] | None
    """The answer to a live read of another client."""
    state: str | None
    """The car's state, for example `asleep`."""
    is_connected: bool | None
    """Whether the car is connected to the service."""


async def messages(session: aiohttp.ClientSession, url: URL, token: str) -> AsyncGenerator[Message | None]:
    """Connect, yield None, and then each message about a car.

    Ends with the connection. Raises ServiceError if that fails, or if nothing is said for too long.
    """
    receive = _web_socket if url.scheme.startswith("ws") else _server_sent_events
    try:
        async for text in receive(session, url, {"Authorization": f"Bearer {token}"}):
            if text is None:
                yield None
            elif (message := read_message(text)) is not None:
                yield message
    except aiohttp.ClientResponseError as error:
        raise _ERRORS.get(error.status, errors.ServiceDownError) from None
    except aiohttp.ClientConnectorError:
        raise errors.NotSentError from None
    except aiohttp.ClientError, HttpProcessingError, TimeoutError, OSError, RuntimeError, ValueError:
        # HttpProcessingError and ValueError: a line without an end. RuntimeError: the session was closed.
        raise errors.ServiceDownError from None


async def _server_sent_events(
    session: aiohttp.ClientSession, url: URL, headers: dict[str, str]
) -> AsyncGenerator[bytes | str | None]:
    headers["Accept"] = "text/event-stream"
    async with session.get(url, headers=headers, timeout=_TIMEOUT, allow_redirects=False) as response:
        if response.status != 200:  # noqa: PLR2004 - a redirect, too, has no events
            response.raise_for_status()
            raise errors.ServiceDownError
        yield None
        async for line in response.content:
            name, _, value = line.partition(b":")
            if name == b"data":
                yield value


async def _refuse_redirect(*_: object) -> None:
    raise errors.ServiceDownError


_NO_REDIRECTS: Final = aiohttp.TraceConfig()
_NO_REDIRECTS.on_request_redirect.append(_refuse_redirect)


async def _web_socket(
    session: aiohttp.ClientSession, url: URL, headers: dict[str, str]
) -> AsyncGenerator[bytes | str | None]:
    if session.closed:
        raise errors.ServiceDownError
    async with (
        # `ws_connect` follows redirects, which could lead to any address in the owner's network.
        aiohttp.ClientSession(
            connector=session.connector,
            connector_owner=False,
            headers=session.headers,
            trace_configs=[_NO_REDIRECTS],
        ) as own,
        own.ws_connect(url, headers=headers, heartbeat=_LONGEST_SILENCE / 2) as socket,
    ):
        yield None
        async for frame in socket:
            if frame.type is aiohttp.WSMsgType.TEXT:
                yield frame.data


def read_message(text: str | bytes) -> Message | None:
    """Return the content of a message about a car, or None for any other message."""
    try:
        message = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(message, dict) or (vin := Vehicle.vin.read(message)) is None:
        return None
    record, status = message.get("vehicle_data"), message.get("status")
    has_records = isinstance(record, dict) and isinstance(record.get(ChargeState.key), dict)
    return Message(
        vin,
        _read_time(message.get("createdAt")),
        _read_signals(message.get("data")),
        limit_depth(record) if has_records else None,
        TEXT.read(message.get("state")),
        status == "CONNECTED" if isinstance(status, str) else None,
    )


def _read_time(raw: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(raw)
    except TypeError, ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_signals(data: Any) -> dict[str, Any]:
    """Return values by the name of the signal. Tessie's are in a list, each with the name of its type."""
    if isinstance(data, dict):
        return data
    signals: dict[str, Any] = {}
    for signal in data if isinstance(data, list) else ():
        name, typed = (signal.get("key"), signal.get("value")) if isinstance(signal, dict) else (None, None)
        if isinstance(name, str) and isinstance(typed, dict) and typed:
            signals[name] = None if "invalid" in typed else next(iter(typed.values()))
    return signals
