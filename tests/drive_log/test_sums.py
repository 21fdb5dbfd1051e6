"""Whatever the car and the clock do, the log adds up, and one that was exported can be imported completely.

The drives add up to the odometer, the charges to the energy counter, and the costs to the charges.
"""

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
import json
from random import Random
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from hypothesis import assume, given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog, LogError
from custom_components.vehicle_remote_access.drive_log.entries import Observation, PriceChange, window
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.drive_log.units import LogUnits

from .log_files import KILOMETERS, MILES, files, imported, json_file, shown
from .observations import NOON

PRICE_AWAY: Final = 0.6
PRICES_AT_PLACES: Final = {"Work": 0.0, "Friend": -0.1}
CHARGING: Final = [None, "charging", "starting", "stopped", "complete", "disconnected", "no_power"]


class Step(NamedTuple):
    """What happens to the car, and what is seen of it afterwards."""

    seconds: float
    miles: float
    energy: float
    is_driving: bool
    charging: str | None
    is_asleep: bool
    missing: frozenset[str]
    place: str
    clock: float
    """By how much the clock is set back."""
    is_restarted: bool


STEPS: Final = st.builds(
    Step,
    seconds=st.sampled_from([1.0, 60.0, 61.0, 170.0, 400.0, 1000.0, 40_000.0, 600_000.0]),
    miles=st.sampled_from([0.0, 0.0, 0.05, 0.4, 1.0, 4.0]),
    energy=st.sampled_from([0.0, 0.0, 0.05, 0.3, 1.0, 30.0]),
    is_driving=st.booleans(),
    charging=st.sampled_from(CHARGING),
    is_asleep=st.booleans(),
    missing=st.frozensets(st.sampled_from(["odometer", "energy", "level", "range", "power", "is_home"])),
    place=st.sampled_from(["Home", "Home", "Home", "Work", "Friend", "Charger"]),
    clock=st.sampled_from([0.0, 0.0, 0.0, 0.0, 2.0, 7200.0, 1e7]),
    is_restarted=st.booleans(),
)


def observed_after(step: Step, now: float, miles: float, energy: float) -> Observation:
    values: dict[str, Any] = {
        "odometer": miles,
        "energy": energy,
        "level": 50.0,
        "range": 120.0,
        "power": 7.0,
        "is_home": step.place == "Home",
        "place": step.place,
    }
    values |= dict.fromkeys(step.missing)
    if step.is_asleep:
        return Observation(at=now, is_asleep=True)
    return Observation(at=now, is_driving=step.is_driving, charging=step.charging, **values)


class Disk:
    """The two files of a log, as the keeper writes them."""

    def __init__(self) -> None:
        self.archive: dict[str, Any] = {}
        self.journal: dict[str, Any] = {}

    def save(self, log: DriveLog) -> None:
        if log.is_archive_due:
            self.archive = json.loads(json.dumps(log.start_archive()))
            log.end_archive(self.archive)
        self.journal = json.loads(json.dumps(log.journal()))

    def load(self) -> DriveLog:
        return DriveLog.restored(self.archive, self.journal)


def check_sums(log: DriveLog, odometer: float | None, energy: float | None) -> None:
    """Check that the entries divide what was read, without gaps and overlaps."""
    drives, charges = log.drive_tracker, log.charge_tracker
    if odometer is not None and drives.odometer is not None and drives.base is not None:
        total = sum(drive.distance for drive in log.drives) + drives.odometer - drives.base
        assert total == pytest.approx(drives.odometer - odometer, abs=1e-6)
    if energy is not None and charges.energy is not None and charges.base is not None:
        added = sum(charge.energy_added for charge in log.charges) + charges.energy - charges.base
        assert added == pytest.approx(charges.energy - energy, abs=1e-6)
    if (charge := charges.open) is not None:
        assert charge.cost is not None
        assert charge.cost + (charge.unpriced or 0.0) * 0.3 == pytest.approx(charge.used * 0.3, abs=1e-9)
        assert charge.used >= charge.measured_added - 0.1
        if charge.is_paid_away and charge.used:
            price = PRICES_AT_PLACES.get(charge.place or "", PRICE_AWAY)
            (shown,) = log.open_entries.charges
            assert shown.cost == pytest.approx(charge.used * price, abs=1e-4)
    for charged in log.charges:
        assert charged.place != "Work" or charged.cost in (None, 0)
        assert charged.place != "Friend" or (charged.cost or 0.0) <= 0
    for before, after in pairwise(drive for drive in log.drives if drive.end_odometer is not None):
        assert after.start_odometer == before.end_odometer
    for earlier, later in pairwise(charge for charge in log.charges if charge.end_energy is not None):
        assert later.start_energy == earlier.end_energy
    for entries in (log.drives, log.charges, log.stays):
        assert all(entry.start <= entry.end for entry in entries)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(STEPS, st.sampled_from([None, 0.3, 0.3])), max_size=40), st.booleans())
def test_nothing_loses_or_repeats_a_mile_a_kwh_or_its_cost(
    steps: list[tuple[Step, float | None]],
    settles: bool,  # noqa: FBT001
) -> None:
    now, miles, energy = NOON, 10_000.0, 100.0
    prices = Prices(source="sensor.price", away=PRICE_AWAY, places=PRICES_AT_PLACES)
    log, disk = DriveLog(currency="EUR", prices=prices.changed(now, 0.3)), Disk()
    first_odometer: float | None = None
    first_energy: float | None = None
    closed: set[str] = set()
    at_home = 0.0
    for step, price in steps:
        now += step.seconds - step.clock
        log.prices = log.prices.changed(now - 0.5, price)
        miles, energy = miles + step.miles, energy + step.energy
        observation = observed_after(step, now, miles, energy)
        first_odometer = observation.odometer if first_odometer is None else first_odometer
        first_energy = observation.energy if first_energy is None else first_energy
        log.add(observation)
        if settles:
            log.settle(now + 3600)
        check_sums(log, first_odometer, first_energy)
        assert (log.charge_tracker.used_at_home or 0.0) >= at_home
        at_home = log.charge_tracker.used_at_home or 0.0
        ids = [drive.id for drive in log.drives] + [charge.id for charge in log.charges]
        assert len(set(ids)) == len(ids)
        assert closed <= set(ids)
        closed = set(ids)
        disk.save(log)
        if step.is_restarted:
            log, before = disk.load(), log
            for name in ("drives", "charges", "stays", "drive_tracker", "charge_tracker", "stay"):
                assert getattr(log, name) == getattr(before, name), name
            log.prices = log.prices.with_options(None, PRICE_AWAY, "sensor.price", PRICES_AT_PLACES)
    if miles == log.drive_tracker.odometer:
        tracker = log.drive_tracker
        assert miles - 10_000 >= sum(drive.distance for drive in log.drives) >= 0
        assert tracker.doubted is None


@settings(max_examples=200, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=30), st.data())
def test_entries_of_the_newer_file_survive_a_power_cut(steps: list[Step], data: st.DataObject) -> None:
    log, disk = DriveLog(), Disk()
    now, miles, energy = NOON, 0.0, 0.0
    for step in steps:
        now, miles, energy = now + step.seconds, miles + step.miles, energy + step.energy
        log.add(observed_after(step, now, miles, energy))
        match data.draw(st.sampled_from(["journal", "archive", "known archive", "both", "edit"])):
            case "journal":
                disk.journal = log.journal()
            case "archive":
                disk.archive = log.start_archive()
            case "known archive":
                disk.archive = log.start_archive()
                log.end_archive(disk.archive)
            case "both":
                disk.archive, disk.journal = log.start_archive(), log.journal()
            case "edit" if log.drives:
                log.update([log.drives[0].id], {"note": "x"})
                disk.archive = log.start_archive()
        newest = max(disk.archive.get("revision", -1), disk.journal.get("revision", -1))
        if newest == log.revision:
            restored = disk.load()
            assert (restored.drives, restored.charges) == (log.drives, log.charges)


def test_archive_that_was_not_written_loses_nothing() -> None:
    log = DriveLog()
    for minute in range(6):
        log.add(Observation(at=NOON + minute * 4000, odometer=100.0 + minute * 9))
        log.settle(NOON + minute * 4000 + 500)
    log.start_archive()
    assert DriveLog.restored({}, log.journal()).drives == log.drives != []


AUTUMN: Final = 1_792_800_000.0
"""Some hours before the clocks change in Berlin in October 2026."""
NOTES: Final = ("x;=1+1", "=1", "'", "two\nlines", '"quoted", text', "-\t+", "ünï", "@\r\n-1", ";'=1")
PLACES: Final = ("Home", "Work; =east", "-1", "'s", None)
OTHER: Final = replace(MILES, currency="USD", zone=ZoneInfo("Asia/Tokyo"))
"""The units of Home Assistant at an import. A file says everything itself."""
HOUR, DAY = 3600.0, 86_400.0


def random_log(steps: list[Step], random: Random) -> DriveLog:
    log = DriveLog(currency=random.choice(["EUR", "SEK"]))
    times = [AUTUMN - 30 * DAY + hour * HOUR for hour in range(0, 2000, 3)]
    changes = [PriceChange(at, random.uniform(-0.4, 0.4)) for at in times]
    log.prices = Prices(home=0.3, away=random.choice([None, 0.6]), changes=changes)
    now, energy = AUTUMN - 20 * DAY * random.random(), 100.0
    miles = random.choice([0.0, 16_093.444, 990_000.5])
    wall_energy = 0.0
    keeps_positions = random.random() < 0.5
    for step in steps:
        now += step.seconds - step.clock
        miles, energy = miles + step.miles, energy + step.energy
        wall_energy += step.energy * 1.1
        observation = observed_after(step, now, miles, energy)
        if not step.is_asleep:
            place = random.choice(PLACES)
            observation = replace(
                observation,
                level=round(random.uniform(1, 100)),
                range=random.uniform(1, 300),
                power=random.choice([1.3, 11.0, 250.0]),
                wall_energy=random.choice([wall_energy, wall_energy, None]),
                is_fast=random.random() < 0.2,
                temperature=random.uniform(-60, 80),
                speed=random.choice([0.0, 45.0, 700.0]),
                place=place,
                is_home=place == "Home",
                latitude=random.uniform(-90, 90) if keeps_positions else None,
                longitude=random.uniform(-180, 180) if keeps_positions else None,
                reasons=frozenset(random.sample(["climate", "sentry", "user_present"], 2)),
            )
        log.add(observation)
        if log.settles_at is not None and random.random() < 0.3:
            log.settle(log.settles_at)
    return log


def edit(log: DriveLog, random: Random) -> None:
    for drive in log.drives:
        if random.random() < 0.3:
            log.update([drive.id], {"tag": random.choice(NOTES), "note": random.choice(NOTES)})
    for charge in log.charges:
        if random.random() < 0.2:
            log.update([charge.id], {"cost": random.uniform(-10, 10), "currency": "USD"})
    for index in range(len(log.drives) - 1, 0, -1):
        if random.random() < 0.1:
            with suppress(LogError):
                log.merge_drives([log.drives[index - 1].id, log.drives[index].id])


def stored(log: DriveLog, units: LogUnits) -> Any:
    """Return what users see of a log, without what is calculated from rounded values."""
    entries = shown(log, units)
    for drive in entries["drives"]:
        del drive["energy"], drive["consumption"], drive["cost"], drive["currency"]
    return entries


@settings(max_examples=30, deadline=None)
@given(
    st.lists(STEPS, min_size=20, max_size=60),
    # Its numbers are too many for Hypothesis to draw each of them.
    st.builds(Random, st.integers()),
    st.sampled_from([MILES, KILOMETERS]),
)
def test_every_exported_log_can_be_imported_once(steps: list[Step], random: Random, units: LogUnits) -> None:
    log = random_log(steps, random)
    edit(log, random)
    assume(all(log.entries))
    # Two stays, or two charges, within one second are one.
    for entries in (log.stays, log.charges):
        assume(len({(entry.start, entry.end) for entry in entries}) == len(entries))
    now = max(window(entry)[1] for entry in log.entries.all)
    for contents in (files(log, units), [json_file(log, units)]):
        copy = imported(*contents, units=OTHER, now=now)
        assert stored(copy, units) == stored(log, units)
        count = copy.entries.total
        imported(*contents, log=copy, units=OTHER, now=now)
        assert copy.entries.total == count
