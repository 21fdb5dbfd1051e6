"""When the car falls asleep, what keeps it awake, and what wakes it."""

from collections.abc import Callable

import pytest

from custom_components.vehicle_remote_access.simulator import (
    ControlError,
    ManualClock,
    SimulatedVehicle,
    Switches,
)

from .conftest import Client


async def test_car_falls_asleep(clock: ManualClock, client: Client) -> None:
    """An idle car falls asleep after eleven minutes."""
    clock.advance(659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


async def test_time_to_sleep_can_be_set(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """The time until a car falls asleep can be changed."""
    car.sleep_after = 1800
    clock.advance(1799)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/vehicle_data"),
        ("GET", "/data"),
        ("GET", "/data_request/gui_settings"),
        ("GET", "/mobile_enabled"),
        ("POST", "/command/flash_lights"),
        ("POST", "/wake_up"),
    ],
)
async def test_request_keeps_the_car_awake(
    method: str, path: str, clock: ManualClock, client: Client
) -> None:
    """A live read or a command restarts the eleven minutes."""
    clock.advance(600)
    await client.request(method, client.vehicle_path + path)
    clock.advance(600)
    assert await client.state() == "online"
    clock.advance(60)
    assert await client.state() == "asleep"


@pytest.mark.parametrize("path", ["", "/service_data", "/nothing"])
async def test_request_lets_the_car_sleep(path: str, clock: ManualClock, client: Client) -> None:
    """A request that does not contact the car does not keep it awake."""
    clock.advance(600)
    await client.get(client.vehicle_path + path)
    await client.get("/api/1/vehicles")
    clock.advance(60)
    assert await client.state() == "asleep"


AWAKE: dict[str, Callable[[SimulatedVehicle], object]] = {
    "user": lambda car: car.enter(),
    "sentry": lambda car: car.sentry(on=True),
    "dog": lambda car: car.climate_keeper("dog"),
    "door": lambda car: car.open("pf"),
    "lid": lambda car: car.open("rt"),
}


@pytest.mark.parametrize("reason", AWAKE)
async def test_condition_keeps_the_car_awake(
    reason: str, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A car with a reason to stay awake does not fall asleep."""
    AWAKE[reason](car)
    clock.advance(3600)
    assert await client.state() == "online"


async def test_charging_keeps_the_car_awake(clock: ManualClock, client: Client) -> None:
    """A car falls asleep eleven minutes after charging, not earlier."""
    await client.command("charge_start")
    clock.advance(2400)
    assert await client.state() == "online"
    clock.advance(3600)
    assert await client.state() == "asleep"


async def test_unlocked_car_stays_awake(
    switches: Switches, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """Some cars do not fall asleep while unlocked."""
    switches.unlocked_blocks_sleep = True
    car.unlock()
    clock.advance(3600)
    assert await client.state() == "online"


async def test_car_wakes(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """wake_up returns the car's state before waking. The car is online eight seconds later."""
    car.fall_asleep()
    reply = await client.post(f"{client.vehicle_path}/wake_up")
    assert reply.body["count"] == 1
    assert [record["state"] for record in reply.response] == ["asleep"]
    clock.advance(7)
    assert await client.state() == "asleep"
    clock.advance(1)
    assert await client.state() == "online"


async def test_second_wake_up_changes_nothing(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A repeated wake_up neither shortens nor prolongs waking."""
    car.fall_asleep()
    for _ in range(4):
        await client.post(f"{client.vehicle_path}/wake_up")
        clock.advance(2)
    assert await client.state() == "online"


async def test_wake_up_returns_one_record(switches: Switches, client: Client) -> None:
    """Some services respond to wake_up with one record."""
    switches.wake_shape = "object"
    reply = await client.post(f"{client.vehicle_path}/wake_up")
    assert reply.response["state"] == "online"
    assert "user_id" not in reply.response


async def test_temperatures_come_later(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """For half a minute after waking the temperatures are unknown."""
    car.fall_asleep()
    car.wake()
    assert await client.value("climate_state.inside_temp") is None
    clock.advance(30)
    assert await client.value("climate_state.inside_temp") is not None


async def test_tokens_change_with_waking(car: SimulatedVehicle, client: Client) -> None:
    """The record's tokens change when the car wakes."""
    before = (await client.get(client.vehicle_path)).response["tokens"]
    car.fall_asleep()
    car.wake()
    assert (await client.get(client.vehicle_path)).response["tokens"] != before


async def test_offline_car_cannot_be_woken(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A car without coverage does not receive wake_up."""
    car.fall_asleep()
    car.coverage(on=False)
    assert (await client.post(f"{client.vehicle_path}/wake_up")).response[0]["state"] == "offline"
    clock.advance(60)
    assert await client.state() == "offline"
    car.coverage(on=True)
    assert await client.state() == "asleep"


async def test_opening_a_door_wakes_the_car(car: SimulatedVehicle, client: Client) -> None:
    """Opening a door of a sleeping car wakes it."""
    car.fall_asleep()
    car.open("df")
    assert await client.state() == "online"


async def test_busy_car_does_not_fall_asleep(car: SimulatedVehicle) -> None:
    """A car with a reason to stay awake can't be sent to sleep. The error names the reason."""
    car.enter()
    with pytest.raises(ControlError, match="somebody is in the car"):
        car.fall_asleep()


async def test_hourly_check(
    switches: Switches, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """Some cars wake by themselves every hour, for two and a half minutes."""
    switches.hourly_check = True
    car.fall_asleep()
    clock.advance(3600)
    assert await client.state() == "online"
    clock.advance(150)
    assert await client.state() == "asleep"


async def test_month_without_use(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """After a month the car is asleep and has lost about a percent per day."""
    clock.advance(30 * 86_400)
    assert await client.state() == "asleep"
    assert car.charging.level == pytest.approx(72 - 29, abs=1.5)


@pytest.mark.parametrize(("speed", "awake"), [(1, 660), (5, 132), (7, 660 / 7), (60, 90), (600, 90)])
async def test_fast_car_can_be_seen_awake(
    speed: float, awake: float, clock: ManualClock, client: Client
) -> None:
    """At any speed of its clock, a car stays awake long enough for a poll every minute to see it."""
    await client.data()
    clock.speed = speed
    clock.advance(awake - 1)
    assert await client.state() == "online"
    clock.advance(2)
    assert await client.state() == "asleep"
