"""A log that was exported can be imported completely, whatever the car and the clock did."""

from dataclasses import replace
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

from hypothesis import assume, given, settings, strategies as st

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog, LogError
from custom_components.vehicle_remote_access.drive_log.entries import window
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.drive_log.units import LogUnits

from .log_files import KILOMETERS, MILES, files, imported, json_file, shown
from .steps import STEPS, Step, observed_after

AUTUMN: Final = 1_792_800_000.0
"""Some hours before the clocks change in Berlin in October 2026."""
NOTES: Final = ("x;=1+1", "=1", "'", "two\nlines", '"quoted", text', "-\t+", "ünï", "@\r\n-1", ";'=1")
PLACES: Final = ("Home", "Work; =east", "-1", "'s", None)
OTHER: Final = replace(MILES, currency="USD", zone=ZoneInfo("Asia/Tokyo"))
"""The units of Home Assistant at an import. A file says everything itself."""
HOUR, DAY = 3600.0, 86_400.0


def random_log(steps: list[Step], random: Random) -> DriveLog:
    log = DriveLog(currency=random.choice(["EUR", "SEK"]))
    changes = [(AUTUMN - 30 * DAY + hour * HOUR, random.uniform(-0.4, 0.4)) for hour in range(0, 2000, 3)]
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
            try:
                log.merge_drives([log.drives[index - 1].id, log.drives[index].id])
            except LogError:
                continue


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
