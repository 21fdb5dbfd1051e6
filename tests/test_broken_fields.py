"""Test that a broken field, record, or response affects only what depends on it, until it is valid again.

The tests corrupt every field of the table in every way, one field at a time, on a car that reports a value in
every field.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import partial, reduce
import json
import logging
from math import inf, isfinite, nan
from typing import Any, Final

from homeassistant.const import ATTR_FRIENDLY_NAME, STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.json import json_bytes
from homeassistant.util import dt as dt_util
from hypothesis import HealthCheck, given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState, Vehicle
from custom_components.vehicle_remote_access.diagnostics import async_get_config_entry_diagnostics
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record, short_record
from custom_components.vehicle_remote_access.simulator.vehicle.car import Car

from .api.test_records import DOCUMENTED, GONE, RECORDS, WHOLE, found_in, values
from .conftest import Home

type Json = dict[str, Any]
type View = dict[str, Any]

DEEP: Final[list[Any]] = []
for _ in range(100):
    DEEP[:] = [list(DEEP)]

CORRUPTIONS: Final[Mapping[str, Any]] = {
    "missing": GONE,
    "null": None,
    "true": True,
    "false": False,
    "text": "a text",
    "empty text": "",
    "blank text": " \t\n",
    "<invalid>": "<invalid>",
    "NaN as text": "nan",
    "1e400 as text": "1e400",
    "lone surrogate": "\ud800",
    "control characters": "\x00\x1b[2J\u202e",
    "long text": "x" * 20_000,
    "empty list": [],
    "list": [1, 2],
    "deep list": DEEP,
    "empty object": {},
    "object": {"not": "a value"},
    "-1": -1,
    "-1e30": -1e30,
    "1e30": 1e30,
    "2^63": 2**63,
    "2^64+1": 2**64 + 1,
    "10^400": 10**400,
    "NaN": nan,
    "Infinity": inf,
    "-Infinity": -inf,
}
RECORD_CORRUPTIONS: Final[Mapping[str, Any]] = {
    "missing": GONE,
    "null": None,
    "list": [1, 2],
    "text": "a text",
    "number": 7,
    "NaN": nan,
    "empty object": {},
    "object with other fields": {"not": {"a": "record"}},
}
EACH_CORRUPTION: Final = pytest.mark.parametrize("corruption", CORRUPTIONS)
# One corruption of each type, for slow tests
EACH_CORRUPTION_TYPE: Final = pytest.mark.parametrize(
    "corruption", ["missing", "null", "true", "text", "long text", "deep list", "object", "1e30"]
)
EACH_RECORD_CORRUPTION: Final = pytest.mark.parametrize("corruption", RECORD_CORRUPTIONS)
# The test plugin hides objects from the garbage collector, so Hypothesis warns about its own generator.
IGNORE_GENERATOR_WARNING: Final = pytest.mark.filterwarnings("ignore:It looks like `register_random`")

# A lively car charges, heats, has all equipment, and reports a value in every field.
LIVELY: Final[Mapping[str, Any]] = {
    "display_name": "Name in the account",
    "color": "White",
    "backseat_token": "a token",
    "backseat_token_updated_at": 1_556_000_000,
    "charge_state.charge_energy_added": 5.5,
    "charge_state.charge_port_cold_weather_mode": False,
    "charge_state.charge_rate": 30.5,
    "charge_state.charger_actual_current": 16,
    "charge_state.charger_phases": 3,
    "charge_state.charger_power": 11,
    "charge_state.charger_voltage": 230,
    "charge_state.charging_state": "Charging",
    "charge_state.conn_charge_cable": "IEC",
    "charge_state.fast_charger_brand": "Brand",
    "charge_state.fast_charger_type": "Type",
    "charge_state.managed_charging_start_time": 1_777_950_000,
    "charge_state.scheduled_charging_start_time": 1_777_950_000,
    "charge_state.time_to_full_charge": 1.5,
    "charge_state.user_charge_enable_request": True,
    "climate_state.inside_temp": 12.5,
    "climate_state.is_climate_on": True,
    "drive_state.shift_state": "P",
    "drive_state.speed": 0,
    "vehicle_config.can_actuate_trunks": True,
    "vehicle_config.motorized_charge_port": True,
    "vehicle_config.plg": True,
    "vehicle_config.rear_seat_heaters": 3,
    "vehicle_config.sun_roof_installed": 2,
    "vehicle_config.third_row_seats": "FuturisFoldFlat",
    "vehicle_state.sun_roof_percent_open": 40,
    "vehicle_state.sun_roof_state": "open",
}
# Entities without a field. They are unknown until a command is sent or the car falls asleep.
INITIALLY_UNKNOWN: Final = {"last_command", "time_to_fall_asleep"}

# Fields that affect more than the entities that show them
DEVICE_PAGE: Final = "device page"
DEVICE_PAGE_FIELDS: Final = {
    "display_name",
    "vehicle_config.car_type",
    "vehicle_config.trim_badging",
    "vehicle_state.car_version",
    "vehicle_state.vehicle_name",
}
POLLING_FIELDS: Final = {
    "state",
    "in_service",
    "charge_state.charging_state",
    "drive_state.shift_state",
}
# Fields in which a wrong but valid value has a lasting effect: it is counted, or a time stays for a while.
LASTING_FIELDS: Final = {
    "charge_state.charge_energy_added",
    "charge_state.time_to_full_charge",
    "charge_state.timestamp",
}
# Entities whose state also follows from another field, from earlier data, or from the response itself
KNOWN_FROM_OTHER_DATA: Final = {
    "binary_sensor charge_state.conn_charge_cable",
    "binary_sensor state",
    "cover vehicle_state.sun_roof_percent_open",
    "sensor state",
}
# Corruptions that can be valid in text fields or in boolean fields. Most others are invalid everywhere.
TEXTS: Final = {
    "text",
    "NaN as text",
    "1e400 as text",
    "lone surrogate",
    "control characters",
    "long text",
}
BOOLEANS: Final = {"true", "false"}
ALSO_BOOLEAN: Final = {
    *(f"vehicle_state.{door}" for door in ("df", "dr", "pf", "pr", "ft", "rt")),
    *(path for path in DOCUMENTED if "seat_heater_" in path),
}
# Corruption → fields in which it is valid
VALID_IN: Final[Mapping[str, set[str]]] = {
    "null": {"drive_state.shift_state", "drive_state.speed"},  # parked
    "empty text": {"drive_state.shift_state", "vehicle_state.software_update.status"},  # parked, no update
    "blank text": {"drive_state.shift_state", "vehicle_state.software_update.status"},
    "<invalid>": {"charge_state.conn_charge_cable"},  # no cable
    # Fields that can be negative
    "-1": {
        *(path for path in DOCUMENTED if path.endswith(("_temp", "_temp_setting", "_temp_direction"))),
        *(path for path in DOCUMENTED if path.endswith(("_current", "_current_request", "_request_max"))),
        *("api_version", "charge_state.charger_power", "drive_state.power"),
    },
}

# Valid states of platforms whose entities have neither options nor a unit
STATES: Final[Mapping[str, set[str]]] = {
    "binary_sensor": {"on", "off"},
    "button": set(),
    "climate": {"off", "heat_cool"},
    "cover": {"open", "closed", "opening", "closing"},
    "device_tracker": {"home", "not_home"},
    "lock": {"locked", "unlocked"},
    "switch": {"on", "off"},
    "update": {"on", "off"},
}
MAX_STATE_LENGTH: Final = 255
MAX_ATTRIBUTES_SIZE: Final = 16_384
"""In bytes. Home Assistant's recorder drops the attributes of a state if they are larger."""


# The car and its entities


def _merged(base: Json, update: Json) -> Json:
    """Return both records merged. Values in `update` win."""
    return base | {
        name: _merged(base.get(name, {}), value) if isinstance(value, dict) else value
        for name, value in update.items()
    }


def _with_values(response: Json, changes: Mapping[str, Any]) -> Json:
    """Return a copy of a response with other values, or none, at the paths."""
    response = deepcopy(response)
    for path, value in changes.items():
        *parents, name = path.split(".")
        holder = reduce(lambda outer, parent: outer[parent], parents, response)
        holder[name] = value
        if value is GONE:
            del holder[name]
    return response


def lively(car: Car) -> Json:
    """Return a response of a simulated car with a value in every field of both variants."""
    return _with_values(_merged(WHOLE, full_record(car, Variant.CURRENT)), LIVELY)


@pytest.fixture
def full_response(simulator: Simulator) -> Json:
    """A response of the car with a value in every field of both variants."""
    return lively(simulator.vehicles[0])


def _serve(home: Home, path: str, body: Any, method: str = "GET") -> None:
    # Encoded here, because some tests send invalid JSON like NaN.
    home.simulator.faults.serve(method, f"/api/1/vehicles{path}", json.dumps(body))


def _set_response(home: Home, response: Any) -> None:
    """Set the response to reads of the car."""
    _serve(home, f"/{home.car.id}/vehicle_data", {"response": response})


async def _read(home: Home, response: Any) -> None:
    """Read the car, and respond with this."""
    _set_response(home, response)
    await home.poll()


async def _poll_list(home: Home, response: Any) -> None:
    """Poll the vehicle list, and respond with this. Then let time pass until the next poll is possible."""
    _serve(home, "", {"response": response})
    await home.entry.runtime_data.async_poll_now()
    await home.advance(11, step=11)


@pytest.fixture
async def home(entity_registry_enabled_by_default: None, empty_home: Home, full_response: Json) -> Home:
    """A home with a lively car and all its entities enabled."""
    _set_response(empty_home, full_response)
    await empty_home.set_up()
    await empty_home.poll()
    return empty_home


def _view(home: Home) -> View:
    """Return what a user sees, without entity names, because these contain the name of the car."""
    device = home.device
    states = {entity_id: home.hass.states.get(entity_id) for entity_id in home.states()}
    return {DEVICE_PAGE: (device.name, device.model, device.model_id, device.sw_version)} | {
        entity_id: (state.state, {**state.attributes, ATTR_FRIENDLY_NAME: None})
        for entity_id, state in states.items()
        if state is not None
    }


def _changed(before: View, now: View) -> set[str]:
    return {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}


def _polling_entities(home: Home) -> set[str]:
    return {home.entity_id("sensor", path) for path in ("polling_mode", "next_read")}


def _request_entities(home: Home) -> set[str]:
    """Return the entities about requests: when they are sent, how many, and whether they succeed."""
    account = home.entry.entry_id
    return {
        *_polling_entities(home),
        home.entity_id("sensor", "asleep_today"),
        home.entity_id("sensor", "requests_today", account),
        home.entity_id("binary_sensor", "service_reachable", account),
    }


def _may_change(home: Home, fields: Iterable[Field[Any]]) -> set[str]:
    """Return what may change if the fields change."""
    fields = list(fields)
    paths = {field.path for field in fields}
    return {
        *(entity_id for field in fields for entity_id in home.shown_by(field)),
        *({DEVICE_PAGE} if paths & DEVICE_PAGE_FIELDS else ()),
        *(_polling_entities(home) if paths & POLLING_FIELDS else ()),
        # The end of charging also depends on the timestamp, whose changes alone don't notify listeners.
        *(home.shown_by(ChargeState.time_to_full_charge) if ChargeState.timestamp in fields else ()),
    }


def _fields_at(*paths: str) -> list[Field[Any]]:
    """Return the fields at the paths, and the fields of the records at the paths."""
    return [field for field in FIELDS if any(f"{field.path}.".startswith(f"{path}.") for path in paths)]


def _is_invalid(path: str, corruption: str) -> bool:
    """Return whether a corruption is invalid in this field."""
    documented = DOCUMENTED[path]["type"]
    if path in VALID_IN.get(corruption, ()) or (corruption in TEXTS and documented == "string"):
        return False
    if corruption == "missing":
        # A field outside of all records keeps its value if a response doesn't contain it.
        return "." in path
    # Fields without a documented type have only been observed as null.
    return not (corruption in BOOLEANS and (documented in ("boolean", None) or path in ALSO_BOOLEAN))


def _dependent_entities(home: Home, field: Field[Any]) -> set[str]:
    """Return the entities that are unknown if the field is unknown."""
    registry = er.async_get(home.hass)
    return {
        entity_id
        for entity_id in home.shown_by(field)
        if (entry := registry.async_get(entity_id))
        and entry.unique_id == f"{home.car.vin}-{field.path}"
        and f"{entry.domain} {field.path}" not in KNOWN_FROM_OTHER_DATA
    }


# Valid states


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _is_valid(state: State) -> bool:
    """Return whether the state is valid for its entity."""
    attributes = state.attributes
    if state.state == STATE_UNKNOWN:
        return True
    if "options" in attributes:
        return state.state in attributes["options"]
    if attributes.get("device_class") == "timestamp" or state.domain == "button":
        return dt_util.parse_datetime(state.state) is not None
    if "unit_of_measurement" in attributes or "state_class" in attributes:
        return _is_number(state.state)
    return state.state in STATES.get(state.domain, {state.state})


def _defect(state: State | None) -> str | None:
    """Return what is invalid about a state, None if it is valid."""
    if state is None:
        return "missing"
    if state.state == STATE_UNAVAILABLE or len(state.state) > MAX_STATE_LENGTH or not _is_valid(state):
        return f"invalid: {state.state[:300]}"
    numbers = [value for value in state.attributes.values() if isinstance(value, float)]
    if not all(map(isfinite, numbers)):
        return f"not finite: {numbers}"
    size = len(json_bytes(dict(state.attributes)))
    return f"attributes of {size} bytes" if size > MAX_ATTRIBUTES_SIZE else None


def _defects(home: Home, among: Iterable[str] | None = None) -> dict[str, str]:
    """Return what is invalid about the states of these entities, by default all."""
    defects = {
        entity_id: _defect(home.hass.states.get(entity_id))
        for entity_id in (home.states() if among is None else among)
    }
    return {entity_id: defect for entity_id, defect in defects.items() if defect is not None}


def _logged_problems(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the logged errors, tracebacks, and the integration's warnings, and clear the log."""
    problems = [
        f"{record.name}: {record.getMessage()[:300]}"
        for record in caplog.records
        if record.levelno >= logging.ERROR
        or (record.levelno >= logging.WARNING and record.name.startswith("custom_components"))
    ]
    problems += _tracebacks(caplog)
    caplog.clear()
    return problems


def _tracebacks(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log records with a traceback. Expected errors are logged without one."""
    return [
        f"{record.name}: {record.getMessage()[:300]}"
        for record in caplog.records
        if record.exc_info and record.levelno > logging.DEBUG
    ]


def _lines(deviations: Mapping[str, Any]) -> str:
    return "\n".join(f"{place}: {str(problem)[:500]}" for place, problem in deviations.items())


# One field, one record


def _deviations(home: Home, before: View, may_change: set[str]) -> dict[str, Any]:
    """Return what changed although it must not, and what is invalid."""
    now = _view(home)
    changed = _changed(before, now)
    return {
        **{key: f"changed to {now.get(key, 'nothing')}" for key in changed - may_change},
        # A change of the device's name affects all entities.
        **_defects(home, None if DEVICE_PAGE in changed else changed),
    }


def _known_states(home: Home, field: Field[Any]) -> dict[str, Any]:
    """Return the states of the field's entities that are not unknown."""
    states = {entity_id: home.hass.states.get(entity_id) for entity_id in _dependent_entities(home, field)}
    return {
        entity_id: f"known: {state.state[:300]}"
        for entity_id, state in states.items()
        if state is not None and state.state != STATE_UNKNOWN
    }


def _out_of_range(home: Home, field: Field[Any]) -> dict[str, Any]:
    """Return the numbers that are outside of their range, except for the entity of the broken field."""
    return {
        state.entity_id: f"{state.state} is out of range"
        for state in home.hass.states.async_all("number")
        if state.state != STATE_UNKNOWN
        and state.entity_id not in _dependent_entities(home, field)
        and not state.attributes["min"] <= float(state.state) <= state.attributes["max"]
    }


def _differences(before: View, after: View, ignored: set[str] | None = None) -> dict[str, Any]:
    """Return the differences between two views, except for the ignored entities."""
    return {key: f"is {after.get(key, 'missing')}" for key in _changed(before, after) - (ignored or set())}


async def test_every_field_has_a_value(home: Home, full_response: Json) -> None:
    """Before any corruption, every entity of a field has a value, so that the value can be lost."""
    registry = er.async_get(home.hass)
    unknown = {
        entry.unique_id.partition("-")[2]
        for entity_id, state in home.states().items()
        if state == STATE_UNKNOWN and (entry := registry.async_get(entity_id)) and entry.domain != "button"
    }
    assert unknown == INITIALLY_UNKNOWN
    assert not _defects(home)
    assert not [field for field in FIELDS if found_in(full_response, field.path) in (GONE, None)]


@EACH_CORRUPTION
async def test_broken_field(
    corruption: str, home: Home, full_response: Json, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken field affects only what depends on it, and recovers once it is valid again."""
    before, deviations = _view(home), dict[str, Any]()
    for field in FIELDS:
        await _read(home, _with_values(full_response, {field.path: CORRUPTIONS[corruption]}))
        found = _deviations(home, before, _may_change(home, [field])) | _out_of_range(home, field)
        if _is_invalid(field.path, corruption):
            found |= _known_states(home, field)
        if found:
            deviations[field.path] = found
    await _read(home, full_response)
    deviations |= _differences(before, _view(home))
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.path)
def test_broken_field_in_new_data(field: Field[Any]) -> None:
    """A broken field in new data keeps the values of all other fields."""
    before, deviations = Vehicle.parse(WHOLE), {}
    for corruption, value in CORRUPTIONS.items():
        after = before.reparse(_with_values(WHOLE, {field.path: value}))
        if other_fields := set(after.changed_since(before)) - {field}:
            deviations[corruption] = other_fields
    assert not deviations, _lines(deviations)


@EACH_RECORD_CORRUPTION
async def test_broken_record(
    corruption: str, home: Home, full_response: Json, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken record affects only what depends on it, and recovers once it is valid again."""
    before, deviations = _view(home), dict[str, Any]()
    for path in RECORDS:
        await _read(home, _with_values(full_response, {path: RECORD_CORRUPTIONS[corruption]}))
        fields = _fields_at(path)
        found = _deviations(home, before, _may_change(home, fields))
        for field in fields:
            found |= _known_states(home, field)
        await _read(home, full_response)
        found |= _differences(before, _view(home))
        if found:
            deviations[path] = found
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


def _all_broken(full_response: Json, corruption: str) -> Json:
    return _with_values(full_response, {field.path: CORRUPTIONS[corruption] for field in FIELDS})


@EACH_CORRUPTION_TYPE
async def test_everything_broken(
    hass_storage: dict[str, Any],
    corruption: str,
    home: Home,
    full_response: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Stored data with only broken fields prevents neither diagnostics nor a restart."""
    before = _view(home)
    await _read(home, _all_broken(full_response, corruption))
    assert not _defects(home)
    assert json.dumps(await async_get_config_entry_diagnostics(home.hass, home.entry))
    home.car.fall_asleep()
    await home.restart()
    assert set(_view(home)) == set(before)
    home.car.wake()
    await home.advance(60, step=60)
    await _read(home, full_response)
    deviations = _differences(before, _view(home), _request_entities(home))
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


@EACH_CORRUPTION_TYPE
async def test_set_up_with_everything_broken(
    corruption: str,
    entity_registry_enabled_by_default: None,
    empty_home: Home,
    full_response: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A car with only broken fields at setup has all its entities once the fields are valid."""
    home = empty_home
    _set_response(home, _all_broken(full_response, corruption))
    await home.set_up()
    assert not _defects(home)
    await _read(home, full_response)
    before = _view(home)
    await home.restart()
    await _read(home, full_response)
    deviations = _differences(before, _view(home), _request_entities(home))
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


# The whole response

_PATHS: Final = sorted({field.path for field in FIELDS} | set(RECORDS))
_OWN_NAMES: Final = st.sampled_from([field.name for field in Vehicle.fields])
_NAMES: Final = sorted({name for path in _PATHS for name in path.split(".")})
_NUMBERS: Final = st.integers(-(2**70), 2**70) | st.integers(-10, 300) | st.floats() | st.just(10**400)
_VALUES: Final = [value for value in CORRUPTIONS.values() if value is not GONE]
JSON: Final = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.text() | st.sampled_from(_VALUES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=15,
)
ANY_CORRUPTIONS: Final = st.dictionaries(
    st.sampled_from(_PATHS), JSON | st.just(GONE), min_size=1, max_size=12
)
UNKNOWN_FIELDS: Final = st.dictionaries(
    st.sampled_from(["", *RECORDS]),
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs", "P"]), min_size=3).filter(
            lambda name: name not in _NAMES
        ),
        JSON,
        max_size=3,
    ),
    max_size=3,
)
# Keys of the documented responses
_ENVELOPE: Final = st.sampled_from(["response", "error", "error_description", "reason", "result"])
ENVELOPES: Final = JSON | st.dictionaries(_ENVELOPE, JSON, min_size=1)
RESULTS: Final = st.fixed_dictionaries({"result": st.booleans() | JSON, "reason": JSON})
hypothesis_settings = partial(
    settings,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _corrupted(
    full_response: Json, corruptions: Mapping[str, Any], unknown_fields: Mapping[str, Json]
) -> Json:
    """Return a response with unknown fields, and with other values, or none, at the paths."""
    changes = {
        f"{path}.{name}".lstrip("."): value
        for path, names in unknown_fields.items()
        for name, value in names.items()
    }
    # Innermost first, because a field can no longer be corrupted once its record is.
    order = sorted(corruptions, key=lambda path: -path.count("."))
    return _with_values(full_response, changes | {path: corruptions[path] for path in order})


async def _recover(home: Home, full_response: Json, caplog: pytest.LogCaptureFixture) -> View:
    """Return what a user sees after a valid response, and clear the log."""
    await _read(home, full_response)
    caplog.clear()
    return _view(home)


@IGNORE_GENERATOR_WARNING
@hypothesis_settings(max_examples=200)
@given(corruptions=ANY_CORRUPTIONS, unknown_fields=UNKNOWN_FIELDS)
async def test_any_fields(
    corruptions: Mapping[str, Any],
    unknown_fields: Mapping[str, Json],
    home: Home,
    full_response: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Arbitrary values in fields and records affect only what depends on them. Everything recovers."""
    before, fields = await _recover(home, full_response, caplog), _fields_at(*corruptions)
    await _read(home, _corrupted(full_response, corruptions, unknown_fields))
    deviations = _deviations(home, before, _may_change(home, fields))
    await _read(home, full_response)
    lasting = [field for field in fields if field.path in LASTING_FIELDS]
    deviations |= _differences(before, _view(home), _may_change(home, lasting))
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


@IGNORE_GENERATOR_WARNING
@hypothesis_settings(max_examples=800)
@given(corruptions=ANY_CORRUPTIONS, unknown_fields=UNKNOWN_FIELDS)
def test_any_fields_are_parsed_separately(
    corruptions: Mapping[str, Any], unknown_fields: Mapping[str, Json]
) -> None:
    """Arbitrary values in some fields and records don't change the parsed values of the others."""
    before, changed = values(Vehicle.parse(WHOLE)), {field.path for field in _fields_at(*corruptions)}
    response = _corrupted(WHOLE, corruptions, unknown_fields)
    for vehicle in (Vehicle.parse(response), Vehicle.parse(WHOLE).reparse(response)):
        assert {path for path, value in values(vehicle).items() if value != before[path]} <= changed


def _is_record(body: Any) -> bool:
    """Return whether a response contains a car's record."""
    return isinstance(body, dict) and isinstance(body.get("response"), dict) and not body.get("error")


@IGNORE_GENERATOR_WARNING
@hypothesis_settings(max_examples=150)
@given(body=ENVELOPES)
async def test_any_response(
    body: Any, home: Home, full_response: Json, caplog: pytest.LogCaptureFixture
) -> None:
    """A response without a record changes nothing. A response with a record can change its fields."""
    before = await _recover(home, full_response, caplog)
    _serve(home, f"/{home.car.id}/vehicle_data", body)
    await home.poll()
    may_change = _may_change(home, FIELDS) if _is_record(body) else _polling_entities(home)
    deviations = _deviations(home, before, may_change)
    assert not (_logged_problems if _is_record(body) else _tracebacks)(caplog)
    await _read(home, full_response)
    deviations |= _differences(before, _view(home), _may_change(home, _fields_at(*LASTING_FIELDS)))
    assert not deviations, _lines(deviations)


# The vehicle list


@pytest.fixture
def list_record(simulator: Simulator) -> Json:
    """The car's record in the vehicle list."""
    return short_record(simulator.vehicles[0])


async def _poll_broken_list(home: Home, list_record: Json, response: Any) -> tuple[View, View]:
    """Return the views after a broken list, and after a read and a valid list."""
    await _poll_list(home, response)
    broken = _view(home)
    await home.poll()
    await _poll_list(home, [list_record])
    return broken, _view(home)


_LISTED_FIELDS: Final = [field for field in Vehicle.fields if field.path not in ("user_id", "api_version")]


@pytest.mark.parametrize("field", _LISTED_FIELDS, ids=lambda field: field.path)
async def test_broken_field_in_list(
    field: Field[Any], home: Home, list_record: Json, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken field in the list affects only itself. The car is differences by its VIN or its ID."""
    await _poll_list(home, [list_record])
    before, deviations, request_entities = _view(home), {}, _request_entities(home)
    for corruption, value in CORRUPTIONS.items():
        broken, after = await _poll_broken_list(
            home, list_record, [_with_values(list_record, {field.name: value})]
        )
        differences = _differences(before, broken, _may_change(home, [field]) | request_entities)
        differences |= _defects(home, _changed(before, broken) - {DEVICE_PAGE})
        if differences := differences | _differences(before, after, request_entities):
            deviations[corruption] = differences
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


OTHER_RECORDS: Final[tuple[list[Any], ...]] = (
    [],
    [None, True, 7, "a text", [], [[]], {}],
    [{"vin": None, "id": None}, {"vin": [1], "id": {"no": 1}, "id_s": nan}, {"vehicle_id": "1" * 500}],
)
NOT_LISTS: Final[tuple[Any, ...]] = (None, True, 7, nan, "a text", {}, {"vehicles": []})


async def test_list_with_other_entries(
    home: Home, list_record: Json, caplog: pytest.LogCaptureFixture
) -> None:
    """A list without the car changes nothing, and other entries don't hide the car."""
    await _poll_list(home, [list_record])
    before, deviations, request_entities = _view(home), {}, _request_entities(home)
    for response in (*OTHER_RECORDS, *([*records, list_record, *records] for records in OTHER_RECORDS)):
        for view in await _poll_broken_list(home, list_record, response):
            if differences := _differences(before, view, request_entities):
                deviations[repr(response)] = differences
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


async def test_set_up_from_list_with_other_entries(empty_home: Home, list_record: Json) -> None:
    """A car can be selected from a list with other entries."""
    others = [record for records in OTHER_RECORDS for record in records]
    _serve(empty_home, "", {"response": [*others, list_record, *others]})
    await empty_home.set_up()
    assert empty_home.shown("lock", "vehicle_state.locked").state == "locked"


async def test_response_without_list(home: Home, list_record: Json, caplog: pytest.LogCaptureFixture) -> None:
    """A response without a list is a failure of the service, and doesn't change the car."""
    await _poll_list(home, [list_record])
    before, deviations, request_entities = _view(home), {}, _request_entities(home)
    for response in NOT_LISTS:
        for view in await _poll_broken_list(home, list_record, response):
            if differences := _differences(before, view, request_entities):
                deviations[repr(response)] = differences
    assert not deviations, _lines(deviations)
    assert not _tracebacks(caplog)


@EACH_RECORD_CORRUPTION
async def test_list_with_records(
    hass_storage: dict[str, Any],
    corruption: str,
    home: Home,
    list_record: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Records of a car in the list are ignored. The known values are still known after a restart."""
    await _poll_list(home, [list_record])
    before, request_entities = _view(home), _request_entities(home)
    records = {path: RECORD_CORRUPTIONS[corruption] for path in RECORDS if "." not in path}
    asleep = list_record | {"state": "asleep"}
    await _poll_list(home, [_with_values(asleep, records)])
    await home.restart()
    _serve(home, "", {"response": [asleep]})
    await home.advance(60, step=60)
    deviations = _differences(before, _view(home), request_entities | _may_change(home, [Vehicle.state]))
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


@IGNORE_GENERATOR_WARNING
@hypothesis_settings(max_examples=100)
@given(
    entries=st.lists(JSON | st.dictionaries(_OWN_NAMES, JSON, max_size=5), max_size=3),
    corruptions=st.dictionaries(_OWN_NAMES, JSON | st.just(GONE), max_size=5),
)
async def test_any_list(
    entries: list[Any],
    corruptions: Mapping[str, Any],
    home: Home,
    list_record: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Arbitrary values in the list don't change the fields that the list doesn't contain."""
    await _poll_list(home, [list_record])
    caplog.clear()
    before, request_entities = _view(home), _request_entities(home)
    own = {path: value for path, value in corruptions.items() if path in list_record}
    fields = [field for field in Vehicle.fields if field.name in list_record]
    broken, after = await _poll_broken_list(home, list_record, [*entries, _with_values(list_record, own)])
    deviations = _differences(before, broken, request_entities | _may_change(home, fields)) | _defects(home)
    deviations |= _differences(before, after, request_entities)
    assert not deviations, _lines(deviations)
    assert not _logged_problems(caplog)


# The response to a command


@IGNORE_GENERATOR_WARNING
@hypothesis_settings(max_examples=100)
@given(body=ENVELOPES | st.fixed_dictionaries({"response": JSON | RESULTS}))
async def test_any_response_to_command(body: Any, home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """With any response, a command either succeeds, or raises an error with a message."""
    before = _view(home)
    caplog.clear()
    _serve(home, f"/{home.car.id}/command/door_lock", body, "POST")
    (error,) = await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked"))
    assert error is None or (isinstance(error, HomeAssistantError) and str(error))
    result = home.shown("sensor", "last_command")
    assert result.state == "door_lock"
    changed = _changed(before, _view(home)) - {result.entity_id} - _request_entities(home)
    assert not changed
    assert not _defects(home)
    assert not _logged_problems(caplog)
