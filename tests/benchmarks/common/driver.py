"""A driver of the simulated car, who follows a timetable. Times are seconds since the start."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
import math
from random import Random
from typing import Any, Final

from custom_components.vehicle_remote_access.api.commands import (
    AUTO_CONDITIONING_START,
    SET_CHARGE_LIMIT,
    Command,
)
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.car.driving import ACCELERATION, CRUISE

from .virtual_time import DAY, HOUR, MINUTE, START

# Shorter than any time awake between two sleeps
_CHECK_INTERVAL: Final = 120.0
# Each appointment is this much later in its minute than the previous one: drives don't start on the minute.
_OFFSET: Final = 23.0
_HOME: Final = 0.0
_SHORT_STOPS: Final = (5, 12, 20)
_NEW_STOPS: Final = (8, 12, 16, 20, 25, 30, 34)

type Timetable = Callable[[Driver, int], Awaitable[None]]
"""Runs one day, counted from 0."""


@dataclass(slots=True)
class Span:
    start: float
    end: float

    @property
    def seconds(self) -> float:
        return max(0.0, self.end - self.start)

    def within(self, other: Span) -> Span:
        return Span(max(self.start, other.start), min(self.end, other.end))


@dataclass(slots=True)
class Activity(Span):
    """A drive or a charge."""

    kind: str
    """drive or charge."""
    initial_state: str
    """asleep, quiet (awake while the integration lets it fall asleep) or watched."""
    is_usual: bool = False
    """Whether it happens at about the same time on many days."""


def miles_in(minutes: float) -> float:
    """Return the length of a drive that includes speeding up and slowing down."""
    return CRUISE * (minutes * MINUTE - CRUISE / ACCELERATION) / HOUR


class Driver:
    """Drives and charges a car. All places are on a straight road; the car starts at mile 0."""

    def __init__(self, car: SimulatedVehicle, is_quiet: Callable[[], bool] = lambda: False) -> None:
        """`is_quiet` returns whether the integration is letting the car fall asleep."""
        self.activities: list[Activity] = []
        self.sleeps: dict[float, Span] = {}
        """The car's sleeps, by their start."""
        self.send: Callable[..., Awaitable[None]] | None = None
        """Sends a command from Home Assistant, if there is one."""
        self._car = car
        self._is_quiet = is_quiet
        self._loop = asyncio.get_running_loop()
        self._midnight = 0.0
        self._appointments = 0
        self._mile = 0.0

    async def follow(self, timetable: Timetable, days: int) -> None:
        tracking = asyncio.create_task(self._track_sleep())
        for day in range(days):
            self._midnight = day * DAY
            await self._sleep_until(self._midnight)
            await timetable(self, day)
        await self._sleep_until(days * DAY)
        tracking.cancel()
        self._record_sleep()

    async def wait_until(self, clock: str) -> None:
        """Wait until a time of the day, plus some seconds."""
        hours, minutes = map(int, clock.split(":"))
        self._appointments += 1
        target = self._midnight + hours * HOUR + minutes * MINUTE + self._appointments * _OFFSET % MINUTE
        assert target >= self._loop.time(), f"too late for {clock}"
        await self._sleep_until(target)

    async def wait_until_hour(self, hour: float) -> None:
        """Wait until a time of the day in hours, unless it is already later."""
        await self._sleep_until(max(self._midnight + hour * HOUR, self._loop.time()))

    async def wait(self, minutes: float) -> None:
        await asyncio.sleep(minutes * MINUTE)

    async def drive(self, to: float, *, is_usual: bool = False) -> None:
        miles = to - self._mile
        drive = self._start_activity("drive")
        drive.is_usual = is_usual
        # A constant level: no result depends on it.
        self._car.set_level(70)
        if self._car.charging.plugged:
            self._car.unplug()
        self._car.driving.heading = 0.0 if miles > 0 else 180.0
        drive.end = drive.start + self._car.drive(abs(miles))
        await self._sleep_until(drive.end)
        self._car.catch_up()
        assert not self._car.driving.in_gear, "the drive took longer than planned"
        self._mile = to

    async def charge(self, minutes: float) -> None:
        """Plug the car in and stop charging after some minutes. The cable stays plugged in."""
        charge = self._start_activity("charge")
        self._car.plug_in()
        await self.wait(minutes)
        self._car.catch_up()
        assert self._car.charging.active, "the battery was full too soon"
        self._car.charging.stop()
        charge.end = self._loop.time()

    async def command(self, command: Command, **values: Any) -> None:
        if self.send is not None:
            await self.send(command, **values)

    def _start_activity(self, kind: str) -> Activity:
        self._record_sleep()
        state = self._car.state
        if state == "online":
            state = "quiet" if self._is_quiet() else "watched"
        self.activities.append(Activity(self._loop.time(), math.inf, kind, state))
        return self.activities[-1]

    async def _track_sleep(self) -> None:
        while True:
            self._record_sleep()
            await asyncio.sleep(_CHECK_INTERVAL)

    def _record_sleep(self) -> None:
        """Record the car's last sleep, or the current one up to now."""
        self._car.catch_up()
        start = self._car.slept_at - START.timestamp()
        woke_at = self._car.woke_at - START.timestamp()
        self.sleeps[start] = Span(start, woke_at if self._car.awake else self._loop.time())

    async def _sleep_until(self, target: float) -> None:
        await asyncio.sleep(target - self._loop.time())


async def plain(driver: Driver, day: int) -> None:
    """Drive to work and back, then charge. The car is idle for 22 hours in three periods."""
    await driver.wait_until("07:30")
    await driver.drive(to=miles_in(30), is_usual=True)
    await driver.wait_until("17:00")
    await driver.drive(to=_HOME, is_usual=True)
    await driver.charge(60)


async def errands(driver: Driver, day: int) -> None:
    """Drive six times, 100 minutes in total, three times after a short stop. Charge at night."""
    work, school, restaurant = miles_in(38), miles_in(10), miles_in(38) + miles_in(12)
    first, second, third = (_SHORT_STOPS[(day + index) % len(_SHORT_STOPS)] for index in range(3))
    await driver.wait_until("07:20")
    await driver.drive(to=school)
    await driver.wait(first)
    await driver.drive(to=work)
    await driver.wait_until("12:10")
    await driver.drive(to=restaurant)
    await driver.wait(second)
    await driver.drive(to=work)
    await driver.wait_until("16:40")
    await driver.drive(to=school)
    await driver.wait(third)
    await driver.drive(to=_HOME)
    await driver.wait_until("22:30")
    await driver.charge(60)


async def surprises(driver: Driver, day: int) -> None:
    """A plain day, then one with drives that start at places where the car never was before."""
    if day == 0:
        await plain(driver, day)
        return
    place = _HOME
    for stop in _NEW_STOPS:
        # The fraction makes each drive start at another second.
        await driver.wait(150.4)
        await driver.drive(to=(place := place + miles_in(10)))
        await driver.wait(stop)
        await driver.drive(to=(place := place - miles_in(20)))


async def commuter(
    driver: Driver, day: int, *, seed: int = 0, first_day: int = 0, has_commands: bool = False
) -> None:
    """Drive to work and back on workdays, with errands on every third evening, and once on weekend days.

    The times vary at random. `first_day`: which day of the same weeks comes first. `has_commands`: warm the
    sleeping car before work, and set its charge limit on every second evening.
    """
    day += first_day
    random = Random(f"{seed} {day}")  # noqa: S311 - not for cryptography
    if day % 7 >= 5:
        await driver.wait_until_hour(random.uniform(9, 18))
        await _make_trip(driver, minutes=25, stop=random.uniform(40, 150))
        return
    leaves_at = random.gauss(7 + 40 / 60, 12 / 60)
    if has_commands:
        await driver.wait_until_hour(leaves_at - 1 / 4)
        await driver.command(AUTO_CONDITIONING_START)
    await driver.wait_until_hour(leaves_at)
    await driver.drive(to=miles_in(30), is_usual=True)
    await driver.wait_until_hour(random.gauss(17 + 20 / 60, 20 / 60))
    await driver.drive(to=_HOME, is_usual=True)
    if has_evening_errand(day):
        await driver.wait_until_hour(random.uniform(19.2, 20.5))
        await _make_trip(driver, minutes=15, stop=random.uniform(30, 60))
        await driver.charge(60)
    if has_commands and day % 2:
        await driver.wait_until_hour(22.5)
        await driver.command(SET_CHARGE_LIMIT, percent=85 + day % 6)


async def short_stops(driver: Driver, day: int, *, seed: int) -> None:
    """Drive to work by way of a school, eat out at noon, and shop on the way home. The lengths vary.

    On weekend days, drive to two new places.
    """
    random = Random(f"{seed} {day}")  # noqa: S311 - not for cryptography
    if day % 7 >= 5:
        await driver.wait_until_hour(random.uniform(9, 11))
        for mile in (20, 10):
            await driver.drive(to=miles_in(mile) + day % 20)
            await driver.wait(math.exp(random.uniform(math.log(5), math.log(120))))
        await driver.drive(to=_HOME)
        return
    school, work, restaurant = miles_in(10), miles_in(38), miles_in(38) + miles_in(12)
    await driver.wait_until_hour(random.gauss(7 + 20 / 60, 10 / 60))
    await driver.drive(to=school)
    await driver.wait(random.uniform(3, 15))
    await driver.drive(to=work)
    await driver.wait_until_hour(random.gauss(12 + 10 / 60, 15 / 60))
    await driver.drive(to=restaurant)
    await driver.wait(random.uniform(15, 50))
    await driver.drive(to=work)
    await driver.wait_until_hour(random.gauss(16 + 40 / 60, 20 / 60))
    await driver.drive(to=miles_in(random.choice((14, 18, 22))))
    await driver.wait(random.uniform(5, 40))
    await driver.drive(to=_HOME)


async def leaves_again(driver: Driver, day: int, *, seed: int) -> None:
    """Drive to work and back on workdays, and leave again soon after every fourth return.

    The car is charged until shortly before it leaves in the morning.
    """
    random = Random(f"{seed} {day}")  # noqa: S311 - not for cryptography
    if day % 7 >= 5:
        await driver.wait_until_hour(random.uniform(9, 18))
        await _make_trip(driver, minutes=25, stop=random.uniform(40, 150))
        return
    if day:
        await driver.wait_until("06:40")
        await driver.charge(35)
    await driver.wait_until_hour(random.gauss(7 + 40 / 60, 10 / 60))
    await driver.drive(to=miles_in(30))
    await driver.wait_until_hour(random.gauss(17 + 20 / 60, 20 / 60))
    await driver.drive(to=_HOME)
    if random.random() < 1 / 4:
        await driver.wait(random.uniform(3, 25))
        await _make_trip(driver, minutes=15, stop=random.uniform(30, 60))


async def _make_trip(driver: Driver, *, minutes: float, stop: float) -> None:
    """Drive somewhere, and back after some minutes."""
    await driver.drive(to=miles_in(minutes))
    await driver.wait(stop)
    await driver.drive(to=_HOME)


def has_evening_errand(day: int) -> bool:
    """Return whether the commuter runs an errand on this day."""
    return day % 7 < 5 and day % 3 == 0
