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

    def __init__(self) -> None:
        """Start as if an answer just arrived."""
        self.record_success()

    def record_success(self) -> None:
        """Forget the failures."""
        self.failures, self._skipped, self._last_success = 0, 0.0, time.monotonic()
        self._is_expiring = False

    def record_failure(self, retry_after: float = 0.0, *, is_final: bool = False) -> None:
        """Count a failure. A required pause counts like the failures that it prevents.

        `is_final`: there will be no answer before the user fixes the problem.
        """
        self.failures = _FAILURES_TOLERATED if is_final else self.failures + 1
        if is_final:
            self._last_success = -math.inf
        self._skipped += retry_after * _FAILURES_TOLERATED / _SILENCE_TOLERATED
        self._is_expiring |= self.failures + self._skipped >= _FAILURES_TOLERATED

    @property
    def is_expired(self) -> bool:
        """Whether the values are too old to be shown."""
        return self._is_expiring and self.expires_in <= 0

    @property
    def expires_in(self) -> float:
        """Seconds until the values are too old to be shown; infinity while it answers."""
        if not self._is_expiring:
            return math.inf
        return max(0.0, self._last_success + _SILENCE_TOLERATED - time.monotonic())
