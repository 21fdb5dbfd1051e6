"""The files that an earlier version stored, and the start of the integration with them.

Commit 112c57d wrote the files after two days of use. The real account has a car that is charging. The
simulated account has a car that drives and a parked car with a dog in it. The service does not answer after
the start, so everything in these tests comes from the files.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
import json
import logging
from pathlib import Path
import time
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
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.coordinator import VehicleConfigEntry

FIXTURE: Final = Path(__file__).parents[1] / "fixtures" / "stored_by_112c57d.json"

CHARGING: Final = "5YJSA1E46KF123457"
DRIVING: Final = "5YJSA1E47KF544457"
PARKED: Final = "5YJXCCE22KF931878"

# Every entity that does not show its stored state, by platform and unique id without the VIN or entry id.
UNKNOWN_AFTER_START: Final = {
    # The car may have fallen asleep or woken meanwhile.
    ("sensor", "state"),
    ("binary_sensor", "state"),
    # The service has not answered yet.
    ("binary_sensor", "service_reachable"),
    # The last command is not stored.
    ("sensor", "last_command"),
}
CHANGED_AFTER_START: Final[Mapping[tuple[str, str], str]] = {
    # The car reported "in half an hour" at 04:05. The more exact time from its earlier reports is not stored.
    ("sensor", f"{CHARGING}-charge_state.time_to_full_charge"): "2026-05-06T04:35:00+00:00",
    # A new number has the unit of the unit system: 85 mph, and the distance of the next drive, 10 mi.
    **{
        ("number", f"{vin}-vehicle_state.speed_limit_mode.current_limit_mph"): "136.8"
        for vin in (CHARGING, DRIVING, PARKED)
    },
    **{("number", f"{vin}-simulation.drive"): "16.1" for vin in (DRIVING, PARKED)},
    # The simulated car continued to drive.
    ("number", f"{DRIVING}-simulation.battery_level"): "55",
    ("number", f"{DRIVING}-simulation.inside_temp"): "21.7",
}

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")


@pytest.fixture(autouse=True)
def _service_never_answers() -> Iterator[None]:
    """Let no request of either account end."""

    @asynccontextmanager
    async def never_answer(*_args: Any, **_kwargs: Any) -> AsyncGenerator[None]:
        await asyncio.Event().wait()
        yield

    with patch("aiohttp.ClientSession.request", never_answer):
        yield


@pytest.fixture
def stored() -> dict[str, Any]:
    """The stored files, the config entries, and the states that were shown when the files were written."""
    content: dict[str, Any] = json.loads(FIXTURE.read_text())
    return content


@pytest.fixture
async def accounts(
    hass: HomeAssistant,
    enable_custom_integrations: None,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    stored: dict[str, Any],
    request: pytest.FixtureRequest,
) -> AsyncIterator[list[VehicleConfigEntry]]:
    """The real and the simulated account, after the start with the stored files."""
    freezer.move_to(datetime.fromisoformat(stored["stored_at"]))
    # The time between the stop of the earlier version and the start of this one
    freezer.tick(60)
    if pause := getattr(request, "param", 0):
        # The service required a pause before the stop.
        _data_of(stored, stored["entries"][0]["entry_id"])["wait_until"] = time.time() + pause
    hass_storage.update(_copy(stored["storage"]))
    for entry in stored["entries"]:
        MockConfigEntry(domain=DOMAIN, **_copy(entry)).add_to_hass(hass)
    setup = hass.async_create_task(async_setup_component(hass, DOMAIN, {}))
    for _ in range(100_000):
        if setup.done():
            break
        await asyncio.sleep(0)
    assert setup.done(), "the setup waits for an answer"
    await hass.async_block_till_done()
    yield hass.config_entries.async_entries(DOMAIN)
    await _unload(hass)


async def _unload(hass: HomeAssistant) -> None:
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        assert await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)


def _with_new_keys(data: dict[str, Any]) -> dict[str, Any]:
    """Add what the earlier version did not store of a car."""
    if "watch" not in data:
        return data
    nothing_learned = {"since": 0.0, "wakes": []}
    habits = {
        **data["watch"]["habits"],
        "arrival_rate": nothing_learned,
        "check_rate": nothing_learned,
        "checks": [],
    }
    habits["stays"] = [{**stay, "at": None} for stay in habits["stays"]]
    return {**data, "watch": {**data["watch"], "woke_after": 0.0, "habits": habits}}


def _copy(value: Any) -> Any:
    """Return a value as it is after storing and loading it."""
    return json.loads(json.dumps(value, default=str))


def _data_of(stored: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the content of the file that is stored under the id of an entry or subentry."""
    data: dict[str, Any] = stored["storage"][f"{DOMAIN}.{name}"]["data"]
    return data


def _expected(platform: str, unique_id: str, before: Any) -> Any:
    """Return what an entity shows after the start. `before`: what it showed before the stop."""
    key = platform, unique_id.partition("-")[2]
    if key in UNKNOWN_AFTER_START:
        return "unknown"
    if key == ("sensor", "requests_today"):
        # It counts the request that the service has not answered.
        return str(int(before) + 1)
    return CHANGED_AFTER_START.get((platform, unique_id), before)


def test_every_state_is_restored(
    hass: HomeAssistant, accounts: list[VehicleConfigEntry], stored: dict[str, Any]
) -> None:
    """The entities of the earlier version show the same values, except for those listed above."""
    before = stored["states"]
    shown: dict[str, dict[str, Any]] = {platform: {} for platform in before}
    registry = er.async_get(hass)
    for account in accounts:
        for entity in er.async_entries_for_config_entry(registry, account.entry_id):
            state = hass.states.get(entity.entity_id)
            assert state is not None, entity.entity_id
            if entity.unique_id not in before.get(entity.domain, ()):
                continue
            value: Any = state.state
            # Descriptive attributes are not stored.
            if isinstance(earlier := before[entity.domain].get(entity.unique_id), dict):
                everything = {"state": state.state, **_copy(dict(state.attributes))}
                value = {name: everything.get(name) for name in earlier}
            shown[entity.domain][entity.unique_id] = value
    assert shown == {
        platform: {unique_id: _expected(platform, unique_id, value) for unique_id, value in states.items()}
        for platform, states in before.items()
    }


def test_data_is_restored(
    accounts: list[VehicleConfigEntry], stored: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Records, habits, energy, requests and options are the stored ones. The simulated cars continue."""
    problems = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert not [record.getMessage() for record in problems if DOMAIN in record.name]
    vins = set()
    for entry in accounts:
        account = entry.runtime_data
        assert entry.state is ConfigEntryState.LOADED
        assert account.service.client.request_count == 1
        assert account.requests.today - 1 == _data_of(stored, entry.entry_id)["requests"] > 0
        for vehicle in account.vehicles.values():
            data = _data_of(stored, vehicle.subentry_id)
            assert vehicle.raw == data["record"]
            assert _copy(vehicle.status.tracker.as_json()) == _with_new_keys(data)["watch"]
            assert _copy(vehicle.log_manager.meter.as_json()) == data["meter"]
            options = VehicleOptions(is_read_only=True)
            if vehicle.vin == CHARGING:
                intervals = {"driving": 30, "charging": 120, "in_use": 60}
                options = VehicleOptions(intervals=intervals, powered_lids=("frunk",))
            assert vehicle.options == options
            vins.add(vehicle.vin)
    assert vins == {CHARGING, DRIVING, PARKED}
    assert [account.runtime_data.options for account in accounts] == [
        AccountOptions(interval=45),
        AccountOptions(interval=120, is_read_only=True),
    ]
    simulator = accounts[1].runtime_data.service.simulator
    assert simulator is not None
    assert _copy(simulator.as_json()) == stored["simulator_a_minute_later"]


async def test_stored_again(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    accounts: list[VehicleConfigEntry],
    stored: dict[str, Any],
) -> None:
    """Files that are stored again have the same keys and the same values of cars, and seen VINs."""
    for account in accounts:
        for vehicle in account.runtime_data.vehicles.values():
            vehicle.store.schedule_save()
    await _unload(hass)
    files = {name: file for name, file in hass_storage.items() if name.startswith(DOMAIN)}
    assert set(files) == set(stored["storage"])
    for name, before in stored["storage"].items():
        after = _copy(files[name])
        is_vehicle = "record" in before["data"]
        # The earlier version did not store these.
        assert set(after["data"]) == set(before["data"]) | (
            {"unconfirmed"} if is_vehicle else {"wait", "planned", "live_reads", "other_days", "vins"}
        )
        assert {**after, "data": None} == {**before, "data": None}
        kept = ("record", "meter", "watch") if is_vehicle else ("day", "vehicles", "seen", "base_url")
        data = _with_new_keys(before["data"])
        assert {key: after["data"][key] for key in kept} == {key: data[key] for key in kept}


@pytest.mark.parametrize("accounts", [200], indirect=True)
def test_pause_is_continued(accounts: list[VehicleConfigEntry]) -> None:
    """A pause that the service required before the stop lasts until its stored end."""
    client = accounts[0].runtime_data.service.client
    assert client.pause_left == pytest.approx(200)
    assert client.request_count == 0
