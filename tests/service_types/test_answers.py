"""What the answers of a service of today mean: repairs, location, quotas and sleep."""

from typing import Any

import pytest

from ..conftest import BATTERY, HOUR, MINUTE, MOVING, STATE, Home, exhaustive
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
