"""The integration's speed, compared with a baseline and another integration."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
import multiprocessing
import sys
from time import perf_counter
from typing import Final

from ..common.report import create_parser, publish
from .fleet import Fleet
from .imports import measure_imports
from .results import (
    COMMAND_KINDS,
    INTEGRATION,
    REFRESH_KINDS,
    TESSIE,
    Measurement,
    Results,
    Startup,
    judge,
    sections,
)
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


def main() -> int:
    parser = create_parser("speed", __doc__)
    parser.add_argument("--vehicles", type=int, nargs="+", default=[1, 10, 100, 1000], help="numbers of cars")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; 1 skips the import")
    options = parser.parse_args()
    results = _measure(options.vehicles, options.rounds)
    return publish(parser, sections(results), list(judge(results)))


def _measure(sizes: Sequence[int], rounds: int) -> Results:
    imports = None
    if rounds > 1:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            imports = pool.submit(measure_imports).result()
    startups = _measure_startups(sizes, rounds)
    with ExitStack() as processes:
        refreshes: list[tuple[Call, Measurement]] = []
        commands: list[tuple[Call, Measurement]] = []
        for vehicles in sizes:
            call = processes.enter_context(start_fleet(vehicles))
            call(Fleet.set_up)
            counts = {kind: call(Fleet.prepare_refresh, kind) for kind in REFRESH_KINDS}
            refreshes += ((call, Measurement(kind, vehicles, counts[kind])) for kind in REFRESH_KINDS)
            commands += ((call, Measurement(kind, vehicles)) for kind in COMMAND_KINDS)
            _log(f"{vehicles} vehicles set up")
        for number in range(rounds):
            for call, row in refreshes:
                times = max(_REFRESHES // row.vehicles, _MIN_REFRESHES)
                row.rounds.append(call(Fleet.measure_refreshes, row.kind, times))
            for call, row in commands:
                row.rounds.append(call(Fleet.measure_commands, row.kind, _COMMANDS))
            _log(f"round {number + 1} of {rounds}")
        lag: dict[tuple[str, int], float] = {}
        for call, row in refreshes[:: len(REFRESH_KINDS)]:
            lag |= call(Fleet.measure_loop_lag, max(1, min(rounds, _REFRESHES // row.vehicles)))
        _log("event loop measured")
    return Results([row for _, row in refreshes], [row for _, row in commands], startups, lag, imports)


def _measure_startups(sizes: Sequence[int], rounds: int) -> dict[tuple[int, str], list[Startup]]:
    """Set up both integrations, each in its own process."""
    startups: dict[tuple[int, str], list[Startup]] = {}
    for vehicles in sizes:
        for _ in range(1 if vehicles >= _MANY else min(rounds, _STARTUPS)):
            for name in (INTEGRATION, TESSIE):
                with start_fleet(vehicles) as call:
                    startups.setdefault((vehicles, name), []).append(call(Fleet.measure_startup, name))
        _log(f"{vehicles} vehicles started")
    return startups


def _log(text: str) -> None:
    sys.stderr.write(f"{perf_counter() - _STARTED:4.0f} s: {text}\n")


if __name__ == "__main__":
    sys.exit(main())
