"""The simulated service alone: its command line, what it writes to the terminal, and its recording."""

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

from custom_components.vehicle_remote_access.simulator import ManualClock, Request, Simulator, Vehicle
from simulator_console.admin import add_admin
from simulator_console.program import parsed, serve, simulated
from simulator_console.recording import Recording
from simulator_console.terminal import Terminal
from simulator_console.texts import time_of_day

from ..simulator.conftest import TOKEN, Client

ROOT = Path(__file__).parents[2]
ALWAYS_FULL = Path("/dev/full")

# The command line


def parse(monkeypatch: pytest.MonkeyPatch, *words: str) -> argparse.Namespace:
    """Return what a command line means."""
    monkeypatch.setattr(sys, "argv", ["simulator", *words])
    return parsed()


def test_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every setting has a default."""
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


@pytest.mark.parametrize("setting", ["routine", "admin"])
def test_what_can_be_left_out(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on by default can be switched off."""
    assert vars(parse(monkeypatch, f"--no-{setting}"))[setting] is False


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
    """A wrong setting ends with words."""
    with pytest.raises(SystemExit):
        parse(monkeypatch, *words)
    assert error in capsys.readouterr().err


@pytest.mark.parametrize(
    ("written", "name", "value"),
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
def test_switch(*, written: str, name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A switch is set to what was written, as the type that it has."""
    arguments = parse(monkeypatch, "--switch", "empty_body=true", "--switch", written)
    switches = simulated(arguments, Terminal()).switches
    assert (getattr(switches, name), switches.empty_body) == (value, True)


def test_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cars with a home named are all parked there, a few metres apart, in any part of the world."""
    simulator = simulated(parse(monkeypatch, "--home=-33.87,151.21", "--vehicles=3"), Terminal())
    for vehicle in simulator.vehicles:
        assert vehicle.driving.point == pytest.approx((-33.87, 151.21), abs=1e-3)
    assert len({vehicle.driving.point for vehicle in simulator.vehicles}) == 3


@pytest.mark.parametrize("is_on", [True, False])
def test_routine_is_passed_on(*, is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cars have owners who use them, unless that is left out."""
    words = [] if is_on else ["--no-routine"]
    assert simulated(parse(monkeypatch, *words), Terminal()).vehicles[0].follows_routine is is_on


async def test_program_needs_its_port(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A port that is taken ends the program, with words."""
    port = simulator.url.rpartition(":")[2]
    assert await serve(parse(monkeypatch, "--port", port)) == 1
    assert f"port {port} cannot be used" in capsys.readouterr().err


async def test_program_needs_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recording that cannot be written ends the program, with words."""
    path = tmp_path / "nowhere" / "requests"
    assert await serve(parse(monkeypatch, "--port", "0", "--record", str(path))) == 1
    assert f"{path} cannot be written: No such file or directory" in capsys.readouterr().err


async def test_program_serves_and_ends(tmp_path: Path) -> None:
    """The program runs without Home Assistant, says where it is, records, and ends when it is told to."""
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
            listed = [str(each["id"]) for each in (await response.json())["response"]]
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
    """Return a terminal that has introduced the service."""
    terminal = Terminal()
    terminal.introduce(simulator, page="/simulator/")
    return terminal


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines that were written since they were last asked for."""
    return capsys.readouterr().out.splitlines()


async def test_introduction(
    terminal: Terminal, simulator: Simulator, capsys: pytest.CaptureFixture[str]
) -> None:
    """The terminal shows the address, the token, the page, and who the cars are and what they do."""
    shown, car = said(capsys), simulator.vehicles[0]
    assert shown[:3] == [
        f"address  {simulator.url}",
        f"token    {TOKEN}",
        f"page     {simulator.url}/simulator/",
    ]
    assert shown[3] == (f"vehicle  {car.id}  {car.vin}  Aurora, Model S: online, plugged in, 72 %, locked")
    assert len(shown) == 3 + len(simulator.vehicles)


async def test_no_page(simulator: Simulator, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that is not served is not spoken of."""
    Terminal().introduce(simulator)
    assert "page" not in " ".join(said(capsys))


async def test_request_log(
    terminal: Terminal, simulator: Simulator, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """A request is logged with the time of day and without its query."""
    await client.command("charge_max_range", password="1234")
    said(capsys)
    terminal.tell(simulator.requests[-1])
    time = time_of_day(simulator.clock.now())
    assert said(capsys) == [f"{time}  POST {client.car}/command/charge_max_range 200"]


async def test_request_log_is_one_line(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    """What a client writes into a path does nothing to the terminal."""
    said(capsys)
    terminal.tell(Request("GET", "/api/\x1b[2J\n", {}, 404))
    (line,) = said(capsys)
    assert line.endswith("  GET /api/%1B%5B2J%0A 404")


async def test_change_is_said(
    terminal: Terminal,
    simulator: Simulator,
    car: Vehicle,
    client: Client,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """When a car does something else since it was last spoken of, that is said after the next request."""
    car.unplug()
    car.plug_in()
    car.unlock()
    await client.get(client.car)
    said(capsys)
    for request in (simulator.requests[-1],) * 2:
        terminal.tell(request)
    lines = said(capsys)
    assert lines[1] == "Aurora  online, charging, 72 %, unlocked"
    assert len(lines) == 3


async def test_level_alone_is_no_change(
    terminal: Terminal, car: Vehicle, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """A car whose battery runs down does what it did."""
    said(capsys)
    car.set_level(60)
    terminal.tell(Request("GET", client.car, {}, 200))
    assert len(said(capsys)) == 1


@pytest.mark.parametrize(("path", "lines"), [("/api/1/vehicles/{other}/data", 1), ("/api/1/vehicles", 2)])
async def test_change_of_another_car(
    path: str,
    lines: int,
    terminal: Terminal,
    simulator: Simulator,
    car: Vehicle,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A request for one car has nothing said of the others; one for the account has all that changed."""
    car.unlock()
    said(capsys)
    terminal.tell(Request("GET", path.format(other=simulator.vehicles[1].id), {}, 200))
    assert len(said(capsys)) == lines


async def test_sleep_is_noticed(
    terminal: Terminal, clock: ManualClock, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """A car that fell asleep while nobody asked is said to be asleep."""
    clock.advance(3600)
    said(capsys)
    terminal.tell(Request("GET", client.car, {}, 200))
    assert said(capsys)[1] == "Aurora  asleep, plugged in, 72 %, locked"


# The recording


class Recorded:
    """A client of a service that records, and what was recorded."""

    def __init__(self, client: Client, path: Path) -> None:
        """Ask through this client, look into this file."""
        self.client = client
        self.path = path

    def lines(self) -> list[Any]:
        """Return what is in the file by now."""
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
async def recorded(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Recorded]:
    """Return a client of a service that records, and what was recorded."""
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
    """A request and its answer are one line, at the end of the file, as soon as it is answered."""
    clock.advance(1)
    reply = await recorded.client.command("set_charge_limit", percent="70")
    before, line = recorded.lines()
    assert before == "what was there before"
    assert line == {
        "moment": "2020-01-01T12:00:01+00:00",
        "method": "POST",
        "path": f"{recorded.client.car}/command/set_charge_limit",
        "query": {"percent": "70"},
        "body": None,
        "status": 200,
        "answer": reply.body,
    }


SECRET = "9173"
ASKED: list[tuple[str, dict[str, Any], Any, Any]] = [
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
    ("asked", "query", "body"), [each[1:] for each in ASKED], ids=[each[0] for each in ASKED]
)
async def test_recording_without_secrets(
    asked: dict[str, Any], query: Any, body: Any, recorded: Recorded
) -> None:
    """Query and body are recorded without passwords and PINs, wherever those are."""
    asked["headers"] = {"Authorization": f"Bearer {TOKEN}", **asked.get("headers", {})}
    await recorded.client.request("GET" if body is None else "POST", "/api/1/vehicles", **asked)
    line = recorded.lines()[-1]
    assert (line["query"], line["body"]) == (query, body)
    assert SECRET not in recorded.path.read_text()
    assert TOKEN not in recorded.path.read_text()


async def test_recording_of_no_json(recorded: Recorded, simulator: Simulator) -> None:
    """An answer that is no JSON is recorded as none."""
    fault = {"status": 502, "body": "<html>"}
    await recorded.client.post("/simulator/faults", json=fault)
    await recorded.client.get(recorded.client.car)
    assert [(each["status"], each["answer"]) for each in recorded.lines()[1:]] == [(502, None)]


async def test_admin_is_not_recorded(recorded: Recorded) -> None:
    """Looking on is not recorded."""
    await recorded.client.get("/simulator/state")
    assert len(recorded.lines()) == 1


@pytest.mark.skipif(not ALWAYS_FULL.exists(), reason="this system has no disk that is always full")
async def test_recording_to_a_full_disk(
    client: Client, clock: ManualClock, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recording that ends because the disk is full says so once, and the service goes on."""
    recording = Recording(ALWAYS_FULL)
    simulator = Simulator(token=TOKEN, clock=clock, extend=recording.add_to)
    await simulator.start()
    async with ClientSession() as session:
        own = Client(session, simulator)
        states = [await own.state() for _ in range(2)]
    await simulator.stop()
    assert states == ["online", "online"]
    assert capsys.readouterr().err.count("/dev/full is not written any more: No space left on device") == 1
