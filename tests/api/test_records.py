"""The table of fields, compared with the interface document, and invalid records."""

from collections.abc import Mapping
from copy import deepcopy
from functools import reduce
import json
import logging
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
