"""What a broken field, record or answer costs: itself, until it is right again, and nothing beside it.

Every field of the table is broken in every way, one at a time, on a car that says something of everything.
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
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full, record
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
    "NaN as a text": "nan",
    "1e400 as a text": "1e400",
    "half a character": "\ud800",
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
DAMAGES: Final[Mapping[str, Any]] = {
    "missing": GONE,
    "null": None,
    "list": [1, 2],
    "text": "a text",
    "number": 7,
    "NaN": nan,
    "empty object": {},
    "object of something else": {"not": {"a": "record"}},
}
EACH_CORRUPTION: Final = pytest.mark.parametrize("what", CORRUPTIONS)
# One of each sort, for what takes its time.
EACH_SORT: Final = pytest.mark.parametrize(
    "what", ["missing", "null", "true", "text", "long text", "deep list", "object", "1e30"]
)
EACH_DAMAGE: Final = pytest.mark.parametrize("what", DAMAGES)
# The test plugin hides objects from the garbage collector, so Hypothesis thinks its own generator lost.
NO_GENERATOR_IS_LOST: Final = pytest.mark.filterwarnings("ignore:It looks like `register_random`")

# A car that charges and is warmed up, with every equipment, and with something to say in every field.
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
# What no field says: nothing was pressed, told or learned yet.
SAYS_NOTHING_YET: Final = {"last_command", "time_to_fall_asleep"}

# What a broken field may change beside what shows it.
PAGE: Final = "the device's page"
ON_THE_PAGE: Final = {
    "display_name",
    "vehicle_config.car_type",
    "vehicle_config.trim_badging",
    "vehicle_state.car_version",
    "vehicle_state.vehicle_name",
}
DECIDES_WHEN_TO_READ: Final = {
    "state",
    "in_service",
    "charge_state.charging_state",
    "drive_state.shift_state",
}
# A number that is wrong but can be is counted, or a time stays put for a while. That is not to be undone.
COUNTED: Final = {
    "charge_state.charge_energy_added",
    "charge_state.time_to_full_charge",
    "charge_state.timestamp",
}
# What is known from another field too, from before, or because the car answers at all.
KNOWN_OTHERWISE: Final = {
    "binary_sensor charge_state.conn_charge_cable",
    "binary_sensor state",
    "cover vehicle_state.sun_roof_percent_open",
    "sensor state",
}
# What can mean something in the place of a text, or of a yes or no. All else means nothing, but for a few.
TEXTS: Final = {
    "text",
    "NaN as a text",
    "1e400 as a text",
    "half a character",
    "control characters",
    "long text",
}
BOOLEANS: Final = {"true", "false"}
ONCE_BOOLEAN: Final = {
    *(f"vehicle_state.{door}" for door in ("df", "dr", "pf", "pr", "ft", "rt")),
    *(path for path in DOCUMENTED if "seat_heater_" in path),
}
UNDERSTOOD: Final[Mapping[str, set[str]]] = {
    "null": {"drive_state.shift_state", "drive_state.speed"},  # parked
    "empty text": {"drive_state.shift_state", "vehicle_state.software_update.status"},  # parked, and none
    "blank text": {"drive_state.shift_state", "vehicle_state.software_update.status"},
    "<invalid>": {"charge_state.conn_charge_cable"},  # no cable
    # What can be below zero, which no count, share or code can be
    "-1": {
        *(path for path in DOCUMENTED if path.endswith(("_temp", "_temp_setting", "_temp_direction"))),
        *(path for path in DOCUMENTED if path.endswith(("_current", "_current_request", "_request_max"))),
        *("api_version", "charge_state.charger_power", "drive_state.power"),
    },
}

# What a state of a platform can be, where neither options nor a unit tell.
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
LONGEST_STATE: Final = 255
LARGEST_ATTRIBUTES: Final = 16_384
"""Bytes beyond which Home Assistant's recorder keeps none of a state's attributes."""


# The car, and what its owner sees


def _over(below: Json, above: Json) -> Json:
    """Return both records in one; what `above` says counts."""
    return below | {
        name: _over(below.get(name, {}), value) if isinstance(value, dict) else value
        for name, value in above.items()
    }


def _saying(answer: Json, said: Mapping[str, Any]) -> Json:
    """Return an answer with other values, or none, at the paths."""
    answer = deepcopy(answer)
    for path, value in said.items():
        *parents, name = path.split(".")
        holder = reduce(lambda outer, parent: outer[parent], parents, answer)
        holder[name] = value
        if value is GONE:
            del holder[name]
    return answer


def lively(car: Car) -> Json:
    """Return an answer of a simulated car with a value in every field of both variants."""
    return _saying(_over(WHOLE, full(car, Variant.CURRENT)), LIVELY)


@pytest.fixture
def whole(simulator: Simulator) -> Json:
    """An answer of the car with a value in every field of both variants."""
    return lively(simulator.vehicles[0])


def _serve(home: Home, path: str, body: Any, method: str = "GET") -> None:
    # Written here: what is no JSON by the letter is to be sent too.
    home.simulator.faults.serve(method, f"/api/1/vehicles{path}", json.dumps(body))


def _answer(home: Home, answer: Any) -> None:
    """Let the car answer this when it is read."""
    _serve(home, f"/{home.car.id}/vehicle_data", {"response": answer})


async def _say(home: Home, answer: Any) -> None:
    """Read the car, which answers this."""
    _answer(home, answer)
    await home.poll()


async def _list(home: Home, answer: Any) -> None:
    """Ask the service, which answers this, for its cars; some seconds pass until it can be asked again."""
    _serve(home, "", {"response": answer})
    await home.entry.runtime_data.look()
    await home.advance(11, step=11)


@pytest.fixture
async def home(entity_registry_enabled_by_default: None, empty_home: Home, whole: Json) -> Home:
    """A home with a lively car, of which every entity is enabled."""
    _answer(empty_home, whole)
    await empty_home.set_up()
    await empty_home.poll()
    return empty_home


def _view(home: Home) -> View:
    """Return all that an owner sees. The car's name, which all its entities bear, stands on its page."""
    device = home.device
    states = {entity_id: home.hass.states.get(entity_id) for entity_id in home.states()}
    return {PAGE: (device.name, device.model, device.model_id, device.sw_version)} | {
        entity_id: (state.state, {**state.attributes, ATTR_FRIENDLY_NAME: None})
        for entity_id, state in states.items()
        if state is not None
    }


def _changed(before: View, now: View) -> set[str]:
    return {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}


def _plan(home: Home) -> set[str]:
    return {home.entity_id("sensor", path) for path in ("polling_mode", "next_read")}


def _about_asking(home: Home) -> set[str]:
    """Return what tells how often and when the service was asked, and whether it answered."""
    account = home.entry.entry_id
    return {
        *_plan(home),
        home.entity_id("sensor", "asleep_today"),
        home.entity_id("sensor", "requests_today", account),
        home.entity_id("binary_sensor", "service_reachable", account),
    }


def _may_change(home: Home, fields: Iterable[Field[Any]]) -> set[str]:
    """Return what may look different if the fields say something else."""
    fields = list(fields)
    paths = {field.path for field in fields}
    return {
        *(entity_id for field in fields for entity_id in home.shown_by(field)),
        *({PAGE} if paths & ON_THE_PAGE else ()),
        *(_plan(home) if paths & DECIDES_WHEN_TO_READ else ()),
        # When charging ends follows from the time too, which is new in every answer and wakes nobody.
        *(home.shown_by(ChargeState.time_to_full_charge) if ChargeState.timestamp in fields else ()),
    }


def _below(*paths: str) -> list[Field[Any]]:
    """Return the fields at the paths and in the records at the paths."""
    return [field for field in FIELDS if any(f"{field.path}.".startswith(f"{path}.") for path in paths)]


def _means_nothing(path: str, what: str) -> bool:
    """Return whether nothing can be made of a corruption in this field."""
    documented = DOCUMENTED[path]["type"]
    if path in UNDERSTOOD.get(what, ()) or (what in TEXTS and documented == "string"):
        return False
    if what == "missing":
        # An answer that leaves out what it does not say of the car itself takes nothing back.
        return "." in path
    # Of some fields, only null has ever been seen.
    return not (what in BOOLEANS and (documented in ("boolean", None) or path in ONCE_BOOLEAN))


def _showing_only(home: Home, field: Field[Any]) -> set[str]:
    """Return the entities that are unknown if the field is."""
    registry = er.async_get(home.hass)
    return {
        entity_id
        for entity_id in home.shown_by(field)
        if (entry := registry.async_get(entity_id))
        and entry.unique_id == f"{home.car.vin}-{field.path}"
        and f"{entry.domain} {field.path}" not in KNOWN_OTHERWISE
    }


# What may be seen at all


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _is_legal(state: State) -> bool:
    """Return whether the state is one that this entity can have."""
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


def _flaw(state: State | None) -> str | None:
    """Return what is wrong with a state, whatever the car has said."""
    if state is None:
        return "gone"
    if state.state == STATE_UNAVAILABLE or len(state.state) > LONGEST_STATE or not _is_legal(state):
        return f"illegal: {state.state[:300]}"
    numbers = [value for value in state.attributes.values() if isinstance(value, float)]
    if not all(map(isfinite, numbers)):
        return f"no number: {numbers}"
    size = len(json_bytes(dict(state.attributes)))
    return f"attributes of {size} bytes" if size > LARGEST_ATTRIBUTES else None


def _flaws(home: Home, among: Iterable[str] | None = None) -> dict[str, str]:
    """Return what is wrong with each of these entities, or of all."""
    found = {
        entity_id: _flaw(home.hass.states.get(entity_id))
        for entity_id in (home.states() if among is None else among)
    }
    return {entity_id: flaw for entity_id, flaw in found.items() if flaw is not None}


def _complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged as an error by anybody, and as a warning by us; forget it."""
    told = [
        f"{record.name}: {record.getMessage()[:300]}"
        for record in caplog.records
        if record.levelno >= logging.ERROR
        or (record.levelno >= logging.WARNING and record.name.startswith("custom_components"))
    ]
    told += _tracebacks(caplog)
    caplog.clear()
    return told


def _tracebacks(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what went wrong in a way that nobody had thought of, be it told as no more than a warning."""
    return [
        f"{record.name}: {record.getMessage()[:300]}"
        for record in caplog.records
        if record.exc_info and record.levelno > logging.DEBUG
    ]


def _lines(deviations: Mapping[str, Any]) -> str:
    return "\n".join(f"{where}: {str(what)[:500]}" for where, what in deviations.items())


# One field, one record


def _deviations(home: Home, before: View, may_change: set[str]) -> dict[str, Any]:
    """Return what looks different although it may not, and what nothing can look like."""
    now = _view(home)
    changed = _changed(before, now)
    return {
        **{key: f"changed to {now.get(key, 'nothing')}" for key in changed - may_change},
        # The name on the page is borne by all.
        **_flaws(home, None if PAGE in changed else changed),
    }


def _made_up(home: Home, field: Field[Any]) -> dict[str, Any]:
    """Return what is shown although the car has not said it."""
    shown = {entity_id: home.hass.states.get(entity_id) for entity_id in _showing_only(home, field)}
    return {
        entity_id: f"made up: {state.state[:300]}"
        for entity_id, state in shown.items()
        if state is not None and state.state != STATE_UNKNOWN
    }


def _out_of_bounds(home: Home, field: Field[Any]) -> dict[str, Any]:
    """Return the numbers that are outside of what their sliders offer, but the one that is broken itself."""
    return {
        state.entity_id: f"{state.state} is out of bounds"
        for state in home.hass.states.async_all("number")
        if state.state != STATE_UNKNOWN
        and state.entity_id not in _showing_only(home, field)
        and not state.attributes["min"] <= float(state.state) <= state.attributes["max"]
    }


def _stayed(before: View, after: View, but: set[str] | None = None) -> dict[str, Any]:
    """Return what is not what it was although all is right again."""
    return {key: f"stayed {after.get(key, 'gone')}" for key in _changed(before, after) - (but or set())}


async def test_car_says_something_of_everything(home: Home, whole: Json) -> None:
    """Before anything is broken, everything that a field can say is known, so that it can be lost."""
    registry = er.async_get(home.hass)
    unknown = {
        entry.unique_id.partition("-")[2]
        for entity_id, state in home.states().items()
        if state == STATE_UNKNOWN and (entry := registry.async_get(entity_id)) and entry.domain != "button"
    }
    assert unknown == SAYS_NOTHING_YET
    assert not _flaws(home)
    assert not [field for field in FIELDS if found_in(whole, field.path) in (GONE, None)]


@EACH_CORRUPTION
async def test_bad_field(what: str, home: Home, whole: Json, caplog: pytest.LogCaptureFixture) -> None:
    """A field that is broken takes nothing along that does not show it, and is back when it is right."""
    before, deviations = _view(home), dict[str, Any]()
    for field in FIELDS:
        await _say(home, _saying(whole, {field.path: CORRUPTIONS[what]}))
        found = _deviations(home, before, _may_change(home, [field])) | _out_of_bounds(home, field)
        if _means_nothing(field.path, what):
            found |= _made_up(home, field)
        if found:
            deviations[field.path] = found
    await _say(home, whole)
    deviations |= _stayed(before, _view(home))
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.path)
def test_bad_field_of_a_reading(field: Field[Any]) -> None:
    """A field that is broken in what the car says now leaves every other what it was before."""
    before, deviations = Vehicle.parse(WHOLE), {}
    for what, value in CORRUPTIONS.items():
        after = before.renewed(_saying(WHOLE, {field.path: value}))
        if others := set(after.changed_since(before)) - {field}:
            deviations[what] = others
    assert not deviations, _lines(deviations)


@EACH_DAMAGE
async def test_bad_record(what: str, home: Home, whole: Json, caplog: pytest.LogCaptureFixture) -> None:
    """A record that is broken takes nothing along that does not show it, and is back when it is right."""
    before, deviations = _view(home), dict[str, Any]()
    for path in RECORDS:
        await _say(home, _saying(whole, {path: DAMAGES[what]}))
        fields = _below(path)
        found = _deviations(home, before, _may_change(home, fields))
        for field in fields:
            found |= _made_up(home, field)
        await _say(home, whole)
        found |= _stayed(before, _view(home))
        if found:
            deviations[path] = found
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


def _all_broken(whole: Json, what: str) -> Json:
    return _saying(whole, {field.path: CORRUPTIONS[what] for field in FIELDS})


@EACH_SORT
async def test_everything_bad(
    hass_storage: dict[str, Any], what: str, home: Home, whole: Json, caplog: pytest.LogCaptureFixture
) -> None:
    """What is remembered of a car that said nothing right hinders no start, nor does it hinder a download."""
    before = _view(home)
    await _say(home, _all_broken(whole, what))
    assert not _flaws(home)
    assert json.dumps(await async_get_config_entry_diagnostics(home.hass, home.entry))
    home.car.fall_asleep()
    await home.restart()
    assert set(_view(home)) == set(before)
    home.car.wake()
    await home.advance(60, step=60)
    await _say(home, whole)
    deviations = _stayed(before, _view(home), _about_asking(home))
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


@EACH_SORT
async def test_set_up_with_everything_bad(
    what: str,
    entity_registry_enabled_by_default: None,
    empty_home: Home,
    whole: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A car that says nothing right at first has all its entities as soon as it does."""
    home = empty_home
    _answer(home, _all_broken(whole, what))
    await home.set_up()
    assert not _flaws(home)
    await _say(home, whole)
    shown = _view(home)
    await home.restart()
    await _say(home, whole)
    deviations = _stayed(shown, _view(home), _about_asking(home))
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


# The whole answer

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
BROKEN: Final = st.dictionaries(st.sampled_from(_PATHS), JSON | st.just(GONE), min_size=1, max_size=12)
UNHEARD_OF: Final = st.dictionaries(
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
# Of the envelope, what is told of any answer.
_ENVELOPE: Final = st.sampled_from(["response", "error", "error_description", "reason", "result"])
ENVELOPES: Final = JSON | st.dictionaries(_ENVELOPE, JSON, min_size=1)
RESULTS: Final = st.fixed_dictionaries({"result": st.booleans() | JSON, "reason": JSON})
through_the_home = partial(
    settings,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _broken(whole: Json, broken: Mapping[str, Any], unheard_of: Mapping[str, Json]) -> Json:
    """Return an answer with fields that nobody knows, and with other values, or none, at the paths."""
    more = {
        f"{path}.{name}".lstrip("."): value
        for path, names in unheard_of.items()
        for name, value in names.items()
    }
    # The innermost first: in a record that is no more, nothing can be broken.
    order = sorted(broken, key=lambda path: -path.count("."))
    return _saying(whole, more | {path: broken[path] for path in order})


async def _healthy(home: Home, whole: Json, caplog: pytest.LogCaptureFixture) -> View:
    """Return what is seen of a car that is well, whatever the example before has left."""
    await _say(home, whole)
    caplog.clear()
    return _view(home)


@NO_GENERATOR_IS_LOST
@through_the_home(max_examples=200)
@given(broken=BROKEN, unheard_of=UNHEARD_OF)
async def test_any_fields(
    broken: Mapping[str, Any],
    unheard_of: Mapping[str, Json],
    home: Home,
    whole: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever stands in whichever fields and records, the others say what they said, and all comes back."""
    before, fields = await _healthy(home, whole, caplog), _below(*broken)
    await _say(home, _broken(whole, broken, unheard_of))
    deviations = _deviations(home, before, _may_change(home, fields))
    await _say(home, whole)
    counted = [field for field in fields if field.path in COUNTED]
    deviations |= _stayed(before, _view(home), _may_change(home, counted))
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


@NO_GENERATOR_IS_LOST
@through_the_home(max_examples=800)
@given(broken=BROKEN, unheard_of=UNHEARD_OF)
def test_any_fields_of_a_record(broken: Mapping[str, Any], unheard_of: Mapping[str, Json]) -> None:
    """Whatever stands in whichever fields and records, the others mean what they meant."""
    before, lost = values(Vehicle.parse(WHOLE)), {field.path for field in _below(*broken)}
    answer = _broken(WHOLE, broken, unheard_of)
    for vehicle in (Vehicle.parse(answer), Vehicle.parse(WHOLE).renewed(answer)):
        assert {path for path, value in values(vehicle).items() if value != before[path]} <= lost


def _is_record(body: Any) -> bool:
    """Return whether an answer is a car's record, whatever stands in it."""
    return isinstance(body, dict) and isinstance(body.get("response"), dict) and not body.get("error")


@NO_GENERATOR_IS_LOST
@through_the_home(max_examples=150)
@given(body=ENVELOPES)
async def test_any_answer(body: Any, home: Home, whole: Json, caplog: pytest.LogCaptureFixture) -> None:
    """What is no record at all leaves everything as it was; a record may say what it likes."""
    before = await _healthy(home, whole, caplog)
    _serve(home, f"/{home.car.id}/vehicle_data", body)
    await home.poll()
    may_change = _may_change(home, FIELDS) if _is_record(body) else _plan(home)
    deviations = _deviations(home, before, may_change)
    assert not (_complaints if _is_record(body) else _tracebacks)(caplog)
    await _say(home, whole)
    deviations |= _stayed(before, _view(home), _may_change(home, _below(*COUNTED)))
    assert not deviations, _lines(deviations)


# The list of cars


@pytest.fixture
def listed(simulator: Simulator) -> Json:
    """What the list says of the car."""
    return record(simulator.vehicles[0])


async def _look_twice(home: Home, listed: Json, answer: Any) -> tuple[View, View]:
    """Return what is seen after a list that is broken, and after the car was read and the list is right."""
    await _list(home, answer)
    broken = _view(home)
    await home.poll()
    await _list(home, [listed])
    return broken, _view(home)


_LISTED: Final = [field for field in Vehicle.fields if field.path not in ("user_id", "api_version")]


@pytest.mark.parametrize("field", _LISTED, ids=lambda field: field.path)
async def test_bad_field_of_the_list(
    field: Field[Any], home: Home, listed: Json, caplog: pytest.LogCaptureFixture
) -> None:
    """A field that is broken in the list takes nothing along; by its VIN or its id the car is found."""
    await _list(home, [listed])
    before, deviations, about_asking = _view(home), {}, _about_asking(home)
    for what, value in CORRUPTIONS.items():
        broken, after = await _look_twice(home, listed, [_saying(listed, {field.name: value})])
        found = _stayed(before, broken, _may_change(home, [field]) | about_asking)
        found |= _flaws(home, _changed(before, broken) - {PAGE})
        if found := found | _stayed(before, after, about_asking):
            deviations[what] = found
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


STRANGERS: Final[tuple[list[Any], ...]] = (
    [],
    [None, True, 7, "a text", [], [[]], {}],
    [{"vin": None, "id": None}, {"vin": [1], "id": {"no": 1}, "id_s": nan}, {"vehicle_id": "1" * 500}],
)
NO_LISTS: Final[tuple[Any, ...]] = (None, True, 7, nan, "a text", {}, {"vehicles": []})


async def test_list_of_something_else(home: Home, listed: Json, caplog: pytest.LogCaptureFixture) -> None:
    """A list without the car says nothing of it, and beside whatever a list names, the car is found."""
    await _list(home, [listed])
    before, deviations, about_asking = _view(home), {}, _about_asking(home)
    for answer in (*STRANGERS, *([*each, listed, *each] for each in STRANGERS)):
        for seen in await _look_twice(home, listed, answer):
            if found := _stayed(before, seen, about_asking):
                deviations[repr(answer)] = found
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


async def test_set_up_from_a_list_of_something_else(empty_home: Home, listed: Json) -> None:
    """A car can be chosen from a list, whatever stands beside it."""
    strangers = [stranger for each in STRANGERS for stranger in each]
    _serve(empty_home, "", {"response": [*strangers, listed, *strangers]})
    await empty_home.set_up()
    assert empty_home.shown("lock", "vehicle_state.locked").state == "locked"


async def test_no_list(home: Home, listed: Json, caplog: pytest.LogCaptureFixture) -> None:
    """What is no list is a failure of the service, and none of the car."""
    await _list(home, [listed])
    before, deviations, about_asking = _view(home), {}, _about_asking(home)
    for answer in NO_LISTS:
        for seen in await _look_twice(home, listed, answer):
            if found := _stayed(before, seen, about_asking):
                deviations[repr(answer)] = found
    assert not deviations, _lines(deviations)
    assert not _tracebacks(caplog)


@EACH_DAMAGE
async def test_list_with_records(
    hass_storage: dict[str, Any],
    what: str,
    home: Home,
    listed: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What a list says of a car's records is not believed: what was known is known after a restart too."""
    await _list(home, [listed])
    before, about_asking = _view(home), _about_asking(home)
    records = {path: DAMAGES[what] for path in RECORDS if "." not in path}
    asleep = listed | {"state": "asleep"}
    await _list(home, [_saying(asleep, records)])
    await home.restart()
    _serve(home, "", {"response": [asleep]})
    await home.advance(60, step=60)
    deviations = _stayed(before, _view(home), about_asking | _may_change(home, [Vehicle.state]))
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


@NO_GENERATOR_IS_LOST
@through_the_home(max_examples=100)
@given(
    entries=st.lists(JSON | st.dictionaries(_OWN_NAMES, JSON, max_size=5), max_size=3),
    broken=st.dictionaries(_OWN_NAMES, JSON | st.just(GONE), max_size=5),
)
async def test_any_list(
    entries: list[Any],
    broken: Mapping[str, Any],
    home: Home,
    listed: Json,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever stands in the list, beside the car and in its place, what the list does not know stays."""
    await _list(home, [listed])
    caplog.clear()
    before, about_asking = _view(home), _about_asking(home)
    own = {path: value for path, value in broken.items() if path in listed}
    fields = [field for field in Vehicle.fields if field.name in listed]
    seen, after = await _look_twice(home, listed, [*entries, _saying(listed, own)])
    deviations = _stayed(before, seen, about_asking | _may_change(home, fields)) | _flaws(home)
    deviations |= _stayed(before, after, about_asking)
    assert not deviations, _lines(deviations)
    assert not _complaints(caplog)


# The answer to a command


@NO_GENERATOR_IS_LOST
@through_the_home(max_examples=100)
@given(body=ENVELOPES | st.fixed_dictionaries({"response": JSON | RESULTS}))
async def test_any_answer_to_a_command(body: Any, home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever is answered to a command, it was carried out, or there is a reason why not."""
    before = _view(home)
    caplog.clear()
    _serve(home, f"/{home.car.id}/command/door_lock", body, "POST")
    (error,) = await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked"))
    assert error is None or (isinstance(error, HomeAssistantError) and str(error))
    result = home.shown("sensor", "last_command")
    assert result.state == "door_lock"
    changed = _changed(before, _view(home)) - {result.entity_id} - _about_asking(home)
    assert not changed
    assert not _flaws(home)
    assert not _complaints(caplog)
