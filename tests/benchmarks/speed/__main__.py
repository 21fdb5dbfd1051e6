"""The integration's speed, compared with a baseline, a null integration and another integration."""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
import multiprocessing
import sys
from time import perf_counter
from typing import Final

from ..common.report import publish
from .fleet import Fleet
from .imports import measure_imports
from .report import judge, sections
from .results import COMMAND_KINDS, REFRESH_KINDS, Duration, Measurement, Refresh, Results, Startup
from .worker import Call, start_fleet

_STARTED: Final = perf_counter()
_REFRESHES: Final = 200
"""Of one car, of each kind in each round. A refresh of many cars counts for each of them."""
_MIN_REFRESHES: Final = 3
_COMMANDS: Final = 50
"""Of each kind in each round."""
_STARTUPS: Final = 3
"""Startups of each integration, with fewer than a thousand cars."""
_MANY: Final = 1000
_IMPORTS: Final = 9


def main() -> int:
    """Measure, and return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench speed", description=__doc__)
    parser.add_argument("--vehicles", type=int, nargs="+", default=[1, 10, 100, 1000], help="numbers of cars")
    parser.add_argument("--rounds", type=int, default=5, help="a single round skips the import")
    parser.add_argument("--profile", choices=REFRESH_KINDS, help="only print a profile of this refresh")
    options = parser.parse_args()
    if options.profile:
        sys.stdout.write(_profile(options.vehicles[0], options.profile))
        return 0
    results = _measure(options.vehicles, options.rounds)
    is_full = options == parser.parse_args([])
    return publish("speed", sections(results), list(judge(results)), is_full=is_full)


def _profile(vehicles: int, kind: str) -> str:
    with start_fleet(vehicles) as call:
        call(Fleet.measure_startup)
        call(Fleet.set_up_tessie)
        return str(call(Fleet.profile, kind, _REFRESHES))


def _measure(sizes: Sequence[int], rounds: int) -> Results:
    imports = _measure_imports() if rounds > 1 else []
    startups = {vehicles: _measure_startups(vehicles, rounds) for vehicles in sizes}
    with ExitStack() as processes:
        refreshes: list[tuple[Call, Refresh]] = []
        commands: list[tuple[Call, Measurement]] = []
        for vehicles in sizes:
            call = processes.enter_context(start_fleet(vehicles))
            call(Fleet.measure_startup)
            call(Fleet.set_up_tessie)
            refreshes += ((call, call(Fleet.prepare_refresh, kind)) for kind in REFRESH_KINDS)
            commands += ((call, Measurement(kind, vehicles)) for kind in COMMAND_KINDS)
            _log(f"{vehicles} vehicles set up")
        for number in range(rounds):
            for call, row in refreshes:
                times = max(_REFRESHES // row.vehicles, _MIN_REFRESHES)
                row.rounds.append(call(Fleet.measure_refreshes, row.kind, times))
            for call, command in commands:
                command.rounds.append(call(Fleet.measure_commands, command.kind, _COMMANDS))
            _log(f"round {number + 1} of {rounds}")
        lag: dict[tuple[str, int], tuple[float, int]] = {}
        for call, row in refreshes[:: len(REFRESH_KINDS)]:
            lag |= call(Fleet.measure_loop_lag, max(1, min(rounds, _REFRESHES // row.vehicles)))
        _log("event loop measured")
    return Results([row for _, row in refreshes], [row for _, row in commands], startups, lag, imports)


def _measure_imports() -> list[tuple[Duration, set[str]]]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure_imports, _IMPORTS).result()


def _measure_startups(vehicles: int, rounds: int) -> list[tuple[Startup, Startup]]:
    """Set up both integrations, each in its own process."""
    pairs = []
    for _ in range(1 if vehicles >= _MANY else min(rounds, _STARTUPS)):
        with start_fleet(vehicles) as call:
            own: Startup = call(Fleet.measure_startup)
        with start_fleet(vehicles) as call:
            pairs.append((own, call(Fleet.measure_null_startup, own.entities // vehicles)))
    _log(f"{vehicles} vehicles started")
    return pairs


def _log(text: str) -> None:
    sys.stderr.write(f"{perf_counter() - _STARTED:4.0f} s: {text}\n")


if __name__ == "__main__":
    sys.exit(main())
