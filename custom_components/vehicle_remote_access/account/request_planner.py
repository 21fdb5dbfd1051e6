"""Plans the next requests of an account with the requests that are left for today."""

from collections.abc import Iterable, Sequence
from datetime import datetime
import math
from typing import Any, Final

from homeassistant.util import dt as dt_util

from ..polling.budget import (
    CLOCK_MARGIN,
    next_time,
    request_rates,
    spaced_interval,
    wakes_until_midnight,
)
from ..polling.local_time import LocalTime
from ..polling.wake_rate import WakeRate
from .limits import Limits, next_midnight
from .options import INTERVAL

PLANNED_PER_DAY: Final = 720
"""The most requests a day that the account plans, unless the owner chose a shorter interval."""
# With a limit, more of the requests are for the usual hours.
_INTERVAL_WITH_LIMIT: Final = 3600.0
# If the same limit is for both, this share of the requests is for reading cars that are used. If the service
# does not list the cars' states, the limit is usually small, and its reads are the only ones.
_USE_SHARE: Final = 0.15
_USE_SHARE_ONLY_LIVE: Final = 0.5
# After that share is spent, a drive is still shown, with this share of what is left.
_FURTHER_USE_SHARE: Final = 0.1
# One for each car if the service does not list their states
_PLANS_KEPT: Final = 16


class RequestPlanner:
    """Plans when to ask whether cars woke, and how often to read cars in use, within the day's requests."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.cost = 1
        """How many requests are necessary at a time to ask whether cars woke."""
        self.only_live = False
        """Whether only live reads show whether cars woke."""
        self._plans: dict[tuple[Any, ...], list[float]] = {}
        """The requests per second of a day's bins, by what they were planned for."""

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
        limit, share = self.limit, _USE_SHARE_ONLY_LIVE if self.only_live else _USE_SHARE
        return 0.0 if limit == math.inf else limit * share

    def next_request(
        self, last: float, rates: Sequence[WakeRate], state_changes: Iterable[float] = ()
    ) -> float:
        """Return when to ask again.

        `rates`: how likely each car wakes that is asleep or out of coverage. `state_changes`: when
        the state of a car may change for another reason.
        """
        now = dt_util.now()
        # Today's requests are for the time since midnight.
        last = max(last, dt_util.start_of_local_day(now).timestamp())
        moment = dt_util.as_local(dt_util.utc_from_timestamp(last))
        start = moment.replace(minute=moment.minute // 10 * 10, second=0, microsecond=0)
        # The plan is made again in each bin of the day, because the requests of ten minutes change it little.
        reasons = (start, tuple(rates), self.limits.options, self.cost, self.only_live)
        if reasons not in self._plans:
            if len(self._plans) >= _PLANS_KEPT:
                self._plans.clear()
            self._plans[reasons] = self._plan_day(start, rates)
        if self._planned_left(now) < self.cost:
            return next_midnight(now) + CLOCK_MARGIN
        at = next_time(last, start.timestamp(), self._plans[reasons])
        if at == math.inf:
            at = next_midnight(now) + CLOCK_MARGIN
        at = min([at, *state_changes])
        return max(at, self.limits.opens_at(is_live=self.only_live, count=self.cost))

    def _plan_day(self, start: datetime, wake_rates: Sequence[WakeRate]) -> list[float]:
        """Return the requests per second, for each bin of the day from `start` until midnight."""
        time, midnight, longest = LocalTime.of(start), next_midnight(start), self.limits.options.interval
        chances = [rate.by_bin(time) for rate in wake_rates]
        left, a_day = self._planned_left(start), float(PLANNED_PER_DAY)
        available = self.limits.left_today(is_live=self.only_live)
        if available < math.inf:
            longest = _INTERVAL_WITH_LIMIT
            a_day = min(a_day, self.limit - self._for_use)
            if chances:
                # Some are for reading the cars that will be used.
                further, whole = (
                    sum(wakes_until_midnight(each, hour) for each in chances) for hour in (time.hour, 0)
                )
                available -= self._for_use * further / whole
            left = min(left, max(available, 0.0))
        return request_rates(time, midnight, left / self.cost, a_day / self.cost, longest, chances)

    def _planned_left(self, now: datetime) -> float:
        """Return how many requests may still be planned for today, without the owner's limits."""
        left: float = PLANNED_PER_DAY - self.limits.requests.planned
        if (interval := self.limits.options.interval) < INTERVAL:
            # The owner wants more requests.
            left = max(left, (next_midnight(now) - now.timestamp()) / interval * self.cost + 1)
        return left

    def read_interval(
        self, wanted: float, rate: WakeRate, charger_power: float | None = None, cost: int = 1
    ) -> float:
        """Return the interval between live reads of a car in use, longer if their number is limited.

        `charger_power`: kW of a car that charges. `cost`: how many requests one live read needs.
        """
        if not self.limits.is_set:
            return wanted
        available = self.limits.left_today(is_live=True)
        if shared := self._for_use:
            live = self.limits.requests.live_reads - (self.limits.requests.planned if self.only_live else 0)
            available = min(available, max(shared - live, available * _FURTHER_USE_SHARE))
        available /= cost
        now = LocalTime.of(dt_util.now())
        further = wakes_until_midnight(rate.by_bin(now), now.hour)
        return max(wanted, spaced_interval(available, further, charger_power))
