"""The web interface of the tests of the dashboard, and a group without permissions for cars."""

from typing import Final

from homeassistant.auth.models import Group
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest

NOBODY: Final = Group(name="Limited", policy={"entities": {"domains": {"light": True}}})


@pytest.fixture
async def web(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "frontend", {})
