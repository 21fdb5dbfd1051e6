"""What a car's owner does with it: the commute, the weekend, charging at night, a door that is forgotten."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Final, NamedTuple

from ..controls import ControlError, Vehicle
from .physics import ENERGY_PER_MILE, ENERGY_PER_PERCENT, HOUR
from .place import Point

SATURDAY: Final = 5

ERRAND, VISIT, AT_HOME, EXCURSION = 0.3, 0.2, 0.2, 0.2
"""How likely on the way from work, in the evening, all weekend day, instead of a short outing."""
FORGETS_DOOR, FORGETS_LOCK, FORGETS_CABLE = 0.06, 0.08, 0.25
"""How likely on arriving."""

DETOUR: Final = 1.25
"""How much longer roads are than straight lines."""
THERE: Final = 0.1
"""Miles within which one has arrived."""
LEG: Final = 50
"""Miles that are worth a drive to somewhere on the way."""
RESERVE: Final = 8
LOW: Final = 25
PLENTY: Final = 60
"""Percent of the battery: with which nobody wants to arrive, waits for cheap power, thinks of the cable."""
CHEAP_FROM: Final = 23.5
BEDTIME: Final = 22.75
"""Hours by the clocks at home: of cheap power, and of a last look out of the window."""
SEATED: Final = 60
WARM_UP: Final = 900
"""Seconds: in the car before it drives and after, and before a departure to bring it to its temperature."""
CHILLY, HOT = 10, 26
"""Outside which temperatures that is worth it, °C."""


class Step(NamedTuple):
    """Something that the owner does at a moment."""

    moment: float
    act: Callable[[], None]


class Routine:
    """An owner with habits.

    A day is decided by the seed and the date alone, and computed when it is asked for. Whatever else is done
    to the car, the owner makes the best of it.
    """

    def __init__(self, vehicle: Vehicle, seed: int) -> None:
        """Begin with nothing to do; the car's `routine` has to be switched on."""
        self._vehicle = vehicle
        self._seed = f"{seed} {vehicle.vin}"
        habits = self._chance("habits")
        self._home = vehicle.home.point
        self._work = self._around(habits, 5, 22)
        self._shop = self._around(habits, 1, 4)
        self._leaves_at = habits.uniform(7.25, 8.5)
        self._returns_at = habits.uniform(16.75, 18.0)

    def begin(self) -> None:
        """Be called by the car's own time."""
        timeline = self._vehicle.timeline
        timeline.on("routine", self._go_on)
        timeline.on("routine arrives", lambda: self._try(self._arrive))
        timeline.on("routine notices", lambda: self._try(self._vehicle.walk_away))
        timeline.on("routine locks up", self._vehicle.lock)

    def plan(self, day: date) -> list[Step]:
        """Return what the owner does on a day, in this order, if nothing is against it."""
        chance = self._chance(day)
        steps = self._weekend(day, chance) if day.weekday() >= SATURDAY else self._workday(day, chance)
        return sorted(steps, key=lambda step: step.moment)

    def _workday(self, day: date, chance: Random) -> Iterator[Step]:
        leaves = self._at(day, self._leaves_at + chance.uniform(-0.3, 0.3))
        returns = self._at(day, self._returns_at + chance.uniform(-0.6, 0.6))
        yield from self._drive(leaves, self._work)
        if chance.random() < ERRAND:
            yield from self._drive(returns, self._shop)
            returns += HOUR * chance.uniform(1.1, 1.6)
        yield from self._drive(returns, self._home)
        if chance.random() < VISIT:
            yield from self._drive(self._at(day, chance.uniform(19.75, 20.25)), self._around(chance, 2, 9))
            yield from self._drive(self._at(day, chance.uniform(21.5, 22.25)), self._home)

    def _weekend(self, day: date, chance: Random) -> Iterator[Step]:
        if chance.random() < AT_HOME:
            return
        farthest = 110 if chance.random() < EXCURSION else 40
        yield from self._drive(self._at(day, chance.uniform(9.5, 12.0)), self._around(chance, 3, farthest))
        yield from self._drive(self._at(day, chance.uniform(15.5, 19.0)), self._home)

    def _drive(self, moment: float, destination: Point) -> Iterator[Step]:
        yield Step(moment - WARM_UP, lambda: self._warm_up(destination))
        yield Step(moment - SEATED, lambda: self._get_in(destination))
        yield Step(moment, lambda: self._set_off(destination))

    # What is done

    def _go_on(self, due: float | None = None) -> None:
        """Do what is due, and come back for the next step."""
        vehicle = self._vehicle
        if not vehicle.follows_routine:
            return
        today = self._date(vehicle.timeline.now)
        for step in self.plan(today):
            if step.moment == due and not vehicle.in_service:
                self._try(step.act)
        following = next(self._steps_after(vehicle.timeline.now)).moment
        vehicle.timeline.at(following, "routine", following)

    def _steps_after(self, moment: float) -> Iterator[Step]:
        day = self._date(moment)
        while True:
            yield from (step for step in self.plan(day) if step.moment > moment)
            day += timedelta(days=1)

    @staticmethod
    def _try(act: Callable[[], object]) -> None:
        """Do it, or leave it: somebody else may have been at the car."""
        try:
            act()
        except ControlError:
            return

    def _warm_up(self, destination: Point) -> None:
        vehicle = self._vehicle
        can_be_told = vehicle.state != "offline" and vehicle.mobile_enabled and vehicle.charging.level > LOW
        is_worth_it = not CHILLY <= vehicle.cabin.outside <= HOT
        if can_be_told and is_worth_it and self._way(destination):
            vehicle.rouse()
            vehicle.cabin.on = True

    def _get_in(self, destination: Point) -> None:
        if not self._way(destination):
            return
        if self._vehicle.charging.plugged:
            self._vehicle.unplug()
        self._vehicle.enter()

    def _set_off(self, destination: Point) -> None:
        """Drive; if the car cannot, or not as far, get out again."""
        vehicle, miles = self._vehicle, self._way(destination)
        if not miles:
            return
        reach = (vehicle.charging.level - RESERVE) * ENERGY_PER_PERCENT / ENERGY_PER_MILE
        if reach < miles:
            if reach < LEG:
                self._arrive(needs_power=True)
                return
            destination, miles = vehicle.driving.point.towards(destination, reach / miles), reach
        try:
            seconds = vehicle.drive_to(destination, miles)
        except ControlError:
            self._arrive()
            return
        vehicle.cabin.on = True
        vehicle.timeline.after(seconds + SEATED, "routine arrives")

    def _way(self, destination: Point) -> float:
        """Return the miles to a place, 0 when the car is there or on its way."""
        miles = self._vehicle.driving.point.miles_to(destination)
        return 0.0 if self._vehicle.driving.in_gear or miles < THERE else miles * DETOUR

    def _arrive(self, *, needs_power: bool = False) -> None:
        """Get out, charge if there is reason to, lock. Now and then something is forgotten."""
        vehicle, chance = self._vehicle, self._chance(self._vehicle.timeline.now)
        vehicle.walk_away()
        vehicle.cabin.stop()
        is_home = vehicle.homelink_nearby
        if is_home or needs_power or vehicle.charging.level < LOW:
            self._try(lambda: self._plug_in(chance, is_home=is_home))
        if chance.random() < FORGETS_DOOR:
            vehicle.open(chance.choice(("dr", "pf", "rt")))
            vehicle.timeline.after(HOUR * chance.uniform(0.3, 1.5), "routine notices")
        if is_home and chance.random() < FORGETS_LOCK:
            vehicle.timeline.at(self._next(BEDTIME), "routine locks up")
        else:
            vehicle.lock()

    def _plug_in(self, chance: Random, *, is_home: bool) -> None:
        """Put the cable in. At home charging waits for cheap power, unless the battery is low."""
        vehicle = self._vehicle
        if is_home and vehicle.charging.level > PLENTY and chance.random() < FORGETS_CABLE:
            return
        if is_home and vehicle.charging.level > LOW:
            vehicle.schedule_charging((self._next(CHEAP_FROM) - vehicle.timeline.now) / HOUR)
        vehicle.plug_in(fast=not is_home)

    # When and where

    def _chance(self, of: object) -> Random:
        return Random(f"{self._seed} {of}")  # noqa: S311 - the same days again are wanted, not secrets

    def _around(self, chance: Random, nearest: float, farthest: float) -> Point:
        return self._home.beyond(chance.uniform(nearest, farthest), chance.uniform(0, 360))

    def _date(self, moment: float) -> date:
        return datetime.fromtimestamp(moment, self._vehicle.home.clocks).date()

    def _at(self, day: date, hour: float) -> float:
        """Return the moment of an hour by the clocks at home."""
        midnight = datetime.combine(day, time(), self._vehicle.home.clocks)
        return (midnight + timedelta(hours=hour)).timestamp()

    def _next(self, hour: float) -> float:
        """Return when the clocks at home show an hour for the next time."""
        now = self._vehicle.timeline.now
        today = self._at(self._date(now), hour)
        return today if today > now else self._at(self._date(now) + timedelta(days=1), hour)
