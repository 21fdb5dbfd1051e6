"""The requests that the client sends, its responses and failed connections. No error contains a secret."""

import asyncio
import json
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import quote_plus

from aiohttp import ClientSession, web
from freezegun.api import FrozenDateTimeFactory
import pytest

from custom_components.vehicle_remote_access.api import client as client_module, commands, cooldown, errors
from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.api.commands import (
    DOOR_LOCK,
    HONK_HORN,
    REMOTE_START_DRIVE,
    Command,
)
from custom_components.vehicle_remote_access.api.errors import OutcomeUnknownError, ServiceError
from custom_components.vehicle_remote_access.api.redaction import Secrets
from custom_components.vehicle_remote_access.simulator import Simulator

from .conftest import PASSWORD, PIN, TOKEN, answer_with, client_of, failure, serving

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
    assert type(await failure(client.request(DOOR_LOCK, path_id))) is errors.NotFoundError
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


async def test_other_cars_in_each_list_do_not_fill_the_memory(client: Client, simulator: Simulator) -> None:
    """Otherwise, each error takes longer, and Home Assistant waits for it."""
    for number in range(5):
        cars = [{"vin": f"{number}A{'long' * number * 9}{car}"} for car in range(99)]
        simulator.faults.answer(200, body={"response": cars})
        await client.vehicles()
        assert len(client.secrets) < 110


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
    assert await client.request(DOOR_LOCK, path_id)


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
    error = await failure(client.request(DOOR_LOCK, "1"))
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
        assert type(await failure(client.request(DOOR_LOCK, "1"))) is OutcomeUnknownError


async def test_errors_contain_nothing_that_earlier_requests_sent_in_secret_or_that_identifies_a_car(
    client: Client, simulator: Simulator, path_id: str
) -> None:
    """A service can repeat an earlier request, and a car of the account that is not in Home Assistant."""
    car = simulator.vehicles[0]
    simulator.switches.remote_password = "any"
    await client.vehicles()
    await client.request(REMOTE_START_DRIVE, path_id, password="swordfish")
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
        (504, None, OutcomeUnknownError),
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
        ("closed", (504, None, OutcomeUnknownError)),
        ("closed", (401, None, errors.AuthenticationError)),
        ("closed", (404, None, errors.NotFoundError)),
    ):
        simulator.requests.clear()
        simulator.faults.answer(status, body=body)
        request = client.request(commands.SUN_ROOF_CONTROL, path_id, state=state)
        assert type(await failure(request)) is cause
        assert states_sent(simulator) == [state]


HTML: Final = "<!DOCTYPE html><html><body>It works!</body></html>"
PAGE: Final = b"\n " + HTML.encode()
ASLEEP: Final = "vehicle unavailable: vehicle is offline or asleep"
MEBIBYTE: Final = 2**20


def envelope(error: str) -> dict[str, Any]:
    return {"response": None, "error": error, "error_description": ""}


@pytest.mark.parametrize(
    ("status", "error", "error_class"),
    [
        *((status, "invalid", errors.InvalidRequestError) for status in (400, 406, 422)),
        (401, "invalid_token", errors.AuthenticationError),
        *((status, "mobile_access_disabled", errors.MobileAccessDisabledError) for status in (401, 403, 405)),
        *((402, text, errors.PaymentRequiredError) for text in ("insufficient_credits", "no plan", b"")),
        (403, "Unauthorized missing scopes", errors.PermissionDeniedError),
        (403, "account disabled: EXCEEDED_LIMIT", errors.RateLimitedError),
        (403, "Tesla Vehicle Command Protocol required, see the docs", errors.SigningRequiredError),
        (404, "not_found", errors.NotFoundError),
        (405, "vehicle is currently in service", errors.InServiceError),
        (405, "vehicle is curently in service", errors.InServiceError),
        (405, "invalid_method", errors.NotFoundError),
        (408, ASLEEP, errors.AsleepError),
        (408, 'vehicle unavailable: {:error=>"vehicle unavailable:"}', errors.AsleepError),
        (408, '{"error": "timeout"}', errors.ServiceDownError),
        (412, "condition not met", errors.ClientRefusedError),
        *((status, "wrong region", errors.WrongRegionError) for status in (421, 451)),
        (423, "account locked", errors.AccountLockedError),
        (429, "too many requests", errors.RateLimitedError),
        *((status, "internal error", errors.ServiceDownError) for status in (499, 500, 502, 503, 504)),
        (503, "vehicle is not available", errors.UnavailableError),
        (540, "device unexpected response", errors.VehicleUpstreamError),
        # Without an error text, the status alone determines the error.
        (401, b"", errors.AuthenticationError),
        (404, b"plain text", errors.NotFoundError),
        (408, b"[]", errors.ServiceDownError),
        (412, b'"text"', errors.ClientRefusedError),
        (540, PAGE, errors.VehicleUpstreamError),
        # An HTML page with one of these statuses is from another web server.
        *((status, PAGE, errors.MalformedResponseError) for status in (401, 402, 403, 404, 405, 451)),
        (304, b"", errors.RedirectedError),
    ],
)
async def test_status_and_text_determine_the_error_which_keeps_the_text(
    status: int, error: str | bytes, error_class: type[ServiceError], client: Client, simulator: Simulator
) -> None:
    simulator.faults.answer(status, body=envelope(error) if isinstance(error, str) else error)
    found = await failure(client.vehicle_data("1"))
    assert (type(found), found.detail) == (error_class, error if isinstance(error, str) else "")
    assert len(simulator.requests) == 1


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"error": "first", "error_description": "second", "reason": "third"}, "first"),
        ({"error": "", "error_description": "second", "reason": "third"}, "second"),
        ({"error": None, "error_description": None, "reason": "third"}, "third"),
        ({"error": {"code": 7}}, ""),
    ],
    ids=repr,
)
async def test_first_text_is_error_text(body: Any, detail: str, client: Client, simulator: Simulator) -> None:
    for status, error_class in ((500, errors.ServiceDownError), (200, errors.MalformedResponseError)):
        simulator.faults.answer(status, body=body)
        error = await failure(client.vehicle("1"))
        assert (type(error), error.detail) == (error_class, detail)
        assert error.placeholders == {"detail": detail or "-"}


async def test_text_is_shown_in_one_line(client: Client, simulator: Simulator) -> None:
    lines = f"asleep\r\n2026-05-04 WARNING\u2028Login\x1b[2K of {TOKEN[:8]}\0{TOKEN[8:]}\u202e"
    for text, shown in (
        (lines, f"asleep 2026-05-04 WARNING Login [2K of {TOKEN[:8]} {TOKEN[8:]}"),
        (f"of {TOKEN}\n", "of …"),
        ("Zoë \t 車", "Zoë 車"),
    ):
        simulator.faults.answer(500, body=envelope(text))
        error = await failure(client.vehicle("1"))
        assert (error.detail, error.placeholders["detail"], str(error)) == (shown, shown, shown)


async def test_command_to_a_car_that_does_not_answer(client: Client, simulator: Simulator) -> None:
    for status, error, command, error_class in (
        (408, "timeout", DOOR_LOCK, OutcomeUnknownError),
        (408, ASLEEP, DOOR_LOCK, errors.AsleepError),
        (503, "vehicle is not available", DOOR_LOCK, errors.UnavailableError),
        # The horn command is not repeatable.
        (503, "vehicle is not available", HONK_HORN, OutcomeUnknownError),
    ):
        simulator.faults.answer(status, body=envelope(error))
        assert type(await failure(client.request(command, "1"))) is error_class


TOO_MANY: Final = envelope("too many requests")


@pytest.mark.parametrize(
    ("headers", "body", "wait"),
    [
        ({"Retry-After": "120"}, TOO_MANY, 120),
        ({"Retry-After": "1.5"}, TOO_MANY, 1.5),
        ({}, "You have been limited. Retry in 90 seconds.", 90),
        ({"Retry-After": "60"}, envelope("Retry in 90 seconds"), 90),
        ({"Retry-After": "120"}, envelope("Retry in 90 seconds"), 120),
        ({}, {"error": "too many requests", "after": 240}, 240),
        ({}, TOO_MANY, 300),
        ({}, HTML, 300),
        ({"Retry-After": "Mon, 04 May 2026 19:02:30 GMT"}, TOO_MANY, 150),
        ({"Retry-After": "Mon, 04 May 2026 19:02:30 -0000"}, TOO_MANY, 150),
        ({"Retry-After": "Mon, 04 May 2026 18:00:00 GMT"}, TOO_MANY, 300),
        ({"Retry-After": "Mon, 04 May 2099 19:00:00 GMT"}, TOO_MANY, 86_400),
        ({"Retry-After": "soon"}, TOO_MANY, 300),
        ({"Retry-After": "nan"}, TOO_MANY, 300),
        ({"Retry-After": "-5"}, TOO_MANY, 300),
        ({"Retry-After": "9" * 400}, TOO_MANY, 86_400),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_retry_after(
    headers: Any, body: Any, wait: float, freezer: FrozenDateTimeFactory, client: Client, simulator: Simulator
) -> None:
    """The retry time is from the header or the text, 5 minutes by default, and at most a day."""
    freezer.move_to("2026-05-04T19:00:00Z")
    simulator.faults.answer(429, headers=headers, body=body)
    error = await failure(client.vehicles())
    assert isinstance(error, errors.RateLimitedError)
    assert error.retry_after == wait


async def test_account_over_quota_is_retried_after_15_minutes(client: Client, simulator: Simulator) -> None:
    simulator.faults.answer(403, body=envelope("account disabled: EXCEEDED_LIMIT"))
    assert (await failure(client.vehicles())).retry_after == 900


async def test_request_a_moment_too_early_waits_for_the_end_of_the_pause(client: Client) -> None:
    client.pause.extend(0.02)
    assert len(await client.vehicles()) == 1


@pytest.mark.parametrize("status", [403, 500])
async def test_retry_time_of_any_error_is_a_pause(status: int, client: Client, simulator: Simulator) -> None:
    simulator.faults.answer(status, headers={"Retry-After": "120"})
    error = await failure(client.vehicles())
    assert error.retry_after == 120
    assert isinstance(await failure(client.vehicles()), errors.RateLimitedError)
    assert len(simulator.requests) == 1


async def test_no_pause_without_a_retry_time_or_for_sleep(client: Client, simulator: Simulator) -> None:
    simulator.faults.answer(500)
    await failure(client.vehicles())
    assert client.pause.left == 0
    simulator.faults.answer(408, body=envelope(ASLEEP), headers={"Retry-After": "120"})
    assert isinstance(await failure(client.vehicle_data("1")), errors.AsleepError)
    assert len(await client.vehicles()) == 1


@pytest.mark.parametrize(
    "body",
    [
        HTML,
        "null",
        "[]",
        "{}",
        '{"result": true}',
        '{"response": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"response": {"id": 1}',
        '{"response": null}',
        '{"response": "text"}',
    ],
    ids=lambda body: body[:20],
)
async def test_response_without_record_is_malformed(body: str, client: Client, simulator: Simulator) -> None:
    simulator.faults.answer(200, body=body, times=3)
    assert type(await failure(client.vehicle("1"))) is errors.MalformedResponseError
    if "[[" not in body:
        assert type(await failure(client.vehicles())) is errors.MalformedResponseError
    assert type(await failure(client.request(HONK_HORN, "1"))) is OutcomeUnknownError


async def test_empty_or_wrong_type_of_response_is_malformed(client: Client, simulator: Simulator) -> None:
    for body, read in (
        ("", client.vehicle("1")),
        ('{"response": []}', client.vehicle("1")),
        ('{"response": {}}', client.vehicles()),
    ):
        simulator.faults.answer(200, body=body)
        assert type(await failure(read)) is errors.MalformedResponseError


async def test_error_with_status_200(client: Client, simulator: Simulator) -> None:
    """The error text of a successful response determines the error, even if there is a result."""
    for text, of_read, of_command in (
        ("upstream_timeout", errors.ServiceDownError, OutcomeUnknownError),
        ("internal", errors.ServiceDownError, errors.RefusedError),
        ("vehicle is currently in service", errors.InServiceError, errors.InServiceError),
        ("mobile_access_disabled", errors.MobileAccessDisabledError, errors.MobileAccessDisabledError),
        ("Vehicle Command Protocol required", errors.SigningRequiredError, errors.SigningRequiredError),
        ("Unauthorized missing scopes", errors.PermissionDeniedError, errors.PermissionDeniedError),
        (ASLEEP, errors.AsleepError, errors.AsleepError),
    ):
        simulator.faults.answer(200, body={"response": {"result": True}, "error": text}, times=2)
        found = await failure(client.vehicle("1")), await failure(client.request(HONK_HORN, "1"))
        assert [(type(error), error.detail) for error in found] == [(of_read, text), (of_command, text)]


@pytest.mark.parametrize(
    ("value", "parsed"),
    [
        (b"NaN", ["?"]),
        (b"-Infinity", ["?"]),
        (b"1" + b"0" * 400, ["?"]),
        (b"1" + b"0" * 5000, ["?"]),
        (b"1e400", ["?"]),
        (b"1.5", 1.5),
        (str(2**63).encode(), 2**63),
        (b'"Zo\xff"', "Zo\N{REPLACEMENT CHARACTER}"),
        (b'"Zo\\ud800"', "Zo?"),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_invalid_value_is_replaced_and_all_others_are_kept(value: bytes, parsed: Any) -> None:
    body = b'{"response": {"vin": "5YJ", "broken": %s, "also": NaN, "deep": [{"id": 7}]}}' % value
    async with serving(answer_with(body)) as server:
        record = await server.client.vehicle("1")
    assert record == {"vin": "5YJ", "broken": parsed, "also": ["?"], "deep": [{"id": 7}]}


@pytest.mark.parametrize(("depth", "is_kept"), [(60, True), (70, False), (900, False)])
async def test_value_too_deep_is_cut_off_and_all_others_are_kept(depth: int, *, is_kept: bool) -> None:
    body = b'{"response": {"vin": "5YJ", "deep": %s7%s}}' % (b"[" * depth, b"]" * depth)
    async with serving(answer_with(body)) as server:
        record = await server.client.vehicle("1")
    assert record["vin"] == "5YJ"
    assert ("7" in json.dumps(record["deep"])) is is_kept


async def test_response_that_is_too_long() -> None:
    """The client stops reading a response that is too long. The outcome of a command is unknown then."""
    written, stopped = [], asyncio.Event()

    async def flood(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        written.append(0)
        try:
            while written[-1] < 100 * MEBIBYTE:
                await response.write(bytes(65536))
                written[-1] += 65536
        finally:
            stopped.set()
        return response

    async with serving(flood) as server:
        assert type(await failure(server.client.vehicle_data("1"))) is errors.MalformedResponseError
        await stopped.wait()
        stopped.clear()
        assert type(await failure(server.client.request(HONK_HORN, "1"))) is OutcomeUnknownError
        await stopped.wait()
    assert max(written) < 20 * MEBIBYTE


async def test_large_response() -> None:
    body = json.dumps({"response": {"vin": "x" * (4 * MEBIBYTE - 100)}})
    async with serving(answer_with(body)) as server:
        record = await server.client.vehicle("1")
    assert len(record["vin"]) == 4 * MEBIBYTE - 100


@pytest.mark.parametrize("status", [302, 307])
async def test_redirect_is_an_error_with_the_other_host_and_is_not_followed(status: int) -> None:
    async with serving(answer_with('{"response": {"result": true}}')) as target:
        location = f"{target.url}/api/1/vehicles/1?password={quote_plus(PASSWORD)}"
        async with serving(answer_with("", status, {"Location": location})) as server:
            error = await failure(server.client.vehicle("1"))
            assert (type(error), error.detail) == (errors.RedirectedError, "127.0.0.1")
            error = await failure(server.client.request(REMOTE_START_DRIVE, "1", password=PASSWORD))
            assert (type(error), error.detail) == (errors.RedirectedError, "127.0.0.1")
    assert (len(server.requests), len(target.requests)) == (2, 0)


@pytest.mark.parametrize("headers", [{"Location": "/elsewhere"}, {"Location": "http://["}])
async def test_redirect_without_a_host(headers: dict[str, str], client: Client, simulator: Simulator) -> None:
    simulator.faults.answer(304, body="", headers=headers)
    error = await failure(client.vehicle("1"))
    assert (type(error), error.detail) == (errors.RedirectedError, "")


@pytest.mark.parametrize("url", ["http://127.0.0.1:0", "127.0.0.1", "", "http://me:pass@127.0.0.1"])
async def test_nothing_is_sent_with_an_invalid_base_url(url: str, session: ClientSession) -> None:
    assert type(await failure(client_of(session, url).request(HONK_HORN, "1"))) is errors.NotSentError


async def test_token_with_a_line_break_is_not_sent(session: ClientSession, simulator: Simulator) -> None:
    client = client_of(session, simulator.url, f"{TOKEN}\r\nX-Other: header")
    assert type(await failure(client.request(HONK_HORN, "1"))) is errors.NotSentError
    assert not simulator.requests


async def test_secret_at_the_cut_is_redacted(client: Client, simulator: Simulator) -> None:
    for length in range(96, 125, 4):
        simulator.faults.answer(500, body=envelope("x" * length + PASSWORD))
        error = await failure(client.request(REMOTE_START_DRIVE, "1", password=PASSWORD))
        assert set(error.detail) <= {"x", "…"}


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("p@ss/wörd ?", "/p%40ss%2Fw%C3%B6rd%20%3F/"),
        ("p@ss/wörd ?", "/p%40ss/w%C3%B6rd%20%3F/"),
        ("p@ss/wörd ?", "/p%40ss%2Fw%C3%B6rd+%3F/"),
        ("p@ss/wörd ?", "/p@ss/w\\u00f6rd ?/"),
        ("\ud800", "/\ud800/"),
        ("5YJSA1E26KF000316", "/5yjsa1e26kf000316/"),
    ],
)
def test_any_spelling_of_a_secret_is_redacted(secret: str, text: str) -> None:
    secrets = Secrets([secret])
    assert secrets.is_in(text)
    assert secrets.redact(text) == "/…/"


def test_unusual_secrets() -> None:
    """A secret that contains another one is redacted completely. An empty one redacts nothing."""
    assert Secrets(["key", "key-of-the-car", ""]).redact("a key-of-the-car, a key") == "a …, a …"
    assert Secrets([""]).redact("text") == "text"
    assert not Secrets([""]).is_in("text")


async def test_log_line_of_a_request_has_no_private_data(
    client: Client, simulator: Simulator, path_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    simulator.switches.remote_password = "any"
    await client.request(REMOTE_START_DRIVE, path_id, password=PASSWORD)
    await client.vehicles()
    assert [record.getMessage() for record in caplog.records if record.name == client_module.__name__] == [
        "POST /api/1/vehicles/{id}/command/remote_start_drive: 200",
        "GET /api/1/vehicles: 200",
    ]


def test_delay_after_failures_doubles_and_is_longer_by_up_to_a_quarter() -> None:
    with patch.object(cooldown, "random", return_value=0.0):
        delays = [cooldown.backoff(failures, 600) for failures in (1, 2, 3, 4, 5, 5000)]
        assert delays == [60, 120, 240, 480, 600, 600]
    with patch.object(cooldown, "random", return_value=1.0):
        assert (cooldown.backoff(1, 600), cooldown.backoff(2, 600)) == (60, 150)
