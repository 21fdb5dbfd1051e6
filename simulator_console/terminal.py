"""The program's output: the service's address, every request, and what the vehicles do."""

import sys
from typing import Final
from urllib.parse import quote

from custom_components.vehicle_remote_access.simulator import (
    OTHER,
    TOKEN_PATH,
    Request,
    SimulatedVehicle,
    Simulator,
)

from .texts import describe_activity, time_of_day

UNQUOTED: Final = "/:@"


class Terminal:
    """Writes requests and changed activities to the standard output. A change is written after a request."""

    def __init__(self) -> None:
        self._vehicles: list[SimulatedVehicle] = []
        self._written: dict[str, list[str]] = {}

    def write_introduction(
        self, simulator: Simulator, *, page: str = "", proxy: str = "", stream: str = ""
    ) -> None:
        """Write the service's address and token, and what the vehicles are doing.

        `page`: the admin page's path. `proxy`, `stream`: the addresses of the command proxy and the stream.
        """
        self._vehicles = simulator.vehicles
        write_line(f"address  {simulator.url}")
        write_line(f"token    {simulator.token}")
        if simulator.service != OTHER:
            write_line(f"service  {simulator.service}")
        if simulator.switches.token_lifetime:
            write_line(f"refresh  {simulator.url}{TOKEN_PATH} with {simulator.tokens.refresh_token}")
        if proxy:
            write_line(f"commands {proxy}")
        if stream:
            write_line(f"stream   {stream}")
        if page:
            write_line(f"page     {simulator.url}{page}")
        for vehicle in self._vehicles:
            start = f"vehicle  {vehicle.id}  {vehicle.vin}  {vehicle.name}, {vehicle.model.name}: "
            self._write_activity(vehicle, start)

    def write_request(self, request: Request) -> None:
        """Write a request and the activities that have changed. The query may contain a password: omit it."""
        path = quote(request.path, safe=UNQUOTED)
        write_line(f"{time_of_day(request.moment)}  {request.method} {path} {request.status}")
        for vehicle in self._vehicles:
            if concerns(request, vehicle):
                self._write_activity(vehicle)

    def _write_activity(self, vehicle: SimulatedVehicle, start: str = "") -> None:
        """Write what a vehicle is doing, if that has changed."""
        vehicle.catch_up()
        activity, lock = describe_activity(vehicle), "locked" if vehicle.body.locked else "unlocked"
        if self._written.get(vehicle.vin) != [*activity, lock]:
            self._written[vehicle.vin] = [*activity, lock]
            level = f"{round(vehicle.charging.level)}%"
            write_line((start or f"{vehicle.name}  ") + ", ".join([*activity, level, lock]))


def concerns(request: Request, vehicle: SimulatedVehicle) -> bool:
    _, is_for_vehicle, rest = request.path.partition("/vehicles/")
    return not is_for_vehicle or rest.partition("/")[0] in (str(vehicle.id), vehicle.vin)


def write_line(line: str) -> None:
    """Write a line and flush, so that a program that reads the output gets it immediately."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
