"""With what current a car charges: as a person has set, as the house leaves, or as the surplus power gives.

Times are Unix seconds. The surplus is the power that would be exported if no car charged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
import math
from typing import Final, NamedTuple, Self

from ..util.stored import Stored

_START_AFTER: Final = 300.0
WAITS_FOR: Final = 300.0
"""How long a car waits after the house has left too little. Devices of a house go on and off."""
_STOP_AFTER: Final = 600.0
# Of the least current: with less, a car stops.
_KEEPS_SHARE: Final = 0.5
# A current that differs for so many ampere-seconds is worth a command.
_WORTH: Final = 600.0
_SHORTEST_PAUSE: Final = 60.0
MOST_CHANGES: Final = 18
"""Of a day, by the surplus. The plan itself needs some more, to charge at night and to restore a current."""


class HouseShare(NamedTuple):
    """What the house leaves to one car, in amperes."""

    limit: float | None = math.inf
    """The most by the limit of the house; infinity without a limit, None while its sensor is silent."""
    surplus: float | None = 0.0
    """What the surplus gives, as the mean of a minute; None while its sensor is silent."""
    lasting: float | None = 0.0
    """The same as the mean of about half an hour, without clouds that pass."""
    has_surplus: bool = False
    """Whether there is a sensor of the surplus."""


class CarLoad(NamedTuple):
    """What one car takes from the house, and may take."""

    drawn: float
    """Amperes."""
    least: float
    most: float
    watts: float
    """Of one ampere."""
    wants_charge: bool
    """Whether it charges, or should, for another reason than the surplus."""
    takes_surplus: bool
    """Whether it would charge with surplus power."""
    priority: tuple[bool, float]
    """The car with the lowest one comes first: a person's charge, and then the next departure."""


@dataclass(frozen=True, slots=True)
class HouseReading:
    """What the sensors of the house would show if no car charged."""

    available: float | None = math.inf
    """What the cars may take by the limit, in amperes or watts; None while its sensor is silent."""
    is_in_watts: bool = False
    surplus: float | None = 0.0
    """Watts, as the mean of a minute; None while its sensor is silent."""
    lasting: float = 0.0
    """Watts, as the mean of about half an hour."""
    has_surplus: bool = False


def house_shares[Car](loads: Mapping[Car, CarLoad], reading: HouseReading) -> dict[Car, HouseShare]:
    """Divide what the house leaves between its cars, in the order of their priorities."""
    cars = sorted(loads, key=lambda car: loads[car].priority)
    ordered = [loads[car] for car in cars]
    surpluses, lasting = _surpluses(ordered, reading.surplus), _surpluses(ordered, reading.lasting)
    amounts = zip(_limits(ordered, reading), surpluses, lasting, strict=True)
    shares = [HouseShare(*each, has_surplus=reading.has_surplus) for each in amounts]
    return dict(zip(cars, shares, strict=True))


def _limits(loads: Sequence[CarLoad], reading: HouseReading) -> list[float | None]:
    if reading.available is None:
        return [None] * len(loads)
    left, limits = reading.available, list[float | None]()
    units = [load.watts if reading.is_in_watts else 1.0 for load in loads]
    unused = left - sum(load.drawn * unit for load, unit in zip(loads, units, strict=True))
    for load, unit in zip(loads, units, strict=True):
        amps = left / unit
        # A car takes more only after another one has taken less.
        limits.append(min(amps, load.drawn + max(0.0, unused / unit)))
        if (load.wants_charge or load.drawn) and amps >= load.least:
            left -= min(load.most, amps) * unit
    return limits


def _surpluses(loads: Sequence[CarLoad], surplus: float | None) -> list[float | None]:
    """Return the amperes of each car. A car that charges anyway uses the surplus before the others."""
    if surplus is None:
        return [None] * len(loads)
    left, surpluses = surplus, dict[int, float]()
    for index, load in sorted(enumerate(loads), key=lambda each: not each[1].wants_charge):
        amps = surpluses[index] = max(0.0, left / load.watts)
        if load.wants_charge:
            left -= load.drawn * load.watts
        elif load.takes_surplus and amps >= load.least:
            left -= min(load.most, amps) * load.watts
    return [surpluses[index] for index in range(len(loads))]


@dataclass(frozen=True, kw_only=True)
class SurplusCharge(Stored):
    """Whether the car charges with surplus power, and how often that was changed today."""

    is_on: bool = False
    differs_since: float | None = None
    """Since when there is enough surplus for a car that does not take it, or too little for one that does."""
    waits_until: float = 0.0
    """Until when the car waits, because the house left too little."""
    changed_at: float = 0.0
    """When the current was last changed, or its change attempted."""
    day: int = 0
    """The ordinal of the day on which `changes` were made."""
    changes: int = 0

    def next(self, now: float, day: int, surplus: float | None, least: float) -> Self:
        """Return what a surplus in amperes makes of it."""
        charge = self if day == self.day else replace(self, day=day, changes=0)
        # A car that charges takes some power from the grid, before it stops and starts again.
        is_enough = surplus is not None and surplus >= least * (_KEEPS_SHARE if self.is_on else 1.0)
        # A start needs a change for its stop.
        if is_enough is self.is_on or (is_enough and charge.changes + 2 > MOST_CHANGES):
            return replace(charge, differs_since=None)
        since = now if charge.differs_since is None else charge.differs_since
        if now - since < (_START_AFTER if is_enough else _STOP_AFTER):
            return replace(charge, differs_since=since)
        return replace(charge, is_on=is_enough, differs_since=None, changes=charge.changes + 1)

    @property
    def due_at(self) -> float:
        """When it starts or stops if the surplus stays as it is."""
        if self.differs_since is None:
            return math.inf
        return self.differs_since + (_STOP_AFTER if self.is_on else _START_AFTER)

    def is_worth(self, now: float, amps: float) -> bool:
        """Return whether a current that differs by so many amperes is worth a command now."""
        passed = now - self.changed_at
        return passed >= _SHORTEST_PAUSE and abs(amps) * passed >= _WORTH

    def changed(self, now: float, *, by_surplus: bool) -> Self:
        return replace(self, changed_at=now, changes=self.changes + by_surplus)
