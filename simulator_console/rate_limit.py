"""The limit of requests per minute."""

from collections import deque
from collections.abc import Mapping
import math
from typing import Final

from custom_components.vehicle_remote_access.simulator import Clock

from .service_switches import ServiceSwitches

MINUTE: Final = 60.0
RETRY_AFTER: Final = 300


class RateLimit:
    """Counts the requests of the last minute."""

    def __init__(self, clock: Clock, switches: ServiceSwitches) -> None:
        self._clock = clock
        self._switches = switches
        self._times: deque[float] = deque()

    def is_exceeded(self) -> bool:
        """Return whether a new request exceeds the limit. If not, count it."""
        if not self._switches.rate_limit:
            return False
        self._forget_old()
        if len(self._times) >= self._switches.rate_limit:
            return True
        self._times.append(self._clock.now())
        return False

    @property
    def retry_after(self) -> int:
        return self._reset_after if self._switches.rate_limit_headers else RETRY_AFTER

    def headers(self) -> Mapping[str, str]:
        """Return the headers that tell what is left of the limit, empty without them."""
        if not self._switches.rate_limit or not self._switches.rate_limit_headers:
            return {}
        self._forget_old()
        return {
            "RateLimit-Limit": str(self._switches.rate_limit),
            "RateLimit-Remaining": str(max(0, self._switches.rate_limit - len(self._times))),
            "RateLimit-Reset": str(self._reset_after),
        }

    @property
    def _reset_after(self) -> int:
        """The seconds until the oldest request is a minute ago."""
        return math.ceil(self._times[0] + MINUTE - self._clock.now()) if self._times else 0

    def _forget_old(self) -> None:
        while self._times and self._times[0] <= self._clock.now() - MINUTE:
            self._times.popleft()
