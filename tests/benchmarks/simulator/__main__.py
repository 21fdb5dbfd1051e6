"""The simulated service: the CPU time of its responses, and the cost of a thousand vehicles."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection
import os
from statistics import median
import sys
from time import sleep
from typing import Final

from ..common.process import LOOPBACK, cores, private_memory, run_service
from ..common.report import Goal, create_parser, publish, table
from .server import TOKEN, Server, start_server

_PAGE: Final = 100
_REQUESTS_PER_VEHICLE: Final = 4
"""In a round."""
_FAST: Final = 600
_IDLE_SECONDS: Final = 0.5
"""Seconds without requests in a round."""

_INTRODUCTION: Final = """# A thousand vehicles in one process

The cost of the simulated service, in its own process on its own core. A client on another core sends one
request after the other over a persistent connection, each for the next vehicle. At the speed of real time
all vehicles are parked; at {fast} times real time a third of them charges and a third drives. Figures are the
median of {rounds} rounds, with minimum and maximum.
"""

type Figures = dict[str, list[float]]
"""Figures of CPU time, one for each round, by kind of request or by process."""


def main() -> int:
    parser = create_parser("simulator", __doc__)
    parser.add_argument("--vehicles", type=int, default=1000, help="number of vehicles")
    parser.add_argument("--rounds", type=int, default=7, help="number of rounds")
    options = parser.parse_args()
    # On a single core the client and the service share it.
    os.sched_setaffinity(0, {cores()[0]})
    responses: Figures = defaultdict(list)
    idle: Figures = defaultdict(list)
    with (
        run_service(start_server, options.vehicles, 1) as real,
        run_service(start_server, options.vehicles, _FAST) as fast,
    ):
        before = private_memory(real.pid)
        for _ in range(options.rounds):
            _measure_round(real, fast, responses, idle)
        growth = private_memory(real.pid) - before
    process = {
        "memory of the new vehicles, MiB": f"{real.vehicle_memory:.1f}",
        "memory growth during all requests, MiB": f"{growth:.1f}",
        **{f"without requests, {name}: ms of CPU time per second": _spread(idle[name]) for name in idle},
    }
    sections = (
        _INTRODUCTION.format(fast=_FAST, rounds=options.rounds),
        table(
            ["request", "responses per second of CPU time", "CPU, µs"],
            ((name, f"{1e6 / median(times):.0f}", _spread(times)) for name, times in responses.items()),
        ),
        table([f"{options.vehicles} vehicles", ""], process.items()),
    )
    # Other processes make a round slower, never faster.
    reads = {name: times for name, times in responses.items() if "vehicle_data" in name}
    goals = [
        *(Goal("µs of CPU time per response", name, min(times), 1000) for name, times in reads.items()),
        *(Goal("ms of CPU time per second without requests", name, min(idle[name]), 1) for name in idle),
    ]
    return publish(parser, sections, goals)


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
    for name, server, paths in (
        ("vehicle_data", real, reads),
        (f"vehicle_data, {_FAST} times real time", fast, reads),
        ("a vehicle's record", real, records),
        (f"a page of {_PAGE} vehicles", real, pages),
    ):
        start = server.cpu
        _send_requests(server.port, paths * _REQUESTS_PER_VEHICLE)
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
