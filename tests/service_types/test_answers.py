"""What the answers of a service of today mean: repairs, location, quotas and sleep.

An option asks for the location only while the car drives, because the car shows when it is asked.
"""

from typing import Any, Final

import pytest

from ..conftest import BATTERY, HOUR, MINUTE, MOVING, READ, STATE, Home, exhaustive
from ..flow import Flow
from ..issues import issue_keys, issues, placeholders
from .conftest import NAMES, each_service, error_key_of


@each_service("tessie", "tesla_fleet")
async def test_unsigned_command_gets_the_repair_of_the_service_until_one_succeeds(home: Home) -> None:
    home.simulator.switches.signing_required = "always"
    service = home.simulator.service
    assert await error_key_of(home, 77) == "signing_required"
    assert issue_keys(home) == ["proxy_required" if service == "tesla_fleet" else "key_required"]
    texts = placeholders(home) or {}
    assert (texts["name"], texts["service"]) == (home.coordinator.title, NAMES[service])
    assert texts["detail"].startswith("Tesla Vehicle Command Protocol required")
    pages = {"tessie": "https://www.tesla.com/_ak/tessie.com", "teslemetry": "https://teslemetry.com/key"}
    assert texts["key_url"] == pages.get(service, "")
    # The data of the car is still read.
    await home.poll()
    assert home.shown(*BATTERY).state == "72"
    home.simulator.requests.clear()
    assert await error_key_of(home, 78) is not None
    assert not home.requests("/command/")
    home.simulator.switches.signing_required = "never"
    await home.advance(24 * HOUR, step=HOUR)
    assert await error_key_of(home, 79) is None
    assert issues(home) == []


@each_service("tessie", "tesla_fleet")
@pytest.mark.parametrize(
    ("switch", "value", "key", "own_key", "detail"),
    [
        ("unregistered", True, "client_refused", "not_registered", "must be registered in the current"),
        ("region_url", "https://else.example", "wrong_place", "other_region", "else.example"),
    ],
)
async def test_refused_application_or_region_differs_for_a_developer(
    home: Home, switch: str, value: Any, key: str, own_key: str, detail: str
) -> None:
    setattr(home.simulator.switches, switch, value)
    await home.advance(2 * MINUTE)
    assert issue_keys(home) == [own_key if home.simulator.service == "tesla_fleet" else key]
    texts = placeholders(home) or {}
    assert texts["name"] == home.entry.title
    assert detail in texts["detail"]
    setattr(home.simulator.switches, switch, type(value)())
    await home.advance(HOUR + 2 * MINUTE, step=30)
    assert issues(home) == []


@each_service("teslemetry")
@pytest.mark.parametrize(
    "text", ["insufficient_credits", *exhaustive("subscription_required", "vehicle_subscription_required")]
)
async def test_service_that_wants_to_be_paid_is_asked_once_an_hour(home: Home, text: str) -> None:
    # A car that stays awake is read whenever that is possible.
    home.car.sentry(on=True)
    home.simulator.faults.answer(402, body={"error": text}, only="/vehicle_data", times=100)
    home.simulator.requests.clear()
    await home.poll()
    assert len(home.requests("/vehicle_data")) == 1
    assert issue_keys(home) == ["payment_required"]
    texts = placeholders(home) or {}
    assert (texts["name"], texts["detail"]) == (home.entry.title, text)
    await home.advance(50 * MINUTE, step=30)
    assert len(home.requests("/vehicle_data")) == 1
    assert home.requests().count("/api/1/vehicles") > 10
    assert issue_keys(home) == ["payment_required"]
    home.simulator.faults.clear()
    await home.advance(20 * MINUTE, step=30)
    assert issues(home) == []


@each_service("tesla_fleet")
async def test_car_is_read_without_the_location_if_the_token_may_not_read_it(empty_home: Home) -> None:
    home, error = empty_home, {"response": None, "error": "Unauthorized missing scopes"}
    home.simulator.faults.answer(403, body=error, only="/vehicle_data")
    await home.set_up()
    assert home.shown(*BATTERY).state == "72"
    await home.poll()
    reads = [
        ("location_data" in request.query["endpoints"], request.status)
        for request in home.simulator.requests
        if request.path.endswith("/vehicle_data")
    ]
    assert reads == [(True, 403), (False, 200), (False, 200)]
    assert home.shown("device_tracker", "drive_state").state == "unknown"
    assert issues(home) == []


async def test_location_is_asked_for_again_once_the_token_may_read_anything(home: Home) -> None:
    home.simulator.faults.answer(403, body={"error": "Unauthorized missing scopes"}, only="_data", times=4)
    await home.poll()
    await home.poll()
    assert issue_keys(home) == ["permission_denied"]
    await home.poll()
    assert issues(home) == []
    *_, read = home.simulator.requests
    assert "location_data" in read.query["endpoints"]


async def test_headers_of_the_responses_tell_how_many_requests_are_left(home: Home) -> None:
    home.simulator.switches.rate_limit = 60
    await home.poll()
    quota = home.entry.runtime_data.provider.quota
    assert quota is not None
    assert quota.remaining == 59
    # What the quota leaves is not used up by polling.
    home.simulator.switches.rate_limit = 3
    home.start_drive(20)
    home.simulator.requests.clear()
    await home.advance(10 * MINUTE)
    assert {request.status for request in home.simulator.requests} == {200}
    assert home.shown(*MOVING).state == "on"


@each_service("tessie", "tesla_fleet", other=True)
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_sleep(home: Home) -> None:
    """A sleeping car is shown as asleep and not read, also if the service answers with its last data."""
    await home.wait_until_car_sleeps()
    # A user who reads the car gets what the service knows.
    await home.poll()
    reads = ("/vehicle_data", f"/refresh/{home.car.vin}")
    statuses = [each.status for each in home.simulator.requests if each.path.endswith(reads)]
    assert statuses[-1] == (200 if home.simulator.service == "tessie" else 408)
    assert home.shown(*STATE).state == home.shown("sensor", "polling_mode").state == "asleep"
    assert home.shown(*BATTERY).state not in ("unknown", "unavailable")
    before = float(home.shown("sensor", "asleep_today").state)
    for _ in range(60):
        # An answer from the service's memory does not count as a sign that the car is awake.
        await home.poll()
        await home.advance(MINUTE, step=20)
    home.simulator.requests.clear()
    await home.advance(HOUR, step=60)
    assert home.requests("/vehicle_data") == []
    assert float(home.shown("sensor", "asleep_today").state) == pytest.approx(before + 2, abs=0.1)
    await home.restart()
    assert home.shown(*STATE).state == "asleep"
    home.car.set_level(41)
    assert await error_key_of(home, 77) is None
    assert home.car.state == "online"
    await home.advance(MINUTE)
    assert (home.shown(*STATE).state, home.shown(*BATTERY).state) == ("online", "41")


TRACKER: Final = ("device_tracker", "drive_state")
OPTION: Final = "location_only_driving"


def _asked(home: Home) -> list[bool]:
    """Return for each live read whether it asked for the location, and forget the reads."""
    sent = list(home.simulator.requests)
    home.simulator.requests.clear()
    return ["location_data" in each.query["endpoints"] for each in sent if each.path.endswith(READ)]


def _place(home: Home) -> tuple[float, float]:
    attributes = home.shown(*TRACKER).attributes
    return attributes["latitude"], attributes["longitude"]


def _true_place(home: Home) -> Any:
    latitude, longitude = home.car.driving.point
    return pytest.approx(latitude, abs=1e-5), pytest.approx(longitude, abs=1e-5)


async def _enable(home: Home) -> tuple[float, float]:
    """Enable the option, and return where the car is shown."""
    await home.set_car_options(location_only_driving=True)
    home.simulator.requests.clear()
    return _place(home)


@each_service("tesla_fleet", "other", other=True)
async def test_option_exists_only_for_a_service_that_can_leave_out_the_location(flow: Flow) -> None:
    home = flow.home
    await home.set_up()
    await flow.start_vehicle_options(home.entry, "advanced")
    if home.simulator.service == "other":
        assert OPTION not in flow.values
        return
    assert flow.values[OPTION] is False
    await home.poll()
    assert all(_asked(home))
    await flow.submit(**{**flow.values, OPTION: True})
    assert flow.abort_reason == "reconfigure_successful"
    home.simulator.requests.clear()
    await home.poll()
    assert _asked(home) == [False]


@each_service("tesla_fleet")
async def test_parked_car_keeps_its_place_and_a_car_that_drives_is_followed(home: Home) -> None:
    place = await _enable(home)
    assert place == _true_place(home)
    for _ in range(2):
        await home.poll()
    assert _asked(home) == [False, False]
    assert _place(home) == place
    home.start_drive(10)
    await home.advance(5 * MINUTE)
    assert home.shown(*MOVING).state == "on"
    # The first read is sent again, because it finds the car driving.
    first, *others = _asked(home)
    assert not first
    assert all(others)
    await home.poll()
    assert _place(home) == _true_place(home) != place
    await home.advance(30 * MINUTE)
    assert home.shown(*MOVING).state == "off"
    # The first read after it parked still asks for it.
    assert _place(home) == _true_place(home)
    reads = _asked(home)
    assert reads == sorted(reads, reverse=True)
    assert not reads[-1]


async def test_location_is_asked_for_once_if_the_odometer_shows_a_move(home: Home) -> None:
    place = await _enable(home)
    duration = home.start_drive(3)
    home.simulator.faults.answer(500, only="/api/", times=1000)
    await home.advance(duration + MINUTE, step=30)
    home.simulator.faults.clear()
    home.simulator.requests.clear()
    await home.poll()
    assert _asked(home) == [False, True]
    assert _place(home) == _true_place(home) != place
    await home.poll()
    assert _asked(home) == [False]


async def test_place_is_known_after_a_restart(home: Home) -> None:
    place = await _enable(home)
    await home.restart()
    await home.poll()
    reads = _asked(home)
    assert reads
    assert not any(reads)
    assert _place(home) == place


async def test_unknown_place_of_a_parked_car_is_asked_for(empty_home: Home) -> None:
    home = empty_home
    for name in ("latitude", "longitude", "native_latitude", "native_longitude"):
        home.simulator.faults.remove(f"drive_state.{name}")
    await home.set_up()
    await home.set_car_options(location_only_driving=True)
    home.simulator.requests.clear()
    await home.poll()
    assert all(_asked(home))
    home.simulator.faults.clear()
    await home.poll()
    await home.poll()
    assert _asked(home) == [True, False]
    assert _place(home) == _true_place(home)


@pytest.mark.parametrize("value", [None, "x", 7, [], {}])
async def test_record_that_is_no_object_does_not_stop_the_reads(home: Home, value: Any) -> None:
    place = await _enable(home)
    for record in ("drive_state", "vehicle_state"):
        home.simulator.faults.corrupt(record, value)
        await home.poll()
        assert home.coordinator.last_update_success
        home.simulator.faults.clear()
        await home.poll()
    assert _place(home) == place
    assert home.shown("lock", "vehicle_state.locked").state == "locked"


@pytest.mark.parametrize("service", ["tessie"])
async def test_sleeping_car_keeps_its_place_if_the_service_answers_with_old_data(home: Home) -> None:
    place = await _enable(home)
    home.car.unplug()
    home.car.charging.close_port()
    await home.poll()
    home.car.fall_asleep()
    home.simulator.requests.clear()
    await home.poll()
    assert _asked(home) == [False]
    assert home.shown("sensor", "state").state == "asleep"
    assert _place(home) == place
