"""The vehicles' identities, the clock, starting and stopping, and the account's endpoints."""

import ast
from pathlib import Path
import sys
import time

from freezegun import freeze_time
import pytest

from custom_components.vehicle_remote_access import simulator as package
from custom_components.vehicle_remote_access.simulator import Clock, ManualClock, Simulator

from .conftest import Client

FOLDER = Path(package.__path__[0])
LETTERS = {
    letter: int(digit)
    for letter, digit in zip("ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789", strict=True)
}


def is_valid(vin: str) -> bool:
    """Return whether a vehicle identification number has the correct check digit."""
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    values = [LETTERS.get(letter, int(letter) if letter.isdigit() else 99) for letter in vin]
    total = sum(value * weight for value, weight in zip(values, weights, strict=True))
    return vin[8] == "0123456789X"[total % 11]


def vins(seed: int, vehicles: int = 5) -> list[str]:
    """Return the VINs of an account."""
    return [vehicle.vin for vehicle in Simulator(vehicles=vehicles, seed=seed).vehicles]


@pytest.mark.parametrize("seed", [0, 1, 7, 999_999_999, -5])
def test_vins_are_valid(seed: int) -> None:
    """Every VIN has its check digit."""
    assert all(is_valid(vin) for vin in vins(seed, 12))


def test_same_seed_same_cars() -> None:
    """The same seed gives the same cars."""
    first, second = Simulator(vehicles=5, seed=3), Simulator(vehicles=5, seed=3)
    assert [car.identity for car in first.vehicles] == [car.identity for car in second.vehicles]


def test_other_seed_other_cars() -> None:
    """No two seeds share a VIN."""
    all_vins = [vin for seed in range(50) for vin in vins(seed)]
    assert len(set(all_vins)) == len(all_vins)


def test_names_differ() -> None:
    """The cars of an account have different names."""
    names = [vehicle.name for vehicle in Simulator(vehicles=11).vehicles]
    assert len(set(names)) == 11


def test_first_car_has_everything() -> None:
    """The first car has the equipment for every command."""
    equipment = Simulator().vehicles[0].equipment
    assert equipment.sun_roof_installed
    assert equipment.plg
    assert equipment.motorized_charge_port
    assert equipment.can_actuate_trunks


def test_equipment_differs() -> None:
    """For each equipment that entities depend on, there are cars with it and without it."""
    equipments = [vehicle.equipment for vehicle in Simulator(vehicles=5).vehicles]
    for name in (
        "sun_roof_installed",
        "plg",
        "rhd",
        "eu_vehicle",
        "motorized_charge_port",
        "rear_seat_heaters",
    ):
        assert len({bool(getattr(equipment, name)) for equipment in equipments}) == 2, name


async def test_vehicles_are_independent(simulator: Simulator, client: Client) -> None:
    """A command to one vehicle does not change the others."""
    other = simulator.vehicles[1]
    await client.post(f"/api/1/vehicles/{other.id}/command/door_unlock")
    assert await client.value("vehicle_state.locked") is True
    assert other.body.locked is False


async def test_stopped_service_is_unreachable(client: Client, simulator: Simulator) -> None:
    """A stopped service can't be reached, and can be stopped again."""
    await simulator.stop()
    await simulator.stop()
    with pytest.raises(OSError, match="Cannot connect"):
        await client.get(client.vehicle_path)


async def test_port_in_use(simulator: Simulator) -> None:
    """A port in use raises an error, and nothing is left running."""
    port = int(simulator.url.rpartition(":")[2])
    other = Simulator()
    with pytest.raises(OSError, match="address already in use"):
        await other.start(port)


def test_token_is_random() -> None:
    """Without a token each service has a random one."""
    assert Simulator().token != Simulator().token


def test_clock_runs_faster() -> None:
    """With a speed of 60, a clock passes a minute in a second."""
    moments = [1000.0]
    clock = Clock(60, time=lambda: moments[-1])
    moments.append(1001.0)
    assert clock.now() == 1060


def test_clock_changes_speed() -> None:
    """A change of speed does not change the time."""
    moments = [1000.0]
    clock = Clock(time=lambda: moments[-1])
    moments.append(1010.0)
    clock.speed = 10
    assert (clock.now(), clock.speed) == (1010, 10)
    moments.append(1011.0)
    assert clock.now() == 1020


def test_clock_follows_frozen_time() -> None:
    """A clock that was created before freezing follows the frozen time."""
    clock = Clock()
    with freeze_time("2031-01-01") as frozen:
        before = clock.now()
        assert before == time.time()
        frozen.tick(5)
        assert clock.now() == before + 5


async def test_clock_that_goes_back(clock: ManualClock, client: Client) -> None:
    """A clock that is set back does not change a car's state."""
    clock.advance(-100)
    assert await client.value("charge_state.battery_level") == 72


async def test_subscriptions_are_complete_at_first(simulator: Simulator, client: Client) -> None:
    """A device is subscribed to all vehicles by default."""
    reply = await client.get("/api/1/vehicle_subscriptions?device_type=ios")
    assert reply.response == [vehicle.id for vehicle in simulator.vehicles]


@pytest.mark.parametrize("as_text", [True, False])
async def test_subscriptions_are_stored(*, as_text: bool, simulator: Simulator, client: Client) -> None:
    """A device is subscribed to the vehicles in its request that the account has."""
    own = simulator.vehicles[2].id
    body = {
        "device_type": "android",
        "device_token": "d",
        "vehicle_ids": f"{own},7" if as_text else [own, 7],
    }
    assert (await client.post("/api/1/vehicle_subscriptions", json=body)).response == [own]
    query = {"device_type": "android", "device_token": "d"}
    assert (await client.get("/api/1/vehicle_subscriptions", params=query)).response == [own]


@pytest.mark.parametrize("query", [{}, {"device_type": "toaster"}])
async def test_subscriptions_need_a_device(query: dict[str, str], client: Client) -> None:
    """A missing or unknown device type gets a 400 response."""
    assert (await client.get("/api/1/vehicle_subscriptions", params=query)).status == 400


@pytest.mark.parametrize("ids", [7, ["x"], [None]])
async def test_subscriptions_need_ids(ids: object, client: Client) -> None:
    """An invalid list of ids gets a 400 response."""
    body = {"device_type": "ios", "vehicle_ids": ids}
    assert (await client.post("/api/1/vehicle_subscriptions", json=body)).status == 400


async def test_preferences_are_stored(client: Client) -> None:
    """Preferences are stored for each device type and platform."""
    path = "/api/1/notification_preferences"
    query = {"subscription_device_type": "ios-beta", "platform": "p"}
    assert (await client.get(path, params=query)).response == {}
    assert (await client.post(path, params=query, json={"charging": True})).response == {"charging": True}
    assert (await client.get(path, params=query)).response == {"charging": True}
    assert (await client.get(path, params={"device_type": "ios"})).response == {}


async def test_confirmation(client: Client) -> None:
    """A confirmation is accepted."""
    reply = await client.post("/api/1/notification_confirmations", json={"id": 1})
    assert reply.response is True


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.stem)
def test_simulator_is_independent(path: Path) -> None:
    """The simulator imports only itself, the standard library and aiohttp."""
    allowed = {*sys.stdlib_module_names, "aiohttp"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= allowed
        if isinstance(node, ast.ImportFrom):
            is_inside = 0 < node.level <= len(path.relative_to(FOLDER).parts)
            assert is_inside or (node.module or "").partition(".")[0] in allowed
