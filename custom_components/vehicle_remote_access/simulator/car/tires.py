"""The tires and their pressures, in bar."""

from dataclasses import dataclass, field
from typing import Final

from ..persistence import Persistent

TIRES: Final = ("fl", "fr", "rl", "rr")
RECOMMENDED_PRESSURE: Final = 2.9
HIGHEST_PRESSURE: Final = 4.0
SOFT_WARNING, HARD_WARNING = 2.3, 2.0
"""Pressures below which the car warns."""
ATMOSPHERE: Final = 1.013
REFERENCE: Final = 20.0
"""Temperature for which the pressures are stored, °C."""
ABSOLUTE_ZERO: Final = -273.15


@dataclass
class Tires(Persistent):
    """Four tires. Their pressure changes with the outside temperature."""

    pressures: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TIRES, RECOMMENDED_PRESSURE))

    def pressure(self, tire: str, outside: float) -> float:
        return (self.pressures[tire] + ATMOSPHERE) * _expansion(outside) - ATMOSPHERE

    def set_pressure(self, tire: str, pressure: float, outside: float) -> None:
        self.pressures[tire] = (pressure + ATMOSPHERE) / _expansion(outside) - ATMOSPHERE


def _expansion(temperature: float) -> float:
    return (temperature - ABSOLUTE_ZERO) / (REFERENCE - ABSOLUTE_ZERO)
