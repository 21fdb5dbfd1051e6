"""What the client makes of a bad answer, of a bad service, and of none; no error gives a secret away."""

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
    CarFailsError,
    CertificateError,
    ClientRefusedError,
    InServiceError,
    InvalidRequestError,
    MalformedAnswerError,
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
    WrongPlaceError,
)
from custom_components.vehicle_remote_access.api.redaction import Secrets
from custom_components.vehicle_remote_access.simulator import Simulator

from .conftest import PASSWORD, PIN, TOKEN, Handler, Other, failure, holds_secret, serving

HTML: Final = "<!DOCTYPE html><html><body>It works!</body></html>"
ASLEEP: Final = "vehicle unavailable: vehicle is offline or asleep"
MEBIBYTE: Final = 2**20
SECRET_VALUES: Final[Mapping[Command, Mapping[str, Any]]] = {
    REMOTE_START_DRIVE: {"password": PASSWORD},
    SET_VALET_MODE: {"on": True, "password": PIN},
}


def envelope(error: str) -> dict[str, Any]:
    """Return the body of an error, as services of this family write it."""
    return {"response": None, "error": error, "error_description": ""}


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client wait a moment instead of half a minute."""
    for name in ("_READ_TIMEOUT", "_COMMAND_TIMEOUT"):
        monkeypatch.setattr(client_module, name, ClientTimeout(total=0.25))


# Status codes


@pytest.mark.parametrize(
    ("status", "error", "cause"),
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
        (421, "wrong region", WrongPlaceError),
        (422, "invalid data", InvalidRequestError),
        (423, "account locked", AccountLockedError),
        (429, "too many requests", RateLimitedError),
        (451, "privacy", WrongPlaceError),
        (499, "client closed request", ServiceDownError),
        (500, "upstream internal error", ServiceDownError),
        (502, "bad gateway", ServiceDownError),
        (503, "maintenance", ServiceDownError),
        (503, "vehicle is not available", UnavailableError),
        (504, "upstream_timeout", ServiceDownError),
        (540, "device unexpected response", CarFailsError),
    ],
)
async def test_status(
    status: int, error: str, cause: type[ServiceError], client: Client, simulator: Simulator, number: str
) -> None:
    """A status and the words with it mean one thing, and the words are kept."""
    simulator.faults.answer(status, body=envelope(error))
    found = await failure(client.vehicle_data(number))
    assert (type(found), found.detail) == (cause, error)
    assert len(simulator.requests) == 1


@pytest.mark.parametrize("status", [401, 404, 408, 412, 423, 500, 503, 540])
@pytest.mark.parametrize(
    "body", ["", "plain words", HTML, "[]", '"text"'], ids=["nothing", "words", "HTML", "list", "text"]
)
async def test_status_without_an_envelope(
    status: int, body: str, client: Client, simulator: Simulator
) -> None:
    """A status alone is understood, whatever comes with it."""
    simulator.faults.answer(status, body=body)
    found = await failure(client.vehicle("1"))
    by_status = {
        401: MalformedAnswerError if body == HTML else AuthenticationError,
        404: MalformedAnswerError if body == HTML else NotFoundError,
        412: ClientRefusedError,
        423: AccountLockedError,
        540: CarFailsError,
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
async def test_words_of_an_error(body: Any, detail: str, client: Client, simulator: Simulator) -> None:
    """Where a service says what went wrong differs; the first that says something is heard."""
    simulator.faults.answer(500, body=body)
    assert (await failure(client.vehicle("1"))).detail == detail


@pytest.mark.parametrize(
    ("status", "cause"),
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
    status: int, cause: type[ServiceError], client: Client, simulator: Simulator
) -> None:
    """A service that fails leaves open whether the car obeyed a command, and is not asked again."""
    simulator.faults.answer(status, body=envelope("words"))
    found = await failure(client.send("1", HONK_HORN))
    assert (type(found), found.detail) == (cause, "words")
    assert len(simulator.requests) == 1


async def test_command_to_a_sleeping_car(client: Client, simulator: Simulator, number: str) -> None:
    """A car that sleeps has not heard a command."""
    simulator.vehicles[0].sleep()
    assert isinstance(await failure(client.send(number, DOOR_LOCK)), AsleepError)


async def test_command_to_a_slow_car(client: Client, simulator: Simulator, number: str) -> None:
    """A car that is only slow may have heard a command."""
    simulator.switches.slow = "timeout"
    assert isinstance(await failure(client.send(number, DOOR_LOCK)), OutcomeUnknownError)


# Asked too often


@pytest.mark.parametrize(
    ("headers", "body", "wait"),
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
        "words",
        "plain words",
        "words are longer",
        "header is longer",
        "neither",
        "HTML",
        "date",
        "date without a zone",
        "date that is over",
        "date far away",
        "no date",
        "no number",
        "fraction",
        "key in the body",
        "zero",
        "negative",
        "more than a day",
        "more than a number",
    ],
)
async def test_how_long_to_wait(
    headers: dict[str, str],
    body: Any,
    wait: float,
    freezer: FrozenDateTimeFactory,
    client: Client,
    simulator: Simulator,
) -> None:
    """The service says how long to leave it alone; if not, it is 5 minutes, and never more than a day."""
    freezer.move_to("2026-05-04T19:00:00Z")
    simulator.faults.answer(429, headers=headers, body=body)
    error = await failure(client.vehicles())
    assert isinstance(error, RateLimitedError)
    assert error.pause == wait


async def test_quota(client: Client, simulator: Simulator) -> None:
    """An account that is over its quota, which is not told how long, waits 15 minutes."""
    simulator.switches.forbid = "account disabled: EXCEEDED_LIMIT"
    error = await failure(client.vehicles())
    assert isinstance(error, RateLimitedError)
    assert error.pause == 900


async def test_nothing_is_sent_while_limited(
    freezer: FrozenDateTimeFactory, client: Client, simulator: Simulator, number: str
) -> None:
    """Until the time is over nothing is sent, neither reads nor commands, and the rest of it is told."""
    simulator.faults.answer(429, headers={"Retry-After": "120"})
    await failure(client.vehicles())
    freezer.tick(50)
    for asked in (client.vehicles(), client.vehicle(number), client.send(number, DOOR_LOCK)):
        error = await failure(asked)
        assert isinstance(error, RateLimitedError)
        assert error.pause == pytest.approx(70)
        assert error.placeholders == {"minutes": "2"}
    assert client.wait == pytest.approx(70)
    assert len(simulator.requests) == 1


async def test_asked_again_when_the_time_is_over(
    freezer: FrozenDateTimeFactory, client: Client, simulator: Simulator
) -> None:
    """When the time is over the service is asked again."""
    simulator.faults.answer(429, headers={"Retry-After": "120"})
    await failure(client.vehicles())
    freezer.tick(120.1)
    assert client.wait == 0
    assert len(await client.vehicles()) == 1


@pytest.mark.parametrize("status", [403, 500, 503])
async def test_other_failures_that_name_a_time(status: int, client: Client, simulator: Simulator) -> None:
    """A service that says when it may be asked again is not asked before, whatever the failure."""
    simulator.faults.answer(status, headers={"Retry-After": "120"})
    error = await failure(client.vehicles())
    assert error.pause == 120
    assert isinstance(await failure(client.vehicles()), RateLimitedError)
    assert len(simulator.requests) == 1


async def test_sleep_is_no_failure(client: Client, simulator: Simulator) -> None:
    """A car that sleeps closes nothing, whatever comes with it."""
    simulator.faults.answer(408, body=envelope(ASLEEP), headers={"Retry-After": "120"})
    assert isinstance(await failure(client.vehicle_data("1")), AsleepError)
    assert len(await client.vehicles()) == 1


async def test_kept_away(freezer: FrozenDateTimeFactory, client: Client, simulator: Simulator) -> None:
    """A wish from before a restart is minded like one from now, and takes nothing from a longer one."""
    client.stay_away(60)
    client.stay_away(20)
    freezer.tick(40)
    assert isinstance(await failure(client.vehicles()), RateLimitedError)
    freezer.tick(20.1)
    assert len(await client.vehicles()) == 1


async def test_nothing_to_wait_for(client: Client, simulator: Simulator) -> None:
    """Other failures close nothing."""
    simulator.faults.answer(500)
    await failure(client.vehicles())
    assert client.wait == 0
    assert len(await client.vehicles()) == 1


@pytest.mark.parametrize(("seconds", "minutes"), [(1, "1"), (60, "1"), (61, "2"), (300, "5")])
def test_minutes(seconds: float, minutes: str) -> None:
    """A person is told whole minutes, and never too few."""
    assert RateLimitedError(seconds).placeholders == {"minutes": minutes}


# Answers that are none


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
        "nothing",
        "null",
        "list",
        "text",
        "number",
        "empty object",
        "no envelope",
        "deep nesting",
        "broken off",
        "response null",
        "response a list",
        "response a text",
    ],
)
async def test_no_answer_to_a_read(body: str, client: Client, simulator: Simulator) -> None:
    """What answers in another way than with a vehicle's record is not this service."""
    simulator.faults.answer(200, body=body)
    assert type(await failure(client.vehicle("1"))) is MalformedAnswerError


@pytest.mark.parametrize("response", [None, {}, "text", 7], ids=repr)
async def test_no_list(response: Any, client: Client, simulator: Simulator) -> None:
    """What answers in another way than with a list has no vehicles to tell."""
    simulator.faults.answer(200, body={"response": response})
    assert type(await failure(client.vehicles())) is MalformedAnswerError


@pytest.mark.parametrize("body", [HTML, "null", "[]", "{}", '{"result": true}', " "], ids=repr)
async def test_no_answer_to_a_command(body: str, client: Client, simulator: Simulator) -> None:
    """After a command, an answer that is none leaves open whether the car obeyed."""
    simulator.faults.answer(200, body=body)
    assert type(await failure(client.send("1", HONK_HORN))) is OutcomeUnknownError


@pytest.mark.parametrize("status", [401, 402, 403, 404, 405, 451])
async def test_other_web_server(status: int, client: Client, simulator: Simulator) -> None:
    """A page in HTML comes from a proxy or another web server, and says nothing about a vehicle."""
    simulator.faults.answer(status, body=f"\n {HTML}")
    assert type(await failure(client.vehicle("1"))) is MalformedAnswerError


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("upstream_timeout", ServiceDownError),
        ("internal", ServiceDownError),
        ("vehicle is currently in service", InServiceError),
        (ASLEEP, AsleepError),
    ],
)
async def test_error_with_status_200(
    error: str, cause: type[ServiceError], client: Client, simulator: Simulator
) -> None:
    """An error is one also with a good status, and means what it says."""
    simulator.faults.answer(200, body=envelope(error))
    found = await failure(client.vehicle("1"))
    assert (type(found), found.detail) == (cause, error)


async def test_timeout_with_status_200(client: Client, simulator: Simulator) -> None:
    """A command whose answer is a time-out with a good status may have been carried out."""
    simulator.faults.answer(200, body=envelope("upstream_timeout"))
    assert type(await failure(client.send("1", HONK_HORN))) is OutcomeUnknownError


async def test_unreachable_car(client: Client, simulator: Simulator) -> None:
    """A car that could not be reached is as good as asleep for what may be repeated, and for nothing else."""
    simulator.faults.answer(503, body=envelope("vehicle is not available"), times=2)
    assert type(await failure(client.send("1", DOOR_LOCK))) is UnavailableError
    assert type(await failure(client.send("1", HONK_HORN))) is OutcomeUnknownError


async def test_error_beside_a_response(client: Client, simulator: Simulator) -> None:
    """An error is one also beside something else."""
    simulator.faults.answer(200, body={"response": {"result": True}, "error": "invalid_command"})
    found = await failure(client.send("1", DOOR_LOCK))
    assert (type(found), found.detail) == (RefusedError, "invalid_command")


async def test_error_without_a_response(client: Client, simulator: Simulator) -> None:
    """An error in another form than the service's keeps its words."""
    simulator.faults.answer(200, body={"error": "no such host"})
    found = await failure(client.vehicle("1"))
    assert (type(found), found.detail) == (MalformedAnswerError, "no such host")


@pytest.mark.parametrize(
    ("value", "left"),
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
        "no UTF-8",
        "half a character",
    ],
)
async def test_broken_value(value: bytes, left: Any, session: ClientSession) -> None:
    """A value that JSON does not know means nothing, unlike null, and nothing beside it is lost."""
    body = b'{"response": {"vin": "5YJ", "broken": %s, "also": NaN, "deep": [{"id": 7}]}}' % value
    async with serving(constant(body)) as other:
        record = await Client(session, other.url, TOKEN).vehicle("1")
    assert record == {"vin": "5YJ", "broken": left, "also": ["?"], "deep": [{"id": 7}]}


async def test_error_without_meaning(session: ClientSession) -> None:
    """An error that JSON does not know is an error all the same."""
    async with serving(constant(b'{"response": {}, "error": 1' + b"0" * 400 + b"}")) as other:
        with pytest.raises(ServiceError):
            await Client(session, other.url, TOKEN).vehicle_data("1")


@pytest.mark.parametrize(("steps", "is_kept"), [(60, True), (70, False), (900, False)])
async def test_deep_value(steps: int, is_kept: bool, session: ClientSession) -> None:  # noqa: FBT001 - a case
    """A value that goes on inwards for ever is cut off, and nothing beside it is lost."""
    body = b'{"response": {"vin": "5YJ", "deep": %s7%s}}' % (b"[" * steps, b"]" * steps)
    async with serving(constant(body)) as other:
        record = await Client(session, other.url, TOKEN).vehicle("1")
    assert record["vin"] == "5YJ"
    assert ("7" in json.dumps(record["deep"])) is is_kept


async def test_broken_answer(session: ClientSession) -> None:
    """What is no text at all is no answer."""
    async with serving(constant(b"\xff\xfe")) as other:
        assert type(await failure(Client(session, other.url, TOKEN).vehicle("1"))) is MalformedAnswerError


def constant(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Handler:
    """Return what answers any request with this body."""

    async def answer(request: web.BaseRequest) -> web.Response:
        return web.Response(body=body, status=status, headers=headers)

    return answer


# Answers without end


class Flood:
    """Writes as much as it can, and counts."""

    def __init__(self, length: int | None) -> None:
        """Announce a length, or none."""
        self.length = length
        self.written = 0
        self.stopped = asyncio.Event()

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Write until the other side has had enough."""
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
async def test_flood(length: int | None, session: ClientSession) -> None:
    """An answer that is longer than any can be is given up early."""
    flood = Flood(length)
    async with serving(flood) as other:
        error = await failure(Client(session, other.url, TOKEN).vehicle_data("1"))
        await flood.stopped.wait()
    assert type(error) is MalformedAnswerError
    assert flood.written < 20 * MEBIBYTE


async def test_flood_after_a_command(session: ClientSession) -> None:
    """After a command, a flood leaves open whether the car obeyed."""
    flood = Flood(None)
    async with serving(flood) as other:
        error = await failure(Client(session, other.url, TOKEN).send("1", HONK_HORN))
        await flood.stopped.wait()
    assert type(error) is OutcomeUnknownError


async def test_large_answer(session: ClientSession) -> None:
    """An answer of four megabytes is long, and taken."""
    body = json.dumps({"response": {"vin": "x" * (4 * MEBIBYTE - 100)}}).encode()
    async with serving(constant(body)) as other:
        record = await Client(session, other.url, TOKEN).vehicle("1")
    assert len(record["vin"]) == 4 * MEBIBYTE - 100


# Redirections


@asynccontextmanager
async def redirecting(status: int, location: str = "") -> AsyncIterator[tuple[Other, Other]]:
    """Serve with a redirection to another host, which answers everything."""
    async with serving(constant(b'{"response": {"result": true}}')) as elsewhere:
        target = location or f"{elsewhere.url}/api/1/vehicles/1?password={quote_plus(PASSWORD)}"
        async with serving(constant(b"", status, {"Location": target})) as other:
            yield other, elsewhere


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirection_is_not_followed(status: int, session: ClientSession) -> None:
    """A read is not carried to another host, and the host is told."""
    async with redirecting(status) as (other, elsewhere):
        error = await failure(Client(session, other.url, TOKEN).vehicle("1"))
    assert (type(error), error.detail) == (RedirectedError, "127.0.0.1")
    assert (len(other.requests), len(elsewhere.requests)) == (1, 0)


async def test_redirected_command_is_not_followed(session: ClientSession) -> None:
    """Neither is a command, whose secrets would go along."""
    async with redirecting(307) as (other, elsewhere):
        error = await failure(
            Client(session, other.url, TOKEN).send("1", REMOTE_START_DRIVE, password=PASSWORD)
        )
    assert type(error) is RedirectedError
    assert (len(other.requests), len(elsewhere.requests)) == (1, 0)


@pytest.mark.parametrize(
    "location", ["/elsewhere", "http://[", "http://host:999999/", "http://xn--/", "nonsense"]
)
async def test_redirection_to_nowhere(location: str, session: ClientSession) -> None:
    """An address that cannot be one is no host."""
    async with redirecting(302, location) as (other, _):
        error = await failure(Client(session, other.url, TOKEN).vehicle("1"))
    assert (type(error), error.detail) == (RedirectedError, "")


async def test_not_modified(client: Client, simulator: Simulator) -> None:
    """A redirection that says no address is one to nowhere."""
    simulator.faults.answer(304, body="")
    error = await failure(client.vehicle("1"))
    assert (type(error), error.detail) == (RedirectedError, "")


# Connections


@pytest.fixture
def closed_door() -> Iterator[str]:
    """Return the address of a port that is taken and where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


async def test_refused_connection(closed_door: str, session: ClientSession) -> None:
    """Where nobody listens nothing is sent, and so nothing can have been carried out."""
    client = Client(session, closed_door, TOKEN)
    assert type(await failure(client.vehicles())) is NotSentError
    assert type(await failure(client.send("1", REMOTE_START_DRIVE, password=PASSWORD))) is NotSentError


@pytest.mark.parametrize("url", ["http://127.0.0.1:0", "127.0.0.1", "", "http://me:pass@127.0.0.1"])
async def test_address_that_leads_nowhere(url: str, session: ClientSession) -> None:
    """An address that cannot be reached, or cannot be one, is no reason for another kind of error."""
    assert type(await failure(Client(session, url, TOKEN).send("1", HONK_HORN))) is NotSentError


@pytest.mark.parametrize("token", [f"{TOKEN}\n", f"{TOKEN}\r\nX-Other: header"], ids=repr)
async def test_token_that_cannot_be_sent(token: str, session: ClientSession, simulator: Simulator) -> None:
    """A token with a line break is no reason for another kind of error, and is not sent."""
    assert type(await failure(Client(session, simulator.url, token).send("1", HONK_HORN))) is NotSentError
    assert not simulator.requests


async def test_service_without_a_certificate(session: ClientSession, simulator: Simulator) -> None:
    """A service that cannot prove who it is is sent nothing, also no command."""
    client = Client(session, simulator.url.replace("http://", "https://"), TOKEN)
    assert type(await failure(client.vehicles())) is CertificateError
    assert type(await failure(client.send("1", REMOTE_START_DRIVE, password=PASSWORD))) is CertificateError
    assert not simulator.requests


async def reset(request: web.BaseRequest) -> web.StreamResponse:
    """Answer with a connection that breaks."""
    assert request.transport is not None
    # Closed with this option, a connection does not end but break.
    linger = struct.pack("ii", 1, 0)
    request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    request.transport.abort()
    return web.Response()


async def test_connection_breaks_after_a_command(session: ClientSession) -> None:
    """A command whose answer is lost may have been carried out, and is not sent again."""
    async with serving(reset) as other:
        error = await failure(
            Client(session, other.url, TOKEN).send("1", SET_VALET_MODE, on=True, password=PIN)
        )
    assert type(error) is OutcomeUnknownError
    assert len(other.requests) == 1


async def test_connection_breaks_after_a_read(session: ClientSession) -> None:
    """A read whose answer is lost can be asked again by whoever wants to."""
    async with serving(reset) as other:
        error = await failure(Client(session, other.url, TOKEN).vehicle("1"))
    assert type(error) is ServiceDownError


async def test_answer_breaks_off(session: ClientSession) -> None:
    """An answer that ends before its announced length is none."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_length = 1000
        await response.prepare(request)
        await response.write(b'{"response": {}}')
        assert request.transport is not None
        request.transport.close()
        return response

    async with serving(answer) as other:
        client = Client(session, other.url, TOKEN)
        assert type(await failure(client.vehicle("1"))) is ServiceDownError
        assert type(await failure(client.send("1", HONK_HORN))) is OutcomeUnknownError


async def test_bad_compression(session: ClientSession) -> None:
    """An answer that is said to be compressed and is not is none."""
    async with serving(constant(b'{"response": {}}', headers={"Content-Encoding": "gzip"})) as other:
        assert type(await failure(Client(session, other.url, TOKEN).vehicle("1"))) is ServiceDownError


@pytest.mark.usefixtures("no_patience")
@pytest.mark.parametrize("begins", [False, True], ids=["before the answer", "in the middle of it"])
async def test_silence(begins: bool, session: ClientSession) -> None:  # noqa: FBT001 - a case
    """A service that falls silent is given up, and after a command nobody can tell whether the car obeyed."""
    ends: list[asyncio.Event] = []

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        if begins:
            await response.prepare(request)
            await response.write(b'{"response": ')
        await ends[0].wait()
        return response

    async with serving(answer) as other:
        ends.append(other.end)
        client = Client(session, other.url, TOKEN)
        assert type(await failure(client.vehicle_data("1"))) is ServiceDownError
        assert (
            type(await failure(client.send("1", REMOTE_START_DRIVE, password=PASSWORD)))
            is OutcomeUnknownError
        )
    assert len(other.requests) == 2


async def test_cancelling(session: ClientSession) -> None:
    """Whoever no longer wants an answer is not told that the service is down."""
    asked = asyncio.Event()
    ends: list[asyncio.Event] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        asked.set()
        await ends[0].wait()
        return web.Response()

    async with serving(answer) as other:
        ends.append(other.end)
        task = asyncio.create_task(Client(session, other.url, TOKEN).vehicles())
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


# Secrets


def repeating(status: int, *, where: str = "error") -> Handler:
    """Return what answers with all that it was sent."""

    async def answer(request: web.BaseRequest) -> web.Response:
        said = " ".join((request.headers["Authorization"], *request.query.values(), str(request.url)))
        body = (
            {"response": {"result": False, "reason": said}}
            if where == "reason"
            else {"response": None, where: said}
        )
        return web.json_response(body, status=status)

    return answer


@pytest.mark.parametrize("command", SECRET_VALUES, ids=lambda command: command.name)
@pytest.mark.parametrize("where", ["error", "error_description"])
@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 408, 429, 500])
async def test_repeated_secret_is_concealed(
    status: int, where: str, command: Command, session: ClientSession
) -> None:
    """A service that repeats what it was sent does not make us tell it on."""
    async with serving(repeating(status, where=where)) as other:
        error = await failure(Client(session, other.url, TOKEN).send("1", command, **SECRET_VALUES[command]))
    assert error.detail.startswith("Bearer … ")


@pytest.mark.parametrize("command", SECRET_VALUES, ids=lambda command: command.name)
async def test_secret_in_a_reason_is_concealed(command: Command, session: ClientSession) -> None:
    """Neither does a car that repeats it in its reason."""
    async with serving(repeating(200, where="reason")) as other:
        error = await failure(Client(session, other.url, TOKEN).send("1", command, **SECRET_VALUES[command]))
    assert type(error) is RefusedError
    assert error.detail.startswith("Bearer … ")


@pytest.mark.parametrize("length", range(100, 125))
async def test_secret_across_the_cut_is_concealed(length: int, client: Client, simulator: Simulator) -> None:
    """A secret of which the cut would leave the beginning is concealed before."""
    simulator.faults.answer(500, body=envelope("x" * length + PASSWORD))
    error = await failure(client.send("1", REMOTE_START_DRIVE, password=PASSWORD))
    assert set(error.detail) <= {"x", "…"}


async def test_query_of_an_address_is_concealed(client: Client, simulator: Simulator) -> None:
    """An address in an error loses its query, in which secrets are spelt otherwise."""
    simulator.faults.answer(
        408, body=envelope("operation_timedout for http://host/path?password=p%40ss after 31 s")
    )
    assert (
        await failure(client.vehicle("1"))
    ).detail == "operation_timedout for http://host/path?… after 31 s"


async def test_who_a_car_is_is_concealed(client: Client, simulator: Simulator) -> None:
    """A service that names the car does not make us tell it on."""
    client.conceal(["5YJSA1E26KF000316", ""])
    simulator.faults.answer(500, body=envelope("no 5YJSA1E26KF000316 here"))
    assert (await failure(client.vehicles())).detail == "no … here"


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ("p@ss/wörd ?", "/p%40ss%2Fw%C3%B6rd%20%3F/"),
        ("p@ss/wörd ?", "/p%40ss/w%C3%B6rd%20%3F/"),
        ("p@ss/wörd ?", "/p%40ss%2Fw%C3%B6rd+%3F/"),
        ("p@ss/wörd ?", "/p@ss/w\\u00f6rd ?/"),
        ("\ud800", "/\ud800/"),
    ],
)
def test_every_spelling_is_concealed(secret: str, said: str) -> None:
    """A secret is found as an address and as JSON spell it."""
    secrets = Secrets([secret])
    assert secrets.stand_in(said)
    assert secrets.concealed(said) == "/…/"


def test_secret_within_a_secret() -> None:
    """Of a secret that holds another nothing is left over."""
    assert Secrets(["key", "key-of-the-car"]).concealed("a key-of-the-car, a key") == "a …, a …"


def test_error_without_a_token_says_what_was_said() -> None:
    """A secret that is empty conceals nothing."""
    error = ServiceError("words")
    error.conceal(Secrets([""]))
    assert error.detail == "words"


async def test_requests_are_logged_without_who_and_what(
    client: Client, simulator: Simulator, number: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A line for each request has its method, its path without the car, and its status, and nothing else."""
    simulator.switches.remote_password = "any"
    await client.send(number, REMOTE_START_DRIVE, password=PASSWORD)
    await client.vehicles()
    assert [record.getMessage() for record in caplog.records if record.name == client_module.__name__] == [
        "POST /api/1/vehicles/{id}/command/remote_start_drive: 200",
        "GET /api/1/vehicles: 200",
    ]


def test_secrets_are_recognised() -> None:
    """The eye that these tests keep on secrets sees them, as they are and as an address spells them."""
    for text in (TOKEN, PASSWORD, f"?p={quote_plus(PASSWORD)}", f"pin={PIN}&on", f'"{PIN}"'):
        assert holds_secret(f"before {text} after")
    assert not holds_secret(f"127.0.0.1:4{PIN} took {PIN}5 s")


# The errors themselves


@pytest.mark.parametrize(
    "cause",
    [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, ServiceError)],
)
def test_error_has_a_sentence_and_what_completes_it(cause: type[ServiceError]) -> None:
    """Every error names a sentence, and brings what completes it, if only a dash."""
    error = cause(60.0) if issubclass(cause, RateLimitedError) else cause()
    assert error.key == cause.key
    assert all(error.placeholders.values())


async def test_error_completes_its_sentence(client: Client, simulator: Simulator) -> None:
    """What the service said completes the sentence."""
    simulator.faults.answer(500, body=envelope("upstream internal error"))
    assert (await failure(client.vehicles())).placeholders == {"detail": "upstream internal error"}
