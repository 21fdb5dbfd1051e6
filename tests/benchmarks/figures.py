"""From what happened and what was seen of it to the figures that are promised. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from custom_components.vehicle_remote_access.simulator.vehicle import physics

from .driver import DAY, HOUR, MINUTE, Event, Found, Span, Truth, What
from .home import Seen


@dataclass(frozen=True, slots=True)
class Day:
    """One day of a car."""

    asleep: float
    """Hours."""
    limit: float
    """Hours that it sleeps if nobody reads it."""
    requests: int
    live_reads: int
    driven: float
    """Minutes."""
    unseen: float
    """Minutes of those in which Home Assistant did not show that it drove."""

    @property
    def share(self) -> float:
        """How much of the possible sleep it had, in percent."""
        return 100 * self.asleep / self.limit

    @property
    def unseen_share(self) -> float:
        """How much of the driving was not shown, in percent."""
        return 100 * self.unseen / self.driven if self.driven else 0.0

    @property
    def lost(self) -> float:
        """What being kept awake took from the battery, in percent of it."""
        return (self.limit - self.asleep) * (physics.AWAKE - physics.ASLEEP) / physics.PACK * 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a drive or a charge in Home Assistant."""

    what: What
    found: Found
    """What the car was when it began."""
    day: int
    minutes: float
    delay: float
    """Seconds until it was shown; all of them if it never was."""
    is_shown: bool
    samples: int
    """Live reads while it lasted."""
    longest_gap: float
    """Seconds between two of them."""

    @property
    def missing(self) -> int:
        """Live reads that one a minute would have brought from the time on when it was shown."""
        return max(0, int(self.minutes - self.delay / MINUTE) - self.samples)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a car had and what was seen of it."""

    days: list[Day]
    outcomes: list[Outcome]
    need: float | None
    """Minutes that it needs to fall asleep, as learned."""
    wrong: list[str]
    """What should not have happened."""

    def least_share(self, from_day: int = 0) -> float | None:
        """Return the share of sleep of the worst day, in percent."""
        return min((day.share for day in self.days[from_day:]), default=None)

    @property
    def most_requests(self) -> int:
        """The requests of the day that had most."""
        return max(day.requests for day in self.days)

    @property
    def most_unseen(self) -> float:
        """The share of driving that was not shown on the worst day, in percent."""
        return max(day.unseen_share for day in self.days)

    @property
    def missing_reads(self) -> int:
        """Live reads that one a minute would have brought of what was shown, and that there were not."""
        return sum(each.missing for each in self.outcomes)

    @property
    def longest_gap(self) -> float:
        """Seconds between two live reads of what was shown."""
        return max(each.longest_gap for each in self.outcomes)

    def of(self, *found: Found) -> list[Outcome]:
        """Return what began when the car was in one of these states."""
        return [each for each in self.outcomes if each.found in found]

    def usual_delay(self, *found: Found) -> float | None:
        """Return the median of the seconds until what began in one of these states was shown."""
        return median(delays) if (delays := [each.delay for each in self.of(*found)]) else None

    def worst_delay(self, *found: Found) -> float | None:
        """Return the most seconds until what began in one of these states was shown."""
        return max((each.delay for each in self.of(*found)), default=None)

    def rate(self, what: What) -> float | None:
        """Return the live reads a minute while something lasted."""
        these = [each for each in self.outcomes if each.what == what]
        minutes = sum(each.minutes for each in these)
        return sum(each.samples for each in these) / minutes if minutes else None


def figures(truth: Truth, undisturbed: Truth, seen: Seen, days: int) -> Figures:
    """Return the figures of a car; `undisturbed` is what happens to it if nobody reads it."""
    return Figures(
        days=[_day(truth, undisturbed, seen, Span(day * DAY, (day + 1) * DAY)) for day in range(days)],
        outcomes=[_outcome(event, seen) for event in truth.events],
        need=seen.need,
        wrong=seen.wrong,
    )


def _day(truth: Truth, undisturbed: Truth, seen: Seen, day: Span) -> Day:
    requests = [each for each in seen.requests if day.begin <= each.at < day.end]
    drives = [each.span.within(day) for each in truth.events if each.what == "drive"]
    driven = _total(drives)
    shown = _total(part.within(drive) for drive in drives for part in seen.shown["drive"])
    return Day(
        asleep=_total(each.within(day) for each in truth.sleeps) / HOUR,
        limit=_total(each.within(day) for each in undisturbed.sleeps) / HOUR,
        requests=len(requests),
        live_reads=sum(each.is_live for each in requests),
        driven=driven / MINUTE,
        unseen=(driven - shown) / MINUTE,
    )


def _outcome(event: Event, seen: Seen) -> Outcome:
    known = Span(event.reachable, event.end)
    shown = [part for each in seen.shown[event.what] if (part := each.within(known)).seconds]
    first = shown[0].begin if shown else event.end
    reads = [each.at for each in seen.requests if each.is_live and each.is_good]
    while_it_lasted = [at for at in reads if event.begin <= at < event.end]
    return Outcome(
        what=event.what,
        found=event.found,
        day=int(event.begin // DAY),
        minutes=known.seconds / MINUTE,
        delay=first - event.reachable,
        is_shown=bool(shown),
        samples=len(while_it_lasted),
        longest_gap=max((after - before for before, after in pairwise(while_it_lasted)), default=0.0),
    )


def _total(spans: Iterable[Span]) -> float:
    return sum(each.seconds for each in spans)
