"""Test every way in which the service can fail, for every kind of request.

The meaning of each failure is written by hand from the observed behavior of services of this family. It is
not derived from the client's own table.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
import json
import logging
import socket
from typing import Any, Final

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest
from yarl import URL

from custom_components.vehicle_remote_access.account.storage import remove_stores
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator

from .conftest import TOKEN, Home
from .repository.test_architecture import ENGLISH

type Injector = Callable[[Simulator, str], AbstractAsyncContextManager[None]]
"""Makes all requests with a text in their path fail until the context ends."""

ALWAYS: Final = 10_000
READ: Final = "/vehicle_data"
HORN: Final = "/command/honk_horn"
LOCK: Final = "/command/door_lock"
BATTERY: Final = ("sensor", "charge_state.battery_level")
HTML: Final = "<!DOCTYPE html><html><body>Bad gateway</body></html>"


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure and its consequences."""

    id: str
    inject: Injector
    error: str
    """The translation key of the error of a read."""
    form_field: str = "base_url"
    """The form field that shows the error. Empty: the form for a vehicle ID follows instead."""
    command_error: str = "outcome_unknown"
    """The translation key of the error of a command. Empty: the same as for a read."""
    issue: str = ""
    """The repair issue that exists while the failure lasts."""
    keeps_values: bool = False
    """Whether the error describes the state of the car, so values never expire."""
    is_slow: bool = False
    """Whether the request times out, so it ends only when time passes."""


# Injectors


def respond(
    status: int, text: str | None = None, body: Any = None, headers: dict[str, str] | None = None
) -> Injector:
    """Respond with a status, and with an error text or another body."""
    if text is not None:
        body = {"response": None, "error": text, "error_description": ""}

    @asynccontextmanager
    async def inject(simulator: Simulator, only: str) -> AsyncIterator[None]:
        simulator.faults.answer(status, body=body, headers=headers, only=only, times=ALWAYS)
        yield
        simulator.faults.clear()

    return inject


def drop(how: Any) -> Injector:
    """Drop the response in one of the ways of the simulator."""

    @asynccontextmanager
    async def inject(simulator: Simulator, only: str) -> AsyncIterator[None]:
        simulator.faults.fail(how, only=only, times=ALWAYS)
        yield
        simulator.faults.clear()

    return inject


@asynccontextmanager
async def refuse_connections(simulator: Simulator, _only: str) -> AsyncIterator[None]:
    """Refuse connections to the address of the service."""
    port = URL(simulator.url).port or 0
    await simulator.stop()
    yield
    await simulator.start(port)


@asynccontextmanager
async def ignore_connections(simulator: Simulator, _only: str) -> AsyncIterator[None]:
    """Ignore connection attempts to the address of the service: its backlog is full."""
    port = URL(simulator.url).port or 0
    await simulator.stop()
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen(0)
        clients = [socket.socket() for _ in range(3)]
        for client in clients:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        yield
        for client in clients:
            client.close()
    await simulator.start(port)


DEEP: Final = '{"response": ' + "[" * 10_000 + "]" * 10_000 + "}"

FAULTS: Final = (
    Fault("400", respond(400, "invalid_request"), "invalid_request", command_error=""),
    Fault("401", respond(401, "invalid_token"), "invalid_token", form_field="access_token", command_error=""),
    Fault(
        "401 mobile access off",
        respond(401, "mobile_access_disabled"),
        "mobile_access_disabled",
        form_field="access_token",
        command_error="",
        issue="mobile_access_disabled",
    ),
    Fault(
        "402",
        respond(402, "payment required"),
        "permission_denied",
        form_field="access_token",
        command_error="",
        issue="permission_denied",
    ),
    Fault(
        "403 permission",
        respond(403, "Unauthorized missing scopes"),
        "permission_denied",
        form_field="access_token",
        command_error="",
        issue="permission_denied",
    ),
    Fault("403 quota", respond(403, "account disabled: EXCEEDED_LIMIT"), "rate_limited", command_error=""),
    Fault(
        "403 signing required",
        respond(403, "Tesla Vehicle Command Protocol required"),
        "signing_required",
        form_field="access_token",
        command_error="",
        issue="signing_required",
    ),
    Fault("404", respond(404, "not_found"), "not_found", form_field="", command_error=""),
    Fault("404 with HTML", respond(404, body=HTML), "malformed_answer"),
    Fault(
        "405 in service",
        respond(405, "vehicle is currently in service"),
        "in_service",
        command_error="",
        keeps_values=True,
    ),
    Fault(
        "405 mobile access off",
        respond(405, "mobile_access_disabled"),
        "mobile_access_disabled",
        form_field="access_token",
        command_error="",
        issue="mobile_access_disabled",
    ),
    Fault("406", respond(406, "not_acceptable"), "invalid_request", command_error=""),
    Fault("408", respond(408, "timeout"), "service_down"),
    Fault(
        "412",
        respond(412, "precondition failed"),
        "client_refused",
        command_error="invalid_request",
        issue="client_refused",
    ),
    Fault("421", respond(421, "wrong region"), "wrong_place", command_error="", issue="wrong_place"),
    Fault(
        "423",
        respond(423, "account locked"),
        "account_locked",
        form_field="access_token",
        command_error="",
        issue="account_locked",
    ),
    Fault("429 with seconds", respond(429, headers={"Retry-After": "120"}), "rate_limited", command_error=""),
    Fault(
        "429 with date",
        respond(429, headers={"Retry-After": "Mon, 04 May 2026 19:10:00 GMT"}),
        "rate_limited",
        command_error="",
    ),
    Fault(
        "429 with text",
        respond(429, "too many requests. Retry in 90 seconds"),
        "rate_limited",
        command_error="",
    ),
    Fault("451", respond(451, "not for this region"), "wrong_place", command_error="", issue="wrong_place"),
    Fault("499", respond(499, "client closed request"), "service_down"),
    Fault("500", respond(500, "upstream internal error"), "service_down"),
    Fault("502", respond(502, body=HTML), "service_down"),
    Fault("503", respond(503, body=""), "service_down"),
    Fault("503 with Retry-After", respond(503, body="", headers={"Retry-After": "120"}), "service_down"),
    Fault("504", respond(504, "upstream_timeout"), "service_down"),
    Fault("540", respond(540, "device unexpected response"), "service_down"),
    Fault(
        "302",
        respond(302, body="", headers={"Location": "https://other.example/?a=b"}),
        "redirected",
        command_error="",
        issue="redirected",
    ),
    Fault("no connection", refuse_connections, "cannot_connect", command_error=""),
    Fault("timeout while connecting", ignore_connections, "cannot_connect", command_error="", is_slow=True),
    Fault("timeout while reading", drop("silence"), "service_down", is_slow=True),
    Fault("connection reset", drop("reset"), "service_down"),
    Fault("connection closed", drop("close"), "service_down"),
    Fault("cut off", drop("cut"), "service_down"),
    Fault("endless body", drop("endless"), "malformed_answer"),
    Fault("50 MB body", drop("huge"), "malformed_answer"),
    Fault("HTML", respond(200, body=HTML), "malformed_answer"),
    # An empty response to a command is valid, as the client tests show.
    Fault("blank body", respond(200, body=" "), "malformed_answer"),
    Fault("response is null", respond(200, body={"response": None}), "malformed_answer"),
    Fault("response is a text", respond(200, body={"response": "text"}), "malformed_answer"),
    Fault("response is a number", respond(200, body={"response": 7}), "malformed_answer"),
    Fault("error with 200", respond(200, "internal"), "service_down", command_error="refused"),
    Fault("timeout with 200", respond(200, "upstream_timeout"), "service_down"),
    Fault("10,000 nested lists", respond(200, body=DEEP), "malformed_answer"),
    Fault("not UTF-8", respond(200, body=b"\xff\xfe\x00"), "malformed_answer"),
)
each_fault = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)


@pytest.fixture(autouse=True)
def _no_traceback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail if a log record has a traceback or contains the token."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    # Home Assistant logs a traceback of every failure at debug level.
    visible = [record for record in records if record.levelno > logging.DEBUG]
    assert not [record.getMessage() for record in visible if record.exc_info]
    assert not [record.getMessage() for record in records if TOKEN in record.getMessage()]


def message_start(key: str) -> str:
    """Return the beginning of an error message, up to its first placeholder."""
    message: str = ENGLISH["exceptions"][key]["message"]
    return message.partition("{")[0].rstrip(".")


def issues(home: Home) -> set[str]:
    """Return the translation keys of the integration's repair issues."""
    all_issues = ir.async_get(home.hass).issues.values()
    return {issue.translation_key or "" for issue in all_issues if issue.domain == DOMAIN}


def open_flows(home: Home) -> list[str]:
    """Return the sources of the open config flows."""
    return [
        flow["context"]["source"] for flow in home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    ]


def data_states(home: Home) -> dict[str, str]:
    """Return all states except those about polling and commands."""
    suffixes = ("polling_mode", "requests_today", "service_reachable", "last_car_data", "last_command")
    return {name: state for name, state in home.states().items() if not name.endswith(suffixes)}


async def pass_time(home: Home, fault: Fault, seconds: float, step: float = 5) -> None:
    """Let time pass, even while a request waits for its timeout."""
    await (home.endure if fault.is_slow else home.advance)(seconds, step)


async def enter_token(home: Home) -> None:
    """Complete the reauthentication with the old token, which is valid again."""
    (flow,) = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    result = await home.hass.config_entries.flow.async_configure(flow["flow_id"], {"access_token": TOKEN})
    assert result["reason"] == "reauth_successful"
    await home.hass.async_block_till_done()


# Reads


@each_fault
async def test_read(home: Home, fault: Fault) -> None:
    """Values stay after a failed read, expire if reads keep failing, and return with the next good one."""
    before = data_states(home)
    is_unauthorized = fault.error == "invalid_token"
    # An invalid token affects all requests.
    async with fault.inject(home.simulator, "" if is_unauthorized else READ):
        home.simulator.requests.clear()
        await pass_time(home, fault, 130)
        states = data_states(home)
        if is_unauthorized:
            assert set(states.values()) == {"unavailable"}
        else:
            in_service = {home.entity_id("binary_sensor", "in_service"): "on"} if fault.keeps_values else {}
            assert states == before | in_service
        assert issues(home) == ({fault.issue} if fault.issue else set())
        assert open_flows(home) == ([SOURCE_REAUTH] if is_unauthorized else [])
        home.car.enter()
        await pass_time(home, fault, 25 * 60, step=60)
        assert (home.shown(*BATTERY).state == "72") is fault.keeps_values
        assert open_flows(home) == ([SOURCE_REAUTH] if is_unauthorized else [])
    await pass_time(
        home, fault, 90 * 60 if fault.error in ("client_refused", "account_locked") else 25 * 60, step=60
    )
    if is_unauthorized:
        assert home.shown(*BATTERY).state == "unavailable"
        await home.while_it_takes(enter_token(home))
    assert home.shown(*BATTERY).state == "72"
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"
    assert issues(home) == set()


# Commands


@each_fault
async def test_non_idempotent_command(home: Home, fault: Fault) -> None:
    """The horn command is sent once, and its error says why the horn may not have sounded."""
    async with fault.inject(home.simulator, HORN):
        (error,) = await home.while_time_passes(home.call("button", "press", "honk_horn"))
        assert isinstance(error, HomeAssistantError)
        assert str(error).startswith(message_start(fault.command_error or fault.error))
        await pass_time(home, fault, 60)
    assert len(home.requests(HORN)) == (0 if fault.inject in (refuse_connections, ignore_connections) else 1)
    assert home.car.body.horn == 0


@each_fault
async def test_idempotent_command(home: Home, fault: Fault) -> None:
    """The lock command is retried only if a retry may help, and its error says what happened."""
    home.car.unlock()
    async with fault.inject(home.simulator, LOCK):
        (error,) = await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked"))
        assert isinstance(error, HomeAssistantError)
        assert str(error).startswith(message_start(fault.command_error or fault.error))
    is_unknown = (fault.command_error or fault.error) == "outcome_unknown"
    if fault.inject not in (refuse_connections, ignore_connections):
        has_no_retry = fault.id in ("503 with Retry-After", "540")
        assert len(home.requests(LOCK)) == (2 if is_unknown and not fault.is_slow and not has_no_retry else 1)
    assert not home.car.body.locked


# Setup


@each_fault
async def test_set_up(empty_home: Home, fault: Fault) -> None:
    """The setup of an account succeeds once the service works again, or once there is a new token."""
    home = empty_home
    await home.set_up()
    home.car.enter()
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    for subentry in home.entry.subentries:
        await remove_stores(home.hass, subentry)
    async with fault.inject(home.simulator, ""):
        await home.while_it_takes(home.hass.config_entries.async_setup(home.entry.entry_id))
        is_unauthorized = fault.error == "invalid_token"
        state = ConfigEntryState.SETUP_ERROR if is_unauthorized else ConfigEntryState.SETUP_RETRY
        assert str(home.entry.state) == str(state)
        assert open_flows(home) == ([SOURCE_REAUTH] if is_unauthorized else [])
        assert home.entry.reason is None or TOKEN not in home.entry.reason
        await pass_time(home, fault, 30)
    if is_unauthorized:
        await home.while_it_takes(enter_token(home))
    await pass_time(home, fault, 40 * 60 if fault.error == "rate_limited" else 15 * 60, step=60)
    assert str(home.entry.state) == str(ConfigEntryState.LOADED)
    assert home.shown(*BATTERY).state == "72"
    assert open_flows(home) == []


# Config flow


@each_fault
async def test_config_flow(empty_home: Home, fault: Fault) -> None:
    """The error shows at the form field that causes it, and the form can be submitted again."""
    home = empty_home
    form = await home.start_flow("account")
    account = {"base_url": home.simulator.url, "access_token": TOKEN}
    async with fault.inject(home.simulator, ""):
        form = await home.while_it_takes(home.submit(form, **account))
        if not fault.form_field:
            # A service without a vehicle list may still know the car by its ID.
            assert form["step_id"] == "vehicle"
            form = await home.while_it_takes(home.submit(form, id=str(home.car.id)))
            assert form["errors"] == {"id": "not_found"}
            account = {"id": str(home.car.id)}
        else:
            assert form["errors"] == {fault.form_field: fault.error}
            assert fault.error in ENGLISH["config"]["error"]
        assert TOKEN not in json.dumps(form, default=str)
    form = await home.while_it_takes(home.submit(form, **account))
    if form["type"] != "create_entry":
        assert form["step_id"] == "vehicles", form["errors"]
        form = await home.submit(form, vehicles=[str(home.car.id)])
    assert form["type"] == "create_entry"
    await home.idle()
    assert home.shown(*BATTERY).state == "72"
