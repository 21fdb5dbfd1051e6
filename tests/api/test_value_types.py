"""What a value means: each kind reads whatever comes."""

from datetime import UTC, datetime
from math import inf, nan
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.api import value_types as kinds
from custom_components.vehicle_remote_access.api.value_types import (
    CHARGE_LEVEL,
    DEGREES,
    DOOR,
    FITTED,
    FLAG,
    IDENTIFIER,
    KILOWATTS,
    LATITUDE,
    LID,
    LONGITUDE,
    MILES_PER_HOUR,
    MOMENT,
    OBJECT,
    PERCENT,
    PIN,
    SEAT_HEAT,
    SECRET,
    SPEED,
    TEXT,
    WHOLE,
    Kind,
    coded,
    one_of,
    snake,
)

KINDS: Final = {name: kind for name, kind in vars(kinds).items() if isinstance(kind, Kind)}
GEAR: Final = one_of("P", "NoPower", "GB_AC", also={"": "p", "<Park>": "p"})
SCREEN: Final = coded("off", "dim", "on")
NOON: Final = datetime(2019, 4, 4, 12, tzinfo=UTC)
LOOP: Final[dict[str, Any]] = {}
LOOP["itself"] = LOOP
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
    """A measure is a finite number, also one written as text, and nothing else."""
    assert KILOWATTS.read(raw) == number


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [
        (PERCENT, 0, 100),
        (CHARGE_LEVEL, 0, 100),
        (MILES_PER_HOUR, 0, 10_000),
        (SPEED, 0, 10_000),
        (DEGREES, 0, 359.5),
        (LATITUDE, -90, 90),
        (LONGITUDE, -180, 180),
        (WHOLE, 1 - 2**53, 2**53 - 1),
    ],
)
def test_bounds(kind: Kind[float], low: float, high: float) -> None:
    """What is impossible in this world means nothing; what is just possible is taken."""
    assert (kind.read(low), kind.read(high)) == (low, high)
    assert kind.read(low - 1) is None
    assert kind.read(high + 1) is None


def test_full_turn() -> None:
    """A heading of 360 degrees is north, as 0 is."""
    assert DEGREES.read(360) == 0


def test_null_speed() -> None:
    """A car that says no speed stands still."""
    assert SPEED.null == 0


def test_null_means_nothing() -> None:
    """Null means something for the speed alone, of the kinds that are named."""
    assert [kind for kind in KINDS.values() if kind.null is not None] == [SPEED]


@pytest.mark.parametrize(("raw", "whole"), [(3.7, 3), ("12", 12), (2**53, None), (True, None)])
def test_whole(raw: Any, whole: int | None) -> None:
    """A whole number leaves out what stands behind the point, and fits any database."""
    assert WHOLE.read(raw) == whole


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
def test_flag(raw: Any, flag: bool | None) -> None:  # noqa: FBT001 - what is expected, not a switch
    """A flag is a boolean, 0 or 1, or one of two words."""
    assert FLAG.read(raw) is flag


@pytest.mark.parametrize("kind", [DOOR, LID], ids=["door", "lid"])
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
def test_open(kind: Kind[bool], raw: Any, is_open: bool | None) -> None:  # noqa: FBT001 - likewise
    """0 is closed, any other number open."""
    assert kind.read(raw) is is_open


@pytest.mark.parametrize(
    ("raw", "text"), [(" 2019.8.4 ", "2019.8.4"), ("", None), ("  ", None), ("<invalid>", None), (5, None)]
)
def test_text(raw: Any, text: str | None) -> None:
    """A text says something, or it means nothing."""
    assert TEXT.read(raw) == text


@pytest.mark.parametrize(
    ("raw", "secret"), [(" as typed ", " as typed "), ("<invalid>", "<invalid>"), ("", None), (1234, None)]
)
def test_secret(raw: Any, secret: str | None) -> None:
    """A secret is taken as it was typed, to the last blank."""
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
    """A PIN is four digits, or the number that a template makes of them if no zero is lost by that."""
    assert PIN.read(raw) == pin


@pytest.mark.parametrize(
    "found",
    [{}, {"name": "Zahnärztin", "events": [{"start": 1554379200000, "allday": False, "place": None}]}],
    ids=["empty", "calendar"],
)
def test_object(found: dict[str, Any]) -> None:
    """An object of JSON is taken as it is."""
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
        LOOP,
        DEEP,
    ],
    ids=["null", "list", "text", "date", "set", "pair as a name", "NaN", "infinity", "in itself", "too deep"],
)
def test_no_object(raw: Any) -> None:
    """What JSON cannot say is none, however deep it is hidden."""
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
    """An id keeps every digit; a float has lost some, so it names nobody."""
    assert IDENTIFIER.read(raw) == identifier


@pytest.mark.parametrize(
    ("raw", "moment"),
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
def test_moment(raw: Any, moment: datetime | None) -> None:
    """A time is in seconds or in milliseconds, whichever is possible."""
    assert MOMENT.read(raw) == moment


@pytest.mark.parametrize(
    ("raw", "is_fitted"), [("None", False), ("FuturisFoldFlat", True), ("<invalid>", None), (0, None)]
)
def test_fitted(raw: Any, is_fitted: bool | None) -> None:  # noqa: FBT001 - likewise
    """The text None says that the car has not got the thing."""
    assert FITTED.read(raw) is is_fitted


@pytest.mark.parametrize(
    ("text", "state"),
    [("NoPower", "no_power"), ("GB_AC", "gb_ac"), ("SAE", "sae"), ("Wifi wait", "wifi_wait"), ("off", "off")],
)
def test_snake(text: str, state: str) -> None:
    """A state is written small and with underscores."""
    assert snake(text) == state


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
    """A known word is a state, however it is written; any other means nothing."""
    assert GEAR.read(raw) == state


def test_options_of_words() -> None:
    """Each state is counted once, in the order of the table, however many spellings it has."""
    assert GEAR.options == ("p", "no_power", "gb_ac")


@pytest.mark.parametrize(
    ("raw", "state"), [(0, "off"), (2, "on"), ("1", "dim"), (3, None), (-1, None), (True, None), (None, None)]
)
def test_coded(raw: Any, state: str | None) -> None:
    """A code is the place of a state in its list, counted from 0."""
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
def test_seat_heat(raw: Any, level: str | None) -> None:
    """A seat heater has a level from 0 to 3, and in the legacy variant is on or off."""
    assert SEAT_HEAT.read(raw) == level


# The test plugin hides objects from the garbage collector, so Hypothesis thinks its own generator lost.
@pytest.mark.filterwarnings("ignore:It looks like `register_random`")
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(raw=JSON)
def test_reading_never_raises(raw: Any) -> None:
    """Every kind reads whatever comes, and one with options gives one of them or nothing."""
    for name, kind in KINDS.items():
        meaning = kind.read(raw)
        assert not kind.options or meaning is None or meaning in kind.options, name
