"""The error responses of the service."""

from typing import Any

import pytest

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator, Switches

from .conftest import TOKEN, Client


@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer other"}, {"Authorization": TOKEN}, {"Authorization": f"Basic {TOKEN}"}],
)
async def test_wrong_token(headers: dict[str, str], client: Client) -> None:
    """Without the correct token every request gets a 401 response."""
    reply = await client.get(client.vehicle_path, headers=headers)
    assert reply.status == 401
    assert reply.body == {"response": None, "error": "invalid_token", "error_description": ""}
    assert reply.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer "])
async def test_scheme_in_any_case(scheme: str, client: Client) -> None:
    """The word Bearer may have any case."""
    assert (
        await client.get(client.vehicle_path, headers={"Authorization": f"{scheme} {TOKEN}"})
    ).status == 200


async def test_replaced_token(simulator: Simulator, client: Client) -> None:
    """A new token makes the old one invalid."""
    simulator.token = "another"
    assert (await client.get(client.vehicle_path)).status == 401


@pytest.mark.parametrize(
    ("method", "path", "status", "error"),
    [
        ("GET", "/api/1/nothing", 404, "not_found"),
        ("GET", "/", 404, "not_found"),
        ("GET", "/api/1/vehicles/17", 404, "not_found"),
        ("GET", "/api/1/vehicles/1.0", 404, "not_found"),
        pytest.param("GET", f"/api/1/vehicles/{'9' * 5000}", 404, "not_found", id="5000 digits"),
        ("GET", "/api/1/vehicles?page=none", 400, "invalid_request"),
        ("GET", "/api/1/vehicles?page=0", 400, "invalid_request"),
        ("POST", "/api/1/vehicles", 405, "invalid_method"),
        ("POST", "{car}/vehicle_data", 405, "invalid_method"),
        ("GET", "{car}/command/honk_horn", 405, "invalid_method"),
        ("POST", "{car}/command/jump", 404, "not_found"),
    ],
)
async def test_wrong_request(method: str, path: str, status: int, error: str, client: Client) -> None:
    """An unknown path, method or parameter gets an error response in the envelope."""
    reply = await client.request(method, path.format(car=client.vehicle_path))
    assert (reply.status, reply.body["response"], reply.body["error"]) == (status, None, error)


@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("set_temps", {}),
        ("set_temps", {"driver_temp": "warm"}),
        ("set_temps", {"driver_temp": "nan"}),
        ("set_charge_limit", {}),
        ("sun_roof_control", {"state": "ajar"}),
        ("sun_roof_control", {"state": "move"}),
        ("sun_roof_control", {"state": "move", "percent": "101"}),
        ("actuate_trunk", {}),
        ("actuate_trunk", {"which_trunk": "trunk"}),
        ("set_valet_mode", {}),
        ("set_valet_mode", {"on": "perhaps"}),
        ("set_valet_mode", {"on": "true", "password": "12"}),
        ("speed_limit_activate", {}),
        ("speed_limit_activate", {"pin": "12345"}),
        ("speed_limit_set_limit", {"limit_mph": "49"}),
        ("speed_limit_set_limit", {"limit_mph": "91"}),
        ("upcoming_calendar_entries", {}),
        ("upcoming_calendar_entries", {"calendar_data": "no JSON"}),
        ("upcoming_calendar_entries", {"calendar_data": "[]"}),
    ],
)
async def test_wrong_parameter(command: str, query: dict[str, str], client: Client) -> None:
    """A missing, invalid or out-of-range parameter gets a 400 response."""
    assert (await client.command(command, **query)).status == 400


@pytest.mark.parametrize("body", ["{", "[1]"])
async def test_body_without_object(body: str, client: Client) -> None:
    """A body that is not a JSON object gets a 400 response."""
    assert (await client.post(f"{client.vehicle_path}/command/set_temps", data=body)).status == 400


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=of-mars", "multipart/form-data", "text/plain; charset=ascii"]
)
async def test_unreadable_body(content_type: str, client: Client) -> None:
    """A body with an unknown charset, or without the boundary of its parts, gets a 400 response."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": content_type}
    path = f"{client.vehicle_path}/command/set_temps"
    assert (await client.post(path, headers=headers, data=b"\xff{}")).status == 400


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
async def test_where_parameters_are_read(more: dict[str, Any], client: Client) -> None:
    """A parameter may be in the query, a form or a JSON body. The query takes precedence."""
    await client.post(f"{client.vehicle_path}/command/set_charge_limit", **more)
    assert await client.value("charge_state.charge_limit_soc") == 66


@pytest.mark.parametrize("path", ["vehicle_data", "data", "data_request/drive_state", "mobile_enabled"])
@pytest.mark.parametrize("state", ["asleep", "offline"])
async def test_unreachable_car(path: str, state: str, car: SimulatedVehicle, client: Client) -> None:
    """A live read of a car that can't be contacted gets a 408 response."""
    if state == "asleep":
        car.fall_asleep()
    else:
        car.coverage(on=False)
    reply = await client.get(f"{client.vehicle_path}/{path}")
    assert reply.status == 408
    assert reply.body["error"] == "vehicle unavailable: vehicle is offline or asleep"
    assert await client.state() == state


async def test_command_to_a_sleeping_car(car: SimulatedVehicle, client: Client) -> None:
    """A command to a sleeping car gets a 408 response and is not carried out."""
    car.fall_asleep()
    assert (await client.command("honk_horn")).status == 408
    assert car.body.horn == 0


async def test_car_in_service(car: SimulatedVehicle, client: Client) -> None:
    """A car in service refuses reads and commands, and its record says that it is in service."""
    car.service(on=True)
    replies = [
        await client.get(f"{client.vehicle_path}/vehicle_data"),
        await client.get(f"{client.vehicle_path}/mobile_enabled"),
        await client.command("honk_horn"),
        await client.post(f"{client.vehicle_path}/wake_up"),
    ]
    assert {(reply.status, reply.body["error"]) for reply in replies} == {
        (405, "vehicle is currently in service")
    }
    assert (await client.get(client.vehicle_path)).response["in_service"] is True


async def test_mobile_enabled_need_not_be_live(
    switches: Switches, car: SimulatedVehicle, client: Client
) -> None:
    """Some services return mobile_enabled without contacting the car."""
    switches.mobile_enabled_is_live = False
    car.fall_asleep()
    assert (await client.get(f"{client.vehicle_path}/mobile_enabled")).response is True


@pytest.mark.parametrize("status", [401, 405])
async def test_mobile_access_disabled(
    status: Any, car: SimulatedVehicle, switches: Switches, client: Client
) -> None:
    """A car with remote access disabled reports that, and refuses all else."""
    switches.mobile_code = status
    car.mobile_access(on=False)
    reply = await client.get(f"{client.vehicle_path}/vehicle_data")
    assert (reply.status, reply.body["error"]) == (status, "mobile_access_disabled")
    assert (await client.get(f"{client.vehicle_path}/mobile_enabled")).response is False


async def test_requests_are_logged(simulator: Simulator, client: Client) -> None:
    """The simulator logs every request with its status. The query is not in the representation."""
    await client.command("set_valet_mode", on="true", password="1234")
    logged = simulator.requests[-1]
    assert (logged.method, logged.path, logged.status) == (
        "POST",
        f"{client.vehicle_path}/command/set_valet_mode",
        200,
    )
    assert logged.query == {"on": "true", "password": "1234"}
    assert "1234" not in repr(logged)
