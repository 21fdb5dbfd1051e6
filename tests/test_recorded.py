"""Answers that a real service of this family once gave: the integration runs on them and shows what they say.

`fixtures/recorded/` holds the exchanges as data, with who and where replaced. What was not recorded
is not there: 404.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from homeassistant.components.sensor.const import UNIT_CONVERTERS, SensorDeviceClass
from homeassistant.core import State
import pytest

from custom_components.vehicle_remote_access.api.fields import BINARY, SENSOR, Field
from custom_components.vehicle_remote_access.api.records import FIELDS, DriveState
from custom_components.vehicle_remote_access.entity_descriptions import sensor_look

from .conftest import Home

RECORDED: Final = Path(__file__).parent / "fixtures" / "recorded"
FILES: Final = sorted(path.stem for path in RECORDED.glob("*.json"))


class Exchange(NamedTuple):
    """One request and its answer."""

    method: str
    path: str
    body: Any
    status: int


def exchanges(name: str) -> list[Exchange]:
    """Return what was asked and answered."""
    found = json.loads((RECORDED / f"{name}.json").read_text())
    return [Exchange(each["method"], each["path"], each["body"], each["status"]) for each in found]


def record_said(name: str) -> dict[str, Any]:
    """Return the last that the recording says of the car, put together as the documented record."""
    said: dict[str, Any] = {}
    for _method, path, body, _status in exchanges(name):
        _, _, single = path.partition("/data_request/")
        if single:
            said[single] = body["response"]
        elif path.endswith("/data"):
            said |= body["response"]
        elif path == "/api/1/vehicles":
            said |= body["response"][0]
    return said


def values_said(name: str) -> Iterator[tuple[Field[Any], Any]]:
    """Yield every documented field that the recording has a value for."""
    for field in FIELDS:
        value: Any = record_said(name)
        for step in field.path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value is not None:
            yield field, value


@pytest.fixture
async def recorded_home(
    request: pytest.FixtureRequest, empty_home: Home, entity_registry_enabled_by_default: None
) -> Home:
    """A home on a recording."""
    empty_home.simulator.vehicles.clear()
    for method, path, body, status in exchanges(request.param):
        empty_home.simulator.faults.serve(method, path, body, status)
    form = await empty_home.start_flow("account")
    form = await empty_home.submit(
        form, base_url=empty_home.simulator.url, access_token=empty_home.simulator.token
    )
    number = str(record_said(request.param)["id"])
    result = await empty_home.submit(form, vehicles=[number])
    assert result["type"] == "create_entry", result
    await empty_home.idle()
    return empty_home


def shows(state: State, field: Field[Any], said: Any) -> bool:
    """Return whether a state says what the recording says, in whatever unit a person has chosen."""
    look = sensor_look(field.kind)
    if look.device_class is SensorDeviceClass.TIMESTAMP:
        seconds = said if field is DriveState.gps_as_of else said // 1000
        return datetime.fromisoformat(state.state) == datetime.fromtimestamp(seconds, UTC)
    if look.unit is not None:
        shown = float(state.state)
        if converter := UNIT_CONVERTERS.get(look.device_class):
            shown = converter.convert(shown, state.attributes["unit_of_measurement"], look.unit)
        return shown == pytest.approx(said)
    if field.kind.options:
        return state.state == {"<invalid>": "none", "": "none", 0: "off"}.get(said, str(said).lower())
    return state.state == (str(said)[:255] if said != "<invalid>" else "unknown")


@pytest.mark.parametrize(
    ("recorded_home", "name"), [(name, name) for name in FILES], indirect=["recorded_home"]
)
async def test_sensors_show_the_recording(recorded_home: Home, name: str) -> None:
    """Every recorded value that has its place as a sensor is shown by it."""
    vin = record_said(name)["vin"]
    fields = [(field, said) for field, said in values_said(name) if field.place is SENSOR]
    assert fields
    for field, said in fields:
        if field.shown_if is None:
            state = recorded_home.shown("sensor", field.path, vin)
            assert shows(state, field, said), (field.path, said, state.state)


@pytest.mark.parametrize(
    ("recorded_home", "name"), [(name, name) for name in FILES], indirect=["recorded_home"]
)
async def test_binary_sensors_show_the_recording(recorded_home: Home, name: str) -> None:
    """Every recorded yes or no that has its place as a binary sensor is shown by it."""
    vin = record_said(name)["vin"]
    for field, said in values_said(name):
        if field.place is BINARY:
            state = recorded_home.shown("binary_sensor", field.path, vin)
            assert state.state == ("on" if said else "off"), field.path


@pytest.mark.parametrize("recorded_home", ["data-2020"], indirect=True)
async def test_controls_show_the_recording(recorded_home: Home) -> None:
    """What has more than a sensor's face shows the recording as well."""
    vin = record_said("data-2020")["vin"]
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
async def test_cabin_shows_the_recording(recorded_home: Home) -> None:
    """The climate shows the recorded temperatures, and the bounds that the car names."""
    cabin = recorded_home.shown("climate", "climate_state", record_said("data-2020")["vin"]).attributes
    assert (cabin["current_temperature"], cabin["temperature"]) == (27.0, 22.8)
    assert (cabin["min_temp"], cabin["max_temp"]) == (15.0, 28.0)


@pytest.mark.parametrize("recorded_home", ["data-2020"], indirect=True)
async def test_missing_read_is_given_up(recorded_home: Home) -> None:
    """A read that the service lacks is asked for three times, not with every poll."""
    for _ in range(5):
        await recorded_home.poll()
    assert len(recorded_home.requests("/vehicle_data")) == 3
    assert len(recorded_home.requests("/data")) == 6


@pytest.mark.parametrize("recorded_home", ["set_charge_limit_1-then-charge_state-2014"], indirect=True)
async def test_limit_set_below_what_the_car_takes(recorded_home: Home) -> None:
    """The service once took 1 % and set 50 %: after the command, what it reports is what is shown."""
    vin = record_said("set_charge_limit_1-then-charge_state-2014")["vin"]
    entity_id = recorded_home.entity_id("number", "charge_state.charge_limit_soc", vin)
    await recorded_home.hass.services.async_call(
        "number", "set_value", {"entity_id": entity_id, "value": 60}, blocking=True
    )
    assert recorded_home.shown("number", "charge_state.charge_limit_soc", vin).state == "60"
    await recorded_home.advance(5)
    assert recorded_home.shown("number", "charge_state.charge_limit_soc", vin).state == "50"
