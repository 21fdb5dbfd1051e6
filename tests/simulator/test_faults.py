"""Injected faults, and the switches for differences from the interface document."""

import asyncio
from collections.abc import Callable
from math import inf

from aiohttp import ClientError, ClientOSError, ClientPayloadError, ServerDisconnectedError
import pytest

from custom_components.vehicle_remote_access.simulator import Request, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.faults.faults import (
    AnyFault,
    ChangedResponse,
    DropMode,
    DroppedResponse,
    Faults,
    ResponseFault,
)
from simulator_console.service_faults import ServiceFaults
from simulator_console.services import SimulatedService

from .conftest import Client, send, shown


@pytest.fixture
def faults(simulator: SimulatedService) -> ServiceFaults:
    return simulator.faults


async def test_answer(faults: Faults, client: Client) -> None:
    """The next request gets a wrong response with any body. Without one it has the body of an error."""
    for status, body, shown_body in (
        (502, None, {"response": None, "error": "Bad Gateway", "error_description": ""}),
        (540, None, {"response": None, "error": "error 540", "error_description": ""}),
        (502, "<html>", "<html>"),
        (502, [1], [1]),
        (200, {"response": 7}, {"response": 7}),
        # Bytes are sent as they are, as JSON.
        (200, b'{"response": Infinity}', {"response": inf}),
    ):
        faults.answer(status, body=body)
        reply = await client.get(client.vehicle_path)
        assert (reply.status, reply.body) == (status, shown_body)
    assert await client.state() == "online"


async def test_answer_although_obeyed(faults: Faults, car: SimulatedVehicle, client: Client) -> None:
    faults.answer(502, only="honk_horn", is_obeyed=True)
    faults.answer(429, only="honk_horn", headers={"Retry-After": "17"})
    assert await client.state() == "online"
    replies = [await client.command("honk_horn") for _ in range(3)]
    assert ([reply.status for reply in replies], car.body.horn) == ([502, 429, 200], 2)
    assert replies[1].headers["Retry-After"] == "17"


# aiohttp repeats a GET by itself, so these requests are commands.
@pytest.mark.parametrize(
    ("how", "error", "is_obeyed"),
    [
        ("reset", ClientOSError, True),
        ("reset", ClientOSError, False),
        ("close", ServerDisconnectedError, True),
        ("cut", ClientPayloadError, False),
    ],
)
async def test_connection_ends_before_the_response(
    how: DropMode, error: type[Exception], *, is_obeyed: bool, simulator: Simulator, client: Client
) -> None:
    simulator.faults.fail(how, only="honk_horn", is_obeyed=is_obeyed)
    with pytest.raises(error):
        await client.command("honk_horn")
    assert simulator.vehicles[0].body.horn == is_obeyed
    assert not (await client.command("honk_horn")).reason


@pytest.mark.parametrize(
    ("how", "status"), [("reset", 0), ("close", 0), ("silence", 0), ("cut", 200), ("endless", 200)]
)
async def test_drop_is_logged(how: DropMode, status: int, simulator: Simulator, client: Client) -> None:
    """A request with a dropped response is logged once. When the client gives up, no task remains."""
    tasks = asyncio.all_tasks()
    simulator.faults.fail(how)
    task = asyncio.create_task(client.post(client.vehicle_path))
    await _until(lambda: simulator.requests)
    assert list(simulator.requests) == [Request("POST", client.vehicle_path, {}, status)]
    assert simulator.unanswered == (how == "silence")
    task.cancel()
    await _until(lambda: not simulator.unanswered and asyncio.all_tasks() <= tasks)


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0)


@pytest.mark.parametrize("how", ["silence", "endless"])
async def test_stop_does_not_wait_for_responses(how: DropMode, simulator: Simulator, client: Client) -> None:
    """A client that waits for the end of a response gets an error when the service stops."""
    simulator.faults.fail(how)
    task = asyncio.create_task(client.post(client.vehicle_path))
    await _until(lambda: simulator.requests)
    began = asyncio.get_running_loop().time()
    await simulator.stop()
    assert asyncio.get_running_loop().time() < began + 0.5
    with pytest.raises(ClientError):
        await task


async def test_faults_form_a_queue(faults: Faults, client: Client) -> None:
    with pytest.raises(ValueError, match="at least one request"):
        faults.answer(500, times=0)
    faults.answer(503, times=2)
    faults.fail("close")
    faults.answer(500, only="wake_up")
    faults.answer(504)
    statuses = [await _status_of_horn(client) for _ in range(5)]
    assert statuses == [503, 503, 0, 504, 200]
    assert (await client.post(f"{client.vehicle_path}/wake_up")).status == 500


async def _status_of_horn(client: Client) -> int:
    try:
        return (await client.command("honk_horn")).status
    except ClientError:
        return 0


async def test_faults_at_random(faults: ServiceFaults, client: Client) -> None:
    """A share of all requests gets a fault. The same seed gives the same faults, and all are counted."""
    among: list[AnyFault] = [
        ResponseFault(503),
        ResponseFault(200, "<html>", name="html"),
        DroppedResponse("close", is_obeyed=True),
        ChangedResponse("no reason", lambda result: {"result": result["result"]}, only="/command/"),
    ]
    runs = []
    for _ in range(2):
        faults.at_random(0.4, 7, among)
        runs.append([await _status_of_horn(client) for _ in range(50)])
    assert runs[0] == runs[1]
    assert {0, 200, 503} == set(runs[0])
    assert set(faults.injected) == {"503", "html", "close", "no reason"}
    assert 20 < faults.injected.total() < 60
    assert faults.injected["close"] == 2 * runs[0].count(0)


async def test_switched_status(car: SimulatedVehicle, client: Client) -> None:
    for switch, value, method, path, status in (
        ("list", False, "GET", "/api/1/vehicles", 404),
        ("profile", "legacy-2018", "GET", "{car}/vehicle_data", 404),
        ("profile", "legacy-2018", "GET", "{car}/data", 200),
        ("profile", "fleet-2024", "GET", "/api/1/vehicles/{vin}", 200),
        ("id_in_path", False, "GET", "{car}", 404),
        ("profile", "current-2019", "GET", "/api/1/vehicles/{vin}", 404),
        ("profile", "fleet-2024", "POST", "{car}/command/honk_horn", 406),
    ):
        setattr(car.switches, switch, value)
        reply = await client.request(method, path.format(car=client.vehicle_path, vin=car.vin))
        assert reply.status == status, (switch, value, path)


def test_switched_car(car: SimulatedVehicle) -> None:
    assert shown(car, "api_version") == 5
    car.switches.profile = "legacy-2018"
    assert shown(car, "api_version") == 4
    car.switches.remote_password = "any"
    assert not send(car, "remote_start_drive")
