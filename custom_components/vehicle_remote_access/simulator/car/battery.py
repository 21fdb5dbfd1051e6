"""The battery, the charge port and charging (charge_state)."""

from enum import StrEnum
from typing import Final

from ..persistence import Persistent
from . import physics
from .model import Model
from .physics import ENERGY_PER_MILE, ENERGY_PER_PERCENT, HOUR
from .timeline import Timeline

LIMIT_STANDARD: Final = 90
LIMIT_MINIMUM: Final = 50
LIMIT_MAXIMUM: Final = 100

STARTING_SECONDS: Final = 5
PORT_CLOSES_AFTER: Final = 300
COLD_PACK: Final = 5.0  # temperature below which the battery is heated while charging, °C
INVALID: Final = "<invalid>"  # the value of a field without a cable or a fast charger


class ChargingState(StrEnum):
    """The values of charging_state."""

    DISCONNECTED = "Disconnected"
    NO_POWER = "NoPower"
    STARTING = "Starting"
    CHARGING = "Charging"
    COMPLETE = "Complete"
    STOPPED = "Stopped"


class Charging(Persistent):
    """A battery with its charge port."""

    NOT_STORED = frozenset({"energy_drawn", "fast_charges", "supply"})

    def __init__(self, timeline: Timeline, model: Model) -> None:
        self._timeline = timeline
        self._model = model
        self.supply = model.supply
        self.released = False
        self.state = ChargingState.DISCONNECTED
        self.level = model.level
        self.limit = model.limit
        self.pack_temperature = 20.0
        self.supply_on = True
        self.fast = False
        self.port_open = False
        self.energy_added = 0.0
        self.energy_drawn = 0.0
        """The energy that the chargers drew since the simulator started, in kWh."""
        self.fast_charges: list[list[float]] = []
        """Of each charge at a fast charger: its start, its end, the kWh, and when it was unplugged, or 0."""
        self.max_range_charge_counter = 0
        self.scheduled_start: float | None = None
        self.requested_current: int | None = None
        """The limit that a client set, in amperes. It stays below the limits of the chargers."""
        self.stopped_by_user = False
        timeline.on("charging", self._start_flow)
        timeline.on("scheduled charging", self._start_as_scheduled)
        timeline.on("port closes", self.close_port)

    @property
    def plugged(self) -> bool:
        return self.state is not ChargingState.DISCONNECTED

    @property
    def active(self) -> bool:
        return self.state in {ChargingState.STARTING, ChargingState.CHARGING}

    @property
    def full(self) -> bool:
        return round(self.level) >= self.limit

    @property
    def pending(self) -> bool:
        """Whether a plugged-in car waits for its scheduled start."""
        return self.plugged and self.scheduled_start is not None

    @property
    def supplied(self) -> bool:
        """Whether the car can draw power from the cable instead of its battery."""
        return self.plugged and self.supply_on and not self.released

    @property
    def latch(self) -> str:
        if self.plugged and not self.released:
            return "Engaged"
        return "Disengaged" if self.port_open else "Blocking"

    @property
    def pilot_current(self) -> int:
        """The current that the home charger offers, in amperes."""
        return self.supply.amperes if self.plugged and self.supply_on and not self.fast else 0

    @property
    def current(self) -> float:
        if self.state is not ChargingState.CHARGING or self.fast:
            return 0.0
        return self.full_current * physics.taper(self.level)

    @property
    def power(self) -> float:
        if self.state is ChargingState.CHARGING and self.fast:
            return physics.fast_power(self.level)
        return self.supply.power(self.current)

    @property
    def is_heating_pack(self) -> bool:
        return self.active and self.pack_temperature < COLD_PACK

    @property
    def usable_level(self) -> float:
        """The level without the energy that a cold battery can't deliver, in percent."""
        return max(0.0, self.level - max(0.0, (10.0 - self.pack_temperature) / 5))

    @property
    def hours_to_limit(self) -> float:
        """Hours until the limit is reached, 0 if no power flows."""
        if not self.active or not self._power_into_pack(self.level):
            return 0.0
        hours, level = 0.0, self.level
        while level < self.limit:
            step = min(1.0, self.limit - level)
            hours += step * ENERGY_PER_PERCENT / self._power_into_pack(level + step / 2)
            level += step
        return hours

    @property
    def charge_rate(self) -> float:
        """Rated miles gained per hour."""
        if self.state is not ChargingState.CHARGING:
            return 0.0
        return self._power_into_pack(self.level) / ENERGY_PER_MILE

    def plug_in(self, *, fast: bool) -> None:
        self.port_open = True
        self.fast = fast
        if fast:
            self.fast_charges.append([self._timeline.now, self._timeline.now, 0.0, 0.0])
        self.energy_added = 0.0
        self._timeline.cancel("port closes")
        self.begin()

    def unplug(self) -> None:
        """Pull the cable out. The energy added stays until the next session."""
        self.state = ChargingState.DISCONNECTED
        if self.fast and self.fast_charges:
            self.fast_charges[-1][3] = self._timeline.now
        self.fast = self.released = self.stopped_by_user = False
        self._timeline.cancel("charging")
        self._close_port_later()

    def begin(self) -> None:
        self.released = self.stopped_by_user = False
        self._timeline.cancel("charging")
        if not self.supply_on:
            self.state = ChargingState.NO_POWER
        elif self.full:
            self.state = ChargingState.COMPLETE
        elif self.scheduled_start is not None and not self.fast:
            self.state = ChargingState.STOPPED
        else:
            self.state = ChargingState.STARTING
            self._timeline.after(STARTING_SECONDS, "charging")

    def pause(self) -> None:
        self._timeline.cancel("charging")
        self.state = ChargingState.STOPPED

    def stop(self) -> None:
        self.pause()
        self.stopped_by_user = True

    def switch_supply(self, *, on: bool) -> None:
        has_changed, self.supply_on = on != self.supply_on, on
        if has_changed and self.plugged and not self.released:
            self.begin()

    def set_limit(self, percent: int) -> None:
        """Set the limit. Charging completes or restarts accordingly."""
        self.limit = percent
        if self.active and self.full:
            self._complete()
        elif self.state is ChargingState.COMPLETE and not self.full and not self.released:
            self.begin()

    def set_level(self, percent: float) -> None:
        self.level = percent
        self.set_limit(self.limit)

    def schedule(self, seconds: float) -> None:
        self.scheduled_start = self._timeline.now + seconds
        self._timeline.after(seconds, "scheduled charging")
        if self.active:
            self.begin()

    def start(self) -> None:
        self.scheduled_start = None
        self._timeline.cancel("scheduled charging")
        if self.plugged:
            self.begin()

    def open_port(self) -> None:
        """Open the port and release the cable. This stops charging."""
        self.port_open = True
        if self.active:
            self.stop()
        if self.plugged:
            self.released = True
        else:
            self._close_port_later()

    def close_port(self) -> None:
        self.port_open = False
        self._timeline.cancel("port closes")

    def advance(self, seconds: float, car_power: float, climate_power: float, outside: float) -> None:
        """Let time pass. The powers are those of the car itself and of its climate control, in kW."""
        hours = seconds / HOUR
        gained = 0.0
        if self.state is ChargingState.CHARGING:
            gained = self._power_into_pack(self.level) * hours
            self.energy_drawn += gained if self.fast else gained / self.supply.efficiency
            if self.fast and self.fast_charges:
                start, _, energy, _ = self.fast_charges[-1]
                self.fast_charges[-1] = [start, self._timeline.now + seconds, energy + gained, 0.0]
        # Climate control uses the charger's power first.
        if self.state is ChargingState.CHARGING or not self.supplied:
            gained -= climate_power * hours
        gained -= car_power * hours
        self.level = max(0.0, self.level + gained / ENERGY_PER_PERCENT)
        if self.state is ChargingState.CHARGING:
            # The battery measures what reaches it.
            self.energy_added += max(0.0, gained)
        goal, time_constant = (25.0, HOUR) if self.active else (outside, 8 * HOUR)
        self.pack_temperature = physics.approach(self.pack_temperature, goal, seconds, time_constant)
        if self.state is ChargingState.CHARGING and self.level >= self.limit:
            self.energy_added -= min(self.energy_added, (self.level - self.limit) * ENERGY_PER_PERCENT)
            self.level = float(self.limit)
            self._complete()

    @property
    def highest_current(self) -> int:
        """The most current that the home charger and the onboard charger allow, in amperes."""
        return min(self.supply.amperes, self._model.charger_amperes)

    @property
    def full_current(self) -> int:
        """The most current that the chargers and the request allow, in amperes."""
        requested = self.requested_current
        return self.highest_current if requested is None else min(self.highest_current, requested)

    def _power_into_pack(self, level: float) -> float:
        if self.fast:
            return physics.fast_power(level)
        return self.supply.power(self.full_current) * physics.taper(level) * self.supply.efficiency

    def _start_flow(self) -> None:
        self.state = ChargingState.CHARGING

    def _start_as_scheduled(self) -> None:
        self.scheduled_start = None
        if self.plugged and not self.released:
            self.begin()

    def _complete(self) -> None:
        self._timeline.cancel("charging")
        self.state = ChargingState.COMPLETE
        if self.limit == LIMIT_MAXIMUM:
            self.max_range_charge_counter += 1

    def _close_port_later(self) -> None:
        if self._model.motorized_charge_port:
            self._timeline.after(PORT_CLOSES_AFTER, "port closes")
