"""What a house takes and its solar power, each minute: of a file, and of a model."""

import csv
from datetime import date, datetime, timedelta
from itertools import pairwise
import math
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from ..common.virtual_time import MINUTE
from .prices import ZONE, midnight

_QUARTER_HOUR: Final = 900
_MINUTES: Final = 15
# A cloud takes so much of the power, and lasts so many minutes on average.
_SHADE: Final = 0.7
_LASTS: Final = 4


class Household(NamedTuple):
    """A house without its car, minute by minute. Watts."""

    name: str
    start: float
    load: list[float]
    solar: list[float]

    def at(self, moment: float) -> tuple[float, float]:
        """Return what the house takes, and its solar power."""
        index = min(max(0, int((moment - self.start) / MINUTE)), len(self.load) - 1)
        return self.load[index], self.solar[index]


def read_household(path: Path, first_day: date, days: int) -> Household:
    """Read quarters of an hour (`utc`, `load_w`, `solar_w`) of the same weekdays of the file's year."""
    rows = list(csv.DictReader(path.read_text().splitlines()))
    begins = datetime.fromisoformat(rows[0]["utc"]).timestamp()
    same = first_day.replace(year=datetime.fromisoformat(rows[0]["utc"]).year)
    same += timedelta(days=(first_day.weekday() - same.weekday()) % 7)
    index = round((midnight(same) - begins) / _QUARTER_HOUR)
    count = (days + 1) * 24 * 4
    # The first hours of the year before are those of the first day, and the last ones those of the last day.
    chosen = [rows[min(max(each, 0), len(rows) - 1)] for each in range(index, index + count)]
    load = [float(row["load_w"]) for row in chosen]
    return _by_minute(path.stem, midnight(first_day), load, [float(row["solar_w"]) for row in chosen])


def model(first_day: date, days: int, seed: int = 0) -> Household:
    """Return a house with 8 kW of solar modules in a spring, with clear and cloudy days."""
    random, load, solar = Random(f"house {seed}"), list[float](), list[float]()  # noqa: S311 - repeatable
    is_cloudy = False
    for index in range(days + 1):
        day = first_day + timedelta(days=index)
        clear = random.betavariate(1.5, 1)
        for quarter in range(24 * 4):
            at = datetime.fromtimestamp(midnight(day) + quarter * _QUARTER_HOUR, ZONE)
            hour = at.hour + at.minute / 60
            height = max(0.0, math.sin((hour - 6.5) / 13 * math.pi)) if 6.5 < hour < 19.5 else 0.0
            # A sky stays as it is for two hours on average.
            is_cloudy = random.random() > clear if random.random() < 1 / 8 else is_cloudy
            solar.append(8000 * height * (0.25 if is_cloudy else 1.0))
            is_cooking = hour in (7.0, 12.5, 18.5) and random.random() < 0.7
            load.append(random.uniform(250, 600) + (4500 if is_cooking else 0))
    return _by_minute("model", midnight(first_day), load, solar)


def _by_minute(name: str, start: float, load: list[float], solar: list[float]) -> Household:
    """Spread quarters of an hour over their minutes, with the same energy.

    Where the solar power of neighbours differs, there were clouds: that of single minutes differs as much. A
    quarter of the energy that the house takes is a device that runs for some of the minutes.
    """
    random, loads, solars, shade = Random(name), list[float](), list[float](), False  # noqa: S311
    changes = [abs(after - before) for before, after in pairwise([solar[0], *solar])]
    for index, (taken, power) in enumerate(zip(load, solar, strict=True)):
        clouds = min(1.0, max(changes[index : index + 2]) / power) if power else 0.0
        shape = []
        for _ in range(_MINUTES):
            shade = not shade if random.random() < 1 / _LASTS else shade
            shape.append(1 - _SHADE * clouds * shade)
        mean = sum(shape) / _MINUTES
        solars += [power * each / mean for each in shape]
        runs, first = random.randint(2, 10), random.randint(0, 5)
        extra = taken / 4 * _MINUTES / runs
        loads += [taken * 3 / 4 + extra * (first <= minute < first + runs) for minute in range(_MINUTES)]
    return Household(name, start, loads, solars)
