"""A simulated vehicle remote-access service, written from the interface document on its own."""

from .clock import FASTEST, SLOWEST, Clock, ManualClock
from .controls import COLDEST, CONTROLS, FARTHEST, HOTTEST, ControlError, Vehicle
from .faults.faults import Faults
from .faults.presets import MISHAPS, NONE, WHERE, Mishap
from .faults.switches import Switches
from .http.request import Request
from .http.server import Simulator
from .vehicle.body import OPENINGS
from .vehicle.cabin import KEEPER_MODES
from .vehicle.place import Place

__all__ = [
    "COLDEST",
    "CONTROLS",
    "FARTHEST",
    "FASTEST",
    "HOTTEST",
    "KEEPER_MODES",
    "MISHAPS",
    "NONE",
    "OPENINGS",
    "SLOWEST",
    "WHERE",
    "Clock",
    "ControlError",
    "Faults",
    "ManualClock",
    "Mishap",
    "Place",
    "Request",
    "Simulator",
    "Switches",
    "Vehicle",
]
