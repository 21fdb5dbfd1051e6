"""Where the car was: the tracks of drives, with few enough points for a map of a year, and the places."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ..util.positions import Position, degrees_between, nearest_on_line
from .entries import Drive, DriveSample

_VISIBLE: Final = 1 / 1000
"""The share of the map that a point must be off a line to be worth drawing."""
_NEAR: Final = 0.003
"""In degrees. A drive starts about where the one before it ended."""
_SAME_PLACE: Final = 0.001
"""In degrees. Cars are parked this close together at a place without a name."""
_MOST_PLACES: Final = 12

type Point = tuple[float, float, float]
"""A position, and the start of its drive."""


def drive_tracks(
    drives: Iterable[Drive], samples: Mapping[str, Sequence[DriveSample]]
) -> list[dict[str, Any]]:
    """Return a line for drives that follow each other. `is_track`: whether the car was seen on its way."""
    lines: list[tuple[bool, list[Point]]] = []
    for drive in drives:
        points, is_track = _points(drive, samples.get(drive.id, ()))
        if not points:
            continue
        was_track, line = lines[-1] if lines else (is_track, [])
        goes_on = bool(line) and degrees_between(line[-1][:2], points[0][:2]) < _NEAR
        if goes_on and was_track == is_track:
            line += points
        else:
            lines.append((is_track, points))
    tolerance = _VISIBLE * _extent([point for _, points in lines for point in points])
    return [{"is_track": is_track, "points": simplified(points, tolerance)} for is_track, points in lines]


def visited_places(drives: Iterable[Drive]) -> list[dict[str, Any]]:
    """Return the places where most drives ended, each with the last of these drives."""
    found: dict[str | Position, tuple[int, Drive]] = {}
    # By their latitudes, because comparing all with each other takes long
    unnamed = defaultdict[int, list[Position]](list)
    for drive in drives:
        if drive.end_latitude is None or drive.end_longitude is None:
            continue
        here, row = (drive.end_latitude, drive.end_longitude), round(drive.end_latitude / _SAME_PLACE)
        beside = (place for each in (row, row - 1, row + 1) for place in unnamed[each])
        near = (place for place in beside if degrees_between(place, here) < _SAME_PLACE)
        place = drive.end_place or next(near, here)
        if place is here:
            unnamed[row].append(here)
        stays, _ = found.get(place, (0, drive))
        found[place] = stays + 1, drive
    # Most places are visited once. A list of them says nothing.
    repeated = [place for place in found.values() if place[0] > 1]
    most = sorted(repeated, key=lambda place: place[0], reverse=True)[:_MOST_PLACES]
    return [
        {
            "place": drive.end_place,
            "position": [drive.end_latitude, drive.end_longitude],
            "stays": stays,
            "start": drive.start,
        }
        for stays, drive in most
    ]


def _points(drive: Drive, samples: Sequence[DriveSample]) -> tuple[list[Point], bool]:
    """Return the known positions of a drive, and whether there is one of its way."""
    way = [(sample.latitude, sample.longitude) for sample in samples]
    start, end = (drive.start_latitude, drive.start_longitude), (drive.end_latitude, drive.end_longitude)
    points = [
        (latitude, longitude, drive.start)
        for latitude, longitude in (start, *way, end)
        if latitude is not None and longitude is not None
    ]
    return points, any(latitude is not None for latitude, _ in way)


def _extent(points: Sequence[Point]) -> float:
    """Return the size of the area with all points, in degrees."""
    if not points:
        return 0.0
    latitudes, longitudes, _ = zip(*points, strict=True)
    return degrees_between((min(latitudes), min(longitudes)), (max(latitudes), max(longitudes)))


def simplified(points: Sequence[Point], tolerance: float) -> list[Point]:
    """Return the points without those that are near the line between others (Ramer, Douglas and Peucker)."""
    kept = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        line = points[first][:2], points[last][:2]
        inner = range(first + 1, last)
        off = {index: nearest_on_line(points[index][:2], *line)[1] for index in inner}
        farthest = max(off, key=off.__getitem__, default=None)
        if farthest is not None and off[farthest] > tolerance:
            kept.add(farthest)
            parts += [(first, farthest), (farthest, last)]
    return [points[index] for index in sorted(kept)]
