"""The units in which the log leaves the integration."""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Final

KILOMETERS: Final = "km"
MILES: Final = "mi"
CELSIUS: Final = "°C"
FAHRENHEIT: Final = "°F"
KILOMETERS_PER_MILE: Final = 1.609344


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

    @property
    def speed_unit(self) -> str:
        """`km/h` or `mph`."""
        return "mph" if self.has_miles else "km/h"

    @property
    def consumption_unit(self) -> str:
        """The unit of energy and distance that cars with miles or kilometers show."""
        return "mi/kWh" if self.has_miles else "kWh/100 km"

    @property
    def names(self) -> dict[str, str]:
        """The units of the values by quantity."""
        return {
            "distance": self.distance_unit,
            "energy": "kWh",
            "consumption": self.consumption_unit,
            "currency": self.currency,
        }

    def distance(self, miles: float) -> float:
        return miles if self.has_miles else miles * KILOMETERS_PER_MILE

    def miles(self, distance: float) -> float:
        return distance if self.has_miles else distance / KILOMETERS_PER_MILE

    def temperature(self, celsius: float) -> float:
        return celsius * 1.8 + 32 if self.temperature_unit == FAHRENHEIT else celsius

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
