"""The world around the car, as far as its reports depend on it. Powers in kW, energies in kWh."""

from dataclasses import dataclass
from itertools import pairwise
import math
from typing import Final

PACK: Final = 75.0
"""Usable energy of a full battery."""
ENERGY_PER_PERCENT: Final = PACK / 100
MILES_PER_PERCENT: Final = 2.5
"""Rated range."""
ENERGY_PER_MILE: Final = 0.30
"""What a rated mile takes."""

ASLEEP: Final = 0.03
AWAKE: Final = 0.19
SENTRY: Final = 0.25
"""What a parked car draws, about 1, 6 and another 8 percent a day."""

HEAT_LOSS: Final = 0.12
"""What leaves the cabin for each degree that it is warmer than outside, kW."""
HEAT_CAPACITY: Final = 200.0
"""What warms the cabin by one degree, kJ."""
HEATING: Final = 5.5
COOLING: Final = 4.0
"""The most that climate control can bring into the cabin, or take out of it."""
COOLING_EFFECT: Final = 2.5
"""Heat moved for each unit of electricity."""

HOUR: Final = 3600.0
DAY: Final = 86_400.0

WEAK_SUPPLY: Final = 16
"""Below this many amperes the car's own electronics eat a fifth of the charging power."""
TAPER_FROM: Final = 95.0
TAPER_TO: Final = 0.3
"""An almost full battery takes less and less, at the end 30 percent of the power."""
FAST_CURVE: Final = ((0.0, 120.0), (30.0, 120.0), (60.0, 60.0), (80.0, 35.0), (97.0, 10.0), (100.0, 5.0))
"""A fast charger's power by battery level."""


@dataclass(frozen=True, slots=True)
class Supply:
    """What a charging point offers."""

    volts: int
    amperes: int
    phases: int = 1

    @property
    def efficiency(self) -> float:
        """The share of the power that arrives in the battery."""
        return 0.9 if self.amperes >= WEAK_SUPPLY else 0.8

    def power(self, amperes: float) -> float:
        """Return the power that a current draws from the charging point."""
        return self.volts * amperes * self.phases / 1000


def taper(level: float) -> float:
    """Return the share of the charging power that the battery takes at a level in percent."""
    if level <= TAPER_FROM:
        return 1.0
    return 1.0 - (1.0 - TAPER_TO) * (min(level, 100.0) - TAPER_FROM) / (100.0 - TAPER_FROM)


def fast_power(level: float) -> float:
    """Return a fast charger's power at a level in percent."""
    pieces = pairwise(FAST_CURVE)
    (low, more), (high, less) = next(piece for piece in pieces if min(level, 100.0) <= piece[1][0])
    return more + (less - more) * (level - low) / (high - low)


def approach(value: float, goal: float, seconds: float, time_constant: float) -> float:
    """Return where a value has come to that drifts towards a goal."""
    return goal + (value - goal) * math.exp(-seconds / time_constant)
