"""Days in a home with one car: what an integration stores, records, and sends to a browser."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
import logging
from pathlib import Path
import sqlite3
import sys
from time import thread_time
from typing import Any, Final, NamedTuple, Self, override

from aiohttp import web
from aiohttp.typedefs import Handler
from homeassistant.components.config import entity_registry
from homeassistant.components.tesla_fleet.const import DOMAIN as FLEET_DOMAIN
from homeassistant.components.tessie.const import DOMAIN as TESSIE_DOMAIN
from homeassistant.components.websocket_api import ActiveConnection, async_register_command, commands
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import recorder as recorder_helper
from homeassistant.helpers.config_entry_oauth2_flow import (
    LocalOAuth2Implementation,
    async_register_implementation,
)
from homeassistant.helpers.entity_registry import EVENT_ENTITY_REGISTRY_UPDATED
from homeassistant.helpers.json import json_bytes
from homeassistant.helpers.storage import STORAGE_DIR
from homeassistant.setup import async_setup_component
import jwt
from pytest_homeassistant_custom_component.common import MockConfigEntry
from tesla_fleet_api.const import SERVERS
from tesla_fleet_api.tessie import Tessie as TessieClient

from custom_components.vehicle_remote_access.account.storage import DataStore, log_names
from custom_components.vehicle_remote_access.drive_log.kept_logs import log_name
from custom_components.vehicle_remote_access.drive_log.stores import LogStore
from simulator_console.services import SimulatedService

from ...drive_log.five_years import five_years
from ..common.driver import Driver, miles_in
from ..common.home import account_entry, home_assistant, wait_for_responses, without_old_trackers
from ..common.virtual_time import DAY, MINUTE, START, VirtualLoop, run_in_virtual_time

INTEGRATION, LIVE, TESSIE, FLEET = "integration", "integration, live data", "tessie", "tesla_fleet"
_SERVICES: Final = {INTEGRATION: FLEET, LIVE: TESSIE}
"""What the simulator plays for our integration. The others have their own service."""
_RECORDER_STEP: Final = 5 * MINUTE
_STATES: Final = """
    SELECT states_meta.entity_id, state, last_updated_ts
    FROM states JOIN states_meta USING (metadata_id) ORDER BY state_id
"""
_STATISTICS: Final = """
    SELECT statistic_id, count(*) FROM statistics_short_term
    JOIN statistics_meta ON statistics_meta.id = metadata_id WHERE start_ts >= ? GROUP BY statistic_id
"""
_CHARGE: Final = 110
_YOUNG: Final = 35
"""Entries of each kind that are newer than the archive."""


class Service(SimulatedService):
    """The simulated service, which counts what it does."""

    cpu = 0.0
    """Seconds that the service took of the thread."""
    sent = 0

    @override
    def add_service(self, application: web.Application) -> None:
        super().add_service(application)
        application.middlewares.insert(0, self._count)

    @web.middleware
    async def _count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        start = thread_time()
        self.sent += 1
        try:
            return await handler(request)
        finally:
            self.cpu += thread_time() - start

    def reset(self) -> None:
        self.sent, self.cpu = 0, 0.0


class Browser:
    """A page of Home Assistant that is open all the time, and shows all entities."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.messages = self.bytes = self.registry_changes = 0
        self._hass = hass
        self._last_id = 0

    async def open(self) -> None:
        user = await self._hass.auth.async_create_system_user("browser", group_ids=["system-admin"])
        self._connection = ActiveConnection(
            logging.getLogger(__name__),  # type: ignore[arg-type]
            self._hass,
            self._receive,
            user,
            None,
            None,
        )
        async_register_command(self._hass, commands.handle_subscribe_entities)
        async_register_command(self._hass, entity_registry.websocket_list_entities_for_display)
        self._send("subscribe_entities")
        # A page that is open loads all entities again if one changes.
        self._hass.bus.async_listen(EVENT_ENTITY_REGISTRY_UPDATED, self._reload)

    @callback
    def _reload(self, _: object) -> None:
        self.registry_changes += 1
        self._send("config/entity_registry/list_for_display")

    def _send(self, command: str) -> None:
        self._last_id += 1
        self._connection.async_handle({"id": self._last_id, "type": command})

    def _receive(self, message: bytes | str | dict[str, Any]) -> None:
        data = json_bytes(message) if isinstance(message, dict) else message
        self.messages += 1
        self.bytes += len(data)


@dataclass
class Days:
    """What was counted on some days."""

    stored: int
    """Bytes of the integration's own stores."""
    writes: int
    database: int
    """Bytes written to the database and its write-ahead log."""
    registry_changes: int
    cpu: float
    """Seconds of the event loop without the service."""
    messages: int
    message_bytes: int
    requests: int
    states: Counter[str]
    """Rows of the recorder, by entity."""
    repeated: Counter[str]
    """Those with the same state as the row before."""
    statistics: Counter[str]
    """Short-term rows, by entity."""


class _Process(NamedTuple):
    written: int
    cpu: float

    @classmethod
    def now(cls) -> Self:
        """Return what this process has written so far, and the seconds of this thread."""
        figures = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
        return cls(int(figures["wchar"]), thread_time())


@contextmanager
def _count_files() -> Iterator[defaultdict[str, list[int]]]:
    """Return the sizes of files by name that are written, and then renamed, in the folder of stores."""
    files: defaultdict[str, list[int]] = defaultdict(list)
    is_counting = True

    def on_event(event: str, arguments: tuple[Any, ...]) -> None:
        if is_counting and event == "os.rename":
            source, target = map(Path, arguments[:2])
            if target.parent.name == STORAGE_DIR:
                files[target.name].append(source.stat().st_size)

    sys.addaudithook(on_event)
    try:
        yield files
    finally:
        is_counting = False


def _rows(path: str, since: float) -> dict[str, Counter[str]]:
    counters = {name: Counter[str]() for name in ("states", "repeated", "statistics")}
    with closing(sqlite3.connect(path)) as database:
        last: dict[str, str] = {}
        for entity, state, at in database.execute(_STATES):
            if at >= since:
                counters["states"][entity] += 1
                counters["repeated"][entity] += last.get(entity) == state
            last[entity] = state
        for entity, rows in database.execute(_STATISTICS, (since,)):
            counters["statistics"][entity] = rows
    return counters


async def _integration(hass: HomeAssistant, service: Service) -> MockConfigEntry:
    """Return an account whose car has a log of three years."""
    entry = account_entry(service)
    (subentry,) = entry.subentries.values()
    log = five_years()
    old, young = slice(-3 * 365 * 3, -_YOUNG), slice(-_YOUNG, None)
    drives, charges, stays = log.drives[young], log.charges[young], log.stays[young]
    log.drives, log.charges, log.stays = log.drives[old], log.charges[old], log.stays[old]
    name = log_name(subentry)
    await LogStore(hass, name, lambda: log).save_all(is_last=True)
    log.drives += drives
    log.charges += charges
    log.stays += stays
    _, journal, _ = log_names(name)
    await DataStore(hass, journal, log.journal).save(is_last=True)
    return entry


async def _tessie(_: HomeAssistant, service: Service) -> MockConfigEntry:
    TessieClient.server = service.url
    return MockConfigEntry(domain=TESSIE_DOMAIN, data={CONF_ACCESS_TOKEN: service.token})


async def _fleet(hass: HomeAssistant, service: Service) -> MockConfigEntry:
    SERVERS["eu"] = service.url
    implementation = LocalOAuth2Implementation(hass, FLEET_DOMAIN, "client", "secret", "", "")
    async_register_implementation(hass, FLEET_DOMAIN, implementation)
    claims = {"scp": ["vehicle_device_data", "vehicle_location", "vehicle_cmds"], "ou_code": "EU"}
    service.token = jwt.encode(claims, "k" * 32)
    service.switches.token_lifetime = 0
    token = {"access_token": service.token, "refresh_token": "", "expires_at": 1e12, "expires_in": 28800}
    return MockConfigEntry(domain=FLEET_DOMAIN, data={"auth_implementation": FLEET_DOMAIN, "token": token})


SETUPS: Final = {INTEGRATION: _integration, LIVE: _integration, TESSIE: _tessie, FLEET: _fleet}


async def commute(driver: Driver, day: int) -> None:
    """Drive to work and back, and charge in the evening."""
    await driver.wait_until("07:30")
    await driver.drive(to=miles_in(40))
    await driver.wait_until("17:00")
    await driver.drive(to=0)
    await driver.charge(_CHARGE)


def measure(name: str, days: int) -> Days:
    """Return the figures of some days after the first one."""

    async def run(loop: VirtualLoop) -> Days:
        service = Service(_SERVICES.get(name, name), vehicles=1, seed=0)
        service.streams.is_on = name == LIVE
        (car,) = service.vehicles
        car.sleep_after = 15 * MINUTE
        car.unplug()
        await service.start()
        try:
            async with home_assistant() as hass:
                # The thread of the recorder starts in real time.
                loop.has_pending_data = lambda: True
                database = await _start_recorder(hass)
                wait_for_responses(loop, hass, service)
                return await _run(hass, service, name, days, database)
        finally:
            await service.stop()

    return run_in_virtual_time(run)


async def _start_recorder(hass: HomeAssistant) -> str:
    """Return the path of its database."""
    recorder_helper.async_initialize_recorder(hass)
    path = hass.config.path("home.db")
    assert await async_setup_component(hass, "recorder", {"recorder": {"db_url": f"sqlite:///{path}"}})
    return path


async def _run(hass: HomeAssistant, service: Service, name: str, days: int, database: str) -> Days:
    recorder = recorder_helper.get_instance(hass)
    with _count_files() as files, without_old_trackers():
        entry = await SETUPS[name](hass, service)
        entry.add_to_hass(hass)
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        browser = Browser(hass)
        await browser.open()

        async def record() -> None:
            while True:
                await hass.async_add_executor_job(recorder.block_till_done)
                await asyncio.sleep(_RECORDER_STEP)

        async def live(driver: Driver, day: int) -> None:
            if day == 1:
                files.clear()
                service.reset()
                browser.messages = browser.bytes = browser.registry_changes = 0
                before.append(_Process.now())
            await commute(driver, day)

        before: list[_Process] = []
        recording = asyncio.create_task(record())
        await Driver(service.vehicles[0]).follow(live, days + 1)
        recording.cancel()
        await hass.async_add_executor_job(recorder.block_till_done)
        process = _Process.now()
        own = [size for name, sizes in files.items() if name.startswith(entry.domain) for size in sizes]
        return Days(
            stored=sum(own),
            writes=len(own),
            database=process.written - before[0].written - sum(map(sum, files.values())),
            registry_changes=browser.registry_changes,
            cpu=process.cpu - before[0].cpu - service.cpu,
            messages=browser.messages,
            message_bytes=browser.bytes,
            requests=service.sent,
            **_rows(database, START.timestamp() + DAY),
        )
