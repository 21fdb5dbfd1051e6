"""A service with a manual clock, its cars, and a client that only uses HTTP."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from typing import Any, Final

from aiohttp import ClientSession
import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.controls import ControlError
from custom_components.vehicle_remote_access.simulator.http.car_commands import carry_out
from custom_components.vehicle_remote_access.simulator.http.parameters import Parameters
from simulator_console.admin import add_admin
from simulator_console.fast_clock import FastClock
from simulator_console.fleet_car import FleetCar, as_fleet_car
from simulator_console.fleet_commands import EVERY_COMMAND, commands_of
from simulator_console.fleet_records import full_record
from simulator_console.services import SimulatedService

type Act = Callable[[SimulatedVehicle], object]
"""What happens to a car."""

TOKEN: Final = "token-of-these-tests"
PASSWORD: Final = "simulated"


def send(car: SimulatedVehicle, command: str, /, **query: Any) -> str:
    """Let a car carry out a command. Return the reason of a refusal, empty if it was accepted."""
    car.catch_up()
    commands = {**EVERY_COMMAND, **commands_of(car.switches)}
    return carry_out(as_fleet_car(car), command, Parameters(query), commands)


def sends(name: str, /, **query: Any) -> Act:
    return lambda car: send(car, name, **query)


def charge(car: SimulatedVehicle, level: float = 50, *, fast: bool = False) -> SimulatedVehicle:
    """Return the car in a charging session that started at a level."""
    with suppress(ControlError):
        car.unplug()
    car.set_level(level)
    car.plug_in(fast=fast)
    return car


def nothing(_: SimulatedVehicle) -> None:
    """Leave the car as it is at the start."""


def driving(car: SimulatedVehicle) -> None:
    car.unplug()
    car.drive(20)


def shown(car: SimulatedVehicle, path: str) -> Any:
    car.catch_up()
    return reduce(getitem, path.split("."), full_record(car))


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def response(self) -> Any:
        return self.body["response"]

    @property
    def reason(self) -> str:
        """The reason of a refused command, empty if it was accepted."""
        return str(self.response["reason"])


class Client:
    """A client with the token, for one vehicle. `url`: an address other than the service's."""

    def __init__(
        self, session: ClientSession, simulator: Simulator, *, url: str = "", vehicle: object = None
    ) -> None:
        self._session = session
        self._url = url or simulator.url
        self.vehicle_path = f"/api/1/vehicles/{vehicle or simulator.vehicles[0].id}"

    async def request(self, method: str, path: str, **more: Any) -> Reply:
        more.setdefault("headers", {"Authorization": f"Bearer {TOKEN}"})
        async with self._session.request(method, self._url + path, **more) as response:
            is_json = response.content_type == "application/json"
            body = await response.json() if is_json else await response.text()
            return Reply(response.status, body, response.headers)

    async def get(self, path: str, **more: Any) -> Reply:
        return await self.request("GET", path, **more)

    async def post(self, path: str, **more: Any) -> Reply:
        return await self.request("POST", path, **more)

    async def read(self, name: str = "vehicle_data") -> Reply:
        return await self.get(f"{self.vehicle_path}/{name}")

    async def send(self, name: str, **more: Any) -> Reply:
        return await self.post(f"{self.vehicle_path}/{name}", **more)

    async def command(self, name: str, **query: str) -> Reply:
        return await self.send(f"command/{name}", params=query)

    async def state(self) -> Any:
        return (await self.get(self.vehicle_path)).response["state"]

    async def value(self, path: str) -> Any:
        """Return one field of the vehicle, for example `charge_state.battery_level`."""
        return reduce(getitem, path.split("."), (await self.read()).response)


@asynccontextmanager
async def serving(simulator: Simulator) -> AsyncIterator[Client]:
    """Run a service. Return a client of its first vehicle."""
    await simulator.start()
    try:
        async with ClientSession() as session:
            yield Client(session, simulator)
    finally:
        await simulator.stop()


class FastManualClock(ManualClock, FastClock):
    """A manual clock whose speed can be changed."""


@pytest.fixture
def clock() -> ManualClock:
    return FastManualClock()


@pytest.fixture
def fleet(clock: ManualClock) -> SimulatedService:
    return SimulatedService(vehicles=5, token=TOKEN, clock=clock, extend=add_admin)


@pytest.fixture
def car(fleet: Simulator) -> FleetCar:
    return as_fleet_car(fleet.vehicles[0])


@pytest.fixture
async def client(fleet: Simulator) -> AsyncIterator[Client]:
    async with serving(fleet) as client:
        yield client


@pytest.fixture
def simulator(fleet: SimulatedService, client: Client) -> SimulatedService:
    return fleet
