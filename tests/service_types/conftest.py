"""Fixtures of a Home Assistant whose account belongs to a service of today."""

from collections.abc import AsyncIterator, Awaitable, Mapping
import json
from typing import Any, Final, NamedTuple

from aiohttp import web
from aiohttp.typedefs import Handler
from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntry
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
import pytest

from custom_components.vehicle_remote_access.simulator import Simulator
from simulator_console.services import SimulatedService

from ..conftest import TOKEN, Home
from ..flow import Flow

NAMES: Final = {"tessie": "Tessie", "teslemetry": "Teslemetry", "tesla_fleet": "Tesla Fleet API"}


def each_service(*always: str, other: bool = False) -> pytest.MarkDecorator:
    """Run a test with each service. Only those in `always` run every time.

    `other`: also with one of the documented interface.
    """
    services = (*NAMES, "other") if other else tuple(NAMES)
    params = [pytest.param(each, marks=() if each in always else pytest.mark.exhaustive) for each in services]
    return pytest.mark.parametrize("service", params)


class Sent(NamedTuple):
    """A POST request as the service received it."""

    path: str
    query: str
    body: Any


@pytest.fixture
def service() -> str:
    """The service to play. Tests that need another one override it by a parameter."""
    return "tesla_fleet"


@pytest.fixture
def sent() -> list[Sent]:
    return []


@pytest.fixture
async def simulator(
    freezer: FrozenDateTimeFactory, cars: int, service: str, sent: list[Sent]
) -> AsyncIterator[Simulator]:
    """Start the service, without its limits of requests and of the time that a token lasts."""

    @web.middleware
    async def record(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.content_type == "application/json" and request.method == "POST":
            sent.append(Sent(request.path, request.query_string, json.loads(await request.text())))
        return await handler(request)

    simulator = SimulatedService(
        service,
        vehicles=cars,
        token=TOKEN,
        extend=lambda _, application: application.middlewares.append(record),
    )
    simulator.switches.rate_limit = 0
    simulator.switches.token_lifetime = 0
    await simulator.start()
    yield simulator
    await simulator.stop()


@pytest.fixture
def flow(empty_home: Home) -> Flow:
    return Flow(empty_home)


async def add(flow: Flow, **values: Any) -> ConfigEntry:
    """Add the account of the service that the simulator plays, and accept an unknown certificate."""
    await flow.start("account", flow.home.simulator.service)
    await flow.submit(**{**flow.home.access, **values})
    if flow.step == "certificate":
        await flow.submit(next_step_id="accept_certificate")
    await flow.submit()
    assert flow.is_created, flow.errors
    return flow.home.entry


LIMIT: Final = "charge_state.charge_limit_soc"


async def refusal_of(call: Awaitable[object]) -> tuple[str | None, Mapping[str, str] | None]:
    """Return the key and the placeholders of the error with which an action is refused."""
    with pytest.raises(ServiceValidationError) as error:
        await call
    return error.value.translation_key, error.value.translation_placeholders


async def error_key_of(home: Home, value: float) -> str | None:
    """Set the charge limit. Return the key of the error, or None if the car carried it out."""
    (error,) = await home.gather(home.call("number", "set_value", LIMIT, value=value))
    assert error is None or isinstance(error, HomeAssistantError), error
    return None if error is None else str(error.translation_key)
