"""Random days with limits: faults, restarts, crashes, two cars, clock changes and long drives."""

from collections import Counter
from datetime import UTC, datetime, timedelta
import json
from random import Random
import time
from types import SimpleNamespace
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.account.options import READ_INTERVALS, AccountOptions
from custom_components.vehicle_remote_access.account.request_budget import RequestBudget
from custom_components.vehicle_remote_access.api.commands import VEHICLE_DATA, VEHICLES, WAKE_UP, Endpoint
from custom_components.vehicle_remote_access.polling.wake_rate import WakeRate

from ..conftest import exhaustive

HOUR: Final = 3600.0
LIMITS: Final = ((480, 0), (240, 60), (60, 0), (0, 161), (0, 30))


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
        self.saved: dict[str, Any] = {}
        self.start({})

    def start(self, stored: dict[str, Any]) -> None:
        client: Any = SimpleNamespace(request_count=0, live_read_count=0, quota=None)
        self.client = client
        requests, live_reads = self.limits
        options = AccountOptions(requests_per_day=requests, live_reads_per_day=live_reads)
        self.requests = RequestBudget(client, options, json.loads(json.dumps(stored)))
        self.requests.only_live = self.only_live

    def send(self, endpoint: Endpoint, *, is_automatic: bool = True) -> bool:
        """Send a request, and return whether the limits allowed it."""
        is_live = endpoint is VEHICLE_DATA
        if is_automatic and self.requests.opens_at(is_live_read=is_live):
            return False
        self.client.request_count += 1
        self.client.live_read_count += is_live
        today = dt_util.now().date().isoformat()
        self.sent[today, False] += 1
        self.sent[today, True] += is_live
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


@pytest.mark.parametrize("seed", [*range(5), *exhaustive(*range(5, 100))])
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
