"""Ending an account during every activity: nothing keeps running, and every caller gets a result."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass
import json
import logging
from pathlib import Path
from threading import Event
from typing import Any, Final, override
from unittest.mock import patch

from aiohttp import web
from aiohttp.typedefs import Handler
from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntryState,
    ConfigFlowContext,
    UnknownEntry,
)
from homeassistant.data_entry_flow import UnknownFlow
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er, issue_registry as ir
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.storage import Store
from homeassistant.setup import async_setup_component
from homeassistant.util.async_ import get_scheduled_timer_handles
from homeassistant.util.file import write_utf8_file
import pytest
from yarl import URL

from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.const import DOMAIN, PLATFORMS, SUBENTRY_VEHICLE
from custom_components.vehicle_remote_access.simulator import Simulator

from .conftest import TOKEN, Home

NEW_TOKEN: Final = "another-secret-token"
LOCK: Final = ("lock", "vehicle_state.locked")
BATTERY: Final = ("sensor", "charge_state.battery_level")
STATE: Final = ("sensor", "state")
HONK: Final = "honk_horn"
LIST: Final = "/vehicles"
READ: Final = "/vehicle_data"
WAKE: Final = "/wake_up"
BUSES_ASLEEP: Final = {"response": {"result": False, "reason": "could_not_wake_buses"}}
ADDED: Final = "charge_state.charge_energy_added"
_ITERATIONS: Final = 300
_MAX_ITERATIONS: Final = 50_000


class HoldingSimulator(Simulator):
    """A service that can hold authorized requests without a response until they are released."""

    def __init__(self, vehicles: int) -> None:
        """Start without holding requests."""
        super().__init__(vehicles=vehicles, seed=0, token=TOKEN)
        self.held: list[str] = []
        self._path: str | None = None
        self._released = asyncio.Event()
        self._refusal: web.Response | None = None

    def hold(self, path: str) -> None:
        """Hold requests whose path ends with `path` from now on."""
        self._path = path

    def stop_holding(self) -> None:
        """Hold no further requests. Requests that are held already stay held."""
        self._path = None

    def refuse(self, status: int, message: str) -> None:
        """Refuse the held request when it is released."""
        self._refusal = web.json_response({"response": None, "error": message}, status=status)

    def release(self) -> None:
        """Respond to the held requests."""
        self._path = None
        self._released.set()

    @override
    def _application(self) -> web.Application:
        application = super()._application()
        application.middlewares.append(self._hold)
        return application

    @web.middleware
    async def _hold(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self._path and request.path.endswith(self._path):
            self.held.append(request.path)
            await self._released.wait()
            self.held.remove(request.path)
            if self._refusal is not None:
                return self._refusal
        return await handler(request)


class Lifecycle:
    """An account, the operations of its users, and the tasks, listeners and files of the integration."""

    client: Client

    def __init__(self, home: Home, service: HoldingSimulator) -> None:
        """Record the tasks and listeners that exist before the account."""
        self.home = home
        self.hass = home.hass
        self.service = service
        self.commands: dict[str, asyncio.Task[Any]] = {}
        self.operations: list[asyncio.Task[Any]] = []
        self._tasks = asyncio.all_tasks()
        self._listeners = dict(self.hass.bus.async_listeners())

    async def set_up(self) -> None:
        """Set up the account."""
        await self.home.set_up()
        self.client = self.home.entry.runtime_data.service.client

    def start_command(self, command: str, operation: Coroutine[Any, Any, Any]) -> None:
        """Start a user's operation that sends a command."""
        self.commands[command] = asyncio.create_task(operation)

    def press(self, command: str) -> None:
        """Start to press a button."""
        self.start_command(command, self.home.call("button", "press", command))

    def unlock(self) -> None:
        """Start to unlock the doors."""
        self.start_command("door_unlock", self.home.call("lock", "unlock", LOCK[1]))

    def start(self, operation: Coroutine[Any, Any, Any]) -> None:
        """Start a user's operation that sends no command."""
        self.operations.append(asyncio.create_task(operation))

    async def until(self, condition: Callable[[], object]) -> None:
        """Let time pass until a condition holds."""
        assert await self.home.while_time_passes(_wait_for(condition)) == [None]

    async def end(self, ending: Ending, *, waits: bool = False) -> tuple[int, int]:
        """End the account, then release held requests; if the ending waits for them, release them first.

        Return the number of requests at the end: those of the service, and those of the client.
        """
        self.service.stop_holding()
        task = asyncio.create_task(ending.run(self))
        if waits:
            await _run_loop()
            self.service.release()
        await _complete(task)
        await task
        counts = self.request_count, self.client.request_count
        self.service.release()
        return counts

    async def fall_asleep(self) -> None:
        """Let the car fall asleep and Home Assistant detect it."""
        self.home.car.fall_asleep()
        await self.home.advance(65, step=65)
        assert self.home.shown(*STATE).state == "asleep"

    async def read_soon(self) -> None:
        """Let the car do something that is polled often, so that its next read is due soon."""
        await self.home.call("lock", "unlock", LOCK[1])
        await self.home.advance(68, step=17)

    @property
    def request_count(self) -> int:
        """The number of requests that the service received, including held ones."""
        return len(self.service.requests) + len(self.service.held)

    @property
    def timers(self) -> list[str]:
        """The timers of the integration."""
        handles = get_scheduled_timer_handles(self.hass.loop)
        timers = [_describe(handle) for handle in handles if not handle.cancelled()]
        return [timer for timer in timers if DOMAIN in timer]

    @property
    def tasks(self) -> list[str]:
        """The tasks that are new, except those of the service's connections."""
        new = asyncio.all_tasks() - self._tasks - {asyncio.current_task()}
        coroutines = [repr(task.get_coro()) for task in new]
        return [coroutine for coroutine in coroutines if "RequestHandler" not in coroutine]

    @property
    def listeners(self) -> Counter[Any]:
        """The numbers of new listeners, by event type."""
        listeners = Counter(self.hass.bus.async_listeners()) - Counter(self._listeners)
        # A zone keeps listening to a device tracker that was once in it.
        del listeners["state_changed"]
        return listeners

    @property
    def issues(self) -> list[str]:
        """The issues of the integration."""
        return [issue_id for domain, issue_id in ir.async_get(self.hass).issues if domain == DOMAIN]

    @property
    def flows(self) -> list[str]:
        """The open reauthentication flows."""
        flows = self.hass.config_entries.flow.async_progress()
        return [flow["flow_id"] for flow in flows if flow["context"]["source"] == SOURCE_REAUTH]

    @property
    def folder(self) -> Path:
        """The storage folder."""
        return Path(self.hass.config.path(".storage"))

    @property
    def files(self) -> set[str]:
        """The names of the integration's storage files."""
        return {path.name for path in self.folder.glob(f"{DOMAIN}.*")}


def _describe(handle: asyncio.TimerHandle) -> str:
    """Return a timer's callback, arguments and owner as text."""
    callback = handle._callback  # type: ignore[attr-defined] # noqa: SLF001
    owner = getattr(callback, "__self__", None)
    return f"{callback} {handle._args} {getattr(owner, '__dict__', '')}"  # noqa: SLF001


async def _complete(task: asyncio.Task[Any]) -> None:
    """Wait for a task without letting time pass, and fail if it does not end."""
    await _run_loop(_MAX_ITERATIONS, until=task.done)
    if not task.done():
        task.cancel()
        pytest.fail("The task does not end")


async def _wait_for(condition: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    while not condition():  # noqa: ASYNC110 - a condition is not an event
        await asyncio.sleep(0)


async def _run_loop(iterations: int = _ITERATIONS, until: Callable[[], bool] = bool) -> None:
    """Run the event loop without letting time pass, at most until a condition holds."""
    for _ in range(iterations):
        if until():
            return
        await asyncio.sleep(0)


# Activities


@dataclass(frozen=True)
class Activity:
    """An activity during which the account ends."""

    name: str
    start: Callable[[Lifecycle], Awaitable[None]]
    delays_ending: bool = False
    """Whether Home Assistant waits for the activity before it ends the account."""
    reloads_account: bool = False
    """Whether the flow of a user loads an account that was unloaded meanwhile."""


async def _between_reads(lifecycle: Lifecycle) -> None:
    assert lifecycle.timers


async def _list_request(lifecycle: Lifecycle) -> None:
    await lifecycle.fall_asleep()
    lifecycle.service.hold(LIST)
    await lifecycle.home.advance(55, step=55)
    await lifecycle.until(lambda: lifecycle.service.held)


async def _live_read(lifecycle: Lifecycle) -> None:
    await lifecycle.read_soon()
    lifecycle.service.hold(READ)
    await lifecycle.until(lambda: lifecycle.service.held)


async def _unanswered_read(lifecycle: Lifecycle) -> None:
    await lifecycle.read_soon()
    lifecycle.service.faults.fail("silence", only=READ)
    await lifecycle.until(lambda: lifecycle.service.unanswered)


async def _back_off(lifecycle: Lifecycle) -> None:
    await lifecycle.read_soon()
    lifecycle.service.faults.answer(503, only=READ)
    await lifecycle.until(lambda: lifecycle.service.requests[-1].status == 503)


async def _service_down(lifecycle: Lifecycle) -> None:
    await lifecycle.fall_asleep()
    lifecycle.service.faults.answer(503)
    await lifecycle.home.advance(55, step=55)
    await lifecycle.until(lambda: lifecycle.service.requests[-1].status == 503)


async def _issue(lifecycle: Lifecycle) -> None:
    await lifecycle.fall_asleep()
    lifecycle.service.faults.answer(423)
    await lifecycle.home.advance(55, step=55)
    await lifecycle.until(lambda: lifecycle.issues)


async def _wake_up(lifecycle: Lifecycle) -> None:
    await lifecycle.fall_asleep()
    lifecycle.service.hold(WAKE)
    lifecycle.unlock()
    await lifecycle.until(lambda: lifecycle.service.held)


async def _between_wake_checks(lifecycle: Lifecycle) -> None:
    await lifecycle.fall_asleep()
    lifecycle.unlock()
    await lifecycle.until(lambda: lifecycle.home.requests(WAKE))
    assert lifecycle.home.car.state == "asleep"


async def _command(lifecycle: Lifecycle) -> None:
    lifecycle.service.hold(HONK)
    lifecycle.press(HONK)
    await lifecycle.until(lambda: lifecycle.service.held)


async def _retry_for_sleeping_buses(lifecycle: Lifecycle) -> None:
    lifecycle.service.faults.answer(200, body=BUSES_ASLEEP, only=HONK)
    lifecycle.press(HONK)
    await lifecycle.until(lambda: lifecycle.home.requests(HONK))


async def _retry_of_a_command(lifecycle: Lifecycle) -> None:
    lifecycle.service.faults.answer(502, only="door_unlock")
    lifecycle.unlock()
    await lifecycle.until(lambda: lifecycle.home.requests("door_unlock"))


async def _queue(lifecycle: Lifecycle) -> None:
    await lifecycle.fall_asleep()
    lifecycle.service.hold(WAKE)
    lifecycle.press(HONK)
    lifecycle.unlock()
    lifecycle.press("flash_lights")
    await lifecycle.until(lambda: lifecycle.service.held)


async def _first_confirmation(lifecycle: Lifecycle) -> None:
    await lifecycle.home.call("lock", "unlock", LOCK[1])


async def _second_confirmation(lifecycle: Lifecycle) -> None:
    await lifecycle.home.call("lock", "unlock", LOCK[1])
    await lifecycle.home.advance(5, step=1)


async def _save(lifecycle: Lifecycle) -> None:
    lifecycle.home.car.unplug()
    await lifecycle.home.poll()
    lifecycle.home.car.plug_in()
    lifecycle.service.faults.corrupt(ADDED, 0.5)
    await lifecycle.home.poll()


async def _setup(lifecycle: Lifecycle) -> None:
    await lifecycle.home.leave()
    for name in lifecycle.files:
        await Store[dict[str, Any]](lifecycle.hass, 1, name).async_remove()
    lifecycle.service.hold(READ)
    lifecycle.hass.async_create_task(lifecycle.hass.config_entries.async_setup(lifecycle.home.entry.entry_id))
    await lifecycle.until(lambda: lifecycle.service.held)


async def _reauth_open(lifecycle: Lifecycle) -> None:
    lifecycle.home.entry.async_start_reauth(lifecycle.hass)
    await lifecycle.home.idle()
    assert lifecycle.flows


async def _reauth_request(lifecycle: Lifecycle) -> None:
    await _reauth_open(lifecycle)
    lifecycle.service.token = NEW_TOKEN
    lifecycle.service.hold(LIST)
    (flow_id,) = lifecycle.flows
    lifecycle.start(lifecycle.hass.config_entries.flow.async_configure(flow_id, {"access_token": NEW_TOKEN}))
    await lifecycle.until(lambda: lifecycle.service.held)


async def _reconfigure_request(lifecycle: Lifecycle) -> None:
    lifecycle.service.hold(LIST)
    flow = lifecycle.hass.config_entries.flow
    context = ConfigFlowContext(source=SOURCE_RECONFIGURE, entry_id=lifecycle.home.entry.entry_id)
    form = await flow.async_init(DOMAIN, context=context)
    lifecycle.service.token = NEW_TOKEN
    values = {"base_url": lifecycle.service.url, "access_token": NEW_TOKEN}
    lifecycle.start(flow.async_configure(form["flow_id"], values))
    await lifecycle.until(lambda: lifecycle.service.held)


async def _add_vehicle_request(lifecycle: Lifecycle) -> None:
    lifecycle.service.hold(LIST)
    flow = lifecycle.hass.config_entries.subentries
    handler = lifecycle.home.entry.entry_id, SUBENTRY_VEHICLE
    lifecycle.start(flow.async_init(handler, context={"source": SOURCE_USER}))
    await lifecycle.until(lambda: lifecycle.service.held)


async def _action(lifecycle: Lifecycle) -> None:
    lifecycle.service.hold(READ)
    lifecycle.start(lifecycle.home.act("get_vehicle_data"))
    await lifecycle.until(lambda: lifecycle.service.held)


async def _refresh(lifecycle: Lifecycle) -> None:
    lifecycle.service.hold(READ)
    lifecycle.start(lifecycle.home.call("button", "press", "refresh"))
    await lifecycle.until(lambda: lifecycle.service.held)


ACTIVITIES: Final = (
    Activity("between two reads", _between_reads),
    Activity("during a list request", _list_request),
    Activity("during a live read", _live_read),
    Activity("while a live read gets no response", _unanswered_read),
    Activity("after a failed read", _back_off),
    Activity("while the service is down", _service_down),
    Activity("while an issue is shown", _issue),
    Activity("during a wake-up request", _wake_up),
    Activity("between two checks of a waking car", _between_wake_checks),
    Activity("during a command", _command),
    Activity("before a command is retried because the buses are asleep", _retry_for_sleeping_buses),
    Activity("before a command is retried", _retry_of_a_command),
    Activity("while commands wait for the car to wake", _queue),
    Activity("before a command is confirmed", _first_confirmation),
    Activity("before a command is confirmed again", _second_confirmation),
    Activity("while a save is due", _save),
    Activity("during setup", _setup, delays_ending=True),
    Activity("while reauthentication is open", _reauth_open),
    Activity("while a new token is checked", _reauth_request, reloads_account=True),
    Activity("while a new address is checked", _reconfigure_request, reloads_account=True),
    Activity("while a car is added", _add_vehicle_request),
    Activity("while an action waits for its response", _action),
    Activity("during a refresh", _refresh),
)


# Endings


@dataclass(frozen=True)
class Ending:
    """A way in which an account ends or restarts."""

    name: str
    run: Callable[[Lifecycle], Coroutine[Any, Any, None]]
    continues: bool = True
    """Whether the account works afterwards."""
    cars: int = 1


async def _unload(lifecycle: Lifecycle) -> None:
    assert await lifecycle.hass.config_entries.async_unload(lifecycle.home.entry.entry_id)


async def _reload(lifecycle: Lifecycle) -> None:
    assert await lifecycle.hass.config_entries.async_reload(lifecycle.home.entry.entry_id)


async def _remove(lifecycle: Lifecycle) -> None:
    assert await lifecycle.hass.config_entries.async_remove(lifecycle.home.entry.entry_id) == {
        "require_restart": False
    }


async def _remove_vehicle(lifecycle: Lifecycle) -> None:
    subentry_id = next(iter(lifecycle.home.entry.subentries))
    lifecycle.hass.config_entries.async_remove_subentry(lifecycle.home.entry, subentry_id)
    await _wait_for_reload(lifecycle)


async def _stop(lifecycle: Lifecycle) -> None:
    await lifecycle.hass.async_stop()


async def _change_token(lifecycle: Lifecycle) -> None:
    lifecycle.service.token = NEW_TOKEN
    data = {**lifecycle.home.entry.data, "access_token": NEW_TOKEN}
    lifecycle.hass.config_entries.async_update_entry(lifecycle.home.entry, data=data)
    await _wait_for_reload(lifecycle)


async def _wait_for_reload(lifecycle: Lifecycle) -> None:
    entry = lifecycle.home.entry
    await _wait_for(lambda: entry.state is ConfigEntryState.LOADED and not entry.runtime_data.needs_reload())


UNLOAD: Final = Ending("unload", _unload, continues=False)
RELOAD: Final = Ending("reload", _reload)
REMOVE: Final = Ending("remove", _remove, continues=False)
REMOVE_VEHICLE: Final = Ending("remove the vehicle", _remove_vehicle, cars=2)
STOP: Final = Ending("stop", _stop, continues=False)
CHANGE_TOKEN: Final = Ending("change the token", _change_token)
ENDINGS: Final = (UNLOAD, RELOAD, REMOVE, REMOVE_VEHICLE, STOP, CHANGE_TOKEN)
MATRIX: Final = [
    pytest.param(ending, activity, id=f"{ending.name}-{activity.name}")
    for ending in ENDINGS
    for activity in ACTIVITIES
    # During setup, Home Assistant refuses to unload an account, and does not wait for it when it stops.
    if not (activity.delays_ending and ending in (UNLOAD, STOP))
]


# Checks


def _is_valid_result(result: object, ending: Ending) -> bool:
    """Return whether an operation succeeded or raised a translated error."""
    if isinstance(result, HomeAssistantError):
        # For a flow of a removed account, Home Assistant raises an error without a translation.
        return result.translation_key is not None or isinstance(result, UnknownEntry | UnknownFlow)
    if isinstance(result, asyncio.CancelledError):
        # Home Assistant cancels running operations when it stops.
        return ending is STOP
    return not isinstance(result, BaseException)


async def _check_results(lifecycle: Lifecycle, ending: Ending) -> None:
    """Check that each operation has a result, and that no command was sent twice."""
    results = await lifecycle.home.while_time_passes(*lifecycle.commands.values(), *lifecycle.operations)
    assert not [result for result in results if not _is_valid_result(result, ending)]
    for command, error in zip(lifecycle.commands, results, strict=False):
        times = len(lifecycle.home.requests(f"/command/{command}"))
        assert times <= 1
        assert times or error, f"{command} succeeded without a request"


async def _check_inactive(lifecycle: Lifecycle, request_count: int) -> None:
    """Check that the account has no timers and tasks, and sends no more requests."""
    assert not lifecycle.timers
    await lifecycle.home.advance(20, step=1)
    await lifecycle.home.advance(3600, step=180)
    await _run_loop()
    assert lifecycle.request_count <= request_count, lifecycle.home.requests()
    assert not lifecycle.timers
    assert not lifecycle.tasks


def _problems(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the logged errors and tracebacks."""
    return [
        record.getMessage()
        for record in caplog.get_records("call")
        # The simulator's HTTP server logs disconnected clients as errors.
        if record.name != "aiohttp.server"
        if record.levelno >= logging.ERROR or (record.exc_info and record.levelno > logging.DEBUG)
    ]


async def _check_working(lifecycle: Lifecycle, vin: str) -> None:
    """Check that the account is loaded, shows the state of the car, and accepts a command."""
    home, service = lifecycle.home, lifecycle.service
    car = next(vehicle for vehicle in service.vehicles if vehicle.vin == vin)
    assert home.entry.state is ConfigEntryState.LOADED
    assert not lifecycle.flows
    await home.advance(120, step=20)
    assert home.shown(*STATE, vin).state == car.state
    if car.state == "online":
        assert home.shown(*LOCK, vin).state == ("locked" if car.body.locked else "unlocked")
    assert home.shown(*BATTERY, vin).state == str(round(car.charging.level))
    service.requests.clear()
    button = {"entity_id": home.entity_id("button", "flash_lights", vin)}
    press = home.hass.services.async_call("button", "press", button, blocking=True)
    assert await home.while_it_takes(press) is None
    assert len(home.requests("/flash_lights")) == 1
    assert {request.status for request in service.requests} == {200}


# Tests


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Use real files: with the storage mock, deleting a file does not cancel its delayed write."""
    return {}


@pytest.fixture
def hass_config_dir(tmp_path: Path) -> str:
    """The folder for the files."""
    return str(tmp_path)


@pytest.fixture
def ending() -> Ending:
    """The way in which the account ends."""
    return UNLOAD


@pytest.fixture
def cars(ending: Ending) -> int:
    """The number of cars that leaves at least one after the ending."""
    return ending.cars


@pytest.fixture
async def simulator(freezer: FrozenDateTimeFactory, cars: int) -> AsyncIterator[HoldingSimulator]:
    """A service that can hold requests."""
    service = HoldingSimulator(cars)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def lifecycle(empty_home: Home, simulator: HoldingSimulator) -> AsyncIterator[Lifecycle]:
    """An account that is not set up yet, in a Home Assistant with all platforms loaded."""
    for platform in PLATFORMS:
        assert await async_setup_component(empty_home.hass, platform, {})
    async_get_clientsession(empty_home.hass)
    await empty_home.idle()
    empty_home.hass.loop.set_debug(False)
    lifecycle = Lifecycle(empty_home, simulator)
    yield lifecycle
    # If the test failed, requests may still be held.
    simulator.release()
    await simulator.stop()
    for task in (*lifecycle.commands.values(), *lifecycle.operations):
        task.cancel()


@pytest.mark.parametrize(("ending", "activity"), MATRIX)
async def test_ending_during_activity(
    lifecycle: Lifecycle, ending: Ending, activity: Activity, caplog: pytest.LogCaptureFixture
) -> None:
    """Each operation gets a result, no command is sent twice, and nothing is left of the account."""
    home, service = lifecycle.home, lifecycle.service
    removed, remaining = service.vehicles[0].vin, service.vehicles[-1].vin
    await lifecycle.set_up()
    entry_id, listeners, timers = home.entry.entry_id, lifecycle.listeners, len(lifecycle.timers)
    await activity.start(lifecycle)
    caplog.clear()
    request_count, client_request_count = await lifecycle.end(ending, waits=activity.delays_ending)
    await _check_results(lifecycle, ending)
    if ending.continues or (activity.reloads_account and ending is UNLOAD):
        service.faults.clear()
        # Let the reads that confirm a command finish: they continue after a reload.
        await home.advance(20)
        assert len(lifecycle.timers) <= timers
        await _check_working(lifecycle, remaining)
        assert lifecycle.listeners <= listeners
    else:
        await _check_inactive(lifecycle, request_count)
    assert lifecycle.client.request_count == client_request_count
    if ending is not STOP:
        assert not lifecycle.issues
        assert ending.continues or activity.reloads_account or not lifecycle.listeners
    if ending is UNLOAD and not activity.reloads_account:
        assert set(home.states().values()) == {"unavailable"}
    if ending is REMOVE:
        assert not lifecycle.files
        assert not lifecycle.flows
        assert not er.async_entries_for_config_entry(er.async_get(lifecycle.hass), entry_id)
        assert not dr.async_entries_for_config_entry(dr.async_get(lifecycle.hass), entry_id)
    if ending is REMOVE_VEHICLE:
        entities = er.async_get(lifecycle.hass).entities.values()
        assert lifecycle.files == {f"{DOMAIN}.{store_id}" for store_id in (entry_id, *home.entry.subentries)}
        assert not [entity for entity in entities if removed in entity.unique_id]
        assert (
            dr.async_get(lifecycle.hass).async_get_device_by_identifier((DOMAIN, removed), entry_id) is None
        )
    assert not _problems(caplog)


LATE_RESPONSES: Final = (
    pytest.param(_command, 401, "invalid_token", id="command, token refused"),
    pytest.param(_command, 403, "vehicle command protocol required", id="command, signing required"),
    pytest.param(_action, 423, "locked", id="action, account locked"),
)


@pytest.mark.parametrize(("start", "status", "message"), LATE_RESPONSES)
@pytest.mark.parametrize(
    "ending", [ending for ending in ENDINGS if ending is not STOP], ids=lambda ending: ending.name
)
async def test_late_response(
    lifecycle: Lifecycle,
    ending: Ending,
    start: Callable[[Lifecycle], Awaitable[None]],
    status: int,
    message: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A refusal after the account ended raises an error for the caller, without an issue or a flow."""
    await lifecycle.set_up()
    await start(lifecycle)
    caplog.clear()
    lifecycle.service.refuse(status, message)
    await lifecycle.end(ending)
    results = await lifecycle.home.while_time_passes(*lifecycle.commands.values(), *lifecycle.operations)
    assert [type(error) for error in results] == [HomeAssistantError]
    await lifecycle.home.idle()
    assert not lifecycle.issues
    assert not lifecycle.flows
    assert not _problems(caplog)


@pytest.mark.parametrize("ending", [UNLOAD, RELOAD, STOP, CHANGE_TOKEN], ids=lambda ending: ending.name)
async def test_ending_saves_data(lifecycle: Lifecycle, ending: Ending) -> None:
    """Data whose save is delayed is saved when the account ends."""
    await lifecycle.set_up()
    await _save(lifecycle)
    name = f"{DOMAIN}.{lifecycle.home.coordinator.subentry_id}"
    await lifecycle.end(ending)
    stored = json.loads(await lifecycle.hass.async_add_executor_job((lifecycle.folder / name).read_text))
    assert stored["data"]["meter"]["added"] == 0.5


@pytest.mark.parametrize("ending", [REMOVE, REMOVE_VEHICLE], ids=lambda ending: ending.name)
async def test_removal_during_a_write(lifecycle: Lifecycle, ending: Ending) -> None:
    """A file that is being written while its car is removed is deleted."""
    await lifecycle.set_up()
    name = f"{DOMAIN}.{lifecycle.home.coordinator.subentry_id}"
    started, may_finish = Event(), Event()

    def write(path: str, *args: Any, **kwargs: Any) -> None:
        if path.endswith(name):
            started.set()
            may_finish.wait()
        write_utf8_file(path, *args, **kwargs)

    await _save(lifecycle)
    with patch("homeassistant.helpers.storage.write_utf8_file", write):
        await lifecycle.until(started.is_set)
        task = asyncio.create_task(ending.run(lifecycle))
        # Run everything that does not wait for the write.
        await _run_loop(_MAX_ITERATIONS // 10, until=task.done)
        may_finish.set()
        await _complete(task)
        await lifecycle.home.idle()
    assert name not in lifecycle.files


@pytest.mark.parametrize(
    "ending", [UNLOAD, RELOAD, REMOVE, REMOVE_VEHICLE, STOP], ids=lambda ending: ending.name
)
async def test_simulated_account(
    lifecycle: Lifecycle, ending: Ending, caplog: pytest.LogCaptureFixture
) -> None:
    """The service of a simulated account ends with the account, even during a request."""
    home = lifecycle.home
    form = await home.start_flow("simulator")
    await home.submit(form, vehicles=2, speed=1)
    await home.idle()
    lifecycle.client = home.entry.runtime_data.service.client
    simulator = home.entry.runtime_data.service.simulator
    assert simulator is not None
    first, second = (subentry.unique_id or "" for subentry in home.entry.subentries.values())
    simulator.faults.fail("silence", only=HONK)
    button = {"entity_id": home.entity_id("button", HONK, first)}
    lifecycle.start_command(
        HONK, lifecycle.hass.services.async_call("button", "press", button, blocking=True)
    )
    await lifecycle.until(lambda: simulator.unanswered)
    caplog.clear()
    url = URL(simulator.url)
    await lifecycle.end(ending)
    results = await home.while_time_passes(*lifecycle.commands.values())
    assert not [result for result in results if not _is_valid_result(result, ending)]
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(url.host, url.port)
    if ending.continues:
        await home.idle()
        assert home.shown(*STATE, second).state == "online"
    assert not _problems(caplog)
