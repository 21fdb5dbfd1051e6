"""Habits of one car: how fast it falls asleep, when and why it wakes, and how long it parks.

No clock, no network. Durations are seconds.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
import math
from statistics import fmean
from typing import Any, Final, Self

from ..api.value_types import COUNT, LATITUDE, LONGITUDE, NUMBER
from .arrival_rate import ArrivalRate, Wake
from .departure import after_stays, after_wakes, best_watch

FIRST_QUIET: Final = 2100.0
"""The quiet period of a car without known habits. Every car that can sleep falls asleep within it."""
LONGEST_QUIET: Final = 3600.0
# A car may need a little longer than before, and its sleep is seen only at the next request.
_MARGIN: Final = 90.0
_MARGIN_SHARE: Final = 0.05
_GROWTH: Final = 1.5
_MOST_GROWTHS: Final = 9
# Shorter times to fall asleep have another reason.
_QUICKEST: Final = 300.0
_SLEEPS_KEPT: Final = 5

SELF_CHECK: Final = 210.0
"""A car that wakes for a self-check sleeps again within this time."""
_CHECKS_NEEDED: Final = 2
_CHECKS_KEPT: Final = 30
# At night, the list is requested so rarely that it does not show every self-check.
_NO_CHECK_FOR: Final = 8 * 3600.0
_REGULAR: Final = 300.0
# Per hour, at each time of the day, because what did not happen yet may still happen
_ASSUMED_CHECKS: Final = 0.15
_HOUR: Final = 3600.0

# Three weeks with five drives a day
_STAYS_KEPT: Final = 105
_STAY_LIFE: Final = 9 * 86_400.0
# At other times of the day, stays at a place differ.
_OTHER_HOUR: Final = 0.1
# A use that has just happened is not expected again.
_HALF_DAY: Final = 12 * 3600.0
# At night, a car is usually parked until the morning. This counts as much as two known stays.
_NIGHT_STAY: Final = (8 * 3600.0, 2.0)
# In degrees: the length of a parking lot
_NEAR_DEGREES: Final = 0.003
_HOURS_APART: Final = 2.0
_DAY: Final = 24.0
_EVENING: Final = 22.0
_MORNING: Final = 6.0

type Position = tuple[float, float]
"""Latitude and longitude in degrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """When and where a car was parked."""

    at: float
    """Unix seconds."""
    hour: float
    """Local hour of the day."""
    place: Position | None

    @classmethod
    def from_json(cls, stored: Any) -> Self | None:
        """Return the stored arrival, or None if it is invalid."""
        if not isinstance(stored, Mapping):
            return None
        at, hour = NUMBER.read(stored.get("at")), NUMBER.read(stored.get("hour"))
        return (
            None
            if at is None or hour is None
            else cls(at=at, hour=hour, place=_position(stored.get("place")))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """How long a car was parked at a position."""

    hour: float
    place: Position | None
    lasted: float
    at: float | None = None
    """Unix seconds of the arrival. Earlier versions did not store it."""

    @classmethod
    def from_json(cls, stored: Any) -> Self | None:
        """Return the stored stay, or None if it is invalid."""
        if not isinstance(stored, Mapping):
            return None
        hour, lasted = NUMBER.read(stored.get("hour")), NUMBER.read(stored.get("lasted"))
        if hour is None or lasted is None:
            return None
        place, at = _position(stored.get("place")), NUMBER.read(stored.get("at"))
        return cls(hour=hour, lasted=lasted, place=place, at=at)

    def weight(self, arrival: Arrival) -> float:
        """Return how much this stay says about the one that begins with an arrival, from 0 to 1."""
        if not _is_near(self.place, arrival.place):
            return 0.0
        age = 0.0 if self.at is None else max(arrival.at - self.at, 0.0)
        apart = abs(self.hour - arrival.hour) % _DAY
        is_same_time = min(apart, _DAY - apart) <= _HOURS_APART
        return math.exp(-age / _STAY_LIFE) * (1.0 if is_same_time else _OTHER_HOUR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What was learned about a car. Immutable: each event returns a new object."""

    sleeps: tuple[float, ...] = ()
    """The last times it took to fall asleep after a request."""
    sleepless: int = 0
    """How often in a row it was still awake after a whole quiet period."""
    self_checks: int = 0
    """How often it woke, was not used and slept again, each time after a sleep of about the same length."""
    check_after: float = 0.0
    """The length of the last such sleep."""
    checks: tuple[float, ...] = ()
    """The lengths of the last such sleeps."""
    stays: tuple[Stay, ...] = ()
    arrival_rate: ArrivalRate = field(default_factory=ArrivalRate)
    """When it wakes for use."""
    check_rate: ArrivalRate = field(default_factory=ArrivalRate)
    """When it wakes and is not used."""

    @property
    def need(self) -> float | None:
        """The seconds without requests that it needs to fall asleep, or None if unknown.

        The longest of several times is ignored, because another app may have disturbed the car.
        """
        ordered = sorted(self.sleeps)
        return ordered[-2 if len(ordered) > 2 else -1] if ordered else None  # noqa: PLR2004 - out of three

    @property
    def quiet(self) -> float:
        """How long not to read it: the time it needs plus a margin, and longer after that was not enough."""
        need = self.need
        enough = FIRST_QUIET if need is None else need * (1 + _MARGIN_SHARE) + _MARGIN
        return min(enough * _GROWTH**self.sleepless, LONGEST_QUIET)

    def fell_asleep(self, after: float) -> Self:
        """Return the habits after it fell asleep, `after` seconds after the last request."""
        if not _QUICKEST <= after <= LONGEST_QUIET:
            return self
        return replace(self, sleeps=(*self.sleeps, round(after))[-_SLEEPS_KEPT:], sleepless=0)

    def stayed_awake(self) -> Self:
        """Return the habits after a whole quiet period in which it neither slept nor was used."""
        return replace(self, sleepless=min(self.sleepless + 1, _MOST_GROWTHS))

    @property
    def self_check_wait(self) -> float:
        """How long to wait before it is read after it woke, because a read keeps it awake."""
        return SELF_CHECK if self.self_checks >= _CHECKS_NEEDED else 0.0

    def slept(self, seconds: float) -> Self:
        """Return the habits after it woke from a sleep of this length."""
        return replace(self, self_checks=0) if seconds > _NO_CHECK_FOR else self

    def checked_itself(self, wake: Wake, slept: float) -> Self:
        """Return the habits after it slept for this time and then woke without being used."""
        is_regular = self.self_check_wait > 0 or abs(slept - self.check_after) < _REGULAR
        return replace(
            self,
            self_checks=self.self_checks + 1 if is_regular else 1,
            check_after=slept,
            checks=(*self.checks, round(slept))[-_CHECKS_KEPT:],
            check_rate=self.check_rate.woke(wake),
        )

    def is_use_likely(self, wake: Wake, slept: float) -> bool:
        """Return whether the car rather woke for use than for a self-check, after it slept for this time."""
        return self.arrival_rate.chance(wake) > self._check_chance(wake, slept)

    def _check_chance(self, wake: Wake, slept: float) -> float:
        """Return the chance per hour of a self-check.

        It depends on how long the car slept. It is lower at times of the day at which there was none.
        """
        possible = sum(each > slept - _REGULAR for each in self.checks)
        checks = sum(abs(each - slept) < _REGULAR for each in self.checks)
        # Half a check is added, because what did not happen yet may still happen.
        after_sleep = (checks + 0.5) / (possible + 1) * _HOUR / (2 * _REGULAR)
        by_bin = self.check_rate.by_bin(wake.at, is_weekend=wake.is_weekend)
        now, average = self.check_rate.chance(wake), fmean(by_bin)
        return after_sleep * (now + _ASSUMED_CHECKS) / (average + _ASSUMED_CHECKS)

    def settling(self, arrival: Arrival) -> float:
        """Return how long to watch a car that was just parked."""
        stays = [(stay.lasted, weight) for stay in self.stays if (weight := stay.weight(arrival))]
        if is_night(arrival.hour):
            stays.append(_NIGHT_STAY)
        return best_watch(after_stays(stays), self._need_now, self.quiet)

    def watch_idle(self, now: float, hour: float, *, is_weekend: bool) -> float:
        """Return how long to watch a car that woke or was charged, but is not used."""
        chances = self.arrival_rate.before(now - _HALF_DAY).by_bin(now, is_weekend=is_weekend)
        return best_watch(after_wakes(chances, hour), self._need_now, self.quiet)

    @property
    def _need_now(self) -> float:
        """The time that it needs to fall asleep, as far as is known."""
        return self.quiet if self.need is None or self.sleepless else self.need

    def stayed(self, arrival: Arrival, lasted: float) -> Self:
        """Return the habits after it was parked for this time and then driven again."""
        place = None if arrival.place is None else (round(arrival.place[0], 3), round(arrival.place[1], 3))
        stay = Stay(hour=round(arrival.hour, 1), place=place, lasted=round(lasted), at=round(arrival.at))
        return replace(self, stays=(*self.stays, stay)[-_STAYS_KEPT:])

    def observed(self, at: float) -> Self:
        """Return the habits after an observation of the car."""
        if self.arrival_rate.since:
            return self
        return replace(self, arrival_rate=self.arrival_rate.observed(at))

    def woke_for_use(self, wake: Wake) -> Self:
        """Return the habits after it woke for use."""
        return replace(self, arrival_rate=self.arrival_rate.woke(wake))

    def as_json(self) -> dict[str, Any]:
        """Return the state to store."""
        rates = {"arrival_rate": self.arrival_rate.as_json(), "check_rate": self.check_rate.as_json()}
        return {**asdict(self), **rates}

    @classmethod
    def from_json(cls, stored: Any) -> Self:
        """Return the stored habits. Invalid parts are left out."""
        if not isinstance(stored, Mapping):
            return cls()
        sleeps = [NUMBER.read(each) for each in _as_list(stored.get("sleeps"))]
        checks = [NUMBER.read(each) for each in _as_list(stored.get("checks"))]
        stays = [Stay.from_json(each) for each in _as_list(stored.get("stays"))]
        return cls(
            sleeps=tuple(each for each in sleeps if each is not None and _QUICKEST <= each <= LONGEST_QUIET)[
                -_SLEEPS_KEPT:
            ],
            sleepless=min(max(COUNT.read(stored.get("sleepless")) or 0, 0), _MOST_GROWTHS),
            self_checks=max(COUNT.read(stored.get("self_checks")) or 0, 0),
            check_after=NUMBER.read(stored.get("check_after")) or 0.0,
            checks=tuple(each for each in checks if each is not None)[-_CHECKS_KEPT:],
            stays=tuple(each for each in stays if each is not None)[-_STAYS_KEPT:],
            arrival_rate=ArrivalRate.from_json(stored.get("arrival_rate")),
            check_rate=ArrivalRate.from_json(stored.get("check_rate")),
        )


def is_night(hour: float) -> bool:
    """Return whether most people sleep at this hour of the day."""
    return hour >= _EVENING or hour < _MORNING


def _is_near(place: Position | None, other: Position | None) -> bool:
    """Return whether two positions are on the same parking lot. Unknown positions count as the same."""
    if place is None or other is None:
        return place is other
    north, east = (place[index] - other[index] for index in (0, 1))
    return math.hypot(north, east * math.cos(math.radians(other[0]))) < _NEAR_DEGREES


def _as_list(stored: Any) -> list[Any] | tuple[Any, ...]:
    return stored if isinstance(stored, list | tuple) else ()


def _position(stored: Any) -> Position | None:
    if len(_as_list(stored)) != 2:  # noqa: PLR2004 - latitude and longitude
        return None
    north, east = LATITUDE.read(stored[0]), LONGITUDE.read(stored[1])
    return None if north is None or east is None else (north, east)
