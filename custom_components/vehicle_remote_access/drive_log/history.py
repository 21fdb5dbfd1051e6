"""Drives from the time before the log, by the statistics of an odometer."""

from collections.abc import Iterable, Sequence
import math
from typing import Final, NamedTuple

from .drive_log import DriveLog
from .drives import is_plausible, typical_duration
from .entries import Drive, Entries, window
from .open_entry import OpenEntry

# Smaller differences can come from the conversion of units. They are part of the next drive.
_MOVED: Final = 0.5


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
    drives: list[Drive] = []
    known: Hour | None = None
    for hour in hours:
        if known is None or not is_plausible(known.odometer, hour.odometer, hour.end - known.end):
            # The first hour, another instrument, or a wrong value
            known = hour
        elif hour.odometer - known.odometer < _MOVED:
            known = hour._replace(odometer=known.odometer)
        else:
            goes_on = bool(drives) and drives[-1].end_latest == known.end == hour.start
            before = drives.pop() if goes_on else None
            drives.append(
                _drive(
                    known.end if before is None else before.start_earliest or before.start,
                    hour.end,
                    known.odometer if before is None else before.start_odometer or 0.0,
                    hour.odometer,
                )
            )
            known = hour
    return drives


def _drive(earliest: float, latest: float, start_odometer: float, end_odometer: float) -> Drive:
    return OpenEntry(start=latest, earliest=earliest).as_entry(
        Drive,
        latest,
        None,
        before=0.0,
        after=0.0,
        total=typical_duration(end_odometer - start_odometer),
        id="",
        start_odometer=round(start_odometer, 6),
        end_odometer=round(end_odometer, 6),
    )
