"""The value types, with any JSON value."""

from datetime import UTC, datetime
from math import inf, nan
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.api import value_types
from custom_components.vehicle_remote_access.api.value_types import (
    CHARGE_LEVEL,
    DEGREES,
    DOOR,
    FLAG,
    IDENTIFIER,
    INSTALLED,
    INTEGER,
    KILOWATTS,
    LATITUDE,
    LID,
    LONGITUDE,
    MILES_PER_HOUR,
    OBJECT,
    PERCENT,
    PIN,
    SEAT_HEATER,
    SECRET,
    SPEED,
    TEXT,
    TIMESTAMP,
    ValueType,
    coded,
    one_of,
    snake_case,
)

VALUE_TYPES: Final = {
    name: value for name, value in vars(value_types).items() if isinstance(value, ValueType)
}
GEAR: Final = one_of("P", "NoPower", "GB_AC", also={"": "p", "<Park>": "p"})
SCREEN: Final = coded("off", "dim", "on")
NOON: Final = datetime(2019, 4, 4, 12, tzinfo=UTC)
CYCLIC: Final[dict[str, Any]] = {}
CYCLIC["itself"] = CYCLIC
DEEP: Final[dict[str, Any]] = {}
for _ in range(100_000):
    DEEP["deeper"] = dict(DEEP)

JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        (7, 7),
        (-7.5, -7.5),
        ("7.5", 7.5),
        (" 7 ", 7),
        (0, 0),
        ("seven", None),
        ("", None),
        (True, None),
        (False, None),
        (nan, None),
        ("nan", None),
        (inf, None),
        ("-inf", None),
        (10**400, None),
        ("9" * 400, None),
        ([7], None),
        ({"7": 7}, None),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_number(raw: Any, number: float | None) -> None:
    """A number is finite. It can also be text, but not a boolean."""
    assert KILOWATTS.read(raw) == number


@pytest.mark.parametrize(
    ("value_type", "low", "high"),
    [
        (PERCENT, 0, 100),
        (CHARGE_LEVEL, 0, 100),
        (MILES_PER_HOUR, 0, 10_000),
        (SPEED, 0, 10_000),
        (DEGREES, 0, 359.5),
        (LATITUDE, -90, 90),
        (LONGITUDE, -180, 180),
        (INTEGER, 1 - 2**53, 2**53 - 1),
    ],
)
def test_range(value_type: ValueType[float], low: float, high: float) -> None:
    """A number outside the possible range is invalid."""
    assert (value_type.read(low), value_type.read(high)) == (low, high)
    assert value_type.read(low - 1) is None
    assert value_type.read(high + 1) is None


def test_full_turn() -> None:
    """A heading of 360 degrees is 0."""
    assert DEGREES.read(360) == 0


def test_null_speed() -> None:
    """A null speed is 0: the car is parked."""
    assert SPEED.null == 0


def test_null_is_unknown() -> None:
    """Null is unknown in all named value types except the speed."""
    assert [each for each in VALUE_TYPES.values() if each.null is not None] == [SPEED]


@pytest.mark.parametrize(("raw", "integer"), [(3.7, 3), ("12", 12), (2**53, None), (True, None)])
def test_integer(raw: Any, integer: int | None) -> None:
    """An integer has no decimals and fits any database."""
    assert INTEGER.read(raw) == integer


@pytest.mark.parametrize(
    ("raw", "flag"),
    [
        (True, True),
        (False, False),
        (1, True),
        (0.0, False),
        ("true", True),
        ("FALSE", False),
        ("yes", None),
        (2, None),
        (nan, None),
        ([], None),
        ({}, None),
    ],
)
def test_flag(raw: Any, flag: bool | None) -> None:  # noqa: FBT001 - an expected value
    """A flag is a boolean, 0 or 1, or the text true or false."""
    assert FLAG.read(raw) is flag


@pytest.mark.parametrize("value_type", [DOOR, LID], ids=["door", "lid"])
@pytest.mark.parametrize(
    ("raw", "is_open"),
    [
        (0, False),
        (1, True),
        (255, True),
        ("255", True),
        (False, False),
        (True, True),
        (nan, None),
        ("x", None),
    ],
)
def test_open(value_type: ValueType[bool], raw: Any, is_open: bool | None) -> None:  # noqa: FBT001 - likewise
    """A door is closed with 0 and open with any other byte."""
    assert value_type.read(raw) is is_open


@pytest.mark.parametrize(
    ("raw", "text"), [(" 2019.8.4 ", "2019.8.4"), ("", None), ("  ", None), ("<invalid>", None), (5, None)]
)
def test_text(raw: Any, text: str | None) -> None:
    """Text is stripped. Empty text and <invalid> are unknown."""
    assert TEXT.read(raw) == text


@pytest.mark.parametrize(
    ("raw", "secret"), [(" as typed ", " as typed "), ("<invalid>", "<invalid>"), ("", None), (1234, None)]
)
def test_secret(raw: Any, secret: str | None) -> None:
    """A secret is not stripped or changed."""
    assert SECRET.read(raw) == secret


@pytest.mark.parametrize(
    ("raw", "pin"),
    [
        ("0123", "0123"),
        ("0000", "0000"),
        ("9999", "9999"),
        (1000, "1000"),
        (9999, "9999"),
        (999, None),
        (10_000, None),
        (-1234, None),
        (83, None),
        (1234.0, None),
        (True, None),
        ("123", None),
        ("12345", None),
        (" 123", None),
        ("1234 ", None),
        ("1234\n", None),
        ("12.4", None),
        ("\u0660\u0661\u0662\u0663", None),
        ("", None),
        (["1234"], None),
    ],
    ids=repr,
)
def test_pin(raw: Any, pin: str | None) -> None:
    """A PIN is four digits, as text or as a number without a lost zero."""
    assert PIN.read(raw) == pin


@pytest.mark.parametrize(
    "found",
    [{}, {"name": "Zahnärztin", "events": [{"start": 1554379200000, "allday": False, "place": None}]}],
    ids=["empty", "calendar"],
)
def test_object(found: dict[str, Any]) -> None:
    """A JSON object is returned unchanged."""
    assert OBJECT.read(found) is found


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "{}",
        {"start": NOON},
        {"days": {1, 2}},
        {("a", "b"): 1},
        {"level": nan},
        {"level": [inf]},
        CYCLIC,
        DEEP,
    ],
    ids=["null", "list", "text", "date", "set", "tuple as a key", "NaN", "infinity", "cyclic", "too deep"],
)
def test_invalid_object(raw: Any) -> None:
    """An object with values that JSON doesn't have is invalid, at any depth."""
    assert OBJECT.read(raw) is None


@pytest.mark.parametrize(
    ("raw", "identifier"),
    [
        (2**53 + 1, "9007199254740993"),
        ("40282937463829107", "40282937463829107"),
        (2**64 - 1, "18446744073709551615"),
        (2**64, None),
        (10**5000, None),
        (-1, None),
        (4.0282937463829107e16, None),
        (True, None),
        ("12a", None),
        ("", None),
        ("\u0663", None),
    ],
    ids=lambda value: "huge" if value == 10**5000 else None,
)
def test_identifier(raw: Any, identifier: str | None) -> None:
    """An id keeps every digit. A float is invalid, because it has lost digits."""
    assert IDENTIFIER.read(raw) == identifier


@pytest.mark.parametrize(
    ("raw", "timestamp"),
    [
        (1554379200, NOON),
        (1554379200_000, NOON),
        (1554379200.0, NOON),
        ("1554379200", NOON),
        (1554379200_250, NOON.replace(microsecond=250_000)),
        (10**11, datetime(5138, 11, 16, 9, 46, 40, tzinfo=UTC)),
        (10**11 + 1, datetime(1973, 3, 3, 9, 46, 40, 1000, tzinfo=UTC)),
        (0, None),
        (-1, None),
        (10**18, None),
        (1e300, None),
        ("noon", None),
        (True, None),
    ],
)
def test_timestamp(raw: Any, timestamp: datetime | None) -> None:
    """A timestamp is in seconds up to 10^11, and in milliseconds above."""
    assert TIMESTAMP.read(raw) == timestamp


@pytest.mark.parametrize(
    ("raw", "is_installed"), [("None", False), ("FuturisFoldFlat", True), ("<invalid>", None), (0, None)]
)
def test_installed(raw: Any, is_installed: bool | None) -> None:  # noqa: FBT001 - likewise
    """The text None means that the car doesn't have the equipment."""
    assert INSTALLED.read(raw) is is_installed


@pytest.mark.parametrize(
    ("text", "state"),
    [("NoPower", "no_power"), ("GB_AC", "gb_ac"), ("SAE", "sae"), ("Wifi wait", "wifi_wait"), ("off", "off")],
)
def test_snake_case(text: str, state: str) -> None:
    """A state is lowercase with underscores."""
    assert snake_case(text) == state


@pytest.mark.parametrize(
    ("raw", "state"),
    [
        ("P", "p"),
        ("p", "p"),
        (" NoPower ", "no_power"),
        ("NOPOWER", "no_power"),
        ("gb_ac", "gb_ac"),
        ("", "p"),
        ("<park>", "p"),
        ("Calibrating", None),
        (0, None),
        (True, None),
        (["P"], None),
    ],
)
def test_one_of(raw: Any, state: str | None) -> None:
    """A known word is a state in any spelling. Any other word is unknown."""
    assert GEAR.read(raw) == state


def test_options_of_words() -> None:
    """A state with several spellings is one option. The options keep the order of the words."""
    assert GEAR.options == ("p", "no_power", "gb_ac")


@pytest.mark.parametrize(
    ("raw", "state"), [(0, "off"), (2, "on"), ("1", "dim"), (3, None), (-1, None), (True, None), (None, None)]
)
def test_coded(raw: Any, state: str | None) -> None:
    """A code is the index of a state, counted from 0."""
    assert SCREEN.read(raw) == state


@pytest.mark.parametrize(
    ("raw", "level"),
    [
        (0, "off"),
        (1, "low"),
        (2, "medium"),
        (3, "high"),
        (4, None),
        (True, "on"),
        (False, "off"),
        ("on", None),
    ],
)
def test_seat_heater(raw: Any, level: str | None) -> None:
    """A seat heater has a level from 0 to 3, or is on or off in the legacy variant."""
    assert SEAT_HEATER.read(raw) == level


# The test plugin hides objects from the garbage collector, so Hypothesis reports its own generator as lost.
@pytest.mark.filterwarnings("ignore:It looks like `register_random`")
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(raw=JSON)
def test_reading_never_raises(raw: Any) -> None:
    """Every value type reads any JSON value. A value type with options returns one of them or None."""
    for name, value_type in VALUE_TYPES.items():
        value = value_type.read(raw)
        assert not value_type.options or value is None or value in value_type.options, name
