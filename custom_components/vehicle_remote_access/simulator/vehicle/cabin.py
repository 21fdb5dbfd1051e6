"""The cabin and what warms or cools it (climate_state)."""

from typing import Final

from ..persistence import Kept
from . import physics
from .physics import COOLING, COOLING_EFFECT, HEAT_CAPACITY, HEAT_LOSS, HEATING
from .timeline import Timeline
from .weather import Weather

MINIMUM: Final = 15.0
MAXIMUM: Final = 28.0
"""What the driver can set; the ends mean LO and HI in the car."""
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

REACHED: Final = 0.05
FAN_STEPS: Final = 7
COLD_AIR: Final = 3.0
"""Below this outside, climate control also thaws windows, wipers and mirrors, °C."""
HEAT_PUMP_FROM: Final = 0.0
HEAT_PUMP_EFFECT: Final = 3.0


class Cabin(Kept):
    """The air inside a car, the air outside it and the climate control between them."""

    KEPT = (
        "fixed_outside",
        "on",
        "keeper",
        "driver_temp",
        "passenger_temp",
        "seats",
        "steering_wheel_heater",
        "inside",
    )

    def __init__(self, timeline: Timeline, weather: Weather, *, heat_pump: bool) -> None:
        """Begin parked for long: as warm as the air and the sun make it, climate control off."""
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
        self.inside = self.rest

    @property
    def outside(self) -> float:
        """The temperature of the air, °C."""
        if self.fixed_outside is not None:
            return self.fixed_outside
        return self._weather.temperature(self._timeline.now)

    @property
    def rest(self) -> float:
        """The temperature towards which the cabin drifts by itself, °C."""
        return self.outside + self._weather.sun_load(self._timeline.now)

    @property
    def error(self) -> float:
        """By how much the cabin is too cold for its driver, °C; negative when too warm."""
        return self.driver_temp - self.inside

    @property
    def heat(self) -> float:
        """What climate control brings into the cabin, kW; negative when it cools."""
        if not self.on:
            return 0.0
        if abs(self.error) < REACHED:
            return max(-COOLING, min(HEATING, HEAT_LOSS * (self.driver_temp - self.rest)))
        return HEATING if self.error > 0 else -COOLING

    @property
    def draw(self) -> float:
        """What climate control takes from the battery or the charging point, kW."""
        if self.heat < 0:
            return -self.heat / COOLING_EFFECT
        pumps = self._heat_pump and self.outside >= HEAT_PUMP_FROM
        return self.heat / HEAT_PUMP_EFFECT if pumps else self.heat

    @property
    def fan_status(self) -> int:
        """0 when off, otherwise 1 to 7 by how far the cabin is from what was asked for."""
        return min(FAN_STEPS, 1 + round(abs(self.error))) if self.on else 0

    @property
    def temp_direction(self) -> int:
        """A number that is positive while heating and negative while cooling."""
        if not self.on or abs(self.error) < REACHED:
            return 0
        return 10 if self.error > 0 else -10

    @property
    def thaws(self) -> bool:
        """Whether windows, wipers and mirrors are heated as well."""
        return self.on and self.outside < COLD_AIR

    def stop(self) -> None:
        """Switch climate control off, whoever it was kept on for."""
        self.on = False
        self.keeper = "off"

    def set_temperatures(self, driver: float, passenger: float) -> None:
        """Ask for other temperatures; what the car cannot do becomes the nearest that it can."""
        self.driver_temp = min(MAXIMUM, max(MINIMUM, driver))
        self.passenger_temp = min(MAXIMUM, max(MINIMUM, passenger))

    def advance(self, seconds: float) -> None:
        """Let the cabin drift, or be brought to what was asked for."""
        goal = self.rest + self.heat / HEAT_LOSS
        reached = physics.approach(self.inside, goal, seconds, HEAT_CAPACITY / HEAT_LOSS)
        passes = self.on and (self.driver_temp - self.inside) * (self.driver_temp - reached) < 0
        self.inside = self.driver_temp if passes else reached
