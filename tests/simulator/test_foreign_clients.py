"""Clients that others wrote for services of this family use the simulator as they are."""

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
SECONDS_TO_END: Final = 30
RECORDS: Final = {
    "charge_state",
    "climate_state",
    "drive_state",
    "gui_settings",
    "vehicle_config",
    "vehicle_state",
}


class Owner(ABC):
    """What an owner does with a client."""

    switches: ClassVar[list[str]]
    """How the services that the client was written for depart from the interface document."""
    refused: ClassVar[tuple[type[BaseException], str]]
    """What the client raises if the token is wrong, and its words."""
    asleep: ClassVar[tuple[type[BaseException], str]]
    """What the client raises if a car that is to be read is asleep, and its words."""

    @staticmethod
    @abstractmethod
    def at(url: str, token: str) -> AbstractAsyncContextManager[Owner]:
        """Use a client with the service at this address."""

    @abstractmethod
    async def vehicles(self) -> list[Json]:
        """List all vehicles."""

    @abstractmethod
    async def data(self, vehicle: Json) -> Json:
        """Read a vehicle."""

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

    # None: it takes both shapes of wake_up, because it looks at the single record afterwards.
    switches: ClassVar = []
    refused = (teslapy.HTTPError, "^401 .* invalid_token")
    asleep = (teslapy.HTTPError, "^408 .* vehicle is offline or asleep")

    def __init__(self, tesla: teslapy.Tesla) -> None:
        """Use an account."""
        self._tesla = tesla

    @override
    @staticmethod
    @asynccontextmanager
    async def at(url: str, token: str) -> AsyncIterator[Owner]:
        tokens = {"owner": {"url": url, "sso": {"access_token": token, "expires_at": 0}}}
        with (
            patch.object(teslapy, "BASE_URL", url),
            # It also asks for what its owner has ordered, of which the interface document knows nothing.
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

    # It puts VINs into its paths, and takes what wake_up answers for one record. Those services
    # want to be told that what is posted is JSON.
    switches: ClassVar = ["vin_in_path=true", "wake_shape=object", "require_content_type=true"]
    refused = (exceptions.InvalidToken, "^Invalid access token")
    asleep = (exceptions.VehicleOffline, "^The vehicle is not 'online'")

    def __init__(self, tesla: TeslaFleetApi) -> None:
        """Use an account."""
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
        car._wake_poll_interval = 0  # noqa: SLF001 - seconds; here time runs faster
        return car


@contextmanager
def simulated(switches: list[str]) -> Iterator[str]:
    """Run the service by itself, and return its address."""
    options = [*OPTIONS, *(f"--switch={each}" for each in switches)]
    with subprocess.Popen([SIMULATE, *options], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            assert process.stdout
            address = next(filter(None, map(ADDRESS.match, process.stdout)), None)
            assert address, "it ended without a word about where it is"
            yield address[1]
        finally:
            process.terminate()
            process.communicate(timeout=SECONDS_TO_END)


@pytest.fixture(params=[ClassicOwner, FleetOwner])
def kind(request: pytest.FixtureRequest) -> type[Owner]:
    """Return a client."""
    kind: type[Owner] = request.param
    return kind


@pytest.fixture
def url(kind: type[Owner]) -> Iterator[str]:
    """Return where the service runs that the client is for."""
    with simulated(kind.switches) as url:
        yield url


@pytest.fixture
async def owner(kind: type[Owner], url: str) -> AsyncIterator[Owner]:
    """Return an owner who has the right token."""
    async with kind.at(url, TOKEN) as owner:
        yield owner


async def found(owner: Owner, state: str = "online") -> Json:
    """Return the first vehicle that is listed in a state."""
    return next(vehicle for vehicle in await owner.vehicles() if vehicle["state"] == state)


async def test_client_lists_the_vehicles(owner: Owner) -> None:
    """A foreign client finds every vehicle of the account."""
    assert len({vehicle["vin"] for vehicle in await owner.vehicles()}) == 5


async def test_client_reads_a_vehicle(owner: Owner) -> None:
    """A foreign client reads all six objects of the vehicle that it asked for."""
    vehicle = await found(owner)
    data = await owner.data(vehicle)
    assert data["vin"] == vehicle["vin"]
    assert data.keys() >= RECORDS


async def test_client_is_told_that_a_vehicle_sleeps(kind: type[Owner], owner: Owner) -> None:
    """A foreign client takes the refusal of a sleeping vehicle for what it is."""
    vehicle = await found(owner, "asleep")
    error, words = kind.asleep
    with pytest.raises(error, match=words):
        await owner.data(vehicle)


async def test_client_wakes_a_vehicle(owner: Owner) -> None:
    """A foreign client wakes a sleeping vehicle, and can read it then."""
    vehicle = await found(owner, "asleep")
    await owner.wake(vehicle)
    assert (await owner.data(vehicle))["state"] == "online"


async def test_client_unlocks_and_locks_the_doors(owner: Owner) -> None:
    """A foreign client unlocks the doors and locks them, and reads both afterwards."""
    vehicle = await found(owner)
    read = []
    for act in (owner.unlock, owner.lock):
        await act(vehicle)
        read.append((await owner.data(vehicle))["vehicle_state"]["locked"])
    assert read == [False, True]


async def test_client_sets_the_charge_limit(owner: Owner) -> None:
    """A foreign client sets the charge limit, and reads it afterwards."""
    vehicle = await found(owner)
    before = (await owner.data(vehicle))["charge_state"]["charge_limit_soc"]
    await owner.set_charge_limit(vehicle, before - 10)
    assert (await owner.data(vehicle))["charge_state"]["charge_limit_soc"] == before - 10


async def test_client_is_told_that_its_token_is_wrong(kind: type[Owner], url: str) -> None:
    """A foreign client takes the refusal of its token for what it is."""
    error, words = kind.refused
    async with kind.at(url, "another-token") as stranger:
        with pytest.raises(error, match=words):
            await stranger.vehicles()
