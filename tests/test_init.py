"""Setting up, unloading and removing accounts and cars."""

import asyncio

from homeassistant.config_entries import ConfigEntryState
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator
from yarl import URL

from .conftest import Home


async def _add_simulated_account(home: Home) -> None:
    """Add a simulated account with two cars through the config flow."""
    form = await home.start_flow("simulator")
    result = await home.submit(form, vehicles=2, speed=1)
    assert result["type"] == "create_entry", result
    await home.idle()


def _vins(home: Home) -> list[str]:
    return sorted(str(subentry.unique_id) for subentry in home.entry.subentries.values())


async def test_simulated_account_needs_no_service(empty_home: Home) -> None:
    """A simulated account starts its own service. Its cars exist immediately and accept commands."""
    await _add_simulated_account(empty_home)
    vin = _vins(empty_home)[0]
    lock = empty_home.entity_id("lock", "vehicle_state.locked", vin)
    await empty_home.hass.services.async_call("lock", "unlock", {"entity_id": lock}, blocking=True)
    await empty_home.advance(5)
    assert empty_home.shown("lock", "vehicle_state.locked", vin).state == "unlocked"
    assert not empty_home.requests()


async def test_simulated_account_keeps_its_cars(empty_home: Home) -> None:
    """After a restart, the simulated cars and their entities are the same."""
    await _add_simulated_account(empty_home)
    before = empty_home.states()
    await empty_home.hass.config_entries.async_reload(empty_home.entry.entry_id)
    await empty_home.idle()
    assert empty_home.entry.state is ConfigEntryState.LOADED
    assert set(empty_home.states()) == set(before)


async def test_unload_stops_the_simulated_service(empty_home: Home) -> None:
    """Unloading a simulated account closes the port of its service."""
    await _add_simulated_account(empty_home)
    simulator = empty_home.entry.runtime_data.service.simulator
    assert simulator is not None
    url = URL(simulator.url)
    await empty_home.hass.config_entries.async_unload(empty_home.entry.entry_id)
    await empty_home.idle()
    assert empty_home.entry.state is ConfigEntryState.NOT_LOADED
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(url.host, url.port)


async def test_unloaded_account_sends_no_requests(home: Home) -> None:
    """After unloading, no request is sent, not even to confirm the last command."""
    await home.call("lock", "unlock", "vehicle_state.locked")
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    home.simulator.requests.clear()
    await home.advance(300)
    assert not home.requests()
    assert set(home.states().values()) == {"unavailable"}


@pytest.mark.parametrize("cars", [2])
async def test_deleted_device(home: Home, hass_ws_client: WebSocketGenerator) -> None:
    """Deleting a car's device removes this car from the account, and no other car."""
    _, other = home.simulator.vehicles
    assert await home.delete_device(hass_ws_client, home.device.id)
    assert _vins(home) == [other.vin]
    assert home.shown("lock", "vehicle_state.locked", other.vin).state == "locked"


async def test_account_device_cannot_be_deleted(home: Home, hass_ws_client: WebSocketGenerator) -> None:
    """The account's device cannot be deleted. Only removing the account removes it."""
    assert home.device.via_device_id is not None
    assert not await home.delete_device(hass_ws_client, home.device.via_device_id)
    assert _vins(home) == [home.car.vin]


async def test_removal_deletes_devices_and_entities(home: Home) -> None:
    """Removing the account deletes its devices and entities."""
    entry_id = home.entry.entry_id
    await home.hass.config_entries.async_remove(entry_id)
    await home.idle()
    assert not dr.async_entries_for_config_entry(dr.async_get(home.hass), entry_id)
    assert not er.async_entries_for_config_entry(er.async_get(home.hass), entry_id)
