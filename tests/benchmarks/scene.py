"""What is tried: a car, its service, and what is done with it, with and without somebody who reads it."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from random import seed
from time import process_time
from typing import Final

from custom_components.vehicle_remote_access.polling.policy import Mode
from custom_components.vehicle_remote_access.simulator import Request, Simulator

from .driver import MINUTE, Driver, Truth
from .figures import Figures, figures
from .home import Asked, Seen, home_assistant
from .timetables import TIMETABLES
from .virtual import VirtualLoop, run

_FINDING_OUT: Final = 60 * MINUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A car, its service, and what is done with it for how many days."""

    timetable: str
    days: int
    peace: int
    """Minutes without a live read after which the car falls asleep."""
    is_listed: bool = True
    """Whether the service tells which cars are awake without asking the cars."""
    checks_itself: bool = False
    """Whether the car wakes by itself every hour."""


def measure(scene: Scene) -> tuple[Figures, float]:
    """Live through a scene and return its figures, and the processor's seconds that they took."""
    began = process_time()
    undisturbed = run(lambda _: _alone(scene))
    truth, seen = run(lambda loop: _watched(loop, scene))
    return figures(truth, undisturbed, seen, scene.days), process_time() - began


async def _alone(scene: Scene) -> Truth:
    """Return what happens to a car that nobody reads."""
    driver = Driver(_service(scene).vehicles[0])
    await driver.lives(TIMETABLES[scene.timetable], scene.days)
    return driver.truth


async def _watched(loop: VirtualLoop, scene: Scene) -> tuple[Truth, Seen]:
    """Return what happens to a car that Home Assistant reads, and what is seen of it there."""
    seed(0)  # A coordinator chooses by chance in which part of a second it asks.
    seen = Seen()

    def heard(request: Request) -> None:
        seen.requests.append(Asked(loop.time(), request.path, request.status))

    simulator = _service(scene, heard)
    await simulator.start()
    async with home_assistant(loop, seen) as home:
        await home.set_up(simulator)
        vehicle = home.vehicle
        driver = Driver(simulator.vehicles[0], lambda: vehicle.plan.mode is Mode.QUIET)
        await driver.lives(TIMETABLES[scene.timetable], scene.days)
        home.ends()
    await simulator.stop()
    seen.wrong += [f"{each.status} for {each.path}" for each in seen.requests if _is_wrong(each)]
    return driver.truth, seen


def _is_wrong(asked: Asked) -> bool:
    """Return whether this should not have been; at first, what the service lacks has to be found out."""
    return asked.is_odd and (asked.status != HTTPStatus.NOT_FOUND or asked.at > _FINDING_OUT)


def _service(scene: Scene, heard: Callable[[Request], None] | None = None) -> Simulator:
    """Return a service with a car that stands at home, awake and without a cable."""
    simulator = Simulator(vehicles=1, seed=0, on_request=heard)
    (car,) = simulator.vehicles
    car.sleep_after = scene.peace * MINUTE
    car.unplug()
    car.charging.close_port()
    simulator.switches.hourly_check = scene.checks_itself
    if not scene.is_listed:
        simulator.switches.list = False
        simulator.faults.serve("GET", f"/api/1/vehicles/{car.id}", {"error": "not_found"}, 404)
    return simulator
