"""A fleet of cars in one Home Assistant. The integration, the baseline and `tessie` are measured in turn."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from cProfile import Profile
import ctypes
from functools import partial
import gc
from http import HTTPStatus
from io import StringIO
from itertools import cycle, islice
import logging
import os
from pstats import SortKey, Stats
from statistics import median
from time import perf_counter
from typing import Any, Final
from unittest.mock import patch

from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED, STATE_UNAVAILABLE
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.entity import Entity
from homeassistant.util import dt as dt_util
from homeassistant.util.event_type import EventType
from homeassistant.util.logging import async_activate_log_queue_handler
from tesla_fleet_api.tessie import Tessie as TessieClient

from custom_components.vehicle_remote_access.const import DOMAIN

from ..common.home import home_assistant
from ..common.process import private_memory
from .accounts import Accounts, Integration, NullIntegration, Tessie
from .baseline import Baseline, StateWrite
from .clock import shifted_time
from .record import changed_record, driving_record
from .results import (
    BASELINE,
    INTEGRATION,
    REFRESH_KINDS,
    SUBJECTS,
    Duration,
    Refresh,
    Round,
    Startup,
    measure,
)
from .service import Car, Service

_MOCK_CHECKS: Final = ("async_add_job", "async_add_executor_job", "async_create_task_internal")
_PROFILE_LINES: Final = 45
_POLLING_ENTITIES: Final = (
    "charge_state.timestamp",
    "drive_state.gps_as_of",
    "next_read",
    "requests_today",
    "asleep_today",
)
"""Entities that describe the polling itself and change with each read."""
_COMMANDS: Final[Mapping[str, tuple[str, str, Sequence[tuple[str, dict[str, Any], str, str]]]]] = {
    "lock": (
        "lock",
        "vehicle_state.locked",
        (("unlock", {}, "unlocked", "door_unlock"), ("lock", {}, "locked", "door_lock")),
    ),
    "charge limit": (
        "number",
        "charge_state.charge_limit_soc",
        tuple(
            ("set_value", {"value": percent}, str(percent), f"set_charge_limit?percent={percent}")
            for percent in (70, 75)
        ),
    ),
}
"""The platform and the path of an entity, and two steps that undo each other.

A step is a service, its data, the entity's state afterwards, and the request.
"""
_EVENTS: Final[Mapping[str, tuple[int, str, int, int, float]]] = {
    "unchanged": (0, "online", HTTPStatus.OK, 1, 1),
    "1 field": (1, "online", HTTPStatus.OK, 1, 1),
    "30 fields": (30, "online", HTTPStatus.OK, 1, 1),
    "service fails": (0, "online", HTTPStatus.SERVICE_UNAVAILABLE, 4, 10),
    "service recovers": (0, "online", HTTPStatus.OK, 2, 20),
    "all cars fall asleep": (0, "asleep", HTTPStatus.REQUEST_TIMEOUT, 2, 1),
    "all cars wake up": (0, "online", HTTPStatus.OK, 3, 10),
}
"""Changed fields, state, status, refreshes, and minutes before each refresh, by event."""


class Fleet:
    """Cars that all drive, in one Home Assistant."""

    def __init__(self, hass: HomeAssistant, advance: Callable[[float], None], service: Service) -> None:
        """Initialize without setting up any integration. The last car is set up and removed first."""
        self.hass = hass
        self._service = service
        *self._cars, self._other = service.cars
        self._integration = Integration(hass, service, self._cars)
        self._tessie = Tessie(hass, service, self._cars)
        self._baseline = Baseline(hass, service.url)
        self._advance = advance
        self._record = driving_record()
        self._writes: dict[str, dict[str, list[StateWrite]]] = {}

    async def _respond(
        self, fields: int = 0, state: str = "online", status: int = HTTPStatus.OK, minutes: float = 1
    ) -> None:
        """Advance the time and set the service's response."""
        self._advance(minutes * 60)
        record = changed_record(self._record, dt_util.utcnow().timestamp(), fields)
        await self._service.respond(record, state, status)

    async def _settle(self) -> None:
        """Refresh both integrations with unchanged fields."""
        await self._respond()
        await self._integration.refresh()
        await self._tessie.refresh()
        await self.hass.async_block_till_done(wait_background_tasks=True)

    # Startup

    async def measure_startup(self) -> Startup:
        """Set up the integration."""
        return await self._startup(Integration(self.hass, self._service, [self._other]), self._integration)

    async def measure_null_startup(self, entities: int) -> Startup:
        """Set up the null integration with a number of entities for each car."""
        other, null = (
            NullIntegration(self.hass, self._service, cars, entities) for cars in ([self._other], self._cars)
        )
        return await self._startup(other, null)

    async def _startup(self, other: Accounts, accounts: Accounts) -> Startup:
        # So that Home Assistant has loaded all modules and translations
        await self._respond()
        await other.set_up()
        await self.hass.async_block_till_done(wait_background_tasks=True)
        await self.hass.config_entries.async_remove(other.entries[0].entry_id)
        await self.hass.async_block_till_done(wait_background_tasks=True)
        await self._respond()
        before = _memory()
        cold = await measure(accounts.set_up)
        await self.hass.async_block_till_done(wait_background_tasks=True)
        memory = (_memory() - before) / len(self._cars)
        for entry in accounts.entries:
            await self.hass.config_entries.async_unload(entry.entry_id)
        await self._respond()
        warm = await measure(accounts.set_up)
        entities = len(accounts.states())
        return Startup(cold, warm, accounts.setup_requests, entities, memory)

    async def set_up_tessie(self) -> None:
        """Set up `tessie` next to the integration."""
        await self._respond()
        await self._tessie.set_up()
        gc.collect()
        gc.freeze()

    # Refreshes

    async def prepare_refresh(self, kind: str) -> Refresh:
        """Refresh all cars once and return the effects. The baseline has the same effects from then on."""
        await self._settle()
        await self._respond(REFRESH_KINDS[kind])
        written: dict[EventType[Any] | str, list[str]] = {EVENT_STATE_CHANGED: [], EVENT_STATE_REPORTED: []}

        @callback
        def write(event: Event[Any]) -> None:
            written[event.event_type].append(event.data["entity_id"])

        listeners = [
            self.hass.bus.async_listen(event, write, event_filter=callback(lambda _: True))
            for event in written
        ]
        await self._integration.refresh()
        requests = await self._service.count_requests()
        for remove in listeners:
            remove()
        changed, reported = written.values()
        registry = er.async_get(self.hass).entities
        self._prepare_baseline(kind, changed)
        return Refresh(
            kind,
            len(self._cars),
            entities=len(self._integration.states()),
            tessie_entities=len(self._tessie.states()),
            requests=requests,
            written=len(changed),
            written_of_cars=sum(
                not registry[entity].unique_id.endswith(_POLLING_ENTITIES) for entity in changed
            ),
            unnecessary=len(reported),
        )

    def _prepare_baseline(self, kind: str, changed: list[str]) -> None:
        """Let the baseline write as many states with the same attributes, spread over the cars."""
        states = [state for entity in changed if (state := self.hass.states.get(entity)) is not None]
        writes: list[StateWrite] = [
            (f"{state.domain}.baseline_{number}", state.attributes) for number, state in enumerate(states)
        ]
        count = len(self._cars)
        self._writes[kind] = {f"{car.path}/vehicle_data": writes[car.index :: count] for car in self._cars}

    async def measure_refreshes(self, kind: str, times: int) -> Round:
        """Measure a kind of refresh, next to the baseline and `tessie`."""
        baseline, writes = self._baseline.refresh, self._writes[kind]
        requests: dict[str, list[StateWrite]] = {path: [] for path in writes}
        tessie_requests: dict[str, list[StateWrite]] = {
            f"/{car.vin}/state?use_cache=true": [] for car in self._cars
        }
        durations: Round = {subject: [] for subject in SUBJECTS}
        actions: Sequence[Callable[[], Awaitable[None]]] = (
            self._integration.refresh,
            lambda: baseline(writes),
            lambda: baseline(requests),
            self._tessie.refresh,
            lambda: baseline(tessie_requests),
        )
        await self._settle()
        await baseline(writes)
        for fields in islice(cycle((REFRESH_KINDS[kind], 0)), times):
            await self._respond(fields)
            # The first request after a pause is slower.
            await baseline(dict(islice(requests.items(), 1)))
            for subject, action in zip(SUBJECTS, actions, strict=True):
                durations[subject].append(await measure(action))
        return durations

    async def profile(self, kind: str, times: int) -> str:
        """Return a profile of a kind of refresh."""
        await self._settle()
        profile, output = Profile(), StringIO()
        for fields in islice(cycle((REFRESH_KINDS[kind], 0)), times):
            await self._respond(fields)
            profile.enable()
            await self._integration.refresh()
            profile.disable()
        Stats(profile, stream=output).strip_dirs().sort_stats(SortKey.TIME).print_stats(_PROFILE_LINES)
        return output.getvalue()

    # Commands and the event loop

    async def measure_commands(self, kind: str, times: int) -> Round:
        """Measure from a service call to the new state of one car, next to the baseline."""
        durations: Round = {INTEGRATION: [], BASELINE: []}
        platform, path, steps = _COMMANDS[kind]
        car = self._cars[0]
        entity_id = er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, f"{car.vin}-{path}")
        shown_at: list[Duration] = []

        @callback
        def changed(event: Event[Any]) -> None:
            if event.data["entity_id"] == entity_id:
                shown_at.append(Duration.now())

        await self._settle()
        remove = self.hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
        for service, data, shown, request in islice(cycle((*reversed(steps),)), times + 1):
            shown_at.clear()
            start = Duration.now()
            target = {**data, "entity_id": entity_id}
            await self.hass.services.async_call(platform, service, target, blocking=True)
            state = self.hass.states.get(str(entity_id))
            assert state is not None
            assert state.state == shown
            if shown_at:
                durations[INTEGRATION].append(shown_at[0] - start)
                write = (f"{platform}.baseline", state.attributes)
                baseline = partial(self._baseline.command, f"{car.path}/command/{request}", write)
                durations[BASELINE].append(await measure(baseline))
        remove()
        # The reads that confirm a command some seconds later
        for coordinator in self._integration.coordinators:
            for vehicle in coordinator.vehicles.values():
                vehicle.commands.confirmation.cancel()
        return durations

    async def measure_loop_lag(self, times: int) -> dict[tuple[str, int], tuple[float, int]]:
        """Run all events. Return the longest iteration and the unavailable entities by event and cars."""
        iterations: dict[str, list[float]] = {event: [] for event in _EVENTS}
        unavailable = {}
        await self._settle()
        for _ in range(times):
            for event, (fields, state, status, refreshes, minutes) in _EVENTS.items():
                longest = 0.0
                for _ in range(refreshes):
                    await self._respond(fields, state, status, minutes)
                    # Pending work must not count for the event.
                    await self.hass.async_block_till_done(wait_background_tasks=True)
                    with _track_iterations() as tracked:
                        await asyncio.sleep(0)
                        await self._integration.refresh()
                        await asyncio.sleep(0)
                    longest = max(longest, *tracked)
                iterations[event].append(longest)
                states = self._integration.states()
                unavailable[event] = sum(state.state == STATE_UNAVAILABLE for state in states)
        count = len(self._cars)
        return {(event, count): (median(iterations[event]), unavailable[event]) for event in _EVENTS}


@contextmanager
def _track_iterations() -> Iterator[list[float]]:
    """Return the milliseconds of the running loop's iterations: from one poll of its selector to the next.

    New events wait this long. The garbage collector doesn't run.
    """
    selector = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]  # noqa: SLF001 - not public
    select, start = selector.select, perf_counter()
    iterations: list[float] = []

    def timed_select(timeout: float | None = None) -> Any:
        nonlocal start
        iterations.append((perf_counter() - start) * 1e3)
        ready = select(timeout)
        start = perf_counter()
        return ready

    gc.disable()
    try:
        with patch.object(selector, "select", timed_select):
            yield iterations
    finally:
        gc.enable()


def _memory() -> float:
    """Return the KiB of this process that are in use."""
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    return private_memory(os.getpid()) * 1024


@asynccontextmanager
async def run_fleet(url: str, cars: list[Car]) -> AsyncIterator[Fleet]:
    """Run a Home Assistant in which every entity is enabled."""
    with (
        # The client of tessie reads the address from the class.
        patch.object(TessieClient, "server", url),
        patch.object(Entity, "entity_registry_enabled_default", True),
        shifted_time() as advance,
    ):
        async with home_assistant() as hass:
            for name in _MOCK_CHECKS:
                # The test plugin checks each task for mocks, which takes time.
                delattr(hass, name)
            # A thread handles log records, as in a real Home Assistant. Here it drops them.
            logging.getLogger().addHandler(logging.NullHandler())
            async_activate_log_queue_handler(hass)
            yield Fleet(hass, advance, Service(async_get_clientsession(hass), url, cars))
