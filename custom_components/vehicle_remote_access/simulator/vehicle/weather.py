"""The air and the sun at a place: by the hour of the day and, if there is weather, by season and fronts."""

import math
from random import Random
from typing import Final

from .physics import DAY, HOUR
from .place import Place

DAY_SWING: Final = 4.0
"""By how much a fair day's warmest hour differs from its mean, °C."""
WARMEST_HOUR: Final = 15
SEASON_SWING: Final = 0.17
"""By how much the warmest day of the year differs from the mean, °C for each degree of latitude."""
YEAR: Final = 365.25 * DAY
WARMEST_DAY: Final = 200 * DAY
"""In the north, counted from the beginning of the year."""
FRONTS: Final = ((3.3, 1.4), (5.9, 2.0), (13.7, 2.4))
"""How warm and cold air take turns: days from one to the next, and °C."""
NIGHT_LOAD: Final = 3.0
SUN_LOAD: Final = 7.0
"""By how much a parked cabin is warmer than the air: always, and more when the sun is high."""


class Weather:
    """What the air at a place does; the same for the same seed."""

    def __init__(self, place: Place, seed: int | None = None) -> None:
        """Have weather, or without a seed every day the same fair day."""
        self._place = place
        self._season = 0.0 if seed is None else SEASON_SWING * place.latitude
        random = Random(seed)  # noqa: S311 - the same weather again is wanted, not secrets
        self._fronts = [] if seed is None else [(*front, random.uniform(0, math.tau)) for front in FRONTS]

    def temperature(self, moment: float) -> float:
        """Return the temperature of the air, °C."""
        season = self._season * math.cos((moment - WARMEST_DAY) / YEAR * math.tau) if self._season else 0.0
        fronts = sum(
            degrees * math.sin(moment / (days * DAY) * math.tau + phase)
            for days, degrees, phase in self._fronts
        )
        day = DAY_SWING * math.cos((self._solar_hour(moment) - WARMEST_HOUR) * math.pi / 12)
        return self._place.mean_temperature + season + fronts + day

    def sun_load(self, moment: float) -> float:
        """Return by how much a parked cabin is warmer than the air: 3 degrees at night, 10 at noon."""
        height = math.sin((self._solar_hour(moment) - 6) * math.pi / 12)
        return NIGHT_LOAD + SUN_LOAD * max(0.0, height)

    def _solar_hour(self, moment: float) -> float:
        """Return the hour of the day by the sun, 0 to 24."""
        return (moment + self._place.longitude * 240) % DAY / HOUR
