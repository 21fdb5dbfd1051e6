"""A simulated vehicle remote-access service, written only from the documentation of such services."""

from .car.location import Home as Home, Point as Point
from .clock import Clock as Clock, ManualClock as ManualClock
from .controls import SimulatedVehicle as SimulatedVehicle
from .faults.switches import OTHER as OTHER, USUAL_TOKEN_LIFETIME as USUAL_TOKEN_LIFETIME
from .http.access_tokens import TOKEN_PATH as TOKEN_PATH
from .http.car_records import full_record as full_record
from .http.server import Request as Request, Simulator as Simulator
