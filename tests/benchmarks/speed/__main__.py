"""The integration's speed, compared with a baseline, a null integration and another integration."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, fields
import os
from pathlib import Path
import sys
from time import perf_counter
from typing import Final

from .report import as_json, as_markdown, missed_goals
from .results import (
    CHARGE_LIMIT,
    LOCK,
    REFRESH_KINDS,
    EventLag,
    ImportResult,
    LagSample,
    Measurement,
    Refresh,
    Results,
    Startup,
    StartupPairs,
)
from .worker import Worker, start_worker

_REPORT: Final = Path(__file__).parent.with_suffix(".md")
_FIGURES: Final = Path(__file__).parent.with_name("results.json")
_STARTED: Final = perf_counter()
# Refreshes of each kind in a round, with any number of cars
_MIN_REFRESHES: Final = 3


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    vehicles: Sequence[int] = (1, 10, 100, 1000)
    rounds: int = 5
    refreshes: int = 200
    """Of one car, of each kind in each round. A refresh of many cars counts for each of them."""
    commands: int = 50
    """Of each kind in each round."""
    processes: int = 3
    """Startups of the integration and of the null integration for each number of cars, except the largest."""
    imports: int = 9

    def repetitions(self, vehicles: int) -> int:
        """Return how often an action with so many cars runs in a round."""
        return max(1, self.refreshes // vehicles)

    def startups(self, vehicles: int) -> int:
        """Return how many startups of each integration are measured."""
        return self.processes if vehicles < max(Size().vehicles) else 1


def main() -> int:
    """Measure, and return 1 if a goal is missed."""
    options = _parse_options()
    size = Size(**{field.name: getattr(options, field.name) for field in fields(Size)})
    if options.profile:
        sys.stdout.write(_profile(size, options.profile))
        return 0
    results = _measure(size)
    sys.stdout.write(as_json(results) if options.json else as_markdown(results))
    if size == Size():
        _FIGURES.write_text(as_json(results))
        _REPORT.write_text(as_markdown(results))
    return 1 if missed_goals(results) else 0


def _parse_options() -> argparse.Namespace:
    default = Size()
    parser = argparse.ArgumentParser(prog="scripts/bench speed", description=__doc__)
    parser.add_argument("--vehicles", type=int, nargs="+", default=default.vehicles, help="numbers of cars")
    parser.add_argument("--rounds", type=int, default=default.rounds)
    parser.add_argument("--refreshes", type=int, default=default.refreshes, help="of a car per round")
    parser.add_argument("--commands", type=int, default=default.commands, help="per round")
    parser.add_argument("--processes", type=int, default=default.processes, help="startups with few cars")
    parser.add_argument("--imports", type=int, default=default.imports)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--profile", choices=REFRESH_KINDS, help="only print a profile of this refresh")
    return parser.parse_args()


def _cores() -> tuple[int, int]:
    """Return the cores for Home Assistant and for the service. A single core is used for both."""
    here, *_, there = sorted(os.sched_getaffinity(0)) * 2
    return here, there


def _start_fleet(vehicles: int) -> AbstractContextManager[Worker]:
    here, there = _cores()
    return start_worker("fleet_worker", here, vehicles, there)


def _profile(size: Size, kind: str) -> str:
    with _start_fleet(size.vehicles[0]) as worker:
        worker.call("measure_startup")
        worker.call("set_up_tessie")
        return str(worker.call("profile", kind, size.refreshes))


def _measure(size: Size) -> Results:
    imports = _measure_imports(size.imports)
    with ExitStack() as processes:
        workers: dict[int, Worker] = {}
        startups = []
        for vehicles in size.vehicles:
            pairs = [_measure_startups(vehicles, processes, workers) for _ in range(size.startups(vehicles))]
            startups.append(StartupPairs(vehicles, pairs))
            _log(f"{vehicles} vehicles set up")
        refreshes, commands = _measure_rounds(workers, size)
        loop_lag = list(_measure_loop_lag(workers, size))
    return Results(refreshes, commands, startups, loop_lag, imports)


def _measure_imports(times: int) -> list[ImportResult]:
    if not times:
        return []
    with start_worker("imports", _cores()[0], fresh=True) as worker:
        results: list[ImportResult] = worker.call("imports", times)
    _log("imported")
    return results


def _measure_startups(
    vehicles: int, processes: ExitStack, workers: dict[int, Worker]
) -> tuple[Startup, Startup]:
    """Set up both integrations, each in its own process. The last process with the integration is kept."""
    if previous := workers.get(vehicles):
        previous.stop()
    workers[vehicles] = processes.enter_context(_start_fleet(vehicles))
    own, specs = workers[vehicles].call("measure_startup")
    with _start_fleet(vehicles) as other:
        return own, other.call("measure_null_startup", specs)


def _measure_rounds(workers: Mapping[int, Worker], size: Size) -> tuple[list[Refresh], list[Measurement]]:
    refreshes: list[Refresh] = []
    commands: list[Measurement] = []
    for vehicles, worker in workers.items():
        entities = worker.call("set_up_tessie")
        refreshes += (
            Refresh(kind, vehicles, entities, worker.call("refresh_effects", kind)) for kind in REFRESH_KINDS
        )
        commands += (Measurement(kind, vehicles) for kind in (LOCK, CHARGE_LIMIT))
        _log(f"{vehicles} vehicles of tessie set up")
    for number in range(size.rounds):
        for row in refreshes:
            times = max(size.repetitions(row.vehicles), min(size.refreshes, _MIN_REFRESHES))
            row.rounds.append(workers[row.vehicles].call("measure_refreshes", row.kind, times))
        for command in commands:
            durations = workers[command.vehicles].call("measure_commands", command.kind, size.commands)
            command.rounds.append(durations)
        _log(f"round {number + 1} of {size.rounds}")
    return refreshes, commands


def _measure_loop_lag(workers: Mapping[int, Worker], size: Size) -> Iterable[EventLag]:
    for vehicles, worker in workers.items():
        times = min(size.rounds, size.repetitions(vehicles))
        samples: dict[str, list[LagSample]] = worker.call("measure_loop_lag", times)
        yield from (EventLag(event, vehicles, lag) for event, lag in samples.items())
        _log(f"loop lag of {vehicles} vehicles measured")


def _log(text: str) -> None:
    sys.stderr.write(f"{perf_counter() - _STARTED:4.0f} s: {text}\n")


if __name__ == "__main__":
    sys.exit(main())
