"""The admin page and its API."""

from dataclasses import asdict
import re
from typing import Final

from aiohttp import ClientPayloadError
import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.controls import CONTROLS
from simulator_console.admin import FOLDER, vehicle_json
from simulator_console.fault_requests import inject
from simulator_console.service_switches import ServiceSwitches
from simulator_console.services import SimulatedService

from ..simulator.conftest import TOKEN, Client, send, serving
from ..simulator.fleet_api import PLACE


async def test_state(simulator: Simulator, clock: ManualClock, client: Client) -> None:
    """The state of all vehicles needs no token, and does not keep them awake. It can be read for one."""
    clock.advance(600)
    state = (await client.get("/simulator/state", headers={})).body
    vins = [vehicle.vin for vehicle in simulator.vehicles]
    assert state["clock"] == {"now": "2020-01-01T12:10:00+00:00", "speed": 1.0}
    assert [seen["vin"] for seen in state["vehicles"]] == vins
    assert state["vehicles"][0]["record"]["charge_state"]["battery_level"] == 72
    one = (await client.get("/simulator/state", params={"vin": vins[2]})).body["vehicles"]
    assert [seen["vin"] for seen in one] == [vins[2]]
    none = await client.get("/simulator/state", params={"vin": "other"})
    assert (none.status, none.body["error"]) == (404, "no vehicle has this VIN")
    clock.advance(60)
    assert await client.state() == "asleep"


def test_state_beyond_the_record(car: SimulatedVehicle) -> None:
    """The state has what the car's own records don't report, also why and how long it stays awake."""
    names = ("horn", "lights", "boombox", "homelink", "falls_asleep", "stays_awake")
    before = vehicle_json(car)
    assert [before[name] for name in names] == [0, 0, 0, 0, "2020-01-01T12:11:00+00:00", []]
    for command in ("honk_horn", "flash_lights", "flash_lights", "remote_boombox"):
        assert not send(car, command)
    assert not send(car, "trigger_homelink", **PLACE)
    car.sentry(on=True)
    after = vehicle_json(car)
    assert [after[name] for name in names] == [1, 2, 1, 1, None, ["sentry mode is on"]]
    assert not after["play_media"]
    car.enter()
    assert vehicle_json(car)["play_media"]


async def test_control_runs_with_the_arguments_in_the_body(car: SimulatedVehicle, client: Client) -> None:
    path = f"/simulator/vehicles/{car.vin}"
    assert (await client.post(f"{path}/unplug", headers={})).status == 200
    assert (await client.post(f"{path}/open", headers={}, json={"name": "rt"})).status == 200
    reply = await client.post(f"{path}/set_temperatures", headers={}, json={"outside": 5})
    assert reply.body["record"]["climate_state"]["outside_temp"] == 5
    assert (car.charging.state, car.body.openings["rt"]) == ("Disconnected", True)
    for wrong in (f"{car.vin}/catch_up", f"{car.vin}/explode", "other/wake"):
        assert (await client.post(f"/simulator/vehicles/{wrong}")).status == 404


async def test_control_refuses(car: SimulatedVehicle, client: Client) -> None:
    for control, body, words in (
        ("open", '{"name": 3}', "name of open must be text"),
        ("open", "{}", "open requires name"),
        ("open", '{"name": "df", "wide": true}', "open has no argument wide. Its arguments: name"),
        ("wake", '{"now": true}', "wake has no argument now. Its arguments: none"),
        ("open", '{"name": "boot"}', "name must be one of"),
        ("set_level", '{"percent": true}', "percent of set_level must be a number"),
        ("set_level", '{"percent": 1e999}', "JSON object"),
        ("heat_seat", '{"seat": "left", "level": 1.5}', "level of heat_seat must be a whole number"),
        ("set_temperatures", '{"inside": "hot"}', "must be a number or null"),
        ("sentry", '{"on": 1}', "on of sentry must be true or false"),
        ("wake", "{", "JSON object"),
        ("wake", "[]", "JSON object"),
        ("wake", "\udcff", "JSON object"),
        ("wake", "[" * 100_000, "JSON object"),
    ):
        raw = body.encode(errors="surrogateescape")
        reply = await client.post(f"/simulator/vehicles/{car.vin}/{control}", data=raw)
        assert (reply.status, words in reply.body["error"]) == (400, True), (control, body[:50])


async def test_controls_are_listed_with_their_arguments(client: Client) -> None:
    controls = (await client.get("/simulator/controls")).body["controls"]
    assert set(controls) == CONTROLS
    assert all(control["words"] for control in controls.values())
    number, boolean = {"types": ["number"], "choices": []}, {"types": ["boolean"], "choices": []}
    modes = {"types": [], "choices": ["off", "on", "dog", "camp"]}
    for name, arguments in {
        "wake": {},
        "sentry": {"on": {**boolean, "needed": True}},
        "plug_in": {"fast": {**boolean, "needed": False}},
        "drive": {"miles": {**number, "needed": True}, "speed": {**number, "needed": False}},
        "climate_keeper": {"mode": {**modes, "needed": True}},
    }.items():
        assert controls[name]["arguments"] == arguments


async def test_clock_speed_can_be_set_within_limits(client: Client, clock: ManualClock) -> None:
    clock.advance(5)
    assert (await client.post("/simulator/clock", json={"speed": 600})).body["speed"] == 600
    clock.advance(1)
    state = (await client.get("/simulator/clock")).body
    assert state == {"now": "2020-01-01T12:10:05+00:00", "speed": 600}
    for speed in (0, 0.9, 601, True, "fast", None):
        reply = await client.post("/simulator/clock", json={"speed": speed})
        assert (reply.status, "speed" in reply.body["error"], clock.speed) == (400, True, 600)


async def test_requests_are_listed(client: Client, clock: ManualClock, simulator: Simulator) -> None:
    """Requests are listed and shown without their query, but none of the admin API. There can be a limit."""
    clock.advance(90)
    await client.command("set_valet_mode", on="true", password="1234")
    assert "1234" not in repr(simulator.requests)
    await client.get("/b")
    path = f"{client.vehicle_path}/command/set_valet_mode"
    requests = [
        {"moment": "2020-01-01T12:01:30+00:00", "method": "POST", "path": path, "status": 200},
        {"moment": "2020-01-01T12:01:30+00:00", "method": "GET", "path": "/b", "status": 404},
    ]
    assert (await client.get("/simulator/requests")).body["requests"] == requests
    for last, expected in ((0, []), (1, requests[1:]), (2, requests), (9, requests)):
        listed = await client.get("/simulator/requests", params={"last": str(last)})
        assert listed.body["requests"] == expected
    for wrong in ("x", "1.5", "9" * 5000):
        reply = await client.get("/simulator/requests", params={"last": wrong})
        assert (reply.status, reply.body["error"]) == (400, "last must be a whole number")


async def test_faults_are_injected(client: Client) -> None:
    fault = {"status": 429, "times": 2, "headers": {"Retry-After": "17"}, "body": {"error": "slow down"}}
    assert (await client.post("/simulator/faults", json=fault)).status == 200
    replies = [await client.get(client.vehicle_path) for _ in range(3)]
    assert [reply.status for reply in replies] == [429, 429, 200]
    assert (replies[0].headers["Retry-After"], replies[0].body) == ("17", {"error": "slow down"})
    await client.post("/simulator/faults", json={"fail": "cut", "only": "honk_horn"})
    assert await client.state() == "online"
    with pytest.raises(ClientPayloadError):
        await client.command("honk_horn")
    await client.post("/simulator/faults", json={"corrupt": "drive_state.speed", "value": "fast"})
    assert await client.value("drive_state.speed") == "fast"
    await client.post("/simulator/faults", json={"remove": "drive_state.speed"})
    assert "speed" not in await client.value("drive_state")
    fault = {"share": 0.5, "seed": 1, "among": [{"status": 500}, {"status": 503, "body": "x"}]}
    await client.post("/simulator/faults", json=fault)
    assert {(await client.get(client.vehicle_path)).status for _ in range(30)} == {200, 500, 503}


async def test_faults_are_listed(client: Client) -> None:
    fault = {"status": 503, "times": 5}
    await client.post("/simulator/faults", json=fault)
    await client.get(client.vehicle_path)
    assert (await client.get("/simulator/faults")).body == {"told": [fault], "injected": {"503": 1}}
    assert (await client.request("DELETE", "/simulator/faults")).body["told"] == []
    assert (await client.get(client.vehicle_path)).status == 200


def test_invalid_fault_is_refused(fleet: Simulator) -> None:
    for fault, words in (
        ({}, "a fault must have exactly one of status, fail, corrupt, remove, share"),
        ({"status": 500, "fail": "cut"}, "exactly one of"),
        ({"status": "500"}, "status of status must be a whole number"),
        ({"status": 100}, "status must be between 200 and 599"),
        ({"status": 500, "times": 0}, "times must be 1 or more"),
        ({"status": 500, "headers": {"A": 1}}, "A is not a valid header"),
        ({"status": 500, "headers": {"A": "1\r\nB: 2"}}, "A is not a valid header"),
        ({"fail": "explode"}, "must be one of reset, close, silence"),
        ({"share": 2, "seed": 0, "among": []}, "share must be between 0 and 1"),
        ({"share": 1, "seed": 0, "among": [7]}, "each item of among must be a JSON object"),
        ({"share": 1, "seed": 0, "among": [{"remove": "x"}]}, "a fault must have exactly one of status"),
        ({"share": 1, "seed": 0, "among": [{"fail": "explode"}]}, "must be one of reset"),
    ):
        with pytest.raises(ValueError, match=words):
            inject(fleet.faults, fault)
        assert fleet.faults.next_fault("/") is None, words


async def test_switches(client: Client, car: SimulatedVehicle) -> None:
    """Every switch is listed with its value, default, description and allowed values. Switches can be set."""
    body = (await client.get("/simulator/switches")).body
    assert body["service"] == "other"
    listed = body["switches"]
    assert {name: switch["value"] for name, switch in listed.items()} == asdict(car.switches)
    assert listed["region"] == {
        "value": "",
        "default": "",
        "words": "The region that GET /api/1/users/region returns; empty: that endpoint doesn't exist.",
        "types": [],
        "choices": ["", "na", "eu", "cn"],
    }
    values = {"region": "eu", "list": False}
    listed = (await client.post("/simulator/switches", json=values)).body["switches"]
    assert {name: listed[name]["value"] for name in values} == values
    assert (await client.get("/api/1/vehicles")).status == 404


async def test_invalid_switch(client: Client, car: SimulatedVehicle) -> None:
    for values in ({"explode": True}, {"rate_limit": 1.5}, {"latency": -1}):
        reply = await client.post("/simulator/switches", json={"list": False, **values})
        assert reply.status == 400, values
        assert next(iter(values)) in reply.body["error"], values
        assert car.switches == ServiceSwitches(), values


async def test_no_admin_by_default() -> None:
    async with serving(Simulator(token=TOKEN)) as client:
        for path in ("/simulator", "/simulator/", "/simulator/state", "/simulator/page.js"):
            assert (await client.get(path)).status == 404, path


async def test_wrong_path(client: Client) -> None:
    for method, path, status, words in (
        ("GET", "/simulator/explode", 404, "/simulator/explode does not exist"),
        ("GET", "/simulator/page.py", 404, "does not exist"),
        ("GET", "/simulator/../admin.py", 401, "invalid_token"),
        ("GET", "/simulator/%2e%2e%2fadmin.py", 404, "does not exist"),
        ("POST", "/simulator/state", 405, "/simulator/state accepts only GET"),
        ("PUT", "/simulator/clock", 405, "/simulator/clock accepts only GET and POST"),
        ("GET", "/simulator/vehicles/x/wake", 405, "accepts only POST"),
        ("POST", "/simulator/clock", 413, "Content Too Large"),
    ):
        reply = await client.request(method, path, headers={}, data=b" " * 2**21 if status == 413 else None)
        assert reply.status == status, path
        assert words in reply.body["error"], path


async def test_faults_do_not_affect_admin(simulator: SimulatedService, client: Client) -> None:
    simulator.faults.answer(500, times=9)
    simulator.switches.unregistered = True
    simulator.switches.rate_limit = 1
    simulator.switches.latency = 1e9
    assert (await client.request("DELETE", "/simulator/faults", headers={})).status == 200
    assert (await client.get("/simulator/explode")).status == 404


async def test_sender(client: Client, simulator: Simulator) -> None:
    """Only the service's own page on this machine may send requests, also if DNS resolves a name to it."""
    for host, origin, status, words in (
        ("localhost:8124", "http://localhost:8124", 200, ""),
        ("localhost:8124", "http://evil.example", 403, "not allowed to send requests"),
        ("localhost:8124", "https://localhost:8124", 403, "not allowed to send requests"),
        ("localhost:8124", "http://localhost", 403, "not allowed to send requests"),
        ("localhost:8124", "", 403, "not allowed to send requests"),
        ("localhost", None, 200, ""),
        ("LOCALHOST:8124", None, 200, ""),
        ("127.0.0.2", None, 200, ""),
        ("[::1]:8124", None, 200, ""),
        ("evil.example", "http://evil.example", 403, "localhost or 127.0.0.1"),
        ("192.168.1.7:8124", "http://192.168.1.7:8124", 403, "localhost or 127.0.0.1"),
        ("localhost.evil.example", "http://localhost.evil.example", 403, "localhost or 127.0.0.1"),
        ("[", "http://[", 403, "localhost or 127.0.0.1"),
        ("", "http://", 403, "localhost or 127.0.0.1"),
    ):
        headers = {"Host": host} if origin is None else {"Host": host, "Origin": origin}
        reply = await client.post("/simulator/clock", json={"speed": 2}, headers=headers)
        assert (reply.status, simulator.clock.speed) == (status, 2 if status == 200 else 1), headers
        assert words in reply.body.get("error", "")
        simulator.clock.speed = 1


MARKUP: Final = (FOLDER / "index.html").read_text()
SCRIPT: Final = (FOLDER / "page.js").read_text()


def attributes(*names: str) -> list[str]:
    return re.findall(rf'\s(?:{"|".join(names)})="([^"]*)"', MARKUP)


async def test_page_is_served(client: Client) -> None:
    """Every file of the page has its type, needs no token, and loads nothing from elsewhere."""
    for name, content_type in (
        ("", "text/html"),
        ("../simulator", "text/html"),
        ("..", "text/html"),
        ("page.js", "text/javascript"),
        ("drawing.js", "text/javascript"),
        ("page.css", "text/css"),
        ("icon.svg", "image/svg+xml"),
    ):
        reply = await client.get(f"/simulator/{name}", headers={})
        assert reply.status == 200, name
        assert reply.headers["Content-Type"].partition(";")[0] == content_type, name
        assert reply.headers["Content-Security-Policy"].startswith("default-src 'self';"), name
        assert reply.headers["X-Content-Type-Options"] == "nosniff", name
        # XML namespaces are no addresses.
        text = reply.body.replace("http://www.w3.org/2000/svg", "")
        assert not re.findall(r"//\w+\.|https?:|@import|data:", text), name


async def test_browser_at_the_root_is_no_client(client: Client, fleet: Simulator) -> None:
    """A browser that is led from / to the page uses up no fault, and is no request to the service."""
    inject(fleet.faults, {"status": 503, "times": 1})
    assert (await client.get("/", headers={})).status == 200
    assert not fleet.requests
    assert (await client.get("/")).status == 503
    assert (await client.get("/")).status == 404


def test_page_names_what_exists() -> None:
    """The page's buttons are controls. Every element that the script looks up is in the page, once."""
    named = {name for names in attributes("data-controls", "data-press") for name in names.split()}
    assert {"open", "close", "lock", "unlock", "plug_in", "unplug", "drive"} <= named <= CONTROLS
    assert 'run("' not in SCRIPT
    ids = attributes("id")
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r'find\("([\w-]+)"\)', SCRIPT)) <= set(ids)


async def test_page_requests_existing_paths(client: Client, car: SimulatedVehicle) -> None:
    requested = re.findall(r'ask\("(GET|POST|DELETE)", ["`]([^"`]+)["`]', SCRIPT)
    assert len(requested) >= 8
    for method, path in requested:
        real = path.replace("${vin}", car.vin).replace("${control}", "wake").replace("${SHOWN_REQUESTS}", "9")
        status = (await client.request(method, f"/simulator/{real}", headers={})).status
        assert status in {200, 400}, (method, path)
