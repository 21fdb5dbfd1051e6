"""A simulated vehicle remote-access service, written only from the documentation of such services."""

from .car.body import OPENINGS
from .car.cabin import KEEPER_MODES, SEATS
from .car.location import Home
from .clock import FASTEST, SLOWEST, Clock, ManualClock
from .controls import COLDEST, CONTROLS, FARTHEST, HOTTEST, SWITCHES, ControlError, SimulatedVehicle
from .faults.faults import AnyFault, ChangedResponse, DroppedResponse, Faults, ResponseFault
from .faults.presets import NONE, PRESETS, SCOPES
from .faults.switches import OTHER, SERVICES, USUAL_TOKEN_LIFETIME, Switches
from .http.access_tokens import TOKEN_PATH
from .http.server import Request, Simulator

__all__ = [
    "COLDEST",
    "CONTROLS",
    "FARTHEST",
    "FASTEST",
    "HOTTEST",
    "KEEPER_MODES",
    "NONE",
    "OPENINGS",
    "OTHER",
    "PRESETS",
    "SCOPES",
    "SEATS",
    "SERVICES",
    "SLOWEST",
    "SWITCHES",
    "TOKEN_PATH",
    "USUAL_TOKEN_LIFETIME",
    "AnyFault",
    "ChangedResponse",
    "Clock",
    "ControlError",
    "DroppedResponse",
    "Faults",
    "Home",
    "ManualClock",
    "Request",
    "ResponseFault",
    "SimulatedVehicle",
    "Simulator",
    "Switches",
]
