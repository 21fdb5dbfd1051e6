"""The simulated service as a program: command line, terminal output, and recording."""

import argparse
import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
import json
from pathlib import Path
import sys
from typing import Any, Final

from aiohttp import ClientSession, FormData, web
import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, Request, Simulator
from simulator_console.admin import add_admin
from simulator_console.program import create_simulator, parse_arguments, serve
from simulator_console.recording import Recording
from simulator_console.service_switches import ServiceSwitches
from simulator_console.services import SERVICES
from simulator_console.terminal import Terminal
from simulator_console.texts import time_of_day
from simulator_console.values import assign

from ..simulator.conftest import TOKEN, Client, serving

ALWAYS_FULL: Final = Path("/dev/full")

# The command line


def parse(monkeypatch: pytest.MonkeyPatch, *words: str) -> argparse.Namespace:
    monkeypatch.setattr(sys, "argv", ["simulator", *words])
    return parse_arguments()


def test_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on by default can be switched off. The cars get the routine."""
    on, off = parse(monkeypatch), parse(monkeypatch, "--no-routine", "--no-admin")
    assert (on.routine, on.admin, off.routine, off.admin) == (True, True, False, False)
    for arguments in (on, off):
        car = create_simulator(arguments, Terminal()).vehicles[0]
        assert car.follows_routine is arguments.routine


def test_wrong_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for words, error in (
        (["--port", "70000"], "--port must be between"),
        (["--vehicles", "0"], "--vehicles must be between"),
        (["--speed", "0"], "--speed must be between 1 and 600"),
        (["--speed", "601"], "--speed must be between 1 and 600"),
        (["--speed", "nan"], "--speed must be between 1 and 600"),
        (["--token", ""], "--token must not be empty"),
        (["--home", "Amsterdam"], "must be a latitude and a longitude"),
        (["--home", "91,0"], "must be a latitude and a longitude"),
        (["--home", "0,nan"], "must be a latitude and a longitude"),
        (["--service", "another"], "argument --service: invalid choice: 'another'"),
        (["--switch", "explode=1"], "explode is unknown. Use one of profile, list"),
        (["--switch", "list"], "list must be true or false"),
        (["--switch", "rate_limit=1.5"], "rate_limit must be a whole number"),
        (["--switch", "latency=NaN"], "latency must be a number"),
        (["--switch", "signing_required=pear"], "signing_required must be one of never, newer_cars, always"),
        (["--admi"], "unrecognized arguments"),
    ):
        with pytest.raises(SystemExit):
            parse(monkeypatch, *words)
        assert error in capsys.readouterr().err, words


def test_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service is played with its switches, whose values are allowed. --switch overrides them."""
    values: Any = {"rate_limit": 7, "list": False, "latency": 0.5, "region": "eu", "token_error": "403=b"}
    texts = ["rate_limit=7", "list=false", "latency=0.5", "region=eu", "token_error=403=b"]
    for service in SERVICES:
        assign(ServiceSwitches(), dict(SERVICES[service]))
        words = [f"--switch={text}" for text in texts]
        simulator = create_simulator(parse(monkeypatch, "--service", service, *words), Terminal())
        assert simulator.streams.is_on
        expected = replace(ServiceSwitches(**SERVICES[service]), **values)
        assert (simulator.service, simulator.switches) == (service, expected), service


def test_home(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = create_simulator(parse(monkeypatch, "--home=-33.87,151.21", "--vehicles=3"), Terminal())
    for vehicle in simulator.vehicles:
        assert vehicle.driving.point == pytest.approx((-33.87, 151.21), abs=1e-3)
    assert len({vehicle.driving.point for vehicle in simulator.vehicles}) == 3


async def test_program_needs_its_port_and_file(
    simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    port, path = simulator.url.rpartition(":")[2], tmp_path / "nowhere" / "requests"
    assert await serve(parse(monkeypatch, "--port", port)) == 1
    assert f"port {port} cannot be used" in capsys.readouterr().err
    assert await serve(parse(monkeypatch, "--port", "0", "--record", str(path))) == 1
    assert f"{path} cannot be written: No such file or directory" in capsys.readouterr().err


async def test_program_serves_and_ends(tmp_path: Path) -> None:
    """The script runs the program, which writes its addresses, records requests, and ends at SIGTERM."""
    recording = tmp_path / "requests"
    options = ["--port=0", "--vehicles=2", f"--token={TOKEN}", f"--record={recording}"]
    options.append("--command-proxy=bluetooth")
    script = Path(__file__).parents[2] / "scripts" / "simulate"
    program = await asyncio.create_subprocess_exec(script, *options, stdout=asyncio.subprocess.PIPE)
    assert program.stdout
    lines = [(await program.stdout.readline()).decode().split() for _ in range(6)]
    async with ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as session:
        async with session.get(f"{lines[0][1]}/api/1/vehicles?secret=1") as response:
            listed = [str(vehicle["id"]) for vehicle in (await response.json())["response"]]
        command = f"{lines[2][1]}/api/1/vehicles/{lines[4][2]}/command/honk_horn"
        async with session.post(command) as response:
            proxied = response.status
        async with session.get(lines[3][1]) as response:
            page = response.content_type
    program.terminate()
    rest = (await program.stdout.read()).decode()
    assert [line[0] for line in lines] == ["address", "token", "commands", "page", "vehicle", "vehicle"]
    assert listed == [line[1] for line in lines[4:]]
    assert (proxied, page) == (200, "text/html")
    assert (await program.wait(), rest.count("\n")) == (0, 2)
    assert "  GET /api/1/vehicles 200\n" in rest
    assert len(recording.read_text().splitlines()) == 1


@pytest.fixture
def terminal(fleet: Simulator) -> Terminal:
    terminal = Terminal()
    terminal.write_introduction(fleet)
    return terminal


def lines_after(
    path: str, terminal: Terminal, capsys: pytest.CaptureFixture[str], status: int = 200
) -> list[str]:
    capsys.readouterr()
    terminal.write_request(Request("GET", path, {"password": "1234"}, status))
    return capsys.readouterr().out.splitlines()


def test_request_log(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    """A request is one line with the time of day, without its query, and with escaped control characters."""
    lines = lines_after("/api/\x1b[2J\n", terminal, capsys, 404)
    assert lines == [f"{time_of_day(0)}  GET /api/%1B%5B2J%0A 404"]


def test_changes_are_written(
    fleet: Simulator, clock: ManualClock, terminal: Terminal, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed activity is written once, after a request for the car or account. A level is no change."""
    car, other, *_ = fleet.vehicles
    account = "/api/1/vehicles"
    car.set_level(60)
    assert len(lines_after(f"{account}/{car.id}", terminal, capsys)) == 1
    car.unplug()
    car.plug_in()
    car.unlock()
    car.open("rt")
    assert len(lines_after(f"{account}/{other.id}/data", terminal, capsys)) == 1
    activity = "Aurora  online, charging, trunk open, 60%, unlocked"
    assert lines_after(f"{account}/{car.id}/data", terminal, capsys)[1:] == [activity]
    assert len(lines_after(f"{account}/{car.id}/data", terminal, capsys)) == 1
    car.close("rt")
    car.lock()
    assert len(lines_after(account, terminal, capsys)) == 2
    car.charging.stop()
    clock.advance(3600)
    activity = "Aurora  asleep, plugged in, 60%, locked"
    assert lines_after(f"{account}/{car.vin}", terminal, capsys)[1:] == [activity]


@pytest.fixture
async def recorded(tmp_path: Path, clock: ManualClock) -> AsyncIterator[tuple[Client, Path]]:
    path = tmp_path / "requests"
    path.write_text('"what was there before"\n')
    recording = Recording(path)

    def extend(simulator: Simulator, application: web.Application) -> None:
        recording.add_to(simulator, application)
        add_admin(simulator, application)

    async with serving(Simulator(token=TOKEN, clock=clock, extend=extend)) as client:
        yield client, path
    recording.close()


def recorded_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_recording(recorded: tuple[Client, Path], clock: ManualClock) -> None:
    """A request and its response are one line at the end of the file. Those to the admin API are not."""
    client, path = recorded
    clock.advance(1)
    reply = await client.command("set_charge_limit", percent="70")
    await client.post("/simulator/faults", json={"status": 502, "body": "<html>"})
    await client.get(client.vehicle_path)
    before, line, failed = recorded_lines(path)
    assert before == "what was there before"
    assert line == {
        "moment": "2020-01-01T12:00:01+00:00",
        "method": "POST",
        "path": f"{client.vehicle_path}/command/set_charge_limit",
        "query": {"percent": "70"},
        "body": None,
        "status": 200,
        "answer": reply.body,
    }
    # A response that is not JSON is recorded as null.
    assert (failed["status"], failed["answer"]) == (502, None)


SECRET: Final = "9173"
FORM: Final = {"on": "true", "password": SECRET}
REQUESTS: Final[dict[str, tuple[dict[str, Any], Any, Any]]] = {
    "query": ({"params": {"on": "true", "password": SECRET, "pin": SECRET}}, {"on": "true"}, None),
    "JSON": ({"json": {"on": True, "a": [{"Pin": SECRET, "b": 1}]}}, {}, {"on": True, "a": [{"b": 1}]}),
    "form": ({"data": FORM}, {}, {"on": "true"}),
    "multipart": ({"data": FormData(FORM, default_to_multipart=True)}, {}, {"on": "true"}),
    "no JSON": ({"data": f'{{"password": "{SECRET}"'}, {}, None),
    "unknown charset": ({"data": SECRET.encode(), "headers": {"Content-Type": "a/b; charset=no"}}, {}, None),
}


@pytest.mark.parametrize(("more", "query", "body"), REQUESTS.values(), ids=REQUESTS)
async def test_recording_without_secrets(
    more: dict[str, Any], query: Any, body: Any, recorded: tuple[Client, Path]
) -> None:
    client, path = recorded
    headers = {"Authorization": f"Bearer {TOKEN}", **more.get("headers", {})}
    await client.post("/api/1/vehicles", **{**more, "headers": headers})
    line = recorded_lines(path)[-1]
    assert (line["query"], line["body"]) == (query, body)
    assert SECRET not in path.read_text()
    assert TOKEN not in path.read_text()


@pytest.mark.skipif(not ALWAYS_FULL.exists(), reason="this system has no /dev/full")
async def test_recording_to_a_full_disk(clock: ManualClock, capsys: pytest.CaptureFixture[str]) -> None:
    recording = Recording(ALWAYS_FULL)
    async with serving(Simulator(token=TOKEN, clock=clock, extend=recording.add_to)) as client:
        assert [await client.state() for _ in range(2)] == ["online", "online"]
    assert capsys.readouterr().err.count("cannot write to /dev/full anymore: No space left on device") == 1
