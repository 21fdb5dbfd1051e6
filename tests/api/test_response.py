"""Error responses, invalid responses and failed connections. No error contains a secret."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
import json
import socket
import struct
from typing import Any, Final
from urllib.parse import quote_plus

from aiohttp import ClientSession, ClientTimeout, web
from freezegun.api import FrozenDateTimeFactory
import pytest

from custom_components.vehicle_remote_access.api import client as client_module, errors
from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.api.commands import (
    DOOR_LOCK,
    HONK_HORN,
    REMOTE_START_DRIVE,
    SET_VALET_MODE,
    Command,
)
from custom_components.vehicle_remote_access.api.errors import (
    AccountLockedError,
    AsleepError,
    AuthenticationError,
    CertificateError,
    ClientRefusedError,
    InServiceError,
    InvalidRequestError,
    MalformedResponseError,
    MobileAccessDisabledError,
    NotFoundError,
    NotSentError,
    OutcomeUnknownError,
    PermissionDeniedError,
    RateLimitedError,
    RedirectedError,
    RefusedError,
    ServiceDownError,
    ServiceError,
    SigningRequiredError,
    UnavailableError,
    VehicleUpstreamError,
    WrongRegionError,
)
from custom_components.vehicle_remote_access.api.redaction import Secrets
from custom_components.vehicle_remote_access.simulator import Simulator

from .conftest import PASSWORD, PIN, TOKEN, FakeServer, Handler, failure, holds_secret, serving

HTML: Final = "<!DOCTYPE html><html><body>It works!</body></html>"
ASLEEP: Final = "vehicle unavailable: vehicle is offline or asleep"
MEBIBYTE: Final = 2**20
SECRET_VALUES: Final[Mapping[Command, Mapping[str, Any]]] = {
    REMOTE_START_DRIVE: {"password": PASSWORD},
    SET_VALET_MODE: {"on": True, "password": PIN},
}


def envelope(error: str) -> dict[str, Any]:
    """Return the body of an error in the service's format."""
    return {"response": None, "error": error, "error_description": ""}


@pytest.fixture
def short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the client's timeouts."""
    for name in ("_READ_TIMEOUT", "_COMMAND_TIMEOUT"):
        monkeypatch.setattr(client_module, name, ClientTimeout(total=0.25))


# Status codes


@pytest.mark.parametrize(
    ("status", "error", "error_class"),
    [
        (400, "invalid_command", InvalidRequestError),
        (401, "invalid_token", AuthenticationError),
        (401, "", AuthenticationError),
        (401, "mobile_access_disabled", MobileAccessDisabledError),
        (402, "payment required", PermissionDeniedError),
        (403, "Unauthorized missing scopes", PermissionDeniedError),
        (403, "account disabled: EXCEEDED_LIMIT", RateLimitedError),
        (
            403,
            "Tesla Vehicle Command Protocol required, please refer to the documentation",
            SigningRequiredError,
        ),
        (403, "mobile_access_disabled", MobileAccessDisabledError),
        (404, "not_found", NotFoundError),
        (405, "vehicle is currently in service", InServiceError),
        (405, "vehicle is curently in service", InServiceError),
        (405, "mobile_access_disabled", MobileAccessDisabledError),
        (405, "invalid_method", NotFoundError),
        (406, "not_acceptable", InvalidRequestError),
        (408, ASLEEP, AsleepError),
        (408, 'vehicle unavailable: {:error=>"vehicle unavailable:"}', AsleepError),
        (408, '{"error": "timeout"}', ServiceDownError),
        (408, "operation_timedout for http://127.0.0.1", ServiceDownError),
        (412, "condition not met", ClientRefusedError),
        (421, "wrong region", WrongRegionError),
        (422, "invalid data", InvalidRequestError),
        (423, "account locked", AccountLockedError),
        (429, "too many requests", RateLimitedError),
        (451, "privacy", WrongRegionError),
        (499, "client closed request", ServiceDownError),
        (500, "upstream internal error", ServiceDownError),
        (502, "bad gateway", ServiceDownError),
        (503, "maintenance", ServiceDownError),
        (503, "vehicle is not available", UnavailableError),
        (504, "upstream_timeout", ServiceDownError),
        (540, "device unexpected response", VehicleUpstreamError),
    ],
)
async def test_status(
    status: int,
    error: str,
    error_class: type[ServiceError],
    client: Client,
    simulator: Simulator,
    path_id: str,
) -> None:
    """The status and text of a response determine the error, which keeps the text."""
    simulator.faults.answer(status, body=envelope(error))
    found = await failure(client.vehicle_data(path_id))
    assert (type(found), found.detail) == (error_class, error)
    assert len(simulator.requests) == 1


@pytest.mark.parametrize("status", [401, 404, 408, 412, 423, 500, 503, 540])
@pytest.mark.parametrize(
    "body", ["", "plain text", HTML, "[]", '"text"'], ids=["empty", "plain text", "HTML", "list", "text"]
)
async def test_status_without_an_envelope(
    status: int, body: str, client: Client, simulator: Simulator
) -> None:
    """Without an error text, the status alone determines the error."""
    simulator.faults.answer(status, body=body)
    found = await failure(client.vehicle("1"))
    by_status = {
        401: MalformedResponseError if body == HTML else AuthenticationError,
        404: MalformedResponseError if body == HTML else NotFoundError,
        412: ClientRefusedError,
        423: AccountLockedError,
        540: VehicleUpstreamError,
    }
    assert (type(found), found.detail) == (by_status.get(status, ServiceDownError), "")


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"error": "first", "error_description": "second", "reason": "third"}, "first"),
        ({"error": "", "error_description": "second", "reason": "third"}, "second"),
        ({"error": None, "error_description": None, "reason": "third"}, "third"),
        ({"error": {"code": 7}}, ""),
        ({}, ""),
    ],
    ids=repr,
)
async def test_text_of_an_error(body: Any, detail: str, client: Client, simulator: Simulator) -> None:
    """The error text is the first non-empty text of several keys."""
    simulator.faults.answer(500, body=body)
    assert (await failure(client.vehicle("1"))).detail == detail


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        (401, AuthenticationError),
        (403, PermissionDeniedError),
        (404, NotFoundError),
        (400, InvalidRequestError),
        (412, InvalidRequestError),
        (423, AccountLockedError),
        (429, RateLimitedError),
        (500, OutcomeUnknownError),
        (502, OutcomeUnknownError),
        (504, OutcomeUnknownError),
        (540, OutcomeUnknownError),
    ],
)
async def test_status_of_a_command(
    status: int, error_class: type[ServiceError], client: Client, simulator: Simulator
) -> None:
    """The outcome of a command is unknown if the service fails. The client doesn't retry."""
    simulator.faults.answer(status, body=envelope("text"))
    found = await failure(client.send("1", HONK_HORN))
    assert (type(found), found.detail) == (error_class, "text")
    assert len(simulator.requests) == 1


async def test_command_to_a_sleeping_car(client: Client, simulator: Simulator, path_id: str) -> None:
    """A command to a sleeping car raises AsleepError."""
    simulator.vehicles[0].sleep()
    assert isinstance(await failure(client.send(path_id, DOOR_LOCK)), AsleepError)


async def test_command_to_a_car_that_times_out(client: Client, simulator: Simulator, path_id: str) -> None:
    """The outcome of a command is unknown if the car times out."""
    simulator.switches.slow = "timeout"
    assert isinstance(await failure(client.send(path_id, DOOR_LOCK)), OutcomeUnknownError)


# Rate limits


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "120"}, envelope("too many requests"), 120),
        ({}, envelope("Retry in 90 seconds"), 90),
        ({}, "You have been limited. Retry in 90 seconds.", 90),
        ({"Retry-After": "60"}, envelope("Retry in 90 seconds"), 90),
        ({"Retry-After": "120"}, envelope("Retry in 90 seconds"), 120),
        ({}, envelope("too many requests"), 300),
        ({}, HTML, 300),
        ({"Retry-After": "Mon, 04 May 2026 19:02:30 GMT"}, envelope("too many requests"), 150),
        ({"Retry-After": "Mon, 04 May 2026 19:02:30 -0000"}, envelope("too many requests"), 150),
        ({"Retry-After": "Mon, 04 May 2026 18:00:00 GMT"}, envelope("too many requests"), 300),
        ({"Retry-After": "Mon, 04 May 2099 19:00:00 GMT"}, envelope("too many requests"), 86_400),
        ({"Retry-After": "soon"}, envelope("too many requests"), 300),
        ({"Retry-After": "nan"}, envelope("too many requests"), 300),
        ({"Retry-After": "1.5"}, envelope("too many requests"), 1.5),
        ({}, {"error": "too many requests", "after": 240}, 240),
        ({"Retry-After": "0"}, envelope("too many requests"), 300),
        ({"Retry-After": "-5"}, envelope("too many requests"), 300),
        ({"Retry-After": "999999"}, envelope("too many requests"), 86_400),
        ({"Retry-After": "9" * 400}, envelope("too many requests"), 86_400),
    ],
    ids=[
        "header",
        "text",
        "plain text",
        "longer in the text",
        "longer in the header",
        "neither",
        "HTML",
        "date",
        "date without a time zone",
        "past date",
        "distant date",
        "not a date",
        "NaN",
        "fraction",
        "key in the body",
        "zero",
        "negative",
        "more than a day",
        "more than a float",
    ],
)
async def test_retry_after(
    headers: dict[str, str],
    body: Any,
    seconds: float,
    freezer: FrozenDateTimeFactory,
    client: Client,
    simulator: Simulator,
) -> None:
    """The retry time is from the header or the text, 5 minutes by default, and at most a day."""
    freezer.move_to("2026-05-04T19:00:00Z")
    simulator.faults.answer(429, headers=headers, body=body)
    error = await failure(client.vehicles())
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == seconds


async def test_quota(client: Client, simulator: Simulator) -> None:
    """The default retry time of an account over its quota is 15 minutes."""
    simulator.switches.forbid = "account disabled: EXCEEDED_LIMIT"
    error = await failure(client.vehicles())
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == 900


async def test_nothing_is_sent_during_a_pause(
    freezer: FrozenDateTimeFactory, client: Client, simulator: Simulator, path_id: str
) -> None:
    """During a pause no reads or commands are sent. The error contains the remaining time."""
    simulator.faults.answer(429, headers={"Retry-After": "120"})
    await failure(client.vehicles())
    freezer.tick(50)
    for request in (client.vehicles(), client.vehicle(path_id), client.send(path_id, DOOR_LOCK)):
        error = await failure(request)
        assert isinstance(error, RateLimitedError)
        assert error.retry_after == pytest.approx(70)
        assert error.placeholders == {"minutes": "2"}
    assert client.pause_left == pytest.approx(70)
    assert len(simulator.requests) == 1


async def test_requests_after_a_pause(
    freezer: FrozenDateTimeFactory, client: Client, simulator: Simulator
) -> None:
    """Requests are sent again after the pause."""
    simulator.faults.answer(429, headers={"Retry-After": "120"})
    await failure(client.vehicles())
    freezer.tick(120.1)
    assert client.pause_left == 0
    assert len(await client.vehicles()) == 1


@pytest.mark.parametrize("status", [403, 500, 503])
async def test_retry_after_of_other_errors(status: int, client: Client, simulator: Simulator) -> None:
    """A retry time pauses requests after any error."""
    simulator.faults.answer(status, headers={"Retry-After": "120"})
    error = await failure(client.vehicles())
    assert error.retry_after == 120
    assert isinstance(await failure(client.vehicles()), RateLimitedError)
    assert len(simulator.requests) == 1


async def test_sleep_is_no_reason_to_pause(client: Client, simulator: Simulator) -> None:
    """A sleeping car doesn't pause requests, even with a retry time."""
    simulator.faults.answer(408, body=envelope(ASLEEP), headers={"Retry-After": "120"})
    assert isinstance(await failure(client.vehicle_data("1")), AsleepError)
    assert len(await client.vehicles()) == 1


async def test_restored_pause(freezer: FrozenDateTimeFactory, client: Client, simulator: Simulator) -> None:
    """A pause can be set, for example after a restart. A shorter one doesn't shorten it."""
    client.pause(60)
    client.pause(20)
    freezer.tick(40)
    assert isinstance(await failure(client.vehicles()), RateLimitedError)
    freezer.tick(20.1)
    assert len(await client.vehicles()) == 1


async def test_errors_without_retry_after(client: Client, simulator: Simulator) -> None:
    """Errors without a retry time don't pause requests."""
    simulator.faults.answer(500)
    await failure(client.vehicles())
    assert client.pause_left == 0
    assert len(await client.vehicles()) == 1


@pytest.mark.parametrize(("seconds", "minutes"), [(1, "1"), (60, "1"), (61, "2"), (300, "5")])
def test_minutes(seconds: float, minutes: str) -> None:
    """The message has whole minutes, rounded up."""
    assert RateLimitedError(seconds).placeholders == {"minutes": minutes}


# Invalid responses


@pytest.mark.parametrize(
    "body",
    [
        HTML,
        "",
        "null",
        "[]",
        '"text"',
        "7",
        "{}",
        '{"result": true}',
        '{"response": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"response": {"id": 1}',
        '{"response": null}',
        '{"response": []}',
        '{"response": "text"}',
    ],
    ids=[
        "HTML",
        "empty",
        "null",
        "list",
        "text",
        "number",
        "empty object",
        "no envelope",
        "deep nesting",
        "truncated",
        "response null",
        "response a list",
        "response a text",
    ],
)
async def test_invalid_response_to_a_read(body: str, client: Client, simulator: Simulator) -> None:
    """A response without a vehicle's record is malformed."""
    simulator.faults.answer(200, body=body)
    assert type(await failure(client.vehicle("1"))) is MalformedResponseError


@pytest.mark.parametrize("response", [None, {}, "text", 7], ids=repr)
async def test_invalid_list(response: Any, client: Client, simulator: Simulator) -> None:
    """A vehicle list that isn't a list is malformed."""
    simulator.faults.answer(200, body={"response": response})
    assert type(await failure(client.vehicles())) is MalformedResponseError


@pytest.mark.parametrize("body", [HTML, "null", "[]", "{}", '{"result": true}', " "], ids=repr)
async def test_invalid_response_to_a_command(body: str, client: Client, simulator: Simulator) -> None:
    """The outcome of a command is unknown after an invalid response."""
    simulator.faults.answer(200, body=body)
    assert type(await failure(client.send("1", HONK_HORN))) is OutcomeUnknownError


@pytest.mark.parametrize("status", [401, 402, 403, 404, 405, 451])
async def test_other_web_server(status: int, client: Client, simulator: Simulator) -> None:
    """An HTML page with one of these statuses is from another web server, so it is malformed."""
    simulator.faults.answer(status, body=f"\n {HTML}")
    assert type(await failure(client.vehicle("1"))) is MalformedResponseError


@pytest.mark.parametrize(
    ("error", "error_class"),
    [
        ("upstream_timeout", ServiceDownError),
        ("internal", ServiceDownError),
        ("vehicle is currently in service", InServiceError),
        (ASLEEP, AsleepError),
    ],
)
async def test_read_error_with_status_200(
    error: str, error_class: type[ServiceError], client: Client, simulator: Simulator
) -> None:
    """The error text of a successful response determines the error."""
    simulator.faults.answer(200, body=envelope(error))
    found = await failure(client.vehicle("1"))
    assert (type(found), found.detail) == (error_class, error)


async def test_timeout_with_status_200(client: Client, simulator: Simulator) -> None:
    """The outcome of a command is unknown after a timeout in a successful response."""
    simulator.faults.answer(200, body=envelope("upstream_timeout"))
    assert type(await failure(client.send("1", HONK_HORN))) is OutcomeUnknownError


async def test_unreachable_car(client: Client, simulator: Simulator) -> None:
    """An unreachable car is unavailable. The outcome of a command that isn't repeatable is unknown."""
    simulator.faults.answer(503, body=envelope("vehicle is not available"), times=2)
    assert type(await failure(client.send("1", DOOR_LOCK))) is UnavailableError
    assert type(await failure(client.send("1", HONK_HORN))) is OutcomeUnknownError


async def test_error_beside_a_response(client: Client, simulator: Simulator) -> None:
    """An error text has precedence over a result."""
    simulator.faults.answer(200, body={"response": {"result": True}, "error": "invalid_command"})
    found = await failure(client.send("1", DOOR_LOCK))
    assert (type(found), found.detail) == (RefusedError, "invalid_command")


async def test_error_without_an_envelope(client: Client, simulator: Simulator) -> None:
    """A malformed response keeps its error text."""
    simulator.faults.answer(200, body={"error": "no such host"})
    found = await failure(client.vehicle("1"))
    assert (type(found), found.detail) == (MalformedResponseError, "no such host")


@pytest.mark.parametrize(
    ("value", "parsed"),
    [
        (b"NaN", ["?"]),
        (b"-Infinity", ["?"]),
        (b"1" + b"0" * 400, ["?"]),
        (b"1" + b"0" * 5000, ["?"]),
        (b"1e400", ["?"]),
        (b"1.5", 1.5),
        (str(2**63).encode(), 2**63),
        (b'"Zo\xff"', "Zo\N{REPLACEMENT CHARACTER}"),
        (b'"Zo\\ud800"', "Zo?"),
    ],
    ids=[
        "NaN",
        "infinity",
        "400 digits",
        "5000 digits",
        "1e400",
        "1.5",
        "2^63",
        "invalid UTF-8",
        "lone surrogate",
    ],
)
async def test_invalid_json_value(value: bytes, parsed: Any, session: ClientSession) -> None:
    """A value that isn't valid JSON is replaced, and all other values are kept."""
    body = b'{"response": {"vin": "5YJ", "broken": %s, "also": NaN, "deep": [{"id": 7}]}}' % value
    async with serving(body_handler(body)) as server:
        record = await Client(session, server.url, TOKEN).vehicle("1")
    assert record == {"vin": "5YJ", "broken": parsed, "also": ["?"], "deep": [{"id": 7}]}


async def test_invalid_error_value(session: ClientSession) -> None:
    """An `error` that isn't valid JSON is still an error."""
    async with serving(body_handler(b'{"response": {}, "error": 1' + b"0" * 400 + b"}")) as server:
        with pytest.raises(ServiceError):
            await Client(session, server.url, TOKEN).vehicle_data("1")


@pytest.mark.parametrize(("depth", "is_kept"), [(60, True), (70, False), (900, False)])
async def test_deep_value(depth: int, is_kept: bool, session: ClientSession) -> None:  # noqa: FBT001 - a case
    """A value that is too deep is cut off, and all other values are kept."""
    body = b'{"response": {"vin": "5YJ", "deep": %s7%s}}' % (b"[" * depth, b"]" * depth)
    async with serving(body_handler(body)) as server:
        record = await Client(session, server.url, TOKEN).vehicle("1")
    assert record["vin"] == "5YJ"
    assert ("7" in json.dumps(record["deep"])) is is_kept


async def test_binary_response(session: ClientSession) -> None:
    """A response that isn't text is malformed."""
    async with serving(body_handler(b"\xff\xfe")) as server:
        assert type(await failure(Client(session, server.url, TOKEN).vehicle("1"))) is MalformedResponseError


def body_handler(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Handler:
    """Return a handler that always responds with this body."""

    async def handle(request: web.BaseRequest) -> web.Response:
        return web.Response(body=body, status=status, headers=headers)

    return handle


# Large responses


class Flood:
    """A handler that writes until the client closes the connection."""

    def __init__(self, length: int | None) -> None:
        """Prepare a response with this content length, None for an endless one."""
        self.length = length
        self.written = 0
        self.stopped = asyncio.Event()

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Write the response and count its bytes."""
        response = web.StreamResponse()
        response.content_length = self.length
        await response.prepare(request)
        try:
            while self.written < (self.length or 100 * MEBIBYTE):
                await response.write(bytes(65536))
                self.written += 65536
        finally:
            self.stopped.set()
        return response


@pytest.mark.parametrize("length", [None, 50 * MEBIBYTE], ids=["endless", "50 MB"])
async def test_response_that_is_too_long(length: int | None, session: ClientSession) -> None:
    """The client stops reading a response that is too long."""
    flood = Flood(length)
    async with serving(flood) as server:
        error = await failure(Client(session, server.url, TOKEN).vehicle_data("1"))
        await flood.stopped.wait()
    assert type(error) is MalformedResponseError
    assert flood.written < 20 * MEBIBYTE


async def test_response_that_is_too_long_after_a_command(session: ClientSession) -> None:
    """The outcome of a command is unknown after a response that is too long."""
    flood = Flood(None)
    async with serving(flood) as server:
        error = await failure(Client(session, server.url, TOKEN).send("1", HONK_HORN))
        await flood.stopped.wait()
    assert type(error) is OutcomeUnknownError


async def test_large_response(session: ClientSession) -> None:
    """A response of four megabytes is accepted."""
    body = json.dumps({"response": {"vin": "x" * (4 * MEBIBYTE - 100)}}).encode()
    async with serving(body_handler(body)) as server:
        record = await Client(session, server.url, TOKEN).vehicle("1")
    assert len(record["vin"]) == 4 * MEBIBYTE - 100


# Redirects


@asynccontextmanager
async def redirecting(status: int, location: str = "") -> AsyncIterator[tuple[FakeServer, FakeServer]]:
    """Run a server that redirects to another server, which accepts all requests."""
    async with serving(body_handler(b'{"response": {"result": true}}')) as target:
        location = location or f"{target.url}/api/1/vehicles/1?password={quote_plus(PASSWORD)}"
        async with serving(body_handler(b"", status, {"Location": location})) as server:
            yield server, target


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirect_is_not_followed(status: int, session: ClientSession) -> None:
    """A redirected read raises an error with the other host, and is not sent there."""
    async with redirecting(status) as (server, target):
        error = await failure(Client(session, server.url, TOKEN).vehicle("1"))
    assert (type(error), error.detail) == (RedirectedError, "127.0.0.1")
    assert (len(server.requests), len(target.requests)) == (1, 0)


async def test_redirected_command_is_not_followed(session: ClientSession) -> None:
    """A redirected command, which can contain secrets, is not sent to the other host."""
    async with redirecting(307) as (server, target):
        error = await failure(
            Client(session, server.url, TOKEN).send("1", REMOTE_START_DRIVE, password=PASSWORD)
        )
    assert type(error) is RedirectedError
    assert (len(server.requests), len(target.requests)) == (1, 0)


@pytest.mark.parametrize(
    "location", ["/elsewhere", "http://[", "http://host:999999/", "http://xn--/", "nonsense"]
)
async def test_redirect_to_an_invalid_url(location: str, session: ClientSession) -> None:
    """A redirect to an invalid URL has no host."""
    async with redirecting(302, location) as (server, _):
        error = await failure(Client(session, server.url, TOKEN).vehicle("1"))
    assert (type(error), error.detail) == (RedirectedError, "")


async def test_redirect_without_a_location(client: Client, simulator: Simulator) -> None:
    """A redirect without a location has no host."""
    simulator.faults.answer(304, body="")
    error = await failure(client.vehicle("1"))
    assert (type(error), error.detail) == (RedirectedError, "")


# Connections


@pytest.fixture
def closed_port() -> Iterator[str]:
    """The URL of a port that refuses connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


async def test_refused_connection(closed_port: str, session: ClientSession) -> None:
    """A refused connection raises NotSentError."""
    client = Client(session, closed_port, TOKEN)
    assert type(await failure(client.vehicles())) is NotSentError
    assert type(await failure(client.send("1", REMOTE_START_DRIVE, password=PASSWORD))) is NotSentError


@pytest.mark.parametrize("url", ["http://127.0.0.1:0", "127.0.0.1", "", "http://me:pass@127.0.0.1"])
async def test_invalid_base_url(url: str, session: ClientSession) -> None:
    """An invalid base URL raises NotSentError."""
    assert type(await failure(Client(session, url, TOKEN).send("1", HONK_HORN))) is NotSentError


@pytest.mark.parametrize("token", [f"{TOKEN}\n", f"{TOKEN}\r\nX-Other: header"], ids=repr)
async def test_invalid_token(token: str, session: ClientSession, simulator: Simulator) -> None:
    """A token with a line break raises NotSentError."""
    assert type(await failure(Client(session, simulator.url, token).send("1", HONK_HORN))) is NotSentError
    assert not simulator.requests


async def test_service_without_tls(session: ClientSession, simulator: Simulator) -> None:
    """No read or command is sent to a service without a valid certificate."""
    client = Client(session, simulator.url.replace("http://", "https://"), TOKEN)
    assert type(await failure(client.vehicles())) is CertificateError
    assert type(await failure(client.send("1", REMOTE_START_DRIVE, password=PASSWORD))) is CertificateError
    assert not simulator.requests


async def reset(request: web.BaseRequest) -> web.StreamResponse:
    """Reset the connection."""
    assert request.transport is not None
    # With this option, closing resets the connection.
    linger = struct.pack("ii", 1, 0)
    request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    request.transport.abort()
    return web.Response()


async def test_connection_reset_after_a_command(session: ClientSession) -> None:
    """The outcome of a command is unknown after a connection reset. The client doesn't retry."""
    async with serving(reset) as server:
        error = await failure(
            Client(session, server.url, TOKEN).send("1", SET_VALET_MODE, on=True, password=PIN)
        )
    assert type(error) is OutcomeUnknownError
    assert len(server.requests) == 1


async def test_connection_reset_after_a_read(session: ClientSession) -> None:
    """A read raises ServiceDownError after a connection reset."""
    async with serving(reset) as server:
        error = await failure(Client(session, server.url, TOKEN).vehicle("1"))
    assert type(error) is ServiceDownError


async def test_truncated_response(session: ClientSession) -> None:
    """A response that is shorter than its content length is a failure of the service."""

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_length = 1000
        await response.prepare(request)
        await response.write(b'{"response": {}}')
        assert request.transport is not None
        request.transport.close()
        return response

    async with serving(handle) as server:
        client = Client(session, server.url, TOKEN)
        assert type(await failure(client.vehicle("1"))) is ServiceDownError
        assert type(await failure(client.send("1", HONK_HORN))) is OutcomeUnknownError


async def test_invalid_compression(session: ClientSession) -> None:
    """A response with an invalid content encoding is a failure of the service."""
    async with serving(body_handler(b'{"response": {}}', headers={"Content-Encoding": "gzip"})) as server:
        assert type(await failure(Client(session, server.url, TOKEN).vehicle("1"))) is ServiceDownError


@pytest.mark.usefixtures("short_timeouts")
@pytest.mark.parametrize("begins", [False, True], ids=["before the response", "within the response"])
async def test_timeout(begins: bool, session: ClientSession) -> None:  # noqa: FBT001 - a case
    """A read times out with ServiceDownError. The outcome of a command is unknown after a timeout."""
    closing: list[asyncio.Event] = []

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        if begins:
            await response.prepare(request)
            await response.write(b'{"response": ')
        await closing[0].wait()
        return response

    async with serving(handle) as server:
        closing.append(server.closing)
        client = Client(session, server.url, TOKEN)
        assert type(await failure(client.vehicle_data("1"))) is ServiceDownError
        assert (
            type(await failure(client.send("1", REMOTE_START_DRIVE, password=PASSWORD)))
            is OutcomeUnknownError
        )
    assert len(server.requests) == 2


async def test_cancellation(session: ClientSession) -> None:
    """A cancelled request raises CancelledError, and no ServiceError."""
    received = asyncio.Event()
    closing: list[asyncio.Event] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        received.set()
        await closing[0].wait()
        return web.Response()

    async with serving(handle) as server:
        closing.append(server.closing)
        task = asyncio.create_task(Client(session, server.url, TOKEN).vehicles())
        await received.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


# Secrets


def echo_handler(status: int, *, key: str = "error") -> Handler:
    """Return a handler that responds with the token and query of the request as text."""

    async def handle(request: web.BaseRequest) -> web.Response:
        text = " ".join((request.headers["Authorization"], *request.query.values(), str(request.url)))
        body = (
            {"response": {"result": False, "reason": text}}
            if key == "reason"
            else {"response": None, key: text}
        )
        return web.json_response(body, status=status)

    return handle


@pytest.mark.parametrize("command", SECRET_VALUES, ids=lambda command: command.name)
@pytest.mark.parametrize("key", ["error", "error_description"])
@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 408, 429, 500])
async def test_secret_in_an_error_is_redacted(
    status: int, key: str, command: Command, session: ClientSession
) -> None:
    """Secrets of a request are redacted from the error text."""
    async with serving(echo_handler(status, key=key)) as server:
        error = await failure(Client(session, server.url, TOKEN).send("1", command, **SECRET_VALUES[command]))
    assert error.detail.startswith("Bearer … ")


@pytest.mark.parametrize("command", SECRET_VALUES, ids=lambda command: command.name)
async def test_secret_in_a_reason_is_redacted(command: Command, session: ClientSession) -> None:
    """Secrets of a request are redacted from the reason of a refusal."""
    async with serving(echo_handler(200, key="reason")) as server:
        error = await failure(Client(session, server.url, TOKEN).send("1", command, **SECRET_VALUES[command]))
    assert type(error) is RefusedError
    assert error.detail.startswith("Bearer … ")


@pytest.mark.parametrize("length", range(100, 125))
async def test_secret_at_the_cut_is_redacted(length: int, client: Client, simulator: Simulator) -> None:
    """A secret is redacted before the text is cut."""
    simulator.faults.answer(500, body=envelope("x" * length + PASSWORD))
    error = await failure(client.send("1", REMOTE_START_DRIVE, password=PASSWORD))
    assert set(error.detail) <= {"x", "…"}


async def test_query_of_a_url_is_redacted(client: Client, simulator: Simulator) -> None:
    """The query of a URL in an error text is redacted, because it can contain secrets."""
    simulator.faults.answer(
        408, body=envelope("operation_timedout for http://host/path?password=p%40ss after 31 s")
    )
    assert (
        await failure(client.vehicle("1"))
    ).detail == "operation_timedout for http://host/path?… after 31 s"


async def test_added_secret_is_redacted(client: Client, simulator: Simulator) -> None:
    """A VIN that was added as a secret is redacted."""
    client.add_secrets(["5YJSA1E26KF000316", ""])
    simulator.faults.answer(500, body=envelope("no 5YJSA1E26KF000316 here"))
    assert (await failure(client.vehicles())).detail == "no … here"


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("p@ss/wörd ?", "/p%40ss%2Fw%C3%B6rd%20%3F/"),
        ("p@ss/wörd ?", "/p%40ss/w%C3%B6rd%20%3F/"),
        ("p@ss/wörd ?", "/p%40ss%2Fw%C3%B6rd+%3F/"),
        ("p@ss/wörd ?", "/p@ss/w\\u00f6rd ?/"),
        ("\ud800", "/\ud800/"),
    ],
)
def test_every_spelling_is_redacted(secret: str, text: str) -> None:
    """A secret is redacted in plain, URL-encoded and JSON spelling."""
    secrets = Secrets([secret])
    assert secrets.is_in(text)
    assert secrets.redact(text) == "/…/"


def test_secret_within_a_secret() -> None:
    """A secret that contains another one is redacted completely."""
    assert Secrets(["key", "key-of-the-car"]).redact("a key-of-the-car, a key") == "a …, a …"


def test_empty_secret_is_ignored() -> None:
    """An empty secret redacts nothing."""
    error = ServiceError("text")
    error.redact(Secrets([""]))
    assert error.detail == "text"


async def test_request_log_has_no_private_data(
    client: Client, simulator: Simulator, path_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log line of a request has its method, its path without the id, and its status."""
    simulator.switches.remote_password = "any"
    await client.send(path_id, REMOTE_START_DRIVE, password=PASSWORD)
    await client.vehicles()
    assert [record.getMessage() for record in caplog.records if record.name == client_module.__name__] == [
        "POST /api/1/vehicles/{id}/command/remote_start_drive: 200",
        "GET /api/1/vehicles: 200",
    ]


def test_secret_check_of_the_tests() -> None:
    """The check of all errors and log lines finds secrets in plain and URL-encoded spelling."""
    for text in (TOKEN, PASSWORD, f"?p={quote_plus(PASSWORD)}", f"pin={PIN}&on", f'"{PIN}"'):
        assert holds_secret(f"before {text} after")
    assert not holds_secret(f"127.0.0.1:4{PIN} took {PIN}5 s")


# Messages of errors


@pytest.mark.parametrize(
    "error_class",
    [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, ServiceError)],
)
def test_placeholders_are_not_empty(error_class: type[ServiceError]) -> None:
    """Every error has a translation key, and no empty placeholders."""
    error = error_class(60.0) if issubclass(error_class, RateLimitedError) else error_class()
    assert error.translation_key == error_class.key
    assert all(error.placeholders.values())


async def test_placeholder_is_the_service_text(client: Client, simulator: Simulator) -> None:
    """The placeholder of the message is the service's text."""
    simulator.faults.answer(500, body=envelope("upstream internal error"))
    assert (await failure(client.vehicles())).placeholders == {"detail": "upstream internal error"}
