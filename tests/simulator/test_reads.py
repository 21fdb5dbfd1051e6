"""The reads, beyond the fields of the interface document: the list, times, and separate records."""

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator

from .conftest import Client


@pytest.mark.parametrize("record", ["charge_state", "climate_state", "drive_state", "gui_settings"])
async def test_data_request_returns_one_object(record: str, client: Client) -> None:
    """An object that is read separately is the one of the current variant."""
    alone = await client.get(f"{client.vehicle_path}/data_request/{record}")
    assert alone.response == (await client.data())[record]


@pytest.mark.parametrize("record", ["vehicle_state", "vehicle_config", "else"])
async def test_other_objects_cannot_be_read_separately(record: str, client: Client) -> None:
    """Only four objects can be read separately."""
    assert (await client.get(f"{client.vehicle_path}/data_request/{record}")).status == 404


async def test_list_has_every_vehicle(simulator: Simulator, client: Client) -> None:
    """The list has a record of each vehicle, and their number."""
    reply = await client.get("/api/1/vehicles")
    assert [record["vin"] for record in reply.response] == [vehicle.vin for vehicle in simulator.vehicles]
    assert reply.body["count"] == 5


async def test_list_has_pages(clock: ManualClock, simulator: Simulator, client: Client) -> None:
    """A page has a hundred vehicles. The last page has the remaining ones."""
    large_account = Simulator(vehicles=130, token=simulator.token, clock=clock)
    url = await large_account.start()
    simulator.url, own = url, simulator.url
    pages = [len((await client.get(f"/api/1/vehicles?page={page}")).response) for page in (1, 2, 3)]
    simulator.url = own
    await large_account.stop()
    assert pages == [100, 30, 0]


async def test_id_does_not_fit_into_a_float(client: Client) -> None:
    """The id is too large for the exact value of a float, and is not the vehicle_id."""
    record = (await client.get(client.vehicle_path)).response
    assert record["id"] > 2**53
    assert record["vehicle_id"] != record["id"]


async def test_timestamps_are_milliseconds(clock: ManualClock, client: Client) -> None:
    """A timestamp is in milliseconds, and gps_as_of is in seconds."""
    drive_state = await client.value("drive_state")
    assert drive_state["timestamp"] // 1000 == drive_state["gps_as_of"] == int(clock.now())


async def test_legacy_seat_heaters_are_booleans(car: SimulatedVehicle, client: Client) -> None:
    """A seat heater is a level in the current variant, and a boolean in the legacy variant."""
    car.heat_seat("left", 2)
    assert (await client.data("vehicle_data"))["climate_state"]["seat_heater_left"] == 2
    assert (await client.data("data"))["climate_state"]["seat_heater_left"] is True


async def test_mobile_enabled_is_a_boolean(client: Client) -> None:
    """mobile_enabled is true if remote access is allowed."""
    assert (await client.get(f"{client.vehicle_path}/mobile_enabled")).response is True


async def test_service_data_is_empty_on_the_road(client: Client) -> None:
    """A car that is not in service has no service data."""
    assert (await client.get(f"{client.vehicle_path}/service_data")).response == {}


async def test_service_data_of_a_car_in_service(car: SimulatedVehicle, client: Client) -> None:
    """A car in service has the data of its visit."""
    car.service(on=True)
    record = (await client.get(f"{client.vehicle_path}/service_data")).response
    assert set(record) == {"service_status", "service_etc", "service_visit_number", "status_id"}


async def test_response_is_json_with_a_request_id(client: Client) -> None:
    """Every response is JSON and has its own request id."""
    replies = [await client.get(client.vehicle_path), await client.get(client.vehicle_path)]
    assert {reply.headers["Content-Type"] for reply in replies} == {"application/json; charset=utf-8"}
    assert replies[0].headers["X-Request-Id"] != replies[1].headers["X-Request-Id"]
