"""What the client sends, and what it makes of a good answer."""

from collections.abc import Mapping
from typing import Any, Final

from aiohttp import ClientSession, web
import pytest

from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.api.commands import (
    ACTUATE_TRUNK,
    CHARGE_MAX_RANGE,
    CHARGE_STANDARD,
    CHARGE_START,
    CHARGE_STOP,
    COMMANDS,
    CONFIRM_NOTIFICATIONS,
    DATA_REQUESTS,
    DOOR_LOCK,
    ENDPOINTS,
    GET_NOTIFICATION_PREFERENCES,
    GET_VEHICLE_SUBSCRIPTIONS,
    MOBILE_ENABLED,
    REMOTE_START_DRIVE,
    SERVICE_DATA,
    SET_CHARGE_LIMIT,
    SET_NOTIFICATION_PREFERENCES,
    SET_TEMPS,
    SET_VALET_MODE,
    SET_VEHICLE_SUBSCRIPTIONS,
    SPEED_LIMIT_ACTIVATE,
    SPEED_LIMIT_CLEAR_PIN,
    SPEED_LIMIT_DEACTIVATE,
    SPEED_LIMIT_SET_LIMIT,
    SUN_ROOF_CONTROL,
    UPCOMING_CALENDAR_ENTRIES,
    VEHICLES,
    Command,
    Endpoint,
)
from custom_components.vehicle_remote_access.api.errors import (
    AuthenticationError,
    InvalidRequestError,
    InvalidValueError,
    MalformedAnswerError,
    MissingValueError,
    NotFoundError,
    OutcomeUnknownError,
    RefusedError,
    ServiceError,
)
from custom_components.vehicle_remote_access.simulator import Request, Simulator

from .conftest import PASSWORD, PIN, TOKEN, Handler, documented, failure, serving

CALENDAR: Final = {
    "access_disabled": False,
    "calendars": [
        {
            "name": "Family",
            "events": [{"name": "Dentist Dr. Müller", "location": "Elm Street 7", "start": 1554379200000}],
        }
    ],
}
PHONE: Final = {"device_type": "ios", "device_token": "phone-of-the-owner", "quiet_hours": [22, 7]}

# Values for the endpoints that take some, and the query that they make.
VALUES: Final[Mapping[Endpoint, tuple[Mapping[str, Any], Mapping[str, str]]]] = {
    SET_TEMPS: (
        {"driver_temp": 21.5, "passenger_temp": 20},
        {"driver_temp": "21.5", "passenger_temp": "20.0"},
    ),
    SET_CHARGE_LIMIT: ({"percent": 72.5}, {"percent": "73"}),
    SUN_ROOF_CONTROL: ({"state": "move", "percent": 40}, {"state": "move", "percent": "40"}),
    ACTUATE_TRUNK: ({"which_trunk": "rear"}, {"which_trunk": "rear"}),
    REMOTE_START_DRIVE: ({"password": PASSWORD}, {"password": PASSWORD}),
    SET_VALET_MODE: ({"on": True, "password": PIN}, {"on": "true", "password": PIN}),
    SPEED_LIMIT_ACTIVATE: ({"pin": PIN}, {"pin": PIN}),
    SPEED_LIMIT_DEACTIVATE: ({"pin": PIN}, {"pin": PIN}),
    SPEED_LIMIT_SET_LIMIT: ({"limit_mph": 65}, {"limit_mph": "65"}),
    SPEED_LIMIT_CLEAR_PIN: ({"pin": PIN}, {"pin": PIN}),
    VEHICLES: ({"page": 2}, {"page": "2"}),
    GET_VEHICLE_SUBSCRIPTIONS: ({"device_type": "ios"}, {"device_type": "ios"}),
    GET_NOTIFICATION_PREFERENCES: (
        {"device_type": "android", "platform": "any"},
        {"device_type": "android", "platform": "any"},
    ),
    UPCOMING_CALENDAR_ENTRIES: ({"calendar_data": CALENDAR}, {}),
    SET_VEHICLE_SUBSCRIPTIONS: ({"payload": PHONE}, {}),
    SET_NOTIFICATION_PREFERENCES: ({"payload": PHONE}, {}),
    CONFIRM_NOTIFICATIONS: ({"payload": {}}, {}),
}
NOT_DOCUMENTED: Final = {DATA_REQUESTS["vehicle_state"], DATA_REQUESTS["vehicle_config"]}


def named(endpoint: Endpoint) -> str:
    """Return a name for a test about an endpoint."""
    return f"{endpoint.method} {endpoint.path}"


def sent(request: Request) -> tuple[str, str, dict[str, str]]:
    """Return what of a request the client decides."""
    return request.method, request.path, request.query


def result(*, accepted: bool, **more: Any) -> dict[str, Any]:
    """Return the body of a command's answer."""
    return {"response": {"result": accepted, **more}}


def answering(body: Any) -> Handler:
    """Return what answers any request with this JSON."""

    async def answer(request: web.BaseRequest) -> web.Response:
        return web.json_response(body)

    return answer


# What is sent


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=named)
async def test_request_arrives(endpoint: Endpoint, client: Client, simulator: Simulator, number: str) -> None:
    """A request arrives once, at the documented path of this car, with its values in the query."""
    values, query = VALUES.get(endpoint, ({}, {}))
    simulator.faults.answer(200, body={"response": {"result": True, "reason": ""}})
    await client.request(endpoint, number, **values)
    path = endpoint.path.replace("{id}", number)
    assert list(map(sent, simulator.requests)) == [(endpoint.method, path, query)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
async def test_command_arrives(command: Command, client: Client, simulator: Simulator, number: str) -> None:
    """A command is sent as a request is, once."""
    values, query = VALUES.get(command, ({}, {}))
    simulator.faults.answer(200, body=result(accepted=True, reason=""))
    await client.send(number, command, **values)
    path = command.path.replace("{id}", number)
    assert list(map(sent, simulator.requests)) == [("POST", path, query)]


@pytest.mark.parametrize("endpoint", [each for each in ENDPOINTS if each not in NOT_DOCUMENTED], ids=named)
async def test_service_understands(
    endpoint: Endpoint, client: Client, simulator: Simulator, number: str
) -> None:
    """The service, which was written from the same document on its own, takes every request as it is sent."""
    simulator.switches.remote_password = "any"
    values, _ = VALUES.get(endpoint, ({}, {}))
    await client.request(endpoint, number, **values)
    assert [request.status for request in simulator.requests] == [200]


async def test_headers(session: ClientSession) -> None:
    """A read brings the token and asks for JSON."""
    async with serving(answering({"response": []})) as other:
        await Client(session, other.url, TOKEN).vehicles()
    assert other.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"
    assert other.requests[0].headers["Accept"] == "application/json"
    assert "Content-Type" not in other.requests[0].headers


@pytest.mark.parametrize(
    ("command", "values", "body"),
    [
        (SET_VALET_MODE, {"on": True, "password": PIN}, {}),
        (UPCOMING_CALENDAR_ENTRIES, {"calendar_data": CALENDAR}, {"calendar_data": CALENDAR}),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else "",
)
async def test_command_has_a_body(
    command: Command, values: Mapping[str, Any], body: Any, session: ClientSession
) -> None:
    """A command brings a JSON object, for services that insist on one; what is in the query is not in it."""
    bodies: list[Any] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        bodies.append(await request.json())
        return web.json_response(result(accepted=True))

    async with serving(answer) as other:
        await Client(session, other.url, TOKEN).send("1", command, **values)
    assert bodies == [body]
    assert other.requests[0].headers["Content-Type"] == "application/json"
    assert other.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"


async def test_payload_is_the_body(session: ClientSession) -> None:
    """A payload goes along as it is, to its last digit, however the session writes JSON."""
    payload = {"ids": [2**70], "name": "Zoë \ud800", "quiet": None, "payload": {"on": True}}
    bodies: list[Any] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        bodies.append(await request.json())
        return web.json_response({"response": True})

    async with serving(answer) as other, ClientSession(json_serialize=lambda _: "{}") as peculiar:
        for each in (session, peculiar):
            await Client(each, other.url, TOKEN).request(CONFIRM_NOTIFICATIONS, payload=payload)
    assert bodies == [payload, payload]


@pytest.mark.parametrize("typed", ["", "/", "/prefix", "/prefix/"])
async def test_base_url(typed: str, session: ClientSession, simulator: Simulator) -> None:
    """The address may end in a slash, and may have a path before the documented one."""
    simulator.faults.answer(200, body={"response": []})
    await Client(session, simulator.url + typed, TOKEN).vehicles()
    assert simulator.requests[0].path == f"{typed.rstrip('/')}/api/1/vehicles"


async def test_value_outside_the_limits_is_not_sent(
    client: Client, simulator: Simulator, number: str
) -> None:
    """A value that the service does not allow never leaves the house."""
    error = await failure(client.send(number, SET_VALET_MODE, on=True, password=f"{PIN}{PIN}"))
    assert isinstance(error, InvalidValueError)
    assert error.detail == "password"
    assert not simulator.requests


@pytest.mark.parametrize(
    ("command", "values", "name"),
    [
        (SUN_ROOF_CONTROL, {"state": "move"}, "percent"),
        (UPCOMING_CALENDAR_ENTRIES, {}, "calendar_data"),
        (SPEED_LIMIT_ACTIVATE, {}, "pin"),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else "",
)
async def test_missing_value_is_not_sent(
    command: Command,
    values: Mapping[str, Any],
    name: str,
    client: Client,
    simulator: Simulator,
    number: str,
) -> None:
    """Neither does a command of which something is missing."""
    error = await failure(client.send(number, command, **values))
    assert (type(error), error.detail) == (MissingValueError, name)
    assert not simulator.requests


async def test_missing_payload_is_not_sent(client: Client, simulator: Simulator) -> None:
    """Neither does a payload that is none."""
    assert type(await failure(client.request(CONFIRM_NOTIFICATIONS))) is MissingValueError
    error = await failure(client.request(CONFIRM_NOTIFICATIONS, payload=["seen"]))
    assert (type(error), error.detail) == (InvalidValueError, "payload")
    assert not simulator.requests


# Vehicles


async def test_vehicles(client: Client, simulator: Simulator, number: str) -> None:
    """A small account is listed with one request."""
    assert [record["id_s"] for record in await client.vehicles()] == [number]
    assert [request.query for request in simulator.requests] == [{}]


@pytest.mark.parametrize(("count", "pages"), [(99, 1), (100, 2), (150, 2), (200, 3)])
async def test_pages(count: int, pages: int, session: ClientSession) -> None:
    """A large account is listed page by page, until a page is not full."""
    simulator = Simulator(vehicles=count, token=TOKEN)
    client = Client(session, await simulator.start(), TOKEN)
    records = await client.vehicles()
    await simulator.stop()
    assert [record["id"] for record in records] == [vehicle.id for vehicle in simulator.vehicles]
    assert [request.query for request in simulator.requests] == [
        {"page": str(page)} if page > 1 else {} for page in range(1, pages + 1)
    ]


async def test_pages_have_an_end(client: Client, simulator: Simulator) -> None:
    """A service that knows no pages and lists a hundred cars again and again is asked twice, not for ever."""
    cars = [{"vin": f"5YJSA1E26KF000{number}"} for number in range(100, 200)]
    simulator.faults.serve("GET", "/api/1/vehicles", {"response": cars})
    assert await client.vehicles() == cars
    assert len(simulator.requests) == 2


async def test_other_things_are_left_out(client: Client, simulator: Simulator) -> None:
    """What is listed without being a vehicle, such as a battery on a wall, is left out."""
    cars = [{"vin": "5YJSA1E26KF000316"}, {"vehicle_id": 1492931365719407}]
    things: list[Any] = [{"energy_site_id": 7, "id": "STE1"}, None, 7, "car", []]
    simulator.faults.serve("GET", "/api/1/vehicles", {"response": [*things, *cars], "count": 7})
    assert await client.vehicles() == cars


async def test_long_ids_keep_every_digit(client: Client, simulator: Simulator) -> None:
    """An id beyond 2^53 comes through exactly."""
    assert (await client.vehicles())[0]["id"] == simulator.vehicles[0].id > 2**53


async def test_vehicle(client: Client, number: str) -> None:
    """One vehicle's record comes without what is inside."""
    record = await client.vehicle(number)
    assert record["id_s"] == number
    assert "charge_state" not in record


@pytest.mark.parametrize("name", ["vehicle_data", "data"])
async def test_documented_answer(name: str, client: Client, simulator: Simulator, number: str) -> None:
    """The documented answer of a full read comes through as it is."""
    simulator.faults.serve("GET", f"/api/1/vehicles/{number}/{name}", documented(name))
    read = {"vehicle_data": client.vehicle_data, "data": client.data}[name]
    assert await read(number) == documented(name)["response"]


async def test_data_requests(client: Client, simulator: Simulator, number: str) -> None:
    """The single records are put together; those that the service lacks are left out."""
    record = await client.data_requests(number)
    assert set(record) == {"charge_state", "climate_state", "drive_state", "gui_settings"}
    assert [request.status for request in simulator.requests] == [200, 200, 200, 200, 404, 404]


async def test_data_requests_of_a_service_without_any(
    client: Client, simulator: Simulator, number: str
) -> None:
    """A service that has none of the single records has nothing to read here."""
    simulator.faults.answer(404, times=6, only="data_request")
    assert isinstance(await failure(client.data_requests(number)), NotFoundError)


@pytest.mark.parametrize(
    ("endpoint", "said"), [(MOBILE_ENABLED, True), (MOBILE_ENABLED, False), (SERVICE_DATA, None)], ids=repr
)
async def test_any_response_to_a_read(
    endpoint: Endpoint, said: Any, client: Client, simulator: Simulator
) -> None:
    """What stands under `response` is returned, whatever it is."""
    simulator.faults.answer(200, body={"response": said})
    assert await client.request(endpoint, "1") is said


# The account's own


async def test_subscriptions(client: Client, simulator: Simulator) -> None:
    """What a device subscribes to is what it is subscribed to afterwards."""
    ids = [vehicle.id for vehicle in simulator.vehicles]
    payload = {"device_type": "ios", "vehicle_ids": []}
    assert await client.request(GET_VEHICLE_SUBSCRIPTIONS, device_type="ios") == ids
    assert await client.request(SET_VEHICLE_SUBSCRIPTIONS, payload=payload) == []
    assert await client.request(GET_VEHICLE_SUBSCRIPTIONS, device_type="ios") == []


async def test_preferences(client: Client) -> None:
    """What a device wants to be told is kept as it was sent."""
    wanted = {"charging": ["complete", "stopped"], "volume": 0.5}
    kept = await client.request(SET_NOTIFICATION_PREFERENCES, payload={"device_type": "ios", **wanted})
    assert kept == wanted
    assert await client.request(GET_NOTIFICATION_PREFERENCES, device_type="ios") == wanted


@pytest.mark.parametrize(
    "endpoint", [SET_VEHICLE_SUBSCRIPTIONS, SET_NOTIFICATION_PREFERENCES, CONFIRM_NOTIFICATIONS], ids=named
)
@pytest.mark.parametrize("said", [None, True, False, [], [7], {}, {"result": False}, "done"], ids=repr)
async def test_any_response_to_a_payload(
    endpoint: Endpoint, said: Any, client: Client, simulator: Simulator
) -> None:
    """What these answer is not documented, so all that stands under `response` is returned."""
    simulator.faults.answer(200, body={"response": said})
    assert await client.request(endpoint, payload=PHONE) == said


# Waking


@pytest.mark.parametrize("shape", ["array", "object"])
async def test_wake_up(shape: Any, client: Client, simulator: Simulator, number: str) -> None:
    """Waking gives the car's record, whether it comes in a list, as documented, or alone."""
    simulator.switches.wake_shape = shape
    assert (await client.wake_up(number))["id_s"] == number


@pytest.mark.parametrize(
    "records",
    [
        [{"id": 1}, {"id": 7, "own": True}],
        [{"id": 1}, {"id": 7.5, "id_s": "7", "own": True}],
        [None, "7", {"id": 7, "own": True}, {"id": 2}],
        [{"id": 1, "own": True}],
        [{"vin": "5YJSA1E26KF000316", "own": True}],
    ],
    ids=["by id", "by id_s", "among nonsense", "the only one", "without an id"],
)
async def test_own_record_among_those_woken(records: list[Any], client: Client, simulator: Simulator) -> None:
    """Of several records the one with the car's id is taken; a single one can only be the car's."""
    simulator.faults.answer(200, body={"response": records, "count": len(records)})
    assert (await client.wake_up("7")).get("own")


@pytest.mark.parametrize(
    "response",
    [[], [{"id": 1}, {"id": 2}], [None], None, "awake", True],
    ids=["nothing", "other cars", "null in a list", "null", "text", "boolean"],
)
async def test_no_record_of_the_woken_car(response: Any, client: Client, simulator: Simulator) -> None:
    """An answer that tells nothing of this car is no answer."""
    simulator.faults.answer(200, body={"response": response})
    assert type(await failure(client.wake_up("7"))) is MalformedAnswerError


async def test_documented_wake_up(client: Client, simulator: Simulator) -> None:
    """The documented answer of wake_up is understood."""
    simulator.faults.answer(200, body=documented("wake_up"))
    record = documented("wake_up")["response"][0]
    assert await client.wake_up(record["id_s"]) == record


# Commands


async def test_command_is_carried_out(client: Client, simulator: Simulator, number: str) -> None:
    """What is sent happens to the car."""
    await client.send(number, SET_CHARGE_LIMIT, percent=64.5)
    assert simulator.vehicles[0].charging.limit == 65


async def test_no_answer_to_a_command_is_success(client: Client, simulator: Simulator, number: str) -> None:
    """A command is accepted by a service that says nothing to it."""
    simulator.switches.empty_body = True
    await client.send(number, DOOR_LOCK)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (SET_CHARGE_LIMIT, "already_set"),
        (CHARGE_MAX_RANGE, "already_max_range"),
        (CHARGE_STANDARD, "already_standard"),
        (CHARGE_START, "requested"),
        (CHARGE_START, "charging"),
        (CHARGE_START, "is_charging"),
        (CHARGE_STOP, "not_charging"),
        (SET_VALET_MODE, "already on"),
        (SET_VALET_MODE, "already_off"),
        (SPEED_LIMIT_ACTIVATE, "Already Active"),
        (SPEED_LIMIT_DEACTIVATE, "already inactive"),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else value,
)
async def test_settled(command: Command, reason: str, client: Client, simulator: Simulator) -> None:
    """A refusal because it is so already is a success, however it is spelt."""
    simulator.faults.answer(200, body=result(accepted=False, reason=reason))
    values, _ = VALUES.get(command, ({}, {}))
    await client.send("1", command, **values)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (CHARGE_START, "complete"),
        (CHARGE_START, "disconnected"),
        (CHARGE_START, "no_power"),
        (CHARGE_START, "not_charging"),
        (DOOR_LOCK, "already_set"),
        (DOOR_LOCK, "could_not_wake_buses"),
        (SPEED_LIMIT_CLEAR_PIN, "incorrect pin"),
        (DOOR_LOCK, ""),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else value,
)
async def test_refused(command: Command, reason: str, client: Client, simulator: Simulator) -> None:
    """Any other refusal is told in the words of the service."""
    simulator.faults.answer(200, body=result(accepted=False, reason=reason))
    values, _ = VALUES.get(command, ({}, {}))
    error = await failure(client.send("1", command, **values))
    assert isinstance(error, RefusedError)
    assert (error.detail, str(error)) == (reason, reason)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"result": False}, ""),
        ({"result": False, "reason": None}, ""),
        ({"result": False, "reason": " not_parked "}, "not_parked"),
        ({"result": False, "string": "command failed: not_parked"}, "not_parked"),
        ({"result": False, "reason": "", "string": "not_parked"}, "not_parked"),
        ({"result": False, "reason": 7}, "7"),
        ({"result": None, "reason": "unsure"}, "unsure"),
        ({"result": "true", "reason": "unsure"}, "unsure"),
        ({}, ""),
    ],
    ids=repr,
)
async def test_reason(said: Any, reason: str, client: Client, simulator: Simulator) -> None:
    """A command that is not clearly accepted is refused, with whatever reason there is."""
    simulator.faults.answer(200, body={"response": said})
    error = await failure(client.send("1", DOOR_LOCK))
    assert isinstance(error, RefusedError)
    assert error.detail == reason


async def test_reason_is_cut(client: Client, simulator: Simulator) -> None:
    """Of a long reason a person reads the beginning, and nobody the rest."""
    simulator.faults.answer(200, body=result(accepted=False, reason="not now " * 1000))
    error = await failure(client.send("1", DOOR_LOCK))
    assert (len(error.detail), len(str(error)), error.args) == (120, 120, ())


@pytest.mark.parametrize("said", [None, [], "done", True, 7], ids=repr)
async def test_answer_that_is_no_result(said: Any, client: Client, simulator: Simulator) -> None:
    """After an answer that is no command result, nobody can tell whether the car obeyed."""
    simulator.faults.answer(200, body={"response": said})
    assert type(await failure(client.send("1", DOOR_LOCK))) is OutcomeUnknownError


async def test_error_with_status_200(client: Client, simulator: Simulator, number: str) -> None:
    """A command that is answered with an error, though with a good status, is refused with its words."""
    error = await failure(client.send(number, REMOTE_START_DRIVE, password=PASSWORD))
    assert isinstance(error, RefusedError)
    assert (error.detail, simulator.requests[0].status) == ("Authorization Required", 200)


async def test_calendar(client: Client, simulator: Simulator, number: str) -> None:
    """The calendar arrives in the car as it was sent."""
    assert await client.send(number, UPCOMING_CALENDAR_ENTRIES, calendar_data=CALENDAR)
    assert simulator.vehicles[0].body.calendar == CALENDAR


async def test_refused_calendar(client: Client, simulator: Simulator) -> None:
    """A car may refuse a calendar as it may refuse anything else."""
    simulator.faults.answer(200, body=result(accepted=False, reason="not_supported"))
    error = await failure(client.send("1", UPCOMING_CALENDAR_ENTRIES, calendar_data=CALENDAR))
    assert (type(error), error.detail) == (RefusedError, "not_supported")


async def test_nothing_private_is_logged(
    client: Client, simulator: Simulator, number: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither a calendar nor a payload is ever logged, whether it is taken or not."""
    await client.send(number, UPCOMING_CALENDAR_ENTRIES, calendar_data=CALENDAR)
    await client.request(SET_NOTIFICATION_PREFERENCES, payload=PHONE)
    simulator.faults.answer(400, body={"response": None, "error": "invalid_request"}, times=2)
    await failure(client.send(number, UPCOMING_CALENDAR_ENTRIES, calendar_data=CALENDAR))
    await failure(client.request(SET_NOTIFICATION_PREFERENCES, payload=PHONE))
    await failure(client.send(number, UPCOMING_CALENDAR_ENTRIES, calendar_data={**CALENDAR, "days": {1}}))
    assert caplog.text
    assert not [word for word in ("Dentist", "Elm Street", "phone-of-the-owner") if word in caplog.text]


# Other words for the same thing

REFUSALS: Final[Mapping[str, tuple[int, Any, type[ServiceError]]]] = {
    "400": (400, {"response": None, "error": "invalid_field"}, InvalidRequestError),
    "result false": (200, result(accepted=False, reason="invalid_field"), RefusedError),
    "error in 200": (200, {"response": None, "error": "invalid_field"}, RefusedError),
}


def words(simulator: Simulator) -> list[str]:
    """Return the words in which the roof was told to move."""
    return [request.query["state"] for request in simulator.requests]


async def test_documented_word_first(client: Client, simulator: Simulator, number: str) -> None:
    """A service that knows the documented word is told no other."""
    for _ in range(2):
        assert await client.send(number, SUN_ROOF_CONTROL, state="closed")
    assert words(simulator) == ["closed", "closed"]


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_other_word(refusal: str, client: Client, simulator: Simulator, number: str) -> None:
    """A service that refuses the documented word is told the other once, and then at once and for good."""
    status, body, _ = REFUSALS[refusal]
    simulator.faults.answer(status, body=body)
    assert await client.send(number, SUN_ROOF_CONTROL, state="closed")
    assert await client.send(number, SUN_ROOF_CONTROL, state="open")
    assert await client.send(number, SUN_ROOF_CONTROL, state="closed")
    assert words(simulator) == ["closed", "close", "open", "close"]


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"response": None, "error": "another"}),
        (200, result(accepted=False, reason="another")),
        (401, {"response": None, "error": "another"}),
        (404, {"response": None, "error": "another"}),
        (408, {"response": None, "error": "vehicle unavailable: another"}),
    ],
    ids=["400", "result false", "401", "404", "asleep"],
)
async def test_no_word_is_taken(
    refusal: str, status: int, body: Any, client: Client, simulator: Simulator, number: str
) -> None:
    """A service that takes neither word refused the documented one, and nothing is learned of that."""
    first, said, cause = REFUSALS[refusal]
    simulator.faults.answer(first, body=said)
    simulator.faults.answer(status, body=body)
    error = await failure(client.send(number, SUN_ROOF_CONTROL, state="closed"))
    assert (type(error), error.detail) == (cause, "invalid_field")
    assert words(simulator) == ["closed", "close"]
    assert await client.send(number, SUN_ROOF_CONTROL, state="closed")
    assert words(simulator) == ["closed", "close", "closed"]


async def test_known_word_is_refused(client: Client, simulator: Simulator, number: str) -> None:
    """A service that has taken the other word is not told the documented one when it refuses."""
    simulator.faults.answer(400)
    await client.send(number, SUN_ROOF_CONTROL, state="closed")
    simulator.faults.answer(200, body=result(accepted=False, reason="not_supported"))
    error = await failure(client.send(number, SUN_ROOF_CONTROL, state="closed"))
    assert (type(error), error.detail) == (RefusedError, "not_supported")
    assert words(simulator) == ["closed", "close", "close"]


async def test_each_client_learns_for_itself(
    client: Client, simulator: Simulator, session: ClientSession, number: str
) -> None:
    """What one service wants to be told is no other's concern."""
    simulator.faults.answer(400)
    await client.send(number, SUN_ROOF_CONTROL, state="closed")
    await Client(session, simulator.url, TOKEN).send(number, SUN_ROOF_CONTROL, state="closed")
    assert words(simulator) == ["closed", "close", "closed"]


@pytest.mark.parametrize("state", ["open", "comfort", "vent"])
@pytest.mark.parametrize("refusal", REFUSALS)
async def test_word_without_another(
    refusal: str, state: str, client: Client, simulator: Simulator, number: str
) -> None:
    """What has no other word is asked for once."""
    status, body, cause = REFUSALS[refusal]
    simulator.faults.answer(status, body=body)
    assert type(await failure(client.send(number, SUN_ROOF_CONTROL, state=state))) is cause
    assert words(simulator) == [state]


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        (500, OutcomeUnknownError),
        (502, OutcomeUnknownError),
        (504, OutcomeUnknownError),
        (408, OutcomeUnknownError),
        (401, AuthenticationError),
        (404, NotFoundError),
    ],
)
async def test_no_other_word_after_other_failures(
    status: int, cause: type[ServiceError], client: Client, simulator: Simulator, number: str
) -> None:
    """The other word is not tried where the car may have obeyed, nor where something else is wrong."""
    simulator.faults.answer(status)
    assert type(await failure(client.send(number, SUN_ROOF_CONTROL, state="closed"))) is cause
    assert words(simulator) == ["closed"]


async def test_lost_answer_to_the_other_word(client: Client, simulator: Simulator, number: str) -> None:
    """Where the car may have obeyed the other word, that it refused the first is not the whole truth."""
    simulator.faults.answer(400)
    simulator.faults.answer(504)
    error = await failure(client.send(number, SUN_ROOF_CONTROL, state="closed"))
    assert type(error) is OutcomeUnknownError
    assert await client.send(number, SUN_ROOF_CONTROL, state="closed")
    assert words(simulator) == ["closed", "close", "closed"]
