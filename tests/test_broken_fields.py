"""Test that a broken field, record, or response affects only what depends on it, until it is valid again.

The tests corrupt every field of the table in every way, one field at a time, on a car that reports a value in
every field.
"""

from collections.abc import Iterable, Mapping
import json
from math import inf, isfinite, nan
from typing import Any, Final

from homeassistant.const import ATTR_FRIENDLY_NAME, STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.json import json_bytes
import pytest

from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState, Vehicle, VehicleState
from custom_components.vehicle_remote_access.diagnostics import async_get_config_entry_diagnostics
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.car_records import short_record

from .api.raw_records import GONE, RECORDS
from .conftest import Home, logged_problems
from .field_places import PLACES
from .lively_car import MODE_FIELDS, Json, lively, with_values

type View = dict[str, Any]
type Fields = list[Field[Any]]

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
    "<invalid>": "<invalid>",
    "NaN as text": "nan",
    "lone surrogate": "\ud800",
    "long text": "x" * 17_000,
    "list": [1, 2],
    "deep list": DEEP,
    "object": {"not": "a value"},
    "-1": -1,
    "1e30": 1e30,
    "10^400": 10**400,
    "NaN": nan,
    "Infinity": inf,
}


def _each(names: Iterable[str], *always: str) -> pytest.MarkDecorator:
    """Parametrize a test with corruptions, of which some run always and the others with `--all`."""
    return pytest.mark.parametrize(
        "corruption",
        [pytest.param(name, marks=() if name in always else pytest.mark.exhaustive) for name in names],
    )


# A service of the documented interface, and one that also has the other fields
EACH_SERVICE: Final = pytest.mark.parametrize("service", ["other", "tessie"])
MEDIA: Final = "vehicle_state.media_info"
# Fields that affect more than the entities that show them
DEVICE_PAGE: Final = "device page"
DEVICE_PAGE_FIELDS: Final = {path for path, places in PLACES.items() if "device" in places}
# Entities whose state also follows from another field, from earlier data, or from the response itself
KNOWN_FROM_OTHER_DATA: Final = {
    "binary_sensor charge_state.conn_charge_cable",
    "binary_sensor state",
    "cover vehicle_state.sun_roof_percent_open",
    "sensor state",
}
# Corruptions that are invalid in every field
INVALID: Final = {"missing", "list", "deep list", "object", "1e30", "10^400", "NaN", "Infinity"}
MAX_ATTRIBUTES_SIZE: Final = 16_384
"""In bytes. Home Assistant's recorder drops the attributes of a state if they are larger."""


# The car and its entities


_ONLY_STREAMED: Final = {VehicleState.guest_mode_enabled, VehicleState.tonneau_position}


@pytest.fixture
def full_response(simulator: Simulator) -> Json:
    """A response of the car with a value in every field of both variants, and of the service."""
    return lively(simulator.vehicles[0])


@pytest.fixture
def fields(service: str) -> Fields:
    """The fields that a live read of the service can have."""
    read = [field for field in FIELDS if field not in _ONLY_STREAMED]
    return [field for field in read if service != "other" or not field.fleet_only]


def _serve(home: Home, path: str, body: Any) -> None:
    # Encoded here, because some tests send invalid JSON like NaN.
    home.simulator.faults.serve("GET", f"/api/1/vehicles{path}", json.dumps(body))


def _set_response(home: Home, response: Any) -> None:
    for path_id in (home.car.id, home.car.vin):
        _serve(home, f"/{path_id}/vehicle_data", {"response": response})


async def _read(home: Home, response: Any) -> None:
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


def _differences(before: View, now: View, ignored: Iterable[str] = ()) -> dict[str, Any]:
    changed = {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}
    return {key: f"changed to {now.get(key, 'nothing')}"[:500] for key in changed.difference(ignored)}


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
    fields = set(fields)
    return {
        *(entity_id for field in fields for entity_id in home.shown_by(field)),
        *({DEVICE_PAGE} if DEVICE_PAGE_FIELDS & {field.path for field in fields} else ()),
        *(_polling_entities(home) if MODE_FIELDS & fields else ()),
        # The end of charging also depends on the timestamp, whose changes alone don't notify listeners.
        *(home.shown_by(ChargeState.time_to_full_charge) if ChargeState.timestamp in fields else ()),
    }


# Problems


def _defects(home: Home, among: Iterable[str]) -> dict[str, str]:
    """Return what is invalid about the states of these entities. Home Assistant logs other invalid states."""
    defects = {}
    for entity_id in among:
        state = home.hass.states.get(entity_id)
        if state is None or state.state == STATE_UNAVAILABLE:
            defects[entity_id] = "missing"
            continue
        numbers = [value for value in state.attributes.values() if isinstance(value, float)]
        if not all(map(isfinite, numbers)):
            defects[entity_id] = f"not finite: {numbers}"
        elif (size := len(json_bytes(dict(state.attributes)))) > MAX_ATTRIBUTES_SIZE:
            defects[entity_id] = f"attributes of {size} bytes"
    return defects


# One field, one record


def _deviations(home: Home, before: View, may_change: set[str]) -> dict[str, Any]:
    """Return what changed although it must not, and what is invalid."""
    now = _view(home)
    changed = _differences(before, now).keys()
    # A change of the device's name affects all entities.
    among = home.states() if DEVICE_PAGE in changed else changed
    return {**_differences(before, now, may_change), **_defects(home, among)}


def _known_states(home: Home, field: Field[Any]) -> dict[str, Any]:
    """Return the known states of the entities that are unknown if the field is unknown."""
    registry, known = er.async_get(home.hass), {}
    for entity_id in home.shown_by(field):
        entry, state = registry.async_get(entity_id), home.hass.states.get(entity_id)
        assert entry is not None
        is_dependent = entry.unique_id == f"{home.car.vin}-{field.path}"
        is_known = state is not None and state.state != STATE_UNKNOWN
        if is_dependent and is_known and f"{entry.domain} {field.path}" not in KNOWN_FROM_OTHER_DATA:
            known[entity_id] = f"is known: {state}"
    return known


@EACH_SERVICE
@_each(CORRUPTIONS, "missing", "null", "empty text", "text", "<invalid>", "object", "-1", "1e30", "NaN")
async def test_broken_field_affects_only_what_depends_on_it(
    corruption: str, home: Home, full_response: Json, fields: Fields, caplog: pytest.LogCaptureFixture
) -> None:
    before, deviations = _view(home), dict[str, Any]()
    records = RECORDS if home.simulator.service == "other" else (*RECORDS, MEDIA)
    for path in (*(field.path for field in fields), *records):
        broken = [field for field in fields if f"{field.path}.".startswith(f"{path}.")]
        await _read(home, with_values(full_response, {path: CORRUPTIONS[corruption]}))
        found = _deviations(home, before, _may_change(home, broken))
        # A field outside of all records keeps its value if a response doesn't contain it.
        if path in records or (corruption in INVALID and (corruption != "missing" or "." in path)):
            for field in broken:
                found |= _known_states(home, field)
        if found:
            deviations[path] = found
    await _read(home, full_response)
    deviations |= _differences(before, _view(home))
    assert not deviations, deviations
    assert not logged_problems(caplog)


@EACH_SERVICE
@_each(("missing", "null", "true", "text", "long text", "deep list", "object", "1e30"), "long text", "object")
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_everything_broken(
    corruption: str, empty_home: Home, full_response: Json, fields: Fields, caplog: pytest.LogCaptureFixture
) -> None:
    """A car with only broken fields can be set up, stored and restarted. Later, it has all its entities."""
    home = empty_home
    broken = with_values(full_response, {field.path: CORRUPTIONS[corruption] for field in fields})
    _set_response(home, broken)
    await home.set_up()
    assert not _defects(home, home.states())
    assert json.dumps(await async_get_config_entry_diagnostics(home.hass, home.entry))
    home.car.fall_asleep()
    await home.restart()
    home.car.wake()
    await home.advance(60, step=60)
    await _read(home, full_response)
    before = _view(home)
    assert not _defects(home, home.states())
    await home.restart()
    await _read(home, full_response)
    # The second time, the answer comes from a cache. The list, which has other codes, is newer.
    ignored = _request_entities(home) | home.shown_by(Vehicle.option_codes)
    deviations = _differences(before, _view(home), ignored)
    assert not deviations, deviations
    assert not logged_problems(caplog)


# The vehicle list


OTHER_RECORDS: Final[tuple[list[Any], ...]] = (
    [],
    [None, True, 7, "a text", [], [[]], {}],
    [{"vin": None, "id": None}, {"vin": [1], "id": {"no": 1}, "id_s": nan}, {"vehicle_id": "1" * 500}],
)
NOT_LISTS: Final[tuple[Any, ...]] = (None, True, 7, nan, "a text", {}, {"vehicles": []})


async def test_broken_list(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """A broken field in the list affects only itself, and the car is found by its VIN or its ID.

    A response without a list or without the car changes nothing, nor do records of the car in the list. Other
    entries don't hide the car.
    """
    list_record = short_record(home.car)
    await _poll_list(home, [list_record])
    before, deviations, request_entities = _view(home), {}, _request_entities(home)
    responses: list[tuple[Any, Fields]] = [
        *((response, []) for response in (*NOT_LISTS, *OTHER_RECORDS)),
        *(([*records, list_record, *records], []) for records in OTHER_RECORDS),
        *(
            ([list_record | dict.fromkeys(RECORDS, CORRUPTIONS[name])], [])
            for name in ("null", "list", "object")
        ),
        *(
            ([with_values(list_record, {field.name: value})], [field])
            for field in (Vehicle.vin, Vehicle.id, Vehicle.state, Vehicle.in_service, Vehicle.display_name)
            for value in CORRUPTIONS.values()
        ),
    ]
    for response, fields in responses:
        await _poll_list(home, response)
        broken = _view(home)
        await home.poll()
        await _poll_list(home, [list_record])
        differences = _differences(before, broken, _may_change(home, fields) | request_entities)
        differences |= _defects(home, home.states()) | _differences(before, _view(home), request_entities)
        # Without a list, the service fails.
        if differences or logged_problems(caplog, may_warn=not isinstance(response, list)):
            deviations[repr(response)[:500]] = differences
    assert not deviations, deviations
