"""Home Assistant in virtual time with one simulated car, and what it requests and shows."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
import logging
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Final, override
from unittest.mock import patch

import aiohttp
from homeassistant import loader
from homeassistant.config_entries import SOURCE_USER
from homeassistant.const import STATE_ON
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, State, callback
from homeassistant.helpers import entity_registry as er, frame
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.event import async_track_state_change_event
from pytest_homeassistant_custom_component.common import async_test_home_assistant

# Import before an integration is loaded: the test plugin has its own `custom_components`.
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.vehicle.coordinator import VehicleCoordinator

from .driver import MINUTE, ActivityKind, Span
from .virtual_time import VirtualLoop

_RESOLVER: Final = "homeassistant.helpers.aiohttp_client._async_make_resolver"
_LIVE_READS: Final = ("/vehicle_data", "/data")
_LIVE_RECORD: Final = "/data_request/"
_COMMANDS: Final = ("/wake_up", "/command/")
_OK, _ASLEEP = 200, 408
_PATHS: Final[dict[ActivityKind, str]] = {
    "drive": "drive_state.shift_state",
    "charge": "charge_state.charging_state",
}


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request that the service answered."""

    at: float
    path: str
    status: int

    @property
    def is_live(self) -> bool:
        """Whether the service passed the request on to the car."""
        return self.path.endswith(_LIVE_READS) or _LIVE_RECORD in self.path

    @property
    def is_ok(self) -> bool:
        """Whether the request succeeded."""
        return self.status == _OK

    @property
    def is_unexpected(self) -> bool:
        """Whether it is a command, or failed for another reason than a sleeping car."""
        return self.status not in (_OK, _ASLEEP) or any(part in self.path for part in _COMMANDS)


@dataclass(slots=True)
class Observations:
    """What Home Assistant requested and showed."""

    requests: list[RequestRecord] = field(default_factory=list)
    shown: dict[ActivityKind, list[Span]] = field(default_factory=lambda: {kind: [] for kind in _PATHS})
    problems: list[str] = field(default_factory=list)
    """Unexpected events, as text."""
    learned_sleep_delay: float | None = None
    """Minutes until the idle car falls asleep, as learned by the integration."""


class _Resolver(aiohttp.ThreadedResolver):
    """Resolves names without the multicast queries of Home Assistant's resolver."""

    async def real_close(self) -> None:
        """Close the resolver. Home Assistant calls this method."""
        await self.close()


class Home:
    """Home Assistant with one car."""

    def __init__(self, hass: HomeAssistant, loop: VirtualLoop, observations: Observations) -> None:
        """Initialize without the car."""
        self.hass = hass
        self._observations = observations
        self._loop = loop
        self._vin = ""
        self._on_since: dict[ActivityKind, float] = {}

    @property
    def vehicle(self) -> VehicleCoordinator:
        """The car's coordinator."""
        (entry,) = self.hass.config_entries.async_entries(DOMAIN)
        (vehicle,) = entry.runtime_data.vehicles.values()
        assert isinstance(vehicle, VehicleCoordinator)
        return vehicle

    async def set_up(self, simulator: Simulator) -> None:
        """Add the account and its car with the config flow."""
        flow = self.hass.config_entries.flow
        form = await flow.async_init(DOMAIN, context={"source": SOURCE_USER})
        (car,) = simulator.vehicles
        by_list = {"vehicles": [str(car.id)]}
        by_id = {"id": str(car.id)}
        for values in (
            {"next_step_id": "account"},
            {"base_url": simulator.url, "access_token": simulator.token},
            by_list if simulator.switches.list else by_id,
        ):
            form = await flow.async_configure(form["flow_id"], values)
        assert form["type"] == "create_entry", form
        await self.hass.async_block_till_done()
        self._vin = car.vin
        for kind, path in _PATHS.items():
            entity = self._entity_id("binary_sensor", path)
            async_track_state_change_event(self.hass, entity, self._listener(kind))

    def shown(self, platform: str, path: str) -> State:
        """Return the state of the entity for a path."""
        state = self.hass.states.get(self._entity_id(platform, path))
        assert state is not None, f"the {platform} for {path} has no state"
        return state

    async def call(self, platform: str, service: str, path: str, **values: Any) -> None:
        """Call a service for the entity of a path. Raises the errors of the service."""
        values["entity_id"] = self._entity_id(platform, path)
        await self.hass.services.async_call(platform, service, values, blocking=True)

    def _entity_id(self, platform: str, path: str) -> str:
        entity = er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, f"{self._vin}-{path}")
        assert entity is not None, f"no {platform} for {path}"
        return entity

    def states(self) -> dict[str, State]:
        """Return the integration's states by platform and unique id without its VIN or entry id."""
        (entry,) = self.hass.config_entries.async_entries(DOMAIN)
        entities = er.async_entries_for_config_entry(er.async_get(self.hass), entry.entry_id)
        return {
            f"{entity.domain} {entity.unique_id.partition('-')[2]}": state
            for entity in entities
            if (state := self.hass.states.get(entity.entity_id)) is not None
        }

    def finish(self) -> None:
        """Complete the observations."""
        for kind in list(self._on_since):
            self._update(kind, is_on=False)
        seconds = self.vehicle.tracker.habits.need
        self._observations.learned_sleep_delay = None if seconds is None else seconds / MINUTE

    def _listener(self, kind: ActivityKind) -> Callable[[Event[EventStateChangedData]], None]:
        @callback
        def changed(event: Event[EventStateChangedData]) -> None:
            state = event.data["new_state"]
            self._update(kind, is_on=state is not None and state.state == STATE_ON)

        return changed

    def _update(self, kind: ActivityKind, *, is_on: bool) -> None:
        now = self._loop.time()
        if is_on:
            self._on_since.setdefault(kind, now)
        elif kind in self._on_since:
            self._observations.shown[kind].append(Span(self._on_since.pop(kind), now))


class _WarningHandler(logging.Handler):
    """Passes warnings and errors on to a callback."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    @override
    def emit(self, record: logging.LogRecord) -> None:
        # The loader warns about every custom integration.
        if record.name != loader.__name__:
            self._report(f"{record.name}: {record.getMessage()}")


@asynccontextmanager
async def observed_home(loop: VirtualLoop, observations: Observations) -> AsyncIterator[Home]:
    """Run Home Assistant and record problems."""
    handler = _WarningHandler(observations.problems.append)
    logging.getLogger().addHandler(handler)
    try:
        async with virtual_home_assistant(loop) as hass:
            _record_failed_requests(hass, observations)
            yield Home(hass, loop, observations)
    finally:
        logging.getLogger().removeHandler(handler)


@asynccontextmanager
async def virtual_home_assistant(
    loop: VirtualLoop, count_unanswered: Callable[[], int] = lambda: 0
) -> AsyncIterator[HomeAssistant]:
    """Run Home Assistant in virtual time, which stands still during its requests.

    `count_unanswered` returns the number of requests that the service never answers. Time passes for those.
    """
    async with home_assistant() as hass:
        connector = async_get_clientsession(hass).connector
        assert connector is not None
        # A connection is acquired until the response is read completely. There is no public attribute.
        loop.has_pending_data = lambda: len(connector._acquired) > count_unanswered()  # noqa: SLF001
        yield hass


@asynccontextmanager
async def home_assistant() -> AsyncIterator[HomeAssistant]:
    """Run an empty Home Assistant in the running loop's time."""
    with TemporaryDirectory() as folder, patch(_RESOLVER, lambda _: _Resolver()):
        async with async_test_home_assistant(config_dir=folder) as hass:
            frame.async_setup(hass)
            hass.data.pop(loader.DATA_CUSTOM_COMPONENTS)
            await hass.config.async_set_time_zone("UTC")
            try:
                yield hass
            finally:
                await hass.async_stop(force=True)


def _record_failed_requests(hass: HomeAssistant, observations: Observations) -> None:
    async def failed(_: Any, __: SimpleNamespace, failure: aiohttp.TraceRequestExceptionParams) -> None:
        observations.problems.append(f"{failure.url.path} failed: {failure.exception!r}")

    tracing = aiohttp.TraceConfig()
    tracing.on_request_exception.append(failed)
    tracing.freeze()
    async_get_clientsession(hass).trace_configs.append(tracing)
