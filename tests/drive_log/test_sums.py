"""The drives add up to the odometer, the charges to the energy counter and the costs to the charges."""

from itertools import pairwise
import json
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Observation
from custom_components.vehicle_remote_access.drive_log.prices import Prices

from .observations import NOON
from .steps import STEPS, Step, observed_after

AWAY: Final = 0.6
PLACES: Final = {"Work": 0.0, "Friend": -0.1}


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
            price = PLACES.get(charge.place or "", AWAY)
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
    prices = Prices(source="sensor.price", away=AWAY, places=PLACES)
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
            log.prices = log.prices.with_options(None, AWAY, "sensor.price", PLACES)
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
