"""The simulated service: what it answers on one core, and what a thousand vehicles cost."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

from custom_components.vehicle_remote_access.simulator import ManualClock, Simulator, Vehicle

from .driver import DAY, HOUR
from .load import Load
from .served import TOKEN, Served, charging, driving, owned, parked, serving

_FILE: Final = Path(__file__).with_suffix(".md")
_PAGE: Final = 100
_FASTEST: Final = 600
_SAMPLES: Final = 15
_SLOW_CHARGER: Final = 2
"""The index of a car at an ordinary socket: it charges for days."""
_WAITS: Final = {"1 hour": HOUR, "1 day": DAY, "1 week": 7 * DAY}

_CONSTANT: Final = "always the same bytes"
_DATA: Final = "vehicle_data"
_DATA_FAST: Final = f"vehicle_data, {_FASTEST} times as fast"
_RECORD: Final = "a vehicle's record"
_LIST: Final = f"a page of {_PAGE} vehicles"

_RATE_GOAL: Final = 1000
"""Answers a second."""
_IDLE_GOAL: Final = 1.0
"""Milliseconds of a processor in a second in which nobody asks."""

_BEGINNING: Final = """# A thousand vehicles in one process

What the simulated service costs, in a process of its own on a core of its own. From another core it is
asked over eight kept connections as fast as it answers, each time for another vehicle. In the same process an
aiohttp server answers *always the same bytes*, as many as a vehicle_data has: what aiohttp itself costs. At
the speed of real time all vehicles are parked; {fastest} times as fast, a third charges and a third drives.

Figures are the median of {rounds} rounds, with the least and the most. If others use the core, answers become
fewer, while the processor's time for each hardly grows. Written by `scripts/bench simulator`, on a machine
with {cores} cores, with Python {python} and aiohttp {aiohttp}.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    vehicles: int = 1000
    requests: int = 4000
    """In a round."""
    rounds: int = 7
    seconds: float = 5.0
    """In which nobody asks."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured."""

    rates: dict[str, list[float]]
    """Answers a second, of each round, by what was asked for."""
    efforts: dict[str, list[float]]
    """Microseconds of a processor for each answer."""
    idle: dict[str, float]
    """Milliseconds of a processor in a second in which nobody asks."""
    memory: float
    """MiB that the vehicles took when they were made."""
    memory_more: float
    """MiB that all the requests added to the process."""
    computing: dict[str, dict[str, float]]
    """Milliseconds of a processor for a car that nobody asked for so long, by what it did."""

    @property
    def missed(self) -> list[str]:
        """What is not as it should be, in words."""
        # Whatever else runs makes a round slower, never faster.
        slow = [name for name in (_DATA, _DATA_FAST) if min(self.efforts[name]) > 1e6 / _RATE_GOAL]
        busy = [name for name, share in self.idle.items() if share > _IDLE_GOAL]
        return [
            *(f"{name}: fewer than {_RATE_GOAL} a second of a processor" for name in slow),
            *(f"{name}: more than {_IDLE_GOAL} ms a second while nobody asks" for name in busy),
        ]


def main() -> int:
    """Measure, and return 1 if a goal is missed."""
    asked = _arguments()
    size = Size(asked.vehicles, asked.requests, asked.rounds, asked.seconds)
    costs = _measured(size)
    if asked.json:
        sys.stdout.write(json.dumps({**asdict(costs), "missed": costs.missed}, indent=1) + "\n")
    else:
        sys.stdout.write(_written(costs, size))
    if size == Size():
        _FILE.write_text(_written(costs, size))
    return 1 if costs.missed else 0


def _arguments() -> argparse.Namespace:
    usual = Size()
    parser = argparse.ArgumentParser(prog="scripts/bench simulator", description=__doc__)
    parser.add_argument("--vehicles", type=int, default=usual.vehicles)
    parser.add_argument("--requests", type=int, default=usual.requests, help="in a round")
    parser.add_argument("--rounds", type=int, default=usual.rounds)
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="in which nobody asks")
    parser.add_argument("--json", action="store_true", help="print the figures and no tables")
    return parser.parse_args()


def _measured(size: Size) -> Costs:
    # With a single core they share it, and the figures are lower.
    here, *_, there = sorted(os.sched_getaffinity(0)) * 2
    os.sched_setaffinity(0, {here})
    computing = {live.__name__: _computing(live) for live in (parked, charging, driving, owned)}
    with serving(size.vehicles, core=there) as real, serving(size.vehicles, _FASTEST, core=there) as fast:
        idle = _idle({"at the speed of real time": real, f"{_FASTEST} times as fast": fast}, size.seconds)
        before = real.held
        rates, efforts = _rates(real, fast, size)
        return Costs(rates, efforts, idle, real.memory, real.held - before, computing)


def _computing(live: Callable[[Vehicle], None]) -> dict[str, float]:
    return {
        wait: 1000 * median(_catching_up(live, seconds) for _ in range(_SAMPLES))
        for wait, seconds in _WAITS.items()
    }


def _catching_up(live: Callable[[Vehicle], None], seconds: float) -> float:
    """Return the seconds of a processor in which a car is computed that nobody asked for so long."""
    clock = ManualClock()
    car = Simulator(vehicles=_SLOW_CHARGER + 1, clock=clock).vehicles[_SLOW_CHARGER]
    live(car)
    clock.advance(seconds)
    began = process_time()
    car.catch_up()
    return process_time() - began


def _idle(processes: Mapping[str, Served], seconds: float) -> dict[str, float]:
    before = {name: process.cpu for name, process in processes.items()}
    sleep(seconds)
    return {name: 1000 * (process.cpu - before[name]) / seconds for name, process in processes.items()}


def _rates(real: Served, fast: Served, size: Size) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return how many answers there were in a second, and how long the processor took for each."""
    records = [f"/api/1/vehicles/{vehicle}" for vehicle in real.ids]
    reads = [f"{record}/vehicle_data" for record in records]
    pages = [f"/api/1/vehicles?page={page + 1}" for page in range(_pages(size))]
    asked = {
        _CONSTANT: (real, real.constant_port, reads),
        _DATA: (real, real.port, reads),
        _DATA_FAST: (fast, fast.port, reads),
        _RECORD: (real, real.port, records),
        _LIST: (real, real.port, pages),
    }
    rates: dict[str, list[float]] = {name: [] for name in asked}
    efforts: dict[str, list[float]] = {name: [] for name in asked}
    for _ in range(size.rounds):
        for name, (process, port, paths) in asked.items():
            times = max(1, size.requests // _PAGE) if paths is pages else size.requests
            with Load(port, TOKEN) as load:
                before = process.cpu
                rates[name].append(times / load.seconds(paths, times))
                efforts[name].append((process.cpu - before) / times * 1e6)
    return rates, efforts


def _pages(size: Size) -> int:
    return -(-size.vehicles // _PAGE)


def _written(costs: Costs, size: Size) -> str:
    """Return it as tables, and what is missed."""
    beginning = _BEGINNING.format(
        fastest=_FASTEST,
        rounds=size.rounds,
        cores=os.cpu_count(),
        python=platform.python_version(),
        aiohttp=aiohttp.__version__,
    )
    waits = [f"after {wait}" for wait in _WAITS]
    return "\n".join(
        [
            beginning,
            _table(["asked for", "answers a second", "processor, µs", f"times {_CONSTANT}"], _answers(costs)),
            _table(["the process", ""], _process(costs, size)),
            _table(["a car is computed, ms of a processor", *waits], _computed(costs)),
            *(f"**Missed**: {each}\n" for each in costs.missed or ["nothing"]),
        ]
    )


def _answers(costs: Costs) -> Iterator[Sequence[str]]:
    least = median(costs.efforts[_CONSTANT])
    for name, rates in costs.rates.items():
        efforts = costs.efforts[name]
        yield name, _spread(rates), _spread(efforts), f"{median(efforts) / least:.1f}"


def _process(costs: Costs, size: Size) -> Iterator[Sequence[str]]:
    listed = [effort * _pages(size) / 1000 for effort in costs.efforts[_LIST]]
    yield "vehicles", f"{size.vehicles}"
    yield f"all of them listed, {_PAGE} to a page, ms of a processor", _spread(listed)
    yield "memory that they took when they were made, MiB", f"{costs.memory:.1f}"
    yield "memory that all these requests added, MiB", f"{costs.memory_more:.1f}"
    for name, busy in costs.idle.items():
        yield f"nobody asks, {name}: ms of a processor in a second", f"{busy:.2f}"


def _computed(costs: Costs) -> Iterator[Sequence[str]]:
    for life, waits in costs.computing.items():
        yield life, *(f"{effort:.2f}" for effort in waits.values())


def _spread(figures: Sequence[float]) -> str:
    return f"{median(figures):.0f} ({min(figures):.0f} to {max(figures):.0f})"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
