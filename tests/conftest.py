"""Fixtures of a Home Assistant with a simulated service, whose time the tests control."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import datetime
import gc
from itertools import groupby
import logging
from logging.handlers import BufferingHandler
from pathlib import Path
import re
import socket
import threading
from typing import Any, Final
from unittest.mock import Mock, PropertyMock, patch
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.auth.models import Group, User
from homeassistant.auth.permissions.models import PermissionLookup
from homeassistant.components.automation import EVENT_AUTOMATION_TRIGGERED
from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.binary_sensor import BinarySensorDeviceClass
from homeassistant.config_entries import SOURCE_USER, ConfigEntry, ConfigFlowResult
from homeassistant.const import ATTR_DEVICE_CLASS, SERVICE_TURN_OFF, STATE_OFF, Platform
from homeassistant.core import Event, HomeAssistant, ServiceResponse, State, SupportsResponse
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import (
    aiohttp_client,
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)
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
from pytest_homeassistant_custom_component.typing import MockHAClientWebSocket, WebSocketGenerator

from custom_components.vehicle_remote_access.api.commands import ACCOUNT_ENDPOINTS
from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.coordinator import AccountCoordinator
from custom_components.vehicle_remote_access.entity import VehicleEntity

# These imports precede the first setup, because the test plugin has its own `custom_components`.
from custom_components.vehicle_remote_access.flows import schemas
from custom_components.vehicle_remote_access.simulator import TOKEN_PATH, Point, SimulatedVehicle
from custom_components.vehicle_remote_access.vehicle.coordinator import VehicleCoordinator
from simulator_console.fleet_car import FleetCar, as_fleet_car
from simulator_console.services import SimulatedService

from .drive_log.five_years import five_years
from .source import ROOT

TOKEN: Final = "a-token-that-nobody-may-see"
MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
BATTERY: Final = ("sensor", "charge_state.battery_level")
CHARGING: Final = ("sensor", "charge_state.charging_state")
LOCK: Final = ("lock", "vehicle_state.locked")
MOVING: Final = ("binary_sensor", "drive_state.shift_state")
PRESENT: Final = ("binary_sensor", "vehicle_state.is_user_present")
STATE: Final = ("sensor", "state")
LIST: Final = "/api/1/vehicles"
READ: Final = "/vehicle_data"
WAKE: Final = "/wake_up"
NOON: Final = datetime(2026, 5, 4, 12, tzinfo=ZoneInfo("US/Pacific"))
REAL_FILES: Final = pytest.mark.parametrize("hass_storage", [{}])
"""Use real files instead of those of the test plugin."""
_IDLE_TURNS: Final = 200
_JOB_STEP: Final = 0.001


def _will_end(task: asyncio.Future[Any]) -> bool:
    """Return whether to wait for a background task. Streams listen until the account is unloaded."""
    if not isinstance(task, asyncio.Task) or task is asyncio.current_task():
        return False
    return not task.cancelling() and not task.get_name().endswith("stream")


class Home:
    """A Home Assistant and the simulated service of its cars."""

    def __init__(
        self, hass: HomeAssistant, freezer: FrozenDateTimeFactory, simulator: SimulatedService
    ) -> None:
        self.hass = hass
        self.simulator = simulator
        self._freezer = freezer
        self._jobs = set[asyncio.Future[Any]]()
        self._run_in_executor = hass.loop.run_in_executor
        hass.loop.run_in_executor = self._run_job  # type: ignore[assignment, method-assign]

    def _run_job(self, *job: Any) -> asyncio.Future[Any]:
        """Run a job of the executor. Virtual time waits for it, unless it takes long."""
        future = self._run_in_executor(*job)
        self._jobs.add(future)
        future.add_done_callback(self._jobs.discard)
        return future

    @property
    def car(self) -> SimulatedVehicle:
        """The first simulated car."""
        return self.simulator.vehicles[0]

    @property
    def fleet_car(self) -> FleetCar:
        """The same car with what only today's services have. A simulated account has no such car."""
        return as_fleet_car(self.car)

    @property
    def entry(self) -> ConfigEntry[AccountCoordinator]:
        return self.hass.config_entries.async_entries(DOMAIN)[0]

    @property
    def coordinator(self) -> VehicleCoordinator:
        """The first car's coordinator."""
        return next(iter(self.entry.runtime_data.vehicles.values()))

    @property
    def device(self) -> dr.DeviceEntry:
        """The first car's device."""
        devices = dr.async_get(self.hass)
        device = devices.async_get_device_by_identifier((DOMAIN, self.car.vin), self.entry.entry_id)
        assert device is not None
        return device

    @property
    def access(self) -> dict[str, Any]:
        """The values of the form for the access to the service."""
        address = {"base_url": self.simulator.url}
        if self.simulator.service == "tessie":
            address["stream_url"] = self.simulator.streams.url
        values: dict[str, Any] = address if self.simulator.service == "other" else {"addresses": address}
        return {**values, "access_token": self.simulator.token}

    async def act(self, action: str, **data: Any) -> ServiceResponse:
        """Call an action for the first car or for its account. Return the response if it has one."""
        services = self.hass.services
        has_response = services.supports_response(DOMAIN, action) is not SupportsResponse.NONE
        if action in ACCOUNT_ENDPOINTS:
            data = {"config_entry_id": self.entry.entry_id, **data}
        else:
            data = {"device_id": self.device.id, **data}
        return await services.async_call(DOMAIN, action, data, blocking=True, return_response=has_response)

    async def press(self, button: str, vin: str | None = None) -> None:
        """Press a button of the first car, or of the car with this VIN."""
        entity = {"entity_id": self.entity_id("button", button, vin)}
        await self.hass.services.async_call("button", "press", entity, blocking=True)

    async def load(self) -> None:
        """Set up the account, after it was unloaded."""
        await self.hass.config_entries.async_setup(self.entry.entry_id)
        await self.idle()

    async def unload(self) -> None:
        await self.hass.config_entries.async_unload(self.entry.entry_id)

    async def restart(self) -> None:
        """Reload the account, as in a restart."""
        await self.hass.config_entries.async_reload(self.entry.entry_id)
        await self.idle()

    async def start_flow(self, step: str, service: str = "other") -> ConfigFlowResult:
        """Start a config flow and select this step in its menu, and the service of an account."""
        flow = self.hass.config_entries.flow
        menu = await flow.async_init(DOMAIN, context={"source": SOURCE_USER})
        form = await flow.async_configure(menu["flow_id"], {"next_step_id": step})
        if step != "account":
            return form
        form = await self.submit(form, next_step_id=service)
        # A service with a sign-in asks how to connect.
        return await self.submit(form, next_step_id="token") if form["step_id"] == "auth_method" else form

    def open_flows(self) -> list[str]:
        """Return the sources of the open config flows."""
        flows = self.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
        return [flow["context"]["source"] for flow in flows]

    async def submit(self, form: ConfigFlowResult, **values: Any) -> ConfigFlowResult:
        return await self.hass.config_entries.flow.async_configure(form["flow_id"], values)

    async def enter_token(self, token: str) -> ConfigFlowResult:
        """Enter a token in the only open config flow, and return the result."""
        (flow,) = self.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
        return await self.submit(flow, access_token=token)

    @property
    def token_refresh(self) -> dict[str, str]:
        """The values of the form for the refresh of tokens."""
        token = self.simulator.tokens.refresh_token
        return {"token_url": self.simulator.url + TOKEN_PATH, "refresh_token": token}

    async def set_up(self, *cars: SimulatedVehicle, **access: Any) -> None:
        """Add the account with these or all of its cars in a config flow."""
        form = await self.start_flow("account", self.simulator.service)
        form = await self.submit(form, **{**self.access, **access})
        vehicles = [str(car.id) for car in cars or self.simulator.vehicles]
        result = await self.submit(form, vehicles=vehicles)
        assert result["type"] == "create_entry", result
        # Without an interval, the list is requested at times that depend on the time of day and on habits.
        await self.set_account_options(interval=60)

    async def add_car(self, car: SimulatedVehicle) -> None:
        flows = self.hass.config_entries.subentries
        form = await flows.async_init((self.entry.entry_id, "vehicle"), context={"source": SOURCE_USER})
        await flows.async_configure(form["flow_id"], {"id": str(car.id)})
        await self.idle()

    async def remove_car(self, vin: str) -> None:
        (subentry_id,) = (key for key, subentry in self.entry.subentries.items() if subentry.unique_id == vin)
        self.hass.config_entries.async_remove_subentry(self.entry, subentry_id)
        await self.idle()

    async def add_simulated_account(self, vehicles: int = 1) -> None:
        """Add an account with simulated cars in a config flow."""
        form = await self.start_flow("simulator")
        result = await self.submit(form, vehicles=vehicles, with_past=False)
        assert result["type"] == "create_entry", result
        await self.idle()

    async def delete_device(self, sockets: WebSocketGenerator, device_id: str) -> bool:
        """Delete a device in the web interface, and return whether that succeeded."""
        assert await async_setup_component(self.hass, "config", {})
        # All supported versions of Home Assistant have this command.
        command = "config/device_registry/remove_config_entry"
        target = {"config_entry_id": self.entry.entry_id, "device_id": device_id}
        result = await request(await sockets(self.hass), command, **target)
        await self.idle()
        return not isinstance(result, str)

    async def leave(self) -> None:
        """Turn off all automations and unload the account."""
        for automation in self.hass.states.async_entity_ids(AUTOMATION):
            data = {"entity_id": automation}
            await self.hass.services.async_call(AUTOMATION, SERVICE_TURN_OFF, data, blocking=True)
        for entry in self.hass.config_entries.async_loaded_entries(DOMAIN):
            await self.hass.config_entries.async_unload(entry.entry_id)
        await self.idle()

    async def idle(self) -> None:
        """Wait until Home Assistant has no pending tasks, except those that listen to a stream."""
        await self.hass.async_block_till_done()
        while tasks := [task for task in self.hass._background_tasks if _will_end(task)]:  # noqa: SLF001
            await asyncio.wait(tasks)
            await self.hass.async_block_till_done()

    async def advance(self, seconds: float, step: float = 5.0) -> None:
        """Advance time in small steps, and run what becomes due."""
        await self._advance(seconds, step, self.idle)

    async def advance_while_pending(self, seconds: float, step: float = 5.0) -> None:
        """Advance time while a request waits for an answer that does not come."""
        await self._advance(seconds, step, self._run_ready_tasks)

    async def _advance(self, seconds: float, step: float, run_tasks: Callable[[], Awaitable[None]]) -> None:
        await run_tasks()
        while seconds > 0:
            self._tick(min(seconds, step))
            await run_tasks()
            seconds -= step

    def park_at(self, point: Point) -> None:
        """Let the first car be somewhere else. Without a rise of the odometer, it is not plausible."""
        driving = self.car.driving
        driving.odometer += driving.point.miles_to(point)
        driving.point = point

    def skip(self, seconds: float) -> None:
        """Advance the clock without running what becomes due."""
        self._freezer.tick(seconds)

    async def run_until_complete[T](self, call: Awaitable[T]) -> T:
        """Advance time until a call has ended, and return its result."""
        (result,) = await self.gather(call)
        if isinstance(result, BaseException):
            raise result
        return result

    async def gather[T](self, *calls: Awaitable[T], max_seconds: int = 200) -> list[T | BaseException]:
        """Advance time until all calls have ended. Return the result or the error of each."""
        tasks = asyncio.gather(*calls, return_exceptions=True)
        for _ in range(max_seconds):
            await self._run_ready_tasks()
            if tasks.done():
                return await tasks
            self._tick(1)
        tasks.cancel()
        pytest.fail(f"not done after {max_seconds} s")

    async def error_of(self, call: Awaitable[object]) -> str:
        """Advance time until a call has ended. Return the message of its error, or an empty text."""
        (error,) = await self.gather(call)
        assert error is None or isinstance(error, HomeAssistantError), error
        return str(error or "")

    def _tick(self, seconds: float) -> None:
        self._freezer.tick(seconds)
        async_fire_time_changed(self.hass)

    async def _run_ready_tasks(self) -> None:
        """Run everything that needs no time. A request over loopback takes several event-loop turns."""
        idle_turns = 0
        while idle_turns < _IDLE_TURNS:
            if self._jobs:
                # Of the real clock, because the loop's stands still
                threading.Event().wait(_JOB_STEP)
            before = len(self.simulator.requests), len(self._jobs)
            await asyncio.sleep(0)
            idle_turns = idle_turns + 1 if (len(self.simulator.requests), len(self._jobs)) == before else 0

    async def let_car_sleep(self) -> None:
        """Let the car fall asleep now, wait until that is shown, and forget the requests until then."""
        self.car.fall_asleep()
        await self.advance(65)
        assert self.shown(*STATE).state == "asleep"
        self.simulator.requests.clear()

    async def wait_until_car_sleeps(self) -> None:
        """Leave the car alone until it falls asleep, and forget the requests until then."""
        self.car.unplug()
        self.car.charging.close_port()
        await self.advance(75 * MINUTE, step=60)
        assert self.car.state == self.shown(*STATE).state == "asleep"
        self.simulator.requests.clear()

    def start_drive(self, miles: float) -> float:
        """Unplug the car, and drive. Return the seconds that the drive takes."""
        self.car.unplug()
        return self.car.drive(miles)

    async def set_car_options(self, **options: Any) -> None:
        """Change options of the first car."""
        subentry = self.entry.subentries[self.coordinator.subentry_id]
        data = {**subentry.data, **options}
        self.hass.config_entries.async_update_subentry(self.entry, subentry, data=data)
        await self.idle()

    async def set_account_options(self, **options: Any) -> None:
        """Set the options of the account. The others get their default values."""
        self.hass.config_entries.async_update_entry(self.entry, options=options)
        await self.idle()

    async def disable_polling(self) -> None:
        """Disable polling, and wait until nothing is read because of the setup."""
        self.hass.config_entries.async_update_entry(self.entry, pref_disable_polling=True)
        await self.advance(10 * MINUTE, step=60)

    async def requests_during(self, seconds: float, part: str = "", step: float = 5.0) -> list[str]:
        """Advance time, and return the paths of the requests during it that contain `part`."""
        self.simulator.requests.clear()
        await self.advance(seconds, step)
        return self.requests(part)

    async def poll(self) -> None:
        """Read all cars now, even if no read is due."""
        for vehicle in self.entry.runtime_data.vehicles.values():
            await vehicle.async_refresh()
        await self.idle()

    def entity_id(self, platform: str, path: str, vin: str | None = None) -> str:
        """Return the entity that shows a path, of the first car or of the car with this VIN."""
        unique_id = f"{vin or self.car.vin}-{path}"
        entity_id = er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, unique_id)
        assert entity_id is not None, f"no {platform} for {path}"
        return entity_id

    def shown(self, platform: str, path: str, vin: str | None = None) -> State:
        """Return the state of the entity that shows a path."""
        state = self.hass.states.get(self.entity_id(platform, path, vin))
        assert state is not None, f"{platform} for {path} has no state"
        return state

    @property
    def storage(self) -> Path:
        """The folder of the stored files."""
        return Path(self.hass.config.path(".storage"))

    @property
    def files(self) -> set[str]:
        """The names of the integration's files, if these are real."""
        return {path.name for path in self.storage.glob(f"{DOMAIN}.*")}

    def stored_file(self, pattern: str) -> Path:
        """Return the only file of the integration with this name."""
        (path,) = self.storage.glob(f"{DOMAIN}.{pattern}")
        return path

    def entities(self) -> list[er.RegistryEntry]:
        """Return the registered entities of the account."""
        return er.async_entries_for_config_entry(er.async_get(self.hass), self.entry.entry_id)

    def states(self) -> dict[str, str]:
        """Return the states of all entities of the account."""
        return {
            entity.entity_id: state.state
            for entity in self.entities()
            if (state := self.hass.states.get(entity.entity_id)) is not None
        }

    def lasting_entities(self) -> set[str]:
        """Return the entities of the log and the charging plan, which last while the car is unavailable."""
        own = ("-log.", "-charging_plan")
        return {each.entity_id for each in self.entities() if any(name in each.unique_id for name in own)}

    def shown_by(self, field: Field[Any]) -> set[str]:
        """Return the entities whose `fields` contain this field, or one whose value depends on it."""
        fields = {field, *(other for other in FIELDS if other.depends_on and other.depends_on[0] is field)}
        platforms = async_get_platforms(self.hass, DOMAIN)
        return {
            entity.entity_id
            for platform in platforms
            for entity in platform.entities.values()
            if isinstance(entity, VehicleEntity) and fields & set(entity.description.fields)
        }

    def changes(self, events: list[Event[Any]], platform: str, path: str) -> list[str]:
        """Return the states that an entity got in captured events, without repetitions."""
        entity_id = self.entity_id(platform, path)
        states = [each.data["new_state"].state for each in events if each.data["entity_id"] == entity_id]
        return [state for state, _ in groupby(states)]

    async def call(self, platform: str, service: str, path: str, **data: Any) -> None:
        """Call a service of the entity that shows a path."""
        data = {"entity_id": self.entity_id(platform, path), **data}
        await self.hass.services.async_call(platform, service, data, blocking=True)

    async def limited_user(self, entities: Any) -> User:
        """Return a user with only these permissions for entities."""
        user = await self.hass.auth.async_create_user("Guest")
        set_group(self.hass, user, Group(name="Limited", policy={"entities": entities}))
        return user

    def put_into_garage(self) -> str:
        """Assign all cars to the area Garage, and return the area's id."""
        garage = ar.async_get(self.hass).async_get_or_create("Garage").id
        devices = dr.async_get(self.hass)
        for car in self.simulator.vehicles:
            device = devices.async_get_device_by_identifier((DOMAIN, car.vin), self.entry.entry_id)
            assert device is not None
            devices.async_update_device(device.id, area_id=garage)
        return garage

    def plug_of_another_brand(self) -> er.RegistryEntry:
        """Add another integration's car to the garage, and return the entity of its plug, which is off."""
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
        # The automation editor selects entities by these sources.
        entity_sources(self.hass)[plug.entity_id] = {"domain": brand.domain}
        self.hass.states.async_set(plug.entity_id, STATE_OFF, {ATTR_DEVICE_CLASS: plug.original_device_class})
        return plug

    async def automate(self, config: dict[str, Any]) -> list[Event]:
        """Set up an automation, and return a list that collects its runs."""
        runs: list[Event] = async_capture_events(self.hass, EVENT_AUTOMATION_TRIGGERED)
        assert await async_setup_component(self.hass, AUTOMATION, {AUTOMATION: {"alias": "It", **config}})
        assert self.hass.states.is_state("automation.it", "on")
        return runs

    def requests(self, part: str = "") -> list[str]:
        """Return the paths of all requests to the service that contain `part`."""
        return [request.path for request in self.simulator.requests if part in request.path]

    def queries(self, command: str) -> list[dict[str, str]]:
        """Return the query of each request that sent a command."""
        sent = f"/command/{command}"
        return [dict(request.query) for request in self.simulator.requests if request.path.endswith(sent)]


def exhaustive(*values: Any) -> list[Any]:
    """Return parameters of a test that run only with `scripts/test --all`."""
    return [pytest.param(value, marks=pytest.mark.exhaustive) for value in values]


def set_group(hass: HomeAssistant, user: User, group: Group | None) -> None:
    """Let a user belong only to this group, which exists."""
    assert group is not None
    # The user store of the tests was created before the registries.
    user.perm_lookup = PermissionLookup(er.async_get(hass), dr.async_get(hass))
    user.groups = [group]
    user.invalidate_cache()


async def request(client: MockHAClientWebSocket, command: str, **values: Any) -> Any:
    """Send a command as the web interface does. Return the result, or the code of the error."""
    await client.send_json_auto_id({"type": command, **values})
    answer = await client.receive_json()
    return answer["result"] if answer["success"] else answer["error"]["code"]


def examples_in(page: str) -> list[Any]:
    """Return the YAML examples of a documentation page."""
    texts = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    return [parse_yaml(text) for text in texts]


def logged_problems(caplog: pytest.LogCaptureFixture, *, may_warn: bool = False) -> list[str]:
    """Return the logged errors and tracebacks, and the integration's warnings, and clear the log.

    `may_warn`: whether warnings and errors without a traceback are expected.
    """
    problems = []
    for record in caplog.records:
        is_own = record.name.startswith("custom_components")
        is_expected = record.levelno < (logging.WARNING if is_own else logging.ERROR) or may_warn
        # The simulator's HTTP server logs disconnected clients as errors.
        if record.name != "aiohttp.server" and (
            not is_expected or (record.exc_info and record.levelno > logging.DEBUG)
        ):
            problems.append(f"{record.name}: {record.getMessage()[:300]}")
    caplog.clear()
    return problems


@pytest.fixture(autouse=True)
def _real_http(socket_enabled: None) -> None:
    """Let the integration reach its service."""


@pytest.fixture(autouse=True, scope="module")
def garbage_collection() -> None:
    """Override the test plugin's fixture, which never frees what the previous module leaves behind."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _forget_homes(mock_zeroconf_resolver: object) -> Iterator[None]:
    """Clear the calls of a mock of the test plugin, because they keep each Home Assistant in memory."""
    yield
    resolver = aiohttp_client._async_make_resolver  # noqa: SLF001 - the plugin replaces it
    assert isinstance(resolver, Mock)
    resolver.reset_mock()


@pytest.fixture(autouse=True)
def enable_event_loop_debug() -> None:
    """Override the test plugin's fixture: the event loop's debug mode doubles the duration of the tests."""


# The test plugin logs at the level INFO. A test that needs more uses `caplog`.
logging.getLogger().setLevel(logging.WARNING)


@pytest.fixture(autouse=True)
def _nothing_that_will_stop_working() -> Iterator[None]:
    """Fail if Home Assistant logs that something of the integration will stop working."""
    # `caplog` would make each test log all events.
    warnings = BufferingHandler(capacity=1_000_000)
    warnings.setLevel(logging.WARNING)
    logging.getLogger().addHandler(warnings)
    yield
    logging.getLogger().removeHandler(warnings)
    messages = [record.getMessage() for record in warnings.buffer]
    assert not [message for message in messages if "will stop working" in message]


@pytest.fixture
def entity_registry_enabled_by_default() -> Iterator[None]:
    """Enable all entities, including those that are disabled by default."""
    name = "entity_registry_enabled_default"
    with patch.object(Entity, name, new_callable=PropertyMock, return_value=True):
        yield


@pytest.fixture
def freezer(freezer: FrozenDateTimeFactory) -> FrozenDateTimeFactory:
    """Freeze the time at noon, because polling differs at night."""
    freezer.move_to(NOON)
    return freezer


@pytest.fixture
def cars() -> int:
    """Return the number of cars. Tests that need more override it by a parameter."""
    return 1


@pytest.fixture
def service() -> str:
    """The service to play. Tests of services of today override it by a parameter."""
    return "other"


@pytest.fixture
async def simulator(
    freezer: FrozenDateTimeFactory, cars: int, service: str
) -> AsyncIterator[SimulatedService]:
    """Start a service that uses Home Assistant's time."""
    # Simulated accounts have the cars of seed 0, too.
    seed = 0 if service == "other" else 1
    simulator = SimulatedService(service, vehicles=cars, seed=seed, token=TOKEN)
    await simulator.start()
    yield simulator
    await simulator.stop()


@pytest.fixture
def hass_config_dir(tmp_path: Path) -> str:
    """Give each test its own folder, because the logs of one test must not be found by another."""
    return str(tmp_path)


@pytest.fixture
async def empty_home(
    hass: HomeAssistant,
    enable_custom_integrations: None,
    freezer: FrozenDateTimeFactory,
    simulator: SimulatedService,
) -> AsyncIterator[Home]:
    """Create a home without an account, and unload everything after the test."""
    home = Home(hass, freezer, simulator)
    yield home
    await home.leave()


@pytest.fixture
async def home(empty_home: Home) -> Home:
    """Create a home with its account and its cars."""
    await empty_home.set_up()
    return empty_home


@pytest.fixture
def long_log(home: Home) -> Home:
    """A home whose car was driven for five years."""
    home.coordinator.log_manager.log = five_years()
    return home


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that refuses connections and stays reserved."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


@pytest.fixture
def remote_host() -> Iterator[None]:
    """Make the host of the service count as remote."""
    with patch.object(schemas, "is_this_host", return_value=False):
        yield
