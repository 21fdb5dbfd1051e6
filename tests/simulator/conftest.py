"""A running service with a manual clock, and a client that only uses HTTP."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientSession
import pytest

from custom_components.vehicle_remote_access.simulator import (
    ManualClock,
    SimulatedVehicle,
    Simulator,
    Switches,
)
from simulator_console.admin import add_admin

TOKEN = "token-of-these-tests"


@dataclass(frozen=True)
class Reply:
    """The response to a request."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def response(self) -> Any:
        """The payload in the envelope."""
        return self.body["response"]

    @property
    def reason(self) -> str:
        """The reason of a refused command, empty if it was accepted."""
        result = self.response
        assert self.status == 200
        assert set(result) == {"result", "reason"}
        assert result["result"] is (not result["reason"])
        return str(result["reason"])


class Client:
    """A client with the token, for one selected vehicle: at first the first one."""

    def __init__(self, session: ClientSession, simulator: Simulator) -> None:
        """Connect to the service."""
        self._session = session
        self._simulator = simulator
        self.select(simulator.vehicles[0])

    def select(self, vehicle: SimulatedVehicle) -> None:
        """Select a vehicle."""
        self.vehicle_path = f"/api/1/vehicles/{vehicle.id}"
        self._vin = vehicle.vin

    async def request(self, method: str, path: str, **more: Any) -> Reply:
        """Send a request, with the token unless other headers are given."""
        more.setdefault("headers", {"Authorization": f"Bearer {TOKEN}"})
        async with self._session.request(method, self._simulator.url + path, **more) as response:
            is_json = response.content_type == "application/json"
            body = await response.json() if is_json else await response.text()
            return Reply(response.status, body, response.headers)

    async def get(self, path: str, **more: Any) -> Reply:
        """Send a GET request."""
        return await self.request("GET", path, **more)

    async def post(self, path: str, **more: Any) -> Reply:
        """Send a POST request."""
        return await self.request("POST", path, **more)

    async def command(self, name: str, **query: str) -> Reply:
        """Send a command to the vehicle, with its parameters in the query."""
        return await self.post(f"{self.vehicle_path}/command/{name}", params=query)

    async def data(self, read: str = "vehicle_data") -> Any:
        """Return the full data of the vehicle."""
        reply = await self.get(f"{self.vehicle_path}/{read}")
        assert reply.status == 200
        return reply.response

    async def state(self) -> Any:
        """Return the vehicle's state. This does not keep the vehicle awake."""
        return (await self.get(self.vehicle_path)).response["state"]

    async def admin_data(self) -> Any:
        """Return the vehicle's full data from the admin API, which does not keep the vehicle awake."""
        vehicles = (await self.get("/simulator/state")).body["vehicles"]
        return next(vehicle["record"] for vehicle in vehicles if vehicle["vin"] == self._vin)

    async def value(self, path: str) -> Any:
        """Return one field of the vehicle, for example `charge_state.battery_level`."""
        value = await self.data()
        for name in path.split("."):
            value = value[name]
        return value


@pytest.fixture(autouse=True)
def sockets(socket_enabled: None) -> None:
    """Allow the loopback interface."""


@pytest.fixture
def clock() -> ManualClock:
    """Return a clock that stands still."""
    return ManualClock()


@pytest.fixture
async def simulator(clock: ManualClock, sockets: None) -> AsyncIterator[Simulator]:
    """Return a running service with one vehicle of every model."""
    simulator = Simulator(vehicles=5, token=TOKEN, clock=clock, extend=add_admin)
    await simulator.start()
    yield simulator
    await simulator.stop()


@pytest.fixture
def car(simulator: Simulator) -> SimulatedVehicle:
    """Return the first vehicle."""
    return simulator.vehicles[0]


@pytest.fixture
def switches(simulator: Simulator) -> Switches:
    """Return the switches of the service."""
    return simulator.switches


@pytest.fixture
async def client(simulator: Simulator) -> AsyncIterator[Client]:
    """Return a client with the correct token."""
    async with ClientSession() as session:
        yield Client(session, simulator)
