"""Where the car is, and how it gets to another place (drive_state, the odometer)."""

from dataclasses import astuple, dataclass
import math
from typing import Any, Final, override

from ..persistence import Json, Kept
from .physics import ENERGY_PER_MILE, HOUR
from .place import Point

CRUISE: Final = 65.0
VALET_SPEED: Final = 70.0
VALET_ACCELERATION: Final = 1.8
"""With which the power stays below 80 kW up to 70 miles an hour."""
REGENERATION: Final = 60.0
"""The most that braking returns to the battery, kW."""
RECOVERED: Final = 0.7
"""The share of the energy of motion that comes back."""
ACCELERATION: Final = 2.5
"""Miles an hour gained in a second."""
MASS: Final = 2100.0
METRES_PER_SECOND: Final = 0.44704


@dataclass(frozen=True, slots=True)
class Trip:
    """A drive that speeds up evenly, keeps its speed, and slows down evenly to a stop."""

    started: float
    miles: float
    speed: float
    acceleration: float
    """Miles an hour gained in a second, and lost at the end."""
    origin: Point
    destination: Point

    @classmethod
    def plan(
        cls,
        started: float,
        miles: float,
        speed: float,
        acceleration: float,
        origin: Point,
        destination: Point,
    ) -> Trip:
        """Return the trip; over a short way the speed is not reached."""
        reached = min(speed, math.sqrt(miles * acceleration * HOUR))
        return cls(started, miles, reached, acceleration, origin, destination)

    @classmethod
    def read(cls, kept: Any) -> Trip | None:
        """Return the trip that was written down, None if there was none."""
        if kept is None:
            return None
        started, miles, speed, acceleration, origin, destination = kept
        return cls(started, miles, speed, acceleration, Point(*origin), Point(*destination))

    @property
    def ramp(self) -> float:
        """Seconds that speeding up takes, and slowing down as well."""
        return self.speed / self.acceleration

    @property
    def duration(self) -> float:
        """Seconds from start to stop."""
        return self.miles / self.speed * HOUR + self.ramp

    def speed_at(self, moment: float) -> float:
        """Return the speed in miles an hour."""
        since, left = moment - self.started, self.started + self.duration - moment
        return max(0.0, min(self.speed, since * self.acceleration, left * self.acceleration))

    def acceleration_at(self, moment: float) -> float:
        """Return the miles an hour gained in a second, negative while slowing down."""
        since = moment - self.started
        if since < self.ramp:
            return self.acceleration
        return -self.acceleration if since > self.duration - self.ramp else 0.0

    def miles_at(self, moment: float) -> float:
        """Return the miles driven so far."""
        since = min(max(moment - self.started, 0.0), self.duration)
        left = self.duration - since
        if since < self.ramp:
            return self.acceleration * since**2 / 2 / HOUR
        if left < self.ramp:
            return self.miles - self.acceleration * left**2 / 2 / HOUR
        return (self.speed * self.ramp / 2 + self.speed * (since - self.ramp)) / HOUR

    def point_at(self, moment: float) -> Point:
        """Return the point that is reached."""
        return self.origin.towards(self.destination, self.miles_at(moment) / self.miles)


def drag(speed: float) -> float:
    """Return what a mile takes at a speed, kWh: the rated amount at 65 miles an hour."""
    return ENERGY_PER_MILE * (0.5 + 0.5 * (speed / CRUISE) ** 2)


def energy_of_motion(speed: float) -> float:
    """Return what a car of this mass holds at a speed, kWh."""
    return MASS * (speed * METRES_PER_SECOND) ** 2 / 2 / 1000 / HOUR


class Driving(Kept):
    """The car's place and motion."""

    KEPT = ("heading", "odometer", "shift_state")

    def __init__(self, point: Point, heading: float, odometer: float) -> None:
        """Begin parked at a point."""
        self.point = point
        self.heading = heading
        self.odometer = odometer
        self.shift_state: str | None = None
        self.trip: Trip | None = None

    @property
    def in_gear(self) -> bool:
        """Whether the car is in D, R or N."""
        return self.shift_state in {"D", "R", "N"}

    def set_off(self, trip: Trip) -> None:
        """Begin a trip."""
        self.shift_state = "D"
        self.heading = trip.origin.heading_to(trip.destination)
        self.trip = trip

    def park(self) -> None:
        """End a trip where the car is."""
        self.shift_state = "P"
        self.trip = None

    def speed_at(self, moment: float) -> float | None:
        """Return the speed in miles an hour, None when parked."""
        return self.trip.speed_at(moment) if self.trip else None

    def power_at(self, moment: float) -> float:
        """Return what the motors take, kW; negative while braking."""
        if self.trip is None:
            return 0.0
        speed, gained = self.trip.speed_at(moment), self.trip.acceleration_at(moment)
        push = MASS * gained * speed * METRES_PER_SECOND**2 / 1000
        return max(-REGENERATION, drag(speed) * speed + (push if push > 0 else push * RECOVERED))

    def advance(self, now: float, until: float) -> float:
        """Drive on from one moment to another, and return the energy that it took, kWh."""
        if self.trip is None:
            return 0.0
        trip = self.trip
        miles = trip.miles_at(until) - trip.miles_at(now)
        self.odometer += miles
        self.point = trip.point_at(until)
        gained = energy_of_motion(trip.speed_at(until)) - energy_of_motion(trip.speed_at(now))
        motion = gained if gained > 0 else gained * RECOVERED
        return drag(trip.speed_at((now + until) / 2)) * miles + motion

    @override
    def as_json(self) -> Json:
        """Return the state, with the point and the trip."""
        trip = astuple(self.trip) if self.trip else None
        return {**super().as_json(), "point": self.point, "trip": trip}

    @override
    def take_up(self, kept: Any) -> None:
        """Be there again, and on the same way."""
        super().take_up(kept)
        if "point" in kept:
            self.point, self.trip = Point(*kept["point"]), Trip.read(kept["trip"])
