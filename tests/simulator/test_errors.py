"""The error responses of the service, and where it reads parameters."""

from io import BytesIO
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.car_commands import COMMANDS
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record

from .conftest import PASSWORD, TOKEN, Act, Client, Reply

OFFLINE: Final = "vehicle unavailable: vehicle is offline or asleep"
IN_SERVICE: Final = "vehicle is currently in service"
PINS: Final = ("", "123", "12345", "12a4", " 123", "-123", "1.23", "١٢٣٤")


async def test_token(simulator: Simulator, client: Client) -> None:
    """The word Bearer may have any case. A new token makes the old one invalid."""

    async def read(authorization: str) -> Reply:
        return await client.get(client.vehicle_path, headers={"Authorization": authorization})

    for scheme in ("bearer", "BEARER", "Bearer "):
        assert (await read(f"{scheme} {TOKEN}")).status == 200
    simulator.token = "another"
    for wrong in ("", "another", f"Bearer {TOKEN}", "Basic another"):
        reply = await read(wrong)
        assert reply.status == 401
        assert reply.body == {"response": None, "error": "invalid_token", "error_description": ""}
        assert reply.headers["WWW-Authenticate"] == "Bearer"


async def test_wrong_request(client: Client) -> None:
    for method, path, status, error in (
        ("GET", "/api/1/nothing", 404, "not_found"),
        ("GET", "/", 404, "not_found"),
        ("GET", "/api/1/vehicles/1.0", 404, "not_found"),
        ("GET", f"/api/1/vehicles/{'9' * 5000}", 404, "not_found"),
        ("GET", "/api/1/vehicles?page=none", 400, "invalid_request"),
        ("GET", "/api/1/vehicles?page=0", 400, "invalid_request"),
        ("POST", "{car}/command/jump", 404, "not_found"),
    ):
        reply = await client.request(method, path.format(car=client.vehicle_path))
        assert (reply.status, reply.body["response"], reply.body["error"]) == (status, None, error), path[:50]


async def test_wrong_parameter(client: Client) -> None:
    """A missing or invalid parameter gets a 400 response, with another error if a limit is out of range."""
    for command, queries in (
        ("set_temps", [{}, {"driver_temp": "warm"}, {"driver_temp": "nan"}]),
        ("set_charge_limit", [{}]),
        ("sun_roof_control", [{"state": state} for state in ("ajar", "stop", "move")]),
        ("sun_roof_control", [{"state": "move", "percent": "101"}]),
        ("actuate_trunk", [{}, {"which_trunk": "trunk"}]),
        ("set_valet_mode", [{}, {"on": "perhaps"}, *({"on": "true", "password": pin} for pin in PINS)]),
        ("speed_limit_activate", [{}, *({"pin": pin} for pin in PINS)]),
        ("speed_limit_deactivate", [{}, {"pin": "12345"}]),
        ("speed_limit_clear_pin", [{}, {"pin": "12345"}]),
        ("speed_limit_set_limit", [{}, *({"limit_mph": limit} for limit in ("49.9", "90.1", "-60"))]),
        ("upcoming_calendar_entries", [{}, {"calendar_data": "no JSON"}, {"calendar_data": "[]"}]),
    ):
        for query in queries:
            reply = await client.command(command, **query)
            error = "invalid_field" if "limit_mph" in query else "invalid_request"
            assert (reply.status, reply.body["error"]) == (400, error), query


async def test_remote_start_needs_the_password(car: SimulatedVehicle, client: Client) -> None:
    for query in ({}, {"password": "wrong"}):
        reply = await client.command("remote_start_drive", **query)
        assert (reply.status, reply.response, reply.body["error"]) == (200, None, "Authorization Required")
        assert not car.body.remote_start
    assert not (await client.command("remote_start_drive", password=PASSWORD)).reason


BODIES: Final[dict[str, tuple[bytes, str]]] = {
    "no JSON": (b"{", "application/json"),
    "no object": (b"[1]", "application/json"),
    "invalid UTF-8": (b'{"percent": "\xff"}', "application/json"),
    "unknown charset": (b'{"percent": 70}', "application/json; charset=none"),
    "wrong charset": (b"\xff{}", "text/plain; charset=ascii"),
    "too deeply nested": (b"[" * 100_000, "application/json"),
    "form without boundary": (b"percent=70", "multipart/form-data"),
    "number too long": (b'{"percent": ' + b"9" * 5000 + b"}", "application/json"),
    "infinity": (b'{"percent": 1e999}', "application/json"),
}


async def test_unreadable_body(client: Client) -> None:
    path = f"{client.vehicle_path}/command/set_charge_limit"
    for name, (data, content_type) in BODIES.items():
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": content_type}
        reply = await client.post(path, data=data, headers=headers)
        assert (reply.status, reply.response, reply.body["error"]) == (400, None, "invalid_request"), name
    for body in ({"data": b'{"sound": NaN}'}, {"data": {"sound": BytesIO(b"horn")}}):
        query = {"device_type": "ios"}
        assert (await client.post("/api/1/notification_preferences", params=query, **body)).status == 400


@pytest.mark.parametrize(
    "more",
    [
        {"params": {"percent": "66"}},
        {"data": {"percent": "66"}},
        {"json": {"percent": 66}},
        {"json": {"percent": "66"}},
        {"params": {"percent": "66"}, "json": {"percent": 77}},
    ],
    ids=["query", "form", "JSON", "JSON text", "query before JSON"],
)
async def test_query_takes_precedence_over_form_and_body(more: dict[str, Any], client: Client) -> None:
    await client.post(f"{client.vehicle_path}/command/set_charge_limit", **more)
    assert await client.value("charge_state.charge_limit_soc") == 66


@pytest.mark.parametrize(
    ("act", "status", "error"),
    [
        (lambda car: car.fall_asleep(), 408, OFFLINE),
        (lambda car: car.coverage(on=False), 408, OFFLINE),
        (lambda car: car.service(on=True), 405, IN_SERVICE),
        (lambda car: (car.fall_asleep(), car.service(on=True)), 405, IN_SERVICE),
        (lambda car: car.mobile_access(on=False), 401, "mobile_access_disabled"),
    ],
    ids=["asleep", "offline", "in service", "asleep in service", "access off"],
)
async def test_unreachable(act: Act, status: int, error: str, car: SimulatedVehicle, client: Client) -> None:
    """A car that can't be contacted refuses live reads and commands for that reason, and nothing changes."""
    assert (await client.read("mobile_enabled")).response is True
    act(car)
    before = full_record(car)
    live = ["data", "vehicle_data", "data_request/drive_state"]
    if status == 401:
        assert (await client.read("mobile_enabled")).response is False
    else:
        live.append("mobile_enabled")
    replies = [await client.read(read) for read in live]
    replies += [await client.command(command) for command in COMMANDS]
    if status != 408:
        replies.append(await client.post(f"{client.vehicle_path}/wake_up"))
    for reply in replies:
        assert reply.status == status
        assert reply.body == {"response": None, "error": error, "error_description": ""}
    assert (full_record(car), car.body.horn) == (before, 0)
    assert (await client.get("/api/1/vehicles")).response[0]["in_service"] is car.in_service
    for is_on, control in ((False, car.service), (True, car.coverage), (True, car.mobile_access)):
        control(on=is_on)
    car.wake()
    assert (await client.read()).response["in_service"] is False
