"""The integration's speed, compared with another integration."""

from concurrent.futures import ProcessPoolExecutor
from itertools import product
import multiprocessing
import sys
from typing import Final

from ..common.report import create_parser, publish
from . import imports
from .fleet import Fleet
from .results import INTEGRATION, TESSIE, Refresh, Results, Setup, Startup, judge, sections
from .worker import run_with_fleet

_STARTUPS: Final = 3
"""Startups of each integration."""


def main() -> int:
    parser = create_parser("speed", __doc__)
    parser.add_argument("--vehicles", type=int, nargs="+", default=[1, 10], help="numbers of cars")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; 1 skips the import")
    options = parser.parse_args()
    imported = None
    if options.rounds > 1:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
            packages = (imports.INTEGRATION, imports.TESSIE)
            measured = pool.map(imports.measure_imports, packages)
            imported = dict(zip((INTEGRATION, TESSIE), measured, strict=True))
    startups: dict[Setup, list[Startup]] = {}
    refreshes: list[Refresh] = []
    for vehicles in options.vehicles:
        for _ in range(min(options.rounds, _STARTUPS)):
            for every_entity, name in product((True, False), (INTEGRATION, TESSIE)):
                startup = run_with_fleet(Fleet.measure_startup, vehicles, name, every_entity=every_entity)
                startups.setdefault(Setup(vehicles, every_entity, name), []).append(startup)
        for every_entity in (True, False):
            measure, rounds = Fleet.measure_refreshes, options.rounds
            refreshes += run_with_fleet(measure, vehicles, rounds, every_entity=every_entity)
    results = Results(refreshes, startups, imported)
    return publish(parser, sections(results), list(judge(results)))


if __name__ == "__main__":
    sys.exit(main())
