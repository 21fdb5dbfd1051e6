"""The simulated service agrees with the interface document. Its cars, its start, and what an account has."""

from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.fleet import check_digit
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record, short_record
from simulator_console.fleet_car import FleetCar

from ..api.conftest import documented
from .conftest import Client, Reply
from .documented import ENDPOINTS, FIELDS, PARAMETERS, Json, differences


async def test_field_that_is_null_in_every_example_is_null_at_first(client: Client) -> None:
    data = (await client.read()).response
    values = [
        data[record][name]
        for record, fields in FIELDS.items()
        for name, field in fields.items()
        if field.get("null_in_every_example")
    ]
    assert set(values) == {None}


async def test_ids_and_option_codes(client: Client) -> None:
    """In every record id_s is the text of id, and works in a path. Option codes have four characters."""
    for record in (await client.get("/api/1/vehicles")).response:
        single = await client.get(f"/api/1/vehicles/{record['id_s']}")
        assert single.response["id"] == int(record["id_s"]) == record["id"]
        # The id is too large for the exact value of a float, and is not the vehicle_id.
        assert record["vehicle_id"] != record["id"] > 2**53
        assert {len(code) for code in record["option_codes"].split(",")} == {4}


async def request(endpoint: Json, client: Client, path: str = "", **more: Any) -> Reply:
    path = endpoint["path"].replace("/api/1/vehicles/{id}", path or client.vehicle_path)
    query = PARAMETERS.get(path.rpartition("/")[2], {})
    return await client.request(endpoint["method"], path, params=query, **more)


async def test_endpoints(client: Client) -> None:
    """A documented endpoint returns its payload under `response`, and needs the token and a vehicle."""
    for endpoint in ENDPOINTS:
        reply, name = await request(endpoint, client), f"{endpoint['method']} {endpoint['path']}"
        keys = {"response", "count"} if "count" in endpoint["response"] else {"response"}
        assert (reply.status, set(reply.body)) == (200, keys), name
        if "/command/" in endpoint["path"]:
            assert differences(reply.response, documented("endpoints")["command_result"]) == [], name
            # A reason is empty only if the command was carried out.
            assert reply.response["result"] is (reply.response["reason"] == ""), name
        assert (await request(endpoint, client, headers={})).status == 401, name
        if "{id}" in endpoint["path"]:
            assert (await request(endpoint, client, "/api/1/vehicles/17")).status == 404, name


async def test_endpoint_has_no_other_method(client: Client) -> None:
    """A documented path responds to any other method with 405, and names the allowed methods."""
    for path in {endpoint["path"] for endpoint in ENDPOINTS}:
        known = {endpoint["method"] for endpoint in ENDPOINTS if endpoint["path"] == path}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - known:
            reply = await client.request(method, path.replace("/api/1/vehicles/{id}", client.vehicle_path))
            assert (reply.status, reply.response, reply.body["error"]) == (405, None, "invalid_method"), path
            assert set(reply.headers["Allow"].split(",")) == known, path


async def test_reads_return_the_records(simulator: Simulator, car: FleetCar, client: Client) -> None:
    """Each read returns its record. A seat heater is a level, or a boolean in the legacy variant."""
    car.heat_seat("left", 2)
    current, legacy = full_record(car), full_record(car, is_legacy=True)
    assert (await client.read("vehicle_data")).response == current
    assert (await client.read("data")).response == legacy
    for name in ("charge_state", "climate_state", "drive_state", "gui_settings"):
        assert (await client.read(f"data_request/{name}")).response == current[name]
    # Only these four objects can be read separately.
    for name in ("vehicle_state", "vehicle_config", "else"):
        assert (await client.read(f"data_request/{name}")).status == 404
    # A timestamp is in milliseconds, and gps_as_of is in seconds.
    drive_state = current["drive_state"]
    assert drive_state["timestamp"] // 1000 == drive_state["gps_as_of"] == int(car.clock.now())
    heaters = [record["climate_state"]["seat_heater_left"] for record in (current, legacy)]
    assert (heaters, type(heaters[1])) == ([2, True], bool)
    assert (await client.get(client.vehicle_path)).response == short_record(car)
    listed = await client.get("/api/1/vehicles")
    assert listed.response == [short_record(vehicle) for vehicle in simulator.vehicles]
    assert listed.body["count"] == 5


async def test_service_data(car: SimulatedVehicle, client: Client) -> None:
    assert (await client.read("service_data")).response == {}
    car.service(on=True)
    record = (await client.read("service_data")).response
    assert set(record) == {"service_status", "service_etc", "service_visit_number", "status_id"}


async def test_response_is_json_with_a_request_id(client: Client) -> None:
    replies = [await client.get(client.vehicle_path), await client.get(client.vehicle_path)]
    assert {reply.headers["Content-Type"] for reply in replies} == {"application/json; charset=utf-8"}
    assert replies[0].headers["X-Request-Id"] != replies[1].headers["X-Request-Id"]


# The cars and the account


@given(seed=st.integers(-(10**9), 10**9))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_vins(seed: int) -> None:
    """Every VIN has its check digit. The same seed gives the same cars, another seed other VINs."""
    cars, again, others = [Simulator(vehicles=12, seed=each).vehicles for each in (seed, seed, seed + 1)]
    assert check_digit("1M8GDM9AXKP042788") == "X"
    assert all(check_digit(car.vin) == car.vin[8] for car in cars)
    assert len({car.name for car in cars}) == 12
    assert [car.identity for car in cars] == [car.identity for car in again]
    assert len({car.vin for car in (*cars, *others)}) == 24


def test_equipment() -> None:
    """The first car has the equipment for every command. Of the others, some lack it."""
    first, *others = [vehicle.model for vehicle in Simulator(vehicles=5).vehicles]
    for name in ("sun_roof_installed", "plg", "motorized_charge_port", "can_actuate_trunks"):
        assert getattr(first, name), name
        assert not all(getattr(other, name) for other in others), name
    for name in ("rhd", "eu_vehicle", "rear_seat_heaters"):
        assert len({bool(getattr(equipment, name)) for equipment in (first, *others)}) == 2, name


async def test_start_and_stop(client: Client, simulator: Simulator) -> None:
    """A port in use raises an error. A stopped service can't be reached, and can be stopped again."""
    other = Simulator()
    assert other.token != Simulator().token
    with pytest.raises(OSError, match="address already in use"):
        await other.start(int(simulator.url.rpartition(":")[2]))
    await simulator.stop()
    await simulator.stop()
    with pytest.raises(OSError, match="Cannot connect"):
        await client.get(client.vehicle_path)


async def test_subscriptions(simulator: Simulator, client: Client) -> None:
    """A device is subscribed to all vehicles, or to those in its request that the account has."""
    path, query = "/api/1/vehicle_subscriptions", {"device_type": "android", "device_token": "d"}
    everything, own = [vehicle.id for vehicle in simulator.vehicles], simulator.vehicles[2].id
    assert (await client.get(path, params=query)).response == everything
    for vehicle_ids in (f"{own},7", [own, 7]):
        body = {**query, "vehicle_ids": vehicle_ids}
        assert (await client.post(path, json=body)).response == [own]
    assert (await client.get(path, params=query)).response == [own]
    assert (await client.get(path, params={**query, "device_token": "other"})).response == everything
    lists = [{"device_type": "ios", "vehicle_ids": ids} for ids in (7, ["x"], [None])]
    for wrong in ({}, {"device_type": "toaster"}, *lists):
        assert (await client.post(path, json=wrong)).status == 400, wrong


async def test_notifications(client: Client) -> None:
    """Preferences are stored for each device type and platform. A confirmation is accepted."""
    path = "/api/1/notification_preferences"
    query = {"subscription_device_type": "ios-beta", "platform": "p"}
    assert (await client.get(path, params=query)).response == {}
    assert (await client.post(path, params=query, json={"charging": True})).response == {"charging": True}
    assert (await client.get(path, params=query)).response == {"charging": True}
    assert (await client.get(path, params={"device_type": "ios"})).response == {}
    assert (await client.post("/api/1/notification_confirmations", json={"id": 1})).response is True
