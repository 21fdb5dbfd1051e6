"""The cabin and its climate control (climate_state)."""

from typing import Final

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

TOLERANCE: Final = 0.05
FAN_STEPS: Final = 7
DEFROST_BELOW: Final = 3.0
"""Outside temperature below which climate control also heats windows, wipers and mirrors, °C."""
HEAT_PUMP_FROM: Final = 0.0
"""Outside temperature from which a heat pump works, °C."""
HEAT_PUMP_EFFICIENCY: Final = 3.0


class Cabin(Persistent):
    """The air in the cabin, the air outside, and the climate control."""

    def __init__(self, timeline: Timeline, weather: Weather, *, heat_pump: bool) -> None:
        self._timeline = timeline
        self._weather = weather
        self._heat_pump = heat_pump
        self.fixed_outside: float | None = None
        self.on = False
        self.keeper = "off"
        self.driver_temp = 21.0
        self.passenger_temp = 21.0
        self.seats = dict.fromkeys(SEATS, 0)
        self.steering_wheel_heater = False
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
    def temperature_error(self) -> float:
        """The driver's setting minus the inside temperature, °C."""
        return self.driver_temp - self.inside

    @property
    def heat(self) -> float:
        """The heat that climate control adds to the cabin, kW; negative while cooling."""
        if not self.on:
            return 0.0
        if abs(self.temperature_error) < TOLERANCE:
            return max(-COOLING, min(HEATING, HEAT_LOSS * (self.driver_temp - self.resting_temperature)))
        return HEATING if self.temperature_error > 0 else -COOLING

    @property
    def power(self) -> float:
        """The electric power that climate control draws, kW."""
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
        return self.on and self.outside < DEFROST_BELOW

    def stop(self) -> None:
        self.on = False
        self.keeper = "off"

    def set_temperatures(self, driver: float, passenger: float) -> None:
        self.driver_temp = min(MAXIMUM, max(MINIMUM, driver))
        self.passenger_temp = min(MAXIMUM, max(MINIMUM, passenger))

    def advance(self, seconds: float) -> None:
        goal = self.resting_temperature + self.heat / HEAT_LOSS
        reached = physics.approach(self.inside, goal, seconds, HEAT_CAPACITY / HEAT_LOSS)
        passes_setting = self.on and (self.driver_temp - self.inside) * (self.driver_temp - reached) < 0
        self.inside = self.driver_temp if passes_setting else reached
