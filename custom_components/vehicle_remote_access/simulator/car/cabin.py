"""The cabin and its climate control (climate_state)."""

from collections.abc import Callable
from typing import Final

from ..faults.switches import Switches
from ..persistence import Persistent
from . import physics
from .physics import COOLING, COOLING_EFFICIENCY, HEAT_CAPACITY, HEAT_LOSS, HEATING
from .timeline import Timeline
from .weather import Weather

MINIMUM: Final = 15.0
MAXIMUM: Final = 28.0
"""Limits of the temperature setting, °C. The car shows them as LO and HI."""
SEATS: Final = (
    "left",
    "right",
    "rear_left",
    "rear_center",
    "rear_right",
    "third_row_left",
    "third_row_right",
)
KEEPER_MODES: Final = ("off", "on", "dog", "camp")
OVERHEAT_LIMITS: Final = {"Low": 30.0, "Medium": 35.0, "High": 40.0}
"""Inside temperatures at which cabin overheat protection starts, °C."""
WHEEL_LEVELS: Final = (0, 1, 3)
"""The levels of the steering wheel heater: off, low, and high."""

TOLERANCE: Final = 0.05
FAN_STEPS: Final = 7
DEFROST_BELOW: Final = 3.0
"""Outside temperature below which climate control also heats windows, wipers and mirrors, °C."""
HEAT_PUMP_FROM: Final = 0.0
"""Outside temperature from which a heat pump works, °C."""
HEAT_PUMP_EFFICIENCY: Final = 3.0
VENTILATION: Final = 0.3
"""Heat that the fan alone removes for each degree above the outside temperature, kW."""
FAN_POWER: Final = 0.2
DEGREES_PER_LEVEL: Final = 4.0
"""Temperature error for which an automatic heater increases its level, °C."""


class Cabin(Persistent):
    """The air in the cabin, the air outside, and the climate control."""

    def __init__(
        self,
        timeline: Timeline,
        weather: Weather,
        switches: Switches,
        *,
        heat_pump: bool,
        may_protect: Callable[[], bool],
    ) -> None:
        """`may_protect`: whether cabin overheat protection may start, judging by the rest of the car."""
        self._timeline = timeline
        self._weather = weather
        self._switches = switches
        self._heat_pump = heat_pump
        self._may_protect = may_protect
        self.fixed_outside: float | None = None
        self.on = False
        self.keeper = "off"
        self.driver_temp = 21.0
        self.passenger_temp = 21.0
        self.seats = dict.fromkeys(SEATS, 0)
        self.auto_seats = {"left": False, "right": False}
        self.seat_fans = {"left": 0, "right": 0}
        self.steering_wheel_heater = False
        self.wheel_level = WHEEL_LEVELS[-1]
        """The level of the steering wheel heater when it is on."""
        self.auto_wheel = False
        self.max_defrost = False
        self.was_on = False
        """Whether climate control was on before the windows were defrosted."""
        self.bioweapon = False
        self.overheat_protection = "Off"
        self.overheat_limit = "High"
        self.inside = self.resting_temperature

    @property
    def outside(self) -> float:
        if self.fixed_outside is not None:
            return self.fixed_outside
        return self._weather.temperature(self._timeline.now)

    @property
    def resting_temperature(self) -> float:
        """The temperature that the cabin approaches without climate control, °C."""
        return self.outside + self._weather.sun_load(self._timeline.now)

    @property
    def is_protecting(self) -> bool:
        """Whether cabin overheat protection cools or ventilates the cabin."""
        if self.overheat_protection == "Off" or self.on or not self._may_protect():
            return False
        limit = OVERHEAT_LIMITS[self.overheat_limit]
        return self.resting_temperature > limit and self.inside > limit - TOLERANCE

    @property
    def setting(self) -> float:
        """The temperature that climate control, or cabin overheat protection, tries to reach, °C."""
        if not self.on:
            return OVERHEAT_LIMITS[self.overheat_limit]
        return MAXIMUM if self.max_defrost else self.driver_temp

    @property
    def temperature_error(self) -> float:
        """The setting minus the inside temperature, °C."""
        return self.setting - self.inside

    @property
    def heat(self) -> float:
        """The heat that climate control adds to the cabin, kW; negative while cooling."""
        is_protecting = self.is_protecting
        if not self.on and not is_protecting:
            return 0.0
        cooling = COOLING
        if is_protecting and self.overheat_protection == "FanOnly":
            cooling = VENTILATION * max(0.0, self.inside - self.outside)
        if abs(self.temperature_error) < TOLERANCE:
            return max(-cooling, min(HEATING, HEAT_LOSS * (self.setting - self.resting_temperature)))
        return HEATING if self.temperature_error > 0 else -cooling

    @property
    def power(self) -> float:
        """The electric power that climate control draws, kW."""
        if not self.on and self.overheat_protection == "FanOnly":
            return FAN_POWER if self.is_protecting else 0.0
        if self.heat < 0:
            return -self.heat / COOLING_EFFICIENCY
        uses_heat_pump = self._heat_pump and self.outside >= HEAT_PUMP_FROM
        return self.heat / HEAT_PUMP_EFFICIENCY if uses_heat_pump else self.heat

    @property
    def fan_status(self) -> int:
        """The fan's speed: 0 when off, otherwise 1 to 7 by the temperature error."""
        return min(FAN_STEPS, 1 + round(abs(self.temperature_error))) if self.on else 0

    @property
    def temp_direction(self) -> int:
        """A number that is positive while heating and negative while cooling."""
        if not self.on or abs(self.temperature_error) < TOLERANCE:
            return 0
        return 10 if self.temperature_error > 0 else -10

    @property
    def is_defrosting(self) -> bool:
        return self.on and (self.max_defrost or self.outside < DEFROST_BELOW)

    @property
    def wheel_heat_level(self) -> int:
        if self.auto_wheel:
            return WHEEL_LEVELS[min(self._automatic_level, len(WHEEL_LEVELS) - 1)]
        return self.wheel_level if self.steering_wheel_heater else 0

    @property
    def _automatic_level(self) -> int:
        """The level of an automatic heater, 0 to 3: higher in a colder cabin."""
        return max(0, min(3, round(self.temperature_error / DEGREES_PER_LEVEL))) if self.on else 0

    def seat_level(self, seat: str) -> int:
        return self._automatic_level if self.auto_seats.get(seat) else self.seats[seat]

    def stop(self) -> None:
        self.on = self.max_defrost = self.bioweapon = False
        self.keeper = "off"
        if self._switches.is_fleet:
            self.seats = dict.fromkeys(self.seats, 0)
            self.seat_fans = dict.fromkeys(self.seat_fans, 0)
            self.steering_wheel_heater = False

    def keep(self, mode: str) -> None:
        """Set the climate keeper. Turning it off also turns off climate control."""
        if mode != "off":
            self.on = True
            self.keeper = mode
        elif self.keeper != "off":
            self.stop()

    def defrost(self, *, on: bool) -> None:
        """Heat as much as possible, or return to what climate control did before."""
        if on and not self.max_defrost:
            self.was_on = self.on
            self.on = self.max_defrost = True
        elif self.max_defrost and not on:
            self.max_defrost = False
            if not self.was_on:
                self.stop()

    def set_temperatures(self, driver: float, passenger: float) -> None:
        self.driver_temp = min(MAXIMUM, max(MINIMUM, driver))
        self.passenger_temp = min(MAXIMUM, max(MINIMUM, passenger))

    def advance(self, seconds: float) -> None:
        goal = self.resting_temperature + self.heat / HEAT_LOSS
        reached = physics.approach(self.inside, goal, seconds, HEAT_CAPACITY / HEAT_LOSS)
        is_controlled, setting = self.on or self.is_protecting, self.setting
        passes_setting = is_controlled and (setting - self.inside) * (setting - reached) < 0
        self.inside = setting if passes_setting else reached
