"""Drives from the time before the log, by the statistics of an odometer."""

from collections.abc import Iterable, Sequence
import math
from typing import NamedTuple

from ..util.positions import MOVED
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
    logged = [*log.drives, *log.open_entries.drives]
    first = min((window(drive)[0] for drive in logged), default=math.inf)
    return Entries([drive for drive in drives_by_hour(hours) if window(drive)[1] <= first])


def drives_by_hour(hours: Iterable[Hour]) -> Sequence[Drive]:
    """Return one drive for each time in which the odometer rose in every hour."""
    rises: list[list[Hour]] = []
    before: Hour | None = None
    for hour in hours:
        if before is None or not is_plausible(before.odometer, hour.odometer, hour.end - before.end):
            # The first hour, another instrument, or a wrong value
            before = hour
        elif hour.odometer - before.odometer < MOVED:
            # A small difference is part of the next drive.
            before = hour._replace(odometer=before.odometer)
        else:
            if rises and rises[-1][-1] == before and before.end == hour.start:
                rises[-1].append(hour)
            else:
                rises.append([before, hour])
            before = hour
    return [_drive(*rise) for rise in rises]


def _drive(before: Hour, *hours: Hour) -> Drive:
    last = hours[-1]
    return OpenEntry(start=last.end, earliest=before.end).as_entry(
        Drive,
        last.end,
        None,
        total=typical_duration(last.odometer - before.odometer),
        id="",
        start_odometer=round(before.odometer, 6),
        end_odometer=round(last.odometer, 6),
    )
