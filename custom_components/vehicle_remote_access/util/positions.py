"""Positions on the Earth."""

import math

type Position = tuple[float, float]
"""Latitude and longitude in degrees."""


def degrees_between(position: Position, other: Position) -> float:
    """Return the distance of two positions in degrees of latitude. It is exact if they are close together."""
    north = position[0] - other[0]
    east = (position[1] - other[1] + 180) % 360 - 180
    return math.hypot(north, east * math.cos(math.radians(other[0])))
