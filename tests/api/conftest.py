"""Fixtures for a client and its service. All log lines of every test are checked for secrets."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
import json
import logging
from pathlib import Path
import re
from typing import Any, Final
from urllib.parse import quote, quote_plus

from aiohttp import ClientSession, web
import pytest

from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.api.errors import ServiceError
from custom_components.vehicle_remote_access.api.token_refresher import TokenRefresher, Tokens
from custom_components.vehicle_remote_access.simulator import Simulator

TOKEN: Final = "token-that-must-stay-secret"
PASSWORD: Final = "pass & wörd?of=the owner "
PIN: Final = "0420"

# The PIN needs word boundaries: a port or a memory address can contain the same digits.
_SECRET: Final = re.compile(
    "|".join(
        (*map(re.escape, (TOKEN, PASSWORD.strip(), quote(PASSWORD), quote_plus(PASSWORD))), rf"\b{PIN}\b")
    )
)
_FIXTURES: Final = Path(__file__).parents[1] / "fixtures"

type Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def documented(name: str) -> Any:
    """Return a JSON fixture that was transcribed from the service's own document.

    docs/interface.md describes that document.
    """
    return json.loads((_FIXTURES / f"documented_{name}.json").read_text())


def holds_secret(text: str) -> bool:
    return _SECRET.search(text) is not None


async def failure(request: Awaitable[Any]) -> ServiceError:
    """Return the error of a request, after checking it and its causes for secrets."""
    with pytest.raises(ServiceError) as caught:
        await request
    error: BaseException | None = caught.value
    while error is not None:
        for text in (str(error), repr(error), repr(error.args), repr(vars(error))):
            assert not holds_secret(text), f"{type(error).__name__} contains a secret"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return caught.value


@dataclass(frozen=True)
class FakeServer:
    """A server with a handler of the test, on a free port."""

    url: str
    client: Client
    """A client of the server."""
    requests: list[web.BaseRequest]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[FakeServer]:
    """Run a server that calls the handler for every request."""
    requests: list[web.BaseRequest] = []

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        requests.append(request)
        return await handler(request)

    runner = web.ServerRunner(web.Server(handle, access_log=None), shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    async with ClientSession() as session:
        yield FakeServer(url, client_of(session, url), requests)
    await runner.cleanup()


def client_of(session: ClientSession, url: str, token: str = TOKEN) -> Client:
    """Return a client whose token is never refreshed."""
    return Client(session, url, TokenRefresher(session, Tokens(access_token=token)))


def answer_with(body: bytes | str, status: int = 200, headers: Mapping[str, str] | None = None) -> Handler:
    async def handle(request: web.BaseRequest) -> web.Response:
        return web.Response(body=body, status=status, headers=headers)

    return handle


@pytest.fixture(autouse=True)
def _no_secret_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Check the lines of all loggers after the test."""
    caplog.set_level(logging.DEBUG)
    yield
    lines = [logging.Formatter().format(record) for record in caplog.get_records("call")]
    assert not [line for line in lines if holds_secret(line)]


@pytest.fixture
async def simulator() -> AsyncIterator[Simulator]:
    service = Simulator(token=TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession() as opened:
        yield opened


@pytest.fixture
def client(simulator: Simulator, session: ClientSession) -> Client:
    return client_of(session, simulator.url)


@pytest.fixture
def path_id(simulator: Simulator) -> str:
    return str(simulator.vehicles[0].id)
