"""A car's identity, its model with the equipment, and the settings of its screen."""

from dataclasses import dataclass, field
from typing import Literal

from ..persistence import Persistent
from .location import Home
from .physics import Supply


@dataclass(frozen=True, slots=True)
class Identity:
    """The ids and names of a car."""

    id: int
    vehicle_id: int  # which is not the id in paths
    user_id: int
    vin: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleConfig:
    """The fields of vehicle_config, except eu_vehicle and timestamp."""

    car_type: str
    trim_badging: str
    perf_config: str = "Base"
    exterior_color: str
    wheel_type: str
    charge_port_type: Literal["US", "EU"] = "US"
    roof_color: str = "None"
    spoiler_type: str = "None"
    third_row_seats: str = "None"
    car_special_type: str = "base"
    sun_roof_installed: int = 0
    rear_seat_heaters: int = 0
    rear_seat_type: int = 0
    seat_type: int = 2
    can_actuate_trunks: bool = True
    can_accept_navigation_requests: bool = True
    motorized_charge_port: bool = True
    plg: bool = True
    has_ludicrous_mode: bool = False
    has_air_suspension: bool = True
    rhd: bool = False


@dataclass
class Screen(Persistent):
    """The settings of the car's screen: gui_settings. They don't affect the units of other records."""

    gui_distance_units: str = "mi/hr"
    gui_temperature_units: str = "F"
    gui_charge_rate_units: str = "mi/hr"
    gui_24_hour_time: bool = False
    gui_range_display: str = "Rated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(VehicleConfig):
    """A car model with its equipment, and the state of its cars at the start."""

    name: str
    car_names: tuple[str, ...]
    """The names of its cars: one for the first account, one for the second, and so on."""
    vin_start: str
    """The first eleven characters of the VIN, with a blank for the check digit."""
    option_codes: str
    remote_start_supported: bool = True
    supply: Supply  # of the home charger
    charger_amperes: int  # the limit of the onboard charger
    home: Home
    version: str
    odometer: float
    level: float
    limit: int = 80
    plugged: bool = False
    stopped: bool = False
    asleep: bool = False
    screen: Screen = field(default_factory=Screen)

    @property
    def eu_vehicle(self) -> bool:
        return self.charge_port_type == "EU"

    @property
    def cable(self) -> str:
        return "IEC" if self.eu_vehicle else "SAE"
