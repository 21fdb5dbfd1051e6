"""Tools for assistants: 20 questions over a simulated month, and what the answers must not do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
import importlib.util
import json
from typing import Any, Final
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_READ_ONLY
from homeassistant.auth.models import Group
from homeassistant.auth.permissions.models import PermissionLookup
from homeassistant.components.homeassistant.exposed_entities import (
    DATA_EXPOSED_ENTITIES,
    async_expose_entity,
)
from homeassistant.core import Context
from homeassistant.helpers import device_registry as dr, entity_registry as er, llm
from homeassistant.setup import async_setup_component
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.llm import async_get_tools
from custom_components.vehicle_remote_access.simulator import ManualClock, Simulator
from custom_components.vehicle_remote_access.simulator.car.physics import MILES_PER_PERCENT

from .benchmarks.log.__main__ import true_drives
from .benchmarks.log.activities import Activity, ActivityRecorder
from .benchmarks.log.year import AWAY_PRICE, DAY, HOUR, MINUTE, Watcher, Year, price_at
from .conftest import Home

ZONE: Final = ZoneInfo("US/Pacific")
NOON: Final = datetime(2026, 11, 4, 12, tzinfo=ZONE)
START: Final = datetime(2026, 9, 24, tzinfo=ZONE)
KILOMETERS: Final = 1.609344
STATUS: Final = f"{DOMAIN}__get_car_status"
LOG: Final = f"{DOMAIN}__get_car_log"
ASSISTANT: Final = "conversation"
LONGEST_STAY_WITHOUT_LOSS: Final = 6 * HOUR

type Json = Any


def _at(*when: int) -> float:
    return datetime(*when, tzinfo=ZONE).timestamp()  # type: ignore[arg-type, misc]


OCTOBER: Final = _at(2026, 10, 1), _at(2026, 11, 1)


# The truth, from the simulator


@dataclass
class Month(Year):
    """Six weeks of a simulated car: its log, and what really happened."""

    home_charges: set[int] = field(default_factory=set)
    """The indexes of the charges at home."""
    minutes: list[tuple[float, bool, bool, float]] = field(default_factory=list)
    """Each minute: the moment, whether it drives, whether it charges or warms up, the level."""

    def drives(self, start: float, end: float) -> list[Activity]:
        return [drive for drive in true_drives(self) if start <= drive.end < end]

    def charges(self, start: float, end: float, *, is_home: bool | None = None) -> list[Activity]:
        return [
            charge
            for index, charge in enumerate(self.true.charges)
            if start <= charge.end < end and is_home in (None, index in self.home_charges)
        ]

    def cost(self, start: float, end: float, *, is_home: bool | None = None) -> float:
        charges = self.true.charges
        return sum(self.true_costs[charges.index(each)] for each in self.charges(start, end, is_home=is_home))

    def kilometers(self, start: float, end: float) -> float:
        return KILOMETERS * sum(drive.miles for drive in self.drives(start, end))

    def consumption(self, start: float, end: float) -> float:
        return 100 * sum(drive.used for drive in self.drives(start, end)) / self.kilometers(start, end)

    def loss(self, start: float, end: float) -> float:
        """Return the percent of the battery lost a day in long stays without charging and climate control."""
        lost = seconds = 0.0
        stay: list[tuple[float, bool, bool, float]] = []
        for minute in self.minutes:
            if not minute[1]:
                stay.append(minute)
                continue
            if stay and stay[-1][0] - stay[0][0] >= LONGEST_STAY_WITHOUT_LOSS and start <= stay[-1][0] < end:
                # The first and last minutes of many stays have climate control.
                inner = [each for each in stay if stay[0][0] + 600 < each[0] < stay[-1][0] - 1800]
                if not any(is_used for _, _, is_used, _ in inner):
                    lost += inner[0][3] - inner[-1][3]
                    seconds += inner[-1][0] - inner[0][0]
            stay = []
        return lost / seconds * DAY


@pytest.fixture(scope="module")
def month() -> Month:
    clock = ManualClock(START.timestamp())
    (car,) = Simulator(vehicles=1, clock=clock, routine=True).vehicles
    car.catch_up()
    month = Month(DriveLog(currency="EUR", prices=Prices(away=AWAY_PRICE)), car, ActivityRecorder(clock, car))
    watcher, drawn = Watcher(month), car.charging.energy_drawn
    while clock.now() < NOON.timestamp():
        month.true.advance(MINUTE)
        now, is_home = clock.now(), car.homelink_nearby
        index, more = len(month.true.charges) - 1, car.charging.energy_drawn - drawn
        price = price_at(now - MINUTE) if is_home and not car.charging.fast else AWAY_PRICE
        month.true_costs[index] = month.true_costs.get(index, 0.0) + more * price
        drawn += more
        if more and is_home:
            month.home_charges.add(index)
        is_used = car.charging.active or car.cabin.on
        month.minutes.append((now, car.driving.in_gear, is_used, car.charging.level))
        watcher.watch(now)
    return month


# Home Assistant


@pytest.fixture
def freezer(freezer: FrozenDateTimeFactory) -> FrozenDateTimeFactory:
    """Freeze the time at a noon in November. Daylight saving time has ended on the first."""
    freezer.move_to(NOON)
    return freezer


@pytest.fixture
async def assistant(home: Home) -> Home:
    position = {"latitude": home.car.home.latitude, "longitude": home.car.home.longitude}
    await home.hass.config.async_update(location_name="Home", currency="EUR", **position)
    assert await async_setup_component(home.hass, "zone", {})
    assert await async_setup_component(home.hass, "homeassistant", {})
    assert await async_setup_component(home.hass, "llm", {})
    home.hass.data[DATA_EXPOSED_ENTITIES].async_set_expose_new_entities(ASSISTANT, expose_new=False)
    await home.idle()
    return home


def _expose(home: Home, *entity_ids: str, is_exposed: bool = True) -> None:
    for entity_id in entity_ids:
        async_expose_entity(home.hass, ASSISTANT, entity_id, is_exposed)


def _expose_all(home: Home) -> None:
    registry = er.async_get(home.hass)
    _expose(home, *(entity.entity_id for entity in registry.entities.values() if entity.platform == DOMAIN))


def _context(user_id: str | None = None) -> llm.LLMContext:
    return llm.LLMContext(
        platform="test",
        context=Context(user_id=user_id),
        language="en",
        assistant=ASSISTANT,
        device_id=None,
    )


async def _tools(home: Home, context: llm.LLMContext | None = None) -> dict[str, llm.Tool]:
    api = await llm.async_get_api(home.hass, llm.LLM_API_ASSIST, context or _context())
    return {tool.name: tool for tool in api.tools if tool.name.startswith(DOMAIN)}


async def _ask(home: Home, tool: str, user_id: str | None = None, **arguments: Any) -> Json:
    """Return a tool's answer as the model gets it. Nothing is requested, and nothing private is answered."""
    requests, states = len(home.simulator.requests), [car.state for car in home.simulator.vehicles]
    context = _context(user_id)
    called = (await _tools(home))[tool]
    result: Any = await called.async_call(home.hass, llm.ToolInput(tool, arguments), context)
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


@pytest.fixture
async def asked(assistant: Home, month: Month) -> Home:
    """A sleeping car with an open charge port, whose log has six weeks."""
    home = assistant
    _expose_all(home)
    await home.poll()
    home.car.sleep()
    await home.advance(180, step=60)
    home.coordinator.log_manager.log = month.log
    return home


LAST_MONTH: Final = {"period": "last_month"}
EVER: Final = {"period": "all"}
ALWAYS: Final = 0.0, NOON.timestamp()
LARGEST: Final = {**EVER, "show": "charges", "order": "largest"}
DAYS: Final = {"start": "2026-10-01", "end": "2026-10-31"}

type Question = tuple[Mapping[str, Any], str, Callable[[Month, Home], Any], float]
"""The arguments of the model's call, where the answer is in the result, the truth, and the tolerance."""

STATUS_QUESTIONS: Final[dict[str, Question]] = {
    "Is it locked?": ({}, "locked", lambda _, home: home.car.body.locked, 0),
    "Is anything open?": ({}, "doors_and_covers.open.0", lambda *_: "charge_port", 0),
    "Is it plugged in?": ({}, "plugged_in", lambda _, home: home.car.charging.plugged, 0),
    "Does it charge?": ({}, "charging", lambda *_: "stopped", 0),
    "How full is the battery?": ({}, "battery_level", lambda _, home: home.car.charging.level, 0.02),
    "How far can it drive?": (
        {}, "range", lambda _, home: home.car.charging.level * MILES_PER_PERCENT * KILOMETERS, 0.02
    ),
    "Does it sleep?": ({}, "state", lambda _, home: home.car.state, 0),
    "Where is it?": ({}, "location", lambda *_: "home", 0),
    "How old is that?": ({}, "minutes_since_update", lambda *_: 3, 0),
    "How warm is it inside?": ({}, "inside_temperature", lambda _, home: home.car.cabin.inside, 0.05),
}  # fmt: skip
LOG_QUESTIONS: Final[dict[str, Question]] = {
    "How far did I drive last month?": (
        LAST_MONTH, "drives.distance", lambda month, _: month.kilometers(*OCTOBER), 0.001
    ),
    "How many drives were that?": (
        LAST_MONTH, "drives.count", lambda month, _: len(month.drives(*OCTOBER)), 0
    ),
    "What did charging cost in October?": (DAYS, "charges.cost", lambda month, _: month.cost(*OCTOBER), 0.01),
    "What did charging away from home cost?": (
        EVER,
        "charges.by_place.elsewhere or unknown.cost",
        lambda month, _: month.cost(*ALWAYS, is_home=False),
        0.03,
    ),
    "How many kWh did I charge at home last month?": (
        LAST_MONTH,
        "charges.by_place.home.energy_added",
        lambda month, _: sum(each.added for each in month.charges(*OCTOBER, is_home=True)),
        0.005,
    ),
    "Which was the longest drive?": (
        EVER,
        "drives.longest.distance",
        lambda month, _: max(each.miles for each in month.drives(*ALWAYS)) * KILOMETERS,
        0.001,
    ),
    # A relative tolerance of 1e-7 is about three minutes.
    "When did the longest drive start?": (
        EVER,
        "drives.longest.start",
        lambda month, _: max(month.drives(*ALWAYS), key=lambda each: each.miles).start,
        1e-7,
    ),
    "When was it last charged?": (
        EVER, "charges.last.end", lambda month, _: month.charges(*ALWAYS)[-1].end, 1e-7
    ),
    "How much did the last charge add?": (
        EVER, "charges.last.energy_added", lambda month, _: month.charges(*ALWAYS)[-1].added, 0.01
    ),
    "How much does it lose when it stands?": (
        EVER, "standby_loss.battery_percent_per_day", lambda month, _: month.loss(*ALWAYS), 0.15
    ),
    "How much energy does it need?": (
        LAST_MONTH, "drives.consumption", lambda month, _: month.consumption(*OCTOBER), 0.03
    ),
    "How far did I drive yesterday?": (
        {"period": "yesterday"},
        "drives.distance",
        lambda month, _: month.kilometers(_at(2026, 11, 3), _at(2026, 11, 4)),
        0.001,
    ),
    "How far did I drive last week?": (
        {"period": "last_week"},
        "drives.distance",
        lambda month, _: month.kilometers(_at(2026, 10, 26), _at(2026, 11, 2)),
        0.001,
    ),
    "Which was the third largest charge?": (
        LARGEST,
        "charges.2.energy_added",
        lambda month, _: sorted(each.added for each in month.charges(*ALWAYS))[-3],
        0.01,
    ),
    "Where did I drive last?": (
        {"show": "drives"},
        "drives.0.to",
        lambda month, _: "home" if month.car.homelink_nearby else "elsewhere or unknown",
        0,
    ),
}  # fmt: skip


def _found(answer: Any, path: str, *, is_number: bool) -> Any:
    """Return what an answer has at a path. `is_number`: without its unit, and times as Unix times."""
    for name in path.split("."):
        answer = answer[int(name) if name.isdecimal() else name]
    if not is_number or not isinstance(answer, str):
        return answer
    if ":" in answer:
        return datetime.fromisoformat(answer).replace(tzinfo=ZONE).timestamp()
    return float(answer.partition(" ")[0])


async def test_questions_are_answered_as_the_simulator_knows_it(asked: Home, month: Month) -> None:
    assert len(STATUS_QUESTIONS) + len(LOG_QUESTIONS) >= 20
    wrong = {}
    for tool, questions in ((STATUS, STATUS_QUESTIONS), (LOG, LOG_QUESTIONS)):
        for question, (arguments, path, get_truth, tolerance) in questions.items():
            (car,) = (await _ask(asked, tool, **arguments))["cars"]
            truth = get_truth(month, asked)
            is_number = not isinstance(truth, str | bool)
            found = _found(car, path, is_number=is_number)
            if found != (pytest.approx(truth, rel=tolerance) if is_number else truth):
                wrong[question] = found, truth
    assert not wrong
    assert asked.car.state == "asleep"


# Who gets an answer, and about what


async def test_read_only_tools_exist_for_assistants_to_which_a_car_is_exposed(assistant: Home) -> None:
    home = assistant
    assert await _tools(home) == {}
    _expose(home, home.entity_id("lock", "vehicle_state.locked"))
    tools = await _tools(home)
    assert set(tools) == {STATUS, LOG}
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


async def test_parameters_can_be_described_to_a_model(assistant: Home) -> None:
    _expose_all(assistant)
    tools = await _tools(assistant)
    # Home Assistant converts with probatio since 2026.9.
    has_probatio = importlib.util.find_spec("probatio") is not None
    module = importlib.import_module("probatio" if has_probatio else "voluptuous_openapi")
    convert = module.to_openapi if has_probatio else module.convert
    described = {
        name: convert(tool.parameters, custom_serializer=llm.selector_serializer)["properties"]
        for name, tool in tools.items()
    }
    assert {name: value["type"] for name, value in described[STATUS].items()} == {"car": "string"}
    assert set(described[LOG]) == {"car", "period", "start", "end", "show", "order"}
    assert described[LOG]["start"]["format"] == "date"
    assert "last_month" in described[LOG]["period"]["enum"]


async def test_status_has_exposed_entities_and_names_the_hidden_ones(assistant: Home) -> None:
    home = assistant
    trunk = home.entity_id("cover", "vehicle_state.rt")
    _expose(home, home.entity_id("lock", "vehicle_state.locked"), trunk)
    home.car.open("rt")
    await home.poll()
    (car,) = (await _ask(home, STATUS))["cars"]
    hidden = car.pop("not_exposed")
    assert car == {
        "car": "Aurora",
        "last_update": "2026-11-04 12:00",
        "minutes_since_update": 0,
        "locked": True,
        "doors_and_covers": {"open": ["trunk"]},
    }
    assert {"location", "battery_level", "frunk", "range"} <= set(hidden)
    _expose(home, trunk, is_exposed=False)
    home.car.unlock()
    await home.poll()
    (car,) = (await _ask(home, STATUS))["cars"]
    assert car["locked"] is False
    assert "doors_and_covers" not in car


async def test_expired_values_are_unknown(assistant: Home) -> None:
    home = assistant
    _expose_all(home)
    home.simulator.faults.answer(500, times=10_000)
    await home.advance(3 * HOUR, step=600)
    (car,) = (await _ask(home, STATUS))["cars"]
    assert car["locked"] is car["battery_level"] is car["location"] is car["charging_ends"] is None
    assert set(car["doors_and_covers"]) == {"unknown"}
    assert car["last_update"] <= "2026-11-04 12:05"
    assert car["minutes_since_update"] >= 175


async def test_age_without_times_of_the_service_is_that_of_the_last_read(assistant: Home) -> None:
    home = assistant
    home.simulator.faults.corrupt("charge_state.timestamp", None)
    er.async_get(home.hass).async_remove(home.entity_id("cover", "vehicle_state.sun_roof_percent_open"))
    _expose_all(home)
    await home.poll()
    (car,) = (await _ask(home, STATUS))["cars"]
    assert (car["last_update"], car["minutes_since_update"]) == ("2026-11-04 12:00", 0)
    assert "sunroof" not in str(car)


async def test_open_charge_is_in_progress(assistant: Home) -> None:
    home = assistant
    _expose_all(home)
    home.car.charging.set_level(40)
    home.car.charging.start()
    await home.poll()
    await home.advance(1800, step=60)
    (status,) = (await _ask(home, STATUS))["cars"]
    assert status["charging"] == "charging"
    assert status["charging_ends"].startswith("2026-11-04 ")
    (log,) = (await _ask(home, LOG))["cars"]
    assert log["in_progress"]["charge"]["energy_added"] > 1
    (log,) = (await _ask(home, LOG, period="yesterday"))["cars"]
    assert "in_progress" not in log


async def test_log_has_places_only_if_the_location_is_exposed(asked: Home) -> None:
    assert "home" in str(await _ask(asked, LOG, period="all"))
    _expose(asked, asked.entity_id("device_tracker", "drive_state"), is_exposed=False)
    for arguments in ({}, {"show": "drives"}, {"show": "charges"}):
        text = str(await _ask(asked, LOG, period="all", **arguments))
        assert "home" not in text
        assert "elsewhere" not in text


@pytest.mark.parametrize("cars", [2])
async def test_answer_has_all_exposed_cars_or_the_one_with_this_name(assistant: Home) -> None:
    home = assistant
    first, second = (car.vin for car in home.simulator.vehicles)
    _expose(home, home.entity_id("lock", "vehicle_state.locked", first))
    assert [car["car"] for car in (await _ask(home, STATUS))["cars"]] == ["Aurora"]
    assert "These cars exist: Aurora" in (await _ask(home, STATUS, car="Noordster"))["error"]
    _expose(home, home.entity_id("lock", "vehicle_state.locked", second))
    assert [car["car"] for car in (await _ask(home, STATUS))["cars"]] == ["Aurora", "Noordster"]
    assert [car["car"] for car in (await _ask(home, LOG, car=" noordster"))["cars"]] == ["Noordster"]
    assert (await _ask(home, LOG, car="KITT"))["error"] == (
        "There is no car named KITT. These cars exist: Aurora, Noordster"
    )
    dr.async_get(home.hass).async_update_device(home.device.id, name_by_user="Family car")
    assert [car["car"] for car in (await _ask(home, LOG, car="family car"))["cars"]] == ["Family car"]


async def test_user_needs_permission_for_all_entities_of_the_car(assistant: Home) -> None:
    home = assistant
    _expose_all(home)
    await home.hass.auth.async_create_user("Owner", group_ids=[GROUP_ID_ADMIN])
    reader = await home.hass.auth.async_create_user("Reader", group_ids=[GROUP_ID_READ_ONLY])
    guest = await home.hass.auth.async_create_user("Guest")
    guest.perm_lookup = PermissionLookup(er.async_get(home.hass), dr.async_get(home.hass))
    guest.groups = [Group(name="Limited", policy={"entities": {"domains": {"lock": True}}})]
    guest.invalidate_cache()
    for tool in (STATUS, LOG):
        assert "cars" in await _ask(home, tool, reader.id)
        for user in (guest.id, "deleted"):
            assert (await _ask(home, tool, user))["error"].startswith("No car is exposed")


async def test_invalid_arguments_are_answered_with_what_is_valid(assistant: Home) -> None:
    home = assistant
    _expose_all(home)
    for arguments, words in (
        ({"period": "last_decade"}, "last_month"),
        ({"start": "yesterday"}, "start"),
        ({"start": "2026-10-02", "end": "2026-10-01"}, "start must not be after end"),
        ({"start": "2026-1-5"}, "must be dates such as 2026-10-31"),
        ({"end": "2026-10-01"}, "Use either period, or start and end"),
        ({"period": "today", "start": "2026-10-01"}, "Use either period, or start and end"),
        ({"show": "stays"}, "drives"),
        ({"bogus": 1}, "bogus"),
    ):
        assert words in (await _ask(home, LOG, **arguments))["error"], arguments
    assert (await _ask(home, LOG, period="", car=None, start=""))["period"] == "2026-11-01 to 2026-11-04"
    future = await _ask(home, LOG, start="2026-11-01", end="9999-12-31")
    assert future["period"] == "2026-11-01 to 2027-11-05"


@pytest.mark.parametrize(
    ("period", "days"),
    [
        ("today", "2026-11-04 to 2026-11-04"),
        ("yesterday", "2026-11-03 to 2026-11-03"),
        ("this_week", "2026-11-02 to 2026-11-04"),
        ("last_week", "2026-10-26 to 2026-11-01"),
        ("this_month", "2026-11-01 to 2026-11-04"),
        ("last_month", "2026-10-01 to 2026-10-31"),
        ("this_year", "2026-01-01 to 2026-11-04"),
        ("last_year", "2025-01-01 to 2025-12-31"),
        ("all", "all"),
    ],
)
async def test_period_has_these_days(assistant: Home, period: str, days: str) -> None:
    _expose_all(assistant)
    assert (await _ask(assistant, LOG, period=period))["period"] == days


async def test_empty_log_has_no_entries_and_everything_else_is_unknown(assistant: Home) -> None:
    _expose_all(assistant)
    assert await _ask(assistant, LOG) == {
        "period": "2026-11-01 to 2026-11-04",
        "units": {"distance": "km", "energy": "kWh", "consumption": "kWh/100 km", "cost": "EUR"},
        "cars": [
            {
                "car": "Aurora",
                "log_since": None,
                "drives": {
                    "count": 0,
                    "distance": 0,
                    "energy": 0,
                    "consumption": None,
                    "longest": None,
                    "last": None,
                },
                "charges": {"count": 0, "energy_added": 0, "cost": None, "last": None, "by_place": {}},
                "standby_loss": None,
            }
        ],
    }


async def test_unknown_values_are_counted_and_no_note_is_answered(assistant: Home) -> None:
    home = assistant
    _expose_all(home)
    at = _at(2026, 11, 2)
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    log = home.coordinator.log
    log.drives = [
        Drive(f"drive-{index}", at + index, at + index + 1, start_odometer=10.0, end_odometer=20.0,
              start_earliest=at if index else None, tag="business" if index else None, note="secret",
              start_latitude=home.car.home.latitude, start_longitude=home.car.home.longitude)
        for index in range(25)
    ]  # fmt: skip
    log.charges = [
        Charge("charge-1", at, at + 9, cost=5.0, currency="EUR", note="secret"),
        Charge("charge-2", at, at + 9, cost=5.0, currency="DKK", latitude=home.car.home.latitude),
    ]
    answer = await _ask(home, LOG)
    assert answer["units"]["consumption"] == "mi/kWh"
    (car,) = answer["cars"]
    drives, charges = car["drives"], car["charges"]
    assert (drives["energy"], drives["drives_without_energy"]) == (None, 25)
    assert drives["distance_by_tag"] == {"business": 240}
    assert drives["longest"].get("times") is None
    assert drives["last"]["times"] == "approximate"
    assert (charges["cost"], charges["other_costs"], charges["last"]["cost"]) == (5, {"DKK": 5}, None)
    listed = await _ask(home, LOG, show="drives")
    assert (len(listed["cars"][0]["drives"]), listed["cars"][0]["left_out"]) == (20, 5)
    assert "secret" not in str(answer) + str(listed)


async def test_answers_are_short(asked: Home) -> None:
    for tool, arguments, longest in (
        (STATUS, {}, 900),
        (LOG, EVER, 1300),
        (LOG, {**EVER, "show": "drives"}, 3500),
    ):
        assert len(json.dumps(await _ask(asked, tool, **arguments))) < longest, arguments
