"""The drives add up to the odometer and the charges to the energy counter, whatever is looked at."""

from itertools import pairwise
import json
from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Observation
from custom_components.vehicle_remote_access.drive_log.prices import Prices

from .steps import NOON, STEPS, Step, look_after


class Disk:
    """The two files of a log, as the keeper writes them."""

    def __init__(self) -> None:
        """Start without files."""
        self.archive: dict[str, Any] = {}
        self.journal: dict[str, Any] = {}

    def save(self, book: DriveLog) -> None:
        """Write what is due."""
        if book.is_archive_due:
            self.archive = json.loads(json.dumps(book.archive()))
        self.journal = json.loads(json.dumps(book.journal()))

    def load(self) -> DriveLog:
        """Return the log after a restart."""
        return DriveLog.restored(self.archive, self.journal)


def check_sums(book: DriveLog, odometer: float | None, energy: float | None) -> None:
    """Check that the records divide what was read, without gaps and overlaps."""
    drives, charges = book.drive_tracker, book.charge_tracker
    if odometer is not None and drives.odometer is not None and drives.base is not None:
        total = sum(drive.distance for drive in book.drives) + drives.odometer - drives.base
        assert total == pytest.approx(drives.odometer - odometer, abs=1e-6)
    if energy is not None and charges.energy is not None and charges.base is not None:
        added = sum(charge.energy_added for charge in book.charges) + charges.energy - charges.base
        assert added == pytest.approx(charges.energy - energy, abs=1e-6)
    for before, after in pairwise(drive for drive in book.drives if drive.end_odometer is not None):
        assert after.start_odometer == before.end_odometer
    for earlier, later in pairwise(charge for charge in book.charges if charge.end_energy is not None):
        assert later.start_energy == earlier.end_energy
    for records in (book.drives, book.charges, book.stays):
        assert all(record.start <= record.end for record in records)


@settings(max_examples=300, deadline=None)
@given(st.lists(STEPS, max_size=40), st.booleans())
def test_sums_hold(steps: list[Step], settles: bool) -> None:  # noqa: FBT001
    """Gaps, missing values, clock changes and restarts neither lose nor repeat a mile or a kWh."""
    book, disk = DriveLog(prices=Prices(home=0.3)), Disk()
    now, miles, energy = NOON, 10_000.0, 100.0
    first_odometer: float | None = None
    first_energy: float | None = None
    closed: set[str] = set()
    at_home = 0.0
    for step in steps:
        now += step.seconds - step.clock
        miles, energy = miles + step.miles, energy + step.energy
        look = look_after(step, now, miles, energy)
        first_odometer = look.odometer if first_odometer is None else first_odometer
        first_energy = look.energy if first_energy is None else first_energy
        book.add(look)
        if settles:
            book.settle(now + 3600)
        check_sums(book, first_odometer, first_energy)
        assert (book.charge_tracker.used_at_home or 0.0) >= at_home
        at_home = book.charge_tracker.used_at_home or 0.0
        ids = [drive.id for drive in book.drives] + [charge.id for charge in book.charges]
        assert len(set(ids)) == len(ids)
        assert closed <= set(ids)
        closed = set(ids)
        disk.save(book)
        if step.is_restarted:
            book, before = disk.load(), book
            assert (book.drives, book.charges, book.stays) == (before.drives, before.charges, before.stays)
            assert (book.drive_tracker, book.charge_tracker, book.stay) == (
                before.drive_tracker,
                before.charge_tracker,
                before.stay,
            )
            book.prices = before.prices
    if miles == book.drive_tracker.odometer:
        tracker = book.drive_tracker
        assert miles - 10_000 >= sum(drive.distance for drive in book.drives) >= 0
        assert tracker.doubted is None


@settings(max_examples=200, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=30), st.data())
def test_no_power_cut_loses_a_record(steps: list[Step], data: st.DataObject) -> None:
    """Whichever of the two files a power cut leaves older, the records of the newer one are there."""
    book, disk = DriveLog(), Disk()
    now, miles, energy = NOON, 0.0, 0.0
    for step in steps:
        now, miles, energy = now + step.seconds, miles + step.miles, energy + step.energy
        book.add(look_after(step, now, miles, energy))
        match data.draw(st.sampled_from(["journal", "archive", "both", "edit"])):
            case "journal":
                disk.journal = book.journal()
            case "archive":
                disk.archive = book.archive()
            case "both":
                disk.archive, disk.journal = book.archive(), book.journal()
            case "edit" if book.drives:
                book.update(book.drives[0].id, {"note": "x"})
                disk.archive = book.archive()
        newest = max(disk.archive.get("revision", -1), disk.journal.get("revision", -1))
        if newest == book.revision:
            restored = disk.load()
            assert (restored.drives, restored.charges) == (book.drives, book.charges)


def test_archive_that_was_not_written_loses_nothing() -> None:
    """A journal does not rely on the last archive, which may still be in memory."""
    book = DriveLog()
    for minute in range(6):
        book.add(Observation(at=NOON + minute * 4000, odometer=100.0 + minute * 9))
        book.settle(NOON + minute * 4000 + 500)
    book.archive()
    assert DriveLog.restored({}, book.journal()).drives == book.drives != []
