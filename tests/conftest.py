"""A home with a simulated car in it, as its owner sees it: states, services, and time that is moved by hand."""

from collections.abc import AsyncIterator
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import SOURCE_USER, ConfigEntry, ConfigFlowResult
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

# Imported before anything else asks for an integration: the test plugin brings a `custom_components` of its own.
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.coordinator import Account, VehicleCoordinator
from custom_components.vehicle_remote_access.simulator import Simulator, Vehicle

TOKEN: Final = "a-token-that-nobody-may-see"
_STEP: Final = 5.0


class Home:
    """A Home Assistant, and the service that its cars are reached through."""

    def __init__(self, hass: HomeAssistant, freezer: FrozenDateTimeFactory, simulator: Simulator) -> None:
        """Begin with nothing set up."""
        self.hass = hass
        self.simulator = simulator
        self._freezer = freezer

    @property
    def car(self) -> Vehicle:
        """The first simulated car."""
        return self.simulator.vehicles[0]

    @property
    def entry(self) -> ConfigEntry[Account]:
        """The account."""
        return self.hass.config_entries.async_entries(DOMAIN)[0]

    @property
    def coordinator(self) -> VehicleCoordinator:
        """What is known of the first car."""
        return next(iter(self.entry.runtime_data.vehicles.values()))

    async def start_flow(self, step: str) -> ConfigFlowResult:
        """Open the dialog and choose from its menu."""
        flow = self.hass.config_entries.flow
        menu = await flow.async_init(DOMAIN, context={"source": SOURCE_USER})
        return await flow.async_configure(menu["flow_id"], {"next_step_id": step})

    async def submit(self, form: ConfigFlowResult, **values: Any) -> ConfigFlowResult:
        """Send a form of the dialog."""
        return await self.hass.config_entries.flow.async_configure(form["flow_id"], values)

    async def set_up(self) -> None:
        """Add the account with all its cars, through the dialog."""
        form = await self.start_flow("account")
        form = await self.submit(form, base_url=self.simulator.url, access_token=self.simulator.token)
        result = await self.submit(form, vehicles=[str(car.id) for car in self.simulator.vehicles])
        assert result["type"] == "create_entry", result
        await self.idle()

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        await self.hass.async_block_till_done(wait_background_tasks=True)

    async def advance(self, seconds: float) -> None:
        """Let time pass in small steps, and what falls due in it happen."""
        await self.idle()
        while seconds > 0:
            step = min(seconds, _STEP)
            self._freezer.tick(step)
            async_fire_time_changed(self.hass)
            await self.idle()
            seconds -= step

    async def poll(self) -> None:
        """Read the cars now, whether that is due or not."""
        for vehicle in self.entry.runtime_data.vehicles.values():
            await vehicle.async_refresh()
        await self.idle()

    def entity_id(self, platform: str, path: str, car: Vehicle | None = None) -> str:
        """Return which entity shows the path."""
        unique_id = f"{(car or self.car).vin}-{path}"
        entity_id = er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, unique_id)
        assert entity_id is not None, f"no {platform} for {path}"
        return entity_id

    def shown(self, platform: str, path: str, car: Vehicle | None = None) -> State:
        """Return the state that shows the path."""
        state = self.hass.states.get(self.entity_id(platform, path, car))
        assert state is not None, f"{platform} for {path} has no state"
        return state

    def states(self) -> dict[str, str]:
        """Return every state of ours."""
        ours = er.async_entries_for_config_entry(er.async_get(self.hass), self.entry.entry_id)
        return {
            each.entity_id: state.state
            for each in ours
            if (state := self.hass.states.get(each.entity_id)) is not None
        }

    async def call(self, platform: str, service: str, path: str, **data: Any) -> None:
        """Use a service on the entity that shows the path."""
        entity_id = self.entity_id(platform, path)
        await self.hass.services.async_call(
            platform, service, {"entity_id": entity_id, **data}, blocking=True
        )

    def requests(self, part: str = "") -> list[str]:
        """Return the paths, of those with `part` in them, that the service was asked for."""
        return [request.path for request in self.simulator.requests if part in request.path]


@pytest.fixture(autouse=True)
def _real_integration_over_real_http(enable_custom_integrations: None, socket_enabled: None) -> None:
    """Let Home Assistant find the integration, and the integration its service."""


@pytest.fixture
async def simulator(freezer: FrozenDateTimeFactory) -> AsyncIterator[Simulator]:
    """A service with one car, whose time is Home Assistant's."""
    service = Simulator(vehicles=1, seed=0, token=TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
def empty_home(hass: HomeAssistant, freezer: FrozenDateTimeFactory, simulator: Simulator) -> Home:
    """A home before anything is set up."""
    return Home(hass, freezer, simulator)


@pytest.fixture
async def home(empty_home: Home) -> AsyncIterator[Home]:
    """A home with its car."""
    await empty_home.set_up()
    yield empty_home
    await empty_home.hass.config_entries.async_unload(empty_home.entry.entry_id)
    await empty_home.idle()
