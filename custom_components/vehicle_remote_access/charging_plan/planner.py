"""When to charge so that the car is ready in time, and what that costs. Times are Unix seconds."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
import math
from statistics import fmean
from typing import Final

from ..drive_log.estimates import ChargingSpeed
from ..util.local_time import DAY, HOUR
from .cheapest import cheapest_blocks
from .slots import Slot

STEP: Final = 900.0
"""Seconds. The plan charges in whole steps, because markets have a price for each quarter of an hour."""
LOW_LEVEL: Final = 20.0
"""Percent. Below, the car charges at once."""
# Of prices. A thousandth of a cent is enough in every currency.
_DIGITS: Final = 5
# kWh that a car uses while it is awake for a start
_START_ENERGY: Final = 0.2
# Charging ends so much earlier, because the speed of charging is not known exactly.
_RESERVE: Final = 900.0


class Reason(StrEnum):
    """Why the plan is as it is, or why there is none."""

    CHEAPEST = "cheapest"
    SOME_UNKNOWN = "some_unknown"
    """Some prices are unknown. They are assumed to be those of the day before, or else the average."""
    CHEAP_HOURS = "cheap_hours"
    LATEST = "latest"
    """All prices are the same, or none is known."""
    LOW_LEVEL = "low_level"
    TOO_LATE = "too_late"
    """The limit can't be reached in time."""
    SPEED_UNKNOWN = "speed_unknown"
    AT_LIMIT = "at_limit"
    SURPLUS = "surplus"
    """The surplus power that lasts is likely to be enough. If not, there is time to charge without it."""
    NOT_NEEDED = "not_needed"
    """There is no departure in the next week. Only surplus power charges the car."""

    # There is no plan:
    OFF = "off"
    UNKNOWN = "unknown"
    """The car does not report what is needed."""
    UNPLUGGED = "unplugged"
    AWAY = "away"
    POSITION_UNKNOWN = "position_unknown"
    MANUAL = "manual"
    """A person started or stopped the charge."""
    READ_ONLY = "read_only"
    OTHER_VEHICLE = "other_vehicle"
    NOT_WOKEN = "not_woken"
    """The car is not woken for commands, so nothing would start the charge again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargingNeed:
    """What the plan must achieve, and what it has for that."""

    now: float
    ready_by: float
    energy: float
    """kWh until the limit."""
    urgent: float = 0.0
    """The part of `energy` that is charged now, whatever it costs."""
    speed: ChargingSpeed | None
    prices: Sequence[Slot] = ()
    """The known prices in order, also those of the hours before now."""
    are_ranks: bool = False
    """Whether the prices only say which hours are cheap."""
    charges_until: float | None = None
    """Until when the plan must not stop a car that charges or was woken to charge; None for other cars."""
    can_pause: bool = True
    """Whether charging may pause once."""
    is_too_late: bool = False
    """Whether the last plan was too late. Then this one is, too, as long as any energy is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargingPlan:
    """When to charge."""

    reason: Reason
    slots: Sequence[Slot] = ()
    """When the car charges, each with one price."""
    prices: Sequence[Slot] = ()
    """The spans of time until `ready_by`, each with one price."""
    ready_by: float | None = None
    energy: float | None = None
    """kWh that reach the battery until then."""
    missing: float = 0.0
    """kWh that are missing then."""
    cost: float | None = None
    """What `energy` costs, in the currency. None if a price is unknown."""
    if_plugged_in: Sequence[Slot] = ()
    """When a car that is not plugged in would charge if it were now."""

    @property
    def start(self) -> float | None:
        """When charging starts, or has started. None if it does not."""
        return self.slots[0].start if self.slots else None

    @property
    def end(self) -> float | None:
        return self.slots[-1].end if self.slots else None

    @property
    def is_reachable(self) -> bool | None:
        """Whether the limit is reached in time, None if this is unknown."""
        return None if self.energy is None else not self.missing

    def is_charging_at(self, now: float) -> bool:
        return any(slot.start <= now < slot.end for slot in self.slots)

    def changes_at(self, now: float) -> float:
        """Return when the next charge starts or ends; infinity if none does."""
        # Slots between which only the price changes share an edge.
        edges = {slot.start for slot in self.slots} ^ {slot.end for slot in self.slots}
        return min((edge for edge in edges if edge > now), default=math.inf)


def make_charging_plan(need: ChargingNeed) -> ChargingPlan:
    """Return the cheapest plan that reaches the limit in time, or else the one that charges most."""
    if need.energy <= 0:
        return ChargingPlan(reason=Reason.AT_LIMIT, ready_by=need.ready_by, energy=0.0)
    if need.speed is None:
        at_once = [Slot(need.now // STEP * STEP, need.ready_by, None)]
        return ChargingPlan(reason=Reason.SPEED_UNKNOWN, ready_by=need.ready_by, slots=at_once)
    speed, curve = need.speed.added / HOUR, PriceCurve(need.prices)
    first = int(need.now // STEP)
    starts = [STEP * index for index in range(first, math.ceil(need.ready_by / STEP))]
    steps = [curve.slot(start, min(start + STEP, need.ready_by)) for start in starts]
    prices = [curve.estimate(step) for step in steps]
    # A step that has begun counts as a whole.
    begun = 0.0 if need.charges_until is None else need.now - STEP * first
    wanted = math.ceil((need.energy / speed + begun) / STEP)
    missing = _missing_energy(need, need.speed)
    usable = [step for step in steps if step.end <= need.ready_by - _RESERVE]
    if wanted >= len(usable):
        chosen = steps[:wanted]
    else:
        chosen = _cheapest_steps(need, need.speed, usable, prices[: len(usable)], wanted)
    energy = need.energy - missing
    if need.are_ranks:
        chosen = [step._replace(price=None) for step in chosen]
        steps = [step._replace(price=None) for step in steps]
    elif need.prices:
        steps = [
            step if step.price is not None else step._replace(estimate=round(price, _DIGITS))
            for step, price in zip(steps, prices, strict=True)
        ]
    return ChargingPlan(
        reason=Reason.TOO_LATE if missing else _reason(need, usable),
        slots=merged(chosen),
        prices=merged(steps),
        ready_by=need.ready_by,
        energy=energy,
        missing=missing,
        cost=_cost(chosen, energy * need.speed.used / need.speed.added),
    )


def _cheapest_steps(
    need: ChargingNeed, speed: ChargingSpeed, usable: Sequence[Slot], prices: Sequence[float], wanted: int
) -> list[Slot]:
    """Return the steps in which charging costs least. `wanted`: how many, of those with these prices."""
    running = None
    if need.charges_until is not None or need.urgent:
        left = 0.0 if need.charges_until is None else need.charges_until - need.now
        running = max(0, math.ceil(max(left, need.urgent / speed.added * HOUR) / STEP))
    # The energy of a start, in the price of a step
    start_price = max(0.0, fmean(prices)) * _START_ENERGY / (speed.used * STEP / HOUR)
    blocks = cheapest_blocks(prices, wanted, running, start_price, can_pause=need.can_pause)
    return [usable[index] for block in blocks for index in block]


def _missing_energy(need: ChargingNeed, speed: ChargingSpeed) -> float:
    """Return the kWh that are missing when the car must be ready, even if it charges from now on."""
    missing = max(0.0, need.energy - (need.ready_by - need.now) * speed.added / HOUR)
    # Levels are in whole percent, so less than one is not known to be missing.
    return 0.0 if missing < speed.per_percent and not need.is_too_late else missing


def _cost(slots: Sequence[Slot], energy: float) -> float | None:
    """Return what these kWh cost if they are charged evenly in slots, None if a price is unknown."""
    total = 0.0
    for slot in slots:
        if slot.price is None:
            return None
        total += slot.price * (slot.end - slot.start)
    return energy * total / sum(slot.end - slot.start for slot in slots)


def _reason(need: ChargingNeed, usable: Sequence[Slot]) -> Reason:
    if need.are_ranks:
        return Reason.CHEAP_HOURS
    prices = {step.price for step in usable}
    if len(prices) <= 1 and (None not in prices or not need.prices):
        return Reason.LATEST
    return Reason.SOME_UNKNOWN if None in prices else Reason.CHEAPEST


def merged(slots: Iterable[Slot]) -> list[Slot]:
    """Join slots that follow each other with the same price or estimate."""
    result: list[Slot] = []
    for slot in slots:
        last = result[-1] if result else None
        if last and last.end == slot.start and (last.price, last.estimate) == (slot.price, slot.estimate):
            result[-1] = last._replace(end=slot.end)
        else:
            result.append(slot)
    return result


class PriceCurve:
    """Known prices, and estimates of the others."""

    def __init__(self, prices: Sequence[Slot]) -> None:
        self._prices = prices
        self._starts = [slot.start for slot in prices]
        self._average = fmean(slot.price or 0.0 for slot in prices) if prices else 0.0

    def slot(self, start: float, end: float) -> Slot:
        """Return a span of time with its mean price, None if the price of any part is unknown."""
        total, at = 0.0, start
        index = bisect_right(self._starts, start) - 1
        while at < end:
            slot = self._prices[index] if 0 <= index < len(self._prices) else None
            if slot is None or slot.price is None or not slot.start <= at < slot.end:
                return Slot(start, end, None)
            until = min(slot.end, end)
            total += slot.price * (until - at)
            at, index = until, index + 1
        # Without rounding, hours of one price would not be merged.
        return Slot(start, end, round(total / (end - start), _DIGITS))

    def estimate(self, step: Slot) -> float:
        """Return a price. An unknown one is assumed to be that of the day before, or else the average."""
        if step.price is not None:
            return step.price
        before = self.slot(step.start - DAY, step.end - DAY).price
        return self._average if before is None else before
