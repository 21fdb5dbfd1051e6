"""When the car falls asleep, what keeps it awake, and what wakes it."""

from collections.abc import Callable

import pytest

from custom_components.vehicle_remote_access.simulator import ControlError, ManualClock, Switches, Vehicle

from .conftest import Client


async def test_car_falls_asleep(clock: ManualClock, client: Client) -> None:
    """A car that is left alone falls asleep after eleven minutes."""
    clock.advance(659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


async def test_time_to_sleep_is_the_cars_own(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """A car may need longer to fall asleep."""
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
    """A live read or a command starts the eleven minutes anew."""
    clock.advance(600)
    await client.request(method, client.car + path)
    clock.advance(600)
    assert await client.state() == "online"
    clock.advance(60)
    assert await client.state() == "asleep"


@pytest.mark.parametrize("path", ["", "/service_data", "/nothing"])
async def test_request_lets_the_car_sleep(path: str, clock: ManualClock, client: Client) -> None:
    """What the car is not asked for does not keep it awake."""
    clock.advance(600)
    await client.get(client.car + path)
    await client.get("/api/1/vehicles")
    clock.advance(60)
    assert await client.state() == "asleep"


AWAKE: dict[str, Callable[[Vehicle], object]] = {
    "user": lambda car: car.enter(),
    "sentry": lambda car: car.sentry(on=True),
    "dog": lambda car: car.climate_keeper("dog"),
    "door": lambda car: car.open("pf"),
    "lid": lambda car: car.open("rt"),
}


@pytest.mark.parametrize("reason", AWAKE)
async def test_condition_keeps_the_car_awake(
    reason: str, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """A car with something to do does not fall asleep."""
    AWAKE[reason](car)
    clock.advance(3600)
    assert await client.state() == "online"


async def test_charging_keeps_the_car_awake(clock: ManualClock, client: Client) -> None:
    """A car sleeps eleven minutes after it has charged, not before."""
    await client.command("charge_start")
    clock.advance(2400)
    assert await client.state() == "online"
    clock.advance(3600)
    assert await client.state() == "asleep"


async def test_unlocked_car_stays_awake(
    switches: Switches, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """Some cars do not sleep unlocked."""
    switches.unlocked_blocks_sleep = True
    car.unlock()
    clock.advance(3600)
    assert await client.state() == "online"


async def test_car_wakes(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """A car answers wake_up as it still is, and is online eight seconds later."""
    car.fall_asleep()
    reply = await client.post(f"{client.car}/wake_up")
    assert reply.body["count"] == 1
    assert [each["state"] for each in reply.response] == ["asleep"]
    clock.advance(7)
    assert await client.state() == "asleep"
    clock.advance(1)
    assert await client.state() == "online"


async def test_waking_is_not_made_faster(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """Asking again neither shortens the waking nor prolongs it."""
    car.fall_asleep()
    for _ in range(4):
        await client.post(f"{client.car}/wake_up")
        clock.advance(2)
    assert await client.state() == "online"


async def test_wake_up_answers_one_record(switches: Switches, client: Client) -> None:
    """Some services answer wake_up with one record."""
    switches.wake_shape = "object"
    reply = await client.post(f"{client.car}/wake_up")
    assert reply.response["state"] == "online"
    assert "user_id" not in reply.response


async def test_temperatures_come_later(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """For half a minute after waking the temperatures are unknown."""
    car.fall_asleep()
    car.wake()
    assert await client.value("climate_state.inside_temp") is None
    clock.advance(30)
    assert await client.value("climate_state.inside_temp") is not None


async def test_tokens_change_with_waking(car: Vehicle, client: Client) -> None:
    """The tokens of the record are others after a sleep."""
    before = (await client.get(client.car)).response["tokens"]
    car.fall_asleep()
    car.wake()
    assert (await client.get(client.car)).response["tokens"] != before


async def test_offline_car_cannot_be_woken(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """A car without coverage does not hear wake_up."""
    car.fall_asleep()
    car.coverage(on=False)
    assert (await client.post(f"{client.car}/wake_up")).response[0]["state"] == "offline"
    clock.advance(60)
    assert await client.state() == "offline"
    car.coverage(on=True)
    assert await client.state() == "asleep"


async def test_hand_on_the_door_wakes(car: Vehicle, client: Client) -> None:
    """Whoever opens a door of a sleeping car finds it awake."""
    car.fall_asleep()
    car.open("df")
    assert await client.state() == "online"


async def test_busy_car_does_not_fall_asleep(car: Vehicle) -> None:
    """A car that something keeps awake cannot be sent to sleep, and it is said why."""
    car.enter()
    with pytest.raises(ControlError, match="somebody is in the car"):
        car.fall_asleep()


async def test_hourly_check(switches: Switches, car: Vehicle, clock: ManualClock, client: Client) -> None:
    """Some cars wake by themselves every hour, for two and a half minutes."""
    switches.hourly_check = True
    car.fall_asleep()
    clock.advance(3600)
    assert await client.state() == "online"
    clock.advance(150)
    assert await client.state() == "asleep"


async def test_month_of_rest(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """After a month the car is asleep and has lost about a percent a day."""
    clock.advance(30 * 86_400)
    assert await client.state() == "asleep"
    assert car.charging.level == pytest.approx(72 - 29, abs=1.5)


@pytest.mark.parametrize(("speed", "awake"), [(1, 660), (5, 132), (7, 660 / 7), (60, 90), (600, 90)])
async def test_fast_car_can_be_seen_awake(
    speed: float, awake: float, clock: ManualClock, client: Client
) -> None:
    """However fast its time runs, a car stays awake so long that who asks once a minute sees it."""
    await client.data()
    clock.speed = speed
    clock.advance(awake - 1)
    assert await client.state() == "online"
    clock.advance(2)
    assert await client.state() == "asleep"
