"""The reads: records, the list, and what is not live."""

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record, short_record

from .conftest import Client


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
