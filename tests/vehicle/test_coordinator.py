"""Polling one car, services without some endpoints, failures, and the account's config entry and device."""

from functools import partial
import math
from operator import attrgetter
from typing import Final

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.const import EVENT_STATE_CHANGED
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.vehicle_remote_access.account.storage import remove_stores
from custom_components.vehicle_remote_access.api.records import ChargeState
from custom_components.vehicle_remote_access.vehicle.merged_data import ListTrust

from ..conftest import BATTERY, HOUR, LIST, LOCK, MINUTE, MOVING, PRESENT, READ, STATE, WAKE, Home

IN_SERVICE: Final = ("binary_sensor", "in_service")


async def test_setup_does_not_wake_the_car(empty_home: Home) -> None:
    """A car that sleeps during setup is not woken. Its values and optional entities follow once it wakes."""
    home = empty_home
    home.car.fall_asleep()
    await home.set_up()
    assert home.entry.state is ConfigEntryState.LOADED
    shown = {home.shown(*entity).state for entity in (LOCK, BATTERY)}
    assert (home.shown(*STATE).state, shown) == ("asleep", {"unknown"})
    assert not [entity for entity in home.states() if "sun_roof" in entity]
    assert not [*home.requests(READ), *home.requests(WAKE)]
    home.car.wake()
    await home.advance(65)
    assert home.shown("cover", "vehicle_state.sun_roof_percent_open").state == "closed"


async def test_only_car_that_drives_is_read_every_minute_instead_of_the_list(home: Home) -> None:
    home.start_drive(40)
    await home.advance(70)
    requests = await home.requests_during(20 * MINUTE)
    assert home.shown(*MOVING).state == "on"
    assert 20 <= len(requests) <= 21
    assert requests == home.requests(READ)


async def test_car_out_of_coverage_is_shown_as_offline_and_never_as_asleep(home: Home) -> None:
    shown = async_capture_events(home.hass, EVENT_STATE_CHANGED)
    home.start_drive(50)
    await home.poll()
    home.car.coverage(on=False)
    await home.advance(120)
    home.car.coverage(on=True)
    await home.advance(120)
    assert home.changes(shown, *STATE) == ["offline", "online"]


async def test_answer_that_the_car_is_asleep_overrides_the_listed_state(home: Home) -> None:
    home.car.sentry(on=True)
    await home.poll()
    home.car.coverage(on=False)
    home.simulator.faults.corrupt("state", "online")
    for seconds in (65, 10 * MINUTE):
        await home.advance(seconds)
        assert home.shown(*STATE).state == "asleep"
    home.car.coverage(on=True)
    await home.advance(65)
    assert home.shown(*STATE).state == "online"


async def test_answers_of_the_car_override_listed_in_service(home: Home) -> None:
    home.car.sentry(on=True)
    home.car.service(on=True)
    home.simulator.faults.corrupt("in_service", value=False)
    await home.advance(130)
    for _ in range(10):
        await home.advance(60)
        assert home.shown(*IN_SERVICE).state == "on"
    home.car.service(on=False)
    home.simulator.faults.remove("in_service")
    await home.poll()
    assert home.shown(*IN_SERVICE).state == "off"
    home.car.service(on=True)
    await home.poll()
    home.simulator.faults.clear()
    home.car.service(on=False)
    await home.advance(65)
    assert home.shown(*IN_SERVICE).state == "off"


async def test_reading_one_record_restarts_the_quiet_period(home: Home) -> None:
    for _ in range(4):
        await home.advance(500, step=20)
        await home.act("get_vehicle_data", record="drive_state")
    assert not await home.requests_during(900, READ, step=20)
    assert home.car.state == "asleep"


async def _set_up_by_id(home: Home) -> None:
    """Add the car by its id, to a service without a list."""
    home.simulator.switches.list = False
    form = await home.submit(await home.start_flow("account"), **home.access)
    result = await home.submit(form, id=str(home.car.id))
    assert result["type"] == "create_entry", result
    await home.idle()


def _serve_no_record(home: Home) -> None:
    home.simulator.faults.serve("GET", f"{LIST}/{home.car.id}", {"error": "not_found"}, 404)


async def test_without_a_list_the_record_is_requested(empty_home: Home) -> None:
    await _set_up_by_id(empty_home)
    await empty_home.let_car_sleep()
    await empty_home.advance(360)
    assert set(await empty_home.requests_during(10 * MINUTE)) == {f"{LIST}/{empty_home.car.id}"}


@pytest.mark.parametrize("has_state", [True, False])
async def test_car_sleeps_with_live_reads_only(empty_home: Home, *, has_state: bool) -> None:
    """If only live reads exist, they are rare enough for the car to sleep, and they don't wake it.

    Without a reported state, an answer means that the car is awake.
    """
    home = empty_home
    _serve_no_record(home)
    if not has_state:
        home.simulator.faults.remove("state")
    await _set_up_by_id(home)
    for _ in range(2):
        assert home.shown(*STATE).state == "online"
        await home.advance(HOUR, step=20)
        assert home.car.state == home.shown(*STATE).state == "asleep"
        home.car.wake()
        await home.advance(125)
    assert not home.requests(WAKE)


async def test_missing_record_is_no_failure(home: Home) -> None:
    _serve_no_record(home)
    coordinator = home.coordinator
    for _ in range(3):
        await coordinator.reader.async_request_record()
    # Before it was known that there are no records, each missing one counted.
    await home.poll()
    home.simulator.requests.clear()
    for _ in range(3):
        assert await coordinator.reader.async_request_record() is None
    assert not home.requests()
    assert coordinator.known.next_expiry_in == math.inf


async def test_404s_do_not_disable_a_list_that_worked(home: Home) -> None:
    home.simulator.faults.answer(404, body={"error": "not_found"}, only=LIST, times=4)
    await home.advance(20 * MINUTE, step=20)
    assert {LIST} == {*await home.requests_during(5 * MINUTE)} - {f"{LIST}/{home.car.id}{READ}"}


async def test_404_after_a_restart_disables_no_endpoint(home: Home) -> None:
    home.simulator.faults.answer(404, only=READ)
    home.simulator.faults.answer(404, only=LIST, times=2)
    await home.restart()
    home.car.enter()
    await home.advance(190)
    assert home.entry.runtime_data.provider.has_list
    assert home.requests()[-1].endswith(READ)
    assert home.shown(*PRESENT).state == "on"


async def test_refused_token_with_live_reads_only(home: Home) -> None:
    """If only live reads exist, a refused token starts reauthentication, and setup is not retried."""
    await home.unload()
    await remove_stores(home.hass, *home.entry.subentries)
    _serve_no_record(home)
    home.simulator.faults.serve("GET", LIST, {"error": "not_found"}, 404)
    home.simulator.faults.answer(401, only="_data", times=100)
    await home.run_until_complete(home.load())
    assert home.entry.state is ConfigEntryState.SETUP_ERROR
    assert home.open_flows() == [SOURCE_REAUTH]


async def test_incomplete_answer_is_read_again(home: Home) -> None:
    """If an answer lacks a record, the car is read again soon. If all answers lack it, the car can sleep."""
    await home.advance(10 * MINUTE, step=60)
    assert home.coordinator.plan.mode == "quiet"
    home.simulator.faults.remove("charge_state")
    await home.poll()
    assert home.shown(*BATTERY).state == "unknown"
    home.simulator.faults.clear()
    await home.advance(65)
    assert home.shown(*BATTERY).state == "72"
    home.simulator.faults.remove("gui_settings")
    await home.poll()
    await home.advance(HOUR, step=20)
    assert home.car.state == "asleep"


async def test_values_expire_after_15_minutes(home: Home) -> None:
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(14 * MINUTE)
    assert home.shown(*BATTERY).state == "72"
    await home.advance(3 * MINUTE)
    assert home.shown(*BATTERY).state == "unavailable"
    home.simulator.faults.clear()
    await home.advance(6.5 * MINUTE)
    assert home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize("path", ["", READ], ids=["record", "live read"])
@pytest.mark.parametrize("cars", [2])
async def test_failing_car_does_not_affect_other_car(home: Home, path: str) -> None:
    broken, working = home.simulator.vehicles
    home.simulator.switches.list = False
    await home.restart()
    home.simulator.faults.serve("GET", f"{LIST}/{broken.id}{path}", {"error": "internal"}, 500)
    working.enter()
    await home.advance(65)
    assert home.shown(*PRESENT, working.vin).state == "on"


@pytest.mark.parametrize("only", [LIST, READ])
async def test_nothing_is_sent_until_a_required_pause_ends(home: Home, only: str) -> None:
    """The polling mode shows the pause, and the error of a command says how long it is."""
    home.car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(429, headers={"Retry-After": "1200"}, only=only)
    await home.advance(65)
    assert home.shown("sensor", "polling_mode").state == "backing_off"
    error = await home.error_of(home.call("lock", "unlock", LOCK[1]))
    assert "accepts requests again in 20 min" in error
    assert not home.requests("/command/")
    assert not await home.requests_during(1100, step=20)
    assert await home.requests_during(160)
    assert home.shown("sensor", "polling_mode").state == "in_use"


async def test_device_describes_the_car_also_after_a_restart(home: Home) -> None:
    describe = attrgetter("name", "manufacturer", "model", "model_id", "serial_number", "sw_version")
    expected = (home.car.name, "Tesla", "Model S P90D 2019", "models2", home.car.vin, "2030.1.2")
    home.simulator.faults.corrupt("vehicle_state.car_version", "2030.1.2 abcdef")
    await home.poll()
    assert describe(home.device) == expected
    await home.let_car_sleep()
    await home.restart()
    assert describe(home.device) == expected
    # After the first read, the account is identified by its user, so it can't be added twice.
    assert home.entry.unique_id == str(home.car.identity.user_id)


@pytest.mark.parametrize(
    ("empty", "name"),
    [
        (["display_name"], "Aurora"),
        (["vehicle_state.vehicle_name"], "Aurora"),
        (["display_name", "vehicle_state.vehicle_name"], "Model S 2019"),
    ],
)
async def test_unnamed_car_has_the_name_of_its_model(empty_home: Home, empty: list[str], name: str) -> None:
    for path in empty:
        empty_home.simulator.faults.corrupt(path, "")
    await empty_home.set_up()
    assert empty_home.device.name == name
    assert empty_home.entity_id(*LOCK) == f"lock.{name.lower().replace(' ', '_')}_doors"


async def test_legacy_service_is_detected(empty_home: Home) -> None:
    """After each start, the newer endpoint is requested three times before it counts as missing."""
    home = empty_home
    home.simulator.switches.profile = "legacy-2018"
    await home.set_up()
    for _ in range(2):
        for _ in range(5):
            await home.poll()
        assert len(home.requests(READ)) == 3
        home.simulator.requests.clear()
        await home.restart()


async def test_car_is_not_read_for_five_minutes_after_540_which_means_too_many_requests(home: Home) -> None:
    home.car.enter()
    home.simulator.faults.answer(540, only=READ)
    await home.poll()
    assert not await home.requests_during(280, READ, step=10)
    assert await home.requests_during(40, READ)


async def test_car_can_fall_asleep_between_reads_that_fail_repeatedly(home: Home) -> None:
    home.simulator.faults.answer(503, times=100, only=READ)
    # The car stays awake, so that reads continue.
    home.car.enter()
    await home.advance(2 * HOUR, step=20)
    most = math.ceil(2 * HOUR / home.coordinator.known.tracker.habits.quiet_period)
    assert 1 <= len(await home.requests_during(2 * HOUR, READ, step=20)) <= most


async def test_failed_or_gone_listener_affects_no_other(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    vehicle, level, calls = home.coordinator, ChargeState.battery_level, list[str]()

    def remove_next() -> None:
        calls.append("first")
        remove()

    def fail() -> None:
        raise RuntimeError

    vehicle.async_add_listener(remove_next, {level})
    remove = vehicle.async_add_listener(partial(calls.append, "removed"), {level})
    vehicle.async_add_listener(fail, {level})
    vehicle.async_add_listener(partial(calls.append, "last"), {level})
    vehicle.known.set_expected({level: 12})
    assert calls == ["first", "last"]
    assert "Error in a listener of" in caplog.text


async def test_list_that_was_wrong_once_is_requested_again(home: Home) -> None:
    """Reads do not replace a list that reports a car as online after it refused a read."""
    listed = {"id": home.car.id, "vin": home.car.vin, "state": "online"}
    home.car.unplug()
    home.car.fall_asleep()
    await home.poll()
    home.simulator.faults.answer(200, body={"response": [listed], "count": 1}, only=LIST)
    await home.entry.runtime_data.async_poll_now()
    assert home.coordinator.known.merged.list_trust is ListTrust.CONTRADICTED
    home.simulator.requests.clear()
    await home.advance(3 * HOUR, step=30)
    assert len(home.requests(READ)) <= 2
    assert home.coordinator.known.is_state_listed


@pytest.mark.parametrize("interval", [60, 300])
async def test_list_without_states_is_not_requested_during_a_drive(home: Home, interval: int) -> None:
    await home.set_account_options(interval=interval)
    home.simulator.faults.remove("state")
    await home.advance(10 * MINUTE, step=20)
    home.start_drive(60)
    await home.poll()
    await home.advance(70)
    requests = await home.requests_during(30 * MINUTE, step=10)
    assert requests == home.requests(READ)


async def test_account_without_vehicles_is_polled(home: Home) -> None:
    """Also if only live reads would show the states of its vehicles."""
    provider = home.entry.runtime_data.provider
    provider.has_list = provider.has_records = provider.reports_states = False
    home.hass.config_entries.async_remove_subentry(home.entry, home.coordinator.subentry_id)
    await home.advance(HOUR, step=30)
    assert home.entry.runtime_data.last_update_success


async def test_retries_of_a_car_in_use_are_not_planned_requests(home: Home) -> None:
    home.simulator.switches.list = False
    home.simulator.faults.serve("GET", f"{LIST}/{home.car.id}", {"error": "not_found"}, 404)
    await home.restart()
    account = home.entry.runtime_data
    await home.advance(15 * MINUTE, step=30)
    assert not account.provider.reports_states
    home.start_drive(60)
    await home.poll()
    before = account.requests.planned
    for _ in range(10):
        home.simulator.faults.answer(500, only=READ, times=1)
        await home.advance(3 * MINUTE, step=10)
    assert account.requests.planned == before
