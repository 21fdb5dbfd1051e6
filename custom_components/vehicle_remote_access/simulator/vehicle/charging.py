"""The battery, the charge port and what goes from one to the other (charge_state)."""

from enum import StrEnum
import math
from typing import Final

from ..faults.switches import Switches
from ..persistence import Kept
from . import physics
from .equipment import Equipment
from .physics import ENERGY_PER_MILE, ENERGY_PER_PERCENT, HOUR, Supply
from .timeline import Timeline

LIMIT_STANDARD: Final = 90
LIMIT_MINIMUM: Final = 50
LIMIT_MAXIMUM: Final = 100

STARTING_SECONDS: Final = 5
RAMP_SECONDS: Final = 10
PORT_CLOSES_AFTER: Final = 300
COLD_PACK: Final = 5.0
"""Below this the pack is heated before it takes a charge, °C."""
NO_FAST_CHARGER: Final = "<invalid>"


class ChargingState(StrEnum):
    """The values of charging_state."""

    DISCONNECTED = "Disconnected"
    NO_POWER = "NoPower"
    STARTING = "Starting"
    CHARGING = "Charging"
    COMPLETE = "Complete"
    STOPPED = "Stopped"


class Charging(Kept):
    """A battery with its charge port."""

    KEPT = (
        "state",
        "level",
        "limit",
        "pack_temperature",
        "supply_on",
        "fast",
        "port_open",
        "released",
        "energy_added",
        "max_range_charge_counter",
        "scheduled_start",
        "stopped_by_user",
        "flowing_since",
    )

    def __init__(self, timeline: Timeline, equipment: Equipment, switches: Switches) -> None:
        """Begin without a cable, the port shut, the battery half full."""
        self._timeline = timeline
        self._equipment = equipment
        self._switches = switches
        self.flowing_since = 0.0
        self.released = False
        self.state = ChargingState.DISCONNECTED
        self.level = 50.0
        self.limit = 80
        self.pack_temperature = 20.0
        self.supply_on = True
        self.fast = False
        self.port_open = False
        self.energy_added = 0.0
        self.max_range_charge_counter = 0
        self.scheduled_start: float | None = None
        self.stopped_by_user = False
        timeline.on("charging", self._flow)
        timeline.on("scheduled charging", self._start_as_scheduled)
        timeline.on("port closes", self.close_port)

    @property
    def plugged(self) -> bool:
        """Whether a cable is in the port."""
        return self.state is not ChargingState.DISCONNECTED

    @property
    def active(self) -> bool:
        """Whether the car is charging or about to."""
        return self.state in {ChargingState.STARTING, ChargingState.CHARGING}

    @property
    def full(self) -> bool:
        """Whether the level that is shown has reached the limit."""
        return round(self.level) >= self.limit

    @property
    def pending(self) -> bool:
        """Whether the car waits for its scheduled start."""
        return self.plugged and self.scheduled_start is not None

    @property
    def supplied(self) -> bool:
        """Whether the car can live on the charging point instead of its battery."""
        return self.plugged and self.supply_on and not self.released

    @property
    def latch(self) -> str:
        """The value of charge_port_latch."""
        if self.plugged and not self.released:
            return "Engaged"
        return "Disengaged" if self.port_open else "Blocking"

    @property
    def supply(self) -> Supply:
        """The charging point to which the cable leads."""
        return self._equipment.supply

    @property
    def pilot_current(self) -> int:
        """What the charging point offers, in amperes."""
        return self.supply.amperes if self.plugged and self.supply_on and not self.fast else 0

    @property
    def current(self) -> float:
        """What flows from the charging point, in amperes."""
        if self.state is not ChargingState.CHARGING or self.fast:
            return 0.0
        return self._full_current * physics.taper(self.level) * self._ramp

    @property
    def power(self) -> float:
        """What the charging point delivers, in kW."""
        if self.state is ChargingState.CHARGING and self.fast:
            return physics.fast_power(self.level) * self._ramp
        return self.supply.power(self.current)

    @property
    def heats_pack(self) -> bool:
        """Whether the battery heater is on: a cold battery does not take a charge well."""
        return self.active and self.pack_temperature < COLD_PACK

    @property
    def usable_level(self) -> float:
        """What a cold battery gives, in percent."""
        return max(0.0, self.level - max(0.0, (10.0 - self.pack_temperature) / 5))

    @property
    def hours_to_limit(self) -> float:
        """Hours until the limit is reached, 0 when the car is not charging."""
        if not self.active:
            return 0.0
        hours, level = 0.0, self.level
        while level < self.limit:
            step = min(1.0, self.limit - level)
            hours += step * ENERGY_PER_PERCENT / self._power_into_pack(level + step / 2)
            level += step
        return hours

    @property
    def charge_rate(self) -> float:
        """Rated miles gained in an hour."""
        if self.state is not ChargingState.CHARGING:
            return 0.0
        return self._power_into_pack(self.level) * self._ramp / ENERGY_PER_MILE

    def plug_in(self, *, fast: bool) -> None:
        """Put a cable in; the port latches it, and a new session begins."""
        self.port_open = True
        self.fast = fast
        self.energy_added = 0.0
        self._timeline.cancel("port closes")
        self.begin()

    def unplug(self) -> None:
        """Pull the cable out; what was added stays shown until the next one."""
        self.state = ChargingState.DISCONNECTED
        self.fast = self.released = self.stopped_by_user = False
        self._timeline.cancel("charging")
        self._close_later()

    def begin(self) -> None:
        """Charge, unless the supply, the limit or the schedule is against it."""
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
        """Stop, and stay so until it begins again."""
        self._timeline.cancel("charging")
        self.state = ChargingState.STOPPED

    def stop(self) -> None:
        """Stop because somebody wants it."""
        self.pause()
        self.stopped_by_user = True

    def supply_turned(self, *, on: bool) -> None:
        """Lose the charging point's power, or get it back."""
        is_news, self.supply_on = on != self.supply_on, on
        if is_news and self.plugged and not self.released:
            self.begin()

    def set_limit(self, percent: int) -> None:
        """Charge up to another level, from now on."""
        self.limit = percent
        if self.active and self.full:
            self._complete()
        elif self.state is ChargingState.COMPLETE and not self.full and not self.released:
            self.begin()

    def set_level(self, percent: float) -> None:
        """Be at another level, and do what follows from it."""
        self.level = percent
        self.set_limit(self.limit)

    def schedule(self, seconds: float) -> None:
        """Wait with charging until that much time has passed."""
        self.scheduled_start = self._timeline.now + seconds
        self._timeline.after(seconds, "scheduled charging")
        if self.active:
            self.begin()

    def start(self) -> None:
        """Charge without waiting any longer, if a cable is in."""
        self.scheduled_start = None
        self._timeline.cancel("scheduled charging")
        if self.plugged:
            self.begin()

    def open_port(self) -> None:
        """Open the door and let go of the cable, which ends charging."""
        self.port_open = True
        if self.active:
            self.stop()
        if self.plugged:
            self.released = True
        else:
            self._close_later()

    def close_port(self) -> None:
        """Close the door."""
        self.port_open = False
        self._timeline.cancel("port closes")

    def advance(self, seconds: float, drain: float, climate: float, outside: float) -> None:
        """Let time pass while the car draws `drain` and its climate control `climate` kilowatts."""
        hours = seconds / HOUR
        gained = 0.0
        if self.state is ChargingState.CHARGING:
            gained = self._power_into_pack(self.level) * self._full_seconds(seconds) / HOUR
        # What comes from the charging point goes to climate control first.
        if self.state is ChargingState.CHARGING or not self.supplied:
            gained -= climate * hours
        self.level = max(0.0, self.level + (gained - drain * hours) / ENERGY_PER_PERCENT)
        if self.state is ChargingState.CHARGING:
            self.energy_added += max(0.0, gained)
        goal, time_constant = (25.0, HOUR) if self.active else (outside, 8 * HOUR)
        self.pack_temperature = physics.approach(self.pack_temperature, goal, seconds, time_constant)
        if self.state is ChargingState.CHARGING and self.level >= self.limit:
            self.energy_added -= min(self.energy_added, (self.level - self.limit) * ENERGY_PER_PERCENT)
            self.level = float(self.limit)
            self._complete()

    @property
    def _ramp(self) -> float:
        """The share of its power with which charging has begun."""
        return min(1.0, (self._timeline.now - self.flowing_since) / RAMP_SECONDS)

    def _full_seconds(self, seconds: float) -> float:
        """Return in how many seconds at full power as much would flow as in the next ones."""
        begun = self._timeline.now - self.flowing_since
        return _risen(begun + seconds) - _risen(begun)

    @property
    def _full_current(self) -> int:
        return min(self.supply.amperes, self._equipment.charger_amperes)

    def _power_into_pack(self, level: float) -> float:
        if self.fast:
            return physics.fast_power(level)
        return self.supply.power(self._full_current) * physics.taper(level) * self.supply.efficiency

    def _flow(self) -> None:
        self.state = ChargingState.CHARGING
        self.flowing_since = self._timeline.now

    def _start_as_scheduled(self) -> None:
        self.scheduled_start = None
        if self.plugged and not self.released:
            self.begin()

    def _complete(self) -> None:
        self._timeline.cancel("charging")
        self.state = ChargingState.COMPLETE
        if self.limit == LIMIT_MAXIMUM:
            self.max_range_charge_counter += 1

    def _close_later(self) -> None:
        if self._equipment.motorized_charge_port and self._switches.port_autoclose:
            self._timeline.after(PORT_CLOSES_AFTER, "port closes")


def _risen(seconds: float) -> float:
    """Return the seconds at full power that the first ones are worth."""
    if seconds < RAMP_SECONDS:
        return seconds**2 / (2 * RAMP_SECONDS)
    return seconds - RAMP_SECONDS / 2


def quarter_hours(hours: float) -> float:
    """Round up to quarters of an hour, as time_to_full_charge is."""
    return math.ceil(hours * 4) / 4
