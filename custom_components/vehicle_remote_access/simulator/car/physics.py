"""Constants and formulas of the simulated physics. Powers are in kW, energies in kWh."""

from dataclasses import dataclass
from itertools import pairwise
import math
from typing import Final

PACK: Final = 75.0  # usable energy of a full battery
ENERGY_PER_PERCENT: Final = PACK / 100
MILES_PER_PERCENT: Final = 2.5  # rated range
ENERGY_PER_MILE: Final = 0.30  # energy of a rated mile

ASLEEP: Final = 0.03
AWAKE: Final = 0.19
SENTRY: Final = 0.25
"""Power of a parked car: about 1, 6 and another 8 percent of the battery per day."""

HEAT_LOSS: Final = 0.12  # heat that leaves the cabin for each degree above the outside temperature, kW
HEAT_CAPACITY: Final = 200.0  # heat that warms the cabin by one degree, kJ
HEATING: Final = 5.5  # the most heat that climate control can add to the cabin
COOLING: Final = 4.0  # the most that it can remove
COOLING_EFFICIENCY: Final = 2.5  # heat moved for each unit of electricity

HOUR: Final = 3600.0
DAY: Final = 86_400.0

WEAK_SUPPLY: Final = 16  # amperes; below them, the car's electronics use a fifth of the charging power
TAPER_FROM: Final = 95.0
TAPER_TO: Final = 0.3
"""From 95 percent the charging power falls, to 30 percent of its value when full."""
FAST_CURVE: Final = ((0.0, 120.0), (30.0, 120.0), (60.0, 60.0), (80.0, 35.0), (97.0, 10.0), (100.0, 5.0))
"""A fast charger's power by battery level."""


@dataclass(frozen=True, slots=True)
class Supply:
    """The electric supply of a home charger."""

    volts: int
    amperes: int
    phases: int = 1

    @property
    def efficiency(self) -> float:
        """The share of the power that reaches the battery."""
        return 0.9 if self.amperes >= WEAK_SUPPLY else 0.8

    def power(self, amperes: float) -> float:
        return self.volts * amperes * self.phases / 1000


def taper(level: float) -> float:
    if level <= TAPER_FROM:
        return 1.0
    return 1.0 - (1.0 - TAPER_TO) * (min(level, 100.0) - TAPER_FROM) / (100.0 - TAPER_FROM)


def fast_power(level: float) -> float:
    segments = ((start, end) for start, end in pairwise(FAST_CURVE) if min(level, 100.0) <= end[0])
    (low, more), (high, less) = next(segments)
    return more + (less - more) * (level - low) / (high - low)


def approach(value: float, goal: float, seconds: float, time_constant: float) -> float:
    """Return a value that approaches a goal exponentially, after some seconds."""
    return goal + (value - goal) * math.exp(-seconds / time_constant)
