"""Limits on the requests of an account: never exceeded, except for people, and shown."""

import math
import time
from types import SimpleNamespace
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.setup import async_setup_component
import pytest

from custom_components.vehicle_remote_access.account.options import AccountOptions
from custom_components.vehicle_remote_access.account.request_budget import PLANNED_PER_DAY, RequestBudget
from custom_components.vehicle_remote_access.api.commands import VEHICLES
from custom_components.vehicle_remote_access.api.response import Quota, Response
from custom_components.vehicle_remote_access.polling.wake_rate import WakeRate

from ..conftest import HOUR, LIST, MINUTE, MOVING, READ, Home
from ..issues import issue_keys, placeholders

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")


async def _limit(home: Home, **options: int) -> None:
    """Set limits, with no requests sent today."""
    requests = home.entry.runtime_data.requests
    requests._earlier -= requests.today  # noqa: SLF001 - the setup also sends requests
    requests._earlier_live_reads -= requests.live_reads  # noqa: SLF001
    home.simulator.requests.clear()
    await home.set_account_options(**options)


def _left(home: Home, key: str) -> str:
    return home.shown("sensor", key, home.entry.entry_id).state


@pytest.mark.parametrize("cars", [2])
@pytest.mark.parametrize("fault", [None, 500, 408])
async def test_limit_is_not_exceeded(home: Home, fault: int | None) -> None:
    """Long drives, faults, restarts and a changed clock don't exceed a limit. The evening is not blind."""
    await _limit(home, requests_per_day=120, live_reads_per_day=60)
    for car in home.simulator.vehicles:
        if car.charging.plugged:
            car.unplug()
        car.drive(300)
    if fault:
        home.simulator.faults.answer(fault, times=20)
    for hour in range(6):
        await home.advance(HOUR, step=60)
        await home.restart()
        if hour == 3:
            home.skip(-2 * HOUR)
    assert 20 < len(home.requests()) < 115
    assert len(home.requests(LIST)) > 10
    assert 10 < len(home.requests(READ)) < 58
    # A drive in the evening
    home.simulator.requests.clear()
    home.car.set_level(70)
    home.car.drive(30)
    await home.advance(40 * MINUTE, step=30)
    assert len(home.requests(READ))
    await home.advance(4 * HOUR, step=60)
    assert home.entry.runtime_data.requests.today <= 120 - 6
    await home.advance(4 * HOUR, step=60)
    assert home.entry.runtime_data.requests.today < 30


@pytest.mark.parametrize("cars", [2])
async def test_long_drive_with_six_requests_per_read_leaves_some_for_the_evening(home: Home) -> None:
    provider = home.entry.runtime_data.provider
    home.simulator.switches.list = False
    # The simulated service has all endpoints.
    *complete, _ = provider._reads  # noqa: SLF001
    missing: list[Any] = [provider.vehicles, provider.vehicle, *complete]
    for request in missing:
        provider._worked.discard(request)  # noqa: SLF001
        provider._count_not_found(request, request, request)  # noqa: SLF001
    assert provider.requests_per_read == 6
    await home.entry.runtime_data.async_poll_now()
    await _limit(home, requests_per_day=240)
    for car in home.simulator.vehicles:
        if car.charging.plugged:
            car.unplug()
        car.drive(100)
    await home.advance(6.5 * HOUR, step=60)
    home.simulator.requests.clear()
    home.car.drive(30)
    await home.advance(40 * MINUTE, step=30)
    assert home.requests(f"{home.car.id}/data_request/drive_state")
    assert home.entry.runtime_data.requests.today <= 240 - 12


async def test_commands_and_refreshes_may_exceed_a_limit_and_count(home: Home) -> None:
    assert (_left(home, "requests_left"), _left(home, "live_reads_left")) == ("unknown", "unknown")
    await _limit(home, requests_per_day=40, live_reads_per_day=20)
    assert (_left(home, "requests_left"), _left(home, "live_reads_left")) == ("40", "20")
    home.entry.runtime_data.requests._earlier += 40  # noqa: SLF001
    home.entry.runtime_data.requests._earlier_live_reads += 20  # noqa: SLF001
    home.start_drive(60)
    assert not await home.requests_during(20 * MINUTE, step=20)
    assert (_left(home, "requests_left"), _left(home, "live_reads_left")) == ("0", "0")
    await home.press("refresh")
    assert home.shown(*MOVING).state == "on"
    before = len(home.requests(READ))
    await home.press("flash_lights")
    await home.advance(20)
    assert len(home.requests(READ)) > before


async def test_limit_that_is_too_small_is_an_issue_that_says_what_it_means(home: Home) -> None:
    await _limit(home, requests_per_day=50)
    await home.advance(20 * MINUTE, step=60)
    assert issue_keys(home) == ["small_limit"]
    assert placeholders(home) == {"name": home.entry.title, "requests": "50", "minutes": "6"}
    await _limit(home, requests_per_day=200)
    await home.advance(20 * MINUTE, step=60)
    assert issue_keys(home) == []


@pytest.mark.parametrize("period", [MINUTE, HOUR])
async def test_spent_quota_stops_polling_until_it_ends_not_until_midnight(home: Home, period: int) -> None:
    client = home.entry.runtime_data.provider
    home.car.unplug()
    home.car.fall_asleep()
    client.quota = Quota(1, time.time() + period)
    await home.poll()
    assert not await home.requests_during(period - MINUTE / 2, step=30)
    assert await home.requests_during(15 * MINUTE, LIST, step=30)


@pytest.mark.parametrize(("seconds", "is_limited"), [(MINUTE, False), (HOUR, True)])
def test_quota_of_an_hour_but_not_of_a_minute_limits_the_day(seconds: float, *, is_limited: bool) -> None:
    client: Any = SimpleNamespace(quota=Quota(3, time.time() + seconds), request_count=0, live_read_count=0)
    limits = RequestBudget(client, AccountOptions(), {})
    assert (limits.left_today(is_live_read=True) < math.inf) is is_limited


@pytest.mark.parametrize("delay", [0, MINUTE])
@pytest.mark.parametrize("action", ["button.press", "homeassistant.update_entity"])
async def test_automation_of_a_poll_reads_despite_a_spent_limit(home: Home, action: str, delay: int) -> None:
    """An automation that a poll triggered may read the car, also later. A limit is no failure of the car."""
    assert await async_setup_component(home.hass, "homeassistant", {})
    moving, refresh = home.entity_id(*MOVING), home.entity_id("button", "refresh")
    await home.automate(
        {
            "triggers": [{"trigger": "state", "entity_id": moving, "to": "on"}],
            "actions": [
                {"delay": delay},
                {"action": action, "target": {"entity_id": refresh if action == "button.press" else moving}},
            ],
        }
    )
    await _drive_with_one_request_left(home)
    await home.entry.runtime_data.async_refresh()
    # Home Assistant is not idle while the automation waits.
    await home.advance_while_pending(25 * MINUTE, step=30)
    # The last planned read, and that of the automation
    assert len(home.requests(READ)) == 2
    assert home.shown(*MOVING).state == "on"
    home.hass.config_entries.async_update_entry(home.entry, options={})
    await home.advance(2 * MINUTE, step=30)
    assert len(home.requests(READ)) > 2


async def _drive_with_one_request_left(home: Home) -> None:
    """Start a long drive that the next planned request, the last one within the limit, will show."""
    home.car.unplug()
    await home.poll()
    await _limit(home, requests_per_day=100)
    account = home.entry.runtime_data
    while not account.requests.opens_at(is_live_read=True):
        account.requests._earlier += 1  # noqa: SLF001
    home.car.start_trip(300)
    await home.advance(5 * MINUTE, step=60)
    assert not home.requests()
    account.requests._earlier -= 1  # noqa: SLF001
    home.coordinator.async_notify()


async def test_many_lists_for_a_person_do_not_end_the_polling_of_the_day(home: Home) -> None:
    for _ in range(PLANNED_PER_DAY):
        await home.entry.runtime_data.async_poll_now()
        await home.idle()
    assert await home.requests_during(HOUR, LIST, step=60)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"RateLimit-Remaining": "7", "RateLimit-Reset": "60"}, (7, 1_700_000_060)),
        ({"X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "1700000099"}, (7, 1_700_000_099)),
        ({"RateLimit-Remaining": "-3", "RateLimit-Reset": "60"}, (0, 1_700_000_060)),
        ({"RateLimit-Remaining": "9" * 20, "RateLimit-Reset": "60"}, (10**9, 1_700_000_060)),
        # In milliseconds
        ({"RateLimit-Remaining": "0", "RateLimit-Reset": "1700000099000"}, None),
        ({"RateLimit-Remaining": "7"}, None),
        ({"RateLimit-Remaining": "many", "RateLimit-Reset": "60"}, None),
        ({"RateLimit-Remaining": "7", "RateLimit-Reset": "inf"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_quota_in_headers_ends_after_or_at_a_time(
    headers: Any, expected: Any, freezer: FrozenDateTimeFactory
) -> None:
    freezer.move_to("2023-11-14T22:13:20+00:00")
    assert Response(VEHICLES, 200, headers, b"{}").quota == expected


def test_long_trip_is_read_after_the_share_for_use_is_spent(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2026-05-04 12:00:00-07:00")
    client: Any = SimpleNamespace(request_count=0, live_read_count=0, quota=None)
    options = AccountOptions(requests_per_day=240)
    planner = RequestBudget(client, options, {})
    assert planner.read_interval(60, WakeRate()) < 3 * MINUTE
    client.request_count = client.live_read_count = 60
    assert planner.read_interval(60, WakeRate()) < 10 * MINUTE
