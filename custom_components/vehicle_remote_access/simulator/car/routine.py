"""The owner of a simulated car: commutes, weekend trips, charging at night, and forgotten things."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from random import Random
from typing import Final, NamedTuple

from ..controls import ControlError, SimulatedVehicle
from .location import ARRIVAL_RADIUS, Point
from .physics import ENERGY_PER_MILE, ENERGY_PER_PERCENT, HOUR

SATURDAY: Final = 5

ERRAND: Final = 0.3  # probability of shopping on the way home
VISIT: Final = 0.2  # probability of a visit in the evening
WEEKEND_AT_HOME: Final = 0.2  # probability of staying at home on a day of the weekend
EXCURSION: Final = 0.2  # probability that a weekend outing may go far
FORGETS_DOOR, FORGETS_LOCK, FORGETS_CABLE = 0.06, 0.08, 0.25  # probabilities on arrival

SHORTEST_LEG: Final = 50  # miles that are worth driving toward a destination beyond the car's range
RESERVE_LEVEL: Final = 8  # minimum battery level on arrival, in percent
LOW_LEVEL: Final = 25  # battery level up to which the owner charges immediately and anywhere, in percent
HIGH_LEVEL: Final = 60  # battery level above which the owner may forget the cable, in percent
CHEAP_FROM: Final = 23.5  # hour from which power is cheap, in local time
BEDTIME: Final = 22.75  # hour in which the owner checks the lock, in local time
BOARDING_SECONDS: Final = 60  # that the owner sits in the parked car, before and after a drive
WARM_UP_SECONDS: Final = 900  # seconds of climate control before a departure
COLD, HOT = 10, 26  # outside temperatures beyond which the owner warms up or cools the car, °C


class Step(NamedTuple):
    """An action of the owner at a moment."""

    moment: float
    act: Callable[[], None]


class Routine:
    """An owner with habits.

    Only the seed and the date decide what the owner does on a day. The owner copes with anything else that
    happens to the car.
    """

    def __init__(self, vehicle: SimulatedVehicle, seed: int) -> None:
        self._vehicle = vehicle
        self._seed = f"{seed} {vehicle.vin}"
        habits = self._random("habits")
        self._home = vehicle.home
        self._work = self._point_near_home(habits, 5, 22)
        self._shop = self._point_near_home(habits, 1, 4)
        vehicle.places = {"work": self._work, "shop": self._shop}
        self._leaves_at = habits.uniform(7.25, 8.5)
        self._returns_at = habits.uniform(16.75, 18.0)

    def register(self) -> None:
        timeline = self._vehicle.timeline
        timeline.on("routine", self._run_due_step)
        timeline.on("routine arrives", lambda: self._try(self._arrive))
        timeline.on("routine notices", lambda: self._try(self._vehicle.walk_away))
        timeline.on("routine locks up", self._vehicle.lock)

    def plan(self, day: date) -> list[Step]:
        random = self._random(day)
        steps = self._weekend(day, random) if day.weekday() >= SATURDAY else self._workday(day, random)
        return sorted(steps, key=lambda step: step.moment)

    def _workday(self, day: date, random: Random) -> Iterator[Step]:
        leaves = self._home.moment(day, self._leaves_at + random.uniform(-0.3, 0.3))
        returns = self._home.moment(day, self._returns_at + random.uniform(-0.6, 0.6))
        yield from self._drive(leaves, self._work)
        if random.random() < ERRAND:
            yield from self._drive(returns, self._shop)
            returns += HOUR * random.uniform(1.1, 1.6)
        yield from self._drive(returns, self._home.point)
        if random.random() < VISIT:
            evening = self._home.moment(day, random.uniform(19.75, 20.25))
            yield from self._drive(evening, self._point_near_home(random, 2, 9))
            yield from self._drive(self._home.moment(day, random.uniform(21.5, 22.25)), self._home.point)

    def _weekend(self, day: date, random: Random) -> Iterator[Step]:
        if random.random() < WEEKEND_AT_HOME:
            return
        farthest = 110 if random.random() < EXCURSION else 40
        leaves = self._home.moment(day, random.uniform(9.5, 12.0))
        yield from self._drive(leaves, self._point_near_home(random, 3, farthest))
        yield from self._drive(self._home.moment(day, random.uniform(15.5, 19.0)), self._home.point)

    def _drive(self, moment: float, destination: Point) -> Iterator[Step]:
        yield Step(moment - WARM_UP_SECONDS, lambda: self._warm_up(destination))
        yield Step(moment - BOARDING_SECONDS, lambda: self._get_in(destination))
        yield Step(moment, lambda: self._depart(destination))

    # The owner's actions

    def _run_due_step(self, due: float | None = None) -> None:
        vehicle = self._vehicle
        if not vehicle.follows_routine:
            return
        today = self._home.day(vehicle.timeline.now)
        for step in self.plan(today):
            if step.moment == due and not vehicle.in_service:
                self._try(step.act)
        following = next(self._steps_after(vehicle.timeline.now)).moment
        vehicle.timeline.at(following, "routine", following)

    def _steps_after(self, moment: float) -> Iterator[Step]:
        day = self._home.day(moment)
        while True:
            yield from (step for step in self.plan(day) if step.moment > moment)
            day += timedelta(days=1)

    @staticmethod
    def _try(act: Callable[[], object]) -> None:
        """Run an action. Skip it if the car can't do it, for example after manual controls."""
        try:
            act()
        except ControlError:
            return

    def _warm_up(self, destination: Point) -> None:
        vehicle = self._vehicle
        is_reachable = vehicle.state != "offline" and vehicle.mobile_enabled
        is_needed = not COLD <= vehicle.cabin.outside <= HOT
        if is_reachable and vehicle.charging.level > LOW_LEVEL and is_needed and self._miles_to(destination):
            vehicle.wake_now()
            vehicle.cabin.on = True

    def _get_in(self, destination: Point) -> None:
        if not self._miles_to(destination):
            return
        if self._vehicle.charging.plugged:
            self._vehicle.unplug()
        self._vehicle.enter()

    def _depart(self, destination: Point) -> None:
        """Drive to the destination, or part of the way if it is too far. If neither works, get out."""
        vehicle, miles = self._vehicle, self._miles_to(destination)
        if not miles:
            return
        reach = (vehicle.charging.level - RESERVE_LEVEL) * ENERGY_PER_PERCENT / ENERGY_PER_MILE
        if reach < miles:
            if reach < SHORTEST_LEG:
                self._arrive(must_charge=True)
                return
            destination, miles = vehicle.driving.point.towards(destination, reach / miles), reach
        try:
            seconds = vehicle.drive_to(destination, miles)
        except ControlError:
            self._arrive()
            return
        vehicle.cabin.on = True
        vehicle.timeline.after(seconds + BOARDING_SECONDS, "routine arrives")

    def _miles_to(self, destination: Point) -> float:
        """Return the miles to a destination by road, 0 if the car is there or driving."""
        driving = self._vehicle.driving
        has_arrived = driving.point.miles_to(destination) < ARRIVAL_RADIUS
        return 0.0 if driving.in_gear or has_arrived else driving.miles_to(destination)

    def _arrive(self, *, must_charge: bool = False) -> None:
        vehicle, now = self._vehicle, self._vehicle.timeline.now
        random = self._random(now)
        vehicle.walk_away()
        vehicle.cabin.stop()
        is_home = vehicle.homelink_nearby
        if is_home or must_charge or vehicle.charging.level < LOW_LEVEL:
            self._try(lambda: self._plug_in(random, is_home=is_home))
        if random.random() < FORGETS_DOOR:
            vehicle.open(random.choice(("dr", "pf", "rt")))
            vehicle.timeline.after(HOUR * random.uniform(0.3, 1.5), "routine notices")
        if is_home and random.random() < FORGETS_LOCK:
            vehicle.timeline.at(self._home.next_moment(now, BEDTIME), "routine locks up")
        else:
            vehicle.lock()

    def _plug_in(self, random: Random, *, is_home: bool) -> None:
        """Plug the cable in. At home charging waits for cheap power, unless the battery is low."""
        vehicle = self._vehicle
        if is_home and vehicle.charging.level > HIGH_LEVEL and random.random() < FORGETS_CABLE:
            return
        if is_home and vehicle.charging.level > LOW_LEVEL:
            now = vehicle.timeline.now
            vehicle.schedule_charging((self._home.next_moment(now, CHEAP_FROM) - now) / HOUR)
        vehicle.plug_in(fast=not is_home)

    # Times and places

    def _random(self, subject: object) -> Random:
        return Random(f"{self._seed} {subject}")  # noqa: S311 - repeatable days, not secrets

    def _point_near_home(self, random: Random, nearest: float, farthest: float) -> Point:
        return self._home.point.beyond(random.uniform(nearest, farthest), random.uniform(0, 360))
