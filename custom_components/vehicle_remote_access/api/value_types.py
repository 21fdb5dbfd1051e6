"""What a value means, and how it is read: the only place that asks what type it has.

A kind reads any JSON value and gives what it means, or None where it means nothing. It never raises.
Interface document, "Resources and their fields".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
import json
from math import isfinite
import re
from typing import Any, Final

_LONGEST_TEXT: Final = 255


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Kind[T]:
    """A meaning: how it is read, what null means, and which values there are if they can be counted."""

    name: str
    read: Callable[[Any], T | None]
    null: T | None = None
    options: tuple[str, ...] = ()


def _number(raw: Any) -> float | None:
    """A finite number, also one written as text. True is not 1 here."""
    if isinstance(raw, str):
        try:
            raw = float(raw)
        except ValueError:
            return None
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    try:
        return raw if isfinite(raw) else None
    except OverflowError:  # A whole number of hundreds of digits is no measurement.
        return None


def _number_between(low: float, high: float) -> Callable[[Any], float | None]:
    """A number within what is possible in this world; outside, the answer is broken."""

    def read(raw: Any) -> float | None:
        number = _number(raw)
        return number if number is not None and low <= number <= high else None

    return read


def _whole(raw: Any) -> int | None:
    """A whole number that fits any database."""
    number = _number(raw)
    return int(number) if number is not None and abs(number) < 2**53 else None


def _count(raw: Any) -> int | None:
    """How many there are."""
    number = _whole(raw)
    return number if number is not None and number >= 0 else None


def _flag(raw: Any) -> bool | None:
    """A boolean, also as 0 and 1 or as a word: older services wrote them so."""
    if isinstance(raw, str):
        return {"true": True, "false": False}.get(raw.lower())
    return bool(raw) if raw in (0, 1) else None


def _is_open(raw: Any) -> bool | None:
    """0 is closed, any other byte is open: lids have been seen to report 255."""
    flag = _flag(raw)
    if flag is not None:
        return flag
    number = _number_between(0, 255)(raw)
    return None if number is None else number != 0


def _text(raw: Any) -> str | None:
    """A text that says something, as far as Home Assistant shows one.

    The literal <invalid> is the service's way of saying nothing.
    """
    if not isinstance(raw, str) or raw == "<invalid>":
        return None
    return raw.strip()[:_LONGEST_TEXT] or None


def _secret(raw: Any) -> str | None:
    """A text exactly as it was typed: a blank at its end belongs to a password."""
    return raw if isinstance(raw, str) and raw else None


def _pin(raw: Any) -> str | None:
    """Four digits, as text. Templates and YAML make a number of them, and 83 of an unquoted 0123."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw) if 1000 <= raw <= 9999 else None  # noqa: PLR2004 - four digits, none lost
    return raw if isinstance(raw, str) and re.fullmatch(r"\d{4}", raw, re.ASCII) else None


def _object(raw: Any) -> dict[str, Any] | None:
    """An object that is JSON to its depths: YAML knows dates and templates know sets, and JSON does not."""
    if not isinstance(raw, dict):
        return None
    try:
        json.dumps(raw, allow_nan=False)
    except TypeError, ValueError, RecursionError:
        return None
    return raw


def _identifier(raw: Any) -> str | None:
    """A number used as a name, as text. Beyond 2^53 a float has lost digits, so it is nobody's name."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw) if 0 <= raw < 2**64 else None
    return raw if isinstance(raw, str) and raw.isdecimal() and raw.isascii() else None


def _moment(raw: Any) -> datetime | None:
    """Seconds or milliseconds since 1970. No car has yet sent seconds beyond 10^11 (the year 5138)."""
    number = raw if type(raw) is int else _number(raw)
    if number is None or number <= 0:
        return None
    try:
        return datetime.fromtimestamp(number / 1000 if number > 10**11 else number, UTC)
    except OverflowError, OSError, ValueError:
        return None


def _is_fitted(raw: Any) -> bool | None:
    """Whether the car has the thing. The text None means that it has not."""
    text = _text(raw)
    return None if text is None else text != "None"


def snake(text: str) -> str:
    """Return `NoPower` as `no_power`: the way Home Assistant writes a state."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).replace(" ", "_").lower()


def one_of(*values: str, null: str | None = None, also: Mapping[str, str] | None = None) -> Kind[str]:
    """One of the values the service is known to send, as a state. `also`: other spellings of them."""
    known = {value.lower(): snake(value) for value in values}
    known |= {spelling.lower(): state for spelling, state in (also or {}).items()}

    def read(raw: Any) -> str | None:
        return known.get(raw.strip().lower()) if isinstance(raw, str) else None

    return Kind(name="one_of", read=read, null=null, options=tuple(dict.fromkeys(known.values())))


def coded(*values: str) -> Kind[str]:
    """A value that the service sends as its number, counted from 0."""

    def read(raw: Any) -> str | None:
        code = _whole(raw)
        return values[code] if code is not None and 0 <= code < len(values) else None

    return Kind(name="one_of", read=read, options=values)


def _seat_heat(raw: Any) -> str | None:
    """0 to 3; older services know only on and off."""
    if isinstance(raw, bool):
        return "on" if raw else "off"
    return HEAT_LEVELS.read(raw)


def _kind[T](name: str, read: Callable[[Any], T | None], null: T | None = None) -> Kind[T]:
    return Kind(name=name, read=read, null=null)


def _measure(name: str, low: float, high: float, null: float | None = None) -> Kind[float]:
    return Kind(name=name, read=_number_between(low, high), null=null)


HEAT_LEVELS: Final = coded("off", "low", "medium", "high")

# Numbers. The service speaks miles, Celsius and kilowatts, whatever the car's display shows.
CHARGE_LEVEL: Final = _measure("charge_level", 0, 100)
PERCENT: Final = _measure("percent", 0, 100)
MILES: Final = _measure("miles", 0, 1e6)
MILES_ADDED: Final = _measure("miles_added", 0, 1e6)
ODOMETER: Final = _measure("odometer", 0, 1e7)
MILES_PER_HOUR: Final = _measure("miles_per_hour", 0, 1e4)
SPEED: Final = _measure("miles_per_hour", 0, 1e4, null=0)
CELSIUS: Final = _measure("celsius", -100, 150)
KILOWATTS: Final = _measure("kilowatts", -1e4, 1e4)
KILOWATT_HOURS: Final = _measure("kilowatt_hours", 0, 1e6)
VOLTS: Final = _measure("volts", 0, 1e5)
AMPERES: Final = _measure("amperes", -1e4, 1e4)
HOURS: Final = _measure("hours", 0, 1e4)
SECONDS: Final = _measure("seconds", 0, 1e7)
DEGREES: Final = _kind(
    "degrees", lambda raw: None if (turn := _number_between(0, 360)(raw)) is None else turn % 360
)
LATITUDE: Final = _measure("coordinate", -90, 90)
LONGITUDE: Final = _measure("coordinate", -180, 180)
NUMBER: Final = _kind("number", _number)
WHOLE: Final = _kind("whole", _whole)
COUNT: Final = _kind("count", _count)
COUNTER: Final = _kind("counter", _count)

# Words
TEXT: Final = _kind("text", _text)
IDENTIFIER: Final = _kind("identifier", _identifier)
MOMENT: Final = _kind("moment", _moment)
CLOCK: Final = _kind("moment", _moment)
"""When the car said what it says: new in every answer, be it equal in all else."""
SECRET: Final = _kind("secret", _secret)
PIN: Final = _kind("pin", _pin)
OBJECT: Final = _kind("object", _object)
ANYTHING: Final = _kind("anything", lambda raw: raw)
SEAT_HEAT: Final = Kind(name="one_of", read=_seat_heat, options=("off", "low", "medium", "high", "on"))

# Yes or no, and what the yes is about
FLAG: Final = _kind("flag", _flag)
FITTED: Final = _kind("fitted", _is_fitted)
DOOR: Final = _kind("door", _is_open)
LID: Final = _kind("lid", _is_open)
HEATING: Final = _kind("heating", _flag)
COLD: Final = _kind("cold", _flag)
PROBLEM: Final = _kind("problem", _flag)
PRESENCE: Final = _kind("presence", _flag)
RUNNING: Final = _kind("running", _flag)
