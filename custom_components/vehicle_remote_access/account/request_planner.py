"""Plans the next requests of an account with the requests that are left for today."""

from collections.abc import Mapping, Sequence
from datetime import datetime
import math
from typing import Final

from homeassistant.util import dt as dt_util

from ..polling.budget import RequestBudget, next_request, spaced_interval, wakes_until_midnight
from ..polling.local_time import LocalTime
from ..polling.wake_rate import WakeRate
from .limits import Limits, next_midnight
from .options import INTERVAL

PLANNED_PER_DAY: Final = 720
"""The most requests a day that the account plans, unless the owner chose a shorter interval."""
# New habits at night are rare.
INTERVAL_BY_NIGHT: Final = 600.0
"""Longest interval by night without a limit."""
# With a limit, more of the requests are for the usual hours.
_INTERVAL_WITH_LIMIT: Final = 3600.0
_DAY: Final = 86_400.0
# If the same limit is for both, this share of the requests is for reading cars that are used. If the service
# does not list the cars' states, the limit is usually small, and its reads are the only ones.
_USE_SHARE: Final = 0.15
_USE_SHARE_ONLY_LIVE: Final = 0.5
# After that share is spent, a drive is still shown, with this share of what is left.
_FURTHER_USE_SHARE: Final = 0.1


class RequestPlanner:
    """Plans when to ask whether cars woke, and how often to read cars in use, within the day's requests."""

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
        left = self._left((), dt_util.now(), self.limits.left_today(is_live=self.only_live))
        return left >= 1 and not self.limits.opens_at(is_live=False, count=self.cost)

    def next_request(self, last: float, rates: Sequence[WakeRate]) -> float:
        """Return when to ask again. `rates`: how likely each car wakes that is asleep or out of coverage."""
        now = dt_util.now()
        # Today's requests are for the time since midnight.
        last = max(last, dt_util.start_of_local_day(now).timestamp())
        local = dt_util.as_local(dt_util.utc_from_timestamp(last))
        time = LocalTime.of(local)
        chances = tuple(rate.by_bin(time) for rate in rates)
        available = self.limits.left_today(is_live=self.only_live)
        interval = self.limits.options.interval
        by_day, by_night = interval, interval if interval < INTERVAL else INTERVAL_BY_NIGHT
        a_day: float = PLANNED_PER_DAY
        if available < math.inf:
            by_day = by_night = _INTERVAL_WITH_LIMIT
            a_day = min(a_day, self.limit - self._for_use)
        budget = RequestBudget(
            last=time,
            midnight=next_midnight(now),
            left=self._left(chances, local, available),
            even=a_day / self.cost / _DAY,
            chances=chances,
            longest_by_day=by_day,
            longest_by_night=by_night,
        )
        return max(next_request(budget), self.limits.opens_at(is_live=self.only_live, count=self.cost))

    def _left(self, chances: Sequence[tuple[float, ...]], local: datetime, available: float) -> float:
        """Return how often the requests that are left for today suffice to ask whether a car woke.

        `available`: how many the limits leave.
        """
        left: float = PLANNED_PER_DAY - self.limits.requests.planned
        if (interval := self.limits.options.interval) < INTERVAL:
            # The owner wants more requests.
            left = max(left, (next_midnight(local) - local.timestamp()) / interval * self.cost + 1)
        if available < math.inf and chances:
            # Some are for reading the cars that will be used.
            hour = LocalTime.of(local).hour
            further = sum(wakes_until_midnight(each, hour) for each in chances)
            available -= self._for_use * (further / sum(wakes_until_midnight(each, 0) for each in chances))
        return min(left, max(available, 0.0)) / self.cost

    def read_intervals(
        self,
        intervals: Mapping[str, float],
        rate: WakeRate,
        charger_power: float | None,
        cost: int = 1,
    ) -> Mapping[str, float]:
        """Return the intervals between live reads, longer if their number is limited.

        `cost`: how many requests one live read needs.
        """
        if not self.limits.is_set:
            return intervals
        available = self.limits.left_today(is_live=True)
        if shared := self._for_use:
            live = self.limits.requests.live_reads - (self.limits.requests.planned if self.only_live else 0)
            available = min(available, max(shared - live, available * _FURTHER_USE_SHARE))
        available /= cost
        now = LocalTime.of(dt_util.now())
        further = wakes_until_midnight(rate.by_bin(now), now.hour)
        return {
            mode: max(
                seconds, spaced_interval(available, further, charger_power if mode == "charging" else None)
            )
            for mode, seconds in intervals.items()
        }
