"""Nobody sees what nobody may see: a whole session with every logger at its loudest, looked through after."""

import asyncio
from collections.abc import Awaitable, Iterator, Mapping
import json
import logging
import re
from typing import Any, Final, override
from urllib.parse import quote, quote_plus, urlencode

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import (
    async_get_config_entry_diagnostics,
    async_get_device_diagnostics,
)

from .conftest import TOKEN, Home

WRONG_TOKEN: Final = "a-mistyped-token-that-nobody-may-see"
NEW_TOKEN: Final = "a-newer-token-that-nobody-may-see"
PASSWORD: Final = "pass & wörd?of=the owner"
PIN: Final = "7391"
LATITUDE: Final = 37.394847
LONGITUDE: Final = -122.150389
# Home Assistant's core writes to its own log, at debug level, with what data an action was used, and every
# new state, the tracker's place among them. No integration can keep it from that; the README says so.
CORE: Final = "homeassistant.core"


class Ear(logging.Handler):
    """Hears every line of every logger, formatted as in a log, with its traceback."""

    def __init__(self) -> None:
        """Begin with nothing heard."""
        super().__init__(logging.DEBUG)
        self.lines: list[tuple[str, str]] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        # What stands in for a disk here writes to the log instead.
        if not record.name.startswith("pytest_"):
            self.lines.append((record.name, logging.Formatter().format(record)))


@pytest.fixture
def ear() -> Iterator[Ear]:
    """An ear at the root of all loggers."""
    heard, root = Ear(), logging.getLogger()
    level = root.level
    root.addHandler(heard)
    root.setLevel(logging.DEBUG)
    yield heard
    root.setLevel(level)
    root.removeHandler(heard)


def spelt(secret: str) -> str:
    """Return a pattern for a secret, as it is and as an address and JSON spell it."""
    spellings = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
    return "|".join(map(re.escape, spellings))


class Secrets:
    """What nobody may see, by what it is."""

    def __init__(self, home: Home) -> None:
        """Know the owner's secrets, and who and where the car is."""
        self._patterns = {
            "token": "|".join(map(spelt, (TOKEN, WRONG_TOKEN, NEW_TOKEN))),
            "password": spelt(PASSWORD),
            # The same digits in the midst of a port or of an address in memory are not it.
            "PIN": rf"\b{PIN}\b",
            "query": r"[?&](password|pin|on)=",
            "VIN": home.car.vin,
            "place": f"{LATITUDE}|{LONGITUDE}",
        }

    def in_text(self, text: str) -> set[str]:
        """Return what a text gives away."""
        return {what for what, pattern in self._patterns.items() if re.search(pattern, text)}


class Session:
    """What an owner and an unlucky service do to each other."""

    def __init__(self, home: Home) -> None:
        """Begin before anything is set up."""
        self.home = home
        self.told: list[str] = []
        """All that a person was told on the way."""

    async def tries(self, doing: Awaitable[None]) -> None:
        """Do something, and keep what is told if it fails."""
        for error in await self.home.while_time_passes(doing):
            if error is not None:
                assert isinstance(error, HomeAssistantError)
                self.told += (str(error), repr(error), json.dumps(error.translation_placeholders))

    async def is_set_up(self) -> None:
        """Mistype the token at first."""
        home = self.home
        home.simulator.faults.answer(
            401, body={"error": f"no such token: {WRONG_TOKEN}", "response": None}, only="/api/1/vehicles"
        )
        form = await home.start_flow("account")
        form = await home.submit(form, base_url=home.simulator.url, access_token=WRONG_TOKEN)
        self.told.append(json.dumps(form, default=str))
        form = await home.submit(form, base_url=home.simulator.url, access_token=TOKEN)
        form = await home.submit(form, vehicles=[str(home.car.id)])
        assert form["type"] == "create_entry"
        self._is_somewhere()
        await home.advance(65)

    def _is_somewhere(self) -> None:
        for path, degrees in (("latitude", LATITUDE), ("longitude", LONGITUDE)):
            self.home.simulator.faults.corrupt(f"drive_state.{path}", degrees)
            self.home.simulator.faults.corrupt(f"drive_state.native_{path}", degrees)

    async def uses(self) -> None:
        """Use every command that takes a secret."""
        home = self.home
        home.simulator.switches.remote_password = "any"
        for action, data in WITH_SECRETS:
            await self.tries(self._act(action, data))

    async def _act(self, action: str, data: Mapping[str, Any]) -> None:
        await self.home.act(action, **data)

    async def is_unlucky(self) -> None:
        """Use them while everything goes wrong, with a service that repeats all that it hears."""
        home = self.home
        for status in (200, 400, 401, 403, 408, 429, 500):
            for action, data in WITH_SECRETS:
                said = self._repeated(data)
                body: dict[str, Any] = {"response": None, "error": said}
                home.simulator.faults.answer(status, body=body, only="/command/")
                await self.tries(self._act(action, data))
                home.simulator.faults.answer(
                    200, body={"response": {"result": False, "reason": said}}, only="/command/"
                )
                await self.tries(self._act(action, data))
                home.simulator.faults.clear()
                # Where the service wanted to be left alone, that time has to pass.
                await home.advance(310, step=60)
                await home.restart()
        for how in ("reset", "close", "cut", "silence"):
            for action, data in WITH_SECRETS:
                home.simulator.faults.fail(how, only="/command/", times=3)
                await self.tries(self._act(action, data))
            home.simulator.faults.clear()
        self._is_somewhere()
        body = {"response": None, "error": self._repeated({})}
        home.simulator.faults.answer(451, body=body, only="/vehicle_data", times=2)
        await home.poll()
        await home.poll()
        issues = [each for each in ir.async_get(home.hass).issues.values() if each.domain == DOMAIN]
        assert issues
        self.told += (
            json.dumps(issue.to_json() | {"words": issue.translation_placeholders}) for issue in issues
        )

    def _repeated(self, data: Mapping[str, Any]) -> str:
        """Return what a service says that repeats all that it hears."""
        words = f"{TOKEN} cannot {[*data.values()]} for {self.home.car.vin}: http://host/x?{urlencode(data)}"
        return f"{words} {' '.join(map(str, data.values()))}"

    async def gets_a_new_token(self) -> None:
        """Enter it where Home Assistant asks for it."""
        home, flows = self.home, self.home.hass.config_entries.flow
        home.simulator.token = NEW_TOKEN
        await home.advance(65)
        for flow in flows.async_progress_by_handler(DOMAIN):
            form = await flows.async_configure(flow["flow_id"], {"access_token": WRONG_TOKEN})
            self.told.append(json.dumps(form, default=str))
            await flows.async_configure(flow["flow_id"], {"access_token": NEW_TOKEN})
        await home.idle()

    async def asks_for_help(self) -> None:
        """Download the diagnostics."""
        home = self.home
        await home.poll()
        reports = [
            await async_get_config_entry_diagnostics(home.hass, home.entry),
            await async_get_device_diagnostics(home.hass, home.entry, home.device),
        ]
        self.told += (json.dumps(report, default=str) for report in reports)


WITH_SECRETS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("remote_start_drive", {"password": PASSWORD}),
    ("set_valet_mode", {"on": True, "password": PIN}),
    ("speed_limit_activate", {"pin": PIN}),
)


async def test_whole_session(empty_home: Home, ear: Ear) -> None:
    """Neither a log, nor a message, nor a download, nor a repair, nor an attribute gives anything away."""
    home = empty_home
    asyncio.get_running_loop().slow_callback_duration = 0  # Tell of every callback, with what it was given.
    secrets, session = Secrets(home), Session(home)
    await session.is_set_up()
    await session.uses()
    await session.is_unlucky()
    await session.gets_a_new_token()
    await session.asks_for_help()
    tracker = home.entity_id("device_tracker", "drive_state")
    for state in home.hass.states.async_all():
        may = {"place"} if state.entity_id == tracker else set()
        assert secrets.in_text(json.dumps(state.as_dict(), default=str)) == may, state.entity_id
    await home.restart()
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    await home.idle()
    assert len(session.told) > 100
    assert [text for text in session.told if secrets.in_text(text)] == []
    assert len(ear.lines) > 1000
    assert {name.partition(".")[0] for name, _ in ear.lines} >= {
        "asyncio",
        "custom_components",
        "homeassistant",
    }
    assert [line for name, line in ear.lines if name != CORE and secrets.in_text(line)] == []


async def test_core_tells_only_what_it_always_does(empty_home: Home, ear: Ear) -> None:
    """What core itself logs is what an action was given and what the tracker shows: no token and no VIN."""
    home = empty_home
    secrets, session = Secrets(home), Session(home)
    await session.is_set_up()
    await session.uses()
    by_core = "\n".join(line for name, line in ear.lines if name == CORE)
    assert secrets.in_text(by_core) == {"password", "PIN", "place"}


def test_secrets_are_recognised(empty_home: Home) -> None:
    """The eye that these tests keep on secrets sees each of them."""
    secrets = Secrets(empty_home)
    for text, what in (
        (f"Bearer {TOKEN}", "token"),
        (f"p={quote_plus(PASSWORD)}", "password"),
        (f"'{PIN}'", "PIN"),
        ("/command/x?on=true", "query"),
        (f"car {empty_home.car.vin}", "VIN"),
        (f"({LONGITUDE})", "place"),
    ):
        assert secrets.in_text(text) == {what}
    assert not secrets.in_text(f"port 5{PIN}, 37.39")
