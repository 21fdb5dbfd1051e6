"""What was learned of one car: how it falls asleep, whether it wakes by itself, where it stops for how long.

Pure: what happened comes in, what to expect comes out. All durations are seconds.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
import math
from typing import Any, Final, Self

from ..api.value_types import COUNT, LATITUDE, LONGITUDE, NUMBER

FIRST_QUIET: Final = 2100.0
"""In this time every car falls asleep that may; as long as nothing was learned, it is given it."""
LONGEST_QUIET: Final = 3600.0
# A car needs a little more today than yesterday, and is seen asleep only at the next look.
_MARGIN: Final = 90.0
_MARGIN_SHARE: Final = 0.05
_GROWTH: Final = 1.5
_MOST_GROWTHS: Final = 9
# No car is that quick, or needs longer than any is given: something else was the reason.
_QUICKEST: Final = 300.0
_SLEEPS_KEPT: Final = 5

SELF_CHECK: Final = 210.0
"""A car that wakes to look after itself sleeps again within this time."""
_CHECKS_BELIEVED: Final = 2
_NO_CHECK_FOR: Final = 3 * 3600.0
_REGULAR: Final = 300.0

USUAL: Final = 300.0
"""For how long a car is watched after something has happened to it."""
SHORT_STOP: Final = 1260.0
"""For how long it is watched where it may be driven on soon."""
LONG_STAY: Final = 180.0
"""For how long it is watched where it will stay."""
_SHORT: Final = 1800.0
_SHORT_SHARE: Final = 0.25
_STAYS_BELIEVED: Final = 2
_STAYS_KEPT: Final = 60
# In degrees: the length of a car park
_NEAR: Final = 0.003
_HOURS_APART: Final = 2.0
_DAY: Final = 24.0
_EVENING: Final = 22.0
_MORNING: Final = 6.0

type Place = tuple[float, float]
"""Latitude and longitude in degrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """When and where a car was parked."""

    at: float
    """Unix seconds."""
    hour: float
    """Of the day, as people there have it."""
    place: Place | None

    @classmethod
    def from_json(cls, kept: Any) -> Self | None:
        """Return the arrival as it was remembered, or None."""
        if not isinstance(kept, Mapping):
            return None
        at, hour = NUMBER.read(kept.get("at")), NUMBER.read(kept.get("hour"))
        return None if at is None or hour is None else cls(at=at, hour=hour, place=_place(kept.get("place")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """How long a car stood somewhere."""

    hour: float
    place: Place | None
    lasted: float

    @classmethod
    def from_json(cls, kept: Any) -> Self | None:
        """Return the stay as it was remembered, or None."""
        if not isinstance(kept, Mapping):
            return None
        hour, lasted = NUMBER.read(kept.get("hour")), NUMBER.read(kept.get("lasted"))
        if hour is None or lasted is None:
            return None
        return cls(hour=hour, lasted=lasted, place=_place(kept.get("place")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What was learned of a car. Immutable: each thing that happens gives a new one."""

    sleeps: tuple[float, ...] = ()
    """How long it was in peace before it was seen asleep, the last few times."""
    sleepless: int = 0
    """How often in a row it has not fallen asleep in the time that it was given."""
    self_checks: int = 0
    """How often it woke, was not used, and slept again, each time after about as long a sleep."""
    check_after: float = 0.0
    """How long it had slept before, the last time."""
    stays: tuple[Stay, ...] = ()

    # How it falls asleep

    @property
    def need(self) -> float | None:
        """How long it has to be in peace to fall asleep, or None before that was seen.

        One time that was longer than all others says more about somebody who disturbed it.
        """
        ordered = sorted(self.sleeps)
        return ordered[-2 if len(ordered) > 2 else -1] if ordered else None  # noqa: PLR2004 - out of three

    @property
    def quiet(self) -> float:
        """For how long not to read it: what it needs and a margin, more after that was not enough."""
        need = self.need
        enough = FIRST_QUIET if need is None else need * (1 + _MARGIN_SHARE) + _MARGIN
        return min(enough * _GROWTH**self.sleepless, LONGEST_QUIET)

    def fell_asleep(self, after: float) -> Self:
        """Return the habits after it was seen asleep, so many seconds after anybody asked it anything."""
        if not _QUICKEST <= after <= LONGEST_QUIET:
            return self
        return replace(self, sleeps=(*self.sleeps, round(after))[-_SLEEPS_KEPT:], sleepless=0)

    def stayed_awake(self) -> Self:
        """Return the habits after all of its quiet time went by and it neither slept nor was used."""
        return replace(self, sleepless=min(self.sleepless + 1, _MOST_GROWTHS))

    # Whether it wakes by itself

    @property
    def patience(self) -> float:
        """For how long to wait before it is read when it woke: reading it would keep it awake."""
        return SELF_CHECK if self.self_checks >= _CHECKS_BELIEVED else 0.0

    def slept(self, seconds: float) -> Self:
        """Return the habits after it woke from a sleep that long."""
        return replace(self, self_checks=0) if seconds > _NO_CHECK_FOR else self

    def checked_itself(self, slept: float) -> Self:
        """Return the habits after it had slept that long, and then woken for nothing that anybody saw."""
        is_regular = self.patience > 0 or abs(slept - self.check_after) < _REGULAR
        return replace(self, self_checks=self.self_checks + 1 if is_regular else 1, check_after=slept)

    # Where it stops for how long

    def settling(self, arrival: Arrival) -> float:
        """Return for how long to watch a car that was just parked."""
        known = [stay for stay in self.stays if _is_alike(stay, arrival)]
        if not known:
            return USUAL if is_night(arrival.hour) else SHORT_STOP
        short = sum(stay.lasted < _SHORT for stay in known)
        if short >= len(known) * _SHORT_SHARE:
            return SHORT_STOP
        return LONG_STAY if len(known) >= _STAYS_BELIEVED else USUAL

    def stayed(self, arrival: Arrival, lasted: float) -> Self:
        """Return the habits after it was driven on."""
        place = None if arrival.place is None else (round(arrival.place[0], 3), round(arrival.place[1], 3))
        stay = Stay(hour=round(arrival.hour, 1), place=place, lasted=round(lasted))
        return replace(self, stays=(*self.stays, stay)[-_STAYS_KEPT:])

    # Over a restart

    def as_json(self) -> dict[str, Any]:
        """Return what has to be remembered."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Any) -> Self:
        """Return the habits as they were remembered; what cannot be understood was not learned."""
        if not isinstance(kept, Mapping):
            return cls()
        sleeps = [NUMBER.read(each) for each in _listed(kept.get("sleeps"))]
        stays = [Stay.from_json(each) for each in _listed(kept.get("stays"))]
        return cls(
            sleeps=tuple(each for each in sleeps if each is not None and _QUICKEST <= each <= LONGEST_QUIET)[
                -_SLEEPS_KEPT:
            ],
            sleepless=min(max(COUNT.read(kept.get("sleepless")) or 0, 0), _MOST_GROWTHS),
            self_checks=max(COUNT.read(kept.get("self_checks")) or 0, 0),
            check_after=NUMBER.read(kept.get("check_after")) or 0.0,
            stays=tuple(each for each in stays if each is not None)[-_STAYS_KEPT:],
        )


def is_night(hour: float) -> bool:
    """Return whether people sleep at this hour of the day."""
    return hour >= _EVENING or hour < _MORNING


def _is_alike(stay: Stay, arrival: Arrival) -> bool:
    """Return whether a stay was at about this place and at about this time of the day."""
    apart = abs(stay.hour - arrival.hour) % _DAY
    if min(apart, _DAY - apart) > _HOURS_APART:
        return False
    if stay.place is None or arrival.place is None:
        return stay.place is arrival.place
    north, east = (stay.place[index] - arrival.place[index] for index in (0, 1))
    return math.hypot(north, east * math.cos(math.radians(arrival.place[0]))) < _NEAR


def _listed(kept: Any) -> list[Any] | tuple[Any, ...]:
    return kept if isinstance(kept, list | tuple) else ()


def _place(kept: Any) -> Place | None:
    if len(_listed(kept)) != 2:  # noqa: PLR2004 - latitude and longitude
        return None
    north, east = LATITUDE.read(kept[0]), LONGITUDE.read(kept[1])
    return None if north is None or east is None else (north, east)
