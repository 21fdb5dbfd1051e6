"""Cars that send by themselves what changes, at the services that pass it on."""

import logging
from typing import Final

from homeassistant.const import STATE_OFF, STATE_ON, STATE_UNKNOWN
import pytest

from simulator_console.services import SimulatedService
from simulator_console.streams import Streams

from ..conftest import CHARGING, HOUR, LIST, LOCK, MINUTE, MOVING, READ, STATE, Home
from ..vehicle.nights import prepare

MODE: Final = ("sensor", "polling_mode")
SPEED: Final = ("sensor", "drive_state.speed")
ODOMETER: Final = ("sensor", "vehicle_state.odometer")
SERVICES: Final = ("teslemetry", "tessie")


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> str:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def simulator(simulator: SimulatedService) -> SimulatedService:
    simulator.streams.is_on = True
    return simulator


@pytest.fixture
async def live_home(home: Home) -> Home:
    """A home whose car has sent what is known."""
    await home.advance(2 * MINUTE)
    await live(home)
    home.simulator.requests.clear()
    return home


def streams(home: Home) -> Streams:
    assert isinstance(home.simulator, SimulatedService)
    return home.simulator.streams


async def live(home: Home) -> None:
    """Advance until the messages of the car have come in."""
    await settle(home, 3)
    assert home.shown(*MODE).state == "live"


async def settle(home: Home, seconds: float, step: float = 1.0) -> None:
    """Advance in steps in which messages come in."""
    await home.advance_while_pending(seconds, step)


def connection(home: Home) -> str:
    """Return the state of *Live data*."""
    (entity_id,) = (each.entity_id for each in home.entities() if each.unique_id.endswith("-live_data"))
    return home.states()[entity_id]


async def test_drive(live_home: Home) -> None:
    """A drive is shown within seconds, moves on the page each second, and costs no request."""
    duration = live_home.start_drive(miles=5)
    await settle(live_home, 3)
    assert live_home.shown(*MOVING).state == STATE_ON
    speeds = set()
    for _ in range(20):
        await settle(live_home, 1)
        speeds.add(live_home.shown(*SPEED).state)
    assert len(speeds) > 5
    await settle(live_home, duration, step=5)
    assert live_home.shown(*MOVING).state == STATE_OFF
    await settle(live_home, 15 * MINUTE, step=30)
    assert live_home.requests(READ) == []
    (drive,) = live_home.coordinator.log.drives
    assert (drive.end_odometer or 0) - (drive.start_odometer or 0) == pytest.approx(5, abs=0.02)
    assert drive.end - drive.start == pytest.approx(duration, abs=6)
    assert drive.seen == "live"


async def test_sleep(live_home: Home) -> None:
    """A car with live data sleeps as soon as without Home Assistant, and that is shown."""
    live_home.car.unplug()
    live_home.car.charging.close_port()
    falls_asleep_at = live_home.car.falls_asleep_at
    await settle(live_home, falls_asleep_at - live_home.simulator.clock.now() + 90, step=10)
    assert live_home.car.state == live_home.shown(*STATE).state == "asleep"
    assert live_home.requests(READ) == []
    live_home.simulator.requests.clear()
    await settle(live_home, HOUR, step=10)
    # At Tessie, only the list shows that it wakes.
    assert len(live_home.requests(LIST)) <= (1 if live_home.simulator.service == "teslemetry" else 60)
    assert float(live_home.shown("sensor", "asleep_today").state) >= 1
    live_home.car.wake_now()
    await settle(live_home, 3)
    assert live_home.shown(*STATE).state == "online"
    assert live_home.shown(*MODE).state == "live"


async def test_message_of_the_car_confirms_a_command_so_the_car_is_not_read_for_it(live_home: Home) -> None:
    await live_home.call("lock", "unlock", LOCK[1])
    assert live_home.shown(*LOCK).state == "unlocked"
    await settle(live_home, 20)
    assert live_home.shown(*LOCK).state == "unlocked"
    live_home.car.body.locked = True
    await settle(live_home, 3)
    assert live_home.shown(*LOCK).state == "locked"
    assert live_home.requests(READ) == []


async def test_car_is_read_if_no_message_confirms_a_command(live_home: Home) -> None:
    streams(live_home).is_silent = True
    await live_home.call("lock", "unlock", LOCK[1])
    await settle(live_home, 20)
    assert len(live_home.requests(READ)) == 1
    assert live_home.shown(*LOCK).state == "unlocked"


async def test_stream_is_down(live_home: Home) -> None:
    """While the stream is down, the car is polled as without it. A short interruption changes nothing."""
    live_home.start_drive(miles=60)
    await settle(live_home, 3)
    await streams(live_home).close()
    await settle(live_home, 10)
    assert (live_home.shown(*MODE).state, connection(live_home)) == ("live", STATE_ON)
    live_home.simulator.requests.clear()
    streams(live_home).refuse_with = 503
    await streams(live_home).close()
    await settle(live_home, 65)
    assert (live_home.shown(*MODE).state, connection(live_home)) == ("driving", STATE_OFF)
    await settle(live_home, 30 * MINUTE, step=10)
    assert 28 <= len(live_home.requests(READ)) <= 32
    assert float(live_home.shown(*SPEED).state) > 0
    streams(live_home).refuse_with = 0
    await settle(live_home, 13 * MINUTE, step=10)
    assert (live_home.shown(*MODE).state, connection(live_home)) == ("live", STATE_ON)
    live_home.simulator.requests.clear()
    await settle(live_home, HOUR, step=10)
    assert live_home.requests(READ) == []
    (drive,) = live_home.coordinator.log.drives
    assert (drive.end_odometer or 0) - (drive.start_odometer or 0) == pytest.approx(60, abs=0.05)


async def test_list_shows_that_the_car_wakes_while_the_stream_is_down(live_home: Home) -> None:
    live_home.car.fall_asleep()
    await settle(live_home, 65)
    assert live_home.shown(*STATE).state == "asleep"
    streams(live_home).refuse_with = 503
    await streams(live_home).close()
    await settle(live_home, 65)
    live_home.start_drive(miles=20)
    await settle(live_home, 6 * MINUTE, step=10)
    assert live_home.shown(*MOVING).state == STATE_ON


async def test_connection_over_which_nothing_comes_is_dead_although_it_is_open(live_home: Home) -> None:
    streams(live_home).is_silent = True
    await settle(live_home, 90, step=5)
    streams(live_home).is_silent = False
    await settle(live_home, 20)
    assert (live_home.shown(*MODE).state, connection(live_home)) == ("live", STATE_ON)


@pytest.mark.parametrize(
    "text",
    [
        "data: {\n\n",
        "data: null\n\n",
        'data: {"vin": "{vin}", "data": {"Gear": {"a": []}, "Odometer": "many", "Soc": -7}}\n\n',
        '{"vin": "{vin}", "createdAt": "?", "data": [{"key": "Odometer", "value": {"intValue": "1e999"}}]}',
        '{"vin": "{vin}", "createdAt": "1971-01-01T00:00:00Z", "data": [5, {"key": "Locked", "value": {}}]}',
        '{"vin": "{vin}", "state": [], "vehicle_data": {"drive_state": 7}, "status": {}}',
        "\x00\xff",
    ],
)
async def test_garbage(live_home: Home, text: str, caplog: pytest.LogCaptureFixture) -> None:
    """What is no message changes nothing. A value that can't be read is unknown. Neither is an error."""
    before = live_home.states()
    await streams(live_home).send(text.replace("{vin}", live_home.car.vin), times=50)
    await settle(live_home, 5)
    wrong = {
        entity
        for entity, state in live_home.states().items()
        if state not in (before[entity], STATE_UNKNOWN)
        and entity.split(".")[0] in ("lock", "cover", "climate")
    }
    assert not wrong
    assert live_home.shown(*ODOMETER).state in (before[live_home.entity_id(*ODOMETER)], STATE_UNKNOWN)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    live_home.start_drive(miles=1)
    await settle(live_home, 3)
    assert live_home.shown(*MOVING).state == STATE_ON


async def test_old_messages(live_home: Home) -> None:
    """A message that is older than what is known changes nothing, and a sleeping car stays asleep."""
    car, service = live_home.car, streams(live_home)
    locked = live_home.shown(*LOCK).state
    old = service.message(car, {"Locked": locked != "locked", "Gear": "D"}, car.as_of - HOUR)
    await service.send(old, times=3)
    await settle(live_home, 3)
    assert (live_home.shown(*LOCK).state, live_home.shown(*MOVING).state) == (locked, STATE_OFF)
    car.fall_asleep()
    await settle(live_home, 65)
    await service.send(old)
    await settle(live_home, 3)
    assert live_home.shown(*STATE).state == "asleep"


async def test_late_message(live_home: Home) -> None:
    """A signal that the car has sent before a command neither confirms nor reverts it, also if it is new."""
    car, service = live_home.car, streams(live_home)
    await live_home.call("lock", "unlock", LOCK[1])
    await service.send(service.message(car, {"HomelinkNearby": True, "Locked": True}, car.as_of - MINUTE))
    await settle(live_home, 3)
    assert live_home.shown(*LOCK).state == "unlocked"


@pytest.mark.parametrize("service", ["tessie"])
async def test_read_after_a_new_connection_is_tried_once_however_often_the_car_sends(live_home: Home) -> None:
    live_home.start_drive(miles=20)
    live_home.simulator.faults.answer(403, only=READ, times=1000)
    await streams(live_home).close()
    await settle(live_home, 5 * MINUTE)
    assert len(live_home.requests(READ)) <= 2
    assert live_home.shown(*MODE).state == "live"
    assert float(live_home.shown(*SPEED).state) > 0


async def test_charging_plan_stops_a_car_that_starts_by_itself_without_reading_it(live_home: Home) -> None:
    await prepare(live_home)
    await live_home.restart()
    await settle(live_home, 30)
    live_home.simulator.requests.clear()
    live_home.car.plug_in()
    await settle(live_home, 30)
    assert live_home.shown(*CHARGING).state == "charging"
    await settle(live_home, 5 * MINUTE)
    assert live_home.shown(*CHARGING).state == "stopped"
    assert len(live_home.queries("charge_stop")) == 1
    assert live_home.requests(READ) == []


async def test_car_that_is_to_stay_awake_while_it_is_plugged_in_is_read_for_that(live_home: Home) -> None:
    await live_home.set_car_options(keep_awake_plugged_in=True)
    await settle(live_home, HOUR, step=10)
    assert live_home.shown(*MODE).state == "kept_awake"
    assert len(live_home.requests(READ)) == 12


async def test_car_that_sends_nothing_is_read_as_without_a_stream(home: Home) -> None:
    streams(home).unsupported.add(home.car.vin)
    await streams(home).close()
    await settle(home, 32 * MINUTE, step=10)
    assert home.shown(*MODE).state != "live"
    home.start_drive(miles=20)
    home.simulator.requests.clear()
    await settle(home, 20 * MINUTE, step=10)
    assert len(home.requests(READ)) > 5


async def test_option_closes_the_connection_and_opens_it_again(live_home: Home) -> None:
    await live_home.set_account_options(live_data=False)
    await settle(live_home, 5)
    assert streams(live_home).connections == []
    assert live_home.shown(*MODE).state != "live"
    await live_home.set_account_options(live_data=True)
    await settle(live_home, 5)
    assert live_home.shown(*MODE).state == "live"
    await live_home.unload()
    await settle(live_home, 2)
    assert streams(live_home).connections == []


@pytest.mark.parametrize("service", ["tessie"])
async def test_account_with_an_own_address_but_none_of_a_stream_does_not_show_one(empty_home: Home) -> None:
    await empty_home.set_up(addresses={"base_url": empty_home.simulator.url})
    assert not [each for each in empty_home.entities() if each.unique_id.endswith("-live_data")]


async def test_stream_that_refuses_the_token_asks_for_another_as_a_read_does(live_home: Home) -> None:
    live_home.simulator.token = "another"
    await streams(live_home).close()
    await settle(live_home, 15)
    assert live_home.open_flows() == ["reauth"]


@pytest.mark.parametrize(
    ("status", "text"),
    [(402, "refuses live data (payment_required)"), (401, "the list is requested for a user")],
)
async def test_refused_stream(
    live_home: Home, caplog: pytest.LogCaptureFixture, status: int, text: str
) -> None:
    """A stream that needs payment causes one warning, and one that refuses the token causes one request."""
    caplog.set_level(logging.DEBUG)
    streams(live_home).refuse_with = status
    await streams(live_home).close()
    await settle(live_home, 3 * HOUR, step=30)
    assert caplog.text.count(text) == 1


@pytest.mark.parametrize("service", ["teslemetry"])
async def test_signals_of_entities(live_home: Home) -> None:
    """Teslemetry streams what the enabled entities show, and what it streamed already."""
    (configured,) = streams(live_home).configs.values()
    assert {"Gear", "Location", "Locked", "Odometer", "BatteryLevel"} <= configured.keys()
    # Its entity is disabled.
    assert "LifetimeEnergyUsed" not in configured
    configured["DiTorqueActualF"] = {"interval_seconds": 60}
    await live_home.restart()
    await settle(live_home, 5)
    assert configured == streams(live_home).configs[live_home.car.vin]


@pytest.mark.parametrize("service", ["teslemetry"])
async def test_signals_that_cannot_be_asked_for(live_home: Home) -> None:
    """If the service does not take the names of the signals, it is asked again after an hour."""
    live_home.simulator.faults.answer(500, only="config", times=4)
    await live_home.restart()
    await settle(live_home, 5)
    assert live_home.shown(*MODE).state != "live"
    live_home.simulator.faults.clear()
    await settle(live_home, HOUR, step=10)
    live_home.start_drive(miles=5)
    await settle(live_home, 10)
    assert live_home.shown(*MODE).state == "live"


@pytest.mark.parametrize(("service", "cars"), [("tessie", 2)])
async def test_new_connection_of_one_car_does_not_forget_what_the_other_one_has_sent(live_home: Home) -> None:
    first, second = live_home.entry.runtime_data.vehicles.values()
    before = first.pushed.signals, second.pushed.signals
    (connection,) = (each for each in streams(live_home).connections if each.vin == first.vin)
    await connection.end()
    await settle(live_home, 10)
    assert (first.pushed.signals is before[0], second.pushed.signals is before[1]) == (False, True)


async def test_signals_during_a_command(live_home: Home) -> None:
    """What the car sends is shown at once, also while a command waits for something."""
    car, service = live_home.car, streams(live_home)
    async with live_home.coordinator.reader.lock:
        await service.send(service.message(car, {"Locked": False}))
        await settle(live_home, 3)
        assert live_home.shown(*LOCK).state == "unlocked"


@pytest.mark.parametrize("service", ["teslemetry"])
async def test_what_another_client_reads_is_shown_too(live_home: Home) -> None:
    live_home.car.set_level(41)
    url = f"{live_home.simulator.url}/api/1/vehicles/{live_home.car.vin}"
    session = live_home.entry.runtime_data.provider._session  # noqa: SLF001 - another client's requests
    headers = {"Authorization": f"Bearer {live_home.simulator.token}"}
    streams(live_home).configs.clear()
    async with session.get(f"{live_home.simulator.url}/api/refresh/{live_home.car.vin}", headers=headers):
        pass
    async with session.get(f"{url}/vehicle_data", headers=headers) as response:
        assert response.status == 200
    await settle(live_home, 3)
    assert live_home.shown("sensor", "charge_state.battery_level").state == "41"
