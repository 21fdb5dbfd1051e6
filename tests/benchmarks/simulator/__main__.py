"""The simulated service: its request rate on one core, and the cost of a thousand vehicles."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
import json
import os
from pathlib import Path
import platform
from statistics import median
import sys
from time import process_time, sleep
from typing import Final

import aiohttp

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator

from ..common.car_states import CAR_STATES
from ..common.driver import DAY, HOUR
from ..common.markdown import table
from .load import Load
from .server_process import TOKEN, ServerProcess, run_server

_REPORT: Final = Path(__file__).parent.with_suffix(".md")
_PAGE: Final = 100
_FAST: Final = 600
_SAMPLES: Final = 15
_SLOW_CHARGER: Final = 2
"""The index of a car at a wall outlet, which charges for days."""
_IDLE_TIMES: Final = {"1 hour": HOUR, "1 day": DAY, "1 week": 7 * DAY}

_CONSTANT: Final = "constant response"
_DATA: Final = "vehicle_data"
_DATA_FAST: Final = f"vehicle_data, {_FAST} times real time"
_RECORD: Final = "a vehicle's record"
_LIST: Final = f"a page of {_PAGE} vehicles"

_RATE_GOAL: Final = 1000
"""Responses per second."""
_IDLE_GOAL: Final = 1.0
"""Milliseconds of CPU time per second without requests."""

_INTRODUCTION: Final = """# A thousand vehicles in one process

The cost of the simulated service, in its own process on its own core. A load generator on another core sends
requests over eight persistent connections as fast as the service answers, each for the next vehicle. In the
same process an aiohttp server always sends a *constant response* of the same size as vehicle_data: the cost
of aiohttp itself. At the speed of real time all vehicles are parked; at {fast} times real time a third of
them charges and a third drives.

Figures are the median of {rounds} rounds, with minimum and maximum. If other processes use the core, the rate
drops, while the CPU time per response hardly grows. Written by `scripts/bench simulator`, on a machine with
{cores} cores, with Python {python} and aiohttp {aiohttp}.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    vehicles: int = 1000
    requests: int = 4000
    """Per round."""
    rounds: int = 7
    seconds: float = 5.0
    """Without requests."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured."""

    rates: dict[str, list[float]]
    """Responses per second in each round, by kind of request."""
    cpu_times: dict[str, list[float]]
    """Microseconds of CPU time per response."""
    idle: dict[str, float]
    """Milliseconds of CPU time per second without requests."""
    vehicle_memory: float
    """MiB that the new vehicles took."""
    request_memory: float
    """MiB that the process grew by during all requests."""
    catch_up: dict[str, dict[str, float]]
    """Milliseconds of CPU time to compute a car after an idle time, by the car's state."""

    @property
    def missed(self) -> list[str]:
        """The goals that are missed, as text."""
        # Other processes make a round slower, never faster.
        slow = [name for name in (_DATA, _DATA_FAST) if min(self.cpu_times[name]) > 1e6 / _RATE_GOAL]
        busy = [name for name, milliseconds in self.idle.items() if milliseconds > _IDLE_GOAL]
        return [
            *(f"{name}: fewer than {_RATE_GOAL} responses per CPU second" for name in slow),
            *(f"{name}: more than {_IDLE_GOAL} ms of CPU time per second without requests" for name in busy),
        ]


def main() -> int:
    """Measure, and return 1 if a goal is missed."""
    options = _parse_options()
    size = Size(options.vehicles, options.requests, options.rounds, options.seconds)
    costs = _measure(size)
    if options.json:
        sys.stdout.write(json.dumps({**asdict(costs), "missed": costs.missed}, indent=1) + "\n")
    else:
        sys.stdout.write(_as_markdown(costs, size))
    if size == Size():
        _REPORT.write_text(_as_markdown(costs, size))
    return 1 if costs.missed else 0


def _parse_options() -> argparse.Namespace:
    default = Size()
    parser = argparse.ArgumentParser(prog="scripts/bench simulator", description=__doc__)
    parser.add_argument("--vehicles", type=int, default=default.vehicles)
    parser.add_argument("--requests", type=int, default=default.requests, help="requests per round")
    parser.add_argument("--rounds", type=int, default=default.rounds)
    parser.add_argument("--seconds", type=float, default=default.seconds, help="seconds without requests")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser.parse_args()


def _measure(size: Size) -> Costs:
    # On a single core the load generator and the service share it, and the rates are lower.
    here, *_, there = sorted(os.sched_getaffinity(0)) * 2
    os.sched_setaffinity(0, {here})
    catch_up = {name: _catch_up_times(start_state) for name, start_state in CAR_STATES.items()}
    with run_server(size.vehicles, core=there) as real, run_server(size.vehicles, _FAST, core=there) as fast:
        idle = _idle_cpu({"real time": real, f"{_FAST} times real time": fast}, size.seconds)
        before = real.memory
        rates, cpu_times = _request_rates(real, fast, size)
        return Costs(rates, cpu_times, idle, real.vehicle_memory, real.memory - before, catch_up)


def _catch_up_times(start_state: Callable[[SimulatedVehicle], None]) -> dict[str, float]:
    return {
        name: 1000 * median(_catch_up_time(start_state, seconds) for _ in range(_SAMPLES))
        for name, seconds in _IDLE_TIMES.items()
    }


def _catch_up_time(start_state: Callable[[SimulatedVehicle], None], seconds: float) -> float:
    """Return the CPU seconds to compute a car after an idle time."""
    clock = ManualClock()
    car = Simulator(vehicles=_SLOW_CHARGER + 1, clock=clock).vehicles[_SLOW_CHARGER]
    start_state(car)
    clock.advance(seconds)
    started = process_time()
    car.catch_up()
    return process_time() - started


def _idle_cpu(processes: Mapping[str, ServerProcess], seconds: float) -> dict[str, float]:
    before = {name: process.cpu for name, process in processes.items()}
    sleep(seconds)
    return {name: 1000 * (process.cpu - before[name]) / seconds for name, process in processes.items()}


def _request_rates(
    real: ServerProcess, fast: ServerProcess, size: Size
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the responses per second and the CPU time per response."""
    records = [f"/api/1/vehicles/{path_id}" for path_id in real.ids]
    reads = [f"{record}/vehicle_data" for record in records]
    pages = [f"/api/1/vehicles?page={page + 1}" for page in range(_pages(size))]
    kinds = {
        _CONSTANT: (real, real.constant_port, reads),
        _DATA: (real, real.port, reads),
        _DATA_FAST: (fast, fast.port, reads),
        _RECORD: (real, real.port, records),
        _LIST: (real, real.port, pages),
    }
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    cpu_times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(size.rounds):
        for name, (process, port, paths) in kinds.items():
            requests = max(1, size.requests // _PAGE) if paths is pages else size.requests
            with Load(port, TOKEN) as load:
                before = process.cpu
                rates[name].append(requests / load.seconds(paths, requests))
                cpu_times[name].append((process.cpu - before) / requests * 1e6)
    return rates, cpu_times


def _pages(size: Size) -> int:
    return -(-size.vehicles // _PAGE)


def _as_markdown(costs: Costs, size: Size) -> str:
    """Return the tables and the missed goals."""
    introduction = _INTRODUCTION.format(
        fast=_FAST,
        rounds=size.rounds,
        cores=os.cpu_count(),
        python=platform.python_version(),
        aiohttp=aiohttp.__version__,
    )
    idle_times = [f"after {name}" for name in _IDLE_TIMES]
    titles = ["request", "responses per second", "CPU, µs", f"times {_CONSTANT}"]
    return "\n".join(
        [
            introduction,
            table(titles, _rate_rows(costs)),
            table(["process", ""], _process_rows(costs, size)),
            table(["computing a car, ms of CPU time", *idle_times], _catch_up_rows(costs)),
            *(f"**Missed**: {missed}\n" for missed in costs.missed or ["nothing"]),
        ]
    )


def _rate_rows(costs: Costs) -> Iterator[Sequence[str]]:
    constant = median(costs.cpu_times[_CONSTANT])
    for name, rates in costs.rates.items():
        cpu_times = costs.cpu_times[name]
        yield name, _spread(rates), _spread(cpu_times), f"{median(cpu_times) / constant:.1f}"


def _process_rows(costs: Costs, size: Size) -> Iterator[Sequence[str]]:
    listing = [cpu_time * _pages(size) / 1000 for cpu_time in costs.cpu_times[_LIST]]
    yield "vehicles", f"{size.vehicles}"
    yield f"listing all of them, {_PAGE} per page, ms of CPU time", _spread(listing)
    yield "memory of the new vehicles, MiB", f"{costs.vehicle_memory:.1f}"
    yield "memory growth during all requests, MiB", f"{costs.request_memory:.1f}"
    for name, milliseconds in costs.idle.items():
        yield f"without requests, {name}: ms of CPU time per second", f"{milliseconds:.2f}"


def _catch_up_rows(costs: Costs) -> Iterator[Sequence[str]]:
    for name, cpu_times in costs.catch_up.items():
        yield name, *(f"{milliseconds:.2f}" for milliseconds in cpu_times.values())


def _spread(figures: Sequence[float]) -> str:
    return f"{median(figures):.0f} ({min(figures):.0f} to {max(figures):.0f})"


if __name__ == "__main__":
    sys.exit(main())
