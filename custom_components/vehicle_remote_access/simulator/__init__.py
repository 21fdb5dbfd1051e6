"""A simulated vehicle remote-access service, written from the interface document on its own."""

from .body import OPENINGS
from .cabin import KEEPER_MODES
from .clock import FASTEST, SLOWEST, Clock, ManualClock
from .controls import COLDEST, CONTROLS, FARTHEST, HOTTEST, ControlError, Vehicle
from .faults import Faults
from .mishap import MISHAPS, NONE, WHERE, Mishap
from .place import Place
from .request import Request
from .server import Simulator
from .switches import Switches

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
