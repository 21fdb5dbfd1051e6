"""The log in Home Assistant: actions, entities, triggers and statistics."""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from unittest.mock import patch
from zoneinfo import ZoneInfo

from homeassistant.components.frontend import async_panel_exists
from homeassistant.components.recorder import get_instance
from homeassistant.components.recorder.models import StatisticData, StatisticMeanType, StatisticMetaData
from homeassistant.components.recorder.statistics import (
    async_add_external_statistics,
    async_import_statistics,
    statistics_during_period,
)
from homeassistant.components.recorder.tasks import ImportStatisticsTask
from homeassistant.config_entries import RELOAD_AFTER_UPDATE_DELAY, ConfigEntryState
from homeassistant.const import Platform
from homeassistant.core import callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import METRIC_SYSTEM, US_CUSTOMARY_SYSTEM
import pytest
from pytest_homeassistant_custom_component.components.recorder.common import async_wait_recording_done
from pytest_homeassistant_custom_component.typing import (
    RecorderInstanceContextManager,
    RecorderInstanceGenerator,
)
import voluptuous as vol

from custom_components.vehicle_remote_access.account.storage import DataStore
from custom_components.vehicle_remote_access.calendar import LogCalendar
from custom_components.vehicle_remote_access.const import DOMAIN, PLATFORMS
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Drive
from custom_components.vehicle_remote_access.drive_log.manager import log_signal, log_units
from custom_components.vehicle_remote_access.drive_log.statistics import LogStatistics
from custom_components.vehicle_remote_access.drive_log.totals import latest_entries, month_totals
from custom_components.vehicle_remote_access.drive_log.view import LogView

from .conftest import Home, examples_in
from .drive_log.activities import drive, end_charge, start_charge, start_drive
from .drive_log.five_years import five_years
from .drive_log.log_files import KILOMETERS
from .flow import Flow

KINDS: Final = ("distance", "energy_added", "cost")


async def get_log(home: Home, **data: Any) -> Any:
    return await home.act("get_log", **data)


async def edited(home: Home) -> None:
    """Show what a test has changed in the log."""
    home.coordinator.log.revision += 1
    home.coordinator.log_manager.edited()
    await home.idle()


async def test_times_of_a_period_are_local_and_one_kind_can_be_selected(long_log: Home) -> None:
    log = await get_log(long_log, start="2023-01-01 00:00:00", end="2023-02-01 00:00:00", kind="drives")
    assert len(log["drives"]) == 93
    assert min(drive["start"] for drive in log["drives"]) >= "2023-01-01T08:00:00"
    assert (log["charges"], log["stays"]) == ([], [])


@pytest.mark.parametrize("reads", [1, 2, 5])
async def test_odometer_that_is_in_kilometers_for_a_while_is_no_drive(home: Home, reads: int) -> None:
    await home.advance(home.start_drive(5) + 240, step=30)
    home.simulator.faults.corrupt("vehicle_state.odometer", home.car.driving.odometer * 1.609344)
    for _ in range(reads):
        await home.advance(150, step=30)
        await home.poll()
    await home.restart()
    home.simulator.faults.clear()
    await home.advance(home.car.drive(7) + 240, step=30)
    log = await get_log(home)
    assert [drive["distance"] for drive in log["drives"]] == pytest.approx([8.05, 11.27], abs=0.1)


async def test_entries_can_be_changed_merged_and_deleted(long_log: Home) -> None:
    await long_log.act("update_log_entry", id="drive-5500", tag="business", note="To Anna")
    await long_log.act("update_log_entry", id="charge-1500", cost=0)
    await long_log.act("merge_drives", ids=["drive-5498", "drive-5499"])
    await long_log.act("delete_log_entry", id="charge-1499")
    log = await get_log(long_log)
    assert [drive["id"] for drive in log["drives"][-2:]] == ["drive-5498", "drive-5500"]
    assert log["drives"][-2]["distance"] == pytest.approx(32.58, abs=0.02)
    assert (log["drives"][-1]["tag"], log["drives"][-1]["note"]) == ("business", "To Anna")
    assert [charge["cost"] for charge in log["charges"][-2:]] == [pytest.approx(4.598, abs=0.01), 0]
    await long_log.act("update_log_entry", id="charge-1500", cost=-0.5)
    log = await get_log(long_log, kind="charges")
    assert log["charges"][-1]["cost"] == -0.5
    await long_log.act("update_log_entry", id="charge-1500", cost=None)
    log = await get_log(long_log, kind="charges")
    assert (log["charges"][-1]["cost"], log["charges"][-1]["currency"]) == (None, None)


async def test_impossible_changes_change_nothing(long_log: Home) -> None:
    for action, data, key in (
        ("delete_log_entry", {"id": "drive-9999"}, "unknown_log_entry"),
        ("update_log_entry", {"id": "drive-1", "cost": 3}, "wrong_log_field"),
        ("update_log_entry", {"id": "charge-1", "tag": "x"}, "wrong_log_field"),
        ("update_log_entry", {"id": ["drive-1", "drive-9999"], "tag": "x"}, "unknown_log_entry"),
        ("update_log_entry", {"id": ["drive-1", "charge-1"], "tag": "x"}, "wrong_log_field"),
        ("merge_drives", {"ids": ["drive-1", "drive-3"]}, "drives_not_consecutive"),
    ):
        log = await get_log(long_log)
        with pytest.raises(ServiceValidationError) as error:
            await long_log.act(action, **data)
        assert error.value.translation_key == key, data
        assert await get_log(long_log) == log, data


async def test_several_entries_are_changed_together(long_log: Home) -> None:
    changes: list[Any] = []
    signal = log_signal(long_log.coordinator.subentry_id)
    async_dispatcher_connect(long_log.hass, signal, callback(lambda *change: changes.append(change)))
    ids = [f"drive-{number}" for number in (5498, 5500, 5499)]
    with patch.object(DataStore, "save", autospec=True) as save:
        await long_log.act("update_log_entry", id=ids, tag="business")
        await long_log.idle()
    tags = {drive["id"]: drive["tag"] for drive in (await get_log(long_log))["drives"][-4:]}
    assert tags == {"drive-5497": None, **dict.fromkeys(ids, "business")}
    assert (len(changes), save.call_count) == (1, 1)
    with pytest.raises(vol.Invalid):
        await long_log.act("update_log_entry", id=[], tag="business")


async def test_sensors_show_the_last_charge_and_estimates(long_log: Home) -> None:
    log = long_log.coordinator.log
    now = dt_util.utcnow().timestamp()
    wide: dict[str, Any] = {"start_battery": 20.0, "end_battery": 80.0, "range_added": 150.0}
    for number in range(1501, 1512):
        charge = log.charges[-1]
        end_energy = (charge.end_energy or 0.0) + 45
        log.charges.append(
            charge._replace(
                id=f"charge-{number}", start=now - 9000, end=now, start_energy=charge.end_energy,
                end_energy=end_energy, cost=9.0, currency="EUR", **wide,
            )
        )  # fmt: skip
    log.update_estimates()
    await edited(long_log)
    expected = {
        "last_charge_energy": 45,
        "last_charge_cost": 9,
        "consumption": 18.1,
        "standby_loss": 0.949,
        "battery_capacity": 75,
        "battery_health": 100,
    }
    states = {name: long_log.shown("sensor", f"log.{name}").state for name in expected}
    shown = {name: float(state) for name, state in states.items()}
    assert shown == {name: pytest.approx(value, rel=0.02) for name, value in expected.items()}
    assert long_log.shown("sensor", "log.battery_capacity").attributes["uncertainty"] == 0.3
    assert long_log.shown("sensor", "log.standby_loss").attributes["power"] == 30
    # The currency of Home Assistant was changed after the charge.
    log.charges[-1] = log.charges[-1]._replace(currency="DKK")
    await edited(long_log)
    assert long_log.shown("sensor", "log.last_charge_cost").state == "unknown"


@pytest.mark.parametrize(
    ("units", "consumption"),
    [((METRIC_SYSTEM,), "kWh/100km"), ((US_CUSTOMARY_SYSTEM,), "mi/kWh"),
     ((US_CUSTOMARY_SYSTEM, METRIC_SYSTEM), "kWh/100km")],
)  # fmt: skip
async def test_sensors_show_what_the_pages_show(long_log: Home, units: Any, consumption: str) -> None:
    """Also after the units were changed."""
    log = long_log.coordinator.log
    for long_log.hass.config.units in units:
        await edited(long_log)
    now, odometer = dt_util.utcnow().timestamp(), 1234.56789
    for number in range(9):
        drive = log.drives[-1]._replace(start=now, end=now)
        log.drives.append(drive._replace(start_odometer=odometer, end_odometer=odometer + 1 / 3))
        log.charges.append(log.charges[-1]._replace(cost=number / 3, start=now, end=now))
        odometer += 1 / 3
    await edited(long_log)
    view = LogView(log, log_units(long_log.hass))
    month, card = month_totals(view, now)["months"][0], latest_entries(view, now)
    last = card["drive"]
    assert card["month"].items() <= month.items()
    assert (last, card["charge"]) == (view.shown(log.drives[-1]), view.shown(log.charges[-1]))
    for sensor, value, unit in (
        # Home Assistant keeps the unit that a distance had at first.
        ("month_distance", METRIC_SYSTEM.length(month["distance"], units[-1].length_unit), "km"),
        ("month_energy", month["energy_added"], "kWh"),
        ("month_cost", month["cost"], "EUR"),
        ("last_drive_distance", METRIC_SYSTEM.length(last["distance"], units[-1].length_unit), "km"),
        ("last_drive_energy", last["energy"], "kWh"),
        ("last_drive_consumption", last["consumption"], consumption),
    ):
        state = long_log.shown("sensor", f"log.{sensor}")
        assert state.attributes["unit_of_measurement"] == unit
        assert float(state.state) == pytest.approx(value, abs=1e-6), sensor


@pytest.mark.parametrize("wrong", [400, -2000])
async def test_entry_of_a_wrong_clock_does_not_count_in_this_month(long_log: Home, wrong: int) -> None:
    log, now = long_log.coordinator.log, dt_util.utcnow().timestamp()
    drive, charge = log.drives[-1], log.charges[-1]
    for number, (days, cost) in enumerate(((-3, 1.0), (-2, 2.0), (wrong, 4.0), (-1, 8.0)), 6000):
        end = now + days * 86_400
        log.drives.append(drive._replace(id=f"drive-{number}", start=end - 60, end=end))
        log.charges.append(charge._replace(id=f"charge-{number}", start=end - 60, end=end, cost=cost))
    await edited(long_log)
    names = ("distance", "energy", "cost")
    shown = {name: float(long_log.shown("sensor", f"log.month_{name}").state) for name in names}
    assert shown == {"distance": pytest.approx(3 * 16.29, abs=0.1), "energy": 60, "cost": 11}
    log = await get_log(long_log, start="2026-05-01 00:00:00", end="2026-06-01 00:00:00")
    assert log["totals"]["cost"] == shown["cost"]


async def test_edits_are_stored_at_once(home: Home, hass_storage: dict[str, Any]) -> None:
    home.coordinator.log.drives += five_years().drives[:3]
    for action, data in (
        ("update_log_entry", {"id": "drive-1", "note": "To Anna"}),
        ("merge_drives", {"ids": ["drive-1", "drive-2"]}),
        ("delete_log_entry", {"id": "drive-3"}),
    ):
        await home.act(action, **data)
        await home.idle()
        names = (f"{DOMAIN}.{home.coordinator.subentry_id}.{name}" for name in ("log", "log_open"))
        files: list[Any] = [hass_storage.get(name, {}).get("data", {}) for name in names]
        assert DriveLog.restored(*files).drives == home.coordinator.log.drives


async def test_energy_charged_at_home_never_falls(home: Home) -> None:
    shown: list[float] = []

    def energy() -> float:
        shown.append(float(home.shown("sensor", "log.energy_charged_home").state))
        assert shown == sorted(shown)
        return shown[-1]

    await home.poll()
    # The car is outside of the home zone.
    assert energy() == 0
    await home.hass.config.async_update(latitude=home.car.home.latitude, longitude=home.car.home.longitude)
    await start_charge(home)
    await home.advance(1800, step=60)
    half = energy()
    assert half > 2
    await home.restart()
    assert energy() >= half
    await home.advance(1800, step=60)
    charge = await end_charge(home)
    assert charge.energy_used is not None
    assert energy() == pytest.approx(charge.energy_used, abs=0.1)
    await home.act("delete_log_entry", id=charge.id)
    assert energy() > 1.5 * half


async def test_events_show_the_start_and_the_end_of_a_drive(home: Home) -> None:
    await start_drive(home, 5)
    assert home.shown("event", "log.drive").attributes["event_type"] == "started"
    await home.advance(900, step=30)
    event = home.shown("event", "log.drive")
    assert event.attributes["event_type"] == "ended"
    assert event.attributes["distance"] == pytest.approx(5 * 1.609, abs=0.02)
    assert event.state_info is not None
    assert {"distance", "start_place", "id"} <= event.state_info["unrecorded_attributes"]
    await home.restart()
    assert home.shown("event", "log.drive").attributes["id"] == "drive-1"


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_calendar_has_every_entry(long_log: Home) -> None:
    log, day = long_log.coordinator.log, dt_util.start_of_local_day(date(2023, 1, 1)).timestamp()
    first = next(index for index, drive in enumerate(log.drives) if drive.end >= day)
    log.drives[first] = log.drives[first]._replace(start_odometer=None)
    entity_id = long_log.entity_id("calendar", "log.calendar")
    period = {"start_date_time": "2023-01-01 00:00:00", "end_date_time": "2023-01-02 00:00:00"}
    response: Any = await long_log.hass.services.async_call(
        "calendar", "get_events", {"entity_id": entity_id, **period}, blocking=True, return_response=True
    )
    summaries = [event["summary"] for event in response[entity_id]["events"]]
    assert summaries == ["Home → Home", "Work → Work · 16.3 km", "? → ? · 16.3 km"]
    long_log.coordinator.log_manager.edited()
    assert long_log.shown("calendar", "log.calendar").state == "off"


async def test_calendar_page_only_with_an_enabled_calendar(home: Home) -> None:
    assert not async_panel_exists(home.hass, "calendar")
    assert "calendar" not in home.hass.config.components
    entities = er.async_get(home.hass)
    registered = entities.async_get("calendar.aurora_log")
    assert registered is not None
    assert registered.disabled_by is er.RegistryEntryDisabler.INTEGRATION
    assert (registered.original_name, registered.device_id) == ("Log", home.device.id)
    entities.async_update_entity(registered.entity_id, disabled_by=None)
    await home.advance(RELOAD_AFTER_UPDATE_DELAY + 5)
    assert async_panel_exists(home.hass, "calendar")
    assert home.shown("calendar", "log.calendar").name == "Aurora Log"
    entities.async_update_entity(registered.entity_id, disabled_by=er.RegistryEntryDisabler.USER)
    await home.restart()
    assert home.hass.states.get(registered.entity_id) is None
    assert home.entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize("language", ["de", "ja"])
async def test_disabled_calendar_has_name_and_id_of_an_enabled_one(empty_home: Home, language: str) -> None:
    home = empty_home
    home.hass.config.language = language
    await home.set_up()
    entities = er.async_get(home.hass)
    before = entities.async_get(home.entity_id("calendar", "log.calendar"))
    assert before is not None
    entities.async_remove(before.entity_id)
    entities.deleted_entities.clear()
    with patch.object(LogCalendar, "entity_registry_enabled_default", True):
        await home.hass.config_entries.async_forward_entry_setups(home.entry, [Platform.CALENDAR])
        await home.idle()
    home.entry.runtime_data.platforms = PLATFORMS
    enabled = entities.async_get(home.entity_id("calendar", "log.calendar"))
    assert enabled is not None
    assert home.hass.states.get(enabled.entity_id) is not None
    for name in ("entity_id", "original_name", "translation_key", "object_id_base", "device_id"):
        assert getattr(before, name) == getattr(enabled, name)


async def test_documented_script_returns_the_distance_of_business_drives(long_log: Home) -> None:
    home = long_log
    drive = home.coordinator.log.drives[-1]
    end = dt_util.utcnow().timestamp()
    home.coordinator.log.drives[-1] = drive._replace(tag="business", start=end - 9, end=end)
    scripts = {"distance": examples_in("log.md")[0]}
    assert await async_setup_component(home.hass, "script", {"script": scripts})
    response = await home.hass.services.async_call("script", "distance", blocking=True, return_response=True)
    assert response == {"distance": 16.3, "unit": "km"}


async def test_documented_automation_tags_drives_to_work(home: Home) -> None:
    work = home.car.driving.point.beyond(6, home.car.driving.heading)
    zone = {"latitude": work.latitude, "longitude": work.longitude, "radius": 900, "passive": False}
    home.hass.states.async_set("zone.work", "0", {"friendly_name": "Work", **zone})
    runs = await home.automate(examples_in("log.md")[1])
    home.car.unplug()
    await home.poll()
    home.car.drive(miles=6)
    await home.poll()
    await home.advance(900, step=30)
    assert len(runs) == 1
    assert home.coordinator.log.drives[0].tag == "commute"


async def test_diagnostics_have_neither_places_nor_times(long_log: Home) -> None:
    found = long_log.coordinator.log_manager.as_diagnostics()
    assert (found["drives"], found["charges"], found["not_watched"]) == (5500, 1500, 0)
    assert "Home" not in str(found)


async def test_invalid_values_are_refused(home: Home) -> None:
    for data in ({"start": "x"}, {"kind": "trips"}):
        with pytest.raises(vol.Invalid):
            await get_log(home, **data)
    for cost in (-2e9, 2e9, "nan", "inf", "much"):
        with pytest.raises(vol.Invalid):
            await home.act("update_log_entry", id="charge-1", cost=cost)


async def test_charge_that_ends_after_a_restart_has_a_cost_and_a_currency(home: Home) -> None:
    await home.set_car_options(price=0.3, price_away=0.3)
    await start_charge(home)
    await home.advance(1200, step=30)
    home.car.charging.stop()
    await home.poll()
    await home.advance(480, step=30)
    await home.restart()
    await home.advance(400, step=30)
    (charge,) = home.coordinator.log.charges
    assert (charge.currency, bool(charge.cost)) == (home.hass.config.currency, True)


async def test_power_cut_does_not_forget_the_sleep(home: Home, hass_storage: dict[str, Any]) -> None:
    await drive(home, 3, seconds=3 * 3600)
    assert home.coordinator.known.tracker.state == "asleep"
    stored = hass_storage[f"{DOMAIN}.{home.coordinator.subentry_id}.log_latest"]["data"]
    assert stored["stay"]["is_asleep"]


def approx_rows(rows: list[tuple[float, float]]) -> list[tuple[float, Any]]:
    return [(at, pytest.approx(total, abs=0.02)) for at, total in rows]


@pytest.fixture
def mock_recorder_before_hass(async_test_recorder: RecorderInstanceContextManager) -> None:
    """Prepare the database before Home Assistant starts."""


@pytest.fixture
async def recorded_home(empty_home: Home, async_setup_recorder_instance: RecorderInstanceGenerator) -> Home:
    await async_setup_recorder_instance(empty_home.hass)
    await empty_home.set_up()
    return empty_home


async def recorded(home: Home, period: str, value: str) -> dict[str, list[tuple[float, float]]]:
    """Return the start and a value of each period in the recorder, by what they are statistics of."""
    await async_wait_recording_done(home.hass)
    ids = {kind: f"{DOMAIN}:{home.car.vin.lower()}_{kind}" for kind in KINDS}
    query = home.hass, datetime.fromtimestamp(0, UTC), None, {*ids.values()}, period, None, {value}
    read: Any = statistics_during_period
    found = await get_instance(home.hass).async_add_executor_job(read, *query)
    return {kind: [(row["start"], row[value]) for row in found.get(ids[kind], [])] for kind in KINDS}


async def statistics_of(home: Home) -> dict[str, list[tuple[float, float]]]:
    """Return the sums in the recorder by what they are sums of."""
    return await recorded(home, "hour", "sum")


def distances(statistic_id: str, source: str) -> StatisticMetaData:
    return StatisticMetaData(
        mean_type=StatisticMeanType.NONE, has_sum=True, name=None, source=source,
        statistic_id=statistic_id, unit_class="distance", unit_of_measurement="km",
    )  # fmt: skip


async def test_statistics_equal_the_log_after_changes_and_restarts(recorded_home: Home) -> None:
    home = recorded_home
    assert await statistics_of(home) == {kind: [] for kind in KINDS}

    async def check() -> None:
        log = await get_log(home)
        found = await statistics_of(home)
        for kind, rows in found.items():
            assert rows == sorted(rows)
            expected = pytest.approx(log["totals"][kind] or 0, abs=0.01)
            assert (rows[-1][1] if rows else 0) == expected, kind
        hours = {datetime.fromisoformat(drive["start"]).timestamp() // 3600 for drive in log["drives"]}
        assert {at / 3600 for at, _ in found["distance"]} == hours

    for miles in (3, 4):
        await drive(home, miles, seconds=3600)
        await check()
    home.coordinator.log.charges += five_years().charges[:50]
    home.coordinator.log.drives[:0] = five_years().drives[10:110]
    home.coordinator.log_manager.edited()
    await check()
    await home.act("delete_log_entry", id=home.coordinator.log.drives[-1].id)
    await check()
    await home.act("delete_log_entry", id="drive-50")
    await home.act("update_log_entry", id="charge-7", cost=50)
    await check()
    await home.restart()
    await check()
    backup = await get_log(home, kind="drives")
    home.coordinator.log.drives = home.coordinator.log.drives[:60]
    home.coordinator.log.mark_edited()
    manager = home.coordinator.log_manager
    manager.store.schedule_save(is_urgent=True)
    await home.restart()
    assert len((await get_log(home))["drives"]) < len(backup["drives"])
    await check()


async def test_wrong_and_missing_statistics_are_repaired_at_the_next_start(recorded_home: Home) -> None:
    home = recorded_home
    home.coordinator.log.drives += five_years().drives[:60]
    home.coordinator.log.charges += five_years().charges[:60]
    home.coordinator.log_manager.edited()
    expected = await statistics_of(home)
    assert [len(rows) for rows in expected.values()] == [60, 60, 60]
    for number, wrong in enumerate(({"sum": 7.5}, {"sum": None}), 20):
        hour = datetime.fromtimestamp(expected["distance"][number][0], UTC)
        metadata = distances(f"{DOMAIN}:{home.car.vin.lower()}_distance", source=DOMAIN)
        async_add_external_statistics(home.hass, metadata, [StatisticData(start=hour, **wrong)])  # type: ignore[typeddict-item]
        assert await statistics_of(home) != expected
        await home.restart()
        assert await statistics_of(home) == expected
    with patch.object(get_instance(home.hass), "queue_task") as queue_task:
        await home.restart()
    tasks = [call.args[0] for call in queue_task.call_args_list]
    assert tasks
    assert not any(isinstance(task, ImportStatisticsTask) for task in tasks)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Kolkata"])
async def test_days_of_statistics_are_those_on_which_entries_began(recorded_home: Home, zone: str) -> None:
    """Also where an hour of the recorder contains midnight, because the time zone has half an hour."""
    home, tz = recorded_home, ZoneInfo(zone)
    await home.hass.config.async_update(time_zone=zone)
    expected: dict[float, float] = {}
    for number, (hour, minute) in enumerate(((0, 0), (0, 10), (0, 29), (0, 31), (23, 10), (23, 45))):
        for day in (24, 25, 26):
            midnight, miles = datetime(2026, 3, day, tzinfo=tz), 1.0 + day * number / 7
            start = midnight.replace(hour=hour, minute=minute).timestamp()
            drives = home.coordinator.log.drives
            drive = Drive(f"drive-{len(drives) + 1}", start, start + 3600)
            drives.append(drive._replace(start_odometer=9.0, end_odometer=9.0 + miles))
            expected[midnight.timestamp()] = expected.get(midnight.timestamp(), 0.0) + miles * 1.609344
    home.coordinator.log_manager.edited()
    shown = dict((await recorded(home, "day", "change"))["distance"])
    assert shown == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("unreadable", [(".log", ".log_open"), (".log",), (".log_open",)])
async def test_statistics_stay_if_the_log_cannot_be_read_and_go_on_with_new_entries(
    hass_storage: dict[str, Any], recorded_home: Home, unreadable: tuple[str, ...]
) -> None:
    """With the file of a backup, they are again those of the log."""
    home = recorded_home
    for miles in (3, 4, 5):
        await drive(home, miles, seconds=7200)
    await home.act("update_log_entry", id="drive-1", tag="business")
    await drive(home, 6, seconds=7200)
    before = await statistics_of(home)
    assert len(before["distance"]) == 4
    await home.unload()
    backup = {name: dict(file) for name, file in hass_storage.items() if name.endswith(unreadable)}
    assert len(backup) == len(unreadable)
    for name in backup:
        hass_storage[name]["data"] = {"damaged": True}
    for _ in range(2):
        await home.load()
        assert await statistics_of(home) == before
        if ".log" in unreadable:
            await drive(home, 10, seconds=7200)
            before["distance"].append(((await statistics_of(home))["distance"][-1][0], 0))
            before["distance"][-1] = before["distance"][-1][0], before["distance"][-2][1] + 16.09
            assert await statistics_of(home) == {**before, "distance": approx_rows(before["distance"])}
            before = await statistics_of(home)
        await home.unload()
    hass_storage.update(backup)
    await home.load()
    assert [total for _, total in (await statistics_of(home))["distance"]][:4] == [
        pytest.approx(each * 1.609344, abs=0.02) for each in (3, 7, 12, 18)
    ]


async def test_deleted_oldest_entry_leaves_the_statistics(recorded_home: Home) -> None:
    """Rows before the first entry stay only if the log could not be read."""
    home = recorded_home
    for miles in (3, 4):
        await drive(home, miles, seconds=7200)
    await home.restart()
    await home.act("delete_log_entry", id="drive-1")
    for _ in range(2):
        (row,) = (await statistics_of(home))["distance"]
        assert row[1] == pytest.approx(4 * 1.609344, abs=0.02)
        await home.restart()


async def test_change_while_the_recorder_answers_is_in_the_statistics(recorded_home: Home) -> None:
    home = recorded_home
    log = DriveLog(drives=five_years().drives[:9])
    statistics = LogStatistics(home.hass, home.car.vin, "Aurora", lambda: LogView(log, KILOMETERS))
    starting = home.hass.async_create_task(statistics.async_start(home.hass))
    log.drives += five_years().drives[9:12]
    statistics.update()
    await starting
    assert len((await statistics_of(home))["distance"]) == 12


@pytest.mark.parametrize("is_loaded", [True, False])
async def test_removed_car_leaves_no_statistics(recorded_home: Home, *, is_loaded: bool) -> None:
    home = recorded_home
    home.coordinator.log.drives += five_years().drives[:10]
    home.coordinator.log_manager.edited()
    assert (await statistics_of(home))["distance"]
    entry, log, subentry_id = home.entry, home.coordinator.log_manager, home.coordinator.subentry_id
    if is_loaded:
        await home.remove_car(home.car.vin)
        # An edit may still be under way.
        log.edited()
    else:
        await home.hass.config_entries.async_unload(entry.entry_id)
        home.hass.config_entries.async_remove_subentry(entry, subentry_id)
        await home.hass.config_entries.async_setup(entry.entry_id)
    await home.idle()
    assert await statistics_of(home) == {kind: [] for kind in KINDS}


# Real files: the log of a removed car is found by its files.
@pytest.mark.parametrize("hass_storage", [{}])
async def test_car_that_continues_its_log_has_the_same_statistics(recorded_home: Home) -> None:
    home, flow = recorded_home, Flow(recorded_home)
    home.coordinator.log.drives += five_years().drives[:10]
    home.coordinator.log.charges += five_years().charges[:10]
    home.coordinator.log_manager.edited()
    await home.idle()
    before = await statistics_of(home)
    assert all(before.values())
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    assert not any((await statistics_of(home)).values())
    await flow.start_account()
    await flow.submit(vehicles=[str(home.car.id)])
    assert await statistics_of(home) == before


async def test_drives_before_the_first_one_are_imported_from_history(recorded_home: Home) -> None:
    home = recorded_home
    odometer, log = home.entity_id("sensor", "vehicle_state.odometer"), home.coordinator.log
    midnight = datetime(2026, 4, 1, tzinfo=UTC)
    rows = [
        StatisticData(start=midnight + timedelta(hours=hour), state=state, sum=state)
        for hour, state in enumerate((1609.344, 1625.43744, 1625.43744, 1641.53088))
    ]
    async_import_statistics(home.hass, distances(odometer, source="recorder"), rows)
    await async_wait_recording_done(home.hass)
    in_last_hour = midnight.timestamp() + 3 * 3600 + 60
    log.drives.append(Drive(id="drive-1", start=in_last_hour, end=in_last_hour + 600))
    flow = Flow(home)
    await flow.start_vehicle_options(home.entry, "import_history")
    await flow.submit(entity_id=odometer)
    assert (flow.placeholders["drives"], flow.placeholders["start"]) == ("1", "2026-03-31")
    await flow.submit()
    assert [drive.distance for drive in log.drives] == [pytest.approx(10, abs=1e-5), 0]
    assert [at for at, _ in (await statistics_of(home))["distance"]] == [
        midnight.timestamp() + 3600, midnight.timestamp() + 3 * 3600,
    ]  # fmt: skip
