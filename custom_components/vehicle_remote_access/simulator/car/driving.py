"""The car's location and motion (drive_state, odometer)."""

import math
from typing import Any, Final, NamedTuple, override

from ..persistence import Persistent
from .location import ROAD_FACTOR, Point
from .physics import ENERGY_PER_MILE, HOUR

CRUISE: Final = 65.0
VALET_SPEED: Final = 70.0
VALET_ACCELERATION: Final = 1.8  # keeps the power below 80 kW up to 70 miles per hour
REGENERATION: Final = 60.0  # the most power that braking returns to the battery, kW
RECOVERED: Final = 0.7  # the share of the kinetic energy that braking returns
ACCELERATION: Final = 2.5  # miles per hour gained in a second
MASS: Final = 2100.0
METERS_PER_SECOND: Final = 0.44704  # in one mile per hour


class Trip(NamedTuple):
    """A drive with constant acceleration, constant speed, and constant braking to a stop."""

    started: float
    miles: float
    speed: float
    acceleration: float
    """Miles per hour gained in a second, and lost at the end."""
    origin: Point
    destination: Point

    @property
    def ramp(self) -> float:
        """Seconds of acceleration, and of braking."""
        return self.speed / self.acceleration

    @property
    def duration(self) -> float:
        """Seconds from start to stop."""
        return self.miles / self.speed * HOUR + self.ramp

    def speed_at(self, moment: float) -> float:
        since, left = moment - self.started, self.started + self.duration - moment
        return max(0.0, min(self.speed, since * self.acceleration, left * self.acceleration))

    def acceleration_at(self, moment: float) -> float:
        """Return the miles per hour gained in a second, negative while braking."""
        since = moment - self.started
        if since < self.ramp:
            return self.acceleration
        return -self.acceleration if since > self.duration - self.ramp else 0.0

    def miles_at(self, moment: float) -> float:
        since = min(max(moment - self.started, 0.0), self.duration)
        left = self.duration - since
        if since < self.ramp:
            return self.acceleration * since**2 / 2 / HOUR
        if left < self.ramp:
            return self.miles - self.acceleration * left**2 / 2 / HOUR
        return (self.speed * self.ramp / 2 + self.speed * (since - self.ramp)) / HOUR

    def point_at(self, moment: float) -> Point:
        return self.origin.towards(self.destination, self.miles_at(moment) / self.miles)


def highest_speed(miles: float, acceleration: float) -> float:
    """Return the speed that a trip can reach, in miles per hour."""
    return math.sqrt(miles * acceleration * HOUR)


def energy_per_mile(speed: float) -> float:
    """Return the energy of a mile at a constant speed, kWh. At 65 miles per hour it is the rated energy."""
    return ENERGY_PER_MILE * (0.5 + 0.5 * (speed / CRUISE) ** 2)


def kinetic_energy(speed: float) -> float:
    return MASS * (speed * METERS_PER_SECOND) ** 2 / 2 / 1000 / HOUR


class Driving(Persistent):
    """The car's location and motion."""

    def __init__(self, point: Point, heading: float, odometer: float) -> None:
        self.point = point
        self.heading = heading
        self.odometer = odometer
        self.shift_state: str | None = None
        self.trip: Trip | None = None

    @property
    def in_gear(self) -> bool:
        return self.shift_state in {"D", "R", "N"}

    def start(self, trip: Trip) -> None:
        self.shift_state = "D"
        self.heading = trip.origin.heading_to(trip.destination)
        self.trip = trip

    def park(self) -> None:
        self.shift_state = "P"
        self.trip = None

    def miles_to(self, point: Point) -> float:
        return self.point.miles_to(point) * ROAD_FACTOR

    def speed_at(self, moment: float) -> float | None:
        return self.trip.speed_at(moment) if self.trip else None

    def power_at(self, moment: float) -> float:
        """Return the power of the motors, kW; negative while braking."""
        if self.trip is None:
            return 0.0
        speed, acceleration = self.trip.speed_at(moment), self.trip.acceleration_at(moment)
        push = MASS * acceleration * speed * METERS_PER_SECOND**2 / 1000
        return max(-REGENERATION, energy_per_mile(speed) * speed + (push if push > 0 else push * RECOVERED))

    def advance(self, now: float, until: float) -> float:
        """Drive from one moment to another, and return the energy used, kWh."""
        if self.trip is None:
            return 0.0
        trip = self.trip
        miles = trip.miles_at(until) - trip.miles_at(now)
        self.odometer += miles
        self.point = trip.point_at(until)
        gained = kinetic_energy(trip.speed_at(until)) - kinetic_energy(trip.speed_at(now))
        motion = gained if gained > 0 else gained * RECOVERED
        return energy_per_mile(trip.speed_at((now + until) / 2)) * miles + motion

    @override
    def restore(self, stored: Any) -> None:
        super().restore(stored)
        if stored["trip"] is not None:
            started, miles, speed, acceleration, origin, destination = stored["trip"]
            self.trip = Trip(started, miles, speed, acceleration, Point(*origin), Point(*destination))
