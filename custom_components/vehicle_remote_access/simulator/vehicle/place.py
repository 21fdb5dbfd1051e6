"""Places on the earth, and the way from one to another."""

from dataclasses import dataclass
from datetime import timedelta, timezone, tzinfo
import math
from typing import NamedTuple, Self

MILES_PER_DEGREE = 69.09
"""Of latitude."""
FARTHEST_NORTH = 85.0
"""Beyond it, degrees of longitude mean nothing to a driver."""
DEGREES_PER_HOUR = 15


class Point(NamedTuple):
    """A point, in degrees."""

    latitude: float
    longitude: float

    def beyond(self, miles: float, heading: float) -> Point:
        """Return where one arrives who drives straight on, in degrees from north."""
        direction = math.radians(heading)
        north, east = miles * math.cos(direction), miles * math.sin(direction)
        latitude = self.latitude + north / MILES_PER_DEGREE
        longitude = self.longitude + east / (MILES_PER_DEGREE * self._narrowing)
        return Point(max(-FARTHEST_NORTH, min(FARTHEST_NORTH, latitude)), (longitude + 180.0) % 360.0 - 180.0)

    def towards(self, other: Point, share: float) -> Point:
        """Return the point that lies a share of the way to another."""
        longitude = self.longitude + self._east_to(other) * share
        return Point(
            self.latitude + (other.latitude - self.latitude) * share, (longitude + 180.0) % 360.0 - 180.0
        )

    def miles_to(self, other: Point) -> float:
        """Return how far another point is, in a straight line."""
        north, east = other.latitude - self.latitude, self._east_to(other) * self._narrowing
        return math.hypot(north, east) * MILES_PER_DEGREE

    def heading_to(self, other: Point) -> float:
        """Return in which direction another point lies, in degrees from north."""
        north, east = other.latitude - self.latitude, self._east_to(other) * self._narrowing
        return math.degrees(math.atan2(east, north)) % 360.0

    @property
    def _narrowing(self) -> float:
        """By how much a degree of longitude is shorter here than at the equator."""
        return math.cos(math.radians(max(-FARTHEST_NORTH, min(FARTHEST_NORTH, self.latitude))))

    def _east_to(self, other: Point) -> float:
        """Return the degrees of longitude to another point, the shorter way around."""
        return (other.longitude - self.longitude + 180.0) % 360.0 - 180.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a car is at home: the point, what is usual there, and what the clocks show."""

    latitude: float
    longitude: float
    mean_temperature: float
    """Of a whole year, °C."""
    zone: tzinfo | None = None

    @classmethod
    def at(cls, latitude: float, longitude: float, zone: tzinfo | None = None) -> Self:
        """Return a place of which only is known where it lies: the farther from the equator, the colder."""
        return cls(latitude, longitude, 27.0 - 0.4 * max(0.0, abs(latitude) - 10.0), zone)

    @property
    def point(self) -> Point:
        """Where it lies."""
        return Point(self.latitude, self.longitude)

    @property
    def clocks(self) -> tzinfo:
        """What the clocks show there: the time by the sun, in whole hours, unless it is known better."""
        return self.zone or timezone(timedelta(hours=round(self.longitude / DEGREES_PER_HOUR)))
