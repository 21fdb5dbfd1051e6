"""Positions on the Earth, and whether a car was driven."""

import math
from typing import Final

MOVED: Final = 0.5
"""Miles. A smaller difference of the odometer can come from a conversion of units."""
METERS_PER_DEGREE: Final = 111_195.0

type Position = tuple[float, float]
"""Latitude and longitude in degrees."""


def degrees_between(position: Position, other: Position) -> float:
    """Return the distance of two positions in degrees of latitude. It is exact if they are close together."""
    north = position[0] - other[0]
    east = (position[1] - other[1] + 180) % 360 - 180
    return math.hypot(north, east * math.cos(math.radians(other[0])))


def meters_between(position: Position, other: Position) -> float:
    return degrees_between(position, other) * METERS_PER_DEGREE


def nearest_on_line(point: Position, start: Position, end: Position) -> tuple[float, float]:
    """Return the share of a line at which it is nearest to a point, and how near, in degrees."""
    scale = math.cos(math.radians(start[0]))
    x, y = (point[1] - start[1]) * scale, point[0] - start[0]
    dx, dy = (end[1] - start[1]) * scale, end[0] - start[0]
    length = dx * dx + dy * dy
    share = min(1.0, max(0.0, (x * dx + y * dy) / length)) if length else 0.0
    return share, math.hypot(x - share * dx, y - share * dy)


def was_driven(odometer: float | None, before: float | None, least: float = MOVED) -> bool:
    """Return whether an odometer has risen by more than `least` miles. Unknown values show no drive."""
    return odometer is not None and before is not None and odometer > before + least
