"""A simulated service in a process of its own, beside a server whose answer is always the same."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
import json
import math
import multiprocessing
from multiprocessing.connection import Connection
import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from custom_components.vehicle_remote_access.simulator import Clock, Simulator, Vehicle
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .load import LOOPBACK

TOKEN: Final = "simulated"
FARTHEST: Final = 1000
_SECONDS_TO_END: Final = 10


@dataclass(frozen=True, slots=True)
class Served:
    """Where to ask, and for what."""

    pid: int
    port: int
    constant_port: int
    ids: list[int]
    memory: float
    """MiB that the vehicles took when they were made."""

    @property
    def cpu(self) -> float:
        """Seconds for which the process has had its core so far."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0]) / 1e9

    @property
    def held(self) -> float:
        """MiB of the whole process."""
        return _memory(self.pid)


@contextmanager
def serving(vehicles: int, speed: float = 1, *, core: int) -> Iterator[Served]:
    """Serve vehicles that never fall asleep: parked, but if time is faster two in three charge or drive."""
    context = multiprocessing.get_context("spawn")
    said, says = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(says, vehicles, speed, core))
    process.start()
    says.close()  # So that its end is heard here, should it fail.
    try:
        yield said.recv()
    finally:
        process.terminate()
        process.join(_SECONDS_TO_END)


def parked(_: Vehicle) -> None:
    """Leave a car where it is, with nothing to do."""


def charging(car: Vehicle) -> None:
    """Let a car charge for as long as possible."""
    if car.charging.plugged:
        car.unplug()
    car.set_level(1)
    car.plug_in()


def driving(car: Vehicle) -> None:
    """Let a car drive for as long as possible."""
    if car.charging.plugged:
        car.unplug()
    car.set_level(100)
    car.drive(FARTHEST)


def owned(car: Vehicle) -> None:
    """Let a car have an owner who drives and charges it day by day."""
    car.routine(on=True)


def _serve(says: Connection, vehicles: int, speed: float, core: int) -> None:
    os.sched_setaffinity(0, {core})
    asyncio.run(_serve_until_terminated(says, vehicles, speed))


async def _serve_until_terminated(says: Connection, vehicles: int, speed: float) -> None:
    before = _memory(os.getpid())
    simulator = Simulator(vehicles=vehicles, token=TOKEN, clock=Clock(speed))
    memory = _memory(os.getpid()) - before
    for car, live in zip(simulator.vehicles, cycle((parked, charging, driving)), strict=False):
        car.wake()
        car.sleep_after = math.inf
        if speed > 1:
            live(car)
    await simulator.start()
    port = urlsplit(simulator.url).port
    says.send(
        Served(
            pid=os.getpid(),
            port=port or 0,
            constant_port=await _serve_always(full(simulator.vehicles[0], Variant.CURRENT)),
            ids=[car.id for car in simulator.vehicles],
            memory=memory,
        )
    )
    await asyncio.Event().wait()


async def _serve_always(response: Json) -> int:
    """Answer every GET with this, and return the port."""
    body = json.dumps({"response": response}).encode()

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    application = web.Application()
    application.router.add_get("/{anything:.*}", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, LOOPBACK, 0).start()
    port: int = runner.addresses[0][1]
    return port


def _memory(pid: int) -> float:
    """Return the MiB that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
