"""Weeks in a house with solar power: what the car gets from it, its cost, and the limit of the house."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple, override

from custom_components.vehicle_remote_access import const
from custom_components.vehicle_remote_access.simulator import Request
from custom_components.vehicle_remote_access.simulator.car.physics import ENERGY_PER_PERCENT, Supply

from ..common.virtual_time import DAY, HOUR, MINUTE, VirtualLoop, run_in_virtual_time
from .household import Household
from .prices import ZONE, midnight
from .quarter import LIMIT, READY_BY, Night, Quarter, Scenario
from .rivals import Minute, Stay, best, blueprint, cost, evcc

FEED_IN: Final = 0.08
"""€ for one kWh that is exported."""
LEAST_AMPS: Final = 5
SUPPLY: Final = Supply(230, 16, phases=3)
_GRID: Final = "sensor.grid"
_WEEKEND: Final = ("saturday", "sunday")
# The first charges show how fast the car charges.
_LEARNED_AFTER: Final = 3 * DAY
_TOLERANCE: Final = 1.5
# Percent, within a quarter of an hour
_LOST: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SunnyScenario(Scenario):
    house: Household
    is_at_home: bool
    """Whether the owner is at home by day."""
    limit: float | None = None
    """kW of the house."""


class SunnyResults(NamedTuple):
    energy: float
    """kWh that the charger drew."""
    from_sun: float
    """kWh of them that would have been exported."""
    possible: float
    """The most kWh from the sun if everything had been known."""
    cost: float
    best: float
    blueprint: float
    evcc: float
    changes: list[int]
    """Commands that set the current, for each day with any."""
    starts: list[int]
    over_limit: int
    """Reports above the limit right after another one, although the house takes no more."""
    short: int
    """Mornings at which the car was not ready, although it could have been."""
    problems: list[str]


def run_sunny(scenario: SunnyScenario) -> SunnyResults:
    start = datetime.fromtimestamp(scenario.prices.start, UTC)
    return run_in_virtual_time(lambda loop: _SunnyQuarter(loop, scenario).run_sunny(), start)


class _SunnyQuarter(Quarter):
    service = "tessie"
    _scenario: SunnyScenario

    def __init__(self, loop: VirtualLoop, scenario: SunnyScenario) -> None:
        super().__init__(loop, scenario)
        self._minutes: list[tuple[Minute, float]] = []
        """Each minute, and the kW of the car in it."""
        self._changed: list[float] = []
        self._exceeded: list[tuple[bool, float]] = []
        """Whether each report is above the limit, and the kW of the house without the car."""

    async def run_sunny(self) -> SunnyResults:
        results = await self.run()
        return self._sunny_results(results.starts, results.problems)

    @property
    @override
    def options(self) -> dict[str, Any]:
        house = {"surplus_entity": _GRID, "surplus_is_imported": True}
        if self._scenario.limit is not None:
            house |= {"limit_entities": [_GRID], "limit": self._scenario.limit}
        return {"house": house}

    @property
    @override
    def car_options(self) -> dict[str, Any]:
        departures = [{const.CONF_DAYS: [*_WEEKEND]}]
        return {**super().car_options, const.CONF_DEPARTURES: departures}

    @property
    @override
    def parts(self) -> list[Any]:
        return [*super().parts, self._show_house()]

    async def _show_house(self) -> None:
        """Report what the house takes from the grid, each minute."""
        while True:
            load, solar = self._scenario.house.at(self._now)
            self._car.catch_up()
            drawn = self._car.charging.power
            grid = (load - solar) / 1000 + drawn
            unit = {"unit_of_measurement": "kW"}
            self._home.hass.states.async_set(_GRID, f"{grid:.3f}", unit, force_update=True)
            minute = Minute(self._now, self._prices.at(self._now), (solar - load) / 1000)
            self._minutes.append((minute, drawn))
            limit = self._scenario.limit
            # The car can do nothing below its least current.
            is_over = limit is not None and grid > limit and drawn > SUPPLY.power(LEAST_AMPS)
            self._exceeded.append((is_over, grid - drawn))
            await self._wait_until((self._now // MINUTE + 1) * MINUTE)

    @override
    async def _live(self) -> None:
        if not self._scenario.is_at_home:
            await super()._live()
            return
        await self._wait_until(self._prices.start + 60)
        self._plug_in()
        for index in range(self._scenario.days):
            random = Random(f"owner {self._scenario.seed} {index}")  # noqa: S311 - repeatable days
            if random.random() < 2 / 3:
                await self._wait_until(midnight(self._day(index), random.uniform(READY_BY + 0.5, 18)))
                await self._trip(random.uniform(5, 40), random.uniform(0.5, 3))
            await self._wait_until(midnight(self._day(index + 1)))

    @override
    async def _spend_evening(self, *_: object) -> None:
        """Leave the charge to the plan."""

    @override
    def is_needed(self, moment: float) -> bool:
        return datetime.fromtimestamp(moment, ZONE).weekday() < len(const.DAYS) - len(_WEEKEND)

    @override
    def on_request(self, request: Request) -> None:
        super().on_request(request)
        if request.path.endswith("/set_charging_amps"):
            self._changed.append(request.moment)

    # The figures

    def _sunny_results(self, starts: list[int], problems: list[str]) -> SunnyResults:
        nights = [night for night in self.nights if night.start > self._prices.start + _LEARNED_AFTER]
        stays = [self._stay(night) for night in nights]
        by_day = Counter(datetime.fromtimestamp(at, ZONE).date() for at in self._changed)
        drawn = [self._drawn_in(night) for night in nights]
        return SunnyResults(
            energy=sum(stay.energy for stay in stays),
            from_sun=sum(min(power, max(0.0, each.surplus)) / 60 for part in drawn for each, power in part),
            possible=sum(map(self._possible, nights, stays, strict=True)),
            cost=sum(cost(stays[0], minute, power) for each in drawn for minute, power in each),
            best=sum(best(stay, LEAST_AMPS) for stay in stays),
            blueprint=sum(map(blueprint, stays)),
            evcc=sum(map(evcc, stays)),
            changes=[*by_day.values()],
            starts=starts,
            over_limit=sum(
                was_over and is_over and load <= before
                for (was_over, before), (is_over, load) in pairwise(self._exceeded)
            ),
            short=sum(map(self._is_short, nights)),
            problems=problems,
        )

    def _drawn_in(self, night: Night) -> list[tuple[Minute, float]]:
        return [each for each in self._minutes if night.start <= each[0].at < night.end]

    def _stay(self, night: Night) -> Stay:
        drawn = self._drawn_in(night)
        energy = sum(power / 60 for _, power in drawn)
        minutes = [minute for minute, _ in drawn]
        return Stay(minutes, energy, SUPPLY.power(1), SUPPLY.amperes, FEED_IN)

    def _possible(self, night: Night, stay: Stay) -> float:
        """Return the most that the sun could have given, in whole amperes of at least the fewest."""
        room = max(0.0, LIMIT - night.level) * ENERGY_PER_PERCENT / SUPPLY.efficiency
        amps = (int(min(minute.surplus / stay.kilowatts, stay.most)) for minute in stay.minutes)
        return min(room, sum(each * stay.kilowatts / 60 for each in amps if each >= LEAST_AMPS))

    def _is_short(self, night: Night) -> bool:
        power = SUPPLY.power(SUPPLY.amperes) * SUPPLY.efficiency
        reached = min(LIMIT, night.level + (night.end - night.start) / HOUR * power / ENERGY_PER_PERCENT)
        # A car that was complete loses some percent on the days on which it is not needed.
        was_complete = night.is_complete or max(level for _, level in night.levels) > LIMIT - _LOST
        is_short = reached - night.end_level > _TOLERANCE and not was_complete
        return night.at_ready and self._scenario.limit is None and is_short
