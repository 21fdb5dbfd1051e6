"""Startup: no wait for the service, no blocking of the event loop, no additional libraries."""

from collections.abc import Iterator
import sys

from homeassistant import block_async_io
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home
from .source import MODULES, external_imports


@pytest.mark.parametrize("cars", [2])
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_startup_sends_one_request_at_most(home: Home) -> None:
    """Startup sends one request at most, does not wait for its response, and shows restored states."""
    before, start = home.states(), dt_util.utcnow()
    home.simulator.faults.fail("silence", times=100)
    home.simulator.requests.clear()
    assert await home.run_until_complete(home.hass.config_entries.async_reload(home.entry.entry_id))
    assert dt_util.utcnow() == start
    after = home.states()
    changed = {entity_id for entity_id, state in before.items() if after[entity_id] != state}
    assert len(home.requests()) <= 1
    account = home.entry.entry_id
    # The state of a car can change during the restart, and the others describe the polling.
    not_restored = [("binary_sensor", "state"), ("sensor", "state")]
    not_restored += [("sensor", "polling_mode"), ("sensor", "next_read")]
    assert changed <= {
        *(home.entity_id(*entity, car.vin) for entity in not_restored for car in home.simulator.vehicles),
        home.entity_id("binary_sensor", "service_reachable", account),
        home.entity_id("sensor", "requests_today", account),
    }


@pytest.fixture
def strict_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make Home Assistant log all blocking calls in the event loop, also those that it ignores in tests."""
    monkeypatch.setattr(block_async_io, "_IN_TESTS", False)
    block_async_io.enable()
    yield
    calls = block_async_io._BLOCKED_CALLS.calls  # noqa: SLF001 - there is no public way to undo it
    for call in calls:
        setattr(call.object, call.function, call.original_func)
    calls.clear()


@pytest.mark.usefixtures("strict_loop")
async def test_startup_does_not_block_the_loop(empty_home: Home, caplog: pytest.LogCaptureFixture) -> None:
    await empty_home.set_up()
    await empty_home.add_simulated_account()
    for entry in empty_home.hass.config_entries.async_entries(DOMAIN):
        assert await empty_home.hass.config_entries.async_reload(entry.entry_id)
    await empty_home.idle()
    assert "blocking call" not in caplog.text


def test_no_additional_library_is_loaded() -> None:
    imported = set().union(*map(external_imports, MODULES)) - sys.stdlib_module_names
    assert imported <= {"aiohttp", "homeassistant", "orjson", "voluptuous", "yarl"}
