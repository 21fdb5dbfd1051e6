"""Polling lets the car sleep, and still detects drives, charges and other use within a minute."""

import asyncio
from typing import Any, Final
from unittest.mock import Mock

from homeassistant.components.homeassistant import SERVICE_UPDATE_ENTITY
from homeassistant.core import DOMAIN as HOMEASSISTANT
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest

from custom_components.vehicle_remote_access.polling.activity import ActivityTracker

from ..conftest import BATTERY, CHARGING, HOUR, LIST, MINUTE, MOVING, READ, STATE, WAKE, Home

SENTRY: Final = ("binary_sensor", "vehicle_state.sentry_mode")
ASLEEP_TODAY: Final = ("sensor", "asleep_today")
TIME_TO_FALL_ASLEEP: Final = ("sensor", "time_to_fall_asleep")

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")


def _polling_mode(home: Home) -> str:
    return home.shown("sensor", "polling_mode").state


async def _update(home: Home, *entities: str) -> None:
    await async_setup_component(home.hass, HOMEASSISTANT, {})
    data = {"entity_id": list(entities)}
    await home.hass.services.async_call(HOMEASSISTANT, SERVICE_UPDATE_ENTITY, data, blocking=True)


async def _drive(home: Home) -> None:
    """Let the car drive for a while, and wait until that is known."""
    home.start_drive(60)
    await home.advance(70)
    home.simulator.requests.clear()


async def test_learned_times_are_shown_and_quiet_periods_are_slightly_longer(home: Home) -> None:
    assert home.shown(*TIME_TO_FALL_ASLEEP).state == "unknown"
    await home.wait_until_car_sleeps()
    before = float(home.shown(*ASLEEP_TODAY).state)
    assert before > 0.5
    await home.advance(2 * HOUR, step=60)
    assert float(home.shown(*ASLEEP_TODAY).state) == pytest.approx(before + 2, abs=0.15)
    assert home.shown(*TIME_TO_FALL_ASLEEP).state in ("10", "11")
    home.car.sentry(on=True)
    await home.advance(65)
    assert _polling_mode(home) == "in_use"
    home.car.sentry(on=False)
    home.simulator.switches.unlocked_blocks_sleep = True
    home.car.unlock()
    await home.advance(8 * MINUTE)
    assert _polling_mode(home) == "quiet"
    assert not await home.requests_during(9 * MINUTE, READ)
    await home.advance(6 * MINUTE)
    assert len(home.requests(READ)) == 1


async def test_hourly_self_checks_are_not_read_but_a_requested_wake_and_a_drive_are(home: Home) -> None:
    home.simulator.switches.hourly_check = True
    await home.wait_until_car_sleeps()
    await home.advance(3 * HOUR, step=30)
    assert not await home.requests_during(2 * HOUR, READ, step=30)
    assert float(home.shown(*ASLEEP_TODAY).state) >= 5
    home.car.set_level(41)
    await home.run_until_complete(home.press("wake_up"))
    await home.advance(15)
    assert home.shown(*BATTERY).state == "41"
    home.car.drive(20)
    await home.advance(5 * MINUTE)
    assert home.shown(*MOVING).state == "on"


@pytest.mark.parametrize("cars", [2])
async def test_failing_list_does_not_stop_live_reads(home: Home) -> None:
    await _drive(home)
    home.simulator.faults.serve("GET", LIST, {"error": "internal"}, 500)
    await home.advance(20 * MINUTE)
    assert len(home.requests(f"{home.car.id}/vehicle_data")) >= 19
    assert home.shown(*MOVING).state == "on"


async def test_update_of_an_account_entity_requests_the_list(home: Home) -> None:
    await home.advance(15)
    home.simulator.requests.clear()
    await _update(home, home.entity_id("binary_sensor", "service_reachable", home.entry.entry_id))
    assert home.requests() == [LIST]


async def test_list_that_was_requested_before_a_required_pause_does_not_end_it(home: Home) -> None:
    await _drive(home)
    home.simulator.switches.latency = 3
    home.simulator.faults.answer(429, headers={"Retry-After": "600"}, only=READ)
    await home.gather(home.coordinator.async_refresh(), home.entry.runtime_data.async_poll_now())
    assert [request.status for request in home.simulator.requests] == [429, 200]
    assert _polling_mode(home) == "backing_off"


async def test_unexpected_error_does_not_speed_up_reads(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ActivityTracker, "on_read", Mock(side_effect=RuntimeError))
    assert 1 <= len(await home.requests_during(10 * MINUTE, READ, step=1)) <= 11


async def test_failed_reads_are_retried_back_in_coverage(home: Home) -> None:
    home.simulator.faults.answer(500, times=4, only=READ)
    await home.advance(9 * MINUTE + 50, step=10)
    assert home.simulator.faults.next_fault(READ) is None
    assert _polling_mode(home) == "backing_off"
    home.car.coverage(on=False)
    await home.advance(62)
    assert _polling_mode(home) == "offline"
    home.start_drive(20)
    home.car.coverage(on=True)
    await home.advance(62)
    assert home.shown(*MOVING).state == "on"


async def test_list_without_a_valid_state(home: Home) -> None:
    """The state may be in any case. Without a state in the list, the car is read, and still falls asleep."""
    home.simulator.faults.corrupt("state", "Online")
    home.start_drive(5)
    await home.advance(130)
    assert home.shown(*MOVING).state == "on"
    home.simulator.faults.corrupt("state", "")
    await home.advance(2 * HOUR, step=60)
    assert home.shown(*STATE).state == "asleep"
    home.car.drive(20)
    await home.advance(130)
    assert home.shown(*MOVING).state == "on"


@pytest.mark.parametrize("cars", [2])
async def test_slow_car_does_not_delay_other_cars(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one car does not answer, the other is read every minute, and the coordinator does not spin."""
    slow, quick = home.entry.runtime_data.vehicles.values()
    has_answered = asyncio.Event()

    async def hang() -> dict[str, Any]:
        await has_answered.wait()
        return {}

    monkeypatch.setattr(slow.reader, "async_read_live", hang)
    updates: list[None] = []
    remove_listener = home.entry.runtime_data.async_add_listener(lambda: updates.append(None))
    home.simulator.requests.clear()
    await home.gather(asyncio.sleep(190))
    remove_listener()
    reads = len(home.requests(f"{quick.known.path_id}/vehicle_data"))
    has_answered.set()
    await home.idle()
    assert reads == 3
    assert home.requests().count(LIST) <= 4
    assert len(updates) < 40


async def test_slow_answer_does_not_delay_the_next_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A car that answers after seven seconds is still read every ten seconds, if that is its interval."""
    await home.set_car_options(intervals={"driving": 10})
    home.start_drive(40)
    await home.poll()
    provider = home.coordinator.provider
    read = provider.read

    async def read_slowly(path_id: str, *, with_location: bool) -> dict[str, Any]:
        await asyncio.sleep(7)
        return await read(path_id, with_location=with_location)

    monkeypatch.setattr(provider, "read", read_slowly)
    home.simulator.requests.clear()
    await home.gather(asyncio.sleep(125))
    assert 10 <= len(home.requests(READ)) <= 12


async def test_requests_of_a_day(home: Home) -> None:
    """Without an interval, 720 requests for the list are spread over the day. Live reads are not affected."""
    home.hass.config_entries.async_update_entry(home.entry, options={})
    home.entry.runtime_data.requests.planned = 0
    await home.wait_until_car_sleeps()
    await home.advance(HOUR, step=20)
    # All are left at noon.
    assert 55 <= len(home.requests(LIST)) <= 75
    home.entry.runtime_data.requests.planned = 720
    # The next one is already planned.
    await home.advance(5 * MINUTE, step=20)
    assert not await home.requests_during(9 * HOUR, step=60)
    await home.advance(HOUR, step=20)
    assert home.requests(LIST)
    home.car.drive(40)
    await home.advance(5 * MINUTE)
    assert 5 <= len(await home.requests_during(5 * MINUTE, READ)) <= 6


async def test_keep_awake_while_plugged_in(home: Home) -> None:
    await home.set_car_options(keep_awake_plugged_in=True)
    assert home.car.charging.plugged
    await home.advance(2 * HOUR, step=60)
    assert home.car.state == "online"
    assert _polling_mode(home) == "kept_awake"
    await home.wait_until_car_sleeps()


@pytest.mark.parametrize("state", ["asleep", "offline"])
async def test_nothing_but_commands_reaches_an_unreachable_car(home: Home, state: str) -> None:
    await home.wait_until_car_sleeps()
    if state == "offline":
        home.car.coverage(on=False)
        await home.advance(65)
    before = home.states()
    home.simulator.requests.clear()
    for action in (home.restart(), _update(home, *before), home.press("refresh"), home.disable_polling()):
        await action
        await home.advance(5 * MINUTE, step=20)
    await _update(home, home.entity_id(*BATTERY))
    await home.press("refresh")
    assert not [*home.requests(READ), *home.requests(WAKE), *home.requests("/command")]
    changed = {name: state for name, state in home.states().items() if state != before[name]}
    assert not {"unknown", "unavailable"} & {*changed.values()}
    assert not home.car.awake


async def test_restarts_do_not_keep_the_car_awake(home: Home) -> None:
    for _ in range(6):
        await home.advance(3 * MINUTE, step=20)
        await home.restart()
    assert home.car.state == "asleep"
    home.simulator.requests.clear()
    for _ in range(4):
        await home.advance(3 * MINUTE, step=20)
        await home.restart()
        assert (home.shown(*STATE).state, home.shown(*BATTERY).state) == ("asleep", "72")
    assert set(home.requests()) == {LIST}


async def test_restart_while_the_car_sleeps(home: Home) -> None:
    """A car that was asleep before a restart is read after it if it is awake, not if its state is unknown."""
    await home.wait_until_car_sleeps()
    home.simulator.faults.answer(503, only=LIST)
    await home.restart()
    assert len(home.requests()) == 1
    await home.advance(65)
    assert home.shown(*STATE).state == "asleep"
    assert not home.requests(READ)
    await home.leave()
    home.car.drive(40)
    await home.load()
    assert home.shown(*MOVING).state == "on"


async def test_only_requests_of_users_read_the_car_if_polling_is_disabled(home: Home) -> None:
    await home.disable_polling()
    assert not await home.requests_during(2 * HOUR, step=60)
    await home.press("refresh")
    assert home.shown(*STATE).state == "asleep"
    home.start_drive(20)
    await home.advance(10)
    await home.press("refresh")
    assert home.shown(*MOVING).state == "on"
    home.car.sentry(on=True)
    await home.advance(10)
    await _update(home, home.entity_id(*SENTRY))
    assert home.shown(*SENTRY).state == "on"


@pytest.mark.parametrize("live_reads_only", [False, True])
async def test_clock_set_back_does_not_stop_polling(home: Home, *, live_reads_only: bool) -> None:
    if live_reads_only:
        home.simulator.switches.list = False
        home.simulator.faults.serve("GET", f"{LIST}/{home.car.id}", {"error": "not_found"}, 404)
        await home.restart()
    await home.advance(20 * MINUTE if live_reads_only else 10 * MINUTE, step=20)
    home.skip(-5 * HOUR)
    home.start_drive(40)
    # Timers do not follow the system clock, except in tests.
    await home.entry.runtime_data.async_refresh()
    await home.idle()
    assert home.shown(*MOVING).state == "on"


async def test_simultaneous_updates_share_a_read(home: Home) -> None:
    await home.advance(10 * MINUTE, step=20)
    home.car.set_level(33)
    home.simulator.switches.latency = 3
    seen: list[str] = []

    async def update(after: float, entity: tuple[str, str]) -> None:
        await asyncio.sleep(after)
        await _update(home, home.entity_id(*entity))
        seen.append(home.shown(*BATTERY).state)

    home.simulator.requests.clear()
    updates = [update(after, entity) for after, entity in enumerate((BATTERY, MOVING, SENTRY))]
    assert await home.gather(*updates) == [None] * 3
    assert seen == ["33"] * 3
    assert len(home.requests(READ)) == 1
    await home.advance(30)
    home.simulator.faults.answer(500, only=READ, times=10)
    home.simulator.requests.clear()
    await home.gather(*(_update(home, home.entity_id(*entity)) for entity in (BATTERY, MOVING)))
    assert len(home.requests(READ)) == 1


async def test_second_refresh_reads_if_the_first_is_canceled(home: Home) -> None:
    await home.advance(10 * MINUTE, step=20)
    home.car.set_level(33)
    home.simulator.switches.latency = 3
    first = asyncio.create_task(home.press("refresh"))

    async def second() -> None:
        await asyncio.sleep(1)
        first.cancel()
        await home.press("refresh")

    await home.run_until_complete(second())
    assert home.shown(*BATTERY).state == "33"


async def test_car_that_fell_asleep_unseen_neither_drives_nor_draws_power(home: Home) -> None:
    """How its charge ended, the next read shows. It is not woken to stop the charge."""
    power = ("sensor", "charge_state.charger_power")
    home.car.set_level(50)
    home.car.charging.start()
    await home.advance(2 * MINUTE)
    assert float(home.shown(*power).state) > 0
    home.car.charging.stop()
    await home.let_car_sleep()
    assert float(home.shown(*power).state) == 0
    await home.call("switch", "turn_off", CHARGING[1])
    assert not home.requests(WAKE)
    assert home.shown(*CHARGING).state == "stopped"

    home.car.wake()
    home.car.unplug()
    home.car.start_trip(30)
    await home.poll()
    assert home.shown(*MOVING).state == "on"
    home.car.park()
    await home.let_car_sleep()
    assert home.shown(*MOVING).state == "off"


async def test_disabled_car_is_not_read(home: Home) -> None:
    devices = dr.async_get(home.hass)
    device = home.device
    devices.async_update_device(device.id, disabled_by=dr.DeviceEntryDisabler.USER)
    await home.idle()
    home.simulator.requests.clear()
    home.start_drive(60)
    await home.advance(20 * MINUTE, step=60)
    assert not home.requests(READ)
    assert home.requests(LIST)
    devices.async_update_device(device.id, disabled_by=None)
    await home.advance(2 * MINUTE)
    assert home.requests(READ)
    assert home.shown(*MOVING).state == "on"
