"""The cost of a refresh: it writes only changed states, and uses no thread."""

from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED, STATE_UNAVAILABLE
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState, DriveState
from custom_components.vehicle_remote_access.polling.modes import Mode
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle as Car
from custom_components.vehicle_remote_access.simulator.faults.faults import DroppedResponse
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record

from ..api.raw_records import found_in
from ..conftest import LIST, READ, Home
from ..field_places import another
from ..lively_car import MODE_FIELDS, lively, with_values

type Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")

TWO_CARS: Final = pytest.mark.parametrize("cars", [2])
MODE: Final = ("sensor", "polling_mode")

# These differ in every answer.
TIMESTAMPS: Final = (*(field for field in FIELDS if field.name == "timestamp"), DriveState.gps_as_of)
READ_SENSORS: Final = (
    "state",  # its attribute is the time of the data
    ChargeState.timestamp.path,
    DriveState.gps_as_of.path,
    "next_read",
    "asleep_today",
)
"""A car's sensors that may change with every read."""


class Writes(NamedTuple):
    """The entities that wrote their states, in order."""

    changed: list[str]
    unchanged: list[str]
    """The entities that wrote the same state again."""

    @property
    def all(self) -> list[str]:
        return self.changed + self.unchanged

    def clear(self) -> None:
        self.changed.clear()
        self.unchanged.clear()


@callback
def _record(entities: list[str], event: Event[Any]) -> None:
    entities.append(event.data["entity_id"])


@pytest.fixture
def writes(hass: HomeAssistant) -> Writes:
    writes = Writes([], [])
    hass.bus.async_listen(EVENT_STATE_CHANGED, partial(_record, writes.changed))
    unfiltered = callback(lambda _data: True)
    hass.bus.async_listen(EVENT_STATE_REPORTED, partial(_record, writes.unchanged), unfiltered)
    return writes


def _serve(home: Home, answers: Mapping[Car, Json]) -> None:
    """Let each car answer live reads with this, and with the current time."""
    moment = int(dt_util.utcnow().timestamp() * 1000)
    for car, answer in answers.items():
        current = with_values(answer, dict.fromkeys((field.path for field in TIMESTAMPS), moment))
        home.simulator.faults.serve("GET", f"/api/1/vehicles/{car.id}/vehicle_data", {"response": current})


async def _poll_answers(home: Home, answers: Mapping[Car, Json]) -> None:
    """Read the cars, which answer with this."""
    # A record that is not newer than the last one would be stale.
    home.skip(10)
    _serve(home, answers)
    await home.poll()


def _requests_today(home: Home) -> str:
    return home.entity_id("sensor", "requests_today", home.entry.entry_id)


def _read_sensors(home: Home) -> set[str]:
    """Return the sensors that may change with every read."""
    vins = [car.vin for car in home.simulator.vehicles]
    of_cars = {home.entity_id("sensor", path, vin) for path in READ_SENSORS for vin in vins}
    return {*of_cars, _requests_today(home)}


@TWO_CARS
@pytest.mark.parametrize(("mode", "answer_of"), [(Mode.WATCHING, full_record), (Mode.CHARGING, lively)])
async def test_unchanged_answer_writes_nothing(
    mode: Mode, answer_of: Callable[[Car], Json], home: Home, writes: Writes
) -> None:
    """An answer in which only the times changed writes only sensors about the read, and uses no thread.

    Answers are small, so a thread costs more than parsing them.
    """
    same = {car: answer_of(car) for car in home.simulator.vehicles}
    await _poll_answers(home, same)
    assert home.shown(*MODE).state == mode
    home.skip(30)
    _serve(home, same)
    writes.clear()
    home.simulator.requests.clear()
    with patch.object(ThreadPoolExecutor, "submit", autospec=True) as submit:
        await home.advance(35)
    assert not submit.call_args_list
    assert len(home.requests(READ)) == len(same)
    assert home.entity_id("sensor", ChargeState.timestamp.path) in writes.changed
    assert writes.all.count(_requests_today(home)) == 1
    assert not set(writes.all) - _read_sensors(home)


@TWO_CARS
async def test_cars_that_sleep_write_only_sensors_about_requests(home: Home, writes: Writes) -> None:
    for car in home.simulator.vehicles:
        car.fall_asleep()
    await home.advance(65)
    assert home.shown(*MODE).state == Mode.ASLEEP
    writes.clear()
    assert await home.requests_during(60) == [LIST]
    assert writes.all.count(_requests_today(home)) == 1
    assert not set(writes.all) - _read_sensors(home)


async def test_each_changed_state_is_written_once_and_no_unchanged_one(home: Home, writes: Writes) -> None:
    answer = lively(home.car)
    await _poll_answers(home, {home.car: answer})
    hidden = [field for field in FIELDS if field.retired or field.fleet_only]
    shown = [field for field in FIELDS if field.shown_as is not None and field not in hidden]
    fields = [field for field in shown if field not in MODE_FIELDS]
    values = {field.path: another(field.path, found_in(answer, field.path)) for field in fields}
    changed = with_values(answer, values)
    writes.clear()
    await _poll_answers(home, {home.car: changed})
    assert len(writes.changed) > len(fields)
    # One drive may end, and another start.
    once = [entity_id for entity_id in writes.changed if not entity_id.startswith("event.")]
    assert len(set(once)) == len(once)
    assert not set(writes.unchanged) - _read_sensors(home)


@pytest.mark.parametrize("cars", [3])
async def test_loss_and_return_of_three_cars_write_each_state_once(home: Home, writes: Writes) -> None:
    for car in home.simulator.vehicles:
        # A car with sentry mode does not fall asleep.
        car.sentry(on=True)
    answers = {car: full_record(car) for car in home.simulator.vehicles}
    await _poll_answers(home, answers)
    before = home.states()
    account = home.entry.entry_id
    reachable = home.entity_id("binary_sensor", "service_reachable", account)
    left = {home.entity_id("sensor", f"{key}_left", account) for key in ("requests", "live_reads")}
    of_cars = before.keys() - {reachable, _requests_today(home), *left, *home.lasting_entities()}
    # Each retry may change the mode, and so may the same answer again.
    modes = {home.entity_id(*MODE, car.vin) for car in home.simulator.vehicles}
    may_repeat = _read_sensors(home) | modes

    async def advance(seconds: float) -> None:
        writes.clear()
        await home.advance(seconds, step=60)
        written = Counter(writes.changed)
        assert {written[entity_id] for entity_id in {reachable, *of_cars} - may_repeat} == {1}
        assert not set(writes.unchanged) - may_repeat

    fault = home.simulator.faults.inject(DroppedResponse(how="close"), times=10_000)
    await advance(20 * 60)
    lost_states = home.states()
    assert {lost_states[entity_id] for entity_id in of_cars} == {STATE_UNAVAILABLE}
    home.simulator.faults.withdraw(fault)
    await advance(15 * 60)
    changed = {entity_id for entity_id, state in home.states().items() if state != before[entity_id]}
    assert not changed - may_repeat
