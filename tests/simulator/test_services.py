"""The services that owners can sign up for: their differences, as switches."""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from simulator_console.services import SimulatedService

from .conftest import Client, send, shown
from .documented import ENDPOINTS, FIELDS, OBJECTS

MOTION: Final = {"power", "shift_state", "speed"}
LOCATION: Final = FIELDS["drive_state"].keys() - MOTION - {"timestamp"}
SCHEDULES: Final = ("charge_schedule_data", "preconditioning_schedule_data")
MODEL_3, MODEL_Y = 2, 4


@pytest.fixture
def fleet_client(simulator: Simulator, client: Client) -> Client:
    """Return a client of a service of today."""
    simulator.switches.profile = "fleet-2024"
    return client


# Commands


async def test_value_outside_json_is_ignored(fleet_client: Client, car: SimulatedVehicle) -> None:
    reply = await fleet_client.send("command/set_charge_limit", params={"percent": "70"}, json={})
    assert (reply.status, car.charging.limit) == (400, 80)
    assert (await fleet_client.send("command/set_charge_limit", json={"percent": 70})).status == 200
    assert car.charging.limit == 70


async def test_value_of_another_type(fleet_client: Client) -> None:
    """In a JSON body, a number must be a number, a switch a boolean, and a PIN text."""
    for command, values in (
        ("set_charge_limit", {"percent": "70"}),
        ("set_charge_limit", {"percent": True}),
        ("set_charge_limit", {"percent": 10**400}),
        ("set_temps", {"driver_temp": "20.5", "passenger_temp": 20.5}),
        ("actuate_trunk", {"which_trunk": 1}),
        ("set_valet_mode", {"on": "true", "password": "1234"}),
        ("set_valet_mode", {"on": 1, "password": "1234"}),
        ("set_valet_mode", {"on": True, "password": 1234}),
        ("speed_limit_activate", {"pin": 1234}),
    ):
        reply = await fleet_client.send(f"command/{command}", json=values)
        assert (reply.status, reply.body["error"]) == (400, "invalid_request"), values


def test_moves_of_sunroof(car: SimulatedVehicle, clock: ManualClock) -> None:
    """The sunroof can vent, close, and stop. It does not accept the positions of the interface document."""
    car.switches.profile = "fleet-2024"
    moves = ((("vent",), 15, "vent"), (("close", "stop"), 15, "vent"), (("close",), 0, "closed"))
    for states, percent, position in moves:
        for state in states:
            assert not send(car, "sun_roof_control", state=state)
        clock.advance(5)
        body = shown(car, "vehicle_state")
        assert (body["sun_roof_percent_open"], body["sun_roof_state"]) == (percent, position)
    for state in ("open", "closed", "comfort", "move"):
        with pytest.raises(RequestError, match="invalid_request"):
            send(car, "sun_roof_control", state=state, percent="50")


async def test_newer_cars_require_signed_commands(simulator: SimulatedService, client: Client) -> None:
    """A Model S or X from before 2021 accepts unsigned commands."""
    simulator.switches.signing_required = "newer_cars"
    refusing = set()
    for index, vehicle in enumerate(simulator.vehicles):
        vehicle.wake_now()
        reply = await client.post(f"/api/1/vehicles/{vehicle.id}/command/honk_horn")
        if reply.status == 403:
            assert reply.body["error"].startswith("Tesla Vehicle Command Protocol required")
            refusing.add(index)
        assert vehicle.body.horn == (index not in refusing)
    assert refusing == {MODEL_3, MODEL_Y}


# Reads


async def test_endpoints(car: SimulatedVehicle, fleet_client: Client) -> None:
    """`endpoints` names the objects of vehicle_data. Only `location_data` adds the location.

    The schedules must be named. The active route belongs to `drive_state`.
    """
    await fleet_client.send("command/navigation_gps_request", json={"lat": 37.5, "lon": -122.2})
    for endpoints, objects, has_location, has_motion in (
        (None, set(OBJECTS), False, True),
        ("", set(OBJECTS), False, True),
        ("charge_state", {"charge_state"}, False, False),
        ("charge_state;vehicle_config;closures_state", {"charge_state", "vehicle_config"}, False, False),
        ("charge_state,vehicle_config", set(), False, False),
        ("drive_state", {"drive_state"}, False, True),
        ("location_data", {"drive_state"}, True, False),
        ("drive_state;location_data", {"drive_state"}, True, True),
        *((name, {name}, False, False) for name in SCHEDULES),
    ):
        query = {} if endpoints is None else {"endpoints": endpoints}
        data = (await fleet_client.get(f"{fleet_client.vehicle_path}/vehicle_data", params=query)).response
        assert data["vin"] == car.vin, endpoints
        assert data.keys() & {*OBJECTS, *SCHEDULES} == objects, endpoints
        fields = {name for name in data.get("drive_state", {}) if not name.startswith("active_route_")}
        assert ("active_route_destination" in data.get("drive_state", {})) is has_motion
        fields -= {"timestamp"}
        assert fields == (MOTION if has_motion else set()) | (LOCATION if has_location else set()), endpoints
    car.switches.profile = "current-2019"
    data = (await fleet_client.read("vehicle_data?endpoints=charge_state")).response
    assert data == (await fleet_client.read()).response


MISSING: Final = ("/data", "data_request", "vehicle_subscriptions", "notification")


async def test_missing_endpoints(car: SimulatedVehicle, fleet_client: Client) -> None:
    """The Fleet API lacks some documented endpoints, and has all others."""
    for endpoint in ENDPOINTS:
        path = endpoint["path"].replace("{id}", str(car.id))
        reply = await fleet_client.request(endpoint["method"], path, json={})
        assert (reply.status == 404) is any(part in path for part in MISSING), path


async def test_fleet_records(fleet_client: Client) -> None:
    """Every record of the Fleet API has some more fields. Only the list and the single record have a name."""
    listed = (await fleet_client.get("/api/1/vehicles")).response[0]
    single = (await fleet_client.get(fleet_client.vehicle_path)).response
    woken = (await fleet_client.send("wake_up", json={})).response
    data = (await fleet_client.read()).response
    for record in (listed, single, woken, data):
        assert record.keys() >= {"access_type", "granular_access", "api_version", "ble_autopair_enrolled"}
    assert listed["display_name"] == single["display_name"] == data["vehicle_state"]["vehicle_name"]
    assert not (woken.keys() | data.keys()) & {"display_name", "option_codes"}
    assert "charge_to_max_range" not in data["charge_state"]


# The account


LIMIT_HEADERS: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After")


@pytest.mark.parametrize(
    ("has_headers", "headers"),
    [
        (False, [[None] * 4, [None] * 4, [None, None, None, "300"]]),
        (True, [["2", "1", "60", None], ["2", "0", "50", None], ["2", "0", "40", "40"]]),
    ],
)
async def test_rate_limit(
    headers: Any, *, has_headers: bool, simulator: SimulatedService, clock: ManualClock, client: Client
) -> None:
    """Headers tell the limit, how many requests remain, and when it ends, also in a 429 response."""
    simulator.switches.rate_limit, simulator.switches.rate_limit_headers = 2, has_headers
    replies = []
    for _ in range(3):
        replies.append(await client.get(client.vehicle_path))
        clock.advance(10)
    assert [reply.status for reply in replies] == [200, 200, 429]
    assert [[reply.headers.get(name) for name in LIMIT_HEADERS] for reply in replies] == headers
    clock.advance(31)
    assert (await client.get(client.vehicle_path)).status == 200
