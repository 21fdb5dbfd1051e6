"""Random days with limits, through the whole integration: faults, restarts and long drives over HTTP."""

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
from random import Random
from typing import Final

import pytest

from custom_components.vehicle_remote_access.simulator import Request, Simulator

from ..benchmarks.common.driver import Driver, miles_in
from ..benchmarks.common.home import Home, virtual_home
from ..benchmarks.common.virtual_time import DAY, START, VirtualLoop, run_in_virtual_time

DAYS: Final = 5
LIMIT: Final = 240
LIVE_LIMIT: Final = 60


class Days:
    """Days of an account with limits."""

    def __init__(self, home: Home, simulator: Simulator, requests: list[Request], seed: int) -> None:
        self.home = home
        self.simulator = simulator
        self.requests = requests
        self.random = Random(seed)  # noqa: S311 - not for cryptography
        self.evening_reads: list[int] = []
        """The number of live reads during the drive of each evening."""

    async def day(self, driver: Driver, _day: int) -> None:
        """Drive at the usual hours, and for long at noon. Restart and fail at random before the evening."""
        await driver.wait_until_hour(self.random.gauss(7.6, 0.2))
        await driver.drive(to=miles_in(30))
        await self.disturb(driver, (9, 10, 11))
        await driver.drive(to=miles_in(30 + self.random.uniform(30, 100)))
        await self.disturb(driver, (14, 15, 16, 17))
        await driver.wait_until_hour(18.1)
        before = len(live(self.requests))
        await driver.drive(to=0)
        self.evening_reads.append(len(live(self.requests)) - before)
        await self.disturb(driver, (22, 23))

    async def disturb(self, driver: Driver, hours: Iterable[int]) -> None:
        """Restart the account or let requests fail in some hours."""
        for hour in hours:
            await driver.wait_until_hour(hour + self.random.random() / 2)
            if self.random.random() < 0.5:
                self.simulator.faults.answer(self.random.choice((408, 429, 500)), times=10)
            else:
                await self.home.restart()


def live(requests: list[Request]) -> list[Request]:
    """Return the requests that reach the car."""
    return [request for request in requests if request.path.endswith("/vehicle_data")]


def run(seed: int) -> tuple[list[Request], list[int]]:
    """Return the requests and the numbers of live reads in the evenings."""

    async def observe(loop: VirtualLoop) -> tuple[list[Request], list[int]]:
        requests: list[Request] = []
        simulator = Simulator(vehicles=1, seed=seed, on_request=requests.append)
        await simulator.start()
        options = {"requests_per_day": LIMIT, "live_reads_per_day": LIVE_LIMIT}
        async with virtual_home(loop, simulator, options) as home:
            days = Days(home, simulator, requests, seed)
            await Driver(simulator.vehicles[0]).follow(days.day, DAYS)
        await simulator.stop()
        return requests, days.evening_reads

    return run_in_virtual_time(observe)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(4))
def test_no_limit_is_exceeded_and_each_evening_drive_is_seen(seed: int) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        requests, evening_reads = pool.submit(run, seed).result()
    for sent, limit in ((requests, LIMIT), (live(requests), LIVE_LIMIT)):
        by_day = Counter((request.moment - START.timestamp()) // DAY for request in sent)
        assert len(by_day) == DAYS
        assert max(by_day.values()) <= limit, by_day
    assert min(evening_reads) > 0, evening_reads
