"""The value types, with any JSON value."""

from datetime import UTC, datetime
from math import inf, nan
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.api import value_types as types
from custom_components.vehicle_remote_access.api.value_types import ValueType, coded, one_of

VALUE_TYPES: Final = {name: value for name, value in vars(types).items() if isinstance(value, ValueType)}
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
    ("value_type", "raw", "value"),
    [
        # A number can also be text, but not a boolean.
        (types.KILOWATTS, 7, 7),
        (types.KILOWATTS, -7.5, -7.5),
        (types.KILOWATTS, "7.5", 7.5),
        (types.KILOWATTS, " 7 ", 7.0),
        (types.DEGREES, 360, 0),
        (types.INTEGER, 3.7, 3),
        (types.INTEGER, "12", 12),
        # A flag is a boolean, 0 or 1, or the text true or false.
        (types.FLAG, True, True),
        (types.FLAG, 1, True),
        (types.FLAG, 0.0, False),
        (types.FLAG, "true", True),
        (types.FLAG, "FALSE", False),
        # A door is closed with 0 and open with any other byte.
        *(
            (value_type, raw, raw != 0)
            for value_type in (types.DOOR, types.LID)
            for raw in (0, 1, 255, False, True)
        ),
        (types.DOOR, "255", True),
        # A sunroof has a kind, which is 0 if there is none, or is only reported as installed or not.
        *((types.SUNROOF, raw, raw != 0) for raw in (0, 1, 2, False, True)),
        # Text is stripped. A secret is not stripped or changed.
        (types.TEXT, " 2019.8.4 ", "2019.8.4"),
        (types.TEXT, "x" * 300, "x" * 255),
        # It is one line, and can't reverse the text around it.
        (types.TEXT, "Car\n2026-05-04 ERROR\u2028\u2029forged\r\n", "Car 2026-05-04 ERROR forged"),
        (types.TEXT, "\x1b[2KCar\0\x85\u202e 2\u2066\ufeff", "[2KCar 2"),
        # Joiners are parts of emoji and words. Characters that Python does not know yet can be new emoji.
        (types.TEXT, "🏴\u200d☠️ 👩\u200d🚀", "🏴\u200d☠️ 👩\u200d🚀"),
        (types.TEXT, "می\u200cروم \U000323b0", "می\u200cروم \U000323b0"),
        (types.SECRET, " as typed ", " as typed "),
        (types.SECRET, "<invalid>", "<invalid>"),
        # A types.PIN is four digits, as text or as a number without a lost zero.
        (types.PIN, "0123", "0123"),
        (types.PIN, 1000, "1000"),
        (types.PIN, 9999, "9999"),
        # An id keeps every digit.
        (types.IDENTIFIER, 2**53 + 1, "9007199254740993"),
        (types.IDENTIFIER, "40282937463829107", "40282937463829107"),
        (types.IDENTIFIER, 2**64 - 1, "18446744073709551615"),
        # A timestamp is in seconds up to 10^11, and in milliseconds above.
        (types.TIMESTAMP, 1554379200, NOON),
        (types.TIMESTAMP, "1554379200", NOON),
        (types.TIMESTAMP, 1554379200_250, NOON.replace(microsecond=250_000)),
        (types.TIMESTAMP, 10**11, datetime(5138, 11, 16, 9, 46, 40, tzinfo=UTC)),
        (types.TIMESTAMP, 10**11 + 1, datetime(1973, 3, 3, 9, 46, 40, 1000, tzinfo=UTC)),
        # The text None means that the car doesn't have the equipment.
        (types.INSTALLED, "None", False),
        (types.INSTALLED, "FuturisFoldFlat", True),
        # A known word is a state in any spelling.
        (GEAR, "p", "p"),
        (GEAR, " NoPower ", "no_power"),
        (GEAR, "NOPOWER", "no_power"),
        (GEAR, "gb_ac", "gb_ac"),
        (GEAR, "", "p"),
        (GEAR, "<park>", "p"),
        (one_of("Wifi wait"), "Wifi Wait", "wifi_wait"),
        # A code is the index of a state, counted from 0.
        (SCREEN, 0, "off"),
        (SCREEN, 2, "on"),
        (SCREEN, "1", "dim"),
        # A seat heater has a level from 0 to 3 or more, or is on or off in the legacy variant.
        *(
            (types.SEAT_HEATER, raw, level)
            for raw, level in enumerate(("off", "low", "medium", "high", "high"))
        ),
        (types.SEAT_HEATER, True, "on"),
        (types.SEAT_HEATER, False, "off"),
    ],
)
def test_valid_value_is_read_in_the_right_type(value_type: ValueType[Any], raw: Any, value: Any) -> None:
    assert value_type.read(raw) == value
    assert type(value_type.read(raw)) is type(value)


@pytest.mark.parametrize(
    ("value_type", "raw_values"),
    [
        (types.KILOWATTS, ["seven", "", True, nan, inf, "-inf", 10**400, "9" * 400, [7]]),
        (types.INTEGER, [2**53, -(2**53), True, None]),
        (types.FLAG, ["yes", 2, nan, [], {}]),
        (types.DOOR, [256, -1, nan, "x"]),
        (types.LID, [256, "x"]),
        (types.TEXT, ["", "  ", "<invalid>", 5]),
        (types.SECRET, ["", 1234]),
        (types.PIN, [999, 10_000, 1234.0, True, ["1234"]]),
        (types.PIN, ["123", "12345", " 123", "1234\n", "\u0660\u0661\u0662\u0663"]),
        (types.IDENTIFIER, [2**64, 10**5000, -1, 4.0282937463829107e16, True, "12a", "", "\u0663"]),
        (types.TIMESTAMP, [0, -1, 253_402_300_799_000, 10**18, 1e300, "noon", True]),
        (types.INSTALLED, ["<invalid>", 0]),
        (GEAR, ["Calibrating", 0, True, ["P"]]),
        (SCREEN, [3, -1, True, None]),
        (types.SEAT_HEATER, [-1, "on"]),
        # JSON doesn't have these, at any depth.
        (
            types.OBJECT,
            [[], "{}", {"start": NOON}, {"days": {1, 2}}, {("a", "b"): 1}, {"level": [inf]}, CYCLIC, DEEP],
        ),
    ],
)
def test_invalid_value(value_type: ValueType[Any], raw_values: list[Any]) -> None:
    for position, raw in enumerate(raw_values):
        assert value_type.read(raw) is None, position


@pytest.mark.parametrize(
    ("value_type", "low", "high"),
    [
        (types.PERCENT, 0, 100),
        (types.CHARGE_LEVEL, 0, 100),
        (types.MILES_PER_HOUR, 0, 10_000),
        (types.SPEED, 0, 10_000),
        (types.DEGREES, 0, 359.5),
        (types.LATITUDE, -90, 90),
        (types.LONGITUDE, -180, 180),
        (types.INTEGER, 1 - 2**53, 2**53 - 1),
    ],
)
def test_number_out_of_range_is_invalid(value_type: ValueType[float], low: float, high: float) -> None:
    assert (value_type.read(low), value_type.read(high)) == (low, high)
    assert value_type.read(low - 1) is None
    assert value_type.read(high + 1) is None


# The test plugin hides objects from the garbage collector, so Hypothesis reports its own generator as lost.
@pytest.mark.filterwarnings("ignore:It looks like `register_random`")
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(raw=JSON)
def test_reading_never_raises(raw: Any) -> None:
    """Every value type reads any JSON value. A value type with options returns one of them or None."""
    for name, value_type in VALUE_TYPES.items():
        value = value_type.read(raw)
        assert not value_type.options or value is None or value in value_type.options, name
