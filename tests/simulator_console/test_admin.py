"""How the cars and their service are looked at and steered over HTTP, and the page that does it."""

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
    Simulator,
    Switches,
    Vehicle,
)
from simulator_console.admin import add_admin

from ..simulator.conftest import Client, Reply

HERE = {"Host": "localhost:8124"}


async def seen(client: Client) -> Any:
    """Return the first vehicle as somebody beside it sees it."""
    return (await client.get("/simulator/state", headers={})).body["vehicles"][0]


# The cars


async def test_state_lets_the_car_sleep(simulator: Simulator, clock: ManualClock, client: Client) -> None:
    """Whoever looks on sees all vehicles, without a token and without keeping them awake."""
    clock.advance(600)
    vehicles = (await client.get("/simulator/state", headers={})).body["vehicles"]
    assert [each["vin"] for each in vehicles] == [vehicle.vin for vehicle in simulator.vehicles]
    assert vehicles[0]["record"]["charge_state"]["battery_level"] == 72
    clock.advance(60)
    assert await client.state() == "asleep"


async def test_state_of_one(simulator: Simulator, client: Client) -> None:
    """One car can be looked at alone."""
    wanted = simulator.vehicles[2].vin
    reply = await client.get("/simulator/state", params={"vin": wanted})
    assert [each["vin"] for each in reply.body["vehicles"]] == [wanted]


async def test_state_of_none(client: Client) -> None:
    """A car that does not exist is not found, in words."""
    reply = await client.get("/simulator/state", params={"vin": "other"})
    assert (reply.status, reply.body["error"]) == (404, "there is no vehicle with this VIN")


async def test_state_tells_the_time(client: Client) -> None:
    """The state says what time it is for the cars."""
    reply = await client.get("/simulator/state")
    assert reply.body["clock"] == {"now": "2020-01-01T12:00:00+00:00", "speed": 1.0}


async def test_horn_and_lights_are_counted(client: Client) -> None:
    """Whoever looks on hears the horn."""
    await client.command("honk_horn")
    after = await seen(client)
    assert (after["horn"], after["lights"]) == (1, 0)


async def test_when_it_falls_asleep(client: Client) -> None:
    """A car that nothing keeps awake says when it falls asleep."""
    car = await seen(client)
    assert (car["falls_asleep"], car["stays_awake"]) == ("2020-01-01T12:11:00+00:00", [])


async def test_why_it_stays_awake(car: Vehicle, client: Client) -> None:
    """A car that stays awake says why."""
    car.sentry(on=True)
    looked_at = await seen(client)
    assert (looked_at["falls_asleep"], looked_at["stays_awake"]) == (None, ["sentry mode is on"])


@pytest.mark.parametrize(
    ("act", "name"),
    [
        (lambda car: car.coverage(on=False), "coverage"),
        (lambda car: car.mobile_access(on=False), "mobile_access"),
        (lambda car: car.power_supply(on=False), "power_supply"),
    ],
    ids=["coverage", "mobile_access", "power_supply"],
)
async def test_what_no_record_says(
    act: Callable[[Vehicle], None], name: str, car: Vehicle, client: Client
) -> None:
    """Whoever looks on sees what the car's own records do not hold."""
    before = (await seen(client))[name]
    act(car)
    assert (before, (await seen(client))[name]) == (True, False)


DOING: list[tuple[str, Callable[[Vehicle], object]]] = [
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


@pytest.mark.parametrize(("words", "act"), DOING, ids=[each[0] for each in DOING])
async def test_doing(words: str, act: Callable[[Vehicle], object], car: Vehicle, client: Client) -> None:
    """What a car does is said in words as soon as it does it."""
    before = (await seen(client))["doing"]
    act(car)
    assert words not in before
    assert words in (await seen(client))["doing"]


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
    *, control: str, arguments: Any, path: str, value: Any, car: Vehicle, client: Client
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
async def test_control_refuses(control: str, body: str, words: str, car: Vehicle, client: Client) -> None:
    """Arguments that a control does not take are answered 400, in words."""
    raw = body.encode(errors="surrogateescape")
    reply = await client.post(f"/simulator/vehicles/{car.vin}/{control}", data=raw)
    assert reply.status == 400
    assert words in reply.body["error"]


@pytest.mark.parametrize("path", ["{vin}/catch_up", "{vin}/explode", "other/wake"])
async def test_only_controls_run(path: str, car: Vehicle, client: Client) -> None:
    """Nothing but a control of a vehicle that exists can be run."""
    assert (await client.post(f"/simulator/vehicles/{path.format(vin=car.vin)}")).status == 404


async def test_controls_are_told(client: Client) -> None:
    """Every control is told of, with words for it."""
    controls = (await client.get("/simulator/controls")).body["controls"]
    assert set(controls) == CONTROLS
    assert all(each["words"] for each in controls.values())


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
async def test_arguments_are_told(control: str, arguments: Any, client: Client) -> None:
    """What a control takes is told: of which types, one of which choices, and whether it is needed."""
    assert (await client.get("/simulator/controls")).body["controls"][control]["arguments"] == arguments


# The clock and the log


async def test_clock_is_set(client: Client, simulator: Simulator) -> None:
    """Time passes at the speed that was asked for."""
    reply = await client.post("/simulator/clock", json={"speed": 60})
    assert reply.body["speed"] == 60
    assert simulator.clock.speed == 60


async def test_clock_goes_on_from_the_present(client: Client, simulator: Simulator) -> None:
    """After a change of speed the time goes on from where it was."""
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
    """A speed that the simulation does not run at is refused, in words."""
    reply = await client.post("/simulator/clock", json={"speed": speed})
    assert (reply.status, simulator.clock.speed) == (400, 1.0)
    assert "speed" in reply.body["error"]


async def test_requests_are_told(client: Client, clock: ManualClock) -> None:
    """The log has moment, method, path and status of a request, and nothing that its query held."""
    clock.advance(90)
    await client.command("set_valet_mode", on="true", password="1234")
    assert (await client.get("/simulator/requests")).body["requests"] == [
        {
            "moment": "2020-01-01T12:01:30+00:00",
            "method": "POST",
            "path": f"{client.car}/command/set_valet_mode",
            "status": 200,
        }
    ]


@pytest.mark.parametrize(
    ("last", "paths"), [("1", ["/b"]), ("2", ["/a", "/b"]), ("9", ["/a", "/b"]), ("0", [])]
)
async def test_last_requests(last: str, paths: list[str], client: Client) -> None:
    """The log can be cut to its newest lines."""
    await client.get("/a")
    await client.get("/b")
    told = (await client.get("/simulator/requests", params={"last": last})).body["requests"]
    assert [each["path"] for each in told] == paths


@pytest.mark.parametrize("last", ["x", "1.5", "9" * 5000])
async def test_last_has_to_be_a_number(last: str, client: Client) -> None:
    """What is no number of lines is refused, in words."""
    reply = await client.get("/simulator/requests", params={"last": last})
    assert (reply.status, reply.body["error"]) == (400, "last has to be a whole number")


async def test_looking_on_is_no_request(client: Client, simulator: Simulator) -> None:
    """What is asked under /simulator/ is not among the requests to the service."""
    await client.get("/simulator/state")
    assert not simulator.requests


# Faults and switches


async def test_fault_answers(client: Client) -> None:
    """The service answers what it was told to, as often as it was told to."""
    fault = {"status": 429, "times": 2, "headers": {"Retry-After": "17"}, "body": {"error": "slow down"}}
    assert (await client.post("/simulator/faults", json=fault)).status == 200
    replies = [await client.get(client.car) for _ in range(3)]
    assert [each.status for each in replies] == [429, 429, 200]
    assert (replies[0].headers["Retry-After"], replies[0].body) == ("17", {"error": "slow down"})


async def test_fault_of_another_type(client: Client) -> None:
    """An answer has the content type that it was told to have."""
    fault = {"status": 502, "headers": {"content-type": "text/html"}, "body": "<h1>Bad gateway</h1>"}
    await client.post("/simulator/faults", json=fault)
    reply = await client.get(client.car)
    assert (reply.body, reply.headers["Content-Type"]) == ("<h1>Bad gateway</h1>", "text/html")


async def test_fault_loses(client: Client) -> None:
    """The service loses the answer to the requests that it was told to."""
    await client.post("/simulator/faults", json={"fail": "cut", "only": "honk_horn"})
    assert await client.state() == "online"
    with pytest.raises(ClientPayloadError):
        await client.command("honk_horn")


@pytest.mark.parametrize(
    ("fault", "known"),
    [({"corrupt": "drive_state.speed", "value": "fast"}, True), ({"remove": "drive_state.speed"}, False)],
)
async def test_fault_spoils(*, fault: Any, known: bool, client: Client) -> None:
    """A field becomes what it was told to be, or is left out."""
    await client.post("/simulator/faults", json=fault)
    assert ("speed" in await client.value("drive_state")) is known


async def test_fault_by_chance(client: Client) -> None:
    """A share of the requests goes wrong in one of several ways."""
    fault = {"share": 0.5, "seed": 1, "among": [{"status": 500}, {"status": 503, "body": "x"}]}
    await client.post("/simulator/faults", json=fault)
    assert {(await client.get(client.car)).status for _ in range(30)} == {200, 500, 503}


async def test_faults_are_told(client: Client) -> None:
    """What was told is shown, with how many requests got which fault."""
    fault = {"status": 503, "times": 5}
    await client.post("/simulator/faults", json=fault)
    await client.get(client.car)
    assert (await client.get("/simulator/faults")).body == {"told": [fault], "injected": {"503": 1}}


async def test_faults_are_cleared(client: Client) -> None:
    """After a clearing the service answers rightly, and nothing is shown as told."""
    await client.post("/simulator/faults", json={"status": 503, "times": 5})
    assert (await client.request("DELETE", "/simulator/faults")).body["told"] == []
    assert (await client.get(client.car)).status == 200


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
async def test_no_such_fault(fault: Any, words: str, client: Client) -> None:
    """What is no fault is refused in words, and nothing goes wrong."""
    reply = await client.post("/simulator/faults", json=fault)
    assert reply.status == 400
    assert words in reply.body["error"]
    assert (await client.get(client.car)).status == 200


async def test_switches_are_told(client: Client, switches: Switches) -> None:
    """Every switch is told of: how it is, how it is at rest, what it takes, and in words what it does."""
    told = (await client.get("/simulator/switches")).body["switches"]
    assert {name: each["value"] for name, each in told.items()} == asdict(switches)
    assert told["bus_busy"] == {
        "value": 0.0,
        "default": 0.0,
        "words": "How often a command meets could_not_wake_buses; `strict`: within a second of a live read.",
        "types": ["number"],
        "choices": ["strict"],
    }


async def test_switches_are_set(client: Client) -> None:
    """The service departs from the interface document as it was told to."""
    values = {"wake_shape": "object", "list": False}
    told = (await client.post("/simulator/switches", json=values)).body["switches"]
    assert {name: told[name]["value"] for name in values} == values
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
async def test_no_such_switch(values: Any, words: str, client: Client, switches: Switches) -> None:
    """What a switch cannot be is refused in words, and none of the others is set either."""
    reply = await client.post("/simulator/switches", json={"empty_body": True, **values})
    assert reply.status == 400
    assert words in reply.body["error"]
    assert switches == Switches()


# Who may steer


async def test_no_admin_unless_asked_for(simulator: Simulator, client: Client) -> None:
    """A service that was not asked to be steered has no such paths, and no page."""
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
    """What cannot be asked is refused in JSON, in words."""
    reply = await client.request(method, path, headers={})
    assert reply.status == status
    assert words in reply.body["error"]


async def test_much_too_much(client: Client) -> None:
    """A body that is too large is refused in JSON."""
    reply = await client.post("/simulator/clock", data=b" " * 2**21)
    assert (reply.status, reply.body) == (413, {"error": "Content Too Large"})


async def test_faults_do_not_reach_admin(simulator: Simulator, client: Client) -> None:
    """Whatever the service does wrongly, it can still be told to stop."""
    simulator.faults.answer(500, times=9)
    simulator.switches.forbid = "nobody"
    simulator.switches.rate_limit = 1
    simulator.switches.latency = 1e9
    simulator.switches.error_in_200 = True
    assert (await client.request("DELETE", "/simulator/faults", headers={})).status == 200
    assert (await client.get("/simulator/explode")).status == 404


async def ask_as(client: Client, headers: dict[str, str]) -> Reply:
    """Return what somebody gets who wants to change the clock."""
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
async def test_other_pages_may_not_steer(origin: str, client: Client, simulator: Simulator) -> None:
    """A page from elsewhere, also one of this machine, is refused in words."""
    reply = await ask_as(client, {**HERE, "Origin": origin})
    assert (reply.status, simulator.clock.speed) == (403, 1.0)
    assert "may not steer this" in reply.body["error"]


async def test_own_page_may_steer(client: Client) -> None:
    """The page that came from here may steer."""
    assert (await ask_as(client, {**HERE, "Origin": "http://localhost:8124"})).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8124", "192.168.1.7:8124", "localhost.evil.example", "[", ""]
)
async def test_other_names_may_not_steer(host: str, client: Client, simulator: Simulator) -> None:
    """A name that was made to lead to this machine is refused, in words."""
    reply = await ask_as(client, {"Host": host, "Origin": f"http://{host}"})
    assert (reply.status, simulator.clock.speed) == (403, 1.0)
    assert "localhost or 127.0.0.1" in reply.body["error"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8124", "127.0.0.1:8124", "127.0.0.2", "[::1]:8124"])
async def test_names_of_this_machine(host: str, client: Client) -> None:
    """This machine is known by every name that is only its own."""
    assert (await ask_as(client, {"Host": host})).status == 200


# The page


class Markup(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        """Take it apart."""
        super().__init__()
        self.attributes: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.feed(text)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def values(self, *names: str) -> list[str]:
        """Return the values of the attributes of these names."""
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
    """Every file of the page comes with its type, without a token, and forbids to load anything else."""
    reply = await client.get(f"/simulator/{name}", headers={})
    assert reply.status == 200
    assert reply.headers["Content-Type"].partition(";")[0] == FILES[name]
    assert reply.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


async def test_way_to_the_page(client: Client) -> None:
    """Whoever leaves out the last slash finds the page too."""
    reply = await client.get("/simulator", headers={})
    assert reply.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("name", FILES)
async def test_page_loads_nothing_from_elsewhere(name: str, client: Client) -> None:
    """No file of the page names another address than its own; names of XML languages are no addresses."""
    text = (await client.get(f"/simulator/{name}")).body.replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"//\w+\.|https?:|@import|data:", text)


async def test_page_finds_its_files(markup: Markup) -> None:
    """The page loads files that are served, and nothing else."""
    loaded = {each for each in markup.values("src", "href") if not each.startswith("#")}
    assert loaded == set(FILES) - {""}


async def test_page_runs_under_its_policy(markup: Markup) -> None:
    """The page has no script, style or handler written into it, which its policy would not let run."""
    assert markup.tags.count("script") == len(markup.values("src")) - markup.tags.count("img") == 1
    assert "style" not in markup.tags
    assert not [name for name, _ in markup.attributes if name == "style" or name.startswith("on")]


async def test_page_names_controls_that_exist(markup: Markup, client: Client) -> None:
    """What can be pressed on the page is a control, and its script names none by itself."""
    named = {name for each in markup.values("data-controls", "data-press") for name in each.split()}
    assert {"open", "close", "lock", "unlock", "plug_in", "unplug", "drive"} <= named <= CONTROLS
    assert 'run("' not in (await client.get("/simulator/page.js")).body


async def test_page_takes_data_as_text(client: Client) -> None:
    """What the service says never becomes markup or code."""
    script = (await client.get("/simulator/page.js")).body
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script)


async def test_page_finds_its_elements(markup: Markup, client: Client) -> None:
    """Every element that the script looks for is in the page, once."""
    script = (await client.get("/simulator/page.js")).body
    ids = markup.values("id")
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r'find\("([\w-]+)"\)', script)) <= set(ids)


async def test_page_asks_what_is_answered(client: Client, car: Vehicle) -> None:
    """Every path that the script asks for exists."""
    script = (await client.get("/simulator/page.js")).body
    asked = re.findall(r'ask\("(GET|POST|DELETE)", ["`]([^"`]+)["`]', script)
    assert len(asked) >= 8
    for method, path in asked:
        real = path.replace("${vin}", car.vin).replace("${control}", "wake").replace("${SHOWN_REQUESTS}", "9")
        status = (await client.request(method, f"/simulator/{real}", headers={})).status
        assert status in {200, 400}, (method, path)
