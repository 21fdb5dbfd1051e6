"""Decides when the next requests may be sent, with the requests that are left for today."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
import math
import time
from typing import Final

from homeassistant.util import dt as dt_util

from ..api.client import Client
from ..api.commands import LIVE_READS, Endpoint
from ..api.errors import RateLimitedError
from ..polling.arrival_rate import ArrivalRate
from ..polling.budget import MIDNIGHT_MARGIN, Pace, next_request, reserve, spaced_interval, wakes_until
from .options import INTERVAL, AccountOptions
from .request_counter import RequestCounter

PLANNED_PER_DAY: Final = 720
"""The most requests a day that the account plans, unless the owner chose a shorter interval."""
_INTERVAL_BY_NIGHT: Final = 600.0
_INTERVAL_WITH_LIMIT: Final = 3600.0
_SATURDAY: Final = 6
_DAY: Final = 86_400.0
# If the same limit is for both, this share of the requests is for reading cars that are used.
_USE_SHARE: Final = 0.15
_USE_SHARE_ONLY_LIVE: Final = 0.5
# A few requests and a share of each limit are kept for the evening, so that a long drive by day does not
# spend them.
_FOR_EVENING: Final = 3
_EVENING_SHARE: Final = 0.1
_EVENING: Final = 18
# A fiftieth of a limit may be sent before the count is saved.
_SENT_PER_SAVE: Final = 50
_SENT_PER_SAVE_AT_LEAST: Final = 3

# With half of the requests, a drive is seen after twice the time.
_MINUTES_WITH_ONE_REQUEST: Final = 300.0
_LONG_DELAY: Final = 3

_IS_AUTOMATIC: Final[ContextVar[bool]] = ContextVar("is_automatic", default=False)


@contextmanager
def automatic_requests(*, is_automatic: bool = True) -> Iterator[None]:
    """Apply the limits to all requests in this context. Requests of people are only counted."""
    token = _IS_AUTOMATIC.set(is_automatic)
    try:
        yield
    finally:
        _IS_AUTOMATIC.reset(token)


class Pacer:
    """Spends the account's requests of a day where they matter."""

    def __init__(self, client: Client, requests: RequestCounter, options: AccountOptions) -> None:
        self.options = options
        self.cost = 1
        """How many requests are necessary at a time to ask whether cars woke."""
        self.only_live = False
        """Whether only live reads show whether cars woke."""
        self._client = client
        self._requests = requests
        client.before_request = self._check

    def spend(self, count: int) -> None:
        """Record that this many requests were necessary to ask once."""
        self.cost = max(count, 1)
        if _IS_AUTOMATIC.get():
            self._requests.planned += count

    @property
    def is_limited(self) -> bool:
        """Whether the number of live reads is limited."""
        return bool(self.options.requests_per_day or self.options.live_reads_per_day)

    @property
    def ahead(self) -> int:
        """How many requests may be sent before their count is saved; 0 without a limit."""
        limits = [*filter(None, (self.options.requests_per_day, self.options.live_reads_per_day))]
        return min(limits) // _SENT_PER_SAVE + _SENT_PER_SAVE_AT_LEAST if limits else 0

    def usual_delay(self) -> tuple[int, int | None]:
        """Return the limit for seeing drives, and the minutes until a drive is seen if that takes long."""
        minutes = round(_MINUTES_WITH_ONE_REQUEST / self._limit)
        return (round(self._limit), minutes) if minutes >= _LONG_DELAY else (0, None)

    @property
    def requests_left(self) -> int | None:
        """The number of requests left for today; None without a limit."""
        limit = self.options.requests_per_day
        return max(limit - self._requests.today, 0) if limit else None

    @property
    def live_reads_left(self) -> int | None:
        """The number of live reads left for today; None without a limit."""
        limit = self.options.live_reads_per_day
        return max(limit - self._requests.live_reads, 0) if limit else None

    def _within_limits(self, *, is_live: bool, before_evening: bool = False) -> float:
        """Return how many requests the owner's limits leave for today without the reserve for people.

        `before_evening`: without those that are kept for the evening, too.
        """
        self._requests.start_day()
        limits = [(self.options.requests_per_day, self._requests.today)]
        if is_live:
            limits.append((self.options.live_reads_per_day, self._requests.live_reads))
        return min(
            (
                limit - sent - reserve(limit) - (_FOR_EVENING + limit * _EVENING_SHARE) * before_evening
                for limit, sent in limits
                if limit
            ),
            default=math.inf,
        )

    def _within_quota(self) -> float:
        """Return how many requests the service's quota leaves without the reserve for people."""
        quota = self._client.quota
        if quota is None or quota.ends_at <= time.time():
            return math.inf
        return quota.remaining - reserve(quota.remaining)

    def _available(self, *, is_live: bool) -> float:
        """Return how many requests may be sent automatically until midnight."""
        left, quota = self._within_quota(), self._client.quota
        if quota is not None and left < math.inf:
            # A short quota is available several times until midnight, and a long one also lasts for later.
            left *= (_next_midnight(dt_util.now()) - time.time()) / (quota.ends_at - time.time())
        return max(min(self._within_limits(is_live=is_live), left), 0.0)

    def opens_at(self, *, is_live: bool) -> float:
        """Return when automatic requests may be sent again, in Unix seconds; 0 if they may be sent now."""
        now = dt_util.now()
        if self._within_limits(is_live=is_live) < 1:
            return _next_midnight(now) + MIDNIGHT_MARGIN
        if now.hour < _EVENING and self._within_limits(is_live=is_live, before_evening=True) < 1:
            return now.replace(hour=_EVENING, minute=0, second=0, microsecond=0).timestamp()
        if self._within_quota() < 1 and (quota := self._client.quota) is not None:
            return quota.ends_at + MIDNIGHT_MARGIN
        return 0.0

    def _check(self, endpoint: Endpoint) -> None:
        """Raise RateLimitedError if an automatic request would exceed a limit."""
        if _IS_AUTOMATIC.get() and (opens_at := self.opens_at(is_live=endpoint in LIVE_READS)):
            raise RateLimitedError(max(opens_at - time.time(), MIDNIGHT_MARGIN))

    def _left(self, rates: Sequence[tuple[float, ...]], now: datetime) -> float:
        """Return how often the requests that are left for today suffice to ask whether a car woke."""
        left: float = PLANNED_PER_DAY - self._requests.planned
        if self.options.interval < INTERVAL:
            # The owner wants more requests.
            left = max(left, (_next_midnight(now) - now.timestamp()) / self.options.interval * self.cost + 1)
        available = self._available(is_live=self.only_live)
        if available < math.inf and rates:
            # Some are for reading the cars that will be used.
            used = sum(wakes_until(each, _hour(now)) for each in rates) / sum(
                wakes_until(each, 0) for each in rates
            )
            available -= self._for_use * used
        return min(left, max(available, 0.0)) / self.cost

    @property
    def _limit(self) -> float:
        """The most requests a day to ask whether cars woke and for cars in use; infinity without a limit."""
        limits = [self.options.requests_per_day]
        if self.only_live:
            limits.append(self.options.live_reads_per_day)
        return min(filter(None, limits), default=math.inf)

    @property
    def _for_use(self) -> float:
        """The number of live reads a day for cars in use, if they share a limit with other requests."""
        share = _USE_SHARE_ONLY_LIVE if self.only_live else _USE_SHARE
        return 0.0 if self._limit == math.inf else self._limit * share

    def may_poll(self) -> bool:
        """Return whether planned requests are left for today."""
        self._requests.start_day()
        return self._left((), dt_util.now()) >= 1 and not self.opens_at(is_live=False)

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
                midnight=_next_midnight(now),
                left=left,
                even=self._even_rate(),
                chances=by_car[0] if len(by_car) == 1 else tuple(map(sum, zip(*by_car, strict=True))),
                longest_by_day=by_day,
                longest_by_night=by_night,
            )
        )
        return max(planned, self.opens_at(is_live=self.only_live))

    def _even_rate(self) -> float:
        """Return how often one would ask per second if the requests of a day were spread evenly."""
        left: float = PLANNED_PER_DAY
        if self._available(is_live=self.only_live) < math.inf:
            left = min(left, self._limit - self._for_use)
        return left / self.cost / _DAY

    def _longest_intervals(self) -> tuple[float, float]:
        """Return the longest intervals by day and by night. With a limit, habits count more."""
        if self._available(is_live=self.only_live) < math.inf:
            return _INTERVAL_WITH_LIMIT, _INTERVAL_WITH_LIMIT
        interval = self.options.interval
        return interval, interval if interval < INTERVAL else _INTERVAL_BY_NIGHT

    def read_intervals(
        self, intervals: Mapping[str, float], rate: ArrivalRate, charger_power: float | None
    ) -> Mapping[str, float]:
        """Return the intervals between live reads, longer if their number is limited."""
        if not self.is_limited:
            return intervals
        now = dt_util.now()
        available = self._available(is_live=True)
        if shared := self._for_use:
            live = self._requests.live_reads - (self._requests.planned if self.only_live else 0)
            available = min(available, max(shared - live, available * 0.1))
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


def _next_midnight(now: datetime) -> float:
    return dt_util.start_of_local_day(now + timedelta(days=1)).timestamp()
