"""A simulated vehicle remote-access service, written from the interface document on its own."""

from .clock import Clock, ManualClock
from .controls import CONTROLS, ControlError, Vehicle
from .faults import Faults
from .server import Request, Simulator
from .switches import Switches

__all__ = [
    "CONTROLS",
    "Clock",
    "ControlError",
    "Faults",
    "ManualClock",
    "Request",
    "Simulator",
    "Switches",
    "Vehicle",
]
