"""The log as a file: CSV for spreadsheets, and JSON as `get_log` returns it."""

from collections.abc import Iterable
import csv
from dataclasses import replace
from datetime import datetime, tzinfo
from io import StringIO
from typing import Any, Final, override

from homeassistant.helpers.json import json_bytes

from .columns import COLUMNS, Column, Quantity, to_cell
from .drive_log import DriveLog
from .entries import Charge, Drive
from .view import KINDS, LogView

# With it, Excel reads the file as UTF-8.
_BYTE_ORDER_MARK: Final = "\ufeff"
_POSITION: Final = ("latitude", "longitude")


def snapshot(book: DriveLog) -> DriveLog:
    """Return a log that another thread can read while this one changes."""
    return replace(book, drives=[*book.drives], charges=[*book.charges], stays=[*book.stays])


def span(book: DriveLog) -> list[float]:
    """Return the first and the last end of a record, or nothing if there is no record."""
    ends = [record.end for records in (book.drives, book.charges, book.stays) for record in records]
    return [min(ends), max(ends)] if ends else []


class LogExport(LogView):
    """Shows the records of a log with all that is needed to import them again."""

    @override
    def drive(self, drive: Drive) -> dict[str, Any]:
        return {**super().drive(drive), "range_used": self._range(drive.range_used)}

    @override
    def charge(self, charge: Charge) -> dict[str, Any]:
        return {**super().charge(charge), "range_added": self._range(charge.range_added)}

    def _range(self, miles: float | None) -> float | None:
        # The energy of a drive is calculated from it. Two digits would change the last digit of the energy.
        return None if miles is None else round(self.distance(miles), 4)

    def as_json(self, start: float, end: float, currency: str) -> bytes:
        """Return the entries that ended in a period."""
        log = self.period(start, end, KINDS, currency)
        log["units"]["temperature"] = self._units.temperature_unit
        return json_bytes(log)

    def as_csv(self, start: float, end: float, kind: str, zone: tzinfo) -> bytes:
        """Return the entries of one kind that ended in a period, with local times."""
        entries = self.period(start, end, (kind,), "")[kind]
        columns = [
            column
            for column in COLUMNS[kind]
            # Positions are only there if they are kept.
            if not column.name.endswith(_POSITION) or any(column.name in entry for entry in entries)
        ]
        units = self._units.length_unit, self._units.temperature_unit
        text = StringIO(newline="")
        text.write(_BYTE_ORDER_MARK)
        writer = csv.writer(text)
        writer.writerow(column.header(column.unit(*units)) for column in columns)
        writer.writerows(_cells(columns, entry, zone) for entry in entries)
        return text.getvalue().encode()


def _cells(columns: Iterable[Column], entry: dict[str, Any], zone: tzinfo) -> list[Any]:
    return [_cell(column.quantity, entry.get(column.name), zone) for column in columns]


def _cell(quantity: Quantity, value: Any, zone: tzinfo) -> Any:
    if value is None:
        return ""
    match quantity:
        case Quantity.TIME:
            return datetime.fromisoformat(value).astimezone(zone).isoformat()
        case Quantity.WORDS:
            return to_cell(" ".join(value))
        case Quantity.TEXT:
            return to_cell(value)
    return value
