"""Where the car is, and how it gets to another place (drive_state, the odometer)."""

from dataclasses import dataclass
import math
from typing import Final

from .equipment import Place
from .physics import ENERGY_PER_MILE, HOUR, MILES_PER_DEGREE

CRUISE: Final = 65.0
VALET_SPEED: Final = 70.0
VALET_POWER: Final = 80.0
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

    @classmethod
    def plan(cls, started: float, miles: float, speed: float) -> Trip:
        """Return the trip; over a short way the speed is not reached."""
        return cls(started, miles, min(speed, math.sqrt(miles * ACCELERATION * HOUR)))

    @property
    def ramp(self) -> float:
        """Seconds that speeding up takes, and slowing down as well."""
        return self.speed / ACCELERATION

    @property
    def duration(self) -> float:
        """Seconds from start to stop."""
        return self.miles / self.speed * HOUR + self.ramp

    def speed_at(self, moment: float) -> float:
        """Return the speed in miles an hour."""
        since, left = moment - self.started, self.started + self.duration - moment
        return max(0.0, min(self.speed, since * ACCELERATION, left * ACCELERATION))

    def acceleration_at(self, moment: float) -> float:
        """Return the miles an hour gained in a second, negative while slowing down."""
        since = moment - self.started
        if since < self.ramp:
            return ACCELERATION
        return -ACCELERATION if since > self.duration - self.ramp else 0.0

    def miles_at(self, moment: float) -> float:
        """Return the miles driven so far."""
        since = min(max(moment - self.started, 0.0), self.duration)
        left = self.duration - since
        if since < self.ramp:
            return ACCELERATION * since**2 / 2 / HOUR
        if left < self.ramp:
            return self.miles - ACCELERATION * left**2 / 2 / HOUR
        return (self.speed * self.ramp / 2 + self.speed * (since - self.ramp)) / HOUR


def drag(speed: float) -> float:
    """Return what a mile takes at a speed, kWh: the rated amount at 65 miles an hour."""
    return ENERGY_PER_MILE * (0.5 + 0.5 * (speed / CRUISE) ** 2)


def energy_of_motion(speed: float) -> float:
    """Return what a car of this mass holds at a speed, kWh."""
    return MASS * (speed * METRES_PER_SECOND) ** 2 / 2 / 1000 / HOUR


class Driving:
    """The car's place and motion."""

    def __init__(self, place: Place, heading: float, odometer: float) -> None:
        """Begin parked at a place."""
        self.latitude = place.latitude
        self.longitude = place.longitude
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
        heading = math.radians(self.heading)
        self.latitude += miles * math.cos(heading) / MILES_PER_DEGREE
        self.longitude += miles * math.sin(heading) / MILES_PER_DEGREE / math.cos(math.radians(self.latitude))
        gained = energy_of_motion(trip.speed_at(until)) - energy_of_motion(trip.speed_at(now))
        motion = gained if gained > 0 else gained * RECOVERED
        return drag(trip.speed_at((now + until) / 2)) * miles + motion
