"""The limits on an account's requests: those of the owner, and the quota that the service reports.

They apply to the requests that the polling plans. Requests from users are counted but never refused.
"""

from datetime import datetime, timedelta
import math
import time
from typing import Final, NamedTuple

from homeassistant.util import dt as dt_util

from ..api.client import Client
from ..api.response import Quota
from ..polling.budget import CLOCK_MARGIN, reserve
from .options import AccountOptions
from .request_counter import RequestCounter

# What is left of a shorter quota, for example of a minute, says nothing about the rest of the day.
_SHORTEST_PLANNED_QUOTA: Final = 900.0
# More of them would be lost in a crash. With fewer, the count is saved more often.
_SENT_PER_SAVE: Final = 4


class _DayLimit(NamedTuple):
    """A number of requests a day that the owner allows, or of live reads."""

    only_live: bool
    planned: float
    """Those that may be planned. The others are kept for users."""


class Limits:
    """How many requests may still be sent."""

    options: AccountOptions
    is_set: bool
    """Whether the owner limits the number of live reads."""

    def __init__(self, client: Client, requests: RequestCounter, options: AccountOptions) -> None:
        self.requests = requests
        self._client = client
        self.update_options(options)

    def update_options(self, options: AccountOptions) -> None:
        self.options = options
        limits = ((options.requests_per_day, False), (options.live_reads_per_day, True))
        self._day_limits = [_DayLimit(is_live, limit - reserve(limit)) for limit, is_live in limits if limit]
        self.is_set = bool(self._day_limits)

    @property
    def sent_per_save(self) -> int:
        """How many requests may be sent before their count is saved; 0 without a limit."""
        return _SENT_PER_SAVE if self.is_set else 0

    @property
    def requests_left(self) -> int | None:
        """The number of requests left for today; None without a limit."""
        limit = self.options.requests_per_day
        return max(limit - self.requests.today, 0) if limit else None

    @property
    def live_reads_left(self) -> int | None:
        """The number of live reads left for today; None without a limit."""
        limit = self.options.live_reads_per_day
        return max(limit - self.requests.live_reads, 0) if limit else None

    def _left_of_limits(self, *, is_live: bool) -> float:
        """Return how many planned requests the owner's limits leave for today."""
        requests, live_reads = self.requests.update()
        left = [
            limit.planned - (live_reads if limit.only_live else requests)
            for limit in self._day_limits
            if is_live or not limit.only_live
        ]
        return min(left, default=math.inf)

    def left_today(self, *, is_live: bool) -> float:
        """Return how many requests the plan may still send until midnight; infinity without a limit."""
        left = self._left_of_limits(is_live=is_live)
        quota, now = self._client.quota, time.time()
        if quota is not None and quota.ends_at - now > _SHORTEST_PLANNED_QUOTA:
            # A short quota is available several times until midnight, also if nothing is left of it now. A
            # long one also lasts for later.
            periods = (next_midnight(dt_util.now()) - now) / (quota.ends_at - now)
            left = min(left, max(_without_reserve(quota), 1.0) * periods)
        return max(left, 0.0)

    def opens_at(self, *, is_live: bool, count: int = 1) -> float:
        """Return when `count` planned requests may be sent, in Unix seconds; 0 if they may be sent now."""
        if self.is_set and self._left_of_limits(is_live=is_live) < count:
            return next_midnight(dt_util.now()) + CLOCK_MARGIN
        quota = self._client.quota
        if quota is not None and quota.ends_at > time.time() and _without_reserve(quota) < count:
            return quota.ends_at + CLOCK_MARGIN
        return 0.0


def _without_reserve(quota: Quota) -> float:
    """Return how many requests the service's quota leaves without the reserve for users."""
    return quota.remaining - reserve(quota.remaining)


def next_midnight(now: datetime) -> float:
    """Return the local midnight after this local time, in Unix seconds."""
    return dt_util.start_of_local_day(now + timedelta(days=1)).timestamp()
