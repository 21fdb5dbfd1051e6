"""The owner's routine: commutes, charging at night, things forgotten, and the weather."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from custom_components.vehicle_remote_access.simulator import Home, ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.car.physics import DAY, HOUR

MONDAY = datetime(2026, 5, 4, tzinfo=UTC).timestamp()
AMSTERDAM = Home.at(52.37, 4.89, timezone(timedelta(hours=2)))


def _start(
    *, seed: int = 0, start: float = MONDAY, home: Home = AMSTERDAM
) -> tuple[ManualClock, SimulatedVehicle]:
    clock = ManualClock(start)
    return clock, Simulator(seed=seed, clock=clock, routine=True, home=home).vehicles[0]


def _observe(
    clock: ManualClock, car: SimulatedVehicle, days: float, every: float = 600.0
) -> Iterator[dict[str, Any]]:
    """Yield the car's state every ten minutes."""
    for _ in range(round(days * DAY / every)):
        clock.advance(every)
        car.catch_up()
        yield {
            "hour": (clock.now() + 2 * HOUR) % DAY / HOUR,
            "home": car.homelink_nearby,
            "charging": str(car.charging.state),
            "locked": car.body.locked,
            "open": [name for name, is_open in car.body.openings.items() if is_open],
            "occupied": car.body.user_present,
            "state": car.state,
            "level": car.charging.level,
        }


def test_car_is_away_on_workdays_and_charges_with_cheap_power() -> None:
    states = list(_observe(*_start(), days=1))
    assert all(state["home"] for state in states if state["hour"] < 6.5)
    assert not any(state["home"] for state in states if 9.5 < state["hour"] < 16)
    assert states[-1]["home"]
    at_home = [state for state in _observe(*_start(), days=7) if state["home"]]
    charging = {state["hour"] for state in at_home if state["charging"] == "Charging"}
    assert charging
    assert all(hour >= 23.4 or hour < 8 for hour in charging)


def test_owner_forgets_things() -> None:
    """Sometimes a door or the lock stays open. The car sleeps mostly, and its battery is never empty."""
    states = list(_observe(*_start(), days=56))
    parked = [state for state in states if not state["occupied"]]
    assert 0 < sum(bool(state["open"]) for state in parked) < len(parked) / 20
    assert 0 < sum(not state["locked"] for state in parked) < len(parked) / 5
    assert not states[-1]["open"]
    assert sum(state["state"] == "asleep" for state in states) > len(states) / 2
    assert min(state["level"] for state in states) > 8


def test_seeds() -> None:
    """The same seed gives the same days, however often the state is computed. Another seed gives others."""
    cars = []
    for seed, every in ((0, 300), (0, DAY), (1, DAY)):
        clock, car = _start(seed=seed)
        list(_observe(clock, car, days=9, every=every))
        cars.append(car)
    odometers = [car.driving.odometer for car in cars]
    assert odometers[0] == pytest.approx(odometers[1], abs=1e-3)
    assert odometers[0] != pytest.approx(odometers[2], abs=1)
    assert cars[0].body.as_json() == cars[1].body.as_json()


def test_weekend_has_no_commute() -> None:
    days_at_home = 0
    for week in range(8):
        clock, car = _start(start=MONDAY + (7 * week + 5) * DAY)
        start = car.driving.odometer
        states = list(_observe(clock, car, days=1))
        assert all(state["home"] for state in states if state["hour"] < 9)
        days_at_home += car.driving.odometer == start
    assert 0 < days_at_home < 8


def test_owner_copes_with_controls() -> None:
    clock, car = _start()
    clock.advance(10 * HOUR)
    car.service(on=True)
    clock.advance(12 * HOUR)
    car.service(on=False)
    car.set_level(3)
    car.drive(4)
    clock.advance(3 * DAY)
    car.catch_up()
    start = car.driving.odometer
    clock.advance(2 * DAY)
    car.catch_up()
    assert car.driving.odometer > start
    assert car.charging.level > 8


def test_owner_returns_from_far_away() -> None:
    clock, car = _start()
    car.routine(on=False)
    car.unplug()
    car.set_level(100)
    car.drive(190)
    clock.advance(6 * HOUR)
    car.catch_up()
    car.routine(on=True)
    assert any(state["home"] for state in _observe(clock, car, days=7, every=1800))


@pytest.mark.parametrize("act", ["coverage", "mobile_access", "weather"])
def test_climate_before_and_during_drives(act: str) -> None:
    """In the cold the car is warmed up before the owner gets in, if the service can reach it."""
    clock, car = _start()
    car.set_temperatures(outside=-5)
    getattr(car, act)(on=False)
    on = [(car.cabin.on, state["occupied"]) for state in _observe(clock, car, days=2, every=60)]
    assert ((True, False) in on) is (act == "weather")
    assert 0 < on.count((True, True)) < len(on) / 10
    assert on.count((True, False)) < len(on) / 20


def test_routine_that_is_off_closes_and_locks_nothing() -> None:
    clock, car = _start()
    car.timeline.after(600, "routine notices")
    car.timeline.after(600, "routine locks up")
    car.routine(on=False)
    car.unlock()
    car.open("rt")
    clock.advance(HOUR)
    car.catch_up()
    assert (car.body.openings["rt"], car.body.locked) == (True, False)


@pytest.mark.parametrize("day", [datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)])
def test_cheap_power_starts_at_the_usual_hour_when_clocks_change(day: datetime) -> None:
    zone = ZoneInfo("Europe/Amsterdam")
    _, car = _start(start=day.timestamp() - HOUR, home=Home.at(52.37, 4.89, zone))
    cheap_from = car.home.next_moment(car.timeline.now, 23.5)
    assert datetime.fromtimestamp(cheap_from, zone).time().isoformat() == "23:30:00"


def test_routine_begins_and_ends() -> None:
    """Without a routine the car stays where it is until one is switched on, and after it is switched off."""
    clock = ManualClock(MONDAY)
    car = Simulator(clock=clock, home=AMSTERDAM).vehicles[0]
    odometers = [car.driving.odometer]
    for is_on in (None, True, False):
        if is_on is not None:
            car.routine(on=is_on)
        clock.advance(2 * DAY)
        car.catch_up()
        odometers.append(car.driving.odometer)
    assert odometers[0] == odometers[1] < odometers[2] == odometers[3]
    assert (car.homelink_nearby, car.state) == (True, "asleep")


@pytest.mark.parametrize(
    ("latitude", "longitude"), [(89.9, 0.0), (-89.9, 10.0), (0.0, 179.99), (0.0, -179.99), (-33.9, 151.2)]
)
def test_anywhere_on_earth(latitude: float, longitude: float) -> None:
    """An owner may live anywhere. The car stays on the map, and comes home. Its time follows the sun."""
    assert Home.at(39.7, -105.0).time_zone == timezone(timedelta(hours=-7))
    clock, car = _start(home=Home.at(latitude, longitude))
    at_home = []
    for state in _observe(clock, car, days=4, every=1800):
        assert -90 <= car.driving.point.latitude <= 90
        assert -180 <= car.driving.point.longitude <= 180
        at_home.append(state["home"])
    assert set(at_home[-48:]) == {True, False}


def test_weather_changes() -> None:
    """Days differ, and winter is colder than summer. In the south January is summer."""
    means = {}
    for name, latitude in (("north", 52.4), ("south", -37.8)):
        for season, start in (("january", 1_767_225_600.0), ("july", 1_782_864_000.0)):
            clock, car = _start(start=start, home=Home.at(latitude, 5.0))
            car.routine(on=False)
            noons = []
            for _ in range(28):
                clock.advance(DAY)
                car.catch_up()
                noons.append(car.cabin.outside)
            assert 3 < max(noons) - min(noons) < 20
            means[name, season] = sum(noons) / len(noons)
    assert means["north", "july"] > means["north", "january"] + 10
    assert means["south", "january"] > means["south", "july"] + 5
