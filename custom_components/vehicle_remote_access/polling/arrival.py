"""Predicts when a car will be home. No clock, no network, no Home Assistant. Times are Unix seconds."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
import math
from statistics import median_low
from typing import Final, NamedTuple, Self

from ..api.records import DriveState
from ..util.positions import METERS_PER_DEGREE, Position, meters_between, nearest_on_line

EXTRA_READS: Final = 6
"""The most live reads of a drive that are planned to see it arrive."""
_SHORTEST_WAIT: Final = 10.0
# A moving car is taken to go on for this time, in a tunnel or between two live reads.
_GOES_ON: Final = 65.0
_ROUTE_VALID_FOR: Final = 90.0
# Navigation ends at a street, and a home zone is around a building.
_ROUTE_ENDS_WITHIN: Final = 200.0
# A car that is parked nearer has made a stop on its way home.
_FAR: Final = 1000.0
# The distance must have fallen in the first time by so many meters, and must not rise in the second one.
_WINDOW: Final = 150.0
_JUST_NOW: Final = 15.0
_CLOSED: Final = 30.0
# Miles per hour. A car that is faster so near home passes by.
_FAST: Final = 16.0
_BRAKES_IN: Final = 18.0
"""Meters for each mile per hour."""
# Of past drives
_NEAR: Final = 5000.0
_LONGEST: Final = 1200.0
_ON_ROAD: Final = 35.0
_SAME_ROAD: Final = 80.0
_AT_DOOR: Final = 25.0
# With few positions, a line between two of them leaves the road by up to this share of its length.
_DIRECT: Final = 100.0
_DETOUR: Final = 0.2
# Meters a second, in a straight line. Near home, streets are slow and have turns.
_SLOWEST: Final = 4.0
_GETS_FASTER_IN: Final = 800.0
_AT_LAST: Final = 6.0


class Home(NamedTuple):
    """The home zone. The radius is in meters."""

    position: Position
    radius: float
    name: str = ""


class PastDrive(NamedTuple):
    """A drive of the log near home."""

    track: Sequence[tuple[float, Position]]
    """When the car was where."""
    arrived_at: float | None
    """When it was home, None if it passed by."""

    @classmethod
    def of(cls, track: Sequence[tuple[float, Position]], home: Home) -> Self | None:
        """Return the part of a track that is near home, or None if there is none."""
        near = [point for point in track if meters_between(point[1], home.position) < max(_NEAR, home.radius)]
        end = track[-1][1]
        if meters_between(end, home.position) > home.radius:
            # One that ended nearby shows nothing.
            return cls(near, None) if near and meters_between(end, home.position) > _FAR else None
        index = next(index for index, (_, place) in enumerate(near) if meters_between(place, end) < _AT_DOOR)
        arrived_at, _ = near[index]
        if index:
            # The car may have been parked long before that was seen.
            at, place = near[index - 1]
            arrived_at = min(arrived_at, at + meters_between(place, end) / _AT_LAST)
        return cls([point for point in near[: index + 1] if point[0] > arrived_at - _LONGEST], arrived_at)

    def when_at(self, position: Position) -> float | None:
        """Return when the drive was at a position, None if it was not there."""
        nearest, found = _ON_ROAD, None
        for (start, a), (end, b) in pairwise(self.track):
            share, degrees = nearest_on_line(position, a, b)
            detour = max(meters_between(a, b) - _DIRECT, 0.0) * _DETOUR
            off = degrees * METERS_PER_DEGREE - detour
            if off <= nearest:
                nearest, found = off, start + share * (end - start)
        return found


class _Fix(NamedTuple):
    at: float
    position: Position
    speed: float
    """Miles per hour."""


@dataclass(slots=True)
class Approach:
    """What was seen of a drive."""

    past_drives: Sequence[PastDrive] = ()
    """Drives of the log near home. The car may now be on the road of some of them."""
    _fixes: deque[_Fix] = field(default_factory=lambda: deque(maxlen=200))
    _gps_as_of: datetime | None = None
    _route: Position | str | None = None
    _route_left: tuple[float | None, float] = None, 0.0
    """The minutes until the end of the route, and since when they are known."""

    def update(self, drive: DriveState, at: float, home: Home) -> bool:
        """Add what was seen at a moment. Return whether the car is parked at home or far away from it."""
        position = drive.position
        if not drive.is_driving or position is None:
            self._fixes.clear()
            if position is None or drive.is_driving is None:
                return False
            return not home.radius <= meters_between(position, home.position) <= _FAR
        speed, is_new = drive.speed or 0.0, drive.gps_as_of is None or drive.gps_as_of != self._gps_as_of
        if is_new or not speed:
            since = at
            if speed and drive.gps_as_of is not None and drive.timestamp is not None:
                since -= max((drive.timestamp - drive.gps_as_of).total_seconds(), 0.0)
            self._gps_as_of = drive.gps_as_of
            self._fixes.append(_Fix(since, position, speed))
        if drive.active_route_minutes_to_arrival != self._route_left[0]:
            self._route_left = drive.active_route_minutes_to_arrival, at
        self._route = drive.active_route_destination
        north, east = drive.active_route_latitude, drive.active_route_longitude
        if north is not None and east is not None:
            self._route = north, east
        return False

    def seconds_left(self, now: float, home: Home) -> float | None:
        """Return in how many seconds the car is home, or None if that is unknown or it is not coming."""
        if not self._fixes or now - self._fixes[-1].at > _GOES_ON:
            return None
        fix = self._fixes[-1]
        left = self._by_route(fix, home)
        if left is None:
            lefts = [
                left for each in self.past_drives if (left := self._by_past_drive(fix, each)) is not None
            ]
            # On this road, it usually came home or usually passed by.
            left = median_low(lefts) if lefts else self._by_distance(fix, home)
        if left == math.inf:
            return None
        return max(left - (now - fix.at), 0.0) if fix.speed else left

    def _by_route(self, fix: _Fix, home: Home) -> float | None:
        """Return the seconds left at a fix, infinity if the car drives elsewhere, None if unknown."""
        minutes, since = self._route_left
        if self._route is None:
            return None
        is_home = self._route == home.name
        if not isinstance(self._route, str):
            is_home = meters_between(self._route, home.position) < home.radius + _ROUTE_ENDS_WITHIN
        if not is_home:
            return math.inf
        is_valid = minutes is not None and fix.at - since < _ROUTE_VALID_FOR
        return max(minutes * 60 - (fix.at - since), 0.0) if is_valid and minutes is not None else None

    def _by_past_drive(self, fix: _Fix, past: PastDrive) -> float | None:
        """Return the seconds left on the road of a past drive, infinity if it passed by, None elsewhere."""
        fixes, place = reversed(self._fixes), fix.position
        at = past.when_at(place)
        before = next((each for each in fixes if meters_between(each.position, place) > _SAME_ROAD), None)
        came_at = None if at is None or before is None else past.when_at(before.position)
        if at is None or came_at is None or came_at >= at:
            return None
        return math.inf if past.arrived_at is None else max(past.arrived_at - at, 0.0)

    def _by_distance(self, fix: _Fix, home: Home) -> float:
        """Return the seconds left by the distance and how fast it falls, infinity if it does not fall."""
        distance = meters_between(fix.position, home.position)
        recent = [each for each in self._fixes if fix.at - each.at <= _WINDOW]
        since, before = recent[0], [each for each in recent if fix.at - each.at >= _JUST_NOW]
        if not before:
            return math.inf
        closed, just_closed = (
            meters_between(each.position, home.position) - distance for each in (since, before[-1])
        )
        if closed < _CLOSED or just_closed < -_CLOSED or fix.speed > _FAST + distance / _BRAKES_IN:
            return math.inf
        usual = distance / (_SLOWEST + min(distance, _NEAR) / _GETS_FASTER_IN)
        measured = distance * (fix.at - since.at) / closed
        weight = min(distance / _GETS_FASTER_IN, 1.0) / 2
        return usual * (1 - weight) + min(measured, 3 * usual) * weight


def next_read(left: float | None, wanted: Iterable[float], now: float) -> float:
    """Return when a live read shows better when the car is home: after half of the time until it matters."""
    waits = [left - each for each in wanted if left is not None and left > each]
    return now + max(min(waits) / 2, _SHORTEST_WAIT) if waits else math.inf
