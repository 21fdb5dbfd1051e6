"""When the car falls asleep, what keeps it awake, and what wakes it."""

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle

from .conftest import PASSWORD, Act, Client, charge, sends, shown


@pytest.mark.parametrize(
    ("act", "seconds"),
    [
        (lambda _: None, 60),
        (lambda car: setattr(car, "sleep_after", 1800), 1200),
        (sends("remote_start_drive", password=PASSWORD), 120 + 660),
        (lambda car: (car.unplug(), car.drive(65, speed=65)), 3600 + 65 / 2.5 + 660),
        (lambda car: car.offer_update(), 300 + 600 + 660),
        (lambda car: (car.open("rt"), car.close("rt")), 660),
        (lambda car: car.unlock(), 660),
    ],
    ids=["idle", "other time", "remote start", "drive", "download", "closed again", "unlocked"],
)
def test_car_falls_asleep(act: Act, seconds: float, car: SimulatedVehicle, clock: ManualClock) -> None:
    """A car falls asleep eleven minutes after the last reason to stay awake has ended, not earlier."""
    clock.advance(600)
    act(car)
    clock.advance(seconds - 1)
    assert shown(car, "state") == "online"
    clock.advance(1.01)
    assert shown(car, "state") == "asleep"


async def test_request_keeps_the_car_awake(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A live read or a command restarts the eleven minutes. A request that does not contact it does not."""
    for method, path, seconds in (
        ("GET", "{car}/vehicle_data", 660),
        ("GET", "{car}/data", 660),
        ("GET", "{car}/data_request/gui_settings", 660),
        ("GET", "{car}/mobile_enabled", 660),
        ("POST", "{car}/command/flash_lights", 660),
        ("POST", "{car}/wake_up", 660),
        ("GET", "{car}", 60),
        ("GET", "{car}/service_data", 60),
        ("GET", "/api/1/vehicles", 60),
    ):
        car.wake()
        clock.advance(600)
        await client.request(method, path.format(car=client.vehicle_path))
        clock.advance(seconds - 1)
        assert await client.state() == "online", path
        clock.advance(1)
        assert await client.state() == "asleep", path


def test_unlocked_car_stays_awake(car: SimulatedVehicle, clock: ManualClock) -> None:
    """At some services. The other reasons are among the facts of `test_weeks`."""
    car.switches.unlocked_blocks_sleep = True
    car.unlock()
    clock.advance(3600)
    assert shown(car, "state") == "online"


async def test_wake_up(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """wake_up returns the state before waking. The car wakes later; a repeated wake_up changes nothing."""
    assert car.wake_after == 8
    car.wake_after = 60
    car.fall_asleep()
    reply = await client.post(f"{client.vehicle_path}/wake_up")
    assert reply.body["count"] == 1
    assert [record["state"] for record in reply.response] == ["asleep"]
    clock.advance(59)
    await client.post(f"{client.vehicle_path}/wake_up")
    assert await client.state() == "asleep"
    clock.advance(1)
    assert await client.state() == "online"


@pytest.mark.parametrize(
    "act",
    [
        lambda car: car.open("df"),
        lambda car: car.unlock(),
        lambda car: car.enter(),
        lambda car: car.walk_away(),
        lambda car: car.unplug(),
        lambda car: (car.unplug(), car.fall_asleep(), car.plug_in()),
        lambda car: (car.power_supply(on=False), car.fall_asleep(), car.power_supply(on=True)),
        lambda car: (charge(car, 80), car.fall_asleep(), car.set_level(60)),
        lambda car: car.sentry(on=True),
        lambda car: car.climate_keeper("on"),
        lambda car: (car.unplug(), car.fall_asleep(), car.drive(1)),
    ],
)
def test_sleeping_car_wakes(act: Act, car: SimulatedVehicle) -> None:
    car.fall_asleep()
    act(car)
    assert shown(car, "state") == "online"


def test_waking(car: SimulatedVehicle, clock: ManualClock) -> None:
    """For half a minute after waking the temperatures are unknown. The record's tokens are new."""
    tokens = shown(car, "tokens")
    car.fall_asleep()
    car.wake()
    assert shown(car, "tokens") != tokens
    for seconds, is_known in ((29, False), (1, True)):
        clock.advance(seconds)
        assert (shown(car, "climate_state.inside_temp") is not None) is is_known


@pytest.mark.parametrize(
    ("act", "seconds", "state"),
    [
        (lambda _: None, 600, "online"),
        (lambda _: None, 700, "asleep"),
        (lambda car: (car.fall_asleep(), car.coverage(on=False), car.request_wake()), 600, "asleep"),
        (lambda car: car.enter(), 7200, "online"),
    ],
)
def test_coverage(act: Act, seconds: float, state: str, car: SimulatedVehicle, clock: ManualClock) -> None:
    """A car without coverage is offline. It is not woken, and has its state with coverage again."""
    act(car)
    car.coverage(on=False)
    clock.advance(seconds)
    assert shown(car, "state") == "offline"
    car.coverage(on=True)
    assert shown(car, "state") == state


async def test_hourly_check(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """Some cars wake every hour for two and a half minutes, or eleven minutes longer if they are read."""
    car.switches.hourly_check = True
    car.fall_asleep()
    for seconds, state in ((3600, "online"), (149, "online"), (1, "asleep"), (3600, "online")):
        clock.advance(seconds)
        assert await client.state() == state
    await client.read()
    for seconds, state in ((659, "online"), (1, "asleep"), (3500, "asleep")):
        clock.advance(seconds)
        assert await client.state() == state
    # A car that is awake needs no check.
    car.wake()
    clock.advance(659)
    assert await client.state() == "online"


@pytest.mark.parametrize(("speed", "awake"), [(1, 660), (5, 132), (7, 660 / 7), (60, 90), (600, 90)])
def test_fast_car_stays_awake(speed: float, awake: float, car: SimulatedVehicle, clock: ManualClock) -> None:
    """At any speed of its clock, a car stays awake long enough for a poll every minute to see it."""
    clock.speed = speed
    clock.advance(awake - 1)
    assert shown(car, "state") == "online"
    clock.advance(2)
    assert shown(car, "state") == "asleep"
