"""What assistants are told about the car and its log, and what the answers must not do."""

from datetime import datetime
import importlib.util
import json
from typing import Any, Final
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_READ_ONLY
from homeassistant.components.homeassistant.exposed_entities import DATA_EXPOSED_ENTITIES, async_expose_entity
from homeassistant.core import Context
from homeassistant.helpers import device_registry as dr, llm
from homeassistant.setup import async_setup_component
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Stay
from custom_components.vehicle_remote_access.llm import async_get_tools

from .conftest import Home

ZONE: Final = ZoneInfo("US/Pacific")
NOON: Final = datetime(2026, 11, 4, 12, tzinfo=ZONE)
LOG: Final = f"{DOMAIN}__get_car_log"
ASSISTANT: Final = "conversation"

type Json = Any


def _at(*when: int) -> float:
    return datetime(*when, tzinfo=ZONE).timestamp()  # type: ignore[arg-type, misc]


@pytest.fixture
def freezer(freezer: FrozenDateTimeFactory) -> FrozenDateTimeFactory:
    """Freeze the time at a noon in November. Daylight saving time has ended on the first."""
    freezer.move_to(NOON)
    return freezer


@pytest.fixture
async def home(home: Home) -> Home:
    """A home that exposes all entities of the car to the assistant."""
    position = {"latitude": home.car.home.latitude, "longitude": home.car.home.longitude}
    await home.hass.config.async_update(location_name="Home", currency="EUR", **position)
    for component in ("zone", "homeassistant", "llm"):
        assert await async_setup_component(home.hass, component, {})
    home.hass.data[DATA_EXPOSED_ENTITIES].async_set_expose_new_entities(ASSISTANT, expose_new=False)
    await home.idle()
    _expose(home, *home.states())
    return home


def _expose(home: Home, *entity_ids: str, is_exposed: bool = True) -> None:
    for entity_id in entity_ids:
        async_expose_entity(home.hass, ASSISTANT, entity_id, is_exposed)


def _context(user_id: str | None = None) -> llm.LLMContext:
    return llm.LLMContext(
        platform="test", context=Context(user_id=user_id), language="en", assistant=ASSISTANT, device_id=None
    )


async def _tools(home: Home, context: llm.LLMContext | None = None) -> dict[str, llm.Tool]:
    api = await llm.async_get_api(home.hass, llm.LLM_API_ASSIST, context or _context())
    return {tool.name: tool for tool in api.tools if tool.name.startswith(DOMAIN)}


async def _ask(home: Home, user_id: str | None = None, **arguments: Any) -> Json:
    """Return what the model gets as an answer. Nothing is requested, and nothing private is answered."""
    requests, states = len(home.simulator.requests), [car.state for car in home.simulator.vehicles]
    tool = (await _tools(home))[LOG]
    result: Any = await tool.async_call(home.hass, llm.ToolInput(LOG, arguments), _context(user_id))
    await home.idle()
    assert len(home.simulator.requests) == requests
    assert [car.state for car in home.simulator.vehicles] == states
    data = getattr(result, "data", result)
    assert getattr(result, "error", "error" in data) == ("error" in data)
    text = json.dumps(data)
    for car in home.simulator.vehicles:
        for secret in (car.vin, str(car.id), home.simulator.token):
            assert secret not in text
    for coordinate in (home.car.home.latitude, home.car.home.longitude):
        assert str(round(coordinate, 2)) not in text
    return json.loads(text)


def _log_of_october() -> DriveLog:
    """Return a log with a drive each day, of which that on the 12th is the longest, and three charges."""
    log = DriveLog(energy_per_rated_mile=0.25, currency="EUR")
    drive = Drive("", 0.0, 0.0, range_used=12.0, start_place="Home")
    for day in range(1, 32):
        start, end = _at(2026, 10, day, 8), _at(2026, 10, day, 9)
        odometer, length = 1000.0 * day, 100.0 if day == 12 else 10.0
        distance: Json = {"start_odometer": odometer, "end_odometer": odometer + length}
        log.drives.append(drive._replace(id=f"drive-{day}", start=start, end=end, **distance))
    charge = Charge("", 0.0, 0.0, start_energy=100.0, start_battery=20.0, end_battery=60.0, currency="EUR")
    for day, energy, place, cost in ((7, 20, "Home", 5.0), (12, 40, None, 20.0), (20, 10, "Home", None)):
        times: Json = {"start": _at(2026, 10, day, 20), "end": _at(2026, 10, day, 22)}
        charge = charge._replace(
            id=f"charge-{day}", end_energy=100.0 + energy, place=place, cost=cost, **times
        )
        log.charges.append(charge)
    log.stays = [Stay("stay-1", _at(2026, 10, 1, 9), _at(2026, 10, 2, 5), battery_lost=1.0, asleep=15.0)]
    return log


async def test_totals_of_a_month(home: Home) -> None:
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.coordinator.log_manager.log = _log_of_october()
    answer = await _ask(home, period="last_month")
    sums = {"count": 31, "distance": 400, "energy": 93, "consumption": 4.3, "cost": 29.29}
    missing = {"price_known": 59, "drives_without_cost": 10}
    longest = {"start": "2026-10-12 08:00", "end": "2026-10-12 09:00", "distance": 100, "consumption": 33.33}
    last = {"start": "2026-10-31 08:00", "end": "2026-10-31 09:00", "distance": 10, "consumption": 3.33}
    both = {"energy": 3.0, "from": "home", "to": "elsewhere or unknown"}
    drives = {"longest": {**longest, **both, "cost": 0.75}, "last": {**last, **both, "cost": None}}
    charge = {"start": "2026-10-20 20:00", "end": "2026-10-20 22:00", "energy_added": 10, "cost": None}
    charges = {
        "count": 3,
        "energy_added": 70,
        "cost": 25,
        "charges_without_cost": 1,
        "last": {**charge, "battery_percent": [20, 60], "place": "home"},
        "by_place": {
            "home": {"count": 2, "energy_added": 30, "cost": 5, "charges_without_cost": 1},
            "elsewhere or unknown": {"count": 1, "energy_added": 40, "cost": 20},
        },
    }
    assert answer["cars"] == [
        {
            "car": "Aurora",
            "log_since": "2026-10-01 08:00",
            "drives": {**sums, **missing, **drives},
            "charges": charges,
            "standby_loss": {"battery_percent_per_day": 1.2, "asleep_percent_of_time": 75},
        }
    ]
    assert await _ask(home, start="2026-10-01", end="2026-10-31") == answer
    assert len(json.dumps(answer)) < 1300


async def test_list_has_the_20_newest_or_largest(home: Home) -> None:
    home.coordinator.log_manager.log = _log_of_october()
    answer = await _ask(home, period="all", show="drives")
    (car,) = answer["cars"]
    days = [drive["start"] for drive in car["drives"]]
    assert days == [f"2026-10-{day} 08:00" for day in range(31, 11, -1)]
    assert car["left_out"] == 11
    assert len(json.dumps(answer)) < 3800
    (car,) = (await _ask(home, period="all", show="charges", order="largest"))["cars"]
    assert [charge["energy_added"] for charge in car["charges"]] == [40, 20, 10]


# Who gets an answer, and about what


async def test_read_only_tool_exists_for_assistants_to_which_a_car_is_exposed(home: Home) -> None:
    _expose(home, *home.states(), is_exposed=False)
    assert await _tools(home) == {}
    _expose(home, home.entity_id("lock", "vehicle_state.locked"))
    tools = await _tools(home)
    assert set(tools) == {LOG}
    assert async_get_tools(home.hass, _context(), "another api") is None
    nobody = _context()
    nobody.assistant = ""
    assert await _tools(home, nobody) == {}
    if hasattr(llm, "ToolAnnotations"):
        for tool in tools.values():
            assert tool.integration == DOMAIN
            assert tool.annotations == llm.ToolAnnotations(
                read_only=True, destructive=False, idempotent=True, open_world=False
            )
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    assert await _tools(home) == {}


async def test_parameters_can_be_described_to_a_model(home: Home) -> None:
    tools = await _tools(home)
    # Home Assistant converts with probatio since 2026.9.
    has_probatio = importlib.util.find_spec("probatio") is not None
    module = importlib.import_module("probatio" if has_probatio else "voluptuous_openapi")
    convert = module.to_openapi if has_probatio else module.convert
    converted = convert(tools[LOG].parameters, custom_serializer=llm.selector_serializer)
    described = converted["properties"]
    assert set(described) == {"car", "period", "start", "end", "show", "order"}
    assert described["car"]["type"] == "string"
    assert described["start"]["format"] == "date"
    assert "last_month" in described["period"]["enum"]


async def test_open_charge_is_in_progress(home: Home) -> None:
    home.car.charging.set_level(40)
    home.car.charging.start()
    await home.poll()
    await home.advance(1800, step=60)
    (log,) = (await _ask(home))["cars"]
    assert log["in_progress"]["charge"]["energy_added"] > 1
    (log,) = (await _ask(home, period="yesterday"))["cars"]
    assert "in_progress" not in log


async def test_log_has_places_only_if_the_location_is_exposed(home: Home) -> None:
    home.coordinator.log_manager.log = _log_of_october()
    assert "home" in str(await _ask(home, period="all"))
    _expose(home, home.entity_id("device_tracker", "drive_state"), is_exposed=False)
    for arguments in ({}, {"show": "drives"}, {"show": "charges"}):
        text = str(await _ask(home, period="all", **arguments))
        assert "home" not in text
        assert "elsewhere" not in text


@pytest.mark.parametrize("cars", [2])
async def test_answer_has_all_exposed_cars_or_the_one_with_this_name(home: Home) -> None:
    _expose(home, *home.states(), is_exposed=False)
    first, second = (car.vin for car in home.simulator.vehicles)
    _expose(home, home.entity_id("lock", "vehicle_state.locked", first))
    assert [car["car"] for car in (await _ask(home))["cars"]] == ["Aurora"]
    assert "These cars exist: Aurora" in (await _ask(home, car="Noordster"))["error"]
    _expose(home, home.entity_id("lock", "vehicle_state.locked", second))
    assert [car["car"] for car in (await _ask(home))["cars"]] == ["Aurora", "Noordster"]
    assert [car["car"] for car in (await _ask(home, car=" noordster"))["cars"]] == ["Noordster"]
    message = "There is no car named KITT. These cars exist: Aurora, Noordster"
    assert (await _ask(home, car="KITT"))["error"] == message
    dr.async_get(home.hass).async_update_device(home.device.id, name_by_user="Family car")
    assert [car["car"] for car in (await _ask(home, car="family car"))["cars"]] == ["Family car"]


async def test_user_needs_permission_for_all_entities_of_the_car(home: Home) -> None:
    await home.hass.auth.async_create_user("Owner", group_ids=[GROUP_ID_ADMIN])
    reader = await home.hass.auth.async_create_user("Reader", group_ids=[GROUP_ID_READ_ONLY])
    guest = await home.limited_user({"domains": {"lock": True}})
    assert "cars" in await _ask(home, reader.id)
    for user in (guest.id, "deleted"):
        assert (await _ask(home, user))["error"].startswith("No car is exposed")


async def test_invalid_arguments_are_answered_with_what_is_valid(home: Home) -> None:
    for arguments, words in (
        ({"period": "last_decade"}, "last_month"),
        ({"start": "yesterday"}, "start"),
        ({"start": "2026-10-02", "end": "2026-10-01"}, "start must not be after end"),
        ({"end": "2026-10-01"}, "Use either period, or start and end"),
        ({"period": "today", "start": "2026-10-01"}, "Use either period, or start and end"),
        ({"show": "stays"}, "drives"),
        ({"bogus": 1}, "bogus"),
    ):
        assert words in (await _ask(home, **arguments))["error"], arguments
    assert (await _ask(home, period="", car=None, start=""))["period"] == "2026-11-01 to 2026-11-04"
    future = await _ask(home, start="2026-11-01", end="9999-12-31")
    assert future["period"] == "2026-11-01 to 2027-11-05"


async def test_period_has_these_days(home: Home) -> None:
    for period, days in (
        ("today", "2026-11-04 to 2026-11-04"),
        ("yesterday", "2026-11-03 to 2026-11-03"),
        ("this_week", "2026-11-02 to 2026-11-04"),
        ("last_week", "2026-10-26 to 2026-11-01"),
        ("this_month", "2026-11-01 to 2026-11-04"),
        ("last_month", "2026-10-01 to 2026-10-31"),
        ("this_year", "2026-01-01 to 2026-11-04"),
        ("last_year", "2025-01-01 to 2025-12-31"),
        ("all", "all"),
    ):
        assert (await _ask(home, period=period))["period"] == days


async def test_empty_log_has_no_entries_and_everything_else_is_unknown(home: Home) -> None:
    answer = await _ask(home)
    units = {"distance": "km", "energy": "kWh", "consumption": "kWh/100 km", "speed": "km/h"}
    assert answer.pop("units") == {**units, "currency": "EUR"}
    drives = {"count": 0, "distance": 0, "energy": 0}
    unknown = dict.fromkeys(("consumption", "cost", "longest", "last"))
    charges: Json = {"count": 0, "energy_added": 0, "cost": None, "last": None, "by_place": {}}
    car = {"car": "Aurora", "log_since": None, "drives": {**drives, **unknown}, "charges": charges}
    assert answer == {"period": "2026-11-01 to 2026-11-04", "cars": [{**car, "standby_loss": None}]}


async def test_unknown_values_are_counted_and_no_note_is_answered(home: Home) -> None:
    at = _at(2026, 11, 2)
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    log = home.coordinator.log
    log.drives = [
        Drive(f"drive-{index}", at + index, at + index + 1, start_odometer=10.0, end_odometer=20.0,
              start_earliest=at if index else None, tag="business" if index else None, note="secret",
              start_latitude=home.car.home.latitude, start_longitude=home.car.home.longitude)
        for index in range(3)
    ]  # fmt: skip
    log.charges = [
        Charge("charge-1", at, at + 9, cost=5.0, currency="EUR", note="secret"),
        Charge("charge-2", at, at + 9, cost=5.0, currency="DKK", latitude=home.car.home.latitude),
    ]
    answer = await _ask(home)
    assert answer["units"]["consumption"] == "mi/kWh"
    (car,) = answer["cars"]
    drives, charges = car["drives"], car["charges"]
    assert (drives["energy"], drives["drives_without_energy"]) == (None, 3)
    assert drives["by_tag"]["business"]["distance"] == 20
    assert drives["longest"].get("times") is None
    assert drives["last"]["times"] == "approximate"
    assert (charges["cost"], charges["other_costs"], charges["last"]["cost"]) == (5, {"DKK": 5}, None)
    assert "secret" not in str(answer) + str(await _ask(home, show="drives"))
