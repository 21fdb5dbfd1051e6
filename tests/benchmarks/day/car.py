"""Some days with one car, without and with Home Assistant, and their figures."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from itertools import pairwise
from random import seed
from typing import Final

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

    name: str
    timetable: Timetable
    description: str
    has_vehicle_list: bool = True
    """Whether the service reports the cars' states without contacting the cars."""
    wakes_hourly: bool = False
    """Whether the car wakes up by itself every hour."""


@dataclass(frozen=True, slots=True)
class Day:
    """The figures of one day."""

    asleep: float
    """Hours."""
    possible: float
    """Hours that the car sleeps without Home Assistant."""
    requests: int
    live_reads: int
    driven: float
    """Hours."""
    not_shown: float
    """Hours of driving that Home Assistant did not show."""

    @property
    def sleep_share(self) -> float:
        """Sleep in percent of the possible sleep."""
        return 100 * self.asleep / self.possible


@dataclass(frozen=True, slots=True)
class Figures:
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
    alone = run_in_virtual_time(lambda _: _run_alone(scenario, sleep_delay, days))
    return run_in_virtual_time(lambda loop: _run_observed(loop, scenario, sleep_delay, days, alone))


async def _run_alone(scenario: Scenario, sleep_delay: int, days: int) -> Driver:
    driver = Driver(_create_simulator(scenario, sleep_delay).vehicles[0])
    await driver.follow(scenario.timetable, days)
    return driver


async def _run_observed(
    loop: VirtualLoop, scenario: Scenario, sleep_delay: int, days: int, alone: Driver
) -> Figures:
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
    return _figures(
        driver, alone, requests, changes, [Span(day * DAY, (day + 1) * DAY) for day in range(days)], problems
    )


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
    driver: Driver,
    alone: Driver,
    requests: list[Request],
    changes: Changes,
    days: list[Span],
    problems: list[str],
) -> Figures:
    end = days[-1].end
    shown = {
        kind: [Span(at, until) for (at, on), (until, _) in pairwise([*changes[kind], (end, False)]) if on]
        for kind in _PATHS
    }
    drives = [Span(drive.start, drive.end) for drive in driver.activities if drive.kind == "drive"]
    figures = []
    for day in days:
        sent = [request for request in requests if day.start <= _moment(request) < day.end]
        driven = _hours(drives, day)
        figures.append(
            Day(
                asleep=_hours(driver.sleeps.values(), day),
                possible=_hours(alone.sleeps.values(), day),
                requests=len(sent),
                live_reads=sum(map(_is_live, sent)),
                driven=driven,
                not_shown=driven - sum(_hours(shown["drive"], drive.within(day)) for drive in drives),
            )
        )
    reads = [_moment(read) for read in requests if _is_live(read) and read.status == HTTPStatus.OK]
    delays: dict[str, list[float]] = defaultdict(list)
    gaps = [0.0]
    for activity in driver.activities:
        reachable = Span(activity.reachable_at, activity.end)
        starts = [part.start for span in shown[activity.kind] if (part := span.within(reachable)).seconds]
        delays[activity.initial_state].append(min(starts, default=activity.end) - reachable.start)
        during = [at for at in reads if activity.start <= at < activity.end]
        gaps += (later - at for at, later in pairwise([*during, activity.end]))
    return Figures(figures, dict(delays), max(gaps), problems)


def _hours(spans: Iterable[Span], within: Span) -> float:
    return sum(span.within(within).seconds for span in spans) / HOUR
