"""The simulated service agrees with the interface document: endpoints, records, fields, types and nulls."""

from contextlib import suppress
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import (
    ControlError,
    ManualClock,
    SimulatedVehicle,
    Simulator,
)
from custom_components.vehicle_remote_access.simulator.http.commands import COMMANDS
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record, short_record

from .conftest import Act, Client, Reply, send, sends, shown
from .documented import (
    ENDPOINTS,
    FIELDS,
    PARAMETERS,
    Json,
    VariantName,
    differences,
    documented,
    full_record_fields,
    short_record_fields,
)

# Records and fields


@pytest.mark.parametrize(
    ("name", "fields", "variant"),
    [
        ("data", full_record_fields("legacy"), "legacy"),
        ("vehicle_data", full_record_fields("current"), "current"),
        ("wake_up", short_record_fields(), "current"),
    ],
)
def test_example_has_the_fields_of_the_tables(name: str, fields: Json, variant: VariantName) -> None:
    """The document's example responses have exactly the fields of its tables."""
    response = documented(name)["response"]
    for record in response if isinstance(response, list) else [response]:
        assert differences(record, fields, variant) == []


def free(car: SimulatedVehicle) -> SimulatedVehicle:
    """Return the car without a cable in its port."""
    with suppress(ControlError):
        car.unplug()
    return car


def plug_in(car: SimulatedVehicle, *, level: float = 40, fast: bool = False) -> SimulatedVehicle:
    """Return the car in a new charging session that started at a level."""
    free(car).set_level(level)
    car.plug_in(fast=fast)
    return car


def freeze(car: SimulatedVehicle) -> None:
    """Cool the car for some days, and heat the cabin with the cable in."""
    car.set_temperatures(inside=-25, outside=-25)
    plug_in(car)
    car.climate_keeper("on")


def heat_every_seat(car: SimulatedVehicle) -> None:
    """Switch on every seat heater."""
    for level, seat in enumerate(("left", "right", "rear_left", "rear_center", "rear_right")):
        car.heat_seat(seat, level % 4)
    car.heat_seat("third_row_left", 1)
    car.heat_seat("third_row_right", 2)


type Situation = tuple[Act, float, str, Any]
"""How a car gets into a situation: by an act, then by time in seconds. A field of the first car shows it."""

SITUATIONS: Final[dict[str, Situation]] = {
    "at first": (lambda car: car, 0, "state", "online"),
    "just woken": (lambda car: (car.fall_asleep(), car.wake()), 0, "climate_state.inside_temp", None),
    "asleep": (lambda car: car.fall_asleep(), 0, "state", "asleep"),
    "charging": (plug_in, 600, "charge_state.charging_state", "Charging"),
    "fast charging": (lambda car: plug_in(car, fast=True), 60, "charge_state.fast_charger_present", True),
    "charged": (lambda car: plug_in(car, level=100), 0, "charge_state.charging_state", "Complete"),
    "supply without power": (
        lambda car: (car.power_supply(on=False), plug_in(car)),
        0,
        "charge_state.charging_state",
        "NoPower",
    ),
    "scheduled charging": (
        lambda car: (car.schedule_charging(2), plug_in(car)),
        0,
        "charge_state.scheduled_charging_pending",
        True,
    ),
    "cable released": (
        lambda car: send(plug_in(car), "charge_port_door_open"),
        0,
        "charge_state.charge_port_latch",
        "Disengaged",
    ),
    "frozen": (freeze, 5 * 86_400, "climate_state.is_front_defroster_on", True),
    "driving": (lambda car: free(car).drive(20), 60, "drive_state.speed", 65),
    "just parked": (lambda car: free(car).drive(0.5), 70, "drive_state.shift_state", "P"),
    "empty": (lambda car: free(car).set_level(0), 0, "charge_state.battery_level", 0),
    "in service": (lambda car: car.service(on=True), 0, "in_service", True),
    "roof moving": (sends("sun_roof_control", state="open"), 0, "vehicle_state.sun_roof_state", "moving"),
    "sentry": (lambda car: car.sentry(on=True), 0, "vehicle_state.sentry_mode", True),
    "all seats heated": (heat_every_seat, 0, "climate_state.seat_heater_third_row_right", 2),
    "update installing": (lambda car: car.offer_update(), 2800, "state", "offline"),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_records_are_as_documented(name: str, fleet: Simulator, clock: ManualClock) -> None:
    """In each situation every model's records have exactly their documented fields, types and nulls."""
    act, seconds, path, value = SITUATIONS[name]
    for car in fleet.vehicles:
        car.wake()
        act(car)
    clock.advance(seconds)
    assert shown(fleet.vehicles[0], path) == value
    for car in fleet.vehicles:
        car.catch_up()
        assert differences(short_record(car), short_record_fields()) == []
        assert differences(full_record(car, Variant.CURRENT), full_record_fields("current")) == []
        assert differences(full_record(car, Variant.LEGACY), full_record_fields("legacy"), "legacy") == []


async def test_field_is_null_at_first(client: Client) -> None:
    """A field that is null in every example of the document is null in the first car at the start."""
    data = (await client.read()).response
    names = [
        (record, name)
        for record, fields in FIELDS.items()
        for name, field in fields.items()
        if field.get("null_in_every_example")
    ]
    assert names
    assert [(record, name) for record, name in names if data[record][name] is not None] == []


async def test_ids_and_option_codes(client: Client) -> None:
    """In every record id_s is the text of id, and works in a path. Option codes have four characters."""
    for record in (await client.get("/api/1/vehicles")).response:
        single = await client.get(f"/api/1/vehicles/{record['id_s']}")
        assert single.response["id"] == int(record["id_s"]) == record["id"]
        # The id is too large for the exact value of a float, and is not the vehicle_id.
        assert record["vehicle_id"] != record["id"] > 2**53
        assert {len(code) for code in record["option_codes"].split(",")} == {4}


# Endpoints


async def request(endpoint: Json, client: Client, path: str = "", **more: Any) -> Reply:
    """Send a request to an endpoint with valid parameters."""
    path = endpoint["path"].replace("/api/1/vehicles/{id}", path or client.vehicle_path)
    query = PARAMETERS.get(path.rpartition("/")[2], {})
    return await client.request(endpoint["method"], path, params=query, **more)


async def test_endpoints(client: Client) -> None:
    """A documented endpoint returns its payload under `response`, and needs the token and a vehicle.

    A command returns its result, and a reason that is empty only if it was carried out.
    """
    for endpoint in ENDPOINTS:
        reply, name = await request(endpoint, client), f"{endpoint['method']} {endpoint['path']}"
        keys = {"response", "count"} if "count" in endpoint["response"] else {"response"}
        assert (reply.status, set(reply.body)) == (200, keys), name
        if "/command/" in endpoint["path"]:
            assert differences(reply.response, documented("endpoints")["command_result"]) == [], name
            assert reply.response["result"] is (reply.response["reason"] == ""), name
        assert (await request(endpoint, client, headers={})).status == 401, name
        if "{id}" in endpoint["path"]:
            assert (await request(endpoint, client, "/api/1/vehicles/17")).status == 404, name


def test_commands_are_those_of_the_document() -> None:
    """The service has the documented commands and no others."""
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
