"""Habits of one car: when it falls asleep, when and why it wakes, and how long it parks, in seconds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any, Final, Self

from ..api.value_types import COUNT, LATITUDE, LONGITUDE, NUMBER
from ..util.local_time import HOUR, LocalTime
from ..util.positions import Position, degrees_between
from ..util.stored_values import read_list, read_mapping
from .departure import Departure, after_stays, after_wakes, best_watch
from .wake_rate import WakeRate

FIRST_QUIET: Final = 2100.0
"""The quiet period of a car without known habits. Every car that can sleep falls asleep within it."""
LONGEST_QUIET: Final = 3600.0
# A car may need a little longer than before, and only the next request shows that it sleeps.
_MARGIN: Final = 90.0
_GROWTH: Final = 1.5
_MOST_GROWTHS: Final = 9
# Shorter times to fall asleep have another reason.
_QUICKEST: Final = 300.0
_SLEEPS_KEPT: Final = 5

SELF_CHECK: Final = 210.0
"""A car that wakes for a self-check sleeps again within this time."""
_CHECKS_NEEDED: Final = 2
_CHECKS_KEPT: Final = 30
_REGULAR: Final = 300.0
# A car that slept for longer no longer checks itself.
_NO_CHECK_FOR: Final = 8 * HOUR
# Assumed per hour at each time of the day: a self-check is possible when there was none before.
_ASSUMED_CHECKS: Final = 0.15

# Three weeks with five drives a day
_STAYS_KEPT: Final = 105
# In degrees: the length of a parking lot
_NEAR_DEGREES: Final = 0.003


@dataclass(frozen=True, slots=True, kw_only=True)
class Parking:
    """When and where a car was parked."""

    at: float
    """Unix seconds."""
    place: Position | None

    @classmethod
    def from_json(cls, stored: Any) -> Parking | None:
        values = read_mapping(stored)
        at = NUMBER.read(values.get("at"))
        return None if at is None else Parking(at=at, place=_position(values.get("place")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """How long a car was parked somewhere."""

    place: Position | None
    lasted: float

    @classmethod
    def from_json(cls, stored: Any) -> Stay | None:
        values = read_mapping(stored)
        lasted = NUMBER.read(values.get("lasted"))
        return None if lasted is None else Stay(place=_position(values.get("place")), lasted=lasted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What was learned about a car. Immutable: each event returns a new object."""

    sleeps: tuple[float, ...] = ()
    """How long the car took to fall asleep after a request, the last times."""
    sleepless: int = 0
    """How often in a row the car was still awake after a whole quiet period."""
    self_checks: int = 0
    """How often in a row the car woke after a sleep of about the same length, and was not used."""
    check_after: float = 0.0
    """The length of the last such sleep."""
    checks: tuple[float, ...] = ()
    """The lengths of the last such sleeps."""
    stays: tuple[Stay, ...] = ()
    use_rate: WakeRate = field(default_factory=WakeRate)
    """When the car wakes for use."""
    check_rate: WakeRate = field(default_factory=WakeRate)
    """When the car wakes and is not used."""

    @property
    def time_to_fall_asleep(self) -> float | None:
        """The seconds without requests after which the car falls asleep, or None if unknown."""
        if not self.sleeps:
            return None
        # Another app may have disturbed the car, so the longest of at least three times is ignored.
        *shorter, longest = sorted(self.sleeps)
        return shorter[-1] if len(shorter) > 1 else longest

    @property
    def quiet_period(self) -> float:
        """The seconds without a live read in which the car falls asleep. They grow while they are too few."""
        known = self.time_to_fall_asleep
        enough = FIRST_QUIET if known is None else known + _MARGIN
        return min(enough * _GROWTH**self.sleepless, LONGEST_QUIET)

    def fell_asleep(self, after: float) -> Self:
        """Return the habits after the car fell asleep, `after` seconds after the last request."""
        if not _is_plausible(after):
            return self
        return replace(self, sleeps=(*self.sleeps, round(after))[-_SLEEPS_KEPT:], sleepless=0)

    def stayed_awake(self) -> Self:
        """Return the habits after a whole quiet period in which the car neither slept nor was used."""
        return replace(self, sleepless=min(self.sleepless + 1, _MOST_GROWTHS))

    @property
    def self_check_wait(self) -> float:
        """How long to wait before a car that woke is read, because a read keeps it awake."""
        return SELF_CHECK if self.self_checks >= _CHECKS_NEEDED else 0.0

    def slept(self, seconds: float) -> Self:
        """Return the habits after the car woke from a sleep of this length."""
        return replace(self, self_checks=0) if seconds > _NO_CHECK_FOR else self

    def checked_itself(self, woke: LocalTime, slept: float) -> Self:
        """Return the habits after the car slept for this time, and woke without being used."""
        is_regular = self.self_check_wait > 0 or abs(slept - self.check_after) < _REGULAR
        return replace(
            self,
            self_checks=self.self_checks + 1 if is_regular else 1,
            check_after=slept,
            checks=(*self.checks, round(slept))[-_CHECKS_KEPT:],
            check_rate=self.check_rate.woke(woke),
        )

    def is_use_likely(self, woke: LocalTime, slept: float) -> bool:
        """Return whether the car, after this sleep, more likely woke for use than for a self-check."""
        possible = sum(length > slept - _REGULAR for length in self.checks)
        checks = sum(abs(length - slept) < _REGULAR for length in self.checks)
        # Half a check is added: a self-check is possible after any sleep.
        check_chance = (checks + 0.5) / (possible + 1) * HOUR / (2 * _REGULAR)
        # A check is less likely at times of the day at which the car is usually in use instead.
        now, average = self.check_rate.chance(woke), fmean(self.check_rate.by_bin(woke))
        check_chance *= (now + _ASSUMED_CHECKS) / (average + _ASSUMED_CHECKS)
        return self.use_rate.chance(woke) > check_chance

    def watch_parked(self, parking: Parking) -> float:
        """Return how long to watch a car that was just parked."""
        lengths = [stay.lasted for stay in self.stays if _is_near(stay.place, parking.place)]
        return self._best_watch(after_stays(lengths))

    def watch_idle(self, now: LocalTime) -> float:
        """Return how long to watch a car that woke or was charged, but is not used."""
        return self._best_watch(after_wakes(self.use_rate.by_bin(now), now.hour))

    def _best_watch(self, departures: Sequence[Departure]) -> float:
        known = self.time_to_fall_asleep
        asleep_after = self.quiet_period if known is None or self.sleepless else known
        return best_watch(departures, asleep_after, self.quiet_period)

    def stayed(self, parking: Parking, lasted: float) -> Self:
        """Return the habits after the car was parked for this time, and then driven."""
        place = None if parking.place is None else (round(parking.place[0], 3), round(parking.place[1], 3))
        return replace(self, stays=(*self.stays, Stay(place=place, lasted=round(lasted)))[-_STAYS_KEPT:])

    def observed(self, at: float) -> Self:
        return replace(self, use_rate=self.use_rate.observed(at))

    def woke_for_use(self, woke: LocalTime) -> Self:
        return replace(self, use_rate=self.use_rate.woke(woke))

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        # This key and the names of the other attributes are format version 1.
        values["arrival_rate"] = values.pop("use_rate")
        return values

    @classmethod
    def from_json(cls, stored: Any) -> Self:
        values = read_mapping(stored)
        sleeps = read_list(values.get("sleeps"), NUMBER.read)
        return cls(
            sleeps=tuple(filter(_is_plausible, sleeps))[-_SLEEPS_KEPT:],
            sleepless=min(COUNT.read(values.get("sleepless")) or 0, _MOST_GROWTHS),
            self_checks=COUNT.read(values.get("self_checks")) or 0,
            check_after=NUMBER.read(values.get("check_after")) or 0.0,
            checks=read_list(values.get("checks"), NUMBER.read)[-_CHECKS_KEPT:],
            stays=read_list(values.get("stays"), Stay.from_json)[-_STAYS_KEPT:],
            use_rate=WakeRate.from_json(values.get("arrival_rate")),
            check_rate=WakeRate.from_json(values.get("check_rate")),
        )


def _is_near(place: Position | None, other: Position | None) -> bool:
    """Return whether two positions are on the same parking lot. Unknown positions count as the same."""
    if place is None or other is None:
        return place is other
    return degrees_between(place, other) < _NEAR_DEGREES


def _is_plausible(time_to_fall_asleep: float) -> bool:
    return _QUICKEST <= time_to_fall_asleep <= LONGEST_QUIET


def _position(stored: Any) -> Position | None:
    if not isinstance(stored, list) or len(stored) != 2:  # noqa: PLR2004 - latitude and longitude
        return None
    north, east = LATITUDE.read(stored[0]), LONGITUDE.read(stored[1])
    return None if north is None or east is None else (north, east)
