"""What the program writes while it runs: where the service is, every request, and what the cars do."""

import sys
from typing import Final
from urllib.parse import quote

from custom_components.vehicle_remote_access.simulator.controls import Vehicle
from custom_components.vehicle_remote_access.simulator.http.request import Request
from custom_components.vehicle_remote_access.simulator.http.server import Simulator

from .texts import doing, time_of_day

UNQUOTED: Final = "/:@"


class Terminal:
    """Tells whoever looks on; it only has something to say when a request comes."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._vehicles: list[Vehicle] = []
        self._said: dict[str, list[str]] = {}

    def introduce(self, simulator: Simulator, *, page: str = "") -> None:
        """Say where the service is, what is needed to use it, and what its cars are doing."""
        self._vehicles = simulator.vehicles
        say(f"address  {simulator.url}")
        say(f"token    {simulator.token}")
        if page:
            say(f"page     {simulator.url}{page}")
        for vehicle in self._vehicles:
            start = f"vehicle  {vehicle.id}  {vehicle.vin}  {vehicle.name}, {vehicle.equipment.model}: "
            self._tell_of(vehicle, start)

    def tell(self, request: Request) -> None:
        """Log a request in one line, without its query: it may hold a password. Then what has changed."""
        path = quote(request.path, safe=UNQUOTED)
        say(f"{time_of_day(request.moment)}  {request.method} {path} {request.status}")
        for vehicle in self._vehicles:
            if is_about(request, vehicle):
                self._tell_of(vehicle)

    def _tell_of(self, vehicle: Vehicle, start: str = "") -> None:
        """Say what a car is doing, if that is not what was said of it last."""
        vehicle.catch_up()
        words, lock = doing(vehicle), "locked" if vehicle.body.locked else "unlocked"
        if self._said.get(vehicle.vin) != [*words, lock]:
            self._said[vehicle.vin] = [*words, lock]
            level = f"{round(vehicle.charging.level)} %"
            say((start or f"{vehicle.name}  ") + ", ".join([*words, level, lock]))


def is_about(request: Request, vehicle: Vehicle) -> bool:
    """Return whether a request names the car, or names none."""
    _, is_one, rest = request.path.partition("/vehicles/")
    return not is_one or rest.partition("/")[0] in (str(vehicle.id), vehicle.vin)


def say(line: str) -> None:
    """Write a line at once, so that whoever reads the output need not wait."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
