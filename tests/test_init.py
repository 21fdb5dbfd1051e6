"""Removing cars, and other changes of an account while it is loaded."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData
from homeassistant.exceptions import HomeAssistantError
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.vehicle_remote_access.api import commands
from custom_components.vehicle_remote_access.api.records import VehicleState
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from custom_components.vehicle_remote_access.vehicle.coordinator import VehicleCoordinator

from .conftest import LOCK, Home
from .issues import issue_keys, issues

two_cars = pytest.mark.parametrize("cars", [2])


def changed_entities(events: list[Event[EventStateChangedData]]) -> set[str]:
    return {event.data["entity_id"] for event in events}


@two_cars
async def test_deleting_the_device_removes_the_car(home: Home, hass_ws_client: WebSocketGenerator) -> None:
    _, other = home.simulator.vehicles
    account = home.device.via_device_id
    assert await home.delete_device(hass_ws_client, home.device.id)
    assert account is not None
    assert not await home.delete_device(hass_ws_client, account)
    assert [subentry.unique_id for subentry in home.entry.subentries.values()] == [other.vin]
    assert home.shown(*LOCK, other.vin).state == "locked"
    await home.advance(120)
    assert issues(home) == []


@two_cars
async def test_new_car_with_the_name_of_a_deleted_one_has_its_entity_ids(empty_home: Home) -> None:
    home = empty_home
    sold, new = home.simulator.vehicles
    new.identity = replace(new.identity, name=sold.name)
    await home.set_up(sold)

    def ids(car: SimulatedVehicle) -> dict[tuple[str, str], str]:
        names = ((entity, entity.unique_id.removeprefix(car.vin)) for entity in home.entities())
        return {(entity.domain, name): entity.entity_id for entity, name in names}

    old = ids(sold)
    await home.remove_car(sold.vin)
    await home.add_car(new)
    found = ids(new)
    # Their equipment differs.
    both = found.keys() & old.keys()
    assert len(both) > 100
    assert {each: found[each] for each in both} == {each: old[each] for each in both}


@two_cars
async def test_removal_leaves_other_cars_alone(home: Home) -> None:
    """The entities of the others and of the account send no event, and the others are polled as before."""
    removed, other = home.simulator.vehicles
    others = {entity.entity_id for entity in home.entities() if removed.vin not in entity.unique_id}
    events = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    count = len(home.requests())
    await home.remove_car(removed.vin)
    assert changed_entities(events).isdisjoint(others)
    assert len(home.requests()) == count
    other.unlock()
    await home.advance(1200, step=20)
    assert home.shown(*LOCK, other.vin).state == "unlocked"
    new = home.requests()[count:]
    assert [path for path in new if str(other.id) in path]
    assert not [path for path in new if str(removed.id) in path]


@two_cars
async def test_issue_that_only_a_removed_car_had_is_deleted_with_it(home: Home) -> None:
    car = home.car
    home.simulator.faults.answer(403, times=20, only=f"{car.id}/vehicle_data")
    await home.poll()
    await home.poll()
    assert issue_keys(home) == ["permission_denied"]
    await home.remove_car(car.vin)
    assert issues(home) == []
    await home.advance(300, step=20)
    assert issues(home) == []


REQUESTS: Final[dict[str, Callable[[VehicleCoordinator], Awaitable[Any]]]] = {
    "planned read": VehicleCoordinator.async_refresh,
    "read": VehicleCoordinator.async_read_now,
    "action": VehicleCoordinator.async_request_all,
    "endpoint": partial(VehicleCoordinator.async_request, endpoint=commands.VEHICLE_DATA),
    "command": lambda vehicle: vehicle.commands.async_send(commands.DOOR_LOCK),
    "toggle": lambda vehicle: vehicle.commands.async_send(
        commands.ACTUATE_TRUNK, {VehicleState.rt: True}, which_trunk="rear"
    ),
    "wake": lambda vehicle: vehicle.commands.async_send(commands.WAKE_UP),
}


@two_cars
@pytest.mark.parametrize("request_car", REQUESTS.values(), ids=REQUESTS)
async def test_request_that_waits_is_not_sent_after_removal_of_the_car(home: Home, request_car: Any) -> None:
    car, vehicle = home.car, home.coordinator
    # The identity of a car is checked again after two minutes.
    await home.advance(200, step=20)
    async with vehicle.reader.lock:
        waiting: asyncio.Future[Any] = asyncio.ensure_future(request_car(vehicle))
        await home.idle()
        await home.remove_car(car.vin)
        home.simulator.requests.clear()
    result = (await asyncio.gather(waiting, return_exceptions=True))[0]
    await home.idle()
    assert not home.requests(str(car.id))
    # A planned read has no caller that could get an error.
    is_planned = request_car is VehicleCoordinator.async_refresh
    assert is_planned or (isinstance(result, HomeAssistantError) and result.translation_key == "unloaded")


async def test_account_is_polled_without_a_car_and_a_car_added_again_is_complete(home: Home) -> None:
    entities, car = set(home.states()), home.car
    await home.remove_car(car.vin)
    count = len(home.requests())
    await home.advance(180, step=60)
    assert set(home.requests()[count:]) == {"/api/1/vehicles"}
    assert issues(home) == []
    await home.add_car(car)
    await home.advance(60)
    assert set(home.states()) == entities
    assert home.shown(*LOCK).state == "locked"
    (vehicle,) = home.entry.runtime_data.vehicles.values()
    await home.restart()
    assert home.shown(*LOCK).state == "locked"
    assert vehicle.subentry_id in home.entry.runtime_data.vehicles
