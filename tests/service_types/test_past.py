"""Drives, charges and idles that Tessie has recorded are imported."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
import time
from typing import Any, Final

from homeassistant.core import Event, callback
from homeassistant.setup import async_setup_component
import pytest

from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Entries
from custom_components.vehicle_remote_access.drive_log.importer import LogFile
from custom_components.vehicle_remote_access.vehicle.coordinator import VehicleCoordinator
from custom_components.vehicle_remote_access.vehicle.past import read_past
from simulator_console import tessie_past
from simulator_console.services import SimulatedService
from simulator_console.tessie_past import TessiePast

from ..conftest import HOUR, Home
from ..flow import Flow

ENDPOINTS: Final = ("/drives", "/charges", "/idles")
DRIVES: Final = 2 * tessie_past.DAYS - 1
"""One of the year's drives is missing, and one was recorded twice."""
PERIODS: Final = 8
"""The quarters of a year, and the four without any entry that are before it."""


@pytest.fixture
def service() -> str:
    return "tessie"


@pytest.fixture
def flow(home: Home) -> Flow:
    return Flow(home)


def past_of(home: Home) -> TessiePast:
    """What Tessie has recorded of the first car, for changes."""
    assert isinstance(home.simulator, SimulatedService)
    return home.simulator.past_of(home.car.vin)


def requests(home: Home) -> list[str]:
    return [request.path for request in home.simulator.requests if request.path.endswith(ENDPOINTS)]


async def read(flow: Flow) -> None:
    """Select the import, and wait until the past is read."""
    await flow.start_vehicle_options(flow.home.entry, "import_past")
    while flow.result["type"] == "progress":
        await flow.wait()


async def import_past(flow: Flow) -> Entries:
    await read(flow)
    assert flow.step == "confirm_import", flow.errors
    await flow.submit()
    assert flow.abort_reason == "log_imported"
    entries: Entries = flow.home.coordinator.log.entries
    return entries


def in_miles(text: str) -> float:
    number, unit = text.split()
    return float(number) / (1.609344 if unit == "km" else 1)


async def test_a_year_is_imported_and_adds_up_to_the_odometer_but_for_the_drive_that_tessie_lacks(
    flow: Flow,
) -> None:
    past, before = past_of(flow.home), time.perf_counter()
    drives, charges, stays = await import_past(flow)
    assert time.perf_counter() - before < 60
    assert (len(drives), len(charges)) == (DRIVES, len(past.charges))
    assert len(stays) == len(past.idles)
    between = [(then.start_odometer or 0) - (drive.end_odometer or 0) for drive, then in pairwise(drives)]
    (gap,) = (miles for miles in between if abs(miles) > 0.02)
    risen = flow.home.car.driving.odometer - past.drives[0]["starting_odometer"]
    assert sum(drive.distance for drive in drives) == pytest.approx(risen - gap, abs=0.1)
    # The next drive continues the log.
    assert drives[-1].end_odometer == pytest.approx(flow.home.car.driving.odometer, abs=0.01)


async def test_summary_says_what_the_odometer_says_and_what_is_missing(flow: Flow) -> None:
    past = past_of(flow.home)
    await read(flow)
    drives, number = past.drives, tessie_past.MISSING - 1
    missing = drives[number]["starting_odometer"] - drives[number - 1]["ending_odometer"]
    risen = drives[-1]["ending_odometer"] - drives[0]["starting_odometer"]
    shown = flow.placeholders
    assert in_miles(shown["odometer"]) == pytest.approx(risen, abs=0.1)
    assert in_miles(shown["missing"]) == pytest.approx(missing, abs=0.1)
    assert in_miles(shown["distance"]) == pytest.approx(risen - missing, abs=0.1)
    assert shown["share"] == f"{100 - 100 * missing / risen:.1f}%"
    assert shown.items() >= {"drives": str(DRIVES), "skipped": "0", "wrong": "0"}.items()


async def test_values_of_entries(flow: Flow) -> None:
    past = past_of(flow.home)
    drives, charges, stays = await import_past(flow)
    first, drive = past.drives[0], drives[0]
    assert drive == Drive(
        id=drive.id,
        start=first["started_at"],
        end=first["ended_at"],
        start_odometer=first["starting_odometer"],
        end_odometer=first["ending_odometer"],
        start_battery=first["starting_battery"],
        end_battery=first["ending_battery"],
        range_used=first["rated_range_used"],
        start_place="Home",
        end_place="Thurston",
        start_latitude=first["starting_latitude"],
        start_longitude=first["starting_longitude"],
        end_latitude=first["ending_latitude"],
        end_longitude=first["ending_longitude"],
        outside_temperature=first["average_outside_temperature"],
        max_speed=62,
    )
    assert {drive.tag for drive in drives} == {"Work", None}
    first, charge = past.charges[0], charges[0]
    assert charge == Charge(
        id=charge.id,
        start=first["started_at"],
        end=first["ended_at"],
        start_energy=0.0,
        end_energy=first["energy_added"],
        energy_used=first["energy_used"],
        start_battery=first["starting_battery"],
        end_battery=first["ending_battery"],
        range_added=first["miles_added"],
        current="ac",
        place="Home",
        latitude=first["latitude"],
        longitude=first["longitude"],
        cost=first["cost"],
        currency="EUR",
    )
    fast = [charge for charge in charges if charge.current == "dc"]
    assert len(fast) == len(charges) // tessie_past.FAST_EVERY
    assert {(charge.cost, charge.currency) for charge in fast} == {(None, None)}
    # Tessie does not record sleep.
    assert {stay.asleep for stay in stays} == {None}
    assert {stay.awake_reasons for stay in stays} == {"", "sentry", "climate", "climate sentry"}
    standby = flow.home.coordinator.log_manager.sensor_values
    assert (standby["standby_loss"], standby["asleep"]) == (pytest.approx(0.8, abs=0.5), None)
    incomplete = drives[tessie_past.INCOMPLETE - 2]
    assert (incomplete.max_speed, incomplete.end_odometer) == (
        None,
        drives[tessie_past.INCOMPLETE - 1].start_odometer,
    )


async def test_import_neither_asks_the_car_nor_leaves_the_budget_uncounted(flow: Flow) -> None:
    home = flow.home
    await home.wait_until_car_sleeps()
    budget = home.entry.runtime_data.requests
    before, live_reads = budget.today, budget.live_reads
    await import_past(flow)
    assert len(requests(home)) == 3 * PERIODS
    assert budget.today - before == len(home.simulator.requests)
    assert (budget.live_reads, home.car.state) == (live_reads, "asleep")


async def test_second_import_adds_only_what_is_new(flow: Flow) -> None:
    past, log = past_of(flow.home), flow.home.coordinator.log
    kept = past.drives[500:510]
    del past.drives[500:510]
    await import_past(flow)
    before = [list(entries) for entries in log.entries]
    assert len(log.drives) == DRIVES - 10
    await read(flow)
    assert (flow.step, flow.errors) == ("past_read", {"base": "import_nothing_new"})
    assert [list(entries) for entries in log.entries] == before
    past.drives[500:500] = kept
    # The form reads again.
    await flow.submit()
    while flow.result["type"] == "progress":
        await flow.wait()
    assert (flow.step, flow.placeholders["drives"]) == ("confirm_import", "10")
    await flow.submit()
    assert len({drive.start for drive in log.drives}) == len(log.drives) == DRIVES


@pytest.mark.parametrize(
    ("status", "body", "key"),
    [
        (401, None, "invalid_token"),
        (403, {"error": "missing scope"}, "permission_denied"),
        (404, None, "not_found"),
        (500, None, "service_down"),
        (429, None, "rate_limited"),
        (200, {"results": {"id": 1}}, "malformed_answer"),
        (200, "not JSON", "malformed_answer"),
    ],
)
async def test_form_says_why_reading_failed_and_reads_again(
    flow: Flow, monkeypatch: pytest.MonkeyPatch, status: int, body: Any, key: str
) -> None:
    monkeypatch.setattr("custom_components.vehicle_remote_access.api.client._CONFIRM_401_AFTER", 0.0)
    path = f"/{flow.home.car.vin}/charges"
    flow.home.simulator.faults.serve("GET", path, body, status)
    await read(flow)
    assert (flow.step, flow.errors) == ("past_read", {"base": key})
    assert not flow.home.coordinator.log.drives
    flow.home.simulator.faults.clear()
    flow.home.skip(HOUR)
    await flow.submit()
    while flow.result["type"] == "progress":
        await flow.wait()
    assert (flow.step, flow.placeholders["drives"]) == ("confirm_import", str(DRIVES))


BAD: Final[dict[str, dict[str, Any]]] = {
    "end_battery": {"ending_battery": 140},
    "end": {"ended_at": None},
    "start": {"started_at": 1_770_000_000_000},
    "start_odometer": {"starting_odometer": None, "ending_odometer": None},
    "tag": {"tag": "x" * 51},
    "start_latitude": {"starting_latitude": "north"},
}


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("end_odometer", {"ending_odometer": 1.0}),
        ("start", None),
        *(pytest.param(*each, marks=pytest.mark.exhaustive) for each in BAD.items()),
    ],
)
async def test_entry_that_is_wrong_is_named_and_takes_no_other_down(
    flow: Flow, column: str, change: dict[str, Any] | None
) -> None:
    drives = past_of(flow.home).drives
    start = drives[10]["started_at"]
    bad: Any = None if change is None else drives[10] | change
    drives[10] = bad
    if column == "start":
        # The service itself can't compare it with the period.
        answer = {"results": drives[::-1]}
        flow.home.simulator.faults.serve("GET", f"/{flow.home.car.vin}/drives", answer)
    await read(flow)
    assert flow.step == "confirm_partial_import"
    assert (flow.placeholders["drives"], flow.placeholders["wrong"]) == (str(DRIVES - 1), "1")
    (problem,) = flow.placeholders["problems"].splitlines()
    assert f"| {column} |" in problem
    if column != "start":
        assert time.strftime("drives %Y-%m-%dT%H:%M:%S", time.gmtime(start)) in problem
    await flow.submit()
    assert len(flow.home.coordinator.log.drives) == DRIVES - 1
    await read(flow)
    assert flow.errors == {"base": "import_nothing_right"}
    assert flow.placeholders.items() >= {"wrong": "1", "column": column}.items()


async def test_tessie_that_has_recorded_nothing(flow: Flow) -> None:
    past = past_of(flow.home)
    past.drives, past.charges, past.idles = [], [], []
    await read(flow)
    assert (flow.step, flow.errors) == ("past_read", {"base": "import_nothing_new"})
    assert len(requests(flow.home)) == 3 * 4


async def test_progress_is_shown_until_everything_is_read(flow: Flow) -> None:
    shown: list[float] = []

    @callback
    def note(event: Event[Any]) -> None:
        shown.append(event.data["progress"])

    flow.home.hass.bus.async_listen("data_entry_flow_progress_update", note)
    await flow.start_vehicle_options(flow.home.entry, "import_past")
    assert (flow.result["type"], flow.result["progress_action"]) == ("progress", "import_past")
    while flow.result["type"] == "progress":
        await flow.wait()
    assert shown == sorted(shown)
    assert (len(shown), shown[-1]) == (PERIODS, 1.0)
    assert 0 < shown[0] < 0.5


async def test_closed_dialog_stops_reading(flow: Flow, home: Home) -> None:
    flows = home.hass.config_entries.subentries
    await flow.start_vehicle_options(home.entry, "log")
    await flows.async_configure(flow.result["flow_id"], {"next_step_id": "import_past"})
    flows.async_abort(flow.result["flow_id"])
    await home.idle()
    assert len(requests(home)) < 3 * PERIODS


async def test_account_that_is_unloaded_while_it_is_read_imports_nothing(flow: Flow) -> None:
    await read(flow)
    await flow.home.unload()
    await flow.submit()
    assert flow.abort_reason == "not_loaded"


async def test_places_are_zones_then_saved_places_then_towns_and_positions_need_the_option(
    flow: Flow,
) -> None:
    home, past = flow.home, past_of(flow.home)
    assert await async_setup_component(home.hass, "zone", {})
    shop = next(each for each in past.drives if each["ending_saved_location"] is None)
    at = {"latitude": shop["ending_latitude"], "longitude": shop["ending_longitude"]}
    home.hass.states.async_set("zone.shop", "0", {**at, "radius": 100, "friendly_name": "Shop"})
    await home.set_car_options(keep_positions=False)
    past.drives[0]["starting_location"] = "Springfield, United States"
    past.drives[0]["starting_saved_location"] = None
    past.drives[3] |= {"ending_location": None, "ending_saved_location": None}
    drives, charges, stays = await import_past(flow)
    assert drives[0].start_place == "Springfield"
    assert drives[3].end_place is None
    assert {drive.end_place for drive in drives[4:]} == {"Home", "Work", "Shop", "Springfield"}
    assert {stay.place for stay in stays} == {"Home", "Work", "Shop"}
    positions = {(drive.start_latitude, drive.end_longitude) for drive in drives}
    assert positions == {(charge.latitude, charge.longitude) for charge in charges} == {(None, None)}


async def test_service_that_ignores_the_period_is_asked_a_few_times_only(flow: Flow) -> None:
    """Entries of two answers count once."""
    for kind in ("drives", "charges", "idles"):
        results = getattr(past_of(flow.home), kind)
        flow.home.simulator.faults.serve("GET", f"/{flow.home.car.vin}/{kind}", {"results": results})
    drives, _, _ = await import_past(flow)
    assert len(drives) == DRIVES
    assert len(requests(flow.home)) == 3 * 5


async def test_drive_that_is_known_by_one_odometer_and_its_distance_is_whole(flow: Flow) -> None:
    past = past_of(flow.home)
    start = past.drives[20]["starting_odometer"]
    past.drives[20]["starting_odometer"] = None
    drives, _, _ = await import_past(flow)
    assert drives[20].start_odometer == pytest.approx(start, abs=0.02)


async def test_what_tessie_does_not_say_is_unknown(flow: Flow) -> None:
    past = past_of(flow.home)
    # The documentation leaves out this field. Another charger than a Supercharger can be fast, too.
    del past.charges[0]["is_fast_charger"]
    past.drives[0]["rated_range_used"] = -3.2
    past.idles[0]["ending_battery"] = None
    drives, charges, stays = await import_past(flow)
    assert (charges[0].current, charges[1].current) == (None, "ac")
    assert drives[0].range_used is None
    assert stays[0].battery_lost is None


@pytest.mark.parametrize("service", ["teslemetry", "tesla_fleet", "other"])
async def test_other_services_do_not_offer_it(flow: Flow) -> None:
    await flow.start_vehicle_options(flow.home.entry, "log")
    assert "import_past" not in flow.result["menu_options"]
    assert not requests(flow.home)


# When the account is added


async def add_account(home: Home, **values: Any) -> None:
    flow = Flow(home)
    await flow.start("account", home.simulator.service)
    await flow.submit(**home.access)
    assert flow.step == "vehicles"
    await flow.submit(**values)
    assert flow.is_created, flow.errors


def notifications(home: Home) -> list[str]:
    found = home.hass.data["persistent_notification"].values()
    return [notification["message"] for notification in found]


@pytest.mark.parametrize("cars", [2])
async def test_new_account_imports_the_past_of_its_cars_and_says_so(empty_home: Home) -> None:
    home = empty_home
    await add_account(home, import_past=True)
    await home.idle()
    vehicles = list(home.entry.runtime_data.vehicles.values())
    assert [len(vehicle.log.drives) for vehicle in vehicles] == [DRIVES, DRIVES]
    texts = notifications(home)
    assert len(texts) == 2
    for vehicle, text in zip(vehicles, texts, strict=True):
        assert f"into the log of {vehicle.title}:" in text
        assert f"- Drives: {DRIVES}\n" in text
        assert "\n- Missing: " in text
    assert "import_past" not in home.entry.options
    await home.restart()
    assert len(home.coordinator.log.drives) == DRIVES
    assert len(requests(home)) == 2 * 3 * PERIODS


async def test_new_account_imports_nothing_unless_asked(empty_home: Home) -> None:
    await add_account(empty_home)
    await empty_home.idle()
    assert not requests(empty_home)
    assert "import_past" not in empty_home.entry.options


async def test_import_that_a_restart_interrupted_is_completed(empty_home: Home) -> None:
    home = empty_home
    await add_account(home)
    past, entry = past_of(home), home.entry
    rest = past.drives[300:]
    del past.drives[300:]
    await import_past(Flow(home))
    past.drives += rest
    # The option is removed at the end of an import.
    home.hass.config_entries.async_update_entry(entry, options={**entry.options, "import_past": True})
    await home.restart()
    assert len(home.coordinator.log.drives) == DRIVES
    assert len(notifications(home)) == 1
    assert "import_past" not in entry.options


@pytest.mark.parametrize("cars", [2])
async def test_car_that_is_removed_while_it_is_read_gets_no_entries(
    empty_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = empty_home

    async def read_and_remove(vehicle: VehicleCoordinator, on_progress: Callable[[float], None]) -> LogFile:
        file = await read_past(vehicle, on_progress)
        if len(home.entry.subentries) > 1:
            home.hass.config_entries.async_remove_subentry(home.entry, vehicle.subentry_id)
            for _ in range(10):
                await asyncio.sleep(0)
        return file

    module = "custom_components.vehicle_remote_access.vehicle.past"
    monkeypatch.setattr(f"{module}.read_past", read_and_remove)
    await add_account(home, import_past=True)
    await home.idle()
    (text,) = notifications(home)
    assert f"into the log of {home.coordinator.title}:" in text
    assert len(home.coordinator.log.drives) == DRIVES
    assert "import_past" not in home.entry.options


async def test_failed_import_says_why_and_what_to_do(empty_home: Home) -> None:
    home = empty_home
    home.simulator.faults.serve("GET", f"/{home.car.vin}/idles", {"error": "in [maintenance]"}, 500)
    await add_account(home, import_past=True)
    await home.idle()
    (text,) = notifications(home)
    assert r"in \[maintenance\]" in text
    assert "**Import from Tessie**" in text
    assert not home.coordinator.log.drives
    assert "import_past" not in home.entry.options
    assert await async_setup_component(home.hass, "zone", {})
    flow = Flow(home)
    home.simulator.faults.clear()
    assert len((await import_past(flow)).drives) == DRIVES
