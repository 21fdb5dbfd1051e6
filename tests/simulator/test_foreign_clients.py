"""Clients that others wrote for services of this family work with the simulator unchanged."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
import re
import subprocess
from typing import Any, ClassVar, Final, override
from unittest.mock import patch

from aiohttp import ClientSession
import pytest
from tesla_fleet_api import TeslaFleetApi, exceptions
from tesla_fleet_api.tesla import VehicleFleet
import teslapy

from .conftest import TOKEN

type Json = dict[str, Any]

SIMULATE: Final = Path(__file__).parents[2] / "scripts" / "simulate"
# At this speed a car wakes in an eighth of a second.
OPTIONS: Final = ["--port=0", f"--token={TOKEN}", "--vehicles=5", "--speed=60", "--no-routine"]
ADDRESS: Final = re.compile(r"address +(http://\S+)")
STOP_TIMEOUT: Final = 30
RECORDS: Final = {
    "charge_state",
    "climate_state",
    "drive_state",
    "gui_settings",
    "vehicle_config",
    "vehicle_state",
}


class Owner(ABC):
    """An owner who uses a client."""

    switches: ClassVar[list[str]]
    """How the client's services differ from the interface document."""
    refused: ClassVar[tuple[type[BaseException], str]]
    """The client's error for a wrong token, and its message."""
    asleep: ClassVar[tuple[type[BaseException], str]]
    """The client's error for a sleeping vehicle, and its message."""

    @staticmethod
    @abstractmethod
    def at(url: str, token: str) -> AbstractAsyncContextManager[Owner]:
        """Connect a client to the service at this address."""

    @abstractmethod
    async def vehicles(self) -> list[Json]:
        """List all vehicles."""

    @abstractmethod
    async def data(self, vehicle: Json) -> Json:
        """Return a vehicle's data."""

    @abstractmethod
    async def wake(self, vehicle: Json) -> None:
        """Wake a vehicle, and wait until it is awake."""

    @abstractmethod
    async def lock(self, vehicle: Json) -> None:
        """Lock its doors."""

    @abstractmethod
    async def unlock(self, vehicle: Json) -> None:
        """Unlock its doors."""

    @abstractmethod
    async def set_charge_limit(self, vehicle: Json, percent: int) -> None:
        """Set its charge limit."""


class ClassicOwner(Owner):
    """TeslaPy, written for the first services of this family: synchronous, with `id_s` in its paths."""

    # TeslaPy accepts both shapes of wake_up, because it reads the single record afterwards.
    switches: ClassVar = []
    refused = (teslapy.HTTPError, "^401 .* invalid_token")
    asleep = (teslapy.HTTPError, "^408 .* vehicle is offline or asleep")

    def __init__(self, tesla: teslapy.Tesla) -> None:
        """Wrap the client of an account."""
        self._tesla = tesla

    @override
    @staticmethod
    @asynccontextmanager
    async def at(url: str, token: str) -> AsyncIterator[Owner]:
        tokens = {"owner": {"url": url, "sso": {"access_token": token, "expires_at": 0}}}
        with (
            patch.object(teslapy, "BASE_URL", url),
            # It also reads the owner's orders, which the interface document does not have.
            patch.object(teslapy.Vehicle, "orders", [{"vin": ""}]),
            teslapy.Tesla("owner", cache_loader=lambda: tokens) as tesla,
        ):
            yield ClassicOwner(tesla)

    @override
    async def vehicles(self) -> list[Json]:
        return list(self._tesla.api("VEHICLE_LIST")["response"])

    @override
    async def data(self, vehicle: Json) -> Json:
        return dict(self._car(vehicle).get_vehicle_data())

    @override
    async def wake(self, vehicle: Json) -> None:
        self._car(vehicle).sync_wake_up(interval=0)

    @override
    async def lock(self, vehicle: Json) -> None:
        self._car(vehicle).command("LOCK")

    @override
    async def unlock(self, vehicle: Json) -> None:
        self._car(vehicle).command("UNLOCK")

    @override
    async def set_charge_limit(self, vehicle: Json, percent: int) -> None:
        self._car(vehicle).command("CHANGE_CHARGE_LIMIT", percent=percent)

    def _car(self, vehicle: Json) -> teslapy.Vehicle:
        return teslapy.Vehicle(vehicle, self._tesla)


class FleetOwner(Owner):
    """tesla-fleet-api, which Home Assistant uses for the later services of this family."""

    # It uses VINs in paths, and expects one record from wake_up. Its services require a JSON content type.
    switches: ClassVar = ["vin_in_path=true", "wake_shape=object", "require_content_type=true"]
    refused = (exceptions.InvalidToken, "^Invalid access token")
    asleep = (exceptions.VehicleOffline, "^The vehicle is not 'online'")

    def __init__(self, tesla: TeslaFleetApi) -> None:
        """Wrap the client of an account."""
        self._tesla = tesla

    @override
    @staticmethod
    @asynccontextmanager
    async def at(url: str, token: str) -> AsyncIterator[Owner]:
        async with ClientSession() as session:
            yield FleetOwner(TeslaFleetApi(session, token, server=url))

    @override
    async def vehicles(self) -> list[Json]:
        return list((await self._car({"vin": ""}).list())["response"])

    @override
    async def data(self, vehicle: Json) -> Json:
        return dict((await self._car(vehicle).vehicle_data())["response"])

    @override
    async def wake(self, vehicle: Json) -> None:
        await self._car(vehicle).wake_up(wait=True)

    @override
    async def lock(self, vehicle: Json) -> None:
        await self._car(vehicle).door_lock()

    @override
    async def unlock(self, vehicle: Json) -> None:
        await self._car(vehicle).door_unlock()

    @override
    async def set_charge_limit(self, vehicle: Json, percent: int) -> None:
        await self._car(vehicle).set_charge_limit(percent)

    def _car(self, vehicle: Json) -> VehicleFleet[TeslaFleetApi]:
        car = self._tesla.vehicles.createFleet(vehicle["vin"])
        car._wake_poll_interval = 0  # noqa: SLF001 - the simulated time is faster
        return car


@contextmanager
def simulated(switches: list[str]) -> Iterator[str]:
    """Run the service as a program, and return its address."""
    options = [*OPTIONS, *(f"--switch={switch}" for switch in switches)]
    with subprocess.Popen([SIMULATE, *options], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            assert process.stdout
            address = next(filter(None, map(ADDRESS.match, process.stdout)), None)
            assert address, "the program ended without writing its address"
            yield address[1]
        finally:
            process.terminate()
            process.communicate(timeout=STOP_TIMEOUT)


@pytest.fixture(params=[ClassicOwner, FleetOwner])
def kind(request: pytest.FixtureRequest) -> type[Owner]:
    """Return the type of a client."""
    kind: type[Owner] = request.param
    return kind


@pytest.fixture
def url(kind: type[Owner]) -> Iterator[str]:
    """Return the address of the service, with the switches that the client needs."""
    with simulated(kind.switches) as url:
        yield url


@pytest.fixture
async def owner(kind: type[Owner], url: str) -> AsyncIterator[Owner]:
    """Return an owner with the correct token."""
    async with kind.at(url, TOKEN) as owner:
        yield owner


async def find_vehicle(owner: Owner, state: str = "online") -> Json:
    """Return the first vehicle in the list with a state."""
    return next(vehicle for vehicle in await owner.vehicles() if vehicle["state"] == state)


async def test_client_lists_the_vehicles(owner: Owner) -> None:
    """A foreign client lists all vehicles of the account."""
    assert len({vehicle["vin"] for vehicle in await owner.vehicles()}) == 5


async def test_client_reads_a_vehicle(owner: Owner) -> None:
    """A foreign client reads all six objects of a vehicle."""
    vehicle = await find_vehicle(owner)
    data = await owner.data(vehicle)
    assert data["vin"] == vehicle["vin"]
    assert data.keys() >= RECORDS


async def test_client_recognizes_a_sleeping_vehicle(kind: type[Owner], owner: Owner) -> None:
    """A foreign client raises its error for a sleeping vehicle."""
    vehicle = await find_vehicle(owner, "asleep")
    error, message = kind.asleep
    with pytest.raises(error, match=message):
        await owner.data(vehicle)


async def test_client_wakes_a_vehicle(owner: Owner) -> None:
    """A foreign client wakes a sleeping vehicle and then reads it."""
    vehicle = await find_vehicle(owner, "asleep")
    await owner.wake(vehicle)
    assert (await owner.data(vehicle))["state"] == "online"


async def test_client_unlocks_and_locks_the_doors(owner: Owner) -> None:
    """A foreign client unlocks and locks the doors, and reads both states."""
    vehicle = await find_vehicle(owner)
    states = []
    for act in (owner.unlock, owner.lock):
        await act(vehicle)
        states.append((await owner.data(vehicle))["vehicle_state"]["locked"])
    assert states == [False, True]


async def test_client_sets_the_charge_limit(owner: Owner) -> None:
    """A foreign client sets the charge limit and reads it."""
    vehicle = await find_vehicle(owner)
    before = (await owner.data(vehicle))["charge_state"]["charge_limit_soc"]
    await owner.set_charge_limit(vehicle, before - 10)
    assert (await owner.data(vehicle))["charge_state"]["charge_limit_soc"] == before - 10


async def test_client_recognizes_a_wrong_token(kind: type[Owner], url: str) -> None:
    """A foreign client raises its error for a wrong token."""
    error, message = kind.refused
    async with kind.at(url, "another-token") as other_owner:
        with pytest.raises(error, match=message):
            await other_owner.vehicles()
