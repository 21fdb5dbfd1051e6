"""The stored state of the cars, and how they continue after a restart."""

from functools import reduce
import json
from operator import getitem
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.simulator import Clock, ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record
from simulator_console.fast_clock import FastClock
from simulator_console.services import SimulatedService

from .conftest import send, shown


def _state(car: SimulatedVehicle) -> dict[str, Any]:
    car.catch_up()
    record = full_record(car)
    # The tokens are new after each restart.
    del record["tokens"]
    return record


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(minutes=st.integers(0, 20 * 24 * 60), more=st.integers(0, 3 * 24 * 60))
def test_cars_continue_after_a_restart(minutes: int, more: int) -> None:
    clock = ManualClock(1_777_860_000.0)
    simulator = Simulator(vehicles=2, clock=clock, routine=True)
    clock.advance(minutes * 60)
    before = [_state(car) for car in simulator.vehicles]
    later = ManualClock(clock.now())
    stored = json.loads(json.dumps(simulator.as_json(), allow_nan=False))
    restarted = Simulator(vehicles=2, clock=later, routine=True, stored=stored)
    assert [_state(car) for car in restarted.vehicles] == before
    clock.advance(more * 60)
    later.advance(more * 60)
    for one, other in zip(simulator.vehicles, restarted.vehicles, strict=True):
        states = _state(one), _state(other)
        for state in states:
            # The heading after parking is random.
            del state["drive_state"]["heading"]
        assert states[0] == states[1]


def _common(stored: Any, earlier: Any) -> Any:
    """Return the part of a stored state whose keys an earlier one has."""
    if not isinstance(earlier, dict):
        return stored
    return {name: _common(stored[name], value) for name, value in earlier.items()}


def test_state_of_an_earlier_version_is_restored() -> None:
    """Everything is stored, with the keys of the first version. What is newer is as in a new car."""
    earlier = json.loads((Path(__file__).parent / "stored_state.json").read_text())
    clock = ManualClock(earlier["clock"]["until"])
    simulator = Simulator(vehicles=3, clock=clock, routine=True, stored=earlier)
    stored = json.loads(json.dumps(simulator.as_json()["vehicles"]))
    for state in earlier["vehicles"].values():
        # Charging reached its full power gradually.
        del state["charging"]["flowing_since"]
    assert _common(stored, earlier["vehicles"]) == earlier["vehicles"]
    assert simulator.clock.speed == 1
    for state in stored.values():
        assert state["charging"]["requested_current"] is None


@given(laps=st.lists(st.tuples(st.integers(1, 600), st.integers(-3600, 3600)), min_size=1, max_size=200))
@example(laps=[(speed, 1) for speed in range(1, 501)])
@settings(deadline=None, derandomize=True)
def test_clock_of_any_speed(laps: list[tuple[int, int]]) -> None:
    """A clock passes as many seconds as its speed says, is never set back, and continues after a restart."""
    start = 1000.0
    moment = [start]
    clock = FastClock(time=lambda: moment[0])
    expected = start
    for speed, seconds in laps:
        clock.speed = speed
        assert (clock.now(), clock.speed) == (expected, speed)
        moment[0] += seconds
        expected += speed * max(0, seconds)
    assert clock.now() == expected
    assert clock.real(expected) == moment[0]
    assert clock.real(expected + 30) == pytest.approx(moment[0] + 30 / speed)
    if seconds > 0:
        # A past moment keeps its wall clock time.
        assert clock.real(expected - speed) == pytest.approx(moment[0] - 1)
    restarted = Clock(time=lambda: moment[0])
    restarted.restore(clock.as_json())
    assert (restarted.now(), restarted.speed) == (expected, 1)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("clock", {"laps": [], "until": 0}),
        ("clock", {"laps": [[1, 1, float("inf")]], "until": 0}),
        ("vehicles.VIN.charging.scheduled_start", "soon"),
        ("vehicles.VIN.timeline.now", 1e300),
        ("vehicles.VIN.driving.point", None),
    ],
)
def test_invalid_state(path: str, value: Any, caplog: pytest.LogCaptureFixture) -> None:
    """New cars start from the beginning, and all cars if any part of the state is invalid."""
    clock = ManualClock()
    simulator = Simulator(vehicles=2, clock=clock, routine=True)
    simulator.vehicles[0].set_level(33)
    stored = simulator.as_json()
    *parents, name = path.replace("VIN", simulator.vehicles[1].vin).split(".")
    for levels in ([33, 54, 90], [72, 54, 90]):
        restarted = Simulator(vehicles=3, clock=clock, routine=True, stored=stored)
        assert [car.charging.level for car in restarted.vehicles] == levels
        assert ("The stored state of the simulated cars can't be read" in caplog.text) is (levels[0] == 72)
        reduce(getitem, parents, stored)[name] = value


def test_car_has_a_pin_after_a_restart_that_it_does_not_know_and_accepts_any() -> None:
    car = SimulatedService().vehicles[0]
    assert not send(car, "set_valet_mode", on="true", password="7391")
    assert not send(car, "speed_limit_activate", pin="8462")
    stored = json.dumps(car.as_json())
    # Only complete strings: a longer number can contain the digits by chance.
    assert '"7391"' not in stored
    assert '"8462"' not in stored
    car.restore(json.loads(stored))
    assert shown(car, "vehicle_state.speed_limit_mode.pin_code_set") is True
    assert not send(car, "speed_limit_deactivate", pin="8462")
    assert not send(car, "set_valet_mode", on="false", password="7391")
