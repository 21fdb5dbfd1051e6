"""What the service answers wrongly when it is told to, and where it differs on purpose."""

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Final

from aiohttp import ClientError, ClientOSError, ClientPayloadError, ClientSession, ServerDisconnectedError
import pytest

from custom_components.vehicle_remote_access.simulator import (
    Faults,
    ManualClock,
    Request,
    Simulator,
    Switches,
    Vehicle,
)
from custom_components.vehicle_remote_access.simulator.faults.faults import (
    Answer,
    AnyFault,
    Change,
    How,
    Loss,
)

from .conftest import TOKEN, Client


@pytest.fixture
def faults(simulator: Simulator) -> Faults:
    """Return what the service is told to answer wrongly."""
    return simulator.faults


async def test_answer_instead(faults: Faults, client: Client) -> None:
    """The next requests get another answer, and the ones after them the right one."""
    faults.answer(503, times=2)
    assert [(await client.get(client.car)).status for _ in range(3)] == [503, 503, 200]


async def test_answer_only_to_some(faults: Faults, client: Client) -> None:
    """Only requests whose path holds the text get the other answer."""
    faults.answer(429, headers={"Retry-After": "17"}, only="vehicle_data")
    assert (await client.get(client.car)).status == 200
    assert (await client.get(f"{client.car}/vehicle_data")).headers["Retry-After"] == "17"


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
    """The other answer may be anything; without a body it is the error's own."""
    faults.answer(502, body=body)
    assert (await client.get(client.car)).body == shown


async def test_answer_with_an_unusual_status(faults: Faults, client: Client) -> None:
    """A status that has no name is answered as well."""
    faults.answer(540)
    assert (await client.get(client.car)).body["error"] == "error 540"


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
    """A field is what it is told to be."""
    faults.corrupt(path, value)
    assert await client.value(path) == value


@pytest.mark.parametrize("path", ["charge_state.battery_level", "drive_state", "vin"])
async def test_removed_field(path: str, faults: Faults, client: Client) -> None:
    """A field is left out, and nothing else."""
    *parents, name = path.split(".")
    faults.remove(path)
    holder = await client.data()
    for parent in parents:
        holder = holder[parent]
    assert name not in holder
    assert holder


async def test_corrupt_field_read_alone(faults: Faults, client: Client) -> None:
    """An object that is read alone is as wrong as the one in the full data."""
    faults.corrupt("charge_state.battery_level", "many")
    reply = await client.get(f"{client.car}/data_request/charge_state")
    assert reply.response["battery_level"] == "many"


async def test_corrupt_field_of_the_list(faults: Faults, client: Client) -> None:
    """A field of the vehicle record is wrong in the list too, which gains no field by other faults."""
    faults.corrupt("state", 3)
    faults.corrupt("charge_state", None)
    record = (await client.get("/api/1/vehicles")).response[0]
    assert record["state"] == 3
    assert "charge_state" not in record


async def test_corrupt_conflicting_paths(faults: Faults, client: Client) -> None:
    """A field of a record that is no record any more changes nothing."""
    faults.corrupt("charge_state", [])
    faults.corrupt("charge_state.battery_level", 3)
    assert await client.value("charge_state") == []


async def test_clear(faults: Faults, client: Client) -> None:
    """Without faults everything is right again."""
    faults.answer(500)
    faults.fail("reset")
    faults.at_random(1, 0, [Answer(500)])
    faults.remove("charge_state")
    faults.serve("GET", client.car, {})
    faults.clear()
    assert await client.value("charge_state.battery_level") == 72
    assert await client.state() == "online"


async def test_served_recording(faults: Faults, client: Client) -> None:
    """A recorded answer is replayed as often as it is asked for, with the token."""
    faults.serve("get", "/api/1/products", {"response": []}, 203)
    replies = [await client.get("/api/1/products?x=1") for _ in range(2)]
    assert [(reply.status, reply.body) for reply in replies] == [(203, {"response": []})] * 2
    assert (await client.get("/api/1/products", headers={})).status == 401


async def test_answer_bytes_as_they_are(faults: Faults, client: Client) -> None:
    """What no JSON writer would write is sent as it is, as JSON unless a header says otherwise."""
    nested = b"[" * 10_000 + b"]" * 10_000
    faults.answer(200, body=nested, headers={"Content-Type": "text/plain"})
    faults.answer(200, body=b'{"response": NaN}')
    assert (await client.get(client.car)).body == nested.decode()
    assert (await client.get(client.car)).response != 0


async def test_answer_although_obeyed(faults: Faults, car: Vehicle, client: Client) -> None:
    """The car may have done what was asked for, and somebody else answers that he knows nothing of it."""
    faults.answer(502, only="honk_horn", is_obeyed=True)
    faults.answer(502, only="honk_horn")
    statuses = [(await client.post(f"{client.car}/command/honk_horn")).status for _ in range(3)]
    assert (statuses, car.body.horn) == ([502, 502, 200], 2)


# A client may ask a second time for what it reads, so these send something.
LOST: Final[tuple[tuple[How, type[Exception]], ...]] = (
    ("reset", ClientOSError),
    ("close", ServerDisconnectedError),
    ("cut", ClientPayloadError),
)


@pytest.mark.parametrize(("how", "error"), LOST)
@pytest.mark.parametrize("is_obeyed", [True, False], ids=["obeyed", "not_obeyed"])
async def test_lost_answer(
    *, how: How, error: type[Exception], is_obeyed: bool, faults: Faults, car: Vehicle, client: Client
) -> None:
    """The connection ends before the answer does; whether the car obeyed, nobody can tell by that."""
    faults.fail(how, only="honk_horn", is_obeyed=is_obeyed)
    with pytest.raises(error):
        await client.command("honk_horn")
    assert car.body.horn == is_obeyed
    assert not (await client.command("honk_horn")).reason


@pytest.mark.parametrize(
    ("how", "status"), [("reset", 0), ("close", 0), ("silence", 0), ("cut", 200), ("endless", 200)]
)
async def test_lost_answer_is_remembered(
    how: How, status: int, faults: Faults, simulator: Simulator, client: Client
) -> None:
    """A request whose answer is lost is remembered once, with status 0 if nothing was answered."""
    faults.fail(how)
    asked = asyncio.create_task(client.post(client.car))
    await _until(lambda: simulator.requests)
    assert list(simulator.requests) == [Request("POST", client.car, {}, status)]
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)


async def _until(holds: Callable[[], object]) -> None:
    """Let happen what needs no time, until it has happened."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)


async def test_silence(faults: Faults, simulator: Simulator, client: Client) -> None:
    """Nothing comes until the client gives up; then nobody waits any more."""
    tasks = asyncio.all_tasks()
    faults.fail("silence")
    asked = asyncio.create_task(client.get(client.car))
    await _until(lambda: simulator.requests)
    assert (simulator.unanswered, asked.done()) == (1, False)
    asked.cancel()
    await _until(lambda: not simulator.unanswered and asyncio.all_tasks() <= tasks)


@pytest.mark.parametrize("how", ["silence", "endless"])
async def test_stop_while_an_answer_is_lost(how: How, clock: ManualClock) -> None:
    """Who stops does not wait for those who wait for him, and leaves nothing running."""
    tasks = asyncio.all_tasks()
    simulator = Simulator(token=TOKEN, clock=clock)
    await simulator.start()
    simulator.faults.fail(how)
    async with ClientSession() as session:
        asked = asyncio.create_task(_headers(session, simulator.url))
        await _until(lambda: simulator.requests)
        began = asyncio.get_running_loop().time()
        await simulator.stop()
        assert asyncio.get_running_loop().time() < began + 0.5
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
    assert asyncio.all_tasks() == tasks


async def _headers(session: ClientSession, url: str) -> None:
    """Ask for something, and read no more of it than that it comes."""
    async with session.post(url):
        await asyncio.Event().wait()


async def test_endless_answer(faults: Faults, simulator: Simulator, client: Client) -> None:
    """An answer without an end lasts as long as somebody reads it, and no longer."""
    tasks = asyncio.all_tasks()
    faults.fail("endless")
    async with ClientSession() as session, session.get(simulator.url) as response:
        beginning = await response.content.readexactly(10_000_000)
    assert beginning.startswith(b'{"response": "xxx')
    await _until(lambda: asyncio.all_tasks() <= tasks)
    assert await client.state() == "online"


async def test_huge_answer(faults: Faults, client: Client) -> None:
    """An answer may be right in form and far too long."""
    faults.fail("huge")
    assert len((await client.get(client.car)).response) == 50 * 2**20


async def test_faults_come_in_the_order_of_telling(faults: Faults, client: Client) -> None:
    """Answers and losses wait in one queue; who is not meant is not in it."""
    faults.answer(503, times=2)
    faults.fail("close")
    faults.answer(500, only="wake_up")
    faults.answer(504)
    statuses = [await _status(client, "honk_horn") for _ in range(5)]
    assert statuses == [503, 503, 0, 504, 200]
    assert (await client.post(f"{client.car}/wake_up")).status == 500


async def _status(client: Client, command: str) -> int:
    """Return the status with which a command is answered, 0 if it is not."""
    try:
        return (await client.post(f"{client.car}/command/{command}")).status
    except ClientError:
        return 0


AMONG: Final[Sequence[AnyFault]] = (
    Answer(503),
    Answer(200, "<html>", name="html"),
    Loss("close", is_obeyed=True),
    Change("no reason", lambda result: {"result": result["result"]}, only="/command/"),
)


async def test_faults_at_random(faults: Faults, client: Client) -> None:
    """A share of all requests gets one of the faults, the same with the same seed; all are counted."""
    seen = []
    for _ in range(2):
        faults.at_random(0.4, 7, AMONG)
        seen.append([await _status(client, "honk_horn") for _ in range(50)])
    assert seen[0] == seen[1]
    assert {0, 200, 503} == set(seen[0])
    assert set(faults.injected) == {"503", "html", "close", "no reason"}
    assert 20 < faults.injected.total() < 60
    assert faults.injected["close"] == 2 * seen[0].count(0)


async def test_faults_at_random_keep_to_their_paths(faults: Faults, client: Client) -> None:
    """Chance gives a request only what is for it, and what was told comes first."""
    faults.at_random(1, 0, [Answer(503, only="wake_up")])
    faults.answer(500, times=2)
    statuses = [
        (await client.post(f"{client.car}/{path}")).status for path in ("wake_up", "wake_up", "wake_up")
    ]
    assert statuses == [500, 500, 503]
    assert await client.state() == "online"


async def test_changed_answer(faults: Faults, client: Client) -> None:
    """The right answer with something else in it; what is no success stays what it is."""
    faults.at_random(1, 0, [Change("no car", lambda record: {**record, "state": None})])
    assert await client.state() is None
    reply = await client.get(f"{client.car}/nothing")
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
    car: Vehicle,
    switches: Switches,
    client: Client,
) -> None:
    """A service of another kind answers so."""
    setattr(switches, switch, value)
    assert (await client.request(method, path.format(car=client.car, vin=car.vin))).status == status


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
    """A car of another kind reports so."""
    setattr(switches, switch, value)
    assert await client.value(path) == shown


async def test_legacy_profile_reads_alone(switches: Switches, client: Client) -> None:
    """An old service reads objects alone in the legacy variant."""
    switches.profile = "legacy-2018"
    reply = await client.get(f"{client.car}/data_request/climate_state")
    assert reply.response["seat_heater_left"] is False


async def test_no_location(switches: Switches, client: Client) -> None:
    """Some services leave out where the car is."""
    switches.no_location = True
    assert set(await client.value("drive_state")) == {
        "shift_state",
        "speed",
        "power",
        "heading",
        "gps_as_of",
        "timestamp",
    }


async def test_extra_states(switches: Switches, car: Vehicle, client: Client) -> None:
    """Some values have no name in the interface document."""
    switches.extra_states = True
    await client.command("charge_start")
    assert await client.value("charge_state.charging_state") == "Calibrating"
    car.coverage(on=False)
    assert await client.state() == "unknown"


async def test_noise(switches: Switches, clock: ManualClock, client: Client) -> None:
    """Measured values may waver by a volt or two."""
    switches.charger_noise = True
    await client.command("charge_start")
    clock.advance(60)
    seen = {await client.value("charge_state.charger_voltage") for _ in range(20)}
    assert seen <= set(range(238, 243))
    assert len(seen) > 1


async def test_cached_when_asleep(
    switches: Switches, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """Some services return what was last known of a sleeping car, with its time."""
    switches.cached_when_asleep = True
    slept = int(clock.now())
    car.fall_asleep()
    clock.advance(500)
    data = await client.data()
    assert (data["state"], data["drive_state"]["gps_as_of"]) == ("asleep", slept)


async def test_empty_body(switches: Switches, client: Client) -> None:
    """Some services accept a command without a word."""
    switches.empty_body = True
    reply = await client.command("honk_horn")
    assert (reply.status, reply.body) == (200, "")


async def test_empty_reason(switches: Switches, client: Client) -> None:
    """Some services do not say why."""
    switches.empty_reason = True
    assert (await client.command("charge_stop")).response == {"result": False, "reason": ""}


async def test_rate_limit(switches: Switches, clock: ManualClock, client: Client) -> None:
    """Requests beyond a minute's number are answered 429 with the time to wait."""
    switches.rate_limit = 2
    replies = [await client.get(client.car) for _ in range(3)]
    assert [reply.status for reply in replies] == [200, 200, 429]
    assert replies[2].headers["Retry-After"] == "300"
    clock.advance(61)
    assert (await client.get(client.car)).status == 200


async def test_frunk_stays_open(switches: Switches, client: Client) -> None:
    """A frunk without a motor is closed by hand only."""
    switches.frunk_close = False
    await client.command("actuate_trunk", which_trunk="front")
    assert (await client.command("actuate_trunk", which_trunk="front")).reason == "not_supported"
    assert await client.value("vehicle_state.ft") == 255


async def test_one_temperature(switches: Switches, client: Client) -> None:
    """Where the zones are not split the driver's temperature holds for both."""
    switches.split = False
    await client.command("set_temps", driver_temp="20", passenger_temp="25")
    assert await client.value("climate_state.passenger_temp_setting") == 20


async def test_any_password(switches: Switches, client: Client) -> None:
    """Some services start the car without a password."""
    switches.remote_password = "any"
    assert not (await client.command("remote_start_drive")).reason


async def test_strict_drive(switches: Switches, car: Vehicle, client: Client) -> None:
    """Some cars do not lock while driving."""
    switches.strict_drive = True
    car.unplug()
    car.drive(5)
    assert (await client.command("door_lock")).reason == "not_parked"


async def test_charge_requested(switches: Switches, client: Client) -> None:
    """Some cars hold charging back."""
    switches.charge_requested = True
    assert (await client.command("charge_start")).reason == "requested"


async def test_walk_away_lock(switches: Switches, car: Vehicle, client: Client) -> None:
    """Some cars lock when everybody has left."""
    switches.walk_away_lock = True
    car.enter()
    car.leave()
    assert await client.value("vehicle_state.locked") is True


async def test_bus_is_always_busy(switches: Switches, client: Client) -> None:
    """Some cars never wake their network for a command."""
    switches.bus_busy = 1.0
    assert (await client.command("honk_horn")).reason == "could_not_wake_buses"


async def test_port_stays_open(switches: Switches, car: Vehicle, clock: ManualClock, client: Client) -> None:
    """Some charge ports do not close by themselves."""
    switches.port_autoclose = False
    car.unplug()
    clock.advance(600)
    assert await client.value("charge_state.charge_port_door_open") is True


@pytest.mark.parametrize("times", [0, -1])
def test_fault_for_no_request(times: int, simulator: Simulator) -> None:
    """A fault for no request at all is refused."""
    with pytest.raises(ValueError, match="one request at least"):
        simulator.faults.answer(500, times=times)
