"""Simulated drives that end at home, pass it, or leave it. The home is at the origin, in meters and seconds.

A route is drawn from its end outwards: streets of 30 km/h around the home, then roads of 50, 80 or 130 km/h.
The driver brakes before turns and red lights and accelerates after them.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
import math
from random import Random
from typing import Final, NamedTuple

KMH: Final = 1 / 3.6
STEP: Final = 2.0
"""Meters between two points of a route at which the speed is calculated."""
ACCELERATION: Final = 1.6
BRAKING: Final = 2.0
SHORTEST_ROAD, LONGEST_ROAD = 1.2, 1.6
"""Limits of the length of a route, relative to the straight line."""
TRIES: Final = 400
KINDS: Final = {
    "town": 70,
    "motorway": 65,
    "jam": 30,
    "passing": 45,
    "errand": 25,
    "no GPS": 15,
    "tunnel": 25,
    "return at once": 25,
}
"""How many of 300 drives are of each kind."""


class Point(NamedTuple):
    """A place, in meters east and north of the home."""

    x: float
    y: float


class Moment(NamedTuple):
    """What is true at one second of a drive."""

    at: float
    point: Point
    speed: float
    is_parked: bool = False
    has_gps: bool = True
    minutes: float | None = None
    """Minutes to the destination of the navigation, None without one."""


@dataclass
class Drive:
    """A drive, second by second."""

    kind: str
    seed: int
    moments: list[Moment] = field(default_factory=list)
    arrives_at: float | None = None
    """When the car reaches the drive of the home, before it is parked; None if it does not come home."""
    destination: Point | None = None
    """Where the navigation goes."""
    stream_interval: float = 5.0
    zone_offset: Point = Point(0, 0)  # noqa: RUF009 - it is immutable
    """The center of the home zone."""


type Piece = tuple[float, float, float, bool]
"""A straight piece of road: length, speed limit, the turn at its outer end, and whether a light is there."""


@dataclass
class _Leg:
    """A straight piece of road, in the direction of travel, and what is at its end."""

    length: float
    limit: float
    wait: float = 0.0
    is_light: bool = False
    is_parked: bool = False
    has_gps: bool = True


def make_drive(seed: int, day: int = 0) -> Drive:
    """Return the drive of a seed. An earlier `day` is the same way in other traffic, without an errand."""
    random, traffic = Random(seed), Random(f"{seed}, day {day}")  # noqa: S311 - a simulation
    kinds = [kind for kind, count in KINDS.items() for _ in range(count)]
    kind = kinds[seed * 7 % len(kinds)]
    drive = Drive(kind, seed, stream_interval=random.choice((2.0, 5.0, 5.0, 10.0)))
    direction, distance = random.uniform(0, math.tau), random.uniform(0, 20)
    drive.zone_offset = Point(distance * math.cos(direction), distance * math.sin(direction))
    points, pieces = _passing(random) if kind == "passing" else _route(random, kind)
    legs = _legs(traffic, pieces)
    if kind == "tunnel":
        _add_tunnel(random, points, legs)
    errand = None
    if kind == "jam" and not day:
        _add_jam(traffic, legs, points)
    if kind == "errand" and not day:
        errand = _add_errand(traffic, points, legs)
    if kind == "return at once" and not day:
        points, legs = _there_and_back(traffic, points, legs)
    if traffic.random() < 0.25:
        drive.destination = Point(0.0, 0.0)
        if kind == "passing":
            drive.destination = points[-1]
        elif errand is not None:
            drive.destination = errand if traffic.random() < 0.3 else drive.destination
        elif kind == "return at once":
            drive.destination = None
    _travel(traffic, drive, points, legs)
    if kind == "no GPS":
        drive.moments = [moment._replace(has_gps=False) for moment in drive.moments]
    return drive


def drives(seeds: Sequence[int]) -> list[Drive]:
    return [make_drive(seed) for seed in seeds]


def earlier_drives(seed: int, count: int = 5) -> list[Drive]:
    """Return the drives on the same way on earlier days."""
    return [make_drive(seed, day) for day in range(1, count + 1)]


def _vary(random: Random, speed: float) -> float:
    return speed * KMH * min(max(random.gauss(1.0, 0.08), 0.8), 1.15)


def _streets(random: Random) -> list[Piece]:
    """Return the streets near a home, outwards: length, speed limit, turn at the outer end, light there."""
    left, streets = random.uniform(120, 700), []
    while left > 0:
        length = min(left, random.uniform(60, 300))
        streets.append((length, 30.0, random.choice((-1, 1)) * random.uniform(60, 110), False))
        left -= length
    return streets


def _roads(random: Random, kind: str) -> list[Piece]:
    roads, left = [], random.uniform(800, 5000)
    while left > 0:
        length = min(left, random.uniform(200, 900))
        turn = random.gauss(0, 12) if random.random() < 0.6 else random.choice((-1, 1)) * random.gauss(85, 12)
        roads.append((length, 50.0, turn, random.random() < 0.55))
        left -= length
    if kind == "motorway" or random.random() < 0.3:
        fast = 130.0 if kind == "motorway" and random.random() < 0.7 else 80.0
        left = random.uniform(4000, 20_000)
        while left > 0:
            length = min(left, random.uniform(600, 2500))
            roads.append((length, fast, random.gauss(0, 15), False))
            left -= length
    return roads


def _lay(pieces: Sequence[Piece], start: Point, heading: float) -> list[Point]:
    points = [start]
    for length, _, turn, _ in pieces:
        last = points[-1]
        points.append(Point(last.x + length * math.sin(heading), last.y + length * math.cos(heading)))
        heading += math.radians(turn)
    return points


def _route(random: Random, kind: str) -> tuple[list[Point], list[Piece]]:
    """Return the points and pieces of a way home."""
    for _ in range(TRIES):
        pieces = [*_streets(random), *_roads(random, kind)]
        points = _lay(pieces, Point(0.0, 0.0), random.uniform(0, math.tau))
        length, air = sum(piece[0] for piece in pieces), math.hypot(*points[-1])
        if SHORTEST_ROAD <= length / air <= LONGEST_ROAD:
            break
    else:
        raise AssertionError(kind)
    return points[::-1], pieces[::-1]


def _legs(random: Random, pieces: Sequence[Piece]) -> list[_Leg]:
    """Return the legs of pieces in the direction of travel. A light is where a leg begins."""
    legs = [_Leg(length, _vary(random, limit)) for length, limit, _, _ in pieces]
    for leg, (_, _, _, has_light) in zip(legs, pieces[1:], strict=False):
        leg.is_light = has_light
        if has_light and random.random() < 0.45:
            leg.wait = random.uniform(10, 60)
    return legs


def _passing(random: Random) -> tuple[list[Point], list[Piece]]:
    """Return a drive on a road that comes within 60 to 1,500 m of the home, and goes on."""
    limit = random.choice((50.0, 50.0, 50.0, 80.0, 130.0))
    nearest = random.uniform(300 if limit > 100 else 60, 1500)
    side, heading = random.uniform(0, math.tau), 0.0
    start = Point(nearest * math.sin(side), nearest * math.cos(side))
    heading = side + math.pi / 2
    halves = []
    for way in (heading, heading + math.pi):
        pieces: list[Piece] = []
        left = random.uniform(2500, 8000)
        while left > 0:
            length, town = random.uniform(300, 1200), limit < 60
            turn = random.gauss(0, 10) if town or len(pieces) < 2 else random.gauss(0, 15)
            pieces.append((length, limit, turn, town and random.random() < 0.45))
            left -= length
        halves.append((pieces, _lay(pieces, start, way)))
    (before, there), (after, beyond) = halves
    return [*there[::-1], *beyond[1:]], [*before[::-1], *after]


def _split(points: list[Point], legs: list[_Leg], left: float) -> int:
    """Split the leg that has a distance left to the end. Return the index of the new point."""
    rest = 0.0
    for index in reversed(range(len(legs))):
        leg = legs[index]
        if rest + leg.length > left:
            share = 1 - (left - rest) / leg.length
            a, b = points[index], points[index + 1]
            points.insert(index + 1, Point(a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share))
            first = _Leg(leg.length * share, leg.limit, has_gps=leg.has_gps)
            leg.length *= 1 - share
            legs.insert(index, first)
            return index + 1
        rest += leg.length
    return 0


def _add_jam(random: Random, legs: list[_Leg], points: list[Point]) -> None:
    total = sum(leg.length for leg in legs)
    end = random.uniform(300, min(5000, total * 0.6))
    left, start = end, min(end + random.uniform(400, 2000), total * 0.9)
    slow = random.uniform(8, 20) * KMH
    while left < start:
        index = _split(points, legs, left)
        if index and left > end:
            legs[index].limit = min(legs[index].limit, slow)
            legs[index - 1].wait = random.uniform(3, 30) if random.random() < 0.6 else 0.0
        left += random.uniform(60, 150)


def _add_tunnel(random: Random, points: list[Point], legs: list[_Leg]) -> None:
    total = sum(leg.length for leg in legs)
    end = random.uniform(300, min(3000, total * 0.5))
    start = min(end + random.uniform(500, 3000), total * 0.9)
    first = _split(points, legs, start)
    last = _split(points, legs, end)
    for leg in legs[first:last]:
        leg.has_gps = False


def _add_errand(random: Random, points: list[Point], legs: list[_Leg]) -> Point:
    index = _split(points, legs, random.uniform(300, 1800))
    legs[index - 1].wait, legs[index - 1].is_parked = random.uniform(90, 600), True
    return points[index]


def _there_and_back(random: Random, points: list[Point], legs: list[_Leg]) -> tuple[list[Point], list[_Leg]]:
    index = _split(points, legs, random.uniform(500, 2500))
    points, legs = points[index:], legs[index:]
    there = [_Leg(leg.length, leg.limit) for leg in reversed(legs)]
    there[-1].wait = random.uniform(3, 20)
    return [*points[::-1], *points[1:]], [*there, *legs]


def _corner(before: Point, at: Point, after: Point) -> float:
    """Return the highest speed of a turn."""
    turn = math.atan2(after.x - at.x, after.y - at.y) - math.atan2(at.x - before.x, at.y - before.y)
    degrees = abs(math.degrees(math.remainder(turn, math.tau)))
    if degrees < 20:
        return math.inf
    return (35 if degrees < 50 else 20 if degrees < 130 else 8) * KMH


def _times(legs: Sequence[_Leg], corners: Sequence[float], *, stops: bool) -> tuple[list[float], list[float]]:
    """Return the speed and the time at each step of the way. `stops`: with red lights and other stops."""
    limits, waits = [], {}
    for leg, corner in zip(legs, corners, strict=True):
        limits += [leg.limit] * max(round(leg.length / STEP), 1)
        if stops and leg.wait:
            limits[-1], waits[len(limits) - 1] = 0.0, leg.wait
        limits[-1] = min(limits[-1], corner)
    speeds = limits[:]
    speeds[0] = 0.0
    for index in range(1, len(speeds)):
        speeds[index] = min(speeds[index], math.sqrt(speeds[index - 1] ** 2 + 2 * ACCELERATION * STEP))
    for index in reversed(range(len(speeds) - 1)):
        speeds[index] = min(speeds[index], math.sqrt(speeds[index + 1] ** 2 + 2 * BRAKING * STEP))
    times = [0.0]
    for index, (a, b) in enumerate(pairwise(speeds)):
        times.append(times[-1] + waits.get(index, 0.0) + 2 * STEP / max(a + b, 0.5))
    return speeds, times


def _travel(random: Random, drive: Drive, points: list[Point], legs: list[_Leg]) -> None:
    corners = [_corner(*three) for three in zip(points, points[1:], points[2:], strict=False)]
    corners.append(math.inf if drive.kind == "passing" else 8 * KMH)
    speeds, times = _times(legs, corners, stops=True)
    _, free = _times(legs, corners, stops=False)
    places = [
        (Point(a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share), leg)
        for leg, (a, b) in zip(legs, pairwise(points), strict=True)
        for count in [max(round(leg.length / STEP), 1)]
        for share in ((step + 1) / count for step in range(count))
    ]
    goal = len(free) - 1
    if drive.destination is not None and drive.kind == "errand" and drive.destination != Point(0.0, 0.0):
        goal = min(
            range(len(places)), key=lambda index: math.dist(places[index][0], drive.destination or (0, 0))
        )
    # The lights between each step and the goal
    ends = [leg.is_light and leg is not following for (_, leg), (_, following) in pairwise(places)]
    lights = list(accumulate(reversed([*ends[:goal], False]), initial=0))[::-1]
    bias, begins_at = random.uniform(0.95, 1.1), random.uniform(0, 60)
    drift = Point(random.gauss(0, 3), random.gauss(0, 3))
    for second in range(math.ceil(times[-1])):
        index = min(bisect_right(times, second) - 1, len(times) - 2)
        point, leg = places[index]
        travel = 2 * STEP / max(speeds[index] + speeds[index + 1], 0.5)
        is_waiting = times[index + 1] - times[index] > travel + 1 and second < times[index + 1] - travel
        share = 0.0 if is_waiting else min(max(1 - (times[index + 1] - second) / travel, 0.0), 1.0)
        following = places[index + 1][0]
        place = Point(point.x + (following.x - point.x) * share, point.y + (following.y - point.y) * share)
        speed = 0.0 if is_waiting else speeds[index] + (speeds[index + 1] - speeds[index]) * share
        minutes = None
        if drive.destination is not None and index <= goal:
            # The navigation knows the traffic, but not the lights, for which it adds an average.
            delay = (
                max(times[goal] - second - (free[goal] - free[index]), 0.0) if drive.kind == "jam" else 0.0
            )
            minutes = round(((free[goal] - free[index]) * bias + 10 * lights[index] + 0.8 * delay) / 60, 2)
        drift = Point(drift.x * 0.95 + random.gauss(0, 1), drift.y * 0.95 + random.gauss(0, 1))
        seen = Point(place.x + drift.x, place.y + drift.y)
        is_parked = leg.is_parked and is_waiting
        drive.moments.append(Moment(begins_at + second, seen, speed, is_parked, leg.has_gps, minutes))
    end = drive.moments[-1].at + 1
    last = drive.moments[-1]
    if drive.kind != "passing":
        drive.arrives_at = end
        for second in range(random.randint(10, 30)):
            drive.moments.append(last._replace(at=end + second, speed=1.0, minutes=None))
    end = drive.moments[-1].at + 1
    drive.moments += [
        last._replace(at=end + second, speed=0.0, is_parked=True, minutes=None) for second in range(240)
    ]
