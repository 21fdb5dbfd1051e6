"""A whole Home Assistant in virtual time, and what somebody sees there of a simulated car."""

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

# Imported before anything asks for an integration: the test plugin has a `custom_components` of its own.
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.coordinator import VehicleCoordinator
from custom_components.vehicle_remote_access.simulator import Simulator

from .driver import MINUTE, Span, What
from .virtual import VirtualLoop

_RESOLVER: Final = "homeassistant.helpers.aiohttp_client._async_make_resolver"
_LIVE: Final = ("/vehicle_data", "/data")
_LIVE_IN_PARTS: Final = "/data_request/"
_ACTING: Final = ("/wake_up", "/command/")
_GOOD, _ASLEEP = 200, 408
_SHOWN_BY: Final[dict[What, str]] = {
    "drive": "drive_state.shift_state",
    "charge": "charge_state.charging_state",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was answered."""

    at: float
    path: str
    status: int

    @property
    def is_live(self) -> bool:
        """Whether the car itself was asked for what it knows."""
        return self.path.endswith(_LIVE) or _LIVE_IN_PARTS in self.path

    @property
    def is_good(self) -> bool:
        """Whether it got what it asked for."""
        return self.status == _GOOD

    @property
    def is_odd(self) -> bool:
        """Whether it does something to the car, or got neither what it asked for nor that the car sleeps."""
        return self.status not in (_GOOD, _ASLEEP) or any(part in self.path for part in _ACTING)


@dataclass(slots=True)
class Seen:
    """What Home Assistant asked and showed."""

    requests: list[Asked] = field(default_factory=list)
    shown: dict[What, list[Span]] = field(default_factory=lambda: {what: [] for what in _SHOWN_BY})
    wrong: list[str] = field(default_factory=list)
    """What should not have happened, in words."""
    need: float | None = None
    """Minutes that the car needs to fall asleep, as learned."""


class _Resolver(aiohttp.ThreadedResolver):
    """Asks this machine and nobody else; Home Assistant's own asks the local network too."""

    async def real_close(self) -> None:
        """Do what Home Assistant calls closing."""
        await self.close()


class Home:
    """A Home Assistant that shows one car."""

    def __init__(self, hass: HomeAssistant, loop: VirtualLoop, seen: Seen) -> None:
        """Begin without the car."""
        self.hass = hass
        self._seen = seen
        self._loop = loop
        self._vin = ""
        self._on_since: dict[What, float] = {}

    @property
    def vehicle(self) -> VehicleCoordinator:
        """What is known of the car."""
        (entry,) = self.hass.config_entries.async_entries(DOMAIN)
        (vehicle,) = entry.runtime_data.vehicles.values()
        assert isinstance(vehicle, VehicleCoordinator)
        return vehicle

    async def set_up(self, simulator: Simulator) -> None:
        """Add the account and its car, through the dialog."""
        flow = self.hass.config_entries.flow
        form = await flow.async_init(DOMAIN, context={"source": SOURCE_USER})
        (car,) = simulator.vehicles
        by_list = {"vehicles": [str(car.id)]}
        by_hand = {"id": str(car.id)}
        for values in (
            {"next_step_id": "account"},
            {"base_url": simulator.url, "access_token": simulator.token},
            by_list if simulator.switches.list else by_hand,
        ):
            form = await flow.async_configure(form["flow_id"], values)
        assert form["type"] == "create_entry", form
        await self.hass.async_block_till_done()
        self._vin = car.vin
        for what, path in _SHOWN_BY.items():
            entity = self._entity_id("binary_sensor", path)
            async_track_state_change_event(self.hass, entity, self._listener(what))

    def shown(self, platform: str, path: str) -> State:
        """Return the state that shows a path of the car."""
        state = self.hass.states.get(self._entity_id(platform, path))
        assert state is not None, f"the {platform} for {path} has no state"
        return state

    async def call(self, platform: str, service: str, path: str, **values: Any) -> None:
        """Use a service on the entity that shows a path of the car. Raises what the service raises."""
        values["entity_id"] = self._entity_id(platform, path)
        await self.hass.services.async_call(platform, service, values, blocking=True)

    def _entity_id(self, platform: str, path: str) -> str:
        entity = er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, f"{self._vin}-{path}")
        assert entity is not None, f"nothing shows {path}"
        return entity

    def states(self) -> dict[str, State]:
        """Return every state of ours, by platform and what follows the VIN or the entry in the unique id."""
        (entry,) = self.hass.config_entries.async_entries(DOMAIN)
        ours = er.async_entries_for_config_entry(er.async_get(self.hass), entry.entry_id)
        return {
            f"{each.domain} {each.unique_id.partition('-')[2]}": state
            for each in ours
            if (state := self.hass.states.get(each.entity_id)) is not None
        }

    def ends(self) -> None:
        """Count what is still shown, and ask what was learned."""
        for what in list(self._on_since):
            self._shows(what, is_on=False)
        need = self.vehicle.watch.habits.need
        self._seen.need = None if need is None else need / MINUTE

    def _listener(self, what: What) -> Callable[[Event[EventStateChangedData]], None]:
        @callback
        def changed(event: Event[EventStateChangedData]) -> None:
            state = event.data["new_state"]
            self._shows(what, is_on=state is not None and state.state == STATE_ON)

        return changed

    def _shows(self, what: What, *, is_on: bool) -> None:
        now = self._loop.time()
        if is_on:
            self._on_since.setdefault(what, now)
        elif what in self._on_since:
            self._seen.shown[what].append(Span(self._on_since.pop(what), now))


class _Complaints(logging.Handler):
    """Whatever is logged as worse than a remark."""

    def __init__(self, told: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._told = told

    @override
    def emit(self, record: logging.LogRecord) -> None:
        # It says so of every custom integration.
        if record.name != loader.__name__:
            self._told(f"{record.name}: {record.getMessage()}")


@asynccontextmanager
async def home_assistant(loop: VirtualLoop, seen: Seen) -> AsyncIterator[Home]:
    """Run a Home Assistant, and keep what is seen of it."""
    complaints = _Complaints(seen.wrong.append)
    logging.getLogger().addHandler(complaints)
    try:
        async with running(loop) as hass:
            _watch_failures(hass, seen)
            yield Home(hass, loop, seen)
    finally:
        logging.getLogger().removeHandler(complaints)


@asynccontextmanager
async def running(
    loop: VirtualLoop, unanswered: Callable[[], int] = lambda: 0
) -> AsyncIterator[HomeAssistant]:
    """Run a Home Assistant. Time stands still while its requests are under way.

    Those that will never be answered it does not wait for: `unanswered` tells how many there are.
    """
    async with started() as hass:
        connector = async_get_clientsession(hass).connector
        assert connector is not None
        # From the beginning of a connection until the answer was read to its end: nothing public tells.
        loop.is_expecting = lambda: len(connector._acquired) > unanswered()  # noqa: SLF001
        yield hass


@asynccontextmanager
async def started() -> AsyncIterator[HomeAssistant]:
    """Run a Home Assistant in whatever time its loop has, with nothing in it yet."""
    with TemporaryDirectory() as folder, patch(_RESOLVER, lambda _: _Resolver()):
        async with async_test_home_assistant(config_dir=folder) as hass:
            frame.async_setup(hass)
            hass.data.pop(loader.DATA_CUSTOM_COMPONENTS)
            await hass.config.async_set_time_zone("UTC")
            try:
                yield hass
            finally:
                await hass.async_stop(force=True)


def _watch_failures(hass: HomeAssistant, seen: Seen) -> None:
    """Tell of the requests that come to nothing."""

    async def failed(_: Any, __: SimpleNamespace, failure: aiohttp.TraceRequestExceptionParams) -> None:
        seen.wrong.append(f"{failure.url.path} came to nothing: {failure.exception!r}")

    tracing = aiohttp.TraceConfig()
    tracing.on_request_exception.append(failed)
    tracing.freeze()
    async_get_clientsession(hass).trace_configs.append(tracing)
