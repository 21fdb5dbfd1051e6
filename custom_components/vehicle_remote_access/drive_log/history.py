"""Drives from the time before the log, by the statistics of an odometer."""

from collections.abc import Iterable, Sequence
import math
from typing import NamedTuple

from .charges import MOVED
from .drive_log import DriveLog
from .drives import is_plausible, typical_duration
from .entries import Drive, Entries, window
from .open_entry import OpenEntry


class Hour(NamedTuple):
    """The odometer in miles at the end of an hour."""

    start: float
    end: float
    odometer: float


def drives_before(log: DriveLog, hours: Iterable[Hour]) -> Entries:
    """Return the drives that an odometer shows before the log's first drive."""
    known = [*log.drives, *log.open_entries.drives]
    first = min((window(drive)[0] for drive in known), default=math.inf)
    return Entries([drive for drive in drives_by_hour(hours) if window(drive)[1] <= first])


def drives_by_hour(hours: Iterable[Hour]) -> Sequence[Drive]:
    """Return one drive for each time in which the odometer rose in every hour."""
    risen: list[tuple[Hour, Hour]] = []
    known: Hour | None = None
    for hour in hours:
        if known is None or not is_plausible(known.odometer, hour.odometer, hour.end - known.end):
            # The first hour, another instrument, or a wrong value
            known = hour
        elif hour.odometer - known.odometer < MOVED:
            # It is part of the next drive.
            known = hour._replace(odometer=known.odometer)
        else:
            goes_on = bool(risen) and risen[-1][1] == known and known.end == hour.start
            risen.append((risen.pop()[0] if goes_on else known, hour))
            known = hour
    return [_drive(before, last) for before, last in risen]


def _drive(before: Hour, last: Hour) -> Drive:
    """Return the drive between the ends of two hours."""
    return OpenEntry(start=last.end, earliest=before.end).as_entry(
        Drive,
        last.end,
        None,
        total=typical_duration(last.odometer - before.odometer),
        id="",
        start_odometer=round(before.odometer, 6),
        end_odometer=round(last.odometer, 6),
    )
