"""The car is allowed to sleep, and what happens to it is known at once, as its owner sees it."""

import asyncio
from itertools import pairwise
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.homeassistant import SERVICE_UPDATE_ENTITY
from homeassistant.core import DOMAIN as HOMEASSISTANT
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle

from ..conftest import Home

MINUTE: Final = 60
HOUR: Final = 3600
STATE: Final = ("sensor", "state")
MODE: Final = ("sensor", "polling_mode")
BATTERY: Final = ("sensor", "charge_state.battery_level")
MOVING: Final = ("binary_sensor", "drive_state.shift_state")
CHARGING: Final = ("binary_sensor", "charge_state.charging_state")
ASLEEP_TODAY: Final = ("sensor", "asleep_today")
NEED: Final = ("sensor", "time_to_fall_asleep")

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")


def _mode(home: Home) -> str:
    return home.shown(*MODE).state


def _reads(home: Home) -> int:
    return len(home.requests("/vehicle_data"))


async def _update(home: Home, *entities: str) -> None:
    await async_setup_component(home.hass, HOMEASSISTANT, {})
    data = {"entity_id": list(entities)}
    await home.hass.services.async_call(HOMEASSISTANT, SERVICE_UPDATE_ENTITY, data, blocking=True)


async def _refresh(home: Home) -> None:
    await home.call("button", "press", "refresh")


async def _fall_asleep(home: Home) -> None:
    """Leave the car alone until it sleeps by itself."""
    home.car.unplug()
    home.car.charging.close_port()
    await home.advance(75 * MINUTE, step=20)
    assert home.car.state == "asleep"
    assert home.shown(*STATE).state == "asleep"
    home.simulator.requests.clear()


async def _set(home: Home, **settings: Any) -> None:
    """Set something of the first car."""
    subentry = home.entry.subentries[home.coordinator.subentry_id]
    home.hass.config_entries.async_update_subentry(home.entry, subentry, data={**subentry.data, **settings})
    await home.idle()


# What was learned


async def test_time_to_fall_asleep_is_learned(home: Home) -> None:
    """A car that needs eleven minutes is left alone for hardly more, once that was seen."""
    assert home.shown(*NEED).state == "unknown"
    await _fall_asleep(home)
    assert home.shown(*NEED).state in ("11", "12")
    home.car.sentry(on=True)
    await home.advance(65)
    assert _mode(home) == "in_use"
    home.car.sentry(on=False)
    home.simulator.switches.unlocked_blocks_sleep = True
    home.car.unlock()
    await home.advance(8 * MINUTE)
    assert _mode(home) == "quiet"
    home.simulator.requests.clear()
    await home.advance(10 * MINUTE)
    assert not _reads(home)
    await home.advance(5 * MINUTE)
    assert _reads(home) == 1


async def test_what_was_learned_survives(hass_storage: dict[str, Any], home: Home) -> None:
    """A restart forgets neither the time that the car needs nor the hours that it slept."""
    await _fall_asleep(home)
    learned, slept = home.shown(*NEED).state, home.shown(*ASLEEP_TODAY).state
    assert float(slept) > 0.5
    await home.restart()
    assert (home.shown(*NEED).state, home.shown(*ASLEEP_TODAY).state) == (learned, slept)


async def test_hours_asleep_today(home: Home) -> None:
    """The hours that the car has slept are counted while it sleeps, and begin anew with the day."""
    await _fall_asleep(home)
    before = float(home.shown(*ASLEEP_TODAY).state)
    await home.advance(2 * HOUR, step=30)
    assert float(home.shown(*ASLEEP_TODAY).state) == pytest.approx(before + 2, abs=0.15)
    await home.advance(24 * HOUR, step=60)
    assert float(home.shown(*ASLEEP_TODAY).state) <= 24


# Wakes


async def test_drive_from_sleep_is_seen_within_a_minute(home: Home) -> None:
    """Who drives off with a sleeping car is seen at once."""
    await _fall_asleep(home)
    home.car.drive(20)
    await home.advance(62)
    assert home.shown(*MOVING).state == "on"
    assert _mode(home) == "driving"


async def test_drive_out_of_the_garage_is_seen(home: Home) -> None:
    """Who drives off without coverage is seen within a minute of coming into it."""
    await _fall_asleep(home)
    home.car.coverage(on=False)
    await home.advance(65)
    assert _mode(home) == "offline"
    home.car.drive(20)
    await home.advance(120)
    assert home.shown(*MOVING).state == "off"
    home.car.coverage(on=True)
    await home.advance(62)
    assert home.shown(*MOVING).state == "on"


async def test_hourly_self_checks_are_slept_through(home: Home) -> None:
    """A car that wakes every hour by itself is soon no longer read for that; a drive is seen all the same."""
    home.simulator.switches.hourly_check = True
    await _fall_asleep(home)
    await home.advance(3 * HOUR, step=20)
    home.simulator.requests.clear()
    await home.advance(4 * HOUR, step=20)
    assert not _reads(home)
    assert float(home.shown(*ASLEEP_TODAY).state) > 6.5
    home.car.drive(20)
    await home.advance(5 * MINUTE)
    assert home.shown(*MOVING).state == "on"


async def test_command_does_not_wait_for_a_self_check(home: Home) -> None:
    """A car that is woken from here is read at once, whatever is thought of its wakes."""
    home.simulator.switches.hourly_check = True
    await _fall_asleep(home)
    await home.advance(3 * HOUR, step=20)
    assert home.coordinator.watch.habits.patience
    home.car.set_level(41)
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    await home.advance(15)
    assert home.shown(*BATTERY).state == "41"


# Requests


@pytest.mark.parametrize("cars", [2, 10])
async def test_many_cars_one_cheap_request(home: Home) -> None:
    """Two cars on an account cost one cheap request a minute, and so do ten."""
    for car in home.simulator.vehicles:
        if car.charging.plugged:
            car.unplug()
        car.fall_asleep()
    await home.advance(70)
    home.simulator.requests.clear()
    await home.advance(10 * MINUTE)
    assert set(home.requests()) == {"/api/1/vehicles"}
    assert 9 <= len(home.requests()) <= 11


async def test_car_that_speaks_for_itself(home: Home) -> None:
    """While the only car of an account is read every minute, the service is not asked besides."""
    home.car.unplug()
    home.car.drive(40)
    await home.advance(70)
    home.simulator.requests.clear()
    await home.advance(20 * MINUTE)
    assert 20 <= _reads(home) <= 21
    assert len(home.requests()) == _reads(home)


@pytest.mark.parametrize("cars", [2])
async def test_list_that_fails_stops_no_read(home: Home) -> None:
    """A car that drives is read although the question which cars are awake fails."""
    home.car.unplug()
    home.car.drive(40)
    await home.advance(70)
    home.simulator.faults.serve("GET", "/api/1/vehicles", {"error": "internal"}, 500)
    home.simulator.requests.clear()
    await home.advance(10 * MINUTE)
    assert len(home.requests(f"{home.car.id}/vehicle_data")) >= 9


async def test_asked_for_by_a_person(home: Home) -> None:
    """Updating an entity of the account asks the service at once."""
    await home.advance(15)
    home.simulator.requests.clear()
    await _update(home, f"binary_sensor.{home.entry.title.replace('.', '_')}_service_reachable")
    assert home.requests() == ["/api/1/vehicles"]


async def test_backing_off(home: Home) -> None:
    """A service that wants to be left alone is, and the owner sees why nothing is read."""
    home.car.unplug()
    home.car.drive(40)
    await home.advance(70)
    home.simulator.faults.answer(429, headers={"Retry-After": "600"}, only="/vehicle_data")
    await home.advance(62)
    assert _mode(home) == "backing_off"
    home.simulator.requests.clear()
    await home.advance(9 * MINUTE)
    assert not home.requests()
    await home.advance(2 * MINUTE)
    assert _mode(home) == "driving"


async def test_car_that_never_answers(home: Home) -> None:
    """A car whose reads fail for a week is not asked all the time, and may sleep."""
    home.simulator.faults.answer(500, times=100_000, only="/vehicle_data")
    home.coordinator.with_car.failures = 5000
    home.simulator.requests.clear()
    await home.advance(2 * HOUR, step=20)
    assert _reads(home) <= 4
    assert home.shown(*STATE).state == "asleep"


async def test_what_nobody_expected(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of our own is no reason to ask the car every second."""

    def fail(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("custom_components.vehicle_remote_access.polling.activity.Watch.heard", fail)
    home.simulator.requests.clear()
    await home.advance(10 * MINUTE, step=1)
    assert 1 <= _reads(home) <= 11


@pytest.mark.parametrize("cars", [2])
async def test_answer_of_the_car_is_contact(home: Home) -> None:
    """What a car says is shown although the question which cars are awake fails for an hour."""
    home.car.unplug()
    home.car.drive(60)
    await home.advance(70)
    home.simulator.faults.serve("GET", "/api/1/vehicles", {"error": "internal"}, 500)
    await home.advance(20 * MINUTE)
    assert home.shown(*MOVING).state == "on"


async def test_back_in_coverage(home: Home) -> None:
    """What failed again and again while the car had bad coverage is tried as soon as it is back."""
    home.simulator.faults.answer(500, times=4, only="/vehicle_data")
    await home.advance(9 * MINUTE + 50, step=10)
    assert home.simulator.faults.next_answer("/vehicle_data") is None
    assert _mode(home) == "backing_off"
    home.car.coverage(on=False)
    await home.advance(62)
    home.car.unplug()
    home.car.drive(20)
    home.car.coverage(on=True)
    await home.advance(62)
    assert home.shown(*MOVING).state == "on"


@pytest.mark.parametrize("state", [5, {}, [], {"a": 1}, "", None, "Online"])
async def test_list_that_does_not_say_the_state(home: Home, state: Any) -> None:
    """A list that says nothing of the state, or something odd, stops no read; the car falls asleep."""
    home.simulator.faults.corrupt("state", state)
    home.car.unplug()
    home.car.drive(5)
    await home.advance(130)
    assert home.shown(*MOVING).state == "on"
    await home.advance(2 * HOUR, step=30)
    if state != "Online":
        assert home.shown(*STATE).state == "asleep"
        home.car.drive(20)
        await home.advance(130)
        assert home.shown(*MOVING).state == "on"


async def test_list_with_empty_records(hass_storage: dict[str, Any], home: Home) -> None:
    """A list that names the embedded records and leaves them empty takes nothing away, now or later."""
    record = {"id": home.car.id, "id_s": str(home.car.id), "vin": home.car.vin, "state": "asleep"}
    listed = {"response": [{**record, "charge_state": {}, "drive_state": None}], "count": 1}
    home.simulator.faults.serve("GET", "/api/1/vehicles", listed)
    await _update(home, f"binary_sensor.{home.entry.title.replace('.', '_')}_service_reachable")
    assert home.shown(*STATE).state == "asleep"
    await home.restart()
    assert home.shown(*BATTERY).state == "72"


async def test_workshop_that_only_the_car_knows_of(home: Home) -> None:
    """A car that refuses because it is in the workshop is there, whatever the service's record says."""
    home.car.sentry(on=True)
    home.car.service(on=True)
    home.simulator.faults.corrupt("in_service", value=False)
    await home.advance(130)
    shown = set()
    for _ in range(10):
        await home.advance(60)
        shown.add(home.shown("binary_sensor", "in_service").state)
    assert shown == {"on"}
    home.simulator.faults.clear()
    home.car.service(on=False)
    await home.advance(65)
    assert home.shown("binary_sensor", "in_service").state == "off"


@pytest.mark.parametrize("cars", [2])
async def test_slow_car_does_not_hold_up_another(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one car does not answer, the other is read every minute, and nobody looks all the time."""
    slow, quick = home.entry.runtime_data.vehicles.values()
    has_answered = asyncio.Event()

    async def hang() -> Vehicle:
        await has_answered.wait()
        return slow.data

    monkeypatch.setattr(slow, "read", hang)
    looks: list[None] = []
    stop_looking = home.entry.runtime_data.async_add_listener(lambda: looks.append(None))
    home.simulator.requests.clear()
    await home.while_time_passes(asyncio.sleep(190))
    stop_looking()
    reads = len(home.requests(f"{quick.number}/vehicle_data"))
    has_answered.set()
    await home.idle()
    assert reads == 3
    assert home.requests().count("/api/1/vehicles") <= 4
    assert len(looks) < 40


# What the owner has set


async def test_own_intervals(home: Home) -> None:
    """A car is read as often as its owner wants while it drives."""
    await _set(home, intervals={"driving": 15})
    home.car.unplug()
    home.car.drive(40)
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(5 * MINUTE, step=1)
    assert 20 <= _reads(home) <= 22


async def test_own_interval_of_the_account(home: Home) -> None:
    """The service is asked as seldom as the owner wants, and what a car does is read as often as before."""
    home.hass.config_entries.async_update_entry(home.entry, options={"interval": 300})
    await home.idle()
    await _fall_asleep(home)
    await home.advance(HOUR, step=20)
    assert len(home.requests()) <= 13
    home.car.drive(40)
    await home.advance(305)
    home.simulator.requests.clear()
    await home.advance(5 * MINUTE)
    assert 5 <= _reads(home) <= 6


async def test_keep_awake_while_plugged_in(home: Home) -> None:
    """A car that is plugged in does not sleep, if its owner wants it so; without the cable it may."""
    await _set(home, keep_awake_plugged_in=True)
    assert home.car.charging.plugged
    await home.advance(2 * HOUR, step=20)
    assert home.car.state == "online"
    assert _mode(home) == "kept_awake"
    await _fall_asleep(home)


# What never wakes a car


@pytest.mark.parametrize("state", ["asleep", "offline"])
@pytest.mark.parametrize("how", ["restart", "update_entity", "refresh", "no polling"])
async def test_nothing_reaches_a_car_that_is_out_of_reach(home: Home, state: str, how: str) -> None:
    """Whatever a person does short of a command, a car that sleeps is neither woken nor read."""
    await _fall_asleep(home)
    if state == "offline":
        home.car.coverage(on=False)
        await home.advance(65)
    before = home.states()
    home.simulator.requests.clear()
    match how:
        case "restart":
            await home.restart()
        case "update_entity":
            await _update(home, *before)
        case "refresh":
            await _refresh(home)
        case _:
            home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
            await home.idle()
            await _update(home, home.entity_id(*BATTERY))
            await _refresh(home)
    await home.advance(10 * MINUTE)
    assert not _reads(home)
    assert not home.requests("/wake_up")
    assert not home.requests("/command")
    lost = {name for name, shown in home.states().items() if shown in ("unknown", "unavailable")}
    assert lost <= {name for name, shown in before.items() if shown in ("unknown", "unavailable")} | {
        home.entity_id("sensor", "last_command")
    }
    assert not home.car.awake


async def test_restart_at_any_moment(hass_storage: dict[str, Any], home: Home) -> None:
    """A car falls asleep in time and stays so, although all is started again every three minutes."""
    for _ in range(6):
        await home.advance(3 * MINUTE, step=20)
        await home.restart()
    assert home.car.state == "asleep"
    home.simulator.requests.clear()
    for _ in range(4):
        await home.advance(3 * MINUTE, step=20)
        await home.restart()
        assert home.shown(*STATE).state == "asleep"
        assert home.shown(*BATTERY).state == "72"
    assert set(home.requests()) == {"/api/1/vehicles"}
    assert home.car.state == "asleep"


async def test_restart_in_the_quiet_time(hass_storage: dict[str, Any], home: Home) -> None:
    """A restart does not read a car that is about to fall asleep, so it falls asleep in time."""
    await home.advance(10 * MINUTE, step=20)
    assert _mode(home) == "quiet"
    planned = home.shown("sensor", "next_read").state
    await home.restart()
    assert _mode(home) == "quiet"
    assert home.shown("sensor", "next_read").state == planned
    home.simulator.requests.clear()
    await home.advance(7 * MINUTE, step=20)
    assert not _reads(home)
    assert home.car.state == "asleep"


async def test_restart_while_the_service_fails(hass_storage: dict[str, Any], home: Home) -> None:
    """A car that slept before a restart is not read because the service cannot say whether it still does."""
    await _fall_asleep(home)
    home.simulator.faults.answer(503, only="/api/1/vehicles")
    await home.restart()
    assert len(home.requests()) == 1
    await home.advance(65)
    assert home.shown(*STATE).state == "asleep"
    assert not _reads(home)


async def test_restart_while_driving(hass_storage: dict[str, Any], home: Home) -> None:
    """A restart in the middle of a drive goes on where it was."""
    home.car.unplug()
    home.car.drive(40)
    await home.advance(70)
    await home.restart()
    assert home.shown(*MOVING).state == "on"
    home.simulator.requests.clear()
    await home.advance(5 * MINUTE)
    assert 5 <= _reads(home) <= 6


async def test_woken_while_nothing_ran(hass_storage: dict[str, Any], home: Home) -> None:
    """A car that slept before a restart and is awake after it is read: somebody may be driving it."""
    await _fall_asleep(home)
    await home.leave()
    home.car.drive(40)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()
    assert home.shown(*MOVING).state == "on"


async def test_without_polling_a_person_still_can(home: Home) -> None:
    """With polling switched off, nothing is asked by itself, and everything when a person asks."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.idle()
    await home.advance(65)
    home.simulator.requests.clear()
    home.car.set_level(44)
    await home.advance(2 * HOUR, step=60)
    assert not home.requests()
    home.car.wake()
    home.car.set_level(43)
    await _refresh(home)
    assert home.shown(*BATTERY).state == "43"
    home.car.set_level(42)
    await home.advance(10)
    await _update(home, home.entity_id(*BATTERY))
    assert home.shown(*BATTERY).state == "42"


async def test_refresh_finds_it_awake_again(home: Home) -> None:
    """With polling switched off, a car that a refresh found asleep is seen again when it drives."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.idle()
    await home.advance(30 * MINUTE, step=60)
    await _refresh(home)
    assert home.shown(*STATE).state == "asleep"
    home.car.unplug()
    home.car.drive(20)
    await home.advance(10)
    await _refresh(home)
    assert home.shown(*MOVING).state == "on"


async def test_nothing_is_kept_of_a_car_that_was_removed(hass_storage: dict[str, Any], home: Home) -> None:
    """A read that ends after the car was removed brings nothing back."""
    vehicle = home.coordinator
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    vehicle.memory.changed()
    await home.advance(10 * MINUTE, step=60)
    assert not [name for name in hass_storage if name.startswith("vehicle_remote_access")]


async def test_setting_something_interrupts_nothing(home: Home) -> None:
    """What is set is taken as it runs: nothing is unavailable for it, and nothing is read for it."""
    account = home.entry.runtime_data
    home.simulator.requests.clear()
    await _set(home, read_only=True, powered_lids=["frunk"])
    home.hass.config_entries.async_update_entry(home.entry, options={"interval": 120})
    await home.idle()
    assert home.entry.runtime_data is account
    assert home.coordinator.settings.is_read_only
    assert account.settings.interval == 120
    assert not home.requests()


async def test_charge_that_begins_asleep_is_seen(home: Home) -> None:
    """A charge that begins while the car sleeps is seen within a minute, and read every minute."""
    await _fall_asleep(home)
    home.car.plug_in()
    await home.advance(65)
    assert home.shown(*CHARGING).state == "on"
    home.simulator.requests.clear()
    await home.advance(10 * MINUTE)
    assert _reads(home) >= 10


async def test_clock_that_is_set_back(home: Home, freezer: FrozenDateTimeFactory) -> None:
    """A clock that is set back by hours stops nothing."""
    await home.advance(10 * MINUTE, step=20)
    freezer.tick(-5 * HOUR)
    home.simulator.requests.clear()
    home.car.unplug()
    home.car.drive(40)
    # Timers do not follow the clock on the wall, except in a test.
    await home.entry.runtime_data.async_refresh()
    await home.idle()
    assert home.shown(*MOVING).state == "on"


async def test_clock_set_back_where_only_the_car_answers(home: Home, freezer: FrozenDateTimeFactory) -> None:
    """With nothing but live reads, a clock that is set back by hours delays no read."""
    path = f"/api/1/vehicles/{home.car.id}"
    home.simulator.switches.list = False
    home.simulator.faults.serve("GET", path, {"error": "not_found"}, 404)
    await home.restart()
    await home.advance(20 * MINUTE, step=20)
    freezer.tick(-5 * HOUR)
    home.simulator.requests.clear()
    home.car.unlock()
    await home.entry.runtime_data.async_refresh()
    await home.idle()
    assert home.shown("lock", "vehicle_state.locked").state == "unlocked"


# Awake, and still to be read


def _longest_gap(home: Home) -> float:
    """Return the longest time in seconds between two live reads, up to now."""
    reads = [each.moment for each in home.simulator.requests if "/vehicle_data" in each.path]
    moments = [*reads, home.car.clock.now()]
    return max(after - before for before, after in pairwise(moments))


@pytest.mark.parametrize("online", [8, 30, 50])
async def test_car_that_comes_and_goes_is_read(home: Home, online: float) -> None:
    """An awake car whose coverage comes and goes is read once in each quiet time, at most an hour."""
    home.car.sleep_after = 24 * HOUR
    await home.advance(10 * MINUTE, step=20)
    for _ in range(12):
        home.car.coverage(on=False)
        await home.advance(2 * MINUTE, step=20)
        home.car.coverage(on=True)
        await home.advance(online * MINUTE, step=20)
    assert _longest_gap(home) <= 64 * MINUTE


async def test_car_that_is_kept_awake_by_actions_is_read(home: Home) -> None:
    """A car that an automation keeps awake with actions is read about once in each quiet time."""
    await home.advance(10 * MINUTE, step=20)
    for _ in range(25):
        await home.act("get_mobile_enabled")
        await home.advance(8 * MINUTE, step=20)
    assert _longest_gap(home) <= 60 * MINUTE


# Reads that the user asks for


async def test_second_refresh_waits_for_the_first(home: Home) -> None:
    """An update that is requested while another one is under way returns after that read, not before."""
    await home.advance(10 * MINUTE, step=20)
    home.car.set_level(33)
    home.simulator.switches.latency = 3
    seen: list[str] = []

    async def update(after: float, entity: tuple[str, str]) -> None:
        await asyncio.sleep(after)
        await _update(home, home.entity_id(*entity))
        seen.append(home.shown(*BATTERY).state)

    home.simulator.requests.clear()
    updates = [update(after, entity) for after, entity in enumerate((BATTERY, MOVING, CHARGING))]
    assert await home.while_time_passes(*updates) == [None] * 3
    assert seen == ["33"] * 3
    assert _reads(home) == 1


async def test_second_refresh_reads_if_the_first_is_canceled(home: Home) -> None:
    """An update that waits for another one reads the car itself if the other one is canceled."""
    await home.advance(10 * MINUTE, step=20)
    home.car.set_level(33)
    home.simulator.switches.latency = 3
    first = asyncio.create_task(_refresh(home))

    async def second() -> None:
        await asyncio.sleep(1)
        first.cancel()
        await _refresh(home)

    assert await home.while_time_passes(second()) == [None]
    assert home.shown(*BATTERY).state == "33"


async def test_failed_refresh_is_shared(home: Home) -> None:
    """Of several updates at once that fail, one request is sent."""
    await home.advance(10 * MINUTE, step=20)
    home.simulator.faults.answer(500, only="/vehicle_data", times=10)
    home.simulator.requests.clear()
    entities = [home.entity_id(*each) for each in (BATTERY, MOVING, CHARGING)]
    await home.while_time_passes(*(_update(home, each) for each in entities))
    assert _reads(home) == 1


# Disabled devices


async def test_disabled_car_is_not_read(home: Home) -> None:
    """A car whose device is disabled is not read live while it drives, and is read again once enabled."""
    devices = dr.async_get(home.hass)
    device = home.device
    devices.async_update_device(device.id, disabled_by=dr.DeviceEntryDisabler.USER)
    await home.idle()
    home.simulator.requests.clear()
    home.car.unplug()
    home.car.drive(60)
    await home.advance(20 * MINUTE, step=20)
    assert not _reads(home)
    assert home.requests("/api/1/vehicles")
    devices.async_update_device(device.id, disabled_by=None)
    await home.advance(2 * MINUTE)
    assert _reads(home)
    assert home.shown(*MOVING).state == "on"
