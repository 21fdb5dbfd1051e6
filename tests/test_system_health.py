"""What the page *System information* says."""

import json
from typing import Any

from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import get_system_health_info

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home
from .test_config_flow import OURS


async def info(home: Home) -> dict[str, Any]:
    """Return what the page says of us."""
    assert await async_setup_component(home.hass, "system_health", {})
    await home.idle()
    found: dict[str, Any] = await get_system_health_info(home.hass, DOMAIN)
    return found


@pytest.mark.parametrize("cars", [2])
async def test_figures(home: Home) -> None:
    """It counts accounts, cars, those that sleep, and requests; and asks nobody for that."""
    home.simulator.vehicles[1].fall_asleep()
    await home.advance(60)
    asked = len(home.requests())
    assert await info(home) == {
        "accounts": 1,
        "services": "1/1",
        "vehicles": 2,
        "asleep": 1,
        "requests_today": home.entry.runtime_data.requests_today,
    }
    assert len(home.requests()) == asked


async def test_service_down(home: Home) -> None:
    """A service that does not answer is not reachable."""
    await home.simulator.stop()
    await home.advance(120)
    assert (await info(home))["services"] == "0/1"


async def test_nothing_loaded(home: Home) -> None:
    """An account that is not loaded is an account all the same."""
    await home.leave()
    assert await info(home) == {
        "accounts": 1,
        "services": "0/0",
        "vehicles": 0,
        "asleep": 0,
        "requests_today": 0,
    }


async def test_words(home: Home) -> None:
    """All of it has words, and nothing in it says who or where."""
    found = await info(home)
    assert found.keys() == OURS["system_health"]["info"].keys()
    said = json.dumps(found)
    assert home.car.vin not in said
    assert home.simulator.url not in said
