"""A running service with a clock that is moved by hand, and a client that knows nothing of it."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientSession
import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, Simulator, Switches, Vehicle
from simulator_console.admin import add_admin

TOKEN = "token-of-these-tests"


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def response(self) -> Any:
        """What the envelope holds."""
        return self.body["response"]

    @property
    def reason(self) -> str:
        """Why a command was refused, empty if it was not."""
        result = self.response
        assert self.status == 200
        assert set(result) == {"result", "reason"}
        assert result["result"] is (not result["reason"])
        return str(result["reason"])


class Client:
    """Somebody with a token who looks after one vehicle: the first, or another."""

    def __init__(self, session: ClientSession, simulator: Simulator) -> None:
        """Use the service at its address."""
        self._session = session
        self._simulator = simulator
        self.look_after(simulator.vehicles[0])

    def look_after(self, vehicle: Vehicle) -> None:
        """Mean this vehicle from now on."""
        self.car = f"/api/1/vehicles/{vehicle.id}"
        self._vin = vehicle.vin

    async def request(self, method: str, path: str, **more: Any) -> Reply:
        """Send a request, with the token unless other headers are given."""
        more.setdefault("headers", {"Authorization": f"Bearer {TOKEN}"})
        async with self._session.request(method, self._simulator.url + path, **more) as response:
            is_json = response.content_type == "application/json"
            body = await response.json() if is_json else await response.text()
            return Reply(response.status, body, response.headers)

    async def get(self, path: str, **more: Any) -> Reply:
        """Read."""
        return await self.request("GET", path, **more)

    async def post(self, path: str, **more: Any) -> Reply:
        """Write."""
        return await self.request("POST", path, **more)

    async def command(self, name: str, **query: str) -> Reply:
        """Send a command to the vehicle, its parameters in the query."""
        return await self.post(f"{self.car}/command/{name}", params=query)

    async def data(self, read: str = "vehicle_data") -> Any:
        """Return the full data of the vehicle."""
        reply = await self.get(f"{self.car}/{read}")
        assert reply.status == 200
        return reply.response

    async def state(self) -> Any:
        """Return whether the vehicle is online, without keeping it awake."""
        return (await self.get(self.car)).response["state"]

    async def seen(self) -> Any:
        """Return the full data of the vehicle as somebody beside it sees it, without keeping it awake."""
        vehicles = (await self.get("/simulator/state")).body["vehicles"]
        return next(each["record"] for each in vehicles if each["vin"] == self._vin)

    async def value(self, path: str) -> Any:
        """Return one field of the vehicle, such as `charge_state.battery_level`."""
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
def car(simulator: Simulator) -> Vehicle:
    """Return the first vehicle."""
    return simulator.vehicles[0]


@pytest.fixture
def switches(simulator: Simulator) -> Switches:
    """Return where this service departs from the interface document."""
    return simulator.switches


@pytest.fixture
async def client(simulator: Simulator) -> AsyncIterator[Client]:
    """Return a client with the right token."""
    async with ClientSession() as session:
        yield Client(session, simulator)
