"""A fixed tariff with cheap hours."""

from datetime import datetime, time, timedelta, tzinfo
from typing import NamedTuple


class Tariff(NamedTuple):
    """The local times between which power is cheap each day, and the prices of one kWh or their ranks."""

    cheap_from: time
    cheap_until: time
    zone: tzinfo | None
    price: float = 1.0
    price_cheap: float = 0.0

    def changes(self, start: float, end: float) -> list[tuple[float, float]]:
        """Return when the price changes, and the new one: from the day before the start to after the end."""
        day = datetime.fromtimestamp(start, self.zone).date() - timedelta(days=1)
        last_day = day + timedelta(days=self.cheap_until <= self.cheap_from)
        changes: list[tuple[float, float]] = []
        while not changes or changes[-1][0] <= end:
            for date, moment, price in (
                (day, self.cheap_from, self.price_cheap),
                (last_day, self.cheap_until, self.price),
            ):
                at = datetime.combine(date, moment, self.zone).timestamp()
                # A time that the clock skips can be after the next one.
                changes.append((max(at, changes[-1][0]) if changes else at, price))
            day, last_day = day + timedelta(days=1), last_day + timedelta(days=1)
        return changes
