"""The simulated service agrees with the interface document: endpoints, records, fields, types and nulls."""

from typing import Any

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record, short_record

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


async def test_reads_return_the_records(simulator: Simulator, car: SimulatedVehicle, client: Client) -> None:
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
