"""Prices of electricity: of files, and of a model of a day-ahead market."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
import csv
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
import json
import math
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

ZONE: Final = ZoneInfo("Europe/Berlin")
TAX: Final = 1.19
FIXED: Final = 0.18
"""€/kWh for the grid, levies and their taxes."""
_MODEL_START: Final = date(2026, 4, 1)
_KWH: Final = 1000
_SATURDAY: Final = 5


class Price(NamedTuple):
    """What an owner pays for one kWh in a span of time."""

    start: float
    end: float
    price: float
    """€/kWh"""


class Prices:
    """Prices without gaps."""

    def __init__(self, name: str, market: Iterable[tuple[float, float]]) -> None:
        """`market`: Unix seconds and the price of the market from then on, in €/MWh."""
        pairs = sorted(market)
        length = min(after - before for (before, _), (after, _) in pairwise(pairs))
        ends = [*(start for start, _ in pairs[1:]), pairs[-1][0] + length]
        self.spans = [
            Price(start, end, round(price / _KWH * TAX + FIXED, 5))
            for (start, price), end in zip(pairs, ends, strict=True)
        ]
        self._starts = [span.start for span in self.spans]
        self._by_day: defaultdict[date, list[Price]] = defaultdict(list)
        for span in self.spans:
            self._by_day[datetime.fromtimestamp(span.start, ZONE).date()].append(span)
        self.start = self.spans[0].start
        self.first_day = datetime.fromtimestamp(self.start, ZONE).date()
        last_day = datetime.fromtimestamp(self.spans[-1].end, ZONE).date() - timedelta(days=1)
        self.days = (last_day - self.first_day).days
        """The days whose next day has prices, too."""
        self.name = f"{name}, {length / 60:.0f} min"

    def at(self, moment: float) -> float:
        return self.spans[bisect_right(self._starts, moment) - 1].price

    def of_days(self, days: Iterable[date]) -> list[Price]:
        return [span for day in days for span in self._by_day[day]]


def midnight(day: date, hours: float = 0.0) -> float:
    """Return when a local day begins, or a local time of it, in Unix seconds."""
    return (datetime.combine(day, time(), ZONE) + timedelta(hours=hours)).timestamp()


def read_file(path: Path) -> Prices:
    """Read a CSV file with the columns `start_utc` and `eur_per_mwh`, or the JSON of Energy-Charts."""
    text = path.read_text()
    if path.suffix == ".json":
        answer: dict[str, Any] = json.loads(text)
        return Prices("market", zip(answer["unix_seconds"], answer["price"], strict=True))
    rows = csv.DictReader(text.splitlines())
    return Prices(
        "market",
        ((datetime.fromisoformat(row["start_utc"]).timestamp(), float(row["eur_per_mwh"])) for row in rows),
    )


def model(days: int, seed: int = 0) -> Prices:
    """Return hourly prices as those of a spring: two humps, weekends, windy weeks and negative noons."""
    random, wind, market = Random(f"prices {seed}"), 0.0, []  # noqa: S311 - repeatable prices
    hour = midnight(_MODEL_START)
    for index in range(days + 1):
        day = _MODEL_START + timedelta(days=index)
        wind = 0.7 * wind + random.gauss(0, 18)
        sun = random.betavariate(2, 1.5)
        idle = 22 if day.weekday() >= _SATURDAY else 0
        end = midnight(day + timedelta(days=1))
        while hour < end:
            at = datetime.fromtimestamp(hour, UTC).astimezone(ZONE).hour
            price = 95 - wind - idle + 35 * _hump(at, 7.5, 1.5) + 60 * _hump(at, 20, 2)
            price -= 18 * _hump(at, 3, 3) + (115 + idle) * sun * _hump(at, 13, 2.8)
            market.append((hour, round(price + random.gauss(0, 4), 2)))
            hour += 3600
    return Prices("model", market)


def _hump(hour: float, at: float, width: float) -> float:
    return math.exp(-(((hour - at) / width) ** 2) / 2)
