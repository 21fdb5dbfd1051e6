"""The log of a removed car: kept for 30 days, and continued when the car is added again."""

import errno
import json
from typing import Any, Final
from unittest.mock import patch

from homeassistant.config_entries import ConfigEntryState
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.account.storage import DataStore
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle

from .conftest import DAY, HOUR, REAL_FILES, Home
from .drive_log.activities import drive, end_charge, start_charge
from .flow import Flow

REMOVED: Final = f"{DOMAIN}.removed_logs"
# The logs of removed cars are found by their files.
pytestmark = REAL_FILES


def log_files(home: Home) -> set[str]:
    return {name for name in home.files if ".log" in name}


def odometer(car: SimulatedVehicle) -> float:
    return float(car.driving.odometer)


async def remove_account(home: Home) -> None:
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    await home.idle()


async def remove_car(home: Home) -> None:
    await home.remove_car(home.car.vin)


async def add_from_list(flow: Flow) -> None:
    """Add a new account with all cars of its list."""
    await flow.start_account()
    await flow.submit(vehicles=[str(car.id) for car in flow.home.simulator.vehicles])


async def add_by_id(flow: Flow) -> None:
    flow.home.simulator.switches.list = False
    await flow.start_account()
    await flow.submit(id=str(flow.home.car.id))


async def add_to_account(flow: Flow) -> None:
    await flow.start_add_vehicle(flow.home.entry)
    await flow.submit(id=str(flow.home.car.id))


@pytest.fixture
async def logged(home: Home) -> Home:
    """A home whose first car was driven and charged."""
    await start_charge(home)
    await home.advance(HOUR, step=60)
    await end_charge(home)
    await drive(home)
    assert [len(each) for each in home.coordinator.log.entries][:2] == [1, 1]
    return home


@pytest.mark.parametrize(
    ("take_away", "add"),
    [(remove_account, add_from_list), (remove_account, add_by_id), (remove_car, add_to_account)],
    ids=["list of a new account", "id in a new account", "same account"],
)
async def test_car_that_is_added_again_continues_its_log(logged: Home, take_away: Any, add: Any) -> None:
    """Nothing is lost or counted twice: the distances add up to the odometer, also of the time in between."""
    home, flow = logged, Flow(logged)
    before, meter = home.coordinator.log.snapshot(), home.coordinator.log_manager.log.meter
    samples = await home.coordinator.log_manager.samples.load(before.drives[0])
    start = odometer(home.car) - (before.drives[0].distance or 0.0)
    assert samples
    await take_away(home)
    stored = log_files(home)
    home.car.drive(7)
    await home.advance(3 * DAY, step=HOUR)
    await add(flow)
    assert flow.is_created
    await home.set_account_options(interval=60)
    await drive(home, 4)
    for _ in range(2):
        log, manager = home.coordinator.log, home.coordinator.log_manager
        assert (log.drives[0], log.charges) == (before.drives[0], before.charges)
        assert [drive.seen for drive in log.drives] == ["live", "afterwards", "live"]
        assert [drive.distance for drive in log.drives] == pytest.approx([5, 7, 4], abs=0.01)
        assert sum(drive.distance or 0.0 for drive in log.drives) == pytest.approx(odometer(home.car) - start)
        assert await manager.samples.load(log.drives[0]) == samples
        assert manager.log.meter.lifetime == meter.lifetime > 0
        assert stored <= log_files(home)
        assert {name.split(".")[1] for name in log_files(home)} == {name.split(".")[1] for name in stored}
        await home.set_car_options(price=0.3)
        await home.restart()
    assert REMOVED not in home.files
    # It can be removed and added again.
    await remove_account(home)
    home.simulator.switches.list = True
    await add_from_list(flow)
    assert len(home.coordinator.log.drives) == 3


async def test_settings_of_the_car_keep_its_log(logged: Home) -> None:
    flow, entry = Flow(logged), logged.entry
    await remove_car(logged)
    await add_to_account(flow)
    await flow.start_vehicle_options(entry)
    await flow.submit(price=0.2)
    await logged.restart()
    assert len(logged.coordinator.log.drives) == 1


@pytest.mark.parametrize("cars", [2])
async def test_each_car_continues_only_its_own_log(logged: Home) -> None:
    await remove_account(logged)
    await add_from_list(Flow(logged))
    logs = [vehicle.log for vehicle in logged.entry.runtime_data.vehicles.values()]
    assert [len(log.drives) for log in logs] == [1, 0]


async def test_car_whose_kept_files_a_person_deleted_starts_with_an_empty_log(logged: Home) -> None:
    await remove_car(logged)
    for name in log_files(logged):
        (logged.storage / name).unlink()
    await add_to_account(Flow(logged))
    assert not logged.coordinator.log.drives
    await logged.restart()
    assert REMOVED not in logged.files


@pytest.mark.parametrize("is_loaded", [True, False])
async def test_log_without_a_drive_and_a_charge_is_not_kept(home: Home, *, is_loaded: bool) -> None:
    flow, entry = Flow(home), home.entry
    await home.advance(600)
    assert log_files(home)
    if not is_loaded:
        await home.unload()
    home.hass.config_entries.async_remove_subentry(entry, next(iter(entry.subentries)))
    await home.idle()
    await add_to_account(flow)
    await home.restart()
    await home.unload()
    assert {name.split(".")[1] for name in log_files(home)} <= {*entry.subentries}


@pytest.mark.parametrize("is_loaded", [True, False])
async def test_log_is_deleted_after_30_days(logged: Home, *, is_loaded: bool) -> None:
    """It is also deleted if the account was removed, while Home Assistant runs."""
    home, flow = logged, Flow(logged)
    await (remove_car if is_loaded else remove_account)(home)
    await home.advance(29 * DAY, step=6 * HOUR)
    assert log_files(home)
    await home.advance(2 * DAY, step=6 * HOUR)
    assert not log_files(home)
    assert REMOVED not in home.files
    assert is_loaded or not home.files
    await (add_to_account if is_loaded else add_from_list)(flow)
    assert not home.coordinator.log.drives


async def test_log_of_a_car_removed_while_the_account_was_not_loaded_is_continued(logged: Home) -> None:
    home, flow, entry = logged, Flow(logged), logged.entry
    await home.unload()
    home.hass.config_entries.async_remove_subentry(entry, next(iter(entry.subentries)))
    await add_to_account(flow)
    assert entry.state is ConfigEntryState.NOT_LOADED
    await home.load()
    assert len(home.coordinator.log.drives) == 1


async def test_power_cut_after_the_removal_loses_nothing(logged: Home) -> None:
    """Home Assistant stores a second later that a car was removed. Until then, a power cut brings it back."""
    home, entry = logged, logged.entry
    subentry = next(iter(entry.subentries.values()))
    await remove_car(home)
    home.hass.config_entries.async_add_subentry(entry, subentry)
    await home.restart()
    assert len(home.coordinator.log.drives) == 1
    assert REMOVED not in home.files


async def test_kept_log_that_can_not_be_read_stops_only_a_car_that_may_continue_it(logged: Home) -> None:
    await remove_car(logged)
    await logged.unload()
    kept = log_files(logged)
    logged.stored_file("removed_logs").unlink()
    load = DataStore.async_load

    async def fail(store: DataStore) -> Any:
        if store.key in kept:
            raise HomeAssistantError from OSError(errno.EIO, "Input/output error")
        return await load(store)

    with patch.object(DataStore, "async_load", fail):
        await logged.load()
        states = [logged.entry.state]
        assert log_files(logged) == kept
        await add_to_account(Flow(logged))
        states.append(logged.entry.state)
    assert states == [ConfigEntryState.LOADED, ConfigEntryState.SETUP_RETRY]
    await logged.advance(60)
    assert len(logged.coordinator.log.drives) == 1


async def test_log_that_an_earlier_version_stored_is_continued(logged: Home) -> None:
    """The VIN is stored soon after the start, even if the car is not read."""
    home, flow = logged, Flow(logged)
    await home.unload()
    path = home.stored_file("*.log_open")
    stored = json.loads(path.read_text())
    del stored["data"]["vin"]
    path.write_text(json.dumps(stored))
    home.simulator.faults.answer(503, times=1000)
    await home.load()
    await home.unload()
    home.simulator.faults.clear()
    await remove_account(home)
    await add_from_list(flow)
    assert len(home.coordinator.log.drives) == 1


@pytest.mark.parametrize("is_loaded", [True, False])
async def test_log_of_a_simulated_car_is_not_kept(empty_home: Home, *, is_loaded: bool) -> None:
    """Another simulated car may get its VIN."""
    home = empty_home
    await home.add_simulated_account(vehicles=2)
    first, _ = home.entry.subentries.values()
    vehicle = home.entry.runtime_data.vehicles[first.subentry_id]
    simulator = home.entry.runtime_data.provider.simulator
    assert simulator is not None
    simulator.vehicles[0].unplug()
    simulator.vehicles[0].drive(5)
    await home.advance(HOUR, step=60)
    assert vehicle.log.drives
    if not is_loaded:
        await home.unload()
    home.hass.config_entries.async_remove_subentry(home.entry, first.subentry_id)
    await home.restart()
    assert not [name for name in home.files if first.subentry_id in name]
    assert REMOVED not in home.files


async def test_simulated_car_with_the_vin_of_a_kept_log_does_not_continue_it(logged: Home) -> None:
    vin = logged.car.vin
    await remove_account(logged)
    await logged.add_simulated_account()
    assert logged.coordinator.vin == vin
    assert not logged.coordinator.log.drives
    assert REMOVED in logged.files
