"""The budget of an account: how many requests were sent today, may still be sent, and when they are planned.

The limits of the owner, and the quota that the service reports, apply to the requests that the polling plans.
Requests from users are counted but never refused. The spending limit of a month limits the live reads of each
day: its rest, without the expected cost of commands and wake-ups, is divided by the days that are left.
"""

from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date, datetime, timedelta
from itertools import islice
import math
import time
from typing import Any, Final

from homeassistant.util import dt as dt_util

from ..api.client import Client
from ..api.service_types import Prices
from ..api.value_types import COUNT
from ..polling.request_rates import (
    CLOCK_MARGIN,
    next_time,
    request_rates,
    reserve,
    spaced_interval,
    wakes_until_midnight,
)
from ..polling.wake_rate import WakeRate
from ..util.local_time import LocalTime
from ..util.stored_values import read_mapping
from .options import INTERVAL, AccountOptions

PLANNED_PER_DAY: Final = 720
"""The most requests a day that the account plans, unless the owner chose a shorter interval."""
# With a limit, more of the requests are for the usual hours.
_INTERVAL_WITH_LIMIT: Final = 3600.0
# If the same limit is for both, this share of the requests is for reading cars that are used. If the service
# does not list the cars' states, the limit is usually small, and its reads are the only ones.
_USE_SHARE: Final = 0.15
_USE_SHARE_ONLY_LIVE: Final = 0.5
# When that share is spent, reads of a drive may still take this share of the requests that are left.
_FURTHER_USE_SHARE: Final = 0.1
# One for each car if the service does not list their states
_PLANS_KEPT: Final = 16
# Some requests are kept for the evening, so that a long drive by day does not spend them.
_FOR_EVENING: Final = 3
_EVENING_SHARE: Final = 0.1
_EVENING: Final = 18
# The rest of a shorter quota, for example of a minute, does not limit the rest of the day.
_SHORTEST_PLANNED_QUOTA: Final = 900.0
# A crash loses the count of at most this many requests. A smaller number needs more saves.
_SENT_PER_SAVE: Final = 4
# As long as the longest month. A clock that was set forward or back by mistake is soon right again.
_OTHER_DAYS_KEPT: Final = 31
# Keys of format version 1
_COUNTS: Final = ("requests", "live_reads", "planned")
_BY_USERS: Final = ("command", "wake_up")


class RequestBudget:
    """The requests of an account on a day, including those before a restart."""

    def __init__(self, client: Client, options: AccountOptions, stored: Mapping[str, Any]) -> None:
        """`stored`: what `as_json` returned before."""
        self._client = client
        self._plans: dict[tuple[Any, ...], list[float]] = {}
        """The requests per second of a day's bins, by what they were planned for."""
        self.update_options(options)
        self.cost = 1
        """How many requests it takes to ask once which cars woke."""
        self.only_live = False
        """Whether only live reads show whether cars woke."""
        self._days: dict[str, Any] = dict(read_mapping(stored.get("other_days")))
        if isinstance(day := stored.get("day"), str):
            self._days[day] = {name: stored.get(name) for name in (*_COUNTS, "billed")}
        if stored.get("service") != client.type.key:
            # Another service has charged for them.
            self._days = {day: {**read_mapping(each), "billed": {}} for day, each in self._days.items()}
        self._begin_day(dt_util.now().date().isoformat())

    def update_options(self, options: AccountOptions) -> None:
        self.options, prices = options, self._client.type.prices
        self.prices = None if prices is None else replace(prices, **options.prices)
        """What the service charges for requests; None if they are free."""
        self.spending_limit = None if prices is None else options.spending_limit
        """The dollars of a month after which no live read is planned; None without a limit."""
        has_limits = options.requests_per_day or options.live_reads_per_day or self.spending_limit is not None
        self.is_limited = bool(has_limits)
        """Whether the owner has set a limit."""
        self._plans.clear()

    def begin_day_if_new(self) -> None:
        """Start at 0 after local midnight, or continue the counts of the day to which the clock was set."""
        if (day := dt_util.now().date().isoformat()) != self._day:
            self._days[self._day] = self._counts()
            self._begin_day(day)

    def _begin_day(self, day: str) -> None:
        stored = read_mapping(self._days.pop(day, None))
        requests, live_reads, planned = (COUNT.read(stored.get(name)) or 0 for name in _COUNTS)
        self._days = dict(islice(sorted(self._days.items(), reverse=True), _OTHER_DAYS_KEPT))
        self._day = day
        self.stored = 0
        """How many of the day's requests the stored count has."""
        self._earlier = requests - self._client.request_count
        """Today's requests before this client existed, minus this client's requests before midnight."""
        self._earlier_live_reads = live_reads - self._client.live_read_count
        self.planned = planned
        """Today's requests that were sent to see whether a car woke or fell asleep."""
        self._earlier_billed = _billed(stored)
        self._earlier_billed.subtract(self._client.billed)
        others = {other: _billed(read_mapping(counts)) for other, counts in self._days.items()}
        self._other_days = len(others)
        self._of_other_days = sum(others.values(), Counter[str]())
        month = (billed for other, billed in others.items() if other[:-2] == day[:-2])
        self._of_month = sum(month, Counter[str]())
        """What was billed on the other days of this month."""
        today = date.fromisoformat(day)
        self._days_left = monthrange(today.year, today.month)[1] - today.day + 1

    @property
    def today(self) -> int:
        return self._earlier + self._client.request_count

    @property
    def live_reads(self) -> int:
        return self._earlier_live_reads + self._client.live_read_count

    @property
    def _billed(self) -> Counter[str]:
        """How many of today's requests the service charges for, by the names of their prices."""
        billed = self._earlier_billed.copy()
        billed.update(self._client.billed)
        return billed

    @property
    def spent(self) -> float | None:
        """How many dollars this month has cost; None if requests are free."""
        return None if self.prices is None else self.prices.cost(self._of_month + self._billed)

    @property
    def _live_reads_per_day(self) -> float:
        """The most live reads that may be planned for today; infinity without a limit."""
        limit, prices = float(self.options.live_reads_per_day or math.inf), self.prices
        if prices is None or self.spending_limit is None or not prices.live_read:
            return limit
        usual, billed = prices.cost(self._of_other_days, *_BY_USERS) / max(self._other_days, 1), self._billed
        for_users = max(prices.cost(billed, *_BY_USERS), usual) + usual * (self._days_left - 1)
        # Requests for the costs of charges are billed as live reads.
        for_costs = max(billed["live_read"] - self.live_reads, 0) * prices.live_read
        left = max(self.spending_limit - prices.cost(self._of_month) - for_users - for_costs, 0.0)
        return min(limit, left / self._days_left / prices.live_read)

    def as_json(self, *, is_last: bool = False) -> dict[str, Any]:
        """Return the counts to store. With a limit, requests until the next save count after a crash."""
        ahead = _SENT_PER_SAVE if self.is_limited and not is_last else 0
        self.stored = self.today + ahead
        counts = self._counts() | {"requests": self.stored, "live_reads": self.live_reads + ahead}
        if self.prices is not None:
            counts["billed"]["live_read"] += ahead
        service = self._client.type.key
        return {"day": self._day, "service": service, **counts, "other_days": dict(self._days)}

    def _counts(self) -> dict[str, Any]:
        counts = {"requests": self.today, "planned": self.planned, "live_reads": self.live_reads}
        return counts if self.prices is None else counts | {"billed": dict(self._billed)}

    def left(self, *, is_live_read: bool) -> int | None:
        """Return how many requests, or live reads, are left for today; None without a limit."""
        limit, sent = self.options.requests_per_day or math.inf, self.today
        if is_live_read:
            limit, sent = self._live_reads_per_day, self.live_reads
        return None if limit == math.inf else max(int(limit) - sent, 0)

    def _left_of_limits(self, *, is_live_read: bool) -> tuple[float, float]:
        """Return how many planned requests the owner's limits leave for today, and before the evening."""
        self.begin_day_if_new()
        today = by_day = live_limit = math.inf
        # Not by the properties, because each read calculates this several times.
        if is_live_read and self.spending_limit is None:
            live_limit = self.options.live_reads_per_day or math.inf
        elif is_live_read:
            live_limit = self._live_reads_per_day
        requests = self._earlier + self._client.request_count
        live_reads = self._earlier_live_reads + self._client.live_read_count
        any_limit = self.options.requests_per_day or math.inf
        for limit, sent in ((any_limit, requests), (live_limit, live_reads)):
            if limit < math.inf:
                left = limit - reserve(limit) - sent
                today = min(today, left)
                by_day = min(by_day, left - _FOR_EVENING - limit * _EVENING_SHARE)
        return today, by_day

    def left_today(self, *, is_live_read: bool) -> float:
        """Return how many requests the plan may still send until midnight; infinity without a limit."""
        left, _ = self._left_of_limits(is_live_read=is_live_read)
        quota, now = self._client.quota, time.time()
        if quota is not None and quota.ends_at - now > _SHORTEST_PLANNED_QUOTA:
            # A short quota is available several times until midnight, also if nothing is left of it now. A
            # long one also lasts for later.
            periods = (_next_midnight(dt_util.now()) - now) / (quota.ends_at - now)
            left = min(left, max(quota.remaining - reserve(quota.remaining), 1.0) * periods)
        return max(left, 0.0)

    def opens_at(self, *, is_live_read: bool, count: int = 1) -> float:
        """Return when `count` planned requests may be sent, in Unix seconds; 0 if they may be sent now."""
        if self.is_limited:
            now, (today, by_day) = dt_util.now(), self._left_of_limits(is_live_read=is_live_read)
            if today < count:
                return _next_midnight(now) + CLOCK_MARGIN
            if now.hour < _EVENING and by_day < count:
                return now.replace(hour=_EVENING, minute=0, second=0, microsecond=0).timestamp()
        quota = self._client.quota
        if quota is None or quota.ends_at <= time.time():
            return 0.0
        return 0.0 if quota.remaining - reserve(quota.remaining) >= count else quota.ends_at + CLOCK_MARGIN

    @property
    def limit(self) -> float:
        """The most requests a day to ask whether cars woke and for cars in use; infinity without a limit."""
        limit = self.options.requests_per_day or math.inf
        return min(limit, self._live_reads_per_day) if self.only_live else limit

    @property
    def _for_use(self) -> float:
        """The number of live reads a day for cars in use, if they share a limit with other requests."""
        limit, share = self.limit, _USE_SHARE_ONLY_LIVE if self.only_live else _USE_SHARE
        return 0.0 if limit == math.inf else limit * share

    def next_request(
        self, last: float, rates: Sequence[WakeRate], state_changes: Iterable[float] = ()
    ) -> float:
        """Return when to request the states. `rates`: of cars that may wake. `state_changes`: times."""
        now = dt_util.now()
        # Today's requests are for the time since midnight.
        last = max(last, dt_util.start_of_local_day(now).timestamp())
        moment = dt_util.as_local(dt_util.utc_from_timestamp(last))
        start = moment.replace(minute=moment.minute // 10 * 10, second=0, microsecond=0)
        # The plan is made again in each bin of the day, because the requests of ten minutes change it little.
        reasons = (start, tuple(rates), self.cost, self.only_live)
        if reasons not in self._plans:
            if len(self._plans) >= _PLANS_KEPT:
                self._plans.clear()
            self._plans[reasons] = self._plan_day(start, rates)
        if self._planned_left(now) < self.cost:
            return _next_midnight(now) + CLOCK_MARGIN
        at = next_time(last, start.timestamp(), self._plans[reasons])
        if at == math.inf:
            at = _next_midnight(now) + CLOCK_MARGIN
        at = min([at, *state_changes])
        return max(at, self.opens_at(is_live_read=self.only_live, count=self.cost))

    def _plan_day(self, start: datetime, wake_rates: Sequence[WakeRate]) -> list[float]:
        """Return the requests per second, for each bin of the day from `start` until midnight."""
        local, midnight, longest = LocalTime.of(start), _next_midnight(start), self.options.interval
        chances = [rate.by_bin(local) for rate in wake_rates]
        left, a_day = self._planned_left(start), float(PLANNED_PER_DAY)
        available = self.left_today(is_live_read=self.only_live)
        if available < math.inf:
            longest = _INTERVAL_WITH_LIMIT
            a_day = min(a_day, self.limit - self._for_use)
            if chances:
                # Some are for reading the cars that will be used.
                wakes_left = sum(wakes_until_midnight(chance, local.hour) for chance in chances)
                wakes_of_day = sum(wakes_until_midnight(chance, 0) for chance in chances)
                available -= self._for_use * wakes_left / wakes_of_day
            left = min(left, max(available, 0.0))
        return request_rates(local, midnight, left / self.cost, a_day / self.cost, longest, chances)

    def _planned_left(self, now: datetime) -> float:
        """Return how many requests may still be planned for today, without the owner's limits."""
        left: float = PLANNED_PER_DAY - self.planned
        if (interval := self.options.interval) < INTERVAL:
            # The owner wants more requests.
            left = max(left, (_next_midnight(now) - now.timestamp()) / interval * self.cost + 1)
        return left

    def read_interval(
        self, wanted: float, rate: WakeRate, charger_power: float | None = None, cost: int = 1
    ) -> float:
        """Return the interval of live reads in use. `charger_power`: kW. `cost`: requests per live read."""
        if not self.is_limited:
            return wanted
        available = self.left_today(is_live_read=True)
        if shared := self._for_use:
            live = self.live_reads - (self.planned if self.only_live else 0)
            available = min(available, max(shared - live, available * _FURTHER_USE_SHARE))
        available /= cost
        now = LocalTime.of(dt_util.now())
        further = wakes_until_midnight(rate.by_bin(now), now.hour)
        return max(wanted, spaced_interval(available, further, charger_power))


def _billed(stored: Mapping[str, Any]) -> Counter[str]:
    """Return the stored requests of a day that the service charged for, by the names of their prices."""
    billed = read_mapping(stored.get("billed"))
    return Counter({each.name: COUNT.read(billed.get(each.name)) or 0 for each in fields(Prices)})


def _next_midnight(now: datetime) -> float:
    """Return the local midnight after this local time, in Unix seconds."""
    return dt_util.start_of_local_day(now + timedelta(days=1)).timestamp()
