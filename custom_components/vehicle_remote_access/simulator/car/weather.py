"""The outside temperature at a home, by time of day and, with changing weather, by season and fronts."""

import math
from random import Random
from typing import Final

from .location import Home
from .physics import DAY, HOUR

DAY_SWING: Final = 4.0  # difference between the warmest hour and the day's mean, °C
WARMEST_HOUR: Final = 15
SEASON_SWING: Final = 0.17  # between the warmest day and the year's mean, °C for each degree of latitude
YEAR: Final = 365.25 * DAY
WARMEST_DAY: Final = 200 * DAY  # on the northern hemisphere, from the start of the year
FRONTS: Final = ((3.3, 1.4), (5.9, 2.0), (13.7, 2.4))  # waves of warm and cold air: their days and °C
NIGHT_LOAD: Final = 3.0
SUN_LOAD: Final = 7.0
"""How much warmer than outside a parked cabin is, °C: always, and in addition when the sun is high."""


class Weather:
    """The weather at a home. The same seed gives the same weather. Without one, all days are equal."""

    def __init__(self, home: Home, seed: int | None = None) -> None:
        self._home = home
        self._season = 0.0 if seed is None else SEASON_SWING * home.latitude
        random = Random(seed)  # noqa: S311 - repeatable weather, not secrets
        self._fronts = [] if seed is None else [(*front, random.uniform(0, math.tau)) for front in FRONTS]

    def temperature(self, moment: float) -> float:
        season = self._season * math.cos((moment - WARMEST_DAY) / YEAR * math.tau)
        fronts = sum(
            degrees * math.sin(moment / (days * DAY) * math.tau + phase)
            for days, degrees, phase in self._fronts
        )
        day = DAY_SWING * math.cos((self._solar_hour(moment) - WARMEST_HOUR) * math.pi / 12)
        return self._home.mean_temperature + season + fronts + day

    def sun_load(self, moment: float) -> float:
        """Return how much warmer than outside a parked cabin is: 3 °C at night, 10 °C at noon."""
        height = math.sin((self._solar_hour(moment) - 6) * math.pi / 12)
        return NIGHT_LOAD + SUN_LOAD * max(0.0, height)

    def _solar_hour(self, moment: float) -> float:
        return (moment + self._home.longitude * 240) % DAY / HOUR
