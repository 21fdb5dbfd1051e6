"""Decides when to ask the service, or a car, whether a car woke, with the requests left for today."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from homeassistant.util import dt as dt_util

from ..polling.arrival_rate import ArrivalRate
from ..polling.budget import Pace, next_request
from .options import INTERVAL, AccountOptions
from .request_counter import RequestCounter

PLANNED_PER_DAY: Final = 720
"""The most requests a day that the account plans, unless the owner chose a shorter interval."""
_INTERVAL_BY_NIGHT: Final = 600.0
_SATURDAY: Final = 6


class Pacer:
    """Spends the account's requests of a day where they matter."""

    def __init__(self, requests: RequestCounter, options: AccountOptions) -> None:
        self.options = options
        self.cost = 1
        """How many requests are necessary at a time."""
        self._requests = requests

    def spend(self, count: int) -> None:
        """Record that this many requests were necessary to ask once."""
        self.cost = max(count, 1)
        self._requests.planned += count

    @property
    def left(self) -> float:
        """How often the requests that are left for today suffice."""
        self._requests.start_day()
        now = dt_util.now()
        left: float = PLANNED_PER_DAY - self._requests.planned
        if self.options.interval < INTERVAL:
            # The owner wants more requests.
            needed = (_next_midnight(now) - now.timestamp()) / self.options.interval
            left = max(left, needed * self.cost + 1)
        return left / self.cost

    def next_request(self, last: float, rates: Sequence[ArrivalRate]) -> float:
        """Return when to ask again. `rates`: how likely each car wakes that is asleep or out of coverage."""
        now = dt_util.now()
        # Today's requests are for the time since midnight.
        last = max(last, dt_util.start_of_local_day(now).timestamp())
        local = dt_util.as_local(dt_util.utc_from_timestamp(last))
        is_weekend = local.isoweekday() >= _SATURDAY
        by_car = [rate.by_bin(last, is_weekend=is_weekend) for rate in rates]
        interval = self.options.interval
        is_short = interval < INTERVAL
        return next_request(
            Pace(
                last=last,
                hour=local.hour + local.minute / 60 + local.second / 3600,
                midnight=_next_midnight(now),
                left=self.left,
                chances=by_car[0] if len(by_car) == 1 else tuple(map(sum, zip(*by_car, strict=True))),
                longest_by_day=interval,
                longest_by_night=interval if is_short else _INTERVAL_BY_NIGHT,
            )
        )


def _next_midnight(now: datetime) -> float:
    return dt_util.start_of_local_day(now + timedelta(days=1)).timestamp()
