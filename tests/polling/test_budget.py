"""The pace of requests: a day's requests last until midnight, and most are sent when a wake is likely."""

from copy import replace
from typing import Final

import pytest

from custom_components.vehicle_remote_access.polling.arrival_rate import BINS, BINS_PER_HOUR
from custom_components.vehicle_remote_access.polling.budget import SHORTEST_INTERVAL, Pace, next_request

HOUR: Final = 3600.0
# A car that is 25 times as likely to wake from 7 to 8 as otherwise
HABIT: Final = tuple(1.0 if index // BINS_PER_HOUR == 7 else 0.04 for index in range(BINS))
MIDNIGHT: Final = 1_000_000.0
PACE: Final = Pace(
    last=MIDNIGHT,
    hour=0.0,
    midnight=MIDNIGHT + 24 * HOUR,
    left=720,
    chances=HABIT,
    longest_by_day=300.0,
    longest_by_night=600.0,
)


def requests(pace: Pace) -> list[float]:
    """Return the hours after midnight of the requests until the next midnight."""
    sent = []
    while (at := next_request(pace)) < pace.midnight:
        sent.append((at - MIDNIGHT) / HOUR)
        pace = replace(pace, last=at, hour=pace.hour + (at - pace.last) / HOUR, left=pace.left - 1)
    return sent


def count(sent: list[float], start: float, end: float) -> int:
    """Return the number of requests between two hours."""
    return sum(start <= hour < end for hour in sent)


def test_rate_follows_the_root_of_the_chance() -> None:
    """Five times as many requests are sent if a wake is 25 times as likely. All are sent until midnight."""
    sent = requests(PACE)
    assert 717 <= len(sent) <= 720
    assert count(sent, 7, 8) == pytest.approx(5 * count(sent, 14, 15), rel=0.2)
    assert count(sent, 2, 3) == pytest.approx(count(sent, 22, 23), rel=0.3)


def test_without_a_sleeping_car_only_the_longest_interval_counts() -> None:
    """If no car can wake, the list is requested every five minutes by day and every ten by night."""
    sent = requests(replace(PACE, chances=()))
    assert (count(sent, 12, 13), count(sent, 3, 4)) == (12, 6)


def test_shortest_interval() -> None:
    """A large budget is not spent faster than useful."""
    sent = requests(replace(PACE, left=100_000))
    assert count(sent, 7, 8) == pytest.approx(HOUR / SHORTEST_INTERVAL, abs=1)


@pytest.mark.parametrize("left", [1, 2, 30, 144, 240])
def test_small_budget_lasts_until_midnight(left: int) -> None:
    """A small budget makes the intervals longer, is not exceeded, and is not spent before the evening."""
    sent = requests(replace(PACE, left=left, even_share=0.5))
    assert left - 2 <= len(sent) <= left
    assert count(sent, 7, 8) > left / 12 - 1
    assert count(sent, 18, 24) >= left // 8
    assert next_request(replace(PACE, left=0)) == PACE.midnight + 2


def test_restart_late_in_the_day() -> None:
    """What is left is spread over the rest of the day, also on days with 25 hours."""
    late = replace(PACE, last=MIDNIGHT + 20 * HOUR, hour=20.0, left=60)
    assert 59 <= len(requests(late)) <= 60
    long_day = replace(late, hour=19.0, midnight=late.midnight)
    assert 59 <= len(requests(long_day)) <= 60
    assert next_request(replace(late, last=late.midnight - 10)) == late.midnight + 2
