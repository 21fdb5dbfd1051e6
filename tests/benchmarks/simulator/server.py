"""A simulated service, together with a server that always sends the same response."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import cycle
import json
import math
import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from custom_components.vehicle_remote_access.simulator import Clock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record

from ..common.process import private_memory, serve_http

TOKEN: Final = "simulated"
_LONG_DRIVE: Final = 1000  # miles


def _charge(car: SimulatedVehicle) -> None:
    """Start the longest possible charge."""
    if car.charging.plugged:
        car.unplug()
    car.set_level(1)
    car.plug_in()


def _drive(car: SimulatedVehicle) -> None:
    """Start a drive that lasts until the battery is empty."""
    if car.charging.plugged:
        car.unplug()
    car.set_level(100)
    car.drive(_LONG_DRIVE)


CAR_STATES: Final[Mapping[str, Callable[[SimulatedVehicle], object]]] = {
    "parked": lambda car: car,
    "charging": _charge,
    "driving": _drive,
    "daily routine": lambda car: car.routine(on=True),
}
"""Functions that start a state in which a car can be left for a long time."""


@dataclass(frozen=True, slots=True)
class Server:
    """The addresses of the two servers, and their process's use of resources."""

    pid: int
    port: int
    constant_port: int
    ids: list[int]
    vehicle_memory: float
    """MiB that the new vehicles took."""

    @property
    def cpu(self) -> float:
        """CPU seconds of the process."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0]) / 1e9

    @property
    def memory(self) -> float:
        """MiB of the process."""
        return private_memory(self.pid)


async def start_servers(vehicles: int, speed: float) -> Server:
    """Serve vehicles that never fall asleep. They park; in faster time a third charges and a third drives."""
    before = private_memory(os.getpid())
    simulator = Simulator(vehicles=vehicles, token=TOKEN, clock=Clock(speed))
    vehicle_memory = private_memory(os.getpid()) - before
    states = cycle([CAR_STATES[state] for state in ("parked", "charging", "driving")])
    for car, start_state in zip(simulator.vehicles, states, strict=False):
        car.wake()
        car.sleep_after = math.inf
        if speed > 1:
            start_state(car)
    body = json.dumps({"response": full_record(simulator.vehicles[0], Variant.CURRENT)}).encode()

    async def send_constant(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    await simulator.start()
    return Server(
        pid=os.getpid(),
        port=urlsplit(simulator.url).port or 0,
        constant_port=await serve_http(send_constant),
        ids=[car.id for car in simulator.vehicles],
        vehicle_memory=vehicle_memory,
    )
