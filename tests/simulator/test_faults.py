"""Injected faults, and the switches for differences from the interface document."""

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Final

from aiohttp import ClientError, ClientOSError, ClientPayloadError, ClientSession, ServerDisconnectedError
import pytest

from custom_components.vehicle_remote_access.simulator import (
    AnyFault,
    ChangedResponse,
    DroppedResponse,
    Faults,
    ManualClock,
    Request,
    ResponseFault,
    SimulatedVehicle,
    Simulator,
    Switches,
)
from custom_components.vehicle_remote_access.simulator.faults.faults import DropMode

from .conftest import TOKEN, Client


@pytest.fixture
def faults(simulator: Simulator) -> Faults:
    """Return the service's faults."""
    return simulator.faults


async def test_answer(faults: Faults, client: Client) -> None:
    """The next requests get a wrong response, and later ones the correct response."""
    faults.answer(503, times=2)
    assert [(await client.get(client.vehicle_path)).status for _ in range(3)] == [503, 503, 200]


async def test_answer_only_for_a_path(faults: Faults, client: Client) -> None:
    """Only requests whose path contains the text get the wrong response."""
    faults.answer(429, headers={"Retry-After": "17"}, only="vehicle_data")
    assert (await client.get(client.vehicle_path)).status == 200
    assert (await client.get(f"{client.vehicle_path}/vehicle_data")).headers["Retry-After"] == "17"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (None, {"response": None, "error": "Bad Gateway", "error_description": ""}),
        ("<html>", "<html>"),
        ([1], [1]),
        ({"response": 7}, {"response": 7}),
    ],
)
async def test_answer_with_a_body(body: Any, shown: Any, faults: Faults, client: Client) -> None:
    """The wrong response may have any body. Without one it has the body of an error."""
    faults.answer(502, body=body)
    assert (await client.get(client.vehicle_path)).body == shown


async def test_answer_with_an_unusual_status(faults: Faults, client: Client) -> None:
    """The wrong response may have a status without a standard phrase."""
    faults.answer(540)
    assert (await client.get(client.vehicle_path)).body["error"] == "error 540"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("charge_state.battery_level", "many"),
        ("vehicle_state.speed_limit_mode.active", None),
        ("drive_state", 7),
        ("in_service", {"not": "a value"}),
        ("charge_state.new_field", 1),
    ],
)
async def test_corrupt_field(path: str, value: Any, faults: Faults, client: Client) -> None:
    """A corrupt field has the injected value."""
    faults.corrupt(path, value)
    assert await client.value(path) == value


@pytest.mark.parametrize("path", ["charge_state.battery_level", "drive_state", "vin"])
async def test_removed_field(path: str, faults: Faults, client: Client) -> None:
    """A removed field is missing, and the others remain."""
    *parents, name = path.split(".")
    faults.remove(path)
    holder = await client.data()
    for parent in parents:
        holder = holder[parent]
    assert name not in holder
    assert holder


async def test_corrupt_field_read_separately(faults: Faults, client: Client) -> None:
    """A field is corrupt also in an object that is read separately."""
    faults.corrupt("charge_state.battery_level", "many")
    reply = await client.get(f"{client.vehicle_path}/data_request/charge_state")
    assert reply.response["battery_level"] == "many"


async def test_corrupt_field_of_the_list(faults: Faults, client: Client) -> None:
    """A field of the vehicle record is corrupt also in the list. The list gets no additional fields."""
    faults.corrupt("state", 3)
    faults.corrupt("charge_state", None)
    record = (await client.get("/api/1/vehicles")).response[0]
    assert record["state"] == 3
    assert "charge_state" not in record


async def test_corrupt_conflicting_paths(faults: Faults, client: Client) -> None:
    """A corrupt field has no effect if its record is corrupt too."""
    faults.corrupt("charge_state", [])
    faults.corrupt("charge_state.battery_level", 3)
    assert await client.value("charge_state") == []


async def test_clear(faults: Faults, client: Client) -> None:
    """After clearing the faults all responses are correct."""
    faults.answer(500)
    faults.fail("reset")
    faults.at_random(1, 0, [ResponseFault(500)])
    faults.remove("charge_state")
    faults.serve("GET", client.vehicle_path, {})
    faults.clear()
    assert await client.value("charge_state.battery_level") == 72
    assert await client.state() == "online"


async def test_recorded_response(faults: Faults, client: Client) -> None:
    """A recorded response is sent for every request to its path, with the token."""
    faults.serve("get", "/api/1/products", {"response": []}, 203)
    replies = [await client.get("/api/1/products?x=1") for _ in range(2)]
    assert [(reply.status, reply.body) for reply in replies] == [(203, {"response": []})] * 2
    assert (await client.get("/api/1/products", headers={})).status == 401


async def test_answer_with_bytes(faults: Faults, client: Client) -> None:
    """A body of bytes is sent as it is, as JSON unless a header has another type."""
    nested = b"[" * 10_000 + b"]" * 10_000
    faults.answer(200, body=nested, headers={"Content-Type": "text/plain"})
    faults.answer(200, body=b'{"response": NaN}')
    assert (await client.get(client.vehicle_path)).body == nested.decode()
    assert (await client.get(client.vehicle_path)).response != 0


async def test_answer_although_obeyed(faults: Faults, car: SimulatedVehicle, client: Client) -> None:
    """A request with a wrong response may have been carried out anyway."""
    faults.answer(502, only="honk_horn", is_obeyed=True)
    faults.answer(502, only="honk_horn")
    statuses = [(await client.post(f"{client.vehicle_path}/command/honk_horn")).status for _ in range(3)]
    assert (statuses, car.body.horn) == ([502, 502, 200], 2)


# aiohttp repeats a GET by itself, so these requests are commands.
DROPPED: Final[tuple[tuple[DropMode, type[Exception]], ...]] = (
    ("reset", ClientOSError),
    ("close", ServerDisconnectedError),
    ("cut", ClientPayloadError),
)


@pytest.mark.parametrize(("how", "error"), DROPPED)
@pytest.mark.parametrize("is_obeyed", [True, False], ids=["obeyed", "not_obeyed"])
async def test_dropped_response(
    *,
    how: DropMode,
    error: type[Exception],
    is_obeyed: bool,
    faults: Faults,
    car: SimulatedVehicle,
    client: Client,
) -> None:
    """The connection ends before the response does, whether the car obeyed or not."""
    faults.fail(how, only="honk_horn", is_obeyed=is_obeyed)
    with pytest.raises(error):
        await client.command("honk_horn")
    assert car.body.horn == is_obeyed
    assert not (await client.command("honk_horn")).reason


@pytest.mark.parametrize(
    ("how", "status"), [("reset", 0), ("close", 0), ("silence", 0), ("cut", 200), ("endless", 200)]
)
async def test_dropped_response_is_logged(
    how: DropMode, status: int, faults: Faults, simulator: Simulator, client: Client
) -> None:
    """A request with a dropped response is logged once, with status 0 if nothing was sent."""
    faults.fail(how)
    task = asyncio.create_task(client.post(client.vehicle_path))
    await _until(lambda: simulator.requests)
    assert list(simulator.requests) == [Request("POST", client.vehicle_path, {}, status)]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _until(condition: Callable[[], object]) -> None:
    """Run the event loop until a condition holds."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0)


async def test_silence(faults: Faults, simulator: Simulator, client: Client) -> None:
    """Nothing is sent until the client gives up. Then no task remains."""
    tasks = asyncio.all_tasks()
    faults.fail("silence")
    task = asyncio.create_task(client.get(client.vehicle_path))
    await _until(lambda: simulator.requests)
    assert (simulator.unanswered, task.done()) == (1, False)
    task.cancel()
    await _until(lambda: not simulator.unanswered and asyncio.all_tasks() <= tasks)


@pytest.mark.parametrize("how", ["silence", "endless"])
async def test_stop_while_a_response_is_dropped(how: DropMode, clock: ManualClock) -> None:
    """Stopping does not wait for clients of dropped responses, and no task remains."""
    tasks = asyncio.all_tasks()
    simulator = Simulator(token=TOKEN, clock=clock)
    await simulator.start()
    simulator.faults.fail(how)
    async with ClientSession() as session:
        task = asyncio.create_task(_read_headers(session, simulator.url))
        await _until(lambda: simulator.requests)
        began = asyncio.get_running_loop().time()
        await simulator.stop()
        assert asyncio.get_running_loop().time() < began + 0.5
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert asyncio.all_tasks() == tasks


async def _read_headers(session: ClientSession, url: str) -> None:
    """Send a request, and never read the body."""
    async with session.post(url):
        await asyncio.Event().wait()


async def test_endless_response(faults: Faults, simulator: Simulator, client: Client) -> None:
    """An endless response lasts until the client stops reading."""
    tasks = asyncio.all_tasks()
    faults.fail("endless")
    async with ClientSession() as session, session.get(simulator.url) as response:
        beginning = await response.content.readexactly(10_000_000)
    assert beginning.startswith(b'{"response": "xxx')
    await _until(lambda: asyncio.all_tasks() <= tasks)
    assert await client.state() == "online"


async def test_huge_response(faults: Faults, client: Client) -> None:
    """A huge response is valid."""
    faults.fail("huge")
    assert len((await client.get(client.vehicle_path)).response) == 50 * 2**20


async def test_faults_form_a_queue(faults: Faults, client: Client) -> None:
    """Wrong and dropped responses form one queue. A fault for another path does not delay it."""
    faults.answer(503, times=2)
    faults.fail("close")
    faults.answer(500, only="wake_up")
    faults.answer(504)
    statuses = [await _status(client, "honk_horn") for _ in range(5)]
    assert statuses == [503, 503, 0, 504, 200]
    assert (await client.post(f"{client.vehicle_path}/wake_up")).status == 500


async def _status(client: Client, command: str) -> int:
    """Return the status of a command, 0 without a response."""
    try:
        return (await client.post(f"{client.vehicle_path}/command/{command}")).status
    except ClientError:
        return 0


RANDOM_FAULTS: Final[Sequence[AnyFault]] = (
    ResponseFault(503),
    ResponseFault(200, "<html>", name="html"),
    DroppedResponse("close", is_obeyed=True),
    ChangedResponse("no reason", lambda result: {"result": result["result"]}, only="/command/"),
)


async def test_faults_at_random(faults: Faults, client: Client) -> None:
    """A share of all requests gets a fault. The same seed gives the same faults, and all are counted."""
    runs = []
    for _ in range(2):
        faults.at_random(0.4, 7, RANDOM_FAULTS)
        runs.append([await _status(client, "honk_horn") for _ in range(50)])
    assert runs[0] == runs[1]
    assert {0, 200, 503} == set(runs[0])
    assert set(faults.injected) == {"503", "html", "close", "no reason"}
    assert 20 < faults.injected.total() < 60
    assert faults.injected["close"] == 2 * runs[0].count(0)


async def test_faults_at_random_follow_their_paths(faults: Faults, client: Client) -> None:
    """A request gets random faults only for its path. Queued faults come first."""
    faults.at_random(1, 0, [ResponseFault(503, only="wake_up")])
    faults.answer(500, times=2)
    statuses = [
        (await client.post(f"{client.vehicle_path}/{path}")).status
        for path in ("wake_up", "wake_up", "wake_up")
    ]
    assert statuses == [500, 500, 503]
    assert await client.state() == "online"


async def test_changed_response(faults: Faults, client: Client) -> None:
    """A changed response has another payload. Errors stay unchanged."""
    faults.at_random(1, 0, [ChangedResponse("no car", lambda record: {**record, "state": None})])
    assert await client.state() is None
    reply = await client.get(f"{client.vehicle_path}/nothing")
    assert (reply.status, reply.response) == (HTTPStatus.NOT_FOUND, None)


SWITCHED: list[tuple[str, Any, str, str, int]] = [
    ("list", False, "GET", "/api/1/vehicles", 404),
    ("profile", "legacy-2018", "GET", "{car}/vehicle_data", 404),
    ("profile", "legacy-2018", "GET", "{car}/data", 200),
    ("vin_in_path", True, "GET", "/api/1/vehicles/{vin}", 200),
    ("vin_in_path", False, "GET", "/api/1/vehicles/{vin}", 404),
    ("require_content_type", True, "POST", "{car}/command/honk_horn", 406),
    ("error_in_200", True, "GET", "{car}/nothing", 200),
    ("slow", "timeout", "GET", "{car}/vehicle_data", 408),
    ("slow", "operation_timedout", "GET", "{car}/vehicle_data", 408),
    ("slow", "upstream_timeout", "POST", "{car}/command/honk_horn", 504),
    ("scopes", False, "POST", "{car}/command/honk_horn", 403),
    ("scopes", False, "GET", "{car}/vehicle_data", 200),
    ("forbid", "account disabled: EXCEEDED_LIMIT", "GET", "{car}", 403),
]


@pytest.mark.parametrize(("switch", "value", "method", "path", "status"), SWITCHED)
async def test_switched_status(
    *,
    switch: str,
    value: Any,
    method: str,
    path: str,
    status: int,
    car: SimulatedVehicle,
    switches: Switches,
    client: Client,
) -> None:
    """Each switch changes a response's status."""
    setattr(switches, switch, value)
    assert (await client.request(method, path.format(car=client.vehicle_path, vin=car.vin))).status == status


VALUES: list[tuple[str, Any, str, Any]] = [
    ("null_temps", True, "climate_state.outside_temp", None),
    ("wrong_option_codes", True, "option_codes", "MDL3,RENA,BT37,DRLH,PC30,APH3,SC04,SU3C,COUS"),
    ("valet_pin_needed", True, "vehicle_state.valet_pin_needed", True),
    ("profile", "current-2019", "api_version", 5),
]


@pytest.mark.parametrize(("switch", "value", "path", "shown"), VALUES)
async def test_switched_value(
    *, switch: str, value: Any, path: str, shown: Any, switches: Switches, client: Client
) -> None:
    """Each switch changes a reported value."""
    setattr(switches, switch, value)
    assert await client.value(path) == shown


async def test_legacy_profile_reads_separately(switches: Switches, client: Client) -> None:
    """A legacy service returns separate objects in the legacy variant."""
    switches.profile = "legacy-2018"
    reply = await client.get(f"{client.vehicle_path}/data_request/climate_state")
    assert reply.response["seat_heater_left"] is False


async def test_no_location(switches: Switches, client: Client) -> None:
    """Some services omit the location."""
    switches.no_location = True
    assert set(await client.value("drive_state")) == {
        "shift_state",
        "speed",
        "power",
        "heading",
        "gps_as_of",
        "timestamp",
    }


async def test_extra_states(switches: Switches, car: SimulatedVehicle, client: Client) -> None:
    """Some services report values that the interface document does not have."""
    switches.extra_states = True
    await client.command("charge_start")
    assert await client.value("charge_state.charging_state") == "Calibrating"
    car.coverage(on=False)
    assert await client.state() == "unknown"


async def test_noise(switches: Switches, clock: ManualClock, client: Client) -> None:
    """Measured values may have an error of a volt or two."""
    switches.charger_noise = True
    await client.command("charge_start")
    clock.advance(60)
    values = {await client.value("charge_state.charger_voltage") for _ in range(20)}
    assert values <= set(range(238, 243))
    assert len(values) > 1


async def test_cached_when_asleep(
    switches: Switches, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """Some services return the last data of a sleeping car, with its time."""
    switches.cached_when_asleep = True
    slept_at = int(clock.now())
    car.fall_asleep()
    clock.advance(500)
    data = await client.data()
    assert (data["state"], data["drive_state"]["gps_as_of"]) == ("asleep", slept_at)


async def test_empty_body(switches: Switches, client: Client) -> None:
    """Some services accept a command with an empty response."""
    switches.empty_body = True
    reply = await client.command("honk_horn")
    assert (reply.status, reply.body) == (200, "")


async def test_empty_reason(switches: Switches, client: Client) -> None:
    """Some services refuse a command without a reason."""
    switches.empty_reason = True
    assert (await client.command("charge_stop")).response == {"result": False, "reason": ""}


async def test_rate_limit(switches: Switches, clock: ManualClock, client: Client) -> None:
    """Requests above the limit per minute get a 429 response with the time to wait."""
    switches.rate_limit = 2
    replies = [await client.get(client.vehicle_path) for _ in range(3)]
    assert [reply.status for reply in replies] == [200, 200, 429]
    assert replies[2].headers["Retry-After"] == "300"
    clock.advance(61)
    assert (await client.get(client.vehicle_path)).status == 200


async def test_frunk_stays_open(switches: Switches, client: Client) -> None:
    """A frunk without a motor does not close by command."""
    switches.frunk_close = False
    await client.command("actuate_trunk", which_trunk="front")
    assert (await client.command("actuate_trunk", which_trunk="front")).reason == "not_supported"
    assert await client.value("vehicle_state.ft") == 255


async def test_one_temperature(switches: Switches, client: Client) -> None:
    """Without separate zones the driver's temperature is also the passenger's."""
    switches.split = False
    await client.command("set_temps", driver_temp="20", passenger_temp="25")
    assert await client.value("climate_state.passenger_temp_setting") == 20


async def test_any_password(switches: Switches, client: Client) -> None:
    """Some services start the car without a password."""
    switches.remote_password = "any"
    assert not (await client.command("remote_start_drive")).reason


async def test_strict_drive(switches: Switches, car: SimulatedVehicle, client: Client) -> None:
    """Some cars do not lock while driving."""
    switches.strict_drive = True
    car.unplug()
    car.drive(5)
    assert (await client.command("door_lock")).reason == "not_parked"


async def test_charge_requested(switches: Switches, client: Client) -> None:
    """Some cars delay charging."""
    switches.charge_requested = True
    assert (await client.command("charge_start")).reason == "requested"


async def test_walk_away_lock(switches: Switches, car: SimulatedVehicle, client: Client) -> None:
    """Some cars lock when the last person leaves."""
    switches.walk_away_lock = True
    car.enter()
    car.leave()
    assert await client.value("vehicle_state.locked") is True


async def test_bus_is_always_busy(switches: Switches, client: Client) -> None:
    """Some cars never wake their network for a command."""
    switches.bus_busy = 1.0
    assert (await client.command("honk_horn")).reason == "could_not_wake_buses"


async def test_port_stays_open(
    switches: Switches, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """Some charge ports do not close automatically."""
    switches.port_autoclose = False
    car.unplug()
    clock.advance(600)
    assert await client.value("charge_state.charge_port_door_open") is True


@pytest.mark.parametrize("times", [0, -1])
def test_fault_for_no_request(times: int, simulator: Simulator) -> None:
    """A fault for less than one request is refused."""
    with pytest.raises(ValueError, match="one request at least"):
        simulator.faults.answer(500, times=times)
