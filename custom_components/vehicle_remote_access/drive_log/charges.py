"""Charges: each rise of the lifetime energy counter between two observations belongs to one charge."""

from dataclasses import dataclass
from typing import ClassVar, Final, Self

from ..util.immutable import replace
from ..util.local_time import DAY, HOUR
from ..util.positions import was_driven
from ..util.stored import Stored
from .energy_meter import has_restarted
from .entries import Charge, MeasuredBy, Observation, without_none
from .open_entry import WATCHED, OpenEntry
from .prices import Prices

# Energy below this can be a late correction. It is part of the next charge.
_LEAST_ADDED: Final = 0.5
# Counters are rounded.
_ROUNDING: Final = 0.1
_LEAST_LEVEL_ADDED: Final = 2.0
_TYPICAL_POWER: Final = 7.0
_TYPICAL_EFFICIENCY: Final = 0.9
_LEAST_EFFICIENCY: Final = 0.5
# A charger's meter that is an hour late shows at most this much at once.
_LATE: Final = 22.0
# If the car was not seen for longer, it is unknown when it was plugged in.
_PLUGGED_IN_WITHIN: Final = 1800.0
# A charge is usually read every five minutes.
_LONGEST_STEP: Final = 330.0
# Prices are kept for this time while a car that is plugged in waits to be charged.
_LONGEST_WAIT: Final = 2 * DAY
# The share of a weak charger's energy that reaches the battery: a car at 5 A uses much of it itself.
_LEAST_SURE: Final = 0.6
# If the power falls to less than this share between two observations, their mean is too inexact.
_STEADY: Final = 0.8
_FINISHED: Final = frozenset({"complete", "disconnected"})


@dataclass(frozen=True, kw_only=True)
class MeasuredUse(Stored):
    """What was measured of a charge: what the charger drew, and what reached the battery in the same time."""

    current: str | None = None
    measured_used: float = 0.0
    measured_added: float = 0.0
    metered: float = 0.0
    """The part of `measured_used` that the energy sensor of the home charger counted."""

    @property
    def is_possible(self) -> bool:
        """Whether the charger drew at least what reached the battery."""
        # At a fast charger, the car reports what reaches the battery, and only in whole kilowatts.
        return self.current == "dc" or self.measured_used >= self.measured_added - _ROUNDING

    @property
    def efficiency(self) -> float | None:
        """The share of the energy that reached the battery, None if too little was measured."""
        if self.current == "dc":
            # Most of the loss is that of the car's own charger, which a fast charger bypasses.
            return 1.0
        if self.measured_added < _LEAST_ADDED or self.measured_used < _LEAST_ADDED or not self.is_possible:
            return None
        return min(1.0, self.measured_added / self.measured_used)

    def billed(self, efficiency: float) -> float:
        """Return the energy that is paid for. A fast charger bills at least what reached the battery."""
        if not self.is_possible:
            return self.measured_added / efficiency
        return max(self.measured_used, self.measured_added)


@dataclass(frozen=True, kw_only=True)
class CostAtHome(Stored):
    """What the charger drew, and what that costs at home. A part of it can wait for its price."""

    used: float = 0.0
    """Measured or estimated."""
    cost: float | None = 0.0
    """What `used` without `unpriced` costs. None if the price of a part can no longer become known."""
    unpriced: float | None = None
    """The part of `used` whose price is not known yet. It was drawn since `unpriced_since`."""
    unpriced_since: float | None = None

    def with_use(self, used: float, start: float, end: float, prices: Prices) -> Self:
        """Return the use and its cost after the charger drew more between `start` and `end`."""
        since = start if self.unpriced_since is None else self.unpriced_since
        unpriced = used + (self.unpriced or 0.0)
        priced = replace(self, used=self.used + used, unpriced=None, unpriced_since=None)
        if not unpriced:
            return priced
        price = prices.mean(since, end)
        if price is None and prices.may_become_known:
            return replace(priced, unpriced=unpriced, unpriced_since=since)
        cost = None if price is None or self.cost is None else self.cost + unpriced * price
        return replace(priced, cost=cost)

    def cost_at_home(self, prices: Prices, now: float) -> float | None:
        priced = self.with_use(0.0, now, now, prices)
        return None if priced.unpriced else priced.cost


@dataclass(frozen=True, kw_only=True)
class OpenCharge(CostAtHome, MeasuredUse, OpenEntry):
    """A charge that has not ended, or was interrupted a short time ago."""

    # A shorter interruption with the cable plugged in does not end a charge.
    merged_below: ClassVar = 600.0

    start_energy: float | None
    first_energy: float | None
    """The counter when the charge was first seen."""
    start_battery: float | None
    """The level at the last observation before the charge, None if the car was driven since."""
    start_range: float | None
    first_range: float | None
    charged_at: float | None = None
    """The last observation at the charging car; None if no observation was."""
    charged_energy: float | None = None
    used_at_home: float | None = None
    """The part of `used` that was counted as drawn at home. None until the car is known to be there."""
    max_power: float | None = None
    place: str | None = None
    is_away: bool = False
    """Whether an observation showed that the car is not at home."""
    latitude: float | None = None
    longitude: float | None = None
    end_battery: float | None = None
    end_range: float | None = None

    @property
    def is_at_home(self) -> bool:
        return self.place is not None and not self.is_away

    @property
    def is_paid_away(self) -> bool:
        """Whether the prices away from home count. If the place is unknown, only for a fast charger."""
        return self.is_away or (self.place is None and self.current == "dc")

    def price(self, prices: Prices, now: float) -> float | None:
        return prices.at_place(self.place) if self.is_paid_away else prices.mean(now, now)

    def total_cost(self, prices: Prices, now: float) -> float | None:
        if not self.is_paid_away:
            return self.cost_at_home(prices, now)
        price = prices.at_place(self.place)
        return None if price is None else self.used * price

    def with_observation(self, observation: Observation, *, has_left: bool) -> Self:
        """Return the charge with what an observation shows. `has_left`: whether that is at another place."""
        values = without_none(end_battery=observation.level, end_range=observation.range)
        if observation.is_charging:
            if observation.power or self.current is None:
                values["current"] = "dc" if observation.is_fast else "ac"
            if observation.power is not None:
                values["max_power"] = max(observation.power, self.max_power or 0.0)
        # The place is often unknown at first, because the service returns an old position.
        if not (has_left or self.is_away or self.is_at_home or observation.is_home is None):
            values |= {"is_away": not observation.is_home, **observation.location()}
        return replace(self, **values)

    def added(self, energy: float | None) -> float:
        """Return what reached the battery until the counter had this value."""
        return 0.0 if energy is None or self.start_energy is None else energy - self.start_energy

    def closed(self, charge_id: str, energy: float | None, now: float) -> Charge:
        """Return the entry as if the charge had ended, without its cost."""
        added = self.added(energy)
        pace = HOUR / (self.max_power or _TYPICAL_POWER)
        is_measured = self.measured_added >= added / 2 and self.measured_used > 0 and self.is_possible
        is_metered = self.metered > 0 and self.metered >= self.used - _ROUNDING
        return self.as_entry(
            Charge,
            now,
            self.charged_at,
            before=pace * ((self.first_energy or 0.0) - (self.start_energy or 0.0)),
            after=pace * max(0.0, (energy or 0.0) - (self.charged_energy or 0.0)),
            total=pace * added,
            id=charge_id,
            end_energy=energy,
            energy_used=round(self.used, 3) if is_measured else None,
            measured_by=(MeasuredBy.METER if is_metered else MeasuredBy.CAR).value if is_measured else None,
            range_added=self._range_added(added, energy),
            cost=None,
        )

    def _range_added(self, added: float, energy: float | None) -> float | None:
        """Return the rated miles of the whole charge, or None if too little is known."""
        if self.end_range is None:
            return None
        watched = (energy or 0.0) - (self.first_energy or 0.0)
        if self.first_range is not None and watched > max(0.0, added / 2):
            return round((self.end_range - self.first_range) * added / watched, 2)
        return None if self.start_range is None else round(self.end_range - self.start_range, 2)


@dataclass(frozen=True, kw_only=True)
class ChargeTracker(Stored):
    """What the log must remember of earlier observations to find the charges."""

    at: float = 0.0
    energy: float | None = None
    base: float | None = None
    """The counter with which the last charge ended."""
    was_charging: bool = False
    power: float | None = None
    wall_energy: float | None = None
    level: float | None = None
    range: float | None = None
    odometer: float | None = None
    efficiency: float = _TYPICAL_EFFICIENCY
    """Of the last charges with alternating current."""
    next_id: int = 1
    open: OpenCharge | None = None
    used_at_home: float | None = None
    """What the charger drew in all charges at home. Never falls, whatever is done to the entries."""
    is_unplugged: bool = False
    waits_since: float | None = None
    """When the next charge would begin if the car did not wait, None if unknown, unplugged, or full. If a car
    is plugged in at 18:00 and charges from 22:00 to 23:00, it is 18:00 until the charge, and 19:00 after it.
    """

    def after(self, observation: Observation, prices: Prices) -> tuple[Self, list[Charge]]:
        """Return the tracker after an observation, and the charge that it ends."""
        if observation.is_asleep:
            return replace(self, at=observation.at, was_charging=False), []
        tracker, ended = self.with_fallen_counter(observation), list[Charge]()
        if tracker.ended_before(observation):
            tracker, ended = tracker.close(observation.at, prices)
        tracker = tracker.with_charge(observation, prices)
        if not ended and tracker.ends_now(observation):
            tracker, ended = tracker.close(observation.at, prices)
        return tracker.with_observation(observation), ended

    # What ends a charge

    def ended_before(self, observation: Observation) -> bool:
        is_driven = was_driven(observation.odometer, self.odometer)
        return self.open is not None and (is_driven or self.open.is_settled(self.at))

    def ends_now(self, observation: Observation) -> bool:
        charge = self.open
        if charge is None or charge.stopped_at is None:
            return False
        is_certain = observation.charging in _FINISHED or observation.is_driving or charge.charged_at is None
        return is_certain or charge.is_settled(observation.at)

    def settled(self, now: float, prices: Prices) -> tuple[Self, list[Charge]]:
        return self.close(now, prices) if self.open and self.open.is_settled(now) else (self, [])

    def close(self, now: float, prices: Prices) -> tuple[Self, list[Charge]]:
        """Return the tracker without the open charge, and its entry, if it added enough energy."""
        entries, charge = self.open_entries(now, prices), self.open
        tracker = replace(self, open=None)
        if charge is None or self._is_too_small(charge):
            return tracker, []
        (entry,) = entries
        if entry.current == "ac" and (efficiency := charge.efficiency) is not None:
            tracker = replace(tracker, efficiency=(self.efficiency + efficiency) / 2)
        begins = self._begins_at_once(entry)
        waits_since = None if begins is None else begins + entry.end - entry.start
        return replace(tracker, base=self.energy, next_id=self.next_id + 1, waits_since=waits_since), entries

    def _is_too_small(self, charge: OpenCharge) -> bool:
        """Return whether the energy is too little for a charge. It is part of the next one."""
        return self.energy is not None and charge.added(self.energy) < _LEAST_ADDED / 5

    # What an observation adds to a charge

    def with_fallen_counter(self, observation: Observation) -> Self:
        """Return the tracker after a reset of the energy counter. Energy counted before is kept."""
        if observation.energy is None or self.energy is None or observation.energy >= self.energy:
            return self
        fallen = observation.energy - self.energy
        counters = ("start_energy", "first_energy", "charged_energy")
        charge = self.open and self.open.with_added(**dict.fromkeys(counters, fallen))
        return replace(self, energy=observation.energy, open=charge).with_added(base=fallen)

    def with_charge(self, observation: Observation, prices: Prices) -> Self:
        """Return the tracker with the counter and an open charge, if the car charges or was charged."""
        tracker, charge, since, energy = self, self.open, self.energy, self.energy
        if observation.energy not in (None, energy):
            energy = observation.energy
            tracker = replace(self, energy=energy, base=energy if self.base is None else self.base)
        if charge is None:
            if not (observation.is_charging or tracker.was_charged(observation)):
                return tracker
            charge, since = tracker.begun(observation), tracker.base
        added = (energy or 0.0) - (since or 0.0)
        is_driven = was_driven(observation.odometer, self.odometer)
        has_left = observation.is_driving or (is_driven and not observation.is_charging)
        charge = charge.with_observation(observation, has_left=has_left)
        charge = self._with_use(charge, observation, added, prices)
        if observation.is_charging:
            charge = replace(charge, charged_at=observation.at, charged_energy=energy, stopped_at=None)
        elif charge.stopped_at is None:
            charge = replace(charge, stopped_at=observation.at)
        return replace(tracker, open=charge).with_use_at_home(charge)

    def was_charged(self, observation: Observation) -> bool:
        if self.energy is not None and self.base is not None:
            return self.energy - self.base >= _LEAST_ADDED
        if observation.is_driving or observation.level is None or self.level is None:
            return False
        return observation.level - self.level >= _LEAST_LEVEL_ADDED

    def begun(self, observation: Observation) -> OpenCharge:
        is_driven = was_driven(observation.odometer, self.odometer)
        level, rated = (None, None) if is_driven else (self.level, self.range)
        if observation.is_charging and (self.energy or 0.0) - (self.base or 0.0) < _LEAST_ADDED:
            # The battery loses some percent in a night, which are not part of the charge.
            level = observation.level
        return OpenCharge(
            start=observation.at,
            earliest=self.at or observation.at,
            start_energy=self.base,
            first_energy=self.energy,
            start_battery=level,
            start_range=rated,
            first_range=observation.range if observation.is_charging else None,
        )

    def _with_use(
        self, charge: OpenCharge, observation: Observation, added: float, prices: Prices
    ) -> OpenCharge:
        """Return the charge with what the charger drew while some energy reached the battery."""
        used = self._use_by_meter(charge, observation, max(0.0, added))
        if used is not None:
            charge = charge.with_added(metered=used)
        else:
            used = self._use_by_power(observation, added)
        if used is None:
            use = max(0.0, added) / (charge.efficiency or self.efficiency)
        else:
            billed = charge.billed(self.efficiency)
            charge = charge.with_added(measured_used=used, measured_added=added)
            use = charge.billed(self.efficiency) - billed
        # In a longer time, it charged at the end where it was seen charging.
        start, end = self.at or observation.at, observation.at
        power = charge.max_power or observation.power or _TYPICAL_POWER
        duration = min(end - start, max(0.0, use) * HOUR / power)
        if self.was_charging:
            end = start + duration
        elif observation.is_charging:
            start = end - duration
        return charge.with_use(use, start, end, prices)

    def _use_by_meter(self, charge: OpenCharge, observation: Observation, added: float) -> float | None:
        """Return what the charger's meter counted since the last observation, None if that is impossible."""
        if observation.wall_energy is None or self.wall_energy is None or charge.current == "dc":
            return None
        used = max(0.0, observation.wall_energy - self.wall_energy)
        is_new = self.open is None
        # Before it is plugged in, another car may use the charger while this one sleeps.
        slack = _LEAST_ADDED if is_new or observation.at - self.at > WATCHED else _LATE
        if has_restarted(observation.wall_energy, self.wall_energy) or (is_new and used < added):
            # A meter of a session or a day starts again at 0. What it counted before that is unknown.
            used, slack = observation.wall_energy, _LEAST_ADDED
            if not 0 < added <= used:
                return None
        # Otherwise, another car used the charger in the meantime.
        return used if used <= added / _LEAST_EFFICIENCY + slack else None

    def _use_by_power(self, observation: Observation, added: float) -> float | None:
        """Return what the charger drew since the last observation by its power, None if that is unknown."""
        seconds = observation.at - self.at
        before = self.power if self.was_charging else 0.0
        after = observation.power if observation.is_charging else 0.0
        if before is None or after is None or not (before or after) or not 0 < seconds <= _LONGEST_STEP:
            return None
        low, high = sorted((before, after))
        # While the power rises or falls, the energy counter says more.
        if low < _STEADY * high and observation.energy is not None:
            return None
        used = (low + high) / 2 * seconds / HOUR
        # The counter shows whether the power was lower meanwhile. If it stands still, the car is heated.
        is_sure = seconds <= WATCHED or added <= _ROUNDING or used * _LEAST_SURE <= added <= used
        return used if is_sure else None

    def with_use_at_home(self, charge: OpenCharge) -> Self:
        """Return the tracker with what the open charge has drawn, if it is known to be at home."""
        if not charge.is_at_home:
            return self
        used, counted = charge.used, charge.used_at_home or 0.0
        if self._is_too_small(charge):
            # What reached the battery counts with the next charge, but not what has heated the car.
            used -= charge.added(self.energy) / self.efficiency
        new = max(0.0, used - counted)
        total = (self.used_at_home or 0.0) + new
        return replace(self, open=replace(charge, used_at_home=counted + new), used_at_home=total)

    def with_observation(self, observation: Observation) -> Self:
        is_unplugged, waits_since = self.is_unplugged, self.waits_since
        # Without any position, it stays unknown.
        used_at_home = self.used_at_home if observation.is_home is None else self.used_at_home or 0.0
        seconds = observation.at - self.at
        if observation.is_home and 0 < seconds <= WATCHED:
            used_at_home = (used_at_home or 0.0) + observation.idle_power * seconds / HOUR
        if observation.is_driving or observation.charging == "disconnected":
            is_unplugged, waits_since = True, None
        elif observation.charging is not None:
            if is_unplugged or was_driven(observation.odometer, self.odometer):
                is_unplugged = False
                waits_since = observation.at if seconds <= _PLUGGED_IN_WITHIN else None
            if observation.charging == "complete":
                waits_since = None
        return replace(
            self,
            at=observation.at,
            is_unplugged=is_unplugged,
            waits_since=waits_since,
            was_charging=observation.is_charging,
            power=observation.power,
            wall_energy=observation.wall_energy,
            used_at_home=used_at_home,
            **without_none(level=observation.level, range=observation.range, odometer=observation.odometer),
        )

    # The entry of a charge, and its cost

    def open_entries(self, now: float, prices: Prices) -> list[Charge]:
        """Return the open charge, if there is one, as if it ended now. Its cost has no currency yet."""
        charge = self.open
        if charge is None:
            return []
        entry = charge.closed(f"charge-{self.next_id}", self.energy, now)
        cost = charge.total_cost(prices, self.at) if charge.used else None
        if cost is None:
            return [entry]
        saved = self._saved_by_waiting(charge, entry, prices)
        at_once = None if saved is None else round(cost + saved, 4)
        return [entry._replace(cost=round(cost, 4), cost_at_once=at_once)]

    def _begins_at_once(self, entry: Charge) -> float | None:
        # The car may have started to charge before it was seen plugged in.
        return None if self.waits_since is None else min(self.waits_since, entry.start)

    def _saved_by_waiting(self, charge: OpenCharge, entry: Charge, prices: Prices) -> float | None:
        """Return how much less a charge at home cost because it waited, None if that is unknown."""
        begins = self._begins_at_once(entry)
        # There is nothing to compare if the price is fixed, or if the time of the charge is unknown.
        if begins is None or charge.is_paid_away or charge.charged_at is None or prices.is_fixed:
            return None
        at_once = prices.mean(begins, begins + entry.end - entry.start)
        waited = prices.mean(entry.start, entry.end)
        return None if at_once is None or waited is None else charge.used * (at_once - waited)

    @property
    def priced_until(self) -> float:
        """The moment from which on prices still count."""
        unpriced_since = self.open.unpriced_since if self.open else None
        waits_since = max(self.waits_since or self.at, self.at - _LONGEST_WAIT)
        return min(self.at, unpriced_since or self.at, waits_since)
