"""A home with a simulated car in it, as its owner sees it: states, services, and time moved by hand."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from unittest.mock import PropertyMock, patch
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.automation import EVENT_AUTOMATION_TRIGGERED
from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.binary_sensor import BinarySensorDeviceClass
from homeassistant.config_entries import SOURCE_USER, ConfigEntry, ConfigFlowResult
from homeassistant.const import ATTR_DEVICE_CLASS, SERVICE_TURN_OFF, STATE_OFF, Platform
from homeassistant.core import Event, HomeAssistant, ServiceResponse, State, SupportsResponse
from homeassistant.helpers import area_registry as ar, device_registry as dr, entity_registry as er
from homeassistant.helpers.entity import Entity, entity_sources
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
    async_fire_time_changed,
)
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

# Imported before anything asks for an integration: the test plugin has a `custom_components` of its own.
from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import ChargeState
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.coordinator import Account, VehicleCoordinator
from custom_components.vehicle_remote_access.entity import VehicleEntity
from custom_components.vehicle_remote_access.simulator import Simulator, Vehicle

TOKEN: Final = "a-token-that-nobody-may-see"
NOON: Final = datetime(2026, 5, 4, 12, tzinfo=ZoneInfo("US/Pacific"))
_PATIENCE: Final = 200
_ROUNDS: Final = 200


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

    @property
    def device(self) -> dr.DeviceEntry:
        """The first car's page in Home Assistant."""
        devices = dr.async_get(self.hass)
        device = devices.async_get_device_by_identifier((DOMAIN, self.car.vin), self.entry.entry_id)
        assert device is not None
        return device

    async def act(self, action: str, **data: Any) -> ServiceResponse:
        """Use an action on the first car, and return its response if it has one."""
        returns = self.hass.services.supports_response(DOMAIN, action) is not SupportsResponse.NONE
        data = {"device_id": self.device.id, **data}
        return await self.hass.services.async_call(
            DOMAIN, action, data, blocking=True, return_response=returns
        )

    async def restart(self) -> None:
        """Set the account up anew, as after a restart."""
        await self.hass.config_entries.async_reload(self.entry.entry_id)
        await self.idle()

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

    async def delete_device(self, sockets: WebSocketGenerator, device_id: str) -> bool:
        """Delete a device from its page, and return whether that worked."""
        assert await async_setup_component(self.hass, "config", {})
        socket = await sockets(self.hass)
        # The command that every supported version has
        command = "config/device_registry/remove_config_entry"
        await socket.send_json_auto_id(
            {"type": command, "config_entry_id": self.entry.entry_id, "device_id": device_id}
        )
        answer = await socket.receive_json()
        await self.idle()
        return bool(answer["success"])

    async def leave(self) -> None:
        """Unload what is set up, and end the automations."""
        for automation in self.hass.states.async_entity_ids(AUTOMATION):
            data = {"entity_id": automation}
            await self.hass.services.async_call(AUTOMATION, SERVICE_TURN_OFF, data, blocking=True)
        for entry in self.hass.config_entries.async_loaded_entries(DOMAIN):
            await self.hass.config_entries.async_unload(entry.entry_id)
        await self.idle()

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        await self.hass.async_block_till_done(wait_background_tasks=True)

    async def advance(self, seconds: float, step: float = 5.0) -> None:
        """Let time pass in small steps, and what falls due in it happen."""
        await self.idle()
        while seconds > 0:
            self._pass(min(seconds, step))
            await self.idle()
            seconds -= step

    async def endure(self, seconds: float, step: float = 5.0) -> None:
        """Let time pass although somebody waits for an answer that does not come."""
        await self._settle()
        while seconds > 0:
            self._pass(min(seconds, step))
            await self._settle()
            seconds -= step

    async def while_it_takes[T](self, doing: Coroutine[Any, Any, T]) -> T:
        """Let time pass until something is done, and return what it returns."""
        done: list[T] = []

        async def do() -> None:
            done.append(await doing)

        for error in await self.while_time_passes(do()):
            if error is not None:
                raise error
        return done[0]

    async def while_time_passes(
        self, *doing: Awaitable[None], patience: int = _PATIENCE
    ) -> list[BaseException | None]:
        """Let time pass until all that is being done has ended; return how each of it ended."""
        tasks = asyncio.gather(*doing, return_exceptions=True)
        for _ in range(patience):
            await self._settle()
            if tasks.done():
                return await tasks
            self._pass(1)
        tasks.cancel()
        pytest.fail(f"not done after {patience} s")

    def _pass(self, seconds: float) -> None:
        self._freezer.tick(seconds)
        async_fire_time_changed(self.hass)

    async def _settle(self) -> None:
        """Let all happen that needs no time: a request over loopback takes some rounds of the loop."""
        quiet = 0
        while quiet < _ROUNDS:
            asked = len(self.simulator.requests)
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self.simulator.requests) == asked else 0

    async def poll(self) -> None:
        """Read the cars now, whether that is due or not."""
        for vehicle in self.entry.runtime_data.vehicles.values():
            await vehicle.async_refresh()
        await self.idle()

    def entity_id(self, platform: str, path: str, vin: str | None = None) -> str:
        """Return which entity shows the path, of the first car or of another."""
        unique_id = f"{vin or self.car.vin}-{path}"
        entity_id = er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, unique_id)
        assert entity_id is not None, f"no {platform} for {path}"
        return entity_id

    def shown(self, platform: str, path: str, vin: str | None = None) -> State:
        """Return the state that shows the path."""
        state = self.hass.states.get(self.entity_id(platform, path, vin))
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

    def shown_by(self, field: Field[Any]) -> set[str]:
        """Return the entities of the first car that say that they show the field."""
        platforms = async_get_platforms(self.hass, DOMAIN)
        return {
            entity.entity_id
            for platform in platforms
            for entity in platform.entities.values()
            if isinstance(entity, VehicleEntity) and field in entity.fields
        }

    async def call(self, platform: str, service: str, path: str, **data: Any) -> None:
        """Use a service on the entity that shows the path."""
        entity_id = self.entity_id(platform, path)
        await self.hass.services.async_call(
            platform, service, {"entity_id": entity_id, **data}, blocking=True
        )

    def put_into_garage(self) -> str:
        """Let the cars stand in the garage, and return the area."""
        garage = ar.async_get(self.hass).async_get_or_create("Garage").id
        devices = dr.async_get(self.hass)
        for car in self.simulator.vehicles:
            device = devices.async_get_device_by_identifier((DOMAIN, car.vin), self.entry.entry_id)
            assert device is not None
            devices.async_update_device(device.id, area_id=garage)
        return garage

    def plug_of_another_brand(self) -> er.RegistryEntry:
        """Put another brand's car into the garage, and return what shows its plug, which is pulled out."""
        brand = MockConfigEntry(domain="another_brand")
        brand.add_to_hass(self.hass)
        devices = dr.async_get(self.hass)
        car = devices.async_get_or_create(config_entry_id=brand.entry_id, identifiers={(brand.domain, "car")})
        devices.async_update_device(car.id, area_id=self.put_into_garage())
        plug = er.async_get(self.hass).async_get_or_create(
            Platform.BINARY_SENSOR,
            brand.domain,
            f"car-{ChargeState.conn_charge_cable.path}",
            config_entry=brand,
            device_id=car.id,
            original_device_class=BinarySensorDeviceClass.PLUG,
        )
        # What the automation editor goes by.
        entity_sources(self.hass)[plug.entity_id] = {"domain": brand.domain}
        self.hass.states.async_set(plug.entity_id, STATE_OFF, {ATTR_DEVICE_CLASS: plug.original_device_class})
        return plug

    async def automate(self, config: dict[str, Any]) -> list[Event]:
        """Set up an automation, and return what will hold its runs."""
        runs: list[Event] = async_capture_events(self.hass, EVENT_AUTOMATION_TRIGGERED)
        assert await async_setup_component(self.hass, AUTOMATION, {AUTOMATION: {"alias": "It", **config}})
        assert self.hass.states.is_state("automation.it", "on")
        return runs

    def requests(self, part: str = "") -> list[str]:
        """Return the paths, of those with `part` in them, that the service was asked for."""
        return [request.path for request in self.simulator.requests if part in request.path]


def example_in(page: Path) -> dict[str, Any]:
    """Return what a page of the documentation gives as an example."""
    example = parse_yaml(page.read_text().partition("```yaml\n")[2].partition("```")[0])
    assert isinstance(example, dict)
    return example


@pytest.fixture(autouse=True)
def _real_integration_over_real_http(enable_custom_integrations: None, socket_enabled: None) -> None:
    """Let Home Assistant find the integration, and the integration its service."""


@pytest.fixture(autouse=True)
def _nothing_that_will_stop_working(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail where Home Assistant warns that something of ours will stop working."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    assert "will stop working" not in "".join(record.getMessage() for record in records)


@pytest.fixture
def entity_registry_enabled_by_default() -> Iterator[None]:
    """Enable every entity, also those that an owner has to enable."""
    with patch.object(
        Entity, "entity_registry_enabled_default", new_callable=PropertyMock, return_value=True
    ):
        yield


@pytest.fixture
def freezer(freezer: FrozenDateTimeFactory) -> FrozenDateTimeFactory:
    """The time, which a test moves by hand: noon at first, because what people do at night differs."""
    freezer.move_to(NOON)
    return freezer


@pytest.fixture
def cars() -> int:
    """How many cars there are; a test that wants more says so by a parameter."""
    return 1


@pytest.fixture
async def simulator(freezer: FrozenDateTimeFactory, cars: int) -> AsyncIterator[Simulator]:
    """A service whose time is Home Assistant's."""
    service = Simulator(vehicles=cars, seed=0, token=TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def empty_home(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory, simulator: Simulator
) -> AsyncIterator[Home]:
    """A home before anything is set up, and left as it was found."""
    home = Home(hass, freezer, simulator)
    yield home
    await home.leave()


@pytest.fixture
async def home(empty_home: Home) -> Home:
    """A home with its car."""
    await empty_home.set_up()
    return empty_home
