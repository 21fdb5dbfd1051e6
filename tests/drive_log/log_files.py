"""Exported and imported files of a log."""

import csv
from io import StringIO
import json
import math
from typing import Any, Final
from zoneinfo import ZoneInfo

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import KINDS
from custom_components.vehicle_remote_access.drive_log.export import csv_of, log_of
from custom_components.vehicle_remote_access.drive_log.importer import new_entries, read_log
from custom_components.vehicle_remote_access.drive_log.units import LogUnits
from custom_components.vehicle_remote_access.drive_log.view import LogView

BERLIN: Final = ZoneInfo("Europe/Berlin")
KILOMETERS: Final = LogUnits(distance_unit="km", temperature_unit="°C", currency="EUR", zone=BERLIN)
MILES: Final = LogUnits(distance_unit="mi", temperature_unit="°F", currency="EUR", zone=BERLIN)
NOW: Final = 1_800_000_000
_ALL: Final = (-math.inf, math.inf)


def files(log: DriveLog, units: LogUnits) -> list[bytes]:
    view = LogView(log, units)
    return [csv_of(view, view.entries.begun(*_ALL), kind) for kind in KINDS]


def json_file(log: DriveLog, units: LogUnits) -> bytes:
    view = LogView(log, units)
    return json.dumps(log_of(view, view.entries.begun(*_ALL), KINDS, for_import=True)).encode()


def shown(log: DriveLog, units: LogUnits) -> Any:
    """Return what users see of a log: everything except the ids."""
    entries: Any = json.loads(json_file(log, units))
    for entry in (*entries["drives"], *entries["charges"]):
        del entry["id"]
    return entries


def imported(
    *contents: bytes, log: DriveLog | None = None, units: LogUnits = KILOMETERS, now: float = NOW
) -> DriveLog:
    log = log or DriveLog()
    for content in contents:
        log.insert(*new_entries(log, read_log(content, units, now).entries))
    return log


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"), newline="")))
