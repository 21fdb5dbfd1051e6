"""What the reads answer: every field of the interface document, where it belongs."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, Simulator, Vehicle

from .conftest import Client

DOCUMENTED: Final = json.loads((Path(__file__).parents[1] / "fixtures/documented_fields.json").read_text())
OBJECTS: Final = [
    "gui_settings",
    "vehicle_state",
    "climate_state",
    "charge_state",
    "drive_state",
    "vehicle_config",
]
READS: Final = {"current": "vehicle_data", "legacy": "data"}
TYPES: Final[dict[str, Any]] = {
    "integer": int,
    "number": int | float,
    "string": str,
    "boolean": bool,
    "object": dict,
    "array of string": list,
}


def documented(record: str, variant: str) -> dict[str, Any]:
    """Return the fields that the interface document gives a record in a variant."""
    fields = DOCUMENTED[record]
    return {name: about for name, about in fields.items() if variant in about["variants"]}


def fits(value: Any, about: dict[str, Any], variant: str) -> bool:
    """Return whether a value is of the documented type."""
    if value is None:
        return bool(about["nullable"])
    kind = about["type"][variant] if isinstance(about["type"], dict) else about["type"]
    if kind is None:
        return True
    return isinstance(value, TYPES[kind]) and (kind == "boolean") == isinstance(value, bool)


@pytest.mark.parametrize("variant", READS)
async def test_vehicle_record_has_the_documented_fields(variant: str, client: Client) -> None:
    """A data read has the fields of the vehicle record and the six objects, and no other."""
    assert set(await client.data(READS[variant])) == {*documented("vehicle", variant), *OBJECTS}


@pytest.mark.parametrize("variant", READS)
@pytest.mark.parametrize("record", OBJECTS)
async def test_object_has_the_documented_fields(record: str, variant: str, client: Client) -> None:
    """An object has the fields that its variant has, and no other."""
    assert set((await client.data(READS[variant]))[record]) == set(documented(record, variant))


@pytest.mark.parametrize("variant", READS)
@pytest.mark.parametrize("record", OBJECTS)
async def test_object_has_the_documented_types(
    record: str, variant: str, simulator: Simulator, client: Client
) -> None:
    """Every field is of the documented type, in every vehicle that is awake."""
    for vehicle in simulator.vehicles:
        vehicle.wake()
        reply = await client.get(f"/api/1/vehicles/{vehicle.id}/{READS[variant]}")
        answer = reply.response[record]
        wrong = [
            name
            for name, about in documented(record, variant).items()
            if not fits(answer[name], about, variant)
        ]
        assert not wrong


@pytest.mark.parametrize("record", ["charge_state", "climate_state", "drive_state", "gui_settings"])
async def test_data_request_answers_one_object(record: str, client: Client) -> None:
    """An object that is read alone is the one in the current variant."""
    alone = await client.get(f"{client.car}/data_request/{record}")
    assert alone.response == (await client.data())[record]


@pytest.mark.parametrize("record", ["vehicle_state", "vehicle_config", "else"])
async def test_other_objects_cannot_be_read_alone(record: str, client: Client) -> None:
    """Only four objects can be read alone."""
    assert (await client.get(f"{client.car}/data_request/{record}")).status == 404


async def test_list_holds_every_vehicle(simulator: Simulator, client: Client) -> None:
    """The list has a record of each vehicle, and says how many."""
    reply = await client.get("/api/1/vehicles")
    assert [each["vin"] for each in reply.response] == [vehicle.vin for vehicle in simulator.vehicles]
    assert reply.body["count"] == 5


@pytest.mark.parametrize("field", ["user_id", "api_version", "charge_state"])
async def test_short_record_lacks_what_the_data_reads_have(field: str, client: Client) -> None:
    """The record of a single read lacks what belongs to the data reads."""
    assert field not in (await client.get(client.car)).response


async def test_list_comes_in_pages(clock: ManualClock, simulator: Simulator, client: Client) -> None:
    """A page holds a hundred vehicles, the last one the rest."""
    crowd = Simulator(vehicles=130, token=simulator.token, clock=clock)
    url = await crowd.start()
    simulator.url, own = url, simulator.url
    pages = [len((await client.get(f"/api/1/vehicles?page={page}")).response) for page in (1, 2, 3)]
    simulator.url = own
    await crowd.stop()
    assert pages == [100, 30, 0]


async def test_id_does_not_fit_into_a_float(client: Client) -> None:
    """The id is larger than a float can hold exactly, and id_s is its text."""
    record = (await client.get(client.car)).response
    assert record["id"] > 2**53
    assert record["id_s"] == str(record["id"])
    assert record["vehicle_id"] != record["id"]


async def test_timestamps_are_milliseconds(clock: ManualClock, client: Client) -> None:
    """Timestamp is in milliseconds and gps_as_of in seconds."""
    drive_state = await client.value("drive_state")
    assert drive_state["timestamp"] // 1000 == drive_state["gps_as_of"] == int(clock.now())


async def test_legacy_seat_heaters_are_booleans(car: Vehicle, client: Client) -> None:
    """A seat that is heated says how much in the current variant, and only that in the legacy one."""
    car.heat_seat("left", 2)
    assert (await client.data("vehicle_data"))["climate_state"]["seat_heater_left"] == 2
    assert (await client.data("data"))["climate_state"]["seat_heater_left"] is True


async def test_mobile_enabled_answers_a_boolean(client: Client) -> None:
    """Mobile_enabled is true when remote access is allowed."""
    assert (await client.get(f"{client.car}/mobile_enabled")).response is True


async def test_service_data_is_empty_on_the_road(client: Client) -> None:
    """A car that is not in service has no service data."""
    assert (await client.get(f"{client.car}/service_data")).response == {}


async def test_service_data_of_a_car_in_service(car: Vehicle, client: Client) -> None:
    """A car in service has a visit."""
    car.service(on=True)
    record = (await client.get(f"{client.car}/service_data")).response
    assert set(record) == {"service_status", "service_etc", "service_visit_number", "status_id"}


async def test_answer_is_json_with_a_request_id(client: Client) -> None:
    """Every answer is JSON and can be told from the others."""
    replies = [await client.get(client.car), await client.get(client.car)]
    assert {reply.headers["Content-Type"] for reply in replies} == {"application/json; charset=utf-8"}
    assert replies[0].headers["X-Request-Id"] != replies[1].headers["X-Request-Id"]
