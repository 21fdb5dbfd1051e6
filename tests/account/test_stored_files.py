"""The files that version 1.0.0 stored, which every later version must read.

A later version that changes a file adds its own fixture and keeps this one.

The real account has a car that is charging after a drive. Its tokens expire, and its commands have another
address. The simulated account has a car that drives. In the tests, no service answers after the start, so
everything that is shown comes from the files.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
import json
import logging
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.vehicle_remote_access.account.options import AccountOptions, VehicleOptions
from custom_components.vehicle_remote_access.account.provider import command_address_of
from custom_components.vehicle_remote_access.account.storage import samples_name
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.coordinator import VehicleConfigEntry
from custom_components.vehicle_remote_access.entity_descriptions import STATE_STEPS
from custom_components.vehicle_remote_access.vehicle.coordinator import VehicleCoordinator
from custom_components.vehicle_remote_access.vehicle.merged_data import record_to_store

FIXTURE: Final = Path(__file__).parents[1] / "fixtures" / "stored_by_1.0.0.json"

ROUNDED_AFTER_START: Final = {
    *(field.path for field in FIELDS if field.value_type in STATE_STEPS),
    f"{ChargeState.charge_energy_added.path}.lifetime",
}
# Entities that don't show their stored state, by unique id without the VIN or entry id
UNKNOWN_AFTER_START: Final = {
    # The car may have fallen asleep or woken meanwhile.
    "state",
    # The service has not answered yet.
    "service_reachable",
    # The last command is not stored.
    "last_command",
    # Home Assistant itself stores the last event.
    "log.drive",
    "log.charge",
}
CHANGED_AFTER_START: Final = {
    # The request that the service has not answered counts.
    "requests_today",
    "requests_left",
    # The more exact time from earlier reports is not stored.
    "charge_state.time_to_full_charge",
    # In whole hours since then
    "asleep_today",
}

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")


def _as_stored(value: Any) -> Any:
    """Return a value as it is after storing and loading it."""
    return json.loads(json.dumps(value, default=str))


def _states(hass: HomeAssistant, accounts: list[VehicleConfigEntry]) -> dict[str, str]:
    """Return the states of all entities by platform and unique id."""
    registry = er.async_get(hass)
    return {
        f"{entity.domain} {entity.unique_id}": state.state
        for account in accounts
        for entity in er.async_entries_for_config_entry(registry, account.entry_id)
        if (state := hass.states.get(entity.entity_id)) is not None
    }


def _known(vehicle: VehicleCoordinator) -> dict[str, Any]:
    """Return all that is known of a car."""
    return {
        "record": record_to_store(vehicle.known.merged),
        "tracker": vehicle.known.tracker.as_json(),
        "meter": vehicle.log_manager.log.meter.as_json(),
        "log": vehicle.log.start_archive(),
    }


def _without_gone(before: Any) -> Any:
    """Return what was known without the times of stays, which newer versions do not keep."""
    if isinstance(before, list):
        return [_without_gone(each) for each in before]
    if not isinstance(before, dict):
        return before
    gone = {"hour", "at"} if "lasted" in before else {"hour"} if "place" in before else set()
    return {name: _without_gone(value) for name, value in before.items() if name not in gone}


def _without_new(known: Any, before: Any) -> Any:
    """Return what is known without the values and the columns of tables that newer versions added."""
    if not isinstance(known, dict) or not isinstance(before, dict):
        return known
    if before.keys() == {"names", "rows"}:
        columns = [known["names"].index(name) for name in before["names"]]
        rows = [[row[column] for column in columns] for row in known["rows"]]
        return {"names": before["names"], "rows": rows}
    return {name: _without_new(known[name], value) for name, value in before.items()}


@pytest.fixture(autouse=True)
def _service_never_answers() -> Iterator[None]:
    @asynccontextmanager
    async def never_answer(*_args: Any, **_kwargs: Any) -> AsyncGenerator[None]:
        await asyncio.Event().wait()
        yield

    with patch("aiohttp.ClientSession.request", never_answer):
        yield


@pytest.fixture
def stored() -> dict[str, Any]:
    """The stored files, the config entries, and what was known and shown when the files were written."""
    content: dict[str, Any] = json.loads(FIXTURE.read_text())
    return content


@pytest.fixture
async def accounts(
    hass: HomeAssistant,
    enable_custom_integrations: None,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    stored: dict[str, Any],
) -> AsyncIterator[list[VehicleConfigEntry]]:
    """The real and the simulated account, after the start with the stored files."""
    freezer.move_to(datetime.fromisoformat(stored["stored_at"]))
    # The time between the stop of the earlier version and the start of this one
    freezer.tick(60)
    hass_storage.update(_as_stored(stored["storage"]))
    for entry in stored["entries"]:
        MockConfigEntry(domain=DOMAIN, **_as_stored(entry)).add_to_hass(hass)
    retired = {field.path for field in FIELDS if field.retired}
    for platform, unique_id in (name.split(" ") for name in stored["states"]):
        if unique_id.partition("-")[2] in retired:
            er.async_get(hass).async_get_or_create(platform, DOMAIN, unique_id)
    setup = hass.async_create_task(async_setup_component(hass, DOMAIN, {}))
    for _ in range(100_000):
        if setup.done():
            break
        await asyncio.sleep(0)
    assert setup.done(), "the setup waits for an answer"
    await hass.async_block_till_done()
    yield hass.config_entries.async_entries(DOMAIN)
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        assert await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)


def test_states_are_restored(hass: HomeAssistant, accounts: list[VehicleConfigEntry], stored: Any) -> None:
    shown = _states(hass, accounts)
    for name, before in stored["states"].items():
        key = name.partition("-")[2]
        if key in UNKNOWN_AFTER_START:
            assert shown[name] == "unknown", name
        elif key == "simulation.speed":
            # Time is real since then.
            assert name not in shown
        elif key in CHANGED_AFTER_START or key.startswith("simulation."):
            # A simulated car continues to drive.
            assert (shown[name] == "unknown") is (before == "unknown"), name
        elif key in ROUNDED_AFTER_START and before != "unknown":
            assert float(shown[name]) == pytest.approx(float(before), abs=0.3), name
        else:
            assert shown[name] == before, name


async def test_data_is_restored(
    accounts: list[VehicleConfigEntry], stored: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Records, habits, energy, logs, samples, requests, tokens, address and options are the stored ones."""
    problems = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert not [record.getMessage() for record in problems if DOMAIN in record.name]
    for entry in accounts:
        account = entry.runtime_data
        assert entry.state is ConfigEntryState.LOADED
        counted = stored["storage"][f"{DOMAIN}.{entry.entry_id}"]["data"]
        assert account.requests.today - account.provider.request_count == counted["requests"] > 0
        for vehicle in account.vehicles.values():
            before = _without_gone(stored["known"][vehicle.subentry_id])
            # The times of day of self-checks, which nothing follows any more
            del before["tracker"]["habits"]["check_rate"]
            assert _without_new(_as_stored(_known(vehicle)), before) == before
    real, simulated = (entry.runtime_data for entry in accounts)
    assert real.options == AccountOptions(interval=45, requests_per_day=5000, live_reads_per_day=2000)
    (vehicle,) = real.vehicles.values()
    assert vehicle.known.options == VehicleOptions(
        intervals={"driving": 30, "charging": 120, "in_use": 60},
        powered_lids=["frunk"],
        price=0.3,
        keep_positions=True,
    )
    tokens = stored["storage"][f"{DOMAIN}.{accounts[0].entry_id}_tokens"]["data"]
    assert real.provider.secrets >= {tokens["access_token"], tokens["refresh_token"]}
    assert tokens["access_token"] != accounts[0].data["access_token"]
    address = command_address_of(accounts[0].data)
    assert address is not None
    assert address.certificate == bytes.fromhex("ab" * 32)
    (drive,) = vehicle.log.drives
    assert drive.tag == "business"
    assert len(await vehicle.log_manager.samples.load(drive)) > 5
    assert vehicle.log.charge_tracker.open is not None
    samples = stored["storage"][f"{DOMAIN}.{samples_name(vehicle.subentry_id)}"]["data"]
    restored = vehicle.log_manager.samples._open.as_json()  # noqa: SLF001 - shown when the charge ends
    assert _as_stored(restored) == json.loads(samples["samples"])
    (other,) = simulated.vehicles.values()
    # It was added when no form asked for it.
    assert not other.known.options.keep_positions
    simulator = simulated.provider.simulator
    assert simulator is not None
    assert simulator.vehicles[0].driving.in_gear
