"""Recorded responses of a real service: the integration runs on them and shows their values.

`fixtures/recorded/` contains the requests and responses, with personal data replaced. Requests that were not
recorded are answered with 404.
"""

from datetime import UTC, datetime
import json
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from homeassistant.components.sensor.const import UNIT_CONVERTERS, SensorDeviceClass
from homeassistant.core import State
import pytest

from custom_components.vehicle_remote_access.api.fields import BINARY_SENSOR, SENSOR, Field
from custom_components.vehicle_remote_access.api.records import FIELDS, DriveState
from custom_components.vehicle_remote_access.entity_descriptions import sensor_properties

from .api.test_records import GONE, found_in
from .conftest import Home

RECORDED: Final = Path(__file__).parent / "fixtures" / "recorded"
FILES: Final = sorted(path.stem for path in RECORDED.glob("*.json"))


def load_exchanges(name: str) -> list[tuple[Any, ...]]:
    """Return the requests and responses of a recording: method, path, body, and status."""
    content = json.loads((RECORDED / f"{name}.json").read_text())
    return list(map(itemgetter("method", "path", "body", "status"), content))


def recorded_vehicle(name: str) -> dict[str, Any]:
    """Return the last recorded values of the car, merged into the documented record."""
    vehicle: dict[str, Any] = {}
    for _method, path, body, _status in load_exchanges(name):
        _, _, record = path.partition("/data_request/")
        if record:
            vehicle[record] = body["response"]
        elif path.endswith("/data"):
            vehicle |= body["response"]
        elif path == "/api/1/vehicles":
            vehicle |= body["response"][0]
    return vehicle


@pytest.fixture
async def recorded_home(
    request: pytest.FixtureRequest, empty_home: Home, entity_registry_enabled_by_default: None
) -> Home:
    """A home with an account whose service replays a recording."""
    empty_home.simulator.vehicles.clear()
    for exchange in load_exchanges(request.param):
        empty_home.simulator.faults.serve(*exchange)
    form = await empty_home.start_flow("account")
    form = await empty_home.submit(
        form, base_url=empty_home.simulator.url, access_token=empty_home.simulator.token
    )
    vehicle_id = str(recorded_vehicle(request.param)["id"])
    result = await empty_home.submit(form, vehicles=[vehicle_id])
    assert result["type"] == "create_entry", result
    await empty_home.idle()
    return empty_home


def shows(state: State, field: Field[Any], value: Any) -> bool:
    """Return whether a state shows the recorded value, in any unit."""
    properties = sensor_properties(field.value_type)
    if properties.device_class is SensorDeviceClass.TIMESTAMP:
        seconds = value if field is DriveState.gps_as_of else value // 1000
        return datetime.fromisoformat(state.state) == datetime.fromtimestamp(seconds, UTC)
    if properties.native_unit_of_measurement is not None:
        shown = float(state.state)
        if converter := UNIT_CONVERTERS.get(properties.device_class):
            shown = converter.convert(
                shown, state.attributes["unit_of_measurement"], properties.native_unit_of_measurement
            )
        return shown == pytest.approx(value)
    if field.value_type.options:
        return state.state == {"<invalid>": "none", "": "none", 0: "off"}.get(value, str(value).lower())
    return state.state == (str(value)[:255] if value != "<invalid>" else "unknown")


@pytest.mark.parametrize(
    ("recorded_home", "name"), [(name, name) for name in FILES], indirect=["recorded_home"]
)
async def test_sensors_show_the_recording(recorded_home: Home, name: str) -> None:
    """Each sensor and each binary sensor shows the recorded value of its field."""
    vehicle, shown = recorded_vehicle(name), 0
    for field in FIELDS:
        value = found_in(vehicle, field.path)
        if value is None or value is GONE:
            continue
        if field.shown_as is SENSOR and field.shown_if is None:
            state = recorded_home.shown("sensor", field.path, vehicle["vin"])
            assert shows(state, field, value), (field.path, value, state.state)
        elif field.shown_as is BINARY_SENSOR:
            state = recorded_home.shown("binary_sensor", field.path, vehicle["vin"])
            assert (state.state == "on") is bool(value), field.path
        else:
            continue
        shown += 1
    assert shown


@pytest.mark.parametrize("recorded_home", ["data-2020"], indirect=True)
async def test_controls_show_the_recording(recorded_home: Home) -> None:
    """Controls and derived binary sensors show the recorded values."""
    vin = recorded_vehicle("data-2020")["vin"]
    expected = {
        ("lock", "vehicle_state.locked"): "unlocked",
        ("cover", "vehicle_state.ft"): "closed",
        ("cover", "vehicle_state.rt"): "closed",
        ("cover", "vehicle_state.sun_roof_percent_open"): "closed",
        ("cover", "charge_state.charge_port_door_open"): "open",
        ("climate", "climate_state"): "off",
        ("number", "charge_state.charge_limit_soc"): "90",
        ("switch", "charge_state.charging_state"): "off",
        ("switch", "vehicle_state.valet_mode"): "off",
        ("binary_sensor", "charge_state.conn_charge_cable"): "on",
        ("binary_sensor", "charge_state.charge_port_latch"): "off",
        ("binary_sensor", "vehicle_state.df.any"): "off",
    }
    assert {entity: recorded_home.shown(*entity, vin).state for entity in expected} == expected
    attributes = recorded_home.shown("climate", "climate_state", vin).attributes
    assert (attributes["current_temperature"], attributes["temperature"]) == (27.0, 22.8)
    assert (attributes["min_temp"], attributes["max_temp"]) == (15.0, 28.0)
