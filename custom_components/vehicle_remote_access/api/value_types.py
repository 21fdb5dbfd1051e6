"""Value types: what a raw JSON value means and how it is read.

Only this module checks the type of a raw value. A value type accepts any JSON value and returns None for a
value it can't use. It never raises. Interface document, "Resources and their fields".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
import json
from math import isfinite
import re
from typing import Any, Final
from unicodedata import category

_MAX_TEXT_LENGTH: Final = 255
# Parts of words and emoji
_JOINERS: Final = "\u200c\u200d"
# A year. Durations can be added to all times before it.
_END_OF_TIME: Final = 9000


@dataclass(frozen=True, eq=False, slots=True)
class ValueType[T]:
    """How to read a value, what null means, and the possible values if they are a fixed set."""

    read: Callable[[Any], T | None]
    null: T | None = None
    options: tuple[str, ...] = ()


def _finite_number(raw: Any) -> float | None:
    """Return a finite number, also from text. A boolean is not a number."""
    if isinstance(raw, bool):
        return None
    try:
        number: float = float(raw) if isinstance(raw, str) else raw
        return number if isfinite(number) else None
    except OverflowError, TypeError, ValueError:  # OverflowError: an integer with hundreds of digits
        return None


def _number_between(low: float, high: float) -> Callable[[Any], float | None]:
    """Return a reader for numbers in a physically possible range."""

    def read(raw: Any) -> float | None:
        # Most numbers are numbers already. Neither infinity nor NaN is between the two.
        number = raw if type(raw) in (int, float) else _finite_number(raw)
        return number if number is not None and low <= number <= high else None

    return read


def _integer(raw: Any) -> int | None:
    """Return an integer that fits any database column."""
    number = _finite_number(raw)
    return int(number) if number is not None and abs(number) < 2**53 else None


def _count(raw: Any) -> int | None:
    number = _integer(raw)
    return number if number is not None and number >= 0 else None


def _flag(raw: Any) -> bool | None:
    """Return a boolean. Older services send 0 and 1, or words."""
    if isinstance(raw, str):
        return {"true": True, "false": False}.get(raw.lower())
    return bool(raw) if raw in (0, 1) else None


def _is_not_zero(raw: Any) -> bool | None:
    """Return whether a byte or a boolean is not 0: an open door can be 1 or 255, an installed sunroof 2."""
    if (flag := _flag(raw)) is not None:
        return flag
    number = _number_between(0, 255)(raw)
    return None if number is None else number != 0


def one_line(text: str) -> str:
    """Return a text in one line, with blanks for controls, which could forge lines or reverse the text."""
    if not text.isprintable():
        # Unassigned characters can be emoji that Python does not know yet.
        controls = {c for c in text if category(c) in ("Cc", "Cf", "Cs") and c not in _JOINERS}
        text = "".join(" " if c in controls else c for c in text)
    return " ".join(text.split())


def _text(raw: Any) -> str | None:
    """Return text in one line, cut to the longest state that Home Assistant accepts."""
    # The service sends <invalid> for a missing text.
    if not isinstance(raw, str) or raw == "<invalid>":
        return None
    return one_line(raw)[:_MAX_TEXT_LENGTH] or None


def _secret(raw: Any) -> str | None:
    """Return text unchanged: a trailing space can be part of a password."""
    return raw if isinstance(raw, str) and raw else None


def _pin(raw: Any) -> str | None:
    """Return four digits as text. Templates and YAML turn digits into a number, and 0123 into 83."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw) if 1000 <= raw <= 9999 else None  # noqa: PLR2004 - four digits, no lost zero
    return raw if isinstance(raw, str) and re.fullmatch(r"\d{4}", raw, re.ASCII) else None


def _object(raw: Any) -> dict[str, Any] | None:
    """Return an object that can be written as JSON. YAML also has dates, and templates have sets."""
    if not isinstance(raw, dict):
        return None
    try:
        json.dumps(raw, allow_nan=False)
    except TypeError, ValueError, RecursionError:
        return None
    return raw


def _identifier(raw: Any) -> str | None:
    """Return an id as text. A float has lost digits beyond 2^53, so it is not an id."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw) if 0 <= raw < 2**64 else None
    return raw if isinstance(raw, str) and raw.isdecimal() and raw.isascii() else None


def _timestamp(raw: Any) -> datetime | None:
    """Return a time from seconds or milliseconds since 1970. Numbers above 10^11 are milliseconds."""
    number = raw if type(raw) is int else _finite_number(raw)
    if number is None or number <= 0:
        return None
    try:
        moment = datetime.fromtimestamp(number / 1000 if number > 10**11 else number, UTC)
    except OverflowError, OSError, ValueError:
        return None
    return moment if moment.year < _END_OF_TIME else None


def _is_installed(raw: Any) -> bool | None:
    """Return whether the car has the equipment. The service sends the text None if not."""
    text = _text(raw)
    return None if text is None else text != "None"


def snake_case(text: str) -> str:
    """Return `NoPower` as `no_power`, the form of a state in Home Assistant."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).replace(" ", "_").lower()


def one_of(*values: str, null: str | None = None, also: Mapping[str, str] | None = None) -> ValueType[str]:
    """Return a value type for a fixed set of words, read as states. `also` maps other spellings to states."""
    states = {value.lower(): snake_case(value) for value in values}
    states |= {spelling.lower(): state for spelling, state in (also or {}).items()}

    def read(raw: Any) -> str | None:
        return states.get(raw.strip().lower()) if isinstance(raw, str) else None

    return ValueType(read, null, tuple(dict.fromkeys(states.values())))


def coded(*values: str, are_levels: bool = False) -> ValueType[str]:
    """Return a value type for states that are sent as their index. `are_levels`: a higher one is the last."""

    def read(raw: Any) -> str | None:
        code = _count(raw)
        if code is None or (code >= len(values) and not are_levels):
            return None
        return values[min(code, len(values) - 1)]

    return ValueType(read, options=values)


def _whole_seconds(raw: Any) -> int | None:
    milliseconds = _number_between(0, 1e10)(raw)
    return None if milliseconds is None else round(milliseconds / 1000)


def _time_of_day(raw: Any) -> str | None:
    """Return minutes after midnight as `06:30`."""
    minutes = _count(raw)
    return None if minutes is None or minutes >= 24 * 60 else f"{minutes // 60:02}:{minutes % 60:02}"


def _seat_heater(raw: Any) -> str | None:
    """Return the level of a seat heater. Older services only send a boolean."""
    if isinstance(raw, bool):
        return "on" if raw else "off"
    return HEAT_LEVELS.read(raw)


def _angle(raw: Any) -> float | None:
    """Return degrees from 0 to less than 360."""
    angle = _number_between(0, 360)(raw)
    return None if angle is None else angle % 360


HEAT_LEVELS: Final = coded("off", "low", "medium", "high", are_levels=True)
WHEEL_LEVELS: Final = coded("off", "low", "high", are_levels=True)
"""The car reports 2 or 3 if a steering wheel is on its highest level."""

# Numbers. The service always uses miles, Celsius and kilowatts, independent of the car's display.
CHARGE_LEVEL: Final = ValueType(_number_between(0, 100))
LEVEL_AT_ARRIVAL: Final = ValueType(_number_between(-100, 100))
"""The expected battery level, negative if the energy does not suffice."""
PERCENT: Final = ValueType(_number_between(0, 100))
MILES: Final = ValueType(_number_between(0, 1e6))
MILES_ADDED: Final = ValueType(_number_between(0, 1e6))
ODOMETER: Final = ValueType(_number_between(0, 1e7))
MILES_PER_HOUR: Final = ValueType(_number_between(0, 1e4))
SPEED: Final = ValueType[float](_number_between(0, 1e4), null=0)
CELSIUS: Final = ValueType(_number_between(-100, 150))
KILOWATTS: Final = ValueType(_number_between(-1e4, 1e4))
KILOWATT_HOURS: Final = ValueType(_number_between(0, 1e6))
STORED_ENERGY: Final = ValueType(_number_between(0, 1e4))  # kilowatt hours in the battery
VOLTS: Final = ValueType(_number_between(0, 1e5))
AMPERES: Final = ValueType(_number_between(-1e4, 1e4))
BAR: Final = ValueType(_number_between(0.01, 20))  # a sensor that has not reported yet sends 0
HOURS: Final = ValueType(_number_between(0, 1e4))
MILLISECONDS: Final = ValueType(_whole_seconds)  # read as whole seconds
TRACK_LENGTH: Final = ValueType(lambda raw: _whole_seconds(raw) or None)
"""Milliseconds, read as whole seconds. A radio sends 0."""
MINUTES: Final = ValueType(_number_between(0, 1e5))
SECONDS: Final = ValueType(_number_between(0, 1e7))
DEGREES: Final = ValueType(_angle)
LATITUDE: Final = ValueType(_number_between(-90, 90))
LONGITUDE: Final = ValueType(_number_between(-180, 180))
NUMBER: Final = ValueType(_finite_number)
INTEGER: Final = ValueType(_integer)
COUNT: Final = ValueType(_count)
COUNTER: Final = ValueType(_count)

# Text and times
TEXT: Final = ValueType(_text)
VIN: Final = ValueType(lambda raw: (_text(raw) or "").upper() or None)
IDENTIFIER: Final = ValueType(_identifier)
TIMESTAMP: Final = ValueType(_timestamp)
TIME_OF_DAY: Final = ValueType(_time_of_day)
RECORD_TIMESTAMP: Final = ValueType(_timestamp)
"""When the car sent a record: changes with every response, even if no other field does."""
SECRET: Final = ValueType(_secret)
PIN: Final = ValueType(_pin)
OBJECT: Final = ValueType(_object)
OBJECT_TEXT: Final = ValueType(lambda raw: None if _object(raw) is None else json.dumps(raw))
"""An object that is sent as a text."""
PLACE_IDS: Final = ValueType(
    lambda raw: ",".join(f"refId:{each}" for each in raw) or None if isinstance(raw, list) else None
)
"""The ids of places on Google Maps, as cars expect them."""
ANYTHING: Final = ValueType(lambda raw: raw)
SEAT_HEATER: Final = ValueType(_seat_heater, options=(*HEAT_LEVELS.options, "on"))

# Booleans, by what true means
FLAG: Final = ValueType(_flag)
INSTALLED: Final = ValueType(_is_installed)
SUNROOF: Final = ValueType(_is_not_zero)
DOOR: Final = ValueType(_is_not_zero)
WINDOW: Final = ValueType(_is_not_zero)
LID: Final = ValueType(_is_not_zero)
HEATING: Final = ValueType(_flag)
COLD: Final = ValueType(_flag)
PROBLEM: Final = ValueType(_flag)
PRESENCE: Final = ValueType(_flag)
RUNNING: Final = ValueType(_flag)
RECORDING: Final = ValueType(lambda raw: None if _text(raw) is None else raw == "Recording")
"""Otherwise, the dashcam can be saving, off, or without a drive."""
DEFROSTING: Final = ValueType(_is_not_zero)
