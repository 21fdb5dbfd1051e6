"""The requests that the client sends, and valid responses."""

from typing import Any, Final

from aiohttp import ClientSession, web
import pytest

from custom_components.vehicle_remote_access.api import commands, errors
from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.api.commands import Command
from custom_components.vehicle_remote_access.simulator import Simulator

from .conftest import PIN, TOKEN, client_of, failure, serving

CALENDAR: Final = {
    "access_disabled": False,
    "calendars": [{"name": "Family", "events": [{"name": "Dentist Dr. Müller", "location": "Elm Street 7"}]}],
}
SET_PREFERENCES: Final = commands.ACCOUNT_ENDPOINTS["set_notification_preferences"]
PHONE: Final = {"device_type": "ios", "device_token": "phone-of-the-owner", "quiet_hours": [22, 7]}


def result(*, accepted: bool, **fields: Any) -> dict[str, Any]:
    return {"response": {"result": accepted, **fields}}


async def test_body_of_a_command_is_a_json_object_without_the_query_values() -> None:
    bodies: list[Any] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        bodies.append(await request.json())
        return web.json_response(result(accepted=True))

    async with serving(handle) as server:
        await server.client.request(commands.SET_VALET_MODE, "1", on=True, password=PIN)
        await server.client.request(commands.UPCOMING_CALENDAR_ENTRIES, "1", calendar_data=CALENDAR)
    assert bodies == [{}, {"calendar_data": CALENDAR}]
    assert server.requests[0].headers["Content-Type"] == "application/json"
    assert server.requests[0].headers["Accept"] == "application/json"
    assert server.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"


async def test_payload_is_sent_unchanged_even_if_the_session_has_its_own_json_serializer() -> None:
    payload = {"ids": [2**70], "name": "Zoë \ud800", "quiet": None, "payload": {"on": True}}
    bodies: list[Any] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        bodies.append(await request.json())
        return web.json_response({"response": True})

    async with serving(handle) as server, ClientSession(json_serialize=lambda _: "{}") as session:
        await client_of(session, server.url).request(SET_PREFERENCES, payload=payload)
    assert bodies == [payload]


@pytest.mark.parametrize("base_path", ["", "/", "/prefix", "/prefix/"])
async def test_slash_and_path_of_url(base_path: str, session: ClientSession, simulator: Simulator) -> None:
    simulator.faults.answer(200, body={"response": []})
    await client_of(session, simulator.url + base_path).vehicles()
    assert simulator.requests[0].path == f"{base_path.rstrip('/')}/api/1/vehicles"


@pytest.mark.parametrize(
    "path_id", ["1/command/door_unlock?x=", "1%2Fcommand%2Fdoor_unlock%3Fx=", "..", "1#", "é", "1\r\n", ""]
)
async def test_unusual_id_is_not_sent(path_id: str, client: Client, simulator: Simulator) -> None:
    assert type(await failure(client.request(commands.DOOR_LOCK, path_id))) is errors.NotFoundError
    assert type(await failure(client.vehicle_data(path_id))) is errors.NotFoundError
    assert not simulator.requests
    assert client.request_count == 0
    assert client.is_reachable is None


@pytest.mark.parametrize(("count", "pages"), [(1, 1), (99, 1), (100, 2), (150, 2)])
async def test_pages_until_one_is_not_full(count: int, pages: int, session: ClientSession) -> None:
    """An account is listed page by page, until a page isn't full. The first one has no page number."""
    simulator = Simulator(vehicles=count, token=TOKEN)
    client = client_of(session, await simulator.start())
    records = await client.vehicles()
    await simulator.stop()
    # The ids are beyond 2^53. Every digit is kept.
    assert [record["id"] for record in records] == [vehicle.id for vehicle in simulator.vehicles]
    assert [request.query for request in simulator.requests] == [
        {"page": str(page)} if page > 1 else {} for page in range(1, pages + 1)
    ]


async def test_service_without_pages_repeats_its_list_only_once(client: Client, simulator: Simulator) -> None:
    cars = [{"vin": f"5YJSA1E26KF000{number}"} for number in range(100, 200)]
    simulator.faults.serve("GET", "/api/1/vehicles", {"response": cars})
    assert await client.vehicles() == cars
    assert len(simulator.requests) == 2


async def test_long_list_does_not_fill_the_memory(client: Client, simulator: Simulator) -> None:
    """A list with more than 1000 cars is malformed, and at most ten pages are requested."""
    for page in range(11):
        cars = [{"vin": f"{page}A{number}"} for number in range(100)]
        simulator.faults.answer(200, body={"response": cars})
    assert len(await client.vehicles()) == len(simulator.requests) * 100 == 1000
    simulator.faults.clear()
    simulator.faults.answer(200, body={"response": [{"vin": "A"}] * 1001})
    assert type(await failure(client.vehicles())) is errors.MalformedResponseError


async def test_listed_products_other_than_vehicles_are_left_out(client: Client, simulator: Simulator) -> None:
    cars = [{"vin": "5YJSA1E26KF000316"}, {"vehicle_id": 1492931365719407}]
    products: list[Any] = [{"energy_site_id": 7, "id": "STE1"}, None, 7, "car", []]
    simulator.faults.serve("GET", "/api/1/vehicles", {"response": [*products, *cars], "count": 7})
    assert await client.vehicles() == cars


async def test_single_records_are_combined(client: Client, simulator: Simulator, path_id: str) -> None:
    record = await client.data_requests(path_id)
    assert set(record) == {"charge_state", "climate_state", "drive_state", "gui_settings"}
    assert [request.status for request in simulator.requests] == [200, 200, 200, 200, 404, 404]
    simulator.faults.answer(404, times=6, only="data_request")
    assert isinstance(await failure(client.data_requests(path_id)), errors.NotFoundError)


@pytest.mark.parametrize("value", [None, False, [7], {"result": False}], ids=repr)
async def test_any_value_of_response_is_returned(value: Any, client: Client, simulator: Simulator) -> None:
    simulator.faults.answer(200, body={"response": value}, times=2)
    assert await client.request(commands.SERVICE_DATA, "1") == value
    assert await client.request(SET_PREFERENCES, payload=PHONE) == value


@pytest.mark.parametrize(
    "response",
    [
        {"id": 7, "own": True},
        [{"id": 1}, {"id": 7, "own": True}],
        [{"id": 1}, {"id": 7.5, "id_s": "7", "own": True}],
        [None, "7", {"id": 7, "own": True}, {"id": 2}],
        [{"id": 1, "own": True}],
        [{"vin": "5YJSA1E26KF000316", "own": True}],
    ],
    ids=["object", "by id", "by id_s", "among invalid entries", "single", "without an id"],
)
async def test_wake_up_returns_the_cars_record(response: Any, client: Client, simulator: Simulator) -> None:
    simulator.faults.answer(200, body={"response": response})
    assert (await client.wake_up("7")).get("own")


async def test_wake_up_without_a_record_of_the_car_is_malformed(client: Client, simulator: Simulator) -> None:
    for response in ([], [{"id": 1}, {"id": 2}], [None], None, "awake"):
        simulator.faults.answer(200, body={"response": response})
        assert type(await failure(client.wake_up("7"))) is errors.MalformedResponseError


async def test_empty_response_accepts_a_command(client: Client, simulator: Simulator, path_id: str) -> None:
    simulator.faults.answer(200, body=b"", is_obeyed=True)
    assert await client.request(commands.DOOR_LOCK, path_id)


@pytest.mark.parametrize(
    ("command", "values", "reason"),
    [
        (commands.SET_CHARGE_LIMIT, {"percent": 70}, "already_set"),
        (commands.CHARGE_MAX_RANGE, {}, "already_max_range"),
        (commands.CHARGE_STANDARD, {}, "already_standard"),
        (commands.CHARGE_START, {}, "requested"),
        (commands.CHARGE_START, {}, "charging"),
        (commands.CHARGE_START, {}, "is_charging"),
        (commands.CHARGE_STOP, {}, "not_charging"),
        (commands.SET_VALET_MODE, {"on": True}, "already on"),
        (commands.SET_VALET_MODE, {"on": False}, "already_off"),
        (commands.SPEED_LIMIT_ACTIVATE, {"pin": PIN}, "Already Active"),
        (commands.SPEED_LIMIT_DEACTIVATE, {"pin": PIN}, "already inactive"),
    ],
    ids=lambda value: value.name if isinstance(value, Command) else None,
)
async def test_refusal_because_nothing_has_to_be_done_is_a_success(
    command: Command, values: dict[str, Any], reason: str, client: Client, simulator: Simulator
) -> None:
    simulator.faults.answer(200, body=result(accepted=False, reason=reason))
    assert not await client.request(command, "1", **values)


@pytest.mark.parametrize(
    ("command_result", "reason"),
    [
        ({"result": False}, ""),
        ({"result": False, "reason": None}, ""),
        ({"result": False, "reason": "already_set"}, "already_set"),  # not a no-op of this command
        ({"result": False, "reason": " not_parked "}, "not_parked"),
        ({"result": False, "string": "command failed: not_parked"}, "not_parked"),
        ({"result": False, "reason": "", "string": "not_parked"}, "not_parked"),
        ({"result": False, "reason": 7}, "7"),
        ({"result": "true", "reason": "unsure"}, "unsure"),
        ({"result": False, "reason": "not now " * 1000}, "not now " * 15),
        ({}, ""),
    ],
    ids=lambda value: repr(value)[:60],
)
async def test_refusal_reason(command_result: Any, reason: str, client: Client, simulator: Simulator) -> None:
    """A command is refused unless its result is true. The reason can have several forms."""
    simulator.faults.answer(200, body={"response": command_result})
    error = await failure(client.request(commands.DOOR_LOCK, "1"))
    assert isinstance(error, errors.RefusedError)
    assert (error.detail, str(error), error.args) == (reason, reason, ())


async def test_known_reason_stays_although_part_of_it_was_sent(client: Client, simulator: Simulator) -> None:
    event = {"calendars": [{"name": "park"}]}
    for reason, shown in (("not_parked", "not_parked"), ("no park found", "no … found")):
        simulator.faults.answer(200, body=result(accepted=False, reason=reason))
        error = await failure(client.request(commands.UPCOMING_CALENDAR_ENTRIES, "1", calendar_data=event))
        assert error.detail == shown


async def test_outcome_is_unknown_without_a_command_result(client: Client, simulator: Simulator) -> None:
    results: tuple[Any, ...] = (None, [], "done", True)
    for value in results:
        simulator.faults.answer(200, body={"response": value})
        assert type(await failure(client.request(commands.DOOR_LOCK, "1"))) is errors.OutcomeUnknownError


async def test_errors_contain_nothing_that_earlier_requests_sent_in_secret_or_that_identifies_a_car(
    client: Client, simulator: Simulator, path_id: str
) -> None:
    """A service can repeat an earlier request, and a car of the account that is not in Home Assistant."""
    car = simulator.vehicles[0]
    simulator.switches.remote_password = "any"
    await client.vehicles()
    await client.request(commands.REMOTE_START_DRIVE, path_id, password="swordfish")
    await client.request(commands.SPEED_LIMIT_SET_LIMIT, path_id, limit_mph=60)
    text = f"swordfish of {car.vin} {car.id} {car.identity.vehicle_id}"
    simulator.faults.answer(500, body={"response": None, "error": text})
    assert (await failure(client.vehicles())).detail == "… of … … …"


async def test_car_with_a_short_id_leaves_errors_readable(client: Client, simulator: Simulator) -> None:
    simulator.faults.serve("GET", "/api/1/vehicles", {"response": [{"id": 1, "vin": "5YJSA1E26KF000316"}]})
    await client.vehicles()
    simulator.faults.serve("GET", "/api/1/vehicles", {"error": "not before 11:01", "response": None}, 500)
    assert (await failure(client.vehicles())).detail == "not before 11:01"


INVALID: Final = (400, {"response": None, "error": "invalid_field"}, errors.InvalidRequestError)
REFUSED: Final = (200, result(accepted=False, reason="invalid_field"), errors.RefusedError)
ERROR_IN_200: Final = (200, {"response": None, "error": "invalid_field"}, errors.RefusedError)
each_refusal = pytest.mark.parametrize(
    "refusal", [INVALID, REFUSED, ERROR_IN_200], ids=["400", "result false", "error in 200"]
)


def states_sent(simulator: Simulator) -> list[str]:
    return [request.query["state"] for request in simulator.requests]


@each_refusal
async def test_alias_is_sent_once(refusal: Any, client: Client, simulator: Simulator, path_id: str) -> None:
    status, body, _ = refusal
    simulator.faults.answer(status, body=body)
    assert await client.request(commands.SUN_ROOF_CONTROL, path_id, state="closed")
    assert await client.request(commands.SUN_ROOF_CONTROL, path_id, state="open")
    assert states_sent(simulator) == ["closed", "close", "open"]


async def test_failing_alias_raises_first_refusal(client: Client, simulator: Simulator, path_id: str) -> None:
    for status, body, cause in (
        (200, result(accepted=False, reason="another"), errors.InvalidRequestError),
        (408, {"response": None, "error": "vehicle unavailable: another"}, errors.InvalidRequestError),
        (504, None, errors.OutcomeUnknownError),
    ):
        simulator.requests.clear()
        simulator.faults.answer(400, body={"response": None, "error": "invalid_field"})
        simulator.faults.answer(status, body=body)
        error = await failure(client.request(commands.SUN_ROOF_CONTROL, path_id, state="closed"))
        assert type(error) is cause
        assert states_sent(simulator) == ["closed", "close"]


async def test_alias_needs_an_option_and_refusal(client: Client, simulator: Simulator, path_id: str) -> None:
    for state, (status, body, cause) in (
        ("open", INVALID),
        ("vent", REFUSED),
        ("closed", (504, None, errors.OutcomeUnknownError)),
        ("closed", (401, None, errors.AuthenticationError)),
        ("closed", (404, None, errors.NotFoundError)),
    ):
        simulator.requests.clear()
        simulator.faults.answer(status, body=body)
        request = client.request(commands.SUN_ROOF_CONTROL, path_id, state=state)
        assert type(await failure(request)) is cause
        assert states_sent(simulator) == [state]
