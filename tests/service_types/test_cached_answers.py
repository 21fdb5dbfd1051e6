"""A service whose live reads are answered from a cache: an answer is as old as its records."""

from typing import Any, Final

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.helpers.aiohttp_client import async_get_clientsession
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.vehicle_remote_access.simulator import Simulator
from simulator_console.services import SimulatedService

from ..conftest import BATTERY, HOUR, LOCK, MINUTE, MOVING, READ, STATE, Home

UNLOCK: Final = ("lock", "unlock", LOCK[1])
MODE: Final = ("sensor", "polling_mode")
TRACKER: Final = ("device_tracker", "drive_state")
REFRESH: Final = "/api/refresh/"
MILES: Final = 10
KILOMETERS: Final = pytest.approx(MILES * 1.609344, abs=0.1)


@pytest.fixture
def service() -> str:
    return "other"


@pytest.fixture
def seconds() -> int:
    """For how long an answer is cached."""
    return 600


@pytest.fixture
def has_refresh() -> bool:
    """Whether the service can renew its cache. If the service is not Teslemetry, nothing asks for that."""
    return False


@pytest.fixture
def simulator(simulator: Simulator, seconds: int, has_refresh: bool) -> Simulator:  # noqa: FBT001
    assert isinstance(simulator, SimulatedService)
    simulator.cached_for, simulator.has_refresh = seconds, has_refresh
    return simulator


TYPICAL: Final = {("tessie", 15), ("other", 60), ("tesla_fleet", 600), ("teslemetry", 1200)}
each_cache = pytest.mark.parametrize(
    ("service", "seconds"),
    [
        pytest.param(service, seconds, marks=() if (service, seconds) in TYPICAL else pytest.mark.exhaustive)
        for service in ("other", "tessie", "teslemetry", "tesla_fleet")
        for seconds in (15, 60, 600, 1200)
    ],
)


def _cache_for(home: Home, seconds: int) -> None:
    """Change for how long an answer is cached."""
    assert isinstance(home.simulator, SimulatedService)
    home.simulator.cached_for = seconds


@each_cache
async def test_answer_from_before_a_command_does_not_revert_it(home: Home) -> None:
    await home.advance(3 * MINUTE)
    states = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    await home.run_until_complete(home.call(*UNLOCK))
    await home.advance(30 * MINUTE, step=20)
    assert home.changes(states, *LOCK) == ["unlocking", "unlocked"]
    # A car that fell asleep before the cache was renewed has not confirmed it.
    is_asleep = home.shown(*STATE).state == "asleep"
    assert home.coordinator.commands.confirmation.is_unconfirmed <= is_asleep


@each_cache
async def test_drive_is_logged_once_and_the_car_is_shown_where_it_is(home: Home, seconds: int) -> None:
    """A drive that is shorter than the cache is shown late, or only in the log."""
    await home.advance(2 * MINUTE)
    states = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    duration = home.start_drive(MILES)
    await home.advance(duration + seconds + 5 * MINUTE, step=20)
    log: Any = await home.act("get_log")
    assert [each["distance"] for each in log["drives"]] == [KILOMETERS]
    moving = home.changes(states, *MOVING)
    assert moving in (["on", "off"], [])
    assert moving or seconds > duration
    place = home.shown(*TRACKER).attributes
    assert (place["latitude"], place["longitude"]) == pytest.approx(home.car.driving.point, abs=1e-5)


@pytest.mark.parametrize("seconds", [90])
async def test_newer_record_reverts_a_command_without_effect(home: Home) -> None:
    path = f"/api/1/vehicles/{home.car.id}/command/door_unlock"
    home.simulator.faults.serve("POST", path, {"response": {"result": True, "reason": ""}})
    await home.advance(20)
    await home.call(*UNLOCK)
    await home.advance(20)
    assert home.shown(*LOCK).state == "unlocked"
    await home.advance(90)
    assert home.shown(*LOCK).state == "locked"


@pytest.mark.parametrize("seconds", [10])
async def test_answer_that_another_client_got_before_the_command_does_not_revert_it(home: Home) -> None:
    """It is newer than what is known, but older than the command, by the clock of the car."""
    await home.poll()
    await home.advance(20)
    url = f"{home.simulator.url}/api/1/vehicles/{home.car.id}/vehicle_data"
    headers = {"Authorization": f"Bearer {home.simulator.token}"}
    async with async_get_clientsession(home.hass).get(url, headers=headers) as response:
        assert response.ok
    _cache_for(home, 30)
    home.car.set_level(50)
    await home.advance(4, step=1)
    await home.call(*UNLOCK)
    await home.advance(18)
    assert home.shown(*LOCK).state == "unlocked"
    assert home.shown(*BATTERY).state == "72"
    assert home.coordinator.commands.confirmation.is_unconfirmed
    await home.advance(MINUTE)
    assert home.shown(*BATTERY).state == "50"
    assert not home.coordinator.commands.confirmation.is_unconfirmed


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_polling_mode_says_so_after_three_answers_until_a_newer_one(home: Home) -> None:
    await home.advance(MINUTE)
    assert home.shown(*MODE).state == "settling"
    read_at = home.shown("sensor", "charge_state.timestamp").state
    reads = await home.requests_during(6 * MINUTE, READ)
    assert home.shown(*MODE).state == "cached"
    assert 3 < len(reads) < 7
    # The data is as old as it was.
    assert home.shown("sensor", "charge_state.timestamp").state == read_at
    assert home.shown(*STATE).attributes["data_updated"] == read_at
    await home.advance(4 * MINUTE)
    assert home.shown(*MODE).state == "quiet"


async def test_answer_from_a_cache_is_no_contact_with_the_car(home: Home) -> None:
    tracker = home.coordinator.known.tracker
    contact, habits = tracker.last_contact, tracker.habits
    await home.advance(5 * MINUTE)
    assert tracker.cached_answers > 2
    assert (tracker.last_contact, tracker.habits) == (contact, habits)
    assert home.coordinator.log.drive_tracker.at == contact


async def test_car_falls_asleep_while_a_cache_answers(home: Home) -> None:
    home.car.unplug()
    home.car.charging.close_port()
    await home.advance(HOUR, step=30)
    assert home.shown(*STATE).state == "asleep"


@pytest.mark.parametrize("seconds", [HOUR])
async def test_sleeping_car_is_not_awake_because_a_cache_says_so(home: Home) -> None:
    """The answer to a user's read says that the car is online, as it was when it was read."""
    await home.let_car_sleep()
    url = f"/api/1/vehicles/{home.car.id}/vehicle_data"
    answer = {"response": {**home.coordinator.known.merged.raw, "state": "online"}}
    home.simulator.faults.serve("GET", url, answer)
    await home.poll()
    assert home.requests(READ)
    assert home.shown(*STATE).state == home.shown(*MODE).state == "asleep"


async def test_answer_from_a_cache_is_no_read_after_a_restart(home: Home) -> None:
    contact = home.coordinator.known.tracker.last_contact
    await home.advance(20)
    await home.restart()
    await home.poll()
    assert home.coordinator.known.tracker.cached_answers
    assert home.coordinator.known.tracker.last_contact == contact


teslemetry = pytest.mark.parametrize(("service", "seconds", "has_refresh"), [("teslemetry", 1200, True)])


def _live_reads(home: Home) -> int:
    return int(home.entry.runtime_data.requests.live_reads)


@teslemetry
async def test_refresh_makes_each_read_current_and_counts_once(home: Home) -> None:
    await home.advance(2 * MINUTE)
    before = _live_reads(home)
    home.simulator.requests.clear()
    await home.poll()
    assert home.requests() == [f"{REFRESH}{home.car.vin}", f"/api/1/vehicles/{home.car.vin}{READ}"]
    assert _live_reads(home) == before + 1
    await home.run_until_complete(home.call(*UNLOCK))
    await home.advance(20)
    assert not home.coordinator.commands.confirmation.is_unconfirmed
    home.start_drive(MILES)
    await home.advance(70)
    assert home.shown(*MOVING).state == "on"
    assert home.shown(*MODE).state == "driving"


@teslemetry
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, {"error": "forbidden"}),
        (404, None),
        pytest.param(405, {"error": "invalid_method"}, marks=pytest.mark.exhaustive),
        pytest.param(422, {"error": "invalid"}, marks=pytest.mark.exhaustive),
    ],
)
async def test_refused_refresh_is_not_repeated_and_leaves_cache(home: Home, status: int, body: Any) -> None:
    provider = home.entry.runtime_data.provider
    provider._worked.clear()  # noqa: SLF001 - as if the service had refused from the beginning
    home.simulator.faults.answer(status, body=body, only=REFRESH, times=100)
    before = _live_reads(home)
    for _ in range(5):
        await home.advance(6)
        await home.poll()
    assert len(home.requests(REFRESH)) == 1 + 3
    assert _live_reads(home) == before + 5
    assert home.shown(*BATTERY).state == "72"
    assert home.shown(*MODE).state == "cached"


@teslemetry
@pytest.mark.parametrize("body", ["", "ok", {"success": True}, {"response": True}, {"response": None}])
async def test_refresh_may_be_acknowledged_in_any_form(home: Home, body: Any) -> None:
    home.car.set_level(60)
    _cache_for(home, 0)
    home.simulator.faults.answer(200, body=body, only=REFRESH)
    await home.advance(6)
    await home.poll()
    assert home.shown(*BATTERY).state == "60"


@teslemetry
async def test_refresh_may_be_answered_with_the_data(home: Home) -> None:
    before, record = _live_reads(home), dict(home.coordinator.known.merged.raw)
    await home.advance(6)
    moment = 1000 * home.car.clock.now()
    charge = {**record["charge_state"], "battery_level": 33, "battery_range": 99, "timestamp": moment}
    home.simulator.faults.answer(200, body={"response": {**record, "charge_state": charge}}, only=REFRESH)
    home.simulator.requests.clear()
    await home.poll()
    assert not home.requests(READ)
    assert home.shown(*BATTERY).state == "33"
    assert _live_reads(home) == before + 1


@teslemetry
async def test_car_that_falls_asleep_refuses_the_refresh(home: Home) -> None:
    home.car.fall_asleep()
    home.simulator.requests.clear()
    await home.poll()
    assert home.requests(REFRESH)
    assert not home.requests(READ)
    assert home.shown(*STATE).state == "asleep"


@teslemetry
async def test_location_of_a_car_that_moved_is_asked_for_without_another_refresh(home: Home) -> None:
    await home.set_car_options(location_only_driving=True)
    await home.advance(2 * MINUTE)
    duration = home.start_drive(3)
    home.simulator.faults.answer(500, only="/api/", times=1000)
    await home.advance(duration + MINUTE, step=30)
    home.simulator.faults.clear()
    home.simulator.requests.clear()
    await home.poll()
    assert (len(home.requests(REFRESH)), len(home.requests(READ))) == (1, 2)
    place = home.shown(*TRACKER).attributes
    assert (place["latitude"], place["longitude"]) == pytest.approx(home.car.driving.point, abs=1e-5)
