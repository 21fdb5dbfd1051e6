"""Passwords and PINs of actions in the database of the recorder, and how to exclude and delete them."""

from collections.abc import Iterable, Mapping
from contextlib import closing
import re
import sqlite3
from typing import Any, Final

from homeassistant.components.recorder.core import Recorder
from homeassistant.const import EVENT_CALL_SERVICE
import pytest
from pytest_homeassistant_custom_component.components.recorder.common import (
    async_wait_purge_done,
    async_wait_recording_done,
    do_adhoc_statistics,
)
from pytest_homeassistant_custom_component.typing import (
    RecorderInstanceContextManager,
    RecorderInstanceGenerator,
)

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home, examples_in

_, _, _, SETTINGS, PURGE, *_ = examples_in("actions.md")
"""The documented settings of the recorder, and the documented action."""
PASSWORD: Final = "the-password-of-the-owner"
PIN: Final = "7391"
WITH_SECRETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "remote_start_drive": {"password": PASSWORD},
    "set_valet_mode": {"on": True, "password": PIN},
}

EVENT_DATA: Final = ("event_data", "shared_data")
# Every test writes to these tables. Otherwise, the absence of secrets would prove nothing.
FILLED: Final = {"events", "event_data", "states", "state_attributes", "statistics_short_term"}
EVENT_TYPES: Final = """
    SELECT event_types.event_type, shared_data
    FROM events JOIN event_types USING (event_type_id) JOIN event_data USING (data_id)
"""


def secrets_in(texts: Iterable[tuple[Any, str]]) -> set[tuple[Any, str]]:
    """Return the secrets in these texts, each with the place of its text."""
    # A longer number can contain the digits of the PIN by chance.
    return {(place, secret) for place, text in texts for secret in re.findall(rf"{PASSWORD}|\b{PIN}\b", text)}


async def find_secrets(home: Home, recorder: Recorder) -> tuple[set[tuple[Any, str]], set[tuple[Any, str]]]:
    """Return the secrets in the database: with their table and column, and with the type of their event."""
    await home.idle()
    do_adhoc_statistics(home.hass)
    await async_wait_recording_done(home.hass)
    texts: list[tuple[tuple[str, str], str]] = []
    filled = set()
    with closing(sqlite3.connect(recorder.db_url.removeprefix("sqlite:///"))) as database:
        for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            cursor = database.execute(f'SELECT * FROM "{table}"')  # noqa: S608 no input
            for row in cursor:
                filled.add(table)
                for (column, *_), value in zip(cursor.description, row, strict=True):
                    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
                    texts.append(((table, column), text))
        events = database.execute(EVENT_TYPES).fetchall()
    assert filled >= FILLED
    return secrets_in(texts), secrets_in(events)


async def use_secrets(home: Home) -> None:
    """Use actions with a password and a PIN, directly and in an automation, with success and failure."""
    home.simulator.switches.remote_password = "any"
    for action, data in WITH_SECRETS.items():
        await home.act(action, **data)
    refusal = {"response": {"result": False, "reason": f"{PASSWORD} {PIN}"}}
    home.simulator.faults.answer(200, body=refusal, only="/command/", times=len(WITH_SECRETS))
    actions = [
        {
            "action": f"{DOMAIN}.{action}",
            "data": {"device_id": home.device.id, **data},
            "continue_on_error": True,
        }
        for action, data in WITH_SECRETS.items()
    ]
    await home.automate({"triggers": [{"trigger": "event", "event_type": "go"}], "actions": actions})
    home.hass.bus.async_fire("go")
    await home.advance(600, step=30)
    assert len(home.requests("/command/")) == 2 * len(WITH_SECRETS)


@pytest.fixture
def persistent_database() -> bool:
    """Keep the database in a file, so that a test can read all of it."""
    return True


@pytest.fixture
def mock_recorder_before_hass(async_test_recorder: RecorderInstanceContextManager) -> None:
    """Prepare the database before Home Assistant starts."""


async def test_only_service_calls_have_secrets_and_the_documented_action_deletes_them(
    empty_home: Home, async_setup_recorder_instance: RecorderInstanceGenerator
) -> None:
    home = empty_home
    recorder = await async_setup_recorder_instance(home.hass)
    await home.set_up()
    await use_secrets(home)
    assert await find_secrets(home, recorder) == (
        {(EVENT_DATA, PASSWORD), (EVENT_DATA, PIN)},
        {(EVENT_CALL_SERVICE, PASSWORD), (EVENT_CALL_SERVICE, PIN)},
    )
    # A restart with the documented settings has this effect.
    recorder.exclude_event_types = set(SETTINGS["recorder"]["exclude"]["event_types"])
    await home.hass.services.async_call("recorder", "purge", PURGE["data"], blocking=True)
    await async_wait_purge_done(home.hass)
    assert await find_secrets(home, recorder) == (set(), set())


async def test_database_with_the_documented_settings_has_no_secrets(
    empty_home: Home, async_setup_recorder_instance: RecorderInstanceGenerator
) -> None:
    home = empty_home
    recorder = await async_setup_recorder_instance(home.hass, SETTINGS["recorder"])
    await home.set_up()
    await use_secrets(home)
    assert await find_secrets(home, recorder) == (set(), set())
