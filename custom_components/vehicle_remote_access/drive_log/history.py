"""Drives from the time before the log, by the statistics of an odometer."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from homeassistant.const import UnitOfLength
from homeassistant.core import HomeAssistant

from .drive_log import DriveLog
from .drives import is_plausible, typical_duration
from .entries import Drive, Seen
from .importer import Entries

_RECORDER: Final = "recorder"
# Smaller differences can come from the conversion of units. They are part of the next drive.
_MOVED: Final = 0.5


class Hour(NamedTuple):
    """The odometer in miles at the end of an hour."""

    start: float
    end: float
    odometer: float


async def drives_of_sensor(hass: HomeAssistant, entity_id: str, book: DriveLog) -> Entries:
    """Return the drives that the long-term statistics of an odometer show before the log's first drive."""
    if _RECORDER not in hass.config.components:
        return Entries([], [], [])
    # Without the recorder, its libraries are not loaded.
    from homeassistant.components.recorder import get_instance  # noqa: PLC0415
    from homeassistant.components.recorder.statistics import statistics_during_period  # noqa: PLC0415

    def read() -> Sequence[Drive]:
        """Return all drives that the statistics show."""
        epoch, units = datetime.fromtimestamp(0, UTC), {"distance": UnitOfLength.MILES.value}
        found = statistics_during_period(hass, epoch, None, {entity_id}, "hour", units, {"state"})
        return drives_by_hour(
            Hour(row["start"], row["end"], state)
            for row in found.get(entity_id, [])
            if (state := row.get("state")) is not None
        )

    shown = await get_instance(hass).async_add_executor_job(read)
    drives = [*book.drives, *(each for each in book.open_records if isinstance(each, Drive))]
    starts = (drive.start if drive.start_earliest is None else drive.start_earliest for drive in drives)
    first = min(starts, default=float("inf"))
    return Entries([drive for drive in shown if (drive.end_latest or 0.0) <= first], [], [])


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
    # The middle is the best guess.
    slack = max(0.0, latest - earliest - typical_duration(end_odometer - start_odometer)) / 2
    return Drive(
        id="",
        start=round(earliest + slack),
        end=round(latest - slack),
        start_earliest=round(earliest),
        end_latest=round(latest),
        start_odometer=round(start_odometer, 6),
        end_odometer=round(end_odometer, 6),
        seen=Seen.AFTERWARDS.value,
    )
