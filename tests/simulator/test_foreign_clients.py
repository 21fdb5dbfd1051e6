"""Clients that others wrote for services of this family work with the simulator unchanged."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from unittest.mock import patch

from aiohttp import ClientSession
import pytest
from tesla_fleet_api import TeslaFleetApi, exceptions
import teslapy

from custom_components.vehicle_remote_access.simulator import Clock, Simulator

from .conftest import TOKEN, serving
from .documented import OBJECTS, Json


@pytest.fixture
async def service() -> AsyncIterator[Simulator]:
    """Return a running service with five cars that wake in an eighth of a second."""
    service = Simulator(vehicles=5, token=TOKEN, clock=Clock(60))
    async with serving(service):
        yield service


def first_in(state: str, records: list[Json]) -> Json:
    """Return the record of the first vehicle that is in a state."""
    return next(record for record in records if record["state"] == state)


@contextmanager
def teslapy_client(url: str, token: str) -> Iterator[teslapy.Tesla]:
    """Connect TeslaPy to the service at this address."""
    tokens = {"owner": {"url": url, "sso": {"access_token": token, "expires_at": 0}}}
    with (
        patch.object(teslapy, "BASE_URL", url),
        # It also reads the owner's orders, which the interface document does not have.
        patch.object(teslapy.Vehicle, "orders", [{"vin": ""}]),
        teslapy.Tesla("owner", cache_loader=lambda: tokens) as tesla,
    ):
        yield tesla


def use_teslapy(url: str) -> None:
    """List, read, wake and command vehicles, and recognize errors."""
    with (
        teslapy_client(url, "another-token") as tesla,
        pytest.raises(teslapy.HTTPError, match=r"^401 .* invalid_token"),
    ):
        tesla.api("VEHICLE_LIST")
    with teslapy_client(url, TOKEN) as tesla:
        records = tesla.api("VEHICLE_LIST")["response"]
        assert len({record["vin"] for record in records}) == 5
        sleeper = teslapy.Vehicle(first_in("asleep", records), tesla)
        with pytest.raises(teslapy.HTTPError, match=r"^408 .* vehicle is offline or asleep"):
            sleeper.get_vehicle_data()
        # It accepts both shapes of wake_up, because it reads the single record afterwards.
        sleeper.sync_wake_up(interval=0)
        assert sleeper.get_vehicle_data()["state"] == "online"
        car = teslapy.Vehicle(first_in("online", records), tesla)
        assert car.get_vehicle_data().keys() >= {"vin", *OBJECTS}
        for command, is_locked in (("UNLOCK", False), ("LOCK", True)):
            car.command(command)
            assert car.get_vehicle_data()["vehicle_state"]["locked"] is is_locked
        car.command("CHANGE_CHARGE_LIMIT", percent=70)
        assert car.get_vehicle_data()["charge_state"]["charge_limit_soc"] == 70


async def test_teslapy(service: Simulator) -> None:
    """TeslaPy, written for the first services of this family, works. It is synchronous."""
    await asyncio.to_thread(use_teslapy, service.url)


async def test_tesla_fleet_api(service: Simulator) -> None:
    """tesla-fleet-api, which Home Assistant uses for the later services of this family, works."""
    # It uses VINs in paths, and expects one record from wake_up. Its services require a JSON content type.
    service.switches.vin_in_path = service.switches.require_content_type = True
    service.switches.wake_shape = "object"
    async with ClientSession() as session:
        stranger = TeslaFleetApi(session, "another-token", server=service.url)
        with pytest.raises(exceptions.InvalidToken, match=r"^Invalid access token"):
            await stranger.vehicles.createFleet("").list()
        tesla = TeslaFleetApi(session, TOKEN, server=service.url)
        records = (await tesla.vehicles.createFleet("").list())["response"]
        assert len({record["vin"] for record in records}) == 5
        sleeper = tesla.vehicles.createFleet(first_in("asleep", records)["vin"])
        with pytest.raises(exceptions.VehicleOffline, match=r"^The vehicle is not 'online'"):
            await sleeper.vehicle_data()
        sleeper._wake_poll_interval = 0  # noqa: SLF001 - the simulated time is faster
        await sleeper.wake_up(wait=True)
        assert (await sleeper.vehicle_data())["response"]["state"] == "online"
        car = tesla.vehicles.createFleet(first_in("online", records)["vin"])
        assert (await car.vehicle_data())["response"].keys() >= {"vin", *OBJECTS}
        for act, is_locked in ((car.door_unlock, False), (car.door_lock, True)):
            await act()
            assert (await car.vehicle_data())["response"]["vehicle_state"]["locked"] is is_locked
        await car.set_charge_limit(70)
        assert (await car.vehicle_data())["response"]["charge_state"]["charge_limit_soc"] == 70
