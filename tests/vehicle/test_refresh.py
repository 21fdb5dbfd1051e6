"""What a refresh costs: what is new is written where it is shown, and nothing else is touched."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import reduce
from itertools import chain
from typing import Any, Final
from unittest.mock import patch

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED, STATE_UNAVAILABLE
from homeassistant.core import (
    Event,
    EventStateChangedData,
    EventStateReportedData,
    HomeAssistant,
    callback,
)
from homeassistant.util import dt as dt_util
import orjson
import pytest

from custom_components.vehicle_remote_access.api import response as api_answer
from custom_components.vehicle_remote_access.api.fields import NOWHERE, Field
from custom_components.vehicle_remote_access.api.records import (
    FIELDS,
    ChargeState,
    DriveState,
    Vehicle,
    VehicleState,
)
from custom_components.vehicle_remote_access.api.value_types import KILOWATT_HOURS, MILES_ADDED
from custom_components.vehicle_remote_access.polling.policy import Mode
from custom_components.vehicle_remote_access.simulator import Vehicle as Car
from custom_components.vehicle_remote_access.simulator.faults.faults import Loss
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full

from ..api.test_records import RECORDS, found_in, spoiled
from ..conftest import Home
from ..test_broken_fields import lively
from ..test_every_field import another

type Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")

ONE_OR_TWO_CARS: Final = pytest.mark.parametrize("cars", [1, 2])
BATTERY: Final = ("sensor", ChargeState.battery_level.path)
MODE: Final = ("sensor", "polling_mode")

# What every answer has anew, whatever else it says
TIMES: Final = (*(field for field in FIELDS if field.name == "timestamp"), DriveState.gps_as_of)
ABOUT_READING: Final = (ChargeState.timestamp.path, DriveState.gps_as_of.path, "next_read", "asleep_today")
"""What the sensors of a car show that tell of its reading, and not of the car."""
ABOUT_THE_CAR: Final = {
    Vehicle.state,
    Vehicle.in_service,
    ChargeState.charging_state,
    DriveState.shift_state,
}
"""What tells how to read the car."""
OF_A_SESSION: Final = {
    field for field in FIELDS if field.kind in (KILOWATT_HOURS, MILES_ADDED) and field.place is not NOWHERE
}
"""What is counted anew with each session. That one has begun is believed a read later."""

# As many states as may be written before others in the loop have their turn
A_SLICE: Final = 64
# And as many requests sent
A_FEW: Final = 5


def _set_off(car: Car) -> None:
    if car.charging.plugged:
        car.unplug()
    car.drive(miles=50)


def _charge(car: Car) -> None:
    if car.charging.plugged:
        car.unplug()
    car.set_level(30)
    car.plug_in()


DOINGS: Final[Mapping[Mode, Callable[[Car], None]]] = {
    Mode.SETTLING: Car.catch_up,
    Mode.DRIVING: _set_off,
    Mode.CHARGING: _charge,
}


class Writes:
    """Which entities have written their states, in order."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Take note from now on."""
        self.new: list[str] = []
        """Those that showed something new."""
        self.same: list[str] = []
        """Those that showed once more what they had shown."""
        hass.bus.async_listen(EVENT_STATE_CHANGED, self._changed)
        hass.bus.async_listen(EVENT_STATE_REPORTED, self._reported, self._is_any)

    @property
    def count(self) -> int:
        """How often any state was written."""
        return len(self.new) + len(self.same)

    @property
    def all(self) -> list[str]:
        """Those that showed anything."""
        return self.new + self.same

    def forget(self) -> None:
        """Begin anew."""
        self.new.clear()
        self.same.clear()

    @callback
    def _changed(self, event: Event[EventStateChangedData]) -> None:
        self.new.append(event.data["entity_id"])

    @callback
    def _reported(self, event: Event[EventStateReportedData]) -> None:
        self.same.append(event.data["entity_id"])

    @callback
    def _is_any(self, _data: EventStateReportedData) -> bool:
        return True


@pytest.fixture
def writes(hass: HomeAssistant) -> Writes:
    """What is written."""
    return Writes(hass)


def _as_of_now(answer: Json) -> Json:
    moment = int(dt_util.utcnow().timestamp() * 1000)
    return reduce(lambda said, field: spoiled(said, field.path, moment), TIMES, answer)


def _answer(home: Home, answers: Mapping[Car, Json]) -> None:
    """Let each car answer this when it is read, as of now."""
    for car, answer in answers.items():
        path = f"/api/1/vehicles/{car.id}/vehicle_data"
        home.simulator.faults.serve("GET", path, {"response": _as_of_now(answer)})


async def _say(home: Home, freezer: FrozenDateTimeFactory, answers: Mapping[Car, Json]) -> None:
    """Read the cars, which answer this."""
    # A car that takes back what it has said of a later time would not be believed.
    freezer.tick(10)
    _answer(home, answers)
    await home.poll()


def _requests_today(home: Home) -> str:
    return home.entity_id("sensor", "requests_today", home.entry.entry_id)


def _reachable(home: Home) -> str:
    return home.entity_id("binary_sensor", "service_reachable", home.entry.entry_id)


def _about_reading(home: Home) -> set[str]:
    """Return the sensors that tell of the reading itself: they may have something new after each."""
    vins = [car.vin for car in home.simulator.vehicles]
    of_cars = {home.entity_id("sensor", path, vin) for path in ABOUT_READING for vin in vins}
    return {*of_cars, _requests_today(home)}


# Nothing new


@ONE_OR_TWO_CARS
@pytest.mark.parametrize("mode", DOINGS)
async def test_same_again_writes_nothing(
    mode: Mode, home: Home, freezer: FrozenDateTimeFactory, writes: Writes
) -> None:
    """An answer in which only the times are new writes nothing but what tells of the reading."""
    for car in home.simulator.vehicles:
        DOINGS[mode](car)
    same = {car: full(car, Variant.CURRENT) for car in home.simulator.vehicles}
    await _say(home, freezer, same)
    assert home.shown(*MODE).state == mode
    freezer.tick(30)
    _answer(home, same)
    writes.forget()
    home.simulator.requests.clear()
    await home.advance(35)
    assert len(home.requests("/vehicle_data")) == len(same)
    assert home.entity_id("sensor", ChargeState.timestamp.path) in writes.new
    assert not set(writes.all) - _about_reading(home)


@ONE_OR_TWO_CARS
async def test_sleep_writes_nothing(home: Home, writes: Writes) -> None:
    """While the cars sleep, the request that tells so writes nothing but what tells of the asking."""
    for car in home.simulator.vehicles:
        car.fall_asleep()
    await home.advance(65)
    assert home.shown(*MODE).state == Mode.ASLEEP
    writes.forget()
    home.simulator.requests.clear()
    await home.advance(60)
    assert home.requests() == ["/api/1/vehicles"]
    assert _requests_today(home) in writes.new
    assert not set(writes.all) - _about_reading(home)


@ONE_OR_TWO_CARS
async def test_requests_are_counted_once_a_refresh(home: Home, writes: Writes) -> None:
    """However many cars are asked in a refresh, the count of requests is written once."""
    await home.advance(65)
    writes.forget()
    await home.advance(60)
    assert writes.all.count(_requests_today(home)) == 1


async def test_reachability_is_written_when_it_changes(home: Home, writes: Writes) -> None:
    """Whether the service answers is written when that has changed, however often it is asked."""
    lost = home.simulator.faults.tell(Loss(how="reset"), times=1000)
    await home.advance(300)
    assert home.shown("binary_sensor", "service_reachable", home.entry.entry_id).state == "off"
    home.simulator.faults.take_back(lost)
    await home.advance(300)
    assert home.shown("binary_sensor", "service_reachable", home.entry.entry_id).state == "on"
    assert writes.all.count(_reachable(home)) == 2


# Something new


@pytest.mark.parametrize("record", ["", *RECORDS], ids=lambda record: record or "vehicle")
async def test_field_touches_only_those_that_show_it(
    record: str, home: Home, freezer: FrozenDateTimeFactory, writes: Writes
) -> None:
    """A field that gets another value, and its old one back, writes only those that show it."""
    whole, stray = lively(home.car), {}
    await _say(home, freezer, {home.car: whole})
    for field in (each for each in FIELDS if each.path.rpartition(".")[0] == record):
        writes.forget()
        changed = spoiled(whole, field.path, another(field.path, found_in(whole, field.path)))
        await _say(home, freezer, {home.car: changed})
        await _say(home, freezer, {home.car: whole})
        if found := set(writes.all) - _may_write(home, field):
            stray[field.path] = found
    assert not stray, stray


def _may_write(home: Home, field: Field[Any]) -> set[str]:
    """Return what may be written if a field changes."""
    # All of a car bears its name: Home Assistant itself writes it anew.
    of_the_name = home.states() if field is VehicleState.vehicle_name else ()
    of_the_plan = {home.entity_id(*MODE)} if field in ABOUT_THE_CAR else ()
    of_the_session = OF_A_SESSION if field in OF_A_SESSION else ()
    fields = {field, *of_the_session}
    return {*chain(*map(home.shown_by, fields)), *of_the_plan, *of_the_name, *_about_reading(home)}


async def test_only_new_states_are_written(
    home: Home, freezer: FrozenDateTimeFactory, writes: Writes
) -> None:
    """When much is new at once, each state that is new is written once, and none that stays as it is."""
    whole = lively(home.car)
    await _say(home, freezer, {home.car: whole})
    news = [field for field in FIELDS if field.place is not NOWHERE and field not in ABOUT_THE_CAR]
    changed = reduce(
        lambda said, field: spoiled(said, field.path, another(field.path, found_in(said, field.path))),
        news,
        whole,
    )
    writes.forget()
    await _say(home, freezer, {home.car: changed})
    assert len(writes.new) > len(news)
    assert len(set(writes.new)) == len(writes.new)
    assert not set(writes.same) - _about_reading(home)


async def test_one_that_fails_takes_nobody_along(
    home: Home, freezer: FrozenDateTimeFactory, caplog: pytest.LogCaptureFixture
) -> None:
    """What goes wrong in one entity is logged with the name of its car, and all others show what is new."""
    whole = lively(home.car)
    await _say(home, freezer, {home.car: whole})
    shown = home.shown(*BATTERY).state

    @callback
    def fail() -> None:
        raise RuntimeError

    home.coordinator.listen({ChargeState.timestamp}, fail)
    await _say(home, freezer, {home.car: spoiled(whole, ChargeState.battery_level.path, 41)})
    assert home.shown(*BATTERY).state == "41" != shown
    assert f"An entity of {home.coordinator.name} could not take what is new" in caplog.text


@pytest.mark.parametrize(("first", "then", "shown"), [(1, True, "unknown"), (True, 1, "1")])
async def test_value_of_another_type_is_new(
    first: Any, then: Any, shown: str, home: Home, freezer: FrozenDateTimeFactory
) -> None:
    """A value that is equal to the last one and of another type is another value, with another meaning."""
    for value in (first, then):
        answer = spoiled(full(home.car, Variant.CURRENT), ChargeState.battery_level.path, value)
        await _say(home, freezer, {home.car: answer})
    assert home.shown(*BATTERY).state == shown


# What it takes


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, None),
        (200, {"response": None, "error": "timeout"}),
        (408, {"response": None, "error": 'vehicle unavailable: {:error=>"vehicle unavailable:"}'}),
        (429, {"response": None, "error": "too many requests"}),
        (500, {"response": None, "error": "internal"}),
    ],
    ids=["well", "error", "asleep", "too many", "failure"],
)
async def test_answer_is_parsed_once(status: int, body: Any, home: Home) -> None:
    """Each answer is parsed once, also one whose words tell what went wrong."""
    if body is not None:
        home.simulator.faults.answer(status, body=body, only="/vehicle_data")
    home.simulator.requests.clear()
    with patch.object(api_answer, "orjson", wraps=orjson) as parser:
        await home.poll()
    assert home.requests("/vehicle_data")
    assert parser.loads.call_count == len(home.requests())


@ONE_OR_TWO_CARS
async def test_refresh_uses_no_thread(home: Home) -> None:
    """A refresh does all its work where it is: what is parsed is small, and a thread costs more."""
    await home.advance(65)
    home.simulator.requests.clear()
    with patch.object(ThreadPoolExecutor, "submit", autospec=True) as submit:
        await home.advance(60)
    assert len(home.requests("/vehicle_data")) == len(home.simulator.vehicles)
    assert not submit.call_args_list


# Others in the loop


@contextmanager
def _turns(hass: HomeAssistant, count: Callable[[], int]) -> Iterator[list[int]]:
    """Take turns in the loop, and yield by how much the count grew from each turn to the next."""
    turns: list[int] = []
    seen, is_over = count(), False

    def take_turn() -> None:
        nonlocal seen
        if (counted := count()) > seen:
            turns.append(counted - seen)
            seen = counted
        if not is_over:
            hass.loop.call_soon(take_turn)

    take_turn()
    try:
        yield turns
    finally:
        is_over = True


@pytest.mark.parametrize("cars", [10])
async def test_others_have_their_turn(home: Home, freezer: FrozenDateTimeFactory, writes: Writes) -> None:
    """When all of ten cars is lost, and when it is back, others in the loop have their turn in between.

    Nor are all of them asked at once.
    """
    for car in home.simulator.vehicles:
        # So that none falls asleep meanwhile.
        car.sentry(on=True)
    await _say(home, freezer, {car: full(car, Variant.CURRENT) for car in home.simulator.vehicles})
    before = home.states()
    of_cars = before.keys() - {_reachable(home), _requests_today(home)}
    client = home.coordinator.connection.client
    with (
        _turns(home.hass, lambda: writes.count) as written,
        _turns(home.hass, lambda: client.requests) as asked,
    ):
        lost = home.simulator.faults.tell(Loss(how="close"), times=10_000)
        await home.advance(20 * 60, step=30)
        lost_states = home.states()
        home.simulator.faults.take_back(lost)
        await home.advance(15 * 60, step=30)
    assert {lost_states[entity_id] for entity_id in of_cars} == {STATE_UNAVAILABLE}
    changed = {entity_id for entity_id, state in home.states().items() if state != before[entity_id]}
    assert not changed - _about_reading(home)
    assert max(written) <= A_SLICE
    assert max(asked) <= A_FEW


async def test_who_asked_goes_on_when_all_is_shown(home: Home) -> None:
    """An action that ends a long silence ends itself when every entity of the car has its state again."""
    home.car.sentry(on=True)
    await home.advance(65)
    lost = home.simulator.faults.tell(Loss(how="close"), times=10_000)
    await home.advance(20 * 60, step=30)
    of_car = home.states().keys() - {_reachable(home), _requests_today(home)}
    assert {home.states()[entity_id] for entity_id in of_car} == {STATE_UNAVAILABLE}
    home.simulator.faults.take_back(lost)
    await home.act("get_vehicle_data")
    assert STATE_UNAVAILABLE not in {home.states()[entity_id] for entity_id in of_car}
