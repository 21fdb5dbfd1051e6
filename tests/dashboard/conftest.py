"""Clients of the web interface in the tests of the dashboard, and users who may not control the car."""

from typing import Any, Final

from aiohttp.test_utils import TestClient
from homeassistant.auth.const import GROUP_ID_READ_ONLY
from homeassistant.auth.models import Group, User
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    MockHAClientWebSocket,
    WebSocketGenerator,
)

from tests.conftest import Home, set_group

NOBODY: Final = Group(name="Limited", policy={"entities": {"domains": {"light": True}}})


async def let_only_read(home: Home, user: User) -> None:
    set_group(home.hass, user, await home.hass.auth.async_get_group(GROUP_ID_READ_ONLY))


@pytest.fixture
async def web(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "frontend", {})


@pytest.fixture
async def client(web: None, home: Home, hass_client: ClientSessionGenerator) -> TestClient[Any, Any]:
    client: TestClient[Any, Any] = await hass_client()
    return client


@pytest.fixture
async def anyone(web: None, home: Home, hass_client_no_auth: ClientSessionGenerator) -> TestClient[Any, Any]:
    """A client without a session."""
    client: TestClient[Any, Any] = await hass_client_no_auth()
    return client


@pytest.fixture
async def socket(web: None, home: Home, hass_ws_client: WebSocketGenerator) -> MockHAClientWebSocket:
    return await hass_ws_client()
