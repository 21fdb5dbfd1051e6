"""The stored state of the cars, and how they continue after a restart."""

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.simulator import Clock, ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record

DAY = 86_400.0


def _restarted(simulator: Simulator, clock: ManualClock) -> Simulator:
    """Return the service after a restart."""
    stored = json.loads(json.dumps(simulator.as_json(), allow_nan=False))
    return Simulator(vehicles=len(simulator.vehicles), clock=clock, routine=True, stored=stored)


def _state(car: SimulatedVehicle) -> dict[str, Any]:
    car.catch_up()
    record = full_record(car, Variant.CURRENT)
    # The tokens are new after each restart.
    del record["tokens"]
    return {**record, "horn": car.body.horn, "has_valet_pin": car.body.valet.pin is not None}


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(minutes=st.integers(0, 20 * 24 * 60), more=st.integers(0, 3 * 24 * 60))
def test_cars_continue(minutes: int, more: int) -> None:
    """At any time, a restart changes neither the cars' state nor what happens to them later."""
    clock = ManualClock(1_777_860_000.0)
    simulator = Simulator(vehicles=2, clock=clock, routine=True)
    clock.advance(minutes * 60)
    before = [_state(car) for car in simulator.vehicles]
    later = ManualClock(clock.now())
    restarted = _restarted(simulator, later)
    assert [_state(car) for car in restarted.vehicles] == before
    clock.advance(more * 60)
    later.advance(more * 60)
    for one, other in zip(simulator.vehicles, restarted.vehicles, strict=True):
        assert _without_heading(_state(one)) == _without_heading(_state(other))


def _without_heading(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state without the random heading after parking."""
    return {**state, "drive_state": {**state["drive_state"], "heading": None}}


def test_everything_is_stored() -> None:
    """All effects of controls and commands are stored."""
    clock = ManualClock()
    simulator = Simulator(clock=clock)
    car = simulator.vehicles[0]
    car.unplug()
    car.schedule_charging(4)
    car.plug_in(fast=True)
    car.power_supply(on=False)
    car.set_level(37.5)
    car.charging.set_limit(77)
    car.open("rt")
    car.sentry(on=True)
    car.climate_keeper("dog")
    car.heat_seat("rear_left", 2)
    car.set_temperatures(inside=31, outside=-4)
    car.mobile_access(on=False)
    car.body.valet.on, car.body.valet.pin = True, "1234"
    car.body.speed_limit.limit = 66.0
    car.body.horn = 3
    car.offer_update()
    car.body.roof.move(40)
    car.screen.gui_temperature_units = "C"
    clock.advance(2)
    before = _state(car)
    stored = json.loads(json.dumps(simulator.as_json(), allow_nan=False))
    assert _state(Simulator(clock=ManualClock(clock.now()), stored=stored).vehicles[0]) == before


def test_state_of_an_earlier_version_is_restored() -> None:
    """The keys of the stored state have not changed since the first version."""
    earlier = json.loads((Path(__file__).parent / "stored_state.json").read_text())
    clock = ManualClock(earlier["clock"]["until"])
    simulator = Simulator(vehicles=3, clock=clock, routine=True, stored=earlier)
    assert json.loads(json.dumps(simulator.as_json()["vehicles"])) == earlier["vehicles"]
    assert simulator.clock.speed == 60


def test_drive_continues() -> None:
    """A car that drives at the end of a run has arrived at the start of the next run, an hour later."""
    clock = ManualClock()
    simulator = Simulator(clock=clock)
    car = simulator.vehicles[0]
    car.unplug()
    start = car.driving.odometer
    car.drive(30)
    clock.advance(600)
    car.catch_up()
    stored = json.loads(json.dumps(simulator.as_json()))
    restarted = Simulator(clock=ManualClock(clock.now() + 3600), stored=stored).vehicles[0]
    state = _state(restarted)
    assert state["drive_state"]["shift_state"] is None
    assert state["vehicle_state"]["odometer"] == pytest.approx(start + 30, abs=1e-3)


def test_car_without_stored_state() -> None:
    """A car without a stored state starts from the beginning. The others continue."""
    clock = ManualClock()
    simulator = Simulator(clock=clock)
    simulator.vehicles[0].set_level(11)
    stored = simulator.as_json()
    levels = [car.charging.level for car in Simulator(vehicles=2, clock=clock, stored=stored).vehicles]
    assert levels == [11, 54]


def test_invalid_value_is_ignored() -> None:
    """A stored value of the wrong type is ignored."""
    clock = ManualClock()
    stored = Simulator(clock=clock).as_json()
    vin = next(iter(stored["vehicles"]))
    stored["vehicles"][vin]["charging"] |= {"level": "much", "limit": 90.5, "state": "Sleeping", "fast": 1}
    stored["vehicles"][vin]["cabin"]["seats"] = {"left": "hot", "right": 2}
    car = Simulator(clock=clock, stored=stored).vehicles[0]
    assert (car.charging.level, car.charging.limit, car.charging.fast) == (72, 80, False)
    assert (car.cabin.seats["left"], car.cabin.seats["right"]) == (0, 2)


def test_wall_clock_of_the_past() -> None:
    """A past moment has the same wall clock time, whatever the clock's speed is."""
    moment = [1000.0]
    clock = Clock(60, time=lambda: moment[0])
    moment[0] += 10
    then = clock.now()
    moment[0] += 10
    clock.speed = 1
    moment[0] += 500
    assert (then, clock.real(then)) == (1600, 1010)
    assert clock.real(clock.now()) == moment[0]
    assert clock.real(clock.now() + 30) == moment[0] + 30


def test_many_speed_changes() -> None:
    """After many changes of speed the time is correct, and the stored history has a limited length."""
    moment = [1000.0]
    clock = Clock(time=lambda: moment[0])
    for speed in range(1, 501):
        clock.speed = speed
        moment[0] += 1
    assert clock.now() == 1000 + sum(range(1, 501))
    assert len(clock.as_json()["laps"]) < 150


@pytest.mark.parametrize(
    "stored",
    [
        {"laps": [], "until": 0},
        {"laps": [[1, 1, 0]], "until": 0},
        {"laps": [[1, 1]], "until": 0},
        {"laps": [[1, 1, float("inf")]], "until": 0},
        {"laps": None, "until": 0},
        {"laps": [[1, 1, 1]]},
    ],
)
def test_invalid_clock_state(stored: Any) -> None:
    """An invalid stored state of the clock raises an error, and the clock continues unchanged."""
    clock = ManualClock(5000)
    with pytest.raises((KeyError, TypeError, ValueError)):
        clock.restore(stored)
    assert clock.now() == 5000


def test_invalid_state_affects_one_car(caplog: pytest.LogCaptureFixture) -> None:
    """A car whose stored state is invalid starts from the beginning, with a warning. The others continue."""
    clock = ManualClock()
    simulator = Simulator(vehicles=3, clock=clock)
    for car in simulator.vehicles:
        car.set_level(33)
    stored = simulator.as_json()
    stored["vehicles"][simulator.vehicles[1].vin]["driving"]["point"] = None
    restarted = Simulator(vehicles=3, clock=clock, stored=stored)
    assert [car.charging.level for car in restarted.vehicles] == [33, 54, 33]
    assert f"The stored state of {restarted.vehicles[1].name} can't be read" in caplog.text


def test_clock_set_back() -> None:
    """If the wall clock is set back, a drive still ends."""
    moment = [2_000_000_000.0]
    clock = Clock(time=lambda: moment[0])
    car = Simulator(clock=clock).vehicles[0]
    car.unplug()
    car.drive(10)
    moment[0] += 60
    car.catch_up()
    moment[0] -= 86_400
    car.catch_up()
    moment[0] += 3600
    car.catch_up()
    assert car.driving.trip is None
    assert clock.real(clock.now()) == moment[0]


@pytest.mark.parametrize(("pause", "passed"), [(1800, 600 * 1800), (86_400, 86_400)])
def test_long_gap(pause: float, passed: float) -> None:
    """The clock's speed does not apply to a gap of more than an hour."""
    moment = [2_000_000_000.0]
    clock = Clock(600, time=lambda: moment[0])
    before = clock.now()
    moment[0] += pause
    assert clock.now() - before == passed
    moment[0] += 1
    assert clock.now() - before == passed + 600


@pytest.mark.parametrize("speed", [0, 0.9, 601, float("nan"), -1])
def test_invalid_speed(speed: float) -> None:
    """A speed out of range is refused."""
    clock = ManualClock()
    with pytest.raises(ValueError, match="between 1 and 600"):
        clock.speed = speed
    assert clock.speed == 1
