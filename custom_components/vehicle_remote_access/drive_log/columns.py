"""The values that pages, actions, downloads and imports have of each entry, and the texts of CSV files."""

from collections.abc import Iterable
import csv
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from io import StringIO
import math
import re
from typing import Any, Final

from ..util.stored import is_position
from .entries import LONGEST_NOTE, LONGEST_TAG, CostSource, MeasuredBy, Seen
from .units import CONSUMPTION, DISTANCE, SPEED, TEMPERATURE

LARGEST_COST: Final = 1e9
_LONGEST_TEXT: Final = 10_000
START_AND_END: Final = ("start", "end")
"""The columns that each entry has."""
_FARTHEST: Final = 1e7
# With it, Excel reads the file as UTF-8.
_BYTE_ORDER_MARK: Final = "\ufeff"
# Spreadsheet programs also split lines at semicolons and tabs. Then a formula can start within a text.
_FORMULA: Final = r"""["']*[=+\-@]"""
_UNSAFE: Final = re.compile(rf"(?<=[;\t\r\n])(?={_FORMULA})|^(?={_FORMULA}|[\t\r\n'])")
_MADE_SAFE: Final = re.compile(rf"(?<=[;\t\r\n])'(?={_FORMULA})|^'(?={_FORMULA}|[\t\r\n'])")


class Quantity(Enum):
    """What the cells of a column are."""

    TEXT = auto()
    WORDS = auto()
    """A list in JSON, and words with spaces between them in CSV."""
    TIME = auto()
    NUMBER = auto()
    CALCULATED = auto()
    """Not imported, because it follows from other columns."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a CSV file, and a value of an entry in a JSON file."""

    name: str
    quantity: Quantity = Quantity.NUMBER
    units: tuple[str, ...] = ()
    """The units that the header can have: the metric one first."""
    least: float = -math.inf
    most: float = math.inf
    """The smallest and the largest number in the units of the service, or the length of the longest text."""
    choices: frozenset[str] = frozenset()
    digits: int | None = None
    """To how many digits the number is rounded, None if it is stored like that."""
    is_for_import: bool = False
    """Whether only an import needs it."""

    @property
    def is_position(self) -> bool:
        return is_position(self.name)

    def header(self, unit: str) -> str:
        return f"{self.name} ({unit})" if unit else self.name


_text = partial(Column, quantity=Quantity.TEXT, most=_LONGEST_TEXT)
_time = partial(Column, quantity=Quantity.TIME)
_calculated = partial(Column, quantity=Quantity.CALCULATED)
_battery = partial(Column, units=("%",), least=0, most=100)
_energy = partial(Column, units=("kWh",), least=0, most=1e6)
_cost = partial(Column, least=-LARGEST_COST, most=LARGEST_COST, digits=2)
_distance = partial(Column, units=DISTANCE, least=0, most=_FARTHEST)
_latitude = partial(Column, least=-90, most=90)
_longitude = partial(Column, least=-180, most=180)

_ID: Final = _calculated("id")
_TIMES: Final = tuple(map(_time, (*START_AND_END, "start_earliest", "end_latest")))
_SEEN: Final = _text("seen", choices=frozenset(Seen))
_NOTE: Final = _text("note", most=LONGEST_NOTE)

# The limits of a value are those of the field that the car reports, so that an exported log can be imported.
COLUMNS: Final[dict[str, tuple[Column, ...]]] = {
    "drives": (
        _ID,
        *_TIMES,
        _calculated("distance", units=DISTANCE),
        _distance("start_odometer", digits=2),
        _distance("end_odometer", digits=2),
        _battery("start_battery"),
        _battery("end_battery"),
        _calculated("energy", units=("kWh",)),
        _calculated("consumption", units=CONSUMPTION),
        _calculated("cost"),
        _calculated("currency"),
        _calculated("price_known", units=("%",)),
        _calculated("average_speed", units=SPEED),
        _distance("range_used", digits=4, is_for_import=True),
        _text("start_place"),
        _text("end_place"),
        _latitude("start_latitude"),
        _longitude("start_longitude"),
        _latitude("end_latitude"),
        _longitude("end_longitude"),
        Column("outside_temperature", units=TEMPERATURE, least=-150, most=150, digits=1),
        Column("max_speed", units=SPEED, least=0, most=1e4, digits=0),
        _SEEN,
        _text("tag", most=LONGEST_TAG),
        _NOTE,
    ),
    "charges": (
        _ID,
        *_TIMES,
        _text("place"),
        _battery("start_battery"),
        _battery("end_battery"),
        _energy("energy_added"),
        _energy("energy_used", digits=2),
        _text("measured_by", choices=frozenset(MeasuredBy)),
        _distance("range_added", least=-_FARTHEST, digits=4, is_for_import=True),
        Column("max_power", units=("kW",), least=0, most=1e4, digits=1),
        _text("current", choices=frozenset({"ac", "dc"})),
        _latitude("latitude"),
        _longitude("longitude"),
        _cost("cost"),
        _cost("cost_at_once"),
        _cost("fees"),
        _text("currency", most=3),
        _text("cost_source", choices=frozenset(CostSource)),
        _SEEN,
        _NOTE,
    ),
    "stays": (
        *map(_time, START_AND_END),
        _text("place"),
        Column("battery_lost", units=("%",), least=-100_000, most=100_000),
        Column("asleep", units=("h",), least=0, most=_FARTHEST),
        _text("awake_reasons", quantity=Quantity.WORDS),
    ),
}
"""The columns by kind of entry, in the order of the file. `LogView` calculates those that are not stored."""


def to_cell(text: str) -> str:
    """Return a text that a spreadsheet program does not read as a formula."""
    return _UNSAFE.sub("'", text)


def from_cell(cell: str) -> str:
    return _MADE_SAFE.sub("", cell)


def to_csv(headers: Iterable[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """Return a CSV file. Its texts are no formulas, and unknown values are empty cells."""
    text = StringIO(newline="")
    text.write(_BYTE_ORDER_MARK)
    cells = ([to_cell(value) if isinstance(value, str) else value for value in row] for row in rows)
    csv.writer(text).writerows([headers, *cells])
    return text.getvalue().encode()
