"""The table of fields, compared with the interface document, invalid records, and the types of values."""

from collections.abc import Mapping
from copy import deepcopy
from datetime import UTC, datetime
from functools import reduce
import json
import logging
from math import inf, nan
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.api import value_types as types
from custom_components.vehicle_remote_access.api.fields import Field, Record
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState, ClimateState, Vehicle
from custom_components.vehicle_remote_access.api.value_types import ValueType, coded, one_of

from .raw_records import DOCUMENTED, GONE, RECORDS, RESPONSES, WHOLE, Json, found_in, spoiled

# Documented values that mean that the car has no value.
WITHOUT_VALUE: Final[Mapping[str, str]] = {
    "charge_state.fast_charger_type": "<invalid>",  # documented: no fast charger
    "charge_state.fast_charger_brand": "<invalid>",  # likewise
    "vehicle_state.sun_roof_state": "unknown",  # documented together with a null percentage: no sunroof
}


DOCUMENTED_FIELDS: Final = [field for field in FIELDS if not field.fleet_only]


def values(vehicle: Vehicle) -> dict[str, Any]:
    return {field.path: field.get(vehicle) for field in FIELDS}


def others(vehicle: Vehicle, path: str) -> dict[str, Any]:
    """Return all values except those at a path and below it."""
    return {key: value for key, value in values(vehicle).items() if not f"{key}.".startswith(f"{path}.")}


def test_table_has_exactly_the_documented_fields() -> None:
    assert sorted(field.path for field in DOCUMENTED_FIELDS) == sorted(DOCUMENTED)


@pytest.mark.parametrize("response", RESPONSES)
def test_documented_values(response: str) -> None:
    """Every documented value is valid. A number, a boolean or a text is kept unless it is converted."""
    vehicle = Vehicle.parse(RESPONSES[response])
    timestamps = {types.RECORD_TIMESTAMP, types.TIMESTAMP}
    converted = timestamps | {types.IDENTIFIER, types.SEAT_HEATER, types.INSTALLED, types.SUNROOF}
    for field in DOCUMENTED_FIELDS:
        raw, value = found_in(RESPONSES[response], field.path), field.get(vehicle)
        if raw is None or WITHOUT_VALUE.get(field.path) == raw:
            assert value == field.value_type.null, field.path
        elif raw is not GONE and (field.value_type.options or field.value_type in converted):
            assert value is not None, field.path
        elif raw is not GONE:
            assert value == raw, field.path


@pytest.mark.parametrize(("raw", "mode"), [("On", "on"), ("keep", "on"), ("camp", "camp"), ("party", "camp")])
def test_climate_keeper_mode_has_one_state_for_two_names(raw: str, mode: str) -> None:
    assert ClimateState.parse({"climate_keeper_mode": raw}).climate_keeper_mode == mode


def test_id_in_request_paths_is_the_text_id_or_else_the_number_and_loses_no_digit() -> None:
    assert (WHOLE["id"], Vehicle.parse(WHOLE).id) == (40282937463829107, "40282937463829107")
    assert Vehicle.parse({"id": 4.0282937463829104e16, "id_s": "40282937463829107"}).path_id == WHOLE["id_s"]
    assert Vehicle.parse({"id": 40282937463829107, "id_s": ""}).path_id == WHOLE["id_s"]
    assert Vehicle.parse({}).path_id is None


def test_name_that_the_car_reports_precedes_the_accounts() -> None:
    for reported, name in (("New", "New"), ("", "Old")):
        raw = {"display_name": "Old", "vehicle_state": {"vehicle_name": reported}}
        assert Vehicle.parse(raw).name == name
    assert Vehicle.parse({}).name is None


def test_null_is_unknown_except_for_gear_and_speed_and_a_charger_that_sleeps() -> None:
    read = [(each, each.get(Vehicle.parse(spoiled(WHOLE, each.path, None)))) for each in DOCUMENTED_FIELDS]
    known = {each.path: value for each, value in read if value is not None}
    charger = dict.fromkeys(("charge_state.charger_power", "charge_state.charger_actual_current"), 0)
    assert known == {"drive_state.shift_state": "p", "drive_state.speed": 0, **charger}


def test_partial_record_changes_only_the_fields_that_it_has_also_in_nested_ones() -> None:
    before = Vehicle.parse(WHOLE)
    partial = {"state": "asleep", "in_service": None, "charge_state": {"battery_level": 1}}
    after = before.with_fields(partial)
    assert (after.state, after.in_service) == ("asleep", None)
    assert (after.vin, before.state) == (before.vin, "online")
    changed = [Vehicle.state, Vehicle.in_service, ChargeState.battery_level]
    assert {*after.changed_since(before)} == {*changed}


def test_value_that_depends_on_another_one_uses_what_is_shown_of_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    raw = {"charge_state": {"charging_state": "Charging", "conn_charge_cable": "IEC", "charger_power": None}}
    stopped = Vehicle.parse(raw).with_value("charge_state.charging_state", "stopped")
    seen = stopped.with_fields({"charge_state": {"conn_charge_cable": "<invalid>", "charger_power": None}})
    assert (seen.charge_state.charger_power, seen.charge_state.conn_charge_cable) == (0, None)
    held = Vehicle.parse(raw).with_value("charge_state.conn_charge_cable", "sae")
    held = held.with_fields({"charge_state": {"charging_state": "Stopped"}})
    assert (held.charge_state.conn_charge_cable, held.charge_state.charger_power) == ("sae", 0)
    assert "unknown value" not in caplog.text


def test_new_value_changes_only_its_field_and_only_in_the_copy() -> None:
    before = Vehicle.parse(WHOLE)
    untouched = values(before)
    for field in FIELDS:
        after = before.with_value(field.path, "another")
        assert field.get(after) == "another"
        assert others(after, field.path) == others(before, field.path)
        assert after.changed_since(before) == [field]
    assert values(before) == untouched


def test_response_replaces_what_changed_meanwhile_even_if_it_repeats_the_last_one() -> None:
    before, empty = Vehicle.parse({}).reparse(WHOLE), Vehicle.parse({})
    for changed in (
        *(before.with_value(field.path, "another") for field in DOCUMENTED_FIELDS),
        *(before.with_record(nested.name, vars(empty)[nested.name]) for nested in Vehicle.nested),
        before.with_fields({"state": "asleep", "in_service": True, "option_codes": None}),
    ):
        assert exactly(changed.reparse(deepcopy(WHOLE))) == exactly(before)
    for field in DOCUMENTED_FIELDS:
        raw = spoiled(WHOLE, field.path, GONE)
        before = empty.reparse(raw)
        assert exactly(before.with_value(field.path, "another").reparse(deepcopy(raw))) == exactly(before)


# Python considers some of them equal although they have different meanings. NaN isn't JSON.
_RAW_VALUES: Final = st.sampled_from(
    [GONE, None, True, 1, 1.0, "1", False, 0, 0.0, "", "text", 10**400, [], [1], [True], {}, {"1": 1}]
)
_PATHS: Final = st.sampled_from(RECORDS) | st.sampled_from([field.path for field in DOCUMENTED_FIELDS])


def _sequences(paths: list[str]) -> st.SearchStrategy[list[Json]]:
    """Return raw values at the paths for several responses in a row, valid or not."""
    raw_values = {path: st.just(found_in(WHOLE, path)) | _RAW_VALUES for path in paths}
    return st.lists(st.fixed_dictionaries(raw_values), min_size=2, max_size=8)


def with_raw_values(raw_values: Mapping[str, Any]) -> Json:
    """Return a full response with other values at the paths, or without them."""
    # Fields before their record, because the record may be missing afterwards.
    deepest_first = sorted(raw_values, key=lambda path: path.count("."), reverse=True)
    return reduce(lambda raw, path: spoiled(raw, path, raw_values[path]), deepest_first, WHOLE)


def exactly(vehicle: Vehicle) -> str:
    """Return all values of a vehicle as text in which 1, 1.0 and true differ."""
    return json.dumps(values(vehicle), default=repr, sort_keys=True)


# The test plugin hides objects from the garbage collector, so Hypothesis reports its own generator as lost.
@pytest.mark.filterwarnings("ignore:It looks like `register_random`")
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(sequence=st.lists(_PATHS, min_size=1, max_size=2, unique=True).flatmap(_sequences))
def test_values_after_any_responses_are_those_of_the_last_one(sequence: list[Json]) -> None:
    vehicle = Vehicle.parse({})
    for raw in map(with_raw_values, sequence):
        vehicle = vehicle.reparse(raw)
        assert exactly(vehicle) == exactly(Vehicle.parse(raw))


def logged(caplog: pytest.LogCaptureFixture, value_type: ValueType[Any], *raw_values: Any) -> list[str]:
    """Return the log lines for these values of a field, which are at debug level."""

    class Charger(Record, key="charger"):
        state = Field(value_type)

    for raw in raw_values:
        Charger.parse({"state": raw})
    records = [record for record in caplog.records if record.name.endswith("api.fields")]
    assert {record.levelno for record in records} <= {logging.DEBUG}
    return [record.getMessage() for record in records]


def test_each_unknown_state_is_logged_once_but_no_text_for_no_value(caplog: pytest.LogCaptureFixture) -> None:
    raw_values = ("Calibrating", "Calibrating", "Charging", "Dreaming", "Calibrating", 12, "", "<invalid>")
    assert logged(caplog, one_of("Charging", "Stopped"), *raw_values) == [
        "charger.state has an unknown value: 'Calibrating'",
        "charger.state has an unknown value: 'Dreaming'",
        "charger.state has an unknown value: 12",
    ]


def test_field_logs_at_most_20_unknown_states(caplog: pytest.LogCaptureFixture) -> None:
    assert len(logged(caplog, coded("off", "on"), *range(100))) == 20


def test_numbers_and_text_can_be_private_and_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    for value_type, raw in ((types.CELSIUS, "home"), (types.PERCENT, 1000), (types.TEXT, 5)):
        assert not logged(caplog, value_type, raw)


def test_value_of_any_length_or_depth_makes_a_short_log_line(caplog: pytest.LogCaptureFixture) -> None:
    deep: Any = "bottom"
    for _ in range(100_000):
        deep = [deep]
    lines = logged(caplog, one_of("Charging"), "x" * 10_000, 10**5000, list(range(10_000)), deep)
    assert len(lines) == 4
    assert max(map(len, lines)) < 200


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
