"""Some days with one car, without and with Home Assistant, and their figures."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from itertools import pairwise
from random import seed
from typing import Final, NamedTuple

from homeassistant import loader
from homeassistant.const import STATE_ON
from homeassistant.core import Event, EventStateChangedData, callback
from homeassistant.helpers.event import async_track_state_change_event

from custom_components.vehicle_remote_access.polling.policy import Mode
from custom_components.vehicle_remote_access.simulator import Request, Simulator

from ..common.driver import Driver, Span, Timetable
from ..common.home import Home, collect_warnings, virtual_home
from ..common.virtual_time import DAY, HOUR, MINUTE, START, VirtualLoop, run_in_virtual_time

_DISCOVERY_PERIOD: Final = HOUR
_LIVE_READS: Final = ("/vehicle_data", "/data")
_LIVE_RECORD: Final = "/data_request/"
_COMMANDS: Final = ("/wake_up", "/command/")
_PATHS: Final = {"drive": "drive_state.shift_state", "charge": "charge_state.charging_state"}

type Changes = dict[str, list[tuple[float, bool]]]
"""When Home Assistant started or stopped to show a kind of activity."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Some days, run with several cars that differ in the time until they fall asleep."""

    timetable: Timetable
    description: str
    has_vehicle_list: bool = True
    """Whether the service reports the cars' states without contacting the cars."""
    wakes_hourly: bool = False
    """Whether the car wakes up by itself every hour."""


class Day(NamedTuple):
    """The figures of one day."""

    possible: float
    """Hours that the car sleeps without Home Assistant."""
    lost_sleep: float
    """Percent of them in which it was awake with Home Assistant."""
    requests: int
    live_reads: int
    not_shown: float
    """The share of the driving that Home Assistant did not show."""


class Figures(NamedTuple):
    """The figures of one car."""

    days: list[Day]
    delays: dict[str, list[float]]
    """Seconds until Home Assistant showed an activity, by the car's state when the activity started.

    The whole activity if it was never shown.
    """
    longest_gap: float
    """The most seconds during an activity between a live read and the next one or the activity's end."""
    problems: list[str]


def measure(scenario: Scenario, sleep_delay: int, days: int) -> Figures:
    """Return the figures of one car."""

    async def run_alone(_: VirtualLoop) -> Driver:
        driver = Driver(_create_simulator(scenario, sleep_delay).vehicles[0])
        await driver.follow(scenario.timetable, days)
        return driver

    async def run_observed(loop: VirtualLoop) -> Figures:
        seed(0)  # The coordinator polls at a random fraction of a second.
        requests: list[Request] = []
        simulator = _create_simulator(scenario, sleep_delay, requests.append)
        await simulator.start()
        # The loader warns about every custom integration.
        with collect_warnings(lambda record: record.name != loader.__name__) as problems:
            async with virtual_home(loop, simulator) as home:
                vehicle, changes = home.vehicle, _track_changes(loop, home)
                driver = Driver(simulator.vehicles[0], lambda: vehicle.plan.mode is Mode.QUIET)
                await driver.follow(scenario.timetable, days)
        await simulator.stop()
        problems += (f"{request.status} for {request.path}" for request in requests if _is_bad(request))
        return _figures(driver, alone, requests, changes, days, problems)

    alone = run_in_virtual_time(run_alone)
    return run_in_virtual_time(run_observed)


def _create_simulator(
    scenario: Scenario, sleep_delay: int, on_request: Callable[[Request], None] | None = None
) -> Simulator:
    """Return a service with a car that is parked at home, awake and unplugged."""
    simulator = Simulator(vehicles=1, seed=0, on_request=on_request)
    (car,) = simulator.vehicles
    car.sleep_after = sleep_delay * MINUTE
    car.unplug()
    car.charging.close_port()
    simulator.switches.hourly_check = scenario.wakes_hourly
    if not scenario.has_vehicle_list:
        simulator.switches.list = False
        simulator.faults.serve("GET", f"/api/1/vehicles/{car.id}", {"error": "not_found"}, 404)
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


def _is_bad(request: Request) -> bool:
    """Return whether a request is a command, or failed although the car was awake and discovery was over."""
    expected = {HTTPStatus.OK, HTTPStatus.REQUEST_TIMEOUT}
    if _moment(request) <= _DISCOVERY_PERIOD:
        expected.add(HTTPStatus.NOT_FOUND)
    return request.status not in expected or any(part in request.path for part in _COMMANDS)


def _is_live(request: Request) -> bool:
    """Return whether the service passed the request on to the car."""
    return request.path.endswith(_LIVE_READS) or _LIVE_RECORD in request.path


def _moment(request: Request) -> float:
    return request.moment - START.timestamp()


def _figures(
    driver: Driver, alone: Driver, requests: list[Request], changes: Changes, days: int, problems: list[str]
) -> Figures:
    shown = {
        kind: [
            Span(at, until) for (at, on), (until, _) in pairwise([*changes[kind], (days * DAY, False)]) if on
        ]
        for kind in _PATHS
    }
    drives = [Span(drive.start, drive.end) for drive in driver.activities if drive.kind == "drive"]
    figures = []
    for day in (Span(day * DAY, (day + 1) * DAY) for day in range(days)):
        sent = [request for request in requests if day.start <= _moment(request) < day.end]
        possible = _hours(alone.sleeps.values(), day)
        shown_drives = sum(_hours(shown["drive"], drive.within(day)) for drive in drives)
        figures.append(
            Day(
                possible=possible,
                lost_sleep=100 * (1 - _hours(driver.sleeps.values(), day) / possible),
                requests=len(sent),
                live_reads=sum(map(_is_live, sent)),
                not_shown=1 - shown_drives / _hours(drives, day),
            )
        )
    reads = [_moment(read) for read in requests if _is_live(read) and read.status == HTTPStatus.OK]
    delays: dict[str, list[float]] = defaultdict(list)
    gaps = [0.0]
    for activity in driver.activities:
        whole = Span(activity.start, activity.end)
        starts = [part.start for span in shown[activity.kind] if (part := span.within(whole)).seconds]
        delays[activity.initial_state].append(min(starts, default=activity.end) - activity.start)
        during = [at for at in reads if activity.start <= at < activity.end]
        gaps += (later - at for at, later in pairwise([*during, activity.end]))
    return Figures(figures, dict(delays), max(gaps), problems)


def _hours(spans: Iterable[Span], within: Span) -> float:
    return sum(span.within(within).seconds for span in spans) / HOUR
