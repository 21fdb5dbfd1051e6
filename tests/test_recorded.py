"""Recorded responses of a real service: the integration runs on them and shows their values.

`fixtures/recorded/` contains the requests and responses, with personal data replaced. Requests that were not
recorded are answered with 404.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from homeassistant.components.sensor.const import UNIT_CONVERTERS, SensorDeviceClass
from homeassistant.core import State
import pytest

from custom_components.vehicle_remote_access.api.fields import BINARY_SENSOR, SENSOR, Field
from custom_components.vehicle_remote_access.api.records import FIELDS, DriveState
from custom_components.vehicle_remote_access.entity_descriptions import sensor_properties

from .conftest import Home

RECORDED: Final = Path(__file__).parent / "fixtures" / "recorded"
FILES: Final = sorted(path.stem for path in RECORDED.glob("*.json"))


class Exchange(NamedTuple):
    """One request and its response."""

    method: str
    path: str
    body: Any
    status: int


def load_exchanges(name: str) -> list[Exchange]:
    """Return the requests and responses of a recording."""
    content = json.loads((RECORDED / f"{name}.json").read_text())
    return [Exchange(item["method"], item["path"], item["body"], item["status"]) for item in content]


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


def recorded_values(name: str) -> Iterator[tuple[Field[Any], Any]]:
    """Yield each documented field that has a recorded value, with this value."""
    for field in FIELDS:
        value: Any = recorded_vehicle(name)
        for key in field.path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            yield field, value


@pytest.fixture
async def recorded_home(
    request: pytest.FixtureRequest, empty_home: Home, entity_registry_enabled_by_default: None
) -> Home:
    """A home with an account whose service replays a recording."""
    empty_home.simulator.vehicles.clear()
    for method, path, body, status in load_exchanges(request.param):
        empty_home.simulator.faults.serve(method, path, body, status)
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
    """Each sensor shows the recorded value of its field."""
    vin = recorded_vehicle(name)["vin"]
    fields = [(field, value) for field, value in recorded_values(name) if field.shown_as is SENSOR]
    assert fields
    for field, value in fields:
        if field.shown_if is None:
            state = recorded_home.shown("sensor", field.path, vin)
            assert shows(state, field, value), (field.path, value, state.state)


@pytest.mark.parametrize(
    ("recorded_home", "name"), [(name, name) for name in FILES], indirect=["recorded_home"]
)
async def test_binary_sensors_show_the_recording(recorded_home: Home, name: str) -> None:
    """Each binary sensor shows the recorded value of its field."""
    vin = recorded_vehicle(name)["vin"]
    for field, value in recorded_values(name):
        if field.shown_as is BINARY_SENSOR:
            state = recorded_home.shown("binary_sensor", field.path, vin)
            assert state.state == ("on" if value else "off"), field.path


@pytest.mark.parametrize("recorded_home", ["data-2020"], indirect=True)
async def test_controls_show_the_recording(recorded_home: Home) -> None:
    """Locks, covers, climate, numbers, switches and derived binary sensors show the recorded values."""
    vin = recorded_vehicle("data-2020")["vin"]
    shown = {
        (platform, path): recorded_home.shown(platform, path, vin).state
        for platform, path in (
            ("lock", "vehicle_state.locked"),
            ("cover", "vehicle_state.ft"),
            ("cover", "vehicle_state.rt"),
            ("cover", "vehicle_state.sun_roof_percent_open"),
            ("cover", "charge_state.charge_port_door_open"),
            ("climate", "climate_state"),
            ("number", "charge_state.charge_limit_soc"),
            ("switch", "charge_state.charging_state"),
            ("switch", "vehicle_state.valet_mode"),
            ("binary_sensor", "charge_state.conn_charge_cable"),
            ("binary_sensor", "charge_state.charge_port_latch"),
            ("binary_sensor", "vehicle_state.df.any"),
        )
    }
    assert shown == {
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


@pytest.mark.parametrize("recorded_home", ["data-2020"], indirect=True)
async def test_climate_shows_the_recording(recorded_home: Home) -> None:
    """The climate entity shows the recorded temperatures and temperature range."""
    climate = recorded_home.shown("climate", "climate_state", recorded_vehicle("data-2020")["vin"])
    attributes = climate.attributes
    assert (attributes["current_temperature"], attributes["temperature"]) == (27.0, 22.8)
    assert (attributes["min_temp"], attributes["max_temp"]) == (15.0, 28.0)


@pytest.mark.parametrize("recorded_home", ["data-2020"], indirect=True)
async def test_missing_endpoint_is_requested_three_times(recorded_home: Home) -> None:
    """An endpoint that the service lacks is requested three times, not with every poll."""
    for _ in range(5):
        await recorded_home.poll()
    assert len(recorded_home.requests("/vehicle_data")) == 3
    assert len(recorded_home.requests("/data")) == 6


@pytest.mark.parametrize("recorded_home", ["set_charge_limit_1-then-charge_state-2014"], indirect=True)
async def test_charge_limit_raised_by_the_service(recorded_home: Home) -> None:
    """The entity shows the limit that the service reports after the command, not the limit that was sent."""
    vin = recorded_vehicle("set_charge_limit_1-then-charge_state-2014")["vin"]
    entity_id = recorded_home.entity_id("number", "charge_state.charge_limit_soc", vin)
    await recorded_home.hass.services.async_call(
        "number", "set_value", {"entity_id": entity_id, "value": 60}, blocking=True
    )
    assert recorded_home.shown("number", "charge_state.charge_limit_soc", vin).state == "60"
    await recorded_home.advance(5)
    assert recorded_home.shown("number", "charge_state.charge_limit_soc", vin).state == "50"
