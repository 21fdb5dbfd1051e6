"""The requests that the client sends, and valid responses."""

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
    MalformedResponseError,
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

# Values for the endpoints with parameters, and the resulting query.
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


def endpoint_id(endpoint: Endpoint) -> str:
    """Return the test id of an endpoint."""
    return f"{endpoint.method} {endpoint.path}"


def sent(request: Request) -> tuple[str, str, dict[str, str]]:
    """Return the parts of a request that the client decides."""
    return request.method, request.path, request.query


def result(*, accepted: bool, **fields: Any) -> dict[str, Any]:
    """Return the body of a command's response."""
    return {"response": {"result": accepted, **fields}}


def json_handler(body: Any) -> Handler:
    """Return a handler that always responds with this JSON."""

    async def handle(request: web.BaseRequest) -> web.Response:
        return web.json_response(body)

    return handle


# Requests


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=endpoint_id)
async def test_request_is_sent_once(
    endpoint: Endpoint, client: Client, simulator: Simulator, path_id: str
) -> None:
    """A request is sent once, to the documented path of this car, with its values in the query."""
    values, query = VALUES.get(endpoint, ({}, {}))
    simulator.faults.answer(200, body={"response": {"result": True, "reason": ""}})
    await client.request(endpoint, path_id, **values)
    path = endpoint.path.replace("{id}", path_id)
    assert list(map(sent, simulator.requests)) == [(endpoint.method, path, query)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
async def test_command_is_sent_once(
    command: Command, client: Client, simulator: Simulator, path_id: str
) -> None:
    """A command is sent once, to the documented path of this car, with its values in the query."""
    values, query = VALUES.get(command, ({}, {}))
    simulator.faults.answer(200, body=result(accepted=True, reason=""))
    await client.send(path_id, command, **values)
    path = command.path.replace("{id}", path_id)
    assert list(map(sent, simulator.requests)) == [("POST", path, query)]


@pytest.mark.parametrize(
    "endpoint", [endpoint for endpoint in ENDPOINTS if endpoint not in NOT_DOCUMENTED], ids=endpoint_id
)
async def test_simulator_accepts_every_request(
    endpoint: Endpoint, client: Client, simulator: Simulator, path_id: str
) -> None:
    """The simulator, written independently from the same document, accepts every request."""
    simulator.switches.remote_password = "any"
    values, _ = VALUES.get(endpoint, ({}, {}))
    await client.request(endpoint, path_id, **values)
    assert [request.status for request in simulator.requests] == [200]


async def test_headers_of_a_read(session: ClientSession) -> None:
    """A read sends the token and accepts JSON."""
    async with serving(json_handler({"response": []})) as server:
        await Client(session, server.url, TOKEN).vehicles()
    assert server.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"
    assert server.requests[0].headers["Accept"] == "application/json"
    assert "Content-Type" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("command", "values", "body"),
    [
        (SET_VALET_MODE, {"on": True, "password": PIN}, {}),
        (UPCOMING_CALENDAR_ENTRIES, {"calendar_data": CALENDAR}, {"calendar_data": CALENDAR}),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else "",
)
async def test_body_of_a_command(
    command: Command, values: Mapping[str, Any], body: Any, session: ClientSession
) -> None:
    """A command has a JSON object as body, without the query values. Some services require the object."""
    bodies: list[Any] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        bodies.append(await request.json())
        return web.json_response(result(accepted=True))

    async with serving(handle) as server:
        await Client(session, server.url, TOKEN).send("1", command, **values)
    assert bodies == [body]
    assert server.requests[0].headers["Content-Type"] == "application/json"
    assert server.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"


async def test_payload_is_the_body(session: ClientSession) -> None:
    """A payload is sent unchanged, with all digits, even if the session has its own JSON serializer."""
    payload = {"ids": [2**70], "name": "Zoë \ud800", "quiet": None, "payload": {"on": True}}
    bodies: list[Any] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        bodies.append(await request.json())
        return web.json_response({"response": True})

    async with serving(handle) as server, ClientSession(json_serialize=lambda _: "{}") as other_session:
        for used in (session, other_session):
            await Client(used, server.url, TOKEN).request(CONFIRM_NOTIFICATIONS, payload=payload)
    assert bodies == [payload, payload]


@pytest.mark.parametrize("base_path", ["", "/", "/prefix", "/prefix/"])
async def test_base_url(base_path: str, session: ClientSession, simulator: Simulator) -> None:
    """The base URL can end in a slash and can have a path."""
    simulator.faults.answer(200, body={"response": []})
    await Client(session, simulator.url + base_path, TOKEN).vehicles()
    assert simulator.requests[0].path == f"{base_path.rstrip('/')}/api/1/vehicles"


async def test_invalid_value_is_not_sent(client: Client, simulator: Simulator, path_id: str) -> None:
    """A value outside the limits of the service is not sent."""
    error = await failure(client.send(path_id, SET_VALET_MODE, on=True, password=f"{PIN}{PIN}"))
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
    path_id: str,
) -> None:
    """A command without a required value is not sent."""
    error = await failure(client.send(path_id, command, **values))
    assert (type(error), error.detail) == (MissingValueError, name)
    assert not simulator.requests


async def test_invalid_payload_is_not_sent(client: Client, simulator: Simulator) -> None:
    """A payload that is missing or not an object is not sent."""
    assert type(await failure(client.request(CONFIRM_NOTIFICATIONS))) is MissingValueError
    error = await failure(client.request(CONFIRM_NOTIFICATIONS, payload=["seen"]))
    assert (type(error), error.detail) == (InvalidValueError, "payload")
    assert not simulator.requests


# Vehicles


async def test_small_account_is_listed_with_one_request(
    client: Client, simulator: Simulator, path_id: str
) -> None:
    """A small account is listed with one request, without a page number."""
    assert [record["id_s"] for record in await client.vehicles()] == [path_id]
    assert [request.query for request in simulator.requests] == [{}]


@pytest.mark.parametrize(("count", "pages"), [(99, 1), (100, 2), (150, 2), (200, 3)])
async def test_pages_until_one_is_not_full(count: int, pages: int, session: ClientSession) -> None:
    """A large account is listed page by page, until a page isn't full."""
    simulator = Simulator(vehicles=count, token=TOKEN)
    client = Client(session, await simulator.start(), TOKEN)
    records = await client.vehicles()
    await simulator.stop()
    assert [record["id"] for record in records] == [vehicle.id for vehicle in simulator.vehicles]
    assert [request.query for request in simulator.requests] == [
        {"page": str(page)} if page > 1 else {} for page in range(1, pages + 1)
    ]


async def test_service_without_pages(client: Client, simulator: Simulator) -> None:
    """A service without pages, which repeats its list of a hundred cars, gets two requests."""
    cars = [{"vin": f"5YJSA1E26KF000{number}"} for number in range(100, 200)]
    simulator.faults.serve("GET", "/api/1/vehicles", {"response": cars})
    assert await client.vehicles() == cars
    assert len(simulator.requests) == 2


async def test_other_products_are_left_out(client: Client, simulator: Simulator) -> None:
    """Listed products that aren't vehicles, for example a home battery, are left out."""
    cars = [{"vin": "5YJSA1E26KF000316"}, {"vehicle_id": 1492931365719407}]
    products: list[Any] = [{"energy_site_id": 7, "id": "STE1"}, None, 7, "car", []]
    simulator.faults.serve("GET", "/api/1/vehicles", {"response": [*products, *cars], "count": 7})
    assert await client.vehicles() == cars


async def test_long_ids_keep_every_digit(client: Client, simulator: Simulator) -> None:
    """An id beyond 2^53 keeps every digit."""
    assert (await client.vehicles())[0]["id"] == simulator.vehicles[0].id > 2**53


async def test_vehicle_has_no_nested_records(client: Client, path_id: str) -> None:
    """The record of one vehicle has no nested records."""
    record = await client.vehicle(path_id)
    assert record["id_s"] == path_id
    assert "charge_state" not in record


@pytest.mark.parametrize("name", ["vehicle_data", "data"])
async def test_documented_full_read(name: str, client: Client, simulator: Simulator, path_id: str) -> None:
    """The documented response of a full read is returned unchanged."""
    simulator.faults.serve("GET", f"/api/1/vehicles/{path_id}/{name}", documented(name))
    read = {"vehicle_data": client.vehicle_data, "data": client.data}[name]
    assert await read(path_id) == documented(name)["response"]


async def test_single_records_are_combined(client: Client, simulator: Simulator, path_id: str) -> None:
    """The single records are combined. Records that the service doesn't have are left out."""
    record = await client.data_requests(path_id)
    assert set(record) == {"charge_state", "climate_state", "drive_state", "gui_settings"}
    assert [request.status for request in simulator.requests] == [200, 200, 200, 200, 404, 404]


async def test_service_without_single_records(client: Client, simulator: Simulator, path_id: str) -> None:
    """A service without any of the single records raises NotFoundError."""
    simulator.faults.answer(404, times=6, only="data_request")
    assert isinstance(await failure(client.data_requests(path_id)), NotFoundError)


@pytest.mark.parametrize(
    ("endpoint", "value"), [(MOBILE_ENABLED, True), (MOBILE_ENABLED, False), (SERVICE_DATA, None)], ids=repr
)
async def test_any_response_to_a_read(
    endpoint: Endpoint, value: Any, client: Client, simulator: Simulator
) -> None:
    """A read returns any value of `response`."""
    simulator.faults.answer(200, body={"response": value})
    assert await client.request(endpoint, "1") is value


# Account


async def test_subscriptions(client: Client, simulator: Simulator) -> None:
    """Changed subscriptions are returned by the next read."""
    ids = [vehicle.id for vehicle in simulator.vehicles]
    payload = {"device_type": "ios", "vehicle_ids": []}
    assert await client.request(GET_VEHICLE_SUBSCRIPTIONS, device_type="ios") == ids
    assert await client.request(SET_VEHICLE_SUBSCRIPTIONS, payload=payload) == []
    assert await client.request(GET_VEHICLE_SUBSCRIPTIONS, device_type="ios") == []


async def test_preferences(client: Client) -> None:
    """Changed notification preferences are returned unchanged by the next read."""
    preferences = {"charging": ["complete", "stopped"], "volume": 0.5}
    stored = await client.request(SET_NOTIFICATION_PREFERENCES, payload={"device_type": "ios", **preferences})
    assert stored == preferences
    assert await client.request(GET_NOTIFICATION_PREFERENCES, device_type="ios") == preferences


@pytest.mark.parametrize(
    "endpoint",
    [SET_VEHICLE_SUBSCRIPTIONS, SET_NOTIFICATION_PREFERENCES, CONFIRM_NOTIFICATIONS],
    ids=endpoint_id,
)
@pytest.mark.parametrize("value", [None, True, False, [], [7], {}, {"result": False}, "done"], ids=repr)
async def test_any_response_to_a_payload(
    endpoint: Endpoint, value: Any, client: Client, simulator: Simulator
) -> None:
    """A request with a payload returns any value of `response`, because its response isn't documented."""
    simulator.faults.answer(200, body={"response": value})
    assert await client.request(endpoint, payload=PHONE) == value


# Wake-up


@pytest.mark.parametrize("shape", ["array", "object"])
async def test_wake_up(shape: Any, client: Client, simulator: Simulator, path_id: str) -> None:
    """A wake-up returns the car's record, from a documented list or from an object."""
    simulator.switches.wake_shape = shape
    assert (await client.wake_up(path_id))["id_s"] == path_id


@pytest.mark.parametrize(
    "records",
    [
        [{"id": 1}, {"id": 7, "own": True}],
        [{"id": 1}, {"id": 7.5, "id_s": "7", "own": True}],
        [None, "7", {"id": 7, "own": True}, {"id": 2}],
        [{"id": 1, "own": True}],
        [{"vin": "5YJSA1E26KF000316", "own": True}],
    ],
    ids=["by id", "by id_s", "among invalid entries", "single", "without an id"],
)
async def test_wake_up_record_of_this_car(records: list[Any], client: Client, simulator: Simulator) -> None:
    """A wake-up returns the record with the car's id, or the only record."""
    simulator.faults.answer(200, body={"response": records, "count": len(records)})
    assert (await client.wake_up("7")).get("own")


@pytest.mark.parametrize(
    "response",
    [[], [{"id": 1}, {"id": 2}], [None], None, "awake", True],
    ids=["empty list", "other cars", "null in a list", "null", "text", "boolean"],
)
async def test_wake_up_without_a_record_of_this_car(
    response: Any, client: Client, simulator: Simulator
) -> None:
    """A wake-up response without this car's record is malformed."""
    simulator.faults.answer(200, body={"response": response})
    assert type(await failure(client.wake_up("7"))) is MalformedResponseError


async def test_documented_wake_up(client: Client, simulator: Simulator) -> None:
    """The documented response of wake_up contains the car's record."""
    simulator.faults.answer(200, body=documented("wake_up"))
    record = documented("wake_up")["response"][0]
    assert await client.wake_up(record["id_s"]) == record


# Commands


async def test_command_reaches_the_car(client: Client, simulator: Simulator, path_id: str) -> None:
    """The simulated car carries out a command."""
    await client.send(path_id, SET_CHARGE_LIMIT, percent=64.5)
    assert simulator.vehicles[0].charging.limit == 65


async def test_empty_response_to_a_command_is_success(
    client: Client, simulator: Simulator, path_id: str
) -> None:
    """A command with an empty response is accepted."""
    simulator.switches.empty_body = True
    await client.send(path_id, DOOR_LOCK)


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
async def test_noop_reasons(command: Command, reason: str, client: Client, simulator: Simulator) -> None:
    """A refusal because nothing has to be done is a success, in any spelling."""
    simulator.faults.answer(200, body=result(accepted=False, reason=reason))
    values, _ = VALUES.get(command, ({}, {}))
    assert not await client.send("1", command, **values)


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
async def test_other_reasons(command: Command, reason: str, client: Client, simulator: Simulator) -> None:
    """Any other refusal raises RefusedError with the service's reason."""
    simulator.faults.answer(200, body=result(accepted=False, reason=reason))
    values, _ = VALUES.get(command, ({}, {}))
    error = await failure(client.send("1", command, **values))
    assert isinstance(error, RefusedError)
    assert (error.detail, str(error)) == (reason, reason)


@pytest.mark.parametrize(
    ("command_result", "reason"),
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
async def test_reason_of_a_refusal(
    command_result: Any, reason: str, client: Client, simulator: Simulator
) -> None:
    """A command is refused unless its result is true. The reason can have several forms."""
    simulator.faults.answer(200, body={"response": command_result})
    error = await failure(client.send("1", DOOR_LOCK))
    assert isinstance(error, RefusedError)
    assert error.detail == reason


async def test_long_reason_is_cut(client: Client, simulator: Simulator) -> None:
    """An error shows only the beginning of a long reason."""
    simulator.faults.answer(200, body=result(accepted=False, reason="not now " * 1000))
    error = await failure(client.send("1", DOOR_LOCK))
    assert (len(error.detail), len(str(error)), error.args) == (120, 120, ())


@pytest.mark.parametrize("value", [None, [], "done", True, 7], ids=repr)
async def test_response_without_a_command_result(value: Any, client: Client, simulator: Simulator) -> None:
    """The outcome is unknown if the response isn't a command result."""
    simulator.faults.answer(200, body={"response": value})
    assert type(await failure(client.send("1", DOOR_LOCK))) is OutcomeUnknownError


async def test_command_error_with_status_200(client: Client, simulator: Simulator, path_id: str) -> None:
    """A command is refused if a successful response contains an error text."""
    error = await failure(client.send(path_id, REMOTE_START_DRIVE, password=PASSWORD))
    assert isinstance(error, RefusedError)
    assert (error.detail, simulator.requests[0].status) == ("Authorization Required", 200)


async def test_calendar(client: Client, simulator: Simulator, path_id: str) -> None:
    """The car gets the calendar unchanged."""
    assert await client.send(path_id, UPCOMING_CALENDAR_ENTRIES, calendar_data=CALENDAR)
    assert simulator.vehicles[0].body.calendar == CALENDAR


async def test_refused_calendar(client: Client, simulator: Simulator) -> None:
    """A refused calendar raises RefusedError."""
    simulator.faults.answer(200, body=result(accepted=False, reason="not_supported"))
    error = await failure(client.send("1", UPCOMING_CALENDAR_ENTRIES, calendar_data=CALENDAR))
    assert (type(error), error.detail) == (RefusedError, "not_supported")


async def test_payloads_are_not_logged(
    client: Client, simulator: Simulator, path_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A calendar or payload is never logged, whether it is accepted or refused."""
    await client.send(path_id, UPCOMING_CALENDAR_ENTRIES, calendar_data=CALENDAR)
    await client.request(SET_NOTIFICATION_PREFERENCES, payload=PHONE)
    simulator.faults.answer(400, body={"response": None, "error": "invalid_request"}, times=2)
    await failure(client.send(path_id, UPCOMING_CALENDAR_ENTRIES, calendar_data=CALENDAR))
    await failure(client.request(SET_NOTIFICATION_PREFERENCES, payload=PHONE))
    await failure(client.send(path_id, UPCOMING_CALENDAR_ENTRIES, calendar_data={**CALENDAR, "days": {1}}))
    assert caplog.text
    assert not [text for text in ("Dentist", "Elm Street", "phone-of-the-owner") if text in caplog.text]


# Aliases

REFUSALS: Final[Mapping[str, tuple[int, Any, type[ServiceError]]]] = {
    "400": (400, {"response": None, "error": "invalid_field"}, InvalidRequestError),
    "result false": (200, result(accepted=False, reason="invalid_field"), RefusedError),
    "error in 200": (200, {"response": None, "error": "invalid_field"}, RefusedError),
}


def states_sent(simulator: Simulator) -> list[str]:
    """Return the sunroof states that were sent."""
    return [request.query["state"] for request in simulator.requests]


async def test_documented_spelling_first(client: Client, simulator: Simulator, path_id: str) -> None:
    """A service that accepts the documented spelling never gets the alias."""
    for _ in range(2):
        assert await client.send(path_id, SUN_ROOF_CONTROL, state="closed")
    assert states_sent(simulator) == ["closed", "closed"]


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_alias_after_a_refusal(
    refusal: str, client: Client, simulator: Simulator, path_id: str
) -> None:
    """The alias is sent once after a refusal. If it is accepted, only the alias is sent from then on."""
    status, body, _ = REFUSALS[refusal]
    simulator.faults.answer(status, body=body)
    assert await client.send(path_id, SUN_ROOF_CONTROL, state="closed")
    assert await client.send(path_id, SUN_ROOF_CONTROL, state="open")
    assert await client.send(path_id, SUN_ROOF_CONTROL, state="closed")
    assert states_sent(simulator) == ["closed", "close", "open", "close"]


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
async def test_refused_alias(
    refusal: str, status: int, body: Any, client: Client, simulator: Simulator, path_id: str
) -> None:
    """If the alias fails too, the first refusal is raised. The next command starts with no alias."""
    first_status, first_body, cause = REFUSALS[refusal]
    simulator.faults.answer(first_status, body=first_body)
    simulator.faults.answer(status, body=body)
    error = await failure(client.send(path_id, SUN_ROOF_CONTROL, state="closed"))
    assert (type(error), error.detail) == (cause, "invalid_field")
    assert states_sent(simulator) == ["closed", "close"]
    assert await client.send(path_id, SUN_ROOF_CONTROL, state="closed")
    assert states_sent(simulator) == ["closed", "close", "closed"]


async def test_refusal_of_an_accepted_alias(client: Client, simulator: Simulator, path_id: str) -> None:
    """A service that accepted the alias once gets no documented spelling after a refusal."""
    simulator.faults.answer(400)
    await client.send(path_id, SUN_ROOF_CONTROL, state="closed")
    simulator.faults.answer(200, body=result(accepted=False, reason="not_supported"))
    error = await failure(client.send(path_id, SUN_ROOF_CONTROL, state="closed"))
    assert (type(error), error.detail) == (RefusedError, "not_supported")
    assert states_sent(simulator) == ["closed", "close", "close"]


async def test_aliases_of_two_clients(
    client: Client, simulator: Simulator, session: ClientSession, path_id: str
) -> None:
    """An accepted alias only applies to the same client."""
    simulator.faults.answer(400)
    await client.send(path_id, SUN_ROOF_CONTROL, state="closed")
    await Client(session, simulator.url, TOKEN).send(path_id, SUN_ROOF_CONTROL, state="closed")
    assert states_sent(simulator) == ["closed", "close", "closed"]


@pytest.mark.parametrize("state", ["open", "comfort", "vent"])
@pytest.mark.parametrize("refusal", REFUSALS)
async def test_option_without_an_alias(
    refusal: str, state: str, client: Client, simulator: Simulator, path_id: str
) -> None:
    """An option without an alias is sent once."""
    status, body, cause = REFUSALS[refusal]
    simulator.faults.answer(status, body=body)
    assert type(await failure(client.send(path_id, SUN_ROOF_CONTROL, state=state))) is cause
    assert states_sent(simulator) == [state]


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
async def test_no_alias_after_other_errors(
    status: int, cause: type[ServiceError], client: Client, simulator: Simulator, path_id: str
) -> None:
    """The alias is only sent after a refusal."""
    simulator.faults.answer(status)
    assert type(await failure(client.send(path_id, SUN_ROOF_CONTROL, state="closed"))) is cause
    assert states_sent(simulator) == ["closed"]


async def test_lost_response_to_an_alias(client: Client, simulator: Simulator, path_id: str) -> None:
    """The outcome is unknown if the response to the alias is lost."""
    simulator.faults.answer(400)
    simulator.faults.answer(504)
    error = await failure(client.send(path_id, SUN_ROOF_CONTROL, state="closed"))
    assert type(error) is OutcomeUnknownError
    assert await client.send(path_id, SUN_ROOF_CONTROL, state="closed")
    assert states_sent(simulator) == ["closed", "close", "closed"]
