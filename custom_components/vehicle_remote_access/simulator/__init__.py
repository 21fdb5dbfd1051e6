"""A simulated vehicle remote-access service, written only from the documentation of such services."""

from .car.location import Home, Point
from .clock import Clock, ManualClock
from .controls import SimulatedVehicle
from .faults.switches import OTHER, USUAL_TOKEN_LIFETIME
from .http.access_tokens import TOKEN_PATH
from .http.car_records import full_record
from .http.server import Request, Simulator

__all__ = [
    "OTHER",
    "TOKEN_PATH",
    "USUAL_TOKEN_LIFETIME",
    "Clock",
    "Home",
    "ManualClock",
    "Point",
    "Request",
    "SimulatedVehicle",
    "Simulator",
    "full_record",
]
