"""Reads the log in a file or in the rows of a service, and finds which of its entries are new."""

from bisect import bisect_left
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
import csv
from dataclasses import replace
from datetime import datetime, tzinfo
from io import StringIO
from itertools import accumulate
import math
import re
from typing import Any, Final, NamedTuple

import orjson

from ..util.local_time import DAY, HOUR
from .columns import COLUMNS, START_AND_END, Column, Quantity, from_cell
from .drive_log import DriveLog
from .entries import Charge, Drive, Entries, Stay, window
from .units import DISTANCE, TEMPERATURE, LogUnits, to_service

MOST_SHOWN: Final = 20
"""The most problems and unknown columns that the dialog shows. More make it hard to read."""
_LONGEST_SHOWN: Final = 50
# Files have rounded hours and seconds.
_ROUNDED: Final = 0.1
_LONGEST_STAY: Final = 3653 * DAY
"""Also the longest time in which an entry of any kind must be."""
_LONGEST: Final = {"drives": 366 * DAY, "charges": 366 * DAY, "stays": _LONGEST_STAY}
"""The seconds that an entry can last by kind. A longer one is a wrong time, and would exclude all others."""
_NEEDED: Final = {
    "drives": ("start_odometer", "end_odometer"),
    "charges": ("energy_added",),
    "stays": ("battery_lost",),
}
"""Columns that each kind of file has besides the start and the end. It is recognized by the first one."""
_DELIMITERS: Final = ",;\t"
_MOST_AT_ONCE: Final = 100
"""How many drives at the same time are compared. More are no log, and would take hours."""
# What a person can change later. A file that was made of several can have an entry twice.
_EDITABLE: Final = frozenset({"tag", "note", "cost", "cost_at_once", "fees", "currency", "cost_source"})


class LogFileError(Exception):
    """A file can't be imported. Its message has a key and placeholders."""

    def __init__(self, *, key: str = "import_unreadable", **placeholders: object) -> None:
        super().__init__()
        self.key = key
        self.placeholders = {name: str(value)[:_LONGEST_SHOWN] for name, value in placeholders.items()}


class _WrongValueError(Exception):
    """A value that a column can't have."""

    def __init__(self, *, column: str, value: object) -> None:
        super().__init__()
        self.column = column
        self.reason = "-" if value is None else str(value)[:_LONGEST_SHOWN]


class Problem(NamedTuple):
    """Why an entry can't be imported."""

    line: str
    """The line or lines of a CSV file, or the entry of a JSON file."""
    column: str
    reason: str
    """The wrong value, and the limit if it is not obvious."""


class LogFile(NamedTuple):
    """What a file contains."""

    entries: Entries
    wrong: int = 0
    """How many entries can't be imported."""
    problems: Sequence[Problem] = ()
    """Why the first of them can't be imported, in the order of the file."""
    ignored: Sequence[str] = ()
    """The columns that are unknown."""


class Row(NamedTuple):
    """An entry as the file has it."""

    kind: str
    line: str
    values: dict[str, Any] | _WrongValueError
    """The values by column, or why they can't be read."""
    units: Mapping[str, str]


def read_log(content: bytes, units: LogUnits, now: float) -> LogFile:
    """Return what a file contains. `units`: those of values without any. Raises LogFileError."""
    text = _text_of(content)
    ignored: dict[str, None] = {}  # an ordered set that the rows fill
    is_json = text.lstrip().startswith("{")
    rows = _json_rows(text, units, ignored) if is_json else _csv_rows(text, ignored)
    file = read_rows(rows, units, now)
    if not file.wrong and not file.entries.total:
        raise LogFileError(key="import_no_entries")
    return file._replace(ignored=[name[:_LONGEST_SHOWN] for name in ignored])


def read_rows(rows: Iterable[Row], units: LogUnits, now: float) -> LogFile:
    """Return the entries of rows. `units`: those of `Row` count, but for the currency and the time zone."""
    found: dict[str, dict[tuple[Any, ...], Any]] = {kind: {} for kind in COLUMNS}
    wrong, problems = 0, []
    for row in rows:
        try:
            entry = _read_entry(row, units, now)
        except _WrongValueError as error:
            wrong += 1
            # A small file can have a million wrong entries.
            if wrong <= MOST_SHOWN:
                problems.append(Problem(row.line, error.column, error.reason))
        else:
            found[row.kind][_identity(entry)] = entry
    drives, *others = (sorted(each.values(), key=lambda entry: entry.start) for each in found.values())
    return LogFile(Entries(list(_without_repeated(drives)), *others), wrong, problems)


def _text_of(content: bytes) -> str:
    is_utf16 = content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise LogFileError(key="import_wrong_encoding") from None
    if "\0" in text:
        raise LogFileError(key="import_wrong_encoding")
    if not text.strip():
        raise LogFileError(key="import_empty")
    return text


def _identity(entry: Drive | Charge | Stay) -> tuple[Any, ...]:
    return tuple(value for name, value in zip(entry._fields, entry, strict=True) if name not in _EDITABLE)


def _without_repeated(drives: Sequence[Drive]) -> Iterator[Drive]:
    """Yield the drives that no earlier one contains, as a merged drive contains its parts."""
    # After a clock was set back, drives overlap only in time, and not in the odometer.
    running: list[Drive] = []
    for drive in drives:
        running = [other for other in running[-_MOST_AT_ONCE:] if other.end > drive.start]
        if not any(_have_same_way(other, drive) for other in running):
            running.append(drive)
            yield drive


def _have_same_way(one: Drive, other: Drive) -> bool:
    if not (one.distance and other.distance):
        return False
    start = max(one.start_odometer or 0.0, other.start_odometer or 0.0)
    return min(one.end_odometer or 0.0, other.end_odometer or 0.0) - start > _ROUNDED


def new_entries(log: DriveLog, entries: Entries) -> Entries:
    """Return the entries that overlap no entry of the same kind in the log."""
    open_entries, (drives, charges, stays) = log.open_entries, entries
    # The next observation adds what happened since the last one.
    if log.drive_tracker.odometer is not None:
        drives = [drive for drive in drives if drive.end <= log.drive_tracker.odometer_at]
    if log.charge_tracker.energy is not None:
        charges = [charge for charge in charges if charge.end <= log.charge_tracker.at]
    if log.stay is not None:
        # The car is still there, or its next drive ends this stay.
        stays = [stay for stay in stays if stay.end <= log.stay.start]
    return Entries(
        _not_in([*log.drives, *open_entries.drives], drives),
        _not_in([*log.charges, *open_entries.charges], charges),
        _not_in(log.stays, stays),
    )


def _not_in[E: (Drive, Charge, Stay)](existing: list[E], entries: Sequence[E]) -> list[E]:
    """Return the entries that overlap no existing one. They can touch, and can overlap each other."""
    windows: list[tuple[float, float]] = sorted(window(entry) for entry in existing)
    starts = [start for start, _ in windows]
    latest_ends = [-math.inf, *accumulate((end for _, end in windows), max)]
    times = {(entry.start, entry.end) for entry in existing}
    return [
        entry
        for entry in entries
        if entry.start >= latest_ends[bisect_left(starts, entry.end)]
        and (entry.start, entry.end) not in times
    ]


def summarize(file: LogFile, new: Entries, units: LogUnits) -> dict[str, str]:
    """Return the texts of a summary: how many entries are new, and what all drives of the file lack."""
    start, end = (str(units.local_time(at).date()) for at in new.period) if new.total else ("-", "-")
    drives = [drive for drive in file.entries.drives if drive.distance]
    last = max((drive.end_odometer or 0.0 for drive in drives), default=0.0)
    risen = last - min((drive.start_odometer or 0.0 for drive in drives), default=0.0)
    driven = sum(drive.distance for drive in drives)
    miles = {"odometer": risen, "distance": driven, "missing": risen - driven}
    return {
        **{kind: str(len(entries)) for kind, entries in new._asdict().items()},
        **{name: f"{units.distance(each):.1f} {units.distance_unit}" for name, each in miles.items()},
        "share": f"{driven / risen:.1%}" if risen else "-",
        "start": start,
        "end": end,
        "skipped": str(file.entries.total - new.total),
        "wrong": str(file.wrong),
    }


def _json_rows(text: str, defaults: LogUnits, ignored: dict[str, None]) -> Iterator[Row]:
    try:
        log: Any = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise LogFileError from None
    if COLUMNS.keys().isdisjoint(log):
        raise LogFileError
    log_units = _units_of(log, defaults)
    for kind, columns in COLUMNS.items():
        entries = log.get(kind) or []
        if not isinstance(entries, list):
            raise LogFileError
        units = {column.name: log_units.one_of(column.units) for column in columns}
        for number, entry in enumerate(entries):
            values = entry if isinstance(entry, dict) else {}
            ignored |= {name: None for name in values if name not in units}
            yield Row(kind, f"{kind}[{number}]", values, units)


def _units_of(log: Mapping[str, Any], defaults: LogUnits) -> LogUnits:
    units = log.get("units") or {}
    if not isinstance(units, dict):
        raise LogFileError
    distance = units.get("distance", defaults.distance_unit)
    temperature = units.get("temperature", defaults.temperature_unit)
    if distance not in DISTANCE or temperature not in TEMPERATURE:
        raise LogFileError(key="import_wrong_column", column="units")
    return replace(defaults, distance_unit=distance, temperature_unit=temperature)


def _csv_rows(text: str, ignored: dict[str, None]) -> Iterator[Row]:
    # Spreadsheet programs write semicolons or tabs where the comma is the decimal sign.
    delimiter = max(_DELIMITERS, key=StringIO(text, newline="").readline().count)
    decimal = "." if delimiter == "," else ","
    rows = _csv_cells(csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True))
    _, headers = next(rows)
    if headers is None:
        raise LogFileError
    headers = [header.strip() for header in headers]
    kind, columns, units = _read_headers(headers)
    # A column without a name comes from a separator at the end of a line.
    ignored |= {name: None for name, column in zip(headers, columns, strict=True) if name and not column}
    for line, cells in rows:
        if cells is None or any(cells):
            yield Row(kind, line, _cell_values(headers, columns, cells, decimal), units)


def _csv_cells(reader: Any) -> Iterator[tuple[str, list[str] | None]]:
    """Yield the line of each row, or its first and last line, and its cells, None if its quotes are wrong."""
    while True:
        first = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        last = reader.line_num
        yield f"{first}" if first >= last else f"{first}-{last}", cells


def _read_headers(headers: list[str]) -> tuple[str, list[Column | None], dict[str, str]]:
    """Return the kind of entries, the columns, None for an unknown one, and the units."""
    names = [header.partition(" (")[0] for header in headers]
    kind = next((kind for kind, (needed, *_) in _NEEDED.items() if needed in names), None)
    if kind is None:
        raise LogFileError
    known = {column.name: column for column in COLUMNS[kind]}
    columns = [known.get(name) for name in names]
    units: dict[str, str] = {}
    for header, column in zip(headers, columns, strict=True):
        if column is None:
            continue
        if column.name in units:
            raise LogFileError(key="import_wrong_column", column=header)
        units[column.name] = _unit_in(header, column)
    for name in (*START_AND_END, *_NEEDED[kind]):
        if name not in units:
            raise LogFileError(key="import_missing_column", column=name)
    return kind, columns, units


def _unit_in(header: str, column: Column) -> str:
    """Return the unit in a header, an empty text without any. Raises LogFileError if it is a wrong one."""
    units = {column.header(unit): unit for unit in column.units or ("",)}
    if header not in units and column.quantity is not Quantity.CALCULATED:
        raise LogFileError(key="import_wrong_column", column=header)
    return units.get(header, "")


def _cell_values(
    headers: list[str], columns: list[Column | None], cells: list[str] | None, decimal: str
) -> dict[str, Any] | _WrongValueError:
    """Return the values of a line by column, or why it has none. An empty cell is unknown."""
    if cells is None:
        return _WrongValueError(column="-", value='"')
    if any(extra := cells[len(headers) :]):
        return _WrongValueError(column=f"{len(headers) + 1}", value=" ".join(extra))
    if len(cells) < len(headers):
        return _WrongValueError(column=headers[len(cells)], value=None)
    values: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=False):
        if column is None:
            continue
        match column.quantity:
            case Quantity.TEXT:
                values[column.name] = from_cell(cell) or None
            case Quantity.NUMBER:
                values[column.name] = _number(cell, decimal)
            case Quantity.WORDS:
                values[column.name] = from_cell(cell).split()
            case _:
                values[column.name] = cell.strip() or None
    return values


def _number(cell: str, decimal: str) -> float | str | None:
    """Return a number, None if it is unknown, or the cell if it is not a number."""
    try:
        return float(cell.replace(decimal, ".")) if cell.strip() else None
    except ValueError:
        return cell


def _read_entry(row: Row, units: LogUnits, now: float) -> Any:
    values = row.values
    if isinstance(values, _WrongValueError):
        raise values
    read: dict[str, Any] = {}
    for column in COLUMNS[row.kind]:
        value = values.get(column.name)
        if value is not None and column.quantity is not Quantity.CALCULATED:
            read[column.name] = _read_value(column, value, row.units[column.name], units.zone, now)
        elif column.name in START_AND_END:
            raise _WrongValueError(column=column.name, value=None)
    _check_times(row.kind, read, values)
    return _MAKERS[row.kind](read, values, units)


def _check_times(kind: str, read: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    start, end = read["start"], read["end"]
    if end < start:
        raise _WrongValueError(column="end", value=f"{values['end']} < {values['start']}")
    earliest, latest = min(start, read.get("start_earliest", start)), max(end, read.get("end_latest", end))
    for column, seconds, longest in (
        ("end", end - start, _LONGEST[kind]),
        ("start_earliest", latest - earliest, _LONGEST_STAY),
    ):
        if seconds > longest:
            reason = f"{math.ceil(seconds / DAY)} d > {longest / DAY:.0f} d"
            raise _WrongValueError(column=column, value=reason)


def _read_value(column: Column, value: Any, unit: str, zone: tzinfo, now: float) -> Any:
    """Return a value in the unit of the service. Raises _WrongValueError if the column can't have it."""
    read: Any = None
    is_possible = False
    match column.quantity:
        case Quantity.NUMBER if type(value) in (int, float):
            read = to_service(value, unit)
            # A comparison with NaN is false.
            is_possible = column.least <= read <= column.most
        case Quantity.TIME if isinstance(value, str):
            read = _timestamp(value, zone)
            is_possible = read is not None and 0 <= read <= now
        case Quantity.WORDS if isinstance(value, list) and all(isinstance(word, str) for word in value):
            read = " ".join(value)
            is_possible = len(read) <= column.most
        case Quantity.TEXT if isinstance(value, str):
            read = value
            is_possible = len(read) <= column.most and (not column.choices or read in column.choices)
    if not is_possible:
        raise _WrongValueError(column=column.name, value=value)
    return read


def _timestamp(text: str, zone: tzinfo) -> int | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return round((time if time.tzinfo else time.replace(tzinfo=zone)).timestamp())


def _make_drive(read: dict[str, Any], values: Mapping[str, Any], _units: LogUnits) -> Drive:
    drive = Drive(id="", **read)
    if drive.start_odometer is None or drive.end_odometer is None:
        if values.get("distance") is not None:
            # The log has no place for a distance without an odometer.
            raise _WrongValueError(column="start_odometer", value=None)
    elif drive.end_odometer < drive.start_odometer:
        raise _WrongValueError(column="end_odometer", value=values["end_odometer"])
    return drive


def _make_charge(read: dict[str, Any], _values: Mapping[str, Any], units: LogUnits) -> Charge:
    added = read.pop("energy_added", None)
    charge = Charge(id="", **read)
    if added is not None:
        charge = charge._replace(start_energy=0.0, end_energy=added)
    if charge.energy_used is None:
        charge = charge._replace(measured_by=None)
    if charge.cost is None:
        return charge._replace(cost_at_once=None, fees=None, currency=None, cost_source=None)
    currency = charge.currency or units.currency
    if not re.fullmatch("[A-Z]{3}", currency):
        raise _WrongValueError(column="currency", value=currency)
    return charge._replace(currency=currency)


def _make_stay(read: dict[str, Any], values: Mapping[str, Any], _units: LogUnits) -> Stay:
    stay = Stay(id="", **{"asleep": None, **read})
    if stay.asleep is not None and (stay.asleep - _ROUNDED) * HOUR > stay.end - stay.start:
        raise _WrongValueError(column="asleep", value=values["asleep"])
    return stay


_MAKERS: Final = {"drives": _make_drive, "charges": _make_charge, "stays": _make_stay}
