"""The log of a removed car: kept for 30 days, and offered when the car is added again."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
import json
from pathlib import Path
import re
from typing import Any, Final
from unittest.mock import Mock, patch

from homeassistant.config_entries import ConfigEntryState, UnknownEntry
from homeassistant.setup import async_setup_component
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log import kept_logs
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle

from .conftest import DAY, HOUR, Home
from .drive_log.activities import end_charge, start_charge, start_drive
from .flow import Flow
from .issues import issues, remove

REMOVED: Final = f"{DOMAIN}.removed_logs"
NEWER: Final = '{"version": 99, "minor_version": 1, "key": "x", "data": {}}'

two_cars = pytest.mark.parametrize("cars", [2])


def stored_file(home: Home, name: str) -> Path:
    """Return the only file with this name, which can be a pattern."""
    (path,) = Path(home.hass.config.path(".storage")).glob(f"{DOMAIN}.{name}")
    return path


def files(home: Home) -> set[str]:
    """Return the names of all files of the integration."""
    return {path.name for path in Path(home.hass.config.path(".storage")).glob(f"{DOMAIN}.*")}


def log_files(home: Home) -> set[str]:
    return {name for name in files(home) if ".log" in name}


def odometer(car: SimulatedVehicle) -> float:
    return float(car.driving.odometer)


async def drive(home: Home, miles: float = 5) -> None:
    await start_drive(home, miles)
    await home.advance(30 * 60, step=20)


async def remove_account(home: Home) -> None:
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    await home.idle()


async def remove_car(home: Home) -> None:
    await remove(home, home.car.vin)


async def add_from_list(flow: Flow) -> None:
    """Add a new account with all cars of its list, until the account is created or the log is offered."""
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
def hass_storage() -> dict[str, Any]:
    """Use real files: the logs of removed cars are found by their files."""
    return {}


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
async def test_car_that_is_added_again_continues_its_log(
    logged: Home, take_away: Callable[[Home], Awaitable[None]], add: Callable[[Flow], Awaitable[None]]
) -> None:
    """Nothing is lost or counted twice: the distances add up to the odometer, also of the time in between."""
    home, flow, vin = logged, Flow(logged), logged.car.vin
    before, meter = home.coordinator.log.snapshot(), home.coordinator.log_manager.meter
    samples = await home.coordinator.log_manager.samples.load(before.drives[0])
    start = odometer(home.car) - (before.drives[0].distance or 0.0)
    assert samples
    await take_away(home)
    stored = log_files(home)
    home.car.drive(7)
    await home.advance(3 * DAY, step=HOUR)
    await add(flow)
    assert flow.step == "kept_log"
    assert flow.placeholders["logs"] == f"| {home.car.name} | 1 | 1 | 2026-05-04 |"
    assert flow.values == {"use_log": True}
    await flow.submit(**flow.values)
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
        assert manager.meter.lifetime == meter.lifetime > 0
        assert stored <= log_files(home)
        assert {name.split(".")[1] for name in log_files(home)} == {name.split(".")[1] for name in stored}
        await home.set_car_options(price=0.3)
        await home.restart()
    assert REMOVED not in files(home)
    # It can be removed and added again.
    await remove_account(home)
    home.simulator.switches.list = True
    await add_from_list(flow)
    assert flow.placeholders["logs"] == f"| {home.car.name} | 3 | 1 | 2026-05-07 |"
    assert home.car.vin == vin


async def test_settings_of_the_car_keep_its_log(logged: Home) -> None:
    flow, entry = Flow(logged), logged.entry
    await remove_car(logged)
    await add_to_account(flow)
    await flow.submit(use_log=True)
    await flow.start_vehicle_options(entry)
    await flow.submit(intervals={}, log={"price": 0.2}, charging_plan={})
    await logged.restart()
    assert len(logged.coordinator.log.drives) == 1


async def test_refused_log_is_deleted_when_the_car_is_added(logged: Home) -> None:
    """The car starts with an empty log. Only to look at the question changes nothing."""
    home, flow = logged, Flow(logged)
    await remove_account(home)
    stored = log_files(home)
    for _ in range(2):
        await add_from_list(flow)
        assert flow.step == "kept_log"
        assert log_files(home) == stored
    await flow.submit(use_log=False)
    assert flow.is_created
    assert not log_files(home) & stored
    assert not home.coordinator.log.drives
    await home.restart()
    assert not home.coordinator.log.drives
    assert REMOVED not in files(home)


async def test_log_that_was_added_by_another_flow_is_not_deleted(logged: Home) -> None:
    first, second = Flow(logged), Flow(logged)
    await remove_account(logged)
    await add_from_list(first)
    await add_from_list(second)
    await first.submit(use_log=True)
    await second.submit(use_log=False)
    assert second.abort_reason == "already_configured"
    await logged.restart()
    assert len(logged.coordinator.log.drives) == 1


async def test_refused_log_stays_if_the_account_was_removed_in_the_meantime(logged: Home) -> None:
    flow = Flow(logged)
    await remove_car(logged)
    await add_to_account(flow)
    await remove_account(logged)
    with pytest.raises(UnknownEntry):
        await flow.submit(use_log=False)
    assert log_files(logged)


@two_cars
async def test_one_question_is_about_all_cars_that_have_a_log(logged: Home) -> None:
    home, flow = logged, Flow(logged)
    await remove_account(home)
    # The log of the second car has no entry.
    assert len({name.split(".")[1] for name in log_files(home)}) == 1
    await add_from_list(flow)
    assert flow.placeholders["logs"].count("\n") == 0
    await flow.submit(use_log=True)
    logs = [vehicle.log for vehicle in home.entry.runtime_data.vehicles.values()]
    assert [len(log.drives) for log in logs] == [1, 0]


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
    assert flow.is_created
    await home.unload()
    assert {name.split(".")[1] for name in log_files(home)} <= {*entry.subentries}


@pytest.mark.parametrize("is_loaded", [True, False])
async def test_log_is_deleted_after_30_days(logged: Home, *, is_loaded: bool) -> None:
    """It is also deleted if the account was removed, while Home Assistant runs."""
    home, flow = logged, Flow(logged)
    await (remove_car if is_loaded else remove_account)(home)
    await home.advance(29 * DAY, step=6 * HOUR)
    await (add_to_account if is_loaded else add_from_list)(flow)
    assert flow.step == "kept_log"
    await home.advance(2 * DAY, step=6 * HOUR)
    assert not log_files(home)
    assert REMOVED not in files(home)
    assert is_loaded or not files(home)
    # The question was left open for too long.
    await flow.submit(use_log=True)
    assert flow.is_created
    assert not home.coordinator.log.drives


async def test_log_that_cannot_be_read_is_kept_for_30_days(logged: Home) -> None:
    """A newer version, or the owner, may still read its files."""
    home, entry = logged, logged.entry
    await home.unload()
    stored_file(home, "*.log_open").write_text(NEWER)
    home.hass.config_entries.async_remove_subentry(entry, next(iter(entry.subentries)))
    await home.load()
    await home.advance(29 * DAY, step=6 * HOUR)
    assert [name for name in log_files(home) if ".log_open.newer." in name]
    await home.advance(2 * DAY, step=6 * HOUR)
    assert not log_files(home)


async def test_starts_delete_a_log_that_was_kept_for_30_days(logged: Home) -> None:
    await remove_car(logged)
    for _ in range(14):
        logged.skip(2 * DAY)
        await logged.restart()
    assert log_files(logged)
    logged.skip(2 * DAY)
    await logged.restart()
    assert not log_files(logged)


@pytest.mark.parametrize("restarts", [True, False])
async def test_log_of_a_car_that_was_removed_while_the_account_was_not_loaded_is_offered(
    logged: Home, *, restarts: bool
) -> None:
    """It is offered at once, also in another account, and kept for 30 days from when that was noticed."""
    home, flow, entry = logged, Flow(logged), logged.entry
    await home.unload()
    home.hass.config_entries.async_remove_subentry(entry, next(iter(entry.subentries)))
    if restarts:
        await home.load()
        await home.advance(29 * DAY, step=6 * HOUR)
        await home.unload()
    await add_to_account(flow)
    await flow.submit(use_log=True)
    assert entry.state is ConfigEntryState.NOT_LOADED
    await home.load()
    assert len(home.coordinator.log.drives) == 1


@pytest.mark.parametrize(
    "content",
    ["{", "[]", NEWER, '{"version": 1, "data": {}}'],
    ids=["damaged", "no list", "newer", "empty"],
)
async def test_damaged_list_of_removed_logs_only_keeps_them_longer(logged: Home, content: str) -> None:
    home, flow = logged, Flow(logged)
    await remove_car(home)
    path = stored_file(home, "removed_logs")
    assert path.stat().st_mode & 0o777 == 0o600
    await home.advance(20 * DAY, step=12 * HOUR)
    path.write_text(content)
    await home.restart()
    assert home.entry.state is ConfigEntryState.LOADED
    await home.advance(20 * DAY, step=12 * HOUR)
    await add_to_account(flow)
    assert flow.step == "kept_log"
    await home.advance(11 * DAY, step=12 * HOUR)
    assert not [name for name in files(home) if "log" in name]


@pytest.mark.parametrize(
    ("name", "value"),
    [(".*", "x"), (".*", None), ("checked_at", 1e12), ("checked_at", 7e8), ("(?!checked_at)", 7e8)],
)
async def test_wrong_time_in_the_list_counts_from_now(logged: Home, value: Any, name: str) -> None:
    await remove_car(logged)
    path = stored_file(logged, "removed_logs")
    stored = json.loads(path.read_text())
    stored["data"] |= dict.fromkeys([key for key in stored["data"] if re.match(name, key)], value)
    path.write_text(json.dumps(stored))
    await logged.restart()
    assert log_files(logged)
    await logged.advance(31 * DAY, step=12 * HOUR)
    assert not log_files(logged)


def clock_at(now: float) -> AbstractContextManager[Any]:
    """Let the module that keeps logs see a wrong clock. The simulated car would catch up with the time."""
    return patch.object(kept_logs, "time", Mock(time=Mock(return_value=now)))


@pytest.mark.parametrize("wrong", [946_684_800.0, 1_809_462_600.0, 4e9])
async def test_wrong_clock_at_a_start_counts_as_two_days_at_most(logged: Home, wrong: float) -> None:
    """A machine without a clock of its own starts in the past or in the future, until it knows the time."""
    await remove_car(logged)
    for _ in range(3):
        with clock_at(wrong):
            await logged.restart()
            await logged.idle()
        assert log_files(logged)
        await logged.restart()
        assert log_files(logged)
    await logged.advance(23 * DAY, step=12 * HOUR)
    assert log_files(logged)
    await logged.advance(8 * DAY, step=12 * HOUR)
    assert not log_files(logged)


async def test_log_of_a_car_that_was_removed_with_a_wrong_clock_is_kept(logged: Home) -> None:
    with clock_at(946_684_800.0):
        await remove_car(logged)
    await logged.restart()
    assert log_files(logged)
    await logged.advance(27 * DAY, step=12 * HOUR)
    assert log_files(logged)
    await logged.advance(4 * DAY, step=12 * HOUR)
    assert not log_files(logged)


async def test_time_that_an_earlier_version_stored_counts(logged: Home) -> None:
    await remove_car(logged)
    await logged.advance(20 * DAY, step=12 * HOUR)
    path = stored_file(logged, "removed_logs")
    stored = json.loads(path.read_text())
    del stored["data"]["checked_at"]
    path.write_text(json.dumps(stored))
    await logged.restart()
    await logged.advance(9 * DAY, step=12 * HOUR)
    assert log_files(logged)
    await logged.advance(2 * DAY, step=12 * HOUR)
    assert not log_files(logged)


async def test_power_cut_after_the_removal_loses_nothing(logged: Home) -> None:
    """Home Assistant stores a second later that a car was removed. Until then, a power cut brings it back."""
    home, entry = logged, logged.entry
    subentry = next(iter(entry.subentries.values()))
    await remove_car(home)
    home.hass.config_entries.async_add_subentry(entry, subentry)
    await home.restart()
    assert len(home.coordinator.log.drives) == 1
    assert REMOVED not in files(home)


async def test_log_that_an_earlier_version_stored_is_kept(logged: Home) -> None:
    """The VIN is stored soon after the start, even if the car is not read."""
    home, flow = logged, Flow(logged)
    await home.unload()
    path = stored_file(home, "*.log_open")
    stored = json.loads(path.read_text())
    del stored["data"]["vin"]
    path.write_text(json.dumps(stored))
    home.simulator.faults.answer(503, times=1000)
    await home.load()
    await home.unload()
    home.simulator.faults.clear()
    await remove_account(home)
    await add_from_list(flow)
    assert flow.step == "kept_log"


@pytest.mark.parametrize("is_loaded", [True, False])
async def test_log_of_a_simulated_car_is_not_kept(empty_home: Home, *, is_loaded: bool) -> None:
    """Another simulated car may get its VIN."""
    home = empty_home
    await home.add_simulated_account(vehicles=2)
    first, _ = home.entry.subentries.values()
    vehicle = home.entry.runtime_data.vehicles[first.subentry_id]
    simulator = home.entry.runtime_data.service.simulator
    assert simulator is not None
    simulator.vehicles[0].unplug()
    simulator.vehicles[0].drive(5)
    await home.advance(HOUR, step=60)
    assert vehicle.log.drives
    if not is_loaded:
        await home.unload()
    home.hass.config_entries.async_remove_subentry(home.entry, first.subentry_id)
    await home.restart()
    assert not [name for name in files(home) if first.subentry_id in name]
    assert REMOVED not in files(home)


@two_cars
async def test_log_is_offered_when_a_car_is_added_that_was_new_in_an_account(
    logged: Home,
) -> None:
    home, flow, car = logged, Flow(logged), logged.car
    await remove_account(home)
    home.simulator.vehicles.remove(car)
    await add_from_list(flow)
    assert flow.is_created
    await home.set_account_options(interval=60)
    await home.advance(HOUR, step=60)
    home.simulator.vehicles.append(car)
    await home.advance(HOUR, step=60)
    (issue,) = issues(home)
    assert await async_setup_component(home.hass, "repairs", {})
    flows = home.hass.data["repairs"]["flow_manager"]
    form = await flows.async_init(DOMAIN, data={"issue_id": issue.issue_id})
    form = await flows.async_configure(form["flow_id"], {"next_step_id": "confirm"})
    form = await flows.async_configure(form["flow_id"], {"keep_positions": True})
    assert form["description_placeholders"]["logs"].startswith(f"| {car.name} | 1 | 1 |")
    form = await flows.async_configure(form["flow_id"], {"use_log": True})
    await home.idle()
    assert form["type"] == "create_entry"
    assert [len(vehicle.log.drives) for vehicle in home.entry.runtime_data.vehicles.values()] == [0, 1]
