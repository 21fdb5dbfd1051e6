"""A client and the services that it speaks to, and an eye on everything that is logged meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
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
from custom_components.vehicle_remote_access.simulator import Simulator

TOKEN: Final = "token-that-nobody-may-see"
PASSWORD: Final = "pass & wörd?of=the owner "
PIN: Final = "0420"

# The PIN stands alone: the same digits in the midst of a port or an address in memory are not it.
_SECRET: Final = re.compile(
    "|".join(
        (*map(re.escape, (TOKEN, PASSWORD.strip(), quote(PASSWORD), quote_plus(PASSWORD))), rf"\b{PIN}\b")
    )
)
_FIXTURES: Final = Path(__file__).parents[1] / "fixtures"

type Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def documented(name: str) -> Any:
    """Return what was written down from the interface document."""
    return json.loads((_FIXTURES / f"documented_{name}.json").read_text())


def holds_secret(text: str) -> bool:
    """Return whether a text gives away what nobody may see."""
    return _SECRET.search(text) is not None


async def failure(asked: Awaitable[Any]) -> ServiceError:
    """Return why a request has no answer, after a look for secrets in all that the error brings along."""
    with pytest.raises(ServiceError) as caught:
        await asked
    error: BaseException | None = caught.value
    while error is not None:
        for text in (str(error), repr(error), repr(error.args), repr(vars(error))):
            assert not holds_secret(text), f"{type(error).__name__} gives a secret away"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return caught.value


@dataclass(frozen=True)
class Other:
    """A server that does what no service should, on a free port."""

    requests: list[web.BaseRequest] = field(default_factory=list)
    end: asyncio.Event = field(default_factory=asyncio.Event)
    """What an answer that never comes waits for."""
    urls: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where it is."""
        return self.urls[0]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Other]:
    """Serve with one function, whatever is asked for."""
    other = Other()

    async def remember(request: web.BaseRequest) -> web.StreamResponse:
        other.requests.append(request)
        return await handler(request)

    runner = web.ServerRunner(web.Server(remember, access_log=None), shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    other.urls.append(f"http://127.0.0.1:{runner.addresses[0][1]}")
    yield other
    other.end.set()
    await runner.cleanup()


@pytest.fixture(autouse=True)
def _real_integration_over_real_http(socket_enabled: None) -> None:
    """Let the client reach its service. There is no Home Assistant here."""


@pytest.fixture(autouse=True)
def _no_secret_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Look through every line of every logger after the test."""
    caplog.set_level(logging.DEBUG)
    yield
    lines = [logging.Formatter().format(record) for record in caplog.get_records("call")]
    assert not [line for line in lines if holds_secret(line)]


@pytest.fixture
async def simulator() -> AsyncIterator[Simulator]:
    """A service with one car."""
    service = Simulator(token=TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    """What requests go through."""
    async with ClientSession() as opened:
        yield opened


@pytest.fixture
def client(simulator: Simulator, session: ClientSession) -> Client:
    """A client of the simulated service."""
    return Client(session, simulator.url, TOKEN)


@pytest.fixture
def number(simulator: Simulator) -> str:
    """The id of the simulated car."""
    return str(simulator.vehicles[0].id)
