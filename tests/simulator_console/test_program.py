"""The simulated service as a program: command line, terminal output, and recording."""

import argparse
import asyncio
from collections.abc import AsyncIterator
import json
import os
from pathlib import Path
import sys
from typing import Any

from aiohttp import ClientSession, FormData, web
import pytest

from custom_components.vehicle_remote_access.simulator import (
    ManualClock,
    Request,
    SimulatedVehicle,
    Simulator,
)
from simulator_console.admin import add_admin
from simulator_console.program import create_simulator, parse_arguments, serve
from simulator_console.recording import Recording
from simulator_console.terminal import Terminal
from simulator_console.texts import time_of_day

from ..simulator.conftest import TOKEN, Client

ROOT = Path(__file__).parents[2]
ALWAYS_FULL = Path("/dev/full")

# The command line


def parse(monkeypatch: pytest.MonkeyPatch, *words: str) -> argparse.Namespace:
    """Return the parsed arguments of a command line."""
    monkeypatch.setattr(sys, "argv", ["simulator", *words])
    return parse_arguments()


def test_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option has a default."""
    assert vars(parse(monkeypatch)) == {
        "port": 8124,
        "vehicles": 1,
        "speed": 1.0,
        "seed": 0,
        "home": None,
        "token": None,
        "record": None,
        "switch": [],
        "routine": True,
        "admin": True,
    }


@pytest.mark.parametrize("option", ["routine", "admin"])
def test_options_that_are_on_by_default(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option that is on by default can be switched off."""
    assert vars(parse(monkeypatch, f"--no-{option}"))[option] is False


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--port", "70000"], "--port has to be between"),
        (["--vehicles", "0"], "--vehicles has to be between"),
        (["--speed", "0"], "--speed has to be between 1 and 600"),
        (["--speed", "0.1"], "--speed has to be between 1 and 600"),
        (["--speed", "601"], "--speed has to be between 1 and 600"),
        (["--speed", "nan"], "--speed has to be between 1 and 600"),
        (["--token", ""], "--token must not be empty"),
        (["--home", "Amsterdam"], "has to be two numbers of degrees"),
        (["--home", "52.4"], "has to be two numbers of degrees"),
        (["--home", "91,0"], "has to be two numbers of degrees"),
        (["--home", "0,nan"], "has to be two numbers of degrees"),
        (["--switch", "explode=1"], "there is no explode; there are profile, list"),
        (["--switch", "list"], "list has to be true or false"),
        (["--switch", "list=maybe"], "list has to be true or false"),
        (["--switch", "rate_limit=1.5"], "rate_limit has to be a whole number"),
        (["--switch", "rate_limit=-1"], "rate_limit must not be below 0"),
        (["--switch", "bus_busy=often"], "bus_busy has to be a number or one of strict"),
        (["--switch", "latency=NaN"], "latency has to be a number"),
        (["--switch", "wake_shape=pear"], "wake_shape has to be one of array, object"),
        (["--admi"], "unrecognized arguments"),
    ],
)
def test_wrong_command_line(
    words: list[str], error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An invalid option ends the program with a message."""
    with pytest.raises(SystemExit):
        parse(monkeypatch, *words)
    assert error in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("list=false", "list", False),
        ("rate_limit=20", "rate_limit", 20),
        ("latency=0.5", "latency", 0.5),
        ("latency=2", "latency", 2),
        ("bus_busy=strict", "bus_busy", "strict"),
        ("bus_busy=0.5", "bus_busy", 0.5),
        ("mobile_code=405", "mobile_code", 405),
        ("forbid=403", "forbid", "403"),
        ("forbid=a=b", "forbid", "a=b"),
        ("slow=", "slow", ""),
    ],
)
def test_switch(*, text: str, name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A switch is set to the value on the command line, with its own type."""
    arguments = parse(monkeypatch, "--switch", "empty_body=true", "--switch", text)
    switches = create_simulator(arguments, Terminal()).switches
    assert (getattr(switches, name), switches.empty_body) == (value, True)


def test_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a home all cars are parked there, some meters apart, anywhere in the world."""
    simulator = create_simulator(parse(monkeypatch, "--home=-33.87,151.21", "--vehicles=3"), Terminal())
    for vehicle in simulator.vehicles:
        assert vehicle.driving.point == pytest.approx((-33.87, 151.21), abs=1e-3)
    assert len({vehicle.driving.point for vehicle in simulator.vehicles}) == 3


@pytest.mark.parametrize("is_on", [True, False])
def test_routine_is_passed_on(*, is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cars have owners who use them, unless the routine is switched off."""
    words = [] if is_on else ["--no-routine"]
    assert create_simulator(parse(monkeypatch, *words), Terminal()).vehicles[0].follows_routine is is_on


async def test_program_needs_its_port(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A port in use ends the program with a message."""
    port = simulator.url.rpartition(":")[2]
    assert await serve(parse(monkeypatch, "--port", port)) == 1
    assert f"port {port} cannot be used" in capsys.readouterr().err


async def test_program_needs_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recording that can't be written ends the program with a message."""
    path = tmp_path / "nowhere" / "requests"
    assert await serve(parse(monkeypatch, "--port", "0", "--record", str(path))) == 1
    assert f"{path} cannot be written: No such file or directory" in capsys.readouterr().err


async def test_program_serves_and_ends(tmp_path: Path) -> None:
    """The program runs without Home Assistant, writes its address, records requests, and ends at SIGTERM."""
    recording = tmp_path / "requests"
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        *(
            "-m",
            "simulator_console",
            "--port",
            "0",
            "--vehicles",
            "2",
            "--token",
            TOKEN,
            "--record",
            str(recording),
        ),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
    )
    assert program.stdout
    lines = [(await program.stdout.readline()).decode().split() for _ in range(5)]
    async with ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as session:
        async with session.get(f"{lines[0][1]}/api/1/vehicles?secret=1") as response:
            listed = [str(vehicle["id"]) for vehicle in (await response.json())["response"]]
        async with session.get(lines[2][1]) as response:
            page = response.content_type
    program.terminate()
    rest = (await program.stdout.read()).decode()
    assert [line[0] for line in lines] == ["address", "token", "page", "vehicle", "vehicle"]
    assert listed == [line[1] for line in lines[3:]]
    assert page == "text/html"
    assert (await program.wait(), rest.count("\n")) == (0, 1)
    assert rest.endswith("  GET /api/1/vehicles 200\n")
    assert len(recording.read_text().splitlines()) == 1


# The terminal


@pytest.fixture
async def terminal(simulator: Simulator, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """Return a terminal that has written the introduction."""
    terminal = Terminal()
    terminal.write_introduction(simulator, page="/simulator/")
    return terminal


def written_lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines written since the last call."""
    return capsys.readouterr().out.splitlines()


async def test_introduction(
    terminal: Terminal, simulator: Simulator, capsys: pytest.CaptureFixture[str]
) -> None:
    """The terminal shows the address, the token, the page, and each car with what it is doing."""
    shown, car = written_lines(capsys), simulator.vehicles[0]
    assert shown[:3] == [
        f"address  {simulator.url}",
        f"token    {TOKEN}",
        f"page     {simulator.url}/simulator/",
    ]
    assert shown[3] == (f"vehicle  {car.id}  {car.vin}  Aurora, Model S: online, plugged in, 72 %, locked")
    assert len(shown) == 3 + len(simulator.vehicles)


async def test_no_page(simulator: Simulator, capsys: pytest.CaptureFixture[str]) -> None:
    """The introduction has no page if none is served."""
    Terminal().write_introduction(simulator)
    assert "page" not in " ".join(written_lines(capsys))


async def test_request_log(
    terminal: Terminal, simulator: Simulator, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """A request is written with the time of day and without its query."""
    await client.command("charge_max_range", password="1234")
    written_lines(capsys)
    terminal.write_request(simulator.requests[-1])
    time = time_of_day(simulator.clock.now())
    assert written_lines(capsys) == [f"{time}  POST {client.vehicle_path}/command/charge_max_range 200"]


async def test_request_log_is_one_line(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters in a path are escaped."""
    written_lines(capsys)
    terminal.write_request(Request("GET", "/api/\x1b[2J\n", {}, 404))
    (line,) = written_lines(capsys)
    assert line.endswith("  GET /api/%1B%5B2J%0A 404")


async def test_change_is_written(
    terminal: Terminal,
    simulator: Simulator,
    car: SimulatedVehicle,
    client: Client,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A changed activity of a car is written once, after the next request."""
    car.unplug()
    car.plug_in()
    car.unlock()
    await client.get(client.vehicle_path)
    written_lines(capsys)
    for request in (simulator.requests[-1],) * 2:
        terminal.write_request(request)
    lines = written_lines(capsys)
    assert lines[1] == "Aurora  online, charging, 72 %, unlocked"
    assert len(lines) == 3


async def test_level_alone_is_no_change(
    terminal: Terminal, car: SimulatedVehicle, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed battery level alone is not written."""
    written_lines(capsys)
    car.set_level(60)
    terminal.write_request(Request("GET", client.vehicle_path, {}, 200))
    assert len(written_lines(capsys)) == 1


@pytest.mark.parametrize(("path", "lines"), [("/api/1/vehicles/{other}/data", 1), ("/api/1/vehicles", 2)])
async def test_change_of_another_car(
    path: str,
    lines: int,
    terminal: Terminal,
    simulator: Simulator,
    car: SimulatedVehicle,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Other cars' changes are not written after a request for one car, but after one for the account."""
    car.unlock()
    written_lines(capsys)
    terminal.write_request(Request("GET", path.format(other=simulator.vehicles[1].id), {}, 200))
    assert len(written_lines(capsys)) == lines


async def test_sleep_is_written(
    terminal: Terminal, clock: ManualClock, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """A car that fell asleep between requests is written as asleep."""
    clock.advance(3600)
    written_lines(capsys)
    terminal.write_request(Request("GET", client.vehicle_path, {}, 200))
    assert written_lines(capsys)[1] == "Aurora  asleep, plugged in, 72 %, locked"


# The recording


class Recorded:
    """A client of a service that records its requests."""

    def __init__(self, client: Client, path: Path) -> None:
        """Store the client and the path of the recording."""
        self.client = client
        self.path = path

    def lines(self) -> list[Any]:
        """Return the recorded lines."""
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
async def recorded(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Recorded]:
    """Return a client of a service that records its requests."""
    path = tmp_path / "requests"
    path.write_text('"what was there before"\n')
    recording = Recording(path)

    def extend(simulator: Simulator, application: web.Application) -> None:
        recording.add_to(simulator, application)
        add_admin(simulator, application)

    simulator = Simulator(token=TOKEN, clock=clock, extend=extend)
    await simulator.start()
    async with ClientSession() as session:
        yield Recorded(Client(session, simulator), path)
    await simulator.stop()
    recording.close()


async def test_recording(recorded: Recorded, clock: ManualClock) -> None:
    """A request and its response are one line at the end of the file, written immediately."""
    clock.advance(1)
    reply = await recorded.client.command("set_charge_limit", percent="70")
    before, line = recorded.lines()
    assert before == "what was there before"
    assert line == {
        "moment": "2020-01-01T12:00:01+00:00",
        "method": "POST",
        "path": f"{recorded.client.vehicle_path}/command/set_charge_limit",
        "query": {"percent": "70"},
        "body": None,
        "status": 200,
        "answer": reply.body,
    }


SECRET = "9173"
REQUESTS: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("query", {"params": {"on": "true", "password": SECRET, "pin": SECRET}}, {"on": "true"}, None),
    ("JSON", {"json": {"on": True, "password": SECRET}}, {}, {"on": True}),
    ("deep JSON", {"json": {"on": True, "a": [{"Pin": SECRET, "b": 1}]}}, {}, {"on": True, "a": [{"b": 1}]}),
    ("form", {"data": {"on": "true", "password": SECRET}}, {}, {"on": "true"}),
    (
        "multipart",
        {"data": FormData({"on": "true", "password": SECRET}, default_to_multipart=True)},
        {},
        {"on": "true"},
    ),
    ("no JSON", {"data": f'{{"password": "{SECRET}"'}, {}, None),
    (
        "other alphabet",
        {"data": SECRET.encode(), "headers": {"Content-Type": "text/x; charset=no"}},
        {},
        None,
    ),
]


@pytest.mark.parametrize(
    ("request_arguments", "query", "body"),
    [request[1:] for request in REQUESTS],
    ids=[request[0] for request in REQUESTS],
)
async def test_recording_without_secrets(
    request_arguments: dict[str, Any], query: Any, body: Any, recorded: Recorded
) -> None:
    """Query and body are recorded without passwords and PINs, at any depth."""
    request_arguments["headers"] = {
        "Authorization": f"Bearer {TOKEN}",
        **request_arguments.get("headers", {}),
    }
    await recorded.client.request("GET" if body is None else "POST", "/api/1/vehicles", **request_arguments)
    line = recorded.lines()[-1]
    assert (line["query"], line["body"]) == (query, body)
    assert SECRET not in recorded.path.read_text()
    assert TOKEN not in recorded.path.read_text()


async def test_recording_of_no_json(recorded: Recorded, simulator: Simulator) -> None:
    """A response that is not JSON is recorded as null."""
    fault = {"status": 502, "body": "<html>"}
    await recorded.client.post("/simulator/faults", json=fault)
    await recorded.client.get(recorded.client.vehicle_path)
    assert [(line["status"], line["answer"]) for line in recorded.lines()[1:]] == [(502, None)]


async def test_admin_is_not_recorded(recorded: Recorded) -> None:
    """Requests to the admin API are not recorded."""
    await recorded.client.get("/simulator/state")
    assert len(recorded.lines()) == 1


@pytest.mark.skipif(not ALWAYS_FULL.exists(), reason="this system has no /dev/full")
async def test_recording_to_a_full_disk(
    client: Client, clock: ManualClock, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the disk is full, the recording ends with one message, and the service continues."""
    recording = Recording(ALWAYS_FULL)
    simulator = Simulator(token=TOKEN, clock=clock, extend=recording.add_to)
    await simulator.start()
    async with ClientSession() as session:
        own = Client(session, simulator)
        states = [await own.state() for _ in range(2)]
    await simulator.stop()
    assert states == ["online", "online"]
    assert capsys.readouterr().err.count("/dev/full is not written any more: No space left on device") == 1
