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
from threading import Timer
from typing import Any, Final
from unittest.mock import patch

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.vehicle_remote_access.account.options import AccountOptions, VehicleOptions
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.coordinator import AccountCoordinator
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.vehicle.coordinator import VehicleCoordinator

FIXTURE: Final = Path(__file__).parents[1] / "fixtures" / "stored_by_112c57d.json"
# Seconds between the stop of the earlier version and the start of this one
STOPPED_FOR: Final = 60.0
# Seconds, in real time, after which a setup that waits for an answer is canceled
SETUP_TIMEOUT: Final = 20.0

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
    # The simulated car continued to drive.
    ("number", f"{DRIVING}-simulation.drive"): "8.6",
    ("number", f"{DRIVING}-simulation.battery_level"): "55",
    ("number", f"{DRIVING}-simulation.inside_temp"): "21.7",
}
# These entities count the request that the service has not answered.
REQUESTS_TODAY: Final = ("sensor", "requests_today")

# Keys that the earlier version did not store, by kind of file
NEW_KEYS: Final = {
    # The longest time that `wait_until` may still last. The clock may have been set back.
    "account": {"wait"},
    # Whether the effect of a command still has to be confirmed.
    "vehicle": {"unconfirmed"},
}

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")

type Account = ConfigEntry[AccountCoordinator]


@asynccontextmanager
async def _never_answer(*_args: Any, **_kwargs: Any) -> AsyncGenerator[None]:
    await asyncio.Event().wait()
    yield


@pytest.fixture(autouse=True)
def _service_never_answers() -> Iterator[None]:
    """Let no request of either account end."""
    with patch("aiohttp.ClientSession.request", _never_answer):
        yield


@pytest.fixture
def stored() -> dict[str, Any]:
    """The stored files, the config entries, and the states that were shown when the files were written."""
    content: dict[str, Any] = json.loads(FIXTURE.read_text())
    return content


@pytest.fixture
async def accounts(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    stored: dict[str, Any],
) -> AsyncIterator[list[Account]]:
    """The real and the simulated account, after the start with the stored files."""
    yield await _start(hass, hass_storage, freezer, stored)
    await _unload(hass)


async def _start(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    stored: dict[str, Any],
) -> list[Account]:
    freezer.move_to(datetime.fromisoformat(stored["stored_at"]))
    freezer.tick(STOPPED_FOR)
    hass_storage.update(_copy(stored["storage"]))
    for entry in stored["entries"]:
        MockConfigEntry(domain=DOMAIN, **_copy(entry)).add_to_hass(hass)
    setup = hass.async_create_task(async_setup_component(hass, DOMAIN, {}))
    # The event loop's own timers stand still, like the clock.
    timer = Timer(SETUP_TIMEOUT, hass.loop.call_soon_threadsafe, [setup.cancel])
    timer.start()
    try:
        assert await setup
    finally:
        timer.cancel()
        timer.join()
    await hass.async_block_till_done()
    return hass.config_entries.async_entries(DOMAIN)


async def _unload(hass: HomeAssistant) -> None:
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        assert await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)


def _copy(value: Any) -> Any:
    """Return a value as it is after storing and loading it."""
    return json.loads(json.dumps(value, default=str))


def _vehicles(accounts: list[Account]) -> dict[str, VehicleCoordinator]:
    """Return the vehicles of all accounts by VIN."""
    return {vehicle.vin: vehicle for entry in accounts for vehicle in entry.runtime_data.vehicles.values()}


def _simulator(accounts: list[Account]) -> Simulator:
    simulator = accounts[1].runtime_data.service.simulator
    assert simulator is not None
    return simulator


def _data_of(stored: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the content of the file that is stored under the id of an entry or subentry."""
    data: dict[str, Any] = stored["storage"][f"{DOMAIN}.{name}"]["data"]
    return data


def _expected(platform: str, unique_id: str, before: Any) -> Any:
    """Return what an entity shows after the start. `before`: what it showed before the stop."""
    key = platform, unique_id.partition("-")[2]
    if key in UNKNOWN_AFTER_START:
        return "unknown"
    if key == REQUESTS_TODAY:
        return str(int(before) + 1)
    return CHANGED_AFTER_START.get((platform, unique_id), before)


def _shown(hass: HomeAssistant, accounts: list[Account], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what all entities show, by platform and unique id.

    It has the same attributes as `before`, in which descriptive attributes are left out.
    """
    shown: dict[str, dict[str, Any]] = {}
    registry = er.async_get(hass)
    for account in accounts:
        for entity in er.async_entries_for_config_entry(registry, account.entry_id):
            state = hass.states.get(entity.entity_id)
            assert state is not None, entity.entity_id
            value: Any = state.state
            if isinstance(earlier := before[entity.domain].get(entity.unique_id), dict):
                everything = {"state": state.state, **_copy(dict(state.attributes))}
                value = {name: everything.get(name) for name in earlier}
            shown.setdefault(entity.domain, {})[entity.unique_id] = value
    return shown


def test_files_of_all_kinds(stored: dict[str, Any]) -> None:
    """The stored files have learned habits, a charging session, requests, and simulated cars."""
    real, simulated = stored["entries"]
    (car,) = real["subentries_data"]
    data = _data_of(stored, car["subentry_id"])
    habits = data["watch"]["habits"]
    assert len(habits["sleeps"]) == 5
    assert len(habits["stays"]) == 4
    assert habits["sleepless"]
    assert habits["self_checks"]
    assert data["watch"]["arrival"]
    assert 0 < data["meter"]["added"] < data["meter"]["lifetime"]
    assert data["meter"]["session_began"]
    assert _data_of(stored, real["entry_id"])["requests"]
    assert set(_data_of(stored, simulated["entry_id"])["simulator"]["vehicles"]) == {DRIVING, PARKED}


def test_start_needs_no_answer(accounts: list[Account], caplog: pytest.LogCaptureFixture) -> None:
    """Both accounts are set up while their first request is unanswered, and nothing is wrong."""
    assert [account.state for account in accounts] == [ConfigEntryState.LOADED] * 2
    assert [account.runtime_data.service.client.request_count for account in accounts] == [1, 1]
    assert not [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and DOMAIN in record.name
    ]


def test_every_state_is_restored(
    hass: HomeAssistant, accounts: list[Account], stored: dict[str, Any]
) -> None:
    """The same entities show the same values, except for those listed above."""
    before = stored["states"]
    expected = {
        platform: {unique_id: _expected(platform, unique_id, value) for unique_id, value in states.items()}
        for platform, states in before.items()
    }
    assert _shown(hass, accounts, before) == expected


def test_listed_exceptions_exist(stored: dict[str, Any]) -> None:
    """Every exception listed above is about an entity whose stored state differs."""
    states = {
        (platform, unique_id): state
        for platform, by_id in stored["states"].items()
        for unique_id, state in by_id.items()
    }
    keys = {(platform, unique_id.partition("-")[2]) for platform, unique_id in states}
    assert keys >= {*UNKNOWN_AFTER_START, REQUESTS_TODAY}
    assert all(states[key] != value for key, value in CHANGED_AFTER_START.items())


def test_records_habits_and_energy_are_restored(accounts: list[Account], stored: dict[str, Any]) -> None:
    """The record, the activity with its habits, and the energy meter of each car are the stored ones."""
    vehicles = _vehicles(accounts)
    assert set(vehicles) == {CHARGING, DRIVING, PARKED}
    for vehicle in vehicles.values():
        data = _data_of(stored, vehicle.subentry_id)
        assert vehicle.raw == data["record"]
        assert _copy(vehicle.tracker.as_json()) == data["watch"]
        assert _copy(vehicle.energy.as_json()) == data["meter"]


def test_requests_are_counted_further(accounts: list[Account], stored: dict[str, Any]) -> None:
    """The requests of the day include those before the start."""
    for entry in accounts:
        account = entry.runtime_data
        before = _data_of(stored, entry.entry_id)["requests"]
        assert account.requests.today - account.service.client.request_count == before > 0


def test_options_are_kept(accounts: list[Account]) -> None:
    """The options of accounts and cars are those that the earlier version stored."""
    vehicles = _vehicles(accounts)
    assert [account.runtime_data.options for account in accounts] == [
        AccountOptions(interval=45),
        AccountOptions(interval=120, is_read_only=True),
    ]
    assert vehicles[CHARGING].options == VehicleOptions(
        intervals={"driving": 30, "charging": 120, "in_use": 60}, powered_lids=("frunk",)
    )
    assert vehicles[DRIVING].options == vehicles[PARKED].options == VehicleOptions(is_read_only=True)


def test_simulation_continues(accounts: list[Account], stored: dict[str, Any]) -> None:
    """The simulated cars are as the earlier version would have continued them.

    The parked car is unchanged, with its odometer, open trunk and sentry mode. The other car drove on.
    """
    simulator = _simulator(accounts)
    assert _copy(simulator.as_json()) == stored["simulator_a_minute_later"]
    before = _data_of(stored, accounts[1].entry_id)["simulator"]["vehicles"]
    driving, parked = simulator.vehicles
    assert parked.driving.odometer == before[PARKED]["driving"]["odometer"]
    assert round(parked.charging.level) == round(before[PARKED]["charging"]["level"])
    assert parked.as_json()["body"] == before[PARKED]["body"]
    hours = (driving.timeline.now - before[DRIVING]["timeline"]["now"]) / 3600
    miles = driving.driving.odometer - before[DRIVING]["driving"]["odometer"]
    # The speed of the trip
    assert miles / hours == pytest.approx(65)


async def test_stored_again(
    hass: HomeAssistant, hass_storage: dict[str, Any], accounts: list[Account], stored: dict[str, Any]
) -> None:
    """Files that are stored again have the same keys and the same values of cars, and seen VINs."""
    for vehicle in _vehicles(accounts).values():
        vehicle.store.schedule_save()
    await _unload(hass)
    files = {name: file for name, file in hass_storage.items() if name.startswith(DOMAIN)}
    assert set(files) == set(stored["storage"])
    for name, before in stored["storage"].items():
        after = _copy(files[name])
        kind = "vehicle" if "record" in before["data"] else "account"
        assert set(after["data"]) == set(before["data"]) | NEW_KEYS[kind]
        assert {**after, "data": None} == {**before, "data": None}
        kept = ("record", "meter", "watch") if kind == "vehicle" else ("day", "vehicles", "seen", "base_url")
        assert {key: after["data"][key] for key in kept} == {key: before["data"][key] for key in kept}


async def test_pause_is_continued(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    stored: dict[str, Any],
) -> None:
    """A pause that the service required before the stop lasts until its stored end."""
    real = _data_of(stored, stored["entries"][0]["entry_id"])
    real["wait_until"] = datetime.fromisoformat(stored["stored_at"]).timestamp() + STOPPED_FOR + 200
    account, _ = await _start(hass, hass_storage, freezer, stored)
    assert account.runtime_data.service.client.pause_left == pytest.approx(200)
    assert account.runtime_data.service.client.request_count == 0
    await _unload(hass)
