"""Points on the earth, and a vehicle's home."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
import math
from typing import NamedTuple, Self

MILES_PER_DEGREE = 69.09  # of latitude
LATITUDE_LIMIT = 85.0  # closer to a pole, degrees of longitude are too short to calculate with
DEGREES_PER_HOUR = 15
ROAD_FACTOR = 1.25  # length of roads, relative to straight lines
ARRIVAL_RADIUS = 0.1  # miles within which a car has arrived


class Point(NamedTuple):
    """A point, in degrees."""

    latitude: float
    longitude: float

    def beyond(self, miles: float, heading: float) -> Point:
        """Return the point at a distance in a direction, in degrees from north."""
        direction = math.radians(heading)
        north, east = miles * math.cos(direction), miles * math.sin(direction)
        latitude = self.latitude + north / MILES_PER_DEGREE
        longitude = self.longitude + east / (MILES_PER_DEGREE * self._longitude_scale)
        return Point(max(-LATITUDE_LIMIT, min(LATITUDE_LIMIT, latitude)), (longitude + 180.0) % 360.0 - 180.0)

    def towards(self, other: Point, share: float) -> Point:
        longitude = self.longitude + self._east_to(other) * share
        return Point(
            self.latitude + (other.latitude - self.latitude) * share, (longitude + 180.0) % 360.0 - 180.0
        )

    def miles_to(self, other: Point) -> float:
        north, east = other.latitude - self.latitude, self._east_to(other) * self._longitude_scale
        return math.hypot(north, east) * MILES_PER_DEGREE

    def heading_to(self, other: Point) -> float:
        north, east = other.latitude - self.latitude, self._east_to(other) * self._longitude_scale
        return math.degrees(math.atan2(east, north)) % 360.0

    @property
    def _longitude_scale(self) -> float:
        """The length of a degree of longitude here, relative to the equator."""
        return math.cos(math.radians(max(-LATITUDE_LIMIT, min(LATITUDE_LIMIT, self.latitude))))

    def _east_to(self, other: Point) -> float:
        """Return the degrees of longitude to another point, by the shorter way."""
        return (other.longitude - self.longitude + 180.0) % 360.0 - 180.0


@dataclass(frozen=True, slots=True)
class Home:
    """A vehicle's home: its location, climate and time zone."""

    latitude: float
    longitude: float
    mean_temperature: float
    """Of a whole year, °C."""
    zone: tzinfo | None = None
    """The time zone, if known."""

    @classmethod
    def at(cls, latitude: float, longitude: float, zone: tzinfo | None = None) -> Self:
        """Return the home at a location. The mean temperature follows from the latitude."""
        return cls(latitude, longitude, 27.0 - 0.4 * max(0.0, abs(latitude) - 10.0), zone)

    @property
    def point(self) -> Point:
        return Point(self.latitude, self.longitude)

    @property
    def time_zone(self) -> tzinfo:
        """The time zone. If it is unknown: the zone by the longitude, in whole hours."""
        return self.zone or timezone(timedelta(hours=round(self.longitude / DEGREES_PER_HOUR)))

    def day(self, moment: float) -> date:
        return datetime.fromtimestamp(moment, self.time_zone).date()

    def moment(self, day: date, hour: float) -> float:
        midnight = datetime.combine(day, time(), self.time_zone)
        return (midnight + timedelta(hours=hour)).timestamp()

    def next_moment(self, now: float, hour: float) -> float:
        """Return when it is this hour of the day for the next time."""
        today = self.moment(self.day(now), hour)
        return today if today > now else self.moment(self.day(now) + timedelta(days=1), hour)
