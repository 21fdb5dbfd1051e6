"""Deleting devices."""

import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from .account.test_issues import issues
from .conftest import Home


@pytest.mark.parametrize("cars", [2])
async def test_deleted_device(home: Home, hass_ws_client: WebSocketGenerator) -> None:
    """Deleting a car's device removes the car, which isn't offered again. The account's device stays."""
    _, other = home.simulator.vehicles
    account = home.device.via_device_id
    assert await home.delete_device(hass_ws_client, home.device.id)
    assert account is not None
    assert not await home.delete_device(hass_ws_client, account)
    assert [subentry.unique_id for subentry in home.entry.subentries.values()] == [other.vin]
    assert home.shown("lock", "vehicle_state.locked", other.vin).state == "locked"
    await home.advance(120)
    assert issues(home) == []
