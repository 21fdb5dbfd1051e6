"""The integration's section of the system information page."""

from typing import Any

from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import get_system_health_info

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home
from .source import ENGLISH


async def load_info(home: Home) -> dict[str, Any]:
    assert await async_setup_component(home.hass, "system_health", {})
    await home.idle()
    info: dict[str, Any] = await get_system_health_info(home.hass, DOMAIN)
    return info


@pytest.mark.parametrize("cars", [2])
async def test_figures(home: Home) -> None:
    """The section has these figures, each with a translated name, and sends no requests."""
    home.simulator.vehicles[1].fall_asleep()
    await home.advance(60)
    request_count = len(home.requests())
    info = await load_info(home)
    figures = {"accounts": 1, "services": "1/1", "vehicles": 2, "asleep": 1}
    assert info == {**figures, "requests_today": home.entry.runtime_data.requests.today}
    assert len(home.requests()) == request_count
    # An account without an address for commands does not show its state.
    assert info.keys() | {"command_urls"} == ENGLISH["system_health"]["info"].keys()


async def test_service_down(home: Home) -> None:
    """A service that does not respond, and an account that is not loaded, are counted separately."""
    await home.simulator.stop()
    await home.advance(120)
    assert (await load_info(home))["services"] == "0/1"
    await home.leave()
    figures = {"accounts": 1, "services": "0/0", "vehicles": 0, "asleep": 0, "requests_today": 0}
    assert await get_system_health_info(home.hass, DOMAIN) == figures
