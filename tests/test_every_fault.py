"""Every kind of failure of the service, for every kind of request.

`api/test_client.py` tests the kind of each response. The effects of a kind are transcribed by hand from the
observed behavior of services of this family.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
import json
import logging
import socket
from typing import Any, Final, Literal, NamedTuple

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.exceptions import HomeAssistantError
import pytest
from yarl import URL

from custom_components.vehicle_remote_access.account.storage import remove_stores
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.faults.faults import DroppedResponse, ResponseFault

from .conftest import BATTERY, READ, TOKEN, Home
from .issues import issue_keys
from .source import ENGLISH

type Failure = ResponseFault | DroppedResponse | Literal["refused", "ignored"]
"""What the service sends or drops, or what happens to connections."""

HORN: Final = "/command/honk_horn"
LOCK: Final = "/command/door_lock"
HTML: Final = "<!DOCTYPE html><html><body>Bad gateway</body></html>"

ABOUT_ACCESS: Final = {"mobile_access_disabled", "permission_denied", "signing_required", "account_locked"}
# Errors that a form shows at the token. It shows other errors at the address.
ABOUT_TOKEN: Final = {*ABOUT_ACCESS, "invalid_token"}
# Errors that a repair issue reports while the failure lasts
WITH_ISSUE: Final = {*ABOUT_ACCESS, "client_refused", "wrong_place", "redirected"}


class Fault(NamedTuple):
    id: str
    failure: Failure
    error: str
    """The translation key of the error of a read."""
    command_error: str = ""
    """The translation key of the error of a command, if it differs."""
    is_retried: bool = True
    """Whether a command whose outcome is unknown is retried if that does no harm."""

    @property
    def is_unauthorized(self) -> bool:
        return self.error == "invalid_token"

    @asynccontextmanager
    async def inject(self, simulator: Simulator, only: str) -> AsyncIterator[None]:
        """Make all requests with a text in their path fail until the context ends."""
        if not isinstance(self.failure, str):
            simulator.faults.inject(replace(self.failure, only=only), times=10_000)
            yield
            simulator.faults.clear()
            return
        port = URL(simulator.url).port or 0
        await simulator.stop()
        with _full_backlog(port) if self.failure == "ignored" else nullcontext():
            yield
        await simulator.start(port)


@contextmanager
def _full_backlog(port: int) -> Iterator[None]:
    """Listen on a port without accepting connections, so that attempts to connect are ignored."""
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


def respond(status: int, text: str | None = None, body: Any = None, headers: Any = None) -> ResponseFault:
    """Respond with a status, and with an error text or another body."""
    error = {"response": None, "error": text, "error_description": ""}
    return ResponseFault(status, body if text is None else error, headers or {})


DOWN: Final = ("service_down", "outcome_unknown")
MALFORMED: Final = ("malformed_answer", "outcome_unknown")
PAUSE: Final = {"Retry-After": "120"}
ELSEWHERE: Final = {"Location": "https://other.example/?a=b"}
FAULTS: Final = (
    Fault("400", respond(400, "invalid_request"), "invalid_request"),
    Fault("401", respond(401, "invalid_token"), "invalid_token"),
    Fault("401 mobile access off", respond(401, "mobile_access_disabled"), "mobile_access_disabled"),
    Fault("403 permission", respond(403, "Unauthorized missing scopes"), "permission_denied"),
    Fault("403 signing required", respond(403, "Vehicle Command Protocol required"), "signing_required"),
    Fault("404", respond(404, "not_found"), "not_found"),
    Fault("405 in service", respond(405, "vehicle is currently in service"), "in_service"),
    Fault("412", respond(412, "precondition failed"), "client_refused", "invalid_request"),
    Fault("421", respond(421, "wrong region"), "wrong_place"),
    Fault("423", respond(423, "account locked"), "account_locked"),
    Fault("429", respond(429, headers=PAUSE), "rate_limited"),
    Fault("502", respond(502, body=HTML), *DOWN),
    Fault("503 with pause", respond(503, body="", headers=PAUSE), *DOWN, is_retried=False),
    Fault("540", respond(540, "device unexpected response"), *DOWN, is_retried=False),
    Fault("302", respond(302, body="", headers=ELSEWHERE), "redirected"),
    Fault("no connection", "refused", "cannot_connect"),
    Fault("timeout while connecting", "ignored", "cannot_connect"),
    Fault("timeout while reading", DroppedResponse(how="silence"), *DOWN, is_retried=False),
    Fault("connection closed", DroppedResponse(how="close"), *DOWN),
    Fault("connection reset", DroppedResponse(how="reset"), *DOWN),
    Fault("cut off", DroppedResponse(how="cut"), *DOWN),
    Fault("invalid compression", respond(200, body=HTML, headers={"Content-Encoding": "gzip"}), *DOWN),
    Fault("HTML", respond(200, body=HTML), *MALFORMED),
    Fault("not UTF-8", respond(200, body=b"\xff\xfe\x00"), *MALFORMED),
    Fault("error with 200", respond(200, "internal"), "service_down", "refused"),
)
each_fault: Final = pytest.mark.parametrize("fault", FAULTS, ids=[fault.id for fault in FAULTS])


@pytest.fixture(autouse=True)
def _no_traceback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail if a log record has a traceback or contains the token."""
    yield
    for record in (*caplog.get_records("setup"), *caplog.get_records("call")):
        # Home Assistant logs a traceback of every failure at debug level.
        assert not record.exc_info or record.levelno == logging.DEBUG, record.getMessage()
        assert TOKEN not in record.getMessage()


def data_states(home: Home) -> dict[str, str]:
    """Return all states except those about polling and commands, and those that last."""
    suffixes = ("polling_mode", "requests_today", "service_connection", "last_updated", "last_command")
    states = {name: state for name, state in home.states().items() if not name.endswith(suffixes)}
    return {name: states[name] for name in states.keys() - home.lasting_entities()}


@each_fault
async def test_read(home: Home, fault: Fault) -> None:
    """Values stay after a failed read, expire if reads keep failing, and return with the next good one."""
    before, keeps_values = data_states(home), fault.error == "in_service"
    flows = [SOURCE_REAUTH] if fault.is_unauthorized else []
    # An invalid token affects all requests.
    async with fault.inject(home.simulator, "" if fault.is_unauthorized else READ):
        home.simulator.requests.clear()
        await home.advance_while_pending(130)
        if fault.is_unauthorized:
            assert set(data_states(home).values()) == {"unavailable"}
        else:
            in_service = {home.entity_id("binary_sensor", "in_service"): "on"} if keeps_values else {}
            assert data_states(home) == before | in_service
        assert issue_keys(home) == [*WITH_ISSUE & {fault.error}]
        assert home.open_flows() == flows
        home.car.enter()
        await home.advance_while_pending(25 * 60, step=100)
        assert (home.shown(*BATTERY).state == "72") is keeps_values
        assert home.open_flows() == flows
    recovery = 90 * 60 if fault.error in ("client_refused", "account_locked") else 25 * 60
    await home.advance_while_pending(recovery, step=100)
    if fault.is_unauthorized:
        assert home.shown(*BATTERY).state == "unavailable"
        await home.run_until_complete(home.enter_token(TOKEN))
    assert home.shown(*BATTERY).state == "72"
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"
    assert issue_keys(home) == []


@each_fault
@pytest.mark.parametrize("path", [HORN, LOCK], ids=["horn", "lock"])
async def test_command(home: Home, fault: Fault, path: str) -> None:
    """The lock command is retried if that may help, the horn only after a 401. The error says why."""
    home.car.unlock()
    is_lost = fault.command_error == "outcome_unknown" and fault.is_retried
    is_retried = fault.is_unauthorized or (path == LOCK and is_lost)
    call = ("button", "press", "honk_horn") if path == HORN else ("lock", "lock", "vehicle_state.locked")
    async with fault.inject(home.simulator, path):
        (error,) = await home.gather(home.call(*call))
        assert isinstance(error, HomeAssistantError)
        message = ENGLISH["exceptions"][fault.command_error or fault.error]["message"]
        # Up to the first placeholder
        assert str(error).startswith(message.partition("{")[0].rstrip("."))
        await home.advance_while_pending(30, step=10)
    is_sent = not isinstance(fault.failure, str)
    assert len(home.requests(path)) == (is_sent and (2 if is_retried else 1))
    assert home.car.body.horn == 0
    assert not home.car.body.locked


@each_fault
async def test_set_up(empty_home: Home, fault: Fault) -> None:
    """The setup of an account succeeds once the service works again, or once there is a new token."""
    home = empty_home
    await home.set_up()
    home.car.enter()
    await home.unload()
    await remove_stores(home.hass, *home.entry.subentries)
    async with fault.inject(home.simulator, ""):
        await home.run_until_complete(home.hass.config_entries.async_setup(home.entry.entry_id))
        state = ConfigEntryState.SETUP_ERROR if fault.is_unauthorized else ConfigEntryState.SETUP_RETRY
        assert str(home.entry.state) == str(state)
        assert home.open_flows() == ([SOURCE_REAUTH] if fault.is_unauthorized else [])
        assert home.entry.reason is None or TOKEN not in home.entry.reason
        await home.advance_while_pending(30)
    if fault.is_unauthorized:
        await home.run_until_complete(home.enter_token(TOKEN))
    await home.advance_while_pending(40 * 60 if fault.error == "rate_limited" else 15 * 60, step=300)
    assert str(home.entry.state) == str(ConfigEntryState.LOADED)
    assert home.shown(*BATTERY).state == "72"
    assert home.open_flows() == []


@each_fault
async def test_config_flow(empty_home: Home, fault: Fault) -> None:
    """The error shows at the form field that causes it, and the form can be submitted again."""
    home = empty_home
    form = await home.start_flow("account")
    account = {"base_url": home.simulator.url, "access_token": TOKEN}
    async with fault.inject(home.simulator, ""):
        form = await home.run_until_complete(home.submit(form, **account))
        if fault.error == "not_found":
            # A service without a vehicle list may still know the car by its ID.
            assert form["step_id"] == "vehicle"
            form = await home.run_until_complete(home.submit(form, id=str(home.car.id)))
            assert form["errors"] == {"id": "not_found"}
            account = {"id": str(home.car.id)}
        else:
            field = "access_token" if fault.error in ABOUT_TOKEN else "base_url"
            assert form["errors"] == {field: fault.error}
            assert fault.error in ENGLISH["config"]["error"]
        assert TOKEN not in json.dumps(form, default=str)
    form = await home.run_until_complete(home.submit(form, **account))
    if form["type"] != "create_entry":
        assert form["step_id"] == "vehicles", form["errors"]
        form = await home.submit(form, vehicles=[str(home.car.id)])
    assert form["type"] == "create_entry"
    await home.idle()
    assert home.shown(*BATTERY).state == "72"
