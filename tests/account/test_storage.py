"""What is remembered over a restart, and what is not."""

import json
from pathlib import Path
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
import pytest

from custom_components.vehicle_remote_access.account.storage import Memory, forget
from custom_components.vehicle_remote_access.const import DOMAIN

from ..conftest import TOKEN, Home

ROOF = ("cover", "vehicle_state.sun_roof_percent_open")
BATTERY = ("sensor", "charge_state.battery_level")
LIFETIME = ("sensor", "charge_state.charge_energy_added.lifetime")


def kept(hass_storage: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept on disk, by name."""
    return {name: value for name, value in hass_storage.items() if name.startswith(DOMAIN)}


async def test_restart_while_asleep(hass_storage: dict[str, Any], home: Home) -> None:
    """After a restart, a car that sleeps is shown as it was last known, and is not asked."""
    before = home.states()
    home.car.fall_asleep()
    home.simulator.requests.clear()
    await home.restart()
    assert home.shown("sensor", "state").state == "asleep"
    assert home.shown(*BATTERY).state == before[home.entity_id(*BATTERY)]
    assert home.shown(*ROOF).state == "closed"
    assert not home.requests("_data")
    assert not home.requests("/wake_up")


async def test_same_entities_after_a_restart(hass_storage: dict[str, Any], home: Home) -> None:
    """A restart while the car sleeps brings the same entities, those of optional equipment too."""
    before = set(home.states())
    home.car.fall_asleep()
    await home.restart()
    assert set(home.states()) == before


async def test_start_does_not_wait_for_the_service(hass_storage: dict[str, Any], home: Home) -> None:
    """What is remembered is shown even if the service is down at the start."""
    home.simulator.faults.answer(503, times=3)
    await home.restart()
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.shown(*BATTERY).state == "72"
    assert home.shown("sensor", "state").state == "unknown"
    await home.advance(240)
    assert home.shown("sensor", "state").state == "online"


async def test_refused_token_at_start(hass_storage: dict[str, Any], home: Home) -> None:
    """A token that was revoked in the meantime opens the dialog, and the stored values are not shown."""
    home.simulator.token = "another"
    await home.restart()
    assert home.entry.state is ConfigEntryState.LOADED
    await home.advance(6)
    assert [flow["context"]["source"] for flow in home.hass.config_entries.flow.async_progress()] == [
        "reauth"
    ]
    assert home.shown(*BATTERY).state == "unavailable"


async def test_nothing_secret_is_kept(hass_storage: dict[str, Any], home: Home) -> None:
    """Neither tokens nor the owner's number stand in what is remembered."""
    secrets = [*home.coordinator.raw["tokens"], str(home.coordinator.raw["user_id"]), TOKEN]
    await home.leave()
    found = json.dumps(kept(hass_storage))
    assert "battery_level" in found
    assert not [secret for secret in secrets if secret in found]
    assert home.car.vin not in "".join(kept(hass_storage))


async def test_forgotten_with_the_account(hass_storage: dict[str, Any], home: Home) -> None:
    """Deleting the account deletes what was remembered."""
    await home.leave()
    assert len(kept(hass_storage)) == 2
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    await home.idle()
    assert not kept(hass_storage)


@pytest.mark.parametrize("cars", [2])
async def test_forgotten_with_the_vehicle(hass_storage: dict[str, Any], home: Home) -> None:
    """Removing one car deletes what was remembered of it, and nothing else."""
    await home.restart()
    names = set(kept(hass_storage))
    sold = home.coordinator.subentry_id
    home.hass.config_entries.async_remove_subentry(home.entry, sold)
    await home.idle()
    assert names - set(kept(hass_storage)) == {f"{DOMAIN}.{sold}"}


async def test_lifetime_energy_survives(hass_storage: dict[str, Any], home: Home) -> None:
    """The counter of all energy charged goes on where it was."""
    home.simulator.faults.corrupt("charge_state.charge_energy_added", 3.5)
    await home.poll()
    assert home.shown(*LIFETIME).state == "3.5"
    home.simulator.faults.corrupt("charge_state.charge_energy_added", 4.5)
    await home.restart()
    await home.poll()
    assert home.shown(*LIFETIME).state == "4.5"


async def test_requests_of_the_day_survive(
    hass_storage: dict[str, Any], entity_registry_enabled_by_default: None, home: Home
) -> None:
    """A restart does not begin the day anew, midnight does."""
    before = home.entry.runtime_data.requests_today
    await home.restart()
    assert home.entry.runtime_data.requests_today > before
    await home.advance(24 * 3600, step=300)
    counted = home.entry.runtime_data.requests_today
    await home.advance(24 * 3600, step=300)
    assert home.entry.runtime_data.requests_today == pytest.approx(counted, abs=10)


@pytest.mark.parametrize("spoiled", [[], {"record": 7, "meter": "x"}, {"record": {"charge_state": 1}}])
async def test_spoiled_memory(hass_storage: dict[str, Any], home: Home, spoiled: Any) -> None:
    """What cannot be understood is not remembered, and does no harm."""
    await home.leave()
    hass_storage[f"{DOMAIN}.{next(iter(home.entry.subentries))}"]["data"] = spoiled
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()
    assert home.shown(*BATTERY).state == "72"


async def test_memory_of_a_newer_version(
    hass: HomeAssistant, hass_storage: dict[str, Any], tmp_path: Path
) -> None:
    """What a newer version has written is kept aside, not overwritten."""
    hass.config.config_dir = str(tmp_path)
    name = f"{DOMAIN}.name"
    newer = {"version": 99, "minor_version": 1, "key": name, "data": {"a": 1}}
    hass_storage[name] = newer
    path = tmp_path / ".storage" / name
    path.parent.mkdir()
    path.write_text(json.dumps(newer))
    assert await Memory(hass, "name", dict).recall() == {}
    assert not path.exists()
    (aside,) = path.parent.glob(f"{name}.newer.*")
    assert json.loads(aside.read_text()) == newer


@pytest.mark.parametrize(
    "content", [[], {"version": 1}, {"version": 1, "data": ["a list"]}, "words"], ids=repr
)
async def test_damaged_memory(
    hass: HomeAssistant, hass_storage: dict[str, Any], tmp_path: Path, content: Any
) -> None:
    """What is damaged is kept aside, not overwritten; and goes with the car, should it be removed."""
    hass.config.config_dir = str(tmp_path)
    name = f"{DOMAIN}.name"
    hass_storage[name] = content
    path = tmp_path / ".storage" / name
    path.parent.mkdir()
    path.write_text(json.dumps(content))
    assert await Memory(hass, "name", dict).recall() == {}
    assert not path.exists()
    (aside,) = path.parent.glob(f"{name}.damaged.*")
    assert json.loads(aside.read_text()) == content
    await forget(hass, "name")
    assert list(path.parent.iterdir()) == []


async def test_memory_is_written_once_in_a_while(hass_storage: dict[str, Any], home: Home) -> None:
    """What changes every minute is written every few minutes."""
    home.car.unplug()
    home.car.drive(20)
    await home.poll()
    writes = []
    for _ in range(20):
        await home.advance(60)
        writes.append(json.dumps(kept(hass_storage).get(f"{DOMAIN}.{home.coordinator.subentry_id}")))
    assert 3 <= len(set(writes)) <= 6


@pytest.mark.parametrize("cars", [2])
async def test_new_car_takes_no_other_down(hass_storage: dict[str, Any], home: Home) -> None:
    """With the service down, a car of which nothing is remembered keeps no other from being shown."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    known, new = home.entry.subentries.values()
    del hass_storage[f"{DOMAIN}.{new.subentry_id}"]
    home.simulator.faults.answer(503, times=2)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.shown(*BATTERY, vin=known.unique_id).state == "72"
    assert home.shown(*BATTERY, vin=new.unique_id).state == "unknown"
    await home.advance(130)
    assert home.shown(*BATTERY, vin=new.unique_id).state == "54"


@pytest.mark.parametrize("cars", [2])
async def test_car_removed_while_nothing_ran(hass_storage: dict[str, Any], home: Home) -> None:
    """What is remembered of a car that was removed meanwhile is deleted at the next start."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    sold = next(iter(home.entry.subentries))
    home.hass.config_entries.async_remove_subentry(home.entry, sold)
    assert f"{DOMAIN}.{sold}" in hass_storage
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()
    assert f"{DOMAIN}.{sold}" not in hass_storage


async def test_new_session_is_kept_at_once(hass_storage: dict[str, Any], home: Home) -> None:
    """That a session has begun is not lost with the power: it would be counted twice."""
    name = f"{DOMAIN}.{home.coordinator.subentry_id}"
    home.car.unplug()
    await home.poll()
    home.car.plug_in()
    home.simulator.faults.corrupt("charge_state.charge_energy_added", 0.5)
    await home.poll()
    await home.advance(5)
    assert hass_storage[name]["data"]["meter"]["added"] == 0.5


@pytest.mark.parametrize("spoiled", [[], {"version": 1}, {"version": 0, "data": {}}])
async def test_unreadable_memory(hass_storage: dict[str, Any], home: Home, spoiled: Any) -> None:
    """A file that cannot be read at all is no reason to fail."""
    await home.leave()
    hass_storage[f"{DOMAIN}.{next(iter(home.entry.subentries))}"] = spoiled
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()
    assert home.shown(*BATTERY).state == "72"
