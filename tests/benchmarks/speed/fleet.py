"""A fleet of cars in one Home Assistant. The integration, the baseline and `tessie` are measured in turn."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from cProfile import Profile
from functools import partial
import gc
from http import HTTPStatus
from io import StringIO
from itertools import cycle, islice
from pstats import SortKey, Stats
from typing import Final
from unittest.mock import patch

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.util import dt as dt_util
from tesla_fleet_api.tessie import Tessie

from custom_components.vehicle_remote_access.api.commands import VEHICLE_DATA

from ..common.home import home_assistant
from .baseline import Baseline, StateWrite
from .commands import COMMANDS, CommandStep
from .integration import Integration
from .results import (
    BASELINE,
    INTEGRATION,
    REFRESH_KINDS,
    REQUESTS_ONLY,
    TESSIE,
    TESSIE_REQUESTS_ONLY,
    RefreshEffects,
    Round,
)
from .state_writes import record_state_writes
from .stub_service import StubResponse, StubService, create_vehicles, run_stub_service
from .tessie import TessieIntegration
from .time_shift import ShiftedClock, shifted_time
from .timing import Duration, Stopwatch, measure
from .vehicle_record import driving_record, with_changes, with_timestamps

_MINUTE: Final = 60.0
_MOCK_CHECKS: Final = ("async_add_job", "async_add_executor_job", "async_create_task_internal")
_PROFILE_LINES: Final = 45


class Fleet:
    """Cars that all drive, in one Home Assistant."""

    def __init__(self, hass: HomeAssistant, clock: ShiftedClock, service: StubService, core: int) -> None:
        """Initialize without setting up any integration."""
        self.hass = hass
        self.service = service
        self.service_core = core
        self.integration = Integration(hass, service)
        self._tessie = TessieIntegration(hass, service)
        self._baseline = Baseline(hass, service)
        self._clock = clock
        self._record = driving_record()
        self._writes: dict[str, list[list[StateWrite]]] = {}

    async def set_up_tessie(self) -> dict[str, int]:
        """Set up `tessie` next to the integration, and return the number of entities of both."""
        self.respond()
        await self._tessie.set_up()
        gc.collect()
        gc.freeze()
        return {INTEGRATION: len(self.integration.states()), TESSIE: len(self._tessie.states())}

    # Responses of the service

    def response(self, fields: int = 0, state: str = "online", status: int = HTTPStatus.OK) -> StubResponse:
        """Return the service's response at the current time, with a number of changed fields."""
        record = with_timestamps(with_changes(self._record, fields), dt_util.utcnow().timestamp())
        return StubResponse(record, state, status)

    def respond(
        self, fields: int = 0, state: str = "online", status: int = HTTPStatus.OK, *, minutes: float = 1
    ) -> None:
        """Advance the time and set the service's response."""
        self._clock.advance(minutes * _MINUTE)
        self.service.respond(self.response(fields, state, status))

    async def settle(self) -> None:
        """Refresh both integrations with unchanged fields."""
        self.respond()
        await self.integration.refresh()
        await self._tessie.refresh()

    # Measurements

    async def refresh_effects(self, kind: str) -> RefreshEffects:
        """Refresh all cars once and return the effects. The baseline has the same effects from then on."""
        await self.settle()
        self.respond(REFRESH_KINDS[kind])
        with record_state_writes(self.hass) as writes:
            await self.integration.refresh()
        self._writes[kind] = self._baseline_writes(writes.changed)
        return RefreshEffects(
            self.service.requested_paths(),
            self._count_by_path(writes.changed),
            self._count_by_path(writes.reported),
        )

    async def measure_refreshes(self, kind: str, times: int) -> Round:
        """Measure a kind of refresh, next to the baseline and `tessie`."""
        durations: Round = {
            subject: [] for subject in (INTEGRATION, BASELINE, REQUESTS_ONLY, TESSIE, TESSIE_REQUESTS_ONLY)
        }
        tessie_paths = [f"/{vehicle.vin}/state?use_cache=true" for vehicle in self.service.vehicles]
        await self.settle()
        await self.run_baseline(kind)
        for fields in islice(cycle((REFRESH_KINDS[kind], 0)), times):
            self.respond(fields)
            # The first request after a pause is slower.
            await self._baseline.request(self._paths[:1])
            durations[INTEGRATION].append(await measure(self.integration.refresh))
            durations[BASELINE].append(await measure(lambda: self.run_baseline(kind)))
            durations[REQUESTS_ONLY].append(await measure(lambda: self._baseline.request(self._paths)))
            durations[TESSIE].append(await measure(self._tessie.refresh))
            durations[TESSIE_REQUESTS_ONLY].append(
                await measure(lambda: self._baseline.request(tessie_paths))
            )
        return durations

    async def run_baseline(self, kind: str) -> None:
        """Run the baseline of a kind of refresh."""
        await self._baseline.refresh(self._paths, self._writes[kind])

    @property
    def _paths(self) -> list[str]:
        return [VEHICLE_DATA.path.replace("{id}", str(vehicle.path_id)) for vehicle in self.service.vehicles]

    async def measure_commands(self, kind: str, times: int) -> Round:
        """Measure from a service call to the new state of one car, next to the baseline."""
        durations: Round = {subject: [] for subject in (INTEGRATION, BASELINE)}
        pair, vehicle = COMMANDS[kind], self.service.vehicles[0]
        entity_id = self.integration.entity_id(pair.platform, vehicle.vin, pair.path)
        self.respond()

        def service_call(step: CommandStep) -> Callable[[], Awaitable[object]]:
            data = {**step.data, "entity_id": entity_id}
            services = self.hass.services
            return partial(services.async_call, pair.platform, step.service, data, blocking=True)

        await service_call(pair.steps[-1])()
        for step in islice(cycle(pair.steps), times):
            durations[INTEGRATION].append(await self._measure_until_shown(entity_id, service_call(step)))
            state = self.hass.states.get(entity_id)
            assert state is not None
            assert state.state == step.state
            path = step.command.path.replace("{id}", str(vehicle.path_id)) + step.query
            write = (f"{pair.platform}.baseline", state.attributes)
            durations[BASELINE].append(await measure(partial(self._baseline.command, path, write)))
        self.integration.cancel_confirmations()
        return durations

    async def _measure_until_shown(self, entity_id: str, action: Callable[[], Awaitable[object]]) -> Duration:
        """Run an action, and return how long it took until an entity's state changed."""
        stopwatch, durations = Stopwatch(), list[Duration]()

        @callback
        def changed(_: Event[EventStateChangedData]) -> None:
            durations.append(stopwatch.elapsed)

        unsubscribe = async_track_state_change_event(self.hass, entity_id, changed)
        stopwatch = Stopwatch()
        await action()
        unsubscribe()
        return durations[0]

    async def profile(self, kind: str, times: int) -> str:
        """Return a profile of a kind of refresh."""
        await self.settle()
        profile, output = Profile(), StringIO()
        for fields in islice(cycle((REFRESH_KINDS[kind], 0)), times):
            self.respond(fields)
            profile.enable()
            await self.integration.refresh()
            profile.disable()
        Stats(profile, stream=output).strip_dirs().sort_stats(SortKey.TIME).print_stats(_PROFILE_LINES)
        return output.getvalue()

    def _baseline_writes(self, entities: Sequence[str]) -> list[list[StateWrite]]:
        """Return the same writes with entities of the baseline, spread over the cars."""
        states = [state for entity in entities if (state := self.hass.states.get(entity)) is not None]
        writes: list[StateWrite] = [
            (f"{state.domain}.baseline_{n}", state.attributes) for n, state in enumerate(states)
        ]
        cars = len(self.service.vehicles)
        return [writes[car::cars] for car in range(cars)]

    def _count_by_path(self, entities: Iterable[str]) -> dict[str, int]:
        registry = er.async_get(self.hass)
        entries = [registry.entities[entity] for entity in entities]
        return dict(Counter(f"{entry.domain} {entry.unique_id.partition('-')[2]}" for entry in entries))


@asynccontextmanager
async def run_fleet(vehicles: int, core: int) -> AsyncIterator[Fleet]:
    """Run a Home Assistant in which every entity is enabled, and a service on another core."""
    with (
        run_stub_service(create_vehicles(vehicles, str(driving_record()["vin"])), core) as service,
        # The client of tessie reads the address from the class.
        patch.object(Tessie, "server", service.url),
        patch.object(Entity, "entity_registry_enabled_default", True),
        shifted_time() as clock,
    ):
        async with home_assistant() as hass:
            for name in _MOCK_CHECKS:
                # The test plugin checks each task for mocks, which takes time.
                delattr(hass, name)
            yield Fleet(hass, clock, service, core)
