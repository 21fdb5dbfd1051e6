"""No secret appears in logs, messages, issues, diagnostics or states of a session with debug logging."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from itertools import cycle
import json
import logging
import re
from typing import Any, Final, override
from urllib.parse import quote, quote_plus, urlencode

from homeassistant.const import EVENT_LOGGING_CHANGED
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import (
    async_get_config_entry_diagnostics,
    async_get_device_diagnostics,
)

from .conftest import TOKEN, Home

WRONG_TOKEN: Final = "a-mistyped-secret-token"
NEW_TOKEN: Final = "a-newer-secret-token"
PASSWORD: Final = "pass & wörd?of=the owner"
PIN: Final = "7391"
PHONE: Final = "phone-of-the-owner"
LATITUDE: Final = 37.394847
LONGITUDE: Final = -122.150389
# At debug level, Home Assistant's core logs the data of each action and each new state, including the
# position of the tracker. An integration cannot prevent this. The README says so.
CORE: Final = "homeassistant.core"

type Action = tuple[str, Mapping[str, Any]]

WITH_SECRETS: Final[tuple[Action, ...]] = (
    ("remote_start_drive", {"password": PASSWORD}),
    ("set_valet_mode", {"on": True, "password": PIN}),
    ("speed_limit_activate", {"pin": PIN}),
    ("speed_limit_deactivate", {"pin": PIN}),
    ("speed_limit_clear_pin", {"pin": PIN}),
)
INVALID: Final[Action] = ("speed_limit_activate", {"pin": f"{PASSWORD} {PIN}"})


class LogCapture(logging.Handler):
    """Collects the lines of all loggers, formatted as in a log file, with tracebacks."""

    def __init__(self) -> None:
        """Start without lines."""
        super().__init__(logging.DEBUG)
        self.lines: list[tuple[str, str]] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        # The storage mock of the test plugin logs what it stores.
        if not record.name.startswith("pytest_"):
            self.lines.append((record.name, logging.Formatter().format(record)))


@pytest.fixture
async def log_capture(hass: HomeAssistant) -> AsyncIterator[LogCapture]:
    """Capture the lines of all loggers at debug level."""
    capture, root = LogCapture(), logging.getLogger()
    level = root.level
    root.addHandler(capture)
    root.setLevel(logging.DEBUG)
    # Home Assistant reads the level when it starts, and after this event.
    hass.bus.async_fire(EVENT_LOGGING_CHANGED)
    yield capture
    root.setLevel(level)
    root.removeHandler(capture)


def _pattern(secret: str) -> str:
    """Return a pattern for a secret, in plain text and in the encodings of URLs and JSON."""
    encodings = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
    return "|".join(map(re.escape, encodings))


def _secrets_in(text: str, vin: str) -> set[str]:
    """Return the kinds of secrets and personal data in a text."""
    patterns = {
        "token": "|".join(map(_pattern, (TOKEN, WRONG_TOKEN, NEW_TOKEN))),
        "password": _pattern(PASSWORD),
        # A port or a memory address can contain the digits of the PIN by chance.
        "PIN": rf"\b{PIN}\b",
        "phone": PHONE,
        "query": r"[?&](password|pin|on)=",
        "VIN": vin,
        "position": f"{LATITUDE}|{LONGITUDE}",
    }
    return {kind for kind, pattern in patterns.items() if re.search(pattern, text)}


class Session:
    """Uses the integration as its owner would, with a working and a failing service."""

    def __init__(self, home: Home) -> None:
        """Start before the account is set up."""
        self.home = home
        self.messages: list[str] = []
        """All texts that were shown to the user."""

    async def act(self, action: Action) -> None:
        """Use an action."""
        name, data = action
        await self.home.while_it_takes(self.home.act(name, **data))

    async def fail(self, action: Action) -> None:
        """Use an action that fails, and collect its error message."""
        with pytest.raises(HomeAssistantError) as caught:
            await self.act(action)
        error = caught.value
        self.messages += (str(error), repr(error), repr(error.__cause__))
        self.messages.append(json.dumps(error.translation_placeholders))

    async def confirm_notifications(self) -> None:
        """Use an action of the account with personal data."""
        data = {"config_entry_id": self.home.entry.entry_id, "payload": {"device_token": PHONE}}
        await self.home.hass.services.async_call(DOMAIN, "confirm_notifications", data, blocking=True)

    async def set_up(self) -> None:
        """Set up the account, first with a mistyped token."""
        home = self.home
        home.simulator.faults.answer(
            401, body={"error": f"no such token: {WRONG_TOKEN}", "response": None}, only="/api/1/vehicles"
        )
        form = await home.start_flow("account")
        form = await home.submit(form, base_url=home.simulator.url, access_token=WRONG_TOKEN)
        self.messages.append(json.dumps(form, default=str))
        form = await home.submit(form, base_url=home.simulator.url, access_token=TOKEN)
        form = await home.submit(form, vehicles=[str(home.car.id)])
        assert form["type"] == "create_entry"
        self._set_position()
        await home.advance(65)

    def _set_position(self) -> None:
        for path, degrees in (("latitude", LATITUDE), ("longitude", LONGITUDE)):
            self.home.simulator.faults.corrupt(f"drive_state.{path}", degrees)
            self.home.simulator.faults.corrupt(f"drive_state.native_{path}", degrees)

    async def use_actions(self) -> None:
        """Use each action with a secret."""
        self.home.simulator.switches.remote_password = "any"
        for action in WITH_SECRETS:
            await self.act(action)
        await self.confirm_notifications()
        await self.fail(INVALID)

    async def use_actions_with_failing_service(self) -> None:
        """Use the same actions while the service fails in many ways and echoes its input."""
        home = self.home
        actions = cycle(WITH_SECRETS)
        for status in (200, 400, 401, 403, 404, 408, 429, 500):
            echo = self._echo(action := next(actions))
            body: dict[str, Any] = {"response": None, "error": echo}
            home.simulator.faults.answer(status, body=body, only="/command/", times=9)
            await self.fail(action)
            home.simulator.faults.clear()
            # Let the pause that the service required pass.
            await home.advance(310, step=60)
            await home.restart()
        for action in WITH_SECRETS:
            body = {"response": {"result": False, "reason": self._echo(action)}}
            home.simulator.faults.answer(200, body=body, only="/command/")
            await self.fail(action)
        for failure in ("reset", "close", "cut", "silence"):
            home.simulator.faults.fail(failure, only="/command/", times=3)
            await self.fail(next(actions))
            home.simulator.faults.clear()
        home.simulator.faults.answer(500, body={"error": PHONE}, only="/notification_confirmations", times=9)
        with pytest.raises(HomeAssistantError):
            await home.while_it_takes(self.confirm_notifications())
        home.simulator.faults.clear()
        self._set_position()
        body = {"response": None, "error": self._echo(("", {}))}
        home.simulator.faults.answer(451, body=body, only="/vehicle_data", times=2)
        await home.poll()
        await home.poll()
        issues = [issue for issue in ir.async_get(home.hass).issues.values() if issue.domain == DOMAIN]
        assert issues
        self.messages += (
            json.dumps(issue.to_json() | {"placeholders": issue.translation_placeholders}) for issue in issues
        )

    def _echo(self, action: Action) -> str:
        """Return an error text that repeats the token, the VIN and all data of an action."""
        _, data = action
        text = f"{TOKEN} cannot {[*data.values()]} for {self.home.car.vin}: http://host/x?{urlencode(data)}"
        return f"{text} {' '.join(map(str, data.values()))}"

    async def enter_new_token(self) -> None:
        """Replace the token on the service, and enter the new one in the reauthentication dialog."""
        home, flows = self.home, self.home.hass.config_entries.flow
        home.simulator.token = NEW_TOKEN
        await home.advance(65)
        (flow,) = flows.async_progress_by_handler(DOMAIN)
        form = await flows.async_configure(flow["flow_id"], {"access_token": WRONG_TOKEN})
        self.messages.append(json.dumps(form, default=str))
        await flows.async_configure(flow["flow_id"], {"access_token": NEW_TOKEN})
        await home.idle()

    async def download_diagnostics(self) -> None:
        """Download the diagnostics of the account and the car."""
        home = self.home
        await home.poll()
        reports = [
            await async_get_config_entry_diagnostics(home.hass, home.entry),
            await async_get_device_diagnostics(home.hass, home.entry, home.device),
        ]
        self.messages += (json.dumps(report, default=str) for report in reports)


async def test_whole_session(empty_home: Home, log_capture: LogCapture) -> None:
    """Logs, error messages, diagnostics, issues and attributes contain no secrets."""
    home = empty_home
    vin = home.car.vin
    # In debug mode, asyncio logs each slow callback with its arguments.
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    loop.slow_callback_duration = 0
    session = Session(home)
    await session.set_up()
    await session.use_actions()
    # At debug level, core logs the data of actions and the position, but no token and no VIN.
    by_core = "\n".join(line for name, line in log_capture.lines if name == CORE)
    assert _secrets_in(by_core, vin) == {"password", "PIN", "phone", "position"}
    await session.use_actions_with_failing_service()
    await session.enter_new_token()
    await session.download_diagnostics()
    tracker = home.entity_id("device_tracker", "drive_state")
    for state in home.hass.states.async_all():
        allowed = {"position"} if state.entity_id == tracker else set()
        assert _secrets_in(json.dumps(state.as_dict(), default=str), vin) == allowed, state.entity_id
    await home.restart()
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    await home.idle()
    assert [text for text in session.messages if _secrets_in(text, vin)] == []
    assert {name.partition(".")[0] for name, _ in log_capture.lines} >= {
        "asyncio",
        "custom_components",
        "homeassistant",
    }
    assert [line for name, line in log_capture.lines if name != CORE and _secrets_in(line, vin)] == []
