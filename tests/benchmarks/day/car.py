"""Some days with one car, without and with Home Assistant, and their figures."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import pairwise
import math
from random import seed
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from homeassistant import loader
from homeassistant.const import STATE_ON
from homeassistant.core import Event, EventStateChangedData, callback
from homeassistant.helpers.event import async_track_state_change_event

from custom_components.vehicle_remote_access.account.request_budget import RequestBudget
from custom_components.vehicle_remote_access.polling.modes import Mode
from custom_components.vehicle_remote_access.simulator import OTHER, TOKEN_PATH, Request, Simulator
from simulator_console.services import SimulatedService

from ..common.driver import Driver, Span, Timetable
from ..common.home import Home, collect_warnings, virtual_home
from ..common.virtual_time import DAY, HOUR, MINUTE, START, VirtualLoop, run_in_virtual_time

# The loader warns about every custom integration, and the web server about a missing fast library.
_UNRELATED: Final = {loader.__name__, "aiohttp_fast_zlib"}
_DISCOVERY_PERIOD: Final = HOUR
_LIVE_READS: Final = ("/vehicle_data", "/data")
_LIVE_RECORD: Final = "/data_request/"
_WAKE_UP: Final = "/wake_up"
_COMMAND: Final = "/command/"
_PATHS: Final = {"drive": "drive_state.shift_state", "charge": "charge_state.charging_state"}

type Changes = dict[str, list[tuple[float, bool]]]
"""When Home Assistant started or stopped to show a kind of activity."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Some days, run with several cars that differ in the time until they fall asleep."""

    timetable: Timetable
    description: str = ""
    """Of its section in the report, if it has its own."""
    days: int = 2
    has_vehicle_list: bool = True
    """Whether the service reports the cars' states without contacting the cars."""
    wakes_hourly: bool = False
    """Whether the car wakes up by itself every hour."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the account."""
    interval: float | None = None
    """Fixed seconds between two requests, for a comparison."""
    service: str = OTHER
    """The service that the simulator plays."""
    is_live: bool = False
    """Whether it passes on what the car sends."""
    has_commands: bool = False
    """Whether the driver sends commands from Home Assistant."""


class Run(NamedTuple):
    name: str
    """Of the scenario, or of the row of a table."""
    scenario: Scenario
    sleep_delay: int
    """Minutes until the car falls asleep."""

    @property
    def label(self) -> str:
        return f"{self.name}, {self.sleep_delay} min"


class Day(NamedTuple):
    possible: float
    """Hours that the car sleeps without Home Assistant."""
    lost_sleep: float
    """Percent of them in which it was awake with Home Assistant."""
    requests: int
    live_reads: int
    commands: int
    wake_ups: int
    not_shown: float
    """The share of the driving that Home Assistant did not show."""


class Delay(NamedTuple):
    """How soon Home Assistant showed an activity."""

    start: float
    """When the activity started."""
    initial_state: str
    is_usual: bool
    idle: float
    """Seconds since the activity before it ended."""
    seconds: float
    """The whole activity if it was never shown."""


class Figures(NamedTuple):
    days: list[Day]
    delays: list[Delay]
    longest_gaps: Mapping[str, float]
    """The most seconds between two live reads of an activity, or its last one and its end, by its kind."""
    drive_gaps: list[tuple[float, float]]
    """When each drive started, and the seconds of each such gap in it."""
    need: float | None
    """The learned seconds until it falls asleep."""
    problems: list[str]

    def delays_from(
        self, *states: str, since: float = 0.0, is_usual: bool = False, longest_idle: float = math.inf
    ) -> list[float]:
        """Return the seconds until activities were shown that started in these states of the car.

        `is_usual`: only those that happen at about the same time on many days.
        """
        return [
            delay.seconds
            for delay in self.delays
            if delay.initial_state in states
            and delay.start >= since
            and delay.is_usual >= is_usual
            and delay.idle <= longest_idle
        ]


type Measured = tuple[Run, Figures]


def measure(scenario: Scenario, sleep_delay: int) -> Figures:
    days = scenario.days

    async def run_alone(_: VirtualLoop) -> Driver:
        driver = Driver(create_simulator(scenario, sleep_delay).vehicles[0])
        await driver.follow(scenario.timetable, days)
        return driver

    async def run_observed(loop: VirtualLoop) -> Figures:
        seed(0)  # The coordinator polls at a random fraction of a second.
        requests: list[Request] = []
        simulator = create_simulator(scenario, sleep_delay, requests.append)
        await simulator.start()
        with (
            collect_warnings(lambda record: record.name not in _UNRELATED) as problems,
            _fixed_interval(scenario.interval),
        ):
            async with virtual_home(loop, simulator, scenario.options) as home:
                vehicle, changes = home.vehicle, _track_changes(loop, home)
                driver = Driver(simulator.vehicles[0], lambda: vehicle.plan.mode is Mode.QUIET)
                driver.send = vehicle.commands.async_send
                await driver.follow(scenario.timetable, days)
        need = vehicle.known.tracker.habits.time_to_fall_asleep
        await simulator.stop()
        bad = (request for request in requests if _is_bad(request, has_commands=scenario.has_commands))
        problems += (f"{request.status} for {request.path}" for request in bad)
        return judge(driver, alone, requests, changes, days)._replace(need=need, problems=problems)

    alone = run_in_virtual_time(run_alone)
    return run_in_virtual_time(run_observed)


@contextmanager
def _fixed_interval(seconds: float | None) -> Iterator[None]:
    """Ask in a fixed interval whether the car woke or fell asleep, if there is one."""
    if seconds is None:
        yield
        return
    with patch.object(RequestBudget, "next_request", lambda _self, last, _rates, _changes=(): last + seconds):
        yield


def create_simulator(
    scenario: Scenario, sleep_delay: int, on_request: Callable[[Request], None] | None = None
) -> Simulator:
    """Return a service with a car that is parked at home, awake and unplugged."""
    simulator = SimulatedService(scenario.service, vehicles=1, seed=0, on_request=on_request)
    simulator.streams.is_on = scenario.is_live
    (car,) = simulator.vehicles
    car.sleep_after = sleep_delay * MINUTE
    car.unplug()
    car.charging.close_port()
    simulator.switches.hourly_check = scenario.wakes_hourly
    if not scenario.has_vehicle_list:
        simulator.switches.list = False
        for path_id in (car.id, car.vin):
            simulator.faults.serve("GET", f"/api/1/vehicles/{path_id}", {"error": "not_found"}, 404)
    return simulator


def _track_changes(loop: VirtualLoop, home: Home) -> Changes:
    changes: Changes = defaultdict(list)
    kinds = {home.entity_id("binary_sensor", path): kind for kind, path in _PATHS.items()}

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        state = event.data["new_state"]
        is_shown = state is not None and state.state == STATE_ON
        changes[kinds[event.data["entity_id"]]].append((loop.time(), is_shown))

    async_track_state_change_event(home.hass, kinds, changed)
    return changes


def _is_bad(request: Request, *, has_commands: bool) -> bool:
    """Return whether a request got an unexpected status, or is a command without `has_commands`.

    While the service is discovered, some requests fail.
    """
    expected = {HTTPStatus.OK, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.SWITCHING_PROTOCOLS}
    if _moment(request) <= _DISCOVERY_PERIOD:
        expected.add(HTTPStatus.NOT_FOUND)
    is_command = any(part in request.path for part in (_WAKE_UP, _COMMAND))
    return request.status not in expected or (is_command and not has_commands)


def _is_live(request: Request) -> bool:
    return request.path.endswith(_LIVE_READS) or _LIVE_RECORD in request.path


def _moment(request: Request) -> float:
    return request.moment - START.timestamp()


def judge(driver: Driver, alone: Driver, requests: list[Request], changes: Changes, days: int) -> Figures:
    """Return the figures of the days. `alone`: the driver of the same days without Home Assistant."""
    shown = {
        kind: [Span(at, end) for (at, on), (end, _) in pairwise([*changes[kind], (days * DAY, False)]) if on]
        for kind in _PATHS
    }
    drives = [activity for activity in driver.activities if activity.kind == "drive"]
    figures = []
    for day in (Span(day * DAY, (day + 1) * DAY) for day in range(days)):
        sent = [
            request
            for request in requests
            # No limit counts the requests for tokens.
            if day.start <= _moment(request) < day.end and request.path != TOKEN_PATH
        ]
        possible = _hours(alone.sleeps.values(), day)
        today = [part for drive in drives if (part := drive.within(day)).seconds]
        shown_drives = sum(_hours(shown["drive"], drive) for drive in today)
        figures.append(
            Day(
                possible=possible,
                lost_sleep=100 * (1 - _hours(driver.sleeps.values(), day) / possible),
                requests=len(sent),
                live_reads=sum(map(_is_live, sent)),
                commands=sum(_COMMAND in request.path for request in sent),
                wake_ups=sum(_WAKE_UP in request.path for request in sent),
                not_shown=1 - shown_drives / _hours(drives, day),
            )
        )
    reads = [_moment(read) for read in requests if _is_live(read) and read.status == HTTPStatus.OK]
    delays: list[Delay] = []
    ended_at = -math.inf
    gaps = dict.fromkeys(_PATHS, 0.0)
    drive_gaps: list[tuple[float, float]] = []
    for activity in driver.activities:
        starts = [part.start for span in shown[activity.kind] if (part := span.within(activity)).seconds]
        seconds = min(starts, default=activity.end) - activity.start
        idle, ended_at = activity.start - ended_at, activity.end
        delays.append(Delay(activity.start, activity.initial_state, activity.is_usual, idle, seconds))
        during = [at for at in reads if activity.start <= at < activity.end]
        steps = [later - at for at, later in pairwise([*during, activity.end])]
        if activity.kind == "drive":
            drive_gaps += ((activity.start, step) for step in steps)
        gaps[activity.kind] = max(gaps[activity.kind], *steps, 0.0)
    return Figures(figures, delays, gaps, drive_gaps, None, [])


def lost_sleep(days: Sequence[Day]) -> float:
    """Return the percentage of the possible sleep that the car lost on some days."""
    return sum(day.lost_sleep * day.possible for day in days) / sum(day.possible for day in days)


def _hours(spans: Iterable[Span], within: Span) -> float:
    return sum(span.within(within).seconds for span in spans) / HOUR
