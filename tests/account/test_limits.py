"""Limits on the requests of an account: never exceeded, except for people, and shown."""

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
import json
import math
from random import Random
import time
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.account.options import READ_INTERVALS, AccountOptions
from custom_components.vehicle_remote_access.account.request_budget import PLANNED_PER_DAY, RequestBudget
from custom_components.vehicle_remote_access.api.commands import VEHICLE_DATA, VEHICLES, WAKE_UP, Endpoint
from custom_components.vehicle_remote_access.api.response import Quota, Response
from custom_components.vehicle_remote_access.api.service_types import OTHER, TESLA_FLEET
from custom_components.vehicle_remote_access.polling.wake_rate import WakeRate

from ..conftest import HOUR, LIST, MINUTE, MOVING, READ, Home, exhaustive
from ..issues import issue_keys, placeholders
from .fake_client import fake_client

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
    client: Any = fake_client(Quota(3, time.time() + seconds))
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
def test_quota_ends_after_or_at_a_time(headers: Any, expected: Any, freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2023-11-14T22:13:20+00:00")
    assert Response(VEHICLES, 200, headers, b"{}").quota == expected


def test_long_trip_is_read_after_the_share_for_use_is_spent(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2026-05-04 12:00:00-07:00")
    client: Any = fake_client()
    options = AccountOptions(requests_per_day=240)
    planner = RequestBudget(client, options, {})
    assert planner.read_interval(60, WakeRate()) < 3 * MINUTE
    client.request_count = client.live_read_count = 60
    assert planner.read_interval(60, WakeRate()) < 10 * MINUTE


# Requests a day, live reads a day, and dollars a month
LIMITS: Final = ((480, 0, None), (240, 60, None), (60, 0, None), (0, 161, None), (0, 30, None), (480, 0, 4.0))


class Days:
    """An account with limits, whose cars are driven at random."""

    def __init__(self, seed: int, freezer: FrozenDateTimeFactory) -> None:
        self.random = Random(seed)  # noqa: S311 - not for cryptography
        self.freezer = freezer
        self.limits = self.random.choice(LIMITS)
        self.only_live = not self.limits[0]
        self.cars = [WakeRate() for _ in range(self.random.choice((1, 2)))]
        self.sent: Counter[tuple[str, bool]] = Counter()
        """Requests by local date, and whether they are live reads."""
        self.spent: dict[str, float] = defaultdict(float)
        """The dollars for planned requests, by month."""
        self.saved: dict[str, Any] = {}
        self.start({})

    def start(self, stored: dict[str, Any]) -> None:
        requests, live_reads, dollars = self.limits
        self.client = client = fake_client(service_type=OTHER if dollars is None else TESLA_FLEET)
        options = AccountOptions(
            requests_per_day=requests, live_reads_per_day=live_reads, spending_limit=dollars
        )
        self.requests = RequestBudget(client, options, json.loads(json.dumps(stored)))
        self.requests.only_live = self.only_live

    def send(self, endpoint: Endpoint, *, is_automatic: bool = True) -> bool:
        """Send a request, and return whether the limits allowed it."""
        is_live = endpoint is VEHICLE_DATA
        if is_automatic and self.requests.opens_at(is_live_read=is_live):
            return False
        self.client.request_count += 1
        self.client.live_read_count += is_live
        if endpoint.price_name:
            self.client.billed[endpoint.price_name] += 1
        today = dt_util.now().date().isoformat()
        self.sent[today, False] += 1
        self.sent[today, True] += is_live
        self.spent[today[:7]] += 0.002 * is_live
        if self.requests.today > self.requests.stored:
            self.saved = self.requests.as_json()
        return True

    def drive(self, hours: float, car: int) -> int:
        """Drive a car, which is read in the intervals that the limits allow. Return the number of reads."""
        end, reads, read_at = time.time() + hours * HOUR, 0, 0.0
        while time.time() < end:
            interval = self.requests.read_interval(READ_INTERVALS["driving"], self.cars[car])
            if time.time() >= max(read_at + interval, self.requests.opens_at(is_live_read=True)):
                read_at, reads = time.time(), reads + self.send(VEHICLE_DATA)
            if self.random.random() < 0.001:
                self.restart()
            self.freezer.tick(60)
        return reads

    def sleep_until(self, target: float) -> None:
        """Ask in the planned moments whether a car woke."""
        asked_at = time.time()
        while time.time() < target:
            asked_at = max(self.requests.next_request(asked_at, self.cars), time.time() + 1)
            if asked_at > target:
                break
            self.freezer.move_to(datetime.fromtimestamp(asked_at, UTC))
            self.send(VEHICLE_DATA if self.only_live else VEHICLES)
            self.requests.planned += 1
            if self.random.random() < 0.005:
                self.disturb()
        self.freezer.move_to(datetime.fromtimestamp(max(target, time.time()), UTC))

    def disturb(self) -> None:
        """Restart, retry what fails, change the clock, or do what a person asks for."""
        event = self.random.choice((self.restart, self.retry, self.set_clock, self.command))
        event()

    def retry(self) -> None:
        for _ in range(20):
            self.send(VEHICLE_DATA)
            self.send(VEHICLES)
            self.freezer.tick(10)

    def set_clock(self) -> None:
        hours = self.random.choice((-26, -2, 2, 26))
        self.freezer.tick(timedelta(hours=hours))
        for endpoint in (VEHICLE_DATA, VEHICLES):
            self.send(endpoint)
        self.restart()
        self.freezer.tick(timedelta(hours=-hours))

    def command(self) -> None:
        if self.sent[dt_util.now().date().isoformat(), False] % 9 == 0:
            self.send(WAKE_UP, is_automatic=False)

    def restart(self) -> None:
        """Restart, or start after a crash with what was saved last."""
        is_crash = self.random.random() < 0.3
        self.start(self.saved if is_crash else self.requests.as_json(is_last=True))


@pytest.mark.parametrize("seed", [*range(5), 19, *exhaustive(*range(5, 19), *range(20, 100))])
async def test_limits_in_random_days(hass: HomeAssistant, seed: int, freezer: FrozenDateTimeFactory) -> None:
    """In ten days, no limit is exceeded, and none is spent before 18:00, whatever happens."""
    await hass.config.async_set_time_zone("Europe/Berlin")
    # Daylight saving begins or ends on one of the days.
    freezer.move_to(f"2026-{'03-25' if seed % 2 else '10-21'}T00:00:00+01:00")
    days = Days(seed, freezer)
    for _ in range(10):
        midnight = dt_util.start_of_local_day().timestamp()
        days.sleep_until(midnight + days.random.gauss(7.6, 0.2) * HOUR)
        days.drive(0.5, car=0)
        days.sleep_until(midnight + days.random.uniform(9, 12) * HOUR)
        evening = dt_util.now().replace(hour=18, minute=0, second=0, microsecond=0).timestamp()
        days.drive(days.random.choice((0.5, (evening - time.time()) / HOUR)), car=-1)
        days.sleep_until(evening)
        assert days.drive(0.5, car=0), days.limits
        days.sleep_until(dt_util.start_of_local_day(dt_util.now() + timedelta(days=1)).timestamp())
    for (day, is_live), sent in days.sent.items():
        limit = days.limits[is_live]
        assert not limit or 0 < sent <= limit, day
    for month, spent in days.spent.items():
        assert days.limits[2] is None or 0 < spent < days.limits[2], month
