"""The vehicles' identities, starting and stopping, and the account's endpoints."""

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.fleet import check_digit

from .conftest import Client


@given(seed=st.integers(-(10**9), 10**9))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_vins(seed: int) -> None:
    """Every VIN has its check digit. The same seed gives the same cars, another seed other VINs."""
    cars, again, others = [Simulator(vehicles=12, seed=each).vehicles for each in (seed, seed, seed + 1)]
    assert check_digit("1M8GDM9AXKP042788") == "X"
    assert all(check_digit(car.vin) == car.vin[8] for car in cars)
    assert len({car.name for car in cars}) == 12
    assert [car.identity for car in cars] == [car.identity for car in again]
    assert len({car.vin for car in (*cars, *others)}) == 24


def test_equipment() -> None:
    """The first car has the equipment for every command. Of the others, some lack it."""
    first, *others = [vehicle.model for vehicle in Simulator(vehicles=5).vehicles]
    for name in ("sun_roof_installed", "plg", "motorized_charge_port", "can_actuate_trunks"):
        assert getattr(first, name), name
        assert not all(getattr(other, name) for other in others), name
    for name in ("rhd", "eu_vehicle", "rear_seat_heaters"):
        assert len({bool(getattr(equipment, name)) for equipment in (first, *others)}) == 2, name


async def test_start_and_stop(client: Client, simulator: Simulator) -> None:
    """A port in use raises an error. A stopped service can't be reached, and can be stopped again."""
    other = Simulator()
    assert other.token != Simulator().token
    with pytest.raises(OSError, match="address already in use"):
        await other.start(int(simulator.url.rpartition(":")[2]))
    await simulator.stop()
    await simulator.stop()
    with pytest.raises(OSError, match="Cannot connect"):
        await client.get(client.vehicle_path)


async def test_subscriptions(simulator: Simulator, client: Client) -> None:
    """A device is subscribed to all vehicles, or to those in its request that the account has."""
    path, query = "/api/1/vehicle_subscriptions", {"device_type": "android", "device_token": "d"}
    everything, own = [vehicle.id for vehicle in simulator.vehicles], simulator.vehicles[2].id
    assert (await client.get(path, params=query)).response == everything
    for vehicle_ids in (f"{own},7", [own, 7]):
        body = {**query, "vehicle_ids": vehicle_ids}
        assert (await client.post(path, json=body)).response == [own]
    assert (await client.get(path, params=query)).response == [own]
    assert (await client.get(path, params={**query, "device_token": "other"})).response == everything
    lists = [{"device_type": "ios", "vehicle_ids": ids} for ids in (7, ["x"], [None])]
    for wrong in ({}, {"device_type": "toaster"}, *lists):
        assert (await client.post(path, json=wrong)).status == 400, wrong


async def test_notifications(client: Client) -> None:
    """Preferences are stored for each device type and platform. A confirmation is accepted."""
    path = "/api/1/notification_preferences"
    query = {"subscription_device_type": "ios-beta", "platform": "p"}
    assert (await client.get(path, params=query)).response == {}
    assert (await client.post(path, params=query, json={"charging": True})).response == {"charging": True}
    assert (await client.get(path, params=query)).response == {"charging": True}
    assert (await client.get(path, params={"device_type": "ios"})).response == {}
    assert (await client.post("/api/1/notification_confirmations", json={"id": 1})).response is True
