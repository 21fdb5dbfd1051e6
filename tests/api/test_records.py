"""The table of fields, held against the interface document, and what becomes of a record that is wrong."""

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

from custom_components.vehicle_remote_access.api.fields import NOWHERE, SENSOR, Field, Record
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
    CLOCK,
    FLAG,
    IDENTIFIER,
    MOMENT,
    PERCENT,
    SEAT_HEAT,
    TEXT,
    coded,
    one_of,
)

from .conftest import documented

type Json = dict[str, Any]

EACH_FIELD: Final = pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.path)
GONE: Final = object()
"""Stands for what is not there at all."""

# What a field may be instead of what it should be; no field but a field of anything means something by these.
NONSENSE: Final[Mapping[str, Any]] = {
    "missing": GONE,
    "object": {"not": "a value"},
    "list": [1, 2],
    "NaN": nan,
    "infinity": inf,
    "a number of 400 digits": 10**400,
}
# And what some field may understand.
SURPRISES: Final[Mapping[str, Any]] = {"null": None, "text": "nonsense", "true": True}

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

# Documented values by which the car says that it has nothing to say.
SAYS_NOTHING: Final[Mapping[str, str]] = {
    "charge_state.fast_charger_type": "<invalid>",  # documented: there is no fast charger
    "charge_state.fast_charger_brand": "<invalid>",  # likewise
    "vehicle_state.sun_roof_state": "unknown",  # documented beside a percentage of null: no roof to speak of
}


def leaves(fields: Json, above: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the path of every documented field, and what is said of it."""
    for name, said in fields.items():
        path = f"{above}{name}"
        if said["type"] == "object":
            yield from leaves(said["fields"], f"{path}.")
        else:
            yield path, said


def _documented_fields() -> Iterator[tuple[str, Json]]:
    for record, fields in documented("fields").items():
        yield from leaves(fields, "" if record == "vehicle" else f"{record}.")


DOCUMENTED: Final = dict(_documented_fields())
ANSWERS: Final[Mapping[str, Json]] = {
    "vehicle_data": documented("vehicle_data")["response"],
    "data": documented("data")["response"],
    "wake_up": documented("wake_up")["response"][0],
}


def found_in(raw: Json, path: str) -> Any:
    """Return what stands at a path, GONE if it is not there."""
    return reduce(
        lambda holder, name: holder.get(name, GONE) if isinstance(holder, dict) else GONE,
        path.split("."),
        raw,
    )


def spoiled(raw: Json, path: str, value: Any) -> Json:
    """Return a record with another value, or none, at a path."""
    raw = deepcopy(raw)
    *parents, name = path.split(".")
    holder = reduce(lambda outer, parent: outer[parent], parents, raw)
    if value is GONE:
        del holder[name]
    else:
        holder[name] = value
    return raw


def both_variants() -> Json:
    """Return a record with every documented field: the current variant, and what only the legacy has."""
    raw = deepcopy(ANSWERS["vehicle_data"])
    for name, inner in ANSWERS["data"].items():
        raw[name] = {**inner, **raw[name]} if isinstance(inner, dict) else raw.get(name, inner)
    return raw


WHOLE: Final = both_variants()


def values(vehicle: Vehicle) -> dict[str, Any]:
    """Return every value of a vehicle by its path."""
    return {field.path: field.of(vehicle) for field in FIELDS}


def others(vehicle: Vehicle, path: str) -> dict[str, Any]:
    """Return every value but those at a path and below it."""
    return {key: value for key, value in values(vehicle).items() if not f"{key}.".startswith(f"{path}.")}


# The table


def test_every_documented_field_is_in_the_table() -> None:
    """The table has every field of the interface document at its path, and no other."""
    assert sorted(field.path for field in FIELDS) == sorted(DOCUMENTED)


def test_field_on_its_class_is_the_line_of_the_table() -> None:
    """A record class holds the fields themselves, and the places of its inner records."""
    assert ChargeState.battery_level in FIELDS
    assert Vehicle.vehicle_state.record is VehicleState
    assert VehicleState.media_state.record is MediaState


def test_field_is_named_by_its_path() -> None:
    """A failed test or an error says which field it is about."""
    assert repr(SpeedLimitMode.active) == "<Field vehicle_state.speed_limit_mode.active>"


def test_field_is_shown_nowhere_unless_it_says_so() -> None:
    """A line without a place is used by something else, and is enabled and public like any other."""
    field = Field(FLAG)
    assert (field.place, field.enabled, field.diagnostic, field.private) == (NOWHERE, True, False, False)
    assert (field.shown_if, VehicleState.odometer.place) == (None, SENSOR)


# The documented answers


@pytest.mark.parametrize("answer", ANSWERS)
def test_documented_values_are_understood(answer: str) -> None:
    """A documented value means something, and null what the kind says that null means."""
    vehicle = Vehicle.parse(ANSWERS[answer])
    for field in FIELDS:
        value, meaning = found_in(ANSWERS[answer], field.path), field.of(vehicle)
        if value is None or SAYS_NOTHING.get(field.path) == value:
            assert meaning == field.kind.null, field.path
        elif value is not GONE:
            assert meaning is not None, field.path


@pytest.mark.parametrize("answer", ANSWERS)
def test_documented_numbers_and_flags_are_kept(answer: str) -> None:
    """A number or a boolean means itself, unless it is an id, a time, or the code of a state."""
    vehicle = Vehicle.parse(ANSWERS[answer])
    kept = [
        field
        for field in FIELDS
        if field.kind not in {CLOCK, IDENTIFIER, MOMENT, SEAT_HEAT} and not field.kind.options
    ]
    for field in kept:
        if isinstance(value := found_in(ANSWERS[answer], field.path), int | float):
            assert field.of(vehicle) == value, field.path


@pytest.mark.parametrize("answer", ANSWERS)
def test_documented_texts_are_kept(answer: str) -> None:
    """A text that is not one of a few states means itself."""
    vehicle = Vehicle.parse(ANSWERS[answer])
    for field in FIELDS:
        value = found_in(ANSWERS[answer], field.path)
        if field.kind is TEXT and isinstance(value, str) and field.path not in SAYS_NOTHING:
            assert field.of(vehicle) == value, field.path


@pytest.mark.parametrize(
    ("field", "meaning"),
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
def test_documented_state(field: Field[Any], meaning: Any) -> None:
    """Of the documented current variant, the states that are spelt otherwise in Home Assistant."""
    assert field.of(Vehicle.parse(ANSWERS["vehicle_data"])) == meaning


def test_state_of_a_charged_car() -> None:
    """Of the documented legacy variant, the states that the current one does not show."""
    charge = Vehicle.parse(ANSWERS["data"]).charge_state
    assert (charge.charging_state, charge.conn_charge_cable) == ("complete", "sae")


def test_seat_heaters_of_the_current_variant() -> None:
    """An integer is a level."""
    climate = Vehicle.parse(ANSWERS["vehicle_data"]).climate_state
    assert (climate.seat_heater_left, climate.seat_heater_right) == ("high", "low")
    assert climate.seat_heater_rear_left == "off"


def test_seat_heaters_of_the_legacy_variant() -> None:
    """A boolean is on or off, and a level is not made up."""
    climate = Vehicle.parse(ANSWERS["data"]).climate_state
    assert (climate.seat_heater_left, climate.seat_heater_right) == ("on", "off")
    assert climate.seat_heater_rear_right_back == "off"


def test_times() -> None:
    """A timestamp in milliseconds and a fix of the place in seconds are of the same day."""
    drive = Vehicle.parse(ANSWERS["vehicle_data"]).drive_state
    assert drive.timestamp == datetime(2019, 4, 4, 10, 50, 0, 126_000, tzinfo=UTC)
    assert drive.gps_as_of == datetime(2019, 4, 4, 10, 49, 58, tzinfo=UTC)


def test_long_ids_keep_every_digit() -> None:
    """Ids beyond 2^53, where floats begin to lose digits, are read exactly."""
    vehicle = Vehicle.parse(ANSWERS["vehicle_data"])
    assert (vehicle.id, vehicle.vehicle_id) == ("40282937463829107", "1492931365719407")


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        ({"id": 40282937463829107, "id_s": "40282937463829107"}, "40282937463829107"),
        ({"id": 4.0282937463829104e16, "id_s": "40282937463829107"}, "40282937463829107"),
        ({"id": 40282937463829107, "id_s": ""}, "40282937463829107"),
        ({}, None),
    ],
    ids=["both", "id lost digits", "no id_s", "none"],
)
def test_number(raw: Json, number: str | None) -> None:
    """The id in paths is the text form, which loses no digits, or else the number."""
    assert Vehicle.parse(raw).number == number


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
    """The car's own word for its name comes before the account's."""
    assert Vehicle.parse(raw).name == name


# What is wrong


def test_every_field_is_there_to_be_spoiled() -> None:
    """The two documented variants together have a value or null for every field."""
    assert not [field for field in FIELDS if found_in(WHOLE, field.path) is GONE]


@EACH_FIELD
def test_wrong_field_costs_only_itself(field: Field[Any]) -> None:
    """A field that is missing or whatever else leaves every other field what it was."""
    before = others(Vehicle.parse(WHOLE), field.path)
    for what, value in {**NONSENSE, **SURPRISES}.items():
        assert others(Vehicle.parse(spoiled(WHOLE, field.path, value)), field.path) == before, what


@pytest.mark.parametrize("what", NONSENSE)
def test_nonsense_means_nothing(what: str) -> None:
    """A field that is missing or of an impossible type means nothing, unless it may be anything."""
    read = {field: field.of(Vehicle.parse(spoiled(WHOLE, field.path, NONSENSE[what]))) for field in FIELDS}
    assert {field.kind for field, meaning in read.items() if meaning is not None} <= {ANYTHING}


def test_null() -> None:
    """Null means nothing, except that a parked car says it for its gear and its speed."""
    read = {field.path: field.of(Vehicle.parse(spoiled(WHOLE, field.path, None))) for field in FIELDS}
    understood = {path: meaning for path, meaning in read.items() if meaning is not None}
    assert understood == {"drive_state.shift_state": "p", "drive_state.speed": 0}


def test_true_is_no_number() -> None:
    """True in the place of a number means nothing, except for doors and seats, which once were booleans."""
    numbers = [field for field in FIELDS if DOCUMENTED[field.path]["type"] in ("number", "integer")]
    read = {field: field.of(Vehicle.parse(spoiled(WHOLE, field.path, value=True))) for field in numbers}
    understood = {field for field, meaning in read.items() if meaning is not None}
    assert {field.name for field in understood if field.kind is not SEAT_HEAT} == {
        *("df", "dr", "pf", "pr", "ft", "rt"),
        "native_location_supported",
    }


@pytest.mark.parametrize("path", RECORDS)
@pytest.mark.parametrize("value", [GONE, None, [], "text"], ids=["missing", "null", "list", "text"])
def test_bad_record_costs_only_itself(path: str, value: Any) -> None:
    """Of a whole record that is missing or none every field means nothing, and every other what it meant."""
    before, vehicle = Vehicle.parse(WHOLE), Vehicle.parse(spoiled(WHOLE, path, value))
    assert others(vehicle, path) == others(before, path)
    assert not [
        field for field in FIELDS if field.path.startswith(f"{path}.") and field.of(vehicle) is not None
    ]


@pytest.mark.parametrize("raw", [None, [], "text", 7, True, {}], ids=repr)
def test_no_vehicle(raw: Any) -> None:
    """Something that is no record at all is a vehicle of which nothing is known."""
    assert not [field for field in FIELDS if field.of(Vehicle.parse(raw)) is not None]


_NAMES: Final = sorted({name for field in FIELDS for name in field.path.split(".")})
_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=3), inner, max_size=12)
    ),
    max_leaves=40,
)


# The test plugin hides objects from the garbage collector, so Hypothesis thinks its own generator lost.
@pytest.mark.filterwarnings("ignore:It looks like `register_random`")
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(raw=_JSON)
def test_parsing_never_raises(raw: Any) -> None:
    """Any JSON at all is read, and of what it is read as every value can be asked for."""
    assert len(values(Vehicle.parse(raw))) == len(FIELDS)


@pytest.mark.parametrize(
    "raw",
    [0, 1.5, "", "text", [], {}, None, True, nan, 10**5000],
    ids=lambda raw: repr(raw)[:9] if raw != 10**5000 else "huge",
)
def test_every_field_alike(raw: Any) -> None:
    """A record in which every field is the same thing is read."""
    record: Json = {}
    for field in FIELDS:
        *parents, name = field.path.split(".")
        reduce(lambda holder, parent: holder.setdefault(parent, {}), parents, record)[name] = raw
    assert len(values(Vehicle.parse(record))) == len(FIELDS)


# A record and the next


def test_updated_takes_what_is_there() -> None:
    """A short record changes the fields that it has, also to null, and leaves the others."""
    before = Vehicle.parse(WHOLE)
    after = before.updated({"state": "asleep", "in_service": None})
    assert (after.state, after.in_service) == ("asleep", None)
    assert (after.vin, before.state) == (before.vin, "online")


def test_updated_keeps_inner_records() -> None:
    """A short record says nothing of what is inside, whatever stands there."""
    before = Vehicle.parse(WHOLE)
    after = before.updated({"state": "asleep", "charge_state": {"battery_level": 1}})
    assert after.charge_state is before.charge_state


def test_renewed_is_what_is_read_anew() -> None:
    """A whole record is taken as it is: what it leaves out is not known any more."""
    raw = {"charge_state": {"battery_level": 1}}
    assert values(Vehicle.parse(WHOLE).renewed(raw)) == values(Vehicle.parse(raw))


@EACH_FIELD
def test_replacing_changes_one_value(field: Field[Any]) -> None:
    """Another value at a field's path is the only thing that is new, and only in the new record."""
    before = Vehicle.parse(WHOLE)
    untouched = values(before)
    after = before.replacing(field, "another")
    assert field.of(after) == "another"
    assert others(after, field.path) == others(before, field.path)
    assert values(before) == untouched


def test_replacing_within_an_inner_record() -> None:
    """An inner record is changed by the same field, whose path begins at the vehicle."""
    body = Vehicle.parse(WHOLE).vehicle_state
    assert body.replacing(VehicleState.locked, value=False).locked is False
    assert body.replacing(SpeedLimitMode.active, value=True).speed_limit_mode.active is True


@EACH_FIELD
def test_answer_counts_more_than_what_was_expected(field: Field[Any]) -> None:
    """What a command was expected to do is gone with the next answer, even if it is the same as the last."""
    before = Vehicle.parse({}).renewed(WHOLE)
    after = before.replacing(field, "another").renewed(deepcopy(WHOLE))
    assert exactly(after) == exactly(before)


@pytest.mark.parametrize("name", [line.name for line in Vehicle.nested])
def test_answer_counts_more_than_what_was_kept(name: str) -> None:
    """A record that was kept although an answer had another is gone when the answer comes again."""
    before = Vehicle.parse({})
    after = before.renewed(WHOLE)
    assert exactly(after.keeping(before, name).renewed(deepcopy(WHOLE))) == exactly(after)


# Some of them Python takes for equal, although they mean different things. NaN is none that JSON knows.
_SAID: Final = st.sampled_from(
    [GONE, None, True, 1, 1.0, "1", False, 0, 0.0, "", "text", 10**400, [], [1], [True], {}, {"1": 1}]
)
_PATHS: Final = st.sampled_from(RECORDS) | st.sampled_from([field.path for field in FIELDS])


def _sequences(paths: list[str]) -> st.SearchStrategy[list[Json]]:
    """Return what is said at the paths by some answers in a row: what is right, or anything."""
    said = {path: st.just(found_in(WHOLE, path)) | _SAID for path in paths}
    return st.lists(st.fixed_dictionaries(said), min_size=2, max_size=8)


def saying(said: Mapping[str, Any]) -> Json:
    """Return a whole answer with other values, or none, at the paths."""
    # What stands in a record before the record itself: that may be none then.
    deepest_first = sorted(said, key=lambda path: path.count("."), reverse=True)
    return reduce(lambda raw, path: spoiled(raw, path, said[path]), deepest_first, WHOLE)


def exactly(vehicle: Vehicle) -> str:
    """Return every value of a vehicle in such a way that 1, 1.0 and true differ."""
    return json.dumps(values(vehicle), default=repr, sort_keys=True)


# The test plugin hides objects from the garbage collector, so Hypothesis thinks its own generator lost.
@pytest.mark.filterwarnings("ignore:It looks like `register_random`")
@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(sequence=st.lists(_PATHS, min_size=1, max_size=2, unique=True).flatmap(_sequences))
def test_last_answer_counts(sequence: list[Json]) -> None:
    """After any answers the values are those that a fresh start with the last of them has."""
    vehicle = Vehicle.parse({})
    for raw in map(saying, sequence):
        vehicle = vehicle.renewed(raw)
        assert exactly(vehicle) == exactly(Vehicle.parse(raw))


def test_change_is_named() -> None:
    """The field whose value is new is named, and no other."""
    before = Vehicle.parse(WHOLE)
    for field in FIELDS:
        assert list(before.replacing(field, "another").changed_since(before)) == [field]


def test_changes_of_two_parses() -> None:
    """Records that were read one after the other differ in what the car says otherwise."""
    raw = spoiled(WHOLE, "charge_state.battery_level", 50)
    raw = spoiled(raw, "vehicle_state.speed_limit_mode.active", value=True)
    changed = Vehicle.parse(raw).changed_since(Vehicle.parse(WHOLE))
    assert set(changed) == {ChargeState.battery_level, SpeedLimitMode.active}


def test_same_again_is_no_change() -> None:
    """The same answer twice changes nothing."""
    assert not list(Vehicle.parse(WHOLE).changed_since(Vehicle.parse(WHOLE)))


# Values that are not known


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the table of fields said."""
    return [record.getMessage() for record in caplog.records if record.name.endswith("api.field")]


def test_unknown_value_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """A state that is not known means nothing and is told once for each word, at debug level."""

    class Charger(Record, key="charger"):
        state = Field(one_of("Charging", "Stopped"))

    for word in ("Calibrating", "Calibrating", "Charging", "Dreaming", "Calibrating"):
        Charger.parse({"state": word})
    assert lines(caplog) == [
        "charger.state has a value that is not known: 'Calibrating'",
        "charger.state has a value that is not known: 'Dreaming'",
    ]
    assert {record.levelno for record in caplog.records if record.name.endswith("api.field")} == {
        logging.DEBUG
    }


def test_unknown_value_means_nothing() -> None:
    """A state that is not known is not guessed."""
    raw = spoiled(WHOLE, "charge_state.charging_state", "Calibrating")
    assert Vehicle.parse(raw).charge_state.charging_state is None


def test_unknown_code_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """A code beyond the list is told with its number."""

    class Screen(Record, key="screen"):
        state = Field(coded("off", "on"))

    Screen.parse({"state": 12})
    assert lines(caplog) == ["screen.state has a value that is not known: 12"]


@pytest.mark.parametrize("word", ["", "<invalid>"])
def test_saying_nothing_is_not_told(word: str, caplog: pytest.LogCaptureFixture) -> None:
    """The service's own words for nothing are no news."""

    class Charger(Record, key="charger"):
        state = Field(one_of("Charging"))

    Charger.parse({"state": word})
    assert not lines(caplog)


def test_telling_has_an_end(caplog: pytest.LogCaptureFixture) -> None:
    """A field that says something new for ever does not fill the log for ever."""

    class Charger(Record, key="charger"):
        state = Field(one_of("Charging"))

    for count in range(100):
        Charger.parse({"state": f"state {count}"})
    assert len(lines(caplog)) == 20


def test_measures_are_not_told(caplog: pytest.LogCaptureFixture) -> None:
    """Where a value is and what a text says is nobody's business: only unknown states are told."""

    class Place(Record, key="place"):
        temperature = Field(CELSIUS)
        share = Field(PERCENT)
        name = Field(TEXT)

    Place.parse({"temperature": "home", "share": 1000, "name": 5})
    assert not lines(caplog)


def test_enormous_value_is_told_in_short(caplog: pytest.LogCaptureFixture) -> None:
    """A value of any length or depth makes a short line."""

    class Charger(Record, key="charger"):
        state = Field(one_of("Charging"))

    deep: Any = "bottom"
    for _ in range(100_000):
        deep = [deep]
    for enormous in ("x" * 10_000, 10**5000, list(range(10_000)), deep):
        Charger.parse({"state": enormous})
    assert len(lines(caplog)) == 4
    assert max(map(len, lines(caplog))) < 200
