"""Exported and imported files of a log."""

import csv
from io import StringIO
import json
import math
from typing import Any, Final
from zoneinfo import ZoneInfo

from homeassistant.util.unit_system import UnitSystem

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.export import LogExport
from custom_components.vehicle_remote_access.drive_log.importer import Defaults, new_entries, read_log

BERLIN: Final = ZoneInfo("Europe/Berlin")
DEFAULTS: Final = Defaults(distance="km", temperature="°C", currency="EUR", zone=BERLIN, now=1_800_000_000)
ALL: Final = (-math.inf, math.inf)


def files(book: DriveLog, units: UnitSystem) -> list[bytes]:
    """Return the CSV files of a log."""
    log = LogExport(book, units)
    return [log.as_csv(*ALL, kind, BERLIN) for kind in ("drives", "charges", "stays")]


def shown(book: DriveLog, units: UnitSystem) -> Any:
    """Return what users see of a log: everything except the ids."""
    log = json.loads(LogExport(book, units).as_json(*ALL, "EUR"))
    for entry in (*log["drives"], *log["charges"]):
        del entry["id"]
    return log


def imported(*contents: bytes, book: DriveLog | None = None, defaults: Defaults = DEFAULTS) -> DriveLog:
    """Return a log after the import of files."""
    book = book or DriveLog()
    for content in contents:
        book.insert(*new_entries(book, read_log(content, defaults).entries))
    return book


def rows(content: bytes) -> list[dict[str, str]]:
    """Return the lines of a CSV file by column."""
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"), newline="")))
