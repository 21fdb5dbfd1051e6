"""A car's identity, its equipment, and the settings of its screen."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ..persistence import Persistent
from .physics import Supply


@dataclass(frozen=True, slots=True)
class Identity:
    """The ids and names of a car."""

    id: int
    vehicle_id: int
    user_id: int
    vin: str
    name: str


@dataclass(frozen=True, slots=True)
class Equipment:
    """A car's fixed properties: its vehicle_config, and what its other records depend on."""

    model: str
    option_codes: str
    car_type: str = "models2"
    trim_badging: str = "p90d"
    perf_config: str = "P2"
    exterior_color: str = "White"
    wheel_type: str = "AeroTurbine19"
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
    remote_start_supported: bool = True
    heat_pump: bool = False
    supply: Supply = field(default_factory=lambda: Supply(volts=240, amperes=40))
    """The home charger."""
    charger_amperes: int = 40
    """The limit of the onboard charger."""

    @property
    def eu_vehicle(self) -> bool:
        """Whether the car was made for Europe."""
        return self.charge_port_type == "EU"

    @property
    def cable(self) -> str:
        """The value of conn_charge_cable while a cable is in the port."""
        return "IEC" if self.eu_vehicle else "SAE"


@dataclass(slots=True)
class Screen(Persistent):
    """The settings of the car's screen: gui_settings. They don't affect the units of other records."""

    PERSISTED: ClassVar = (
        "gui_distance_units",
        "gui_temperature_units",
        "gui_charge_rate_units",
        "gui_24_hour_time",
        "gui_range_display",
    )

    gui_distance_units: str = "mi/hr"
    gui_temperature_units: str = "F"
    gui_charge_rate_units: str = "mi/hr"
    gui_24_hour_time: bool = False
    gui_range_display: str = "Rated"
