"""The transports of live data, and the messages of both services."""

from datetime import UTC, datetime
from typing import Any, Final

from aiohttp import ClientSession, web
import pytest
from yarl import URL

from custom_components.vehicle_remote_access.api import errors
from custom_components.vehicle_remote_access.api.stream import Message, messages, read_message

from .conftest import TOKEN, Handler, answer_with, serving

VIN: Final = "5YJ3E1EA7KF000316"
LOCKED: Final = (
    f'{{"vin": "{VIN}", "createdAt": "2026-02-24T04:58:44.983607402Z", "data": {{"Locked": true}}}}'
)


async def received(handler: Handler, scheme: str = "http") -> list[Message | None]:
    """Return what a stream of this server yields until it ends."""
    async with serving(handler) as server, ClientSession() as session:
        return [message async for message in messages(session, URL(server.url).with_scheme(scheme), TOKEN)]


def events(*chunks: bytes) -> Handler:
    """Return a handler that sends server-sent events in these chunks, and ends."""

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        assert request.headers["Authorization"] == f"Bearer {TOKEN}"
        assert TOKEN not in request.path_qs
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for chunk in chunks:
            await response.write(chunk)
        return response

    return handler


async def test_events() -> None:
    """Server-sent events are read, also if a line comes in parts. What is no message is skipped."""
    line = f"data: {LOCKED}\n\n".encode()
    chunks = b"event: data\n", line[:30], line[30:], b": ping\n\ndata: {\n\ndata: 1\n\n", line, b"data: {"
    opened, *read = await received(events(*chunks))
    assert opened is None
    assert [message and message.signals for message in read] == [{"Locked": True}] * 2


@pytest.mark.parametrize("scheme", ["http", "ws"])
@pytest.mark.parametrize(
    ("code", "error"),
    [
        (401, errors.AuthenticationError),
        (403, errors.PermissionDeniedError),
        (307, errors.ServiceDownError),
        (502, errors.ServiceDownError),
    ],
)
async def test_refused(code: int, error: type[errors.ServiceError], scheme: str) -> None:
    """A refused token is told apart from a service that fails. A token is not sent to another address."""
    with pytest.raises(error):
        await received(answer_with(b"", code, {"Location": "/elsewhere"}), scheme)


async def test_unreachable() -> None:
    """A service that can't be reached is a failure of the service."""
    async with ClientSession() as session:
        for url in (URL("http://127.0.0.1:1/sse"), URL("ws://127.0.0.1:1")):
            with pytest.raises(errors.NotSentError):
                await anext(messages(session, url, TOKEN))


async def test_endless_line() -> None:
    """A line without an end closes the stream instead of filling the memory."""
    with pytest.raises(errors.ServiceDownError):
        await received(events(b"data: ", *[b"x" * 2**16] * 8))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            LOCKED,
            {"sent_at": datetime(2026, 2, 24, 4, 58, 44, 983607, UTC), "signals": {"Locked": True}},
        ),
        (
            f"""{{"vin": "{VIN}", "createdAt": "2026-02-24T04:58:44", "data": [
                {{"key": "Soc", "value": {{"doubleValue": 56.5}}}},
                {{"key": "Gear", "value": {{"shiftStateValue": "ShiftStateD"}}}},
                {{"key": "InsideTemp", "value": {{"invalid": true}}}},
                {{"key": 5, "value": {{"a": 1}}}}, {{"value": {{}}}}, {{"key": "Odometer", "value": {{}}}}, 7
            ]}}""",
            {
                "sent_at": datetime(2026, 2, 24, 4, 58, 44, tzinfo=UTC),
                "signals": {"Soc": 56.5, "Gear": "ShiftStateD", "InsideTemp": None},
            },
        ),
        (f'{{"vin": "{VIN}", "state": "asleep", "createdAt": 5}}', {"state": "asleep"}),
        (f'{{"vin": "{VIN}", "vehicle_data": {{"charge_state": {{}}}}}}', {"record": {"charge_state": {}}}),
        (f'{{"vin": "{VIN}", "connectionId": "a", "status": "DISCONNECTED"}}', {"is_connected": False}),
        (f'{{"vin": "{VIN}", "alerts": [], "data": "?", "status": 3, "vehicle_data": {{"id": 1}}}}', {}),
    ],
    ids=["object", "list", "state", "record", "connectivity", "nothing"],
)
def test_message(text: str, expected: dict[str, Any]) -> None:
    """A message of either service says the same."""
    nothing = Message(VIN, None, {}, None, None, None)
    assert read_message(text) == nothing._replace(**expected)


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"vin": 5}', "[" * 100_000])
def test_no_message(text: str) -> None:
    assert read_message(text) is None
