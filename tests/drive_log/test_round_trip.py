"""A log that was exported can be imported completely, whatever the car and the clock did."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog, LogError
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Observation
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.drive_log.units import LogUnits

from .log_files import KILOMETERS, MILES, files, imported, json_file, shown

AUTUMN: Final = 1_792_800_000.0
"""Some hours before the clocks change in Berlin in October 2026."""
NOTES: Final = ("x;=1+1", "=1", "'", "two\nlines", '"quoted", text', "-\t+", "ünï", "@\r\n-1", ";'=1")
PLACES: Final = ("Home", "Work; =east", "-1", "'s", None)
OTHER: Final = replace(MILES, currency="USD", zone=ZoneInfo("Asia/Tokyo"))
"""The units of Home Assistant at an import. A file says everything itself."""
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


class RandomCar:
    """A car that does anything, and a clock that is sometimes wrong."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - not for secrets
        self.true_time, self.clock_error = AUTUMN - 20 * DAY * self.random.random(), 0.0
        self.odometer, self.energy = self.random.choice([0.0, 16_093.444, 990_000.5]), 100.0
        self.level, self.place = 60.0, self.random.choice(PLACES)
        self.has_counter, self.keeps_positions = self.random.random() < 0.8, self.random.random() < 0.5

    def observations(self, count: int) -> Iterator[Observation]:
        actions = [self.park, self.drive, self.charge, self.sleep, self.be_offline, self.change_clock]
        for _ in range(count):
            yield from self.random.choice(actions)()

    def observe(self, seconds: float, **values: Any) -> Observation:
        self.true_time += seconds
        random = self.random
        position: dict[str, Any] = {
            "latitude": random.uniform(-90, 90),
            "longitude": random.uniform(-180, 180),
        }
        is_known = random.random() < 0.9
        return Observation(
            at=self.true_time + self.clock_error,
            odometer=self.odometer if is_known else None,
            energy=self.energy if self.has_counter else None,
            level=round(self.level) if is_known else None,
            range=self.level * 2.7,
            temperature=random.uniform(-60, 80),
            place=self.place,
            is_home=self.place == "Home" if is_known else None,
            **(position if self.keeps_positions and is_known else {}),
            **values,
        )

    def move(self, miles: float) -> None:
        self.odometer += miles
        self.level = max(1.0, self.level - miles / 3)

    def add(self, energy: float) -> None:
        self.energy += energy
        self.level = min(100.0, self.level + energy / 0.7)

    def park(self) -> Iterator[Observation]:
        reasons = frozenset(self.random.sample(["climate", "sentry", "user_present"], 2))
        for _ in range(self.random.randint(1, 5)):
            yield self.observe(self.random.choice([30, 600]), charging="disconnected", reasons=reasons)

    def drive(self) -> Iterator[Observation]:
        for _ in range(self.random.randint(1, 20)):
            self.move(self.random.uniform(0, 1.5))
            speed = self.random.choice([0.0, 45.0, 700.0])
            yield self.observe(self.random.choice([30, 60, 1200]), is_driving=True, speed=speed)
        self.place = self.random.choice(PLACES)
        yield self.observe(self.random.choice([20, 2000]), charging="disconnected")

    def charge(self) -> Iterator[Observation]:
        power, is_fast = self.random.choice([1.3, 11.0, 250.0]), self.random.random() < 0.2
        for _ in range(self.random.randint(1, 20)):
            seconds = self.random.choice([60, 300, 7200])
            self.add(power * seconds / HOUR)
            yield self.observe(seconds, charging="charging", power=power, is_fast=is_fast)
        yield self.observe(60, charging=self.random.choice(["complete", "stopped"]))

    def sleep(self) -> Iterator[Observation]:
        for _ in range(self.random.randint(1, 30)):
            self.true_time += 300
            yield Observation(at=self.true_time + self.clock_error, is_asleep=True)

    def be_offline(self) -> Iterator[Observation]:
        if self.random.random() < 0.5:
            self.move(self.random.uniform(0, 300))
        if self.random.random() < 0.5:
            self.add(self.random.uniform(0, 60))
        yield self.observe(self.random.choice([HOUR, DAY, 20 * DAY]), charging="disconnected")

    def change_clock(self) -> Iterator[Observation]:
        self.clock_error = self.random.choice([0.0, 0.0, -HOUR, HOUR, -DAY, 3 * DAY])
        yield self.observe(self.random.choice([0, 10]))


def random_log(seed: int) -> DriveLog:
    """Return the log of a random car. Its owner has changed some of the entries."""
    car = RandomCar(seed)
    random = car.random
    log = DriveLog(currency=random.choice(["EUR", "SEK"]))
    changes = [(AUTUMN - 30 * DAY + hour * HOUR, random.uniform(-0.4, 0.4)) for hour in range(0, 2000, 3)]
    log.prices = Prices(home=0.3, away=random.choice([None, 0.6]), changes=changes)
    for observation in car.observations(60):
        log.add(observation)
        if log.settles_at is not None and random.random() < 0.3:
            log.settle(log.settles_at)
    for drive in log.drives:
        if random.random() < 0.3:
            log.update(drive.id, {"tag": random.choice(NOTES), "note": random.choice(NOTES)})
    for charge in log.charges:
        if random.random() < 0.2:
            log.update(charge.id, {"cost": random.uniform(-10, 10), "currency": "USD"})
    for index in range(len(log.drives) - 1, 0, -1):
        if random.random() < 0.1:
            try:
                log.merge_drives([log.drives[index - 1].id, log.drives[index].id])
            except LogError:
                continue
    return log


def stored(log: DriveLog, units: LogUnits) -> Any:
    """Return what users see of a log, without what is calculated from rounded values."""
    entries = shown(log, units)
    for drive in entries["drives"]:
        del drive["energy"], drive["consumption"]
    return entries


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in range(10, 200, 10))]
)
def test_every_exported_log_can_be_imported_once(first: int) -> None:
    for seed in range(first, first + 10):
        log = random_log(seed)
        entries: list[Drive | Charge] = [*log.drives, *log.charges]
        now = max(entry.end if entry.end_latest is None else entry.end_latest for entry in entries)
        units = MILES if seed % 2 else KILOMETERS
        assert log.drives
        assert log.charges
        assert log.stays
        for contents in (files(log, units), [json_file(log, units)]):
            copy = imported(*contents, units=OTHER, now=now)
            assert stored(copy, units) == stored(log, units), seed
            count = len(copy.drives), len(copy.charges), len(copy.stays)
            imported(*contents, log=copy, units=OTHER, now=now)
            assert (len(copy.drives), len(copy.charges), len(copy.stays)) == count
