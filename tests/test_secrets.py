"""No secret appears in logs, messages, issues, diagnostics or states of a session with debug logging."""

import asyncio
from collections.abc import Mapping
from itertools import cycle
import json
import logging
import re
from typing import Any, Final
from urllib.parse import quote, quote_plus, urlencode

from homeassistant.const import EVENT_LOGGING_CHANGED
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.diagnostics import (
    async_get_config_entry_diagnostics,
    async_get_device_diagnostics,
)

from .conftest import TOKEN, Home
from .issues import issues

WRONG_TOKEN: Final = "a-mistyped-secret-token"
NEW_TOKEN: Final = "a-newer-secret-token"
PASSWORD: Final = "pass & wörd?of=the owner"
PIN: Final = "7391"
PHONE: Final = "phone-of-the-owner"
EVENT: Final = "Dr. Müller's practice"
DESTINATION: Final = "Secret Street 1, Köln"
LATITUDE: Final = 37.394847
LONGITUDE: Final = -122.150389
# At debug level, Home Assistant's core logs the data of each action and each new state, including the
# position of the tracker. An integration cannot prevent this. docs/faq.md says so.
CORE: Final = "homeassistant.core"

type Action = tuple[str, Mapping[str, Any]]

WITH_SECRETS: Final[tuple[Action, ...]] = (
    ("remote_start_drive", {"password": PASSWORD}),
    ("set_valet_mode", {"on": True, "password": PIN}),
    ("speed_limit_activate", {"pin": PIN}),
    ("speed_limit_deactivate", {"pin": PIN}),
    ("speed_limit_clear_pin", {"pin": PIN}),
    ("upcoming_calendar_entries", {"calendar_data": {"calendars": [{"events": [{"name": EVENT}]}]}}),
)
OF_THE_ACCOUNT: Final[Action] = ("confirm_notifications", {"payload": {"device_token": PHONE}})


def _lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Return the logger, and the message with its traceback, of each line of the log."""
    # The storage mock of the test plugin logs what it stores.
    records = [record for record in caplog.records if not record.name.startswith("pytest_")]
    return [(record.name, f"{record.message}\n{record.exc_text}\n{record.stack_info}") for record in records]


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
        "event": _pattern(EVENT),
        "destination": _pattern(DESTINATION),
        "query": r"[?&](password|pin|on)=",
        "VIN": vin,
        "position": f"{LATITUDE}|{LONGITUDE}",
    }
    return {kind for kind, pattern in patterns.items() if re.search(pattern, text)}


async def _act(home: Home, action: Action) -> None:
    name, data = action
    await home.run_until_complete(home.act(name, **data))


async def _fail(home: Home, action: Action) -> list[str]:
    """Use an action that fails, and return its error message."""
    with pytest.raises(HomeAssistantError) as caught:
        await _act(home, action)
    error = caught.value
    return [str(error), repr(error), repr(error.__cause__), json.dumps(error.translation_placeholders)]


def _set_position(home: Home) -> None:
    for path, degrees in (("latitude", LATITUDE), ("longitude", LONGITUDE)):
        home.simulator.faults.corrupt(f"drive_state.{path}", degrees)
        home.simulator.faults.corrupt(f"drive_state.native_{path}", degrees)


def _echo(home: Home, data: Mapping[str, Any]) -> str:
    """Return an error text that repeats the token, the VIN and all data of an action."""
    values = [*data.values()]
    text = f"{TOKEN} cannot {values} for {home.car.vin}: http://host/x?{urlencode(data)}"
    return f"{text} {' '.join(map(str, values))}"


async def _use_failing_service(home: Home) -> list[str]:
    """Use actions while the service fails in many ways and echoes its input. Return the messages."""
    messages: list[str] = []
    faults, actions = home.simulator.faults, cycle(WITH_SECRETS)
    for status in (200, 400, 401, 403, 404, 408, 429, 500):
        action = next(actions)
        body: dict[str, Any] = {"response": None, "error": _echo(home, action[1])}
        faults.answer(status, body=body, only="/command/", times=9)
        messages += await _fail(home, action)
        faults.clear()
        # Let the pause that the service required pass.
        await home.advance(310, step=60)
        await home.restart()
    for action in WITH_SECRETS:
        body = {"response": {"result": False, "reason": _echo(home, action[1])}}
        faults.answer(200, body=body, only="/command/")
        messages += await _fail(home, action)
    for failure in ("reset", "close", "cut", "silence"):
        faults.fail(failure, only="/command/", times=3)
        messages += await _fail(home, next(actions))
        faults.clear()
    faults.answer(500, body={"error": PHONE}, only="/notification_confirmations", times=9)
    messages += await _fail(home, OF_THE_ACCOUNT)
    faults.clear()
    _set_position(home)
    body = {"response": None, "error": _echo(home, {})}
    faults.answer(451, body=body, only="/vehicle_data", times=2)
    await home.poll()
    await home.poll()
    assert issues(home)
    return messages + [
        json.dumps(issue.to_json() | {"placeholders": issue.translation_placeholders})
        for issue in issues(home)
    ]


async def test_whole_session_shows_no_secrets(empty_home: Home, caplog: pytest.LogCaptureFixture) -> None:
    home, vin = empty_home, empty_home.car.vin
    caplog.set_level(logging.DEBUG)
    # Home Assistant reads the level when it starts, and after this event.
    home.hass.bus.async_fire(EVENT_LOGGING_CHANGED)
    # In debug mode, asyncio logs each slow callback with its arguments.
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    loop.slow_callback_duration = 0
    messages: list[str] = []
    """All texts that are shown to the user."""

    body = {"error": f"no such token: {WRONG_TOKEN}", "response": None}
    home.simulator.faults.answer(401, body=body, only="/api/1/vehicles")
    form = await home.start_flow("account")
    for token in (WRONG_TOKEN, TOKEN):
        form = await home.submit(form, base_url=home.simulator.url, access_token=token)
        messages.append(json.dumps(form, default=str))
    form = await home.submit(form, vehicles=[str(home.car.id)])
    assert form["type"] == "create_entry"
    _set_position(home)
    for _ in range(3):
        await home.poll()
    await home.advance(65)

    home.simulator.switches.remote_password = "any"
    for action in WITH_SECRETS:
        await _act(home, action)
    await _act(home, OF_THE_ACCOUNT)
    messages += await _fail(home, ("speed_limit_activate", {"pin": f"{PASSWORD} {PIN}"}))
    # At debug level, core logs the data of actions and the position, but no token and no VIN.
    by_core = "\n".join(line for name, line in _lines(caplog) if name == CORE)
    assert _secrets_in(by_core, vin) == {"password", "PIN", "phone", "event", "position"}

    messages += await _use_failing_service(home)

    home.simulator.token = NEW_TOKEN
    await home.advance_while_pending(65)
    form = await home.enter_token(WRONG_TOKEN)
    messages.append(json.dumps(form, default=str))
    await home.submit(form, access_token=NEW_TOKEN)
    await home.idle()

    for _ in range(3):
        await home.poll()
    for report in (
        await async_get_config_entry_diagnostics(home.hass, home.entry),
        await async_get_device_diagnostics(home.hass, home.entry, home.device),
    ):
        messages.append(json.dumps(report, default=str))
    tracker = home.entity_id("device_tracker", "drive_state")
    for state in home.hass.states.async_all():
        allowed = {"position"} if state.entity_id == tracker else set()
        assert _secrets_in(json.dumps(state.as_dict(), default=str), vin) == allowed, state.entity_id
    await home.restart()
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    await home.idle()
    assert [text for text in messages if _secrets_in(text, vin)] == []
    lines = _lines(caplog)
    assert {name.partition(".")[0] for name, _ in lines} >= {"asyncio", "custom_components", "homeassistant"}
    assert [line for name, line in lines if name != CORE and _secrets_in(line, vin)] == []


@pytest.mark.parametrize("service", ["tessie"])
@pytest.mark.parametrize(
    "action",
    [
        ("navigation_request", {"destination": DESTINATION}),
        ("navigation_gps_request", {"location": {"latitude": LATITUDE, "longitude": LONGITUDE}}),
    ],
    ids=["address", "position"],
)
async def test_destination_is_not_shown(home: Home, caplog: pytest.LogCaptureFixture, action: Action) -> None:
    caplog.set_level(logging.DEBUG)
    body = {"response": {"result": False, "reason": _echo(home, action[1])}}
    home.simulator.faults.answer(200, body=body, only="/command/")
    messages = await _fail(home, action)
    assert [text for text in messages if _secrets_in(text, home.car.vin)] == []
    lines = [line for name, line in _lines(caplog) if name != CORE]
    assert [line for line in lines if _secrets_in(line, home.car.vin)] == []
