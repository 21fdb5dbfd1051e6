"""A fleet of cars in one Home Assistant. The integration, the baseline and `tessie` are measured in turn."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
import ctypes
from functools import partial
import gc
from itertools import cycle, islice
import os
from statistics import median
from time import perf_counter
from typing import Any, Final
from unittest.mock import patch

from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
from homeassistant.util.event_type import EventType

from custom_components.vehicle_remote_access.const import DOMAIN

from ..common.process import private_memory
from .results import BASELINE, INTEGRATION, REFRESH_KINDS, SUBJECTS, TESSIE, Duration, Round, Startup, measure
from .service import Car, Service, changed_record, driving_record
from .subjects import Accounts, Baseline, StateWrite, Tessie

_POLLING_ENTITIES: Final = (
    "-state",  # its attribute is the time of the data
    "charge_state.timestamp",
    "drive_state.gps_as_of",
    "next_read",
    "requests_today",
    "asleep_today",
)
"""Entities that describe the polling itself and change with each read."""
_COMMANDS: Final[Mapping[str, tuple[str, str, Sequence[tuple[str, dict[str, Any], str]]]]] = {
    "lock": ("lock", "vehicle_state.locked", (("unlock", {}, "unlocked"), ("lock", {}, "locked"))),
    "charge limit": (
        "number",
        "charge_state.charge_limit_soc",
        (("set_value", {"value": 70}, "70"), ("set_value", {"value": 75}, "75")),
    ),
}
"""The platform and the path of an entity, and two steps that undo each other.

A step is a service, its data, and the entity's state afterwards.
"""


class Fleet:
    """Cars that all drive, in one Home Assistant."""

    def __init__(
        self, hass: HomeAssistant, advance: Callable[[float], None], service: Service, cars: Sequence[Car]
    ) -> None:
        """Initialize without setting up any integration. The last car is set up and removed first."""
        self.hass = hass
        self._service = service
        *self._cars, self._other = cars
        self._integration = Accounts(hass, service, self._cars)
        self._tessie = Tessie(hass, service, self._cars)
        self._baseline = Baseline(hass, service.url)
        self._advance = advance
        self._record = driving_record()
        self._writes: dict[str, dict[str, list[StateWrite]]] = {}

    async def _respond(self, fields: int = 0) -> None:
        """Advance the time by a minute and set the service's response."""
        self._advance(60)
        await self._service.respond(changed_record(self._record, dt_util.utcnow().timestamp(), fields))

    async def _finish_tasks(self) -> None:
        await self.hass.async_block_till_done(wait_background_tasks=True)

    async def _settle(self) -> None:
        """Refresh both integrations with unchanged fields."""
        await self._respond()
        await self._integration.refresh()
        await self._tessie.refresh()
        await self._finish_tasks()

    async def measure_startup(self, name: str) -> Startup:
        accounts = self._tessie if name == TESSIE else self._integration
        # So that Home Assistant has loaded all modules and translations
        other = type(accounts)(self.hass, self._service, [self._other])
        await self._respond()
        await other.set_up()
        await self._finish_tasks()
        await self.hass.config_entries.async_remove(other.entries[0].entry_id)
        await self._finish_tasks()
        await self._respond()
        before = _memory()
        cold = await measure(accounts.set_up)
        await self._finish_tasks()
        memory = (_memory() - before) / len(self._cars)
        for entry in accounts.entries:
            await self.hass.config_entries.async_unload(entry.entry_id)
        await self._respond()
        warm = await measure(accounts.set_up)
        return {
            "entities": len(accounts.states()),
            "cold": cold.wall / 1e3,
            "warm": warm.wall / 1e3,
            "requests": accounts.setup_requests,
            "memory": memory,
        }

    async def set_up(self) -> None:
        await self._respond()
        await self._integration.set_up()
        await self._tessie.set_up()
        gc.collect()
        gc.freeze()

    async def prepare_refresh(self, kind: str) -> dict[str, int]:
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
        return {
            "entities": len(self._integration.states()),
            "of tessie": len(self._tessie.states()),
            "requests": requests,
            "states written": len(changed),
            "not of the polling": sum(
                not registry[entity].unique_id.endswith(_POLLING_ENTITIES) for entity in changed
            ),
            "unnecessary": len(reported),
        }

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

    async def measure_commands(self, kind: str, times: int) -> Round:
        """Measure service calls that change the state of one car, next to the baseline."""
        durations: Round = {INTEGRATION: [], BASELINE: []}
        platform, path, steps = _COMMANDS[kind]
        car = self._cars[0]
        entity_id = str(er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, f"{car.vin}-{path}"))
        shown_at: list[Duration] = []

        @callback
        def changed(event: Event[EventStateChangedData]) -> None:
            if event.data["entity_id"] == entity_id:
                shown_at.append(Duration.now())

        await self._settle()
        remove = self.hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
        for service, data, shown in islice(cycle(steps), times):
            shown_at.clear()
            start = Duration.now()
            target = {**data, "entity_id": entity_id}
            await self.hass.services.async_call(platform, service, target, blocking=True)
            state = self.hass.states.get(entity_id)
            assert state is not None
            assert state.state == shown
            if not shown_at:
                continue  # The first step may change nothing.
            durations[INTEGRATION].append(shown_at[0] - start)
            write = (f"{platform}.baseline", state.attributes)
            command = partial(self._baseline.command, f"{car.path}/command/{service}", write)
            durations[BASELINE].append(await measure(command))
        remove()
        # The reads that confirm a command some seconds later
        for coordinator in self._integration.coordinators:
            for vehicle in coordinator.vehicles.values():
                vehicle.commands.confirmation.cancel()
        return durations

    async def measure_loop_lag(self, times: int) -> dict[tuple[str, int], float]:
        """Refresh all cars, and return the longest iteration by kind of refresh and number of cars."""
        iterations: dict[str, list[float]] = {kind: [] for kind in REFRESH_KINDS}
        await self._settle()
        for kind, fields in [*REFRESH_KINDS.items()] * times:
            await self._respond(fields)
            # Pending work must not count for the refresh.
            await self._finish_tasks()
            with _track_iterations() as tracked:
                await asyncio.sleep(0)
                await self._integration.refresh()
                await asyncio.sleep(0)
            iterations[kind].append(max(tracked))
        return {(kind, len(self._cars)): median(samples) for kind, samples in iterations.items()}


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
