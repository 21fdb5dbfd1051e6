"""Computes the metrics from the car's history and Home Assistant's observations. No I/O."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from custom_components.vehicle_remote_access.simulator.vehicle import physics

from ..common.driver import DAY, HOUR, MINUTE, Activity, ActivityKind, CarState, History, Span
from ..common.home import Observations


@dataclass(frozen=True, slots=True)
class DayMetrics:
    """Metrics of one day."""

    asleep: float
    """Hours."""
    possible: float
    """Hours that the car sleeps without Home Assistant."""
    requests: int
    live_reads: int
    driven: float
    """Minutes."""
    not_shown: float
    """Minutes of driving that Home Assistant did not show."""

    @property
    def sleep_share(self) -> float:
        """Sleep in percent of the possible sleep."""
        return 100 * self.asleep / self.possible

    @property
    def not_shown_share(self) -> float:
        """Driving that was not shown, in percent."""
        return 100 * self.not_shown / self.driven if self.driven else 0.0

    @property
    def battery_lost(self) -> float:
        """Energy for the additional time awake, in percent of the battery."""
        return (self.possible - self.asleep) * (physics.AWAKE - physics.ASLEEP) / physics.PACK * 100


@dataclass(frozen=True, slots=True)
class ActivityMetrics:
    """Metrics of a drive or a charge."""

    kind: ActivityKind
    initial_state: CarState
    """The car's state when the activity started."""
    day: int
    minutes: float
    delay: float
    """Seconds until Home Assistant showed the activity; the whole activity if it never did."""
    is_shown: bool
    live_reads: int
    longest_gap: float
    """Seconds between two live reads."""

    @property
    def missing_reads(self) -> int:
        """Live reads that are missing for one read per minute, from the time when the activity was shown."""
        return max(0, int(self.minutes - self.delay / MINUTE) - self.live_reads)


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics of one car."""

    days: list[DayMetrics]
    activities: list[ActivityMetrics]
    learned_sleep_delay: float | None
    """Minutes until the idle car falls asleep, as learned by the integration."""
    problems: list[str]

    def lowest_sleep_share(self, from_day: int = 0) -> float | None:
        """Return the sleep on the worst day, in percent of the possible sleep."""
        return min((day.sleep_share for day in self.days[from_day:]), default=None)

    @property
    def most_requests(self) -> int:
        """The requests on the day with most requests."""
        return max(day.requests for day in self.days)

    @property
    def highest_not_shown_share(self) -> float:
        """Driving that was not shown on the worst day, in percent."""
        return max(day.not_shown_share for day in self.days)

    @property
    def missing_reads(self) -> int:
        """Live reads that are missing for one read per minute, over all activities."""
        return sum(activity.missing_reads for activity in self.activities)

    @property
    def longest_gap(self) -> float:
        """The most seconds between two live reads during an activity."""
        return max(activity.longest_gap for activity in self.activities)

    def median_delay(self, *states: CarState) -> float | None:
        """Return the median delay in seconds of activities that started in one of these states."""
        return median(delays) if (delays := self._delays(states)) else None

    def longest_delay(self, *states: CarState) -> float | None:
        """Return the longest delay in seconds of activities that started in one of these states."""
        return max(self._delays(states), default=None)

    def _delays(self, states: tuple[CarState, ...]) -> list[float]:
        return [activity.delay for activity in self.activities if activity.initial_state in states]

    def read_rate(self, kind: ActivityKind) -> float | None:
        """Return the live reads per minute during one kind of activity."""
        activities = [activity for activity in self.activities if activity.kind == kind]
        minutes = sum(activity.minutes for activity in activities)
        return sum(activity.live_reads for activity in activities) / minutes if minutes else None


def compute_metrics(history: History, undisturbed: History, observations: Observations, days: int) -> Metrics:
    """Return a car's metrics; `undisturbed` is its history without Home Assistant."""
    spans = [Span(day * DAY, (day + 1) * DAY) for day in range(days)]
    return Metrics(
        days=[_day_metrics(history, undisturbed, observations, span) for span in spans],
        activities=[_activity_metrics(activity, observations) for activity in history.activities],
        learned_sleep_delay=observations.learned_sleep_delay,
        problems=observations.problems,
    )


def _day_metrics(history: History, undisturbed: History, observations: Observations, day: Span) -> DayMetrics:
    requests = [request for request in observations.requests if day.start <= request.at < day.end]
    drives = [activity.span.within(day) for activity in history.activities if activity.kind == "drive"]
    driven = _total(drives)
    shown = _total(span.within(drive) for drive in drives for span in observations.shown["drive"])
    return DayMetrics(
        asleep=_total(span.within(day) for span in history.sleeps) / HOUR,
        possible=_total(span.within(day) for span in undisturbed.sleeps) / HOUR,
        requests=len(requests),
        live_reads=sum(request.is_live for request in requests),
        driven=driven / MINUTE,
        not_shown=(driven - shown) / MINUTE,
    )


def _activity_metrics(activity: Activity, observations: Observations) -> ActivityMetrics:
    reachable = Span(activity.reachable_at, activity.end)
    shown = [part for span in observations.shown[activity.kind] if (part := span.within(reachable)).seconds]
    first = shown[0].start if shown else activity.end
    reads = [request.at for request in observations.requests if request.is_live and request.is_ok]
    reads_during = [at for at in reads if activity.start <= at < activity.end]
    return ActivityMetrics(
        kind=activity.kind,
        initial_state=activity.initial_state,
        day=int(activity.start // DAY),
        minutes=reachable.seconds / MINUTE,
        delay=first - activity.reachable_at,
        is_shown=bool(shown),
        live_reads=len(reads_during),
        longest_gap=max((after - before for before, after in pairwise(reads_during)), default=0.0),
    )


def _total(spans: Iterable[Span]) -> float:
    return sum(span.seconds for span in spans)
