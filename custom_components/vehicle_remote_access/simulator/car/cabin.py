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


class Cabin(Persistent):
    """The air in the cabin, the air outside, and the climate control."""

    def __init__(self, timeline: Timeline, weather: Weather) -> None:
        self._timeline = timeline
        self._weather = weather
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
    def setting(self) -> float:
        """The temperature that climate control tries to reach, °C."""
        return self.driver_temp

    @property
    def temperature_error(self) -> float:
        return self.setting - self.inside

    @property
    def heat(self) -> float:
        """The heat that climate control adds to the cabin, kW; negative while cooling."""
        if not self.on:
            return 0.0
        if abs(self.temperature_error) < TOLERANCE:
            return max(-COOLING, min(HEATING, HEAT_LOSS * (self.setting - self.resting_temperature)))
        return HEATING if self.temperature_error > 0 else -COOLING

    @property
    def power(self) -> float:
        """The electric power that climate control draws, kW."""
        return self.heat if self.heat > 0 else -self.heat / COOLING_EFFICIENCY

    @property
    def fan_status(self) -> int:
        """The fan's speed: 0 when off, otherwise 1 to 7 by the temperature error."""
        return min(FAN_STEPS, 1 + round(abs(self.temperature_error))) if self.on else 0

    @property
    def temp_direction(self) -> int:
        if not self.on or abs(self.temperature_error) < TOLERANCE:
            return 0
        return 10 if self.temperature_error > 0 else -10

    @property
    def is_defrosting(self) -> bool:
        return self.on and self.outside < DEFROST_BELOW

    def stop(self) -> None:
        self.on = False
        self.keeper = "off"

    def keep(self, mode: str) -> None:
        """Set the climate keeper. Turning it off also turns off climate control."""
        if mode != "off":
            self.on = True
            self.keeper = mode
        elif self.keeper != "off":
            self.stop()

    def set_temperatures(self, driver: float, passenger: float) -> None:
        self.driver_temp = min(MAXIMUM, max(MINIMUM, driver))
        self.passenger_temp = min(MAXIMUM, max(MINIMUM, passenger))

    def advance(self, seconds: float) -> None:
        goal = self.resting_temperature + self.heat / HEAT_LOSS
        reached = physics.approach(self.inside, goal, seconds, HEAT_CAPACITY / HEAT_LOSS)
        setting = self.setting
        passes_setting = self.on and (setting - self.inside) * (setting - reached) < 0
        self.inside = setting if passes_setting else reached
