"""A simulated service in its own process, together with a server that always sends the same response."""

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

from custom_components.vehicle_remote_access.simulator import Clock, Simulator
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record
from custom_components.vehicle_remote_access.simulator.persistence import Json

from ..common.car_states import start_charging, start_driving, stay_parked
from .load import LOOPBACK

TOKEN: Final = "simulated"
_SECONDS_TO_STOP: Final = 10


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """The addresses of the two servers, and the process's use of resources."""

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
        """MiB of the whole process."""
        return _memory(self.pid)


@contextmanager
def run_server(vehicles: int, speed: float = 1, *, core: int) -> Iterator[ServerProcess]:
    """Serve vehicles that never fall asleep. They park; in faster time a third charges and a third drives."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(sender, vehicles, speed, core))
    process.start()
    sender.close()  # The receiver then gets an EOFError if the process fails.
    try:
        yield receiver.recv()
    finally:
        process.terminate()
        process.join(_SECONDS_TO_STOP)


def _serve(sender: Connection, vehicles: int, speed: float, core: int) -> None:
    os.sched_setaffinity(0, {core})
    asyncio.run(_serve_until_terminated(sender, vehicles, speed))


async def _serve_until_terminated(sender: Connection, vehicles: int, speed: float) -> None:
    before = _memory(os.getpid())
    simulator = Simulator(vehicles=vehicles, token=TOKEN, clock=Clock(speed))
    vehicle_memory = _memory(os.getpid()) - before
    states = cycle((stay_parked, start_charging, start_driving))
    for car, start_state in zip(simulator.vehicles, states, strict=False):
        car.wake()
        car.sleep_after = math.inf
        if speed > 1:
            start_state(car)
    await simulator.start()
    port = urlsplit(simulator.url).port
    sender.send(
        ServerProcess(
            pid=os.getpid(),
            port=port or 0,
            constant_port=await _serve_constant(full_record(simulator.vehicles[0], Variant.CURRENT)),
            ids=[car.id for car in simulator.vehicles],
            vehicle_memory=vehicle_memory,
        )
    )
    await asyncio.Event().wait()


async def _serve_constant(response: Json) -> int:
    """Answer every GET with this response, and return the port."""
    body = json.dumps({"response": response}).encode()

    async def handle(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    application = web.Application()
    application.router.add_get("/{path:.*}", handle)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, LOOPBACK, 0).start()
    port: int = runner.addresses[0][1]
    return port


def _memory(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
