"""The simulated service: the CPU time of its responses, and the cost of a thousand vehicles."""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection
import os
from statistics import median
import sys
from time import process_time, sleep
from typing import Final

from custom_components.vehicle_remote_access.simulator import ManualClock, Simulator

from ..common.process import LOOPBACK, cores, run_service
from ..common.report import Goal, publish, table
from ..common.virtual_time import DAY, HOUR
from .server import CAR_STATES, TOKEN, Server, start_servers

_PAGE: Final = 100
_REQUESTS_PER_VEHICLE: Final = 4
"""In a round."""
_FAST: Final = 600
_IDLE_SECONDS: Final = 0.5
"""Seconds without requests in a round."""
_SAMPLES: Final = 5
_SLOW_CHARGER: Final = 2
"""The index of a car at a wall outlet, which charges for days."""
_IDLE_TIMES: Final = {"1 hour": HOUR, "1 day": DAY, "1 week": 7 * DAY}
_CONSTANT: Final = "constant response"

_INTRODUCTION: Final = """# A thousand vehicles in one process

The cost of the simulated service, in its own process on its own core. A client on another core sends one
request after the other over a persistent connection, each for the next vehicle. In the same process an
aiohttp server always sends a *constant response* of the same size as vehicle_data: the cost of aiohttp
itself. At the speed of real time all vehicles are parked; at {fast} times real time a third of them charges
and a third drives. Figures are the median of {rounds} rounds, with minimum and maximum.
"""

type Figures = dict[str, list[float]]
"""Figures of CPU time, one for each round, by kind of request or by process."""


def main() -> int:
    """Measure, and return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench simulator", description=__doc__)
    parser.add_argument("--vehicles", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    # On a single core the client and the service share it.
    os.sched_setaffinity(0, {cores()[0]})
    catch_up = {state: [_catch_up(state, idle) for idle in _IDLE_TIMES.values()] for state in CAR_STATES}
    responses: Figures = defaultdict(list)
    idle: Figures = defaultdict(list)
    with (
        run_service(start_servers, options.vehicles, 1) as real,
        run_service(start_servers, options.vehicles, _FAST) as fast,
    ):
        before = real.memory
        for _ in range(options.rounds):
            _measure_round(real, fast, responses, idle)
        growth = real.memory - before
    constant = median(responses[_CONSTANT])
    process = {
        "memory of the new vehicles, MiB": f"{real.vehicle_memory:.1f}",
        "memory growth during all requests, MiB": f"{growth:.1f}",
        **{f"without requests, {name}: ms of CPU time per second": _spread(idle[name]) for name in idle},
    }
    sections = (
        _INTRODUCTION.format(fast=_FAST, rounds=options.rounds),
        table(
            ["request", "responses per second of CPU time", "CPU, µs", f"times {_CONSTANT}"],
            (
                (name, f"{1e6 / median(times):.0f}", _spread(times), f"{median(times) / constant:.1f}")
                for name, times in responses.items()
            ),
        ),
        table([f"{options.vehicles} vehicles", ""], process.items()),
        table(
            ["computing a car, ms of CPU time", *(f"after {name}" for name in _IDLE_TIMES)],
            ((state, *(f"{time:.2f}" for time in times)) for state, times in catch_up.items()),
        ),
    )
    # Other processes make a round slower, never faster.
    reads = {name: times for name, times in responses.items() if "vehicle_data" in name}
    goals = [
        *(Goal("µs of CPU time per response", name, min(times), 1000) for name, times in reads.items()),
        *(Goal("ms of CPU time per second without requests", name, min(idle[name]), 1) for name in idle),
    ]
    return publish("simulator", sections, goals, is_full=options == parser.parse_args([]))


def _catch_up(state: str, seconds: float) -> float:
    """Return the milliseconds of CPU time to compute a car after an idle time."""
    samples = []
    for _ in range(_SAMPLES):
        clock = ManualClock()
        car = Simulator(vehicles=_SLOW_CHARGER + 1, clock=clock).vehicles[_SLOW_CHARGER]
        CAR_STATES[state](car)
        clock.advance(seconds)
        started = process_time()
        car.catch_up()
        samples.append(1000 * (process_time() - started))
    return median(samples)


def _measure_round(real: Server, fast: Server, responses: Figures, idle: Figures) -> None:
    """Add the CPU time per response and the CPU time without requests."""
    servers = {"real time": real, f"{_FAST} times real time": fast}
    before = [server.cpu for server in servers.values()]
    sleep(_IDLE_SECONDS)
    for (name, server), start in zip(servers.items(), before, strict=True):
        idle[name].append(1000 * (server.cpu - start) / _IDLE_SECONDS)
    records = [f"/api/1/vehicles/{path_id}" for path_id in real.ids]
    reads = [f"{record}/vehicle_data" for record in records]
    pages = [f"/api/1/vehicles?page={first // _PAGE + 1}" for first in range(0, len(records), _PAGE)]
    for name, server, port, paths in (
        (_CONSTANT, real, real.constant_port, reads),
        ("vehicle_data", real, real.port, reads),
        (f"vehicle_data, {_FAST} times real time", fast, fast.port, reads),
        ("a vehicle's record", real, real.port, records),
        (f"a page of {_PAGE} vehicles", real, real.port, pages),
    ):
        start = server.cpu
        _send_requests(port, paths * _REQUESTS_PER_VEHICLE)
        responses[name].append((server.cpu - start) / len(paths) / _REQUESTS_PER_VEHICLE * 1e6)


def _send_requests(port: int, paths: Sequence[str]) -> None:
    with closing(HTTPConnection(LOOPBACK, port)) as connection:
        for path in paths:
            connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
            response = connection.getresponse()
            assert response.status == HTTPStatus.OK, path
            response.read()


def _spread(figures: Sequence[float]) -> str:
    return f"{median(figures):.0f} ({min(figures):.0f} to {max(figures):.0f})"


if __name__ == "__main__":
    sys.exit(main())
