"""The house: what its sensors show, and how its cars share what is left."""

from collections import deque
from datetime import timedelta
import math
from typing import Any, Final, Protocol

from homeassistant.const import ATTR_UNIT_OF_MEASUREMENT, UnitOfElectricCurrent, UnitOfPower
from homeassistant.core import CALLBACK_TYPE, Event, HomeAssistant, State, callback
from homeassistant.helpers.event import (
    async_track_state_change_event,
    async_track_state_report_event,
    async_track_time_interval,
)
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.unit_conversion import BaseUnitConverter, ElectricCurrentConverter, PowerConverter

from ..account.options import AccountOptions, HouseOptions
from ..api.value_types import NUMBER
from ..charging_plan.current import CarLoad, HouseReading, HouseShare, house_shares
from ..const import DOMAIN
from .drawn_power import DrawnPower

_HOUSE: Final[HassKey[House]] = HassKey(f"{DOMAIN}_house")
# A sensor of a house changes within seconds. One that reports nothing for so long is silent.
_SILENT_AFTER: Final = 300.0
# After its current was changed, a car needs some seconds to follow.
_SETTLES_FOR: Final = 15.0
# The surplus is the mean of this time.
_WINDOW: Final = 60.0
# A mean that a cloud which passes does not change
_LASTING: Final = 1800.0
# Sensors can report each second.
_SHORTEST_PAUSE: Final = 10.0
_TICK: Final = timedelta(seconds=30)


class HouseCar(Protocol):
    """A car that is plugged in at home, or may be."""

    drawn: DrawnPower

    @property
    def load(self) -> CarLoad | None:
        """What the car takes; None if the plan does not act on it."""

    def update(self) -> None:
        """Decide again with what the house shows now."""


class House:
    """What the cars of all accounts share. If several accounts name sensors, those of the first one count."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self.options = HouseOptions()
        self._cars: list[HouseCar] = []
        self._followed: tuple[str, ...] = ()
        self._remove_listeners: list[CALLBACK_TYPE] = []
        self._updated_at = 0.0
        self._loads_without_cars: dict[str, float] = {}
        """What each sensor of the limit would show if no car charged, as of its last report."""
        self._is_in_watts = False
        self._surplus: deque[tuple[float, float]] = deque()
        """When the surplus changed, and its watts then if no car had charged."""
        self._lasting = 0.0
        """The watts of the surplus, as the mean of about half an hour."""

    @classmethod
    def of(cls, hass: HomeAssistant) -> House:
        return hass.data.setdefault(_HOUSE, cls(hass))

    def add(self, car: HouseCar) -> None:
        """Listen to the sensors while they matter for this car or for another one."""
        if car not in self._cars:
            self._cars.append(car)
        self._follow()

    def remove(self, car: HouseCar) -> None:
        if car in self._cars:
            self._cars.remove(car)
        self._follow()

    def _follow(self) -> None:
        entries = self._hass.config_entries.async_entries(DOMAIN, include_ignore=False)
        ordered = sorted(entries, key=lambda entry: entry.entry_id)
        all_options = [AccountOptions.from_entry(entry.options).house for entry in ordered]
        self.options = next((each for each in all_options if each.entities), HouseOptions())
        entities = self.options.entities if any(car.load for car in self._cars) else ()
        if entities == self._followed:
            return
        while self._remove_listeners:
            self._remove_listeners.pop()()
        self._followed = entities
        self._lasting = 0.0
        self._loads_without_cars.clear()
        self._surplus.clear()
        if entities:
            self._remove_listeners = [
                async_track_state_change_event(self._hass, entities, self._on_report),
                async_track_state_report_event(self._hass, entities, self._on_report),
                async_track_time_interval(self._hass, self._update, _TICK),
            ]

    @callback
    def _on_report(self, _event: Event[Any]) -> None:
        now = dt_util.utcnow().timestamp()
        self._measure(now)
        if now - self._updated_at >= _SHORTEST_PAUSE or self._is_exceeded:
            self._update()

    @callback
    def _update(self, _now: object = None) -> None:
        self._updated_at = dt_util.utcnow().timestamp()
        for car in list(self._cars):
            if car.load is not None:
                car.update()

    # What the sensors show

    @property
    def _loads(self) -> dict[HouseCar, CarLoad]:
        return {car: load for car in self._cars if (load := car.load) is not None}

    @property
    def _is_exceeded(self) -> bool:
        reading, loads = self._reading(), self._loads.values()
        drawn = sum(load.drawn * (load.watts if reading.is_in_watts else 1.0) for load in loads)
        return reading.available is not None and reading.available < drawn

    def share(self, car: HouseCar) -> HouseShare:
        """Return what the house leaves to a car that takes part."""
        if not self._followed:
            return HouseShare()
        self._measure(dt_util.utcnow().timestamp())
        return house_shares(self._loads, self._reading()).get(car, HouseShare())

    def _reading(self) -> HouseReading:
        options, loads, available = self.options, self._loads_without_cars.values(), None
        if not options.limit_entities or options.limit is None:
            available = math.inf
        elif loads:
            # Of several phases, the one with the highest current counts.
            load = sum(loads) if self._is_in_watts else max(loads)
            available = options.limit * (1000 if self._is_in_watts else 1) - load
        return HouseReading(
            available=available,
            is_in_watts=self._is_in_watts,
            surplus=self._mean_surplus() if options.surplus_entity else 0.0,
            lasting=self._lasting,
            has_surplus=options.surplus_entity is not None,
        )

    def _measure(self, now: float) -> None:
        """Note what the sensors would show without cars, unless a car is about to follow a command."""
        options, loads = self.options, [*self._loads.values()]
        settled_at = max((car.drawn.changed_at for car in self._cars), default=0.0) + _SETTLES_FOR
        if options.limit is not None:
            self._measure_limit(loads, now, settled_at)
        if options.surplus_entity is None:
            return
        state = self._hass.states.get(options.surplus_entity)
        if state is not None and state.last_reported_timestamp < now - _SILENT_AFTER:
            state = None
        watts = None if state is None else _converted(state, PowerConverter, UnitOfPower.WATT)
        if state is None or watts is None:
            self._surplus.clear()
            self._lasting = 0.0
        elif state.last_reported_timestamp >= settled_at:
            before = self._surplus[-1][0] if self._surplus else now - _LASTING
            self._surplus.append((now, self._surplus_of(watts, loads)))
            share = 1 - math.exp((before - now) / _LASTING)
            self._lasting += share * (self._surplus[-1][1] - self._lasting)
            while len(self._surplus) > 1 and self._surplus[1][0] <= now - _WINDOW:
                self._surplus.popleft()

    def _measure_limit(self, loads: list[CarLoad], now: float, settled_at: float) -> None:
        states = [self._hass.states.get(each) for each in self.options.limit_entities]
        known = [state for state in states if state is not None]
        currents = [
            _converted(each, ElectricCurrentConverter, UnitOfElectricCurrent.AMPERE) for each in known
        ]
        powers = [_converted(each, PowerConverter, UnitOfPower.WATT) for each in known]
        self._is_in_watts = None in currents
        values = powers if self._is_in_watts else currents
        # The sensors of a meter report together. Each is written only if it has changed.
        reported_at = max((state.last_reported_timestamp for state in known), default=0.0)
        if None in values or len(known) < len(states) or reported_at < now - _SILENT_AFTER:
            self._loads_without_cars.clear()
            return
        drawn = sum(load.drawn * (load.watts / len(known) if self._is_in_watts else 1.0) for load in loads)
        for state, value in zip(known, values, strict=True):
            is_new = state.last_reported_timestamp >= settled_at
            if value is not None and (is_new or state.entity_id not in self._loads_without_cars):
                self._loads_without_cars[state.entity_id] = value - drawn

    def _surplus_of(self, watts: float, loads: list[CarLoad]) -> float:
        """Return the surplus without cars. The home battery comes first, up to a level."""
        options, drawn = self.options, sum(load.drawn * load.watts for load in loads)
        if options.battery_entity is not None:
            level = NUMBER.read(getattr(self._hass.states.get(options.battery_entity), "state", None))
            if level is None or level < options.battery_from:
                return 0.0
        if not watts and not options.surplus_is_imported:
            # A sensor that shows only what is exported does not show how much the cars take from the grid.
            return drawn / 2
        return drawn + (-watts if options.surplus_is_imported else watts)

    def _mean_surplus(self) -> float | None:
        now = dt_util.utcnow().timestamp()
        moments = [max(moment, now - _WINDOW) for moment, _ in self._surplus]
        if not moments:
            return None
        total = sum(
            watts * (end - start)
            for (_, watts), start, end in zip(self._surplus, moments, [*moments[1:], now], strict=True)
        )
        return total / (now - moments[0]) if now > moments[0] else self._surplus[-1][1]


def _converted(state: State, converter: type[BaseUnitConverter], unit: str) -> float | None:
    value, shown_in = NUMBER.read(state.state), state.attributes.get(ATTR_UNIT_OF_MEASUREMENT)
    if value is None or shown_in not in converter.VALID_UNITS:
        return None
    return converter.convert(value, shown_in, unit)
