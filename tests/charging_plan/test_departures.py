"""The car is needed at one time, at others on some weekdays, or when events of a calendar begin."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from custom_components.vehicle_remote_access.charging_plan.departures import Departures

ZONE = ZoneInfo("Europe/Berlin")
FRIDAY = datetime(2026, 5, 8, 20, tzinfo=ZONE)
SEVEN = Departures(usual=time(7))


def _at(days: int, hour: int) -> float:
    return datetime(2026, 5, 8 + days, hour, tzinfo=ZONE).timestamp()


def test_weekdays() -> None:
    assert (SEVEN.last_before(FRIDAY), SEVEN.next_after(FRIDAY)) == (_at(0, 7), _at(1, 7))
    weekend = Departures(usual=time(7), weekdays={5: None, 6: time(10)})
    assert weekend.next_after(FRIDAY) == _at(2, 10)
    assert weekend.last_before(FRIDAY + timedelta(days=1)) == _at(0, 7)
    never = Departures(usual=time(7), weekdays=dict.fromkeys(range(7)))
    assert (never.last_before(FRIDAY), never.next_after(FRIDAY)) == (None, None)
    # Only on one day of the week, which is today, but earlier.
    once = Departures(usual=time(7), weekdays=dict.fromkeys(set(range(7)) - {4}))
    assert once.next_after(FRIDAY) == _at(7, 7)


def test_calendar_replaces_the_times() -> None:
    events = Departures(usual=time(7), events=[_at(-1, 9), _at(0, 12), _at(3, 6), _at(4, 6)])
    assert (events.last_before(FRIDAY), events.next_after(FRIDAY)) == (_at(0, 12), _at(3, 6))
    assert Departures(usual=time(7), events=[]).next_after(FRIDAY) is None


def test_time_that_the_clock_shows_twice() -> None:
    """The clock is set back at 3:00 on this night. The first 2:30 counts."""
    at_half_past_two = Departures(usual=time(2, 30))
    night = datetime(2026, 10, 25, 1, tzinfo=ZONE)
    moment = at_half_past_two.next_after(night)
    assert moment == datetime(2026, 10, 25, 0, 30, tzinfo=ZoneInfo("UTC")).timestamp()
    assert at_half_past_two.next_after(datetime.fromtimestamp(moment, ZONE)) == moment + 25 * 3600
