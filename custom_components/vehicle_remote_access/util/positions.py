"""Positions on the Earth, and whether a car was driven."""

import math
from typing import Final

MOVED: Final = 0.5
"""Miles. A smaller difference of the odometer can come from a conversion of units."""

type Position = tuple[float, float]
"""Latitude and longitude in degrees."""


def degrees_between(position: Position, other: Position) -> float:
    """Return the distance of two positions in degrees of latitude. It is exact if they are close together."""
    north = position[0] - other[0]
    east = (position[1] - other[1] + 180) % 360 - 180
    return math.hypot(north, east * math.cos(math.radians(other[0])))


def was_driven(odometer: float | None, before: float | None, least: float = MOVED) -> bool:
    """Return whether an odometer has risen by more than `least` miles. Unknown values show no drive."""
    return odometer is not None and before is not None and odometer > before + least
