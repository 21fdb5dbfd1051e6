"""Decides when the next requests may be sent, with the requests that are left for today."""

from collections.abc import Mapping, Sequence
from datetime import datetime
import math
from typing import Final

from homeassistant.util import dt as dt_util

from ..polling.arrival_rate import ArrivalRate
from ..polling.budget import Pace, next_request, spaced_interval, wakes_until
from .limits import Limits, next_midnight
from .options import INTERVAL

PLANNED_PER_DAY: Final = 720
"""The most requests a day that the account plans, unless the owner chose a shorter interval."""
# New habits at night are rare.
INTERVAL_BY_NIGHT: Final = 600.0
"""Longest interval by night without a limit."""
# With a limit, habits count more than what never happened yet.
_INTERVAL_WITH_LIMIT: Final = 3600.0
_SATURDAY: Final = 6
_DAY: Final = 86_400.0
# If the same limit is for both, this share of the requests is for reading cars that are used. If the service
# does not list the cars' states, the limit is usually small, and its reads are the only ones.
_USE_SHARE: Final = 0.15
_USE_SHARE_ONLY_LIVE: Final = 0.5
# After that share is spent, a drive is still shown, with this share of what is left.
_FURTHER_USE_SHARE: Final = 0.1


class Pacer:
    """Spends the account's requests of a day where they matter."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.cost = 1
        """How many requests are necessary at a time to ask whether cars woke."""
        self.only_live = False
        """Whether only live reads show whether cars woke."""

    def spend(self, count: int, *, is_planned: bool) -> None:
        """Record that this many requests were necessary to ask once."""
        self.cost = max(count, 1)
        if is_planned:
            self.limits.requests.planned += count

    def _left(self, rates: Sequence[tuple[float, ...]], now: datetime) -> float:
        """Return how often the requests that are left for today suffice to ask whether a car woke."""
        left: float = PLANNED_PER_DAY - self.limits.requests.planned
        if (interval := self.limits.options.interval) < INTERVAL:
            # The owner wants more requests.
            left = max(left, (next_midnight(now) - now.timestamp()) / interval * self.cost + 1)
        available = self.limits.left_today(is_live=self.only_live)
        if available < math.inf and rates:
            # Some are for reading the cars that will be used.
            used = sum(wakes_until(each, _hour(now)) for each in rates) / sum(
                wakes_until(each, 0) for each in rates
            )
            available -= self._for_use * used
        return min(left, max(available, 0.0)) / self.cost

    @property
    def limit(self) -> float:
        """The most requests a day to ask whether cars woke and for cars in use; infinity without a limit."""
        limits = [self.limits.options.requests_per_day]
        if self.only_live:
            limits.append(self.limits.options.live_reads_per_day)
        return min(filter(None, limits), default=math.inf)

    @property
    def _for_use(self) -> float:
        """The number of live reads a day for cars in use, if they share a limit with other requests."""
        share = _USE_SHARE_ONLY_LIVE if self.only_live else _USE_SHARE
        return 0.0 if self.limit == math.inf else self.limit * share

    def may_poll(self) -> bool:
        """Return whether planned requests are left for today."""
        self.limits.requests.start_day()
        return self._left((), dt_util.now()) >= 1 and not self.limits.opens_at(is_live=False, count=self.cost)

    def next_request(self, last: float, rates: Sequence[ArrivalRate]) -> float:
        """Return when to ask again. `rates`: how likely each car wakes that is asleep or out of coverage."""
        now = dt_util.now()
        # Today's requests are for the time since midnight.
        last = max(last, dt_util.start_of_local_day(now).timestamp())
        local = dt_util.as_local(dt_util.utc_from_timestamp(last))
        by_car = _by_car(last, local, rates)
        by_day, by_night = self._longest_intervals()
        left = self._left(by_car, local)
        planned = next_request(
            Pace(
                last=last,
                hour=_hour(local),
                midnight=next_midnight(now),
                left=left,
                even=self._even_rate(),
                chances=tuple(by_car),
                longest_by_day=by_day,
                longest_by_night=by_night,
            )
        )
        return max(planned, self.limits.opens_at(is_live=self.only_live, count=self.cost))

    def _even_rate(self) -> float:
        """Return how often one would ask per second if the requests of a day were spread evenly."""
        left: float = PLANNED_PER_DAY
        if self.limits.left_today(is_live=self.only_live) < math.inf:
            left = min(left, self.limit - self._for_use)
        return left / self.cost / _DAY

    def _longest_intervals(self) -> tuple[float, float]:
        """Return the longest intervals by day and by night."""
        if self.limits.left_today(is_live=self.only_live) < math.inf:
            return _INTERVAL_WITH_LIMIT, _INTERVAL_WITH_LIMIT
        interval = self.limits.options.interval
        return interval, interval if interval < INTERVAL else INTERVAL_BY_NIGHT

    def read_intervals(
        self,
        intervals: Mapping[str, float],
        rate: ArrivalRate,
        charger_power: float | None,
        cost: int = 1,
    ) -> Mapping[str, float]:
        """Return the intervals between live reads, longer if their number is limited.

        `cost`: how many requests one live read needs.
        """
        if not self.limits.is_set:
            return intervals
        now = dt_util.now()
        available = self.limits.left_today(is_live=True)
        if shared := self._for_use:
            live = self.limits.requests.live_reads - (self.limits.requests.planned if self.only_live else 0)
            available = min(available, max(shared - live, available * _FURTHER_USE_SHARE))
        available /= cost
        (chances,) = _by_car(now.timestamp(), now, [rate])
        further = wakes_until(chances, _hour(now))
        return {
            mode: max(
                seconds, spaced_interval(available, further, charger_power if mode == "charging" else None)
            )
            for mode, seconds in intervals.items()
        }


def _by_car(at: float, local: datetime, rates: Sequence[ArrivalRate]) -> list[tuple[float, ...]]:
    is_weekend = local.isoweekday() >= _SATURDAY
    return [rate.by_bin(at, is_weekend=is_weekend) for rate in rates]


def _hour(local: datetime) -> float:
    return local.hour + local.minute / 60 + local.second / 3600
