"""The simulated service agrees with the interface document: endpoints, records, fields, types and nulls."""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import SEATS, ManualClock, Simulator
from custom_components.vehicle_remote_access.simulator.http.car_commands import COMMANDS
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record, short_record

from ..api.conftest import documented
from .conftest import Act, Client, Reply, charge, send, sends
from .documented import (
    ENDPOINTS,
    FIELDS,
    PARAMETERS,
    Json,
    differences,
    full_record_fields,
    short_record_fields,
)

# Records and fields


SITUATIONS: Final[dict[str, tuple[Act, float]]] = {
    "at first": (lambda _: None, 0),
    "just woken": (lambda car: (car.fall_asleep(), car.wake()), 0),
    "asleep": (lambda car: car.fall_asleep(), 0),
    "charging": (charge, 600),
    "fast charging": (lambda car: charge(car, fast=True), 60),
    "charged": (lambda car: charge(car, 100), 0),
    "supply without power": (lambda car: (car.power_supply(on=False), charge(car)), 0),
    "scheduled charging": (lambda car: (car.schedule_charging(2), charge(car)), 0),
    "cable released": (lambda car: send(charge(car), "charge_port_door_open"), 0),
    "frozen": (
        lambda car: (car.set_temperatures(inside=-25, outside=-25), charge(car), car.climate_keeper("on")),
        5 * 86_400,
    ),
    "driving": (lambda car: (charge(car).unplug(), car.drive(20)), 60),
    "just parked": (lambda car: (charge(car).unplug(), car.drive(0.5)), 70),
    "empty": (lambda car: charge(car, 0).unplug(), 0),
    "in service": (lambda car: car.service(on=True), 0),
    "roof moving": (sends("sun_roof_control", state="open"), 0),
    "sentry": (lambda car: car.sentry(on=True), 0),
    "heated": (lambda car: [car.heat_seat(seat, level % 4) for level, seat in enumerate(SEATS)], 0),
    "update installing": (lambda car: car.offer_update(), 2800),
}
"""How a car gets into a situation: by an act, then by time in seconds."""


@pytest.mark.parametrize(("act", "seconds"), SITUATIONS.values(), ids=SITUATIONS)
def test_records_are_as_documented(act: Act, seconds: float, fleet: Simulator, clock: ManualClock) -> None:
    """In each situation every model's records have exactly their documented fields, types and nulls."""
    for car in fleet.vehicles:
        car.wake()
        act(car)
    clock.advance(seconds)
    for car in fleet.vehicles:
        car.catch_up()
        assert differences(short_record(car), short_record_fields()) == []
        assert differences(full_record(car), full_record_fields("current")) == []
        assert differences(full_record(car, is_legacy=True), full_record_fields("legacy"), "legacy") == []


async def test_field_is_null_at_first(client: Client) -> None:
    """A field that is null in every example of the document is null in the first car at the start."""
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


def test_commands_are_those_of_the_document() -> None:
    paths = [endpoint["path"].split("/") for endpoint in ENDPOINTS]
    assert set(COMMANDS) == {path[-1] for path in paths if path[-2] == "command"}


async def test_endpoint_has_no_other_method(client: Client) -> None:
    """A documented path responds to any other method with 405, and names the allowed methods."""
    for path in {endpoint["path"] for endpoint in ENDPOINTS}:
        known = {endpoint["method"] for endpoint in ENDPOINTS if endpoint["path"] == path}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - known:
            reply = await client.request(method, path.replace("/api/1/vehicles/{id}", client.vehicle_path))
            assert (reply.status, reply.response, reply.body["error"]) == (405, None, "invalid_method"), path
            assert set(reply.headers["Allow"].split(",")) == known, path
