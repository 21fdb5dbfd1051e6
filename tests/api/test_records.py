"""The table of fields, compared with the interface document, and invalid records."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from functools import reduce
import json
import logging
from math import inf, nan
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.api.fields import NOT_SHOWN, SENSOR, Field, Record
from custom_components.vehicle_remote_access.api.records import (
    FIELDS,
    ChargeState,
    ClimateState,
    DriveState,
    MediaState,
    SpeedLimitMode,
    Vehicle,
    VehicleState,
)
from custom_components.vehicle_remote_access.api.value_types import (
    ANYTHING,
    CELSIUS,
    FLAG,
    IDENTIFIER,
    PERCENT,
    RECORD_TIMESTAMP,
    SEAT_HEATER,
    TEXT,
    TIMESTAMP,
    coded,
    one_of,
)

from .conftest import documented

type Json = dict[str, Any]

EACH_FIELD: Final = pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.path)
GONE: Final = object()
"""Stands for a missing value."""

# Values that are invalid in all fields except those of type ANYTHING.
INVALID: Final[Mapping[str, Any]] = {
    "missing": GONE,
    "object": {"not": "a value"},
    "list": [1, 2],
    "NaN": nan,
    "infinity": inf,
    "number with 400 digits": 10**400,
}
# Values that are valid in some fields.
PARTLY_VALID: Final[Mapping[str, Any]] = {"null": None, "text": "nonsense", "true": True}

RECORDS: Final = (
    "gui_settings",
    "vehicle_state",
    "vehicle_state.media_state",
    "vehicle_state.software_update",
    "vehicle_state.speed_limit_mode",
    "climate_state",
    "charge_state",
    "drive_state",
    "vehicle_config",
)

# Documented values that mean that the car has no value.
WITHOUT_VALUE: Final[Mapping[str, str]] = {
    "charge_state.fast_charger_type": "<invalid>",  # documented: no fast charger
    "charge_state.fast_charger_brand": "<invalid>",  # likewise
    "vehicle_state.sun_roof_state": "unknown",  # documented together with a null percentage: no sunroof
}


def leaves(fields: Json, prefix: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the path and description of every documented field."""
    for name, description in fields.items():
        path = f"{prefix}{name}"
        if description["type"] == "object":
            yield from leaves(description["fields"], f"{path}.")
        else:
            yield path, description


def _documented_fields() -> Iterator[tuple[str, Json]]:
    for record, fields in documented("fields").items():
        yield from leaves(fields, "" if record == "vehicle" else f"{record}.")


DOCUMENTED: Final = dict(_documented_fields())
RESPONSES: Final[Mapping[str, Json]] = {
    "vehicle_data": documented("vehicle_data")["response"],
    "data": documented("data")["response"],
    "wake_up": documented("wake_up")["response"][0],
}


def found_in(raw: Json, path: str) -> Any:
    """Return the raw value at a path, GONE if it is missing."""
    return reduce(
        lambda holder, name: holder.get(name, GONE) if isinstance(holder, dict) else GONE,
        path.split("."),
        raw,
    )


def spoiled(raw: Json, path: str, value: Any) -> Json:
    """Return a copy of a raw record with another value at a path, or without it."""
    raw = deepcopy(raw)
    *parents, name = path.split(".")
    holder = reduce(lambda outer, parent: outer[parent], parents, raw)
    if value is GONE:
        del holder[name]
    else:
        holder[name] = value
    return raw


def both_variants() -> Json:
    """Return a raw record with every documented field: the current variant, and the legacy-only fields."""
    raw = deepcopy(RESPONSES["vehicle_data"])
    for name, inner in RESPONSES["data"].items():
        raw[name] = {**inner, **raw[name]} if isinstance(inner, dict) else raw.get(name, inner)
    return raw


WHOLE: Final = both_variants()


def values(vehicle: Vehicle) -> dict[str, Any]:
    """Return all values of a vehicle by path."""
    return {field.path: field.get(vehicle) for field in FIELDS}


def others(vehicle: Vehicle, path: str) -> dict[str, Any]:
    """Return all values except those at a path and below it."""
    return {key: value for key, value in values(vehicle).items() if not f"{key}.".startswith(f"{path}.")}


# The table


def test_every_documented_field_is_in_the_table() -> None:
    """The table has exactly the fields of the interface document."""
    assert sorted(field.path for field in FIELDS) == sorted(DOCUMENTED)


def test_class_attributes_are_fields() -> None:
    """The attributes of a record class are its fields and nested records."""
    assert ChargeState.battery_level in FIELDS
    assert Vehicle.vehicle_state.record is VehicleState
    assert VehicleState.media_state.record is MediaState


def test_repr_is_the_path() -> None:
    """The representation of a field is its path."""
    assert repr(SpeedLimitMode.active) == "<Field vehicle_state.speed_limit_mode.active>"


def test_defaults_of_a_field() -> None:
    """By default a field isn't shown, and is enabled and public."""
    field = Field(FLAG)
    assert (field.shown_as, field.enabled, field.diagnostic, field.private) == (NOT_SHOWN, True, False, False)
    assert (field.shown_if, VehicleState.odometer.shown_as) == (None, SENSOR)


# Documented responses


@pytest.mark.parametrize("response", RESPONSES)
def test_documented_values_are_valid(response: str) -> None:
    """Every documented value is valid. Null is the value that the value type defines for it."""
    vehicle = Vehicle.parse(RESPONSES[response])
    for field in FIELDS:
        raw, value = found_in(RESPONSES[response], field.path), field.get(vehicle)
        if raw is None or WITHOUT_VALUE.get(field.path) == raw:
            assert value == field.value_type.null, field.path
        elif raw is not GONE:
            assert value is not None, field.path


@pytest.mark.parametrize("response", RESPONSES)
def test_documented_numbers_and_flags_are_kept(response: str) -> None:
    """A number or boolean is not changed, unless it is an id, a time, or the code of a state."""
    vehicle = Vehicle.parse(RESPONSES[response])
    kept = [
        field
        for field in FIELDS
        if field.value_type not in {RECORD_TIMESTAMP, IDENTIFIER, TIMESTAMP, SEAT_HEATER}
        and not field.value_type.options
    ]
    for field in kept:
        if isinstance(raw := found_in(RESPONSES[response], field.path), int | float):
            assert field.get(vehicle) == raw, field.path


@pytest.mark.parametrize("response", RESPONSES)
def test_documented_texts_are_kept(response: str) -> None:
    """Text is not changed, unless it is a state."""
    vehicle = Vehicle.parse(RESPONSES[response])
    for field in FIELDS:
        raw = found_in(RESPONSES[response], field.path)
        if field.value_type is TEXT and isinstance(raw, str) and field.path not in WITHOUT_VALUE:
            assert field.get(vehicle) == raw, field.path


@pytest.mark.parametrize(
    ("field", "state"),
    [
        (Vehicle.state, "online"),
        (ChargeState.charging_state, "disconnected"),
        (ChargeState.charge_port_latch, "engaged"),
        (ChargeState.conn_charge_cable, "none"),
        (ClimateState.climate_keeper_mode, "off"),
        (VehicleState.center_display_state, "off"),
        (VehicleState.software_update.record.status, "none"),
        (Vehicle.gui_settings.record.gui_range_display, "rated"),
        (Vehicle.vehicle_config.record.third_row_seats, False),
        (DriveState.shift_state, "p"),
        (DriveState.speed, 0),
    ],
    ids=lambda value: value.path if isinstance(value, Field) else None,
)
def test_documented_state(field: Field[Any], state: Any) -> None:
    """The documented states of the current variant have the spelling of Home Assistant."""
    assert field.get(Vehicle.parse(RESPONSES["vehicle_data"])) == state


def test_documented_state_of_a_charged_car() -> None:
    """The documented states of the legacy variant have the spelling of Home Assistant."""
    charge = Vehicle.parse(RESPONSES["data"]).charge_state
    assert (charge.charging_state, charge.conn_charge_cable) == ("complete", "sae")


def test_seat_heaters_of_the_current_variant() -> None:
    """In the current variant, a seat heater has a level."""
    climate = Vehicle.parse(RESPONSES["vehicle_data"]).climate_state
    assert (climate.seat_heater_left, climate.seat_heater_right) == ("high", "low")
    assert climate.seat_heater_rear_left == "off"


def test_seat_heaters_of_the_legacy_variant() -> None:
    """In the legacy variant, a seat heater is on or off, without a level."""
    climate = Vehicle.parse(RESPONSES["data"]).climate_state
    assert (climate.seat_heater_left, climate.seat_heater_right) == ("on", "off")
    assert climate.seat_heater_rear_right_back == "off"


def test_times() -> None:
    """The timestamp in milliseconds and the GPS time in seconds are on the same day."""
    drive = Vehicle.parse(RESPONSES["vehicle_data"]).drive_state
    assert drive.timestamp == datetime(2019, 4, 4, 10, 50, 0, 126_000, tzinfo=UTC)
    assert drive.gps_as_of == datetime(2019, 4, 4, 10, 49, 58, tzinfo=UTC)


def test_long_ids_keep_every_digit() -> None:
    """Ids beyond 2^53, where floats lose digits, keep every digit."""
    vehicle = Vehicle.parse(RESPONSES["vehicle_data"])
    assert (vehicle.id, vehicle.vehicle_id) == ("40282937463829107", "1492931365719407")


@pytest.mark.parametrize(
    ("raw", "path_id"),
    [
        ({"id": 40282937463829107, "id_s": "40282937463829107"}, "40282937463829107"),
        ({"id": 4.0282937463829104e16, "id_s": "40282937463829107"}, "40282937463829107"),
        ({"id": 40282937463829107, "id_s": ""}, "40282937463829107"),
        ({}, None),
    ],
    ids=["both", "id lost digits", "no id_s", "none"],
)
def test_path_id(raw: Json, path_id: str | None) -> None:
    """The id in request paths is the text id, or the numeric id without a text id."""
    assert Vehicle.parse(raw).path_id == path_id


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ({"display_name": "Old", "vehicle_state": {"vehicle_name": "New"}}, "New"),
        ({"display_name": "Old", "vehicle_state": {"vehicle_name": ""}}, "Old"),
        ({}, None),
    ],
    ids=["both", "account only", "none"],
)
def test_name(raw: Json, name: str | None) -> None:
    """The name that the car reports has precedence over the account's."""
    assert Vehicle.parse(raw).name == name


# Invalid values


def test_both_variants_have_every_field() -> None:
    """The two documented variants together have a value or null for every field."""
    assert not [field for field in FIELDS if found_in(WHOLE, field.path) is GONE]


@EACH_FIELD
def test_invalid_field_affects_no_other_field(field: Field[Any]) -> None:
    """A field that is missing or invalid doesn't change any other field."""
    before = others(Vehicle.parse(WHOLE), field.path)
    for kind, value in {**INVALID, **PARTLY_VALID}.items():
        assert others(Vehicle.parse(spoiled(WHOLE, field.path, value)), field.path) == before, kind


@pytest.mark.parametrize("kind", INVALID)
def test_invalid_value_is_unknown(kind: str) -> None:
    """A field that is missing or of a wrong type is unknown, unless it accepts anything."""
    read = {field: field.get(Vehicle.parse(spoiled(WHOLE, field.path, INVALID[kind]))) for field in FIELDS}
    assert {field.value_type for field, value in read.items() if value is not None} <= {ANYTHING}


def test_null() -> None:
    """Null is unknown, except for the gear and speed of a parked car."""
    read = {field.path: field.get(Vehicle.parse(spoiled(WHOLE, field.path, None))) for field in FIELDS}
    known = {path: value for path, value in read.items() if value is not None}
    assert known == {"drive_state.shift_state": "p", "drive_state.speed": 0}


def test_true_is_not_a_number() -> None:
    """True is not a valid number, except for doors and seats, which are booleans in older services."""
    numbers = [field for field in FIELDS if DOCUMENTED[field.path]["type"] in ("number", "integer")]
    read = {field: field.get(Vehicle.parse(spoiled(WHOLE, field.path, value=True))) for field in numbers}
    known = {field for field, value in read.items() if value is not None}
    assert {field.name for field in known if field.value_type is not SEAT_HEATER} == {
        *("df", "dr", "pf", "pr", "ft", "rt"),
        "native_location_supported",
    }


@pytest.mark.parametrize("path", RECORDS)
@pytest.mark.parametrize("value", [GONE, None, [], "text"], ids=["missing", "null", "list", "text"])
def test_invalid_record_affects_no_other_record(path: str, value: Any) -> None:
    """All fields of a missing or invalid record are unknown. All other fields keep their values."""
    before, vehicle = Vehicle.parse(WHOLE), Vehicle.parse(spoiled(WHOLE, path, value))
    assert others(vehicle, path) == others(before, path)
    assert not [
        field for field in FIELDS if field.path.startswith(f"{path}.") and field.get(vehicle) is not None
    ]


@pytest.mark.parametrize("raw", [None, [], "text", 7, True, {}], ids=repr)
def test_empty_vehicle(raw: Any) -> None:
    """All fields of an empty or invalid vehicle are unknown."""
    assert not [field for field in FIELDS if field.get(Vehicle.parse(raw)) is not None]


_NAMES: Final = sorted({name for field in FIELDS for name in field.path.split(".")})
_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=3), inner, max_size=12)
    ),
    max_leaves=40,
)


# The test plugin hides objects from the garbage collector, so Hypothesis reports its own generator as lost.
@pytest.mark.filterwarnings("ignore:It looks like `register_random`")
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(raw=_JSON)
def test_parsing_never_raises(raw: Any) -> None:
    """Any JSON can be parsed, and every field of the record can be read."""
    assert len(values(Vehicle.parse(raw))) == len(FIELDS)


@pytest.mark.parametrize(
    "raw",
    [0, 1.5, "", "text", [], {}, None, True, nan, 10**5000],
    ids=lambda raw: repr(raw)[:9] if raw != 10**5000 else "huge",
)
def test_same_value_in_every_field(raw: Any) -> None:
    """A record with the same value in every field can be parsed."""
    record: Json = {}
    for field in FIELDS:
        *parents, name = field.path.split(".")
        reduce(lambda holder, parent: holder.setdefault(parent, {}), parents, record)[name] = raw
    assert len(values(Vehicle.parse(record))) == len(FIELDS)


# Changes


def test_with_fields_changes_present_fields() -> None:
    """A partial record changes the fields that it has, also to null, and keeps the others."""
    before = Vehicle.parse(WHOLE)
    after = before.with_fields({"state": "asleep", "in_service": None})
    assert (after.state, after.in_service) == ("asleep", None)
    assert (after.vin, before.state) == (before.vin, "online")


def test_with_fields_keeps_nested_records() -> None:
    """A partial record doesn't change nested records."""
    before = Vehicle.parse(WHOLE)
    after = before.with_fields({"state": "asleep", "charge_state": {"battery_level": 1}})
    assert after.charge_state is before.charge_state


def test_reparse_drops_missing_fields() -> None:
    """A field that a full record doesn't contain becomes unknown."""
    raw = {"charge_state": {"battery_level": 1}}
    assert values(Vehicle.parse(WHOLE).reparse(raw)) == values(Vehicle.parse(raw))


@EACH_FIELD
def test_with_value_changes_one_field(field: Field[Any]) -> None:
    """A new value changes only this field, and only in the copy."""
    before = Vehicle.parse(WHOLE)
    untouched = values(before)
    after = before.with_value(field, "another")
    assert field.get(after) == "another"
    assert others(after, field.path) == others(before, field.path)
    assert values(before) == untouched


def test_with_value_of_a_nested_record() -> None:
    """A nested record can be changed by the same field, although its path starts at the vehicle."""
    body = Vehicle.parse(WHOLE).vehicle_state
    assert body.with_value(VehicleState.locked, value=False).locked is False
    assert body.with_value(SpeedLimitMode.active, value=True).speed_limit_mode.active is True


@EACH_FIELD
def test_reparse_replaces_an_expected_value(field: Field[Any]) -> None:
    """The next response replaces the expected value of a command, even if it repeats the last response."""
    before = Vehicle.parse({}).reparse(WHOLE)
    after = before.with_value(field, "another").reparse(deepcopy(WHOLE))
    assert exactly(after) == exactly(before)


@EACH_FIELD
def test_reparse_drops_an_expected_value_of_a_missing_field(field: Field[Any]) -> None:
    """A response without the field also replaces the expected value of a command."""
    raw = spoiled(WHOLE, field.path, GONE)
    before = Vehicle.parse(raw)
    after = before.with_value(field, "another").reparse(deepcopy(raw))
    assert exactly(after) == exactly(before)


def test_reparse_after_with_fields() -> None:
    """The next full response replaces the fields of a partial record, even if it repeats the last one."""
    before = Vehicle.parse(WHOLE)
    partial = before.with_fields({"state": "asleep", "in_service": True, "option_codes": None})
    assert exactly(partial.reparse(deepcopy(WHOLE))) == exactly(before)


@pytest.mark.parametrize("name", [nested.name for nested in Vehicle.nested])
def test_reparse_replaces_an_earlier_record(name: str) -> None:
    """The next response replaces a nested record that was restored, even if it repeats the last response."""
    before = Vehicle.parse({})
    after = before.reparse(WHOLE)
    assert exactly(after.with_record(name, vars(before)[name]).reparse(deepcopy(WHOLE))) == exactly(after)


# Python considers some of them equal although they have different meanings. NaN isn't JSON.
_RAW_VALUES: Final = st.sampled_from(
    [GONE, None, True, 1, 1.0, "1", False, 0, 0.0, "", "text", 10**400, [], [1], [True], {}, {"1": 1}]
)
_PATHS: Final = st.sampled_from(RECORDS) | st.sampled_from([field.path for field in FIELDS])


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
@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(sequence=st.lists(_PATHS, min_size=1, max_size=2, unique=True).flatmap(_sequences))
def test_reparse_is_the_same_as_parse(sequence: list[Json]) -> None:
    """After any responses, the values are the same as after parsing only the last one."""
    vehicle = Vehicle.parse({})
    for raw in map(with_raw_values, sequence):
        vehicle = vehicle.reparse(raw)
        assert exactly(vehicle) == exactly(Vehicle.parse(raw))


def test_changed_field_is_listed() -> None:
    """The field with a changed value is listed, and no other."""
    before = Vehicle.parse(WHOLE)
    for field in FIELDS:
        assert list(before.with_value(field, "another").changed_since(before)) == [field]


def test_changes_between_two_responses() -> None:
    """The fields that changed between two responses are listed."""
    raw = spoiled(WHOLE, "charge_state.battery_level", 50)
    raw = spoiled(raw, "vehicle_state.speed_limit_mode.active", value=True)
    changed = Vehicle.parse(raw).changed_since(Vehicle.parse(WHOLE))
    assert set(changed) == {ChargeState.battery_level, SpeedLimitMode.active}


def test_repeated_response_changes_nothing() -> None:
    """No field is listed if the response repeats the last one."""
    assert not list(Vehicle.parse(WHOLE).changed_since(Vehicle.parse(WHOLE)))


# Unknown values


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log lines of the table of fields."""
    return [record.getMessage() for record in caplog.records if record.name.endswith("api.fields")]


def test_unknown_state_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """An unknown state is logged once for each value, at debug level."""

    class Charger(Record, key="charger"):
        state = Field(one_of("Charging", "Stopped"))

    for state in ("Calibrating", "Calibrating", "Charging", "Dreaming", "Calibrating"):
        Charger.parse({"state": state})
    assert lines(caplog) == [
        "charger.state has an unknown value: 'Calibrating'",
        "charger.state has an unknown value: 'Dreaming'",
    ]
    assert {record.levelno for record in caplog.records if record.name.endswith("api.fields")} == {
        logging.DEBUG
    }


def test_unknown_state_is_none() -> None:
    """An unknown state is None."""
    raw = spoiled(WHOLE, "charge_state.charging_state", "Calibrating")
    assert Vehicle.parse(raw).charge_state.charging_state is None


def test_unknown_code_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """An unknown code is logged with its number."""

    class Screen(Record, key="screen"):
        state = Field(coded("off", "on"))

    Screen.parse({"state": 12})
    assert lines(caplog) == ["screen.state has an unknown value: 12"]


@pytest.mark.parametrize("state", ["", "<invalid>"])
def test_empty_state_is_not_logged(state: str, caplog: pytest.LogCaptureFixture) -> None:
    """The service's texts for a missing value are not logged."""

    class Charger(Record, key="charger"):
        state = Field(one_of("Charging"))

    Charger.parse({"state": state})
    assert not lines(caplog)


def test_number_of_logged_states_is_limited(caplog: pytest.LogCaptureFixture) -> None:
    """A field logs at most 20 unknown states."""

    class Charger(Record, key="charger"):
        state = Field(one_of("Charging"))

    for count in range(100):
        Charger.parse({"state": f"state {count}"})
    assert len(lines(caplog)) == 20


def test_other_invalid_values_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Only unknown states are logged, because numbers and text can be private."""

    class Place(Record, key="place"):
        temperature = Field(CELSIUS)
        share = Field(PERCENT)
        name = Field(TEXT)

    Place.parse({"temperature": "home", "share": 1000, "name": 5})
    assert not lines(caplog)


def test_large_value_is_logged_in_short(caplog: pytest.LogCaptureFixture) -> None:
    """A value of any length or depth makes a short log line."""

    class Charger(Record, key="charger"):
        state = Field(one_of("Charging"))

    deep: Any = "bottom"
    for _ in range(100_000):
        deep = [deep]
    for value in ("x" * 10_000, 10**5000, list(range(10_000)), deep):
        Charger.parse({"state": value})
    assert len(lines(caplog)) == 4
    assert max(map(len, lines(caplog))) < 200
