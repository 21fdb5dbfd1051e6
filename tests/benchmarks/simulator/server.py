"""A simulated service in a process of its own."""

from dataclasses import dataclass
import math
import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from custom_components.vehicle_remote_access.simulator import Clock, Simulator

from ..common.process import private_memory

TOKEN: Final = "simulated"
_LONG_DRIVE: Final = 1000  # miles


@dataclass(frozen=True, slots=True)
class Server:
    """The address of the service, and its process's use of resources."""

    pid: int
    port: int
    ids: list[int]
    vehicle_memory: float
    """MiB that the new vehicles took."""

    @property
    def cpu(self) -> float:
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0]) / 1e9


async def start_server(vehicles: int, speed: float) -> Server:
    """Serve vehicles that never fall asleep. They park; in faster time a third charges and a third drives."""
    pid = os.getpid()
    before = private_memory(pid)
    simulator = Simulator(vehicles=vehicles, token=TOKEN, clock=Clock(speed))
    vehicle_memory = private_memory(pid) - before
    for index, car in enumerate(simulator.vehicles):
        car.wake()
        car.sleep_after = math.inf
        if speed > 1 and index % 3:
            if car.charging.plugged:
                car.unplug()
            if index % 3 == 1:
                car.set_level(1)
                car.plug_in()
            else:
                car.set_level(100)
                car.drive(_LONG_DRIVE)
    await simulator.start()
    ids = [car.id for car in simulator.vehicles]
    return Server(pid, urlsplit(simulator.url).port or 0, ids, vehicle_memory)
