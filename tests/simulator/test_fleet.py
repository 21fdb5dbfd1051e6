"""Who the vehicles are, what time it is, and how the service starts and stops."""

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
    """Return whether a vehicle identification number has the right check digit."""
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    values = [LETTERS.get(each, int(each) if each.isdigit() else 99) for each in vin]
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
    """The same seed makes the same cars."""
    first, second = Simulator(vehicles=5, seed=3), Simulator(vehicles=5, seed=3)
    assert [each.identity for each in first.vehicles] == [each.identity for each in second.vehicles]


def test_other_seed_other_cars() -> None:
    """No VIN is that of a car of another seed."""
    seen = [vin for seed in range(50) for vin in vins(seed)]
    assert len(set(seen)) == len(seen)


def test_names_differ() -> None:
    """Cars of an account can be told apart by name."""
    names = [vehicle.name for vehicle in Simulator(vehicles=11).vehicles]
    assert len(set(names)) == 11


def test_first_car_has_everything() -> None:
    """The first car is fitted for every command."""
    fitted = Simulator().vehicles[0].equipment
    assert fitted.sun_roof_installed
    assert fitted.plg
    assert fitted.motorized_charge_port
    assert fitted.can_actuate_trunks


def test_cars_differ() -> None:
    """Between them the cars are with and without what entities depend on."""
    fitted = [vehicle.equipment for vehicle in Simulator(vehicles=5).vehicles]
    for name in (
        "sun_roof_installed",
        "plg",
        "rhd",
        "eu_vehicle",
        "motorized_charge_port",
        "rear_seat_heaters",
    ):
        assert len({bool(getattr(each, name)) for each in fitted}) == 2, name


async def test_vehicles_are_apart(simulator: Simulator, client: Client) -> None:
    """A command to one vehicle leaves the others as they were."""
    other = simulator.vehicles[1]
    await client.post(f"/api/1/vehicles/{other.id}/command/door_unlock")
    assert await client.value("vehicle_state.locked") is True
    assert other.body.locked is False


async def test_stopped_service_is_gone(client: Client, simulator: Simulator) -> None:
    """A stopped service does not answer, and can be stopped again."""
    await simulator.stop()
    await simulator.stop()
    with pytest.raises(OSError, match="Cannot connect"):
        await client.get(client.car)


async def test_port_in_use(simulator: Simulator) -> None:
    """A port that is taken is an error, and leaves nothing running."""
    port = int(simulator.url.rpartition(":")[2])
    other = Simulator()
    with pytest.raises(OSError, match="address already in use"):
        await other.start(port)


def test_token_is_made() -> None:
    """Without a token every service has one of its own."""
    assert Simulator().token != Simulator().token


def test_clock_runs_faster() -> None:
    """A clock of speed 60 makes a minute of a second, from the present on."""
    moments = [1000.0]
    clock = Clock(60, time=lambda: moments[-1])
    moments.append(1001.0)
    assert clock.now() == 1060


def test_clock_changes_speed() -> None:
    """A change of speed does not jump."""
    moments = [1000.0]
    clock = Clock(time=lambda: moments[-1])
    moments.append(1010.0)
    clock.speed = 10
    assert (clock.now(), clock.speed) == (1010, 10)
    moments.append(1011.0)
    assert clock.now() == 1020


def test_clock_follows_frozen_time() -> None:
    """A clock made before time is frozen follows the frozen time."""
    clock = Clock()
    with freeze_time("2031-01-01") as frozen:
        before = clock.now()
        assert before == time.time()
        frozen.tick(5)
        assert clock.now() == before + 5


async def test_clock_that_goes_back(clock: ManualClock, client: Client) -> None:
    """A car does not grow younger when the clock is set back."""
    clock.advance(-100)
    assert await client.value("charge_state.battery_level") == 72


async def test_subscriptions_are_all_at_first(simulator: Simulator, client: Client) -> None:
    """A device hears of every vehicle until it says otherwise."""
    reply = await client.get("/api/1/vehicle_subscriptions?device_type=ios")
    assert reply.response == [vehicle.id for vehicle in simulator.vehicles]


@pytest.mark.parametrize("as_text", [True, False])
async def test_subscriptions_are_stored(*, as_text: bool, simulator: Simulator, client: Client) -> None:
    """A device hears of the vehicles that it named, as far as they are the account's."""
    mine = simulator.vehicles[2].id
    body = {
        "device_type": "android",
        "device_token": "d",
        "vehicle_ids": f"{mine},7" if as_text else [mine, 7],
    }
    assert (await client.post("/api/1/vehicle_subscriptions", json=body)).response == [mine]
    query = {"device_type": "android", "device_token": "d"}
    assert (await client.get("/api/1/vehicle_subscriptions", params=query)).response == [mine]


@pytest.mark.parametrize("query", [{}, {"device_type": "toaster"}])
async def test_subscriptions_need_a_device(query: dict[str, str], client: Client) -> None:
    """Without a device type there is nothing to answer."""
    assert (await client.get("/api/1/vehicle_subscriptions", params=query)).status == 400


@pytest.mark.parametrize("ids", [7, ["x"], [None]])
async def test_subscriptions_need_ids(ids: object, client: Client) -> None:
    """What is no list of ids is refused."""
    body = {"device_type": "ios", "vehicle_ids": ids}
    assert (await client.post("/api/1/vehicle_subscriptions", json=body)).status == 400


async def test_preferences_are_stored(client: Client) -> None:
    """Preferences are kept for each kind of device and platform."""
    path = "/api/1/notification_preferences"
    query = {"subscription_device_type": "ios-beta", "platform": "p"}
    assert (await client.get(path, params=query)).response == {}
    assert (await client.post(path, params=query, json={"charging": True})).response == {"charging": True}
    assert (await client.get(path, params=query)).response == {"charging": True}
    assert (await client.get(path, params={"device_type": "ios"})).response == {}


async def test_confirmation(client: Client) -> None:
    """A confirmation is taken note of."""
    reply = await client.post("/api/1/notification_confirmations", json={"id": 1})
    assert reply.response is True


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.stem)
def test_simulator_stands_alone(path: Path) -> None:
    """The simulator imports itself, the standard library and aiohttp, and nothing else."""
    allowed = {*sys.stdlib_module_names, "aiohttp"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {each.name.partition(".")[0] for each in node.names} <= allowed
        if isinstance(node, ast.ImportFrom):
            is_inside = 0 < node.level <= len(path.relative_to(FOLDER).parts)
            assert is_inside or (node.module or "").partition(".")[0] in allowed
