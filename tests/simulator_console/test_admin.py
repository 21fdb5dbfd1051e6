"""The admin page and its API."""

from collections.abc import Callable
from dataclasses import asdict
from html.parser import HTMLParser
import re
from typing import Any, override

from aiohttp import ClientPayloadError
import pytest

from custom_components.vehicle_remote_access.simulator import (
    CONTROLS,
    Clock,
    ManualClock,
    SimulatedVehicle,
    Simulator,
    Switches,
)
from simulator_console.admin import add_admin

from ..simulator.conftest import Client, Reply

HERE = {"Host": "localhost:8124"}


async def first_vehicle(client: Client) -> Any:
    """Return the first vehicle from the admin API."""
    return (await client.get("/simulator/state", headers={})).body["vehicles"][0]


# Vehicles


async def test_state_lets_the_car_sleep(simulator: Simulator, clock: ManualClock, client: Client) -> None:
    """The state of all vehicles needs no token, and does not keep the vehicles awake."""
    clock.advance(600)
    vehicles = (await client.get("/simulator/state", headers={})).body["vehicles"]
    assert [seen["vin"] for seen in vehicles] == [vehicle.vin for vehicle in simulator.vehicles]
    assert vehicles[0]["record"]["charge_state"]["battery_level"] == 72
    clock.advance(60)
    assert await client.state() == "asleep"


async def test_state_of_one(simulator: Simulator, client: Client) -> None:
    """The state of a single vehicle can be read."""
    wanted = simulator.vehicles[2].vin
    reply = await client.get("/simulator/state", params={"vin": wanted})
    assert [vehicle["vin"] for vehicle in reply.body["vehicles"]] == [wanted]


async def test_state_of_none(client: Client) -> None:
    """An unknown vehicle gets a 404 response with a message."""
    reply = await client.get("/simulator/state", params={"vin": "other"})
    assert (reply.status, reply.body["error"]) == (404, "there is no vehicle with this VIN")


async def test_state_has_the_time(client: Client) -> None:
    """The state has the simulated time."""
    reply = await client.get("/simulator/state")
    assert reply.body["clock"] == {"now": "2020-01-01T12:00:00+00:00", "speed": 1.0}


async def test_horn_and_lights_are_counted(client: Client) -> None:
    """The state counts the horn and the lights."""
    await client.command("honk_horn")
    after = await first_vehicle(client)
    assert (after["horn"], after["lights"]) == (1, 0)


async def test_when_it_falls_asleep(client: Client) -> None:
    """The state has the time at which an idle car falls asleep."""
    car = await first_vehicle(client)
    assert (car["falls_asleep"], car["stays_awake"]) == ("2020-01-01T12:11:00+00:00", [])


async def test_why_it_stays_awake(car: SimulatedVehicle, client: Client) -> None:
    """The state has the reasons why a car stays awake."""
    car.sentry(on=True)
    state = await first_vehicle(client)
    assert (state["falls_asleep"], state["stays_awake"]) == (None, ["sentry mode is on"])


@pytest.mark.parametrize(
    ("act", "name"),
    [
        (lambda car: car.coverage(on=False), "coverage"),
        (lambda car: car.mobile_access(on=False), "mobile_access"),
        (lambda car: car.power_supply(on=False), "power_supply"),
    ],
    ids=["coverage", "mobile_access", "power_supply"],
)
async def test_state_beyond_the_record(
    act: Callable[[SimulatedVehicle], None], name: str, car: SimulatedVehicle, client: Client
) -> None:
    """The state has what the car's own records don't report."""
    before = (await first_vehicle(client))[name]
    act(car)
    assert (before, (await first_vehicle(client))[name]) == (True, False)


ACTIVITIES: list[tuple[str, Callable[[SimulatedVehicle], object]]] = [
    ("asleep", lambda car: car.fall_asleep()),
    ("offline", lambda car: car.coverage(on=False)),
    ("in service", lambda car: car.service(on=True)),
    ("driving", lambda car: (car.unplug(), car.drive(1))),
    ("somebody inside", lambda car: car.enter()),
    ("plugged in without power", lambda car: car.power_supply(on=False)),
    ("charging", lambda car: (car.unplug(), car.plug_in())),
    ("charged", lambda car: (car.unplug(), car.set_level(95), car.plug_in())),
    ("climate kept dog", lambda car: car.climate_keeper("dog")),
    ("sentry mode", lambda car: car.sentry(on=True)),
    ("software available", lambda car: car.offer_update()),
    ("trunk open", lambda car: car.open("rt")),
]


@pytest.mark.parametrize(("words", "act"), ACTIVITIES, ids=[activity[0] for activity in ACTIVITIES])
async def test_activity(
    words: str, act: Callable[[SimulatedVehicle], object], car: SimulatedVehicle, client: Client
) -> None:
    """The state describes what a car is doing as soon as it does it."""
    before = (await first_vehicle(client))["doing"]
    act(car)
    assert words not in before
    assert words in (await first_vehicle(client))["doing"]


@pytest.mark.parametrize(
    ("control", "arguments", "path", "value"),
    [
        ("unplug", None, "charge_state.charging_state", "Disconnected"),
        ("open", {"name": "rt"}, "vehicle_state.rt", 255),
        ("sentry", {"on": True}, "vehicle_state.sentry_mode", True),
        ("set_level", {"percent": 40}, "charge_state.battery_level", 40),
        ("set_temperatures", {"outside": 5}, "climate_state.outside_temp", 5),
    ],
)
async def test_control(
    *, control: str, arguments: Any, path: str, value: Any, car: SimulatedVehicle, client: Client
) -> None:
    """A control runs with the arguments in the body."""
    body = {} if arguments is None else {"json": arguments}
    reply = await client.post(f"/simulator/vehicles/{car.vin}/{control}", headers={}, **body)
    assert reply.status == 200
    assert await client.value(path) == value


@pytest.mark.parametrize(
    ("control", "body", "words"),
    [
        ("open", '{"name": 3}', "name of open has to be a text"),
        ("open", "{}", "open needs name"),
        ("open", '{"name": "df", "wide": true}', "open takes name, not wide"),
        ("wake", '{"now": true}', "wake takes no arguments, not now"),
        ("open", '{"name": "boot"}', "name has to be one of"),
        ("set_level", '{"percent": true}', "percent of set_level has to be a number"),
        ("set_level", '{"percent": 1e999}', "JSON object"),
        ("heat_seat", '{"seat": "left", "level": 1.5}', "level of heat_seat has to be a whole number"),
        ("set_temperatures", '{"inside": "hot"}', "has to be a number or null"),
        ("sentry", '{"on": 1}', "on of sentry has to be true or false"),
        ("wake", "{", "JSON object"),
        ("wake", "[]", "JSON object"),
        ("wake", "\udcff", "JSON object"),
        ("wake", "[" * 100_000, "JSON object"),
    ],
)
async def test_control_refuses(
    control: str, body: str, words: str, car: SimulatedVehicle, client: Client
) -> None:
    """Invalid arguments of a control get a 400 response with a message."""
    raw = body.encode(errors="surrogateescape")
    reply = await client.post(f"/simulator/vehicles/{car.vin}/{control}", data=raw)
    assert reply.status == 400
    assert words in reply.body["error"]


@pytest.mark.parametrize("path", ["{vin}/catch_up", "{vin}/explode", "other/wake"])
async def test_only_controls_run(path: str, car: SimulatedVehicle, client: Client) -> None:
    """Only controls of existing vehicles can be run."""
    assert (await client.post(f"/simulator/vehicles/{path.format(vin=car.vin)}")).status == 404


async def test_controls_are_listed(client: Client) -> None:
    """Every control is listed with a description."""
    controls = (await client.get("/simulator/controls")).body["controls"]
    assert set(controls) == CONTROLS
    assert all(control["words"] for control in controls.values())


@pytest.mark.parametrize(
    ("control", "arguments"),
    [
        ("wake", {}),
        ("sentry", {"on": {"types": ["boolean"], "choices": [], "needed": True}}),
        ("plug_in", {"fast": {"types": ["boolean"], "choices": [], "needed": False}}),
        (
            "drive",
            {
                "miles": {"types": ["number"], "choices": [], "needed": True},
                "speed": {"types": ["number"], "choices": [], "needed": False},
            },
        ),
        (
            "climate_keeper",
            {"mode": {"types": [], "choices": ["off", "on", "dog", "camp"], "needed": True}},
        ),
    ],
)
async def test_arguments_are_listed(control: str, arguments: Any, client: Client) -> None:
    """Every argument is listed with its types, its choices, and whether it is required."""
    assert (await client.get("/simulator/controls")).body["controls"][control]["arguments"] == arguments


# Clock and requests


async def test_clock_is_set(client: Client, simulator: Simulator) -> None:
    """The clock's speed can be set."""
    reply = await client.post("/simulator/clock", json={"speed": 60})
    assert reply.body["speed"] == 60
    assert simulator.clock.speed == 60


async def test_clock_continues_from_the_present(client: Client, simulator: Simulator) -> None:
    """A change of speed does not change the time."""
    moments = [1_577_880_000.0]
    other = Simulator(extend=add_admin, clock=Clock(time=lambda: moments[-1]))
    simulator.url, own = await other.start(), simulator.url
    moments.append(moments[-1] + 5)
    await client.post("/simulator/clock", json={"speed": 600})
    moments.append(moments[-1] + 1)
    now = (await client.get("/simulator/clock")).body["now"]
    simulator.url = own
    await other.stop()
    assert now == "2020-01-01T12:10:05+00:00"


@pytest.mark.parametrize("speed", [0, 0.5, 601, -1, True, "fast", None])
async def test_clock_has_limits(*, speed: Any, client: Client, simulator: Simulator) -> None:
    """An invalid speed gets a 400 response with a message."""
    reply = await client.post("/simulator/clock", json={"speed": speed})
    assert (reply.status, simulator.clock.speed) == (400, 1.0)
    assert "speed" in reply.body["error"]


async def test_requests_are_listed(client: Client, clock: ManualClock) -> None:
    """A request is listed with moment, method, path and status, without its query."""
    clock.advance(90)
    await client.command("set_valet_mode", on="true", password="1234")
    assert (await client.get("/simulator/requests")).body["requests"] == [
        {
            "moment": "2020-01-01T12:01:30+00:00",
            "method": "POST",
            "path": f"{client.vehicle_path}/command/set_valet_mode",
            "status": 200,
        }
    ]


@pytest.mark.parametrize(
    ("last", "paths"), [("1", ["/b"]), ("2", ["/a", "/b"]), ("9", ["/a", "/b"]), ("0", [])]
)
async def test_last_requests(last: str, paths: list[str], client: Client) -> None:
    """The list can be limited to the newest requests."""
    await client.get("/a")
    await client.get("/b")
    requests = (await client.get("/simulator/requests", params={"last": last})).body["requests"]
    assert [request["path"] for request in requests] == paths


@pytest.mark.parametrize("last", ["x", "1.5", "9" * 5000])
async def test_last_has_to_be_a_number(last: str, client: Client) -> None:
    """An invalid number of requests gets a 400 response with a message."""
    reply = await client.get("/simulator/requests", params={"last": last})
    assert (reply.status, reply.body["error"]) == (400, "last has to be a whole number")


async def test_admin_requests_are_not_listed(client: Client, simulator: Simulator) -> None:
    """Requests under /simulator/ are not in the list of requests."""
    await client.get("/simulator/state")
    assert not simulator.requests


# Faults and switches


async def test_fault_response(client: Client) -> None:
    """The service sends an injected response to a number of requests."""
    fault = {"status": 429, "times": 2, "headers": {"Retry-After": "17"}, "body": {"error": "slow down"}}
    assert (await client.post("/simulator/faults", json=fault)).status == 200
    replies = [await client.get(client.vehicle_path) for _ in range(3)]
    assert [reply.status for reply in replies] == [429, 429, 200]
    assert (replies[0].headers["Retry-After"], replies[0].body) == ("17", {"error": "slow down"})


async def test_fault_of_another_type(client: Client) -> None:
    """An injected response has the content type of its headers."""
    fault = {"status": 502, "headers": {"content-type": "text/html"}, "body": "<h1>Bad gateway</h1>"}
    await client.post("/simulator/faults", json=fault)
    reply = await client.get(client.vehicle_path)
    assert (reply.body, reply.headers["Content-Type"]) == ("<h1>Bad gateway</h1>", "text/html")


async def test_fault_drops_a_response(client: Client) -> None:
    """The service drops the responses to the selected requests."""
    await client.post("/simulator/faults", json={"fail": "cut", "only": "honk_horn"})
    assert await client.state() == "online"
    with pytest.raises(ClientPayloadError):
        await client.command("honk_horn")


@pytest.mark.parametrize(
    ("fault", "known"),
    [({"corrupt": "drive_state.speed", "value": "fast"}, True), ({"remove": "drive_state.speed"}, False)],
)
async def test_fault_corrupts_a_field(*, fault: Any, known: bool, client: Client) -> None:
    """A field gets an injected value, or is removed."""
    await client.post("/simulator/faults", json=fault)
    assert ("speed" in await client.value("drive_state")) is known


async def test_random_fault(client: Client) -> None:
    """A share of all requests gets one of several faults."""
    fault = {"share": 0.5, "seed": 1, "among": [{"status": 500}, {"status": 503, "body": "x"}]}
    await client.post("/simulator/faults", json=fault)
    assert {(await client.get(client.vehicle_path)).status for _ in range(30)} == {200, 500, 503}


async def test_faults_are_listed(client: Client) -> None:
    """The injected faults are listed, with the number of requests that each kind affected."""
    fault = {"status": 503, "times": 5}
    await client.post("/simulator/faults", json=fault)
    await client.get(client.vehicle_path)
    assert (await client.get("/simulator/faults")).body == {"told": [fault], "injected": {"503": 1}}


async def test_faults_are_cleared(client: Client) -> None:
    """After clearing, responses are correct and no fault is listed."""
    await client.post("/simulator/faults", json={"status": 503, "times": 5})
    assert (await client.request("DELETE", "/simulator/faults")).body["told"] == []
    assert (await client.get(client.vehicle_path)).status == 200


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({}, "a fault has one of status, fail, corrupt, remove, share"),
        ({"status": 500, "fail": "cut"}, "a fault has one of"),
        ({"status": "500"}, "status of status has to be a whole number"),
        ({"status": 100}, "status has to be between 200 and 599"),
        ({"status": 500, "times": 0}, "times has to be 1 or more"),
        ({"status": 500, "often": 1}, "not often"),
        ({"status": 500, "headers": {"A": 1}}, "A is no header"),
        ({"status": 500, "headers": {"A": "1\r\nB: 2"}}, "A is no header"),
        ({"fail": "explode"}, "has to be one of reset, close, silence"),
        ({"corrupt": "drive_state"}, "corrupt needs value"),
        ({"share": 2, "seed": 0, "among": []}, "share has to be between 0 and 1"),
        ({"share": 1, "seed": 0, "among": [7]}, "each of among has to be a JSON object"),
        ({"share": 1, "seed": 0, "among": [{"remove": "x"}]}, "a fault has one of status, fail"),
        ({"share": 1, "seed": 0, "among": [{"fail": "explode"}]}, "has to be one of reset"),
    ],
)
async def test_invalid_fault(fault: Any, words: str, client: Client) -> None:
    """An invalid fault gets a 400 response with a message, and nothing is injected."""
    reply = await client.post("/simulator/faults", json=fault)
    assert reply.status == 400
    assert words in reply.body["error"]
    assert (await client.get(client.vehicle_path)).status == 200


async def test_switches_are_listed(client: Client, switches: Switches) -> None:
    """Every switch is listed with its value, default, description and allowed values."""
    listed = (await client.get("/simulator/switches")).body["switches"]
    assert {name: switch["value"] for name, switch in listed.items()} == asdict(switches)
    assert listed["bus_busy"] == {
        "value": 0.0,
        "default": 0.0,
        "words": "How often a command meets could_not_wake_buses; `strict`: within a second of a live read.",
        "types": ["number"],
        "choices": ["strict"],
    }


async def test_switches_are_set(client: Client) -> None:
    """Switches can be set."""
    values = {"wake_shape": "object", "list": False}
    listed = (await client.post("/simulator/switches", json=values)).body["switches"]
    assert {name: listed[name]["value"] for name in values} == values
    assert (await client.get("/api/1/vehicles")).status == 404


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"explode": True}, "there is no explode; there are profile, list"),
        ({"list": 0}, "list has to be true or false"),
        ({"wake_shape": "pear"}, "wake_shape has to be one of array, object"),
        ({"mobile_code": 401.0}, "mobile_code has to be one of 401, 405"),
        ({"bus_busy": "often"}, "bus_busy has to be a number or one of strict"),
        ({"latency": -1}, "latency must not be below 0"),
    ],
)
async def test_invalid_switch(values: Any, words: str, client: Client, switches: Switches) -> None:
    """An invalid switch gets a 400 response with a message, and no other switch is set."""
    reply = await client.post("/simulator/switches", json={"empty_body": True, **values})
    assert reply.status == 400
    assert words in reply.body["error"]
    assert switches == Switches()


# Allowed requests


async def test_no_admin_by_default(simulator: Simulator, client: Client) -> None:
    """Without the admin option the service has neither the paths nor the page."""
    other = Simulator(token=simulator.token)
    simulator.url, own = await other.start(), simulator.url
    paths = ("/simulator", "/simulator/", "/simulator/state", "/simulator/page.js")
    replies = [(await client.get(path)).status for path in paths]
    simulator.url = own
    await other.stop()
    assert replies == [404] * 4


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("GET", "/simulator/explode", 404, "there is nothing at /simulator/explode"),
        ("GET", "/simulator/page.py", 404, "there is nothing at"),
        ("GET", "/simulator/../admin.py", 401, "invalid_token"),
        ("GET", "/simulator/%2e%2e%2fadmin.py", 404, "there is nothing at"),
        ("POST", "/simulator/state", 405, "/simulator/state takes GET"),
        ("PUT", "/simulator/clock", 405, "/simulator/clock takes GET and POST"),
        ("GET", "/simulator/vehicles/x/wake", 405, "takes POST"),
    ],
)
async def test_wrong_path(method: str, path: str, status: int, words: str, client: Client) -> None:
    """A wrong path or method gets a JSON response with a message."""
    reply = await client.request(method, path, headers={})
    assert reply.status == status
    assert words in reply.body["error"]


async def test_body_too_large(client: Client) -> None:
    """A body that is too large gets a JSON response."""
    reply = await client.post("/simulator/clock", data=b" " * 2**21)
    assert (reply.status, reply.body) == (413, {"error": "Content Too Large"})


async def test_faults_do_not_affect_admin(simulator: Simulator, client: Client) -> None:
    """No fault affects the admin API, so that faults can be cleared."""
    simulator.faults.answer(500, times=9)
    simulator.switches.forbid = "nobody"
    simulator.switches.rate_limit = 1
    simulator.switches.latency = 1e9
    simulator.switches.error_in_200 = True
    assert (await client.request("DELETE", "/simulator/faults", headers={})).status == 200
    assert (await client.get("/simulator/explode")).status == 404


async def set_clock_as(client: Client, headers: dict[str, str]) -> Reply:
    """Set the clock with the headers of a browser, and return the response."""
    return await client.post("/simulator/clock", json={"speed": 2}, headers=headers)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://localhost:8124",
        "http://localhost",
        "http://localhost:3000",
        "null",
        "",
    ],
)
async def test_other_pages_are_refused(origin: str, client: Client, simulator: Simulator) -> None:
    """A request from another page, also from one on this machine, is refused with a message."""
    reply = await set_clock_as(client, {**HERE, "Origin": origin})
    assert (reply.status, simulator.clock.speed) == (403, 1.0)
    assert "may not steer this" in reply.body["error"]


async def test_own_page_is_allowed(client: Client) -> None:
    """A request from the service's own page is allowed."""
    assert (await set_clock_as(client, {**HERE, "Origin": "http://localhost:8124"})).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8124", "192.168.1.7:8124", "localhost.evil.example", "[", ""]
)
async def test_other_host_names_are_refused(host: str, client: Client, simulator: Simulator) -> None:
    """A host name that resolves to this machine by DNS rebinding is refused with a message."""
    reply = await set_clock_as(client, {"Host": host, "Origin": f"http://{host}"})
    assert (reply.status, simulator.clock.speed) == (403, 1.0)
    assert "localhost or 127.0.0.1" in reply.body["error"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8124", "127.0.0.1:8124", "127.0.0.2", "[::1]:8124"])
async def test_loopback_names_are_allowed(host: str, client: Client) -> None:
    """Every name of the loopback interface is allowed."""
    assert (await set_clock_as(client, {"Host": host})).status == 200


# The page


class Markup(HTMLParser):
    """The tags and attributes of an HTML page."""

    def __init__(self, text: str) -> None:
        """Parse the page."""
        super().__init__()
        self.attributes: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.feed(text)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def values(self, *names: str) -> list[str]:
        """Return the values of all attributes with these names."""
        return [value for name, value in self.attributes if name in names]


@pytest.fixture
async def markup(client: Client) -> Markup:
    """Return the page's markup."""
    return Markup((await client.get("/simulator/", headers={})).body)


FILES = {
    "": "text/html",
    "page.js": "text/javascript",
    "page.css": "text/css",
    "icon.svg": "image/svg+xml",
}


@pytest.mark.parametrize("name", FILES)
async def test_page_is_served(name: str, client: Client) -> None:
    """Every file of the page has its type, needs no token, and forbids loading from elsewhere."""
    reply = await client.get(f"/simulator/{name}", headers={})
    assert reply.status == 200
    assert reply.headers["Content-Type"].partition(";")[0] == FILES[name]
    assert reply.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


async def test_redirect_to_the_page(client: Client) -> None:
    """A path without the final slash leads to the page."""
    reply = await client.get("/simulator", headers={})
    assert reply.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("name", FILES)
async def test_page_loads_nothing_from_elsewhere(name: str, client: Client) -> None:
    """No file of the page contains another address. XML namespaces are no addresses."""
    text = (await client.get(f"/simulator/{name}")).body.replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"//\w+\.|https?:|@import|data:", text)


async def test_page_finds_its_files(markup: Markup) -> None:
    """The page loads exactly the files that are served."""
    loaded = {link for link in markup.values("src", "href") if not link.startswith("#")}
    assert loaded == set(FILES) - {""}


async def test_page_runs_under_its_policy(markup: Markup) -> None:
    """The page has no inline script, style or handler, which its policy would block."""
    assert markup.tags.count("script") == len(markup.values("src")) - markup.tags.count("img") == 1
    assert "style" not in markup.tags
    assert not [name for name, _ in markup.attributes if name == "style" or name.startswith("on")]


async def test_page_names_controls_that_exist(markup: Markup, client: Client) -> None:
    """The page's buttons are existing controls, and its script names none itself."""
    named = {name for names in markup.values("data-controls", "data-press") for name in names.split()}
    assert {"open", "close", "lock", "unlock", "plug_in", "unplug", "drive"} <= named <= CONTROLS
    assert 'run("' not in (await client.get("/simulator/page.js")).body


async def test_page_takes_data_as_text(client: Client) -> None:
    """The script never uses data as markup or code."""
    script = (await client.get("/simulator/page.js")).body
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script)


async def test_page_finds_its_elements(markup: Markup, client: Client) -> None:
    """Every element that the script looks up is in the page, once."""
    script = (await client.get("/simulator/page.js")).body
    ids = markup.values("id")
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r'find\("([\w-]+)"\)', script)) <= set(ids)


async def test_page_requests_existing_paths(client: Client, car: SimulatedVehicle) -> None:
    """Every path that the script requests exists."""
    script = (await client.get("/simulator/page.js")).body
    requested = re.findall(r'ask\("(GET|POST|DELETE)", ["`]([^"`]+)["`]', script)
    assert len(requested) >= 8
    for method, path in requested:
        real = path.replace("${vin}", car.vin).replace("${control}", "wake").replace("${SHOWN_REQUESTS}", "9")
        status = (await client.request(method, f"/simulator/{real}", headers={})).status
        assert status in {200, 400}, (method, path)
