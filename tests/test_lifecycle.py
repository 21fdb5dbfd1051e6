"""Ending an account during every activity: nothing keeps running, and every caller gets a result."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from threading import Event
from typing import Any, Final
from unittest.mock import patch

from aiohttp import web
from aiohttp.typedefs import Handler
from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import SOURCE_USER, ConfigEntryState, UnknownEntry
from homeassistant.data_entry_flow import UnknownFlow
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.storage import Store
from homeassistant.setup import async_setup_component
from homeassistant.util.async_ import get_scheduled_timer_handles
from homeassistant.util.file import AtomicWriter
import pytest
from yarl import URL

from custom_components.vehicle_remote_access.account.storage import log_names
from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.const import DOMAIN, PLATFORMS, SUBENTRY_VEHICLE
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from simulator_console.services import SimulatedService

from .conftest import LOCK, READ, REAL_FILES, STATE, TOKEN, WAKE, Home, logged_problems
from .issues import issues

HONK: Final = "honk_horn"
LIST: Final = "/vehicles"
# With the storage mock, deleting a file does not cancel its delayed write.
pytestmark = REAL_FILES


class _HoldingSimulator(SimulatedService):
    """A service that can hold authorized requests without a response until they are released."""

    def __init__(self, vehicles: int) -> None:
        super().__init__(
            vehicles=vehicles,
            seed=0,
            token=TOKEN,
            extend=lambda _, application: application.middlewares.append(self._hold),
        )
        self.held: list[str] = []
        self.holds: str | None = None
        """The end of the paths of requests to hold from now on."""
        self.refusal: tuple[int, str] | None = None
        """The status and the message of the response to held requests, instead of the usual one."""
        self._released = asyncio.Event()

    def release(self) -> None:
        self.holds = None
        self._released.set()

    @web.middleware
    async def _hold(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self.holds and request.path.endswith(self.holds):
            self.held.append(request.path)
            await self._released.wait()
            self.held.remove(request.path)
            if self.refusal is not None:
                status, message = self.refusal
                return web.json_response({"response": None, "error": message}, status=status)
        return await handler(request)


class _Lifecycle:
    """An account, the operations of its users, and the tasks, listeners and files of the integration."""

    client: Client

    def __init__(self, home: Home, service: _HoldingSimulator) -> None:
        self.home = home
        self.hass = home.hass
        self.service = service
        self.operations: list[tuple[asyncio.Task[Any], str]] = []
        """The operations of users, each with the command that it sends, or an empty text."""
        self.tasks = asyncio.all_tasks()
        self._listeners = dict(self.hass.bus.async_listeners())

    async def set_up(self) -> None:
        await self.home.set_up()
        self.client = self.home.entry.runtime_data.provider

    def start(self, operation: Coroutine[Any, Any, Any], command: str = "") -> None:
        self.operations.append((asyncio.create_task(operation), command))

    def press(self, command: str) -> None:
        self.start(self.home.press(command), command)

    def unlock(self) -> None:
        self.start(self.home.call("lock", "unlock", LOCK[1]), "door_unlock")

    async def results(self) -> list[BaseException | None]:
        return await self.home.gather(*(task for task, _ in self.operations))

    async def until(self, condition: Callable[[], object]) -> None:
        await self.home.run_until_complete(_wait_for(condition))

    async def end(self, ending: Ending, *, waits: bool = False) -> tuple[int, int]:
        """End the account, then release held requests; if the ending waits for them, release them first.

        Return the number of requests at the end: those of the service, and those of the client.
        """
        # Requests that are held already stay held.
        self.service.holds = None
        task = asyncio.create_task(ending.run(self))
        if waits:
            await _run_loop()
            self.service.release()
        await _complete(task)
        counts = self.request_count, self.client.request_count
        self.service.release()
        return counts

    @property
    def request_count(self) -> int:
        """The number of requests that the service received, including held ones."""
        return len(self.service.requests) + len(self.service.held)

    @property
    def timers(self) -> list[str]:
        """The timers of the integration, with their callback, its arguments and its owner."""
        timers = []
        for handle in get_scheduled_timer_handles(self.hass.loop):
            callback = handle._callback  # type: ignore[attr-defined] # noqa: SLF001
            owner = getattr(getattr(callback, "__self__", None), "__dict__", "")
            timer = f"{callback} {handle._args} {owner}"  # noqa: SLF001
            if DOMAIN in timer and not handle.cancelled():
                timers.append(timer)
        return timers

    @property
    def listeners(self) -> Counter[Any]:
        """The numbers of new listeners, by event type."""
        listeners = Counter(self.hass.bus.async_listeners()) - Counter(self._listeners)
        # A zone keeps listening to a device tracker that was once in it.
        del listeners["state_changed"]
        return listeners


async def _complete(task: asyncio.Task[Any]) -> None:
    """Wait for a task without letting time pass, and fail if it does not end."""
    await _run_loop(1_000_000, until=task.done)
    assert task.done(), "The task does not end"
    await task


async def _wait_for(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 - a condition is not an event
        await asyncio.sleep(0)


async def _run_loop(iterations: int = 300, until: Callable[[], bool] = bool) -> None:
    """Run the event loop without letting time pass, at most until a condition holds."""
    for _ in range(iterations):
        if until():
            return
        await asyncio.sleep(0)


@dataclass(frozen=True)
class Ending:
    name: str
    run: Callable[[_Lifecycle], Coroutine[Any, Any, Any]]
    continues: bool = True
    """Whether the account works afterwards."""
    cars: int = 1


async def _remove_vehicle(lifecycle: _Lifecycle) -> None:
    entry = lifecycle.home.entry
    lifecycle.hass.config_entries.async_remove_subentry(entry, next(iter(entry.subentries)))
    await _wait_for(lambda: entry.state is ConfigEntryState.LOADED and len(entry.runtime_data.vehicles) == 1)


UNLOAD: Final = Ending("unload", lambda on: on.home.unload(), continues=False)
RELOAD: Final = Ending("reload", lambda on: on.hass.config_entries.async_reload(on.home.entry.entry_id))
REMOVE: Final = Ending(
    "remove", lambda on: on.hass.config_entries.async_remove(on.home.entry.entry_id), continues=False
)
REMOVE_VEHICLE: Final = Ending("remove the vehicle", _remove_vehicle, cars=2)
STOP: Final = Ending("stop", lambda on: on.hass.async_stop(), continues=False)
ENDINGS: Final = (UNLOAD, RELOAD, REMOVE, REMOVE_VEHICLE, STOP)


@dataclass(frozen=True)
class Activity:
    name: str
    endings: tuple[Ending, ...]
    """The endings that are tested without `--all`."""
    prepare: Callable[[_Lifecycle], Coroutine[Any, Any, None]] | None = None
    holds: str | None = None
    """The end of the path of the requests that get no response before the end."""
    fault: tuple[int, str] | None = None
    """The status of the response to the next request with a text in its path."""
    start: Callable[[_Lifecycle], object] = lambda _: None
    until: Callable[[_Lifecycle], object] = lambda on: on.service.held or not on.service.holds
    """What has to hold before the account ends."""

    async def run(self, lifecycle: _Lifecycle) -> None:
        """Start the activity."""
        if self.prepare is not None:
            await self.prepare(lifecycle)
        lifecycle.service.holds = self.holds
        if self.fault is not None:
            status, path = self.fault
            lifecycle.service.faults.answer(status, only=path)
        self.start(lifecycle)
        await lifecycle.until(lambda: self.until(lifecycle))


async def _fall_asleep(lifecycle: _Lifecycle) -> None:
    """Let the car fall asleep and Home Assistant detect it. The next list is due in a few seconds."""
    lifecycle.home.car.fall_asleep()
    await lifecycle.home.advance(65, step=65)
    assert lifecycle.home.shown(*STATE).state == "asleep"
    await lifecycle.home.advance(55, step=55)


async def _read_soon(lifecycle: _Lifecycle) -> None:
    """Let the car do something that is polled often, so that its next read is due in a few seconds."""
    await lifecycle.home.call("lock", "unlock", LOCK[1])
    await lifecycle.home.advance(68, step=17)


async def _begin_session(lifecycle: _Lifecycle) -> None:
    """Let a charging session begin, which is to be saved soon."""
    lifecycle.home.car.unplug()
    await lifecycle.home.poll()
    lifecycle.home.car.plug_in()
    lifecycle.home.skip(120)
    lifecycle.service.faults.corrupt("charge_state.charge_energy_added", 0.5)
    lifecycle.service.faults.corrupt("charge_state.charge_miles_added_rated", 2)
    await lifecycle.home.poll()


async def _set_up_again(lifecycle: _Lifecycle) -> None:
    """Set the account up without its files, so that the setup waits for a read."""
    await lifecycle.home.leave()
    for name in lifecycle.home.files:
        await Store[dict[str, Any]](lifecycle.hass, 1, name).async_remove()
    lifecycle.hass.async_create_task(lifecycle.hass.config_entries.async_setup(lifecycle.home.entry.entry_id))


async def _start_reauth(lifecycle: _Lifecycle) -> None:
    lifecycle.home.entry.async_start_reauth(lifecycle.hass)
    await lifecycle.home.idle()


async def _enter_token(lifecycle: _Lifecycle) -> None:
    lifecycle.service.token = "another-secret-token"
    await lifecycle.home.enter_token(lifecycle.service.token)


async def _add_vehicle(lifecycle: _Lifecycle) -> None:
    handler = lifecycle.home.entry.entry_id, SUBENTRY_VEHICLE
    flows = lifecycle.hass.config_entries.subentries
    await flows.async_init(handler, context={"source": SOURCE_USER})


def _start_commands(lifecycle: _Lifecycle) -> None:
    lifecycle.press(HONK)
    lifecycle.unlock()


def _has_failed(lifecycle: _Lifecycle) -> bool:
    return lifecycle.service.requests[-1].status != 200


def _is_done(lifecycle: _Lifecycle) -> bool:
    return lifecycle.operations[0][0].done()


COMMAND: Final = Activity("command", (UNLOAD, REMOVE), holds=HONK, start=lambda on: on.press(HONK))
SETUP: Final = Activity("setup", (RELOAD, REMOVE), _set_up_again, holds=READ)
ACTION: Final = Activity(
    "action", (UNLOAD, STOP), holds=READ, start=lambda on: on.start(on.home.act("get_vehicle_data"))
)
# This flow loads an account that was unloaded meanwhile.
NEW_TOKEN_FLOW: Final = Activity(
    "new token", (UNLOAD, REMOVE, RELOAD), _start_reauth, LIST, start=lambda on: on.start(_enter_token(on))
)
ACTIVITIES: Final = (
    COMMAND,
    SETUP,
    ACTION,
    NEW_TOKEN_FLOW,
    Activity("time between two reads", (UNLOAD, REMOVE_VEHICLE)),
    Activity("request for the list", (UNLOAD, STOP), _fall_asleep, LIST),
    Activity("live read", (UNLOAD, REMOVE_VEHICLE), _read_soon, READ),
    Activity("back-off of a read", (UNLOAD, RELOAD), _read_soon, fault=(503, READ), until=_has_failed),
    Activity("back-off of the list", (RELOAD, STOP), _fall_asleep, fault=(503, LIST), until=_has_failed),
    Activity("issue", (UNLOAD, REMOVE), _fall_asleep, fault=(423, LIST), until=lambda on: issues(on.home)),
    Activity("wake-up", (UNLOAD, STOP, RELOAD), _fall_asleep, WAKE, start=_start_commands),
    Activity(
        "time between two checks of a waking car",
        (UNLOAD, REMOVE_VEHICLE),
        _fall_asleep,
        start=_Lifecycle.unlock,
        until=lambda on: on.home.requests(WAKE),
    ),
    Activity(
        "pause before a command is retried",
        (UNLOAD, RELOAD, REMOVE, STOP),
        fault=(502, "unlock"),
        start=_Lifecycle.unlock,
        until=_has_failed,
    ),
    Activity("unconfirmed command", (UNLOAD, RELOAD, STOP), start=_Lifecycle.unlock, until=_is_done),
    Activity(
        "pause after a 401",
        (UNLOAD, REMOVE_VEHICLE),
        fault=(401, "unlock"),
        start=_Lifecycle.unlock,
        until=_has_failed,
    ),
    Activity("delay of a save", (REMOVE, REMOVE_VEHICLE), _begin_session),
    Activity("reauthentication", (RELOAD, REMOVE), _start_reauth, until=lambda on: on.home.open_flows()),
    Activity("search for a new car", (REMOVE, STOP), holds=LIST, start=lambda on: on.start(_add_vehicle(on))),
    Activity(
        "refresh", (REMOVE, REMOVE_VEHICLE), holds=READ, start=lambda on: on.start(on.home.press("refresh"))
    ),
)
MATRIX: Final = [
    pytest.param(
        ending,
        activity,
        id=f"{ending.name} during {activity.name}",
        marks=() if ending in activity.endings else pytest.mark.exhaustive,
    )
    for activity in ACTIVITIES
    for ending in ENDINGS
    # During setup, Home Assistant refuses to unload an account, and does not wait for it when it stops.
    if activity is not SETUP or ending not in (UNLOAD, STOP)
]


async def _check_results(lifecycle: _Lifecycle, ending: Ending) -> None:
    """Check that each operation succeeded or raised a translated error. No command was sent twice."""
    # For a flow of a removed account, Home Assistant raises an error without a translation.
    valid: tuple[type[BaseException], ...] = (UnknownEntry, UnknownFlow)
    if ending is STOP:
        # Home Assistant cancels running operations when it stops.
        valid += (asyncio.CancelledError,)
    results = await lifecycle.results()
    for (_, command), error in zip(lifecycle.operations, results, strict=True):
        if isinstance(error, BaseException) and not isinstance(error, valid):
            assert isinstance(error, HomeAssistantError)
            assert error.translation_key is not None
        if command:
            times = len(lifecycle.home.requests(f"/command/{command}"))
            assert times <= 1
            assert times or error, f"{command} succeeded without a request"


async def _check_inactive(lifecycle: _Lifecycle, request_count: int) -> None:
    """Check that the account has no timers and tasks, and sends no more requests."""
    assert not lifecycle.timers
    await lifecycle.home.advance(20, step=1)
    await lifecycle.home.advance(3600, step=180)
    await _run_loop()
    assert lifecycle.request_count <= request_count, lifecycle.home.requests()
    assert not lifecycle.timers
    tasks = asyncio.all_tasks() - lifecycle.tasks - {asyncio.current_task()}
    # The connections of the service stay open.
    assert not [task for task in tasks if "RequestHandler" not in repr(task.get_coro())]


async def _check_working(lifecycle: _Lifecycle, car: SimulatedVehicle) -> None:
    """Check that the account is loaded, shows the state of the car, and accepts a command."""
    home, service = lifecycle.home, lifecycle.service
    assert home.entry.state is ConfigEntryState.LOADED
    await home.advance(120, step=20)
    await home.run_until_complete(home.press("refresh", car.vin))
    assert home.shown(*STATE, car.vin).state == car.state
    if car.state == "online":
        assert home.shown(*LOCK, car.vin).state == ("locked" if car.body.locked else "unlocked")
    assert home.shown("sensor", "charge_state.battery_level", car.vin).state == str(round(car.charging.level))
    service.requests.clear()
    await home.run_until_complete(home.press("flash_lights", car.vin))
    assert len(home.requests("/flash_lights")) == 1
    assert {request.status for request in service.requests} == {200}


@pytest.fixture
def ending() -> Ending:
    return UNLOAD


@pytest.fixture
async def simulator(freezer: FrozenDateTimeFactory, ending: Ending) -> AsyncIterator[_HoldingSimulator]:
    """A service that can hold requests, with at least one car after the ending."""
    service = _HoldingSimulator(ending.cars)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def lifecycle(empty_home: Home, simulator: _HoldingSimulator) -> AsyncIterator[_Lifecycle]:
    """An account that is not set up yet, in a Home Assistant with all platforms loaded."""
    for platform in PLATFORMS:
        assert await async_setup_component(empty_home.hass, platform, {})
    async_get_clientsession(empty_home.hass)
    await empty_home.idle()
    lifecycle = _Lifecycle(empty_home, simulator)
    yield lifecycle
    # If the test failed, requests may still be held.
    simulator.release()
    await simulator.stop()
    for task, _ in lifecycle.operations:
        task.cancel()


@pytest.mark.parametrize(("ending", "activity"), MATRIX)
async def test_ending_during_activity(
    lifecycle: _Lifecycle, ending: Ending, activity: Activity, caplog: pytest.LogCaptureFixture
) -> None:
    """Each operation gets a result, no command is sent twice, and nothing is left of the account."""
    home, service, hass = lifecycle.home, lifecycle.service, lifecycle.hass
    first, last = service.vehicles[0], service.vehicles[-1]
    await lifecycle.set_up()
    entry_id, listeners, timers = home.entry.entry_id, lifecycle.listeners, len(lifecycle.timers)
    await activity.run(lifecycle)
    # Only a removed vehicle leaves the account and its flows as they are.
    flows = set(home.open_flows() if ending is REMOVE_VEHICLE else ())
    caplog.clear()
    # Home Assistant waits for a setup before it ends the account.
    request_count, client_request_count = await lifecycle.end(ending, waits=activity is SETUP)
    await _check_results(lifecycle, ending)
    is_active = ending.continues or (ending is UNLOAD and activity is NEW_TOKEN_FLOW)
    if is_active:
        service.faults.clear()
        service.requests.clear()
        # Let the reads that confirm a command finish: they continue after a reload.
        await home.advance(20)
        assert ending is not REMOVE_VEHICLE or not home.requests(str(first.id))
        assert len(lifecycle.timers) <= timers
        assert flows.issuperset(home.open_flows())
        await _check_working(lifecycle, last)
        assert lifecycle.listeners <= listeners
    else:
        await _check_inactive(lifecycle, request_count)
    if ending is not REMOVE_VEHICLE:
        assert lifecycle.client.request_count == client_request_count
        assert ending is STOP or not issues(home)
    if ending is not STOP:
        assert is_active or activity is NEW_TOKEN_FLOW or not lifecycle.listeners
    if ending is UNLOAD and not is_active:
        assert set(home.states().values()) == {"unavailable"}
    if ending is REMOVE:
        assert not home.files
        assert not home.open_flows()
        assert not er.async_entries_for_config_entry(er.async_get(hass), entry_id)
        assert not dr.async_entries_for_config_entry(dr.async_get(hass), entry_id)
    if ending is REMOVE_VEHICLE:
        # The issues of the account remain.
        assert not [issue for issue in issues(home) if not issue.issue_id.startswith(entry_id)]
        entities = er.async_get(hass).entities.values()
        stored = {name for car in home.entry.subentries for name in (car, *log_names(car))}
        others = home.files - {f"{DOMAIN}.{entry_id}"}
        assert others < home.files
        assert others <= {f"{DOMAIN}.{name}" for name in stored}
        assert not [entity for entity in entities if first.vin in entity.unique_id]
        assert dr.async_get(hass).async_get_device_by_identifier((DOMAIN, first.vin), entry_id) is None
    assert not logged_problems(caplog)


@pytest.mark.parametrize(
    ("activity", "refusal"),
    [
        (COMMAND, (401, "invalid_token")),
        (COMMAND, (403, "vehicle command protocol required")),
        (ACTION, (423, "locked")),
    ],
    ids=["token refused", "signing required", "account locked"],
)
@pytest.mark.parametrize("ending", [UNLOAD, REMOVE_VEHICLE], ids=lambda ending: ending.name)
async def test_refusal_after_the_end_is_an_error_without_an_issue_or_a_flow(
    lifecycle: _Lifecycle, ending: Ending, activity: Activity, refusal: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await lifecycle.set_up()
    await activity.run(lifecycle)
    caplog.clear()
    lifecycle.service.refusal = refusal
    await lifecycle.end(ending)
    assert [type(error) for error in await lifecycle.results()] == [HomeAssistantError]
    await lifecycle.home.idle()
    assert not issues(lifecycle.home)
    assert not lifecycle.home.open_flows()
    assert not logged_problems(caplog)


@pytest.mark.parametrize("ending", [REMOVE, REMOVE_VEHICLE], ids=lambda ending: ending.name)
async def test_file_written_during_the_removal_is_deleted(lifecycle: _Lifecycle, ending: Ending) -> None:
    await lifecycle.set_up()
    name = f"{DOMAIN}.{lifecycle.home.coordinator.subentry_id}"
    started, may_finish = Event(), Event()

    open_file = AtomicWriter.open

    def open_slowly(writer: AtomicWriter) -> Any:
        if str(writer._path).endswith(name):  # noqa: SLF001 - its only public attribute is `open`
            started.set()
            may_finish.wait()
        return open_file(writer)

    await _begin_session(lifecycle)
    with patch.object(AtomicWriter, "open", open_slowly):
        await lifecycle.until(started.is_set)
        task = asyncio.create_task(ending.run(lifecycle))
        # Run everything that does not wait for the write.
        await _run_loop(5000, until=task.done)
        may_finish.set()
        await _complete(task)
        await lifecycle.home.idle()
    assert name not in lifecycle.home.files


@pytest.mark.parametrize("ending", [UNLOAD, REMOVE_VEHICLE, STOP], ids=lambda ending: ending.name)
async def test_simulation(lifecycle: _Lifecycle, ending: Ending, caplog: pytest.LogCaptureFixture) -> None:
    """The service of a simulated account ends with the account, even during a request, but not with a car."""
    home = lifecycle.home
    await home.add_simulated_account(vehicles=2)
    lifecycle.client = home.entry.runtime_data.provider
    simulator = home.entry.runtime_data.provider.simulator
    assert simulator is not None
    first, second = (subentry.unique_id or "" for subentry in home.entry.subentries.values())
    simulator.faults.fail("silence", only=HONK)
    lifecycle.start(home.press(HONK, first))
    await lifecycle.until(lambda: simulator.unanswered)
    caplog.clear()
    url = URL(simulator.url)
    await lifecycle.end(ending)
    await _check_results(lifecycle, ending)
    if ending is not REMOVE_VEHICLE:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(url.host, url.port)
    if ending.continues:
        await home.idle()
        assert home.shown(*STATE, second).state == "online"
        # The controls of a simulated car have a device of their own.
        devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
        assert not [each for each in devices for _, name in each.identifiers if first in name]
    assert not logged_problems(caplog)
