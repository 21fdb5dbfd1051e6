"""Reads the log in a file, and finds which of its entries are new."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
import csv
from dataclasses import dataclass
from datetime import datetime, tzinfo
from io import StringIO
from itertools import accumulate, zip_longest
import math
import re
from typing import Any, ClassVar, Final, NamedTuple

from homeassistant.const import UnitOfLength, UnitOfSpeed, UnitOfTemperature
from homeassistant.util.json import JSON_DECODE_EXCEPTIONS, json_loads
from homeassistant.util.unit_conversion import DistanceConverter, TemperatureConverter

from .columns import COLUMNS, DISTANCE, NEEDED, TEMPERATURE, Column, Quantity, from_cell
from .logbook import Logbook
from .records import Charge, Drive, Stay

_LONGEST_SHOWN: Final = 50
# Files have rounded hours and seconds.
_ROUNDED: Final = 0.1


class LogFileError(Exception):
    """A file can't be imported."""

    key: ClassVar[str] = "import_unreadable"
    """The key of the message."""

    def __init__(self, **placeholders: object) -> None:
        """Create the error with the placeholders of its message."""
        super().__init__()
        self.placeholders = {name: str(value)[:_LONGEST_SHOWN] for name, value in placeholders.items()}


class WrongColumnError(LogFileError):
    """A header is unknown, or has no unit or an unknown one."""

    key = "import_wrong_column"


class MissingColumnError(LogFileError):
    """A required column is missing."""

    key = "import_missing_column"


class WrongLineError(LogFileError):
    """A line of a CSV file has a wrong value."""

    key = "import_wrong_line"


class WrongEntryError(LogFileError):
    """An entry of a JSON file has a wrong value."""

    key = "import_wrong_entry"


class _WrongValueError(Exception):
    """A value that a column can't have."""

    def __init__(self, *, column: str, value: object) -> None:
        super().__init__()
        self.placeholders = {"column": column, "value": "-" if value is None else value}


class Entries(NamedTuple):
    """Records without ids, oldest first."""

    drives: Sequence[Drive]
    charges: Sequence[Charge]
    stays: Sequence[Stay]

    @property
    def total(self) -> int:
        """The number of records."""
        return sum(map(len, self))

    @property
    def period(self) -> tuple[float, float]:
        """The first start and the last end."""
        records = [record for each in self for record in each]
        return min(record.start for record in records), max(record.end for record in records)


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What applies to values without a unit, a currency or a time zone, and the current time."""

    distance: str
    temperature: str
    currency: str
    zone: tzinfo
    now: float


def read_log(content: bytes, defaults: Defaults) -> Entries:
    """Return the entries of a file, which is JSON if it starts with a brace. Raises LogFileError."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LogFileError from None
    rows = _json_rows(text, defaults) if text.lstrip().startswith("{") else _csv_rows(text, defaults)
    # A file that was made of several can have an entry twice.
    found: dict[str, dict[tuple[float, float], Any]] = {kind: {} for kind in COLUMNS}
    for kind, record in rows:
        found[kind][record.start, record.end] = record
    return Entries(*(sorted(each.values(), key=lambda record: record.start) for each in found.values()))


def new_entries(book: Logbook, entries: Entries) -> Entries:
    """Return the entries that overlap no entry of the same kind in the log."""
    is_open = book.open_records
    drives, charges = book.drive_tracker, book.charge_tracker
    # The next look adds what happened since the last one.
    if drives.odometer is not None:
        until = drives.odometer_at
        entries = entries._replace(drives=[each for each in entries.drives if each.end <= until])
    if charges.energy is not None:
        until = charges.at
        entries = entries._replace(charges=[each for each in entries.charges if each.end <= until])
    return Entries(
        _not_in([*book.drives, *(each for each in is_open if isinstance(each, Drive))], entries.drives),
        _not_in([*book.charges, *(each for each in is_open if isinstance(each, Charge))], entries.charges),
        _not_in([*book.stays, *(each for each in is_open if isinstance(each, Stay))], entries.stays),
    )


def _not_in[R: (Drive, Charge, Stay)](existing: list[R], records: Sequence[R]) -> list[R]:
    """Return the records that overlap neither an existing one nor each other. They can touch."""
    windows: list[tuple[float, float]] = sorted(_window(record) for record in existing)
    starts = [start for start, _ in windows]
    latest_ends = [-math.inf, *accumulate((end for _, end in windows), max)]
    times = {(record.start, record.end) for record in existing}
    new: list[R] = []
    latest = -math.inf
    for record in records:
        overlaps = record.start < max(latest, latest_ends[bisect_left(starts, record.end)])
        if not overlaps and (record.start, record.end) not in times:
            new.append(record)
            latest = record.end
    return new


def _window(record: Drive | Charge | Stay) -> tuple[float, float]:
    """Return the times between which a record is. If they are approximate, it is all that happened then."""
    if isinstance(record, Stay):
        return record.start, record.end
    earliest, latest = record.start_earliest, record.end_latest
    return (
        record.start if earliest is None else min(earliest, record.start),
        record.end if latest is None else max(latest, record.end),
    )


# JSON


def _json_rows(text: str, defaults: Defaults) -> Iterator[tuple[str, Any]]:
    try:
        log: Any = json_loads(text)
    except JSON_DECODE_EXCEPTIONS:
        raise LogFileError from None
    lists = {kind: log.get(kind) or [] for kind in COLUMNS}
    units = log.get("units") or {}
    is_log = any(lists.values()) and all(isinstance(each, list) for each in lists.values())
    if not is_log or not isinstance(units, dict):
        raise LogFileError
    distance = units.get("distance", defaults.distance)
    temperature = units.get("temperature", defaults.temperature)
    if distance not in DISTANCE or temperature not in TEMPERATURE:
        raise WrongColumnError(column="units")
    for kind, entries in lists.items():
        of_column = {column.name: column.unit(distance, temperature) for column in COLUMNS[kind]}
        for number, entry in enumerate(entries):
            try:
                yield kind, _record(kind, entry if isinstance(entry, dict) else {}, of_column, defaults)
            except _WrongValueError as error:
                raise WrongEntryError(entry=f"{kind}[{number}]", **error.placeholders) from None


# CSV


def _csv_rows(text: str, defaults: Defaults) -> Iterator[tuple[str, Any]]:
    # Spreadsheet programs write semicolons where the comma is the decimal sign.
    has_semicolons = "," not in text.partition("\n")[0]
    reader = csv.reader(StringIO(text, newline=""), delimiter=";" if has_semicolons else ",", strict=True)
    try:
        headers = [header.strip() for header in next(reader, [])]
        kind, columns, units = _columns(headers)
        line = reader.line_num
        for cells in reader:
            # A cell can have several lines.
            first_line, line = line + 1, reader.line_num
            if not any(cells):
                continue
            try:
                yield kind, _record(kind, _values(columns, cells, has_semicolons), units, defaults)
            except _WrongValueError as error:
                raise WrongLineError(line=first_line, **error.placeholders) from None
    except csv.Error:
        raise WrongLineError(line=reader.line_num, column="-", value="-") from None


def _columns(headers: list[str]) -> tuple[str, list[Column], dict[str, str]]:
    """Return the kind of entries, the columns, and their units."""
    names = [header.partition(" (")[0] for header in headers]
    kind = next((kind for kind, (needed, *_) in NEEDED.items() if needed in names), None)
    if kind is None:
        raise LogFileError
    known = {column.name: column for column in COLUMNS[kind]}
    columns, units = [], {}
    for header, name in zip(headers, names, strict=True):
        column = known.pop(name, None)
        unit = header.removeprefix(name)[2:-1]
        if column is None or unit not in (column.units or ("",)) or header != column.header(unit):
            raise WrongColumnError(column=header)
        columns.append(column)
        units[name] = unit
    for column in known.values():
        if column.is_required or column.name in NEEDED[kind]:
            raise MissingColumnError(column=column.name)
    return kind, columns, units


def _values(columns: list[Column], cells: list[str], has_semicolons: bool) -> dict[str, Any]:  # noqa: FBT001
    """Return the values of a line by column. An empty cell is unknown."""
    values: dict[str, Any] = {}
    for column, cell in zip_longest(columns, cells):
        if column is None or cell is None:
            raise _WrongValueError(column=column.name if column else f"{len(columns) + 1}", value=cell)
        match column.quantity:
            case Quantity.TEXT:
                values[column.name] = from_cell(cell) or None
            case Quantity.NUMBER:
                values[column.name] = _number(column, cell, has_semicolons)
            case Quantity.WORDS:
                values[column.name] = from_cell(cell).split()
            case _:
                values[column.name] = cell.strip() or None
    return values


def _number(column: Column, cell: str, has_semicolons: bool) -> float | None:  # noqa: FBT001
    try:
        return float(cell.replace(",", ".") if has_semicolons else cell) if cell.strip() else None
    except ValueError:
        raise _WrongValueError(column=column.name, value=cell) from None


# Both


def _record(kind: str, values: Mapping[str, Any], units: Mapping[str, str], defaults: Defaults) -> Any:
    """Return an entry as a record. Raises _WrongValueError."""
    read: dict[str, Any] = {
        column.name: _READERS[column.quantity](column, value, units[column.name], defaults)
        for column in COLUMNS[kind]
        if (value := values.get(column.name)) is not None and column.quantity in _READERS
    }
    for column in COLUMNS[kind]:
        if column.is_required and column.name not in read:
            raise _WrongValueError(column=column.name, value=None)
    if read["end"] < read["start"]:
        raise _WrongValueError(column="end", value=values["end"])
    return _MAKERS[kind](read, values, defaults)


def _text(column: Column, value: Any, _unit: str, _defaults: Defaults) -> str:
    is_possible = isinstance(value, str) and len(value) <= column.most
    if not is_possible or (column.choices and value not in column.choices):
        raise _WrongValueError(column=column.name, value=value)
    return str(value)


def _words(column: Column, value: Any, unit: str, defaults: Defaults) -> str:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise _WrongValueError(column=column.name, value=value)
    return _text(column, " ".join(value), unit, defaults)


def _time(column: Column, value: Any, _unit: str, defaults: Defaults) -> float:
    try:
        time = datetime.fromisoformat(value)
    except TypeError, ValueError:
        raise _WrongValueError(column=column.name, value=value) from None
    moment = round((time if time.tzinfo else time.replace(tzinfo=defaults.zone)).timestamp())
    if not 0 <= moment <= defaults.now:
        raise _WrongValueError(column=column.name, value=value)
    return moment


def _amount(column: Column, value: Any, unit: str, _defaults: Defaults) -> float:
    # A comparison with NaN is false.
    if type(value) not in (int, float) or not column.least <= value <= column.most:
        raise _WrongValueError(column=column.name, value=value)
    match unit:
        case UnitOfLength.KILOMETERS | UnitOfSpeed.KILOMETERS_PER_HOUR:
            return round(DistanceConverter.convert(value, UnitOfLength.KILOMETERS, UnitOfLength.MILES), 6)
        case UnitOfTemperature.FAHRENHEIT:
            return round(TemperatureConverter.convert(value, unit, UnitOfTemperature.CELSIUS), 2)
    return float(value)


_READERS: Final = {
    Quantity.TEXT: _text,
    Quantity.WORDS: _words,
    Quantity.TIME: _time,
    Quantity.NUMBER: _amount,
}


def _drive(read: dict[str, Any], values: Mapping[str, Any], _defaults: Defaults) -> Drive:
    drive = Drive(id="", **read)
    if drive.start_odometer is None or drive.end_odometer is None:
        if values.get("distance") is not None:
            # The log has no place for a distance without an odometer.
            raise _WrongValueError(column="start_odometer", value=None)
    elif drive.end_odometer < drive.start_odometer:
        raise _WrongValueError(column="end_odometer", value=values["end_odometer"])
    return drive


def _charge(read: dict[str, Any], values: Mapping[str, Any], defaults: Defaults) -> Charge:
    added = read.pop("energy_added", None)
    charge = Charge(id="", **read)
    if added is not None:
        charge = charge._replace(start_energy=0.0, end_energy=added)
    if charge.cost is None:
        return charge._replace(currency=None)
    currency = charge.currency or defaults.currency
    if not re.fullmatch("[A-Z]{3}", currency):
        raise _WrongValueError(column="currency", value=currency)
    return charge._replace(currency=currency)


def _stay(read: dict[str, Any], values: Mapping[str, Any], _defaults: Defaults) -> Stay:
    stay = Stay(id="", **read)
    if (stay.asleep - _ROUNDED) * 3600 > stay.end - stay.start:
        raise _WrongValueError(column="asleep", value=values["asleep"])
    return stay


_MAKERS: Final = {"drives": _drive, "charges": _charge, "stays": _stay}
