"""What is kept of the cars at the end of a run, and how they go on in the next."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.simulator import Clock, ManualClock, Simulator, Vehicle
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full

DAY = 86_400.0


def _again(simulator: Simulator, clock: ManualClock) -> Simulator:
    """Return the service as a new program takes it up."""
    kept = json.loads(json.dumps(simulator.as_json(), allow_nan=False))
    return Simulator(vehicles=len(simulator.vehicles), clock=clock, alive=True, kept=kept)


def _shown(car: Vehicle) -> dict[str, Any]:
    car.catch_up()
    shown = full(car, Variant.CURRENT)
    # They are made anew whenever they are.
    del shown["tokens"]
    return {**shown, "horn": car.body.horn, "has_valet_pin": car.body.valet.pin is not None}


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(minutes=st.integers(0, 20 * 24 * 60), more=st.integers(0, 3 * 24 * 60))
def test_cars_go_on(minutes: int, more: int) -> None:
    """At whatever moment the program ends: what the cars are then, and what becomes of them, is the same."""
    clock = ManualClock(1_777_860_000.0)
    simulator = Simulator(vehicles=2, clock=clock, alive=True)
    clock.advance(minutes * 60)
    before = [_shown(car) for car in simulator.vehicles]
    later = ManualClock(clock.now())
    again = _again(simulator, later)
    assert [_shown(car) for car in again.vehicles] == before
    clock.advance(more * 60)
    later.advance(more * 60)
    for one, other in zip(simulator.vehicles, again.vehicles, strict=True):
        assert _lasting(_shown(one)) == _lasting(_shown(other))


def _lasting(shown: dict[str, Any]) -> dict[str, Any]:
    """Return it without what is drawn by lot at the moment when it happens."""
    return {**shown, "drive_state": {**shown["drive_state"], "heading": None}}


def test_everything_is_kept() -> None:
    """Whatever was done to a car by hand or by command is still so."""
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
    before = _shown(car)
    kept = json.loads(json.dumps(simulator.as_json(), allow_nan=False))
    assert _shown(Simulator(clock=ManualClock(clock.now()), kept=kept).vehicles[0]) == before


def test_drive_goes_on() -> None:
    """A car that drives when the program ends has arrived when the next begins an hour later."""
    clock = ManualClock()
    simulator = Simulator(clock=clock)
    car = simulator.vehicles[0]
    car.unplug()
    begun = car.driving.odometer
    car.drive(30)
    clock.advance(600)
    car.catch_up()
    kept = json.loads(json.dumps(simulator.as_json()))
    again = Simulator(clock=ManualClock(clock.now() + 3600), kept=kept).vehicles[0]
    shown = _shown(again)
    assert shown["drive_state"]["shift_state"] is None
    assert shown["vehicle_state"]["odometer"] == pytest.approx(begun + 30, abs=1e-3)


def test_unknown_car_begins_anew() -> None:
    """A car of which nothing was kept begins as it always does, beside those that go on."""
    clock = ManualClock()
    simulator = Simulator(clock=clock)
    simulator.vehicles[0].set_level(11)
    kept = simulator.as_json()
    levels = [car.charging.level for car in Simulator(vehicles=2, clock=clock, kept=kept).vehicles]
    assert levels == [11, 54]


def test_value_of_another_kind_is_left_out() -> None:
    """A value that cannot be what it should be stays as it is at the beginning."""
    clock = ManualClock()
    kept = Simulator(clock=clock).as_json()
    vin = next(iter(kept["vehicles"]))
    kept["vehicles"][vin]["charging"] |= {"level": "much", "limit": 90.5, "state": "Sleeping", "fast": 1}
    kept["vehicles"][vin]["cabin"]["seats"] = {"left": "hot", "right": 2}
    car = Simulator(clock=clock, kept=kept).vehicles[0]
    assert (car.charging.level, car.charging.limit, car.charging.fast) == (72, 80, False)
    assert (car.cabin.seats["left"], car.cabin.seats["right"]) == (0, 2)


def test_past_is_told_by_the_wall_clock() -> None:
    """When something was is told in real time, whatever the speed was then and is now."""
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


def test_speed_changed_often() -> None:
    """However often the speed is changed, time goes on and what is remembered of it has an end."""
    moment = [1000.0]
    clock = Clock(time=lambda: moment[0])
    for speed in range(1, 501):
        clock.speed = speed
        moment[0] += 1
    assert clock.now() == 1000 + sum(range(1, 501))
    assert len(clock.as_json()["laps"]) < 150


@pytest.mark.parametrize(
    "kept",
    [
        {"laps": [], "until": 0},
        {"laps": [[1, 1, 0]], "until": 0},
        {"laps": [[1, 1]], "until": 0},
        {"laps": [[1, 1, float("inf")]], "until": 0},
        {"laps": None, "until": 0},
        {"laps": [[1, 1, 1]]},
    ],
)
def test_impossible_time(kept: Any) -> None:
    """A time that cannot have run is not taken up, and the clock goes on as it was."""
    clock = ManualClock(5000)
    with pytest.raises((KeyError, TypeError, ValueError)):
        clock.take_up(kept)
    assert clock.now() == 5000


def test_bad_car_is_no_other_cars_concern(caplog: pytest.LogCaptureFixture) -> None:
    """A car of which nothing sensible was kept begins anew, with a word in the log; the others go on."""
    clock = ManualClock()
    simulator = Simulator(vehicles=3, clock=clock)
    for car in simulator.vehicles:
        car.set_level(33)
    kept = simulator.as_json()
    kept["vehicles"][simulator.vehicles[1].vin]["driving"]["point"] = None
    again = Simulator(vehicles=3, clock=clock, kept=kept)
    assert [car.charging.level for car in again.vehicles] == [33, 54, 33]
    assert f"What was kept of {again.vehicles[1].name} cannot be read" in caplog.text


def test_clock_set_back() -> None:
    """When the wall clock is set back, what goes on goes on."""
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
def test_machine_that_slept(pause: float, passed: float) -> None:
    """A machine that slept for long does not make up for it at the time factor; one that was busy does."""
    moment = [2_000_000_000.0]
    clock = Clock(600, time=lambda: moment[0])
    before = clock.now()
    moment[0] += pause
    assert clock.now() - before == passed
    moment[0] += 1
    assert clock.now() - before == passed + 600


@pytest.mark.parametrize("speed", [0, 0.9, 601, float("nan"), -1])
def test_speed_that_is_none(speed: float) -> None:
    """A time factor out of its bounds is refused."""
    clock = ManualClock()
    with pytest.raises(ValueError, match="between 1 and 600"):
        clock.speed = speed
    assert clock.speed == 1
