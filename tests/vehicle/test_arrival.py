"""The trigger and the condition of a car that arrives home, with live reads and with live data."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from homeassistant.core import Event
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.vehicle_remote_access.api.records import DriveState
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Point, SimulatedVehicle
from simulator_console.services import SimulatedService

from ..conftest import MINUTE, MOVING, READ, Home

MILES: Final = 3.0
SPEED: Final = 25.0
# By air and by road: the simulated road is straight, with a constant speed.
STREAMING: Final = pytest.mark.parametrize("service", ["tessie"])


@pytest.fixture
def simulator(simulator: SimulatedService, service: str) -> SimulatedService:
    simulator.streams.is_on = service == "tessie"
    return simulator


async def _set_zone(home: Home, point: Point | None = None) -> None:
    """Let Home Assistant's home be that of the car, or another place."""
    point = point or home.car.home.point
    await home.hass.config.async_update(latitude=point.latitude, longitude=point.longitude)
    assert await async_setup_component(home.hass, "zone", {})
    await home.idle()


async def _park_away(home: Home, car: SimulatedVehicle | None = None) -> None:
    car = car or home.car
    car.wake()
    if car.charging.plugged:
        car.unplug()
    place = home.car.home.point.beyond(MILES, 40)
    car.driving.odometer += car.driving.point.miles_to(place)
    car.driving.point = place
    await home.poll()


def _drive_home(home: Home, car: SimulatedVehicle | None = None) -> float:
    """Start the drive home, and return when it ends, in Unix seconds."""
    car = car or home.car
    car.catch_up()
    trip = car.start_trip(MILES, SPEED, home.car.home.point)
    return dt_util.utcnow().timestamp() + trip.duration


async def _wait_for(home: Home, minutes: int = 1, **target: Any) -> list[Event]:
    """Set up an automation with the trigger. Return its runs."""
    target = target or {"device_id": home.device.id}
    events: list[Event] = async_capture_events(home.hass, "arriving")
    trigger = {"trigger": f"{DOMAIN}.arriving_home", "target": target, "options": {"minutes": minutes}}
    action = {"event": "arriving", "event_data": {"entity": "{{ trigger.entity_id }}"}}
    await home.automate({"mode": "queued", "triggers": trigger, "actions": action})
    return events


def _left(events: list[Event], ends_at: float) -> list[float]:
    """Return how many seconds before the end of the drive each event was."""
    return [round(ends_at - event.time_fired_timestamp) for event in events]


async def test_trigger_fires_once_before_the_arrival_with_few_reads_more(home: Home) -> None:
    await _set_zone(home)
    await _park_away(home)
    _drive_home(home)
    usual = len(await home.requests_during(9 * MINUTE, READ))
    events = await _wait_for(home)
    await home.advance(40 * MINUTE, step=30)
    await _park_away(home)
    ends_at = _drive_home(home)
    assert usual < len(await home.requests_during(9 * MINUTE, READ)) <= usual + 6
    (left,) = _left(events, ends_at)
    assert 20 <= left <= 110
    assert events[0].data == {"entity": home.entity_id(*MOVING)}
    await home.advance(20 * MINUTE, step=30)
    await home.restart()
    await home.advance(5 * MINUTE)
    assert len(events) == 1


async def test_nothing_is_read_more_once_the_automation_is_off(home: Home) -> None:
    """Not even once a planned read is past."""
    await _set_zone(home)
    await _park_away(home)
    await _wait_for(home)
    _drive_home(home)
    await home.advance(3 * MINUTE)
    await home.hass.services.async_call("automation", "turn_off", {"entity_id": "all"}, blocking=True)
    assert len(await home.requests_during(4 * MINUTE, READ)) <= 5


async def test_earlier_drives_on_the_same_way_make_it_exact(home: Home) -> None:
    await _set_zone(home)
    events = await _wait_for(home)
    for _ in range(3):
        await _park_away(home)
        ends_at = _drive_home(home)
        await home.advance(15 * MINUTE)
    assert len(events) == 3
    assert _left(events, ends_at)[-1] == pytest.approx(60, abs=15)


async def _arrive(home: Home) -> None:
    _drive_home(home)
    await home.advance(12 * MINUTE)


async def _pass_by(home: Home) -> None:
    home.car.start_trip(8, 50, home.car.home.point.beyond(4, 310))
    await home.advance(15 * MINUTE)


async def _leave(home: Home) -> None:
    home.park_at(home.car.home.point)
    await home.poll()
    home.car.drive(5, 30)
    await home.advance(15 * MINUTE)


async def _arrive_without_gps(home: Home) -> None:
    for field in (DriveState.latitude, DriveState.longitude, DriveState.native_latitude):
        home.simulator.faults.remove(field.path)
    await _arrive(home)


async def _arrive_elsewhere(home: Home) -> None:
    await _set_zone(home, home.car.home.point.beyond(20, 90))
    await _arrive(home)


async def _stay(home: Home) -> None:
    home.park_at(home.car.home.point)
    await home.poll()
    home.car.enter()
    await home.advance(10 * MINUTE)


@pytest.mark.parametrize("happens", [_pass_by, _leave, _arrive_without_gps, _arrive_elsewhere, _stay])
async def test_trigger_does_not_fire(happens: Callable[[Home], Any], home: Home) -> None:
    """No arrival: it passes by, leaves, has no position, arrives where home was before, or stays at home."""
    await _set_zone(home)
    events = await _wait_for(home, minutes=2)
    await _park_away(home)
    await happens(home)
    assert not events


async def test_stop_on_the_way_fires_nothing_twice(home: Home) -> None:
    await _set_zone(home)
    events = await _wait_for(home, minutes=1)
    await _park_away(home)
    ends_at = _drive_home(home)
    while not events:
        await home.advance(5)
    await home.advance(10)
    home.car.stop()
    await home.advance(4 * MINUTE)
    assert ends_at > events[0].time_fired_timestamp
    distance = home.car.driving.point.miles_to(home.car.home.point)
    home.car.start_trip(distance, SPEED, home.car.home.point)
    await home.advance(12 * MINUTE)
    assert len(events) == 1
    await _park_away(home)
    await _arrive(home)
    assert len(events) == 2


async def _turn_automations_off_and_on(home: Home) -> None:
    for action in ("turn_off", "turn_on"):
        await home.hass.services.async_call("automation", action, {"entity_id": "all"}, blocking=True)


@pytest.mark.parametrize("load_again", [Home.restart, _turn_automations_off_and_on])
async def test_trigger_that_is_loaded_again_during_the_arrival_does_not_fire_twice(
    home: Home, load_again: Callable[[Home], Awaitable[object]]
) -> None:
    await _set_zone(home)
    events = await _wait_for(home, minutes=3)
    await _park_away(home)
    _drive_home(home)
    while not events:
        await home.advance(5)
    await load_again(home)
    await home.advance(10 * MINUTE)
    assert len(events) == 1
    # It waits for the next arrival.
    await _park_away(home)
    await _arrive(home)
    assert len(events) == 2


@pytest.mark.parametrize("cars", [2])
async def test_each_of_two_cars_fires_for_itself(home: Home) -> None:
    await _set_zone(home)
    events = await _wait_for(home, area_id=home.put_into_garage())
    first, second = home.simulator.vehicles
    for car in (first, second):
        await _park_away(home, car)
    _drive_home(home, second)
    await home.advance(12 * MINUTE)
    assert [event.data["entity"] for event in events] == [home.entity_id(*MOVING, second.vin)]
    _drive_home(home, first)
    await home.advance(12 * MINUTE)
    assert [event.data["entity"] for event in events][1:] == [home.entity_id(*MOVING, first.vin)]


async def test_car_is_not_read_more_often_for_the_automation_of_another(home: Home) -> None:
    await _set_zone(home)
    await _wait_for(home, entity_id="binary_sensor.of_another_car")
    await _park_away(home)
    _drive_home(home)
    assert len(await home.requests_during(9 * MINUTE, READ)) <= 12


@STREAMING
async def test_trigger_fires_at_the_predicted_moment_of_the_route_with_live_data(home: Home) -> None:
    await _set_zone(home)
    await _park_away(home)
    await home.advance_while_pending(2 * MINUTE, 1)
    assert home.shown("sensor", "polling_mode").state == "live"
    home.simulator.requests.clear()
    events = await _wait_for(home)
    home.fleet_car.navigate_to(home.car.home.point)
    ends_at = _drive_home(home)
    await home.advance_while_pending(12 * MINUTE, 1)
    (left,) = _left(events, ends_at)
    assert left == pytest.approx(60, abs=20)
    assert not home.requests(READ)


@STREAMING
async def test_car_that_navigates_elsewhere_is_not_coming(home: Home) -> None:
    await _set_zone(home)
    events = await _wait_for(home)
    await _park_away(home)
    home.fleet_car.navigate_to(home.car.home.point.beyond(8, 40))
    _drive_home(home)
    await home.advance_while_pending(12 * MINUTE, 1)
    assert not events


async def test_condition_passes_only_while_the_car_is_about_to_arrive(home: Home) -> None:
    await _set_zone(home)
    target = {"device_id": home.device.id}
    passed: list[Event] = async_capture_events(home.hass, "passed")
    condition = {"condition": f"{DOMAIN}.is_arriving_home", "target": target, "options": {"minutes": 2}}
    triggers = {"trigger": "time_pattern", "seconds": "/10"}
    actions = {"event": "passed"}
    await home.automate({"triggers": triggers, "conditions": condition, "actions": actions})
    await _park_away(home)
    await home.advance(MINUTE)
    assert not passed
    ends_at = _drive_home(home)
    await home.advance(12 * MINUTE)
    left = _left(passed, ends_at)
    assert 60 <= left[0] <= 200
    assert left == sorted(left, reverse=True)
    count = len(passed)
    await home.advance(5 * MINUTE)
    assert len(passed) == count
