"""Recorded responses of real services: the integration runs on them and shows their values.

`fixtures/recorded/` contains the requests and responses, with personal data replaced. Requests that were not
recorded are answered with 404.

The recordings of Tesla Fleet, Teslemetry and Tessie contain the values in the test fixtures of Home
Assistant's own integrations (https://github.com/home-assistant/core/tree/dev/tests/components, read on
2026-11-24). In the fixtures, the listed car is asleep, and the sunroof's percentage has another name.

`cars/` contains whole records of cars from 2016 to 2023, each with its public source, for any service.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
import json
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from homeassistant.components.sensor.const import UNIT_CONVERTERS, SensorDeviceClass
from homeassistant.core import State
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.vehicle_remote_access.api.commands import CONTROLS as CONTROLS_OF_FIELDS
from custom_components.vehicle_remote_access.api.fields import BINARY_SENSOR, SENSOR, Field
from custom_components.vehicle_remote_access.api.records import (
    FIELDS,
    ChargeState,
    DriveState,
    Vehicle,
    VehicleState,
)
from custom_components.vehicle_remote_access.api.value_types import TIME_OF_DAY
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.entity_descriptions import rounded_state, sensor_properties

from .api.raw_records import GONE, found_in
from .conftest import Home

RECORDED: Final = Path(__file__).parent / "fixtures" / "recorded"
FILES: Final = sorted(path.stem for path in RECORDED.glob("*.json"))
CARS: Final = sorted(path.stem for path in RECORDED.glob("cars/*.json"))
# Recordings of services whose requests contain the VIN instead of the id
RECORDINGS: Final = ("tesla_fleet-2024", "teslemetry-2024", "tessie-2023")
SERVICES: Final = {recording: recording.partition("-")[0] for recording in RECORDINGS}

# Raw values whose state has another name
STATES: Final = {
    "<invalid>": "none",
    "": "none",
    0: "off",
    2: "accessory",
    "unavailable": "not_available",
    "keep": "on",
    "DepartBy": "depart_by",
    "StartAt": "start_at",
}
# The other timestamps are in milliseconds.
IN_SECONDS: Final = (
    DriveState.gps_as_of,
    ChargeState.scheduled_charging_start_time,
    ChargeState.scheduled_departure_time,
    VehicleState.tpms_last_seen_pressure_time_fl,
    VehicleState.tpms_last_seen_pressure_time_fr,
    VehicleState.tpms_last_seen_pressure_time_rl,
    VehicleState.tpms_last_seen_pressure_time_rr,
)
# Stands for a value in the description of Tessie's interface.
PLACEHOLDER: Final = "string"
# What is not shown as recorded, because the car says something else besides: no departure and no route
_UNUSED: Final = {
    "charge_state.scheduled_departure_time": "unknown",
    "drive_state.active_route_miles_to_arrival": "unknown",
    "drive_state.active_route_traffic_minutes_delay": "unknown",
}
CONTRADICTED: Final[dict[str, dict[str, str]]] = {
    **dict.fromkeys(("model_3-2023", "model_x-2023", "teslemetry-2024", "tessie-2023"), _UNUSED),
    "model_s-2016": {"charge_state.charge_port_latch": "unknown"},
    "model_s-2023": {
        "charge_state.charge_port_latch": "unknown",
        "charge_state.conn_charge_cable": "unknown",
        "vehicle_state.dashcam_state": "unknown",
    },
    "model_x-tessie": {
        **_UNUSED,
        "vehicle_state.software_update.status": "none",
        "vehicle_state.dashcam_state": "off",
    },
    "model_y-fleet": {**_UNUSED, "vehicle_state.dashcam_state": "off"},
    "tesla_fleet-2024": {"charge_state.scheduled_departure_time": "unknown"},
}


def load_exchanges(name: str) -> list[tuple[Any, ...]]:
    """Return the requests and responses of a recording: method, path, body, and status."""
    if name in CARS:
        record = json.loads((RECORDED / "cars" / f"{name}.json").read_text())["record"]
        listed = {key: value for key, value in record.items() if not isinstance(value, dict)}
        reads = [f"/api/1/vehicles/{record[key]}/vehicle_data" for key in ("id", "vin")]
        return [
            ("GET", "/api/1/vehicles", {"response": [listed]}, 200),
            *(("GET", path, {"response": record}, 200) for path in reads),
        ]
    content = json.loads((RECORDED / f"{name}.json").read_text())
    return list(map(itemgetter("method", "path", "body", "status"), content))


def recorded_vehicle(name: str) -> dict[str, Any]:
    """Return the last recorded values of the car, merged into the documented record."""
    vehicle: dict[str, Any] = {}
    for _method, path, body, _status in load_exchanges(name):
        _, _, record = path.partition("/data_request/")
        if record:
            vehicle[record] = body["response"]
        elif path.endswith(("/data", "/vehicle_data")):
            vehicle |= body["response"]
        elif path == "/api/1/vehicles":
            vehicle |= body["response"][0]
    return vehicle


@pytest.fixture
def service(recording: str) -> str:
    """The service of a recording. A test of the cars has another fixture."""
    return SERVICES.get(recording, "other")


@pytest.fixture
async def recorded_home(
    recording: str, service: str, empty_home: Home, entity_registry_enabled_by_default: None
) -> Home:
    """A home with an account whose service replays a recording."""
    empty_home.simulator.vehicles.clear()
    for exchange in load_exchanges(recording):
        empty_home.simulator.faults.serve(*exchange)
    form = await empty_home.start_flow("account", service)
    base_url = {"base_url": empty_home.simulator.url}
    values: dict[str, Any] = base_url if service == "other" else {"addresses": base_url}
    form = await empty_home.submit(form, access_token=empty_home.simulator.token, **values)
    result = await empty_home.submit(form)
    assert result["type"] == "create_entry", result
    await empty_home.idle()
    return empty_home


def shows(state: State, field: Field[Any], value: Any) -> bool:
    """Return whether a state shows the recorded value, in any unit."""
    if value == PLACEHOLDER:
        return state.state == "unknown"
    if field.value_type is TIME_OF_DAY:
        return state.state == f"{value // 60:02}:{value % 60:02}"
    properties = sensor_properties(field.value_type)
    if properties.device_class is SensorDeviceClass.TIMESTAMP:
        seconds = value if field in IN_SECONDS else value // 1000
        return datetime.fromisoformat(state.state) == datetime.fromtimestamp(seconds, UTC)
    if properties.native_unit_of_measurement is not None:
        shown = float(state.state)
        if converter := UNIT_CONVERTERS.get(properties.device_class):
            shown = converter.convert(
                shown, state.attributes["unit_of_measurement"], properties.native_unit_of_measurement
            )
        return shown == pytest.approx(rounded_state(value, field.value_type))
    if field.value_type.options:
        return state.state == STATES.get(value, str(value).lower())
    return state.state == (str(value)[:255] if value not in ("", "<invalid>") else "unknown")


def _every_car() -> Iterator[Any]:
    """Return each car at each service. One service runs every time."""
    services = (*SERVICES.values(), "other")
    for position, car in enumerate(CARS):
        for number, service in enumerate(services):
            marks = () if position % len(services) == number else pytest.mark.exhaustive
            yield pytest.param(car, service, marks=marks)


@pytest.mark.parametrize(
    ("recording", "service"), [*((each, SERVICES.get(each, "other")) for each in FILES), *_every_car()]
)
async def test_sensors_show_the_recorded_values(recorded_home: Home, recording: str, service: str) -> None:
    vehicle, shown = recorded_vehicle(recording), 0
    contradicted = CONTRADICTED.get(recording, {})
    parsed = Vehicle.parse(vehicle)
    for field in FIELDS:
        value = found_in(vehicle, field.path)
        if value is None or value is GONE or field.retired:
            continue
        if field.fleet_only if service == "other" else field in CONTROLS_OF_FIELDS:
            continue
        if field.path in contradicted:
            state = recorded_home.shown(field.shown_as or "", field.path, vehicle["vin"])
            assert state.state == contradicted[field.path], field.path
        elif field.shown_as is SENSOR and (field.shown_if is None or field.shown_if.get(parsed)):
            state = recorded_home.shown("sensor", field.path, vehicle["vin"])
            assert shows(state, field, value), (field.path, value, state.state)
        elif field.shown_as is BINARY_SENSOR:
            state = recorded_home.shown("binary_sensor", field.path, vehicle["vin"])
            expected = "unknown" if value == PLACEHOLDER else "on" if value else "off"
            assert state.state == expected, field.path
        else:
            continue
        shown += 1
    assert shown


# What other entities than those sensors show. - is one that does not exist, and ? an unknown state.
RECORDINGS_OF_CONTROLS: Final = ("data-2020", "tesla_fleet-2024", "tessie-2023")
CONTROLS: Final = {
    ("lock", "vehicle_state.locked"): "unlocked unlocked locked",
    ("cover", "vehicle_state.ft"): "closed closed closed",
    ("cover", "vehicle_state.rt"): "closed closed closed",
    ("cover", "vehicle_state.sun_roof_percent_open"): "closed open ?",
    ("cover", "charge_state.charge_port_door_open"): "open open open",
    ("cover", "windows"): "- closed closed",
    ("climate", "climate_state"): "off heat_cool off",
    ("climate", "climate_state.cabin_overheat_protection"): "- cool cool",
    ("switch", "charge_state.charging_state"): "off off on",
    ("switch", "vehicle_state.valet_mode"): "off off off",
    ("switch", "vehicle_state.sentry_mode"): "- off off",
    ("switch", "climate_state.auto_seat_climate_left"): "- on on",
    ("switch", "climate_state.defrost_mode"): "- off off",
    ("select", "climate_state.seat_heater_left"): "- off off",
    ("select", "climate_state.steering_wheel_heat_level"): "- off off",
    ("number", "charge_state.charge_limit_soc"): "90 80 80",
    ("number", "charge_state.charge_current_request"): "- 16 32",
    ("number", "climate_state.passenger_temp_setting"): "22.8 22 22.5",
    ("number", "vehicle_state.speed_limit_mode.current_limit_mph"): "80.5 111.0 120.0",  # in km/h
    ("sensor", "charge_state.time_to_full_charge"): "? ? 2023-11-28T03:07:17+00:00",
    ("sensor", "drive_state.active_route_destination"): "- Home ?",
    ("sensor", "drive_state.active_route_minutes_to_arrival"): "- 2024-01-19T23:39:00+00:00 ?",
    ("update", "vehicle_state.software_update"): "off on off",
    ("media_player", "vehicle_state.media_info"): "- playing playing",
    ("binary_sensor", "charge_state.conn_charge_cable"): "on on on",
    ("binary_sensor", "charge_state.charge_port_latch"): "off off off",
    ("binary_sensor", "vehicle_state.df.any"): "off off off",
    ("binary_sensor", "vehicle_state.fd_window.left"): "- off off",
    ("binary_sensor", "vehicle_state.tpms_soft_warning_fl.any"): "- off off",
}


def states(home: Home, recording: str, entities: Iterable[tuple[str, str]]) -> list[str]:
    vin, registry, shown = recorded_vehicle(recording)["vin"], er.async_get(home.hass), []
    for platform, path in entities:
        entity_id = registry.async_get_entity_id(platform, DOMAIN, f"{vin}-{path}")
        state = home.hass.states.get(entity_id or "")
        shown.append("-" if state is None else state.state.replace("unknown", "?"))
    return shown


@pytest.mark.parametrize("recording", RECORDINGS_OF_CONTROLS)
async def test_other_entities_show_the_recording(recorded_home: Home, recording: str) -> None:
    column = RECORDINGS_OF_CONTROLS.index(recording)
    expected = [row.split()[column] for row in CONTROLS.values()]
    assert states(recorded_home, recording, CONTROLS) == expected


# What follows from several fields
FACTS: Final = (
    ("binary_sensor", "charge_state.conn_charge_cable"),
    ("sensor", "charge_state.charger_power"),
    ("sensor", "charge_state.charger_actual_current"),
    ("sensor", "charge_state.charger_power.computed"),
    ("sensor", "charge_state.time_to_full_charge"),
    ("binary_sensor", "drive_state.shift_state"),
    ("device_tracker", "drive_state.active_route"),
    ("sensor", "drive_state.active_route_minutes_to_arrival"),
    ("binary_sensor", "vehicle_state.df.any"),
    ("binary_sensor", "vehicle_state.tpms_soft_warning_fl.any"),
    ("cover", "vehicle_state.sun_roof_percent_open"),
    ("update", "vehicle_state.software_update"),
    ("media_player", "vehicle_state.media_info"),
    ("climate", "climate_state.cabin_overheat_protection"),
    ("switch", "climate_state.steering_wheel_heater"),
    ("switch", "vehicle_state.sentry_mode"),
)
# The state of each, of one that the car lacks -, and of one that is unknown ?
FACTS_OF_CARS: Final = {
    "model_3-2019": "on 100 0 100000 2019-10-01T18:03:17+00:00 off ? ? off - - off - - - off",
    "model_3-2023": "on 0 0 0 ? off ? ? off off - off off cool off on",
    "model_s-2016": "on 0 0 0 ? off ? ? off - - ? - - - -",
    "model_s-2023": "on 0 0 0 ? off ? ? off - closed off - cool off -",
    "model_x-2018": "on 0 0 0 ? off ? ? off - - ? - - off -",
    "model_x-2023": "off 0 0 0 ? ? ? ? ? - - ? - off off -",
    "model_x-tessie": "on 0 0 0 ? off ? ? off - - off - cool on on",
    "model_y-fleet": "off 0 0 0 ? off ? ? off off - off playing cool off off",
}


@pytest.mark.parametrize(("recording", "service"), [(each, "tesla_fleet") for each in CARS])
async def test_facts_of_several_fields_are_right(recorded_home: Home, recording: str) -> None:
    assert " ".join(states(recorded_home, recording, FACTS)) == FACTS_OF_CARS[recording]
