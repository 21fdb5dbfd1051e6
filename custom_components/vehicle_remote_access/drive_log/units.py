"""The units in which the log leaves the integration."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Final

MILES: Final = "mi"
FAHRENHEIT: Final = "°F"
TEMPERATURE: Final = ("°C", FAHRENHEIT)
# The metric unit, and the one beside miles
DISTANCE: Final = ("km", MILES)
SPEED: Final = ("km/h", "mph")
CONSUMPTION: Final = ("kWh/100 km", "mi/kWh")
_KILOMETERS_PER_MILE: Final = 1.609344
_METRIC: Final = (DISTANCE[0], SPEED[0])


def from_service(value: float, unit: str) -> float:
    """Convert a value from the unit of the service, which has miles, mph and °C."""
    if unit in _METRIC:
        return value * _KILOMETERS_PER_MILE
    return value * 1.8 + 32 if unit == FAHRENHEIT else value


def to_service(value: float, unit: str) -> float:
    if unit in _METRIC:
        return round(value / _KILOMETERS_PER_MILE, 6)
    return round((value - 32) / 1.8, 2) if unit == FAHRENHEIT else float(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogUnits:
    """The units, the currency and the time zone of Home Assistant."""

    distance_unit: str
    """`km` or `mi`."""
    temperature_unit: str
    """`°C` or `°F`."""
    currency: str
    zone: tzinfo

    @property
    def has_miles(self) -> bool:
        return self.distance_unit == MILES

    def one_of(self, units: Sequence[str]) -> str:
        """Return the metric unit, or the one beside miles, of a quantity. An empty text without units."""
        if units == TEMPERATURE:
            return self.temperature_unit
        return units[-1 if self.has_miles else 0] if units else ""

    @property
    def names(self) -> dict[str, str]:
        return {
            "distance": self.distance_unit,
            "energy": "kWh",
            "consumption": self.one_of(CONSUMPTION),
            "speed": self.one_of(SPEED),
            "currency": self.currency,
        }

    def distance(self, miles: float) -> float:
        return from_service(miles, self.distance_unit)

    def temperature(self, celsius: float) -> float:
        return round(from_service(celsius, self.temperature_unit), 1)

    def consumption(self, energy: float | None, distance: float | None) -> float | None:
        """Return the consumption in this unit, None if it is unknown. `distance`: in this unit."""
        if not energy or not distance:
            return None
        return round(distance / energy, 2) if self.has_miles else round(100 * energy / distance, 1)

    def local_time(self, moment: float) -> datetime:
        return datetime.fromtimestamp(moment, self.zone)


def next_month(day: datetime) -> datetime:
    """Return the first day of the month after that of a day, at the same time of day."""
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1)
