"""Whether a vehicle's values are still recent enough to be shown."""

import math
import time
from typing import Final

_FAILURES_TOLERATED: Final = 3
_SILENCE_TOLERATED: Final = 900.0


class AvailabilityTracker:
    """Tracks whether the service or the car still answers. Tolerates a few failures and a short silence."""

    failures: int
    """Failures in a row."""
    expires_at: float
    """When the values are too old to be shown, by the monotonic clock; infinity while it answers."""

    def __init__(self) -> None:
        """Start as if an answer just arrived."""
        self.record_success()

    def record_success(self) -> None:
        self.failures, self._skipped = 0, 0.0
        self._last_success, self.expires_at = time.monotonic(), math.inf

    def record_failure(self, retry_after: float = 0.0, *, is_final: bool = False) -> None:
        """Count a failure, or a pause that prevents failures. `is_final`: only a person can end it."""
        self.failures = _FAILURES_TOLERATED if is_final else self.failures + 1
        if is_final:
            self._last_success = -math.inf
        self._skipped += retry_after * _FAILURES_TOLERATED / _SILENCE_TOLERATED
        if self.failures + self._skipped >= _FAILURES_TOLERATED:
            self.expires_at = self._last_success + _SILENCE_TOLERATED

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= time.monotonic()
