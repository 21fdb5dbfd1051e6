"""The price of electricity in the simulation: a dynamic tariff at home, a fixed price at fast chargers."""

from datetime import date, datetime, time, timedelta, tzinfo
import math
from random import Random
from typing import Final, NamedTuple

from .car.physics import HOUR

AT_HOME: Final = 0.28  # the mean price of one kWh, in euros
AT_FAST_CHARGER: Final = 0.55
_UNITS: Final = {
    **dict.fromkeys(("CNY", "PLN", "RON", "BRL", "MYR"), 4.0),
    **dict.fromkeys(("DKK", "SEK", "NOK", "CZK", "HKD", "MXN", "UAH", "TRY"), 10.0),
    **dict.fromkeys(("INR", "RUB", "TWD", "THB", "PHP"), 30.0),
    **dict.fromkeys(("JPY", "HUF", "ISK"), 120.0),
    "KRW": 1000.0,
    "CLP": 1000.0,
    "COP": 4000.0,
    "IDR": 10_000.0,
    "VND": 10_000.0,
}
"""About how many units of other currencies are worth a euro."""
_SATURDAY: Final = 5
_WEEKEND: Final = 0.8
_NOON: Final = 13.0
_SHAPE: Final = ((3.5, 3.5, -0.5), (8.0, 2.0, 0.35), (19.0, 2.5, 0.55))
"""The hours at which power is cheaper or dearer: the hour, the width in hours, and the share of the price."""


class HourPrice(NamedTuple):
    """The price of one kWh in an hour. Times are Unix seconds."""

    start: float
    end: float
    price: float


class Tariff:
    """A tariff with a price for each hour of local time. The same seed gives the same prices."""

    def __init__(self, seed: int, currency: str, zone: tzinfo) -> None:
        self._seed = seed
        self._currency = currency
        self._zone = zone

    def day(self, day: date) -> list[HourPrice]:
        """Return the prices of the hours of a day. If the clock changes, it has 23 or 25 hours."""
        random = Random(f"{self._seed} tariff {day}")  # noqa: S311 - repeatable prices, not secrets
        level = random.uniform(0.8, 1.2) * (_WEEKEND if day.weekday() >= _SATURDAY else 1.0)
        shape = (*_SHAPE, (_NOON, 3.0, -random.uniform(0.1, 0.7)))
        midnight, end = (
            datetime.combine(each, time(), self._zone).timestamp() for each in (day, day + timedelta(days=1))
        )
        hours = []
        for start in (midnight + index * HOUR for index in range(math.ceil((end - midnight) / HOUR))):
            middle = datetime.fromtimestamp(start, self._zone).hour + 0.5
            share = 1.0 + sum(height * _hump(middle - hour, width) for hour, width, height in shape)
            price = in_currency(AT_HOME * level * (share + random.uniform(-0.04, 0.04)), self._currency)
            hours.append(HourPrice(start, min(start + HOUR, end), price))
        return hours

    def at(self, moment: float) -> HourPrice:
        day = datetime.fromtimestamp(moment, self._zone).date()
        return next(hour for hour in self.day(day) if moment < hour.end)

    def between(self, start: float, end: float) -> list[HourPrice]:
        """Return the hours from the one at a moment to the one at a later moment."""
        first, last = (datetime.fromtimestamp(moment, self._zone).date() for moment in (start, end))
        days = (first + timedelta(days=index) for index in range((last - first).days + 1))
        return [hour for day in days for hour in self.day(day) if hour.end > start and hour.start <= end]


def in_currency(euros: float, currency: str) -> float:
    """Return a price of the size that it has in a currency, with three digits."""
    return float(f"{euros * _UNITS.get(currency, 1.0):.3g}")


def _hump(hours: float, width: float) -> float:
    """Return the height of a hump at a distance from its middle, on the clock."""
    distance = (hours + 12) % 24 - 12
    return math.exp(-((distance / width) ** 2))
