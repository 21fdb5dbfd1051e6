"""Whatever ends an account, and whatever is under way then: nothing is left, and nobody is left waiting."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass
from itertools import count
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

FRESH: Final = "another-token-that-nobody-may-see"
LOCK: Final = ("lock", "vehicle_state.locked")
BATTERY: Final = ("sensor", "charge_state.battery_level")
STATE: Final = ("sensor", "state")
HONK: Final = "honk_horn"
LIST: Final = "/vehicles"
READ: Final = "/vehicle_data"
WAKE: Final = "/wake_up"
BUSES_ASLEEP: Final = {"response": {"result": False, "reason": "could_not_wake_buses"}}
ADDED: Final = "charge_state.charge_energy_added"
_ROUNDS: Final = 300
_PATIENCE: Final = 50_000


class Doorstep(Simulator):
    """A service that lets requests wait, once it has found the token right."""

    def __init__(self, vehicles: int) -> None:
        """Let none wait at first."""
        super().__init__(vehicles=vehicles, seed=0, token=TOKEN)
        self.waiting: list[str] = []
        self._path: str | None = None
        self._open = asyncio.Event()
        self._refusal: web.Response | None = None

    def keep_waiting(self, path: str) -> None:
        """Let the requests wait from now on whose path ends like this."""
        self._path = path

    def keep_no_more(self) -> None:
        """Let no further ones wait."""
        self._path = None

    def refuse(self, status: int, words: str) -> None:
        """Say no to the one that waits, once it is let in."""
        self._refusal = web.json_response({"response": None, "error": words}, status=status)

    def let_in(self) -> None:
        """Answer those that wait."""
        self._path = None
        self._open.set()

    @override
    def _application(self) -> web.Application:
        application = super()._application()
        application.middlewares.append(self._wait)
        return application

    @web.middleware
    async def _wait(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self._path and request.path.endswith(self._path):
            self.waiting.append(request.path)
            await self._open.wait()
            self.waiting.remove(request.path)
            if self._refusal is not None:
                return self._refusal
        return await handler(request)


class Life:
    """An account, those who wait for it, and what was there before it."""

    client: Client

    def __init__(self, home: Home, service: Doorstep) -> None:
        """Note what is there before it."""
        self.home = home
        self.hass = home.hass
        self.service = service
        self.commands: dict[str, asyncio.Task[Any]] = {}
        self.others: list[asyncio.Task[Any]] = []
        self._tasks = asyncio.all_tasks()
        self._listeners = dict(self.hass.bus.async_listeners())

    async def begin(self) -> None:
        """Set it up."""
        await self.home.set_up()
        self.client = self.home.entry.runtime_data.connection.client

    def tell(self, command: str, doing: Coroutine[Any, Any, Any]) -> None:
        """Have a person wait for a command."""
        self.commands[command] = asyncio.create_task(doing)

    def press(self, command: str) -> None:
        """Have a person press a button."""
        self.tell(command, self.home.call("button", "press", command))

    def unlock(self) -> None:
        """Have a person unlock the doors."""
        self.tell("door_unlock", self.home.call("lock", "unlock", LOCK[1]))

    def asks(self, doing: Coroutine[Any, Any, Any]) -> None:
        """Have a person wait for something else."""
        self.others.append(asyncio.create_task(doing))

    async def until(self, is_so: Callable[[], object]) -> None:
        """Let time pass until something is so, and all has happened that needs no time."""
        assert await self.home.while_time_passes(_once(is_so)) == [None]

    async def end(self, end: End, *, at_once: bool = True) -> tuple[int, int]:
        """End it, and only then answer; return how many requests there were then, in all and of it."""
        self.service.keep_no_more()
        ending = asyncio.create_task(end.come(self))
        if not at_once:
            await _some_rounds()
            self.service.let_in()
        await _over(ending)
        await ending
        asked = self.asked, self.client.requests
        self.service.let_in()
        return asked

    async def asleep(self) -> None:
        """Let the car sleep and Home Assistant know."""
        self.home.car.fall_asleep()
        await self.home.advance(65, step=65)
        assert self.home.shown(*STATE).state == "asleep"

    async def read_soon(self) -> None:
        """Let the car do something that is watched, so that its next read is near."""
        await self.home.call("lock", "unlock", LOCK[1])
        await self.home.advance(68, step=17)

    @property
    def asked(self) -> int:
        """How many requests have reached the service, answered or not."""
        return len(self.service.requests) + len(self.service.waiting)

    @property
    def timers(self) -> list[str]:
        """What of ours is due at some time."""
        handles = get_scheduled_timer_handles(self.hass.loop)
        found = [_described(handle) for handle in handles if not handle.cancelled()]
        return [each for each in found if DOMAIN in each]

    @property
    def tasks(self) -> list[str]:
        """What goes on that did not before, but for the service's own connections."""
        new = asyncio.all_tasks() - self._tasks - {asyncio.current_task()}
        return [each for task in new if "RequestHandler" not in (each := repr(task.get_coro()))]

    @property
    def listeners(self) -> Counter[Any]:
        """Which events are listened to that were not before, and how often."""
        found = Counter(self.hass.bus.async_listeners()) - Counter(self._listeners)
        # A zone goes on to follow what was once in it.
        del found["state_changed"]
        return found

    @property
    def issues(self) -> list[str]:
        """Which repairs of ours are told."""
        return [name for domain, name in ir.async_get(self.hass).issues if domain == DOMAIN]

    @property
    def flows(self) -> list[str]:
        """Which dialogs ask for a new token."""
        flows = self.hass.config_entries.flow.async_progress()
        return [flow["flow_id"] for flow in flows if flow["context"]["source"] == SOURCE_REAUTH]

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return Path(self.hass.config.path(".storage"))

    @property
    def files(self) -> set[str]:
        """What of ours is kept on disk."""
        return {path.name for path in self.folder.glob(f"{DOMAIN}.*")}


def _described(handle: asyncio.TimerHandle) -> str:
    """Return what a timer is for, and for whom."""
    callback = handle._callback  # type: ignore[attr-defined] # noqa: SLF001
    owner = getattr(callback, "__self__", None)
    return f"{callback} {handle._args} {getattr(owner, '__dict__', '')}"  # noqa: SLF001


async def _over(ending: asyncio.Task[Any]) -> None:
    """Wait for something that needs no time."""
    await _some_rounds(_PATIENCE, unless=ending.done)
    if not ending.done():
        ending.cancel()
        pytest.fail("It does not end")


async def _once(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    for _ in count():
        if is_so():
            return
        await asyncio.sleep(0)


async def _some_rounds(rounds: int = _ROUNDS, unless: Callable[[], bool] = bool) -> None:
    """Let happen what needs no time, unless something is so already."""
    for _ in range(rounds):
        if unless():
            return
        await asyncio.sleep(0)


# At which point


@dataclass(frozen=True)
class Point:
    """Something that is under way."""

    name: str
    reach: Callable[[Life], Awaitable[None]]
    delays: bool = False
    """Whether Home Assistant lets it come to its end first."""
    revives: bool = False
    """Whether a person's dialog brings the account back that was unloaded meanwhile."""


async def _between_reads(life: Life) -> None:
    assert life.timers


async def _cheap_request(life: Life) -> None:
    await life.asleep()
    life.service.keep_waiting(LIST)
    await life.home.advance(55, step=55)
    await life.until(lambda: life.service.waiting)


async def _live_read(life: Life) -> None:
    await life.read_soon()
    life.service.keep_waiting(READ)
    await life.until(lambda: life.service.waiting)


async def _silence(life: Life) -> None:
    await life.read_soon()
    life.service.faults.fail("silence", only=READ)
    await life.until(lambda: life.service.unanswered)


async def _back_off(life: Life) -> None:
    await life.read_soon()
    life.service.faults.answer(503, only=READ)
    await life.until(lambda: life.service.requests[-1].status == 503)


async def _service_down(life: Life) -> None:
    await life.asleep()
    life.service.faults.answer(503)
    await life.home.advance(55, step=55)
    await life.until(lambda: life.service.requests[-1].status == 503)


async def _trouble(life: Life) -> None:
    await life.asleep()
    life.service.faults.answer(423)
    await life.home.advance(55, step=55)
    await life.until(lambda: life.issues)


async def _wake_up(life: Life) -> None:
    await life.asleep()
    life.service.keep_waiting(WAKE)
    life.unlock()
    await life.until(lambda: life.service.waiting)


async def _between_probes(life: Life) -> None:
    await life.asleep()
    life.unlock()
    await life.until(lambda: life.home.requests(WAKE))
    assert life.home.car.state == "asleep"


async def _command(life: Life) -> None:
    life.service.keep_waiting(HONK)
    life.press(HONK)
    await life.until(lambda: life.service.waiting)


async def _sleeping_buses(life: Life) -> None:
    life.service.faults.answer(200, body=BUSES_ASLEEP, only=HONK)
    life.press(HONK)
    await life.until(lambda: life.home.requests(HONK))


async def _second_try(life: Life) -> None:
    life.service.faults.answer(502, only="door_unlock")
    life.unlock()
    await life.until(lambda: life.home.requests("door_unlock"))


async def _queue(life: Life) -> None:
    await life.asleep()
    life.service.keep_waiting(WAKE)
    life.press(HONK)
    life.unlock()
    life.press("flash_lights")
    await life.until(lambda: life.service.waiting)


async def _confirmations(life: Life) -> None:
    await life.home.call("lock", "unlock", LOCK[1])


async def _second_confirmation(life: Life) -> None:
    await life.home.call("lock", "unlock", LOCK[1])
    await life.home.advance(5, step=1)


async def _save(life: Life) -> None:
    life.home.car.unplug()
    await life.home.poll()
    life.home.car.plug_in()
    life.service.faults.corrupt(ADDED, 0.5)
    await life.home.poll()


async def _set_up(life: Life) -> None:
    await life.home.leave()
    for name in life.files:
        await Store[dict[str, Any]](life.hass, 1, name).async_remove()
    life.service.keep_waiting(READ)
    life.hass.async_create_task(life.hass.config_entries.async_setup(life.home.entry.entry_id))
    await life.until(lambda: life.service.waiting)


async def _reauth_open(life: Life) -> None:
    life.home.entry.async_start_reauth(life.hass)
    await life.home.idle()
    assert life.flows


async def _reauth_asks(life: Life) -> None:
    await _reauth_open(life)
    life.service.token = FRESH
    life.service.keep_waiting(LIST)
    (flow_id,) = life.flows
    life.asks(life.hass.config_entries.flow.async_configure(flow_id, {"access_token": FRESH}))
    await life.until(lambda: life.service.waiting)


async def _reconfiguration_asks(life: Life) -> None:
    life.service.keep_waiting(LIST)
    flow = life.hass.config_entries.flow
    context = ConfigFlowContext(source=SOURCE_RECONFIGURE, entry_id=life.home.entry.entry_id)
    form = await flow.async_init(DOMAIN, context=context)
    life.service.token = FRESH
    values = {"base_url": life.service.url, "access_token": FRESH}
    life.asks(flow.async_configure(form["flow_id"], values))
    await life.until(lambda: life.service.waiting)


async def _new_car_asks(life: Life) -> None:
    life.service.keep_waiting(LIST)
    flow = life.hass.config_entries.subentries
    about = life.home.entry.entry_id, SUBENTRY_VEHICLE
    life.asks(flow.async_init(about, context={"source": SOURCE_USER}))
    await life.until(lambda: life.service.waiting)


async def _action(life: Life) -> None:
    life.service.keep_waiting(READ)
    life.asks(life.home.act("get_vehicle_data"))
    await life.until(lambda: life.service.waiting)


async def _look(life: Life) -> None:
    life.service.keep_waiting(READ)
    life.asks(life.home.call("button", "press", "refresh"))
    await life.until(lambda: life.service.waiting)


POINTS: Final = (
    Point("between two reads", _between_reads),
    Point("while the cheap request is under way", _cheap_request),
    Point("while a live read is under way", _live_read),
    Point("while a live read gets no answer", _silence),
    Point("after a read that failed", _back_off),
    Point("while the service is down", _service_down),
    Point("while a trouble is told", _trouble),
    Point("while wake_up is under way", _wake_up),
    Point("between two looks at a car that was called", _between_probes),
    Point("while a command is under way", _command),
    Point("while the buses are to wake", _sleeping_buses),
    Point("before the second try of a command", _second_try),
    Point("while commands wait for a wake", _queue),
    Point("before a command is confirmed", _confirmations),
    Point("before a command is confirmed again", _second_confirmation),
    Point("while a save is due", _save),
    Point("while it is set up", _set_up, delays=True),
    Point("while a new token is asked for", _reauth_open),
    Point("while a new token is tried", _reauth_asks, revives=True),
    Point("while a new address is tried", _reconfiguration_asks, revives=True),
    Point("while a car is being added", _new_car_asks),
    Point("while an action waits for its response", _action),
    Point("while a person has it read", _look),
)


# What ends it


@dataclass(frozen=True)
class End:
    """Something that ends what is under way."""

    name: str
    come: Callable[[Life], Coroutine[Any, Any, None]]
    goes_on: bool = True
    """Whether the account works afterwards."""
    cars: int = 1


async def _unload(life: Life) -> None:
    assert await life.hass.config_entries.async_unload(life.home.entry.entry_id)


async def _reload(life: Life) -> None:
    assert await life.hass.config_entries.async_reload(life.home.entry.entry_id)


async def _remove(life: Life) -> None:
    assert await life.hass.config_entries.async_remove(life.home.entry.entry_id) == {"require_restart": False}


async def _remove_vehicle(life: Life) -> None:
    sold = next(iter(life.home.entry.subentries))
    life.hass.config_entries.async_remove_subentry(life.home.entry, sold)
    await _changes_are_taken(life)


async def _stop(life: Life) -> None:
    await life.hass.async_stop()


async def _new_token(life: Life) -> None:
    life.service.token = FRESH
    data = {**life.home.entry.data, "access_token": FRESH}
    life.hass.config_entries.async_update_entry(life.home.entry, data=data)
    await _changes_are_taken(life)


async def _changes_are_taken(life: Life) -> None:
    entry = life.home.entry
    await _once(lambda: entry.state is ConfigEntryState.LOADED and not entry.runtime_data.has_changed())


UNLOAD: Final = End("unload", _unload, goes_on=False)
RELOAD: Final = End("reload", _reload)
REMOVE: Final = End("remove", _remove, goes_on=False)
REMOVE_VEHICLE: Final = End("remove the vehicle", _remove_vehicle, cars=2)
STOP: Final = End("stop", _stop, goes_on=False)
NEW_TOKEN: Final = End("new token", _new_token)
ENDS: Final = (UNLOAD, RELOAD, REMOVE, REMOVE_VEHICLE, STOP, NEW_TOKEN)
MATRIX: Final = [
    pytest.param(end, point, id=f"{end.name}-{point.name}")
    for end in ENDS
    for point in POINTS
    # What Home Assistant sets up it does not unload, and when it stops, it does not wait for it.
    if not (point.delays and end in (UNLOAD, STOP))
]


# What is looked at afterwards


def _is_understood(told: object, end: End) -> bool:
    """Return whether somebody was told how it went, or in words why it did not."""
    if isinstance(told, HomeAssistantError):
        # Of a dialog about an account that was removed, Home Assistant says no more than that.
        return told.translation_key is not None or isinstance(told, UnknownEntry | UnknownFlow)
    if isinstance(told, asyncio.CancelledError):
        # Home Assistant itself gives up, in the end, what it was asked to do.
        return end is STOP
    return not isinstance(told, BaseException)


async def _people_are_told(life: Life, end: End) -> None:
    """Everybody who waited is told how it ended, and nothing was done twice."""
    ended = await life.home.while_time_passes(*life.commands.values(), *life.others)
    assert not [told for told in ended if not _is_understood(told, end)]
    for command, error in zip(life.commands, ended, strict=False):
        times = len(life.home.requests(f"/command/{command}"))
        assert times <= 1
        assert times or error, f"{command} is said to have been done"


async def _nothing_is_left(life: Life, asked: int) -> None:
    """Nothing is to come, and when time passes, nothing does."""
    assert not life.timers
    await life.home.advance(20, step=1)
    await life.home.advance(3600, step=180)
    await _some_rounds()
    assert life.asked <= asked, life.home.requests()
    assert not life.timers
    assert not life.tasks


def _complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged that would worry somebody."""
    return [
        record.getMessage()
        for record in caplog.get_records("call")
        # The simulator's own server complains of clients that leave.
        if record.name != "aiohttp.server"
        if record.levelno >= logging.ERROR or (record.exc_info and record.levelno > logging.DEBUG)
    ]


async def _works(life: Life, vin: str) -> None:
    """The account is there, shows what is, and obeys."""
    home, service = life.home, life.service
    car = next(each for each in service.vehicles if each.vin == vin)
    assert home.entry.state is ConfigEntryState.LOADED
    assert not life.flows
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


# The tests


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Files, because only there does deleting one end what waits to be written to it."""
    return {}


@pytest.fixture
def hass_config_dir(tmp_path: Path) -> str:
    """A folder for them."""
    return str(tmp_path)


@pytest.fixture
def end() -> End:
    """What ends it."""
    return UNLOAD


@pytest.fixture
def cars(end: End) -> int:
    """As many as needed for one to be left."""
    return end.cars


@pytest.fixture
async def simulator(freezer: FrozenDateTimeFactory, cars: int) -> AsyncIterator[Doorstep]:
    """A service that can let people wait."""
    service = Doorstep(cars)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def life(empty_home: Home, simulator: Doorstep) -> AsyncIterator[Life]:
    """An account to be, in a Home Assistant that has all that others bring."""
    for platform in PLATFORMS:
        assert await async_setup_component(empty_home.hass, platform, {})
    async_get_clientsession(empty_home.hass)
    await empty_home.idle()
    empty_home.hass.loop.set_debug(False)
    life = Life(empty_home, simulator)
    yield life
    # Nobody waits any longer, whatever went wrong.
    simulator.let_in()
    await simulator.stop()
    for task in (*life.commands.values(), *life.others):
        task.cancel()


@pytest.mark.parametrize(("end", "point"), MATRIX)
async def test_end(life: Life, end: End, point: Point, caplog: pytest.LogCaptureFixture) -> None:
    """It ends as a whole: nobody waits for ever, nothing is done twice, nothing stays that should not."""
    home, service = life.home, life.service
    sold, kept = service.vehicles[0].vin, service.vehicles[-1].vin
    await life.begin()
    entry_id, listeners, timers = home.entry.entry_id, life.listeners, len(life.timers)
    await point.reach(life)
    caplog.clear()
    asked, asked_by_client = await life.end(end, at_once=not point.delays)
    await _people_are_told(life, end)
    if end.goes_on or (point.revives and end is UNLOAD):
        service.faults.clear()
        # Reads that confirm a command survive a reload.
        await home.advance(20)
        assert len(life.timers) <= timers
        await _works(life, kept)
        assert life.listeners <= listeners
    else:
        await _nothing_is_left(life, asked)
    assert life.client.requests == asked_by_client
    if end is not STOP:
        assert not life.issues
        assert end.goes_on or point.revives or not life.listeners
    if end is UNLOAD and not point.revives:
        assert set(home.states().values()) == {"unavailable"}
    if end is REMOVE:
        assert not life.files
        assert not life.flows
        assert not er.async_entries_for_config_entry(er.async_get(life.hass), entry_id)
        assert not dr.async_entries_for_config_entry(dr.async_get(life.hass), entry_id)
    if end is REMOVE_VEHICLE:
        assert life.files == {f"{DOMAIN}.{each}" for each in (entry_id, *home.entry.subentries)}
        assert not [each for each in er.async_get(life.hass).entities.values() if sold in each.unique_id]
        assert dr.async_get(life.hass).async_get_device_by_identifier((DOMAIN, sold), entry_id) is None
    assert not _complaints(caplog)


LATE: Final = (
    pytest.param(_command, 401, "invalid_token", id="a command and the token is refused"),
    pytest.param(_command, 403, "vehicle command protocol required", id="a command and signing is required"),
    pytest.param(_action, 423, "locked", id="an action and the account is locked"),
)


@pytest.mark.parametrize(("question", "status", "words"), LATE)
@pytest.mark.parametrize("end", [end for end in ENDS if end is not STOP], ids=lambda end: end.name)
async def test_late_answer(
    life: Life,
    end: End,
    question: Callable[[Life], Awaitable[None]],
    status: int,
    words: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What the service has against what has ended meanwhile is told to who asked, and to nobody else."""
    await life.begin()
    await question(life)
    caplog.clear()
    life.service.refuse(status, words)
    await life.end(end)
    ended = await life.home.while_time_passes(*life.commands.values(), *life.others)
    assert [type(error) for error in ended] == [HomeAssistantError]
    await life.home.idle()
    assert not life.issues
    assert not life.flows
    assert not _complaints(caplog)


@pytest.mark.parametrize("end", [UNLOAD, RELOAD, STOP, NEW_TOKEN], ids=lambda end: end.name)
async def test_end_saves(life: Life, end: End) -> None:
    """What waits to be saved is saved."""
    await life.begin()
    await _save(life)
    name = f"{DOMAIN}.{life.home.coordinator.subentry_id}"
    await life.end(end)
    kept = json.loads(await life.hass.async_add_executor_job((life.folder / name).read_text))
    assert kept["data"]["meter"]["added"] == 0.5


@pytest.mark.parametrize("end", [REMOVE, REMOVE_VEHICLE], ids=lambda end: end.name)
async def test_removed_while_it_is_written(life: Life, end: End) -> None:
    """What is being written while the car is removed is deleted all the same."""
    await life.begin()
    name = f"{DOMAIN}.{life.home.coordinator.subentry_id}"
    begun, may_end = Event(), Event()

    def write(path: str, *args: Any, **kwargs: Any) -> None:
        if path.endswith(name):
            begun.set()
            may_end.wait()
        write_utf8_file(path, *args, **kwargs)

    await _save(life)
    with patch("homeassistant.helpers.storage.write_utf8_file", write):
        await life.until(begun.is_set)
        ending = asyncio.create_task(end.come(life))
        # As much of it as does not wait for the writing
        await _some_rounds(_PATIENCE // 10, unless=ending.done)
        may_end.set()
        await _over(ending)
        await life.home.idle()
    assert name not in life.files


@pytest.mark.parametrize("end", [UNLOAD, RELOAD, REMOVE, REMOVE_VEHICLE, STOP], ids=lambda end: end.name)
async def test_simulated_account(life: Life, end: End, caplog: pytest.LogCaptureFixture) -> None:
    """A simulated account's service ends with it, whoever speaks to it; the next one is another."""
    home = life.home
    form = await home.start_flow("simulator")
    await home.submit(form, vehicles=2, speed=1)
    await home.idle()
    life.client = home.entry.runtime_data.connection.client
    simulator = home.entry.runtime_data.connection.simulator
    assert simulator is not None
    sold, kept = (each.unique_id or "" for each in home.entry.subentries.values())
    simulator.faults.fail("silence", only=HONK)
    button = {"entity_id": home.entity_id("button", HONK, sold)}
    life.tell(HONK, life.hass.services.async_call("button", "press", button, blocking=True))
    await life.until(lambda: simulator.unanswered)
    caplog.clear()
    url = URL(simulator.url)
    await life.end(end)
    ended = await home.while_time_passes(*life.commands.values())
    assert not [told for told in ended if not _is_understood(told, end)]
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(url.host, url.port)
    if end.goes_on:
        await home.idle()
        assert home.shown(*STATE, kept).state == "online"
    assert not _complaints(caplog)
