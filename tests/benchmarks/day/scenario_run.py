"""Runs a scenario with one car, once without and once with Home Assistant."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from random import seed
from time import process_time
from typing import Final

from custom_components.vehicle_remote_access.polling.policy import Mode
from custom_components.vehicle_remote_access.simulator import Request, Simulator

from ..common.driver import MINUTE, Driver, History
from ..common.home import Observations, RequestRecord, observed_home
from ..common.timetables import TIMETABLES
from ..common.virtual_time import VirtualLoop, run_in_virtual_time
from .metrics import Metrics, compute_metrics

_DISCOVERY_PERIOD: Final = 60 * MINUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRun:
    """A scenario with one car, for a number of days."""

    timetable: str
    days: int
    sleep_delay: int
    """Minutes without a live read after which the car falls asleep."""
    has_vehicle_list: bool = True
    """Whether the service reports the cars' states without contacting the cars."""
    wakes_hourly: bool = False
    """Whether the car wakes up by itself every hour."""


def measure(run: ScenarioRun) -> tuple[Metrics, float]:
    """Return the metrics, and the CPU seconds that the run took."""
    started = process_time()
    undisturbed = run_in_virtual_time(lambda _: _run_alone(run))
    history, observations = run_in_virtual_time(lambda loop: _run_observed(loop, run))
    return compute_metrics(history, undisturbed, observations, run.days), process_time() - started


async def _run_alone(run: ScenarioRun) -> History:
    """Return the history of a car without Home Assistant."""
    driver = Driver(_create_simulator(run).vehicles[0])
    await driver.follow(TIMETABLES[run.timetable], run.days)
    return driver.history


async def _run_observed(loop: VirtualLoop, run: ScenarioRun) -> tuple[History, Observations]:
    """Return the history of a car with Home Assistant, and Home Assistant's observations."""
    seed(0)  # The coordinator polls at a random fraction of a second.
    observations = Observations()

    def record(request: Request) -> None:
        observations.requests.append(RequestRecord(loop.time(), request.path, request.status))

    simulator = _create_simulator(run, record)
    await simulator.start()
    async with observed_home(loop, observations) as home:
        await home.set_up(simulator)
        vehicle = home.vehicle
        driver = Driver(simulator.vehicles[0], lambda: vehicle.plan.mode is Mode.QUIET)
        await driver.follow(TIMETABLES[run.timetable], run.days)
        home.finish()
    await simulator.stop()
    problems = (
        f"{request.status} for {request.path}" for request in observations.requests if _is_bad(request)
    )
    observations.problems += problems
    return driver.history, observations


def _is_bad(request: RequestRecord) -> bool:
    """Return whether a request is a problem. During discovery the service may answer 404."""
    is_late = request.at > _DISCOVERY_PERIOD
    return request.is_unexpected and (request.status != HTTPStatus.NOT_FOUND or is_late)


def _create_simulator(run: ScenarioRun, on_request: Callable[[Request], None] | None = None) -> Simulator:
    """Return a service with a car that is parked at home, awake and unplugged."""
    simulator = Simulator(vehicles=1, seed=0, on_request=on_request)
    (car,) = simulator.vehicles
    car.sleep_after = run.sleep_delay * MINUTE
    car.unplug()
    car.charging.close_port()
    simulator.switches.hourly_check = run.wakes_hourly
    if not run.has_vehicle_list:
        simulator.switches.list = False
        simulator.faults.serve("GET", f"/api/1/vehicles/{car.id}", {"error": "not_found"}, 404)
    return simulator
