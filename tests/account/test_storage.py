"""Stored state: what survives a restart, and what is never stored."""

import errno
import json
from pathlib import Path
import time
from typing import Any
from unittest.mock import patch

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.account.storage import DataStore, remove_stores
from custom_components.vehicle_remote_access.const import DOMAIN

from ..conftest import BATTERY, TOKEN, Home


def stored_files(hass_storage: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in hass_storage.items() if name.startswith(DOMAIN)}


async def test_refused_token_at_start(home: Home) -> None:
    """If the token was revoked meanwhile, reauthentication starts, and stored values are not shown."""
    home.simulator.token = "another"
    await home.run_until_complete(home.restart())
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.open_flows() == ["reauth"]
    assert home.shown(*BATTERY).state == "unavailable"


async def test_files_have_no_secret_and_their_names_no_vin(hass_storage: dict[str, Any], home: Home) -> None:
    raw = home.coordinator.known.merged.raw
    secrets = [*raw["tokens"], str(raw["user_id"]), TOKEN]
    await home.leave()
    found = json.dumps(stored_files(hass_storage))
    assert "battery_level" in found
    assert not [secret for secret in secrets if secret in found]
    assert home.car.vin not in "".join(stored_files(hass_storage))
    assert len(stored_files(hass_storage)) == 3


@pytest.mark.parametrize("cars", [2])
async def test_file_is_deleted_with_the_vehicle(hass_storage: dict[str, Any], home: Home) -> None:
    """If a car is removed while the account is not loaded, the next start deletes its file, and no other."""
    await home.restart()
    names = set(stored_files(hass_storage))
    sold = home.coordinator.subentry_id
    await home.unload()
    home.hass.config_entries.async_remove_subentry(home.entry, sold)
    await home.restart()
    deleted = names - set(stored_files(hass_storage))
    assert deleted == {f"{DOMAIN}.{sold}"}


@pytest.mark.parametrize(("wait", "until"), [(100, 10_000), (160, 100)])
async def test_required_pause_continues_after_a_restart_even_if_the_clock_was_set_back(
    hass_storage: dict[str, Any], home: Home, wait: float, until: float
) -> None:
    await home.leave()
    stored = hass_storage[f"{DOMAIN}.{home.entry.entry_id}"]["data"]
    stored |= {"wait": wait, "wait_until": time.time() + until}
    home.simulator.requests.clear()
    await home.load()
    await home.advance(90)
    assert not home.requests()
    await home.advance(60)
    assert home.requests()


@pytest.mark.parametrize("data", [[], {"record": 7, "meter": "x"}, {"record": {"charge_state": 1}}])
async def test_invalid_data_does_not_fail_setup(hass_storage: dict[str, Any], home: Home, data: Any) -> None:
    await home.leave()
    hass_storage[f"{DOMAIN}.{next(iter(home.entry.subentries))}"] = {"version": 1, "data": data}
    await home.load()
    assert home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize(
    ("problem", "content"),
    [
        ("newer", {"version": 99, "minor_version": 1, "key": f"{DOMAIN}.name", "data": {"a": 1}}),
        ("damaged", {"version": 0, "data": {}}),
        ("damaged", {"version": 1}),
        ("damaged", {"version": 1, "data": ["a list"]}),
        ("damaged", []),
    ],
)
async def test_newer_or_damaged_file_is_kept_as_a_copy_until_the_car_is_removed(
    hass_storage: dict[str, Any], hass: HomeAssistant, tmp_path: Path, problem: str, content: Any
) -> None:
    hass.config.config_dir = str(tmp_path)
    name = f"{DOMAIN}.name"
    hass_storage[name] = content
    path = tmp_path / ".storage" / name
    path.parent.mkdir()
    path.write_text(json.dumps(content))
    assert await DataStore(hass, "name", dict).load() == {}
    assert not path.exists()
    (copy,) = path.parent.glob(f"{name}.{problem}.*")
    assert json.loads(copy.read_text()) == content
    await remove_stores(hass, "name")
    assert list(path.parent.iterdir()) == []


async def test_file_that_can_not_be_read_for_a_moment_is_read_later(home: Home) -> None:
    await home.unload()
    error = HomeAssistantError()
    error.__cause__ = OSError(errno.EIO, "Input/output error")
    with patch.object(DataStore, "async_load", side_effect=error):
        assert not await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.advance(30)
    assert home.entry.state is ConfigEntryState.LOADED


async def test_many_changes_are_stored_every_few_minutes(hass_storage: dict[str, Any], home: Home) -> None:
    home.start_drive(20)
    await home.poll()
    writes = set()
    for _ in range(20):
        await home.advance(60)
        writes.add(json.dumps(stored_files(hass_storage).get(f"{DOMAIN}.{home.coordinator.subentry_id}")))
    assert 3 <= len(writes) <= 6


async def test_new_session_is_stored_soon(hass_storage: dict[str, Any], home: Home) -> None:
    """A new charging session is stored within seconds. If it were lost, its energy would count twice."""
    home.car.unplug()
    await home.poll()
    home.car.plug_in()
    home.skip(120)
    home.simulator.faults.corrupt("charge_state.charge_energy_added", 0.5)
    home.simulator.faults.corrupt("charge_state.charge_miles_added_rated", 2)
    await home.poll()
    await home.advance(5)
    assert hass_storage[f"{DOMAIN}.{home.coordinator.subentry_id}"]["data"]["meter"]["added"] == 0.5


@pytest.mark.parametrize("cars", [2])
async def test_car_without_stored_data_hides_no_other(hass_storage: dict[str, Any], home: Home) -> None:
    await home.unload()
    known, new = home.entry.subentries.values()
    del hass_storage[f"{DOMAIN}.{new.subentry_id}"]
    home.simulator.faults.answer(503, times=2)
    await home.load()
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.shown(*BATTERY, vin=known.unique_id).state == "72"
    assert home.shown(*BATTERY, vin=new.unique_id).state == "unknown"
    await home.advance(130)
    assert home.shown(*BATTERY, vin=new.unique_id).state == "54"
