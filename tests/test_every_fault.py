"""Every way in which a service can fail, wherever it is asked: nothing is lost, and a person is told.

What each failure means stands in the table, written by hand from what services of this family have been seen
to do; it is not made from the client's own table.
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

import custom_components.vehicle_remote_access as integration
from custom_components.vehicle_remote_access.account.storage import forget
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator

from .conftest import TOKEN, Home
from .test_config_flow import words_of

type Happening = Callable[[Simulator, str], AbstractAsyncContextManager[None]]
"""Lets it happen to all requests with a text in their path, until it is left."""

ALL: Final = 10_000
READ: Final = "/vehicle_data"
HORN: Final = "/command/honk_horn"
LOCK: Final = "/command/door_lock"
BATTERY: Final = ("sensor", "charge_state.battery_level")
HTML: Final = "<!DOCTYPE html><html><body>Bad gateway</body></html>"
OURS: Final = words_of(integration)


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure, and what is made of it."""

    id: str
    happens: Happening
    means: str
    """The sentence that a person reads who asked for it."""
    at: str = "base_url"
    """The field of the dialog that is to be mended."""
    horn: str = "outcome_unknown"
    """The sentence after a command that cannot be taken back; empty: the same as for a read."""
    repair: str = ""
    """The repair that is shown as long as it lasts."""
    is_contact: bool = False
    """Whether it tells how the car is, so that values stay for ever."""
    is_slow: bool = False
    """Whether somebody waits for it, so that time has to pass."""


# How it happens


def answered(
    status: int, error: str | None = None, body: Any = None, headers: dict[str, str] | None = None
) -> Happening:
    """Answer with a status, and the service's words or another body."""
    if error is not None:
        body = {"response": None, "error": error, "error_description": ""}

    @asynccontextmanager
    async def happens(simulator: Simulator, only: str) -> AsyncIterator[None]:
        simulator.faults.answer(status, body=body, headers=headers, only=only, times=ALL)
        yield
        simulator.faults.clear()

    return happens


def lost(how: Any) -> Happening:
    """Lose the answer."""

    @asynccontextmanager
    async def happens(simulator: Simulator, only: str) -> AsyncIterator[None]:
        simulator.faults.fail(how, only=only, times=ALL)
        yield
        simulator.faults.clear()

    return happens


@asynccontextmanager
async def gone(simulator: Simulator, _only: str) -> AsyncIterator[None]:
    """Let nobody listen at the service's address."""
    port = URL(simulator.url).port or 0
    await simulator.stop()
    yield
    await simulator.start(port)


@asynccontextmanager
async def unreachable(simulator: Simulator, _only: str) -> AsyncIterator[None]:
    """Let nobody answer at the service's address who wants to connect: its waiting room is full."""
    port = URL(simulator.url).port or 0
    await simulator.stop()
    with socket.socket() as room:
        room.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        room.bind(("127.0.0.1", port))
        room.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        yield
        for each in waiting:
            each.close()
    await simulator.start(port)


DEEP: Final = '{"response": ' + "[" * 10_000 + "]" * 10_000 + "}"

FAULTS: Final = (
    Fault("400", answered(400, "invalid_request"), "invalid_request", horn=""),
    Fault("401", answered(401, "invalid_token"), "invalid_token", at="access_token", horn=""),
    Fault(
        "401 mobile access off",
        answered(401, "mobile_access_disabled"),
        "mobile_access_disabled",
        at="access_token",
        horn="",
        repair="mobile_access_disabled",
    ),
    Fault(
        "402",
        answered(402, "payment required"),
        "permission_denied",
        at="access_token",
        horn="",
        repair="permission_denied",
    ),
    Fault(
        "403 permission",
        answered(403, "Unauthorized missing scopes"),
        "permission_denied",
        at="access_token",
        horn="",
        repair="permission_denied",
    ),
    Fault("403 quota", answered(403, "account disabled: EXCEEDED_LIMIT"), "rate_limited", horn=""),
    Fault(
        "403 unsigned",
        answered(403, "Tesla Vehicle Command Protocol required"),
        "signing_required",
        at="access_token",
        horn="",
        repair="signing_required",
    ),
    Fault("404", answered(404, "not_found"), "not_found", at="", horn=""),
    Fault("404 of a web server", answered(404, body=HTML), "malformed_answer"),
    Fault(
        "405 in service",
        answered(405, "vehicle is currently in service"),
        "in_service",
        horn="",
        is_contact=True,
    ),
    Fault(
        "405 mobile access off",
        answered(405, "mobile_access_disabled"),
        "mobile_access_disabled",
        at="access_token",
        horn="",
        repair="mobile_access_disabled",
    ),
    Fault("406", answered(406, "not_acceptable"), "invalid_request", horn=""),
    Fault("408 slow", answered(408, "timeout"), "service_down"),
    Fault(
        "412",
        answered(412, "precondition failed"),
        "client_refused",
        horn="invalid_request",
        repair="client_refused",
    ),
    Fault("421", answered(421, "wrong region"), "wrong_place", horn="", repair="wrong_place"),
    Fault(
        "423",
        answered(423, "account locked"),
        "account_locked",
        at="access_token",
        horn="",
        repair="account_locked",
    ),
    Fault("429 seconds", answered(429, headers={"Retry-After": "120"}), "rate_limited", horn=""),
    Fault(
        "429 date",
        answered(429, headers={"Retry-After": "Mon, 04 May 2026 19:10:00 GMT"}),
        "rate_limited",
        horn="",
    ),
    Fault("429 words", answered(429, "too many requests. Retry in 90 seconds"), "rate_limited", horn=""),
    Fault("451", answered(451, "not for this region"), "wrong_place", horn="", repair="wrong_place"),
    Fault("499", answered(499, "client closed request"), "service_down"),
    Fault("500", answered(500, "upstream internal error"), "service_down"),
    Fault("502", answered(502, body=HTML), "service_down"),
    Fault("503", answered(503, body=""), "service_down"),
    Fault("503 with a time", answered(503, body="", headers={"Retry-After": "120"}), "service_down"),
    Fault("504", answered(504, "upstream_timeout"), "service_down"),
    Fault("540", answered(540, "device unexpected response"), "service_down"),
    Fault(
        "302",
        answered(302, body="", headers={"Location": "https://other.example/?a=b"}),
        "redirected",
        horn="",
        repair="redirected",
    ),
    Fault("no connection", gone, "cannot_connect", horn=""),
    Fault("time-out while connecting", unreachable, "cannot_connect", horn="", is_slow=True),
    Fault("time-out while reading", lost("silence"), "service_down", is_slow=True),
    Fault("reset", lost("reset"), "service_down"),
    Fault("closed", lost("close"), "service_down"),
    Fault("broken off", lost("cut"), "service_down"),
    Fault("endless", lost("endless"), "malformed_answer"),
    Fault("50 MB", lost("huge"), "malformed_answer"),
    Fault("HTML", answered(200, body=HTML), "malformed_answer"),
    # An empty answer to a command is a good one, which the tests of the client show.
    Fault("a blank", answered(200, body=" "), "malformed_answer"),
    Fault("response null", answered(200, body={"response": None}), "malformed_answer"),
    Fault("response a text", answered(200, body={"response": "text"}), "malformed_answer"),
    Fault("response a number", answered(200, body={"response": 7}), "malformed_answer"),
    Fault("error with 200", answered(200, "internal"), "service_down", horn="refused"),
    Fault("time-out with 200", answered(200, "upstream_timeout"), "service_down"),
    Fault("10,000 deep", answered(200, body=DEEP), "malformed_answer"),
    Fault("no text", answered(200, body=b"\xff\xfe\x00"), "malformed_answer"),
)
each_fault = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)


@pytest.fixture(autouse=True)
def _no_traceback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail where anything was logged with a traceback, or said the token."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    # Below that, Home Assistant says of every failure where it came from.
    told = [record for record in records if record.levelno > logging.DEBUG]
    assert not [record.getMessage() for record in told if record.exc_info]
    assert not [record.getMessage() for record in records if TOKEN in record.getMessage()]


def sentence(key: str) -> str:
    """Return the beginning of a sentence, up to what is filled in."""
    said: str = OURS["exceptions"][key]["message"]
    return said.partition("{")[0].rstrip(".")


def repairs(home: Home) -> set[str]:
    """Return which repairs of ours are shown."""
    issues = ir.async_get(home.hass).issues.values()
    return {issue.translation_key or "" for issue in issues if issue.domain == DOMAIN}


def dialogs(home: Home) -> list[str]:
    """Return what opened the dialogs that wait for somebody."""
    return [
        flow["context"]["source"] for flow in home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    ]


def without_mode(home: Home) -> dict[str, str]:
    """Return every state but those that say how the service is asked."""
    ours = ("polling_mode", "requests_today", "service_reachable", "last_car_data", "last_command")
    return {name: state for name, state in home.states().items() if not name.endswith(ours)}


async def passes(home: Home, fault: Fault, seconds: float, step: float = 5) -> None:
    """Let time pass, also where somebody waits all the time."""
    await (home.endure if fault.is_slow else home.advance)(seconds, step)


async def enter_token(home: Home) -> None:
    """Do what the dialog for a new token asks for: here it is the old one, which is accepted again."""
    (flow,) = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    form = await home.hass.config_entries.flow.async_configure(flow["flow_id"], {"access_token": TOKEN})
    assert form["reason"] == "reauth_successful"
    await home.hass.async_block_till_done()


# Reads


@each_fault
async def test_read(home: Home, fault: Fault) -> None:
    """Values stay through a failed read; if it goes on they are unavailable until the first good one."""
    before = without_mode(home)
    is_refused = fault.means == "invalid_token"
    # A token that is refused is refused everywhere.
    async with fault.happens(home.simulator, "" if is_refused else READ):
        home.simulator.requests.clear()
        await passes(home, fault, 130)
        shown = without_mode(home)
        if is_refused:
            assert set(shown.values()) == {"unavailable"}
        else:
            in_service = {home.entity_id("binary_sensor", "in_service"): "on"} if fault.is_contact else {}
            assert shown == before | in_service
        assert repairs(home) == ({fault.repair} if fault.repair else set())
        assert dialogs(home) == ([SOURCE_REAUTH] if is_refused else [])
        home.car.enter()
        await passes(home, fault, 25 * 60, step=60)
        stays = fault.is_contact
        assert (home.shown(*BATTERY).state == "72") is stays
        assert dialogs(home) == ([SOURCE_REAUTH] if is_refused else [])
    await passes(
        home, fault, 90 * 60 if fault.means in ("client_refused", "account_locked") else 25 * 60, step=60
    )
    if is_refused:
        assert home.shown(*BATTERY).state == "unavailable"
        await home.while_it_takes(enter_token(home))
    assert home.shown(*BATTERY).state == "72"
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"
    assert repairs(home) == set()


# Commands


@each_fault
async def test_command_that_cannot_be_taken_back(home: Home, fault: Fault) -> None:
    """The horn is sent once, and who pressed it is told why it may not have sounded."""
    async with fault.happens(home.simulator, HORN):
        (ended,) = await home.while_time_passes(home.call("button", "press", "honk_horn"))
        assert isinstance(ended, HomeAssistantError)
        assert str(ended).startswith(sentence(fault.horn or fault.means))
        await passes(home, fault, 60)
    assert len(home.requests(HORN)) == (0 if fault.happens in (gone, unreachable) else 1)
    assert home.car.body.horn == 0


@each_fault
async def test_command_that_can_be_repeated(home: Home, fault: Fault) -> None:
    """The lock is sent a second time only where that may help, and the person is told if it did not."""
    home.car.unlock()
    async with fault.happens(home.simulator, LOCK):
        (ended,) = await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked"))
        assert isinstance(ended, HomeAssistantError)
        assert str(ended).startswith(sentence(fault.horn or fault.means))
    is_unknown = (fault.horn or fault.means) == "outcome_unknown"
    if fault.happens not in (gone, unreachable):
        second_is_held_back = fault.id in ("503 with a time", "540")
        assert len(home.requests(LOCK)) == (
            2 if is_unknown and not fault.is_slow and not second_is_held_back else 1
        )
    assert not home.car.body.locked


# Set-up


@each_fault
async def test_set_up(empty_home: Home, fault: Fault) -> None:
    """An account whose service fails is set up as soon as it does not, or once there is a new token."""
    home = empty_home
    await home.set_up()
    home.car.enter()
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    for subentry in home.entry.subentries:
        await forget(home.hass, subentry)
    async with fault.happens(home.simulator, ""):
        await home.while_it_takes(home.hass.config_entries.async_setup(home.entry.entry_id))
        is_refused = fault.means == "invalid_token"
        state = ConfigEntryState.SETUP_ERROR if is_refused else ConfigEntryState.SETUP_RETRY
        assert str(home.entry.state) == str(state)
        assert dialogs(home) == ([SOURCE_REAUTH] if is_refused else [])
        assert home.entry.reason is None or TOKEN not in home.entry.reason
        await passes(home, fault, 30)
    if is_refused:
        await home.while_it_takes(enter_token(home))
    await passes(home, fault, 40 * 60 if fault.means == "rate_limited" else 15 * 60, step=60)
    assert str(home.entry.state) == str(ConfigEntryState.LOADED)
    assert home.shown(*BATTERY).state == "72"
    assert dialogs(home) == []


# The dialog


@each_fault
async def test_config_flow(empty_home: Home, fault: Fault) -> None:
    """Why an account cannot be added stands at what is to be mended, and it can be tried again."""
    home = empty_home
    form = await home.start_flow("account")
    account = {"base_url": home.simulator.url, "access_token": TOKEN}
    async with fault.happens(home.simulator, ""):
        form = await home.while_it_takes(home.submit(form, **account))
        if not fault.at:
            # A service that lists nothing may know the car by its id.
            assert form["step_id"] == "vehicle"
            form = await home.while_it_takes(home.submit(form, id=str(home.car.id)))
            assert form["errors"] == {"id": "not_found"}
            account = {"id": str(home.car.id)}
        else:
            assert form["errors"] == {fault.at: fault.means}
            assert fault.means in OURS["config"]["error"]
        assert TOKEN not in json.dumps(form, default=str)
    form = await home.while_it_takes(home.submit(form, **account))
    if form["type"] != "create_entry":
        assert form["step_id"] == "vehicles", form["errors"]
        form = await home.submit(form, vehicles=[str(home.car.id)])
    assert form["type"] == "create_entry"
    await home.idle()
    assert home.shown(*BATTERY).state == "72"
