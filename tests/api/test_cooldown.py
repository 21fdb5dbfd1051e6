"""Delays after failures."""

from unittest.mock import patch

from custom_components.vehicle_remote_access.api import cooldown
from custom_components.vehicle_remote_access.api.cooldown import backoff


def test_delay_after_failures_doubles_and_is_longer_by_up_to_a_quarter() -> None:
    with patch.object(cooldown, "random", return_value=0.0):
        delays = [backoff(failures, 600) for failures in (1, 2, 3, 4, 5, 5000)]
        assert delays == [60, 120, 240, 480, 600, 600]
    with patch.object(cooldown, "random", return_value=1.0):
        assert (backoff(1, 600), backoff(2, 600)) == (60, 150)
