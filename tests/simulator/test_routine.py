"""The owner's days: the commute, the night at the charging point, what is forgotten, and the weather."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, Place, Simulator, Vehicle
from custom_components.vehicle_remote_access.simulator.vehicle.routine import Routine

MONDAY = datetime(2026, 5, 4, tzinfo=UTC).timestamp()
HOUR = 3600.0
DAY = 24 * HOUR
AMSTERDAM = Place.at(52.37, 4.89, timezone(timedelta(hours=2)))


def _alive(*, seed: int = 0, start: float = MONDAY, home: Place = AMSTERDAM) -> tuple[ManualClock, Vehicle]:
    clock = ManualClock(start)
    return clock, Simulator(seed=seed, clock=clock, alive=True, home=home).vehicles[0]


def _look(clock: ManualClock, car: Vehicle, days: float, every: float = 600.0) -> Iterator[dict[str, Any]]:
    """Yield what somebody sees who looks at the car every ten minutes."""
    for _ in range(round(days * DAY / every)):
        clock.advance(every)
        car.catch_up()
        yield {
            "hour": (clock.now() + 2 * HOUR) % DAY / HOUR,
            "home": car.homelink_nearby,
            "gear": car.driving.shift_state,
            "charging": str(car.charging.state),
            "locked": car.body.locked,
            "open": [name for name, is_open in car.body.openings.items() if is_open],
            "somebody": car.body.user_present,
            "state": car.state,
            "level": car.charging.level,
        }


def test_workday_has_a_commute() -> None:
    """On a workday the car is at home at night, away by day, and back in the evening."""
    seen = list(_look(*_alive(), days=1))
    assert all(each["home"] for each in seen if each["hour"] < 6.5)
    assert not any(each["home"] for each in seen if 9.5 < each["hour"] < 16)
    assert seen[-1]["home"]


def test_night_has_cheap_power() -> None:
    """The cable is in at night, but charging waits for the cheap hours."""
    seen = [each for each in _look(*_alive(), days=7) if each["home"]]
    charging = {each["hour"] for each in seen if each["charging"] == "Charging"}
    assert charging
    assert all(hour >= 23.4 or hour < 8 for hour in charging)


def test_car_sleeps_between() -> None:
    """A car that is used like that sleeps most of the time, and never runs empty."""
    seen = list(_look(*_alive(), days=28))
    assert sum(each["state"] == "asleep" for each in seen) > len(seen) / 2
    assert min(each["level"] for each in seen) > 8


def test_things_are_forgotten() -> None:
    """Now and then a door stays open or the car unlocked with nobody in it; not often, and not for ever."""
    seen = list(_look(*_alive(), days=56))
    parked = [each for each in seen if not each["somebody"]]
    opened = sum(bool(each["open"]) for each in parked)
    unlocked = sum(not each["locked"] for each in parked)
    assert 0 < opened < len(parked) / 20
    assert 0 < unlocked < len(parked) / 5
    assert not seen[-1]["open"]


def test_same_seed_same_days() -> None:
    """The same seed brings the same days, however often somebody looks."""
    often, seldom = _alive(), _alive()
    for _ in _look(*often, days=9, every=300):
        pass
    for _ in _look(*seldom, days=9, every=DAY):
        pass
    assert often[1].driving.odometer == pytest.approx(seldom[1].driving.odometer, abs=1e-3)
    assert often[1].body.as_json() == seldom[1].body.as_json()


def test_other_seed_other_days() -> None:
    """Another seed brings other days."""
    cars = [_alive(seed=seed) for seed in (0, 1)]
    driven = []
    for clock, car in cars:
        begun = car.driving.odometer
        clock.advance(5 * DAY)
        car.catch_up()
        driven.append(car.driving.odometer - begun)
    assert driven[0] != pytest.approx(driven[1], abs=1)


def test_weekend_is_no_workday() -> None:
    """Nobody drives to work at the weekend; on some of its days nobody drives at all."""
    still = 0
    for week in range(8):
        clock, car = _alive(start=MONDAY + (7 * week + 5) * DAY)
        begun = car.driving.odometer
        seen = list(_look(clock, car, days=1))
        assert all(each["home"] for each in seen if each["hour"] < 9)
        still += car.driving.odometer == begun
    assert 0 < still < 8


def test_owner_makes_the_best_of_it() -> None:
    """Whatever is done to the car meanwhile, its owner goes on with the next day."""
    clock, car = _alive()
    clock.advance(10 * HOUR)
    car.service(on=True)
    clock.advance(12 * HOUR)
    car.service(on=False)
    car.set_level(3)
    car.drive(4)
    clock.advance(3 * DAY)
    car.catch_up()
    begun = car.driving.odometer
    clock.advance(2 * DAY)
    car.catch_up()
    assert car.driving.odometer > begun
    assert car.charging.level > 8


def test_owner_comes_home_from_afar() -> None:
    """However far the car was driven, its owner brings it home in legs."""
    clock, car = _alive()
    car.routine(on=False)
    car.unplug()
    car.set_level(100)
    car.drive(190)
    clock.advance(6 * HOUR)
    car.catch_up()
    car.routine(on=True)
    assert any(each["home"] for each in _look(clock, car, days=7, every=1800))


def test_owner_does_nothing_in_the_workshop() -> None:
    """A car in the workshop is not unplugged, warmed up or entered by its owner."""
    clock, car = _alive()
    car.service(on=True)
    seen = list(_look(clock, car, days=3, every=300))
    assert not any(each["somebody"] for each in seen)
    assert {each["charging"] for each in seen} == {"Stopped"}


@pytest.mark.parametrize("act", ["coverage", "mobile_access"])
def test_car_that_cannot_be_told(act: str) -> None:
    """A car that the service cannot reach is not warmed up before somebody gets in."""
    clock, car = _alive()
    car.set_temperatures(outside=-5)
    getattr(car, act)(on=False)
    for _ in range(int(12 * HOUR / 60)):
        clock.advance(60)
        car.catch_up()
        assert car.body.user_present or not car.cabin.on


def test_climate_ends_with_the_drive() -> None:
    """Climate control does not run on in a car that was left."""
    clock, car = _alive()
    car.set_temperatures(outside=-5)
    seen = []
    for _ in range(int(2 * 24 * HOUR / 600)):
        clock.advance(600)
        car.catch_up()
        seen.append(car.cabin.on)
    assert 0 < sum(seen) < len(seen) / 10


def test_owner_keeps_away_once_told() -> None:
    """With the routine off, the owner does not come back for a door or a lock either."""
    clock, car = _alive()
    car.timeline.after(600, "routine notices")
    car.timeline.after(600, "routine locks up")
    car.routine(on=False)
    car.unlock()
    car.open("rt")
    clock.advance(HOUR)
    car.catch_up()
    assert (car.body.openings["rt"], car.body.locked) == (True, False)


@pytest.mark.parametrize("day", [datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)])
def test_day_that_is_an_hour_longer_or_shorter(day: datetime) -> None:
    """On the days when the clocks change, cheap power is cheap when the clocks say so."""
    zone = ZoneInfo("Europe/Amsterdam")
    _, car = _alive(start=day.timestamp() - HOUR, home=Place.at(52.37, 4.89, zone))
    routine = Routine(car, 0)
    assert datetime.fromtimestamp(routine._next(23.5), zone).time().isoformat() == "23:30:00"  # noqa: SLF001


def test_routine_ends() -> None:
    """Who switches the routine off has the car to himself."""
    clock, car = _alive()
    car.routine(on=False)
    clock.advance(3 * DAY)
    car.catch_up()
    assert (car.homelink_nearby, car.state) == (True, "asleep")


def test_routine_begins() -> None:
    """Without a routine a car stays where it is until one is switched on."""
    clock = ManualClock(MONDAY)
    car = Simulator(clock=clock).vehicles[0]
    begun = car.driving.odometer
    clock.advance(2 * DAY)
    car.catch_up()
    assert car.driving.odometer == begun
    car.routine(on=True)
    clock.advance(2 * DAY)
    car.catch_up()
    assert car.driving.odometer > begun


@pytest.mark.parametrize(
    ("latitude", "longitude"),
    [(89.9, 0.0), (-89.9, 10.0), (0.0, 179.99), (0.0, -179.99), (-33.9, 151.2)],
)
def test_anywhere_on_earth(latitude: float, longitude: float) -> None:
    """An owner may live anywhere: the car is always somewhere on earth, and comes home."""
    clock, car = _alive(home=Place.at(latitude, longitude))
    seen = []
    for each in _look(clock, car, days=4, every=1800):
        assert -90 <= car.driving.point.latitude <= 90
        assert -180 <= car.driving.point.longitude <= 180
        seen.append(each["home"])
    assert set(seen[-48:]) == {True, False}


def test_clocks_at_home() -> None:
    """Where no time zone is named, the owner lives by the sun."""
    assert Place.at(39.7, -105.0).clocks == timezone(timedelta(hours=-7))


def test_weather_changes() -> None:
    """Days differ, and winter is colder than summer; in the south January is summer."""
    means = {}
    for name, latitude in (("north", 52.4), ("south", -37.8)):
        for season, start in (("january", 1_767_225_600.0), ("july", 1_782_864_000.0)):
            clock, car = _alive(start=start, home=Place.at(latitude, 5.0))
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
